// opsrun_compat/mirror_pad_mode.h: MirrorPadMode: whether a mirrored border repeats the outermost elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel_construction.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// The border before a, b, c is "c, b" with REFLECT and "b, a" with SYMMETRIC.
enum class MirrorPadMode { REFLECT = 1, SYMMETRIC = 2 };

// The attr of REGISTER_OP.
inline std::string GetMirrorPadModeAttrString() {
  return "mode: {'REFLECT', 'SYMMETRIC'}";
}

namespace internal {
inline bool ModeOf(std::string_view text, MirrorPadMode* mode) {
  *mode = text == "REFLECT" ? MirrorPadMode::REFLECT : MirrorPadMode::SYMMETRIC;
  return text == "REFLECT" || text == "SYMMETRIC";
}

template <>
struct AttrElement<MirrorPadMode> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_STRING;
  static bool Get(const opsrun_attr& attr, int64_t i, MirrorPadMode* value) {
    std::string text;
    AttrElement<std::string>::Get(attr, i, &text);
    return ModeOf(text, value);
  }
};
}  // namespace internal

class NodeDef;
// NOT_FOUND: there is no such attr, or no such mode.
template <typename Node, typename = std::enable_if_t<std::is_same_v<Node, NodeDef>>>
ReturnedStatus GetNodeAttr(const Node& node, std::string_view name, MirrorPadMode* mode) {
  std::string text;
  TF_RETURN_IF_ERROR(GetNodeAttr(node, name, &text));
  return internal::ModeOf(text, mode) ? ReturnedStatus() : errors::NotFound("There is no mode '", text, "'");
}

}  // namespace OPSRUN_HIDDEN
