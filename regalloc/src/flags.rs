//! Assigns flags and the address register, before general registers are allocated.
//!
//! Takes a legal function in SSA form; leaves one in which no operand is a virtual flag or address
//! register, and in which every `goto` that needs a free flag has one. Both files are small and
//! shared out by words of 16 bits: a flag of up to 16 channels takes a half register, an address
//! variable a power of two of words. One walk over the code does it:
//!
//! * Values that cross blocks are joined to webs through block parameters and through what is
//!   written over when it dies. A web has one place for all its life, if no web before it and no
//!   instruction that needs a place of its own stands against it; webs that cost most to keep
//!   elsewhere are served first.
//! * All others are placed block by block, in order; where there is no room, the value whose next
//!   use is furthest away goes.
//!
//! What gets no place, or loses it, is *demoted*: a general register holds it from its definition
//! on, and it is loaded before a use. Predicates, conditions, addresses and descriptors need the
//! real register; operands that only read or write the bits use the general one.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_machine::func::{Block, BlockData, Class, Function, Term};
use kiln_machine::inst::{Base, Desc, Dst, Inst, Message, MessageId, Old, Opcode, Reg, Src, VReg};
use kiln_machine::liveness::Liveness;
use kiln_target::isa::{Op, PredCtrl, RegFile, Region, Type};
use kiln_target::platform::Platform;
use smallvec::SmallVec;

use crate::AllocError;

/// What the pass did.
#[derive(Default)]
pub struct Assigned {
    /// Values that a general register holds.
    pub demoted: u32,
    /// For each instruction of each block what number it had before; [`ADDED`] if none.
    pub origins: SecondaryMap<Block, Vec<u32>>,
}

/// The number of an instruction that was not there before.
pub const ADDED: u32 = u32::MAX;

const NONE: u32 = u32::MAX;
/// No place.
const NOWHERE: u8 = u8::MAX;
/// A position after everything in a block.
const END: u32 = u32::MAX;
/// Words of the larger file.
const MOST_WORDS: usize = 16;
/// Bytes of a word.
const WORD: u32 = 2;

/// Positions in a block: its start, and each instruction's reads and writes.
fn reads(inst: usize) -> u32 {
    2 * inst as u32 + 1
}

fn writes(inst: usize) -> u32 {
    2 * inst as u32 + 2
}

/// A register file in words.
#[derive(Clone, Copy)]
struct File {
    class: Class,
    words: u8,
    /// The largest value, in words.
    most: u8,
}

impl File {
    fn flags(target: &Platform) -> File {
        File {
            class: Class::Flag,
            words: (target.flag_count * 2) as u8,
            most: 2,
        }
    }

    const ADDRESS: File = File {
        class: Class::Addr,
        words: 16,
        most: 16,
    };

    /// The register at a byte of the value that begins at a word.
    fn reg(self, word: u8, byte: u32) -> Reg {
        let at = u32::from(word) * WORD + byte;
        match self.class {
            Class::Flag => Reg::phys(RegFile::Flag, (at / 4) as u8, at % 4),
            _ => Reg::phys(RegFile::Addr, 0, at),
        }
    }

    /// Copies a value of so many words between its place and a general register, or between places.
    fn copy(self, to: Reg, from: Reg, words: u8) -> Inst {
        let (channels, ty) = match (self.class, words) {
            (Class::Flag, 2) => (1, Type::Ud),
            _ => (words, Type::Uw),
        };
        let region = match channels {
            1 => Region::SCALAR,
            n => Region::new(n, n, 1),
        };
        let mut mov = Inst::no_mask(Op::Mov, channels);
        mov.dst = Some(Dst::new(to, 1, ty));
        mov.srcs.push(Src::reg(from, region, ty));
        mov
    }
}

/// Where in an instruction a value of the file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
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
    fn is_def(self) -> bool {
        matches!(self, Place::Cond | Place::Dst)
    }

    /// Read, and only the real register will do.
    fn needs_register(self) -> bool {
        !matches!(self, Place::Cond | Place::Dst | Place::Src(_))
    }
}

#[derive(Clone, Copy, Debug)]
struct Access {
    v: VReg,
    place: Place,
    /// First byte, and one past the last.
    byte: u32,
    end: u32,
    /// Contents that a definition is written over.
    old: Option<VReg>,
}

impl Access {
    /// The value that is read, an old one among them.
    fn read(&self) -> Option<VReg> {
        if self.place.is_def() {
            self.old
        } else {
            Some(self.v)
        }
    }
}

