// tests/sdk/test_host.cc: a watched table of the real host; creates, and plans of one node.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/test_host.h"

#include <gtest/gtest.h>

#include <optional>

#include "host/plan/create_kernel.h"
#include "host/run/host_table.h"
#include "host/run/lane.h"
#include "tests/host/run/counting_device.h"
#include "tests/sdk/test_host_impl.h"

namespace opsrun_test {
namespace {

// The watched slots of host N: functions of a table have no context, so each host needs its own.
template <int N>
struct Watched {
  static inline TestHost::Impl* host = nullptr;
  static inline opsrun_host real;

  template <auto slot>
  struct MayFail;
  template <typename... Arguments, int32_t (*opsrun_host::*slot)(Arguments...)>
  struct MayFail<slot> {
    static int32_t Call(Arguments... arguments) {
      return host->MustFail() ? OPSRUN_RESOURCE_EXHAUSTED : (real.*slot)(arguments...);
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
  // False, and a failed test, if the handle is another host's.
  template <typename Handle>
  static bool IsOwn(const Handle* handle) {
    EXPECT_EQ(handle->host, host->table.get()) << "it does not belong to this host";
    return handle->host == host->table.get();
  }

  static int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                              const opsrun_tensor** t) {
    const auto allocate = &MayFail<&opsrun_host::allocate_temp>::Call;
    return CountHeld(allocate(where, dtype, rank, dims, flags, t));
  }
  static int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept) {
    if (!IsOwn(t)) return OPSRUN_INVALID_ARGUMENT;
    return CountHeld(MayFail<&opsrun_host::retain>::Call(t, kept));
  }
  static void Release(const opsrun_tensor* t) {
    if (!IsOwn(t)) return;
    --host->held_tensors;
    real.release(t);
  }
  static int32_t RetainResource(const opsrun_resource* r) {
    return IsOwn(r) ? real.resource_retain(r) : OPSRUN_INVALID_ARGUMENT;
  }
  static int32_t ReleaseResource(const opsrun_resource* r) {
    return IsOwn(r) ? real.resource_release(r) : OPSRUN_INVALID_ARGUMENT;
  }

  static int32_t ParallelFor(opsrun_call* call, int64_t n, int64_t cost, opsrun_range_fn fn, void* ctx) {
    if (host->MustFail()) return OPSRUN_RESOURCE_EXHAUSTED;
    if (host->threads == 1) return real.parallel_for(call, n, cost, fn, ctx);
    const int64_t pieces = std::min<int64_t>(n, host->threads);
    for (int64_t piece = pieces; piece > 0; --piece) {
      if (int32_t code = fn(ctx, n * (piece - 1) / pieces, n * piece / pieces)) return code;
    }
    return OPSRUN_OK;
  }
  static int32_t NumThreads(opsrun_call*) { return host->threads; }

  static int32_t DimOp(opsrun_shape_call* call, uint32_t op, const opsrun_dim* a, const opsrun_dim* b,
                       const opsrun_dim** out) {
    EXPECT_TRUE(a->value < 0 || b->value < 0) << "both operands are known: that is the plugin's own work";
    static_cast<WatchedShapeCall*>(call)->dim_ops.push_back(op);
    return MayFail<&opsrun_host::dim_op>::Call(call, op, a, b, out);
  }
  static int32_t WantValue(opsrun_shape_call* call, uint32_t i, const opsrun_tensor** value,
                           const opsrun_shape** as_shape) {
    static_cast<WatchedShapeCall*>(call)->wanted.insert(i);
    return MayFail<&opsrun_host::want_value>::Call(call, i, value, as_shape);
  }

