// host/examine/verdict.h: that a plugin was opened well by a probe, and with what.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// Good verdicts, kept between programs: a file for each plugin path.
//
// What cannot be read or written is as if it were not there. A verdict holds as long as the plugin has the size, time
// and build id that it had, or the same content, and all libraries that were loaded with it are as they were.

// $XDG_CACHE_HOME/opsrun/verdicts, or ~/.cache/opsrun/verdicts; empty if neither is an absolute path.
std::string VerdictFolder();

class VerdictCache {
 public:
  // folder: made when something is written, and used only if nobody else may write to it; empty: nothing is kept.
  // level: of the host that asks.
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
