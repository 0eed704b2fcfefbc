//! Results of vISA's operations, one channel at a time.
//!
//! Written from the vISA specification, with unbounded integers and the host's IEEE arithmetic; it knows nothing of
//! Gen.

use half::f16;
use kiln_emit::platform::Platform;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    B,
    Ub,
    W,
    Uw,
    D,
    Ud,
    Q,
    Uq,
    Hf,
    F,
    Df,
}

impl Ty {
    pub const ALL: [Ty; 11] = [
        Ty::B,
        Ty::Ub,
        Ty::W,
        Ty::Uw,
        Ty::D,
        Ty::Ud,
        Ty::Q,
        Ty::Uq,
        Ty::Hf,
        Ty::F,
        Ty::Df,
    ];

    pub fn name(self) -> &'static str {
        ["b", "ub", "w", "uw", "d", "ud", "q", "uq", "hf", "f", "df"][self as usize]
    }

    pub fn bytes(self) -> usize {
        [1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8][self as usize]
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::Hf | Ty::F | Ty::Df)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Ty::B | Ty::W | Ty::D | Ty::Q)
    }

    /// True if the target supports it.
    pub fn is_on(self, target: &Platform) -> bool {
        match self {
            Ty::Q | Ty::Uq => target.int64,
            Ty::Df => target.fp64,
            _ => true,
        }
    }

    fn bits(self) -> u32 {
        self.bytes() as u32 * 8
    }

    /// Least and greatest integer.
    fn range(self) -> (i128, i128) {
        match self.is_signed() {
            true => (-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1),
            false => (0, (1 << self.bits()) - 1),
        }
    }
}

/// An intermediate value: integers are exact, and floats of all types exactly representable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Num {
    I(i128),
    F(f64),
}

impl Num {
    pub fn int(self) -> i128 {
        match self {
            Num::I(i) => i,
            Num::F(_) => panic!("a float where the test has an integer"),
        }
    }

    pub fn float(self) -> f64 {
        match self {
            Num::F(f) => f,
            Num::I(_) => panic!("an integer where the test has a float"),
        }
    }
}

/// The value of an element.
pub fn decode(ty: Ty, bits: u64) -> Num {
    match ty {
        Ty::Hf => Num::F(f16::from_bits(bits as u16).to_f64()),
        Ty::F => Num::F(f32::from_bits(bits as u32).into()),
        Ty::Df => Num::F(f64::from_bits(bits)),
        _ => {
            let low = i128::from(bits) & ((1 << ty.bits()) - 1);
            let negative = ty.is_signed() && low >> (ty.bits() - 1) == 1;
            Num::I(if negative {
                low - (1 << ty.bits())
            } else {
                low
            })
        }
    }
}

/// Contents of an element after a write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stored {
    Bits(u64),
    Nan,
    /// The specification leaves it open.
    Any,
}

/// Converts a value to the type it is stored in.
pub fn encode(ty: Ty, value: Num, saturate: bool) -> Stored {
    let mask = u64::MAX >> (64 - ty.bits());
    if !ty.is_float() {
        let (low, high) = ty.range();
        let whole = match value {
            Num::I(i) if saturate => i.clamp(low, high),
            Num::I(i) => i,
            Num::F(f) if f.is_nan() => 0,
            // Toward zero; out of range the result is defined only with saturation or for the widest types.
            Num::F(f) => {
                let whole = f.trunc().clamp(-1e30, 1e30) as i128;
                if !saturate && !(low..=high).contains(&whole) {
                    return Stored::Any;
                }
                whole.clamp(low, high)
            }
        };
        return Stored::Bits(whole as u64 & mask);
    }
    let mut rounded = match (ty, value) {
        (Ty::Df, Num::I(i)) => i as f64,
        (_, Num::I(i)) => (i as f32).into(),
        (Ty::Df, Num::F(f)) => f,
        (_, Num::F(f)) => (f as f32).into(),
    };
    if ty == Ty::Hf {
        rounded = f16::from_f32(rounded as f32).to_f64();
    }
    if saturate {
        rounded = if rounded.is_nan() {
            0.0
        } else {
            rounded.clamp(0.0, 1.0)
        };
    }
    if rounded.is_nan() {
        return Stored::Nan;
    }
    Stored::Bits(match ty {
        Ty::Hf => f16::from_f64(rounded).to_bits().into(),
        Ty::F => (rounded as f32).to_bits().into(),
        _ => rounded.to_bits(),
    })
}

