//! Rules of messages to surfaces and to the sampler: surfaces, number and types of parameters, `%null` operands,
//! and count of blocks.

use super::facts::{ATOMIC_TYPES, Types};
use super::{FindingKind, Verifier};
use crate::module::{Inst, Operand, Subject, Type, Var, predefined};
use crate::opcode::{Atomic, AtomicOp, Field, Opcode};
use kiln_platform::platform::Generation;

/// Maximum size in bytes of a block that one message moves.
const MAX_BLOCK_BYTES: u32 = 256;
const MAX_ROW_BYTES: u32 = 64;

/// Number of parameters of each operation of the sampler, by its number (tables of the pages 3D_SAMPLE, 3D_LOAD and
/// 3D_SAMPLE4). The last on newer hardware is a pair of surfaces.
const PARAMETERS: &[(Opcode, &[(u32, usize)])] = &[
    (
        Opcode::Sample3d,
        &[
            (0, 4),
            (1, 5),
            (2, 5),
            (3, 5),
            (4, 10),
            (5, 6),
            (6, 6),
            (9, 4),
            (12, 4),
            (17, 13),
            (18, 5),
            (19, 6),
            (20, 11),
            (24, 4),
            (25, 5),
            (32, 5),
            (33, 5),
            (34, 5),
            (35, 5),
            (36, 9),
            (38, 6),
            (56, 4),
            (57, 5),
            (58, 6),
            (59, 11),
        ],
    ),
    (
        Opcode::Load3d,
        &[(7, 4), (26, 3), (27, 4), (28, 9), (29, 4)],
    ),
    (
        Opcode::Gather4Sampler,
        &[
            (8, 4),
            (13, 5),
            (14, 5),
            (15, 4),
            (16, 5),
            (17, 5),
            (18, 6),
            (21, 5),
            (23, 6),
        ],
    ),
];

