//! Registers for what lives within a block: the quick tier's allocation.
//!
//! Takes a legal function whose variables have places ([`Function::placed`]), and gives the code of its blocks with a register
//! for everything. What is left to be assigned are temporaries, flags and addresses of which nothing lives from one
//! block to another, so that each block is gone through by itself: once to find the last uses, once to write its code.
//! Two halves of the blocks are done at the same time.
//!
//! Values get registers in the order of the code, where they can those that make the operands of messages lie one
//! behind the other; what does not lie so is copied together before the message. A result never has a register of what
//! its instruction reads, but for what it is written over. For a flag that finds no room the one with the latest last
//! use goes to a general register, from which it is loaded again; for want of general registers the whole fails.
//!
//! The address to which a subroutine goes back has a unit of its own that nothing which it calls overwrites.

use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_emit::inst::{
    Dst as GenDst, Inst as Gen, Op, Origin, Reg as GenReg, Region, Src as GenSrc, Target, Type,
};
use kiln_machine::func::{Block, Class, Entered, Function, Term};
use kiln_machine::halves;
use kiln_machine::inst::{Base, Desc as MachineDesc, Inst, List, Opcode, Reg, Role, Src, VReg};
use kiln_target::isa::RegFile;
use smallvec::SmallVec;

use crate::adapter::{reads_late, return_address};
use crate::flags::ADDED;
use crate::flags::access::{Access, Place, accesses, free_words, term_read};
use crate::flags::file::{File, MOST_WORDS, WORD, mask, taken};
use crate::frame::Frame;
use crate::physical::{Physical, desc};
use crate::rewrite::{Body, copy, switch};
use crate::routines::{Convention, Parts};
use crate::{AllocError, Stats};

const NONE: u32 = u32::MAX;

/// No place.
const NOWHERE: u8 = u8::MAX;

/// Units at the end of those that there are which only hold addresses to go back to, if there are subroutines.
const BACKS: usize = 4;

/// What comes of a function.
pub struct Code {
    pub bodies: Vec<Body>,
    pub stats: Stats,
    /// Of a subroutine.
    pub convention: Option<Convention>,
}

/// Makes the code of all blocks that can be reached, and says in the function which flags they end with. With `numbers`
/// it is told where each instruction comes from.
///
/// # Errors
/// Something lives from one block to another, or there are too few registers.
pub fn code(
    func: &mut Function,
    frame: &Frame,
    parts: &Parts,
    numbers: bool,
) -> Result<Code, AllocError> {
    let mut code: Vec<Vec<Inst>> = func
        .blocks
        .values_mut()
        .map(|block| std::mem::take(&mut block.insts))
        .collect();
    let shared = &*func;
    let file = Units::new(shared, frame, parts, &code)?;
    let reached = reached(shared);
    let half = |first: usize, code: &mut [Vec<Inst>]| {
        let mut walk = Walk::new(shared, frame, parts, &file, numbers);
        let mut done = Half::default();
        for (b, insts) in (first..).map(Block::new).zip(code) {
            let insts = std::mem::take(insts);
            if !reached[b.index()] {
                continue;
            }
            let (body, term) = walk.block(b, &insts)?;
            done.bodies.push(body);
            done.terms.extend(term.map(|term| (b, term)));
        }
        done.stats = walk.stats;
        (done.units, done.written) = (walk.units, walk.written);
        Ok(done)
    };
    let counts = code.iter().map(Vec::len);
    let halves = match halves::middle(counts) {
        None => vec![half(0, &mut code)],
        Some(middle) => {
            let (first, second) = code.split_at_mut(middle);
            let (first, second) = rayon::join(|| half(0, first), || half(middle, second));
            vec![first, second]
        }
    };
    let mut all = Half::default();
    for half in halves {
        let half = half?;
        match all.bodies.is_empty() {
            true => all.bodies = half.bodies,
            false => all.bodies.extend(half.bodies),
        }
        all.terms.extend(half.terms);
        all.stats = all.stats.with(&half.stats);
        all.units |= half.units;
        all.written |= half.written;
    }
    for (b, term) in all.terms {
        func.blocks[b].term = term;
    }
    let kept = frame
        .kept
        .iter()
        .fold(all.units, |set, unit| set | 1 << unit);
    all.stats.grf_used = kept.count_ones() * frame.unit_grfs;
    let convention = Convention {
        back: file.back.unwrap_or(0),
        lost: all.written,
        ..Convention::default()
    };
    Ok(Code {
        bodies: all.bodies,
        stats: all.stats,
        convention: (func.entered == Entered::Subroutine).then_some(convention),
    })
}

