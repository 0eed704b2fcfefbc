//! Cuts an operation into pieces of fewer channels.
//!
//! Each piece writes its part of the destination and is tied to the result of the piece before it: all but the last
//! piece of a register define a new version of it, the last one defines the register itself.

use kiln_machine::inst::{Base, CondMod, Dst, Inst, Old, Pred, Reg, Src, SrcReg, VReg};
use kiln_platform::isa::{Cond, Op, RegFile, Region, SrcMod, Type};
use kiln_platform::op::Props;
use kiln_platform::sources::Sources;
use smallvec::SmallVec;

use super::{Legalizer, Result, Shape, exec_bytes, group, is_raw_mov, shape, widest};
use crate::channels::Channels;

/// A destination, and how much of it has been written.
pub(super) struct Dest {
    /// Null, a register of the machine, or the address register of an indirect destination.
    other: Option<Reg>,
    /// The destination registers, and the registers with the contents so far.
    regs: SmallVec<[VReg; 2]>,
    now: SmallVec<[Option<VReg>; 2]>,
    architecture: bool,
    pub byte: u32,
    pub h: u32,
    pub ty: Type,
    pub saturate: bool,
    pub indirect: Option<i16>,
    /// True if no piece may cross a register.
    pub narrow: bool,
    /// Number of channels in all.
    n: u32,
}

impl Dest {
    pub(super) fn is_null(&self) -> bool {
        self.indirect.is_none() && self.other.is_some_and(Reg::is_null)
    }

    pub(super) fn is_architecture(&self) -> bool {
        self.architecture
    }

    /// True if it is at a fixed place, where it may overlap the sources.
    pub(super) fn is_fixed(&self) -> bool {
        self.other.is_some() && !self.is_null()
    }

    fn base(&self) -> Base {
        match self.other {
            Some(reg) => reg.base(),
            None => Base::Virt(self.regs[0]),
        }
    }

    pub(super) fn at(&self, lane: u32) -> u32 {
        self.byte + lane * self.h * self.ty.bytes()
    }
}

impl Legalizer<'_> {
    /// The lower dwords of a destination of quadwords, or after these are written, the upper dwords. Each register has
    /// a version in between.
    pub(super) fn lower(&mut self, dest: &Dest) -> Dest {
        let regs = dest.regs.iter().map(|&v| {
            let data = self.func.regs[v];
            self.func.regs.push(data)
        });
        Dest {
            other: dest.other,
            regs: regs.collect(),
            now: dest.now.clone(),
            architecture: dest.architecture,
            byte: dest.byte,
            h: dest.h * 2,
            ty: Type::Ud,
            saturate: false,
            indirect: dest.indirect,
            narrow: dest.narrow,
            n: dest.n,
        }
    }

    /// See [`Self::lower`].
    pub(super) fn upper(&mut self, dest: &Dest, lower: Dest) -> Dest {
        Dest {
            regs: dest.regs.clone(),
            byte: dest.byte + 4,
            indirect: dest.indirect.map(|imm| imm + 4),
            ..lower
        }
    }
}

/// The flag of a conditional modifier, and the register with its contents so far.
pub(super) struct Flag {
    flag: Reg,
    now: Option<VReg>,
    /// True if the flag is tied to the predicate: the predicate of a piece is then the flag that the piece before
    /// defined.
    under: bool,
}

impl Flag {
    pub(super) fn new(cond: &CondMod, pred: Option<Pred>) -> Flag {
        let now = cond.old.expand();
        Flag {
            flag: cond.flag,
            now,
            under: now.is_some() && pred.and_then(|pred| pred.flag.as_virt()) == now,
        }
    }
}

