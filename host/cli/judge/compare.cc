// SPDX-License-Identifier: Apache-2.0
#include "host/cli/judge/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "host/cli/gradcheck/gradcheck.h"

namespace opsrun::host {
namespace {

constexpr double kNearby = 0.05;  // relative; sums in the shortest types are as good

double RootMeanSquare(const Tensor& tensor) {
  double sum = 0;
  const std::vector<double> parts = RealParts(tensor);
  for (const double part : parts) sum += std::isfinite(part) ? part * part : 0;
  return parts.empty() ? 0 : std::sqrt(sum / static_cast<double>(parts.size()));
}

}  // namespace

Likeness CompareOutputs(const Tensor& found, const Tensor& expected, bool may_be_near) {
  if (found.num_bytes() == 0 || std::memcmp(found.data(), expected.data(), found.num_bytes()) == 0) return {};
  Tolerance tolerance = DefaultTolerance(found.dtype());
  tolerance.equal_nan = true;
  const Comparison strict = CompareTensors(found, expected, tolerance);
  if (strict.wrong == 0) return {};
  if (!may_be_near || !HasGradient(found.dtype())) return {Likeness::kWrong, strict.place};
  const Tolerance loose = {kNearby, kNearby * RootMeanSquare(expected), true};
  const Comparison nearby = CompareTensors(found, expected, loose);
  return nearby.wrong == 0 ? Likeness{Likeness::kNear, 0} : Likeness{Likeness::kWrong, nearby.place};
}

std::string DescribeWrong(const std::string& output, const Tensor& found, const Tensor& expected, int64_t place) {
  return fmt::format("output '{}'{} is {}, expected {}", output,
                     found.shape().empty() ? "" : IndexText(found.shape(), place), ElementText(found, place),
                     ElementText(expected, place));
}

std::string DescribeErrors(ErrorSpread& candidate, ErrorSpread& reference, double factor) {
  // The fewer numbers a quantile rests on, the more it differs from run to run.
  const auto count = static_cast<double>(candidate.errors.size());
  struct Limit {
    double quantile, room;
    const char* of;
  };
  for (const auto& [quantile, room, of] :
       {Limit{0.5, 1.1, "half of the numbers"}, Limit{0.99, 1.25, "99 of 100 numbers"}, Limit{1, 4, "all numbers"}}) {
    const double mine = candidate.At(quantile), theirs = reference.At(quantile);
    const double chance = 4 / std::sqrt(std::max(1.0, count * (1 - quantile)));
    if (mine <= std::max(1.0, factor * (room + chance) * theirs)) continue;
    return fmt::format(
        "{} have errors of up to {:.3g} units in the last place, those of the reference of up to {:.3g}, compared with "
        "the reference in higher precision",
        of, mine, theirs);
  }
  return {};
}

}  // namespace opsrun::host
