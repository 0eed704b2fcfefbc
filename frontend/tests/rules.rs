//! One small wrong input for each rule of the verifier: its code, its place and its message.

use std::collections::BTreeSet;

use kiln_frontend::module::{
    Input, InputVar, Label, LabelKind, Modifier, Module, Object, Operand, PredUse, Predicate,
    Region, Type, Var,
};
use kiln_frontend::opcode::Opcode;
use kiln_frontend::platform::Platform;
use kiln_frontend::text::parse;
use kiln_frontend::verify::{RULES, Severity, check, span, verify};

/// What every text begins with: 17 lines, and no finding of its own.
const HEAD: &str = "\
.version 4.1
.kernel \"k\"
.decl V32 v_type=G type=d num_elts=16 align=hword
.decl V33 v_type=G type=f num_elts=16 align=hword
.decl V34 v_type=G type=uq num_elts=8 align=hword
.decl V35 v_type=G type=ud num_elts=8 align=hword
.decl A0 v_type=A num_elts=2
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=8
.decl S0 v_type=S num_elts=1 v_name=S0
.decl T6 v_type=T num_elts=1 v_name=T6
.input V32 offset=32 size=64
.kernel_attr SimdSize=16
main:
    mov (M1, 16) V32(0,0)<1> 0x0:d
    cmp.lt (M1, 16) P1 V32(0,0)<1;1,0> 0x1:d
    addr_add (M1, 2) A0(0)<2> &V32 V35(0,0)<1;1,0>
";
const TAIL: &str = "    ret (M1, 1)\n";

/// Lines 18 and on, then the tail: all findings as `line:column code message`.
fn found(lines: &str, platform: Option<Platform>) -> Vec<String> {
    let source = format!("{HEAD}{lines}\n{TAIL}");
    let module = parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    shown(&module, platform)
}

fn shown(module: &Module, platform: Option<Platform>) -> Vec<String> {
    let findings = check(module, platform);
    let shown = findings.iter().map(|f| {
        let (line, column) = (f.place.pos, f.place.column);
        format!("{line}:{column} {} {}", f.code(), f.kind)
    });
    shown.collect()
}

