// bench/spec_bench.cc: the cost of parsing and validating the spec strings of 1,000 ops.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "host/spec/parse_op.h"

namespace {

using opsrun::host::spec::OpDef;
using opsrun::host::spec::OpStrings;
using opsrun::host::spec::ParseOp;

constexpr int kOps = 1000;

// A typical op: type, list, string and defaulted attrs, a list input, documentation.
std::vector<OpStrings> Ops() {
  std::vector<OpStrings> ops(kOps);
  for (int i = 0; i < kOps; ++i) {
    OpStrings& op = ops[static_cast<size_t>(i)];
    op.name = "Resample" + std::to_string(i);
    op.inputs = {"images: N * T", "size: Tsize"};
    op.outputs = {"resampled: N * T", "scales: float"};
    op.attrs = {"T: {uint8, half, float, double}", "N: int >= 1", "Tsize: {int32, int64} = DT_INT32",
                "method: {'nearest', 'linear', 'cubic'} = 'linear'", "strides: list(int) = [1, 2, 2, 1]"};
    op.doc = "Resamples images.\n\nimages: All of one size.\nsize: Height and width.\n";
  }
  return ops;
}

void BM_ParseAndValidate1000Ops(benchmark::State& state) {
  const std::vector<OpStrings> ops = Ops();
  for (auto _ : state) {
    for (const OpStrings& strings : ops) {
      OpDef op;
      if (!ParseOp(strings, &op).empty()) state.SkipWithError("an op was refused");
      benchmark::DoNotOptimize(op);
    }
  }
}
BENCHMARK(BM_ParseAndValidate1000Ops)->Unit(benchmark::kMillisecond);

}  // namespace
