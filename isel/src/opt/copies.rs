//! Copy propagation: uses of a `mov`'s or `not`'s result read its source.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. In SSA form the source has the same contents at each
//! use of the copy, so that a use may read the source: element by element where the use has a region, the whole
//! register where it has none. A copy under a mask counts like any other, since the copy is undefined in channels
//! that it leaves out. A copy with a tied operand counts for the bytes that it certainly wrote.
//!
//! Integer operations with 0 or 1 become moves by it, and are propagated likewise (`constants.rs`).
//!
//! Modifiers are propagated if the operation takes them and the result has the same bits, and immediates if the
//! operation takes them. A value that was only widened is read with its original type if another operand keeps the
//! operation as wide as before.
//!
//! Block arguments are left alone, since allocation would need the copy anyway. Operations of three sources and of
//! the math unit read only whole registers and scalars through copies, since they have no regions.

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef as _, EntitySet, SecondaryMap};
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Base, Imm, Inst, Old, Opcode, Reg, Src, SrcReg, VReg};
use kiln_machine::liveness::{term_uses, uses_of};
use kiln_platform::isa::{Cond, Op, RegFile, Region, SrcMod, Type};
use kiln_platform::op::Props;
use kiln_platform::rules::rules;
use smallvec::SmallVec;

use super::{constants, count_uses, for_each_inst, identities};

/// Maximum length of a chain of copies, each tied to the one before, that is searched.
const MAX_CHAIN: usize = 8;

/// The last use of a live-out register.
const PASSED: u32 = u32::MAX;

/// Operations whose sources have no regions.
const WITHOUT_REGIONS: Props = Props::TERNARY.or(Props::MATH);
/// Operations on the accumulator, which were selected in pieces of its size, so that other regions could break them.
const ACCUMULATING: Props = Props::READS_ACC.or(Props::WRITES_ACC);

/// Replaces uses of copies. [`super::dead`] removes unused copies.
pub fn run(func: &mut Function, graph: &Graph) {
    let order = graph.order();
    let last = last_uses(func, order);
    let mut at = 0;
    let mut copies = Copies::new(func);
    // For each whole copy: its source.
    let mut originals: SecondaryMap<VReg, PackedOption<VReg>> = func.map_of_registers(None.into());
    // Copies of a part of their source whose rest is undefined.
    let mut partial: EntitySet<VReg> = EntitySet::new();
    for_each_inst(func, order, |func, block, _, inst| {
        at += 1;
        let old = inst.dst.map(|dst| dst.old);
        func.map_uses(inst, |v| originals[v].expand().unwrap_or(v));
        // An edge argument stays a copy. A tied operand is replaced by the copy's source, unless the source is a
        // whole register for half a copy and is used later.
        if let (Some(Old::Reg(v)), Some(dst)) = (old, &mut inst.dst)
            && let Some(original) = originals[v].expand()
            && (last[v.index()] == PASSED || partial.contains(v) && last[original.index()] > at)
        {
            dst.old = Old::Reg(v);
        }
        let to_accumulator = inst.dst.is_some_and(|dst| {
            let file = dst.reg.as_phys();
            file.is_some_and(|(file, _)| file == RegFile::Acc)
        });
        let props = inst.gen_op().map_or(Props::NONE, Op::props);
        let accumulates = props.has_any(ACCUMULATING) || to_accumulator;
        let one = inst.exec_size == 1;
        let has_regions = !props.has_any(WITHOUT_REGIONS);
        // A write of a register's own contents is an identity only as long as it reads that register.
        if inst.is_by_channel() && identities::identity(func, inst).is_none() {
            for n in 0..inst.srcs.len() {
                let Some(new) = replacement(func, &copies, (block, inst), n) else {
                    continue;
                };
                let from = &inst.srcs[n];
                let elements = || has_regions && one || is_scalar(from) && is_scalar(&new);
                if has_regions && !accumulates || elements() && is_only_elsewhere(from, &new) {
                    place(inst, n, new);
                }
            }
        }
        constants::simplify(inst);
        let Some(copy) = copy_of(func, block, inst) else {
            return;
        };
        let Some(dst) = inst.dst else { return };
        let base = dst.reg.base();
        let unit = func.target.unit_bytes() as i32;
        let registers: SmallVec<[VReg; 4]> = func.registers(&base).into();
        for (n, &v) in registers.iter().enumerate() {
            let byte = copy.byte - n as i32 * unit;
            let over: PackedOption<VReg> = func.old(dst.old, n).into();
            let mut copy = Copy { byte, over, ..copy };
            if over
                .expand()
                .is_some_and(|over| copies.is_undefined(over, copy.written()))
            {
                copy.masked = None;
            }
            copies.set(v, copy);
            if copy.masked.is_none()
                && let Some((original, whole)) = original(func, &copy, v)
            {
                originals[v] = original.into();
                if !whole {
                    partial.insert(v);
                }
                let align = func.regs[v].align;
                let aligned = &mut func.regs[original].align;
                *aligned = align.max(*aligned);
            }
        }
    });
}

