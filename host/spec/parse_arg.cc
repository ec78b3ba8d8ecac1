// host/spec/parse_arg.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_arg.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "host/base/near_names.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {
namespace {

using Kind = SpecError::Kind;
using Stage = SpecError::Stage;

bool IsArgNameChar(char c) {
  return IsLower(c) || IsDigit(c) || c == '_';
}

class ArgParser : SpecParser {
 public:
  ArgParser(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs, ArgDef* arg,
            ArgPlaces* places)
      : SpecParser(spec), what_(what), attrs_(attrs), arg_(*arg), places_(*places) {}

  std::optional<SpecError> Parse() {
    if (Name() && RefOpen() && Body() && RefClose() && End()) return std::nullopt;
    return Error(what_);
  }

 private:
  bool Name() {
    const char first = cursor_.Peek();
    if (IsLower(first)) arg_.name = cursor_.TakeWhile(IsArgNameChar);
    if (arg_.name.empty())
      return Refuse(Kind::kName, "a name of lower-case letters, digits and '_' comes first: \"name: TYPE\"");
    cursor_.SkipBlanks();
    if (!cursor_.Take(':')) {
      return RefuseUnexpected(Kind::kName, "':' after the name");
    }
    cursor_.SkipBlanks();
    return true;
  }

  // "Ref" is an ordinary word unless a parenthesis follows.
  bool RefOpen() {
    TextCursor ahead = cursor_;
    if (!ahead.Take("Ref")) return true;
    ahead.SkipBlanks();
    if (!ahead.Take('(')) return true;
    ahead.SkipBlanks();
    arg_.is_ref = true;
    cursor_ = ahead;
    return true;
  }

  bool Body() {
    places_.type = cursor_.offset();
    std::string_view word = cursor_.TakeName();
    if (word.empty()) {
      return RefuseUnexpected(Kind::kTypeSyntax, "a data type or an attr");
    }
    cursor_.SkipBlanks();
    TextCursor ahead = cursor_;
    if (!ahead.Take('*')) return ResolveType(word);
    ahead.SkipBlanks();
    const size_t type_at = ahead.offset();
    const std::string_view type = ahead.TakeName();
    if (type.empty()) return ResolveType(word);  // the '*' is then left over
    arg_.number_attr = word;
    places_ = {.count = places_.type, .type = type_at};
    cursor_ = ahead;
    cursor_.SkipBlanks();
    return ResolveType(type);
  }

  bool ResolveType(std::string_view word) {
    if (std::optional<DType> dtype = TypeFromWord(word)) {
      arg_.dtype = *dtype;
      return true;
    }
    auto attr = std::find_if(attrs_.begin(), attrs_.end(), [word](const AttrDef& a) { return a.name == word; });
    if (attr == attrs_.end()) return RefuseUnknown(word);
    if (attr->type.kind != OPSRUN_ATTR_TYPE && attr->type.kind != 0) {
      return RefuseAt(places_.type, Kind::kAttrNotAType,
                      fmt::format("attr '{}' is of type {}; only type and list(type) say what a tensor holds", word,
                                  AttrTypeName(attr->type)));
    }
    (attr->type.list ? arg_.type_list_attr : arg_.type_attr) = word;
    return true;
  }

  bool RefClose() {
    if (!arg_.is_ref) return true;
    if (!cursor_.Take(')')) return RefuseUnexpected(Kind::kRefClose, "')' to close Ref(");
    cursor_.SkipBlanks();
    return true;
  }

  bool End() {
    return cursor_.AtEnd() || Refuse(Kind::kTrailing, fmt::format("{} is left over after the type", cursor_.Found()));
  }

  bool RefuseUnknown(std::string_view word) {
    std::vector<std::string> names = AllTypeWords();
    for (const AttrDef& attr : attrs_) names.push_back(attr.name);
    std::string message = fmt::format("'{}' is neither a data type nor an attr of this op", word);
    if (!NearNames(word, names).empty()) message += "; " + DidYouMean(word, names, "types");
    return RefuseAt(places_.type, Kind::kUnknownAttr, std::move(message));
  }

