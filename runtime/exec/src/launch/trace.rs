//! A trace of executed instructions with the values that they wrote.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Mutex;

use kiln_emit::inst::Type;

use super::error::BindError;
use crate::code::decoded::Decoded;
use crate::code::operation::{Operation, Path, Target};
use crate::state::thread::{File, Thread};

/// Sink and selection of a trace.
pub struct Trace<'a> {
    /// Output, written line by line; errors are ignored.
    pub out: &'a Mutex<dyn Write + Send>,
    /// Index of the only traced group, in the order of starts: x first, then y, then z.
    pub group: Option<u64>,
    /// Index of the only traced thread in its group.
    pub thread: Option<u32>,
}

impl std::fmt::Debug for Trace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace")
            .field("group", &self.group)
            .field("thread", &self.thread)
            .finish_non_exhaustive()
    }
}

impl Trace<'_> {
    /// True if a thread is traced.
    pub fn wants(&self, group: u64, thread: u32) -> bool {
        self.group.is_none_or(|g| g == group) && self.thread.is_none_or(|t| t == thread)
    }

    /// Checks that the selected group and thread exist.
    pub(super) fn check(&self, groups: u64, threads: u32) -> Result<(), BindError> {
        match (self.group, self.thread) {
            (Some(group), _) if group >= groups => Err(BindError::TracedGroup {
                group,
                last: groups - 1,
            }),
            (_, Some(thread)) if thread >= threads => Err(BindError::TracedThread {
                thread,
                last: threads - 1,
            }),
            _ => Ok(()),
        }
    }

    /// Reports the instruction at `index`, executed for the channels of `enabled`.
    pub(super) fn report(
        &self,
        [x, y, z]: [u32; 3],
        thread: &Thread,
        program: &Decoded,
        index: u32,
        enabled: u32,
    ) {
        let (Some(op), Some(inst)) = (program.op(index), program.inst(index)) else {
            return;
        };
        let mut text = format!("{x},{y},{z}:{} {:#06x} {inst}\n", thread.number, op.at);
        written(thread, op, enabled, &mut text);
        let mut out = self.out.lock().unwrap_or_else(|e| e.into_inner());
        // A closed output is no error.
        let _ = out.write_all(text.as_bytes());
    }
}

/// Appends the values that an operation left in its destination and flags.
fn written(thread: &Thread, op: &Operation, enabled: u32, text: &mut String) {
    if let Path::Send(send) = &op.path {
        for (num, bytes) in send.response(thread) {
            let _ = write!(text, "    r{num} =");
            for dword in bytes.chunks_exact(4) {
                let _ = write!(text, " {}", value(dword, Type::Ud));
            }
            text.push('\n');
        }
        return;
    }
    let place = match op.dst.target {
        Target::File { file, at } => Some((file, usize::from(at))),
        Target::Address { addr, imm } => {
            let at = thread.address(usize::from(addr), imm).ok();
            at.map(|at| (File::Grf, at))
        }
        Target::Null => None,
    };
    if let Some((file, start)) = place {
        let bytes = thread.file(file);
        let size = op.dst.ty.bytes() as usize;
        match file {
            File::Grf => {
                let _ = write!(
                    text,
                    "    r{}.{} =",
                    start / thread.register_bytes(),
                    start % thread.register_bytes() / size
                );
            }
            file => {
                let _ = write!(text, "    {file}[{start}] =");
            }
        }
        for lane in 0..usize::from(op.lanes) {
            let at = start + lane * usize::from(op.dst.step);
            match bytes.get(at..at + size) {
                Some(element) if enabled >> lane & 1 != 0 => {
                    let _ = write!(text, " {}", value(element, op.dst.ty));
                }
                _ => text.push_str(" -"),
            }
        }
        text.push('\n');
    }
    if let Some(bit) = op.cond.and_then(|c| c.bit) {
        let register = u32::from(bit / 32 * 32);
        let bits = thread.flag_bits().checked_shr(register).unwrap_or(0) as u32;
        let _ = writeln!(text, "    f{} = {bits:#010x}", bit / 32);
    }
}

/// A number in the notation of its type.
fn value(bytes: &[u8], ty: Type) -> String {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    match ty {
        Type::F => f32::from_bits(bits as u32).to_string(),
        Type::Df => f64::from_bits(bits).to_string(),
        Type::Hf => half::f16::from_bits(bits as u16).to_f32().to_string(),
        Type::B => (bits as i8).to_string(),
        Type::W => (bits as i16).to_string(),
        Type::D => (bits as i32).to_string(),
        Type::Q => (bits as i64).to_string(),
        _ => format!("{bits:#x}"),
    }
}