/// True if a source is one element for all channels.
fn is_scalar(src: &Src) -> bool {
    src.as_reg().is_some_and(|r| r.region == Region::SCALAR)
}

/// True if a source is one element as another is, in another register.
fn is_only_elsewhere(src: &Src, new: &Src) -> bool {
    match (src.as_reg(), new.as_reg()) {
        (Some(src), Some(new)) => src.ty == new.ty && src.modifier == new.modifier,
        _ => false,
    }
}

/// For each register: the number, in the given order, of the last instruction that reads it; [`PASSED`] if it is
/// live-out.
fn last_uses(func: &Function, order: &[Block]) -> Vec<u32> {
    let mut last = vec![0; func.regs.len()];
    let mut at = 0;
    for &block in order {
        for inst in &func.blocks[block].insts {
            at += 1;
            uses_of(func, inst, |v| last[v.index()] = at.max(last[v.index()]));
        }
        term_uses(func, block, |v| last[v.index()] = PASSED);
    }
    last
}

/// All copies by the register that each defines. Most registers are not defined by copies.
struct Copies {
    list: Vec<Copy>,
    /// For each register: the number of its copy plus one.
    numbers: SecondaryMap<VReg, u32>,
    /// For each register: the number of its reads before the pass, where channels keep their place.
    uses: SecondaryMap<VReg, u32>,
}

impl Copies {
    fn new(func: &Function) -> Copies {
        Copies {
            list: Vec::new(),
            numbers: func.map_of_registers(0),
            uses: match rules(func.target.family).in_place {
                true => count_uses(func),
                false => SecondaryMap::new(),
            },
        }
    }

    fn get(&self, v: VReg) -> Option<&Copy> {
        let number = (self.numbers[v] as usize).checked_sub(1)?;
        self.list.get(number)
    }

    /// True if these bytes of a register are undefined: it was made by copies, all of other bytes.
    fn is_undefined(&self, mut v: VReg, bytes: Range<i32>) -> bool {
        for _ in 0..MAX_CHAIN {
            let Some(copy) = self.get(v) else {
                return false;
            };
            let written = copy.written();
            if written.start < bytes.end && bytes.start < written.end {
                return false;
            }
            match copy.over.expand() {
                Some(over) => v = over,
                None => return copy.fresh,
            }
        }
        false
    }

    fn set(&mut self, v: VReg, copy: Copy) {
        self.list.push(copy);
        self.numbers[v] = self.list.len() as u32;
    }
}

/// A register defined as a copy of another, or of an immediate.
#[derive(Clone, Copy)]
struct Copy {
    /// The first element's offset from the start of the register.
    byte: i32,
    hstride: u8,
    ty: Type,
    exec_size: u8,
    from: Src,
    /// True if the bits are complemented.
    complement: bool,
    /// True if the rest of the register is undefined.
    fresh: bool,
    /// The tied operand with the rest of the register.
    over: PackedOption<VReg>,
    /// For a copy under a mask that leaves contents of its tied operand: the block and the first channel for which it is
    /// known.
    masked: Option<(Block, u8)>,
}

