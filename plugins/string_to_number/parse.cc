// plugins/string_to_number/parse.cc
// SPDX-License-Identifier: Apache-2.0
#include "parse.h"

namespace string_to_number {

using namespace opsrun;

namespace {

// "[1, 2]"; empty for a scalar.
std::string IndexText(const TensorShape& shape, int64 i) {
  std::string text;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    text = std::to_string(i % shape.dim_size(d)) + (text.empty() ? "" : ", ") + text;
    i /= shape.dim_size(d);
  }
  return shape.dims() == 0 ? "" : "[" + text + "]";
}

void AppendShown(char c, std::string* shown) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) {
    *shown += c;
  } else {
    *shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
}

// In quotes, on one line, and truncated if it is long.
std::string Quoted(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, kLongest)) AppendShown(c, &shown);
  return shown + (text.size() > kLongest ? "...'" : "'");
}

std::string Looks(DataType type) {
  const bool is_whole = type == DT_INT32 || type == DT_INT64;
  return is_whole ? "a whole number, such as 42 or -7" : "a number, such as 42, -7.5, 3e8, inf or nan";
}

std::string Range(DataType type) {
  switch (type) {
    case DT_INT32:
      return "-2147483648 to 2147483647";
    case DT_INT64:
      return "-9223372036854775808 to 9223372036854775807";
    case DT_FLOAT:
      return "-3.4028235e+38 to 3.4028235e+38";
    default:
      return "-1.7976931348623157e+308 to 1.7976931348623157e+308";
  }
}

}  // namespace

Status Refusal(const TensorShape& shape, int64 i, std::string_view text, DataType type, Parsed why) {
  const std::string found = "string_tensor" + IndexText(shape, i) + " is " + Quoted(text);
  const std::string wanted = why == Parsed::kTooLarge
                                 ? ", which is too large for " + DataTypeName(type) + ": it holds " + Range(type)
                                 : ", but " + DataTypeName(type) + " needs " + Looks(type);
  return errors::InvalidArgument(found, wanted).Blame("input:string_tensor");
}

}  // namespace string_to_number
