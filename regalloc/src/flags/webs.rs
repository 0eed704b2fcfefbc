//! Values that cross blocks: how large they are, which of them form a web, and the webs' places.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_machine::func::{Block, BlockData, Class};
use kiln_machine::inst::VReg;
use smallvec::SmallVec;

use super::access::{Access, Place, accesses, free_words, term_read};
use super::file::{WORD, mask, taken};
use super::{END, NONE, NOWHERE, Pass, at_end, reads, writes};
use crate::AllocError;

/// Sets of registers.
pub(super) struct Unions(SecondaryMap<VReg, PackedOption<VReg>>);

impl Unions {
    pub(super) fn new(regs: usize) -> Unions {
        let mut up = SecondaryMap::new();
        up.resize(regs);
        Unions(up)
    }

    pub(super) fn root(&mut self, mut v: VReg) -> VReg {
        while let Some(up) = self.0[v].expand() {
            if let Some(over) = self.0[up].expand() {
                self.0[v] = over.into();
            }
            v = up;
        }
        v
    }

    pub(super) fn join(&mut self, a: VReg, b: VReg) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.0[a.max(b)] = a.min(b).into();
        }
    }
}

/// A part of a live range within one block.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub(super) block: Block,
    pub(super) from: u32,
    pub(super) to: u32,
    /// True if nothing in the block names the value.
    pub(super) through: bool,
}

/// A part of a block for which a word is a web's.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) word: u8,
    pub(super) size: u8,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// An instruction that needs a place for a value, unless the value has one.
#[derive(Clone, Copy)]
pub(super) struct Need {
    pub(super) inst: u32,
    /// Nothing for the flag of a `goto`.
    pub(super) v: Option<VReg>,
    pub(super) size: u8,
    pub(super) align: u8,
}

/// Mentions in a block, as often as it runs, that keep a web in the file beside all values of the block.
const KEPT_MENTIONS: u64 = 4;

/// The cost of a mention at a depth of loops.
fn mention_cost(depth: u32) -> u64 {
    10u64.pow(depth.min(6))
}

#[derive(Default)]
struct Web {
    members: Vec<VReg>,
    segments: Vec<Segment>,
    cost: u64,
}

/// Facts of the values before any has a place.
struct Ranges {
    joined: Unions,
    /// Live ranges of the values that cross blocks.
    segments: Vec<(VReg, Segment)>,
    /// By value: the cost to demote it.
    costs: SecondaryMap<VReg, u64>,
}

