// host/embed/graph.cc: loads and runs graphs and single ops.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "host/embed/objects.h"
#include "host/gradient/differentiate.h"
#include "host/graph/read_graph.h"

using namespace opsrun::host;

namespace {

// Nothing after error U005.
std::optional<Reference> ReadName(opsrun_str name, Diagnostics& found) {
  const SourceFile nowhere{};
  Diagnostics ignored;
  Reporter reporter(nowhere, ignored);
  std::optional<Reference> reference = ReadReference(StringValue(TextOf(name)), reporter);
  if (!reference) {
    found.Error("U005", fmt::format("'{}' does not name a tensor", TextOf(name))).help = {
        "give the name of a feed or a node, NODE.OUTPUT or NODE.OUTPUT.INDEX"};
  }
  return reference;
}

std::optional<GradientRequest> ReadRequest(std::span<const opsrun_gradient_of> of, std::span<const opsrun_str> wrt,
                                           Diagnostics& found) {
  GradientRequest request;
  for (const opsrun_gradient_of& each : of) {
    std::optional<Reference> tensor = ReadName(each.tensor, found), gradient;
    if (each.gradient.size > 0) gradient = ReadName(each.gradient, found);
    if (tensor) request.of.push_back({*std::move(tensor), std::move(gradient)});
  }
  for (const opsrun_str& name : wrt) {
    if (std::optional<Reference> tensor = ReadName(name, found)) request.wrt.push_back(*std::move(tensor));
  }
  return found.has_errors() ? std::nullopt : std::optional(std::move(request));
}

// How many tensors a call takes. kind: "feeds"; give, ask: help for another number of inputs, and of outputs.
struct Expected {
  size_t inputs, most_outputs;
  const char *kind, *give, *ask;
};

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
  bool Read(NameOf name_of, Diagnostics& diagnostics) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Tensor copy;
      const Status status = ReadTensor(inputs_[i], &refs_.all()[i], &copy);
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

  int32_t Run(CallablePlan& plan, const opsrun_run_options* options, opsrun_report** report) {
    const opsrun_run_options known = options == nullptr ? opsrun_run_options{} : Checked(*options);
    const StopSignal* stop = known.stop == nullptr ? nullptr : &known.stop->signal;
    std::optional<StopSignal> limit;
    if (known.timeout_ms > 0) stop = &limit.emplace(stop, std::chrono::steady_clock::now() + TimeoutOf(known));
    for (size_t i = 0; i < outs_.size(); ++i) {
      const Status status = PlaceResult(outs_[i], &results_.all()[i]);
      if (!status.ok()) return Refuse(OfOutput(i, status), report);
    }
    auto failure = plan.Run(refs_.all(), results_.all(), stop);
    if (failure && failure->status.code() == OPSRUN_CANCELLED && limit && limit->timed_out()) {
      failure->status = Status(OPSRUN_DEADLINE_EXCEEDED, failure->status.message());
      return Fail(plan, *failure, report, &known);
    }
    if (failure) return Fail(plan, *failure, report);
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
    RequireUnused("opsrun_run_options.stream", known.stream != nullptr);
    return known;
  }

  static std::chrono::milliseconds TimeoutOf(const opsrun_run_options& options) {
    constexpr uint64_t kForever = 1'000'000'000'000;  // 31 years: later times are beyond the clock's range
    return std::chrono::milliseconds(std::min(options.timeout_ms, kForever));
  }

  static Status OfOutput(size_t i, const Status& status) {
    return {status.code(), fmt::format("output {}: {}", i, status.message())};
  }

  static int32_t Refuse(const Status& status, opsrun_report** report) {
    const bool memory = status.code() == OPSRUN_RESOURCE_EXHAUSTED;
    return ReportStatus(
        memory ? Code("D102") : Code("R506"), status, report,
        memory
            ? ""
            : "give dense, row-major memory of the type and shape of the result, or NULL: then the library allocates "
              "it");
  }

