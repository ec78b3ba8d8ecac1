// host/wrap/doc_words.h: what generated code says of the arguments and attrs of an op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/spec/op_def.h"

namespace opsrun::host {

// Whole words on lines of up to `width` characters; each line begins with an indent of so many spaces. A word that is
// too long has a line of its own.
struct FilledLines {
  size_t width;
  size_t first_indent;
  size_t next_indent;
};
std::string Fill(std::string_view text, FilledLines lines);

// "a tensor of type T, one of float32, int32", "a list of tensors of type string".
std::string ArgWords(const spec::OpDef& op, const spec::ArgDef& arg);

// "int, at least 1; the default is 2". default_text: empty if there is none. quote: writes an allowed string.
std::string AttrWords(const spec::AttrDef& attr, std::string_view default_text, std::string (*quote)(std::string_view));

// "x: a tensor of type T. What its author says of it".
std::string Item(std::string_view name, std::string_view words, std::string_view doc);

}  // namespace opsrun::host
