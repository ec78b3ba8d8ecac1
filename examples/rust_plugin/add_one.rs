// examples/rust_plugin/add_one.rs: a plugin in Rust, from the contract alone.
//
//   rustc -O -C panic=abort --crate-type cdylib add_one.rs -o add_one_rust.so
//
// The declarations are those of sdk/include/opsrun/c_api.h that this op needs. Unused fields and functions are declared
// as words of the same size, and structs that only the host makes end after the last field that is used. No struct of
// the contract has padding, so each offset is the sum of the sizes before it, and the fingerprints of the PLUGIN note
// can be computed from sizes and from the numbers that c_api.h has for the signatures of functions.
//
// SPDX-License-Identifier: Apache-2.0
#![allow(dead_code)]

use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr::null;

// ---- Values

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    data: *const u8,
    size: u64,
}
unsafe impl Sync for Str {}

const fn text(of: &'static str) -> Str {
    Str { data: of.as_ptr(), size: of.len() as u64 }
}

#[repr(C)]
pub struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    rank: i32,
    dl: [u8; 4],
    shape: *mut i64,
    other: [u64; 3], // strides to host
    flags: u32,
}
const TENSOR_PLANNED: u32 = 8;

type Slot = *const c_void; // a function that this plugin does not call
type Shape = c_void;

// ---- What the host offers

#[repr(C)]
pub struct Host {
    size: u32,
    level: u32,
    fail: extern "C" fn(*const Host, *mut c_void, i32, Str, Str) -> i32,
    log: Slot,
    query: Slot,
    allocate_output: extern "C" fn(*mut Call, u32, i32, *const i64, *mut *mut Tensor) -> i32,
    other_slots: [Slot; 19], // set_output to make_shape
    set_output_shape: extern "C" fn(*mut ShapeCall, u32, *const Shape) -> i32,
}

#[repr(C)]
pub struct Call {
    size: u32,
    kind: u16,
    flags: u16,
    inputs: *const *const Tensor,
    outputs: *const *mut Tensor,
    n_in: u32,
    n_out: u32,
    host: *const Host,
}

#[repr(C)]
pub struct ShapeCall {
    size: u32,
    kind: u16,
    flags: u16,
    host: *const Host,
    other: [Slot; 3], // attrs to out_args
    inputs: *const *const Shape,
}

// ---- What a plugin offers

#[repr(C)]
pub struct Op {
    size: u32,
    flags: u32,
    must_understand: u64,
    name: Str,
    doc: Str,
    inputs: *const Str,
    outputs: *const Str,
    control_outputs: *const Str,
    attrs: *const Str,
    counts: [u32; 4], // of the lists above
    lines: [u32; 2],  // deprecated_version, gradient_line
    deprecated_text: Str,
    shape: extern "C" fn(*mut c_void, *mut ShapeCall) -> i32,
    shape_ctx: *mut c_void,
    gradient: Str,
    batch: Str,
}
unsafe impl Sync for Op {}

#[repr(C)]
pub struct Kernel {
    size: u32,
    flags: u32,
    must_understand: u64,
    op: Str,
    device: Str,
    label: Str,
    lists: [usize; 3], // constraints, host_memory, aliases
    counts: [u32; 3],  // of the lists
    priority: i32,
    create: extern "C" fn(*mut c_void, *mut c_void, *mut *mut c_void) -> i32,
    compute: extern "C" fn(*mut c_void, *mut Call) -> i32,
    destroy: extern "C" fn(*mut c_void),
    ctx: *mut c_void,
    workspace: *mut c_void,
}
unsafe impl Sync for Kernel {}

#[repr(C)]
pub struct Plugin {
    size: u32,
    header_level: u32,
    min_level: u32,
    flags: u32,
    name: Str,
    version: Str,
    ops: *const &'static Op,
    kernels: *const &'static Kernel,
    n_ops: u32,
    n_kernels: u32,
    shutdown: *const c_void,
    query: *const c_void,
}
unsafe impl Sync for Plugin {}

// ---- Notes

