// opsrun/embed.hpp: a C++17 layer on opsrun/embed.h: objects that own what they use, and errors as exceptions.
//
// It is a thin layer of headers only. Each function calls the function of embed.h that its comment names and adds no
// behavior of its own; see the comment in embed.h for details. get() returns the C handle, for functions that this
// layer lacks.
//
// Errors: a function that fails throws Error, which holds the report. A successful call may report warnings.
// Threads: as in embed.h. [any]: may be called from any thread at any time, also by several threads at once on the same
// object. [one]: only one thread at a time may call it on the same object. Moving and destroying an object are [one].
// Ownership: Report, Stop, Graph, PreparedOp, Plugins, OpInfo, Engine, Builder and Tensor own their contents; they can
// be moved but not copied. A moved-from object can only be destroyed or assigned to. Graphs and prepared ops keep their
// engine alive, and results keep their memory alive: objects may be destroyed in any order.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef OPSRUN_EMBED_HPP_
#define OPSRUN_EMBED_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opsrun/embed.h"
#include "opsrun/embed_values.hpp"

namespace opsrun::embed {

// ---- Stopping runs.

// A signal that stops runs. Destroy it after the runs that it was passed to.
class Stop {
 public:
  // [any] opsrun_stop_create.
  Stop() {
    opsrun_stop* stop = nullptr;
    detail::Require(opsrun_stop_create(&stop));
    handle_.reset(stop);
  }
  // [any; also in a signal handler] opsrun_stop_now: the runs that it was passed to throw an Error of OPSRUN_CANCELLED.
  void Now() { opsrun_stop_now(get()); }

  opsrun_stop* get() const { return handle_.get(); }

 private:
  Handle<opsrun_stop, opsrun_stop_destroy> handle_;
};

// How a graph or an op runs: opsrun_run_options. Calls take one of it, or a pointer to a Stop alone.
struct RunOptions {
  RunOptions(const Stop* signal = nullptr, uint64_t timeout = 0) : stop(signal), timeout_ms(timeout) {}

  const Stop* stop;            // stops the run too; may be NULL
  uint64_t timeout_ms;         // after which the run throws an Error of OPSRUN_DEADLINE_EXCEEDED; 0: never
  void* stream = nullptr;      // a CUstream that the run is ordered by: opsrun_run_options.stream
  std::vector<Place> results;  // where the first results go: opsrun_out; further ones are on the CPU
};

// ---- Graphs and single ops.

namespace detail {

// kCall is opsrun_graph_run or opsrun_prepared_call.
template <auto kCall, typename T>
std::vector<Tensor> CallWith(T* callee, const std::vector<opsrun_in>& ins, std::vector<opsrun_out> outs,
                             const RunOptions& options) {
  std::vector<Tensor> results;
  results.reserve(outs.size());  // so that nothing can fail once there are results to own
  opsrun_run_options given{};
  given.size = sizeof(given);
  given.stop = options.stop == nullptr ? nullptr : options.stop->get();
  given.timeout_ms = options.timeout_ms;
  given.stream = options.stream;
  for (size_t i = 0; i < outs.size() && i < options.results.size(); ++i) {
    outs[i].device = options.results[i].device;
    outs[i].stream = options.results[i].stream;
  }
  opsrun_report* report = nullptr;
  const int32_t code = kCall(callee, ins.data(), static_cast<uint32_t>(ins.size()), outs.data(),
                             static_cast<uint32_t>(outs.size()), &given, &report);
  Require(code, report);
  for (const opsrun_out& out : outs) results.emplace_back(out);
  return results;
}

// The text that `call(text, report)` gives.
template <typename Call>
std::string TextOfCall(const Call& call, Report* warnings = nullptr) {
  opsrun_text* text = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code = call(&text, &report);
  const Handle<opsrun_text, opsrun_text_free> owner(text);
  Require(code, report, warnings);
  return std::string(Text(opsrun_text_get(text)));
}

template <auto kCall, typename T>
std::vector<Tensor> Call(T* callee, const std::vector<View>& inputs, std::vector<opsrun_out> outs,
                         const RunOptions& options) {
  std::vector<opsrun_array> arrays(inputs.size());
  std::vector<opsrun_in> ins(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    arrays[i] = inputs[i].array();
    ins[i] = inputs[i].in(arrays[i]);
  }
  return CallWith<kCall>(callee, ins, std::move(outs), options);
}

// The text that kGet, such as opsrun_graph_to_yaml, gives.
template <auto kGet, typename T>
std::string TextFrom(const T* object) {
  return TextOfCall([&](opsrun_text** text, opsrun_report**) { return kGet(object, text); });
}

template <auto kCall, typename T>
void CallInto(T* callee, const std::vector<View>& inputs, const std::vector<MutableView>& into,
              const RunOptions& options) {
  std::vector<opsrun_array> arrays(into.size());
  std::vector<opsrun_out> outs(into.size());
  for (size_t i = 0; i < into.size(); ++i) {
    arrays[i] = into[i].array();
    outs[i].into = &arrays[i];
    outs[i].stream = into[i].place().stream;
  }
  Call<kCall>(callee, inputs, std::move(outs), options);
}

}  // namespace detail

// A tensor to differentiate. gradient: the tensor to begin with; if empty, ones.
struct GradientOf {
  GradientOf(std::string of) : tensor(std::move(of)) {}
  GradientOf(const char* of) : tensor(of) {}
  GradientOf(std::string of, std::string begin_with) : tensor(std::move(of)), gradient(std::move(begin_with)) {}

