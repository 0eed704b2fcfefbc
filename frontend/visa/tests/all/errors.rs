//! Messages of the readers and the verifier for wrong input.

use crate::common::saxpy;
use kiln_visa::binary::{ReadErrorKind, read, write};
use kiln_visa::module::{Subject, Var};
use kiln_visa::text::{MAX_ERRORS, diagnose, parse};
use kiln_visa::verify::verify;

fn binary() -> Vec<u8> {
    write(&parse(&saxpy()).expect("saxpy")).expect("saxpy")
}

fn refused(bytes: &[u8]) -> String {
    read(bytes).expect_err("a wrong object").to_string()
}

#[test]
fn wrong_binaries_are_named() {
    let mut bytes = binary();
    bytes[0] = b'X';
    assert_eq!(
        refused(&bytes),
        "at offset 0x0: not a vISA object: the first bytes are [58, 49, 53, 41], \
         expected 43 49 53 41 (\"CISA\")"
    );
    let mut bytes = binary();
    bytes[4] = 5;
    assert_eq!(
        refused(&bytes),
        "at offset 0x4: version 5.1 is not supported, expected 3.0 to 4.1"
    );
    assert_eq!(
        refused(&binary()[..3]),
        "at offset 0x3: the file ends too early: 1 bytes expected, 0 left"
    );
    // The code ends in `ret (M1, 1)`: opcode, execution size, predicate.
    let mut bytes = binary();
    let ret = bytes.len() - 4;
    bytes[ret] = 0x3b;
    let last = parse(&saxpy()).expect("saxpy").objects[0].insts.len() - 1;
    assert_eq!(
        refused(&bytes),
        format!("at offset {ret:#x} (instruction {last}): unknown opcode 0x3b")
    );
    let mut bytes = binary();
    bytes[ret + 1] = 0x0f;
    assert_eq!(
        refused(&bytes),
        format!(
            "at offset {:#x} (instruction {last}): an execution size is 15, expected 0 to 5",
            ret + 1
        )
    );
}

/// Found by fuzzing: no entity has the greatest possible index.
#[test]
fn the_greatest_number_is_refused() {
    let bytes = binary();
    let variable = 0x30u32.to_le_bytes();
    let code = bytes.len() - 600;
    let at = bytes[code..].windows(4).position(|w| w == variable);
    let at = code + at.expect("an operand that is variable 48");
    let mut wrong = bytes;
    wrong[at..at + 4].fill(0xff);
    let message = refused(&wrong);
    assert!(
        message.contains("variable 4294967295 does not exist"),
        "{message}"
    );
    for name in ["V4294967295", "P4294967295"] {
        let (message, at) = wrong_name(name);
        assert_eq!(message, format!("3:30: unknown variable `{name}`"));
        assert_eq!(at, name);
    }
}

/// The error of a `mov` of an operand with this name.
fn wrong_name(name: &str) -> (String, String) {
    wrong(&kernel(&format!(
        "    mov (M1, 1) %cr0(0,0)<1> {name}(0,0)<0;1,0>"
    )))
}

#[test]
fn an_alias_of_a_later_variable_is_refused() {
    let mut module = parse(&saxpy()).expect("saxpy");
    let vars = &mut module.objects[0].vars;
    let (first, next) = (Var::from_u32(32), Var::from_u32(33));
    vars[first].alias = Some((next, 0));
    let message = refused(&write(&module).expect("saxpy"));
    let expected = "an alias is of a variable not declared before it: 33 does not exist";
    assert!(message.contains(expected), "{message}");
    assert!(!verify(&module).is_empty());
}

/// The message and the underlined source.
fn wrong(source: &str) -> (String, String) {
    let e = parse(source).expect_err("a wrong text");
    let at = source
        .get(e.offset..e.offset + e.length)
        .expect("a place in the source");
    (e.to_string(), at.to_owned())
}

