//! Code of kinds of kernels that once became several times what they need: instructions and messages of spilled values may not
//! become more than they are. Beside each limit are the figures of the reference finalizer (1.0.17791, without the driver's options) for
//! the same text.

use kiln_compile::Options;
use kiln_compile::attempt::{self, Scratch};
use kiln_emit::platform;
use kiln_visa::text;

/// Declarations and instructions of a kernel of so many channels, whose channels have addresses in `A` and numbers in `N`.
#[derive(Default)]
struct Kernel {
    channels: usize,
    declarations: String,
    body: String,
}

impl Kernel {
    fn new(channels: usize) -> Kernel {
        let mut kernel = Kernel {
            channels,
            ..Kernel::default()
        };
        kernel.declare("A", "uq");
        kernel.declare("N", "ud");
        let dwords = 2 * channels;
        let line = format!(".decl A32 v_type=G type=ud num_elts={dwords} alias=<A, 0>\n");
        kernel.declarations.push_str(&line);
        kernel
    }

    /// A variable with one element for each channel.
    fn declare(&mut self, name: &str, ty: &str) {
        self.declare_many(name, ty, 1);
    }

    /// A variable with so many elements for each channel.
    fn declare_many(&mut self, name: &str, ty: &str, each: usize) {
        let count = self.channels * each;
        let line = format!(".decl {name} v_type=G type={ty} num_elts={count} align=wordx32\n");
        self.declarations.push_str(&line);
    }

    fn line(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }

    /// An instruction of all channels, `%` for a variable's first elements.
    fn all(&mut self, op: &str, dst: &str, srcs: &[&str]) {
        let source = |s: &&str| match s.contains(['(', ':']) {
            true => (*s).to_owned(),
            false => format!("{s}(0,0)<1;1,0>"),
        };
        let srcs: Vec<_> = srcs.iter().map(source).collect();
        let dst = if dst.contains('(') {
            dst.to_owned()
        } else {
            format!("{dst}(0,0)<1>")
        };
        self.line(&format!(
            "{op} (M1, {}) {dst} {}",
            self.channels,
            srcs.join(" ")
        ));
    }

    fn load(&mut self, name: &str, size: &str, offset: usize) {
        self.line(&format!(
            "lsc_load.ugm (M1, {}) {name}:{size} flat[A+{offset:#x}]:a64",
            self.channels
        ));
    }

    fn store(&mut self, name: &str, size: &str, offset: usize) {
        self.line(&format!(
            "lsc_store.ugm (M1, {}) flat[A+{offset:#x}]:a64 {name}:{size}",
            self.channels
        ));
    }

    fn text(&self) -> String {
        format!(
            ".version 4.1\n.kernel \"k\"\n{}.decl B v_type=G type=uq num_elts=1 align=qword\n.decl W v_type=G type=d num_elts=1 align=dword\n\
             .decl I v_type=G type=uw num_elts={} align=wordx32\n.input I offset=64 size={}\n.input B offset=192 size=8\n.input W offset=200 size=4\n\
             .kernel_attr Target=\"3d\"\n.kernel_attr SimdSize={}\n_main:\n{}{}ret (M1, 1)\n",
            self.declarations,
            self.channels,
            2 * self.channels,
            self.channels,
            format_args!(
                "shl (M1, {0}) N(0,0)<1> I(0,0)<1;1,0> 0x3:uw\nmov (M1, {0}) A32(0,0)<2> N(0,0)<1;1,0>\n\
                 mov (M1, {0}) A32(0,1)<2> 0x1:ud\n",
                self.channels
            ),
            self.body,
        )
    }
}

/// Values that channels read from each other, by addresses that are 0 in all channels before those that run have theirs.
fn shuffles(count: usize, channels: usize) -> String {
    let mut kernel = Kernel::new(channels);
    kernel.declare("S", "f");
    kernel.load("S", "d32", 0);
    for i in 0..count {
        for (name, ty) in [("X", "f"), ("Y", "f"), ("P", "uw")] {
            kernel.declare(&format!("{name}{i}"), ty);
        }
        kernel
            .declarations
            .push_str(&format!(".decl Q{i} v_type=A num_elts={channels}\n"));
        let (x, y, p) = (format!("X{i}"), format!("Y{i}"), format!("P{i}"));
        kernel.all(
            "mul",
            &x,
            &["S", &format!("{:#x}:f", (1.5 + i as f32).to_bits())],
        );
        kernel.all("xor", &p, &["I", &format!("{:#x}:uw", i % channels)]);
        kernel.all("shl", &p, &[&p, "0x2:uw"]);
        kernel.line(&format!("mov (M1_NM, {channels}) Q{i}(0)<1> 0x0:uw"));
        kernel.line(&format!(
            "addr_add (M1, {channels}) Q{i}(0)<1> &X{i} P{i}(0,0)<1;1,0>"
        ));
        kernel.line(&format!(
            "mov (M1, {channels}) Y{i}(0,0)<1> r[Q{i}(0),0]<1,0>:f"
        ));
        kernel.all("add", "S", &["S", &y]);
    }
    kernel.store("S", "d32", 0);
    kernel.text()
}