  std::string tensor, gradient;
};

// A declared feed that a run reads from array `key` of the file `npz`, whose path is relative to the graph file.
struct FeedFile {
  std::string feed, npz, key;
};

// A loaded graph. Destroy it after its runs have returned.
class Graph {
 public:
  explicit Graph(opsrun_graph* graph) : handle_(graph) {}

  // [any] opsrun_graph_feed, opsrun_graph_output; i must be below their number. They are in the order of the file.
  uint32_t n_feeds() const { return opsrun_graph_n_feeds(get()); }
  uint32_t n_outputs() const { return opsrun_graph_n_outputs(get()); }
  const TensorInfo& feed(uint32_t i) const { return *opsrun_graph_feed(get(), i); }
  const TensorInfo& output(uint32_t i) const { return *opsrun_graph_output(get(), i); }
  // [any] The index, or -1 if there is none of that name.
  int32_t find_feed(std::string_view name) const { return opsrun_graph_find_feed(get(), Str(name)); }
  int32_t find_output(std::string_view name) const { return opsrun_graph_find_output(get(), Str(name)); }

  // [any] opsrun_graph_run with all feeds and all outputs, each in the order above. Throws Error.
  std::vector<Tensor> Run(const std::vector<View>& feeds, const RunOptions& options = {}) const {
    return detail::Call<opsrun_graph_run>(get(), feeds, std::vector<opsrun_out>(n_outputs()), options);
  }
  // [any] The same with feeds by name. Throws std::invalid_argument for a name that is not a feed, or a feed without a
  // tensor.
  std::vector<Tensor> RunNamed(const std::map<std::string, View>& feeds, const RunOptions& options = {}) const {
    std::vector<View> ordered;
    for (uint32_t i = 0; i < n_feeds(); ++i) {
      const std::string name(Text(feed(i).name));
      const auto found = feeds.find(name);
      if (found == feeds.end()) throw std::invalid_argument("there is no tensor for feed '" + name + "'");
      ordered.push_back(found->second);
    }
    for (const auto& [name, view] : feeds) {
      if (find_feed(name) < 0) throw std::invalid_argument("'" + name + "' is not a feed of the graph");
    }
    return Run(ordered, options);
  }
  // [any] The same as Run, but the first into.size() outputs are written to memory of the caller. Throws Error.
  void RunInto(const std::vector<View>& feeds, const std::vector<MutableView>& into,
               const RunOptions& options = {}) const {
    detail::CallInto<opsrun_graph_run>(get(), feeds, into, options);
  }
  // [any] opsrun_graph_wait. Throws Error.
  void Wait() const {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_graph_wait(get(), &report);
    detail::Require(code, report);
  }

  // [any] opsrun_graph_to_yaml. Throws Error.
  std::string ToYaml() const { return detail::TextFrom<opsrun_graph_to_yaml>(get()); }
  // [any] opsrun_graph_to_yaml_with. Throws Error.
  std::string ToYaml(const std::vector<FeedFile>& files) const {
    std::vector<opsrun_feed_file> all;
    for (const FeedFile& file : files) all.push_back({Str(file.feed), Str(file.npz), Str(file.key)});
    return detail::TextOfCall([&](opsrun_text** text, opsrun_report** report) {
      return opsrun_graph_to_yaml_with(get(), all.data(), static_cast<uint32_t>(all.size()), text, report);
    });
  }
  // [any] opsrun_graph_to_json, opsrun_graph_to_dot. Throw Error.
  std::string ToJson() const { return detail::TextFrom<opsrun_graph_to_json>(get()); }
  std::string ToDot() const { return detail::TextFrom<opsrun_graph_to_dot>(get()); }

