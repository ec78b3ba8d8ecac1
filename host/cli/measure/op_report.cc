// host/cli/measure/op_report.cc: the measurements of one op as a table, as JSON, and as advice.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/cli/measure/bench_op.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

using enum TextTable::Align;

std::optional<double> Bandwidth(const OpSize& size) {
  return size.bytes && size.run.median > 0 ? std::optional(*size.bytes / size.run.median * 1e9) : std::nullopt;
}

// Of the speed of memcpy.
std::optional<double> CopyShare(const OpSize& size) {
  return size.copy_ns > 0 && size.run.median > 0 ? std::optional(size.copy_ns / size.run.median) : std::nullopt;
}

std::string RateText(double flops) {
  return CountText(flops) + "FLOP/s";
}

std::string InputsText(const OpSize& size) {
  const bool same = std::ranges::all_of(size.inputs, [&](const std::string& in) { return in == size.inputs[0]; });
  if (same && size.inputs.size() > 1) return fmt::format("{} x {}", size.inputs.size(), size.inputs[0]);
  return size.inputs.empty() ? "none" : fmt::format("{}", fmt::join(size.inputs, ", "));
}

std::string SizesTable(const OpReport& report) {
  TextTable table({{"inputs", kLeft}, {"bytes"}, {"time"}, {"bandwidth"}, {"memcpy"}, {"of memcpy"}});
  for (const OpSize& size : report.sizes) {
    const auto bandwidth = Bandwidth(size), share = CopyShare(size);
    table.Add({InputsText(size), size.bytes ? BytesText(*size.bytes) : "-", DurationText(size.run.median),
               bandwidth ? BandwidthText(*bandwidth) : "-",
               share ? BandwidthText(*size.bytes / size.copy_ns * 1e9) : "-", share ? ShareText(*share) : "-"});
  }
  return table.Text();
}

// A ratio whose interval has 1 in it, or that is so near to it that the layout of memory can be the cause.
const char* RatioVerdict(const Summary& ratio) {
  constexpr double kLeast = 0.02;
  if (ratio.noise.high < 1 && ratio.median < 1 - kLeast) return "faster";
  if (ratio.noise.low > 1 && ratio.median > 1 + kLeast) return "slower";
  return "no change beyond the noise";
}

std::string RatiosTable(const OpReport& report) {
  TextTable table({{"inputs", kLeft}, {"old"}, {"new / old"}, {"95 % interval"}, {"result", kLeft}});
  for (const OpSize& size : report.sizes) {
    if (!size.ratio) continue;
    const Summary& ratio = *size.ratio;
    table.Add({InputsText(size), DurationText(*size.old_ns), fmt::format("{:.3f}", ratio.median),
               fmt::format("{:.3f} to {:.3f}", ratio.noise.low, ratio.noise.high), RatioVerdict(ratio)});
  }
  return fmt::format("\ncompared with {}, both measured in turns\n\n{}", report.compared_with, table.Text());
}

std::string PeakText(const OpReport& report) {
  if (report.peak_flops == 0) return {};
  std::string text = fmt::format("\npeak     {}: fused multiply-adds of {}, {}\n", RateText(report.peak_flops),
                                 report.peak_dtype, Several(report.threads, "thread"));
  if (report.flops == 0 || report.sizes[0].run.median <= 0) return text;
  const double rate = static_cast<double>(report.flops) / report.sizes[0].run.median * 1e9;
  return text + fmt::format("op       {}, {} of the peak, for the {} of --flops\n", RateText(rate),
                            ShareText(rate / report.peak_flops), CountText(static_cast<double>(report.flops)));
}

// The largest size, on one thread and on all.
void AdviseOnThreads(const OpReport& report, std::vector<std::string>& advice) {
  const OpSize& size = report.sizes.back();
  constexpr double kWorthwhile = 100'000, kLeastGain = 1.2, kOften = 0.5, kOfMemory = 0.8;
  if (size.alone_waits && *size.alone_waits >= kOften) {
    advice.push_back(
        fmt::format("waits: on one thread, a call waits {:.1f} times for something. Look for locks, sleeps, files, and "
                    "threads of the plugin's own; 'opsrun run GRAPH --trace' shows when a kernel runs",
                    *size.alone_waits));
  }
  if (!size.alone_ns || report.threads == 1 || *size.alone_ns < kWorthwhile) return;
  const bool as_memcpy = CopyShare(size).value_or(0) >= kOfMemory;  // more threads have no more memory
  if (*size.alone_ns / size.run.noise.low >= kLeastGain || as_memcpy) return;
  advice.push_back(fmt::format(
      "threads: {} take {}, one takes {}. If elements do not depend on each other, divide the loop with Shard "
      "(opsrun/shard.h), or declare the kernel element-wise",
      Several(report.threads, "thread"), DurationText(size.run.median), DurationText(*size.alone_ns)));
}

void AdviseOnMemory(const OpReport& report, std::vector<std::string>& advice) {
  const OpSize& size = report.sizes.back();
  if (size.temporary_bytes > 0) {
    advice.push_back(
        fmt::format("temporary memory: the kernel took {} for each call, while it ran. Less of it, or WorkspaceBytes "
                    "(opsrun/workspace.h), which lets the host plan it before the run, saves allocations",
                    BytesText(size.temporary_bytes)));
  }
  if (size.bytes && size.workspace_bytes > *size.bytes) {
    advice.push_back(
        fmt::format("temporary memory: the workspace of {} is more than all inputs and outputs, and is "
                    "written and read in addition to them",
                    BytesText(size.workspace_bytes)));
  }
}

