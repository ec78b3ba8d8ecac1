// host/examine/explain_symbols.h: why a library cannot be loaded: another one is missing, or a symbol is, whose name is
// written as people write it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// needed_by: the library that needs it, as the subject of a sentence; empty: the plugin itself does.
Refusal ExplainMissing(std::string_view library, std::string_view needed_by);

// The library is there. error: the errno of opening it.
Refusal ExplainUnreadable(std::string_view library, std::string_view needed_by, int error);

// Why a library cannot be loaded that uses a symbol which nobody defines. Pure.

// library: of those that the plugin needs, the one that uses the symbol; empty: the plugin itself does. others: how
// many more are not defined. The remedy depends on whose symbol it is: the plugin's own, TensorFlow's, abseil's,
// protobuf's, or a sanitizer's.
Refusal ExplainUndefined(std::string_view library, std::string_view symbol, size_t others);

// The names of symbols, as people write them. Pure.
//
// A symbol comes from a file that nobody trusts: it may be as long as that file, and what it stands for may be longer
// by orders of magnitude. What is returned is at most a few hundred bytes long.

// "_ZN4acme4blurEi" as "acme::blur(int)". What is not a name of C++, or is too intricate to be written out in a moment,
// stays as it is. Text that is too long ends in "...".
std::string SymbolText(std::string_view symbol);

// Whether a name of C++ belongs to a namespace, such as "google::protobuf". Types of parameters do not count.
bool IsOfNamespace(std::string_view symbol, std::string_view name);

}  // namespace opsrun::host
