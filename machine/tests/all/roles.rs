//! The roles in which an instruction names virtual registers.

use kiln_machine::func::Function;
use kiln_machine::inst::{Base, Dst, Inst, Opcode, Reg, Role, Src, VReg};
use kiln_platform::isa::Type;
use kiln_platform::platform;

/// Number of parameters and of results: more than eight bits can count.
const PASSED: u32 = 300;

#[test]
fn each_register_of_a_long_list_has_its_own_number() {
    let mut func = Function::new("caller", &platform::SKL, 8);
    let list = |func: &mut Function| {
        let regs: Vec<VReg> = (0..PASSED).map(|_| func.grf(4)).collect();
        let list = func.lists.push(regs.iter().copied().collect());
        (regs, Reg::new(Base::List(list), 0))
    };
    let (args, from) = list(&mut func);
    let (results, to) = list(&mut func);
    let mut call = Inst::new(Opcode::CallRoutine(1), 8);
    call.srcs.push(Src::packed(from, Type::Ud));
    call.dst = Some(Dst::new(to, 1, Type::Ud));
    let mut found = Vec::new();
    func.visit(&call, |v, role| found.push((v, role)));
    let sources = (0..)
        .zip(args)
        .map(|(n, v)| (v, Role::Source { src: 0, n }));
    let defs = (0..)
        .zip(results)
        .map(|(n, v)| (v, Role::Result { n, old: None }));
    let expected: Vec<(VReg, Role)> = sources.chain(defs).collect();
    assert_eq!(found, expected);
}
