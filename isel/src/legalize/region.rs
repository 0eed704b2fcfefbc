//! Regions of pieces, and the hardware's limits on where an operand's elements lie.

use kiln_machine::inst::{Base, SrcReg};
use kiln_platform::isa::{RegFile, Region};

use super::{Legalizer, Shape, rows_of_two};

impl Legalizer<'_> {
    /// True if `n` elements of `bytes` bytes, `step` bytes apart from `from` on, lie in one unit of storage and, if
    /// in two registers, evenly so: half of them at the same places of each.
    pub(super) fn contained(&self, from: u32, n: u32, step: u32, bytes: u32, base: Base) -> bool {
        let end = from + (n - 1) * step + bytes - 1;
        let fixed = matches!(base, Base::Phys(RegFile::Grf, _));
        if !fixed && from / self.unit != end / self.unit {
            return false;
        }
        from / self.grf == end / self.grf
            || n.is_multiple_of(2)
                && n / 2 * step == self.grf
                && from % self.grf + (n / 2 - 1) * step + bytes <= self.grf
    }

    /// True if two bytes lie in one unit of storage and in the same or adjacent registers.
    fn is_adjacent(&self, from: u32, end: u32, base: Base) -> bool {
        let fixed = matches!(base, Base::Phys(RegFile::Grf, _));
        (fixed || from / self.unit == end / self.unit) && end / self.grf <= from / self.grf + 1
    }

    /// True if channels `lane..lane + n` of a source can be one operand.
    pub(super) fn source_fits(&self, r: &SrcReg, lane: u32, n: u32, shape: Shape) -> bool {
        let region = || self.region_of(r, lane, n, shape).is_some();
        self.is_no_grf(r) || self.reaches(r, lane, n, shape) && region()
    }

    fn is_no_grf(&self, r: &SrcReg) -> bool {
        r.indirect.is_none() && (r.reg.is_null() || self.is_architecture(r.reg))
    }

    /// True if the elements of channels `lane..lane + n` lie where one operand can reach them: a source with a region
    /// may span two adjacent registers (PRM, "Register Region Restrictions"), others must be aligned there.
    fn reaches(&self, r: &SrcReg, lane: u32, n: u32, shape: Shape) -> bool {
        if r.indirect.is_some() {
            return n * r.ty.bytes() <= 2 * self.grf;
        }
        if self.is_no_grf(r) {
            return true;
        }
        let base = r.reg.base();
        match r.step(u32::MAX) {
            Some(0) => self.contained(r.offset(lane), 1, 0, r.ty.bytes(), base),
            Some(step) => {
                let (from, bytes) = (r.offset(lane), r.ty.bytes());
                let end = from + (n - 1) * step * bytes + bytes - 1;
                self.contained(from, n, step * bytes, bytes, base)
                    || shape == Shape::Regions && self.is_adjacent(from, end, base)
            }
            None => {
                let (mut from, mut to) = (u32::MAX, 0);
                for i in 0..n {
                    let at = r.offset(lane + i);
                    from = from.min(at);
                    to = to.max(at + r.ty.bytes());
                }
                from / self.grf == (to - 1) / self.grf
                    || (shape == Shape::Regions || from.is_multiple_of(self.grf))
                        && self.is_adjacent(from, to - 1, base)
            }
        }
    }

    /// The region for channels `lane..lane + n`, if the hardware has it.
    pub(super) fn region_of(&self, r: &SrcReg, lane: u32, n: u32, shape: Shape) -> Option<Region> {
        let (w, h) = (
            u32::from(r.region.width.max(1)),
            u32::from(r.region.hstride),
        );
        let Some(v) = r.region.vstride else {
            // One address for each row.
            return Some(Region {
                vstride: None,
                width: w as u8,
                hstride: if w == 1 { 0 } else { h as u8 },
            });
        };
        let bytes = r.ty.bytes();
        let step = if n == 1 {
            Some(0)
        } else if lane % w + n <= w {
            Some(h)
        } else if !lane.is_multiple_of(w) && r.step(u32::MAX).is_none() {
            return None;
        } else {
            r.step(u32::MAX)
        };
        match step {
            Some(0) => Some(Region::SCALAR),
            Some(1) if shape == Shape::Three && !self.align16 => {
                // Rows of two, four or eight, each in one register.
                let from = r.offset(lane);
                let fits = |w: &u32| *w <= n && from.is_multiple_of(w * bytes);
                let width = [8, 4, 2].into_iter().find(fits)? as u8;
                Some(Region::new(width, width, 1))
            }
            Some(1) => {
                let width = n.min(if bytes <= 2 { 16 } else { self.grf / bytes });
                let aligned = r.indirect.is_some() || r.offset(lane).is_multiple_of(width * bytes);
                if aligned || shape == Shape::Three {
                    Some(Region::new(width as u8, width as u8, 1))
                } else {
                    Some(Region::new(1, 1, 0))
                }
            }
            Some(s) if shape == Shape::Three && !self.align16 => {
                let fits = n > 1 && rows_of_two(s, r.offset(lane), bytes);
                fits.then(|| Region::new(2 * s as u8, 2, s as u8))
            }
            Some(s @ (2 | 4 | 8 | 16 | 32)) => Some(Region::new(s as u8, 1, 0)),
            Some(_) => None,
            None => {
                let legal = matches!(v, 0 | 1 | 2 | 4 | 8 | 16 | 32)
                    && matches!(w, 1 | 2 | 4 | 8 | 16)
                    && matches!(h, 0 | 1 | 2 | 4)
                    && w <= n;
                let row = ((w - 1) * h + 1) * bytes;
                let within = |i: u32| r.offset(lane + i * w) % self.grf + row <= self.grf;
                let fits = r.indirect.is_some() || (0..n / w).all(within);
                let h = if w == 1 { 0 } else { h };
                (legal && fits).then(|| Region::new(v, w as u8, h as u8))
            }
        }
    }
}