/// What comes of some of the blocks.
#[derive(Default)]
struct Half {
    bodies: Vec<Body>,
    terms: Vec<(Block, Term)>,
    stats: Stats,
    units: u128,
    written: u128,
}

/// The blocks that can be reached.
fn reached(func: &Function) -> Vec<bool> {
    let mut reached = vec![false; func.blocks.len()];
    let mut work = vec![func.entry()];
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut reached[b.index()], true) {
            work.extend(func.blocks[b].succs.iter().map(|edge| edge.to));
        }
    }
    reached
}

fn fail(func: &Function, frame: &Frame, what: &str) -> AllocError {
    AllocError::TooFew {
        func: func.name.clone(),
        limit: frame.units.len() as u32 * frame.unit_grfs,
        what: what.to_string(),
    }
}

/// The units that a function has.
struct Units {
    /// Those for temporaries, a bit each.
    may: u128,
    /// That of the address to go back to, and the value that is it.
    back: Option<u32>,
    address: Option<VReg>,
}

impl Units {
    fn new(
        func: &Function,
        frame: &Frame,
        parts: &Parts,
        code: &[Vec<Inst>],
    ) -> Result<Units, AllocError> {
        let apart = if parts.conventions.is_empty() {
            0
        } else {
            BACKS
        };
        let count = frame.units.len().saturating_sub(apart);
        let may = frame.units[..count]
            .iter()
            .fold(0, |set: u128, unit| set | 1 << unit);
        let address = match (func.entered, &func.inputs[..]) {
            (Entered::Dispatched, []) => None,
            (Entered::Subroutine, &[(v, None)]) => Some(v),
            _ => {
                return Err(fail(
                    func,
                    frame,
                    "inputs come in registers that are assigned",
                ));
            }
        };
        if address.is_none() {
            return Ok(Units {
                may,
                back: None,
                address,
            });
        }
        // A call is the last of its block.
        let callees = code.iter().filter_map(|insts| match insts.last()?.op {
            Opcode::CallRoutine(callee) => parts.convention(callee.into()),
            _ => None,
        });
        let lost = callees.fold(0, |set: u128, callee| set | callee.lost | 1 << callee.back);
        let mut free = frame
            .units
            .iter()
            .rev()
            .filter(|&&unit| lost >> unit & 1 == 0);
        let Some(&back) = free.next() else {
            return Err(fail(
                func,
                frame,
                "none is left for the address to go back to",
            ));
        };
        Ok(Units {
            may: may & !(1 << back),
            back: Some(back),
            address,
        })
    }
}

/// What is known of a value.
#[derive(Clone, Copy)]
struct Value {
    /// The block that defines it.
    block: u32,
    /// The number of the last instruction that reads it.
    last: u32,
    /// What it is written over, as far back as that goes: of one size with it.
    root: VReg,
    /// Of the root: its words, and what its place is a multiple of.
    size: u8,
    align: u8,
    /// The first list of a message's operand that it is in, and its number there.
    list: u32,
    n: u8,
    /// Its unit, or its word.
    place: u8,
    /// The unit that holds a flag or an address.
    home: u8,
}

