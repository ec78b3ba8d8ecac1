// tests/host/examine/plugin_note_test.cc: what is read from good and bad bytes, also if a file becomes shorter, and
// what of it may be printed.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/plugin_note.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "host/examine/compatibility.h"
#include "tests/host/examine/fake_elf.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

using Kind = FileLook::Kind;
using Strings = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

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
                                                  NoteBytes(OPSRUN_NOTE_NAME, "acme.images;1.4.0") +
                                                  NoteBytes(OPSRUN_NOTE_META, "license=MIT\nlater=1\nsummary=a=b\n"));
  elf.needed = {"libm.so.6", "libc.so.6"};
  FileLook look = LookAt(elf);
  ASSERT_EQ(look.kind, Kind::kPlugin) << look.refusal.reason;
  EXPECT_EQ(look.note.name, "acme.images");
  EXPECT_EQ(look.note.version, "1.4.0");
  EXPECT_EQ(look.note.meta, (Pairs{{"license", "MIT"}, {"summary", "a=b"}}));
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

// The words are in tests/bad_plugins/refused.out. Refused or not, it tells its ops.
TEST(LookAtBytes, RefusesAPluginForOneOfItsUnits) {
  const auto with = [](uint32_t opsrun_note_plugin::*field, uint32_t value) {
    opsrun_note_plugin unit = GoodUnit();
    unit.*field = value;
    const FileLook look = LookAt(PluginWith({"A"}, UnitNoteBytes(unit) + UnitNoteBytes()));
    EXPECT_EQ(look.note.ops, Strings{"A"});
    return look.kind;
  };
  EXPECT_EQ(with(&opsrun_note_plugin::min_level, 3), Kind::kRefused);
  EXPECT_EQ(with(&opsrun_note_plugin::fp_plugin, ~GoodUnit().fp_plugin), Kind::kRefused);
  EXPECT_EQ(with(&opsrun_note_plugin::flags, OPSRUN_BUILD_MSAN), Kind::kRefused);
  EXPECT_EQ(with(&opsrun_note_plugin::header_level, 9), Kind::kPlugin);
  EXPECT_EQ(with(&opsrun_note_plugin::flags, OPSRUN_BUILD_DEBUG_LIBRARY), Kind::kPlugin)
      << "no C++ object crosses, so its library's mode does not matter";
}

// An old processor is told by what Linux says of it.
TEST(CheckCompatible, RefusesWhatTheProcessorCannotRun) {
  const uint64_t all = CpuOf("model name\t: a processor of the future\n"), none = CpuOf("flags\t\t: fpu vme\n");
  EXPECT_NE(all, 0u) << "nothing is known, so nothing is refused";
  EXPECT_EQ(none, 0u);
  const std::vector<std::string> names = CpuNames(all);
  ASSERT_GT(names.size(), 4u);
  const std::string both = names[0] + " " + names[3];
  for (const char* line : {"flags\t\t: ", "Features\t: "})
    EXPECT_EQ(CpuNames(CpuOf("processor\t: 0\n" + (line + both) + "\nflags\t: " + names[1] + "\n")),
              (Strings{names[0], names[3]}));
  PluginNote note;
  note.units.resize(2);
  for (UnitNote& unit : note.units) unit.min_level = unit.header_level = 1;
  const auto nothing = [] { return uint64_t{0}; };
  EXPECT_FALSE(CheckCompatible(note, OPSRUN_LEVEL, nothing));
  note.units[1].cpu = 8;
  EXPECT_TRUE(CheckCompatible(note, OPSRUN_LEVEL, nothing));
  EXPECT_FALSE(CheckCompatible(note, OPSRUN_LEVEL, [] { return uint64_t{8 | 1}; }));
  note.units[1].cpu = ~all;
  EXPECT_FALSE(CheckCompatible(note, OPSRUN_LEVEL, nothing)) << "bits that nobody has named yet";
}

