//! Products of matrices, for platforms that have them.

use kiln_platform::rules::rules;
use kiln_visa::module::{Operand, Type as VType, Var};

use super::function::{Emitter, source};
use super::object::exec;
use super::operand::Layout;
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::intrinsics::systolic::Systolic;
use crate::ir::{Inst, Scalar, Value};

/// The last precision that a platform here multiplies: floats of 19 bits.
const LAST_PRECISION: u32 = 12;

impl Emitter<'_, '_> {
    pub fn systolic(&mut self, inst: Inst, result: Value, product: &Systolic) -> Result<()> {
        let platform = self.shared.platform;
        let Some(channels) = rules(platform.family).systolic_channels else {
            let message = format!("{} has no products of matrices", platform.name);
            return self.error(Code::Platform, message);
        };
        let first = usize::from(product.adds);
        let expected = first + if product.spelled { 8 } else { 3 };
        let args = &self.data(inst).args[..];
        if args.len() != expected {
            return self.error(Code::Operand, format!("{expected} operands are expected"));
        }
        let number = |n: usize| self.number(args[first + n]);
        let fields = match product.spelled {
            // The rows' precision is the lowest byte.
            true => {
                let bytes = [number(3)?, number(2)?, number(4)?, number(5)?];
                let byte = |n: u64| u8::try_from(n).unwrap_or(u8::MAX);
                u32::from_le_bytes(bytes.map(byte))
            }
            false => {
                let [columns, rows, depth, repeat] = (number(2)? as u32).to_le_bytes();
                u32::from_le_bytes([rows, columns, depth, repeat])
            }
        };
        let signs = match product.spelled {
            true => [number(6)?, number(7)?].map(|n| match n {
                0 => Sign::Unsigned,
                _ => Sign::Signed,
            }),
            false => [Sign::Signed; 2],
        };
        let (columns, rows) = (args[first], args[first + 1]);
        let [a, b, depth, repeat] = fields.to_le_bytes().map(u32::from);
        if a.max(b) > LAST_PRECISION {
            let message = format!("{} has no products of this precision", platform.name);
            return self.error(Code::Platform, message);
        }
        let dwords = u32::from(channels) * depth;
        for (value, expected) in [(columns, 4 * dwords), (rows, 4 * depth * repeat)] {
            let bytes = self.bytes_of(value)?;
            if bytes != expected {
                let message = format!(
                    "a matrix of {bytes} bytes: {} multiplies one of {expected} here",
                    platform.name
                );
                return self.error(Code::Platform, message);
            }
        }
        let (count, _) = self.shape(result)?;
        if count != u32::from(channels) * repeat {
            let message = format!(
                "a product of {count} elements: {} makes {}",
                platform.name,
                u32::from(channels) * repeat
            );
            return self.error(Code::Platform, message);
        }
        let sum = Some(args[0]).filter(|sum| {
            let zero = self.function.as_bits(*sum) == Some(0);
            product.adds && !self.function.is_undef(*sum) && !zero
        });
        let sum = match sum {
            Some(sum) => self.table(sum, signs[1])?,
            None => Var::NULL.raw(0),
        };
        let columns_at = self.matrix(columns)?.raw(0);
        let rows_at = self.matrix(rows)?;
        let (_, scalar) = self.shape(rows)?;
        let ty = self.visa(scalar, Sign::Signed)?;
        let rows_at = self.object().scalar(rows_at, ty, 0);
        // The result must not overwrite what the array still reads.
        let shared = [columns, rows]
            .map(|v| self.classes.root(v))
            .contains(&self.classes.root(result));
        let (count, scalar) = self.shape(result)?;
        let ty = match scalar {
            Scalar::Int(16) | Scalar::BFloat => VType::Bf,
            scalar => self.visa(scalar, signs[0])?,
        };
        let var = match shared {
            true => self.object().block(ty, count * ty.bytes()),
            false => self.var(result)?,
        };
        let to = self.raw(var, ty, 0);
        let operands = [to, sum, columns_at, rows_at, Operand::Field(fields)];
        self.object()
            .inst(product.op, exec(channels.into()), operands);
        if shared {
            let dst = self.whole(result, Sign::Signed)?;
            let from = source(var, ty, Layout::contiguous(0, ty.bytes()));
            self.copy(count, dst, from)?;
        }
        Ok(())
    }

    fn table(&mut self, value: Value, sign: Sign) -> Result<Operand> {
        let var = self.matrix(value)?;
        let (_, scalar) = self.shape(value)?;
        let ty = match scalar {
            Scalar::Int(16) | Scalar::BFloat => VType::Bf,
            scalar => self.visa(scalar, sign)?,
        };
        Ok(self.raw(var, ty, 0))
    }

    fn bytes_of(&self, value: Value) -> Result<u32> {
        let (count, scalar) = self.shape(value)?;
        Ok(count * self.shared.module.types.scalar_bytes(scalar))
    }

    /// The variable with a matrix, at the start of a register.
    fn matrix(&mut self, value: Value) -> Result<Var> {
        let bytes = self.bytes_of(value)?;
        self.payload(value, bytes)
    }
}
