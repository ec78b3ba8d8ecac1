// tests/host/examine/read_notes_test.cc: what is read from good and bad bytes.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/read_notes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "host/examine/elf_file.h"
#include "tests/host/examine/fake_elf.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

using Kind = FileLook::Kind;
using Strings = std::vector<std::string>;

FileLook LookAt(const FakeElf& elf) {
  return LookAtBytes(elf.Bytes(), "stem");
}

// The reason for a refusal; fails the test if the file is not refused.
std::string Reason(const FileLook& look) {
  EXPECT_EQ(look.kind, Kind::kRefused);
  return look.refusal.reason;
}

TEST(LookAtBytes, ReadsEveryKindOfNote) {
  FakeElf elf = PluginWith({"Zeta", "Alpha"}, NoteBytes(OPSRUN_NOTE_KERNEL, "Alpha;GPU;T=3,1;U=10;#fast;one") +
                                                  NoteBytes(OPSRUN_NOTE_CUDA, "rt=13000;sm=90") +
                                                  NoteBytes(OPSRUN_NOTE_NAME, "acme.images;1.4.0"));
  elf.needed = {"libm.so.6", "libc.so.6"};
  FileLook look = LookAt(elf);
  ASSERT_EQ(look.kind, Kind::kPlugin) << look.refusal.reason;
  EXPECT_EQ(look.note.name, "acme.images");
  EXPECT_EQ(look.note.version, "1.4.0");
  EXPECT_EQ(look.note.ops, (Strings{"Alpha", "Zeta"}));
  EXPECT_EQ(look.note.needed, elf.needed);
  EXPECT_EQ(look.note.build_id, "") << "of the notes of another owner";
  EXPECT_EQ(look.note.cuda, Strings{"rt=13000;sm=90"});
  EXPECT_FALSE(look.note.more());
  ASSERT_EQ(look.note.kernels.size(), 1u);
  const KernelNote& kernel = look.note.kernels[0];
  EXPECT_EQ(kernel.op + kernel.device + kernel.label, "AlphaGPUfast;one");
  ASSERT_EQ(kernel.constraints.size(), 2u);
  EXPECT_EQ(kernel.constraints[0].types, (std::vector<DType>{DType::kInt32, DType::kFloat32}));
  // A file that was built again is told from the one before by this.
  elf.notes += NoteBytes(3, std::string("\x01\xAB\0\xFF", 4), "GNU");
  EXPECT_EQ(LookAt(elf).note.build_id, "01ab00ff");
}

// Notes of 16 MiB are read, most of them padding; what lies beyond could be anything.
TEST(LookAtBytes, ReadsAsManyBytesOfNotesAsAFileMayHave) {
  FakeElf elf = PluginWith({"A"});
  elf.notes.resize(kMaxNoteBytes);
  EXPECT_EQ(LookAt(elf).kind, Kind::kPlugin);
  elf.notes.resize(kMaxNoteBytes + 4);
  EXPECT_EQ(LookAt(elf).kind, Kind::kRefused);
}

TEST(LookAtBytes, TakesTheStemWithoutANameNote) {
  EXPECT_EQ(LookAt(PluginWith({"A"})).note.name, "stem");
  // A file that is refused for its name is called by the name that it had before.
  const std::string a = NoteBytes(OPSRUN_NOTE_NAME, "a;1"), b = NoteBytes(OPSRUN_NOTE_NAME, "b;2");
  for (const auto& [notes, name] : {std::pair(NoteBytes(OPSRUN_NOTE_NAME, "a b;1"), "stem;"),
                                    std::pair(NoteBytes(OPSRUN_NOTE_NAME, ";1"), "stem;"), std::pair(a + b, "a;1")}) {
    const FileLook look = LookAt(PluginWith({"A"}, notes));
    EXPECT_EQ(look.kind, Kind::kRefused);
    EXPECT_EQ(look.note.name + ";" + look.note.version, name);
  }
}

TEST(LookAtBytes, SaysThatThereIsMoreThanTheNotesTell) {
  FileLook look = LookAt(PluginWith({"A", "*"}));
  EXPECT_EQ(look.kind, Kind::kPlugin);
  EXPECT_TRUE(look.note.more());
  EXPECT_EQ(look.note.ops, Strings{"A"});
}

