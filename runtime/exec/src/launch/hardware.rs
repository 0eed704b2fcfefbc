//! The strict mode: what the hardware leaves undefined has no kind meaning (`docs/executor.md`, "Strict execution").
//!
//! Facts of the platform say what is undefined: its errata and its row. An instruction that `kiln_emit::verify` refuses, alone or
//! for an erratum, is an error when it is executed. Effects that come late, come as late as they may; what an
//! idle thread or an interruption may do, it does.

use std::collections::BTreeMap;

use kiln_emit::errata::header;
use kiln_emit::inst::{Inst, Op, Src, SyncFn, TokenUse};
use kiln_emit::messages::{Function, Kind};
use kiln_emit::platform::Platform;
use kiln_emit::verify::pairs::Wrong;
use kiln_emit::verify::{self, errata, late_reads, pairs};
use kiln_emit::ze_info::ExecutionEnv;
use kiln_platform::errata::Erratum;

use crate::code::decoded::Decoded;
use crate::code::operation::{Base, Operation, Path, Target};
use crate::code::send::Message;
use crate::messages::send;
use crate::state::cause::Cause;
use crate::state::memory::{BTI_SLM, Shared};
use crate::state::thread::{File, FloatMode, Status, Thread};

/// Errata whose effects are modelled, or cannot be seen in a launch: what `verify` finds of them is no error. A fence
/// before a thread's end is for what runs after the launch, when all stores are done here.
const MODELLED: [Erratum; 5] = [
    Erratum::PreemptionKeepsHeader,
    Erratum::FenceResponseRead,
    Erratum::SwitchOnUnscored,
    Erratum::HdcFenceBeforeEnd,
    Erratum::UgmFenceBeforeEnd,
];

/// Number of instructions that still have the old mode after an unguarded write of `cr0`: a choice, since the number is not
/// public.
const LATE_INSTRUCTIONS: u32 = 8;

/// Places in a kernel's code where hardware leaves the outcome undefined.
pub struct Hardware<'a> {
    program: &'a Decoded,
    /// Instructions that are errors when they are executed, with the broken rule.
    refused: BTreeMap<u32, String>,
    /// Waits after which a message may still read registers: the message and the register.
    late: BTreeMap<u32, Vec<Late>>,
    /// True for instructions without a mask that an idle thread may execute.
    unmasked: Vec<bool>,
    /// True if threads run in pairs that share an instruction pointer.
    paired: bool,
    /// True if an unguarded write of `cr0` takes effect late.
    late_modes: bool,
    /// Bytes from r0 on that an interruption restores.
    header: usize,
    /// The first instruction after those that load the local ids, which may be in these registers.
    entry: u32,
}

/// A register that a message may still read.
#[derive(Clone, Copy, Debug)]
struct Late {
    message: u32,
    register: u16,
}

/// A fence that has not been waited for.
#[derive(Clone, Copy, Debug)]
struct Fence {
    /// Number of the register of its response.
    response: Option<usize>,
    token: Option<u8>,
    local: bool,
}

/// State of a thread that is not certain yet.
#[derive(Default)]
pub struct Uncertain {
    /// Bytes of the header that an interruption restores; empty until they are known.
    header: Vec<u8>,
    fences: Vec<Fence>,
    /// The mode that a write of `cr0` has set, and the number of the instruction from which on it holds.
    mode: Option<(FloatMode, u32)>,
    late: Vec<Late>,
}

