//! Random kernels from seeds.
//!
//! Every kernel is well defined in OpenCL C: arithmetic that could overflow is unsigned, shifts and indices are
//! masked, divisors are odd and positive; floats are only added, multiplied, compared and converted, and NaN payloads
//! are ignored; barriers are uniform, and memory that several work-items change is changed only by operations whose
//! order does not matter.

use kiln_emit::platform::Platform;

use crate::program::{
    Block, Decl, Expr, Function, INPUT, Loop, Param, Program, Range, SHARED, SLOT, Scalar,
    Settings, Stmt, Type,
};
use crate::random::Random;

use Scalar::{F16, F32, F64, I32, U32};

/// Number of consecutive seeds with the same settings, which make one file.
pub const SEEDS_PER_FILE: u64 = 24;
/// Limits on the number of times that a statement is executed, in a kernel and in a function.
const KERNEL_COST: u32 = 400;
const FUNCTION_COST: u32 = 30;

/// Kind of an operand.
#[derive(Clone, Copy)]
enum Arg {
    /// The operation's own type.
    Same,
    Unsigned,
    Signed,
    /// An integer of half the size and the same sign, and an unsigned one.
    High,
    Low,
    /// An `int` that is a condition.
    Cond,
}

use Arg::{Cond, High, Low, Same, Signed, Unsigned};

/// Types that an operation takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Int,
    /// `int` and `uint`.
    Dword,
    /// Integer types that have a type of half their width.
    Wide,
    SignedInt,
    UnsignedInt,
    Float,
    Any,
}

impl For {
    fn has(self, ty: Type) -> bool {
        let scalar = ty.scalar;
        let int = !scalar.is_float();
        match self {
            For::Int => int,
            For::Dword => matches!(scalar, I32 | U32),
            For::Wide => scalar.half().is_some(),
            For::SignedInt => scalar.is_signed(),
            For::UnsignedInt => int && !scalar.is_signed(),
            For::Float => !int,
            For::Any => true,
        }
    }
}

/// Operations: types, operands, text.
const OPERATIONS: &[(For, &[Arg], &str)] = &[
    (For::Int, &[Same, Same], "@t(@u($0) + @u($1))"),
    (For::Int, &[Same, Same], "@t(@u($0) - @u($1))"),
    (For::Int, &[Same, Same], "@t(@u($0) * @u($1))"),
    (For::Int, &[Same, Same], "@t($0 & $1)"),
    (For::Int, &[Same, Same], "@t($0 | $1)"),
    (For::Int, &[Same, Same], "@t($0 ^ $1)"),
    (For::Int, &[Same], "@t(~$0)"),
    (For::Int, &[Same], "@t(@u((@T)0) - @u($0))"),
    (For::Int, &[Same, Unsigned], "@t(@u($0) << ($1 & @x))"),
    (For::Int, &[Same, Same], "@t($0 >> ($1 & @w))"),
    (For::Int, &[Same, Same], "@t($0 / ($1 & @m | @1))"),
    (For::Int, &[Same, Same], "@t($0 % ($1 & @m | @1))"),
    (For::Int, &[Same, Same], "min($0, $1)"),
    (For::Int, &[Same, Same], "max($0, $1)"),
    (For::Int, &[Same, Same], "add_sat($0, $1)"),
    (For::Int, &[Same, Same], "sub_sat($0, $1)"),
    (For::Int, &[Same, Same], "hadd($0, $1)"),
    (For::Int, &[Same, Same], "rhadd($0, $1)"),
    (For::Int, &[Same, Same], "mul_hi($0, $1)"),
    (For::Int, &[Same, Same], "rotate($0, $1)"),
    (For::Int, &[Same], "popcount($0)"),
    (For::Int, &[Same], "clz($0)"),
    (For::Int, &[Same, Same, Same], "mad_hi($0, $1, $2)"),
    (For::Int, &[Same, Same, Same], "mad_sat($0, $1, $2)"),
    (
        For::Int,
        &[Same, Same, Same],
        "clamp($0, min($1, $2), max($1, $2))",
    ),
    (For::UnsignedInt, &[Signed], "abs($0)"),
    (For::UnsignedInt, &[Signed, Signed], "abs_diff($0, $1)"),
    (For::UnsignedInt, &[Same, Same], "abs_diff($0, $1)"),
    (For::SignedInt, &[Unsigned], "as_@T(abs_diff($0, (@U)77))"),
    (For::Wide, &[High, Low], "upsample($0, $1)"),
    (For::Dword, &[Same, Same], "mul24($0 >> 8, $1 >> 8)"),
    (
        For::Dword,
        &[Same, Same, Same],
        "mad24($0 >> 8, $1 >> 9, $2 >> 1)",
    ),
    (For::Float, &[Same, Same], "($0 + $1)"),
    (For::Float, &[Same, Same], "($0 - $1)"),
    (For::Float, &[Same, Same], "($0 * $1)"),
    (For::Float, &[Same], "(-$0)"),
    (For::Float, &[Same], "fabs($0)"),
    (For::Float, &[Same, Same, Same], "fma($0, $1, $2)"),
    (For::Float, &[Same, Same, Same], "fma(-$0, $1, $2)"),
    (For::Float, &[Same, Same], "fmin($0, $1)"),
    (For::Float, &[Same, Same], "fmax($0, $1)"),
    (For::Float, &[Same, Same], "copysign($0, $1)"),
    (For::Float, &[Same], "floor($0)"),
    (For::Float, &[Same], "ceil($0)"),
    (For::Float, &[Same], "trunc($0)"),
    (For::Float, &[Same], "rint($0)"),
    (For::Any, &[Same, Same, Cond], "@t($2 ? $0 : $1)"),
    (For::Any, &[Same, Same, Unsigned], "select($0, $1, $2)"),
    (For::Int, &[Same, Same, Same], "bitselect($0, $1, $2)"),
];