  // [any] opsrun_graph_plan. flags: OPSRUN_PLAN_*. Throws Error.
  std::string Plan(const std::vector<TensorInfo>& feeds = {}, uint32_t flags = 0) const {
    return detail::TextOfCall([&](opsrun_text** text, opsrun_report** report) {
      return opsrun_graph_plan(get(), feeds.data(), static_cast<uint32_t>(feeds.size()), flags, text, report);
    });
  }

  // [any] opsrun_graph_differentiate: the sum of the tensors `of`, with respect to the tensors `wrt`. given: gradients
  // of nodes whose ops declare none. Throws Error.
  Graph Differentiate(const std::vector<GradientOf>& of, const std::vector<std::string>& wrt,
                      const std::map<std::string, std::string>& given = {}) const {
    std::vector<opsrun_gradient_of> tensors;
    for (const GradientOf& each : of) tensors.push_back({Str(each.tensor), Str(each.gradient)});
    std::vector<opsrun_str> names;
    for (const std::string& name : wrt) names.push_back(Str(name));
    std::vector<opsrun_node_gradient> texts;
    for (const auto& [node, text] : given) texts.push_back({Str(node), Str(text)});
    return detail::MakeWith<Graph, opsrun_graph>(
        opsrun_graph_differentiate, nullptr, get(), tensors.data(), static_cast<uint32_t>(tensors.size()), names.data(),
        static_cast<uint32_t>(names.size()), texts.data(), static_cast<uint32_t>(texts.size()));
  }

  opsrun_graph* get() const { return handle_.get(); }

 private:
  Handle<opsrun_graph, opsrun_graph_destroy> handle_;
};

// One op that is prepared for inputs of certain types and shapes. Destroy it after its calls have returned.
class PreparedOp {
 public:
  explicit PreparedOp(opsrun_prepared* prepared) : handle_(prepared) {}

  // [any] opsrun_prepared_output; i must be below their number.
  uint32_t n_outputs() const { return opsrun_prepared_n_outputs(get()); }
  const TensorInfo& output(uint32_t i) const { return *opsrun_prepared_output(get(), i); }

