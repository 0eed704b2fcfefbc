//! The channels of an instruction: execution size and mask, the channels that reach it, and a predicate.

use std::fmt::Write;

use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Combine {
    None,
    Any,
    All,
}

#[derive(Clone, Copy, Debug)]
pub struct Pred {
    pub bits: u32,
    pub inverse: bool,
    pub combine: Combine,
}

#[derive(Clone, Copy, Debug)]
pub struct Guard {
    pub simd: u8,
    pub items: u32,
    /// Channels that reach the instruction.
    pub reach: u32,
    pub size: usize,
    pub off: usize,
    pub no_mask: bool,
    pub pred: Option<Pred>,
}

pub fn low(n: usize) -> u32 {
    if n >= 32 { u32::MAX } else { (1 << n) - 1 }
}

impl Guard {
    /// Channels of one of these sizes, without a predicate; none if they do not fit.
    pub fn random(r: &mut Random, sizes: &[usize]) -> Option<Guard> {
        let simd = r.of(&[8u8, 16, 32]);
        let size = r.of(sizes);
        if size > usize::from(simd) {
            return None;
        }
        let off = r.below(usize::from(simd) / size.max(4)) * size.max(4);
        if off + size > usize::from(simd) {
            return None;
        }
        let (items, reach) = match r.below(4) {
            0 => (u32::from(simd), u32::MAX),
            1 => (1 + r.below(usize::from(simd)) as u32, u32::MAX),
            2 => (u32::from(simd), r.next() as u32),
            _ => (1 + r.below(usize::from(simd)) as u32, r.next() as u32),
        };
        (reach & low(items as usize) != 0).then_some(Guard {
            simd,
            items,
            reach,
            size,
            off,
            no_mask: false,
            pred: None,
        })
    }

    /// A random predicate for it.
    pub fn random_pred(&self, r: &mut Random) -> Pred {
        let groups = self.size == usize::from(self.simd);
        let combine = if groups {
            r.of(&[Combine::None, Combine::None, Combine::Any, Combine::All])
        } else {
            Combine::None
        };
        let bits = r.of(&[0, u32::MAX, 1]) ^ if r.below(3) > 0 { r.next() as u32 } else { 0 };
        Pred {
            bits: bits & low(self.simd.into()),
            inverse: r.below(2) == 0,
            combine,
        }
    }

    /// Text of the predicate, before an instruction's name.
    pub fn prefix(&self) -> String {
        let mut text = String::new();
        if let Some(p) = self.pred {
            let combine = ["", ".any", ".all"][p.combine as usize];
            let _ = write!(text, "({}P1{combine}) ", if p.inverse { "!" } else { "" });
        }
        text
    }

    /// Size and mask.
    pub fn channels(&self) -> String {
        let mask = if self.no_mask { "_NM" } else { "" };
        format!("(M{}{mask}, {})", self.off / 4 + 1, self.size)
    }

    /// The type of an immediate with a bit for each channel.
    pub fn flag_type(&self) -> &'static str {
        if self.simd > 16 { "ud" } else { "uw" }
    }

    pub fn decls(&self) -> String {
        let simd = self.simd;
        let decl = |p: u32| format!(".decl P{p} v_type=P num_elts={simd}\n");
        (1..4).map(decl).collect()
    }

    /// Text before the instruction: its predicate, which is P1, and the jump that some channels take.
    pub fn before(&self) -> String {
        let (simd, ty) = (self.simd, self.flag_type());
        let bits = self.pred.map_or(0, |p| p.bits);
        format!("setp (M1_NM, {simd}) P1 {bits:#x}:{ty}\n")
    }

    /// The jump to the label `behind`, taken by the channels that do not reach the instruction.
    pub fn jump(&self) -> String {
        let (simd, ty) = (self.simd, self.flag_type());
        if self.reach == u32::MAX {
            return String::new();
        }
        let reach = self.reach & low(simd.into());
        format!("setp (M1_NM, {simd}) P2 {reach:#x}:{ty}\n(!P2) goto (M1, {simd}) behind\n")
    }

    /// True if the predicate lets a channel of the instruction through.
    pub fn holds(&self, lane: usize) -> bool {
        let Some(p) = self.pred else { return true };
        let holds = match p.combine {
            Combine::None => p.bits >> (self.off + lane) & 1 == 1,
            Combine::Any => p.bits != 0,
            Combine::All => p.bits == low(self.simd.into()),
        };
        holds != p.inverse
    }

    /// True if the execution mask does.
    pub fn enabled(&self, lane: usize) -> bool {
        let active = self.reach & low(self.items as usize);
        self.no_mask || active >> (self.off + lane) & 1 == 1
    }

    pub fn describe(&self) -> String {
        format!(
            "simd{}, {} items, reach {:#x}, {:x?}",
            self.simd, self.items, self.reach, self.pred
        )
    }
}
