//! Selection and legalization: verified machine functions, and the instructions that one would write by hand.

use std::path::Path;

use kiln_isel::select::{Calls, Room, SelectError, select, select_in};
use kiln_isel::{legalize, opt};
use kiln_machine::func::Function;
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Desc, Inst, Opcode, Src};
use kiln_machine::verify::{Level, verify};
use kiln_platform::isa::Op;
use kiln_platform::platform;
use kiln_visa::module::Module;
use kiln_visa::text;

/// Selects, removes dead code and legalizes; verifies before and after.
fn lowered(module: &Module) -> Result<Function, Vec<SelectError>> {
    lowered_for(module, false)
}

/// Selects for threads that may, or may not, be interrupted in the middle of the code.
fn lowered_for(module: &Module, interruptible: bool) -> Result<Function, Vec<SelectError>> {
    let func = kiln_ir::build::build(&module.objects[0], &platform::SKL).expect("a graph");
    let room = Room {
        grfs: platform::SKL.grf_count,
        scratch_base: 0,
        in_memory: false,
        interruptible,
    };
    let mut machine = select_in(&func, &platform::SKL, &Calls::BY_NAME, room)?.swap_remove(0);
    verify(&machine, Level::Wide, None).unwrap_or_else(|e| panic!("{e}"));
    dead(&mut machine);
    legalize::run(&mut machine).unwrap_or_else(|e| panic!("{e:?}"));
    dead(&mut machine);
    verify(&machine, Level::Legal, None).unwrap_or_else(|e| panic!("{e}"));
    Ok(machine)
}

fn dead(machine: &mut Function) {
    opt::dead::run(machine, &Graph::new(machine));
}

/// A SIMD16 kernel that stores D at offsets O.
fn kernel(body: &str) -> Module {
    let mut source = String::from(".version 4.1\n.kernel \"k\"\n");
    for (var, ty, count) in [
        ("V", "d", 16),
        ("W", "d", 16),
        ("D", "d", 16),
        ("O", "ud", 16),
        ("F", "f", 16),
        ("Q", "q", 16),
        ("B", "ub", 64),
    ] {
        source += &format!(".decl {var} v_type=G type={ty} num_elts={count} align=hword\n");
    }
    source += ".decl P1 v_type=P num_elts=16\n.decl T6 v_type=T num_elts=1 v_name=T006\n.kernel_attr SimdSize=16\n";
    source += body;
    source +=
        "movs (M1_NM, 1) T6(0) 0x0:ud\nscatter4_scaled.R (M1, 16) T6 0x0:ud O.0 D.0\nret (M1, 1)\n";
    text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// The kernel's instructions other than messages.
fn code(body: &str) -> Vec<Inst> {
    let machine = lowered(&kernel(body)).unwrap_or_else(|e| panic!("{e:?}"));
    let all = machine.blocks.values().flat_map(|b| &b.insts);
    let own = all.filter(|i| i.message.is_none() && i.op != Opcode::Undef);
    own.copied().collect()
}

fn ops(body: &str) -> Vec<Op> {
    code(body).iter().filter_map(Inst::gen_op).collect()
}

#[test]
fn every_example_gives_a_sound_machine_function() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut count = 0;
    for dir in std::fs::read_dir(all)
        .expect("the examples")
        .map(|e| e.expect("an entry").path())
    {
        let Some(name) = dir.file_name().filter(|_| dir.is_dir()) else {
            continue;
        };
        // Examples in LLVM IR have no vISA.
        let Ok(source) = std::fs::read_to_string(dir.join(name).with_extension("visaasm")) else {
            continue;
        };
        let module = text::parse(&source).expect("a module");
        lowered(&module).unwrap_or_else(|e| panic!("{name:?}: {e:?}"));
        count += 1;
    }
    assert!(count >= 14, "only {count} examples found");
}

#[test]
fn legal_operations_are_one_instruction() {
    assert_eq!(
        ops("add (M1, 16) D(0,0)<1> V(0,0)<1;1,0> W(0,0)<1;1,0>\n"),
        [Op::Add]
    );
    // Immediates are exchanged with the other source if the operation allows that.
    assert_eq!(
        ops("add (M1, 16) D(0,0)<1> 0x5:d W(0,0)<1;1,0>\n"),
        [Op::Add]
    );
    assert_eq!(
        ops("shl (M1, 16) D(0,0)<1> 0x5:d W(0,0)<1;1,0>\n"),
        [Op::Mov, Op::Shl]
    );
}

