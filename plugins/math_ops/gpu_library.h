// plugins/math_ops/gpu_library.h: opens NVIDIA's libraries at run time, without their headers.
//
// The functions of a library are a table, X(result, name, parameters), with int for enums. A class such as
// GpuBlasLibrary has a pointer to each function; gpu_handle.h says what else it has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>

namespace math_ops {

#define MATH_OPS_DECLARE_CALL(result, name, parameters) result(*name) parameters = nullptr;
#define MATH_OPS_FIND_CALL(result, name, parameters)              \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #name)); \
  if (name == nullptr) return #name;

// The pointers, and Find, which sets them, and returns the name of a function that the library does not have, or NULL.
#define MATH_OPS_CALLS(table)       \
  table(MATH_OPS_DECLARE_CALL);     \
  const char* Find(void* library) { \
    table(MATH_OPS_FIND_CALL);      \
    return nullptr;                 \
  }

// Texts about a library.
struct GpuLibraryText {
  const char *name, *file;                    // "cuBLAS", and "libcublas.so.", without the version
  const char *create, *destroy, *set_stream;  // names of its functions
  const char* work;                           // what it computes
  const char* remedy;                         // if it is missing
  const char* switch_off;                     // the environment variable that is 0 if it is not to be used
};

// The base of the class `Library`, which has MATH_OPS_CALLS and kText. The library is never unloaded, because its
// threads and destructors do not support that.
template <typename Library>
class GpuLibrary {
 public:
  // Opens that version, or returns NULL. If the library exists but cannot be used, *problem says why; otherwise
  // *problem is unchanged.
  static std::unique_ptr<const Library> Open(int version, std::string* problem);

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

template <typename Library>
std::unique_ptr<const Library> GpuLibrary<Library>::Open(int version, std::string* problem) {
  auto library = std::make_unique<Library>();
  const std::string name = library->name_ = Library::kText.file + std::to_string(version);
  if (void* const opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); opened != nullptr) {
    const char* const missing = library->Find(opened);
    if (missing == nullptr) return library;
    *problem = name + " has no " + missing;
    return nullptr;
  }
  const std::string why = dlerror();
  // If a dependency of the library is missing, the message begins with the name of the dependency.
  if (why.rfind(name + ": cannot open shared object file", 0) != 0) *problem = why;
  return nullptr;
}

// 0 or 1 in the type that numbers are added in, float or double: how a library is told to overwrite its results.
template <typename T>
inline constexpr T kZeroAndOne[2] = {0, 1};
inline const void* GpuScale(bool is_double, int number) {
  return is_double ? static_cast<const void*>(&kZeroAndOne<double>[number]) : &kZeroAndOne<float>[number];
}

}  // namespace math_ops
