// host/base/diagnostic.h: messages for the author of a graph, with location, code, title and exit status.
//
// The libraries of the host create diagnostics, and the command line prints them. A diagnostic is data: it can be
// printed as a source line with carets, as one line for an editor, or as a JSON object.
//
// The letter of a code is the area: G graph, K kernels, F feeds, P plugins, D device or memory, R a run and its
// results, U the command line, B opsrun itself. Each code has a page with the same title in docs/errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opsrun::host {

// Exit statuses of the program. The numbers never change. If signal n ends the program, the status is 128 + n.

enum ExitStatus : int {
  kExitOk = 0,
  kExitFailed = 1,   // the command ran and failed: an op or a check failed, or an output was not written
  kExitUsage = 2,    // the command line
  kExitGraph = 3,    // the graph, or what it requires of accepted plugins
  kExitPlugins = 4,  // a plugin is missing or refused
  kExitDevice = 5,   // device or memory
  kExitTimeout = 6,
  kExitBug = 70,      // an internal error
  kExitSignal = 128,  // plus the number of the signal
  kExitBrokenPipe = kExitSignal + 13,
};

struct CodeRow {
  std::string_view text;
  std::string_view title;
  ExitStatus exit = kExitBug;
};

// Sorted by code.
inline constexpr CodeRow kCodes[] = {
    {"B000", "internal error", kExitBug},
    {"D001", "tensor too large", kExitDevice},
    {"D100", "out of memory", kExitDevice},
    {"D101", "not enough memory for a run", kExitDevice},
    {"D102", "not enough memory for a result", kExitDevice},
    {"D201", "device not available", kExitDevice},
    {"D401", "not enough memory for a node", kExitDevice},
    {"F101", "invalid combination of feed keys", kExitGraph},
    {"F102", "value does not match the declared shape", kExitGraph},
    {"F103", "invalid data type", kExitGraph},
    {"F104", "invalid shape", kExitGraph},
    {"F105", "nested lists of different lengths", kExitGraph},
    {"F106", "element does not fit the data type", kExitGraph},
    {"F107", "invalid random specification", kExitGraph},
    {"F201", "cannot read the file of a feed", kExitGraph},
    {"F202", "array data type does not match the feed", kExitGraph},
    {"F203", "array shape does not match the feed", kExitGraph},
    {"F301", "--feed names an unknown feed", kExitGraph},
    {"F302", "cannot read the file of --feed", kExitGraph},
    {"F303", "--feed for a feed that already has a value", kExitGraph},
    {"F304", "missing array for a declared feed", kExitGraph},
    {"F305", "array does not match the plan", kExitGraph},
    {"F306", "invalid argument of the library", kExitUsage},
    {"F401", "mistake in a manifest", kExitGraph},
    {"G000", "cannot read the graph file", kExitGraph},
    {"G001", "invalid UTF-8 or control character", kExitGraph},
    {"G002", "tab in indentation", kExitGraph},
    {"G003", "unclosed quote", kExitGraph},
    {"G004", "unmatched bracket", kExitGraph},
    {"G005", "nesting too deep", kExitGraph},
    {"G006", "YAML syntax error", kExitGraph},
    {"G007", "alias expansion too large", kExitGraph},
    {"G008", "unsupported merge key <<", kExitGraph},
    {"G009", "unsupported YAML tag", kExitGraph},
    {"G010", "multiple YAML documents in one file", kExitGraph},
    {"G011", "empty graph file", kExitGraph},
    {"G012", "key is not a string", kExitGraph},
    {"G013", "too many values in the graph file", kExitGraph},
    {"G014", "invalid base64", kExitGraph},
    {"G015", "compiled graph cannot be used", kExitGraph},
    {"G101", "missing or unsupported format version", kExitGraph},
    {"G102", "unknown key", kExitGraph},
    {"G103", "duplicate name or key", kExitGraph},
    {"G104", "unsupported key", kExitGraph},
    {"G105", "wrong kind of value", kExitGraph},
    {"G106", "missing key", kExitGraph},
    {"G107", "invalid name", kExitGraph},
    {"G108", "invalid reference", kExitGraph},
    {"G109", "duplicate output file", kExitGraph},
    {"G110", "output has both npy and npz", kExitGraph},
    {"G111", "invalid version range", kExitGraph},
    {"G112", "missing or conflicting expected value", kExitGraph},
    {"G113", "invalid tolerance", kExitGraph},
    {"G114", "type or shape mismatch in a check", kExitGraph},
    {"G115", "cannot read the file of a check", kExitGraph},
    {"G116", "output overwrites an input", kExitGraph},
    {"G201", "unknown op", kExitGraph},
    {"G202", "ambiguous op", kExitGraph},
    {"G204", "unknown feed or node", kExitGraph},
    {"G205", "dependency cycle", kExitGraph},
    {"G206", "unknown output", kExitGraph},
    {"G207", "ambiguous output", kExitGraph},
    {"G208", "invalid or missing output index", kExitGraph},
    {"G209", "node has no outputs", kExitGraph},
    {"G210", "unknown input", kExitGraph},
    {"G211", "wrong number of inputs", kExitGraph},
    {"G212", "unknown attr", kExitGraph},
    {"G213", "missing attr", kExitGraph},
    {"G214", "invalid attr value", kExitGraph},
    {"G215", "type mismatch", kExitGraph},
    {"G216", "attrs rejected by the kernel", kExitGraph},
    {"G217", "shapes rejected by the shape function", kExitGraph},
    {"G218", "list instead of a tensor, or tensor instead of a list", kExitGraph},
    {"G219", "unsupported Ref type", kExitGraph},
    {"G220", "deprecated op", kExitGraph},
    {"G221", "output exists only during a run", kExitGraph},
    {"G222", "data type without tensors", kExitGraph},
    {"G223", "unknown device", kExitGraph},
    {"G224", "op changed since the graph was compiled", kExitGraph},
    {"G225", "graph does not match its lock", kExitGraph},
    {"G226", "lock missing or not readable", kExitGraph},
    {"G227", "node cannot be isolated", kExitGraph},
    {"G301", "op without a gradient", kExitGraph},
    {"G302", "invalid gradient of an op", kExitGraph},
    {"G303", "gradient does not match the inputs", kExitGraph},
    {"G304", "type or shape mismatch in a gradient", kExitGraph},
    {"G305", "invalid each", kExitGraph},
    {"G306", "tensor without a gradient", kExitGraph},
    {"G307", "gradient is zero", kExitGraph},
    {"K301", "no matching kernel", kExitGraph},
    {"K302", "ambiguous kernel", kExitGraph},
    {"K303", "invalid kernel constraint", kExitGraph},
    {"K304", "no kernel for the device", kExitGraph},
    {"P101", "cannot search the plugin directory", kExitPlugins},
    {"P102", "cannot read the plugin file", kExitPlugins},
    {"P103", "not a plugin", kExitPlugins},
    {"P104", "plugin refused", kExitPlugins},
    {"P105", "SDK not found", kExitPlugins},
    {"P106", "plugin crashed while loading", kExitSignal},
    {"P107", "plugin ended the program while loading", kExitPlugins},
    {"P108", "unknown plugin", kExitPlugins},
    {"P109", "invalid file beside a plugin", kExitPlugins},
    {"P110", "key cannot be used", kExitPlugins},
    {"P201", "op refused", kExitPlugins},
    {"P301", "missing required plugin", kExitPlugins},
    {"P302", "plugin version mismatch", kExitPlugins},
    {"R401", "op failed", kExitFailed},
    {"R402", "stopped by Ctrl-C or SIGTERM", kExitSignal},
    {"R403", "stopped by a timeout", kExitTimeout},
    {"R404", "nothing to measure", kExitFailed},
    {"R405", "check failed", kExitFailed},
    {"R406", "plugin crashed", kExitSignal},
    {"R407", "plugin ended the program", kExitFailed},
    {"R408", "plugin threw an exception", kExitFailed},
    {"R409", "isolated plugin ended its process", kExitFailed},
    {"R501", "cannot write an output", kExitFailed},
    {"R502", "cannot write to standard output", kExitFailed},
    {"R503", "cannot write a trace", kExitFailed},
    {"R504", "cannot write a file", kExitFailed},
    {"R505", "Graphviz is missing or failed", kExitFailed},
    {"R506", "result does not fit the provided memory", kExitFailed},
    {"R507", "wrong gradient", kExitFailed},
    {"R508", "gradient not checked", kExitFailed},
    {"R509", "batch cannot go on", kExitFailed},
    {"R510", "items of a batch failed", kExitFailed},
    {"R511", "op fails a check", kExitFailed},
    {"R512", "op fails against its reference", kExitFailed},
    {"R513", "op cannot be judged", kExitFailed},
    {"U001", "unknown option", kExitUsage},
    {"U002", "unknown command", kExitUsage},
    {"U003", "missing argument or option value", kExitUsage},
    {"U004", "unexpected argument", kExitUsage},
    {"U005", "invalid argument or option value", kExitUsage},
    {"U006", "missing or invalid --compare file", kExitUsage},
    {"U007", "file used twice", kExitUsage},
};