/// Comparisons.
const RELATIONS: [&str; 6] = [
    "($0 == $1)",
    "($0 != $1)",
    "($0 < $1)",
    "($0 <= $1)",
    "($0 > $1)",
    "($0 >= $1)",
];

/// Rounding of conversions.
const ROUNDINGS: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];

/// Operations that several work-items may do to one dword in any order.
const ANY_ORDER: [&str; 8] = [
    "atomic_add(at + (0 + ($1 & 15)), $0);",
    "atomic_sub(at + (16 + ($1 & 15)), $0);",
    "atomic_min(at + (32 + ($1 & 15)), $0);",
    "atomic_max(at + (48 + ($1 & 15)), $0);",
    "atomic_and(at + (64 + ($1 & 15)), $0);",
    "atomic_or(at + (80 + ($1 & 15)), $0);",
    "atomic_xor(at + (96 + ($1 & 15)), $0);",
    "atomic_min((global int *)at + (112 + ($1 & 15)), (int)$0);",
];

/// Operations on a dword that a work-item has to itself, whose results are used.
const OWN: [&str; 8] = [
    "atomic_add(at + (128 + gid), $0)",
    "atomic_sub(at + (128 + gid), $0)",
    "atomic_xchg(at + (128 + gid), $0)",
    "atomic_cmpxchg(at + (128 + gid), $0, $1)",
    "atomic_inc(at + (128 + gid))",
    "atomic_or(at + (128 + gid), $0)",
    "(uint)atomic_max((global int *)at + (128 + gid), (int)$0)",
    "atomic_dec(at + (128 + gid))",
];

/// Declarations in scope.
#[derive(Default)]
struct Frame {
    decls: Vec<Decl>,
    /// Variables, fields and arguments: all may be assigned to.
    vars: Vec<(String, Type)>,
    /// Counters of loops and sizes, which may not.
    fixed: Vec<(String, Type)>,
    arrays: Vec<(String, Type, u32)>,
    structs: Vec<String>,
    locals: Vec<(String, Type)>,
    loops: usize,
    /// Returns a value of the type; nothing if it is the kernel.
    result: Option<Type>,
    /// True if a work-item may return before the others.
    may_end: bool,
    most: u32,
}

/// Position of a statement.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// Upper bound of its executions.
    cost: u32,
    in_loop: bool,
    /// True if all work-items of a group reach it.
    uniform: bool,
}

struct Generator {
    r: Random,
    scalars: Vec<Scalar>,
    lanes: Vec<u32>,
    fields: Vec<Type>,
    /// Functions with the cost of a call.
    functions: Vec<(Function, u32)>,
    /// Number of statements so far: without optimizations the reference compiler fails silently on large kernels.
    most: usize,
    /// True if functions are stack calls.
    stack: bool,
    /// True if functions are subroutines.
    subroutines: bool,
    optimize: bool,
    frame: Frame,
}

/// The settings of a file's kernels.
fn settings(seed: u64) -> Settings {
    let mut r = Random((seed / SEEDS_PER_FILE) ^ 0x5e77_1465);
    r.next();
    Settings {
        control: r.of(&[0, 0, 0, 2, 3, 3, 4]),
        optimize: r.below(5) != 0,
        finalizer: "",
    }
}

/// Draws a kernel for a target.
pub fn program(seed: u64, target: &Platform) -> Program {
    let mut r = Random(seed);
    let settings = settings(seed);
    let full = r.below(3) == 0;
    let mut scalars: Vec<Scalar> = Scalar::ALL.to_vec();
    if !full {
        let kept = 1 + r.below(5);
        while scalars.len() > kept {
            let at = r.below(scalars.len());
            scalars.remove(at);
        }
    }
    for needed in [I32, U32] {
        if !scalars.contains(&needed) {
            scalars.push(needed);
        }
    }
    let lanes = match r.below(4) {
        0 | 1 => vec![1],
        2 => vec![1, 1, 1, r.of(&[2, 3, 4, 8, 16])],
        _ => vec![1, 1, 1, 1, 2, 3, 4, 8, 16],
    };
    let mut g = Generator {
        r,
        scalars,
        lanes,
        fields: Vec::new(),
        functions: Vec::new(),
        most: if settings.optimize { 14 } else { 5 },
        stack: settings.control > 2,
        subroutines: settings.control == 2,
        optimize: settings.optimize,
        frame: Frame::default(),
    };
    for _ in 0..2 + g.r.below(4) {
        let ty = g.ty();
        g.fields.push(ty);
    }
    let helpers = g.r.of(&[0, 1, 1, 2, 3]);
    for _ in 0..helpers {
        let function = g.function();
        g.functions.push(function);
    }
    let mut program = g.kernel(seed, settings);
    // A register of dwords holds the smallest subgroup.
    if program.simd > 0 {
        program.simd = program.simd.max(target.grf_bytes / 4);
    }
    program
}

