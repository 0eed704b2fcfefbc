//! Deviation of the extended math functions from the exact results, in units in the last place.

use kiln_emit::inst::{Dst, Inst, MathFn, Op, Reg, RegFile, Region, Src, Type};
use kiln_emit::platform::SKL;
use kiln_exec::{Cause, Registers};
use rustc_apfloat::ieee::{Double, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::random::Random;
use crate::real;

/// Channels computed at a time.
const LANES: usize = 16;
/// `cr0.0` that keeps denormals and rounds to nearest.
const KEEP_DENORMALS: u32 = 0x4c0;

/// A function with the ranges of its samples: exponents (of 2) of the first source, and of the second.
pub struct Function {
    pub function: MathFn,
    pub exponents: [std::ops::Range<i32>; 2],
    pub negative: bool,
}

const fn function(
    function: MathFn,
    a: std::ops::Range<i32>,
    b: std::ops::Range<i32>,
    negative: bool,
) -> Function {
    Function {
        function,
        exponents: [a, b],
        negative,
    }
}

/// Functions of floats, each over the range where it is defined and does not overflow.
pub static FUNCTIONS: &[Function] = &[
    function(MathFn::Inv, -126..126, 0..1, true),
    function(MathFn::Fdiv, -60..60, -60..60, true),
    function(MathFn::Sqt, -149..128, 0..1, false),
    function(MathFn::Rsqt, -149..128, 0..1, false),
    function(MathFn::Log, -149..128, 0..1, false),
    function(MathFn::Exp, -30..7, 0..1, true),
    function(MathFn::Sin, -30..20, 0..1, true),
    function(MathFn::Cos, -30..20, 0..1, true),
    function(MathFn::Pow, -8..8, -8..4, false),
];

/// Edges of the functions' ranges and of the type's, of both signs: zero, denormals, powers of two, neighbours of one,
/// arguments of many periods, the largest number, infinity and NaN.
const EDGES: [f32; 22] = [
    0.0,
    f32::from_bits(1),
    f32::from_bits(0x0040_0000),
    f32::from_bits(0x007f_ffff),
    f32::MIN_POSITIVE,
    1e-20,
    0.5,
    f32::from_bits(0x3f7f_ffff),
    1.0,
    f32::from_bits(0x3f80_0001),
    1.5,
    2.0,
    std::f32::consts::PI,
    126.0,
    127.999,
    128.0,
    150.0,
    16_777_216.0,
    1e30,
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
];

/// Results of a measurement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exactness {
    pub samples: u64,
    /// The largest error, in units in the last place.
    pub worst: f64,
    /// Results that are not the nearest single.
    pub not_nearest: u64,
}

impl Function {
    fn sample(&self, index: usize, random: &mut Random) -> f32 {
        let range = self.exponents[index].clone();
        let exponent = range.start + random.below(range.len()) as i32;
        let fraction = 1.0 + (random.next() >> 41) as f64 / (1u64 << 23) as f64;
        let magnitude = (fraction * f64::from(exponent).exp2()) as f32;
        // The second source of a power has both signs.
        let signed = self.negative || index == 1;
        if signed && random.chance(2) {
            -magnitude
        } else {
            magnitude
        }
    }

    fn sources(&self) -> usize {
        match self.function {
            MathFn::Fdiv | MathFn::Pow => 2,
            _ => 1,
        }
    }

