//! Bytes of registers of all files that an instruction reads and writes, and whose channels these belong to.
//!
//! Takes decoded instructions. General registers come from [`footprint`]; this adds flags (a bit a channel),
//! accumulators, the address register and the scalar register, and says of each access whether it is of the channels that
//! execute the instruction or of all.

use smallvec::SmallVec;

use crate::cost::{is_by_channel, request};
use crate::footprint::{self, Bytes};
use crate::inst::{Desc, Dst, Inst, Op, Place, PredCtrl, Reg, RegFile, Src, SrcReg};
use crate::messages::{AddressKind, Data, Request, second_beside_descriptor};
use crate::platform::Platform;
use kiln_platform::op::Props;

/// Number of general registers that code can name.
const GRFS: u16 = 256;
const FLAGS: u16 = 8;
const ACCS: u16 = 16;
const FIRST_FLAG: u16 = GRFS;
const FIRST_ACC: u16 = FIRST_FLAG + FLAGS;
const ADDRESS: u16 = FIRST_ACC + ACCS;
const SCALAR: u16 = ADDRESS + 1;
/// Number of rows of general registers, which are the first.
pub(super) const GRF_ROWS: usize = GRFS as usize;
/// Number of rows.
pub(super) const ROWS: usize = SCALAR as usize + 1;

/// A register of any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub(super) u16);

impl Row {
    pub(super) const FIRST_ACC: usize = FIRST_ACC as usize;
    pub(super) const ADDRESS: usize = ADDRESS as usize;

    /// The register's file and number.
    pub fn register(self) -> (RegFile, u32) {
        let Row(row) = self;
        let (file, first) = match row {
            row if row < FIRST_FLAG => (RegFile::Grf, 0),
            row if row < FIRST_ACC => (RegFile::Flag, FIRST_FLAG),
            row if row < ADDRESS => (RegFile::Acc, FIRST_ACC),
            ADDRESS => (RegFile::Addr, ADDRESS),
            _ => (RegFile::Scalar, SCALAR),
        };
        (file, u32::from(row - first))
    }

    /// A general register.
    pub fn grf(number: u32) -> Row {
        Row(number.min(u32::from(GRFS - 1)) as u16)
    }

    /// The register a number of registers further on.
    pub fn follows(self, count: u32) -> Row {
        Row(self.0.saturating_add(count as u16))
    }

    /// True for a general register.
    pub fn is_grf(self) -> bool {
        self.0 < FIRST_FLAG
    }

    fn of(reg: Reg) -> Option<Row> {
        let within = |first: u16, count: u16, number: u32| {
            (number < u32::from(count)).then_some(Row(first + number as u16))
        };
        match reg.file {
            RegFile::Grf => within(0, GRFS, reg.num),
            RegFile::Flag => within(FIRST_FLAG, FLAGS, reg.num),
            RegFile::Acc => within(FIRST_ACC, ACCS, reg.num),
            // The extended accumulators are the accumulators from acc2 on (PRM vol. 2a, "madm").
            RegFile::Mme => within(FIRST_ACC, ACCS, reg.num + 2),
            RegFile::Addr => Some(Row(ADDRESS)),
            RegFile::Scalar => Some(Row(SCALAR)),
            _ => None,
        }
    }
}

/// Channels that the bytes of an access belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Any channel may want them: the access has no mask, or goes across channels.
    All,
    /// Each channel has its own slot, in an unknown order.
    Unknown,
    /// Each channel has a slot of `1 << shift` bytes. Slot 0 of the register is that of channel `first`.
    Slots { shift: u8, first: i16 },
}

/// Bytes of a register; of a flag they are its bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub row: u16,
    pub bytes: u64,
    pub owner: Owner,
}

/// How the results of an instruction replace what was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replaces {
    /// Every written byte.
    All,
    /// Elements of the active channels.
    Active,
    /// Nothing for certain: a predicate or an address decides.
    Nothing,
}

/// The accesses of an instruction.
#[derive(Debug, Default)]
pub(super) struct Accesses {
    pub reads: SmallVec<[Access; 6]>,
    pub writes: SmallVec<[Access; 4]>,
    /// Offset of the source's row from the row that is written, for a move of whole slots to the same bytes.
    pub copies: Option<i32>,
    /// True if an address in a register says what is read.
    pub indirect: bool,
    /// First register and number of those that a message may read beyond the first, where a register has its lengths.
    pub perhaps: SmallVec<[(u16, u16); 2]>,
}

