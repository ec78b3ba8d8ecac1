// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/spec/op_def.h"
#include "host/spec/parse_op.h"

namespace opsrun::host::spec {
namespace {

bool IsArgNameChar(char c) {
  return IsLower(c) || IsDigit(c) || c == '_';
}

class ArgParser : SpecParser {
 public:
  ArgParser(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs, ArgDef* arg,
            SpecOffsets* offsets)
      : SpecParser(spec), what_(what), attrs_(attrs), arg_(*arg), offsets_(*offsets) {}

  std::optional<SpecError> Parse() {
    if (Name() && RefOpen() && Body() && RefClose() && End()) return std::nullopt;
    return Error(what_);
  }

 private:
  bool Name() {
    const char first = cursor_.Peek();
    if (IsLower(first)) arg_.name = cursor_.TakeWhile(IsArgNameChar);
    if (arg_.name.empty())
      return Refuse("name", "it must begin with a name of lower-case letters, digits and '_': \"name: TYPE\"");
    cursor_.SkipBlanks();
    if (!cursor_.Take(':')) {
      return RefuseUnexpected("name", "':' after the name");
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
    offsets_.type = cursor_.offset();
    std::string_view word = cursor_.TakeName();
    if (word.empty()) {
      return RefuseUnexpected("type_syntax", "a data type or an attr");
    }
    cursor_.SkipBlanks();
    TextCursor ahead = cursor_;
    if (!ahead.Take('*')) return ResolveType(word);
    ahead.SkipBlanks();
    const size_t type_at = ahead.offset();
    const std::string_view type = ahead.TakeName();
    if (type.empty()) return ResolveType(word);  // the '*' is then left over
    arg_.number_attr = word;
    offsets_ = {.count = offsets_.type, .type = type_at};
    cursor_ = ahead;
    cursor_.SkipBlanks();
    return ResolveType(type);
  }

  bool ResolveType(std::string_view word) {
    if (std::optional<DType> dtype = TypeFromWord(word)) {
      arg_.dtype = *dtype;
      return true;
    }
    const AttrDef* const attr = FindNamed(attrs_, word);
    if (attr == nullptr) return RefuseUnknown(word);
    if (attr->type.kind != OPSRUN_ATTR_TYPE && attr->type.kind != 0) {
      return RefuseAt(offsets_.type, "attr_not_a_type",
                      fmt::format("attr '{}' is of type {}; only type and list(type) determine the type of a tensor",
                                  word, AttrTypeName(attr->type)));
    }
    (attr->type.list ? arg_.type_list_attr : arg_.type_attr) = word;
    return true;
  }

  bool RefClose() {
    if (!arg_.is_ref) return true;
    if (!cursor_.Take(')')) return RefuseUnexpected("ref_close", "')' to close Ref(");
    cursor_.SkipBlanks();
    return true;
  }

  bool End() {
    return cursor_.AtEnd() || Refuse("trailing", fmt::format("{} is unexpected after the type", cursor_.Found()));
  }

  bool RefuseUnknown(std::string_view word) {
    std::vector<std::string> names = AllTypeWords();
    for (const AttrDef& attr : attrs_) names.push_back(attr.name);
    std::string message = fmt::format("'{}' is neither a data type nor an attr of this op", word);
    if (!NearNames(word, names).empty()) message += "; " + DidYouMean(word, names, "types");
    return RefuseAt(offsets_.type, "unknown_attr", std::move(message));
  }

  const std::string& what_;
  const std::vector<AttrDef>& attrs_;
  ArgDef& arg_;
  SpecOffsets& offsets_;
};

}  // namespace

std::optional<SpecError> ParseArg(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs,
                                  ArgDef* arg, SpecOffsets* offsets) {
  return ArgParser(spec, what, attrs, arg, offsets).Parse();
}

std::optional<SpecError> ParseControlOutput(const std::string& spec, std::string* name) {
  TextCursor cursor(spec);
  *name = cursor.TakeName();
  if (name->empty())
    return SpecError{"parse", "name", "ControlOutput", spec, 0, "a control output is a name that begins with a letter"};
  if (cursor.AtEnd()) return std::nullopt;
  return SpecError{"parse", "trailing",      "ControlOutput",
                   spec,    cursor.offset(), fmt::format("{} is unexpected after the name", cursor.Found())};
}

}  // namespace opsrun::host::spec
