//! Problems stated by hand, on files of more units than regalloc2 can number, and the proof of answers.

use kiln_regalloc::problem::{
    Answer, Constraint, File, NoAnswer, Operand, Place, Problem, Role, Unit, Value,
};
use kiln_regalloc::prove::prove;
use kiln_regalloc::regalloc2;
use kiln_regalloc::scan;
use kiln_regalloc::split_by_plan;
use smallvec::SmallVec;

/// A loop in which so many values live, with operands of every kind.
fn round(units: u16, live: usize) -> Problem {
    let file = File {
        unit_count: units.into(),
        preferred: (1..units - 8).map(Unit).collect(),
        callee_saved: (units - 8..units).map(Unit).collect(),
        is_called: false,
    };
    let mut p = Problem::new(file, 0, 0);
    let any = Constraint::Register;
    let edge = |to: u32, args: &[Value]| (to, SmallVec::from_slice(args));
    let mut values: Vec<Value> = (0..live).map(|_| p.add_value(2)).collect();
    for &v in &values {
        p.add_inst([Operand::new(v, Role::Def, any)]);
    }
    p.add_inst([]);
    p.end_block([], [edge(1, &values[..1])]);
    let param = p.add_value(2);
    values[0] = param;
    for (i, value) in values.iter_mut().enumerate().skip(1) {
        let next = p.add_value(2);
        let fixed = Constraint::Fixed(Unit(9 + i as u16 % (units - 9)));
        match i % 4 {
            0 => p.add_inst([
                Operand::new(*value, Role::Use, any),
                Operand::new(next, Role::Def, Constraint::Tied(0)),
            ]),
            1 => p.add_inst([
                Operand::new(*value, Role::Use, fixed),
                Operand::new(next, Role::Def, any),
            ]),
            2 => {
                p.clobber((5..9u32).collect());
                p.add_inst([
                    Operand::new(*value, Role::LateUse, any),
                    Operand::new(next, Role::Def, fixed),
                ]);
            }
            _ => p.add_copy(*value, next),
        }
        if i % 5 == 0 {
            p.add_inst([Operand::new(*value, Role::Use, Constraint::Anywhere)]);
        }
    }
    let last = p.add_value(2);
    p.add_inst([
        Operand::new(param, Role::Use, any),
        Operand::new(last, Role::Def, any),
    ]);
    p.add_inst([]);
    p.end_block([param], [edge(2, &[]), edge(3, &[])]);
    p.add_inst([]);
    p.end_block([], [edge(1, &[last])]);
    for &v in &values {
        p.add_inst([Operand::new(v, Role::Use, any)]);
    }
    p.add_inst([]);
    p.end_block([], []);
    p.finish();
    p
}

#[test]
fn scan_answers_for_every_file() {
    for units in [32, 64, 100, 128] {
        for live in [20, 60, 110, 200] {
            let problem = round(units, live);
            let answer = scan::allocate(&problem).expect("enough units");
            assert_eq!(prove(&problem, &answer).err(), None, "{live} in {units}");
            let spills = answer.moves.iter().any(|step| step.to.is_memory());
            // Calls in the loop clobber four units.
            let fits = live + 8 < usize::from(units);
            assert!(spills != fits, "{live} in {units}");
        }
    }
}

/// Two values live all along, and each is in memory while the other is used: one slot is enough.
#[test]
fn values_in_memory_one_after_the_other_share_a_slot() {
    let file = File {
        unit_count: 5,
        preferred: (1..5).map(Unit).collect(),
        callee_saved: Vec::new(),
        is_called: false,
    };
    let mut p = Problem::new(file, 0, 0);
    let any = Constraint::Register;
    let [a, b] = [(); 2].map(|()| p.add_value(2));
    let both = [a, b].map(|v| Operand::new(v, Role::Def, any));
    p.add_inst(both);
    for used in [b, a] {
        let crowd = [(); 3].map(|()| p.add_value(2));
        let now = Operand::new(used, Role::Use, any);
        for v in crowd {
            p.add_inst([now, Operand::new(v, Role::Def, any)]);
        }
        for v in [crowd; 4].into_iter().flatten() {
            p.add_inst([now, Operand::new(v, Role::Use, any)]);
        }
        p.add_inst([a, b].map(|v| Operand::new(v, Role::Use, any)));
    }
    p.add_inst([]);
    p.end_block([], []);
    p.finish();
    let answer = scan::allocate(&p).expect("enough units");
    assert_eq!(prove(&p, &answer).err(), None);
    let stores = answer.moves.iter().filter(|step| step.to.is_memory());
    assert_eq!(stores.count(), 2, "{:?}", answer.moves);
    let ends = answer.slots.iter().map(|slot| slot.at + slot.grfs);
    assert_eq!(ends.max(), Some(2), "{:?}", answer.slots);
}

