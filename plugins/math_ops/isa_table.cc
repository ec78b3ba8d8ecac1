// plugins/math_ops/isa_table.cc: the table of one instruction set, the only symbol that its object file exports.
// SPDX-License-Identifier: Apache-2.0
#include "isa_kernels.h"

#define MATH_OPS_JOIN(a, b) a##b
#define MATH_OPS_TABLE(set) MATH_OPS_JOIN(math_ops_set_, set)
#define MATH_OPS_TEXT(set) #set
#define MATH_OPS_NAME(set) MATH_OPS_TEXT(set)

namespace math_ops {
extern const SimpleLoops kSimpleLoops;
namespace MATH_OPS_SET {
extern const TranscendentalLoops kLoops;
}  // namespace MATH_OPS_SET
}  // namespace math_ops

extern "C" {
extern const math_ops::Kernels MATH_OPS_TABLE(MATH_OPS_SET);
const math_ops::Kernels MATH_OPS_TABLE(MATH_OPS_SET) = {
    MATH_OPS_NAME(MATH_OPS_SET),
    {math_ops::MultiplyFloats, math_ops::MultiplyDoubles, math_ops::MultiplyInts, math_ops::MultiplyLongs},
    &math_ops::MATH_OPS_SET::kLoops,
    &math_ops::kSimpleLoops,
};
}
