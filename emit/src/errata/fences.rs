//! Fences: those before the end of a thread that writes memory, and the waits for them.
//!
//! Without a software scoreboard a thread waits for a fence only where it reads the register that the fence writes. With
//! one, the next message waits for the fence's token.

use super::{ends_thread, read};
use crate::assemble::Program;
use crate::encoding::spec;
use crate::inst::{Dst, Inst, Op, Place, Reg, Region, Src, Type};
use crate::messages::load_store::is_kept;
use crate::messages::{
    Access, AddressKind, Descriptors, Flush, Function, Kind, Request, Scope, Value, data_port,
};
use crate::platform::{MessageFamily, Platform};

/// Reads the response of each fence directly after it.
pub(super) fn read_responses(program: &mut Program, platform: &Platform) {
    if spec(platform).swsb.is_some() {
        return;
    }
    super::insert_after(program, |inst| {
        is_fence(inst, platform).then(|| response(inst))?
    });
}

fn response(fence: &Inst) -> Option<Inst> {
    match fence.dst?.place {
        Place::Direct(reg) if super::general(reg) => Some(read(8, reg)),
        _ => None,
    }
}

/// True for a message that is known to be a fence, or a flush of the sampler cache, with a response.
pub(super) fn is_fence(inst: &Inst, platform: &Platform) -> bool {
    let of = inst.msg.as_ref().and_then(Descriptors::of);
    let request = of.and_then(|of| Request::decode(of, platform.family).ok());
    request.is_some_and(|request| request.kind.is_fence() && request.response > 0)
}

/// Fences before the end of a thread that writes memory. The payload of the last message, which is a copy of r0, is the
/// fence's, too.
pub(super) fn before_end(program: &mut Program, platform: &Platform) {
    let insts = program.blocks.iter().flatten();
    if insts
        .filter(|inst| inst.op.is_send())
        .any(|inst| writes_memory(inst, platform))
    {
        super::insert(program, |block, at| {
            let end = ends_thread(&block[at]).then_some(&block[at])?;
            fence(end, platform)
        });
    }
}

/// True for a message that may write memory of other threads, and passes the first cache by or through.
fn writes_memory(inst: &Inst, platform: &Platform) -> bool {
    let of = inst.msg.as_ref().and_then(Descriptors::of);
    let request = of.and_then(|of| Request::decode(of, platform.family).ok());
    let Some(request) = request else {
        return !ends_thread(inst);
    };
    let scratch = matches!(request.kind, Kind::HwordScratchBlockWrite)
        || request.fields.address == Some(AddressKind::SurfaceState);
    let answered = request.response > 0 && platform.memory == MessageFamily::LoadStore;
    let untyped = matches!(
        request.function,
        Function::DataPort0 | Function::DataPort1 | Function::Untyped
    );
    let cache = request.fields.cache.filter(|_| request.kind == Kind::Store);
    let kept = cache.is_some_and(|cache| is_kept(cache, platform.family));
    let writes = request.kind.access() == Access::Write;
    untyped && writes && !scratch && !answered && !kept
}

fn fence(end: &Inst, platform: &Platform) -> Option<Inst> {
    let request = match platform.memory {
        MessageFamily::DataPort => data_port::memory_fence(true),
        MessageFamily::LoadStore => Request::new(Function::Untyped, Kind::Fence)
            .with(Value::Scope(Scope::Tile))
            .with(Value::Flush(Flush::Nothing)),
    };
    let Some(Src::Reg(header)) = end.srcs.first() else {
        return None;
    };
    let Place::Direct(reg) = header.place else {
        return None;
    };
    let descriptors = request.lengths(1, 0, 1).encode(platform.family).ok()?;
    let mut send = Inst::new(Op::Send, 8);
    send.no_mask = true;
    // All other registers are dead at the end.
    send.dst = Some(Dst::new(Reg::grf(reg.num.checked_sub(1)?), 1, Type::Ud));
    send.srcs
        .push(Src::reg(Reg::grf(reg.num), Region::packed(8), Type::Ud));
    send.msg = Some(descriptors.message());
    Some(send)
}
