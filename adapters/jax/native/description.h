// adapters/jax/native/description.h: an op with its attrs and the types of its inputs, as one text.
//
// The text is an attribute of the call in XLA's program. It must be self-contained, since XLA stores programs and runs
// them in other processes. It consists of lines of words. Words with arbitrary content are percent-encoded, as in URLs:
//
//   zero_out.ZeroOut
//   in to_zero 3 0              for each input tensor: its argument, its data type, and 0 or OPSRUN_LIST_ELEMENT; for
//                               an empty list: its argument, 0, and OPSRUN_LIST_EMPTY
//   attr preserve_index 1 0     for each attr: its name, its kind (OPSRUN_ATTR_*), and a word for each value:
//                               17, 0x1.8p+1, 'text, [2,-1], [?] (unknown rank), 3[2]'01000000ff000000 (a tensor's
//                               data type, shape, and bytes)
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/common/attrs.h"
#include "view.h"

namespace opsrun_jax {

class Description {
 public:
  // Throws a Failure if the text is invalid.
  explicit Description(std::string_view text);

  const std::string& op() const { return op_; }  // "zero_out.ZeroOut"
  const std::vector<opsrun_op_input>& inputs() const { return inputs_; }
  std::vector<opsrun_attr> attrs() const { return attrs_.all(); }

 private:
  using Words = std::vector<std::string_view>;

  void TakeInput(const Words& words);
  void TakeAttr(const Words& words);
  void TakeValue(uint32_t kind, std::string_view word);
  const opsrun_tensor* KeepTensor(std::string_view word);

  std::string op_;
  std::vector<opsrun_op_input> inputs_;
  opsrun_adapter::AttrList attrs_;
  std::deque<Owner> tensors_;
};

// Describes a typed op with all its attrs.
std::string Describe(const opsrun_typed_op_info& op);

}  // namespace opsrun_jax
