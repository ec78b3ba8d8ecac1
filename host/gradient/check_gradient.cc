// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_flow.h"
#include "host/gradient/gradient_text.h"
#include "host/gradient/op_sample.h"
#include "host/plan/build_plan.h"

namespace opsrun::host {
namespace {

constexpr int kMaxRank = 4, kDraws = 50;
constexpr int kAnyRank = -1;

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
      CheckShape(*both, resolution, request.wrt[i], gradients.gradients[i]);
    }
  }

  void CheckShape(const Graph& graph, const Resolution& resolution, const Reference& input,
                  const DerivedTensor& gradient) {
    Diagnostics ignored;
    const auto shape_of = [&](const Reference& reference) -> const ResolvedShape& {
      return resolution.values[*FindValue(reference, graph, resolution, ignored)].shape;
    };
    const ResolvedShape& wanted = shape_of(input);
    const ResolvedShape& found = shape_of(ParseReference(gradient.name));
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

void CheckGradient(const RegisteredOp& op, const GradientOps& ops, const opsrun_host* host, Diagnostics& diagnostics) {
  GradientChecker(op, ops, host, diagnostics).Check();
}

}  // namespace opsrun::host
