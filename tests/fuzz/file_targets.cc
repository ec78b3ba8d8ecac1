// tests/fuzz/file_targets.cc: parsers of plugin files, of libraries, and of other files.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/compatibility.h"
#include "host/examine/judge_library.h"
#include "host/examine/library_facts.h"
#include "host/examine/plugin_note.h"
#include "host/examine/prober.h"
#include "tests/fuzz/target.h"
#include "tests/host/examine/fake_elf.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

// Parses a plugin file: its notes, or a refusal.
namespace notes {

void Eat(std::string_view bytes) {
  const FileLook look = LookAtBytes(std::string(bytes), "stem");
  Require(look.kind < FileLook::Kind::kRefused || !look.note.name.empty(), "a plugin has a name");
  const bool says_why = !look.refusal.reason.empty() && !look.refusal.remedy.empty();
  Require(look.kind == FileLook::Kind::kPlugin || says_why, "a refusal has a reason and a remedy");
  const auto refusal = CheckTables(host::FileBytes(bytes));
  Require(!refusal || !refusal->reason.empty(), "so has a refusal to open it");
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = ContentsOf({OPSRUN_BAD_PLUGINS "/good.so"});
  FakeElf elf = PluginWith({"Alpha", "Beta", "*"});
  elf.needed = {"libc.so.6", "libm.so.6"};
  seeds.push_back(elf.Bytes());
  elf.notes += NoteBytes(OPSRUN_NOTE_KERNEL, "Alpha;GPU;T=3,1;U=10;#fast;one") +
               NoteBytes(OPSRUN_NOTE_NAME, "acme.images;1.4.0") + NoteBytes(OPSRUN_NOTE_CUDA, "rt=13000;sm=90") +
               NoteBytes(3, "0123", "GNU");
  seeds.push_back(elf.Bytes());
  return seeds;
}

std::vector<std::string> Words() {
  return {BytesOf(uint32_t{OPSRUN_NOTE_PLUGIN}), BytesOf(uint32_t{OPSRUN_NOTE_OP}),
          BytesOf(uint32_t{OPSRUN_NOTE_NAME}),   BytesOf(uint32_t{OPSRUN_NOTE_KERNEL}),
          std::string("opsrun\0\0", 8),          ";CPU;T=",
          BytesOf(uint64_t{DT_NEEDED}),          BytesOf(uint64_t{DT_INIT_ARRAY}),
          BytesOf(uint64_t{DT_SYMTAB}),          BytesOf(uint64_t{DT_RELA}),
          BytesOf(uint64_t{DT_GNU_HASH}),        BytesOf(UINT64_MAX)};
}

}  // namespace notes

// Parses a library: its requirements and exports, and findings about it.
namespace library {

void Eat(std::string_view bytes) {
  const std::optional<LibraryFacts> facts = ReadLibraryFacts(FileBytes(bytes));
  if (!facts) return;
  for (const Machine& machine : {Machine{1, "2.31"}, Machine{15, ""}}) {
    for (const Finding& finding : JudgeFacts(*facts, machine, OPSRUN_ENTRY_NAME)) {
      Require(!finding.text.empty(), "a finding has a text");
      Require(finding.state == Finding::State::kOk || !finding.remedy.empty(), "what is wrong has a remedy");
    }
  }
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = ContentsOf(
      {OPSRUN_BAD_PLUGINS "/good.so", OPSRUN_BAD_PLUGINS "/throws.so", OPSRUN_BAD_PLUGINS "/built_oddly/exports.so"});
  FakeElf elf = PluginWith({"Alpha"});
  elf.needed = {"libc.so.6"};
  elf.notes +=
      NoteBytes(3, "0123456789abcdef0123", "GNU") +
      NoteBytes(5, BytesOf(uint32_t{0xC0008002}) + BytesOf(uint32_t{4}) + BytesOf(uint32_t{7}) + "    ", "GNU");
  seeds.push_back(elf.Bytes());
  return seeds;
}

std::vector<std::string> Words() {
  return {BytesOf(uint64_t{DT_VERNEED}),
          BytesOf(uint64_t{DT_VERDEF}),
          BytesOf(uint64_t{DT_RUNPATH}),
          BytesOf(uint64_t{DT_FLAGS}),
          BytesOf(uint64_t{DF_STATIC_TLS}),
          BytesOf(uint64_t{DT_TEXTREL}),
          BytesOf(uint64_t{36}),
          BytesOf(uint64_t{DT_GNU_HASH}),
          BytesOf(uint32_t{0xC0008002}),
          BytesOf(UINT64_MAX)};
}

}  // namespace library

