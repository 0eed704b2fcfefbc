//! Makes any operation legal on the machine.
//!
//! Takes an operation on [`Opnd`]s with whatever types and regions vISA allows and emits Gen
//! instructions that the hardware takes (PRM, "Register Region Restrictions", "Instruction Set
//! Reference"). Three things happen: operands the hardware cannot express are copied to
//! temporaries; a destination narrower than the execution type goes through a strided temporary;
//! and an operation that is too wide, or whose operands straddle allocation units, is cut into
//! pieces of fewer channels.

use kiln_emit::inst::{
    Cond, CondMod, Dst, Inst as Gen, MathFn, Op, Place, PredCtrl, Reg, Region, SWIZZLE_XYZW, Src,
    SrcMod, SrcReg, Type,
};
use smallvec::SmallVec;

use crate::lower::{Base, Ctl, DstOpnd, Opnd, RegOpnd, Select, SelectError, indirect};
use crate::mir::{GRF_BYTES, MInst, UNIT_BYTES};

/// An operation's condition modifier: the relation and where its flag goes ([`Base::Null`] for
/// `sel`, which has none).
pub type CondOpnd = Option<(Cond, Base)>;

type Result<T = ()> = std::result::Result<T, SelectError>;

/// An operation that only has to be cut into pieces.
#[derive(Clone, Copy)]
struct Whole<'a> {
    op: Op,
    ctl: Ctl,
    dst: &'a DstOpnd,
    srcs: &'a [Opnd],
    cond: CondOpnd,
}

/// How the sources of an operation are encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One or two sources with regions.
    Regions,
    /// The math unit: packed or scalar.
    Math,
    /// Three sources: 16-byte aligned, packed or scalar.
    Three,
}

fn shape(op: Op) -> Shape {
    match op {
        Op::Math(_) => Shape::Math,
        Op::Mad | Op::Madm | Op::Lrp | Op::Bfe | Op::Bfi2 => Shape::Three,
        _ => Shape::Regions,
    }
}

/// Channels an operation takes at the most, whatever its operands.
fn widest(op: Op, exec_bytes: u32) -> u32 {
    match op {
        Op::Math(MathFn::Idiv | MathFn::Iqot | MathFn::Irem) => 8,
        // They go through the accumulator, which holds eight 32-bit channels to full width.
        Op::Mach | Op::Addc | Op::Subb => 8,
        Op::Bfi1 | Op::Bfi2 | Op::Bfe if exec_bytes == 4 => 16,
        _ if shape(op) == Shape::Three && exec_bytes == 8 => 8,
        _ => 32,
    }
}

fn commutes(op: Op) -> bool {
    matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Avg)
}

/// The relation that holds with the operands exchanged.
fn flipped(c: Cond) -> Cond {
    match c {
        Cond::Gt => Cond::Lt,
        Cond::Lt => Cond::Gt,
        Cond::Ge => Cond::Le,
        Cond::Le => Cond::Ge,
        same => same,
    }
}

/// Bytes of the execution type: that of the widest source, bytes counting as words.
fn exec_bytes(srcs: &[Opnd]) -> u32 {
    let one = |s: &Opnd| match s.ty() {
        Type::V | Type::Uv => 2,
        ty => ty.bytes().max(2),
    };
    srcs.iter().map(one).max().unwrap_or(4)
}

fn is_raw_mov(op: Op, dst: &DstOpnd, srcs: &[Opnd]) -> bool {
    op == Op::Mov
        && !dst.saturate
        && matches!(srcs, [Opnd::Reg(r)] if r.modifier == SrcMod::default()
            && r.ty.bytes() == dst.ty.bytes()
            && (r.ty == dst.ty || !r.ty.is_float() && !dst.ty.is_float()))
}