/// A tile of sums of products in registers: each sum is loaded, and stored at the end to the address it came from.
fn tile(rows: usize, columns: usize, channels: usize) -> String {
    let mut kernel = Kernel::new(channels);
    for i in 0..rows * columns {
        kernel.declare(&format!("D{i}"), "uq");
        kernel.declare(&format!("C{i}"), "f");
        kernel.all(
            "add",
            &format!("D{i}"),
            &["A", &format!("{:#x}:q", (i + 1) << 8)],
        );
        kernel.line(&format!(
            "lsc_load.ugm (M1, {channels}) C{i}:d32 flat[D{i}]:a64"
        ));
    }
    for step in 0..3 {
        for row in 0..rows {
            let name = format!("L{step}_{row}");
            kernel.declare(&name, "f");
            kernel.load(&name, "d32", 0x10000 + ((step * rows + row) << 8));
        }
        for column in 0..columns {
            let right = format!("R{step}_{column}");
            kernel.declare(&right, "f");
            kernel.load(&right, "d32", 0x20000 + ((step * columns + column) << 8));
            for row in 0..rows {
                let sum = format!("C{}", row * columns + column);
                kernel.all("mad", &sum, &[&format!("L{step}_{row}"), &right, &sum]);
            }
        }
    }
    for i in 0..rows * columns {
        kernel.line(&format!(
            "lsc_store.ugm (M1, {channels}) flat[D{i}]:a64 C{i}:d32"
        ));
    }
    kernel.text()
}

/// A loop of products of matrices in which each row has one element of a vector for all channels. Where some channels `skip` the
/// loop, results are variables of their own, which these channels keep meanwhile.
fn rows(count: usize, skip: bool) -> String {
    let mut kernel = Kernel::new(8);
    if skip {
        kernel
            .declarations
            .push_str(".decl Q v_type=P num_elts=8\n");
        kernel.line("cmp.gt (M1, 8) Q N(0,0)<1;1,0> W(0,0)<0;1,0>\n(Q) goto (M1, 8) work");
        for i in 0..count {
            kernel.declare_many(&format!("D{i}"), "f", 4);
            (0..4).for_each(|part| kernel.all("mov", &format!("D{i}({part},0)<1>"), &["0x0:f"]));
        }
        kernel.line("goto (M1, 8) done\nwork:");
    }
    for i in 0..count {
        kernel.declare_many(&format!("C{i}"), "f", 4);
        (0..4).for_each(|part| kernel.all("mov", &format!("C{i}({part},0)<1>"), &["0x0:f"]));
    }
    kernel
        .declarations
        .push_str(".decl P v_type=P num_elts=1\n.decl T v_type=G type=d num_elts=1 align=dword\n");
    for name in ["V", "W0", "W1", "R0", "R1", "R2", "R3"] {
        kernel.declare_many(name, "f", 4);
    }
    kernel.line("mov (M1_NM, 1) T(0,0)<1> 0x0:d\nround:");
    for (i, name) in ["V", "W0", "R0", "R1", "R2", "R3"].into_iter().enumerate() {
        kernel.line(&format!(
            "lsc_load.ugm (M1_NM, 1) {name}:d32x32t flat[B+{:#x}]:a64",
            i * 128
        ));
    }
    for i in 0..count {
        let vector = if i < 8 { "V" } else { "W0" };
        for part in 0..4 {
            let product = format!("X{i}_{part}");
            kernel.declare(&product, "f");
            for (step, op) in ["mul", "mad", "mad", "mad"].into_iter().enumerate() {
                let (scalar, other) = (
                    format!("{vector}({step},{})<0;1,0>", i % 8),
                    format!("R{step}({part},0)<1;1,0>"),
                );
                match op {
                    "mul" => kernel.all(op, &product, &[&scalar, &other]),
                    _ => kernel.all(op, &product, &[&scalar, &other, &product]),
                }
            }
            let sum = format!("C{i}({part},0)<1>");
            kernel.all("add", &sum, &[&format!("C{i}({part},0)<1;1,0>"), &product]);
        }
    }
    kernel.line("add (M1_NM, 1) T(0,0)<1> T(0,0)<0;1,0> 0x1:d");
    kernel.line("cmp.lt (M1_NM, 1) P T(0,0)<0;1,0> W(0,0)<0;1,0>\n(P) jmp (M1, 1) round");
    if skip {
        for (i, part) in (0..count).flat_map(|i| (0..4).map(move |part| (i, part))) {
            let sum = format!("C{i}({part},0)<1;1,0>");
            kernel.all("mov", &format!("D{i}({part},0)<1>"), &[&sum]);
        }
        kernel.line("done:");
    }
    let result = if skip { "D" } else { "C" };
    for i in 0..count {
        kernel.line(&format!(
            "lsc_store.ugm (M1_NM, 1) flat[B+{:#x}]:a64 {result}{i}:d32x32t",
            i * 128
        ));
    }
    kernel.text()
}

