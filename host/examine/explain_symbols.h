// host/examine/explain_symbols.h: explains why a library cannot be loaded: a missing library or symbol. Demangles
// symbols. Pure functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// needed_by: the library that needs the missing one, as the subject of a sentence; empty: the plugin itself.
Refusal ExplainMissing(std::string_view library, std::string_view needed_by);

// For a library that exists. error: the errno of opening it.
Refusal ExplainUnreadable(std::string_view library, std::string_view needed_by, int error);

// For a symbol that no library defines. library: the library needed by the plugin that uses the symbol; empty: the
// plugin itself. others: the number of other undefined symbols. The remedy depends on the symbol's origin: the plugin,
// TensorFlow, abseil, protobuf, or a sanitizer.
Refusal ExplainUndefined(std::string_view library, std::string_view symbol, size_t others);

// Demangled symbols.
//
// A symbol comes from an untrusted file: it may be as long as the file, and its demangled form longer by orders of
// magnitude. Results are limited to a few hundred bytes.

// "_ZN4acme4blurEi" as "acme::blur(int)". What is not a mangled name, or would take long to demangle, is unchanged.
// Text that is too long ends in "...".
std::string SymbolText(std::string_view symbol);

// True if a mangled name belongs to a namespace, such as "google::protobuf". Parameter types do not count.
bool IsOfNamespace(std::string_view symbol, std::string_view name);

}  // namespace opsrun::host
