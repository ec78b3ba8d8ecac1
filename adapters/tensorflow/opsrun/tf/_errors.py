"""Errors of opsrun as those of TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import tensorflow as tf

from opsrun.tf import _native


@contextlib.contextmanager
def raised() -> Iterator[None]:
    """Failures of the native part within become errors of tf.errors."""
    try:
        yield
    except _native.Failure as failure:
        code, text = failure.args
        raise tf.compat.v1.errors.exception_type_from_error_code(code)(None, None, text) from None
