"""contract_changes.py: changes of c_api.h, as text and its replacement, for tests of the tools that detect them.

SPDX-License-Identifier: Apache-2.0
"""

# Changes that a frozen level must not have: old text, new text.
BREAKS = {
    "a field moves": ("opsrun_str op, device, label;", "opsrun_str op, label, device;"),
    "a field changes its type": ("uint64_t run_id;", "int64_t run_id;"),
    "a field is inserted": ("  int32_t rank; /* 0 to", "  int32_t level;\n  int32_t rank; /* 0 to"),
    "a field of a growing struct is inserted": ("  const opsrun_host* host;\n  void* stream;  ",
                                                "  const opsrun_host* host;\n  void* other;\n  void* stream;  "),
    "a field is removed": ("  uint64_t byte_offset; /* 0 */\n", ""),
    "a field is renamed": ("uint64_t forwardable;", "uint64_t forwards;"),
    "slots change places": ("  int32_t (*num_threads)(opsrun_call* call);\n", ""),
    "a parameter changes": ("(*string_swap)(const opsrun_tensor* t, uint64_t i, uint64_t j)",
                            "(*string_swap)(const opsrun_tensor* t, uint32_t i, uint64_t j)"),
    "parameters change places": ("int64_t n, int64_t unit_cost_ns, opsrun_range_fn", "int64_t unit_cost_ns, int64_t n, opsrun_range_fn"),
    "an answer changes": ("  void (*release)(const opsrun_tensor* t);", "  int32_t (*release)(const opsrun_tensor* t);"),
    "a number changes": ("#define OPSRUN_DT_HALF 19 ", "#define OPSRUN_DT_HALF 20 "),
    "a flag changes": ("#define OPSRUN_TENSOR_HOST 4u", "#define OPSRUN_TENSOR_HOST 16u"),
    "a number goes": ("#define OPSRUN_ABORTED 10", "#define OPSRUN_GAVE_UP 10"),
    "a limit changes": ("#define OPSRUN_MAX_RANK 32", "#define OPSRUN_MAX_RANK 64"),
    "a promise changes": ("The texts are copied. [any]", "The texts are borrowed. [any]"),
    "a thread rule changes": ("Nested calls run inline. Returns the first failure. [call*] */",
                              "Nested calls run inline. Returns the first failure. [call] */"),
    "the entry is renamed": ('#define OPSRUN_ENTRY_NAME "opsrun_plugin_v1"', '#define OPSRUN_ENTRY_NAME "opsrun_plugin"'),
    "a note changes its type": ("#define OPSRUN_NOTE_OP 0x4F500103u", "#define OPSRUN_NOTE_OP 0x4F500104u"),
    "the note loses a text": ("char sdk_version[16], compiler[32];", "char sdk_version[32], compiler[16];"),
    "a size of level 1 grows": ("#define OPSRUN_LEVEL_1_SIZE_OP 152u", "#define OPSRUN_LEVEL_1_SIZE_OP 160u"),
    "a list loses a field": (" F(opsrun_op, gradient, 19u)", ""),
    "a list has a field twice": ("F(opsrun_call, lane, 12u)", "F(opsrun_call, lane, 12u) F(opsrun_call, lane, 13u)"),
    "a fingerprint is made in another way": ("* 31u + (uint32_t)sizeof", "* 37u + (uint32_t)sizeof"),
}

# Changes that a later level may have.
ADDITIONS = {
    "a comment": ("/* ======================================================================= Notes",
                  "/* More is said here. */\n/* ======================================================================= Notes"),
    "a data type": ("#define OPSRUN_DT_FLOAT4_E2M1FN 33", "#define OPSRUN_DT_NEW 34\n#define OPSRUN_DT_FLOAT4_E2M1FN 33"),
    "a flag": ("#define OPSRUN_CALL_CAPTURING 1u", "#define OPSRUN_CALL_NEW 2u\n#define OPSRUN_CALL_CAPTURING 1u"),
    "a named interface": ('#define OPSRUN_CUDA_1 "opsrun.cuda/1"',
                          '#define OPSRUN_NEW_1 "opsrun.new/1"\n#define OPSRUN_CUDA_1 "opsrun.cuda/1"'),
}


def changed(text, replacement):
    old, new = replacement
    if text.count(old) != 1:
        raise AssertionError(f"{old!r} is {text.count(old)} times in the header")
    return text.replace(old, new)
