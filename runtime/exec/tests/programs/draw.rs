//! Random programs from seeds.

use kiln_emit::platform::Platform;

use crate::model::{Modifier, Relation, Ty};
use crate::ops::{Mods, ROWS, Row, Values};
use crate::program::{
    Arg, By, COUNTERS, Combine, Exec, Guard, Inst, Message, OWN, Offset, Place, Program, Region,
    Scope, Signature, Source, Stmt, Sub, Target, Var, What,
};
use crate::random::Random;
use crate::walk::LANES;

/// Types of variables, the common ones several times.
const TYPES: [Ty; 14] = {
    use Ty::*;
    [D, D, D, Ud, Ud, W, Uw, B, Ub, F, F, Hf, Q, Df]
};
const MAX_DEPTH: usize = 3;
/// Maximum number of loops in an object, since each multiplies the executed instructions.
const MAX_LOOPS: usize = 4;

/// Operations that the reference finalizer compiles wrong for few channels, strided results, and results that do not
/// begin a register.
const WHOLE: [&str; 4] = ["addc", "subb", "divm", "sqrtm"];

/// Permissions of a piece of code.
#[derive(Clone, Copy)]
struct Where {
    /// True if all channels run it.
    wide: bool,
    depth: usize,
    /// There is a loop that can be left, and it is one of single channels.
    in_loop: bool,
    /// Number of the subroutine, or `None` for the object's own code.
    sub: Option<usize>,
}

struct Draw<'a> {
    r: &'a mut Random,
    target: &'static Platform,
    simd: usize,
    scope: Scope,
    loops: usize,
    /// Signatures of the functions that may be called, by number.
    functions: &'a [Signature],
    /// Number of the function itself.
    own: Option<usize>,
    /// Private variables that any instruction may write.
    private: Vec<usize>,
    /// Number of predicates that any instruction may write; the next one has a single element.
    guards: usize,
    /// Number of instructions still to be drawn.
    left: usize,
}

/// Bytes of a register.
fn grf(target: &Platform) -> usize {
    target.grf_bytes as usize
}

/// The program of a seed, for a target.
pub fn program(seed: u64, target: &'static Platform) -> Program {
    let mut r = Random(seed);
    let simd = r.of(&[8, 16, 16, 32]);
    let items = if r.below(3) == 0 {
        1 + r.below(simd)
    } else {
        simd
    };
    let count = if r.below(3) == 0 { 1 + r.below(3) } else { 0 };
    let mut functions: Vec<Signature> = Vec::new();
    for _ in 0..count {
        let known = functions.last().filter(|_| r.below(2) == 0).cloned();
        functions.push(known.unwrap_or_else(|| signature(&mut r, simd, target)));
    }
    let length = r.of(&[6, 14, 30]);
    let all_run = items == simd;
    let mut scopes = vec![object(
        &mut r, target, simd, &functions, None, all_run, length,
    )];
    for own in 0..count {
        let length = 2 + r.below(8);
        scopes.push(object(
            &mut r,
            target,
            simd,
            &functions,
            Some(own),
            all_run,
            length,
        ));
    }
    Program {
        target,
        seed,
        simd,
        items,
        scopes,
    }
}

/// Some functions have as many arguments as fit.
fn signature(r: &mut Random, simd: usize, target: &Platform) -> Signature {
    let count = r.of(&[1, 2, 3, 5, 8, 40]);
    let mut signature = Signature {
        args: Vec::new(),
        result: Some(r.of(&TYPES)),
    };
    while signature.args.len() < count {
        let ty = r.of(&TYPES);
        signature.args.push(Arg {
            ty,
            common: r.below(3) == 0,
        });
        if signature.layout(simd, grf(target)).is_none() {
            signature.args.pop();
            break;
        }
    }
    signature
}