type Accesses = SmallVec<[Access; 4]>;

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
fn accesses(func: &Function, inst: &Inst, class: Class) -> Accesses {
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
        let Some(r) = src.as_reg() else { continue };
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
            let bytes = match inst.op {
                Opcode::Undef
                | Opcode::Call
                | Opcode::CallAddress
                | Opcode::Results
                | Opcode::Spill
                | Opcode::Fill
                | Opcode::CallRoutine(_)
                | Opcode::Return => 0,
                Opcode::Gen(_) => (last * u32::from(dst.hstride) + 1) * dst.ty.bytes(),
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

/// What a terminator reads, with the words it takes.
fn term_read(func: &Function, term: &Term, class: Class) -> Option<Access> {
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
fn free_words(target: &Platform, term: &Term) -> Option<u8> {
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

/// Sets of registers.
struct Unions(SecondaryMap<VReg, PackedOption<VReg>>);

impl Unions {
    fn new() -> Unions {
        Unions(SecondaryMap::new())
    }

    fn root(&mut self, mut v: VReg) -> VReg {
        while let Some(up) = self.0[v].expand() {
            if let Some(over) = self.0[up].expand() {
                self.0[v] = over.into();
            }
            v = up;
        }
        v
    }

    fn join(&mut self, a: VReg, b: VReg) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.0[a.max(b)] = a.min(b).into();
        }
    }
}

/// Where a value lives, in one block.
#[derive(Clone, Copy)]
struct Segment {
    block: Block,
    from: u32,
    to: u32,
}

/// A part of a block for which a word is a web's.
#[derive(Clone, Copy)]
struct Span {
    word: u8,
    size: u8,
    from: u32,
    to: u32,
}

/// An instruction that needs a place for a value, unless the value has one.
#[derive(Clone, Copy)]
struct Need {
    inst: u32,
    /// Nothing for the flag of a `goto`.
    v: Option<VReg>,
    size: u8,
    align: u8,
}

#[derive(Default)]
struct Web {
    members: Vec<VReg>,
    segments: Vec<Segment>,
    cost: u64,
}

struct Pass<'a> {
    func: &'a mut Function,
    live: &'a Liveness,
    file: File,
    /// Words that the function names itself.
    taken: u16,
    /// Words of each value, and what its place is a multiple of.
    size: SecondaryMap<VReg, u8>,
    align: SecondaryMap<VReg, u8>,
    /// The place of a web's values.
    fixed: SecondaryMap<VReg, u8>,
    /// The general register of a demoted value.
    home: SecondaryMap<VReg, PackedOption<VReg>>,
    spans: SecondaryMap<Block, Vec<Span>>,
    needs: SecondaryMap<Block, Vec<Need>>,
    /// Numbers of the calls in each block: nothing of the file outlives one.
    calls: SecondaryMap<Block, Vec<u32>>,
    demoted: u32,
}

/// Assigns both files.
///
/// # Errors
/// A value or an instruction needs more than there is.
pub fn assign(func: &mut Function, live: &Liveness) -> Result<Assigned, AllocError> {
    let mut assigned = Assigned::default();
    for (b, block) in func.blocks.iter() {
        assigned.origins[b] = (0..block.insts.len() as u32).collect();
    }
    let depths = depths(func);
    for file in [File::flags(func.target), File::ADDRESS] {
        if !is_needed(func, file) {
            continue;
        }
        let mut pass = Pass {
            file,
            live,
            taken: 0,
            size: SecondaryMap::new(),
            align: SecondaryMap::new(),
            fixed: SecondaryMap::with_default(NOWHERE),
            home: SecondaryMap::new(),
            spans: SecondaryMap::new(),
            needs: SecondaryMap::new(),
            calls: SecondaryMap::new(),
            demoted: 0,
            func,
        };
        pass.measure()?;
        pass.webs(&depths);
        let edges = pass.edges();
        let mut walk = Walk::new(&mut pass);
        for b in (0..edges.len()).map(Block::new) {
            walk.block(b, &mut assigned.origins[b])?;
        }
        pass.apply(edges);
        assigned.demoted += pass.demoted;
    }
    Ok(assigned)
}

/// Whether there is anything to place in the file.
fn is_needed(func: &Function, file: File) -> bool {
    let is_free = |block: &BlockData| free_words(func.target, &block.term).is_some();
    func.regs.values().any(|reg| reg.class == file.class)
        || file.class == Class::Flag && func.blocks.values().any(is_free)
}

/// How many loops each block is in, by the backward edges around it.
pub fn depths(func: &Function) -> Vec<u32> {
    let mut change = vec![0i64; func.blocks.len() + 1];
    for (b, block) in func.blocks.iter() {
        for edge in block.succs.iter().filter(|e| e.to <= b) {
            change[edge.to.index()] += 1;
            change[b.index() + 1] -= 1;
        }
    }
    let mut depth = 0;
    change
        .iter()
        .map(|c| {
            depth += c;
            depth as u32
        })
        .collect()
}

impl Pass<'_> {
    fn is_mine(&self, v: VReg) -> bool {
        self.func.regs[v].class == self.file.class
    }

    /// The size of every value, and what each instruction needs. Values that are written over one
    /// another, or passed to one another, are of one size.
    fn measure(&mut self) -> Result<(), AllocError> {
        let class = self.file.class;
        let mut families = Unions::new();
        let mut ends: SecondaryMap<VReg, u32> = SecondaryMap::new();
        let mut firsts: SmallVec<[VReg; 8]> = SmallVec::new();
        for block in self.func.blocks.values() {
            for inst in &block.insts {
                self.taken |= taken(inst, self.file);
                for a in accesses(self.func, inst, class) {
                    ends[a.v] = ends[a.v].max(a.end);
                    if let Some(old) = a.old {
                        families.join(a.v, old);
                    }
                    // A send of two payloads names no register for its descriptor: it is the first.
                    if a.place == Place::Desc && inst.gen_op().is_some_and(|op| op.is_split_send())
                    {
                        firsts.push(a.v);
                    }
                }
            }
            if let Some(a) = term_read(self.func, &block.term, class) {
                ends[a.v] = ends[a.v].max(a.end);
            }
            for edge in &block.succs {
                for (&p, &a) in self.func.blocks[edge.to].params.iter().zip(&edge.args) {
                    if self.is_mine(p) {
                        families.join(p, a);
                    }
                }
            }
        }
        let mine: Vec<VReg> = (self.func.regs.keys())
            .filter(|&v| self.is_mine(v))
            .collect();
        for &v in &mine {
            let data = self.func.regs[v];
            let root = families.root(v);
            let words = ends[v].max(data.bytes.into()).div_ceil(WORD).max(1);
            let size = words.next_power_of_two();
            if size > u32::from(self.file.most) {
                return Err(self.fail(format!("{v} is of {} bytes", words * WORD)));
            }
            let align = u32::from(data.align).div_ceil(WORD).max(1);
            let align = align.next_power_of_two().min(u32::from(self.file.most));
            self.size[root] = self.size[root].max(size as u8);
            self.align[root] = self.align[root].max(align as u8);
        }
        for v in firsts {
            self.align[families.root(v)] = self.file.words;
        }
        for &v in &mine {
            let root = families.root(v);
            self.size[v] = self.size[root];
            self.align[v] = self.align[root].max(self.size[root]);
        }
        for (b, block) in self.func.blocks.iter() {
            let needs = &mut self.needs[b];
            for (i, inst) in block.insts.iter().enumerate() {
                if inst.is_call() {
                    self.calls[b].push(i as u32);
                }
                for a in accesses(self.func, inst, class) {
                    let both =
                        a.place == Place::Pred && inst.cond.is_some_and(|c| !c.flag.is_null());
                    if !matches!(a.place, Place::Src(_)) && !both {
                        needs.push(Need {
                            inst: i as u32,
                            v: Some(a.v),
                            size: self.size[a.v],
                            align: self.align[a.v],
                        });
                    }
                }
            }
            let at_end = match class {
                Class::Flag => free_words(self.func.target, &block.term),
                _ => None,
            };
            let read = term_read(self.func, &block.term, class);
            let at_end = at_end.map(|size| (None, size, size));
            let read = read.map(|a| (Some(a.v), self.size[a.v], self.align[a.v]));
            if let Some((v, size, align)) = read.or(at_end) {
                let inst = block.insts.len() as u32;
                needs.push(Need {
                    inst,
                    v,
                    size,
                    align,
                });
            }
        }
        Ok(())
    }

    fn fail(&self, what: String) -> AllocError {
        let file = match self.file.class {
            Class::Flag => "flags",
            _ => "the address register",
        };
        AllocError::Small {
            func: self.func.name.clone(),
            file,
            what,
        }
    }

    /// Finds the values that cross blocks and gives places to the webs they form.
    fn webs(&mut self, depths: &[u32]) {
        let (mut joined, segments, mut costs) = self.segments(depths);
        let mut webs: Vec<Web> = Vec::new();
        let mut number: SecondaryMap<VReg, u32> = SecondaryMap::with_default(NONE);
        for (v, segment) in segments {
            let root = joined.root(v);
            if number[root] == NONE {
                number[root] = webs.len() as u32;
                webs.push(Web::default());
            }
            let web = &mut webs[number[root] as usize];
            if web.members.last() != Some(&v) {
                web.members.push(v);
            }
            web.cost += std::mem::take(&mut costs[v]);
            web.segments.push(segment);
        }
        for web in &mut webs {
            web.members.sort_unstable();
            web.members.dedup();
            web.segments.sort_unstable_by_key(|s| (s.block, s.from));
        }
        // What is used often over few blocks first.
        webs.sort_by_key(|w| {
            let price = w.cost * 64 / w.segments.len() as u64;
            (std::cmp::Reverse(price), w.members[0])
        });
        for web in &mut webs {
            if !self.place_web(web) {
                for &v in &web.members {
                    self.make_home(v);
                }
            }
        }
    }

    /// Webs, where their values live, and what it costs to demote a value.
    fn segments(&self, depths: &[u32]) -> (Unions, Vec<(VReg, Segment)>, SecondaryMap<VReg, u64>) {
        let class = self.file.class;
        let mut joined = Unions::new();
        let mut crosses: SecondaryMap<VReg, bool> = SecondaryMap::new();
        for (b, block) in self.func.blocks.iter() {
            let params = block.params.iter().chain(self.live.live_in(b));
            for &v in params.chain(at_end(block, self.live.live_out(b))) {
                crosses[v] |= self.is_mine(v);
            }
            for edge in &block.succs {
                for (&p, &a) in self.func.blocks[edge.to].params.iter().zip(&edge.args) {
                    if self.is_mine(p) {
                        joined.join(p, a);
                    }
                }
            }
        }
        let mut segments = Vec::new();
        let mut costs: SecondaryMap<VReg, u64> = SecondaryMap::new();
        let mut last: SecondaryMap<VReg, u32> = SecondaryMap::new();
        let mut seen: Vec<VReg> = Vec::new();
        for (b, block) in self.func.blocks.iter() {
            let each = 10u64.pow(depths[b.index()].min(6));
            let at_end = at_end(block, self.live.live_out(b));
            for &v in at_end.filter(|&&v| self.is_mine(v)) {
                last[v] = END;
                seen.push(v);
            }
            if let Some(a) = term_read(self.func, &block.term, class) {
                costs[a.v] += each;
                if last[a.v] == 0 {
                    last[a.v] = reads(block.insts.len());
                    seen.push(a.v);
                }
            }
            for (i, inst) in block.insts.iter().enumerate().rev() {
                let list = accesses(self.func, inst, class);
                for a in list.iter().filter(|a| a.place.is_def()) {
                    costs[a.v] += each;
                    let mut from = writes(i);
                    if let Some(old) = a.old {
                        if last[old] == 0 {
                            // Dies here: the new value may take its place.
                            if crosses[old] || crosses[a.v] {
                                crosses[old] = true;
                                crosses[a.v] = true;
                                joined.join(old, a.v);
                            }
                        } else {
                            // It is copied first.
                            from = reads(i);
                        }
                    }
                    let to = std::mem::take(&mut last[a.v]).max(from);
                    if crosses[a.v] {
                        let segment = Segment { block: b, from, to };
                        segments.push((a.v, segment));
                    }
                }
                for a in &list {
                    let Some(v) = a.read() else { continue };
                    costs[v] += each;
                    if last[v] == 0 {
                        last[v] = reads(i);
                        seen.push(v);
                    }
                }
            }
            for &v in block.params.iter().filter(|&&v| self.is_mine(v)) {
                let to = std::mem::take(&mut last[v]);
                let from = 0;
                segments.push((v, Segment { block: b, from, to }));
            }
            for v in seen.drain(..) {
                let to = std::mem::take(&mut last[v]);
                if to != 0 {
                    let from = 0;
                    segments.push((v, Segment { block: b, from, to }));
                }
            }
        }
        (joined, segments, costs)
    }

    /// Gives a web a place, if there is one.
    fn place_web(&mut self, web: &mut Web) -> bool {
        // Two of its values live at once: they need two places.
        let overlap = |w: &[Segment]| w[0].block == w[1].block && w[1].from <= w[0].to;
        if web.segments.windows(2).any(overlap) {
            return false;
        }
        web.segments.dedup_by(|next, s| {
            let goes_on = s.block == next.block && s.to != END && s.to + 1 == next.from;
            if goes_on {
                s.to = next.to;
            }
            goes_on
        });
        let (size, align) = (self.size[web.members[0]], self.align[web.members[0]]);
        // Lower places are for what stays in its block.
        let places = (0..self.file.words).rev().filter(|w| w % align == 0);
        let fits = |&word: &u8| {
            let mask = mask(word, size);
            self.taken & mask == 0 && (web.segments.iter()).all(|s| self.fits(web, *s, mask))
        };
        let Some(word) = places.into_iter().find(fits) else {
            return false;
        };
        for &v in &web.members {
            self.fixed[v] = word;
        }
        for s in &web.segments {
            self.spans[s.block].push(Span {
                word,
                size,
                from: s.from,
                to: s.to,
            });
        }
        true
    }

    /// Whether words are free for a part of a block, and leave room for what its instructions need.
    fn fits(&self, web: &Web, s: Segment, words: u16) -> bool {
        let spans = &self.spans[s.block];
        let busy = |from: u32, to: u32| {
            (spans.iter().filter(|x| x.from <= to && from <= x.to))
                .fold(self.taken, |all, x| all | mask(x.word, x.size))
        };
        let outlives = |&i: &u32| s.from <= reads(i as usize) && s.to > reads(i as usize);
        if busy(s.from, s.to) & words != 0 || self.calls[s.block].iter().any(outlives) {
            return false;
        }
        let needs = &self.needs[s.block];
        let first = needs.partition_point(|n| writes(n.inst as usize) < s.from);
        let mut rest = &needs[first..];
        while let Some(n) = rest.first() {
            let at = n.inst as usize;
            if reads(at) > s.to {
                break;
            }
            let group;
            (group, rest) = rest.split_at(rest.partition_point(|m| m.inst == n.inst));
            let homeless = |n: &&Need| match n.v {
                Some(v) => self.fixed[v] == NOWHERE && web.members.binary_search(&v).is_err(),
                None => true,
            };
            let mut sizes: SmallVec<[(u8, u8); 4]> =
                (group.iter().filter(homeless).map(|n| (n.align, n.size))).collect();
            if sizes.is_empty() {
                continue;
            }
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let mut used = words | busy(reads(at), writes(at));
            for (align, size) in sizes {
                let free = (0..self.file.words).step_by(align.into());
                match free.map(|w| mask(w, size)).find(|m| used & m == 0) {
                    Some(m) => used |= m,
                    None => return false,
                }
            }
        }
        true
    }

    /// The general register of a value from now on.
    fn make_home(&mut self, v: VReg) -> VReg {
        if let Some(home) = self.home[v].expand() {
            return home;
        }
        self.demoted += 1;
        let home = self.func.grf(u32::from(self.size[v]) * WORD);
        self.home[v] = home.into();
        home
    }

    /// Parameters and arguments of each block, before they change.
    fn edges(&self) -> Vec<Vec<VReg>> {
        self.func
            .blocks
            .values()
            .map(|b| b.params.clone())
            .collect()
    }

    /// Leaves parameters and arguments of demoted values only.
    fn apply(&mut self, params: Vec<Vec<VReg>>) {
        let class = self.file.class;
        let regs = &self.func.regs;
        let home = &self.home;
        let new = |p: VReg, v: VReg| {
            if regs[p].class == class {
                home[v].expand()
            } else {
                Some(v)
            }
        };
        for (b, block) in self.func.blocks.iter_mut() {
            block.params = (params[b.index()].iter())
                .filter_map(|&p| new(p, p))
                .collect();
            for edge in &mut block.succs {
                let to = &params[edge.to.index()];
                edge.args = to
                    .iter()
                    .zip(&edge.args)
                    .filter_map(|(&p, &v)| new(p, v))
                    .collect();
            }
        }
    }
}

