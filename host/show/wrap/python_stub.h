// host/show/wrap/python_stub.h: the functions of a plugin as a Python stub.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/show/wrap/wrapped_plugin.h"

namespace opsrun::host {

// The text of a .pyi file for the module that opsrun.load_op_library returns. Names, parameters, defaults and
// documentation are those of python/opsrun/_op_help.py.
std::string PythonStub(const WrappedPlugin& plugin);

}  // namespace opsrun::host
