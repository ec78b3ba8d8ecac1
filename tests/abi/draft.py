"""draft.py: a level 2 of the contract, to test how levels grow. It is not part of any release.

usage: draft.py C_API_H TO

Writes c_api.h with one addition, whether outputs are used, which changes everything that an addition may change: a slot
at the end of the host's table, a field at the end of a plugin's struct, lists, fingerprints. With
-DOPSRUN_DRAFT_LEVEL_2=ON the project is built from it.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import sys

import signatures

# (a line of the header, the text to insert before it)
ADDITIONS = [
    ("};\n\n/* ======================================================================= G: one call */\n", """\
#if OPSRUN_USE_LEVEL >= 2

  /* Level 2. Returns 1 if a kernel reads output i or the run returns it, and 0 if nobody does: then its elements do not
   * matter. [call*] */
  int32_t (*output_is_used)(opsrun_call* call, uint32_t i);
#endif
"""),
    ("} opsrun_kernel;\n", """\
#if OPSRUN_USE_LEVEL >= 2
  uint64_t optional_outputs; /* Level 2. Bit i, for outputs 0 to 63: the kernel may return without making output i if
                                output_is_used returns 0 for it */
#endif
"""),
    ("} opsrun_note_plugin;\n", """\
#if OPSRUN_USE_LEVEL >= 2
  uint32_t fp_host_2, fp_kernel_2;
#endif
"""),
    ("/* The sizes of the growing structs at level 1: ", """\
/* What level 2 adds. */
#define OPSRUN_FIELDS_HOST_2(F, R) \\
  F(opsrun_host, output_is_used, 1u)
#define OPSRUN_FIELDS_KERNEL_2(F, R) \\
  F(opsrun_kernel, optional_outputs, 1u)
#define OPSRUN_STRUCTS_2(S)                             \\
  S(opsrun_host, fp_host_2, OPSRUN_FIELDS_HOST_2, 0u)       \\
  S(opsrun_kernel, fp_kernel_2, OPSRUN_FIELDS_KERNEL_2, 0u)

"""),
    ("/* Writes the PLUGIN note; `id` names the variable.", """\
#if OPSRUN_USE_LEVEL >= 2
#undef OPSRUN_NOTE_PLUGIN_CONTENT
#define OPSRUN_NOTE_PLUGIN_CONTENT                                                                                   \\
  {                                                                                                                  \\
    (uint32_t)sizeof(opsrun_note_plugin), OPSRUN_USE_LEVEL, OPSRUN_TARGET_LEVEL, OPSRUN_BUILD_FLAGS, OPSRUN_VERSION, \\
        OPSRUN_COMPILER, OPSRUN_STRUCTS(OPSRUN_FP) OPSRUN_STRUCTS_2(OPSRUN_FP)                                       \\
  }
#endif

"""),
]


def draft(text):
    """The header of level 2, from that of level 1."""
    changes = [(line, added + line) for line, added in ADDITIONS]
    for old, new in [("#define OPSRUN_LEVEL 1u\n", "#define OPSRUN_LEVEL 2u\n"), *changes]:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} is {text.count(old)} times in the header")
        text = text.replace(old, new)
    return signatures.with_numbers(text)


if __name__ == "__main__":
    made, to = draft(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(made)
