// examples/zig_plugin/add_one.zig: a plugin in Zig, from the contract alone.
//
//   zig build-lib -dynamic -O ReleaseSmall -fstrip add_one.zig -femit-bin=add_one_zig.so
//
// The declarations are those of sdk/include/opsrun/c_api.h that this op needs. Unused fields and functions are declared
// as words of the same size, and structs that only the host makes end after the last field that is used. No struct of
// the contract has padding, so each offset is the sum of the sizes before it, and the fingerprints of the PLUGIN note
// can be computed from sizes and from the numbers that c_api.h has for the signatures of functions.
//
// SPDX-License-Identifier: Apache-2.0

// ---- Values

const Str = extern struct { data: ?[*]const u8, size: u64 };

fn text(comptime of: []const u8) Str {
    return .{ .data = of.ptr, .size = of.len };
}

const Tensor = extern struct {
    data: ?*anyopaque,
    device: [2]i32,
    rank: i32,
    dl: [4]u8,
    shape: ?[*]i64,
    other: [3]u64, // strides to host
    flags: u32,
};
const tensor_planned: u32 = 8;

const Slot = ?*const anyopaque; // a function that this plugin does not call
const Shape = anyopaque;

// ---- What the host offers

const Host = extern struct {
    size: u32,
    level: u32,
    fail: *const fn (*const Host, *anyopaque, i32, Str, Str) callconv(.C) i32,
    log: Slot,
    query: Slot,
    allocate_output: *const fn (*Call, u32, i32, ?[*]const i64, **Tensor) callconv(.C) i32,
    other_slots: [19]Slot, // set_output to make_shape
    set_output_shape: *const fn (*ShapeCall, u32, *const Shape) callconv(.C) i32,
};

const Call = extern struct {
    size: u32,
    kind: u16,
    flags: u16,
    inputs: [*]const *const Tensor,
    outputs: [*]const *Tensor,
    n_in: u32,
    n_out: u32,
    host: *const Host,
};

const ShapeCall = extern struct {
    size: u32,
    kind: u16,
    flags: u16,
    host: *const Host,
    other: [3]Slot, // attrs to out_args
    inputs: [*]const *const Shape,
};

// ---- What a plugin offers

const Op = extern struct {
    size: u32 = @sizeOf(Op),
    flags: u32 = 0,
    must_understand: u64 = 0,
    name: Str,
    doc: Str,
    inputs: [*]const Str,
    outputs: [*]const Str,
    control_outputs: ?[*]const Str = null,
    attrs: ?[*]const Str = null,
    n_inputs: u32,
    n_outputs: u32,
    n_control_outputs: u32 = 0,
    n_attrs: u32 = 0,
    deprecated_version: u32 = 0,
    gradient_line: u32 = 0,
    deprecated_text: Str = text(""),
    shape: ?*const fn (?*anyopaque, *ShapeCall) callconv(.C) i32,
    shape_ctx: ?*anyopaque = null,
    gradient: Str = text(""),
    batch: Str = text(""),
};

const Kernel = extern struct {
    size: u32 = @sizeOf(Kernel),
    flags: u32 = 0,
    must_understand: u64 = 0,
    op: Str,
    device: Str,
    label: Str = text(""),
    constraints: ?*const anyopaque = null,
    host_memory: ?[*]const Str = null,
    aliases: ?*const anyopaque = null,
    n_constraints: u32 = 0,
    n_host_memory: u32 = 0,
    n_aliases: u32 = 0,
    priority: i32 = 0,
    create: *const fn (?*anyopaque, *anyopaque, *?*anyopaque) callconv(.C) i32,
    compute: *const fn (?*anyopaque, *Call) callconv(.C) i32,
    destroy: *const fn (?*anyopaque) callconv(.C) void,
    ctx: ?*anyopaque = null,
    workspace: ?*const anyopaque = null,
};

const Plugin = extern struct {
    size: u32 = @sizeOf(Plugin),
    header_level: u32 = 1,
    min_level: u32 = 1,
    flags: u32 = 0,
    name: Str,
    version: Str,
    ops: [*]const *const Op,
    kernels: [*]const *const Kernel,
    n_ops: u32,
    n_kernels: u32,
    shutdown: ?*const anyopaque = null,
    query: ?*const anyopaque = null,
};

// ---- Notes

fn Note(comptime Content: type) type {
    return extern struct {
        owner_size: u32 = 7,
        content_size: u32 = @sizeOf(Content),
        kind: u32,
        owner: [8]u8 = "opsrun\x00\x00".*,
        content: Content,
    };
}

const PluginNote = extern struct {
    size: u32 = @sizeOf(PluginNote),
    header_level: u32 = 1,
    min_level: u32 = 1,
    flags: u32 = 0,
    cpu: [2]u32 = .{ 0, 0 }, // built for the base of the architecture
    sdk_version: [16]u8 = padded(16, "by hand"),
    compiler: [32]u8 = padded(32, "zig"),
    fingerprints: [18]u32,
};

fn padded(comptime size: usize, comptime of: []const u8) [size]u8 {
    return (of ++ [_]u8{0} ** (size - of.len))[0..size].*;
}

// The sizes of a struct's fields, in order; 0 before the size of a reserved word, which has no number.
fn fingerprint(comptime sizes: []const u32) u32 {
    return withFunctions(0, sizes);
}

