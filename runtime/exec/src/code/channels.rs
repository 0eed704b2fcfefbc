//! The channels of a thread that an operation acts on.

use kiln_emit::inst::PredCtrl;

use super::operation::{Operation, Predicate};
use crate::state::lanes::low_mask;
use crate::state::thread::Thread;

impl Thread {
    /// A predicate for each of an operation's channels, from bit 0.
    pub fn predicate(&self, op: &Operation, pred: &Predicate) -> u32 {
        let lanes = usize::from(op.lanes);
        let flags = self.flag_bits();
        let chan_off = u32::from(op.chan_off);
        let from = |bit: u8| flags.checked_shr(u32::from(bit)).unwrap_or(0) as u32;
        let channels = from(pred.bit);
        let group_wise = |size: u8, test: fn(u32, u32) -> bool| {
            let size = u32::from(size).clamp(1, 32);
            let group = low_mask(size as usize);
            let mut result = 0;
            for lane in 0..lanes as u32 {
                let first = (chan_off + lane) / size * size;
                let of_group = channels.checked_shr(first).unwrap_or(0) & group;
                result |= u32::from(test(of_group, group)) << lane;
            }
            result
        };
        let mine = |bits: u32| bits >> chan_off;
        let (low, high) = (pred.register, pred.register + 16);
        let value = match pred.ctrl {
            PredCtrl::Normal => mine(channels),
            // Channel by channel, over the two halves of the flag register.
            PredCtrl::AnyV => mine(from(low) | from(high)),
            PredCtrl::AllV => mine(from(low) & from(high)),
            PredCtrl::Any(size) => group_wise(size, |bits, _| bits != 0),
            PredCtrl::All(size) => group_wise(size, |bits, group| bits == group),
            PredCtrl::AnyChannel => group_wise(lanes as u8, |bits, _| bits != 0),
            PredCtrl::AllChannels => group_wise(lanes as u8, |bits, group| bits == group),
            PredCtrl::Replicate(channel) => {
                let mut result = 0;
                for lane in 0..lanes {
                    result |= (mine(channels) >> (lane & !3) >> (channel & 3) & 1) << lane;
                }
                result
            }
        };
        (if pred.inverse { !value } else { value }) & low_mask(lanes)
    }

    /// The channels of the operation that the execution mask lets through, from bit 0.
    #[inline]
    pub fn mask(&self, op: &Operation) -> u32 {
        (self.active >> op.chan_off | op.ungated) & op.mask
    }

    /// The channels the operation acts on: execution mask and predicate.
    #[inline]
    pub fn enabled(&self, op: &Operation) -> u32 {
        let mask = self.mask(op);
        match &op.pred {
            Some(pred) => mask & self.predicate(op, pred),
            None => mask,
        }
    }
}
