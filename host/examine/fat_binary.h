// host/examine/fat_binary.h: for which graphics cards a library has code: CUDA's fat binaries, read as untrusted bytes.
//
// A fat binary is a header and a list of images, one for each architecture that nvcc was told to compile for. NVIDIA
// does not publish the format; what is read here is what nvcc 13 writes, and the images themselves are skipped.
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
  // For every card, for one capability alone ("sm_90a"), or for the capabilities of one family ("sm_100f").
  enum class Reach { kPlain, kExact, kFamily };
  Capability capability = 0;
  Reach reach = Reach::kPlain;
  bool ptx = false;  // compiled by the driver, also for cards that are newer

  auto operator<=>(const GpuImage&) const = default;

  // As nvcc's options have it: "sm_90a", "compute_90".
  std::string Name() const;
  bool RunsOn(Capability card) const;
};

struct GpuCode {
  std::vector<GpuImage> images;  // sorted, each once
  bool damaged = false;          // there is more that cannot be read

  bool empty() const { return images.empty() && !damaged; }
};

// Of the sections that nvcc writes. Empty if the file has none, or no table of sections.
GpuCode ReadGpuCode(const FileBytes& bytes);

// The cards of this machine, in the order of the driver. Asked only for files that have code for one.
using GpuCards = std::function<std::vector<Capability>()>;

// What a user should know about it: all images, or the first card that none of them runs on. code: not empty.
Finding JudgeGpuCode(const GpuCode& code, const std::vector<Capability>& cards);

}  // namespace opsrun::host
