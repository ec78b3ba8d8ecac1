// adapters/tensorflow/native/op.cc
// SPDX-License-Identifier: Apache-2.0
#include "op.h"

#include <deque>
#include <limits>

namespace opsrun_tf {
namespace {

namespace py = pybind11;
using opsrun_adapter::Failure;
using opsrun_adapter::OwnedGradient;
using opsrun_adapter::Str;
using opsrun_adapter::Text;
using tensorflow::OpDef;

const tensorflow::AttrValue& ValueOf(const FindAttr& find, const std::string& name) {
  const tensorflow::AttrValue* const value = find(name);
  if (value == nullptr) throw Failure(OPSRUN_INVALID_ARGUMENT, "attr '" + name + "' has no value");
  return *value;
}

std::vector<int32_t> TypesOf(const OpDef::ArgDef& arg, const FindAttr& find) {
  std::vector<int32_t> types;
  if (!arg.type_list_attr().empty()) {
    for (const int type : ValueOf(find, arg.type_list_attr()).list().type()) types.push_back(type);
    return types;
  }
  const int type = arg.type_attr().empty() ? arg.type() : ValueOf(find, arg.type_attr()).type();
  types.assign(arg.number_attr().empty() ? 1 : static_cast<size_t>(ValueOf(find, arg.number_attr()).i()), type);
  return types;
}

std::vector<opsrun_op_input> InputsOf(const OpDef& def, const FindAttr& find) {
  std::vector<opsrun_op_input> inputs;
  for (const OpDef::ArgDef& arg : def.input_arg()) {
    const bool list = !arg.number_attr().empty() || !arg.type_list_attr().empty();
    const std::vector<int32_t> types = TypesOf(arg, find);
    for (const int32_t type : types) {
      inputs.push_back({Str(arg.name()), type, 0, nullptr, list ? OPSRUN_LIST_ELEMENT : 0, 0});
    }
    if (types.empty()) inputs.push_back({Str(arg.name()), 0, 0, nullptr, OPSRUN_LIST_EMPTY, 0});
  }
  return inputs;
}

tensorflow::NodeDef NodeOf(const std::string& serialized) {
  tensorflow::NodeDef node;
  if (!node.ParseFromString(serialized)) throw Failure(OPSRUN_INVALID_ARGUMENT, "this is not a NodeDef");
  return node;
}

opsrun_known_sizes Of(const Sizes& sizes) {
  if (!sizes) return {-1, 0, nullptr, nullptr};
  return {static_cast<int32_t>(sizes->size()), 0, sizes->data(), nullptr};
}

using Inputs = std::vector<std::pair<Sizes, Sizes>>;

// A size as in opsrun_known_sizes. The shape function may compute an element that is not a valid size.
int64_t NumberOf(const opsrun_size& size, const Inputs& inputs) {
  if (size.kind == OPSRUN_SIZE_UNKNOWN) return std::numeric_limits<int64_t>::min();
  if (size.kind == OPSRUN_SIZE_ELEMENT) return inputs[size.a].second->at(size.b);
  return size.kind != OPSRUN_SIZE_KNOWN || size.value >= 0 ? size.value : size.value - 1;
}

Sizes SizesOf(const opsrun_size_list& list, const opsrun_shapes_info& info, const Inputs& inputs) {
  if (list.rank < 0) return std::nullopt;
  Sizes sizes = std::vector<int64_t>();
  for (int32_t i = 0; i < list.rank; ++i) sizes->push_back(NumberOf(info.sizes[list.sizes[i]], inputs));
  return sizes;
}

// Values that Python provides.
class Values {
 public:
  // Null if the value is unknown, or of a type that opsrun does not have.
  const opsrun_array* Read(const py::object& serialized, int32_t dtype) {
    tensorflow::TensorProto proto;
    if (serialized.is_none() || !proto.ParseFromString(serialized.cast<std::string>())) return nullptr;
    tensorflow::Tensor& tensor = tensors_.emplace_back();
    return tensor.FromProto(proto) && tensor.dtype() == dtype ? arrays_.Add(tensor, dtype) : nullptr;
  }

 private:
  std::deque<tensorflow::Tensor> tensors_;
  Arrays arrays_;
};

OwnedGradient Differentiate(const Op& op, const std::string& text, const std::optional<std::vector<Sizes>>& shapes) {
  const py::gil_scoped_release release;
  std::vector<opsrun_known_sizes> known;
  if (shapes) {
    for (const Sizes& shape : *shapes) known.push_back(Of(shape));
  }
  const TypedOp typed = TypeNode(op, NodeOf(text));
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

TypedOp::TypedOp(const Op& op, const FindAttr& find)
    : op_(op), typed_(op.engine.TypeOp(op.name, InputsOf(op.def, find), AttrValues(op.def, find).all(), op.name)) {}

Kernel::Kernel(const TypedOp& op) : table_(op.op().engine.table()), n_in_(op.info().n_in), n_out_(op.info().n_out) {
  AddTypes(op.info().in_types, op.info().n_in);
  AddTypes(op.info().out_types, op.info().n_out);
  kernel_ = opsrun_adapter::MakeKernel(op.get(), op.op().name);
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel_.get());
  compute_ = info.compute;
  object_ = info.object;
}

void Kernel::AddTypes(const int32_t* types, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    const opsrun_dldtype* const dl = FindType(types[i]);
    if (dl == nullptr) {
      throw opsrun_adapter::Failure(OPSRUN_UNIMPLEMENTED,
                                    "tensors of type " +
                                        tensorflow::DataTypeString(static_cast<tensorflow::DataType>(types[i])) +
                                        " are not laid out in TensorFlow as in opsrun");
    }
    types_.push_back({types[i], *dl});
  }
}

opsrun_adapter::OwnedShapes InferShapes(const TypedOp& op, std::vector<opsrun_known_input>& inputs,
                                        const FindValue& find) {
  const std::string& name = op.op().name;
  opsrun_adapter::OwnedShapes shapes = opsrun_adapter::InferShapes(op.get(), inputs, name);
  const opsrun_shapes_info& info = *opsrun_shapes_get(shapes.get());
  bool more = false;
  for (uint32_t i = 0; i < info.n_wanted; ++i) {
    opsrun_known_input& input = inputs[info.wanted[i]];
    input.value = find(info.wanted[i], op.info().in_types[info.wanted[i]]);
    more |= input.value != nullptr;
  }
  return more ? opsrun_adapter::InferShapes(op.get(), inputs, name) : std::move(shapes);
}

std::vector<std::pair<Sizes, Sizes>> InferOutputs(const Op& op, const std::string& node_def,
                                                  const std::vector<std::pair<Sizes, Sizes>>& inputs,
                                                  const py::function& value_of) {
  const TypedOp typed = TypeNode(op, NodeOf(node_def));
  std::vector<opsrun_known_input> known;
  for (const auto& [shape, elements] : inputs) known.push_back({Of(shape), nullptr, Of(elements)});
  Values values;
  const opsrun_adapter::OwnedShapes shapes =
      InferShapes(typed, known, [&](uint32_t input, int32_t dtype) { return values.Read(value_of(input), dtype); });
  const opsrun_shapes_info& info = *opsrun_shapes_get(shapes.get());
  std::vector<std::pair<Sizes, Sizes>> outputs;
  for (uint32_t i = 0; i < info.n_outputs; ++i) {
    outputs.emplace_back(SizesOf(info.outputs[i], info, inputs), SizesOf(info.as_shape[i], info, inputs));
  }
  return outputs;
}

py::tuple GradientOf(const Op& op, const std::string& node_def, const std::optional<std::vector<Sizes>>& shapes) {
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