fn object(
    r: &mut Random,
    target: &'static Platform,
    simd: usize,
    functions: &[Signature],
    own: Option<usize>,
    all_run: bool,
    length: usize,
) -> Scope {
    let mut draw = Draw {
        r,
        target,
        simd,
        scope: Scope::default(),
        loops: 0,
        functions,
        own,
        private: Vec::new(),
        guards: 0,
        left: length,
    };
    draw.declare();
    let wide = own.is_none() && all_run;
    let at = Where {
        wide,
        depth: 0,
        in_loop: false,
        sub: None,
    };
    let subs = draw.r.of(&[0, 0, 1, 2, 3]);
    // A subroutine calls only later ones.
    for _ in 0..subs {
        let wide = wide && draw.r.below(2) == 0;
        draw.scope.subs.push(Sub {
            wide,
            body: Vec::new(),
        });
    }
    for sub in 0..subs {
        let whole = std::mem::replace(&mut draw.left, 2 + draw.r.below(6));
        let wide = draw.scope.subs[sub].wide;
        let body = draw.block(Where {
            wide,
            sub: Some(sub),
            ..at
        });
        draw.scope.subs[sub].body = body;
        draw.left = whole;
    }
    let mut body = Vec::new();
    while draw.left > 0 {
        body.append(&mut draw.block(at));
    }
    if let Some(own) = own
        && draw.r.below(2) == 0
    {
        let mut recursive = draw.recursion(own);
        body.append(&mut recursive);
    }
    draw.scope.body = body;
    draw.scope
}

