// opsrun_compat/type_traits.h: what kind of elements a C++ type is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

template <typename T>
struct is_complex : std::bool_constant<std::is_same_v<T, complex64> || std::is_same_v<T, complex128>> {};

template <typename T>
struct is_quantized
    : std::bool_constant<std::is_same_v<T, qint8> || std::is_same_v<T, quint8> || std::is_same_v<T, qint16> ||
                         std::is_same_v<T, quint16> || std::is_same_v<T, qint32>> {};

// Elements that are copied as bytes.
template <typename T>
struct is_simple_type : std::bool_constant<std::is_trivially_copyable_v<T>> {};

}  // namespace OPSRUN_HIDDEN
