// opsrun_compat/kernel_shape_util.h: how many windows there are along a dimension, for kernels.
//
// Sizes are int64 or int64_t.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
#include "opsrun/types.h"
#include "opsrun_compat/padding.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// The number of windows of filter_size inputs, each dilation_rate apart, that begin at multiples of stride, and the
// zeros before and after the inputs, which the caller sets if the padding is EXPLICIT. INVALID_ARGUMENT: the windows do
// not fit, or the stride or the dilation rate is below 1.
template <typename Int64>
ReturnedStatus GetWindowedOutputSizeVerbose(int64 input_size, int64 filter_size, int64 dilation_rate, int64 stride,
                                            Padding padding, Int64* output_size, Int64* before, Int64* after) {
  if (stride <= 0) return errors::InvalidArgument("The stride must be above 0, but is ", stride);
  if (dilation_rate < 1) return errors::InvalidArgument("The dilation rate must be above 0, but is ", dilation_rate);
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
  return errors::InvalidArgument("Windows over ", covered, " elements with stride ", stride, " do not fit ", input_size,
                                 " elements: there would be ", *output_size);
}
template <typename Int64>
ReturnedStatus GetWindowedOutputSizeVerbose(int64 input_size, int64 filter_size, int64 stride, Padding padding,
                                            Int64* output_size, Int64* before, Int64* after) {
  return GetWindowedOutputSizeVerbose(input_size, filter_size, 1, stride, padding, output_size, before, after);
}

// The same with the zeros before the inputs alone. INTERNAL: the padding is EXPLICIT.
template <typename Int64>
ReturnedStatus GetWindowedOutputSize(int64 input_size, int64 filter_size, int64 dilation_rate, int64 stride,
                                     Padding padding, Int64* output_size, Int64* zeros) {
  if (padding == EXPLICIT) {
    return errors::Internal("Padding is EXPLICIT: call GetWindowedOutputSizeVerbose, which takes the zeros");
  }
  Int64 after = 0;
  return GetWindowedOutputSizeVerbose(input_size, filter_size, dilation_rate, stride, padding, output_size, zeros,
                                      &after);
}
template <typename Int64>
ReturnedStatus GetWindowedOutputSize(int64 input_size, int64 filter_size, int64 stride, Padding padding,
                                     Int64* output_size, Int64* zeros) {
  return GetWindowedOutputSize(input_size, filter_size, 1, stride, padding, output_size, zeros);
}

// The names that older sources have for the functions with a dilation rate.
template <typename Int64>
ReturnedStatus GetWindowedOutputSizeV2(int64 input_size, int64 filter_size, int64 dilation_rate, int64 stride,
                                       Padding padding, Int64* output_size, Int64* zeros) {
  return GetWindowedOutputSize(input_size, filter_size, dilation_rate, stride, padding, output_size, zeros);
}
template <typename Int64>
ReturnedStatus GetWindowedOutputSizeVerboseV2(int64 input_size, int64 filter_size, int64 dilation_rate, int64 stride,
                                              Padding padding, Int64* output_size, Int64* before, Int64* after) {
  return GetWindowedOutputSizeVerbose(input_size, filter_size, dilation_rate, stride, padding, output_size, before,
                                      after);
}

// GetWindowedOutputSize along three dimensions.
template <typename Int64>
ReturnedStatus Get3dOutputSizeV2(const std::array<Int64, 3>& input, const std::array<Int64, 3>& window,
                                 const std::array<Int64, 3>& dilations, const std::array<Int64, 3>& strides,
                                 Padding padding, std::array<Int64, 3>* output, std::array<Int64, 3>* zeros) {
  for (size_t i = 0; i < 3; ++i) {
    TF_RETURN_IF_ERROR(
        GetWindowedOutputSize(input[i], window[i], dilations[i], strides[i], padding, &(*output)[i], &(*zeros)[i]));
  }
  return Status();
}
template <typename Int64>
ReturnedStatus Get3dOutputSize(const std::array<Int64, 3>& input, const std::array<Int64, 3>& window,
                               const std::array<Int64, 3>& strides, Padding padding, std::array<Int64, 3>* output,
                               std::array<Int64, 3>* zeros) {
  return Get3dOutputSizeV2(input, window, {1, 1, 1}, strides, padding, output, zeros);
}

}  // namespace OPSRUN_HIDDEN
