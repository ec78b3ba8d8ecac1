// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/gradcheck/jacobian.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

double Distance(double declared, double measured) {
  return std::fabs(declared - measured) / std::max(1.0, std::fabs(measured));
}

// The columns of one feed.
class Block {
 public:
  Block(const Jacobian& declared, const Jacobian& measured, size_t first, const Tensor& feed, double tolerance)
      : declared_(declared),
        measured_(measured),
        first_(first),
        feed_(feed),
        tolerance_(tolerance),
        columns_(CountParts(feed)) {}

  std::string Describe() const {
    if (IsZero(declared_)) return "the declared gradient is zero, but the outputs depend on the input";
    if (IsZero(measured_)) return "the outputs do not depend on the input, but the declared gradient is not zero";
    if (const std::optional<double> factor = Factor()) {
      return fmt::format("all entries are {:.6g} times what they should be", *factor);
    }
    if (IsTransposed()) return "it would be right if the gradient were transposed";
    if (const auto [missing, of] = MissingRows(); missing > 0) {
      return fmt::format("contributions of {} of {} elements of the outputs are missing, as if a sum were left out",
                         missing, of);
    }
    return {};
  }

 private:
  bool Near(double a, double b) const { return Distance(a, b) <= tolerance_; }

  template <typename Fn>
  bool All(const Fn& holds) const {
    for (size_t row = 0; row < measured_.rows; ++row) {
      for (size_t i = 0; i < columns_; ++i) {
        if (!holds(row, i)) return false;
      }
    }
    return true;
  }

  bool IsZero(const Jacobian& jacobian) const {
    return All([&](size_t row, size_t i) { return Near(jacobian.At(row, first_ + i), 0); });
  }

  // The common factor between both. Taken from the largest entry, which is the most precise.
  std::optional<double> Factor() const {
    double largest = 0, factor = 0;
    All([&](size_t row, size_t i) {
      const double measured = measured_.At(row, first_ + i);
      if (std::fabs(measured) > largest) factor = declared_.At(row, first_ + i) / measured;
      largest = std::max(largest, std::fabs(measured));
      return true;
    });
    const bool everywhere = All([&](size_t row, size_t i) {
      return Near(declared_.At(row, first_ + i), factor * measured_.At(row, first_ + i));
    });
    return everywhere ? std::optional(factor) : std::nullopt;
  }

  bool IsTransposed() const {
    const Shape& shape = feed_.shape();
    if (shape.size() != 2 || PartsOf(feed_.dtype()) != 1 || shape[0] != shape[1]) return false;
    const auto size = static_cast<size_t>(shape[0]);
    return All([&](size_t row, size_t i) {
      return Near(declared_.At(row, first_ + i % size * size + i / size), measured_.At(row, first_ + i));
    });
  }

  // Number of rows that are zero but should not be, provided that all other rows are right; and number of nonzero rows.
  std::pair<size_t, size_t> MissingRows() const {
    size_t missing = 0, of = 0;
    for (size_t row = 0; row < measured_.rows; ++row) {
      bool zero = true, right = true, matters = false;
      for (size_t i = 0; i < columns_; ++i) {
        zero = zero && Near(declared_.At(row, first_ + i), 0);
        right = right && Near(declared_.At(row, first_ + i), measured_.At(row, first_ + i));
        matters = matters || !Near(measured_.At(row, first_ + i), 0);
      }
      if (!zero && !right) return {0, 0};
      missing += zero && matters ? 1 : 0;
      of += matters ? 1 : 0;
    }
    return {missing, of};
  }

  const Jacobian& declared_;
  const Jacobian& measured_;
  const size_t first_;
  const Tensor& feed_;
  const double tolerance_;
  const size_t columns_;
};

}  // namespace

JacobianDifference CompareJacobians(const Jacobian& declared, const Jacobian& measured) {
  JacobianDifference difference;
  for (size_t row = 0; row < measured.rows; ++row) {
    for (size_t column = 0; column < measured.columns; ++column) {
      const double distance = Distance(declared.At(row, column), measured.At(row, column));
      if (distance <= difference.worst) continue;  // false for NaN
      difference = {distance, row, column, declared.At(row, column), measured.At(row, column)};
      if (!std::isfinite(distance)) return difference;
    }
  }
  return difference;
}

std::string DescribeDifference(const Jacobian& declared, const Jacobian& measured, size_t first, const Tensor& feed,
                               double tolerance) {
  return Block(declared, measured, first, feed, tolerance).Describe();
}

size_t PartsOf(DType dtype) {
  return IsComplex(dtype) ? 2 : 1;
}

size_t CountParts(const Tensor& tensor) {
  return static_cast<size_t>(tensor.num_elements()) * PartsOf(tensor.dtype());
}

DType PreciseType(DType dtype) {
  return PartsOf(dtype) == 2 ? DType::kComplex128 : DType::kFloat64;
}

std::vector<double> RealParts(const Tensor& tensor) {
  std::vector<double> parts;
  WithNumberType(tensor.dtype(), [&]<typename T>(T) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      const T element = ElementAt<T>(tensor, i);
      if constexpr (kIsComplex<T>) {
        parts.insert(parts.end(), {double{element.real()}, double{element.imag()}});
      } else {
        parts.push_back(static_cast<double>(element));
      }
    }
  });
  return parts;
}

Result<Tensor> FromRealParts(DType dtype, const Shape& shape, const std::vector<double>& parts) {
  Result<Tensor> tensor = Tensor::Create(dtype, shape);
  if (!tensor.ok()) return tensor;
  WithNumberType(dtype, [&]<typename T>(T) {
    T* const elements = static_cast<T*>(tensor->mutable_data());
    for (int64_t i = 0; i < tensor->num_elements(); ++i) {
      if constexpr (kIsComplex<T>) {
        using Part = typename T::value_type;
        elements[i] = {static_cast<Part>(parts[2 * i]), static_cast<Part>(parts[2 * i + 1])};
      } else {
        elements[i] = static_cast<T>(parts[i]);
      }
    }
  });
  return tensor;
}

}  // namespace opsrun::host
