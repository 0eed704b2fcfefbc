//! Text of version 4.2, expressions, scopes and several files.

use kiln_visa::binary::write;
use kiln_visa::module::{Module, Object, Operand, Type};
use kiln_visa::opcode::Opcode;
use kiln_visa::print::{inst_text, print};
use kiln_visa::text::{FilesError, ParseErrorKind, parse, parse_files};

const DECLS: &str = "\
.version 4.2
.kernel \"k\"
.decl V32 v_type=G type=d num_elts=32 align=wordx32
.decl V33 v_type=G type=uq num_elts=16 align=GRF
.decl V34 v_type=G type=ud num_elts=32
.decl P1 v_type=P num_elts=16
";

fn kernel(lines: &str) -> Result<Module, String> {
    parse(&format!("{DECLS}{lines}\n")).map_err(|e| e.to_string())
}

/// The printed instructions.
fn printed(lines: &str) -> Vec<String> {
    let module = kernel(lines).unwrap_or_else(|e| panic!("{lines}: {e}"));
    let object = &module.objects[0];
    let texts = object.insts.iter().map(|inst| inst_text(object, inst));
    texts.collect()
}

#[test]
fn units_of_raw_sends_have_names() {
    let with = |unit| {
        format!(
            "raw_sendg.{unit} (M1, 16) V32.0/(2*32) V33.0/32 %null.0/0 %null(0,0)<0;1,0> 0x0:uq 0x1"
        )
    };
    for (name, number) in [("ugm", "14"), ("0xF", "15"), ("gtwy", "3"), ("rta", "8")] {
        let [text] = printed(&with(name)).try_into().expect("one instruction");
        let expected = with(number).replace("(2*32)", "64");
        assert_eq!(text, expected);
    }
}

/// Instructions in the reference's spelling; printing gives the same, except for blanks.
const INSTRUCTIONS: &[&str] = &[
    "lsc_load.ugm.ca.cc (M1_NM, 1)  V32:d32x16t  flat[V33+0x8]:a64",
    "lsc_load.slm (M1, 32)  V32:d8c32  flat[V34-0x10]:a32",
    "lsc_load_strided.ugm (M1, 16)  V32:d32  flat[0x4*V33+0x10,V34(0,1)]:a64",
    "lsc_store_strided.slm (M1, 16)  flat[V34,0x20]:a32  V32:d32",
    "lsc_load_block2d.ugm.uc.uc (M1, 1)  V32:d8.2x32x8nt  \
     flat[V33,V34,V34(0,1),0x10,V34(0,2)+0x4,V34(0,3)-0x2]",
    "lsc_store_block2d.ugm (M1, 1)  flat[V33,V34,V34(0,1),0x10,V34(0,2),V34(0,3)]  V32:d8.32x8nn",
    "lsc_load_block2d.ugm (M1, 1)  V32:d16.16x16nt  flat[V34 + (0,0)]",
    "lsc_load_block2d.ugm (M1, 1)  V32:d32.8x16tn  flat[V34(1,0) + (16,-512)]",
    "lsc_load_block2d.ugm.ca.ca (M1_NM, 1)  %null:d16.2x16x8nn  flat[V34 + (511,1)]",
    "(P1) lsc_store_block2d.ugm.wb.wb (M1, 1)  flat[V34 + (-1,5)]  V32:d16.16x8nn",
    "lsc_load_quad.tgm (M1, 16)  V32:d32.xz  bss(V34(0,1),0x3)[V34+0x5,V34-0x2]:a32",
    "lsc_store_quad.tgm (M1, 32)  bss(V34)[V34,V34.64]:a32  V32:d32.xyzw",
    "lsc_store.ugm.wb.wb (M1, 16)  ss(V34)[V34+0x10]:a32  V32.64:d32",
    "(P1) lsc_atomic_iadd.tgm (M1, 16)  V32:d32  bti(0x4)[V34]:a32  V34  %null",
    "lsc_atomic_icas.slm (M1, 16)  V32:d32  flat[V34+0x10]:a32s  V34  V34.64",
    "lsc_read_state_info.tgm  V32  bti(0x4)[V34]",
    "lsc_load_block2d.tgm  V32:64x4  bti(0x10)[V34,V34(0,1)+0x1]",
    "lsc_store_block2d.tgm  ss(V34)[V34,V34(0,1)]  V32:64x4",
    "lsc_apndctr_atomic_add.ugm (M1, 16)  V32:d32  bti(0xa0)  V34:d32",
    "lsc_load.ugm (M1, 16)  V32:d64x2  surf(0x123456789a,0x3)[V33]:a64",
    "lsc_fence.ugm.evict.gpu",
    "lsc_fence.tgm.flushl3.sysacq",
    "dpas.bf.bf.8.8 (M1, 8) V32.0 %null.0 V33.0 V34(0,0)",
    "dpasw.s8.u4.8.4 (M1, 8) V32.0 V32.0 V33.0 V34(1,0)",
    "(P1) raw_sendg_eot.14 (M1, 16) V32.0/64 V33.0/128 %null.0/0 V33(0,0)<0;1,0> \
     V33(0,1)<0;1,0> 0x123456789a",
    "rt_read.<PS><SI> (M1, 16) %bss V34(0,0)<0;1,0> V32.0",
    "fccall (M1, 16) kernel_elsewhere",
    "rt_read (M1, 16) %bss V32.0",
    "nbarrier.wait V34(0,0)<0;1,0>",
    "nbarrier.signal 0x1:ub V34(0,0)<0;1,0>",
    "nbarrier.signal 0x1:ub 0x2:uw 0x3:ub 0x4:ub",
    "ifcall.uniform (M1, 16) V33(0,0)<0;1,0> 2 1",
    "ifcall.uniform.noreturn (M1, 16) V33(0,0)<0;1,0> 2 1",
    "vme_fbr (0x1:ub, 0x2:ub, V34(0,0)<0;1,0>) %slm V32.0 V33.0 V34.64",
    "bfn.xd8 (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0> V32(0,0)<1;1,0>",
    "add3 (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0> 0x1:d",
];