impl Generator {
    fn chance(&mut self, of: usize) -> bool {
        self.r.below(of) == 0
    }

    fn ty(&mut self) -> Type {
        Type {
            scalar: self.r.of(&self.scalars),
            lanes: self.r.of(&self.lanes),
        }
    }

    /// The bits of a scalar, often on the edges of its type.
    fn bits(&mut self, scalar: Scalar) -> u64 {
        let edges: &[u64] = match scalar {
            F16 => &[
                0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x4500, 0xc780, 0x7bff, 0x7c00, 0x0001, 0x5640,
                0x2e66,
            ],
            F32 => &[
                0,
                0x8000_0000,
                0x3f80_0000,
                0xbf80_0000,
                0x3f00_0000,
                0x40a0_0000,
                0xc2f7_0000,
                0x7f7f_ffff,
                0xff80_0000,
                0x0000_0001,
                0x4f00_0000,
                0x5f00_0000,
                0x3dcc_cccd,
            ],
            F64 => &[
                0,
                1 << 63,
                0x3ff0 << 48,
                0xbff0 << 48,
                0x3fe0 << 48,
                0x4014 << 48,
                0xc05e_c000 << 32,
                0x7fef_ffff_ffff_ffff,
                0x7ff0 << 48,
                1,
                0x41e0 << 48,
                0x43e0 << 48,
                0x3fb9_9999_9999_999a,
            ],
            _ => &[
                0,
                1,
                2,
                u64::MAX,
                3,
                5,
                7,
                0x7f,
                0x80,
                0xff,
                0x7fff,
                0x8000,
                0x7fff_ffff,
                0x8000_0000,
                1 << 63,
            ],
        };
        match self.r.below(4) {
            0 if scalar.is_float() => {
                // A number of moderate size.
                let n = self.r.below(4096) as f64 / 16.0 - 100.0;
                match scalar {
                    F64 => n.to_bits(),
                    F32 => u64::from((n as f32).to_bits()),
                    _ => 0x4000 + self.r.below(0x1800) as u64,
                }
            }
            0 => self.r.next(),
            1 => self.r.below(100) as u64 & if scalar.is_float() { 0 } else { u64::MAX },
            _ => self.r.of(edges),
        }
    }

    fn lane_bits(&mut self, ty: Type) -> Vec<u64> {
        let lanes = if self.chance(3) { 1 } else { ty.lanes };
        (0..lanes).map(|_| self.bits(ty.scalar)).collect()
    }

    fn literal(&mut self, ty: Type) -> Expr {
        let bits = self.lane_bits(ty);
        Expr::literal(ty, bits)
    }

    /// A variable or a literal.
    fn leaf(&mut self, ty: Type) -> Expr {
        if self.chance(4) {
            return self.literal(ty);
        }
        let frame = &self.frame;
        let all = frame.vars.iter().chain(&frame.fixed);
        let same: Vec<&String> = all.filter(|(_, t)| *t == ty).map(|(n, _)| n).collect();
        if !same.is_empty() {
            let name = same[self.r.below(same.len())].clone();
            return Expr::text(ty, name, vec![]);
        }
        // One lane of a vector.
        if ty.lanes == 1 {
            let wider = |(_, t): &&(String, Type)| t.scalar == ty.scalar;
            let wider: Vec<_> = self.frame.vars.iter().filter(wider).cloned().collect();
            if !wider.is_empty() {
                let (name, t) = &wider[self.r.below(wider.len())];
                let lane = self.r.below(t.lanes as usize);
                return Expr::text(ty, format!("{name}.s{lane:x}"), vec![]);
            }
        }
        if self.chance(2) {
            let index = Expr::text(Type::UINT, "gid", vec![]);
            return self.load(ty, index);
        }
        self.literal(ty)
    }

    fn load(&mut self, ty: Type, index: Expr) -> Expr {
        let (elem, lanes) = (ty.scalar.name(), ty.lanes);
        if lanes > 1 && self.chance(3) {
            let mask = INPUT / ty.scalar.bytes() / lanes.next_power_of_two() - 1;
            let text = format!("vload{lanes}($0 & {mask}u, (global const {elem} *)in)");
            return Expr::text(ty, text, vec![index]);
        }
        if ty == Type::of(F32) && self.scalars.contains(&F16) && self.chance(4) {
            let mask = INPUT / 2 - 1;
            let text = format!("vload_half($0 & {mask}u, (global const half *)in)");
            return Expr::text(ty, text, vec![index]);
        }
        let mask = INPUT / ty.bytes() - 1;
        let text = format!("((global const {ty} *)in)[$0 & {mask}u]");
        Expr::text(ty, text, vec![index])
    }

