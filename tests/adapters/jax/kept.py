"""What is kept after calls.

SPDX-License-Identifier: Apache-2.0
"""

import gc

import jax

from opsrun.jax import _native


def forget(library):
    """Makes the functions of a library forget the calls that they have prepared."""
    for function in vars(library).values():
        if getattr(function, "__closure__", None):
            function.__closure__[0].cell_contents._known.clear()
    gc.collect()


def ops():
    """The number of ops, each with a kernel object, that Python objects keep."""
    found = (each for holder in gc.get_objects() for each in gc.get_referents(holder) if isinstance(each, _native.TypedOp))
    return len({id(each) for each in found})


def programs():
    """The number of compiled programs that call ops."""
    modules = (module for each in jax.devices()[0].client.live_executables() for module in each.hlo_modules())
    return sum("opsrun." in module.to_string() for module in modules)
