// tests/sdk/test_host_impl.h: what is behind TestHost, and the watched slots of its table. Private to its sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "host/plan/call_arrays.h"
#include "host/run/lane.h"
#include "host/tensor/resources.h"
#include "tests/host/run/run_test.h"
#include "tests/sdk/test_host.h"

namespace opsrun_test {

namespace host = opsrun::host;

struct TestHost::Impl {
  bool MustFail() { return fails_in >= 0 && fails_in-- == 0; }

  std::shared_ptr<host::CountingDevice> device = std::make_shared<host::CountingDevice>();
  std::shared_ptr<const opsrun_host> table;
  Impl** number = nullptr;  // where the functions of its table find it
  std::vector<TestTensor> tensors;
  std::deque<host::TensorView> views;  // of tensors
  host::Plugin plugin;                 // the test program as a plugin
  host::Resources resources;
  host::StopSignal stop;
  host::RunTimes times;
  std::vector<Span> spans;
  int held_tensors = 0, threads = 1, fails_in = -1;
};

// A shape call that knows what was asked of it.
struct WatchedShapeCall : host::ShapeCall {
  using ShapeCall::ShapeCall;
  std::vector<uint32_t> dim_ops;
  std::set<uint32_t> wanted;
};

// The watched slots of host N: functions of a table have no context, so each host needs its own.
template <int N>
struct Watched {
  static inline TestHost::Impl* host = nullptr;
  static inline opsrun_host real;
  static inline opsrun_trace trace;

  // False, and a failed test, if the call or object is another host's.
  template <typename Handle>
  static bool IsOwn(const Handle* handle) {
    EXPECT_EQ(handle->host, host->table.get()) << "it does not belong to this host";
    return handle->host == host->table.get();
  }

  template <auto slot>
  struct MayFail;
  template <typename First, typename... Rest, int32_t (*opsrun_host::*slot)(First, Rest...)>
  struct MayFail<slot> {
    static int32_t Call(First first, Rest... rest) {
      if constexpr (!std::is_same_v<First, void*>) {  // a call or an object
        if (!IsOwn(first)) return OPSRUN_INVALID_ARGUMENT;
      }
      return host->MustFail() ? OPSRUN_RESOURCE_EXHAUSTED : (real.*slot)(first, rest...);
    }
  };
  template <auto slot>
  static void LetFail(opsrun_host& slots) {
    slots.*slot = MayFail<slot>::Call;
  }

