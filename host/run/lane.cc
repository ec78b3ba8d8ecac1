// host/run/lane.cc: making a lane.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane.h"

#include <fmt/format.h>

#include <cstring>

#include "host/base/guarded_table.h"
#include "host/run/failure.h"
#include "host/run/host_table.h"
#include "host/run/lane_impl.h"
#include "host/run/slab.h"
#include "host/run/task_run.h"

namespace opsrun::host {
namespace {

constexpr size_t kCacheLine = 64;

opsrun_tensor* TakePlannedView(Slab& cells, const LaneDevice& on) {
  auto* view = cells.Take<PlannedView>(1);
  if (view == nullptr) return nullptr;
  view->on = &on.device();
  view->stream = on.kernels();
  return view;
}

}  // namespace

const StopSignal never_stopped;

Lane::Impl::Impl(const Plan& the_plan, const LaneContext& context)
    : plan(the_plan),
      device(*context.device),
      host(context.host),
      pool(context.pool != nullptr && context.pool->threads() > 1 ? context.pool : nullptr),
      signal(context.stop == nullptr ? &never_stopped : context.stop),
      resources(context.resources),
      options(context.options),
      places_(new Place[static_cast<size_t>(Threads())]) {
  for (int thread = 0; thread < Threads(); ++thread) places_[static_cast<size_t>(thread)].lane = this;
  if (pool != nullptr && !plan.tasks.empty()) tasks_ = std::make_unique<TaskRun>(*this, *pool);
}

Lane::Impl::~Impl() {
  ResetAll(dynamic_views);
  for (DynamicView* view : dynamic_views) view->~DynamicView();
  captured.clear();
  device_steps.clear();
  devices.clear();
  device.Free(slab, kNoStream);
}

Status Lane::Impl::Build() {
  OpenDevices();
  Slab measure(nullptr);
  PlaceAll(measure);
  slab_bytes = measure.used();
  slab = device.Allocate(slab_bytes, kNoStream);
  if (Status status = CheckMemory(); !status.ok()) return status;
  feeds.clear();
  Slab place(slab);
  PlaceAll(place);
  if (Status status = PlaceResidents(); !status.ok()) return status;
  CollectDynamic();
  for (LaneStep& step : steps) {
    if (!options.nan_check) break;
    nan_checks.push_back(std::make_unique<NanCheck>(*this, step));
    step.compute = NanCheck::Run;
    step.object = nan_checks.back().get();
  }
  PrepareCaptures();
  return ConnectDeviceSteps();
}

// Feeds first, then one cell a step, in step order.
void Lane::Impl::PlaceAll(Slab& cells) {
  views.assign(plan.values.size(), nullptr);
  steps.assign(plan.steps.size(), {});
  feeds.resize(plan.values.size());
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const PlanValue& value = plan.values[i];
    if (value.producer != PlanValue::kNone) continue;
    feeds[i] = std::make_unique<TensorView>(host);
    if (value.memory == PlanValue::Memory::kConstant) feeds[i]->Set(plan.ConstantOf(value));
    views[i] = value.device == kCpu ? feeds[i]->get() : ResidentView(i);
  }
  for (uint32_t s = 0; s < plan.steps.size(); ++s) PlaceStep(cells, s);
}

// [call | output views | input pointers | output pointers], so that a call's first lines are what every kernel reads.
void Lane::Impl::PlaceStep(Slab& cells, uint32_t s) {
  const Step& step = plan.steps[s];
  cells.Align(kCacheLine);
  auto* call = cells.Take<opsrun_call>(1);
  auto** in = cells.Take<const opsrun_tensor*>(step.inputs.size());
  auto** out = cells.Take<opsrun_tensor*>(step.outputs.size());
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    opsrun_tensor* view = PlaceOutput(cells, plan.values[step.outputs[i]]);
    views[step.outputs[i]] = view;
    if (out != nullptr) out[i] = view;
  }
  if (call == nullptr) return;
  for (size_t i = 0; i < step.inputs.size(); ++i) in[i] = views[step.inputs[i]];
  call->size = SizeAt<opsrun_call>(host->level);
  call->kind = OPSRUN_KIND_CALL;
  call->in = in;
  call->out = out;
  call->n_in = static_cast<uint32_t>(step.inputs.size());
  call->n_out = static_cast<uint32_t>(step.outputs.size());
  call->host = host;
  call->forwardable = step.forwardable;
  call->lane = this;
  call->device = plan.devices[step.device].id;
  steps[s] = {step.kernel->compute, step.object, call, nullptr};
  if (device_steps.empty()) return;
  device_steps[s] = std::make_unique<DeviceStep>(*this, s, *devices[step.device]);
  call->stream = device_steps[s]->stream();
  steps[s].compute = DeviceStep::Run;
  steps[s].object = device_steps[s].get();
}