#[test]
fn an_immediate_first_in_sel_inverts_its_predicate() {
    let body = |inverse, sources| format!("({inverse}P1) sel (M1, 16) D(0,0)<1> {sources}\n");
    for (inverse, expected) in [("", true), ("!", false)] {
        let code = code(&body(inverse, "0x7:d V(0,0)<1;1,0>"));
        let [m] = &code[..] else {
            panic!("one instruction")
        };
        assert_eq!(m.pred.map(|p| p.inverse), Some(expected));
        assert!(matches!(m.srcs[1], Src::Imm(imm) if imm.bits() == 7));
    }
}

/// The fields of r0 that the reference finalizer reads, on Skylake and since Ice Lake.
#[test]
fn the_place_of_a_thread_is_a_field_of_its_header() {
    let read = |name: &str, platform| {
        let body = format!("mov (M1_NM, 1) D(0,0)<1> %{name}(0,0)<0;1,0>\n");
        let module = kernel(&body);
        let func = kiln_ir::build::build(&module.objects[0], platform).expect("a graph");
        let machine = select(&func, platform, &Calls::BY_NAME).unwrap_or_else(|e| panic!("{e:?}"));
        let all = machine.blocks.values().flat_map(|b| &b.insts);
        let own = all.filter(|i| i.message.is_none() && i.gen_op().is_some());
        own.map(|inst| match &inst.srcs[..] {
            [Src::Reg(r), Src::Imm(imm)] => (inst.gen_op(), r.reg.byte(), imm.bits()),
            [Src::Reg(r)] => (inst.gen_op(), r.reg.byte(), 0),
            _ => panic!("other sources"),
        })
        .take_while(|&(op, ..)| op != Some(Op::Mov))
        .collect::<Vec<_>>()
    };
    let (and, shr) = (Some(Op::And), Some(Op::Shr));
    let icllp = platform::find("icllp").expect("a platform");
    let (skl, icllp) = (&platform::SKL, icllp);
    assert_eq!(read("hw_id", skl), [(and, 20, 0x1ff)]);
    assert_eq!(read("thread_x", skl), [(and, 4, 0x7ff)]);
    assert_eq!(read("thread_y", skl), [(shr, 4, 16), (and, 0, 0x7ff)]);
    assert_eq!(read("color", skl), [(and, 8, 15)]);
    assert_eq!(read("thread_x", icllp), [(and, 4, 0xfff)]);
    assert_eq!(read("thread_y", icllp), [(shr, 4, 12), (and, 0, 0xfff)]);
    assert_eq!(read("color", icllp), [(shr, 4, 24)]);
}

#[test]
fn what_nobody_reads_is_not_computed() {
    let dead =
        "add (M1, 16) W(0,0)<1> V(0,0)<1;1,0> 0x1:d\nmul (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x3:d\n";
    assert_eq!(ops(dead), []);
    // A surface's index in the message needs no instruction either.
    assert_eq!(ops("mov (M1, 16) D(0,0)<1> 0x1:d\n"), [Op::Mov]);
}

#[test]
fn wide_operations_are_cut_into_pieces() {
    let code = code("mov (M1, 16) Q(0,0)<1> V(0,0)<1;1,0>\nmov (M1, 16) D(0,0)<1> Q(0,0)<1;1,0>\n");
    let pieces: Vec<(u8, u8)> = code.iter().map(|m| (m.exec_size, m.chan_off)).collect();
    // Eight quadwords fill a unit; there are no wider pieces.
    assert_eq!(pieces[..2], [(8, 0), (8, 8)]);
    assert!(pieces.iter().all(|p| p.0 == 8), "{pieces:?}");
}

#[test]
fn an_unmasked_operation_names_no_channels() {
    let code = code(
        "mov (M5_NM, 8) D(0,0)<1> V(0,0)<1;1,0>\n"
            .replace("M5", "M3")
            .as_str(),
    );
    assert!(code.iter().all(|m| m.opts.no_mask && m.chan_off == 0));
}