/// Each input in text with what is found, by rule.
const TEXTS: &[(&str, &str)] = &[
    (
        ".decl V36 v_type=G type=d num_elts=0",
        "0:0 V0002 V36 has no elements, 1 or more are allowed",
    ),
    (
        ".decl V36 v_type=G type=vf num_elts=1",
        "0:0 V0003 V36 is of type vf, which only immediates have",
    ),
    (
        ".decl V36 v_type=G type=d num_elts=32 alias=<V32, 0>",
        "0:0 V0005 V36 goes to byte 128 of V32, which has 64",
    ),
    (
        "    add (M1, 16) P1 0x1:d 0x1:d",
        "18:5 V0009 operand 0 of `add` is a predicate, which cannot stand there",
    ),
    (
        "    gather4_scaled.0000 (M1, 16) T6 0x0:ud V32.0 V33.0",
        "18:5 V0011 a channel mask cannot be 0",
    ),
    (
        "    mov (M1, 4) V32(0,0)<8> 0x1:d",
        "18:5 V0012 operand 0 has an illegal region: the horizontal stride is 8, allowed are 1, 2 \
         and 4",
    ),
    (
        "    mov (M1, 4) V32(0,0)<1> V33(0,0)<0;0,1>",
        "18:5 V0012 operand 1 has an illegal region: the width is 0, allowed are 1, 2, 4, 8 and 16",
    ),
    (
        "    mov (M1, 16) V32(0,1)<1> 0x1:d",
        "18:5 V0014 operand 0 goes to byte 68 of V32, which has 64",
    ),
    (
        "    mov (M1, 2) A0(1)<2> 0x1:uw",
        "18:5 V0015 operand 0 goes to element 3 of A0, which has 2",
    ),
    (
        "    mov (M1, 4) V32(0,0)<1> 0x1:bool",
        "18:5 V0016 operand 1: bool is no type of an immediate, or 0x1 does not fit",
    ),
    (
        "a:\n    call (M1, 16) a",
        "19:5 V0018 label a is that of a block, which `call` does not go to",
    ),
    (
        "    mov (M3, 16) V32(0,0)<1> 0x1:d",
        "18:5 V0019 16 channels begin at channel 8, allowed are multiples of 16",
    ),
    (
        "    (P1) mov (M5, 16) V32(0,0)<1> 0x1:d",
        "18:5 V0020 channels 16 to 31 need 32 bits of P1, which has 16",
    ),
    (
        "    setp (M1, 16) P2 0x1:ud",
        "18:5 V0020 channels 0 to 15 need 16 bits of P2, which has 8",
    ),
    (
        ".decl P3 v_type=P num_elts=12",
        "0:0 V0021 P3 has 12 bits, allowed are 1, 2, 4, 8, 16 and 32",
    ),
    (
        ".input V33 offset=92 size=64",
        "0:0 V0022 the inputs V32 and V33 both have byte 92 of the payload, each byte is allowed \
         to be of one",
    ),
    (
        ".input V35 offset=96 size=64",
        "0:0 V0023 the input V35 has 64 bytes, its variable has 32",
    ),
    (
        "    mov (M1, 4) V32(0,0)<1> V33(0,0)<8;8,1>",
        "18:5 V0024 operand 1 has a region of width 8, 4 channels allow at most 4",
    ),
    (
        "    and (M1, 16) V32(0,0)<1> (-)V32(0,0)<1;1,0> 0x1:d",
        "18:5 V0025 operand 1 of `and` has the modifier (-), allowed is (~)",
    ),
    (
        "    add (M1, 16) V32(0,0)<1> (~)V32(0,0)<1;1,0> 0x1:d",
        "18:5 V0025 operand 1 of `add` has the modifier (~), allowed is (-), (abs) or (-abs)",
    ),
    (
        "    mov (M1, 1) %thread_x(0,0)<1> 0x1:uw",
        "18:5 V0026 operand 0 writes %thread_x, which can only be read",
    ),
    (
        "    fcall (M1, 16) g 33 1",
        "18:5 V0028 the argument is 33 GRFs, 32 are allowed",
    ),
    (
        "    ifcall (M1, 16) V34(0,0)<0;1,0> 1 13",
        "18:5 V0028 the return value is 13 GRFs, 12 are allowed",
    ),
    (
        "    fcall (M1, 1) g 1 1",
        "18:5 V0029 `fcall` of one channel looks at the execution mask, only NoMask (`M1_NM`) is \
         allowed",
    ),
    (
        "    ifcall (M1, 1) V34(0,0)<0;1,0> 1 1",
        "18:5 V0029 `ifcall` of one channel looks at the execution mask, only NoMask (`M1_NM`) is \
         allowed",
    ),
    (
        "    ifcall (M1, 16) V32(0,0)<0;1,0> 1 1",
        "18:5 V0030 the address of the call is of type d, a scalar of type ud or uq is allowed",
    ),
    (
        "    ifcall (M1, 8) V34(0,0)<1;1,0> 1 1",
        "18:5 V0030 the address of the call is no scalar, a scalar of type ud or uq is allowed",
    ),
    (
        "    faddr g V33(0,0)<1>",
        "18:5 V0031 the destination of the address is of type f, a scalar of type ud or uq is allowed",
    ),
    (
        "    faddr k V34(0,0)<1>",
        "18:5 V0032 `faddr` names the kernel k, only functions are allowed",
    ),
    (
        "    fcall (M1, 16) k 1 1",
        "18:5 V0032 `fcall` names the kernel k, only functions are allowed",
    ),
    (
        "    fret (M1, 16)",
        "18:5 V0034 `fret` stands in the kernel k, only functions have it",
    ),
    (
        "    jmp (M1, 16) main",
        "18:5 V0035 `jmp` has 16 channels, 1 is allowed",
    ),
    (
        ".function \"sub\"\nsub:\n    (P1) goto (M1, 16) main",
        "20:5 V0036 `goto` goes to main in another subroutine, only labels of its own are allowed",
    ),
    (
        "    raw_send (M1, 16) 0xc 0 1 0x1:ud V32.0 V33.0",
        "18:5 V0039 `raw_send` sends 0 GRFs (NumSrc), allowed are 1 to 15",
    ),
    (
        "    raw_send (M1, 16) 0xc 16 1 0x1:ud %null.0 V33.0",
        "18:5 V0039 `raw_send` sends 16 GRFs (NumSrc), allowed are 1 to 15",
    ),
    (
        "    raw_sends.10.0.1.1 (M1, 16) 0xc:ud 0x1:ud V32.0 V33.0 V33.0",
        "18:5 V0039 `raw_sends` sends 0 GRFs (NumSrc0), allowed are 1 to 31",
    ),
    (
        "    raw_send (M1, 16) 0xc 1 17 0x1:ud V32.0 %null.0",
        "18:5 V0040 `raw_send` gets 17 GRFs (NumDst), allowed are 0 to 16",
    ),
    (
        "    raw_send (M1, 16) 0xc 1 1 0x1:d V32.0 V33.0",
        "18:5 V0041 operand 4 of `raw_send` is a descriptor and is of type d, a scalar of type ud \
         is allowed",
    ),
    (
        "    raw_send (M1, 16) 0xc 1 1 V33(0,0)<0;1,0> V32.0 V33.0",
        "18:5 V0041 operand 4 of `raw_send` is a descriptor and is of type f, a scalar of type ud \
         is allowed",
    ),
    (
        "    raw_send (M1, 16) 0xc 3 1 0x1:ud V32.0 V33.0",
        "18:5 V0042 the message goes to byte 96 of V32 by operand 5, which has 64",
    ),
    (
        "    gather4_scaled.RG (M1, 16) T6 0x0:ud V32.0 V33.0",
        "18:5 V0042 the message goes to byte 128 of V33 by operand 5, which has 64",
    ),
    (
        "    svm_gather.4.1 (M1, 16) V34.0 V33.0",
        "18:5 V0042 the message goes to byte 128 of V34 by operand 2, which has 64",
    ),
    (
        "    shl (M1, 16) V32(0,0)<1> V33(0,0)<1;1,0> 0x1:d",
        "18:5 V0044 operand 1 of `shl` is of type f, allowed are integers",
    ),
    (
        "    sqrt (M1, 16) V33(0,0)<1> V32(0,0)<1;1,0>",
        "18:5 V0045 operand 1 of `sqrt` is of type d, allowed are f, df and hf",
    ),
];

