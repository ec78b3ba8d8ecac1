// tests/fuzz/notes_target.cc: the bytes of a file to a plugin's notes, or to a refusal.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/check_tables.h"
#include "host/examine/read_notes.h"
#include "tests/fuzz/target.h"
#include "tests/host/examine/fake_elf.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

void Eat(std::string_view bytes) {
  const FileLook look = LookAtBytes(std::string(bytes), "stem");
  Require(look.kind < FileLook::Kind::kRefused || !look.note.name.empty(), "a plugin has a name");
  const bool says_why = !look.refusal.reason.empty() && !look.refusal.remedy.empty();
  Require(look.kind == FileLook::Kind::kPlugin || says_why, "a refusal has a reason and a remedy");
  const auto refusal = CheckTables(host::FileBytes(bytes));
  Require(!refusal || !refusal->reason.empty(), "so has a refusal to open it");
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = Corpus("notes", {OPSRUN_BAD_PLUGINS "/good.so"});
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

}  // namespace

const Target kNotes = {"notes", Eat, Seeds, Words};

}  // namespace opsrun::fuzz
