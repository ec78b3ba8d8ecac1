// host/tensor/npy_names.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npy_names.h"

#include <algorithm>
#include <array>

namespace opsrun::host {
namespace {

struct Names {
  std::string_view code;
  std::string_view names;  // with a space between them
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
    const size_t end = names.find(' ');
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end, names.size() - 1) + 1);
  }
  return false;
}

}  // namespace

std::string_view NpyCodeOf(std::string_view name) {
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const Names& each) { return HasName(each.names, name); });
  return found == kNames.end() ? name : found->code;
}

}  // namespace opsrun::host
