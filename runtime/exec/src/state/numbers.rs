//! Numbers of all types as numbers of the host: `i64` and `i128` for integers, `f32` and `f64` for floats.

use kiln_emit::inst::Type;

use super::wide;

/// A host type for integer values.
pub trait Int: Copy + Ord + Default + std::fmt::Debug + 'static {
    fn from_i64(v: i64) -> Self;
    fn from_u64(v: u64) -> Self;
    /// Low 64 bits of the value.
    fn low(self) -> u64;
    fn to_i128(self) -> i128;
    fn wrapping_neg(self) -> Self;
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    fn not(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn shl(self, by: u32) -> Self;
    /// Arithmetic shift.
    fn shr(self, by: u32) -> Self;
}

macro_rules! int {
    ($t:ty) => {
        impl Int for $t {
            fn from_i64(v: i64) -> Self {
                v as $t
            }
            fn from_u64(v: u64) -> Self {
                v as $t
            }
            fn low(self) -> u64 {
                self as u64
            }
            fn to_i128(self) -> i128 {
                self as i128
            }
            fn wrapping_neg(self) -> Self {
                <$t>::wrapping_neg(self)
            }
            fn wrapping_add(self, other: Self) -> Self {
                <$t>::wrapping_add(self, other)
            }
            fn wrapping_sub(self, other: Self) -> Self {
                <$t>::wrapping_sub(self, other)
            }
            fn wrapping_mul(self, other: Self) -> Self {
                <$t>::wrapping_mul(self, other)
            }
            fn not(self) -> Self {
                !self
            }
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            fn shl(self, by: u32) -> Self {
                self << by
            }
            fn shr(self, by: u32) -> Self {
                self >> by
            }
        }
    };
}
int!(i64);
int!(i128);

/// Smallest and largest value of an integer type.
pub fn int_range(ty: Type) -> (i128, i128) {
    let bits = ty.bytes() * 8;
    if ty.is_signed() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// `v` truncated to the width of `ty` and extended again.
pub fn wrap<T: Int>(v: T, ty: Type) -> T {
    let low = v.low();
    match ty {
        Type::Ub => T::from_u64(u64::from(low as u8)),
        Type::B => T::from_i64(i64::from(low as i8)),
        Type::Uw => T::from_u64(u64::from(low as u16)),
        Type::W | Type::V => T::from_i64(i64::from(low as i16)),
        Type::Uv => T::from_u64(u64::from(low as u16)),
        Type::Ud => T::from_u64(u64::from(low as u32)),
        Type::D => T::from_i64(i64::from(low as i32)),
        Type::Uq => T::from_u64(low),
        Type::Q => T::from_i64(low as i64),
        Type::Hf | Type::F | Type::Df | Type::Vf => v,
        Type::Nf | Type::Bf | Type::Tf32 | Type::Bf8 | Type::Hf8 => v,
        Type::U4 => T::from_u64(low & 15),
        Type::S4 => T::from_i64((low as i64) << 60 >> 60),
        Type::U2 => T::from_u64(low & 3),
        Type::S2 => T::from_i64((low as i64) << 62 >> 62),
    }
}

/// The element's bits as an integer of its type.
pub fn int_of_bits<T: Int>(bits: u64, ty: Type) -> T {
    match ty {
        Type::Bf8 | Type::Hf8 => T::from_u64(u64::from(bits as u8)),
        Type::Hf | Type::Bf => T::from_u64(u64::from(bits as u16)),
        Type::F | Type::Vf | Type::Nf | Type::Tf32 => T::from_u64(u64::from(bits as u32)),
        Type::Df => T::from_u64(bits),
        _ => wrap(T::from_u64(bits), ty),
    }
}

/// A packed immediate's element for a channel: 4 bits of `v` and `uv`, 8 of `vf`.
pub fn packed_element(bits: u64, ty: Type, lane: usize) -> u64 {
    match ty {
        Type::V => {
            let nibble = bits >> (lane % 8 * 4) & 15;
            ((nibble as i64) << 60 >> 60) as u64
        }
        Type::Uv => bits >> (lane % 8 * 4) & 15,
        // Sign, three bits of exponent with bias 3, four of fraction; all zero is zero.
        Type::Vf => {
            let byte = bits >> (lane % 4 * 8) & 0xff;
            let sign = if byte & 0x80 != 0 { -1.0 } else { 1.0 };
            let value = if byte & 0x7f == 0 {
                0.0
            } else {
                (1.0 + (byte & 15) as f32 / 16.0) * ((byte >> 4 & 7) as f32 - 3.0).exp2()
            };
            u64::from((sign * value).to_bits())
        }
        _ => bits,
    }
}

/// The number of a format that singles can represent, denormals included.
pub fn number_of(bits: u64, ty: Type) -> f32 {
    match ty {
        Type::Hf => half::f16::from_bits(bits as u16).to_f32(),
        Type::Bf8 => half::f16::from_bits((bits as u16) << 8).to_f32(),
        Type::Bf => f32::from_bits((bits as u32) << 16),
        Type::Tf32 => f32::from_bits(bits as u32 & !0x1fff),
        _ => f32::from_bits(bits as u32),
    }
}

/// Formats that only conversions and systolic operations have, and the number of unused low bits of an element.
pub fn narrow_format(ty: Type) -> Option<(wide::Format, u32)> {
    match ty {
        Type::Bf => Some((wide::BF, 0)),
        Type::Tf32 => Some((wide::TF32, 13)),
        Type::Bf8 => Some((wide::BF8, 0)),
        _ => None,
    }
}

/// Clamps to 0…1; a NaN becomes 0.
pub fn saturated(v: f64) -> f64 {
    if v > 0.0 { v.min(1.0) } else { 0.0 }
}

/// A single that rounds to a half as the double does: truncated, with its last bit set if inexact (round to odd).
pub fn to_odd(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) == v || v.is_nan() {
        return nearest;
    }
    let beyond = f64::from(nearest).abs() > v.abs();
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}

