// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "host/base/display_text.h"

namespace opsrun::host::spec {
namespace {

// One entry per member of OpDef.
struct OpOffsets {
  std::vector<SpecOffsets> attrs, inputs, outputs;
};

void Add(std::optional<SpecError> error, std::vector<SpecError>* errors) {
  if (error) errors->push_back(*std::move(error));
}

void ParseAttrs(const OpStrings& strings, OpDef* op, OpOffsets* offsets, std::vector<SpecError>* errors) {
  op->attrs.reserve(strings.attrs.size());
  for (const std::string& spec : strings.attrs) {
    AttrDef& attr = op->attrs.emplace_back();
    std::optional<SpecError> error = ParseAttr(spec, &attr, &offsets->attrs.emplace_back(), strings.of_later_level);
    if (error) attr.type.kind = 0;  // do not also report the arguments that use it
    Add(std::move(error), errors);
  }
}

void ParseArgs(const std::vector<std::string>& specs, const std::string& what, const OpDef& op,
               std::vector<ArgDef>* args, std::vector<SpecOffsets>* offsets, std::vector<SpecError>* errors) {
  args->reserve(specs.size());
  for (const std::string& spec : specs) {
    ArgDef& arg = args->emplace_back();
    Add(ParseArg(spec, what, op.attrs, &arg, &offsets->emplace_back()), errors);
  }
}

// The minimum of an attr that is an argument's length or list of types is 1 unless the attr sets another.
void ApplyImplicitMinimum(const ArgDef& arg, std::vector<AttrDef>* attrs) {
  for (AttrDef& attr : *attrs) {
    const bool is_length = attr.name == arg.number_attr && attr.type == AttrType{OPSRUN_ATTR_INT, false};
    const bool is_types = attr.name == arg.type_list_attr;
    if ((is_length || is_types) && !attr.minimum) attr.minimum = 1;
  }
}

bool IsResource(const ArgDef& arg) {
  return arg.dtype == DType::kResource;
}

void ApplyArgs(const std::vector<ArgDef>& args, OpDef* op) {
  for (const ArgDef& arg : args) {
    if (arg.is_list()) ApplyImplicitMinimum(arg, &op->attrs);
  }
  if (std::any_of(args.begin(), args.end(), IsResource)) op->flags |= OPSRUN_OP_STATEFUL;
}

// By AttrFault::Kind.
constexpr const char* kKindOfFault[] = {"wrong_attr_kind", "ref_type_value", "not_a_type", "default_below_minimum",
                                        "default_not_allowed"};

// Functions that check a spec string record its first error and return false after it.
class Validator {
 public:
  Validator(const OpDef& op, std::vector<SpecError>* errors) : op_(op), errors_(*errors) {}

  // "MatMul", "Addons>Resampler". Names that begin with '_' are internal and are not checked.
  bool CheckOpName() {
    LookAt("op", op_.name);
    if (op_.name.starts_with('_')) return true;
    TextCursor cursor(op_.name);
    do {
      if (!IsUpper(cursor.Peek())) {
        return Refuse("op_name", cursor.offset(), "the name of an op must begin with a capital letter");
      }
      cursor.TakeName();
    } while (cursor.Take('>'));
    return cursor.AtEnd() ||
           Refuse("op_name", cursor.offset(),
                  fmt::format("{} is not allowed in the name of an op: use letters, digits and '_', and '>' after a "
                              "name space",
                              cursor.Found()));
  }

  bool CheckAttr(const std::string& spec, const AttrDef& attr, const SpecOffsets& offsets) {
    LookAt("Attr", spec);
    if (!CheckUnique(attr.name)) return false;
    if (TypeFromWord(attr.name)) {
      return Refuse("attr_named_like_type", 0,
                    fmt::format("an attr cannot have the name of a data type, '{}'", attr.name));
    }
    if (attr.type.list && attr.minimum.value_or(0) < 0) {
      return Refuse("list_minimum_negative", offsets.minimum, "the length of a list cannot be below 0");
    }
    if (!attr.default_value) return true;
    const std::optional<AttrFault> fault = CheckAttrValue(attr, *attr.default_value);
    return !fault || Refuse(kKindOfFault[static_cast<size_t>(fault->kind)], offsets.default_value,
                            "the default is refused: " + fault->message);
  }

