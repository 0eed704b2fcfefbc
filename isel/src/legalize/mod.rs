//! Legalization: from wide instructions to instructions that the target has.
//!
//! Takes machine IR in which an instruction may have any width, types and regions. Leaves instructions that the
//! hardware executes as they are written (PRM, "Register Region Restrictions", "Instruction Set Reference"), with
//! each operand in one virtual register. An operand that the hardware cannot express is copied to a temporary. A
//! destination narrower than the execution type is written through a strided temporary. An operation that is too
//! wide, or whose operands straddle registers, is cut into pieces of fewer channels. Messages, and instructions in
//! the machine's own terms (macros, products through the accumulator), stay. A legal instruction becomes one piece.

mod halves;
mod pieces;
mod places;
mod product;
mod region;
mod send;
mod small;

use kiln_emit::encoding;
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::{Base, Dst, Imm, Inst, Opcode, Reg, Src, SrcReg, VReg};
use kiln_platform::errata::Erratum;
use kiln_platform::isa::{Cond, MathFn, Op, PredCtrl, RegFile, Region, SrcMod, Type};
use kiln_platform::op::Props;
use kiln_platform::platform::Platform;
use kiln_platform::rules::{Rules, converts_halves, keeps_places, rules};
use kiln_platform::sources::Sources;
use smallvec::SmallVec;

use crate::channels::Channels;
use pieces::{Dest, Flag};
use places::Place;

/// An instruction that cannot be made legal.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}")]
pub struct LegalizeError {
    /// Index of the vISA instruction.
    pub origin: u32,
    pub what: String,
}

/// Number of instructions for which a copy is reused, and number of copies that are remembered.
const MAX_COPY_DISTANCE: usize = 256;
const MAX_COPIES: usize = 32;

type Result<T = ()> = std::result::Result<T, LegalizeError>;

/// Makes every instruction of a function legal.
///
/// # Errors
///
/// All instructions that cannot be made legal.
pub fn run(func: &mut Function) -> std::result::Result<(), Vec<LegalizeError>> {
    let blocks: Vec<Block> = func.blocks.keys().collect();
    let mut legalizer = Legalizer::new(func);
    let mut errors = Vec::new();
    for block in blocks {
        let mut insts = std::mem::take(&mut legalizer.func.blocks[block].insts);
        legalizer.copies.clear();
        legalizer.out.reserve(insts.len());
        for &inst in &insts {
            errors.extend(legalizer.inst(inst).err());
        }
        // Freed before the next allocation, so that it is reused.
        if insts.capacity() < legalizer.out.len() {
            insts = Vec::new();
            insts.reserve_exact(legalizer.out.len());
        }
        insts.clear();
        insts.extend_from_slice(&legalizer.out);
        legalizer.func.blocks[block].insts = insts;
        legalizer.out.clear();
    }
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

struct Legalizer<'a> {
    func: &'a mut Function,
    out: Vec<Inst>,
    /// The latest copies in the block, the last one last: its register, and the number of its first instruction.
    copies: Vec<(Copied, Reg, usize)>,
    origin: u32,
    /// Operations of three sources have packed or scalar operands, aligned to 16 bytes.
    align16: bool,
    rules: &'static Rules,
    /// Number of channels of which an execution mask names a group.
    channel_unit: u32,
    /// Bytes of a general register, and maximum bytes of a virtual one.
    grf: u32,
    unit: u32,
}

/// A copy of the first `count` elements of a source, as elements of a type at a place.
#[derive(Clone, Copy, PartialEq)]
struct Copied {
    from: Src,
    ty: Type,
    count: u32,
    place: Place,
}

/// The encoding of an operation's sources.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One or two sources with regions.
    Regions,
    /// The math unit: packed or scalar.
    Math,
    /// Three sources: packed or scalar.
    Three,
}

fn shape(op: Op) -> Shape {
    let props = op.props();
    if props.has(Props::MATH) {
        Shape::Math
    } else if props.has(Props::TERNARY) {
        Shape::Three
    } else {
        Shape::Regions
    }
}

/// True if an instruction is in the machine's own terms.
fn is_own_terms(op: Op, inst: &Inst) -> bool {
    op.is_send() || op.is_systolic() || op.is_macro() || op == Op::Smov || inst.symbol.is_some()
}

/// Maximum number of channels of an operation, whatever its operands.
fn widest(op: Op, exec_bytes: u32, grf_bytes: u32) -> u32 {
    match op {
        Op::Math(MathFn::Idiv | MathFn::Iqot | MathFn::Irem) => grf_bytes / 4,
        // These operations use the accumulator, which holds one register of dwords at full width.
        Op::Mach | Op::Macl | Op::Addc | Op::Subb => grf_bytes / 4,
        Op::Bfi1 | Op::Bfi2 | Op::Bfe if exec_bytes == 4 => 16,
        _ if shape(op) == Shape::Three && exec_bytes == 8 => grf_bytes / 4,
        _ => 32,
    }
}

/// Number of channels that an operation combines.
fn group(op: Op) -> u32 {
    match op {
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph => 4,
        Op::Sad2 => 2,
        _ => 1,
    }
}

/// The relation that holds after the operands are exchanged.
fn flipped(c: Cond) -> Cond {
    match c {
        Cond::Gt => Cond::Lt,
        Cond::Lt => Cond::Gt,
        Cond::Ge => Cond::Le,
        Cond::Le => Cond::Ge,
        same => same,
    }
}

/// Bytes of the execution type: that of the widest source, where bytes count as words.
fn exec_bytes(srcs: &[Src]) -> u32 {
    let one = |s: &Src| match s.ty() {
        Type::V | Type::Uv => 2,
        ty => ty.bytes().max(2),
    };
    srcs.iter().map(one).max().unwrap_or(4)
}

fn is_raw_mov(op: Op, saturate: bool, to: Type, srcs: &[Src]) -> bool {
    op == Op::Mov
        && !saturate
        && matches!(srcs, [Src::Reg(r)] if r.modifier == SrcMod::default() && is_alike(r.ty, to))
}

/// True if a source may have this type where source and destination types must be equal.
fn is_alike(from: Type, to: Type) -> bool {
    from == to || !from.is_float() && !to.is_float() && from.bytes() == to.bytes()
}

