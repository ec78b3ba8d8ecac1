// host/testing/shape_answer.h: the result of a shape function, in the notation of INFER_OK, and its comparison.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/testing/shape_words.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The shapes of one inference: of each input, and of each output; null if the function did not set it.
class ShapeAnswer {
 public:
  ShapeAnswer(std::vector<const opsrun_shape*> inputs, std::vector<const opsrun_shape*> outputs)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  // "[d0_0,2];in1"; if several inputs share a handle, the last one is used.
  std::string Text() const;

  // Empty if each output is as expected, otherwise the first difference.
  std::string WhyNot(const std::vector<ShapeWord>& expected) const;

 private:
  std::string Text(const opsrun_shape* shape) const;
  std::string Text(const opsrun_dim* dim) const;
  std::string WhyNot(const opsrun_shape* found, const ShapeWord& expected) const;
  std::string WhyNot(const opsrun_dim* found, const DimWord& expected) const;
  bool IsInput(const opsrun_shape* shape) const;
  bool IsInputDim(const opsrun_dim* dim) const;
  const opsrun_dim* Find(const DimName& name) const;

  std::vector<const opsrun_shape*> inputs_, outputs_;
};

}  // namespace opsrun::host