fn is(inst: &Inst, props: Props) -> bool {
    inst.gen_op().is_some_and(|op| op.is(props))
}

fn mask(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes.min(8))
}

fn is_vector(ty: Type) -> bool {
    matches!(ty, Type::V | Type::Uv | Type::Vf)
}

/// The copy that an instruction makes, if it is one.
fn copy_of(func: &Function, block: Block, inst: &Inst) -> Option<Copy> {
    let dst = inst.dst.as_ref()?;
    let complement = inst.op == Op::Not;
    let plain = (complement || inst.op == Op::Mov)
        && inst.is_by_channel()
        && inst.is_bare()
        && dst.indirect.is_none()
        && dst.mme.is_none()
        && dst.hstride > 0;
    let base = dst.reg.base();
    let registers = func.registers(&base);
    let general = |v: &VReg| func.regs[*v].class == Class::Grf;
    if !plain || registers.is_empty() || !registers.iter().all(general) {
        return None;
    }
    let from = *inst.srcs.first()?;
    let same = from.ty() == dst.ty;
    let integers = !from.ty().is_float() && !dst.ty.is_float();
    match from {
        Src::Imm(_) if complement || is_vector(from.ty()) => return None,
        Src::Imm(_) => {}
        Src::Reg(r) => {
            let base = r.reg.base();
            let registers = func.registers(&base);
            let direct = r.indirect.is_none() && r.mme.is_none() && r.region.vstride.is_some();
            if !direct || registers.is_empty() || !registers.iter().all(general) {
                return None;
            }
            let modified = r.modifier != SrcMod::default();
            // A magnitude of integers may need one bit more than the copy has.
            if modified && (!same || complement) || complement && !same {
                return None;
            }
        }
    }
    if !(same || integers) || from.ty().per_byte() != 1 || dst.ty.per_byte() != 1 {
        return None;
    }
    Some(Copy {
        byte: dst.reg.byte() as i32,
        hstride: dst.hstride,
        ty: dst.ty,
        exec_size: inst.exec_size,
        from,
        complement,
        fresh: dst.old == Old::None,
        over: None.into(),
        masked: (dst.old != Old::None && !inst.opts.no_mask).then_some((block, inst.chan_off)),
    })
}

impl Copy {
    /// Bytes from an element to the next.
    fn step(&self) -> i32 {
        i32::from(self.hstride) * self.ty.bytes() as i32
    }

    /// Bytes of the register from the first element that is written to the last.
    fn written(&self) -> Range<i32> {
        self.byte..self.byte + i32::from(self.exec_size) * self.step()
    }

    /// The element with `size` bytes from `byte` of the register, and the place of the bytes in it.
    fn element(&self, byte: u32, size: u32) -> Option<(u32, u32)> {
        let at = byte as i32 - self.byte;
        if at < 0 {
            return None;
        }
        let (n, within) = (at / self.step(), (at % self.step()) as u32);
        let inside = n < i32::from(self.exec_size) && within + size <= self.ty.bytes();
        inside.then_some((n as u32, within))
    }

    /// True if the copy's bytes are the source's in the same order.
    fn is_linear(&self) -> bool {
        let Src::Reg(r) = &self.from else {
            return false;
        };
        let packed = self.hstride == 1 && r.ty.bytes() == self.ty.bytes();
        packed && !self.complement && r.modifier == SrcMod::default() && r.is_packed(self.exec_size)
    }

    /// The place in the source of bytes `byte..byte + size` of the register, if they were copied without change.
    fn source_byte(&self, byte: u32, size: u32) -> Option<u32> {
        let Src::Reg(r) = &self.from else {
            return None;
        };
        if let Some((n, within)) = self.element(byte, size)
            && within + size <= r.ty.bytes()
        {
            return Some(r.reg.byte() + r.element(n) + within);
        }
        let at = u32::try_from(byte as i32 - self.byte).ok()?;
        let all = u32::from(self.exec_size) * self.ty.bytes();
        (self.is_linear() && at + size <= all).then(|| r.reg.byte() + at)
    }
}

