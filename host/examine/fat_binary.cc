// SPDX-License-Identifier: Apache-2.0
#include "host/examine/fat_binary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/examine/elf_file.h"

namespace opsrun::host {
namespace {

constexpr uint32_t kMagic = 0xBA55ED50;
constexpr uint16_t kVersion = 1;
constexpr size_t kMostSteps = 65'536;  // over fat binaries, images and gaps of a file
constexpr size_t kLongestName = 16;
constexpr uint32_t kGap = 8;  // linkers align sections with zeros
constexpr Capability kHighest = 1000;

struct Header {
  uint32_t magic;
  uint16_t version, size;
  uint64_t images_size;
};

struct ImageHeader {
  uint16_t kind, version;
  uint32_t size;
  uint64_t image_size;  // including padding
  uint32_t unknown[3];
  uint32_t capability;
  uint32_t more_unknown[2];
  uint64_t flags;
};
static_assert(sizeof(Header) == 16 && sizeof(ImageHeader) == 48);

constexpr uint16_t kPtx = 1, kCubin = 2;
constexpr uint64_t kExact = 0x100000, kFamily = 0x200000;

class FatBinaryReader {
 public:
  FatBinaryReader(const FileBytes& bytes, GpuCode* code) : bytes_(bytes), code_(code) {}

  // Reads one section.
  void Read(uint64_t at, uint64_t size) {
    code_->damaged |= !bytes_.Holds(at, size);
    const uint64_t end = at + size;
    while (!code_->damaged && at < end) at = Next(at, end);
  }

 private:
  // Reads what begins at `at`, and returns its end.
  uint64_t Next(uint64_t at, uint64_t end) {
    Header header = {};
    if (IsGap(at, end)) return at + std::min<uint64_t>(kGap, end - at);
    if (!Get(at, end, &header) || header.magic != kMagic || header.version != kVersion ||
        header.size < sizeof(Header) || !Fits(at, end, header.size, header.images_size))
      return Damaged(end);
    uint64_t image = at + header.size;
    const uint64_t images_end = image + header.images_size;
    while (image < images_end && !code_->damaged) image = NextImage(image, images_end);
    return images_end;
  }

  uint64_t NextImage(uint64_t at, uint64_t end) {
    ImageHeader header = {};
    if (!Get(at, end, &header) || header.size < sizeof(ImageHeader) || !Fits(at, end, header.size, header.image_size))
      return Damaged(end);
    if (header.kind == kPtx || header.kind == kCubin) {
      if (header.capability == 0 || header.capability >= kHighest) return Damaged(end);
      const auto reach = (header.flags & kExact) != 0    ? GpuImage::Reach::kExact
                         : (header.flags & kFamily) != 0 ? GpuImage::Reach::kFamily
                                                         : GpuImage::Reach::kPlain;
      Add({header.capability, reach, header.kind == kPtx});
    }
    return at + header.size + header.image_size;
  }

  template <typename T>
  bool Get(uint64_t at, uint64_t end, T* header) {
    return ++steps_ <= kMostSteps && end - at >= sizeof(T) && bytes_.Read(at, sizeof(T), header);
  }

  // True if a header and its content end at or before `end`.
  static bool Fits(uint64_t at, uint64_t end, uint64_t header, uint64_t rest) {
    return header <= end - at && rest <= end - at - header;
  }

  bool IsGap(uint64_t at, uint64_t end) {
    char bytes[kGap] = {};
    const auto is_zero = [](char byte) { return byte == 0; };
    return ++steps_ <= kMostSteps && bytes_.Read(at, std::min<uint64_t>(kGap, end - at), bytes) &&
           std::all_of(bytes, bytes + kGap, is_zero);
  }

  // Few images differ, even in a file with thousands of them.
  void Add(const GpuImage& image) {
    const auto place = std::lower_bound(code_->images.begin(), code_->images.end(), image);
    if (place == code_->images.end() || *place != image) code_->images.insert(place, image);
  }

  uint64_t Damaged(uint64_t end) {
    code_->damaged = true;
    return end;
  }

  const FileBytes& bytes_;
  GpuCode* code_;
  size_t steps_ = 0;
};

std::string NamesOf(const std::vector<GpuImage>& images) {
  std::vector<std::string> names;
  for (const GpuImage& image : images) names.push_back(image.Name());
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string GpuImage::Name() const {
  const char* suffix = reach == Reach::kExact ? "a" : reach == Reach::kFamily ? "f" : "";
  return fmt::format("{}_{}{}", ptx ? "compute" : "sm", capability, suffix);
}

// Machine code runs on cards of its generation that are not older. So far, a family is a generation.
bool GpuImage::RunsOn(Capability card) const {
  if (reach == Reach::kExact) return card == capability;
  const bool one_generation = card / 10 == capability / 10;
  return card >= capability && (one_generation || (ptx && reach == Reach::kPlain));
}

GpuCode ReadGpuCode(const FileBytes& bytes) {
  GpuCode code;
  const ElfFile elf(bytes);
  if (!elf.is_elf()) return code;
  const std::vector<Elf64_Shdr> sections = elf.Sections();
  if (elf.header().e_shstrndx >= sections.size()) return code;
  const uint64_t names = sections[elf.header().e_shstrndx].sh_offset;
  FatBinaryReader reader(bytes, &code);
  for (const Elf64_Shdr& section : sections) {
    uint64_t name = 0;
    if (section.sh_type != SHT_PROGBITS || __builtin_add_overflow(names, section.sh_name, &name)) continue;
    if (bytes.ReadText(name, kLongestName) == ".nv_fatbin") reader.Read(section.sh_offset, section.sh_size);
  }
  return code;
}

Finding JudgeGpuCode(const GpuCode& code, const std::vector<Capability>& cards) {
  constexpr char kCheck[] = "GPU code";
  if (code.damaged) {
    return {kCheck, Finding::State::kWarning, "its GPU code cannot be read: its GPU kernels may not run",
            "copy it again, or build it again with a version of nvcc that this opsrun knows"};
  }
  for (const Capability& card : cards) {
    const auto runs = [&](const GpuImage& image) { return image.RunsOn(card); };
    if (std::any_of(code.images.begin(), code.images.end(), runs)) continue;
    return {
        kCheck, Finding::State::kWarning,
        fmt::format("its GPU kernels cannot run on card {} (sm_{}): they are compiled for {}", &card - cards.data(),
                    card, NamesOf(code.images)),
        fmt::format("compile them also with nvcc -gencode=arch=compute_{0},code=sm_{0}; its CPU kernels run", card)};
  }
  return {kCheck, Finding::State::kOk, NamesOf(code.images), ""};
}

}  // namespace opsrun::host
