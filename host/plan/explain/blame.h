// host/plan/explain/blame.h: finds the location in the graph for an error of a plugin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// The location in the node of "attr:N", "input:x" or "input:list.2", as plugins and host/spec name the subject of an
// error; the op if there is none. For several subjects, separated by spaces, that of the first.
Span BlamedSpan(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject);

// Puts the error at the location of `subject`; marks further subjects, too.
void Blame(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject, Diagnostic& error);

// True if a failure reported by a plugin is the plugin's fault: the code is one that no graph can cause, and the
// subject is not a part of the graph; or an output has a wrong shape or type.
bool IsOfPlugin(const Status& status);

// Help for a failure that a plugin reports: to change the graph or, if the code says that the plugin is at fault, to
// report it to the plugin's author.
std::string FailureHelp(const Status& status, const std::string& op, const std::string& plugin);

// In an error about `node`, marks the node whose gradient it computes, if it is in the graph.
void MarkForwardNode(const Graph& graph, const Node& node, Diagnostic& error);

// The same for all errors located in a node of a gradient.
void MarkForwardNodes(const Graph& graph, std::vector<Diagnostic>& errors);

// Adds help for an array in a file that cannot be read. Adds nothing if the status is sufficient, as for a missing key
// in an archive or an unsupported data type.
void AddFileHelp(const Status& status, bool npz, Diagnostic& d);

}  // namespace opsrun::host
