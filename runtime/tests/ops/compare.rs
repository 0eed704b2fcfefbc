//! The executor beside the model, on instances of a kind.

use kiln_emit::inst::{Dst, Inst, Op, Reg, RegFile, Region, Src, Type};
use kiln_emit::platform::SKL;
use kiln_runtime::exec::{Cause, Registers};

use crate::instance::instance;
use crate::model::{GRF_BYTES, State};
use crate::random::Random;

/// Why a kind is not shown to be executed as the model has it.
#[derive(Debug)]
pub enum Difference {
    /// The model does not know it.
    Unknown(&'static str),
    /// The executor refuses it.
    Refused(String),
    /// They disagree.
    Wrong(String),
}

/// Executes so many instances of a kind both ways.
pub fn compare(kind: &Inst, instances: usize, seed: u64) -> Result<(), Difference> {
    let mut random = Random(seed | 1);
    for _ in 0..instances {
        let (inst, state) = instance(kind, &mut random);
        compare_one(&inst, state)?;
    }
    Ok(())
}

/// Executes an instruction both ways on the same registers.
pub fn compare_one(inst: &Inst, mut state: State) -> Result<(), Difference> {
    let refused = |e: Cause| Difference::Refused(format!("{inst}: {e}"));
    let mut registers = registers_of(&state).map_err(refused)?;
    let code = [
        fill_accumulator(inst),
        Some(inst.clone()),
        read_accumulator(inst, Op::Mov, 122),
        read_accumulator(inst, Op::Mach, 123),
    ];
    for inst in code.iter().flatten() {
        state.execute(inst).map_err(|e| Difference::Unknown(e.0))?;
        registers.execute(inst).map_err(refused)?;
    }
    let general = bytes(&registers, RegFile::Grf, state.general.len()).map_err(refused)?;
    let flags = state.flags.to_le_bytes();
    let (control, notification) = (
        state.control.to_le_bytes(),
        state.notification.to_le_bytes(),
    );
    let others: [(RegFile, &[u8]); 4] = [
        (RegFile::Addr, &state.address),
        (RegFile::Flag, &flags),
        (RegFile::Control, &control),
        (RegFile::Notification, &notification),
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
        at / GRF_BYTES,
        at % GRF_BYTES,
        hex(&general),
        hex(&state.general),
        state.active,
        state.control
    )))
}

/// The executor's registers with a state's contents.
pub fn registers_of(state: &State) -> Result<Registers, Cause> {
    let mut registers = Registers::new(state.active, &SKL);
    let mut set = |file, bytes: &[u8]| registers.set(Reg::new(file, 0, 0), bytes);
    set(RegFile::Grf, &state.general)?;
    set(RegFile::Addr, &state.address)?;
    set(RegFile::Flag, &state.flags.to_le_bytes())?;
    set(RegFile::Control, &state.control.to_le_bytes())?;
    Ok(registers)
}

/// The first bytes of a register file.
fn bytes(registers: &Registers, file: RegFile, size: usize) -> Result<Vec<u8>, Cause> {
    let mut bytes = vec![0; size];
    registers.get(Reg::new(file, 0, 0), &mut bytes)?;
    Ok(bytes)
}

/// The first element that differs; any two that are not numbers are equal.
fn first_difference(found: &[u8], expected: &[u8], ty: Type) -> Option<usize> {
    let size = ty.bytes() as usize;
    let is_nan = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        match ty {
            Type::Hf => half::f16::from_bits(bits as u16).is_nan(),
            Type::F => f32::from_bits(bits as u32).is_nan(),
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
fn accumulator_type(inst: &Inst) -> Option<Type> {
    let is =
        |place| matches!(place, kiln_emit::inst::Place::Direct(reg) if reg.file == RegFile::Acc);
    let uses = matches!(inst.op, Op::Mac | Op::Mach | Op::Addc | Op::Subb)
        || inst.opts.acc_wr_en
        || inst.dst.is_some_and(|d| is(d.place))
        || inst
            .srcs
            .iter()
            .any(|s| matches!(s, Src::Reg(r) if is(r.place)));
    let signed = inst.srcs.iter().any(|s| s.ty().is_signed());
    uses.then_some(if signed { Type::D } else { Type::Ud })
}

/// A product of 48 bits in each lane.
fn fill_accumulator(inst: &Inst) -> Option<Inst> {
    let ty = accumulator_type(inst)?;
    let mut fill = Inst::new(Op::Mul, 8);
    fill.no_mask = true;
    fill.dst = Some(Dst::new(ACCUMULATOR, 1, ty));
    fill.srcs
        .push(Src::reg(Reg::grf(120), Region::packed(8), ty));
    fill.srcs
        .push(Src::reg(Reg::grf(121), Region::packed(8), Type::Uw));
    Some(fill)
}

/// Brings the lower or (with `mach` by nothing) the upper half of each lane to a register.
fn read_accumulator(inst: &Inst, op: Op, to: u32) -> Option<Inst> {
    let ty = accumulator_type(inst)?;
    let mut read = Inst::new(op, 8);
    read.no_mask = true;
    read.dst = Some(Dst::new(Reg::grf(to), 1, ty));
    if op == Op::Mov {
        read.srcs.push(Src::reg(ACCUMULATOR, Region::packed(8), ty));
    } else {
        read.srcs
            .push(Src::reg(Reg::grf(120), Region::packed(8), ty));
        read.srcs.push(Src::imm(ty, 0));
    }
    Some(read)
}
