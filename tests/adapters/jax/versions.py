"""Functions that are elsewhere in older versions of JAX.

SPDX-License-Identifier: Apache-2.0
"""

import jax
import jax.experimental
import pytest

enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
needs_shard_map = pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="JAX 0.6.0 has no jax.shard_map")
