// SPDX-License-Identifier: Apache-2.0
#include "host/spec/shape_engine.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsrun::host::spec {
namespace {

constexpr int64_t kUnknown = -1;

// A graph cannot cause it, so the code blames the plugin.
Status NotOurs() {
  return Internal("a dimension was passed that does not belong to this shape inference");
}

Status NotASize(const opsrun_dim& element) {
  const std::optional<int64_t> number = NumberOf(element.value);
  return InvalidArgument(number ? fmt::format("a dimension cannot have the size {}", *number)
                                : "a dimension cannot be an unknown element");
}

// Nothing on overflow. Requires: a and b are at least 0.
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

// Nothing if the result is not a sum of products.
std::optional<SizeSum> Combine(uint32_t op, const SizeSum& a, const SizeSum& b) {
  switch (op) {
    case OPSRUN_DIM_ADD:
      return a.Plus(b);
    case OPSRUN_DIM_SUB:
      return a.Minus(b);
    case OPSRUN_DIM_MUL:
      return a.Times(b);
    case OPSRUN_DIM_FLOORDIV:
      return a.DividedBy(b);
    default:
      return std::nullopt;
  }
}

}  // namespace

const opsrun_dim* ShapeEngine::MakeDim(int64_t value) {
  const opsrun_dim* dim = &dims_.emplace_back(opsrun_dim{value});
  owned_dims_.emplace(dim, static_cast<uint32_t>(dims_.size() - 1));
  return dim;
}

const opsrun_shape* ShapeEngine::NewShape(int32_t rank, const std::vector<const opsrun_dim*>& dims) {
  std::pmr::polymorphic_allocator<> memory(&memory_);
  const opsrun_dim** const list = dims.empty() ? nullptr : memory.allocate_object<const opsrun_dim*>(dims.size());
  std::copy(dims.begin(), dims.end(), list);
  const opsrun_shape* shape = memory.new_object<opsrun_shape>(opsrun_shape{rank, 0, list});
  owned_shapes_.insert(shape);
  return shape;
}

Result<const opsrun_shape*> ShapeEngine::MakeShape(int32_t rank, const opsrun_dim* const* dims) {
  if (rank < kUnknown || rank > OPSRUN_MAX_RANK) {
    return InvalidArgument(fmt::format("a shape cannot have the rank {}; the highest is {}", rank, OPSRUN_MAX_RANK));
  }
  if (rank == kUnknown) return Unknown();
  if (rank > 0 && dims == nullptr) return NotOurs();
  std::vector<const opsrun_dim*> list(dims, dims + rank);
  if (!std::all_of(list.begin(), list.end(), [this](const opsrun_dim* dim) { return Owns(dim); })) return NotOurs();
  return NewShape(rank, list);
}

const opsrun_shape* ShapeEngine::FromSizes(const std::vector<int64_t>& sizes) {
  std::vector<const opsrun_dim*> dims;
  for (int64_t size : sizes) dims.push_back(MakeDim(std::max(size, kUnknown)));
  return NewShape(static_cast<int32_t>(sizes.size()), dims);
}

Result<const opsrun_shape*> ShapeEngine::AsSizes(const opsrun_shape* elements) {
  std::vector<const opsrun_dim*> sizes;
  for (int32_t i = 0; i < elements->rank; ++i) {
    const opsrun_dim* element = elements->dims[i];
    if (!IsSize(*element) && NumberOf(element->value).value_or(-1) != -1) return NotASize(*element);
    sizes.push_back(IsSize(*element) ? element : MakeDim(kUnknown));
  }
  return std::equal(sizes.begin(), sizes.end(), elements->dims) ? elements : NewShape(elements->rank, sizes);
}

Status ShapeEngine::Equate(const opsrun_dim* a, const opsrun_dim* b, uint32_t asker) {
  if (!Owns(a) || !Owns(b)) return NotOurs();
  for (const opsrun_dim* dim : {a, b}) {
    if (!IsSize(*dim)) return NotASize(*dim);
  }
  const size_t before = equations_.size();
  std::vector<std::pair<const opsrun_dim*, const opsrun_dim*>> open = {{a, b}};
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    const Result<std::optional<Solution>> solved = Unite(x, y, asker);
    if (!solved.ok()) {
      Forget(before);
      return solved.status();
    }
    if (*solved) open.emplace_back((*solved)->size, MakeDim((*solved)->value));
  }
  return OkStatus();
}

