// tests/sdk/outputs.h: runs shape functions on shapes written as text, in the grammar of fake_shape_call.h.
//
// A failure reads as its code, such as "INVALID_ARGUMENT"; infer.h gives its sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/trampoline.h"
#include "opsrun/shape_inference.h"
#include "tests/sdk/fake_shape_call.h"

namespace opsrun_test {

template <typename Fn>
std::string Outputs(FakeShapeCall& call, Fn fn) {
  const int32_t code = opsrun::internal::ShapeTrampoline<Fn>(&fn, call.handle());
  return code == OPSRUN_OK ? call.Outputs() : opsrun::internal::CodeName(code);
}

template <typename Fn>
std::string Outputs(const std::string& inputs, Fn fn, uint32_t n_out = 1) {
  FakeHost host;
  FakeShapeCall call(host, inputs, n_out);
  return Outputs(call, fn);
}

}  // namespace opsrun_test
