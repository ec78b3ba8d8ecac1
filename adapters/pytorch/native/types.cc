// adapters/pytorch/native/types.cc
// SPDX-License-Identifier: Apache-2.0
#include "types.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace opsrun_torch {
namespace {

using c10::ScalarType;

constexpr TypeNumbers kTypes[] = {
    {ScalarType::Float, OPSRUN_DT_FLOAT, {2, 32, 1}},
    {ScalarType::Double, OPSRUN_DT_DOUBLE, {2, 64, 1}},
    {ScalarType::Half, OPSRUN_DT_HALF, {2, 16, 1}},
    {ScalarType::BFloat16, OPSRUN_DT_BFLOAT16, {4, 16, 1}},
    {ScalarType::Int, OPSRUN_DT_INT32, {0, 32, 1}},
    {ScalarType::Long, OPSRUN_DT_INT64, {0, 64, 1}},
    {ScalarType::Short, OPSRUN_DT_INT16, {0, 16, 1}},
    {ScalarType::Char, OPSRUN_DT_INT8, {0, 8, 1}},
    {ScalarType::Byte, OPSRUN_DT_UINT8, {1, 8, 1}},
    {ScalarType::UInt16, OPSRUN_DT_UINT16, {1, 16, 1}},
    {ScalarType::UInt32, OPSRUN_DT_UINT32, {1, 32, 1}},
    {ScalarType::UInt64, OPSRUN_DT_UINT64, {1, 64, 1}},
    {ScalarType::Bool, OPSRUN_DT_BOOL, {6, 8, 1}},
    {ScalarType::ComplexFloat, OPSRUN_DT_COMPLEX64, {5, 64, 1}},
    {ScalarType::ComplexDouble, OPSRUN_DT_COMPLEX128, {5, 128, 1}},
    {ScalarType::Float8_e5m2, OPSRUN_DT_FLOAT8_E5M2, {12, 8, 1}},
    {ScalarType::Float8_e4m3fn, OPSRUN_DT_FLOAT8_E4M3FN, {10, 8, 1}},
    {ScalarType::Float8_e4m3fnuz, OPSRUN_DT_FLOAT8_E4M3FNUZ, {11, 8, 1}},
    {ScalarType::Float8_e5m2fnuz, OPSRUN_DT_FLOAT8_E5M2FNUZ, {13, 8, 1}},
};

// Indexed by PyTorch's number of the type, for fast lookups in calls.
constexpr auto kByTorch = [] {
  std::array<const TypeNumbers*, 64> types{};
  for (const TypeNumbers& type : kTypes) types[static_cast<size_t>(type.torch)] = &type;
  return types;
}();

}  // namespace

const TypeNumbers* FindType(ScalarType type) {
  const auto number = static_cast<size_t>(type);
  return number < kByTorch.size() ? kByTorch[number] : nullptr;
}

const TypeNumbers* FindType(int32_t dtype) {
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeNumbers& type) { return type.opsrun == dtype; });
  return found == std::end(kTypes) ? nullptr : found;
}

}  // namespace opsrun_torch
