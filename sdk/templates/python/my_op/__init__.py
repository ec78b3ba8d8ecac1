"""The op my_op, as a function of NumPy arrays."""
# SPDX-License-Identifier: Apache-2.0

import opsrun

my_op = opsrun.ops.my_op.my_op
