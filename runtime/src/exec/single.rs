//! Single instructions, outside any launch: for tests, and to try out what an instruction does.

use kiln_emit::inst::{Inst, Reg};

use super::error::Cause;
use super::machine::Thread;
use super::operation::{File, Path, file_of};
use super::program::Program;

/// A thread's registers, on which instructions are executed one by one.
///
/// ```
/// use kiln_emit::inst::{Dst, Inst, Op, Reg, Region, Src, Type};
/// use kiln_runtime::exec::Registers;
///
/// let mut registers = Registers::new(0xff);
/// registers.set(Reg::grf(10), &40u32.to_le_bytes())?;
/// let mut add = Inst::new(Op::Add, 8);
/// add.dst = Some(Dst::new(Reg::grf(12), 1, Type::Ud));
/// add.srcs.push(Src::reg(Reg::grf(10), Region::SCALAR, Type::Ud));
/// add.srcs.push(Src::imm(Type::Ud, 2));
/// registers.execute(&add)?;
/// let mut sums = [0; 32];
/// registers.get(Reg::grf(12), &mut sums)?;
/// assert_eq!(sums[28..], [42, 0, 0, 0]);
/// # Ok::<(), kiln_runtime::exec::Cause>(())
/// ```
pub struct Registers {
    thread: Thread,
}

impl Registers {
    /// Registers of a thread whose channels of the mask execute.
    pub fn new(active: u32) -> Registers {
        Registers {
            thread: Thread::new(0, active),
        }
    }

    /// Copies bytes out of a register file, from a register on.
    ///
    /// # Errors
    /// A file that has no bytes, or too few.
    pub fn get(&self, from: Reg, out: &mut [u8]) -> Result<(), Cause> {
        let (file, at) = file_of(from)?;
        let file = self.thread.file(file);
        let size = file.len();
        let bytes = file.get(at..at + out.len());
        out.copy_from_slice(bytes.ok_or(Cause::RegisterRange { at, size })?);
        Ok(())
    }

    /// Copies bytes into a register file, from a register on.
    ///
    /// # Errors
    /// As [`Registers::get`].
    pub fn set(&mut self, to: Reg, bytes: &[u8]) -> Result<(), Cause> {
        let (file, at) = file_of(to)?;
        let all = self.thread.file_mut(file);
        let size = all.len();
        let room = all.get_mut(at..at + bytes.len());
        room.ok_or(Cause::RegisterRange { at, size })?
            .copy_from_slice(bytes);
        if file == File::Control {
            self.thread.change_mode()?;
        }
        Ok(())
    }

    /// Executes an instruction that neither branches, sends nor waits.
    ///
    /// # Errors
    /// What the instruction may not do, or what is not implemented.
    pub fn execute(&mut self, inst: &Inst) -> Result<(), Cause> {
        let program = Program::from_insts(vec![inst.clone()]);
        let op = &program.ops()[0];
        match op.path {
            Path::Branch | Path::Send(_) | Path::Wait => Err(Cause::Op(op.op)),
            _ => self.thread.execute(op),
        }
    }
}
