// Frames in copies of stacks, which a plugin may have written.
#include "host/isolate/frames.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "host/base/file.h"

namespace opsrun::host {
namespace {

std::vector<StackFrame> FramesIn(const std::string& bytes, off_t size) {
  const Descriptor file(memfd_create("stack", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(ftruncate(file.get(), size), 0);
  return FramesOfStack(file.get(), "/usr/lib");
}

TEST(Frames, ThereAreNoneInOtherBytes) {
  EXPECT_TRUE(FramesIn("", 0).empty());
  EXPECT_TRUE(FramesIn("stack", off_t{1} << 40).empty());
  EXPECT_TRUE(FramesOfStack(-1, "/usr/lib").empty());
  std::mt19937 random(1);
  for (size_t size : {1, 300, 5000, 70000}) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_TRUE(FramesIn(bytes, static_cast<off_t>(size)).empty());
  }
}

TEST(Frames, TextsAreNotTrusted) {
  const StackFrame frame = FrameOf({"\x1b[1m", "f", "a.cc", "-3"});
  EXPECT_EQ(frame.text.find('\x1b'), std::string::npos);
  EXPECT_EQ(frame.line, 0u);
  EXPECT_EQ(FrameOf({"t", "f", "a.cc", "7", "x.so", "2", "more"}).left_out, 2u);
}

}  // namespace
}  // namespace opsrun::host
