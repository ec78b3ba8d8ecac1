// host/plugin/read_shape_rule.cc: parses shapes such as "[x.0, ceil(x.1 / k), 2 * (x.-1 + k)]".
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/plugin/ops_file.h"
#include "host/spec/parse_op.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;
using spec::AttrDef;

constexpr int kMaxDepth = 20;
constexpr size_t kMaxSizeText = 1000;
constexpr int64_t kMaxIndex = std::numeric_limits<uint32_t>::max();
constexpr char kRuleHelp[] =
    "write shape: {NAME: INPUT} for an equal shape, or {NAME: [SIZE, ..]} with sizes such as 3, x.0, x.-1, k, "
    "2 * x.0 + 1, ceil(x.0 / k), 'min(x.0, k)', and -1 for any size";

// Reads one size: terms with + and -, of factors with * and /.
class SizeReader {
 public:
  SizeReader(std::string_view text, const spec::OpDef& op) : cursor_(text), op_(op) {}

  bool Read(ShapeRule::Size* size) {
    size_ = size;
    if (!ReadSum(0)) return false;
    return cursor_.AtEnd() || cursor_.RefuseUnexpected("an operator +, -, * or /, or the end");
  }

  size_t offset() const { return cursor_.offset(); }
  const std::string& problem() const { return cursor_.problem(); }

 private:
  void Push(const ShapeRule::Step& step) { size_->push_back(step); }

  bool ReadSum(int depth) {
    if (!ReadProduct(depth)) return false;
    for (;;) {
      const bool plus = cursor_.Take('+');
      if (!plus && !cursor_.Take('-')) return true;
      if (!ReadProduct(depth)) return false;
      Push(ShapeRule::Operator{plus ? OPSRUN_DIM_ADD : OPSRUN_DIM_SUB});
    }
  }

  bool ReadProduct(int depth) {
    if (!ReadFactor(depth)) return false;
    for (;;) {
      const bool times = cursor_.Take('*');
      if (!times && !cursor_.Take('/')) return true;
      if (!ReadFactor(depth)) return false;
      Push(ShapeRule::Operator{times ? OPSRUN_DIM_MUL : OPSRUN_DIM_FLOORDIV});
    }
  }

  // Skips blanks on both sides.
  bool ReadFactor(int depth) {
    cursor_.SkipBlanks();
    bool ok = true;
    if (cursor_.Take('(')) {
      if (depth == kMaxDepth) return RefuseDepth();
      ok = ReadSum(depth + 1) && TakeEnd();
    } else if (IsDigit(cursor_.Peek())) {
      ShapeRule::Number number;
      ok = ReadDigits(&number.value);
      if (ok) Push(number);
    } else {
      ok = ReadName(depth);
    }
    cursor_.SkipBlanks();
    return ok;
  }

  bool RefuseDepth() { return cursor_.Refuse("these parentheses are nested too deep"); }
  bool TakeEnd() { return cursor_.Take(')') || cursor_.RefuseUnexpected("')'"); }

  // A function's operands, after its '('.
  bool ReadExtreme(uint32_t op, int depth) {
    if (!ReadSum(depth)) return false;
    if (cursor_.AtEnd()) return cursor_.Refuse("expected ',', found the end; in a list, put sizes with ',' in quotes");
    if (!cursor_.Take(',')) return cursor_.RefuseUnexpected("','");
    if (!ReadSum(depth) || !TakeEnd()) return false;
    Push(ShapeRule::Operator{op});
    return true;
  }
  bool ReadCeil(int depth) {
    if (!ReadFactor(depth)) return false;
    while (cursor_.Take('*')) {
      if (!ReadFactor(depth)) return false;
      Push(ShapeRule::Operator{OPSRUN_DIM_MUL});
    }
    if (!cursor_.Take('/')) return cursor_.RefuseUnexpected("the '/' of the division that is rounded up");
    if (!ReadFactor(depth) || !TakeEnd()) return false;
    Push(ShapeRule::Operator{ShapeRule::kCeilDiv});
    return true;
  }

