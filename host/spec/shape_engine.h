// host/spec/shape_engine.h: the dimensions and shapes of one shape inference, and which dimensions are known to be
// equal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "opsrun/c_api.h"

namespace opsrun::host::spec {

// A size as a sum of products of other sizes, in a normal form: equal sums mean equal sizes.
//
// Has an integer coefficient for each product. The owner numbers the sizes.
class SizeSum {
 public:
  static SizeSum Constant(int64_t value);
  static SizeSum Of(uint32_t size);

  // Nothing if a coefficient does not fit 64 bits, or if the result is too long to be worth keeping.
  std::optional<SizeSum> Plus(const SizeSum& other) const;
  std::optional<SizeSum> Minus(const SizeSum& other) const;
  std::optional<SizeSum> Times(const SizeSum& other) const;
  // Nothing also if there may be a remainder for some sizes.
  std::optional<SizeSum> DividedBy(const SizeSum& other) const;

  std::optional<int64_t> AsConstant() const;
  std::optional<uint32_t> AsSize() const;  // nothing unless it is a single size

  // True if a coefficient is negative, or if `is_open` is true for one of the sizes.
  template <typename IsOpen>
  bool MayBeNegative(const IsOpen& is_open) const {
    for (const auto& [product, coefficient] : terms_) {
      if (coefficient < 0) return true;
      for (const uint32_t size : product) {
        if (is_open(size)) return true;
      }
    }
    return false;
  }

  // The sum a * x + b, where x is `size`.
  struct Line {
    uint32_t size = 0;
    int64_t a = 0, b = 0;
  };
  std::optional<Line> AsLine() const;

  auto operator<=>(const SizeSum&) const = default;

 private:
  using Product = std::vector<uint32_t>;  // sizes, ascending; empty: 1

  std::optional<SizeSum> PlusScaled(const SizeSum& other, int64_t factor) const;
  // False on overflow.
  bool Add(const Product& product, int64_t coefficient);
  bool IsTooLong() const;

  std::map<Product, int64_t> terms_;  // without coefficients of 0
};

// Owns all handles that it returns; they live as long as the engine. Its methods implement the primitives of c_api.h
// that need no value (make_dim, make_shape, equate, dim_op); set_output_shape is up to the caller. Not thread-safe.
class ShapeEngine {
 public:
  // computes: DimOp also finds out which unknown results are equal, which TensorFlow does not. If false, each is new.
  explicit ShapeEngine(bool computes = true) : computes_(computes) {}
  ShapeEngine(const ShapeEngine&) = delete;
  ShapeEngine& operator=(const ShapeEngine&) = delete;

  // value -1 makes a new unknown dimension; a lower one makes an element that is not a size (see IsSize).
  const opsrun_dim* MakeDim(int64_t value);

  // rank -1 makes an unknown shape. INVALID_ARGUMENT for a rank below -1 or above OPSRUN_MAX_RANK, or a dimension that
  // does not belong to this engine.
  Result<const opsrun_shape*> MakeShape(int32_t rank, const opsrun_dim* const* dims);

  // A shape of known sizes; -1 entries become new unknown dimensions.
  const opsrun_shape* FromSizes(const std::vector<int64_t>& sizes);

  // A new shape of unknown rank. Two calls return shapes that are not known to be equal.
  const opsrun_shape* Unknown() { return NewShape(-1, {}); }

  // The elements of a value as sizes; -1 and unknown elements become new unknown dimensions. Returns `elements` itself
  // if all are sizes. INVALID_ARGUMENT for a number below -1. Requires: Owns(elements).
  Result<const opsrun_shape*> AsSizes(const opsrun_shape* elements);

  // Records that a and b are equal. Known then uses what is known about either, and solves equations with multiples of
  // a size. INVALID_ARGUMENT if they cannot be equal. asker: who found them equal, for WhyKnown.
  Status Equate(const opsrun_dim* a, const opsrun_dim* b, uint32_t asker = 0);

  // To undo Equate, pass an earlier result of Equated() to Forget. Slow if there is something to undo.
  size_t Equated() const { return equations_.size(); }
  void Forget(size_t equated);

  // For messages: why the size of a dimension without its own size is known: the askers of Equate, from this dimension
  // to one with a size. Empty if it has its own size, or if the size is unknown. Slow.
  std::vector<uint32_t> WhyKnown(const opsrun_dim* dim) const;

  // OPSRUN_DIM_*. Returns an unknown dimension unless both have their own size, and the same one if arithmetic shows
  // that the results are equal. Sizes known only from equations are ignored, so that the result of a shape function
  // does not depend on the order of its calls. OUT_OF_RANGE on overflow and for a negative difference; INVALID_ARGUMENT
  // for an unknown op, a division by zero, or an element that is not a size.
  Result<const opsrun_dim*> DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b);

  // Records that these are the sizes of a tensor, so they are not negative; a difference may be negative until then.
  // For the MAX of 0 and a dimension that cannot be negative, DimOp returns the dimension itself.
  void MarkSizes(const opsrun_shape* shape);

