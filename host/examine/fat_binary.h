// host/examine/fat_binary.h: finds the GPU architectures that a library has code for, in CUDA's fat binaries, which are
// untrusted bytes.
//
// A fat binary is a header and a list of images, one for each architecture that nvcc compiled for. NVIDIA does not
// publish the format; this reads what nvcc 13 writes, and skips the images themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/examine/file_bytes.h"
#include "host/examine/judge_library.h"

namespace opsrun::host {

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
