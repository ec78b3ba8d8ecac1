// host/plugin/plugin_note.h: what a plugin states about itself, read from its file as bytes. None of its code runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/dtype.h"

namespace opsrun::host {

// A KERNEL note: "Op;CPU;T=3,1;#label".
struct KernelNote {
  struct Constraint {
    std::string attr;
    std::vector<DType> types;
  };
  std::string op;
  std::string device;
  std::vector<Constraint> constraints;
  std::string label;
};

// One translation unit's PLUGIN note.
struct UnitNote {
  uint32_t header_level = 0;
  uint32_t min_level = 0;
  uint32_t flags = 0;  // OPSRUN_BUILD_*
  std::string sdk_version;
  std::string compiler;
  std::vector<uint32_t> fingerprints;  // in the order of opsrun_note_plugin
};

// The name and contents of a plugin. Names of ops and kernels that are not constants are missing; `more` is true if
// there are any.
struct PluginNote {
  std::string name;     // of the NAME note, or the file's stem
  std::string version;  // empty without a NAME note
  std::vector<UnitNote> units;
  std::vector<std::string> ops;  // sorted
  std::vector<KernelNote> kernels;
  std::vector<std::string> cuda;
  bool more = false;
  std::vector<std::string> needed;  // DT_NEEDED of the file
};

// Why a file is not used: the reason, and what to do about it. Both are sentences without a full stop.
struct Refusal {
  std::string reason;
  std::string remedy;
};

}  // namespace opsrun::host
