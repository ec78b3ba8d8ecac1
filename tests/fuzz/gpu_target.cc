// tests/fuzz/gpu_target.cc: a section of fat binaries, and a file that may have one.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/fat_binary.h"
#include "tests/fuzz/target.h"
#include "tests/host/examine/fat_bytes.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

void Judge(std::string_view file) {
  const GpuCode code = ReadGpuCode(FileBytes(file));
  for (const GpuImage& image : code.images) {
    Require(image.capability != 0 && !image.Name().empty(), "an image is for a card");
    Require(image.RunsOn(image.capability), "an image runs on the card that it was compiled for");
  }
  if (code.empty()) return;
  for (const std::vector<Capability>& cards : {std::vector<Capability>{}, {75, 86, 103}}) {
    const Finding finding = JudgeGpuCode(code, cards);
    Require(!finding.text.empty(), "a finding has a text");
    Require(finding.state == Finding::State::kOk || !finding.remedy.empty(), "what is wrong has a remedy");
  }
}

void Eat(std::string_view bytes) {
  Judge(bytes);
  Judge(FileWithSection(".nv_fatbin", bytes));
}

std::vector<std::string> Seeds() {
  const std::string fat = FatBytes(ImageBytes(kCubinImage, 80) + ImageBytes(kPtxImage, 90, 0x8011));
  std::vector<std::string> seeds = Corpus("gpu", {});
  seeds.push_back(fat);
  seeds.push_back(fat + std::string(16, '\0') + FatBytes(ImageBytes(kCubinImage, 90, 0x100011)));
  seeds.push_back(FileWithSection(".nv_fatbin", fat));
  return seeds;
}

std::vector<std::string> Words() {
  return {BytesOf(uint32_t{0xBA55ED50}), BytesOf(uint32_t{64}),    BytesOf(uint64_t{88}), ".nv_fatbin",
          BytesOf(UINT64_MAX),           ImageBytes(kPtxImage, 75)};
}

}  // namespace

const Target kGpu = {"gpu", Eat, Seeds, Words};

}  // namespace opsrun::fuzz
