// adapters/onnxruntime/native/op.cc
// SPDX-License-Identifier: Apache-2.0
#include "op.h"

#include <algorithm>
#include <climits>
#include <set>

#include "call.h"

namespace opsrun_onnx {
namespace {

using opsrun_adapter::Text;

std::vector<Argument> ArgumentsOf(const opsrun_op_info& info, const opsrun_op_arg* args, uint32_t n) {
  std::vector<Argument> arguments;
  for (uint32_t i = 0; i < n; ++i) {
    const opsrun_op_arg& arg = args[i];
    arguments.push_back({Text(arg.name), Text(arg.type_attr), Text(arg.number_attr), Text(arg.type_list_attr),
                         arg.dtype, arg.list != 0, 1});
    Argument& argument = arguments.back();
    if (!argument.list) continue;
    argument.least = 0;
    for (uint32_t k = 0; k < info.n_attrs; ++k) {
      const bool its = Text(info.attrs[k].name) == argument.length_attr();
      if (its && info.attrs[k].has_minimum != 0) argument.least = info.attrs[k].minimum;
    }
    argument.least = std::clamp<int64_t>(argument.least, 0, 1);
  }
  return arguments;
}

std::string WhyNot(const char* what, const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    if (argument.dtype == OPSRUN_DT_INVALID || FindType(argument.dtype) != nullptr) continue;
    return std::string("it has no tensors of the type of ") + what + " '" + argument.name + "'";
  }
  return "";
}

// Arguments that can be told apart by their position: a list only at the end.
bool IsPlain(const std::vector<Argument>& arguments) {
  return std::all_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
    return argument.has_one_type() && (!argument.list || &argument == &arguments.back());
  });
}

// The type attrs that ONNX Runtime can match with the types of inputs.
std::set<std::string> MatchedAttrs(const OpSpec& spec) {
  std::set<std::string> matched;
  for (const Argument& input : spec.inputs) {
    if (input.list && !(IsPlain(spec.inputs) && &input == &spec.inputs.back())) break;
    if (!input.type_attr.empty()) matched.insert(input.type_attr);
  }
  return matched;
}

// One variadic formal of any types for arguments from `first` on.
Formal RestOf(const std::vector<Argument>& arguments, size_t first) {
  Formal rest{ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, true, 0};
  for (size_t i = first; i < arguments.size(); ++i) rest.least += static_cast<int>(arguments[i].least);
  return rest;
}

// The formals up to the first list; the rest is one variadic formal, of one type if it is that list alone.
std::vector<Formal> FormalsOf(const std::vector<Argument>& arguments, const Types& types) {
  std::vector<Formal> formals;
  for (const Argument& argument : arguments) {
    if (argument.list) formals.push_back(RestOf(arguments, formals.size()));
    if (argument.list && &argument != &arguments.back()) break;
    if (!argument.list) formals.push_back({ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, false, 1});
    const auto found = types.find(argument.type_attr);
    const DataType* const fixed = FindType(argument.dtype);
    if (fixed != nullptr) formals.back().type = fixed->onnx;
    if (found != types.end()) formals.back().type = found->second;
  }
  return formals;
}

OrtCustomOpInputOutputCharacteristic KindOf(const Formal& formal) {
  return formal.variadic ? INPUT_OUTPUT_VARIADIC : INPUT_OUTPUT_REQUIRED;
}

// Whether all tensors of the variadic formal, the last one, have one type.
int IsUniform(const std::vector<Formal>& formals) {
  return formals.back().type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED ? 1 : 0;
}

// Calls add for each combination of types of the attrs.
template <typename Fn>
void ForEachType(const std::vector<std::string>& attrs, size_t i, Types* types, const Fn& add) {
  if (i == attrs.size()) return add(*types);
  for (const DataType& type : AllTypes()) {
    (*types)[attrs[i]] = type.onnx;
    ForEachType(attrs, i + 1, types, add);
  }
}

