// opsrun/embed.hpp: opsrun/embed.h for C++17: objects that free what they own, and errors as exceptions.
//
// A thin layer, all in headers: each function calls the one of embed.h that its comment names, whose comment says
// the rest, and adds no behavior of its own. get() gives the C handle, for what is not offered here.
//
// Errors: a function that fails throws Error, which carries the report; a call that succeeds may report warnings.
// Threads: as in embed.h, [any]: any thread at any time, several at once on one object; [one]: one thread at a time on
// one object. Moving and destroying are [one].
// Owners: Report, Stop, Graph, PreparedOp, Plugins, OpInfo, Engine, Builder and Tensor own what they are made of; they
// can be moved and not copied. A moved-from object can be destroyed or assigned to, nothing else. Graphs and prepared
// ops keep their engine alive, and results their memory: they may be destroyed in any order.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef OPSRUN_EMBED_HPP_
#define OPSRUN_EMBED_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opsrun/embed.h"
#include "opsrun/embed_values.hpp"

namespace opsrun::embed {

// ---- Stopping runs.

// A signal that ends runs. It is destroyed after the runs that were given it.
class Stop {
 public:
  // [any] opsrun_stop_create.
  Stop() {
    opsrun_stop* stop = nullptr;
    detail::Require(opsrun_stop_create(&stop));
    handle_.reset(stop);
  }
  // [any; also in a signal handler] opsrun_stop_now: the runs that were given it throw an Error of OPSRUN_CANCELLED.
  void Now() { opsrun_stop_now(get()); }

  opsrun_stop* get() const { return handle_.get(); }

 private:
  Handle<opsrun_stop, opsrun_stop_destroy> handle_;
};

// ---- Graphs and single ops.

namespace detail {

// kCall is opsrun_graph_run or opsrun_prepared_call.
template <auto kCall, typename T>
std::vector<Tensor> Call(T* callee, const std::vector<View>& inputs, std::vector<opsrun_out> outs, const Stop* stop) {
  std::vector<opsrun_array> arrays(inputs.size());
  std::vector<opsrun_in> ins(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    arrays[i] = inputs[i].array();
    ins[i] = inputs[i].in(arrays[i]);
  }
  std::vector<Tensor> results;
  results.reserve(outs.size());  // so that nothing can fail once there are results to own
  opsrun_report* report = nullptr;
  const int32_t code = kCall(callee, ins.data(), static_cast<uint32_t>(ins.size()), outs.data(),
                             static_cast<uint32_t>(outs.size()), stop == nullptr ? nullptr : stop->get(), &report);
  Require(code, report);
  for (const opsrun_out& out : outs) results.emplace_back(out);
  return results;
}

template <auto kCall, typename T>
void CallInto(T* callee, const std::vector<View>& inputs, const std::vector<MutableView>& into, const Stop* stop) {
  std::vector<opsrun_array> arrays(into.size());
  std::vector<opsrun_out> outs(into.size());
  for (size_t i = 0; i < into.size(); ++i) {
    arrays[i] = into[i].array();
    outs[i].into = &arrays[i];
  }
  Call<kCall>(callee, inputs, std::move(outs), stop);
}

}  // namespace detail

// A graph that was loaded. Destroyed after its runs have returned.
class Graph {
 public:
  explicit Graph(opsrun_graph* graph) : handle_(graph) {}

  // [any] opsrun_graph_feed, opsrun_graph_output; i below their number. The order is that of the file.
  uint32_t n_feeds() const { return opsrun_graph_n_feeds(get()); }
  uint32_t n_outputs() const { return opsrun_graph_n_outputs(get()); }
  const TensorInfo& feed(uint32_t i) const { return *opsrun_graph_feed(get(), i); }
  const TensorInfo& output(uint32_t i) const { return *opsrun_graph_output(get(), i); }
  // [any] Its number; -1 if there is none of that name.
  int32_t find_feed(std::string_view name) const { return opsrun_graph_find_feed(get(), Str(name)); }
  int32_t find_output(std::string_view name) const { return opsrun_graph_find_output(get(), Str(name)); }

