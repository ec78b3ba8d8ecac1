// tests/host/examine/prober_test.cc: GPU code, and a verdict as text, whole and damaged.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/prober.h"

#include <gtest/gtest.h>

#include "tests/host/examine/fake_elf.h"

namespace opsrun::host {
namespace {

using Words = std::vector<std::string>;
using Reach = GpuImage::Reach;

GpuCode CodeIn(const std::string& section) {
  const std::string file = FileWithSection(".nv_fatbin", section);
  return ReadGpuCode(FileBytes(file));
}

Words NamesIn(const GpuCode& code) {
  Words names;
  for (const GpuImage& image : code.images) names.push_back(image.Name());
  return names;
}

TEST(ReadGpuCode, NamesEachImageOnceAndSkipsOtherKinds) {
  const std::string one =
      FatBytes(ImageBytes(kCubinImage, 80) + ImageBytes(kCubinImage, 90) + ImageBytes(kPtxImage, 90));
  const std::string gap(24, '\0');
  const GpuCode code = CodeIn(gap + one + gap + one + FatBytes(ImageBytes(kCubinImage, 90, 0x100011)) +
                              FatBytes(ImageBytes(kCubinImage, 100, 0x200011)) + std::string(3, '\0'));
  EXPECT_FALSE(code.damaged);
  EXPECT_EQ(NamesIn(code), (Words{"sm_80", "sm_90", "compute_90", "sm_90a", "sm_100f"}));
  const GpuCode other = CodeIn(FatBytes(ImageBytes(77, 0) + ImageBytes(kPtxImage, 75)));
  EXPECT_FALSE(other.damaged);
  EXPECT_EQ(NamesIn(other), Words{"compute_75"});
}

TEST(ReadGpuCode, IsEmptyForOtherFiles) {
  const std::string other = FileWithSection(".nv_fatbins", "anything");
  EXPECT_TRUE(ReadGpuCode(FileBytes(other)).empty());
  EXPECT_TRUE(ReadGpuCode(FileBytes(std::string_view("no library"))).empty());
  EXPECT_TRUE(ReadGpuCode(FileBytes(std::string_view())).empty());
  EXPECT_TRUE(CodeIn("").empty());
}

TEST(ReadGpuCode, SaysWhenThereIsMoreThatCannotBeRead) {
  const std::string good = FatBytes(ImageBytes(kCubinImage, 80));
  const auto with = [&](size_t at, const std::string& bytes) {
    std::string changed = good;
    return changed.replace(at, bytes.size(), bytes);
  };
  const std::string far = BytesOf(UINT64_MAX);
  for (const std::string& section : {
           good + "garbage!",
           with(0, "x"),                         // magic
           with(4, BytesOf(uint16_t{2})),        // version
           with(6, BytesOf(uint16_t{8})),        // size of the header
           with(8, far),                         // size of the images
           with(8, BytesOf(uint64_t{89})),       // which is one more than there are
           with(16 + 4, BytesOf(uint32_t{40})),  // size of an image's header
           with(16 + 4, BytesOf(UINT32_MAX)),
           with(16 + 8, far),                    // size of the image
           with(16 + 28, BytesOf(uint32_t{0})),  // capability
           with(16 + 28, BytesOf(UINT32_MAX)),
           good.substr(0, 40),
       }) {
    EXPECT_TRUE(CodeIn(section).damaged) << section.size();
  }
  std::string file = FileWithSection(".nv_fatbin", good);
  file.resize(file.size() - 1);  // the section ends behind the file
  EXPECT_TRUE(ReadGpuCode(FileBytes(file)).damaged);
}

TEST(ReadGpuCode, KeepsWhatItHasReadOfADamagedFileAndGivesUpOnEndlessSections) {
  EXPECT_EQ(NamesIn(CodeIn(FatBytes(ImageBytes(kCubinImage, 80)) + "garbage!")), Words{"sm_80"});
  std::string many;
  for (int i = 0; i < 70'000; ++i) many += FatBytes("");
  EXPECT_TRUE(CodeIn(many).damaged);
  EXPECT_TRUE(CodeIn(std::string(1 << 20, '\0')).damaged);
}

TEST(GpuImage, RunsOnItsGenerationOrAsPtxOnEverythingNewer) {
  const struct {
    GpuImage image;
    std::vector<int> on, not_on;
  } rows[] = {{{86, Reach::kPlain, false}, {86, 89}, {80, 90}}, {{86, Reach::kPlain, true}, {86, 120}, {80}},
              {{100, Reach::kExact, false}, {100}, {103}},      {{100, Reach::kExact, true}, {100}, {103}},
              {{100, Reach::kFamily, false}, {103}, {120, 90}}, {{100, Reach::kFamily, true}, {103}, {120, 90}}};
  for (const auto& row : rows) {
    for (const int card : row.on) EXPECT_TRUE(row.image.RunsOn(card)) << row.image.Name() << " on " << card;
    for (const int card : row.not_on) EXPECT_FALSE(row.image.RunsOn(card)) << row.image.Name() << " on " << card;
  }
}

TEST(JudgeGpuCode, WarnsOfTheFirstCardThatNothingRunsOn) {
  const GpuCode code = {{{80, Reach::kPlain, false}, {90, Reach::kPlain, false}}, false};
  EXPECT_EQ(JudgeGpuCode(code, {}).state, Finding::State::kOk) << "nobody knows where it will run";
  EXPECT_EQ(JudgeGpuCode(code, {86, 90}).state, Finding::State::kOk);
  const Finding finding = JudgeGpuCode(code, {86, 75, 120});
  EXPECT_EQ(finding.state, Finding::State::kWarning);
  EXPECT_NE(finding.text.find("card 1"), std::string::npos) << finding.text;
  EXPECT_EQ(JudgeGpuCode({{}, true}, {86}).state, Finding::State::kWarning);
}

// What nvcc makes of -gencode options, if there is one.
TEST(ReadGpuCode, ReadsWhatNvccWrites) {
#ifdef OPSRUN_COMPILED_BY_NVCC
  const OpenedBytes file(OPSRUN_COMPILED_BY_NVCC);
  ASSERT_NE(file.bytes(), nullptr);
  const GpuCode code = ReadGpuCode(*file.bytes());
  EXPECT_FALSE(code.damaged);
  EXPECT_EQ(NamesIn(code), (Words{"sm_80", "sm_90", "compute_90", "sm_90a"}));
#else
  GTEST_SKIP() << "nvcc was not found";
#endif
}

Verdict SomeVerdict() {
  return {"0.1.0 level 1",    "/lib/opsrun/a b.so",
          {1234, -5},         "00ff",
          0xFEDCBA9876543210, {{"/lib/libc.so.6", {1, 2}}, {"/lib/with a blank.so", {UINT64_MAX, INT64_MIN}}}};
}

TEST(Verdict, ComesBackFromItsText) {
  Verdict verdict = SomeVerdict();
  EXPECT_EQ(ParseVerdict(VerdictText(verdict)), verdict);
  verdict.build_id.clear();
  verdict.libraries.clear();
  EXPECT_EQ(ParseVerdict(VerdictText(verdict)), verdict);
}

TEST(Verdict, IsNothingIfAnyByteIsMissingOrALineIsNotWhatItShouldBe) {
  const std::string text = VerdictText(SomeVerdict());
  for (size_t n = 0; n + 1 < text.size(); ++n) EXPECT_FALSE(ParseVerdict(text.substr(0, n)).has_value()) << n;
  EXPECT_FALSE(ParseVerdict(text + "more").has_value());
  for (const auto& [from, to] : {std::pair("verdict 1", "verdict 2"), std::pair("stamp 1234", "stamp x"),
                                 std::pair("stamp 1234", "stamp 12345678901234567890123"),
                                 std::pair("content f", "content x"), std::pair("library 1 2 /lib", "library 1 2"),
                                 std::pair("library 1 2 ", "library 1 "), std::pair("path ", "pathx")}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(ParseVerdict(damaged).has_value()) << from << " -> " << to;
  }
}

}  // namespace

}  // namespace opsrun::host
