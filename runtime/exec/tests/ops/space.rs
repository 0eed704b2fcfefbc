//! Random kinds beyond those of real programs: every operation with operands of every type, shape and modifier that it
//! takes.

use kiln_emit::inst::{
    Cond, CondMod, Dst, Inst, MathFn, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, Src, SrcMod,
    SrcReg, Type,
};

use crate::random::Random;

use Type::{B, D, Df, F, Hf, Q, Ub, Ud, Uq, Uw, W};

const INTS: &[Type] = &[Ub, B, Uw, W, Ud, D, Uq, Q];
const NARROW: &[Type] = &[Ub, B, Uw, W, Ud, D];
const DWORDS: &[Type] = &[Ud, D];
const SINGLES: &[Type] = &[Hf, F];
const ALL: &[Type] = &[Ub, B, Uw, W, Ud, D, Uq, Q, Hf, F, Df];

/// Allowed operands and modifiers of some operations.
struct Row {
    ops: &'static [Op],
    sources: usize,
    /// Types of the destination and of the sources.
    types: &'static [(&'static [Type], &'static [Type])],
    cond: bool,
    saturate: bool,
    modifiers: bool,
    immediates: bool,
}

const PLAIN: Row = Row {
    ops: &[],
    sources: 2,
    types: &[(INTS, INTS)],
    cond: false,
    saturate: false,
    modifiers: false,
    immediates: true,
};
const FULL: Row = Row {
    cond: true,
    saturate: true,
    modifiers: true,
    ..PLAIN
};

const FLOATS: &[(&[Type], &[Type])] = &[(SINGLES, SINGLES), (&[Df], &[Df])];
const NUMBERS: &[(&[Type], &[Type])] = &[
    (INTS, INTS),
    (SINGLES, SINGLES),
    (&[Df], &[Df]),
    (NARROW, &[F]),
];

static ROWS: &[Row] = &[
    Row {
        ops: &[Op::Mov],
        sources: 1,
        types: &[(ALL, ALL)],
        ..FULL
    },
    Row {
        ops: &[Op::Add, Op::Mul],
        types: NUMBERS,
        ..FULL
    },
    Row {
        ops: &[Op::Sel, Op::Cmp, Op::Cmpn],
        types: &[(INTS, INTS), (&[F], &[F]), (&[Hf], &[Hf]), (&[Df], &[Df])],
        ..FULL
    },
    Row {
        ops: &[Op::And, Op::Or, Op::Xor],
        cond: true,
        modifiers: true,
        ..PLAIN
    },
    Row {
        ops: &[Op::Not],
        sources: 1,
        cond: true,
        modifiers: true,
        ..PLAIN
    },
    Row {
        ops: &[Op::Shl, Op::Shr, Op::Asr, Op::Avg],
        ..FULL
    },
    Row {
        ops: &[Op::Frc, Op::Rndd, Op::Rnde, Op::Rndu, Op::Rndz],
        sources: 1,
        types: FLOATS,
        ..FULL
    },
    Row {
        ops: &[Op::Mad],
        sources: 3,
        types: &[(SINGLES, SINGLES), (&[Df], &[Df]), (DWORDS, DWORDS)],
        immediates: false,
        ..FULL
    },
    Row {
        ops: &[Op::Csel],
        sources: 3,
        types: &[(&[F], &[F])],
        immediates: false,
        ..FULL
    },
    Row {
        ops: &[Op::Bfrev, Op::Cbit, Op::Fbl, Op::Lzd],
        sources: 1,
        types: &[(&[Ud], &[Ud])],
        ..PLAIN
    },
    Row {
        ops: &[Op::Fbh],
        sources: 1,
        types: &[(&[Ud], DWORDS)],
        ..PLAIN
    },
    Row {
        ops: &[Op::Cbit],
        sources: 1,
        types: &[(&[Ud], &[Ub, Uw])],
        ..PLAIN
    },
    Row {
        ops: &[Op::Bfe],
        sources: 3,
        types: &[(&[Ud], &[Ud]), (&[D], &[D])],
        immediates: false,
        ..PLAIN
    },
    Row {
        ops: &[Op::Bfi1],
        types: &[(&[Ud], &[Ud]), (&[D], &[D])],
        ..PLAIN
    },
    Row {
        ops: &[Op::Addc, Op::Subb],
        types: &[(&[Ud], &[Ud])],
        ..PLAIN
    },
    Row {
        ops: &[Op::Mac, Op::Mach],
        types: &[(&[Ud], &[Ud]), (&[D], &[D])],
        modifiers: true,
        ..PLAIN
    },
    Row {
        ops: &[Op::Dp2, Op::Dp3, Op::Dp4, Op::Dph],
        types: &[(&[F], &[F])],
        immediates: false,
        ..FULL
    },
    Row {
        ops: &[Op::Line, Op::Pln],
        types: &[(&[F], &[F])],
        immediates: false,
        modifiers: false,
        ..FULL
    },
    Row {
        ops: &[Op::Sad2],
        types: &[(&[Uw, W], &[Ub, B])],
        immediates: false,
        ..PLAIN
    },
    Row {
        ops: &[Op::Movi],
        sources: 1,
        types: &[(&[Ud], &[Ud]), (&[Uw], &[Uw]), (&[F], &[F])],
        immediates: false,
        ..PLAIN
    },
    Row {
        ops: &[Op::Math(MathFn::Iqot), Op::Math(MathFn::Irem)],
        types: &[(&[Ud], &[Ud]), (&[D], &[D])],
        ..PLAIN
    },
    Row {
        ops: &[Op::Math(MathFn::Fdiv), Op::Math(MathFn::Pow)],
        types: &[(SINGLES, SINGLES)],
        cond: false,
        ..FULL
    },
    Row {
        ops: &[
            Op::Math(MathFn::Inv),
            Op::Math(MathFn::Log),
            Op::Math(MathFn::Exp),
            Op::Math(MathFn::Sqt),
            Op::Math(MathFn::Rsqt),
            Op::Math(MathFn::Sin),
            Op::Math(MathFn::Cos),
        ],
        sources: 1,
        types: &[(SINGLES, SINGLES)],
        cond: false,
        ..FULL
    },
];

