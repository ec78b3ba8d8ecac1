// SPDX-License-Identifier: Apache-2.0
#include "medians.h"

#include <memory>

namespace median_pool {
namespace {

// The slots of a network, for stretches of values that fit a cache together.
template <typename T>
class Stretch {
 public:
  Stretch(const Network& network, int64_t channels) : network_(network), channels_(channels) {
    const int64_t margin = (network.columns - 1) * channels + kOverrun;
    const int64_t fitting = kBytes / static_cast<int64_t>(sizeof(T)) / network.slots - margin;
    count_ = std::max(std::clamp<int64_t>(fitting, 512 / static_cast<int64_t>(sizeof(T)), 2048), channels);
    pitch_ = (count_ + margin + kOverrun - 1) / kOverrun * kOverrun;
    slots_.resize(static_cast<size_t>(pitch_ * network.slots));
  }

  // The number of medians per call of At.
  int64_t count() const { return count_; }

  // The medians of the windows that begin at values [value, value + count) of the row.
  const T* At(const WindowRow<T>& row, int64_t value, int64_t count) {
    const int64_t needed = std::min(count + (network_.columns - 1) * channels_, row.images.row_values() - value);
    for (int64_t y = row.Begin(); y < row.End(); ++y) {
      std::copy_n(row.InputRow(y) + value, needed, slots_.data() + (y - row.Begin()) * pitch_);
    }
    RunNetwork(network_, slots_.data(), pitch_, channels_, count);
    return slots_.data() + network_.result * pitch_;
  }

 private:
  static constexpr int64_t kBytes = 40 << 10;

  const Network& network_;
  int64_t channels_, count_ = 0, pitch_ = 0;
  std::vector<T> slots_;
};

// The uncut windows [begin, end). The network computes every column, also those where no window begins.
template <typename T>
void NetworkRow(Stretch<T>& stretch, const WindowRow<T>& row, int64_t begin, int64_t end) {
  const Images& images = row.images;
  const int64_t channels = images.channels, stride = images.x.stride;
  const int64_t at_once = std::max<int64_t>((stretch.count() / channels - 1) / stride + 1, 1);
  for (int64_t x = begin; x < end; x += at_once) {
    const int64_t windows = std::min(at_once, end - x);
    const T* medians = stretch.At(row, images.x.Begin(x) * channels, ((windows - 1) * stride + 1) * channels);
    for (int64_t i = 0; i < (stride == 1 ? 1 : windows); ++i) {
      std::copy_n(medians + i * stride * channels, stride == 1 ? windows * channels : channels,
                  row.out + (x + i) * channels);
    }
  }
}

// One image at a time.
template <typename T>
void Slide(const Images& images, const T* in, T* out, int64_t begin, int64_t end) {
  while (begin < end) {
    const int64_t image = begin / images.y.windows, first = image * images.y.windows;
    const int64_t last = std::min(end, first + images.y.windows);
    SlideRows(images, in + image * images.y.size * images.row_values(), out + first * images.output_row_values(),
              begin - first, last - first);
    begin = last;
  }
}

}  // namespace

Medians::Medians(int64_t rows, int64_t columns, bool cut, int64_t largest_network) {
  if (rows > largest_network / columns) {
    rows_at_once_ = std::max<int64_t>(rows, 8);
    return;
  }
  networks_.resize(static_cast<size_t>(rows));
  for (int64_t i = cut ? 1 : rows; i <= rows; ++i) {
    networks_[static_cast<size_t>(i - 1)] = MakeNetwork(static_cast<int32_t>(i), static_cast<int32_t>(columns));
  }
}

template <typename T>
void Medians::Compute(const Images& images, const T* in, T* out, int64_t begin, int64_t end) const {
  if (networks_.empty()) return Slide(images, in, out, begin, end);
  const int64_t first = images.x.FirstWhole(), last = images.x.EndWhole();
  std::vector<std::unique_ptr<Stretch<T>>> stretches(networks_.size());
  for (int64_t i = begin; i < end; ++i) {
    const WindowRow<T> row = {images, i % images.y.windows,
                              in + i / images.y.windows * images.y.size * images.row_values(),
                              out + i * images.output_row_values()};
    const size_t rows = static_cast<size_t>(row.End() - row.Begin());
    std::unique_ptr<Stretch<T>>& stretch = stretches[rows - 1];
    if (stretch == nullptr) stretch = std::make_unique<Stretch<T>>(networks_[rows - 1], images.channels);
    NetworkRow(*stretch, row, first, last);
    if constexpr (std::is_same_v<T, float>) {
      const bool has_nan = HasNan(row.InputRow(row.Begin()), (row.End() - row.Begin()) * images.row_values());
      if (has_nan) SpreadNans(row, first, last);
    }
    PlainRow(row, 0, first);
    PlainRow(row, last, images.x.windows);
  }
}
template void Medians::Compute(const Images&, const float*, float*, int64_t, int64_t) const;
template void Medians::Compute(const Images&, const uint8_t*, uint8_t*, int64_t, int64_t) const;

}  // namespace median_pool
