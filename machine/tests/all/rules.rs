//! Each rule of the verifier and each error of the parser, by an input that violates it.

use kiln_machine::verify::{Level, verify};
use kiln_machine_testing::parse::parse;

/// A function whose block 0 has these lines, separated by `; `.
fn lines(body: &str) -> String {
    let mut text = String::from("function \"f\" simd16 on skl\ninput r1 v0:g64\nblock0:\n");
    for line in body.split("; ").map(str::trim) {
        let indent = if line.ends_with(':') { "" } else { "  " };
        text += &format!("{indent}{line}\n");
    }
    text
}

#[test]
fn rules() {
    let cases = [
        ("end", ""),
        ("v1:g64<1>:ud = mov (16|M0) v0<8;8,1>:ud; end", ""),
        (
            "v1:g64<1>:ud = mov (16|M0) v0<8;8,1>:ud, 0x1:ud; end",
            "2 sources, expected as many as the operation takes",
        ),
        (
            "v1:g64<1>:ud = add (16|M0) v0<8;8,1>:ud; end",
            "1 sources, expected as many as the operation takes",
        ),
        (
            "v1:g64<1>:ud = mov (16|M0) v0+4<8;8,1>:ud; end",
            "bytes 4 to 68 of 64",
        ),
        (
            "v1:g32<1>:ud = mov (16|M0) v0<8;8,1>:ud; end",
            "bytes 0 to 64 of 32",
        ),
        (
            "v1:g32<1>:ud = mov (1|M0) v2<0;1,0>:ud; end",
            "v2 is not defined",
        ),
        (
            "v1:g32<1>:ud = mov (1|M0) v1<0;1,0>:ud; end",
            "v1, defined in block0, does not reach",
        ),
        (
            "v1:g4<1>:ud = mov (1|M0) 0x1:ud; v1:g4<1>:ud = mov (1|M0) 0x1:ud; end",
            "v1 is defined again",
        ),
        (
            "v0:g64<1>:ud = mov (1|M0) 0x1:ud; end",
            "v0 is defined again",
        ),
        (
            "v1:g4<1>:ud = mov (24|M16) 0x1:ud; end",
            "channels 16 to 40",
        ),
        (
            "v1:g4<1>:ud over v0 = mov (1|M0) 0x1:ud; end",
            "v0:g64 in the place of v1:g4",
        ),
        (
            "v1:f4<1>:ud = mov (1|M0) 0x1:ud; branch (v1) -> block1, block2; block1:; end; block2:; end",
            "",
        ),
        (
            "v1:g4<1>:ud = mov (1|M0) 0x1:ud; branch (v1) -> block1, block2; block1:; end; block2:; end",
            "v1:g4, expected a flag",
        ),
        (
            "v1:g4<1>:ud = mov (1|M0) r[v0, 4]<0;1,0>:ud; end",
            "v0:g64, expected an address",
        ),
        ("jump -> block0", "the entry has predecessors"),
        (
            "jump -> block1; block1(v1:g64):; end",
            "0 arguments to block1, expected 1",
        ),
        ("jump -> block1(v0); block1(v1:g64):; end", ""),
        (
            "jump -> block1(v0); block1(v1:g32):; end",
            "v0:g64 in the place of v1:g32",
        ),
        (
            "end -> block1; block1:; end",
            "1 successors, expected 0 to 0",
        ),
        ("jump; block1:; end", "0 successors, expected 1 to 1"),
        (
            "goto.forward (16|M0) block1 free null -> block1; block1:; join -> block2; block2:; end",
            "",
        ),
        (
            "goto.forward (16|M0) block1 free null -> block1; block1:; end",
            "channels wait at block1, expected a join",
        ),
        (
            "goto.forward (f0) (16|M0) block1 free null -> block1; block1:; join -> block2; block2:; end",
            "",
        ),
        (
            "goto.backward (f0) (16|M0) -> block1; block1:; end",
            "1 successors, expected 2 to 2",
        ),
        (
            "goto.backward (f0) (16|M0) -> block1, block1; block1:; end",
            "channels wait at the second",
        ),
        (
            "goto.backward (f0) (16|M0) -> block3, block1; block1:; jump -> block2; \
             block2:; join -> block3; block3:; end",
            "",
        ),
        (
            "goto.backward (f0) (16|M0) -> block3, block1; block1:; jump -> block2; \
             block2:; jump -> block3; block3:; end",
            "channels wait at the second",
        ),
        (
            "jump -> block1; block1:; v1:g4<1>:ud = mov (1|M0) 0x1:ud; join -> block2; block2:; end",
            "1 instructions, expected none in a join",
        ),
        (
            "null<1>:ud = send (8|M0) {v0}<8;8,1>:ud sfid 12 desc 0x1 exdesc 0x0; end",
            "",
        ),
        ("null<1>:ud = send (8|M0) {v0}<8;8,1>:ud; end", "no message"),
        (
            "v1:g4<1>:ud = mov (1|M0) 0x1:ud sfid 12 desc 0x1 exdesc 0x0; end",
            "a message, expected",
        ),
        (
            "v1:g4<1>:ud = mov (1|M0) v0<0;1,0>:ud symbol \"x\"; end",
            "no immediate",
        ),
        (
            "v1:g64<1>:ud over {v0 v0} = mov (1|M0) 0x1:ud; end",
            "2 old registers",
        ),
        ("{v1:g64 v2:g64}<1>:ud = mov (32|M0) 0x1:ud; end", ""),
        (
            "{v1:g64 v2:g32}<1>:ud = mov (32|M0) 0x1:ud; end",
            "bytes 0 to 128 of 96",
        ),
        (
            "illegal (1|M0); brd (1|M0) v0<0;1,0>:ud; end",
            "control flow",
        ),
        (
            "branch (f0) -> block1, block2; block1:; v1:g64<1>:ud = mov (16|M0) 0x1:ud; jump -> block3; \
             block2:; jump -> block3; block3:; v2:g64<1>:ud = mov (16|M0) v1<8;8,1>:ud; end",
            "v1, defined in block1, does not reach",
        ),
    ];
    for (body, expected) in cases {
        let text = lines(body);
        let func = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        match verify(&func, Level::Wide, None) {
            Ok(()) => assert_eq!(expected, "", "{text}"),
            Err(e) => {
                let e = e.to_string();
                assert!(!expected.is_empty() && e.contains(expected), "{e}\n{text}");
            }
        }
    }
}

