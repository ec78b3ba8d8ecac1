// host/spec/validate_op.cc: see validate_op.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/validate_op.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>
#include <utility>

#include "host/spec/check_attr.h"
#include "host/spec/text_cursor.h"
#include "host/spec/type_words.h"

namespace opsrun::host::spec {
namespace {

using Kind = SpecError::Kind;
using Stage = SpecError::Stage;

// A mistake that is not yet tied to a spec string.
struct Finding {
  Kind kind = Kind::kOpName;
  size_t offset = 0;
  std::string message;
};

// "MatMul", "Addons>Resampler". A name that begins with '_' is internal, and free.
std::optional<Finding> CheckOpName(std::string_view name) {
  if (name.starts_with('_')) return std::nullopt;
  TextCursor cursor(name);
  do {
    if (!IsUpper(cursor.Peek()))
      return Finding{Kind::kOpName, cursor.offset(), "an op's name begins with a capital letter"};
    cursor.TakeName();
  } while (cursor.Take('>'));
  if (cursor.AtEnd()) return std::nullopt;
  return Finding{Kind::kOpName, cursor.offset(),
                 fmt::format("{} is nothing that an op's name may hold: it is letters, digits and '_', and '>' between "
                             "a name space and a name",
                             cursor.Found())};
}

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

std::optional<Finding> CheckDefault(const AttrDef& attr, size_t place) {
  std::optional<AttrFault> fault = CheckAttrValue(attr, *attr.default_value);
  if (!fault) return std::nullopt;
  return Finding{KindOf(fault->kind), place, "the default is refused: " + fault->message};
}

class Validator {
 public:
  explicit Validator(const OpDef& op) : op_(op) {}

  std::optional<Finding> CheckAttr(const AttrDef& attr, const AttrPlaces& places);
  std::optional<Finding> CheckArg(const ArgDef& arg, const ArgPlaces& places);

 private:
  std::optional<Finding> CheckUnique(const std::string& name);
  std::optional<Finding> CheckCount(const ArgDef& arg, const ArgPlaces& places) const;

  const OpDef& op_;
  std::unordered_set<std::string_view> names_;  // attrs, inputs and outputs share one name space
};

std::optional<Finding> Validator::CheckUnique(const std::string& name) {
  if (names_.insert(name).second) return std::nullopt;
  return Finding{Kind::kDuplicateName, 0, fmt::format("the name '{}' is used twice in this op", name)};
}

std::optional<Finding> Validator::CheckAttr(const AttrDef& attr, const AttrPlaces& places) {
  if (std::optional<Finding> finding = CheckUnique(attr.name)) return finding;
  if (TypeFromWord(attr.name)) {
    return Finding{Kind::kAttrNamedLikeType, 0,
                   fmt::format("an attr cannot have the name of a data type, '{}'", attr.name)};
  }
  if (attr.type.list && attr.minimum.value_or(0) < 0) {
    return Finding{Kind::kListMinimumNegative, places.minimum, "the length of a list is never below 0"};
  }
  return attr.default_value ? CheckDefault(attr, places.default_value) : std::nullopt;
}

std::optional<Finding> Validator::CheckCount(const ArgDef& arg, const ArgPlaces& places) const {
  if (arg.number_attr.empty()) return std::nullopt;
  const AttrDef* count = op_.FindAttr(arg.number_attr);
  if (count == nullptr) {
    return Finding{Kind::kNoLengthAttr, places.count,
                   fmt::format("there is no attr '{}' for the length", arg.number_attr)};
  }
  if (count->type != AttrType{OPSRUN_ATTR_INT, false}) {
    return Finding{
        Kind::kLengthAttrNotInt, places.count,
        fmt::format("a length is an int, but attr '{}' is of type {}", count->name, AttrTypeName(count->type))};
  }
  if (count->minimum.value_or(0) < 0) {
    return Finding{Kind::kLengthMinimumNegative, places.count,
                   fmt::format("a length is never below 0, but attr '{}' allows {}", count->name, *count->minimum)};
  }
  if (arg.type_list_attr.empty()) return std::nullopt;
  return Finding{Kind::kNumberAndList, places.type,
                 fmt::format("'{}' is a list of types and has its own length", arg.type_list_attr)};
}

std::optional<Finding> Validator::CheckArg(const ArgDef& arg, const ArgPlaces& places) {
  if (std::optional<Finding> finding = CheckUnique(arg.name)) return finding;
  if (std::optional<Finding> finding = CheckCount(arg, places)) return finding;
  if (!IsRefType(arg.dtype)) return std::nullopt;
  return Finding{Kind::kRefTypeValue, places.type, "a reference is written Ref(TYPE)"};
}

void Add(std::optional<Finding> finding, const char* what, const std::string& spec, std::vector<SpecError>* errors) {
  if (!finding) return;
  errors->push_back({Stage::kValidate, finding->kind, what, spec, finding->offset, std::move(finding->message)});
}

}  // namespace

std::vector<SpecError> ValidateOp(const OpStrings& strings, const OpDef& op, const OpPlaces& places) {
  std::vector<SpecError> errors;
  Add(CheckOpName(op.name), "op", op.name, &errors);
  Validator validator(op);
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    Add(validator.CheckAttr(op.attrs[i], places.attrs[i]), "Attr", strings.attrs[i], &errors);
  }
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    Add(validator.CheckArg(op.inputs[i], places.inputs[i]), "Input", strings.inputs[i], &errors);
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    Add(validator.CheckArg(op.outputs[i], places.outputs[i]), "Output", strings.outputs[i], &errors);
  }
  return errors;
}

}  // namespace opsrun::host::spec
