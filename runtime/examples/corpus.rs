use kiln_runtime::pipeline;
fn main() {
    let skl = kiln_emit::platform::find("skl").unwrap();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let t = std::time::Instant::now();
        let r = std::panic::catch_unwind(|| {
            let module = match pipeline::read(&bytes) { Ok(m) => m, Err(e) => return format!("READ {e}") };
            let mut o = pipeline::Options::new(skl);
            o.verify = std::env::var("NOVERIFY").is_err();
            for obj in &module.objects { match pipeline::compile(obj, &o) { Ok(c) => { return format!("OK {} {} sp={} f={} mv={} pr={} ir={:.1} isel={:.1} ra={:.1} emit={:.1}ms", c.visa_instructions, c.instructions, c.allocation.spills, c.allocation.fills, c.allocation.moves, c.allocation.max_pressure, c.seconds.ir*1e3, c.seconds.isel*1e3, c.seconds.regalloc*1e3, c.seconds.emit*1e3) }, Err(e) => { let s = e.to_string(); return format!("ERR {}", s) } } }
            "EMPTY".into()
        });
        println!("{} {:.2}s {}", path.rsplit('/').next().unwrap(), t.elapsed().as_secs_f64(), r.unwrap_or("PANIC".into()));
    }
}