impl<'a> Hardware<'a> {
    pub fn new(program: &'a Decoded, env: &ExecutionEnv) -> Hardware<'a> {
        let platform = program.platform();
        let insts: Vec<Inst> = program.insts().cloned().collect();
        let illegal = |inst: &Inst| verify::verify_finished(inst, platform).err();
        let illegal = (0..)
            .zip(&insts)
            .filter_map(|(at, inst)| Some((at, illegal(inst)?.to_string())));
        let findings = errata::check_code(&insts, platform);
        let findings = findings.iter().filter(|f| !MODELLED.contains(&f.erratum));
        let marked = (0..)
            .zip(&insts)
            .filter(|_| !env.disable_mid_thread_preemption)
            .filter_map(|(at, inst)| {
                let (erratum, what) = header::if_interrupted(inst, platform)?;
                (!MODELLED.contains(&erratum)).then(|| (at, what.to_string()))
            });
        let mut late: BTreeMap<u32, Vec<Late>> = BTreeMap::new();
        for finding in late_reads::check_code(&insts, platform) {
            late.entry(finding.waiting as u32).or_default().push(Late {
                message: finding.message as u32,
                register: finding.register,
            });
        }
        let paired = platform.paired && !env.require_disable_eufusion;
        let shared = match paired && verify::flow::check_code(&insts).is_ok() {
            true => pairs::check_code(&insts, platform).err(),
            false => None,
        };
        // What an idle thread does and does not is modelled.
        let shared = shared.filter(|error| error.what == Wrong::Shared);
        let mut unmasked = match paired && platform.needs(Erratum::NoMaskPredicated) {
            true => pairs::nested_in_code(&insts),
            false => vec![false; insts.len()],
        };
        for (unmasked, inst) in unmasked.iter_mut().zip(&insts) {
            *unmasked &= inst.no_mask && works(inst) && !ends(inst);
        }
        let interrupted =
            platform.needs(Erratum::PreemptionKeepsHeader) && !env.disable_mid_thread_preemption;
        Hardware {
            program,
            refused: findings
                .map(|finding| (finding.at as u32, finding.to_string()))
                .chain(illegal)
                .chain(marked)
                .chain(shared.map(|error| (error.at.1 as u32, error.what.to_string())))
                .collect(),
            late,
            unmasked,
            paired,
            late_modes: platform.needs(Erratum::SwitchOnUnscored),
            header: match interrupted {
                true => usize::from(platform.header_registers) * platform.grf_bytes as usize,
                false => 0,
            },
            entry: program
                .find(env.offset_to_skip_per_thread_data_load)
                .unwrap_or(0),
        }
    }

    /// Makes stores invisible to other threads where a fence is needed.
    pub fn start_group(&self, shared: &Shared) {
        shared.memory.hold_stores();
        if self.platform().slm_fence {
            shared.slm.hold_stores();
        }
    }

    /// Lets all see what a thread has stored.
    pub fn end(shared: &Shared, thread: u32) {
        shared.memory.release(thread);
        shared.slm.release(thread);
    }

    fn platform(&self) -> &'static Platform {
        self.program.platform()
    }

    /// Prepares for the next instruction; false if the thread's unit does not execute it.
    ///
    /// # Errors
    /// The hardware does not define the instruction.
    pub fn before(
        &self,
        thread: &mut Thread,
        uncertain: &mut Uncertain,
        shared: &Shared,
    ) -> Result<bool, Cause> {
        let Some((op, inst)) = self.program.op(thread.ip).zip(self.program.inst(thread.ip)) else {
            return Ok(true);
        };
        if let Some(rule) = self.refused.get(&thread.ip) {
            return Err(Cause::Refused { rule: rule.clone() });
        }
        if thread.ip == self.entry && uncertain.header.is_empty() {
            uncertain
                .header
                .extend_from_slice(&thread.grf[..self.header]);
        }
        uncertain.fences.retain(|fence| {
            let waited = fence.token.is_some_and(|token| waits_for(inst, token))
                || fence
                    .response
                    .is_some_and(|register| touches(op, register, thread));
            if waited && fence.local {
                shared.slm.release(thread.number);
            } else if waited {
                shared.memory.release(thread.number);
            }
            !waited
        });
        if let Some((mode, left)) = &mut uncertain.mode {
            *left -= 1;
            if *left == 0 {
                thread.mode = *mode;
                uncertain.mode = None;
            }
        }
        if op.wakes {
            uncertain.late.clear();
        }
        let late = self.late.get(&thread.ip);
        uncertain.late.extend(late.into_iter().flatten());
        let overwritten = |late: &&Late| writes(op, late.register.into(), thread);
        if let Some(late) = uncertain.late.iter().find(overwritten) {
            return Err(Cause::ReadLate {
                register: late.register.into(),
                at: self.program.op(late.message).map_or(0, |op| op.at),
            });
        }
        Ok(!self.paired || thread.active != 0 || !works(inst))
    }

