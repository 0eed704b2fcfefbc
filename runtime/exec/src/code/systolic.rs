//! Systolic operations, resolved: the matrices and their shape.

use kiln_emit::inst::{self, Inst, Op, Place, RegFile, Src, Type};
use kiln_emit::platform::Platform;

use crate::state::cause::Cause;

/// Maximum number of rows and of steps.
const REPEAT_MAX: u8 = 8;
const DEPTH_MAX: u8 = 8;

/// A matrix: its first byte in the general registers, and its elements' type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    pub at: usize,
    pub ty: Type,
}

/// A systolic operation, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Systolic {
    pub shape: inst::Systolic,
    pub depth: usize,
    pub repeat: usize,
    pub lanes: usize,
    pub register: usize,
    pub result: Matrix,
    /// First source; `None` for zeros.
    pub addend: Option<Matrix>,
    /// The second and the third source.
    pub columns: Matrix,
    pub rows: Matrix,
    /// Number of elements in a step.
    pub step: usize,
    /// True if two threads share the third source.
    pub shared: bool,
}

/// True if systolic operations have elements of a type.
fn is_element(ty: Type) -> bool {
    use Type::*;
    matches!(ty, U2 | S2 | U4 | S4 | Ub | B | Bf8 | Hf | Bf | Tf32)
}

pub fn bits(ty: Type) -> usize {
    ty.bits() as usize
}

pub fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::B | Type::S4 | Type::S2)
}

impl Systolic {
    /// # Errors
    /// Operands that no systolic operation has, or that are outside the register file.
    pub fn new(inst: &Inst, shape: inst::Systolic, platform: &Platform) -> Result<Systolic, Cause> {
        let malformed = |what| Cause::Malformed { what };
        let file = (platform.grf_bytes * platform.grf_count) as usize;
        let matrix = |place, ty| match place {
            Place::Direct(reg) if reg.file == RegFile::Grf => Ok(Some(Matrix {
                at: (reg.num * platform.grf_bytes) as usize + usize::from(reg.byte),
                ty,
            })),
            Place::Direct(reg) if reg.file == RegFile::Null => Ok(None),
            Place::Direct(reg) => Err(Cause::Register {
                file: reg.file,
                num: reg.num,
            }),
            Place::Indirect { .. } => Err(malformed("an operand by address")),
        };
        let source = |n: usize| match inst.srcs.get(n) {
            Some(Src::Reg(src)) => matrix(src.place, src.ty),
            Some(Src::Imm { .. }) => Err(malformed("an immediate")),
            None => Err(malformed("too few sources")),
        };
        let missing = || malformed("a matrix is missing");
        let (columns, rows) = (
            source(1)?.ok_or_else(missing)?,
            source(2)?.ok_or_else(missing)?,
        );
        let dst = inst.dst.ok_or(malformed("no destination"))?;
        let result = matrix(dst.place, dst.ty)?.ok_or_else(missing)?;
        let refused = |ty| Cause::OpType { op: inst.op, ty };
        if let Some(ty) = [columns.ty, rows.ty]
            .into_iter()
            .find(|ty| !is_element(*ty))
        {
            return Err(refused(ty));
        }
        let floats = columns.ty.is_float();
        let matching = match result.ty {
            Type::D | Type::Ud => !floats,
            Type::F => floats,
            Type::Hf | Type::Bf => columns.ty == result.ty,
            _ => false,
        };
        if !matching || floats != rows.ty.is_float() || floats && columns.ty != rows.ty {
            return Err(refused(result.ty));
        }
        if shape.depth == 0
            || shape.depth > DEPTH_MAX
            || shape.repeat == 0
            || shape.repeat > REPEAT_MAX
        {
            return Err(malformed("a systolic operation of no such shape"));
        }
        let systolic = Systolic {
            shape,
            depth: shape.depth.into(),
            repeat: shape.repeat.into(),
            lanes: inst.exec_size.into(),
            register: platform.grf_bytes as usize,
            result,
            addend: source(0)?,
            columns,
            rows,
            step: inst::Systolic::step(columns.ty, rows.ty) as usize,
            shared: matches!(inst.op, Op::Dpasw(_)),
        };
        for (at, size) in systolic.reads().chain([systolic.writes()]) {
            if at + size > file {
                return Err(Cause::RegisterRange {
                    at: at + size - 1,
                    size: file,
                });
            }
        }
        Ok(systolic)
    }

    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Ranges of bytes that it reads in its own thread's registers: start and size.
    pub fn reads(&self) -> impl Iterator<Item = (usize, usize)> {
        let registers = (self.shape.column_registers(self.columns.ty, self.rows.ty)) as usize;
        let addend = self.addend.map(|m| (m.at, self.table_bytes(m.ty)));
        let columns = (self.columns.at, registers * self.register);
        let rows = match self.shared {
            // Size of the larger half.
            true => self.row_bytes().div_ceil(self.register).div_ceil(2) * self.register,
            false => self.row_bytes(),
        };
        addend.into_iter().chain([columns, (self.rows.at, rows)])
    }

    /// Range of bytes that it writes.
    pub fn writes(&self) -> (usize, usize) {
        (self.result.at, self.table_bytes(self.result.ty))
    }

    fn table_bytes(&self, ty: Type) -> usize {
        self.repeat * self.lanes * ty.bytes() as usize
    }

    /// Size of the third source in bytes.
    pub fn row_bytes(&self) -> usize {
        self.shape.row_bytes(self.columns.ty, self.rows.ty) as usize
    }
}