  void CheckArgs(const char* what, const std::vector<std::string>& specs, const std::vector<ArgDef>& args,
                 const std::vector<SpecOffsets>& offsets) {
    for (size_t i = 0; i < args.size(); ++i) {
      LookAt(what, specs[i]);
      if (!CheckUnique(args[i].name) || !CheckCount(args[i], offsets[i])) continue;
      if (IsRefType(args[i].dtype)) Refuse("ref_type_value", offsets[i].type, "write a reference as Ref(TYPE)");
    }
  }

 private:
  void LookAt(const char* what, const std::string& spec) {
    what_ = what;
    spec_ = &spec;
  }

  bool Refuse(const char* kind, size_t offset, std::string message) {
    errors_.push_back({"validate", kind, what_, *spec_, offset, std::move(message)});
    return false;
  }

  bool CheckUnique(const std::string& name) {
    return names_.insert(name).second ||
           Refuse("duplicate_name", 0, fmt::format("the name '{}' is used twice in this op", name));
  }

  bool CheckCount(const ArgDef& arg, const SpecOffsets& offsets) {
    if (arg.number_attr.empty()) return true;
    const AttrDef* count = op_.FindAttr(arg.number_attr);
    if (count == nullptr) {
      return Refuse("no_length_attr", offsets.count,
                    fmt::format("there is no attr '{}' for the length", arg.number_attr));
    }
    if (count->type != AttrType{OPSRUN_ATTR_INT, false}) {
      return Refuse(
          "length_attr_not_int", offsets.count,
          fmt::format("a length is an int, but attr '{}' is of type {}", count->name, AttrTypeName(count->type)));
    }
    if (count->minimum.value_or(0) < 0) {
      return Refuse("length_minimum_negative", offsets.count,
                    fmt::format("a length cannot be below 0, but attr '{}' allows {}", count->name, *count->minimum));
    }
    return arg.type_list_attr.empty() ||
           Refuse("number_and_list", offsets.type,
                  fmt::format("'{}' is a list of types and has its own length", arg.type_list_attr));
  }