/// `mov` cannot convert between these in one step (PRM, "mov", type restrictions).
fn needs_step(dst: Type, src: Type) -> Option<Type> {
    let (d, s) = (dst.bytes(), src.bytes());
    let via = if dst.is_float() || src.is_float() {
        Type::F
    } else {
        Type::D
    };
    match (dst, src) {
        (Type::Hf, Type::Df | Type::Q | Type::Uq) | (Type::Df | Type::Q | Type::Uq, Type::Hf) => {
            Some(Type::F)
        }
        _ if d == 1 && s == 8 || d == 8 && s == 1 => Some(if src.is_float() || via == Type::D {
            Type::D
        } else {
            via
        }),
        // Between bytes and half floats as between bytes and floats, in steps of four at most.
        _ => None,
    }
}

impl Select<'_, '_> {
    /// Emits `dst = op(srcs)` for the channels of `ctl`.
    pub fn alu(&mut self, op: Op, ctl: Ctl, dst: DstOpnd, srcs: &[Opnd], cond: CondOpnd) -> Result {
        let mut ctl = ctl;
        let mut cond = cond;
        let mut srcs: SmallVec<[Opnd; 3]> = srcs.iter().copied().collect();
        for s in &mut srcs {
            *s = narrow_imm(*s, op == Op::Mov);
        }
        if let (Op::Mov, Some(via)) = (op, needs_step(dst.ty, srcs[0].ty())) {
            let tmp = self.temp(u32::from(ctl.size) * via.bytes());
            // Floats saturate to 0..1, which is not what the last step is asked for.
            let saturate = dst.saturate && !via.is_float();
            let middle = DstOpnd {
                saturate,
                ..DstOpnd::new(tmp, 0, via)
            };
            // A conversion from floats stops at the ends of the range even without being told.
            let saturate = dst.saturate || srcs[0].ty().is_float() && !dst.ty.is_float();
            self.alu(op, Ctl { pred: None, ..ctl }, middle, &srcs, None)?;
            let step = Opnd::packed(tmp, 0, via);
            return self.alu(op, ctl, DstOpnd { saturate, ..dst }, &[step], cond);
        }
        self.place_immediates(op, &dst, &mut ctl, &mut cond, &mut srcs)?;
        if shape(op) != Shape::Regions {
            for s in &mut srcs {
                *s = self.plain(*s, op, dst.ty, ctl)?;
            }
        }
        // The hardware does not saturate a move within one integer type.
        let mut dst = dst;
        if op == Op::Mov && srcs[0].ty() == dst.ty && !dst.ty.is_float() && dst.saturate {
            if srcs[0].has_modifier() {
                // The magnitude of the least number is one more than the greatest.
                let zero = Opnd::Imm {
                    ty: Type::W,
                    bits: 0,
                };
                return self.alu(Op::Add, ctl, dst, &[srcs[0], zero], cond);
            }
            dst.saturate = false;
        }
        if let (Op::Mov, [Opnd::Reg(r)]) = (op, &mut srcs[..])
            && is_raw_mov(op, &dst, &[Opnd::Reg(*r)])
        {
            // Raw moves are of one type: packed bytes have no others.
            r.ty = dst.ty;
        }
        // Align16 thinks in groups of four channels: one or two under a mask, and predicates other
        // than channel by channel, are left to a move.
        let plain_pred = ctl
            .pred
            .is_none_or(|p| p.ctrl == PredCtrl::Normal && ctl.size > 2);
        if shape(op) == Shape::Three && (!plain_pred || !ctl.no_mask && ctl.size <= 2) {
            let tmp = self.temp(u32::from(ctl.size) * dst.ty.bytes());
            let whole = DstOpnd {
                saturate: dst.saturate,
                ..DstOpnd::new(tmp, 0, dst.ty)
            };
            self.alu(op, Ctl::all(ctl.size), whole, &srcs, cond)?;
            let back = Opnd::packed(tmp, 0, dst.ty);
            return self.alu(
                Op::Mov,
                ctl,
                DstOpnd {
                    saturate: false,
                    ..dst
                },
                &[back],
                None,
            );
        }
        // A destination the operation cannot write is written in two steps.
        let n = u32::from(ctl.size);
        let raw = is_raw_mov(op, &dst, &srcs);
        let exec = if raw {
            dst.ty.bytes()
        } else {
            exec_bytes(&srcs)
        };
        let (bytes, mut h) = (dst.ty.bytes(), dst.h);
        let step = exec.max(bytes);
        let addressed = matches!(dst.base, Base::Null | Base::Arch(..));
        if dst.base == Base::Null && dst.through.is_none() {
            h = 1;
        } else if n == 1 && !addressed {
            h = (step / bytes).min(4);
        }
        let packed_bytes = bytes == 1 && h == 1 && n > 1 && !raw;
        let misaligned =
            !addressed && (!dst.byte.is_multiple_of(step) || (n > 1 && h * bytes % step != 0));
        let unaligned16 =
            shape(op) == Shape::Three && (n > 1 && (h != 1 || !dst.byte.is_multiple_of(16)));
        let indirect_narrow = dst.through.is_some() && bytes * h < step;
        let math = shape(op) == Shape::Math && n > 1 && h != 1;
        if raw && misaligned {
            return self.fail("a destination that is not aligned to its type");
        }
        if packed_bytes || misaligned || unaligned16 || indirect_narrow || math {
            let stride = (step / bytes).max(if packed_bytes { 2 } else { 1 });
            if stride > 4 {
                let tmp = self.temp(n * step);
                let wide = DstOpnd::new(tmp, 0, widened(dst.ty, step));
                let pred = if op == Op::Sel { ctl.pred } else { None };
                self.alu(op, Ctl { pred, ..ctl }, wide, &srcs, cond)?;
                let pred = if op == Op::Sel { None } else { ctl.pred };
                let back = Opnd::packed(tmp, 0, wide.ty);
                return self.alu(Op::Mov, Ctl { pred, ..ctl }, dst, &[back], None);
            }
            if stride > 1 && shape(op) != Shape::Regions {
                return self.fail(format!("a destination of type {}", dst.ty.name()));
            }
            let tmp = self.temp(n * stride * bytes);
            let wide = DstOpnd {
                base: tmp,
                byte: 0,
                through: None,
                h: stride,
                ..dst
            };
            self.alu(
                op,
                Ctl {
                    pred: if op == Op::Sel { ctl.pred } else { None },
                    ..ctl
                },
                wide,
                &srcs,
                cond,
            )?;
            let back = Opnd::strided(tmp, 0, dst.ty, stride);
            let pred = if op == Op::Sel { None } else { ctl.pred };
            return self.alu(
                Op::Mov,
                Ctl { pred, ..ctl },
                DstOpnd {
                    saturate: false,
                    ..dst
                },
                &[back],
                None,
            );
        }
        let dst = DstOpnd { h, ..dst };
        let least = if needs_mask(ctl, cond) { n.min(4) } else { 1 };
        if !fits(&dst, n, least) {
            return self.alu_scattered(op, ctl, dst, &srcs, cond);
        }
        let piece = self.piece_size(op, exec, least, n, &dst, &mut srcs)?;
        let mut lane = 0;
        while lane < n {
            self.piece(
                &Whole {
                    op,
                    ctl,
                    dst: &dst,
                    srcs: &srcs,
                    cond,
                },
                lane,
                piece,
            )?;
            lane += piece;
        }
        Ok(())
    }