  static int32_t CountHeld(int32_t code) {
    host->held_tensors += code == OPSRUN_OK;
    return code;
  }
  static int32_t SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
    if (t != nullptr && !IsOwn(t)) return OPSRUN_INVALID_ARGUMENT;
    return MayFail<&opsrun_host::set_output>::Call(call, i, t);
  }
  static int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                              const opsrun_tensor** t) {
    const auto allocate = &MayFail<&opsrun_host::allocate_temp>::Call;
    return CountHeld(allocate(where, dtype, rank, dims, flags, t));
  }
  static int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept) {
    return CountHeld(MayFail<&opsrun_host::retain>::Call(t, kept));
  }
  static void Release(const opsrun_tensor* t) {
    if (!IsOwn(t)) return;
    --host->held_tensors;
    real.release(t);
  }
  static int32_t StringSwap(const opsrun_tensor* t, uint64_t i, uint64_t j) {
    return IsOwn(t) ? real.string_swap(t, i, j) : OPSRUN_INVALID_ARGUMENT;
  }
  static int32_t RetainResource(const opsrun_resource* r) {
    return IsOwn(r) ? real.resource_retain(r) : OPSRUN_INVALID_ARGUMENT;
  }
  static int32_t ReleaseResource(const opsrun_resource* r) {
    return IsOwn(r) ? real.resource_release(r) : OPSRUN_INVALID_ARGUMENT;
  }

  static int32_t ParallelFor(opsrun_call* call, int64_t n, int64_t cost, opsrun_range_fn fn, void* ctx) {
    if (!IsOwn(call)) return OPSRUN_INVALID_ARGUMENT;
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    if (host->threads == 1) return real.parallel_for(call, n, cost, fn, ctx);
    const int64_t pieces = std::min<int64_t>(n, host->threads);
    for (int64_t piece = pieces; piece > 0; --piece) {
      if (int32_t code = fn(ctx, n * (piece - 1) / pieces, n * piece / pieces)) return code;
    }
    return OPSRUN_OK;
  }
  static int32_t NumThreads(opsrun_call* call) { return IsOwn(call) ? host->threads : 0; }

  // The interface of traces with a watched `span`; others as they are.
  static const void* Query(const opsrun_host* its, opsrun_str id) {
    const void* const found = real.query(its, id);
    if (found == nullptr || std::string_view(id.data, id.size) != OPSRUN_TRACE_1) return found;
    trace = *static_cast<const opsrun_trace*>(found);
    static opsrun_trace watched;
    watched = trace;
    watched.span = [](opsrun_call* call, opsrun_str name, int64_t begin) {
      host->spans.push_back({std::string(name.data, name.size), begin});
      trace.span(call, name, begin);
    };
    return &watched;
  }

  static int32_t DimOp(opsrun_shape_call* call, uint32_t op, const opsrun_dim* a, const opsrun_dim* b,
                       const opsrun_dim** out) {
    EXPECT_TRUE(a == nullptr || b == nullptr || a->value < 0 || b->value < 0)
        << "both operands are known: that is the plugin's own work";
    static_cast<WatchedShapeCall*>(call)->dim_ops.push_back(op);
    return MayFail<&opsrun_host::dim_op>::Call(call, op, a, b, out);
  }
  static int32_t SetOutputShape(opsrun_shape_call* call, uint32_t i, const opsrun_shape* shape) {
    EXPECT_NE(shape, nullptr) << "a handle that was never set";
    return MayFail<&opsrun_host::set_output_shape>::Call(call, i, shape);
  }
  static int32_t WantValue(opsrun_shape_call* call, uint32_t i, const opsrun_tensor** value,
                           const opsrun_shape** as_shape) {
    static_cast<WatchedShapeCall*>(call)->wanted.insert(i);
    return MayFail<&opsrun_host::want_value>::Call(call, i, value, as_shape);
  }

  static void Watch(opsrun_host& slots) {
    real = slots;
    LetFail<&opsrun_host::allocate_output>(slots);
    LetFail<&opsrun_host::forward_input>(slots);
    LetFail<&opsrun_host::string_assign>(slots);
    LetFail<&opsrun_host::resource>(slots);
    LetFail<&opsrun_host::make_dim>(slots);
    LetFail<&opsrun_host::make_shape>(slots);
    LetFail<&opsrun_host::equate>(slots);
    LetFail<&opsrun_host::set_output_value>(slots);
    slots.query = Query;
    slots.set_output = SetOutput;
    slots.set_output_shape = SetOutputShape;
    slots.string_swap = StringSwap;
    slots.allocate_temp = AllocateTemp;
    slots.retain = Retain;
    slots.release = Release;
    slots.resource_retain = RetainResource;
    slots.resource_release = ReleaseResource;
    slots.parallel_for = ParallelFor;
    slots.num_threads = NumThreads;
    slots.dim_op = DimOp;
    slots.want_value = WantValue;
  }

  // Finds an N that no host uses.
  static void Make(TestHost::Impl& impl) {
    if constexpr (N < 8) {
      if (host != nullptr) return Watched<N + 1>::Make(impl);
      host = &impl;
      impl.number = &host;
      impl.table = host::MakeHostTable(impl.device, {.adjust = Watch});
    } else {
      throw std::runtime_error("more than eight hosts at once");
    }
  }
};

}  // namespace opsrun_test
