// opsrun_compat/variant_op_registry.h: the macros with which sources register what TensorFlow's own ops do with values
// in variants: decode them from a file, make zeros like them, add them, copy them to a device.
//
// opsrun has no such ops, so nothing calls what is registered. The macros check the same types as TensorFlow's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel.h"
#include "opsrun_compat/variant.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

enum VariantUnaryOp { INVALID_VARIANT_UNARY_OP = 0, ZEROS_LIKE_VARIANT_UNARY_OP = 1, CONJ_VARIANT_UNARY_OP = 2 };
enum VariantBinaryOp { INVALID_VARIANT_BINARY_OP = 0, ADD_VARIANT_BINARY_OP = 1 };
enum VariantDeviceCopyDirection {
  INVALID_DEVICE_COPY_DIRECTION = 0,
  HOST_TO_DEVICE = 1,
  DEVICE_TO_HOST = 2,
  DEVICE_TO_DEVICE = 3,
};

namespace internal {

// Copies a tensor between devices, asked by a function that is registered for a type.
using TensorCopier = std::function<Status(const Tensor& from, Tensor* to)>;

template <typename T>
constexpr bool IgnoredDecode() {
  static_assert(std::is_default_constructible_v<T>, "a value that is decoded is made empty first");
  return true;
}
template <typename T, typename Fn>
constexpr bool IgnoredUnary(VariantUnaryOp, const char*, const Fn&) {
  static_assert(std::is_invocable_r_v<Status, Fn, OpKernelContext*, const T&, T*>,
                "takes (OpKernelContext*, const T&, T*) and returns a Status");
  return true;
}
template <typename T, typename Fn>
constexpr bool IgnoredBinary(VariantBinaryOp, const char*, const Fn&) {
  static_assert(std::is_invocable_r_v<Status, Fn, OpKernelContext*, const T&, const T&, T*>,
                "takes (OpKernelContext*, const T&, const T&, T*) and returns a Status");
  return true;
}
template <typename T, typename Fn>
constexpr bool IgnoredCopy(VariantDeviceCopyDirection, const Fn&) {
  static_assert(std::is_invocable_r_v<Status, Fn, const T&, T*, TensorCopier>,
                "takes (const T&, T*, a function that copies tensors) and returns a Status");
  return true;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

#define OPSRUN_IGNORED_VARIANT(CALL) OPSRUN_IGNORED_VARIANT_2(__COUNTER__, CALL)
#define OPSRUN_IGNORED_VARIANT_2(N, CALL) OPSRUN_IGNORED_VARIANT_3(N, CALL)
#define OPSRUN_IGNORED_VARIANT_3(N, CALL) \
  [[maybe_unused]] static const bool opsrun_ignored_variant_##N = ::OPSRUN_NAMESPACE::internal::CALL

#define REGISTER_UNARY_VARIANT_DECODE_FUNCTION(T, type_name) OPSRUN_IGNORED_VARIANT(IgnoredDecode<T>())
#define REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(op, device, T, ...) \
  OPSRUN_IGNORED_VARIANT(IgnoredUnary<T>(::OPSRUN_NAMESPACE::op, device, __VA_ARGS__))
#define REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(op, device, T, ...) \
  OPSRUN_IGNORED_VARIANT(IgnoredBinary<T>(::OPSRUN_NAMESPACE::op, device, __VA_ARGS__))
#define INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(T, direction, ...) \
  OPSRUN_IGNORED_VARIANT(IgnoredCopy<T>(direction, __VA_ARGS__))
