//! The values that all places hold at a point of a program.
//!
//! Values that no instruction defines are in every place that was not written since, and there may be thousands of them
//! where a loop begins. Those that are in the same places are a *class*, which a place holds once. Where ways meet, the
//! classes are those of the common refinement of both partitions.

use std::collections::{BTreeMap, BTreeSet};

use kiln_machine::func::{Class, Function};
use kiln_machine::inst::VReg;
use smallvec::SmallVec;

use super::{addresses, calls};

const ADDRESS_WORDS: usize = 16;

/// Values of one place, by their classes, each with the part of it that the place holds.
pub(super) type Held = SmallVec<[(VReg, Part); 2]>;

/// A part of a value in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// In a unit or a slot, the word at which the value begins; in a word of a file, the number of the value's word there.
    pub at: u8,
    /// Words of the value, from its first on; one in a word of a file.
    pub words: u8,
}

impl Part {
    /// All of a general register's value, from the start of a unit on, or of a value without a definition, anywhere.
    pub(super) const WHOLE: Part = Part {
        at: 0,
        words: u8::MAX,
    };

    /// One word of a value.
    pub(super) fn word(which: u8) -> Part {
        Part {
            at: which,
            words: 1,
        }
    }

    /// The part that both places hold.
    fn meet(self, other: Part) -> Option<Part> {
        match (self == Part::WHOLE, other == Part::WHOLE) {
            (true, _) => Some(other),
            (_, true) => Some(self),
            _ => (self.at == other.at).then_some(Part {
                at: self.at,
                words: self.words.min(other.words),
            }),
        }
    }

    /// True if so many words of the value are there, of which the first is at a word of the place.
    pub(super) fn has(self, at: u8, words: u8) -> bool {
        self == Part::WHOLE || self.at == at && self.words >= words
    }
}

/// A spill slot: its number of registers, and the values that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub grfs: u32,
    pub held: Held,
}

/// A register of messages to all of scratch space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Far {
    pub grf: u32,
    /// The address in owords, if it is known.
    pub offset: Option<u32>,
}

/// The values that all places hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// By value of a class of several: the least value of the class, its name. Any other value is its own class.
    classes: BTreeMap<VReg, VReg>,
    pub units: Vec<Held>,
    pub flags: Vec<Held>,
    pub address: Vec<Held>,
    /// By the offset of a spill slot, in registers.
    pub slots: BTreeMap<u32, Slot>,
    /// Registers that hold what r0 held at entry.
    pub header: BTreeSet<u32>,
    /// A register that holds a copy of r0 but for the offset of a message and the pointers to implicit arguments.
    pub far: Option<Far>,
    /// A register with the address of a message.
    pub register: Option<addresses::Register>,
    /// The stack's pointers, in functions that call or are called with a stack.
    pub stack: Option<calls::Pointers>,
}

/// Classes of two states, and of the state in which they meet.
#[derive(Default)]
pub(super) struct Meeting {
    /// By a class of the one: the classes of the other that have values of it, each with the class of these values.
    common: BTreeMap<VReg, Vec<(VReg, VReg)>>,
}

impl Meeting {
    /// The values that both of two places hold, with the parts that both have.
    pub(super) fn meet(&self, mine: &mut Held, theirs: &Held) {
        let met = mine.iter().flat_map(|&(class, part)| {
            let same = [(class, class)];
            let common = self.common.get(&class).map_or(&same[..], Vec::as_slice);
            let met = common.iter().flat_map(|&(there, met)| {
                let there = theirs.iter().filter(move |&&(x, _)| x == there);
                there.filter_map(move |&(_, there)| Some((met, part.meet(there)?)))
            });
            met.collect::<Held>()
        });
        *mine = met.collect();
    }
}

impl State {
    /// The state in which a program begins: nothing is anywhere but r0. The units and the words of flags are so many.
    pub(super) fn new(units: usize, flags: usize) -> State {
        State {
            units: vec![Held::new(); units],
            flags: vec![Held::new(); flags],
            address: vec![Held::new(); ADDRESS_WORDS],
            header: BTreeSet::from([0]),
            ..State::default()
        }
    }

    /// The class of a value: the value that stands for it in the places that hold it.
    pub(super) fn class(&self, v: VReg) -> VReg {
        self.classes.get(&v).copied().unwrap_or(v)
    }

    fn places(&mut self) -> impl Iterator<Item = &mut Held> {
        let words = self.flags.iter_mut().chain(&mut self.address);
        self.units
            .iter_mut()
            .chain(words)
            .chain(self.slots.values_mut().map(|slot| &mut slot.held))
    }

    /// The state in which one value is followed by others, which are where it was.
    pub(super) fn follow<I: Iterator<Item = VReg>>(&self, after: impl Fn(VReg) -> I) -> State {
        let mut there = self.clone();
        let mut classes: BTreeMap<VReg, BTreeSet<VReg>> = BTreeMap::new();
        for (&v, &class) in &self.classes {
            classes.entry(class).or_default().extend(after(v));
        }
        there.name(classes.values().cloned());
        for held in there.places() {
            let followed = held.iter().flat_map(|&(class, number)| {
                let values: SmallVec<[VReg; 2]> = match classes.get(&class) {
                    Some(class) => class.first().copied().into_iter().collect(),
                    None => after(class).collect(),
                };
                values.into_iter().map(move |v| (v, number))
            });
            *held = followed.collect();
        }
        there.slots.retain(|_, slot| !slot.held.is_empty());
        there
    }

