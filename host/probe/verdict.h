// host/probe/verdict.h: that a plugin was opened well by a probe, and with what.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opsrun::host {

// What identifies the content of a file without reading it.
struct FileStamp {
  uint64_t size = 0;
  int64_t time = 0;  // of the last change, in nanoseconds

  bool operator==(const FileStamp&) const = default;
};
std::optional<FileStamp> StampOf(const std::string& path);

struct Verdict {
  struct Library {
    std::string path;
    FileStamp stamp;

    bool operator==(const Library&) const = default;
  };

  std::string host;  // the version and level of the opsrun that probed it
  std::string path;  // of the plugin, absolute
  FileStamp stamp;
  std::string build_id;
  uint64_t content = 0;  // HashOf its bytes
  std::vector<Library> libraries;

  bool operator==(const Verdict&) const = default;
};

// Text, one fact a line, and back; nothing if the text is damaged.
std::string VerdictText(const Verdict& verdict);
std::optional<Verdict> ParseVerdict(std::string_view text);

}  // namespace opsrun::host
