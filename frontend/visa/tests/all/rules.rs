//! One small wrong input for each rule of the verifier: its code, its place and its message.

use std::collections::BTreeSet;

use kiln_platform::platform::{Generation, named};
use kiln_visa::module::{
    Input, InputVar, Label, LabelKind, Modifier, Module, Object, Operand, PredUse, Predicate,
    Region, Sampler, Type, Var,
};
use kiln_visa::opcode::Opcode;
use kiln_visa::text::{diagnose, parse};
use kiln_visa::verify::{RULES, Severity, check, span, verify};

/// Head of every text: 17 lines without a finding.
const HEAD: &str = include_str!("../rules/head.visaasm");
const TAIL: &str = "    ret (M1, 1)\n";

/// Lines 18 and on, then the tail: all findings as `line:column code message`.
fn found(lines: &str, platform: Option<Generation>) -> Vec<String> {
    let source = format!("{HEAD}{lines}\n{TAIL}");
    let module = parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    shown(&module, platform)
}

fn shown(module: &Module, platform: Option<Generation>) -> Vec<String> {
    let findings = check(module, platform);
    let shown = findings.iter().map(|f| {
        let (line, column) = (f.place.pos, f.place.column);
        format!("{line}:{column} {} {}", f.code(), f.kind)
    });
    shown.collect()
}

/// Inputs in text, each with its findings.
const WRONG: &str = include_str!("../rules/wrong.txt");

/// Inputs of [`WRONG`]: platform, lines, expected findings.
fn wrong() -> Vec<(&'static str, String, String)> {
    let blocks = WRONG.split("\n@ ").skip(1);
    let cases = blocks.map(|block| {
        let (platform, rest) = block.split_once('\n').expect("a platform");
        let (expected, lines): (Vec<&str>, Vec<&str>) = rest
            .lines()
            .filter(|line| !line.is_empty())
            .partition(|line| line.starts_with("> "));
        (platform, lines.join("\n"), expected.join("\n"))
    });
    cases.collect()
}

