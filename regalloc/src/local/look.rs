//! What the values of a block are like, before its code is made: where they are read last, what they lie beside, how
//! many words they have.

use kiln_machine::func::{Block, Class, Function, Term};
use kiln_machine::inst::{Base, Desc as MachineDesc, Inst, Opcode, Reg, Role, Src, VReg};
use kiln_target::isa::RegFile;

use super::NONE;
use super::walk::{Value, Walk, file_of};
use crate::adapter::return_address;
use crate::flags::access::{Access, Place, accesses, term_read};
use crate::flags::file::{MOST_WORDS, WORD, taken};

impl Walk<'_> {
    /// Finds the last uses of the block's values and what they have to lie beside. Whether all that is named is the block's own,
    /// and of a kind that is known here.
    pub(super) fn look(&mut self, b: Block, insts: &[Inst], term: &Term) -> bool {
        self.named.clear();
        let block = &self.func.blocks[b];
        if !block.params.is_empty() || block.succs.iter().any(|edge| !edge.args.is_empty()) {
            return false;
        }
        for (n, inst) in (0..).zip(insts) {
            if is_settled(self.func, inst) {
                continue;
            }
            let is_known = match inst.op {
                Opcode::Gen(_) => !self.ends_thread(inst) && self.names_no_words(inst),
                Opcode::Undef => true,
                Opcode::CallRoutine(_) => inst.srcs.is_empty() && inst.dst.is_none(),
                Opcode::Return => inst.srcs.len() == 1 && return_address(inst) == self.own.address,
                _ => false,
            };
            if !is_known || !self.look_at(b, n, inst) {
                return false;
            }
            self.named.push(n);
        }
        let end = insts.len() as u32;
        match term_read(self.func, term, Class::Flag) {
            None => true,
            Some(access) => self.read(b, access.v, end) && self.measure(&access),
        }
    }

    /// Whether it sends the end of thread from registers that are to be assigned.
    fn ends_thread(&self, inst: &Inst) -> bool {
        let message = inst.message.expand();
        message.is_some_and(|message| self.func.messages[message].eot)
    }

    /// Whether it names no flag and no address of the machine.
    fn names_no_words(&self, inst: &Inst) -> bool {
        self.words.iter().all(|words| taken(inst, words.file) == 0)
    }

    fn look_at(&mut self, b: Block, n: u32, inst: &Inst) -> bool {
        let func = self.func;
        let mut is_own = true;
        let mut words = false;
        func.visit(inst, |v, role| {
            if let Some(old) = role.old() {
                is_own &= self.read(b, old, n);
            }
            words |= func.regs[v].class != Class::Grf;
            if !role.is_def() {
                is_own &= self.read(b, v, n);
                if let Role::Source { src, n } = role
                    && let Src::Reg(r) = &inst.srcs[usize::from(src)]
                    && let Some(list) = r.reg.as_list()
                    && self.values[v].list == NONE
                {
                    (self.values[v].list, self.values[v].n) = (list.as_u32(), n);
                }
                return;
            }
            let root = role.old().map_or(v, |old| self.values[old].root);
            self.values[v] = Value {
                block: b.as_u32(),
                root,
                ..Value::NEW
            };
            self.size(v);
        });
        for class in [Class::Flag, Class::Addr].into_iter().filter(|_| words) {
            for access in accesses(func, inst, class) {
                // A condition's flag is written over the predicate's.
                if let (Place::Cond, Some(old)) = (access.place, access.old) {
                    is_own &= self.read(b, old, n);
                    self.values[access.v].root = self.values[old].root;
                    self.size(access.v);
                }
                is_own &= self.measure(&access);
                if access.place == Place::Desc && inst.gen_op().is_some_and(|op| op.is_send()) {
                    let root = self.values[access.v].root;
                    self.values[root].align = MOST_WORDS as u8;
                }
            }
        }
        is_own
    }

    /// Notes that an instruction reads a value. Whether it can.
    fn read(&mut self, b: Block, v: VReg, n: u32) -> bool {
        let value = &mut self.values[v];
        value.last = n;
        value.block == b.as_u32() || Some(v) == self.own.address
    }

    /// Notes how large the family of a value is by its declaration.
    fn size(&mut self, v: VReg) {
        let data = self.func.regs[v];
        if data.class == Class::Grf {
            return;
        }
        let root = self.values[v].root;
        let root = &mut self.values[root];
        let words = u32::from(data.bytes)
            .div_ceil(WORD)
            .max(1)
            .next_power_of_two();
        root.size = root.size.max(words as u8);
        let align = u32::from(data.align)
            .div_ceil(WORD)
            .max(1)
            .next_power_of_two();
        root.align = root.align.max(align.min(MOST_WORDS as u32) as u8);
    }

    /// The same by an access. Whether the file has values as large as that.
    fn measure(&mut self, access: &Access) -> bool {
        let most = self.words[file_of(self.func.regs[access.v].class)]
            .file
            .most;
        let root = self.values[access.v].root;
        let root = &mut self.values[root];
        let words = access.end.div_ceil(WORD).max(1).next_power_of_two();
        root.size = root.size.max(words.min(255) as u8);
        root.size <= most
    }
}

/// Whether all that an instruction names are general registers of the machine and what no file is shared out of.
fn is_settled(func: &Function, inst: &Inst) -> bool {
    let is_settled = |reg: Reg| match reg.base() {
        Base::Null => true,
        Base::Virt(_) | Base::List(_) => false,
        Base::Phys(file, _) => !matches!(file, RegFile::Flag | RegFile::Addr),
    };
    let message = inst.message.expand().map(|message| &func.messages[message]);
    let mut descs = message.into_iter().flat_map(|m| [m.desc, m.ex_desc]);
    let mut srcs = inst.srcs.iter().filter_map(Src::as_reg);
    inst.gen_op().is_some()
        && inst.pred.is_none()
        && inst.cond.is_none()
        && descs.all(|desc| matches!(desc, MachineDesc::Imm(_)))
        && (inst.dst.as_ref()).is_none_or(|dst| dst.indirect.is_none() && is_settled(dst.reg))
        && srcs.all(|src| src.indirect.is_none() && is_settled(src.reg))
}