/// What lives at the end of a block, given what lives after it.
pub fn at_end<'a>(block: &'a BlockData, after: &'a [VReg]) -> impl Iterator<Item = &'a VReg> {
    after.iter().chain(block.succs.iter().flat_map(|e| &e.args))
}

/// The words of a value.
fn mask(word: u8, size: u8) -> u16 {
    (((1u32 << size) - 1) << word) as u16
}

/// Words of a file that an instruction names as such.
fn taken(inst: &Inst, file: File) -> u16 {
    let mut words = 0;
    let mut add = |reg: Reg| match (reg.base(), file.class) {
        (Base::Phys(RegFile::Flag, n), Class::Flag) => words |= mask(n * 2, 2),
        (Base::Phys(RegFile::Addr, _), Class::Addr) => words = u16::MAX,
        _ => {}
    };
    for src in inst.srcs.iter().filter_map(Src::as_reg) {
        add(src.reg);
    }
    inst.dst.iter().for_each(|d| add(d.reg));
    inst.pred.iter().for_each(|p| add(p.flag));
    inst.cond.iter().for_each(|c| add(c.flag));
    words
}

/// A use of a value in a block.
struct Use {
    inst: u32,
    /// The value's next one in the block.
    next: u32,
}

/// The state of the walk through one block.
struct Walk<'p, 'a> {
    pass: &'p mut Pass<'a>,
    uses: Vec<Use>,
    /// The first use of each value that is still to come, and the last of all.
    head: SecondaryMap<VReg, u32>,
    last: SecondaryMap<VReg, u32>,
    /// What each word holds, webs apart.
    slots: [Option<VReg>; MOST_WORDS],
    /// Where each value is, and where and at which instruction it was defined.
    at: SecondaryMap<VReg, u8>,
    defined: SecondaryMap<VReg, (u32, u8)>,
    /// Spans of each word that are not over, from the last to the first.
    spans: [SmallVec<[Span; 4]>; MOST_WORDS],
    block: Block,
    /// Words the current instruction reads from.
    pinned: u16,
    /// Values that the current instruction is still to read.
    reading: SmallVec<[VReg; 4]>,
    /// Instructions to add, with twice the number of the one they stand before, or one more behind.
    added: Vec<(u32, Inst)>,
}

