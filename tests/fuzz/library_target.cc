// tests/fuzz/library_target.cc: the bytes of a library to what it needs and offers, and to findings about it.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/judge_library.h"
#include "tests/fuzz/target.h"
#include "tests/host/examine/fake_elf.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

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
  std::vector<std::string> seeds = Corpus("library", {OPSRUN_BAD_PLUGINS "/good.so", OPSRUN_BAD_PLUGINS "/throws.so",
                                                      OPSRUN_BAD_PLUGINS "/built_oddly/exports.so"});
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

}  // namespace

const Target kLibrary = {"library", Eat, Seeds, Words};

}  // namespace opsrun::fuzz
