//! Sets the shared library's SONAME. cargo-c replaces it by one with a version, so that several versions can be
//! installed.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_installed = std::env::var_os("CARGO_FEATURE_CAPI").is_some();
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target == "linux" && !is_installed {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libkiln.so");
    }
}
