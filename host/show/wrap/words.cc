// host/show/wrap/words.cc: words, names and values in generated code.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "host/base/text.h"
#include "host/show/wrap/wrap.h"

namespace opsrun::host {
namespace {

struct CppKind {
  std::string_view type, function, functions;
};

const CppKind& KindOf(uint32_t kind) {
  static constexpr CppKind kKinds[] = {
      {"int64_t", "Int", "Ints"},
      {"float", "Float", "Floats"},
      {"bool", "Bool", "Bools"},
      {"std::string", "String", "Strings"},
      {"int32_t", "Type", "Types"},
      {"embed::PartialShape", "Shape", "Shapes"},
      {"embed::View", "Tensor", "Tensors"},
      {"std::string", "Func", "Funcs"},
  };
  static_assert(OPSRUN_ATTR_INT == 1 && std::size(kKinds) == OPSRUN_ATTR_FUNC);
  return kKinds[kind - OPSRUN_ATTR_INT];
}

std::string CppInt(int64_t value) {
  return value == std::numeric_limits<int64_t>::min() ? "std::numeric_limits<int64_t>::min()" : std::to_string(value);
}

std::string CppFloat(double value) {
  if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
  if (std::isinf(value))
    return value < 0 ? "-std::numeric_limits<float>::infinity()" : "std::numeric_limits<float>::infinity()";
  const std::string text = fmt::format("{}", static_cast<float>(value));  // a spec stores floats
  return text + (text.find_first_of(".e") == std::string::npos ? ".0f" : "f");
}

std::string CppDType(DType dtype) {
  if (!IsDType(dtype)) return std::to_string(DTypeNumber(dtype));
  return fmt::format("OPSRUN_{}", DTypeEnumWord(dtype));
}

std::string CppElement(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return CppInt(value.ints[i]);
    case OPSRUN_ATTR_FLOAT:
      return CppFloat(value.floats[i]);
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0 ? "true" : "false";
    case OPSRUN_ATTR_TYPE:
      return CppDType(DTypeFromNumber(value.ints[i]));
    case OPSRUN_ATTR_SHAPE:
      return value.shapes[i].rank_known
                 ? fmt::format("embed::PartialShape{{{}}}", fmt::join(value.shapes[i].dims, ", "))
                 : "embed::PartialShape::UnknownRank()";
    default:
      return CppString(value.strings[i]);
  }
}

std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const auto* const begin = std::find_if_not(text.begin(), text.end(), IsBlank);
    const auto* const end = std::find_if(begin, text.end(), IsBlank);
    if (begin == end) return words;
    words.emplace_back(begin, end);
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
  }
}

size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuationByte(c); }));
}

}  // namespace

