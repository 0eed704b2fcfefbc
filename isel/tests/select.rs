//! What selection gives: sound machine functions, and the instructions one would write by hand.

use std::collections::HashSet;
use std::path::Path;

use kiln_emit::inst::{Op, Src};
use kiln_emit::{platform, verify};
use kiln_frontend::module::Module;
use kiln_frontend::text;
use kiln_isel::lower::{SelectError, select};
use kiln_isel::mir::{Kind, MFunc, MInst, Role};

fn selected<T>(module: &Module, f: impl FnOnce(Result<&MFunc, SelectError>) -> T) -> T {
    let func = kiln_ir::build::build(&module.objects[0]).expect("a graph");
    let skl = platform::find("skl").expect("the platform of the tests");
    match select(&func, skl) {
        Ok(machine) => f(Ok(&machine)),
        Err(e) => f(Err(e)),
    }
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

/// Instructions of the kernel but for its end.
fn code(body: &str) -> Vec<MInst> {
    selected(&kernel(body), |machine| {
        let machine = machine.unwrap_or_else(|e| panic!("{e}"));
        let real = machine
            .blocks
            .iter()
            .flat_map(|b| &b.insts)
            .filter(|m| m.kind == Kind::Real);
        real.filter(|m| m.inst.msg.is_none()).cloned().collect()
    })
}

fn ops(body: &str) -> Vec<Op> {
    code(body).iter().map(|m| m.inst.op).collect()
}

/// Every register has one definition, in a block that comes before its uses or the same.
fn check(machine: &MFunc) {
    let skl = machine.platform;
    let mut defined = HashSet::new();
    for &(v, _) in &machine.entry {
        assert!(defined.insert(v), "{v} is defined twice");
    }
    for block in &machine.blocks {
        for &v in &block.params {
            assert!(defined.insert(v), "{v} is defined twice");
        }
        for m in &block.insts {
            m.operands(|v, role| {
                if matches!(role, Role::Def | Role::DefOver(_) | Role::Result(..)) {
                    assert!(defined.insert(v), "{v} is defined twice: {m}");
                }
            });
        }
    }
    for block in &machine.blocks {
        let mut here: HashSet<_> = HashSet::new();
        let own: HashSet<_> = {
            let mut own = HashSet::new();
            for m in &block.insts {
                m.operands(|v, role| {
                    if matches!(role, Role::Def | Role::DefOver(_) | Role::Result(..)) {
                        own.insert(v);
                    }
                });
            }
            own
        };
        for m in &block.insts {
            if m.kind == Kind::Real {
                verify::verify(&m.inst, skl).unwrap_or_else(|e| panic!("{m}: {e}"));
            }
            m.operands(|v, role| {
                let used = match role {
                    Role::Use | Role::LateUse | Role::Payload(..) => Some(v),
                    Role::DefOver(old) | Role::Result(_, Some(old)) => Some(old),
                    Role::Def | Role::Result(_, None) => None,
                };
                if let Some(v) = used {
                    assert!(defined.contains(&v), "{v} is never defined: {m}");
                    assert!(
                        !own.contains(&v) || here.contains(&v),
                        "{v} is defined later: {m}"
                    );
                }
            });
            m.operands(|v, role| {
                if matches!(role, Role::Def | Role::DefOver(_) | Role::Result(..)) {
                    here.insert(v);
                }
            });
        }
        for (to, args) in &block.succs {
            assert_eq!(args.len(), machine.blocks[*to as usize].params.len());
            assert!(args.iter().all(|v| defined.contains(v)));
        }
    }
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
        let source =
            std::fs::read_to_string(dir.join(name).with_extension("visaasm")).expect("vISA text");
        let module = text::parse(&source).expect("a module");
        selected(&module, |machine| {
            check(machine.unwrap_or_else(|e| panic!("{name:?}: {e}")))
        });
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
    // Immediates change places, where the operation lets them.
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
        assert_eq!(m.inst.pred.map(|p| p.inverse), Some(expected));
        assert!(matches!(m.inst.srcs[1], Src::Imm { bits: 7, .. }));
    }
}

#[test]
fn what_nobody_reads_is_not_computed() {
    let dead =
        "add (M1, 16) W(0,0)<1> V(0,0)<1;1,0> 0x1:d\nmul (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x3:d\n";
    assert_eq!(ops(dead), []);
    // Nor is the number of a surface that stands in the message.
    assert_eq!(ops("mov (M1, 16) D(0,0)<1> 0x1:d\n"), [Op::Mov]);
}

#[test]
fn wide_operations_are_cut_into_pieces() {
    let code = code("mov (M1, 16) Q(0,0)<1> V(0,0)<1;1,0>\nmov (M1, 16) D(0,0)<1> Q(0,0)<1;1,0>\n");
    let pieces: Vec<(u8, u8)> = code
        .iter()
        .map(|m| (m.inst.exec_size, m.inst.chan_off))
        .collect();
    // A quadword of eight channels fills a register unit; there are no wider pieces.
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
    assert!(code.iter().all(|m| m.inst.no_mask && m.inst.chan_off == 0));
}

#[test]
fn errors_name_the_instruction() {
    let body = "mov (M1, 16) D(0,0)<1> 0x1:d\nmod (M1, 16) F(0,0)<1> F(0,0)<1;1,0> F(0,0)<1;1,0>\n";
    selected(&kernel(body), |machine| {
        let error = machine.err().expect("no remainder of floats");
        assert_eq!((error.inst, error.op), (1, "mod"));
        assert!(
            error.to_string().starts_with("instruction 1 (mod): "),
            "{error}"
        );
    });
}
