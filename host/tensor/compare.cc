// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/compare.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
double Distance(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    // Exact: two integers of 64 bits may be 2^64 - 1 apart.
    const auto wide = [](T x) { return static_cast<uint64_t>(x); };
    return static_cast<double>(a < b ? wide(b) - wide(a) : wide(a) - wide(b));
  } else {
    return std::abs(a - b);
  }
}

template <typename T>
double Magnitude(T x) {
  return std::abs(static_cast<std::conditional_t<std::is_integral_v<T>, double, T>>(x));
}

template <typename T>
bool IsNan(T x) {
  return x != x;
}

template <typename T>
Comparison CompareNumbers(const Tensor& found, const Tensor& expected, const Tolerance& tolerance) {
  Comparison comparison;
  double worst = -1;
  for (int64_t i = 0; i < found.num_elements(); ++i) {
    const Wide<T> a = ElementAt<T>(found, i), b = ElementAt<T>(expected, i);
    if (a == b || (tolerance.equal_nan && IsNan(a) && IsNan(b))) continue;
    // If only one side is infinite, no tolerance is enough.
    const bool finite = std::isfinite(Magnitude(a)) && std::isfinite(Magnitude(b));
    const double allowed = tolerance.atol + (finite ? tolerance.rtol * Magnitude(b) : 0);
    const double difference = IsNan(a) || IsNan(b) ? std::numeric_limits<double>::quiet_NaN() : Distance(a, b);
    if (finite && difference <= allowed) continue;
    ++comparison.wrong;
    const double excess = finite ? difference - allowed : kInfinity;
    if (excess <= worst) continue;
    worst = excess;
    comparison.place = i;
    comparison.difference = difference;
    comparison.allowed = allowed;
  }
  return comparison;
}

// Strings are equal or not; the first that differs counts as the worst.
Comparison CompareStrings(const Tensor& found, const Tensor& expected) {
  Comparison comparison;
  comparison.difference = std::numeric_limits<double>::quiet_NaN();
  for (int64_t i = found.num_elements() - 1; i >= 0; --i) {
    if (found.string(i) == expected.string(i)) continue;
    ++comparison.wrong;
    comparison.place = i;
  }
  return comparison;
}

}  // namespace

Tolerance DefaultTolerance(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return {1e-3, 1e-5, false};
    case DType::kBFloat16:
      return {1e-2, 1e-5, false};
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E4M3B11FNUZ:
      return {0.125, 1e-5, false};
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
      return {0.25, 1e-5, false};
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kComplex64:
    case DType::kComplex128:
      return {1e-5, 1e-8, false};
    default:
      return {};
  }
}

Comparison CompareTensors(const Tensor& found, const Tensor& expected, const Tolerance& tolerance) {
  if (found.dtype() == DType::kString) return CompareStrings(found, expected);
  return WithNumberType(found.dtype(), [&]<typename T>(T) { return CompareNumbers<T>(found, expected, tolerance); });
}

std::string IndexText(const Shape& shape, int64_t place) {
  Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return ShapeText(index);
}

}  // namespace opsrun::host
