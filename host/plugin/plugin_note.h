// host/plugin/plugin_note.h: what a plugin states about itself, read from its file as bytes. None of its code runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "host/base/dtype.h"
#include "host/base/refusal.h"

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

}  // namespace opsrun::host
