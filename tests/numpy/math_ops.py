"""math_ops.py: the NumPy expression of each op of plugins/math_ops. How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

from agree import *

family("arithmetic")
op("Add", lambda x, y: x + y, broadcast(2), types=NUMBERS)
op("SquaredDifference", lambda x, y: (x - y) ** 2, broadcast(2, special=False), types=["float32", "float64"])
fails("Add", "cannot be broadcast together", lambda d: [np.zeros((2, 3), np.float32), np.zeros((2, 2), np.float32)])