/// The type that a `mov` must go through if it cannot convert between two types in one step (PRM, "mov", type
/// restrictions; [`Erratum::HalfToInteger`]).
fn needs_step(to: Type, from: Type, target: &Platform) -> Option<Type> {
    use Type::{D, Df, F, Hf, Q, Uq, W};
    let float = to.is_float() || from.is_float();
    match (to, from) {
        (D | W, Hf) if target.needs(Erratum::HalfToInteger) => Some(F),
        (Hf, Df | Q | Uq) | (Df | Q | Uq, Hf) => Some(F),
        _ if to.bytes() == 1 && from.bytes() == 8 || to.bytes() == 8 && from.bytes() == 1 => {
            Some(if from.is_float() || !float { D } else { F })
        }
        _ => None,
    }
}

impl<'a> Legalizer<'a> {
    fn new(func: &'a mut Function) -> Legalizer<'a> {
        let rules = rules(func.target.family);
        Legalizer {
            align16: !rules.ternary.accumulators,
            rules,
            channel_unit: encoding::channel_unit(func.target).into(),
            grf: func.target.grf_bytes,
            unit: func.target.unit_bytes(),
            func,
            out: Vec::new(),
            copies: Vec::new(),
            origin: u32::MAX,
        }
    }
}

impl Legalizer<'_> {
    fn fail<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(LegalizeError {
            origin: self.origin,
            what: what.into(),
        })
    }

    /// Emits legal instructions with the effect of an instruction.
    fn inst(&mut self, inst: Inst) -> Result {
        self.origin = inst.origin;
        let (Opcode::Gen(op), Some(dst)) = (inst.op, inst.dst) else {
            self.out.push(inst);
            return Ok(());
        };
        if matches!(dst.reg.as_phys(), Some((RegFile::Control, _))) {
            // Conversions of floats depend on the mode in this register.
            self.copies.clear();
        }
        // A message is legal unless its two payloads overlap. Macros and writes of the accumulator were selected in
        // pieces that fit the accumulator.
        let mut inst = inst;
        if op.is_split_send() {
            self.apart(&mut inst);
        }
        if is_own_terms(op, &inst) {
            self.out.push(inst);
            return Ok(());
        }
        if !encoding::has(op, self.func.target) {
            let target = self.func.target.name;
            return self.fail(format!("{} on {target}", op.mnemonic()));
        }
        let channels = Channels::of(&inst);
        let mut dest = self.dest_of(&dst, inst.opts.saturate, channels.count());
        let mut cond = inst.cond.map(|c| (c.cond, Flag::new(&c, inst.pred)));
        let before = self.out.len();
        let mut srcs = inst.srcs;
        for s in &mut srcs {
            let Src::Reg(r) = *s else { continue };
            if self.overtakes(&dst, channels.count(), &r) {
                *s = self.aside(r, channels.count())?;
            }
            if s.has_modifier() && !encoding::takes_modifiers(op, self.func.target) {
                *s = self.as_type(*s, r.ty, channels.count())?;
            }
        }
        self.alu(op, channels, &mut dest, srcs, cond.as_mut())?;
        if inst.opts.switch {
            for made in &mut self.out[before..] {
                made.opts.switch = true;
            }
        }
        Ok(())
    }

    fn push(&mut self, mut inst: Inst) {
        inst.origin = self.origin;
        self.out.push(inst);
    }

    /// A temporary of `bytes` bytes.
    fn temp(&mut self, bytes: u32) -> Reg {
        if bytes <= self.unit {
            return Reg::virt(self.func.grf(bytes.next_multiple_of(4)), 0);
        }
        let count = bytes.div_ceil(self.unit);
        let part = |n: u32| (bytes - n * self.unit).min(self.unit);
        let regs: SmallVec<[VReg; 4]> = (0..count).map(|n| self.func.grf(part(n))).collect();
        Reg::new(Base::List(self.func.lists.push(regs)), 0)
    }

    /// The first `n` elements of a source as packed ones of a type.
    fn copied(&mut self, n: u32, ty: Type, src: Src) -> Result<Reg> {
        let copy = Copied {
            from: src,
            ty,
            count: n,
            place: Place::PACKED,
        };
        self.once(copy, |this| {
            let tmp = this.temp(n * ty.bytes());
            let mut dest = this.dest_of(&Dst::new(tmp, 1, ty), false, n);
            let srcs = Sources::from([src]);
            this.alu(Op::Mov, Channels::all(n as u8), &mut dest, srcs, None)?;
            Ok(tmp)
        })
    }

    /// The register of a copy: the one of an equal copy nearby, or a new one.
    fn once(&mut self, copy: Copied, make: impl FnOnce(&mut Self) -> Result<Reg>) -> Result<Reg> {
        let lasts = match copy.from {
            Src::Imm(_) => true,
            // Registers of the machine change.
            Src::Reg(r) => r.reg.as_phys().is_none() && r.indirect.is_none(),
        };
        let now = self.out.len();
        let near = |(other, _, at): &&(Copied, Reg, usize)| {
            *other == copy && now - at <= MAX_COPY_DISTANCE
        };
        if let Some(&(_, reg, _)) = self.copies.iter().find(near) {
            return Ok(reg);
        }
        let reg = make(self)?;
        if lasts {
            if self.copies.len() == MAX_COPIES {
                self.copies.remove(0);
            }
            self.copies.push((copy, reg, now));
        }
        Ok(reg)
    }

    /// Emits `dest = op(srcs)`.
    fn alu(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        mut srcs: Sources<Src>,
        mut cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        let mut channels = channels;
        if matches!(op, Op::Bfn(_) | Op::Rol | Op::Ror | Op::Bfi1 | Op::Bfi2) {
            self.unsign(op, channels.count(), dest, &mut srcs)?;
        }
        if dest.ty.is_signed() && makes_unsigned(op, &srcs) {
            let equal = |cond: Cond| matches!(cond, Cond::Eq | Cond::Ne);
            if dest.saturate || cond.as_ref().is_some_and(|cond| !equal(cond.0)) {
                return self.unsigned_first(op, channels, dest, srcs, cond);
            }
            dest.ty = dest.ty.unsigned();
        }
        if small::has_small_floats(op, dest.ty, &srcs) {
            return self.small_floats(op, channels, dest, srcs);
        }
        if matches!(op, Op::Bfrev | Op::Cbit) {
            match &mut srcs[0] {
                Src::Reg(r) => r.ty = r.ty.unsigned(),
                Src::Imm(imm) => *imm = Imm::new(imm.ty.unsigned(), imm.bits()),
            }
        }
        if let (Op::Mov, None, [Src::Reg(r)]) = (op, &cond, &mut srcs[..]) {
            self.cut_down(dest, r, channels.count());
        }
        // The type of the first source of a shift or rotation also determines how many bits of the second one count.
        let shifts = matches!(op, Op::Shl | Op::Shr | Op::Asr | Op::Rol | Op::Ror);
        for (i, s) in srcs.iter_mut().enumerate() {
            *s = narrow_imm(*s, op == Op::Mov || shifts && i == 0);
        }
        if let (true, 1 | 2, [src, Src::Imm(amount)]) = (shifts, dest.ty.bytes(), &mut srcs[..])
            && src.ty().bytes() <= 2
            && amount.bits() < 16
        {
            // A doubleword would make the operation one of doublewords, which writes no words side by side.
            *amount = Imm::new(Type::Uw, amount.bits());
        }
        let types = srcs.iter().map(Src::ty).chain([dest.ty]);
        if types.into_iter().any(|ty| self.lacks(ty)) {
            return self.in_halves(op, channels, dest, &srcs, cond);
        }
        if let (Op::Mov, Some(via)) = (op, needs_step(dest.ty, srcs[0].ty(), self.func.target)) {
            return self.in_two_steps(channels, dest, srcs, cond, via);
        }
        if matches!(op, Op::Math(_)) && channels.count() > 1 && self.spreads_halves() {
            let n = channels.count();
            for s in &mut srcs {
                let scalar = match *s {
                    Src::Reg(r) => r.step(n) == Some(0),
                    Src::Imm(_) => true,
                };
                if scalar && s.ty() == Type::Hf {
                    *s = Src::packed(self.copied(n, Type::Hf, *s)?, Type::Hf);
                }
            }
        }
        if op == Op::Mul {
            self.narrow_factors(channels.count(), dest, &mut srcs)?;
            if self.negates(dest, &mut srcs, channels.count())? {
                return self.negated_product(channels, dest, srcs, cond);
            }
            self.widen_factors(channels.count(), dest, &mut srcs)?;
            self.order_factors(channels, &mut srcs)?;
        }
        if dest.is_null() && dest.ty.bytes() == 1 && srcs.iter().any(|src| src.ty().bytes() == 8) {
            dest.ty = widened(dest.ty, 8);
        }
        self.widen_sources(op, channels.count(), dest, &mut srcs)?;
        self.widen_bytes(channels.count(), dest, &mut srcs)?;
        self.place_immediates(op, dest, &mut channels, cond.as_deref_mut(), &mut srcs)?;
        if op == Op::Mul && self.is_wide_product(&srcs) {
            return self.low_product(channels, dest, srcs, cond);
        }
        let even = dest.ty.bytes() == 1 && self.func.target.needs(Erratum::OddWordSource);
        if let [_, Src::Reg(mut r)] = srcs[..]
            && (r.ty.bytes() == 1 && !self.rules.second_bytes
                || r.ty.bytes() == 2 && !r.ty.is_float() && even)
        {
            let ty = match (r.ty.is_signed(), even) {
                (true, false) => Type::W,
                (false, false) => Type::Uw,
                (true, true) => Type::D,
                (false, true) => Type::Ud,
            };
            let modifier = std::mem::take(&mut r.modifier);
            srcs[1] = self.as_type(Src::Reg(r), ty, channels.count())?;
            if let Src::Reg(word) = &mut srcs[1] {
                word.modifier = modifier;
            }
        }
        if computes_brains_alone(op, dest.ty, &srcs)
            && let Some(last) = srcs.last_mut()
        {
            *last = self.as_type(*last, Type::F, channels.count())?;
        }
        // Math on packed halves has the channels of a register of dwords (IGC, `fixMathInst`), and no piece of fewer.
        let apart =
            dest.indirect.is_none() && dest.h == 1 && !dest.byte.is_multiple_of(self.grf / 2);
        let narrow = channels.count() < self.grf / 4 || apart;
        let places = narrow || self.func.target.needs(Erratum::HalfMathAligned);
        let halves = matches!(op, Op::Math(_)) && dest.ty == Type::Hf && places;
        if halves || self.mixes_floats(op, dest.ty, &srcs) {
            return self.in_floats(op, channels, dest, srcs, cond);
        }
        let is_narrower = |s: &Src| !dest.ty.is_float() && dest.ty.bytes() < s.ty().bytes();
        let is_byte = dest.ty.bytes() == 1 && !dest.ty.is_float() && !dest.is_null();
        let product = matches!(op, Op::Mul | Op::Mad) && is_byte;
        let second = |src: &Src| matches!(src, Src::Reg(r) if r.ty == Type::Hf);
        // A comparison under a predicate keeps the flag's other bits.
        let compares = op == Op::Cmp && channels.pred.is_none();
        let odd = compares && is_byte && even && srcs.get(1).is_some_and(second);
        // Words are selected among words (`Erratum::SelectWordOfDwords`).
        let selects = op == Op::Sel
            && dest.ty.bytes() == 2
            && srcs.iter().any(is_narrower)
            && self.func.target.needs(Erratum::SelectWordOfDwords);
        if odd
            || product
            || selects
            || shape(op) == Shape::Three && dest.saturate && srcs.iter().any(is_narrower)
        {
            return self.narrowed(op, channels, dest, srcs, cond);
        }
        if shape(op) != Shape::Regions {
            for s in &mut srcs {
                *s = self.plain(*s, op, dest.ty, channels.count())?;
            }
        }
        // The hardware does not saturate a move within one integer type.
        if op == Op::Mov && srcs[0].ty() == dest.ty && !dest.ty.is_float() && dest.saturate {
            if srcs[0].has_modifier() {
                // The magnitude of the least number is one more than the greatest number.
                srcs.push(Src::imm(Type::W, 0));
                return self.alu(Op::Add, channels, dest, srcs, cond);
            }
            dest.saturate = false;
        }
        if is_raw_mov(op, dest.saturate, dest.ty, &srcs)
            && let [Src::Reg(r)] = &mut srcs[..]
        {
            // Source and destination of a raw move have one type: packed bytes cannot be converted.
            r.ty = dest.ty;
        }
        if self.masked_align16(op, channels, cond.is_some()) {
            // Align16 works on groups of four channels: one or two channels under a mask or with a flag, and predicates
            // that are not evaluated channel by channel, are left to a move.
            let n = channels.count();
            let tmp = self.temp(n * dest.ty.bytes());
            let mut whole = self.dest_of(&Dst::new(tmp, 1, dest.ty), dest.saturate, n);
            self.alu(op, Channels::all(n as u8), &mut whole, srcs, None)?;
            dest.saturate = false;
            let back = Sources::from([Src::packed(tmp, dest.ty)]);
            return self.alu(Op::Mov, channels, dest, back, cond);
        }
        if cond.is_none() && self.moves_by_address(op, channels.count(), dest, &srcs) {
            // No region has halves that are further apart.
            return match dest.indirect.is_some() && dest.h > 2 {
                true => self.scattered(op, channels, dest, srcs, None),
                false => self.in_halves(op, channels, dest, &srcs, None),
            };
        }
        self.free_addresses(op, channels.count(), dest, &mut srcs)?;
        dest.narrow = self.reads_compressed(channels.count(), &srcs);
        if let Some(stride) = self.detour(op, channels.count(), dest, &srcs)? {
            return self.through_temporary(op, channels, dest, srcs, cond, stride);
        }
        let op = self.order_terms(op, channels.count(), dest, &mut srcs);
        self.place_sources(op, channels.count(), dest, &mut srcs)?;
        self.cut(op, channels, dest, srcs, cond)
    }

    /// Extends sources of an operation with a result or another source of 64 bits that it cannot convert: bytes, and for
    /// a result halves, and floats beside doubles (PRM, "mov", type restrictions; IGA's operand types).
    fn widen_sources(&mut self, op: Op, n: u32, dest: &mut Dest, srcs: &mut [Src]) -> Result {
        let long = dest.ty.bytes() == 8;
        let beside = long || srcs.iter().any(|s| s.ty().bytes() == 8);
        if !beside || op == Op::Mov || shape(op) != Shape::Regions {
            return Ok(());
        }
        if op == Op::Cmp && dest.ty.is_float() && !srcs.iter().any(|s| s.ty().is_float()) {
            // The result has all bits or none.
            dest.ty = Type::Q;
        }
        for s in srcs {
            let ty = match (s.ty().is_float(), s.ty().bytes()) {
                (true, 2 | 4) if dest.ty == Type::Df => Type::Df,
                (true, 2) if long => Type::F,
                (false, 1) => Type::D,
                _ => continue,
            };
            // Modifiers of logic operations mean something else in a move.
            let mut from = *s;
            let modifier = match &mut from {
                Src::Reg(r) => std::mem::take(&mut r.modifier),
                Src::Imm(_) => SrcMod::default(),
            };
            *s = self.as_type(from, ty, n)?;
            if let Src::Reg(wide) = s {
                wide.modifier = modifier;
            }
        }
        Ok(())
    }

    /// True if a first source at an address must not be read by an instruction that writes two registers.
    fn reads_compressed(&self, n: u32, srcs: &[Src]) -> bool {
        let compressed = |src: &Src| {
            matches!(src, Src::Reg(r) if r.indirect.is_some()
                && r.region.vstride.is_some()
                && r.step(n) != Some(0))
        };
        let needs = self.func.target.needs(Erratum::IndirectCompressed);
        needs && n > 1 && srcs.first().is_some_and(compressed)
    }

    /// Extends a byte for all channels that becomes floats, where it cannot do so in one step.
    fn widen_bytes(&mut self, n: u32, dest: &Dest, srcs: &mut [Src]) -> Result {
        if self.rules.scalar_byte_floats || !dest.ty.is_float() {
            return Ok(());
        }
        for s in srcs {
            let Src::Reg(r) = *s else { continue };
            if r.ty.bytes() == 1 && (n == 1 || r.step(n) == Some(0)) {
                *s = self.as_type(*s, Type::W, n)?;
            }
        }
        Ok(())
    }

    /// True if sources of math on halves must be packed where all channels have one element.
    fn spreads_halves(&self) -> bool {
        let target = self.func.target;
        target.needs(Erratum::HalfMathScalars) || target.needs(Erratum::HalfMathScalarsToo)
    }

    /// True if the target lacks the type.
    fn lacks(&self, ty: Type) -> bool {
        match ty {
            Type::Q | Type::Uq => !self.func.target.int64,
            Type::Df => !self.func.target.fp64,
            _ => false,
        }
    }

    /// Lets a truncating move of integers read the low part of each element: a move without conversion may write
    /// consecutive elements.
    fn cut_down(&self, dest: &Dest, r: &mut SrcReg, n: u32) {
        let integers = !r.ty.is_float() && !dest.ty.is_float();
        let ratio = r.ty.bytes() / dest.ty.bytes();
        let plain = integers && ratio > 1 && !dest.saturate && r.modifier == SrcMod::default();
        let direct = r.indirect.is_none() && r.mme.is_none() && r.region.vstride.is_some();
        if !plain || !direct || dest.is_null() || self.is_architecture(r.reg) {
            return;
        }
        let region = match r.step(n).map(|step| step * ratio) {
            Some(0) => Region::SCALAR,
            Some(step) if step <= 32 && step.is_power_of_two() => Region::new(step as u8, 1, 0),
            _ => return,
        };
        r.region = region;
        r.ty = dest.ty;
    }

    /// Gives an operation on bits unsigned types, which it is defined for (PRM, "bfn", "rol", "ror"), or which are equal in
    /// all operands ("bfi1", "bfi2"). A source of another size is extended by its sign first; the count of a rotation needs
    /// no extension.
    fn unsign(&mut self, op: Op, n: u32, dest: &mut Dest, srcs: &mut [Src]) -> Result {
        dest.ty = dest.ty.unsigned();
        for (at, src) in srcs.iter_mut().enumerate() {
            let is_count = at == 1 && matches!(op, Op::Rol | Op::Ror);
            if src.ty().bytes() != dest.ty.bytes() && !is_count {
                *src = self.as_type(*src, dest.ty, n)?;
            }
            match src {
                Src::Reg(src) => src.ty = src.ty.unsigned(),
                Src::Imm(imm) => *imm = Imm::new(imm.ty.unsigned(), imm.bits()),
            }
        }
        Ok(())
    }

    /// Emits an operation that gives unsigned numbers for a destination of signed ones, where that makes a difference.
    fn unsigned_first(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        srcs: Sources<Src>,
        cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        let long = dest.ty.bytes() == 8 || srcs[0].ty().bytes() == 8;
        let ty = if long { Type::Uq } else { Type::Ud };
        let n = channels.count();
        let (first, second) = halves(op, channels);
        let tmp = self.temp(n * ty.bytes());
        let mut whole = self.dest_of(&Dst::new(tmp, 1, ty), false, n);
        self.alu(op, first, &mut whole, srcs, None)?;
        let back = Sources::from([Src::packed(tmp, ty)]);
        self.alu(Op::Mov, second, dest, back, cond)
    }

    /// A source as packed or scalar elements of a type, its modifiers applied.
    fn as_type(&mut self, s: Src, ty: Type, n: u32) -> Result<Src> {
        if (s.ty(), ty) == (Type::Bf, Type::F) {
            return self.brain_as_single(s, n);
        }
        let scalar = match s {
            Src::Imm(_) => true,
            Src::Reg(r) => r.indirect.is_none() && r.step(n) == Some(0),
        };
        Ok(match scalar {
            true => Src::scalar(self.copied(1, ty, s)?, ty),
            false => Src::packed(self.copied(n, ty, s)?, ty),
        })
    }

    /// A brain float as a single one, of which it has the upper half. Its modifiers stay on the operation.
    fn brain_as_single(&mut self, s: Src, n: u32) -> Result<Src> {
        let bits = u64::from(Type::Uw.bytes() * u8::BITS);
        let mut r = match s {
            Src::Imm(imm) => return Ok(Src::imm(Type::F, imm.bits() << bits)),
            Src::Reg(r) => r,
        };
        let scalar = r.indirect.is_none() && r.step(n) == Some(0);
        let modifier = std::mem::take(&mut r.modifier);
        r.ty = Type::Uw;
        let n = if scalar { 1 } else { n };
        let tmp = self.temp(n * Type::F.bytes());
        let mut dest = self.dest_of(&Dst::new(tmp, 1, Type::Ud), false, n);
        let srcs = Sources::from([Src::Reg(r), Src::imm(Type::Uw, bits)]);
        self.alu(Op::Shl, Channels::all(n as u8), &mut dest, srcs, None)?;
        let mut single = match scalar {
            true => Src::scalar(tmp, Type::F),
            false => Src::packed(tmp, Type::F),
        };
        if let Src::Reg(single) = &mut single {
            single.modifier = modifier;
        }
        Ok(single)
    }

    /// A copy of a source's elements without its modifiers, which stay on the operation: those of logic operations
    /// mean something else in a move.
    fn aside(&mut self, mut r: SrcReg, n: u32) -> Result<Src> {
        let modifier = std::mem::take(&mut r.modifier);
        let scalar = r.region.vstride.is_some() && r.step(n) == Some(0);
        let n = if scalar { 1 } else { n };
        let tmp = self.copied(n, r.ty, Src::Reg(r))?;
        let mut copy = match scalar {
            true => Src::scalar(tmp, r.ty),
            false => Src::packed(tmp, r.ty),
        };
        if let Src::Reg(copy) = &mut copy {
            copy.modifier = modifier;
        }
        Ok(copy)
    }

    /// True if later channels may read what earlier channels of the same instruction wrote: both operands are in
    /// fixed registers (of variables whose address is taken), and a channel's elements are not at the same place in
    /// both.
    fn overtakes(&self, dst: &Dst, n: u32, r: &SrcReg) -> bool {
        let fixed = |reg: Reg| match reg.base() {
            Base::Phys(RegFile::Grf, num) => Some(u32::from(num) * self.grf + reg.byte()),
            _ => None,
        };
        let (to, from) = (fixed(dst.reg), fixed(r.reg));
        let written = dst.indirect.is_some() || to.is_some();
        let read = r.indirect.is_some() || from.is_some();
        if n == 1 || !written || !read {
            return false;
        }
        let same_place = dst.reg == r.reg && dst.indirect == r.indirect;
        let same_step = r.region.vstride.is_some() && r.step(n) == Some(dst.hstride.into());
        if same_place && same_step && r.ty.bytes() == dst.ty.bytes() {
            return false;
        }
        let (Some(to), Some(from)) = (to, from) else {
            return true;
        };
        let to_end = to + (n - 1) * u32::from(dst.hstride) * dst.ty.bytes() + dst.ty.bytes();
        let from_end = from + r.span(n as u8);
        to < from_end && from < to_end
    }

    /// True if floats of 16 and 32 bits meet in an operation that cannot convert, or brain floats are in one that has none.
    fn mixes_floats(&self, op: Op, to: Type, srcs: &[Src]) -> bool {
        let has = |ty| to == ty || srcs.iter().any(|s| s.ty() == ty);
        let alone = match shape(op) {
            // The math unit would lose bits of its sources.
            Shape::Math => false,
            Shape::Regions => {
                matches!(op, Op::Mov | Op::Srnd) || self.rules.mixed_floats && !rounds(op)
            }
            Shape::Three => true,
        };
        let brains = shape(op) != Shape::Regions && has(Type::Bf);
        brains || !alone && has(Type::Hf) && has(Type::F)
    }

    /// Emits the operation on floats of 32 bits.
    fn in_floats(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        mut srcs: Sources<Src>,
        cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        let is_half = |ty| matches!(ty, Type::Hf | Type::Bf);
        for s in &mut srcs {
            if is_half(s.ty()) {
                *s = self.as_type(*s, Type::F, channels.count())?;
            }
        }
        if dest.is_null() {
            dest.ty = Type::F;
        }
        if !is_half(dest.ty) {
            return self.alu(op, channels, dest, srcs, cond);
        }
        let (first, second) = halves(op, channels);
        let tmp = self.temp(channels.count() * 4);
        let whole = Dst::new(tmp, 1, Type::F);
        let mut whole = self.dest_of(&whole, dest.saturate, channels.count());
        self.alu(op, first, &mut whole, srcs, cond)?;
        dest.saturate = false;
        let back = Sources::from([Src::packed(tmp, Type::F)]);
        self.alu(Op::Mov, second, dest, back, None)
    }

    fn masked_align16(&self, op: Op, channels: Channels, sets_flag: bool) -> bool {
        let plain = channels
            .pred
            .is_none_or(|p| p.ctrl == PredCtrl::Normal && channels.count() > 2);
        let three = shape(op) == Shape::Three && self.align16;
        three && (!plain || (!channels.no_mask || sets_flag) && channels.count() <= 2)
    }

    /// Emits an operation that saturates to a type narrower than its sources, or a product or comparison that cannot
    /// write bytes. A doubleword holds the result first: sources that are narrowed before the operation would lose their
    /// values. The flag of a comparison or selection is of its sources, that of others of the result.
    fn narrowed(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        srcs: Sources<Src>,
        cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        let n = channels.count();
        let (first, second) = halves(op, channels);
        let tmp = self.temp(n * 4);
        let mut middle = self.dest_of(&Dst::new(tmp, 1, Type::D), dest.saturate, n);
        let (before, after) = match op {
            Op::Cmp | Op::Sel => (cond, None),
            _ => (None, cond),
        };
        self.alu(op, first, &mut middle, srcs, before)?;
        let back = Sources::from([Src::packed(tmp, Type::D)]);
        self.alu(Op::Mov, second, dest, back, after)
    }

    /// Emits a conversion through a type in between.
    fn in_two_steps(
        &mut self,
        channels: Channels,
        dest: &mut Dest,
        srcs: Sources<Src>,
        cond: Option<&mut (Cond, Flag)>,
        via: Type,
    ) -> Result {
        let n = channels.count();
        let tmp = self.temp(n * via.bytes());
        // Floats saturate to 0..1, which the last step must not do.
        let saturate = dest.saturate && !via.is_float();
        // A conversion from floats always stops at the ends of the range.
        dest.saturate |= srcs[0].ty().is_float() && !dest.ty.is_float();
        let mut middle = self.dest_of(&Dst::new(tmp, 1, via), saturate, n);
        self.alu(Op::Mov, channels.unpredicated(), &mut middle, srcs, None)?;
        let step = Sources::from([Src::packed(tmp, via)]);
        self.alu(Op::Mov, channels, dest, step, cond)
    }

    /// The stride, in elements, of the temporary that an operation needs if it cannot write its destination.
    fn detour(&self, op: Op, n: u32, dest: &mut Dest, srcs: &[Src]) -> Result<Option<u32>> {
        let raw = is_raw_mov(op, dest.saturate, dest.ty, srcs);
        let bytes = dest.ty.bytes();
        let exec = if raw { bytes } else { exec_bytes(srcs) };
        let converts = converts_halves(dest.ty, srcs.iter().map(Src::ty));
        let step = match converts {
            true => exec.max(bytes).max(4),
            false => exec.max(bytes),
        };
        let null = dest.is_null();
        let addressed = null || dest.is_architecture();
        if null {
            // The reach of bytes and words is checked for a result that is not kept, too, and so is that no packed bytes are
            // computed (Mesa, `gen_validate.cpp`).
            dest.h = match self.rules.narrow_steps && !dest.ty.is_float() {
                true => (4 / bytes).max(1),
                false => (2 / bytes).max(1),
            };
        } else if n == 1 && !addressed {
            dest.h = (step / bytes).min(4);
        }
        let h = dest.h;
        let brains = dest.ty == Type::Bf && op != Op::Mov && srcs.iter().any(|s| s.ty() == Type::F);
        if brains && n > 1 && !addressed && shape(op) == Shape::Regions {
            // Beside single floats brain floats are packed, from the start or the middle of a register on.
            let there = h == 1 && dest.byte.is_multiple_of(self.grf / 2);
            return Ok((!there || dest.indirect.is_some()).then_some(1));
        }
        if self.packs_halves(op, n, dest, srcs) {
            return Ok(None);
        }
        let packed_bytes = bytes == 1 && h == 1 && n > 1 && !raw;
        // Floats become every second half at most.
        let narrows = dest.ty == Type::Hf
            && shape(op) == Shape::Regions
            && srcs.iter().any(|s| s.ty() == Type::F);
        let becomes = converts || narrows;
        let spread = becomes && n > 1 && !addressed && h * bytes > step;
        // Quadwords do not become bytes in one step.
        let quadwords = bytes == 1 && exec == 8;
        let misaligned = !addressed
            && (quadwords
                || dest.indirect.is_none()
                    && (!dest.byte.is_multiple_of(step)
                        || n > 1 && !(h * bytes).is_multiple_of(step)));
        let three = shape(op) == Shape::Three;
        let unaligned = three
            && match self.align16 {
                true => n > 1 && (h != 1 || !dest.byte.is_multiple_of(16)),
                false => {
                    let strides = self.rules.ternary.strides;
                    // Sources that keep their channels' places lie as the destination does, in rows of two.
                    let row = match h {
                        1 => dest.byte.is_multiple_of(2 * bytes),
                        _ => rows_of_two(h, dest.byte, bytes),
                    };
                    let follows = self.rules.ternary.last_as_destination
                        && matches!(srcs.get(2), Some(Src::Reg(last)) if last.step(n) != Some(0));
                    let floats = self.rules.in_place && dest.ty.is_float();
                    let apart = (floats || follows) && !row;
                    n > 1 && (!strides.contains(&(h as u8)) || apart)
                        || !dest.byte.is_multiple_of(8)
                }
            };
        // Only operations with regions take an indirect destination.
        let plain = shape(op) != Shape::Regions;
        let same = matches!(srcs, [Src::Reg(r)] if r.step(n) == Some(0));
        // Bits of floats are moved as integers, and halves of quadwords.
        let fixed = n > 1
            && !self.rules.float_addresses
            && !(raw && (bytes <= 4 || same))
            && keeps_places(dest.ty, srcs.iter().map(Src::ty));
        // Operations on mixed floats have no addresses (Mesa, `gen_validate.cpp`).
        let has = |ty| dest.ty == ty || srcs.iter().any(|src| src.ty() == ty);
        let mixed = has(Type::Hf) && has(Type::F);
        let indirect = dest.indirect.is_some() && (plain || bytes * h < step || fixed || mixed);
        let math = shape(op) == Shape::Math && n > 1 && h != 1;
        if raw && misaligned {
            return self.fail("a destination that is not aligned to its type");
        }
        let far = dest.at(n - 1) + bytes > dest.byte.next_multiple_of(self.grf);
        let crosses = dest.indirect.is_some() || !dest.byte.is_multiple_of(self.grf) && far;
        let crosses = dest.narrow && !addressed && crosses;
        let needed =
            crosses || packed_bytes || spread || misaligned || unaligned || indirect || math;
        let least = if packed_bytes { 2 } else { 1 };
        Ok(needed.then_some((step / bytes).max(least)))
    }

    /// True for a move of packed floats, of a register at least, to packed halves at the start of a register.
    fn packs_halves(&self, op: Op, n: u32, dest: &Dest, srcs: &[Src]) -> bool {
        let is_packed = |r: &SrcReg| {
            r.step(n) == Some(1) && r.indirect.is_none() && r.reg.byte().is_multiple_of(self.grf)
        };
        self.rules.packed_halves
            && op == Op::Mov
            && n * 4 >= self.grf
            && (dest.ty, dest.h) == (Type::Hf, 1)
            && dest.indirect.is_none()
            && dest.byte.is_multiple_of(self.grf)
            && matches!(srcs, [Src::Reg(r)] if r.ty == Type::F && is_packed(r))
    }

    /// Writes a temporary that the operation can write, then moves it.
    fn through_temporary(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        srcs: Sources<Src>,
        cond: Option<&mut (Cond, Flag)>,
        stride: u32,
    ) -> Result {
        let n = channels.count();
        let ty = dest.ty;
        let (first, second) = halves(op, channels);
        if stride > 4 && dest.saturate && !ty.is_float() {
            // Words hold every byte, and values outside of a byte's range stay outside.
            let tmp = self.temp(n * 8);
            let mut middle = self.dest_of(&Dst::new(tmp, 4, Type::W), true, n);
            self.alu(op, first, &mut middle, srcs, cond)?;
            let back = Sources::from([Src::strided(tmp, Type::W, 4)]);
            return self.alu(Op::Mov, second, dest, back, None);
        }
        if stride > 4 || stride > 1 && shape(op) != Shape::Regions {
            let wide = widened(ty, stride * ty.bytes());
            let tmp = self.temp(n * wide.bytes());
            let mut middle = self.dest_of(&Dst::new(tmp, 1, wide), false, n);
            self.alu(op, first, &mut middle, srcs, cond)?;
            let back = Sources::from([Src::packed(tmp, wide)]);
            return self.alu(Op::Mov, second, dest, back, None);
        }
        let tmp = self.temp(n * stride * ty.bytes());
        let strided = Dst::new(tmp, stride as u8, ty);
        let mut middle = self.dest_of(&strided, dest.saturate, n);
        self.alu(op, first, &mut middle, srcs, cond)?;
        dest.saturate = false;
        let back = Sources::from([Src::strided(tmp, ty, stride as u8)]);
        self.alu(Op::Mov, second, dest, back, None)
    }

    /// Moves immediates to where the hardware takes them: the last of one or two sources.
    fn place_immediates(
        &mut self,
        op: Op,
        dest: &Dest,
        channels: &mut Channels,
        cond: Option<&mut (Cond, Flag)>,
        srcs: &mut Sources<Src>,
    ) -> Result {
        let is_imm = |s: &Src| matches!(s, Src::Imm(_));
        if srcs.len() == 2 && is_imm(&srcs[0]) && !is_imm(&srcs[1]) {
            let swap = match (op, cond) {
                (Op::Cmp, Some((c, _))) => {
                    *c = flipped(*c);
                    true
                }
                (Op::Sel, Some(_)) => true,
                (Op::Sel, None) => {
                    if let Some(p) = &mut channels.pred {
                        p.inverse = !p.inverse;
                    }
                    true
                }
                _ => op.is(Props::COMMUTES),
            };
            if swap {
                srcs.swap(0, 1);
            }
        }
        if let [_, second] = &mut srcs[..]
            && let Src::Reg(r) = *second
            && self.is_architecture(r.reg)
        {
            // Only the first source may be an architecture register or indirect.
            *second = self.aside(r, channels.count())?;
        }
        let ternary = srcs.len() == 3 && self.takes_ternary_immediates(op, dest, srcs);
        if ternary {
            place_ternary_immediate(op, srcs);
        }
        let last = srcs.len() - 1;
        for i in 0..srcs.len() {
            let Src::Imm(imm) = srcs[i] else { continue };
            let ty = imm.ty;
            if let Some(element) = vector_element(ty) {
                // A channel gets the element that belongs to its word or dword of the destination, so that only a
                // move to packed ones means what is written.
                let in_place = op == Op::Mov
                    && channels.count() <= 8
                    && dest.h * dest.ty.bytes() == element.bytes()
                    && dest.byte.is_multiple_of(16)
                    && !dest.is_null();
                if !in_place {
                    srcs[i] = self.vector_temp(srcs[i], element)?;
                }
                continue;
            }
            if ternary && imm.ty.bytes() == 2 && i == last {
                continue;
            }
            let in_math = shape(op) != Shape::Math || matches!(ty, Type::F | Type::D | Type::Ud);
            let small = ty.bytes() < 8 || op == Op::Mov;
            if !(i == last && srcs.len() < 3 && small && in_math) {
                srcs[i] = self.constant(imm)?;
            }
        }
        Ok(())
    }

    /// True if an operation of three integers takes an immediate.
    fn takes_ternary_immediates(&self, op: Op, dest: &Dest, srcs: &[Src]) -> bool {
        let integers = !dest.ty.is_float() && srcs.iter().all(|s| !s.ty().is_float());
        let wide = srcs.iter().all(|s| s.ty().bytes() <= 4);
        let adds = matches!(op, Op::Add3 | Op::Mad);
        self.rules.ternary.immediates && adds && integers && wide
    }

    /// A register with a constant.
    fn constant(&mut self, imm: Imm) -> Result<Src> {
        let ty = match imm.ty {
            Type::Ud => Type::D,
            Type::Uw => Type::W,
            Type::Uq => Type::Q,
            ty => ty,
        };
        let reg = self.copied(1, ty, Src::Imm(Imm::new(ty, imm.bits())))?;
        Ok(Src::scalar(reg, imm.ty))
    }

    /// A register with the elements of a packed immediate, which repeat from the first one on.
    fn vector_temp(&mut self, imm: Src, element: Type) -> Result<Src> {
        let n = if element == Type::F { 4 } else { 8 };
        let tmp = self.temp(n * element.bytes());
        let mut dest = self.dest_of(&Dst::new(tmp, 1, element), false, n);
        let srcs = Sources::from([imm]);
        self.alu(Op::Mov, Channels::all(n as u8), &mut dest, srcs, None)?;
        Ok(Src::reg(tmp, Region::new(0, n as u8, 1), element))
    }

    /// A packed or scalar copy of a source, as the math unit and three-source operations need it.
    fn plain(&mut self, s: Src, op: Op, ty: Type, n: u32) -> Result<Src> {
        let Src::Reg(r) = s else { return Ok(s) };
        if self.is_plain(&r, op, ty, n) {
            return Ok(s);
        }
        let widens = !ty.is_float() && !r.ty.is_float() && r.ty.bytes() < ty.bytes();
        let to = match is_alike(r.ty, ty) {
            true => r.ty,
            // A negative source of an unsigned sum stays negative.
            false if widens => widened(r.ty, ty.bytes()),
            false => ty,
        };
        if r.step(n) == Some(0) && r.indirect.is_none() && self.replicates(op, r.ty, n) {
            return Ok(Src::scalar(self.copied(1, to, s)?, to));
        }
        Ok(Src::packed(self.copied(n, to, s)?, to))
    }

    /// True if a source is packed or scalar already and has the destination's type.
    fn is_plain(&self, r: &SrcReg, op: Op, ty: Type, n: u32) -> bool {
        let aligned = match shape(op) == Shape::Three {
            true if self.align16 => 16,
            // A row has at least two elements.
            true => 2 * r.ty.bytes(),
            false => r.ty.bytes(),
        };
        let good = match r.step(n) {
            Some(0) => self.replicates(op, r.ty, n),
            Some(1) => r.reg.byte().is_multiple_of(aligned),
            Some(step) if shape(op) == Shape::Three && !self.align16 => {
                rows_of_two(step, r.reg.byte(), r.ty.bytes())
            }
            _ => false,
        };
        good && r.indirect.is_none() && is_alike(r.ty, ty)
    }

    /// True if one element can be replicated to all channels: a three-source operand replicates elements of 32 bits
    /// or less.
    fn replicates(&self, op: Op, ty: Type, n: u32) -> bool {
        !(shape(op) == Shape::Three && self.align16 && ty.bytes() == 8 && n > 1)
    }

    /// True if a register is not a general one.
    fn is_architecture(&self, reg: Reg) -> bool {
        match reg.base() {
            Base::Phys(file, _) => file != RegFile::Grf,
            Base::Virt(v) => self.func.regs[v].class != kiln_machine::func::Class::Grf,
            Base::Null | Base::List(_) => false,
        }
    }
}

