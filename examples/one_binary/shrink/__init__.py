"""Shrinkage and pooling: a plugin for opsrun and the frameworks.

SPDX-License-Identifier: Apache-2.0
"""

import os

PLUGIN = os.path.join(os.path.dirname(__file__), "shrink.so")  # for load_op_library of a framework
