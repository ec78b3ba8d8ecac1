// host/spec/shape_engine.h: the dimensions and shapes of one inference, and which of them are known to be equal.
//
// Owns every handle that it returns; they live as long as the engine. The primitives of c_api.h that need no value
// (make_dim, make_shape, equate, dim_op) are its methods; set_output_shape belongs to the caller. One thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/spec/size_sum.h"
#include "opsrun/c_api.h"

namespace opsrun::host::spec {

class ShapeEngine {
 public:
  // computes: whether DimOp tells which unknown results are equal, beyond TensorFlow. Otherwise each is a new one.
  explicit ShapeEngine(bool computes = true) : computes_(computes) {}
  ShapeEngine(const ShapeEngine&) = delete;
  ShapeEngine& operator=(const ShapeEngine&) = delete;

  // value -1 makes a new unknown dimension; a lower one makes an element that is not a size: see element.h.
  const opsrun_dim* MakeDim(int64_t value);

  // rank -1 makes an unknown shape. INVALID_ARGUMENT for a rank below -1 or above OPSRUN_MAX_RANK, or a dimension that
  // does not belong to this engine.
  Result<const opsrun_shape*> MakeShape(int32_t rank, const opsrun_dim* const* dims);

  // A shape of known sizes; -1 entries become new unknown dimensions.
  const opsrun_shape* FromSizes(const std::vector<int64_t>& sizes);

  // A new shape of unknown rank: two calls return two shapes that are not known to be equal.
  const opsrun_shape* Unknown();

  // The elements of a value as sizes: -1, and what is not known, become new unknown dimensions. The shape itself if all
  // are sizes; INVALID_ARGUMENT for a number below -1. Requires: Owns(elements).
  Result<const opsrun_shape*> AsSizes(const opsrun_shape* elements);

  // Records that a and b are equal: Known then uses what is known about either of them, and about a size of which they
  // are a multiple. INVALID_ARGUMENT if they cannot be equal. asker: who found them equal, for WhyKnown.
  Status Equate(const opsrun_dim* a, const opsrun_dim* b, uint32_t asker = 0);

  // For undoing Equate: pass the earlier result of Equated() to Forget. Slow if there is something to undo.
  size_t Equated() const { return equations_.size(); }
  void Forget(size_t equated);

  // Explains why the size of a dimension without its own size is known: the askers of Equate, from the dimension to one
  // that has a size. Empty if it has its own size, or if the size is unknown. Slow: for messages.
  std::vector<uint32_t> WhyKnown(const opsrun_dim* dim) const;

  // OPSRUN_DIM_*: an unknown dimension unless both have their own size; the same one where arithmetic shows that it is
  // equal. The size of an equated dimension is ignored, so that the result of a shape function does not depend on the
  // order of its calls. OUT_OF_RANGE on overflow and on a negative difference; INVALID_ARGUMENT for an unknown op, for
  // division by zero and for an element that is not a size.
  Result<const opsrun_dim*> DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b);

  // Records that these are sizes of a tensor. A difference is not known to be 0 or more before; DimOp gives MAX of a
  // dimension and 0 as the dimension itself if it cannot be negative.
  void MarkSizes(const opsrun_shape* shape);

  // How DimOp made an unknown dimension; null for every other dimension.
  struct Term {
    uint32_t op = 0;  // OPSRUN_DIM_*
    const opsrun_dim* a = nullptr;
    const opsrun_dim* b = nullptr;
  };
  const Term* TermOf(const opsrun_dim* dim) const;

  // The two dimensions of equation `i`, in the order in which Equate found new ones. Requires: i < Equated().
  std::pair<const opsrun_dim*, const opsrun_dim*> EquationAt(size_t i) const {
    return {equations_[i].a, equations_[i].b};
  }

  // True for handles that this engine made; others are caused by a bug in a plugin and are refused. Accepts any pointer
  // value.
  bool Owns(const opsrun_dim* dim) const;
  bool Owns(const opsrun_shape* shape) const;

