//! The reader that continues after errors agrees with the one that stops at the first, in the module and in the first
//! error. Lines are those that compilers write, or nearly.

use kiln_visa::text::{diagnose, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const HEAD: &str = "\
.version 4.1
.kernel \"names\"
";

const DECLARATIONS: [&str; 9] = [
    ".decl V32 v_type=G type=d num_elts=16 align=GRF",
    ".decl V33 v_type=G type=f num_elts=16 align=wordx32",
    ".decl V34 v_type=G type=q num_elts=8",
    ".decl V35 v_type=G type=ud num_elts=16 align=hword alias=<V32, 0>",
    ".decl V36 v_type=G type=d num_elts=1 align=dword alias=<V33, 4>",
    ".decl P1 v_type=P num_elts=16",
    ".decl P2 v_type=P num_elts=8",
    ".decl V37 v_type=G type=b num_elts=64 align=qword",
    ".decl T6 v_type=T num_elts=1 v_name=T6",
];

const INSTRUCTIONS: [&str; 17] = [
    "    add (M1, 16) V32(0,0)<1> V32(0,0)<8;8,1> V35(0,0)<0;1,0>",
    "    add.sat (M1_NM, 1) V36(0,0)<1> V36(0,0)<0;1,0> 0xffffffff:d",
    "    mov (M5_NM, 16) V37(1,3)<4> V32(0,0)<16;16,1>",
    "    mov (M1, 8) V34(0,0)<1> 12:uq",
    "    mad (M1, 16) V33(0,0)<1> (-)V33(0,0)<1;1,0> V33(0,0)<2;2,1> V33(0,0)<1;1,0>",
    "    (P1) sel (M1, 16) V33(0,0)<1> (abs)V33(0,0)<1;1,0> 0x3f800000:f",
    "    (!P1) or (M1, 16) V32(0,0)<1> (~)V32(0,0)<1;1,0> 0x7:d",
    "    cmp.lt (M1, 16) P1 V32(0,0)<1;1,0> 0x10:d",
    "    cmp.ge (M1, 16) V32(0,0)<1> V33(0,0)<1;1,0> 0x0:f                            /// $12",
    "    and (M1, 16) P1 P1 P2",
    "    setp (M1_NM, 16) P1 V36(0,0)<0;1,0>",
    "    mov (M1, 8) V32(0,0)<2> 0xfffffffffffffffe:q",
    "    svm_gather.4.1 (M1, 8) V32.0 V33.4",
    "    gather4_scaled.RG (M1, 16) T6 0x0:ud V32.0 V37.0",
    "    (P2) scatter_scaled.2 (M1, 8) %slm 0x10:ud V32.0 V33.64",
    "    (!P1) goto (M1, 16) target",
    "    jmp (M1, 1) target",
];

/// Pieces that replace some bytes of a line.
const PIECES: [&str; 52] = [
    "",
    " ",
    "\t",
    "\r",
    "\n",
    "0",
    "7",
    "32",
    "256",
    "99999999999",
    "-",
    "+",
    "!",
    "(",
    ")",
    "<",
    ">",
    ">>1",
    "(P1) ",
    "é",
    "Vé",
    ">>0>",
    ";",
    ",",
    ".",
    ":",
    "=",
    "V32",
    "V35",
    "V99",
    "V032",
    "P1",
    "P9",
    "%null",
    "0x",
    ":f",
    ".sat",
    ".any",
    ".x1",
    ".4",
    ".R",
    "T6",
    "%slm",
    "target",
    "$",
    "(-)",
    "M1",
    "M9",
    "//",
    "/* */",
    "{",
    "}",
];

/// True if both readers accept it; their modules must be equal.
fn same(text: &str) -> bool {
    let recovered = diagnose(text);
    match parse(text) {
        Ok(module) => {
            assert_eq!(recovered.errors, [], "{text}");
            assert_eq!(module, recovered.module, "{text}");
            true
        }
        Err(error) => {
            assert_eq!(Some(&error), recovered.errors.first(), "{text}");
            false
        }
    }
}

#[test]
fn as_compilers_write_it() {
    let lines = [
        DECLARATIONS.as_slice(),
        &INSTRUCTIONS,
        &["target:", "    ret (M1, 1)"],
    ]
    .concat();
    assert!(same(&(HEAD.to_string() + &lines.join("\n") + "\n")));
    for ends in ["\r\n", " \n", " // so\n"] {
        assert!(
            same(&(HEAD.to_string() + &lines.join(ends) + ends)),
            "{ends:?}"
        );
    }
    assert!(
        same(&(HEAD.to_string() + &lines.join("\n"))),
        "no end of the last line"
    );
}

#[test]
fn names_that_are_taken() {
    let text = |lines: &[&str]| HEAD.to_string() + &lines.join("\n") + "\n";
    let [var, predicate] = [DECLARATIONS[0], DECLARATIONS[5]];
    let surface = |name: &str| format!(".decl {name} v_type=T num_elts=1 v_name=T6");
    assert!(!same(&text(&[var, var])));
    assert!(!same(&text(&[predicate, predicate])));
    assert!(!same(&text(&[var, &surface("V32")])));
    assert!(!same(&text(&[&surface("V32"), var])));
    assert!(!same(&text(&[
        var,
        DECLARATIONS[1],
        DECLARATIONS[2],
        DECLARATIONS[1]
    ])));
    let odd = ".decl V77 v_type=G type=d num_elts=16 align=GRF";
    assert!(same(&text(&[
        odd,
        var,
        DECLARATIONS[1],
        INSTRUCTIONS[3].replace("V34", "V77").as_str()
    ])));
    assert!(!same(&text(&[odd, var, odd])));
    assert!(!same(&text(&[odd, var, var])));
    let scoped = ["{", var, odd, "}", odd, INSTRUCTIONS[11]];
    assert!(same(&text(&[[var].as_slice(), &scoped].concat())));
    assert!(!same(&text(
        &[[var].as_slice(), &scoped, &scoped, &[var]].concat()
    )));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn nearly_as_compilers_write_it(
        lines in vec(select([DECLARATIONS.as_slice(), &INSTRUCTIONS].concat()), 1..4),
        edits in vec((any::<Index>(), 0_usize..4, select(PIECES.as_slice())), 0..3),
        end in any::<Index>(),
    ) {
        let mut text = lines.join("\n");
        for (at, length, piece) in edits {
            let at = text.floor_char_boundary(at.index(text.len() + 1));
            let to = text.ceil_char_boundary((at + length).min(text.len()));
            text.replace_range(at..to, piece);
        }
        let all = DECLARATIONS.join("\n");
        same(&format!("{HEAD}{all}\n{text}\n"));
        same(&format!("{HEAD}{all}\n{text}\ntarget:\n"));
        same(&format!("{HEAD}{text}\n"));
        text.truncate(text.floor_char_boundary(end.index(text.len() + 1)));
        same(&format!("{HEAD}{all}\n{text}"));
    }
}