impl<'p, 'a> Walk<'p, 'a> {
    fn new(pass: &'p mut Pass<'a>) -> Walk<'p, 'a> {
        Walk {
            uses: Vec::new(),
            head: SecondaryMap::with_default(NONE),
            last: SecondaryMap::new(),
            slots: [None; MOST_WORDS],
            at: SecondaryMap::with_default(NOWHERE),
            defined: SecondaryMap::new(),
            spans: Default::default(),
            block: Block::from_u32(0),
            pinned: 0,
            reading: SmallVec::new(),
            added: Vec::new(),
            pass,
        }
    }
}

impl Walk<'_, '_> {
    fn block(&mut self, b: Block, origins: &mut Vec<u32>) -> Result<(), AllocError> {
        let class = self.pass.file.class;
        let func = &mut *self.pass.func;
        let mut term = func.blocks[b].term;
        let mut insts = std::mem::take(&mut func.blocks[b].insts);
        let count = insts.len();
        let lists: Vec<Accesses> = insts.iter().map(|i| accesses(func, i, class)).collect();
        let at_end = term_read(func, &term, class);
        let free = free_words(func.target, &term).filter(|_| class == Class::Flag);
        if at_end.is_none() && free.is_none() && lists.iter().all(|l| l.is_empty()) {
            func.blocks[b].insts = insts;
            return Ok(());
        }
        self.block = b;
        self.prepare(b, &lists, at_end);
        let mut gone = vec![false; count];
        for (i, inst) in insts.iter_mut().enumerate() {
            self.begin(i);
            if !lists[i].is_empty() {
                gone[i] = !self.inst(i, inst, &lists[i])?;
            }
            if inst.is_call() {
                for v in self.slots.into_iter().flatten() {
                    self.evict(v);
                }
            }
        }
        self.begin(count);
        if let Some(a) = at_end {
            self.next(a.v, count);
            let word = self.load(a.v, count)?;
            if let Some(pred) = term.pred_mut() {
                pred.flag = self.pass.file.reg(word, a.byte);
            }
        }
        if let (Some(size), Term::GotoForward { free_flag, .. }) = (free, &mut term) {
            let at = reads(count);
            let word = self.choose(size, size, (at, at), END, count)?;
            *free_flag = self.pass.file.reg(word, 0);
        }
        for slot in std::mem::take(&mut self.slots).into_iter().flatten() {
            self.at[slot] = NOWHERE;
        }
        let mut added = std::mem::take(&mut self.added);
        added.sort_by_key(|&(at, _)| at);
        let mut added = added.into_iter().peekable();
        let mut out = Vec::with_capacity(count + added.len());
        let mut numbers = Vec::with_capacity(count + added.len());
        let mut upto = |at: u32, out: &mut Vec<Inst>, numbers: &mut Vec<u32>| {
            while let Some((_, inst)) = added.next_if(|&(to, _)| to <= at) {
                out.push(inst);
                numbers.push(ADDED);
            }
        };
        for (i, inst) in insts.into_iter().enumerate() {
            upto(2 * i as u32, &mut out, &mut numbers);
            if !gone[i] {
                out.push(inst);
                numbers.push(origins[i]);
            }
            upto(2 * i as u32 + 1, &mut out, &mut numbers);
        }
        upto(END, &mut out, &mut numbers);
        *origins = numbers;
        let block = &mut self.pass.func.blocks[b];
        block.insts = out;
        block.term = term;
        Ok(())
    }

