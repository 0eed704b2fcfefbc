//! Packs the general registers of demoted values: values that are not live at once, or in different words, share one.
//!
//! Takes the function after both files are assigned, in SSA form, and leaves it so. Homes that block parameters and tied operands join
//! are a *web*, which has the same words of one register wherever it lives: next fit, in the order of the code. A register with several
//! webs is a variable that each write changes in part. It has a version from each write on, tied to the one before if anything else in
//! it lives, and is a block parameter wherever ways meet. As many registers live at once as before, or fewer.
//!
//! A web stays alone if it lives in one block or in code that is not reached, if two of its values live at once, or if an instruction of
//! several channels names it. Webs that are named in the same number of loops share a register, so that it can be in memory where none
//! of them is wanted.

use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_machine::func::{Block, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Inst, Old, Opcode, Reg, Src, VReg};
use kiln_machine::liveness::Liveness;
use smallvec::SmallVec;

use super::file::WORD;
use super::webs::{Segment, Span, Unions};
use super::{END, NONE, at_end, reads, writes};

/// The most registers that are shared: a bound on the words that a web is compared with in a block.
const MOST_SHARED: usize = 8;

/// A web of homes.
struct Web {
    /// The most loops around an instruction that names it.
    depth: u32,
    words: u8,
    segments: Vec<Segment>,
    /// The shared register and the first word in it, if it has one.
    place: Option<(usize, u8)>,
}

/// A register that webs share.
struct Shared {
    depth: u32,
    spans: SecondaryMap<Block, SmallVec<[Span; 4]>>,
    webs: u32,
    /// The word after the last web's.
    next: u8,
    /// The end of the words that are in use.
    words: u8,
}

/// The version of each shared register.
type Versions = [Option<VReg>; MOST_SHARED];

struct Pass<'a> {
    func: &'a mut Function,
    graph: &'a Graph,
    live: Liveness,
    /// By value: the number of its web.
    numbers: SecondaryMap<VReg, u32>,
    webs: Vec<Web>,
    shared: Vec<Shared>,
}

/// Packs the homes of a function.
pub(super) fn pack(
    func: &mut Function,
    graph: &Graph,
    depths: &[u32],
    is_home: &SecondaryMap<VReg, bool>,
) {
    let live = Liveness::of(func, graph, |v| is_home[v]);
    let mut pass = Pass {
        func,
        graph,
        live,
        numbers: SecondaryMap::with_default(NONE),
        webs: Vec::new(),
        shared: Vec::new(),
    };
    pass.find(depths, is_home);
    pass.place();
    if pass.shared.iter().any(|shared| shared.webs > 1) {
        pass.rewrite();
    }
}

