"""opsrun's plugins as custom operators of ONNX Runtime.

    import onnxruntime
    import opsrun.onnx

    options = onnxruntime.SessionOptions()
    opsrun.onnx.register(options, ["zero_out.so"])
    session = onnxruntime.InferenceSession("model.onnx", options)

SPDX-License-Identifier: Apache-2.0
"""

try:
    from opsrun._native import version as _version
except ImportError as problem:
    raise ImportError("opsrun.onnx adds to the package opsrun, which is not installed: pip install opsrun") from problem

_BUILD = "build it again, with pip install --no-build-isolation --force-reinstall --no-deps opsrun-onnx"
try:
    from opsrun.onnx import _native
except ImportError as problem:
    raise ImportError(f"opsrun.onnx does not fit opsrun {_version}: {_BUILD} ({problem})") from problem
if _native.OPSRUN_VERSION != _version:
    raise ImportError(f"opsrun.onnx was built with opsrun {_native.OPSRUN_VERSION}, but this is {_version}: {_BUILD}")

from opsrun.onnx._register import Domain, register  # noqa: E402

__all__ = ["Domain", "register"]