    /// Sets the classes, each named by its least value.
    fn name(&mut self, classes: impl Iterator<Item = BTreeSet<VReg>>) {
        let several = classes.filter(|class| class.len() > 1);
        let named = several.filter_map(|class| Some((*class.first()?, class)));
        let each = named.flat_map(|(first, class)| class.into_iter().map(move |v| (v, first)));
        self.classes = each.collect();
    }

    /// Refines the classes to those that both states have.
    fn refine(&mut self, other: &State) -> Meeting {
        let mut meeting = Meeting::default();
        if self.classes == other.classes {
            return meeting;
        }
        let mut pairs: BTreeMap<(VReg, VReg), BTreeSet<VReg>> = BTreeMap::new();
        for &v in self.classes.keys().chain(other.classes.keys()) {
            let pair = (self.class(v), other.class(v));
            pairs.entry(pair).or_default().insert(v);
        }
        for (&(mine, theirs), class) in &pairs {
            let common = meeting.common.entry(mine).or_default();
            common.extend(class.first().map(|&first| (theirs, first)));
        }
        self.name(pairs.into_values());
        meeting
    }

    pub(super) fn meet(&mut self, other: &State) {
        let classes = self.refine(other);
        let files = [
            (&mut self.units, &other.units),
            (&mut self.flags, &other.flags),
            (&mut self.address, &other.address),
        ];
        for (mine, theirs) in files {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                classes.meet(mine, theirs);
            }
        }
        self.slots.retain(|at, slot| {
            let there = other.slots.get(at).filter(|there| there.grfs == slot.grfs);
            let theirs = there.map_or_else(Held::new, |there| there.held.clone());
            classes.meet(&mut slot.held, &theirs);
            !slot.held.is_empty()
        });
        let far = self.far.or(other.far);
        let far = far.filter(|far| self.has_far(far.grf) && other.has_far(far.grf));
        self.far = far.map(|far| Far {
            offset: far.offset.filter(|_| self.far == other.far),
            ..far
        });
        self.header.retain(|grf| other.header.contains(grf));
        let mine = self.register.take();
        self.register = mine.and_then(|mine| mine.meet(other.register.as_ref()?, &classes));
        if let (Some(mine), Some(theirs)) = (&mut self.stack, &other.stack) {
            mine.meet(theirs);
        }
    }

    /// True if the register is a header with which a message reaches all of scratch space, given an offset.
    pub(super) fn has_far(&self, grf: u32) -> bool {
        self.header.contains(&grf) || self.far.is_some_and(|far| far.grf == grf)
    }

    /// The values in a number of registers of scratch space from one on.
    pub(super) fn in_slot(&self, at: u32, grfs: u32) -> Held {
        let slot = self.slots.get(&at).filter(|slot| slot.grfs == grfs);
        slot.map(|slot| slot.held.clone()).unwrap_or_default()
    }

    /// Writes a number of registers of scratch space from one on.
    pub(super) fn put(&mut self, at: u32, grfs: u32, held: Held) {
        self.free(at, grfs);
        self.slots.insert(at, Slot { grfs, held });
    }

    /// A number of registers of scratch space lose their values.
    pub(super) fn free(&mut self, at: u32, grfs: u32) {
        (self.slots).retain(|&other, slot| other + slot.grfs <= at || at + grfs <= other);
    }

    /// Every place holds values without a definition. Those of one kind and size are a class.
    pub(super) fn anywhere(&mut self, values: &[VReg], func: &Function) {
        let mut kinds: BTreeMap<(u8, u32), BTreeSet<VReg>> = BTreeMap::new();
        for &v in values {
            let reg = &func.regs[v];
            let kind = (reg.class as u8, u32::from(reg.bytes));
            kinds.entry(kind).or_default().insert(v);
        }
        for class in kinds.into_values() {
            let Some(&first) = class.first() else {
                continue;
            };
            if class.len() > 1 {
                self.classes.extend(class.iter().map(|&v| (v, first)));
            }
            for unit in &mut self.units {
                unit.retain(|(x, _)| *x != first);
                unit.push((first, Part::WHOLE));
            }
            let words = match func.regs[first].class {
                Class::Flag => &mut self.flags,
                Class::Addr => &mut self.address,
                Class::Grf => continue,
            };
            for (i, word) in words.iter_mut().enumerate() {
                word.retain(|(x, _)| *x != first);
                word.extend((0..=i as u8).map(|part| (first, Part::word(part))));
            }
            // A register that is stored may get such a value later, and has it in memory, too.
            for slot in self.slots.values_mut() {
                slot.held.retain(|(x, _)| *x != first);
                slot.held.push((first, Part::WHOLE));
            }
        }
    }
}
