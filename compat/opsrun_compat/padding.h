// opsrun_compat/padding.h: attrs of image ops: Padding, MirrorPadMode, ActivationMode; and numbers of windows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// VALID: no padding. SAME: enough for ceil(inputs / stride) windows. EXPLICIT: given by explicit_paddings.
enum Padding { VALID = 1, SAME = 2, EXPLICIT = 3 };

// The attrs, for REGISTER_OP.
inline std::string GetPaddingAttrString() {
  return "padding: {'SAME', 'VALID'}";
}
inline std::string GetPaddingAttrStringWithExplicit() {
  return "padding: {'SAME', 'VALID', 'EXPLICIT'}";
}
inline std::string GetExplicitPaddingsAttrString() {
  return "explicit_paddings: list(int) = []";
}

// MirrorPadMode: the border before a, b, c is "c, b" with REFLECT and "b, a" with SYMMETRIC.
enum class MirrorPadMode { REFLECT = 1, SYMMETRIC = 2 };

// The attr, for REGISTER_OP.
inline std::string GetMirrorPadModeAttrString() {
  return "mode: {'REFLECT', 'SYMMETRIC'}";
}

// ActivationMode: the activation function at the end of a fused op.
enum ActivationMode { NONE = 0, SIGMOID = 1, RELU = 2, RELU6 = 3, RELUX = 4, TANH = 5, BANDPASS = 6 };

inline std::string_view ToString(ActivationMode mode) {
  static constexpr const char* kNames[] = {"NONE", "SIGMOID", "RELU", "RELU6", "RELUX", "TANH", "BANDPASS"};
  return kNames[mode];
}

namespace internal {

// Enumerations that attrs hold as text.
template <typename Enum>
struct EnumTexts;
template <>
struct EnumTexts<Padding> {
  static constexpr const char *kWhat = "padding", *kTexts[] = {"VALID", "SAME", "EXPLICIT"};
  static constexpr int kFirst = VALID;
};
template <>
struct EnumTexts<MirrorPadMode> {
  static constexpr const char *kWhat = "mode", *kTexts[] = {"REFLECT", "SYMMETRIC"};
  static constexpr int kFirst = static_cast<int>(MirrorPadMode::REFLECT);
};
template <>
struct EnumTexts<ActivationMode> {
  static constexpr const char *kWhat = "activation",
                              *kTexts[] = {"None", "Sigmoid", "Relu", "Relu6", "ReluX", "Tanh", "BandPass"};
  static constexpr int kFirst = NONE;
};

// NOT_FOUND: the text is none of them; *value is unchanged.
template <typename Enum>
ReturnedStatus EnumOf(std::string_view text, Enum* value) {
  int number = EnumTexts<Enum>::kFirst;
  for (const char* known : EnumTexts<Enum>::kTexts) {
    if (text == known) return *value = static_cast<Enum>(number), Status();
    ++number;
  }
  return errors::NotFound("There is no ", EnumTexts<Enum>::kWhat, " '", text, "'");
}

template <typename Enum>
struct EnumElement {
  static constexpr uint32_t kKind = OPSRUN_ATTR_STRING;
  static bool Get(const opsrun_attr& attr, int64_t i, Enum* value) {
    std::string text;
    AttrElement<std::string>::Get(attr, i, &text);
    return EnumOf(text, value).ok();
  }
};
template <>
struct AttrElement<Padding> : EnumElement<Padding> {};
template <>
struct AttrElement<MirrorPadMode> : EnumElement<MirrorPadMode> {};

}  // namespace internal

// NOT_FOUND: the text names none; the value is unchanged.
inline ReturnedStatus GetPaddingFromString(std::string_view text, Padding* padding) {
  return internal::EnumOf(text, padding);
}
// Accepts None, Sigmoid, Relu, Relu6, ReluX, Tanh and BandPass.
inline ReturnedStatus GetActivationModeFromString(std::string_view text, ActivationMode* mode) {
  return internal::EnumOf(text, mode);
}
// Of an enumeration above. NOT_FOUND: the attr is missing, or its text names none.
class NodeDef;
template <typename Node, typename Enum, typename = std::enable_if_t<std::is_same_v<Node, NodeDef>>,
          typename = decltype(internal::EnumTexts<Enum>::kFirst)>
ReturnedStatus GetNodeAttr(const Node& node, std::string_view name, Enum* value) {
  std::string text;
  TF_RETURN_IF_ERROR(GetNodeAttr(node, name, &text));
  return internal::EnumOf(text, value);
}

// OK if explicit_paddings has the zeros around each of `rank` dimensions, none for N and C; otherwise it must be empty.
template <typename Int64>
ReturnedStatus CheckValidPadding(Padding padding, const std::vector<Int64>& explicit_paddings, int rank,
                                 TensorFormat format) {
  const size_t wanted = padding == EXPLICIT ? 2 * static_cast<size_t>(rank) : 0;
  if (explicit_paddings.size() != wanted) {
    return errors::InvalidArgument("explicit_paddings must have ", wanted, " numbers, but has ",
                                   explicit_paddings.size());
  }
  for (size_t i = 0; i < wanted; ++i) {
    const int dim = static_cast<int>(i / 2);
    const bool is_space = dim != GetTensorBatchDimIndex(rank, format) && dim != GetTensorFeatureDimIndex(rank, format);
    if (explicit_paddings[i] == 0 || (is_space && explicit_paddings[i] > 0)) continue;
    return errors::InvalidArgument("explicit_paddings is ", explicit_paddings[i], " for dimension ", dim, " of ",
                                   ToString(format), "; it must be ", is_space ? "at least 0" : "0");
  }
  return Status();
}

// For kernels: the number of windows that begin at multiples of stride, of filter_size inputs that are dilation_rate
// apart, and the zeros around the inputs, which the caller sets if the padding is EXPLICIT.
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

// The same, with only the zeros before the inputs. INTERNAL: the padding is EXPLICIT.
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

// Older names of the functions with a dilation rate.
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

// GetWindowedOutputSize for three dimensions.
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
