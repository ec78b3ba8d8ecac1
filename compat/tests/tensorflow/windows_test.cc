// compat/tests/tensorflow/windows_test.cc: padding, windows, strides and modes of kernels, by TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/kernel_shape_util.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/ops_util.h"
#include "tensorflow/core/util/activation_mode.h"
#include "tensorflow/core/util/mirror_pad_mode.h"
#include "tensorflow/core/util/padding.h"
#include "tests/sdk/fake_attrs.h"

namespace tensorflow {
namespace {

TEST(Padding, IsNamed) {
  Padding padding = EXPLICIT;
  TF_CHECK_OK(GetPaddingFromString("SAME", &padding));
  EXPECT_EQ(padding, SAME);
  TF_CHECK_OK(GetPaddingFromString("EXPLICIT", &padding));
  EXPECT_EQ(padding, EXPLICIT);
  EXPECT_EQ(GetPaddingFromString("Same", &padding).code(), error::NOT_FOUND);
  EXPECT_EQ(GetExplicitPaddingsAttrString(), "explicit_paddings: list(int) = []");
}

// Of the attr in the node.
template <typename T>
std::string ReadFrom(const NodeDef& node, T* value) {
  const Status status = GetNodeAttr(node, "mode", value);
  return internal::CodeName(status.code());
}

TEST(Padding, IsReadFromANode) {
  NodeDef node;
  Padding padding = EXPLICIT;
  EXPECT_EQ(ReadFrom(node, &padding), "NOT_FOUND");
  SetAttrValue("VALID", &(*node.mutable_attr())["mode"]);
  EXPECT_EQ(ReadFrom(node, &padding), "OK");
  EXPECT_EQ(padding, VALID);
}

TEST(Padding, IsChecked) {
  const std::vector<int64_t> none, zeros = {0, 0, 1, 2, 3, 4, 0, 0};
  TF_CHECK_OK(CheckValidPadding(SAME, none, 4, FORMAT_NHWC));
  TF_CHECK_OK(CheckValidPadding(EXPLICIT, zeros, 4, FORMAT_NHWC));
  EXPECT_EQ(CheckValidPadding(SAME, zeros, 4, FORMAT_NHWC).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(CheckValidPadding(EXPLICIT, none, 4, FORMAT_NHWC).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(CheckValidPadding(EXPLICIT, zeros, 4, FORMAT_NCHW).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(CheckValidPadding(EXPLICIT, zeros, 5, FORMAT_NHWC).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(CheckValidPadding<int64_t>(EXPLICIT, {0, 0, -1, 0, 0, 0, 0, 0}, 4, FORMAT_NHWC).code(),
            error::INVALID_ARGUMENT);
}

TEST(Windows, AreCounted) {
  int64_t size = 0, before = 0, after = 0;
  TF_CHECK_OK(GetWindowedOutputSize(8, 3, 2, SAME, &size, &before));
  EXPECT_EQ(std::vector<int64_t>({size, before}), std::vector<int64_t>({4, 0}));
  TF_CHECK_OK(GetWindowedOutputSizeV2(8, 3, 2, 1, VALID, &size, &before));
  EXPECT_EQ(std::vector<int64_t>({size, before}), std::vector<int64_t>({4, 0}));
  TF_CHECK_OK(GetWindowedOutputSizeVerbose(8, 4, 1, SAME, &size, &before, &after));
  EXPECT_EQ(std::vector<int64_t>({size, before, after}), std::vector<int64_t>({8, 1, 2}));
  TF_CHECK_OK(GetWindowedOutputSizeVerboseV2(8, 4, 2, 1, SAME, &size, &before, &after));
  EXPECT_EQ(std::vector<int64_t>({size, before, after}), std::vector<int64_t>({8, 3, 3}));
}

TEST(Windows, MustFit) {
  int64_t size = 0, before = 0;
  EXPECT_EQ(GetWindowedOutputSize(2, 5, 1, VALID, &size, &before).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(GetWindowedOutputSize(2, 1, 0, VALID, &size, &before).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(GetWindowedOutputSize(2, 1, 0, 1, VALID, &size, &before).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(GetWindowedOutputSize(2, 1, 1, EXPLICIT, &size, &before).code(), error::INTERNAL);
}

TEST(Windows, AreCountedAlongThreeDimensions) {
  typedef std::array<int64_t, 3> Sizes;
  Sizes sizes = {}, zeros = {};
  TF_CHECK_OK(Get3dOutputSize(Sizes{7, 8, 9}, Sizes{3, 3, 3}, Sizes{1, 2, 2}, SAME, &sizes, &zeros));
  EXPECT_EQ(sizes, (Sizes{7, 4, 5}));
  EXPECT_EQ(zeros, (Sizes{1, 0, 1}));
  TF_CHECK_OK(Get3dOutputSizeV2(Sizes{7, 8, 9}, Sizes{3, 3, 3}, Sizes{1, 2, 3}, Sizes{1, 2, 2}, VALID, &sizes, &zeros));
  EXPECT_EQ(sizes, (Sizes{5, 2, 2}));
}

TEST(Windows, CoverSomeOfTheInputs) {
  int begin = 0, size = 0;
  TF_CHECK_OK(GetBroadcastSize(0, 10, 3, 2, 1, &begin, &size));
  EXPECT_EQ(begin + 100 * size, 200);
  TF_CHECK_OK(GetBroadcastSize(2, 10, 3, 2, 1, &begin, &size));
  EXPECT_EQ(begin + 100 * size, 303);
  TF_CHECK_OK(GetBroadcastSize(5, 10, 3, 2, 1, &begin, &size));
  EXPECT_EQ(begin + 100 * size, 109);
  EXPECT_EQ(GetBroadcastSize(6, 10, 3, 2, 1, &begin, &size).code(), error::INVALID_ARGUMENT);
}

TEST(Padding, IsEigens) {
  EXPECT_EQ(BrainPadding2EigenPadding(VALID), Eigen::PADDING_VALID);
  EXPECT_EQ(BrainPadding2EigenPadding(SAME), Eigen::PADDING_SAME);
  EXPECT_THROW(BrainPadding2EigenPadding(EXPLICIT), internal::Failure);
}

TEST(Strides, AreTheDistancesOfNeighbours) {
  EXPECT_EQ(ComputeStride<int64_t>(TensorShape({2, 3, 4})), (gtl::InlinedVector<int64_t, 8>{12, 4, 1}));
  EXPECT_TRUE(ComputeStride<int>(TensorShape({})).empty());
  const Eigen::DSizes<Eigen::DenseIndex, 3> sizes(2, 3, 4);
  EXPECT_EQ(ComputeEigenStrides<int>(sizes), (gtl::InlinedVector<int, 8>{12, 4, 1}));
}

TEST(ActivationMode, IsNamedAsInAttrs) {
  ActivationMode mode = NONE;
  TF_CHECK_OK(GetActivationModeFromString("Relu6", &mode));
  EXPECT_EQ(mode, RELU6);
  EXPECT_EQ(ToString(mode), "RELU6");
  EXPECT_EQ(GetActivationModeFromString("RELU6", &mode).code(), error::NOT_FOUND);
  EXPECT_EQ(SIGMOID + RELU + RELUX + TANH + BANDPASS, 1 + 2 + 4 + 5 + 6);
}

TEST(MirrorPadMode, IsReadFromANodeAndFromAttrs) {
  NodeDef node;
  MirrorPadMode mode = MirrorPadMode::REFLECT;
  EXPECT_EQ(ReadFrom(node, &mode), "NOT_FOUND");
  SetAttrValue("SYMMETRIC", &(*node.mutable_attr())["mode"]);
  EXPECT_EQ(ReadFrom(node, &mode), "OK");
  EXPECT_EQ(mode, MirrorPadMode::SYMMETRIC);
  SetAttrValue("symmetric", &(*node.mutable_attr())["mode"]);
  EXPECT_EQ(ReadFrom(node, &mode), "NOT_FOUND");

  opsrun_test::FakeAttrs attrs;
  attrs.String("mode", "REFLECT");
  TF_CHECK_OK(internal::ReadAttr({attrs.data(), attrs.size()}, "mode", &mode));
  EXPECT_EQ(mode, MirrorPadMode::REFLECT);
  EXPECT_EQ(GetMirrorPadModeAttrString(), "mode: {'REFLECT', 'SYMMETRIC'}");
}

}  // namespace
}  // namespace tensorflow
