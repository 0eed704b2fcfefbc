//! Machine code that the reference compiler made of the project's own kernels.

use kiln_emit::inst::Inst;
use kiln_emit::listing::entries;
use kiln_emit::platform::{Family, PLATFORMS, Platform};
use kiln_emit::zebin::Zebin;

/// Platforms whose code says what it waits for.
pub fn annotated_platforms() -> impl Iterator<Item = &'static Platform> {
    let annotated = |p: &&Platform| !matches!(p.family, Family::Gen9 | Family::Gen11);
    PLATFORMS.iter().filter(annotated)
}

/// The code of each kernel in the project's object files for a platform.
pub fn kernels(platform: &'static Platform) -> Vec<(String, Vec<Inst>)> {
    let mut codes = Vec::new();
    let objects = kiln_corpus::kernels(&kiln_corpus::ALL).into_iter();
    for file in objects.filter_map(|kernel| kernel.object(platform.name)) {
        let zebin = Zebin::parse(&std::fs::read(&file).unwrap()).unwrap();
        for kernel in &zebin.kernels {
            let insts = entries(&kernel.text, platform).map(|entry| entry.inst.unwrap());
            codes.push((kernel.name.clone(), insts.collect()));
        }
    }
    codes
}
