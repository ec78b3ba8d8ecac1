// tests/host/run/slots_test.cc: what the slots of a running kernel answer at the edges of what they are given.
// SPDX-License-Identifier: Apache-2.0
#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

class SlotsTest : public RunTest {
 protected:
  SlotsTest() {
    const std::vector<std::string> x = {"x: int32"}, y = {"y: int32"};
    ops_.Add({.name = "DoTexts", .inputs = x, .outputs = {"t: string"}}, nullptr, DoIt);
    ops_.Add({.name = "DoMany", .inputs = {"xs: N * int32"}, .outputs = y, .attrs = {"N: int"}}, nullptr, DoIt);
  }
  // Runs the nodes with `what` as the kernel of Do; the failure, if there is one.
  std::optional<RunFailure> RunNodes(const std::string& nodes, const std::string& outputs,
                                     std::function<int32_t(opsrun_call*)> what) {
    to_do = std::move(what);
    Make(nodes, outputs);
    return lane_->Run();
  }
  std::optional<RunFailure> RunDo(std::function<int32_t(opsrun_call*)> what) {
    return RunNodes("  a: {op: Do, in: x}\n", "a", std::move(what));
  }
  // In a call of the op whose output has the shape of its input.
  void During(const std::string& op, std::function<void(opsrun_call*)> what) {
    const auto failure = RunNodes("  a: {op: " + op + ", in: x}\n", "a", [&](opsrun_call* call) {
      opsrun_tensor* out = nullptr;
      const int32_t code = AllocateLikeInput(call, &out);
      what(call);
      return code;
    });
    EXPECT_FALSE(failure.has_value()) << failure->status.message();
  }
};

TEST_F(SlotsTest, ACallSaysWhatItIs) {
  During("Do", [this](opsrun_call* call) {
    EXPECT_EQ(call->size, sizeof(opsrun_call));
    EXPECT_EQ(call->kind, OPSRUN_KIND_CALL);
    EXPECT_EQ(call->host, host_.get());
    EXPECT_EQ(call->n_in, 1u);
    EXPECT_EQ(call->n_out, 1u);
    EXPECT_EQ(call->in[0]->host, host_.get());
    EXPECT_EQ(call->host->num_threads(call), 1);
    EXPECT_EQ(call->host->current_thread(call), -1) << "one thread is none of a pool";
    EXPECT_EQ(call->host->try_schedule(
                  call, [](void*) -> int32_t { return OPSRUN_INTERNAL; }, nullptr),
              0);
    EXPECT_EQ(call->host->wait_scheduled(call), OPSRUN_OK) << "nothing was scheduled";
    EXPECT_EQ(call->workspace, nullptr) << "none was asked for";
    EXPECT_EQ(call->host->cancelled(call), 0);
  });
}

TEST_F(SlotsTest, ALoopOnOneThreadIsOneCall) {
  During("Do", [](opsrun_call* call) {
    for (const int64_t n : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{1} << 40}) {
      std::vector<int64_t> seen;
      const auto body = [](void* ctx, int64_t begin, int64_t end) -> int32_t {
        auto* ranges = static_cast<std::vector<int64_t>*>(ctx);
        ranges->insert(ranges->end(), {begin, end});
        return OPSRUN_ABORTED;
      };
      EXPECT_EQ(call->host->parallel_for(call, n, 1, body, &seen), n <= 0 ? OPSRUN_OK : OPSRUN_ABORTED);
      EXPECT_EQ(seen, n <= 0 ? std::vector<int64_t>() : (std::vector<int64_t>{0, n}));
    }
  });
}

// What was recorded is the reason if the kernel fails, whatever the code is that it recorded.
TEST_F(SlotsTest, TheCodeThatTheKernelReturnsDecides) {
  const auto run = [&](int32_t said, std::optional<int32_t> returned) {
    return RunDo([=](opsrun_call* call) {
      const int32_t code = call->host->fail(call->host, call, said, C("broken"), C("input:x"));
      return returned.value_or(code);
    });
  };
  EXPECT_FALSE(run(OPSRUN_INTERNAL, OPSRUN_OK).has_value());
  for (const auto& failure : {run(OPSRUN_INTERNAL, 4711), run(OPSRUN_OK, std::nullopt)}) {
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->status.code(), OPSRUN_UNKNOWN);
    EXPECT_EQ(failure->status.message(), "broken");
    EXPECT_EQ(failure->status.subject(), "input:x");
  }
}

