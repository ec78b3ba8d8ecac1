// host/embed/run.cc: runs of graphs and of single ops.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "host/embed/objects.h"

using namespace opsrun::host;

namespace {

// How many tensors a call takes. kind: "feeds"; give, ask: help for another number of inputs, and of outputs.
struct Expected {
  size_t inputs, most_outputs;
  const char *kind, *give, *ask;
};

Status OfOutput(size_t i, const Status& status) {
  return {status.code(), fmt::format("output {}: {}", i, status.message())};
}

int32_t Refuse(const Status& status, opsrun_report** report) {
  if (status.subject() == "file") return ReportStatus(Code("F201"), status, report, kHelpReplaceFile);
  const bool memory = status.code() == OPSRUN_RESOURCE_EXHAUSTED;
  return ReportStatus(
      memory ? Code("D102") : Code("R506"), status, report,
      memory ? ""
             : "give dense, row-major memory of the type and shape of the result, or NULL: then the library allocates "
               "it");
}

// timeout: the options of a run that ended because of it; null: of another cause.
int32_t Fail(const PlannedGraph& planned, const RunFailure& failure, opsrun_report** report,
             const opsrun_run_options* timeout) {
  if (failure.step == CallablePlan::kNoStep) return Refuse(failure.status, report);
  Diagnostics diagnostics;
  const std::shared_ptr<const Graph> graph = planned.loaded().located_graph();
  diagnostics.all().push_back(DescribeFailure(planned.plan(), failure, graph.get()));
  Diagnostic& d = diagnostics.all().back();
  if (failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED) planned.loaded().engine().ExplainLimit(d);
  if (timeout != nullptr) {
    d.code = Code("R403");
    d.message = fmt::format("stopped by timeout_ms after {} ms while node '{}' was running", timeout->timeout_ms,
                            planned.plan().NodeName(planned.plan().steps[failure.step]));
    d.help = {"raise timeout_ms, or set it to 0"};
  }
  Report(std::move(diagnostics), graph->source, report);
  return failure.status.code();
}

// An error of a device may be that of an earlier call, which has returned before its work was done.
int32_t FailOnDevice(const CallablePlan& plan, const RunFailure& failure, opsrun_report** report) {
  int32_t code = failure.status.code();
  const auto tell = [&](const PlannedGraph& earlier, const RunFailure& cause) {
    code = Fail(earlier, cause, report, nullptr);
  };
  const bool may_be_late = plan.plan().devices.size() > 1 && code == OPSRUN_INTERNAL;
  if (may_be_late && plan.planned().loaded().engine().idle_lanes()->TellCause(tell)) return code;
  return Fail(plan.planned(), failure, report, nullptr);
}

// One call, from input tensors to output tensors.
class Call {
 public:
  Call(std::span<const opsrun_in> inputs, std::span<opsrun_out> outs)
      : inputs_(inputs), outs_(outs), refs_(inputs.size()), results_(outs.size()) {
    for (opsrun_out& out : outs_) {
      out.tensor = nullptr;
      out.strings = nullptr;
      out.array = {};
    }
  }

  std::span<const TensorRef> refs() { return refs_.all(); }

  // F305 for a wrong number of tensors.
  bool HasNumbers(const Expected& expected, Diagnostics& diagnostics) const {
    if (inputs_.size() != expected.inputs) {
      diagnostics.Error("F305", fmt::format("got {} {}, expected {}", inputs_.size(), expected.kind, expected.inputs))
          .help = {expected.give};
    } else if (outs_.size() > expected.most_outputs) {
      diagnostics.Error("F305", fmt::format("got {} outputs, expected at most {}", outs_.size(), expected.most_outputs))
          .help = {expected.ask};
    }
    return !diagnostics.has_errors();
  }

