//! Registers for flags and addresses, in words of 16 bits.

use kiln_machine::inst::{Inst, Opcode, Reg, Src, VReg};
use smallvec::SmallVec;

use super::walk::{Fits, Full, Value, Walk};
use super::{NONE, NOWHERE};
use crate::flags::access::{Access, Place};
use crate::flags::file::mask;

impl Walk<'_> {
    /// Gives the flags or the addresses of an instruction their registers.
    pub(super) fn assign_words(
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
    pub(super) fn load(&mut self, n: u32, file: usize, v: VReg) -> Fits<u8> {
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
    pub(super) fn choose(&mut self, file: usize, size: u8, align: u8) -> Fits<u8> {
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
            let unit = self.unit()?;
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
