//! Random messages to memory: surfaces and addresses of 64 bits, elements of all sizes and counts, blocks,
//! atomics; with masks, predicates and execution sizes.
//!
//! S0 has the addresses, as offsets into a buffer of the test's own; S1 and S2 the written data, D the read data. The
//! model follows each instruction's page of the specification.

use kiln_emit::platform::Platform;

use crate::bench::{Bench, State, VAR_BYTES};
use crate::guard::Guard;
use crate::random::Random;
use crate::reference::{Trial, hash};

/// Bytes of the buffer.
const BUFFER_BYTES: usize = 1024;
const REGISTER: usize = 32;

/// The new value of an element from the old one and the sources, for a width in bits.
type Change = fn(u64, u64, u64, u32) -> u64;

#[derive(Clone, Copy)]
enum What {
    /// Bytes of an element in memory and in registers, and elements for each channel.
    Read(usize, usize, usize),
    Write(usize, usize, usize),
    /// The channels that are moved, of four.
    ReadChannels(u8),
    WriteChannels(u8),
    /// Bytes of the element, and number of sources.
    Atomic(usize, usize, Change),
    ReadBlock(usize),
    WriteBlock(usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A surface with offsets in units of this many bytes, and a global offset.
    Surface(usize),
    /// A surface for atomics without a global offset.
    Bare,
    /// Addresses.
    Address,
    /// A base and offsets.
    Base,
    /// One offset in units of this many bytes, or one address.
    Block(usize),
    BlockAddress,
}

pub struct Form {
    pub op: &'static str,
    place: Place,
    what: What,
    sizes: &'static [usize],
}

const fn form(op: &'static str, place: Place, what: What, sizes: &'static [usize]) -> Form {
    Form {
        op,
        place,
        what,
        sizes,
    }
}

const ANY: &[usize] = &[1, 2, 4, 8, 8, 16, 16, 16];
const WIDE: &[usize] = &[8, 16];
const OLD: &[usize] = &[1, 8, 16];
const EIGHT: &[usize] = &[8];
const BLOCK: &[usize] = &[1];

const fn surface(op: &'static str, what: What) -> Form {
    form(op, Place::Surface(1), what, ANY)
}

const fn address(op: &'static str, what: What, sizes: &'static [usize]) -> Form {
    form(op, Place::Address, what, sizes)
}

fn signed(value: u64, bits: u32) -> i64 {
    ((value << (64 - bits)) as i64) >> (64 - bits)
}

fn less(a: u64, b: u64) -> bool {
    f32::from_bits(a as u32) < f32::from_bits(b as u32)
}

const ADD: Change = |old, a, _, _| old.wrapping_add(a);
const SUB: Change = |old, a, _, _| old.wrapping_sub(a);
const INC: Change = |old, _, _, _| old.wrapping_add(1);
const DEC: Change = |old, _, _, _| old.wrapping_sub(1);
const MIN: Change = |old, a, _, _| old.min(a);
const MAX: Change = |old, a, _, _| old.max(a);
const XCHG: Change = |_, a, _, _| a;
const AND: Change = |old, a, _, _| old & a;
const OR: Change = |old, a, _, _| old | a;
const XOR: Change = |old, a, _, _| old ^ a;
const IMIN: Change = |old, a, _, bits| {
    if signed(a, bits) < signed(old, bits) {
        a
    } else {
        old
    }
};
const IMAX: Change = |old, a, _, bits| {
    if signed(a, bits) > signed(old, bits) {
        a
    } else {
        old
    }
};
const SWAP: Change = |old, a, b, _| if old == b { a } else { old };
const FMIN: Change = |old, a, _, _| if less(a, old) { a } else { old };
const FMAX: Change = |old, a, _, _| if less(old, a) { a } else { old };
const FSWAP: Change = |old, a, b, _| {
    if f32::from_bits(old as u32) == f32::from_bits(a as u32) {
        b
    } else {
        old
    }
};

use What::{Atomic, Read, ReadBlock, ReadChannels, Write, WriteBlock, WriteChannels};

macro_rules! atomics {
    ($($name:literal $sources:literal $change:ident),*) => {
        &[
            $(form(concat!("dword_atomic.", $name), Place::Bare, Atomic(4, $sources, $change), ANY),
            address(concat!("svm_atomic.", $name), Atomic(4, $sources, $change), ANY),
            address(concat!("svm_atomic.", $name, ".64"), Atomic(8, $sources, $change), ANY),)*
        ]
    };
}

const ATOMICS: &[Form] = atomics!(
    "add" 1 ADD, "sub" 1 SUB, "inc" 0 INC, "dec" 0 DEC, "min" 1 MIN, "max" 1 MAX, "minsint" 1 IMIN,
    "maxsint" 1 IMAX, "xchg" 1 XCHG, "and" 1 AND, "or" 1 OR, "xor" 1 XOR, "cmpxchg" 2 SWAP
);

const FLOATS: &[Form] = &[
    form("dword_atomic.fmin", Place::Bare, Atomic(4, 1, FMIN), ANY),
    form("dword_atomic.fmax", Place::Bare, Atomic(4, 1, FMAX), ANY),
    form("dword_atomic.fcmpwr", Place::Bare, Atomic(4, 2, FSWAP), ANY),
    address("svm_atomic.fmin", Atomic(4, 1, FMIN), ANY),
    address("svm_atomic.fmax", Atomic(4, 1, FMAX), ANY),
    address("svm_atomic.fcmpwr", Atomic(4, 2, FSWAP), ANY),
];

const MOVES: &[Form] = &[
    form("gather.1", Place::Surface(1), Read(1, 4, 1), OLD),
    form("gather.2", Place::Surface(2), Read(2, 4, 1), OLD),
    form("gather.4", Place::Surface(4), Read(4, 4, 1), OLD),
    form("scatter.1", Place::Surface(1), Write(1, 4, 1), OLD),
    form("scatter.2", Place::Surface(2), Write(2, 4, 1), OLD),
    form("scatter.4", Place::Surface(4), Write(4, 4, 1), OLD),
    surface("gather_scaled.1", Read(1, 4, 1)),
    surface("gather_scaled.2", Read(2, 4, 1)),
    surface("gather_scaled.4", Read(4, 4, 1)),
    surface("scatter_scaled.1", Write(1, 4, 1)),
    surface("scatter_scaled.2", Write(2, 4, 1)),
    surface("scatter_scaled.4", Write(4, 4, 1)),
    form("gather4_scaled", Place::Surface(1), ReadChannels(0), WIDE),
    form("scatter4_scaled", Place::Surface(1), WriteChannels(0), WIDE),
    form("svm_gather4scaled", Place::Base, ReadChannels(0), WIDE),
    form("svm_scatter4scaled", Place::Base, WriteChannels(0), WIDE),
    address("svm_gather.1.1", Read(1, 4, 1), ANY),
    address("svm_gather.1.2", Read(2, 4, 1), ANY),
    address("svm_gather.1.4", Read(4, 4, 1), ANY),
    address("svm_gather.4.1", Read(4, 4, 1), ANY),
    address("svm_gather.4.2", Read(4, 4, 2), WIDE),
    address("svm_gather.4.4", Read(4, 4, 4), WIDE),
    address("svm_gather.4.8", Read(4, 4, 8), EIGHT),
    address("svm_gather.8.1", Read(8, 8, 1), ANY),
    address("svm_gather.8.2", Read(8, 8, 2), WIDE),
    address("svm_gather.8.4", Read(8, 8, 4), EIGHT),
    address("svm_scatter.1.1", Write(1, 4, 1), ANY),
    address("svm_scatter.1.2", Write(2, 4, 1), ANY),
    address("svm_scatter.1.4", Write(4, 4, 1), ANY),
    address("svm_scatter.4.1", Write(4, 4, 1), ANY),
    address("svm_scatter.4.2", Write(4, 4, 2), WIDE),
    address("svm_scatter.4.4", Write(4, 4, 4), WIDE),
    address("svm_scatter.4.8", Write(4, 4, 8), EIGHT),
    address("svm_scatter.8.1", Write(8, 8, 1), ANY),
    address("svm_scatter.8.2", Write(8, 8, 2), WIDE),
    address("svm_scatter.8.4", Write(8, 8, 4), EIGHT),
    form("oword_ld", Place::Block(16), ReadBlock(0), BLOCK),
    form("oword_ld_unaligned", Place::Block(1), ReadBlock(0), BLOCK),
    form("oword_st", Place::Block(16), WriteBlock(0), BLOCK),
    form("svm_block_ld", Place::BlockAddress, ReadBlock(0), BLOCK),
    form(
        "svm_block_ld.unaligned",
        Place::BlockAddress,
        ReadBlock(0),
        BLOCK,
    ),
    form("svm_block_st", Place::BlockAddress, WriteBlock(0), BLOCK),
];

/// All forms.
pub fn forms() -> impl Iterator<Item = &'static Form> {
    MOVES.iter().chain(ATOMICS).chain(FLOATS)
}

