"""python -m opsrun: the program opsrun."""
# SPDX-License-Identifier: Apache-2.0
from opsrun._program import main

main()
