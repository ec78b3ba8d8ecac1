// opsrun/internal/summarize.h: the first elements of a tensor as text, for messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/float16.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <typename T>
void AppendElement(std::string* out, const void* data, int64 i) {
  *out += StrCat(static_cast<const T*>(data)[i]);
}

template <typename T>
void AppendComplex(std::string* out, const void* data, int64 i) {
  const T* parts = static_cast<const T*>(data) + 2 * i;
  out->append(StrCat("(", parts[0], ",", parts[1], ")"));
}

// Element i of an array of `dtype`; "?" for types that cannot be printed.
OPSRUN_COLD inline void AppendElement(std::string* out, DataType dtype, const void* data, int64 i) {
  switch (dtype) {
    case DT_FLOAT:
      return AppendElement<float>(out, data, i);
    case DT_DOUBLE:
      return AppendElement<double>(out, data, i);
    case DT_HALF:
      return AppendElement<Half>(out, data, i);
    case DT_BFLOAT16:
      return AppendElement<BFloat16>(out, data, i);
    case DT_FLOAT8_E5M2:
      return AppendElement<float8_e5m2>(out, data, i);
    case DT_FLOAT8_E4M3FN:
      return AppendElement<float8_e4m3fn>(out, data, i);
    case DT_FLOAT8_E4M3FNUZ:
      return AppendElement<float8_e4m3fnuz>(out, data, i);
    case DT_FLOAT8_E4M3B11FNUZ:
      return AppendElement<float8_e4m3b11fnuz>(out, data, i);
    case DT_FLOAT8_E5M2FNUZ:
      return AppendElement<float8_e5m2fnuz>(out, data, i);
    case DT_INT8:
    case DT_QINT8:
      return AppendElement<int8>(out, data, i);
    case DT_UINT8:
    case DT_QUINT8:
      return AppendElement<uint8>(out, data, i);
    case DT_INT16:
    case DT_QINT16:
      return AppendElement<int16>(out, data, i);
    case DT_UINT16:
    case DT_QUINT16:
      return AppendElement<uint16>(out, data, i);
    case DT_INT32:
    case DT_QINT32:
      return AppendElement<int32>(out, data, i);
    case DT_UINT32:
      return AppendElement<uint32>(out, data, i);
    case DT_INT64:
      return AppendElement<int64>(out, data, i);
    case DT_UINT64:
      return AppendElement<uint64>(out, data, i);
    case DT_BOOL:
      return AppendElement<bool>(out, data, i);
    case DT_COMPLEX64:
      return AppendComplex<float>(out, data, i);
    case DT_COMPLEX128:
      return AppendComplex<double>(out, data, i);
    case DT_STRING:
      out->append(static_cast<const tstring*>(data)[i]);
      return;
    default:
      out->append("?");
  }
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
