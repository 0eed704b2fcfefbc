//! Layout of raw operands in their variables.
//!
//! A raw operand has no size in vISA: it follows from other fields of the instruction. The opcode table has a
//! [`Raw`] for each raw operand that the specification describes, and [`RawAccess`] is its value for one
//! instruction. Verifier, IR and instruction selection use it. The size of an operand without a [`Raw`] is unknown;
//! passes that need it refuse the instruction.

use kiln_platform::isa::{Systolic, Type};

use crate::lsc::TRANSPOSED;
use crate::module::{Inst, Object, Operand};
use crate::opcode::{Atomic, ChannelMask, Field, LscOp, Meaning, Opcode, svm_block_bytes};

pub use crate::opcode::{Amount, Raw};

/// The shape of a raw operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum RawShape {
    /// `planes` rows of one element of `bytes` a channel; each row begins a GRF.
    Lanes { bytes: u32, planes: u32 },
    /// `bytes` without channels.
    Block { bytes: u32 },
}

/// Access of a raw operand: its shape, and the bytes that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawAccess {
    /// Shape of the access.
    pub shape: RawShape,
    /// True if a block is written only in part, under the execution mask. Other blocks are written whole; all are
    /// read whole.
    pub masked: bool,
}

impl RawShape {
    /// Bytes from one plane to the next; `grf` are the bytes of a register. Messages have a channel for each of its
    /// dwords at least.
    pub fn plane_stride(bytes: u32, exec_size: u8, grf: u32) -> u32 {
        (bytes * u32::from(exec_size).max(grf / 4)).next_multiple_of(grf)
    }

    /// Bytes from the start of the operand to its end.
    pub fn extent(self, exec_size: u8, grf: u32) -> u32 {
        match self {
            RawShape::Block { bytes } => bytes,
            RawShape::Lanes { planes: 0, .. } => 0,
            RawShape::Lanes { bytes, planes } => {
                let before =
                    RawShape::plane_stride(bytes, exec_size, grf).saturating_mul(planes - 1);
                before.saturating_add(bytes * u32::from(exec_size))
            }
        }
    }
}

impl Raw {
    /// Access of an operand with this rule; `own` is the size of its variable's type, `grf` of a register. `None`
    /// if the fields are invalid.
    pub fn access(self, inst: &Inst, own: Option<u32>, grf: u32) -> Option<RawAccess> {
        let of = |amount: Amount| amount.of(inst, own, grf);
        let whole = |shape| RawAccess {
            shape,
            masked: false,
        };
        Some(match self {
            Raw::Lanes(bytes, planes) => whole(RawShape::Lanes {
                bytes: of(bytes)?,
                planes: of(planes)?,
            }),
            Raw::Block(bytes) => whole(RawShape::Block { bytes: of(bytes)? }),
            Raw::Opaque(bytes) => RawAccess {
                shape: RawShape::Block { bytes: of(bytes)? },
                masked: true,
            },
            Raw::Sampled(planes) => {
                let (bytes, planes) = (of(Amount::OwnType)?, of(planes)?);
                if number(inst, Meaning::SamplerOp, 0)? & NULL_MASK == 0 {
                    whole(RawShape::Lanes { bytes, planes })
                } else {
                    let pixels = RawShape::plane_stride(bytes, inst.exec.size, grf) * planes;
                    RawAccess {
                        shape: RawShape::Block {
                            bytes: pixels + grf,
                        },
                        masked: true,
                    }
                }
            }
            Raw::Table => {
                let (Product { shape, .. }, bytes) = (product(inst)?, of(Amount::OwnType)?);
                let repeat = u32::from(shape.repeat);
                match RawShape::plane_stride(bytes, inst.exec.size, grf) {
                    stride if stride == bytes * u32::from(inst.exec.size) => {
                        whole(RawShape::Lanes {
                            bytes,
                            planes: repeat,
                        })
                    }
                    // Rows of less than a register.
                    _ => RawAccess {
                        shape: RawShape::Block {
                            bytes: bytes * u32::from(inst.exec.size) * repeat,
                        },
                        masked: true,
                    },
                }
            }
            Raw::Columns => {
                let Product {
                    shape,
                    columns,
                    rows,
                } = product(inst)?;
                whole(RawShape::Block {
                    bytes: shape.column_registers(columns, rows) * grf,
                })
            }
            Raw::Rows => {
                let Product {
                    shape,
                    columns,
                    rows,
                } = product(inst)?;
                let bytes = shape.row_bytes(columns, rows);
                whole(RawShape::Block {
                    bytes: match inst.op {
                        // Each of two threads has half of the registers.
                        Opcode::Dpasw => bytes.div_ceil(grf).div_ceil(2) * grf,
                        _ => bytes,
                    },
                })
            }
            Raw::LscData if number(inst, Meaning::LscOp, 0)? == LscOp::STATE_INFO => {
                whole(RawShape::Block {
                    bytes: STATE_INFO_BYTES,
                })
            }
            Raw::LscBlock2d => whole(RawShape::Block {
                bytes: lsc_block_2d(inst, grf)?,
            }),
            Raw::LscAddress => {
                let bytes = of(Amount::LscAddress)?;
                whole(match number(inst, Meaning::LscDataOrder, 0)? {
                    TRANSPOSED => RawShape::Block { bytes },
                    _ => RawShape::Lanes { bytes, planes: 1 },
                })
            }
            Raw::LscData => {
                let (bytes, planes) = lsc_data(inst)?;
                whole(match number(inst, Meaning::LscDataOrder, 0)? {
                    TRANSPOSED => RawShape::Block {
                        bytes: bytes * planes,
                    },
                    _ => RawShape::Lanes { bytes, planes },
                })
            }
        })
    }
}

