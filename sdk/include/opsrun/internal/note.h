// opsrun/internal/note.h: the notes that registrations write into the plugin's file.
//
// They are constant bytes with internal linkage. The host reads them before any code of the plugin runs. If the text of
// a registration is not a constant expression, its note is "*".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <size_t kSize>
struct TextNote {
  uint32_t namesz, descsz, type;
  char owner[8];
  char text[(kSize + 3) / 4 * 4];
};

// Counts the characters that are written, and stores them unless the destination is NULL.
class NoteWriter {
 public:
  constexpr explicit NoteWriter(char* to) : to_(to) {}
  constexpr size_t size() const { return size_; }

  constexpr void Put(char c) {
    if (to_ != nullptr) to_[size_] = c;
    ++size_;
  }
  constexpr void Put(const char* text) {
    for (; *text != '\0'; ++text) Put(*text);
  }
  constexpr void PutNumber(int64_t number) {
    if (number >= 10) PutNumber(number / 10);
    Put(static_cast<char>('0' + number % 10));
  }

 private:
  char* to_;
  size_t size_ = 0;
};

// A note whose text is a name.
struct NotedName {
  const char* name;
  constexpr void WriteNote(NoteWriter* writer) const { writer->Put(name); }
};

template <typename Source>
constexpr size_t NoteSize(const Source& source) {
  NoteWriter counter(nullptr);
  source.WriteNote(&counter);
  return counter.size();
}

template <size_t kSize, typename Source>
constexpr TextNote<kSize> MakeNote(uint32_t type, const Source& source) {
  TextNote<kSize> note{7, kSize, type, OPSRUN_NOTE_OWNER, {}};
  NoteWriter writer(note.text);
  source.WriteNote(&writer);
  return note;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// 1 if the compiler can evaluate the text of the note. Never an error, so a registration with a run-time name compiles.
#define OPSRUN_NOTE_IS_CONSTANT(source) __builtin_constant_p(::OPSRUN_NAMESPACE::internal::NoteSize(source))

// Writes a note named `id` with the text of `source`, or of `otherwise` if that is not a constant expression.
#define OPSRUN_TEXT_NOTE(id, type, source, otherwise)                                                      \
  static constexpr ::OPSRUN_NAMESPACE::internal::TextNote<                                                 \
      OPSRUN_NOTE_IS_CONSTANT(source) ? ::OPSRUN_NAMESPACE::internal::NoteSize(source) : 1>                \
      id __attribute__((unused)) OPSRUN_NOTE_ATTRIBUTES = ::OPSRUN_NAMESPACE::internal::MakeNote < OPSRUN_NOTE_IS_CONSTANT(source) \
                                      ? ::OPSRUN_NAMESPACE::internal::NoteSize(source)                     \
                                      : 1 > (type, OPSRUN_NOTE_IS_CONSTANT(source) ? source : otherwise);

#define OPSRUN_JOIN_(a, b) a##b
#define OPSRUN_JOIN(a, b) OPSRUN_JOIN_(a, b)