    fn arg(&mut self, arg: Arg, ty: Type, depth: usize) -> Expr {
        let half = ty.scalar.half().unwrap_or(ty.scalar);
        match arg {
            Same => self.expr(ty, depth),
            Unsigned => self.expr(ty.with(ty.scalar.unsigned()), depth),
            Signed => self.expr(ty.with(ty.scalar.signed()), depth),
            High => self.expr(ty.with(half), depth),
            Low => self.expr(ty.with(half.unsigned()), depth),
            Cond => self.cond(depth),
        }
    }

    /// A comparison, or several.
    fn cond(&mut self, depth: usize) -> Expr {
        let depth = depth.saturating_sub(1);
        match self.r.below(8) {
            0 => {
                let (a, b) = (self.cond(depth), self.cond(depth));
                let text = self.r.of(&["($0 && $1)", "($0 || $1)"]);
                Expr::text(Type::INT, text, vec![a, b])
            }
            1 => {
                let lanes = self.r.of(&self.lanes);
                if lanes == 1 {
                    return self.expr(Type::INT, depth);
                }
                let scalar = self.r.of(&self.scalars).signed();
                let arg = self.expr(Type { scalar, lanes }, depth);
                let text = self.r.of(&["any($0)", "all($0)"]);
                Expr::text(Type::INT, text, vec![arg])
            }
            2 => {
                let arg = self.expr(Type::UINT, depth);
                Expr::text(Type::INT, "(int)($0 & 1)", vec![arg])
            }
            _ => {
                let ty = Type::of(self.r.of(&self.scalars));
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                Expr::text(Type::INT, self.r.of(&RELATIONS), vec![a, b])
            }
        }
    }

    fn expr(&mut self, ty: Type, depth: usize) -> Expr {
        if depth == 0 || self.chance(6) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.r.below(16) {
            0 | 1 => self.conversion(ty, depth),
            2 => self.bit_cast(ty, depth),
            3 => {
                let index = self.expr(Type::UINT, depth);
                self.load(ty, index)
            }
            4 | 5 => self.element(ty, depth),
            6 if ty.lanes > 1 => self.lanes_of(ty, depth),
            6 | 7 if ty == Type::INT => self.cond(depth),
            7 if ty.lanes > 1 && ty.scalar.is_signed() => {
                let same = |s: &Scalar| s.bits() == ty.scalar.bits();
                let scalars: Vec<Scalar> = Scalar::ALL.iter().copied().filter(same).collect();
                let of = ty.with(self.r.of(&scalars));
                let (a, b) = (self.expr(of, depth), self.expr(of, depth));
                Expr::text(ty, self.r.of(&RELATIONS), vec![a, b])
            }
            _ => {
                let fit: Vec<_> = OPERATIONS.iter().filter(|(on, ..)| on.has(ty)).collect();
                let &(_, args, text) = fit[self.r.below(fit.len())];
                let text = match text {
                    // The reference compiler rounds a double through a `long`, and folds values out of its range to an
                    // undefined one.
                    "rint($0)" if ty.scalar == F64 => {
                        text.replace("$0", "fmin(fmax($0, -0x1p62), 0x1p62)")
                    }
                    // Without optimizations the reference negates only the first lane.
                    _ if ty.lanes > 1 && !self.optimize => {
                        text.replace("-$0", "((@T)(-0.0f) - $0)")
                    }
                    _ => text.to_string(),
                };
                let args = args.iter().map(|&arg| self.arg(arg, ty, depth)).collect();
                Expr::text(ty, text, args)
            }
        }
    }

    fn conversion(&mut self, ty: Type, depth: usize) -> Expr {
        let from = ty.with(self.r.of(&self.scalars));
        if from == ty {
            return self.expr(ty, depth);
        }
        let arg = self.expr(from, depth);
        let how = match (from.scalar.is_float(), ty.scalar.is_float()) {
            (false, false) => self.r.of(&["", "_sat"]).to_string(),
            (true, false) => format!("_sat{}", self.r.of(&ROUNDINGS)),
            (_, true) => self.r.of(&ROUNDINGS).to_string(),
        };
        Expr::text(ty, format!("convert_{ty}{how}($0)"), vec![arg])
    }

    /// Only of floats that are numbers: the payload of a NaN is not compared.
    fn bit_cast(&mut self, ty: Type, depth: usize) -> Expr {
        let same = |t: &Type| t.bytes() == ty.bytes() && (t.lanes == 3) == (ty.lanes == 3);
        let lanes = self.lanes.clone();
        let of = |&scalar: &Scalar| lanes.iter().map(move |&lanes| Type { scalar, lanes });
        let all: Vec<Type> = self.scalars.iter().flat_map(of).filter(same).collect();
        if all.is_empty() {
            return self.expr(ty, depth);
        }
        let from = self.r.of(&all);
        let arg = self.expr(from, depth);
        let text = match from.scalar.is_float() {
            true => format!("as_{ty}(fmax($0, ({from})-INFINITY))"),
            false => format!("as_{ty}($0)"),
        };
        Expr::text(ty, text, vec![arg])
    }

