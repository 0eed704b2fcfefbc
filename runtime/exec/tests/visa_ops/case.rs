//! Random instructions of one operation, and the comparison of their results.

use std::fmt::Write;

use kiln_emit::platform::Platform;

use crate::bench::{Bench, State, VAR_BYTES, VARS};
use crate::guard::{Guard, low};
use crate::model::{Input, Modifier, Num, Relation, Stored, Ty, decode, encode, evaluate};
use crate::ops::{Mods, Row, is_made};
use crate::random::Random;
use crate::reference::{Trial, hash};

#[derive(Clone, Copy, Debug)]
pub struct Region {
    v: usize,
    w: usize,
    h: usize,
}

impl Region {
    fn element(self, lane: usize) -> usize {
        lane / self.w * self.v + lane % self.w * self.h
    }
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Var {
        var: usize,
        byte: usize,
        region: Region,
    },
    Imm(u64),
}

#[derive(Clone, Copy, Debug)]
struct Source {
    ty: Ty,
    place: Place,
    modifier: Modifier,
}

#[derive(Clone, Copy, Debug)]
struct Target {
    var: usize,
    ty: Ty,
    byte: usize,
    stride: usize,
}

/// Contents of an element after an instruction.
#[derive(Clone, Copy, Debug)]
enum Left {
    Stored(Stored),
    /// A float within the error of the hardware's functions.
    Near(f64),
}

impl Left {
    /// True if an element holds it.
    fn holds(self, ty: Ty, bits: u64) -> bool {
        let float = match decode(ty, bits) {
            Num::F(f) => f,
            Num::I(i) => i as f64,
        };
        match self {
            Left::Stored(Stored::Bits(b)) if ty.is_float() && float == 0.0 => {
                b << 1 << (64 - 8 * ty.bytes()) == 0
            }
            Left::Stored(Stored::Bits(b)) => b == bits,
            Left::Stored(Stored::Nan) => float.is_nan(),
            Left::Stored(Stored::Any) => true,
            Left::Near(f) => {
                f.is_nan() && float.is_nan()
                    || f == float
                    || (float - f).abs() <= f.abs() * 1e-3 + 1e-4
            }
        }
    }
}

/// One instruction with its context.
pub struct Case {
    target: &'static Platform,
    op: &'static str,
    relation: Option<Relation>,
    near: bool,
    guard: Guard,
    /// Predicate that a compare writes instead of a variable.
    flag: Option<u32>,
    saturate: bool,
    /// Destinations in the text, followed by parts of them.
    targets: Vec<Target>,
    written: usize,
    sources: Vec<Source>,
    before: Box<State>,
}

fn place_text(var: usize, ty: Ty, byte: usize) -> String {
    format!(
        "{}_{}({},{})",
        VARS[var],
        ty.name(),
        byte / 32,
        byte % 32 / ty.bytes()
    )
}

/// A region for a number of channels, of any form the hardware knows.
fn region(r: &mut Random, n: usize) -> Region {
    if n == 1 {
        return Region { v: 0, w: 1, h: 0 };
    }
    loop {
        let region = match r.below(8) {
            0 | 1 => Region { v: 1, w: 1, h: 0 },
            2 => Region { v: 0, w: 1, h: 0 },
            3 => Region {
                v: r.of(&[2, 4]),
                w: 1,
                h: 0,
            },
            4 => {
                let w = r.of(&[2, 4, 8]);
                let h = r.of(&[1, 2]);
                Region { v: w * h, w, h }
            }
            _ => Region {
                v: r.of(&[0, 1, 2, 4, 8, 16]),
                w: r.of(&[2, 4, 8]),
                h: r.of(&[0, 1, 2, 4]),
            },
        };
        let whole = region.w == n && region.v != region.w * region.h;
        if region.w <= n && !whole && region.v <= 32 {
            return region;
        }
    }
}

impl Case {
    pub fn random(r: &mut Random, row: &Row, target: &'static Platform) -> Case {
        loop {
            if let Some(case) = Case::attempt(r, row, target) {
                return case;
            }
        }
    }