impl Verifier<'_> {
    pub(super) fn surfaces(&mut self, inst: &Inst) {
        self.surface_kind(inst);
        self.payloads(inst);
        match inst.op {
            Opcode::MediaLd | Opcode::MediaSt => self.media_block(inst),
            Opcode::DwordAtomic => self.atomic(inst, [3, 4, 5]),
            Opcode::TypedAtomic => self.atomic(inst, [6, 7, 8]),
            Opcode::SvmAtomic => self.atomic(inst, [2, 3, 4]),
            Opcode::SvmGather | Opcode::SvmScatter => self.blocks(inst),
            Opcode::Sample3d | Opcode::Load3d | Opcode::Gather4Sampler => self.parameters(inst),
            _ => {}
        }
        self.subject = Subject::Inst;
    }

    /// Finding: an operand is `%null` and must not be, or the reverse.
    pub(super) fn null(&mut self, op: &'static str, operand: usize, is_null: bool) {
        let words = ["a variable", "%null"];
        self.subject = Subject::Operand(operand);
        self.find(FindingKind::Null {
            op,
            operand: self.written(operand),
            found: words[usize::from(is_null)],
            expected: words[usize::from(!is_null)],
        });
    }

    /// Rule that the addresses of a message, and the data that it stores, are not `%null`.
    fn payloads(&mut self, inst: &Inst) {
        let operands: &[usize] = match inst.op {
            Opcode::SvmAtomic => &[1],
            Opcode::QwGather | Opcode::SvmGather | Opcode::Gather4Typed => &[2],
            Opcode::DwordAtomic | Opcode::TypedAtomic => &[2],
            Opcode::QwScatter | Opcode::SvmScatter => &[2, 3],
            Opcode::Scatter4Typed => &[2, 6],
            Opcode::SvmGather4Scaled => &[3],
            Opcode::Scatter | Opcode::SvmScatter4Scaled => &[3, 4],
            Opcode::Gather | Opcode::Gather4Scaled => &[4],
            Opcode::Scatter4Scaled => &[4, 5],
            Opcode::GatherScaled => &[5],
            Opcode::ScatterScaled => &[5, 6],
            _ => &[],
        };
        for &operand in operands {
            if let Some(Operand::Raw { var: Var::NULL, .. }) = inst.operands.get(operand) {
                self.null(inst.mnemonic(), operand, true);
            }
        }
    }

    /// Rule that local memory and the whole address space are not surfaces of the sampler or of two dimensions.
    fn surface_kind(&mut self, inst: &Inst) {
        let no_local = match inst.op {
            Opcode::OwordLd | Opcode::OwordSt | Opcode::OwordLdUnaligned => {
                self.platform.is_some_and(|p| p < Generation::Icllp)
            }
            Opcode::MediaLd
            | Opcode::MediaSt
            | Opcode::Sample
            | Opcode::SampleUnorm
            | Opcode::Load
            | Opcode::Avs
            | Opcode::Sample3d
            | Opcode::Load3d
            | Opcode::Gather4Sampler
            | Opcode::Gather4Typed
            | Opcode::Scatter4Typed
            | Opcode::TypedAtomic => true,
            op => matches!(op.row().number, VA | VA_PLUS),
        };
        if !no_local {
            return;
        }
        let linear = matches!(
            inst.op,
            Opcode::OwordLd | Opcode::OwordSt | Opcode::OwordLdUnaligned
        );
        for (operand, value) in inst.operands.iter().enumerate() {
            let Operand::Surface(surface) = value else {
                continue;
            };
            let local = surface.as_u32() == predefined::SURFACE_SLM;
            let stateless = surface.as_u32() == predefined::SURFACE_STATELESS;
            let wrong = local || (stateless && typed(inst.op));
            if let Some(name) = predefined::SURFACES.get(surface.as_u32() as usize)
                && wrong
            {
                self.subject = Subject::Operand(operand);
                self.find(FindingKind::SurfaceKind {
                    op: inst.mnemonic(),
                    name: (*name).to_owned(),
                    allowed: if linear {
                        "buffers other than local memory on this platform"
                    } else {
                        "surfaces that have a state"
                    },
                });
            }
        }
    }

    fn media_block(&mut self, inst: &Inst) {
        let number = |i| match inst.operands.get(i) {
            Some(Operand::Field(n)) => *n,
            _ => 0,
        };
        self.block_of_rows(inst.mnemonic(), [number(3), number(4)]);
    }

    /// Rules of the size of a block of an image's rows.
    pub(super) fn block_of_rows(&mut self, op: &'static str, [width, height]: [u32; 2]) {
        let pitch = width.next_power_of_two().max(4);
        let most = MAX_BLOCK_BYTES / pitch.min(MAX_BLOCK_BYTES);
        if !(1..=MAX_ROW_BYTES).contains(&width) || !(1..=most).contains(&height) {
            self.find(FindingKind::MediaBlock {
                op,
                width,
                height,
                most,
            });
        }
    }

    /// Rules of an atomic's sources and result, given by the numbers of these operands.
    fn atomic(&mut self, inst: &Inst, [first, second, result]: [usize; 3]) {
        let op = inst.mnemonic();
        let Some(Operand::Field(n)) = inst.operands.first() else {
            return;
        };
        let Some(atomic) = Atomic::from_number(*n) else {
            return;
        };
        let sources = match atomic.op {
            AtomicOp::Inc | AtomicOp::Dec | AtomicOp::PreDec => 0,
            AtomicOp::CmpXchg | AtomicOp::FCmpWr => 2,
            _ => 1,
        };
        for (i, operand) in [first, second].into_iter().enumerate() {
            let Some(Operand::Raw { var, .. }) = inst.operands.get(operand) else {
                continue;
            };
            let null = var.as_u32() == predefined::NULL;
            if null == (i < sources) {
                self.null(op, operand, null);
            }
        }
        let allowed = ATOMIC_TYPES
            .iter()
            .find(|(ops, _)| ops.contains(&atomic.op));
        let Some((_, allowed)) = allowed else {
            return;
        };
        for operand in [first, second, result] {
            if let Some(ty) = inst.operands.get(operand).and_then(|o| self.type_of(o))
                && !allowed.contains(ty)
            {
                let allowed = allowed.to_string();
                self.subject = Subject::Operand(operand);
                self.find(FindingKind::AtomicType {
                    operand: self.written(operand),
                    ty,
                    allowed,
                });
            }
        }
    }

    /// Rules of `svm_gather` and `svm_scatter`: eight blocks are of dwords or bytes, several need eight channels.
    fn blocks(&mut self, inst: &Inst) {
        let [Operand::Field(size), Operand::Field(count), ..] = inst.operands.as_slice() else {
            return;
        };
        let blocks = 1 << (count & 3);
        let allowed = if blocks == 8 && (*size == 2 || inst.exec.size > 8) {
            "blocks of at most 4 bytes in at most 8 channels"
        } else if blocks > 1 && *size != 0 && inst.exec.size < 8 {
            "8 channels or more"
        } else {
            return;
        };
        let op = inst.mnemonic();
        self.find(FindingKind::BlockCount {
            op,
            blocks,
            allowed,
        });
    }

    fn parameters(&mut self, inst: &Inst) {
        let Some(Operand::Field(n)) = inst.operands.first() else {
            return;
        };
        let row = inst.op.row();
        let first = row.operand_fields().position(|f| f == Field::RawSrcs);
        let Some(first) = first else {
            return;
        };
        let parameters = inst.operands.get(first..).unwrap_or(&[]);
        let of = PARAMETERS.iter().find(|(op, _)| *op == inst.op);
        let most = of.and_then(|(_, ops)| ops.iter().find(|(op, _)| *op == n & 0xff));
        if let Some(&(_, most)) = most
            && !(1..=most).contains(&parameters.len())
        {
            self.subject = Subject::Inst;
            self.find(FindingKind::Parameters {
                op: inst.mnemonic(),
                found: parameters.len(),
                most,
            });
        }
        let allowed = if inst.op == Opcode::Load3d {
            Types::LOADED
        } else if self.platform.is_some_and(|p| p < Generation::Icllp) {
            Types::SAMPLED_BEFORE
        } else {
            Types::SAMPLED
        };
        // The first parameter's type is required of the others.
        let mut same: Option<Type> = None;
        for (i, parameter) in parameters.iter().enumerate() {
            let Some(ty) = self.type_of(parameter) else {
                continue;
            };
            let size = *same.get_or_insert(ty);
            let allowed = if !allowed.contains(ty) {
                allowed.to_string()
            } else if size.bytes() != ty.bytes() {
                format!("the size of {}, as before it", size.name())
            } else {
                continue;
            };
            let operand = first + i;
            self.subject = Subject::Operand(operand);
            self.find(FindingKind::ParameterType {
                operand: self.written(operand),
                ty,
                allowed,
            });
        }
    }
}

/// Opcodes of the media and vector analytics of the sampler.
const VA: u8 = 0x44;
const VA_PLUS: u8 = 0x4d;

fn typed(op: Opcode) -> bool {
    !matches!(
        op,
        Opcode::OwordLd | Opcode::OwordSt | Opcode::OwordLdUnaligned
    )
}