impl Draw<'_> {
    fn declare(&mut self) {
        let signature = self.own.map(|own| self.functions[own].clone());
        self.scope.signature = signature.unwrap_or_default();
        // The first variable of the kernel is four times the channel's number, which nothing changes.
        match self.own {
            None => {
                self.hidden(Ty::Ud);
            }
            Some(_) => {
                for arg in self.scope.signature.args.clone() {
                    match arg.common {
                        true => self.shared(arg.ty, 64),
                        false => self.private(arg.ty),
                    };
                }
                let result = self.scope.signature.result;
                self.private(result.expect("a function's result"));
            }
        }
        for _ in 0..3 + self.r.below(5) {
            let ty = self.r.of(&TYPES);
            self.private(ty);
        }
        for _ in 0..1 + self.r.below(4) {
            let (ty, bytes) = (self.r.of(&TYPES), 64 * (1 + self.r.below(4)));
            self.shared(ty, bytes);
        }
        self.guards = 1 + self.r.below(4);
        self.scope.preds = vec![self.simd; self.guards];
        self.scope.preds.push(1);
        self.scope.addrs = vec![self.r.of(&[1, 2, 4]), 8];
    }

    fn shared(&mut self, ty: Ty, bytes: usize) -> usize {
        self.scope.vars.push(Var {
            bytes,
            element: None,
            ty,
        });
        self.scope.vars.len() - 1
    }

    /// A new private variable.
    fn private(&mut self, ty: Ty) -> usize {
        let bytes = (ty.bytes() * self.simd).next_multiple_of(64);
        self.private.push(self.scope.vars.len());
        self.scope.vars.push(Var {
            bytes,
            element: Some(ty.bytes()),
            ty,
        });
        self.scope.vars.len() - 1
    }

    fn element(&self, var: usize) -> usize {
        self.scope.vars[var].element.expect("a private variable")
    }

    fn some_private(&mut self, fits: impl Fn(&Var) -> bool) -> Option<usize> {
        let list: Vec<usize> = self
            .private
            .iter()
            .copied()
            .filter(|&v| fits(&self.scope.vars[v]))
            .collect();
        (!list.is_empty()).then(|| self.r.of(&list))
    }

    fn all(&self) -> Exec {
        Exec {
            size: self.simd,
            off: 0,
            no_mask: false,
        }
    }

    /// Channels of an instruction: mostly all.
    fn exec(&mut self, wide: bool, sizes: &[usize]) -> Exec {
        loop {
            let size = match self.r.below(2) {
                0 => self.simd,
                _ => self.r.of(&[1, 2, 4, 8, 16, 32]),
            };
            if size > self.simd || !(sizes.is_empty() || sizes.contains(&size)) {
                continue;
            }
            // An execution mask names groups of this size.
            let step = size.max(grf(self.target) / 8);
            let off = self.r.below(self.simd.div_ceil(step)) * step;
            return Exec {
                size,
                off,
                no_mask: wide && self.r.below(5) == 0,
            };
        }
    }

    fn guard(&mut self, exec: Exec, wide: bool) -> Guard {
        let whole = wide && exec.size == self.simd;
        let combine = match self.r.below(6) {
            0 if whole => Combine::Any,
            1 if whole => Combine::All,
            _ => Combine::None,
        };
        Guard {
            pred: self.r.below(self.guards),
            inverse: self.r.below(2) == 0,
            combine,
        }
    }

    fn maybe_guard(&mut self, exec: Exec, wide: bool) -> Option<Guard> {
        (self.r.below(4) == 0).then(|| self.guard(exec, wide))
    }

    fn block(&mut self, at: Where) -> Vec<Stmt> {
        let mut block = Vec::new();
        for _ in 0..1 + self.r.below(4) {
            self.statement(at, &mut block);
        }
        block
    }

    /// Statements for the channels that satisfy a predicate, and for the others, which often have none.
    fn branches(&mut self, at: Where) -> (Vec<Stmt>, Vec<Stmt>) {
        let then = self.block(at);
        let other = match self.r.below(2) {
            0 => self.block(at),
            _ => Vec::new(),
        };
        (then, other)
    }

    fn statement(&mut self, at: Where, to: &mut Vec<Stmt>) {
        self.left = self.left.saturating_sub(1);
        let deeper = Where {
            depth: at.depth + 1,
            ..at
        };
        let deep = at.depth >= MAX_DEPTH;
        match self.r.below(26) {
            0 | 1 if !deep => {
                let guard = self.guard(self.all(), false);
                let inner = Where {
                    wide: false,
                    ..deeper
                };
                let (then, other) = self.branches(inner);
                to.push(Stmt::If {
                    guard,
                    uniform: false,
                    then,
                    other,
                });
            }
            2 if !deep => {
                if let Some(compare) = self.uniform_compare() {
                    to.push(compare);
                    let guard = Guard {
                        pred: self.guards,
                        inverse: self.r.below(2) == 0,
                        combine: Combine::None,
                    };
                    let inner = Where {
                        in_loop: false,
                        ..deeper
                    };
                    let (then, other) = self.branches(inner);
                    to.push(Stmt::If {
                        guard,
                        uniform: true,
                        then,
                        other,
                    });
                }
            }
            3 | 4 if !deep && self.loops < MAX_LOOPS => self.channels_loop(deeper, to),
            5 if !deep && at.wide && self.loops < MAX_LOOPS => self.uniform_loop(deeper, to),
            6 | 7 if at.in_loop => {
                let guard = (self.r.below(4) > 0).then(|| self.guard(self.all(), false));
                to.push(if self.r.below(2) == 0 {
                    Stmt::Break(guard)
                } else {
                    Stmt::Continue(guard)
                });
            }
            8 if at.sub.is_some() && !at.wide => {
                to.push(Stmt::Return(Some(self.guard(self.all(), false))));
            }
            9 | 10 => {
                let from = at.sub.map_or(0, |sub| sub + 1);
                let list: Vec<usize> = (from..self.scope.subs.len())
                    .filter(|&s| at.wide || !self.scope.subs[s].wide)
                    .collect();
                if !list.is_empty() {
                    let sub = self.r.of(&list);
                    let some = !self.scope.subs[sub].wide && self.r.below(3) == 0;
                    let guard = some.then(|| self.guard(self.all(), false));
                    to.push(Stmt::Subroutine { sub, guard });
                }
            }
            11 | 12 if at.sub.is_none() => {
                let from = self.own.map_or(0, |own| own + 1);
                if from < self.functions.len() {
                    let function = from + self.r.below(self.functions.len() - from);
                    self.call(function, from, to);
                }
            }
            13 => {
                let pred = self.r.below(self.guards);
                if at.wide {
                    let bits = self.r.next() as u32 & crate::walk::low(self.simd);
                    to.push(Stmt::SetPred { pred, bits });
                }
            }
            14 if self.own.is_none() => self.memory(at, to),
            15 | 16 if at.wide => self.indirect(to),
            17..=19 => {
                if let Some(inst) = self.compare(at) {
                    to.push(inst);
                }
            }
            _ => {
                if let Some(inst) = self.operation(at) {
                    to.push(Stmt::Inst(inst));
                }
            }
        }
    }

    /// `dst = left op right` on all channels' own elements, for the program's own use.
    fn plain(&self, op: &'static str, dst: usize, left: usize, right: What) -> Inst {
        let ty = self.scope.vars[dst].ty;
        let own = |var| What::At {
            place: Place::Direct { var, byte: 0 },
            region: Region { v: 1, w: 1, h: 0 },
        };
        let source = |ty, what| Source {
            ty,
            modifier: Modifier::None,
            what,
        };
        Inst {
            op,
            relation: None,
            exec: self.all(),
            guard: None,
            saturate: false,
            flag: None,
            least: true,
            targets: vec![Target {
                ty,
                place: Place::Direct { var: dst, byte: 0 },
                stride: 1,
            }],
            sources: vec![
                source(self.scope.vars[left].ty, own(left)),
                source(ty, right),
            ],
        }
    }

    fn exceeds(&self, flag: usize, var: usize, than: u64) -> Stmt {
        Stmt::Inst(Inst {
            relation: Some(Relation::Gt),
            flag: Some(flag),
            targets: Vec::new(),
            ..self.plain("cmp", var, var, What::Imm(than))
        })
    }

    /// A variable or predicate that no other instruction writes.
    fn hidden(&mut self, ty: Ty) -> usize {
        let var = self.private(ty);
        self.private.pop();
        var
    }

    fn new_pred(&mut self, elements: usize) -> usize {
        self.scope.preds.push(elements);
        self.scope.preds.len() - 1
    }

    fn channels_loop(&mut self, at: Where, to: &mut Vec<Stmt>) {
        let Some(from) = self.some_private(|v| matches!(v.ty, Ty::D | Ty::Ud | Ty::W)) else {
            return;
        };
        self.loops += 1;
        let count = self.hidden(Ty::W);
        let pred = self.new_pred(self.simd);
        to.push(Stmt::Inst(self.plain("and", count, from, What::Imm(3))));
        let inner = Where {
            wide: false,
            in_loop: true,
            ..at
        };
        let mut body = self.block(inner);
        body.append(&mut self.block(inner));
        let step = vec![
            Stmt::Inst(self.plain("add", count, count, What::Imm(0xffff))),
            self.exceeds(pred, count, 0),
        ];
        to.push(Stmt::Loop {
            pred,
            uniform: false,
            body,
            step,
        });
    }

    /// Turns an instruction of all channels into one of the first channel that ignores the mask.
    fn once(stmt: Stmt) -> Stmt {
        let Stmt::Inst(mut inst) = stmt else {
            return stmt;
        };
        inst.exec = Exec {
            size: 1,
            off: 0,
            no_mask: true,
        };
        for source in &mut inst.sources {
            if let What::At { region, .. } = &mut source.what {
                *region = Region::SCALAR;
            }
        }
        Stmt::Inst(inst)
    }

    fn uniform_loop(&mut self, at: Where, to: &mut Vec<Stmt>) {
        self.loops += 1;
        let count = self.hidden(Ty::W);
        let pred = self.new_pred(1);
        let mut first = self.plain("mov", count, count, What::Imm(0));
        let times = 1 + self.r.below(3) as u64;
        first.sources = vec![Source {
            ty: Ty::W,
            modifier: Modifier::None,
            what: What::Imm(times),
        }];
        to.push(Self::once(Stmt::Inst(first)));
        let body = self.block(Where {
            in_loop: false,
            ..at
        });
        let add = self.plain("add", count, count, What::Imm(0xffff));
        let step = vec![
            Self::once(Stmt::Inst(add)),
            Self::once(self.exceeds(pred, count, 0)),
        ];
        to.push(Stmt::Loop {
            pred,
            uniform: true,
            body,
            step,
        });
    }

    /// A compare of one element of a shared variable, the same for all channels.
    fn uniform_compare(&mut self) -> Option<Stmt> {
        let shared =
            |v: &Var| v.element.is_none() && matches!(v.ty, Ty::D | Ty::Ud | Ty::W | Ty::Uw);
        let list: Vec<usize> = (0..self.scope.vars.len())
            .filter(|&v| shared(&self.scope.vars[v]))
            .collect();
        if list.is_empty() {
            return None;
        }
        let var = self.r.of(&list);
        let Var { ty, bytes, .. } = self.scope.vars[var];
        let with = self.r.next() & 0x3f;
        let mut compare = self.plain("cmp", var, var, What::Imm(with));
        compare.relation = Some(self.r.of(&Relation::ALL));
        compare.flag = Some(self.guards);
        compare.targets.clear();
        let byte = self.r.below(bytes / ty.bytes()) * ty.bytes();
        compare.sources[0].what = What::At {
            place: Place::Direct { var, byte },
            region: Region::SCALAR,
        };
        Some(Self::once(Stmt::Inst(compare)))
    }

    fn memory(&mut self, at: Where, to: &mut Vec<Stmt>) {
        let Some(data) = self.some_private(|v| v.ty.bytes() == 4) else {
            return;
        };
        let Some(index) = self.some_private(|v| matches!(v.ty, Ty::D | Ty::Ud)) else {
            return;
        };
        let offsets = self.hidden(Ty::Ud);
        let row = 4 * self.simd as u64;
        let which = self.plain("and", offsets, index, What::Imm(OWN as u64 - 1));
        let scaled = self.plain("mul", offsets, offsets, What::Imm(row));
        let own = What::At {
            place: Place::Direct {
                var: LANES,
                byte: 0,
            },
            region: Region { v: 1, w: 1, h: 0 },
        };
        // Payloads begin a GRF.
        let size = self.r.of(&[8, 16, 16]).min(self.simd);
        let step = size.max(grf(self.target) / 4);
        let off = self.r.below(self.simd.div_ceil(step)) * step;
        let exec = Exec {
            size,
            off,
            no_mask: false,
        };
        let guard = self.maybe_guard(exec, at.wide);
        if self.r.below(4) == 0 {
            let mut place = self.plain("mov", offsets, offsets, What::Imm(0));
            let place_of = (OWN * 4 * self.simd + 4 * self.r.below(COUNTERS)) as u64;
            place.sources = vec![Source {
                ty: Ty::Ud,
                modifier: Modifier::None,
                what: What::Imm(place_of),
            }];
            to.push(Stmt::Inst(place));
            to.push(Stmt::Count {
                exec,
                guard,
                offsets,
                data,
            });
            return;
        }
        to.push(Stmt::Inst(which));
        to.push(Stmt::Inst(scaled));
        to.push(Stmt::Inst(self.plain("add", offsets, offsets, own)));
        let store = self.r.below(2) == 0;
        let message = match self.r.below(4) {
            // The reference accepts a conditional send of two payloads only in its own form.
            0 if size >= grf(self.target) / 4 => Message::Raw {
                conditional: !store && self.r.below(2) == 0,
            },
            _ => Message::Operation,
        };
        to.push(Stmt::Memory {
            store,
            message,
            exec,
            guard,
            offsets,
            data,
        });
    }

    /// A call of the function; by address, of it or of another from that index on.
    fn call(&mut self, function: usize, from: usize, to: &mut Vec<Stmt>) {
        let signature = self.functions[function].clone();
        let mut args = Vec::new();
        for arg in &signature.args {
            let Some(place) = self.arg(*arg) else {
                return;
            };
            args.push(place);
        }
        let result = signature.result.expect("a function's result");
        let Some(result) = self.some_private(|v| v.ty.bytes() == result.bytes()) else {
            return;
        };
        let mut by = By::Name;
        if self.r.below(3) == 0
            && let Some(compare) = self.uniform_compare()
        {
            let alike: Vec<usize> = (from..self.functions.len())
                .filter(|&other| self.functions[other] == signature)
                .collect();
            to.push(compare);
            by = By::Address {
                other: self.r.of(&alike),
                guard: Guard {
                    pred: self.guards,
                    inverse: self.r.below(2) == 0,
                    combine: Combine::None,
                },
            };
        }
        to.push(Stmt::Function {
            function,
            by,
            args,
            result,
        });
    }

    /// A variable and a byte of it for an argument.
    fn arg(&mut self, arg: Arg) -> Option<(usize, usize)> {
        let size = arg.ty.bytes();
        if !arg.common {
            return Some((self.some_private(|v| v.ty.bytes() == size)?, 0));
        }
        let var = self.some_var(arg.ty, false);
        Some((var, self.r.below(self.scope.vars[var].bytes / size) * size))
    }

    /// A recursive call while an argument, counted down, is above zero; nothing if there is no such argument.
    fn recursion(&mut self, own: usize) -> Vec<Stmt> {
        let signature = &self.functions[own];
        let counts = |arg: &Arg| !arg.common && matches!(arg.ty, Ty::D | Ty::Ud | Ty::W);
        let Some(depth) = signature.args.iter().position(counts) else {
            return Vec::new();
        };
        let result = signature.result.expect("a function's result");
        let mut args: Vec<(usize, usize)> = (0..signature.args.len()).map(|arg| (arg, 0)).collect();
        let ty = signature.args[depth].ty;
        let count = self.hidden(ty);
        let minus_one = u64::MAX >> (64 - 8 * ty.bytes());
        let pred = self.new_pred(self.simd);
        args[depth] = (count, 0);
        let guard = Guard {
            pred,
            inverse: false,
            combine: Combine::None,
        };
        let result = self.some_private(|v| v.ty.bytes() == result.bytes());
        let then = vec![
            Stmt::Inst(self.plain("add", count, count, What::Imm(minus_one))),
            Stmt::Function {
                function: own,
                by: By::Name,
                args,
                result: result.expect("the function's result at least"),
            },
        ];
        vec![
            Stmt::Inst(self.plain("and", count, depth, What::Imm(3))),
            self.exceeds(pred, count, 0),
            Stmt::If {
                guard,
                uniform: false,
                then,
                other: Vec::new(),
            },
        ]
    }

    /// Addresses of a variable, and instructions through them.
    fn indirect(&mut self, to: &mut Vec<Stmt>) {
        let var = self.r.below(self.scope.vars.len());
        let bytes = self.scope.vars[var].bytes;
        let addr = self.r.below(self.scope.addrs.len());
        let scattered = self.r.below(2) == 0 && self.simd >= 8 && self.scope.addrs[addr] == 8;
        // Offsets that the program computes are multiples of eight in the first half.
        let dynamic = self.r.below(2) == 0;
        let mask = (bytes / 2 - 1) as u64 & !7;
        let index = self.hidden(Ty::Uw);
        if dynamic || scattered {
            let Some(from) = self.some_private(|v| matches!(v.ty, Ty::D | Ty::Ud | Ty::W | Ty::Uw))
            else {
                return;
            };
            let mut inst = self.plain("and", index, from, What::Imm(mask));
            inst.exec.no_mask = true;
            to.push(Stmt::Inst(inst));
        }
        let (element, count) = if scattered {
            (0, 8)
        } else {
            (self.r.below(self.scope.addrs[addr]), 1)
        };
        let offset = match dynamic || scattered {
            true => Offset::At {
                var: index,
                byte: 0,
                region: if scattered {
                    Region { v: 1, w: 1, h: 0 }
                } else {
                    Region::SCALAR
                },
            },
            false => Offset::Imm(self.r.below(bytes / 16) * 8),
        };
        to.push(Stmt::Address {
            addr,
            element,
            count,
            var,
            offset,
        });
        let at = Where {
            wide: true,
            depth: 0,
            in_loop: false,
            sub: None,
        };
        for _ in 0..1 + self.r.below(2) {
            let Some(mut inst) = self.operation(at) else {
                continue;
            };
            let room = bytes / 2;
            // One operand is addressed indirectly.
            if scattered && inst.exec.size == 8 {
                let source = self.r.below(inst.sources.len());
                let bytes = inst.sources[source].ty.bytes();
                let byte = self.r.below((room / bytes).min(64 / bytes)) * bytes;
                let fits = matches!(inst.sources[source].what, What::At { .. });
                if fits {
                    inst.sources[source].what = What::Scattered { addr, byte };
                    to.push(Stmt::Inst(inst));
                }
                continue;
            }
            if scattered {
                continue;
            }
            if self.r.below(3) == 0 && inst.targets.len() == 1 {
                let target = &mut inst.targets[0];
                let bytes = target.ty.bytes();
                let last = (inst.exec.size - 1) * target.stride * bytes + bytes;
                if last <= room {
                    let byte = self.r.below((room - last) / bytes + 1) * bytes;
                    target.place = Place::Indirect {
                        addr,
                        element,
                        byte,
                    };
                    to.push(Stmt::Inst(inst));
                }
                continue;
            }
            let source = self.r.below(inst.sources.len());
            let source = &mut inst.sources[source];
            let width = source.ty.bytes();
            if let What::At { place, region } = &mut source.what {
                let last = (0..inst.exec.size)
                    .map(|i| region.element(i))
                    .max()
                    .unwrap_or(0);
                let last = (last + 1) * width;
                if last <= room {
                    let byte = self.r.below((room - last) / width + 1) * width;
                    *place = Place::Indirect {
                        addr,
                        element,
                        byte,
                    };
                    to.push(Stmt::Inst(inst));
                }
            }
        }
    }

    fn compare(&mut self, at: Where) -> Option<Stmt> {
        let rows: Vec<&Row> = ROWS.iter().filter(|row| row.op == "cmp").collect();
        let row = self.r.of(&rows);
        let mut inst = self.of_row(row, at)?;
        if self.r.below(4) > 0 {
            inst.flag = Some(self.r.below(self.guards));
            inst.targets.clear();
        }
        Some(Stmt::Inst(inst))
    }

    fn operation(&mut self, at: Where) -> Option<Inst> {
        let chosen = |row: &&Row| {
            let exact =
                !row.near && !row.upper && matches!(row.values, Values::Any | Values::Divisor);
            exact && row.op != "cmp" && row.is_on(self.target)
        };
        let rows: Vec<&Row> = ROWS.iter().filter(chosen).collect();
        for _ in 0..20 {
            let row = self.r.of(&rows);
            // Division and similar operations take many instructions.
            if matches!(row.op, "div" | "mod" | "divm" | "sqrtm") && self.r.below(4) > 0 {
                continue;
            }
            if let Some(inst) = self.of_row(row, at) {
                return Some(inst);
            }
        }
        None
    }

    fn of_row(&mut self, row: &Row, at: Where) -> Option<Inst> {
        let mut exec = self.exec(at.wide, row.sizes);
        let whole = WHOLE.contains(&row.op);
        if whole {
            exec = Exec {
                size: self.simd.min(16),
                off: 0,
                no_mask: exec.no_mask,
            };
        }
        let types = self.r.of(row.types);
        if !types.are_on(row.op, self.target) {
            return None;
        }
        let saturate = row.saturates && self.r.below(4) == 0;
        let dst = self.r.of(types.targets[0]);
        let mut targets: Vec<Target> = Vec::new();
        for list in types.targets {
            let ty = if list.contains(&dst) {
                dst
            } else {
                self.r.of(list)
            };
            let target = self.target(ty, exec, at.wide)?;
            let Place::Direct { byte, .. } = target.place else {
                return None;
            };
            if whole && (target.stride != 1 || !byte.is_multiple_of(grf(self.target))) {
                return None;
            }
            targets.push(target);
        }
        // Two results in one place are not allowed.
        if let [
            Target {
                place: Place::Direct { var: a, .. },
                ..
            },
            Target {
                place: Place::Direct { var: b, .. },
                ..
            },
        ] = targets[..]
            && a == b
        {
            return None;
        }
        let immediate = if self.r.below(3) == 0 {
            self.r.below(types.sources.len())
        } else {
            usize::MAX
        };
        let mut sources = Vec::new();
        for (k, list) in types.sources.iter().enumerate() {
            // The sign of a product of a signed and an unsigned factor is not specified.
            let ty = if row.op == "mulh" {
                dst
            } else {
                self.r.of(list)
            };
            if k == immediate && row.immediates {
                let what = What::Imm(row.value(self.r, k, ty));
                sources.push(Source {
                    ty,
                    modifier: Modifier::None,
                    what,
                });
                continue;
            }
            let what = if whole {
                let var = self.some_private(|v| v.element == Some(ty.bytes()))?;
                let region = Region { v: 1, w: 1, h: 0 };
                What::At {
                    place: Place::Direct { var, byte: 0 },
                    region,
                }
            } else {
                self.source(ty, exec, at.wide)?
            };
            let ordered = saturate || row.mods == Mods::Ordered;
            use Modifier::{Abs, Neg, NegAbs, Not};
            let plain = Modifier::None;
            let modifier = match row.mods {
                _ if whole || row.op == "mulh" => plain,
                Mods::None => plain,
                Mods::Logic => self.r.of(&[plain, plain, plain, Not]),
                _ if ordered && !ty.is_signed() && !ty.is_float() => plain,
                _ => self.r.of(&[plain, plain, plain, plain, Neg, Abs, NegAbs]),
            };
            sources.push(Source { ty, modifier, what });
        }
        // For a `bfe` of mixed types the reference makes an illegal instruction, and it refuses such a `divm`.
        if matches!(row.op, "bfe" | "divm") && sources.iter().any(|source| source.ty != dst) {
            return None;
        }
        let guard = match row.op {
            "cmp" | "min" | "max" => None,
            _ if whole => None,
            "sel" => Some(self.guard(exec, at.wide)),
            _ => self.maybe_guard(exec, at.wide),
        };
        Some(Inst {
            op: row.op,
            relation: (row.op == "cmp").then(|| self.r.of(&Relation::ALL)),
            exec,
            guard,
            saturate,
            flag: None,
            least: row.least,
            targets,
            sources,
        })
    }

    /// The channels' own elements reinterpreted with this width: byte offset and step.
    fn own_part(&mut self, var: usize, ty: Ty, exec: Exec) -> Option<(usize, usize)> {
        let element = self.element(var);
        if ty.bytes() > element {
            return None;
        }
        let part = self.r.below(element / ty.bytes()) * ty.bytes();
        Some((exec.off * element + part, element / ty.bytes()))
    }

    /// A variable of each channel's own whose elements have at least the type's bytes, and at most `most`.
    fn own_var(&mut self, ty: Ty, most: usize) -> Option<usize> {
        let list: Vec<usize> = (self.private.iter().copied())
            .filter(|&v| (ty.bytes()..=most).contains(&self.element(v)))
            .collect();
        let kin: Vec<usize> = (list.iter().copied())
            .filter(|&v| self.scope.vars[v].ty.is_float() == ty.is_float())
            .collect();
        let list = if self.r.below(8) > 0 { kin } else { list };
        (!list.is_empty()).then(|| self.r.of(&list))
    }

    fn target(&mut self, ty: Ty, exec: Exec, wide: bool) -> Option<Target> {
        if !wide || self.r.below(2) == 0 {
            let var = self.own_var(ty, 4 * ty.bytes())?;
            let (byte, stride) = self.own_part(var, ty, exec)?;
            return Some(Target {
                ty,
                place: Place::Direct { var, byte },
                stride,
            });
        }
        let var = self.some_var(ty, wide);
        let stride = self.r.of(&[1, 1, 2, 4]);
        let room = self.scope.vars[var].bytes / ty.bytes();
        let last = (exec.size - 1) * stride;
        if last >= room {
            return None;
        }
        let grf = grf(self.target);
        let byte = match self.r.below(2) {
            0 => self.r.below((room - last).div_ceil(grf / ty.bytes())) * grf,
            _ => self.r.below(room - last) * ty.bytes(),
        };
        if !is_legal(grf, byte, ty, stride, last) {
            return None;
        }
        Some(Target {
            ty,
            place: Place::Direct { var, byte },
            stride,
        })
    }

    /// Any variable that such code may access as a whole, mostly one of the same kind of type.
    fn some_var(&mut self, ty: Ty, wide: bool) -> usize {
        let shared = (0..self.scope.vars.len()).filter(|&v| self.scope.vars[v].element.is_none());
        let mut list: Vec<usize> = shared.collect();
        if wide {
            list.extend(&self.private);
        }
        let kin: Vec<usize> = list
            .iter()
            .copied()
            .filter(|&v| self.scope.vars[v].ty.is_float() == ty.is_float())
            .collect();
        let list = if kin.is_empty() || self.r.below(8) == 0 {
            list
        } else {
            kin
        };
        self.r.of(&list)
    }

    fn source(&mut self, ty: Ty, exec: Exec, wide: bool) -> Option<What> {
        if self.r.below(3) == 0 || wide && self.r.below(2) == 0 {
            let var = self.some_var(ty, wide);
            let region = region(self.r, exec.size);
            let last = (0..exec.size).map(|i| region.element(i)).max().unwrap_or(0);
            let room = self.scope.vars[var].bytes / ty.bytes();
            if last >= room {
                return None;
            }
            let byte = self.r.below(room - last) * ty.bytes();
            let step = if region.w == 1 { region.v } else { 4 };
            if !is_legal(grf(self.target), byte, ty, step, last) {
                return None;
            }
            return Some(What::At {
                place: Place::Direct { var, byte },
                region,
            });
        }
        let var = self.own_var(ty, usize::MAX)?;
        let (byte, stride) = self.own_part(var, ty, exec)?;
        let region = if exec.size == 1 {
            Region::SCALAR
        } else {
            Region {
                v: stride,
                w: 1,
                h: 0,
            }
        };
        Some(What::At {
            place: Place::Direct { var, byte },
            region,
        })
    }
}