    fn attempt(r: &mut Random, row: &Row, target: &'static Platform) -> Option<Case> {
        let sizes: &[usize] = if row.sizes.is_empty() {
            &[1, 2, 4, 8, 16, 16, 32]
        } else {
            row.sizes
        };
        let mut guard = Guard::random(r, sizes)?;
        let Guard { simd, size, .. } = guard;
        let types = r.of(row.types);
        if !types.are_on(row.op, target) {
            return None;
        }
        let saturate = row.saturates && r.below(4) == 0;
        let mut sources: Vec<Source> = Vec::new();
        let mut fill = [None; 4];
        let immediate = if r.below(3) == 0 {
            r.below(types.sources.len())
        } else {
            usize::MAX
        };
        for (k, list) in types.sources.iter().enumerate() {
            let ty = r.of(list);
            if k == immediate && row.immediates {
                let place = Place::Imm(row.value(r, k, ty));
                sources.push(Source {
                    ty,
                    place,
                    modifier: Modifier::None,
                });
                continue;
            }
            let region = region(r, size);
            let last = (0..size).map(|i| region.element(i)).max().unwrap_or(0);
            let room = VAR_BYTES / ty.bytes();
            if last >= room {
                return None;
            }
            let byte = r.below(room - last) * ty.bytes();
            let to_itself =
                k < 3 && fill[3].is_none() && types.targets.len() == 1 && r.below(6) == 0;
            let var = if k == 3 || to_itself { 3 } else { k };
            if fill[var].is_some() {
                return None;
            }
            fill[var] = Some((k, ty));
            let ordered = saturate || row.mods == Mods::Ordered;
            let modifier = match row.mods {
                Mods::None => Modifier::None,
                Mods::Logic => r.of(&[Modifier::None, Modifier::None, Modifier::Not]),
                _ if ordered && !ty.is_signed() && !ty.is_float() => Modifier::None,
                _ => {
                    use Modifier::*;
                    r.of(&[None, None, None, Neg, Abs, NegAbs])
                }
            };
            sources.push(Source {
                ty,
                place: Place::Var { var, byte, region },
                modifier,
            });
        }
        let mut targets = Vec::new();
        let dst = r.of(types.targets[0]);
        let types_read: Vec<Ty> = sources.iter().map(|s| s.ty).collect();
        if !is_made(row.op, dst, &types_read, saturate, target) {
            return None;
        }
        for (k, list) in types.targets.iter().enumerate() {
            let ty = if list.contains(&dst) { dst } else { r.of(list) };
            let stride = r.of(&[1, 1, 2, 4]);
            let room = VAR_BYTES / ty.bytes();
            let last = (size - 1) * stride;
            if last >= room {
                return None;
            }
            // Half of the offsets are register starts.
            let byte = match r.below(2) {
                0 => r.below((room - last).div_ceil(32 / ty.bytes())) * 32,
                _ => r.below(room - last) * ty.bytes(),
            };
            targets.push(Target {
                var: 3 - k,
                ty,
                byte,
                stride,
            });
        }
        let written = targets.len();
        if row.upper {
            let low = targets[0];
            let bytes = low.ty.bytes();
            let behind = (size * bytes).next_multiple_of(32);
            let end = (size - 1) * low.stride * bytes + bytes;
            if end > behind || low.byte + behind + end > VAR_BYTES {
                return None;
            }
            targets.push(Target {
                byte: low.byte + behind,
                ..low
            });
        }
        guard.pred = match r.below(3) {
            _ if matches!(row.op, "cmp" | "min" | "max") => None,
            0 if row.op != "sel" => None,
            _ => Some(guard.random_pred(r)),
        };
        let flag = (row.op == "cmp" && r.below(2) == 0).then(|| r.next() as u32 & low(simd.into()));
        let mut before = Box::new([[0; VAR_BYTES]; 4]);
        for (bytes, fill) in before.iter_mut().zip(fill) {
            match fill {
                Some((k, ty)) => {
                    for element in bytes.chunks_exact_mut(ty.bytes()) {
                        let bits = row.value(r, k, ty).to_le_bytes();
                        element.copy_from_slice(&bits[..ty.bytes()]);
                    }
                }
                None => bytes.iter_mut().for_each(|b| *b = r.next() as u8),
            }
        }
        Some(Case {
            target,
            op: row.op,
            relation: (row.op == "cmp").then(|| r.of(&Relation::ALL)),
            near: row.near,
            guard: Guard {
                no_mask: r.below(4) == 0,
                ..guard
            },
            flag,
            saturate,
            targets,
            written,
            sources,
            before,
        })
    }

