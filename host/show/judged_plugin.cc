// host/show/judged_plugin.cc
// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/examine/compatibility.h"
#include "host/show/json_text.h"
#include "host/show/op_text.h"
#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

using WordSet = std::set<std::string>;

constexpr std::pair<uint32_t, const char*> kBuilds[] = {{OPSRUN_BUILD_ASAN, "address sanitizer"},
                                                        {OPSRUN_BUILD_TSAN, "thread sanitizer"},
                                                        {OPSRUN_BUILD_MSAN, "memory sanitizer"},
                                                        {OPSRUN_BUILD_DEBUG_LIBRARY, "debug mode of the C++ library"}};

// Empty if there are no words.
std::string Line(const char* what, WordSet words) {
  words.erase("");
  return words.empty() ? "" : fmt::format("  {:10}{}\n", what, fmt::join(words, ", "));
}

// The same in the given order.
std::string ListLine(const char* what, const std::vector<std::string>& words) {
  return words.empty() ? "" : fmt::format("  {:10}{}\n", what, fmt::join(words, ", "));
}

std::string LevelText(const std::vector<UnitNote>& units) {
  if (units.empty()) return {};
  uint32_t least = 0, header = UINT32_MAX;
  for (const UnitNote& unit : units) {
    least = std::max(least, unit.min_level);
    header = std::min(header, unit.header_level);
  }
  return fmt::format("needs {}, built with {} (this opsrun: {})", least, header, OPSRUN_LEVEL);
}

std::string UnitsText(const std::vector<UnitNote>& units) {
  WordSet sdks, compilers, builds;
  uint64_t cpu = 0;
  for (const UnitNote& unit : units) {
    sdks.insert(unit.sdk_version);
    compilers.insert(unit.compiler);
    cpu |= unit.cpu;
    for (const auto& [flag, words] : kBuilds) {
      if ((unit.flags & flag) != 0) builds.insert(words);
    }
  }
  return Line("level", {LevelText(units)}) + Line("sdk", sdks) + Line("compiler", compilers) +
         Line("built for", builds) + ListLine("processor", CpuNames(cpu));
}

std::string KernelsText(const PluginNote& note, const std::string& op) {
  std::vector<KernelRow> rows;
  for (const KernelNote& kernel : note.kernels) {
    if (kernel.op == op) rows.push_back(RowOf(kernel));
  }
  std::string text;
  for (const KernelRow& row : MergeRows(std::move(rows))) text += fmt::format("    {}\n", RowText(row));
  return text;
}

// Null if the file was not opened.
const RegisteredOp* FindOp(const Plugin* opened, const std::string& name) {
  if (opened == nullptr) return nullptr;
  const auto found =
      std::find_if(opened->ops.begin(), opened->ops.end(), [&](const RegisteredOp& op) { return op.def.name == name; });
  return found == opened->ops.end() ? nullptr : &*found;
}

// The file's ops, then ops of other plugins that it has kernels for.
std::string OpsText(const PluginNote& note, const Plugin* opened) {
  const WordSet ops(note.ops.begin(), note.ops.end());
  WordSet foreign;
  for (const KernelNote& kernel : note.kernels) {
    if (ops.count(kernel.op) == 0) foreign.insert(kernel.op);
  }
  std::string text;
  for (const std::string& op : ops) {
    const RegisteredOp* const registered = FindOp(opened, op);
    text += fmt::format("  op {}\n{}", op, KernelsText(note, op));
    if (registered != nullptr) text += OpsFileText(*registered, 4) + DeclaredGradientText(*registered, 4);
  }
  for (const std::string& op : foreign) text += fmt::format("  kernels for {}\n{}", op, KernelsText(note, op));
  if (note.more()) text += "  more ops or kernels, known only when it is loaded\n";
  return text;
}

const char* StateWord(Finding::State state) {
  switch (state) {
    case Finding::State::kOk:
      return "ok";
    case Finding::State::kWarning:
      return "warning";
    default:
      return "refused";
  }
}

