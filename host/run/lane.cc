// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/base/display_text.h"
#include "host/plan/explain/explain.h"
#include "host/run/call_slots.h"
#include "host/run/device_step.h"
#include "host/run/host_table.h"
#include "host/run/lane_memory.h"
#include "host/run/step_loop.h"
#include "host/run/task_run.h"

namespace opsrun::host {
namespace {

ThreadPool* PoolOfSeveral(ThreadPool* pool) {
  return pool != nullptr && pool->threads() > 1 ? pool : nullptr;
}

}  // namespace

// Each uses those above it.
struct Lane::Parts {
  Parts(const Plan& plan, const LaneContext& context)
      : memory(plan, *context.device, context.host, PoolOfSeveral(context.pool) != nullptr),
        state(context.stop, context.options.keep_going),
        slots(memory, state, device_steps, PoolOfSeveral(context.pool), context.resources,
              context.options.sync_each_node),
        repro_nodes(context.repro_nodes),
        repro(context.options.repro) {}

  Status Build(const RunOptions& options) {
    if (Status status = memory.Build(&slots); !status.ok()) return status;
    if (Status status = device_steps.Build(slots, memory, options); !status.ok()) return status;
    loop.emplace(memory, state, slots, device_steps, options, repro_nodes);
    return OkStatus();
  }

  LaneMemory memory;
  RunState state;
  DeviceSteps device_steps;
  CallSlots slots;
  const ReproNodes* const repro_nodes;
  const std::shared_ptr<ReproFolder> repro;
  std::optional<StepLoop> loop;  // after Build
};

Lane::Lane(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)), is_light_(parts_->memory.IsLight() && !parts_->device_steps.has_captures()) {}
Lane::~Lane() = default;

Result<std::unique_ptr<Lane>> Lane::Create(const Plan& plan, const LaneContext& context) {
  auto parts = std::make_unique<Parts>(plan, context);
  Status status = parts->Build(context.options);
  if (!status.ok()) return status;
  return std::unique_ptr<Lane>(new Lane(std::move(parts)));
}

Status Lane::SetFeed(const std::string& name, const Tensor& tensor) {
  for (const DeclaredFeed& feed : parts_->memory.plan().declared_feeds) {
    if (feed.name != name) continue;
    const PlanValue& declared = parts_->memory.plan().values[feed.value];
    if (tensor.dtype() != declared.dtype ||
        !Fits(declared, static_cast<int32_t>(tensor.shape().size()), tensor.shape().data())) {
      return InvalidArgument(fmt::format("feed '{}' must be {} {}, found {} {}", name, DTypeName(declared.dtype),
                                         declared.rank_known ? ShapeText(declared.shape()) : "of any shape",
                                         DTypeName(tensor.dtype()), ShapeText(tensor.shape())));
    }
    parts_->memory.feed(feed.value).Set(tensor);
    parts_->memory.GuardFeed(feed.value);
    return OkStatus();
  }
  return NotFound(fmt::format("the graph does not declare a feed '{}'", name));
}

void Lane::BindFeed(size_t i, DType dtype, int32_t rank, const int64_t* shape, void* data) {
  parts_->memory.BindFeed(parts_->memory.plan().declared_feeds[i].value, dtype, rank, shape, data);
}

// Consumers point at the view, so the new address reaches them without further changes.
bool Lane::BindOutput(size_t i, void* memory) {
  const uint32_t index = parts_->memory.plan().outputs[i].value;
  const PlanValue& value = parts_->memory.plan().values[index];
  if (value.memory != PlanValue::Memory::kArena) return false;
  parts_->memory.MoveOutput(index, memory);
  return true;
}

void Lane::SetStop(const StopSignal* stop) {
  parts_->state.SetStop(stop);
}

std::optional<RunFailure> Lane::Run() {
  if (std::optional<RunFailure> failure = parts_->loop->Run(nullptr)) return failure;
  return parts_->loop->Finish();
}

std::optional<RunFailure> Lane::Enqueue() {
  return parts_->loop->Run(nullptr);
}

std::optional<RunFailure> Lane::Finish() {
  return parts_->loop->Finish();
}