    /// The instruction as text.
    pub fn text(&self) -> String {
        let mut text = self.guard.prefix();
        text.push_str(self.op);
        if let Some(relation) = self.relation {
            let _ = write!(text, ".{}", relation.name());
        }
        if self.saturate {
            text.push_str(".sat");
        }
        let _ = write!(text, " {}", self.guard.channels());
        if self.flag.is_some() {
            text.push_str(" P3");
        }
        let targets = self.targets.iter().take(self.written);
        for t in targets.filter(|_| self.flag.is_none()) {
            let _ = write!(text, " {}<{}>", place_text(t.var, t.ty, t.byte), t.stride);
        }
        for s in &self.sources {
            match s.place {
                Place::Imm(bits) => {
                    let _ = write!(text, " {bits:#x}:{}", s.ty.name());
                }
                Place::Var {
                    var,
                    byte,
                    region: Region { v, w, h },
                } => {
                    let at = place_text(var, s.ty, byte);
                    let _ = write!(text, " {}{at}<{v};{w},{h}>", s.modifier.text());
                }
            }
        }
        text
    }

    pub fn bench(&self) -> Bench {
        let simd = self.guard.simd;
        let ty = self.guard.flag_type();
        let mut body = self.guard.before();
        if let Some(flag) = self.flag {
            let _ = writeln!(body, "setp (M1_NM, {simd}) P3 {flag:#x}:{ty}");
        }
        body += &self.guard.jump();
        let _ = writeln!(body, "{}\nbehind:", self.text());
        if self.flag.is_some() {
            body.push_str("mov (M1_NM, 1) D_ud(0,0)<1> P3\n");
        }
        Bench {
            simd,
            items: self.guard.items,
            decls: self.guard.decls(),
            body,
        }
    }

    fn read(&self, source: &Source, lane: usize) -> Num {
        let bits = match source.place {
            Place::Imm(bits) => bits,
            Place::Var { var, byte, region } => {
                let at = byte + region.element(lane) * source.ty.bytes();
                element(&self.before[var], at, source.ty)
            }
        };
        source.modifier.apply(decode(source.ty, bits))
    }

    /// Expected elements: variable, byte, type, contents.
    fn expected(&self) -> Vec<(usize, usize, Ty, Left)> {
        let mut written = Vec::new();
        let mut flag = self.flag;
        for lane in 0..self.guard.size {
            let chosen = self.guard.holds(lane);
            if !self.guard.enabled(lane) || !chosen && self.op != "sel" {
                continue;
            }
            let values: Vec<Num> = self.sources.iter().map(|s| self.read(s, lane)).collect();
            let first = self.targets[0];
            let at = |t: &Target| t.byte + lane * t.stride * t.ty.bytes();
            if let Some(relation) = self.relation {
                let holds = relation.holds(values[0], values[1]);
                if let Some(flag) = &mut flag {
                    let channel = self.guard.off + lane;
                    *flag = *flag & !(1 << channel) | u32::from(holds) << channel;
                    continue;
                }
                let bits = if holds {
                    u64::MAX >> (64 - first.ty.bytes() * 8)
                } else {
                    0
                };
                let left = Left::Stored(Stored::Bits(bits));
                written.push((first.var, at(&first), first.ty, left));
                continue;
            }
            let input = Input {
                ty: first.ty,
                src: self.sources[0].ty,
                s: &values,
                chosen,
            };
            for (target, value) in self.targets.iter().zip(evaluate(self.op, input)) {
                let stored = match value {
                    Num::F(f) if self.near => Left::Near(f),
                    value => Left::Stored(encode(target.ty, value, self.saturate)),
                };
                written.push((target.var, at(target), target.ty, stored));
            }
        }
        if let Some(flag) = flag {
            // For eight elements the other bits are undefined, but stored with them.
            for byte in 0..4 {
                let own = byte * 8 < usize::from(self.guard.simd);
                let bits = Stored::Bits((flag >> (byte * 8) & 0xff).into());
                let stored = if own { bits } else { Stored::Any };
                written.push((3, byte, Ty::Ub, Left::Stored(stored)));
            }
        }
        written
    }

