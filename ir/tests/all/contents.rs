//! Reads of what nobody wrote and writes of what nobody reads, against a walk through all states of a program.

use std::collections::BTreeSet;

use kiln_ir::contents::{self, Kind};
use kiln_platform::platform::SKL;
use kiln_visa::module::{Object, Operand};
use kiln_visa::opcode::{Field, Opcode};

use crate::common::kernel;

/// Variables of a random program: each state says which of them are written.
const VARS: [&str; 3] = ["V", "W", "X"];
/// Parts of a random program, each with a label.
const PARTS: u64 = 7;

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Declarations and code: moves between the variables, and branches to any part.
fn program(random: &mut Random) -> String {
    let mut text = String::new();
    for part in 0..PARTS {
        text += &format!("L{part}:\n");
        for _ in 0..random.below(3) {
            let to = VARS[random.below(3) as usize];
            let from = match VARS.get(random.below(4) as usize) {
                Some(from) => format!("{from}(0,0)<1;1,0>"),
                None => "0x1:d".to_string(),
            };
            text += &format!("mov (M1, 16) {to}(0,0)<1> {from}\n");
        }
        let target = random.below(PARTS);
        match random.below(4) {
            0 => text += &format!("(P1) goto (M1, 16) L{target}\n"),
            1 if part + 1 < PARTS && target > part => {
                text += &format!("goto (M1, 16) L{target}\n");
            }
            2 => text += "(P1) ret (M1, 16)\n",
            _ => {}
        }
    }
    text
}

/// The number of a variable of the program.
fn number(name: &str) -> Option<usize> {
    VARS.iter().position(|var| *var == name)
}

/// The variables of the program that an instruction reads, and that it writes.
fn uses(object: &Object, at: usize) -> (Vec<usize>, Vec<usize>) {
    let inst = &object.insts[at];
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for (operand, field) in inst.operands.iter().zip(inst.op.row().operands) {
        let Operand::General { var, .. } = operand else {
            continue;
        };
        let Some(number) = number(&object.vars[*var].name) else {
            continue;
        };
        match field {
            Field::Dst(_) => written.push(number),
            _ => read.push(number),
        }
    }
    (read, written)
}

/// The instructions after one.
fn succs(object: &Object, at: usize) -> Vec<usize> {
    let inst = &object.insts[at];
    let label = |at: usize| match object.insts[at].operands.first() {
        Some(Operand::Label(label)) => Some(*label),
        _ => None,
    };
    let place = |of| {
        (0..object.insts.len())
            .find(|&at| object.insts[at].op == Opcode::Label && label(at) == Some(of))
    };
    let falls = match inst.op {
        Opcode::Goto | Opcode::Ret => inst.pred.is_some(),
        _ => true,
    };
    let next = Some(at + 1).filter(|&next| falls && next < object.insts.len());
    let target = (inst.op == Opcode::Goto).then(|| label(at).and_then(place).expect("a label"));
    next.into_iter().chain(target).collect()
}

/// Findings by looking at each state that a channel reaches: an instruction, and what is written by then.
fn expected(object: &Object) -> BTreeSet<(u32, usize, Kind)> {
    let mut states: BTreeSet<(usize, u32)> = BTreeSet::new();
    let mut open = vec![(0, 0)];
    while let Some((at, written)) = open.pop() {
        if !states.insert((at, written)) {
            continue;
        }
        let more = uses(object, at)
            .1
            .iter()
            .fold(written, |all, var| all | 1 << var);
        open.extend(succs(object, at).into_iter().map(|to| (to, more)));
    }
    let mut found = BTreeSet::new();
    let reads_any =
        |var: usize| (0..object.insts.len()).any(|at| uses(object, at).0.contains(&var));
    let mut never: BTreeSet<usize> = BTreeSet::new();
    for at in states.iter().map(|(at, _)| *at).collect::<BTreeSet<_>>() {
        let (read, written) = uses(object, at);
        for var in read {
            let here = states.iter().filter(|(of, _)| *of == at);
            let is_written: BTreeSet<bool> =
                here.map(|(_, written)| written >> var & 1 == 1).collect();
            match (is_written.contains(&true), is_written.contains(&false)) {
                (false, _) => drop(found.insert((at as u32, var, Kind::NeverWritten))),
                (true, true) => drop(found.insert((at as u32, var, Kind::SometimesWritten))),
                (true, false) => {}
            }
        }
        for var in written {
            if !reads_any(var) {
                if never.insert(var) {
                    found.insert((at as u32, var, Kind::NeverRead));
                }
                continue;
            }
            let mut seen = BTreeSet::new();
            let mut open = succs(object, at);
            let mut is_read = false;
            while let Some(next) = open.pop() {
                let (read, written) = uses(object, next);
                is_read |= read.contains(&var);
                if !written.contains(&var) && seen.insert(next) {
                    open.extend(succs(object, next));
                }
            }
            if !is_read {
                found.insert((at as u32, var, Kind::NotRead));
            }
        }
    }
    found
}