  // [any] opsrun_graph_run: all feeds in, all outputs out, each in the order above. Throws Error.
  std::vector<Tensor> Run(const std::vector<View>& feeds, const Stop* stop = nullptr) const {
    return detail::Call<opsrun_graph_run>(get(), feeds, std::vector<opsrun_out>(n_outputs()), stop);
  }
  // [any] The same, with the first into.size() outputs written to memory of the caller's. Throws Error.
  void RunInto(const std::vector<View>& feeds, const std::vector<MutableView>& into, const Stop* stop = nullptr) const {
    detail::CallInto<opsrun_graph_run>(get(), feeds, into, stop);
  }

  opsrun_graph* get() const { return handle_.get(); }

 private:
  Handle<opsrun_graph, opsrun_graph_destroy> handle_;
};

// One op, prepared for inputs of certain types and shapes. Destroyed after its calls have returned.
class PreparedOp {
 public:
  explicit PreparedOp(opsrun_prepared* prepared) : handle_(prepared) {}

  // [any] opsrun_prepared_output; i below their number.
  uint32_t n_outputs() const { return opsrun_prepared_n_outputs(get()); }
  const TensorInfo& output(uint32_t i) const { return *opsrun_prepared_output(get(), i); }

  // [any] opsrun_prepared_call: all inputs in, all outputs out. Throws Error.
  std::vector<Tensor> Call(const std::vector<View>& inputs, const Stop* stop = nullptr) const {
    return detail::Call<opsrun_prepared_call>(get(), inputs, std::vector<opsrun_out>(n_outputs()), stop);
  }
  // [any] The same, with the first into.size() outputs written to memory of the caller's. Throws Error.
  void CallInto(const std::vector<View>& inputs, const std::vector<MutableView>& into,
                const Stop* stop = nullptr) const {
    detail::CallInto<opsrun_prepared_call>(get(), inputs, into, stop);
  }

  opsrun_prepared* get() const { return handle_.get(); }

 private:
  Handle<opsrun_prepared, opsrun_prepared_destroy> handle_;
};

namespace detail {

inline std::vector<opsrun_attr> AttrsOf(const std::vector<Attr>& attrs) {
  std::vector<opsrun_attr> values;
  for (const Attr& attr : attrs) values.push_back(attr.get());
  return values;
}

}  // namespace detail

// Data type and shape of an input that a prepared op is called with. `list`: it is an element of a list argument; those
// of one argument stand next to each other.
struct OpInput {
  std::string arg;  // the op's name for the argument
  int32_t dtype;    // OPSRUN_DT_*
  std::vector<int64_t> shape;
  bool list = false;
};

// ---- Engines.

// The plugins that an engine knows, as of one moment. opsrun_listing.
class Plugins {
 public:
  explicit Plugins(opsrun_listing* listing) : handle_(listing) {}

  // [any] In the order in which they are searched; i < size().
  uint32_t size() const { return opsrun_listing_count(handle_.get()); }
  const opsrun_plugin_info& operator[](uint32_t i) const { return *opsrun_listing_get(handle_.get(), i); }

