/* tests/bad_plugins/faults/notes_rewritten.c: its notes are other ones once it is loaded, as if the file had been
 * replaced. SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Before");

__attribute__((constructor)) static void Rewrite(void) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), note = (uintptr_t)&op_note;
  mprotect((void*)(note / page * page), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
  *(volatile char*)op_note.text = 'b';
}

static const opsrun_plugin table = {TABLE_HEAD};

ENTRY(&table)
