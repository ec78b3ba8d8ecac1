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
#include "host/plugin/ops_file.h"

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

// The file that completes the ops of a plugin, which may be one of those hidden files.
fs::path OpsFileBeside(const fs::path& plugin) {
  return IsPluginFileName(plugin.filename().string()) ? OpsFileOf(plugin.string()) : plugin.string() + ".opsrun.yaml";
}

// Keeps the content of a file, which may be a link, as `previous`.
Status KeepOne(const fs::path& file, const fs::path& previous) {
  std::error_code error;
  fs::remove(previous, error);
  if (!fs::exists(file, error)) return OkStatus();
  fs::create_hard_link(fs::canonical(file, error), previous, error);
  if (error) fs::copy_file(file, previous, error);
  return error ? CannotWrite(previous, error) : OkStatus();
}

// The following functions treat a plugin's file and the one beside it alike. Where the plugin has none, they remove it.

Status Keep(const fs::path& plugin, const fs::path& previous) {
  const Status kept = KeepOne(plugin, previous);
  return kept.ok() ? KeepOne(OpsFileBeside(plugin), OpsFileBeside(previous)) : kept;
}

// Replaces a link itself.
Status Move(const fs::path& plugin, const fs::path& target) {
  std::error_code error;
  fs::rename(plugin, target, error);
  if (error) return CannotWrite(target, error);
  fs::rename(OpsFileBeside(plugin), OpsFileBeside(target), error);
  if (error == std::errc::no_such_file_or_directory) fs::remove(OpsFileBeside(target), error);
  return error ? CannotWrite(OpsFileBeside(target), error) : OkStatus();
}

Status RemoveBoth(const fs::path& plugin) {
  std::error_code error;
  fs::remove(plugin, error);
  if (!error) fs::remove(OpsFileBeside(plugin), error);
  return error ? CannotWrite(plugin, error) : OkStatus();
}

// Creates the directory with all above it, for everybody to read.
Status CreateDirectory(const fs::path& directory) {
  std::error_code error;
  if (fs::create_directories(directory, error)) fs::permissions(directory, fs::perms(0755), error);
  return error ? CannotWrite(directory, error) : OkStatus();
}

// Writes bytes to a file that everybody may read.
Status WriteFor(const std::string& bytes, const fs::path& path, fs::perms mode) {
  Result<AtomicFile> file = AtomicFile::Create(path.string());
  if (!file.ok()) return file.status();
  Status status = file->Write(bytes.data(), bytes.size());
  if (status.ok()) status = file->Commit();
  std::error_code error;
  if (status.ok()) fs::permissions(path, mode, error);
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
    const Prober prober(DefaultProbeOptions(!common.no_probe, common.look));
    std::vector<JudgedPlugin> plugins;
    for (const std::string& file : files_) {
      std::optional<JudgedPlugin> plugin =
          JudgeFile(file, common, prober, LibrarySearch::OfThisProcess(), GpuCardsHere(), console);
      if (!plugin) return kExitPlugins;
      if (const std::optional<Refusal> refusal = FirstRefusal(plugin->findings))
        return console.Report(RefusedFile(file, *refusal));
      if (const int code = CheckOpsFile(file, common, console); code != kExitOk) return code;
      plugins.push_back(*std::move(plugin));
    }
    int worst = kExitOk;
    for (const JudgedPlugin& plugin : plugins) worst = std::max(worst, Install(plugin, common, console));
    return worst;
  }

 private:
  static int CheckOpsFile(const std::string& file, const CommonOptions& common, Console& console) {
    std::error_code error;
    if (!fs::exists(OpsFileOf(file), error)) return kExitOk;
    const PluginOfFile opened = OpenPluginOfFile(file, common);
    return opened.plugin != nullptr ? kExitOk : ReportNotOpened(file, opened, console);
  }

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
    if (const Status written = WriteFor(*bytes, fresh, fs::perms(0755)); !written.ok()) return written;
    fs::remove(OpsFileBeside(fresh), error);  // of an install that was killed
    if (fs::exists(OpsFileOf(file), error)) {
      const Result<std::string> text = ReadFile(OpsFileOf(file), kMostBytes);
      if (!text.ok()) return text.status();
      const Status written = WriteFor(*text, OpsFileBeside(fresh), fs::perms(0644));
      if (!written.ok()) return written;
    }
    if (!before.empty()) {
      if (const Status kept = Keep(before, HiddenFile(directory_, plugin, "previous")); !kept.ok()) return kept;
    }
    if (const Status moved = Move(fresh, target); !moved.ok()) return moved;
    if (!before.empty() && before != target) {
      if (const Status removed = RemoveBoth(before); !removed.ok()) return removed;
    }
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
    const Status kept = Keep(file, previous);
    return kept.ok() ? RemoveBoth(file) : kept;
  }

  Status Restore(const fs::path& file, const fs::path& previous) const {
    const fs::path fresh = HiddenFile(directory_, plugin_, "new");
    if (const Status moved = Move(previous, fresh); !moved.ok()) return moved;
    if (!file.empty()) {
      if (const Status kept = Keep(file, previous); !kept.ok()) return kept;
    }
    const fs::path target = file.empty() ? fs::path(directory_) / (plugin_ + ".so") : file;
    return Move(fresh, target);
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
    .details =
        "A file FILE.opsrun.yaml, which completes the ops of FILE.so, is checked and copied with it. A version of the\n"
        "plugin that is there already is kept beside it; 'opsrun uninstall' can put it back.\n",
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
