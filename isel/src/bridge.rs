//! Throwaway: the new machine IR as the old one.
use cranelift_entity::EntityRef;
use kiln_emit::inst as e;
use kiln_machine::func as f;
use kiln_machine::inst as m;
use smallvec::SmallVec;

use crate::mir::{Class, Group, Kind, MBlock, MFunc, MInst};

fn v(r: m::VReg) -> e::VReg {
    e::VReg::new(r.index())
}

struct B<'a> {
    f: &'a f::Function,
    out: MFunc,
}

impl B<'_> {
    fn reg(&self, r: m::Reg) -> e::Reg {
        match r.base() {
            m::Base::Null => e::Reg::NULL,
            m::Base::Virt(x) => e::Reg::virt(v(x), r.byte() as u16),
            m::Base::List(l) => e::Reg::virt(v(self.f.lists[l][0]), r.byte() as u16),
            m::Base::Phys(file, n) => e::Reg::new(file, n.into(), r.byte() as u16),
        }
    }
    fn place(&self, r: m::Reg, ind: Option<i16>) -> e::Place {
        match ind {
            None => e::Place::Direct(self.reg(r)),
            Some(imm) => e::Place::Indirect {
                addr: self.reg(r),
                imm,
            },
        }
    }
    fn desc(&self, d: m::Desc) -> e::Desc {
        match d {
            m::Desc::Imm(b) => e::Desc::Imm(b),
            m::Desc::Addr(r) => e::Desc::Addr {
                byte: r.byte() as u8,
            },
        }
    }
    fn pred(&self, p: &m::Pred) -> e::Pred {
        e::Pred {
            flag: self.reg(p.flag),
            inverse: p.inverse,
            ctrl: p.ctrl,
        }
    }
    fn inst(&self, i: &m::Inst) -> MInst {
        let Some(op) = i.gen_op() else {
            let d = i.dst.unwrap();
            return MInst::undef(v(d.reg.as_virt().unwrap()));
        };
        let mut g = e::Inst::new(op, i.exec_size);
        g.chan_off = i.chan_off;
        g.no_mask = i.opts.no_mask;
        g.saturate = i.opts.saturate;
        g.opts.align16 = i.opts.align16;
        g.opts.acc_wr_en = i.opts.acc_wr_en;
        g.opts.switch = i.opts.switch;
        g.pred = i.pred.as_ref().map(|p| self.pred(p));
        let mut group = Group::default();
        for (n, s) in i.srcs.iter().enumerate() {
            g.srcs.push(match s {
                m::Src::Imm(imm) => e::Src::Imm {
                    ty: imm.ty,
                    bits: imm.bits(),
                },
                m::Src::Reg(r) => e::Src::Reg(e::SrcReg {
                    place: self.place(r.reg, r.indirect),
                    region: r.region,
                    ty: r.ty,
                    modifier: r.modifier,
                    swizzle: e::SWIZZLE_XYZW,
                    mme: r.mme,
                }),
            });
            if let (true, Some(r)) = (op.is_send(), s.as_reg()) {
                let base = r.reg.base();
                group.srcs[n] = self.f.registers(&base).iter().map(|x| v(*x)).collect();
            }
        }
        let mut tied = None;
        if let Some(d) = &i.dst {
            let mut gd = e::Dst::new(e::Reg::NULL, d.hstride, d.ty);
            gd.place = self.place(d.reg, d.indirect);
            gd.mme = d.mme;
            g.dst = Some(gd);
            if op.is_send() {
                let base = d.reg.base();
                for (n, x) in self.f.registers(&base).iter().enumerate() {
                    group.dst.push(v(*x));
                    group.tied.push(self.f.old(d.old, n).map(v));
                }
            } else {
                tied = self.f.old(d.old, 0).map(v);
            }
        }
        let mut tied_flag = None;
        if let Some(c) = &i.cond {
            g.cond = Some(e::CondMod {
                cond: c.cond,
                flag: self.reg(c.flag),
            });
            tied_flag = c.old.expand().map(v);
        }
        let mut desc = None;
        if let Some(id) = i.message.expand() {
            let msg = self.f.messages[id];
            g.msg = Some(e::Message {
                sfid: msg.sfid,
                eot: msg.eot,
                desc: self.desc(msg.desc),
                ex_desc: self.desc(msg.ex_desc),
            });
            for d in [msg.desc, msg.ex_desc] {
                if let m::Desc::Addr(r) = d {
                    desc = r.as_virt().map(v);
                }
            }
        }
        let mut out = MInst::new(g);
        out.tied_dst = tied;
        out.tied_flag = tied_flag;
        if op.is_send() {
            out.group = Some(Box::new(group));
        }
        out.desc = desc;
        out.symbol = i.symbol.expand().map(|s| s.as_u32());
        out
    }
}