/// The copy that defined bytes of a register: its own, or one in its chain of tied operands.
fn copy_at(copies: &Copies, v: VReg, byte: u32, size: u32) -> Option<&Copy> {
    let mut copy = copies.get(v)?;
    for _ in 0..MAX_CHAIN {
        let (start, end) = (byte as i32, (byte + size) as i32);
        let written = copy.written();
        match copy.over.expand() {
            Some(over) if end <= written.start || written.end <= start => {
                copy = copies.get(over)?
            }
            _ => return Some(copy),
        }
    }
    None
}

/// The copy that defined the register that element `n` of an instruction in a block reads.
fn copy_for<'a>(
    copies: &'a Copies,
    (block, inst): (Block, &Inst),
    n: u32,
    (v, byte): Place,
    size: u32,
) -> Option<&'a Copy> {
    let copy = copy_at(copies, v, byte, size)?;
    let own_channel = |(of, first): (Block, u8)| {
        let element = copy.element(byte, size.min(copy.ty.bytes()));
        let channel = element.map(|(element, _)| u32::from(first) + element);
        of == block && !inst.opts.no_mask && channel == Some(u32::from(inst.chan_off) + n)
    };
    copy.masked.is_none_or(own_channel).then_some(copy)
}

/// A register and a byte in it.
type Place = (VReg, u32);

/// The replacement of source `n`.
fn replacement(
    func: &mut Function,
    copies: &Copies,
    (block, inst): (Block, &Inst),
    n: usize,
) -> Option<Src> {
    let Src::Reg(src) = inst.srcs[n] else {
        return None;
    };
    let direct = src.indirect.is_none() && src.mme.is_none() && src.region.vstride.is_some();
    if !direct || src.ty.per_byte() != 1 {
        return None;
    }
    let size = src.ty.bytes();
    let (first, byte) = func.place(src.reg.base(), src.reg.byte())?;
    let copy = copy_at(copies, first, byte, size)?;
    if let Src::Imm(_) = copy.from {
        return constant(func, copies, (block, inst), n, &src);
    }
    // The first element determines how the value is read.
    let (element, within) = copy.element(byte, size).unzip();
    let from = copy.from.as_reg()?;
    let widened = element.is_some() && within == Some(0) && size > from.ty.bytes();
    let changed = copy.complement || from.modifier != SrcMod::default();
    let (ty, modifier) = if widened {
        let once = copies.uses[first] == 1;
        (widening(func, inst, n, &src, from, once)?, src.modifier)
    } else if changed {
        if src.ty.bytes() != copy.ty.bytes() || within != Some(0) {
            return None;
        }
        (src.ty, modified(inst, &src, copy, from)?)
    } else if let Some(reg) = side_by_side(copies, &src, inst.exec_size) {
        return Some(Src::Reg(SrcReg { reg, ..src }));
    } else {
        (src.ty, src.modifier)
    };
    let read = Read {
        ty,
        modifier,
        widened,
        changed,
    };
    by_element(func, copies, (block, inst), &src, copy, &read)
}

/// How a use reads the source of a copy.
struct Read {
    ty: Type,
    modifier: SrcMod,
    /// True if it reads the value with the type before widening.
    widened: bool,
    /// True if it applies the copy's modifier.
    changed: bool,
}

