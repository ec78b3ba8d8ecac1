// adapters/tensorflow/native/module.cc: registers ops with TensorFlow, and has the functions that Python calls.
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/common/engine.h"
#include "call.h"
#include "op.h"
#include "tensorflow/core/framework/kernel_def_builder.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_def_util.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "values.h"

namespace opsrun_tf {
namespace {

namespace py = pybind11;
using opsrun_adapter::Engine;
using opsrun_adapter::Failure;
using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::Tensor;
using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// What TensorFlow knows about the inputs. Dimension handles become symbols.
class KnownInputs {
 public:
  explicit KnownInputs(InferenceContext& context) : context_(context) {
    for (int i = 0; i < context.num_inputs(); ++i) inputs_.push_back({SizesOf(context.input(i)), nullptr, kNothing});
  }
  std::vector<opsrun_known_input>& all() { return inputs_; }

  // Asks TensorFlow for the value of an input; null if it is not known. Partly known values are requested in Python
  // instead (InferOutputs), because TensorFlow fails if a value that is requested as a shape has a number below -1.
  const opsrun_array* ValueOf(uint32_t i, int32_t dtype) {
    const Tensor* const value = context_.input_tensor(static_cast<int>(i));
    return value == nullptr ? nullptr : arrays_.Add(*value, dtype);
  }

 private:
  static constexpr opsrun_known_sizes kNothing = {-1, 0, nullptr, nullptr};

  opsrun_known_sizes SizesOf(ShapeHandle shape) {
    if (!InferenceContext::RankKnown(shape)) return kNothing;
    std::vector<int64_t>& sizes = sizes_.emplace_back();
    std::vector<uint32_t>& symbols = symbols_of_.emplace_back();
    for (int i = 0; i < InferenceContext::Rank(shape); ++i) {
      const DimensionHandle dim = context_.Dim(shape, i);
      sizes.push_back(InferenceContext::Value(dim));
      symbols.push_back(symbols_.emplace(dim.Handle(), static_cast<uint32_t>(symbols_.size() + 1)).first->second);
    }
    return {static_cast<int32_t>(sizes.size()), 0, sizes.data(), symbols.data()};
  }

  InferenceContext& context_;
  std::vector<opsrun_known_input> inputs_;
  std::deque<std::vector<int64_t>> sizes_;
  std::deque<std::vector<uint32_t>> symbols_of_;
  Arrays arrays_;
  std::unordered_map<size_t, uint32_t> symbols_;
};

// The results as TensorFlow handles.
class Results {
 public:
  Results(InferenceContext& context, const opsrun_shapes_info& info) : context_(context), info_(info) {
    for (uint32_t i = 0; i < info.n_sizes; ++i) dims_.push_back(DimOf(info.sizes[i]));
  }

  void Set() {
    for (uint32_t i = 0; i < info_.n_equal; ++i) Equate(info_.equal[2 * i], info_.equal[2 * i + 1]);
    for (uint32_t i = 0; i < info_.n_outputs; ++i) {
      context_.set_output(static_cast<int>(i), ShapeOf(info_.outputs[i]));
    }
  }

 private:
  DimensionHandle DimOf(const opsrun_size& size) {
    // An element may be negative, but TensorFlow's dimensions may not.
    if (size.kind == OPSRUN_SIZE_KNOWN) return context_.MakeDim(std::max<int64_t>(size.value, -1));
    if (size.kind == OPSRUN_SIZE_INPUT) return context_.Dim(context_.input(size.a), size.b);
    if (size.kind < OPSRUN_SIZE_OP) return context_.UnknownDim();
    return Compute(size.kind - OPSRUN_SIZE_OP, dims_[size.a], dims_[size.b]);
  }

  // Results that TensorFlow cannot represent, such as a possibly negative difference, are unknown.
  DimensionHandle Compute(uint32_t op, DimensionHandle a, DimensionHandle b) {
    DimensionHandle result;
    absl::Status status = absl::UnimplementedError("");
    if (op == OPSRUN_DIM_ADD) status = context_.Add(a, b, &result);
    if (op == OPSRUN_DIM_SUB) status = context_.Subtract(a, b, &result);
    if (op == OPSRUN_DIM_MUL) status = context_.Multiply(a, b, &result);
    if (op == OPSRUN_DIM_FLOORDIV) status = context_.Divide(a, b, false, &result);
    if (op == OPSRUN_DIM_MIN) status = context_.Min(a, b, &result);
    if (op == OPSRUN_DIM_MAX) status = context_.Max(a, b, &result);
    return status.ok() ? result : context_.UnknownDim();
  }

  void Equate(uint32_t a, uint32_t b) {
    DimensionHandle merged;
    Require(context_.Merge(dims_[a], dims_[b], &merged));
    dims_[a] = dims_[b] = merged;
  }

  ShapeHandle ShapeOf(const opsrun_size_list& list) {
    if (list.rank < 0) return context_.UnknownShape();
    std::vector<DimensionHandle> dims;
    for (int32_t i = 0; i < list.rank; ++i) dims.push_back(dims_[list.sizes[i]]);
    return context_.MakeShape(dims);
  }

