//! Operands of elementwise instructions: where their elements are, and which part of them one instruction can name.
//!
//! A [`Layout`] gives the byte of every element of an operand, for any count. [`Layout::region`] finds the region of
//! vISA that has some of them (PRM vol. 7, "Register Region Restrictions"): at most two registers, strides and widths
//! that are powers of two.

use std::rc::Rc;

use kiln_visa::module::{Addr, Modifier, Operand, Region, Type, Var};
use smallvec::SmallVec;

use super::predicates::Mask;

/// Range of the offset of an indirect operand.
pub const INDIRECT: std::ops::Range<u32> = 0..500;

/// Positions of the elements of an operand, in bytes from the start of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// Rows `v` bytes apart with `w` elements each, which are `h` bytes apart.
    Affine {
        start: u32,
        v: u32,
        w: u32,
        h: u32,
    },
    List(Rc<[u32]>),
}

impl Layout {
    /// Elements of so many bytes side by side.
    pub fn contiguous(start: u32, bytes: u32) -> Layout {
        Layout::Affine {
            start,
            v: bytes,
            w: 1,
            h: 0,
        }
    }

    /// One element for all.
    pub fn same(start: u32) -> Layout {
        Layout::Affine {
            start,
            v: 0,
            w: 1,
            h: 0,
        }
    }

    /// Byte of an element.
    pub fn at(&self, i: u32) -> u32 {
        match self {
            Layout::Affine { start, v, w, h } => start + i / w * v + i % w * h,
            Layout::List(list) => list.get(i as usize).copied().unwrap_or(0),
        }
    }

    /// The layout with all positions moved by so many bytes.
    pub fn moved(&self, by: u32) -> Layout {
        match self {
            Layout::Affine { start, v, w, h } => Layout::Affine {
                start: start + by,
                v: *v,
                w: *w,
                h: *h,
            },
            Layout::List(list) => Layout::List(list.iter().map(|at| at + by).collect()),
        }
    }

    /// Layout of these positions.
    pub fn of(positions: &[u32]) -> Layout {
        let [first, rest @ ..] = positions else {
            return Layout::same(0);
        };
        let Some(second) = rest.first() else {
            return Layout::same(*first);
        };
        let step = second.wrapping_sub(*first);
        let run = positions
            .windows(2)
            .take_while(|p| p[1].wrapping_sub(p[0]) == step)
            .count()
            + 1;
        let n = positions.len();
        if run == n && (step as i32) >= 0 {
            return Layout::Affine {
                start: *first,
                v: step,
                w: 1,
                h: 0,
            };
        }
        if run < n && (step as i32) >= 0 {
            let next = positions[run].wrapping_sub(*first);
            let layout = Layout::Affine {
                start: *first,
                v: next,
                w: run as u32,
                h: step,
            };
            let fits = (next as i32) >= 0
                && (0..)
                    .zip(positions)
                    .all(|(i, at): (u32, &u32)| layout.at(i) == *at);
            if fits {
                return layout;
            }
        }
        Layout::List(positions.into())
    }

    /// Positions of some elements of this layout, by their numbers.
    pub fn select(&self, numbers: impl Iterator<Item = u32>) -> Layout {
        let positions: SmallVec<[u32; 32]> = numbers.map(|i| self.at(i)).collect();
        Layout::of(&positions)
    }

    /// First byte of the first `n` elements, and the byte after their last.
    pub fn range(&self, n: u32, bytes: u32) -> (u32, u32) {
        match self {
            Layout::Affine { start, v, w, h } if n > 0 => {
                let rows = (n - 1) / w;
                let width = if n < *w { n } else { *w };
                (*start, start + rows * v + (width - 1) * h + bytes)
            }
            _ => {
                let all = (0..n).map(|i| self.at(i));
                let (low, high) = all.fold((u32::MAX, 0), |(l, h), at| (l.min(at), h.max(at)));
                (low.min(high), high + bytes)
            }
        }
    }

