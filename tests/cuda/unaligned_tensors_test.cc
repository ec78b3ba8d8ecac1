// tests/cuda/unaligned_tensors_test.cc: feeds at any address in the memory of a card.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/device_tensors.h"

namespace opsrun::host {
namespace {

class UnalignedDeviceTensors : public OrderedDeviceTensors {
 protected:
  UnalignedDeviceTensors() { setenv("OPSRUN_CUDNN", "1", 1); }
};

// Kernels read 16 bytes at a time where the address allows that, and give the same results everywhere. The fake cuDNN
// accepts only what is aligned for that.
TEST_P(UnalignedDeviceTensors, AreReadByKernelsAndCudnn) {
  const embed::Graph graph = engine_->LoadText(
      "g.yaml",
      "opsrun: 1\nfeeds:\n  x: {dtype: float32, shape: [3, 72]}\n  row: {dtype: float32, shape: [72]}\n"
      "  image: {dtype: float32, shape: [1, 4, 6, 3]}\n  filter: {value: [[[[1], [2], [3]]]], dtype: float32}\n"
      "  first: {value: 0, dtype: int32}\n  last: {value: 1, dtype: int32}\n"
      "nodes:\n  less: {op: Sub, in: [x, row]}\n  of_rows: {op: Sum, in: [x, last]}\n"
      "  of_columns: {op: Sum, in: [x, first]}\n  softmax: {op: Softmax, in: x}\n"
      "  along: {op: Cumsum, in: [x, last]}\n  down: {op: Cumsum, in: [x, first]}\n"
      "  conv: {op: Conv2D, in: [image, filter], attrs: {strides: [1, 1, 1, 1], padding: VALID}}\n"
      "outputs: [less, of_rows, of_columns, softmax, along, down, conv]\n");
  std::vector<std::vector<float>> aligned;
  for (size_t offset = 0; offset < 4; ++offset) {
    const auto feed = [&](size_t count, std::vector<int64_t> shape) {
      return Feed(static_cast<float*>(OnCard(count + offset, -static_cast<float>(offset))) + offset, std::move(shape));
    };
    const std::vector<embed::Tensor> results =
        graph.Run({feed(216, {3, 72}), feed(72, {72}), feed(72, {1, 4, 6, 3})}, Options(stream_, 7));
    for (size_t i = 0; i < results.size(); ++i) {
      const std::vector<float> numbers = FromCard(results[i].data(), results[i].size());
      if (offset == 0) aligned.push_back(numbers);
      EXPECT_EQ(numbers, aligned[i]) << offset;
    }
  }
  EXPECT_EQ(aligned[0][215], 215 - 71);
  EXPECT_EQ(aligned[6][23], 69 + 2 * 70 + 3 * 71);
}

INSTANTIATE_TEST_SUITE_P(Schedules, UnalignedDeviceTensors, kSchedules, NameOfSchedule);

}  // namespace
}  // namespace opsrun::host
