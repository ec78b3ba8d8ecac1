// host/engine/check_requires.cc: see check_requires.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/check_requires.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/diagnostic.h"
#include "host/plan/build_plan.h"

namespace opsrun::host {
namespace {

std::string PlacesText(const Catalog& catalog) {
  std::string text;
  for (const PluginPlace& place : catalog.places) text += (text.empty() ? "" : ", ") + place.directory;
  return text.empty() ? "no directory was searched" : "searched: " + text;
}

class RequirementCheck {
 public:
  RequirementCheck(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics)
      : graph_(graph), catalog_(catalog), diagnostics_(diagnostics) {}

  bool Holds(const Requirement& wanted) {
    const std::vector<size_t> named = catalog_.EntriesNamed(wanted.plugin.value);
    if (named.empty()) return ReportMissing(wanted);
    for (const size_t entry : named) {
      if (!Fits(wanted, catalog_.entries[entry].note.version)) return ReportVersion(wanted, catalog_.entries[entry]);
    }
    return true;
  }

 private:
  static bool Fits(const Requirement& wanted, const std::string& version) {
    if (wanted.range.bounds.empty()) return true;
    const std::optional<Version> found = ParseVersion(version);
    return found && wanted.range.Holds(*found);
  }

  Diagnostic& Error(Code code, std::string message, const Span& where) {
    Diagnostic& error = diagnostics_.Error(code, std::move(message));
    error.file = graph_.source->path;
    error.where = where;
    return error;
  }

  bool ReportMissing(const Requirement& wanted) {
    const std::string& name = wanted.plugin.value;
    for (const CatalogEntry& entry : catalog_.entries) {
      if (entry.refusal && entry.note.name == name) return ReportRefused(wanted, entry);
    }
    Diagnostic& error = Error("P301", fmt::format("there is no plugin '{}'", name), wanted.plugin.span);
    error.label = "required here";
    SuggestName(error, name, catalog_.PluginNames(), "plugins");
    error.notes.push_back(PlacesText(catalog_));
    return false;
  }

  bool ReportRefused(const Requirement& wanted, const CatalogEntry& entry) {
    Diagnostic& error = Error("P301", fmt::format("plugin '{}' was refused", entry.note.name), wanted.plugin.span);
    error.label = "required here";
    error.help.push_back(entry.refusal->remedy);
    error.notes.push_back(fmt::format("{}: {}", entry.path, entry.refusal->reason));
    return false;
  }

  bool ReportVersion(const Requirement& wanted, const CatalogEntry& entry) {
    const std::string& name = entry.note.name;
    const std::string& version = entry.note.version;
    const std::string says = version.empty() ? "says no version" : fmt::format("is version {}", version);
    Diagnostic& error =
        Error("P302", fmt::format("plugin '{}' {}, the graph requires '{}'", name, says, wanted.text.value),
              wanted.text.span);
    if (version.empty()) {
      error.help.push_back(
          fmt::format("use a build that has a version, or write \"*\" for any version", name));
    } else if (!ParseVersion(version)) {
      error.help.push_back(
          fmt::format("'{}' is not of the form 1.2.3, so it cannot be compared; write \"*\" for any", version));
    } else {
      error.help.push_back("install a version that fits, or change the range if the graph works with this one");
    }
    error.notes.push_back(fmt::format("found: {}", entry.path));
    for (const CatalogEntry& other : catalog_.entries) {
      if (other.hidden_by == entry.path) {
        error.notes.push_back(fmt::format("it hides {}, version {}", other.path, other.note.version));
      }
    }
    return false;
  }

  const Graph& graph_;
  const Catalog& catalog_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<std::string> CheckRequires(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics) {
  RequirementCheck check(graph, catalog, diagnostics);
  std::vector<std::string> unmet;
  for (const Requirement& wanted : graph.requirements) {
    if (!check.Holds(wanted)) unmet.push_back(wanted.plugin.value);
  }
  return unmet;
}

std::vector<std::string> OpsOfUnmet(const Graph& graph, const Catalog& catalog, const std::vector<std::string>& unmet) {
  if (unmet.empty()) return {};
  const auto is_unmet = [&](const std::string& plugin) {
    return std::find(unmet.begin(), unmet.end(), plugin) != unmet.end();
  };
  std::vector<std::string> ops = OpNames(graph);
  std::erase_if(ops, [&](const std::string& op) {
    const OpRequest wanted = ParseOpRequest(op);
    if (!wanted.plugin.empty()) return !is_unmet(wanted.plugin);
    const std::vector<size_t> claimants = catalog.ClaimantsOf(op);
    return !claimants.empty() && std::none_of(claimants.begin(), claimants.end(),
                                              [&](size_t entry) { return is_unmet(catalog.entries[entry].note.name); });
  });
  return ops;
}

}  // namespace opsrun::host
