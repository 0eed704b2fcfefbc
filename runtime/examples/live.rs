use std::collections::*;
fn main() {
    let b = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let m = kiln_runtime::pipeline::read(&b).unwrap();
    let f = kiln_ir::build::build(&m.objects[0]).unwrap();
    use kiln_ir::func::*;
    let n = f.blocks.len();
    let mut ins: Vec<HashSet<Value>> = vec![HashSet::new(); n];
    let outs = |ins: &Vec<HashSet<Value>>, b: Block| { let mut o = HashSet::new(); for e in &f.blocks[b].succs { for v in &ins[e.to.as_u32() as usize] { o.insert(*v); } for a in &e.args { if !a.is_undef() { o.insert(*a); } } } o };
    let mut ch = true;
    while ch { ch = false; for b in f.blocks.keys().rev() { let mut l = outs(&ins, b);
        for i in f.block_insts(b).rev() { for w in f.writes(i) { l.remove(&w.new); } for w in f.writes(i) { if let Some(o) = w.old.expand() { l.insert(o); } } for r in f.reads(i) { if !r.value.is_undef() { l.insert(r.value); } } }
        for p in &f.blocks[b].params { l.remove(&p.1); }
        if l.len() != ins[b.as_u32() as usize].len() { ins[b.as_u32() as usize] = l; ch = true; } } }
    let mut best = (0, vec![]);
    for b in f.blocks.keys() { let mut l = outs(&ins, b); for i in f.block_insts(b).rev() { for w in f.writes(i) { l.remove(&w.new); } for w in f.writes(i) { if let Some(o) = w.old.expand() { l.insert(o); } } for r in f.reads(i) { if !r.value.is_undef() { l.insert(r.value); } } if l.len() > best.0 { best = (l.len(), l.iter().copied().collect()); } } }
    let mut h: BTreeMap<String, usize> = BTreeMap::new();
    for v in &best.1 { let c = &f.cells[f.values[*v].cell.unwrap()]; let k = match c.owner { Owner::Var { var, .. } => format!("var size {} decl {:?} x{}", c.size, m.objects[0].vars[var].ty, m.objects[0].vars[var].elements), o => format!("{o:?}").split('{').next().unwrap().split('(').next().unwrap().to_string() }; *h.entry(k).or_default() += 1; }
    let mut c: HashMap<Cell, Vec<String>> = HashMap::new();
    for b in f.blocks.keys() { for (cell, v) in &f.blocks[b].params { c.entry(*cell).or_default().push(format!("param {v} at {b}")); } for i in f.block_insts(b) { for r in f.reads(i) { c.entry(r.cell).or_default().push(format!("{b} {i} reads {}", r.value)); } for w in f.writes(i) { c.entry(w.cell).or_default().push(format!("{b} {i} writes {} over {:?} {}", w.new, w.old.expand(), kiln_frontend::print::inst_text(&m.objects[0], f.visa(i)))); } } }
    let mut names: Vec<_> = best.1.iter().filter(|v| f.cells[f.values[**v].cell.unwrap()].size == 32).collect(); names.sort();
    for v in names.iter().step_by(90) { let cell = f.values[**v].cell.unwrap(); println!("-- {v} {:?}", f.cells[cell].owner); for l in c[&cell].iter().take(14) { println!("   {l}"); } println!("   … {}", c[&cell].len()); }
    println!("best inst in block"); println!("blocks {} cells {} max live {}", n, f.cells.len(), best.0);
    for (k, n) in h { println!("  {n} {k}"); }
}
