//! The code before a kernel's own that loads its arguments.
//!
//! On some platforms a thread starts with its header and the first arguments in registers, and everything else in
//! memory ("inline data" and the "indirect data" of the PRM, vol. 2a, "COMPUTE_WALKER"). Takes the places that a
//! kernel's inputs have in registers, and gives two blocks. The first loads the thread's local ids. Inline data, if the
//! platform has it, arrives in their place; it is moved after them before. A thread whose ids the hardware generates starts
//! after this block. The second loads the arguments after the inline data, and takes nothing from the first. Drivers find the second by its
//! distance, and the number to fill in by its relocation. The messages are those of the reference finalizer; where these can add a
//! distance to the address, they do it here for local ids, too, and no message waits for the address of another.
//!
//! The blocks are in the long form, since the length of the first is a multiple of 64 bytes: [`pad`] adds what is
//! missing when all instructions are there.

use std::ops::Range;

use crate::assemble::Program;
use crate::inst::{Desc, Dst, Inst, Op, Reg, RegFile, Region, Src, Type};
use crate::messages::load_store::{cache_code, offset_bits};
use crate::messages::{
    AddressKind, Block, Data, Function, Kind, Request, RequestError, Surface, Value, Vector,
    data_port,
};
use crate::platform::{MessageFamily, Platform};

/// The symbol that drivers resolve to the distance from the indirect data to the arguments.
pub const ARGUMENTS_OFFSET: &str = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";

/// Bytes that the arguments in memory are a multiple of.
pub const ARGUMENTS_UNIT: u32 = 32;
/// Registers with addresses of either block, where inputs leave room: a message need not wait until another has read its own.
const ADDRESSES: u32 = 3;
/// Bits of r0.0 with the place of the indirect data, and of the word r0.4 with the thread's number.
const START_MASK: u32 = !0x3f;
const THREAD_MASK: u32 = 0xff;
const THREAD_WORD: u16 = 8;
/// Entry of the binding table for memory from the base of the general state on.
const GENERAL_STATE: u32 = 255 << 24;
/// The caching of constants: in both levels.
const POLICY: &str = "ca.cc";
/// Byte of the register where addresses are computed: that of the offset in the header of the data port.
const SUM: u16 = 8;
/// Numbers of dwords that one message loads, the largest first.
const LOAD_STORE_DWORDS: &[u32] = &[64, 32, 16, 8];
const DATA_PORT_DWORDS: &[u32] = &[32, 16, 8];
/// Bytes that the first block is a multiple of.
const ALIGNMENT: u32 = 64;
const INSTRUCTION_BYTES: u32 = 16;

/// The places of a kernel's inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Bytes of the local ids of a thread.
    pub per_thread: u32,
    /// Byte ranges of all inputs in the register file.
    pub ranges: Vec<Range<u32>>,
    /// The last of the registers for addresses, which nothing arrives in.
    pub register: u32,
    /// Number of [`ARGUMENTS_OFFSET`] among the program's symbols.
    pub symbol: u32,
}

/// Local ids and arguments that the prologue loads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loads {
    /// Bytes of the registers of local ids.
    pub ids: u32,
    /// Arguments in memory: their byte range in the register file.
    pub arguments: Range<u32>,
}

/// Arguments in memory: their first register, and their bytes.
struct Loaded {
    first: u32,
    bytes: u32,
}

impl Inputs {
    /// Inputs after the inline data. They begin a register.
    fn loaded(&self, platform: &Platform) -> Loaded {
        let grf = platform.grf_bytes;
        let inline = grf + self.per_thread.next_multiple_of(grf);
        let end = inline + platform.inline_bytes;
        let after = |range: &&Range<u32>| range.start >= inline && range.end > end;
        let all = || self.ranges.iter().filter(after);
        let first = all().map(|range| range.start).min().unwrap_or(0) / grf;
        let end = all().map(|range| range.end).max().unwrap_or(0);
        Loaded {
            first,
            bytes: end
                .saturating_sub(first * grf)
                .next_multiple_of(ARGUMENTS_UNIT),
        }
    }
}

/// Local ids and arguments that the blocks of [`code`] load.
pub fn loads(inputs: &Inputs, platform: &Platform) -> Loads {
    let Loaded { first, bytes } = inputs.loaded(platform);
    let start = first * platform.grf_bytes;
    Loads {
        ids: inputs.per_thread.next_multiple_of(platform.grf_bytes),
        arguments: start..start + bytes,
    }
}

/// Number of blocks of [`code`], and true if the first loads local ids.
pub fn blocks(inputs: &Inputs, platform: &Platform) -> (u32, bool) {
    let ids = inputs.per_thread > 0;
    let arguments = inputs.loaded(platform).bytes > 0;
    (u32::from(ids) + u32::from(arguments), ids)
}

