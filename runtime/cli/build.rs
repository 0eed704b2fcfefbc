//! The program is linked at a fixed address. Otherwise the tables of opcodes, 10,000 addresses, are relocated at each
//! start, which takes as long as finalizing a small kernel.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bin=kiln=-no-pie");
    }
}
