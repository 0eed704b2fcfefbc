//! Messages of the functions that load and store by address: `ugm`, `ugml`, `slm`, and the fences of `tgm` (PRM,
//! "Load/Store/Cache Messages"; PRM vol. 2d, since XeHPG). Image accesses of `tgm` are in [`typed`], two-dimensional
//! blocks in [`block_2d`].
//!
//! The descriptor gives kind, data and vector size, kind of surface and address size. The first payload has an
//! address for each channel; the second has the stored data, a row of all channels for each element. A transposed
//! message has one address, and its elements are consecutive. Cache policies have no effect.

use kiln_emit::messages::{AddressKind, Atomic as Operation, Data, Fields, Function, Kind, Vector};

use super::atomic::Atomic;
use super::block_2d;
use super::payload::{address, aligned, fill, payload};
use super::typed::{self, Texels};
use kiln_platform::abi::SCRATCH_STATE_MASK;

use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::lanes::LANES;
use crate::state::memory::{BTI_STATELESS, Nearby, Part, SCRATCH_STATE, Shared, Space, Span};
use crate::state::thread::Thread;

/// Number of the scratch surface's state.
const SCRATCH: u32 = SCRATCH_STATE >> SCRATCH_STATE_MASK.trailing_zeros();
/// Lowest bit of a binding table index in an extended descriptor.
pub const TABLE_SHIFT: u32 = 24;

/// Size of an element in a register and in memory.
#[derive(Clone, Copy)]
pub struct Element {
    pub slot: usize,
    pub size: usize,
    /// Offset within the slot.
    pub skip: usize,
}

impl Element {
    pub fn of(data: Data) -> Element {
        let (slot, size, skip) = match data {
            Data::D8 => (1, 1, 0),
            Data::D16 => (2, 2, 0),
            Data::D32 => (4, 4, 0),
            Data::D64 => (8, 8, 0),
            Data::D8U32 => (4, 1, 0),
            Data::D16U32 => (4, 2, 0),
            Data::D16U32High => (4, 2, 2),
        };
        Element { slot, size, skip }
    }

    /// Contents of the register for an element's bits.
    fn response(self, bits: u64) -> [u8; 8] {
        (bits << (8 * self.skip)).to_le_bytes()
    }

    fn load(self, memory: Span) -> u64 {
        let mut bytes = [0; 8];
        memory.read(&mut bytes[..self.size]);
        u64::from_le_bytes(bytes)
    }
}

/// Executes a message.
pub fn send(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    let request = m.request()?;
    let fields = &request.fields;
    let kind = request.kind;
    if kind == Kind::Fence {
        // Accesses are in order here. The fence may report its completion.
        if let (Some(at), 1..) = (m.response(), m.response_len()) {
            let zeros = [0; 64];
            fill(thread, m, at, &zeros[..m.register()])?;
        }
        return Ok(());
    }
    if request.function == Function::Typed {
        return typed_access(thread, shared, m);
    }
    if matches!(kind, Kind::LoadBlock2d | Kind::StoreBlock2d) {
        return block_2d::send(thread, shared, m);
    }
    let data = fields.data.ok_or_else(|| m.unknown())?;
    let access = Access {
        m,
        element: Element::of(data),
        address: match fields.address_bits {
            Some(32) => 4,
            Some(64) => 8,
            _ => return Err(m.unknown()),
        },
    };
    let elements = match (fields.vector, fields.channels) {
        (Some(vector), _) => u64::MAX >> (64 - u32::from(vector.count).clamp(1, 64)),
        (None, Some(channels)) => u64::from(channels),
        (None, None) => return Err(m.unknown()),
    };
    let transposed = matches!(
        fields.vector,
        Some(Vector {
            transposed: true,
            ..
        })
    );
    if m.enabled() == 0 {
        return Ok(());
    }
    match kind {
        Kind::LoadStrided if !transposed => access.load(thread, shared, elements),
        Kind::StoreStrided if !transposed => access.store(thread, shared, elements),
        Kind::Load if transposed => access.load_block(thread, shared, elements.count_ones()),
        Kind::Store if transposed => access.store_block(thread, shared, elements.count_ones()),
        Kind::Load | Kind::LoadQuad => access.load(thread, shared, elements),
        Kind::Store | Kind::StoreQuad => access.store(thread, shared, elements),
        _ if transposed || elements != 1 => Err(m.unknown()),
        _ => {
            let operation = atomic(kind).ok_or_else(|| m.unknown())?;
            access.atomic(thread, shared, operation)
        }
    }
}

