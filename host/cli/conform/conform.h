// host/cli/conform/conform.h: checks an op by its spec alone. Read this first.
//
// A check asks one question about an op, on problems that are drawn for it. The checks of an op run one after the other
// in a process of their own, which says what it does in lines; if it ends, another one goes on behind the check that
// ended it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/conform/test_host.h"
#include "host/engine/engine.h"
#include "host/engine/loaded_graph.h"
#include "host/graph/graph.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// A node of the op that its shape function and its kernel accept.
struct Problem {
  uint64_t seed = 0;
  DType type = DType::kInvalid;
  std::string text;  // "x float32 [2, 3], axis int32 [1] = [1]; keep_dims: true"
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const TypedOp> op;
  std::shared_ptr<const KernelObject> kernel;
  CallInputs call;
  std::vector<Tensor> expected;  // what the kernel computes in an ordinary call
};

// What a check uses. Problems are those of all types.
struct Tested {
  Engine& engine;
  const RegisteredOp& op;
  TestHost& host;
  const std::vector<Problem>& problems;
  std::function<void(const Problem&)> begins;  // called with each problem before code of the plugin gets it
};

// What is wrong.
struct Flaw {
  std::string message;               // a sentence: what happened, found and expected
  const Problem* problem = nullptr;  // on which
  bool skipped = false;              // the question cannot be answered here: why
  std::string advice;                // how it can be answered; empty: not, or the author need not know
};

enum class CheckStatus { kPassed, kFailed, kCrashed, kSkipped };
std::string_view WordOf(CheckStatus status);  // "PASSED"

struct Check {
  std::string_view name;
  std::string_view question;
  std::string_view advice;  // what to do if it fails
  std::string_view needs;   // checks whose failures would cause one of this check, with spaces between; may be empty
  bool compares = false;    // results of several calls, so ops with state are skipped
  // Nothing if the op passes. Null: `errors`, whose problems are those that the op does not accept.
  std::optional<Flaw> (*run)(const Tested& tested) = nullptr;
};

// In the order in which they run; the first one is `errors`.
std::span<const Check> AllChecks();

// One check of one op, as it is reported.
struct CheckResult {
  std::string check;
  CheckStatus status = CheckStatus::kSkipped;
  std::string message;  // why, unless it passed
  std::string advice;   // what to do
  std::string node;     // of the problem; empty: it is about none
  std::string type;
  uint64_t seed = 0;
};

struct OpResult {
  std::string op;
  std::vector<CheckResult> checks;  // in the order of AllChecks
  size_t problems = 0;              // that the op accepted
  double seconds = 0;

  bool Failed() const;
};

// What to check: the same for all ops.
struct ConformOptions {
  std::string file;                // of the plugin
  std::vector<std::string> words;  // of the program and its options, for the process that checks an op
  uint64_t seed = 0;
  bool one = false;   // only the problem of the seed
  std::string cases;  // --cases
};

// Checks ops in processes of their own, several at once. [main thread]
std::vector<OpResult> CheckOps(const ConformOptions& options, const std::vector<std::string>& ops);

// The part of such a process: checks one op and writes lines to `file`. order: what TestOrder::Text made.
struct TestOrder {
  std::string op;
  uint64_t seed = 0;
  bool one = false;
  size_t first_check = 0;
  std::vector<uint64_t> left_out;   // seeds whose problems ended an earlier process
  std::vector<std::string> failed;  // checks

  std::string Text() const;
  static std::optional<TestOrder> Read(const std::string& text);
};
void RunOrder(Engine& engine, const Plugin& plugin, const TestOrder& order, const Graph* cases, int file);

// Draws problems until there are enough for each type that the op and its kernels allow.
struct Drawn {
  std::vector<Problem> problems;
  std::optional<Flaw> failure;  // of `errors`
  std::string failed_node;      // on which
  uint64_t failed_seed = 0;
  DType failed_type = DType::kInvalid;
  std::string why_none;  // if there are no problems
};
struct DrawOptions {
  uint64_t seed = 0;
  bool one = false;
  bool try_rejected = true;  // call the kernel with problems that the shape function rejects
  std::vector<uint64_t> left_out;
  const Graph* cases = nullptr;
  std::function<void(uint64_t seed, DType type, const std::string& node)> begins;  // before code of the plugin gets it
};
Drawn DrawProblems(Engine& engine, const RegisteredOp& op, TestHost& host, const DrawOptions& options);

// Draws the node of a problem whose seed and type are set, without code of the plugin. False if there are no values for
// an input: *unsupported then says so; or if they are too large. Handles are null.
bool DrawNode(const RegisteredOp& op, Problem& problem, std::string* unsupported);
// Fills in what the shape function says about the outputs. False, and the reason, if it rejects the inputs.
bool InferOutputShapes(Problem& problem, std::string* reason, bool* too_large);
// As Problem::text. Few integers are shown: they decide what the op does.
std::string TextOf(const Graph& graph, const std::vector<Tensor>& inputs);

// The problems that --cases adds: the nodes of the op in a graph whose inputs are all feeds with a value there.
// *reason: why another node of the op is none. Their seeds count downwards from the highest. null: no cases.
std::vector<Problem> ProblemsOfCases(const Graph* cases, const RegisteredOp& op, std::string* reason);
inline constexpr std::string_view kCaseText = "case '";  // how the texts of these problems begin

// Writes the node of a problem as the folder of --repro-dir, which `opsrun run` runs. The message says why it cannot.
Status WriteProblem(Engine& engine, const RegisteredOp& op, uint64_t seed, DType type, const std::string& folder);

// Empty if both are equal; otherwise the first difference: "output 'y'[1, 2] is 3, expected 4". exact: bit by bit, but
// for NaN; otherwise numbers may differ as much as another order of a sum changes them.
std::string Difference(const Problem& problem, const std::vector<Tensor>& found, const std::vector<Tensor>& expected,
                       bool exact);

// Reports.
std::string ConformText(const ConformOptions& options, const std::vector<OpResult>& ops);
std::string ConformJson(const ConformOptions& options, const std::vector<OpResult>& ops);
std::string ConformJunit(const ConformOptions& options, const std::vector<OpResult>& ops);
std::vector<Diagnostic> DescribeOpResult(const ConformOptions& options, const OpResult& op);

}  // namespace opsrun::host