impl Form {
    /// Targets without 64-bit integers lack messages with 64-bit elements.
    fn is_on(&self, target: &Platform) -> bool {
        target.int64 || !self.op.ends_with(".64")
    }
}

/// A message with its context.
pub struct Access {
    target: &'static Platform,
    op: &'static str,
    place: Place,
    what: What,
    guard: Guard,
    /// Global offset, in units.
    global: usize,
    /// Offset of each channel, in units.
    offsets: [usize; 16],
    /// True if there is a result.
    returns: bool,
    /// Byte in the variables at which the data begins.
    byte: usize,
    before: Box<State>,
    memory: Vec<u8>,
}

impl Access {
    pub fn random(r: &mut Random, form: &Form, target: &'static Platform) -> Access {
        loop {
            if let Some(access) = Access::attempt(r, form, target) {
                return access;
            }
        }
    }

    fn attempt(r: &mut Random, form: &Form, target: &'static Platform) -> Option<Access> {
        let mut guard = Guard::random(r, form.sizes)?;
        let mut before = Box::new([[0; VAR_BYTES]; 4]);
        before
            .iter_mut()
            .flatten()
            .for_each(|b| *b = r.next() as u8);
        let mut memory: Vec<u8> = (0..BUFFER_BYTES).map(|_| r.next() as u8).collect();
        let mut what = form.what;
        match &mut what {
            ReadChannels(mask) | WriteChannels(mask) => *mask = 1 + r.below(15) as u8,
            ReadBlock(bytes) | WriteBlock(bytes) => *bytes = 16 << r.below(4),
            _ => {}
        }
        // NaNs compare in their own way.
        if form.op.contains(".f") {
            for bytes in before
                .iter_mut()
                .map(|v| &mut v[..])
                .chain([&mut memory[..]])
            {
                for dword in bytes.chunks_exact_mut(4) {
                    let small = r.below(9) as f32 - 4.0;
                    dword.copy_from_slice(&small.to_le_bytes());
                }
            }
        }
        if let Atomic(bytes, 2, _) = what {
            // About half of the comparisons succeed, because sources and memory have few values.
            let [_, first, second, _] = &mut *before;
            for bytes_of in [&mut first[..], &mut second[..], &mut memory[..]] {
                for element in bytes_of.chunks_exact_mut(bytes) {
                    if !form.op.contains(".f") {
                        element.fill(r.below(2) as u8);
                    }
                }
            }
        }
        let (step, unit) = match (form.place, what) {
            (Place::Surface(unit), Read(element, ..) | Write(element, ..)) => {
                // Bytes and words may be anywhere; dwords are aligned.
                (unit, if element == 4 && unit == 1 { 4 } else { 1 })
            }
            (Place::Block(unit), _) => (unit, if unit == 1 { 4 } else { 1 }),
            (Place::BlockAddress, _) if form.op.contains("unaligned") => (1, 4),
            (Place::BlockAddress, _) => (1, 16),
            (_, Atomic(bytes, ..)) => (1, bytes),
            (_, Read(element, slot, _) | Write(element, slot, _)) => (
                1,
                if slot == 4 && form.op.contains(".1.") {
                    1
                } else {
                    element
                },
            ),
            _ => (1, 4),
        };
        let global = match form.place {
            Place::Surface(_) => r.below(3) * 16 * unit,
            _ => 0,
        };
        // Space for all elements of a channel after its offset.
        let most = (BUFFER_BYTES - 128) / step - global;
        let writes = matches!(what, Write(..) | WriteChannels(_));
        let mut offsets = [0; 16];
        for (lane, offset) in offsets.iter_mut().enumerate() {
            *offset = match writes {
                // Channels must not overlap, since the order of their writes is undefined.
                true => lane * 48 / step.min(48) / unit * unit,
                false => r.below(most / unit) * unit,
            };
        }
        if r.below(3) == 0 && !is_block(form.place) {
            guard.pred = Some(guard.random_pred(r));
        }
        if matches!(form.op.split('.').next(), Some("gather" | "scatter")) {
            guard.pred = None;
        }
        guard.no_mask = !is_block(form.place) && r.below(4) == 0;
        let returns = !matches!(what, Atomic(..)) || r.below(3) > 0;
        let extent = what.registers(guard.size) * REGISTER;
        if extent > VAR_BYTES {
            return None;
        }
        let byte = r.below((VAR_BYTES - extent) / REGISTER + 1) * REGISTER;
        Some(Access {
            target,
            op: form.op,
            place: form.place,
            what,
            guard,
            global,
            offsets,
            returns,
            byte,
            before,
            memory,
        })
    }

