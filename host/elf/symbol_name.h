// host/elf/symbol_name.h: the names of symbols, as people write them. Pure.
//
// A symbol comes from a file that nobody trusts: it may be as long as that file, and what it stands for may be longer
// by orders of magnitude. What is returned is at most a few hundred bytes long.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opsrun::host {

// "_ZN4acme4blurEi" as "acme::blur(int)". What is not a name of C++, or is too intricate to be written out in a moment,
// stays as it is. Text that is too long ends in "...".
std::string SymbolText(std::string_view symbol);

// Whether a name of C++ belongs to a namespace, such as "google::protobuf". Types of parameters do not count.
bool IsOfNamespace(std::string_view symbol, std::string_view name);

}  // namespace opsrun::host