#[test]
fn regalloc2_says_that_it_cannot_number_128_units() {
    let mut context = regalloc2::Context::default();
    let problem = round(63, 80);
    let answer = regalloc2::allocate(&problem, &mut context).expect("enough units");
    assert_eq!(prove(&problem, &answer).err(), None);
    assert_eq!(regalloc2::check(&problem, &answer), Ok(()));
    let refused = regalloc2::allocate(&round(128, 80), &mut context);
    let (limit, count) = (63, 128);
    assert_eq!(refused.err(), Some(NoAnswer::TooManyUnits { limit, count }));
}

/// Both proofs see an answer that is wrong, each move and each place in turn.
#[test]
fn a_wrong_answer_is_not_proved() {
    let problem = round(60, 90);
    let answer = scan::allocate(&problem).expect("enough units");
    assert_eq!(regalloc2::check(&problem, &answer), Ok(()));
    let mut wrong: Vec<Answer> = Vec::new();
    for n in 0..answer.moves.len() {
        let mut other = answer.clone();
        other.moves.remove(n);
        wrong.push(other);
    }
    for n in 0..answer.places.len() {
        let mut other = answer.clone();
        other.places[n] = match other.places[n] {
            Place::Unit(unit) => Place::Unit(Unit(unit.0 % 59 + 1)),
            Place::Memory(slot) => Place::Memory(slot + 1),
        };
        wrong.push(other);
    }
    let (mut ours, mut theirs) = (0, 0);
    for answer in &wrong {
        let (one, other) = (prove(&problem, answer), regalloc2::check(&problem, answer));
        ours += usize::from(one.is_err());
        theirs += usize::from(other.is_err());
        assert!(
            one.is_err() || other.is_ok(),
            "{other:?} is seen by one alone"
        );
    }
    assert!(wrong.len() > 300, "{} answers", wrong.len());
    assert!(ours * 100 >= wrong.len() * 90, "{ours} of {}", wrong.len());
    assert!(theirs > 0);
}

/// Accesses to memory in an answer that is proved.
fn messages(problem: &Problem, answer: Result<Answer, NoAnswer>) -> usize {
    let answer = answer.expect("enough units");
    assert_eq!(prove(problem, &answer).err(), None);
    assert_eq!(regalloc2::check(problem, &answer), Ok(()));
    let accesses =
        |step: &&kiln_regalloc::problem::Move| step.from.is_memory() || step.to.is_memory();
    answer.moves.iter().filter(accesses).count()
}

#[test]
fn regalloc2_spills_less_by_the_plan() {
    let mut context = regalloc2::Context::default();
    let (mut alone, mut by_plan) = (0, 0);
    for (units, live) in [24, 32, 48, 60]
        .map(|units| [20, 40, 60, 80, 110, 200].map(|live| (units, live)))
        .into_iter()
        .flatten()
    {
        let problem = round(units, live);
        alone += messages(&problem, regalloc2::allocate(&problem, &mut context));
        by_plan += messages(&problem, split_by_plan::allocate(&problem, &mut context));
    }
    assert!(by_plan * 100 < alone * 95, "{by_plan} of {alone}");
}

/// A join after two branches, to which threads without active channels bring a value from one and nothing from the other.
#[test]
fn a_value_without_contents_is_where_its_join_wants_it() {
    let file = File {
        unit_count: 32,
        preferred: (1..20).map(Unit).collect(),
        ..File::default()
    };
    let mut p = Problem::new(file, 0, 0);
    let any = Constraint::Register;
    let edge = |to: u32, args: &[Value]| (to, SmallVec::from_slice(args));
    let [value, other, none, param] = std::array::from_fn(|_| p.add_value(2));
    p.add_inst([Operand::new(value, Role::Def, any)]);
    p.add_inst([]);
    p.end_block([], [edge(1, &[]), edge(4, &[])]);
    for at in [5, 6, 7] {
        p.add_inst([Operand::new(value, Role::Use, Constraint::Fixed(Unit(at)))]);
    }
    p.add_inst([]);
    p.end_block([], [edge(2, &[]), edge(3, &[])]);
    p.add_inst([
        Operand::new(value, Role::Use, any),
        Operand::new(other, Role::Def, any),
    ]);
    p.add_inst([]);
    p.end_block([], [edge(5, &[other])]);
    p.add_inst([]);
    p.end_block([], [edge(5, &[value])]);
    p.pass_by();
    p.add_undefined(none);
    p.add_inst([]);
    p.end_block([], [edge(5, &[none])]);
    p.pass_by();
    p.add_inst([Operand::new(param, Role::Use, any)]);
    p.add_inst([]);
    p.end_block([param], []);
    p.finish();
    let answer = scan::allocate(&p).expect("enough units");
    assert_eq!(prove(&p, &answer).err(), None);
    assert!(answer.slots.is_empty(), "{answer:?}");
}
