//! How far the extended math functions are from the exact results, in units in the last place.

use kiln_emit::inst::{Dst, Inst, MathFn, Op, Reg, RegFile, Region, Src, Type};
use kiln_runtime::exec::{Cause, Registers};
use rustc_apfloat::ieee::{Double, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::random::Random;
use crate::real;

/// Channels computed at a time.
const LANES: usize = 16;
/// `cr0.0` that keeps denormals and rounds to nearest.
const KEEP_DENORMALS: u32 = 0x4c0;

/// A function, and what its samples are: exponents (of 2) of the first source, and of the second.
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

/// The functions of floats, each over all that it is defined on and does not overflow.
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

/// What was found.
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

    /// Measures on so many samples.
    ///
    /// # Errors
    /// What the executor refuses.
    pub fn measure(&self, samples: usize, random: &mut Random) -> Result<Exactness, Cause> {
        let mut found = Exactness::default();
        let mut registers = Registers::new(u32::MAX);
        registers.set(
            Reg::new(RegFile::Control, 0, 0),
            &KEEP_DENORMALS.to_le_bytes(),
        )?;
        let mut inst = Inst::new(Op::Math(self.function), LANES as u8);
        inst.dst = Some(Dst::new(Reg::grf(30), 1, Type::F));
        let two = matches!(self.function, MathFn::Fdiv | MathFn::Pow);
        for num in [10, 20].into_iter().take(1 + usize::from(two)) {
            inst.srcs
                .push(Src::reg(Reg::grf(num), Region::new(8, 8, 1), Type::F));
        }
        for _ in 0..samples.div_ceil(LANES) {
            let [a, b] = [0, 1].map(|i| [0; LANES].map(|_: i32| self.sample(i, random)));
            for (num, values) in [(10, a), (20, b)] {
                registers.set(Reg::grf(num), &values.map(f32::to_le_bytes).concat())?;
            }
            registers.execute(&inst)?;
            let mut bytes = [0; LANES * 4];
            registers.get(Reg::grf(30), &mut bytes)?;
            for (lane, result) in bytes.chunks_exact(4).enumerate() {
                let result = u32::from_le_bytes([result[0], result[1], result[2], result[3]]);
                let wide = |v: f32| -> Quad {
                    Single::from_bits(v.to_bits().into())
                        .convert(&mut false)
                        .value
                };
                let exact = real::math(self.function, wide(a[lane]), wide(b[lane]));
                found.count(f32::from_bits(result), exact.unwrap_or(Quad::qnan(None)));
            }
        }
        Ok(found)
    }
}

impl Exactness {
    fn count(&mut self, result: f32, exact: Quad) {
        let nearest: Single = exact.convert_r(Round::NearestTiesToEven, &mut false).value;
        let nearest = f32::from_bits(nearest.to_bits() as u32);
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