/// The replacement of `src` from the places of all elements; the first element is of the given copy.
fn by_element(
    func: &mut Function,
    copies: &Copies,
    (block, inst): (Block, &Inst),
    src: &SrcReg,
    first: &Copy,
    read: &Read,
) -> Option<Src> {
    let size = src.ty.bytes();
    let first_modifier = first.from.as_reg()?.modifier;
    let mut places: SmallVec<[Place; 32]> = SmallVec::new();
    for element in 0..u32::from(inst.exec_size) {
        let at = src.reg.byte() + src.element(element);
        let (v, byte) = func.place(src.reg.base(), at)?;
        let copy = copy_for(copies, (block, inst), element, (v, byte), size)?;
        let from = copy.from.as_reg()?;
        let alike = from.modifier == first_modifier && copy.complement == first.complement;
        let byte = if read.widened {
            let (n, within) = copy.element(byte, size)?;
            if within != 0 || from.ty != read.ty {
                return None;
            }
            from.reg.byte() + from.element(n)
        } else if read.changed {
            let (n, within) = copy.element(byte, size)?;
            if within != 0 || copy.ty != first.ty {
                return None;
            }
            from.reg.byte() + from.element(n)
        } else {
            copy.source_byte(byte, size)?
        };
        if !alike {
            return None;
        }
        places.push(func.place(from.reg.base(), byte)?);
        // All channels read it, whichever channel wrote it.
        if src.region == Region::SCALAR && copy.masked.is_none() {
            break;
        }
    }
    let old_span = src.span(inst.exec_size);
    let (reg, region) = fit(func, &places, read.ty, src)?;
    let new = SrcReg {
        reg,
        region,
        ty: read.ty,
        modifier: read.modifier,
        ..*src
    };
    // A wider span would need more pieces of the instruction than the copy had.
    let most = old_span.max(2 * func.target.grf_bytes);
    (new.span(inst.exec_size) <= most).then_some(Src::Reg(new))
}

/// The place of a source in the register of which its own register is a bytewise copy, as far as the source reads:
/// the same region reads it there. This is what the search by elements would find.
fn side_by_side(copies: &Copies, src: &SrcReg, exec_size: u8) -> Option<Reg> {
    let copy = copies.get(src.reg.as_virt()?)?;
    let from = copy.from.as_reg()?;
    let original = from.reg.as_virt()?;
    let start = (src.reg.byte() as i32 - copy.byte).try_into().ok();
    let (start, all): (u32, u32) = (start?, u32::from(copy.exec_size) * copy.ty.bytes());
    let at = from.reg.byte() + start;
    let inside = start + src.span(exec_size) <= all && at.is_multiple_of(src.ty.bytes());
    (inside && copy.masked.is_none() && copy.is_linear()).then(|| Reg::virt(original, at))
}

/// An operand that reads elements of a type at these places.
fn fit(func: &mut Function, places: &[Place], ty: Type, src: &SrcReg) -> Option<(Reg, Region)> {
    let unit = func.target.unit_bytes();
    let size = ty.bytes();
    // The registers in the order of their first read, which is their order in a list.
    let mut regs: SmallVec<[VReg; 4]> = SmallVec::new();
    let mut bytes: SmallVec<[u32; 32]> = SmallVec::new();
    for &(v, byte) in places {
        let n = match regs.iter().position(|&other| other == v) {
            Some(n) => n,
            None => {
                regs.push(v);
                regs.len() - 1
            }
        };
        bytes.push(n as u32 * unit + byte);
    }
    let whole = |v: &VReg| u32::from(func.regs[*v].bytes) == unit;
    let (_, before) = regs.split_last()?;
    if !before.iter().all(whole) {
        return None;
    }
    let first = bytes[0];
    if !first.is_multiple_of(size) {
        return None;
    }
    let mut deltas: SmallVec<[u32; 32]> = SmallVec::new();
    for &byte in &bytes {
        let delta = byte.checked_sub(first).filter(|d| d.is_multiple_of(size))?;
        deltas.push(delta / size);
    }
    let region = region_of(&deltas, src)?;
    let base = match regs[..] {
        [one] => Base::Virt(one),
        _ => Base::List(func.lists.push(regs)),
    };
    Some((Reg::new(base, first), region))
}