  // The dimension's size, even if only an equated one has it; -1 if unknown, or if the dimension does not belong to
  // this engine.
  int64_t Known(const opsrun_dim* dim) const;

  // The representative of all dimensions that were equated with this one, itself included: the same for each of them.
  // Requires: Owns(dim).
  const opsrun_dim* Find(const opsrun_dim* dim) const;

  // The shape with everything that was learned since it was made: the representative of each dimension. The shape
  // itself if that changes nothing. Requires: Owns(shape).
  const opsrun_shape* Refined(const opsrun_shape* shape);

  // "[2,?]"; "?" for an unknown rank, or if the shape does not belong to this engine.
  std::string Text(const opsrun_shape* shape) const;

 private:
  struct Equation {
    const opsrun_dim* a = nullptr;
    const opsrun_dim* b = nullptr;
    uint32_t asker = 0;
  };

  // What the results of DimOp are told apart by: the operation, and its operands, ordered if it is commutative.
  using Operation = std::tuple<uint32_t, SizeSum, SizeSum>;

  const opsrun_dim* NewDim(int64_t value);
  const opsrun_dim* NewTerm(const Term& term);
  SizeSum SumOf(const opsrun_dim* dim) const;
  Result<const opsrun_dim*> DimOfSum(const SizeSum& sum, const Term& term);
  const opsrun_dim* DimOfOperation(Operation operation, const Term& term);
  bool MayBeNegative(const Term& term) const;
  // An unknown size that an equation makes known.
  struct Solution {
    const opsrun_dim* size = nullptr;
    int64_t value = 0;
  };
  // Equate, for what was not found before; also what follows from it.
  Result<std::optional<Solution>> Unite(const opsrun_dim* a, const opsrun_dim* b, uint32_t asker);
  Result<std::optional<Solution>> Solve(const opsrun_dim* a, const opsrun_dim* b) const;
  // Requires: two representatives, not both of which are known unless they are equal.
  void Join(const opsrun_dim* a, const opsrun_dim* b, const Equation& equation);
  const opsrun_shape* NewShape(int32_t rank, std::vector<const opsrun_dim*> dims);

  const bool computes_;
  std::deque<opsrun_dim> dims_;
  std::deque<opsrun_shape> shapes_;
  std::deque<std::vector<const opsrun_dim*>> dim_lists_;
  std::unordered_map<const opsrun_dim*, uint32_t> owned_dims_;  // with their number in dims_
  std::unordered_set<const opsrun_shape*> owned_shapes_;
  // Union-find, only with dimensions that were equated. Points towards the representative, which has the size if any of
  // them does.
  mutable std::unordered_map<const opsrun_dim*, const opsrun_dim*> same_as_;
  std::vector<Equation> equations_;  // those that added information
  std::unordered_map<const opsrun_dim*, Term> terms_;
  std::unordered_map<const opsrun_dim*, SizeSum> sums_;    // of dimensions that are sums of others
  std::unordered_set<const opsrun_dim*> may_be_negative_;  // results of DimOp, until they are sizes of a tensor
  std::map<SizeSum, const opsrun_dim*> dims_of_sums_;
  std::map<Operation, const opsrun_dim*> dims_of_operations_;
};

// Elements of a value that are known before the run, as dimensions: see set_output_value in
// c_api.h.
//
// An element that is not a size has a `value` below -1, which no dimension of a shape has.

// Of an element of which nothing is known.
constexpr int64_t kNothingKnown = std::numeric_limits<int64_t>::min();

inline bool IsSize(const opsrun_dim& element) {
  return element.value >= -1;
}

// The `value` of an element that is this number. What would be the last two numbers is not known.
constexpr int64_t ElementValue(int64_t number) {
  if (number >= 0) return number;
  return number <= kNothingKnown + 1 ? kNothingKnown : number - 1;
}

// The number that a `value` is; nothing if it is not known.
constexpr std::optional<int64_t> NumberOf(int64_t value) {
  if (value >= 0) return value;
  if (value == -1 || value == kNothingKnown) return std::nullopt;
  return value + 1;
}

}  // namespace opsrun::host::spec
