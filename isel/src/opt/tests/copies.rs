use super::*;
use kiln_machine::verify::Level;
use kiln_machine_testing::random::{functions, seeds};

#[test]
fn side_by_side_is_by_element() {
    let mut compared = 0;
    for (seed, func) in functions(Level::Wide, seeds()) {
        let mut other = func.clone();
        let mut copies = Copies::new(&func);
        for (block, data) in func.blocks.iter() {
            for inst in &data.insts {
                let srcs = inst.srcs.iter().filter_map(Src::as_reg);
                for src in srcs.filter(|src| src.indirect.is_none() && src.ty.per_byte() == 1) {
                    let Some(reg) = side_by_side(&copies, src, inst.exec_size) else {
                        continue;
                    };
                    let read = Read {
                        ty: src.ty,
                        modifier: src.modifier,
                        widened: false,
                        changed: false,
                    };
                    let copy = src.reg.as_virt().and_then(|v| copies.get(v));
                    let copy = copy.expect("a copy");
                    let found = by_element(&mut other, &copies, (block, inst), src, copy, &read);
                    assert_eq!(found, Some(Src::Reg(SrcReg { reg, ..*src })), "seed {seed}");
                    compared += 1;
                }
                if let Some(copy) = copy_of(&func, block, inst)
                    && let Some(dst) = inst.dst
                    && let Some(v) = dst.reg.as_virt()
                {
                    let over = func.old(dst.old, 0).into();
                    copies.set(v, Copy { over, ..copy });
                }
            }
        }
    }
    assert!(compared > 100, "only {compared}");
}