/// The region whose elements have these distances from the first, in elements.
fn region_of(deltas: &[u32], src: &SrcReg) -> Option<Region> {
    let unit_region = |region: Region| SrcReg {
        region,
        ty: Type::Ub,
        ..*src
    };
    let says = |region: Region| {
        let region = unit_region(region);
        (deltas.iter().enumerate()).all(|(n, &delta)| region.element(n as u32) == delta)
    };
    if says(src.region) {
        return Some(src.region);
    }
    if says(Region::SCALAR) {
        return Some(Region::SCALAR);
    }
    let step = |n: usize| deltas.get(n).copied().and_then(|d| u8::try_from(d).ok());
    let next = step(1)?;
    let hardware = |n: u8| n == 0 || n.is_power_of_two();
    let even = Region::new(next, 1, 0);
    if says(even) && next <= 32 && hardware(next) {
        return Some(even);
    }
    [2u8, 4, 8, 16].into_iter().find_map(|width| {
        let row = step(width.into())?;
        let region = Region::new(row, width, next);
        let good = hardware(row) && row <= 32 && hardware(next) && next <= 4;
        (good && says(region)).then_some(region)
    })
}

/// The original type of a widened value, if reading it with that type makes no difference.
fn widening(
    func: &Function,
    inst: &Inst,
    n: usize,
    src: &SrcReg,
    from: &SrcReg,
    once: bool,
) -> Option<Type> {
    let size = src.ty.bytes();
    let dst = inst.dst.as_ref()?;
    // The copy extended the sign of its source's type; the operation would now do so.
    let same_value = !from.ty.is_signed() || src.ty.is_signed();
    let integers = !src.ty.is_float() && !from.ty.is_float() && !dst.ty.is_float();
    let plain = src.modifier == SrcMod::default() && from.modifier == SrcMod::default();
    // Elements that differ would be copied for each use on platforms whose channels keep their place.
    let spread = rules(func.target.family).in_place && size == 8 && !once;
    let scalar = from.step(inst.exec_size.into()) == Some(0);
    if !same_value || !integers || !plain || spread && !scalar {
        return None;
    }
    let wide = match inst.gen_op()? {
        Op::Mov => true,
        // A shift is as wide as its destination, whatever its first source has.
        Op::Shl => n == 0 && dst.ty.bytes() == size && size == 8 && inst.cond.is_none(),
        Op::Add | Op::And | Op::Or | Op::Xor => {
            // Narrow elements would make the operation compute in fewer bits.
            let others = || inst.srcs.iter().enumerate().filter(|&(i, _)| i != n);
            let wide = |s: &Src| match s {
                Src::Reg(r) => r.ty.bytes() >= size && !r.ty.is_float(),
                // Immediates of 64 bits are narrowed later.
                Src::Imm(i) => i.ty.bytes() >= size && size < 8 && !is_vector(i.ty),
            };
            let plain = |s: &Src| !is(inst, Props::BITWISE) || !s.has_modifier();
            others().any(|(_, s)| wide(s)) && others().all(|(_, s)| plain(s)) && inst.cond.is_none()
        }
        _ => false,
    };
    wide.then_some(from.ty)
}

/// The modifier for a use of a modified copy, if the use can take it.
fn modified(inst: &Inst, src: &SrcReg, copy: &Copy, from: &SrcReg) -> Option<SrcMod> {
    let op = inst.gen_op()?;
    let dst = inst.dst.as_ref()?;
    let size = copy.ty.bytes();
    if copy.complement {
        // The complement of a wider element would have more ones.
        let exact = inst.srcs.iter().all(|s| s.ty().bytes() == size) && dst.ty.bytes() <= size;
        let takes = matches!(op, Op::And | Op::Or | Op::Xor) && !src.ty.is_float();
        return (exact && takes).then_some(SrcMod {
            neg: !src.modifier.neg,
            abs: false,
        });
    }
    if src.ty != copy.ty {
        return None;
    }
    if src.ty.is_float() {
        let takes = matches!(
            op,
            Op::Mov | Op::Add | Op::Mul | Op::Cmp | Op::Sel | Op::Frc
        ) || matches!(op, Op::Rndu | Op::Rndd | Op::Rnde | Op::Rndz);
        // A move with a sign modifier may flush denormals, which a raw move keeps.
        return (takes && op != Op::Mov).then_some(over(src.modifier, from.modifier));
    }
    // For integers, the magnitude of the least number is itself in the copy, but one more than the greatest as an
    // operand. They are equal only if no more bits are used.
    let low_bits = op == Op::Add
        && !inst.opts.saturate
        && inst.cond.is_none()
        && src.modifier == SrcMod::default()
        && dst.ty.bytes() <= size
        && inst.srcs.iter().all(|s| s.ty().bytes() <= size);
    low_bits.then_some(from.modifier)
}