#[test]
fn errors_name_the_instruction() {
    let body = "mov (M1, 16) D(0,0)<1> 0x1:d\nmod (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n";
    let errors = lowered(&kernel(body)).expect_err("no remainder of floats");
    let [error] = &errors[..] else {
        panic!("{errors:?}");
    };
    assert_eq!((error.inst, error.op), (1, "mod"));
    let text = error.to_string();
    assert!(text.starts_with("instruction 1 (mod): "), "{text}");
}

#[test]
fn all_that_is_not_supported_is_named() {
    let body = "mod (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n".repeat(3);
    let errors = lowered(&kernel(&body)).expect_err("no remainder of floats");
    assert_eq!(errors.iter().map(|e| e.inst).collect::<Vec<_>>(), [0, 1, 2]);
}

/// For each instruction, in the reference finalizer's code: the number of messages, the shared function, the registers
/// sent, and the descriptor without their number. The reference may split a payload where we do not, and the reverse.
#[test]
fn messages_ask_what_those_of_the_reference_ask() {
    let table: &[(&str, usize, (u8, u32, u32))] = &[
        (
            "sample_3d.RGBA (M1, 16) 0x0:uw S1 T6 F.0 F.256 F.320",
            1,
            (2, 5, 0x8c0203),
        ),
        (
            "sample_3d.RG (M1, 8) 0x0:uw S1 T6 F.0 F.256 F.320",
            1,
            (2, 3, 0x2a0203),
        ),
        (
            "sample_3d.RGB (M1, 8) 0x0:uw S1 T6 H.0 F.256 F.320",
            1,
            (2, 3, 0x403a0203),
        ),
        (
            "sample_lz.RGBA (M1, 16) 0x0:uw S1 T6 F.0 H.256 H.320",
            1,
            (2, 3, 0x208d8203),
        ),
        (
            "sample_l.G (M1, 16) 0x120:uw S1 T6 F.0 F.256 F.320 F.512",
            1,
            (2, 7, 0x2c2203),
        ),
        (
            "sample_b_c.R (M1, 8) 0x0:uw S1 T6 F.0 F.256 F.320 F.512 F.640",
            1,
            (2, 5, 0x1a5203),
        ),
        (
            "sample_d.RGBA (M1, 16) 0x0:uw S1 T6 F.0 F.256 F.320 F.384 F.448 F.512 F.576",
            2,
            (2, 7, 0x4a4203),
        ),
        (
            "sample_c_lz.R (M5, 16) 0x0:uw S1 T6 F.0 F.256 F.320 F.512",
            1,
            (2, 7, 0x2d9203),
        ),
        (
            "sample_3d.pixel_null_mask.RG (M1, 16) 0x0:uw S1 T6 F.0 F.256 F.320",
            1,
            (2, 5, 0x5c0203),
        ),
        (
            "load_3d.RGBA (M1, 8) 0x0:uw T6 F.0 D.0 D.64 D.128",
            1,
            (2, 4, 0x4a7003),
        ),
        (
            "load_lz.RA (M1, 16) 0x0:uw T6 F.0 D.0 D.64",
            1,
            (2, 5, 0x4da003),
        ),
        (
            "load_mcs.RGBA (M1, 8) 0x0:uw T6 F.0 D.0 D.64",
            1,
            (2, 3, 0x4bd003),
        ),
        (
            "sample4.B (M1, 16) 0x0:uw S1 T6 F.0 F.256 F.320",
            1,
            (2, 5, 0x8c8203),
        ),
        (
            "sample4_c.R (M1, 8) 0x0:uw S1 T6 F.0 F.256 F.320 F.512",
            1,
            (2, 4, 0x4b0203),
        ),
        (
            "sample4_po.R (M1, 8) 0x0:uw S1 T6 F.0 F.256 F.320 D.0 D.64",
            1,
            (2, 5, 0x4b1203),
        ),
        ("resinfo.RG (M1, 8) T6 D.0 D.64", 1, (2, 2, 0x2aa003)),
        ("resinfo.RGBA (M1, 16) T6 D.0 D.64", 1, (2, 2, 0x84a003)),
        ("sampleinfo.R (M1, 8) T6 D.64", 1, (2, 1, 0x1ab003)),
        (
            "gather4_typed.RGBA (M1, 8) T6 D.0 D.32 %null.0 %null.0 F.0",
            1,
            (12, 2, 0x415003),
        ),
        (
            "gather4_typed.G (M3, 8) T6 D.0 %null.0 %null.0 D.64 F.0",
            1,
            (12, 4, 0x115d03),
        ),
        (
            "scatter4_typed.RB (M1, 8) T6 D.0 D.64 D.128 %null.0 F.0",
            1,
            (12, 5, 0x35a03),
        ),
        (
            "typed_atomic.add (M1, 8) T6 D.0 D.32 %null.0 %null.0 D.128 %null.0 D.256",
            1,
            (12, 3, 0x11a703),
        ),
        (
            "typed_atomic.cmpxchg (M1, 8) T6 D.0 %null.0 %null.0 %null.0 D.128 D.192 %null.0",
            1,
            (12, 3, 0x18e03),
        ),
        (
            "media_ld.nomod (32,4) T6 0 0x4:ud 0x8:ud B.0",
            1,
            (12, 1, 0x490003),
        ),
        (
            "media_ld.top (12,4) T6 1 0x4:ud 0x8:ud B.0",
            1,
            (12, 1, 0x290604),
        ),
        (
            "media_st.bottom (16,8) T6 0 0x4:ud 0x8:ud B.0",
            1,
            (12, 5, 0xa8703),
        ),
        (
            "sample.RGB (16) S1 T6 F.0 F.64 F.128 F.256",
            1,
            (2, 9, 0x6c0203),
        ),
        ("load.RGBA (16) T6 D.0 D.0 D.0 F.256", 1, (2, 9, 0x8c7003)),
        (
            "sample_unorm.RB.16-full S1 T6 0x0:f 0x0:f 0x3f800000:f 0x0:f E.0",
            1,
            (2, 2, 0x4ec203),
        ),
        (
            "vme_ime (0,0) T6 B.0 B.128 E.0 E.32 E.64 B.256",
            1,
            (8, 6, 0x784003),
        ),
        (
            "vme_ime (1,1) T6 B.0 B.128 E.0 E.32 E.64 B.256",
            1,
            (8, 6, 0x98c003),
        ),
        (
            "vme_ime (3,1) T6 B.0 B.128 E.0 E.32 E.64 B.256",
            1,
            (8, 8, 0x99c003),
        ),
        ("vme_sic T6 B.0 B.256 B.128", 1, (13, 8, 0x782003)),
        ("sampler_cache_flush", 1, (2, 1, 0x1ff000)),
    ];
    // Messages without a header if the thread is not interrupted.
    let without: &[(&str, (u8, u32, u32))] = &[
        (
            "sample_3d.RGBA (M1, 16) 0x0:uw S1 T6 F.0 F.256 F.320",
            (2, 4, 0x840203),
        ),
        (
            "sample_3d.RGB (M1, 8) 0x0:uw S1 T6 H.0 F.256 F.320",
            (2, 2, 0x40320203),
        ),
        (
            "sample_l.G (M1, 16) 0x120:uw S1 T6 F.0 F.256 F.320 F.512",
            (2, 7, 0x2c2203),
        ),
        (
            "sample_b_c.R (M1, 8) 0x0:uw S1 T6 F.0 F.256 F.320 F.512 F.640",
            (2, 4, 0x125203),
        ),
        (
            "load_3d.RGBA (M1, 8) 0x0:uw T6 F.0 D.0 D.64 D.128",
            (2, 3, 0x427003),
        ),
        (
            "sample4.B (M1, 16) 0x0:uw S1 T6 F.0 F.256 F.320",
            (2, 5, 0x8c8203),
        ),
        ("resinfo.RGBA (M1, 16) T6 D.0 D.64", (2, 2, 0x84a003)),
    ];
    let with = table
        .iter()
        .map(|&(line, count, asked)| (line, count, asked, true));
    let without = without.iter().map(|&(line, asked)| (line, 1, asked, false));
    for (line, count, expected, interruptible) in with.chain(without) {
        let source = format!(
            ".version 4.1\n.kernel \"k\"\n\
             .decl F v_type=G type=f num_elts=512 align=hword\n\
             .decl H v_type=G type=hf num_elts=512 align=hword\n\
             .decl D v_type=G type=ud num_elts=512 align=hword\n\
             .decl B v_type=G type=ub num_elts=1024 align=hword\n\
             .decl E v_type=G type=uw num_elts=256 align=hword\n\
             .decl S1 v_type=S num_elts=1\n.decl T6 v_type=T num_elts=1 v_name=T006\n\
             .kernel_attr SimdSize=32\n\
             movs (M1_NM, 1) T6(0) 0x3:ud\nmovs (M1_NM, 1) S1(0) 0x2:ud\n{line}\nret (M1, 1)\n"
        );
        let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}: {line}"));
        let machine = lowered_for(&module, interruptible);
        let machine = machine.unwrap_or_else(|e| panic!("{e:?}: {line}"));
        let mut found = Vec::new();
        for id in machine.blocks.values().flat_map(|b| &b.insts) {
            let Some(message) = id.message.expand().map(|m| machine.messages[m]) else {
                continue;
            };
            let (Desc::Imm(desc), Desc::Imm(ex_desc)) = (message.desc, message.ex_desc) else {
                panic!("a descriptor in a register: {line}");
            };
            let sent = (desc >> 25 & 15) + (ex_desc >> 6 & 15);
            found.push((message.sfid, sent, desc & !(15 << 25)));
        }
        assert_eq!(found, vec![expected; count], "{line}");
    }
}