// What cannot be read, or is too long to be believed, is said to be so.
TEST_F(SlotsTest, AReasonIsReadAsFarAsItCanBe) {
  const std::string text((1 << 20) + 1, 'r'), most = text.substr(0, 64 * 1024);
  const auto reason = [&](const char* data, uint64_t size) {
    const auto failure = RunDo([=](opsrun_call* call) {
      return call->host->fail(call->host, call, OPSRUN_ABORTED, {data, size}, C("input:x"));
    });
    return failure->status.message();
  };
  EXPECT_EQ(reason(text.data(), 3), "rrr");
  for (const uint64_t size : {64 << 10, (64 << 10) + 1, 1 << 20}) EXPECT_EQ(reason(text.data(), size), most);
  EXPECT_NE(reason(text.data(), (1 << 20) + 1)[0], 'r');
  EXPECT_EQ(reason(nullptr, 0), "");
  EXPECT_NE(reason(reinterpret_cast<const char*>(16), 5)[0], 'r');
}

TEST_F(SlotsTest, OutputsAndInputsThatAreNotThereAreRefused) {
  During("Do", [](opsrun_call* call) {
    const int64_t one = 1;
    opsrun_tensor* out = nullptr;
    EXPECT_EQ(call->host->set_output(call, 1, call->in[0]), OPSRUN_INVALID_ARGUMENT);
    EXPECT_EQ(call->host->forward_input(call, 1, 0, 1, &one, &out), OPSRUN_INVALID_ARGUMENT);
    EXPECT_EQ(call->host->forward_input(call, 0, 1, 1, &one, &out), OPSRUN_INVALID_ARGUMENT);
    EXPECT_EQ(call->host->forward_input(call, 0, 0, 1, &one, &out), OPSRUN_OK);
    EXPECT_EQ(out, nullptr) << "a feed";
  });
}

