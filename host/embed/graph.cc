// host/embed/graph.cc: loads and runs graphs and single ops.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <span>
#include <utility>

#include "host/embed/calls.h"
#include "host/embed/guard.h"
#include "host/embed/objects.h"
#include "host/embed/report.h"
#include "host/engine/differentiated_graph.h"
#include "host/gradient/gradient_graph.h"
#include "host/graph/read_nodes.h"

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

Diagnostics WrongNumber(const char* what, size_t given, const char* expected, size_t wanted, std::string help) {
  Diagnostics diagnostics;
  diagnostics.Error("F305", fmt::format("{} {} are given, expected {}{}", given, what, expected, wanted))
      .help.push_back(std::move(help));
  return diagnostics;
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

  int32_t Run(PreparedPlan& plan, const opsrun_stop* stop, opsrun_report** report) {
    for (size_t i = 0; i < outs_.size(); ++i) {
      if (Status status = PlaceResult(outs_[i], &results_.all()[i]); !status.ok()) return Refuse(i, status, report);
    }
    const auto failure = plan.Run(refs_.all(), results_.all(), stop == nullptr ? nullptr : &stop->signal);
    if (failure) return Fail(plan, *failure, report);
    for (size_t i = 0; i < outs_.size(); ++i) {
      const Status status = GiveResult(results_.all()[i], &outs_[i]);
      if (status.ok()) continue;
      opsrun_outs_free(outs_.data(), static_cast<uint32_t>(i));
      return Refuse(i, status, report);
    }
    if (report != nullptr) *report = nullptr;
    return OPSRUN_OK;
  }

 private:
  static int32_t Refuse(size_t output, const Status& status, opsrun_report** report) {
    const bool memory = status.code() == OPSRUN_RESOURCE_EXHAUSTED;
    return ReportStatus(memory ? Code("D102") : Code("R506"),
                        {status.code(), fmt::format("output {}: {}", output, status.message())}, report,
                        memory ? "" : kHelpForInto);
  }

  static int32_t Fail(const PreparedPlan& plan, const RunFailure& failure, opsrun_report** report) {
    if (failure.step == PreparedPlan::kNoStep) {
      const bool memory = failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED;
      return ReportStatus(memory ? Code("D102") : Code("R506"), failure.status, report, memory ? "" : kHelpForInto);
    }
    Diagnostics diagnostics;
    const std::shared_ptr<const Graph> graph = plan.planned().loaded().located_graph();
    diagnostics.all().push_back(DescribeFailure(plan.plan(), failure, *graph));
    Diagnostic& d = diagnostics.all().back();
    if (failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED) plan.planned().loaded().engine().ExplainLimit(d);
    Report(std::move(diagnostics), graph->source, report);
    return failure.status.code();
  }

  static constexpr char kHelpForInto[] =
      "give dense, row-major memory of the type and shape of the result, or NULL: then the library allocates it";

  const std::span<const opsrun_in> inputs_;
  const std::span<opsrun_out> outs_;
  FewOf<TensorRef, 4> refs_;
  FewOf<CallOutput, 2> results_;
  std::vector<Tensor> copies_;  // refs_ may point into these
};

int32_t RunGraph(opsrun_graph& graph, std::span<const opsrun_in> feeds, std::span<opsrun_out> outs,
                 const opsrun_stop* stop, opsrun_report** report) {
  if (feeds.size() != graph.feeds.size()) {
    return Report(WrongNumber("feeds", feeds.size(), "", graph.feeds.size(),
                              "give one for each opsrun_graph_feed, in that order"),
                  nullptr, report);
  }
  if (outs.size() > graph.outputs.size()) {
    return Report(WrongNumber("outputs", outs.size(), "at most ", graph.outputs.size(),
                              "ask for the first of opsrun_graph_output, in that order"),
                  nullptr, report);
  }
  Call call(feeds, outs);
  Diagnostics diagnostics;
  const auto name_of = [&](size_t i) { return fmt::format("feed '{}'", graph.callable.feeds()[i]->name.value); };
  if (!call.Read(name_of, diagnostics)) return Report(std::move(diagnostics), nullptr, report);
  const std::shared_ptr<PreparedPlan> plan = graph.callable.PlanFor(call.refs(), diagnostics);
  if (plan == nullptr) return Report(std::move(diagnostics), graph.callable.loaded().share_source(), report);
  return call.Run(*plan, stop, report);
}

// The error for tensors whose types or shapes differ from the prepared ones.
Diagnostics NotPrepared(const opsrun_prepared& prepared, std::span<const TensorRef> refs) {
  Diagnostics diagnostics;
  for (size_t i = 0; i < refs.size(); ++i) {
    const FeedType& wanted = prepared.op->types[i];
    const Shape shape(refs[i].shape, refs[i].shape + refs[i].rank);
    if (refs[i].dtype == wanted.dtype && shape == wanted.shape) continue;
    diagnostics
        .Error("F305", fmt::format("input {} is {} {}, the call was prepared for {} {}", i, DTypeName(refs[i].dtype),
                                   ShapeText(shape), DTypeName(wanted.dtype), ShapeText(wanted.shape)))
        .help.push_back("prepare another call for other types and shapes");
  }
  return diagnostics;
}

