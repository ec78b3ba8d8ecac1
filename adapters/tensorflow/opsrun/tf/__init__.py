"""opsrun's plugins as libraries of TensorFlow's ops.

    import opsrun.tf

    ops = opsrun.tf.load_op_library("zero_out.so")
    ops.zero_out(tf.constant([5, 4, 3]))        # the op is Opsrun_zero_out>ZeroOut in graphs

SPDX-License-Identifier: Apache-2.0
"""

import tensorflow as _tf  # before the extension module, which uses its libraries

try:
    from opsrun.tf import _native
except ImportError as problem:
    raise ImportError(f"opsrun.tf does not fit this TensorFlow, {_tf.__version__}: build it again, with pip install "
                      f"--no-build-isolation --force-reinstall --no-deps opsrun-tensorflow ({problem})") from problem
if _native.TF_VERSION.split(".")[:2] != _tf.__version__.split(".")[:2]:
    raise ImportError(f"opsrun.tf was built with TensorFlow {_native.TF_VERSION}, but this is {_tf.__version__}: build it "
                      "again, with pip install --no-build-isolation --force-reinstall --no-deps opsrun-tensorflow")

from opsrun.tf._library import OpLibrary, load_op_library  # noqa: E402

__all__ = ["OpLibrary", "load_op_library"]
