"""Flags and paths for building a plugin.

    g++ -shared -fPIC my_op.cc -o my_op.so $(python -c "import opsrun; print(*opsrun.sysconfig.get_compile_flags())")
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
import shlex
import subprocess

from opsrun._program import prefix


def get_include() -> str:
    """The folder of the SDK's headers, such as opsrun/op_kernel.h."""
    return os.path.join(prefix(), "share", "opsrun", "sdk", "include")


def get_compile_flags() -> list[str]:
    """The flags for a C++ compiler, as `opsrun sdk --cflags` prints them."""
    program = os.path.join(prefix(), "bin", "opsrun")
    done = subprocess.run([program, "sdk", "--cflags"], capture_output=True, text=True, check=True)
    return shlex.split(done.stdout)


def get_link_flags() -> list[str]:
    """The flags for the linker. Plugins are not linked with any library of opsrun."""
    return ["-shared"]


def get_cmake_dir() -> str:
    """The folder for CMAKE_PREFIX_PATH: find_package(opsrun) then provides opsrun_add_plugin."""
    return os.path.join(prefix(), "lib", "cmake", "opsrun")
