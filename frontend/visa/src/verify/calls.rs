//! Rules of calls of functions, by name and by address, of subroutines, and of jumps.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use cranelift_entity::EntityRef;

use super::{FindingKind, Verifier};
use crate::module::{Inst, LabelKind, Linkage, Object, ObjectKind, Operand, Region, Subject, Type};
use crate::opcode::Opcode;

/// Maximum sizes of %arg and %retval, in GRFs.
const MAX_PASSED_GRFS: [u32; 2] = [32, 12];
const WHAT: [&str; 2] = ["argument", "return value"];

/// The functions of a module.
pub(super) struct Functions<'m> {
    /// Sizes of argument and return value in GRFs, by name.
    sizes: HashMap<&'m str, [u32; 2]>,
    kernels: HashSet<&'m str>,
    /// Sizes of the functions whose address is taken; `None` if one of these is not in the module.
    taken: OnceLock<Option<HashSet<[u32; 2]>>>,
    objects: &'m [Object],
}

impl<'m> Functions<'m> {
    pub fn new(objects: &'m [Object]) -> Functions<'m> {
        let sizes: HashMap<&str, [u32; 2]> = objects
            .iter()
            .filter_map(|object| Some((object.name.as_str(), declared(object)?)))
            .collect();
        let kernels = objects
            .iter()
            .filter(|object| object.kind == ObjectKind::Kernel)
            .map(|kernel| kernel.name.as_str());
        Functions {
            sizes,
            kernels: kernels.collect(),
            taken: OnceLock::new(),
            objects,
        }
    }

    /// Sizes of the functions whose address is taken. Computed on demand, since it takes a walk over all
    /// instructions.
    fn taken(&self) -> Option<&HashSet<[u32; 2]>> {
        self.taken.get_or_init(|| self.find_taken()).as_ref()
    }

    fn find_taken(&self) -> Option<HashSet<[u32; 2]>> {
        let Functions { objects, sizes, .. } = self;
        let insts = objects.iter().flat_map(|object| &object.insts);
        let named = insts
            .filter(|inst| inst.op == Opcode::Faddr)
            .filter_map(name);
        let mut taken: Option<HashSet<[u32; 2]>> =
            named.map(|name| sizes.get(name).copied()).collect();
        let seen = objects.iter().filter(|object| {
            matches!(
                object.kind,
                ObjectKind::Function {
                    linkage: Linkage::Extern,
                    ..
                }
            )
        });
        if let Some(taken) = &mut taken
            && !taken.is_empty()
        {
            taken.extend(seen.filter_map(declared));
        }
        taken
    }
}

/// Sizes that a function declares.
fn declared(object: &Object) -> Option<[u32; 2]> {
    match object.kind {
        ObjectKind::Function {
            arg_grfs, ret_grfs, ..
        } => Some([arg_grfs.into(), ret_grfs.into()]),
        ObjectKind::Kernel => None,
    }
}

/// True if a function declares no return value. Calls may still take one: the reference compiler declares none for
/// a function whose value is undefined and does not change its calls.
fn no_value(declared: [u32; 2]) -> bool {
    declared[1] == 0
}

fn name(inst: &Inst) -> Option<&str> {
    match inst.operands.first() {
        Some(Operand::Name(name)) => Some(name),
        _ => None,
    }
}

fn number(inst: &Inst, i: usize) -> u32 {
    match inst.operands.get(i) {
        Some(Operand::Field(n)) => *n,
        _ => 0,
    }
}

impl Verifier<'_> {
    /// Rules of a function's own declaration.
    pub(super) fn declaration(&mut self) {
        if let Some(sizes) = declared(self.object) {
            self.limits(sizes);
        }
    }

    fn limits(&mut self, sizes: [u32; 2]) {
        for i in 0..2 {
            if sizes[i] > MAX_PASSED_GRFS[i] {
                let (what, found, most) = (WHAT[i], sizes[i], MAX_PASSED_GRFS[i]);
                self.find(FindingKind::CallLimit { what, found, most });
            }
        }
    }