Result<std::optional<ShapeEngine::Solution>> ShapeEngine::Unite(const opsrun_dim* a, const opsrun_dim* b,
                                                                uint32_t asker) {
  const Equation equation{a, b, asker};
  a = Find(a);
  b = Find(b);
  if (a == b) return std::optional<Solution>();
  if (a->value != kUnknown && b->value != kUnknown && a->value != b->value) {
    return InvalidArgument(fmt::format("a dimension cannot be both {} and {}", a->value, b->value));
  }
  Result<std::optional<Solution>> solved = Solve(a, b);
  if (solved.ok()) Join(a, b, equation);
  return solved;
}

void ShapeEngine::Join(const opsrun_dim* a, const opsrun_dim* b, const Equation& equation) {
  if (a->value == kUnknown) std::swap(a, b);
  same_as_[b] = a;
  equations_.push_back(equation);
  if (may_be_negative_.contains(a) && may_be_negative_.contains(b)) return;
  may_be_negative_.erase(a);
  may_be_negative_.erase(b);
}

Result<std::optional<ShapeEngine::Solution>> ShapeEngine::Solve(const opsrun_dim* a, const opsrun_dim* b) const {
  std::optional<Solution> none;
  if (!sums_.contains(a) && !sums_.contains(b)) return none;
  const std::optional<SizeSum> difference = SumOf(a).Minus(SumOf(b));
  if (!difference) return none;
  if (const int64_t more = difference->AsConstant().value_or(0); more != 0) {
    return InvalidArgument(fmt::format("one of them is always {} more than the other", more < 0 ? -more : more));
  }
  // 5 * a == 6 * a would imply a size of 0, which is hardly intended. It is left to the run, which reports the error.
  const std::optional<SizeSum::Line> line = difference->AsLine();
  if (!line || line->b == 0) return none;
  const bool is_positive = line->b < 0;
  if (line->b % line->a != 0 || is_positive != (line->a > 0)) {
    return InvalidArgument(
        fmt::format("no size times {} is {}", line->a < 0 ? -line->a : line->a, line->a < 0 ? line->b : -line->b));
  }
  return std::optional(Solution{&dims_[line->size], -(line->b / line->a)});
}

