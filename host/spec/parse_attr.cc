// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "host/base/display_text.h"
#include "host/spec/op_def.h"
#include "host/spec/parse_op.h"

namespace opsrun::host::spec {
namespace {

constexpr std::string_view kSetWords[] = {"numbertype", "numerictype", "quantizedtype", "realnumbertype",
                                          "realnumerictype"};

// For messages: the words for the type of an attr.
const std::vector<std::string>& AttrTypeWords() {
  static const std::vector<std::string> words = {"string", "int",        "float",          "bool",
                                                 "type",   "shape",      "tensor",         "func",
                                                 "list",   "numbertype", "realnumbertype", "quantizedtype"};
  return words;
}

class AttrParser : SpecParser {
 public:
  AttrParser(const std::string& spec, bool of_later_level, AttrDef* attr, SpecOffsets* offsets)
      : SpecParser(spec), of_later_level_(of_later_level), attr_(*attr), offsets_(*offsets) {}

  std::optional<SpecError> Parse() {
    if (Name() && Type() && Minimum() && Default() && End()) return std::nullopt;
    return Error("Attr");
  }

 private:
  bool Name() {
    attr_.name = cursor_.TakeName();
    if (attr_.name.empty())
      return Refuse("name", "it must begin with the name of the attr, which begins with a letter: \"NAME: TYPE\"");
    cursor_.SkipBlanks();
    if (!cursor_.Take(':')) {
      return RefuseUnexpected("name", "':' after the attr's name");
    }
    cursor_.SkipBlanks();
    return true;
  }

  bool Type() {
    const size_t begin = cursor_.offset();
    attr_.type.list = cursor_.Take("list");
    if (attr_.type.list) {
      cursor_.SkipBlanks();
      if (!cursor_.Take('(')) return RefuseAt(begin, "type", "write a list as list(TYPE)");
      cursor_.SkipBlanks();
    }
    if (!ElementType()) return false;
    cursor_.SkipBlanks();
    if (attr_.type.list && !cursor_.Take(')')) {
      if (!long_word_.empty()) return RefuseLongWord("list_close");
      return RefuseUnexpected("list_close", "')' to close list(");
    }
    cursor_.SkipBlanks();
    return true;
  }

  bool ElementType() {
    if (cursor_.Take('{')) return Set();
    if (TakeTypeWord()) return true;
    return Refuse("type", NoTypeMessage());
  }

  // After '{'. The first character shows whether the set contains strings or types.
  bool Set() {
    cursor_.SkipBlanks();
    const bool strings = cursor_.Peek() == '\'' || cursor_.Peek() == '"';
    attr_.type.kind = strings ? OPSRUN_ATTR_STRING : OPSRUN_ATTR_TYPE;
    return strings ? StringSet() : TypeSet();
  }

  bool StringSet() {
    for (bool more = true; more;) {
      if (!ReadString(&cursor_, &attr_.allowed_strings.emplace_back())) {
        return Refuse("allowed_string", cursor_.problem());
      }
      if (!SetGoesOn(&more)) return false;
    }
    return true;
  }

  bool TypeSet() {
    const size_t first = cursor_.offset();
    for (bool more = true; more;) {
      if (!TypeSetItem() || !SetGoesOn(&more)) return false;
    }
    return !attr_.allowed_types.empty() || RefuseAt(first, "allowed_type", "none of its data types is known");
  }

  // Names of data types may contain a '_', "float8_e5m2", but references are not allowed.
  bool TypeSetItem() {
    const size_t begin = cursor_.offset();
    const std::string shown = cursor_.Found();
    const std::string_view meant = cursor_.Here(), word = cursor_.TakeWhile(IsNameChar);
    const std::optional<DType> dtype = TypeFromWord(word);
    const std::vector<DType>* const set = TypeSetFromWord(word);
    std::vector<DType>& allowed = attr_.allowed_types;
    if (dtype && !IsRefType(*dtype)) {
      allowed.push_back(*dtype);
      return true;
    }
    if (set != nullptr) {
      allowed.insert(allowed.end(), set->begin(), set->end());
      return true;
    }
    if (of_later_level_ && !dtype && !word.empty() && std::none_of(word.begin(), word.end(), IsUpper)) return true;
    // Of a word such as int32_x, the mistake is what follows the type, as in TensorFlow.
    cursor_.MoveTo(begin);
    const std::string_view start = cursor_.TakeWhile([](char c) { return IsDigit(c) || IsLower(c); });
    if (TypeFromWord(start) || TypeSetFromWord(start) != nullptr) return true;
    std::string message = fmt::format("expected a data type, found {}", shown);
    if (!meant.empty()) message += "; " + DidYouMean(meant, AllTypeWords(), "data types");
    return RefuseAt(begin, "allowed_type", std::move(message));
  }

  // After an item: a comma, with or without another item, or the end of the set.
  bool SetGoesOn(bool* more) {
    cursor_.SkipBlanks();
    const bool comma = cursor_.Take(',');
    cursor_.SkipBlanks();
    const bool closed = cursor_.Take('}');
    *more = comma && !closed;
    if (comma || closed) return true;
    return RefuseUnexpected("allowed_separator", "',' or '}' after an item of the set");
  }

