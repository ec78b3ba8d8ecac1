// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "host/base/plugin_code.h"

namespace opsrun::host {

// Many objects of different types in one block, in the order of allocation. Make the same calls twice: without memory
// it measures the size, with memory it places the objects.
class Slab {
 public:
  explicit Slab(void* memory) : memory_(static_cast<char*>(memory)) {}

  void Align(size_t alignment) { used_ = (used_ + alignment - 1) / alignment * alignment; }

  // n value-initialised objects; null while measuring, and if n is 0.
  template <typename T>
  T* Take(size_t n) {
    Align(alignof(T));
    char* at = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += n * sizeof(T);
    if (at == nullptr || n == 0) return nullptr;
    auto* objects = reinterpret_cast<T*>(at);
    for (size_t i = 0; i < n; ++i) new (objects + i) T{};
    return objects;
  }

  size_t used() const { return used_; }

 private:
  char* memory_;
  size_t used_ = 0;
};

namespace {

constexpr size_t kCacheLine = 64;

opsrun_tensor* TakePlannedView(Slab& cells, const LaneDevice& on) {
  auto* view = cells.Take<PlannedView>(1);
  if (view == nullptr) return nullptr;
  view->on = &on.device();
  view->stream = on.kernels();
  return view;
}

void EndResult(DynamicView* view) {
  if (view->allocated() && !view->buffer->sole()) view->pool->Disown(view->buffer);
  Unallocate(view);
}

}  // namespace

void Unallocate(DynamicView* view) {
  if (!view->allocated()) return;
  view->pool->Put(view->buffer);
  view->Reset();
}

LaneMemory::~LaneMemory() {
  DropDynamic();
  for (DynamicView* view : dynamic_views_) view->~DynamicView();
  for (Buffer* copy : guarded_) copy->Release();
  devices_.clear();
  cpu_.FreePrivate(slab_);
}

Status LaneMemory::Build(void* lane) {
  OpenDevices();
  Slab measure(nullptr);
  PlaceAll(measure, lane);
  slab_bytes_ = measure.used();
  slab_ = cpu_.AllocatePrivate(slab_bytes_);
  if (Status status = CheckMemory(); !status.ok()) return status;
  feeds_.clear();
  Slab place(slab_);
  PlaceAll(place, lane);
  for (size_t i = 0; i < feeds_.size(); ++i) {
    if (plan_.values[i].memory == PlanValue::Memory::kConstant) GuardFeed(i);
  }
  return PlaceResidents();
}

void LaneMemory::GuardFeed(size_t value) {
  auto* const view = const_cast<opsrun_tensor*>(feeds_[value]->get());
  if (!cpu_.is_guarded() || HasSlots(DTypeOf(*view))) return;
  Buffer* const copy = Buffer::New(cpu_, kNoStream, ViewBytes(*view));
  if (copy == nullptr) return;
  if (view->data != nullptr) std::memcpy(copy->data(), view->data, ViewBytes(*view));
  view->data = copy->data();
  guarded_.push_back(copy);
}

// Feeds first, then one cell a step, in step order.
void LaneMemory::PlaceAll(Slab& cells, void* lane) {
  views_.assign(plan_.values.size(), nullptr);
  calls_.assign(plan_.steps.size(), nullptr);
  feeds_.resize(plan_.values.size());
  for (size_t i = 0; i < plan_.values.size(); ++i) {
    const PlanValue& value = plan_.values[i];
    if (value.producer != PlanValue::kNone) continue;
    feeds_[i] = std::make_unique<TensorView>(host_);
    if (value.memory == PlanValue::Memory::kConstant) feeds_[i]->Set(plan_.ConstantOf(value));
    views_[i] = value.device == kCpu ? feeds_[i]->get() : ResidentView(i);
  }
  for (uint32_t s = 0; s < plan_.steps.size(); ++s) PlaceStep(cells, s, lane);
}

// [call | output views | input pointers | output pointers], so that a call's first lines are what every kernel reads.
void LaneMemory::PlaceStep(Slab& cells, uint32_t s, void* lane) {
  const Step& step = plan_.steps[s];
  cells.Align(kCacheLine);
  auto* call = cells.Take<opsrun_call>(1);
  auto** in = cells.Take<const opsrun_tensor*>(step.inputs.size());
  auto** out = cells.Take<opsrun_tensor*>(step.outputs.size());
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    opsrun_tensor* view = PlaceOutput(cells, step, plan_.values[step.outputs[i]]);
    views_[step.outputs[i]] = view;
    if (out != nullptr) out[i] = view;
  }
  if (call == nullptr) return;
  for (size_t i = 0; i < step.inputs.size(); ++i) in[i] = views_[step.inputs[i]];
  call->size = SizeAt<opsrun_call>(host_->level);
  call->kind = OPSRUN_KIND_CALL;
  call->in = in;
  call->out = out;
  call->n_in = static_cast<uint32_t>(step.inputs.size());
  call->n_out = static_cast<uint32_t>(step.outputs.size());
  call->host = host_;
  call->forwardable = step.forwardable;
  call->lane = lane;
  call->device = plan_.devices[step.device].id;
  calls_[s] = call;
  PlaceWorkspace(s);
}