/// A message to the function that knows an image's format.
fn typed_access(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    let fields = &m.request()?.fields;
    let surface = match fields.address {
        Some(AddressKind::BindlessSurface) => m.bindless(),
        Some(AddressKind::BindingTable) => m.extended() >> TABLE_SHIFT,
        _ => return Err(m.unknown()),
    };
    let kind = m.request()?.kind;
    if matches!(kind, Kind::LoadBlock2d | Kind::StoreBlock2d) {
        if fields.data != Some(Data::D8) || fields.transformed == Some(true) {
            return Err(m.unknown());
        }
        return typed::block_2d(thread, shared, m, surface, kind == Kind::StoreBlock2d);
    }
    if (fields.data, fields.address_bits) != (Some(Data::D32), Some(32)) {
        return Err(m.unknown());
    }
    let texels = Texels::of_all(m, surface)?;
    match kind {
        Kind::LoadQuad => texels.read(thread, shared),
        Kind::StoreQuad => texels.write(thread, shared),
        _ => {
            let operation = atomic(kind).ok_or_else(|| m.unknown())?;
            let mut atomic = Atomic::of(operation, m.lanes(), 4, 4);
            atomic.returns = m.response_len() != 0;
            texels.atomic(thread, shared, &atomic)
        }
    }
}

/// The operation of an atomic message; none of other kinds. A load is an `or` with zero.
fn atomic(kind: Kind) -> Option<Operation> {
    Some(match kind {
        Kind::AtomicIncrement => Operation::Increment,
        Kind::AtomicDecrement => Operation::Decrement,
        Kind::AtomicLoad => Operation::Or,
        Kind::AtomicStore => Operation::Exchange,
        Kind::AtomicAdd => Operation::Add,
        Kind::AtomicSubtract => Operation::Subtract,
        Kind::AtomicSignedMinimum => Operation::SignedMin,
        Kind::AtomicSignedMaximum => Operation::SignedMax,
        Kind::AtomicUnsignedMinimum => Operation::UnsignedMin,
        Kind::AtomicUnsignedMaximum => Operation::UnsignedMax,
        Kind::AtomicCompareAndExchange => Operation::CompareExchange,
        Kind::AtomicFloatAdd => Operation::FloatAdd,
        Kind::AtomicFloatSubtract => Operation::FloatSubtract,
        Kind::AtomicFloatMinimum => Operation::FloatMin,
        Kind::AtomicFloatMaximum => Operation::FloatMax,
        Kind::AtomicFloatCompareAndExchange => Operation::FloatCompareExchange,
        Kind::AtomicAnd => Operation::And,
        Kind::AtomicOr => Operation::Or,
        Kind::AtomicXor => Operation::Xor,
        _ => return None,
    })
}

/// True if a message's extended descriptor names the scratch surface.
pub fn names_scratch(m: &Message) -> bool {
    m.state() == SCRATCH
}

/// The memory that a message accesses.
fn space<'a>(
    thread: &Thread,
    shared: &Shared<'a>,
    m: &Message,
    fields: &Fields,
) -> Result<Space<'a>, Cause> {
    let flat = fields.address == Some(AddressKind::Flat);
    if m.request()?.function == Function::LocalMemory {
        return if flat {
            Ok(Space::Local(shared.slm))
        } else {
            Err(m.unknown())
        };
    }
    match fields.address.ok_or_else(|| m.unknown())? {
        AddressKind::Flat if fields.address_bits == Some(64) => {
            Ok(Space::Address(shared.memory, 0))
        }
        AddressKind::Flat => shared.space(BTI_STATELESS),
        AddressKind::BindlessSurface => shared.space(m.bindless()),
        AddressKind::SurfaceState if names_scratch(m) => {
            let part = Part {
                base: shared.scratch + u64::from(thread.scratch),
                bytes: u64::from(thread.scratch_bytes),
                name: "the thread's scratch space",
            };
            Ok(Space::Part(shared.memory, part))
        }
        AddressKind::SurfaceState => Err(m.bad("its surface is not the thread's scratch space")),
        AddressKind::BindingTable => shared.space(m.extended() >> TABLE_SHIFT),
    }
}

