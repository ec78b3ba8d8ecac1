// SPDX-License-Identifier: Apache-2.0
#include "host/cli/replay.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/base/text.h"
#include "host/cli/session.h"
#include "host/engine/engine.h"
#include "host/tensor/digest.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

constexpr char kDebuggerFlag[] = "--debugger";
constexpr size_t kLargestText = size_t{1} << 20;

std::string TextIn(const Value& map, const char* key) {
  const Value* const value = map.Find(key);
  const std::string* const text = value == nullptr ? nullptr : FindText(*value);
  return text == nullptr ? "" : *text;
}

// The plugins of plugin.yaml; none if there is no such file, or if somebody has changed its form.
std::vector<Value> ReadPlugins(const std::string& path) {
  const Result<std::string> text = ReadFile(path, kLargestText);
  if (!text.ok()) return {};
  Diagnostics ignored;
  std::optional<Value> root = ReadYaml({path, *text}, ignored);
  const Value* const plugins = root && root->kind == Value::Kind::kMap ? root->Find("plugins") : nullptr;
  std::vector<Value> maps;
  if (plugins == nullptr || plugins->kind != Value::Kind::kList) return maps;
  std::ranges::copy_if(plugins->items, std::back_inserter(maps),
                       [](const Value& each) { return each.kind == Value::Kind::kMap; });
  return maps;
}

}  // namespace

void AddReproDir(Options& options, GraphOptions& graph) {
  options.Text("--repro-dir DIR", graph.repro_dir,
               "if a node fails or crashes, write what is needed to run it alone to DIR, a new folder;\n"
               "'opsrun run DIR' replays it. Slower, since inputs are copied before each kernel");
}

bool OpenReproDir(GraphOptions& graph, Console& console) {
  if (graph.repro_dir.empty()) return true;
  std::string command = "opsrun run " + graph.repro_dir;
  if (graph.threads != 0) command += fmt::format(" --threads {}", graph.threads);
  if (graph.run.nan_check) command += " --nan-check";
  if (graph.run.check_memory) command += " --check-memory";
  Result<std::shared_ptr<ReproFolder>> folder = ReproFolder::Create(graph.repro_dir, std::move(command));
  if (folder.ok()) {
    graph.run.repro = *std::move(folder);
    return true;
  }
  console.Report(MakeError("U005", fmt::format("--repro-dir: {}", folder.status().message()), kNewFolderHelp));
  return false;
}

void NoteNoRepro(const GraphOptions& graph, Console& console) {
  if (graph.run.repro == nullptr || graph.run.repro->is_written()) return;
  console.Note(fmt::format("no node failed, so {} was not written", graph.repro_dir));
}

void KeepStuck(const LanePool& lanes, Diagnostic& d) {
  for (const std::unique_ptr<Lane>& lane : lanes.lanes()) {
    for (const RunningStep& step : lane->Running()) {
      const RunningNode kept = lane->KeptOf(step.step);
      if (kept.folder != nullptr) return Mention(WriteRepro(kept, d), d);
    }
  }
}

Replay::Replay(GraphOptions& graph, CommonOptions& common) {
  std::error_code error;
  if (!std::filesystem::is_directory(graph.graph, error)) return;
  const std::filesystem::path folder = graph.graph;
  graph.graph = (folder / "graph.yaml").string();
  for (const Value& plugin : ReadPlugins((folder / "plugin.yaml").string())) {
    plugins_.push_back({TextIn(plugin, "name"), TextIn(plugin, "version"), TextIn(plugin, "xxh3_128")});
    const std::string path = DirectoryOf(TextIn(plugin, "path"));
    if (std::filesystem::is_directory(path, error)) common.plugins.push_back(path);
  }
}

void Replay::Compare(const Registry& registry, Console& console) const {
  for (const PluginThen& then : plugins_) {
    const auto now = std::ranges::find(registry.plugins(), then.name, [](const auto& each) { return each->name; });
    if (now == registry.plugins().end()) continue;
    const Result<std::string> digest = DigestOfFile((*now)->path);
    if (digest.ok() && *digest == then.digest) continue;
    Diagnostic d;
    d.severity = Diagnostic::Severity::kWarning;
    d.message = fmt::format("plugin '{}' ({}) is not the one that failed: its file has other contents", then.name,
                            (*now)->path);
    if ((*now)->version != then.version)
      d.notes.push_back(fmt::format("its version was '{}' and is '{}'", then.version, (*now)->version));
    console.Report(d);
  }
}

int StartDebugger(Console& console) {
  std::vector<std::string> words = OwnWords();
  std::ranges::replace(words, kDebuggerFlag, fmt::format("--isolate={}", kIsolateNone));
  const std::string gdb = FindProgram("gdb"), lldb = gdb.empty() ? FindProgram("lldb") : "";
  if (gdb.empty() && lldb.empty()) {
    return console.Report(MakeError("U005", "--debugger: neither gdb nor lldb is on the PATH",
                                    "install one of them, such as with: apt-get install gdb"));
  }
  if (words.empty()) return console.Report(MakeError("U005", "--debugger: /proc/self/cmdline cannot be read"));
  words[0] = OwnFile().string();
  const std::vector<std::string> before = gdb.empty() ? std::vector<std::string>{lldb, "-o", "run", "--"}
                                                      : std::vector<std::string>{gdb, "-q", "-ex", "run", "--args"};
  words.insert(words.begin(), before.begin(), before.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const OutputAside::Back back(console.aside());
  for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_DFL);
  execv(words[0].c_str(), arguments.data());
  return console.Report(MakeError("U005", fmt::format("--debugger: {}: {}", words[0], ErrnoText(errno))));
}

}  // namespace opsrun::host