#[test]
fn rules_of_what_is_legal() {
    for (body, expected) in [
        (
            "{v1:g64 v2:g64}<1>:ud = mov (32|M0) 0x1:ud; end",
            "several registers",
        ),
        ("v1:g64<1>:ud = mov (12|M0) 0x1:ud; end", "channels 0 to 12"),
        (
            "v1:g64<1>:ud = mov (16|M0) 0x1:ud; end",
            "the target says no",
        ),
    ] {
        let func = parse(&lines(body)).expect("the text is right");
        let rules = |_: &_, _: &_| Err("the target says no".to_owned());
        let e = verify(&func, Level::Legal, Some(&rules)).expect_err(body);
        assert!(e.to_string().contains(expected), "{e}");
        assert_eq!(verify(&func, Level::Wide, Some(&rules)), Ok(()));
    }
}

#[test]
fn places_of_mistakes() {
    for (body, expected) in [
        (
            "v1:g4<1>:ud = mov (1|M0) 0x1:ux; end",
            "4:32: expected a type, found `ux`",
        ),
        (
            "v1:g4<1>:ud = mow (1|M0) 0x1:ud; end",
            "4:17: expected an operation, found `mow`",
        ),
        (
            "v1:h4<1>:ud = mov (1|M0) 0x1:ud; end",
            "4:6: expected `g`, `f` or `a`",
        ),
        (
            "v1:g4<1>:ud = mov (1|M0) v9999999<0;1,0>:ud; end",
            "4:28: registers have numbers below 4194304",
        ),
        (
            "v1:g4<1>:ud = mov (1|M0) 0x1:ud; v1:g8<1>:ud = mov (1|M0) 0x1:ud; end",
            "5:3: v1 is v1:g4 elsewhere",
        ),
        ("jump -> block7", "4:11: there is no block7"),
        ("end; block3:; end", "5:1: expected block1"),
        (
            "v1:g4<1>:ud = mov (1|M300) 0x1:ud; end",
            "4:25: expected a number that fits here",
        ),
        (
            "v1:g4<1>:ud = mov (1|M0) 0x1:ud mov; end",
            "4:35: expected the end of the line",
        ),
    ] {
        let e = parse(&lines(body)).expect_err(body);
        assert_eq!(e.to_string(), expected);
    }
}

#[test]
fn names_are_escaped() {
    let name = "a\"b\\c\n\u{7f}é";
    let mut func = parse(&lines("end")).expect("the text is right");
    func.name = name.to_owned();
    let again = parse(&func.to_string()).expect("what is printed is read");
    assert_eq!(again.name, name);
}

#[test]
fn the_documented_example_is_right() {
    let page = include_str!("../../../docs/machine-ir.md");
    let example = page.split("```\n").nth(1).expect("there is an example");
    let func = parse(example).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(func.to_string(), example);
    assert_eq!(verify(&func, Level::Wide, None), Ok(()));
}