/// A kernel of these lines, from line 3 on.
fn kernel(lines: &str) -> String {
    format!(".version 4.1\n.kernel \"k\"\n{lines}\n")
}

#[test]
fn wrong_texts_are_named() {
    let decl = ".decl V32 v_type=G type=d num_elts=16 align=hword\n";
    let cases = [
        (
            "    add (M1, 16) V33(0,0)<1> V32(0,0)<1;1,0> 0x1:d",
            "4:18: unknown variable `V33`",
            "V33",
        ),
        (
            "    frobnicate (M1, 16)",
            "4:5: unknown instruction `frobnicate`",
            "frobnicate",
        ),
        (
            "    add (M1, 12) V32(0,0)<1>",
            "4:14: the execution size does not fit, expected 1, 2, 4, 8, 16 or 32",
            "12",
        ),
        (
            "    mov (M1, 16) V32(0,0)<1>",
            "4:29: found the end of the line, expected an operand",
            "",
        ),
        (
            "    mov (M1, 16) V32(0,0)<1> 0x1:k",
            "4:34: unknown type `k`",
            "k",
        ),
        (
            "    mov (M1, 16) V32(0,300)<1> 0x1:d",
            "4:24: a column does not fit, expected a number of its width",
            "300",
        ),
        (
            "    ret (M1, 1) V32",
            "4:17: found `V32`, expected the end of the line",
            "V32",
        ),
        (
            "    cmp (M1, 16) V32(0,0)<1> 0x1:d 0x2:d",
            "4:8: `cmp` needs a suffix that says the relation (`.lt`)",
            "",
        ),
        (
            "    cmp.xy (M1, 16) V32(0,0)<1> 0x1:d 0x2:d",
            "4:8: unknown suffix `xy`",
            ".xy",
        ),
        (
            "    (V32) mov (M1, 16) V32(0,0)<1> 0x1:d",
            "4:6: `V32` is no predicate",
            "V32",
        ),
        (
            ".decl V32 v_type=G type=d num_elts=1",
            "4:7: `V32` is declared twice",
            "V32",
        ),
        (
            ".kernel_attr X=\"abc",
            "4:16: the string is not closed on this line",
            "\"abc",
        ),
        // Found by fuzzing: it could not be read back from an object.
        (
            ".kernel_attr %SimdSize=16",
            "4:14: found `%SimdSize`, expected the name of an attribute",
            "%SimdSize",
        ),
        (
            "    goto (M1, 16) nowhere",
            "4:19: label `nowhere` is used but not defined",
            "nowhere",
        ),
        ("a:\na:", "5:1: label `a` is defined twice", "a"),
    ];
    for (lines, message, at) in cases {
        let (found, place) = wrong(&kernel(&format!("{decl}{lines}")));
        assert_eq!(found, message, "{lines}");
        assert_eq!(place, at, "{lines}");
    }
    assert_eq!(
        wrong(".kernel \"k\"").0,
        "1:1: found `.kernel`, expected `.version`"
    );
    assert_eq!(
        wrong(".version 9.0").0,
        "1:1: version 9.0 is not supported, expected 3.0 to 4.2"
    );
}

/// An object that a legacy release wrote, without the last operands of each instruction.
const DEFECTIVE: &[u8] = include_bytes!("../fixtures/defective.isa");

#[test]
fn left_out_operands_are_said_to_be() {
    let error = read(DEFECTIVE).expect_err("a defective object");
    assert_eq!(
        error.to_string(),
        "at offset 0x53b (instruction 1): this object was written by a release of the reference \
         compiler whose writer leaves out the last operands of each instruction (`or` ends where \
         source 0 was expected); use the .visaasm that it wrote with it"
    );
    // An error in an instruction takes precedence.
    let or = 0x52e;
    assert_eq!(DEFECTIVE[or], 0x21, "the opcode of `or`");
    let mut wrong = DEFECTIVE.to_vec();
    wrong[or] = 0x3b;
    let error = read(&wrong).expect_err("a wrong object");
    assert_eq!(error.kind, ReadErrorKind::Opcode { number: 0x3b });
    // A complete object is never taken for a defective one.
    let complete = binary();
    for i in 0..complete.len() {
        for bits in [1, 0x80, 0xff] {
            let mut wrong = complete.clone();
            wrong[i] ^= bits;
            if let Err(e) = read(&wrong) {
                let missing = matches!(e.kind, ReadErrorKind::OperandsMissing { .. });
                assert!(!missing, "byte {i:#x}: {e}");
            }
        }
    }
}

