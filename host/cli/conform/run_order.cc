// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "host/base/child.h"
#include "host/cli/conform/conform.h"
#include "host/cli/guard/guard.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

// What the process that checks an op says, one JSON object in a line.
class Lines {
 public:
  explicit Lines(int file) : file_(file) {}

  // Nobody needs this process if its parent has ended.
  void Write(const Json& json) const {
    std::string line = JsonOnOneLine(json) + "\n";
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t written = write(file_, rest.data(), rest.size());
      if (written <= 0) EndChild(1);
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }

 private:
  const int file_;
};

class Runner {
 public:
  Runner(Engine& engine, const RegisteredOp& op, const TestOrder& order, const Graph* cases, int file)
      : engine_(engine), op_(op), order_(order), lines_(file), host_(engine), cases_(cases), failed_(order.failed) {}

  void Run() {
    lines_.Write({{"begin", AllChecks()[0].name}});
    const Drawn drawn = Draw();
    lines_.Write({{"problems", drawn.problems.size()}, {"why_none", drawn.why_none}});
    if (order_.first_check == 0) EndErrors(drawn);
    for (size_t i = std::max<size_t>(order_.first_check, 1); i < AllChecks().size(); ++i)
      RunCheck(AllChecks()[i], drawn);
    lines_.Write({{"done", true}});
  }

 private:
  Drawn Draw() {
    DrawOptions options;
    options.seed = order_.seed;
    options.one = order_.one;
    options.try_rejected = order_.first_check == 0;
    options.left_out = order_.left_out;
    options.cases = order_.one ? nullptr : cases_;
    options.begins = [this](uint64_t seed, DType type, const std::string& node) { On(seed, type, node); };
    return DrawProblems(engine_, op_, host_, options);
  }

  void On(uint64_t seed, DType type, const std::string& node) const {
    lines_.Write({{"seed", seed}, {"type", DTypeName(type)}, {"node", node}});
  }

  void End(const Check& check, CheckStatus status, const std::string& message, const std::string& advice = {}) {
    if (status == CheckStatus::kFailed) failed_.emplace_back(check.name);
    lines_.Write({{"end", check.name}, {"status", static_cast<int>(status)}, {"message", message}, {"advice", advice}});
  }

  // An op that never got past its own checks is skipped.
  void EndErrors(const Drawn& drawn) {
    const Check& check = AllChecks()[0];
    if (drawn.failure) {
      On(drawn.failed_seed, drawn.failed_type, drawn.failed_node);
      return End(check, CheckStatus::kFailed, drawn.failure->message);
    }
    const bool none = drawn.problems.empty();
    End(check, none ? CheckStatus::kSkipped : CheckStatus::kPassed, drawn.why_none);
  }

  // Results cannot be compared if those of equal calls differ.
  static bool Needs(const Check& check, const std::string& other) {
    if (check.compares && other == "repeat") return true;
    std::string_view rest = check.needs;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      if (word == other) return true;
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
  }

  void RunCheck(const Check& check, const Drawn& drawn) {
    if (drawn.problems.empty()) return End(check, CheckStatus::kSkipped, drawn.why_none);
    for (const std::string& failed : failed_) {
      if (Needs(check, failed)) return End(check, CheckStatus::kSkipped, fmt::format("it needs '{}' to pass", failed));
    }
    // Objects of handles are new in each call, so the state that they have is the same.
    const bool new_state = !drawn.problems[0].call.makers.empty();
    if (check.compares && (op_.def.flags & OPSRUN_OP_STATEFUL) != 0 && !new_state)
      return End(check, CheckStatus::kSkipped, "the op is stateful, so the results of two calls may differ");
    lines_.Write({{"begin", check.name}});
    const Tested tested{engine_, op_, host_, drawn.problems,
                        [this](const Problem& problem) { On(problem.seed, problem.type, problem.text); }};
    const std::optional<Flaw> found = check.run(tested);
    const CheckStatus status = !found           ? CheckStatus::kPassed
                               : found->skipped ? CheckStatus::kSkipped
                                                : CheckStatus::kFailed;
    End(check, status, found ? found->message : "", found ? found->advice : "");
  }

  Engine& engine_;
  const RegisteredOp& op_;
  const TestOrder& order_;
  const Lines lines_;
  TestHost host_;
  const Graph* const cases_;
  std::vector<std::string> failed_;
};

}  // namespace

std::string TestOrder::Text() const {
  return JsonOnOneLine({{"op", op},
                        {"seed", seed},
                        {"one", one},
                        {"first_check", first_check},
                        {"left_out", left_out},
                        {"failed", failed}});
}

std::optional<TestOrder> TestOrder::Read(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto is = [&](const char* key, auto is_of_type) {
    return json.is_object() && json.contains(key) && (json.at(key).*is_of_type)();
  };
  const bool valid = is("op", &Json::is_string) && is("seed", &Json::is_number_unsigned) &&
                     is("one", &Json::is_boolean) && is("first_check", &Json::is_number_unsigned) &&
                     is("left_out", &Json::is_array) && is("failed", &Json::is_array);
  if (!valid) return std::nullopt;
  TestOrder order;
  order.op = json.at("op").get<std::string>();
  order.seed = json.at("seed").get<uint64_t>();
  order.one = json.at("one").get<bool>();
  order.first_check = json.at("first_check").get<size_t>();
  for (const Json& seed : json.at("left_out")) {
    if (seed.is_number_unsigned()) order.left_out.push_back(seed.get<uint64_t>());
  }
  for (const Json& check : json.at("failed")) {
    if (check.is_string()) order.failed.push_back(check.get<std::string>());
  }
  return order;
}

void RunOrder(Engine& engine, const Plugin& plugin, const TestOrder& order, const Graph* cases, int file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  SetCrashFormat(ErrorFormat::kJson);
  for (const RegisteredOp& op : plugin.ops) {
    if (op.def.name == order.op) Runner(engine, op, order, cases, file).Run();
  }
}

}  // namespace opsrun::host
