// host/cli/measure/bench_op.h: measures one op of a plugin without a graph: a graph with one node is made for each
// size. All times are in nanoseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/cli/measure/measure.h"
#include "host/cli/session.h"
#include "host/spec/op_def.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// What the command line says about the op.
struct BenchedOp {
  std::string op;             // empty: the plugin's only one
  std::vector<Shape> shapes;  // one for all inputs, or one for each; none: vectors from cache to memory
  std::optional<DType> dtype;
  std::vector<std::pair<std::string, Value>> attrs;
  uint64_t flops = 0;  // floating-point operations of one call; 0: unknown
  bool empty() const { return op.empty() && shapes.empty() && !dtype && attrs.empty() && flops == 0; }
};

// --op, --shape, --dtype, --attr, --flops; or without --op
void AddBenchedOp(Options& options, BenchedOp& request);
void AddBenchedInputs(Options& options, BenchedOp& request);

// True for the name of a shared library. False: it is that of a graph.
bool IsLibraryName(const std::string& file);

// The text of the graph that has one node of the op `plugin`.`op` and random inputs. input_bytes: of all inputs
// together, if the request has no shapes. Errors: U003, U005.
std::optional<std::string> OneNodeGraph(const std::string& plugin, const spec::OpDef& op, const BenchedOp& request,
                                        size_t input_bytes, Diagnostics& diagnostics);

// The node, measured with inputs of one size.
struct OpSize {
  std::vector<std::string> inputs;  // "float32 [1024]"
  double input_bytes = 0;
  std::optional<double> bytes;  // read and written, by shape; nothing if an output's shape is unknown before the run
  Summary run;
  bool stable = false;
  double copy_ns = 0;                 // memcpy that reads and writes as many bytes; 0: not measured
  double temporary_bytes = 0;         // that the kernel took while it ran
  double workspace_bytes = 0;         // planned before the run
  std::optional<double> old_ns;       // of the other plugin, measured before
  std::optional<Summary> ratio;       // new time / old time, of turns in which both ran
  std::optional<double> alone_ns;     // on one thread
  std::optional<double> alone_waits;  // how often it waited in a run on one thread
};

struct OpReport {
  std::string plugin_file, op, dtype, device, cpu;
  std::string compared_with;  // a file; may be empty
  uint32_t threads = 1;
  double peak_flops = 0;  // 0: not measured
  std::string peak_dtype;
  uint64_t flops = 0;
  std::vector<OpSize> sizes;  // smallest first
};

// Measures for about measure_ms, and compares with the op of another plugin file, unless that is empty. options: how to
// run; it has no graph. Returns an exit status, after messages unless it is kExitOk.
int MeasureOp(const std::string& file, const std::string& old_file, const BenchedOp& request,
              const GraphOptions& options, const CommonOptions& common, uint64_t measure_ms, Console& console,
              OpReport& report);

// A table with a row for each size, and what the author could look at.
std::string OpReportText(const OpReport& report);
std::string OpReportJson(const OpReport& report);

// Sentences about what was measured: one for each thing that the author may be able to change.
std::vector<std::string> AdviceFor(const OpReport& report);

}  // namespace opsrun::host
