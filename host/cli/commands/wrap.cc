// host/cli/commands/wrap.cc: opsrun wrap and opsrun schema. They open plugins and write what compilers and editors read
// of them.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/wrap/wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <system_error>

#include "host/base/display_text.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/examine/compatibility.h"
#include "host/show/graph_text.h"

namespace opsrun::host {
namespace {

bool LooksLikeFile(std::string_view word) {
  return word.find('/') != std::string_view::npos || word.ends_with(".so");
}

Diagnostic UnknownPlugin(const std::string& name, const Catalog& catalog) {
  for (const CatalogEntry& entry : catalog.entries) {
    if (entry.note.name == name && entry.refusal) return RefusedFile(entry.path, *entry.refusal);
  }
  Diagnostic d = MakeError("P108", fmt::format("there is no plugin '{}'", name));
  SuggestName(d, name, catalog.PluginNames(), "plugins");
  d.help.push_back("'opsrun plugins' lists the plugins; you can also give the path of a plugin file");
  return d;
}

class WrapCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(plugins_, "PLUGIN", 1, Options::kAny);
    options.Flag("--cpp", cpp_, "write a C++17 header");
    options.Flag("--stubs", stubs_, "write a Python stub");
    options.Exclude("--cpp", "--stubs");
    options.Text("-o,--output FILE", output_,
                 "write to FILE instead of standard output; with --stubs, also to a directory, PLUGIN.pyi each");
    options.Text("--namespace NAME", name_space_, "the C++ namespace of all ops, a::b; by default that of each plugin");
    options.Exclude("--namespace", "--stubs");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (const std::optional<Diagnostic> unclear = CheckWords()) return console.Report(*unclear);
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    std::vector<GraphFile> in_use;
    for (const std::string& word : plugins_) {
      if (!Open(word, *engine->catalog(), common, console)) return kExitPlugins;
      const std::string& path = opened_.back().plugin->path;
      in_use.push_back({path, FileIdentity(path), fmt::format("plugin '{}'", opened_.back().plugin->name), {}});
    }
    if (const auto refused = RefuseFileInUse("-o", output_, in_use)) return console.Report(*refused);
    return (cpp_ ? WriteHeader(console) : WriteStubs(console)) ? kExitOk : kExitFailed;
  }

 private:
  bool ToDirectory() const {
    std::error_code error;
    return output_.ends_with('/') || std::filesystem::is_directory(output_, error);
  }

  std::optional<Diagnostic> CheckWords() const {
    if (!cpp_ && !stubs_) {
      return MakeError("U003", "opsrun wrap needs --cpp or --stubs",
                       fmt::format("for example: opsrun wrap --cpp {0} -o {0}.h", "math_ops"));
    }
    if (!name_space_.empty() && !IsCppNamespace(name_space_)) {
      return MakeError("U005", fmt::format("--namespace: '{}' is not a valid namespace", name_space_),
                       "write identifiers separated by '::', other than keywords, std and opsrun");
    }
    if (stubs_ && plugins_.size() > 1 && !ToDirectory()) {
      return MakeError("U005", "a stub describes one plugin", "pass a directory to -o, or name only one plugin");
    }
    return std::nullopt;
  }

  // False after an error.
  bool Open(const std::string& word, const Catalog& catalog, const CommonOptions& common, Console& console) {
    std::string file = word;
    if (LooksLikeFile(word)) {
      if (!CanRead(file, console)) return false;
    } else {
      const std::vector<size_t> named = catalog.EntriesNamed(word);
      if (named.empty()) {
        console.Report(UnknownPlugin(word, catalog));
        return false;
      }
      file = catalog.entries[named.front()].path;
    }
    const PluginOfFile& opened = opened_.emplace_back(OpenPluginOfFile(file, common));
    if (opened.plugin == nullptr) ReportNotOpened(file, opened, console);
    return opened.plugin != nullptr;
  }