  const std::string& what_;
  const std::vector<AttrDef>& attrs_;
  ArgDef& arg_;
  ArgPlaces& places_;
};

}  // namespace

std::optional<SpecError> ParseArg(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs,
                                  ArgDef* arg, ArgPlaces* places) {
  return ArgParser(spec, what, attrs, arg, places).Parse();
}

std::optional<SpecError> ParseControlOutput(const std::string& spec, std::string* name) {
  TextCursor cursor(spec);
  *name = cursor.TakeName();
  if (name->empty())
    return SpecError{Stage::kParse, Kind::kName, "ControlOutput",
                     spec,          0,           "a control output is a name, a letter first"};
  if (cursor.AtEnd()) return std::nullopt;
  return SpecError{Stage::kParse, Kind::kTrailing, "ControlOutput",
                   spec,          cursor.offset(), fmt::format("{} is left over after the name", cursor.Found())};
}

namespace {

constexpr std::string_view kRefSuffix = "_ref";

DType WithoutRef(DType dtype) {
  return DTypeFromNumber(int64_t{DTypeNumber(dtype)} - kRefOffset);
}

}  // namespace

bool IsRefType(DType dtype) {
  return IsDType(WithoutRef(dtype));
}

DType RefType(DType dtype) {
  return DTypeFromNumber(DTypeNumber(dtype) + kRefOffset);
}

DType BaseType(DType dtype) {
  return IsRefType(dtype) ? WithoutRef(dtype) : dtype;
}

std::string TypeText(DType dtype) {
  return IsRefType(dtype) ? DTypeName(BaseType(dtype)) + std::string(kRefSuffix) : DTypeName(dtype);
}

std::optional<DType> TypeFromWord(std::string_view word) {
  if (word.starts_with("DT_")) return std::nullopt;
  const bool is_ref = word.ends_with(kRefSuffix);
  if (is_ref) word.remove_suffix(kRefSuffix.size());
  std::optional<DType> dtype = DTypeFromName(word);
  return dtype && is_ref ? RefType(*dtype) : dtype;
}

std::optional<DType> TypeFromEnumWord(std::string_view word) {
  if (!word.starts_with("DT_")) return std::nullopt;
  if (word == "DT_INVALID") return DType::kInvalid;
  const bool is_ref = word.ends_with("_REF");
  if (is_ref) word.remove_suffix(4);
  std::optional<DType> dtype = DTypeFromName(word);
  return dtype && is_ref ? RefType(*dtype) : dtype;
}

std::string EnumWord(DType dtype) {
  return std::string(DTypeEnumWord(BaseType(dtype))) + (IsRefType(dtype) ? "_REF" : "");
}

const std::vector<DType>* TypeSetFromWord(std::string_view word) {
  static const std::vector<DType> number_types = TypesIn(TypeSet::kNumber), real_types = TypesIn(TypeSet::kReal),
                                  quantized_types = TypesIn(TypeSet::kQuantized);
  if (word == "numbertype" || word == "numerictype") return &number_types;
  if (word == "realnumbertype" || word == "realnumerictype") return &real_types;
  return word == "quantizedtype" ? &quantized_types : nullptr;
}

std::string_view TypeSetWord(const std::vector<DType>& types) {
  for (std::string_view word : {"numbertype", "realnumbertype", "quantizedtype"}) {
    if (types == *TypeSetFromWord(word)) return word;
  }
  return {};
}

const std::vector<std::string>& AllTypeWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all = {"numbertype", "realnumbertype", "quantizedtype"};
    for (const DType dtype : kAllDTypes) {
      if (IsSmallerThanAByte(dtype)) continue;  // there are no such tensors
      all.emplace_back(DTypeGuideName(dtype));
      if (DTypeName(dtype) != DTypeGuideName(dtype)) all.push_back(DTypeName(dtype));
    }
    return all;
  }();
  return words;
}

}  // namespace opsrun::host::spec