// signatures: the number of the struct in OPSRUN_STRUCTS of c_api.h.
fn withFunctions(comptime signatures: u32, comptime sizes: []const u32) u32 {
    var sum: u32 = signatures;
    var offset: u32 = 0;
    var number: u32 = 0;
    var i: usize = 0;
    while (i < sizes.len) : (i += 1) {
        if (sizes[i] == 0) {
            i += 1;
        } else {
            number += 1;
            sum +%= (offset *% 31 +% sizes[i]) *% (2 * number + 1) *% 2654435761;
        }
        offset += sizes[i];
    }
    return sum;
}

const plugin_note: Note(PluginNote) = .{ .kind = 0x4F500101, .content = .{ .fingerprints = .{
    fingerprint(&.{ 8, 8 }), // opsrun_str
    fingerprint(&.{ 1, 1, 2 }), // opsrun_dldtype
    fingerprint(&.{ 4, 4 }), // opsrun_device
    fingerprint(&.{ 8, 8, 4, 4, 8, 8, 8, 8, 4, 4 }), // opsrun_tensor
    withFunctions(0xd40f90d0, &.{ 4, 4, 8, 8, 8, 16, 16, 16, 16 }), // opsrun_resource
    fingerprint(&.{8}), // opsrun_dim
    fingerprint(&.{ 4, 0, 4, 8 }), // opsrun_shape
    fingerprint(&.{ 4, 0, 4, 8 }), // opsrun_partial
    fingerprint(&.{ 16, 4, 0, 4, 8, 16 }), // opsrun_attr
    fingerprint(&.{ 16, 4, 4, 4, 0, 4 }), // opsrun_arg
    fingerprint(&.{ 16, 16, 4, 0, 4 }), // opsrun_alias
    withFunctions(0xef7b295c, &([_]u32{ 4, 4 } ++ [_]u32{8} ** 30)), // opsrun_host
    fingerprint(&.{ 4, 2, 2, 8, 8, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8 }), // opsrun_call
    fingerprint(&.{ 4, 2, 2, 8, 16, 16, 8, 8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 0, 4 }), // opsrun_create
    fingerprint(&.{ 4, 2, 2, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 0, 4 }), // opsrun_shape_call
    withFunctions(0x4a427a14, &.{ 4, 4, 8, 16, 16, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 16, 8, 8, 16, 16 }), // opsrun_op
    withFunctions(0x62507369, &.{ 4, 4, 8, 16, 16, 16, 8, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8, 8 }), // opsrun_kernel
    withFunctions(0xd189b920, &.{ 4, 4, 4, 4, 16, 16, 8, 8, 4, 4, 8, 8 }), // opsrun_plugin
} } };
const name_note: Note([20]u8) = .{ .kind = 0x4F500102, .content = "opsrun.examples.zig;".* };
const op_note: Note([12]u8) = .{ .kind = 0x4F500103, .content = padded(12, "AddOneZig") };
const kernel_note: Note([16]u8) = .{ .kind = 0x4F500104, .content = padded(16, "AddOneZig;CPU") };

comptime {
    @export(plugin_note, .{ .name = "plugin_note", .section = ".note.opsrun", .visibility = .hidden });
    @export(name_note, .{ .name = "name_note", .section = ".note.opsrun", .visibility = .hidden });
    @export(op_note, .{ .name = "op_note", .section = ".note.opsrun", .visibility = .hidden });
    @export(kernel_note, .{ .name = "kernel_note", .section = ".note.opsrun", .visibility = .hidden });
}

// ---- The op

const ok: i32 = 0;
const invalid_argument: i32 = 3;

fn sameShape(_: ?*anyopaque, call: *ShapeCall) callconv(.C) i32 {
    return call.host.set_output_shape(call, 0, call.inputs[0]);
}

fn create(_: ?*anyopaque, _: *anyopaque, kernel: *?*anyopaque) callconv(.C) i32 {
    kernel.* = null;
    return ok;
}

fn compute(_: ?*anyopaque, call: *Call) callconv(.C) i32 {
    const input = call.inputs[0];
    var output = call.outputs[0];
    if (output.flags & tensor_planned == 0) {
        const code = call.host.allocate_output(call, 0, input.rank, input.shape, &output);
        if (code != ok) return code;
    }
    var count: usize = 1;
    for (0..@intCast(input.rank)) |d| count *= @intCast(input.shape.?[d]);
    if (count == 0) return ok;
    const x: [*]const i32 = @ptrCast(@alignCast(input.data));
    const y: [*]i32 = @ptrCast(@alignCast(output.data));
    for (0..count) |i| {
        const sum, const overflow = @addWithOverflow(x[i], 1);
        if (overflow != 0) {
            return call.host.fail(call.host, call, invalid_argument, text("an element is the largest int32"), text("input:x"));
        }
        y[i] = sum;
    }
    return ok;
}

fn destroy(_: ?*anyopaque) callconv(.C) void {}

const inputs = [_]Str{text("x: int32")};
const outputs = [_]Str{text("y: int32")};
const add_one: Op = .{
    .name = text("AddOneZig"),
    .doc = text("Adds one to every element, and fails at the largest int32."),
    .inputs = &inputs,
    .outputs = &outputs,
    .n_inputs = 1,
    .n_outputs = 1,
    .shape = sameShape,
};
const add_one_cpu: Kernel = .{
    .op = text("AddOneZig"),
    .device = text("CPU"),
    .create = create,
    .compute = compute,
    .destroy = destroy,
};
const ops = [_]*const Op{&add_one};
const kernels = [_]*const Kernel{&add_one_cpu};
const plugin: Plugin = .{
    .name = text("opsrun.examples.zig"),
    .version = text(""),
    .ops = &ops,
    .kernels = &kernels,
    .n_ops = 1,
    .n_kernels = 1,
};

export fn opsrun_plugin_v1(_: *const Host) *const Plugin {
    return &plugin;
}