    /// Immediates go where the hardware takes them: the last of one or two sources.
    fn place_immediates(
        &mut self,
        op: Op,
        dst: &DstOpnd,
        ctl: &mut Ctl,
        cond: &mut CondOpnd,
        srcs: &mut SmallVec<[Opnd; 3]>,
    ) -> Result {
        let is_imm = |s: &Opnd| matches!(s, Opnd::Imm { .. });
        if srcs.len() == 2 && is_imm(&srcs[0]) && !is_imm(&srcs[1]) {
            let swap = match (op, cond.as_mut()) {
                (Op::Cmp, Some((c, _))) => {
                    *c = flipped(*c);
                    true
                }
                (Op::Sel, Some(_)) => true,
                (Op::Sel, None) => {
                    if let Some(p) = &mut ctl.pred {
                        p.inverse = !p.inverse;
                    }
                    true
                }
                _ => commutes(op),
            };
            if swap {
                srcs.swap(0, 1);
            }
        }
        let last = srcs.len() - 1;
        if let [_, second @ Opnd::Reg(r)] = srcs[..]
            && self.is_architecture(r.base)
        {
            // Only the first source may be an architecture register.
            srcs[1] = self.converted(
                second,
                r.ty,
                if r.step(2) == Some(0) { 1 } else { ctl.size },
            )?;
        }
        for i in 0..srcs.len() {
            let Opnd::Imm { ty, .. } = srcs[i] else {
                continue;
            };
            let fits = shape(op) != Shape::Math || matches!(ty, Type::F | Type::D | Type::Ud);
            if let Some(element) = vector_element(ty) {
                // The element that a channel gets is that of the destination's word or dword, so
                // that nothing but a move to packed ones does what is written.
                let in_place = op == Op::Mov
                    && ctl.size <= 8
                    && dst.h * dst.ty.bytes() == element.bytes()
                    && dst.byte.is_multiple_of(16)
                    && dst.base != Base::Null;
                if !in_place {
                    srcs[i] = self.vector_temp(srcs[i], element)?;
                }
                continue;
            }
            let allowed = i == last && srcs.len() < 3 && (ty.bytes() < 8 || op == Op::Mov) && fits;
            if !allowed {
                srcs[i] = self.scalar_temp(srcs[i])?;
            }
        }
        Ok(())
    }

