// adapters/tensorflow/native/gradient.cc
// SPDX-License-Identifier: Apache-2.0
#include "gradient.h"

#include "adapters/common/failure.h"
#include "node.h"
#include "types.h"
#include "view.h"

namespace opsrun_tf {
namespace {

namespace py = pybind11;
using opsrun_adapter::Failure;
using opsrun_adapter::OwnedGradient;
using opsrun_adapter::Text;

OwnedGradient Differentiate(const Op& op, const std::string& text, const std::optional<KnownShapes>& shapes) {
  const py::gil_scoped_release release;
  std::vector<opsrun_known_sizes> known;
  if (shapes) {
    for (const std::optional<std::vector<int64_t>>& shape : *shapes) {
      known.push_back(shape ? opsrun_known_sizes{static_cast<int32_t>(shape->size()), 0, shape->data(), nullptr}
                            : opsrun_known_sizes{-1, 0, nullptr, nullptr});
    }
  }
  const TypedOp typed = TypeNode(op, text);
  return opsrun_adapter::Differentiate(typed.get(), known, op.name);
}

py::tuple OperandOf(const opsrun_operand& operand) {
  return py::make_tuple(operand.kind, operand.index, operand.output);
}

// None for an unknown shape; unknown sizes are None too.
py::object ShapeOf(const opsrun_partial& shape) {
  if (shape.rank < 0) return py::none();
  py::list sizes;
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] < 0) {
      sizes.append(py::none());
    } else {
      sizes.append(shape.dims[i]);
    }
  }
  return sizes;
}

// A serialized TensorProto.
py::bytes TensorOf(const opsrun_attr& attr, uint64_t i) {
  tensorflow::Tensor tensor;
  if (const int32_t code = CopyOf(*attr.v.tensors[i], &tensor); code != OPSRUN_OK) {
    throw Failure(code, "its gradient gives attr '" + Text(attr.name) + "' a tensor that TensorFlow cannot have");
  }
  tensorflow::TensorProto proto;
  tensor.AsProtoTensorContent(&proto);
  return proto.SerializeAsString();
}

py::object ElementOf(const opsrun_attr& attr, uint64_t i) {
  switch (attr.kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_FLOAT:
      return py::float_(opsrun_adapter::FloatOf(attr, i));
    case OPSRUN_ATTR_BOOL:
      return py::bool_(opsrun_adapter::IntOf(attr, i) != 0);
    case OPSRUN_ATTR_STRING:
      return py::bytes(Text(opsrun_adapter::StrOf(attr, i)));
    case OPSRUN_ATTR_SHAPE:
      return ShapeOf(attr.v.shapes[i]);
    case OPSRUN_ATTR_INT:
    case OPSRUN_ATTR_TYPE:
      return py::int_(opsrun_adapter::IntOf(attr, i));
    case OPSRUN_ATTR_TENSOR:
      return TensorOf(attr, i);
    default:
      throw Failure(OPSRUN_UNIMPLEMENTED, "its gradient gives attr '" + Text(attr.name) + "' a function");
  }
}

py::object ValueOf(const opsrun_attr& attr) {
  if ((attr.kind & OPSRUN_ATTR_LIST) == 0) return ElementOf(attr, 0);
  py::list list;
  for (uint64_t i = 0; i < attr.count; ++i) list.append(ElementOf(attr, i));
  return list;
}

py::tuple CallOf(const opsrun_op_call& call) {
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(call.op);
  py::list arguments;
  for (uint32_t i = 0; i < info.n_in_args; ++i) {
    const opsrun_arg& arg = info.in_args[i];
    py::list operands;
    for (uint32_t k = 0; k < arg.count; ++k) operands.append(OperandOf(call.inputs[arg.first + k]));
    arguments.append((arg.flags & OPSRUN_ARG_LIST) != 0 ? py::object(operands) : py::object(operands[0]));
  }
  py::dict attrs;
  for (uint32_t i = 0; i < info.n_attrs; ++i) attrs[py::str(Text(info.attrs[i].name))] = ValueOf(info.attrs[i]);
  return py::make_tuple(Text(info.plugin), Text(info.name), arguments, attrs);
}

py::tuple ConstantOf(const opsrun_array& array) {
  const opsrun_dldtype* const dl = FindType(array.dtype);
  if (dl == nullptr || dl->code == 3)
    throw Failure(OPSRUN_UNIMPLEMENTED, "its gradient has a constant that is not numeric");
  size_t bytes = dl->bits / 8;
  py::tuple shape(array.rank);
  for (int32_t i = 0; i < array.rank; ++i) {
    shape[static_cast<size_t>(i)] = array.shape[i];
    bytes *= static_cast<size_t>(array.shape[i]);
  }
  return py::make_tuple(array.dtype, shape, py::bytes(static_cast<const char*>(array.data), bytes));
}

// The operands of a gradient that is zero except for slices; None for other gradients.
py::object SlicesOf(const opsrun_slices& slices) {
  if (slices.values.kind == OPSRUN_OPERAND_NONE) return py::none();
  return py::make_tuple(OperandOf(slices.values), OperandOf(slices.indices), OperandOf(slices.axis),
                        slices.vectors != 0, slices.batch_dims);
}

}  // namespace

py::tuple GradientOf(const Op& op, const std::string& node_def, const std::optional<KnownShapes>& shapes) {
  const OwnedGradient gradient = Differentiate(op, node_def, shapes);
  const opsrun_gradient_info& info = *opsrun_gradient_get(gradient.get());
  py::list calls, constants, of_inputs, slices;
  for (uint32_t i = 0; i < info.n_calls; ++i) calls.append(CallOf(info.calls[i]));
  for (uint32_t i = 0; i < info.n_constants; ++i) constants.append(ConstantOf(info.constants[i]));
  for (uint32_t i = 0; i < info.n_inputs; ++i) of_inputs.append(OperandOf(info.of_inputs[i]));
  for (uint32_t i = 0; i < info.n_inputs; ++i) slices.append(SlicesOf(info.slices[i]));
  return py::make_tuple(calls, constants, of_inputs, slices);
}

}  // namespace opsrun_tf
