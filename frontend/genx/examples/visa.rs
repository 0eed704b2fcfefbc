//! Prints the vISA of a file of LLVM IR, and on standard error the interfaces of its kernels as `kiln compile
//! --interface` takes them.
//!
//! `cargo run -p kiln-genx --example visa -- FILE [PLATFORM]`

use std::process::ExitCode;

use kiln_genx::passes::kernels::{Access, ArgKind};
use kiln_platform::platform::PLATFORMS;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_default();
    let name = args.next().unwrap_or("skl".to_string());
    let platform = PLATFORMS
        .iter()
        .find(|p| p.name == name)
        .unwrap_or(&PLATFORMS[0]);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(3);
        }
    };
    let options = kiln_genx::Options::new(platform);
    let compiled = match kiln_genx::compile(&bytes, &options) {
        Ok(compiled) => compiled,
        Err(error) => {
            eprintln!("{path}:{}: {}: {error}", error.loc, error.code.text());
            return ExitCode::from(4);
        }
    };
    print!("{}", kiln_visa::print::print(&compiled.visa));
    eprintln!("kernels:");
    for kernel in &compiled.interfaces {
        eprintln!(
            "- name: {}\n  local_memory: {}\n  implicit:",
            kernel.name, kernel.slm
        );
        for (kind, place) in &kernel.implicit {
            eprintln!("  - {{kind: {kind:?}, offset: {}}}", place.offset);
        }
        eprintln!("  arguments:");
        for arg in &kernel.args {
            let number = arg.number.unwrap_or(0);
            let access = match arg.arg.access {
                Access::Read => "readonly",
                Access::Write => "writeonly",
                Access::Both => "readwrite",
            };
            match (&arg.arg.kind, arg.place) {
                (ArgKind::Pointer, Some(place)) => {
                    eprintln!("  - {{kind: buffer, offset: {}}}", place.offset)
                }
                (_, Some(place)) => {
                    eprintln!(
                        "  - {{kind: value, offset: {}, size: {}}}",
                        place.offset, place.bytes
                    );
                }
                (ArgKind::Image(ty), _) => {
                    eprintln!(
                        "  - {{kind: image, bti: {number}, image_type: {ty}, access: {access}}}"
                    );
                }
                (ArgKind::Sampler, _) => eprintln!("  - {{kind: sampler, index: {number}}}"),
                _ => eprintln!("  - {{kind: buffer, bti: {number}, access: {access}}}"),
            }
        }
    }
    ExitCode::SUCCESS
}
