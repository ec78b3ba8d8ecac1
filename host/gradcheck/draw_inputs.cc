// host/gradcheck/draw_inputs.cc: see draw_inputs.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/draw_inputs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "host/gradcheck/real_parts.h"
#include "host/gradient/gradient_flow.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kRanks[] = {2, 1, 3, 2, 4, 2, 1, 0, 4, 3};  // most ops work on matrices and images

Shape DrawSizes(Draws& draws, size_t rank) {
  Shape shape(rank);
  for (int64_t& size : shape) size = 1 + static_cast<int64_t>(draws.Below(3));
  return shape;
}

}  // namespace

InputDrawer::InputDrawer(Draws& draws)
    : draws_(draws),
      base_(DrawSizes(draws, kRanks[draws.Below(std::size(kRanks))])),
      shapes_(static_cast<Shapes>(draws.Below(4))),
      sign_(static_cast<Sign>(draws.Below(4))) {}

Shape InputDrawer::ShapeOfNumbers() {
  const bool first = std::exchange(first_, false);
  switch (shapes_) {
    case Shapes::kEqual:
      return base_;
    case Shapes::kUnrelated:
      return first ? base_ : DrawSizes(draws_, kRanks[draws_.Below(std::size(kRanks))]);
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

// Mostly a scalar, a vector with an element for each dimension, or amounts of padding.
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
      return draws_.Coin() ? base_ : DrawSizes(draws_, 2);
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
      return static_cast<int64_t>(draws_.Below(base_.empty() ? 2 : static_cast<uint64_t>(base_[0])));
  }
  return 0;
}

// Not a multiple of anything: equal numbers and round ones are where functions have kinks.
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

std::optional<Tensor> InputDrawer::Draw(DType dtype) {
  if (HasGradient(dtype)) {
    const Shape shape = ShapeOfNumbers();
    std::vector<double> parts(static_cast<size_t>(*NumElements(shape)) * PartsOf(dtype));
    for (double& part : parts) part = DrawNumber();
    const Result<Tensor> tensor = FromRealParts(dtype, shape, parts);
    return tensor.ok() ? std::optional(*tensor) : std::nullopt;
  }
  if (HasSlots(dtype) || ElementBytes(dtype) == 0) return std::nullopt;
  const Shape shape = dtype == DType::kBool && draws_.Coin() ? base_ : ShapeOfInts();
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

}  // namespace opsrun::host