    pub(super) fn call(&mut self, inst: &Inst) {
        let scalar = inst.exec.size == 1;
        self.subject = Subject::Inst;
        match inst.op {
            Opcode::FCall | Opcode::IfCall | Opcode::Call if scalar && !inst.exec.no_mask => {
                self.subject = Subject::Exec;
                let op = inst.mnemonic();
                self.find(FindingKind::ScalarCall { op });
            }
            Opcode::Jmp if !scalar => {
                let size = inst.exec.size;
                self.subject = Subject::Exec;
                self.find(FindingKind::ScalarJump { size });
            }
            Opcode::FRet if self.object.kind == ObjectKind::Kernel => {
                let kernel = self.object.name.to_string();
                self.find(FindingKind::Fret { kernel });
            }
            _ => {}
        }
        self.subject = Subject::Inst;
        match inst.op {
            Opcode::FCall => {
                let sizes = [number(inst, 1), number(inst, 2)];
                self.limits(sizes);
                if let Some(name) = self.callee(inst)
                    && let Some(declared) = self.functions.sizes.get(name).copied()
                {
                    if sizes[0] < declared[0] {
                        self.subject = Subject::Operand(1);
                        self.find(FindingKind::CallLess {
                            callee: name.to_owned(),
                            found: sizes[0],
                            declared: declared[0],
                        });
                    }
                    for i in 0..2 {
                        if i == 0 && sizes[0] < declared[0] {
                            continue;
                        }
                        if sizes[i] != declared[i] && !(i == 1 && no_value(declared)) {
                            self.subject = Subject::Operand(1 + i);
                            self.find(FindingKind::CallSize {
                                callee: name.to_owned(),
                                what: WHAT[i],
                                found: sizes[i],
                                declared: declared[i],
                            });
                        }
                    }
                }
            }
            Opcode::IfCall => {
                let sizes = [number(inst, 1), number(inst, 2)];
                self.limits(sizes);
                let taken = self.functions.taken();
                let [arg, ret] = sizes;
                let fits = |taken: &HashSet<_>| taken.contains(&sizes) || taken.contains(&[arg, 0]);
                if let Some(taken) = taken.filter(|taken| !taken.is_empty() && !fits(taken)) {
                    let more = |of: &&[u32; 2]| of[0] > arg && (of[1] == ret || no_value(**of));
                    let declared = taken.iter().filter(more).map(|of| of[0]).min();
                    self.find(match declared {
                        Some(declared) => FindingKind::CallLess {
                            callee: "a function whose address is taken".to_owned(),
                            found: arg,
                            declared,
                        },
                        None => FindingKind::IndirectSize { arg, ret },
                    });
                }
                if let Some(found) = inst.operands.first().and_then(|o| self.no_address(o)) {
                    self.subject = Subject::Operand(0);
                    self.find(FindingKind::CallAddress { found });
                }
            }
            Opcode::Faddr => {
                self.callee(inst);
                if let Some(found) = inst.operands.get(1).and_then(|o| self.no_address(o)) {
                    self.subject = Subject::Operand(1);
                    self.find(FindingKind::FaddrType { found });
                }
            }
            _ => {}
        }
    }

