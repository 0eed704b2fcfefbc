//! Random programs in LLVM IR of the GenX backend: regions of all shapes and widths 1 to 64, arithmetic, predicates,
//! branches, loops, nests of goto and join, subroutines.
//!
//! A program reads a block of its group from the first buffer and writes what it computed to the second. No program
//! depends on anything undefined: shifts are masked, divisors are odd and positive, regions lie inside of their
//! vectors.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Bytes that a group reads.
pub const IN_BYTES: usize = 512;
/// Bytes that a group writes.
pub const OUT_BYTES: usize = 2048;
/// Groups of a launch.
pub const GROUPS: u32 = 2;
/// Bytes of a vector.
const MAX_BYTES: u32 = 256;
/// Bytes of a value that is written.
const SLOT: u32 = 256;

/// Type of a value: elements, 0 for a scalar, and bits of one; 1 for a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ty {
    count: u32,
    bits: u32,
}

impl Ty {
    fn text(self) -> String {
        match self.count {
            0 => format!("i{}", self.bits),
            n => format!("<{n} x i{}>", self.bits),
        }
    }

    fn mangled(self) -> String {
        match self.count {
            0 => format!("i{}", self.bits),
            n => format!("v{n}i{}", self.bits),
        }
    }

    fn elements(self) -> u32 {
        self.count.max(1)
    }

    fn bytes(self) -> u32 {
        self.elements() * (self.bits / 8).max(1)
    }
}

/// A stream of random numbers (SplitMix64, Steele et al.).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 32) as u32 % n.max(1)
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

/// Bytes of the first buffer: numbers of all sizes, many of them small or all ones.
pub fn input(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed ^ 0xabcd);
    let mut bytes = Vec::new();
    while bytes.len() < IN_BYTES * GROUPS as usize {
        let word = match random.below(4) {
            0 => random.next() as u32,
            1 => random.below(16),
            2 => random.pick(&[0, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0xff00_8001]),
            _ => random.next() as u32 & 0x00ff_00ff,
        };
        bytes.extend(word.to_le_bytes());
    }
    bytes
}

/// A program of a seed. A plain one has only what becomes SPIR-V and is supported by the reference, and leaves out what
/// the reference is known to compile wrong (`docs/reference-faults.md`): vectors of four elements and more, few of LLVM's
/// functions, no signed extensions, no division of bytes, shifts by less than 8, no constants as parts of vectors.
pub fn program(seed: u64, plain: bool) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        out: String::new(),
        declared: BTreeSet::new(),
        next: 0,
        block: "entry".to_string(),
        values: Vec::new(),
        depth: 0,
        subroutines: Vec::new(),
        plain,
    };
    generator.module()
}

struct Generator {
    random: Random,
    out: String,
    declared: BTreeSet<String>,
    next: u32,
    /// Block that is written.
    block: String,
    /// Values that can be used here.
    values: Vec<(String, Ty)>,
    depth: u32,
    subroutines: Vec<(String, Ty, Ty)>,
    plain: bool,
}

const INT_BITS: [u32; 4] = [8, 16, 32, 64];

