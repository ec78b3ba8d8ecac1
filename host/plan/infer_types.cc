// host/plan/infer_types.cc: assigns values to arguments, and infers attrs and types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/plan/match_node.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;
using spec::InferError;

// The values for one argument.
struct Given {
  bool present = false;
  bool known = true;  // false: depends on something that has an error
  bool list = false;
  std::vector<uint32_t> values;
  std::vector<const Reference*> from;  // the reference to each value
};

class TypeInference {
 public:
  TypeInference(Planning& p, NodeWork& work) : p_(p), work_(work), node_(*work.node), op_(work.op->def) {}

  bool Run() {
    if (IsAsBefore()) return true;
    given_.resize(op_.inputs.size());
    const size_t errors_before = p_.diagnostics.all().size();
    if (WorksOnVariables()) return false;
    TakeInputs();
    std::map<std::string, spec::AttrValue> attrs = ConvertAttrs(node_, op_, p_.reporter, &bad_attrs_);
    if (HasNoTensors(op_.inputs, "input", attrs) || HasNoTensors(op_.outputs, "output", attrs)) return false;
    std::vector<InferError> errors;
    std::shared_ptr<const spec::Signature> signature = p_.signatures.Infer(op_, Types(), std::move(attrs), &errors);
    for (const InferError& error : errors) Report(error);
    if (p_.diagnostics.all().size() != errors_before || !AllKnown()) return false;
    work_.signature = std::move(signature);
    std::vector<uint32_t> inputs;
    for (const Given& given : given_) inputs.insert(inputs.end(), given.values.begin(), given.values.end());
    work_.inputs = p_.plan.Keep(inputs);
    const bool has_list = std::ranges::any_of(op_.inputs, &ArgDef::is_list);
    if (node_.attrs.empty() && !has_list) p_.plain_signatures[work_.op] = work_.signature;
    return true;
  }

 private:
  using Kind = InferError::Kind;