/// Number of registers for `size` bytes of each channel. However few there are, there is room for those whose dwords
/// fill a register, as the reference finalizer's code of DG2 and of Xe2 has it.
pub fn registers(m: &Message, lanes: usize, size: usize) -> usize {
    let least = m.register() / size_of::<u32>();
    (lanes.max(least) * size).div_ceil(m.register())
}

/// The accesses of a message.
struct Access<'a> {
    m: &'a Message,
    element: Element,
    /// Bytes of an address.
    address: usize,
}

impl Access<'_> {
    /// Number of registers for one element of all channels.
    fn rows(&self) -> usize {
        registers(self.m, self.m.lanes(), self.element.slot)
    }

    /// Number of registers for the addresses of all channels.
    fn address_rows(&self) -> usize {
        registers(self.m, self.m.lanes(), self.address)
    }

    fn space<'a>(&self, thread: &Thread, shared: &Shared<'a>) -> Result<Nearby<'a>, Cause> {
        space(thread, shared, self.m, &self.m.request()?.fields).map(Nearby::new)
    }

    /// Address of a channel's element.
    fn at(&self, start: u64, element: u32) -> u64 {
        let start = start.wrapping_add_signed(self.m.offset().into());
        let at = start.wrapping_add(u64::from(element) * self.element.size as u64);
        match self.address {
            4 => at & u64::from(u32::MAX),
            _ => at,
        }
    }

    /// Blocks and atomic operations must be aligned; other accesses may be anywhere.
    fn aligned<'a>(
        &self,
        space: &mut Nearby<'a>,
        at: u64,
        count: usize,
        lane: usize,
    ) -> Result<Span<'a>, Cause> {
        let size = self.element.size;
        let memory = space.at(at, size * count, lane as u32)?;
        aligned(at, size as u64, size, lane as u32)?;
        Ok(memory)
    }

    fn starts(&self, thread: &Thread) -> Result<[u64; LANES], Cause> {
        let mut starts = [0; LANES];
        if matches!(
            self.m.request()?.kind,
            Kind::LoadStrided | Kind::StoreStrided
        ) {
            // The first address in a register, and the distance between addresses of adjacent channels.
            let first = address(thread, self.m, 0, 0, self.address)?;
            let at = self.m.at(0, 8)?;
            thread.sent(at, 4)?;
            let pitch = i64::from(thread.grf_dword(at) as i32);
            for (lane, start) in (0i64..).zip(&mut starts) {
                *start = first.wrapping_add_signed(lane.wrapping_mul(pitch));
            }
            return Ok(starts);
        }
        for lane in self.m.channels(self.m.lanes()) {
            starts[lane] = address(thread, self.m, 0, lane, self.address)?;
        }
        Ok(starts)
    }

    fn load(&self, thread: &mut Thread, shared: &mut Shared, elements: u64) -> Result<(), Cause> {
        let Element { slot, size, .. } = self.element;
        let m = self.m;
        // The response may overlap the payload.
        let starts = self.starts(thread)?;
        let mut space = self.space(thread, shared)?;
        let pitch = self.rows() * m.register();
        let mut moved = 0;
        for lane in m.channels(m.lanes()) {
            for (row, number) in each(elements).enumerate() {
                let memory = space.at(self.at(starts[lane], number), size, lane as u32)?;
                moved += size;
                if let Some(response) = m.response() {
                    let bytes = self.element.response(self.element.load(memory));
                    fill(
                        thread,
                        m,
                        response + row * pitch + lane * slot,
                        &bytes[..slot],
                    )?;
                }
            }
        }
        shared.count(false, moved);
        Ok(())
    }

    fn store(&self, thread: &mut Thread, shared: &mut Shared, elements: u64) -> Result<(), Cause> {
        let Element { slot, size, skip } = self.element;
        let m = self.m;
        let starts = self.starts(thread)?;
        let mut space = self.space(thread, shared)?;
        let mut moved = 0;
        for lane in m.channels(m.lanes()) {
            for (row, number) in each(elements).enumerate() {
                let memory = space.at(self.at(starts[lane], number), size, lane as u32)?;
                let register = m.data(self.address_rows()) + row * self.rows();
                let at = m.at(register, lane * slot)? + skip;
                thread.sent(at, size)?;
                memory.write(payload(thread, m, at, size)?);
                moved += size;
            }
        }
        shared.count(true, moved);
        Ok(())
    }

    fn load_block(
        &self,
        thread: &mut Thread,
        shared: &mut Shared,
        count: u32,
    ) -> Result<(), Cause> {
        let m = self.m;
        let (memory, size) = self.block(thread, shared, count)?;
        let mut bytes = [0; BLOCK];
        memory.read(&mut bytes[..size]);
        shared.count(false, size);
        m.response()
            .map_or(Ok(()), |at| fill(thread, m, at, &bytes[..size]))
    }

    fn store_block(
        &self,
        thread: &mut Thread,
        shared: &mut Shared,
        count: u32,
    ) -> Result<(), Cause> {
        let m = self.m;
        let (memory, size) = self.block(thread, shared, count)?;
        let mut bytes = [0; BLOCK];
        for (index, part) in bytes[..size].chunks_mut(m.register()).enumerate() {
            let at = m.at(m.data(1) + index, 0)?;
            part.copy_from_slice(payload(thread, m, at, part.len())?);
        }
        memory.write(&bytes[..size]);
        shared.count(true, size);
        Ok(())
    }

    /// The memory of consecutive elements, and its size.
    fn block<'a>(
        &self,
        thread: &Thread,
        shared: &Shared<'a>,
        count: u32,
    ) -> Result<(Span<'a>, usize), Cause> {
        let Element { slot, size, .. } = self.element;
        if slot != size || size < 4 || self.m.enabled() != 1 {
            return Err(self.m.unknown());
        }
        let start = self.at(address(thread, self.m, 0, 0, self.address)?, 0);
        let mut space = self.space(thread, shared)?;
        let memory = self.aligned(&mut space, start, count as usize, 0)?;
        Ok((memory, size * count as usize))
    }

    fn atomic(
        &self,
        thread: &mut Thread,
        shared: &mut Shared,
        operation: Operation,
    ) -> Result<(), Cause> {
        let Element { slot, size, .. } = self.element;
        let m = self.m;
        if size == 1 || self.element.skip != 0 {
            return Err(m.unknown());
        }
        let atomic = Atomic::of(operation, m.lanes(), self.address, size);
        let count = match m.request()?.kind {
            Kind::AtomicLoad => 0,
            _ => atomic.sources(),
        };
        let starts = self.starts(thread)?;
        let mut space = self.space(thread, shared)?;
        let mut results = [0; LANES];
        for lane in m.channels(m.lanes()) {
            let mut sources = [0; 2];
            for (index, source) in sources.iter_mut().enumerate().take(count) {
                let register = m.data(self.address_rows()) + index * self.rows();
                let at = m.at(register, lane * slot)?;
                thread.sent(at, size)?;
                let mut bytes = [0; 8];
                bytes[..size].copy_from_slice(payload(thread, m, at, size)?);
                *source = u64::from_le_bytes(bytes);
            }
            let memory = self.aligned(&mut space, self.at(starts[lane], 0), 1, lane)?;
            results[lane] = atomic.perform(memory, sources);
            shared.count(true, size);
        }
        if let (Some(response), 1..) = (m.response(), m.response_len()) {
            for lane in m.channels(m.lanes()) {
                let bytes = results[lane].to_le_bytes();
                fill(thread, m, response + lane * slot, &bytes[..slot])?;
            }
        }
        Ok(())
    }
}

/// Maximum size of a block in bytes: 64 elements of 8.
const BLOCK: usize = 64 * 8;

/// Indices of the set bits.
fn each(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(next)
    })
}