/// The effect of one modifier after another.
fn over(outer: SrcMod, inner: SrcMod) -> SrcMod {
    if outer.abs {
        return outer;
    }
    SrcMod {
        neg: outer.neg != inner.neg,
        abs: inner.abs,
    }
}

/// An immediate in place of source `n`, if all its elements are the same part of copies of immediates.
fn constant(
    func: &Function,
    copies: &Copies,
    (block, inst): (Block, &Inst),
    n: usize,
    src: &SrcReg,
) -> Option<Src> {
    let size = src.ty.bytes();
    let op = inst.gen_op()?;
    let mut bits = None;
    for element in 0..u32::from(inst.exec_size) {
        let at = src.reg.byte() + src.element(element);
        let (v, byte) = func.place(src.reg.base(), at)?;
        let copy = copy_for(copies, (block, inst), element, (v, byte), size)?;
        let Src::Imm(imm) = copy.from else {
            return None;
        };
        let (_, within) = copy.element(byte, size)?;
        let found = (widened_bits(imm, copy.ty) >> (8 * within)) & mask(size);
        if *bits.get_or_insert(found) != found {
            return None;
        }
        // All channels read it, whichever channel wrote it.
        if src.region == Region::SCALAR && copy.masked.is_none() {
            break;
        }
    }
    let bits = with_modifier(inst, src, bits?)?;
    // A raw move of packed bytes needs a register source.
    let dst = inst.dst.as_ref()?;
    let bytes = dst.ty.bytes() == 1 && dst.hstride == 1 && inst.exec_size > 1;
    let fits = match inst.srcs.len() {
        1 => op == Op::Mov && !bytes,
        2 => {
            let second = n == 1 || exchangeable(inst);
            second && inst.srcs[1 - n].as_reg().is_some() && takes_immediate(op)
        }
        _ => false,
    };
    if !fits {
        return None;
    }
    immediate(inst, n, src.ty, bits).map(Src::Imm)
}

/// True for operations of two sources whose second source may be any immediate.
fn takes_immediate(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Mul | And | Or | Xor | Shl | Shr | Asr | Rol | Ror | Sel | Cmp | Avg
    )
}

/// The bits of an element that is a copy of an immediate, extended if the immediate is an integer.
fn widened_bits(imm: Imm, ty: Type) -> u64 {
    let bits = imm.bits() & mask(imm.ty.bytes());
    let unused = 64 - 8 * imm.ty.bytes().min(8);
    let value = match imm.ty.is_signed() && !imm.ty.is_float() {
        true => ((bits << unused) as i64 >> unused) as u64,
        false => bits,
    };
    value & mask(ty.bytes())
}

/// The bits after a source's modifier, if they have the same size.
fn with_modifier(inst: &Inst, src: &SrcReg, bits: u64) -> Option<u64> {
    let SrcMod { neg, abs } = src.modifier;
    if !neg && !abs {
        return Some(bits);
    }
    let size = src.ty.bytes();
    let sign = 1u64 << (8 * size - 1);
    if src.ty.is_float() {
        let bits = if abs { bits & !sign } else { bits };
        return Some(if neg { bits ^ sign } else { bits });
    }
    if is(inst, Props::BITWISE) {
        let exact = inst.dst.is_some_and(|d| d.ty.bytes() <= size)
            && inst.srcs.iter().all(|s| s.ty().bytes() <= size);
        return (exact && !abs).then_some(!bits & mask(size));
    }
    // The least number has no opposite; without a sign no number but 0 has.
    if !src.ty.is_signed() || bits == sign {
        return None;
    }
    let negative = bits & sign != 0;
    let turn = if abs { negative != neg } else { neg };
    let bits = if turn { bits.wrapping_neg() } else { bits };
    Some(bits & mask(size))
}

