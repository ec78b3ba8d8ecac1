// host/plan/call_arrays.h: calls of a node's plugin before any run: its attrs and arguments as structs of c_api.h,
// creation of its kernel, and its shape function, in planning or without a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/plan/plan.h"
#include "host/plugin/plugin.h"
#include "host/spec/infer_attrs.h"
#include "host/spec/op_def.h"
#include "host/spec/shape_engine.h"
#include "host/tensor/resources.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A read-only view of a host tensor. It is planned memory, so retaining it makes a copy.
class TensorView {
 public:
  explicit TensorView(const opsrun_host* host);  // without a tensor: rank -1
  TensorView(const Tensor& tensor, const opsrun_host* host) : TensorView(host) { Set(tensor); }
  TensorView(const TensorView&) = delete;
  void Set(const Tensor& tensor);
  // A view of memory that must outlive it: dense, row-major, aligned for its elements. shape is copied.
  void Borrow(DType dtype, int32_t rank, const int64_t* shape, void* data);
  const opsrun_tensor* get() const { return &view_; }

 private:
  Tensor tensor_;               // keeps the bytes alive, unless they are borrowed
  std::vector<int64_t> sizes_;  // shape, then strides
  opsrun_tensor view_{};
};

// The arguments of a node's op, which kernel objects borrow as long as they live. `signature` must outlive this object.
struct ArgArrays {
  ArgArrays(const spec::Signature& signature, const std::vector<std::string>& host_memory);
  ArgArrays(const ArgArrays&) = delete;

  std::vector<opsrun_arg> in, out;
  std::vector<int32_t> types;  // of inputs, then of outputs
};

// The arrays that create and shape calls borrow; they live as long as this object, which `op` and `signature` must
// outlive.
class CallArrays {
 public:
  CallArrays(const spec::OpDef& op, const spec::Signature& signature, const std::vector<std::string>& host_memory,
             const opsrun_host* host);
  CallArrays(const CallArrays&) = delete;

  const std::vector<opsrun_attr>& attrs() const { return attrs_; }
  const std::shared_ptr<const ArgArrays>& args() const { return args_; }
  // Sets the attrs and arguments of an opsrun_create, opsrun_shape_call or opsrun_typed_op_info.
  template <typename Call>
  void Fill(Call& call) const {
    call.attrs = attrs_.data();
    call.in_args = args_->in.data();
    call.out_args = args_->out.data();
    call.n_attrs = static_cast<uint32_t>(attrs_.size());
    call.n_in_args = static_cast<uint32_t>(args_->in.size());
    call.n_out_args = static_cast<uint32_t>(args_->out.size());
  }

 private:
  opsrun_attr Attr(const std::string& name, const spec::AttrValue& value);

  const opsrun_host* host_;
  std::vector<opsrun_attr> attrs_;
  std::shared_ptr<const ArgArrays> args_;
  std::list<std::vector<opsrun_str>> strings_;
  std::list<std::vector<opsrun_partial>> shapes_;
  std::list<std::vector<const opsrun_tensor*>> tensor_lists_;
  std::list<TensorView> tensors_;
};

inline opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}

// Writes the dense row-major strides of `shape`.
void FillStrides(int32_t rank, const int64_t* shape, int64_t* strides);

// opsrun_create of c_api.h, with the host's data. All arguments must outlive it.
class CreateCall : public opsrun_create {
 public:
  CreateCall(const opsrun_host* host, const std::string& node, const std::string& op, const CallArrays& arrays,
             const spec::Signature& signature, const PlanDevice& device, Resources* resources, const void* plugin);
  CreateCall(const CreateCall&) = delete;

  // Creates the object; returns the result of create as a Status.
  Status Run(int32_t (*create)(void*, opsrun_create*, void**), void* ctx, void** object);

  // Implements host->fail. Thread-safe.
  int32_t Fail(int32_t code, std::string text, std::string subject);

  const PlanDevice& on;        // where the kernel will run
  Resources* const resources;  // objects that kernels share; may be null
  const void* const plugin;    // the identity of the kernel's plugin

 private:
  std::mutex mutex_;
  Status failure_;
};

// What is known about each input.
struct OpShapeInputs {
  std::vector<const opsrun_shape*> shapes;
  std::vector<const Tensor*> values;           // null: unknown
  std::vector<const opsrun_shape*> as_shapes;  // what is known of the elements (see ElementsOf), or null
};

struct OpShapeOutputs {
  std::vector<const opsrun_shape*> shapes;     // never null
  std::vector<const opsrun_shape*> as_shapes;  // what is known of the elements, or null
  std::vector<uint32_t> wanted;                // inputs whose values were requested but unknown
  bool uses_values = false;                    // see ShapeCall
};

class ChildPart;

// The result of the shape function; INTERNAL if it throws. Without a shape function, all shapes are unknown. All
// handles belong to `engine`. part: the node, if its plugin is isolated; else null.
Result<OpShapeOutputs> InferOpShapes(const RegisteredOp& op, const CallArrays& arrays, const spec::Signature& signature,
                                     const opsrun_host* host, const OpShapeInputs& inputs, spec::ShapeEngine& engine,
                                     ChildPart* part = nullptr);

