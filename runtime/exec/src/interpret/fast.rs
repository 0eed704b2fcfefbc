//! Common forms of operations on lanes of at most 32 bits: integers of which only the low 32 bits matter, and singles
//! rounded to nearest.
//!
//! [`classify`](crate::code::classify::classify) recognizes them when code is decoded. [`execute`] runs them on arrays of a constant length, which the
//! compiler vectorizes. In any rounding mode but the default, an operation takes the general path, which gives the
//! same results where both apply.

use kiln_emit::inst::{Cond, Type};

use crate::code::operation::{Base, Dest, Fast, Operation, Order, Source, Steps, Target};
use crate::state::cause::Cause;
use crate::state::lanes::{LANES, low_mask};
use crate::state::numbers;
use crate::state::thread::{File, Thread};
use crate::state::wide::Rounding;

/// Executes an operation in its common form.
#[inline]
pub fn execute(thread: &mut Thread, op: &Operation, fast: Fast) -> Result<(), Cause> {
    match op.lanes {
        1 => run::<1>(thread, op, fast),
        2 => run::<2>(thread, op, fast),
        4 => run::<4>(thread, op, fast),
        8 => run::<8>(thread, op, fast),
        16 => run::<16>(thread, op, fast),
        _ => run::<LANES>(thread, op, fast),
    }
}

