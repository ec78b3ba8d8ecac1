// tests/host/show/kernel_rows_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/kernel_rows.h"

#include <gtest/gtest.h>

#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

std::vector<std::string> Lines(const std::vector<KernelNote>& kernels) {
  std::vector<KernelRow> rows;
  for (const KernelNote& kernel : kernels) rows.push_back(RowOf(kernel));
  std::vector<std::string> lines;
  for (const KernelRow& row : MergeRows(std::move(rows))) lines.push_back(RowText(row));
  return lines;
}

using Texts = std::vector<std::string>;

TEST(KernelRows, CollectTheTypesOfOneDevice) {
  EXPECT_EQ(Lines({{"Op", "CPU", {{"T", {DType::kInt32}}}, ""},
                   {"Op", "GPU", {{"T", {DType::kFloat32}}}, ""},
                   {"Op", "CPU", {{"T", {DType::kFloat32}}}, ""}}),
            (Texts{"cpu  T in {float32, int32}", "gpu  T in {float32}"}));
}

TEST(KernelRows, AreOneForAProductOfTypes) {
  std::vector<KernelNote> kernels;
  for (const DType t : {DType::kFloat32, DType::kFloat64}) {
    for (const DType u : {DType::kInt32, DType::kInt64}) kernels.push_back({"Op", "CPU", {{"T", {t}}, {"U", {u}}}, ""});
  }
  EXPECT_EQ(Lines(kernels), Texts{"cpu  T in {float32, float64}, U in {int32, int64}"});
}

TEST(KernelRows, StayApartWhereACombinationHasNoKernel) {
  EXPECT_EQ(Lines({{"Op", "CPU", {{"T", {DType::kFloat32}}, {"U", {DType::kInt32}}}, ""},
                   {"Op", "CPU", {{"T", {DType::kFloat64}}, {"U", {DType::kInt64}}}, ""}}),
            (Texts{"cpu  T in {float32}, U in {int32}", "cpu  T in {float64}, U in {int64}"}));
}

TEST(KernelRows, AKernelForEverythingSwallowsNoOther) {
  EXPECT_EQ(Lines({{"Op", "CPU", {}, ""}, {"Op", "CPU", {}, ""}, {"Op", "CPU", {{"T", {DType::kFloat32}}}, ""}}),
            (Texts{"cpu", "cpu  T in {float32}"}));
}

TEST(KernelRows, NameLabelAndOrigin) {
  KernelRow row{"cpu", "fast", "a.so", {}};
  EXPECT_EQ(RowText(row), "cpu  label 'fast', from a.so");
}

}  // namespace
}  // namespace opsrun::host
