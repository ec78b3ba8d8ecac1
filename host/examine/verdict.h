// host/examine/verdict.h: records that a probe has opened a plugin successfully, and with which libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opsrun::host {

// Identifies the content of a file without reading it.
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

// Text with one fact per line, and the reverse; nothing if the text is damaged.
std::string VerdictText(const Verdict& verdict);
std::optional<Verdict> ParseVerdict(std::string_view text);

// Good verdicts, kept on disk: a file for each plugin path.
//
// A verdict that cannot be read or written counts as missing. It is valid while the plugin has the same size, time and
// build id, or the same content, and all libraries that were loaded with it are unchanged.

// $XDG_CACHE_HOME/opsrun/verdicts, or ~/.cache/opsrun/verdicts; empty if neither is an absolute path.
std::string VerdictFolder();

class VerdictCache {
 public:
  // folder: created when something is written, and used only if no other user can write to it; empty: nothing is kept.
  // level: of the host.
  VerdictCache(std::string folder, uint32_t level) : folder_(std::move(folder)), level_(level) {}

  // path: absolute.
  bool IsKnownGood(const std::string& path, const std::string& build_id) const;
  void RememberGood(const std::string& path, const std::string& build_id,
                    const std::vector<std::string>& libraries) const;

 private:
  std::string ThisHost() const;
  void Write(const Verdict& verdict) const;

  const std::string folder_;
  const uint32_t level_;
};

}  // namespace opsrun::host