// The number of tensors in each argument. One list may be as long as the tensors that are left; the lengths of others
// are attrs.
std::vector<size_t> CountEach(const OpSpec& spec, const Node& node, size_t n) {
  std::vector<size_t> counts;
  const size_t kOpen = SIZE_MAX;
  size_t left = n, open = SIZE_MAX;
  for (const Argument& input : spec.inputs) {
    size_t count = 1;
    if (input.list) {
      const std::optional<Attribute> given = node.Find(input.length_attr());
      count = !given                      ? kOpen
              : given->form == Form::kInt ? static_cast<size_t>(std::max<int64_t>(0, given->ints[0]))
                                          : given->ints.size();
    }
    if (count == kOpen && open != SIZE_MAX) {
      throw Failure(OPSRUN_INVALID_ARGUMENT, "there are several lists; set the attr of all but one, such as '" +
                                                 input.length_attr() + "', in the node");
    }
    if (count == kOpen) open = counts.size();
    counts.push_back(count == kOpen ? 0 : count);
    if (counts.back() > left) {
      throw Failure(OPSRUN_INVALID_ARGUMENT, "the node has only " + std::to_string(n) + " inputs");
    }
    left -= counts.back();
  }
  if (open != SIZE_MAX) {
    counts[open] = left;
  } else if (left > 0) {
    throw Failure(OPSRUN_INVALID_ARGUMENT,
                  "the node has " + std::to_string(n) + " inputs, expected " + std::to_string(n - left));
  }
  return counts;
}

std::vector<opsrun_op_input> InputsOf(const OpSpec& spec, const std::vector<size_t>& counts,
                                      const std::vector<const DataType*>& types) {
  std::vector<opsrun_op_input> inputs;
  for (size_t i = 0, next = 0; i < counts.size(); ++i) {
    opsrun_op_input input{};
    input.arg = opsrun_adapter::Str(spec.inputs[i].name);
    input.list = !spec.inputs[i].list ? 0 : counts[i] == 0 ? OPSRUN_LIST_EMPTY : OPSRUN_LIST_ELEMENT;
    if (counts[i] == 0) inputs.push_back(input);
    for (size_t k = 0; k < counts[i]; ++k) {
      input.dtype = types[next++]->opsrun;
      inputs.push_back(input);
    }
  }
  return inputs;
}

}  // namespace

OpSpec::OpSpec(const opsrun_op_info& info)
    : plugin(Text(info.plugin)),
      name(Text(info.name)),
      full_name(plugin + "." + name),
      inputs(ArgumentsOf(info, info.inputs, info.n_inputs)),
      outputs(ArgumentsOf(info, info.outputs, info.n_outputs)) {
  for (uint32_t i = 0; i < info.n_attrs; ++i) {
    attrs.push_back({Text(info.attrs[i].name), Text(info.attrs[i].type), info.attrs[i].has_default != 0});
  }
}

std::string OpSpec::why_not() const {
  std::string why = WhyNot("input", inputs);
  if (why.empty()) why = WhyNot("output", outputs);
  if (why.empty() && outputs.empty()) why = "a node must have an output";
  for (const AttrSpec& attr : attrs) {
    if (why.empty() && !attr.has_default && !AttrValues::FormOf(attr.kind())) {
      why = "a node cannot set attr '" + attr.name + "', a " + attr.type;
    }
  }
  return why.empty() ? why : "op " + full_name + " is not available in ONNX Runtime: " + why;
}

NodeOp TypeNode(const OpSpec& spec, const Node& node, const std::vector<const DataType*>& types, const Runtime& runtime,
                const std::string& what) {
  std::vector<opsrun_op_input> inputs;
  AttrValues attrs(runtime);
  std::string hidden;
  Named(what, [&] {
    inputs = InputsOf(spec, CountEach(spec, node, types.size()), types);
    for (const AttrSpec& attr : spec.attrs) {
      const std::optional<Attribute> found = node.Find(attr.name);
      if (found && !attrs.Add(attr.name, attr.kind(), *found)) hidden = attr.name;
    }
  });
  return {TheEngine().TypeOp(spec.full_name, inputs, attrs.all(), what), hidden};
}