/// Bytes of the information about a surface's state.
const STATE_INFO_BYTES: u32 = 64;

/// Bit of a sampler operation that asks for the mask of null pixels.
const NULL_MASK: u32 = 1 << 8;

/// `vme_ime`: stream modes, and the search control with two records.
const STREAM_NONE: u32 = 0;
const STREAM_OUT: u32 = 1;
const STREAM_IN: u32 = 2;
const DUAL_RECORDS: u32 = 3;

/// Number of channels of `sample` and `load` in a mode.
fn sample_size(mode: u32) -> u32 {
    if mode & 16 == 0 { 8 } else { 16 }
}

impl Amount {
    fn of(self, inst: &Inst, own: Option<u32>, grf: u32) -> Option<u32> {
        let n = |meaning| number(inst, meaning, 0);
        Some(match self {
            Amount::Is(n) => n,
            Amount::OwnType => own?.clamp(2, 4),
            Amount::Channels => channels(n(Meaning::Channels)?)?,
            Amount::AtomicElement => {
                let bits = Atomic::from_number(n(Meaning::Atomic)?)?.bits;
                u32::from(bits).max(32) / 8
            }
            Amount::Owords(meaning) => 16 << (n(meaning)? & 7).min(4),
            Amount::SvmElement => match svm_block_bytes(n(Meaning::SvmBlockSize)?)? {
                1 if n(Meaning::BlockCount)? & 3 < 3 => 4,
                1 => 8,
                bytes => bytes,
            },
            Amount::SvmPlanes => match svm_block_bytes(n(Meaning::SvmBlockSize)?)? {
                1 => 1,
                _ => 1 << (n(Meaning::BlockCount)? & 3),
            },
            Amount::Blocks => 1 << (n(Meaning::BlockCount)? & 3),
            Amount::MediaBlock => rows_bytes(n(Meaning::PairFirst)?, n(Meaning::PairSecond)?),
            Amount::TypedBlock => rows_bytes(n(Meaning::LscWidth)?, n(Meaning::LscHeight)?),
            Amount::Number(meaning, nth) => number(inst, meaning, nth)? & 0xff,
            Amount::Grfs(meaning, nth) => (number(inst, meaning, nth)? & 0xff) * grf,
            Amount::UnormPixels => 64 * channels(n(Meaning::SampleFormat)? & 0xf)?,
            Amount::AvsPixels => avs_bytes(
                n(Meaning::Channels)?,
                n(Meaning::AvsControl)?,
                n(Meaning::AvsExec)?,
            )?,
            Amount::ImeInput => match (n(Meaning::PairFirst)?, n(Meaning::PairSecond)?) {
                (STREAM_NONE | STREAM_OUT, _) => 64,
                (_, DUAL_RECORDS) => 192,
                _ => 128,
            },
            Amount::ImeOutput => match (n(Meaning::PairFirst)?, n(Meaning::PairSecond)?) {
                (STREAM_NONE | STREAM_IN, _) => 224,
                (_, DUAL_RECORDS) => 352,
                _ => 288,
            },
            Amount::SampleRow => 4 * sample_size(n(Meaning::SampleMode)?),
            Amount::SamplePixels => {
                let mode = n(Meaning::SampleMode)?;
                4 * sample_size(mode) * channels(mode & 0xf)?
            }
            Amount::LscAddress => match n(Meaning::LscAddressSize)? {
                1 => 2,
                3 => 8,
                _ => 4,
            },
        })
    }
}

fn channels(mask: u32) -> Option<u32> {
    ChannelMask::from_number(mask).map(ChannelMask::count)
}

