// tests/host/plan/in_process_ops.h: ops and kernels that live in the test itself, graphs over them, and kernels of
// int32 with what these are written with: rows, and a host table without an engine. A test adds ops, plans a YAML text,
// and looks at the plan or at what was found wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/device/device.h"
#include "host/graph/read_graph.h"
#include "host/plan/build_plan.h"
#include "host/plan/call_arrays.h"
#include "host/plugin/plugin.h"
#include "host/run/host_table.h"
#include "host/spec/parse_op.h"
#include "opsrun/c_api.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::host {

using ShapeFn = int32_t (*)(void*, opsrun_shape_call*);
using ComputeFn = int32_t (*)(void*, opsrun_call*);
using CreateFn = int32_t (*)(void*, opsrun_create*, void**);

inline int32_t CreateNothing(void*, opsrun_create*, void** kernel) {
  *kernel = nullptr;
  return OPSRUN_OK;
}
inline void DestroyNothing(void*) {}
inline int32_t ComputeNothing(void*, opsrun_call*) {
  return OPSRUN_OK;
}

// Output 0 has the shape of input 0.
inline int32_t SameShape(void*, opsrun_shape_call* call) {
  return call->host->set_output_shape(call, 0, call->in[0]);
}

// Output 0 has the shape that the elements of input 0 are, if they are known without running anything.
inline int32_t ShapeOfElements(void*, opsrun_shape_call* call) {
  const opsrun_shape* shape = nullptr;
  if (int32_t code = call->host->want_value(call, 0, nullptr, &shape)) return code;
  return shape == nullptr ? OPSRUN_OK : call->host->set_output_shape(call, 0, shape);
}

inline opsrun_str C(const char* text) {
  return {text, std::char_traits<char>::length(text)};
}

class InProcessOps {
 public:
  // Adds an op with one CPU kernel.
  void Add(spec::OpStrings strings, ShapeFn shape, ComputeFn compute = ComputeNothing,
           CreateFn create = CreateNothing) {
    AddOp(strings, shape);
    AddKernel(strings.name, compute, create);
  }

  void AddOp(const spec::OpStrings& strings, ShapeFn shape) {
    RegisteredOp& op = plugin_->ops.emplace_back();
    op.plugin = plugin_.get();
    const std::vector<spec::SpecError> errors = spec::ParseOp(strings, &op.def);
    ASSERT_TRUE(errors.empty()) << spec::SpecErrorsText(strings.name, errors);
    op.shape = shape;
  }

  RegisteredKernel& AddKernel(const std::string& op, ComputeFn compute, CreateFn create = CreateNothing) {
    RegisteredKernel& kernel = plugin_->kernels.emplace_back();
    kernel.plugin = plugin_.get();
    kernel.def.op = op;
    kernel.def.device = "CPU";
    kernel.create = create;
    kernel.compute = compute;
    kernel.destroy = DestroyNothing;
    return kernel;
  }

  RegisteredKernel& LastKernel() { return plugin_->kernels.back(); }
  void OfferInterfaces(const void* (*query)(opsrun_str)) { plugin_->query = query; }

  // The nodes, feeds and outputs of `yaml` (its first line is added) as a plan; null after an error.
  const Plan* Make(const std::string& yaml, const opsrun_host* host = PlanTable(),
                   std::map<std::string, FeedType> feeds = {}, int threads = 1) {
    Load();
    auto source = std::make_shared<const SourceFile>(SourceFile{"test.yaml", "opsrun: 1\n" + yaml});
    std::optional<Graph> graph = ReadGraph(source, diagnostics);
    if (!graph) return nullptr;
    PlanInputs inputs;
    inputs.graph = std::make_shared<const Graph>(*std::move(graph));
    inputs.catalog = &catalog_;
    inputs.loaded = &loaded_;
    inputs.host = host;
    inputs.feeds = std::move(feeds);
    inputs.devices = devices;
    inputs.device = device;
    inputs.strict_placement = strict_placement;
    inputs.threads = threads;
    inputs.run_ahead = run_ahead;
    inputs.resolution = resolution;
    inputs.whole_steps = whole_steps;
    inputs.keep_going = keep_going;
    plan_ = BuildPlan(inputs, diagnostics);
    return plan_.get();
  }

