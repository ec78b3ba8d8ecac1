// plugins/math_ops/gpu_handle.h: handles of NVIDIA's libraries, one per library and device.
//
// The plugin is not linked against the libraries, and loads without them. A library is the first of several versions
// that works on the device. If none does, there is no handle, which is logged once per device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "gpu_library.h"
#include "opsrun/logging.h"
#include "types.h"

struct CUstream_st;

namespace math_ops {

// What does not depend on the library, in gpu_handle.cc.
Status FindCurrentGpu(int* device);
int MajorCapability(int device);  // 0: unknown
bool IsSwitchedOff(const GpuLibraryText& library);
// `problems`: why versions cannot be used; empty: none was found.
void WarnOfMissing(const GpuLibraryText& library, const int* versions, size_t count, const std::string& problems);
// status_text: "CUBLAS_STATUS_INTERNAL_ERROR (14)"
Status GpuCallError(const std::string& call, const std::string& library, const std::string& status_text,
                    bool is_out_of_memory);

// A row of calls, which ends with the first that fails.
struct GpuCallRow {
  int status = 0;
  const char* call = "";  // the last one that was made

  template <typename... Parameters, typename... Arguments>
  GpuCallRow& Then(const char* name, int (*function)(Parameters...), Arguments... arguments) {
    if (status != 0) return *this;
    call = name;
    status = function(arguments...);
    return *this;
  }
};

// A handle on the device whose context was current when it was created. The kernels on a device share it, and the last
// of them destroys it, so destructors of static objects never do. Thread-safe.
//
// Library has the functions (gpu_library.h), and
//   Handle, kVersions, kText
//   kCreate, kDestroy, kSetStream: members, the functions with these names; 0 is success
//   Version(handle), StatusText(status)
//   IsOutOfMemory(status)
//   IsRefusal(status): the library does not support the work on this card, and has enqueued nothing
//   IsUseless(status): of Create: the library does not work with this driver or card
template <typename Library>
class GpuHandle {
 public:
  // Sets *found to the handle of the current device; NULL if no library works here, or it is switched off.
  // RESOURCE_EXHAUSTED: out of memory. Must not be called during a capture: a new handle allocates memory.
  static Status OfCurrentDevice(std::shared_ptr<GpuHandle>* found);

  ~GpuHandle();  // requires: the context is current, and all enqueued work is done

  const Library& library() const { return *library_; }
  int major() const { return major_; }  // of the device's compute capability; 0: unknown

  // enqueue(handle, row) adds calls to the row, which enqueue on the stream. *refused: the library does not support the
  // last of them.
  template <typename Enqueue>
  Status Run(CUstream_st* stream, const Enqueue& enqueue, bool* refused) {
    const std::lock_guard<std::mutex> lock(mutex_);
    GpuCallRow row;
    row.Then(Library::kText.set_stream, library_.get()->*Library::kSetStream, handle_, stream);
    if (row.status == 0) enqueue(handle_, row);
    return StatusOf(row, refused);
  }

  // *refused: the library does not support the call, and the status is OK.
  Status StatusOf(const GpuCallRow& row, bool* refused) const {
    *refused = Library::IsRefusal(row.status);
    if (row.status == 0) return Status::OK();
    const Status error =
        GpuCallError(row.call, library_->name(), library_->StatusText(row.status), Library::IsOutOfMemory(row.status));
    if (!*refused) return error;
    VLOG(1) << error.message() << ", so another way is used";
    return Status::OK();
  }

 private:
  // What is known about the devices. Never destroyed. It does not own handles; the kernels do.
  struct Known {
    struct OfDevice {
      std::weak_ptr<GpuHandle> handle;
      bool has_none = false;  // no library works on this device
    };
    std::mutex mutex;
    std::map<int, OfDevice> devices;
  };

  GpuHandle(std::unique_ptr<const Library> library, typename Library::Handle handle, int major)
      : library_(std::move(library)), handle_(handle), major_(major) {}
  static Status Create(int device, std::shared_ptr<GpuHandle>* made);

  const std::unique_ptr<const Library> library_;
  const typename Library::Handle handle_;
  const int major_;
  std::mutex mutex_;  // held while the stream is set and calls are enqueued
};

template <typename Library>
Status GpuHandle<Library>::OfCurrentDevice(std::shared_ptr<GpuHandle>* found) {
  static Known& known = *new Known;
  int device = 0;
  if (IsSwitchedOff(Library::kText)) return Status::OK();
  TF_RETURN_IF_ERROR(FindCurrentGpu(&device));
  const std::lock_guard<std::mutex> lock(known.mutex);
  typename Known::OfDevice& known_of_it = known.devices[device];
  *found = known_of_it.handle.lock();
  if (*found != nullptr || known_of_it.has_none) return Status::OK();
  TF_RETURN_IF_ERROR(Create(device, found));
  known_of_it.handle = *found;
  known_of_it.has_none = *found == nullptr;
  return Status::OK();
}

template <typename Library>
Status GpuHandle<Library>::Create(int device, std::shared_ptr<GpuHandle>* made) {
  std::string problems;
  for (const int version : Library::kVersions) {
    std::string problem;
    if (std::unique_ptr<const Library> library = Library::Open(version, &problem); library != nullptr) {
      typename Library::Handle handle = nullptr;
      const int status = (library.get()->*Library::kCreate)(&handle);
      if (status == 0) {
        VLOG(1) << Library::kText.work << " on the GPU are computed by " << library->name() << ", version "
                << library->Version(handle);
        made->reset(new GpuHandle(std::move(library), handle, MajorCapability(device)));
        return Status::OK();
      }
      const Status error = GpuCallError(Library::kText.create, library->name(), library->StatusText(status),
                                        Library::IsOutOfMemory(status));
      if (!Library::IsUseless(status)) return error;
      problem = error.message();
    }
    if (!problem.empty()) problems += (problems.empty() ? "" : ", ") + problem;
  }
  WarnOfMissing(Library::kText, Library::kVersions, std::size(Library::kVersions), problems);
  return Status::OK();
}

template <typename Library>
GpuHandle<Library>::~GpuHandle() {
  const int status = (library_.get()->*Library::kDestroy)(handle_);
  if (status == 0) return;
  LOG(WARNING) << Library::kText.destroy << " of " << library_->name() << " fails with "
               << library_->StatusText(status);
}

// The handle of one kernel. It is found when the first result is computed, since checking a graph does not need it.
// Thread-safe.
template <typename Library>
class GpuHandleOfKernel {
 public:
  // As GpuHandle::OfCurrentDevice.
  Status Find(GpuHandle<Library>** handle) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_found_) TF_RETURN_IF_ERROR(GpuHandle<Library>::OfCurrentDevice(&handle_));
    is_found_ = true;
    *handle = handle_.get();
    return Status::OK();
  }

 private:
  mutable std::mutex mutex_;
  mutable bool is_found_ = false;
  mutable std::shared_ptr<GpuHandle<Library>> handle_;  // null: not available
};

}  // namespace math_ops