// A loop over what is in the cache. What a call takes for the smallest size is not the loop's time.
void AdviseOnLoop(const OpReport& report, std::vector<std::string>& advice) {
  constexpr double kLeast = 8 << 10, kMost = 2 << 20, kSlow = 4;
  const OpSize* slowest = nullptr;
  for (const OpSize& size : report.sizes) {
    const bool in_cache = size.bytes && *size.bytes >= kLeast && *size.bytes <= kMost && size.copy_ns > 0;
    const double call_ns = &size == report.sizes.data() ? 0 : report.sizes[0].run.median;
    if (!in_cache || size.run.median - call_ns < kSlow * size.copy_ns) continue;
    if (slowest == nullptr || *CopyShare(size) < *CopyShare(*slowest)) slowest = &size;
  }
  if (slowest == nullptr || report.flops != 0) return;
  advice.push_back(fmt::format(
      "loop: for {}, which the cache holds, the op takes {:.0f} times as long as memcpy. If it does little for each "
      "element, "
      "its loop may not be vectorised: g++ says why with -O3 -fopt-info-vec-missed (clang++: "
      "-Rpass-missed=loop-vectorize); "
      "add them to the flags of 'opsrun sdk --cflags'. -march=native shows what newer instructions would give",
      BytesText(*slowest->bytes), slowest->run.median / slowest->copy_ns));
}

void AdviseOnCalls(const OpReport& report, std::vector<std::string>& advice) {
  if (report.sizes.size() < 2) return;
  const OpSize &least = report.sizes[0], &next = report.sizes[1];
  constexpr double kNearly = 2, kNoticeable = 1000;
  if (least.run.median < kNoticeable || next.run.median > kNearly * least.run.median) return;
  advice.push_back(
      fmt::format("call: {} of input take {}, {} take {}. For small tensors, nearly all of it is the cost of a "
                  "call: move what does not depend on the inputs to the kernel's constructor",
                  BytesText(least.input_bytes), DurationText(least.run.median), BytesText(next.input_bytes),
                  DurationText(next.run.median)));
}

Json SummaryJson(const Summary& summary) {
  return {{"samples", summary.samples},
          {"min", summary.min},
          {"median", summary.median},
          {"low", summary.noise.low},
          {"high", summary.noise.high}};
}

template <typename T>
Json Optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json SizeJson(const OpSize& size) {
  Json json = {{"inputs", size.inputs},
               {"bytes", Optional(size.bytes)},
               {"ns", SummaryJson(size.run)},
               {"stable", size.stable},
               {"bytes_per_second", Optional(Bandwidth(size))},
               {"memcpy_ns", size.copy_ns > 0 ? Json(size.copy_ns) : Json()},
               {"share_of_memcpy", Optional(CopyShare(size))},
               {"temporary_bytes", size.temporary_bytes},
               {"workspace_bytes", size.workspace_bytes},
               {"one_thread_ns", Optional(size.alone_ns)},
               {"one_thread_waits", Optional(size.alone_waits)}};
  if (size.ratio) json.update({{"old_ns", *size.old_ns}, {"ratio", SummaryJson(*size.ratio)}});
  return json;
}

}  // namespace

std::vector<std::string> AdviceFor(const OpReport& report) {
  std::vector<std::string> advice;
  if (report.sizes.empty()) return advice;
  AdviseOnLoop(report, advice);
  AdviseOnThreads(report, advice);
  AdviseOnMemory(report, advice);
  AdviseOnCalls(report, advice);
  return advice;
}

std::string OpReportText(const OpReport& report) {
  std::string text = fmt::format("{}: {}, {}\n\n", report.op, Several(report.threads, "thread"),
                                 report.device.empty() ? report.cpu : report.device) +
                     SizesTable(report);
  if (!report.compared_with.empty()) text += RatiosTable(report);
  text += PeakText(report);
  const bool stable = std::ranges::all_of(report.sizes, &OpSize::stable);
  if (!stable) text += "\nnot stable: some medians are not known to within 1%; try --seconds with more\n";
  for (const std::string& each : AdviceFor(report)) text += "\n" + each + "\n";
  return text;
}

std::string OpReportJson(const OpReport& report) {
  return JsonDocument({{"opsrun_bench_op", 1},
                       {"plugin", report.plugin_file},
                       {"op", report.op},
                       {"version", OPSRUN_VERSION},
                       {"cpu", report.cpu},
                       {"device", report.device.empty() ? std::string(kCpuName) : report.device},
                       {"threads", report.threads},
                       {"compared_with", OrNull(report.compared_with)},
                       {"peak_flops", report.peak_flops > 0 ? Json(report.peak_flops) : Json()},
                       {"peak_dtype", OrNull(report.peak_dtype)},
                       {"flops", report.flops > 0 ? Json(report.flops) : Json()},
                       {"sizes", JsonArray(report.sizes, SizeJson)},
                       {"advice", AdviceFor(report)}});
}

}  // namespace opsrun::host
