// host/embed/objects.h: the objects behind the handles of the C interface. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/engine/graph_builder.h"
#include "host/engine/op_cache.h"
#include "host/engine/typed_op.h"
#include "opsrun/embed_host.h"

struct opsrun_engine {
  std::shared_ptr<opsrun::host::Engine> engine;
  uint32_t cached_plans = 64;
  std::shared_ptr<opsrun::host::OpCache> ops;
};

struct opsrun_typed_op {
  explicit opsrun_typed_op(std::shared_ptr<const opsrun::host::TypedOp> typed);

  std::shared_ptr<const opsrun::host::TypedOp> op;
  opsrun_typed_op_info info{};
  std::vector<int32_t> types;  // of inputs, then of outputs
};

struct opsrun_kernel_object {
  explicit opsrun_kernel_object(std::shared_ptr<const opsrun::host::KernelObject> made);

  std::shared_ptr<const opsrun::host::KernelObject> kernel;
  opsrun_kernel_object_info info{};
};

struct opsrun_stop {
  opsrun::host::StopSignal signal;
};

struct opsrun_builder {
  opsrun::host::GraphBuilder graph;
};

namespace opsrun::host {

// Feeds or outputs as the C interface returns them.
class TensorInfos {
 public:
  // `shape` is ignored if rank_known is false.
  void Add(std::string name, DType dtype, bool rank_known, Shape shape);
  size_t size() const { return infos_.size(); }
  const opsrun_tensor_info* Get(uint32_t i) const { return i < infos_.size() ? &infos_[i]->info : nullptr; }
  int32_t Find(opsrun_str name) const;  // -1: not found

 private:
  struct Info {
    std::string name;
    Shape shape;
    opsrun_tensor_info info{};
  };
  std::vector<std::unique_ptr<Info>> infos_;
};

}  // namespace opsrun::host

struct opsrun_graph {
  opsrun_graph(std::shared_ptr<opsrun::host::LoadedGraph> loaded, size_t most_plans)
      : callable(std::move(loaded), most_plans), cached_plans(most_plans) {}

  opsrun::host::CallableGraph callable;
  const size_t cached_plans;
  opsrun::host::TensorInfos feeds, outputs;
};

namespace opsrun::host {

LoadOptions OptionsOf(const opsrun_graph_options* given);

// The inputs of an op. F305 for what cannot be a tensor. without_shapes: shapes are ignored, and handles are allowed.
std::vector<OpInput> ReadInputs(std::span<const opsrun_op_input> inputs, bool without_shapes, Diagnostics& diagnostics);

// Takes the graph if it has no errors; reports errors and warnings in any case.
int32_t TakeGraph(size_t cached_plans, std::shared_ptr<LoadedGraph> loaded, opsrun_graph** graph,
                  opsrun_report** report);

// The same as Report with the source of `about`.
int32_t Report(Diagnostics diagnostics, const LoadedGraph& about, opsrun_report** report);

}  // namespace opsrun::host

struct opsrun_prepared {
  explicit opsrun_prepared(std::shared_ptr<opsrun::host::PreparedOp> made);

  std::shared_ptr<opsrun::host::PreparedOp> op;
  opsrun::host::TensorInfos outputs;
};
