// host/plan/explain/infer_code.h: the code of a message about attrs and types that cannot be inferred.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/codes.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

Code InferCode(const spec::InferError& error);

}  // namespace opsrun::host
