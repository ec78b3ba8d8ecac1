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

// Files beside a plugin that searches skip, since their names begin with a dot: "previous", "new".
fs::path HiddenFile(const fs::path& directory, const std::string& plugin, const char* what) {
  return directory / fmt::format(".{}.{}", plugin, what);
}

// The file of a plugin in one directory; empty if there is none.
fs::path FileOf(const std::string& directory, const std::string& plugin) {
  for (const CatalogEntry& entry : ReadCatalog({{.directory = directory}}).entries) {
    if (entry.note.name == plugin) return entry.path;
  }
  return "";
}

Status CannotWrite(const fs::path& path, const std::error_code& error) {
  return host::CannotWrite(path.string(), error.value());
}

// Keeps the content of a file, which may be a link, as `previous`.
Status Keep(const fs::path& file, const fs::path& previous) {
  std::error_code error;
  fs::remove(previous, error);
  fs::create_hard_link(fs::canonical(file, error), previous, error);
  if (error) fs::copy_file(file, previous, error);
  return error ? CannotWrite(previous, error) : OkStatus();
}

// Creates the directory with all above it, for everybody to read.
Status CreateDirectory(const fs::path& directory) {
  std::error_code error;
  if (fs::create_directories(directory, error)) fs::permissions(directory, fs::perms(0755), error);
  return error ? CannotWrite(directory, error) : OkStatus();
}

// Writes bytes to a file that everybody may read and execute.
Status WriteProgram(const std::string& bytes, const fs::path& path) {
  Result<AtomicFile> file = AtomicFile::Create(path.string());
  if (!file.ok()) return file.status();
  Status status = file->Write(bytes.data(), bytes.size());
  if (status.ok()) status = file->Commit();
  std::error_code error;
  if (status.ok()) fs::permissions(path, fs::perms(0755), error);
  return status;
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
    std::vector<JudgedPlugin> plugins;
    for (const std::string& file : files_) {
      std::optional<JudgedPlugin> plugin =
          JudgeFile(file, common, prober, LibrarySearch::OfThisProcess(), GpuCardsHere(), console);
      if (!plugin) return kExitPlugins;
      if (const std::optional<Refusal> refusal = FirstRefusal(plugin->findings))
        return console.Report(RefusedFile(file, *refusal));
      plugins.push_back(*std::move(plugin));
    }
    int worst = kExitOk;
    for (const JudgedPlugin& plugin : plugins) worst = std::max(worst, Install(plugin, common, console));
    return worst;
  }

 private:
  int Install(const JudgedPlugin& plugin, const CommonOptions& common, Console& console) {
    const std::string name = fs::path(plugin.file).filename().string();
    const fs::path target = fs::path(directory_) / (IsPluginFileName(name) ? name : plugin.note.name + ".so");
    const Result<bool> replaced = Copy(plugin.file, target, plugin.note.name);
    if (!replaced.ok())
      return console.Report(MakeError("R504", replaced.status().message(), "name another directory with --to"));
    const std::string version = plugin.note.version.empty() ? "" : " " + plugin.note.version;
    console.Ok(fmt::format("installed {}{} as {}{}", plugin.note.name, version, target.string(),
                           *replaced ? "; the previous version is kept: see opsrun uninstall --restore" : ""));
    const Catalog catalog = ReadCatalog(SearchedDirectories(common.plugins, !common.no_default_plugins));
    std::error_code error;
    const auto entry = std::ranges::find_if(
        catalog.entries, [&](const CatalogEntry& each) { return fs::equivalent(each.path, target, error); });
    if (entry == catalog.entries.end()) {
      console.Note(fmt::format("opsrun does not search {} by itself: use --plugins or OPSRUN_PLUGIN_PATH", directory_));
    } else if (!entry->hidden_by.empty()) {
      console.Note(fmt::format("{} has the same name and is used instead, since it comes first", entry->hidden_by));
    }
    return kExitOk;
  }

  // True if it replaced a file of that plugin, which is kept. At any moment there is the old file or the new one.
  // Programs that have opened the old one keep it.
  Result<bool> Copy(const std::string& file, const fs::path& target, const std::string& plugin) const {
    constexpr size_t kMostBytes = size_t{4} << 30;
    const Result<std::string> bytes = ReadFile(file, kMostBytes);
    if (!bytes.ok()) return bytes.status();
    if (const Status made = CreateDirectory(directory_); !made.ok()) return made;
    const fs::path before = FileOf(directory_, plugin), fresh = HiddenFile(directory_, plugin, "new");
    std::error_code error;
    if (fs::equivalent(file, target, error)) return false;
    if (before != target && fs::exists(target, error))
      return FailedPrecondition(fmt::format("'{}' exists and is not plugin '{}'", target.string(), plugin));
    if (const Status written = WriteProgram(*bytes, fresh); !written.ok()) return written;
    if (!before.empty()) {
      if (const Status kept = Keep(before, HiddenFile(directory_, plugin, "previous")); !kept.ok()) return kept;
    }
    fs::rename(fresh, target, error);  // replaces a link itself
    if (error) return CannotWrite(target, error);
    if (!before.empty() && before != target) fs::remove(before, error);
    return !before.empty();
  }

  std::vector<std::string> files_;
  std::string directory_;
};

class UninstallCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(plugin_, "PLUGIN", true);
    options.Text("--from DIR", directory_, "the directory to remove it from; the default is ~/.local/lib/opsrun");
    options.Flag("--restore", restore_, "exchange it for the previous version, or the one that was removed last");
  }

  int Execute(const CommonOptions&, Console& console) override {
    if (directory_.empty()) directory_ = UserDirectory();
    if (directory_.empty()) return console.Report(MakeError("U003", "HOME is not set", "name a directory with --from"));
    const fs::path file = FileOf(directory_, plugin_), previous = HiddenFile(directory_, plugin_, "previous");
    std::error_code error;
    if (restore_ ? !fs::exists(previous, error) : file.empty()) {
      return console.Report(MakeError(
          "P108",
          fmt::format("there is no {}plugin '{}' in {}", restore_ ? "previous version of " : "", plugin_, directory_),
          "'opsrun plugins' lists the plugins and their directories; name one with --from"));
    }
    const Status done = restore_ ? Restore(file, previous) : Remove(file, previous);
    if (!done.ok())
      return console.Report(MakeError("R504", done.message(), "run it as the user to whom the directory belongs"));
    console.Ok(fmt::format("{} {}", restore_ ? "restored the previous version of" : "removed", plugin_));
    return kExitOk;
  }

 private:
  static Status Remove(const fs::path& file, const fs::path& previous) {
    if (const Status kept = Keep(file, previous); !kept.ok()) return kept;
    std::error_code error;
    fs::remove(file, error);
    return error ? CannotWrite(file, error) : OkStatus();
  }

  Status Restore(const fs::path& file, const fs::path& previous) const {
    const fs::path fresh = HiddenFile(directory_, plugin_, "new");
    std::error_code error;
    fs::rename(previous, fresh, error);
    if (error) return CannotWrite(fresh, error);
    if (!file.empty()) {
      if (const Status kept = Keep(file, previous); !kept.ok()) return kept;
    }
    const fs::path target = file.empty() ? fs::path(directory_) / (plugin_ + ".so") : file;
    fs::rename(fresh, target, error);
    return error ? CannotWrite(target, error) : OkStatus();
  }

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
    .notes = "The exit code is 4 if a file is refused: then none is copied. It is 1 if one cannot be copied.\n",
    .examples = "opsrun install my_op.so\nsudo opsrun install my_op.so --to /usr/local/lib/opsrun\n",
    .make = Make<InstallCommand>,
};

const CommandType kUninstallCommand = {
    .name = "uninstall",
    .arguments = "PLUGIN",
    .summary = "remove a plugin from a plugin directory, or restore its previous version",
    .about =
        "Removes a plugin, by its name, from a plugin directory. Its file is kept, hidden, until the next change.\n",
    .notes = "The exit code is 4 if the directory has no such plugin.\n",
    .examples = "opsrun uninstall my_op\nopsrun uninstall my_op --restore\n",
    .make = Make<UninstallCommand>,
};

}  // namespace opsrun::host
