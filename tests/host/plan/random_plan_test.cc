// tests/host/plan/random_plan_test.cc: plans of random graphs keep every promise of plan.h, compared pair by pair.
// SPDX-License-Identifier: Apache-2.0
#include "tests/host/run/random_graph.h"

namespace opsrun::host {
namespace {

using Memory = PlanValue::Memory;

class RandomPlanTest : public ::testing::TestWithParam<unsigned> {
 protected:
  RandomPlanTest() { reference::AddTo(ops_); }

  void Look(const Plan& plan) {
    plan_ = &plan;
    in_order_ = nullptr;
    task_of_.assign(plan.steps.size(), 0);
    before_.assign(plan.tasks.size(), std::vector<bool>(plan.tasks.size(), false));
    for (uint32_t t = 0; t < plan.tasks.size(); ++t) {
      for (uint32_t s = 0; s < plan.tasks[t].count; ++s) task_of_[plan.tasks[t].first + s] = t;
      for (const uint32_t next : plan.tasks[t].next) {
        before_[t][next] = true;
        for (uint32_t earlier = 0; earlier < t; ++earlier)
          before_[earlier][next] = before_[earlier][next] || before_[earlier][t];
      }
    }
  }
  // Step a has ended whenever step b begins.
  bool EndsBefore(uint32_t a, uint32_t b) const {
    return plan_->tasks.empty() || in_order_ != nullptr || task_of_[a] == task_of_[b]
               ? a < b
               : before_[task_of_[a]][task_of_[b]];
  }
  // Those that make or read the value, by plan_->steps alone.
  std::vector<uint32_t> UsersOf(uint32_t value) const {
    std::vector<uint32_t> users;
    for (uint32_t s = 0; s < plan_->steps.size(); ++s) {
      const Step& step = plan_->steps[s];
      const auto holds = [&](std::span<const uint32_t> list) {
        return std::count(list.begin(), list.end(), value) > 0;
      };
      if (holds(step.outputs) || holds(step.inputs)) users.push_back(s);
    }
    return users;
  }
  // Nobody uses the value any more when step s begins, or only s does, which may write over it.
  bool IsOver(uint32_t value, uint32_t s, bool in_place) const {
    const std::vector<uint32_t> users = UsersOf(value);
    return !plan_->values[value].kept && std::all_of(users.begin(), users.end(), [&](uint32_t u) {
      return (in_place && u == s) || EndsBefore(u, s);
    });
  }
  bool DeclaresAlias(uint32_t s, uint32_t from, uint32_t to) const {
    const Step& step = plan_->steps[s];
    return std::count(step.inputs.begin(), step.inputs.end(), from) == 1 &&
           std::any_of(step.kind->aliases.begin(), step.kind->aliases.end(), [&](const StepAlias& alias) {
             return step.inputs[alias.input] == from && step.outputs[alias.output] == to;
           });
  }