  // F305 for inputs that are not tensors. name_of(i): the name of input i in messages.
  template <typename NameOf>
  bool Read(NameOf name_of, Devices& devices, Diagnostics& diagnostics) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Tensor copy;
      const Status status = ReadTensor(inputs_[i], &devices, &refs_.all()[i], &copy);
      if (!status.ok()) {
        ReportInput(name_of(i), status, diagnostics);
        return false;
      }
      if (copy.data() != nullptr) copies_.push_back(std::move(copy));
    }
    return true;
  }

  // Fast path: true if all inputs are dense arrays of these types, as in most calls.
  bool ReadPlain(const FeedSignature& types) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!opsrun::host::ReadPlain(inputs_[i], types[i], &refs_.all()[i])) return false;
    }
    return true;
  }

  // The devices and the memory of the results. Otherwise, *code is that of the error.
  bool Place(Devices& devices, opsrun_report** report, int32_t* code) {
    for (size_t i = 0; i < outs_.size(); ++i) {
      const Status status = PlaceResult(outs_[i], devices, &results_.all()[i]);
      if (!status.ok()) return *code = Refuse(OfOutput(i, status), report), false;
    }
    return true;
  }
  std::span<const CallOutput> results() { return results_.all(); }

  // Whether a tensor is on a device, or a result is to be there. Requires: Place.
  bool UsesDevices() {
    const auto is_there = [](const TensorRef& ref) { return ref.device != nullptr; };
    return std::ranges::any_of(refs_.all(), is_there) ||
           std::ranges::any_of(results_.all(), is_there, &CallOutput::into);
  }

  // Requires: Place.
  int32_t Run(CallablePlan& plan, const opsrun_run_options* options, opsrun_report** report) {
    const opsrun_run_options known = options == nullptr ? opsrun_run_options{} : Checked(*options);
    const StopSignal* stop = known.stop == nullptr ? nullptr : &known.stop->signal;
    std::optional<StopSignal> limit;
    if (known.timeout_ms > 0) stop = &limit.emplace(stop, std::chrono::steady_clock::now() + TimeoutOf(known));
    CallablePlan::Order order{.stop = stop, .stream = known.stream};
    if (known.stream != nullptr) {
      order.device = &DeviceWith(known.stream, plan.plan());
    }
    auto failure = plan.Run(refs_.all(), results_.all(), order);
    if (failure && failure->status.code() == OPSRUN_CANCELLED && limit && limit->timed_out()) {
      failure->status = Status(OPSRUN_DEADLINE_EXCEEDED, failure->status.message());
      return Fail(plan.planned(), *failure, report, &known);
    }
    if (failure) return FailOnDevice(plan, *failure, report);
    for (size_t i = 0; i < outs_.size(); ++i) {
      const Status status = GiveResult(results_.all()[i], &outs_[i]);
      if (status.ok()) continue;
      opsrun_outs_free(outs_.data(), static_cast<uint32_t>(i));
      return Refuse(OfOutput(i, status), report);
    }
    if (report != nullptr) *report = nullptr;
    return OPSRUN_OK;
  }

 private:
  static opsrun_run_options Checked(const opsrun_run_options& options) {
    const opsrun_run_options known = Known(&options);
    RequireZero("opsrun_run_options.flags", known.flags);
    return known;
  }

  // The device of the plan that has the stream. Throws BadArgument.
  static Device& DeviceWith(Stream stream, const Plan& plan) {
    for (const PlanDevice& each : plan.devices) {
      if (each.device != nullptr && each.device->CheckStream(stream).ok()) return *each.device;
    }
    RefuseArgument(OPSRUN_INVALID_ARGUMENT,
                   plan.devices.size() == 1
                       ? "opsrun_run_options.stream is given, but nothing of this run is on a GPU"
                       : "opsrun_run_options.stream is not one of a GPU that this run uses, in its primary context",
                   "give a stream of the GPU on which the run is, or NULL");
  }

  static std::chrono::milliseconds TimeoutOf(const opsrun_run_options& options) {
    constexpr uint64_t kForever = 1'000'000'000'000;  // 31 years: later times are beyond the clock's range
    return std::chrono::milliseconds(std::min(options.timeout_ms, kForever));
  }

  const std::span<const opsrun_in> inputs_;
  const std::span<opsrun_out> outs_;
  FewOf<TensorRef, 4> refs_;
  FewOf<CallOutput, 2> results_;
  std::vector<Tensor> copies_;  // refs_ may point into these
};

int32_t Wait(CallableGraph& graph, opsrun_report** report) {
  std::shared_ptr<CallablePlan> of;
  const std::optional<RunFailure> failure = graph.Wait(&of);
  return failure ? Fail(of->planned(), *failure, report, nullptr) : OPSRUN_OK;
}