    fn element(&mut self, ty: Type, depth: usize) -> Expr {
        let same = |(_, t, _): &&(String, Type, u32)| *t == ty;
        let arrays: Vec<_> = self.frame.arrays.iter().filter(same).cloned().collect();
        if arrays.is_empty() {
            return self.expr(ty, depth);
        }
        let (name, _, len) = &arrays[self.r.below(arrays.len())];
        let index = self.expr(Type::UINT, depth);
        Expr::text(ty, format!("{name}[$0 & {}u]", len - 1), vec![index])
    }

    /// A vector made of lanes of other values.
    fn lanes_of(&mut self, ty: Type, depth: usize) -> Expr {
        let (lanes, scalar) = (ty.lanes, ty.scalar);
        match self.r.below(4) {
            0 => {
                let arg = self.expr(Type::of(scalar), depth);
                Expr::text(ty, "(@T)($0)", vec![arg])
            }
            1 if lanes.is_power_of_two() => {
                let half = Type {
                    scalar,
                    lanes: lanes / 2,
                };
                let (a, b) = (self.expr(half, depth), self.expr(half, depth));
                Expr::text(ty, "(@T)($0, $1)", vec![a, b])
            }
            2 if lanes.is_power_of_two() => {
                let mask = ty.with(scalar.unsigned());
                let (a, m) = (self.expr(ty, depth), self.expr(mask, depth));
                Expr::text(ty, "shuffle($0, $1)", vec![a, m])
            }
            _ => {
                let from = Type {
                    scalar,
                    lanes: self.r.of(&[2, 3, 4, 8, 16]),
                };
                let name: String = (0..lanes)
                    .map(|_| format!("{:x}", self.r.below(from.lanes as usize)))
                    .collect();
                let arg = self.expr(from, depth);
                Expr::text(ty, format!("($0).s{name}"), vec![arg])
            }
        }
    }

    fn var(&mut self, prefix: &str, ty: Type) -> String {
        let name = format!("{prefix}{}", self.frame.decls.len());
        let init = self.lane_bits(ty);
        self.frame.decls.push(Decl::Var {
            name: name.clone(),
            ty,
            init,
        });
        self.frame.vars.push((name.clone(), ty));
        name
    }

    fn declare(&mut self, vars: usize) {
        for _ in 0..vars {
            let ty = self.ty();
            self.var("v", ty);
        }
        self.var("v", Type::INT);
        self.var("v", Type::UINT);
        for _ in 0..self.r.of(&[0, 0, 1, 1, 2]) {
            let name = format!("a{}", self.frame.decls.len());
            let mut ty = self.ty();
            if ty.lanes > 4 {
                ty.lanes = 2;
            }
            let len = self.r.of(&[2, 4, 8, 8, 16]);
            let count = self.r.of(&[1, 1, len as usize]);
            let init = (0..count).map(|_| self.bits(ty.scalar)).collect();
            self.frame.decls.push(Decl::Array {
                name: name.clone(),
                ty,
                len,
                init,
            });
            self.frame.arrays.push((name, ty, len));
        }
        for _ in 0..self.r.of(&[0, 0, 0, 1, 2]) {
            let name = format!("s{}", self.frame.decls.len());
            let init = (0..self.fields.len())
                .map(|_| self.r.below(99) as u64)
                .collect();
            self.frame.decls.push(Decl::Struct {
                name: name.clone(),
                init,
            });
            self.structure(name);
        }
    }

    fn structure(&mut self, name: String) {
        let fields = self.fields.iter().enumerate();
        let fields = fields.map(|(n, &ty)| (format!("{name}.f{n}"), ty));
        self.frame.vars.extend(fields);
        self.frame.structs.push(name);
    }

    /// An assignable expression.
    fn place(&mut self) -> Expr {
        if !self.frame.arrays.is_empty() && self.chance(4) {
            let (_, ty, _) = self.frame.arrays[self.r.below(self.frame.arrays.len())];
            return self.element(ty, 2).fixed();
        }
        let (name, ty) = self.frame.vars[self.r.below(self.frame.vars.len())].clone();
        if ty.lanes > 1 && self.chance(3) {
            let lane = self.r.below(ty.lanes as usize);
            return Expr::text(Type::of(ty.scalar), format!("{name}.s{lane:x}"), vec![]).fixed();
        }
        if ty.lanes > 1 && ty.lanes != 3 && self.chance(4) {
            let half = Type {
                scalar: ty.scalar,
                lanes: ty.lanes / 2,
            };
            let part = self.r.of(&["lo", "hi", "odd", "even"]);
            return Expr::text(half, format!("{name}.{part}"), vec![]).fixed();
        }
        Expr::text(ty, name, vec![]).fixed()
    }

    fn assignment(&mut self) -> Stmt {
        let place = self.place();
        let depth = 1 + self.r.below(4);
        let value = self.expr(place.ty, depth);
        Stmt::Text {
            text: "$0 = $1;".into(),
            args: vec![place, value],
        }
    }

