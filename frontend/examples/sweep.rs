use kiln_frontend::{platform::Platform, text, verify};
use std::collections::BTreeMap;
fn main() {
    let mut args = std::env::args().skip(1);
    let p = args.next().unwrap();
    let platform = Platform::from_name(&p);
    let show: usize = args.next().unwrap().parse().unwrap();
    let mut kinds: BTreeMap<String, (usize, usize, Vec<String>)> = BTreeMap::new();
    let (mut files, mut bad) = (0, 0);
    for path in args {
        files += 1;
        let source = std::fs::read_to_string(&path).unwrap();
        let d = text::diagnose(&source);
        if !d.errors.is_empty() {
            println!("{path}: {}", d.errors[0]);
            bad += 1;
            continue;
        }
        let findings = verify::check(&d.module, platform);
        if !findings.is_empty() {
            bad += 1;
        }
        let mut seen = std::collections::BTreeSet::new();
        for f in findings {
            let op = f.inst.map_or("-", |i| {
                d.module.objects[f.object].insts[i].op.row().mnemonic
            });
            let key = format!("{} {op}", f.code());
            let first = seen.insert(key.clone());
            let e = kinds.entry(key).or_default();
            e.0 += 1;
            e.1 += usize::from(first);
            if e.2.len() < show {
                let r = d.spans.find(f.object, f.inst, f.subject);
                let line = r
                    .clone()
                    .map(|r| {
                        let s = source[..r.start].rfind('\n').map_or(0, |x| x + 1);
                        let e = source[r.start..]
                            .find('\n')
                            .map_or(source.len(), |x| x + r.start);
                        source[s..e].to_string()
                    })
                    .unwrap_or_default();
                e.2.push(format!(
                    "{path}: {} | {} | {}",
                    f.kind,
                    r.map_or("", |r| &source[r]),
                    line.trim()
                ));
            }
        }
    }
    println!("{p}: files {files}, with findings {bad}");
    for (k, (n, f, list)) in kinds {
        println!("  {k}: {n} in {f} files");
        for l in list {
            println!("      {l}");
        }
    }
}
