use std::collections::*;
use kiln_ir::func::*;
fn main() {
    let b = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let m = kiln_runtime::pipeline::read(&b).unwrap();
    let o = &m.objects[0];
    let f = kiln_ir::build::build(o).unwrap();
    let n = o.insts.len() as u32;
    let acc = kiln_ir::access::collect(&f, &[0..n]);
    let mut h: BTreeMap<String, usize> = BTreeMap::new();
    let mut cells = HashSet::new();
    for a in &acc[0] { if a.kind == kiln_ir::liveness::AccessKind::ReadWhole && f.cells[a.cell].class == Class::Grf && f.cells[a.cell].size == 32 {
        cells.insert(a.cell);
        let i = &o.insts[a.inst as usize];
        let t = kiln_frontend::print::inst_text(o, i);
        let t: String = t.split_whitespace().filter(|s| !s.starts_with("0x")).map(|s| if s.starts_with('V') { let r = s.find('(').map(|k| &s[k..]).unwrap_or(""); format!("V{r}") } else { s.to_string() }).collect::<Vec<_>>().join(" ");
        *h.entry(t).or_default() += 1; } }
    let mut v: Vec<_> = h.into_iter().collect(); v.sort_by_key(|x| std::cmp::Reverse(x.1));
    println!("cells with whole reads: {}", cells.len());
    for (k, n) in v.iter().take(25) { println!("{n} {k}"); }
    let (mut tied, mut all) = (0, 0); for w in &f.write_pool { all += 1; tied += w.old.is_some() as u32; } println!("writes {all} tied {tied}");
}
