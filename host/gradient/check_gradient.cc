// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_text.h"
#include "host/plan/build_plan.h"
#include "host/plan/match_node.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;
using spec::AttrDef;
using spec::AttrValue;

constexpr size_t kMostTensors = 3, kMostElements = 5;
constexpr int kMaxRank = 4, kDraws = 50, kAnyRank = -1;

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

class GradientChecker {
 public:
  GradientChecker(const RegisteredOp& op, const GradientOps& ops, const opsrun_host* host, Diagnostics& diagnostics)
      : op_(op), ops_(ops), host_(host), diagnostics_(diagnostics), text_(op), source_(text_.source()) {}

  void Check() {
    if ((op_.def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0) return RefuseBoth();
    std::vector<DType> types = GradientTypes(op_.def);
    if (types.empty()) return CheckText();
    for (const DType type : types) {
      for (int rank = kAnyRank; rank <= kMaxRank; ++rank) {
        CheckSample(type, rank);
        if (!diagnostics_.all().empty()) return;
      }
    }
    if (!sampled_) CheckText();
  }

 private:
  void RefuseBoth() {
    Diagnostic& error = diagnostics_.Error(
        "G302", fmt::format("op '{}' declares both a gradient and that it is not differentiable", op_.def.name));
    error.help = {"remove .Gradient(...) or .NotDifferentiable()"};
  }

  // For an op of which no node can be planned: checks only the text.
  void CheckText() {
    spec::Signature nothing;
    nothing.attrs.resize(op_.def.attrs.size());
    text_.For(nothing, diagnostics_);
  }

  std::unique_ptr<const Plan> MakePlan(std::shared_ptr<const Graph> graph, Resolution& resolution,
                                       Diagnostics& diagnostics) const {
    PlanInputs inputs;
    inputs.graph = std::move(graph);
    inputs.catalog = &ops_.catalog;
    inputs.loaded = &ops_.loaded;
    inputs.host = host_;
    inputs.resolution = &resolution;
    return BuildPlan(inputs, diagnostics);
  }

  // Checks a node with inputs of the given rank, if one can be planned.
  void CheckSample(DType type, int rank) {
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
      Draws draws(seed);
      auto graph = std::make_shared<Graph>(DrawOpGraph(op_, type, source_, draws));
      for (Feed& feed : graph->feeds) {
        if (rank != kAnyRank && HasGradient(feed.dtype->value)) feed.shape = {Shape(static_cast<size_t>(rank), -1), {}};
      }
      Resolution resolution;
      Diagnostics ignored;
      if (MakePlan(graph, resolution, ignored) == nullptr) continue;
      sampled_ = true;
      return Differentiated(*graph, resolution);
    }
  }

  void Differentiated(Graph graph, const Resolution& resolution) {
    GradientRequest request;
    const std::vector<std::string> names = ValueNames(resolution, graph);
    const ResolvedNode& node = resolution.nodes[0];
    for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) {
      if (!HasGradient(node.signature->out_types[i])) continue;
      request.of.push_back({ParseReference(names[node.first_output + i]), std::nullopt});
    }
    Diagnostics found;
    const std::optional<DeclaredGradient> declared = text_.For(*node.signature, found);
    if (!declared) return KeepErrors(found);
    for (const Feed& feed : graph.feeds) {
      if (HasGradient(feed.dtype->value) && !IsNull(*declared, feed.name.value)) {
        request.wrt.push_back({feed.name.value, {}, -1, {}});
      }
    }
    if (request.of.empty() || request.wrt.empty()) return;
    SeedOutputs(graph, resolution, request);
    Resolution seeded;
    Diagnostics ignored;
    if (MakePlan(std::make_shared<Graph>(graph), seeded, ignored) == nullptr) return;
    const std::optional<DerivedGradients> gradients =
        Differentiate(graph, seeded, request, ops_, GradientPlaces::kDeclared, found);
    KeepErrors(found);
    if (gradients) CheckPlanned(graph, request, *gradients);
  }

  // Adds feeds for the gradients of outputs, which may be complex or have an unknown shape.
  static void SeedOutputs(Graph& graph, const Resolution& resolution, GradientRequest& request) {
    for (size_t i = 0; i < request.of.size(); ++i) {
      Diagnostics ignored;
      const std::optional<uint32_t> value = FindValue(request.of[i].tensor, graph, resolution, ignored);
      const ResolvedValue& output = resolution.values[*value];
      Feed& feed = graph.feeds.emplace_back();
      feed.name.value = fmt::format("grad_of_output_{}", i);
      feed.dtype = {output.dtype, {}};
      if (output.shape.rank_known) {
        feed.shape = {Shape(), {}};
        for (const ResolvedDim& dim : output.shape.dims) feed.shape->value.push_back(dim.size);
      }
      request.of[i].gradient = Reference{feed.name.value, {}, -1, {}};
    }
  }

  void CheckPlanned(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients) {
    const auto both = std::make_shared<const Graph>(WithGradients(graph, request, gradients));
    Resolution resolution;
    Diagnostics found;
    const bool planned = MakePlan(both, resolution, found) != nullptr;
    KeepErrors(found);
    if (!planned) return;
    for (size_t i = 0; i < request.wrt.size(); ++i) {
      CheckShape(*both, resolution, request.wrt[i], gradients.NameOf(gradients.gradients[i]));
    }
  }

  void CheckShape(const Graph& graph, const Resolution& resolution, const Reference& input,
                  const std::string& gradient) {
    Diagnostics ignored;
    const auto shape_of = [&](const Reference& reference) -> const ResolvedShape& {
      return resolution.values[*FindValue(reference, graph, resolution, ignored)].shape;
    };
    const ResolvedShape& wanted = shape_of(input);
    const ResolvedShape& found = shape_of(ParseReference(gradient));
    if (MayBeEqual(wanted, found) || !diagnostics_.all().empty()) return;
    Diagnostic& error = diagnostics_.Error(
        "G304",
        fmt::format("this gradient of input '{}' has shape {}, but the input has shape {}", input.name,
                    ResolvedShapeText(found), ResolvedShapeText(wanted)),
        source_->path, OutputFor(*text_.For(*resolution.nodes[0].signature, ignored), input.name)->span);
    error.help = {"a gradient must have the data type and the shape of its input"};
  }

  // The declared output that is the gradient of the feed, or of the list that the feed belongs to.
  static const GradientOutput* OutputFor(const DeclaredGradient& declared, const std::string& feed) {
    const auto found = std::find_if(declared.outputs.begin(), declared.outputs.end(), [&](const GradientOutput& each) {
      return feed == each.input.value || feed.starts_with(each.input.value + "_");
    });
    return found == declared.outputs.end() ? nullptr : &*found;
  }

  static bool IsNull(const DeclaredGradient& declared, const std::string& feed) {
    const GradientOutput* const output = OutputFor(declared, feed);
    return output != nullptr && output->null;
  }

  void KeepErrors(const Diagnostics& found) {
    for (const Diagnostic& d : found.all()) {
      if (d.severity == Diagnostic::Severity::kError) diagnostics_.all().push_back(d);
    }
  }

  const RegisteredOp& op_;
  const GradientOps& ops_;
  const opsrun_host* const host_;
  Diagnostics& diagnostics_;
  const GradientText text_;
  const std::shared_ptr<const SourceFile> source_;
  bool sampled_ = false;
};

}  // namespace

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

void CheckGradient(const RegisteredOp& op, const GradientOps& ops, const opsrun_host* host, Diagnostics& diagnostics) {
  GradientChecker(op, ops, host, diagnostics).Check();
}

}  // namespace opsrun::host
