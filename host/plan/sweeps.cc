// host/plan/sweeps.cc: which steps run tile by tile.
//
// There are two kinds of sweeps. Element-wise steps on large tensors of one shape: each would read and write all of
// memory; a tile is small enough for the first level of a cache. And steps of networks, such as convolutions, on
// several examples, which are the rows: a thread takes some examples through all steps, and waits for no other thread
// between them. Each element is computed from the same operands by the same code, so results are equal bit for bit.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

// Of the widest tensor of element-wise steps. Two or three such tiles fit the first level of a cache.
constexpr int64_t kTileBytes = 16 * 1024;
// Rows of a tile, if it has many, are a multiple of it: the addresses of all tiles are then aligned like the tensor's.
constexpr int64_t kAlignedRows = 64;
// Of examples: what the step that uses most reads and writes. It fits the second level of a cache.
constexpr int64_t kExamplesBytes = 256 * 1024;
// With fewer tiles than that for each thread, threads wait for the last one, unless all get the same number.
constexpr int64_t kTilesPerThread = 4;

int64_t Product(Shape::const_iterator begin, Shape::const_iterator end) {
  return std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
}

bool IsElementwise(const Step& step) {
  return (step.kernel()->flags & OPSRUN_KERNEL_ELEMENTWISE) != 0;
}

// How a tensor of this shape is broadcast to rows, which are the last `inner` dimensions of `whole`; nothing if it is
// not the same for all rows, or for one row.
std::optional<SweepPart> Broadcast(const Shape& shape, const Shape& whole, int32_t inner) {
  const auto dims = static_cast<ptrdiff_t>(shape.size()), of_row = std::min<ptrdiff_t>(dims, inner);
  const Shape outer(shape.begin(), shape.end() - of_row), rows(whole.begin(), whole.end() - inner);
  SweepPart part{outer == rows, Shape(shape.end() - of_row, shape.end())};
  if (part.by_rows || std::ranges::all_of(outer, [](int64_t size) { return size == 1; })) return part;
  return std::nullopt;
}

class SweepsPlanner {
 public:
  explicit SweepsPlanner(Planning& p)
      : plan_(p.plan), threads_(p.in.threads), used_in_(plan_.values.size()), made_in_(plan_.values.size()) {}

  // Looks at a step twice at most: from a step that examples were already taken through, it does not try that again.
  void Run() {
    const auto count = static_cast<uint32_t>(plan_.steps.size());
    uint32_t tried = std::ranges::any_of(plan_.kinds, &StepKind::row_inputs) ? 0 : count;
    for (uint32_t s = 0; s < count;) {
      if (s >= tried) {
        Draft draft = Longest(s, /*examples=*/true);
        tried = s + draft.sweep.count;
        if (draft.has_row_inputs && Divide(draft)) {
          plan_.sweeps.push_back(std::move(draft.sweep));
          s = tried;
          continue;
        }
      }
      Draft draft = Longest(s, /*examples=*/false);
      s += std::max(1u, draft.sweep.count);
      if (Divide(draft)) plan_.sweeps.push_back(std::move(draft.sweep));
    }
  }

 private:
  struct Draft {
    Sweep sweep;
    bool examples = false;        // rows are examples: the first dimension of each tensor
    bool has_row_inputs = false;  // of steps that are not element-wise
    int32_t inner = 0;            // unless they are examples: the dimensions of a row, the last ones of the only shape
    int64_t widest = 1;           // bytes of an element
  };

  Draft Longest(uint32_t first, bool examples) {
    Draft draft{.sweep = {.first = first}, .examples = examples};
    ++number_;
    while (first + draft.sweep.count < plan_.steps.size() && Joins(draft, plan_.steps[first + draft.sweep.count])) {
      const Step& step = plan_.steps[first + draft.sweep.count++];
      draft.has_row_inputs |= !IsElementwise(step);
      for (const uint32_t value : step.inputs) used_in_[value] = number_;
      used_in_[step.outputs[0]] = made_in_[step.outputs[0]] = number_;
    }
    return draft;
  }

  const Shape& OutputShape(const Step& step) const { return plan_.values[step.outputs[0]].shape(); }
  const Shape& FirstShape(const Draft& draft) const { return OutputShape(plan_.steps[draft.sweep.first]); }

  // Updates the draft's rows.
  bool Joins(Draft& draft, const Step& step) {
    if (!IsTiled(step) || (draft.sweep.count > 0 && !IsConnected(step))) return false;
    const Shape& shape = OutputShape(step);
    if (draft.examples) {
      if (draft.sweep.count == 0) draft.sweep.rows = shape.empty() ? 1 : shape[0];
      return draft.sweep.rows > 1 && !shape.empty() && shape[0] == draft.sweep.rows && PartsOf(step, draft).has_value();
    }
    constexpr int64_t kWidestElement = 16;
    if (!IsElementwise(step) || *NumElements(shape) * kWidestElement <= kTileBytes ||
        (draft.sweep.count > 0 && shape != FirstShape(draft)))
      return false;
    Draft larger = draft;
    while (!PartsOf(step, larger)) {
      if (++larger.inner >= static_cast<int32_t>(shape.size())) return false;
    }
    for (const uint32_t value : step.inputs) larger.widest = std::max(larger.widest, ElementBytes(value));
    larger.widest = std::max(larger.widest, ElementBytes(step.outputs[0]));
    if (Product(shape.end() - larger.inner, shape.end()) * larger.widest > kTileBytes) return false;
    draft = std::move(larger);
    return true;
  }

