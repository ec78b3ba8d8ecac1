// host/examine/prober.h: decides whether this process may open a plugin, which a separate process opens first. Read
// this file first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/compatibility.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Identifies the content of a file without reading it.
struct FileStamp {
  uint64_t size = 0;
  int64_t time = 0;  // of the last change, in nanoseconds

  bool operator==(const FileStamp&) const = default;
};
std::optional<FileStamp> StampOf(const std::string& path);

// The record that a probe has opened a plugin successfully, and with which libraries.
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

  // Why the folder is not used: others can write to it. Nothing if there is no folder yet.
  std::optional<Refusal> Refused() const;
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

// Opens a plugin in a separate process before this one opens it.
//
// Damage that cannot be detected in the file, and code that crashes, hangs or ends the process while it is loaded, only
// affects that process. It runs the program opsrun-probe, which is in ../libexec/opsrun or ../../libexec/opsrun
// relative to the file of this code.

struct ProbeReport {
  std::optional<Refusal> refusal;      // how the probe ended, or why the opened file is refused
  bool by_table = false;               // refused because of its table, not because of what its code did
  std::vector<std::string> changes;    // process state that it changed: "the locale"
  std::vector<std::string> libraries;  // absolute paths of the files loaded with it
};

// The path of the program, or an empty path if it is not installed.
std::string FindProbe();

// Waits at most `limit` for the process, then kills it with all its children. path: of the plugin, absolute. level: of
// the host that it represents. Nothing if the process cannot be started.
std::optional<ProbeReport> Probe(const std::string& program, const std::string& path, uint32_t level,
                                 std::chrono::milliseconds limit);

// The default limit: far more than any plugin needs.
inline constexpr std::chrono::milliseconds kProbeLimit{10'000};

struct ProbeOptions {
  std::string program;  // opsrun-probe; empty: nothing is probed
  std::string folder;   // for verdicts; empty: none are kept
  std::chrono::milliseconds limit = kProbeLimit;
  LookOptions look = {};  // of the host that the probe represents
};

// The installed program, and the user's folder. probe: if false, nothing is opened, but kept verdicts are still used.
ProbeOptions DefaultProbeOptions(bool probe, const LookOptions& look);

// Thread-safe.
class Prober {
 public:
  explicit Prober(ProbeOptions options);

  // Why a file that is about to be opened must not be, or nothing. note: as read from the file.
  std::optional<Refusal> Admit(const std::string& path, const PluginNote& note) const;

  // For commands that show plugins: the findings of all checks and of the probe, which always runs. cards: those of the
  // machine that the plugin is for.
  std::vector<Finding> Judge(const std::string& path, const FileLook& look, const LibrarySearch& search,
                             const GpuCards& cards) const;

  bool probes() const { return !options_.program.empty(); }
  // Why kept verdicts are not used; nothing if they are, or if there are none.
  std::optional<Refusal> RefusedVerdicts() const { return verdicts_.Refused(); }

 private:
  std::optional<Refusal> RefuseUntrusted(const std::string& path) const;
  std::optional<ProbeReport> RunProbe(const std::string& path, const PluginNote& note) const;

  const ProbeOptions options_;
  const VerdictCache verdicts_;
};

// How the probe process reports to its parent.
//
// A record is a letter, a text and a NUL. Each is written to descriptor 3 at once, so records written before a crash
// are received.

inline constexpr int kProbeDescriptor = 3;

enum ProbeRecord : char {
  kProbePhase = 'p',    // the phase that begins: "in its entry"
  kProbeReason = 'r',   // why the opened file is refused
  kProbeRemedy = 'f',   // how to fix that
  kProbeMemory = 'm',   // the only problem is a lack of memory
  kProbeChange = 'c',   // what it left changed
  kProbeLibrary = 'l',  // a file loaded with it
  kProbeOpened = 'o',   // all records were written; only the end of the process follows
};

}  // namespace opsrun::host
