use std::collections::BTreeMap;
#[path = "../tests/ops/compare.rs"]
mod compare;
#[path = "../tests/ops/instance.rs"]
mod instance;
#[path = "../tests/ops/kind.rs"]
mod kind;
#[path = "../tests/ops/model.rs"]
mod model;
#[path = "../tests/ops/real.rs"]
mod real;
fn main() {
    let skl = kiln_emit::platform::find("skl").unwrap();
    let mut kinds: BTreeMap<String, (u64, kiln_emit::inst::Inst)> = BTreeMap::new();
    let (mut n, mut bad) = (0, 0);
    for dir in std::env::args().skip(1) {
        for e in std::fs::read_dir(dir).unwrap() {
            let p = e.unwrap().path();
            if p.extension().is_none_or(|e| e != "dat") {
                continue;
            }
            let text = std::fs::read(&p).unwrap();
            for entry in kiln_emit::listing::entries(&text, skl) {
                match entry.inst {
                    Ok(i) => {
                        n += 1;
                        let k = kind::kind(&i);
                        kinds.entry(k.to_string()).or_insert((0, k)).0 += 1;
                    }
                    Err(_) => bad += 1,
                }
            }
        }
    }
    let mut no = 0;
    for (name, (c, k)) in &kinds {
        let t = std::time::Instant::now();
        if let Err(e) = compare::compare(k, 40, 12345) {
            no += 1;
            println!("{c:8} {name}\n   {e:?}");
        }
        if t.elapsed().as_millis() > 300 {
            println!("SLOW {name} {:?}", t.elapsed());
        }
    }
    eprintln!(
        "{n} instructions, {bad} undecodable, {} kinds, {no} not",
        kinds.len()
    );
}