// Keeps the line breaks of a specification.
std::string FindingsText(const std::vector<Finding>& findings) {
  std::string text = "  checks\n";
  for (const Finding& finding : findings) {
    const std::string_view first_line = std::string_view(finding.text).substr(0, finding.text.find('\n'));
    text += fmt::format("    {:9} {:17}{}\n", StateWord(finding.state), finding.check, first_line);
    if (finding.state == Finding::State::kWarning) text += fmt::format("{:31}fix: {}\n", "", finding.remedy);
  }
  return text;
}

Json UnitJson(const UnitNote& unit) {
  Json builds = Json::array();
  for (const auto& [flag, words] : kBuilds) {
    if ((unit.flags & flag) != 0) builds.push_back(words);
  }
  return {{"header_level", unit.header_level}, {"min_level", unit.min_level}, {"sdk", unit.sdk_version},
          {"compiler", unit.compiler},         {"built_for", builds},         {"cpu", CpuNames(unit.cpu)}};
}

Json KernelJson(const KernelNote& kernel) {
  Json constraints = Json::object();
  for (const KernelNote::Constraint& constraint : kernel.constraints) {
    Json& types = constraints[constraint.attr] = Json::array();
    for (const DType type : constraint.types) types.push_back(DTypeName(type));
  }
  return {{"op", kernel.op}, {"device", kernel.device}, {"label", OrNull(kernel.label)}, {"constraints", constraints}};
}

Json FindingJson(const Finding& finding) {
  return {{"check", finding.check},
          {"state", StateWord(finding.state)},
          {"found", finding.text},
          {"remedy", OrNull(finding.remedy)}};
}

std::string MetaText(const PluginNote& note) {
  std::string text;
  for (const auto& [key, words] : note.meta) text += fmt::format("  {:10}{}\n", key, words);
  return text;
}

Json MetaJson(const PluginNote& note) {
  Json meta = Json::object();
  for (const auto& [key, text] : note.meta) meta[key] = text;
  return meta;
}

// The declared gradients, by op; null if the file was not opened.
Json GradientsJson(const Plugin* opened) {
  if (opened == nullptr) return {};
  Json gradients = Json::object();
  for (const RegisteredOp& op : opened->ops) {
    if (!op.gradient.empty()) gradients[op.def.name] = op.gradient;
  }
  return gradients;
}

Json SignatureJson(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (!finding.signer) continue;
    return {{"key", finding.signer->key}, {"comment", finding.signer->comment}, {"checked", finding.signer->checked}};
  }
  return {};
}

Json PluginJson(const JudgedPlugin& plugin) {
  const PluginNote& note = plugin.note;
  return {{"file", plugin.file},
          {"verdict", plugin.Verdict()},
          {"hidden_by", OrNull(plugin.hidden_by)},
          {"name", note.name},
          {"version", OrNull(note.version)},
          {"meta", MetaJson(note)},
          {"units", JsonArray(note.units, UnitJson)},
          {"ops", note.ops},
          {"kernels", JsonArray(note.kernels, KernelJson)},
          {"gradients", GradientsJson(plugin.opened)},
          {"more", note.more()},
          {"cuda", note.cuda},
          {"needs", note.needed},
          {"signature", SignatureJson(plugin.findings)},
          {"checks", JsonArray(plugin.findings, FindingJson)}};
}

}  // namespace

const char* JudgedPlugin::Verdict() const {
  if (FirstRefusal(findings)) return "refused";
  if (!hidden_by.empty()) return "hidden";
  const bool probed =
      std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.check == "probe"; });
  return probed ? "ok" : "compatible";
}

std::string JudgedPluginText(const JudgedPlugin& plugin, bool checks) {
  const PluginNote& note = plugin.note;
  const std::string version = note.version.empty() ? "" : " " + note.version;
  return Printable(fmt::format("  {:10}{}{}\n", "plugin", note.name, version) + MetaText(note) + UnitsText(note.units) +
                   Line("cuda", {note.cuda.begin(), note.cuda.end()}) +
                   Line("needs", {note.needed.begin(), note.needed.end()}) + OpsText(note, plugin.opened) +
                   (checks ? FindingsText(plugin.findings) : ""));
}

std::string JudgedPluginsJson(const std::vector<JudgedPlugin>& plugins) {
  return JsonDocument(JsonArray(plugins, PluginJson));
}

}  // namespace opsrun::host
