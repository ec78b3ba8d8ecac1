// host/spec/parse_op.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "host/spec/check_attr.h"
#include "host/spec/parse_arg.h"
#include "host/spec/parse_attr.h"
#include "host/spec/parse_doc.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {
namespace {

void Add(std::optional<SpecError> error, std::vector<SpecError>* errors) {
  if (error) errors->push_back(*std::move(error));
}

void ParseAttrs(const OpStrings& strings, OpDef* op, OpPlaces* places, std::vector<SpecError>* errors) {
  op->attrs.reserve(strings.attrs.size());
  for (const std::string& spec : strings.attrs) {
    AttrDef& attr = op->attrs.emplace_back();
    std::optional<SpecError> error = ParseAttr(spec, &attr, &places->attrs.emplace_back());
    if (error) attr.type.kind = 0;  // do not also report the arguments that use it
    Add(std::move(error), errors);
  }
}

void ParseArgs(const std::vector<std::string>& specs, const std::string& what, const OpDef& op,
               std::vector<ArgDef>* args, std::vector<ArgPlaces>* places, std::vector<SpecError>* errors) {
  args->reserve(specs.size());
  for (const std::string& spec : specs) {
    ArgDef& arg = args->emplace_back();
    Add(ParseArg(spec, what, op.attrs, &arg, &places->emplace_back()), errors);
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

}  // namespace

std::vector<SpecError> ParseOp(const OpStrings& strings, OpDef* op) {
  *op = {};
  op->name = strings.name;
  op->flags = strings.flags;
  op->deprecated_version = strings.deprecated_version;
  op->deprecated_text = strings.deprecated_text;

  std::vector<SpecError> errors;
  OpPlaces places;
  ParseAttrs(strings, op, &places, &errors);
  ParseArgs(strings.inputs, "Input", *op, &op->inputs, &places.inputs, &errors);
  ParseArgs(strings.outputs, "Output", *op, &op->outputs, &places.outputs, &errors);
  for (const std::string& spec : strings.control_outputs) {
    Add(ParseControlOutput(spec, &op->control_outputs.emplace_back()), &errors);
  }
  if (!errors.empty()) return errors;

  Add(ParseDoc(strings.doc, op), &errors);
  ApplyArgs(op->inputs, op);
  ApplyArgs(op->outputs, op);
  std::vector<SpecError> found = ValidateOp(strings, *op, places);
  errors.insert(errors.end(), found.begin(), found.end());
  return errors;
}

namespace {

using Kind = SpecError::Kind;
using Stage = SpecError::Stage;

Kind KindOf(AttrFault::Kind fault) {
  switch (fault) {
    case AttrFault::Kind::kBelowMinimum:
      return Kind::kDefaultBelowMinimum;
    case AttrFault::Kind::kNotAllowed:
      return Kind::kDefaultNotAllowed;
    case AttrFault::Kind::kRefTypeValue:
      return Kind::kRefTypeValue;
    case AttrFault::Kind::kNotAType:
      return Kind::kNotAType;
    case AttrFault::Kind::kWrongAttrKind:
      break;
  }
  return Kind::kWrongAttrKind;
}

// Functions that check a spec string record its first error and return false after it.
class Validator {
 public:
  explicit Validator(const OpDef& op) : op_(op) {}

  // "MatMul", "Addons>Resampler". Names that begin with '_' are internal and are not checked.
  bool CheckOpName() {
    LookAt("op", op_.name);
    if (op_.name.starts_with('_')) return true;
    TextCursor cursor(op_.name);
    do {
      if (!IsUpper(cursor.Peek())) {
        return Refuse(Kind::kOpName, cursor.offset(), "an op's name begins with a capital letter");
      }
      cursor.TakeName();
    } while (cursor.Take('>'));
    return cursor.AtEnd() ||
           Refuse(
               Kind::kOpName, cursor.offset(),
               fmt::format("{} is nothing that an op's name may hold: it is letters, digits and '_', and '>' between "
                           "a name space and a name",
                           cursor.Found()));
  }

  bool CheckAttr(const std::string& spec, const AttrDef& attr, const AttrPlaces& places) {
    LookAt("Attr", spec);
    if (!CheckUnique(attr.name)) return false;
    if (TypeFromWord(attr.name)) {
      return Refuse(Kind::kAttrNamedLikeType, 0,
                    fmt::format("an attr cannot have the name of a data type, '{}'", attr.name));
    }
    if (attr.type.list && attr.minimum.value_or(0) < 0) {
      return Refuse(Kind::kListMinimumNegative, places.minimum, "the length of a list is never below 0");
    }
    if (!attr.default_value) return true;
    const std::optional<AttrFault> fault = CheckAttrValue(attr, *attr.default_value);
    return !fault || Refuse(KindOf(fault->kind), places.default_value, "the default is refused: " + fault->message);
  }

  bool CheckArg(const char* what, const std::string& spec, const ArgDef& arg, const ArgPlaces& places) {
    LookAt(what, spec);
    if (!CheckUnique(arg.name) || !CheckCount(arg, places)) return false;
    return !IsRefType(arg.dtype) || Refuse(Kind::kRefTypeValue, places.type, "a reference is written Ref(TYPE)");
  }

  std::vector<SpecError> errors() && { return std::move(errors_); }

 private:
  void LookAt(const char* what, const std::string& spec) {
    what_ = what;
    spec_ = &spec;
  }

  bool Refuse(Kind kind, size_t offset, std::string message) {
    errors_.push_back({Stage::kValidate, kind, what_, *spec_, offset, std::move(message)});
    return false;
  }

  bool CheckUnique(const std::string& name) {
    return names_.insert(name).second ||
           Refuse(Kind::kDuplicateName, 0, fmt::format("the name '{}' is used twice in this op", name));
  }

  bool CheckCount(const ArgDef& arg, const ArgPlaces& places) {
    if (arg.number_attr.empty()) return true;
    const AttrDef* count = op_.FindAttr(arg.number_attr);
    if (count == nullptr) {
      return Refuse(Kind::kNoLengthAttr, places.count,
                    fmt::format("there is no attr '{}' for the length", arg.number_attr));
    }
    if (count->type != AttrType{OPSRUN_ATTR_INT, false}) {
      return Refuse(
          Kind::kLengthAttrNotInt, places.count,
          fmt::format("a length is an int, but attr '{}' is of type {}", count->name, AttrTypeName(count->type)));
    }
    if (count->minimum.value_or(0) < 0) {
      return Refuse(Kind::kLengthMinimumNegative, places.count,
                    fmt::format("a length is never below 0, but attr '{}' allows {}", count->name, *count->minimum));
    }
    return arg.type_list_attr.empty() ||
           Refuse(Kind::kNumberAndList, places.type,
                  fmt::format("'{}' is a list of types and has its own length", arg.type_list_attr));
  }

  const OpDef& op_;
  const char* what_ = "";  // the part being checked
  const std::string* spec_ = nullptr;
  std::unordered_set<std::string_view> names_;  // attrs, inputs and outputs share a namespace
  std::vector<SpecError> errors_;
};

}  // namespace

std::vector<SpecError> ValidateOp(const OpStrings& strings, const OpDef& op, const OpPlaces& places) {
  Validator validator(op);
  validator.CheckOpName();
  for (size_t i = 0; i < op.attrs.size(); ++i) validator.CheckAttr(strings.attrs[i], op.attrs[i], places.attrs[i]);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    validator.CheckArg("Input", strings.inputs[i], op.inputs[i], places.inputs[i]);
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    validator.CheckArg("Output", strings.outputs[i], op.outputs[i], places.outputs[i]);
  }
  return std::move(validator).errors();
}

}  // namespace opsrun::host::spec