impl Value {
    const NEW: Value = Value {
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
struct Booking {
    list: u32,
    first: u32,
    units: u128,
}

/// A file of words, and what has each of them.
struct Words {
    file: File,
    held: [Option<VReg>; MOST_WORDS],
    /// Those that the current instruction reads or writes.
    pinned: u16,
}

impl Words {
    fn new(file: File) -> Words {
        Words {
            file,
            held: [None; MOST_WORDS],
            pinned: 0,
        }
    }

    fn set(&mut self, word: u8, size: u8, v: Option<VReg>) {
        self.held[usize::from(word)..usize::from(word + size)].fill(v);
    }
}

/// The walk through the blocks.
struct Walk<'a> {
    func: &'a Function,
    frame: &'a Frame,
    parts: &'a Parts,
    own: &'a Units,
    numbers: bool,
    values: SecondaryMap<VReg, Value>,
    /// Of the block: instructions that name something that has no register, and values that have one.
    named: Vec<u32>,
    alive: Vec<VReg>,
    /// Units that hold something, and those that some list's values are to have.
    held: u128,
    bookings: Vec<Booking>,
    /// Flags and addresses.
    words: [Words; 2],
    /// Copies that the current instruction reads.
    copies: u128,
    body: Body,
    stats: Stats,
    units: u128,
    written: u128,
}

/// There are too few registers.
struct Full;

type Fits<T = ()> = Result<T, Full>;

impl<'a> Walk<'a> {
    fn new(
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
    fn block(&mut self, b: Block, insts: &[Inst]) -> Result<(Body, Option<Term>), AllocError> {
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
        for n in std::mem::take(&mut self.named) {
            let i = n as usize;
            self.unchanged(insts, next..i);
            if self.inst(n, &insts[i]).is_err() {
                return Err(fail("an instruction needs more registers than there are"));
            }
            next = i + 1;
        }
        self.unchanged(insts, next..insts.len());
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

    /// Finds the last uses of the block's values and what they have to lie beside. Whether all that is named is the block's own,
    /// and of a kind that is known here.
    fn look(&mut self, b: Block, insts: &[Inst], term: &Term) -> bool {
        self.named.clear();
        let block = &self.func.blocks[b];
        if !block.params.is_empty() || block.succs.iter().any(|edge| !edge.args.is_empty()) {
            return false;
        }
        for (n, inst) in (0..).zip(insts) {
            if is_settled(self.func, inst) {
                continue;
            }
            let is_known = match inst.op {
                Opcode::Gen(_) => !self.ends_thread(inst) && self.names_no_words(inst),
                Opcode::Undef => true,
                Opcode::CallRoutine(_) => inst.srcs.is_empty() && inst.dst.is_none(),
                Opcode::Return => inst.srcs.len() == 1 && return_address(inst) == self.own.address,
                _ => false,
            };
            if !is_known || !self.look_at(b, n, inst) {
                return false;
            }
            self.named.push(n);
        }
        let end = insts.len() as u32;
        match term_read(self.func, term, Class::Flag) {
            None => true,
            Some(access) => self.read(b, access.v, end) && self.measure(&access),
        }
    }

    /// Whether it sends the end of thread from registers that are to be assigned.
    fn ends_thread(&self, inst: &Inst) -> bool {
        let message = inst.message.expand();
        message.is_some_and(|message| self.func.messages[message].eot)
    }

    /// Whether it names no flag and no address of the machine.
    fn names_no_words(&self, inst: &Inst) -> bool {
        self.words.iter().all(|words| taken(inst, words.file) == 0)
    }

    fn look_at(&mut self, b: Block, n: u32, inst: &Inst) -> bool {
        let func = self.func;
        let mut is_own = true;
        let mut words = false;
        func.visit(inst, |v, role| {
            if let Some(old) = role.old() {
                is_own &= self.read(b, old, n);
            }
            words |= func.regs[v].class != Class::Grf;
            if !role.is_def() {
                is_own &= self.read(b, v, n);
                if let Role::Source { src, n } = role
                    && let Src::Reg(r) = &inst.srcs[usize::from(src)]
                    && let Some(list) = r.reg.as_list()
                    && self.values[v].list == NONE
                {
                    (self.values[v].list, self.values[v].n) = (list.as_u32(), n);
                }
                return;
            }
            let root = role.old().map_or(v, |old| self.values[old].root);
            self.values[v] = Value {
                block: b.as_u32(),
                root,
                ..Value::NEW
            };
            self.size(v);
        });
        for class in [Class::Flag, Class::Addr].into_iter().filter(|_| words) {
            for access in accesses(func, inst, class) {
                // A condition's flag is written over the predicate's.
                if let (Place::Cond, Some(old)) = (access.place, access.old) {
                    is_own &= self.read(b, old, n);
                    self.values[access.v].root = self.values[old].root;
                    self.size(access.v);
                }
                is_own &= self.measure(&access);
                if access.place == Place::Desc && inst.gen_op().is_some_and(|op| op.is_send()) {
                    let root = self.values[access.v].root;
                    self.values[root].align = MOST_WORDS as u8;
                }
            }
        }
        is_own
    }

    /// Notes that an instruction reads a value. Whether it can.
    fn read(&mut self, b: Block, v: VReg, n: u32) -> bool {
        let value = &mut self.values[v];
        value.last = n;
        value.block == b.as_u32() || Some(v) == self.own.address
    }

    /// Notes how large the family of a value is by its declaration.
    fn size(&mut self, v: VReg) {
        let data = self.func.regs[v];
        if data.class == Class::Grf {
            return;
        }
        let root = self.values[v].root;
        let root = &mut self.values[root];
        let words = u32::from(data.bytes)
            .div_ceil(WORD)
            .max(1)
            .next_power_of_two();
        root.size = root.size.max(words as u8);
        let align = u32::from(data.align)
            .div_ceil(WORD)
            .max(1)
            .next_power_of_two();
        root.align = root.align.max(align.min(MOST_WORDS as u32) as u8);
    }

    /// The same by an access. Whether the file has values as large as that.
    fn measure(&mut self, access: &Access) -> bool {
        let most = self.words[file_of(self.func.regs[access.v].class)]
            .file
            .most;
        let root = self.values[access.v].root;
        let root = &mut self.values[root];
        let words = access.end.div_ceil(WORD).max(1).next_power_of_two();
        root.size = root.size.max(words.min(255) as u8);
        root.size <= most
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
    fn emit(&mut self, inst: Gen) {
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
        let mut call = Gen::new(Op::Call, source.exec_size);
        call.chan_off = source.chan_off;
        let back = GenReg::grf(convention.back * self.frame.unit_grfs);
        call.dst = Some(GenDst::new(back, 1, Type::Ud));
        call.jip = Some(Target::Routine(callee));
        for mut inst in [call, switch(self.frame.header)] {
            inst.origin = Origin::new(source.origin);
            self.came_from(n, inst);
        }
        Ok(())
    }

    /// Goes back from a subroutine.
    fn leave(&mut self, n: u32, source: &Inst) {
        let Some(back) = self.own.back else { return };
        let mut ret = Gen::new(Op::Ret, self.func.simd);
        ret.origin = Origin::new(source.origin);
        let address = GenReg::grf(back * self.frame.unit_grfs);
        ret.srcs
            .push(GenSrc::reg(address, Region::SCALAR, Type::Ud));
        ret.jip = Some(Target::Reg);
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

    /// Gives the flags or the addresses of an instruction their registers.
    fn assign_words(
        &mut self,
        n: u32,
        file: usize,
        (list, inst): (&[Access], &mut Inst),
        descs: &mut [Option<Reg>; 2],
    ) -> Fits {
        let reg =
            |walk: &Walk, word: u8, access: &Access| walk.words[file].file.reg(word, access.byte);
        for access in list {
            if let Some(v) = access.read() {
                self.load(n, file, v)?;
            }
        }
        // Loading one may have taken another's place that was not pinned yet: not now any more.
        for access in list.iter().filter(|access| !access.place.is_def()) {
            let word = self.values[access.v].place;
            set(inst, access.place, reg(self, word, access), descs);
        }
        for access in list.iter().filter(|access| access.place.is_def()) {
            let Value { root, .. } = self.values[access.v];
            let Value { size, align, .. } = self.values[root];
            let word = match access.old {
                Some(old) if self.values[old].last == n => {
                    std::mem::replace(&mut self.values[old].place, NOWHERE)
                }
                old => {
                    let word = self.choose(file, size, align)?;
                    if let Some(old) = old {
                        let words = &self.words[file];
                        let from = words.file.reg(self.values[old].place, 0);
                        let copied = words.file.copy(words.file.reg(word, 0), from, size);
                        self.added(&copied);
                    }
                    word
                }
            };
            self.values[access.v].place = word;
            self.words[file].set(word, size, Some(access.v));
            self.words[file].pinned |= mask(word, size);
            self.alive.push(access.v);
            if inst.op == Opcode::Undef {
                continue;
            }
            set(inst, access.place, reg(self, word, access), descs);
            // The hardware has one flag for both.
            if access.place == Place::Cond
                && let Some(pred) = list.iter().find(|other| other.place == Place::Pred)
            {
                set(inst, Place::Pred, reg(self, word, pred), descs);
            }
        }
        Ok(())
    }

    /// Makes sure that a flag or an address has its register in front of the current instruction.
    fn load(&mut self, n: u32, file: usize, v: VReg) -> Fits<u8> {
        let Value {
            root, place, home, ..
        } = self.values[v];
        let Value { size, align, .. } = self.values[root];
        let mut word = place;
        if place == NOWHERE {
            debug_assert!(home != NOWHERE, "{v} at {n} has been defined");
            word = self.choose(file, size, align)?;
            let words = &self.words[file];
            let from = self.unit_reg(home.into(), 0);
            let loaded = words.file.copy(words.file.reg(word, 0), from, size);
            self.added(&loaded);
            self.values[v].place = word;
            self.words[file].set(word, size, Some(v));
        }
        self.words[file].pinned |= mask(word, size);
        Ok(word)
    }

    /// Words that are free, or made free, for the current instruction.
    fn choose(&mut self, file: usize, size: u8, align: u8) -> Fits<u8> {
        let words = &self.words[file];
        let step = usize::from(align.max(size));
        let open = (0..words.file.words).step_by(step).filter(|&word| {
            word + size <= words.file.words && words.pinned & mask(word, size) == 0
        });
        let holders = |word: u8| {
            words.held[usize::from(word)..usize::from(word + size)]
                .iter()
                .flatten()
        };
        // The one whose values are read last is given up, or one that nobody has.
        let latest = |&word: &u8| {
            holders(word)
                .map(|&v| self.values[v].last)
                .min()
                .unwrap_or(NONE)
        };
        let word = open.reduce(|one, other| {
            if latest(&other) > latest(&one) {
                other
            } else {
                one
            }
        });
        let word = word.ok_or(Full)?;
        let gone: SmallVec<[VReg; 2]> = holders(word).copied().collect();
        for v in gone {
            self.give_up(file, v)?;
        }
        self.words[file].pinned |= mask(word, size);
        Ok(word)
    }

    /// Puts a flag or an address in a general register.
    fn give_up(&mut self, file: usize, v: VReg) -> Fits {
        let Value {
            root, place, home, ..
        } = self.values[v];
        if place == NOWHERE {
            return Ok(());
        }
        let size = self.values[root].size;
        if home == NOWHERE {
            let unit = self.unit(None)?;
            self.values[v].home = unit as u8;
            let words = &self.words[file];
            let to = self.unit_reg(unit, 0);
            let stored = words.file.copy(to, words.file.reg(place, 0), size);
            self.added(&stored);
            self.stats.demoted += 1;
        }
        self.values[v].place = NOWHERE;
        self.words[file].set(place, size, None);
        Ok(())
    }

    /// Writes an instruction that was not there before, which names registers of the machine.
    fn added(&mut self, inst: &Inst) {
        if let Some(op) = inst.gen_op() {
            let code = self.physical().inst(op, inst, |_, _| GenReg::NULL);
            self.emit(code);
        }
    }

    /// A place in a unit, as the function would name it.
    fn unit_reg(&self, unit: u32, byte: u32) -> Reg {
        let at = unit * self.frame.unit_bytes + byte;
        Reg::phys(
            RegFile::Grf,
            (at / self.frame.grf_bytes) as u8,
            at % self.frame.grf_bytes,
        )
    }

    /// Gives the general values of an instruction their registers.
    fn assign_units(&mut self, n: u32, source: &Inst, inst: &mut Inst) -> Fits {
        let func = self.func;
        let is_unit = |reg: Reg| match reg.base() {
            Base::Virt(v) => func.regs[v].class == Class::Grf,
            Base::List(_) => true,
            Base::Null | Base::Phys(..) => false,
        };
        let result = source
            .dst
            .filter(|dst| dst.indirect.is_none() && is_unit(dst.reg));
        let olds: SmallVec<[Option<VReg>; 4]> = result.map_or_else(SmallVec::new, |dst| {
            let count = func.registers_of(&dst.reg).len();
            (0..count).map(|k| func.old(dst.old, k)).collect()
        });
        let late = reads_late(source, func.target);
        for (number, src) in source.srcs.iter().enumerate() {
            let Src::Reg(r) = src else { continue };
            if r.indirect.is_some() || !is_unit(r.reg) {
                continue;
            }
            // What is written over while it is still read is read elsewhere.
            let regs = func.registers_of(&r.reg);
            let apart = late[number] && regs.iter().any(|v| olds.contains(&Some(*v)));
            let first = self.side_by_side(regs, apart)?;
            if let Src::Reg(to) = &mut inst.srcs[number] {
                to.reg = self.unit_reg(first, r.reg.byte());
            }
        }
        let Some(dst) = result else { return Ok(()) };
        let regs = func.registers_of(&dst.reg);
        let first = self.define(n, regs, &olds)?;
        if let Some(to) = &mut inst.dst {
            to.reg = self.unit_reg(first, dst.reg.byte());
        }
        Ok(())
    }

    /// The first of the units in which some values are side by side: their own, or those of copies.
    fn side_by_side(&mut self, regs: &[VReg], apart: bool) -> Fits<u32> {
        let units: SmallVec<[u32; 4]> = regs.iter().map(|&v| self.values[v].place.into()).collect();
        if !apart && units.windows(2).all(|pair| pair[1] == pair[0] + 1) {
            return Ok(units[0]);
        }
        let first = self.find(regs.len() as u32).ok_or(Full)?;
        for (to, from) in (first..).zip(units) {
            self.hold(to);
            self.copies |= 1 << to;
            self.copy_unit(to, from);
        }
        Ok(first)
    }

    /// Gives the results of an instruction units side by side, with what they are written over in them.
    fn define(&mut self, n: u32, regs: &[VReg], olds: &[Option<VReg>]) -> Fits<u32> {
        let place = |v: VReg| u32::from(self.values[v].place);
        // What is over with this instruction is written over where it is.
        let ends = |old: &Option<VReg>| old.is_some_and(|old| self.values[old].last == n);
        let are_together = olds.iter().all(ends)
            && olds
                .iter()
                .flatten()
                .zip(0..)
                .all(|(&old, k)| place(old) == place(olds[0].unwrap_or(old)) + k);
        let first = match are_together {
            true => {
                let first = olds[0].map_or(0, place);
                for old in olds.iter().flatten() {
                    self.values[*old].place = NOWHERE;
                }
                first
            }
            false => {
                let first = self.units_for(regs)?;
                for (to, old) in (first..).zip(olds) {
                    self.hold(to);
                    if let Some(old) = old {
                        self.copy_unit(to, self.values[*old].place.into());
                    }
                }
                first
            }
        };
        for (unit, &v) in (first..).zip(regs) {
            self.hold(unit);
            self.values[v].place = unit as u8;
            self.alive.push(v);
        }
        Ok(first)
    }

    fn copy_unit(&mut self, to: u32, from: u32) {
        let dwords = (self.frame.unit_bytes / 4) as u8;
        let reg = |unit: u32| GenReg::grf(unit * self.frame.unit_grfs);
        let inst = copy(dwords, reg(to), reg(from));
        self.stats.moves += 1;
        self.emit(inst);
    }

    fn hold(&mut self, unit: u32) {
        self.held |= 1 << unit;
        self.units |= 1 << unit;
        self.written |= 1 << unit;
    }

    /// A unit for a value, which is held.
    fn unit(&mut self, v: Option<VReg>) -> Fits<u32> {
        let unit = match v {
            Some(v) => self.units_for(&[v])?,
            None => self.find(1).ok_or(Full)?,
        };
        self.hold(unit);
        Ok(unit)
    }

    /// The first of free units for values, where the list that they are in has them if it can.
    fn units_for(&mut self, regs: &[VReg]) -> Fits<u32> {
        let count = regs.len() as u32;
        let Value { list, n, .. } = self.values[regs[0]];
        if list == NONE {
            return self.find(count).ok_or(Full);
        }
        let known = self.bookings.iter().find(|booking| booking.list == list);
        let booked = known
            .map(|booking| (booking.first, booking.units))
            .or_else(|| {
                let all = self.func.lists[List::from_u32(list)].len() as u32;
                let first = self.find(all)?;
                let units = run(first, all);
                self.bookings.push(Booking { list, first, units });
                Some((first, units))
            });
        if let Some((first, units)) = booked {
            let own = run(first + u32::from(n), count);
            if own & units == own && own & self.held == 0 {
                return Ok(first + u32::from(n));
            }
        }
        self.find(count).ok_or(Full)
    }

    /// So many free units side by side, if there are some outside those that are booked.
    fn find(&self, count: u32) -> Option<u32> {
        let booked = self
            .bookings
            .iter()
            .fold(0, |all, booking| all | booking.units);
        let free = self.own.may & !self.held;
        [free & !booked, free].into_iter().find_map(|free| {
            let starts = (1..count).fold(free, |starts, k| starts & free >> k);
            (starts != 0).then(|| starts.trailing_zeros())
        })
    }
}

/// So many units from one on, a bit each.
fn run(first: u32, count: u32) -> u128 {
    ((1u128 << count) - 1) << first
}

/// The number of a class among the files of words.
fn file_of(class: Class) -> usize {
    usize::from(class == Class::Addr)
}

/// Puts a register where an access stands; of a descriptor, beside the instruction.
fn set(inst: &mut Inst, place: Place, reg: Reg, descs: &mut [Option<Reg>; 2]) {
    match place {
        Place::Pred => inst.pred.iter_mut().for_each(|pred| pred.flag = reg),
        Place::Cond => inst.cond.iter_mut().for_each(|cond| cond.flag = reg),
        Place::SrcAddress(n) | Place::Src(n) => {
            if let Src::Reg(r) = &mut inst.srcs[usize::from(n)] {
                r.reg = reg;
            }
        }
        Place::Dst | Place::DstAddress => inst.dst.iter_mut().for_each(|dst| dst.reg = reg),
        Place::Desc => descs[0] = Some(reg),
        Place::ExDesc => descs[1] = Some(reg),
    }
}

/// Whether all that an instruction names are general registers of the machine and what no file is shared out of.
fn is_settled(func: &Function, inst: &Inst) -> bool {
    let is_settled = |reg: Reg| match reg.base() {
        Base::Null => true,
        Base::Virt(_) | Base::List(_) => false,
        Base::Phys(file, _) => !matches!(file, RegFile::Flag | RegFile::Addr),
    };
    let message = inst.message.expand().map(|message| &func.messages[message]);
    let mut descs = message.into_iter().flat_map(|m| [m.desc, m.ex_desc]);
    let mut srcs = inst.srcs.iter().filter_map(Src::as_reg);
    inst.gen_op().is_some()
        && inst.pred.is_none()
        && inst.cond.is_none()
        && descs.all(|desc| matches!(desc, MachineDesc::Imm(_)))
        && (inst.dst.as_ref()).is_none_or(|dst| dst.indirect.is_none() && is_settled(dst.reg))
        && srcs.all(|src| src.indirect.is_none() && is_settled(src.reg))
}