  static void Watch(opsrun_host& slots) {
    real = slots;
    LetFail<&opsrun_host::allocate_output>(slots);
    LetFail<&opsrun_host::set_output>(slots);
    LetFail<&opsrun_host::forward_input>(slots);
    LetFail<&opsrun_host::string_assign>(slots);
    LetFail<&opsrun_host::resource>(slots);
    LetFail<&opsrun_host::make_dim>(slots);
    LetFail<&opsrun_host::make_shape>(slots);
    LetFail<&opsrun_host::set_output_shape>(slots);
    LetFail<&opsrun_host::equate>(slots);
    LetFail<&opsrun_host::set_output_value>(slots);
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

void TakeFailure(const host::Status& status, Failure* failure) {
  *failure = status.ok() ? Failure() : Failure{status.code(), status.message(), status.subject()};
}

}  // namespace

TestHost::TestHost() : impl_(std::make_unique<Impl>()) {
  Watched<0>::Make(*impl_);
}
TestHost::~TestHost() {
  ForgetResources();
  EXPECT_EQ(impl_->held_tensors, 0) << "tensors that were never released";
  EXPECT_EQ(impl_->table.use_count(), 1) << "tensors and resources that keep the table alive";
  EXPECT_EQ(impl_->device->used(), 0u) << "bytes of memory in use";
  *impl_->number = nullptr;
}

const opsrun_host* TestHost::table() const {
  return impl_->table.get();
}
int TestHost::held_tensors() const {
  return impl_->held_tensors;
}
int TestHost::named_resources() const {
  return static_cast<int>(impl_->resources.size());
}
void TestHost::ForgetResources() {
  impl_->resources.Clear();
}
const opsrun_tensor* TestHost::View(const TestTensor& tensor) {
  impl_->tensors.push_back(tensor);
  host::TensorView& view = impl_->views.emplace_back(table());
  view.Borrow(host::DTypeFromNumber(tensor.dtype), static_cast<int32_t>(tensor.shape.size()), tensor.shape.data(),
              tensor.data.get());
  return view.get();
}
void TestHost::Cancel() {
  impl_->stop.Stop();
}
void TestHost::PretendThreads(int threads) {
  impl_->threads = threads;
}
void TestHost::RecordSpans() {
  impl_->times.wants_parts = true;
}
std::vector<std::string> TestHost::spans() const {
  std::vector<std::string> names;
  for (const host::PartTime& part : impl_->times.parts) names.push_back(part.name);
  return names;
}
void TestHost::FailIn(int calls) {
  impl_->fails_in = calls;
}
bool TestHost::HasNotFailed() const {
  return impl_->fails_in >= 0;
}

struct TestCreate::Impl {
  Impl(const TestCreate& its, const opsrun_host* table)
      : arrays({}, {}, {}, table),
        call(table, its.node_, its.op_, arrays, signature, device, &its.host_.impl().resources, nullptr) {}

