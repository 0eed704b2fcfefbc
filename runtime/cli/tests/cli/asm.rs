//! `kiln asm` makes the code that a listing is of, raw and in object files.

use std::fs;

use kiln_emit::zebin::Zebin;

use crate::program::{Folder, example, examples, fail, kiln, names, pass, text};

/// Every example's object file for every platform.
fn objects() -> Vec<String> {
    let mut objects = Vec::new();
    for name in names() {
        for folder in ["", "icllp", "tgllp", "dg2", "pvc", "bmg", "ptl"] {
            let path = examples().join(&name).join(folder);
            let path = path.join(format!("{name}.zebin"));
            if path.exists() {
                objects.push(path.display().to_string());
            }
        }
    }
    assert!(objects.len() > 60, "{}", objects.len());
    objects
}

#[test]
fn a_listing_put_into_its_object_changes_nothing() {
    let folder = Folder::new("asm-into");
    let (asm, out) = (folder.path("code.asm"), folder.path("out.zebin"));
    let mut replaced = 0;
    for object in objects() {
        let bytes = fs::read(&object).unwrap();
        let zebin = Zebin::parse(&bytes).unwrap();
        for kernel in &zebin.kernels {
            let name = &kernel.name;
            let all = kiln(&["disasm", &object, "--kernel", name, "-o", &asm]);
            if !all.status.success() {
                // Functions without a symbol of their section's name are in a section of their own.
                continue;
            }
            // Some objects of the reference compiler overwrite the thread's header and may be interrupted.
            let line = ["asm", &asm, "--into", &object, "--kernel", name, "-o", &out];
            pass(&[&line[..], &["--unchecked"]].concat());
            let made = Zebin::parse(&fs::read(&out).unwrap()).unwrap();
            assert!(made == zebin, "{object} {name}");
            replaced += 1;
        }
    }
    assert!(replaced > 60, "{replaced}");
}

/// A line that is added moves what follows it: symbols, relocations and sizes; the driver's file is right again.
#[test]
fn a_longer_listing_moves_symbols_and_relocations() {
    let folder = Folder::new("asm-longer");
    let object = example("saxpy", "zebin");
    let (asm, out) = (folder.path("code.asm"), folder.path("out.zebin"));
    pass(&["disasm", &object, "-o", &asm]);
    let listing = fs::read_to_string(&asm).unwrap();
    let longer = listing.replacen("L0:\n", "L0:\n        nop\n        nop\n", 1);
    let longer = folder.write("longer.asm", longer);
    pass(&["asm", &longer, "--into", &object, "-o", &out]);
    let [old, new] = [&object, &out].map(|path| Zebin::parse(&fs::read(path).unwrap()).unwrap());
    assert_eq!(new.kernels[0].text.len(), old.kernels[0].text.len() + 32);
    let size = |zebin: &Zebin| zebin.symbols.iter().map(|s| s.size).max();
    assert_eq!(size(&new), size(&old).map(|size| size + 32));
    let places = |zebin: &Zebin| -> Vec<u64> {
        let all = zebin
            .relocations
            .iter()
            .filter(|r| r.section.starts_with(".text."));
        all.flat_map(|table| table.entries.iter().map(|e| e.offset))
            .collect()
    };
    let moved: Vec<u64> = places(&old).iter().map(|offset| offset + 32).collect();
    assert_eq!(places(&new), moved);
    let launch = examples().join("saxpy/launch.yaml").display().to_string();
    pass(&["run", &out, "--launch", &launch]);
    // In place.
    fs::copy(&object, &out).unwrap();
    pass(&["asm", &longer, "--into", &out]);
    assert!(Zebin::parse(&fs::read(&out).unwrap()).unwrap() == new);
}

#[test]
fn a_relocation_without_a_place_is_an_error() {
    let folder = Folder::new("asm-relocated");
    let objects = objects();
    let relocated = objects.iter().find(|object| {
        let zebin = Zebin::parse(&fs::read(object).unwrap()).unwrap();
        let code = |r: &&kiln_emit::zebin::Relocations| r.section.starts_with(".text.");
        zebin.kernels.len() == 1 && zebin.relocations.iter().any(|r| code(&r))
    });
    let object = relocated.expect("some object has relocations");
    let listing = pass(&["disasm", object]);
    let without = listing.replacen("// relocated: ", "// moved: ", 1);
    let asm = folder.write("code.asm", without);
    let out = folder.path("out.zebin");
    let line = ["asm", &asm, "--into", object, "-o", &out];
    fail(
        &folder,
        &line,
        &["the listing lacks an instruction with the comment `// relocated: "],
    );
}

#[test]
fn errors_are_shown_with_their_line() {
    let folder = Folder::new("asm-errors");
    let asm = folder.write(
        "code.asm",
        "L0:\n        mov (8|M0)  r1.0<1>:f  r2.0<8;8,1>\n",
    );
    let out = folder.path("out.dat");
    let line = ["asm", &asm, "-p", "skl", "-o", &out];
    let parts = [
        "code.asm:2:43: found the end of the line, expected `:`",
        "A0001",
    ];
    fail(&folder, &line, &parts);
    let output = kiln(&["--format", "json", "asm", &asm, "-p", "skl", "-o", &out]);
    let record: serde_json::Value = serde_json::from_str(&text(&output.stderr)).unwrap();
    assert_eq!(
        (record["line"].as_u64(), record["column"].as_u64()),
        (Some(2), Some(43))
    );
}

/// Code that does not wait for what it reads is refused, and written with --unchecked.
#[test]
fn code_is_verified_before_it_is_written() {
    let folder = Folder::new("asm-verified");
    let object = examples()
        .join("saxpy/tgllp/saxpy.zebin")
        .display()
        .to_string();
    let listing = pass(&["disasm", &object]);
    let token = listing.split('$').find_map(|part| part.split_once(".dst"));
    let (token, _) = token.expect("an instruction waits for a message");
    let changed = listing.replacen(&format!("${token}.dst"), &format!("${token}.src"), 1);
    let asm = folder.write("code.asm", changed);
    let out = folder.path("out.dat");
    let line = ["asm", &asm, "-p", "tgllp", "-o", &out];
    let output = kiln(&line);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("does not wait for"),
        "{}",
        text(&output.stderr)
    );
    pass(&[&line[..], &["--unchecked"]].concat());
}
