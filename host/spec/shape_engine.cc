// host/spec/shape_engine.cc: see shape_engine.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/shape_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace opsrun::host::spec {
namespace {

constexpr int64_t kUnknown = -1;

// No graph can cause it, so the code says that the plugin is at fault.
Status NotOurs() {
  return Internal("a dimension was passed that does not belong to this shape inference");
}

// Requires: a and b at least 0. Nothing on overflow.
std::optional<int64_t> Compute(uint32_t op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case OPSRUN_DIM_ADD:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case OPSRUN_DIM_SUB:
      return a < b ? std::nullopt : std::optional(a - b);
    case OPSRUN_DIM_MUL:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case OPSRUN_DIM_FLOORDIV:
      return a / b;
    case OPSRUN_DIM_MIN:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

}  // namespace

const opsrun_dim* ShapeEngine::NewDim(int64_t value) {
  const opsrun_dim* dim = &dims_.emplace_back(opsrun_dim{value});
  owned_dims_.insert(dim);
  return dim;
}

const opsrun_shape* ShapeEngine::NewShape(int32_t rank, std::vector<const opsrun_dim*> dims) {
  const opsrun_dim* const* list = nullptr;
  if (!dims.empty()) list = dim_lists_.emplace_back(std::move(dims)).data();
  const opsrun_shape* shape = &shapes_.emplace_back(opsrun_shape{rank, 0, list});
  owned_shapes_.insert(shape);
  return shape;
}

Result<const opsrun_dim*> ShapeEngine::MakeDim(int64_t value) {
  if (value < kUnknown) return InvalidArgument(fmt::format("a dimension cannot have the size {}", value));
  return NewDim(value);
}

Result<const opsrun_shape*> ShapeEngine::MakeShape(int32_t rank, const opsrun_dim* const* dims) {
  if (rank < kUnknown || rank > OPSRUN_MAX_RANK) {
    return InvalidArgument(fmt::format("a shape cannot have the rank {}; the highest is {}", rank, OPSRUN_MAX_RANK));
  }
  if (rank == kUnknown) return Unknown();
  if (rank > 0 && dims == nullptr) return NotOurs();
  std::vector<const opsrun_dim*> list(dims, dims + rank);
  if (!std::all_of(list.begin(), list.end(), [this](const opsrun_dim* dim) { return Owns(dim); })) return NotOurs();
  return NewShape(rank, std::move(list));
}

const opsrun_shape* ShapeEngine::FromSizes(const std::vector<int64_t>& sizes) {
  std::vector<const opsrun_dim*> dims;
  for (int64_t size : sizes) dims.push_back(NewDim(std::max(size, kUnknown)));
  return NewShape(static_cast<int32_t>(sizes.size()), std::move(dims));
}

const opsrun_shape* ShapeEngine::Unknown() {
  return NewShape(kUnknown, {});
}

Status ShapeEngine::Equate(const opsrun_dim* a, const opsrun_dim* b, uint32_t asker) {
  if (!Owns(a) || !Owns(b)) return NotOurs();
  const Equation equation{a, b, asker};
  a = Find(a);
  b = Find(b);
  if (a == b) return OkStatus();
  if (a->value != kUnknown && b->value != kUnknown && a->value != b->value) {
    return InvalidArgument(fmt::format("a dimension cannot be both {} and {}", a->value, b->value));
  }
  if (a->value == kUnknown) std::swap(a, b);
  same_as_[b] = a;
  equations_.push_back(equation);
  return OkStatus();
}

void ShapeEngine::Forget(size_t equated) {
  if (equations_.size() <= equated) return;
  std::vector<Equation> kept(equations_.begin(), equations_.begin() + static_cast<std::ptrdiff_t>(equated));
  equations_.clear();
  same_as_.clear();
  for (const Equation& each : kept) static_cast<void>(Equate(each.a, each.b, each.asker));
}

std::vector<uint32_t> ShapeEngine::WhyKnown(const opsrun_dim* dim) const {
  if (Known(dim) == kUnknown || dim->value != kUnknown) return {};
  std::multimap<const opsrun_dim*, const Equation*> of;
  for (const Equation& equation : equations_) {
    of.emplace(equation.a, &equation);
    of.emplace(equation.b, &equation);
  }
  std::map<const opsrun_dim*, const Equation*> reached = {{dim, nullptr}};
  std::deque<const opsrun_dim*> open = {dim};
  while (open.front()->value == kUnknown) {  // ends: the dimension is known
    const auto [first, last] = of.equal_range(open.front());
    for (auto each = first; each != last; ++each) {
      const opsrun_dim* other = each->second->a == open.front() ? each->second->b : each->second->a;
      if (reached.emplace(other, each->second).second) open.push_back(other);
    }
    open.pop_front();
  }
  dim = open.front();
  std::vector<uint32_t> askers;
  while (const Equation* equation = reached.at(dim)) {
    if (askers.empty() || askers.front() != equation->asker) askers.insert(askers.begin(), equation->asker);
    dim = equation->a == dim ? equation->b : equation->a;
  }
  return askers;
}

Result<const opsrun_dim*> ShapeEngine::DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b) {
  if (op > OPSRUN_DIM_MAX) return InvalidArgument(fmt::format("there is no operation {} on dimensions", op));
  if (!Owns(a) || !Owns(b)) return NotOurs();
  const int64_t x = a->value;
  const int64_t y = b->value;
  if (op == OPSRUN_DIM_FLOORDIV && y == 0) return InvalidArgument("a dimension is divided by zero");
  if (x == kUnknown || y == kUnknown) {
    const opsrun_dim* const unknown = NewDim(kUnknown);
    terms_[unknown] = {op, a, b};
    return unknown;
  }
  if (std::optional<int64_t> result = Compute(op, x, y)) return NewDim(*result);
  if (op == OPSRUN_DIM_SUB) {
    return Status(OPSRUN_OUT_OF_RANGE, fmt::format("a dimension cannot have the size {} - {}", x, y));
  }
  return Status(OPSRUN_OUT_OF_RANGE,
                fmt::format("a dimension of {} {} {} does not fit 64 bits", x, op == OPSRUN_DIM_ADD ? '+' : '*', y));
}

