// tests/host/examine/writers_test.cc: files and directories that others can change. What only root can arrange is
// skipped for other users.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/writers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/examine/catalog.h"
#include "tests/host/examine/fake_elf.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

constexpr uid_t kNobodyHere = 54'321;

class WritersTest : public InFolder {
 protected:
  void SetUp() override {
    umask(022);
    file_ = folder_.Write("a/b/x.so", "x");
  }

  // The reason, a line break, and the remedy; empty if nobody else can write.
  std::string Of(const std::string& path) const {
    const Descriptor file(open(path.c_str(), O_RDONLY));
    const std::optional<Refusal> refusal = RefuseOtherWriters(file, path);
    return refusal ? refusal->reason + '\n' + refusal->remedy : "";
  }
  std::string Of() const { return Of(file_); }
  void Mode(const std::string& name, mode_t mode) const { ASSERT_EQ(chmod(Path(name).c_str(), mode), 0); }
  void Own(const std::string& name, uid_t user, gid_t group) const {
    ASSERT_EQ(chown(Path(name).c_str(), user, group), 0);
  }

  std::string file_;
};

// Tests with other owners and groups: those of a system account.
class OwnersTest : public WritersTest {
 protected:
  void SetUp() override {
    WritersTest::SetUp();
    const passwd* const found = getpwnam("daemon");
    if (geteuid() != 0 || found == nullptr) GTEST_SKIP() << "only root gives files away";
    user_ = found->pw_uid;
    group_ = found->pw_gid;
  }

  uid_t user_ = 0;
  gid_t group_ = 0;
};

TEST_F(WritersTest, AFileOfItsUserAloneIsAccepted) {
  EXPECT_EQ(Of(), "");
}

TEST_F(WritersTest, OthersMayNotWriteToTheFile) {
  Mode("a/b/x.so", 0602);
  EXPECT_EQ(Of(), "others can write to it: its mode is 0602\nrun chmod o-w " + file_);
}

TEST_F(WritersTest, OthersMayNotReplaceTheFileOrADirectoryAboveIt) {
  Mode("a/b", 0707);
  EXPECT_EQ(Of(),
            fmt::format("others can replace it: the directory {0} has mode 0707\nrun chmod o-w {0}", Path("a/b")));
  Mode("a/b", 0700);
  Mode("a", 0707);
  EXPECT_EQ(Of(), fmt::format("others can replace it: the directory {0} has mode 0707\nrun chmod o-w {0}", Path("a")));
}

TEST_F(WritersTest, InAStickyDirectoryTheFileCounts) {
  Mode("a/b", 01777);
  EXPECT_EQ(Of(), "");
  Mode("a/b/x.so", 0602);
  EXPECT_NE(Of(), "");
}

TEST_F(WritersTest, TheRealPathCounts) {
  Mode("a/b", 0707);
  std::filesystem::create_symlink(file_, Path("link.so"));
  EXPECT_NE(Of(Path("link.so")), "");
  std::filesystem::create_directory(Path("own"));
  std::ofstream(Path("own/y.so")) << "y";
  std::filesystem::create_symlink(Path("own/y.so"), Path("a/b/link.so"));
  EXPECT_EQ(Of(Path("a/b/link.so")), "") << "whoever replaces the link finds only files that are accepted";
}

TEST_F(WritersTest, TheCommandIsSafeInAShell) {
  const std::string odd = folder_.Write("it's here; rm x/y.so", "y");
  Mode("it's here; rm x/y.so", 0602);
  const std::string wanted = "run chmod o-w '" + folder_.path() + "/it'\\''s here; rm x/y.so'";
  EXPECT_EQ(Of(odd).substr(Of(odd).find('\n') + 1), wanted);
}

TEST_F(OwnersTest, OnlyItsUserAndRootMayOwnTheFileAndWhatIsAboveIt) {
  Own("a/b/x.so", user_, group_);
  EXPECT_EQ(Of(), "it belongs to user 'daemon', who can change it\nuse a copy of your own");
  Own("a/b/x.so", 0, 0);
  Own("a", user_, group_);
  EXPECT_EQ(Of(),
            fmt::format("user 'daemon' can replace it, as the owner of the directory {}\nuse a copy in a directory "
                        "of your own",
                        Path("a")));
}

TEST_F(OwnersTest, InAContainerRootUsesFilesOfAUserWhoIsUnknownThere) {
  if (getpwuid(kNobodyHere) != nullptr) GTEST_SKIP() << "somebody has this number";
  Own("a", kNobodyHere, kNobodyHere);
  Own("a/b/x.so", kNobodyHere, kNobodyHere);
  EXPECT_EQ(Of(), "");
  Mode("a", 0775);
  EXPECT_EQ(Of().substr(0, 39), "members of the group with the number 54");
}

TEST_F(OwnersTest, AGroupMayWriteIfItIsTheUsersOwn) {
  Mode("a/b/x.so", 0664);
  EXPECT_EQ(Of(), "") << "root, and its group root";
  Own("a/b/x.so", 0, group_);
  EXPECT_EQ(Of(), "members of the group 'daemon' can write to it: its mode is 0664\nrun chmod g-w " + file_);
  Mode("a/b/x.so", 0666);
  EXPECT_EQ(Of(), "others can write to it: its mode is 0666\nrun chmod go-w " + file_);
}

TEST_F(WritersTest, APluginThatOthersCanChangeIsListedAndRefused) {
  const std::string plugin = folder_.Write("p/x.so", PluginWith({"A"}).Bytes());
  Mode("p/x.so", 0602);
  const FileLook look = LookAtFile(plugin);
  EXPECT_EQ(look.kind, FileLook::Kind::kRefused);
  EXPECT_EQ(look.refusal.reason, "others can write to it: its mode is 0602");
  EXPECT_EQ(look.refusal.remedy, "run chmod o-w " + plugin + ", or accept it with --allow-writable");
  EXPECT_EQ(LookAtFile(plugin, {.allow_writable = true}).kind, FileLook::Kind::kPlugin);
  const Catalog catalog = ReadCatalog({{.directory = Path("p")}});
  EXPECT_EQ(catalog.RefusedClaimantsOf("A"), std::vector<size_t>{0});
  EXPECT_TRUE(ReadCatalog({{.directory = Path("p")}}, {.allow_writable = true}).entries[0].usable());
}

}  // namespace
}  // namespace opsrun::host
