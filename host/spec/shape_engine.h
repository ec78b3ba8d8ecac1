// host/spec/shape_engine.h: the dimensions and shapes of one inference, and what is known to be equal.
//
// Owns every handle it gives; they live as long as the engine. The five primitives of the contract that need no value
// (make_dim, make_shape, set_output_shape is the caller's own, equate, dim_op) are its methods. One thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/base/status.h"
#include "opsrun/c_api.h"

namespace opsrun::host::spec {

class ShapeEngine {
 public:
  ShapeEngine() = default;
  ShapeEngine(const ShapeEngine&) = delete;
  ShapeEngine& operator=(const ShapeEngine&) = delete;

  // value -1 makes a fresh unknown; lower ones are INVALID_ARGUMENT.
  Result<const opsrun_dim*> MakeDim(int64_t value);

  // rank -1 makes an unknown shape. INVALID_ARGUMENT for a rank below -1 or above OPSRUN_MAX_RANK, or a dim that is not
  // this engine's.
  Result<const opsrun_shape*> MakeShape(int32_t rank, const opsrun_dim* const* dims);

  // A shape of known sizes; -1 entries become fresh unknown dims.
  const opsrun_shape* FromSizes(const std::vector<int64_t>& sizes);

  // A new shape of unknown rank: two calls answer two shapes that are not known to be equal.
  const opsrun_shape* Unknown();

  // Records that a and b are one quantity: later readers of either see what is known of both through Known.
  // INVALID_ARGUMENT if both are known and differ. asker: whoever finds them equal, for WhyKnown.
  Status Equate(const opsrun_dim* a, const opsrun_dim* b, uint32_t asker = 0);

  // To forget what was equated since: Equated() before, Forget(that) after. Slow if there was anything.
  size_t Equated() const { return equations_.size(); }
  void Forget(size_t equated);

  // Who made the size of a dimension known that has none of its own: askers of Equate, from the dimension to one that
  // has it. Empty if it has one, or if it is not known. Slow: for messages.
  std::vector<uint32_t> WhyKnown(const opsrun_dim* dim) const;

  // OPSRUN_DIM_*: a fresh unknown unless both have a size of their own; one that only an equated dimension has does not
  // count, so that a shape function answers the same in whatever order it asks. OUT_OF_RANGE on overflow and on a
  // negative difference; INVALID_ARGUMENT for an op that there is not and for division by zero.
  Result<const opsrun_dim*> DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b);

  // True for handles that this engine made; others come from a plugin's bug and are refused. Any pointer value may be
  // asked for.
  bool Owns(const opsrun_dim* dim) const;
  bool Owns(const opsrun_shape* shape) const;

  // The dimension's size, also when only an equated one has it; -1 unknown, and for what is not this engine's.
  int64_t Known(const opsrun_dim* dim) const;

  // The dimension that speaks for all that were equated with this one, itself included: the same one for each of them.
  // Requires: Owns(dim).
  const opsrun_dim* Find(const opsrun_dim* dim) const;

  // The shape with what was learned since it was made: of each dimension, the one that speaks for it. The shape itself
  // if that changes nothing. Requires: Owns(shape).
  const opsrun_shape* Refined(const opsrun_shape* shape);

  // "[2,?]"; "?" for an unknown rank, and for what is not this engine's.
  std::string Text(const opsrun_shape* shape) const;

 private:
  struct Equation {
    const opsrun_dim* a = nullptr;
    const opsrun_dim* b = nullptr;
    uint32_t asker = 0;
  };

  const opsrun_dim* NewDim(int64_t value);
  const opsrun_shape* NewShape(int32_t rank, std::vector<const opsrun_dim*> dims);

  std::deque<opsrun_dim> dims_;
  std::deque<opsrun_shape> shapes_;
  std::deque<std::vector<const opsrun_dim*>> dim_lists_;
  std::unordered_set<const opsrun_dim*> owned_dims_;
  std::unordered_set<const opsrun_shape*> owned_shapes_;
  // Union-find, only of dims that were equated: towards the one that speaks for all, which has the size if any of them
  // does.
  mutable std::unordered_map<const opsrun_dim*, const opsrun_dim*> same_as_;
  std::vector<Equation> equations_;  // those that said something new
};

}  // namespace opsrun::host::spec
