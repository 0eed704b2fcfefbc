//! Messages to the shared functions: `send` and `sends`.
//!
//! Descriptors are decoded to typed requests by the tables of `kiln_emit::messages`. The effects follow the PRM, vol.
//! 7, "Shared Functions — Data Port". The access of every enabled channel is checked before it is performed.

use kiln_emit::messages::{Function, Kind};

use super::atomic::{Atomic, atomic};
use super::block;
use super::load_store;
use super::payload::{byte_count, channels, elements, fill, header_dword};
use super::sampler;
use super::scatter::{Scatter, scatter_a32, untyped};
use super::typed::{self, Texels};
use crate::code::operation::Operation;
use crate::code::send::{Message, Send};
use crate::state::cause::Cause;
use crate::state::memory::Shared;
use crate::state::thread::{Status, Thread};

/// Executes a `send`.
pub fn send(
    thread: &mut Thread,
    shared: &mut Shared,
    op: &Operation,
    send: &Send,
) -> Result<(), Cause> {
    // A barrier, and the end of a thread, need no more of the message.
    if let Some(message) = &send.ready
        && send.gathered.is_none()
    {
        match (Function::of(message.descriptors.sfid), send.eot) {
            (Function::Gateway, false) => return gateway(thread, shared, message),
            (Function::Spawner | Function::Gateway, true) => {
                thread.status = Status::Ended;
                return Ok(());
            }
            _ => {}
        }
    }
    let mut message = send.exact(thread)?.into_owned();
    if let Some(at) = send.gathered {
        message.gather(&thread.scalar[at..], thread.platform.grf_count)?;
    }
    message.enabled = thread.enabled(op);
    message.ungated = op.ungated != 0;
    message.lanes = usize::from(op.lanes);
    if send.eot {
        thread.status = Status::Ended;
    }
    match Function::of(message.descriptors.sfid) {
        Function::Spawner => Ok(()),
        Function::Gateway if send.eot => Ok(()),
        Function::Sampler => sampler::send(thread, shared, &message),
        Function::Gateway => gateway(thread, shared, &message),
        Function::DataPort0 | Function::DataPort1 | Function::ReadOnlyPort => {
            data_port(thread, shared, &message)
        }
        Function::Untyped | Function::UntypedLow | Function::LocalMemory | Function::Typed => {
            load_store::send(thread, shared, &message)
        }
        _ => Err(message.unknown()),
    }
}

/// Signals a barrier.
fn gateway(thread: &Thread, shared: &mut Shared, message: &Message) -> Result<(), Cause> {
    match message.request()?.kind {
        Kind::Barrier if thread.platform.barriers == 1 => {
            shared.barriers.arrive();
            Ok(())
        }
        // The group's barrier is the first of the named ones, with all threads on both sides.
        Kind::Barrier | Kind::NamedBarrier => {
            let dword = header_dword(thread, message, 2)?;
            shared.barriers.arrive_at(thread.number, dword)
        }
        _ => Err(message.unknown()),
    }
}

fn data_port(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    use Kind::*;
    let request = m.request()?;
    match request.kind {
        HwordScratchBlockRead | HwordScratchBlockWrite => block::scratch(thread, shared, m),
        OwordBlockRead
        | AlignedOwordBlockRead
        | OwordBlockWrite
        | ConstantOwordBlockRead
        | ConstantAlignedOwordBlockRead => block::surface(thread, shared, m),
        A64OwordBlockRead
        | A64AlignedOwordBlockRead
        | A64HwordBlockRead
        | A64OwordBlockWrite
        | A64AlignedOwordBlockWrite
        | A64HwordBlockWrite => block::address(thread, shared, m),
        ByteGather | ByteScatter => {
            let write = request.kind == ByteScatter;
            scatter_a32(thread, shared, m, write, (4, byte_count(m)?, 1))
        }
        DwordGather | DwordScatter | ConstantDwordGather => {
            let write = request.kind == DwordScatter;
            scatter_a32(thread, shared, m, write, (4, 4, 4))
        }
        QwordGather | QwordScatter => {
            let write = request.kind == QwordScatter;
            scatter_a32(thread, shared, m, write, (8, 8, 8))
        }
        A64ByteGather | A64ByteScatter => {
            let write = request.kind == A64ByteScatter;
            let scatter = Scatter {
                alignment: 1,
                ..Scatter::a64(m, 4, byte_count(m)?, elements(m), write)?
            };
            scatter.run(thread, shared, m)
        }
        A64DwordGather | A64DwordScatter => {
            let write = request.kind == A64DwordScatter;
            Scatter::a64(m, 4, 4, elements(m), write)?.run(thread, shared, m)
        }
        A64QwordGather | A64QwordScatter => {
            let write = request.kind == A64QwordScatter;
            Scatter::a64(m, 8, 8, elements(m), write)?.run(thread, shared, m)
        }
        UntypedSurfaceRead | UntypedSurfaceWrite => untyped(thread, shared, m, 4),
        A64UntypedSurfaceRead | A64UntypedSurfaceWrite => untyped(thread, shared, m, 8),
        UntypedAtomic | UntypedFloatAtomic => {
            atomic(thread, shared, m, Atomic::new(m, channels(m)?, 4, 4)?)
        }
        A64UntypedAtomic => {
            let size = if request.fields.bits == Some(64) {
                8
            } else {
                4
            };
            atomic(
                thread,
                shared,
                m,
                Atomic::new(m, m.register() / 4, 8, size)?,
            )
        }
        A64UntypedFloatAtomic => atomic(thread, shared, m, Atomic::new(m, m.register() / 4, 8, 4)?),
        TypedSurfaceRead => Texels::of_group(m)?.read(thread, shared),
        TypedSurfaceWrite => Texels::of_group(m)?.write(thread, shared),
        TypedAtomic => {
            let atomic = Atomic::new(m, 8, 4, 4)?;
            Texels::of_group(m)?.atomic(thread, shared, &atomic)
        }
        MediaBlockRead => typed::media_block(thread, shared, m, false),
        MediaBlockWrite => typed::media_block(thread, shared, m, true),
        // Accesses are in order here. The fence may report its completion.
        MemoryFence => {
            if let (Some(at), 1..) = (m.response, m.response_len()) {
                let zeros = [0; 64];
                fill(thread, m, at, &zeros[..m.register()])?;
            }
            Ok(())
        }
        _ => Err(m.unknown()),
    }
}
