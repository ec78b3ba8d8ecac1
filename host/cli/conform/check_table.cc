// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "host/cli/conform/checks.h"
#include "host/cli/conform/handles.h"

namespace opsrun::host {
namespace {

constexpr Check kChecks[] = {
    {"errors", "Are attrs and shapes that do not fit errors, not crashes?",
     "check shapes and values in the kernel before using them: OP_REQUIRES", "", false, nullptr},
    {"shapes", "Does the shape function agree with the outputs, whatever is known about the inputs?",
     "fix the shape function, or the shape that the kernel allocates", "", false, CheckShapes},
    {"guards", "Does the kernel keep to the memory of its tensors?", "check the bounds of its loops", "", false,
     CheckGuards},
    {"inputs", "Are inputs unchanged after a call?", "copy the input, or ask for its memory with forward_input", "",
     false, CheckInputs},
    {"repeat", "Do equal calls have equal results?",
     "keep no state in the kernel object, or mark the op stateful: SetIsStateful()", "", true, CheckRepeat},
    {"outputs", "Is every element of the outputs written, and no fresh memory read?",
     "fresh memory is undefined: write all elements, such as with setZero()", "repeat", true, CheckOutputs},
    {"read_only", "Do inputs work that cannot be written?", "do not write to inputs, not even what is there already",
     "inputs", true, CheckReadOnly},
    {"unaligned", "Do tensors work that are aligned for their elements only?",
     "use unaligned loads, or look at OPSRUN_TENSOR_ALIGNED64; and do not read past the end", "guards", true,
     CheckUnaligned},
    {"late", "Does the kernel work if its outputs and workspace are not planned?",
     "allocate all outputs with allocate_output", "outputs", true, CheckLate},
    {"forward", "Is the result the same in the memory of a forwarded input?",
     "read an element before writing one that may be in its place", "outputs", true, CheckForward},
    {"in_place", "Is the result the same in place, where the kernel's registration allows it?",
     "read elements before writing to their place, or remove the alias from the registration", "outputs", true,
     CheckInPlace},
    {"loops", "Is the result the same however parallel_for cuts its loop?",
     "let a part write only to its own elements, and use no variables that parts share", "repeat", true, CheckLoops},
    {"threads", "May 16 threads use one kernel object?",
     "protect what calls share, such as members and static variables, with a mutex", "repeat", true, CheckThreads},
    {"state", "Is the state of the thread as it was, such as the floating-point mode?",
     "restore the floating-point mode and the signal mask before returning", "", false, CheckState},
    {"cancel", "Does a cancelled call end with CANCELLED, or with complete results?",
     "return OPSRUN_CANCELLED if cancelled() says yes", "repeat", true, CheckCancel},
    {"leaks", "Do calls free what they allocate?", "free memory and release tensors, also if the kernel fails", "",
     false, CheckLeaks},
    {"lifetime", "Can 1,000 kernel objects be created and destroyed without leaks?",
     "free in the destructor what the constructor and calls allocate", "leaks", false, CheckLifetime},
    {"engine", "Does a graph compute the same?", "run the node in a graph to see its message", "guards inputs outputs",
     true, CheckEngine},
    {"gradient", "Is the declared gradient right?", "to see more: opsrun gradcheck PLUGIN.so --op OP", "", false,
     CheckGradient},
};

bool SameBits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != DType::kString) return a.num_bytes() == 0 || std::memcmp(a.data(), b.data(), a.num_bytes()) == 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    if (a.string(i) != b.string(i)) return false;
  }
  return true;
}

int64_t FirstDifference(const Tensor& a, const Tensor& b) {
  const size_t bytes = ElementBytes(a.dtype());
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    if (a.dtype() == DType::kString) {
      if (a.string(i) != b.string(i)) return i;
    } else if (std::memcmp(static_cast<const char*>(a.data()) + static_cast<size_t>(i) * bytes,
                           static_cast<const char*>(b.data()) + static_cast<size_t>(i) * bytes, bytes) != 0) {
      return i;
    }
  }
  return 0;
}

}  // namespace

std::span<const Check> AllChecks() {
  return kChecks;
}

std::string_view WordOf(CheckStatus status) {
  constexpr std::string_view kWords[] = {"PASSED", "FAILED", "CRASHED", "SKIPPED"};
  return kWords[static_cast<size_t>(status)];
}

std::string Failed(const Outcome& outcome) {
  const std::string& why = outcome.mistake.empty() ? outcome.text : outcome.mistake;
  return fmt::format("the kernel failed: {}: {}", CodeName(outcome.code), why);
}

std::string Difference(const Problem& problem, const std::vector<Tensor>& found, const std::vector<Tensor>& expected,
                       bool exact) {
  const std::vector<std::string> names = TensorNames(problem.op->signature().out_args);
  for (size_t i = 0; i < expected.size(); ++i) {
    const Tensor &a = found[i], &b = expected[i];
    if (a.shape() != b.shape()) {
      return fmt::format("output '{}' has shape {}, expected {}", names[i], ShapeText(a.shape()), ShapeText(b.shape()));
    }
    if (HasHandles(a.dtype())) {
      for (int64_t place = 0; place < a.num_elements(); ++place) {
        const std::string why = HandleDifference(a, b, place);
        if (!why.empty()) return fmt::format("output '{}' is {}, expected another", names[i], why);
      }
      continue;
    }
    if (SameBits(a, b)) continue;
    int64_t place = FirstDifference(a, b);
    if (!exact && !HasSlots(a.dtype())) {
      Tolerance tolerance = DefaultTolerance(a.dtype());
      tolerance.equal_nan = true;
      const Comparison comparison = CompareTensors(a, b, tolerance);
      if (comparison.wrong == 0) continue;
      place = comparison.place;
    }
    const std::string index = a.shape().empty() ? "" : IndexText(a.shape(), place);
    return fmt::format("output '{}'{} is {}, expected {}", names[i], index, ElementText(a, place),
                       ElementText(b, place));
  }
  return {};
}

std::optional<Flaw> Same(const Tested& tested, const Arrangement& arrangement, std::string_view how, bool exact) {
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    const Outcome outcome = tested.host.Call(problem.call, arrangement);
    if (!outcome.ok()) return fmt::format("{}: {}", how, Failed(outcome));
    const std::string difference = Difference(problem, outcome.outputs, problem.expected, exact);
    return difference.empty() ? "" : fmt::format("{}: {}", how, difference);
  });
}

}  // namespace opsrun::host
