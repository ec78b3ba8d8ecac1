// host/cli/commands/install.cc: opsrun install and uninstall, which copy judged plugins to a plugin directory.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/examine/catalog.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

// The user's plugin directory; empty without HOME.
std::string UserDirectory() {
  for (const SearchedDirectory& place : SearchedDirectories({}, true)) {
    if (place.of_user) return place.directory;
  }
  return "";
}

// Where the version before of a plugin is kept. Searches skip files whose names begin with a dot.
fs::path PlaceOfPrevious(const fs::path& directory, const std::string& plugin) {
  return directory / fmt::format(".{}.previous", plugin);
}

// The file of a plugin in one directory; empty if there is none.
fs::path FileOf(const std::string& directory, const std::string& plugin) {
  for (const CatalogEntry& entry : ReadCatalog({{.directory = directory}}).entries) {
    if (entry.note.name == plugin) return entry.path;
  }
  return "";
}

class InstallCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(files_, "FILE.so", 1, Options::kAny);
    options.Text("--to DIR", directory_, "the directory to copy to; it is created. The default is ~/.local/lib/opsrun");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    if (directory_.empty()) directory_ = UserDirectory();
    if (directory_.empty()) return console.Report(MakeError("U003", "HOME is not set", "name a directory with --to"));
    const Prober prober(DefaultProbeOptions(!common.no_probe, common.abi_level));
    int worst = kExitOk;
    for (const std::string& file : files_) worst = std::max(worst, Install(file, common, prober, console));
    return worst;
  }

 private:
  int Install(const std::string& file, const CommonOptions& common, const Prober& prober, Console& console) {
    const std::optional<JudgedPlugin> plugin =
        JudgeFile(file, common, prober, LibrarySearch::OfThisProcess(), GpuCardsHere(), console);
    if (!plugin) return kExitPlugins;
    if (const std::optional<Refusal> refusal = FirstRefusal(plugin->findings))
      return console.Report(RefusedFile(file, *refusal));
    const fs::path target = fs::path(directory_) / fs::path(file).filename();
    const Result<std::string> replaced = Copy(file, target, plugin->note.name);
    if (!replaced.ok()) {
      return console.Report(
          MakeError("R504", replaced.status().message(), "name another directory with --to; nothing was changed"));
    }
    const std::string version = plugin->note.version.empty() ? "" : " " + plugin->note.version;
    console.Ok(fmt::format("installed {}{} as {}{}", plugin->note.name, version, target.string(),
                           replaced->empty() ? "" : fmt::format("; the version before is kept: {}", *replaced)));
    const Catalog catalog = ReadCatalog(SearchedDirectories(common.plugins, !common.no_default_plugins));
    const auto entry = std::ranges::find(catalog.entries, target.string(), &CatalogEntry::path);
    if (entry == catalog.entries.end()) {
      console.Note(fmt::format("opsrun does not search {} by itself: use --plugins or OPSRUN_PLUGIN_PATH", directory_));
    } else if (!entry->hidden_by.empty()) {
      console.Note(fmt::format("{} has the same name and is used instead, since it comes first", entry->hidden_by));
    }
    return kExitOk;
  }

  // Replaces the file of that plugin, if there is one. Returns where it is kept. Programs that have opened it keep it.
  Result<std::string> Copy(const std::string& file, const fs::path& target, const std::string& plugin) const {
    constexpr size_t kMostBytes = size_t{4} << 30;
    const Result<std::string> bytes = ReadFile(file, kMostBytes);
    if (!bytes.ok()) return bytes.status();
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) return CannotWrite(directory_, error.value());
    const fs::path before = FileOf(directory_, plugin);
    if (fs::equivalent(file, target, error)) return std::string();
    if (before != target && fs::exists(target, error))
      return FailedPrecondition(fmt::format("'{}' exists and is not plugin '{}'", target.string(), plugin));
    Result<AtomicFile> copy = AtomicFile::Create(target);
    if (!copy.ok()) return copy.status();
    if (const Status written = copy->Write(bytes->data(), bytes->size()); !written.ok()) return written;
    const fs::path previous = PlaceOfPrevious(directory_, plugin);
    if (!before.empty()) {  // there is a plugin of that name at any moment
      fs::remove(previous, error);
      fs::copy(before, previous, fs::copy_options::create_hard_links, error);
      if (error) fs::copy(before, previous, error);
      if (error) return CannotWrite(previous, error.value());
    }
    if (const Status committed = copy->Commit(); !committed.ok()) return committed;
    if (before.empty()) return std::string();
    if (before != target) fs::remove(before, error);
    return previous.string();
  }

  std::vector<std::string> files_;
  std::string directory_;
};

class UninstallCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(plugin_, "PLUGIN", true);
    options.Text("--from DIR", directory_, "the directory to remove it from; the default is ~/.local/lib/opsrun");
    options.Flag("--restore", restore_, "put the version before in its place");
  }

  int Execute(const CommonOptions&, Console& console) override {
    if (directory_.empty()) directory_ = UserDirectory();
    const fs::path file = FileOf(directory_, plugin_), previous = PlaceOfPrevious(directory_, plugin_);
    std::error_code error;
    if (file.empty() || (restore_ && !fs::exists(previous, error))) {
      return console.Report(
          MakeError("P108",
                    fmt::format("there is no {}plugin '{}' in {}", file.empty() ? "" : "earlier version of ", plugin_,
                                directory_),
                    "'opsrun plugins' lists the plugins and their directories; name one with --from"));
    }
    if (restore_) {
      fs::rename(previous, file, error);
    } else {
      fs::remove(file, error);
    }
    if (error) return console.Report(MakeError("R504", CannotWrite(file, error.value()).message()));
    console.Ok(fmt::format("{} {}", restore_ ? "restored the version before as" : "removed", file.string()));
    return kExitOk;
  }

 private:
  std::string plugin_, directory_;
  bool restore_ = false;
};

}  // namespace

const CommandType kInstallCommand = {
    .name = "install",
    .arguments = "FILE.so...",
    .summary = "check plugin files and copy them to a plugin directory",
    .about = "Checks plugin files as 'opsrun inspect' does, and copies those that pass to a plugin directory.\n",
    .details = "A version of the plugin that is there already is kept beside it; 'opsrun uninstall' can put it back.\n",
    .notes = "The exit code is 4 if a file is refused, and 1 if it cannot be copied. Nothing is changed then.\n",
    .examples = "opsrun install my_op.so\nsudo opsrun install my_op.so --to /usr/local/lib/opsrun\n",
    .make = Make<InstallCommand>,
};

const CommandType kUninstallCommand = {
    .name = "uninstall",
    .arguments = "PLUGIN",
    .summary = "remove a plugin from a plugin directory, or restore its version before",
    .about = "Removes a plugin, by its name, from a plugin directory.\n",
    .notes = "The exit code is 4 if the directory has no such plugin.\n",
    .examples = "opsrun uninstall my_op\nopsrun uninstall my_op --restore\n",
    .make = Make<UninstallCommand>,
};

}  // namespace opsrun::host