    fn text(&self) -> String {
        let (prefix, channels) = (self.guard.prefix(), self.guard.channels());
        let (op, at) = (self.op, self.byte);
        // Atomics of floats are of variables of floats; of what the reference sends, the type says how much.
        let ty = match self.what {
            Atomic(8, ..) | Read(_, 8, _) | Write(_, 8, _) => "_uq",
            Atomic(..) if op.contains(".f") => "_f",
            _ => "",
        };
        let [source, second] = ["S1", "S2"].map(|var| format!("{var}{ty}.{at}"));
        let data = match self.what {
            Write(..) | WriteChannels(_) | WriteBlock(_) => source.clone(),
            _ => format!("D{ty}.{at}"),
        };
        let to = if self.returns {
            data.as_str()
        } else {
            "%null.0"
        };
        let mask = match self.what {
            ReadChannels(mask) | WriteChannels(mask) => {
                let names = "RGBA".char_indices().filter(|(n, _)| mask >> n & 1 == 1);
                format!(".{}", names.map(|(_, name)| name).collect::<String>())
            }
            _ => String::new(),
        };
        let global = self.global;
        match (self.place, self.what) {
            (Place::Block(_), ReadBlock(bytes) | WriteBlock(bytes)) => {
                format!("{op} ({}) MEM {:#x}:ud {data}", bytes / 16, self.offsets[0])
            }
            (Place::BlockAddress, ReadBlock(bytes) | WriteBlock(bytes)) => {
                format!("{op} ({}) ADDR(0,0)<0;1,0> {data}", bytes / 16)
            }
            (Place::Bare, Atomic(_, sources, _)) => {
                let [a, b] = given(sources, &source, &second);
                format!("{prefix}{op} {channels} MEM S0.0 {a} {b} {to}")
            }
            (Place::Address, Atomic(_, sources, _)) => {
                let [a, b] = given(sources, &source, &second);
                format!("{prefix}{op} {channels} ADDR.0 {to} {a} {b}")
            }
            (Place::Address, _) => format!("{prefix}{op} {channels} ADDR.0 {data}"),
            (Place::Base, _) => {
                format!("{prefix}{op}{mask} {channels} BASE(0,0)<0;1,0> STEP.0 {data}")
            }
            _ => format!("{prefix}{op}{mask} {channels} MEM {global:#x}:ud S0.0 {data}"),
        }
    }

