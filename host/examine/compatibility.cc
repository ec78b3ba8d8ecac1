// host/examine/compatibility.cc: levels, layouts and sanitizers.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/compatibility.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

struct Layout {
  std::string_view name;
  uint32_t fingerprint;
};

// The order is that of opsrun_note_plugin.
#define OPSRUN_LAYOUT(T, fp, FIELDS, signatures) {#T, OPSRUN_FP(T, fp, FIELDS, signatures)},
constexpr Layout kLayouts[] = {OPSRUN_STRUCTS(OPSRUN_LAYOUT)
#if OPSRUN_LEVEL >= 2
                                   OPSRUN_STRUCTS_2(OPSRUN_LAYOUT)
#endif
};
#undef OPSRUN_LAYOUT
static_assert(sizeof(opsrun_note_plugin) ==
                  offsetof(opsrun_note_plugin, fp_str) + std::size(kLayouts) * sizeof(uint32_t),
              "each fingerprint of the note has its row");

struct CpuFeature {
  uint32_t bit;
  std::string_view name;
};
#define OPSRUN_CPU_FEATURE(bit, name, macro) {bit, name},
#define OPSRUN_CPU_MASK(bit, name, macro) | uint64_t{1} << (bit)
#if defined(__aarch64__)
constexpr CpuFeature kCpu[] = {OPSRUN_ARM_CPU(OPSRUN_CPU_FEATURE)};
constexpr uint64_t kKnownCpu = 0 OPSRUN_ARM_CPU(OPSRUN_CPU_MASK);
#else
constexpr CpuFeature kCpu[] = {OPSRUN_X86_CPU(OPSRUN_CPU_FEATURE)};
constexpr uint64_t kKnownCpu = 0 OPSRUN_X86_CPU(OPSRUN_CPU_MASK);
#endif
#undef OPSRUN_CPU_FEATURE
#undef OPSRUN_CPU_MASK

struct Sanitizer {
  uint32_t bit;
  std::string_view name;
  std::string_view flag;
};
constexpr Sanitizer kSanitizers[] = {
    {OPSRUN_BUILD_ASAN, "AddressSanitizer", "-fsanitize=address"},
    {OPSRUN_BUILD_TSAN, "ThreadSanitizer", "-fsanitize=thread"},
    {OPSRUN_BUILD_MSAN, "MemorySanitizer", "-fsanitize=memory"},
};

// "SDK 0.1.0, gcc 12.2.0"
std::string Origin(const UnitNote& unit) {
  return fmt::format("SDK {}, {}", unit.sdk_version, unit.compiler);
}

std::optional<Refusal> CheckLevel(const UnitNote& unit, uint32_t host_level) {
  if (unit.min_level <= host_level) return std::nullopt;
  return Refusal{fmt::format("needs level {} of opsrun, but this opsrun offers {} (built with {})", unit.min_level,
                             host_level, Origin(unit)),
                 fmt::format("use a newer opsrun, or build it again with -DOPSRUN_TARGET_LEVEL={}", host_level)};
}

std::optional<Refusal> CheckLayouts(const UnitNote& unit) {
  for (size_t i = 0; i < std::min(std::size(kLayouts), unit.fingerprints.size()); ++i) {
    if (unit.fingerprints[i] == kLayouts[i].fingerprint) continue;
    return Refusal{
        fmt::format("{} is laid out differently in it (built with {})", kLayouts[i].name, Origin(unit)),
        "build it again with an unchanged opsrun/c_api.h and without flags that move fields, such as -fpack-struct"};
  }
  return std::nullopt;
}

std::optional<Refusal> CheckFlags(const UnitNote& unit, uint32_t host_level) {
  const uint32_t unknown = unit.flags & ~kBuildFlags;
  if (unknown == 0 || unit.header_level > host_level) return std::nullopt;
  return Refusal{fmt::format("its PLUGIN note has flags {:#x}, which level {} does not name (built with {})", unknown,
                             unit.header_level, Origin(unit)),
                 "build it again with an unchanged opsrun/c_api.h"};
}

