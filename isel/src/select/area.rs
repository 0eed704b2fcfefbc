//! The part of scratch memory in which the variables are whose address is taken.

use kiln_emit::encoding;
use kiln_ir::func::VarStorage;
use kiln_machine::inst::Reg;
use kiln_platform::abi::Stack;
use kiln_platform::isa::RegFile;
use kiln_platform::platform::Platform;
use kiln_visa::module::Operand;

/// Bytes that 16 bits can address.
const MAX_AREA_BYTES: u32 = 1 << 16;
/// Number of registers of the window: enough for as many consecutive channels as are the fewest with an execution mask
/// of their own, and enough for those in any case.
const WINDOW_GRFS: u32 = 4;
const WIDE_WINDOW_GRFS: u32 = 8;
/// The part of scratch memory with the variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    /// Start of the area: in scratch memory, or in the frame.
    pub(super) base: u32,
    /// The register with a function's frame offset, in owords.
    pub(super) frame: Option<Reg>,
    /// The start of inputs whose address is taken, kept at the offset at which they arrived.
    pub(super) payload: u32,
    /// Size of the area, in whole units.
    pub(super) bytes: u32,
    /// Number of registers of the window.
    pub(super) window: u32,
}

impl Area {
    /// The area of a kernel, from a byte of scratch memory on, or in the frame of a function.
    ///
    /// # Errors
    ///
    /// The variables exceed the range of an address, or scratch memory.
    pub(super) fn new(
        ir: &kiln_ir::func::Function,
        target: &Platform,
        (base, called_by): (u32, Option<&Stack>),
    ) -> std::result::Result<Area, String> {
        let (unit, grf) = (target.unit_bytes(), target.grf_bytes);
        let more = u32::from(encoding::channel_unit(target)) - 1;
        let payload = ir.fixed_bytes.next_multiple_of(unit);
        let bytes = payload + ir.payload_bytes.next_multiple_of(unit).max(unit);
        if bytes > MAX_AREA_BYTES {
            return Err(format!(
                "variables whose address is taken are of {bytes} bytes, {MAX_AREA_BYTES} can be addressed"
            ));
        }
        let far = |operand: &Operand| match operand {
            Operand::Indirect { ty, region, .. } => {
                (more * u32::from(region.h) + 1) * ty.bytes() > (WINDOW_GRFS - 1) * grf
            }
            _ => false,
        };
        let mut operands = ir.object.insts.iter().flat_map(|i| &i.operands);
        let place = |stack: &Stack| {
            let reg = Reg::phys(RegFile::Grf, stack.pointers as u8, Stack::FRAME);
            (Stack::DESCRIPTOR_GRFS * grf, Some(reg))
        };
        let (base, frame) = called_by.map_or((base, None), place);
        Ok(Area {
            base: base.next_multiple_of(unit),
            frame,
            payload,
            bytes,
            window: if operands.any(far) {
                WIDE_WINDOW_GRFS
            } else {
                WINDOW_GRFS
            },
        })
    }

    /// The end of the area and of a window loaded from its last register.
    pub(super) fn end(&self, grf: u32) -> u32 {
        self.base + self.bytes + self.window * grf
    }

    /// The place of a copy of r0, whose address code may take as well.
    pub(super) fn header(&self) -> u32 {
        self.payload
    }

    /// The place of a variable in the area.
    pub(super) fn place(&self, storage: VarStorage) -> u32 {
        match storage {
            VarStorage::Fixed { offset } => offset,
            VarStorage::FixedPayload { offset } => self.payload + offset,
            VarStorage::Cells { .. } | VarStorage::Special => 0,
        }
    }
}