  bool ReadName(int depth) {
    const size_t begin = cursor_.offset();
    const std::string_view name = cursor_.TakeName();
    const bool is_extreme = name == "min" || name == "max";
    if ((is_extreme || name == "ceil") && cursor_.Take('(')) {
      if (depth == kMaxDepth) return RefuseDepth();
      if (!is_extreme) return ReadCeil(depth + 1);
      return ReadExtreme(name == "min" ? OPSRUN_DIM_MIN : OPSRUN_DIM_MAX, depth + 1);
    }
    if (name.empty()) return cursor_.RefuseUnexpected("a size: a number, INPUT.AXIS or an attr");
    if (const ArgDef* input = spec::FindNamed(op_.inputs, name)) return ReadDim(*input);
    if (const AttrDef* attr = op_.FindAttr(name)) return ReadAttr(*attr, begin);
    std::vector<std::string> names = spec::NamesOf(op_.inputs);
    for (const AttrDef& attr : op_.attrs) names.push_back(attr.name);
    return cursor_.RefuseAt(begin, fmt::format("op '{}' has no input or attr '{}'; {}", op_.name, name,
                                               DidYouMean(name, names, "inputs and attrs")));
  }

  bool ReadDim(const ArgDef& input) {
    ShapeRule::DimOfInput dim;
    dim.arg = static_cast<uint32_t>(&input - op_.inputs.data());
    if (input.is_list() && !ReadIndex(&dim.element)) return false;
    if (!cursor_.Take('.')) return cursor_.RefuseUnexpected("'.' and the number of a dimension");
    const bool from_end = cursor_.Take('-');
    if (!ReadDigits(&dim.axis)) return false;
    if (dim.axis >= OPSRUN_MAX_RANK)
      return cursor_.Refuse(fmt::format("a tensor has at most {} dimensions", OPSRUN_MAX_RANK));
    if (from_end) dim.axis = -dim.axis;
    Push(dim);
    return true;
  }

  bool ReadAttr(const AttrDef& attr, size_t begin) {
    if (attr.type.kind != OPSRUN_ATTR_INT) {
      return cursor_.RefuseAt(begin, fmt::format("attr '{}' is {}, but a size is int, or an element of list(int)",
                                                 attr.name, spec::AttrTypeName(attr.type)));
    }
    ShapeRule::Attr step{static_cast<uint32_t>(op_.IndexOf(attr)), std::nullopt};
    if (attr.type.list && !ReadIndex(&step.element.emplace())) return false;
    Push(step);
    return true;
  }

  bool ReadIndex(uint32_t* index) {
    if (!cursor_.Take('.')) return cursor_.RefuseUnexpected("'.' and the number of an element of this list");
    int64_t value = 0;
    if (!ReadDigits(&value)) return false;
    *index = static_cast<uint32_t>(std::min(value, kMaxIndex));  // the node reports that its list is shorter
    return true;
  }

  bool ReadDigits(int64_t* value) {
    const std::string_view digits = cursor_.TakeWhile([](char c) { return IsDigit(c); });
    if (digits.empty()) return cursor_.RefuseUnexpected("a whole number");
    const std::optional<int64_t> number = ParseInteger<int64_t>(digits);
    if (number) *value = *number;
    return number.has_value() || cursor_.Refuse("this number is too large");
  }

  spec::TextCursor cursor_;
  const spec::OpDef& op_;
  ShapeRule::Size* size_ = nullptr;
};

class RuleReader {
 public:
  RuleReader(const spec::OpDef& op, Reporter& reporter) : op_(op), reporter_(reporter) {}