impl Generator {
    fn module(&mut self) -> String {
        let mut functions = String::new();
        for number in 0..self.random.below(3) {
            let (a, b) = (self.wide(), self.wide());
            let header = format!(
                "define internal {} @sub{number}({} %a, {} %b) noinline {{\nentry:\n",
                a.text(),
                a.text(),
                b.text()
            );
            self.values = vec![("%a".into(), a), ("%b".into(), b)];
            self.block = "entry".to_string();
            for _ in 0..self.random.below(5) + 2 {
                self.statement();
            }
            let result = self.of(a);
            let body = std::mem::take(&mut self.out);
            let _ = write!(
                functions,
                "{header}{body}  ret {} {result}\n}}\n\n",
                a.text()
            );
            self.subroutines.push((format!("@sub{number}"), a, b));
        }
        self.block = "entry".to_string();
        self.values.clear();
        self.kernel();
        let body = std::mem::take(&mut self.out);
        let mut text = "target datalayout = \"e-p:64:64-i64:64-n8:16:32\"\ntarget triple = \"spir64-unknown-unknown\"\n\n".to_string();
        for declaration in &self.declared {
            text.push_str(declaration);
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&functions);
        text.push_str("define spir_kernel void @k(i8 addrspace(1)* %in, i8 addrspace(1)* %out) #0 {\nentry:\n");
        text.push_str(&body);
        text.push_str("}\n\nattributes #0 = { noinline nounwind \"VCFunction\" }\n");
        text
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// Writes an instruction with a result that others can use.
    fn def(&mut self, ty: Ty, text: &str) -> String {
        let name = self.hidden(text);
        self.values.push((name.clone(), ty));
        name
    }

    /// Writes an instruction whose result only this step uses.
    fn hidden(&mut self, text: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {text}"));
        name
    }

    fn call(&mut self, result: &str, name: &str, params: &[(String, String)]) -> String {
        let types: Vec<&str> = params.iter().map(|(ty, _)| ty.as_str()).collect();
        self.declared
            .insert(format!("declare {result} @{name}({})", types.join(", ")));
        let args: Vec<String> = params
            .iter()
            .map(|(ty, value)| format!("{ty} {value}"))
            .collect();
        format!("call {result} @{name}({})", args.join(", "))
    }

    /// A vector type of integers.
    fn wide(&mut self) -> Ty {
        let bits = self.random.pick(&INT_BITS);
        let most = (8 * MAX_BYTES / bits).min(64);
        let count = match self.random.below(3) {
            0 => self.random.below(most) + 1,
            _ => 1 << self.random.below(most.ilog2() + 1),
        };
        Ty {
            count: self.length(count),
            bits,
        }
    }

    /// Elements that a vector of so many can have.
    fn length(&self, count: u32) -> u32 {
        count.max(if self.plain { 4 } else { 1 })
    }

    /// A constant of a type.
    fn constant(&mut self, ty: Ty) -> String {
        let one = |random: &mut Random| {
            let bits = random.next();
            let number = match random.below(3) {
                0 => bits % 8,
                1 => bits,
                _ => bits % 256,
            };
            let shift = 64 - ty.bits;
            match ty.bits {
                1 => (number & 1 != 0).to_string(),
                _ => ((number << shift).cast_signed() >> shift).to_string(),
            }
        };
        match ty.count {
            0 => one(&mut self.random),
            n => {
                let splat = self.random.below(2) == 0;
                let first = one(&mut self.random);
                let all = (0..n).map(|_| {
                    if splat {
                        first.clone()
                    } else {
                        one(&mut self.random)
                    }
                });
                let all: Vec<String> = all.map(|c| format!("i{} {c}", ty.bits)).collect();
                format!("<{}>", all.join(", "))
            }
        }
    }

    /// A constant whose elements are equal.
    fn splat(&self, ty: Ty, value: u64) -> String {
        match ty.count {
            0 => value.to_string(),
            n => format!(
                "<{}>",
                vec![format!("i{} {value}", ty.bits); n as usize].join(", ")
            ),
        }
    }

    /// A value with a property, one of the later ones preferred.
    fn find(&mut self, is: impl Fn(Ty) -> bool) -> Option<(String, Ty)> {
        let found: Vec<usize> = (0..self.values.len())
            .filter(|i| is(self.values[*i].1))
            .collect();
        let last = found.len().checked_sub(1)?;
        let at = last
            - (self
                .random
                .below(last as u32 + 1)
                .min(self.random.below(last as u32 + 1))) as usize;
        Some(self.values[found[at]].clone())
    }

    /// A vector of integers.
    fn vector(&mut self) -> (String, Ty) {
        let found = self.find(|ty| ty.bits > 1 && ty.count > 0);
        found.unwrap_or_else(|| {
            let ty = Ty {
                count: 16,
                bits: 32,
            };
            (self.constant(ty), ty)
        })
    }

    /// A value of a type: one that is there, one that is made of another, or a constant.
    fn of(&mut self, ty: Ty) -> String {
        if self.random.below(8) > 0
            && let Some((name, _)) = self.find(|other| other == ty)
        {
            return name;
        }
        if ty.bits == 1 {
            if self.random.below(3) == 0 {
                return self.constant(ty);
            }
            let of = Ty {
                count: ty.count,
                bits: 32,
            };
            let (a, b) = (self.of(of), self.constant(of));
            let rel = self.random.pick(&RELATIONS);
            return self.def(ty, &format!("icmp {rel} {} {a}, {b}", of.text()));
        }
        let same =
            self.find(|other| other.count == ty.count && other.bits > 1 && other.bits != ty.bits);
        match same {
            Some((name, from)) if self.random.below(4) > 0 => self.resize(&name, from, ty),
            _ if ty.count > 1 && self.random.below(3) > 0 => {
                let (from, of) = self.vector();
                if of.bits == ty.bits && of.count >= ty.count {
                    let (region, offset) = self.region(of, ty.count, true);
                    return self.read_region(&from, of, ty, &region, &offset);
                }
                self.constant(ty)
            }
            _ => self.constant(ty),
        }
    }

    fn resize(&mut self, name: &str, from: Ty, to: Ty) -> String {
        let op = match from.bits > to.bits {
            true => "trunc",
            false if self.plain => "zext",
            false => self.random.pick(&["zext", "sext"]),
        };
        self.def(to, &format!("{op} {} {name} to {}", from.text(), to.text()))
    }

    /// A scalar condition.
    fn condition(&mut self) -> String {
        if self.random.below(3) == 0
            && let Some((predicate, ty)) = self.find(|ty| ty.bits == 1 && ty.count > 1)
        {
            let which = self.random.pick(&["any", "all"]);
            let call = self.call(
                "i1",
                &format!("llvm.genx.{which}.{}", ty.mangled()),
                &[(ty.text(), predicate)],
            );
            return self.def(Ty { count: 0, bits: 1 }, &call);
        }
        let ty = Ty { count: 0, bits: 32 };
        let (a, b) = (self.scalar(ty), self.constant(ty));
        let rel = self.random.pick(&RELATIONS);
        self.def(
            Ty { count: 0, bits: 1 },
            &format!("icmp {rel} i32 {a}, {b}"),
        )
    }

    /// A scalar of a type, an element of a vector.
    fn scalar(&mut self, ty: Ty) -> String {
        let (from, of) = match self.find(|other| other.bits == ty.bits && other.count > 0) {
            Some(found) => found,
            None => return self.constant(ty),
        };
        let index = self.random.below(of.count);
        self.def(
            ty,
            &format!("extractelement {} {from}, i32 {index}", of.text()),
        )
    }

    /// Parameters of a region of so many elements in a vector, and its offset, as text.
    fn region(&mut self, of: Ty, count: u32, read: bool) -> (String, String) {
        let widths: Vec<u32> = (1..=count).filter(|w| count.is_multiple_of(*w)).collect();
        let size = of.bits / 8;
        for _ in 0..16 {
            let width = self.random.pick(&widths);
            let rows = count / width;
            let stride = match width {
                1 => self.random.pick(&[0, 1]),
                _ => self
                    .random
                    .below((of.count - 1) / (width - 1).max(1) + 1)
                    .min(8),
            };
            let span = (width - 1) * stride + 1;
            if span > of.count {
                continue;
            }
            let most = if rows == 1 {
                of.count
            } else {
                (of.count - span) / (rows - 1)
            };
            let vstride = match rows {
                1 => 0,
                _ => self.random.below(most + 1),
            };
            // The result of elements that are written twice would depend on the order.
            let apart = (width == 1 || stride > 0) && (rows == 1 || vstride >= span);
            if !read && !apart {
                continue;
            }
            let last = (rows - 1) * vstride + span;
            let start = self.random.below(of.count - last + 1);
            let text = format!("i32 {vstride}, i32 {width}, i32 {stride}");
            let free = of.count - last + 1;
            let offset = match self.random.below(4) {
                0 if free > 1 => {
                    // A place below a power of two.
                    let mask = (1 << free.ilog2()) - 1;
                    let word = self.scalar(Ty { count: 0, bits: 16 });
                    let index = self.hidden(&format!("and i16 {word}, {mask}"));
                    self.hidden(&format!("mul i16 {index}, {size}"))
                }
                _ => (start * size).to_string(),
            };
            return (text, offset);
        }
        let start = self.random.below(of.count - count + 1);
        (
            format!("i32 0, i32 {count}, i32 1"),
            (start * size).to_string(),
        )
    }

    fn read_region(&mut self, from: &str, of: Ty, to: Ty, region: &str, offset: &str) -> String {
        let name = format!("llvm.genx.rdregioni.{}.{}.i16", to.mangled(), of.mangled());
        self.declared.insert(format!(
            "declare {} @{name}({}, i32, i32, i32, i16, i32)",
            to.text(),
            of.text()
        ));
        let call = format!(
            "call {} @{name}({} {from}, {region}, i16 {offset}, i32 undef)",
            to.text(),
            of.text()
        );
        self.def(to, &call)
    }

    fn write_region(
        &mut self,
        into: &str,
        of: Ty,
        new: &str,
        part: Ty,
        place: &(String, String),
        mask: Option<&str>,
    ) -> String {
        let (region, offset) = place;
        let mask_ty = Ty {
            count: if mask.is_some() { part.count } else { 0 },
            bits: 1,
        };
        let name = format!(
            "llvm.genx.wrregioni.{}.{}.i16.{}",
            of.mangled(),
            part.mangled(),
            mask_ty.mangled()
        );
        self.declared.insert(format!(
            "declare {} @{name}({}, {}, i32, i32, i32, i16, i32, {})",
            of.text(),
            of.text(),
            part.text(),
            mask_ty.text()
        ));
        let call = format!(
            "call {} @{name}({} {into}, {} {new}, {region}, i16 {offset}, i32 undef, {} {})",
            of.text(),
            of.text(),
            part.text(),
            mask_ty.text(),
            mask.unwrap_or("true")
        );
        self.def(of, &call)
    }

    /// One step at random.
    fn statement(&mut self) {
        match self.random.below(20) {
            0..=4 => self.arithmetic(),
            5..=7 => self.reading(),
            8..=10 => self.writing(),
            11 => self.compare(),
            12 => self.choose(),
            13 => self.convert(),
            14 => self.element(),
            15 => self.shuffle(),
            16 => self.function(),
            17 => self.predicate(),
            18 => self.subroutine(),
            _ => self.control(),
        }
    }

    fn control(&mut self) {
        if self.depth >= 2 {
            return self.arithmetic();
        }
        self.depth += 1;
        match self.random.below(3) {
            0 => self.branch(),
            1 => self.repeat(),
            _ => self.divergent(),
        }
        self.depth -= 1;
    }

    fn arithmetic(&mut self) {
        let (a, ty) = self.vector();
        let text = ty.text();
        let op = self.random.pick(&[
            "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "sdiv", "urem",
            "srem",
        ]);
        let mut b = self.of(ty);
        match op {
            "shl" | "lshr" | "ashr" => {
                let most = if self.plain { 8 } else { ty.bits };
                let mask = self.splat(ty, u64::from(most - 1));
                b = self.hidden(&format!("and {text} {b}, {mask}"));
            }
            // There is no division of 64-bit integers.
            "udiv" | "sdiv" | "urem" | "srem" if ty.bits == 64 || self.plain && ty.bits == 8 => {
                self.def(ty, &format!("sub {text} {a}, {b}"));
                return;
            }
            "udiv" | "sdiv" | "urem" | "srem" => {
                let (mask, one) = (self.splat(ty, 0x7f), self.splat(ty, 1));
                let small = self.hidden(&format!("and {text} {b}, {mask}"));
                b = self.hidden(&format!("or {text} {small}, {one}"));
            }
            _ => {}
        }
        self.def(ty, &format!("{op} {text} {a}, {b}"));
    }

    fn reading(&mut self) {
        let (from, of) = self.vector();
        let most = (8 * MAX_BYTES / of.bits).min(64);
        let count = match self.random.below(3) {
            0 => self.random.below(most.min(of.count)) + 1,
            1 => self.random.below(most) + 1,
            _ => 1 << self.random.below(most.min(of.count).ilog2() + 1),
        };
        let count = self.length(count);
        if count > of.count {
            // Only a region that reads elements twice can be larger.
            let offset = self.random.below(of.count) * (of.bits / 8);
            let to = Ty {
                count,
                bits: of.bits,
            };
            self.read_region(
                &from,
                of,
                to,
                &format!("i32 0, i32 {count}, i32 0"),
                &offset.to_string(),
            );
            return;
        }
        let to = Ty {
            count,
            bits: of.bits,
        };
        let (region, offset) = self.region(of, count, true);
        self.read_region(&from, of, to, &region, &offset);
    }

    fn writing(&mut self) {
        let (into, of) = self.vector();
        let count = self.random.below(of.count) + 1;
        let count = self.length(count);
        let part = Ty {
            count,
            bits: of.bits,
        };
        let new = self.of(part);
        if self.plain && new.starts_with('<') {
            return self.arithmetic();
        }
        let place = self.region(of, count, false);
        let mask = match self.random.below(3) {
            0 if count > 1 => Some(self.of(Ty { count, bits: 1 })),
            _ => None,
        };
        self.write_region(&into, of, &new, part, &place, mask.as_deref());
    }

    fn compare(&mut self) {
        let (a, ty) = self.vector();
        let b = self.of(ty);
        let rel = self.random.pick(&RELATIONS);
        let to = Ty {
            count: ty.count,
            bits: 1,
        };
        self.def(to, &format!("icmp {rel} {} {a}, {b}", ty.text()));
    }

    fn choose(&mut self) {
        let (a, ty) = self.vector();
        let b = self.of(ty);
        let condition = match self.random.below(4) {
            0 => Ty { count: 0, bits: 1 },
            _ => Ty {
                count: ty.count,
                bits: 1,
            },
        };
        let c = match condition.count {
            0 => self.condition(),
            _ => self.of(condition),
        };
        let (text, c_text) = (ty.text(), condition.text());
        self.def(ty, &format!("select {c_text} {c}, {text} {a}, {text} {b}"));
    }

    fn convert(&mut self) {
        let (a, ty) = self.vector();
        let bits = self.random.pick(&INT_BITS);
        if bits == ty.bits {
            return self.arithmetic();
        }
        let total = ty.count * ty.bits;
        let to = Ty {
            count: ty.count,
            bits,
        };
        let parts = total / bits;
        if self.random.below(2) == 0
            && total % bits == 0
            && parts <= 64
            && parts == self.length(parts)
        {
            let to = Ty {
                count: total / bits,
                bits,
            };
            self.def(to, &format!("bitcast {} {a} to {}", ty.text(), to.text()));
        } else if to.bytes() <= MAX_BYTES {
            self.resize(&a, ty, to);
        }
    }

    fn element(&mut self) {
        let (a, ty) = self.vector();
        let one = Ty {
            count: 0,
            bits: ty.bits,
        };
        let index = match self.random.below(2) {
            0 => self.random.below(ty.count).to_string(),
            _ => {
                let word = self.scalar(Ty { count: 0, bits: 32 });
                let mask = (1 << ty.count.ilog2()) - 1;
                self.hidden(&format!("and i32 {word}, {mask}"))
            }
        };
        let text = ty.text();
        if self.random.below(2) == 0 {
            self.def(one, &format!("extractelement {text} {a}, i32 {index}"));
        } else {
            let value = self.scalar(one);
            self.def(
                ty,
                &format!(
                    "insertelement {text} {a}, i{} {value}, i32 {index}",
                    ty.bits
                ),
            );
        }
    }

    fn shuffle(&mut self) {
        let (a, ty) = self.vector();
        let b = self.of(ty);
        let most = (8 * MAX_BYTES / ty.bits).min(64);
        let count = self.random.below(most) + 1;
        let count = self.length(count);
        let (from, step) = (self.random.below(2 * ty.count), self.random.below(4));
        let regular = self.random.below(2) == 0;
        let mask = (0..count).map(|i| match regular {
            true => (from + i * step) % (2 * ty.count),
            false => self.random.below(2 * ty.count),
        });
        let mask: Vec<String> = mask.map(|m| format!("i32 {m}")).collect();
        let text = ty.text();
        let to = Ty {
            count,
            bits: ty.bits,
        };
        self.def(
            to,
            &format!(
                "shufflevector {text} {a}, {text} {b}, <{count} x i32> <{}>",
                mask.join(", ")
            ),
        );
    }

    fn function(&mut self) {
        let (a, ty) = self.vector();
        let (text, mangled) = (ty.text(), ty.mangled());
        let all = [
            "smin",
            "smax",
            "umin",
            "umax",
            "sadd.sat",
            "ssub.sat",
            "uadd.sat",
            "usub.sat",
            "abs",
            "ctpop",
            "ctlz",
            "cttz",
            "bswap",
            "bitreverse",
            "fshl",
            "fshr",
        ];
        const PLAIN: usize = 4;
        let name = match self.plain {
            true => self.random.pick(&all[..PLAIN]),
            false => self.random.pick(&all),
        };
        if name == "bswap" && ty.bits == 8 {
            return;
        }
        let mut params = vec![(text.clone(), a)];
        match name {
            "abs" | "ctlz" | "cttz" => params.push(("i1".into(), "false".into())),
            "ctpop" | "bswap" | "bitreverse" => {}
            "fshl" | "fshr" => {
                params.push((text.clone(), self.of(ty)));
                params.push((text.clone(), self.of(ty)));
            }
            _ => params.push((text.clone(), self.of(ty))),
        }
        let call = self.call(&text, &format!("llvm.{name}.{mangled}"), &params);
        self.def(ty, &call);
    }

    fn predicate(&mut self) {
        let Some((a, ty)) = self.find(|ty| ty.bits == 1 && ty.count > 0) else {
            return self.compare();
        };
        let text = ty.text();
        match self.random.below(5) {
            0 => {
                let op = self.random.pick(&["and", "or", "xor"]);
                let b = self.of(ty);
                self.def(ty, &format!("{op} {text} {a}, {b}"));
            }
            1 => {
                let bits = self.random.pick(&INT_BITS);
                let to = Ty {
                    count: ty.count,
                    bits,
                };
                if to.bytes() <= MAX_BYTES {
                    let op = self.random.pick(&["zext", "sext"]);
                    self.def(to, &format!("{op} {text} {a} to {}", to.text()));
                }
            }
            2 if matches!(ty.count, 8 | 16 | 32) && !self.plain => {
                let to = Ty {
                    count: 0,
                    bits: ty.count,
                };
                let number = self.hidden(&format!("bitcast {text} {a} to {}", to.text()));
                let one = Ty {
                    count: 1,
                    bits: ty.count,
                };
                self.def(
                    one,
                    &format!("bitcast {} {number} to {}", to.text(), one.text()),
                );
            }
            3 if matches!(ty.count, 16 | 32) => {
                let half = Ty {
                    count: ty.count / 2,
                    bits: 1,
                };
                let from = half.count * self.random.below(2);
                let name = format!("llvm.genx.rdpredregion.{}.{}", half.mangled(), ty.mangled());
                let call = self.call(
                    &half.text(),
                    &name,
                    &[(text, a), ("i32".into(), from.to_string())],
                );
                self.def(half, &call);
            }
            4 if matches!(ty.count, 16 | 32) && !self.plain => {
                let half = Ty {
                    count: ty.count / 2,
                    bits: 1,
                };
                let from = half.count * self.random.below(2);
                let new = self.of(half);
                let name = format!("llvm.genx.wrpredregion.{}.{}", ty.mangled(), half.mangled());
                let params = [
                    (text.clone(), a),
                    (half.text(), new),
                    ("i32".into(), from.to_string()),
                ];
                let call = self.call(&text, &name, &params);
                self.def(ty, &call);
            }
            _ => {
                self.condition();
            }
        }
    }

    fn subroutine(&mut self) {
        if self.subroutines.is_empty() {
            return self.arithmetic();
        }
        let (name, a, b) =
            self.subroutines[self.random.below(self.subroutines.len() as u32) as usize].clone();
        let (x, y) = (self.of(a), self.of(b));
        self.def(
            a,
            &format!(
                "call {} {name}({} {x}, {} {y})",
                a.text(),
                a.text(),
                b.text()
            ),
        );
    }

    fn label(&mut self, label: &str) {
        let _ = writeln!(self.out, "{label}:");
        self.block = label.to_string();
    }

    /// Names of blocks that belong together.
    fn labels<const N: usize>(&mut self, names: [&str; N]) -> [String; N] {
        self.next += 1;
        names.map(|name| format!("{name}{}", self.next))
    }

    fn body(&mut self) {
        for _ in 0..self.random.below(5) + 1 {
            self.statement();
        }
    }

    /// If and else with a scalar condition; phis where they meet.
    fn branch(&mut self) {
        let condition = self.condition();
        let [yes, no, end] = self.labels(["yes", "no", "end"]);
        self.line(&format!("br i1 {condition}, label %{yes}, label %{no}"));
        let known = self.values.len();
        let types: Vec<Ty> = (0..self.random.below(3) + 1)
            .map(|_| self.vector().1)
            .collect();
        let mut arms = Vec::new();
        for label in [&yes, &no] {
            self.label(label);
            self.body();
            let results: Vec<String> = types.iter().map(|ty| self.of(*ty)).collect();
            arms.push((results, self.block.clone()));
            self.line(&format!("br label %{end}"));
            self.values.truncate(known);
        }
        self.label(&end);
        for (i, ty) in types.iter().enumerate() {
            let text = format!(
                "phi {} [ {}, %{} ], [ {}, %{} ]",
                ty.text(),
                arms[0].0[i],
                arms[0].1,
                arms[1].0[i],
                arms[1].1
            );
            self.def(*ty, &text);
        }
    }

    /// A loop of a few rounds with vectors that change.
    fn repeat(&mut self) {
        let rounds = match self.random.below(2) {
            0 => (self.random.below(4) + 1).to_string(),
            _ => {
                let word = self.scalar(Ty { count: 0, bits: 32 });
                let small = self.hidden(&format!("and i32 {word}, 3"));
                self.hidden(&format!("add i32 {small}, 1"))
            }
        };
        let [head] = self.labels(["loop"]);
        let types: Vec<Ty> = (0..self.random.below(3) + 1)
            .map(|_| self.vector().1)
            .collect();
        let starts: Vec<String> = types.iter().map(|ty| self.of(*ty)).collect();
        let before = self.block.clone();
        self.line(&format!("br label %{head}"));
        let known = self.values.len();
        let outer = std::mem::take(&mut self.out);
        let count = self.name();
        let phis: Vec<String> = types.iter().map(|_| self.name()).collect();
        for (name, ty) in phis.iter().zip(&types) {
            self.values.push((name.clone(), *ty));
        }
        self.block.clone_from(&head);
        self.body();
        let nexts: Vec<String> = types.iter().map(|ty| self.of(*ty)).collect();
        let less = self.hidden(&format!("add i32 {count}, -1"));
        let done = self.hidden(&format!("icmp eq i32 {less}, 0"));
        let last = self.block.clone();
        let [end] = self.labels(["after"]);
        self.line(&format!("br i1 {done}, label %{end}, label %{head}"));
        let body = std::mem::replace(&mut self.out, outer);
        let _ = writeln!(self.out, "{head}:");
        self.line(&format!(
            "{count} = phi i32 [ {rounds}, %{before} ], [ {less}, %{last} ]"
        ));
        for (i, ty) in types.iter().enumerate() {
            let text = format!(
                "{} = phi {} [ {}, %{before} ], [ {}, %{last} ]",
                phis[i],
                ty.text(),
                starts[i],
                nexts[i]
            );
            self.line(&text);
        }
        self.out.push_str(&body);
        self.values.truncate(known);
        self.label(&end);
        for (next, ty) in nexts.iter().zip(&types) {
            // A constant is no value of the loop.
            if next.starts_with('%') {
                self.values.push((next.clone(), *ty));
            }
        }
    }

    /// A nest of goto and join over channels, in which a vector changes where a channel is on.
    fn divergent(&mut self) {
        let count = self.random.pick(&[8, 16, 32]);
        let bits = if count == 32 {
            32
        } else {
            self.random.pick(&[16, 32])
        };
        let ty = Ty { count, bits };
        let start = self.of(ty);
        let ones = self
            .splat(Ty { count: 32, bits: 1 }, 1)
            .replace("i1 1", "i1 true");
        let depth = self.random.below(2) + 1;
        let result = self.channels(ty, &start, &ones, depth);
        self.values.push((result.0, ty));
    }

    /// If and else, or a loop, of channels; gives the vector and the mask behind it.
    fn channels(&mut self, ty: Ty, start: &str, em: &str, depth: u32) -> (String, String) {
        match self.random.below(2) {
            0 => self.channel_branch(ty, start, em, depth),
            _ => self.channel_loop(ty, start, em),
        }
    }

    fn goto(&mut self, count: u32, em: &str, rm: &str, condition: &str) -> [String; 3] {
        let narrow = Ty { count, bits: 1 };
        let whole = format!("{{ <32 x i1>, {}, i1 }}", narrow.text());
        let name = format!(
            "llvm.genx.simdcf.goto.v32i1.{}.{}",
            narrow.mangled(),
            narrow.mangled()
        );
        let params = [
            ("<32 x i1>".to_string(), em.to_string()),
            (narrow.text(), rm.to_string()),
            (narrow.text(), condition.to_string()),
        ];
        let call = self.call(&whole, &name, &params);
        let result = self.hidden(&call);
        [0, 1, 2].map(|i| self.hidden(&format!("extractvalue {whole} {result}, {i}")))
    }

    fn join(&mut self, count: u32, em: &str, rm: &str) -> [String; 2] {
        let narrow = Ty { count, bits: 1 };
        let name = format!("llvm.genx.simdcf.join.v32i1.{}", narrow.mangled());
        let params = [
            ("<32 x i1>".to_string(), em.to_string()),
            (narrow.text(), rm.to_string()),
        ];
        let call = self.call("{ <32 x i1>, i1 }", &name, &params);
        let result = self.hidden(&call);
        [0, 1].map(|i| self.hidden(&format!("extractvalue {{ <32 x i1>, i1 }} {result}, {i}")))
    }

    /// The first channels of the execution mask.
    fn narrow(&mut self, count: u32, em: &str) -> String {
        if count == 32 {
            return em.to_string();
        }
        let mask: Vec<String> = (0..count).map(|i| format!("i32 {i}")).collect();
        self.hidden(&format!(
            "shufflevector <32 x i1> {em}, <32 x i1> undef, <{count} x i32> <{}>",
            mask.join(", ")
        ))
    }

    /// A vector that changes where a channel is on.
    fn masked_step(&mut self, ty: Ty, old: &str, em: &str) -> String {
        let mask = self.narrow(ty.count, em);
        let op = self.random.pick(&["add", "xor", "mul", "sub"]);
        let by = self.of(ty);
        let new = self.hidden(&format!("{op} {} {old}, {by}", ty.text()));
        let place = (format!("i32 0, i32 {}, i32 1", ty.count), "0".to_string());
        self.write_region(old, ty, &new, ty, &place, Some(&mask))
    }

    fn channel_branch(&mut self, ty: Ty, start: &str, em: &str, depth: u32) -> (String, String) {
        let count = ty.count;
        let predicate = Ty { count, bits: 1 };
        let (limit, rel) = (self.constant(ty), self.random.pick(&RELATIONS));
        let condition = self.hidden(&format!("icmp {rel} {} {start}, {limit}", ty.text()));
        let [yes, no, both, end] = self.labels(["then", "else", "otherwise", "endif"]);
        let zero = "zeroinitializer";
        let [em1, rm1, none1] = self.goto(count, em, zero, &condition);
        let before = self.block.clone();
        self.line(&format!("br i1 {none1}, label %{no}, label %{yes}"));
        let known = self.values.len();
        self.label(&yes);
        let mut taken = self.masked_step(ty, start, &em1);
        let mut em_taken = em1.clone();
        if depth > 1 {
            (taken, em_taken) = self.channels(ty, &taken, &em1, depth - 1);
        }
        let off = vec!["i1 false"; count as usize].join(", ");
        let [em2, rm2, none2] = self.goto(count, &em_taken, zero, &format!("<{off}>"));
        let from = self.block.clone();
        self.line(&format!("br i1 {none2}, label %{no}, label %{both}"));
        self.values.truncate(known);
        // All channels have left: this block is there for the form's sake.
        self.label(&both);
        self.line(&format!("br label %{no}"));
        self.label(&no);
        let phi = |this: &mut Self, ty: Ty, a: &str, b: &str| {
            this.hidden(&format!(
                "phi {} [ {a}, %{before} ], [ {b}, %{from} ], [ {b}, %{both} ]",
                ty.text()
            ))
        };
        let wide = Ty { count: 32, bits: 1 };
        let vector = phi(self, ty, start, &taken);
        let em3 = phi(self, wide, &em1, &em2);
        let rm_end = phi(self, predicate, zero, &rm2);
        let [em4, none4] = self.join(count, &em3, &rm1);
        let before = self.block.clone();
        let [other] = self.labels(["rest"]);
        self.line(&format!("br i1 {none4}, label %{end}, label %{other}"));
        self.label(&other);
        let changed = self.masked_step(ty, &vector, &em4);
        self.values.truncate(known);
        let last = self.block.clone();
        self.line(&format!("br label %{end}"));
        self.label(&end);
        let result = self.hidden(&format!(
            "phi {} [ {vector}, %{before} ], [ {changed}, %{last} ]",
            ty.text()
        ));
        let [em5, _] = self.join(count, &em4, &rm_end);
        (result, em5)
    }

    /// A loop that each channel leaves after rounds of its own.
    fn channel_loop(&mut self, ty: Ty, start: &str, em: &str) -> (String, String) {
        let count = ty.count;
        let text = ty.text();
        let predicate = Ty { count, bits: 1 };
        let (mask, one) = (self.splat(ty, 3), self.splat(ty, 1));
        let rounds = self.of(ty);
        let rounds = self.hidden(&format!("and {text} {rounds}, {mask}"));
        let [head, end] = self.labels(["round", "left"]);
        let before = self.block.clone();
        self.line(&format!("br label %{head}"));
        let known = self.values.len();
        self.label(&head);
        let names: Vec<String> = (0..4).map(|_| self.name()).collect();
        let place = self.out.len();
        let changed = self.masked_step(ty, &names[0], &names[2]);
        let less = self.hidden(&format!("sub {text} {}, {one}", names[1]));
        let again = self.hidden(&format!("icmp sgt {text} {less}, zeroinitializer"));
        let [em2, rm2, none] = self.goto(count, &names[2], &names[3], &again);
        self.line(&format!("br i1 {none}, label %{end}, label %{head}"));
        let phis = [
            (text.clone(), start.to_string(), changed.clone()),
            (text, rounds, less),
            ("<32 x i1>".to_string(), em.to_string(), em2.clone()),
            (predicate.text(), "zeroinitializer".to_string(), rm2.clone()),
        ];
        let mut lines = String::new();
        for (name, (ty, first, next)) in names.iter().zip(phis) {
            let _ = writeln!(
                lines,
                "  {name} = phi {ty} [ {first}, %{before} ], [ {next}, %{head} ]"
            );
        }
        self.out.insert_str(place, &lines);
        self.values.truncate(known);
        self.label(&end);
        let [em3, _] = self.join(count, &em2, &rm2);
        (changed, em3)
    }

    fn kernel(&mut self) {
        let call = self.call("i32", "llvm.genx.group.id.x", &[]);
        let group = self.hidden(&call);
        let mut bases = Vec::new();
        for (param, bytes) in [("%in", IN_BYTES), ("%out", OUT_BYTES)] {
            let offset = self.hidden(&format!("mul i32 {group}, {bytes}"));
            let offset = self.hidden(&format!("zext i32 {offset} to i64"));
            let base = self.hidden(&format!("ptrtoint i8 addrspace(1)* {param} to i64"));
            bases.push(self.hidden(&format!("add i64 {base}, {offset}")));
        }
        for part in 0..4 {
            let bits = self.random.pick(&INT_BITS);
            let ty = Ty {
                count: (1024 / bits).min(64),
                bits,
            };
            let at = self.hidden(&format!("add i64 {}, {}", bases[0], 128 * part));
            let name = format!("llvm.genx.svm.block.ld.unaligned.{}.i64", ty.mangled());
            let call = self.call(&ty.text(), &name, &[("i64".into(), at)]);
            self.def(ty, &call);
        }
        for _ in 0..self.random.below(20) + 6 {
            self.statement();
        }
        self.results(&bases[1]);
    }

    /// Writes the last vectors, each into a slot of its own.
    fn results(&mut self, base: &str) {
        let vectors = self.values.iter().rev().filter(|(_, ty)| ty.count > 0);
        let last: Vec<_> = vectors.take(OUT_BYTES / SLOT as usize).cloned().collect();
        for (slot, (mut name, mut ty)) in (0u32..).zip(last) {
            if ty.bits == 1 {
                let to = Ty {
                    count: ty.count,
                    bits: 8,
                };
                name = self.hidden(&format!("zext {} {name} to {}", ty.text(), to.text()));
                ty = to;
            }
            // A block has a size that is a power of two.
            let bytes = ty.bytes().next_power_of_two().clamp(16, SLOT);
            let whole = Ty {
                count: 8 * bytes / ty.bits,
                bits: ty.bits,
            };
            if whole != ty {
                let place = (format!("i32 0, i32 {}, i32 1", ty.count), "0".to_string());
                name = self.write_region("zeroinitializer", whole, &name, ty, &place, None);
            }
            let at = self.hidden(&format!("add i64 {base}, {}", SLOT * slot));
            let store = format!("llvm.genx.svm.block.st.i64.{}", whole.mangled());
            let call = self.call("void", &store, &[("i64".into(), at), (whole.text(), name)]);
            self.line(&call);
        }
        self.line("ret void");
    }
}

const RELATIONS: [&str; 10] = [
    "eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle",
];