    /// A register with the value of an immediate, for all channels.
    pub fn scalar_temp(&mut self, imm: Opnd) -> Result<Opnd> {
        let ty = imm.ty();
        let tmp = self.temp(ty.bytes());
        self.alu(Op::Mov, Ctl::SCALAR, DstOpnd::new(tmp, 0, ty), &[imm], None)?;
        Ok(Opnd::scalar(tmp, 0, ty))
    }

    /// A register with the elements of a packed immediate, which repeat from the first one on.
    fn vector_temp(&mut self, imm: Opnd, element: Type) -> Result<Opnd> {
        let n = if element == Type::F { 4 } else { 8 };
        let tmp = self.temp(n * element.bytes());
        self.alu(
            Op::Mov,
            Ctl::all(n as u8),
            DstOpnd::new(tmp, 0, element),
            &[imm],
            None,
        )?;
        let Opnd::Reg(packed) = Opnd::packed(tmp, 0, element) else {
            return Ok(imm);
        };
        Ok(Opnd::Reg(RegOpnd {
            v: Some(0),
            w: n,
            h: 1,
            ..packed
        }))
    }

    /// A source packed or scalar, as the math unit and three-source operations need it.
    fn plain(&mut self, s: Opnd, op: Op, ty: Type, ctl: Ctl) -> Result<Opnd> {
        let Opnd::Reg(r) = s else { return Ok(s) };
        let n = u32::from(ctl.size);
        let three = shape(op) == Shape::Three;
        // The replication of a three-source operand knows 32-bit elements, no wider ones.
        let replicates = !(three && r.ty.bytes() == 8 && n > 1);
        let same_type =
            r.ty == ty || (!r.ty.is_float() && !ty.is_float() && r.ty.bytes() == ty.bytes());
        let good = r.through.is_none()
            && match r.step(n) {
                Some(0) => replicates,
                Some(1) => r.byte % if three { 16 } else { r.ty.bytes() } == 0,
                _ => false,
            };
        if good && same_type {
            return Ok(s);
        }
        let to = if same_type { r.ty } else { ty };
        if r.step(n) == Some(0) && r.through.is_none() && replicates {
            let tmp = self.temp(to.bytes());
            self.alu(Op::Mov, Ctl::SCALAR, DstOpnd::new(tmp, 0, to), &[s], None)?;
            return Ok(Opnd::scalar(tmp, 0, to));
        }
        let tmp = self.temp(n * to.bytes());
        self.alu(
            Op::Mov,
            Ctl::all(ctl.size),
            DstOpnd::new(tmp, 0, to),
            &[s],
            None,
        )?;
        Ok(Opnd::packed(tmp, 0, to))
    }

