//! Variables of what an allocation moves, for maps from variables to registers and slots.
//!
//! Takes a proved answer. The proof knows the values in each place, so that this holds for every allocator. A move has the
//! variable of the value that it takes from its place, and one that gives a parameter of the next block its value has
//! that of the parameter.

use std::collections::BTreeMap;

use kiln_machine::func::Variable;
use kiln_machine::inst::VReg;

use crate::build_problem::Presented;
use crate::problem::{Answer, Place, Point, Value};
use crate::prove::{Proved, State};

/// Variables of the moves at each point, in their order.
pub type Names = BTreeMap<Point, Vec<Variable>>;

/// The variable of each move of an answer.
pub fn names(input: &Presented, answer: &Answer, proved: &Proved) -> Names {
    let registers = input.registers();
    let of = |value: &Value| {
        let v: VReg = registers[*value as usize]?;
        let variable = input.func.regs[v].variable;
        (variable.number() != Variable::NONE.number()).then_some(variable)
    };
    let mut names = Names::new();
    proved.walk(|_, step, state| {
        let Some(step) = step else { return };
        let mut variables = state.of(step.from, &answer.slots).iter().filter_map(of);
        let variable = variables.next().unwrap_or(Variable::NONE);
        names.entry(step.at).or_default().push(variable);
    });
    for b in 0..input.problem.block_count() {
        let (first, end) = input.problem.insts_of(b);
        let moves = |at: Point| answer.moves.partition_point(|step| step.at < at);
        // The last move to each place, as its point and number there.
        let mut last: BTreeMap<(bool, u32), (Place, Point, usize)> = BTreeMap::new();
        let (mut at, mut number) = (Point::MAX, 0);
        for step in &answer.moves[moves(2 * first)..moves(2 * end)] {
            number = if step.at == at { number + 1 } else { 0 };
            at = step.at;
            let key = match step.to {
                Place::Unit(unit) => (false, unit.into()),
                Place::Memory(slot) => (true, slot),
            };
            last.insert(key, (step.to, at, number));
        }
        let after: Vec<(&[Value], State)> = match last.is_empty() {
            true => Vec::new(),
            false => (input.problem.edges(b).iter())
                .filter_map(|edge| {
                    let to = edge.to as usize;
                    Some((input.problem.params(to), proved.at_start(to)?))
                })
                .collect(),
        };
        for (place, at, number) in last.into_values() {
            let mut given = after.iter().filter_map(|(params, state)| {
                let held = state.of(place, &answer.slots);
                of(params.iter().find(|param| held.contains(param))?)
            });
            let known = names.get_mut(&at).and_then(|all| all.get_mut(number));
            if let (Some(name), Some(given)) = (known, given.next()) {
                *name = given;
            }
        }
    }
    names
}
