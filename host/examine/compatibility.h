// host/examine/compatibility.h: checks whether this host can open a plugin, and whether the plugin has code for its
// GPUs. Pure functions that create the refusal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/elf_file.h"
#include "host/examine/judge_library.h"
#include "host/examine/plugin_note.h"

namespace opsrun::host {

// Nothing if the plugin is compatible. Checks that there is a PLUGIN note, that its min_level is at most host_level
// (the message has both), that all fingerprints are equal (the message names the struct), that a note of this level or
// a lower one has no unknown flags, that this host has the same sanitizers, and that the processor has the instructions
// that the plugin is compiled for. cpu_here: returns those of this machine, as CpuHere; called only if it matters.
std::optional<Refusal> CheckCompatible(const PluginNote& note, uint32_t host_level, uint64_t (*cpu_here)());

// Which of OPSRUN_X86_CPU or OPSRUN_ARM_CPU this processor and its kernel support; all if /proc/cpuinfo cannot be read.
uint64_t CpuHere();
// The same from the text of /proc/cpuinfo.
uint64_t CpuOf(std::string_view cpuinfo);
// Their names in /proc/cpuinfo, for messages.
std::vector<std::string> CpuNames(uint64_t bits);

// The absolute path without links, by which files are opened: a bare name would be searched for in the system's
// directories, and $ORIGIN refers to the directory of the real file.
std::string RealPath(const std::string& path);

// Why this process must not open the file, judging by its bytes and the libraries that it needs; or nothing.
std::optional<Refusal> RefuseToOpen(const std::string& path);

// The findings of all checks, that of the notes first. If the notes are refused, nothing else is checked. look: the
// result for this file, which is a plugin or refused.
std::vector<Finding> JudgePlugin(const std::string& path, const FileLook& look, const LibrarySearch& search);

// The error for a refused plugin file that the user named: P104, or D100 if the only problem is a lack of memory.
Diagnostic RefusedFile(const std::string& file, const Refusal& refusal);

// The GPU architectures that a library has code for, in CUDA's fat binaries, which are untrusted bytes.
//
// A fat binary is a header and a list of images, one for each architecture that nvcc compiled for. NVIDIA does not
// publish the format; this reads what nvcc 13 writes, and skips the images themselves.

// The compute capability of a card or of code, as a number: 86 is 8.6.
using Capability = uint32_t;

struct GpuImage {
  // For all cards, for one capability only ("sm_90a"), or for one family of capabilities ("sm_100f").
  enum class Reach { kPlain, kExact, kFamily };
  Capability capability = 0;
  Reach reach = Reach::kPlain;
  bool ptx = false;  // compiled by the driver, also for newer cards

  auto operator<=>(const GpuImage&) const = default;

  // As in nvcc's options: "sm_90a", "compute_90".
  std::string Name() const;
  bool RunsOn(Capability card) const;
};

struct GpuCode {
  std::vector<GpuImage> images;  // sorted, without duplicates
  bool damaged = false;          // more could not be read

  bool empty() const { return images.empty() && !damaged; }
};

// Reads the sections that nvcc writes. Empty if the file has none, or no section table.
GpuCode ReadGpuCode(const FileBytes& bytes);

// Returns the cards of this machine, in the driver's order. Called only for files that have code for a card.
using GpuCards = std::function<std::vector<Capability>()>;

// The finding for the user: all images, or the first card that none of them runs on. Requires: code is not empty.
Finding JudgeGpuCode(const GpuCode& code, const std::vector<Capability>& cards);

}  // namespace opsrun::host
