// host/plan/explain/blame.h: finds the place in the graph for an error of a plugin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// The place of "attr:N", "input:x" or "input:list.2" in the node, as a plugin or the spec room blames it; its op if
// there is none. Of several subjects, with spaces between them, the place of the first.
Span BlamedSpan(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject);

// Puts the error where `subject` says, and marks the other subjects, too, if there are several.
void Blame(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject, Diagnostic& error);

// Whether a failure that a plugin reports is its own fault: no graph may cause one of this code, and it blames no part
// of the graph; or it is an output of another shape or type.
bool IsOfPlugin(const Status& status);

// What to do about a failure that a plugin reports: change the graph or, if the code says that the plugin is at fault,
// report it to the plugin's author.
std::string FailureHelp(const Status& status, const std::string& op, const std::string& plugin);

// Names the node that a node of a gradient belongs to.

// Marks, in an error about `node`, the node whose gradient it computes, if there is one in the graph.
void MarkForwardNode(const Graph& graph, const Node& node, Diagnostic& error);

// The same for all errors whose place is in a node of a gradient.
void MarkForwardNodes(const Graph& graph, std::vector<Diagnostic>& errors);

// What to do about an array that a graph names and that cannot be read. Private to this
// room.

// Adds a help, unless the status is already sufficient, as for a key that is missing in an archive, and for a data type
// that opsrun does not read.
void AddFileHelp(const Status& status, bool npz, Diagnostic& d);

}  // namespace opsrun::host