// A code of the table, looked up by its text at compile time.
class Code {
 public:
  constexpr Code() = default;                        // for messages without a code
  consteval Code(const char* text) : row_(kCodes) {  // NOLINT(google-explicit-constructor): a literal is a code
    while (row_->text != text) ++row_;               // if the table lacks it, runs past the end, which does not compile
  }

  constexpr bool empty() const { return row_ == nullptr; }
  constexpr std::string_view text() const { return empty() ? std::string_view() : row_->text; }  // "G204"
  constexpr std::string_view title() const { return empty() ? std::string_view() : row_->title; }
  constexpr ExitStatus exit() const { return empty() ? kExitBug : row_->exit; }
  bool operator==(const Code&) const = default;

 private:
  const CodeRow* row_ = nullptr;
};

// A text file that was read, kept to show diagnostics. `path` is as the user wrote it.
struct SourceFile {
  std::string path;
  std::string text;
};

// Counted from 1. Columns count bytes.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;

  auto operator<=>(const Position&) const = default;
};

// [begin, end). If the line is 0, the location is unknown.
struct Span {
  Position begin;
  Position end;
  bool known() const { return begin.line != 0; }
};

struct Label {
  Span span;
  std::string text;
};

// What was being executed.
struct StackFrame {
  std::string text;      // all of it: "Blur(int) at blur.cc:17", "0x11f9 in libblur.so", "... 5,131 frames like these"
  std::string function;  // demangled; this and what follows is empty, or 0, if it is unknown
  std::string file;      // of the source
  uint32_t line = 0;
  std::string module;     // the path of the program or library
  uint32_t left_out = 0;  // the number of frames that this one stands for
};