CustomOp::CustomOp(const Runtime& runtime, const OpSpec& spec, std::vector<Formal> inputs, std::vector<Formal> outputs)
    : OrtCustomOp{}, runtime_(runtime), spec_(spec), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  using Op = const OrtCustomOp*;
  version = kApiVersion;
  GetName = [](Op op) { return Of(op).spec_.name.c_str(); };
  GetExecutionProviderType = [](Op) -> const char* { return nullptr; };
  GetInputTypeCount = [](Op op) { return Of(op).inputs_.size(); };
  GetOutputTypeCount = [](Op op) { return Of(op).outputs_.size(); };
  GetInputType = [](Op op, size_t i) { return Of(op).inputs_[i].type; };
  GetOutputType = [](Op op, size_t i) { return Of(op).outputs_[i].type; };
  GetInputCharacteristic = [](Op op, size_t i) { return KindOf(Of(op).inputs_[i]); };
  GetOutputCharacteristic = [](Op op, size_t i) { return KindOf(Of(op).outputs_[i]); };
  GetInputMemoryType = [](Op, size_t) { return OrtMemTypeDefault; };
  GetVariadicInputMinArity = [](Op op) { return Of(op).inputs_.back().least; };
  GetVariadicOutputMinArity = [](Op op) { return Of(op).outputs_.back().least; };
  GetVariadicInputHomogeneity = [](Op op) { return IsUniform(Of(op).inputs_); };
  GetVariadicOutputHomogeneity = [](Op op) { return IsUniform(Of(op).outputs_); };
  GetStartVersion = [](Op) { return 1; };
  GetEndVersion = [](Op) { return INT_MAX; };
  CreateKernelV2 = [](Op op, const OrtApi* table, const OrtKernelInfo* info, void** kernel) {
    return Guarded(*table, [&] { *kernel = new Kernel(Of(op).runtime_, Of(op).spec_, info); });
  };
  KernelComputeV2 = [](void* kernel, OrtKernelContext* context) {
    const Kernel& its = *static_cast<const Kernel*>(kernel);
    return Guarded(its.api(), [&] { Call(its, context).Run(); });
  };
  KernelDestroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
  InferOutputShapeFn = [](Op op, OrtShapeInferContext* context) {
    return Guarded(Of(op).api(), [&] { InferShapes(Of(op), context); });
  };
}

uint32_t CustomOp::least_outputs() const {
  int least = 0;
  for (const Formal& output : outputs_) least += output.least;
  return static_cast<uint32_t>(least);
}

void AddCustomOps(const Runtime& runtime, const OpSpec& spec, std::deque<CustomOp>* ops) {
  const std::set<std::string> matched = MatchedAttrs(spec);
  std::set<std::string> varying;
  bool typed = IsPlain(spec.outputs);
  for (const Argument& output : spec.outputs) {
    if (output.dtype != OPSRUN_DT_INVALID || !output.has_one_type()) continue;
    varying.insert(output.type_attr);
    typed = typed && matched.count(output.type_attr) != 0;
  }
  if (!typed || varying.size() > 2) {  // two attrs give 324 custom operators
    const std::vector<Formal> inputs = {RestOf(spec.inputs, 0)}, outputs = {RestOf(spec.outputs, 0)};
    ops->emplace_back(runtime, spec, inputs, outputs);
    return;
  }
  Types types;
  ForEachType({varying.begin(), varying.end()}, 0, &types, [&](const Types& chosen) {
    ops->emplace_back(runtime, spec, FormalsOf(spec.inputs, chosen), FormalsOf(spec.outputs, chosen));
  });
}

}  // namespace opsrun_onnx