  bool Minimum() {
    const bool plain_int = attr_.type == AttrType{OPSRUN_ATTR_INT, false};
    if (!(attr_.type.list || plain_int) || !cursor_.Take(">=")) return true;
    cursor_.SkipBlanks();
    offsets_.minimum = cursor_.offset();
    const char* begin = spec_.data() + cursor_.offset();
    int64_t minimum = 0;
    auto [end, error] = std::from_chars(begin, spec_.data() + spec_.size(), minimum);
    if (error != std::errc()) return Refuse("minimum", "expected a whole number of 64 bits after '>='");
    attr_.minimum = minimum;
    cursor_.MoveTo(static_cast<size_t>(end - spec_.data()));
    cursor_.SkipBlanks();
    return true;
  }

  bool Default() {
    if (!cursor_.Take('=')) return true;
    cursor_.SkipBlanks();
    offsets_.default_value = cursor_.offset();
    if (ParseDefault(&cursor_, attr_.type, &attr_.default_value.emplace())) return true;
    attr_.default_value.reset();
    return Refuse("default", cursor_.problem());
  }

  bool End() {
    cursor_.SkipBlanks();
    if (cursor_.AtEnd()) return true;
    if (!long_word_.empty()) return RefuseLongWord("trailing");
    return Refuse("trailing", fmt::format("{} is unexpected after the attr's type", cursor_.Found()));
  }

  // Accepts a type word as a prefix, so that a slip such as int32 is known when the text after it does not match.
  bool TakeTypeWord() {
    const std::string_view whole = cursor_.Here();
    auto taken = [this, whole](std::string_view word, uint32_t kind) {
      if (!cursor_.Take(word)) return false;
      attr_.type.kind = kind;
      if (whole.size() > word.size()) long_word_ = whole;  // the rest will not match
      return true;
    };
    for (uint32_t kind = OPSRUN_ATTR_INT; kind <= OPSRUN_ATTR_FUNC; ++kind) {
      if (taken(AttrTypeName({kind, false}), kind)) return true;
    }
    for (std::string_view word : kSetWords) {
      if (!taken(word, OPSRUN_ATTR_TYPE)) continue;
      attr_.allowed_types = *TypeSetFromWord(word);
      return true;
    }
    return false;
  }

  std::string NoTypeMessage() const {
    const std::string_view word = cursor_.Here();
    if (word.empty()) return "the attr's type is missing";
    if (TypeFromWord(word))
      return fmt::format("'{0}' is a data type, not an attr type: write {{{0}}}, or type for any", word);
    if (word == "list") return "a list of lists is not an attr type";
    return fmt::format("{} is not an attr type; {}", cursor_.Found(), DidYouMean(word, AttrTypeWords(), "attr types"));
  }

  bool RefuseLongWord(const char* kind) {
    cursor_.MoveTo(static_cast<size_t>(long_word_.data() - spec_.data()));
    return Refuse(kind, NoTypeMessage());
  }

  const bool of_later_level_;
  AttrDef& attr_;
  SpecOffsets& offsets_;
  std::string_view long_word_;  // a whole word of which only a prefix is a type
};

}  // namespace

std::optional<SpecError> ParseAttr(const std::string& spec, AttrDef* attr, SpecOffsets* offsets, bool of_later_level) {
  return AttrParser(spec, of_later_level, attr, offsets).Parse();
}

namespace {

// { name: 'F' }. Attrs of the function are not part of the contract.
bool ReadFunc(TextCursor* cursor, std::string* name) {
  return ReadMessage(cursor, {{"name", false, false, [=](TextCursor* c) { return ReadString(c, name); }}});
}

template <typename T, typename Element>
bool Append(bool (*read)(TextCursor*, T*), TextCursor* cursor, std::vector<Element>* to) {
  T value{};
  if (!read(cursor, &value)) return false;
  to->push_back(static_cast<Element>(value));
  return true;
}

// Reads one value of the kind of *value and appends it.
bool AppendOne(TextCursor* cursor, AttrValue* value) {
  switch (value->type.kind) {
    case OPSRUN_ATTR_INT:
      return Append(ReadInt<int64_t>, cursor, &value->ints);
    case OPSRUN_ATTR_FLOAT:
      return Append(ReadFloat<float>, cursor, &value->floats);
    case OPSRUN_ATTR_BOOL:
      return Append(ReadBool, cursor, &value->ints);
    case OPSRUN_ATTR_STRING:
      return Append(ReadString, cursor, &value->strings);
    case OPSRUN_ATTR_TYPE:
      return Append(ReadType, cursor, &value->ints);
    case OPSRUN_ATTR_SHAPE:
      return Append(ReadShape, cursor, &value->shapes);
    case OPSRUN_ATTR_TENSOR:
      return Append(ReadTensor, cursor, &value->tensors);
    default:
      return Append(ReadFunc, cursor, &value->strings);
  }
}

bool ReadList(TextCursor* cursor, AttrValue* value) {
  if (!cursor->Take('[')) return cursor->RefuseUnexpected("a list in brackets");
  cursor->SkipBlanks();
  if (cursor->Take(']')) return true;
  do {
    cursor->SkipBlanksAndComments();
    if (!AppendOne(cursor, value)) return false;
    cursor->SkipBlanksAndComments();
  } while (cursor->Take(','));
  return cursor->Take(']') || cursor->RefuseUnexpected("',' or ']'");
}

}  // namespace

bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value) {
  *value = {};
  value->type = type;
  if (type.list) {
    cursor->SkipBlanks();
    if (!ReadList(cursor, value)) return false;
    cursor->SkipBlanks();
  } else {
    cursor->SkipBlanksAndComments();
    if (!AppendOne(cursor, value)) return false;
    cursor->SkipBlanksAndComments();
  }
  return cursor->AtEnd() || cursor->Refuse(cursor->Found() + " is unexpected after the default");
}

}  // namespace opsrun::host::spec