    /// Function that the instruction names, which may be of another module.
    fn callee<'i>(&mut self, inst: &'i Inst) -> Option<&'i str> {
        let name = name(inst)?;
        let functions = self.functions;
        if functions.kernels.contains(name) && !functions.sizes.contains_key(name) {
            let op = inst.mnemonic();
            let name = name.to_owned();
            self.find(FindingKind::Callee { op, name });
        }
        Some(name)
    }

    /// Description of the operand, if it is no scalar that holds an address.
    fn no_address(&self, operand: &Operand) -> Option<String> {
        let scalar = |region: Region| region.v == Some(0) && (region.h == 0 || region.w == 1);
        let (ty, region) = match *operand {
            Operand::General { var, region, .. } => (self.object.vars.get(var)?.ty, region),
            Operand::Indirect { ty, region, .. } => (ty, region),
            Operand::Imm { ty, .. } => (ty, Region::SCALAR),
            _ => return None,
        };
        if !matches!(ty, Type::Ud | Type::Uq) {
            return Some(format!("of type {}", ty.name()));
        }
        (!scalar(region)).then(|| "no scalar".to_owned())
    }

    /// Rules of control flow: jumps stay in their subroutine, and control does not run past the end of the object.
    pub(super) fn flow(&mut self) {
        let object = self.object;
        let jumps = self.jumps.clone();
        let mut of_label = vec![None; object.labels.len()];
        let mut subroutine = 0;
        for (_, inst) in jumps.iter().copied() {
            subroutine += usize::from(inst.op == Opcode::Subroutine);
            if let (Opcode::Label, Some(Operand::Label(label))) = (inst.op, inst.operands.first())
                && let Some(of) = of_label.get_mut(label.index())
            {
                *of = Some(subroutine);
            }
        }
        subroutine = 0;
        for (i, inst) in jumps.iter().copied() {
            subroutine += usize::from(inst.op == Opcode::Subroutine);
            if matches!(inst.op, Opcode::Label | Opcode::Subroutine | Opcode::Call) {
                continue;
            }
            for (number, operand) in inst.operands.iter().enumerate() {
                let Operand::Label(label) = operand else {
                    continue;
                };
                let of = of_label.get(label.index()).copied().flatten();
                let decl = object.labels.get(*label);
                if let (Some(of), Some(decl)) = (of, decl)
                    && decl.kind == LabelKind::Block
                    && of != subroutine
                {
                    self.at(i, inst);
                    self.subject = Subject::Operand(number);
                    let (op, name) = (inst.mnemonic(), decl.name.to_string());
                    self.find(FindingKind::JumpOut { op, name });
                }
            }
        }
        self.cycles();
        if let Some((i, last)) = object.insts.iter().enumerate().next_back() {
            let ends = match last.op {
                Opcode::Ret | Opcode::FRet | Opcode::Jmp | Opcode::Goto => last.pred.is_none(),
                Opcode::Label | Opcode::SwitchJmp | Opcode::RtWrite | Opcode::UrbWrite => true,
                Opcode::RawSends | Opcode::RawSendg => number(last, 0) & 2 != 0,
                _ => false,
            };
            if !ends {
                self.at(i, last);
                let op = last.mnemonic();
                self.find(FindingKind::NoEnd { op });
            }
        }
    }
    /// Finds recursive calls of subroutines: those that close a cycle in a depth-first search from each subroutine.
    fn cycles(&mut self) {
        let object = self.object;
        let mut of_label = vec![None; object.labels.len()];
        let mut calls: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
        for (_, inst) in self.jumps.iter().copied() {
            if inst.op == Opcode::Subroutine {
                if let Some(Operand::Label(label)) = inst.operands.first()
                    && let Some(of) = of_label.get_mut(label.index())
                {
                    *of = Some(calls.len());
                }
                calls.push(Vec::new());
            }
        }
        let mut from = 0;
        for (i, inst) in self.jumps.iter().copied() {
            from += usize::from(inst.op == Opcode::Subroutine);
            if inst.op != Opcode::Call {
                continue;
            }
            let label = inst.operands.iter().find_map(|operand| match operand {
                Operand::Label(label) => Some(label.index()),
                _ => None,
            });
            if let Some(label) = label
                && let Some(to) = of_label.get(label).copied().flatten()
            {
                calls[from].push((i, to));
            }
        }
        // For each subroutine, the number of its calls that were followed; all of them when the search left it.
        let mut followed = vec![0; calls.len()];
        let mut under_way = vec![false; calls.len()];
        for start in 0..calls.len() {
            let mut walk = vec![start];
            while let Some(&at) = walk.last() {
                under_way[at] = true;
                let Some(&(i, to)) = calls[at].get(followed[at]) else {
                    under_way[at] = false;
                    walk.pop();
                    continue;
                };
                followed[at] += 1;
                if under_way[to] {
                    let inst = &object.insts[i];
                    let name = inst.operands.iter().find_map(|operand| match operand {
                        Operand::Label(label) => object.labels.get(*label),
                        _ => None,
                    });
                    let name = name.map(|decl| decl.name.to_string()).unwrap_or_default();
                    self.at(i, inst);
                    self.subject = Subject::Inst;
                    self.find(FindingKind::Cycle { name });
                } else if followed[to] == 0 {
                    walk.push(to);
                }
            }
        }
    }
}