    fn bench(&self) -> Bench {
        let decls = format!(
            "{}.decl MEM v_type=T num_elts=1 v_name=T009\n\
             .decl BASE v_type=G type=uq num_elts=1 align=qword\n\
             .decl LOW v_type=G type=ud num_elts=2 align=dword alias=<BASE, 0>\n\
             .decl ADDR v_type=G type=uq num_elts=16 align=hword\n\
             .decl STEP v_type=G type=uq num_elts=16 align=hword\n\
             .decl HALVES v_type=G type=ud num_elts=32 align=hword alias=<ADDR, 0>\n\
             .decl STEPS v_type=G type=ud num_elts=32 align=hword alias=<STEP, 0>\n\
             .input BASE offset=64 size=8\n",
            self.guard.decls()
        );
        // The buffer does not cross a 4 GiB boundary.
        let body = format!(
            "movs (M1_NM, 1) MEM(0) 0x2:ud\n\
             mov (M1_NM, 16) STEPS(0,1)<2> 0x0:ud\n\
             mov (M1_NM, 16) STEPS(0,0)<2> S0_ud(0,0)<1;1,0>\n\
             mov (M1_NM, 16) HALVES(0,1)<2> LOW(0,1)<0;1,0>\n\
             add (M1_NM, 16) HALVES(0,0)<2> S0_ud(0,0)<1;1,0> LOW(0,0)<0;1,0>\n\
             {}{}{}\nbehind:\n",
            self.guard.before(),
            self.guard.jump(),
            self.text()
        );
        Bench {
            simd: self.guard.simd,
            items: self.guard.items,
            decls,
            body,
        }
    }

