//! regalloc2 as an allocator (Ion) and its checker as a second proof: the only file that knows the crate.
//!
//! Takes a [`Problem`] and gives an [`Answer`], by "ion", regalloc2's backtracking allocator with live-range
//! splitting. Units are registers of its integer class, of which it can number 64; the last number stands for no
//! register. A file in which more are named has no answer.

use regalloc2::checker::Checker;
use regalloc2::{
    Algorithm, Allocation, Block, Edit, Function, Inst, InstRange, MachineEnv, OperandConstraint,
    OperandKind, OperandPos, Output, PReg, PRegSet, ProgPoint, RegAllocError, RegClass,
    RegallocOptions, SpillSlot, VReg,
};

use crate::problem::{Answer, Constraint, Move, NoAnswer, Place, Problem, Role, Slot, Unit};
use kiln_platform::platform::UNIT_GRFS;

/// Number of units that one class of regalloc2 has.
const MAX_UNITS: usize = PReg::MAX;

/// Memory that allocations use one after the other.
#[derive(Default)]
pub struct Context(regalloc2::Ctx);

/// Assigns registers.
///
/// # Errors
/// An instruction needs more units at once than there are, or the file has more than regalloc2 can number.
pub fn allocate(problem: &Problem, context: &mut Context) -> Result<Answer, NoAnswer> {
    let presented = Presented::new(problem)?;
    let options = RegallocOptions {
        verbose_log: false,
        validate_ssa: cfg!(debug_assertions),
        algorithm: Algorithm::Ion,
    };
    let env = presented.environment();
    match regalloc2::run_with_ctx(&presented, &env, &options, &mut context.0) {
        Ok(output) => Ok(answer(output)),
        Err(RegAllocError::TooManyLiveRegs) => Err(NoAnswer::TooFewUnits),
        Err(e) => Err(NoAnswer::Invalid(e.to_string())),
    }
}

/// Proves an answer with regalloc2's checker, if that can number the units.
///
/// # Errors
/// The answer is wrong.
pub fn check(problem: &Problem, answer: &Answer) -> Result<(), String> {
    let Ok(presented) = Presented::new(problem) else {
        return Ok(());
    };
    let output = output(problem, answer);
    let env = presented.environment();
    let mut checker = Checker::new(&presented, &env);
    checker.prepare(&output);
    checker.run().map_err(|e| format!("{e:?}"))
}

fn preg(unit: Unit) -> PReg {
    PReg::new(unit.index(), RegClass::Int)
}

fn vreg(value: u32) -> VReg {
    VReg::new(value as usize, RegClass::Int)
}

fn place(allocation: Allocation) -> Place {
    match (allocation.as_reg(), allocation.as_stack()) {
        (Some(preg), _) => Place::Unit(Unit(preg.hw_enc() as u16)),
        (None, Some(slot)) => Place::Memory(slot.index() as u32),
        (None, None) => Place::Memory(u32::MAX),
    }
}

fn allocation(place: Place) -> Allocation {
    match place {
        Place::Unit(unit) => Allocation::reg(preg(unit)),
        Place::Memory(slot) => Allocation::stack(SpillSlot::new(slot as usize)),
    }
}

/// The answer that an output stands for. Slots are of a unit each, those without a use left out.
fn answer(output: &Output) -> Answer {
    let mut answer = Answer {
        places: output.allocs.iter().map(|&a| place(a)).collect(),
        moves: Vec::with_capacity(output.edits.len()),
        slots: Vec::new(),
    };
    for (point, Edit::Move { from, to }) in &output.edits {
        answer.moves.push(Move {
            at: 2 * point.inst().index() as u32 + point.pos() as u32,
            from: place(*from),
            to: place(*to),
        });
    }
    let mut numbers = vec![None; output.num_spillslots];
    let moved = answer
        .moves
        .iter_mut()
        .flat_map(|step| [&mut step.from, &mut step.to]);
    for place in moved.chain(&mut answer.places) {
        if let Place::Memory(slot) = place
            && let Some(number) = numbers.get_mut(*slot as usize)
        {
            *slot = *number.get_or_insert_with(|| {
                let at = answer.slots.len() as u32 * UNIT_GRFS;
                answer.slots.push(Slot {
                    at,
                    grfs: UNIT_GRFS,
                });
                answer.slots.len() as u32 - 1
            });
        }
    }
    answer
}

/// The output that an answer stands for.
fn output(problem: &Problem, answer: &Answer) -> Output {
    let edit = |step: &Move| {
        let inst = Inst::new((step.at / 2) as usize);
        let point = match step.at % 2 {
            0 => ProgPoint::before(inst),
            _ => ProgPoint::after(inst),
        };
        let (from, to) = (allocation(step.from), allocation(step.to));
        (point, Edit::Move { from, to })
    };
    Output {
        num_spillslots: answer.slots.len(),
        edits: answer.moves.iter().map(edit).collect(),
        allocs: answer.places.iter().map(|&p| allocation(p)).collect(),
        inst_alloc_offsets: (0..problem.inst_count() as u32)
            .map(|i| problem.operands_from(i) as u32)
            .collect(),
        ..Output::default()
    }
}