    fn call(&mut self, cost: u32) -> Option<Stmt> {
        let most = self.frame.most;
        let fits = |n: &usize| self.functions[*n].1.saturating_mul(cost) <= most;
        let fit: Vec<usize> = (0..self.functions.len()).filter(fits).collect();
        if fit.is_empty() {
            return None;
        }
        let n = fit[self.r.below(fit.len())];
        let (result, params) = (
            self.functions[n].0.result,
            self.functions[n].0.params.clone(),
        );
        let mut args = Vec::new();
        for param in params {
            args.push(match param {
                Param::Value(ty) => self.expr(ty, 2),
                Param::Array(ty, len) => {
                    let same = |a: &&(String, Type, u32)| a.1 == ty && a.2 >= len;
                    let found = self.frame.arrays.iter().find(same).map(|a| a.0.clone());
                    let name = found.unwrap_or_else(|| {
                        let name = format!("a{}", self.frame.decls.len());
                        let init = vec![3];
                        self.frame.decls.push(Decl::Array {
                            name: name.clone(),
                            ty,
                            len,
                            init,
                        });
                        self.frame.arrays.push((name.clone(), ty, len));
                        name
                    });
                    Expr::text(ty, name, vec![]).fixed()
                }
                Param::Struct => {
                    if self.frame.structs.is_empty() {
                        let name = format!("s{}", self.frame.decls.len());
                        self.frame.decls.push(Decl::Struct {
                            name: name.clone(),
                            init: vec![5],
                        });
                        self.structure(name);
                    }
                    let name = &self.frame.structs[self.r.below(self.frame.structs.len())];
                    // The reference compiler does not pass constant fields to a function.
                    let opaque = format!("(gid >> 31 ? *(global const S@k *)in : {name})");
                    Expr::text(Type::INT, opaque, vec![]).fixed()
                }
            });
        }
        let holes: String = (0..args.len()).map(|n| format!(", ${n}")).collect();
        let text = format!("f{n}_@k(in, o, at, gid{holes})");
        let same = |v: &&(String, Type)| v.1 == result;
        let vars: Vec<_> = self.frame.vars.iter().filter(same).cloned().collect();
        let name = match vars.is_empty() {
            true => self.var("v", result),
            false => vars[self.r.below(vars.len())].0.clone(),
        };
        let place = Expr::text(result, name, vec![]).fixed();
        let value = Expr::text(result, text, args);
        Some(Stmt::Text {
            text: "$0 = $1;".into(),
            args: vec![place, value],
        })
    }

    /// Stores among the work-item's own results, atomic operations.
    fn effect(&mut self) -> Stmt {
        match self.r.below(4) {
            0 => {
                let value = self.expr(Type::UINT, 2);
                let index = self.expr(Type::UINT, 2);
                Stmt::Text {
                    text: self.r.of(&ANY_ORDER).into(),
                    args: vec![value, index],
                }
            }
            1 => {
                let args = vec![self.expr(Type::UINT, 2), self.expr(Type::UINT, 1)];
                let place = self.var("v", Type::UINT);
                let place = Expr::text(Type::UINT, place, vec![]).fixed();
                let value = Expr::text(Type::UINT, self.r.of(&OWN), args);
                Stmt::Text {
                    text: "$0 = $1;".into(),
                    args: vec![place, value],
                }
            }
            _ => {
                let ty = self.ty();
                let value = self.expr(ty, 3);
                let index = self.expr(Type::UINT, 2);
                let mask = SLOT / 2 / ty.bytes() - 1;
                let text = match ty.lanes {
                    // A vector of three lanes has an undefined fourth, which a whole store may write.
                    n if n == 3 || n > 1 && self.chance(2) => {
                        format!("vstore{n}($0, $1 & {mask}u, (global @E *)o);")
                    }
                    _ => format!("((global @T *)o)[$1 & {mask}u] = $0;"),
                };
                Stmt::Text {
                    text: text.into(),
                    args: vec![value, index],
                }
            }
        }
    }

    /// A statement that all work-items of a group execute together.
    fn together(&mut self) -> Stmt {
        let fence = "barrier(CLK_LOCAL_MEM_FENCE);";
        if self.chance(3) {
            // Changes one array in any order.
            let name = "la".to_string();
            if !self.frame.locals.iter().any(|(n, _)| *n == name) {
                self.frame.decls.push(Decl::Local {
                    name: name.clone(),
                    ty: Type::UINT,
                });
                self.frame.locals.push((name, Type::UINT));
            }
            let op = self.r.of(&["add", "max", "xor", "or", "min"]);
            let value = self.expr(Type::UINT, 2);
            let (at, from) = (self.expr(Type::UINT, 2), self.expr(Type::UINT, 2));
            let place = self.var("v", Type::UINT);
            let text = format!(
                "{fence} la[lid] = gid; {fence} atomic_{op}(la + $1 % group, $2); {fence} $0 = la[$3 % group];"
            );
            let place = Expr::text(Type::UINT, place, vec![]).fixed();
            return Stmt::Text {
                text: text.into(),
                args: vec![place, at, value, from],
            };
        }
        let (mut place, mut ty) = self.frame.vars[self.r.below(self.frame.vars.len())].clone();
        if ty.bytes() > 16 {
            (place, ty) = (self.var("v", Type::INT), Type::INT);
        }
        let found = self.frame.locals.iter().find(|l| l.1 == ty && l.0 != "la");
        let name = match found {
            Some((name, _)) => name.clone(),
            None => {
                let name = format!("l{}", self.frame.decls.len());
                self.frame.decls.push(Decl::Local {
                    name: name.clone(),
                    ty,
                });
                self.frame.locals.push((name.clone(), ty));
                name
            }
        };
        let (value, index) = (self.expr(ty, 3), self.expr(Type::UINT, 2));
        let text = format!("{fence} {name}[lid] = $1; {fence} $0 = {name}[$2 % group];");
        let place = Expr::text(ty, place, vec![]).fixed();
        Stmt::Text {
            text: text.into(),
            args: vec![place, value, index],
        }
    }

