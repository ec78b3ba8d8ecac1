// host/testing/array_difference.cc: see array_difference.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/array_difference.h"

#include <fmt/format.h>

#include <cmath>

#include "host/tensor/print.h"

namespace opsrun::host {
namespace {

std::string KindText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

// The arrays, each from a line of its own on.
std::string Both(const Tensor& found, const Tensor& expected) {
  return fmt::format("\n  found:\n{}\n  expected:\n{}", PrintTensor(found), PrintTensor(expected));
}

std::string WorstText(const Tensor& found, const Tensor& expected, const Comparison& comparison) {
  std::string text = fmt::format("at {} stands {}, expected {}", IndexText(found.shape(), comparison.place),
                                 ElementText(found, comparison.place), ElementText(expected, comparison.place));
  if (std::isnan(comparison.difference)) return text;
  text += fmt::format(": {:.6g} apart", comparison.difference);
  return comparison.allowed == 0 ? text : text + fmt::format(", and {:.6g} is allowed", comparison.allowed);
}

}  // namespace

std::string DifferenceText(const std::string& name, const Tensor& found, const Tensor& expected,
                           const Tolerance& tolerance) {
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) {
    return fmt::format("{} is {}, expected {}{}", name, KindText(found), KindText(expected), Both(found, expected));
  }
  const Comparison comparison = CompareTensors(found, expected, tolerance);
  if (comparison.wrong == 0) return "";
  return fmt::format("{} differs in {} of {} elements; worst: {}{}", name, comparison.wrong, found.num_elements(),
                     WorstText(found, expected, comparison), Both(found, expected));
}

}  // namespace opsrun::host