/// The blocks before a kernel's own.
///
/// # Errors
/// A load cannot be encoded.
pub fn code(inputs: &Inputs, platform: &Platform) -> Result<Vec<Vec<Inst>>, RequestError> {
    let ends = inputs.ranges.iter().map(|range| range.end);
    let end = ends.max().unwrap_or(0).div_ceil(platform.grf_bytes);
    let has_room = end + 2 * ADDRESSES <= inputs.register + 1;
    let prologue = |register| Prologue {
        inputs,
        platform,
        register,
        has_room,
    };
    let mut blocks = Vec::with_capacity(2);
    if inputs.per_thread > 0 {
        blocks.push(prologue(inputs.register).ids()?);
    }
    if inputs.loaded(platform).bytes > 0 {
        let register = inputs.register - if has_room { ADDRESSES } else { 0 };
        blocks.push(prologue(register).arguments()?);
    }
    Ok(blocks)
}

/// Makes the length of the program's first block, which loads local ids, a multiple of 64 bytes. Gives that length. What is added runs
/// while the message waits for its address.
pub fn pad(program: &mut Program) -> u32 {
    let Some(block) = program.blocks.first_mut() else {
        return 0;
    };
    while !(block.len() as u32 * INSTRUCTION_BYTES).is_multiple_of(ALIGNMENT) {
        block.insert(block.len().saturating_sub(1), Inst::new(Op::Nop, 1));
    }
    for inst in block.iter_mut() {
        inst.opts.long = true;
    }
    block.len() as u32 * INSTRUCTION_BYTES
}

struct Prologue<'a> {
    inputs: &'a Inputs,
    platform: &'a Platform,
    /// The register with the first address. Those of later messages are before it.
    register: u32,
    /// True if no input is in the registers for addresses but the last.
    has_room: bool,
}

fn scalar(reg: Reg, ty: Type) -> Src {
    Src::reg(reg, Region::SCALAR, ty)
}

fn ud(bits: u32) -> Src {
    Src::imm(Type::Ud, bits.into())
}

