// host/cli/named_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/named_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "host/base/atomic_file.h"
#include "host/base/errno_text.h"

namespace opsrun::host {
namespace {

Status WriteFile(std::string_view text, const std::string& path) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file.ok()) return file.status();
  const Status status = file->Write(text.data(), text.size());
  return status.ok() ? file->Commit() : status;
}

}  // namespace

bool CanRead(const std::string& file, Console& console) {
  if (access(file.c_str(), R_OK) == 0) return true;
  console.Report(MakeError("P102", fmt::format("cannot read '{}': {}", file, ErrnoText(errno))));
  return false;
}

std::vector<GraphFile> FilesInUse(const Graph* graph, const std::vector<FeedArgument>& feeds) {
  std::vector<GraphFile> files;
  if (graph != nullptr) {
    files = FilesRead(*graph);
    for (GraphFile& file : FilesWritten(*graph)) files.push_back(std::move(file));
  }
  for (const FeedArgument& feed : feeds) {
    files.push_back({feed.path, FileIdentity(feed.path), "--feed " + feed.name, {}});
  }
  return files;
}

std::optional<Diagnostic> RefuseFileInUse(const std::string& option, const std::string& file,
                                          const std::vector<GraphFile>& in_use) {
  if (file.empty() || file == "-") return std::nullopt;
  const std::string identity = FileIdentity(file);
  for (const GraphFile& each : in_use) {
    if (each.identity != identity) continue;
    return MakeError("U007", fmt::format("{} names '{}', which is the file of {}", option, file, each.what),
                     "name another file");
  }
  return std::nullopt;
}

bool WriteText(std::string_view text, const std::string& file, Console& console) {
  if (file.empty() || file == "-") {
    console.Print(text);
    return true;
  }
  const Status status = WriteFile(text, file);
  if (status.ok()) return true;
  console.Report(MakeError("R504", status.message(),
                           "name a file that can be written with -o; one that was there before is unchanged"));
  return false;
}

}  // namespace opsrun::host