#[repr(C, align(4))]
pub struct Note<T> {
    owner_size: u32,
    content_size: u32,
    kind: u32,
    owner: [u8; 8],
    content: T,
}

const fn note<T>(kind: u32, content_size: u32, content: T) -> Note<T> {
    Note { owner_size: 7, content_size, kind, owner: *b"opsrun\0\0", content }
}

#[repr(C)]
pub struct PluginNote {
    size: u32,
    header_level: u32,
    min_level: u32,
    flags: u32,
    cpu: [u32; 2],
    sdk_version: [u8; 16],
    compiler: [u8; 32],
    fingerprints: [u32; 18],
}

// The sizes of a struct's fields, in order; 0 before the size of a reserved word, which has no number.
const fn fingerprint(sizes: &[u32]) -> u32 {
    with_functions(0, sizes)
}

// signatures: the number of the struct in OPSRUN_STRUCTS.
const fn with_functions(signatures: u32, sizes: &[u32]) -> u32 {
    let (mut sum, mut offset, mut number, mut i) = (signatures, 0u32, 0u32, 0);
    while i < sizes.len() {
        if sizes[i] == 0 {
            offset += sizes[i + 1];
            i += 2;
            continue;
        }
        number += 1;
        let place = offset.wrapping_mul(31).wrapping_add(sizes[i]);
        sum = sum.wrapping_add(place.wrapping_mul(2 * number + 1).wrapping_mul(2654435761));
        offset += sizes[i];
        i += 1;
    }
    sum
}

const fn padded<const N: usize>(of: &[u8]) -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < of.len() {
        bytes[i] = of[i];
        i += 1;
    }
    bytes
}

const FINGERPRINTS: [u32; 18] = [
    fingerprint(&[8, 8]),                                                          // opsrun_str
    fingerprint(&[1, 1, 2]),                                                       // opsrun_dldtype
    fingerprint(&[4, 4]),                                                          // opsrun_device
    fingerprint(&[8, 8, 4, 4, 8, 8, 8, 8, 4, 4]),                                  // opsrun_tensor
    with_functions(0xd40f90d0, &[4, 4, 8, 8, 8, 16, 16, 16, 16]), // opsrun_resource
    fingerprint(&[8]),                                                             // opsrun_dim
    fingerprint(&[4, 0, 4, 8]),                                                    // opsrun_shape
    fingerprint(&[4, 0, 4, 8]),                                                    // opsrun_partial
    fingerprint(&[16, 4, 0, 4, 8, 16]),                                            // opsrun_attr
    fingerprint(&[16, 4, 4, 4, 0, 4]),                                             // opsrun_arg
    fingerprint(&[16, 16, 4, 0, 4]),                                               // opsrun_alias
    with_functions(0xef7b295c, &[4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]), // opsrun_host
    fingerprint(&[4, 2, 2, 8, 8, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8]),                   // opsrun_call
    fingerprint(&[4, 2, 2, 8, 16, 16, 8, 8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 0, 4]),  // opsrun_create
    fingerprint(&[4, 2, 2, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 0, 4]),                   // opsrun_shape_call
    with_functions(0x4a427a14, &[4, 4, 8, 16, 16, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 16, 8, 8, 16, 16]), // opsrun_op
    with_functions(0x62507369, &[4, 4, 8, 16, 16, 16, 8, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8, 8]), // opsrun_kernel
    with_functions(0xd189b920, &[4, 4, 4, 4, 16, 16, 8, 8, 4, 4, 8, 8]), // opsrun_plugin
];

#[used]
#[link_section = ".note.opsrun"]
static PLUGIN_NOTE: Note<PluginNote> = note(
    0x4F500101,
    size_of::<PluginNote>() as u32,
    PluginNote {
        size: size_of::<PluginNote>() as u32,
        header_level: 1,
        min_level: 1,
        flags: 0,
        cpu: [0; 2], // built for the base of the architecture
        sdk_version: padded(b"by hand"),
        compiler: padded(b"rustc"),
        fingerprints: FINGERPRINTS,
    },
);

#[used]
#[link_section = ".note.opsrun"]
static NAME_NOTE: Note<[u8; 24]> = note(0x4F500102, 22, padded(b"opsrun.examples.rust;1"));