  const host::spec::Signature signature;
  const host::CallArrays arrays;
  host::PlanDevice device;
  host::CreateCall call;
};

TestCreate::TestCreate(TestHost& host, std::string op, std::string node)
    : host_(host), op_(std::move(op)), node_(std::move(node)) {}
TestCreate::~TestCreate() = default;

opsrun_create* TestCreate::handle() {
  impl_ = std::make_unique<Impl>(*this, host_.table());
  opsrun_create& create = impl_->call;
  create.device = device;
  create.attrs = attrs.data();
  create.n_attrs = attrs.size();
  create.in_args = in_.args.data();
  create.n_in_args = static_cast<uint32_t>(in_.args.size());
  create.out_args = out_.args.data();
  create.n_out_args = static_cast<uint32_t>(out_.args.size());
  create.in_types = in_.types.data();
  create.n_in = static_cast<uint32_t>(in_.types.size());
  create.out_types = out_.types.data();
  create.n_out = static_cast<uint32_t>(out_.types.size());
  return &create;
}

int32_t TestCreate::Run(int32_t (*create)(void*, opsrun_create*, void**), void* ctx, void** object) {
  handle();
  TakeFailure(impl_->call.Run(create, ctx, object), &failure_);
  return failure_.code;
}

// Each uses those above it.
struct TestCall::Impl {
  host::RegisteredOp op;
  host::RegisteredKernel kernel, source;
  std::optional<host::Plan> plan;
  std::unique_ptr<host::Lane> lane;
};

TestCall::TestCall(TestHost& host) : host_(host) {}
TestCall::~TestCall() = default;

namespace {

// The kernel of a node before the call, whose output is its input.
int32_t PassOn(void* its_host, opsrun_call* call) {
  auto& host = *static_cast<TestHost::Impl*>(its_host);
  const int fails_in = std::exchange(host.fails_in, -1);
  const int32_t code = call->host->set_output(call, 0, call->in[0]);
  host.fails_in = fails_in;
  return code;
}

std::shared_ptr<const host::Graph> GraphOfNodes(size_t count) {
  host::Graph graph;
  graph.source = std::make_shared<const host::SourceFile>();
  graph.nodes.resize(count);
  for (host::Node& node : graph.nodes) node.name.value = "node";
  return std::make_shared<const host::Graph>(std::move(graph));
}

host::PlanValue DynamicValue(int32_t dtype, uint32_t producer) {
  host::PlanValue value;
  value.dtype = host::DTypeFromNumber(dtype);
  value.rank_known = false;
  value.kept = true;
  value.producer = producer;
  return value;
}

}  // namespace

int32_t TestCall::Run(int32_t (*compute)(void*, opsrun_call*), void* kernel) {
  impl_ = std::make_unique<Impl>();
  impl_->kernel.compute = compute;
  impl_->source.compute = PassOn;
  host::Plan& plan = impl_->plan.emplace(GraphOfNodes(in_.size() + 1));
  const auto add_value = [&plan](const host::PlanValue& value) {
    plan.values.push_back(value);
    return static_cast<uint32_t>(plan.values.size() - 1);
  };
  host::Step last;
  for (uint32_t i = 0; i < in_.size(); ++i) {
    host::PlanValue feed = DynamicValue(in_[i].dtype, host::PlanValue::kNone);
    feed.memory = host::PlanValue::Memory::kFeed;
    last.inputs.push_back(add_value(feed));
    plan.declared_feeds.push_back({"", last.inputs.back()});
    if ((forwardable_ >> i & 1) == 0 || i >= 64) continue;
    host::Step source;
    source.op = &impl_->op;
    source.kernel = &impl_->source;
    source.object = &host_.impl();
    source.inputs = {last.inputs.back()};
    host::PlanValue made = DynamicValue(in_[i].dtype, static_cast<uint32_t>(plan.steps.size()));
    made.kept = false;
    last.inputs.back() = add_value(made);
    source.outputs = {last.inputs.back()};
    last.released.push_back(last.inputs.back());
    plan.steps.push_back(source);
  }
  for (const Result& result : out_) {
    host::PlanValue value = DynamicValue(result.dtype, static_cast<uint32_t>(plan.steps.size()));
    if (result.planned) {
      value.memory = host::PlanValue::Memory::kArena;
      value.shape = result.shape;
      value.rank_known = true;
      value.offset = plan.devices[0].arena_bytes;
      plan.devices[0].arena_bytes += plan.ArenaBytes(value);
    }
    last.outputs.push_back(add_value(value));
    plan.outputs.push_back({nullptr, last.outputs.back()});
  }
  last.op = &impl_->op;
  last.kernel = &impl_->kernel;
  last.object = kernel;
  last.forwardable = forwardable_;
  plan.steps.push_back(last);

  TestHost::Impl& host = host_.impl();
  impl_->lane = *host::Lane::Create(plan, {host.device.get(), host.table.get(), nullptr, &host.stop, &host.resources});
  for (size_t i = 0; i < in_.size(); ++i) {
    const TestTensor& tensor = in_[i];
    impl_->lane->BindFeed(i, host::DTypeFromNumber(tensor.dtype), static_cast<int32_t>(tensor.shape.size()),
                          tensor.shape.data(), tensor.data.get());
  }
  const auto failed = host.times.wants_parts ? impl_->lane->RunTimed(host.times) : impl_->lane->Run();
  TakeFailure(failed ? failed->status : host::OkStatus(), &failure_);
  return failure_.code;
}

const opsrun_tensor& TestCall::Output(uint32_t i) const {
  return impl_->lane->OutputView(i);
}

}  // namespace opsrun_test
