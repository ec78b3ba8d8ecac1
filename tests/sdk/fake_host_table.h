// tests/sdk/fake_host_table.h: the functions of FakeHost's tables, once for each host that may exist at a time.
//
// Each function has the name of its slot. The functions of a table have no context argument, so each table is its own
// instance of a template: a call through the wrong host's table is detected, because its handles belong to another
// host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tests/sdk/fake_host.h"
#include "tests/sdk/fake_shape_call.h"

namespace opsrun_test {

template <int N>
struct FakeTable {
  static inline FakeHost* host = nullptr;

  static int32_t fail(void* where, int32_t code, opsrun_str text, opsrun_str subject) {
    return host->Fail(where, code, Text(text), Text(subject));
  }
  static void log(void*, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line) {
    std::lock_guard<std::mutex> lock(host->mutex_);
    host->log_.push_back({severity, Text(text), Text(file), line});
  }
  static int64_t now(opsrun_call*) { return host->records_ ? 1 + static_cast<int64_t>(host->spans_.size()) : 0; }
  static void span(opsrun_call*, opsrun_str name, int64_t begin) {
    std::lock_guard<std::mutex> lock(host->mutex_);
    host->spans_.push_back(Text(name) + " from " + std::to_string(begin));
  }
  static const void* query(void*, opsrun_str id) {
    static constexpr opsrun_trace kTrace = {sizeof(opsrun_trace), 0, now, span};
    return Text(id) == OPSRUN_TRACE_1 ? &kTrace : nullptr;
  }

  static int32_t allocate_output(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims,
                                 opsrun_tensor** view) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    EXPECT_EQ(call->host, host->table());
    return host->AllocateOutput(call, i, rank, dims, view);
  }
  static int32_t set_output(opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    EXPECT_EQ(call->host, host->table());
    return host->SetOutput(call, i, t);
  }
  static int32_t forward_input(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                               opsrun_tensor** view) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    EXPECT_EQ(call->host, host->table());
    return host->ForwardInput(call, in, out, rank, dims, view);
  }
  static int32_t allocate_temp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t,
                               const opsrun_tensor** t) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    return host->AllocateTemp(where, dtype, rank, dims, t);
  }
  static int32_t retain(const opsrun_tensor* t, const opsrun_tensor** kept) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    return host->Retain(t, kept);
  }
  static void release(const opsrun_tensor* t) { host->Release(t); }

  static int32_t string_assign(const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    FakeTensor* tensor = host->Find(t);
    if (!tensor || t->dtype != OPSRUN_DT_STRING || i >= tensor->Count()) return OPSRUN_INVALID_ARGUMENT;
    tensor->AssignString(i, p, n);
    return OPSRUN_OK;
  }
  static int32_t string_swap(const opsrun_tensor* t, uint64_t i, uint64_t j) {
    FakeTensor* tensor = host->Find(t);
    if (!tensor || t->dtype != OPSRUN_DT_STRING || i >= tensor->Count() || j >= tensor->Count())
      return OPSRUN_INVALID_ARGUMENT;
    opsrun_str* slots = static_cast<opsrun_str*>(t->data);
    std::swap(slots[i], slots[j]);
    return OPSRUN_OK;
  }

  static int32_t parallel_for(opsrun_call*, int64_t n, int64_t, opsrun_range_fn fn, void* ctx) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    const int64_t pieces = std::min<int64_t>(n, host->threads_);
    for (int64_t piece = pieces; piece > 0; --piece) {
      if (int32_t code = fn(ctx, n * (piece - 1) / pieces, n * piece / pieces)) return code;
    }
    return OPSRUN_OK;
  }
  static int32_t try_schedule(opsrun_call*, void (*)(void*), void*) { return 0; }
  static int32_t num_threads(opsrun_call*) { return host->threads_; }
  static int32_t current_thread(opsrun_call*) { return -1; }
  static int32_t cancelled(opsrun_call*) { return host->cancelled_; }

  static int32_t resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type,
                          int32_t (*make)(void*, void**), void* ctx, void (*destroy)(void*),
                          const opsrun_resource** r) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    return host->FindOrMake(where, {Text(container), Text(name), Text(type)}, make, ctx, destroy, r);
  }
  static int32_t resource_retain(const opsrun_resource* r) { return host->ChangeReferences(r, 1); }
  static int32_t resource_release(const opsrun_resource* r) { return host->ChangeReferences(r, -1); }
  static int32_t resource_delete(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
    return host->DeleteResource(where, {Text(container), Text(name), Text(type)});
  }

  template <auto method>
  struct ShapeSlot;
  template <typename... Arguments, int32_t (FakeShapeCall::*method)(Arguments...)>
  struct ShapeSlot<method> {
    static int32_t Call(opsrun_shape_call* call, Arguments... arguments) {
      if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
      return (host->Find(call)->*method)(arguments...);
    }
  };
  static constexpr auto make_dim = &ShapeSlot<&FakeShapeCall::MakeDim>::Call;
  static constexpr auto make_shape = &ShapeSlot<&FakeShapeCall::MakeShape>::Call;
  static constexpr auto set_output_shape = &ShapeSlot<&FakeShapeCall::SetOutput>::Call;
  static constexpr auto equate = &ShapeSlot<&FakeShapeCall::Equate>::Call;
  static constexpr auto dim_op = &ShapeSlot<&FakeShapeCall::DimOp>::Call;
  static constexpr auto want_value = &ShapeSlot<&FakeShapeCall::WantValue>::Call;
  static constexpr auto set_output_value = &ShapeSlot<&FakeShapeCall::SetOutputValue>::Call;

  // The functions are named like the slots, so that a missing one does not compile.
  static opsrun_host Table() {
    constexpr uint32_t size = sizeof(opsrun_host), level = OPSRUN_LEVEL;
#define OPSRUN_SLOT(T, slot, n) .slot = slot,
#define OPSRUN_NOTHING(T, field)
    return {OPSRUN_FIELDS_HOST(OPSRUN_SLOT, OPSRUN_NOTHING)};
#undef OPSRUN_SLOT
#undef OPSRUN_NOTHING
  }
};

}  // namespace opsrun_test
