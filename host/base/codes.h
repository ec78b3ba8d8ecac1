// host/base/codes.h: the codes that messages have: what each is about, and how the program ends with it.
//
// The letter says what is wrong: G the graph, K kernels, F feeds, P plugins, D the device or memory, R a run and what
// comes out of it, U the command line, B opsrun. Each code has a page in docs/errors, with the same title.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/base/exit_status.h"

namespace opsrun::host {

struct CodeRow {
  std::string_view text;
  std::string_view title;
  ExitStatus exit = kExitBug;
};

// In the order of their texts.
inline constexpr CodeRow kCodes[] = {
    {"B000", "a bug in opsrun", kExitBug},
    {"D001", "a value with more bytes than memory can hold", kExitDevice},
    {"D100", "there is not enough memory", kExitDevice},
    {"D101", "a run needs more memory than there is", kExitDevice},
    {"D102", "there is no memory for a result", kExitDevice},
    {"D401", "a node asked for more memory than there is", kExitDevice},
    {"F101", "keys of a feed that do not go together", kExitGraph},
    {"F102", "a value that has not the shape beside it", kExitGraph},
    {"F103", "no data type", kExitGraph},
    {"F104", "no shape", kExitGraph},
    {"F105", "lists of different lengths", kExitGraph},
    {"F106", "an element that its data type cannot hold", kExitGraph},
    {"F107", "random numbers that there are not", kExitGraph},
    {"F201", "the file of a feed cannot be read", kExitGraph},
    {"F202", "an array of another data type than the feed declares", kExitGraph},
    {"F203", "an array of another shape than the feed declares", kExitGraph},
    {"F301", "--feed names no feed", kExitGraph},
    {"F302", "the file of --feed cannot be read", kExitGraph},
    {"F303", "--feed gives what the graph already has", kExitGraph},
    {"F304", "a declared feed that got no array", kExitGraph},
    {"F305", "an array that the plan does not take", kExitGraph},
    {"G000", "the graph file cannot be read", kExitGraph},
    {"G001", "text that is not UTF-8, or a control character", kExitGraph},
    {"G002", "a tab in the indentation", kExitGraph},
    {"G003", "a quote that is never closed", kExitGraph},
    {"G004", "a bracket without its partner", kExitGraph},
    {"G005", "lists and maps nested too deeply", kExitGraph},
    {"G006", "another slip of YAML", kExitGraph},
    {"G007", "aliases that stand for too much", kExitGraph},
    {"G008", "the merge key <<", kExitGraph},
    {"G009", "a tag such as !!binary", kExitGraph},
    {"G010", "a second document in the file", kExitGraph},
    {"G011", "the file is empty", kExitGraph},
    {"G012", "a key that is no text", kExitGraph},
    {"G013", "more than ten million values", kExitGraph},
    {"G101", "no opsrun: 1", kExitGraph},
    {"G102", "an unknown key", kExitGraph},
    {"G103", "a name or key that is there twice", kExitGraph},
    {"G104", "a key of a later version", kExitGraph},
    {"G105", "a value of another kind", kExitGraph},
    {"G106", "a key that is missing", kExitGraph},
    {"G107", "a text that cannot be a name", kExitGraph},
    {"G108", "a text that is no reference", kExitGraph},
    {"G109", "two outputs that write one file", kExitGraph},
    {"G110", "an output with both npy and npz", kExitGraph},
    {"G111", "no range of versions", kExitGraph},
    {"G112", "a check without one expected value", kExitGraph},
    {"G113", "no tolerance", kExitGraph},
    {"G114", "a check of another data type or shape", kExitGraph},
    {"G115", "the file of a check cannot be read", kExitGraph},
    {"G116", "an output overwrites an input", kExitGraph},
    {"G201", "no op of that name", kExitGraph},
    {"G202", "an op that two plugins of one directory have", kExitGraph},
    {"G204", "a name that is neither a feed nor a node", kExitGraph},
    {"G205", "nodes that wait for each other", kExitGraph},
    {"G206", "an output that there is not", kExitGraph},
    {"G207", "several outputs, and none is named", kExitGraph},
    {"G208", "an element that there is not", kExitGraph},
    {"G209", "a node without outputs", kExitGraph},
    {"G210", "no such input", kExitGraph},
    {"G211", "too many or too few inputs, or a list of another length", kExitGraph},
    {"G212", "no such attr", kExitGraph},
    {"G213", "an attr that is missing", kExitGraph},
    {"G214", "a value that the attr does not take", kExitGraph},
    {"G215", "data types that do not go together", kExitGraph},
    {"G216", "a kernel refuses the attrs", kExitGraph},
    {"G217", "a shape function refuses the shapes", kExitGraph},
    {"G218", "a list where a tensor belongs, or a tensor where a list belongs", kExitGraph},
    {"G219", "an op that works on a variable", kExitGraph},
    {"G220", "an op that is deprecated", kExitGraph},
    {"G221", "an output that has no value outside a run", kExitGraph},
    {"K301", "no kernel fits the node", kExitGraph},
    {"K302", "several kernels fit equally well", kExitGraph},
    {"K303", "a kernel with a constraint on no attr", kExitGraph},
    {"P101", "a plugin directory that cannot be searched", kExitPlugins},
    {"P102", "a plugin file that cannot be read", kExitPlugins},
    {"P103", "a file that is no plugin", kExitPlugins},
    {"P104", "a plugin that is refused", kExitPlugins},
    {"P105", "the SDK is not there", kExitPlugins},
    {"P106", "a plugin that crashed while it was opened", kExitSignal},
    {"P201", "the op is in a plugin that was refused", kExitPlugins},
    {"P301", "a plugin that the graph requires is missing", kExitPlugins},
    {"P302", "a plugin of another version than the graph requires", kExitPlugins},
    {"R401", "an op failed while it ran", kExitFailed},
    {"R402", "stopped by Ctrl-C or SIGTERM", kExitSignal},
    {"R403", "stopped by --timeout", kExitTimeout},
    {"R404", "nothing to measure", kExitFailed},
    {"R405", "a check failed", kExitFailed},
    {"R501", "an output cannot be written", kExitFailed},
    {"R502", "standard output cannot be written", kExitFailed},
    {"R503", "a trace cannot be written", kExitFailed},
    {"R504", "a schema or a picture cannot be written", kExitFailed},
    {"R505", "Graphviz is missing, or failed", kExitFailed},
    {"R506", "a result does not fit the memory given for it", kExitFailed},
    {"U001", "an unknown option", kExitUsage},
    {"U002", "an unknown command", kExitUsage},
    {"U003", "something is missing on the command line", kExitUsage},
    {"U004", "something is too much on the command line", kExitUsage},
    {"U005", "a word that cannot stand there", kExitUsage},
    {"U006", "no document to compare with", kExitUsage},
    {"U007", "a file used twice", kExitUsage},
};

// A code of the table; made from its text alone, which is looked up while the host is compiled.
class Code {
 public:
  constexpr Code() = default;                        // of a message that has none
  consteval Code(const char* text) : row_(kCodes) {  // NOLINT(google-explicit-constructor): a literal is a code
    while (row_->text != text) ++row_;               // past the end, so no constant, if the table lacks it
  }

  constexpr bool empty() const { return row_ == nullptr; }
  constexpr std::string_view text() const { return empty() ? std::string_view() : row_->text; }  // "G204"
  constexpr std::string_view title() const { return empty() ? std::string_view() : row_->title; }
  constexpr ExitStatus exit() const { return empty() ? kExitBug : row_->exit; }
  bool operator==(const Code&) const = default;

 private:
  const CodeRow* row_ = nullptr;
};

}  // namespace opsrun::host