// Into memory that was planned for it, however little that is.
TEST_F(SlotsTest, AnOutputIsSetToATensorOfAnySize) {
  to_do = [](opsrun_call* call) { return call->host->set_output(call, 0, call->in[0]); };
  for (const std::string value : {"[true], dtype: bool", "[], dtype: bool", "[true, false, true], dtype: bool",
                                  "[7, 8, 9], dtype: int16", "[1.5], dtype: float64"}) {
    InProcessOps ops;
    ops.Add({.name = "Pass", .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: type"}}, SameShape, DoIt);
    const Plan* plan = ops.Make(
        "feeds: {x: {value: " + value + "}}\nnodes: {a: {op: Pass, in: x}, b: {op: Pass, in: a}}\noutputs: [x, b]\n",
        host_.get());
    ASSERT_NE(plan, nullptr) << ops.Found();
    const std::unique_ptr<Lane> lane = *Lane::Create(*plan, {device_.get(), host_.get()});
    ASSERT_FALSE(lane->Run().has_value());
    const Result<Tensor> given = lane->Output(0), got = lane->Output(1);
    ASSERT_EQ(got->num_bytes(), given->num_bytes()) << value;
    EXPECT_EQ(std::memcmp(got->data(), given->data(), given->num_bytes()), 0) << value;
  }
}

// tests/graphs has what kernels do wrong.
TEST_F(SlotsTest, StringsAreCountedAsTheyComeAndGo) {
  During("DoTexts", [this](opsrun_call* call) {
    const opsrun_tensor* t = call->out[0];
    const opsrun_host* host = call->host;
    const size_t before = device_->used();
    EXPECT_EQ(host->string_assign(t, 2, "0123456789", 10), OPSRUN_OK);
    EXPECT_EQ(device_->used(), before + 10);
    EXPECT_EQ(host->string_assign(t, 2, "0123", 4), OPSRUN_OK);
    EXPECT_EQ(device_->used(), before + 4);
    EXPECT_EQ(host->string_assign(t, 2, nullptr, 0), OPSRUN_OK);
    EXPECT_EQ(device_->used(), before);
    device_->FailIn(0);
    EXPECT_EQ(host->string_assign(t, 1, "01", 2), OPSRUN_RESOURCE_EXHAUSTED);
    EXPECT_EQ(device_->used(), before);
    EXPECT_EQ(host->string_assign(t, 0, "a", 1), OPSRUN_OK);
    EXPECT_EQ(host->string_swap(t, 0, 2), OPSRUN_OK);
    EXPECT_EQ(static_cast<const opsrun_str*>(t->data)[2].size, 1u);
    EXPECT_EQ(static_cast<const opsrun_str*>(t->data)[0].size, 0u);
    EXPECT_EQ(device_->used(), before + 1);
  });
}

// Only 64 inputs have a bit each: the 65th is never given away, although the first one is.
TEST_F(SlotsTest, TheSixtyFifthInputIsNotForwarded) {
  std::string nodes =
      "  first: {op: LateAddOne, in: x}\n  last: {op: LateAddOne, in: x}\n  many: {op: DoMany, in: [first, ";
  for (int i = 1; i < 64; ++i) nodes += "x, ";
  nodes += "last]}\n";
  EXPECT_FALSE(RunNodes(nodes, "many, last", [](opsrun_call* call) {
                 EXPECT_EQ(call->n_in, 65u);
                 opsrun_tensor* out = nullptr;
                 const opsrun_tensor* last = call->in[64];
                 EXPECT_EQ(call->host->forward_input(call, 64, 0, last->rank, last->shape, &out), OPSRUN_OK);
                 EXPECT_EQ(out, nullptr);
                 EXPECT_EQ(call->host->forward_input(call, 0, 0, last->rank, last->shape, &out), OPSRUN_OK);
                 EXPECT_NE(out, nullptr);
                 return int32_t{OPSRUN_OK};
               }).has_value());
  for (const size_t i : {0, 1}) EXPECT_EQ(ValuesOf(lane_->Output(i)), (Row{2, 3, 4}));
}

// Temporaries of every type, also those that own what they hold.
TEST_F(SlotsTest, ATemporaryIsATensorOfItsOwn) {
  During("Do", [this](opsrun_call* call) {
    const size_t before = device_->used();
    for (const int32_t dtype :
         {OPSRUN_DT_FLOAT, OPSRUN_DT_STRING, OPSRUN_DT_RESOURCE, OPSRUN_DT_VARIANT, OPSRUN_DT_BOOL}) {
      const opsrun_tensor* temp = nullptr;
      const int64_t dims[] = {2, 3};
      ASSERT_EQ(call->host->allocate_temp(call, dtype, 2, dims, 0, &temp), OPSRUN_OK);
      EXPECT_EQ(temp->dtype, dtype);
      EXPECT_EQ(temp->shape[1], 3);
      EXPECT_EQ(temp->strides[0], 3);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(temp->data) % 64, 0u);
      EXPECT_EQ(call->host->string_assign(temp, 5, "the last one", 12),
                dtype == OPSRUN_DT_STRING ? OPSRUN_OK : OPSRUN_INVALID_ARGUMENT);
      const opsrun_tensor* same = nullptr;
      EXPECT_EQ(call->host->retain(temp, &same), OPSRUN_OK);
      EXPECT_EQ(same, temp);
      call->host->release(temp);
      EXPECT_GT(device_->used(), before);
      call->host->release(same);
      EXPECT_EQ(device_->used(), before);
    }
    call->host->release(nullptr);
    EXPECT_EQ(call->host->string_swap(call->out[0], 0, 0), OPSRUN_INVALID_ARGUMENT);
    const int64_t wrong[] = {-1, 3};
    const opsrun_tensor* none = nullptr;
    EXPECT_EQ(call->host->allocate_temp(call, OPSRUN_DT_FLOAT, 2, wrong, 0, &none), OPSRUN_INVALID_ARGUMENT);
    EXPECT_EQ(call->host->allocate_temp(call, OPSRUN_DT_INT4, 0, nullptr, 0, &none), OPSRUN_INVALID_ARGUMENT);
    EXPECT_EQ(call->host->allocate_temp(call, OPSRUN_DT_FLOAT, OPSRUN_MAX_RANK + 1, wrong, 0, &none),
              OPSRUN_INVALID_ARGUMENT);
    device_->FailIn(0);
    EXPECT_EQ(call->host->allocate_temp(call, OPSRUN_DT_FLOAT, 0, nullptr, 0, &none), OPSRUN_RESOURCE_EXHAUSTED);
  });
}

// An object belongs to the plugin of the kernel that makes it, whatever its name is.
TEST_F(SlotsTest, AResourceBelongsToAPlugin) {
  const Plugin* own = ops_.plugin().get();
  const auto find = [&](const ResourceKey& key) {
    const opsrun_resource* r = nullptr;
    const int32_t code = resources_.FindOrMake(key, {}, host_, &r);
    if (r != nullptr) host_->resource_release(r);
    return code;
  };
  During("Do", [&](opsrun_call* call) {
    const opsrun_resource* r = nullptr;
    const auto make = [](void*, void** object) -> int32_t {
      *object = &to_do;
      return OPSRUN_OK;
    };
    EXPECT_EQ(call->host->resource(call, C("c"), C("n"), C("t"), nullptr, nullptr, nullptr, &r), OPSRUN_NOT_FOUND);
    EXPECT_EQ(call->host->resource(
                  call, C("c"), C("n"), C("t"), make, nullptr, [](void*) {}, &r),
              OPSRUN_OK);
    EXPECT_EQ(r->obj, &to_do);
    call->host->resource_release(r);
    EXPECT_EQ(find({own, "c", "n", "t"}), OPSRUN_OK);
    for (const ResourceKey& other : {ResourceKey{nullptr, "c", "n", "t"},
                                     {&resources_, "c", "n", "t"},
                                     {own, "", "n", "t"},
                                     {own, "c", "", "t"},
                                     {own, "c", "n", ""}})
      EXPECT_EQ(find(other), OPSRUN_NOT_FOUND);
    EXPECT_EQ(call->host->resource_delete(call, C("c"), C("n"), C("u")), OPSRUN_NOT_FOUND);
    EXPECT_EQ(call->host->resource_delete(call, C("c"), C("n"), C("t")), OPSRUN_OK);
    EXPECT_EQ(find({own, "c", "n", "t"}), OPSRUN_NOT_FOUND);
  });
}

// The reason that counts is the first one of this run.
TEST_F(SlotsTest, AReasonIsForgottenWithItsRun) {
  int runs = 0;
  const auto fail_twice = [&](opsrun_call* call) {
    const bool first = runs++ == 0;
    call->host->fail(call->host, call, first ? OPSRUN_ABORTED : OPSRUN_DATA_LOSS, C("a"),
                     first ? C("input:x") : C("output:y"));
    return call->host->fail(call->host, call, OPSRUN_INTERNAL, C("b"), C(""));
  };
  const std::optional<RunFailure> first = RunDo(fail_twice), second = lane_->Run();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->status.subject(), "input:x");
  EXPECT_EQ(second->status.subject(), "output:y");
  to_do = [](opsrun_call*) { return int32_t{OPSRUN_UNAVAILABLE}; };
  EXPECT_EQ(lane_->Run()->status.code(), OPSRUN_UNAVAILABLE);
  EXPECT_EQ(lane_->Run()->status.subject(), "");
}

