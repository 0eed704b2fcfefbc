//! Code that the reference compiler made and ours call each other: the kernel from one and the
//! functions from the other, linked by the object file's relocations.

use std::path::{Path, PathBuf};

use kiln_emit::platform::{self, Platform};
use kiln_emit::ze_info::MemoryKind;
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Launch, Program};
use kiln_runtime::info::Info;
use kiln_runtime::launch::Description;
use kiln_runtime::pipeline::Options;
use kiln_runtime::session::Session;
use kiln_runtime::source::Input;

const NAME: &str = "call_address";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/kernels")
        .join(NAME)
}

fn reference() -> Zebin {
    let file = std::fs::read(folder().join(format!("{NAME}.zebin"))).unwrap();
    Zebin::parse(&file).unwrap()
}

fn skl() -> &'static Platform {
    platform::find("skl").unwrap()
}

/// The reference's object file with what we make of some vISA in the place of its code.
fn replaced(visa: &str) -> Zebin {
    let mut options = Options::new(skl());
    options.verify = true;
    let session = Session::new(options);
    let input = Input {
        name: NAME,
        bytes: visa.as_bytes(),
    };
    let module = session
        .compile_module(&[input])
        .unwrap_or_else(|e| panic!("{e}"));
    let made = session.object_file(&module, Info::Zebin(reference()));
    let made = made.unwrap_or_else(|e| panic!("{e}"));
    // Through the file, as a loader gets it.
    Zebin::parse(&made.write().unwrap()).unwrap()
}

fn run(zebin: &Zebin) {
    let dir = folder();
    let yaml = std::fs::read_to_string(dir.join("launch.yaml")).unwrap();
    let description = Description::parse(&yaml).unwrap();
    let program = Program::from_zebin(zebin, NAME, skl()).unwrap_or_else(|e| panic!("{e}"));
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: NAME,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description
            .load_args(&dir)
            .unwrap_or_else(|e| panic!("{e}")),
        budget: Launch::BUDGET,
    };
    launch.run(&program).unwrap_or_else(|e| panic!("{e}"));
    let checked = description.check(&launch.args, &dir);
    checked.unwrap_or_else(|e| panic!("{e}"));
}

/// The kernel's text and that of the functions.
fn parts() -> (String, String) {
    let text = std::fs::read_to_string(folder().join(format!("{NAME}.visaasm"))).unwrap();
    let at = text[1..]
        .find("\n.version")
        .expect("functions behind the kernel")
        + 2;
    (text[..at].to_string(), text[at..].to_string())
}

#[test]
fn our_kernel_calls_the_references_functions() {
    let zebin = replaced(&parts().0);
    assert_ne!(zebin.text(NAME), reference().text(NAME));
    run(&zebin);
}

#[test]
fn the_references_kernel_calls_our_functions() {
    let zebin = replaced(&parts().1);
    assert_eq!(zebin.text(NAME), reference().text(NAME));
    run(&zebin);
}

#[test]
fn our_kernel_calls_our_functions() {
    let (kernel, functions) = parts();
    run(&replaced(&(kernel + &functions)));
}

/// One function of ours among those of the reference.
#[test]
fn a_single_function_is_replaced() {
    let (_, functions) = parts();
    for one in functions.split("\n.version").filter(|f| !f.is_empty()) {
        let text = match one.strip_prefix(".version") {
            Some(_) => one.to_string(),
            None => format!(".version{one}"),
        };
        run(&replaced(&text));
    }
}

/// What the call graph bounds needs no more scratch space than the frames; recursion gets what the
/// reference compiler gives.
#[test]
fn stacks_are_as_large_as_the_calls_are_deep() {
    let (kernel, functions) = parts();
    let bytes = |visa: &str| {
        let zebin = replaced(visa);
        let entry = zebin.ze_info.kernels.iter().find(|k| k.name == NAME);
        let buffers = &entry.unwrap().per_thread_memory_buffers;
        let scratch = buffers.iter().filter(|b| b.kind == MemoryKind::Scratch);
        scratch.map(|b| b.size).collect::<Vec<_>>()
    };
    // 416 bytes of one frame; the smallest scratch space is 1 KiB.
    assert_eq!(bytes(&(kernel.clone() + &functions)), [1 << 10]);
    // The functions are the reference's: their frames are not known.
    assert_eq!(bytes(&kernel), [128 << 10]);
}