  // timeout: the options of a run that ended because of it; null: of another cause.
  static int32_t Fail(const CallablePlan& plan, const RunFailure& failure, opsrun_report** report,
                      const opsrun_run_options* timeout = nullptr) {
    if (failure.step == CallablePlan::kNoStep) return Refuse(failure.status, report);
    Diagnostics diagnostics;
    const std::shared_ptr<const Graph> graph = plan.planned().loaded().located_graph();
    diagnostics.all().push_back(DescribeFailure(plan.plan(), failure, graph.get()));
    Diagnostic& d = diagnostics.all().back();
    if (failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED) plan.planned().loaded().engine().ExplainLimit(d);
    if (timeout != nullptr) {
      d.code = Code("R403");
      d.message = fmt::format("stopped by timeout_ms after {} ms while node '{}' was running", timeout->timeout_ms,
                              plan.plan().NodeOf(plan.plan().steps[failure.step]).name.value);
      d.help = {"raise timeout_ms, or set it to 0"};
    }
    Report(std::move(diagnostics), graph->source, report);
    return failure.status.code();
  }

  const std::span<const opsrun_in> inputs_;
  const std::span<opsrun_out> outs_;
  FewOf<TensorRef, 4> refs_;
  FewOf<CallOutput, 2> results_;
  std::vector<Tensor> copies_;  // refs_ may point into these
};

int32_t RunGraph(opsrun_graph& graph, std::span<const opsrun_in> feeds, std::span<opsrun_out> outs,
                 const opsrun_run_options* options, opsrun_report** report) {
  Call call(feeds, outs);
  Diagnostics diagnostics;
  const Expected expected{graph.feeds.size(), graph.outputs.size(), "feeds",
                          "give one for each opsrun_graph_feed, in that order",
                          "ask for the first of opsrun_graph_output, in that order"};
  const auto name_of = [&](size_t i) { return fmt::format("feed '{}'", graph.callable.feeds()[i]->name.value); };
  if (!call.HasNumbers(expected, diagnostics) || !call.Read(name_of, diagnostics)) {
    return Report(std::move(diagnostics), nullptr, report);
  }
  const std::shared_ptr<CallablePlan> plan = graph.callable.PlanFor(call.refs(), diagnostics);
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
  if (call.ReadPlain(op.types)) return call.Run(*op.plan, options, report);
  const auto name_of = [](size_t i) { return fmt::format("input {}", i); };
  if (!call.Read(name_of, diagnostics)) return Report(std::move(diagnostics), nullptr, report);
  if (!op.types.Is(call.refs())) return Report(NotPrepared(op.types, call.refs()), nullptr, report);
  return call.Run(*op.plan, options, report);
}

}  // namespace

