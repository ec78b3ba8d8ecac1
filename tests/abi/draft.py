"""draft.py: a level 2 of the contract, to test how levels grow. It is not part of any release.

usage: draft.py TO HEADER...

Writes the headers into TO/opsrun. c_api.h has two additions, which change everything that an addition may change: a slot at the end of the host's
table (the name of the node), a field at the end of a plugin's struct (how many threads a kernel may use), lists and
fingerprints. With -DOPSRUN_DRAFT_LEVEL_2=ON the project is built from it.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import sys

import signatures

# (a line of the header, the text to insert before it)
ADDITIONS = [
    ("};\n\n/* ======================================================================= G: one call */\n", """\
#if OPSRUN_USE_LEVEL >= 2

  /* Level 2. Sets *name to the name of the call's node, which lives as long as the call. [call*] */
  int32_t (*node_name)(opsrun_call* call, opsrun_str* name);
#endif
"""),
    ("} opsrun_kernel;\n", """\
#if OPSRUN_USE_LEVEL >= 2
  uint64_t most_threads; /* Level 2. How many threads num_threads tells this kernel at most; 0: all */
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
  F(opsrun_host, node_name, 1u)
#define OPSRUN_FIELDS_KERNEL_2(F, R) \\
  F(opsrun_kernel, most_threads, 1u)
#define OPSRUN_STRUCTS_2(S)                             \\
  S(opsrun_host, fp_host_2, OPSRUN_FIELDS_HOST_2, 0u)       \\
  S(opsrun_kernel, fp_kernel_2, OPSRUN_FIELDS_KERNEL_2, 0u)

"""),
    ("  }\n\n/* Writes the PLUGIN note; `id` names the variable.", """\
    OPSRUN_NOTE_CONTENT_2(OPSRUN_FP)                                                                                            \\
"""),
    ("#define OPSRUN_NOTE_PLUGIN_CONTENT ", """\
#if OPSRUN_USE_LEVEL >= 2
#define OPSRUN_NOTE_CONTENT_2(F) OPSRUN_STRUCTS_2(F)
#else
#define OPSRUN_NOTE_CONTENT_2(F)
#endif
"""),
]


LEVEL = ("#define OPSRUN_LEVEL 1u\n", "#define OPSRUN_LEVEL 2u\n")
EMBED = [
    ("#define OPSRUN_EMBED_LEVEL 1u\n", "#define OPSRUN_EMBED_LEVEL 2u\n"),
    ("} opsrun_run_options;\n", """\
  uint64_t tag; /* Level 2. A number for the program's own use */
} opsrun_run_options;
"""),
]


def changed(text, changes):
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} is {text.count(old)} times in the header")
        text = text.replace(old, new)
    return text


def draft(text):
    """c_api.h of level 2, from that of level 1."""
    return signatures.with_numbers(changed(text, [LEVEL, *((line, added + line) for line, added in ADDITIONS)]))


def draft_embed(text):
    """The same for embed.h."""
    return changed(text, EMBED)


MAKERS = {"c_api.h": draft, "embed.h": draft_embed}

if __name__ == "__main__":
    to = pathlib.Path(sys.argv[1]) / "opsrun"
    to.mkdir(parents=True, exist_ok=True)
    for header in map(pathlib.Path, sys.argv[2:]):
        (to / header.name).write_text(MAKERS.get(header.name, str)(header.read_text()))
