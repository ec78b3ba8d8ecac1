// host/gradcheck/jacobian.h: Jacobians of a graph's outputs with respect to its feeds, measured and declared.
//
// A Jacobian has a row for each real number of the outputs, and a column for each of the feeds; a complex number counts
// as two. Row r of a real output y and column c of a real feed x is dy/dx.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/engine/loaded_graph.h"
#include "host/run/lane.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// A graph as a function of its declared feeds.

// One thread at a time.
class GraphFunction {
 public:
  // Null after errors. feeds: the declared feeds, with values of the type and shape that all calls will have.
  static std::unique_ptr<GraphFunction> Create(Engine& engine, std::shared_ptr<const Graph> graph,
                                               const std::map<std::string, Tensor>& feeds, Diagnostics& diagnostics);

  void Set(const std::string& feed, const Tensor& value);
  // The outputs of the graph. The status of a failure names the node and the reason.
  Result<std::vector<Tensor>> Run();

  const LoadedGraph& loaded() const { return *loaded_; }

 private:
  GraphFunction() = default;

  std::shared_ptr<LoadedGraph> loaded_;
  std::shared_ptr<const PlannedGraph> planned_;
  std::unique_ptr<LanePool> lanes_;
};

// What the precision of a type means for derivatives.
struct GradientPrecision {
  double step;  // the difference formula cancels errors up to h^4, so about the fifth root of the precision is optimal
  double steepness;  // how much the results of two steps may differ; about the square of it remains as error
  double noise;      // how much two slopes may differ because of the precision
  double rounding;   // a few times the machine epsilon, since outputs are sums of several rounded numbers
  // The allowed error of a declared derivative, relative to max(1, |measured|): of one measured in float64, or in this
  // type.
  double tolerance, own_tolerance;
};
GradientPrecision PrecisionOf(DType dtype);

struct Jacobian {
  size_t rows = 0, columns = 0;
  std::vector<double> entries;  // row-major
  double& At(size_t row, size_t column) { return entries[row * columns + column]; }
  double At(size_t row, size_t column) const { return entries[row * columns + column]; }
};

// The feeds that the columns represent, in order, and the point at which derivatives are taken.
using JacobianPoint = std::vector<std::pair<std::string, Tensor>>;

// Central differences with two steps, combined to cancel errors up to the fourth order. Computed in the type of the
// feeds.
struct MeasuredJacobian {
  Jacobian jacobian;
  // A column in which the function has a kink or jump near the point, or is too steep to be measured.
  std::optional<size_t> kink;
  // The largest error of any entry caused by rounding of outputs, relative to max(1, |entry|).
  double noise = 0;
};
Result<MeasuredJacobian> MeasureJacobian(GraphFunction& function, const JacobianPoint& point);

// Row r is the result of the graph `gradients` if the gradient of the outputs is 1 at r and 0 elsewhere. seeds: the
// feeds for the gradients of the outputs; first: the index of the first gradient among the graph's outputs.
Result<Jacobian> DeclaredJacobian(GraphFunction& gradients, const JacobianPoint& seeds, const JacobianPoint& point,
                                  size_t first);

struct JacobianDifference {
  double worst = 0;  // the largest |declared - measured| / max(1, |measured|); not finite if an entry is not
  size_t row = 0, column = 0;
  double declared = 0, measured = 0;
};

// Requires: equal sizes.
JacobianDifference CompareJacobians(const Jacobian& declared, const Jacobian& measured);

// What all entries in the columns of one feed, starting at `first`, have in common: "all entries are 0.5 times what
// they should be", "it would be right if it were transposed"; empty if nothing is found. tolerance: as for `worst`.
std::string DescribeDifference(const Jacobian& declared, const Jacobian& measured, size_t first, const Tensor& feed,
                               double tolerance);

// Numbers of any floating-point or complex type as real numbers.

// 2 for complex types (real and imaginary part), otherwise 1.
size_t PartsOf(DType dtype);

size_t CountParts(const Tensor& tensor);

// The parts of all elements, in row-major order. Requires: a type with gradients.
std::vector<double> RealParts(const Tensor& tensor);

// A tensor with these parts, rounded to its type. Nothing if out of memory. Requires: a type with gradients, and the
// number of parts that the shape has.
Result<Tensor> FromRealParts(DType dtype, const Shape& shape, const std::vector<double>& parts);

// float64 for real types, complex128 for complex ones.
DType PreciseType(DType dtype);

}  // namespace opsrun::host
