// adapters/jax/native/values.cc
// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <algorithm>
#include <iterator>

#include "adapters/common/engine.h"

void opsrun_adapter::Throw(int32_t code, const std::string& text) {
  throw Failure(code, text);
}

namespace opsrun_jax {
namespace {

constexpr TypeNumbers kTypes[] = {
    {OPSRUN_DT_FLOAT, XLA_FFI_DataType_F32, {2, 32, 1}},
    {OPSRUN_DT_DOUBLE, XLA_FFI_DataType_F64, {2, 64, 1}},
    {OPSRUN_DT_HALF, XLA_FFI_DataType_F16, {2, 16, 1}},
    {OPSRUN_DT_BFLOAT16, XLA_FFI_DataType_BF16, {4, 16, 1}},
    {OPSRUN_DT_INT8, XLA_FFI_DataType_S8, {0, 8, 1}},
    {OPSRUN_DT_INT16, XLA_FFI_DataType_S16, {0, 16, 1}},
    {OPSRUN_DT_INT32, XLA_FFI_DataType_S32, {0, 32, 1}},
    {OPSRUN_DT_INT64, XLA_FFI_DataType_S64, {0, 64, 1}},
    {OPSRUN_DT_UINT8, XLA_FFI_DataType_U8, {1, 8, 1}},
    {OPSRUN_DT_UINT16, XLA_FFI_DataType_U16, {1, 16, 1}},
    {OPSRUN_DT_UINT32, XLA_FFI_DataType_U32, {1, 32, 1}},
    {OPSRUN_DT_UINT64, XLA_FFI_DataType_U64, {1, 64, 1}},
    {OPSRUN_DT_BOOL, XLA_FFI_DataType_PRED, {6, 8, 1}},
    {OPSRUN_DT_COMPLEX64, XLA_FFI_DataType_C64, {5, 64, 1}},
    {OPSRUN_DT_COMPLEX128, XLA_FFI_DataType_C128, {5, 128, 1}},
    {OPSRUN_DT_FLOAT8_E5M2, XLA_FFI_DataType_F8E5M2, {12, 8, 1}},
    {OPSRUN_DT_FLOAT8_E4M3FN, XLA_FFI_DataType_F8E4M3FN, {10, 8, 1}},
    {OPSRUN_DT_FLOAT8_E4M3FNUZ, XLA_FFI_DataType_F8E4M3FNUZ, {11, 8, 1}},
    {OPSRUN_DT_FLOAT8_E4M3B11FNUZ, XLA_FFI_DataType_F8E4M3B11FNUZ, {9, 8, 1}},
    {OPSRUN_DT_FLOAT8_E5M2FNUZ, XLA_FFI_DataType_F8E5M2FNUZ, {13, 8, 1}},
    {OPSRUN_DT_QINT8, XLA_FFI_DataType_S8, {3, 8, 1}},
    {OPSRUN_DT_QUINT8, XLA_FFI_DataType_U8, {3, 8, 1}},
    {OPSRUN_DT_QINT16, XLA_FFI_DataType_S16, {3, 16, 1}},
    {OPSRUN_DT_QUINT16, XLA_FFI_DataType_U16, {3, 16, 1}},
    {OPSRUN_DT_QINT32, XLA_FFI_DataType_S32, {3, 32, 1}},
};

}  // namespace

const TypeNumbers* FindType(int32_t dtype) {
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeNumbers& type) { return type.opsrun == dtype; });
  return found == std::end(kTypes) ? nullptr : found;
}

bool CountBytes(const TypeNumbers& type, int32_t rank, const int64_t* dims, size_t& bytes) {
  if (rank < 0 || rank > OPSRUN_MAX_RANK) return false;
  if (std::any_of(dims, dims + rank, [](int64_t size) { return size < 0; })) return false;
  if (std::find(dims, dims + rank, 0) != dims + rank) {
    bytes = 0;
    return true;
  }
  int64_t n = static_cast<int64_t>(type.bytes());
  for (int32_t i = 0; i < rank; ++i) {
    if (__builtin_mul_overflow(n, dims[i], &n)) return false;
  }
  bytes = static_cast<size_t>(n);
  return true;
}

Owner::Owner(const opsrun_host* its_host, const TypeNumbers& type, int32_t its_rank, const int64_t* dims, size_t bytes)
    : sizes_(dims, dims + its_rank) {
  sizes_.resize(2 * sizes_.size());
  opsrun_adapter::Expect(*this, its_host, type.opsrun, type.dl);
  opsrun_adapter::Show(*this, std::aligned_alloc(64, (bytes / 64 + 1) * 64), its_rank, sizes_.data(),
                       sizes_.data() + its_rank);
}

}  // namespace opsrun_jax