    fn prepare(&mut self, b: Block, lists: &[Accesses], at_end: Option<Access>) {
        self.uses.clear();
        self.spans.iter_mut().for_each(SmallVec::clear);
        let at_end = at_end.map(|a| (lists.len(), a.v));
        let reads = lists
            .iter()
            .enumerate()
            .flat_map(|(i, list)| list.iter().filter_map(Access::read).map(move |v| (i, v)));
        let reads: Vec<(usize, VReg)> = reads.chain(at_end).collect();
        for &(i, v) in reads.iter().rev() {
            if self.head[v] == NONE {
                self.last[v] = i as u32;
            }
            let next = self.head[v];
            self.head[v] = self.uses.len() as u32;
            let inst = i as u32;
            self.uses.push(Use { inst, next });
        }
        let mut spans = self.pass.spans[b].clone();
        spans.sort_unstable_by_key(|s| std::cmp::Reverse(s.from));
        for s in spans {
            for w in s.word..s.word + s.size {
                self.spans[usize::from(w)].push(s);
            }
        }
    }

    /// The next use of a value after the current instruction, which `next` has told of.
    fn next_use(&self, v: VReg) -> u32 {
        match self.head[v] {
            NONE => NONE,
            at => self.uses[at as usize].inst,
        }
    }

