//! Random elements of the machine's types, with many edge cases.

use kiln_emit::inst::Type;

use crate::random::Random;

impl Random {
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// The bits of an element: extremes are as likely as ordinary numbers.
    pub fn element(&mut self, ty: Type) -> u64 {
        let bits = self.next();
        let (fraction, exponent) = match ty {
            Type::Hf => (10, 5),
            Type::Bf => (7, 8),
            Type::F | Type::Tf32 => (23, 8),
            Type::Bf8 => (2, 5),
            Type::Df => (52, 11),
            _ => {
                return match self.below(6) {
                    0 => bits & 0xff,
                    1 => !(bits & 0xff),
                    2 => 1 << (bits & 63),
                    3 => (1u64 << (bits & 63)).wrapping_sub(1),
                    _ => bits,
                };
            }
        };
        let sign = bits & 1 << (fraction + exponent);
        let top: u64 = (1 << exponent) - 1;
        let bias = top >> 1;
        let field = |e: u64, f: u64| sign | e << fraction | f & ((1 << fraction) - 1);
        match self.below(16) {
            0 => field(0, 0),
            1 => field(top, 0),
            2 => field(top, bits | 1),
            3 => field(0, bits),
            4 => field(bias, 0),
            5 => field(bias, 1 << (fraction - 1)),
            6 => field(top - 1, bits),
            7 => field(1, bits & 3),
            8..=12 => field(bias - 3 + (bits >> 60 & 7), bits),
            // Integers of many sizes, and halves of them.
            13 => field(
                bias + (bits >> 56) % 40 % (top - bias),
                bits & !0 << (fraction - 2),
            ),
            _ => bits,
        }
    }
}