fn run<const N: usize>(t: &mut Thread, op: &Operation, fast: Fast) -> Result<(), Cause> {
    use Fast::*;
    let chooses = matches!(fast, Sel | SelBy(..) | FSel | FSelBy(_));
    // The predicate of a `sel` masks no channel.
    let gate = if chooses { t.mask(op) } else { t.enabled(op) };
    if gate == 0 {
        return Ok(());
    }
    let rounds = matches!(fast, FAdd | FMul | FMad | FFrc | ToSingle(_));
    if rounds && t.mode.rounding != Rounding::NearestEven {
        return match fast {
            ToSingle(_) => t.int_op::<i64>(op),
            _ => t.single_op(op),
        };
    }
    let [a, b, c] = &op.srcs;
    macro_rules! int {
        ($f:expr, $a:expr) => {{
            let a = ints::<N>(t, $a, gate, false)?;
            map1(&a, $f)
        }};
        ($f:expr, $a:expr, $b:expr) => {{
            let (a, b) = (
                ints::<N>(t, $a, gate, false)?,
                ints::<N>(t, $b, gate, false)?,
            );
            map2(&a, &b, $f)
        }};
    }
    macro_rules! logical {
        ($f:expr) => {{
            let (a, b) = (ints::<N>(t, a, gate, true)?, ints::<N>(t, b, gate, true)?);
            map2(&a, &b, $f)
        }};
    }
    macro_rules! float {
        ($f:expr, $a:expr) => {{
            let a = floats::<N>(t, $a, gate)?;
            let r = map1(&a, |a| $f(f32::from_bits(a)).to_bits());
            settled(r, [&a])
        }};
        ($f:expr, $a:expr, $b:expr) => {{
            let (a, b) = (floats::<N>(t, $a, gate)?, floats::<N>(t, $b, gate)?);
            let r = map2(&a, &b, |a, b| {
                $f(f32::from_bits(a), f32::from_bits(b)).to_bits()
            });
            settled(r, [&a, &b])
        }};
    }
    let r = match fast {
        Bits => {
            let mut r = bits::<N>(t, a, gate)?;
            let sign = 1u32 << (a.ty.bytes() * 8 - 1);
            if a.abs {
                r = map1(&r, |v| v & !sign);
            }
            if a.neg {
                r = map1(&r, |v| v ^ sign);
            }
            store(t, &op.dst, gate, &r)?;
            return Ok(());
        }
        Mov => int!(|a| a, a),
        Not => map1(&ints::<N>(t, a, gate, true)?, |a| !a),
        And => logical!(|a, b| a & b),
        Or => logical!(|a, b| a | b),
        Xor => logical!(|a, b| a ^ b),
        Add => int!(u32::wrapping_add, a, b),
        Mul => int!(u32::wrapping_mul, a, b),
        Mad => {
            let product = int!(u32::wrapping_mul, b, c);
            let a = ints::<N>(t, a, gate, false)?;
            map2(&a, &product, u32::wrapping_add)
        }
        Shl => int!(u32::wrapping_shl, a, b),
        Shr => int!(u32::wrapping_shr, a, b),
        Asr => int!(|a, b| (a as i32).wrapping_shr(b) as u32, a, b),
        Rol => int!(u32::rotate_left, a, b),
        Ror => int!(u32::rotate_right, a, b),
        Add3 => {
            let sum = int!(u32::wrapping_add, a, b);
            let c = ints::<N>(t, c, gate, false)?;
            map2(&sum, &c, u32::wrapping_add)
        }
        Bfn(function) => {
            let (a, b) = (ints::<N>(t, a, gate, true)?, ints::<N>(t, b, gate, true)?);
            let c = ints::<N>(t, c, gate, true)?;
            let mut r = [0; N];
            for l in 0..N {
                for number in (0..8).filter(|number| function >> number & 1 != 0) {
                    let bits =
                        |value: u32, n: u32| if number >> n & 1 != 0 { value } else { !value };
                    r[l] |= bits(a[l], 0) & bits(b[l], 1) & bits(c[l], 2);
                }
            }
            r
        }
        Cmp(cond, order) => {
            let (a, b) = (ints::<N>(t, a, gate, false)?, ints::<N>(t, b, gate, false)?);
            let holds = relation(&a, &b, cond, order);
            return store_comparison::<N>(t, op, gate, holds);
        }
        Sel => {
            let chosen = op.pred.as_ref().map_or(0, |p| t.predicate(op, p));
            let (a, b) = (ints::<N>(t, a, gate, false)?, ints::<N>(t, b, gate, false)?);
            let r = choose(chosen, &a, &b);
            return store(t, &op.dst, gate, &r);
        }
        SelBy(cond, order) => {
            let (a, b) = (ints::<N>(t, a, gate, false)?, ints::<N>(t, b, gate, false)?);
            let r = choose(relation(&a, &b, cond, order), &a, &b);
            return store(t, &op.dst, gate, &r);
        }
        Csel(cond, order) => {
            let (a, b) = (ints::<N>(t, a, gate, false)?, ints::<N>(t, b, gate, false)?);
            let chosen = relation(&ints::<N>(t, c, gate, false)?, &[0; N], cond, order);
            let r = choose(chosen, &a, &b);
            return store(t, &op.dst, gate, &r);
        }
        ToSingle(order) => {
            let a = ints::<N>(t, a, gate, false)?;
            let r = match order {
                Order::Signed => map1(&a, |a| (a as i32 as f32).to_bits()),
                Order::Unsigned => map1(&a, |a| (a as f32).to_bits()),
            };
            return store(t, &op.dst, gate, &r);
        }
        ToDword(order) => {
            let a = floats::<N>(t, a, gate)?;
            let r = match order {
                Order::Signed => map1(&a, |a| f32::from_bits(a) as i32 as u32),
                Order::Unsigned => map1(&a, |a| f32::from_bits(a) as u32),
            };
            return store(t, &op.dst, gate, &r);
        }
        FMov => floats::<N>(t, a, gate)?,
        FAdd => float!(|a: f32, b: f32| a + b, a, b),
        FMul => float!(|a: f32, b: f32| a * b, a, b),
        FMad => {
            let (a, b) = (floats::<N>(t, a, gate)?, floats::<N>(t, b, gate)?);
            let c = floats::<N>(t, c, gate)?;
            let mut r = [0; N];
            for l in 0..N {
                let (a, b, c) = (
                    f32::from_bits(a[l]),
                    f32::from_bits(b[l]),
                    f32::from_bits(c[l]),
                );
                r[l] = fused(b, c, a).to_bits();
            }
            settled(r, [&b, &c, &a])
        }
        FFrc => float!(|a: f32| a - a.floor(), a),
        FRndu => float!(f32::ceil, a),
        FRndd => float!(f32::floor, a),
        FRnde => float!(f32::round_ties_even, a),
        FRndz => float!(f32::trunc, a),
        FCmp(cond) | FCmpn(cond) => {
            let (a, b) = (floats::<N>(t, a, gate)?, floats::<N>(t, b, gate)?);
            let mut holds = float_relation(&a, &b, cond);
            if matches!(fast, FCmpn(_)) {
                holds |= mask1(&b, |b| f32::from_bits(b).is_nan());
            }
            return store_comparison::<N>(t, op, gate, holds);
        }
        FSel => {
            let chosen = op.pred.as_ref().map_or(0, |p| t.predicate(op, p));
            let (a, b) = (floats::<N>(t, a, gate)?, floats::<N>(t, b, gate)?);
            let r = finished(t, op, choose(chosen, &a, &b));
            return store(t, &op.dst, gate, &r);
        }
        FSelBy(cond) => {
            let (a, b) = (floats::<N>(t, a, gate)?, floats::<N>(t, b, gate)?);
            // A number is preferred to a NaN.
            let nan = mask1(&b, |b| f32::from_bits(b).is_nan());
            let chosen = nan | float_relation(&a, &b, cond);
            let r = finished(t, op, choose(chosen, &a, &b));
            return store(t, &op.dst, gate, &r);
        }
        FCsel(cond) => {
            let (a, b) = (floats::<N>(t, a, gate)?, floats::<N>(t, b, gate)?);
            let chosen = float_relation(&floats::<N>(t, c, gate)?, &[0; N], cond);
            let r = finished(t, op, choose(chosen, &a, &b));
            return store(t, &op.dst, gate, &r);
        }
    };
    let float = op.dst.ty == Type::F;
    let r = if float { finished(t, op, r) } else { r };
    store(t, &op.dst, gate, &r)?;
    if let Some(cond) = &op.cond {
        let holds = if float {
            float_relation(&r, &[0; N], cond.cond)
        } else {
            against_zero(&r, op.dst.ty, cond.cond)
        };
        t.set_flags(cond, gate, holds);
    }
    Ok(())
}

