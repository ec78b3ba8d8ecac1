// host/cli/named_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/named_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "host/base/errno_text.h"
#include "host/base/file.h"

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
