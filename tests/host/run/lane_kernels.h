// tests/host/run/lane_kernels.h: the kernels of lane_test.cc: what kernels do with memory, well or badly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "host/run/lane.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/int_kernels.h"

namespace opsrun::host {

// The elements that are not zero: a shape that only the run knows.
inline int32_t NonZero(void*, opsrun_call* call) {
  std::vector<int32_t> kept;
  for (int64_t i = 0; i < Count(call->in[0]); ++i) {
    if (Ints(call->in[0])[i] != 0) kept.push_back(Ints(call->in[0])[i]);
  }
  const auto n = static_cast<int64_t>(kept.size());
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  if (n > 0) std::memcpy(out->data, kept.data(), kept.size() * sizeof(int32_t));
  return OPSRUN_OK;
}

inline const opsrun_trace* TraceOf(const opsrun_call* call) {
  return static_cast<const opsrun_trace*>(call->host->query(nullptr, C(OPSRUN_TRACE_1)));
}
// A part within another one, and one that did not begin.
inline int32_t TellParts(void*, opsrun_call* call) {
  const opsrun_trace* const trace = TraceOf(call);
  const int64_t outer = trace->now(call), inner = trace->now(call);
  trace->span(call, C("inner"), inner);
  trace->span(call, C("outer"), outer);
  trace->span(call, C("none"), 0);
  return AddOne(nullptr, call);
}
inline int32_t TellManyParts(void*, opsrun_call* call) {
  const opsrun_trace* const trace = TraceOf(call);
  for (size_t i = 0; i < RunTimes::kMostParts + 3; ++i) trace->span(call, C("one"), trace->now(call));
  return AddOne(nullptr, call);
}
inline int32_t PassOn(void*, opsrun_call* call) {
  return call->host->set_output(call, 0, call->in[0]);
}
inline int32_t Forget(void*, opsrun_call*) {
  return OPSRUN_OK;
}
inline int32_t Refuse(void*, opsrun_call* call) {
  return call->host->fail(call, OPSRUN_OUT_OF_RANGE, C("7 is too much"), C("input:x"));
}
inline int32_t RefuseWithoutReason(void*, opsrun_call*) {
  return OPSRUN_ABORTED;
}
inline int32_t ClaimSuccessAfterFailing(void*, opsrun_call* call) {
  call->host->fail(call, OPSRUN_INTERNAL, C("broken"), C(""));
  return OPSRUN_OK;
}
// What it fails with is no code.
inline int32_t FailWithAnother(void*, opsrun_call* call) {
  call->host->fail(call, OPSRUN_INTERNAL, C("broken"), C("input:x"));
  return 4711;
}
inline int32_t AllocateTwice(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = 1;
  call->host->allocate_output(call, 0, 1, &n, &out);
  return call->host->allocate_output(call, 0, 1, &n, &out);
}
inline int32_t AllocateAnotherShape(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t dims[] = {2, 3};
  return call->host->allocate_output(call, 0, 2, dims, &out);
}
inline int32_t AllocateWithoutSizes(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  return call->host->allocate_output(call, 0, 1, nullptr, &out);
}
// In place if the host lets it, else a copy; remembers which.
inline int forwarded = 0;
inline int32_t IncrementAndCount(void*, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->forward_input(call, 0, 0, in->rank, in->shape, &out)) return code;
  forwarded += out != nullptr;
  if (out == nullptr) return AddOne(nullptr, call);
  for (int64_t i = 0; i < Count(in); ++i) Ints(out)[i] += 1;
  return OPSRUN_OK;
}
// Keeps its input of the first call and gives it out in all later ones.
inline const opsrun_tensor* kept = nullptr;
inline int32_t KeepFirst(void*, opsrun_call* call) {
  if (kept == nullptr) {
    if (int32_t code = call->in[0]->host->retain(call->in[0], &kept)) return code;
  }
  return call->host->set_output(call, 0, kept);
}
// Through a temporary of its own.
inline int32_t ThroughTemp(void*, opsrun_call* call) {
  const opsrun_tensor* temp = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, in->rank, in->shape, 0, &temp)) return code;
  for (int64_t i = 0; i < Count(in); ++i) Ints(temp)[i] = 10 * Ints(in)[i];
  const int32_t code = call->host->set_output(call, 0, temp);
  temp->host->release(temp);
  return code;
}