#[inline(always)]
fn map1<const N: usize>(a: &[u32; N], f: impl Fn(u32) -> u32) -> [u32; N] {
    let mut r = [0; N];
    for l in 0..N {
        r[l] = f(a[l]);
    }
    r
}

#[inline(always)]
fn map2<const N: usize>(a: &[u32; N], b: &[u32; N], f: impl Fn(u32, u32) -> u32) -> [u32; N] {
    let mut r = [0; N];
    for l in 0..N {
        r[l] = f(a[l], b[l]);
    }
    r
}

#[inline(always)]
fn mask1<const N: usize>(a: &[u32; N], f: impl Fn(u32) -> bool) -> u32 {
    (0..N).fold(0, |mask, l| mask | u32::from(f(a[l])) << l)
}

#[inline(always)]
fn choose<const N: usize>(chosen: u32, a: &[u32; N], b: &[u32; N]) -> [u32; N] {
    let mut r = [0; N];
    for l in 0..N {
        let first = (chosen >> l & 1).wrapping_neg();
        r[l] = a[l] & first | b[l] & !first;
    }
    r
}

/// Results of arithmetic with the bits of those that are no numbers put right ([`numbers::nan_of`]).
#[inline(always)]
fn settled<const N: usize, const S: usize>(mut r: [u32; N], sources: [&[u32; N]; S]) -> [u32; N] {
    // The sign bit aside, what is greater than infinity.
    let mut greatest = 0;
    for bits in &r {
        greatest = greatest.max(bits & 0x7fff_ffff);
    }
    if greatest > f32::INFINITY.to_bits() {
        for (l, r) in r.iter_mut().enumerate() {
            if f32::from_bits(*r).is_nan() {
                *r = numbers::nan_of(sources.map(|s| f32::from_bits(s[l])));
            }
        }
    }
    r
}

/// Lanes for which a relation holds.
#[inline(always)]
fn relation<const N: usize>(a: &[u32; N], b: &[u32; N], cond: Cond, order: Order) -> u32 {
    // Unsigned numbers compare as signed ones with the upper bit inverted.
    let bias = match order {
        Order::Signed => 0,
        Order::Unsigned => 1 << 31,
    };
    let mut mask = 0;
    macro_rules! each {
        ($op:tt) => {
            for l in 0..N {
                mask |= u32::from(((a[l] ^ bias) as i32) $op ((b[l] ^ bias) as i32)) << l;
            }
        };
    }
    match cond {
        Cond::Eq => each!(==),
        Cond::Ne => each!(!=),
        Cond::Gt => each!(>),
        Cond::Ge => each!(>=),
        Cond::Lt => each!(<),
        Cond::Le => each!(<=),
        Cond::Ov | Cond::Un | Cond::Eo => {}
    }
    mask
}

