"""damage.py: good plugins, damaged in one place, as a file system, a linker or a flipped bit may do.

SPDX-License-Identifier: Apache-2.0
"""

import struct

PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_GNU_EH_FRAME = 1, 2, 4, 0x6474E550
PT_GNU_STACK, PT_GNU_RELRO, PT_GNU_PROPERTY = 0x6474E551, 0x6474E552, 0x6474E553
DT_NULL, DT_NEEDED, DT_PLTRELSZ, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_STRSZ, DT_SYMENT = 0, 1, 2, 5, 6, 7, 8, 10, 11
DT_INIT_ARRAY, DT_RELRSZ, DT_RELR, DT_RELRENT = 25, 35, 36, 37
DT_GNU_HASH, DT_VERSYM, DT_RELACOUNT = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFF9
DT_AUXILIARY, DT_FILTER = 0x7FFFFFFD, 0x7FFFFFFF
PLUGIN_NOTE = 0x4F500101
ANY_OTHER = 0x6ABCDEF0  # an unused tag or type
FAR = 1 << 40  # after the end of every file and segment


class Elf:
    """The bytes of a shared library, with accessors for its parts."""

    HEADER = {"class": (4, "B"), "byte_order": (5, "B"), "version": (6, "B"), "type": (16, "H"), "machine": (18, "H"),
              "phoff": (32, "Q"), "shoff": (40, "Q"), "phentsize": (54, "H"), "phnum": (56, "H"), "shnum": (60, "H")}
    SEGMENT = {"type": (0, "I"), "flags": (4, "I"), "offset": (8, "Q"), "vaddr": (16, "Q"), "filesz": (32, "Q"),
               "memsz": (40, "Q"), "align": (48, "Q")}

    def __init__(self, data):
        self.data = bytearray(data)

    def get(self, at, kind):
        return struct.unpack_from("<" + kind, self.data, at)[0]

    def put(self, at, kind, value):
        struct.pack_into("<" + kind, self.data, at, value)
        return self

    def header(self, **fields):
        for name, value in fields.items():
            self.put(*self.HEADER[name], value)
        return self

    def cut(self, size):
        del self.data[size:]
        return self

    def rename_version(self, old, new):
        """Replaces the prefix of the first name that starts with it, by one of an unknown version and equal length."""
        begin = self.data.index(old)
        size = self.data.index(0, begin) - begin
        self.data[begin:begin + size] = (new + b"_9.99999")[:size]
        return self

    def segment_at(self, kind, index=0):
        first = self.get(*self.HEADER["phoff"])
        every = [first + 56 * i for i in range(self.get(*self.HEADER["phnum"]))]
        return [at for at in every if self.get(at, "I") == kind][index]

    def segment(self, kind, index=0, **fields):
        at = self.segment_at(kind, index)
        for name, value in fields.items():
            self.put(at + self.SEGMENT[name][0], self.SEGMENT[name][1], value)
        return self

    def dynamic_at(self, tag):
        """The offset of the entry with this tag: its tag, then its value."""
        at = self.get(self.segment_at(PT_DYNAMIC) + 8, "Q")
        while self.get(at, "q") not in (tag, DT_NULL):
            at += 16
        assert self.get(at, "q") == tag, f"no tag {tag}"
        return at

    def value(self, tag):
        return self.get(self.dynamic_at(tag) + 8, "Q")

    def dynamic(self, tag, value):
        return self.put(self.dynamic_at(tag) + 8, "Q", value)

    def retag(self, tag, new=ANY_OTHER):
        return self.put(self.dynamic_at(tag), "q", new)

    def add_dynamic(self, *entries):
        """Adds entries where linkers leave some free: before the last DT_NULL."""
        for tag, value in entries:
            at = self.dynamic_at(DT_NULL)
            assert self.get(at + 16, "q") == DT_NULL, "no free entry"
            self.put(at, "q", tag).put(at + 8, "Q", value)
        return self

    def offset(self, address):
        """The file offset of an address in a LOAD segment."""
        for i in range(99):
            at = self.segment_at(PT_LOAD, i)
            offset, begin, size = self.get(at + 8, "Q"), self.get(at + 16, "Q"), self.get(at + 32, "Q")
            if begin <= address < begin + size:
                return offset + address - begin
        return None

    def note(self, kind):
        """The offset of the content of opsrun's first note of this type."""
        return self.data.index(struct.pack("<I", kind) + b"opsrun\0\0") + 12

    def slot(self, tag):
        """The offset of the relocation of the first word of a table."""
        first, n = self.offset(self.value(DT_RELA)), self.value(DT_RELASZ) // 24
        return next(at for at in range(first, first + 24 * n, 24) if self.get(at, "Q") == self.value(tag))