/// All findings as `> line: underlined code message`.
fn underlined(source: &str, platform: Option<Generation>) -> String {
    let read = diagnose(source);
    assert!(read.errors.is_empty(), "{}\n{source}", read.errors[0]);
    let findings = check(&read.module, platform);
    let shown = findings.iter().map(|f| {
        let span = read.spans.find(f.object, f.inst, f.subject);
        let span = span.expect("a place");
        let line = source[..span.start].lines().count()
            + usize::from(source[..span.start].ends_with('\n'));
        format!("> {line}: `{}` {} {}", &source[span], f.code(), f.kind)
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn wrong_texts_are_found() {
    assert_eq!(found("", None), [""; 0]);
    let indirect = "    mov (M1, 4) V32(0,0)<1> r[A0(0),0]<2,0>:d";
    assert_eq!(found(indirect, None), [""; 0]);
    let wide = ".decl V36 v_type=G type=df num_elts=16\n    setp (M1, 16) P1 V34(0,0)<0;1,0>\n    \
                scatter_scaled.1 (M1, 16) T6 0x0:ud V32.0 V36.0";
    assert_eq!(found(wide, None), [""; 0], "quadwords");
    let cases = wrong();
    assert!(cases.len() >= 100, "only {} inputs", cases.len());
    let mut wrong = String::new();
    for (name, lines, expected) in cases {
        let platform = named(name).map(|n| n.generation);
        assert!(platform.is_some() || name == "any", "platform {name}");
        let source = format!("{HEAD}{lines}\n{TAIL}");
        let found = underlined(&source, platform);
        if found != expected {
            wrong += &format!("{lines}\nexpected\n{expected}\nfound\n{found}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Texts with several findings, or without the tail of a kernel.
#[test]
fn rules_of_whole_modules() {
    let function = ".global_function \"g\"\n.kernel_attr ArgSize=2\n.kernel_attr RetValSize=1\n    \
                    fret (M1, 16)\n";
    let with = |lines: &str| {
        let source = format!("{HEAD}{lines}\n{TAIL}{function}");
        shown(&parse(&source).unwrap_or_else(|e| panic!("{e}")), None)
    };
    assert_eq!(with("    fcall (M1, 16) g 2 1"), [""; 0]);
    assert_eq!(
        with("    fcall (M1, 16) g 3 0"),
        [
            "18:5 V0027 the argument of the call is 3 GRFs, g declares 2",
            "18:5 V0027 the return value of the call is 0 GRFs, g declares 1"
        ]
    );
    // An argument that is not passed is undefined; the call is valid while the callee does not use it.
    assert_eq!(
        with("    fcall (M1, 16) g 1 1"),
        ["18:5 V0083 the call passes 1 GRFs and g declares 2: the others are undefined"]
    );
    let less = format!("{HEAD}    fcall (M1, 16) g 1 1\n{TAIL}{function}");
    let less = parse(&less).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(verify(&less), [], "a warning");
    // The value of a function that declares none is undefined.
    let empty = function.replace("RetValSize=1", "RetValSize=0");
    for call in [
        "    fcall (M1, 16) g 2 1",
        "    faddr g V34(0,0)<1>\n    ifcall (M1, 16) V34(0,0)<0;1,0> 2 1",
    ] {
        let source = format!("{HEAD}{call}\n{TAIL}{empty}");
        let module = parse(&source).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(shown(&module, None), [""; 0], "{call}");
    }
    let by_address = |sizes: &str| {
        with(&format!(
            "    faddr g V34(0,0)<1>\n    ifcall (M1, 16) V34(0,0)<0;1,0> {sizes}"
        ))
    };
    assert_eq!(
        by_address("3 1"),
        [
            "19:5 V0033 no function whose address is taken has 3 GRFs of arguments and 1 of return \
          value"
        ]
    );
    assert_eq!(
        by_address("1 1"),
        [
            "19:5 V0083 the call passes 1 GRFs and a function whose address is taken declares 2: the \
          others are undefined"
        ]
    );
    let source = format!("{HEAD}{TAIL}").replace("SimdSize=16", "SimdSize=12");
    let module = parse(&source).expect("a text");
    assert_eq!(
        shown(&module, None),
        ["0:0 V0046 SimdSize is 12, allowed are 1, 8, 16 and 32"]
    );
    let module = parse(HEAD).expect("a text");
    assert_eq!(
        shown(&module, None),
        ["17:5 V0037 the last instruction is `addr_add`, allowed are a return, a jump and a label"]
    );
    assert_eq!(check(&module, None)[0].severity(), Severity::Warning);
    assert_eq!(verify(&module), [], "warnings are no errors");
    let module = parse(&format!("{HEAD}{TAIL}.kernel \"k\"\n{TAIL}")).expect("a text");
    assert_eq!(
        shown(&module, None),
        ["0:0 V0038 k is the name of two objects"]
    );
}

/// Rows have a register's size; without a platform, the size that fits.
#[test]
fn sizes_of_registers() {
    let (small, large) = (Some(Generation::Skl), Some(Generation::Xe2));
    for (line, fits, fails) in [
        (
            "    mov (M1_NM, 1) V33(0,0)<1> %r0(0,12)<0;1,0>",
            large,
            small,
        ),
        ("    mov (M1, 8) V33(0,0)<1> V32(1,0)<1;1,0>", small, large),
    ] {
        assert!(found(line, fits).is_empty(), "{:?}", found(line, fits));
        assert!(found(line, None).is_empty(), "{:?}", found(line, None));
        assert!(
            found(line, fails)[0].contains(" V0014 "),
            "{:?}",
            found(line, fails)
        );
    }
}

#[test]
fn what_a_platform_lacks() {
    let add3 = "    add3 (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0> 0x1:d";
    assert_eq!(found(add3, Some(Generation::Dg2)), [""; 0]);
    assert_eq!(
        found(add3, Some(Generation::Skl)),
        ["18:5 V0043 `add3` does not exist on skl"]
    );
    let lrp = "    lrp (M1, 8) V33(0,0)<1> V33(0,0)<1;1,0> V33(0,0)<1;1,0> V33(0,0)<1;1,0>";
    assert_eq!(found(lrp, Some(Generation::Skl)), [""; 0]);
    assert_eq!(
        found(lrp, Some(Generation::Tgllp)),
        ["18:5 V0043 `lrp` does not exist on tgllp"]
    );
    let block = "    lsc_load_block2d.ugm (M1, 1) V33:d32.8x8nn flat[V33+(0,0)]";
    let lacks = |at: Generation| found(block, Some(at)).iter().any(|f| f.contains(" V0043 "));
    assert!(lacks(Generation::Dg2) && !lacks(Generation::Pvc));
    // Registers of 64 bytes.
    let wide = "    mov (M1, 16) V35(0,0)<1> 0x0:d";
    assert_eq!(
        found(wide, Some(Generation::Dg2)),
        ["18:5 V0014 operand 0 goes to byte 64 of V35, which has 32"]
    );
    assert_eq!(found(wide, Some(Generation::Xe2)), [""; 0]);
}

/// Breaches that text cannot express, in edited modules.
fn edited(edit: impl FnOnce(&mut Object)) -> Vec<String> {
    let mut module = parse(&format!("{HEAD}{TAIL}")).expect("a text");
    edit(&mut module.objects[0]);
    shown(&module, None)
}

/// Index of the `mov` of line 15.
const MOV: usize = 1;

#[test]
fn wrong_modules_are_found() {
    let var = |n| Var::from_u32(n);
    assert_eq!(
        edited(|o| o.insts[MOV].operands[0] = Operand::Raw {
            var: var(99),
            offset: 0
        }),
        ["15:5 V0009 operand 0 of `mov` is a raw operand, which is not allowed there"]
    );
    assert_eq!(
        edited(|o| o.inputs.push(Input {
            var: InputVar::General(var(99)),
            implicit: 0,
            offset: 96,
            size: 4
        })),
        ["0:0 V0001 variable 99 does not exist"]
    );
    assert_eq!(
        edited(|o| o.vars[var(32)].alias = Some((var(33), 0))),
        [
            "0:0 V0004 V32 is an alias of a variable declared after it, only earlier ones are allowed"
        ]
    );
    assert_eq!(
        edited(|o| {
            o.insts[MOV].exec.offset = 28;
            o.insts[MOV].exec.size = 16;
        }),
        [
            "15:5 V0006 channels 28 to 43 are more than 32",
            "15:5 V0019 16 channels begin at channel 28, allowed are multiples of 16"
        ]
    );
    assert_eq!(
        edited(|o| o.insts[MOV].exec.size = 3),
        ["15:5 V0007 an execution size of 3 is none of 1, 2, 4, 8, 16 and 32"]
    );
    assert_eq!(
        edited(|o| drop(o.insts[MOV].operands.pop())),
        ["15:5 V0008 `mov` has 1 operands, expected 2"]
    );
    let pred = PredUse {
        pred: Predicate::from_u32(1),
        inverse: false,
        combine: kiln_visa::module::Combine::None,
    };
    assert_eq!(
        edited(|o| o.insts[MOV + 1].pred = Some(pred)),
        ["16:5 V0010 `cmp` takes no predicate"]
    );
    let with = |modifier| Operand::General {
        var: var(32),
        row: 0,
        col: 0,
        region: Region {
            v: Some(1),
            w: 1,
            h: 0,
        },
        modifier,
    };
    assert_eq!(
        edited(|o| o.insts[MOV].operands[1] = with(Modifier::Sat)),
        [
            "15:5 V0013 operand 1 has a modifier that is not allowed there: destinations have \
          saturation only, sources all others"
        ]
    );
    assert_eq!(
        edited(|o| o.insts[0].operands[0] = Operand::Label(Label::from_u32(7))),
        [
            "14:1 V0001 label 7 does not exist",
            "0:0 V0017 label main is defined 0 times, once is allowed"
        ]
    );
    assert_eq!(
        edited(|o| o.labels[Label::from_u32(0)].kind = LabelKind::Subroutine),
        ["14:1 V0018 label main is that of a subroutine, which `label` does not go to"]
    );
    assert_eq!(
        edited(|o| {
            let Operand::General { region, .. } = &mut o.insts[MOV].operands[0] else {
                panic!("a destination")
            };
            region.v = None;
        }),
        [
            "15:5 V0047 operand 0 has a region of several addresses (`<w,h>`), only indirect sources \
          are allowed to"
        ]
    );
    assert_eq!(
        edited(|o| o.insts[MOV].operands[1] = Operand::Imm {
            ty: Type::Ub,
            bits: 0x100
        }),
        ["15:5 V0016 operand 1: ub is no type of an immediate, or 0x100 does not fit"]
    );
    assert_eq!(
        edited(|o| while o.samplers.len() < 32 {
            o.samplers.push(o.samplers[Sampler::from_u32(0)].clone());
        }),
        [
            "0:0 V0081 32 samplers are declared, 31 at most: the number of the next is that of the \
          bindless sampler"
        ]
    );
    let lifetime = |class: u32, number| {
        move |o: &mut Object| {
            o.insts[MOV].op = Opcode::Lifetime;
            o.insts[MOV].operands = vec![Operand::Field(class << 4), Operand::Field(number)].into();
        }
    };
    assert_eq!(edited(lifetime(0, 32)), [""; 0]);
    for (class, number, what) in [
        (0, 99, "variable"),
        (0, 31, "variable"),
        (1, 9, "address variable"),
        (2, 0, "predicate"),
    ] {
        assert_eq!(
            edited(lifetime(class, number)),
            [format!("15:5 V0001 {what} {number} does not exist")]
        );
    }
    assert_eq!(
        edited(lifetime(3, 32)),
        ["15:5 V0011 the class of a variable and an end of its life cannot be 48"]
    );
    assert_eq!(edited(|o| o.insts[MOV].op = Opcode::Mov), [""; 0]);
}

/// Every rule has an input that breaks it.
#[test]
fn all_rules_are_tested() {
    let sources = [include_str!("rules.rs"), WRONG];
    let tested: BTreeSet<&str> = RULES
        .iter()
        .map(|rule| rule.code)
        .filter(|code| sources.iter().any(|s| s.contains(&format!("{code} "))))
        .collect();
    let all: BTreeSet<&str> = RULES.iter().map(|rule| rule.code).collect();
    assert_eq!(tested, all);
}

#[test]
fn spans_underline_the_instruction() {
    let source = format!("{HEAD}    mov (M1, 16) V32(0,1)<1> 0x1:d   /// $9\n{TAIL}");
    let module = parse(&source).expect("a text");
    let findings = check(&module, None);
    let [finding] = findings.as_slice() else {
        panic!("{findings:?}")
    };
    assert_eq!(
        &source[span(&source, finding.place)],
        "mov (M1, 16) V32(0,1)<1> 0x1:d"
    );
    assert_eq!(span("", finding.place), 0..0);
    let rule = finding.kind.rule();
    assert_eq!((rule.code, rule.name), ("V0014", "End"));
    assert_eq!((finding.object, finding.inst), (0, Some(4)));
}