  bool Read(const Value::Entry& entry, std::vector<ShapeRule::ArgShape>* inputs,
            std::vector<ShapeRule::ArgShape>* outputs) {
    if (const ArgDef* const arg = spec::FindNamed(op_.inputs, entry.key))
      return ReadShape(entry.value, *arg, op_.inputs, &inputs->emplace_back());
    if (const ArgDef* const arg = spec::FindNamed(op_.outputs, entry.key))
      return ReadShape(entry.value, *arg, op_.outputs, &outputs->emplace_back());
    std::vector<std::string> names = spec::NamesOf(op_.outputs);
    for (const ArgDef& input : op_.inputs) names.push_back(input.name);
    Diagnostic& error = reporter_.Error("P109", entry.key_span,
                                        fmt::format("op '{}' has no output or input {}", op_.name, Quote(entry.key)));
    SuggestName(error, entry.key, names, "outputs and inputs");
    return false;
  }

 private:
  bool Refuse(const Span& where, std::string message) {
    return reporter_.Refuse("P109", where, std::move(message), kRuleHelp);
  }

  bool ReadShape(const Value& rule, const ArgDef& arg, const std::vector<ArgDef>& args, ShapeRule::ArgShape* to) {
    to->arg = static_cast<uint32_t>(&arg - args.data());
    if (rule.kind == Value::Kind::kScalar) return ReadInput(rule, arg, to);
    if (rule.kind != Value::Kind::kList) {
      return Refuse(rule.span, fmt::format("the shape of '{}' must be a list or an input, found {}", arg.name,
                                           FoundWithKind(rule)));
    }
    if (rule.items.size() > OPSRUN_MAX_RANK)
      return Refuse(rule.span, fmt::format("a tensor has at most {} dimensions", OPSRUN_MAX_RANK));
    bool ok = true;
    for (const Value& size : rule.items) ok = ReadSize(size, &to->sizes.emplace_back()) && ok;
    return ok;
  }

  bool ReadInput(const Value& rule, const ArgDef& arg, ShapeRule::ArgShape* to) {
    const ArgDef* const input = spec::FindNamed(op_.inputs, rule.text);
    if (input == nullptr) {
      Diagnostic& error =
          reporter_.Error("P109", rule.span, fmt::format("op '{}' has no input {}", op_.name, Quote(rule.text)));
      SuggestName(error, rule.text, spec::NamesOf(op_.inputs), "inputs");
      return false;
    }
    const bool alike =
        input->number_attr == arg.number_attr && (!input->is_list() || input->type_list_attr == arg.type_list_attr);
    if (input->is_list() && !alike) {
      return Refuse(rule.span,
                    fmt::format("'{}' is a list, and not known to be as long as '{}'", input->name, arg.name));
    }
    to->like = static_cast<uint32_t>(input - op_.inputs.data());
    return true;
  }

  bool ReadSize(const Value& value, ShapeRule::Size* size) {
    if (value.kind != Value::Kind::kScalar)
      return Refuse(value.span, fmt::format("a size must be a number or a text, found {}", FoundWithKind(value)));
    if (value.text == "-1") {
      size->push_back(ShapeRule::Number{-1});
      return true;
    }
    if (value.text.size() > kMaxSizeText)
      return Refuse(value.span, fmt::format("this size is longer than {} characters", kMaxSizeText));
    SizeReader reader(value.text, op_);
    if (reader.Read(size)) return true;
    Span where = value.span;
    // In quotes, an escape may move what follows.
    if (!value.quoted) where.begin.column += static_cast<uint32_t>(std::min(reader.offset(), value.text.size() - 1));
    return Refuse(where, reader.problem());
  }

  const spec::OpDef& op_;
  Reporter& reporter_;
};

}  // namespace

std::shared_ptr<const ShapeRule> ShapeRule::Read(const Value& rules, const spec::OpDef& op, Reporter& reporter) {
  if (rules.kind != Value::Kind::kMap) {
    reporter.Refuse("P109", rules.span, fmt::format("'shape' must be a map, found {}", FoundWithKind(rules)),
                    kRuleHelp);
    return nullptr;
  }
  const auto rule = std::make_shared<ShapeRule>();
  bool ok = true;
  for (const Value::Entry& entry : rules.entries)
    ok = RuleReader(op, reporter).Read(entry, &rule->inputs_, &rule->outputs_) && ok;
  return ok ? rule : nullptr;
}

}  // namespace opsrun::host
