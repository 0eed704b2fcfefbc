//! `kiln verify` accepts the reference compiler's code and reports patched errors.

use std::path::{Path, PathBuf};
use std::process::Command;

use kiln_emit::encoding::encode;
use kiln_emit::inst::{
    Desc, Dst, Inst, MathFn, Message, Op, Pred, PredCtrl, Reg, RegFile, Region, Src, TokenUse, Type,
};
use kiln_emit::listing::entries;
use kiln_emit::platform::{self, Family, PLATFORMS, Platform};
use kiln_emit::zebin::Zebin;

use crate::program::Folder;

fn example(device: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/saxpy");
    root.join(device).join("saxpy.zebin")
}

/// Exit code and standard output.
fn verify(args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let output = command.arg("verify").args(args).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn nothing_is_wrong_with_the_reference_compilers_code() {
    let files = ["", "tgllp", "dg2", "pvc", "bmg"].map(example);
    let files = files.each_ref().map(|file| file.to_str().unwrap());
    let (code, text) = verify(&files);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.ends_with(" 0 findings\n"), "{text}");
    // The offline compiler leaves a fence out where it is asked for no revision (docs/reference-faults.md).
    let (code, text) = verify(&[example("icllp").to_str().unwrap()]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("Wa_1807084924") && text.ends_with(" 1 findings\n"),
        "{text}"
    );
}

#[test]
fn a_dependency_that_nothing_covers_is_shown_with_both_instructions() {
    let tgllp = platform::find("tgllp").unwrap();
    let zebin = Zebin::parse(&std::fs::read(example("tgllp")).unwrap()).unwrap();
    let insts = entries(&zebin.kernels[0].text, tgllp);
    let mut insts: Vec<Inst> = insts.map(|entry| entry.inst.unwrap()).collect();
    let waits = |inst: &&mut Inst| matches!(inst.swsb.token, Some((TokenUse::Dst, _)));
    let waiting = insts.iter_mut().find(waits).expect("one waits");
    let Some((_, token)) = waiting.swsb.token.take() else {
        unreachable!("it waits");
    };
    let code: Vec<u8> = insts
        .iter()
        .flat_map(|inst| encode(inst, tgllp).unwrap().as_bytes().to_vec())
        .collect();
    let name = format!("kiln-verify-{}.bin", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, &code).unwrap();
    let path = file.to_str().unwrap();
    let (exit, text) = verify(&["-p", "tgllp", path]);
    let missing = format!("reads what it writes; {{${token}.dst}} is missing");
    assert_eq!(exit, Some(1), "{text}");
    assert!(text.contains(&missing), "{text}");
    assert!(text.contains("does not wait for 0x"), "{text}");

    // Bytes that are no instruction, and a broken rule.
    let mut broken = code.clone();
    broken[..16].fill(0xff);
    std::fs::write(&file, &broken).unwrap();
    let (exit, text) = verify(&["-p", "tgllp", path]);
    assert_eq!(exit, Some(1), "{text}");
    assert!(text.contains(": 0x0: no instruction: "), "{text}");
    std::fs::remove_file(&file).unwrap();
}

/// An object that lets threads be interrupted does not overwrite the thread's header.
#[test]
fn a_header_that_an_interruption_restores_is_kept() {
    let skl = platform::find("skl").unwrap();
    let object = std::fs::read(example("")).unwrap();
    let text = &Zebin::parse(&object).unwrap().kernels[0].text;
    let start = object.windows(text.len()).position(|part| part == text);
    let first = entries(text, skl)
        .find(|entry| entry.len == 16 && entry.inst.as_ref().is_ok_and(|inst| inst.op == Op::Add));
    let mut object = object.clone();
    let mut write = binary(Op::Add, Type::D);
    write.no_mask = true;
    let file = std::env::temp_dir().join(format!("kiln-header-{}.zebin", std::process::id()));
    let mut found = |register: u32| {
        write.dst = Some(Dst::new(Reg::grf(register), 1, Type::D));
        let at = start.unwrap() + first.as_ref().unwrap().offset as usize;
        object[at..at + 16].copy_from_slice(encode(&write, skl).unwrap().as_bytes());
        std::fs::write(&file, &object).unwrap();
        verify(&[file.to_str().unwrap()]).1
    };
    let message = "overwrites the thread's header, and may be interrupted (enablePreemption)";
    assert!(!found(60).contains(message), "{}", found(60));
    assert!(found(1).contains(message), "{}", found(1));
    std::fs::remove_file(&file).unwrap();
}

/// Code that is compiled as if the platform had not an erratum breaks its rule, and none if that is left out, too.
#[test]
fn an_erratum_that_is_left_out_is_found() {
    const ERRATUM: &str = "WaClearArfDependenciesBeforeEot";
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/nbody/nbody.visaasm");
    let file = std::env::temp_dir().join(format!("kiln-erratum-{}.bin", std::process::id()));
    let path = file.to_str().unwrap();
    let compile = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
        command.args(["compile", "-q", "-p", "skl", "--emit", "bin", "-o", path]);
        command.args(options).arg(&source).output().unwrap()
    };
    let without = ["--without-erratum", ERRATUM];
    assert!(compile(&[]).status.success());
    assert_eq!(verify(&["-p", "skl", path]).0, Some(0));
    assert!(compile(&without).status.success());
    let (exit, text) = verify(&["-p", "skl", path]);
    assert!(exit == Some(1) && text.contains(ERRATUM), "{text}");
    let (exit, text) = verify(&["-p", "skl", without[0], without[1], path]);
    assert_eq!(exit, Some(0), "{text}");
    let unknown = compile(&[without[0], "WaClearArfDependencies"]);
    let message = String::from_utf8(unknown.stderr).unwrap();
    assert!(
        !unknown.status.success() && message.contains(ERRATUM),
        "{message}"
    );
    std::fs::remove_file(&file).unwrap();
}

