// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "host/cli/gradcheck/gradcheck.h"
#include "host/cli/problem/problem.h"
#include "host/gradient/differentiate.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kRanks[] = {2, 1, 3, 2, 4, 2, 1, 0, 4, 3};      // most ops work on matrices and images
constexpr uint64_t kEdgeRanks[] = {2, 1, 3, 1, 4, 2, 1, 0, 8, 2};  // the highest costs little with small sizes
constexpr int64_t kEdges[] = {0, 0, 1, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65};

}  // namespace

InputDrawer::InputDrawer(Draws& draws, InputSizes sizes)
    : draws_(draws),
      sizes_(sizes),
      base_(DrawSizes(DrawRank())),
      shapes_(static_cast<Shapes>(draws.Below(4))),
      sign_(static_cast<Sign>(draws.Below(4))) {}

uint64_t InputDrawer::DrawRank() {
  return sizes_ == InputSizes::kSmall ? kRanks[draws_.Below(std::size(kRanks))]
                                      : kEdgeRanks[draws_.Below(std::size(kEdgeRanks))];
}

Shape InputDrawer::DrawSizes(size_t rank) {
  Shape shape(rank);
  const int64_t most = sizes_ == InputSizes::kEdges && rank > 4 ? 2 : 3;
  for (int64_t& size : shape) size = 1 + static_cast<int64_t>(draws_.Below(static_cast<uint64_t>(most)));
  if (sizes_ == InputSizes::kEdges && rank > 0 && draws_.Below(4) != 0)
    shape[draws_.Below(rank)] = kEdges[draws_.Below(std::size(kEdges))];
  return shape;
}

std::optional<Tensor> InputDrawer::Draw(DType dtype) {
  if (HasGradient(dtype)) {
    const Shape shape = ShapeOfNumbers();
    std::vector<double> parts(static_cast<size_t>(*NumElements(shape)) * PartsOf(dtype));
    for (double& part : parts) part = DrawNumber();
    const Result<Tensor> tensor = FromRealParts(dtype, shape, parts);
    return tensor.ok() ? std::optional(*tensor) : std::nullopt;
  }
  if (dtype == DType::kString && sizes_ == InputSizes::kEdges) return DrawStrings();
  if (HasSlots(dtype) || ElementBytes(dtype) == 0) return std::nullopt;
  return DrawInts(dtype);
}

std::optional<Tensor> InputDrawer::DrawInts(DType dtype) {
  const bool as_numbers = sizes_ == InputSizes::kEdges && draws_.Coin();  // the op may treat them as any other numbers
  const Shape shape = as_numbers ? ShapeOfNumbers() : dtype == DType::kBool && draws_.Coin() ? base_ : ShapeOfInts();
  Result<Tensor> tensor = Tensor::Create(dtype, shape);
  if (!tensor.ok()) return std::nullopt;
  const auto kind = dtype == DType::kBool ? Ints::kSmall : static_cast<Ints>(draws_.Below(7));
  std::vector<int64_t> permutation(static_cast<size_t>(tensor->num_elements()));
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t i = permutation.size(); i > 1; --i) std::swap(permutation[i - 1], permutation[draws_.Below(i)]);
  WithNumberType(dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>) {
      T* const elements = static_cast<T*>(tensor->mutable_data());
      for (int64_t i = 0; i < tensor->num_elements(); ++i) {
        const int64_t drawn = DrawInt(kind, i, permutation);
        elements[i] = static_cast<T>(dtype == DType::kBool ? drawn % 2 : drawn);
      }
    }
  });
  return *tensor;
}

// Numbers as text, as an op that parses strings takes them.
std::optional<Tensor> InputDrawer::DrawStrings() {
  Result<Tensor> tensor = Tensor::Create(DType::kString, ShapeOfNumbers());
  if (!tensor.ok()) return std::nullopt;
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    const Status status = tensor->SetString(i, std::to_string(draws_.Below(1000)));
    if (!status.ok()) return std::nullopt;
  }
  return *tensor;
}

Shape InputDrawer::ShapeOfNumbers() {
  const bool first = std::exchange(first_, false);
  switch (shapes_) {
    case Shapes::kEqual:
      return base_;
    case Shapes::kUnrelated:
      return first ? base_ : DrawSizes(DrawRank());
    case Shapes::kFirstAndScalars:
      return first ? base_ : Shape();
    case Shapes::kBroadcast:
      break;
  }
  Shape shape = base_;
  if (draws_.Coin()) shape.erase(shape.begin(), shape.begin() + static_cast<int64_t>(draws_.Below(shape.size() + 1)));
  for (int64_t& size : shape) size = draws_.Below(4) == 0 ? 1 : size;
  return shape;
}

// Usually a scalar, a vector with an element for each dimension, or amounts of padding.
Shape InputDrawer::ShapeOfInts() {
  const auto rank = static_cast<int64_t>(base_.size());
  switch (draws_.Below(8)) {
    case 0:
    case 1:
      return {};
    case 2:
      return {rank, 2};
    case 3:
    case 4:
      return {rank};
    case 5:
      return {1 + static_cast<int64_t>(draws_.Below(4))};
    case 6:
      return base_.empty() ? Shape{1} : Shape{base_[0]};
    default:
      return draws_.Coin() ? base_ : DrawSizes(2);
  }
}

int64_t InputDrawer::DrawInt(Ints kind, int64_t i, const std::vector<int64_t>& permutation) {
  const auto at = static_cast<size_t>(i);
  switch (kind) {
    case Ints::kZeros:
      return 0;
    case Ints::kOnes:
      return 1;
    case Ints::kSmall:
      return static_cast<int64_t>(draws_.Below(3));
    case Ints::kSigned:
      return static_cast<int64_t>(draws_.Below(4)) - 2;
    case Ints::kPermutation:
      return permutation[at];
    case Ints::kShape:
      return at < base_.size() ? base_[at] : 2;
    case Ints::kIndices:
      return static_cast<int64_t>(
          draws_.Below(base_.empty() ? 2 : std::max<uint64_t>(1, static_cast<uint64_t>(base_[0]))));
  }
  return 0;
}

// Avoids equal and round numbers, where functions tend to have kinks.
double InputDrawer::DrawNumber() {
  const double unit = (static_cast<double>(draws_.Below(100'000)) + 0.37) / 100'000;
  switch (sign_) {
    case Sign::kPositive:
      return 0.3 + 1.4 * unit;
    case Sign::kBelowOne:
      return 1.8 * unit - 0.9;
    case Sign::kAny:
      return 3 * unit - 1.5;
    case Sign::kLarge:
      return 6 * unit - 3;
  }
  return unit;
}

}  // namespace opsrun::host