// Also other cards, which may copy from this one.
Status Lane::Follow(Device& device, Stream stream) {
  const Result<Event> now = device.TakeEvent();
  if (!now.ok()) return now.status();
  Status status = device.Record(*now, stream);
  for (const std::unique_ptr<LaneDevice>& on : parts_->memory.devices()) {
    if (status.ok() && on->device().kind() == device.kind()) status = on->Follow(*now);
  }
  device.GiveEvent(*now);
  return status;
}

Status Lane::LetFollow(const Device& device, Stream stream) {
  for (const std::unique_ptr<LaneDevice>& on : parts_->memory.devices()) {
    if (&on->device() == &device) return on->LetFollow(stream);
  }
  return OkStatus();
}

Stream Lane::StreamOfOutput(size_t i) const {
  const Plan& plan = parts_->memory.plan();
  const PlanValue& value = plan.values[plan.outputs[i].value];
  const LaneDevice& on = *parts_->memory.devices()[value.device];
  const bool is_copy = value.producer != PlanValue::kNone && plan.steps[value.producer].copy == Step::Copy::kIn;
  return is_copy ? on.copies_in() : on.kernels();
}

size_t TimedSteps(const Plan& plan) {
  size_t count = plan.steps.size();
  for (const Step& step : plan.steps) count += step.more->part != nullptr ? step.more->part->members.size() : 0;
  return count;
}

std::optional<RunFailure> Lane::RunTimed(RunTimes& times) {
  if (std::optional<RunFailure> failure = parts_->loop->Run(&times)) return failure;
  return parts_->loop->Finish();
}

void Lane::Rest(bool arena) {
  parts_->memory.Rest(arena);
}

Status Lane::Wake() {
  bool moved = false;
  const Status status = parts_->memory.Wake(&moved);
  if (status.ok() && moved) parts_->device_steps.ForgetCaptured();
  return status;
}

std::vector<RunningStep> Lane::Running() const {
  return parts_->loop->Running();
}

RunningNode Lane::KeptOf(uint32_t step) const {
  return parts_->loop->KeptOf(step);
}

bool Lane::HasOutput(size_t i) const {
  return HasValue(parts_->memory.plan().outputs[i].value);
}

bool Lane::HasValue(uint32_t value) const {
  return parts_->memory.plan().values[value].producer == PlanValue::kNone || parts_->loop->HasMade(value);
}

const opsrun_tensor& Lane::OutputView(size_t i) const {
  return parts_->memory.view(parts_->memory.plan().outputs[i].value);
}

SharedMemory Lane::ShareOutput(size_t i) const {
  Buffer* const buffer = BufferOf(&OutputView(i));
  if (buffer == nullptr) return {};
  buffer->Retain();
  return {buffer, ShareHost(parts_->memory.host())};
}

Result<Tensor> Lane::Output(size_t i) const {
  return Value(parts_->memory.plan().outputs[i].value);
}

Result<Tensor> Lane::Value(uint32_t value) const {
  const opsrun_tensor& view = parts_->memory.view(value);
  const PlanValue& planned = parts_->memory.plan().values[value];
  // Strings of a feed may share their bytes, which a copy would duplicate.
  if (planned.memory == PlanValue::Memory::kConstant && planned.dtype == DType::kString) {
    return parts_->memory.plan().constants[planned.offset];
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
  return parts_->state.id();
}

size_t Lane::MemoryBytes() const {
  return parts_->memory.bytes() + parts_->device_steps.bytes();
}

Result<std::unique_ptr<LanePool>> LanePool::Create(const Plan& plan, const LaneContext& context, size_t count) {
  std::unique_ptr<LanePool> pool(new LanePool);
  for (size_t i = 0; i < count; ++i) {
    Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, context);
    if (!lane.ok()) return lane.status();
    pool->lanes_.push_back(*std::move(lane));
  }
  // Return in reverse order, so that the first lane is borrowed first.
  for (auto lane = pool->lanes_.rbegin(); lane != pool->lanes_.rend(); ++lane) pool->Return(lane->get());
  return pool;
}

LanePool::Lease LanePool::Borrow() {
  free_count_.acquire();
  const std::lock_guard<std::mutex> lock(mutex_);
  Lane* lane = free_.back();
  free_.pop_back();
  return Lease(lane, {this});
}

