// host/cli/judge/judge.h: compares an op of a plugin with a reference, for results and for speed, so that a kernel that
// only pretends to compute is found out. Read this first.
//
// Candidate and reference run in processes of their own (worker.h), which are stopped unless they carry out an order.
// For each order, the judge writes fresh values at fresh places of the shared memory, and random bytes where outputs
// go. An order is many calls if a kernel is short; all results of all calls are compared, and the times of the same
// calls are what is reported. The reference computes what is expected after the candidate has answered, so the
// candidate cannot find it anywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/cli/conform/conform.h"
#include "host/cli/judge/exchange.h"
#include "host/cli/measure/bench_op.h"
#include "host/cli/measure/measure.h"
#include "host/cli/measure/measure_graph.h"
#include "host/engine/engine.h"
#include "host/gradient/gradient_text.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// How the values of an input are made anew for each call.
enum class Fresh {
  kAny,      // real numbers and integers of both signs and several magnitudes
  kNear,     // real numbers from 0.5 to 1.5; integers between those of the given tensor
  kShuffle,  // the given ones, in another order
  kKeep,     // the given ones: the op accepts no others
};

// A node with inputs of fixed types and shapes, as both sides run it.
struct Sample {
  enum class Origin {
    kStated,  // the command line or --cases asks for it: it is measured
    kNear,    // of other sizes than a stated one, drawn for this run: it is measured too
    kSmall,   // drawn as `opsrun test` does: only its results are compared
  };
  Origin origin = Origin::kSmall;
  std::string text;                  // "x float32 [2, 3]; axis: 1"
  std::vector<std::string> outputs;  // names
  std::vector<Tensor> given;         // inputs
  std::vector<Fresh> fresh;          // by input
  PlanRequest candidate, reference;
  std::vector<size_t> order;            // by feed of the reference: which input
  std::shared_ptr<CallablePlan> exact;  // the reference in higher precision; null: there is none
  DType narrow = DType::kInvalid;       // of what `exact` makes wider

  bool is_measured() const { return origin != Origin::kSmall; }
  size_t bytes() const;  // of all tensors of a call
  // The inputs of calls, each with all of the op's, as the reference's feeds.
  std::vector<Tensor> ForReference(std::span<const Tensor> inputs) const;
};

// What both sides are.
struct Sides {
  std::string candidate_file, reference_file;
  Engine* engine = nullptr;          // of the reference, in this process
  Engine* op_engine = nullptr;       // that of `op`
  const RegisteredOp* op = nullptr;  // the reference's; with a graph, the candidate's, whose code is in another process
  std::string candidate_plugin;      // its name
  std::shared_ptr<const LoadedGraph> graph;  // the reference, if it is a graph
  std::string graph_text;
};

// Makes samples of problems. Not thread-safe.
class SampleMaker {
 public:
  explicit SampleMaker(const Sides& sides, uint64_t seed) : sides_(sides), draws_(seed) {}

  // Finds out which fresh values the reference accepts. The status says why the problem cannot be judged.
  Result<Sample> Make(const Problem& problem, Sample::Origin origin);
  // The same node with other sizes: up to a quarter smaller for kNear, any smaller ones for kSmall. Nothing if the
  // reference accepts none.
  std::optional<Sample> MakeOther(const Problem& problem, Sample::Origin origin);

 private:
  Status FindFresh(const std::shared_ptr<CallablePlan>& plan, Sample& sample);
  void FindExact(Sample& sample);
  Status FindReference(const Problem& problem, Sample& sample) const;

  const Sides& sides_;
  Draws draws_;
};

// The tensor with fresh values. Null data if memory runs out: see Result.
Result<Tensor> MakeFresh(Fresh fresh, const Tensor& given, uint64_t seed);

// One call of the first copy in this process.
Result<std::vector<Tensor>> CallHere(CallablePlan& plan, std::span<const Tensor> inputs);

// How far numbers are from exact ones, in units of the last place: of half of them, of 99 in 100, and of all.
struct ErrorSpread {
  std::vector<double> errors;

  void Add(const Tensor& found, const Tensor& exact);
  double At(double quantile);  // sorts; 0 without errors
};

// One row of the report.
struct JudgedSize {
  std::string text;
  bool stated = false;
  uint32_t calls = 1;                         // in one order
  double candidate_ns = 0, reference_ns = 0;  // of a call: medians
  Summary ratio;                              // candidate / reference, of orders in turns
  double least_ns = 0;                        // what the machine needs to write the outputs, or for --flops
};

struct JudgeCheck {
  std::string_view name;
  std::string_view question;
};
// `spec` is the first.
std::span<const JudgeCheck> JudgeChecks();

struct Judged {
  std::string op;
  std::vector<CheckResult> checks;  // in the order of JudgeChecks
  std::vector<JudgedSize> sizes;
  uint64_t calls = 0;  // of the candidate: all of them were compared
  size_t samples = 0;
  double candidate_error = 0, reference_error = 0;  // of 99 in 100 numbers, in units of the last place; 0: not measured
  std::string gaps;                                 // of the candidate's sandbox
  double late_share = 0;                            // of the candidate's time: after its answers
  double processors = 0, reference_processors = 0;  // that were busy on average
  std::optional<Interval> ratio;                    // of all sizes, candidate / reference
  double median_ratio = 0;

  bool Failed() const;
  // False: nothing is known about it.
  bool HasVerdict() const { return Failed() || calls > 0; }
};

struct JudgeOptions {
  std::string against;  // a plugin file or a graph; empty: no judge
  BenchedOp request;    // its shapes, type, attrs and number of operations
  uint64_t measure_ms = kMeasureMs;
  uint32_t threads = 0;  // 0: one for each processor
  bool sandbox = false;
  bool warm = false;      // caches are left as writing the inputs leaves them
  uint64_t accuracy = 1;  // how many times the reference's error is allowed
  uint64_t seed = 0;
  // Whether the command line says anything about the comparison.
  bool IsSet() const {
    return !against.empty() || !request.empty() || threads != 0 || sandbox || warm || accuracy != 1 ||
           measure_ms != kMeasureMs;
  }
  WorkerOrder order;  // where a graph's ops are found, and the level
};

// Judges one op. why_none: why there are no problems. Everything that is wrong is in the result.
Judged JudgeOp(const Sides& sides, const JudgeOptions& options, std::span<const Problem> stated,
               std::span<const Problem> small, const std::string& why_none);

// Reports.
std::string JudgeText(const JudgeOptions& options, const Sides& sides, const std::vector<Judged>& ops);
std::string JudgeJson(const JudgeOptions& options, const Sides& sides, const std::vector<Judged>& ops);
std::vector<Diagnostic> DescribeJudged(const JudgeOptions& options, const Judged& judged);

}  // namespace opsrun::host