/// The parser continues after an error; errors that follow from another are not reported.
#[test]
fn all_errors_of_a_text_are_said() {
    let source = "\
.kernel \"early\"
.version 4.1
.kernel \"wrong\"
.decl V32 v_type=G type=zz num_elts=16
    add (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:d
    mov (M1, 16) V40(0,0)<1> 0x1:d
    mov (M1, 16) V40(0,0)<1> 0x1:d
    what (M1, 16)
    jmp (M1, 1) nowhere
    jmp (M1, 1) nowhere
{
.kernel \"right\"
.decl V32 v_type=G type=d num_elts=16
    (P1) mov (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>
    mov.sat (M1, 16) P1 0x1:d
.global_function \"g\"
.kernel_attr ArgSize=1
    mov (M1, 8) %retval(0,0)<1> %arg(0,0)<1;1,0> // a comment
    fret (M1, 8)
";
    let read = diagnose(source);
    let said: Vec<String> = read
        .errors
        .iter()
        .map(|e| format!("{} {e}", e.kind.code()))
        .collect();
    let expected = [
        "S0001 1:1: found `.kernel`, expected `.version`",
        "S0002 4:25: unknown type `zz`",
        "S0002 6:18: unknown variable `V40`",
        "S0002 8:5: unknown instruction `what`",
        "S0009 11:1: the scope is not closed",
        "S0013 9:17: label `nowhere` is used but not defined",
        "S0002 14:6: unknown variable `P1`",
    ];
    assert_eq!(said, expected);
    assert_eq!(read.more, 0);
    // Objects with an error are left out; all others are kept with their places.
    let names: Vec<&str> = read
        .module
        .objects
        .iter()
        .map(|o| o.name.as_str())
        .collect();
    assert_eq!(names, ["g"]);
    let at = |inst, subject| read.spans.find(0, inst, subject).map(|span| &source[span]);
    assert_eq!(at(None, Subject::Object), Some(".global_function \"g\""));
    assert_eq!(
        at(None, Subject::Attr("ArgSize")),
        Some(".kernel_attr ArgSize=1")
    );
    let mov = "mov (M1, 8) %retval(0,0)<1> %arg(0,0)<1;1,0>";
    assert_eq!(at(Some(0), Subject::Inst), Some(mov));
    assert_eq!(at(Some(0), Subject::Operand(1)), Some("%arg(0,0)<1;1,0>"));
    assert_eq!(at(Some(0), Subject::Exec), Some("(M1, 8)"));
    // An operand without text has the span of the instruction.
    assert_eq!(at(Some(1), Subject::Operand(7)), Some("fret (M1, 8)"));
    assert_eq!(at(Some(9), Subject::Inst), None);
}

/// At most as many errors are kept as the caller wants, but all are counted, and the first is that of the plain
/// reader.
#[test]
fn errors_are_bounded() {
    let source = format!(
        ".version 4.1\n.kernel \"k\"\n{}",
        "    what (M1, 16)\n    ? \n".repeat(5000)
    );
    let read = diagnose(&source);
    assert_eq!(read.errors.len(), MAX_ERRORS);
    assert_eq!(read.more, 10_000 - MAX_ERRORS);
    assert_eq!(parse(&source).expect_err("a wrong text"), read.errors[0]);
}