#[inline(always)]
fn float_relation<const N: usize>(a: &[u32; N], b: &[u32; N], cond: Cond) -> u32 {
    let mut mask = 0;
    macro_rules! each {
        ($op:tt) => {
            for l in 0..N {
                mask |= u32::from(f32::from_bits(a[l]) $op f32::from_bits(b[l])) << l;
            }
        };
    }
    match cond {
        Cond::Eq => each!(==),
        Cond::Ne => each!(!=),
        Cond::Gt => each!(>),
        Cond::Ge => each!(>=),
        Cond::Lt => each!(<),
        Cond::Le => each!(<=),
        Cond::Un => {
            mask = mask1(a, |v| f32::from_bits(v).is_nan());
            mask |= mask1(b, |v| f32::from_bits(v).is_nan());
        }
        Cond::Ov | Cond::Eo => {}
    }
    mask
}

/// Lanes for which the result, converted to its type, has a relation to zero.
fn against_zero<const N: usize>(r: &[u32; N], ty: Type, cond: Cond) -> u32 {
    let (wrapped, order) = match ty {
        Type::Ub => (map1(r, |v| v & 0xff), Order::Signed),
        Type::B => (map1(r, |v| v as i8 as u32), Order::Signed),
        Type::Uw => (map1(r, |v| v & 0xffff), Order::Signed),
        Type::W => (map1(r, |v| v as i16 as u32), Order::Signed),
        Type::Ud => (*r, Order::Unsigned),
        _ => (*r, Order::Signed),
    };
    relation(&wrapped, &[0; N], cond, order)
}

/// Singles as stored: clamped if saturating, denormals flushed unless kept.
#[inline(always)]
fn finished<const N: usize>(t: &Thread, op: &Operation, mut r: [u32; N]) -> [u32; N] {
    if op.saturate {
        // A NaN becomes zero.
        r = map1(&r, |v| {
            let v = f32::from_bits(v);
            (if v > 0.0 { v.min(1.0) } else { 0.0 }).to_bits()
        });
    }
    if t.mode.flush_f { map1(&r, flushed) } else { r }
}

/// Replaces a denormal by a zero of the same sign.
#[inline(always)]
fn flushed(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    }
}

