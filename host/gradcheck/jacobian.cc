// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/jacobian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

std::unique_ptr<GraphFunction> GraphFunction::Create(Engine& engine, std::shared_ptr<const Graph> graph,
                                                     const std::map<std::string, Tensor>& feeds,
                                                     Diagnostics& diagnostics) {
  std::unique_ptr<GraphFunction> function(new GraphFunction());
  function->loaded_ = engine.LoadGraph(std::move(graph));
  PlanOptions options;
  options.threads = 1;
  for (const auto& [name, value] : feeds) options.feeds[name] = {value.dtype(), value.shape()};
  function->planned_ = function->loaded_->Plan(options, diagnostics);
  if (function->planned_ == nullptr) return nullptr;
  function->lanes_ = function->planned_->MakeLanes(1, nullptr, diagnostics);
  if (function->lanes_ == nullptr) return nullptr;
  for (const auto& [name, value] : feeds) function->Set(name, value);
  return function;
}

// Cannot fail, since the type and shape are those that were planned.
void GraphFunction::Set(const std::string& feed, const Tensor& value) {
  static_cast<void>(lanes_->lanes()[0]->SetFeed(feed, value));
}

Result<std::vector<Tensor>> GraphFunction::Run() {
  Lane& lane = *lanes_->lanes()[0];
  if (const std::optional<RunFailure> failure = lane.Run()) {
    return Status(failure->status.code(), DescribeFailure(planned_->plan(), *failure).message);
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < planned_->plan().outputs.size(); ++i) {
    Result<Tensor> output = lane.Output(i);
    if (!output.ok()) return output.status();
    outputs.push_back(*std::move(output));
  }
  return outputs;
}

}  // namespace opsrun::host