    /// The value's uses up to this instruction are over.
    fn next(&mut self, v: VReg, i: usize) {
        while self.next_use(v) <= i as u32 && self.head[v] != NONE {
            self.head[v] = self.uses[self.head[v] as usize].next;
        }
    }

    /// Whether a web has the word at a position.
    fn is_webs(&self, word: usize, at: u32) -> bool {
        let spans = self.spans[word].iter().rev();
        spans.take_while(|s| s.from <= at).any(|s| at <= s.to)
    }

    fn begin(&mut self, i: usize) {
        self.pinned = 0;
        for spans in &mut self.spans {
            while spans.last().is_some_and(|s| s.to < reads(i)) {
                spans.pop();
            }
        }
        self.make_way(reads(i));
    }

    /// Values leave the words that webs have from this position on.
    fn make_way(&mut self, at: u32) {
        for w in 0..MOST_WORDS {
            if let Some(v) = self.slots[w]
                && self.is_webs(w, at)
            {
                self.evict(v);
            }
        }
    }

    fn clear(&mut self, v: VReg) {
        if self.at[v] != NOWHERE {
            self.at[v] = NOWHERE;
            for slot in &mut self.slots {
                if *slot == Some(v) {
                    *slot = None;
                }
            }
        }
    }

    fn put(&mut self, v: VReg, word: u8) {
        self.at[v] = word;
        for w in word..word + self.pass.size[v] {
            self.slots[usize::from(w)] = Some(v);
        }
    }

    /// The value is in its general register from its definition on.
    fn demote(&mut self, v: VReg) -> VReg {
        if let Some(home) = self.pass.home[v].expand() {
            return home;
        }
        let home = self.pass.make_home(v);
        let (inst, word) = self.defined[v];
        self.store(v, word, inst as usize);
        home
    }

    fn store(&mut self, v: VReg, word: u8, after: usize) {
        if let Some(home) = self.pass.home[v].expand() {
            let file = self.pass.file;
            let mov = file.copy(Reg::virt(home, 0), file.reg(word, 0), self.pass.size[v]);
            self.added.push((2 * after as u32 + 1, mov));
        }
    }

    fn evict(&mut self, v: VReg) {
        if self.next_use(v) != NONE || self.reading.contains(&v) {
            self.demote(v);
        }
        self.clear(v);
    }

