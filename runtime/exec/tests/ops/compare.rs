//! The executor beside the model, on instances of a kind.

use kiln_emit::inst::{Dst, Inst, Op, Reg, RegFile, Region, Src, Type};
use kiln_emit::platform::{Payload, Platform};
use kiln_exec::{Cause, Registers};

use crate::instance::instance;
use crate::model::State;
use crate::random::Random;

/// Reasons why a kind is not shown to be executed right.
#[derive(Debug)]
pub enum Difference {
    /// The model does not know it.
    Unknown(&'static str),
    /// The executor refuses it.
    Refused(String),
    /// The results differ.
    Wrong(String),
}

/// Executes a number of instances of a kind both ways.
pub fn compare(
    kind: &Inst,
    platform: &'static Platform,
    instances: usize,
    seed: u64,
) -> Result<(), Difference> {
    let mut random = Random(seed | 1);
    for _ in 0..instances {
        let (inst, state) = instance(kind, platform, &mut random);
        compare_one(&inst, state)?;
    }
    Ok(())
}

/// Executes an instruction both ways on the same registers.
pub fn compare_one(inst: &Inst, mut state: State) -> Result<(), Difference> {
    let refused = |e: Cause| Difference::Refused(format!("{inst}: {e}"));
    let mut registers = registers_of(&state).map_err(refused)?;
    let accumulator = accumulator_type(inst, &state);
    let mut code = vec![inst.clone()];
    if let Some(ty) = accumulator {
        code.insert(0, fill_accumulator(ty));
        code.push(read_accumulator(ty, Op::Mov));
    }
    if let Some(ty) = accumulator.filter(|ty| !ty.is_float()) {
        code.push(read_accumulator(ty, Op::Mach));
    }
    for inst in &code {
        state.execute(inst).map_err(|e| Difference::Unknown(e.0))?;
        registers.execute(inst).map_err(refused)?;
    }
    let general = bytes(&registers, RegFile::Grf, state.general.len()).map_err(refused)?;
    let flags = state.flags.to_le_bytes();
    let (control, notification) = (
        state.control.to_le_bytes(),
        state.notification.to_le_bytes(),
    );
    let thread_state = state.thread_state.to_le_bytes();
    let others: [(RegFile, &[u8]); 5] = [
        (RegFile::Addr, &state.address),
        (RegFile::Flag, &flags),
        (RegFile::Control, &control),
        (RegFile::Notification, &notification),
        (RegFile::State, &thread_state),
    ];
    for (file, expected) in others {
        let found = bytes(&registers, file, expected.len()).map_err(refused)?;
        if found != expected {
            return Err(Difference::Wrong(format!(
                "{inst}\n  {file:?} is {found:02x?}, should be {expected:02x?}; channels {:#x}, cr0 {:#x}",
                state.active, state.control
            )));
        }
    }
    let ty = inst.dst.map_or(Type::Ud, |d| d.ty);
    let Some(at) = first_difference(&general, &state.general, ty) else {
        return Ok(());
    };
    let hex = |of: &[u8]| format!("{:02x?}", &of[at..at + ty.bytes() as usize]);
    Err(Difference::Wrong(format!(
        "{inst}\n  r{}.{} is {}, should be {}; channels {:#x}, cr0 {:#x}",
        at / state.grf_bytes(),
        at % state.grf_bytes(),
        hex(&general),
        hex(&state.general),
        state.active,
        state.control
    )))
}

/// The executor's registers with a state's contents.
pub fn registers_of(state: &State) -> Result<Registers, Cause> {
    let mut registers = Registers::new(state.active, state.platform);
    let mut set = |file, bytes: &[u8]| registers.set(Reg::new(file, 0, 0), bytes);
    set(RegFile::Grf, &state.general)?;
    set(RegFile::Addr, &state.address)?;
    set(RegFile::Flag, &state.flags.to_le_bytes())?;
    set(RegFile::Control, &state.control.to_le_bytes())?;
    set(RegFile::State, &state.thread_state.to_le_bytes())?;
    if state.platform.payload == Payload::Memory {
        set(RegFile::MessageControl, &state.message_state.to_le_bytes())?;
    }
    Ok(registers)
}

/// The first bytes of a register file.
fn bytes(registers: &Registers, file: RegFile, size: usize) -> Result<Vec<u8>, Cause> {
    let mut bytes = vec![0; size];
    registers.get(Reg::new(file, 0, 0), &mut bytes)?;
    Ok(bytes)
}

/// The first element that differs; all NaNs are equal.
fn first_difference(found: &[u8], expected: &[u8], ty: Type) -> Option<usize> {
    let size = ty.bytes() as usize;
    let is_nan = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        match ty {
            Type::Hf => half::f16::from_bits(bits as u16).is_nan(),
            Type::Bf => half::bf16::from_bits(bits as u16).is_nan(),
            Type::Bf8 => bits & 0x7f > 0x7c,
            Type::F | Type::Tf32 => f32::from_bits(bits as u32).is_nan(),
            Type::Df => f64::from_bits(bits).is_nan(),
            _ => false,
        }
    };
    let elements = found.chunks_exact(size).zip(expected.chunks_exact(size));
    elements
        .enumerate()
        .find(|(_, (a, b))| a != b && !(is_nan(a) && is_nan(b)))
        .map(|(index, _)| index * size)
}