#[test]
fn wrong_texts_are_found() {
    assert_eq!(found("", None), [""; 0]);
    let indirect = "    mov (M1, 4) V32(0,0)<1> r[A0(0),0]<2,0>:d";
    assert_eq!(found(indirect, None), [""; 0]);
    for (lines, expected) in TEXTS {
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(found(lines, None), expected, "{lines}");
    }
}

/// Texts that say more than one thing wrong, or are no kernel with a tail.
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
    assert_eq!(
        with("    faddr g V34(0,0)<1>\n    ifcall (M1, 16) V34(0,0)<0;1,0> 1 1"),
        [
            "19:5 V0033 no function whose address is taken has 1 GRFs of arguments and 1 of return \
          value"
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

#[test]
fn what_a_platform_lacks() {
    let add3 = "    add3 (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0> 0x1:d";
    assert_eq!(found(add3, Some(Platform::Dg2)), [""; 0]);
    assert_eq!(
        found(add3, Some(Platform::Skl)),
        ["18:5 V0043 `add3` does not exist on skl"]
    );
    let lrp = "    lrp (M1, 8) V33(0,0)<1> V33(0,0)<1;1,0> V33(0,0)<1;1,0> V33(0,0)<1;1,0>";
    assert_eq!(found(lrp, Some(Platform::Skl)), [""; 0]);
    assert_eq!(
        found(lrp, Some(Platform::Tgllp)),
        ["18:5 V0043 `lrp` does not exist on tgllp"]
    );
    // Registers of 64 bytes.
    let wide = "    mov (M1, 16) V35(0,0)<1> 0x0:d";
    assert_eq!(
        found(wide, Some(Platform::Dg2)),
        ["18:5 V0014 operand 0 goes to byte 64 of V35, which has 32"]
    );
    assert_eq!(found(wide, Some(Platform::Xe2)), [""; 0]);
}

/// What no text says: modules made by hand.
fn edited(edit: impl FnOnce(&mut Object)) -> Vec<String> {
    let mut module = parse(&format!("{HEAD}{TAIL}")).expect("a text");
    edit(&mut module.objects[0]);
    shown(&module, None)
}

/// The number of the `mov` of line 15.
const MOV: usize = 1;

#[test]
fn wrong_modules_are_found() {
    let var = |n| Var::from_u32(n);
    assert_eq!(
        edited(|o| o.insts[MOV].operands[0] = Operand::Raw {
            var: var(99),
            offset: 0
        }),
        ["15:5 V0009 operand 0 of `mov` is a raw operand, which cannot stand there"]
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
        combine: kiln_frontend::module::Combine::None,
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
            "15:5 V0013 operand 1 has a modifier that cannot stand there: destinations have \
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
    assert_eq!(edited(|o| o.insts[MOV].op = Opcode::Mov), [""; 0]);
}

/// Every rule has an input in this file that breaks it.
#[test]
fn all_rules_are_tested() {
    let source = include_str!("rules.rs");
    let tested: BTreeSet<&str> = RULES
        .iter()
        .map(|rule| rule.code)
        .filter(|code| source.contains(&format!("{code} ")))
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
