// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/differentiate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

#include "host/gradient/gradient_text.h"

namespace opsrun::host {
namespace {

class Differentiator {
 public:
  Differentiator(const Graph& graph, const Resolution& resolution, const GradientRequest& request,
                 const GradientOps& ops, GradientPlaces places, Diagnostics& diagnostics)
      : graph_(graph),
        resolution_(resolution),
        request_(request),
        ops_(ops),
        places_(places),
        diagnostics_(diagnostics),
        filled_(FilledFeeds(graph, request)),
        derived_(graph, resolution, filled_),
        own_(graph, resolution, ops, derived_, diagnostics),
        contributions_(resolution.values.size()),
        uses_(resolution.values.size()) {
    forward_.gradient = [this](size_t i) {
      return GradientOfOutput(resolution_.nodes[forward_.index].first_output + static_cast<uint32_t>(i));
    };
  }

  std::optional<DerivedGradients> Run() {
    const size_t errors_before = CountErrors();
    if (!FindRequested() || !CheckFilledFeeds(graph_, resolution_, filled_, of_, wrt_, diagnostics_))
      return std::nullopt;
    const GradientFlow flow = FindFlow(graph_, resolution_, of_, wrt_);
    CountUses(flow);
    for (size_t i = 0; i < of_.size(); ++i) Begin(of_[i], request_.of[i]);
    for (const uint32_t node : flow.nodes) Visit(node, flow);
    std::vector<DerivedTensor> gradients;
    for (size_t i = 0; i < wrt_.size(); ++i) {
      if (const auto gradient = Result(wrt_[i], CountErrors() == errors_before)) gradients.push_back(*gradient);
    }
    if (CountErrors() != errors_before) return std::nullopt;
    return DerivedGradients{derived_.Take(), std::move(gradients), std::move(of_inputs_), filled_};
  }

 private:
  size_t CountErrors() const {
    const std::vector<Diagnostic>& all = diagnostics_.all();
    return static_cast<size_t>(std::count_if(
        all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::kError; }));
  }

  Diagnostic& Error(Code code, std::string message, Span where) {
    return diagnostics_.Error(code, std::move(message), graph_.source->path, where);
  }

  bool FindRequested() {
    for (const GradientOf& of : request_.of) Find(of.tensor, of_);
    for (const Reference& wrt : request_.wrt) Find(wrt, wrt_);
    return of_.size() == request_.of.size() && wrt_.size() == request_.wrt.size();
  }

  void Find(const Reference& reference, std::vector<uint32_t>& values) {
    const std::optional<uint32_t> value = FindValue(reference, graph_, resolution_, diagnostics_);
    if (!value) return;
    const DType dtype = resolution_.values[*value].dtype;
    if (HasGradient(dtype)) return values.push_back(*value);
    Error("G306", fmt::format("'{}' is {}, which has no gradient", derived_.NameOf(*value), DTypeName(dtype)),
          own_.PlaceOf(*value))
        .help.push_back("gradients exist for floating-point and complex numbers");
  }

  // Counts how many gradients may reach each value.
  void CountUses(const GradientFlow& flow) {
    for (const uint32_t value : of_) ++uses_[value];
    for (const uint32_t node : flow.nodes) {
      for (const uint32_t input : resolution_.nodes[node].inputs) ++uses_[input];
    }
  }

  // Sets the initial gradient of an output that is differentiated.
  void Begin(uint32_t value, const GradientOf& of) {
    const std::string& name = derived_.NameOf(value);
    const DType dtype = resolution_.values[value].dtype;
    if (!of.gradient) {
      if (IsComplex(dtype)) {
        Error("G306", fmt::format("'{}' is complex, so it needs an initial gradient", name), own_.PlaceOf(value))
            .help.push_back(fmt::format("pass one: --of {}=TENSOR", name));
        return;
      }
      return Contribute(value, own_.Filled(value, 1, GradientName(name)));
    }
    const std::optional<uint32_t> given = FindValue(*of.gradient, graph_, resolution_, diagnostics_);
    if (!given) return;
    const ResolvedValue &differentiated = resolution_.values[value], &gradient = resolution_.values[*given];
    const bool same_type = differentiated.dtype == gradient.dtype;
    if (same_type && MayBeEqual(differentiated.shape, gradient.shape)) {
      return Contribute(value, derived_.ValueOf(*given));
    }
    const auto text = [same_type](const ResolvedValue& of) {
      return same_type ? ResolvedShapeText(of.shape) : DTypeName(of.dtype);
    };
    Error("G306",
          fmt::format("'{}' is {}, but its given gradient '{}' is {}", name, text(differentiated),
                      derived_.NameOf(*given), text(gradient)),
          own_.PlaceOf(*given))
        .help.push_back("a gradient must have the data type and the shape of its tensor");
  }