WrappedPlugin OpsToWrap(const Plugin& plugin) {
  WrappedPlugin wrapped{plugin.name, plugin.version, {}};
  for (const RegisteredOp& op : plugin.ops) {
    if (!op.def.name.starts_with('_')) wrapped.ops.push_back(&op.def);
  }
  std::sort(wrapped.ops.begin(), wrapped.ops.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  return wrapped;
}

std::string MadeBy(const std::vector<WrappedPlugin>& plugins) {
  std::string from;
  for (const WrappedPlugin& plugin : plugins) {
    from += fmt::format("{} plugin '{}'", from.empty() ? "" : ",", plugin.name);
    if (!plugin.version.empty()) from += " " + plugin.version;
  }
  // Fill joins lines: a version may contain line breaks, and the second line would be code.
  return Fill(fmt::format("opsrun wrap of opsrun {}, from{}", OPSRUN_VERSION, from), {SIZE_MAX, 0, 0});
}

std::string Fill(std::string_view text, FilledLines lines) {
  std::string filled(lines.first_indent, ' ');
  size_t column = lines.first_indent;
  bool begins = true;
  for (const std::string_view word : WordsOf(text)) {
    const size_t length = Characters(word);
    if (!begins && column + 1 + length > lines.width) {
      filled += "\n" + std::string(lines.next_indent, ' ');
      column = lines.next_indent;
      begins = true;
    }
    if (!begins) filled += ' ';
    column += length + (begins ? 0 : 1);
    filled += word;
    begins = false;
  }
  return filled;
}

std::string ArgWords(const spec::OpDef& op, const spec::ArgDef& arg) {
  std::string kind;
  if (arg.dtype != DType::kInvalid) {
    kind = DTypeName(arg.dtype);
  } else {
    const std::string& name = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
    const spec::AttrDef* const attr = op.FindAttr(name);
    std::vector<std::string> allowed;
    if (attr != nullptr)
      std::transform(attr->allowed_types.begin(), attr->allowed_types.end(), std::back_inserter(allowed), DTypeName);
    kind = name + (allowed.empty() ? ", any type" : fmt::format(", one of {}", fmt::join(allowed, ", ")));
  }
  return (arg.is_list() ? "a list of tensors of type " : "a tensor of type ") + kind;
}

std::string AttrWords(const spec::AttrDef& attr, std::string_view default_text,
                      std::string (*quote)(std::string_view)) {
  std::vector<std::string> allowed;
  for (const DType type : attr.allowed_types) allowed.push_back(DTypeName(type));
  for (const std::string& text : attr.allowed_strings) allowed.push_back(quote(text));
  std::string words = spec::AttrTypeName(attr.type);
  if (!allowed.empty()) words += fmt::format(", one of {}", fmt::join(allowed, ", "));
  if (attr.minimum) words += fmt::format(", at least {}", *attr.minimum);
  if (!default_text.empty()) words += fmt::format("; the default is {}", default_text);
  return words;
}

std::string Item(std::string_view name, std::string_view words, std::string_view doc) {
  return fmt::format("{}: {}. {}", name, words, doc);
}

std::string Identifier(std::string_view name) {
  std::string identifier = name.empty() || IsDigit(name[0]) ? "n" : "";
  for (const char c : name) identifier += IsLetter(c) || IsDigit(c) ? c : '_';
  return identifier;
}

std::string CppString(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {  // "??" could begin a trigraph
      literal += '\\';
      literal += c;
    } else if (byte < 0x20 || byte >= 0x7F) {  // three octal digits: cannot run into the next character
      literal += fmt::format("\\{:03o}", byte);
    } else {
      literal += c;
    }
  }
  literal += '"';
  if (text.find('\0') == std::string_view::npos) return literal;
  return fmt::format("std::string({}, {})", literal, text.size());
}

std::string CppType(spec::AttrType type) {
  const std::string_view one = KindOf(type.kind).type;
  return type.list ? fmt::format("std::vector<{}>", one) : std::string(one);
}

bool IsCppNumber(spec::AttrType type) {
  return !type.list && (type.kind <= OPSRUN_ATTR_BOOL || type.kind == OPSRUN_ATTR_TYPE);
}

std::string CppInitializer(const spec::AttrValue& value) {
  if (value.type.kind == OPSRUN_ATTR_TENSOR) return {};
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ", ") + CppElement(value, i);
  return value.type.list ? "{" + text + "}" : text;
}

std::string CppAttrFunction(spec::AttrType type) {
  const CppKind& kind = KindOf(type.kind);
  return std::string(type.list ? kind.functions : kind.function);
}

bool IsCppReserved(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      // Keywords, also those of C++20.
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char8_t", "char16_t", "char32_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short",
      "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
      "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
      "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // Macros without arguments.
      "BUFSIZ", "DOMAIN", "EOF", "FE_INVALID", "HUGE_VAL", "INFINITY", "I", "NAN", "NULL", "OVERFLOW", "RAND_MAX",
      "SING", "UNDERFLOW", "errno", "i386", "linux", "stderr", "stdin", "stdout", "unix",
      // Namespaces.
      "opsrun", "posix", "std"};
  return words.count(word) > 0;
}

}  // namespace opsrun::host