  // [any] opsrun_prepared_call with all inputs and all outputs. Throws Error.
  std::vector<Tensor> Call(const std::vector<View>& inputs, const RunOptions& options = {}) const {
    return detail::Call<opsrun_prepared_call>(get(), inputs, std::vector<opsrun_out>(n_outputs()), options);
  }
  // [any] The same, but the first into.size() outputs are written to memory of the caller. Throws Error.
  void CallInto(const std::vector<View>& inputs, const std::vector<MutableView>& into,
                const RunOptions& options = {}) const {
    detail::CallInto<opsrun_prepared_call>(get(), inputs, into, options);
  }
  // [any] opsrun_prepared_wait. Throws Error.
  void Wait() const {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_prepared_wait(get(), &report);
    detail::Require(code, report);
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

// The data type and shape of an input of a prepared op. `list`: it is an element of a list argument; the elements of
// one argument must be adjacent.
struct OpInput {
  std::string arg;  // the name of the argument in the op
  int32_t dtype;    // OPSRUN_DT_*
  std::vector<int64_t> shape;
  bool list = false;
};

// Which kernel a single op runs with: opsrun_prepare_options.
struct PrepareOptions {
  std::string device;  // where it runs, as in a graph file; empty: the engine's
  std::string label;   // the kernel of that label
};

// ---- Engines.

// A snapshot of the plugins that an engine knows: opsrun_listing.
class Plugins {
 public:
  explicit Plugins(opsrun_listing* listing) : handle_(listing) {}

  // [any] In the order of the search; i must be below size().
  uint32_t size() const { return opsrun_listing_count(handle_.get()); }
  const opsrun_plugin_info& operator[](uint32_t i) const { return *opsrun_listing_get(handle_.get(), i); }

 private:
  Handle<opsrun_listing, opsrun_listing_free> handle_;
};

// An op as its plugin declares it: opsrun_op_info. Use it like a pointer: info->json.
using OpInfo = std::unique_ptr<const opsrun_op_info, EndWith<opsrun_op_info_free>>;

// See opsrun_engine_options for the meaning of each field. Fields that are not set have their defaults.
struct EngineOptions {
  std::vector<std::string> plugins;  // directories to search first
  bool default_plugins = true;       // also search OPSRUN_PLUGIN_PATH and the default directories
  uint32_t threads = 0, callers = 0, cached_plans = 0;
  uint64_t memory_limit = 0, gpu_memory_limit = 0;
  std::string device;                // where nodes run that do not say it
  bool strict_placement = false;     // refuse a node whose op has no kernel for its device
  bool cuda_graphs = true;           // launch several nodes on a GPU as one CUDA graph, where that is possible
  bool allow_writable = false;       // accept plugins that other users can change or replace
  std::string repro_dir;             // a new folder for the first node that fails, with its inputs
  std::vector<std::string> isolate;  // plugins, and nodes whose plugins, run in processes of their own; "all", "none"
  uint32_t node_timeout_ms = 0;
  uint64_t child_memory = 0;
  bool sandbox = false;  // isolated plugins get no network, no new processes and no other files
  // It may be called until everything that keeps the engine alive, such as graphs and prepared ops, is destroyed. It
  // must not throw.
  void (*log)(void* log_ctx, const opsrun_log_line* line) = nullptr;
  void* log_ctx = nullptr;
};

// Plugins, threads, memory, and objects that kernels share. Engines are independent of each other.
//
// `warnings`, unless it is NULL, is set to the report of a successful call. flags: OPSRUN_GRAPH_*.
class Engine {
 public:
  // [any] opsrun_engine_create. Throws Error.
  explicit Engine(const EngineOptions& options = {}, Report* warnings = nullptr) {
    const std::vector<opsrun_str> plugins = detail::Strs(options.plugins);
    opsrun_engine_options given{};
    given.size = sizeof(given);
    given.flags = (options.default_plugins ? 0 : OPSRUN_ENGINE_NO_DEFAULT_PLUGINS) |
                  (options.strict_placement ? OPSRUN_ENGINE_STRICT_PLACEMENT : 0) |
                  (options.cuda_graphs ? 0 : OPSRUN_ENGINE_NO_CUDA_GRAPHS) |
                  (options.allow_writable ? OPSRUN_ENGINE_ALLOW_WRITABLE : 0) |
                  (options.sandbox ? OPSRUN_ENGINE_SANDBOX : 0);
    given.device = Str(options.device);
    given.plugins = plugins.data();
    given.n_plugins = static_cast<uint32_t>(plugins.size());
    given.threads = options.threads;
    given.callers = options.callers;
    given.cached_plans = options.cached_plans;
    given.memory_limit = options.memory_limit;
    given.gpu_memory_limit = options.gpu_memory_limit;
    given.repro_dir = Str(options.repro_dir);
    const std::vector<opsrun_str> isolate = detail::Strs(options.isolate);
    given.isolate = isolate.data();
    given.n_isolate = static_cast<uint32_t>(isolate.size());
    given.node_timeout_ms = options.node_timeout_ms;
    given.child_memory = options.child_memory;
    given.log = options.log;
    given.log_ctx = options.log_ctx;
    opsrun_engine* engine = nullptr;
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_create(&given, &engine, &report);
    handle_.reset(engine);
    detail::Require(code, report, warnings);
  }

  // [any] opsrun_engine_add_plugin. Returns the plugin's name. Throws Error.
  std::string AddPlugin(std::string_view path, Report* warnings = nullptr) {
    const auto call = [&](opsrun_text** name, opsrun_report** report) {
      return opsrun_engine_add_plugin(get(), Str(path), name, report);
    };
    return detail::TextOfCall(call, warnings);
  }

  // [any] opsrun_engine_attach. Throws Error.
  void Attach(std::string_view path, std::string_view file) {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_attach(get(), Str(path), Str(file), &report);
    detail::Require(code, report);
  }

  // [any] opsrun_engine_reload. Whether the file was replaced. Throws Error.
  bool Reload(std::string_view path) {
    int32_t changed = 0;
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_reload(get(), Str(path), nullptr, &changed, &report);
    detail::Require(code, report);
    return changed != 0;
  }

  // [any] opsrun_engine_trim.
  void Trim() const { detail::Require(opsrun_engine_trim(get())); }

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

  // [any] opsrun_graph_load_file. device: where nodes run that do not say it; empty: as the engine's options say.
  // Throws Error, whose report has all errors.
  Graph LoadFile(std::string_view path, uint32_t flags = 0, Report* warnings = nullptr,
                 std::string_view device = {}) const {
    const opsrun_graph_options options{sizeof(options), flags, Str(device)};
    return detail::MakeWith<Graph, opsrun_graph>(opsrun_graph_load_file, warnings, get(), Str(path), &options);
  }

  // [any] opsrun_graph_load_text. name: the name of the text in messages. Throws Error, whose report has all errors.
  Graph LoadText(std::string_view name, std::string_view text, uint32_t flags = 0, Report* warnings = nullptr,
                 std::string_view device = {}) const {
    const opsrun_graph_options options{sizeof(options), flags, Str(device)};
    return detail::MakeWith<Graph, opsrun_graph>(opsrun_graph_load_text, warnings, get(), Str(name), Str(text),
                                                 &options);
  }

  // [any] opsrun_engine_stream, opsrun_engine_order. Throw Error.
  void* Stream(opsrun_device device) const {
    void* stream = nullptr;
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_stream(get(), device, &stream, &report);
    detail::Require(code, report);
    return stream;
  }
  void Order(opsrun_device device, void* first, void* then) const {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_order(get(), device, first, then, &report);
    detail::Require(code, report);
  }

  // [any] opsrun_engine_prepare. Throws Error.
  PreparedOp Prepare(std::string_view op, const std::vector<OpInput>& inputs, const std::vector<Attr>& attrs = {},
                     const PrepareOptions& options = {}, Report* warnings = nullptr) const {
    std::vector<opsrun_op_input> given;
    for (const OpInput& input : inputs) {
      given.push_back({Str(input.arg), input.dtype, static_cast<int32_t>(input.shape.size()), input.shape.data(),
                       input.list ? 1u : 0u, 0});
    }
    const std::vector<opsrun_attr> values = detail::AttrsOf(attrs);
    opsrun_prepare_options wish{};
    wish.size = sizeof(wish);
    wish.device = Str(options.device);
    wish.label = Str(options.label);
    return detail::MakeWith<PreparedOp, opsrun_prepared>(opsrun_engine_prepare, warnings, get(), Str(op), given.data(),
                                                         static_cast<uint32_t>(given.size()), values.data(),
                                                         static_cast<uint32_t>(values.size()), &wish);
  }

  opsrun_engine* get() const { return handle_.get(); }

 private:
  Handle<opsrun_engine, opsrun_engine_destroy> handle_;
};

// ---- Building graphs with function calls.

// The source of an argument of a node: the name of a feed or node, "node.output", "node.output.0".
struct NodeInput {
  NodeInput(std::string source) : from{std::move(source)} {}
  NodeInput(const char* source) : from{source} {}
  // A list, even with one element or none.
  static NodeInput List(std::vector<std::string> sources) {
    NodeInput input{std::string()};
    input.from = std::move(sources);
    input.list = true;
    return input;
  }
  // For the argument of that name. Either all inputs of a node have a name, or none.
  NodeInput For(std::string name) && {
    arg = std::move(name);
    return std::move(*this);
  }

  std::string arg;
  std::vector<std::string> from;
  bool list = false;
};

// Optional properties of a node.
struct NodeOptions {
  std::vector<std::string> after;  // nodes that must run first
  std::string label;               // label of the kernel
  std::string device;              // where it runs, as in a graph file
};

// Builds a graph file, one part per call; errors are found when the graph is loaded. [one]; functions that can fail
// throw Error.
class Builder {
 public:
  // opsrun_builder_create.
  Builder() {
    opsrun_builder* builder = nullptr;
    detail::Require(opsrun_builder_create(&builder));
    handle_.reset(builder);
  }

  // opsrun_builder_feed: a feed of any shape, or of the given shape, where -1 is any size.
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
    node.device = Str(options.device);
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_builder_node(get(), &node, &report);
    detail::Require(code, report);
  }

  // opsrun_builder_output.
  void Output(std::string_view name, std::string_view from) {
    detail::Require(opsrun_builder_output(get(), Str(name), Str(from)));
  }

  // opsrun_builder_to_yaml: the text of the graph file.
  std::string ToYaml() const { return detail::TextFrom<opsrun_builder_to_yaml>(get()); }

  // opsrun_builder_load. The report of an Error has all errors, with their places in the text that ToYaml returns.
  Graph Load(const Engine& engine, std::string_view name, uint32_t flags = 0, Report* warnings = nullptr,
             std::string_view device = {}) const {
    const opsrun_graph_options options{sizeof(options), flags, Str(device)};
    return detail::MakeWith<Graph, opsrun_graph>(opsrun_builder_load, warnings, get(), engine.get(), Str(name),
                                                 &options);
  }

  opsrun_builder* get() const { return handle_.get(); }

 private:
  Handle<opsrun_builder, opsrun_builder_destroy> handle_;
};

}  // namespace opsrun::embed

#endif  // OPSRUN_EMBED_HPP_
