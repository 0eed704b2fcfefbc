//! The walk through the blocks: what is known on the way, and the code that comes of it.

use cranelift_entity::SecondaryMap;
use kiln_emit::inst::{Inst as Gen, Origin, Reg as GenReg};
use kiln_machine::func::{Block, Class, Entered, Function, Term};
use kiln_machine::inst::{Desc as MachineDesc, Inst, Opcode, Reg, VReg};
use kiln_target::isa::RegFile;

use super::{NONE, NOWHERE, Units, fail};
use crate::flags::ADDED;
use crate::flags::access::{accesses, free_words, term_read};
use crate::flags::file::{File, MOST_WORDS};
use crate::frame::Frame;
use crate::physical::{Physical, desc};
use crate::rewrite::{Body, copy, switch};
use crate::routines::Parts;
use crate::{AllocError, Stats};

/// What is known of a value.
#[derive(Clone, Copy)]
pub(super) struct Value {
    /// The block that defines it.
    pub(super) block: u32,
    /// The number of the last instruction that reads it.
    pub(super) last: u32,
    /// What it is written over, as far back as that goes: of one size with it.
    pub(super) root: VReg,
    /// Of the root: its words, and what its place is a multiple of.
    pub(super) size: u8,
    pub(super) align: u8,
    /// The first list of a message's operand that it is in, and its number there.
    pub(super) list: u32,
    pub(super) n: u8,
    /// Its unit, or its word.
    pub(super) place: u8,
    /// The unit that holds a flag or an address.
    pub(super) home: u8,
}

impl Value {
    pub(super) const NEW: Value = Value {
        block: NONE,
        last: NONE,
        root: VReg::NOTHING,
        size: 1,
        align: 1,
        list: NONE,
        n: 0,
        place: NOWHERE,
        home: NOWHERE,
    };
}

/// Units side by side that the values of a list are to have.
pub(super) struct Booking {
    pub(super) list: u32,
    pub(super) first: u32,
    pub(super) units: u128,
}

/// A file of words, and what has each of them.
pub(super) struct Words {
    pub(super) file: File,
    pub(super) held: [Option<VReg>; MOST_WORDS],
    /// Those that the current instruction reads or writes.
    pub(super) pinned: u16,
}

impl Words {
    pub(super) fn new(file: File) -> Words {
        Words {
            file,
            held: [None; MOST_WORDS],
            pinned: 0,
        }
    }

    pub(super) fn set(&mut self, word: u8, size: u8, v: Option<VReg>) {
        self.held[usize::from(word)..usize::from(word + size)].fill(v);
    }
}

/// The walk through the blocks.
pub(super) struct Walk<'a> {
    pub(super) func: &'a Function,
    pub(super) frame: &'a Frame,
    pub(super) parts: &'a Parts,
    pub(super) own: &'a Units,
    pub(super) numbers: bool,
    pub(super) values: SecondaryMap<VReg, Value>,
    /// Of the block: instructions that name something that has no register, and values that have one.
    pub(super) named: Vec<u32>,
    pub(super) alive: Vec<VReg>,
    /// Units that hold something, and those that some list's values are to have.
    pub(super) held: u128,
    pub(super) bookings: Vec<Booking>,
    /// Flags and addresses.
    pub(super) words: [Words; 2],
    /// Copies that the current instruction reads.
    pub(super) copies: u128,
    pub(super) body: Body,
    pub(super) stats: Stats,
    pub(super) units: u128,
    pub(super) written: u128,
}

/// There are too few registers.
pub(super) struct Full;

pub(super) type Fits<T = ()> = Result<T, Full>;

