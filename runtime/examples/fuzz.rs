use kiln_runtime::pipeline;
fn main() {
    let skl = kiln_emit::platform::find("skl").unwrap();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rounds: u64 = args[0].parse().unwrap();
    let mut state = 0x9e3779b97f4a7c15u64;
    let mut rnd = move || { state ^= state << 13; state ^= state >> 7; state ^= state << 17; state };
    let (mut readable, mut valid, mut ok) = (0, 0, 0);
    let mut errs = std::collections::BTreeMap::new();
    for path in &args[1..] {
        let m = pipeline::read(&std::fs::read(path).unwrap()).unwrap();
        let base = kiln_frontend::binary::write(&m).unwrap();
        for _ in 0..rounds {
            let mut b = base.clone();
            for _ in 0..1 + rnd() % 3 { let i = (rnd() % b.len() as u64) as usize; b[i] = match rnd() % 3 { 0 => rnd() as u8, 1 => b[i] ^ (1 << (rnd() % 8)), _ => b[i].wrapping_add(1) }; }
            let Ok(m) = kiln_frontend::binary::read(&b) else { continue };
            readable += 1;
            if !kiln_frontend::verify::verify(&m).is_empty() { continue }
            valid += 1;
            let mut o = pipeline::Options::new(skl); o.verify = true;
            std::fs::write("/tmp/fuzz_last.isa", &b).unwrap();
            for obj in &m.objects { match std::panic::catch_unwind(|| pipeline::compile(obj, &o)) { Ok(Ok(_)) => ok += 1, Ok(Err(e)) => { let s = e.to_string(); let k: String = s.chars().filter(|c| !c.is_ascii_digit()).take(110).collect(); *errs.entry(k).or_insert(0) += 1; }, Err(_) => { let p = format!("/tmp/fuzz_panic_{valid}.isa"); std::fs::write(&p, &b).unwrap(); println!("PANIC {path} {p}"); } } }
        }
    }
    println!("readable {readable} valid {valid} ok {ok}");
    for (k, n) in errs { println!("{n} {k}"); }
}
