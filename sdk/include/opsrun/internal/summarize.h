// opsrun/internal/summarize.h: the first elements of a tensor as text, for messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include "opsrun/float16.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <typename T, typename... Types>
constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

template <typename T>
void AppendElement(std::string* out, const void* data, int64 i) {
  if constexpr (kIsOneOf<T, complex64, complex128>) {
    typedef std::conditional_t<std::is_same_v<T, complex64>, float, double> Part;
    const Part* parts = static_cast<const Part*>(data) + 2 * i;
    *out += StrCat("(", parts[0], ",", parts[1], ")");
  } else if constexpr (kIsOneOf<T, qint8, quint8, qint16, quint16, qint32>) {
    *out += StrCat(static_cast<const T*>(data)[i].value);
  } else if constexpr (kIsOneOf<T, ResourceHandle, Variant>) {
    *out += '?';
  } else {
    *out += StrCat(static_cast<const T*>(data)[i]);
  }
}

// Element i of an array of `dtype`; "?" for types that cannot be printed.
OPSRUN_COLD inline void AppendElement(std::string* out, DataType dtype, const void* data, int64 i) {
#define OPSRUN_APPEND(NAME, name, bytes, dl_code, TYPE) \
  case DT_##NAME:                                       \
    return AppendElement<TYPE>(out, data, i);
  switch (dtype) {
    OPSRUN_DATA_TYPES(OPSRUN_APPEND, OPSRUN_NO_TYPE)
    case DT_HALF:
      return AppendElement<Half>(out, data, i);
    case DT_BFLOAT16:
      return AppendElement<BFloat16>(out, data, i);
    default:
      *out += '?';
  }
#undef OPSRUN_APPEND
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
