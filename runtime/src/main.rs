fn main() {
    let mut failed = 0;
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let module = match kiln_runtime::pipeline::read(&bytes) { Ok(m) => m, Err(e) => { println!("{path}: READ {e}"); failed += 1; continue; } };
        let mut o = kiln_runtime::pipeline::Options::new(kiln_emit::platform::find("skl").unwrap());
        o.verify = true;
        if std::env::var("DUMP").is_ok() { use kiln_runtime::pipeline::Stage::*; o.dump = vec![Ir, Isel, Ra, Asm]; }
        for obj in &module.objects {
            match kiln_runtime::pipeline::compile(obj, &o) {
                Ok(c) => { println!("{path}: ok {} insts {} bytes {:?} {:?}", c.instructions, c.code.len(), c.allocation, c.seconds); for (_, d) in &c.dumps { println!("{d}"); }
                  if let Ok(p) = std::env::var("OUT") { std::fs::write(p, &c.code).unwrap(); } }
                Err(e) => { println!("{path}: {e}"); failed += 1; }
            }
        }
    }
    println!("{failed} failed");
}
