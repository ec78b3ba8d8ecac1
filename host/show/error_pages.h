// host/show/error_pages.h: the pages of docs/errors for message codes, embedded in the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/base/diagnostic.h"

namespace opsrun::host {

struct ErrorPage {
  Code code;
  std::string_view markdown;  // begins "# G204: title"
};

// Ordered by code.
std::span<const ErrorPage> ErrorPages();

// word: a code in upper or lower case. Null if there is none.
const ErrorPage* FindErrorPage(std::string_view word);

// True for a letter and a few digits, even if no such code exists.
bool LooksLikeCode(std::string_view word);

// For a terminal: the title, the sentences, and the example as an indented block.
std::string PageText(const ErrorPage& page);

// {"code":"G204","title":"...","text":"...","graph":"...","prints":"..."}; the last two are null if there is no
// example.
std::string PageJson(const ErrorPage& page);

// A line for each code: the code and its title. In JSON an array of {"code","title"}.
std::string CodesText();
std::string CodesJson();

}  // namespace opsrun::host