/// `b * c + a`, rounded once. The product is exact in a double; the sum is rounded to odd there,
/// which makes the second rounding the only one (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums").
pub fn fused(b: f32, c: f32, a: f32) -> f32 {
    let product = f64::from(b) * f64::from(c);
    let a = f64::from(a);
    let sum = product + a;
    let back = sum - product;
    let error = (product - (sum - back)) + (a - back);
    let bits = sum.to_bits();
    // An odd, exact or infinite sum and a NaN stay; any other is moved one step towards the exact sum.
    let inexact = error.abs() > 0.0;
    let outward = (error > 0.0) == (sum > 0.0);
    let step = if outward { 1u64 } else { u64::MAX };
    let moved = u64::from(inexact & (bits & 1 == 0)).wrapping_neg() & step;
    f64::from_bits(bits.wrapping_add(moved)) as f32
}

/// An arithmetic result that is no number: the first source that is none, made quiet; where all are numbers, the host's
/// default. It is the rule of x86-64's vector instructions, which translated code is made of.
#[cold]
pub fn double_nan_of(sources: &[f64]) -> f64 {
    const QUIET: u64 = 1 << 51;
    const DEFAULT: u64 = 0xfff8_0000_0000_0000;
    let first = sources.iter().find(|s| s.is_nan());
    f64::from_bits(first.map_or(DEFAULT, |s| s.to_bits() | QUIET))
}

/// Replaces a denormal by a zero of the same sign.
pub fn flushed_f(v: f32, flush: bool) -> f32 {
    if flush && v.is_subnormal() {
        0f32.copysign(v)
    } else {
        v
    }
}

pub fn flushed_df(v: f64, flush: bool) -> f64 {
    if flush && v.is_subnormal() {
        0f64.copysign(v)
    } else {
        v
    }
}

#[cfg(test)]
#[path = "../tests/numbers.rs"]
mod tests;