void LaneMemory::PlaceWorkspace(uint32_t s) {
  const Step& step = plan_.steps[s];
  if (step.more->workspace_bytes == 0) return;
  calls_[s]->workspace = devices_[step.device]->arena() + (in_order_ ? in_order_->workspaces[s] : step.more->workspace);
  calls_[s]->workspace_bytes = step.more->workspace_bytes;
}

// An output of the shape of an input points at that input's sizes: kernels then need not compare them, and a run reads
// less memory. The sizes of a feed may change, so they are not shared.
std::optional<uint32_t> LaneMemory::InputOfShape(const Step& step, const Shape& shape) const {
  for (const uint32_t input : step.inputs) {
    const PlanValue& value = plan_.values[input];
    if (value.memory == PlanValue::Memory::kArena && value.shape() == shape) return input;
  }
  return std::nullopt;
}

opsrun_tensor* LaneMemory::PlaceOutput(Slab& cells, const Step& step, const PlanValue& value) {
  if (value.memory == PlanValue::Memory::kDynamic) {
    auto* view = cells.Take<DynamicView>(1);
    if (view == nullptr) return nullptr;
    const bool any_shape = !HasSlots(value.dtype) && !value.rank_known;
    InitView(*view, host_, value.dtype, devices_[value.device]->device(), kDynamicView | (any_shape ? kAnyShape : 0));
    view->pool = &devices_[value.device]->buffers();
    view->element_bytes = static_cast<uint16_t>(DTypeSize(value.dtype));
    view->value = static_cast<uint32_t>(&value - plan_.values.data());
    dynamic_views_.push_back(view);
    if (value.kept) results_.push_back(view);
    return view;
  }
  const size_t rank = value.shape().size();
  LaneDevice& on = *devices_[value.device];
  auto* view = value.device == kCpu ? cells.Take<opsrun_tensor>(1) : TakePlannedView(cells, on);
  const std::optional<uint32_t> input = InputOfShape(step, value.shape());
  auto* sizes = cells.Take<int64_t>(input ? 0 : rank);
  auto* strides = cells.Take<int64_t>(input ? 0 : rank);
  if (view == nullptr) return nullptr;
  InitView(*view, host_, value.dtype, on.device(), OPSRUN_TENSOR_PLANNED | (value.device == kCpu ? 0 : kPlannedView));
  view->data = on.arena() + value.offset;
  view->rank = static_cast<int32_t>(rank);
  if (input) {
    view->shape = views_[*input]->shape;
    view->strides = views_[*input]->strides;
  } else if (rank > 0) {
    std::memcpy(sizes, value.shape().data(), rank * sizeof(int64_t));
    FillStrides(view->rank, sizes, strides);
    view->shape = sizes;
    view->strides = strides;
  }
  return view;
}

// With another device, the CPU arena is memory that the device can copy to and from directly.
void LaneMemory::OpenDevices() {
  for (const PlanDevice& planned : plan_.devices) {
    const auto index = static_cast<uint32_t>(devices_.size());
    const auto steps_here = std::count_if(plan_.steps.begin(), plan_.steps.end(),
                                          [&](const Step& step) { return index > 0 && step.device == index; });
    Device& memory = index > 0 ? *planned.device : plan_.devices.size() > 1 ? plan_.devices[1].device->staging() : cpu_;
    devices_.push_back(
        std::make_unique<LaneDevice>(memory, planned.arena_bytes, static_cast<size_t>(steps_here), shared_));
  }
}

Status LaneMemory::CheckMemory() const {
  for (size_t i = 0; i < devices_.size(); ++i) {
    const PlanDevice& planned = plan_.devices[i];
    if (const Status status = devices_[i]->CheckStreams(); !status.ok())
      return ResourceExhausted(
          fmt::format("a run of this graph needs streams that cannot be created: {}", status.message()));
    const bool whole = devices_[i]->has_memory() && (i > kCpu || slab_ != nullptr);
    if (whole) continue;
    const std::string where = i == kCpu ? "" : fmt::format(" on {}", planned.name);
    return ResourceExhausted(
        fmt::format("a run of this graph needs {} bytes of memory{}, but that much is not available",
                    planned.arena_bytes + (i == kCpu ? slab_bytes_ : 0), where));
  }
  return OkStatus();
}

void LaneMemory::Rest(bool arena) {
  for (DynamicView* view : results_) {
    if (view->allocated() && (!view->buffer->is_small() || view->pool->has_much())) EndResult(view);
  }
  for (const std::unique_ptr<LaneDevice>& on : devices_) {
    on->buffers().Shrink();
    if (arena) on->GiveArena();
  }
}

