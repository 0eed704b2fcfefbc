//! The machine function: Gen instructions on virtual registers, in SSA form.
//!
//! A virtual register of the general class is one allocation unit of [`UNIT_BYTES`]. An
//! instruction that writes part of one is a new definition tied to the old contents. Messages that
//! span several units name them as groups, which register allocation must make consecutive.

use std::fmt;

use cranelift_entity::PrimaryMap;
use kiln_emit::inst::{Inst, Op, Place, Reg, RegFile, Region, Src, VReg};
use kiln_emit::platform::Platform;
use smallvec::SmallVec;

/// Bytes of a general register.
pub const GRF_BYTES: u32 = 32;
/// Bytes of a virtual register of the general class: two general registers.
pub const UNIT_BYTES: u32 = kiln_ir::func::CELL_BYTES;

pub use kiln_ir::func::Class;

/// A machine function.
pub struct MFunc {
    pub name: String,
    pub platform: &'static Platform,
    /// Channels of a dispatch.
    pub simd: u8,
    pub vregs: PrimaryMap<VReg, Class>,
    /// In layout order.
    pub blocks: Vec<MBlock>,
    /// Units that hold inputs at entry, with the registers that stand for them.
    pub entry: Vec<(VReg, u32)>,
    /// General registers kept out of allocation: variables whose address is taken.
    pub reserved: Vec<std::ops::Range<u32>>,
    /// A barrier is used.
    pub barrier: bool,
    /// Names whose addresses the code holds, by [`MInst::symbol`].
    pub symbols: Vec<String>,
    /// Instructions of vISA it was made from.
    pub visa_instructions: u32,
}

/// A block; its last instruction is its terminator.
#[derive(Default)]
pub struct MBlock {
    pub params: Vec<VReg>,
    pub insts: Vec<MInst>,
    /// Successors with the values of their parameters.
    pub succs: SmallVec<[(u32, SmallVec<[VReg; 4]>); 2]>,
}

/// What kind of thing an [`MInst`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An instruction of the machine.
    Real,
    /// Defines `extra_defs` with whatever is there. No code.
    Undef,
    /// Scalar jump to the only successor; no code when it is next.
    Jump,
}

/// An instruction with what register allocation must know beyond its operands.
#[derive(Clone, Debug)]
pub struct MInst {
    pub kind: Kind,
    pub inst: Inst,
    /// Old contents of the destination, where they are kept.
    pub tied_dst: Option<VReg>,
    /// Old contents of the flag the condition modifier writes.
    pub tied_flag: Option<VReg>,
    pub group: Option<Box<Group>>,
    /// The address register that holds the message descriptor.
    pub desc: Option<VReg>,
    /// The immediate stands for the address of that name, known when the code is loaded.
    pub symbol: Option<u32>,
    /// Registers defined without standing in `inst` ([`Kind::Undef`]).
    pub extra_defs: SmallVec<[VReg; 1]>,
}

/// The units of a message's payloads and result, in order. The first of each also stands in the
/// instruction.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub srcs: [SmallVec<[VReg; 2]>; 2],
    pub dst: SmallVec<[VReg; 2]>,
    /// Old contents of each unit of `dst`, where they are kept.
    pub tied: SmallVec<[Option<VReg>; 2]>,
}

/// How an instruction uses a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read before anything is written.
    Use,
    /// Read while the destination may already be partly written.
    LateUse,
    /// Unit `n` of payload 0 or 1.
    Payload(u8, u8),
    Def,
    /// Defined in the place of that old value.
    DefOver(VReg),
    /// Unit `n` of a message's result, in the place of the old value if there is one.
    Result(u8, Option<VReg>),
}

impl MInst {
    pub fn new(inst: Inst) -> MInst {
        MInst {
            kind: Kind::Real,
            inst,
            tied_dst: None,
            tied_flag: None,
            group: None,
            desc: None,
            symbol: None,
            extra_defs: SmallVec::new(),
        }
    }

    pub fn undef(v: VReg) -> MInst {
        let mut m = MInst::new(Inst::new(Op::Nop, 1));
        m.kind = Kind::Undef;
        m.extra_defs.push(v);
        m
    }

    pub fn jump() -> MInst {
        let mut m = MInst::new(Inst::new(Op::Jmpi, 1));
        m.kind = Kind::Jump;
        m
    }

    /// Calls `f` with each virtual register and its role; uses before definitions.
    pub fn operands(&self, mut f: impl FnMut(VReg, Role)) {
        let late = self.reads_late();
        let place = |p: &Place| match p {
            Place::Direct(r) | Place::Indirect { addr: r, .. } => r.as_virt(),
        };
        for (i, src) in self.inst.srcs.iter().enumerate() {
            let Src::Reg(r) = src else { continue };
            let Some(v) = place(&r.place) else { continue };
            match &self.group {
                Some(g) if i < 2 && !g.srcs[i].is_empty() => {
                    for (n, &v) in g.srcs[i].iter().enumerate() {
                        f(v, Role::Payload(i as u8, n as u8));
                    }
                }
                _ => f(
                    v,
                    if late[i.min(2)] {
                        Role::LateUse
                    } else {
                        Role::Use
                    },
                ),
            }
        }
        if let Some(v) = self.inst.pred.and_then(|p| p.flag.as_virt()) {
            f(v, Role::Use);
        }
        if let Some(v) = self.desc {
            f(v, Role::Use);
        }
        if let Some(dst) = &self.inst.dst
            && let Some(v) = place(&dst.place)
        {
            match (&dst.place, &self.group) {
                (Place::Indirect { .. }, _) => f(v, Role::Use),
                (_, Some(g)) if !g.dst.is_empty() => {
                    for (n, &v) in g.dst.iter().enumerate() {
                        f(v, Role::Result(n as u8, g.tied.get(n).copied().flatten()));
                    }
                }
                _ => f(v, self.tied_dst.map_or(Role::Def, Role::DefOver)),
            }
        }
        if let Some(v) = self.inst.cond.and_then(|c| c.flag.as_virt()) {
            f(v, self.tied_flag.map_or(Role::Def, Role::DefOver));
        }
        for &v in &self.extra_defs {
            f(v, Role::Def);
        }
    }

