// host/plan/explain/explain.h: errors of planning in terms of the graph: where they are, why they are, what to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/examine/catalog.h"
#include "host/graph/graph.h"
#include "host/plugin/load.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

// Errors of plugins.

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

// P201, G202 or G201, without a location. op: as requested, "ZeroOut" or "plugin.Op". trouble: what loading reported
// about it, or null. If explain is false, the message is a single sentence without suggestions.
Diagnostic NoOp(const std::string& op, const OpTrouble* trouble, const Catalog& catalog, bool explain = true);

// The code of an error about attrs and types.
Code InferCode(const spec::InferError& error);

// The rest is private to this library.

struct NodeWork;
struct Planning;

// The same as NoOp, at the node.
void ReportNoOp(Planning& p, const Node& node);

// K301, with the most similar kernels and the origins of the values that they do not accept.
void ReportNoKernel(Planning& p, const NodeWork& work, const std::vector<const RegisteredKernel*>& kernels);

// "add it, such as attrs: {padding: 'SAME'}; it may be 'SAME', 'VALID'"
std::string MissingAttrHelp(const spec::AttrDef& attr);

// The allowed values as a graph writes them, without quotes; empty if any value is allowed.
std::vector<std::string> AllowedWords(const spec::AttrDef& attr);

// "int", "list(float)", "a data type", to follow "attr 'x' is".
std::string KindOfAttr(const spec::AttrDef& attr);

struct AttrOrigin {
  bool written = false;  // the node sets it, at `where`
  std::string text;      // "comes from 'sum' <- feed 'a'", "is the default"
  Span where;            // the end of that chain; unknown for a default
};

// Follows a type from input to input, to a feed, a written attr, or an op that always gives this type.
AttrOrigin FindAttrOrigin(const Planning& p, const Node& node, const spec::OpDef& op, const std::string& attr);

// The same for the data type of a reference, which must be known: "from 'sum' <- feed 'a'".
AttrOrigin FindTypeOrigin(const Planning& p, const Reference& from);

// The values for one argument, and the reference to each.
struct ReachingValues {
  std::string arg;
  std::vector<uint32_t> values;
  std::vector<const Reference*> from;
};

// Marks the locations that determine the data types, and adds a note with the path from there for each data type of an
// argument: "input 'a' is int32, from 'sum' <- feed 'x'". If an attr of the node itself contributes, marks it too.
void AddTypeOrigins(const Planning& p, const std::vector<ReachingValues>& inputs, Diagnostic& diagnostic);

// Adds a note for each input of the node: its shape, and the nodes that the shape came through, back to where its sizes
// were first stated; also the nodes that determined sizes that were unknown there.
void TellShapeOrigins(const Planning& p, const NodeWork& work, Diagnostic& error);

}  // namespace opsrun::host
