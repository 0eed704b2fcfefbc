//! The choice of the values that are rematerialized.
//!
//! Takes the places with too much pressure, and gives values that are live through them until none has an excess or no
//! candidate is left: the cheapest first. A candidate whose operation reads one register that ends too early is taken
//! together with others that read the same: that register is kept longer, at the cost of one unit for all of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kiln_machine::func::{Block, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::VReg;

use super::lasts::lasts;
use super::spots::Spots;
use super::values::{Read, Values};
use super::{MIN_RANGE_INSTS, Place};

/// Maximum number of places that are considered (those with the highest pressure), and of values (the cheapest).
const MAX_PLACES: usize = 512;
const MAX_VALUES: usize = 4096;

/// A value to rematerialize.
pub struct Chosen {
    pub v: VReg,
    /// True if the constants that its operation reads are rematerialized with it.
    pub with_constants: bool,
    /// A register that its operation reads and that is to live longer for it.
    kept: Option<VReg>,
}

/// Chooses the values to rematerialize.
pub fn choose(
    func: &Function,
    graph: &Graph,
    values: &mut Values,
    places: &[Place],
) -> Vec<Chosen> {
    let mut crowded = vec![false; func.blocks.len()];
    for place in places {
        crowded[place.block.as_u32() as usize] = true;
    }
    let mut places: Vec<&Place> = places.iter().collect();
    places.sort_by_key(|place| (Reverse(place.over), place.at));
    places.truncate(MAX_PLACES);
    let is_possible = |v: &VReg| {
        let value = values.get(*v);
        value.is_cheap
            && !value.is_barred
            && values.reads(*v).next().is_some()
            && value.last.saturating_sub(value.def) >= MIN_RANGE_INSTS
            && values.parts(func, *v).is_some()
    };
    let possible: Vec<VReg> = func.regs.keys().filter(is_possible).collect();
    let spots = Spots::new(func, graph, &crowded);
    for &v in &possible {
        let home = Block::from_u32(values.get(v).site.0);
        values.place(v, |read| spots.of(home, read));
    }
    let ranges = Ranges::new(func, values);
    let candidate = |v: VReg| candidate(func, &ranges, v);
    let mut possible: Vec<Chosen> = possible.into_iter().filter_map(candidate).collect();
    possible.sort_by_cached_key(|chosen| {
        let value = ranges.values.get(chosen.v);
        let cost = spots.cost(ranges.values.reads(chosen.v));
        let length = Reverse(value.last - value.def);
        let is_kept = chosen.kept.is_some();
        (is_kept, cost, chosen.with_constants, length, chosen.v)
    });
    possible.truncate(MAX_VALUES);
    let mut choice = Choice {
        func,
        ranges: &ranges,
        anew: vec![false; ranges.values.list.len()],
        stays: vec![false; ranges.values.list.len()],
        longer: BTreeMap::new(),
    };
    for place in places {
        choice.relieve(place, &possible);
    }
    possible.retain(|chosen| choice.is_anew(chosen.v));
    possible
}

/// A value as a candidate, if all that its operation reads is a constant or live at its uses, but for one register.
fn candidate(func: &Function, ranges: &Ranges, v: VReg) -> Option<Chosen> {
    let mut chosen = Chosen {
        v,
        with_constants: false,
        kept: None,
    };
    for (s, constant) in ranges.values.sources(func, v) {
        if ranges.is_kept(s, v) || chosen.kept == Some(s) {
            continue;
        }
        match (constant, chosen.kept) {
            (Some(_), _) => chosen.with_constants = true,
            (None, None) if !ranges.values.get(s).is_overwritten => chosen.kept = Some(s),
            _ => return None,
        }
    }
    Some(chosen)
}

/// The live ranges of registers, as far as the order of the code shows them.
struct Ranges<'a> {
    values: &'a Values,
    /// The number of the first instruction of each block.
    first: Vec<u32>,
    lasts: Vec<u32>,
}