// One call of a shape function: opsrun_shape_call of c_api.h, with the host's data. Accepts only handles that the
// engine made.
class ShapeCall : public opsrun_shape_call {
 public:
  // in: one shape per input. values: null for inputs that are unknown before the run. All arguments must outlive this
  // object.
  ShapeCall(const opsrun_host* host, const CallArrays& arrays, spec::ShapeEngine& engine,
            std::vector<const opsrun_shape*> in, std::vector<const Tensor*> values, uint32_t n_out);
  ShapeCall(const ShapeCall&) = delete;

  // Sets what is known of the elements of input i (see ElementsOf).
  void SetElements(uint32_t i, const opsrun_shape* elements);
  // `late` computes a value that is null above when it is requested; called at most once per input.
  void SetLateValues(std::function<const Tensor*(uint32_t)> late) { late_ = std::move(late); }
  // Recorded for dimensions that become equal; see ShapeEngine::WhyKnown.
  void set_asker(uint32_t asker) { asker_ = asker; }

  // Runs the shape function and returns its result as a Status. out_types: one data type per output.
  Status Run(int32_t (*shape)(void*, opsrun_shape_call*), void* shape_ctx, const std::vector<DType>& out_types);

  // The same for what was set without running one.
  Status CheckOutputElements(const std::vector<DType>& out_types);

  // Output i; null if the function did not set it.
  const opsrun_shape* output(uint32_t i) const { return out_[i]; }
  // The checked elements of output i, as stated by the function; null if nothing is known.
  const opsrun_shape* output_elements(uint32_t i) const { return out_values_[i]; }

  // What is known of input i without computing it, for a function that runs elsewhere. Null: nothing.
  const opsrun_shape* elements(uint32_t i) const { return elements_[i]; }
  const Tensor* value(uint32_t i) const { return values_[i]; }
  void NoteUseOfValues() { uses_values_ = true; }

  // The function asked for the value of an input, or for elements that may be known, or stated those of an output. So
  // it may say something else about tensors of the same types and shapes.
  bool uses_values() const { return uses_values_; }

  // If the function equated two sizes that cannot be equal and of which not both are known, the reason; else empty.
  const std::string& conflict() const { return conflict_; }

  // The slots of the host's table. Each returns a code; failures are recorded.
  int32_t Fail(int32_t code, std::string text, std::string subject);
  int32_t MakeDim(int64_t value, const opsrun_dim** dim);
  int32_t MakeShape(int32_t rank, const opsrun_dim* const* dims, const opsrun_shape** shape);
  int32_t SetOutput(uint32_t i, const opsrun_shape* shape);
  int32_t Equate(const opsrun_dim* a, const opsrun_dim* b);
  int32_t DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b, const opsrun_dim** out);
  int32_t WantValue(uint32_t i, const opsrun_tensor** value, const opsrun_shape** as_shape);
  int32_t SetOutputValue(uint32_t i, const opsrun_shape* shape);

 private:
  // Records that a primitive refused. The function may continue, or fail with its own reason, which has priority.
  int32_t Refuse(const Status& status);
  const Tensor* ValueOf(uint32_t i);

  spec::ShapeEngine& engine_;
  const std::vector<int32_t>& types_;
  std::vector<const opsrun_shape*> in_;
  std::vector<const opsrun_shape*> out_;
  std::vector<const opsrun_shape*> out_values_;
  std::vector<const Tensor*> values_;
  std::vector<const opsrun_shape*> elements_;  // by input; null: derive them from the value
  bool has_elements_ = false;
  bool uses_values_ = false;
  std::vector<bool> looked_up_;  // by input: late_ was called
  std::function<const Tensor*(uint32_t)> late_;
  uint32_t asker_ = 0;
  std::list<TensorView> views_;
  Status failure_;  // reported by the function
  Status refusal_;  // of the first primitive that refused
  std::string conflict_;
};

// False if the elements of no such tensor can be known as dimensions.
bool HasElements(DType dtype);

// The elements of a tensor, as dimensions; null if its elements cannot be known.
const opsrun_shape* ElementsOf(const Tensor& tensor, spec::ShapeEngine& engine);

// False for null.
bool AllKnown(const opsrun_shape* elements, const spec::ShapeEngine& engine);

// The tensor with these elements; nothing unless all are known.
std::optional<Tensor> TensorOf(const opsrun_shape* elements, DType dtype, const opsrun_shape* shape,
                               const spec::ShapeEngine& engine);

// The elements that a shape function states for an output of this type and shape. Null if elements of such a tensor
// cannot be known, or if none is; a number that does not fit the type is unknown. INTERNAL if the shape has another
// number of elements.
Result<const opsrun_shape*> CheckElements(const opsrun_shape* stated, DType dtype, const opsrun_shape* shape,
                                          spec::ShapeEngine& engine);

// The slots for shape functions except `fail`: those of ShapeCall.
void SetShapeSlots(opsrun_host& table);

}  // namespace opsrun::host