int32_t RunGraph(opsrun_graph& graph, std::span<const opsrun_in> feeds, std::span<opsrun_out> outs,
                 const opsrun_run_options* options, opsrun_report** report) {
  Call call(feeds, outs);
  Diagnostics diagnostics;
  const Expected expected{graph.feeds.size(), graph.outputs.size(), "feeds",
                          "give one for each opsrun_graph_feed, in that order",
                          "ask for the first of opsrun_graph_output, in that order"};
  const auto name_of = [&](size_t i) { return fmt::format("feed '{}'", graph.callable.feeds()[i]->name.value); };
  Devices& devices = graph.callable.loaded().engine().devices();
  if (!call.HasNumbers(expected, diagnostics) || !call.Read(name_of, devices, diagnostics)) {
    return Report(std::move(diagnostics), nullptr, report);
  }
  int32_t code = OPSRUN_OK;
  if (!call.Place(devices, report, &code)) return code;
  const std::shared_ptr<CallablePlan> plan = graph.callable.PlanFor(call.refs(), diagnostics, call.results());
  if (plan == nullptr) return Report(std::move(diagnostics), graph.callable.loaded().share_source(), report);
  return call.Run(*plan, options, report);
}

// The error for tensors whose types or shapes differ from the prepared ones.
Diagnostics NotPrepared(const FeedSignature& types, std::span<const TensorRef> refs) {
  Diagnostics diagnostics;
  for (size_t i = 0; i < refs.size(); ++i) {
    const FeedType& wanted = types[i];
    const Shape shape(refs[i].shape, refs[i].shape + refs[i].rank);
    if (refs[i].dtype == wanted.dtype && shape == wanted.shape) continue;
    diagnostics
        .Error("F305",
               fmt::format("input {} is {} {}, but the call was prepared for {} {}", i, DTypeName(refs[i].dtype),
                           ShapeText(shape), DTypeName(wanted.dtype), ShapeText(wanted.shape)))
        .help.push_back("prepare another call for other types and shapes");
  }
  return diagnostics;
}

int32_t CallPrepared(const PreparedOp& op, std::span<const opsrun_in> inputs, std::span<opsrun_out> outs,
                     const opsrun_run_options* options, opsrun_report** report) {
  Call call(inputs, outs);
  Diagnostics diagnostics;
  const Expected expected{op.types.size(), op.outputs.size(), "inputs",
                          "give the tensors that were declared to opsrun_engine_prepare, in that order",
                          "ask for the first of opsrun_prepared_output, in that order"};
  if (!call.HasNumbers(expected, diagnostics)) return Report(std::move(diagnostics), nullptr, report);
  Devices& devices = op.plan->planned().loaded().engine().devices();
  int32_t code = OPSRUN_OK;
  if (!call.Place(devices, report, &code)) return code;
  const auto name_of = [](size_t i) { return fmt::format("input {}", i); };
  if (!call.ReadPlain(op.types)) {
    if (!call.Read(name_of, devices, diagnostics)) return Report(std::move(diagnostics), nullptr, report);
    if (!op.types.FitsTypes(call.refs())) return Report(NotPrepared(op.types, call.refs()), nullptr, report);
  }
  if (!call.UsesDevices()) return call.Run(*op.plan, options, report);
  const std::shared_ptr<CallablePlan> plan = op.elsewhere->PlanFor(call.refs(), diagnostics, call.results());
  if (plan == nullptr) return Report(std::move(diagnostics), op.elsewhere->loaded().share_source(), report);
  return call.Run(*plan, options, report);
}

}  // namespace

extern "C" {

int32_t opsrun_graph_run(opsrun_graph* graph, const opsrun_in* feeds, uint32_t n_feeds, opsrun_out* outputs,
                         uint32_t n_outputs, const opsrun_run_options* options, opsrun_report** report) {
  return Guarded(graph, report,
                 [&] { return RunGraph(*graph, ListOf(feeds, n_feeds), ListOf(outputs, n_outputs), options, report); });
}

int32_t opsrun_graph_wait(opsrun_graph* graph, opsrun_report** report) {
  return Guarded(graph, report, [&] { return Wait(graph->callable, report); });
}

int32_t opsrun_prepared_wait(opsrun_prepared* prepared, opsrun_report** report) {
  return Guarded(prepared, report, [&] { return Wait(*prepared->op->elsewhere, report); });
}

int32_t opsrun_prepared_call(opsrun_prepared* prepared, const opsrun_in* inputs, uint32_t n_inputs, opsrun_out* outputs,
                             uint32_t n_outputs, const opsrun_run_options* options, opsrun_report** report) {
  return Guarded(prepared, report, [&] {
    return CallPrepared(*prepared->op, ListOf(inputs, n_inputs), ListOf(outputs, n_outputs), options, report);
  });
}

}  // extern "C"
