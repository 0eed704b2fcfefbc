//! Long code, which is read in two halves at the same time, against the reader that goes on behind errors, which
//! reads in order.

use kiln_frontend::text::{diagnose, parse};

const HEAD: &str = "\
.version 4.1
.kernel \"long\"
.decl V32 v_type=G type=d num_elts=16 align=GRF
.decl V33 v_type=G type=d num_elts=16 align=GRF
.decl P1 v_type=P num_elts=16
";

/// Enough lines for two halves. Every so many a label is defined, and one ahead and one behind are jumped to.
const LINES: usize = 12_000;

/// The text, with some lines put in at some places.
fn text(more: &[(usize, &str)]) -> String {
    let mut text = HEAD.to_string();
    for n in 0..LINES {
        for (_, line) in more.iter().filter(|(at, _)| *at == n) {
            text += line;
            text += "\n";
        }
        match n % 100 {
            0 => text += &format!("L{}:\n", n / 100),
            50 if n + 200 < LINES => text += &format!("  (P1) jmp (M1, 1) L{}\n", n / 100 + 2),
            60 => text += &format!("  (!P1) jmp (M1, 1) L{}\n", n / 200),
            _ => text += "  add (M1, 16) V32(0,0)<1> V33(0,0)<8;8,1> 0x7:d\n",
        }
    }
    text + "  ret (M1, 1)\n"
}

fn same(more: &[(usize, &str)]) {
    let text = text(more);
    let in_order = diagnose(&text);
    match parse(&text) {
        Ok(module) => {
            assert_eq!(in_order.errors, [], "{more:?}");
            assert!(module == in_order.module, "{more:?}");
        }
        Err(error) => assert_eq!(Some(&error), in_order.errors.first(), "{more:?}"),
    }
}

#[test]
fn both_halves_are_as_in_order() {
    let module = parse(&text(&[])).expect("a module");
    assert_eq!(module.objects[0].insts.len(), LINES + 1);
    assert_eq!(module.objects[0].labels.len(), LINES / 100);
    same(&[]);
}

#[test]
fn what_the_second_half_cannot_know_is_read_in_order() {
    let declared = ".decl V34 v_type=G type=d num_elts=16 align=GRF";
    let used = "  mov (M1, 16) V34(0,0)<1> 0x1:d";
    let scope = [
        (5_000, "{"),
        (5_000, declared),
        (11_000, used),
        (11_000, "}"),
    ];
    let function = ".function \"sub\"";
    let label = "sub:";
    let call = "  call (M1, 1) sub";
    let second = ".kernel \"other\"";
    for (early, late) in [(100, 200), (100, 9_000), (9_000, 9_100)] {
        same(&[(early, declared), (late, used)]);
        same(&[(early, used), (late, declared)]);
        same(&[(early, function), (late, label), (late, "  ret (M1, 1)")]);
        same(&[(early, label), (late, function), (late, "  ret (M1, 1)")]);
        same(&[(early, call), (early, function), (late, label)]);
        same(&[(early, "/*"), (late, "*/")]);
        same(&[(early, second), (late, used)]);
        same(&[(early, &format!(" {second}")), (late, used)]);
    }
    same(&scope);
}

#[test]
fn errors_are_those_of_reading_in_order() {
    let wrong = "  add (M1, 16) V99(0,0)<1> V33(0,0)<8;8,1> 0x7:d";
    for place in [1, 1_000, 5_990, 6_010, 11_000] {
        same(&[(place, wrong)]);
        same(&[(place, "L3:")]);
        same(&[(place, "  jmp (M1, 1) nowhere")]);
        same(&[(place, "}")]);
        same(&[(place, wrong), (11_500, wrong)]);
    }
}