/// Bytes of the pixels that `avs` gives. Downsampled, red and blue have one for two pixels; of eight
/// bits, the one of them that is not enabled keeps its place if the other is.
fn avs_bytes(mask: u32, control: u32, mode: u32) -> Option<u32> {
    const RED_BLUE: u32 = 0b0101;
    let pixels = *[64, 32, 128, 16].get(mode as usize)?;
    let bytes = if control < 2 { 2 } else { 1 };
    let all = channels(mask)?;
    let halves = match (control, (mask & RED_BLUE).count_ones()) {
        (1, n) => n,
        (3, 1..) => 2,
        _ => 0,
    };
    let full = all - (mask & RED_BLUE).count_ones();
    let downsampled = control & 1 == 1;
    Some(
        bytes
            * pixels
            * if downsampled {
                2 * full + halves
            } else {
                2 * all
            }
            / 2,
    )
}

/// Bytes of the rows of a block of an image, each of a power of two of bytes and at least a dword.
fn rows_bytes(width: u32, height: u32) -> u32 {
    (width & 0xff).next_power_of_two().max(4) * (height & 0xff)
}

/// Numbers of elements that [`Meaning::LscElements`] stands for.
pub const LSC_ELEMENTS: [u32; 9] = [0, 1, 2, 3, 4, 8, 16, 32, 64];

/// Bytes of an element and elements of a channel.
fn lsc_data(inst: &Inst) -> Option<(u32, u32)> {
    let n = |meaning| number(inst, meaning, 0);
    let bytes = match n(Meaning::LscDataSize)? {
        1 => 1,
        2 => 2,
        4 => 8,
        _ => 4,
    };
    let count = match n(Meaning::LscElements) {
        _ if LscOp::has_channels(n(Meaning::LscOp)?) => n(Meaning::LscChannels)?.count_ones(),
        Some(elements) => *LSC_ELEMENTS.get(elements as usize)?,
        None => 1,
    };
    Some((bytes, count))
}

/// Bytes of a two-dimensional block in registers: rows of a power of two of elements, each block in whole registers.
fn lsc_block_2d(inst: &Inst, grf: u32) -> Option<u32> {
    let n = |meaning| number(inst, meaning, 0);
    let (bytes, _) = lsc_data(inst)?;
    let (width, height) = (n(Meaning::LscWidth)?, n(Meaning::LscHeight)?);
    let (row, rows) = match n(Meaning::LscDataOrder)? {
        2 => (height, width),
        _ => (width, height),
    };
    let block = (row.next_power_of_two() * bytes).checked_mul(rows)?;
    block
        .next_multiple_of(grf)
        .checked_mul(n(Meaning::LscBlocks)?)
}

/// A product of matrices (`dpas`): its shape, and the types of the elements of the second and third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Depth and number of repetitions.
    pub shape: Systolic,
    /// Type of the elements of the second source.
    pub columns: Type,
    /// Type of the elements of the third source.
    pub rows: Type,
}

/// The product that an instruction is, if it is one with a shape and types that hardware has.
pub fn product(inst: &Inst) -> Option<Product> {
    let [rows, columns, depth, repeat] = number(inst, Meaning::Systolic, 0)?.to_le_bytes();
    let ty = |precision: u8| {
        Some(match precision {
            3 => Type::U2,
            4 => Type::S2,
            5 => Type::U4,
            6 => Type::S4,
            7 => Type::Ub,
            8 => Type::B,
            9 => Type::Bf,
            10 => Type::Hf,
            11 => Type::Bf8,
            12 => Type::Tf32,
            _ => return None,
        })
    };
    let valid = matches!(depth, 1 | 2 | 4 | 8) && (1..=8).contains(&repeat);
    let (columns, rows) = (ty(columns)?, ty(rows)?);
    valid.then_some(Product {
        shape: Systolic { depth, repeat },
        columns,
        rows,
    })
}

/// The `nth` number of that meaning that the instruction has.
pub fn number(inst: &Inst, meaning: Meaning, nth: usize) -> Option<u32> {
    let is = |(_, field): &(usize, Field)| matches!(field, Field::Number(_, m) if *m == meaning);
    let mut found = inst.op.row().operand_fields().enumerate().filter(is);
    match found.nth(nth).and_then(|(i, _)| inst.operands.get(i)) {
        Some(Operand::Field(n)) => Some(*n),
        _ => None,
    }
}

/// The access of operand `at` of the instruction, if its shape is known; `grf` are the bytes of a register.
pub fn raw_access(object: &Object, inst: &Inst, at: usize, grf: u32) -> Option<RawAccess> {
    let own = match inst.operands.get(at)? {
        Operand::Raw { var, .. } | Operand::General { var, .. } => {
            object.vars.get(*var)?.ty.bytes()
        }
        _ => return None,
    };
    let (_, raw) = inst.op.row().operands_of(inst).nth(at)?;
    raw?.access(inst, Some(own), grf)
}
