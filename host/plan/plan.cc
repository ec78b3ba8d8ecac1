// SPDX-License-Identifier: Apache-2.0
#include "host/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/plugin_code.h"
#include "host/graph/compiled_graph.h"

namespace opsrun::host {

std::optional<Tensor> GraphConstants::Find(const std::string& feed) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = arrays_.find(feed);
  return found == arrays_.end() ? std::nullopt : std::optional(found->second);
}

void GraphConstants::Keep(const std::string& feed, const Tensor& array) {
  const std::lock_guard<std::mutex> lock(mutex_);
  arrays_.emplace(feed, array);
}

std::shared_ptr<const ResidentConstant> GraphConstants::On(Device& device, const Tensor& constant) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Each plan of a graph reads constants in the text again, so those of earlier plans are not found any more.
  if (residents_.size() >= sweep_at_) {
    std::erase_if(residents_, [](const auto& each) { return each.second.expired(); });
    sweep_at_ = 2 * residents_.size() + 64;
  }
  std::weak_ptr<const ResidentConstant>& known = residents_[{&device, constant.data()}];
  std::shared_ptr<const ResidentConstant> resident = known.lock();
  const bool same = resident != nullptr && resident->constant().dtype() == constant.dtype() &&
                    resident->constant().shape() == constant.shape();
  if (!same) known = resident = std::make_shared<const ResidentConstant>(device, constant);
  return resident;
}

// Uses a stream of its own: a CUDA graph of another lane may be recorded on any stream in use.
ResidentConstant::~ResidentConstant() {
  if (memory_ == nullptr) return;
  device_.Free(memory_, OwnStream(device_).stream);
}

Status ResidentConstant::Copy() const {
  const OwnStream own(device_);
  if (!own.status.ok()) return own.status;
  void* const memory = device_.Allocate(constant_.num_bytes(), own.stream);
  Status status = ResourceExhausted(
      fmt::format("there are no {} bytes on {} for a constant", constant_.num_bytes(), device_.name()));
  if (memory != nullptr) {
    status = device_.Copy(Device::Direction::kIn, memory, constant_.data(), constant_.num_bytes(), own.stream);
    if (status.ok()) status = device_.Drain(own.stream);
  }
  if (status.ok()) {
    memory_ = memory;
  } else {
    device_.Free(memory, own.stream);
  }
  return status;
}

Result<void*> ResidentConstant::Memory() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (memory_ == nullptr) {
    if (Status status = Copy(); !status.ok()) return status;
  }
  return memory_;
}

const Shape PlanValue::kNoSizes;

std::span<uint32_t> Plan::NewList(size_t size) {
  if (size == 0) return {};
  return {static_cast<uint32_t*>(memory_.allocate(size * sizeof(uint32_t), alignof(uint32_t))), size};
}

std::span<uint32_t> Plan::Keep(std::span<const uint32_t> list) {
  const std::span<uint32_t> kept = NewList(list.size());
  std::ranges::copy(list, kept.begin());
  return kept;
}

const Shape* Plan::Keep(Shape shape) {
  return &shapes_.emplace_back(std::move(shape));
}

StepExtras& Plan::More(Step& step) {
  extras_.push_back(*step.more);
  step.more = &extras_.back();
  return extras_.back();
}

size_t Plan::ArenaBytes(const PlanValue& value) const {
  if (value.tile_bytes > 0) return value.tile_bytes * static_cast<size_t>(threads);
  return ArenaBytes(value.device, static_cast<size_t>(*NumElements(value.shape())) * DTypeSize(value.dtype));
}

size_t Plan::ArenaBytes(uint32_t device, size_t bytes) const {
  const size_t alignment = devices[device].alignment;
  return std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
}

PluginCodeFacts FactsOfNode(const Plugin* plugin, const RegisteredOp& op, std::string_view node, const Span& where,
                            const SourceFile* source, PluginPhase phase) {
  PluginCodeFacts facts = plugin == nullptr ? PluginCodeFacts{} : plugin->Facts(phase);
  facts.phase = phase;
  facts.op = op.def.name;
  facts.node = node;
  facts.source = source;
  facts.where = where;
  return facts;
}

PluginCodeFacts Plan::Facts(const Step& step, PluginPhase phase) const {
  PluginCodeFacts facts =
      FactsOfNode(step.kernel()->plugin, *step.op(), NodeName(step), PlaceOf(step), graph_->source.get(), phase);
  facts.device = devices[step.device].name;
  if (!step.more->fused.empty()) facts.last_node = NodeName(step.more->fused.back());
  return facts;
}

std::string_view Plan::NodeName(const Step& step) const {
  return IsCompiled(step) ? graph_->compiled->NameOf(step.node) : NodeOf(step).name.value;
}

Span Plan::PlaceOf(const Step& step) const {
  return IsCompiled(step) ? graph_->compiled->PlaceOf(step.node) : NodeOf(step).op.span;
}

bool Plan::IsCompiled(const Step& step) const {
  return graph_->compiled != nullptr && step.node < graph_->num_nodes();
}

Plan::~Plan() {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    for (auto fused = step->more->fused.rbegin(); fused != step->more->fused.rend(); ++fused) DestroyKernel(*fused);
    DestroyKernel(*step);
  }
}

void Plan::DestroyKernel(const Step& step) const {
  if (!step.has_object || step.kernel()->destroy == nullptr) return;
  const Attached attached(devices[step.device].device);
  const opsrun_host* host = step.kernel()->plugin == nullptr ? nullptr : step.kernel()->plugin->host;
  CallAtEnd(SingleCall(Facts(step, PluginPhase::kDestroy)), host, [&] { step.kernel()->destroy(step.object); });
}

}  // namespace opsrun::host