TEST(LookAtBytes, SkipsForeignNotesPaddingAndKindsOfLaterLevels) {
  FakeElf elf;
  elf.notes = NoteBytes(3, "0123", "GNU") + std::string(8, '\0') + UnitNoteBytes() + std::string(4, '\0') +
              NoteBytes(0x4F5001FE, "of level 9") + NoteBytes(OPSRUN_NOTE_OP, "A");
  EXPECT_EQ(LookAt(elf).kind, Kind::kPlugin);
  EXPECT_EQ(LookAt(elf).note.ops, Strings{"A"});
}

TEST(LookAtBytes, PassesOverWhatIsNotOurs) {
  FakeElf other;
  other.notes = NoteBytes(3, "0123", "GNU");
  EXPECT_EQ(LookAt(other).kind, Kind::kNotOurs);
  EXPECT_EQ(LookAtBytes("", "empty").kind, Kind::kNotLibrary);
  EXPECT_EQ(LookAtBytes("no library, but opsrun is mentioned", "text").kind, Kind::kNotLibrary);
  other.machine = EM_AARCH64;
  EXPECT_EQ(LookAt(other).kind, Kind::kNotLibrary);
}

TEST(LookAtBytes, RefusesAnotherMachineAndNamesBoth) {
  FakeElf elf = PluginWith({"A"});
  elf.machine = ThisMachine() == EM_S390 ? EM_ARM : EM_S390;
  FileLook look = LookAt(elf);
  EXPECT_NE(Reason(look).find("built for S/390, this machine is "), std::string::npos) << look.refusal.reason;
  EXPECT_EQ(look.note.ops, Strings{"A"}) << "a refused file still says what it claims";
}