# Each name becomes a file; BASE is the original plugin.
DAMAGES = {
    "good": {
        # Truncated, as by an interrupted copy; or for another machine.
        "cut_in_header": lambda elf: elf.cut(40),
        "cut_in_half": lambda elf: elf.cut(len(elf.data) // 2),
        "program_headers_far_away": lambda elf: elf.header(phoff=FAR),
        "for_32_bits": lambda elf: elf.header(**{"class": 1}),
        "for_big_endian": lambda elf: elf.header(byte_order=2),
        "for_other_machine": lambda elf: elf.header(machine=22),
        "header_version": lambda elf: elf.header(version=9),
        "object_file": lambda elf: elf.header(type=1),
        "program": lambda elf: elf.header(type=2),
        "program_headers_of_odd_size": lambda elf: elf.header(phentsize=3),
        # Segments.
        "segment_too_long": lambda elf: elf.segment(PT_LOAD, 1, offset=2 ** 64 - 8),
        "segments_without_dynamic": lambda elf: elf.segment(PT_DYNAMIC, type=ANY_OTHER),
        "segment_of_less_memory_than_bytes": lambda elf: elf.segment(PT_LOAD, memsz=64),
        "segments_overlap": lambda elf: elf.segment(PT_LOAD, 1, vaddr=0),
        "relro_far_away": lambda elf: elf.segment(PT_GNU_RELRO, vaddr=FAR),
        "note_segment_far_away": lambda elf: elf.segment(PT_NOTE, vaddr=FAR, align=8),
        "property_segment_far_away":
            lambda elf: elf.segment(PT_GNU_EH_FRAME, vaddr=FAR).segment(PT_GNU_EH_FRAME, type=PT_GNU_PROPERTY),
        "dynamic_far_away": lambda elf: elf.segment(PT_DYNAMIC, vaddr=FAR),
        "dynamic_without_end": lambda elf: elf.segment(PT_DYNAMIC, filesz=16),
        # The dynamic section.
        "relocations_without_size": lambda elf: elf.retag(DT_RELASZ),
        "calls_without_size": lambda elf: elf.retag(DT_PLTRELSZ),
        "no_names": lambda elf: elf.retag(DT_STRTAB),
        "symbols_of_odd_size": lambda elf: elf.dynamic(DT_SYMENT, 23),
        "names_too_long": lambda elf: elf.dynamic(DT_STRSZ, FAR),
        "needed_far_away": lambda elf: elf.dynamic(DT_NEEDED, FAR),
        "auxiliary_far_away": lambda elf: elf.add_dynamic((DT_AUXILIARY, FAR)),
        "filter_far_away": lambda elf: elf.add_dynamic((DT_FILTER, FAR)),
        "constructor_far_away": lambda elf: elf.put(elf.slot(DT_INIT_ARRAY) + 16, "Q", FAR),
        "hash_table_damaged": lambda elf: elf.put(elf.offset(elf.value(DT_GNU_HASH)) + 8, "I", 3),
        "symbols_far_away": lambda elf: elf.dynamic(DT_SYMTAB, FAR),
        "symbol_zero_is_something": lambda elf: elf.put(elf.offset(elf.value(DT_SYMTAB)), "I", 1),
        "symbol_name_far_away": lambda elf: elf.put(elf.offset(elf.value(DT_SYMTAB)) + 24, "I", 0xFFFFFFFF),
        "versions_far_away": lambda elf: elf.dynamic(DT_VERSYM, FAR),
        "relocations_far_away": lambda elf: elf.dynamic(DT_RELA, FAR),
        "relocations_in_disorder": lambda elf: elf.dynamic(DT_RELACOUNT, elf.value(DT_RELASZ) // 24),
        "relocation_far_away": lambda elf: elf.put(elf.offset(elf.value(DT_RELA)), "Q", FAR),
        "packed_far_away": lambda elf: elf.add_dynamic((DT_RELR, FAR), (DT_RELRSZ, 8), (DT_RELRENT, 8)),
        "packed_of_odd_size": lambda elf: elf.add_dynamic((DT_RELR, 0), (DT_RELRSZ, 4), (DT_RELRENT, 8)),
        "packed_of_odd_entries": lambda elf: elf.add_dynamic((DT_RELR, 0), (DT_RELRSZ, 8), (DT_RELRENT, 7)),
        # The first word of the file is not the address of a writable slot.
        "packed_leads_far_away": lambda elf: elf.add_dynamic((DT_RELR, 0), (DT_RELRSZ, 8), (DT_RELRENT, 8)),
        # Notes.
        "note_too_long": lambda elf: elf.put(elf.note(PLUGIN_NOTE) - 16, "I", 0xFFFFFFFF),
        "notes_far_away": lambda elf: elf.segment(PT_NOTE, offset=FAR).header(shnum=0),
        "unit_note_damaged": lambda elf: elf.put(elf.note(PLUGIN_NOTE), "I", 5),
        "later_level": lambda elf: elf.put(elf.note(PLUGIN_NOTE) + 8, "I", 7),
        "built_with_newer_headers": lambda elf: elf.put(elf.note(PLUGIN_NOTE) + 4, "I", 9),
        "note_segment_lost": lambda elf: elf.segment(PT_NOTE, type=ANY_OTHER),
        "note_flags": lambda elf: elf.put(elf.note(PLUGIN_NOTE) + 12, "I", 8),
        "built_with_other_sanitizer": lambda elf: elf.put(elf.note(PLUGIN_NOTE) + 12, "I", 4),
        "struct_of_other_layout": lambda elf: elf.put(elf.note(PLUGIN_NOTE) + 72 + 4 * 12, "I", 1),
        # Symbols that the C library does not have in any version, and that no library has.
        "newer_glibc": lambda elf: elf.rename_version(b"GLIBC_2", b"GLIBC"),
        "cxxabi_of_glibc": lambda elf: elf.rename_version(b"GLIBC_2", b"CXXABI"),
        "version_of_other_kind": lambda elf: elf.rename_version(b"GLIBC_2", b"OTHER"),
    },
    "crashes": {
        "later_level_that_crashes": lambda elf: elf.put(elf.note(PLUGIN_NOTE) + 8, "I", 7),
    },
    "op_flags": {
        "op_flags_of_later_level": lambda elf: elf.put(elf.note(PLUGIN_NOTE) + 4, "I", 9),
    },
    "new_specs": {
        "specs_of_later_level": lambda elf: elf.put(elf.note(PLUGIN_NOTE) + 4, "I", 9),
    },
    "throws": {
        "newer_libstdcxx": lambda elf: elf.rename_version(b"CXXABI_1", b"CXXABI"),
        "glibc_of_libstdcxx": lambda elf: elf.rename_version(b"CXXABI_1", b"GLIBC"),
    },
}


def damaged(read):
    """(name, bytes) of each damaged file; read(name) returns the bytes of a plugin."""
    for base, damages in DAMAGES.items():
        for name, damage in damages.items():
            yield name, bytes(damage(Elf(read(base))).data)