    /// A place that is free between two positions, made so if need be.
    fn choose(
        &mut self,
        size: u8,
        align: u8,
        (from, to): (u32, u32),
        until: u32,
        i: usize,
    ) -> Result<u8, AllocError> {
        let mut best: Option<((u8, u32, bool), u8)> = None;
        for word in (0..self.pass.file.words).step_by(align.into()) {
            let words = usize::from(word)..usize::from(word + size);
            let busy = mask(word, size) & (self.pinned | self.pass.taken) != 0;
            if busy
                || words
                    .clone()
                    .any(|w| self.is_webs(w, from) || self.is_webs(w, to))
            {
                continue;
            }
            let held = self.slots[words.clone()].iter().flatten();
            let wanted = held.map(|&v| self.next_use(v)).min();
            let coming = words
                .flat_map(|w| self.spans[w].iter().rev().find(|s| s.from > to))
                .map(|s| s.from)
                .min()
                .unwrap_or(END);
            // Where the other half is in use anyway a whole register stays free.
            let other = usize::from(word ^ size);
            let beside = self.slots.get(other).is_some_and(Option::is_some)
                || other < MOST_WORDS && self.is_webs(other, from);
            let worth = match wanted {
                None if coming > until => (2, 0, beside),
                None => (1, coming, beside),
                Some(next) => (0, next, beside),
            };
            if best.is_none_or(|(b, _)| worth > b) {
                best = Some((worth, word));
            }
        }
        let Some((_, word)) = best else {
            let what = format!("instruction {i} of {} needs more than there is", self.block);
            return Err(self.pass.fail(what));
        };
        for w in word..word + size {
            if let Some(v) = self.slots[usize::from(w)] {
                self.evict(v);
            }
        }
        Ok(word)
    }

    /// The position of a value's last use in the block.
    fn until(&self, v: VReg) -> u32 {
        match self.next_use(v) {
            NONE => 0,
            _ => reads(self.last[v] as usize),
        }
    }

    fn place_of(&self, v: VReg) -> Option<u8> {
        let places = [self.pass.fixed[v], self.at[v]];
        places.into_iter().find(|&w| w != NOWHERE)
    }

    /// Makes sure that a value is in the file before instruction `i`.
    fn load(&mut self, v: VReg, i: usize) -> Result<u8, AllocError> {
        let (size, align) = (self.pass.size[v], self.pass.align[v]);
        let word = match self.place_of(v) {
            Some(word) => word,
            None => {
                let at = reads(i);
                let until = self.until(v);
                let word = self.choose(size, align, (at, at), until, i)?;
                self.fill(v, word, i)?;
                self.put(v, word);
                word
            }
        };
        self.pinned |= mask(word, size);
        Ok(word)
    }

    /// Copies a value to a place before instruction `i`.
    fn fill(&mut self, v: VReg, word: u8, i: usize) -> Result<(), AllocError> {
        let file = self.pass.file;
        let from = match (self.place_of(v), self.pass.home[v].expand()) {
            (Some(at), _) => file.reg(at, 0),
            (None, Some(home)) => Reg::virt(home, 0),
            (None, None) => {
                return Err(self.pass.fail(format!("{v} is used before it is defined")));
            }
        };
        let mov = file.copy(file.reg(word, 0), from, self.pass.size[v]);
        self.added.push((2 * i as u32, mov));
        Ok(())
    }

    /// Rewrites one instruction; `false` if it gives no code.
    fn inst(&mut self, i: usize, inst: &mut Inst, list: &Accesses) -> Result<bool, AllocError> {
        let file = self.pass.file;
        for a in list {
            if let Some(v) = a.read() {
                self.next(v, i);
            }
        }
        if inst.op == Opcode::Undef {
            return self.undef(i, inst, list[0].v);
        }
        let cond = list.iter().find(|a| a.place == Place::Cond);
        if let Some(c) = inst.cond.as_ref().filter(|_| cond.is_some())
            && let Some(pred) = inst.pred.and_then(|p| p.flag.as_virt())
            && c.old.expand().is_some_and(|old| old != pred)
        {
            let what = format!("instruction {i} writes over another flag than its predicate");
            return Err(self.pass.fail(what));
        }
        self.reading = list.iter().filter_map(Access::read).collect();
        // A predicate beside a condition is in the condition's place.
        let is_apart = |a: &&Access| {
            !matches!(a.place, Place::Src(_)) && (a.place != Place::Pred || cond.is_none())
        };
        let mut order: SmallVec<[Access; 4]> = list.iter().filter(is_apart).copied().collect();
        let size = |a: &Access| self.pass.size[a.v];
        let mixed = order.windows(2).any(|w| size(&w[0]) != size(&w[1]));
        if mixed {
            // Small ones may be in the way of large ones: all are placed anew, the large ones first.
            order.sort_by_key(|a| std::cmp::Reverse(size(a)));
            for w in 0..MOST_WORDS {
                if let Some(v) = self.slots[w] {
                    self.evict(v);
                }
            }
        }
        for a in order.iter().filter(|a| a.place.needs_register()) {
            if self.at[a.v] != NOWHERE {
                self.pinned |= mask(self.at[a.v], self.pass.size[a.v]);
            }
        }
        // Places of what is written over something, and of what is placed before it is known.
        let mut places: SmallVec<[(Access, Option<u8>); 2]> = SmallVec::new();
        for a in order {
            if a.place.needs_register() {
                let word = self.load(a.v, i)?;
                self.set(inst, a.place, file.reg(word, a.byte));
                continue;
            }
            if a.place == Place::Dst
                && let Some(home) = self.pass.home[a.v].expand()
            {
                let old = match a.old {
                    None => Some(Old::None),
                    Some(o) if self.place_of(o).is_none() => {
                        self.pass.home[o].expand().map(Old::Reg)
                    }
                    Some(_) => None,
                };
                if let (Some(old), Some(dst)) = (old, &mut inst.dst) {
                    dst.reg = Reg::virt(home, a.byte);
                    dst.old = old;
                    continue;
                }
            }
            let place = match a.old {
                Some(old) => Some(self.over(a.v, old, i)?),
                None if mixed && self.pass.fixed[a.v] == NOWHERE => {
                    let (size, align) = (self.pass.size[a.v], self.pass.align[a.v]);
                    let until = self.until(a.v);
                    let word = self.choose(size, align, (reads(i), writes(i)), until, i)?;
                    self.pinned |= mask(word, size);
                    Some(word)
                }
                None => None,
            };
            places.push((a, place));
        }
        for a in list {
            if let Place::Src(n) = a.place {
                let reg = match (self.place_of(a.v), self.pass.home[a.v].expand()) {
                    (Some(word), _) => file.reg(word, a.byte),
                    (None, Some(home)) => Reg::virt(home, a.byte),
                    (None, None) => {
                        let what = format!("{} is used before it is defined", a.v);
                        return Err(self.pass.fail(what));
                    }
                };
                self.set(inst, Place::Src(n), reg);
            }
        }
        // Reads are over.
        self.reading.clear();
        for a in list {
            if let Some(v) = a.read()
                && self.next_use(v) == NONE
            {
                self.clear(v);
            }
        }
        self.make_way(writes(i));
        for (a, place) in places {
            let word = match (place, self.pass.fixed[a.v]) {
                (Some(word), _) => word,
                (None, NOWHERE) => {
                    let (size, align) = (self.pass.size[a.v], self.pass.align[a.v]);
                    let until = self.until(a.v);
                    self.choose(size, align, (writes(i), writes(i)), until, i)?
                }
                (None, word) => word,
            };
            self.define(a.v, word, i);
            self.pinned |= mask(word, self.pass.size[a.v]);
            self.set(inst, a.place, file.reg(word, a.byte));
            if a.place == Place::Cond
                && let Some(pred) = list.iter().find(|p| p.place == Place::Pred)
            {
                self.set(inst, Place::Pred, file.reg(word, pred.byte));
            }
        }
        Ok(true)
    }