/// True for arithmetic with brain floats and no single one beside them, which no operation takes.
fn computes_brains_alone(op: Op, to: Type, srcs: &[Src]) -> bool {
    let types = || srcs.iter().map(Src::ty).chain([to]);
    let computes = shape(op) == Shape::Regions && !matches!(op, Op::Mov | Op::Sel);
    computes && srcs.iter().any(|src| src.ty() == Type::Bf) && types().all(|ty| ty != Type::F)
}

/// An immediate integer of at most 32 bits as one of 16, if it has a sum or product of 32 bits with the same bits.
pub(crate) fn short(imm: &Imm) -> Option<Imm> {
    let value = match imm.ty {
        Type::W => i64::from(imm.bits() as u16 as i16),
        Type::Uw => i64::from(imm.bits() as u16),
        Type::D | Type::Ud => i64::from(imm.bits() as u32 as i32),
        _ => return None,
    };
    let ty = match value {
        -0x8000..=0x7fff => Type::W,
        0x8000..=0xffff => Type::Uw,
        _ => return None,
    };
    Some(Imm::new(ty, value as u64 & 0xffff))
}

/// Moves an immediate that fits in 16 bits to the last source.
fn place_ternary_immediate(op: Op, srcs: &mut [Src]) {
    let narrow = |s: &Src| match s {
        Src::Imm(imm) => short(imm).map(Src::Imm),
        Src::Reg(_) => None,
    };
    let places: &[usize] = match op {
        Op::Add3 => &[2, 1, 0],
        // The addend is the first.
        _ => &[2, 1],
    };
    let found = places.iter().find_map(|&at| Some((at, narrow(&srcs[at])?)));
    if let Some((at, immediate)) = found {
        srcs[at] = immediate;
        srcs.swap(at, 2);
    }
}