#[used]
#[link_section = ".note.opsrun"]
static OP_NOTE: Note<[u8; 12]> = note(0x4F500103, 10, padded(b"AddOneRust"));

#[used]
#[link_section = ".note.opsrun"]
static KERNEL_NOTE: Note<[u8; 16]> = note(0x4F500104, 14, padded(b"AddOneRust;CPU"));

// ---- The op

const OK: i32 = 0;
const INVALID_ARGUMENT: i32 = 3;

extern "C" fn same_shape(_ctx: *mut c_void, call: *mut ShapeCall) -> i32 {
    unsafe { ((*(*call).host).set_output_shape)(call, 0, *(*call).inputs) }
}

extern "C" fn create(_ctx: *mut c_void, _create: *mut c_void, kernel: *mut *mut c_void) -> i32 {
    unsafe { *kernel = std::ptr::null_mut() };
    OK
}

extern "C" fn compute(_kernel: *mut c_void, call: *mut Call) -> i32 {
    unsafe {
        let input = &**(*call).inputs;
        let mut output = *(*call).outputs;
        if (*output).flags & TENSOR_PLANNED == 0 {
            let code = ((*(*call).host).allocate_output)(call, 0, input.rank, input.shape, &mut output);
            if code != OK {
                return code;
            }
        }
        for i in 0..count(input) {
            let x = *(input.data as *const i32).add(i);
            match x.checked_add(1) {
                Some(sum) => *((*output).data as *mut i32).add(i) = sum,
                None => return overflow(call, i),
            }
        }
    }
    OK
}

unsafe fn count(tensor: &Tensor) -> usize {
    (0..tensor.rank as usize).map(|d| *tensor.shape.add(d) as usize).product()
}

unsafe fn overflow(call: *mut Call, i: usize) -> i32 {
    let why = format!("element {} is the largest int32", i);
    let reason = Str { data: why.as_ptr(), size: why.len() as u64 };
    ((*(*call).host).fail)((*call).host, call as *mut c_void, INVALID_ARGUMENT, reason, text("input:x"))
}

extern "C" fn destroy(_kernel: *mut c_void) {}

static INPUTS: [Str; 1] = [text("x: int32")];
static OUTPUTS: [Str; 1] = [text("y: int32")];

static ADD_ONE: Op = Op {
    size: size_of::<Op>() as u32,
    flags: 0,
    must_understand: 0,
    name: text("AddOneRust"),
    doc: text("Adds one to every element, and fails at the largest int32."),
    inputs: INPUTS.as_ptr(),
    outputs: OUTPUTS.as_ptr(),
    control_outputs: null(),
    attrs: null(),
    counts: [1, 1, 0, 0],
    lines: [0; 2],
    deprecated_text: text(""),
    shape: same_shape,
    shape_ctx: 0 as *mut c_void,
    gradient: text(""),
    batch: text(""),
};

static ADD_ONE_CPU: Kernel = Kernel {
    size: size_of::<Kernel>() as u32,
    flags: 0,
    must_understand: 0,
    op: text("AddOneRust"),
    device: text("CPU"),
    label: text(""),
    lists: [0; 3],
    counts: [0; 3],
    priority: 0,
    create,
    compute,
    destroy,
    ctx: 0 as *mut c_void,
    workspace: 0 as *mut c_void,
};

static OPS: [&Op; 1] = [&ADD_ONE];
static KERNELS: [&Kernel; 1] = [&ADD_ONE_CPU];

static PLUGIN: Plugin = Plugin {
    size: size_of::<Plugin>() as u32,
    header_level: 1,
    min_level: 1,
    flags: 0,
    name: text("opsrun.examples.rust"),
    version: text("1"),
    ops: OPS.as_ptr(),
    kernels: KERNELS.as_ptr(),
    n_ops: 1,
    n_kernels: 1,
    shutdown: null(),
    query: null(),
};

#[no_mangle]
pub extern "C" fn opsrun_plugin_v1(_host: *const Host) -> *const Plugin {
    &PLUGIN
}