    /// An operation whose destination no four channels write in one piece: it works on an aligned
    /// copy of the destination's elements, which is then put back one by one.
    fn alu_scattered(
        &mut self,
        op: Op,
        ctl: Ctl,
        dst: DstOpnd,
        srcs: &[Opnd],
        cond: CondOpnd,
    ) -> Result {
        let n = u32::from(ctl.size);
        let bytes = dst.ty.bytes();
        let tmp = self.temp(n * bytes);
        let copy = |s: &mut Self, to: &DstOpnd, from: Reg| {
            let mut mov = Gen::new(Op::Mov, 1);
            mov.no_mask = true;
            mov.srcs.push(Src::reg(from, Region::SCALAR, to.ty));
            let (reg, old) = s.write(to.base, to.byte);
            mov.dst = Some(Dst::new(reg, 1, to.ty));
            let mut m = MInst::new(mov);
            m.tied_dst = old;
            s.code.push(m);
        };
        for i in 0..n {
            if let Some(from) = self.contents(dst.base, dst.byte + i * dst.h * bytes) {
                copy(self, &DstOpnd::new(tmp, i * bytes, dst.ty), from);
            }
        }
        self.alu(
            op,
            ctl,
            DstOpnd {
                saturate: dst.saturate,
                ..DstOpnd::new(tmp, 0, dst.ty)
            },
            srcs,
            cond,
        )?;
        for i in 0..n {
            let from = self.read(tmp, i * bytes);
            copy(
                self,
                &DstOpnd::new(dst.base, dst.byte + i * dst.h * bytes, dst.ty),
                from,
            );
        }
        Ok(())
    }

    /// Channels a piece may have so that every operand of every piece is legal. Sources that would
    /// make the pieces smaller than `least` are replaced by aligned copies.
    fn piece_size(
        &mut self,
        op: Op,
        exec: u32,
        least: u32,
        n: u32,
        dst: &DstOpnd,
        srcs: &mut SmallVec<[Opnd; 3]>,
    ) -> Result<u32> {
        let mut size = n.min(widest(op, exec)).min(2 * GRF_BYTES / exec).max(1);
        if dst.through.is_some() {
            size = size.min((2 * GRF_BYTES / (dst.h * dst.ty.bytes())).max(1));
        }
        while size > 1 && !fits(dst, n, size) {
            size /= 2;
        }
        for s in srcs.iter_mut() {
            let Opnd::Reg(r) = *s else { continue };
            let mut own = size;
            while own > 1 && !(0..n / own).all(|p| source_fits(&r, p * own, own)) {
                own /= 2;
            }
            if own >= least.max(size / 2) || own >= size {
                size = size.min(own);
                continue;
            }
            // Copied without its modifiers, which the operation still applies.
            let tmp = self.temp(n * r.ty.bytes());
            for lane in (0..n).step_by(own as usize) {
                let to = DstOpnd::new(tmp, lane * r.ty.bytes(), r.ty);
                self.copy_elements(own, lane, &to, &r)?;
            }
            *s = Opnd::packed(tmp, 0, r.ty);
            if let Opnd::Reg(new) = s {
                new.modifier = r.modifier;
            }
        }
        Ok(size)
    }

    /// Copies `n` elements from `lane` one by one.
    fn copy_elements(&mut self, n: u32, lane: u32, to: &DstOpnd, from: &RegOpnd) -> Result {
        if from.through.is_some() {
            return self.fail("an indirect operand of this shape");
        }
        for i in 0..n {
            let one = Opnd::scalar(from.base, from.at(lane + i), from.ty);
            let dst = DstOpnd {
                byte: to.byte + i * to.ty.bytes(),
                ..*to
            };
            let copy = Whole {
                op: Op::Mov,
                ctl: Ctl::SCALAR,
                dst: &dst,
                srcs: &[one],
                cond: None,
            };
            self.piece(&copy, 0, 1)?;
        }
        Ok(())
    }