void LanePool::Return(Lane* lane) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(lane);
  }
  free_count_.release();
}

namespace {

std::string KernelText(const Step& step) {
  return fmt::format("kernel: {}, of plugin '{}' ({})", spec::KernelText(step.kernel()->def),
                     step.kernel()->plugin->name, step.kernel()->plugin->path);
}

// "inputs: to_zero int32 [2]"; without names if there are lists, to keep the text short.
std::string InputsText(const spec::OpDef& op, const std::vector<std::string>& inputs) {
  constexpr size_t kShown = 8;
  const bool named = std::none_of(op.inputs.begin(), op.inputs.end(), [](const auto& arg) { return arg.is_list(); });
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(inputs.size(), kShown); ++i) {
    texts.push_back(named && i < op.inputs.size() ? op.inputs[i].name + " " + inputs[i] : inputs[i]);
  }
  const std::string more = inputs.size() > kShown ? fmt::format(" and {} more", inputs.size() - kShown) : "";
  return fmt::format("inputs: {}{}", fmt::join(texts, ", "), more);
}

}  // namespace

Diagnostic DescribeFailure(const Plan& plan, const RunFailure& whole, const Graph* located) {
  const Graph& graph = located != nullptr ? *located : plan.graph();
  const Step& joined = plan.steps[whole.step];
  const PartFailure* const part = whole.of_part.empty() ? nullptr : &whole.of_part.front();
  const Step& step = part == nullptr ? joined : joined.more->part->members[part->node];
  RunFailure failure = whole;
  if (part != nullptr) {
    failure.status = part->status;
    failure.inputs = part->inputs;
  }
  const bool as_located = plan.graph().compiled == nullptr && step.node < graph.nodes.size();
  const Node& node = as_located ? graph.nodes[step.node] : plan.NodeOf(step);
  const bool is_copy = step.copy != Step::Copy::kNone;
  Diagnostic error;
  error.code = failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED ? Code("D401") : Code("R401");
  error.message = fmt::format("{} '{}' failed: {}: {}", is_copy ? "copy" : "node", node.name.value,
                              CodeName(failure.status.code()), failure.status.message());
  error.file = graph.source->path;
  error.where = BlamedSpan(node, step.op()->def.inputs, failure.status.subject());
  if (failure.status.subject().starts_with("attr:")) error.label = "the op blames this attr";
  if (failure.status.subject().starts_with("input:")) error.label = "the op blames this input";
  if (is_copy) {
    error.help.push_back(
        "an earlier error on the device may be the cause: 'opsrun run --sync-each-node' shows where it occurs");
  } else if (error.code == Code("R401")) {
    error.help.push_back(FailureHelp(failure.status, step.op()->def.name, step.kernel()->plugin->name));
  }
  if (part != nullptr && part->has_ended()) {
    error.code = Code("R409");
    error.message = part->end->message;
    error.help = part->end->help;
    error.notes = part->end->notes;
    error.backtrace = part->end->backtrace;
    Mention(failure.repro, error);
    return error;
  }
  MarkForwardNode(graph, node, error);
  if (!is_copy) error.notes.push_back(KernelText(step));
  if (part == nullptr && !step.more->fused.empty())
    error.notes.push_back(fmt::format("it computes all nodes up to '{}'", plan.NodeName(step.more->fused.back())));
  if (step.op()->beside.shape != nullptr) {
    error.notes.push_back(
        fmt::format("shape function: from {}:{}", step.op()->beside.file->path, step.op()->beside.shape_line));
  }
  if (!failure.inputs.empty()) error.notes.push_back(InputsText(step.op()->def, failure.inputs));
  if (failure.others > 0) {
    error.notes.push_back(Several(failure.others, "other node") + " failed at the same time");
  }
  if (!failure.more.empty()) {
    std::vector<std::string> names;
    for (const RunFailure& each : failure.more) names.emplace_back(plan.NodeName(plan.steps[each.step]));
    error.notes.push_back(fmt::format("{} failed, too: {}", Several(names.size(), "other node"), QuotedNames(names)));
  }
  Mention(failure.repro, error);
  return error;
}

}  // namespace opsrun::host
