// tests/sdk/test_host.cc: hosts, creates, and plans of one node.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/test_host.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "host/plan/call_arrays.h"
#include "host/run/lane.h"
#include "tests/host/run/run_test.h"
#include "tests/sdk/test_host_impl.h"

// Programs without registrations have no entry.
#pragma weak opsrun_plugin_v1

namespace opsrun_test {
namespace {

void TakeFailure(const host::Status& status, Failure* failure) {
  *failure = status.ok() ? Failure() : Failure{status.code(), status.message(), status.subject()};
}

}  // namespace

TestHost::TestHost() : impl_(std::make_unique<Impl>()) {
  Watched<0>::Make(*impl_);
  if (&opsrun_plugin_v1 != nullptr) impl_->plugin.table = opsrun_plugin_v1(table());
}
TestHost::~TestHost() {
  ForgetResources();
  if (impl_->plugin.table != nullptr) impl_->plugin.table->shutdown(table());
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
const std::vector<TestHost::Span>& TestHost::spans() const {
  return impl_->spans;
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
        call(table, its.node_, its.op_, arrays, signature, device, &its.host_.impl().resources,
             its.host_.impl().plugin.identity()) {}

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
  impl_->kernel.plugin = &host_.impl().plugin;
  impl_->source.compute = PassOn;
  host::Plan& plan = impl_->plan.emplace(GraphOfNodes(in_.size() + 1));
  const auto add_value = [&plan](const host::PlanValue& value) {
    plan.values.push_back(value);
    return static_cast<uint32_t>(plan.values.size() - 1);
  };
  const auto unnamed = std::make_shared<const host::spec::Signature>();
  plan.kinds.push_back({&impl_->op, &impl_->kernel, unnamed, nullptr, {}, 0});
  plan.kinds.push_back({&impl_->op, &impl_->source, unnamed, nullptr, {}, 0});
  host::Step last;
  last.kind = &plan.kinds[0];
  last.inputs = plan.NewList(in_.size());
  last.outputs = plan.NewList(out_.size());
  std::vector<uint32_t> released;
  for (uint32_t i = 0; i < in_.size(); ++i) {
    host::PlanValue feed = DynamicValue(in_[i].dtype, host::PlanValue::kNone);
    feed.memory = host::PlanValue::Memory::kFeed;
    uint32_t& input = last.inputs[i] = add_value(feed);
    plan.declared_feeds.push_back({"", input});
    if (i >= 64 || (forwardable_ >> i & 1) == 0) continue;
    host::Step source;
    source.kind = &plan.kinds[1];
    source.object = &host_.impl();
    source.inputs = plan.Keep({&input, 1});
    host::PlanValue made = DynamicValue(in_[i].dtype, static_cast<uint32_t>(plan.steps.size()));
    made.kept = false;
    input = add_value(made);
    source.outputs = plan.Keep({&input, 1});
    released.push_back(input);
    plan.steps.push_back(source);
  }
  for (size_t i = 0; i < out_.size(); ++i) {
    const Result& result = out_[i];
    host::PlanValue value = DynamicValue(result.dtype, static_cast<uint32_t>(plan.steps.size()));
    if (result.planned) {
      value.memory = host::PlanValue::Memory::kArena;
      value.sizes = plan.Keep(host::Shape(result.shape));
      value.rank_known = true;
      value.offset = plan.devices[0].arena_bytes;
      plan.devices[0].arena_bytes += plan.ArenaBytes(value);
    }
    last.outputs[i] = add_value(value);
    plan.outputs.push_back({nullptr, last.outputs[i]});
  }
  last.released = plan.Keep(released);
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