/// True if a three-source operand can have elements `step` apart: in rows of two, each in one register.
fn rows_of_two(step: u32, from: u32, bytes: u32) -> bool {
    matches!(step, 2 | 4) && from % (2 * step * bytes) < step * bytes
}

/// True if an operation gives unsigned numbers: shifts of unsigned ones with zeros, counts of bits, and reversals.
fn makes_unsigned(op: Op, srcs: &[Src]) -> bool {
    match op {
        Op::Shr => !srcs[0].ty().is_signed(),
        Op::Cbit | Op::Fbl | Op::Bfrev => true,
        _ => false,
    }
}

/// True if an operation rounds floats to whole ones, all of one type.
fn rounds(op: Op) -> bool {
    matches!(op, Op::Frc | Op::Rndd | Op::Rnde | Op::Rndu | Op::Rndz)
}

/// The channels of an operation that goes through a temporary, and those of the move from there. The predicate of
/// `sel` selects a source; any other predicate selects the channels that are moved.
fn halves(op: Op, channels: Channels) -> (Channels, Channels) {
    match op {
        Op::Sel => (channels, channels.unpredicated()),
        _ => (channels.unpredicated(), channels),
    }
}

/// A type of `bytes` bytes that holds all values of `ty`.
fn widened(ty: Type, bytes: u32) -> Type {
    match (bytes, ty.is_float(), ty.is_signed()) {
        (8, true, _) => Type::Df,
        (_, true, _) => Type::F,
        (8, _, true) => Type::Q,
        (8, _, false) => Type::Uq,
        (_, _, true) => Type::D,
        _ => Type::Ud,
    }
}

/// The type of a packed immediate's elements.
fn vector_element(ty: Type) -> Option<Type> {
    match ty {
        Type::V => Some(Type::W),
        Type::Uv => Some(Type::Uw),
        Type::Vf => Some(Type::F),
        _ => None,
    }
}

/// The immediate in a type that instructions take: there are no immediates of bytes, and those of 64 bits exist in
/// `mov` only.
fn narrow_imm(s: Src, keeps_wide: bool) -> Src {
    let Src::Imm(imm) = s else { return s };
    let bits = imm.bits();
    let narrow = |ty, bits| Src::Imm(Imm::new(ty, bits));
    match imm.ty {
        Type::B => narrow(Type::W, u64::from(bits as i8 as i16 as u16)),
        Type::Ub => narrow(Type::Uw, bits & 0xff),
        Type::Q | Type::Uq if !keeps_wide => match bits as i64 {
            v @ -0x8000_0000..=0x7fff_ffff if imm.ty == Type::Q || v >= 0 => {
                narrow(Type::D, u64::from(v as u32))
            }
            v @ 0..=0xffff_ffff => narrow(Type::Ud, v as u64),
            _ => s,
        },
        _ => s,
    }
}