    /// The function's results of a number of channels.
    fn compute(&self, control: u32, [a, b]: [[f32; LANES]; 2]) -> Result<[f32; LANES], Cause> {
        let mut registers = Registers::new(u32::MAX, &SKL);
        registers.set(Reg::new(RegFile::Control, 0, 0), &control.to_le_bytes())?;
        let mut inst = Inst::new(Op::Math(self.function), LANES as u8);
        inst.dst = Some(Dst::new(Reg::grf(30), 1, Type::F));
        for (num, values) in [(10, a), (20, b)].into_iter().take(self.sources()) {
            registers.set(Reg::grf(num), &values.map(f32::to_le_bytes).concat())?;
            inst.srcs
                .push(Src::reg(Reg::grf(num), Region::new(8, 8, 1), Type::F));
        }
        registers.execute(&inst)?;
        let mut bytes = [0; LANES * 4];
        registers.get(Reg::grf(30), &mut bytes)?;
        let (singles, _) = bytes.as_chunks();
        let mut results = [0.0; LANES];
        for (result, bytes) in results.iter_mut().zip(singles) {
            *result = f32::from_le_bytes(*bytes);
        }
        Ok(results)
    }

    /// The function's value.
    fn exact(&self, a: f32, b: f32) -> Quad {
        let wide = |v: f32| -> Quad {
            Single::from_bits(v.to_bits().into())
                .convert(&mut false)
                .value
        };
        real::math(self.function, wide(a), wide(b)).unwrap_or(Quad::qnan(None))
    }

    /// Measures on a number of samples.
    ///
    /// # Errors
    /// The executor refuses the instruction.
    pub fn measure(&self, samples: usize, random: &mut Random) -> Result<Exactness, Cause> {
        let mut found = Exactness::default();
        for _ in 0..samples.div_ceil(LANES) {
            let [a, b] = [0, 1].map(|i| [0; LANES].map(|_: i32| self.sample(i, random)));
            let results = self.compute(KEEP_DENORMALS, [a, b])?;
            for (lane, result) in results.into_iter().enumerate() {
                found.count(result, self.exact(a[lane], b[lane]));
            }
        }
        Ok(found)
    }

    /// Results that are not the nearest single, at the edges of the function's range, with denormals kept and flushed.
    ///
    /// # Errors
    /// The executor refuses the instruction.
    pub fn edges(&self) -> Result<Vec<String>, Cause> {
        let signed = || EDGES.iter().flat_map(|v| [*v, -v]);
        let mut wrong = Vec::new();
        for (control, keep) in [(KEEP_DENORMALS, true), (0, false)] {
            let flushed = |v: f32| match v.is_subnormal() && !keep {
                true => 0f32.copysign(v),
                false => v,
            };
            let seconds: Vec<f32> = signed().collect();
            for a in signed() {
                for b in seconds.chunks(LANES) {
                    let mut lanes = [b[0]; LANES];
                    lanes[..b.len()].copy_from_slice(b);
                    let results = self.compute(control, [[a; LANES], lanes])?;
                    for (b, result) in lanes.into_iter().zip(results) {
                        let exact = self.exact(flushed(a), flushed(b));
                        let expected = flushed(nearest(exact));
                        let numbers = !(result.is_nan() && expected.is_nan());
                        if numbers && result.to_bits() != expected.to_bits() {
                            let name = self.function.name();
                            wrong.push(format!("{name} {a:e} {b:e}: {result:e}, not {expected:e}"));
                        }
                    }
                }
            }
        }
        Ok(wrong)
    }
}

/// The single that is nearest.
fn nearest(exact: Quad) -> f32 {
    let nearest: Single = exact.convert_r(Round::NearestTiesToEven, &mut false).value;
    f32::from_bits(nearest.to_bits() as u32)
}

impl Exactness {
    fn count(&mut self, result: f32, exact: Quad) {
        let nearest = nearest(exact);
        if !nearest.is_finite() {
            return;
        }
        self.samples += 1;
        self.not_nearest += u64::from(result != nearest);
        let result: Quad = Single::from_bits(result.to_bits().into())
            .convert(&mut false)
            .value;
        let error: Double = (result - exact).value.convert(&mut false).value;
        let error = f64::from_bits(error.to_bits() as u64).abs();
        let unit = f64::from(exact.ilogb().max(-126) - 23).exp2();
        self.worst = self.worst.max(error / unit);
    }
}
