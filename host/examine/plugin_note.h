// host/examine/plugin_note.h: what a plugin says about itself, read from the bytes of its file. None of its code runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/examine/elf_file.h"
#include "host/examine/minisign.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A KERNEL note: "Op;CPU;T=3,1;#label".
struct KernelNote {
  struct Constraint {
    std::string attr;
    std::vector<DType> types;

    auto operator<=>(const Constraint&) const = default;
  };
  std::string op;
  std::string device;
  std::vector<Constraint> constraints;
  std::string label;

  auto operator<=>(const KernelNote&) const = default;
};

// The flags of a PLUGIN note and of a plugin's table that this host knows.
inline constexpr uint32_t kBuildFlags =
    OPSRUN_BUILD_ASAN | OPSRUN_BUILD_TSAN | OPSRUN_BUILD_MSAN | OPSRUN_BUILD_DEBUG_LIBRARY;

// The PLUGIN note of a translation unit.
struct UnitNote {
  uint32_t header_level = 0;
  uint32_t min_level = 0;
  uint32_t flags = 0;  // OPSRUN_BUILD_*
  uint64_t cpu = 0;    // as in opsrun_note_plugin
  std::string sdk_version;
  std::string compiler;
  std::vector<uint32_t> fingerprints;  // in the order of opsrun_note_plugin; at least those of level 1
};

// The name and contents of a plugin. Only constants are in notes: late_name, more_ops and more_kernels mark what is
// not.
struct PluginNote {
  bool more() const { return more_ops || more_kernels; }
  // The minimum over all units; 0 without units.
  uint32_t header_level() const;

  std::string name;        // from the NAME note, or the stem of the file name
  std::string version;     // empty without a NAME note
  bool late_name = false;  // the plugin's table has another name
  std::vector<UnitNote> units;
  std::vector<std::string> ops;  // sorted
  std::vector<KernelNote> kernels;
  std::vector<std::string> cuda;
  // Of the META note: the license, the home page and a summary, as (key, text) in the order of the note.
  std::vector<std::pair<std::string, std::string>> meta;
  bool more_ops = false;            // there are more than in `ops`
  bool more_kernels = false;        // there are more than in `kernels`
  std::vector<std::string> needed;  // DT_NEEDED of the file
  std::string build_id;             // in hexadecimal digits; empty if there is none
  uint64_t content_hash = 0;        // of all opsrun notes; the file that is opened must have the same
};

// Parses a PLUGIN note; nothing if it is shorter than that of level 1, or states a shorter size.
std::optional<UnitNote> ParseUnitNote(std::string_view content);

// Adds the content of the notes to *note, which has the default name. Returns the first error, but adds all that is
// readable, so that the ops of a refused file are known.
std::optional<Refusal> CollectNotes(const ElfNotes& notes, PluginNote* note);

// True for valid UTF-8 without control characters, except newlines and tabs: text from a plugin that is safe in
// messages and JSON.
bool IsPlainText(std::string_view text);

// True for a nonempty line of plain text, such as a name.
bool IsPlainName(std::string_view text);

// The examination of a plugin file before it is opened. Reads the ELF header, the program headers, the notes of
// .note.opsrun and the dynamic section with pread.
struct FileLook {
  enum class Kind {
    kNotOurs,     // a shared library without an opsrun note: skipped without a message
    kNotLibrary,  // cannot be loaded; see refusal
    kRefused,     // an opsrun plugin, or so damaged that it may be one; see refusal
    kPlugin,      // compatible with this host; may be opened
  };
  Kind kind = Kind::kNotOurs;
  PluginNote note;  // what could be read; has the ops that a refused file claims
  Refusal refusal;  // unless kPlugin; that of kNotOurs is for commands about this file
};

struct LookOptions {
  uint32_t level = OPSRUN_LEVEL;     // of the host, which decides what plugins may require
  bool allow_writable = false;       // accept files that others can change or replace (writers.h)
  std::vector<PublicKey> keys = {};  // one of them must have signed a file that is opened; none: no signature is needed

  // A signature says whose file was judged; that nobody exchanges it before it is mapped, only its modes say.
  bool accepts_writable() const { return allow_writable && keys.empty(); }
};

// Examines one file and decides whether this host can open it.
FileLook LookAtFile(const std::string& path, const LookOptions& options = {});

// For tests and fuzzers: the same for bytes in memory. stem: the name of a plugin without a NAME note.
FileLook LookAtBytes(const std::string& bytes, const std::string& stem);

}  // namespace opsrun::host
