// adapters/tensorflow/native/register.cc
// SPDX-License-Identifier: Apache-2.0
#include "register.h"

#include <memory>
#include <optional>
#include <utility>

#include "call.h"
#include "shapes.h"
#include "status.h"
#include "tensorflow/core/framework/kernel_def_builder.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_def_util.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace opsrun_tf {
namespace {

using opsrun_adapter::Failure;
using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;

// One kernel object of the plugin for each TensorFlow kernel, of which a graph has one per node.
class PluginKernel : public OpKernel {
 public:
  PluginKernel(const Op& op, OpKernelConstruction* context) : OpKernel(context) {
    try {
      const tensorflow::AttrSlice attrs(context->def());
      const TypedOp typed(op, [&attrs](const std::string& name) { return attrs.Find(name); });
      kernel_.emplace(typed);
    } catch (const Failure& failure) {
      context->CtxFailure(StatusOf(failure));
    }
  }

  void Compute(tensorflow::OpKernelContext* context) override {
    kernel_->Prefetch();
    Call(*kernel_, context).Run();
  }

 private:
  std::optional<Kernel> kernel_;  // empty only after a failure, when TensorFlow discards this kernel
};

class Factory : public tensorflow::kernel_factory::OpKernelFactory {
 public:
  explicit Factory(const Op& op) : op_(op) {}
  OpKernel* Create(OpKernelConstruction* context) override { return new PluginKernel(op_, context); }

 private:
  const Op& op_;
};

}  // namespace

const Op& RegisterOp(const opsrun_adapter::Engine& engine, const std::string& name, const std::string& def) {
  auto made = std::make_unique<Op>(Op{engine, name, {}});
  if (!made->def.ParseFromString(def)) throw Failure(OPSRUN_INVALID_ARGUMENT, "this is not an OpDef");
  // Checked first, because the registry aborts the process if it does not accept an op.
  Require(tensorflow::ValidateOpDef(made->def));
  tensorflow::OpRegistry* const registry = tensorflow::OpRegistry::Global();
  if (registry->LookUp(made->def.name()) != nullptr) {
    throw Failure(OPSRUN_ALREADY_EXISTS, "TensorFlow has an op '" + made->def.name() + "' already");
  }
  const Op& op = *made.release();  // the registry cannot remove an op
  registry->Register([&op](tensorflow::OpRegistrationData* data) {
    data->op_def = op.def;
    data->shape_inference_fn = [&op](tensorflow::shape_inference::InferenceContext* context) {
      return InferShapes(op, context);
    };
    return absl::OkStatus();
  });
  tensorflow::kernel_factory::OpKernelRegistrar(
      tensorflow::KernelDefBuilder(op.def.name().c_str()).Device(tensorflow::DEVICE_CPU).Build(), "opsrun",
      std::make_unique<Factory>(op));
  return op;
}

}  // namespace opsrun_tf