    /// For each source whether it may be read after part of the destination is written: the
    /// hardware runs an instruction that spans two registers as two halves, in turn.
    fn reads_late(&self) -> [bool; 3] {
        let mut late = [false; 3];
        let Some(dst) = &self.inst.dst else {
            return late;
        };
        let Place::Direct(to) = dst.place else {
            return late;
        };
        if self.group.is_some() || to.file != RegFile::Virt {
            return late;
        }
        let n = u32::from(self.inst.exec_size);
        let step = u32::from(dst.hstride) * dst.ty.bytes();
        let one_register =
            |byte: u32, bytes: u32| byte / GRF_BYTES == (byte + bytes.max(1) - 1) / GRF_BYTES;
        let dst_short = one_register(u32::from(to.byte), (n - 1) * step + dst.ty.bytes());
        for (i, src) in self.inst.srcs.iter().enumerate().take(3) {
            let Src::Reg(r) = src else { continue };
            let Place::Direct(from) = r.place else {
                continue;
            };
            let Region {
                vstride,
                width,
                hstride,
            } = r.region;
            let packed = match width {
                1 => vstride == Some(1),
                _ => vstride == Some(width * hstride) && hstride > 0,
            };
            let same = packed
                && from.byte == to.byte
                && step == r.ty.bytes() * u32::from(if width == 1 { 1 } else { hstride });
            // Mixed sizes make the hardware run several steps even inside one register.
            let short = dst_short
                && n * r.ty.bytes() <= GRF_BYTES
                && one_register(u32::from(from.byte), r.ty.bytes() * n);
            late[i] = !(same || short);
        }
        late
    }

    /// Must stay although nothing reads its results.
    pub fn has_effect(&self) -> bool {
        if self.kind != Kind::Real {
            return self.kind == Kind::Jump;
        }
        if self.inst.msg.is_some() || self.inst.jip.is_some() || self.inst.uip.is_some() {
            // A load without effect could go, but only one whose message says so.
            return true;
        }
        let writes_machine = |r: &Reg| !matches!(r.file, RegFile::Virt | RegFile::Null);
        let dst = self.inst.dst.as_ref().is_some_and(|d| match &d.place {
            Place::Direct(r) => writes_machine(r),
            Place::Indirect { .. } => true,
        });
        let flag = self
            .inst
            .cond
            .as_ref()
            .is_some_and(|c| writes_machine(&c.flag));
        dst || flag
            || self.inst.opts.acc_wr_en
            || matches!(
                self.inst.op,
                Op::Jmpi | Op::Goto | Op::Join | Op::Wait | Op::Halt | Op::Ret
            )
    }
}

impl fmt::Display for MFunc {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "machine function {} simd{} for {}",
            self.name, self.simd, self.platform.name
        )?;
        for (v, unit) in &self.entry {
            writeln!(f, "  entry {v} in unit {unit}")?;
        }
        for r in &self.reserved {
            writeln!(f, "  reserved r{}-r{}", r.start, r.end - 1)?;
        }
        for (b, block) in self.blocks.iter().enumerate() {
            write!(f, "block{b}")?;
            for (i, v) in block.params.iter().enumerate() {
                write!(f, "{}{v}", if i == 0 { "(" } else { ", " })?;
            }
            writeln!(f, "{}:", if block.params.is_empty() { "" } else { ")" })?;
            for m in &block.insts {
                writeln!(f, "    {m}")?;
            }
            for (to, args) in &block.succs {
                write!(f, "      -> block{to}")?;
                for (i, v) in args.iter().enumerate() {
                    write!(f, "{}{v}", if i == 0 { "(" } else { ", " })?;
                }
                writeln!(f, "{}", if args.is_empty() { "" } else { ")" })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for MInst {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind {
            Kind::Undef => write!(f, "undef {}", self.extra_defs[0])?,
            Kind::Jump => write!(f, "jump")?,
            Kind::Real => write!(f, "{}", self.inst)?,
        }
        if let Some(old) = self.tied_dst {
            write!(f, "  over {old}")?;
        }
        if let Some(old) = self.tied_flag {
            write!(f, "  flag over {old}")?;
        }
        if let Some(g) = &self.group {
            for (name, units) in [("src0", &g.srcs[0]), ("src1", &g.srcs[1]), ("dst", &g.dst)] {
                if units.len() > 1 {
                    write!(f, "  {name} {units:?}")?;
                }
            }
        }
        Ok(())
    }
}