/// True if an operand touches at most two GRFs (specification, "Region Restrictions", rule 6). The channels' own
/// elements may take more, as front ends rely on.
fn is_legal(grf: usize, byte: usize, ty: Ty, step: usize, last: usize) -> bool {
    let end = byte + last * ty.bytes() + ty.bytes() - 1;
    end / grf - byte / grf <= 1 || step * ty.bytes() <= 8 && byte.is_multiple_of(grf)
}

/// A region for a number of channels, of any form the hardware knows.
fn region(r: &mut Random, n: usize) -> Region {
    if n == 1 {
        return Region::SCALAR;
    }
    loop {
        let region = match r.below(8) {
            0 | 1 => Region { v: 1, w: 1, h: 0 },
            2 | 3 => Region::SCALAR,
            4 => Region {
                v: r.of(&[2, 4]),
                w: 1,
                h: 0,
            },
            5 => {
                let (w, h) = (r.of(&[2, 4, 8]), r.of(&[1, 2]));
                Region { v: w * h, w, h }
            }
            _ => Region {
                v: r.of(&[0, 1, 2, 4, 8, 16]),
                w: r.of(&[2, 4, 8]),
                h: r.of(&[0, 1, 2, 4]),
            },
        };
        // For overlapping rows the reference makes wrong code.
        if region.h > 0 && region.v < region.w * region.h {
            continue;
        }
        let whole = region.w == n && region.v != region.w * region.h;
        if region.w <= n && !whole && region.v <= 32 {
            return region;
        }
    }
}
