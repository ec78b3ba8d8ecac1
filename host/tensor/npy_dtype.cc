// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "host/base/text.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

struct Row {
  std::string_view code;
  DType dtype;
};

// The first row of a data type is used for writing. NumPy does not know the types of Python's ml_dtypes, which writes
// them as opaque bytes ('V'), and float8_e5m2 as 'f1', which NumPy itself cannot read.
constexpr std::array<Row, 26> kTypeCodes = {{
    {"b1", DType::kBool},           {"i1", DType::kInt8},           {"i2", DType::kInt16},
    {"i4", DType::kInt32},          {"i8", DType::kInt64},          {"u1", DType::kUInt8},
    {"u2", DType::kUInt16},         {"u4", DType::kUInt32},         {"u8", DType::kUInt64},
    {"f2", DType::kFloat16},        {"f4", DType::kFloat32},        {"f8", DType::kFloat64},
    {"c8", DType::kComplex64},      {"c16", DType::kComplex128},    {"V2", DType::kBFloat16},
    {"i1", DType::kQInt8},          {"u1", DType::kQUInt8},         {"i2", DType::kQInt16},
    {"u2", DType::kQUInt16},        {"i4", DType::kQInt32},         {"V1", DType::kFloat8E5M2},
    {"V1", DType::kFloat8E4M3FN},   {"V1", DType::kFloat8E4M3FNUZ}, {"V1", DType::kFloat8E4M3B11FNUZ},
    {"V1", DType::kFloat8E5M2FNUZ}, {"f1", DType::kFloat8E5M2},
}};

// Why a NumPy data type is unsupported, by the beginning of its code.
struct Reason {
  std::string_view code;
  std::string_view why;
};
constexpr std::string_view kLongDouble =
    "long doubles differ from machine to machine and are not supported; save it as float64 or complex128";
constexpr std::string_view kTime = "dates and times are not supported; save them as int64";
constexpr std::string_view kWidth = "the width of its strings is not a number below 2^31";
constexpr std::array<Reason, 12> kReasons = {{
    {"O", "Python objects (pickle) could run any code when they are read, so they are not supported"},
    {"f16", kLongDouble},
    {"c32", kLongDouble},
    {"M8", kTime},
    {"m8", kTime},
    {"datetime64", kTime},
    {"timedelta64", kTime},
    {"V", "opaque bytes are not supported"},
    {"S", kWidth},
    {"a", kWidth},
    {"U", kWidth},
    {"T", "strings of any length are not supported; save them with .astype('U')"},
}};

constexpr bool kLittle = std::endian::native == std::endian::little;

Status Refuse(std::string_view descr, std::string_view why) {
  return Unimplemented(fmt::format("has the data type '{}': {}", descr, why));
}

// For messages: the data types that are written with this code; empty if none is.
std::string_view DTypesWrittenAs(std::string_view code) {
  if (code == "V1") return "float8_e4m3fn or another float8 type";
  if (code == "f1") return "float8_e5m2";
  return code == "V2" ? "bfloat16" : "";
}

Status RefuseUnknown(std::string_view descr, std::string_view code) {
  if (const std::string_view dtypes = DTypesWrittenAs(code); !dtypes.empty()) {
    return Refuse(
        descr,
        fmt::format("the file does not say what its bytes mean; if they are numbers, set 'dtype' in the graph to {}",
                    dtypes));
  }
  const auto begins = [&](const Reason& each) { return code.starts_with(each.code); };
  const auto reason = std::find_if(kReasons.begin(), kReasons.end(), begins);
  if (reason != kReasons.end()) return Refuse(descr, reason->why);
  if (code.find(',') != std::string_view::npos || code.starts_with('(') || (!code.empty() && IsDigit(code[0]))) {
    return Refuse(descr, "elements with parts are not supported; save each part to its own file");
  }
  return Refuse(descr,
                "opsrun reads bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64, complex128 "
                "and strings");
}

// "S5", "U5"; "a" is an old name of "S".
std::optional<NpyStrings> StringsOf(std::string_view code) {
  if (code.empty() || (code[0] != 'S' && code[0] != 'a' && code[0] != 'U')) return std::nullopt;
  const std::optional<uint32_t> width = ParseInteger<uint32_t>(code.substr(1));
  return width && *width <= INT32_MAX ? std::optional(NpyStrings{code[0] == 'U', *width}) : std::nullopt;
}

const Row* FindRow(std::string_view code, std::optional<DType> as) {
  const Row* found = nullptr;
  for (const Row& row : kTypeCodes) {
    if (row.code != code) continue;
    if (row.dtype == as) return &row;
    if (found == nullptr && DTypesWrittenAs(code).empty()) found = &row;
  }
  return found;
}

struct Names {
  std::string_view code;
  std::string_view names;  // separated by spaces
};

