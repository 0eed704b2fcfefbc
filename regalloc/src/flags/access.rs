//! The operands of instructions and terminators that name values of a file, and the words of them that they take.

use kiln_machine::func::{Class, Function, Term};
use kiln_machine::inst::{Desc, Inst, Reg, VReg};
use kiln_platform::isa::{PredCtrl, Region, Type};
use kiln_platform::platform::Platform;
use smallvec::SmallVec;

use super::file::WORD;

/// The operand of an instruction that names a value of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Pred,
    Cond,
    /// The address of an indirect operand.
    SrcAddress(u8),
    DstAddress,
    Desc,
    ExDesc,
    /// An operand like any other.
    Src(u8),
    Dst,
}

impl Place {
    pub(crate) fn is_def(self) -> bool {
        matches!(self, Place::Cond | Place::Dst)
    }

    /// Read, and only the real register will do.
    pub(crate) fn needs_register(self) -> bool {
        !matches!(self, Place::Cond | Place::Dst | Place::Src(_))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) v: VReg,
    pub(crate) place: Place,
    /// First byte, and one past the last.
    pub(crate) byte: u32,
    pub(crate) end: u32,
    /// Contents that a definition is written over.
    pub(crate) old: Option<VReg>,
}

impl Access {
    /// The value that is read, an old one among them.
    pub(crate) fn read(&self) -> Option<VReg> {
        if self.place.is_def() {
            self.old
        } else {
            Some(self.v)
        }
    }
}

pub(crate) type Accesses = SmallVec<[Access; 4]>;

/// Bits of a flag that so many channels from an offset take.
fn flag_end(byte: u32, exec_size: u8, chan_off: u8, ctrl: Option<PredCtrl>) -> u32 {
    let group = match ctrl {
        Some(PredCtrl::Any(n) | PredCtrl::All(n)) => n,
        _ => 1,
    };
    byte + u32::from(group.max(chan_off + exec_size)).div_ceil(16) * WORD
}

/// One past the last byte of a region from its start.
pub fn region_end(region: Region, exec_size: u8, ty: Type) -> u32 {
    let width = u32::from(region.width.max(1));
    let last = u32::from(exec_size.max(1)) - 1;
    let element = last / width * u32::from(region.vstride.unwrap_or(0))
        + last.min(width - 1) * u32::from(region.hstride);
    (element + 1) * ty.bytes()
}

/// The values of a class that an instruction names; reads first.
pub(crate) fn accesses(func: &Function, inst: &Inst, class: Class) -> Accesses {
    let mut list = Accesses::new();
    let of_class = |reg: Reg| reg.as_virt().filter(|&v| func.regs[v].class == class);
    let mut add = |reg: Reg, place: Place, bytes: u32, old: Option<VReg>| {
        if let Some(v) = of_class(reg) {
            list.push(Access {
                v,
                place,
                byte: reg.byte(),
                end: reg.byte() + bytes,
                old,
            });
        }
    };
    if let Some(p) = &inst.pred {
        let end = flag_end(0, inst.exec_size, inst.chan_off, Some(p.ctrl));
        add(p.flag, Place::Pred, end, None);
    }
    for (i, src) in inst.srcs.iter().enumerate() {
        let Some(r) = src.as_reg().filter(|r| of_class(r.reg).is_some()) else {
            continue;
        };
        if r.indirect.is_some() {
            let addresses = match r.region.vstride {
                None => inst.exec_size / r.region.width.max(1),
                Some(_) => 1,
            };
            let bytes = u32::from(addresses.max(1)) * WORD;
            add(r.reg, Place::SrcAddress(i as u8), bytes, None);
        } else {
            let bytes = region_end(r.region, inst.exec_size, r.ty);
            add(r.reg, Place::Src(i as u8), bytes, None);
        }
    }
    if let Some(m) = inst.message.expand() {
        let m = &func.messages[m];
        for (desc, place) in [(m.desc, Place::Desc), (m.ex_desc, Place::ExDesc)] {
            if let Desc::Addr(reg) = desc {
                add(reg, place, 4, None);
            }
        }
    }
    if let Some(dst) = &inst.dst {
        if dst.indirect.is_some() {
            add(dst.reg, Place::DstAddress, WORD, None);
        } else {
            let last = u32::from(inst.exec_size.max(1)) - 1;
            let bytes = match inst.gen_op() {
                Some(_) => (last * u32::from(dst.hstride) + 1) * dst.ty.bytes(),
                None => 0,
            };
            add(dst.reg, Place::Dst, bytes, func.old(dst.old, 0));
        }
    }
    if let Some(c) = &inst.cond {
        let end = flag_end(0, inst.exec_size, inst.chan_off, None);
        // The hardware has one flag for both: what is not written stays what the predicate was.
        let pred = inst.pred.and_then(|p| p.flag.as_virt());
        add(c.flag, Place::Cond, end, pred.or(c.old.expand()));
    }
    list
}

/// The value that a terminator reads, with the words it takes.
pub(crate) fn term_read(func: &Function, term: &Term, class: Class) -> Option<Access> {
    let pred = term.pred()?;
    let v = pred.flag.as_virt()?;
    let (exec_size, chan_off) = match *term {
        Term::GotoForward {
            exec_size,
            chan_off,
            ..
        }
        | Term::GotoBackward {
            exec_size,
            chan_off,
            ..
        } => (exec_size, chan_off),
        _ => (1, 0),
    };
    (func.regs[v].class == class).then(|| Access {
        v,
        place: Place::Pred,
        byte: pred.flag.byte(),
        end: flag_end(pred.flag.byte(), exec_size, chan_off, Some(pred.ctrl)),
        old: None,
    })
}

/// Words of the flag that a `goto` without a predicate needs to itself, if it does.
pub(crate) fn free_words(target: &Platform, term: &Term) -> Option<u8> {
    match *term {
        Term::GotoForward {
            pred: None,
            exec_size,
            chan_off,
            ..
        } if target.goto_on_false => Some(if exec_size + chan_off > 16 { 2 } else { 1 }),
        _ => None,
    }
}