    /// Runs the instruction and compares its effect with the model.
    pub fn check(&self) -> Result<(), String> {
        let found = self.bench().run(self.target, &self.before)?;
        let mut expected = *self.before;
        for (var, byte, ty, stored) in self.expected() {
            let bits = element(&found[var], byte, ty);
            if !stored.holds(ty, bits) {
                return Err(format!(
                    "{}, byte {byte}: {bits:#x} found, {stored:x?} expected",
                    VARS[var]
                ));
            }
            expected[var][byte..byte + ty.bytes()]
                .copy_from_slice(&found[var][byte..byte + ty.bytes()]);
        }
        for (var, (found, expected)) in found.iter().zip(&expected).enumerate() {
            if let Some(byte) = (0..VAR_BYTES).find(|&i| found[i] != expected[i]) {
                return Err(format!("{}, byte {byte} was not to be written", VARS[var]));
            }
        }
        Ok(())
    }

    /// A hash of the elements whose results the specification defines, and of everything that the instruction does not
    /// write.
    pub fn summary(&self, found: &State) -> u64 {
        let mut known = *found;
        for (var, byte, ty, stored) in self.expected() {
            if !matches!(stored, Left::Stored(Stored::Bits(_))) {
                known[var][byte..byte + ty.bytes()].fill(0);
            } else if ty.is_float()
                && element(&known[var], byte, ty) << 1 << (64 - 8 * ty.bytes()) == 0
            {
                // Zeros of either sign are equal.
                known[var][byte..byte + ty.bytes()].fill(0);
            }
        }
        hash(known.iter().flatten())
    }

    /// Hash of the results of our code, or of other code.
    pub fn result(&self, code: Option<&[u8]>) -> Result<u64, String> {
        let bench = self.bench();
        let found = match code {
            Some(code) => bench.run_code(self.target, &self.before, code),
            None => bench.run(self.target, &self.before),
        };
        Ok(self.summary(&found?))
    }

    /// Description of a failure.
    pub fn describe(&self) -> String {
        let mut text = format!(
            "{}: {} [{}]",
            self.target.name,
            self.text(),
            self.guard.describe()
        );
        for (k, source) in self.sources.iter().enumerate() {
            let values: Vec<Num> = (0..self.guard.size)
                .map(|lane| self.read(source, lane))
                .collect();
            let _ = write!(text, "\n    source {k}: {values:?}");
        }
        text
    }
}

impl Trial for Case {
    fn text(&self) -> String {
        self.bench().text()
    }

    fn result(&self, code: Option<&[u8]>) -> Result<u64, String> {
        Case::result(self, code)
    }

    fn check(&self) -> Result<(), String> {
        Case::check(self)
    }

    fn describe(&self) -> String {
        Case::describe(self)
    }
}

pub fn element(bytes: &[u8], at: usize, ty: Ty) -> u64 {
    let mut bits = [0; 8];
    bits[..ty.bytes()].copy_from_slice(&bytes[at..at + ty.bytes()]);
    u64::from_le_bytes(bits)
}