/// Channels whose slots fill a register at least.
const MIN_CHANNELS: u8 = 8;
/// Maximum numbers of registers of a message's payloads.
const PAYLOADS: [u16; 2] = [15, 31];

/// Gathers accesses.
pub(super) struct Gather<'a> {
    pub platform: &'a Platform,
}

impl Gather<'_> {
    pub fn replaces(inst: &Inst, guarded: bool) -> Replaces {
        let selects = matches!(inst.op, Op::Sel | Op::Csel);
        match inst.pred {
            Some(_) if !(selects || guarded && inst.no_mask) => Replaces::Nothing,
            _ if inst.no_mask => Replaces::All,
            _ => Replaces::Active,
        }
    }

    pub fn of(&self, inst: &Inst, out: &mut Accesses) {
        out.reads.clear();
        out.writes.clear();
        out.copies = None;
        out.indirect = false;
        out.perhaps.clear();
        if matches!(inst.op, Op::Illegal | Op::Nop) {
            return;
        }
        let print = footprint::of(inst, self.platform);
        match inst.op.is_send() {
            true => self.message(inst, &print.reads, &print.writes, out),
            false => self.computation(inst, &print.reads, &print.writes, out),
        }
        self.flags(inst, out);
        self.accumulators(inst, out);
        if copies(inst) {
            out.copies = match (inst.dst.map(|dst| dst.place), &inst.srcs[..]) {
                (Some(Place::Direct(to)), [Src::Reg(src)]) => match src.place {
                    Place::Direct(from) => Some(from.num as i32 - to.num as i32),
                    Place::Indirect { .. } => None,
                },
                _ => None,
            };
        }
    }

    fn add(
        list: &mut SmallVec<impl smallvec::Array<Item = Access>>,
        row: u16,
        bytes: u64,
        owner: Owner,
    ) {
        if usize::from(row) < ROWS && bytes != 0 {
            list.push(Access { row, bytes, owner });
        }
    }

    /// Adds bytes of general registers. `slots` has the first byte, its channel, and the distance of the elements.
    fn general(
        &self,
        list: &mut SmallVec<impl smallvec::Array<Item = Access>>,
        bytes: &Bytes,
        owner: Owner,
        slots: Option<(u32, u8, u32)>,
    ) {
        let count = self.platform.grf_count.max(128);
        for (register, bytes) in bytes.parts() {
            if u32::from(register) >= count.min(GRFS.into()) {
                continue;
            }
            let owner = match slots {
                Some((start, channel, step)) => slot(
                    i64::from(register) * i64::from(self.platform.grf_bytes) - i64::from(start),
                    channel,
                    step,
                ),
                None => owner,
            };
            Self::add(list, register, bytes, owner);
        }
    }

    fn computation(&self, inst: &Inst, reads: &[Bytes], writes: &Bytes, out: &mut Accesses) {
        let grf_bytes = self.platform.grf_bytes;
        let own = !inst.no_mask && !inst.op.is_systolic();
        let mut reads = reads.iter();
        for src in &inst.srcs {
            let Src::Reg(src) = src else { continue };
            // Moves to null have no footprint.
            let Some(bytes) = reads.next() else { break };
            match src.place {
                Place::Direct(reg) if reg.file == RegFile::Grf => {
                    let start = reg.num * grf_bytes + u32::from(reg.byte);
                    let step = step(src, inst.exec_size).filter(|_| own);
                    let slots = step.map(|step| (start, inst.chan_off, step * src.ty.bytes()));
                    let owner = Owner::All;
                    self.general(&mut out.reads, bytes, owner, slots);
                }
                Place::Direct(reg) => {
                    self.other(reg, inst.exec_size, src.ty.bytes(), own, &mut out.reads)
                }
                Place::Indirect { addr, .. } => {
                    let several = src.region.vstride.is_none();
                    let width = src.region.width.max(1);
                    let count = if several { inst.exec_size / width } else { 1 };
                    Self::add(
                        &mut out.reads,
                        ADDRESS,
                        span(addr.byte.into(), 2 * u32::from(count.max(1))),
                        Owner::All,
                    );
                    out.indirect = true;
                }
            }
            if let Some(n) = src.mme {
                self.extended(n, &mut out.reads);
            }
        }
        let Some(dst) = inst.dst else { return };
        match dst.place {
            Place::Direct(reg) if reg.file == RegFile::Grf => {
                let start = reg.num * grf_bytes + u32::from(reg.byte);
                let step = u32::from(dst.hstride.max(1)) * dst.ty.bytes();
                let slots = own.then_some((start, inst.chan_off, step));
                self.general(&mut out.writes, writes, Owner::All, slots);
            }
            Place::Direct(reg) => {
                self.other(reg, inst.exec_size, dst.ty.bytes(), own, &mut out.writes)
            }
            Place::Indirect { addr, .. } => {
                Self::add(
                    &mut out.reads,
                    ADDRESS,
                    span(addr.byte.into(), 2),
                    Owner::All,
                );
            }
        }
        if let Some(n) = dst.mme {
            self.extended(n, &mut out.writes);
        }
    }

    fn extended(&self, n: u8, list: &mut SmallVec<impl smallvec::Array<Item = Access>>) {
        if let Some(Row(row)) = Row::of(Reg::new(RegFile::Mme, n.into(), 0)).filter(|_| n < 8) {
            Self::add(list, row, span(0, self.platform.grf_bytes), Owner::Unknown);
        }
    }

    /// Adds an operand outside the general file.
    fn other(
        &self,
        reg: Reg,
        lanes: u8,
        size: u32,
        own: bool,
        list: &mut SmallVec<impl smallvec::Array<Item = Access>>,
    ) {
        let Some(Row(row)) = Row::of(reg) else { return };
        let (byte, total) = (u32::from(reg.byte), u32::from(lanes) * size);
        match reg.file {
            RegFile::Flag => Self::add(list, row, span(8 * byte, 8 * size.min(4)), Owner::All),
            RegFile::Acc | RegFile::Mme => {
                let owner = if own { Owner::Unknown } else { Owner::All };
                let width = self.platform.grf_bytes;
                let (mut at, end) = (byte, byte + total);
                while at < end {
                    let here = (end - at).min(width - at % width);
                    let row = row + (at / width) as u16;
                    if row < ADDRESS {
                        Self::add(list, row, span(at % width, here), owner);
                    }
                    at += here;
                }
            }
            _ => Self::add(list, row, span(byte, total), Owner::All),
        }
    }

    fn message(&self, inst: &Inst, reads: &[Bytes], writes: &Bytes, out: &mut Accesses) {
        let request = request(inst, self.platform);
        let by_channel = request.filter(|request| is_by_channel(request.kind));
        let in_channels = !inst.no_mask && by_channel.is_some();
        let owner = if in_channels {
            Owner::Unknown
        } else {
            Owner::All
        };
        let header = request.is_some_and(|request| request.header);
        for (n, bytes) in reads.iter().enumerate() {
            let from = out.reads.len();
            let is_header = n == 0 && header;
            self.general(&mut out.reads, bytes, owner, None);
            if let Some(first) = out.reads.get_mut(from).filter(|_| is_header) {
                first.owner = Owner::All;
            }
            // A message of fewer channels than its registers have slots for reads the slots of its own channels.
            if let Some(request) = by_channel.filter(|_| inst.exec_size < MIN_CHANNELS) {
                let size = if is_narrow(&request) { 4 } else { 8 };
                let slots = span(0, size * u32::from(inst.exec_size));
                for read in out.reads.iter_mut().skip(from + usize::from(is_header)) {
                    read.bytes &= slots;
                }
            }
        }
        // The header of a message of unknown form may be anything; the channels of its result are those of its mask.
        let owner = if inst.no_mask {
            Owner::All
        } else {
            Owner::Unknown
        };
        self.general(&mut out.writes, writes, owner, None);
        for src in &inst.srcs {
            if let Src::Reg(SrcReg {
                place: Place::Direct(reg),
                ..
            }) = src
                && reg.file == RegFile::Scalar
            {
                Self::add(&mut out.reads, SCALAR, u64::MAX, Owner::All);
                out.indirect = true;
            }
        }
        let Some(message) = inst.msg else { return };
        let lengths = [
            matches!(message.desc, Desc::Addr { .. }),
            matches!(message.ex_desc, Desc::Addr { .. })
                && second_beside_descriptor(inst, self.platform.family).is_none(),
        ];
        for ((src, unknown), most) in inst.srcs.iter().zip(lengths).zip(PAYLOADS) {
            if let Src::Reg(src) = src
                && let Some(reg) = footprint::general(src.place).filter(|_| unknown)
            {
                out.perhaps.push((reg.num as u16, most));
            }
        }
        for desc in [message.desc, message.ex_desc] {
            if let Desc::Addr { byte } = desc {
                Self::add(&mut out.reads, ADDRESS, span(byte.into(), 4), Owner::All);
            }
        }
    }

    fn flags(&self, inst: &Inst, out: &mut Accesses) {
        let channels = |flag: Reg| {
            let Row(row) = Row::of(flag)?;
            let first = 8 * u32::from(flag.byte) + u32::from(inst.chan_off);
            Some((row, first, u32::from(inst.exec_size)))
        };
        let owner = if inst.no_mask {
            Owner::All
        } else {
            Owner::Unknown
        };
        if let Some(pred) = inst.pred
            && let Some((row, first, count)) = channels(pred.flag)
        {
            match pred.ctrl {
                PredCtrl::Normal => {
                    Self::add(&mut out.reads, row, span(first, count), owner);
                }
                PredCtrl::AnyV | PredCtrl::AllV => {
                    Self::add(&mut out.reads, row, span(first, count), owner);
                    Self::add(&mut out.reads, row, span((first + 16) % 32, count), owner);
                }
                PredCtrl::Any(group) | PredCtrl::All(group) => {
                    let group = u32::from(group.max(1));
                    let start = first / group * group;
                    let count = (first - start + count).next_multiple_of(group);
                    Self::add(&mut out.reads, row, span(start, count), Owner::All);
                }
                PredCtrl::AnyChannel | PredCtrl::AllChannels | PredCtrl::Replicate(_) => {
                    Self::add(&mut out.reads, row, span(first, count), Owner::All);
                }
            }
        }
        if let Some(cond) = inst.cond
            && let Some((row, first, count)) = channels(cond.flag)
        {
            Self::add(&mut out.writes, row, span(first, count), owner);
        }
    }

    fn accumulators(&self, inst: &Inst, out: &mut Accesses) {
        let own = !inst.no_mask;
        let acc = Reg::new(RegFile::Acc, 0, 0);
        if inst.op.is(Props::READS_ACC) {
            self.other(acc, inst.exec_size, 4, own, &mut out.reads);
        }
        if inst.opts.acc_wr_en || inst.op.is(Props::WRITES_ACC) {
            self.other(acc, inst.exec_size, 4, own, &mut out.writes);
        }
    }
}

