// opsrun_compat/padding.h: Padding: the zeros around the inputs of windows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel_construction.h"
#include "opsrun/status.h"
#include "opsrun/types.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// VALID: none. SAME: as many as make ceil(inputs / stride) windows fit. EXPLICIT: the op says how many.
enum Padding { VALID = 1, SAME = 2, EXPLICIT = 3 };

// The attrs of REGISTER_OP.
inline std::string GetPaddingAttrString() {
  return "padding: {'SAME', 'VALID'}";
}
inline std::string GetPaddingAttrStringWithExplicit() {
  return "padding: {'SAME', 'VALID', 'EXPLICIT'}";
}
inline std::string GetExplicitPaddingsAttrString() {
  return "explicit_paddings: list(int) = []";
}

// NOT_FOUND, and *padding stays: there is no such padding.
inline ReturnedStatus GetPaddingFromString(std::string_view text, Padding* padding) {
  const Padding named = text == "SAME" ? SAME : text == "VALID" ? VALID : EXPLICIT;
  if (named == EXPLICIT && text != "EXPLICIT") return errors::NotFound("There is no padding '", text, "'");
  *padding = named;
  return Status();
}

namespace internal {
template <>
struct AttrElement<Padding> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_STRING;
  static bool Get(const opsrun_attr& attr, int64_t i, Padding* value) {
    std::string text;
    AttrElement<std::string>::Get(attr, i, &text);
    return GetPaddingFromString(text, value).ok();
  }
};
}  // namespace internal

class NodeDef;
template <typename Node, typename = std::enable_if_t<std::is_same_v<Node, NodeDef>>>
ReturnedStatus GetNodeAttr(const Node& node, std::string_view name, Padding* padding) {
  std::string text;
  TF_RETURN_IF_ERROR(GetNodeAttr(node, name, &text));
  return GetPaddingFromString(text, padding);
}

// OK if explicit_paddings has the zeros before and after each of `rank` dimensions, and none for N and C, or, unless
// the padding is EXPLICIT, nothing. Int64: int64 or int64_t.
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

}  // namespace OPSRUN_HIDDEN