    /// True if some of the first `count` elements are further from an address than an instruction reaches.
    fn is_far(&self, count: u32) -> bool {
        !INDIRECT.contains(&self.range(count, 0).1)
    }

    /// Elements from number `from` on, of at most `count`, that one address reaches.
    fn run(&self, from: u32, count: u32) -> u32 {
        let (mut low, mut high) = (u32::MAX, 0);
        let near = (from..from + count).take_while(|i| {
            (low, high) = (low.min(self.at(*i)), high.max(self.at(*i)));
            INDIRECT.contains(&(high - low))
        });
        near.count() as u32
    }

    /// Start and strides in elements of `size` elements from number `i` on, if one region has them.
    fn strides(&self, i: u32, size: u32, bytes: u32) -> Option<(u32, [u32; 3])> {
        let start = self.at(i);
        if !start.is_multiple_of(bytes) {
            return None;
        }
        if size == 1 {
            return Some((start, [0, 1, 0]));
        }
        let elements = |stride: u32| stride.is_multiple_of(bytes).then_some(stride / bytes);
        match *self {
            Layout::Affine { v, w, h, .. } => {
                let column = i % w;
                if w == 1 {
                    return Some((start, [elements(v)?, 1, 0]));
                }
                if column + size <= w {
                    return Some((start, [elements(h)?, 1, 0]));
                }
                let whole = column == 0 && size.is_multiple_of(w);
                whole.then(|| Some((start, [elements(v)?, w, elements(h)?])))?
            }
            Layout::List(ref list) => {
                let part = list.get(i as usize..(i + size) as usize)?;
                match Layout::of(part) {
                    Layout::List(_) => None,
                    layout => layout.strides(0, size, bytes),
                }
            }
        }
    }

    /// Start in bytes and source region of `size` elements from number `i` on.
    pub fn source(&self, i: u32, size: u32, bytes: u32, grf: u32) -> Option<(u32, Region)> {
        let (start, [v, w, h]) = self.strides(i, size, bytes)?;
        let power = |n: u32, most: u32| n == 0 || (n.is_power_of_two() && n <= most);
        if !power(v, 32) || !w.is_power_of_two() || w > 16 || !power(h, 4) {
            return None;
        }
        let last = start + ((size / w - 1) * v + (w - 1) * h + 1) * bytes - 1;
        (last / grf <= start / grf + 1).then_some(())?;
        let region = Region::new(v as u8, w as u8, h as u8);
        Some((start, region))
    }

    /// Start in bytes and stride of a destination.
    pub fn destination(&self, i: u32, size: u32, bytes: u32, grf: u32) -> Option<(u32, u8)> {
        let (start, [v, w, h]) = self.strides(i, size, bytes)?;
        let stride = match (size, w) {
            (1, _) => 1,
            (_, 1) => v,
            _ if v == w * h => h,
            _ => return None,
        };
        if !matches!(stride, 1 | 2 | 4) {
            return None;
        }
        let last = start + ((size - 1) * stride + 1) * bytes - 1;
        (last / grf <= start / grf + 1).then_some((start, stride as u8))
    }
}

/// A source of an elementwise instruction.
#[derive(Clone, Debug)]
pub enum Src {
    Imm {
        ty: Type,
        bits: u64,
    },
    Var {
        var: Var,
        ty: Type,
        layout: Layout,
        modifier: Modifier,
    },
    /// Elements from the address in an address variable on.
    Indirect {
        addr: Addr,
        ty: Type,
        layout: Layout,
        modifier: Modifier,
    },
}

impl Src {
    /// Type of its elements.
    pub fn ty(&self) -> Type {
        match self {
            Src::Imm { ty, .. } | Src::Var { ty, .. } | Src::Indirect { ty, .. } => *ty,
        }
    }