TEST(LookAtBytes, RefusesOtherKindsOfElfFiles) {
  std::string bytes = PluginWith({"A"}).Bytes();
  bytes[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(Reason(LookAtBytes(bytes, "x")), "built for 32 bits, this opsrun has 64");
  bytes[EI_CLASS] = ELFCLASS64;
  bytes[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(Reason(LookAtBytes(bytes, "x")), "built for a big-endian machine, this one is little-endian");
  FakeElf elf = PluginWith({"A"});
  elf.type = ET_REL;
  EXPECT_EQ(Reason(LookAt(elf)), "an object file, not a shared library");
  elf.type = ET_EXEC;
  EXPECT_EQ(Reason(LookAt(elf)), "not a shared library");
  elf.type = ET_DYN;
  elf.stack_flags = PF_R | PF_W | PF_X;
  EXPECT_EQ(LookAt(elf).refusal.remedy, "link it with -z noexecstack");
}

TEST(LookAtBytes, RefusesEveryTruncationWithBothSizes) {
  FakeElf elf = PluginWith({"A"});
  const std::string bytes = elf.Bytes();
  elf.bytes_beyond_the_end = 1000;
  const FileLook look = LookAt(elf);
  EXPECT_EQ(Reason(look), "the file is truncated: it has " + std::to_string(bytes.size()) +
                              " bytes, its segments need " + std::to_string(bytes.size() + 1000));
  EXPECT_EQ(look.refusal.remedy, "copy it again");
  for (size_t n = 4; n < bytes.size(); ++n) EXPECT_EQ(LookAtBytes(bytes.substr(0, n), "x").kind, Kind::kRefused) << n;
  EXPECT_EQ(Reason(LookAtBytes(bytes.substr(0, 40), "x")),
            "the file is truncated: it has 40 bytes, its ELF header needs 64; nobody can tell whether it is a plugin");
  EXPECT_EQ(
      Reason(LookAtBytes(bytes.substr(0, 100), "x")),
      "the file is truncated: it has 100 bytes, its program headers need 288; nobody can tell whether it is a plugin");
}

TEST(LookAtBytes, RefusesAForeignMajorNamingBoth) {
  FakeElf elf;
  elf.notes = NoteBytes(0x4F500201, "whatever");
  EXPECT_EQ(Reason(LookAt(elf)), "made for major 2 of the plugin contract, this opsrun speaks major 1");
  elf.notes += UnitNoteBytes();
  EXPECT_EQ(LookAt(elf).kind, Kind::kPlugin) << "a file may serve both";
}

TEST(LookAtBytes, RefusesDamagedNotesAndThoseThatContradictEachOther) {
  FakeElf no_unit;
  no_unit.notes = NoteBytes(OPSRUN_NOTE_OP, "A");
  EXPECT_EQ(Reason(LookAt(no_unit)), "it has notes of opsrun, but no PLUGIN note");
  EXPECT_EQ(Reason(LookAt(PluginWith({"A", "B", "A"}))), "it registers op 'A' twice");
  opsrun_note_plugin lies = GoodUnit();
  lies.size = sizeof(lies) + 1;
  std::string too_long = NoteBytes(OPSRUN_NOTE_OP, "Abcd");
  too_long[4] = 0x7F;  // its length reaches past the segment
  const std::pair<std::string, const char*> rows[] = {
      {NoteBytes(OPSRUN_NOTE_NAME, "a;1") + NoteBytes(OPSRUN_NOTE_NAME, "b;2"), "it is named twice, 'a' and 'b'"},
      {UnitNoteBytes(lies), "its PLUGIN note is damaged"},
      {NoteBytes(OPSRUN_NOTE_PLUGIN, "short"), "its PLUGIN note is damaged"},
      {NoteBytes(OPSRUN_NOTE_OP, "\xFF\xFE"), "one of its notes is not text"},
      {NoteBytes(OPSRUN_NOTE_OP, ""), "one of its notes is not text"},
      {too_long, "its notes are damaged"}};
  for (const auto& [notes, reason] : rows) EXPECT_EQ(Reason(LookAt(PluginWith({}, notes))), reason);
  for (const std::string kernel :
       {"A", "A;", ";CPU", "A;CPU;T", "A;CPU;T=", "A;CPU;T=3,x", "A;CPU;=3", "A;CPU;T=99999999999", "A;CPU;T=-3"})
    EXPECT_EQ(Reason(LookAt(PluginWith({}, NoteBytes(OPSRUN_NOTE_KERNEL, kernel)))),
              "its KERNEL note '" + kernel + "' is damaged");
}

TEST(LookAtBytes, SurvivesRandomDamage) {
  FakeElf elf = PluginWith({"Alpha", "Beta"},
                           NoteBytes(OPSRUN_NOTE_KERNEL, "Alpha;CPU;T=3,1") + NoteBytes(OPSRUN_NOTE_NAME, "acme;1"));
  elf.needed = {"libc.so.6"};
  const std::string good = elf.Bytes();
  std::mt19937 random(20240229);
  size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    for (size_t i = 0; i <= random() % 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    refused += LookAtBytes(bytes, "x").kind == Kind::kRefused;
  }
  EXPECT_GT(refused, 5000u);
}

TEST(LookAtFile, NamesWhatIsNoFileWithoutWaiting) {
  TempDir dir;
  ASSERT_EQ(mkfifo(dir.File("fifo.so").c_str(), 0600), 0);
  std::filesystem::create_symlink("gone", dir.File("link.so"));
  for (const char* name : {"fifo.so", ".", "link.so"}) {
    const FileLook look = LookAtFile(dir.File(name));
    EXPECT_EQ(look.kind, Kind::kNotLibrary) << name;
    EXPECT_FALSE(look.refusal.reason.empty()) << name;
    EXPECT_FALSE(look.refusal.remedy.empty()) << name;
  }
  const FileLook missing = LookAtFile("/nowhere/at/all.so");
  EXPECT_EQ(Reason(missing), "it cannot be read: no such file or directory");
  EXPECT_EQ(missing.note.name, "all");
}

TEST(LookAtFile, ReadsNotesBeyondTheFirstPage) {
  TempDir dir;
  std::vector<std::string> ops;
  for (int i = 0; i < 2000; ++i) ops.push_back("Op" + std::to_string(i));
  FakeElf elf = PluginWith(ops);
  elf.needed = {"libc.so.6"};
  FileLook look = LookAtFile(dir.Write("many.so", elf.Bytes()));
  ASSERT_EQ(look.kind, Kind::kPlugin) << look.refusal.reason;
  EXPECT_EQ(look.note.ops.size(), 2000u);
  EXPECT_EQ(look.note.needed, Strings{"libc.so.6"});
}

}  // namespace
}  // namespace opsrun::host