/// A source's modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    None,
    Neg,
    Abs,
    NegAbs,
    Not,
}

impl Modifier {
    pub fn text(self) -> &'static str {
        ["", "(-)", "(abs)", "(-abs)", "(~)"][self as usize]
    }

    pub fn apply(self, value: Num) -> Num {
        match (self, value) {
            (Modifier::None, v) => v,
            (Modifier::Neg, Num::I(i)) => Num::I(-i),
            (Modifier::Abs, Num::I(i)) => Num::I(i.abs()),
            (Modifier::NegAbs, Num::I(i)) => Num::I(-i.abs()),
            (Modifier::Not, v) => Num::I(!v.int()),
            (Modifier::Neg, Num::F(f)) => Num::F(-f),
            (Modifier::Abs, Num::F(f)) => Num::F(f.abs()),
            (Modifier::NegAbs, Num::F(f)) => Num::F(-f.abs()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Eq,
    Ne,
    Gt,
    Ge,
    Lt,
    Le,
}

impl Relation {
    pub const ALL: [Relation; 6] = [
        Relation::Eq,
        Relation::Ne,
        Relation::Gt,
        Relation::Ge,
        Relation::Lt,
        Relation::Le,
    ];

    pub fn name(self) -> &'static str {
        ["eq", "ne", "gt", "ge", "lt", "le"][self as usize]
    }

    pub fn holds(self, a: Num, b: Num) -> bool {
        let order = match (a, b) {
            (Num::I(a), Num::I(b)) => Some(a.cmp(&b)),
            (a, b) => a.float().partial_cmp(&b.float()),
        };
        match self {
            Relation::Eq => order.is_some_and(|o| o.is_eq()),
            Relation::Ne => !order.is_some_and(|o| o.is_eq()),
            Relation::Gt => order.is_some_and(|o| o.is_gt()),
            Relation::Ge => order.is_some_and(|o| o.is_ge()),
            Relation::Lt => order.is_some_and(|o| o.is_lt()),
            Relation::Le => order.is_some_and(|o| o.is_le()),
        }
    }
}

/// Operands of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The type of the destination, or of its floats if it has several.
    pub ty: Ty,
    pub src: Ty,
    pub s: &'a [Num],
    /// The predicate of a `sel`.
    pub chosen: bool,
}

impl Input<'_> {
    fn i(&self, n: usize) -> i128 {
        self.s[n].int()
    }

    fn u32(&self, n: usize) -> u32 {
        self.i(n) as u32
    }

    /// A shift count: as many low bits as the width needs.
    fn count(&self) -> u32 {
        let wide = self.ty.bytes() == 8 || self.src.bytes() == 8;
        self.i(1) as u32 & if wide { 63 } else { 31 }
    }

    /// Rounds once, in the type of the operation.
    fn float(&self, single: impl Fn(&[f32]) -> f32, double: impl Fn(&[f64]) -> f64) -> Num {
        let wide: Vec<f64> = self.s.iter().map(|s| s.float()).collect();
        if self.ty == Ty::Df {
            return Num::F(double(&wide));
        }
        let narrow: Vec<f32> = wide.iter().map(|&f| f as f32).collect();
        Num::F(single(&narrow).into())
    }
}

