// tests/host/run/random_graph.h: random graphs over the ops of reference_ops.h, and runs of them, compared with what
// their ops must compute.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "host/run/lane.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/reference_ops.h"

namespace opsrun::host::reference {

// A graph over the constants x and large and the declared feeds d and e, and what it must compute.
class RandomGraph {
 public:
  // fixed: d has four elements and e has two in each run, and the graph says so.
  explicit RandomGraph(unsigned seed, bool fixed = false) : fixed_(fixed), random_(seed) {
    names_ = {"large", "x", "d", "e"};
    texts_ = {false, false, false, false};
    const size_t nodes = 1 + Below(25);
    for (size_t node = 0; node < nodes; ++node) AddNode("n" + std::to_string(node));
    std::shuffle(lines_.begin(), lines_.end(), random_);
    do AddOutput(Below(names_.size()));
    while (Below(4) != 0);
    if (outputs_.empty()) AddOutput(0);
  }
  std::string Yaml() const {
    std::string text = std::string(
                           "feeds:\n  x: {value: [3, 1, 4, 1, 5], dtype: int32}\n"
                           "  large: {fill: 7, shape: [40], dtype: int32}\n") +
                       (fixed_ ? "  d: {dtype: int32, shape: [4]}\n  e: {dtype: int32, shape: [2]}\n"
                               : "  d: {dtype: int32, shape: [-1]}\n  e: {dtype: int32}\n") +
                       "nodes:\n";
    for (const std::string& line : lines_) text += line;
    text += "outputs: [";
    for (const size_t output : outputs_) text += names_[output] + ", ";
    return text + "]\n";
  }
  bool fixed() const { return fixed_; }
  Rows Expected(const Row& d, const Row& e) const {
    Rows values = {Row(40, 7), {3, 1, 4, 1, 5}, d, e};
    for (const Step& step : steps_) {
      Rows in;
      for (const size_t value : step.inputs) in.push_back(values[value]);
      for (Row& out : step.op->expected(in, step.outputs)) values.push_back(std::move(out));
    }
    Rows outputs;
    for (const size_t output : outputs_) outputs.push_back(values[output]);
    return outputs;
  }

 private:
  struct Step {
    const Op* op;
    std::vector<size_t> inputs;
    size_t outputs;
  };

  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  // Mostly a late one, so that there are chains.
  size_t SomeValue(bool text) {
    const size_t reach = std::min(names_.size(), 3 + Below(8));
    for (int tries = 0; tries < 100; ++tries) {
      const size_t value = names_.size() - 1 - Below(tries < 50 ? reach : names_.size());
      if (texts_[value] == text) return value;
    }
    return names_.size();
  }
  void AddNode(const std::string& name) {
    size_t which = Below(Ops().size());
    while (fixed_ && Ops()[which].shape == nullptr && Below(8) != 0) which = Below(Ops().size());
    const Op& op = Ops()[which];
    const std::string& first = op.strings.inputs[0];
    const bool list_in = first.find('*') != std::string::npos, reads_texts = first.find("string") != std::string::npos;
    const bool list_out = op.strings.outputs[0].find('*') != std::string::npos;
    Step step{&op, {}, list_out ? 1 + Below(3) : op.strings.outputs.size()};
    const size_t inputs = list_in ? 1 + Below(3) : op.strings.inputs.size();
    std::string in;
    for (size_t i = 0; i < inputs; ++i) {
      step.inputs.push_back(SomeValue(reads_texts));
      if (step.inputs.back() == names_.size()) return;
      in += (i > 0 ? ", " : "") + names_[step.inputs.back()];
    }
    const std::string attrs = list_out ? ", attrs: {N: " + std::to_string(step.outputs) + "}" : "";
    const std::string after = !nodes_.empty() && Below(5) == 0 ? ", after: " + nodes_[Below(nodes_.size())] : "";
    lines_.push_back("  " + name + ": {op: " + op.strings.name + ", in: [" + in + "]" + attrs + after + "}\n");
    for (size_t i = 0; i < step.outputs; ++i) {
      const std::string& arg = op.strings.outputs[list_out ? 0 : i];
      names_.push_back(name + "." + arg.substr(0, arg.find(':')) + (list_out ? "." + std::to_string(i) : ""));
      texts_.push_back(arg.find("string") != std::string::npos);
    }
    nodes_.push_back(name);
    steps_.push_back(std::move(step));
  }
  void AddOutput(size_t value) {
    if (!texts_[value] && std::count(outputs_.begin(), outputs_.end(), value) == 0) outputs_.push_back(value);
  }