 private:
  Handle<opsrun_listing, opsrun_listing_free> handle_;
};

// An op as its plugin declares it: (*info).inputs, info->json. opsrun_op_info.
using OpInfo = std::unique_ptr<const opsrun_op_info, EndWith<opsrun_op_info_free>>;

// opsrun_engine_options says what each means; what is not set has its default.
struct EngineOptions {
  std::vector<std::string> plugins;  // directories to search first
  bool default_plugins = true;       // search OPSRUN_PLUGIN_PATH and the default directories too
  uint32_t threads = 0, callers = 0, cached_plans = 0;
  uint64_t memory_limit = 0;
  // Must be callable until all that keeps the engine alive is gone: graphs and prepared ops. It may not throw.
  void (*log)(void* log_ctx, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line) = nullptr;
  void* log_ctx = nullptr;
};

// Plugins, threads, memory, and what kernels share. Two engines know nothing of each other.
//
// `warnings`, unless it is NULL, becomes what a call that succeeds reports. flags: OPSRUN_GRAPH_*.
class Engine {
 public:
  // [any] opsrun_engine_create. Throws Error.
  explicit Engine(const EngineOptions& options = {}, Report* warnings = nullptr) {
    const std::vector<opsrun_str> plugins = detail::Strs(options.plugins);
    opsrun_engine_options given{};
    given.size = sizeof(given);
    given.flags = options.default_plugins ? 0 : OPSRUN_ENGINE_NO_DEFAULT_PLUGINS;
    given.plugins = plugins.data();
    given.n_plugins = static_cast<uint32_t>(plugins.size());
    given.threads = options.threads;
    given.callers = options.callers;
    given.cached_plans = options.cached_plans;
    given.memory_limit = options.memory_limit;
    given.log = options.log;
    given.log_ctx = options.log_ctx;
    opsrun_engine* engine = nullptr;
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_create(&given, &engine, &report);
    handle_.reset(engine);
    detail::Require(code, report, warnings);
  }

  // [any] opsrun_engine_add_plugin. Throws Error.
  void AddPlugin(std::string_view path, Report* warnings = nullptr) {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_add_plugin(get(), Str(path), &report);
    detail::Require(code, report, warnings);
  }

  // [any] opsrun_engine_list. Throws Error.
  Plugins ListPlugins() const {
    opsrun_listing* listing = nullptr;
    const int32_t code = opsrun_engine_list(get(), &listing);
    Plugins plugins(listing);
    detail::Require(code);
    return plugins;
  }

  // [any] opsrun_engine_find_op: "ZeroOut" or "plugin.Op". Throws Error.
  OpInfo FindOp(std::string_view name) const {
    return detail::MakeWith<OpInfo, const opsrun_op_info>(opsrun_engine_find_op, nullptr, get(), Str(name));
  }

  // [any] opsrun_graph_load_file. Throws Error, whose report has all mistakes.
  Graph LoadFile(std::string_view path, uint32_t flags = 0, Report* warnings = nullptr) const {
    const opsrun_graph_options options{sizeof(options), flags};
    return detail::MakeWith<Graph, opsrun_graph>(opsrun_graph_load_file, warnings, get(), Str(path), &options);
  }

  // [any] opsrun_graph_load_text. name: what messages call the text. Throws Error, whose report has all mistakes.
  Graph LoadText(std::string_view name, std::string_view text, uint32_t flags = 0, Report* warnings = nullptr) const {
    const opsrun_graph_options options{sizeof(options), flags};
    return detail::MakeWith<Graph, opsrun_graph>(opsrun_graph_load_text, warnings, get(), Str(name), Str(text),
                                                 &options);
  }

  // [any] opsrun_engine_prepare. Throws Error.
  PreparedOp Prepare(std::string_view op, const std::vector<OpInput>& inputs, const std::vector<Attr>& attrs = {},
                     Report* warnings = nullptr) const {
    std::vector<opsrun_op_input> given;
    for (const OpInput& input : inputs) {
      given.push_back({Str(input.arg), input.dtype, static_cast<int32_t>(input.shape.size()), input.shape.data(),
                       input.list ? 1u : 0u, 0});
    }
    const std::vector<opsrun_attr> values = detail::AttrsOf(attrs);
    return detail::MakeWith<PreparedOp, opsrun_prepared>(opsrun_engine_prepare, warnings, get(), Str(op), given.data(),
                                                         static_cast<uint32_t>(given.size()), values.data(),
                                                         static_cast<uint32_t>(values.size()));
  }

  opsrun_engine* get() const { return handle_.get(); }

 private:
  Handle<opsrun_engine, opsrun_engine_destroy> handle_;
};

// ---- Graphs that are built by calls.

// What an argument of a node is given: the name of a feed or node, "node.output", "node.output.0".
struct NodeInput {
  NodeInput(std::string source) : from{std::move(source)} {}
  NodeInput(const char* source) : from{source} {}
  // A list, also of one or none.
  static NodeInput List(std::vector<std::string> sources) {
    NodeInput input{std::string()};
    input.from = std::move(sources);
    input.list = true;
    return input;
  }
  // For the argument of that name: all inputs of a node have one, or none.
  NodeInput For(std::string name) && {
    arg = std::move(name);
    return std::move(*this);
  }