// Before it is made, it cannot be kept; then it may be set to itself, and takes no other block.
TEST_F(SlotsTest, AnOutputIsMadeOnce) {
  EXPECT_FALSE(
      RunNodes("  first: {op: LateAddOne, in: x}\n  many: {op: DoMany, in: [first]}\n", "many", [](opsrun_call* call) {
        const opsrun_host* host = call->host;
        const opsrun_tensor *in = call->in[0], *none = nullptr;
        const int64_t negative[] = {0, -1};
        opsrun_tensor* out = nullptr;
        EXPECT_EQ(host->retain(call->out[0], &none), OPSRUN_FAILED_PRECONDITION);
        EXPECT_EQ(host->allocate_output(call, 0, 2, negative, &out), OPSRUN_INVALID_ARGUMENT);
        EXPECT_EQ(AddOne(nullptr, call), OPSRUN_OK);
        out = nullptr;
        EXPECT_EQ(host->forward_input(call, 0, 0, in->rank, in->shape, &out), OPSRUN_OK);
        EXPECT_EQ(out, nullptr);
        return host->set_output(call, 0, call->out[0]);
      }).has_value());
  EXPECT_EQ(ValuesOf(lane_->Output(0)), (Row{3, 4, 5}));
}

// A handle keeps its host and its device, whoever else lets go of them.
TEST_F(SlotsTest, AHandleKeepsItsHost) {
  const opsrun_tensor* kept = nullptr;
  During("Do", [&](opsrun_call* call) { ASSERT_EQ(call->host->retain(call->in[0], &kept), OPSRUN_OK); });
  lane_.reset();
  ops_.Forget();
  const std::weak_ptr<const opsrun_host> host = host_;
  host_.reset();
  EXPECT_FALSE(host.expired());
  EXPECT_EQ(Ints(kept)[2], 3);
  kept->host->release(kept);
  EXPECT_TRUE(host.expired());
}

