// What two processes tell each other, and what damaged messages do.
// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/messages.h"

#include <gtest/gtest.h>

#include <random>

namespace opsrun::host {
namespace {

template <typename Message>
std::string BytesOf(const Message& message) {
  std::string bytes;
  WireWriter out(bytes);
  Write(out, message);
  return bytes;
}

// The message as the other side has it, written again.
template <typename Message>
std::string There(const std::string& bytes) {
  WireReader in(bytes);
  Message message{};
  Read(in, message);
  return in.Ends() ? BytesOf(message) : "damaged";
}

// No byte is without meaning, no part of a message is one, and whatever the bytes are, reading them ends.
template <typename Message>
void CheckMessage(const Message& message) {
  const std::string bytes = BytesOf(message);
  EXPECT_EQ(There<Message>(bytes), bytes);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(There<Message>(bytes.substr(0, size)), "damaged") << size;
  EXPECT_EQ(There<Message>(bytes + '\0'), "damaged");
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string other = bytes;
    for (int k = 0; k <= i % 4; ++k) other[random() % other.size()] = static_cast<char>(random());
    static_cast<void>(There<Message>(other));
  }
}

Tensor Strings() {
  Tensor tensor = *Tensor::Create(DType::kString, {2});
  EXPECT_TRUE(tensor.SetString(1, std::string("a\0b", 3)).ok());
  return tensor;
}

TEST(Messages, AreReadAsWritten) {
  CheckMessage(OpenRequest{"1.0", "/p/x.so", 1, 4, 1 << 20, true});
  CheckMessage(std::vector<TensorFacts>{{DType::kFloat32, Shape{2, 3}}, {DType::kString, std::nullopt}});
  CheckMessage(std::vector<PartError>{{3, OPSRUN_INTERNAL, "why", "input:x", {"help"}, {"note", ""}}});
  CheckMessage(InferRequest{
      {{{true, {{false, 2}, {true, 0}}}, WireShape{true, {{false, -7}}}, *Tensor::Create(DType::kInt64, {2})},
       {{false, {}}, std::nullopt, Strings()}},
      {std::nullopt}});
  CheckMessage(InferReply{{{true, {{true, 5}}}},
                          {std::nullopt, WireShape{}},
                          {0},
                          {{false, 3}},
                          {WireTerm{0, {true, 0}, {false, 1}}},
                          true});
  CheckMessage(RunRequest{
      {{DType::kInt32, {1}, 640, {}, true}, {DType::kString, {1}, 0, {"text"}, true}}, {{64, 4}, {}}, {2}, true});
  CheckMessage(RunRequest{{{DType::kVariant, {3}, 0, {}, true, {7, 0, 9}}}, {}, {}, false, {5, 6}});
  CheckMessage(RunReply{{{DType::kInt32, {}, 128, {}, false}}, {{0, OPSRUN_ABORTED, "m", "", {}, {}}}, {{1, 5, 9, 2}}});
  CheckMessage(RunReply{{{DType::kResource, {}, 0, {}, true, {7}}}, {}, {}});
}

TEST(Messages, ALieAboutASizeIsFound) {
  InferRequest request{{{{false, {}}, std::nullopt, *Tensor::Create(DType::kInt64, {2})}}, {}};
  std::string bytes = BytesOf(request);
  const size_t size = bytes.find(std::string("\x10\0\0\0\0\0\0\0", 8));
  ASSERT_NE(size, std::string::npos);
  bytes[size] = 8;  // of the 16 bytes of the tensor
  EXPECT_EQ(There<InferRequest>(bytes), "damaged");
}

TEST(Messages, TimesAreOfEachNodeOnceWithinTheRoundTrip) {
  EXPECT_TRUE(CanBeTimes({{0, 10, 12, 0}, {1, 12, 20, 7}}, 2, 10, 20));
  EXPECT_TRUE(CanBeTimes({}, 2, 10, 20));
  EXPECT_FALSE(CanBeTimes({{0, 9, 12, 0}}, 2, 10, 20));
  EXPECT_FALSE(CanBeTimes({{0, 10, 21, 0}}, 2, 10, 20));
  EXPECT_FALSE(CanBeTimes({{0, 13, 12, 0}}, 2, 10, 20));
  EXPECT_FALSE(CanBeTimes({{2, 10, 12, 0}}, 2, 10, 20));
  EXPECT_FALSE(CanBeTimes({{0, 10, 12, 0}, {0, 12, 20, 0}}, 2, 10, 20));
}

}  // namespace
}  // namespace opsrun::host
