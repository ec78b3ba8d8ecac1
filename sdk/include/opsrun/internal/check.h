// opsrun/internal/check.h: the implementation of CHECK.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "opsrun/internal/failure.h"
#include "opsrun/internal/log_message.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The location and the reason of an aborted call. Text that follows with << is appended.
struct GivingUp {
  const char* file;
  int line;
  error::Code code;

  // & has a lower precedence than <<, so it is evaluated last. A destructor could not throw.
  [[noreturn]] OPSRUN_COLD void operator&(const TextStream& text) const {
    Fail(Status(code, Format("%s (%s:%d)", text.text().c_str(), FileName(file), line)));
  }
};

// The result of a comparison. The text is empty if the comparison holds.
class Compared {
 public:
  explicit Compared(std::string why) : why_(std::move(why)) {}
  Compared() = default;
  bool Failed() const { return TF_PREDICT_FALSE(!why_.empty()); }
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

template <typename A, typename B>
OPSRUN_COLD Compared ComparedBadly(const A& a, const B& b, const char* text) {
  return Compared(StrCat("Check failed: ", text, " (", LogText(a), " vs. ", LogText(b), ") "));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#define OPSRUN_COMPARISON(Name, op)                                  \
  template <typename A, typename B>                                  \
  Compared Compare##Name(const A& a, const B& b, const char* text) { \
    if (TF_PREDICT_TRUE(a op b)) return Compared();                  \
    return ComparedBadly(a, b, text);                                \
  }
OPSRUN_COMPARISON(Equal, ==)
OPSRUN_COMPARISON(NotEqual, !=)
OPSRUN_COMPARISON(Less, <)
OPSRUN_COMPARISON(LessEqual, <=)
OPSRUN_COMPARISON(Greater, >)
OPSRUN_COMPARISON(GreaterEqual, >=)
#undef OPSRUN_COMPARISON
#pragma GCC diagnostic pop

template <typename Pointer>
Pointer CheckNotNull(const char* file, int line, const char* text, Pointer&& pointer) {
  if (TF_PREDICT_FALSE(pointer == nullptr)) {
    GivingUp{file, line, error::INTERNAL} & (TextStream() << "Check failed: " << text << " is null");
  }
  return std::forward<Pointer>(pointer);
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

#define OPSRUN_GIVE_UP(code, text)                                                                              \
  ::OPSRUN_NAMESPACE::internal::GivingUp{__FILE__, __LINE__, code} & ::OPSRUN_NAMESPACE::internal::TextStream() \
                                                                         << (text)

#define OPSRUN_CHECK_OP(Name, op, a, b)                                             \
  for (const ::OPSRUN_NAMESPACE::internal::Compared opsrun_compared =               \
           ::OPSRUN_NAMESPACE::internal::Compare##Name((a), (b), #a " " op " " #b); \
       opsrun_compared.Failed();)                                                   \
  OPSRUN_GIVE_UP(::OPSRUN_NAMESPACE::error::INTERNAL, opsrun_compared.why())