  // Each plugin once, in the order of the arguments.
  std::vector<WrappedPlugin> Plugins() const {
    std::vector<WrappedPlugin> plugins;
    std::vector<std::string> paths;
    for (const PluginOfFile& opened : opened_) {
      if (std::find(paths.begin(), paths.end(), opened.plugin->path) != paths.end()) continue;
      paths.push_back(opened.plugin->path);
      plugins.push_back(OpsToWrap(*opened.plugin));
    }
    return plugins;
  }

  bool WriteHeader(Console& console) const {
    const std::vector<WrappedPlugin> plugins = Plugins();
    size_t ops = 0;
    for (const WrappedPlugin& plugin : plugins) ops += plugin.ops.size();
    return Write(CppHeader(plugins, name_space_), output_, ops, console);
  }

  bool WriteStubs(Console& console) const {
    const bool to_directory = ToDirectory();
    for (const WrappedPlugin& plugin : Plugins()) {
      const std::string file =
          to_directory ? (std::filesystem::path(output_) / (Identifier(plugin.name) + ".pyi")).string() : output_;
      if (!Write(PythonStub(plugin), file, plugin.ops.size(), console)) return false;
    }
    return true;
  }

  static bool Write(const std::string& text, const std::string& file, size_t ops, Console& console) {
    if (!WriteText(text, file, console)) return false;
    if (!file.empty() && file != "-") console.Ok(fmt::format("{}: {}", file, Several(ops, "op")));
    return true;
  }

  std::vector<std::string> plugins_;  // names of installed plugins, or files
  bool cpp_ = false, stubs_ = false;
  std::string output_, name_space_;
  std::deque<PluginOfFile> opened_;
};

class SchemaCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Text("-o,--output FILE", output_, "write to FILE instead of standard output");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::shared_ptr<const Catalog> catalog = engine->catalog();
    const LoadResult loaded = engine->OpenAll();
    if (const std::string refused = RefusedText(*catalog); !refused.empty()) console.Note(refused);
    const size_t ops = loaded.registry.Ops().size();
    if (ops == 0) console.Note("there are no ops; 'opsrun plugins' shows where plugins are searched for");
    if (!WriteText(GraphSchema(loaded.registry), output_, console)) return kExitFailed;
    if (output_.empty() || output_ == "-") return kExitOk;
    const std::string name = std::filesystem::path(output_).filename().string();
    console.Ok(fmt::format("{}: {}; begin a graph beside it with '# yaml-language-server: $schema={}'", output_,
                           Several(ops, "op"), name));
    return kExitOk;
  }

 private:
  std::string output_;  // a file; empty: standard output
};

}  // namespace

const CommandType kWrapCommand = {
    .name = "wrap",
    .arguments = "--cpp|--stubs PLUGIN...",
    .summary = "write a C++ header, or a Python stub, with a function for each op of a plugin",
    .about =
        R"(Writes a C++17 header with a class for each op of the plugins, for programs that embed opsrun, or a Python stub for
editors and type checkers. Loads the plugins.
)",
    .details =
        R"(PLUGIN is the name of an installed plugin, or a file: a word that contains '/' or ends in .so.
The output depends only on the plugins, not on where they are. Ops whose names begin with '_' are left out.
)",
    .notes = "The exit code is 4 if a plugin is missing or is refused.\n",
    .examples = R"(opsrun wrap --cpp math_ops array_ops -o ops.h
opsrun wrap --cpp ./my_op.so --namespace my::ops -o my_op.h
opsrun wrap --stubs math_ops -o math_ops.pyi
)",
    .make = Make<WrapCommand>,
};

const CommandType kSchemaCommand = {
    .name = "schema",
    .arguments = "",
    .summary = "write a JSON Schema of graphs, for completion and checks in editors",
    .about =
        "Writes a JSON Schema (draft 7) of graph files with the ops of the installed plugins. Loads all of them.\n",
    .details =
        R"(An editor with a YAML language server completes and checks a graph whose first line names the schema, with a path
relative to the graph:
  # yaml-language-server: $schema=graph.schema.json
)",
    .notes = "Write the schema again after you add or change plugins.\n",
    .examples = "opsrun schema -o graph.schema.json\n",
    .make = Make<SchemaCommand>,
};

}  // namespace opsrun::host