    fn stmt(&mut self, place: Place) -> Stmt {
        let inner = Place {
            depth: place.depth + 1,
            uniform: false,
            ..place
        };
        let deep = place.depth >= 4;
        match self.r.below(20) {
            0..=2 if !deep => {
                let cond = self.cond(3);
                let then = self.block(inner);
                let other = if self.chance(2) {
                    self.block(inner)
                } else {
                    Vec::new()
                };
                Stmt::If { cond, then, other }
            }
            3..=5 if !deep => self.looped(place).unwrap_or_else(|| self.assignment()),
            6 if !deep => {
                let value = self.expr(Type::UINT, 2);
                let count = 1 + self.r.below(5);
                let mask = self.r.of(&[1, 3, 7, 7, 15]);
                let value = Expr::text(Type::UINT, format!("($0 & {mask}u)"), vec![value]).fixed();
                let cases = (0..count)
                    .map(|_| (self.block(inner), self.chance(4)))
                    .collect();
                let default = if self.chance(2) {
                    self.block(inner)
                } else {
                    Vec::new()
                };
                Stmt::Switch {
                    value,
                    cases,
                    default,
                }
            }
            7 if place.in_loop && place.depth > 1 => {
                let text = self.r.of(&["break;", "continue;"]);
                Stmt::Text {
                    text: text.into(),
                    args: vec![],
                }
            }
            8 if self.frame.may_end && place.depth > 0 && self.chance(2) => {
                let (text, args) = match self.frame.result {
                    Some(ty) => ("return $0;", vec![self.expr(ty, 2)]),
                    None => ("return;", vec![]),
                };
                Stmt::Text {
                    text: text.into(),
                    args,
                }
            }
            9 | 10 if place.uniform => self.together(),
            11..=13 => match self.call(place.cost) {
                Some(call) => call,
                None => self.assignment(),
            },
            14 => self.effect(),
            _ => self.assignment(),
        }
    }

    fn looped(&mut self, place: Place) -> Option<Stmt> {
        let mask = self.r.of(&[1, 3, 3, 7, 7, 15]);
        let cost = place.cost * (mask + 1);
        if cost > self.frame.most {
            return None;
        }
        let uniform = place.uniform && self.chance(2);
        let inner = Place {
            depth: place.depth + 1,
            cost,
            in_loop: true,
            uniform,
        };
        let kind = match uniform {
            true => Loop::For,
            false => self.r.of(&[Loop::For, Loop::For, Loop::While, Loop::Do]),
        };
        let limit = match uniform {
            true => Expr::literal(Type::UINT, vec![u64::from(mask.min(5))]).fixed(),
            false => self.expr(Type::UINT, 2),
        };
        let cond = self.cond(2);
        let var = format!("i{}", self.frame.loops);
        self.frame.loops += 1;
        let decl = Decl::Var {
            name: var.clone(),
            ty: Type::INT,
            init: vec![0],
        };
        self.frame.decls.push(decl);
        self.frame.fixed.push((var.clone(), Type::INT));
        // Work-items cannot leave a uniform loop one by one.
        let body = match uniform {
            true => self.block(Place {
                in_loop: false,
                ..inner
            }),
            false => self.block(inner),
        };
        Some(Stmt::Loop {
            kind,
            var,
            limit,
            mask,
            cond,
            body,
        })
    }

    fn block(&mut self, place: Place) -> Block {
        let most = match place.depth {
            0 => self.most,
            _ => 4,
        };
        let count = 1 + self.r.below(most);
        (0..count).map(|_| self.stmt(place)).collect()
    }