  const bool fixed_;
  std::mt19937 random_;
  std::vector<std::string> names_;  // by value: how the graph refers to it
  std::vector<bool> texts_;         // by value: of texts, which stand for their lengths
  std::vector<std::string> nodes_, lines_;
  std::vector<Step> steps_;
  std::vector<size_t> outputs_;
};

// One graph at a time, and a lane of it.
class RandomRun {
 protected:
  RandomRun() {
    AddTo(ops_);
    fails_in = -1;
  }
  // Destroys what uses the host's table; to be called before the devices are destroyed.
  void End() {
    lane_.reset();
    ops_.Forget();
    host_.reset();
  }

  void Plan(unsigned seed, int threads, bool fixed = false) {
    lane_.reset();
    graph_.emplace(seed, fixed);
    plan_ = ops_.Make(graph_->Yaml(), host_.get(), {}, threads);
    ASSERT_NE(plan_, nullptr) << ops_.Found() << graph_->Yaml();
    pool_ = std::make_unique<ThreadPool>(threads);
  }
  // False if the device has not enough memory.
  bool MakeLane(bool capture = true) {
    LaneContext context{cpu_, host_.get(), pool_.get()};
    context.options.no_cuda_graphs = !capture;
    context.options.keep_going = ops_.keep_going;
    Result<std::unique_ptr<Lane>> lane = Lane::Create(*plan_, context);
    if (lane.ok()) lane_ = *std::move(lane);
    EXPECT_TRUE(lane.ok() || lane.status().code() == OPSRUN_RESOURCE_EXHAUSTED);
    return lane.ok();
  }
  // Feeds rows that depend on the run.
  std::optional<RunFailure> RunWith(int run) {
    const auto length = graph_->fixed() ? 4 : static_cast<size_t>(run * 7 % 5);
    d_.assign(length, run);
    e_.assign((length + 3) % 5, 100 - run);
    if (length > 0) d_[0] = 2 * run;
    EXPECT_TRUE(lane_->SetFeed("d", TensorOf(d_)).ok());
    EXPECT_TRUE(lane_->SetFeed("e", TensorOf(e_)).ok());
    return lane_->Run();
  }
  // Of the outputs that are there.
  void ExpectRight() {
    const Rows expected = graph_->Expected(d_, e_);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!lane_->HasOutput(i)) continue;
      EXPECT_EQ(ValuesOf(lane_->Output(i)), expected[i]) << "output " << i << "\n" << graph_->Yaml();
    }
  }
  // Whichever of so many calls fails: a run that keeps going makes others as it must, and the next run makes all.
  void ExpectToKeepGoing(size_t calls) {
    for (int call = 0; call < static_cast<int>(calls) && !::testing::Test::HasFailure(); ++call) {
      reference::fails_in = call;
      const std::optional<RunFailure> failure = RunWith(call);
      ASSERT_TRUE(failure.has_value()) << graph_->Yaml();
      EXPECT_EQ(failure->status.code(), OPSRUN_ABORTED);
      EXPECT_TRUE(failure->more.empty());
      ExpectRight();
      reference::fails_in = -1;
      ExpectARightRun(call + 1);
    }
  }
  void ExpectARightRun(int run) {
    const std::optional<RunFailure> failure = RunWith(run);
    ASSERT_FALSE(failure.has_value()) << failure->status.message() << "\n" << graph_->Yaml();
    ExpectRight();
  }

  Device* cpu_ = nullptr;
  std::shared_ptr<const opsrun_host> host_;
  InProcessOps ops_;
  std::unique_ptr<ThreadPool> pool_;
  std::optional<RandomGraph> graph_;
  const host::Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
  Row d_, e_;
};

}  // namespace opsrun::host::reference