TEST(CpuHere, RunsWhatThisTestIsCompiledFor) {
  EXPECT_EQ(OPSRUN_BUILT_CPU & ~CpuHere(), 0u);
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

TEST(LookAtBytes, SkipsNotesOfOthersPaddingAndKindsOfLaterLevels) {
  FakeElf elf;
  elf.notes = NoteBytes(3, "0123", "GNU") + NoteBytes(0x4F500201, "of major 2") + std::string(8, '\0') +
              UnitNoteBytes() + std::string(4, '\0') + NoteBytes(0x4F5001FE, "of level 9") +
              NoteBytes(OPSRUN_NOTE_OP, "A");
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

TEST(LookAtBytes, RefusesDamagedNotes) {
  opsrun_note_plugin lies = GoodUnit();
  lies.size = sizeof(lies) + 1;
  std::string too_long = NoteBytes(OPSRUN_NOTE_OP, "Abcd");
  too_long[4] = 0x7F;  // its length reaches past the segment
  const std::pair<std::string, const char*> rows[] = {
      {UnitNoteBytes(lies), "its PLUGIN note is damaged"},
      {NoteBytes(OPSRUN_NOTE_PLUGIN, "short"), "its PLUGIN note is damaged"},
      {NoteBytes(OPSRUN_NOTE_OP, ""), "one of its notes is not text"},
      {too_long, "its notes are damaged"}};
  for (const auto& [notes, reason] : rows) EXPECT_EQ(Reason(LookAt(PluginWith({}, notes))), reason);
  for (const std::string kernel :
       {"A", "A;", ";CPU", "A;CPU;T", "A;CPU;T=", "A;CPU;T=3,x", "A;CPU;=3", "A;CPU;T=99999999999", "A;CPU;T=-3"})
    EXPECT_EQ(Reason(LookAt(PluginWith({}, NoteBytes(OPSRUN_NOTE_KERNEL, kernel)))),
              "its KERNEL note '" + kernel + "' is damaged");
}

// The words are in tests/bad_plugins/refused.out.
TEST(LookAtBytes, RefusesEveryTruncation) {
  FakeElf elf = PluginWith({"A"});
  const std::string bytes = elf.Bytes();
  for (size_t n = 4; n < bytes.size(); ++n) EXPECT_EQ(LookAtBytes(bytes.substr(0, n), "x").kind, Kind::kRefused) << n;
  elf.bytes_beyond_the_end = 1000;
  EXPECT_EQ(LookAt(elf).kind, Kind::kRefused);
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

TEST(IsPlainText, TakesUtf8AndLineBreaks) {
  for (const char* text : {"", "two\n\tlines", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"})
    EXPECT_TRUE(IsPlainText(text)) << text;
  for (const char* text : {"\x1B[2J", "\x7F", "\xC2\x80", "\xFF", "a\xE2\x82"}) EXPECT_FALSE(IsPlainText(text)) << text;
  EXPECT_FALSE(IsPlainText(std::string_view("a\0b", 3)));
  EXPECT_TRUE(IsPlainName("Acme>Blur"));
  for (const char* name : {"", "two\nlines"}) EXPECT_FALSE(IsPlainName(name)) << name;
}

// Of more than the bytes that are read at once; the first and the last ones are letters.
std::string Content() {
  return "begin" + std::string(10'000, '\0') + "end";
}

// The same bytes in memory or in a file, of which only `left` are left when they are read.
class FileBytesTest : public testing::TestWithParam<bool> {
 protected:
  ~FileBytesTest() override {
    if (fd_ >= 0) close(fd_);
  }
  FileBytes Bytes(const std::string& content) {
    content_ = content;
    if (!GetParam()) return FileBytes(content_);
    fd_ = open(dir_.Write("file", content_).c_str(), O_RDONLY | O_CLOEXEC);
    return FileBytes(fd_, content_.size());
  }

 private:
  TempDir dir_;
  std::string content_;
  int fd_ = -1;
};

TEST_P(FileBytesTest, AreReadUpToTheEnd) {
  const std::string content = Content();
  const FileBytes bytes = Bytes(content);
  std::string read;
  for (const uint64_t at : {uint64_t{0}, uint64_t{1}, uint64_t{4090}, uint64_t{4096}, content.size() - 3}) {
    ASSERT_TRUE(bytes.Read(at, content.size() - at, &read)) << at;
    EXPECT_EQ(read, content.substr(at)) << at;
    ASSERT_TRUE(bytes.Read(at, 3, &read)) << at;
    EXPECT_EQ(read, content.substr(at, 3)) << at;
    EXPECT_FALSE(bytes.Read(at, content.size() - at + 1, &read)) << at;
  }
  EXPECT_TRUE(bytes.Read(content.size(), 0, &read));
  EXPECT_FALSE(bytes.Read(content.size() + 1, 0, &read));
  EXPECT_FALSE(bytes.Read(1, UINT64_MAX, &read));
}

TEST_P(FileBytesTest, TextsEndWithANul) {
  const FileBytes bytes = Bytes(Content());
  EXPECT_EQ(bytes.ReadText(0, 6), "begin");
  EXPECT_EQ(bytes.ReadText(0, 5), "") << "its NUL is too far away";
  EXPECT_EQ(bytes.ReadText(2, 100), "gin");
  EXPECT_EQ(bytes.ReadText(10'005, 100), "") << "the file ends first";
  EXPECT_EQ(bytes.ReadText(10'008, 100), "");
}

// As a disk that fails does it, and unlike a file that ends.
TEST(FileBytes, RememberThatTheSystemDidNotReadThem) {
  TempDir dir;
  const int fd = open(dir.Write("file", Content()).c_str(), O_WRONLY | O_CLOEXEC);
  const FileBytes bytes(fd, 100);
  std::string read;
  EXPECT_FALSE(bytes.Read(0, 100, &read));
  EXPECT_EQ(bytes.error(), EBADF);
  close(fd);
  EXPECT_EQ(FileBytes("memory").error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, FileBytesTest, testing::Bool());

TEST(FileBytes, OfAFileThatBecameShorterAreNotThere) {
  TempDir dir;
  const int fd = open(dir.Write("file", Content()).c_str(), O_RDWR | O_CLOEXEC);
  const FileBytes bytes(fd, Content().size());
  ASSERT_EQ(ftruncate(fd, 6000), 0);
  const FileBytes too_late(fd, Content().size());
  std::string read;
  EXPECT_TRUE(bytes.Read(0, 6000, &read));
  EXPECT_FALSE(bytes.Read(0, 6001, &read));
  ASSERT_EQ(ftruncate(fd, 2), 0);
  EXPECT_FALSE(bytes.Read(5000, 10, &read));
  EXPECT_TRUE(too_late.Read(0, 5, &read)) << "the first bytes were read at once";
  const FileBytes short_now(fd, Content().size());
  EXPECT_TRUE(short_now.Read(0, 2, &read));
  EXPECT_FALSE(short_now.Read(0, 3, &read));
  close(fd);
}

}  // namespace

}  // namespace opsrun::host