/// An immediate, of a type that the hardware has, for a value of `ty`.
fn immediate(inst: &Inst, n: usize, ty: Type, bits: u64) -> Option<Imm> {
    let mov = inst.op == Op::Mov;
    match ty {
        Type::B => Some(Imm::new(Type::W, u64::from(bits as i8 as i16 as u16))),
        Type::Ub => Some(Imm::new(Type::Uw, bits & 0xff)),
        Type::Q | Type::Uq | Type::Df if mov => Some(Imm::new(ty, bits)),
        Type::Q | Type::Uq => {
            // The other source must keep the operation at 64 bits.
            let wide = |s: &Src| s.as_reg().is_some_and(|r| r.ty.bytes() == 8);
            if inst.op == Op::Mul || inst.srcs.len() != 2 || !wide(&inst.srcs[1 - n]) {
                return None;
            }
            let value = bits as i64;
            let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
            let signed = ty == Type::Q && (least..=most).contains(&value);
            if signed || (0..=most).contains(&value) {
                Some(Imm::new(Type::D, u64::from(value as u32)))
            } else {
                None
            }
        }
        Type::Uw | Type::W | Type::Ud | Type::D | Type::F => Some(Imm::new(ty, bits)),
        _ => None,
    }
}

/// True if the first source may be exchanged with the second.
fn exchangeable(inst: &Inst) -> bool {
    let Some(op) = inst.gen_op() else {
        return false;
    };
    let same = inst.srcs[0].ty() == inst.srcs[1].ty();
    let integers = !inst.srcs[0].ty().is_float() && !inst.srcs[1].ty().is_float();
    match op {
        // A product of unlike types is lowered differently from either side.
        Op::Mul => same,
        Op::Sel => inst.cond.is_none() || integers,
        Op::Cmp => inst.cond.is_some_and(|c| flipped(c.cond).is_some()),
        _ => op.is(Props::COMMUTES),
    }
}

/// The relation after the operands are exchanged.
fn flipped(cond: Cond) -> Option<Cond> {
    Some(match cond {
        Cond::Eq => Cond::Eq,
        Cond::Ne => Cond::Ne,
        Cond::Gt => Cond::Lt,
        Cond::Lt => Cond::Gt,
        Cond::Ge => Cond::Le,
        Cond::Le => Cond::Ge,
        Cond::Ov | Cond::Un | Cond::Eo => return None,
    })
}

/// Replaces a source, and exchanges the sources if the new one is an immediate.
fn place(inst: &mut Inst, n: usize, new: Src) {
    inst.srcs[n] = new;
    if !matches!(new, Src::Imm(_)) || inst.srcs.len() != 2 || n == 1 {
        return;
    }
    inst.srcs.swap(0, 1);
    match (inst.op, &mut inst.pred, &mut inst.cond) {
        (Opcode::Gen(Op::Sel), Some(pred), None) => pred.inverse = !pred.inverse,
        (Opcode::Gen(Op::Cmp), _, Some(cond)) => {
            cond.cond = flipped(cond.cond).expect("checked before");
        }
        _ => {}
    }
}

/// The source of a copy of a whole register, as far as it is defined, and true if the copy has all of it.
fn original(func: &Function, copy: &Copy, v: VReg) -> Option<(VReg, bool)> {
    if !copy.is_linear() {
        return None;
    }
    let from = copy.from.as_reg()?;
    let low = copy.byte.max(0) as u32;
    let end = copy.byte + i32::from(copy.exec_size) * copy.ty.bytes() as i32;
    let end = u32::try_from(end).ok()?.min(func.regs[v].bytes.into());
    let to = copy.source_byte(low, end.checked_sub(low)?)?;
    let (source, byte) = func.place(from.reg.base(), to)?;
    let (a, b) = (&func.regs[v], &func.regs[source]);
    let all = low == 0 && end == u32::from(a.bytes);
    let alike = a.class == b.class && a.bytes == b.bytes && byte == low;
    (alike && (all || copy.fresh)).then_some((source, all))
}

#[cfg(test)]
#[path = "tests/copies.rs"]
mod tests;
