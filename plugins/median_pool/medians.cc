// plugins/median_pool/medians.cc
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

// The uncut windows [begin, end). The network computes medians at every column, including columns where no window
// begins.
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
void Medians::ComputeRows(const Images& images, const T* in, T* out, int64_t begin, int64_t end) const {
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
    if (HasNan(row.InputRow(row.Begin()), (row.End() - row.Begin()) * images.row_values()))
      SpreadNans(row, first, last);
    PlainRow(row, 0, first);
    PlainRow(row, last, images.x.windows);
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

void Medians::Compute(const Images& images, const float* in, float* out, int64_t begin, int64_t end) const {
  networks_.empty() ? Slide(images, in, out, begin, end) : ComputeRows(images, in, out, begin, end);
}

void Medians::Compute(const Images& images, const uint8_t* in, uint8_t* out, int64_t begin, int64_t end) const {
  networks_.empty() ? Slide(images, in, out, begin, end) : ComputeRows(images, in, out, begin, end);
}

namespace {

// Every second element, from `first` on.
List Alternate(const List& list, size_t first) {
  List taken;
  for (size_t i = first; i < list.size(); i += 2) taken.push_back(list[i]);
  return taken;
}

}  // namespace

List Shifted(List list, int32_t shift) {
  for (Ref& ref : list) ref.shift += shift;
  return list;
}

List SortedLists::Sort(const List& values) {
  if (values.size() <= 1) return values;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  return Merge(Sort(List(values.begin(), middle)), Sort(List(middle, values.end())));
}

// Batcher's odd-even merge: after merging the even and the odd positions, only neighbors can be out of order.
List SortedLists::Merge(const List& a, const List& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  if (a.size() == 1 && b.size() == 1) {
    const int32_t pair = Add(a[0], b[0]);
    return {{2 * pair, 0}, {2 * pair + 1, 0}};
  }
  const List even = Merge(Alternate(a, 0), Alternate(b, 0)), odd = Merge(Alternate(a, 1), Alternate(b, 1));
  List merged = {even[0]};
  for (size_t i = 0; i < std::max(odd.size(), even.size() - 1); ++i) {
    if (i >= odd.size() || i + 1 >= even.size()) {
      merged.push_back(i < odd.size() ? odd[i] : even[i + 1]);
      continue;
    }
    const int32_t pair = Add(odd[i], even[i + 1]);
    merged.push_back({2 * pair, 0});
    merged.push_back({2 * pair + 1, 0});
  }
  return merged;
}

// k + 1 values are at most the wanted one: i of list a and k + 1 - i of list b, for the i that minimizes the largest of
// them.
Ref SortedLists::Select(const List& a, const List& b, int32_t k) {
  const int32_t in_a = static_cast<int32_t>(a.size()), in_b = static_cast<int32_t>(b.size());
  const int32_t first = std::max(0, k + 1 - in_b), last = std::min(in_a, k + 1);
  const auto largest = [&](int32_t i) {
    if (i == 0) return b[static_cast<size_t>(k)];
    if (i == k + 1) return a[static_cast<size_t>(k)];
    return High(a[static_cast<size_t>(i - 1)], b[static_cast<size_t>(k - i)]);
  };
  Ref smallest = largest(first);
  for (int32_t i = first + 1; i <= last; ++i) smallest = Low(smallest, largest(i));
  return smallest;
}

}  // namespace median_pool