const ShapeEngine::Term* ShapeEngine::TermOf(const opsrun_dim* dim) const {
  const auto found = terms_.find(dim);
  return found == terms_.end() ? nullptr : &found->second;
}

bool ShapeEngine::Owns(const opsrun_dim* dim) const {
  return owned_dims_.contains(dim);
}
bool ShapeEngine::Owns(const opsrun_shape* shape) const {
  return owned_shapes_.contains(shape);
}

const opsrun_dim* ShapeEngine::Find(const opsrun_dim* dim) const {
  const opsrun_dim* top = dim;
  for (auto next = same_as_.find(top); next != same_as_.end(); next = same_as_.find(top)) top = next->second;
  while (dim != top) dim = std::exchange(same_as_[dim], top);
  return top;
}

int64_t ShapeEngine::Known(const opsrun_dim* dim) const {
  if (!Owns(dim)) return kUnknown;
  return dim->value != kUnknown || same_as_.empty() ? dim->value : Find(dim)->value;
}

const opsrun_shape* ShapeEngine::Refined(const opsrun_shape* shape) {
  if (same_as_.empty() || shape->rank <= 0) return shape;
  std::vector<const opsrun_dim*> dims;
  for (int32_t i = 0; i < shape->rank; ++i) dims.push_back(Find(shape->dims[i]));
  return std::equal(dims.begin(), dims.end(), shape->dims) ? shape : NewShape(shape->rank, std::move(dims));
}

std::string ShapeEngine::Text(const opsrun_shape* shape) const {
  if (!Owns(shape) || shape->rank == kUnknown) return "?";
  std::string text;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int64_t size = Known(shape->dims[i]);
    text += (i > 0 ? "," : "") + (size == kUnknown ? "?" : std::to_string(size));
  }
  return "[" + text + "]";
}

}  // namespace opsrun::host::spec
