// tests/host/embed/memory_test.cc: what the engine keeps between calls. A memory limit that calls of one shape need
// tells whether calls of other shapes need more.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <thread>

#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// n + 1 everywhere.
Ints Numbers(int64_t n) {
  return Ints({n}, std::vector<int32_t>(static_cast<size_t>(n), static_cast<int32_t>(n + 1)));
}

class MemoryTest : public Embedded {
 protected:
  void Limit(uint64_t bytes) {
    opsrun_engine_destroy(engine_);
    engine_ = NewEngine(bytes);
  }
  opsrun_prepared* PrepareAddN(int64_t n) {
    const opsrun_op_input input{opsrun_str_of("inputs"), OPSRUN_DT_INT32, 1, &n, OPSRUN_LIST_ELEMENT, 0};
    opsrun_prepared* prepared = nullptr;
    EXPECT_EQ(opsrun_engine_prepare(engine_, opsrun_str_of("AddN"), &input, 1, nullptr, 0, &prepared, nullptr),
              OPSRUN_OK);
    return prepared;
  }
  // What the call returns; its result is dropped.
  int32_t CallAddN(opsrun_prepared* prepared, int64_t n) {
    const Ints x = Numbers(n);
    const opsrun_in in = x.in();
    opsrun_out out{};
    const int32_t code = opsrun_prepared_call(prepared, &in, 1, &out, 1, nullptr, nullptr);
    if (code == OPSRUN_OK) {
      EXPECT_EQ(ValuesOf(out), std::vector<int32_t>(static_cast<size_t>(n), static_cast<int32_t>(n + 1)));
    }
    opsrun_outs_free(&out, 1);
    return code;
  }
};

// A step in between, whose memory is the lane's.
constexpr char kTwoSteps[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  a: {op: AddN, in: {inputs: [x, x]}}\n"
    "  y: {op: AddN, in: {inputs: [a, x]}}\noutputs: [y]\n";
// The same with shapes that only kernels know.
constexpr char kLate[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  u: {op: Unique, in: x}\n"
    "  y: {op: AddN, in: {inputs: [u.y, u.y]}}\noutputs: [y]\n";

TEST_F(MemoryTest, PreparedCallsOfManyShapesNeedThatOfOne) {
  Limit(10 * kMiB);
  std::vector<opsrun_prepared*> prepared;
  for (int64_t n = 1 << 20; n > (1 << 20) - 20; --n) {
    prepared.push_back(PrepareAddN(n));
    EXPECT_EQ(CallAddN(prepared.back(), n), OPSRUN_OK) << n;
  }
  for (opsrun_prepared* each : prepared) opsrun_prepared_destroy(each);
}

TEST_F(MemoryTest, SmallCallsOfManyShapesNeedThatOfOne) {
  Limit(kMiB);
  std::vector<opsrun_prepared*> prepared;
  for (int64_t n = 12'000; n < 12'100; ++n) {
    prepared.push_back(PrepareAddN(n));
    EXPECT_EQ(CallAddN(prepared.back(), n), OPSRUN_OK) << n;
  }
  EXPECT_EQ(CallAddN(prepared[0], 12'000), OPSRUN_OK) << "its lane was given up";
  for (opsrun_prepared* each : prepared) opsrun_prepared_destroy(each);
}

TEST_F(MemoryTest, NeitherDoOutputsThatKernelsSizeStay) {
  Limit(32 * kMiB);
  ASSERT_EQ(Load(kLate), "");
  std::vector<int32_t> values(1 << 20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  for (int64_t n = 1 << 20; n > (1 << 20) - 10; --n) {
    const opsrun_array array{values.data(), &n, nullptr, OPSRUN_DT_INT32, 1};
    const opsrun_in in{nullptr, &array, 0, 0};
    opsrun_out out{};
    EXPECT_EQ(Run({in}, &out, 1), "") << n;
    opsrun_outs_free(&out, 1);
  }
}

TEST_F(MemoryTest, ResultsThatAreHeldStayWhole) {
  ASSERT_EQ(Load(kTwoSteps), "");
  std::vector<opsrun_out> held;
  for (int64_t n = 100'000; n < 100'020; ++n) {
    const Ints x = Numbers(n);
    EXPECT_EQ(Run({x.in()}, &held.emplace_back(), 1), "");
  }
  EXPECT_EQ(opsrun_engine_trim(engine_), OPSRUN_OK);
  for (size_t i = 0; i < held.size(); ++i) {
    const int64_t n = 100'000 + static_cast<int64_t>(i);
    EXPECT_EQ(ValuesOf(held[i]), std::vector<int32_t>(static_cast<size_t>(n), static_cast<int32_t>(3 * (n + 1))));
  }
  opsrun_outs_free(held.data(), static_cast<uint32_t>(held.size()));
}

TEST_F(MemoryTest, CallersAtTheSameTimeUseOtherShapes) {
  Limit(64 * kMiB);
  ASSERT_EQ(Load(kTwoSteps), "");
  std::vector<std::thread> callers;
  for (int64_t caller = 0; caller < 4; ++caller) {
    callers.emplace_back([this, caller] {
      for (int64_t i = 0; i < 50; ++i) {
        const int64_t n = 200'000 + 4 * ((i * 7919) % 50) + caller;
        const Ints x = Numbers(n);
        const opsrun_in in = x.in();
        opsrun_out out{};
        EXPECT_EQ(opsrun_graph_run(graph_, &in, 1, &out, 1, nullptr, nullptr), OPSRUN_OK);
        EXPECT_EQ(ValuesOf(out), std::vector<int32_t>(static_cast<size_t>(n), static_cast<int32_t>(3 * (n + 1))));
        opsrun_outs_free(&out, 1);
        if (i % 10 == 0) {
          EXPECT_EQ(opsrun_engine_trim(engine_), OPSRUN_OK);
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_F(MemoryTest, ACallThatNeedsMoreThanTheLimitStillFails) {
  Limit(kMiB);
  opsrun_prepared* const large = PrepareAddN(1 << 20);
  EXPECT_EQ(CallAddN(large, 1 << 20), OPSRUN_RESOURCE_EXHAUSTED);
  opsrun_prepared* const small = PrepareAddN(1000);
  EXPECT_EQ(CallAddN(small, 1000), OPSRUN_OK);
  opsrun_prepared_destroy(large);
  opsrun_prepared_destroy(small);
}

TEST_F(MemoryTest, TrimWantsAnEngine) {
  EXPECT_EQ(opsrun_engine_trim(nullptr), OPSRUN_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace opsrun_test
