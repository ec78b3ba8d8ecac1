// adapters/jax/native/handler.cc
// SPDX-License-Identifier: Apache-2.0
#include "handler.h"

#include <memory>
#include <string>

#include "adapters/common/failure.h"
#include "call.h"
#include "typed_op.h"

namespace opsrun_jax {
namespace {

using opsrun_adapter::Blame;
using opsrun_adapter::Failure;

// State that XLA stores with each call of a program.
struct State {
  std::shared_ptr<const TypedOp> op;
  const opsrun_kernel_object* kernel;
  const opsrun_host* table;
};

constexpr XLA_FFI_TypeInfo kStateInfo = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr,
                                         [](void* state) { delete static_cast<State*>(state); }};
constexpr char kStateName[] = "opsrun_jax";

XLA_FFI_Error* MakeError(const XLA_FFI_Api& api, int32_t code, const std::string& text) {
  const bool known = code > 0 && code <= OPSRUN_UNAUTHENTICATED;
  XLA_FFI_Error_Create_Args args{XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, text.c_str(),
                                 known ? static_cast<XLA_FFI_Error_Code>(code) : XLA_FFI_Error_Code_UNKNOWN};
  return api.XLA_FFI_Error_Create(&args);
}

// XLA's id for the type State, which XLA requests before it calls anything else.
XLA_FFI_TypeId& StateType(const XLA_FFI_Api& api) {
  static XLA_FFI_TypeId type = [&] {
    XLA_FFI_TypeId made{};
    XLA_FFI_Type_Register_Args args{
        XLA_FFI_Type_Register_Args_STRUCT_SIZE, nullptr, {kStateName, sizeof(kStateName) - 1}, &made, &kStateInfo};
    api.XLA_FFI_Type_Register(&args);
    return made;
  }();
  return type;
}

bool IsQuestion(const XLA_FFI_CallFrame& frame) {
  return frame.extension_start != nullptr && frame.extension_start->type == XLA_FFI_Extension_Metadata;
}

XLA_FFI_Error* Answer(const XLA_FFI_CallFrame& frame) {
  XLA_FFI_Metadata& metadata = *reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame.extension_start)->metadata;
  metadata.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};
  metadata.traits = 0;
  metadata.state_type_id = StateType(*frame.api);
  return nullptr;
}

std::string TextOfCall(const XLA_FFI_Attrs& attrs) {
  if (attrs.size != 1 || attrs.types[0] != XLA_FFI_AttrType_STRING) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "a call of an op has other attributes than opsrun.jax gives it");
  }
  const auto& text = *static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[0]);
  return {text.ptr, text.len};
}

XLA_FFI_Error* SetState(const XLA_FFI_CallFrame& frame) {
  auto state = std::make_unique<State>();
  state->op = TypedOp::Find(TextOfCall(frame.attrs), "an op in a program of XLA");
  state->kernel = state->op->kernel();
  state->table = TheEngine().table();
  XLA_FFI_State_Set_Args args{XLA_FFI_State_Set_Args_STRUCT_SIZE,
                              nullptr,
                              frame.ctx,
                              XLA_FFI_ExecutionStage_INSTANTIATE,
                              &StateType(*frame.api),
                              state.get()};
  XLA_FFI_Error* const error = frame.api->XLA_FFI_State_Set(&args);
  if (error == nullptr) state.release();
  return error;
}

// "zero_out.ZeroOut, attr preserve_index: ..."
std::string Message(const std::string& op, const Call& call) {
  return op + (call.subject.empty() ? "" : ", " + Blame(call.subject)) + ": " + call.text;
}

}  // namespace

XLA_FFI_Error* Instantiate(XLA_FFI_CallFrame* frame) {
  if (IsQuestion(*frame)) return Answer(*frame);
  try {
    return SetState(*frame);
  } catch (const Failure& failure) {
    return MakeError(*frame->api, failure.code, failure.what());
  } catch (const std::exception& problem) {
    return MakeError(*frame->api, OPSRUN_RESOURCE_EXHAUSTED, problem.what());
  }
}

XLA_FFI_Error* Execute(XLA_FFI_CallFrame* frame) {
  if (IsQuestion(*frame)) return Answer(*frame);
  XLA_FFI_State_Get_Args args{XLA_FFI_State_Get_Args_STRUCT_SIZE,
                              nullptr,
                              frame->ctx,
                              XLA_FFI_ExecutionStage_INSTANTIATE,
                              &StateType(*frame->api),
                              nullptr};
  if (XLA_FFI_Error* const error = frame->api->XLA_FFI_State_Get(&args)) return error;
  const State& state = *static_cast<const State*>(args.state);
  try {
    Call call(state.table, *state.op, *state.kernel, *frame);
    const int32_t code = call.Run();
    return code == OPSRUN_OK ? nullptr : MakeError(*frame->api, code, Message(state.op->name(), call));
  } catch (const std::exception& problem) {
    return MakeError(*frame->api, OPSRUN_RESOURCE_EXHAUSTED, problem.what());
  }
}

}  // namespace opsrun_jax