    /// Makes what the instruction at `index` has done as uncertain as it is.
    ///
    /// # Errors
    /// An instruction that an idle thread executes fails.
    pub fn after(
        &self,
        thread: &mut Thread,
        uncertain: &mut Uncertain,
        shared: &mut Shared,
        index: u32,
        mode: FloatMode,
    ) -> Result<(), Cause> {
        let Some((op, inst)) = self.program.op(index).zip(self.program.inst(index)) else {
            return Ok(());
        };
        if let Path::Send(send) = &op.path
            && let Some(local) = send.form().and_then(fence_of_local)
        {
            uncertain.fences.push(Fence {
                response: send.response.map(|at| at / thread.register_bytes()),
                token: match inst.swsb.token {
                    Some((TokenUse::Set, token)) => Some(token),
                    _ => None,
                },
                local,
            });
        }
        let changes = matches!(
            op.dst.target,
            Target::File {
                file: File::Control,
                ..
            }
        );
        let guarded = inst.opts.switch || !self.late_modes;
        if changes && !guarded && !op.op.is_send() {
            uncertain.mode = Some((thread.mode, LATE_INSTRUCTIONS));
            thread.mode = mode;
        }
        if leaves_channels(op.op) && thread.active == 0 {
            for skipped in index + 1..thread.ip {
                self.run_idle(thread, shared, skipped)?;
            }
        }
        if !uncertain.header.is_empty() {
            thread.grf[..self.header].copy_from_slice(&uncertain.header);
        }
        if thread.status == Status::Ended {
            Hardware::end(shared, thread.number);
        }
        Ok(())
    }

    /// Executes an instruction without a mask for a thread without channels, whose partner is there.
    fn run_idle(&self, thread: &mut Thread, shared: &mut Shared, index: u32) -> Result<(), Cause> {
        let unmasked = self
            .unmasked
            .get(index as usize)
            .is_some_and(|unmasked| *unmasked);
        let Some(op) = self.program.op(index).filter(|_| unmasked) else {
            return Ok(());
        };
        match &op.path {
            Path::Branch | Path::Wait | Path::Barrier | Path::Systolic(_) => Ok(()),
            Path::Send(message) => send::send(thread, shared, op, message),
            _ => thread.execute(op),
        }
    }
}

/// True for a branch within a function that continues further on if it leaves no channel active.
fn leaves_channels(op: Op) -> bool {
    use Op::{Break, Cont, Else, Endif, Goto, If, Join};
    matches!(op, If | Else | Endif | Break | Cont | Goto | Join)
}

/// True for an instruction that does more than to branch or to wait.
fn works(inst: &Inst) -> bool {
    !inst.op.is_branch() && !matches!(inst.op, Op::Sync(_) | Op::Nop | Op::Wait)
}

fn ends(inst: &Inst) -> bool {
    inst.msg.is_some_and(|message| message.eot)
}

/// True for a fence of local memory, false for another fence; none for other messages.
fn fence_of_local(message: &Message) -> Option<bool> {
    match message.request.as_ref()?.kind {
        Kind::MemoryFence => Some(message.bti() == BTI_SLM),
        Kind::Fence => Some(message.function() == Function::LocalMemory),
        _ => None,
    }
}

/// True if an instruction waits until the message of a token is finished.
fn waits_for(inst: &Inst, token: u8) -> bool {
    let all = match (inst.op, inst.srcs.first()) {
        (Op::Sync(SyncFn::AllWr), Some(Src::Imm { bits, .. })) => *bits,
        (Op::Sync(SyncFn::AllWr), _) => u64::MAX,
        _ => 0,
    };
    let named = |(used, named)| used != TokenUse::Src && named == token;
    all >> token & 1 != 0 || inst.swsb.token.is_some_and(named)
}

/// True if an instruction reads or writes a register, so that hardware that detects hazards waits for it.
fn touches(op: &Operation, register: usize, thread: &Thread) -> bool {
    let size = thread.register_bytes();
    let reads = op.sources().iter().any(|src| {
        let Base::File {
            file: File::Grf,
            at,
        } = src.base
        else {
            return false;
        };
        (0..usize::from(op.lanes))
            .any(|lane| (usize::from(at) + src.steps.at(lane)) / size == register)
    });
    let sends = || match &op.path {
        Path::Send(send) => send.form().is_some_and(|message| {
            let payload = &message.payload[..message.payload_len];
            payload.iter().any(|at| usize::from(*at) / size == register)
        }),
        _ => false,
    };
    reads || sends() || writes(op, register, thread)
}

/// True if an instruction writes a register.
fn writes(op: &Operation, register: usize, thread: &Thread) -> bool {
    let size = thread.register_bytes();
    if let Path::Send(send) = &op.path {
        return send
            .response(thread)
            .any(|(written, _)| written == register);
    }
    let Target::File {
        file: File::Grf,
        at,
    } = op.dst.target
    else {
        return false;
    };
    let last = usize::from(at) + (usize::from(op.lanes) - 1) * usize::from(op.dst.step);
    (usize::from(at) / size..=last / size).contains(&register)
}
