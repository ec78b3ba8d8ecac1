// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/op_sample.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "host/gradient/gradient_flow.h"
#include "host/plan/attr_yaml.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;
using spec::AttrDef;
using spec::AttrValue;

constexpr size_t kMostTensors = 3, kMostElements = 5;

bool Allows(const AttrDef& attr, DType type) {
  const std::vector<DType>& allowed = attr.allowed_types;
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), type) != allowed.end();
}

class GraphDrawer {
 public:
  GraphDrawer(const RegisteredOp& op, DType type, Draws& draws) : op_(op), type_(type), draws_(draws) {}

  Graph Draw(std::shared_ptr<const SourceFile> source) {
    graph_.source = std::move(source);
    node_.name.value = op_.def.name;
    std::replace(node_.name.value.begin(), node_.name.value.end(), '>', '_');
    node_.op.value = fmt::format("{}.{}", op_.plugin->name, op_.def.name);
    for (const ArgDef& input : op_.def.inputs) AddInput(input);
    for (const AttrDef& attr : op_.def.attrs) AddAttr(attr);
    graph_.nodes.push_back(std::move(node_));
    return std::move(graph_);
  }

 private:
  template <typename T>
  const T& One(const std::vector<T>& of) {
    return of[draws_.Below(of.size())];
  }

  // The value of a type attr, shared by all arguments that use it.
  DType TypeOf(const std::string& name) {
    const auto [found, is_new] = types_.try_emplace(name, type_);
    const AttrDef& attr = *op_.def.FindAttr(name);
    if (is_new && !Allows(attr, type_)) found->second = One(attr.allowed_types);
    return found->second;
  }

  // The length of a list argument, shared by all arguments that use the same attr.
  size_t CountOf(const ArgDef& input) {
    const std::string& name = input.number_attr.empty() ? input.type_list_attr : input.number_attr;
    const auto [found, is_new] = counts_.try_emplace(name, 0);
    if (is_new) {
      const auto least = static_cast<size_t>(std::max<int64_t>(op_.def.FindAttr(name)->minimum.value_or(1), 1));
      found->second = least + draws_.Below(kMostTensors);
    }
    return found->second;
  }

  void AddInput(const ArgDef& input) {
    NodeInput& taken = node_.inputs.emplace_back();
    taken.arg.value = input.name;
    taken.list = input.is_list();
    const size_t count = input.is_list() ? CountOf(input) : 1;
    for (size_t i = 0; i < count; ++i) {
      Feed& feed = graph_.feeds.emplace_back();
      feed.name.value = input.is_list() ? fmt::format("{}_{}", input.name, i) : input.name;
      feed.dtype = {input.dtype != DType::kInvalid ? input.dtype : TypeOfInput(input), {}};
      taken.from.push_back({feed.name.value, {}, -1, {}});
    }
  }

  DType TypeOfInput(const ArgDef& input) {
    return TypeOf(input.type_attr.empty() ? input.type_list_attr : input.type_attr);
  }

  // Attrs that are inferred from inputs are left out.
  void AddAttr(const AttrDef& attr) {
    const std::string& name = attr.name;
    const auto uses = [&](const ArgDef& input) {
      return input.type_attr == name || input.type_list_attr == name || input.number_attr == name;
    };
    if (std::any_of(op_.def.inputs.begin(), op_.def.inputs.end(), uses)) return;
    if (attr.default_value && draws_.Coin()) return;
    if (std::optional<Value> value = AttrYaml(DrawValue(attr))) node_.attrs.push_back({{name, {}}, *std::move(value)});
  }

  AttrValue DrawValue(const AttrDef& attr) {
    AttrValue value;
    value.type = attr.type;
    size_t count = 1;
    if (attr.type.list) {
      const auto least = static_cast<size_t>(std::max<int64_t>(attr.minimum.value_or(0), 0));
      count = least + draws_.Below(kMostElements);
    }
    // Few combinations of attrs such as strides are valid: all equal, or those of an image, [1, 2, 2, 1].
    const bool equal = draws_.Coin();
    const bool image = attr.type.kind == OPSRUN_ATTR_INT && attr.type.list && draws_.Below(3) == 0;
    if (image) {
      const int64_t size = 1 + static_cast<int64_t>(draws_.Below(3));
      value.ints = {1, size, size, 1};
      return value;
    }
    for (size_t i = 0; i < count; ++i) {
      if (equal && i > 0) {
        Repeat(value);
      } else {
        DrawElement(attr, value);
      }
    }
    return value;
  }

  static void Repeat(AttrValue& value) {
    if (!value.ints.empty()) value.ints.push_back(value.ints[0]);
    if (!value.floats.empty()) value.floats.push_back(value.floats[0]);
    if (!value.strings.empty()) value.strings.push_back(value.strings[0]);
    if (!value.shapes.empty()) value.shapes.push_back(value.shapes[0]);
    if (!value.tensors.empty()) value.tensors.push_back(value.tensors[0]);
  }

  void DrawElement(const AttrDef& attr, AttrValue& value) {
    switch (attr.type.kind) {
      case OPSRUN_ATTR_INT:
        return value.ints.push_back(DrawInt(attr));
      case OPSRUN_ATTR_FLOAT:
        return value.floats.push_back(static_cast<double>(draws_.Below(9)) / 4 - 1);
      case OPSRUN_ATTR_BOOL:
        return value.ints.push_back(draws_.Coin() ? 1 : 0);
      case OPSRUN_ATTR_TYPE:
        return value.ints.push_back(DTypeNumber(TypeOf(attr.name)));
      case OPSRUN_ATTR_SHAPE:
        return value.shapes.push_back({true, {2}});
      case OPSRUN_ATTR_TENSOR:
        return value.tensors.push_back({DType::kFloat32, {}, std::string(sizeof(float), '\0'), {}});
      default:
        return value.strings.push_back(attr.allowed_strings.empty() ? "a" : One(attr.allowed_strings));
    }
  }

  // Small, since most ints are sizes, axes and counts.
  int64_t DrawInt(const AttrDef& attr) {
    if (attr.minimum && !attr.type.list) return *attr.minimum + static_cast<int64_t>(draws_.Below(4));
    static constexpr int64_t kInts[] = {1, 2, 0, 3, -1};
    return kInts[draws_.Below(std::size(kInts))];
  }

  const RegisteredOp& op_;
  const DType type_;
  Draws& draws_;
  Graph graph_;
  Node node_;
  std::map<std::string, DType> types_;
  std::map<std::string, size_t> counts_;
};

}  // namespace

uint64_t Draws::Below(uint64_t count) {
  return RandomBits(seed_, next_++) % count;
}

std::vector<DType> GradientTypes(const spec::OpDef& op) {
  std::vector<DType> types;
  for (const DType type : kAllDTypes) {
    const auto can_be = [&](const ArgDef& output) {
      const std::string& attr = output.type_attr.empty() ? output.type_list_attr : output.type_attr;
      return attr.empty() ? output.dtype == type : Allows(*op.FindAttr(attr), type);
    };
    if (HasGradient(type) && std::any_of(op.outputs.begin(), op.outputs.end(), can_be)) types.push_back(type);
  }
  const auto first_stored = std::stable_partition(types.begin(), types.end(), [](DType t) { return !IsFloat8(t); });
  if (first_stored != types.begin()) types.erase(first_stored, types.end());
  return types;
}

Graph DrawOpGraph(const RegisteredOp& op, DType type, std::shared_ptr<const SourceFile> source, Draws& draws) {
  return GraphDrawer(op, type, draws).Draw(std::move(source));
}

}  // namespace opsrun::host
