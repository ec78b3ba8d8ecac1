// opsrun/internal/registration.h: the list of what this plugin registers, the entry that returns it to a host, and the
// notes that registrations write into the plugin's file.
//
// Registrations are static objects that add themselves to the list when the plugin is loaded. All translation units of
// a plugin share the list, and different plugins have different lists. Its names are therefore hidden and outside the
// namespace of the SDK.
//
// Notes are constant bytes with internal linkage. The host reads them before any code of the plugin runs. If the text
// of a registration is not a constant expression, its note is "*".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <string.h>

#include <string_view>

#include "opsrun/c_api.h"
#include "opsrun/internal/own_host.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"

extern "C" {

// One registration: an op, a kernel, or the name of the plugin. It is a static object that is linked into the list when
// it is constructed, and it is never destroyed.
struct opsrun_sdk_registration {
  const opsrun_op* op;
  const opsrun_kernel* kernel;
  const char* name;  // OPSRUN_PLUGIN
  const char* version;
  const char* trouble;  // an error message if this cannot be registered
  const void* (*query)(opsrun_str id);
  opsrun_sdk_registration* next;
};

}  // extern "C"

inline OPSRUN_HIDDEN opsrun_sdk_registration* opsrun_sdk_registrations = nullptr;
inline OPSRUN_HIDDEN opsrun_plugin opsrun_sdk_table = {};

inline OPSRUN_HIDDEN void opsrun_sdk_register(opsrun_sdk_registration* registration) {
  registration->next = opsrun_sdk_registrations;
  opsrun_sdk_registrations = registration;
}

inline OPSRUN_HIDDEN void opsrun_sdk_count(opsrun_plugin* table) {
  for (auto* r = opsrun_sdk_registrations; r != nullptr; r = r->next) {
    table->n_ops += r->op != nullptr;
    table->n_kernels += r->kernel != nullptr;
    if (r->query != nullptr) table->query = r->query;
    if (r->name != nullptr) {
      table->name = {r->name, strlen(r->name)};
      table->version = {r->version, strlen(r->version)};
    }
  }
}

// Fills the table from the list. The arrays live as long as the process.
inline OPSRUN_HIDDEN __attribute__((cold, noinline)) const opsrun_plugin* opsrun_sdk_make_table() {
  opsrun_plugin* table = &opsrun_sdk_table;
  table->size = sizeof(*table);
  table->header_level = OPSRUN_USE_LEVEL;
  table->min_level = OPSRUN_TARGET_LEVEL;
  table->flags = OPSRUN_BUILD_FLAGS;
  table->shutdown = opsrun_sdk_shutdown;
  opsrun_sdk_count(table);
  auto** ops = new const opsrun_op*[table->n_ops];
  auto** kernels = new const opsrun_kernel*[table->n_kernels];
  table->ops = ops;
  table->kernels = kernels;
  for (auto* r = opsrun_sdk_registrations; r != nullptr; r = r->next) {
    if (r->op != nullptr) *ops++ = r->op;
    if (r->kernel != nullptr) *kernels++ = r->kernel;
  }
  return table;
}

// The table, which is the same for every host. NULL, after a call of host->fail, if something cannot be registered.
inline OPSRUN_HIDDEN __attribute__((cold, noinline)) const opsrun_plugin* opsrun_sdk_plugin(const opsrun_host* host) {
  for (auto* r = opsrun_sdk_registrations; r != nullptr; r = r->next) {
    if (r->trouble == nullptr) continue;
    host->fail(host, nullptr, OPSRUN_INVALID_ARGUMENT, {r->trouble, strlen(r->trouble)}, {nullptr, 0});
    return nullptr;
  }
  static const opsrun_plugin* table = opsrun_sdk_make_table();
  opsrun_sdk_add_host(host);
  return table;
}

// The exported entry. It only forwards: a static variable in it would be merged with the one of another plugin.
extern "C" inline __attribute__((used)) const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  return opsrun_sdk_plugin(host);
}

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Text and arrays of registrations are never freed, because static objects refer to them and a host may read them until
// the process ends.

OPSRUN_COLD inline opsrun_str KeepText(std::string_view text) {
  if (text.empty()) return {nullptr, 0};
  char* copy = new char[text.size()];
  memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

// Appends a copy of the text to the array *texts, which has *count elements.
OPSRUN_COLD inline void AppendKept(const opsrun_str** texts, uint32_t* count, std::string_view text) {
  auto* grown = new opsrun_str[*count + 1];
  for (uint32_t i = 0; i < *count; ++i) grown[i] = (*texts)[i];
  grown[*count] = KeepText(text);
  delete[] * texts;
  *texts = grown;
  ++*count;
}

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
#define OPSRUN_TEXT_NOTE(id, type, source, otherwise)                                       \
  static constexpr ::OPSRUN_NAMESPACE::internal::TextNote<                                  \
      OPSRUN_NOTE_IS_CONSTANT(source) ? ::OPSRUN_NAMESPACE::internal::NoteSize(source) : 1> \
      id __attribute__((unused)) OPSRUN_NOTE_ATTRIBUTES =                                   \
          ::OPSRUN_NAMESPACE::internal::MakeNote < OPSRUN_NOTE_IS_CONSTANT(source)          \
              ? ::OPSRUN_NAMESPACE::internal::NoteSize(source)                              \
              : 1 > (type, OPSRUN_NOTE_IS_CONSTANT(source) ? source : otherwise);

#define OPSRUN_JOIN_(a, b) a##b
#define OPSRUN_JOIN(a, b) OPSRUN_JOIN_(a, b)