// Parses a section of fat binaries, and a file that may have one.
namespace gpu {

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
  return {fat, fat + std::string(16, '\0') + FatBytes(ImageBytes(kCubinImage, 90, 0x100011)),
          FileWithSection(".nv_fatbin", fat)};
}

std::vector<std::string> Words() {
  return {BytesOf(uint32_t{0xBA55ED50}), BytesOf(uint32_t{64}),    BytesOf(uint64_t{88}), ".nv_fatbin",
          BytesOf(UINT64_MAX),           ImageBytes(kPtxImage, 75)};
}

}  // namespace gpu

// Parses a file in the format of /etc/ld.so.cache.
namespace cache {

void Eat(std::string_view bytes) {
  for (const auto& [soname, paths] : ReadLinkerCache(FileBytes(bytes)))
    Require(!soname.empty() && !paths.empty() && !paths.front().empty(), "a library has a name and a path");
}

std::vector<std::string> Seeds() {
  const auto entry = [](uint32_t soname, uint32_t path) {
    return BytesOf(int32_t{0x303}) + BytesOf(soname) + BytesOf(path) + BytesOf(uint32_t{0}) + BytesOf(uint64_t{0});
  };
  const std::string texts = std::string("liba.so\0/lib/liba.so\0", 21);
  return {"glibc-ld.so.cache1.1" + BytesOf(uint32_t{2}) + BytesOf(uint32_t{21}) + std::string(20, '\0') +
          entry(96, 104) + entry(96, 104) + texts};
}

std::vector<std::string> Words() {
  return {"glibc-ld.so.cache1.1", BytesOf(uint32_t{96}), BytesOf(UINT32_MAX)};
}

}  // namespace cache

// Parses the text of a stored verdict.
namespace verdict {

void Eat(std::string_view bytes) {
  const std::optional<Verdict> verdict = ParseVerdict(bytes);
  if (verdict) Require(ParseVerdict(VerdictText(*verdict)) == verdict, "a verdict survives being written");
}

std::vector<std::string> Seeds() {
  Verdict verdict{"0.1.0 level 1", "/lib/a.so", {1234, 5678}, "00ff", 0x123456789, {{"/lib/libc.so.6", {1, 2}}}};
  const std::string whole = VerdictText(verdict);
  verdict.libraries.clear();
  verdict.build_id.clear();
  return {whole, VerdictText(verdict)};
}

std::vector<std::string> Words() {
  return {"opsrun verdict 1\n", "host ", "path ", "stamp ", "build ", "content ",
          "library 1 2 /x\n",   "end\n", "-",     "\n"};
}

}  // namespace verdict

// Demangles the name of a symbol, and finds advice for it.
namespace symbol {

void Eat(std::string_view bytes) {
  constexpr size_t kEnough = 1000;
  Require(host::SymbolText(bytes).size() < kEnough, "the text is short");
  Require(host::SymbolText(bytes).empty() == bytes.empty(), "it names the symbol");
  const host::Refusal refusal = host::ExplainUndefined("", bytes, 1);
  Require(!refusal.reason.empty() && !refusal.remedy.empty(), "a refusal has a reason and a remedy");
}

std::vector<std::string> Seeds() {
  return {"_ZN10tensorflow15OpKernelContext15allocate_outputEiRKNS_11TensorShapeEPPNS_6TensorE",
          "_ZTIN10tensorflow8OpKernelE",
          "_ZGVZN4absl4noneEvE1x",
          "_ZN6google8protobuf7MessageD2Ev",
          "_ZN4acme4blurIJifEEEvDpRKT_",
          "_Z1f1B1AIS_S_ES0_IS1_S1_ES0_IS2_S2_ES0_IS3_S3_ES0_IS4_S4_ES0_IS5_S5_ES0_IS6_S6_E",
          "__asan_init"};
}

// The parts of the grammar of mangled names.
std::vector<std::string> Words() {
  return {"S_", "S0_", "S1_", "T_", "T0_",  "Dp", "sp", "I",     "E", "J",
          "N",  "St",  "Ss",  "1A", "Dv4_", "X",  "L",  "fL0p_", "cv"};
}

}  // namespace symbol

}  // namespace

const Target kNotes = {"notes", notes::Eat, notes::Seeds, notes::Words};
const Target kLibrary = {"library", library::Eat, library::Seeds, library::Words};
const Target kGpu = {"gpu", gpu::Eat, gpu::Seeds, gpu::Words};
const Target kCache = {"cache", cache::Eat, cache::Seeds, cache::Words};
const Target kVerdict = {"verdict", verdict::Eat, verdict::Seeds, verdict::Words};
const Target kSymbol = {"symbol", symbol::Eat, symbol::Seeds, symbol::Words};

}  // namespace opsrun::fuzz
