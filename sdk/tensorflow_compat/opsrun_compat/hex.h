// opsrun_compat/hex.h: strings::Hex: numbers in StrCat as hexadecimal digits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>

#include <string_view>
#include <type_traits>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace strings {

// The least number of digits: zeros are put in front.
enum PadSpec {
  kNoPad = 1,
  kZeroPad2,
  kZeroPad3,
  kZeroPad4,
  kZeroPad5,
  kZeroPad6,
  kZeroPad7,
  kZeroPad8,
  kZeroPad9,
  kZeroPad10,
  kZeroPad11,
  kZeroPad12,
  kZeroPad13,
  kZeroPad14,
  kZeroPad15,
  kZeroPad16
};

// A negative number has the digits of its type's two's complement.
class Hex {
 public:
  template <typename Int>
  explicit Hex(Int number, PadSpec pad = kNoPad) {
    const unsigned long long bits = static_cast<std::make_unsigned_t<Int>>(number);
    size_ = snprintf(digits_, sizeof(digits_), "%0*llx", static_cast<int>(pad), bits);
  }

  operator std::string_view() const { return {digits_, static_cast<size_t>(size_)}; }

 private:
  char digits_[24];
  int size_;
};

}  // namespace strings
}  // namespace OPSRUN_HIDDEN