  // How DimOp made an unknown dimension; null for other dimensions.
  struct Term {
    uint32_t op = 0;  // OPSRUN_DIM_*
    const opsrun_dim* a = nullptr;
    const opsrun_dim* b = nullptr;
  };
  const Term* TermOf(const opsrun_dim* dim) const;

  // The two dimensions of equation `i`, in the order in which Equate added them. Requires: i < Equated().
  std::pair<const opsrun_dim*, const opsrun_dim*> EquationAt(size_t i) const {
    return {equations_[i].a, equations_[i].b};
  }

  // True for handles that this engine made. Others are caused by a bug in a plugin and are refused. Accepts any
  // pointer.
  bool Owns(const opsrun_dim* dim) const { return owned_dims_.contains(dim); }
  bool Owns(const opsrun_shape* shape) const { return owned_shapes_.contains(shape); }

  // The dimension's size, which may be known only from equations; -1 if it is unknown, or if the dimension does not
  // belong to this engine.
  int64_t Known(const opsrun_dim* dim) const;

  // The sizes of the shape's dimensions, each as Known; none if the rank is unknown.
  std::vector<int64_t> Sizes(const opsrun_shape* shape) const;

  // The representative of all dimensions that are known to be equal to this one. Requires: Owns(dim).
  const opsrun_dim* Find(const opsrun_dim* dim) const;

  // The shape with what has been learned since it was made: the representative of each dimension. Returns `shape`
  // itself if nothing changes. Requires: Owns(shape).
  const opsrun_shape* Refined(const opsrun_shape* shape);

  // "[2,?]"; "?" for an unknown rank, or if the shape does not belong to this engine.
  std::string Text(const opsrun_shape* shape) const;

 private:
  struct Equation {
    const opsrun_dim* a = nullptr;
    const opsrun_dim* b = nullptr;
    uint32_t asker = 0;
  };

  // Identifies the results of DimOp: the operation and its operands, ordered if it is commutative.
  using Operation = std::tuple<uint32_t, SizeSum, SizeSum>;

  const opsrun_dim* NewTerm(const Term& term);
  SizeSum SumOf(const opsrun_dim* dim) const;
  Result<const opsrun_dim*> DimOfSum(const SizeSum& sum, const Term& term);
  const opsrun_dim* DimOfOperation(Operation operation, const Term& term);
  bool MayBeNegative(const Term& term) const;
  // An unknown size that follows from an equation.
  struct Solution {
    const opsrun_dim* size = nullptr;
    int64_t value = 0;
  };
  // One step of Equate: joins a and b, and returns the size that then becomes known, if any.
  Result<std::optional<Solution>> Unite(const opsrun_dim* a, const opsrun_dim* b, uint32_t asker);
  Result<std::optional<Solution>> Solve(const opsrun_dim* a, const opsrun_dim* b) const;
  // Requires: two representatives. If both are known, they are equal.
  void Join(const opsrun_dim* a, const opsrun_dim* b, const Equation& equation);
  const opsrun_shape* NewShape(int32_t rank, const std::vector<const opsrun_dim*>& dims);

  const bool computes_;
  std::pmr::monotonic_buffer_resource memory_;  // nothing is freed before the engine is
  std::pmr::deque<opsrun_dim> dims_{&memory_};
  std::pmr::unordered_map<const opsrun_dim*, uint32_t> owned_dims_{&memory_};  // with their index in dims_
  std::pmr::unordered_set<const opsrun_shape*> owned_shapes_{&memory_};
  // Union-find of dimensions that were equated. Points towards the representative, which has the size if any of them
  // has one.
  mutable std::unordered_map<const opsrun_dim*, const opsrun_dim*> same_as_;
  std::vector<Equation> equations_;  // equations that added information
  std::unordered_map<const opsrun_dim*, Term> terms_;
  std::unordered_map<const opsrun_dim*, SizeSum> sums_;    // of dimensions that are sums of products of others
  std::unordered_set<const opsrun_dim*> may_be_negative_;  // results of DimOp that are not yet sizes of a tensor
  std::map<SizeSum, const opsrun_dim*> dims_of_sums_;
  std::map<Operation, const opsrun_dim*> dims_of_operations_;
};

// Elements of a value that are known before the run, as dimensions; see set_output_value in c_api.h.
//
// The `value` of an element that is not a size is below -1; dimensions of a shape never have such a value.

// The `value` of an unknown element.
constexpr int64_t kNothingKnown = std::numeric_limits<int64_t>::min();

inline bool IsSize(const opsrun_dim& element) {
  return element.value >= -1;
}

// The `value` of an element that is `number`. The two lowest numbers cannot be represented and count as unknown.
constexpr int64_t ElementValue(int64_t number) {
  if (number >= 0) return number;
  return number <= kNothingKnown + 1 ? kNothingKnown : number - 1;
}

// The number that `value` represents; nothing if it is unknown.
constexpr std::optional<int64_t> NumberOf(int64_t value) {
  if (value >= 0) return value;
  if (value == -1 || value == kNothingKnown) return std::nullopt;
  return value + 1;
}

}  // namespace opsrun::host::spec
