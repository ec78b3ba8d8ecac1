// host/show/wrap/python_stub.h: the functions of ops in Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/show/json_text.h"
#include "host/show/wrap/wrapped_plugin.h"

namespace opsrun::host {

// The text of a .pyi file for the module that opsrun.load_op_library returns.
std::string PythonStub(const WrappedPlugin& plugin);

// The same facts about one op, from which the package opsrun makes its function: "function", the names of "inputs" and
// "outputs", "attrs" that the caller sets, by their names in the op, with name and annotation, and "help": the
// documentation up to the last attr, and from there on, since what a framework adds is documented between the two.
Json PythonJson(const spec::OpDef& op, const std::string& plugin);

}  // namespace opsrun::host