pub fn bridge(f: &f::Function) -> MFunc {
    let mut out = MFunc {
        name: f.name.clone(),
        platform: f.target,
        simd: f.simd,
        vregs: Default::default(),
        blocks: Vec::new(),
        entry: Vec::new(),
        reserved: f.reserved.clone(),
        barrier: f.barrier,
        symbols: f.symbols.values().cloned().collect(),
        visa_instructions: 0,
    };
    for d in f.regs.values() {
        out.vregs.push(match d.class {
            f::Class::Grf => Class::Grf,
            f::Class::Flag => Class::Flag,
            f::Class::Addr => Class::Addr,
        });
    }
    for &(x, g) in &f.inputs {
        out.entry.push((v(x), g / 2));
    }
    let mut b = B { f, out };
    for block in f.blocks.values() {
        let mut mb = MBlock {
            params: block.params.iter().map(|x| v(*x)).collect(),
            ..Default::default()
        };
        for i in &block.insts {
            mb.insts.push(b.inst(i));
        }
        for e in &block.succs {
            mb.succs.push((
                e.to.as_u32(),
                e.args.iter().map(|x| v(*x)).collect::<SmallVec<_>>(),
            ));
        }
        let t = |b: f::Block| Some(e::Target::Block(b.as_u32()));
        match &block.term {
            f::Term::Jump => mb.insts.push(MInst::jump()),
            f::Term::Branch { pred } => {
                let mut j = e::Inst::new(e::Op::Jmpi, 1);
                j.no_mask = true;
                j.pred = Some(b.pred(pred));
                j.jip = t(block.succs[0].to);
                mb.insts.push(MInst::new(j));
            }
            f::Term::GotoForward {
                pred,
                exec_size,
                chan_off,
                uip,
                ..
            } => {
                let mut g = e::Inst::new(e::Op::Goto, *exec_size);
                g.chan_off = *chan_off;
                g.pred = match pred {
                    Some(p) => {
                        let mut p = b.pred(p);
                        p.inverse = !p.inverse;
                        Some(p)
                    }
                    None => {
                        let fl = b.out.vregs.push(Class::Flag);
                        let mut z = e::Inst::new(e::Op::Mov, 1);
                        z.no_mask = true;
                        z.dst = Some(e::Dst::new(e::Reg::virt(fl, 0), 1, e::Type::Ud));
                        z.srcs.push(e::Src::imm(e::Type::Ud, 0));
                        mb.insts.push(MInst::new(z));
                        Some(e::Pred {
                            flag: e::Reg::virt(fl, 0),
                            inverse: false,
                            ctrl: e::PredCtrl::Normal,
                        })
                    }
                };
                g.jip = t(block.succs.last().unwrap().to);
                g.uip = t(*uip);
                mb.insts.push(MInst::new(g));
            }
            f::Term::GotoBackward {
                pred,
                exec_size,
                chan_off,
            } => {
                let mut g = e::Inst::new(e::Op::Goto, *exec_size);
                g.chan_off = *chan_off;
                g.pred = pred.as_ref().map(|p| b.pred(p));
                g.jip = t(block.succs.last().unwrap().to);
                g.uip = t(block.succs[0].to);
                g.opts.branch_ctrl = true;
                mb.insts.push(MInst::new(g));
            }
            f::Term::Join => {
                let mut j = e::Inst::new(e::Op::Join, f.simd);
                j.jip = t(block.succs.last().unwrap().to);
                mb.insts.push(MInst::new(j));
            }
            f::Term::End => {
                let mut end = e::Inst::new(e::Op::Send, 8);
                end.no_mask = true;
                end.dst = Some(e::Dst::new(e::Reg::NULL, 1, e::Type::Ud));
                end.srcs.push(e::Src::reg(
                    e::Reg::grf(127),
                    e::Region::packed(8),
                    e::Type::Ud,
                ));
                end.msg = Some(e::Message {
                    sfid: 7,
                    eot: true,
                    desc: e::Desc::Imm(0x0200_0010),
                    ex_desc: e::Desc::Imm(0x27),
                });
                mb.insts.push(MInst::new(end));
            }
        }
        b.out.blocks.push(mb);
    }
    let _ = Kind::Real;
    crate::dce::run(&mut b.out);
    b.out
}
