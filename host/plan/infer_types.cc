// host/plan/infer_types.cc: assigns values to arguments, and infers attrs and types.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/infer_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/base/diagnostic.h"
#include "host/base/near_names.h"
#include "host/plan/attr_yaml.h"
#include "host/plan/explain/attrs.h"
#include "host/plan/explain/origins.h"
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
  TypeInference(Planning& p, NodeWork& work)
      : p_(p), work_(work), node_(*work.node), op_(work.op->def), given_(op_.inputs.size()) {}

  bool Run() {
    const size_t errors_before = p_.diagnostics.all().size();
    if (WorksOnVariables()) return false;
    MatchInputs();
    const std::map<std::string, spec::AttrValue> attrs = ConvertAttrs();
    if (HasNoTensors(op_.inputs, "input", attrs) || HasNoTensors(op_.outputs, "output", attrs)) return false;
    spec::Inference inference = spec::InferAttrs(op_, Types(), attrs);
    for (const InferError& error : inference.errors) Report(error);
    if (p_.diagnostics.all().size() != errors_before || !AllKnown()) return false;
    work_.signature = std::move(inference.signature);
    for (const Given& given : given_) work_.inputs.insert(work_.inputs.end(), given.values.begin(), given.values.end());
    return true;
  }

 private:
  using Kind = InferError::Kind;

  bool WorksOnVariables() {
    for (const std::vector<ArgDef>* args : {&op_.inputs, &op_.outputs}) {
      const auto ref = std::find_if(args->begin(), args->end(), [](const ArgDef& arg) { return arg.is_ref; });
      if (ref == args->end()) continue;
      p_.Error("G219", fmt::format("op '{}' works on a variable ('{}' is a Ref)", op_.name, ref->name), node_.op.span)
          .help.push_back("graphs have no variables: use an op that takes and returns plain tensors");
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
      p_.Error("G222",
               fmt::format("{} '{}' of op '{}' is {}, but {}", what, arg.name, op_.name, DTypeName(*none),
                           NoTensorsText(*none)),
               written != nullptr ? written->value.span : node_.op.span)
          .help.push_back(written != nullptr ? "use another data type" : "use an op for another data type");
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

  // Matches `in` by position or by name. A single list argument takes all inputs by position.
  void MatchInputs() {
    const bool one_list =
        op_.inputs.size() == 1 && op_.inputs[0].is_list() &&
        std::none_of(node_.inputs.begin(), node_.inputs.end(), [](const NodeInput& i) { return i.list; });
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const NodeInput& input = node_.inputs[i];
      const bool by_position = input.arg.value.empty();
      const int arg = by_position ? (one_list ? 0 : static_cast<int>(i)) : FindArg(input);
      if (by_position && static_cast<size_t>(arg) >= op_.inputs.size()) {
        ReportTooMany(input);
        return;
      }
      if (arg >= 0) Take(input, one_list && by_position, given_[arg]);
    }
    ReportMissing();
  }

  std::vector<std::string> ArgNames() const {
    std::vector<std::string> names;
    for (const ArgDef& arg : op_.inputs) names.push_back(arg.name);
    return names;
  }

  int FindArg(const NodeInput& input) {
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      if (op_.inputs[i].name == input.arg.value) return static_cast<int>(i);
    }
    unknown_name_ = true;
    Diagnostic& error =
        p_.Error("G210", fmt::format("op '{}' has no input '{}'", op_.name, input.arg.value), input.arg.span);
    if (op_.FindAttr(input.arg.value) != nullptr) {
      error.help.push_back(fmt::format("'{}' is an attr: write it under 'attrs'", input.arg.value));
    } else {
      SuggestName(error, input.arg.value, ArgNames(), "inputs");
    }
    return -1;
  }

  void Take(const NodeInput& input, bool as_list, Given& given) {
    given.present = true;
    given.list = given.list || input.list || as_list;
    for (const Reference& reference : input.from) {
      bool list = false;
      const std::optional<std::vector<uint32_t>> values = FindValues(p_, reference, &list);
      given.list = given.list || list;
      if (values) {
        given.values.insert(given.values.end(), values->begin(), values->end());
        given.from.resize(given.values.size(), &reference);
      } else {
        given.known = false;
      }
    }
  }

  void ReportTooMany(const NodeInput& extra) {
    const std::vector<std::string> names = ArgNames();
    p_.Error("G211",
             fmt::format("op '{}' has {} {}, but this node gives {}", op_.name, names.size(),
                         names.size() == 1 ? "input" : "inputs", node_.inputs.size()),
             extra.span, "one too many")
        .help.push_back(names.empty() ? "remove 'in'" : fmt::format("inputs: {}", fmt::join(names, ", ")));
  }

  // Reports nothing after an unknown name, which is probably the missing one, misspelled.
  void ReportMissing() {
    std::vector<std::string> missing;
    for (size_t i = 0; i < given_.size(); ++i) {
      if (given_[i].present) continue;
      given_[i].known = false;
      missing.push_back(op_.inputs[i].name);
    }
    if (missing.empty() || unknown_name_) return;
    const Span where = node_.inputs.empty() ? node_.op.span : node_.inputs_span;
    p_.Error("G211",
             fmt::format("{} '{}' of op '{}' {} missing", missing.size() == 1 ? "input" : "inputs",
                         fmt::join(missing, "', '"), op_.name, missing.size() == 1 ? "is" : "are"),
             where)
        .help.push_back(fmt::format("inputs: {}", fmt::join(ArgNames(), ", ")));
  }

  std::map<std::string, spec::AttrValue> ConvertAttrs() {
    std::map<std::string, spec::AttrValue> attrs;
    for (const NodeAttr& given : node_.attrs) {
      const spec::AttrDef* attr = op_.FindAttr(given.name.value);
      if (attr == nullptr) {
        ReportUnknownAttr(given);
        continue;
      }
      AttrMistake mistake;
      std::optional<spec::AttrValue> value = AttrFromValue(*attr, given.value, &mistake);
      if (value) {
        attrs.emplace(attr->name, *std::move(value));
      } else {
        bad_attrs_.push_back(attr->name);
        Diagnostic& error = p_.Error("G214", std::move(mistake.message), mistake.where);
        if (!mistake.help.empty()) error.help.push_back(std::move(mistake.help));
      }
    }
    return attrs;
  }

  void ReportUnknownAttr(const NodeAttr& given) {
    Diagnostic& error =
        p_.Error("G212", fmt::format("op '{}' has no attr '{}'", op_.name, given.name.value), given.name.span);
    const std::vector<std::string> inputs = ArgNames();
    if (std::find(inputs.begin(), inputs.end(), given.name.value) != inputs.end()) {
      error.help.push_back(fmt::format("'{}' is an input: write it under 'in'", given.name.value));
      return;
    }
    std::vector<std::string> names;
    for (const spec::AttrDef& attr : op_.attrs) names.push_back(attr.name);
    SuggestName(error, given.name.value, names, "attrs");
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
  bool unknown_name_ = false;
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