void ShapeEngine::Forget(size_t equated) {
  if (equations_.size() <= equated) return;
  std::vector<Equation> kept(equations_.begin(), equations_.begin() + static_cast<std::ptrdiff_t>(equated));
  equations_.clear();
  same_as_.clear();
  for (const Equation& each : kept) Join(Find(each.a), Find(each.b), each);
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
  while (open.front()->value == kUnknown) {  // ends, because the size is known
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
  if (op > OPSRUN_DIM_MAX)
    return Status(OPSRUN_UNIMPLEMENTED, fmt::format("there is no operation {} on dimensions", op));
  if (!Owns(a) || !Owns(b)) return NotOurs();
  for (const opsrun_dim* dim : {a, b}) {
    if (!IsSize(*dim)) return NotASize(*dim);
  }
  const int64_t x = a->value;
  const int64_t y = b->value;
  if (op == OPSRUN_DIM_FLOORDIV && y == 0) return InvalidArgument("a dimension is divided by zero");
  if (x == kUnknown || y == kUnknown) {
    if (!computes_) return NewTerm({op, a, b});
    const SizeSum sum_a = SumOf(a), sum_b = SumOf(b);
    if (const std::optional<SizeSum> sum = Combine(op, sum_a, sum_b)) return DimOfSum(*sum, {op, a, b});
    return DimOfOperation({op, sum_a, sum_b}, {op, a, b});
  }
  if (std::optional<int64_t> result = Compute(op, x, y)) return MakeDim(*result);
  if (op == OPSRUN_DIM_SUB) {
    return Status(OPSRUN_OUT_OF_RANGE, fmt::format("a dimension cannot have the size {} - {}", x, y));
  }
  return Status(OPSRUN_OUT_OF_RANGE,
                fmt::format("a dimension of {} {} {} does not fit 64 bits", x, op == OPSRUN_DIM_ADD ? '+' : '*', y));
}

const opsrun_dim* ShapeEngine::NewTerm(const Term& term) {
  const opsrun_dim* const unknown = MakeDim(kUnknown);
  terms_[unknown] = term;
  return unknown;
}

SizeSum ShapeEngine::SumOf(const opsrun_dim* dim) const {
  if (dim->value != kUnknown) return SizeSum::Constant(dim->value);
  const auto found = sums_.find(dim);
  return found == sums_.end() ? SizeSum::Of(owned_dims_.at(dim)) : found->second;
}

Result<const opsrun_dim*> ShapeEngine::DimOfSum(const SizeSum& sum, const Term& term) {
  if (const std::optional<int64_t> value = sum.AsConstant()) {
    if (*value >= 0) return MakeDim(*value);
    return Status(OPSRUN_OUT_OF_RANGE, fmt::format("a dimension cannot have the size {}", *value));
  }
  if (const std::optional<uint32_t> size = sum.AsSize()) return &dims_[*size];
  const opsrun_dim*& dim = dims_of_sums_[sum];
  if (dim == nullptr) {
    dim = NewTerm(term);
    sums_[dim] = sum;
    const auto is_open = [this](uint32_t size) { return may_be_negative_.contains(&dims_[size]); };
    if (sum.MayBeNegative(is_open)) may_be_negative_.insert(dim);
  }
  return dim;
}

const opsrun_dim* ShapeEngine::DimOfOperation(Operation operation, const Term& term) {
  auto& [op, a, b] = operation;
  const bool is_extreme = op == OPSRUN_DIM_MIN || op == OPSRUN_DIM_MAX;
  if (is_extreme && a == b) return term.a;
  for (const opsrun_dim* operand : {term.a, term.b}) {
    const opsrun_dim* other = operand == term.a ? term.b : term.a;
    if (op == OPSRUN_DIM_MAX && other->value == 0 && !may_be_negative_.contains(operand)) return operand;
  }
  if (op != OPSRUN_DIM_SUB && op != OPSRUN_DIM_FLOORDIV && b < a) std::swap(a, b);
  const opsrun_dim*& dim = dims_of_operations_[std::move(operation)];
  if (dim == nullptr) {
    dim = NewTerm(term);
    if (MayBeNegative(term)) may_be_negative_.insert(dim);
  }
  return dim;
}

bool ShapeEngine::MayBeNegative(const Term& term) const {
  const bool a = may_be_negative_.contains(term.a), b = may_be_negative_.contains(term.b);
  return term.op == OPSRUN_DIM_MAX ? a && b : a || b || term.op == OPSRUN_DIM_SUB;
}

void ShapeEngine::MarkSizes(const opsrun_shape* shape) {
  for (int32_t i = 0; i < shape->rank; ++i) may_be_negative_.erase(shape->dims[i]);
}

const ShapeEngine::Term* ShapeEngine::TermOf(const opsrun_dim* dim) const {
  const auto found = terms_.find(dim);
  return found == terms_.end() ? nullptr : &found->second;
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

std::vector<int64_t> ShapeEngine::Sizes(const opsrun_shape* shape) const {
  std::vector<int64_t> sizes;
  for (int32_t i = 0; i < shape->rank; ++i) sizes.push_back(Known(shape->dims[i]));
  return sizes;
}

const opsrun_shape* ShapeEngine::Refined(const opsrun_shape* shape) {
  if (same_as_.empty() || shape->rank <= 0) return shape;
  std::vector<const opsrun_dim*> dims;
  for (int32_t i = 0; i < shape->rank; ++i) dims.push_back(Find(shape->dims[i]));
  return std::equal(dims.begin(), dims.end(), shape->dims) ? shape : NewShape(shape->rank, dims);
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
