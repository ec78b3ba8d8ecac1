// host/examine/plugin_note.h: what a plugin states about itself, read from its file as bytes. None of its code runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/examine/elf_file.h"

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

// One translation unit's PLUGIN note.
struct UnitNote {
  uint32_t header_level = 0;
  uint32_t min_level = 0;
  uint32_t flags = 0;  // OPSRUN_BUILD_*
  std::string sdk_version;
  std::string compiler;
  std::vector<uint32_t> fingerprints;  // in the order of opsrun_note_plugin; those of level 1 at least
};

// The name and contents of a plugin. What is not a constant is missing: late_name, more_ops and more_kernels say so.
struct PluginNote {
  bool more() const { return more_ops || more_kernels; }
  // The lowest one of all units; 0 without units.
  uint32_t header_level() const;

  std::string name;        // of the NAME note, or the file's stem
  std::string version;     // empty without a NAME note
  bool late_name = false;  // the table has another name
  std::vector<UnitNote> units;
  std::vector<std::string> ops;  // sorted
  std::vector<KernelNote> kernels;
  std::vector<std::string> cuda;
  bool more_ops = false;            // than `ops` names
  bool more_kernels = false;        // than `kernels` names
  std::vector<std::string> needed;  // DT_NEEDED of the file
  std::string build_id;             // in hexadecimal digits; empty if the file has none
  uint64_t content_hash = 0;        // of all notes of opsrun, which the opened file must have too
};

// Parses the content of notes. Pure functions over bytes.

// The content of a PLUGIN note; nothing if it is shorter than that of level 1, or states a shorter size.
std::optional<UnitNote> ParseUnitNote(std::string_view content);

// The content of a KERNEL note other than "*"; nothing if it is malformed.
std::optional<KernelNote> ParseKernelNote(std::string_view content);

// Adds the content of the notes to *note, which holds the default name. Returns the first error, and still fills in
// what is readable, so that the ops of a refused file are known.
std::optional<Refusal> CollectNotes(const ElfNotes& notes, PluginNote* note);

// Checks whether a text from a plugin can be printed.

// True for valid UTF-8 without control characters, except newlines and tabs. Such a text can be used in messages and
// JSON.
bool IsPlainText(std::string_view text);

// True for plain text on one line that is not empty, such as a name.
bool IsPlainName(std::string_view text);

}  // namespace opsrun::host
