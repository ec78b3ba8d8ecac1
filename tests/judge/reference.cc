// tests/judge/reference.cc: all ops of the zoo, done honestly.
// SPDX-License-Identifier: Apache-2.0
#include "ops.h"
#include "zoo.h"

OPSRUN_PLUGIN("reference", "1.0.0");

namespace opsrun {
namespace {

REPLAY_OPS(ZOO_HONEST)
LAZY_OPS(ZOO_HONEST)
MEMORY_OPS(ZOO_HONEST)
GUESSING_OPS(ZOO_HONEST)
ROUNDING_OPS(ZOO_HONEST)
TAMPERING_OPS(ZOO_HONEST)
LYING_OPS(ZOO_HONEST)
HONEST_OPS(ZOO_HONEST)

}  // namespace
}  // namespace opsrun