impl Ranges<'_> {
    fn new<'a>(func: &Function, values: &'a Values) -> Ranges<'a> {
        let mut first = Vec::with_capacity(func.blocks.len());
        let mut count = 0;
        for data in func.blocks.values() {
            first.push(count);
            count += data.insts.len() as u32;
        }
        Ranges {
            values,
            first,
            lasts: lasts(func),
        }
    }

    /// True if a register that is live before an instruction is live after it.
    fn lives_after(&self, v: VReg, block: Block, at: u32) -> bool {
        let (last, here) = (self.lasts[v.as_u32() as usize], 2 * block.as_u32());
        last > here || last == here && self.values.get(v).last > at
    }

    /// True if a register is live before the first use of another in each block, or at the end of the block before.
    fn is_kept(&self, s: VReg, v: VReg) -> bool {
        self.values.reads(v).all(|read| match read.is_hoisted() {
            false => self.lives_after(s, read.block, self.start(read).saturating_sub(1)),
            true => self.lives_after(s, read.spot, u32::MAX),
        })
    }

    /// The number of the first instruction that reads a value.
    fn start(&self, read: Read) -> u32 {
        self.first[read.block.as_u32() as usize] + read.first
    }

    /// True if a value is live through a place, and not wanted there.
    fn passes(&self, v: VReg, place: &Place) -> bool {
        let near = |read: Read| {
            let last = read.last + u32::from(!place.is_call);
            read.block == place.block && (read.first..last).contains(&place.inst)
        };
        self.values.get(v).def < place.at
            && !self.values.reads(v).any(near)
            && self.lives_after(v, place.block, place.at)
    }
}

/// The values chosen so far.
struct Choice<'a> {
    func: &'a Function,
    ranges: &'a Ranges<'a>,
    anew: Vec<bool>,
    /// Registers that they read, which must stay.
    stays: Vec<bool>,
    /// Registers that live longer for them: the last instruction that will read each.
    longer: BTreeMap<VReg, u32>,
}

impl Choice<'_> {
    fn is_anew(&self, v: VReg) -> bool {
        self.anew[v.as_u32() as usize]
    }

    /// Takes candidates that are live through a place until its excess is gone.
    fn relieve(&mut self, place: &Place, possible: &[Chosen]) {
        let there: Vec<&Chosen> = (possible.iter())
            .filter(|chosen| self.ranges.passes(chosen.v, place))
            .collect();
        let gone = there.iter().filter(|chosen| self.is_anew(chosen.v)).count() as u32;
        let longer = self
            .longer
            .keys()
            .filter(|&&s| self.is_longer(s, place))
            .count() as u32;
        let mut over = (place.over + longer).saturating_sub(gone);
        // Candidates by the register that would live longer for them.
        let mut groups: BTreeMap<VReg, Vec<&Chosen>> = BTreeMap::new();
        for chosen in there {
            match chosen.kept {
                Some(s) if !self.longer.contains_key(&s) => {
                    groups.entry(s).or_default().push(chosen)
                }
                _ if over > 0 => over -= u32::from(self.take(chosen)),
                _ => return,
            }
        }
        let mut groups: Vec<(VReg, Vec<&Chosen>)> = groups.into_iter().collect();
        groups.sort_by_key(|(s, group)| (Reverse(group.len()), *s));
        for (s, group) in groups {
            let dies = !self.ranges.lives_after(s, place.block, place.at);
            let free = |chosen: &&&Chosen| self.is_free(chosen);
            if over == 0 || group.iter().filter(free).count() as u32 <= u32::from(dies) {
                continue;
            }
            over += u32::from(dies);
            for chosen in group {
                over -= u32::from(over > 0 && self.take(chosen));
            }
        }
    }

    /// True if a register lives at a place only for chosen values.
    fn is_longer(&self, s: VReg, place: &Place) -> bool {
        let until = self.longer.get(&s).copied().unwrap_or(0);
        !self.ranges.lives_after(s, place.block, place.at)
            && (self.ranges.values.get(s).def..until).contains(&place.at)
    }

    /// True if a value can still be chosen: it is not, nothing chosen reads it, and nothing that it reads is.
    fn is_free(&self, chosen: &Chosen) -> bool {
        let n = chosen.v.as_u32() as usize;
        !self.anew[n] && !self.stays[n] && self.sources(chosen).all(|s| !self.is_anew(s))
    }

    fn sources(&self, chosen: &Chosen) -> impl Iterator<Item = VReg> {
        let with_constants = chosen.with_constants;
        let all = self.ranges.values.sources(self.func, chosen.v);
        let stay = all.filter(move |(_, constant)| !with_constants || constant.is_none());
        stay.map(|(s, _)| s)
    }

    /// Chooses a value, if it can be.
    fn take(&mut self, chosen: &Chosen) -> bool {
        if !self.is_free(chosen) {
            return false;
        }
        self.anew[chosen.v.as_u32() as usize] = true;
        let sources: Vec<VReg> = self.sources(chosen).collect();
        for s in sources {
            self.stays[s.as_u32() as usize] = true;
        }
        if let Some(s) = chosen.kept {
            let reads = self.ranges.values.reads(chosen.v);
            let last = reads.map(|read| self.ranges.start(read)).max().unwrap_or(0);
            let until = self.longer.entry(s).or_default();
            *until = last.max(*until);
        }
        true
    }
}