  void CheckOrder() {
    std::vector<uint32_t> seen(plan_->graph().nodes.size(), 0);
    for (uint32_t s = 0; s < plan_->steps.size(); ++s) {
      ++seen[plan_->steps[s].node];
      for (const uint32_t value : plan_->steps[s].inputs) {
        const uint32_t producer = plan_->values[value].producer;
        EXPECT_TRUE(producer == PlanValue::kNone || EndsBefore(producer, s)) << producer << " and " << s;
      }
      for (const uint32_t value : plan_->steps[s].outputs) EXPECT_EQ(plan_->values[value].producer, s);
      for (const Located<std::string>& after : plan_->NodeOf(plan_->steps[s]).after) {
        for (uint32_t other = 0; other < plan_->steps.size(); ++other) {
          if (plan_->NodeOf(plan_->steps[other]).name.value == after.value) {
            EXPECT_TRUE(EndsBefore(other, s));
          }
        }
      }
    }
    EXPECT_EQ(seen, std::vector<uint32_t>(seen.size(), 1));
  }
  void CheckTasks() {
    std::vector<uint32_t> waits(plan_->tasks.size(), 0);
    uint32_t steps = 0;
    for (const Task& task : plan_->tasks) {
      EXPECT_EQ(task.first, steps);
      EXPECT_GT(task.count, 0u);
      steps += task.count;
      for (const uint32_t next : task.next) ++waits[next];
    }
    EXPECT_EQ(steps, plan_->tasks.empty() ? 0 : plan_->steps.size());
    for (uint32_t t = 0; t < waits.size(); ++t) EXPECT_EQ(plan_->tasks[t].waits_for, waits[t]);
  }
  // Two values in one place: one of them is over when the other begins.
  void CheckArena() {
    for (uint32_t a = 0; a < plan_->values.size(); ++a) {
      const PlanValue& first = plan_->values[a];
      if (first.memory != Memory::kArena) continue;
      const size_t at = OffsetOf(a), end = at + plan_->ArenaBytes(first);
      EXPECT_LE(end, plan_->devices[0].arena_bytes);
      EXPECT_EQ(at % 64, 0u);
      for (uint32_t b = a + 1; b < plan_->values.size(); ++b) {
        const PlanValue& second = plan_->values[b];
        if (second.memory != Memory::kArena || end <= OffsetOf(b) || OffsetOf(b) + plan_->ArenaBytes(second) <= at)
          continue;
        EXPECT_TRUE(IsOver(a, second.producer, DeclaresAlias(second.producer, a, b)) ||
                    IsOver(b, first.producer, DeclaresAlias(first.producer, b, a)))
            << "values " << a << " and " << b << " share memory";
      }
    }
  }
  // The same in the order of the steps, for the places that the plan has for it. False if it has none.
  bool CheckInOrder() {
    in_order_ = plan_->InOrder();
    if (in_order_ == nullptr) return false;
    CheckArena();
    for (uint32_t s = 0; s < plan_->steps.size(); ++s) {
      const std::span<const uint32_t> inputs = plan_->steps[s].inputs;
      for (size_t i = 0; i < inputs.size(); ++i) {
        const PlanValue& v = plan_->values[inputs[i]];
        const bool once = std::count(inputs.begin(), inputs.end(), inputs[i]) == 1;
        const bool free = v.producer != PlanValue::kNone && once && IsOver(inputs[i], s, true) &&
                          (v.memory == Memory::kArena || v.readers == 1);
        EXPECT_EQ(in_order_->forwardable[s] >> i & 1, free) << "input " << i << " of step " << s;
      }
    }
    return true;
  }
  // With one thread, no more than twice what is alive at once.
  void CheckArenaIsSmall() {
    size_t most = 0;
    for (uint32_t s = 0; s < plan_->steps.size(); ++s) {
      size_t alive = 0;
      for (uint32_t value = 0; value < plan_->values.size(); ++value) {
        const PlanValue& v = plan_->values[value];
        if (v.memory == Memory::kArena && v.producer <= s && !IsOver(value, s, false)) alive += plan_->ArenaBytes(v);
      }
      most = std::max(most, alive);
    }
    EXPECT_LE(plan_->devices[0].arena_bytes, 2 * most);
  }
  // What holds for every plan. False if it has no places for runs in order.
  bool CheckAll(const Plan& plan) {
    Look(plan);
    CheckOrder();
    CheckTasks();
    CheckArena();
    CheckHandOver();
    return CheckInOrder();
  }
  // An input is offered exactly if nobody else can want it; a dynamic value is given back after its last use.
  void CheckHandOver() {
    std::vector<uint32_t> released(plan_->values.size(), 0);
    for (uint32_t s = 0; s < plan_->steps.size(); ++s) {
      const Step& step = plan_->steps[s];
      for (size_t i = 0; i < step.inputs.size(); ++i) {
        const uint32_t value = step.inputs[i];
        const bool once = std::count(step.inputs.begin(), step.inputs.end(), value) == 1;
        const bool free = plan_->values[value].producer != PlanValue::kNone && once && IsOver(value, s, true);
        if (plan_->tasks.empty()) {
          EXPECT_EQ(step.forwardable >> i & 1, free) << "input " << i << " of step " << s;
        }
        EXPECT_TRUE(free || (step.forwardable >> i & 1) == 0) << "input " << i << " of step " << s;
      }
      EXPECT_EQ(step.forwardable >> step.inputs.size(), 0u);
      for (const uint32_t value : step.released) {
        ++released[value];
        EXPECT_TRUE(!plan_->tasks.empty() || IsOver(value, s, true));
      }
    }
    for (uint32_t value = 0; value < plan_->values.size(); ++value) {
      const PlanValue& v = plan_->values[value];
      const bool counted = v.memory == Memory::kDynamic && !v.kept;
      const size_t users = UsersOf(value).size();
      const size_t expected = !counted ? 0 : plan_->tasks.empty() ? 1 : std::max<size_t>(users - 1, 1);
      EXPECT_EQ(released[value], expected) << "value " << value << " with " << users << " users";
    }
  }