  InferenceContext& context_;
  const opsrun_shapes_info& info_;
  std::vector<DimensionHandle> dims_;
};

// Sizes that are equal to those of inputs keep their TensorFlow handles. Never throws.
absl::Status InferShapes(const Op& op, InferenceContext* context) {
  try {
    const auto find = [context](const std::string& name) { return context->GetAttr(name); };
    const TypedOp typed(op, find);
    KnownInputs inputs(*context);
    const opsrun_adapter::OwnedShapes shapes =
        InferShapes(typed, inputs.all(), [&](uint32_t i, int32_t dtype) { return inputs.ValueOf(i, dtype); });
    Results(*context, *opsrun_shapes_get(shapes.get())).Set();
    return absl::OkStatus();
  } catch (const Failure& failure) {
    return StatusOf(failure);
  }
}

// One kernel object of the plugin for each TensorFlow kernel, of which a graph has one per node.
class PluginKernel : public OpKernel {
 public:
  PluginKernel(const Op& op, OpKernelConstruction* context) : OpKernel(context) {
    try {
      kernel_.emplace(TypeNode(op, context->def()));
    } catch (const Failure& failure) {
      context->CtxFailure(StatusOf(failure));
    }
  }

  void Compute(tensorflow::OpKernelContext* context) override {
    Call(*kernel_, context).Run();
  }

  // The kernels of a graph lie together: a graph of many nodes needs fewer pages, whose addresses the processor must
  // find.
  static void* operator new(size_t bytes) { return Pool().allocate(bytes); }
  static void operator delete(void* kernel, size_t bytes) { Pool().deallocate(kernel, bytes); }

 private:
  static std::pmr::memory_resource& Pool() {
    static auto* const pool = new std::pmr::synchronized_pool_resource;  // TensorFlow keeps kernels until the end
    return *pool;
  }

  std::optional<Kernel> kernel_;  // empty only after a failure, when TensorFlow discards this kernel
};

class Factory : public tensorflow::kernel_factory::OpKernelFactory {
 public:
  explicit Factory(const Op& op) : op_(op) {}
  OpKernel* Create(OpKernelConstruction* context) override { return new PluginKernel(op_, context); }

 private:
  const Op& op_;
};

// Registers an op and its kernel. name: "zero_out.ZeroOut"; def: a serialized OpDef. Throws Failure if TensorFlow
// rejects the definition or already has an op of that name. The result lives as long as the process.
Op* RegisterOp(const Engine& engine, const std::string& name, const py::bytes& def) {
  const std::string bytes = def;
  const py::gil_scoped_release release;
  auto made = std::make_unique<Op>(Op{engine, name, {}});
  if (!made->def.ParseFromString(bytes)) throw Failure(OPSRUN_INVALID_ARGUMENT, "this is not an OpDef");
  // Checked first, because the registry aborts the process if it does not accept an op.
  Require(tensorflow::ValidateOpDef(made->def));
  tensorflow::OpRegistry* const registry = tensorflow::OpRegistry::Global();
  if (registry->LookUp(made->def.name()) != nullptr) {
    throw Failure(OPSRUN_ALREADY_EXISTS, "TensorFlow has an op '" + made->def.name() + "' already");
  }
  Op& op = *made.release();  // the registry cannot remove an op
  registry->Register([&op](tensorflow::OpRegistrationData* data) {
    data->op_def = op.def;
    data->shape_inference_fn = [&op](InferenceContext* context) { return InferShapes(op, context); };
    return absl::OkStatus();
  });
  tensorflow::kernel_factory::OpKernelRegistrar(
      tensorflow::KernelDefBuilder(op.def.name().c_str()).Device(tensorflow::DEVICE_CPU).Build(), "opsrun",
      std::make_unique<Factory>(op));
  return &op;
}

// Raises TensorFlow's exception for the code.
void RaiseFailure(const Failure& failure) {
  const py::object errors = py::module_::import("tensorflow").attr("compat").attr("v1").attr("errors");
  const py::object error =
      errors.attr("exception_type_from_error_code")(failure.code)(py::none(), py::none(), failure.what());
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
}

}  // namespace

PYBIND11_MODULE(OPSRUN_TF_MODULE, m) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      RaiseFailure(failure);
    }
  });
  py::class_<Engine>(m, "Engine")
      .def(py::init([](const std::vector<std::string>& directories) { return Engine(directories, MakeTable); }),
           py::call_guard<py::gil_scoped_release>())
      .def("add_plugin", &Engine::AddPlugin, py::call_guard<py::gil_scoped_release>())
      .def("plugins", &Engine::Plugins)
      .def("describe", &Engine::Describe, py::call_guard<py::gil_scoped_release>());
  // Ops live as long as the process.
  py::class_<Op, std::unique_ptr<Op, py::nodelete>>(m, "Op").def("gradient", &GradientOf).def("infer", &InferOutputs);
  m.attr("OPSRUN_VERSION") = OPSRUN_VERSION;
  m.def("register_op", &RegisterOp, py::return_value_policy::reference);
}

}  // namespace opsrun_tf
