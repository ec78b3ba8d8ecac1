// host/plan/explain/infer_code.cc: see infer_code.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/infer_code.h"

namespace opsrun::host {

Code InferCode(const spec::InferError& error) {
  using Kind = spec::InferError::Kind;
  if (error.kind == Kind::kMissingAttr) return "G213";
  if (error.kind == Kind::kListExpected || error.kind == Kind::kSingleExpected) return "G218";
  if (error.kind == Kind::kTooFewInputs || error.kind == Kind::kTooManyInputs || error.length) return "G211";
  if (error.kind == Kind::kWrongInputType || error.kind == Kind::kInconsistentAttr || !error.inferred_from.empty()) {
    return "G215";
  }
  return "G214";
}

}  // namespace opsrun::host