  void Contribute(uint32_t value, std::optional<DerivedTensor> gradient) {
    if (gradient) contributions_[value].push_back(*std::move(gradient));
  }

  // The sum of all gradients that reach the value. Requires: there is at least one.
  std::optional<DerivedTensor> Total(uint32_t value) {
    std::vector<DerivedTensor>& parts = contributions_[value];
    if (parts.size() > 1) {
      const std::optional<DerivedTensor> sum = own_.Sum(value, parts, GradientName(derived_.NameOf(value)));
      if (!sum) return std::nullopt;
      parts = {*sum};
    }
    return parts[0];
  }

  bool Reached(const ResolvedNode& node) const {
    for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) {
      if (!contributions_[node.first_output + i].empty()) return true;
    }
    return false;
  }

  void Visit(uint32_t index, const GradientFlow& flow) {
    const Node& node = graph_.nodes[index];
    const ResolvedNode& resolved = resolution_.nodes[index];
    if (!Reached(resolved)) return;
    const std::string* const given = GivenGradient(request_, node, *resolved.op);
    if (resolved.op->gradient.empty() && given == nullptr) return ReportNone(node, *resolved.op);
    found_.all().clear();
    if (NodeGradient* const gradient = given == nullptr ? Declared(index) : Given(node, resolved, *given))
      AddGradients(index, *gradient, flow);
    found_.DropRepeated();
    if (!found_.has_errors()) return;
    if (given != nullptr) return ReportInvalidGiven(node, found_);
    ReportInvalid(node, *resolved.op, found_);
  }

  // The gradient that the node's op declares; null after an error.
  NodeGradient* Declared(uint32_t index) {
    const ResolvedNode& node = resolution_.nodes[index];
    NodeGradient*& known = declared_[{node.op, derived_.KindOf(index)}];
    if (known != nullptr) return known;
    std::unique_ptr<GradientText>& text = texts_[node.op];
    if (text == nullptr) text = std::make_unique<GradientText>(*node.op);
    return known = Read(*text, node);
  }

  NodeGradient* Given(const Node& node, const ResolvedNode& resolved, const std::string& given) {
    return Read(GradientText(*resolved.op, "gradient of node " + node.name.value, given), resolved);
  }

  NodeGradient* Read(const GradientText& text, const ResolvedNode& node) {
    std::optional<DeclaredGradient> declared = text.For(*node.signature, found_);
    if (!declared) return nullptr;
    const auto gradient =
        std::make_shared<NodeGradient>(*std::move(declared), *node.op, node.signature, ops_, derived_, found_);
    derived_.Keep(gradient);
    return gradient.get();
  }

  void AddGradients(uint32_t index, NodeGradient& gradient, const GradientFlow& flow) {
    const Node& node = graph_.nodes[index];
    const ResolvedNode& resolved = resolution_.nodes[index];
    forward_.name = node.name.value;
    forward_.index = index;
    forward_.inputs.clear();
    forward_.outputs.clear();
    for (const uint32_t input : resolved.inputs) forward_.inputs.push_back(derived_.ValueOf(input));
    for (uint32_t i = 0; i < resolved.signature->out_types.size(); ++i) {
      forward_.outputs.push_back(derived_.ValueOf(resolved.first_output + i));
    }
    if (places_ == GradientPlaces::kGraph) forward_.place = &node.name.span;
    gradient.Begin(forward_);
    for (uint32_t i = 0; i < resolved.inputs.size(); ++i) {
      const uint32_t input = resolved.inputs[i];
      if (!flow.values[input]) continue;
      std::string wish = GradientName(derived_.NameOf(input));
      if (uses_[input] > 1) wish += "_via_" + node.name.value;
      const std::optional<DerivedTensor> part = gradient.OfInput(i, wish);
      if (part) of_inputs_.push_back({index, i, input, *part});
      Contribute(input, part);
    }
  }