  int64_t ElementBytes(uint32_t value) const { return static_cast<int64_t>(DTypeSize(plan_.values[value].dtype)); }

  // Others gain nothing by running with it.
  bool IsConnected(const Step& step) const {
    return std::ranges::any_of(step.inputs, [&](uint32_t value) { return used_in_[value] == number_; });
  }

  bool IsTiled(const Step& step) const {
    if (step.device != kCpu || step.copy != Step::Copy::kNone || step.outputs.size() != 1 ||
        step.more->workspace_bytes > 0 || step.op()->def.stateful())
      return false;
    if ((step.kernel()->flags & OPSRUN_KERNEL_TILED) == 0 || (!IsElementwise(step) && step.kind->row_inputs == 0))
      return false;
    const PlanValue& out = plan_.values[step.outputs[0]];
    const auto elements = NumElements(out.shape());
    return out.memory == PlanValue::Memory::kArena && elements && *elements > 0 &&
           std::ranges::all_of(step.inputs, [&](uint32_t value) { return IsKnown(plan_.values[value]); });
  }

  static bool IsKnown(const PlanValue& value) {
    return value.memory != PlanValue::Memory::kDynamic && value.rank_known && !HasSlots(value.dtype) &&
           std::ranges::all_of(value.shape(), [](int64_t size) { return size >= 0; });
  }

  // Of the inputs and the output; nothing if the step cannot be divided into such rows.
  std::optional<std::vector<SweepPart>> PartsOf(const Step& step, const Draft& draft) const {
    const Shape& whole = OutputShape(step);
    const auto inner = draft.examples ? static_cast<int32_t>(whole.size()) - 1 : draft.inner;
    std::vector<SweepPart> parts;
    for (uint32_t i = 0; i < step.inputs.size(); ++i) {
      const std::optional<SweepPart> part = PartOf(step, i, inner);
      if (!part || (!part->by_rows && made_in_[step.inputs[i]] == number_)) return std::nullopt;
      parts.push_back(*part);
    }
    parts.push_back({true, Shape(whole.end() - inner, whole.end())});
    return parts;
  }

  std::optional<SweepPart> PartOf(const Step& step, uint32_t input, int32_t inner) const {
    const Shape &shape = plan_.values[step.inputs[input]].shape(), &whole = OutputShape(step);
    if (!IsElementwise(step)) {
      if (input >= 64 || (step.kind->row_inputs >> input & 1) == 0) return SweepPart{false, shape};
      if (shape.empty() || shape[0] != whole[0]) return std::nullopt;
      return SweepPart{true, Shape(shape.begin() + 1, shape.end())};
    }
    const spec::OpDef& op = step.op()->def;
    const bool broadcasts = (op.flags & OPSRUN_OP_BROADCASTS) != 0 && op.batch &&
                            std::ranges::all_of(op.batch->inputs, [](uint32_t dims) { return dims == 0; });
    if (shape != whole && !shape.empty() && !broadcasts) return std::nullopt;
    return Broadcast(shape, whole, inner);
  }

  // Completes the sweep; false if it would be a single step or tile, or if threads could not share its tiles evenly.
  bool Divide(Draft& draft) const {
    Sweep& sweep = draft.sweep;
    if (sweep.count < 2) return false;
    for (uint32_t s = sweep.first; s < sweep.first + sweep.count; ++s) {
      const std::vector<SweepPart> parts = *PartsOf(plan_.steps[s], draft);
      sweep.parts.insert(sweep.parts.end(), parts.begin(), parts.end());
    }
    if (draft.examples) {
      sweep.rows_per_tile = std::clamp<int64_t>(kExamplesBytes / LargestExample(sweep), 1, sweep.rows);
      if (threads_ > 1)
        sweep.rows_per_tile = std::clamp<int64_t>(sweep.rows / (kTilesPerThread * threads_), 1, sweep.rows_per_tile);
      const int64_t tiles = (sweep.rows + sweep.rows_per_tile - 1) / sweep.rows_per_tile;
      return tiles > 1 && (tiles >= kTilesPerThread * threads_ || tiles % threads_ == 0);
    }
    const Shape& shape = FirstShape(draft);
    sweep.rows = Product(shape.begin(), shape.end() - draft.inner);
    const int64_t fit = kTileBytes / (draft.widest * Product(shape.end() - draft.inner, shape.end()));
    sweep.rows_per_tile = fit < kAlignedRows ? fit : fit / kAlignedRows * kAlignedRows;
    return sweep.rows > sweep.rows_per_tile;
  }

  // The bytes of an example that the step which uses most reads and writes.
  int64_t LargestExample(const Sweep& sweep) const {
    int64_t largest = 1;
    auto part = sweep.parts.begin();
    for (uint32_t s = sweep.first; s < sweep.first + sweep.count; ++s) {
      int64_t bytes = 0;
      const auto add = [&](uint32_t value) {
        if (part->by_rows) bytes += Product(part->shape.begin(), part->shape.end()) * ElementBytes(value);
        ++part;
      };
      std::ranges::for_each(plan_.steps[s].inputs, add);
      add(plan_.steps[s].outputs[0]);
      largest = std::max(largest, bytes);
    }
    return largest;
  }

  Plan& plan_;
  const int64_t threads_;
  uint32_t number_ = 0;                      // of the draft
  std::vector<uint32_t> used_in_, made_in_;  // by value: the last draft in which a step reads or writes it; writes it
};

}  // namespace

void PlanSweeps(Planning& p) {
  p.plan.threads = p.in.threads;
  if (!p.in.whole_steps && !p.in.keep_going) SweepsPlanner(p).Run();
}

}  // namespace opsrun::host