  const OpDef& op_;
  const char* what_ = "";  // the part being checked
  const std::string* spec_ = nullptr;
  std::unordered_set<std::string_view> names_;  // attrs, inputs and outputs share a namespace
  std::vector<SpecError>& errors_;
};

}  // namespace

std::vector<SpecError> ParseOp(const OpStrings& strings, OpDef* op) {
  *op = {};
  op->name = strings.name;
  op->flags = strings.flags;
  op->deprecated_version = strings.deprecated_version;
  op->deprecated_text = strings.deprecated_text;

  std::vector<SpecError> errors;
  OpOffsets offsets;
  ParseAttrs(strings, op, &offsets, &errors);
  ParseArgs(strings.inputs, "Input", *op, &op->inputs, &offsets.inputs, &errors);
  ParseArgs(strings.outputs, "Output", *op, &op->outputs, &offsets.outputs, &errors);
  for (const std::string& spec : strings.control_outputs) {
    Add(ParseControlOutput(spec, &op->control_outputs.emplace_back()), &errors);
  }
  if (!errors.empty()) return errors;

  if (!strings.batch.empty() || (op->flags & OPSRUN_OP_BROADCASTS) != 0) Add(ParseBatch(strings.batch, op), &errors);
  Add(ParseDoc(strings.doc, op), &errors);
  ApplyArgs(op->inputs, op);
  ApplyArgs(op->outputs, op);
  Validator validator(*op, &errors);
  validator.CheckOpName();
  for (size_t i = 0; i < op->attrs.size(); ++i) validator.CheckAttr(strings.attrs[i], op->attrs[i], offsets.attrs[i]);
  validator.CheckArgs("Input", strings.inputs, op->inputs, offsets.inputs);
  validator.CheckArgs("Output", strings.outputs, op->outputs, offsets.outputs);
  return errors;
}

// The documentation of an op.

namespace {

using Lines = std::vector<std::string_view>;

std::string_view WithoutTrailingBlanks(std::string_view line) {
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  return line;
}

Lines SplitLines(std::string_view text) {
  Lines lines;
  for (;;) {
    const size_t end = text.find('\n');
    lines.push_back(WithoutTrailingBlanks(text.substr(0, end)));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

// The name in a line "name: ..", or empty. *text: the text after the colon.
std::string_view ArgName(std::string_view line, std::string_view* text) {
  TextCursor cursor(line);
  std::string_view name = cursor.TakeName();
  cursor.SkipBlanks();
  if (name.empty() || !cursor.Take(':')) return {};
  cursor.SkipBlanks();
  *text = cursor.Rest();
  return name;
}

void DropBlankEnds(Lines* lines) {
  while (!lines->empty() && lines->back().empty()) lines->pop_back();
  auto first = std::find_if(lines->begin(), lines->end(), [](std::string_view line) { return !line.empty(); });
  lines->erase(lines->begin(), first);
}

std::string Join(const Lines& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

size_t Indent(std::string_view line) {
  return static_cast<size_t>(std::find_if(line.begin(), line.end(), [](char c) { return c != ' '; }) - line.begin());
}

// Removes the common indent of all lines but the first.
std::string JoinArgText(Lines lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  size_t common = std::string_view::npos;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i].empty()) common = std::min(common, Indent(lines[i]));
  }
  for (size_t i = 1; i < lines.size(); ++i) lines[i].remove_prefix(std::min(common, lines[i].size()));
  return Join(lines);
}

std::string* FindDoc(OpDef* op, std::string_view name) {
  if (ArgDef* input = FindNamed(op->inputs, name)) return &input->doc;
  if (ArgDef* output = FindNamed(op->outputs, name)) return &output->doc;
  AttrDef* const attr = FindNamed(op->attrs, name);
  return attr == nullptr ? nullptr : &attr->doc;
}

SpecError UnknownName(const std::string& doc, std::string_view name, const OpDef& op) {
  std::vector<std::string> names;
  for (const ArgDef& arg : op.inputs) names.push_back(arg.name);
  for (const ArgDef& arg : op.outputs) names.push_back(arg.name);
  for (const AttrDef& attr : op.attrs) names.push_back(attr.name);
  return {"parse",
          "doc_name",
          "Doc",
          doc,
          static_cast<size_t>(name.data() - doc.data()),
          "'" + std::string(name) + "' is not an input, output or attr of this op; " +
              DidYouMean(name, names, "inputs, outputs and attrs")};
}

}  // namespace

std::optional<SpecError> ParseDoc(const std::string& doc, OpDef* op) {
  const Lines lines = SplitLines(doc);
  size_t next = 0;
  std::string_view text;
  while (next < lines.size() && lines[next].empty()) ++next;
  if (next == lines.size()) return std::nullopt;
  op->summary = lines[next++];

  Lines description;
  while (next < lines.size() && ArgName(lines[next], &text).empty()) description.push_back(lines[next++]);
  DropBlankEnds(&description);
  op->description = Join(description);

  while (next < lines.size()) {
    const std::string_view name = ArgName(lines[next], &text);
    Lines about = {text};
    std::string_view ignored;
    for (++next; next < lines.size() && ArgName(lines[next], &ignored).empty(); ++next) about.push_back(lines[next]);
    std::string* target = FindDoc(op, name);
    if (target == nullptr) return UnknownName(doc, name, *op);
    *target = JoinArgText(std::move(about));
  }
  return std::nullopt;
}

}  // namespace opsrun::host::spec