/// `b * c + a`, rounded once. The product is exact in a double; the sum is rounded to odd there,
/// which makes the second rounding the only one (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums").
#[inline(always)]
fn fused(b: f32, c: f32, a: f32) -> f32 {
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

/// A source's elements, of at most 32 bits, extended according to their type.
#[inline(always)]
fn bits<const N: usize>(t: &Thread, src: &Source, gate: u32) -> Result<[u32; N], Cause> {
    match (&src.base, &src.steps) {
        (
            Base::File {
                file: File::Grf,
                at,
            },
            Steps::Linear(step),
        ) => {
            let (at, step) = (usize::from(*at), usize::from(*step));
            macro_rules! strided {
                ($t:ty) => {{
                    const SIZE: usize = size_of::<$t>();
                    // One bounds check suffices: the last element is the farthest.
                    let window = t.grf.get(at..at + (N - 1) * step + SIZE);
                    let Some(window) = window else {
                        let size = t.grf.len();
                        return Err(Cause::RegisterRange { at, size });
                    };
                    let mut r = [0; N];
                    if step == 0 {
                        r = [extended!($t, window); N];
                    } else if step == SIZE {
                        for (r, element) in r.iter_mut().zip(window.chunks_exact(SIZE)) {
                            *r = extended!($t, element);
                        }
                    } else {
                        for (r, element) in r.iter_mut().zip(window.chunks(step)) {
                            *r = extended!($t, element);
                        }
                    }
                    r
                }};
            }
            macro_rules! extended {
                ($t:ty, $bytes:expr) => {
                    match $bytes.first_chunk() {
                        Some(b) => <$t>::from_le_bytes(*b) as i32 as u32,
                        None => 0,
                    }
                };
            }
            Ok(match src.ty {
                Type::Ub => strided!(u8),
                Type::B => strided!(i8),
                Type::Uw | Type::Hf => strided!(u16),
                Type::W => strided!(i16),
                _ => strided!(u32),
            })
        }
        (Base::Constant(bits), _) => Ok([*bits as u32; N]),
        _ => scattered(t, src, gate),
    }
}

/// [`bits`] of all other forms of sources.
#[inline(never)]
fn scattered<const N: usize>(t: &Thread, src: &Source, gate: u32) -> Result<[u32; N], Cause> {
    let mut elements = [0; LANES];
    t.load_bits(src, N, gate, &mut elements)?;
    let extend = |v: u64| match src.ty {
        Type::B => v as i8 as u32,
        Type::W => v as i16 as u32,
        _ => v as u32,
    };
    Ok(std::array::from_fn(|l| extend(elements[l])))
}

/// A source as integers with its modifiers; in a logic operation the negation is a complement.
#[inline(always)]
fn ints<const N: usize>(
    t: &Thread,
    src: &Source,
    gate: u32,
    logical: bool,
) -> Result<[u32; N], Cause> {
    let mut v = bits::<N>(t, src, gate)?;
    if src.abs && !matches!(src.ty, Type::Ud) {
        v = map1(&v, |v| (v as i32).wrapping_abs() as u32);
    }
    if src.neg {
        v = if logical {
            map1(&v, |v| !v)
        } else {
            map1(&v, u32::wrapping_neg)
        };
    }
    Ok(v)
}

/// A source as singles with its modifiers, denormals flushed unless kept.
#[inline(always)]
fn floats<const N: usize>(t: &Thread, src: &Source, gate: u32) -> Result<[u32; N], Cause> {
    let mut v = bits::<N>(t, src, gate)?;
    if t.mode.flush_f {
        v = map1(&v, flushed);
    }
    if src.abs {
        v = map1(&v, |v| v & 0x7fff_ffff);
    }
    if src.neg {
        v = map1(&v, |v| v ^ 0x8000_0000);
    }
    Ok(v)
}

/// Writes the enabled elements of a destination.
#[inline(always)]
fn store<const N: usize>(
    t: &mut Thread,
    dst: &Dest,
    enabled: u32,
    values: &[u32; N],
) -> Result<(), Cause> {
    let (at, step) = match dst.target {
        Target::Null => return Ok(()),
        Target::File {
            file: File::Grf,
            at,
        } => (usize::from(at), usize::from(dst.step)),
        _ => return t.store_bits(dst, N, enabled, |lane| u64::from(values[lane])),
    };
    let all = enabled == low_mask(N);
    let size = dst.ty.bytes() as usize;
    let end = at + (N - 1) * step + size;
    let Some(window) = t.grf.get_mut(at..end) else {
        let size = t.grf.len();
        return Err(Cause::RegisterRange { at: end, size });
    };
    if size == 4 && step == 4 {
        for (l, (bytes, value)) in window.chunks_exact_mut(4).zip(values).enumerate() {
            if all || enabled >> l & 1 != 0 {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
        return Ok(());
    }
    for (bytes, (l, value)) in window.chunks_mut(step).zip(values.iter().enumerate()) {
        if enabled >> l & 1 != 0 {
            for (byte, value) in bytes.iter_mut().zip(&value.to_le_bytes()[..size]) {
                *byte = *value;
            }
        }
    }
    Ok(())
}

/// The result of a comparison: ones or zeroes to the destination, and the flags.
#[inline(always)]
fn store_comparison<const N: usize>(
    t: &mut Thread,
    op: &Operation,
    enabled: u32,
    holds: u32,
) -> Result<(), Cause> {
    if op.dst.target != Target::Null {
        let r = choose(holds, &[u32::MAX; N], &[0; N]);
        store(t, &op.dst, enabled, &r)?;
    }
    if let Some(cond) = &op.cond {
        t.set_flags(cond, enabled, holds);
    }
    Ok(())
}

#[cfg(test)]
#[path = "../tests/fast.rs"]
mod tests;
