// host/engine/check_graph.h: checks of a graph against its caller and this machine: feeds, plugins, declared gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/engine/engine.h"
#include "host/examine/catalog.h"
#include "host/graph/graph.h"

namespace opsrun::host {

// F301 for each name that is not a feed, F303 for each feed that has a value in the graph. With `all`, as for a run,
// F304 for each declared feed that is missing. Planning checks whether an array fits its feed.
void CheckFeeds(const Graph& graph, const std::vector<std::string>& given, bool all, Diagnostics& diagnostics);

// Compares the plugins that a graph requires with the notes of the plugin files; does not open any.

// Returns the names of required plugins that are not available, with an error for each: P301 the plugin does not exist,
// P302 its version does not match.
std::vector<std::string> CheckRequires(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics);

// The ops of the graph, as written in it, that belong or may belong to the plugins `unmet`: those that name one of
// them, and those without a plugin's name that no available plugin has. Their nodes cannot be checked.
std::vector<std::string> OpsOfUnmet(const Graph& graph, const Catalog& catalog, const std::vector<std::string>& unmet);

// Checks the gradient that an op declares.

// Finds the errors in the gradient that the op declares, with places in GradientSource(op); see
// host/gradient/differentiate.h. Opens the plugins whose ops it uses. Requires: the op declares a gradient.
void CheckDeclaredGradient(Engine& engine, const RegisteredOp& op, Diagnostics& diagnostics);

}  // namespace opsrun::host