    /// The place of a value that is written over another, which is in it before the instruction.
    fn over(&mut self, v: VReg, old: VReg, i: usize) -> Result<u8, AllocError> {
        let (size, align) = (self.pass.size[v], self.pass.align[v]);
        let fixed = self.pass.fixed[v];
        if fixed != NOWHERE {
            if self.place_of(old) != Some(fixed) {
                self.fill(old, fixed, i)?;
            }
            return Ok(fixed);
        }
        if self.pass.fixed[old] == NOWHERE {
            let word = self.load(old, i)?;
            let words = usize::from(word)..usize::from(word + size);
            if !words.clone().any(|w| self.is_webs(w, writes(i))) {
                if self.next_use(old) != NONE {
                    self.demote(old);
                }
                return Ok(word);
            }
        }
        let until = self.until(v);
        let word = self.choose(size, align, (reads(i), writes(i)), until, i)?;
        self.fill(old, word, i)?;
        self.pinned |= mask(word, size);
        Ok(word)
    }

    /// The instruction leaves a value in a place.
    fn define(&mut self, v: VReg, word: u8, i: usize) {
        self.defined[v] = (i as u32, word);
        if self.pass.fixed[v] != NOWHERE {
            return;
        }
        for w in word..word + self.pass.size[v] {
            if let Some(gone) = self.slots[usize::from(w)] {
                self.clear(gone);
            }
        }
        self.store(v, word, i);
        if self.next_use(v) != NONE {
            self.put(v, word);
        }
    }

    fn undef(&mut self, i: usize, inst: &mut Inst, v: VReg) -> Result<bool, AllocError> {
        if let Some(home) = self.pass.home[v].expand() {
            inst.dst = Some(Dst::new(Reg::virt(home, 0), 1, Type::Ud));
            return Ok(true);
        }
        if self.pass.fixed[v] == NOWHERE && self.next_use(v) != NONE {
            let (size, align) = (self.pass.size[v], self.pass.align[v]);
            let until = self.until(v);
            let word = self.choose(size, align, (writes(i), writes(i)), until, i)?;
            self.define(v, word, i);
        }
        Ok(false)
    }

    fn set(&mut self, inst: &mut Inst, place: Place, reg: Reg) {
        match place {
            Place::Pred => inst.pred.iter_mut().for_each(|p| p.flag = reg),
            Place::Cond => {
                if let Some(c) = &mut inst.cond {
                    c.flag = reg;
                    c.old = None.into();
                }
            }
            Place::SrcAddress(n) | Place::Src(n) => {
                if let Src::Reg(r) = &mut inst.srcs[usize::from(n)] {
                    r.reg = reg;
                }
            }
            Place::Dst | Place::DstAddress => {
                if let Some(d) = &mut inst.dst {
                    d.reg = reg;
                    d.old = Old::None;
                }
            }
            Place::Desc => self.set_desc(inst, |m| &mut m.desc, reg),
            Place::ExDesc => self.set_desc(inst, |m| &mut m.ex_desc, reg),
        }
    }

    /// Messages may be shared, so that the one with the register is a new one.
    fn set_desc(&mut self, inst: &mut Inst, field: impl Fn(&mut Message) -> &mut Desc, reg: Reg) {
        if let Some(id) = inst.message.expand() {
            let mut message = self.pass.func.messages[id];
            *field(&mut message) = Desc::Addr(reg);
            let new: MessageId = self.pass.func.messages.push(message);
            inst.message = new.into();
        }
    }
}
