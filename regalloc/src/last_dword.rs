//! The last dword of the address register, which spills by address share with the function.
//!
//! Takes the instructions of a function in the order of its code. Spills name the surface of scratch space by that
//! dword, which gets it once for spills that follow each other. The function's contents, if needed later, are kept in the register of
//! the spills meanwhile, and given back before an instruction that reads them and at the end of the block.

use kiln_emit::inst::{Inst as Gen, Op, Reg, RegFile};
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::{self, Base, Inst};
use kiln_platform::abi::{self, Stack};

use crate::physical::{scalar, set, with_constant};

/// Byte of the dword in the address register.
pub const LAST: u16 = 28;
/// Bytes of the surface and of what is kept in the register of spills: those of the convention of stack calls.
const SURFACE: u16 = Stack::SURFACE as u16;
const KEPT: u16 = Stack::KEPT as u16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    /// The function's contents.
    Own,
    /// Nothing that is needed.
    Free,
    Surface,
    /// The surface; a register keeps the function's contents.
    Kept(u32),
}

/// An access by an instruction of the function.
struct Use {
    /// The instruction's number in its block.
    inst: usize,
    reads: bool,
}

/// The last dword at a place in the code.
pub struct LastDword {
    contents: Contents,
    /// True if blocks leave the function's contents to others.
    crosses: bool,
    /// True if instructions of the function access the dword.
    used: bool,
    /// Accesses in the rest of the block, the next one last.
    uses: Vec<Use>,
}

impl LastDword {
    /// The dword where the function has nothing there.
    pub fn nobodys() -> LastDword {
        LastDword {
            contents: Contents::Free,
            crosses: false,
            used: false,
            uses: Vec::new(),
        }
    }

    /// The dword before the first block of a function.
    pub fn of(func: &Function) -> LastDword {
        let firsts = func.blocks.values().filter_map(|block| {
            let mut uses = block.insts.iter().enumerate();
            uses.find_map(|(n, inst)| use_of(func, n, inst))
        });
        let mut dword = LastDword::nobodys();
        for first in firsts {
            dword.used = true;
            dword.crosses |= first.reads;
        }
        dword
    }

    /// Goes to the start of a block.
    pub fn start(&mut self, func: &Function, block: Block) {
        self.after_call();
        self.uses.clear();
        if self.used {
            let insts = func.blocks[block].insts.iter().enumerate();
            self.uses
                .extend(insts.rev().filter_map(|(n, inst)| use_of(func, n, inst)));
        }
    }

    /// Goes to the place after a call, where the function's contents are back.
    pub fn after_call(&mut self) {
        self.contents = match self.crosses {
            true => Contents::Own,
            false => Contents::Free,
        };
    }

    /// Goes to an instruction of the block, which comes next.
    pub fn before(&mut self, inst: usize, code: &mut Vec<Gen>) {
        while let Some(next) = self.uses.pop_if(|next| next.inst <= inst) {
            if next.reads {
                self.give_back(code);
            }
            self.contents = Contents::Own;
        }
    }

    /// Goes to the end of the block, or to a call.
    pub fn end(&mut self, code: &mut Vec<Gen>) {
        if self.crosses {
            self.give_back(code);
        }
    }

    /// Names the surface that a register has.
    pub fn name_surface(&mut self, register: u32, code: &mut Vec<Gen>) {
        let part = |byte| Reg::new(RegFile::Grf, register, byte);
        let is_needed = self.uses.last().map_or(self.crosses, |next| next.reads);
        match self.contents {
            Contents::Surface | Contents::Kept(_) => return,
            Contents::Own if is_needed => {
                code.push(set(part(KEPT), scalar(last())));
                self.contents = Contents::Kept(register);
            }
            Contents::Own | Contents::Free => self.contents = Contents::Surface,
        }
        code.push(with_constant(
            Op::Shr,
            last(),
            part(SURFACE),
            abi::SCRATCH_STATE_SHIFT,
        ));
    }

    fn give_back(&mut self, code: &mut Vec<Gen>) {
        if let Contents::Kept(register) = self.contents {
            let kept = Reg::new(RegFile::Grf, register, KEPT);
            code.push(set(last(), scalar(kept)));
            self.contents = Contents::Own;
        }
    }
}

fn last() -> Reg {
    Reg::new(RegFile::Addr, 0, LAST)
}

/// The access of an instruction, if it names the last dword. A write of a part of it, or of some channels, reads the rest.
fn use_of(func: &Function, number: usize, inst: &Inst) -> Option<Use> {
    let last = u32::from(LAST);
    let is_address = |reg: inst::Reg| matches!(reg.base(), Base::Phys(RegFile::Addr, _));
    let reaches = |reg: inst::Reg, bytes: u32| is_address(reg) && reg.byte() + bytes > last;
    let source = |src: &inst::Src| {
        src.as_reg().filter(|r| is_address(r.reg)).is_some_and(|r| {
            match (r.indirect, r.region.vstride) {
                (Some(_), None) => reaches(r.reg, 2 * u32::from(inst.exec_size)),
                (Some(_), Some(_)) => reaches(r.reg, 2),
                (None, _) => reaches(r.reg, r.span(inst.exec_size)),
            }
        })
    };
    let message = inst.message.expand().is_some_and(|id| {
        let message = &func.messages[id];
        let named = |desc| matches!(desc, inst::Desc::Addr(reg) if reaches(reg, 4));
        named(message.desc) || named(message.ex_desc)
    });
    let by_address = |dst: inst::Dst| dst.indirect.is_some() && reaches(dst.reg, 2);
    let reads = message || inst.srcs.iter().any(source) || inst.dst.is_some_and(by_address);
    let dst = inst.dst.filter(|dst| dst.indirect.is_none());
    let written = dst.filter(|dst| reaches(dst.reg, dst.span(inst.exec_size)));
    let whole = written.is_some_and(|dst| {
        let bytes = dst.reg.byte()..dst.reg.byte() + dst.span(inst.exec_size);
        let covers = bytes.start <= last && bytes.end >= last + 4 && dst.hstride == 1;
        covers && inst.opts.no_mask && inst.pred.is_none()
    });
    (reads || written.is_some()).then_some(Use {
        inst: number,
        reads: reads || !whole,
    })
}
