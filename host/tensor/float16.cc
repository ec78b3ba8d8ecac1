// host/tensor/float16.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/float16.h"

#include <Eigen/Core>
#include <bit>
#include <cmath>

namespace opsrun::host {
namespace {

// To the nearest float would be a first rounding, and to 16 bits a second one. Of the two floats beside a value that
// is none, the one with an odd last bit is on the same side of all numbers of 16 bits, and of the middles between them.
float RoundedToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  if (double{nearest} == value || std::isnan(value)) return nearest;
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const bool away = std::abs(double{nearest}) > std::abs(value);
  return std::bit_cast<float>((away ? bits - 1 : bits) | 1);
}

}  // namespace

uint16_t HalfFromDouble(double value) {
  return Eigen::numext::bit_cast<uint16_t>(Eigen::half(RoundedToOdd(value)));
}
uint16_t BFloat16FromDouble(double value) {
  return Eigen::numext::bit_cast<uint16_t>(Eigen::bfloat16(RoundedToOdd(value)));
}

float HalfToFloat(uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}
float BFloat16ToFloat(uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(bits));
}

}  // namespace opsrun::host
