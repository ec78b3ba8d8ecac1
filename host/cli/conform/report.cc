// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/display_text.h"
#include "host/cli/conform/conform.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

bool IsFailure(const CheckResult& result) {
  return result.status == CheckStatus::kFailed || result.status == CheckStatus::kCrashed;
}

std::string_view QuestionOf(const CheckResult& result) {
  return std::ranges::find(AllChecks(), std::string_view(result.check), &Check::name)->question;
}

size_t CountOf(const OpResult& op, CheckStatus status) {
  return static_cast<size_t>(std::ranges::count(op.checks, status, &CheckResult::status));
}

// Of the op: the worst of its checks; SKIPPED only if it is about all of them.
CheckStatus StatusOf(const OpResult& op) {
  if (CountOf(op, CheckStatus::kCrashed) > 0) return CheckStatus::kCrashed;
  if (CountOf(op, CheckStatus::kFailed) > 0) return CheckStatus::kFailed;
  return CountOf(op, CheckStatus::kPassed) > 0 ? CheckStatus::kPassed : CheckStatus::kSkipped;
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return escaped;
}

std::string CommandFor(const ConformOptions& options, const OpResult& op, const CheckResult& result) {
  if (result.node.starts_with(kCaseText))
    return fmt::format("opsrun test {} --op {} --cases {}", options.file, op.op, options.cases);
  const std::string seed = result.node.empty() ? "" : fmt::format(" --reproduce {}", result.seed);
  return fmt::format("opsrun test {} --op {}{}", options.file, op.op, seed);
}

Json CheckJson(const CheckResult& result) {
  Json json = {{"check", result.check}, {"status", WordOf(result.status)}, {"message", OrNull(result.message)}};
  if (!result.advice.empty()) json["advice"] = result.advice;
  if (!IsFailure(result)) return json;
  json["type"] = result.type;
  json["node"] = result.node;
  json["seed"] = result.seed;
  return json;
}

Diagnostic Warning(std::string message, std::string help) {
  Diagnostic warning;
  warning.severity = Diagnostic::Severity::kWarning;
  warning.message = std::move(message);
  warning.help.push_back(std::move(help));
  return warning;
}

}  // namespace

std::string ConformText(const ConformOptions& options, const std::vector<OpResult>& ops) {
  using Align = TextTable::Align;
  TextTable table({{"op", Align::kLeft},
                   {"problems"},
                   {"passed"},
                   {"skipped"},
                   {"failed", Align::kLeft},
                   {"result", Align::kLeft}});
  std::array<size_t, 4> counts{};
  for (const OpResult& op : ops) {
    std::string failed;
    for (const CheckResult& each : op.checks) {
      if (IsFailure(each)) failed += (failed.empty() ? "" : " ") + each.check;
    }
    const CheckStatus status = StatusOf(op);
    ++counts[static_cast<size_t>(status)];
    table.Add({op.op, std::to_string(op.problems), std::to_string(CountOf(op, CheckStatus::kPassed)),
               std::to_string(CountOf(op, CheckStatus::kSkipped)), failed.empty() ? "-" : failed,
               std::string(WordOf(status))});
  }
  std::string summary;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0)
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", counts[i], WordOf(static_cast<CheckStatus>(i)));
  }
  return fmt::format("{}{}: {}; seed {}\n", table.Text(), Several(ops.size(), "op"), summary, options.seed);
}

std::string ConformJson(const ConformOptions& options, const std::vector<OpResult>& ops) {
  Json all = Json::array();
  for (const OpResult& op : ops) {
    all.push_back({{"op", op.op},
                   {"status", WordOf(StatusOf(op))},
                   {"problems", op.problems},
                   {"seconds", op.seconds},
                   {"checks", JsonArray(op.checks, CheckJson)}});
  }
  return JsonDocument({{"file", options.file}, {"seed", options.seed}, {"ops", all}});
}

std::string ConformJunit(const ConformOptions& options, const std::vector<OpResult>& ops) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const OpResult& op : ops) {
    xml += fmt::format(
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
        Escaped(op.op), op.checks.size(), CountOf(op, CheckStatus::kFailed), CountOf(op, CheckStatus::kCrashed),
        CountOf(op, CheckStatus::kSkipped), op.seconds);
    for (const CheckResult& each : op.checks) {
      xml += fmt::format("  <testcase classname=\"{}\" name=\"{}\"", Escaped(op.op), Escaped(each.check));
      if (each.status == CheckStatus::kPassed) {
        xml += "/>\n";
      } else if (each.status == CheckStatus::kSkipped) {
        xml += fmt::format("><skipped message=\"{}\"/></testcase>\n", Escaped(each.message));
      } else {
        const char* const tag = each.status == CheckStatus::kFailed ? "failure" : "error";
        xml += fmt::format("><{} message=\"{}\">{}\n{}</{}></testcase>\n", tag, Escaped(each.message),
                           Escaped(each.node), Escaped(CommandFor(options, op, each)), tag);
      }
    }
    xml += "</testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

std::vector<Diagnostic> DescribeOpResult(const ConformOptions& options, const OpResult& op) {
  std::vector<Diagnostic> errors;
  for (const CheckResult& result : op.checks) {
    if (result.status == CheckStatus::kSkipped && !result.advice.empty())
      errors.push_back(Warning(
          fmt::format("check '{}' of op '{}' was skipped: {}", result.check, op.op, result.message), result.advice));
    if (!IsFailure(result)) continue;
    Diagnostic error = MakeError(
        "R511", fmt::format("op '{}' fails check '{}': {}", op.op, result.check, result.message), result.advice);
    error.help.push_back("to reproduce it: " + CommandFor(options, op, result));
    error.notes.push_back(std::string(QuestionOf(result)));
    if (!result.node.empty()) error.notes.push_back("inputs and attrs: " + result.node);
    errors.push_back(std::move(error));
  }
  if (StatusOf(op) == CheckStatus::kSkipped && !op.checks.empty()) {
    errors.push_back(Warning(
        fmt::format("op '{}' was not checked: {}", op.op, op.checks[0].message),
        "test it with opsrun/testing.h, or write a graph with a node of this op whose inputs are feeds with values, "
        "and pass it to --cases"));
  }
  return errors;
}

}  // namespace opsrun::host