impl Legalizer<'_> {
    pub(super) fn dest_of(&self, dst: &Dst, saturate: bool, n: u32) -> Dest {
        let base = dst.reg.base();
        let regs = self.func.registers(&base);
        let other = (regs.is_empty() || dst.indirect.is_some()).then_some(dst.reg);
        let architecture = dst.indirect.is_none() && self.is_architecture(dst.reg);
        let (regs, now) = match other {
            Some(_) => (SmallVec::new(), SmallVec::new()),
            None => (
                SmallVec::from_slice(regs),
                (0..regs.len()).map(|i| self.func.old(dst.old, i)).collect(),
            ),
        };
        Dest {
            other,
            regs,
            now,
            architecture,
            byte: dst.reg.byte(),
            h: dst.hstride.into(),
            ty: dst.ty,
            saturate,
            indirect: dst.indirect,
            narrow: false,
            n,
        }
    }

    /// The destination of channels `lane..lane + n`, tied to the contents so far.
    pub(super) fn write(&mut self, dest: &mut Dest, lane: u32, n: u32) -> Dst {
        let byte = dest.at(lane);
        let step = dest.h * dest.ty.bytes();
        if let Some(reg) = dest.other {
            let reg = match (reg.base(), dest.indirect) {
                (Base::Phys(RegFile::Grf, num), None) => {
                    Reg::phys(RegFile::Grf, num + (byte / self.grf) as u8, byte % self.grf)
                }
                (_, None) => reg.at(byte),
                (_, Some(_)) => reg,
            };
            return Dst {
                indirect: dest.indirect.map(|imm| imm + (lane * step) as i16),
                ..Dst::new(reg, dest.h as u8, dest.ty)
            };
        }
        let unit = (byte / self.unit) as usize;
        let next = lane + n;
        let is_last = next >= dest.n || (dest.at(next) / self.unit) as usize != unit;
        let v = dest.regs[unit];
        let v = match is_last {
            true => v,
            false => {
                let data = self.func.regs[v];
                self.func.regs.push(data)
            }
        };
        let old = dest.now[unit].replace(v).map_or(Old::None, Old::Reg);
        Dst {
            old,
            ..Dst::new(Reg::virt(v, byte % self.unit), dest.h as u8, dest.ty)
        }
    }

    /// The element of a channel of a source, as a scalar.
    pub(super) fn element(&self, r: &SrcReg, lane: u32) -> SrcReg {
        let (reg, indirect) = match (r.indirect, r.region.vstride) {
            (None, _) => (self.located(r.reg, r.offset(lane)), None),
            (Some(imm), Some(_)) => {
                let further = r.offset(lane) - r.reg.byte();
                (r.reg, Some(imm + further as i16))
            }
            // Each row has an address of two bytes.
            (Some(imm), None) => {
                let width = u32::from(r.region.width.max(1));
                let (row, column) = (lane / width, lane % width);
                let further = column * u32::from(r.region.hstride) * r.ty.bytes();
                (r.reg.at(r.reg.byte() + row * 2), Some(imm + further as i16))
            }
        };
        SrcReg {
            reg,
            region: Region::SCALAR,
            indirect,
            ..*r
        }
    }

    /// The register with a byte of a source, and the byte's place in it.
    pub(super) fn located(&self, reg: Reg, byte: u32) -> Reg {
        match reg.base() {
            Base::List(l) => {
                let v = self.func.lists[l][(byte / self.unit) as usize];
                Reg::virt(v, byte % self.unit)
            }
            Base::Phys(file @ RegFile::Grf, num) => {
                Reg::phys(file, num + (byte / self.grf) as u8, byte % self.grf)
            }
            Base::Null | Base::Virt(_) | Base::Phys(..) => reg.at(byte),
        }
    }

    /// Emits an operation that has to be cut only.
    pub(super) fn cut(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        mut srcs: Sources<Src>,
        mut cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        let n = channels.count();
        let masked = !channels.no_mask
            || channels.pred.is_some()
            || cond.as_ref().is_some_and(|c| !c.1.flag.is_null());
        // The destination of a three-source operation is aligned.
        let even = match (shape(op), self.align16) {
            (Shape::Three, true) => 16 / (dest.h * dest.ty.bytes()),
            (Shape::Three, false) => 8 / (dest.h * dest.ty.bytes()),
            (Shape::Regions | Shape::Math, _) => 1,
        };
        // Align16 writes four elements of 32 bits or one.
        let pair = shape(op) == Shape::Three && self.align16 && n == 2 && dest.ty.bytes() < 8;
        let even = if pair { 1 } else { even.clamp(1, n) };
        let unit = self.channel_unit;
        let least = if masked { n.min(unit) } else { 1 }
            .max(group(op))
            .max(even);
        if n < group(op) {
            return self.fail("fewer channels than the operation's groups have");
        }
        // An operand that fits as a whole fits in pieces.
        let mut is_whole = self.fits(dest, n, n);
        if !is_whole && !self.fits(dest, n, least) {
            return self.scattered(op, channels, dest, srcs, cond);
        }
        for s in &mut srcs {
            let Src::Reg(r) = *s else { continue };
            if self.source_fits(&r, 0, n, shape(op)) {
                continue;
            }
            is_whole = false;
            let fits = |lane| self.source_fits(&r, lane, least, shape(op));
            if !(0..n).step_by(least as usize).all(fits) {
                *s = self.gathered(r, n)?;
            }
        }
        let most = match pair {
            true => 1,
            false => self.most_channels(op, dest, &srcs),
        };
        let mut lane = 0;
        while lane < n {
            let off = u32::from(channels.off) + lane;
            let is_one = |size: u32| {
                let named = !masked || size <= unit || off.is_multiple_of(size);
                let fits = || {
                    self.fits_at(dest, lane, size)
                        && srcs.iter().all(|s| self.reads_at(s, lane, size, shape(op)))
                };
                named && (is_whole && size == n || fits())
            };
            let mut size = 1 << (n - lane).min(most).ilog2();
            while size > least && !is_one(size) {
                size /= 2;
            }
            let cond = cond.as_deref_mut();
            self.piece(op, channels, dest, &srcs, cond, lane, size, masked)?;
            lane += size;
        }
        Ok(())
    }

    /// True if the destination can be written in pieces of `size` channels.
    pub(super) fn fits(&self, dest: &Dest, n: u32, size: u32) -> bool {
        (0..n / size).all(|p| self.fits_at(dest, p * size, size))
    }

    /// True if channels `lane..lane + n` of the destination can be written by one instruction.
    fn fits_at(&self, dest: &Dest, lane: u32, n: u32) -> bool {
        if dest.indirect.is_some() || dest.is_null() || dest.is_architecture() {
            return true;
        }
        let (step, bytes) = (dest.h * dest.ty.bytes(), dest.ty.bytes());
        let last = dest.at(lane + n - 1) + bytes - 1;
        let crosses = dest.narrow && dest.at(lane) / self.grf != last / self.grf;
        !crosses && self.contained(dest.at(lane), n, step, bytes, dest.base())
    }

    /// True if channels `lane..lane + n` of a source can be read by one instruction.
    fn reads_at(&self, s: &Src, lane: u32, n: u32, shape: Shape) -> bool {
        match s {
            Src::Imm(_) => true,
            Src::Reg(r) => self.source_fits(r, lane, n, shape),
        }
    }

    /// Maximum number of channels of a piece, wherever its operands are.
    fn most_channels(&self, op: Op, dest: &Dest, srcs: &[Src]) -> u32 {
        let raw = is_raw_mov(op, dest.saturate, dest.ty, srcs);
        let exec = match raw {
            true => dest.ty.bytes(),
            false => exec_bytes(srcs),
        };
        let two = 2 * self.grf;
        let written = match dest.indirect {
            Some(_) => dest.h * dest.ty.bytes(),
            None => 1,
        };
        let has = |ty| dest.ty == ty || srcs.iter().any(|src| src.ty() == ty);
        let mixed = dest.ty == Type::F && has(Type::Hf) && op != Op::Mov && self.rules.narrow_mixes;
        let brains = has(Type::Bf) && has(Type::F);
        let most = match mixed || brains {
            true => self.grf / 4,
            false => widest(op, exec, self.grf),
        };
        most.min(two / exec).min(two / written).max(1)
    }

    /// A packed copy of a source, with the source's modifiers.
    fn gathered(&mut self, r: SrcReg, n: u32) -> Result<Src> {
        if r.indirect.is_some() {
            return self.fail("an indirect operand of this shape");
        }
        let tmp = self.temp(n * r.ty.bytes());
        let raw = SrcReg {
            ty: self.moved_as(r.ty),
            modifier: SrcMod::default(),
            ..r
        };
        let mut copy = self.dest_of(&Dst::new(tmp, 1, raw.ty), false, n);
        self.carried(raw, &mut copy, n)?;
        let mut new = Src::packed(tmp, r.ty);
        if let Src::Reg(new) = &mut new {
            new.modifier = r.modifier;
        }
        Ok(new)
    }

    /// Emits an operation whose destination cannot be written by any channels of an execution mask in one piece. It works on an
    /// aligned copy of the destination's elements, which is then copied back.
    pub(super) fn scattered(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        srcs: Sources<Src>,
        cond: Option<&mut (Cond, Flag)>,
    ) -> Result {
        let n = channels.count();
        let ty = dest.ty;
        let tmp = self.temp(n * ty.bytes());
        let result = self.temp(n * ty.bytes());
        // The old contents, where they are defined: some of the registers may be written later.
        let mut before = self.dest_of(&Dst::new(tmp, 1, ty), false, n);
        let mut old = Old::None;
        let there = |lane: u32| {
            let byte = dest.at(lane);
            let further = byte - dest.at(0);
            let reg = match (dest.other, dest.indirect) {
                (Some(reg), Some(_)) => Some(reg),
                (Some(reg), None) => Some(self.located(reg, byte)),
                (None, _) => {
                    dest.now[(byte / self.unit) as usize].map(|v| Reg::virt(v, byte % self.unit))
                }
            };
            let indirect = dest.indirect.map(|imm| imm + further as i16);
            let of = |reg| match Src::scalar(reg, ty) {
                Src::Reg(r) => Some(SrcReg { indirect, ..r }),
                Src::Imm(_) => None,
            };
            reg.and_then(of)
        };
        let wanted: SmallVec<[Option<SrcReg>; 32]> = (0..n).map(there).collect();
        if let Some(&any) = wanted.iter().flatten().next() {
            let wanted: SmallVec<[SrcReg; 32]> =
                wanted.iter().map(|from| from.unwrap_or(any)).collect();
            self.singly(&wanted, ty, &mut before);
            let base = tmp.base();
            old = match *self.func.registers(&base) {
                [one] => Old::Reg(one),
                _ => tmp.as_list().map_or(Old::None, Old::List),
            };
        }
        let dst = Dst {
            old,
            ..Dst::new(result, 1, ty)
        };
        let mut aligned = self.dest_of(&dst, dest.saturate, n);
        self.alu(op, channels, &mut aligned, srcs, cond)?;
        dest.saturate = false;
        dest.ty = self.moved_as(ty);
        let Src::Reg(back) = Src::packed(result, dest.ty) else {
            return Ok(());
        };
        self.carried(back, dest, n)
    }

    /// Copies elements to wherever they belong: in pieces, or one by one where not every place reaches every other.
    fn carried(&mut self, from: SrcReg, dest: &mut Dest, n: u32) -> Result {
        if from.indirect.is_none() && !self.moves_freely(from.ty) {
            self.one_by_one(from, dest, n);
            return Ok(());
        }
        let srcs = Sources::from([Src::Reg(from)]);
        self.cut(Op::Mov, Channels::all(n as u8), dest, srcs, None)
    }

    /// Emits the instruction for `n` channels of an operation from `lane`.
    #[expect(clippy::too_many_arguments, reason = "the parts of an operation")]
    fn piece(
        &mut self,
        op: Op,
        channels: Channels,
        dest: &mut Dest,
        srcs: &[Src],
        cond: Option<&mut (Cond, Flag)>,
        lane: u32,
        n: u32,
        masked: bool,
    ) -> Result {
        let mut inst = Inst::new(op, n as u8);
        inst.opts.no_mask = channels.no_mask;
        inst.opts.saturate = dest.saturate;
        inst.opts.acc_wr_en = op.is(Props::WRITES_ACC);
        inst.pred = channels.pred;
        let off = u32::from(channels.off) + lane;
        // The offset also selects the bits of the flag.
        inst.chan_off = if masked { off as u8 } else { 0 };
        if masked && !off.is_multiple_of(n.max(self.channel_unit)) {
            return self.fail("channels that no execution mask names");
        }
        for s in srcs {
            let legal = match *s {
                Src::Imm(_) => *s,
                Src::Reg(r) => {
                    let Some(region) = self.region_of(&r, lane, n, shape(op)) else {
                        return self.fail("a region the hardware does not have");
                    };
                    Src::Reg(SrcReg {
                        region,
                        ..self.element(&r, lane)
                    })
                }
            };
            inst.srcs.push(legal);
        }
        if let Some((cond, flag)) = cond {
            let old = flag.now;
            if let (true, Some(pred), Some(now)) = (flag.under, &mut inst.pred, old) {
                pred.flag = Reg::virt(now, pred.flag.byte());
            }
            let reg = match flag.flag.as_virt() {
                Some(v) if lane + n >= channels.count() => Reg::virt(v, 0),
                Some(v) => {
                    let data = self.func.regs[v];
                    Reg::virt(self.func.regs.push(data), 0)
                }
                None => flag.flag,
            };
            flag.now = reg.as_virt();
            inst.cond = Some(CondMod {
                cond: *cond,
                flag: reg,
                old: old.into(),
            });
        }
        inst.dst = Some(self.write(dest, lane, n));
        match op {
            Op::Macl => self.through_accumulator(inst),
            _ => self.push(inst),
        }
        Ok(())
    }
}