const ACCUMULATOR: Reg = Reg {
    file: RegFile::Acc,
    num: 0,
    byte: 0,
};

/// The type that an instruction takes the accumulator's lanes as, if it uses it.
pub fn accumulator_type(inst: &Inst, state: &State) -> Option<Type> {
    let is =
        |place| matches!(place, kiln_emit::inst::Place::Direct(reg) if reg.file == RegFile::Acc);
    let named = inst.srcs.iter().filter_map(|src| match src {
        Src::Reg(r) if is(r.place) => Some(r.ty),
        _ => None,
    });
    let written = inst.dst.filter(|d| is(d.place)).map(|d| d.ty);
    let mut named = named.chain(written);
    let float = named.clone().find(|ty| ty.is_float());
    let implicit = matches!(inst.op, Op::Mac | Op::Mach | Op::Macl | Op::Addc | Op::Subb);
    let uses = named.next().is_some() || implicit || state.writes_accumulator(inst);
    if !uses {
        return None;
    }
    let types = || inst.srcs.iter().map(Src::ty);
    let computed = types().find(|ty| ty.is_float());
    float
        .or(computed)
        .or(Some(match types().any(Type::is_signed) {
            true => Type::D,
            false => Type::Ud,
        }))
}

/// Registers that the accumulator is filled from and read to.
pub const FROM: u32 = 120;
const TO: [u32; 2] = [122, 123];

/// A product of 48 bits in each lane, or a float.
fn fill_accumulator(ty: Type) -> Inst {
    let op = if ty.is_float() { Op::Mov } else { Op::Mul };
    let mut fill = Inst::new(op, 8);
    fill.no_mask = true;
    fill.dst = Some(Dst::new(ACCUMULATOR, 1, ty));
    let from = |num, ty| Src::reg(Reg::grf(num), Region::packed(8), ty);
    fill.srcs.push(from(FROM, ty));
    if !ty.is_float() {
        fill.srcs.push(from(FROM + 1, Type::Uw));
    }
    fill
}

/// Brings the lower or (with `mach` by nothing) the upper half of each lane to a register.
fn read_accumulator(ty: Type, op: Op) -> Inst {
    let mut read = Inst::new(op, 8);
    read.no_mask = true;
    if op == Op::Mov {
        read.dst = Some(Dst::new(Reg::grf(TO[0]), 1, ty));
        read.srcs.push(Src::reg(ACCUMULATOR, Region::packed(8), ty));
    } else {
        read.dst = Some(Dst::new(Reg::grf(TO[1]), 1, ty));
        read.srcs
            .push(Src::reg(Reg::grf(FROM), Region::packed(8), ty));
        read.srcs.push(Src::imm(ty, 0));
        read.opts.acc_wr_en = true;
    }
    read
}
