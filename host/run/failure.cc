// host/run/failure.cc: describes a failed run for the author of the graph.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

#include "host/base/display_text.h"
#include "host/plan/explain/explain.h"
#include "host/run/lane.h"
#include "host/run/step_loop.h"
#include "host/tensor/number_type.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

std::string KernelText(const Step& step) {
  return fmt::format("kernel: {}, of plugin '{}' ({})", spec::KernelText(step.kernel->def), step.kernel->plugin->name,
                     step.kernel->plugin->path);
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

Diagnostic DescribeFailure(const Plan& plan, const RunFailure& failure, const Graph* located) {
  const Graph& graph = located != nullptr ? *located : plan.graph();
  const Step& step = plan.steps[failure.step];
  const Node& node = step.node < graph.nodes.size() ? graph.nodes[step.node] : plan.NodeOf(step);
  const bool is_copy = step.copy != Step::Copy::kNone;
  Diagnostic error;
  error.code = failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED ? Code("D401") : Code("R401");
  error.message = fmt::format("{} '{}' failed: {}: {}", is_copy ? "copy" : "node", node.name.value,
                              CodeName(failure.status.code()), failure.status.message());
  error.file = graph.source->path;
  error.where = BlamedSpan(node, step.op->def.inputs, failure.status.subject());
  if (failure.status.subject().starts_with("attr:")) error.label = "the op blames this attr";
  if (failure.status.subject().starts_with("input:")) error.label = "the op blames this input";
  if (is_copy) {
    error.help.push_back("an earlier error on the device may be the cause: --sync-each-node shows where it occurs");
  } else if (error.code == Code("R401")) {
    error.help.push_back(FailureHelp(failure.status, step.op->def.name, step.kernel->plugin->name));
  }
  MarkForwardNode(graph, node, error);
  if (!is_copy) error.notes.push_back(KernelText(step));
  if (!failure.inputs.empty()) error.notes.push_back(InputsText(step.op->def, failure.inputs));
  if (failure.others > 0) {
    error.notes.push_back(Several(failure.others, "other node") + " failed at the same time");
  }
  return error;
}

namespace {

template <typename T>
bool IsNan(const T& number) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else if constexpr (kIsComplex<T>) {
    return std::isnan(number.real()) || std::isnan(number.imag());
  } else {
    return std::isnan(static_cast<double>(number));
  }
}

struct Nans {
  int64_t first = -1;
  int64_t count = 0;
};

Nans FindNans(DType dtype, const void* data, int64_t elements) {
  return WithNumberType(dtype, [&](auto zero) {
    using T = decltype(zero);
    Nans found;
    for (int64_t i = 0; i < elements; ++i) {
      if (!IsNan(static_cast<const T*>(data)[i])) continue;
      if (found.count++ == 0) found.first = i;
    }
    return found;
  });
}

bool MayHaveNans(DType dtype) {
  return !HasSlots(dtype) && WithNumberType(dtype, [](auto zero) { return !std::is_integral_v<decltype(zero)>; });
}

}  // namespace

int32_t NanCheck::Run(void* check, opsrun_call* call) {
  const auto& it = *static_cast<const NanCheck*>(check);
  const int32_t code = it.compute_(it.object_, call);
  return code == OPSRUN_OK ? it.Look(call) : code;
}

int32_t NanCheck::Look(opsrun_call* call) const {
  Device& device = slots_.DeviceOf(call).device();
  Status status = call->stream == nullptr ? OkStatus() : device.Drain(call->stream);
  for (uint32_t i = 0; i < call->n_out && status.ok(); ++i) {
    const opsrun_tensor& out = *call->out[i];
    if (out.rank < 0 || !MayHaveNans(DTypeOf(out))) continue;
    const size_t bytes = ViewBytes(out);
    const auto copy = std::make_unique<std::byte[]>((out.flags & OPSRUN_TENSOR_HOST) != 0 ? 0 : bytes);
    const void* data = out.data;
    if ((out.flags & OPSRUN_TENSOR_HOST) == 0) {
      data = copy.get();
      status = device.Copy(Device::Direction::kOut, copy.get(), out.data, bytes, call->stream);
      if (status.ok()) status = device.Drain(call->stream);
      if (!status.ok()) break;
    }
    const Nans nans = FindNans(DTypeOf(out), data, static_cast<int64_t>(bytes / DTypeSize(DTypeOf(out))));
    if (nans.count == 0) continue;
    const std::string name = slots_.OutputName(call, i);
    return slots_.Fail(call, OPSRUN_OUT_OF_RANGE,
                       fmt::format("output '{}' has {}, the first at {}", name, Several(nans.count, "NaN"),
                                   IndexText(Shape(out.shape, out.shape + out.rank), nans.first)),
                       "output:" + name);
  }
  return status.ok() ? OPSRUN_OK : slots_.Fail(call, status.code(), status.message());
}

}  // namespace opsrun::host
