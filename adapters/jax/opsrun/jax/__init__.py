"""opsrun's plugins as JAX functions.

    import opsrun.jax

    ops = opsrun.jax.load_op_library("zero_out.so")
    jax.jit(ops.zero_out)(jnp.array([5, 4, 3]))

SPDX-License-Identifier: Apache-2.0
"""

import jax as _jax

try:
    from opsrun._native import version as _version
except ImportError as problem:
    raise ImportError("opsrun.jax adds to the package opsrun, which is not installed: pip install opsrun") from problem

if _jax.__version_info__ < (0, 6):
    raise ImportError(f"opsrun.jax needs JAX 0.6 or later, but this is JAX {_jax.__version__}: pip install --upgrade jax")

_BUILD = "build it again, with pip install --no-build-isolation --force-reinstall --no-deps opsrun-jax"
try:
    from opsrun.jax import _native
except ImportError as problem:
    raise ImportError(f"opsrun.jax does not fit opsrun {_version}: {_BUILD} ({problem})") from problem
if _native.OPSRUN_VERSION != _version:
    raise ImportError(f"opsrun.jax was built with opsrun {_native.OPSRUN_VERSION}, but this is {_version}: {_BUILD}")

from opsrun.jax._library import OpLibrary, load_op_library  # noqa: E402

__all__ = ["OpLibrary", "load_op_library"]