extern "C" {

int32_t opsrun_graph_load_file(opsrun_engine* engine, opsrun_str path, const opsrun_graph_options* options,
                               opsrun_graph** graph, opsrun_report** report) {
  *graph = nullptr;
  return Guarded(engine, report, [&] {
    return TakeGraph(engine->cached_plans, engine->engine->LoadFile(TextOf(path), OptionsOf(options)), graph, report);
  });
}

int32_t opsrun_graph_load_text(opsrun_engine* engine, opsrun_str name, opsrun_str text,
                               const opsrun_graph_options* options, opsrun_graph** graph, opsrun_report** report) {
  *graph = nullptr;
  return Guarded(engine, report, [&] {
    auto source = std::make_shared<const SourceFile>(SourceFile{TextOf(name), TextOf(text)});
    return TakeGraph(engine->cached_plans, engine->engine->LoadText(std::move(source), OptionsOf(options)), graph,
                     report);
  });
}

int32_t opsrun_graph_to_yaml(const opsrun_graph* graph, opsrun_text** yaml) {
  return MakingText(graph, yaml, [&] { return graph->callable.loaded().source()->text; });
}

int32_t opsrun_graph_differentiate(const opsrun_graph* graph, const opsrun_gradient_of* of, uint32_t n_of,
                                   const opsrun_str* wrt, uint32_t n_wrt, const opsrun_node_gradient* given,
                                   uint32_t n_given, opsrun_graph** gradients, opsrun_report** report) {
  *gradients = nullptr;
  return Guarded(graph, report, [&] {
    Diagnostics found;
    std::optional<GradientRequest> request = ReadRequest(ListOf(of, n_of), ListOf(wrt, n_wrt), found);
    if (!request) return Report(std::move(found), nullptr, report);
    request->fill_feeds = false;  // runs need the caller's feeds
    for (const opsrun_node_gradient& each : ListOf(given, n_given))
      request->given[TextOf(each.node)] = TextOf(each.gradient);
    // Loading and planning report into the graph, so this uses a copy.
    const LoadedGraph& original = graph->callable.loaded();
    const std::shared_ptr<LoadedGraph> copy = original.engine().LoadGraph(original.located_graph());
    const std::optional<DerivedGradients> derived = DifferentiateGraph(*copy, *request);
    if (!derived) return Report(copy->diagnostics(), copy->share_source(), report);
    std::string text = GradientGraphText(*copy->graph(), *request, *derived, copy->graph()->directory);
    auto source = std::make_shared<const SourceFile>(SourceFile{copy->source()->path, std::move(text)});
    const int32_t code =
        TakeGraph(graph->cached_plans, original.engine().LoadText(std::move(source)), gradients, report);
    const bool silent = code == OPSRUN_OK && (report == nullptr || *report == nullptr);
    return silent ? Report(copy->diagnostics(), copy->share_source(), report) : code;  // warnings
  });
}

void opsrun_graph_destroy(opsrun_graph* graph) {
  delete graph;
}

uint32_t opsrun_graph_n_feeds(const opsrun_graph* graph) {
  return graph == nullptr ? 0 : CountOf(graph->feeds);
}
uint32_t opsrun_graph_n_outputs(const opsrun_graph* graph) {
  return graph == nullptr ? 0 : CountOf(graph->outputs);
}
const opsrun_tensor_info* opsrun_graph_feed(const opsrun_graph* graph, uint32_t i) {
  return graph == nullptr ? nullptr : graph->feeds.Get(i);
}
const opsrun_tensor_info* opsrun_graph_output(const opsrun_graph* graph, uint32_t i) {
  return graph == nullptr ? nullptr : graph->outputs.Get(i);
}
int32_t opsrun_graph_find_feed(const opsrun_graph* graph, opsrun_str name) {
  return graph == nullptr ? -1 : graph->feeds.Find(name);
}
int32_t opsrun_graph_find_output(const opsrun_graph* graph, opsrun_str name) {
  return graph == nullptr ? -1 : graph->outputs.Find(name);
}

int32_t opsrun_graph_run(opsrun_graph* graph, const opsrun_in* feeds, uint32_t n_feeds, opsrun_out* outputs,
                         uint32_t n_outputs, const opsrun_run_options* options, opsrun_report** report) {
  return Guarded(graph, report,
                 [&] { return RunGraph(*graph, ListOf(feeds, n_feeds), ListOf(outputs, n_outputs), options, report); });
}

int32_t opsrun_engine_prepare(opsrun_engine* engine, opsrun_str op, const opsrun_op_input* inputs, uint32_t n_inputs,
                              const opsrun_attr* attrs, uint32_t n_attrs, const opsrun_prepare_options* options,
                              opsrun_prepared** prepared, opsrun_report** report) {
  return MakingWithReport(engine, prepared, report, [&](Diagnostics& diagnostics, auto* source) {
    const std::span<const opsrun_attr> given = ListOf(attrs, n_attrs);
    const OpCall call{TextOf(op),
                      ReadInputs(ListOf(inputs, n_inputs), false, diagnostics),
                      {given.begin(), given.end()},
                      WishOf(options)};
    return diagnostics.has_errors() ? nullptr : engine->ops->Prepare(call, diagnostics, source);
  });
}

void opsrun_prepared_destroy(opsrun_prepared* prepared) {
  delete prepared;
}

uint32_t opsrun_prepared_n_outputs(const opsrun_prepared* prepared) {
  return prepared == nullptr ? 0 : CountOf(prepared->outputs);
}
const opsrun_tensor_info* opsrun_prepared_output(const opsrun_prepared* prepared, uint32_t i) {
  return prepared == nullptr ? nullptr : prepared->outputs.Get(i);
}

int32_t opsrun_prepared_call(opsrun_prepared* prepared, const opsrun_in* inputs, uint32_t n_inputs, opsrun_out* outputs,
                             uint32_t n_outputs, const opsrun_run_options* options, opsrun_report** report) {
  return Guarded(prepared, report, [&] {
    return CallPrepared(*prepared->op, ListOf(inputs, n_inputs), ListOf(outputs, n_outputs), options, report);
  });
}

}  // extern "C"