  // Tasks that wait for another although they read nothing that it makes: for its memory.
  size_t WaitsForMemory() const {
    size_t waits = 0;
    for (const Task& task : plan_->tasks) {
      for (const uint32_t next : task.next) waits += Reads(plan_->tasks[next], task) ? 0 : 1;
    }
    return waits;
  }
  bool Reads(const Task& task, const Task& earlier) const {
    for (uint32_t s = task.first; s < task.first + task.count; ++s) {
      for (const uint32_t value : plan_->steps[s].inputs) {
        const uint32_t producer = plan_->values[value].producer;
        if (producer >= earlier.first && producer < earlier.first + earlier.count) return true;
      }
      if (!plan_->NodeOf(plan_->steps[s]).after.empty()) return true;
    }
    return false;
  }

  size_t OffsetOf(uint32_t value) const {
    return in_order_ != nullptr ? in_order_->values[value] : plan_->values[value].offset;
  }

  InProcessOps ops_;
  const Plan* plan_ = nullptr;
  const InOrderPlaces* in_order_ = nullptr;  // null: the plan's own places are looked at
  std::vector<uint32_t> task_of_;            // by step
  std::vector<std::vector<bool>> before_;    // by task and task
};

TEST_P(RandomPlanTest, KeepsItsPromises) {
  int in_order = 0;
  for (unsigned graph = 0; graph < 20; ++graph) {
    const std::string text = reference::RandomGraph(20 * GetParam() + graph, /*fixed=*/graph % 4 != 0).Yaml();
    for (const int threads : {1, 2, 4}) {
      const Plan* plan = ops_.Make(text, PlanTable(), {}, threads);
      ASSERT_NE(plan, nullptr) << ops_.Found() << text;
      in_order += CheckAll(*plan) ? 1 : 0;
      if (plan->tasks.empty()) CheckArenaIsSmall();
      if (HasFailure()) FAIL() << text << "threads: " << threads;
    }
  }
  EXPECT_GT(in_order, 5);
}

// Tasks with large tensors are in another order, and wait for memory.
TEST_P(RandomPlanTest, KeepsItsPromisesWithLargeTensors) {
  size_t waits = 0;
  for (unsigned graph = 0; graph < 40; ++graph) {
    std::string text = reference::RandomGraph(40 * GetParam() + graph, /*fixed=*/true).Yaml();
    for (const std::string shape : {"shape: [40]", "shape: [4]", "shape: [2]"})
      text.replace(text.find(shape), shape.size(), "shape: [" + std::to_string(30'000 + 1'000 * (graph % 7)) + "]");
    for (const int threads : {2, 3}) {
      const Plan* plan = ops_.Make(text, PlanTable(), {}, threads);
      ASSERT_NE(plan, nullptr) << ops_.Found() << text;
      CheckAll(*plan);
      waits += WaitsForMemory();
      if (HasFailure()) FAIL() << text << "threads: " << threads;
    }
  }
  EXPECT_GT(waits, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlanTest, ::testing::Range(0u, 8u));

}  // namespace
}  // namespace opsrun::host