const opsrun_trace* TraceOf(const opsrun_call* call) {
  return static_cast<const opsrun_trace*>(call->host->query(call->host, C(OPSRUN_TRACE_1)));
}

// A part within another one, and one that did not begin.
TEST_F(SlotsTest, PartsAreRecordedOnlyForTheRunThatWantsThem) {
  to_do = [](opsrun_call* call) {
    const opsrun_trace* const trace = TraceOf(call);
    const int64_t outer = trace->now(call), inner = trace->now(call);
    trace->span(call, C("inner"), inner);
    trace->span(call, C("outer"), outer);
    trace->span(call, C("none"), 0);
    return AddOne(nullptr, call);
  };
  Make("  a: {op: AddOne, in: x}\n  b: {op: Do, in: a}\n", "b");
  RunTimes times;
  EXPECT_FALSE(lane_->Run().has_value());
  EXPECT_FALSE(lane_->RunTimed(times).has_value());
  EXPECT_TRUE(times.parts.empty());
  times.wants_parts = true;
  for (int run = 0; run < 2; ++run) {
    EXPECT_FALSE(lane_->RunTimed(times).has_value());
    ASSERT_EQ(times.parts.size(), 2u);
    EXPECT_EQ(times.parts[0].name, "inner");
    EXPECT_EQ(times.parts[1].name, "outer");
    EXPECT_EQ(times.parts[1].step, 1u);
    EXPECT_LE(times.steps[1].begin, times.parts[1].begin);
    EXPECT_LE(times.parts[1].begin, times.parts[0].begin);
    EXPECT_LE(times.parts[0].end, times.parts[1].end);
    EXPECT_LE(times.parts[1].end, times.steps[1].end);
  }
}

TEST_F(SlotsTest, PartsBeyondTheLimitAreCounted) {
  to_do = [](opsrun_call* call) {
    const opsrun_trace* const trace = TraceOf(call);
    for (size_t i = 0; i < RunTimes::kMostParts + 3; ++i) trace->span(call, C("one"), trace->now(call));
    return AddOne(nullptr, call);
  };
  Make("  a: {op: Do, in: x}\n", "a");
  RunTimes times;
  times.wants_parts = true;
  EXPECT_FALSE(lane_->RunTimed(times).has_value());
  EXPECT_EQ(times.parts.size(), RunTimes::kMostParts);
  EXPECT_EQ(times.parts_left_out, 3u);
}

}  // namespace
}  // namespace opsrun::host