/// True if the slots of a message for each channel have 32 bits: it accesses a surface, whose offsets are dwords.
fn is_narrow(request: &Request) -> bool {
    let by_address = matches!(
        request.fields.address,
        Some(AddressKind::BindingTable | AddressKind::BindlessSurface | AddressKind::SurfaceState)
    );
    let surface = request.fields.surface.is_some() || by_address;
    surface && request.fields.data != Some(Data::D64)
}

/// Bits of a range, within a register.
fn span(first: u32, count: u32) -> u64 {
    let end = (first + count).min(64);
    match end.saturating_sub(first) {
        0 => 0,
        count => u64::MAX >> (64 - count) << first,
    }
}

/// The slots of a register whose byte 0 is `base` bytes from the first element.
fn slot(base: i64, channel: u8, step: u32) -> Owner {
    if !step.is_power_of_two() {
        return Owner::All;
    }
    let first = (base + i64::from(step) - 1).div_euclid(i64::from(step)) + i64::from(channel);
    Owner::Slots {
        shift: step.trailing_zeros() as u8,
        first: first as i16,
    }
}

/// Elements from one channel's to the next one's, if that is the same for all and not 0.
fn step(src: &SrcReg, lanes: u8) -> Option<u32> {
    let rows = u32::from(src.region.vstride?);
    let (width, across) = (u32::from(src.region.width), u32::from(src.region.hstride));
    let step = match width {
        0 | 1 => rows,
        width if u32::from(lanes) <= width || rows == width * across => across,
        _ => return None,
    };
    (step > 0 && lanes > 1).then_some(step)
}

/// True for a move of whole registers' bytes, for all channels, to the same place in others.
fn copies(inst: &Inst) -> bool {
    let Some(Dst {
        place: Place::Direct(to),
        hstride: 1,
        ty,
        ..
    }) = inst.dst
    else {
        return false;
    };
    let [Src::Reg(src)] = &inst.srcs[..] else {
        return false;
    };
    let Place::Direct(from) = src.place else {
        return false;
    };
    let lanes = u32::from(inst.exec_size);
    let packed = lanes == 1 || step(src, inst.exec_size) == Some(1);
    inst.op == Op::Mov
        && inst.no_mask
        && !inst.saturate
        && inst.cond.is_none()
        && src.modifier == Default::default()
        && ty.is_float() == src.ty.is_float()
        && ty.bytes() == src.ty.bytes()
        && (to.file, from.file) == (RegFile::Grf, RegFile::Grf)
        && to.byte == from.byte
        && packed
}