/// Pixels and the URB belong to threads of the 3D pipeline.
#[test]
fn what_the_platform_lacks_is_a_diagnostic() {
    for line in [
        "sample_3d.cps.RGBA (M1, 8) 0x0:uw S1 T6 D.0 F.0 F.0",
        "sample_mlod.RGBA (M1, 8) 0x0:uw S1 T6 D.0 F.0 F.0 F.0",
        "sample4_l.R (M1, 8) 0x0:uw S1 T6 D.0 F.0 F.0 F.0",
        "gather4_typed.R (M1, 16) T6 O.0 O.0 %null.0 %null.0 D.0",
        "dword_atomic.add.16 (M1, 8) T6 O.0 D.0 %null.0 %null.0",
    ] {
        let module = kernel(&format!(".decl S1 v_type=S num_elts=1\n{line}\n"));
        let errors = lowered(&module).expect_err(line);
        assert_eq!(errors.len(), 1, "{line}: {errors:?}");
        assert_eq!(errors[0].inst, 0, "{line}");
    }
}

/// The reference finalizer overwrites both in the prologue of a function for this platform.
#[test]
fn pointers_of_implicit_arguments_have_no_place_beside_addresses() {
    for pointer in ["%impl_arg_buf_ptr", "%local_id_buf_ptr"] {
        let module = kernel(&format!("mov (M1_NM, 1) D(0,0)<2> {pointer}(0,0)<0;1,0>\n"));
        let refused = |platform| {
            let func = kiln_ir::build::build(&module.objects[0], platform).expect("a graph");
            let errors = select(&func, platform, &Calls::BY_NAME).err()?;
            Some(errors[0].to_string())
        };
        assert_eq!(refused(&platform::SKL), None);
        let said = refused(platform::find("bmg").expect("a row")).expect("no place");
        assert!(
            said.starts_with(&format!("instruction 0 (mov): the operand {pointer}")),
            "{said}"
        );
    }
}

