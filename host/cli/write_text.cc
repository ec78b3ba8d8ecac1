// host/cli/write_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/write_text.h"

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

bool WriteText(std::string_view text, const std::string& file, Console& console) {
  if (file.empty() || file == "-") {
    console.Print(text);
    return true;
  }
  const Status status = WriteFile(text, file);
  if (status.ok()) return true;
  Diagnostic d;
  d.code = "R504";
  d.message = status.message();
  d.help = {"name a file that can be written with -o; one that was there before is unchanged"};
  console.Report(d);
  return false;
}

}  // namespace opsrun::host