    /// Emits the instruction for `n` channels of an operation from `lane`.
    fn piece(&mut self, whole: &Whole, lane: u32, n: u32) -> Result {
        let Whole {
            op,
            ctl,
            dst,
            srcs,
            cond,
        } = *whole;
        let mut inst = Gen::new(op, n as u8);
        inst.no_mask = ctl.no_mask;
        inst.pred = ctl.pred;
        inst.saturate = dst.saturate;
        inst.opts.align16 = op == Op::Madm;
        inst.opts.acc_wr_en = matches!(op, Op::Mach | Op::Addc | Op::Subb);
        let off = u32::from(ctl.off) + lane;
        // The offset also says which bits of a flag belong to the channels.
        let matters = needs_mask(ctl, cond);
        inst.chan_off = if matters { off as u8 } else { 0 };
        if matters && (!off.is_multiple_of(4) || n > 4 && !off.is_multiple_of(n)) {
            return self.fail("channels that no execution mask names");
        }
        for s in srcs {
            let gen_src = match *s {
                Opnd::Imm { ty, bits } => Src::imm(ty, bits),
                Opnd::Reg(r) => {
                    let Some(region) = region_of(&r, lane, n, shape(op)) else {
                        return self.fail("a region the hardware does not have");
                    };
                    let place = match r.through {
                        Some(t) if r.v.is_some() => indirect(t, (r.at(lane) - r.byte) as i32),
                        Some(mut t) => {
                            t.sub += (lane / r.w.max(1) * 2) as u16;
                            indirect(t, 0)
                        }
                        None => {
                            let at = r.at(lane);
                            Place::Direct(self.read(r.base, at))
                        }
                    };
                    Src::Reg(SrcReg {
                        place,
                        region,
                        ty: r.ty,
                        modifier: r.modifier,
                        swizzle: SWIZZLE_XYZW,
                        mme: None,
                    })
                }
            };
            inst.srcs.push(gen_src);
        }
        let mut tied_flag = None;
        if let Some((cond, flag)) = cond {
            let reg = if flag == Base::Null {
                Reg::NULL
            } else {
                let (reg, old) = self.write(flag, 0);
                tied_flag = old;
                reg
            };
            inst.cond = Some(CondMod { cond, flag: reg });
        }
        let step = dst.h * dst.ty.bytes();
        let (place, tied_dst) = match dst.through {
            Some(t) => (indirect(t, (lane * step) as i32), None),
            None => {
                let (reg, old) = self.write(dst.base, dst.byte + lane * step);
                (Place::Direct(reg), old)
            }
        };
        let mut gen_dst = Dst::new(Reg::NULL, dst.h as u8, dst.ty);
        gen_dst.place = place;
        inst.dst = Some(gen_dst);
        let mut m = MInst::new(inst);
        m.tied_dst = tied_dst;
        m.tied_flag = tied_flag;
        self.code.push(m);
        Ok(())
    }
}

/// The type of so many bytes that holds what `ty` does.
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

/// The execution mask, a predicate or a flag makes it matter which channels a piece has.
fn needs_mask(ctl: Ctl, cond: CondOpnd) -> bool {
    !ctl.no_mask || ctl.pred.is_some() || cond.is_some_and(|(_, flag)| flag != Base::Null)
}

/// Whether the destination can be written in pieces of `size` channels.
fn fits(dst: &DstOpnd, n: u32, size: u32) -> bool {
    let step = dst.h * dst.ty.bytes();
    matches!(dst.base, Base::Null | Base::Arch(..))
        || (0..n / size).all(|p| {
            let from = dst.byte + p * size * step;
            contained(from, from + (size - 1) * step + dst.ty.bytes(), dst.base)
        })
}

/// Whether the bytes `from..to` lie in one allocation unit, and if in two registers, evenly.
fn contained(from: u32, to: u32, base: Base) -> bool {
    let end = to - 1;
    if base != Base::Abs && from / UNIT_BYTES != end / UNIT_BYTES {
        return false;
    }
    from / GRF_BYTES == end / GRF_BYTES
        || from.is_multiple_of(GRF_BYTES) && to - from <= 2 * GRF_BYTES
}