/// Exit code and output of the verb for code in a file.
fn verify_code(code: &[u8], platform: &str) -> (Option<i32>, String) {
    let name = format!("kiln-planted-{}-{platform}.bin", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, code).unwrap();
    let found = verify(&["-p", platform, file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    found
}

fn binary(op: Op, ty: Type) -> Inst {
    let mut inst = Inst::new(op, 8);
    inst.dst = Some(Dst::new(Reg::grf(2), 1, ty));
    for num in [4, 6] {
        inst.srcs
            .push(Src::reg(Reg::grf(num), Region::new(1, 1, 0), ty));
    }
    inst
}

#[test]
fn what_the_platform_lacks_is_refused() {
    let with_pred = |ctrl| {
        let mut inst = binary(Op::Add, Type::D);
        let flag = Reg::new(RegFile::Flag, 0, 0);
        inst.pred = Some(Pred {
            flag,
            inverse: false,
            ctrl,
        });
        inst
    };
    let mut message = Inst::new(Op::Send, 16);
    message.dst = Some(Dst::new(Reg::grf(10), 1, Type::Ud));
    for reg in [Reg::grf(20), Reg::NULL] {
        message.srcs.push(Src::reg(reg, Region::SCALAR, Type::Ud));
    }
    message.msg = Some(Message {
        sfid: 12,
        eot: false,
        desc: Desc::Imm(1 << 25 | 1 << 20),
        ex_desc: Desc::Imm(0),
    });
    let mut bytes = Inst::new(Op::Mov, 8);
    bytes.dst = Some(Dst::new(Reg::grf(2), 1, Type::Uw));
    let apart = Src::reg(Reg::grf(4), Region::new(4, 1, 0), Type::Uw);
    bytes.srcs.push(apart);
    let mut nibble = binary(Op::Add, Type::D);
    (nibble.exec_size, nibble.chan_off) = (4, 4);
    let mut dwords = binary(Op::Mul, Type::D);
    dwords.srcs[1] = Src::reg(Reg::grf(6), Region::new(1, 1, 0), Type::D);
    let on = |name| platform::find(name).unwrap();
    for (inst, refusing, accepting, finding) in [
        (
            &message,
            "bmg",
            "dg2",
            "a shared function that the platform lacks",
        ),
        (&dwords, "bmg", "skl", "dwords as product and factors"),
        (&dwords, "dg2", "skl", "dwords as product and factors"),
        (&bytes, "bmg", "dg2", "further than the platform can"),
    ] {
        for (name, exit) in [(accepting, 0), (refusing, 1)] {
            let code = encode(inst, on(name)).unwrap();
            let (found, text) = verify_code(code.as_bytes(), name);
            assert_eq!(found, Some(exit), "{name}: {text}");
            assert_eq!(text.contains(finding), exit == 1, "{name}: {text}");
        }
    }
    // The encoder has no bits for these.
    for (inst, refusing, accepting) in [
        (binary(Op::Math(MathFn::Pow), Type::F), "bmg", "icllp"),
        (binary(Op::Math(MathFn::Iqot), Type::D), "bmg", "tgllp"),
        (with_pred(PredCtrl::Any(8)), "bmg", "dg2"),
        (nibble, "bmg", "dg2"),
    ] {
        assert!(encode(&inst, on(accepting)).is_ok(), "{inst}");
        assert!(encode(&inst, on(refusing)).is_err(), "{inst}");
    }
    // The function of `math` is in bits 92-95.
    let mut inv = binary(Op::Math(MathFn::Inv), Type::F);
    inv.srcs.truncate(1);
    inv.opts.long = true;
    let annotated = |p: &&Platform| !matches!(p.family, Family::Gen9 | Family::Gen11);
    for name in PLATFORMS.iter().filter(annotated).map(|p| p.name) {
        let mut code = encode(&inv, on(name)).unwrap().as_bytes().to_vec();
        assert_eq!(code.len(), 16);
        let (exit, text) = verify_code(&code, name);
        assert_eq!(exit, Some(0), "{name}: {text}");
        code[11] = code[11] & 0x0f | 10 << 4;
        let (exit, text) = verify_code(&code, name);
        assert_eq!(exit, Some(1), "{name}: {text}");
        assert!(text.contains("no instruction"), "{name}: {text}");
    }
}

/// Findings are counted, and only the first of very many are shown.
#[test]
fn very_many_findings_are_counted() {
    let folder = Folder::new("many-findings");
    let file = folder.write("many.bin", [0xff; 1 << 18]);
    let (exit, shown) = verify(&["-p", "dg2", &file]);
    assert_eq!(exit, Some(1));
    let last = shown.lines().last().unwrap();
    assert!(last.contains(" of them not shown"), "{last}");
    assert_eq!(shown.lines().count(), 10_001);
}

/// The memory for bytes that are no code has a bound beside their file; 8 MB of them took 1,050 MB.
#[cfg(target_os = "linux")]
#[test]
fn memory_for_bytes_that_are_no_code_has_a_bound() {
    let folder = Folder::new("no-code");
    let file = folder.write("many.bin", vec![0xff; 8 << 20]);
    let limited = "ulimit -d 150000; exec \"$@\"";
    let program = env!("CARGO_BIN_EXE_kiln");
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh", program, "verify", "-p", "dg2", &file]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        text.contains("1048576 instructions, 1048576 findings"),
        "{text}"
    );
}