#[test]
fn instructions_are_printed_as_they_were() {
    for text in INSTRUCTIONS {
        assert_eq!(printed(text), [*text]);
    }
}

#[test]
fn objects_hold_what_newer_text_says() {
    // All except the flags of a call, which the format lacks.
    for text in INSTRUCTIONS.iter().filter(|t| !t.starts_with("ifcall")) {
        let mut module = kernel(text).expect(text);
        module.version = (4, 1);
        let bytes = write(&module).expect(text);
        let read = kiln_visa::binary::read(&bytes).expect(text);
        assert_eq!(read.objects, module.objects, "{text}");
    }
    let call = kernel("ifcall.uniform (M1, 16) V33(0,0)<0;1,0> 2 1").expect("a call");
    assert_eq!(
        write(&call).expect_err("flags").to_string(),
        "object 0, instruction 0: a number of newer text is 1, the format has room up to 0"
    );
}

/// The object format has nothing that tells the two forms of a block's address apart.
#[test]
fn objects_hold_each_offset_of_a_block_with_an_address_in_a_variable() {
    let offsets = [
        -512, -256, -9, -3, -1, 0, 1, 2, 3, 4, 5, 6, 8, 13, 256, 261, 511,
    ];
    for x in offsets {
        for y in offsets {
            for text in [
                format!("lsc_load_block2d.ugm (M1, 1)  V32:d16.16x8nn  flat[V34 + ({x},{y})]"),
                format!("lsc_load_block2d.ugm (M1, 1)  %null:d16.16x8nn  flat[V34 + ({x},{y})]"),
                format!("lsc_store_block2d.ugm (M1, 1)  flat[V34 + ({x},{y})]  V33:d16.16x8nn"),
            ] {
                assert_eq!(printed(&text), [text.as_str()]);
                // An instruction that has the parts of an address comes next.
                let next = "lsc_load_block2d.ugm (M1, 1) V32:d8.32x8nn flat[V33,0x5,0x5,0x5,5,0x5]";
                let mut module = kernel(&format!("{text}\n{next}")).expect(&text);
                module.version = (4, 1);
                let bytes = write(&module).expect(&text);
                let read = kiln_visa::binary::read(&bytes).expect(&text);
                assert_eq!(read.objects, module.objects, "{text}");
            }
        }
    }
}