    /// Initial contents of the variables: disabled channels have offsets far out of bounds.
    fn given(&self) -> State {
        let mut given = *self.before;
        for (lane, offset) in self.offsets.iter().enumerate() {
            let used = is_block(self.place) || lane < self.guard.size && self.executes(lane);
            let bits = if used { *offset as u32 } else { 0x3fff_fff0 };
            given[0][lane * 4..lane * 4 + 4].copy_from_slice(&bits.to_le_bytes());
        }
        given
    }

    fn executes(&self, lane: usize) -> bool {
        self.guard.enabled(lane) && self.guard.holds(lane)
    }

    /// Expected contents of variables and memory, and the bytes of the variables that are defined.
    fn expected(&self) -> (State, Vec<u8>, [[bool; VAR_BYTES]; 4]) {
        let mut after = self.given();
        let mut memory = self.memory.clone();
        let mut known = [[true; VAR_BYTES]; 4];
        // Messages have eight or sixteen channels.
        let plane = |slot: usize| (slot * self.guard.size.max(8)).next_multiple_of(REGISTER);
        let step = match self.place {
            Place::Surface(step) | Place::Block(step) => step,
            _ => 1,
        };
        if let ReadBlock(bytes) | WriteBlock(bytes) = self.what {
            let at = self.offsets[0] * step;
            if matches!(self.what, ReadBlock(_)) {
                after[3][self.byte..self.byte + bytes].copy_from_slice(&memory[at..at + bytes]);
                let end = (self.byte + bytes).next_multiple_of(REGISTER);
                known[3][self.byte + bytes..end].fill(false);
            } else {
                memory[at..at + bytes]
                    .copy_from_slice(&self.before[1][self.byte..self.byte + bytes]);
            }
            return (after, memory, known);
        }
        for lane in (0..self.guard.size).filter(|&lane| self.executes(lane)) {
            let at = (self.offsets[lane] + self.global) * step;
            let elements = |mask: u8| (0..4).filter(move |n| mask >> n & 1 == 1).map(|n| n * 4);
            let moved: Vec<usize> = match self.what {
                Read(element, _, count) | Write(element, _, count) => {
                    (0..count).map(|n| n * element).collect()
                }
                ReadChannels(mask) | WriteChannels(mask) => elements(mask).collect(),
                _ => vec![0],
            };
            let (element, slot) = match self.what {
                Read(element, slot, _) | Write(element, slot, _) => (element, slot),
                Atomic(bytes, ..) => (bytes, bytes),
                _ => (4, 4),
            };
            for (n, behind) in moved.into_iter().enumerate() {
                let (from, to) = (at + behind, self.byte + n * plane(slot) + lane * slot);
                match self.what {
                    Read(..) | ReadChannels(_) => {
                        after[3][to..to + element].copy_from_slice(&memory[from..from + element]);
                        known[3][to + element..to + slot].fill(false);
                    }
                    Atomic(bytes, _, change) => {
                        let word = |bytes_of: &[u8], at: usize| {
                            let mut bits = [0; 8];
                            bits[..bytes].copy_from_slice(&bytes_of[at..at + bytes]);
                            u64::from_le_bytes(bits)
                        };
                        let old = word(&memory, from);
                        let [a, b] = [1, 2].map(|var| word(&self.before[var], to));
                        let new = change(old, a, b, 8 * bytes as u32).to_le_bytes();
                        memory[from..from + bytes].copy_from_slice(&new[..bytes]);
                        if self.returns {
                            after[3][to..to + bytes].copy_from_slice(&old.to_le_bytes()[..bytes]);
                        }
                    }
                    _ => {
                        let data = &self.before[1][to..to + element];
                        memory[from..from + element].copy_from_slice(data);
                    }
                }
            }
        }
        (after, memory, known)
    }