  // Most nodes have no attrs, single tensors by position, and the types of the last such node of their op.
  bool IsAsBefore() {
    if (p_.graph.compiled != nullptr || !node_.attrs.empty() || node_.inputs.size() != op_.inputs.size()) return false;
    const auto known = p_.plain_signatures.find(work_.op);
    if (known == p_.plain_signatures.end()) return false;
    const std::span<uint32_t> inputs = p_.plan.NewList(node_.inputs.size());
    uint32_t target = p_.nodes[work_.index].first_target;
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const uint32_t value = PlainValue(node_.inputs[i], p_.targets[target++]);
      if (value == PlanValue::kNone || p_.plan.values[value].dtype != known->second->in_types[i]) return false;
      inputs[i] = value;
    }
    work_.inputs = inputs;
    work_.signature = known->second;
    return true;
  }

  // kNone for others.
  uint32_t PlainValue(const NodeInput& input, const NameTarget& target) const {
    const bool plain = !input.list && input.from.size() == 1 && input.arg.value.empty() &&
                       input.from[0].output.empty() && input.from[0].index < 0;
    if (!plain || target.kind == NameTarget::Kind::kNothing) return PlanValue::kNone;
    if (target.kind == NameTarget::Kind::kFeed) return p_.feed_values[target.index];
    const NodeState& node = p_.nodes[target.index];
    const bool has_one =
        node.signature != nullptr && node.signature->out_args.size() == 1 && !node.signature->out_args[0].list;
    return has_one ? node.first_value : PlanValue::kNone;
  }

  bool WorksOnVariables() {
    for (const std::vector<ArgDef>* args : {&op_.inputs, &op_.outputs}) {
      const auto ref = std::find_if(args->begin(), args->end(), [](const ArgDef& arg) { return arg.is_ref; });
      if (ref == args->end()) continue;
      p_.Refuse("G219", fmt::format("op '{}' works on a variable ('{}' is a Ref)", op_.name, ref->name), node_.op.span,
                "graphs have no variables: use an op that takes and returns plain tensors");
      return true;
    }
    return false;
  }

  // Checks the types that the op and the node state: all other types come from existing tensors.
  bool HasNoTensors(const std::vector<ArgDef>& args, const char* what,
                    const std::map<std::string, spec::AttrValue>& attrs) {
    for (const ArgDef& arg : args) {
      const std::string& attr = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
      const std::vector<DType> types = attr.empty() ? std::vector{arg.dtype} : StatedTypes(*op_.FindAttr(attr), attrs);
      const auto none =
          std::find_if(types.begin(), types.end(), [](DType type) { return IsDType(type) && ElementBytes(type) == 0; });
      if (none == types.end()) continue;
      const NodeAttr* const written = node_.FindAttr(attr);
      p_.Refuse("G222",
                fmt::format("{} '{}' of op '{}' is {}, but {}", what, arg.name, op_.name, DTypeName(*none),
                            NoTensorsText(*none)),
                written != nullptr ? written->value.span : node_.op.span,
                written != nullptr ? "use another data type" : "use an op for another data type");
      return true;
    }
    return false;
  }

  // Without types that the op does not allow, which are reported separately.
  std::vector<DType> StatedTypes(const spec::AttrDef& attr, const std::map<std::string, spec::AttrValue>& attrs) const {
    const auto given = attrs.find(attr.name);
    const spec::AttrValue* const value = given != attrs.end()             ? &given->second
                                         : attr.default_value.has_value() ? &*attr.default_value
                                                                          : nullptr;
    if (value == nullptr) return {};
    std::vector<DType> types = value->Types();
    std::erase_if(types, [&](DType type) {
      const std::vector<DType>& allowed = attr.allowed_types;
      return !allowed.empty() && std::find(allowed.begin(), allowed.end(), type) == allowed.end();
    });
    return types;
  }

  void TakeInputs() {
    for (const MatchedInput& each : MatchInputs(node_, op_, p_.reporter)) {
      Take(*each.input, each.as_list, given_[each.arg]);
    }
    for (Given& given : given_) given.known = given.known && given.present;
  }

  void Take(const NodeInput& input, bool as_list, Given& given) {
    given.present = true;
    given.list = given.list || input.list || as_list;
    if (p_.graph.compiled != nullptr) return TakeCompiled(input, given);
    uint32_t target = FirstTarget(input);
    for (const Reference& reference : input.from) {
      bool list = false;
      const std::optional<std::vector<uint32_t>> values = FindValues(p_, reference, p_.targets[target++], &list);
      given.list = given.list || list;
      if (values) {
        given.values.insert(given.values.end(), values->begin(), values->end());
        given.from.resize(given.values.size(), &reference);
      } else {
        given.known = false;
      }
    }
  }

  uint32_t FirstTarget(const NodeInput& input) const {
    size_t target = p_.nodes[work_.index].first_target;
    for (const NodeInput* each = node_.inputs.data(); each != &input; ++each) target += each->from.size();
    return static_cast<uint32_t>(target);
  }

  // Requires: the node has as many inputs as its kind.
  void TakeCompiled(const NodeInput& input, Given& given) {
    const size_t count = input.from.size();
    const auto values = work_.compiled_inputs.subspan(taken_, count);
    given.values.insert(given.values.end(), values.begin(), values.end());
    if (count > 0) given.from.resize(given.values.size(), &input.from.front());
    taken_ += count;
  }

  std::vector<std::optional<spec::InputTypes>> Types() const {
    std::vector<std::optional<spec::InputTypes>> types;
    for (const Given& given : given_) {
      if (!given.known) {
        types.emplace_back();
        continue;
      }
      spec::InputTypes of_arg{given.list, {}};
      for (uint32_t value : given.values) of_arg.types.push_back(p_.plan.values[value].dtype);
      types.emplace_back(std::move(of_arg));
    }
    return types;
  }

  bool AllKnown() const {
    return std::all_of(given_.begin(), given_.end(), [](const Given& given) { return given.known; });
  }

  static bool BlamesInput(const InferError& error) { return error.subject.substr(0, 6) == "input:"; }

  // The location of a blamed input, else of the input that determined the attr, else of the attr.
  Span PlaceOf(const InferError& error) const {
    const bool by_input = !BlamesInput(error) && !error.inferred_from.empty();
    std::string subject = by_input ? "input:" + error.inferred_from : error.subject;
    if (error.input_index >= 0) subject += fmt::format(".{}", error.input_index);
    return BlamedSpan(node_, op_.inputs, subject);
  }

  void Report(const InferError& error) {
    const std::string attr = error.subject.substr(0, 5) == "attr:" ? error.subject.substr(5) : "";
    if (std::find(bad_attrs_.begin(), bad_attrs_.end(), attr) != bad_attrs_.end()) return;
    if (error.kind == Kind::kInconsistentAttr && !attr.empty()) bad_attrs_.push_back(attr);  // once for all inputs
    Diagnostic& diagnostic = p_.Error(InferCode(error), error.message, PlaceOf(error));
    if (error.kind == Kind::kMissingAttr) diagnostic.help.push_back(MissingAttrHelp(*op_.FindAttr(attr)));
    if (error.kind == Kind::kListExpected)
      diagnostic.help.push_back("write a list, such as [a, b], or the name of a list output");
    if (error.kind == Kind::kSingleExpected)
      diagnostic.help.push_back("pass one tensor, such as an element of a list output: NODE.OUTPUT.INDEX");
    if (diagnostic.code == "G214") SuggestAllowed(error, attr, diagnostic);
    if (diagnostic.code == "G215" || error.length) AddOrigins(error, attr, diagnostic);
  }

  // For a value that is not allowed. The message lists the allowed ones.
  void SuggestAllowed(const InferError& error, const std::string& attr, Diagnostic& diagnostic) const {
    const NodeAttr* written = node_.FindAttr(attr);
    if (error.kind != Kind::kNotAllowed || written == nullptr) return;
    const std::vector<std::string> words = AllowedWords(*op_.FindAttr(attr));
    if (!NearNames(written->value.text, words).empty()) SuggestName(diagnostic, written->value.text, words, "");
  }

  // Adds the origins of inputs that disagree with each other or with an attr.
  void AddOrigins(const InferError& error, const std::string& attr, Diagnostic& diagnostic) const {
    const std::string blamed = BlamesInput(error) ? error.subject.substr(6) : "";
    if (!blamed.empty() && !error.inferred_from.empty()) {
      diagnostic.also.push_back({BlamedSpan(node_, op_.inputs, "input:" + error.inferred_from), "the first type"});
    }
    if (const NodeAttr* written = node_.FindAttr(attr)) diagnostic.also.push_back({written->value.span, "set here"});
    if (error.length) return;
    std::vector<ReachingValues> inputs;
    for (size_t i = 0; i < given_.size(); ++i) {
      const std::string& name = op_.inputs[i].name;
      if (name == blamed || name == error.inferred_from) inputs.push_back({name, given_[i].values, given_[i].from});
    }
    AddTypeOrigins(p_, inputs, diagnostic);
  }

  Planning& p_;
  NodeWork& work_;
  const Node& node_;
  const spec::OpDef& op_;
  std::vector<Given> given_;
  std::vector<std::string> bad_attrs_;
  size_t taken_ = 0;  // of a compiled node's inputs
};

}  // namespace

bool InferTypes(Planning& p, NodeWork& work) {
  return TypeInference(p, work).Run();
}

std::optional<TypedNode> TypeNode(const PlanInputs& inputs, Diagnostics& diagnostics) {
  Plan plan(inputs.graph);
  Planning p(inputs, diagnostics, plan);
  PlanFeeds(p);
  PlanOrder(p);
  if (diagnostics.has_errors()) return std::nullopt;
  NodeWork work;
  work.node = &p.graph.nodes.front();
  work.op = FindOp(p, *work.node);
  if (work.op == nullptr || !InferTypes(p, work)) return std::nullopt;
  return TypedNode{work.op, std::move(work.signature)};
}

}  // namespace opsrun::host
