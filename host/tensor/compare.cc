// host/tensor/compare.cc: see compare.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/compare.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "host/tensor/float16.h"
#include "host/tensor/print.h"
#include "host/tensor/string_text.h"

namespace opsrun::host {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
T Load(const Tensor& tensor, int64_t place) {
  T element;
  std::memcpy(&element, static_cast<const char*>(tensor.data()) + static_cast<size_t>(place) * sizeof element,
              sizeof element);
  return element;
}

// Exact: two integers of 64 bits may be 2^64 - 1 apart.
template <typename T>
double Distance(T a, T b) {
  const auto wide = [](T x) { return static_cast<uint64_t>(x); };
  return static_cast<double>(a < b ? wide(b) - wide(a) : wide(a) - wide(b));
}
double Distance(double a, double b) {
  return std::abs(a - b);
}
double Distance(std::complex<double> a, std::complex<double> b) {
  return std::abs(a - b);
}

template <typename T>
double Magnitude(T x) {
  return std::abs(static_cast<double>(x));
}
double Magnitude(std::complex<double> x) {
  return std::abs(x);
}

template <typename T>
bool IsNan(T) {
  return false;
}
bool IsNan(double x) {
  return std::isnan(x);
}
bool IsNan(std::complex<double> x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}

// load(tensor, place) gives an integer, a double or a complex<double>.
template <typename LoadElement>
Comparison Compare(const Tensor& found, const Tensor& expected, const Tolerance& tolerance, LoadElement load) {
  Comparison comparison;
  double worst = -1;
  for (int64_t i = 0; i < found.num_elements(); ++i) {
    const auto a = load(found, i), b = load(expected, i);
    if (a == b || (tolerance.equal_nan && IsNan(a) && IsNan(b))) continue;
    // What is infinite on one side only is wrong by any tolerance.
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

// Texts are the same or not: the first that differs is the worst.
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
  const auto compare = [&](auto load) { return Compare(found, expected, tolerance, load); };
  switch (found.dtype()) {
    case DType::kFloat64:
      return compare(Load<double>);
    case DType::kFloat32:
      return compare([](const Tensor& t, int64_t i) { return static_cast<double>(Load<float>(t, i)); });
    case DType::kFloat16:
      return compare([](const Tensor& t, int64_t i) { return double{HalfToFloat(Load<uint16_t>(t, i))}; });
    case DType::kBFloat16:
      return compare([](const Tensor& t, int64_t i) { return double{BFloat16ToFloat(Load<uint16_t>(t, i))}; });
    case DType::kComplex128:
      return compare(Load<std::complex<double>>);
    case DType::kComplex64:
      return compare([](const Tensor& t, int64_t i) { return std::complex<double>(Load<std::complex<float>>(t, i)); });
    case DType::kInt8:
    case DType::kQInt8:
      return compare(Load<int8_t>);
    case DType::kInt16:
    case DType::kQInt16:
      return compare(Load<int16_t>);
    case DType::kInt32:
    case DType::kQInt32:
      return compare(Load<int32_t>);
    case DType::kInt64:
      return compare(Load<int64_t>);
    case DType::kUInt64:
      return compare(Load<uint64_t>);
    case DType::kString:
      return CompareStrings(found, expected);
    case DType::kUInt32:
      return compare(Load<uint32_t>);
    case DType::kUInt16:
    case DType::kQUInt16:
      return compare(Load<uint16_t>);
    case DType::kBool:
    case DType::kUInt8:
    case DType::kQUInt8:
      return compare(Load<uint8_t>);
    case DType::kInvalid:
    case DType::kResource:
    case DType::kVariant:
      break;
  }
  return {};
}

std::string IndexText(const Shape& shape, int64_t place) {
  Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return ShapeText(index);
}

std::string ElementText(const Tensor& tensor, int64_t place) {
  if (tensor.dtype() == DType::kString) return QuotedText(tensor.string(place));
  Result<Tensor> element = Tensor::Create(tensor.dtype(), {});
  if (!element.ok()) return "?";
  const size_t size = DTypeSize(tensor.dtype());
  std::memcpy(element->mutable_data(), static_cast<const char*>(tensor.data()) + static_cast<size_t>(place) * size,
              size);
  return PrintTensor(*element);
}

}  // namespace opsrun::host