#[test]
fn findings_are_those_of_all_states() {
    let mut kinds = BTreeSet::new();
    for seed in 1..=400 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let code = program(&mut random);
        let module = kernel(&code);
        let object = &module.objects[0];
        let found = contents::find(object, &SKL).unwrap();
        let found: BTreeSet<(u32, usize, Kind)> = found
            .iter()
            .filter_map(|f| Some((f.inst, number(f.var.name(object))?, f.kind)))
            .collect();
        let expected = expected(object);
        kinds.extend(expected.iter().map(|(_, _, kind)| *kind));
        assert_eq!(found, expected, "seed {seed}\n{code}");
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

/// Kinds of the findings about a variable.
fn of(code: &str, name: &str) -> Vec<Kind> {
    let module = kernel(code);
    let object = &module.objects[0];
    let found = contents::find(object, &SKL).unwrap();
    let found = found
        .iter()
        .filter(|finding| finding.var.name(object) == name);
    found.map(|finding| finding.kind).collect()
}

#[test]
fn what_another_channel_writes_is_not_written() {
    let branches = |yes: &str, no: &str| {
        format!(
            "cmp.lt (M1, 16) P1 W(0,0)<1;1,0> 0x0:d\n(!P1) goto (M1, 16) no\n{yes}\ngoto (M1, 16) end\nno:\n{no}\nend:\n"
        )
    };
    let write = "mov (M1, 16) V(0,0)<1> 0x1:d";
    let own = "mov (M1, 16) X(0,0)<1> V(0,0)<1;1,0>";
    assert_eq!(
        of(&branches(write, own), "V"),
        [Kind::NotRead, Kind::NeverWritten]
    );
    // Without a mask, all channels' elements are written on the thread's way, and read.
    let wide = "mov (M1_NM, 16) V(0,0)<1> 0x1:d";
    let whole = "mov (M1_NM, 16) X(0,0)<1> V(0,0)<1;1,0>";
    assert_eq!(of(&branches(wide, whole), "V"), [Kind::SometimesWritten]);
    // Channels that wait find what a write without a mask left them.
    let waiting = format!("{write}\n{}", branches(wide, own));
    assert_eq!(of(&waiting, "V"), []);
    let apart = format!("{write}\n{}", branches(write, own));
    assert_eq!(of(&apart, "V"), [Kind::NotRead]);
}

#[test]
fn subroutines_write_for_their_callers() {
    let write = "mov (M1, 16) V(0,0)<1> 0x1:d\n";
    let read = "mov (M1, 16) X(0,0)<1> V(0,0)<1;1,0>\n";
    let program = |before: &str, after: &str, inside: &str| {
        format!(
            "{before}call (M1, 16) sub\n{after}ret (M1, 1)\n.function \"sub\"\nsub:\n{inside}ret (M1, 16)\n"
        )
    };
    assert_eq!(of(&program("", read, write), "V"), []);
    assert_eq!(of(&program(write, "", read), "V"), []);
    assert_eq!(of(&program("", write, read), "V"), [Kind::NeverWritten]);
    assert_eq!(of(&program(read, "", write), "V"), [Kind::NeverWritten]);
    let some = format!("(P1) goto (M1, 16) skip\n{write}skip:\n");
    assert_eq!(of(&program("", read, &some), "V"), [Kind::SometimesWritten]);
}
