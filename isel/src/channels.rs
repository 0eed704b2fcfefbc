//! The channels that an operation works on.

use kiln_machine::inst::{Inst, Pred};

/// Channels of an operation: how many, from which on, and which of them the mask lets through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channels {
    pub size: u8,
    /// The first channel.
    pub off: u8,
    /// True if the execution mask is ignored.
    pub no_mask: bool,
    pub pred: Option<Pred>,
}

impl Channels {
    /// One channel, whatever the mask.
    pub const SCALAR: Channels = Channels::all(1);

    /// The first `size` channels, whatever the mask.
    pub const fn all(size: u8) -> Channels {
        Channels {
            size,
            off: 0,
            no_mask: true,
            pred: None,
        }
    }

    /// The channels of an instruction.
    pub fn of(inst: &Inst) -> Channels {
        Channels {
            size: inst.exec_size,
            off: inst.chan_off,
            no_mask: inst.opts.no_mask,
            pred: inst.pred,
        }
    }

    pub fn count(self) -> u32 {
        self.size.into()
    }

    pub fn unpredicated(self) -> Channels {
        Channels { pred: None, ..self }
    }
}