/// Quotients and roots of doubles that are rounded correctly.
fn doubles(count: usize) -> String {
    let mut kernel = Kernel::new(16);
    ["X", "Y", "Z"]
        .iter()
        .for_each(|name| kernel.declare(name, "df"));
    kernel.load("X", "d64", 0);
    kernel.load("Y", "d64", 0x1000);
    for _ in 0..count {
        kernel.all("mad", "Z", &["X", "X", "Y"]);
        kernel.all("sqrtm", "Z", &["Z"]);
        kernel.all("divm", "X", &["Y", "Z"]);
    }
    kernel.store("X", "d64", 0);
    kernel.text()
}

/// Limits of instructions and of messages of spilled values.
struct Figure {
    kind: &'static str,
    platform: &'static str,
    text: String,
    instructions: usize,
    messages: u32,
    /// Instructions of the reference's code, and bytes that it spills.
    reference: (usize, u32),
}

fn figures() -> Vec<Figure> {
    let figure = |kind, platform, text, instructions, messages, reference| Figure {
        kind,
        platform,
        text,
        instructions,
        messages,
        reference,
    };
    vec![
        figure("shuffles", "dg2", shuffles(40, 16), 296, 0, (295, 0)),
        figure("shuffles", "bmg", shuffles(40, 16), 288, 0, (291, 0)),
        figure("shuffles", "bmg", shuffles(80, 16), 566, 0, (571, 0)),
        figure("tile", "pvc", tile(10, 5, 16), 662, 0, (741, 6400)),
        figure("tile", "pvc", tile(12, 6, 16), 992, 0, (1391, 10816)),
        figure("tile", "bmg", tile(12, 6, 16), 565, 0, (436, 0)),
        figure("rows", "dg2", rows(16, false), 493, 0, (441, 0)),
        figure("rows", "dg2", rows(12, false), 385, 0, (336, 0)),
        figure("rows", "mtl", rows(16, false), 490, 0, (441, 0)),
        figure("rows", "dg2", rows(16, true), 617, 0, (576, 0)),
        figure("rows", "mtl", rows(16, true), 614, 0, (576, 0)),
        figure("doubles", "pvc", doubles(4), 229, 0, (190, 0)),
        figure("doubles", "bmg", doubles(4), 218, 0, (189, 0)),
        figure("doubles", "ptl", doubles(9), 475, 0, (403, 0)),
    ]
}

#[test]
fn no_kind_of_kernel_becomes_more_code() {
    let mut bad = Vec::new();
    for (number, figure) in figures().into_iter().enumerate() {
        let platform = platform::find(figure.platform).expect("a platform");
        let module = text::parse_for(&figure.text, platform.grf_bytes);
        let module = module.unwrap_or_else(|e| panic!("{}: {e}", figure.kind));
        let options = Options::new(platform);
        let compiled = attempt::compile(&module.objects[0], &options, &mut Scratch::default());
        let compiled =
            compiled.unwrap_or_else(|e| panic!("{}, {}: {e}", figure.platform, figure.kind));
        let messages = compiled.allocation.spills + compiled.allocation.fills;
        if compiled.instructions > figure.instructions || messages > figure.messages {
            let (theirs, bytes) = figure.reference;
            bad.push(format!(
                "{} on {}, row {number}: {} instructions and {messages} messages of spilled values; the reference has {theirs}, and spills {bytes} bytes",
                figure.kind, figure.platform, compiled.instructions
            ));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
