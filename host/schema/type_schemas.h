// host/schema/type_schemas.h: data types, and tensors of them as a graph writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/base/dtype.h"
#include "host/schema/definitions.h"

namespace opsrun::host {

// One of the data types by any of its names. An editor offers NumPy's.
Json DTypeSchema(const std::vector<DType>& allowed, Definitions& definitions);

std::vector<DType> AllDTypes();
std::vector<DType> FeedableDTypes();

// A scalar or nested lists of any elements that a tensor can have.
Json AnyTensorSchema(Definitions& definitions);

// The consequences of a "dtype" in the same map, as a list for "allOf": `keys` hold tensors, or single elements, of
// that type.
Json ElementRules(const std::vector<const char*>& keys, Definitions& definitions);

}  // namespace opsrun::host
