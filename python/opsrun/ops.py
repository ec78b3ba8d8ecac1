"""The ops of all installed plugins: opsrun.ops.pad.pad(...), opsrun.ops.math_ops.mat_mul(...).

`dir(opsrun.ops)` lists the plugins. A plugin is opened when one of its ops is first used.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from opsrun._engine import engine
from opsrun._library import OpModule, module_of
from opsrun._refuse import did_you_mean


def __getattr__(name: str) -> OpModule:
    if name.startswith("__"):
        raise AttributeError(name)
    plugins = engine().plugins()
    for plugin, _, path, state, reason, remedy, ops in plugins:
        if plugin != name or state == "hidden":
            continue
        if state == "refused":
            raise AttributeError(f"plugin '{name}' is refused: {reason}; {remedy}")
        return module_of(plugin, path, ops, f"opsrun.ops.{plugin}")
    raise AttributeError(f"no plugin '{name}' is installed{did_you_mean(name, __dir__(), 'plugins')}")


def __dir__() -> list[str]:
    return sorted({plugin[0] for plugin in engine().plugins() if plugin[3] == "ok"})
