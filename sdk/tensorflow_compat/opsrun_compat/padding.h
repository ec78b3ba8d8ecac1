// opsrun_compat/padding.h: Padding, and the sizes of what windows cover.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel_construction.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

enum Padding { VALID = 1, SAME = 2, EXPLICIT = 3 };

inline std::string GetPaddingAttrString() {
  return "padding: {'SAME', 'VALID'}";
}
inline std::string GetConvnetDataFormatAttrString() {
  return "data_format: { 'NHWC', 'NCHW' } = 'NHWC' ";
}
inline std::string GetPaddingAttrStringWithExplicit() {
  return "padding: {'SAME', 'VALID', 'EXPLICIT'}";
}

namespace internal {
template <>
struct AttrElement<Padding> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_STRING;
  static bool Get(const opsrun_attr& attr, int64_t i, Padding* value) {
    std::string text;
    AttrElement<std::string>::Get(attr, i, &text);
    *value = text == "SAME" ? SAME : text == "VALID" ? VALID : EXPLICIT;
    return text == "SAME" || text == "VALID" || text == "EXPLICIT";
  }
};
}  // namespace internal

// The number of windows of filter_size inputs, each dilation_rate apart, that begin at multiples of stride, and the
// zeros that are added before and after the inputs. Int64: int64 or int64_t.
template <typename Int64>
ReturnedStatus GetWindowedOutputSizeVerbose(int64 input_size, int64 filter_size, int64 dilation_rate, int64 stride,
                                            Padding padding, Int64* output_size, Int64* before, Int64* after) {
  if (stride <= 0) return errors::InvalidArgument("Stride must be > 0, but got ", stride);
  if (dilation_rate < 1) return errors::InvalidArgument("Dilation rate must be >= 1, but got ", dilation_rate);
  const Int64 covered = (filter_size - 1) * dilation_rate + 1;
  if (padding == VALID) {
    *output_size = (input_size - covered + stride) / stride;
    *before = *after = 0;
  } else if (padding == SAME) {
    *output_size = (input_size + stride - 1) / stride;
    const Int64 missing = (*output_size - 1) * stride + covered - input_size;
    *before = missing > 0 ? missing / 2 : 0;
    *after = missing > 0 ? missing - *before : 0;
  } else {
    *output_size = (input_size + *before + *after - covered + stride) / stride;
  }
  if (*output_size >= 0) return Status();
  return errors::InvalidArgument("Computed output size would be negative: ", *output_size, " [input_size: ", input_size,
                                 ", effective_filter_size: ", covered, ", stride: ", stride, "]");
}
template <typename Int64>
ReturnedStatus GetWindowedOutputSizeVerbose(int64 input_size, int64 filter_size, int64 stride, Padding padding,
                                            Int64* output_size, Int64* before, Int64* after) {
  return GetWindowedOutputSizeVerbose(input_size, filter_size, 1, stride, padding, output_size, before, after);
}
template <typename Int64>
ReturnedStatus GetWindowedOutputSize(int64 input_size, int64 filter_size, int64 stride, Padding padding,
                                     Int64* output_size, Int64* zeros) {
  Int64 after = 0;
  *zeros = 0;
  return GetWindowedOutputSizeVerbose(input_size, filter_size, 1, stride, padding, output_size, zeros, &after);
}
template <typename Int64>
ReturnedStatus GetWindowedOutputSize(int64 input_size, int64 filter_size, int64 dilation_rate, int64 stride,
                                     Padding padding, Int64* output_size, Int64* zeros) {
  Int64 after = 0;
  *zeros = 0;
  return GetWindowedOutputSizeVerbose(input_size, filter_size, dilation_rate, stride, padding, output_size, zeros,
                                      &after);
}

}  // namespace OPSRUN_HIDDEN