constexpr std::array<Names, 23> kNames = {{
    {"b1", "? bool bool_ bool8"},
    {"i1", "b int8 byte"},
    {"i2", "h int16 short"},
    {"i4", "i int32 intc"},
    {"i8", "l q p n int64 int int_ int0 intp long longlong"},
    {"u1", "B uint8 ubyte"},
    {"u2", "H uint16 ushort"},
    {"u4", "I uint32 uintc"},
    {"u8", "L Q P N uint64 uint uint0 uintp ulong ulonglong"},
    {"f2", "e float16 half"},
    {"f4", "f float32 single"},
    {"f8", "d float64 float float_ double"},
    {"c8", "F complex64 csingle singlecomplex"},
    {"c16", "D complex128 complex complex_ cdouble cfloat"},
    {"f16", "g f10 f12 float96 float128 longdouble longfloat"},
    {"c32", "G c24 complex192 complex256 clongdouble clongfloat longcomplex"},
    {"S1", "c"},
    {"S0", "S a bytes bytes_ string_ bytes0"},
    {"U0", "U str str_ str0 unicode unicode_"},
    {"O", "object object_ object0"},
    {"V0", "V void void0"},
    {"M8", "M datetime64"},
    {"m8", "m timedelta64"},
}};

bool HasName(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    if (TakePart(&names, " ") == name) return true;
  }
  return false;
}

// The code, such as "f4", of a name that numpy.dtype accepts ("float32", "f", "single"), including names of NumPy 1 and
// of other machines. Other text is returned unchanged. A C long has 8 bytes, as on all machines that opsrun supports.
std::string_view NpyCodeOf(std::string_view name) {
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const Names& each) { return HasName(each.names, name); });
  return found == kNames.end() ? name : found->code;
}

bool IsByteOrder(char c) {
  return c == '<' || c == '>' || c == '|' || c == '=';
}

uint32_t CharacterAt(const char* from, bool swapped) {
  uint32_t code = 0;
  std::memcpy(&code, from, sizeof code);
  return swapped ? __builtin_bswap32(code) : code;
}

Result<std::string> Characters(const char* from, size_t width, bool swapped) {
  while (width > 0 && CharacterAt(from + 4 * (width - 1), swapped) == 0) --width;
  std::string text;
  for (size_t i = 0; i < width; ++i) {
    const uint32_t code = CharacterAt(from + 4 * i, swapped);
    if (!IsUnicode(code)) return InvalidArgument(fmt::format("holds {:#x}, which is not a character", code));
    AppendUtf8(code, &text);
  }
  return text;
}

size_t CountCharacters(std::string_view text) {
  const auto begins = [](char c) { return !IsContinuationByte(c); };
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins));
}

}  // namespace

Result<NpyDType> NpyDTypeFromDescr(std::string_view descr, std::optional<DType> as) {
  const char order = !descr.empty() && IsByteOrder(descr[0]) ? descr[0] : '=';
  const std::string_view code = NpyCodeOf(descr.substr(!descr.empty() && IsByteOrder(descr[0]) ? 1 : 0));
  const bool other_order = order == (kLittle ? '>' : '<');
  if (const std::optional<NpyStrings> strings = StringsOf(code)) {
    return NpyDType{DType::kString, strings->characters && other_order, *strings};
  }
  const Row* const row = FindRow(code, as);
  const std::optional<DType> named = row == nullptr ? DTypeFromName(code) : std::nullopt;
  if (named == DType::kBFloat16 || (named && IsFloat8(*named))) return NpyDType{*named, other_order, {}};
  if (row == nullptr) return RefuseUnknown(descr, code);
  return NpyDType{row->dtype, DTypeSize(row->dtype) > 1 && other_order, {}};
}

std::string NpyDescr(DType dtype) {
  for (const Row& row : kTypeCodes) {
    if (row.dtype != dtype) continue;
    const bool ordered = DTypeSize(dtype) > 1 && dtype != DType::kBFloat16;
    return fmt::format("{}{}", ordered ? (kLittle ? '<' : '>') : '|', row.code);
  }
  return {};
}

std::string NpyDescr(const NpyStrings& strings) {
  if (!strings.characters) return fmt::format("|S{}", strings.width);
  return fmt::format("{}U{}", kLittle ? '<' : '>', strings.width);
}

Result<std::string> NpyStringFrom(const NpyStrings& form, const char* from, bool swapped) {
  if (form.characters) return Characters(from, form.width, swapped);
  size_t size = form.width;
  while (size > 0 && from[size - 1] == '\0') --size;
  return std::string(from, size);
}

Result<NpyStrings> NpyFormOf(const Tensor& strings) {
  NpyStrings form{true, 1};
  size_t bytes = 1;
  for (int64_t i = 0; i < strings.num_elements(); ++i) {
    const std::string_view text = strings.string(i);
    if (!text.empty() && text.back() == '\0') {
      return InvalidArgument(
          fmt::format("cannot hold string {}: it ends in a NUL byte, which NumPy takes for padding", i));
    }
    form.characters = form.characters && IsUtf8(text);
    form.width = std::max(form.width, CountCharacters(text));
    bytes = std::max(bytes, text.size());
  }
  if (!form.characters) form.width = bytes;
  return form;
}

void AppendNpyString(const NpyStrings& form, std::string_view text, std::string* to) {
  const size_t end = to->size() + form.bytes();
  while (form.characters && !text.empty()) {
    const Utf8Character c = DecodeUtf8(text);
    to->append(reinterpret_cast<const char*>(&c.code), sizeof c.code);
    text.remove_prefix(c.size);
  }
  to->append(text);
  to->resize(end, '\0');
}

}  // namespace opsrun::host