const CONDS: &[Cond] = &[Cond::Eq, Cond::Ne, Cond::Gt, Cond::Ge, Cond::Lt, Cond::Le];

/// A kind at random.
pub fn kind(random: &mut Random) -> Inst {
    let row = &ROWS[random.below(ROWS.len())];
    let op = random.pick(row.ops);
    let (dst_types, src_types) = random.pick(row.types);
    let mut kind = Inst::new(op, if random.chance(4) { 1 } else { 8 });
    let ty = random.pick(dst_types);
    kind.dst = Some(dst(ty, row.sources < 3, random));
    kind.saturate = row.saturate && random.chance(3);
    if row.cond && random.chance(3) || matches!(op, Op::Cmp | Op::Cmpn | Op::Csel) {
        let flag = match op {
            Op::Sel => Reg::NULL,
            _ => Reg::new(RegFile::Flag, 0, 0),
        };
        let unordered = row.types.len() > 1 && random.chance(8);
        let cond = if unordered {
            Cond::Un
        } else {
            random.pick(CONDS)
        };
        kind.cond = Some(CondMod { cond, flag });
    }
    // `sel` chooses by one of the two.
    if kind.cond.is_none() && op == Op::Sel || op != Op::Sel && random.chance(4) {
        let ctrl = random.pick(&[
            PredCtrl::Normal,
            PredCtrl::Normal,
            PredCtrl::Any(4),
            PredCtrl::All(8),
            PredCtrl::Any(16),
        ]);
        kind.pred = Some(Pred {
            flag: Reg::new(RegFile::Flag, 0, 0),
            inverse: false,
            ctrl,
        });
    }
    if matches!(op, Op::Cmp | Op::Cmpn) {
        kind.saturate = false;
    }
    kind.opts.acc_wr_en = matches!(op, Op::Addc | Op::Subb | Op::Mach);
    let first = random.pick(src_types);
    for index in 0..row.sources {
        let of = if index == 0 {
            first
        } else {
            random.pick(src_types)
        };
        let last = index + 1 == row.sources;
        kind.srcs.push(source(of, ty, op, row, last, random));
    }
    fit(&mut kind);
    kind
}

/// Restricts operations on groups of channels, on whole registers or on addresses to their forms.
fn fit(kind: &mut Inst) {
    let groups = matches!(kind.op, Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph | Op::Sad2);
    let equation = matches!(kind.op, Op::Line | Op::Pln);
    if groups || equation || kind.op == Op::Movi {
        kind.exec_size = 8;
    }
    for (index, src) in kind.srcs.iter_mut().enumerate() {
        let Src::Reg(reg) = src else { continue };
        if equation {
            reg.place = Place::Direct(Reg::grf(10));
            reg.region = if index == 0 {
                Region::SCALAR
            } else {
                Region::packed(8)
            };
        } else if kind.op == Op::Movi {
            reg.place = indirect();
            reg.region = Region::packed(8);
        }
    }
}

fn dst(ty: Type, strided: bool, random: &mut Random) -> Dst {
    let mut dst = Dst::new(Reg::grf(40), 1, ty);
    if strided {
        dst.hstride = random.pick(&[1, 1, 1, 2, 4]);
        if random.chance(12) {
            dst.place = indirect();
        } else if random.chance(12) {
            dst.place = Place::Direct(Reg::NULL);
        }
    }
    dst
}

fn indirect() -> Place {
    Place::Indirect {
        addr: Reg::new(RegFile::Addr, 0, 0),
        imm: 0,
    }
}

fn source(ty: Type, dst: Type, op: Op, row: &Row, last: bool, random: &mut Random) -> Src {
    if row.immediates && last && ty.bytes() > 1 && random.chance(4) {
        return Src::imm(ty, 0);
    }
    // Packed elements follow words, so a destination of bytes takes none.
    let packable = dst.bytes() > 1 && !matches!(op, Op::Math(_));
    if row.immediates && last && packable && random.chance(16) {
        let packed = match ty {
            F if dst.bytes() > 2 => Type::Vf,
            W | D => Type::V,
            Uw | Ud => Type::Uv,
            ty if ty.bytes() == 1 => Type::W,
            ty => ty,
        };
        return Src::imm(packed, 0);
    }
    let shapes = [
        Region::packed(8),
        Region::packed(8),
        Region::SCALAR,
        Region::new(16, 8, 2),
        Region::new(8, 4, 1),
    ];
    let mut reg = SrcReg {
        place: Place::Direct(Reg::grf(10)),
        region: random.pick(&shapes),
        ty,
        modifier: SrcMod::default(),
        swizzle: kiln_emit::inst::SWIZZLE_XYZW,
        mme: None,
    };
    if row.modifiers {
        reg.modifier = SrcMod {
            neg: random.chance(3),
            abs: random.chance(4),
        };
    }
    if random.chance(10) {
        reg.place = indirect();
        if random.chance(2) {
            let width = random.pick(&[1, 4]);
            reg.region = Region {
                vstride: None,
                width,
                hstride: width / 4,
            };
        }
    }
    Src::Reg(reg)
}