opsrun_tensor* Lane::Impl::PlaceOutput(Slab& cells, const PlanValue& value) {
  if (value.memory == PlanValue::Memory::kDynamic) {
    auto* view = cells.Take<DynamicView>(1);
    if (view == nullptr) return nullptr;
    const bool any_shape = !HasSlots(value.dtype) && !value.rank_known;
    InitView(*view, host, value.dtype, devices[value.device]->device(), kDynamicView | (any_shape ? kAnyShape : 0));
    view->pool = &devices[value.device]->buffers();
    view->element_bytes = static_cast<uint32_t>(DTypeSize(value.dtype));
    view->value = static_cast<uint32_t>(&value - plan.values.data());
    dynamic_views.push_back(view);
    if (value.kept) results.push_back(view);
    return view;
  }
  const size_t rank = value.shape.size();
  LaneDevice& on = *devices[value.device];
  auto* view = value.device == kCpu ? cells.Take<opsrun_tensor>(1) : TakePlannedView(cells, on);
  auto* sizes = cells.Take<int64_t>(rank);
  auto* strides = cells.Take<int64_t>(rank);
  if (view == nullptr) return nullptr;
  InitView(*view, host, value.dtype, on.device(), OPSRUN_TENSOR_PLANNED | (value.device == kCpu ? 0 : kPlannedView));
  view->data = on.arena() + value.offset;
  view->rank = static_cast<int32_t>(rank);
  if (rank > 0) {
    std::memcpy(sizes, value.shape.data(), rank * sizeof(int64_t));
    FillStrides(view->rank, sizes, strides);
    view->shape = sizes;
    view->strides = strides;
  }
  return view;
}

#if OPSRUN_LEVEL >= 2
bool Lane::Impl::IsUsed(uint32_t s, uint32_t i) const {
  const std::vector<uint32_t>& outputs = plan.steps[s].outputs;
  return i < outputs.size() && (plan.values[outputs[i]].readers > 0 || plan.values[outputs[i]].kept);
}
#endif

bool Lane::Impl::MustBeMade([[maybe_unused]] uint32_t s, [[maybe_unused]] uint32_t i) const {
#if OPSRUN_LEVEL >= 2
  return i >= 64 || (plan.steps[s].kernel->optional_outputs >> i & 1) == 0 || IsUsed(s, i);
#else
  return true;
#endif
}

void Lane::Impl::CollectDynamic() {
  const auto dynamic_view = [this](uint32_t value) {
    return static_cast<DynamicView*>(const_cast<opsrun_tensor*>(views[value]));
  };
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    DynamicStep dynamic;
    for (uint32_t i = 0; i < plan.steps[s].outputs.size(); ++i) {
      const uint32_t value = plan.steps[s].outputs[i];
      if (plan.values[value].memory == PlanValue::Memory::kDynamic && MustBeMade(s, i))
        dynamic.made.push_back(dynamic_view(value));
    }
    for (uint32_t value : plan.steps[s].released) {
      dynamic.released.push_back(dynamic_view(value));
      ++dynamic.released.back()->readers;
    }
    if (dynamic.made.empty() && dynamic.released.empty()) continue;
    dynamic_steps.push_back(std::make_unique<DynamicStep>(std::move(dynamic)));
    steps[s].dynamic = dynamic_steps.back().get();
  }
}

Lane::Lane(std::unique_ptr<Impl> impl) : impl_(std::move(impl)), is_light_(impl_->IsLight()) {}
Lane::~Lane() = default;

