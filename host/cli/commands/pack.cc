// host/cli/commands/pack.cc: opsrun pack, which makes packages of a plugin that was built elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "host/base/environment.h"
#include "host/base/file.h"
#include "host/base/text.h"
#include "host/cli/commands.h"
#include "host/cli/pack/package.h"
#include "host/cli/session.h"
#include "host/examine/catalog.h"
#include "host/examine/signature.h"
#include "host/plugin/ops_file.h"

namespace opsrun::host {
namespace {

// SOURCE_DATE_EPOCH, or 0. Nothing if it is not a number of seconds.
std::optional<int64_t> TimeOfPackages() {
  const char* const text = Environment("SOURCE_DATE_EPOCH");
  if (text == nullptr || *text == '\0') return 0;
  uint32_t seconds = 0;
  const std::string_view digits = text;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), seconds);
  if (error != std::errc() || end != digits.end()) return std::nullopt;
  return seconds;
}

class PackCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(file_, "PLUGIN.so", true);
    options.Flag("--deb", deb_, "a package for Debian and its relatives, for /usr/lib/opsrun");
    options.Flag("--tar", tar_, "an archive for any folder");
    options.Flag("--wheel", wheel_, "a package for Python");
    options.Text("-o,--output DIR", directory_,
                 "the directory to write to, which is created; by default the current one");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    const Prober prober(DefaultProbeOptions(!common.no_probe, common.look));
    const std::optional<JudgedPlugin> plugin =
        JudgeFile(file_, common, prober, LibrarySearch::OfThisProcess(), GpuCardsHere(), console);
    if (!plugin) return kExitPlugins;
    if (const std::optional<Refusal> refusal = FirstRefusal(plugin->findings))
      return console.Report(RefusedFile(file_, *refusal));
    std::error_code error;
    if (std::filesystem::exists(OpsFileOf(file_), error)) {
      const PluginOfFile opened = OpenPluginOfFile(file_, common);
      if (opened.plugin == nullptr) return ReportNotOpened(file_, opened, console);
    }
    if (const Status valid = CheckPackageVersion(plugin->note.version); !valid.ok()) {
      return console.Report(
          MakeError("U005", fmt::format("'{}' cannot be packed: {}", file_, valid.message()),
                    fmt::format("write OPSRUN_PLUGIN(\"{}\", \"1.0\") in its source", plugin->note.name)));
    }
    const std::optional<int64_t> time = TimeOfPackages();
    if (!time) {
      return console.Report(MakeError("U005", "SOURCE_DATE_EPOCH is not a number of seconds since 1970",
                                      "unset it, or set it to the time of the last commit: git log -1 --format=%ct"));
    }
    PackageContent content = {.note = plugin->note, .facts = {}, .files = {}, .time = *time};
    if (const Status read = Read(content); !read.ok()) return console.Report(MakeError("P102", read.message()));
    return Pack(content, console);
  }

 private:
  // The plugin's file name in packages: its own, if searches look at it, with plain characters only.
  std::string FileNameIn(const PluginNote& note) const {
    std::string name = std::filesystem::path(file_).filename().string();
    if (!IsPluginFileName(name)) name = note.name + ".so";
    for (char& c : name) {
      if (!IsLetter(c) && !IsDigit(c) && c != '.' && c != '-') c = '_';
    }
    return name;
  }

  // The plugin, and what is beside it.
  Status Read(PackageContent& content) const {
    constexpr size_t kMostBytes = size_t{2} << 30;
    const std::string name = FileNameIn(content.note), ops = OpsFileOf(file_), ops_name = OpsFileOf(name);
    const std::pair<std::string, std::string> files[] = {{file_, name},
                                                         {SignatureFileOf(file_), SignatureFileOf(name)},
                                                         {ops, ops_name},
                                                         {SignatureFileOf(ops), SignatureFileOf(ops_name)}};
    for (const auto& [path, packed] : files) {
      std::error_code error;
      if (path != file_ && !std::filesystem::exists(path, error)) continue;
      Result<std::string> bytes = ReadFile(path, kMostBytes);
      if (!bytes.ok()) return bytes.status();
      content.files.push_back({packed, *std::move(bytes)});
    }
    if (std::optional<LibraryFacts> facts = ReadLibraryFacts(file_)) content.facts = *std::move(facts);
    return OkStatus();
  }

  // Writes nothing before all packages are made.
  int Pack(const PackageContent& content, Console& console) const {
    const bool all = !deb_ && !tar_ && !wheel_;
    std::vector<std::pair<std::string, std::string>> packages;
    for (const auto& [wanted, kind] : {std::pair(deb_, PackageKind::kDeb), std::pair(tar_, PackageKind::kTar),
                                       std::pair(wheel_, PackageKind::kWheel)}) {
      if (!wanted && !all) continue;
      Result<std::string> bytes = MakePackage(content, kind);
      if (!bytes.ok()) {
        return console.Report(MakeError(
            "R504", bytes.status().message(),
            bytes.status().code() == OPSRUN_UNIMPLEMENTED ? "install libarchive-dev, and build opsrun from its sources" : ""));
      }
      packages.emplace_back((std::filesystem::path(directory_) / FileNameOf(content, kind)).string(),
                            *std::move(bytes));
    }
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    for (const auto& [path, bytes] : packages) {
      if (!WriteText(bytes, path, console)) return kExitFailed;
      console.Ok(fmt::format("packed {} {} as {}", content.note.name, content.note.version, path));
    }
    std::vector<std::string> others;
    DebianDependencies(content.facts, &others);
    if ((deb_ || all) && !others.empty())
      console.Note(fmt::format("the .deb does not depend on the packages of {}, which opsrun does not know",
                               fmt::join(others, ", ")));
    return kExitOk;
  }

  std::string file_, directory_ = ".";
  bool deb_ = false, tar_ = false, wheel_ = false;
};

}  // namespace

const CommandType kPackCommand = {
    .name = "pack",
    .arguments = "PLUGIN.so",
    .summary = "make packages of a plugin: a .deb, a .tar.gz and a wheel",
    .about =
        "Checks a plugin file as 'opsrun inspect' does, and makes packages of it: those that are named, or all "
        "three.\n",
    .details =
        "Name, version, license, home page, summary and level are what the plugin's notes say. A file\n"
        "PLUGIN.opsrun.yaml and signatures beside the plugin go along. The same files give the same packages, bit for\n"
        "bit: all times are SOURCE_DATE_EPOCH, or 1970.\n",
    .notes =
        "The exit code is 4 if the file is refused, 2 if it has no version, and 1 if a package cannot be written.\n",
    .examples = "opsrun pack my_op.so\nopsrun pack my_op.so --deb --wheel -o dist\n",
    .make = Make<PackCommand>,
};

}  // namespace opsrun::host
