// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/cli/judge/judge.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

using enum TextTable::Align;

CheckStatus StatusOf(const Judged& judged) {
  CheckStatus worst = CheckStatus::kSkipped;
  for (const CheckResult& check : judged.checks) {
    if (check.status == CheckStatus::kCrashed) return CheckStatus::kCrashed;
    if (check.status == CheckStatus::kFailed) worst = CheckStatus::kFailed;
    if (check.status == CheckStatus::kPassed && worst != CheckStatus::kFailed) worst = CheckStatus::kPassed;
  }
  return judged.HasVerdict() ? worst : CheckStatus::kSkipped;
}

std::string SpeedText(const Judged& judged) {
  if (!judged.ratio) return "";
  const bool faster = judged.median_ratio < 1;
  const auto times = [&](double ratio) { return faster ? 1 / ratio : ratio; };
  const double a = times(judged.ratio->low), b = times(judged.ratio->high);
  return fmt::format(": {:.2f} times as {} as the reference (95 %: {:.2f} to {:.2f})", times(judged.median_ratio),
                     faster ? "fast" : "long", std::min(a, b), std::max(a, b));
}

std::string SizesText(const Judged& judged) {
  if (judged.sizes.empty()) return "";
  TextTable table({{"inputs", kLeft}, {"sizes", kLeft}, {"calls"}, {"reference"}, {"candidate"}, {"ratio"}, {"95 %"}});
  for (const JudgedSize& size : judged.sizes) {
    table.Add({size.text, size.stated ? "stated" : "drawn", std::to_string(size.calls), DurationText(size.reference_ns),
               DurationText(size.candidate_ns), fmt::format("{:.3f}", size.ratio.median),
               fmt::format("{:.3f} to {:.3f}", size.ratio.noise.low, size.ratio.noise.high)});
  }
  return table.Text();
}

Json JudgedSizeJson(const JudgedSize& size) {
  return {{"inputs", size.text},
          {"stated", size.stated},
          {"calls", size.calls},
          {"reference_ns", size.reference_ns},
          {"candidate_ns", size.candidate_ns},
          {"ratio", size.ratio.median},
          {"ratio_low", size.ratio.noise.low},
          {"ratio_high", size.ratio.noise.high},
          {"pairs", size.ratio.samples},
          {"least_ns", size.least_ns}};
}

Json JudgeCheckJson(const CheckResult& check) {
  return {{"check", check.check},
          {"status", WordOf(check.status)},
          {"message", OrNull(check.message)},
          {"node", OrNull(check.node)}};
}

Json JudgedJson(const Judged& judged) {
  Json json = {{"op", judged.op},
               {"status", WordOf(StatusOf(judged))},
               {"checks", JsonArray(judged.checks, JudgeCheckJson)},
               {"nodes", judged.samples},
               {"calls", judged.calls},
               {"sizes", JsonArray(judged.sizes, JudgedSizeJson)},
               {"candidate_error", judged.candidate_error},
               {"reference_error", judged.reference_error},
               {"sandbox_gaps", OrNull(judged.gaps)},
               {"late", judged.late_share},
               {"candidate_processors", judged.processors},
               {"reference_processors", judged.reference_processors}};
  if (judged.ratio) {
    json["ratio"] = judged.median_ratio;
    json["ratio_low"] = judged.ratio->low;
    json["ratio_high"] = judged.ratio->high;
  }
  return json;
}

}  // namespace

std::string JudgeText(const JudgeOptions& options, const Sides& sides, const std::vector<Judged>& ops) {
  std::string text;
  for (const Judged& judged : ops) {
    std::string passed, skipped;
    for (const CheckResult& check : judged.checks) {
      std::string* const list = check.status == CheckStatus::kPassed    ? &passed
                                : check.status == CheckStatus::kSkipped ? &skipped
                                                                        : nullptr;
      if (list != nullptr) *list += (list->empty() ? "" : " ") + check.check;
    }
    text += SizesText(judged);
    text += fmt::format("{}: {}{}\n", judged.op, WordOf(StatusOf(judged)), SpeedText(judged));
    text += fmt::format("  {} of {}, all results compared\n", Several(judged.calls, "call"),
                        Several(judged.samples, "node"));
    if (judged.reference_error > 0)
      text += fmt::format("  errors of 99 in 100 numbers: {:.3g} units in the last place, the reference {:.3g}\n",
                          judged.candidate_error, judged.reference_error);
    if (!judged.gaps.empty()) text += fmt::format("  the sandbox has a gap: {}\n", judged.gaps);
    if (!passed.empty()) text += fmt::format("  passed: {}\n", passed);
    if (!skipped.empty()) text += fmt::format("  skipped: {}\n", skipped);
  }
  return text + fmt::format("{} against {}: {} caches, {}sandbox; seed {}\n", sides.candidate_file,
                            sides.reference_file, options.warm ? "warm" : "cold", options.sandbox ? "in a " : "no ",
                            options.seed);
}

std::string JudgeJson(const JudgeOptions& options, const Sides& sides, const std::vector<Judged>& ops) {
  return JsonDocument({{"candidate", sides.candidate_file},
                       {"reference", sides.reference_file},
                       {"seed", options.seed},
                       {"warm", options.warm},
                       {"sandbox", options.sandbox},
                       {"ops", JsonArray(ops, JudgedJson)}});
}

std::vector<Diagnostic> DescribeJudged(const JudgeOptions& options, const Judged& judged) {
  std::vector<Diagnostic> all;
  for (size_t i = 0; i < judged.checks.size(); ++i) {
    const CheckResult& check = judged.checks[i];
    if (check.status != CheckStatus::kFailed && check.status != CheckStatus::kCrashed) continue;
    Diagnostic error =
        MakeError("R512", fmt::format("op '{}' fails check '{}': {}", judged.op, check.check, check.message));
    error.help.push_back(fmt::format("for the same values again, add --seed {}", options.seed));
    error.notes.push_back(std::string(JudgeChecks()[i].question));
    if (!check.node.empty()) error.notes.push_back("inputs and attrs: " + check.node);
    all.push_back(std::move(error));
  }
  if (!judged.HasVerdict()) {
    all.push_back(MakeError(
        "R513", fmt::format("op '{}' cannot be judged: {}", judged.op, judged.checks[1].message),
        "say which inputs it takes, with --shape, --dtype and --attr, or by a node of it in a graph for --cases"));
  }
  return all;
}

}  // namespace opsrun::host