Result<std::unique_ptr<Lane>> Lane::Create(const Plan& plan, const LaneContext& context) {
  auto impl = std::make_unique<Impl>(plan, context);
  Status status = impl->Build();
  if (!status.ok()) return status;
  return std::unique_ptr<Lane>(new Lane(std::move(impl)));
}

Status Lane::SetFeed(const std::string& name, const Tensor& tensor) {
  for (const DeclaredFeed& feed : impl_->plan.declared_feeds) {
    if (feed.name != name) continue;
    const PlanValue& declared = impl_->plan.values[feed.value];
    if (tensor.dtype() != declared.dtype ||
        !Fits(declared, static_cast<int32_t>(tensor.shape().size()), tensor.shape().data())) {
      return InvalidArgument(fmt::format("feed '{}' takes {} {}, not {} {}", name, DTypeName(declared.dtype),
                                         declared.rank_known ? ShapeText(declared.shape) : "of any shape",
                                         DTypeName(tensor.dtype()), ShapeText(tensor.shape())));
    }
    impl_->feeds[feed.value]->Set(tensor);
    return OkStatus();
  }
  return NotFound(fmt::format("the graph declares no feed '{}'", name));
}

void Lane::BindFeed(size_t i, DType dtype, int32_t rank, const int64_t* shape, void* data) {
  impl_->feeds[impl_->plan.declared_feeds[i].value]->Borrow(dtype, rank, shape, data);
}

// Consumers point at the view, so the new address reaches them without further changes.
bool Lane::BindOutput(size_t i, void* memory) {
  const uint32_t index = impl_->plan.outputs[i].value;
  const PlanValue& value = impl_->plan.values[index];
  if (value.memory != PlanValue::Memory::kArena) return false;
  auto* const view = const_cast<opsrun_tensor*>(impl_->views[index]);
  view->data = memory != nullptr ? memory : impl_->devices[0]->arena() + value.offset;
  return true;
}

void Lane::SetStop(const StopSignal* stop) {
  impl_->signal = stop == nullptr ? &never_stopped : stop;
}

std::optional<RunFailure> Lane::Run() {
  return impl_->Run(nullptr);
}

std::optional<RunFailure> Lane::RunTimed(RunTimes& times) {
  return impl_->Run(&times);
}

void Lane::Rest(bool arena) {
  impl_->Rest(arena);
}

Status Lane::Wake() {
  return impl_->Wake();
}

std::vector<RunningStep> Lane::Running() const {
  return impl_->Running();
}

const opsrun_tensor& Lane::OutputView(size_t i) const {
  return *impl_->views[impl_->plan.outputs[i].value];
}

SharedMemory Lane::ShareOutput(size_t i) const {
  Buffer* const buffer = BufferOf(&OutputView(i));
  if (buffer == nullptr) return {};
  buffer->Retain();
  return {buffer, ShareHost(impl_->host)};
}

Result<Tensor> Lane::Output(size_t i) const {
  return Value(impl_->plan.outputs[i].value);
}

Result<Tensor> Lane::Value(uint32_t value) const {
  const opsrun_tensor& view = *impl_->views[value];
  const PlanValue& planned = impl_->plan.values[value];
  // Strings of a feed may share their bytes, which a copy would duplicate.
  if (planned.memory == PlanValue::Memory::kConstant && planned.dtype == DType::kString) {
    return impl_->plan.constants[planned.offset];
  }
  Result<Tensor> tensor = Tensor::Create(DTypeOf(view), Shape(view.shape, view.shape + view.rank));
  if (!tensor.ok()) return tensor;
  if (view.dtype == OPSRUN_DT_STRING) {
    const Status copied = tensor->CopyStrings(static_cast<const opsrun_str*>(view.data));
    return copied.ok() ? tensor : copied;
  }
  if (tensor->num_bytes() != 0) std::memcpy(tensor->mutable_data(), view.data, tensor->num_bytes());
  return tensor;
}

uint64_t Lane::LastRun() const {
  return impl_->LastRun();
}

size_t Lane::MemoryBytes() const {
  size_t bytes = impl_->slab_bytes;
  for (const auto& on : impl_->devices) bytes += on->arena_bytes() + on->buffers().bytes();
  for (const auto& steps : impl_->captured) bytes += steps->bytes();
  return bytes;
}

}  // namespace opsrun::host
