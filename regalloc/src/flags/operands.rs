//! Rewriting of one instruction: each value of the file that it names becomes a register.

use kiln_machine::inst::{Desc, Dst, Inst, Message, MessageId, Old, Opcode, Reg, Src, VReg};
use kiln_platform::isa::Type;
use smallvec::SmallVec;

use super::access::{Access, Accesses, Place};
use super::file::{MAX_WORDS, mask};
use super::walk::Walk;
use super::{NONE, NOWHERE, reads, writes};
use crate::AllocError;

/// Written operands, each with its register if it is known before the sources are read.
type Results = SmallVec<[(Access, Option<u8>); 2]>;

impl Walk<'_, '_> {
    /// Rewrites one instruction; `false` if it gives no code.
    pub(super) fn inst(
        &mut self,
        i: usize,
        inst: &mut Inst,
        list: &Accesses,
    ) -> Result<bool, AllocError> {
        let file = self.pass.file;
        for a in list {
            if let Some(v) = a.read() {
                self.next(v, i);
            }
        }
        if inst.op == Opcode::Undef {
            return self.undef(i, inst, list[0].v);
        }
        let writes_flag = list.iter().any(|a| a.place == Place::Cond);
        if let Some(c) = inst.cond.as_ref().filter(|_| writes_flag)
            && let Some(pred) = inst.pred.and_then(|p| p.flag.as_virt())
            && c.old.expand().is_some_and(|old| old != pred)
        {
            let what = format!("instruction {i} writes over another flag than its predicate");
            return Err(self.pass.fail(what));
        }
        self.reading = list.iter().filter_map(Access::read).collect();
        let places = self.place_apart(i, inst, list)?;
        self.place_sources(inst, list)?;
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

    /// Loads the operands that are read but no sources, and returns those that are written.
    fn place_apart(
        &mut self,
        i: usize,
        inst: &mut Inst,
        list: &Accesses,
    ) -> Result<Results, AllocError> {
        let file = self.pass.file;
        let writes_flag = list.iter().any(|a| a.place == Place::Cond);
        // A predicate beside a condition is in the condition's place.
        let is_apart = |a: &&Access| {
            !matches!(a.place, Place::Src(_)) && (a.place != Place::Pred || !writes_flag)
        };
        let mut order: SmallVec<[Access; 4]> = list.iter().filter(is_apart).copied().collect();
        let size = |a: &Access| self.pass.size[a.v];
        let mixed = order.windows(2).any(|w| size(&w[0]) != size(&w[1]));
        if mixed {
            // Small ones may be in the way of large ones: all are placed anew, the large ones first.
            order.sort_by_key(|a| std::cmp::Reverse(size(a)));
            for w in 0..MAX_WORDS {
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
        let mut places = Results::new();
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
        Ok(places)
    }

    /// Replaces the sources by their registers.
    fn place_sources(&mut self, inst: &mut Inst, list: &Accesses) -> Result<(), AllocError> {
        let file = self.pass.file;
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
        Ok(())
    }

    /// The place of a value that is written over another, which is in it before the instruction.
    pub(super) fn over(&mut self, v: VReg, old: VReg, i: usize) -> Result<u8, AllocError> {
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
    pub(super) fn define(&mut self, v: VReg, word: u8, i: usize) {
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

    pub(super) fn undef(&mut self, i: usize, inst: &mut Inst, v: VReg) -> Result<bool, AllocError> {
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

    pub(super) fn set(&mut self, inst: &mut Inst, place: Place, reg: Reg) {
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
    pub(super) fn set_desc(
        &mut self,
        inst: &mut Inst,
        field: impl Fn(&mut Message) -> &mut Desc,
        reg: Reg,
    ) {
        if let Some(id) = inst.message.expand() {
            let mut message = self.pass.func.messages[id];
            *field(&mut message) = Desc::Addr(reg);
            let new: MessageId = self.pass.func.messages.push(message);
            inst.message = new.into();
        }
    }
}
