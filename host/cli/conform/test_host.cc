// SPDX-License-Identifier: Apache-2.0
#include "host/cli/conform/test_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "host/cli/conform/handles.h"
#include "host/cli/conform/test_call.h"
#include "host/engine/engine.h"
#include "host/run/host_table.h"

namespace opsrun::host {

namespace {

TestCall& Of(void* where) {
  return *static_cast<TestCall*>(static_cast<opsrun_call*>(where));
}

TestTensor& Of(const opsrun_tensor* t) {
  return *reinterpret_cast<TestTensor*>(const_cast<opsrun_tensor*>(t));
}

std::string Text(opsrun_str text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}

// Runs what may allocate; its lack of memory is a code.
template <typename Fn>
int32_t OrExhausted(Fn fn) {
  int32_t code = OPSRUN_OK;
  const std::optional<Thrown> thrown = CatchThrown([&] { code = fn(); });
  return thrown ? OPSRUN_RESOURCE_EXHAUSTED : code;
}

int32_t FailSlot(const opsrun_host*, void* where, int32_t code, opsrun_str text, opsrun_str subject) {
  if (where == nullptr) return code == OPSRUN_OK ? OPSRUN_UNKNOWN : code;
  return Of(where).Fail(code, Text(text), Text(subject));
}

void NoLog(const opsrun_host*, void*, int32_t, opsrun_str, opsrun_str, uint32_t) {}

const void* NoInterface(const opsrun_host*, opsrun_str) {
  return nullptr;
}

// A retained input or output is a copy, as one in planned memory is.
int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept) {
  TestTensor& tensor = Of(t);
  if (tensor.holder != nullptr) {
    ++tensor.references;
    *kept = t;
    return OPSRUN_OK;
  }
  auto copy = std::make_unique<TestTensor>(t->host, tensor.dtype());
  copy->Allocate(tensor.shape(), {});
  copy->Fill(t->data);
  copy->holder = static_cast<TestHost*>(const_cast<void*>(GuardedTable::OwnerOf(t->host)));
  copy->holder->Hold(1);
  *kept = &copy.release()->view;
  return OPSRUN_OK;
}

void Release(const opsrun_tensor* t) {
  if (t == nullptr) return;
  TestTensor& tensor = Of(t);
  if (tensor.holder == nullptr || --tensor.references > 0) return;
  if (const std::string damage = tensor.Damage(); !damage.empty()) tensor.holder->NoteDamage(damage);
  tensor.holder->Hold(-1);
  delete &tensor;
}

int32_t AssignString(const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n) {
  Tensor& slots = Of(t).slots;
  if (std::cmp_greater_equal(i, slots.num_elements())) return OPSRUN_OUT_OF_RANGE;
  return slots.SetString(static_cast<int64_t>(i), {p, n}).code();
}

int32_t SwapElements(const opsrun_tensor* t, uint64_t i, uint64_t j) {
  auto* const slots = static_cast<opsrun_str*>(t->data);
  std::swap(slots[i], slots[j]);
  return OPSRUN_OK;
}

ResourceKey KeyOf(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
  const void* const plugin = Of(where).inputs().kernel->kernel().plugin->identity();
  return {plugin, Text(container), Text(name), Text(type)};
}

int32_t FindResource(void* where, opsrun_str container, opsrun_str name, opsrun_str type,
                     int32_t (*make)(void*, void**), void* ctx, void (*destroy)(void*), const opsrun_resource** r) {
  Engine& engine = Of(where).host_of_test().engine();
  return OrExhausted([&] {
    return engine.resources().FindOrMake(KeyOf(where, container, name, type), {make, ctx, destroy},
                                         ShareHost(engine.host()), r);
  });
}

int32_t DeleteResource(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
  return Of(where).host_of_test().engine().resources().Delete(KeyOf(where, container, name, type));
}

void SetSlots(opsrun_host& table) {
  table.fail = FailSlot;
  table.log = NoLog;
  table.query = NoInterface;
  table.allocate_output = [](opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
    return OrExhausted([&] { return Of(call).AllocateOutput(i, rank, dims, view); });
  };
  table.set_output = [](opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
    return OrExhausted([&] { return Of(call).SetOutput(i, t); });
  };
  table.forward_input = [](opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                           opsrun_tensor** view) { return Of(call).ForwardInput(in, out, rank, dims, view); };
  table.allocate_temp = [](void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t,
                           const opsrun_tensor** t) {
    return OrExhausted([&] { return Of(where).AllocateTemp(DTypeFromNumber(dtype), rank, dims, t); });
  };
  table.retain = [](const opsrun_tensor* t, const opsrun_tensor** kept) {
    return OrExhausted([&] { return Retain(t, kept); });
  };
  table.release = Release;
  table.string_assign = AssignString;
  table.string_swap = SwapElements;
  table.parallel_for = [](opsrun_call* call, int64_t n, int64_t, opsrun_range_fn fn, void* ctx) {
    return Of(call).ParallelFor(n, fn, ctx);
  };
  table.try_schedule = [](opsrun_call*, opsrun_task_fn, void*) -> int32_t { return 0; };
  table.wait_scheduled = [](opsrun_call*) -> int32_t { return OPSRUN_OK; };
  table.output_is_used = [](opsrun_call*, uint32_t) -> int32_t { return 1; };
  table.num_threads = [](opsrun_call* call) { return Of(call).threads(); };
  table.current_thread = [](opsrun_call*) -> int32_t { return -1; };
  table.cancelled = [](opsrun_call* call) -> int32_t { return Of(call).IsCancelled() ? 1 : 0; };
  table.resource = FindResource;
  table.resource_delete = DeleteResource;
}

}  // namespace

TestHost::TestHost(Engine& engine) : engine_(engine) {
  const opsrun_host* const of_engine = engine.host();
  opsrun_host slots{};
  std::memcpy(&slots, of_engine, std::min<size_t>(of_engine->size, sizeof(slots)));
  SetSlots(slots);
  table_ = std::make_unique<const GuardedTable>(slots, of_engine->level, this);
}

Outcome TestHost::Call(const CallInputs& inputs, const Arrangement& arrangement) {
  std::vector<HandleMaker::Made> made;
  if (!inputs.makers.empty()) {
    const Result<CallInputs> with = WithHandles(*this, inputs, made);
    if (with.ok()) return Call(*with, arrangement);
    Outcome failed;
    failed.code = with.status().code();
    failed.text = with.status().message();
    return failed;
  }
  TestCall call(*this, inputs, arrangement);
  return call.Run();
}

void TestHost::NoteDamage(const std::string& where) {
  const std::lock_guard<std::mutex> lock(mutex_);
  damage_ = where;
}

std::string TestHost::TakeDamage() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(damage_, {});
}

std::vector<std::string> TensorNames(const std::vector<spec::ArgRange>& args) {
  std::vector<std::string> names;
  for (const spec::ArgRange& arg : args) {
    for (uint32_t i = 0; i < arg.count; ++i) names.push_back(arg.list ? fmt::format("{}.{}", arg.name, i) : arg.name);
  }
  return names;
}

}  // namespace opsrun::host