    /// The source read as another type of the same size.
    #[must_use]
    pub fn typed(mut self, to: Type) -> Src {
        match &mut self {
            Src::Imm { ty, .. } | Src::Var { ty, .. } | Src::Indirect { ty, .. } => *ty = to,
        }
        self
    }

    /// The source with a modifier.
    #[must_use]
    pub fn with(mut self, new: Modifier) -> Src {
        if let Src::Var { modifier, .. } | Src::Indirect { modifier, .. } = &mut self {
            *modifier = new;
        }
        self
    }

    /// True if some of the first `count` elements are further from an address than an instruction reaches.
    pub fn is_far(&self, count: u32) -> bool {
        match self {
            Src::Indirect { layout, .. } => layout.is_far(count),
            _ => false,
        }
    }

    /// Elements from number `from` on, of at most `count`, that one address reaches.
    pub fn run(&self, from: u32, count: u32) -> u32 {
        match self {
            Src::Indirect { layout, .. } => layout.run(from, count),
            _ => count,
        }
    }

    /// The source with its elements in other places; an immediate is the same everywhere.
    #[must_use]
    pub fn laid_out(mut self, of: impl FnOnce(&Layout) -> Layout) -> Src {
        if let Src::Var { layout, .. } | Src::Indirect { layout, .. } = &mut self {
            *layout = of(layout);
        }
        self
    }

    /// True if all elements are one.
    pub fn is_uniform(&self) -> bool {
        match self {
            Src::Imm { .. } => true,
            Src::Var { layout, .. } | Src::Indirect { layout, .. } => {
                matches!(layout, Layout::Affine { v: 0, w: 1, .. })
            }
        }
    }
}

/// Destination of an elementwise instruction.
#[derive(Clone, Debug)]
pub enum Dst {
    Var {
        var: Var,
        ty: Type,
        layout: Layout,
    },
    Indirect {
        addr: Addr,
        /// The variable that the address lies in.
        var: Var,
        ty: Type,
        layout: Layout,
    },
    Predicate(Mask),
}

impl Dst {
    /// Elements of a variable.
    pub fn var(var: Var, ty: Type, layout: Layout) -> Dst {
        Dst::Var { var, ty, layout }
    }

    /// The destination as one of another type of the same size.
    #[must_use]
    pub fn typed(mut self, to: Type) -> Dst {
        if let Dst::Var { ty, .. } | Dst::Indirect { ty, .. } = &mut self
            && ty.bytes() == to.bytes()
        {
            *ty = to;
        }
        self
    }

    /// As [`Src::is_far`].
    pub fn is_far(&self, count: u32) -> bool {
        match self {
            Dst::Indirect { layout, .. } => layout.is_far(count),
            _ => false,
        }
    }

    /// As [`Src::run`].
    pub fn run(&self, from: u32, count: u32) -> u32 {
        match self {
            Dst::Indirect { layout, .. } => layout.run(from, count),
            _ => count,
        }
    }
}

/// Destination of an operation over any number of elements, and those of them that it writes.
#[derive(Clone, Debug)]
pub struct Target {
    pub count: u32,
    pub dst: Dst,
    /// Channels that are written.
    pub mask: Option<Mask>,
    pub saturate: bool,
}

impl Target {
    /// The destination as one of another type of the same size.
    #[must_use]
    pub fn typed(self, ty: Type) -> Target {
        Target {
            dst: self.dst.typed(ty),
            ..self
        }
    }
}

/// An elementwise operation over any number of elements.
#[derive(Clone, Debug)]
pub struct Elementwise {
    pub op: kiln_visa::opcode::Opcode,
    /// Operands before the destination: the relation of a comparison.
    pub lead: Option<Operand>,
    /// Operands after the sources.
    pub tail: Option<Operand>,
    pub count: u32,
    pub dst: Dst,
    pub srcs: SmallVec<[Src; 3]>,
    /// Channels that are written.
    pub mask: Option<Mask>,
    pub saturate: bool,
    /// Largest execution size.
    pub most: u32,
}
