//! Bytes of registers that are wanted at a point of the code, and by whom.

use smallvec::SmallVec;

use super::accesses::{Access, Accesses, GRF_ROWS, Owner, ROWS, Replaces};

/// The bytes of a register that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// By active channels, each in its own slot.
    pub own: u64,
    pub slots: Slots,
    /// By channels that wait, each in its own slot.
    pub wait: u64,
    pub wait_slots: Slots,
    /// By all channels, whether active or not.
    pub all: u64,
    /// Perhaps: by accesses through an address, or by code that is not here.
    pub maybe: u64,
}

/// Slots in which channels want bytes: unknown, or as [`Owner::Slots`] has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots(u32);

impl Slots {
    fn of(owner: Owner) -> Option<Slots> {
        match owner {
            Owner::All => None,
            Owner::Unknown => Some(Slots(0)),
            Owner::Slots { shift, first } => Some(Slots(
                1 << 31 | u32::from(shift) << 16 | u32::from(first as u16),
            )),
        }
    }

    /// Slots that agree with both; none if these differ.
    fn meet(self, other: Slots) -> Option<Slots> {
        match (self, other) {
            (Slots(0), known) | (known, Slots(0)) => Some(known),
            (a, b) => (a == b).then_some(a),
        }
    }
}

impl Wanted {
    /// All bytes that are certainly wanted.
    pub fn certain(&self) -> u64 {
        self.own | self.wait | self.all
    }

    pub fn any(&self) -> u64 {
        self.certain() | self.maybe
    }

    fn add_own(&mut self, bytes: u64, slots: Slots) {
        add(&mut self.own, &mut self.slots, &mut self.all, bytes, slots);
    }

    fn add_wait(&mut self, bytes: u64, slots: Slots) {
        add(
            &mut self.wait,
            &mut self.wait_slots,
            &mut self.all,
            bytes,
            slots,
        );
    }

    pub fn read(&mut self, bytes: u64, owner: Owner) {
        match Slots::of(owner) {
            Some(slots) => self.add_own(bytes, slots),
            None => self.all |= bytes,
        }
    }

    /// Adds what another point wants.
    pub fn join(&mut self, other: &Wanted) {
        self.join_own(other);
        self.join_wait(other);
        self.join_rest(other);
    }

    pub fn join_own(&mut self, other: &Wanted) {
        self.add_own(other.own, other.slots);
    }

    pub fn join_wait(&mut self, other: &Wanted) {
        self.add_wait(other.wait, other.wait_slots);
    }

    pub fn join_rest(&mut self, other: &Wanted) {
        self.all |= other.all;
        self.maybe |= other.maybe;
    }

    /// Adds what active channels want there as wanted by channels that wait here.
    pub fn join_arrival(&mut self, other: &Wanted) {
        self.add_wait(other.own, other.slots);
    }

    /// Adds what channels that wait want there as wanted by active channels here.
    pub fn join_departure(&mut self, other: &Wanted) {
        self.add_own(other.wait, other.wait_slots);
    }

    /// Removes bytes that are written.
    fn write(&mut self, access: &Access, replaces: Replaces, all_run: bool) {
        let kept = !access.bytes;
        match replaces {
            Replaces::Nothing => {}
            Replaces::All => {
                self.own &= kept;
                self.wait &= kept;
                self.all &= kept;
                self.maybe &= kept;
            }
            Replaces::Active => {
                let same = match Slots::of(access.owner) {
                    Some(slots) => slots.meet(self.slots).is_some(),
                    None => true,
                };
                if same {
                    self.own &= kept;
                }
                if all_run {
                    self.all &= kept;
                    self.maybe &= kept;
                }
            }
        }
    }
}

/// Adds bytes with their slots. If slots differ, any channel may want the bytes.
fn add(wanted: &mut u64, has: &mut Slots, all: &mut u64, bytes: u64, slots: Slots) {
    if bytes == 0 {
        return;
    }
    if *wanted == 0 {
        *has = Slots(0);
    }
    match has.meet(slots) {
        Some(slots) => {
            *wanted |= bytes;
            *has = slots;
        }
        None => {
            *all |= *wanted | bytes;
        }
    }
}

/// Wanted bytes of each register.
#[derive(Clone)]
pub(super) struct State(pub Vec<Wanted>);

impl State {
    pub fn new() -> State {
        State(vec![Wanted::default(); ROWS])
    }

    pub fn clear(&mut self) {
        self.0.fill(Wanted::default());
    }

    /// Goes from after the writes of an instruction to before them. `all_run` says that all channels of the thread execute
    /// it.
    pub fn undo_writes(&mut self, accesses: &Accesses, replaces: Replaces, all_run: bool) {
        if let Some(from) = accesses.copies.filter(|_| replaces == Replaces::All) {
            return self.copy(accesses, from);
        }
        for write in &accesses.writes {
            self.0[usize::from(write.row)].write(write, replaces, all_run);
        }
    }

    /// Goes from after the reads of an instruction to before them. A copy has been read with its writes.
    pub fn undo_reads(&mut self, accesses: &Accesses, replaces: Replaces) {
        let is_copy = accesses.copies.is_some() && replaces == Replaces::All;
        for read in &accesses.reads {
            let row = usize::from(read.row);
            if !is_copy || row >= GRF_ROWS {
                self.0[row].read(read.bytes, read.owner);
            }
        }
        for &(first, count) in &accesses.perhaps {
            let rows = usize::from(first)..usize::from(first + count).min(GRF_ROWS);
            for wanted in self.0.get_mut(rows).unwrap_or_default() {
                wanted.maybe = u64::MAX;
            }
        }
    }

    /// A move for all channels: its source is wanted as its result is.
    fn copy(&mut self, accesses: &Accesses, from: i32) {
        let mut moved: SmallVec<[(usize, Wanted, u64); 4]> = SmallVec::new();
        for write in &accesses.writes {
            let wanted = &mut self.0[usize::from(write.row)];
            let mut taken = *wanted;
            taken.own &= write.bytes;
            taken.wait &= write.bytes;
            taken.all &= write.bytes;
            taken.maybe &= write.bytes;
            wanted.write(write, Replaces::All, true);
            let to = i32::from(write.row) + from;
            if let Ok(to) = usize::try_from(to) {
                moved.push((to, taken, write.bytes));
            }
        }
        for (row, taken, bytes) in moved {
            let Some(wanted) = self.0.get_mut(row) else {
                continue;
            };
            wanted.join(&taken);
            // A move reads its source even if nothing wants the result.
            wanted.read(bytes & !taken.certain(), Owner::Unknown);
        }
    }

    /// The registers of which anything is wanted.
    pub fn pack(&self) -> Packed {
        let rows = (0u16..)
            .zip(&self.0)
            .filter(|(_, wanted)| wanted.any() != 0);
        Packed(rows.map(|(row, wanted)| (row, *wanted)).collect())
    }
}

/// The registers of which anything is wanted, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Packed(pub Box<[(u16, Wanted)]>);

impl Packed {
    pub fn get(&self, row: u16) -> Wanted {
        let found = self.0.binary_search_by_key(&row, |(row, _)| *row);
        found.map_or(Wanted::default(), |n| self.0[n].1)
    }
}