bool LaneMemory::IsLight() const {
  const auto has_large_arena = [](const std::unique_ptr<LaneDevice>& on) { return on->has_large_arena(); };
  return dynamic_views_.empty() && std::none_of(devices_.begin(), devices_.end(), has_large_arena);
}

Status LaneMemory::Wake(bool* moved) {
  const auto is_awake = [](const std::unique_ptr<LaneDevice>& on) { return on->arena() != nullptr; };
  if (std::all_of(devices_.begin(), devices_.end(), is_awake)) return OkStatus();
  for (const std::unique_ptr<LaneDevice>& on : devices_) on->TakeArena(moved);
  Status status = CheckMemory();
  if (status.ok() && *moved) PointIntoArenas();
  return status;
}

// Updates all views_ after the arenas have moved.
void LaneMemory::PointIntoArenas() {
  for (size_t i = 0; i < plan_.values.size(); ++i) {
    const PlanValue& value = plan_.values[i];
    if (value.memory != PlanValue::Memory::kArena) continue;
    const_cast<opsrun_tensor*>(views_[i])->data = devices_[value.device]->arena() + OffsetOf(i);
  }
  for (uint32_t s = 0; s < plan_.steps.size(); ++s) PlaceWorkspace(s);
}

void LaneMemory::PlaceInOrder(bool in_order) {
  const InOrderPlaces* const places = in_order ? plan_.InOrder() : nullptr;
  if (places == in_order_) return;
  in_order_ = places;
  const char *const begin = devices_[kCpu]->arena(), *const end = begin + devices_[kCpu]->arena_bytes();
  for (size_t i = 0; i < plan_.values.size(); ++i) {
    if (plan_.values[i].memory != PlanValue::Memory::kArena) continue;
    auto* const view = const_cast<opsrun_tensor*>(views_[i]);
    const bool is_here = std::less_equal<>()(begin, view->data) && std::less<>()(view->data, end);
    if (is_here) view->data = devices_[kCpu]->arena() + OffsetOf(i);
  }
  for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
    calls_[s]->forwardable = in_order_ ? in_order_->forwardable[s] : plan_.steps[s].forwardable;
    PlaceWorkspace(s);
  }
}

Status LaneMemory::PlaceResidents() {
  for (size_t i = 0; i < plan_.values.size(); ++i) {
    const PlanValue& value = plan_.values[i];
    if (value.memory != PlanValue::Memory::kConstant || value.device == kCpu) continue;
    const ResidentConstant& resident = *plan_.residents[value.offset];
    const Result<void*> memory = resident.Memory();
    if (!memory.ok()) return memory.status();
    residents_[i]->data = *memory;
    residents_[i]->flags |= OPSRUN_TENSOR_ALIGNED64;
  }
  return OkStatus();
}

// A constant in device memory, whose address PlaceResidents sets, or a feed there. It has the shape of its feed.
const opsrun_tensor* LaneMemory::ResidentView(size_t value) {
  residents_[value] = std::make_unique<PlannedView>();
  SetResident(value);
  return residents_[value].get();
}

void LaneMemory::SetResident(size_t value) {
  LaneDevice& on = *devices_[plan_.values[value].device];
  PlannedView& view = *residents_[value];
  static_cast<opsrun_tensor&>(view) = *feeds_[value]->get();
  const bool is_aligned = reinterpret_cast<uintptr_t>(view.data) % 64 == 0;
  view.device = on.device().id();
  view.flags = OPSRUN_TENSOR_CONST | OPSRUN_TENSOR_PLANNED | kPlannedView | (is_aligned ? OPSRUN_TENSOR_ALIGNED64 : 0);
  view.on = &on.device();
  view.stream = on.kernels();
}

void LaneMemory::BindFeed(size_t value, DType dtype, int32_t rank, const int64_t* shape, void* data) {
  feeds_[value]->Borrow(dtype, rank, shape, data);
  if (plan_.values[value].device != kCpu) SetResident(value);
}

uint32_t LaneMemory::StepOf(const opsrun_call* call) const {
  if ((call->flags & kTileCall) != 0) return static_cast<const TileCall*>(call)->step;
  return static_cast<uint32_t>(std::lower_bound(calls_.begin(), calls_.end(), call) - calls_.begin());
}

void LaneMemory::MoveOutput(size_t value, void* memory) {
  auto* const view = const_cast<opsrun_tensor*>(views_[value]);
  const PlanValue& of = plan_.values[value];
  view->data = memory != nullptr ? memory : devices_[of.device]->arena() + OffsetOf(value);
}

void LaneMemory::BeginRun() {
  for (DynamicView* view : results_) EndResult(view);
  for (size_t i = 1; i < devices_.size(); ++i) devices_[i]->Begin();
}

void LaneMemory::DropDynamic() {
  for (DynamicView* view : dynamic_views_) Unallocate(view);
}

size_t LaneMemory::bytes() const {
  size_t bytes = slab_bytes_;
  for (const auto& on : devices_) bytes += on->arena_bytes() + on->buffers().bytes();
  return bytes;
}

}  // namespace opsrun::host
