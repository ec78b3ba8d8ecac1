"""opsrun's plugins as libraries of TensorFlow ops.

    import opsrun.tf

    ops = opsrun.tf.load_op_library("zero_out.so")
    ops.zero_out(tf.constant([5, 4, 3]))        # the op is Opsrun_zero_out>ZeroOut in graphs

SPDX-License-Identifier: Apache-2.0
"""

import importlib as _importlib
import pathlib as _pathlib
import re as _re

import tensorflow as _tf  # import it first: the extension module uses its libraries

try:
    from opsrun._native import version as _version
except ImportError as problem:
    raise ImportError("opsrun.tf adds to the package opsrun, which is not installed: pip install opsrun") from problem

_BUILD = "build it again, with pip install --no-build-isolation --force-reinstall --no-deps opsrun-tensorflow"
_MODULES = [_re.match(r"_native_(\d+)_(\d+)", each.name) for each in _pathlib.Path(__path__[0]).glob("_native_*.so")]
_BUILT_FOR = sorted((int(each[1]), int(each[2])) for each in _MODULES if each)
_wanted = tuple(int(each) for each in _tf.__version__.split(".")[:2])
if _wanted not in _BUILT_FOR:
    raise ImportError(f"opsrun.tf was built for TensorFlow {', '.join(f'{a}.{b}' for a, b in _BUILT_FOR)}, "
                      f"but this is {_tf.__version__}: {_BUILD}")
try:
    _native = _importlib.import_module("opsrun.tf._native_%d_%d" % _wanted)
except ImportError as problem:
    raise ImportError(f"opsrun.tf does not fit TensorFlow {_tf.__version__} or opsrun {_version}: {_BUILD} ({problem})") from problem
if _native.OPSRUN_VERSION != _version:
    raise ImportError(f"opsrun.tf was built with opsrun {_native.OPSRUN_VERSION}, but this is {_version}: {_BUILD}")

from opsrun.tf._library import OpLibrary, load_op_library  # noqa: E402

__all__ = ["OpLibrary", "load_op_library"]