  // The ops as a plugin of an engine.
  std::shared_ptr<const Plugin> plugin() {
    Load();
    return plugin_;
  }

  // Destroys the plan that Make returned last, and with it its kernels.
  void Forget() { plan_.reset(); }

  // "G204 4:12", a line each, in the order found.
  std::string Places() const {
    return Lines([](const Diagnostic&) { return std::string(); });
  }
  // "G204 4:12 no feed or node named 'y'": for whoever reads why a test failed.
  std::string Found() const {
    return Lines([](const Diagnostic& d) { return " " + d.message; });
  }

  Diagnostics diagnostics;
  Devices* devices = nullptr;
  std::string device = kCpuName;
  bool strict_placement = false;
  bool whole_steps = false;
  bool keep_going = false;
  RunAhead run_ahead;
  Resolution* resolution = nullptr;

 private:
  template <typename More>
  std::string Lines(const More& more) const {
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) {
      text += std::string(d.code.text()) + " " + std::to_string(d.where.begin.line) + ":" +
              std::to_string(d.where.begin.column) + more(d) + "\n";
    }
    return text;
  }

  void Load() {
    if (!catalog_.entries.empty()) return;
    CatalogEntry entry;
    entry.path = "test.so";
    entry.note.name = "test";
    for (const RegisteredOp& op : plugin_->ops) entry.note.ops.push_back(op.def.name);
    catalog_.entries.push_back(entry);
    plugin_->path = entry.path;
    plugin_->name = entry.note.name;
    plugin_->version = "1.2";
    RegistryBuilder builder(catalog_);
    builder.Add(0, plugin_);
    loaded_.registry = builder.Finish();
  }

  const std::shared_ptr<Plugin> plugin_ = std::make_shared<Plugin>();
  Catalog catalog_;
  LoadResult loaded_;
  std::unique_ptr<const Plan> plan_;
};

using Row = std::vector<int32_t>;

inline int32_t* Ints(const opsrun_tensor* t) {
  return static_cast<int32_t*>(t->data);
}
inline int64_t Count(const opsrun_tensor* t) {
  return t->rank == 0 ? 1 : t->shape[0];
}
inline Row RowOf(const opsrun_tensor* t) {
  return {Ints(t), Ints(t) + Count(t)};
}

// Allocates output i for the row, and fills it.
inline int32_t Put(opsrun_call* call, uint32_t i, const Row& row) {
  const auto n = static_cast<int64_t>(row.size());
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, i, 1, &n, &out)) return code;
  std::copy(row.begin(), row.end(), Ints(out));
  return OPSRUN_OK;
}
// Allocates output 0 like input 0.
inline int32_t AllocateLikeInput(opsrun_call* call, opsrun_tensor** out) {
  return call->host->allocate_output(call, 0, call->in[0]->rank, call->in[0]->shape, out);
}
// Sets output 0 to a temporary of that shape, which fill(temporary) fills.
template <typename Fill>
int32_t SetToTemporary(opsrun_call* call, int32_t rank, const int64_t* shape, const Fill& fill) {
  const opsrun_tensor* temp = nullptr;
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, rank, shape, 0, &temp)) return code;
  fill(*temp);
  const int32_t code = call->host->set_output(call, 0, temp);
  call->host->release(temp);
  return code;
}

// y[i] = x[i] + 1
inline int32_t AddOne(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = AllocateLikeInput(call, &out)) return code;
  for (int64_t i = 0; i < Count(out); ++i) Ints(out)[i] = Ints(call->in[0])[i] + 1;
  return OPSRUN_OK;
}

inline const opsrun_host* HostTable() {
  static const std::shared_ptr<const opsrun_host> table = MakeHostTable(OpenCpuDevice());
  return table.get();
}

inline Tensor TensorOf(const std::vector<int32_t>& row) {
  return *Tensor::CopyOf(DType::kInt32, {static_cast<int64_t>(row.size())}, row.data());
}
inline std::vector<int32_t> ValuesOf(const Result<Tensor>& tensor) {
  const auto* data = static_cast<const int32_t*>(tensor->data());
  return {data, data + tensor->num_elements()};
}

}  // namespace opsrun::host
