//! Long lists of declarations, which are read in two halves at the same time, against the reader that goes on behind
//! errors, which reads in order.

use kiln_frontend::text::{diagnose, parse};

/// Enough variables for two halves: of the 12,000, the second begins with the 6,000th or near.
const VARS: usize = 12_000;
const PREDICATES: usize = 40;

/// The text, in which `change` may put other lines in the place of that of a variable. The first is `V0032`.
fn text(change: impl Fn(usize) -> Option<String>) -> String {
    let mut text = ".version 4.1\n.kernel \"long\"\n".to_string();
    for n in 0..VARS {
        let name = format!("V{:04}", n + 32);
        text += &change(n).unwrap_or_else(|| match n % 5 {
            4 => format!(
                ".decl {name} v_type=G type=ud num_elts=8 align=hword alias=<V{:04}, 0>",
                n / 2 / 5 * 5 + 32
            ),
            _ => format!(".decl {name} v_type=G type=d num_elts=8 align=hword"),
        });
        text += "\n";
    }
    for n in 1..=PREDICATES {
        text += &format!(".decl P{n} v_type=P num_elts=8\n");
    }
    text += ".decl T6 v_type=T num_elts=1 v_name=T6\n.input V0032 offset=32 size=32\n";
    for n in 0..VARS / 10 {
        text += &format!(
            "  (P{}) add (M1, 8) V{:04}(0,0)<1> V{:04}(0,0)<8;8,1> 0x7:d\n",
            n % PREDICATES + 1,
            n * 10 + 32,
            n + 32
        );
    }
    text + "  ret (M1, 1)\n"
}

/// Whether both readers made a module of it, the same.
fn same(change: impl Fn(usize) -> Option<String>) -> bool {
    let text = text(change);
    let in_order = diagnose(&text);
    match parse(&text) {
        Ok(module) => {
            assert_eq!(in_order.errors, []);
            assert!(module == in_order.module);
            true
        }
        Err(error) => {
            assert_eq!(Some(&error), in_order.errors.first());
            false
        }
    }
}

/// Another line in the place of one.
fn with(at: usize, line: impl Fn(&str) -> String) -> bool {
    same(|n| (n == at).then(|| line(&format!("V{:04}", n + 32))))
}

#[test]
fn both_halves_are_as_in_order() {
    let module = parse(&text(|_| None)).expect("a module");
    assert_eq!(module.objects[0].vars.len(), VARS + 32);
    assert_eq!(module.objects[0].predicates.len(), PREDICATES + 1);
    assert!(same(|_| None));
}

#[test]
fn what_the_second_half_cannot_know_is_read_in_order() {
    for at in [10, 5_000, 5_950, 6_000, 6_050, 9_000, 11_990] {
        let plain = |name: &str| format!(".decl {name} v_type=G type=d num_elts=8 align=hword");
        let also = |more: &'static str| with(at, |name| format!("{}\n{more}", plain(name)));
        assert!(also(".decl A0 v_type=A num_elts=8"), "{at}");
        assert!(also(".decl P9000 v_type=P num_elts=8"), "{at}");
        assert!(also(".decl odd v_type=G type=d num_elts=8"), "{at}");
        assert!(also(".decl V99999 v_type=G type=d num_elts=8"), "{at}");
        assert!(also("// so"), "{at}");
        assert!(also("/* */"), "{at}");
        assert!(also("/*"), "{at}");
        assert!(!also("{"), "{at}");
        assert!(!also("nothing"), "{at}");
        assert!(!also(".decl V4000 v_type=T num_elts=1 v_name=T7"), "{at}");
        assert!(!also(".decl V11000 v_type=T num_elts=1 v_name=T7"), "{at}");
        assert!(!also(".kernel \"other\""), "{at}");
        assert!(also("  mov (M1, 8) V0032(0,0)<1> 0x7:d"), "{at}");
        assert!(with(at, |name| format!("  {}", plain(name))), "{at}");
        assert!(with(at, |name| plain(name) + " attrs={DoNotSpill}"), "{at}");
        assert!(
            with(at, |name| format!(
                "{{\n{}\n}}\n{}",
                plain("x"),
                plain(name)
            )),
            "{at}"
        );
        // The first four lines have no alias and are none's, nor does an instruction have them.
        if at > 10 {
            assert!(!with(at, |_| plain("V0033")), "{at}");
            assert!(!with(at, |name| plain(&format!("{name}0"))), "{at}");
        }
    }
}

#[test]
fn aliases_are_of_what_was_declared() {
    for at in [10, 5_950, 6_000, 6_050, 11_990] {
        let alias = |of: &str| {
            with(at, |name| {
                format!(".decl {name} v_type=G type=d num_elts=8 align=hword alias=<{of}, 0>")
            })
        };
        assert!(alias("V0033"), "{at}");
        assert!(alias("%r0"), "{at}");
        assert!(!alias("V33"), "{at}");
        assert!(!alias("V00033"), "{at}");
        assert!(!alias("V999999"), "{at}");
        assert!(!alias("V0031"), "{at}");
        assert!(!alias("V0000"), "{at}");
        assert!(!alias(&format!("V{:04}", at + 32)), "{at}");
        assert!(!alias(&format!("V{:04}", at + 33)), "{at}");
        assert!(alias(&format!("V{:04}", at + 31)), "{at}");
        assert_eq!(
            alias(&format!("V{:05}", at + 31)),
            at + 31 >= 10_000,
            "{at}"
        );
    }
}

#[test]
fn the_second_half_begins_where_the_first_ends() {
    // Where that is, is known to some 40 lines.
    let all = text(|_| None);
    let end = all.find(".decl T6").expect("the end of the list");
    let middle = all[..end / 2].lines().count();
    for at in middle - 50..middle + 50 {
        let line = |name: &str| {
            format!(".decl {name} v_type=G type=d num_elts=8\n.decl odd v_type=G type=d num_elts=8")
        };
        assert!(with(at, line), "{at}");
    }
}