std::optional<Refusal> CheckSanitizers(const UnitNote& unit) {
  for (const Sanitizer& sanitizer : kSanitizers) {
    if ((unit.flags & sanitizer.bit & ~OPSRUN_BUILD_FLAGS) == 0) continue;
    return Refusal{fmt::format("built with {}, but this opsrun is not", sanitizer.name),
                   fmt::format("build it again without {}, or use an opsrun that is built with it", sanitizer.flag)};
  }
  return std::nullopt;
}

std::optional<Refusal> CheckCpu(const UnitNote& unit, uint64_t (*cpu_here)()) {
  const uint64_t missing = unit.cpu == 0 ? 0 : unit.cpu & kKnownCpu & ~cpu_here();
  if (missing == 0) return std::nullopt;
  return Refusal{fmt::format("compiled for a processor with {}, which this one does not have (built with {})",
                             fmt::join(CpuNames(missing), ", "), Origin(unit)),
                 "build it again on this machine, or without -march=native and other flags that need more; if the "
                 "plugin asks the processor before it uses them, with -DOPSRUN_CPU_CHECKED"};
}

}  // namespace

std::vector<std::string> CpuNames(uint64_t bits) {
  std::vector<std::string> names;
  for (const CpuFeature& feature : kCpu) {
    if ((bits >> feature.bit & 1) != 0) names.emplace_back(feature.name);
  }
  return names;
}

uint64_t CpuOf(std::string_view cpuinfo) {
  uint64_t bits = 0;
  while (!cpuinfo.empty()) {
    std::string_view line = TakePart(&cpuinfo, "\n");
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    TakePart(&line, ":");
    while (!line.empty()) {
      const std::string_view word = TakePart(&line, " ");
      for (const CpuFeature& feature : kCpu) bits |= word == feature.name ? uint64_t{1} << feature.bit : 0;
    }
    return bits;  // those of the other processors are the same
  }
  return kKnownCpu;
}

uint64_t CpuHere() {
  static const uint64_t bits = [] {
    std::ifstream file("/proc/cpuinfo");
    std::string head(64 * 1024, '\0');  // more than the lines of one processor
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    return CpuOf(std::string_view(head.data(), static_cast<size_t>(file.gcount())));
  }();
  return bits;
}

std::optional<Refusal> CheckCompatible(const PluginNote& note, uint32_t host_level, uint64_t (*cpu_here)()) {
  if (note.units.empty()) return Refusal{"it has no PLUGIN note", "build it again with the opsrun SDK"};
  auto highest = std::max_element(note.units.begin(), note.units.end(),
                                  [](const UnitNote& a, const UnitNote& b) { return a.min_level < b.min_level; });
  if (auto refusal = CheckLevel(*highest, host_level)) return refusal;
  for (const UnitNote& unit : note.units) {
    if (auto refusal = CheckLayouts(unit)) return refusal;
    if (auto refusal = CheckFlags(unit, host_level)) return refusal;
    if (auto refusal = CheckSanitizers(unit)) return refusal;
    if (auto refusal = CheckCpu(unit, cpu_here)) return refusal;
  }
  return std::nullopt;
}

std::string RealPath(const std::string& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? std::filesystem::absolute(path, error).string() : real.string();
}

std::optional<Refusal> RefuseToOpen(const std::string& path) {
  return FirstRefusal(JudgeLibrary(RealPath(path), OPSRUN_ENTRY_NAME, LibrarySearch::OfThisProcess()));
}

std::vector<Finding> JudgePlugin(const std::string& path, const FileLook& look, const LibrarySearch& search) {
  if (look.kind != FileLook::Kind::kPlugin) return {RefusedBy("contract", {look.refusal.reason, look.refusal.remedy})};
  uint32_t needed = 0;
  for (const UnitNote& unit : look.note.units) needed = std::max(needed, unit.min_level);
  std::vector<Finding> findings = {
      {"contract", Finding::State::kOk, fmt::format("needs level {}, all layouts are equal", needed), ""}};
  for (Finding& finding : JudgeLibrary(RealPath(path), OPSRUN_ENTRY_NAME, search))
    findings.push_back(std::move(finding));
  return findings;
}

Diagnostic RefusedFile(const std::string& file, const Refusal& refusal) {
  if (refusal.out_of_memory)
    return MakeError("D100", fmt::format("no memory for '{}': {}", file, refusal.reason), refusal.remedy);
  return MakeError("P104", fmt::format("'{}' is refused: {}", file, refusal.reason), refusal.remedy);
}

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