/// A problem as regalloc2 reads it.
struct Presented<'a> {
    problem: &'a Problem,
    operands: Vec<regalloc2::Operand>,
    succs: Vec<Vec<Block>>,
    preds: Vec<Vec<Block>>,
    params: Vec<Vec<VReg>>,
    /// By block and edge.
    args: Vec<Vec<Vec<VReg>>>,
}

impl Presented<'_> {
    fn new(problem: &Problem) -> Result<Presented<'_>, NoAnswer> {
        let blocks = 0..problem.block_count();
        let list = |values: &[u32]| values.iter().map(|&v| vreg(v)).collect::<Vec<VReg>>();
        let presented = Presented {
            problem,
            operands: operands(problem)?,
            succs: (blocks.clone())
                .map(|b| {
                    problem
                        .edges(b)
                        .iter()
                        .map(|e| Block::new(e.to as usize))
                        .collect()
                })
                .collect(),
            preds: (blocks.clone())
                .map(|b| {
                    problem
                        .preds(b)
                        .iter()
                        .map(|&p| Block::new(p as usize))
                        .collect()
                })
                .collect(),
            params: blocks.clone().map(|b| list(problem.params(b))).collect(),
            args: blocks
                .map(|b| {
                    problem
                        .edges(b)
                        .iter()
                        .map(|e| list(problem.args(e)))
                        .collect()
                })
                .collect(),
        };
        Ok(presented)
    }

    /// The units that are given out.
    fn environment(&self) -> MachineEnv {
        let set = |units: &[Unit]| {
            units.iter().fold(PRegSet::empty(), |mut set, &unit| {
                set.add(preg(unit));
                set
            })
        };
        let none = PRegSet::empty();
        MachineEnv {
            preferred_regs_by_class: [set(&self.problem.file.preferred), none, none],
            non_preferred_regs_by_class: [set(&self.problem.file.callee_saved), none, none],
            scratch_by_class: [None; 3],
            fixed_stack_slots: Vec::new(),
        }
    }
}

/// All operands of a problem.
fn operands(problem: &Problem) -> Result<Vec<regalloc2::Operand>, NoAnswer> {
    let fits = |unit: Unit| match unit.index() < MAX_UNITS {
        true => Ok(()),
        false => Err(NoAnswer::TooManyUnits {
            limit: MAX_UNITS,
            count: problem.file.unit_count,
        }),
    };
    problem.file.allocatable().try_for_each(fits)?;
    let mut operands = Vec::with_capacity(problem.operand_count());
    for op in (0..problem.inst_count() as u32).flat_map(|i| problem.operands(i)) {
        let constraint = match op.constraint {
            Constraint::Register => OperandConstraint::Reg,
            Constraint::Anywhere => OperandConstraint::Any,
            Constraint::Tied(other) => OperandConstraint::Reuse(other.into()),
            Constraint::Fixed(unit) => {
                fits(unit)?;
                OperandConstraint::FixedReg(preg(unit))
            }
        };
        let (kind, pos) = match op.role() {
            Role::Use => (OperandKind::Use, OperandPos::Early),
            Role::LateUse => (OperandKind::Use, OperandPos::Late),
            Role::Def => (OperandKind::Def, OperandPos::Late),
        };
        let v = vreg(op.value());
        operands.push(regalloc2::Operand::new(v, constraint, kind, pos));
    }
    Ok(operands)
}

impl Function for Presented<'_> {
    fn num_insts(&self) -> usize {
        self.problem.inst_count()
    }

    fn num_blocks(&self) -> usize {
        self.problem.block_count()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let (from, to) = self.problem.insts_of(block.index());
        InstRange::new(Inst::new(from as usize), Inst::new(to as usize))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.succs[block.index()]
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.preds[block.index()]
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.params[block.index()]
    }

    fn is_ret(&self, inst: Inst) -> bool {
        let block = self.problem.block_ended_by(inst.index() as u32);
        block.is_some_and(|b| self.succs[b].is_empty())
    }

    fn is_branch(&self, inst: Inst) -> bool {
        let block = self.problem.block_ended_by(inst.index() as u32);
        block.is_some_and(|b| !self.succs[b].is_empty())
    }

    fn branch_blockparams(&self, block: Block, _: Inst, succ: usize) -> &[VReg] {
        &self.args[block.index()][succ]
    }

    fn inst_operands(&self, inst: Inst) -> &[regalloc2::Operand] {
        let inst = inst.index() as u32;
        let (from, to) = (
            self.problem.operands_from(inst),
            self.problem.operands_from(inst + 1),
        );
        &self.operands[from..to]
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        let clobbers = self.problem.clobbers(inst.index() as u32);
        let numbered = clobbers.iter().filter(|&unit| (unit as usize) < MAX_UNITS);
        numbered.fold(PRegSet::empty(), |mut set, unit| {
            set.add(preg(Unit(unit as u16)));
            set
        })
    }

    fn num_vregs(&self) -> usize {
        self.problem.value_count()
    }

    fn spillslot_size(&self, _: RegClass) -> usize {
        1
    }
}
