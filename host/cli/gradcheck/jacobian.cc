// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/cli/gradcheck/gradcheck.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

size_t CountParts(const JacobianPoint& tensors) {
  size_t count = 0;
  for (const auto& [name, tensor] : tensors) count += CountParts(tensor);
  return count;
}

std::vector<double> Flat(const std::vector<Tensor>& tensors, size_t first = 0) {
  std::vector<double> flat;
  for (size_t i = first; i < tensors.size(); ++i) {
    const std::vector<double> parts = RealParts(tensors[i]);
    flat.insert(flat.end(), parts.begin(), parts.end());
  }
  return flat;
}

Status CheckShapes(const std::vector<Tensor>& outputs, size_t first, const JacobianPoint& point) {
  for (size_t i = 0; i < point.size(); ++i) {
    const auto& [feed, tensor] = point[i];
    const Tensor& gradient = outputs[first + i];
    if (gradient.shape() == tensor.shape()) continue;
    return InvalidArgument(fmt::format("the gradient of '{}' has shape {}, but the input has shape {}", feed,
                                       ShapeText(gradient.shape()), ShapeText(tensor.shape())));
  }
  return OkStatus();
}

class Measurement {
 public:
  Measurement(GraphFunction& function, const JacobianPoint& point) : function_(function), point_(point) {}

  Result<MeasuredJacobian> Run() {
    const Result<std::vector<Tensor>> outputs = function_.Run();
    if (!outputs.ok()) return outputs.status();
    at_point_ = Flat(*outputs);
    if (!IsRepeated()) return FailedPrecondition("the same inputs give different outputs each time");
    measured_.jacobian.rows = at_point_.size();
    measured_.jacobian.columns = CountParts(point_);
    measured_.jacobian.entries.resize(at_point_.size() * measured_.jacobian.columns);
    size_t column = 0;
    for (const auto& [feed, tensor] : point_) {
      const std::vector<double> parts = RealParts(tensor);
      for (size_t i = 0; i < parts.size(); ++i, ++column) {
        if (const Status status = MeasureColumn(feed, tensor, parts, i, column); !status.ok()) return status;
      }
      function_.Set(feed, tensor);
    }
    return std::move(measured_);
  }

 private:
  bool IsRepeated() {
    const Result<std::vector<Tensor>> again = function_.Run();
    if (!again.ok()) return true;
    const std::vector<double> flat = Flat(*again);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    return std::equal(flat.begin(), flat.end(), at_point_.begin(), at_point_.end(), same);
  }

  // The outputs with part i of the feed moved by about `step`; *moved: the exact distance after rounding.
  Result<std::vector<double>> At(const std::string& feed, const Tensor& tensor, std::vector<double> parts, size_t i,
                                 double step, double* moved) {
    const double from = parts[i];
    parts[i] += step;
    const Result<Tensor> there = FromRealParts(tensor.dtype(), tensor.shape(), parts);
    if (!there.ok()) return there.status();
    *moved = RealParts(*there)[i] - from;
    function_.Set(feed, *there);
    const Result<std::vector<Tensor>> outputs = function_.Run();
    if (!outputs.ok()) return outputs.status();
    std::vector<double> flat = Flat(*outputs);
    // Outputs of ops such as Unique or Where may even change their number of elements.
    if (flat.size() != at_point_.size()) return FailedPrecondition("the shapes of outputs change with values");
    return flat;
  }

  Status MeasureColumn(const std::string& feed, const Tensor& tensor, const std::vector<double>& parts, size_t i,
                       size_t column) {
    const GradientPrecision precision = PrecisionOf(tensor.dtype());
    const double step = precision.step * std::max(1.0, std::fabs(parts[i]));
    double moved[4];
    std::vector<double> there[4];
    const double steps[4] = {-step, -step / 2, step / 2, step};
    for (int k = 0; k < 4; ++k) {
      Result<std::vector<double>> outputs = At(feed, tensor, parts, i, steps[k], &moved[k]);
      if (!outputs.ok()) return outputs.status();
      there[k] = *std::move(outputs);
    }
    for (size_t row = 0; row < at_point_.size(); ++row) {
      const double wide = (there[3][row] - there[0][row]) / (moved[3] - moved[0]);
      const double narrow = (there[2][row] - there[1][row]) / (moved[2] - moved[1]);
      const double entry = measured_.jacobian.At(row, column) = (4 * narrow - wide) / 3;
      const double noise = precision.rounding * std::fabs(at_point_[row]) / (moved[3] - moved[0]);
      measured_.noise = std::max(measured_.noise, noise / std::max(1.0, std::fabs(entry)));
      const bool steep = std::fabs(wide - narrow) > precision.steepness * std::max(1.0, std::fabs(narrow));
      if (steep || HasKink(precision.noise, moved, there, row)) measured_.kink = column;
    }
    return OkStatus();
  }

  // For a smooth function, the difference between left and right slopes shrinks in proportion to the step.
  bool HasKink(double noise, const double* moved, const std::vector<double>* there, size_t row) const {
    const double y = at_point_[row];
    const auto slope = [&](int k) { return (there[k][row] - y) / moved[k]; };
    const double far = std::fabs(slope(3) - slope(0)), near = std::fabs(slope(2) - slope(1));
    const double size = std::max({1.0, std::fabs(slope(1)), std::fabs(slope(2))});
    const double scale = std::max(1.0, std::fabs(y));
    return !std::isfinite(far + near) || near > 0.75 * far + noise * size * scale;
  }

  GraphFunction& function_;
  const JacobianPoint& point_;
  std::vector<double> at_point_;
  MeasuredJacobian measured_;
};

}  // namespace

GradientPrecision PrecisionOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128:
      return {1e-3, 1e-4, 1e-7, 8 * 0x1p-52, 1e-6, 1e-6};
    case DType::kFloat32:
    case DType::kComplex64:
      return {3e-2, 1e-2, 2e-3, 8 * 0x1p-23, 1e-4, 5e-3};
    case DType::kFloat16:
      return {0.125, 0.1, 0.2, 8 * 0x1p-10, 2e-2, 0.2};
    case DType::kBFloat16:
      return {0.125, 0.1, 0.2, 8 * 0x1p-10, 0.1, 0.5};
    default:  // 8-bit types
      return {0.125, 0.1, 0.2, 8 * 0x1p-10, 0.75, 0.75};
  }
}

Result<MeasuredJacobian> MeasureJacobian(GraphFunction& function, const JacobianPoint& point) {
  return Measurement(function, point).Run();
}

Result<Jacobian> DeclaredJacobian(GraphFunction& gradients, const JacobianPoint& seeds, const JacobianPoint& point,
                                  size_t first) {
  Jacobian jacobian;
  jacobian.rows = CountParts(seeds);
  jacobian.columns = CountParts(point);
  for (const auto& [feed, tensor] : seeds) {
    std::vector<double> parts(CountParts(tensor));
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i] = 1;
      const Result<Tensor> seed = FromRealParts(tensor.dtype(), tensor.shape(), parts);
      parts[i] = 0;
      if (!seed.ok()) return seed.status();
      gradients.Set(feed, *seed);
      const Result<std::vector<Tensor>> outputs = gradients.Run();
      if (!outputs.ok()) return outputs.status();
      if (const Status status = CheckShapes(*outputs, first, point); !status.ok()) return status;
      const std::vector<double> row = Flat(*outputs, first);
      jacobian.entries.insert(jacobian.entries.end(), row.begin(), row.end());
    }
    gradients.Set(feed, tensor);
  }
  return jacobian;
}

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