int32_t CallPrepared(opsrun_prepared& prepared, std::span<const opsrun_in> inputs, std::span<opsrun_out> outs,
                     const opsrun_stop* stop, opsrun_report** report) {
  const PreparedOp& op = *prepared.op;
  if (inputs.size() != op.types.size()) {
    return Report(WrongNumber("inputs", inputs.size(), "", op.types.size(),
                              "give the tensors that opsrun_engine_prepare was told of, in that order"),
                  nullptr, report);
  }
  if (outs.size() > op.outputs.size()) {
    return Report(WrongNumber("outputs", outs.size(), "at most ", op.outputs.size(),
                              "ask for the first of opsrun_prepared_output, in that order"),
                  nullptr, report);
  }
  Call call(inputs, outs);
  if (call.ReadPlain(op.types)) return call.Run(*op.plan, stop, report);
  Diagnostics diagnostics;
  const auto name_of = [](size_t i) { return fmt::format("input {}", i); };
  if (!call.Read(name_of, diagnostics)) return Report(std::move(diagnostics), nullptr, report);
  if (!op.types.Is(call.refs())) return Report(NotPrepared(prepared, call.refs()), nullptr, report);
  return call.Run(*op.plan, stop, report);
}

// False after errors.
bool ReadInputs(std::span<const opsrun_op_input> inputs, std::vector<OpInput>& list, Diagnostics& diagnostics) {
  for (const opsrun_op_input& input : inputs) {
    if (input.list == OPSRUN_LIST_EMPTY) {
      list.push_back({TextOf(input.arg), true, {}, true});
      continue;
    }
    const DType dtype = DTypeFromNumber(input.dtype);
    std::optional<int64_t> elements;
    if (const Status status = CheckType(dtype, input.rank, input.shape, &elements); !status.ok()) {
      ReportInput(fmt::format("input '{}'", TextOf(input.arg)), status, diagnostics);
    } else {
      list.push_back({TextOf(input.arg), input.list != 0, {dtype, Shape(input.shape, input.shape + input.rank)}});
    }
  }
  return !diagnostics.has_errors();
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
  *yaml = nullptr;
  return Guarded(graph, nullptr, [&] {
    *yaml = new opsrun_text{graph->callable.loaded().source()->text};
    return OPSRUN_OK;
  });
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
  return graph == nullptr ? 0 : static_cast<uint32_t>(graph->feeds.size());
}
uint32_t opsrun_graph_n_outputs(const opsrun_graph* graph) {
  return graph == nullptr ? 0 : static_cast<uint32_t>(graph->outputs.size());
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
                         uint32_t n_outputs, opsrun_stop* stop, opsrun_report** report) {
  return Guarded(graph, report,
                 [&] { return RunGraph(*graph, ListOf(feeds, n_feeds), ListOf(outputs, n_outputs), stop, report); });
}

int32_t opsrun_engine_prepare(opsrun_engine* engine, opsrun_str op, const opsrun_op_input* inputs, uint32_t n_inputs,
                              const opsrun_attr* attrs, uint32_t n_attrs, opsrun_prepared** prepared,
                              opsrun_report** report) {
  *prepared = nullptr;
  return Guarded(engine, report, [&] {
    Diagnostics diagnostics;
    std::shared_ptr<const SourceFile> source;
    const std::span<const opsrun_attr> given = ListOf(attrs, n_attrs);
    std::vector<OpInput> types;
    auto made = std::make_unique<opsrun_prepared>();
    if (ReadInputs(ListOf(inputs, n_inputs), types, diagnostics)) {
      made->op = engine->ops->Prepare(TextOf(op), types, {given.begin(), given.end()}, diagnostics, &source);
    }
    const int32_t code = Report(std::move(diagnostics), source, report);
    if (code != OPSRUN_OK) return code;
    const Plan& plan = made->op->plan->plan();
    for (size_t i = 0; i < made->op->outputs.size(); ++i) {
      const PlanValue& value = plan.values[plan.outputs[i].value];
      made->outputs.Add(made->op->outputs[i], value.dtype, value.rank_known, value.shape);
    }
    *prepared = made.release();
    return static_cast<int32_t>(OPSRUN_OK);
  });
}

void opsrun_prepared_destroy(opsrun_prepared* prepared) {
  delete prepared;
}

uint32_t opsrun_prepared_n_outputs(const opsrun_prepared* prepared) {
  return prepared == nullptr ? 0 : static_cast<uint32_t>(prepared->outputs.size());
}
const opsrun_tensor_info* opsrun_prepared_output(const opsrun_prepared* prepared, uint32_t i) {
  return prepared == nullptr ? nullptr : prepared->outputs.Get(i);
}

int32_t opsrun_prepared_call(opsrun_prepared* prepared, const opsrun_in* inputs, uint32_t n_inputs, opsrun_out* outputs,
                             uint32_t n_outputs, opsrun_stop* stop, opsrun_report** report) {
  return Guarded(prepared, report, [&] {
    return CallPrepared(*prepared, ListOf(inputs, n_inputs), ListOf(outputs, n_outputs), stop, report);
  });
}

}  // extern "C"