  std::string arg;
  std::vector<std::string> from;
  bool list = false;
};

// What a node may say besides.
struct NodeOptions {
  std::vector<std::string> after;  // nodes to wait for
  std::string label;               // of the kernel
};

// Writes a graph file, a piece a call; mistakes are found when it is loaded. [one]; functions that can fail throw
// Error.
class Builder {
 public:
  // opsrun_builder_create.
  Builder() {
    opsrun_builder* builder = nullptr;
    detail::Require(opsrun_builder_create(&builder));
    handle_.reset(builder);
  }

  // opsrun_builder_feed: of any shape, or of this one, with -1 for any size.
  void Feed(std::string_view name, int32_t dtype) {
    detail::Require(opsrun_builder_feed(get(), Str(name), dtype, -1, nullptr));
  }
  void Feed(std::string_view name, int32_t dtype, const std::vector<int64_t>& shape) {
    const auto rank = static_cast<int32_t>(shape.size());
    detail::Require(opsrun_builder_feed(get(), Str(name), dtype, rank, shape.data()));
  }

  // opsrun_builder_constant.
  void Constant(std::string_view name, const View& value) {
    const opsrun_array array = value.array();
    const opsrun_in in = value.in(array);
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_builder_constant(get(), Str(name), &in, &report);
    detail::Require(code, report);
  }

  // opsrun_builder_node.
  void Node(std::string_view name, std::string_view op, const std::vector<NodeInput>& inputs,
            const std::vector<Attr>& attrs = {}, const NodeOptions& options = {}) {
    std::vector<std::vector<opsrun_str>> sources;
    std::vector<opsrun_node_input> given;
    for (const NodeInput& input : inputs) {
      const std::vector<opsrun_str>& from = sources.emplace_back(detail::Strs(input.from));
      given.push_back({Str(input.arg), from.data(), static_cast<uint32_t>(from.size()), input.list ? 1u : 0u});
    }
    const std::vector<opsrun_attr> values = detail::AttrsOf(attrs);
    const std::vector<opsrun_str> after = detail::Strs(options.after);
    opsrun_node node{};
    node.size = sizeof(node);
    node.name = Str(name);
    node.op = Str(op);
    node.inputs = given.data();
    node.attrs = values.data();
    node.after = after.data();
    node.n_inputs = static_cast<uint32_t>(given.size());
    node.n_attrs = static_cast<uint32_t>(values.size());
    node.n_after = static_cast<uint32_t>(after.size());
    node.label = Str(options.label);
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_builder_node(get(), &node, &report);
    detail::Require(code, report);
  }

  // opsrun_builder_output.
  void Output(std::string_view name, std::string_view from) {
    detail::Require(opsrun_builder_output(get(), Str(name), Str(from)));
  }

  // opsrun_builder_to_yaml: the graph file.
  std::string ToYaml() const {
    opsrun_text* text = nullptr;
    const int32_t code = opsrun_builder_to_yaml(get(), &text);
    const Handle<opsrun_text, opsrun_text_free> owner(text);
    detail::Require(code);
    return std::string(Text(opsrun_text_get(text)));
  }

  // opsrun_builder_load. The report of an Error has all mistakes, and their places in what ToYaml gives.
  Graph Load(const Engine& engine, std::string_view name, uint32_t flags = 0, Report* warnings = nullptr) const {
    const opsrun_graph_options options{sizeof(options), flags};
    return detail::MakeWith<Graph, opsrun_graph>(opsrun_builder_load, warnings, get(), engine.get(), Str(name),
                                                 &options);
  }

  opsrun_builder* get() const { return handle_.get(); }

 private:
  Handle<opsrun_builder, opsrun_builder_destroy> handle_;
};

}  // namespace opsrun::embed

#endif  // OPSRUN_EMBED_HPP_
