"""packages.py: what Debian's packages have of what the project looks for (looked_for.py says how a thing is written).

Targets of CMake that are not listed come with the package for CMake of that name.

SPDX-License-Identifier: Apache-2.0
"""

# The packages of scripts/setup.
OF_SETUP = {
    "g++": ["program g++", "program gcc", "program cc", "package Threads", "package OpenMP"],
    "cmake": ["program cmake"],
    "make": ["generator Unix Makefiles"],
    "ninja-build": ["program ninja", "generator Ninja"],
    "libyaml-dev": ["header yaml.h", "library yaml"],
    "libeigen3-dev": ["header unsupported/Eigen/CXX11/Tensor"],
    "libcli11-dev": ["header CLI/CLI.hpp"],
    "libfmt-dev": ["package fmt"],
    "nlohmann-json3-dev": ["package nlohmann_json"],
    "libminizip-dev": ["header minizip/zip.h", "library minizip"],
    "libxxhash-dev": ["header xxhash.h"],
    "zlib1g-dev": ["package ZLIB"],
    "libdw-dev": ["header elfutils/libdwfl.h", "library dw"],
    "libseccomp-dev": ["header seccomp.h", "library seccomp"],
    "libsodium-dev": ["header sodium.h", "library sodium"],
    "libarchive-dev": ["header archive.h", "library archive"],
    "libgtest-dev": ["package GTest"],
    "libgmock-dev": ["target GTest::gmock"],
    "libbenchmark-dev": ["package benchmark"],
    "libabsl-dev": ["package absl"],
    "clang": ["program clang", "program clang++"],
    "binutils": ["program readelf", "program nm", "program ld", "program ld.bfd", "program objcopy"],
    "abigail-tools": ["program abidiff"],
    "python3": ["program python3", "component Interpreter"],
    "python3-dev": ["component Development.Module"],
    "python3-venv": ["module venv", "program pip"],
    "python3-jsonschema": ["module jsonschema"],
    "python3-yaml": ["module yaml"],
    "python3-numpy": ["module numpy"],
    "valgrind": ["program valgrind"],
    "graphviz": ["program dot"],
    "pkg-config": ["program pkg-config"],
}

# The packages that every Debian has.
EVERYWHERE = {
    "coreutils": [f"program {name}" for name in """basename cat comm cp dirname head ln ls mkdir mktemp mv nproc paste rm sort tail
                  tee tr uname wc""".split()],
    "apt": ["program apt-get"],
    "bash": ["program bash"],
    "dash": ["program sh"],
    "diffutils": ["program cmp", "program diff"],
    "dpkg": ["program dpkg", "program dpkg-deb", "program dpkg-query"],
    "findutils": ["program find"],
    "grep": ["program grep"],
    "mawk": ["program awk"],
    "sed": ["program sed"],
    "util-linux": ["program flock", "program unshare"],
}

# What is used if somebody has it, and why scripts/setup does not install it.
OPTIONAL = {
    "header onnxruntime_c_api.h": "for one adapter, opsrun.onnx; scripts/frameworks gets it, and Debian 13 has libonnxruntime-dev",
    "program compute-sanitizer": "of the CUDA toolkit, and of use only where there is a GPU",
    "program ccache": "only makes builds faster",
    "program git": "whoever has a clone has it, and in a copy without it only .ci/run asks for it",
    "program minisign": "for tests of signatures, which check them with it",
    "program nvcc": "of NVIDIA, several gigabytes; without it no kernels for GPUs are built, and their tests are skipped",
    "program nvidia-smi": "of NVIDIA's driver; without it there is no GPU to compile for",
    "program rustc": "for one test of a plugin in Rust",
    "program sudo": "root needs none; scripts/setup says what root must do where there is none",
    "program dpkg-shlibdeps": "for the dependencies of a .deb; without it, there are none in it",
    "program file": "dpkg-shlibdeps is used with it alone",
    "program fish": "for one line of a test, which reads its completions",
    "program zsh": "for one line of a test, which reads its completions",
    "program zig": "for one test of a plugin in Zig; Debian does not package it",
}

# Where Debian names the file of a thing otherwise than below; the path's end.
FILES = {
    "component Interpreter": "/bin/python3",
    "component Development.Module": "/Python.h",
    "generator Ninja": "/bin/ninja",
    "generator Unix Makefiles": "/bin/make",
    "module venv": "/venv/__init__.py",
    "package OpenMP": "/omp.h",
    "package Threads": "/pthread.h",
    "package ZLIB": "/zlib.h",
    "program pip": "/ensurepip/__init__.py",
}
