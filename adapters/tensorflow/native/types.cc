// adapters/tensorflow/native/types.cc
// SPDX-License-Identifier: Apache-2.0
#include "types.h"

#include <cstddef>

namespace opsrun_tf {
namespace {

// By number. Types without bits are not supported: see FindType.
constexpr opsrun_dldtype kTypes[] = {
    {0, 0, 0},                                                                 // 0
    {2, 32, 1},  {2, 64, 1},  {0, 32, 1}, {1, 8, 1},  {0, 16, 1}, {0, 8, 1},   // 1: float to int8
    {3, 128, 1},                                                               // 7: string
    {5, 64, 1},  {0, 64, 1},  {6, 8, 1},                                       // 8: complex64, int64, bool
    {3, 8, 1},   {3, 8, 1},   {3, 32, 1}, {4, 16, 1}, {3, 16, 1}, {3, 16, 1},  // 11: quantized, bfloat16
    {1, 16, 1},  {5, 128, 1}, {2, 16, 1},                                      // 17: uint16, complex128, half
    {3, 64, 1},                                                                // 20: resource
    {0, 0, 0},                                                                 // 21: variant
    {1, 32, 1},  {1, 64, 1},                                                   // 22: uint32, uint64
    {12, 8, 1},  {10, 8, 1},  {11, 8, 1}, {9, 8, 1},  {13, 8, 1},              // 24: float8
};

static_assert(tensorflow::DT_FLOAT == OPSRUN_DT_FLOAT && tensorflow::DT_STRING == OPSRUN_DT_STRING &&
              tensorflow::DT_RESOURCE == OPSRUN_DT_RESOURCE && tensorflow::DT_UINT64 == OPSRUN_DT_UINT64 &&
              tensorflow::DT_FLOAT8_E5M2FNUZ == OPSRUN_DT_FLOAT8_E5M2FNUZ);

}  // namespace

const opsrun_dldtype* FindType(int32_t dtype) {
  if (dtype < 0 || static_cast<size_t>(dtype) >= sizeof(kTypes) / sizeof(kTypes[0])) return nullptr;
  return kTypes[dtype].bits == 0 ? nullptr : &kTypes[dtype];
}

}  // namespace opsrun_tf