  // The gradient of an output; zeros if nothing differentiated depends on it.
  std::optional<DerivedTensor> GradientOfOutput(uint32_t value) {
    if (!contributions_[value].empty()) return Total(value);
    if (!HasGradient(resolution_.values[value].dtype)) return std::nullopt;
    return own_.Filled(value, 0, "zeros_like_" + GradientName(derived_.NameOf(value)).substr(5));
  }

  void ReportNone(const Node& node, const RegisteredOp& op) {
    Error("G301", fmt::format("op '{}' of node '{}' declares no gradient", op.def.name, node.name.value), node.op.span)
        .help = {
        fmt::format("the author of plugin '{}' can declare one with .Gradient(...) or .NotDifferentiable(); "
                    "'stop_gradient: true' on the node treats it as a constant",
                    op.plugin->name)};
  }

  // Reports once per op: all its nodes have the same error.
  void ReportInvalid(const Node& node, const RegisteredOp& op, const Diagnostics& found) {
    if (!reported_.insert(&op).second) return;
    if (places_ == GradientPlaces::kDeclared) {
      for (const Diagnostic& d : found.all()) diagnostics_.all().push_back(d);
      return;
    }
    Diagnostic& error = Error("G302",
                              fmt::format("op '{}' of node '{}' declares an invalid gradient: {}", op.def.name,
                                          node.name.value, found.all()[0].message),
                              node.op.span);
    for (const Diagnostic& d : found.all()) {
      error.notes.push_back(fmt::format("{}:{}:{}: {}", d.file, d.where.begin.line, d.where.begin.column, d.message));
    }
    error.help = {InvalidGradientHelp(op)};
  }

  void ReportInvalidGiven(const Node& node, const Diagnostics& found) {
    Diagnostic& error = Error(
        "G302",
        fmt::format("the gradient provided for node '{}' is invalid: {}", node.name.value, found.all()[0].message),
        node.op.span);
    for (const Diagnostic& d : found.all()) error.notes.push_back(d.message);
  }

  std::optional<DerivedTensor> Result(uint32_t value, bool warn) {
    if (!contributions_[value].empty()) return Total(value);
    if (!warn) return std::nullopt;
    const std::string& name = derived_.NameOf(value);
    Diagnostic& warning = diagnostics_.Warning(
        "G307", fmt::format("no differentiated tensor depends on '{}': its gradient is zero", name));
    warning.file = graph_.source->path;
    warning.where = own_.PlaceOf(value);
    warning.help = {"--list shows where gradients flow, and where they stop"};
    return own_.Filled(value, 0, GradientName(name));
  }

  const Graph& graph_;
  const Resolution& resolution_;
  const GradientRequest& request_;
  const GradientOps& ops_;
  const GradientPlaces places_;
  Diagnostics& diagnostics_;
  const std::map<std::string, size_t> filled_;
  DerivedGraph derived_;
  OwnNodes own_;
  std::vector<uint32_t> of_, wrt_;
  std::vector<std::vector<DerivedTensor>> contributions_;  // by value
  std::vector<uint32_t> uses_;                             // by value
  std::map<const RegisteredOp*, std::unique_ptr<GradientText>> texts_;
  std::map<std::pair<const RegisteredOp*, uint32_t>, NodeGradient*> declared_;  // by op and KindOf
  ForwardNode forward_;                                                         // the node that is being visited
  Diagnostics found_;                                                           // in the gradient of that node
  std::vector<InputGradient> of_inputs_;
  std::unordered_set<const RegisteredOp*> reported_;
};

}  // namespace

const std::string* GivenGradient(const GradientRequest& request, const Node& node, const RegisteredOp& op) {
  const auto given = request.given.find(node.name.value);
  return given == request.given.end() || !op.gradient.empty() ? nullptr : &given->second;
}

std::string InvalidGradientHelp(const RegisteredOp& op) {
  return fmt::format("'opsrun explain {}' shows its gradient; the author of plugin '{}' can correct it", op.def.name,
                     op.plugin->name);
}

std::optional<DerivedGradients> Differentiate(const Graph& graph, const Resolution& resolution,
                                              const GradientRequest& request, const GradientOps& ops,
                                              GradientPlaces places, Diagnostics& diagnostics) {
  return Differentiator(graph, resolution, request, ops, places, diagnostics).Run();
}

std::string GradientName(const std::string& tensor) {
  std::string name = std::string(kGradientPrefix) + tensor;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace opsrun::host
