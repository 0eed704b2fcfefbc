use kiln_emit::zebin::Zebin;
use kiln_runtime::{exec, launch, pipeline};
use std::path::Path;
fn main() {
    let mut failed = 0;
    let skl = kiln_emit::platform::find("skl").unwrap();
    for dir in std::env::args().skip(1) {
        let dir = Path::new(&dir);
        let name = dir.file_name().unwrap().to_str().unwrap();
        let file = |e: &str| std::fs::read(dir.join(format!("{name}.{e}"))).unwrap();
        let module = pipeline::read(&file(if std::env::var("ISA").is_ok() { "isa" } else { "visaasm" })).unwrap();
        let mut o = pipeline::Options::new(skl);
        o.verify = std::env::var("NOVERIFY").is_err();
        if let Ok(n) = std::env::var("GRF") { o.grf_limit = n.parse().unwrap(); }
        if std::env::var("DUMP").is_ok() { use pipeline::Stage::*; o.dump = vec![Ir, Isel, Ra, Asm]; }
        let c = match pipeline::compile(&module.objects[0], &o) { Ok(c) => c, Err(e) => { println!("{name}: {e}"); failed += 1; continue; } };
        for (_, d) in &c.dumps { println!("{d}"); }
        let zebin = Zebin::parse(&file("zebin")).unwrap();
        let d = launch::Description::parse(&String::from_utf8(std::fs::read(dir.join("launch.yaml")).unwrap()).unwrap()).unwrap();
        let mut info = zebin.ze_info.clone();
        if c.allocation.spill_bytes > 0 { println!("spill {:?}", c.allocation); }
        let mut ours = zebin.clone();
        ours.set_text(&d.kernel, &c.code);
        let text = format!(".text.{}", d.kernel);
        ours.relocations.retain(|r| r.section != text);
        ours.relocations.push(kiln_emit::zebin::Relocations { section: text, addends: false, entries: c.relocations.iter().map(|r| kiln_emit::zebin::Relocation { offset: r.offset.into(), kind: if r.bits == 64 { 1 } else { 2 }, symbol: 1 + ours.symbols.iter().position(|s| s.name == r.symbol).expect("symbol") as u32, addend: 0 }).collect() });
        for (which, zebin) in [("ref", &zebin), ("kiln", &ours)] {
            let code = zebin.text(&d.kernel).unwrap();
            let program = match exec::Program::from_zebin(zebin, &d.kernel, skl) { Ok(p) => p, Err(e) => { println!("{name} {which}: LINK {e}"); failed += 1; continue; } };
            if which == "kiln" && c.allocation.spill_bytes > 0 { scratch(&mut info, &d.kernel, c.allocation.spill_bytes); }
            let mut l = exec::Launch { ze_info: &info, kernel: &d.kernel, global: d.global, local: d.local, dimensions: d.dimensions, args: d.load_args(dir).unwrap(), budget: exec::Launch::BUDGET };
            let t = std::time::Instant::now();
            match l.run(&program) {
                Ok(s) => match d.check(&l.args, dir) { Ok(()) => println!("{name} {which}: PASS {} gen insts, {:.1} M/s; static {} {} bytes", s.instructions, s.instructions as f64 / t.elapsed().as_secs_f64() / 1e6, c.instructions, code.len()), Err(e) => { println!("{name} {which}: MISMATCH {e}"); failed += 1; } },
                Err(e) => { println!("{name} {which}: ERROR {}", e.to_string().lines().take(12).collect::<Vec<_>>().join("\n   ")); failed += 1; }
            }
        }
    }
    println!("{failed} failed");
}
fn scratch(info: &mut kiln_emit::ze_info::ZeInfo, kernel: &str, bytes: u32) {
    let k = info.kernel_mut(kernel).unwrap();
    let b = serde_norway::from_str(&format!("type: scratch\nusage: spill_fill_space\nsize: {}", bytes.next_power_of_two().max(1024))).unwrap();
    k.per_thread_memory_buffers.push(b);
}
