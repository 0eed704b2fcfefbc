//! An instruction of the machine IR as one of the target, when its registers are known.

use kiln_emit::inst::{
    self as gen_inst, Desc, Dst, Inst as Gen, Message, Op, Origin, Place, Pred, Reg, RegFile,
    Region, Src, SrcReg, Target, Type,
};
use kiln_machine::func::Function;
use kiln_machine::inst::{self, Base, Inst};
use kiln_platform::platform::UNIT_GRFS;

use crate::frame::Frame;
use crate::problem::Unit;
use crate::routines::Convention;

/// The number of the destination among the operands.
pub const RESULT: usize = 3;

/// The registers that a function names.
#[derive(Clone, Copy)]
pub struct Physical<'a> {
    pub func: &'a Function,
    pub frame: &'a Frame,
}

impl Physical<'_> {
    /// The instruction with the registers that `reg` gives for virtual registers and lists, by the number of the operand.
    pub fn inst(&self, op: Op, m: &Inst, reg: impl Fn(inst::Reg, usize) -> Reg) -> Gen {
        let place = |r: inst::Reg, indirect: Option<i16>, operand: usize| match indirect {
            Some(imm) => Place::Indirect {
                addr: self.named(r),
                imm,
            },
            None => Place::Direct(match r.base() {
                Base::Virt(_) | Base::List(_) => reg(r, operand),
                Base::Null | Base::Phys(..) => self.named(r),
            }),
        };
        let mut out = Gen::new(op, m.exec_size);
        out.origin = Origin::new(m.origin);
        out.chan_off = m.chan_off;
        out.no_mask = m.opts.no_mask;
        out.saturate = m.opts.saturate;
        out.opts.align16 = m.opts.align16;
        out.opts.acc_wr_en = m.opts.acc_wr_en;
        out.opts.switch = m.opts.switch;
        out.pred = m.pred.map(|p| self.pred(&p));
        out.cond = m.cond.map(|c| gen_inst::CondMod {
            cond: c.cond,
            flag: self.named(c.flag),
        });
        out.dst = m.dst.as_ref().map(|d| {
            let mut dst = Dst::new(Reg::NULL, d.hstride, d.ty);
            dst.place = place(d.reg, d.indirect, RESULT);
            dst.mme = d.mme;
            dst
        });
        for (i, src) in m.srcs.iter().enumerate() {
            out.srcs.push(match src {
                inst::Src::Imm(imm) => Src::imm(imm.ty, imm.bits()),
                inst::Src::Reg(r) => {
                    let Src::Reg(s) = Src::reg(Reg::NULL, r.region, r.ty) else {
                        unreachable!("a register makes a register")
                    };
                    Src::Reg(SrcReg {
                        place: place(r.reg, r.indirect, i),
                        modifier: r.modifier,
                        mme: r.mme,
                        ..s
                    })
                }
            });
        }
        out.msg = m.message.expand().map(|id| {
            let message = &self.func.messages[id];
            out.send = message.send;
            Message {
                sfid: message.sfid,
                eot: message.eot,
                desc: desc(message.desc),
                ex_desc: desc(message.ex_desc),
            }
        });
        out.symbol = m.symbol.expand().map(|s| s.as_u32());
        out
    }

    /// A call of a subroutine.
    pub fn call_routine(&self, source: &Inst, callee: u32, convention: &Convention) -> [Gen; 2] {
        let mut call = Gen::new(Op::Call, source.exec_size);
        call.chan_off = source.chan_off;
        let back = Reg::grf(u32::from(convention.return_address) * UNIT_GRFS);
        call.dst = Some(Dst::new(back, 1, Type::Ud));
        call.jip = Some(Target::Routine(callee));
        [call, switch(self.frame.headers.header)]
    }

    /// The return of a subroutine to the address in a unit.
    pub fn leave_subroutine(&self, back: Unit) -> Gen {
        let mut ret = Gen::new(Op::Ret, self.func.simd);
        let address = Reg::grf(u32::from(back) * UNIT_GRFS);
        ret.srcs.push(Src::reg(address, Region::RETURN, Type::Ud));
        ret.jip = Some(Target::Reg);
        ret
    }

    pub fn pred(&self, p: &inst::Pred) -> Pred {
        Pred {
            flag: self.named(p.flag),
            inverse: p.inverse,
            ctrl: p.ctrl,
        }
    }

    /// A register that the function names.
    pub fn named(&self, r: inst::Reg) -> Reg {
        match r.base() {
            Base::Phys(RegFile::Grf, num) => {
                let at = u32::from(num) * self.frame.grf_bytes + r.byte();
                let grf = match at / self.frame.grf_bytes {
                    grf if grf == self.func.abi.header => self.frame.read_header,
                    grf => grf,
                };
                Reg::new(RegFile::Grf, grf, (at % self.frame.grf_bytes) as u16)
            }
            Base::Phys(file, num) => Reg::new(file, num.into(), r.byte() as u16),
            _ => Reg::NULL,
        }
    }
}

pub fn desc(desc: inst::Desc) -> Desc {
    match desc {
        inst::Desc::Imm(bits) => Desc::Imm(bits),
        inst::Desc::Addr(reg) => Desc::Addr {
            byte: reg.byte() as u8,
        },
    }
}

/// An instruction that lets another thread run: the hardware wants one after a call, and as the first of a
/// called function (reference: `WaThreadSwitchAfterCall`).
pub fn switch(header: u32) -> Gen {
    let mut mov = Gen::new(Op::Mov, 1);
    mov.no_mask = true;
    mov.opts.switch = true;
    mov.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    let header = Src::reg(Reg::grf(header), Region::SCALAR, Type::Ud);
    mov.srcs.push(header);
    mov
}

/// A dword for all channels.
pub fn scalar(reg: Reg) -> Src {
    Src::reg(reg, Region::SCALAR, Type::Ud)
}

/// An operation on a dword and a constant.
pub fn with_constant(op: Op, to: Reg, from: Reg, constant: u32) -> Gen {
    let mut inst = set(to, scalar(from));
    inst.op = op;
    inst.srcs.push(Src::imm(Type::Ud, constant.into()));
    inst
}

/// A copy of dwords, whatever the channel mask.
pub fn copy(dwords: u8, to: Reg, from: Reg) -> Gen {
    let mut mov = Gen::new(Op::Mov, dwords);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(to, 1, Type::Ud));
    mov.srcs
        .push(Src::reg(from, Region::packed(dwords), Type::Ud));
    mov
}

/// A copy of a dword.
pub fn set(to: Reg, from: Src) -> Gen {
    let mut mov = Gen::new(Op::Mov, 1);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(to, 1, Type::Ud));
    mov.srcs.push(from);
    mov
}
