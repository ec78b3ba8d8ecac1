"""Robust losses as ops of opsrun."""
# SPDX-License-Identifier: Apache-2.0

import opsrun

huber = opsrun.ops.my_ops.huber
