//! Messages of the 3D sampler: as many parameters as are not zero.

use kiln_visa::module::{Operand, Type as VType};
use kiln_visa::opcode::{Opcode, SamplerOp};

use super::bale;
use super::function::Emitter;
use super::payload::{Item, Receive, Transfer};
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::ir::{Inst, Value};

/// Channels of one message.
const MOST: u32 = 16;
/// Mask of the channels of a texel.
const TEXEL: u32 = 15;

impl Emitter<'_, '_> {
    /// Operation, mask, channels of a texel, its offset, sampler (not of a load), surface, parameters.
    pub fn sampler_3d(&mut self, inst: Inst, op: Opcode) -> Result<()> {
        let args = self.data(inst).args.clone();
        let (surface, Some(result)) = (
            4 + usize::from(op == Opcode::Sample3d),
            self.data(inst).result,
        ) else {
            return self.error(Code::Operand, "a result is expected");
        };
        if args.len() < surface + 2 {
            return self.error(
                Code::Operand,
                format!("{} operands are expected", surface + 2),
            );
        }
        let number = self.number(args[0])? as u32;
        if SamplerOp::from_number(number).is_none() {
            return self.error(
                Code::Operand,
                format!("there is no operation {number} of samplers"),
            );
        }
        let (count, _) = self.shape(args[1])?;
        let texel = self.number(args[2])? as u32 & TEXEL;
        let (n, scalar) = self.shape(result)?;
        let planes = texel.count_ones();
        if planes == 0 || n != count * planes {
            let message = format!("{planes} channels of {count} pixels are not {n} elements");
            return self.error(Code::Operand, message);
        }
        let unused = |value: &&Value| {
            self.function.is_undef(**value) || bale::uniform(self.function, **value) == Some(0)
        };
        let last = args[surface + 2..].iter().rev().skip_while(unused).count();
        let parameters = &args[surface + 1..surface + 2 + last];
        let mut items = vec![
            Item::Is(Operand::Field(number)),
            Item::Is(Operand::Field(texel)),
            Item::Is(self.scalar_operand(args[3], VType::Uw)?),
        ];
        if op == Opcode::Sample3d {
            items.push(Item::Is(self.sampler(args[4])?));
        }
        items.push(Item::Is(self.surface(args[surface])?.into()));
        items.push(Item::Receive);
        for parameter in parameters {
            let (n, scalar) = self.shape(*parameter)?;
            if n != count {
                return self.error(Code::Mismatch, format!("{n} elements for {count} pixels"));
            }
            let ty = self.visa(scalar, Sign::Unsigned)?;
            items.push(self.channels(*parameter, ty)?);
        }
        let mask = match bale::uniform(self.function, args[1]) {
            Some(bit) if bit & 1 != 0 => None,
            _ => Some(self.mask_of(args[1], count)?),
        };
        let ty = self.visa(scalar, Sign::Unsigned)?;
        self.send(&Transfer {
            op,
            count,
            most: MOST,
            room: self.least_channels(),
            items,
            mask,
            receive: Some(Receive {
                value: result,
                old: None,
                ty,
                planes,
            }),
        })
    }
}