// Fails the first time.
inline int failing_calls = 0;
inline int32_t FailOnce(void*, opsrun_call* call) {
  if (failing_calls++ == 0) return OPSRUN_ABORTED;
  return AddOne(nullptr, call);
}
// Writes every element twice: a long text, then a short one.
inline int32_t Rewrite(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out)) return code;
  const std::string text(1000, 'x');
  for (const size_t size : {text.size(), size_t{10}}) {
    for (int64_t i = 0; i < Count(in); ++i) {
      if (int32_t code = call->host->string_assign(out, static_cast<uint64_t>(i), text.data(), size)) return code;
    }
  }
  return OPSRUN_OK;
}

// Asks for its input's block: for twice as many elements, or as another type of as many bytes.
inline int32_t ForwardTwiceAsMany(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = 2 * Count(call->in[0]);
  if (int32_t code = call->host->forward_input(call, 0, 0, 1, &n, &out)) return code;
  forwarded += out != nullptr;
  return out != nullptr ? OPSRUN_OK : call->host->allocate_output(call, 0, 1, &n, &out);
}
inline int32_t ForwardAsFloat(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->forward_input(call, 0, 0, in->rank, in->shape, &out)) return code;
  forwarded += out != nullptr;
  return out != nullptr ? OPSRUN_OK : call->host->allocate_output(call, 0, in->rank, in->shape, &out);
}
// Allocates its output, then sets it to a temporary, of one dimension more if `grown`.
template <bool grown>
int32_t SetToTemp(void*, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out)) return code;
  const int64_t dims[] = {1, Count(in)};
  const opsrun_tensor* temp = nullptr;
  const int32_t rank = grown ? 2 : 1;
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, rank, grown ? dims : dims + 1, 0, &temp))
    return code;
  for (int64_t i = 0; i < Count(in); ++i) Ints(temp)[i] = -Ints(in)[i];
  const int32_t code = call->host->set_output(call, 0, temp);
  temp->host->release(temp);
  return code;
}
// Asks for 4 GiB, and the next time for nothing at all.
inline int huge_calls = 0;
inline int32_t HugeThenNothing(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = int64_t{1} << 30;
  return huge_calls++ == 0 ? call->host->allocate_output(call, 0, 1, &n, &out) : OPSRUN_OK;
}
// [2, n]; the sum of its strides comes with the next op.
inline int32_t TwoRows(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t dims[] = {2, Count(call->in[0])};
  return call->host->allocate_output(call, 0, 2, dims, &out);
}
inline int32_t Strides(void*, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  opsrun_tensor* out = nullptr;
  const int64_t n = in->rank;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  for (int64_t i = 0; i < n; ++i) Ints(out)[i] = static_cast<int32_t>(in->strides[i]);
  return OPSRUN_OK;
}
inline int32_t SetToItself(void*, opsrun_call* call) {
  if (int32_t code = AddOne(nullptr, call)) return code;
  return call->host->set_output(call, 0, call->out[0]);
}
// Only what is there can be kept.
inline int32_t KeepWhatIsNotMade(void*, opsrun_call* call) {
  const opsrun_tensor* none = nullptr;
  const int32_t code = call->host->retain(call->out[0], &none);
  return code == OPSRUN_FAILED_PRECONDITION ? AddOne(nullptr, call) : OPSRUN_INTERNAL;
}
// A tensor of another host, with one resource of it.
struct OtherHost {
  OtherHost() {
    table.resource_retain = [](const opsrun_resource* r) -> int32_t {
      ++static_cast<OtherHost*>(r->obj)->retained;
      return OPSRUN_OK;
    };
    table.resource_release = [](const opsrun_resource* r) -> int32_t {
      ++static_cast<OtherHost*>(r->obj)->released;
      return OPSRUN_OK;
    };
    resource.host = &table;
    resource.obj = this;
    tensor.host = &table;
    tensor.flags = 1u << 17;  // whatever that means there
    tensor.rank = 1;
    tensor.shape = one;
    tensor.strides = one;
    tensor.dtype = OPSRUN_DT_RESOURCE;
    tensor.data = elements;
  }
  int retained = 0, released = 0;
  opsrun_host table{};
  opsrun_resource resource{};
  const opsrun_resource* elements[1] = {&resource};
  int64_t one[1] = {1};
  opsrun_tensor tensor{};
};
inline OtherHost* other_host = nullptr;
inline int32_t SetToOthers(void*, opsrun_call* call) {
  return call->host->set_output(call, 0, &other_host->tensor);
}
// The first reason counts.
inline int32_t RefuseTwice(void*, opsrun_create* create, void**) {
  create->host->fail(create, OPSRUN_INVALID_ARGUMENT, C("first"), C("attr:level"));
  return create->host->fail(create, OPSRUN_INTERNAL, C("second"), C(""));
}
inline int32_t AllocateOneMore(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = Count(call->in[0]) + 1;
  return call->host->allocate_output(call, 0, 1, &n, &out);
}
inline int32_t AllocateNegative(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t dims[] = {0, -1};
  return call->host->allocate_output(call, 0, 2, dims, &out);
}
// All but the last of its outputs.
inline int32_t ForgetTheLast(void*, opsrun_call* call) {
  for (uint32_t i = 0; i + 1 < call->n_out; ++i) {
    opsrun_tensor* out = nullptr;
    const opsrun_tensor* in = call->in[0];
    if (int32_t code = call->host->allocate_output(call, i, in->rank, in->shape, &out)) return code;
  }
  return OPSRUN_OK;
}
// A temporary lives as long as one of its references.
inline int32_t KeepATemp(void*, opsrun_call* call) {
  const opsrun_tensor *temp = nullptr, *same = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, in->rank, in->shape, 0, &temp)) return code;
  if (int32_t code = temp->host->retain(temp, &same)) return code;
  call->host->release(temp);
  if (same->rank != in->rank || same->host != call->host) return OPSRUN_INTERNAL;
  for (int64_t i = 0; i < Count(same); ++i) Ints(same)[i] = 5;
  const int32_t code = call->host->set_output(call, 0, same);
  call->host->release(same);
  return code;
}
// Writes past the end of its strings.
inline int32_t WritePastTheEnd(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out)) return code;
  const auto end = static_cast<uint64_t>(Count(in));
  const bool refused = call->host->string_assign(out, end, "x", 1) == OPSRUN_INVALID_ARGUMENT &&
                       call->host->string_swap(out, 0, end) == OPSRUN_INVALID_ARGUMENT &&
                       call->host->string_swap(out, end, 0) == OPSRUN_INVALID_ARGUMENT &&
                       call->host->string_swap(out, 0, end - 1) == OPSRUN_OK;
  return refused ? OPSRUN_OK : OPSRUN_INTERNAL;
}
// What the host refuses counts less than what the function says, and a failure is one whatever its code.
inline int32_t RefuseShape(void*, opsrun_shape_call* call) {
  call->host->set_output_shape(call, 9, call->in[0]);
  return call->host->fail(call, OPSRUN_OK, C("no"), C("input:x"));
}
inline int32_t IsAligned(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = 1;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  Ints(out)[0] = (call->in[0]->flags & OPSRUN_TENSOR_ALIGNED64) != 0;
  return OPSRUN_OK;
}
// As somebody who wants the run to end while this kernel works.
inline StopSignal* to_stop = nullptr;
inline int32_t StopHere(void*, opsrun_call* call) {
  to_stop->Stop();
  return AddOne(nullptr, call);
}

}  // namespace opsrun::host