/// Results of an operation, for each destination.
pub fn evaluate(op: &str, x: Input) -> Vec<Num> {
    let float = matches!(x.s[0], Num::F(_));
    let one = match op {
        "mov" => x.s[0],
        "add" if float => x.float(|s| s[0] + s[1], |s| s[0] + s[1]),
        "add" => Num::I(x.i(0) + x.i(1)),
        "mul" if float => x.float(|s| s[0] * s[1], |s| s[0] * s[1]),
        "mul" => Num::I(x.i(0) * x.i(1)),
        "avg" => Num::I((x.i(0) + x.i(1) + 1) >> 1),
        "mad" if float => x.float(|s| s[0].mul_add(s[1], s[2]), |s| s[0].mul_add(s[1], s[2])),
        // Low bits of the product of 64-bit factors.
        "mad" => Num::I(x.i(0).wrapping_mul(x.i(1)).wrapping_add(x.i(2))),
        "lrp" => x.float(|s| s[0] * s[1] + (1.0 - s[0]) * s[2], |_| 0.0),
        "and" => Num::I(x.i(0) & x.i(1)),
        "or" => Num::I(x.i(0) | x.i(1)),
        "xor" => Num::I(x.i(0) ^ x.i(1)),
        "not" => Num::I(!x.i(0)),
        "shl" => Num::I(x.i(0) << x.count()),
        "shr" | "asr" => Num::I(x.i(0) >> x.count()),
        "cbit" => Num::I(x.i(0).count_ones().into()),
        "lzd" => Num::I(x.u32(0).leading_zeros().into()),
        "fbl" => Num::I(
            if x.u32(0) == 0 {
                u32::MAX
            } else {
                x.u32(0).trailing_zeros()
            }
            .into(),
        ),
        "fbh" => {
            let bits = if x.i(0) < 0 { !x.u32(0) } else { x.u32(0) };
            Num::I(
                if bits == 0 {
                    u32::MAX
                } else {
                    bits.leading_zeros()
                }
                .into(),
            )
        }
        "bfrev" => Num::I(x.u32(0).reverse_bits().into()),
        "sel" => {
            if x.chosen {
                x.s[0]
            } else {
                x.s[1]
            }
        }
        "min" | "max" => extreme(op == "max", x.s[0], x.s[1]),
        "mulh" => Num::I((x.i(0) * x.i(1)) >> 32),
        "div" if float => x.float(|s| s[0] / s[1], |s| s[0] / s[1]),
        "div" => Num::I(x.i(0) / x.i(1)),
        "mod" => Num::I(x.i(0) % x.i(1)),
        "divm" => x.float(|s| s[0] / s[1], |s| s[0] / s[1]),
        "sqrtm" | "sqrt" => x.float(|s| s[0].sqrt(), |s| s[0].sqrt()),
        "frc" => x.float(|s| s[0] - s[0].floor(), |_| 0.0),
        "rndd" => x.float(|s| s[0].floor(), |_| 0.0),
        "rndu" => x.float(|s| s[0].ceil(), |_| 0.0),
        "rndz" => x.float(|s| s[0].trunc(), |_| 0.0),
        "rnde" => x.float(|s| s[0].round_ties_even(), |_| 0.0),
        "inv" => x.float(|s| 1.0 / s[0], |s| 1.0 / s[0]),
        "rsqrt" => x.float(|s| 1.0 / s[0].sqrt(), |_| 0.0),
        "exp" => x.float(|s| s[0].exp2(), |_| 0.0),
        "log" => x.float(|s| s[0].log2(), |_| 0.0),
        "sin" => x.float(|s| s[0].sin(), |_| 0.0),
        "cos" => x.float(|s| s[0].cos(), |_| 0.0),
        "pow" => x.float(|s| s[0].abs().powf(s[1]), |_| 0.0),
        "bfe" => Num::I(extract(x.u32(0), x.u32(1), x.u32(2), x.ty == Ty::D)),
        "bfi" => Num::I(insert(x.u32(0), x.u32(1), x.u32(2), x.u32(3)).into()),
        "madw" => {
            let sum = x.i(0) * x.i(1) + x.i(2);
            return vec![Num::I(sum), Num::I(sum >> 32)];
        }
        "addc" => return vec![Num::I(x.i(0) + x.i(1)), Num::I((x.i(0) + x.i(1)) >> 32)],
        "subb" => return vec![Num::I(x.i(0) - x.i(1)), Num::I((x.i(0) < x.i(1)).into())],
        _ => panic!("the model does not know {op}"),
    };
    vec![one]
}

fn extreme(greater: bool, a: Num, b: Num) -> Num {
    match (a, b) {
        (Num::F(a), _) if a.is_nan() => b,
        (_, Num::F(f)) if f.is_nan() => a,
        _ if Relation::Ge.holds(a, b) == greater => a,
        _ => b,
    }
}

/// `width` bits from `offset`, both modulo 32.
fn extract(width: u32, offset: u32, from: u32, signed: bool) -> i128 {
    let (width, offset) = (width & 31, offset & 31);
    if width == 0 {
        return 0;
    }
    let field = (u64::from(from) >> offset) as u32;
    // A field that reaches beyond the top ends there.
    let width = width.min(32 - offset);
    let field = field << (32 - width);
    if signed {
        (field as i32 >> (32 - width)).into()
    } else {
        (field >> (32 - width)).into()
    }
}

fn insert(width: u32, offset: u32, from: u32, into: u32) -> u32 {
    let (width, offset) = (width & 31, offset & 31);
    let mask = ((1u32 << width) - 1) << offset;
    from << offset & mask | into & !mask
}