struct Diagnostic {
  enum class Severity { kError, kWarning };

  Severity severity = Severity::kError;
  Code code;
  std::string message;             // a sentence without a full stop; holds the offending text: "no op named 'ZeroOt'"
  std::string file;                // the file that contains `where` and `also`; empty: no location
  Span where;                      // the primary location
  std::string label;               // text under the caret: "unknown op"; may be empty
  std::vector<Label> also;         // further locations in the same file: "first definition here"
  std::vector<std::string> help;   // what to do; the first one is appended to the sentence in the short format
  std::vector<std::string> notes;  // further information
  std::string suggestion;          // likely replacement for the text at `where`; empty if no name is similar
  std::vector<StackFrame> backtrace;  // of code of a plugin, innermost first
};

// An error without a location; help may be empty.
Diagnostic MakeError(Code code, std::string message, std::string help = {});

// Adds DidYouMean as a help line. If one of `names` is similar, the most similar one becomes the suggestion. before:
// the text in front of the word at d.where, such as "node." of an output.
void SuggestName(Diagnostic& d, std::string_view word, const std::vector<std::string>& names, std::string_view what,
                 std::string_view before = "");

// What a function returns after it has reported an error: false, or nothing.
struct ErrorReported {
  template <std::same_as<bool> T>
  operator T() const {  // NOLINT(google-explicit-constructor): return reporter.Refuse(..);
    return false;
  }
  template <typename T>
  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return std::nullopt;
  }
  operator std::optional<bool>() && = delete;  // it would hold false
};

// All diagnostics of one run.
class Diagnostics {
 public:
  // Adds an error. Use the reference to fill in the rest; it is valid until the next call.
  Diagnostic& Error(Code code, std::string message);
  Diagnostic& Error(Code code, std::string message, const std::string& file, const Span& where);
  // Adds a warning, or an error after RefuseWarnings.
  Diagnostic& Warning(Code code, std::string message);
  void RefuseWarnings() { refuse_warnings_ = true; }

  // Sorts by location; diagnostics without one come last.
  void Sort();
  // Drops diagnostics with the code, message and location of an earlier one.
  void DropRepeated();

  bool has_errors() const;
  const std::vector<Diagnostic>& all() const { return all_; }
  std::vector<Diagnostic>& all() { return all_; }

 private:
  std::vector<Diagnostic> all_;
  bool refuse_warnings_ = false;
};

// The exit status for the errors; errors of the graph have priority. kExitOk if there are no errors.
ExitStatus ExitCode(const Diagnostics& diagnostics);

// The errors in a file, with places in it.
struct FileErrors {
  SourceFile source;
  Diagnostics errors;
};

// Why something is not used, and how to fix it. Both are sentences without a full stop.
struct Refusal {
  std::string reason;
  std::string remedy;
  bool out_of_memory = false;                          // the only problem is a lack of memory
  std::shared_ptr<const FileErrors> errors = nullptr;  // the reason in full, if it is in a text file
};

// The refusal for a failed system call: "`what`: too many open files", with a remedy. error: an errno.
Refusal RefusedBySystem(std::string_view what, int error);

}  // namespace opsrun::host