    fn found(&self, code: Option<&[u8]>) -> Result<(State, Vec<u8>), String> {
        self.bench()
            .run_memory(self.target, &self.given(), &self.memory, code)
    }

    /// Runs the message and compares its effect with the model.
    pub fn check(&self) -> Result<(), String> {
        let (found, memory) = self.found(None)?;
        let (expected, bytes, known) = self.expected();
        for var in 0..4 {
            let wrong =
                (0..VAR_BYTES).find(|&i| known[var][i] && found[var][i] != expected[var][i]);
            if let Some(at) = wrong {
                let (found, expected) = (found[var][at], expected[var][at]);
                return Err(format!(
                    "variable {var}, byte {at}: {found:#x}, expected {expected:#x}"
                ));
            }
        }
        match (0..BUFFER_BYTES).find(|&i| memory[i] != bytes[i]) {
            Some(at) => Err(format!(
                "memory, byte {at}: {:#x}, expected {:#x}",
                memory[at], bytes[at]
            )),
            None => Ok(()),
        }
    }
}

fn is_block(place: Place) -> bool {
    matches!(place, Place::Block(_) | Place::BlockAddress)
}

fn given<'a>(sources: usize, first: &'a str, second: &'a str) -> [&'a str; 2] {
    match sources {
        0 => ["%null.0"; 2],
        1 => [first, "%null.0"],
        _ => [first, second],
    }
}

impl What {
    /// Number of registers for the data.
    fn registers(self, size: usize) -> usize {
        let row = |slot: usize| (slot * size.max(8)).div_ceil(REGISTER);
        match self {
            Read(_, slot, count) | Write(_, slot, count) => row(slot) * count,
            ReadChannels(mask) | WriteChannels(mask) => row(4) * mask.count_ones() as usize,
            Atomic(bytes, ..) => row(bytes),
            ReadBlock(bytes) | WriteBlock(bytes) => bytes.div_ceil(REGISTER),
        }
    }
}

impl Trial for Access {
    fn text(&self) -> String {
        self.bench().text()
    }

    fn result(&self, code: Option<&[u8]>) -> Result<u64, String> {
        let (mut found, memory) = self.found(code)?;
        let (_, _, known) = self.expected();
        for (bytes, known) in found.iter_mut().flatten().zip(known.iter().flatten()) {
            if !known {
                *bytes = 0;
            }
        }
        Ok(hash(found.iter().flatten().chain(&memory)))
    }

    fn check(&self) -> Result<(), String> {
        self.check()
    }

    fn describe(&self) -> String {
        let offsets = &self.offsets[..self.guard.size.min(16)];
        let name = self.target.name;
        format!(
            "{name}: {} [{}, offsets {offsets:?}]",
            Access::text(self),
            self.guard.describe()
        )
    }
}

/// Random cases of every message, on both targets.
#[test]
fn every_message_moves_what_the_specification_says() {
    let mut failures = Vec::new();
    for target in ["skl", "icllp"].map(crate::common::target) {
        for (n, form) in forms().enumerate().filter(|(_, form)| form.is_on(target)) {
            for seed in 0..crate::cases("CASES", 40) {
                let mut r = Random((n as u64 + 1000) << 32 | u64::from(seed));
                let access = Access::random(&mut r, form, target);
                if let Err(why) = access.check() {
                    failures.push(format!("{why}\n  {}", access.describe()));
                }
            }
        }
    }
    let count = failures.len();
    assert!(
        count == 0,
        "{count} failures:\n{}",
        failures[..count.min(60)].join("\n")
    );
}
