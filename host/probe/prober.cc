// host/probe/prober.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/probe/prober.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "host/elf/opened_bytes.h"

namespace opsrun::host {
namespace {

using State = Finding::State;

Finding ProbeFinding(const ProbeReport& report) {
  if (report.refusal) {
    return {report.by_table ? "loading" : "probe", State::kRefused, report.refusal->reason, report.refusal->remedy,
            report.refusal->out_of_memory};
  }
  if (report.changes.empty()) return {"probe", State::kOk, "opened in a separate process, which it left unchanged", ""};
  return {"probe", State::kWarning, fmt::format("it changed {}", fmt::join(report.changes, ", ")),
          "restore the state of the process: other code depends on it"};
}

}  // namespace

ProbeOptions DefaultProbeOptions(bool probe, uint32_t level) {
  return {probe ? FindProbe() : "", VerdictFolder(), kProbeLimit, level};
}

Prober::Prober(ProbeOptions options) : options_(std::move(options)), verdicts_(options_.folder, options_.level) {}

// Refusals are not kept: what is missing today may be installed tomorrow.
std::optional<ProbeReport> Prober::RunProbe(const std::string& path, const PluginNote& note) const {
  if (!probes()) return std::nullopt;
  std::optional<ProbeReport> report = Probe(options_.program, path, options_.level, options_.limit);
  if (report && !report->refusal) verdicts_.RememberGood(path, note.build_id, report->libraries);
  return report;
}

std::optional<Refusal> Prober::Admit(const std::string& path, const PluginNote& note) const {
  const std::string real = RealPath(path);
  if (verdicts_.IsKnownGood(real, note.build_id)) return std::nullopt;
  if (std::optional<Refusal> refusal = RefuseToOpen(real)) return refusal;
  const std::optional<ProbeReport> report = RunProbe(real, note);
  return report ? report->refusal : std::nullopt;
}

std::vector<Finding> Prober::Judge(const std::string& path, const FileLook& look, const LibrarySearch& search,
                                   const GpuCards& cards) const {
  std::vector<Finding> findings = JudgePlugin(path, look, search);
  if (FirstRefusal(findings)) return findings;
  const OpenedBytes file(path);
  const GpuCode code = file.bytes() == nullptr ? GpuCode() : ReadGpuCode(*file.bytes());
  if (!code.empty()) findings.push_back(JudgeGpuCode(code, cards()));
  if (const std::optional<ProbeReport> report = RunProbe(RealPath(path), look.note))
    findings.push_back(ProbeFinding(*report));
  return findings;
}

}  // namespace opsrun::host