fn source_fits(r: &RegOpnd, lane: u32, n: u32) -> bool {
    if r.through.is_some() || matches!(r.base, Base::Null | Base::Arch(..)) {
        return r.through.is_none() || n * r.ty.bytes() <= 2 * GRF_BYTES;
    }
    let ends = (0..n).map(|i| r.at(lane + i));
    let from = ends.clone().min().unwrap_or(0);
    let to = ends.max().unwrap_or(0) + r.ty.bytes();
    contained(from, to, r.base) && region_of(r, lane, n, Shape::Regions).is_some()
}

/// The region for `n` channels from `lane`, if the hardware has it.
fn region_of(r: &RegOpnd, lane: u32, n: u32, shape: Shape) -> Option<Region> {
    let Some(v) = r.v else {
        // One address a row.
        return Some(Region {
            vstride: None,
            width: r.w as u8,
            hstride: if r.w == 1 { 0 } else { r.h as u8 },
        });
    };
    let (w, bytes) = (r.w, r.ty.bytes());
    let step = if n == 1 {
        Some(0)
    } else if lane % w + n <= w {
        Some(r.h)
    } else if !lane.is_multiple_of(w) && r.step(u32::MAX).is_none() {
        return None;
    } else {
        r.step(u32::MAX)
    };
    let row_fits = |at: u32, row: u32| at % GRF_BYTES + row <= GRF_BYTES;
    match step {
        Some(0) => Some(Region::SCALAR),
        Some(1) => {
            let width = n.min(if bytes <= 2 { 16 } else { GRF_BYTES / bytes });
            let aligned = r.through.is_some() || r.at(lane).is_multiple_of(width * bytes);
            if aligned || shape == Shape::Three {
                Some(Region::new(width as u8, width as u8, 1))
            } else {
                Some(Region::new(1, 1, 0))
            }
        }
        Some(s) if matches!(s, 2 | 4 | 8 | 16 | 32) => Some(Region::new(s as u8, 1, 0)),
        Some(_) => None,
        None => {
            let legal = matches!(v, 0 | 1 | 2 | 4 | 8 | 16 | 32)
                && matches!(w, 1 | 2 | 4 | 8 | 16)
                && matches!(r.h, 0 | 1 | 2 | 4)
                && w <= n;
            let row = ((w - 1) * r.h + 1) * bytes;
            let fits = (0..n / w).all(|i| row_fits(r.at(lane + i * w), row));
            (legal && fits)
                .then(|| Region::new(v as u8, w as u8, if w == 1 { 0 } else { r.h as u8 }))
        }
    }
}

/// The elements of a packed immediate.
fn vector_element(ty: Type) -> Option<Type> {
    match ty {
        Type::V => Some(Type::W),
        Type::Uv => Some(Type::Uw),
        Type::Vf => Some(Type::F),
        _ => None,
    }
}

/// Bytes have no immediates; 64-bit ones only `mov` has, and smaller ones say the same.
fn narrow_imm(s: Opnd, is_mov: bool) -> Opnd {
    let Opnd::Imm { ty, bits } = s else { return s };
    match ty {
        Type::B => Opnd::Imm {
            ty: Type::W,
            bits: u64::from(bits as i8 as i16 as u16),
        },
        Type::Ub => Opnd::Imm {
            ty: Type::Uw,
            bits: bits & 0xff,
        },
        Type::Q | Type::Uq if !is_mov => match bits as i64 {
            v @ -0x8000_0000..=0x7fff_ffff if ty == Type::Q || v >= 0 => Opnd::Imm {
                ty: Type::D,
                bits: u64::from(v as u32),
            },
            v @ 0..=0xffff_ffff => Opnd::Imm {
                ty: Type::Ud,
                bits: v as u64,
            },
            _ => s,
        },
        _ => s,
    }
}
