// host/testing/output_names.cc: see output_names.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/output_names.h"

#include <algorithm>
#include <optional>

namespace opsrun::host {
namespace {

using Outputs = std::vector<std::vector<OutputName>>;
using test::InputPart;
using test::NodePart;

// The types that an argument gets; *list: it is given a list.
std::vector<DType> TypesOf(const InputPart& part, const Outputs& earlier, bool* list) {
  std::vector<DType> types;
  *list = part.list;
  if (part.source == InputPart::Source::kHandle) return {DType::kResource};
  for (const test::Array& array : part.arrays) types.push_back(DTypeFromNumber(array.dtype));
  if (part.source != InputPart::Source::kNode || part.node >= earlier.size()) return types;
  for (const OutputName& output : earlier[part.node]) {
    if (!part.output.empty() && part.output != output.output) continue;
    types.push_back(output.dtype);
    *list = *list || output.index >= 0;
  }
  return types;
}

// An entry an argument. An op whose only input is a list takes all single tensors as that list.
std::vector<std::optional<spec::InputTypes>> InputTypesOf(const spec::OpDef& op, const NodePart& node,
                                                          const Outputs& earlier) {
  std::vector<std::optional<spec::InputTypes>> types;
  const bool one_list = op.inputs.size() == 1 && op.inputs[0].is_list() &&
                        std::none_of(node.inputs.begin(), node.inputs.end(), [](const InputPart& p) { return p.list; });
  if (one_list) types.emplace_back(spec::InputTypes{true, {}});
  for (const InputPart& part : node.inputs) {
    bool list = false;
    const std::vector<DType> given = TypesOf(part, earlier, &list);
    if (!one_list) types.emplace_back(spec::InputTypes{list, {}});
    types.back()->types.insert(types.back()->types.end(), given.begin(), given.end());
  }
  return types;
}

std::vector<OutputName> OutputsOf(const spec::OpDef& op, const NodePart& node, const Outputs& earlier) {
  const Result<std::map<std::string, spec::AttrValue>> attrs = ConvertAttrs(op, node.attrs);
  if (!attrs.ok()) return {};
  const spec::Inference inference = spec::InferAttrs(op, InputTypesOf(op, node, earlier), *attrs);
  if (!inference.ok()) return {};
  std::vector<OutputName> outputs;
  for (const spec::ArgRange& range : inference.signature.out_args) {
    for (uint32_t i = 0; i < range.count; ++i) {
      outputs.push_back({range.name, range.list ? int64_t{i} : -1, inference.signature.out_types[range.first + i]});
    }
  }
  return outputs;
}

}  // namespace

Outputs NameOutputs(const PluginSet& plugins, const std::vector<NodePart>& nodes) {
  Outputs outputs;
  for (const NodePart& node : nodes) {
    const RegisteredOp* const op = plugins.FindOp(node.op);
    outputs.push_back(op == nullptr ? std::vector<OutputName>() : OutputsOf(op->def, node, outputs));
  }
  return outputs;
}

}  // namespace opsrun::host