impl<'a> Walk<'a> {
    pub(super) fn new(
        func: &'a Function,
        frame: &'a Frame,
        parts: &'a Parts,
        own: &'a Units,
        numbers: bool,
    ) -> Walk<'a> {
        let mut values = SecondaryMap::with_default(Value::NEW);
        values.resize(func.regs.len());
        if let (Some(v), Some(unit)) = (own.address, own.back) {
            values[v].place = unit as u8;
        }
        Walk {
            func,
            frame,
            parts,
            own,
            numbers,
            values,
            named: Vec::new(),
            alive: Vec::new(),
            held: 0,
            bookings: Vec::new(),
            words: [File::flags(func.target), File::address(func.target)].map(Words::new),
            copies: 0,
            body: Body {
                block: func.entry(),
                insts: Vec::new(),
                origins: Vec::new(),
            },
            stats: Stats::default(),
            units: 0,
            written: 0,
        }
    }

    /// The code of a block, and how it ends if that names a flag.
    pub(super) fn block(
        &mut self,
        b: Block,
        insts: &[Inst],
    ) -> Result<(Body, Option<Term>), AllocError> {
        let term = self.func.blocks[b].term;
        let fail = |what: &str| fail(self.func, self.frame, &format!("{what} in {b}"));
        if !self.look(b, insts, &term) {
            return Err(fail(
                "something comes from another block, or is of another kind",
            ));
        }
        // Some more are added, and how the block ends.
        let count = match (insts.len(), term) {
            (0, Term::Jump) => 0,
            (count, _) => count + count / 16 + 2,
        };
        self.body = Body {
            block: b,
            insts: Vec::with_capacity(count),
            origins: Vec::with_capacity(if self.numbers { count } else { 0 }),
        };
        if b == self.func.entry() {
            let header = self.frame.header;
            self.emit(match self.func.entered {
                Entered::Subroutine => switch(header),
                _ => {
                    let dwords = (self.frame.grf_bytes / 4) as u8;
                    copy(dwords, GenReg::grf(header), GenReg::grf(0))
                }
            });
        }
        let mut next = 0;
        let named = std::mem::take(&mut self.named);
        for &n in &named {
            let i = n as usize;
            self.unchanged(insts, next..i);
            if self.inst(n, &insts[i]).is_err() {
                return Err(fail("an instruction needs more registers than there are"));
            }
            next = i + 1;
        }
        self.unchanged(insts, next..insts.len());
        // Its memory is the next block's.
        self.named = named;
        let term = self.term(insts.len() as u32, term);
        let term = term.map_err(|Full| fail("its end needs more registers than there are"))?;
        self.clear();
        let body = Body {
            block: b,
            insts: std::mem::take(&mut self.body.insts),
            origins: std::mem::take(&mut self.body.origins),
        };
        Ok((body, term))
    }

    /// Forgets what the block's values have.
    fn clear(&mut self) {
        self.alive.clear();
        self.held = 0;
        self.bookings.clear();
        for words in &mut self.words {
            words.held.fill(None);
            words.pinned = 0;
        }
    }

    fn physical(&self) -> Physical<'a> {
        Physical {
            func: self.func,
            frame: self.frame,
        }
    }

    /// Writes an instruction that was not there before.
    pub(super) fn emit(&mut self, inst: Gen) {
        self.came_from(ADDED, inst);
    }

    fn came_from(&mut self, number: u32, inst: Gen) {
        self.body.insts.push(inst);
        if self.numbers {
            self.body.origins.push(number);
        }
    }

    /// Writes instructions that have all their registers.
    fn unchanged(&mut self, insts: &[Inst], range: std::ops::Range<usize>) {
        let physical = self.physical();
        let first = range.start as u32;
        for (n, inst) in (first..).zip(&insts[range]) {
            if let Some(op) = inst.gen_op() {
                self.came_from(n, physical.inst(op, inst, |_, _| GenReg::NULL));
            }
        }
    }

    fn inst(&mut self, n: u32, source: &Inst) -> Fits {
        match source.op {
            Opcode::CallRoutine(callee) => return self.call(n, source, callee.into()),
            Opcode::Return => {
                self.leave(n, source);
                return Ok(());
            }
            _ => {}
        }
        let mut inst = *source;
        let mut descs = [None; 2];
        for file in 0..self.words.len() {
            self.words[file].pinned = 0;
            let list = accesses(self.func, source, self.words[file].file.class);
            if !list.is_empty() {
                self.assign_words(n, file, (&list, &mut inst), &mut descs)?;
            }
        }
        self.assign_units(n, source, &mut inst)?;
        if let Some(op) = inst.gen_op() {
            let mut code = self.physical().inst(op, &inst, |_, _| GenReg::NULL);
            if let Some(message) = &mut code.msg {
                for (to, reg) in [&mut message.desc, &mut message.ex_desc]
                    .into_iter()
                    .zip(descs)
                {
                    if let Some(reg) = reg {
                        *to = desc(MachineDesc::Addr(reg));
                    }
                }
            }
            self.came_from(n, code);
        }
        self.free(n);
        Ok(())
    }

    /// Frees what is not read behind an instruction.
    fn free(&mut self, n: u32) {
        self.held &= !std::mem::take(&mut self.copies);
        let mut alive = std::mem::take(&mut self.alive);
        alive.retain(|&v| {
            let Value {
                last,
                root,
                place,
                home,
                list,
                ..
            } = self.values[v];
            // One that nothing reads is over when it is there.
            if last != NONE && last > n {
                return true;
            }
            let class = self.func.regs[v].class;
            if home != NOWHERE {
                self.held &= !(1 << home);
            }
            if place != NOWHERE && class == Class::Grf {
                self.held &= !(1 << place);
            } else if place != NOWHERE {
                let size = self.values[root].size;
                self.words[file_of(class)].set(place, size, None);
            }
            if list != NONE {
                self.bookings.retain(|booking| booking.list != list);
            }
            false
        });
        self.alive = alive;
    }

    /// A call of a subroutine: nothing lives there.
    fn call(&mut self, n: u32, source: &Inst, callee: u32) -> Fits {
        let Some(convention) = self.parts.convention(callee) else {
            return Err(Full);
        };
        if !self.alive.is_empty() || self.own.back == Some(convention.back) {
            return Err(Full);
        }
        self.written |= convention.lost | 1 << convention.back;
        self.units |= convention.lost | 1 << convention.back;
        let call = self.physical().call_routine(source, callee, convention);
        for mut inst in call {
            inst.origin = Origin::new(source.origin);
            self.came_from(n, inst);
        }
        Ok(())
    }

    /// Goes back from a subroutine.
    fn leave(&mut self, n: u32, source: &Inst) {
        let Some(back) = self.own.back else { return };
        let mut ret = self.physical().leave_subroutine(back);
        ret.origin = Origin::new(source.origin);
        self.came_from(n, ret);
    }

    /// What the block ends with.
    fn term(&mut self, n: u32, mut term: Term) -> Fits<Option<Term>> {
        let file = file_of(Class::Flag);
        self.words[file].pinned = 0;
        if let Some(access) = term_read(self.func, &term, Class::Flag) {
            let word = self.load(n, file, access.v)?;
            let reg = self.words[file].file.reg(word, access.byte);
            if let Some(pred) = term.pred_mut() {
                pred.flag = reg;
            }
            return Ok(Some(term));
        }
        let (Some(size), Term::GotoForward { free_flag, .. }) =
            (free_words(self.func.target, &term), &mut term)
        else {
            return Ok(None);
        };
        let word = self.choose(file, size, size)?;
        *free_flag = self.words[file].file.reg(word, 0);
        Ok(Some(term))
    }

    /// Writes an instruction that was not there before, which names registers of the machine.
    pub(super) fn added(&mut self, inst: &Inst) {
        if let Some(op) = inst.gen_op() {
            let code = self.physical().inst(op, inst, |_, _| GenReg::NULL);
            self.emit(code);
        }
    }

    /// A place in a unit, as the function would name it.
    pub(super) fn unit_reg(&self, unit: u32, byte: u32) -> Reg {
        let at = unit * self.frame.unit_bytes + byte;
        Reg::phys(
            RegFile::Grf,
            (at / self.frame.grf_bytes) as u8,
            at % self.frame.grf_bytes,
        )
    }
}

/// The number of a class among the files of words.
pub(super) fn file_of(class: Class) -> usize {
    usize::from(class == Class::Addr)
}