impl Pass<'_> {
    /// Finds the webs that may share registers.
    fn find(&mut self, depths: &[u32], is_home: &SecondaryMap<VReg, bool>) {
        let func = &*self.func;
        let mut joined = Unions::new(func.regs.len());
        let mut alone: SecondaryMap<VReg, bool> = SecondaryMap::new();
        alone.resize(func.regs.len());
        let mut segments: Vec<(VReg, Segment)> = Vec::new();
        let mut last: SecondaryMap<VReg, u32> = SecondaryMap::new();
        last.resize(func.regs.len());
        let mut named: SecondaryMap<VReg, u32> = SecondaryMap::new();
        named.resize(func.regs.len());
        for (b, block) in func.blocks.iter() {
            let segment = |from, to| Segment {
                block: b,
                from,
                to,
                through: false,
            };
            let mut seen: Vec<VReg> = Vec::new();
            for &v in at_end(block, self.live.live_out(b)).filter(|&&v| is_home[v]) {
                last[v] = END;
                seen.push(v);
            }
            for (i, inst) in block.insts.iter().enumerate().rev() {
                let is_one = inst.exec_size == 1 && inst.message.is_none() && !inst.is_call();
                func.visit(inst, |v, role| {
                    if !is_home[v] {
                        return;
                    }
                    alone[v] |= !is_one;
                    named[v] = named[v].max(depths[b.index()]);
                    if role.is_def() {
                        let to = std::mem::take(&mut last[v]).max(writes(i));
                        segments.push((v, segment(writes(i), to)));
                    }
                    if let Some(old) = role.old() {
                        joined.join(v, old);
                    }
                });
                func.visit(inst, |v, role| {
                    let read = if role.is_def() { role.old() } else { Some(v) };
                    if let Some(v) = read.filter(|&v| is_home[v] && last[v] == 0) {
                        last[v] = reads(i);
                        seen.push(v);
                    }
                });
            }
            for &v in block.params.iter().filter(|&&v| is_home[v]) {
                segments.push((v, segment(0, std::mem::take(&mut last[v]))));
            }
            for v in seen {
                let to = std::mem::take(&mut last[v]);
                if to != 0 {
                    segments.push((v, segment(0, to)));
                }
            }
            for edge in &block.succs {
                for (&p, &a) in func.blocks[edge.to].params.iter().zip(&edge.args) {
                    if is_home[p] {
                        joined.join(p, a);
                    }
                }
            }
        }
        for v in func.regs.keys() {
            if alone[v] {
                alone[joined.root(v)] = true;
            }
        }
        for (v, segment) in segments {
            let root = joined.root(v);
            if alone[root] {
                continue;
            }
            if self.numbers[root] == NONE {
                self.numbers[root] = self.webs.len() as u32;
                self.webs.push(Web {
                    depth: 0,
                    words: u32::from(func.regs[v].bytes).div_ceil(WORD) as u8,
                    segments: Vec::new(),
                    place: None,
                });
            }
            self.numbers[v] = self.numbers[root];
            let web = &mut self.webs[self.numbers[root] as usize];
            web.segments.push(segment);
            web.depth = web.depth.max(named[v]);
        }
    }

    /// Gives words of shared registers to the webs.
    fn place(&mut self) {
        let words = self.func.target.unit_bytes() / WORD;
        for web in &mut self.webs {
            web.segments.sort_unstable_by_key(|s| (s.block, s.from));
            let overlap = |w: &[Segment]| w[0].block == w[1].block && w[1].from <= w[0].to;
            let ends = web.segments.first().zip(web.segments.last());
            let stays = ends.is_some_and(|(first, last)| first.block == last.block);
            let reached = web.segments.iter().all(|s| self.graph.is_reached(s.block));
            if stays || !reached || web.segments.windows(2).any(overlap) {
                continue;
            }
            let mask = |word: u8, words: u8| ((1u64 << words) - 1) << word;
            let free = |shared: &Shared| {
                if shared.depth != web.depth {
                    return None;
                }
                let busy = web.segments.iter().flat_map(|s| {
                    let spans = shared.spans[s.block].iter();
                    spans.filter(|x| x.from <= s.to && s.from <= x.to)
                });
                let busy = busy.fold(0, |all, x| all | mask(x.word, x.size));
                let places = (0..words as u8).step_by(web.words.into());
                let after = places.clone().filter(|&word| word >= shared.next);
                let mut places = after.chain(places);
                places.find(|&word| busy & mask(word, web.words) == 0)
            };
            let places = self.shared.iter().map(free).enumerate();
            let found = places.filter_map(|(n, word)| Some((n, word?))).next();
            let (n, word) = match found {
                Some(found) => found,
                None if self.shared.len() < MOST_SHARED => {
                    self.shared.push(Shared {
                        depth: web.depth,
                        spans: SecondaryMap::new(),
                        webs: 0,
                        next: 0,
                        words: 0,
                    });
                    (self.shared.len() - 1, 0)
                }
                None => continue,
            };
            web.place = Some((n, word));
            let shared = &mut self.shared[n];
            shared.webs += 1;
            shared.next = word + web.words;
            shared.words = shared.words.max(word + web.words);
            for s in &web.segments {
                shared.spans[s.block].push(Span {
                    word,
                    size: web.words,
                    from: s.from,
                    to: s.to,
                });
            }
        }
    }

    /// The shared register and the byte in it of a value that has one.
    fn place_of(&self, v: VReg) -> Option<(usize, u32)> {
        let web = self.webs.get(self.numbers[v] as usize)?;
        let (n, word) = web.place.filter(|&(n, _)| self.shared[n].webs > 1)?;
        Some((n, u32::from(word) * WORD))
    }

    /// Replaces homes by versions of shared registers.
    fn rewrite(&mut self) {
        let blocks = self.func.blocks.len();
        let mut ends: Vec<Versions> = vec![[None; MOST_SHARED]; blocks];
        let mut added: Vec<SmallVec<[(usize, VReg); 2]>> = vec![SmallVec::new(); blocks];
        for &b in self.graph.order() {
            let mut now = match self.graph.preds(b) {
                &[before] => ends[before.index()],
                _ => {
                    let mut versions = [None; MOST_SHARED];
                    let params = self.func.blocks[b].params.iter();
                    let begins = params.chain(self.live.live_in(b));
                    let begins: Vec<usize> =
                        begins.filter_map(|&v| Some(self.place_of(v)?.0)).collect();
                    for n in begins {
                        if versions[n].is_none() {
                            let param = self.version(n);
                            versions[n] = Some(param);
                            added[b.index()].push((n, param));
                        }
                    }
                    versions
                }
            };
            self.block(b, &mut now);
            ends[b.index()] = now;
        }
        let is_gone = |v: &VReg| self.place_of(*v).is_some();
        let gone: Vec<Vec<bool>> = (self.func.blocks.values())
            .map(|block| block.params.iter().map(is_gone).collect())
            .collect();
        for (b, block) in self.func.blocks.iter_mut() {
            let mut of = gone[b.index()].iter();
            block.params.retain(|_| of.next() != Some(&true));
            block
                .params
                .extend(added[b.index()].iter().map(|&(_, v)| v));
            for edge in &mut block.succs {
                let mut of = gone[edge.to.index()].iter();
                edge.args.retain(|_| of.next() != Some(&true));
                // Code that is never reached has no version; any does.
                let versions = added[edge.to.index()].iter();
                let passed = versions.map(|&(n, param)| ends[b.index()][n].unwrap_or(param));
                edge.args.extend(passed);
            }
        }
    }

    /// A new version of a shared register.
    fn version(&mut self, n: usize) -> VReg {
        self.func.grf(u32::from(self.shared[n].words) * WORD)
    }

    /// Rewrites a block that begins with these versions, and gives those of its end.
    fn block(&mut self, b: Block, now: &mut Versions) {
        let mut insts = std::mem::take(&mut self.func.blocks[b].insts);
        let mut kept = self.kept(b, &insts);
        for inst in &mut insts {
            for src in inst.srcs.iter_mut() {
                if let Src::Reg(r) = src
                    && let Some((n, byte)) = r.reg.as_virt().and_then(|v| self.place_of(v))
                    && let Some(version) = now[n]
                {
                    r.reg = Reg::virt(version, r.reg.byte() + byte);
                }
            }
            if let Some(dst) = &mut inst.dst
                && let Some((n, byte)) = dst.reg.as_virt().and_then(|v| self.place_of(v))
            {
                let keeps = kept.pop() == Some(true);
                if keeps && inst.op == Opcode::Undef {
                    // A value without contents needs no version.
                    dst.reg = Reg::virt(self.func.grf(WORD), 0);
                    continue;
                }
                let before = now[n].filter(|_| keeps);
                let version = self.version(n);
                now[n] = Some(version);
                dst.reg = Reg::virt(version, dst.reg.byte() + byte);
                dst.old = before.map_or(Old::None, Old::Reg);
            }
        }
        self.func.blocks[b].insts = insts;
    }

    /// By write of a shared register, from the last to the first: whether anything else in it is read later.
    fn kept(&self, b: Block, insts: &[Inst]) -> Vec<bool> {
        let mut live: Vec<VReg> = Vec::new();
        let after = at_end(&self.func.blocks[b], self.live.live_out(b));
        live.extend(after.filter(|&&v| self.place_of(v).is_some()));
        live.sort_unstable();
        live.dedup();
        let mut kept = Vec::new();
        for inst in insts.iter().rev() {
            let of = |v: VReg| self.place_of(v).map(|(n, _)| n);
            if let Some(dst) = &inst.dst
                && let Some(v) = dst.reg.as_virt()
                && let Some(n) = of(v)
            {
                live.retain(|&x| x != v);
                kept.push(dst.old != Old::None || live.iter().any(|&x| of(x) == Some(n)));
            }
            self.func.visit(inst, |v, role| {
                let read = if role.is_def() { role.old() } else { Some(v) };
                if let Some(v) = read.filter(|&v| of(v).is_some())
                    && !live.contains(&v)
                {
                    live.push(v);
                }
            });
        }
        kept
    }
}