impl Prologue<'_> {
    fn at(&self, byte: u16) -> Reg {
        self.at_next(0, byte)
    }

    /// A byte of the register with an address, the first or a later one.
    fn at_next(&self, number: u32, byte: u16) -> Reg {
        Reg::new(RegFile::Grf, self.register - number % ADDRESSES, byte)
    }

    /// An instruction on dwords of the register for addresses.
    fn dword(&self, op: Op, byte: u16, srcs: &[Src]) -> Inst {
        let mut inst = Inst::new(op, 1);
        inst.no_mask = true;
        inst.opts.long = true;
        inst.dst = Some(Dst::new(self.at(byte), 1, Type::Ud));
        inst.srcs.extend(srcs.iter().copied());
        inst
    }

    /// The start of the indirect data.
    fn start(&self, byte: u16) -> Inst {
        let header = scalar(Reg::grf(0), Type::Ud);
        self.dword(Op::And, byte, &[header, ud(START_MASK)])
    }

    /// Byte of the register with the address of a message.
    fn address(&self) -> u16 {
        match self.platform.argument_loads {
            MessageFamily::LoadStore => 0,
            MessageFamily::DataPort => SUM,
        }
    }

    /// Clears the register for addresses: all other fields of a header are zero.
    fn clear(&self) -> Inst {
        let mut clear = self.dword(Op::Mov, 0, &[ud(0)]);
        clear.exec_size = (self.platform.grf_bytes / 4) as u8;
        clear
    }

    fn add(&self, byte: u16, number: u32) -> Inst {
        self.dword(
            Op::Add,
            byte,
            &[scalar(self.at(byte), Type::Ud), ud(number)],
        )
    }

    /// The distance of the arguments, which the driver fills in.
    fn offset(&self, byte: u16) -> Inst {
        let mut add = self.add(byte, 0);
        add.symbol = Some(self.inputs.symbol);
        add
    }

    fn ids(&self) -> Result<Vec<Inst>, RequestError> {
        let grf = self.platform.grf_bytes;
        let per_thread = self.inputs.per_thread.next_multiple_of(grf);
        let arguments = self.inputs.loaded(self.platform).bytes;
        let thread = scalar(Reg::new(RegFile::Grf, 0, THREAD_WORD), Type::Uw);
        let mask = Src::imm(Type::Uw, THREAD_MASK.into());
        let mut number = self.dword(Op::And, 0, &[thread, mask]);
        number.dst = Some(Dst::new(self.at(0), 1, Type::Uw));
        let sum = [
            scalar(self.at(SUM), Type::Ud),
            scalar(self.at(0), Type::Uw),
            Src::imm(Type::Uw, per_thread.into()),
        ];
        let is_port = self.platform.argument_loads == MessageFamily::DataPort;
        // A message adds the distance, where it can.
        let beside = (!is_port).then(|| self.distance(arguments)).flatten();
        let mut code = Vec::new();
        let dwords = (self.platform.inline_bytes / 4) as u8;
        if dwords > 0 {
            let mut inline = Inst::new(Op::Mov, dwords);
            inline.no_mask = true;
            inline.opts.long = true;
            let after = Reg::grf(1 + per_thread / grf);
            inline.dst = Some(Dst::new(after, 1, Type::Ud));
            let arrived = Src::reg(Reg::grf(1), Region::packed(dwords), Type::Ud);
            inline.srcs.push(arrived);
            code.push(inline);
        }
        if is_port {
            code.push(self.clear());
        }
        code.extend([self.start(SUM), number]);
        if beside.is_none() {
            code.push(self.add(SUM, arguments));
        }
        code.extend([self.offset(SUM), self.dword(Op::Mad, self.address(), &sum)]);
        let ids = Loaded {
            first: 1,
            bytes: per_thread,
        };
        self.load(&ids, beside.map_or(0, |_| arguments), &mut code)?;
        Ok(code)
    }

    fn arguments(&self) -> Result<Vec<Inst>, RequestError> {
        let mut code = Vec::new();
        if self.platform.argument_loads == MessageFamily::DataPort {
            code.push(self.clear());
        }
        let address = self.address();
        code.extend([self.start(address), self.offset(address)]);
        self.load(&self.inputs.loaded(self.platform), 0, &mut code)?;
        Ok(code)
    }

    /// Loads registers from a distance after the address in the register for addresses on.
    fn load(&self, loaded: &Loaded, from: u32, code: &mut Vec<Inst>) -> Result<(), RequestError> {
        let grf = self.platform.grf_bytes;
        let end = loaded.bytes;
        let counts = match self.platform.argument_loads {
            MessageFamily::LoadStore => LOAD_STORE_DWORDS,
            MessageFamily::DataPort => DATA_PORT_DWORDS,
        };
        let is_port = self.platform.argument_loads == MessageFamily::DataPort;
        let byte = self.address();
        // The number of the address that a message has, the distance that it stands for, and that of the next bytes.
        let (mut number, mut base, mut at) = (0, 0, 0);
        while at < end {
            let dwords = (end - at) / 4;
            let count = counts.iter().find(|&&count| count <= dwords);
            let count = count.map_or(8, |&count| count);
            let distance = match self.distance(from + at - base) {
                Some(bits) => bits,
                None => {
                    let sum = [
                        scalar(self.at_next(number, byte), Type::Ud),
                        ud(from + at - base),
                    ];
                    // A header would have to be cleared in another register.
                    number += u32::from(!is_port && self.has_room);
                    let mut add = self.dword(Op::Add, byte, &sum);
                    add.dst = Some(Dst::new(self.at_next(number, byte), 1, Type::Ud));
                    code.push(add);
                    base = from + at;
                    0
                }
            };
            let address = self.at_next(number, 0);
            code.push(self.message(address, loaded.first + at / grf, count, distance)?);
            at += 4 * count;
        }
        Ok(())
    }

    /// Bits of the extended descriptor with a distance from the address in the register.
    fn distance(&self, bytes: u32) -> Option<u32> {
        match self.platform.argument_loads {
            MessageFamily::LoadStore => {
                let surface = AddressKind::BindingTable;
                offset_bits(bytes as i32, surface, self.platform.family)
            }
            MessageFamily::DataPort => (bytes == 0).then_some(0),
        }
    }

    fn message(
        &self,
        address: Reg,
        first: u32,
        dwords: u32,
        distance: u32,
    ) -> Result<Inst, RequestError> {
        let family = self.platform.family;
        let (request, ex_desc, exec_size) = match self.platform.argument_loads {
            MessageFamily::LoadStore => {
                let vector = Vector {
                    count: dwords as u8,
                    transposed: true,
                };
                let mut request = Request::new(Function::Untyped, Kind::Load)
                    .with(Value::Data(Data::D32))
                    .with(Value::Vector(vector))
                    .with(Value::AddressBits(32))
                    .with(Value::Address(AddressKind::BindingTable));
                request.fields.cache = cache_code(POLICY, true, family).or(Some(0));
                (request, GENERAL_STATE | distance, 1)
            }
            MessageFamily::DataPort => {
                let owords = Block::of(dwords / 4).unwrap_or(Block::X1);
                let request = data_port::block(Kind::AlignedOwordBlockRead, owords)
                    .with_header()
                    .surface(Surface::StatelessNonCoherent);
                (request, 0, 8)
            }
        };
        let grfs = (4 * dwords).div_ceil(self.platform.grf_bytes);
        let descriptors = request.lengths(1, 0, grfs as u8).encode(family)?;
        let mut send = Inst::new(Op::Send, exec_size);
        send.no_mask = true;
        send.opts.long = true;
        send.dst = Some(Dst::new(Reg::grf(first), 1, Type::Ud));
        let packed = |reg| Src::reg(reg, Region::packed(8), Type::Ud);
        send.srcs.push(packed(address));
        send.srcs.push(packed(Reg::NULL));
        let mut message = descriptors.message();
        message.ex_desc = Desc::Imm(descriptors.ex_desc | ex_desc);
        send.msg = Some(message);
        Ok(send)
    }
}
