// compat/tests/ported/searches_op.cc: one op creates a handle, another the object, others use and delete it.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow {
namespace {

class Found : public ResourceBase {};
REGISTER_RESOURCE_HANDLE_OP(Found);
REGISTER_RESOURCE_HANDLE_KERNEL(Found);

class Search : public ResourceBase {
 public:
  explicit Search(const tstring& text) : text_(text) {}
  string DebugString() const override { return strings::StrCat("a search for ", text_); }

 private:
  const string text_;
};

REGISTER_RESOURCE_HANDLE_OP(Search);
REGISTER_KERNEL_BUILDER(Name("SearchHandleOp").Device(DEVICE_CPU), ResourceHandleOp<Search>);

REGISTER_OP("SearchIsInitialized")
    .Input("search: resource")
    .Output("is_initialized: bool")
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_KERNEL_BUILDER(Name("SearchIsInitialized").Device(DEVICE_CPU), IsResourceInitialized<Search>);

// `kind` selects what to do with the object; the output is the result.
REGISTER_OP("UseSearch")
    .Input("search: resource")
    .Input("text: string")
    .Input("after: N * bool")
    .Output("result: string")
    .Attr("kind: {'create', 'look_up', 'look_up_or_create', 'delete'}")
    .Attr("N: int >= 0")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

class UseSearchOp : public OpKernel {
 public:
  explicit UseSearchOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("kind", &kind_));
  }

  void Compute(OpKernelContext* context) override {
    Tensor* result = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &result));
    ResourceHandle handle;
    OP_REQUIRES_OK(context, HandleFromInput(context, 0, &handle));
    core::RefCountPtr<Search> search;
    const Status status = Use(context, handle, context->input(1).scalar<tstring>()(), &search);
    result->scalar<tstring>()() = search != nullptr            ? search->DebugString()
                                  : status.ok()                ? "done"
                                  : errors::IsNotFound(status) ? "not found"
                                                               : "already there";
  }

 private:
  Status Use(OpKernelContext* context, const ResourceHandle& handle, const tstring& text,
             core::RefCountPtr<Search>* search) {
    if (kind_ == "create") return CreateResource(context, handle, new Search(text));
    if (kind_ == "look_up") {
      Search* found = nullptr;
      TF_RETURN_IF_ERROR(GetResourceFromContext(context, "search", &found));
      search->reset(found);
      return Status();
    }
    if (kind_ == "delete") return DeleteResource<Search>(context, handle);
    return LookupOrCreateResource<Search>(context, handle, search, [&text](Search** made) {
      *made = new Search(text);
      return Status();
    });
  }

  string kind_;
};
REGISTER_KERNEL_BUILDER(Name("UseSearch").Device(DEVICE_CPU), UseSearchOp);

}  // namespace
}  // namespace tensorflow