    fn function(&mut self) -> (Function, u32) {
        self.frame = Frame {
            result: Some(self.ty()),
            may_end: true,
            most: FUNCTION_COST,
            fixed: vec![("gid".to_string(), Type::UINT)],
            ..Frame::default()
        };
        let mut params = Vec::new();
        for n in 0..self.r.of(&[0, 1, 1, 2, 2, 3, 4, 8]) {
            let mut ty = self.ty();
            // On the stack the reference compiler takes what has less than 16 bytes for uniform.
            let bytes = |ty: Type| ty.scalar.bytes() * ty.lanes;
            if self.stack && bytes(ty) % 2 == 1 {
                ty.scalar = I32;
            }
            // The reference does not write constant fields of a structure that is passed to a subroutine.
            let whole = match self.stack {
                true => self.fields.iter().all(|&ty| bytes(ty) % 2 == 0),
                false => !self.subroutines,
            };
            let name = format!("p{n}");
            params.push(match self.r.below(8) {
                0 => {
                    let ty = Type {
                        lanes: ty.lanes.min(4),
                        ..ty
                    };
                    let len = self.r.of(&[4, 8]);
                    self.frame.arrays.push((name, ty, len));
                    Param::Array(ty, len)
                }
                1 if whole => {
                    self.structure(name);
                    Param::Struct
                }
                _ => {
                    self.frame.vars.push((name, ty));
                    Param::Value(ty)
                }
            });
        }
        let vars = self.r.below(4);
        self.declare(vars);
        let place = Place {
            depth: 1,
            cost: 1,
            in_loop: false,
            uniform: false,
        };
        let mut body = Vec::new();
        for _ in 0..1 + self.r.below(5) {
            let stmt = self.stmt(place);
            body.push(stmt);
        }
        let result = self.frame.result.unwrap_or(Type::INT);
        let value = self.expr(result, 3);
        let function = Function {
            inline: self.chance(4),
            result,
            params,
            decls: std::mem::take(&mut self.frame.decls),
            body,
            value,
        };
        let cost = loops(&function.body);
        (function, cost)
    }

    fn kernel(mut self, seed: u64, settings: Settings) -> Program {
        let barriers = self.chance(3);
        self.frame = Frame {
            may_end: !barriers,
            most: KERNEL_COST,
            fixed: vec![("gid".to_string(), Type::UINT)],
            ..Frame::default()
        };
        let mut values = Vec::new();
        for n in 0..self.r.of(&[0, 0, 1, 3]) {
            let ty = self.ty();
            let bits = (0..ty.lanes).map(|_| self.bits(ty.scalar)).collect();
            values.push((ty, bits));
            self.frame.vars.push((format!("n{n}"), ty));
        }
        let vars = 2 + self.r.below(6);
        self.declare(vars);
        let first = self.frame.vars.clone();
        let place = Place {
            depth: 0,
            cost: 1,
            in_loop: false,
            uniform: barriers,
        };
        let body = self.block(place);
        let mut results = Vec::new();
        let mut room = SLOT / 2;
        let last = self.frame.vars.clone();
        for (name, ty) in first.into_iter().chain(last.into_iter().rev()) {
            let known = results.iter().any(|(_, n)| *n == name);
            if !known && room >= ty.bytes() * 2 {
                room -= ty.bytes() * 2;
                results.push((ty, name));
            }
        }
        // A function that is called by address is compiled once, for the kernels of a file with its SIMD size.
        let simd = match settings.control {
            4 => [0, 8, 16][(seed / SEEDS_PER_FILE) as usize % 3],
            _ => self.r.of(&[0, 0, 8, 16, 32]),
        };
        let sizes: &[[u32; 3]] = match self.r.below(5) {
            0 => &[[5, 3, 1], [4, 4, 1], [16, 2, 1]],
            1 => &[[3, 2, 2], [4, 2, 4]],
            _ => &[
                [1, 1, 1],
                [7, 1, 1],
                [8, 1, 1],
                [16, 1, 1],
                [24, 1, 1],
                [32, 1, 1],
                [33, 1, 1],
                [64, 1, 1],
            ],
        };
        let dimensions = 3 - sizes[0].iter().rev().take_while(|&&n| n == 1).count();
        let dimensions = dimensions.max(1);
        let ranges = (0..2)
            .map(|_| {
                let local = self.r.of(sizes);
                let mut global = local;
                global[0] *= self.r.of(&[1, 2, 2, 3]);
                Range {
                    global,
                    local,
                    dimensions,
                }
            })
            .collect();
        Program {
            seed,
            settings,
            simd,
            ranges,
            fields: self.fields,
            functions: self.functions.into_iter().map(|(f, _)| f).collect(),
            values,
            decls: self.frame.decls,
            body,
            results,
        }
    }
}

/// Upper bound of the executions of the innermost statement of a block.
fn loops(block: &Block) -> u32 {
    let of = |stmt: &Stmt| match stmt {
        Stmt::Text { .. } => 1,
        Stmt::If { then, other, .. } => loops(then).max(loops(other)),
        Stmt::Loop { mask, body, .. } => (mask + 1) * loops(body),
        Stmt::Switch { cases, default, .. } => {
            let most = cases.iter().map(|(block, _)| loops(block)).max();
            most.unwrap_or(1).max(loops(default))
        }
    };
    block.iter().map(of).max().unwrap_or(1)
}

/// The first bytes of the buffer of inputs, which then repeat.
pub fn input(seed: u64) -> Vec<u64> {
    let mut r = Random(seed ^ 0x1b0f);
    let value = |n: usize| match n % 4 {
        0 => r.next(),
        1 => r.next() & 0x00ff_ffff_00ff_ffff,
        2 => r.next() & 0x4070_3c00_4120_7bff,
        _ => ((r.next() % 1000) << 32) | (r.next() % 100),
    };
    (0..61).map(value).collect()
}

/// Initial contents of the dwords changed by atomic operations: seven values, which repeat.
pub fn shared(items: u32) -> Vec<u32> {
    (0..SHARED + items).map(|n| 0x0f0f_1000 + n % 7).collect()
}