#[test]
fn other_ways_to_say_the_same() {
    let cases = [
        (
            "lsc_load.ugm (M1, 16) V32:d32 [2*V33+4]:a64",
            "lsc_load.ugm (M1, 16)  V32:d32  flat[0x2*V33+0x4]:a64",
        ),
        (
            "lsc_store_strided.ugm (M1, 16) [V33,0x20]:a64 V32:d32",
            "lsc_store_strided.ugm (M1, 16)  flat[V33,0x20]:a64  V32:d32",
        ),
        (
            "fccall (M1, 16) \"kernel_elsewhere\"",
            "fccall (M1, 16) kernel_elsewhere",
        ),
        (
            "lsc_load_block2d.ugm (M1,1) V32:d16.16x8 flat[V34.0+(4*4,(1-2))]",
            "lsc_load_block2d.ugm (M1, 1)  V32:d16.16x8nn  flat[V34 + (16,-1)]",
        ),
        (
            "lsc_load.ugm.df.df (M1,16) V32.0:u32x1 flat[1*V33.0+4*(2+2)-16]:a64",
            "lsc_load.ugm (M1, 16)  V32:d32  flat[V33]:a64",
        ),
        (
            "lsc_load_block2d.ugm (M1,1) V32:u8.32x8 flat[V33,V34.1,2,0x10,V34,V34]",
            "lsc_load_block2d.ugm (M1, 1)  V32:d8.32x8nn  flat[V33,V34(0,1),0x2,0x10,V34,V34]",
        ),
        (
            "mov (M1, 16) V32(1+1,0)<1> (1 + 2*3):d",
            "mov (M1, 16) V32(2,0)<1> 0x7:d",
        ),
        (
            "mov (M1, 16) V32(0,%sizeof(V33)/64)<1<<1> -5:d",
            "mov (M1, 16) V32(0,2)<2> 0xfffffffb:d",
        ),
        (
            "mov (M1, 16) V32(0,%sizeof GRF >> 4)<1> ~5:d",
            "mov (M1, 16) V32(0,2)<1> 0xfffffffa:d",
        ),
        (
            "mov (M1, 16) V32((2 > 1 ? 3 : 4) & 7 | 8,0)<1> V32(0,0)<8;8,3-2>",
            "mov (M1, 16) V32(3,0)<1> V32(0,0)<8;8,1>",
        ),
        (
            "oword_ld (2) %slm 0x0:ud V32.(2*32)",
            "oword_ld (2) %slm 0x0:ud V32.64",
        ),
        (
            "add (M1, 16) V32(0,0)<1> /* one */ (-)V32(0,0)<1;1,0> 1:d // two",
            "add (M1, 16) V32(0,0)<1> (-)V32(0,0)<1;1,0> 0x1:d",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(printed(text), [expected]);
    }
    let floats = printed("mov (M1, 1) V32(0,0)<1> 1.5:f\nmov (M1, 1) V32(0,0)<1> 25e-1:df");
    assert_eq!(floats[0], "mov (M1, 1) V32(0,0)<1> 0x3fc00000:f");
    assert_eq!(floats[1], "mov (M1, 1) V32(0,0)<1> 0x4004000000000000:df");
    let sized = kernel(
        ".decl V35 v_type=G type=ud num_elts=%sizeof(V33)/4\n.input V35 offset=4*8 size=2<<2",
    );
    let sized = sized.expect("sizes");
    let object = &sized.objects[0];
    assert_eq!(object.vars.values().last().map(|v| v.elements), Some(32));
    assert_eq!((object.inputs[0].offset, object.inputs[0].size), (32, 8));
}

#[test]
fn wrong_numbers_and_shapes_are_named() {
    let cases = [
        (
            "lsc_load.foo (M1, 1) V32:d32 flat[V33]:a64",
            "7:9: unknown unit of an LSC instruction `foo`",
        ),
        (
            "lsc_fetch.ugm (M1, 1) V32:d32 flat[V33]:a64",
            "7:1: unknown instruction `lsc_fetch`",
        ),
        (
            "lsc_load.tgm (M1, 1) V32:d32 flat[V33]:a64",
            "7:9: unknown unit of this instruction `tgm`",
        ),
        (
            "lsc_load.ugm.ca (M1, 1) V32:d32 flat[V33]:a64",
            "7:16: unknown caching ``",
        ),
        (
            "lsc_load.ugm (M1, 1) V32:d32x5 flat[V33]:a64",
            "7:26: unknown shape of data `d32x5`",
        ),
        (
            "lsc_load.ugm (M1, 1) V32:d32 flat[V33]:a63",
            "7:40: unknown size of an address `a63`",
        ),
        (
            "lsc_load.ugm (M1, 1) V32:d32 heap[V33]:a64",
            "7:30: unknown type of an address `heap`",
        ),
        ("lsc_fence.ugm.evict", "7:20: unknown scope of a fence ``"),
        (
            "dpas.bf.bf.9.8 (M1, 8) V32.0 %null.0 V33.0 V34(0,0)",
            "7:11: unknown suffix `9`",
        ),
        (
            "dpas.bf.bf.8 (M1, 8) V32.0 %null.0 V33.0 V34(0,0)",
            "7:13: `dpas` needs a suffix that says its mode",
        ),
        (
            "nbarrier.wait 0x1:ub 0x2:ub",
            "7:28: found the end of the line, expected one operand: the barrier",
        ),
        (
            "mov (M1, 16) V32(1/0,0)<1> 0x1:d",
            "7:18: a row does not fit, expected a number of its width",
        ),
        (
            "mov (M1, 16) V32(0-1,0)<1> 0x1:d",
            "7:18: a row does not fit, expected a number of its width",
        ),
        (
            "mov (M1, 16) V32(%sizeof(P1),0)<1> 0x1:d",
            "7:26: unknown general variable `P1`",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(kernel(text).expect_err(text), message, "{text}");
    }
    let deep = format!("mov (M1, 1) V32({}1,0)<1> 0x1:d", "(".repeat(100_000));
    let error = kernel(&deep).expect_err("too deep");
    assert!(error.contains("the depth of the expression"), "{error}");
    let deep = format!("mov (M1, 1) V32({}1,0)<1> 0x1:d", "1 - ".repeat(100_000));
    assert!(kernel(&deep).is_err(), "not too deep, but too small");
}

#[test]
fn scopes_hide_and_forget_names() {
    let module = kernel(
        "{ .decl X v_type=G type=f num_elts=16\n\
         .decl V32 v_type=G type=f num_elts=16\n\
         {\n.decl X v_type=G type=d num_elts=8\n\
         mov (M1, 8) X(0,0)<1> 0x1:d }\n\
         mov (M1, 8) X(0,0)<1> V32(0,0)<1;1,0> }\n\
         mov (M1, 8) V32(0,0)<1> 0x1:d",
    )
    .expect("scopes");
    let object = &module.objects[0];
    let texts: Vec<String> = object.insts.iter().map(|i| inst_text(object, i)).collect();
    assert_eq!(
        texts,
        [
            "mov (M1, 8) X_1(0,0)<1> 0x1:d",
            "mov (M1, 8) X(0,0)<1> V32_1(0,0)<1;1,0>",
            "mov (M1, 8) V32(0,0)<1> 0x1:d"
        ]
    );
    let ty = |k: usize| {
        let Operand::General { var, .. } = object.insts[k].operands[0] else {
            panic!("a destination")
        };
        object.vars[var].ty
    };
    assert_eq!([ty(0), ty(1), ty(2)], [Type::D, Type::F, Type::D]);
    assert_eq!(parse(&print(&module)).expect("printed"), module);

    let after = "{ .decl X v_type=G type=f num_elts=16\n}\nmov (M1, 8) X(0,0)<1> 0x1:d";
    assert_eq!(
        kernel(after).expect_err("gone"),
        "9:13: unknown variable `X`"
    );
    let twice = "{ .decl X v_type=G type=f num_elts=16\n.decl X v_type=G type=f num_elts=16\n}";
    assert_eq!(
        kernel(twice).expect_err("twice"),
        "8:7: `X` is declared twice"
    );
    assert_eq!(
        kernel("{").expect_err("open"),
        "7:1: the scope is not closed"
    );
    assert_eq!(kernel("}").expect_err("none"), "7:1: no scope is open");
}

const FUNCTION: &str = "\
.version 4.2
.global_function \"f\"
.kernel_attr ArgSize=1
    fret (M1, 16)
";

#[test]
fn several_files_are_one_module() {
    let caller = format!("{DECLS}.funcdecl \"f\"\n    fcall (M1, 16) f 1 0\n    ret (M1, 1)\n");
    let both = format!("{caller}{FUNCTION}");
    let module = parse_files(&[&caller, FUNCTION]).expect("two files");
    assert_eq!(module, parse(&both).expect("one file"));
    assert_eq!(module.kernels().count(), 1);
    let is_function = |o: &&Object| o.insts[0].op == Opcode::FRet;
    assert!(module.object("f").as_ref().is_some_and(is_function));
    assert!(print(&module).contains(".kernel \"k\"\n.funcdecl \"f\"\n"));
    assert_eq!(parse(&print(&module)).expect("printed"), module);
    // The whole together with a part of it.
    assert_eq!(parse_files(&[&both, FUNCTION]).expect("again"), module);

    let other = FUNCTION.replace("ArgSize=1", "ArgSize=2");
    assert_eq!(
        parse_files(&[&both, &other])
            .expect_err("another f")
            .to_string(),
        "function `f` is defined differently in an earlier file"
    );
    let error = parse_files(&[FUNCTION, ".kernel"]).expect_err("a wrong file");
    let FilesError::Parse { file: 1, error } = error else {
        panic!("{error}")
    };
    assert!(matches!(error.kind, ParseErrorKind::Expected { .. }));
}

/// Declarations in the spellings that authors of inline assembly use, and the same as front ends write them.
#[test]
fn declarations_may_give_alignments_and_types_in_other_spellings() {
    let same = [
        (
            "type=UW num_elts=32 align=64 alias=<V32,0>",
            "type=uw num_elts=32 align=wordx32 alias=<V32, 0>",
        ),
        (
            "type=UD num_elts=8 align=32 attrs={Output}",
            "type=ud num_elts=8 align=hword attrs={Output}",
        ),
        (
            "type=HF num_elts=4*8 align=(2*16) alias=<V32, 4>",
            "type=hf num_elts=32 align=hword alias=<V32, 4>",
        ),
        (
            "type=d num_elts=8 align=2GRF alias=<V32, 0>",
            "type=d num_elts=8 align=GRFx2 alias=<V32, 0>",
        ),
        (
            "type=d num_elts=8 align=32word attrs={Output}",
            "type=d num_elts=8 align=wordx32 attrs={Output}",
        ),
        (
            "type=d num_elts=8 align=128 alias=<V32, 0>",
            "type=d num_elts=8 align=wordx64 alias=<V32, 0>",
        ),
    ];
    let read = |decl: &str| kernel(&format!(".decl X v_type=G {decl}")).expect(decl);
    for (one, other) in same {
        assert_eq!(
            read(one).objects[0].vars,
            read(other).objects[0].vars,
            "{one}"
        );
    }
    for wrong in [
        "align=48 alias=<V32, 0>",
        "align=0",
        "align=48word",
        "align=256",
    ] {
        let text = format!(".decl X v_type=G type=d num_elts=8 {wrong}");
        assert!(kernel(&text).is_err(), "{wrong}");
    }
}
