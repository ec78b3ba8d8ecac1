// adapters/jax/native/xla_api.h: XLA's C API where its versions differ: 0.1 (JAX 0.6), 0.2 (0.8.2), 0.3 (0.9.2) and
// later.
//
// The module is compiled with the header of any of these versions and runs with all of them: what is used of the header
// is the same in all, and the rest is declared here. XLA accepts a handler if the version that it states lies between
// the oldest one that XLA supports and XLA's own. So a handler states the version of the XLA that asks, or the newest
// one that is known here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "xla/ffi/api/c_api.h"

namespace opsrun_jax {

static_assert(XLA_FFI_API_MAJOR == 0,
              "the module needs the XLA headers of JAX 0.6 or a later one with the same major version");

// The objects that XLA keeps with each call of a program. XLA accepts any id that no other type has, so that the copies
// of XLA in one process, such as that of the CUDA plugin, have the same one.
inline XLA_FFI_TypeId kStateType = {0x6F707372756E};

class XlaApi {
 public:
  // api: null in the questions of 0.1. destroy: called with the state when its program ends.
  XlaApi(const XLA_FFI_Api* api, void (*destroy)(void* state)) : api_(api), destroy_(destroy) {}

  // The answer to XLA's question what a handler is. Also registers the type of the state.
  XLA_FFI_Error* Answer(XLA_FFI_Metadata& question, XLA_FFI_Handler_Traits traits) const {
    auto& metadata = reinterpret_cast<Metadata&>(question);
    metadata.version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR, std::min(minor(), kNewestMinor)};
    metadata.traits = traits;
    if (minor() == 1) return nullptr;
    metadata.state_type = kStateType;
    return RegisterStateType();
  }

  // Gives the state to XLA. In the stage `instantiate`.
  XLA_FFI_Error* SetState(XLA_FFI_ExecutionContext* ctx, void* state) const {
    if (XLA_FFI_Error* const error = RegisterStateType()) return error;
    return WithState<XLA_FFI_State_Set_Args>(api_->XLA_FFI_State_Set, ctx, state);
  }

  XLA_FFI_Error* GetState(XLA_FFI_ExecutionContext* ctx, void*& state) const {
    return WithState<XLA_FFI_State_Get_Args>(api_->XLA_FFI_State_Get, ctx, state);
  }

 private:
  static constexpr int kNewestMinor = 3;

  struct Metadata {
    size_t size;
    XLA_FFI_Api_Version version;
    XLA_FFI_Handler_Traits traits;
    XLA_FFI_TypeId state_type;  // since 0.2
  };
  struct TypeInfo {
    size_t size;
    void* extension;
    void (*destroy)(void* state);
  };
  struct TypeArgs {
    size_t size;
    void* extension;
    XLA_FFI_ByteSpan name;
    XLA_FFI_TypeId* type;
    const TypeInfo* info;  // since 0.2
  };
  struct StateArgs {
    size_t size;
    void* extension;
    XLA_FFI_ExecutionContext* ctx;
    XLA_FFI_TypeId* type;
    void* state;
    void (*destroy)(void* state);  // in 0.1, of set
  };
  struct StateArgsSince3 {
    size_t size;
    void* extension;
    XLA_FFI_ExecutionContext* ctx;
    XLA_FFI_ExecutionStage stage;
    XLA_FFI_TypeId* type;
    void* state;
  };

  int minor() const { return api_ == nullptr ? 1 : api_->api_version.minor_version; }

  XLA_FFI_Error* RegisterStateType() const {
    static constexpr char kName[] = "opsrun_jax";
    const TypeInfo info{sizeof(TypeInfo), nullptr, destroy_};
    TypeArgs args{sizeof(TypeArgs), nullptr, {kName, sizeof(kName) - 1}, &kStateType, &info};
#if XLA_FFI_API_MINOR == 1
    return api_->XLA_FFI_TypeId_Register(reinterpret_cast<XLA_FFI_TypeId_Register_Args*>(&args));
#else
    return api_->XLA_FFI_Type_Register(reinterpret_cast<XLA_FFI_Type_Register_Args*>(&args));
#endif
  }

  template <typename Args, typename Fn, typename State>
  XLA_FFI_Error* WithState(Fn fn, XLA_FFI_ExecutionContext* ctx, State& state) const {
    if (minor() >= 3) {
      StateArgsSince3 args{
          sizeof(StateArgsSince3), nullptr, ctx, XLA_FFI_ExecutionStage_INSTANTIATE, &kStateType, state};
      XLA_FFI_Error* const error = fn(reinterpret_cast<Args*>(&args));
      state = args.state;
      return error;
    }
    StateArgs args{sizeof(StateArgs), nullptr, ctx, &kStateType, state, destroy_};
    XLA_FFI_Error* const error = fn(reinterpret_cast<Args*>(&args));
    state = args.state;
    return error;
  }

  const XLA_FFI_Api* const api_;
  void (*const destroy_)(void* state);
};

}  // namespace opsrun_jax