impl Pass<'_> {
    /// The size of every value, and what each instruction needs. Values that are written over one
    /// another, or passed to one another, are of one size. Gives whether there is anything to place.
    pub(super) fn measure(&mut self) -> Result<bool, AllocError> {
        let class = self.file.class;
        let is_free = |block: &BlockData| free_words(self.func.target, &block.term).is_some();
        let is_used = self.func.regs.values().any(|data| data.class == class)
            || class == Class::Flag && self.func.blocks.values().any(is_free);
        if !is_used {
            return Ok(false);
        }
        let (regs, blocks) = (self.func.regs.len(), self.func.blocks.len());
        for map in [&mut self.size, &mut self.align, &mut self.fixed] {
            map.resize(regs);
        }
        self.home.resize(regs);
        self.spans.resize(blocks);
        self.needs.resize(blocks);
        let mut families = Unions::new(regs);
        let mut ends: SecondaryMap<VReg, u32> = SecondaryMap::new();
        ends.resize(regs);
        let mut firsts: SmallVec<[VReg; 8]> = SmallVec::new();
        for block in self.func.blocks.values() {
            for (i, inst) in (0..).zip(&block.insts) {
                self.taken |= taken(inst, self.file);
                let list = accesses(self.func, inst, class);
                for a in &list {
                    ends[a.v] = ends[a.v].max(a.end);
                    if let Some(old) = a.old {
                        families.join(a.v, old);
                    }
                    // A send names no register for its descriptor: it is the first.
                    if a.place == Place::Desc && inst.gen_op().is_some_and(|op| op.is_send()) {
                        firsts.push(a.v);
                    }
                }
                if !list.is_empty() || inst.is_call() {
                    self.named.all.push((i, list));
                }
            }
            self.named.ends.push(self.named.all.len());
            if let Some(a) = term_read(self.func, &block.term, class) {
                ends[a.v] = ends[a.v].max(a.end);
            }
            for edge in &block.succs {
                for (&p, &a) in self.func.blocks[edge.to].params.iter().zip(&edge.args) {
                    if self.func.regs[p].class == class {
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
            for (i, list) in self.named.of(b) {
                let inst = &block.insts[*i as usize];
                if inst.is_call() {
                    self.calls[b].push(*i);
                }
                for a in list {
                    let both =
                        a.place == Place::Pred && inst.cond.is_some_and(|c| !c.flag.is_null());
                    if !matches!(a.place, Place::Src(_)) && !both {
                        needs.push(Need {
                            inst: *i,
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
        Ok(true)
    }

    /// Finds the values that cross blocks and gives places to the webs they form.
    pub(super) fn webs(&mut self, depths: &[u32]) {
        let Ranges {
            mut joined,
            segments,
            mut costs,
        } = self.ranges(depths);
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
        // Webs with many uses over few blocks come first.
        webs.sort_by_key(|w| {
            let price = w.cost * 64 / w.segments.len() as u64;
            (std::cmp::Reverse(price), w.members[0])
        });
        for web in &mut webs {
            if !self.place_web(web, depths) {
                for &v in &web.members {
                    self.make_home(v);
                }
            }
        }
    }

    fn ranges(&mut self, depths: &[u32]) -> Ranges {
        let class = self.file.class;
        let regs = self.func.regs.len();
        let mut joined = Unions::new(regs);
        let mut crosses: SecondaryMap<VReg, bool> = SecondaryMap::new();
        crosses.resize(regs);
        for (b, block) in self.func.blocks.iter() {
            let params = block.params.iter().chain(self.live.live_in(b));
            for &v in params.chain(at_end(block, self.live.live_out(b))) {
                if self.is_mine(v) {
                    crosses[v] = true;
                }
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
        // By value: the last block that names it, plus one.
        let mut named: SecondaryMap<VReg, u32> = SecondaryMap::new();
        let mut last: SecondaryMap<VReg, u32> = SecondaryMap::new();
        costs.resize(regs);
        named.resize(regs);
        last.resize(regs);
        let mut seen: Vec<VReg> = Vec::new();
        for (b, block) in self.func.blocks.iter() {
            let each = mention_cost(depths[b.index()]);
            let stamp = b.as_u32() + 1;
            let segment = |from, to, through| Segment {
                block: b,
                from,
                to,
                through,
            };
            let mut mention = |v: VReg| {
                costs[v] += each;
                named[v] = stamp;
            };
            let at_end = at_end(block, self.live.live_out(b));
            for &v in at_end.filter(|&&v| self.is_mine(v)) {
                last[v] = END;
                seen.push(v);
            }
            if let Some(a) = term_read(self.func, &block.term, class) {
                mention(a.v);
                if last[a.v] == 0 {
                    last[a.v] = reads(block.insts.len());
                    seen.push(a.v);
                }
            }
            for (i, list) in self.named.of(b).iter().rev() {
                let i = *i as usize;
                for a in list.iter().filter(|a| a.place.is_def()) {
                    mention(a.v);
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
                            // An undefined flag is copied first.
                            from = reads(i);
                        }
                    }
                    let to = std::mem::take(&mut last[a.v]).max(from);
                    if crosses[a.v] {
                        segments.push((a.v, segment(from, to, false)));
                    }
                }
                for a in list {
                    let Some(v) = a.read() else { continue };
                    mention(v);
                    if last[v] == 0 {
                        last[v] = reads(i);
                        seen.push(v);
                    }
                }
            }
            for &v in block.params.iter().filter(|&&v| self.is_mine(v)) {
                let to = std::mem::take(&mut last[v]);
                let through = to == END && named[v] != stamp;
                segments.push((v, segment(0, to, through)));
            }
            for v in seen.drain(..) {
                let to = std::mem::take(&mut last[v]);
                if to != 0 {
                    let through = to == END && named[v] != stamp;
                    segments.push((v, segment(0, to, through)));
                }
            }
        }
        // A value of one block is live until the walk backward finds its definition, so that one map does for all.
        let mut is_live = SecondaryMap::new();
        is_live.resize(regs);
        self.local = (0..self.func.blocks.len())
            .map(|b| self.local_words(Block::new(b), &crosses, &mut is_live))
            .collect();
        Ranges {
            joined,
            segments,
            costs,
        }
    }

    /// The most words that values of one block have at once in it, and the words of the largest.
    fn local_words(
        &self,
        b: Block,
        crosses: &SecondaryMap<VReg, bool>,
        is_live: &mut SecondaryMap<VReg, bool>,
    ) -> (u32, u8) {
        let (mut words, mut most, mut largest) = (0u32, 0, 1);
        for (_, list) in self.named.of(b).iter().rev() {
            for a in list.iter().filter(|a| a.place.is_def()) {
                if std::mem::take(&mut is_live[a.v]) {
                    words -= u32::from(self.size[a.v]);
                }
            }
            for v in list.iter().filter_map(Access::read) {
                if !crosses[v] && !std::mem::replace(&mut is_live[v], true) {
                    words += u32::from(self.size[v]);
                    largest = self.size[v].max(largest);
                }
            }
            most = words.max(most);
        }
        (most, largest)
    }

    /// Gives a web a place, if there is one.
    fn place_web(&mut self, web: &mut Web, depths: &[u32]) -> bool {
        // Two values of the web are live at once: they need two places.
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
            self.taken & mask == 0
                && (web.segments.iter()).all(|s| self.fits(web, *s, mask, depths))
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

    /// True if words are free for a part of a block, and leave room for the needs of its instructions.
    fn fits(&self, web: &Web, s: Segment, words: u16, depths: &[u32]) -> bool {
        let spans = &self.spans[s.block];
        let busy = |from: u32, to: u32| {
            (spans.iter().filter(|x| x.from <= to && from <= x.to))
                .fold(self.taken, |all, x| all | mask(x.word, x.size))
        };
        let outlives = |&i: &u32| s.from <= reads(i as usize) && s.to > reads(i as usize);
        if busy(s.from, s.to) & words != 0 || self.calls[s.block].iter().any(outlives) {
            return false;
        }
        // A web that costs little elsewhere leaves room for the values of a block that does not name it.
        if s.through && web.cost < KEPT_MENTIONS * mention_cost(depths[s.block.index()]) {
            let (local, size) = self.local[s.block.index()];
            let busy = words | busy(s.from, s.to);
            let free = (0..self.file.words).step_by(size.into());
            let free = free.filter(|&w| busy & mask(w, size) == 0).count();
            if (free as u32) * u32::from(size) < local {
                return false;
            }
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
}
