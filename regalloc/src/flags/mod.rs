//! Assigns flags and the address register, before general registers are allocated.
//!
//! Takes a legal function in SSA form; leaves one in which no operand is a virtual flag or address
//! register, and in which every `goto` that needs a free flag has one. Both files are small and
//! shared out by words of 16 bits: a flag of up to 16 channels takes a half register, an address
//! variable a power of two of words. One walk over the code does it:
//!
//! * Values that cross blocks are joined to webs through block parameters and through what is
//!   written over when it dies. A web has one place for all its life, if no web before it, no
//!   instruction that needs a place of its own and no block full of its own values stands against it;
//!   webs that cost most to keep elsewhere are served first.
//! * All others are placed block by block, in order; where there is no room, the value whose next
//!   use is furthest away goes.
//!
//! A value that gets no place, or loses it, is *demoted*: a general register holds it from its
//! definition on, and it is loaded before a use. Predicates, conditions, addresses and descriptors need the
//! real register; operands that only read or write the bits use the general one.
//!
//! `file` has the words of a register file, `access` where instructions name its values; `webs` finds
//! and places what crosses blocks; `walk` goes through a block, and `operands` rewrites an instruction.

pub(crate) mod access;
pub(crate) mod file;
mod homes;
mod operands;
mod walk;
mod webs;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_machine::func::{Block, BlockData, Class, Function};
use kiln_machine::graph::{Graph, depths};
use kiln_machine::inst::VReg;
use kiln_machine::liveness::Liveness;
use kiln_platform::errata::Erratum;
use smallvec::SmallVec;

use access::Accesses;
pub use access::region_end;
use file::{File, WORD};
use walk::Walk;
use webs::{Need, Span};

use crate::AllocError;

/// Results of the pass.
#[derive(Default)]
pub struct Assigned {
    /// Values that a general register holds.
    pub demoted: u32,
    /// Number that each instruction of a block had before the pass; [`ADDED`] for those that the pass added.
    pub origins: SecondaryMap<Block, Vec<u32>>,
}

/// The number of an instruction that was not there before.
pub const ADDED: u32 = u32::MAX;

const NONE: u32 = u32::MAX;

/// No place.
const NOWHERE: u8 = u8::MAX;

/// A position after everything in a block.
const END: u32 = u32::MAX;

/// Positions in a block: its start, and each instruction's reads and writes.
fn reads(inst: usize) -> u32 {
    2 * inst as u32 + 1
}

fn writes(inst: usize) -> u32 {
    2 * inst as u32 + 2
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
    spans: SecondaryMap<Block, SmallVec<[Span; 2]>>,
    needs: SecondaryMap<Block, SmallVec<[Need; 2]>>,
    /// By block: the most words that values of the block alone have at once, and the words of the largest.
    local: Vec<(u32, u8)>,
    named: Named,
    /// Numbers of the calls in each block: nothing of the file outlives one.
    calls: SecondaryMap<Block, Vec<u32>>,
    demoted: u32,
}

/// The instructions that name values of the file, and calls, by their numbers in their blocks.
#[derive(Default)]
struct Named {
    all: Vec<(u32, Accesses)>,
    /// The end of each block's part of the list.
    ends: Vec<usize>,
}

impl Named {
    fn of(&self, block: Block) -> &[(u32, Accesses)] {
        let b = block.index();
        let start = b.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[b]]
    }
}

/// The numbers of all instructions in their blocks.
pub fn all(func: &Function) -> SecondaryMap<Block, Vec<u32>> {
    let blocks = func.blocks.iter();
    blocks
        .map(|(b, block)| (b, (0..block.insts.len() as u32).collect()))
        .collect()
}

/// Assigns both files to instructions of these numbers.
///
/// # Errors
/// A value or an instruction needs more than there is.
pub fn assign(
    func: &mut Function,
    graph: &Graph,
    live: &Liveness,
    numbers: SecondaryMap<Block, Vec<u32>>,
) -> Result<Assigned, AllocError> {
    let mut assigned = Assigned {
        demoted: 0,
        origins: numbers,
    };
    let depths = depths(func);
    let mut is_home: SecondaryMap<VReg, bool> = SecondaryMap::new();
    for file in [File::flags(func.target), File::address(func.target)] {
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
            local: Vec::new(),
            named: Named::default(),
            calls: SecondaryMap::new(),
            demoted: 0,
            func,
        };
        if !pass.measure()? {
            continue;
        }
        pass.webs(&depths);
        let edges = pass.edges();
        let named = std::mem::take(&mut pass.named);
        let mut walk = Walk::new(&mut pass);
        for b in (0..edges.len()).map(Block::new) {
            walk.block(b, named.of(b), &mut assigned.origins[b])?;
        }
        pass.apply(edges);
        assigned.demoted += pass.demoted;
        for home in pass.home.values().filter_map(|home| home.expand()) {
            is_home[home] = true;
        }
    }
    if assigned.demoted > 1 {
        homes::pack(func, graph, &depths, &is_home);
    }
    Ok(assigned)
}

impl Pass<'_> {
    fn is_mine(&self, v: VReg) -> bool {
        self.func.regs[v].class == self.file.class
    }

    /// True if free words take turns, so that later code need not wait for the last value's reads. Addresses need
    /// neighbours; guards need a flag that nothing names for long.
    fn takes_turns(&self) -> bool {
        self.file.class == Class::Flag && !self.func.target.needs(Erratum::NoMaskPredicated)
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

/// The values live at the end of a block, given those live after it.
pub fn at_end<'a>(block: &'a BlockData, after: &'a [VReg]) -> impl Iterator<Item = &'a VReg> {
    after.iter().chain(block.succs.iter().flat_map(|e| &e.args))
}
