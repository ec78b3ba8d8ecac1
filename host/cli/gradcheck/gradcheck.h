// host/cli/gradcheck/gradcheck.h: checks gradients: of a graph at one point, of an op at points that are drawn for it, what
// is reported of that, and the Jacobians that are compared. Read this first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/engine/engine.h"
#include "host/engine/loaded_graph.h"
#include "host/gradient/differentiate.h"
#include "host/graph/graph.h"
#include "host/plugin/plugin.h"
#include "host/run/lane.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

struct GradientProblem {
  std::shared_ptr<const Graph> graph;
  GradientRequest request;               // wrt: declared feeds; `of` without gradients
  std::map<std::string, Tensor> values;  // of all declared feeds
};

struct GradientVerdict {
  enum class Kind {
    kRight,
    kWrong,       // numbers differ
    kInvalid,     // a declared gradient is invalid: see `diagnostics`
    kNotChecked,  // inconclusive: a kink, a number that is not finite, a failing kernel, or no usable problem
    kNoKernel,    // the op has no kernel for the type
  };
  Kind kind = Kind::kNotChecked;
  double worst = 0;      // the largest |declared - measured| / max(1, |measured|)
  double tolerance = 0;  // for `worst`
  std::string message;   // kWrong, kNotChecked: a sentence
  std::string element;   // kWrong: "d z[0, 1] / d x[2]: declared 1.5, measured 3"
  std::string looks;     // kWrong: what all wrong entries have in common; may be empty
  std::string input;     // kWrong: the input whose gradient is wrong
  Diagnostics diagnostics;
};

// Compares the Jacobian that follows from declared gradients with a measured one. Measures in float64, whatever the
// type of the graph, if the ops have kernels for it.
GradientVerdict CheckProblem(Engine& engine, const GradientProblem& problem);

// A node of the op with random attrs and small random inputs. All inputs with gradients are differentiated; others,
// such as axes and sizes, are constants. A seed gives the same problem on every machine. Nothing if the op rejects
// these attrs and inputs, or if they have no gradients: most draws fail, since the op's requirements are unknown. type:
// of the op's type attrs, where they allow it. ops: a graph of all ops of its plugin.
std::optional<GradientProblem> DrawProblem(const LoadedGraph& ops, const RegisteredOp& op, DType type, uint64_t seed);

// Random inputs rarely suit an op such as Conv2DBackpropFilter, but the gradient of Conv2D contains suitable ones. The
// attrs and inputs come from a node of `op` in the gradient of `user`, an op of the same plugin, for a problem that
// DrawProblem draws for the seed. Nothing if there is no such problem or node.
std::optional<GradientProblem> BorrowProblem(const LoadedGraph& ops, const RegisteredOp& op, const RegisteredOp& user,
                                             DType type, uint64_t seed);

// True if the gradient that `user` declares uses the op.
bool UsesInGradient(const RegisteredOp& user, const RegisteredOp& op);

struct OpCheckOptions {
  uint64_t seed = 0;          // of the first problem; later ones use the following numbers
  int problems = 10;          // problems to check for each type
  int draws = 20'000;         // attempts to find them
  std::optional<DType> type;  // check only this type
};

// The result for one type.
struct OpCheck {
  DType type = DType::kInvalid;
  int problems = 0;         // problems checked
  int kinks = 0;            // problems replaced by others because they could not be measured
  uint64_t seed = 0;        // of the worst problem
  GradientVerdict verdict;  // of the worst problem
  std::string node;         // of the worst problem: "x float32 [2, 3], axis = [1]; keep_dims: true"
};

// One result for each type with gradients that the op's spec allows. Requires: the op declares a gradient.
std::vector<OpCheck> CheckOp(Engine& engine, const RegisteredOp& op, const OpCheckOptions& options);

// Checks a graph at the values of its feeds. request.wrt: feeds. Declared feeds get random values, and size 2 where
// their size is unknown. Nothing after errors, which are in graph.diagnostics(): those of planning and differentiating,
// and G306 for a `wrt` that is not a feed.
std::optional<GradientVerdict> CheckGraph(LoadedGraph& graph, const GradientRequest& request, uint64_t seed);

// The results for an op of a plugin file.
struct CheckedOp {
  std::string file;
  const RegisteredOp* op = nullptr;
  bool checked = false;         // false: it declares no gradient, or needs none
  Diagnostics invalid;          // errors in the declared gradient; `checks` is then empty
  std::vector<OpCheck> checks;  // by type
};

// False if a gradient is wrong, invalid, or could not be checked for any type.
bool Passed(const CheckedOp& op);

// A line for each op: the types, how many problems were checked, the worst result.
std::string GradcheckText(const std::vector<CheckedOp>& ops);

// One JSON array with an object for each op.
std::string GradcheckJson(const std::vector<CheckedOp>& ops);

// The same for the check of a graph.
std::string VerdictText(const GradientVerdict& verdict);
std::string VerdictJson(const GradientVerdict& verdict);
// R507 or R508; nothing if the gradient is right.
std::optional<Diagnostic> DescribeVerdict(const GradientVerdict& verdict);

// The errors of an op that failed, with places in GradientSource(op): those of an invalid gradient, or R507 or R508 for
// the first failed type, which mentions the others.
std::vector<Diagnostic> DescribeOp(const CheckedOp& op);

// A graph as a function of its declared feeds. One thread at a time.
class GraphFunction {
 public:
  // Null after errors. feeds: the declared feeds, with values of the type and shape that all calls will have.
  static std::unique_ptr<GraphFunction> Create(Engine& engine, std::shared_ptr<const Graph> graph,
                                               const std::map<std::string, Tensor>& feeds, Diagnostics& diagnostics);

  void Set(const std::string& feed, const Tensor& value);
  // The outputs of the graph. The status of a failure names the node and the reason.
  Result<std::vector<Tensor>> Run();

 private:
  GraphFunction() = default;

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

// Of a graph's outputs with respect to its feeds: a row for each real number of the outputs, and a column for each of
// the feeds; a complex number counts as two. Row r of a real output y and column c of a real feed x is dy/dx.
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
