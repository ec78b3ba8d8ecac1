// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/engine/loaded_graph.h"
#include "host/gradient/gradient_text.h"

namespace opsrun::host {
namespace {

const Feed* FindFeed(const Graph& graph, const std::string& name) {
  const auto found =
      std::find_if(graph.feeds.begin(), graph.feeds.end(), [&](const Feed& feed) { return feed.name.value == name; });
  return found == graph.feeds.end() ? nullptr : &*found;
}

std::vector<std::string> DeclaredNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const Feed& feed : graph.feeds) {
    if (feed.source == Feed::Source::kDeclared) names.push_back(feed.name.value);
  }
  return names;
}

bool IsLeftOut(const Graph& graph, const std::string& name) {
  return std::find(graph.left_out.begin(), graph.left_out.end(), name) != graph.left_out.end();
}

Diagnostic& ErrorAtFeed(const Graph& graph, const Feed& feed, Code code, std::string message,
                        Diagnostics& diagnostics) {
  return diagnostics.Error(code, std::move(message), graph.source->path, feed.name.span);
}

void CheckGiven(const Graph& graph, const std::string& name, Diagnostics& diagnostics) {
  const Feed* const feed = FindFeed(graph, name);
  if (feed == nullptr) {
    if (IsLeftOut(graph, name)) return;  // its error was already reported
    diagnostics.Error("F301", fmt::format("the graph has no feed named '{}'", name)).help = {
        DidYouMean(name, DeclaredNames(graph), "declared feeds")};
  } else if (feed->source != Feed::Source::kDeclared) {
    ErrorAtFeed(graph, *feed, "F303",
                fmt::format("an array was given for feed '{}', which already has a value in the graph", name),
                diagnostics)
        .help = {fmt::format("remove the array, or only declare the feed: {}: {{dtype: ..., shape: [...]}}", name)};
  }
}

// True if the feed is among those given, possibly misspelt: then its absence follows from another error.
bool IsMeant(const Graph& graph, const std::vector<std::string>& given, const std::string& name) {
  return std::any_of(given.begin(), given.end(), [&](const std::string& word) {
    return FindFeed(graph, word) != nullptr ? word == name : !NearNames(word, {name}).empty();
  });
}

}  // namespace

void CheckFeeds(const Graph& graph, const std::vector<std::string>& given, bool all, Diagnostics& diagnostics) {
  for (const std::string& name : given) CheckGiven(graph, name, diagnostics);
  if (!all) return;
  for (const Feed& feed : graph.feeds) {
    const std::string& name = feed.name.value;
    if (feed.source != Feed::Source::kDeclared || IsMeant(graph, given, name)) continue;
    ErrorAtFeed(graph, feed, "F304", fmt::format("feed '{}' is only declared, and no array was given for it", name),
                diagnostics);
  }
}

namespace {

std::string PlacesText(const Catalog& catalog) {
  std::string text;
  for (const SearchedDirectory& place : catalog.places) text += (text.empty() ? "" : ", ") + place.directory;
  return text.empty() ? "no directory was searched" : "searched: " + text;
}

class RequirementCheck {
 public:
  RequirementCheck(const RequiredBy& by, const Catalog& catalog, Diagnostics& diagnostics)
      : by_(by), catalog_(catalog), diagnostics_(diagnostics) {}

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
    return diagnostics_.Error(code, std::move(message), by_.file, where);
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
    Diagnostic& error =
        Error("P302", fmt::format("plugin '{}' {}", name, VersionMismatch(version, by_.what, wanted.text.value)),
              wanted.text.span);
    if (version.empty()) {
      error.help.push_back(fmt::format("use a build that has a version, or write \"*\" for any version", name));
    } else if (!ParseVersion(version)) {
      error.help.push_back(
          fmt::format("'{}' is not of the form 1.2.3, so it cannot be compared; write \"*\" for any", version));
    } else {
      error.help.push_back("install a version that fits, or " + by_.otherwise);
    }
    error.notes.push_back(fmt::format("found: {}", entry.path));
    for (const CatalogEntry& other : catalog_.entries) {
      if (other.hidden_by == entry.path) {
        error.notes.push_back(fmt::format("it hides {}, version {}", other.path, other.note.version));
      }
    }
    return false;
  }

  const RequiredBy& by_;
  const Catalog& catalog_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::string VersionMismatch(const std::string& version, std::string_view by, const std::string& range) {
  const std::string is = version.empty() ? "has no version" : "is version " + version;
  return fmt::format("{}, but the {} requires '{}'", is, by, range);
}

std::vector<std::string> CheckRequires(std::span<const Requirement> all, const RequiredBy& by, const Catalog& catalog,
                                       Diagnostics& diagnostics) {
  RequirementCheck check(by, catalog, diagnostics);
  std::vector<std::string> unmet;
  for (const Requirement& wanted : all) {
    if (!check.Holds(wanted)) unmet.push_back(wanted.plugin.value);
  }
  return unmet;
}

std::vector<std::string> CheckRequires(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics) {
  const RequiredBy by{graph.source->path, "graph", "change the range if the graph works with this one"};
  return CheckRequires(graph.requirements, by, catalog, diagnostics);
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

void CheckDeclaredGradient(Engine& engine, const RegisteredOp& op, Diagnostics& diagnostics) {
  std::vector<std::string> ops = GradientText(op).OpNames();
  ops.insert(ops.end(), DifferentiationOps().begin(), DifferentiationOps().end());
  ops.push_back(fmt::format("{}.{}", op.plugin->name, op.def.name));
  const std::shared_ptr<const Catalog> catalog = engine.catalog();
  const LoadResult loaded = engine.Open(*catalog, ops);
  CheckGradient(op, {loaded, *catalog}, engine.host(), diagnostics);
}

}  // namespace opsrun::host