#[test]
fn more_parameters_than_a_subroutine_may_have_are_refused() {
    let selected = |vars: u32| {
        let mut source = String::from(".version 4.1\n.kernel \"k\"\n");
        for v in 0..=vars {
            source += &format!(".decl V{v} v_type=G type=d num_elts=16 align=hword\n");
        }
        source += ".decl T6 v_type=T num_elts=1 v_name=T006\n.kernel_attr SimdSize=16\n";
        for v in 0..vars {
            source += &format!("mov (M1, 16) V{v}(0,0)<1> 0x{v:x}:d\n");
        }
        source += "call (M1, 16) s0\ncall (M1, 16) s0\n";
        source += &format!("scatter4_scaled.R (M1, 16) T6 0x0:ud V0.0 V{vars}.0\nret (M1, 1)\n");
        source += ".function \"s0\"\ns0:\n";
        source += &format!("mov (M1, 16) V{vars}(0,0)<1> V0(0,0)<1;1,0>\n");
        for v in 1..vars {
            source +=
                &format!("add (M1, 16) V{vars}(0,0)<1> V{vars}(0,0)<1;1,0> V{v}(0,0)<1;1,0>\n");
        }
        source += "ret (M1, 16)\n";
        lowered(&text::parse(&source).expect("a module"))
    };
    selected(250).expect("as many as can be passed");
    let errors = selected(300).expect_err("more than can be passed");
    assert!(errors[0].what.contains("255"), "{errors:?}");
}
