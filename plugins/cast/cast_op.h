// plugins/cast/cast_op.h: the kernel of Cast, for any device, and the conversion of one number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>

#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"

// The types that Cast converts; quantized numbers as the underlying integers.
#define CAST_CALL_QUANTIZED(m) TF_CALL_qint8(m) TF_CALL_quint8(m) TF_CALL_qint16(m) TF_CALL_quint16(m) TF_CALL_qint32(m)

#define CAST_CALL_TYPES(m)                                                                                           \
  TF_CALL_bool(m) TF_CALL_NUMBER_TYPES(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) \
      TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)

namespace cast {

using namespace opsrun;

// The number of bits in a double's fraction.
constexpr int kAllFractionBits = 52;

// The number of bits in the type's fraction; kAllFractionBits for types that are not floating-point.
int FractionBits(DataType type);

// Caster: converts tensors on a device. Caster(from, to, keep) selects the conversion, where `keep` is the number of
// fraction bits to keep, and the others are truncated; Run converts all elements of a tensor.
template <typename Caster>
class CastOp : public OpKernel {
 public:
  explicit CastOp(OpKernelConstruction* context) : OpKernel(context) {
    DataType from = DT_INVALID, to = DT_INVALID;
    bool truncate = false;
    OP_REQUIRES_OK(context, context->GetAttr("SrcT", &from));
    OP_REQUIRES_OK(context, context->GetAttr("DstT", &to));
    OP_REQUIRES_OK(context, context->GetAttr("Truncate", &truncate));
    same_ = from == to;
    caster_ = Caster(from, to, truncate ? FractionBits(to) : kAllFractionBits);
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    if (same_) return context->set_output(0, input);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    OP_REQUIRES_OK(context, caster_.Run(context, input, output));
  }

 private:
  bool same_ = false;
  Caster caster_;
};

// One number as another type.
//
// Through a wide type that holds it exactly: int64, uint64, double or a complex number of doubles. So 20 types need 20
// conversions to a wide type and 4 times 20 from one, instead of 20 times 20. Also for GPUs.
#ifdef __CUDACC__
#define CAST_HOST_DEVICE __host__ __device__
#else
#define CAST_HOST_DEVICE
#endif

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

// The wide type of T.
template <typename T>
using Wide = std::conditional_t<
    kIsComplex<T>, std::complex<double>,
    std::conditional_t<!std::is_integral_v<T>, double, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

// Rounds towards zero. Numbers out of range become the nearest limit, and NaN becomes 0. Without branches, for vectors.
template <typename Int, typename Float, std::enable_if_t<std::is_floating_point_v<Float>, bool> = true>
CAST_HOST_DEVICE Int ToInteger(Float number) {
  using Limits = std::numeric_limits<Int>;
  // The maximum may be rounded up by one, and then does not fit either.
  constexpr Float kMin = static_cast<Float>(Limits::min()), kMax = static_cast<Float>(Limits::max());
  const Int integer = static_cast<Int>(number > kMin && number < kMax ? number : Float(0));
  const Int limit = (number >= kMax ? Limits::max() : Int(0)) | (number <= kMin ? Limits::min() : Int(0));
  return integer | limit;
}

// Truncates to the bits of the type.
template <typename Int, typename Wider, typename = std::enable_if_t<std::is_integral_v<Wider>>>
CAST_HOST_DEVICE Int ToInteger(Wider number) {
  return static_cast<Int>(number);
}

// The float nearest to the number, or the one with an odd last bit: rounding it to 16 bits is then exact.
CAST_HOST_DEVICE inline float RoundedToOdd(double number) {
  const float nearest = static_cast<float>(number);
  if (double{nearest} == number || number != number) return nearest;
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  const bool away = std::fabs(double{nearest}) > std::fabs(number);
  bits = (away ? bits - 1 : bits) | 1;
  float odd;
  std::memcpy(&odd, &bits, sizeof odd);
  return odd;
}

// An integer as a double that rounds to smaller types as it would: the last bit is the OR of those that do not fit.
template <typename Int>
CAST_HOST_DEVICE double StickyDouble(Int number) {
  constexpr int kTooMany = 11;
  constexpr uint64_t kCut = (uint64_t{1} << kTooMany) - 1;
  bool negative = false;
  if constexpr (std::is_signed_v<Int>) negative = number < 0;
  uint64_t magnitude = negative ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  if (magnitude >> 53 != 0 && (magnitude & kCut) != 0) magnitude = (magnitude & ~kCut) | (kCut + 1);
  return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}
CAST_HOST_DEVICE inline double StickyDouble(double number) {
  return number;
}

// A complex number becomes its real part if the target type is real.
template <typename To, typename From>
CAST_HOST_DEVICE To Convert(From number) {
  if constexpr (kIsComplex<To>) {
    using Part = typename To::value_type;
    if constexpr (kIsComplex<From>) {
      return To(static_cast<Part>(number.real()), static_cast<Part>(number.imag()));
    } else {
      return To(static_cast<Part>(number), 0);
    }
  } else if constexpr (kIsComplex<From>) {
    return Convert<To>(number.real());
  } else if constexpr (std::is_same_v<To, bool>) {
    return number != 0;
  } else if constexpr (std::is_integral_v<To>) {
    return ToInteger<To>(number);
  } else if constexpr (sizeof(To) == 2) {
    return To(RoundedToOdd(StickyDouble(number)));
  } else {
    return static_cast<To>(number);
  }
}

// Keeps only the upper `keep` of the 52 fraction bits.
CAST_HOST_DEVICE inline double Truncated(double number, int keep) {
  if (number != number) return number;
  uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  bits &= ~uint64_t{0} << (52 - keep);
  std::memcpy(&number, &bits, sizeof bits);
  return number;
}
inline std::complex<double> Truncated(const std::complex<double>& number, int keep) {
  return {Truncated(number.real(), keep), Truncated(number.imag(), keep)};
}

}  // namespace cast
