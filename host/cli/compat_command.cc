// host/cli/compat_command.cc: opsrun compat. Opens the files that it compares.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "host/base/units.h"
#include "host/cli/commands.h"
#include "host/show/compat_report.h"
#include "host/cli/exit_code.h"
#include "host/cli/refused_file.h"
#include "host/plugin/load.h"
#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

// The versions that were named. A file is opened once, however often it is named: its entry is called once.
class Versions {
 public:
  Versions(const CommonOptions& common, Console& console) : common_(common), console_(console) {}

  // False after an error.
  bool Open(const std::string& file) {
    if (!CanRead(file, console_)) return false;
    for (size_t i = 0; i < files_.size(); ++i) {
      std::error_code error;
      if (!std::filesystem::equivalent(files_[i], file, error)) continue;
      which_.push_back(i);
      return true;
    }
    which_.push_back(files_.size());
    files_.push_back(file);
    return Take(file, LoadFile(file, host_.get(), common_.opening));
  }

  size_t size() const { return which_.size(); }
  const Registry& operator[](size_t i) const { return loaded_[which_[i]].registry; }

 private:
  bool Take(const std::string& file, LoadResult loaded) {
    for (const std::string& message : loaded.messages) console_.Note(message);
    for (const LoadRefusal& refused : loaded.refused) {
      RefuseFile(console_, "P104", fmt::format("'{}' is refused: {}", file, refused.refusal.reason),
                 refused.refusal.remedy);
    }
    loaded_.push_back(std::move(loaded));
    return loaded_.back().refused.empty();
  }

  const CommonOptions& common_;
  Console& console_;
  const std::shared_ptr<opsrun_host> host_ = MakeHostTable(OpenCpuDevice());
  std::vector<std::string> files_;
  std::vector<LoadResult> loaded_;
  std::vector<size_t> which_;
};

}  // namespace

int Execute(const CompatCommand& command, const CommonOptions& common, Console& console) {
  Versions versions(common, console);
  for (const std::string& file : command.files) {
    if (!versions.Open(file)) return kExitPlugins;
  }
  const size_t last = versions.size() - 1;
  const CompatReport report = ComparePlugins(versions[0], last == 2 ? &versions[1] : nullptr, versions[last]);
  console.Print(report.text);
  console.Print(fmt::format("{} equal, {} safe, {} unsafe\n", Several(report.equal, "op"),
                            Several(report.safe, "difference"), report.unsafe));
  return report.unsafe == 0 ? kExitOk : kExitFailed;
}

}  // namespace opsrun::host
