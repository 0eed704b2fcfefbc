//! The opcode table: every instruction of vISA, its number, its name and its fields.
//!
//! One list, `opcodes!`, defines the enum [`Opcode`] and the table of [`Row`]s. Readers, printer, writer and
//! verifier walk the fields of a row; text has them in the order of [`Row::text_order`] where it differs from the
//! binary. A field that is a bare number has a [`Meaning`]; numbers that instruction selection uses have an enum of
//! their own ([`Relation`], [`AtomicOp`], [`ChannelMask`], …).
//!
//! Source: the vISA specification, chapter 6 and the page of each instruction. Layouts are those of objects of
//! version 3.6 to 4.1.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use kiln_platform::platform::{Generation, Generations};

/// Field of an instruction in the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Execution size and mask, one byte. Goes to [`crate::module::Inst::exec`]; no operand.
    Exec,
    /// Execution size and mask of `gather` and `scatter`: 0 is size 8, 1 is 16, 2 is 1.
    GatherExec,
    /// Predicate and control, two bytes. Goes to [`crate::module::Inst::pred`]; no operand.
    Pred,
    /// A vector operand that is written.
    Dst(Kinds),
    /// A vector operand that is read.
    Src(Kinds),
    /// A vector source without a region in text: only its start matters.
    SrcBlock,
    /// The first source of `addr_add`: an address, or the address of a variable.
    SrcAddress,
    /// A raw operand that is written: `V32.offset`.
    RawDst,
    /// A raw operand that is read.
    RawSrc,
    /// The number of a surface variable, one byte.
    Surface,
    /// The number of a sampler variable, one byte.
    Sampler,
    /// The number of a label, two bytes.
    Label,
    /// A name in the string pool, two bytes: a function's.
    Name,
    /// A name in the string pool, four bytes: a file's.
    FileName,
    /// A bare number.
    Number(Width, Meaning),
    /// Length of the list at the end of the row, one byte. No operand.
    Count,
    /// The remaining operands: labels, as many as an earlier [`Field::Count`] says.
    Labels,
    /// The remaining operands: raw sources, as many as an earlier [`Field::Count`] says.
    RawSrcs,
    /// A vector source, present if this bit of the row's first number is set.
    SrcIf(u8),
    /// A raw source, present if this bit of the row's first number is set.
    RawSrcIf(u8),
}

impl Field {
    /// True if it is a list: the remaining operands.
    pub fn is_list(self) -> bool {
        matches!(self, Field::Labels | Field::RawSrcs)
    }

    /// True if its operands are raw.
    pub fn is_raw(self) -> bool {
        matches!(
            self,
            Field::RawDst | Field::RawSrc | Field::RawSrcs | Field::RawSrcIf(_)
        )
    }

    /// True if its operands may have a shape ([`Row::raw`]): the instruction's other fields say how far they reach.
    pub fn has_shape(self) -> bool {
        self.is_raw() || self == Field::SrcBlock
    }

    /// True if it has no operand because of a bit of the row's first number.
    pub fn is_absent(self, first_number: u32) -> bool {
        match self {
            Field::SrcIf(bit) | Field::RawSrcIf(bit) => first_number >> bit & 1 == 0,
            _ => false,
        }
    }
}

/// Width of a number in the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One byte.
    Byte,
    /// Two bytes.
    Word,
    /// Four bytes.
    Dword,
    /// A word from version 4.0 on, a byte before.
    SamplerOp,
    /// No bytes: the number is 0 and not in objects.
    Nothing,
}

/// Meaning of a number. Where a type is named, its `from_number` decodes the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// `cmp`: [`Relation`].
    Relation,
    /// `fminmax`: 0 is `min`, 1 is `max`.
    MinMax,
    /// Operation and width of an atomic: [`Atomic`].
    Atomic,
    /// Mask of the four channels: [`ChannelMask`].
    Channels,
    /// `sample4`: the one channel, 0 (R) to 3 (A).
    Channel,
    /// Block transfers: owords, as a power of two: 0 for 1 to 4 for 16.
    Owords,
    /// `svm_block_*`: bits 0-2 as [`Meaning::Owords`], bit 3 set if the address is aligned to a
    /// dword only, not to an oword.
    SvmOwords,
    /// `oword_ld`, `gather`: bit 0 is set if the surface may have been written before.
    Modified,
    /// `gather`, `scatter`: bytes of an element as a power of two: 0 for 1 to 2 for 4.
    ElementSize,
    /// `svm_gather`, `svm_scatter`: bytes of a block: [`svm_block_bytes`].
    SvmBlockSize,
    /// Blocks a channel, as a power of two: 0 for 1 to 3 for 8.
    BlockCount,
    /// Reserved: 0.
    Zero,
    /// `media_ld`: 0 no modifier, 1 modified, 2 top, 3 bottom, 4 top modified, 5 bottom modified.
    /// `media_st`: 0 no modifier, 2 top, 3 bottom.
    MediaMode,
    /// A size or an amount.
    Amount,
    /// `raw_sends`: GRFs of a part of the message.
    MessageGrfs,
    /// Bytes of a row of a block (`media_*`), or the first number of a pair (`vme_ime`).
    PairFirst,
    /// Rows of a block, or the second number of a pair.
    PairSecond,
    /// `fcall`, `ifcall`: a size in GRFs.
    Grfs,
    /// `ifcall`: bit 0 all channels call the same function, bit 1 it does not return.
    CallFlags,
    /// A source line.
    Line,
    /// `fence`: [`Fence`].
    Fence,
    /// `sbarrier`, `nbarrier`: 0 waits, 1 signals; `nbarrier`: 2 signals with all its operands.
    Barrier,
    /// `bfn`: the truth table of the three sources, bit `4*s0+2*s1+s2`.
    TruthTable,
    /// `raw_send*`: bit 0 conditional (`sendc`), bit 1 the end of the thread.
    SendModifier,
    /// `raw_sends`: the function unit that gets the message.
    FunctionUnit,
    /// A message descriptor.
    Descriptor,
    /// `raw_sendg`: bytes of the operand before it.
    PayloadBytes,
    /// `raw_sendg`: the lower half of a descriptor of 64 bits.
    WideDescriptor,
    /// The upper half.
    WideDescriptorHigh,
    /// `sample_3d`, `load_3d`, `sample4`: bits 0-7 the [`SamplerOp`], bit 8 pixel null mask, bit 9
    /// coarse pixel shading, bit 10 non-uniform sampler.
    SamplerOp,
    /// `sample`, `load`: bits 0-3 the channels, bit 4 set for SIMD16.
    SampleMode,
    /// `sample_unorm`: bits 0-3 the channels, bits 4-5 the output format.
    SampleFormat,
    /// `rt_write_3d`: bit 2 render target index, 3 source-0 alpha, 4 output mask, 5 depth,
    /// 6 stencil, 7 last write, 8 coarse pixel shading, 9 per sample, 10 coarse mode, 11 sample
    /// index, 12 null render target. Bits 2-6, 8 and 11 say which operands there are.
    RenderTargetMode,
    /// `rt_read`: bit 0 per sample, bit 1 the sample index is there.
    RenderTargetRead,
    /// `dpas`: bits 0-7 precision of the second source, 8-15 of the first, 16-23 systolic depth,
    /// 24-31 repeat count.
    Systolic,
    /// `lifetime`: bit 0 is 0 at the start and 1 at the end; bits 4-5 are the class of the variable: 0 general, 1
    /// address, 2 predicate.
    Lifetime,
    /// `lifetime`: the number of the variable.
    Variable,
    /// A mode of an instruction for media and vector analytics, as the specification numbers it.
    Mode,
    /// `avs`: 0 16 bits full, 1 16 bits downsampled, 2 8 bits full, 3 8 bits downsampled.
    AvsControl,
    /// `avs`: 0 16x4, 2 16x8.
    AvsExec,
    /// An LSC operation: [`LscOp`] as a number.
    LscOp,
    /// LSC: unit 0 ugm, 1 ugml, 2 tgm, 3 slm, 4 urb.
    LscUnit,
    /// LSC: 0 default, 1 uncached, 2 cached, 3 write-back, 4 write-through, 5 streaming,
    /// 6 read-invalidate, 7 constant-cached. Two fields: level 1, level 3.
    LscCaching,
    /// LSC: 1 flat, 2 bindless surface state, 3 surface state, 4 binding table, 5 argument,
    /// 6 address of a surface state.
    LscAddressType,
    /// LSC: 1 16 bits, 2 32 bits, 3 64 bits, 4 32 bits extended with zeros, 5 with the sign.
    LscAddressSize,
    /// LSC: factor of the addresses; 0 means 1.
    LscScale,
    /// LSC: a signed offset, in bytes; for blocks and typed surfaces, in elements.
    LscOffset,
    /// LSC: index of the surface, counted from the one whose state is given.
    LscSurfaceIndex,
    /// LSC: 1 8 bits, 2 16, 3 32, 4 64, 5 8 as 32, 6 16 as 32, 7 16 as 32 in the upper half.
    LscDataSize,
    /// LSC: 1 straight, 2 transposed.
    LscDataOrder,
    /// LSC: 1 to 4 elements for 1 to 4, then 5 for 8, 6 for 16, 7 for 32, 8 for 64.
    LscElements,
    /// LSC: [`ChannelMask`]; 0 if there are elements instead.
    LscChannels,
    /// LSC: count of blocks.
    LscBlocks,
    /// LSC: width of a block in elements; for a typed surface, in bytes.
    LscWidth,
    /// LSC: count of rows of a block.
    LscHeight,
    /// LSC: 1 if pairs of rows are interleaved (VNNI).
    LscVnni,
    /// LSC fence: 0 none, 1 evict, 2 invalidate, 3 discard, 4 clean, 5 flush L3,
    /// 6 type 6.
    LscFenceOp,
    /// LSC fence: 0 group, 1 local, 2 tile, 3 GPU, 4 all GPUs, 5 system release, 6 acquire.
    LscScope,
    /// `lfsr`: 0 one word of 32 bits, 1 two of 16, 2 four of 8.
    LfsrMode,
    /// `dnscl`: 1 bf to e2m1, 2 bf to int4, 4 hf to e2m1, 5 hf to int4.
    DownscaleType,
    /// `dnscl`: 0 to 3.
    DownscaleMode,
    /// `dnscl`: 0 stochastic, 1 to nearest even.
    DownscaleRounding,
}

impl Meaning {
    /// The bits of the number that the format defines. The reference compiler also sets bit 7 of an aligned
    /// [`Meaning::SvmOwords`], which the specification does not define.
    pub(crate) fn defined(self, n: u32) -> u32 {
        if self == Meaning::SvmOwords {
            n & 0xf
        } else {
            n
        }
    }
}

/// A set of kinds of vector operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kinds(u8);

impl Kinds {
    /// General variables.
    pub const GENERAL: Kinds = Kinds(1);
    /// Elements at addresses.
    pub const INDIRECT: Kinds = Kinds(2);
    /// Immediates.
    pub const IMM: Kinds = Kinds(4);
    /// Address variables.
    pub const ADDRESS: Kinds = Kinds(8);
    /// Predicates.
    pub const PREDICATE: Kinds = Kinds(16);
    /// Addresses of variables.
    pub const ADDRESS_OF: Kinds = Kinds(32);
    /// Surface and sampler variables as values.
    pub const STATE: Kinds = Kinds(64);

    const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// True if all of `other` is in this set.
    pub const fn contains(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Category of an instruction (specification, chapter 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// Arithmetic.
    Arith,
    /// Bits and shifts.
    Logic,
    /// Moves and selections.
    Mov,
    /// Comparisons.
    Compare,
    /// Arithmetic on addresses.
    Address,
    /// Control flow, labels and calls.
    Flow,
    /// Access of surfaces through the data port.
    Dataport,
    /// Access of the whole address space through the data port.
    Svm,
    /// Access of memory and images by load-store messages.
    Lsc,
    /// Messages to the sampler.
    Sampler,
    /// Barriers and fences.
    Sync,
    /// All else.
    Misc,
}

/// Rule by which the size of a raw operand follows from the instruction's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw {
    /// An element for each channel, side by side, in planes: bytes of an element, and number of planes.
    Lanes(Amount, Amount),
    /// Bytes that belong to no channel.
    Block(Amount),
    /// Bytes whose meaning only the receiver of the message knows.
    Opaque(Amount),
    /// The sampler's result: planes of the variable's type, and the mask of null pixels if the operation asks for
    /// it.
    Sampled(Amount),
    /// Data of LSC: an element for each channel, or of one address if transposed.
    LscData,
    /// Data of a block of two dimensions.
    LscBlock2d,
    /// Addresses of LSC: one for each channel, or one for all elements if they are transposed.
    LscAddress,
    /// `dpas`: a row of the variable's type for each repetition, packed.
    Table,
    /// `dpas`: the second source, a column in the dwords of each channel.
    Columns,
    /// `dpas`: the third source, rows of packed elements.
    Rows,
}

/// A number that follows from the instruction's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// This number.
    Is(u32),
    /// Bytes of the type of the operand's variable.
    OwnType,
    /// Number of enabled color channels.
    Channels,
    /// Bytes of an atomic's element; an element of 16 bits takes a dword.
    AtomicElement,
    /// Bytes of the owords of a block.
    Owords(Meaning),
    /// Scattered messages: bytes of a channel in one plane. One to four single bytes take a dword, eight a qword.
    SvmElement,
    /// Scattered messages: number of planes of an element.
    SvmPlanes,
    /// [`Meaning::BlockCount`].
    Blocks,
    /// Bytes of a two-dimensional block, its rows rounded up to a power of two.
    MediaBlock,
    /// As `MediaBlock`, by LSC.
    TypedBlock,
    /// The `n`th number with this meaning.
    Number(Meaning, usize),
    /// The `n`th number with this meaning, a count of GRFs, in bytes.
    Grfs(Meaning, usize),
    /// `sample_unorm`: 32 words for each enabled channel.
    UnormPixels,
    /// `avs`: pixels times bytes of a pixel, by its modes.
    AvsPixels,
    /// `vme_ime`: streamed motion vectors make input and output longer.
    ImeInput,
    /// `vme_ime`: the output, longer by streamed motion vectors.
    ImeOutput,
    /// Bytes of an address of LSC.
    LscAddress,
    /// `sample`, `load`: a dword for each channel of the mode; of the result in each enabled color.
    SampleRow,
    /// `sample`, `load`: channels of the mode.
    SamplePixels,
}

/// One instruction of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The opcode.
    pub opcode: Opcode,
    /// The first byte in the binary format.
    pub number: u8,
    /// The values of the second byte, if the number has sub-opcodes. With several, the byte is also the row's first
    /// field.
    pub subs: &'static [u8],
    /// The name in text. Fences, `min` and `max`, and operations of the 3D sampler have a name for each number;
    /// this one is the family's.
    pub mnemonic: &'static str,
    /// Category of the instruction.
    pub category: Category,
    /// All fields, in the order of the binary format.
    pub fields: &'static [Field],
    /// Fields that have an operand, in the same order; lists last.
    pub operands: &'static [Field],
    /// True if operands are optional: its first number says which are present.
    pub optional: bool,
    /// True if each field in [`Row::operands`] has one operand, whose shape is its own.
    pub is_plain: bool,
    /// True if an instruction has an execution size.
    pub has_exec: bool,
    /// True if an operand is raw.
    pub has_raw: bool,
    /// True if an instruction may be predicated.
    pub has_pred: bool,
    /// True if a destination can be saturated.
    pub saturates: bool,
    /// Numbers of the operands in the order of text; empty if it is the order of the binary.
    pub text_order: &'static [u8],
    /// Shape of each raw operand and [`Field::SrcBlock`], in order; empty if unknown.
    pub raw: &'static [Raw],
    /// Number of parts of a destination. The second has the upper halves of the results and begins at the next
    /// whole register after the first.
    pub parts: u32,
    /// The platforms that have it.
    pub platforms: Generations,
}

impl Row {
    /// Fields that have an operand, in order; lists last.
    pub fn operand_fields(&self) -> impl Iterator<Item = Field> + Clone + '_ {
        self.operands.iter().copied()
    }

    /// Number of operands, without lists.
    pub fn operand_count(&self) -> usize {
        self.operands.len() - usize::from(self.has_list())
    }

    /// True if its last field is a list.
    pub fn has_list(&self) -> bool {
        self.operands.last().is_some_and(|field| field.is_list())
    }

    /// Number and field of each operand in the order of text; the field of a list comes once, last.
    pub fn text_fields(&self) -> impl Iterator<Item = (usize, Field)> + Clone + '_ {
        let count = match self.text_order.len() {
            0 => self.operands.len(),
            ordered => ordered,
        };
        (0..count).map(|k| {
            let i = self.text_order.get(k).map_or(k, |i| usize::from(*i));
            (i, self.operands[i])
        })
    }

    /// Bytes from one part of a destination to the next, for elements of `bytes` bytes.
    pub fn part_stride(&self, exec_size: u8, bytes: u32, grf: u32) -> u32 {
        (u32::from(exec_size) * bytes).next_multiple_of(grf)
    }
}

/// Fields that have an operand, at the front of the array, and their count.
const fn with_operand(fields: &[Field]) -> ([Field; MAX_FIELDS], usize) {
    let mut found = ([Field::Exec; MAX_FIELDS], 0);
    let mut i = 0;
    while i < fields.len() {
        if !matches!(
            fields[i],
            Field::Exec | Field::GatherExec | Field::Pred | Field::Count
        ) {
            found.0[found.1] = fields[i];
            found.1 += 1;
        }
        i += 1;
    }
    found
}

/// Maximum number of fields of a row, checked when compiling.
const MAX_FIELDS: usize = 24;

/// True if one of the fields has the property.
macro_rules! any {
    ($fields:expr, $($property:tt)*) => {{
        let fields: &[Field] = $fields;
        let mut i = 0;
        let mut any = false;
        while i < fields.len() {
            any = any || matches!(fields[i], $($property)*);
            i += 1;
        }
        any
    }};
}

macro_rules! opcodes {
    ($($number:literal $(/ $($sub:literal)|+)? $variant:ident $mnemonic:literal $category:ident
        [$($field:expr),*] $(text [$($order:literal)*])? $(raw [$($raw:expr),*])?
        $(parts $parts:literal)? $(on $platforms:expr)?;)*) => {
        /// A vISA opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode { $(#[doc = concat!("`", $mnemonic, "`")] $variant,)* }

        const ROWS: &[Row] = &[$(Row {
            opcode: Opcode::$variant,
            number: $number,
            subs: &[$($($sub,)+)?],
            mnemonic: $mnemonic,
            category: Category::$category,
            fields: &[$($field),*],
            operands: {
                const OPERANDS: &([Field; MAX_FIELDS], usize) = &with_operand(&[$($field),*]);
                OPERANDS.0.split_at(OPERANDS.1).0
            },
            optional: any!(&[$($field),*], Field::SrcIf(_) | Field::RawSrcIf(_)),
            is_plain: !any!(
                &[$($field),*],
                Field::SrcIf(_) | Field::RawSrcIf(_) | Field::Labels | Field::RawSrcs
                    | Field::RawDst | Field::RawSrc | Field::SrcBlock
            ),
            has_exec: any!(&[$($field),*], Field::Exec | Field::GatherExec),
            has_raw: any!(
                &[$($field),*],
                Field::RawDst | Field::RawSrc | Field::RawSrcs | Field::RawSrcIf(_)
            ),
            has_pred: any!(&[$($field),*], Field::Pred),
            saturates: any!(&[$($field),*], Field::Dst(kinds) if kinds.contains(Kinds::GENERAL)),
            text_order: &[$($($order),*)?],
            raw: &[$($($raw),*)?],
            parts: [$($parts,)? 1][0],
            platforms: [$($platforms,)? Generations::ALL][0],
        },)*];
    };
}

const X: Field = Field::Exec;
const P: Field = Field::Pred;
const G_I: Kinds = Kinds::GENERAL.or(Kinds::INDIRECT);
const G_I_IMM: Kinds = G_I.or(Kinds::IMM);
const D: Field = Field::Dst(G_I);
const S: Field = Field::Src(G_I_IMM);
/// Operands of logic instructions, which also work on predicates.
const DP: Field = Field::Dst(G_I.or(Kinds::PREDICATE));
const SP: Field = Field::Src(G_I_IMM.or(Kinds::PREDICATE));
const P_DST: Field = Field::Dst(Kinds::PREDICATE);
/// Surfaces of LSC messages.
const BASE: Field = Field::Src(G_I_IMM.or(Kinds::ADDRESS).or(Kinds::STATE));
const RD: Field = Field::RawDst;
const RS: Field = Field::RawSrc;
const T: Field = Field::Surface;
const SAMPLER: Field = Field::Sampler;

const fn b(meaning: Meaning) -> Field {
    Field::Number(Width::Byte, meaning)
}
const fn w(meaning: Meaning) -> Field {
    Field::Number(Width::Word, meaning)
}
const fn d(meaning: Meaning) -> Field {
    Field::Number(Width::Dword, meaning)
}

/// A dword for each channel.
const DWORDS: Raw = Raw::Lanes(Amount::Is(4), Amount::Is(1));
/// A qword for each channel: addresses.
const QWORDS: Raw = Raw::Lanes(Amount::Is(8), Amount::Is(1));
/// A dword for each enabled one of the four color channels.
const RGBA: Raw = Raw::Lanes(Amount::Is(4), Amount::Channels);
/// An element of the variable's own type for each channel.
const OWN: Raw = Raw::Lanes(Amount::OwnType, Amount::Is(1));
const ATOMIC: Raw = Raw::Lanes(Amount::AtomicElement, Amount::Is(1));
const OWORDS: Raw = Raw::Block(Amount::Owords(M::Owords));
const SVM_OWORDS: Raw = Raw::Block(Amount::Owords(M::SvmOwords));
const SVM_DATA: Raw = Raw::Lanes(Amount::SvmElement, Amount::SvmPlanes);
const MEDIA: Raw = Raw::Block(Amount::MediaBlock);
const TYPED_BLOCK: Raw = Raw::Block(Amount::TypedBlock);
const SAMPLED: Raw = Raw::Sampled(Amount::Channels);
const LSC_ADDRESS: Raw = Raw::LscAddress;

const SAMPLE_ROW: Raw = Raw::Block(Amount::SampleRow);

const fn block(bytes: u32) -> Raw {
    Raw::Block(Amount::Is(bytes))
}
const fn message(meaning: Meaning, nth: usize) -> Raw {
    Raw::Opaque(Amount::Grfs(meaning, nth))
}

use Generation as On;
use Meaning as M;

const XEHP_ON: Generations = Generations::from(On::XeHp);
const IEEE: Generations = Generations::only(&[On::Skl, On::XeHp, On::Pvc, On::Xe2]);
const UNTIL_BXT: Generations = Generations::before(On::Icllp);
const UNTIL_ICLLP: Generations = Generations::before(On::Tgllp);
const DG2_ON: Generations = Generations::from(On::Dg2);
const PVC_ON: Generations = Generations::from(On::Pvc);
const PVC: Generations = Generations::only(&[On::Pvc]);
/// Platforms later than those of [`Generation`].
pub(crate) const LATER: Generations = Generations::NONE;

opcodes! {
    // Arithmetic: destination, sources. `mad` is s0*s1+s2; `lrp` s0*s1+(1-s0)*s2; `mulh` the upper
    // half of the product; `madw` and `addc`, `subb` give the lower half, sum or difference first,
    // then the upper half, carry or borrow (`madw` in a second part of its only destination).
    0x01 Add "add" Arith [X, P, D, S, S];
    0x02 Avg "avg" Arith [X, P, D, S, S];
    0x03 Div "div" Arith [X, P, D, S, S];
    0x04 Dp2 "dp2" Arith [X, P, D, S, S];
    0x05 Dp3 "dp3" Arith [X, P, D, S, S];
    0x06 Dp4 "dp4" Arith [X, P, D, S, S];
    0x07 Dph "dph" Arith [X, P, D, S, S];
    0x08 Exp "exp" Arith [X, P, D, S];
    0x09 Frc "frc" Arith [X, P, D, S];
    0x0a Line "line" Arith [X, P, D, S, S];
    0x0b Log "log" Arith [X, P, D, S];
    0x0c Mad "mad" Arith [X, P, D, S, S, S];
    0x0d Mulh "mulh" Arith [X, P, D, S, S];
    0x0e Lrp "lrp" Arith [X, P, D, S, S, S] on UNTIL_BXT;
    0x0f Mod "mod" Arith [X, P, D, S, S] on XEHP_ON.not();
    0x10 Mul "mul" Arith [X, P, D, S, S];
    0x11 Pow "pow" Arith [X, P, D, S, S];
    0x12 Rndd "rndd" Arith [X, P, D, S];
    0x13 Rndu "rndu" Arith [X, P, D, S];
    0x14 Rnde "rnde" Arith [X, P, D, S];
    0x15 Rndz "rndz" Arith [X, P, D, S];
    0x16 Sad2 "sad2" Arith [X, P, D, S, S] on UNTIL_BXT;
    0x17 Sin "sin" Arith [X, P, D, S];
    0x18 Cos "cos" Arith [X, P, D, S];
    0x19 Sqrt "sqrt" Arith [X, P, D, S];
    0x1a Rsqrt "rsqrt" Arith [X, P, D, S];
    0x1b Inv "inv" Arith [X, P, D, S];
    0x1c Dpasw "dpasw" Misc [X, P, RD, RS, RS, Field::SrcBlock, d(M::Systolic)]
        raw [Raw::Table, Raw::Table, Raw::Columns, Raw::Rows] on Generations::only(&[On::XeHp, On::Dg2]);
    0x1d Fcvt "fcvt" Mov [X, D, S] on PVC_ON;
    0x1e Srnd "srnd" Arith [X, D, S, S] on PVC_ON;
    0x1f Lzd "lzd" Arith [X, P, D, S];

    // Logic: destination, sources. All operands of `and`, `or`, `xor` and `not` may be predicates, without a region
    // and as wide as the execution size.
    0x20 And "and" Logic [X, P, DP, SP, SP];
    0x21 Or "or" Logic [X, P, DP, SP, SP];
    0x22 Xor "xor" Logic [X, P, DP, SP, SP];
    0x23 Not "not" Logic [X, P, DP, SP];
    0x24 Shl "shl" Logic [X, P, D, S, S];
    0x25 Shr "shr" Logic [X, P, D, S, S];
    0x26 Asr "asr" Logic [X, P, D, S, S];
    0x27 Cbit "cbit" Logic [X, P, D, S];

    // `A0(0) = &V32[offset] + source`.
    0x28 AddrAdd "addr_add" Address [X, Field::Dst(Kinds::ADDRESS), Field::SrcAddress, S];

    // Moves. `sel` takes its first source where the predicate holds. `setp` takes bit 0 of each
    // element, of a scalar source bit n for channel n. `cmp` writes a predicate, or a general
    // variable (all ones where the relation holds). `movs` moves surface or sampler state.
    0x29 Mov "mov" Mov [X, P, Field::Dst(G_I.or(Kinds::ADDRESS)),
        Field::Src(G_I_IMM.or(Kinds::ADDRESS).or(Kinds::PREDICATE))];
    0x2a Sel "sel" Mov [X, P, D, S, S];
    0x2b Setp "setp" Mov [X, P_DST, S];
    0x2c Cmp "cmp" Compare [X, b(M::Relation), DP, S, S];
    0x2d Movs "movs" Mov [X, Field::Dst(Kinds::STATE.or(Kinds::GENERAL)),
        Field::Src(Kinds::STATE.or(G_I_IMM))];
    0x2e Fbl "fbl" Logic [X, P, D, S];
    0x2f Fbh "fbh" Logic [X, P, D, S];

    // Control flow. `subroutine` and `label` define their label. `fcall` and `fret` are calls by
    // the stack, `call` and `ret` subroutines of the object; `ret` outside of a subroutine ends the
    // thread.
    0x30 Subroutine "subroutine" Flow [Field::Label];
    0x31 Label "label" Flow [Field::Label];
    0x32 Jmp "jmp" Flow [X, P, Field::Label];
    0x33 Call "call" Flow [X, P, Field::Label];
    0x34 Ret "ret" Flow [X, P];

    // Data port, block transfers: owords, modified, surface, offset (in owords; of the unaligned
    // form in bytes), data. Media blocks: mode, surface, plane, width in bytes, rows, x, y, data.
    0x35 OwordLd "oword_ld" Dataport [b(M::Owords), b(M::Modified), T, S, RD]
        raw [OWORDS];
    0x36 OwordSt "oword_st" Dataport [b(M::Owords), T, S, RS]
        raw [OWORDS];
    0x37 MediaLd "media_ld" Dataport [b(M::MediaMode), T, b(M::Amount), b(M::PairFirst),
        b(M::PairSecond),
        S, S, RD] text [0 3 4 1 2 5 6 7]
        raw [MEDIA];
    0x38 MediaSt "media_st" Dataport [b(M::MediaMode), T, b(M::Amount), b(M::PairFirst),
        b(M::PairSecond),
        S, S, RS] text [0 3 4 1 2 5 6 7]
        raw [MEDIA];

    // Data port, one element a channel: element size, [modified], surface, global offset (in
    // elements), offsets of the channels, data.
    0x39 Gather "gather" Dataport [b(M::ElementSize), b(M::Modified), Field::GatherExec, T, S, RS,
        RD]
        raw [DWORDS, DWORDS];
    0x3a Scatter "scatter" Dataport [b(M::ElementSize), Field::GatherExec, T, S, RS, RS]
        raw [DWORDS, DWORDS];
    0x3c OwordLdUnaligned "oword_ld_unaligned" Dataport [b(M::Owords), b(M::Modified), T, S, RD]
        raw [OWORDS];

    // The old sampler: channels, sampler, surface, u, v, r, destination.
    0x40 Sample "sample" Sampler [b(M::SampleMode), SAMPLER, T, RS, RS, RS, RD]
        raw [SAMPLE_ROW, SAMPLE_ROW, SAMPLE_ROW, Raw::Opaque(Amount::SamplePixels)];
    0x41 SampleUnorm "sample_unorm" Sampler [b(M::SampleFormat), SAMPLER, T, S, S, S, S, RD]
        raw [Raw::Opaque(Amount::UnormPixels)];
    0x42 Load "load" Sampler [b(M::SampleMode), T, RS, RS, RS, RD]
        raw [SAMPLE_ROW, SAMPLE_ROW, SAMPLE_ROW, Raw::Opaque(Amount::SamplePixels)];
    0x43 Avs "avs" Sampler [b(M::Channels), SAMPLER, T, S, S, S, S, S, S, S, b(M::AvsControl), S,
        b(M::AvsExec), S, RD] text [0 2 1 3 4 5 6 7 8 9 10 11 12 13 14]
        raw [Raw::Opaque(Amount::AvsPixels)] on UNTIL_ICLLP;
    0x44/1 VaConvolve2d "va.convolve" Sampler [SAMPLER, T, S, S, b(M::Mode), RD]
        text [1 0 2 3 4 5];
    0x44/2 VaMinMax "va.minmax" Sampler [T, S, S, S, RD];
    0x44/3 VaMinMaxFilter "va.minmaxfilter" Sampler [SAMPLER, T, S, S, b(M::Mode), b(M::Mode), S,
        RD] text [1 0 2 3 4 5 6 7];
    0x44/4 VaErode "va.erode" Sampler [SAMPLER, T, S, S, b(M::Mode), RD] text [1 0 2 3 4 5];
    0x44/5 VaDilate "va.dilate" Sampler [SAMPLER, T, S, S, b(M::Mode), RD] text [1 0 2 3 4 5];
    0x44/6 VaBoolCentroid "va.boolcentroid" Sampler [T, S, S, S, S, RD];
    0x44/7 VaCentroid "va.centroid" Sampler [T, S, S, S, RD];

    0x45 FMinMax "fminmax" Mov [X, b(M::MinMax), D, S, S];

    // Bit fields: `bfe` width, offset, source; `bfi` width, offset, inserted, into.
    0x46 Bfe "bfe" Logic [X, P, D, S, S, S];
    0x47 Bfi "bfi" Logic [X, P, D, S, S, S, S];
    0x48 Bfrev "bfrev" Logic [X, P, D, S];
    0x49 Addc "addc" Arith [X, P, D, D, S, S];
    0x4a Subb "subb" Arith [X, P, D, D, S, S];

    // Typed surfaces: channels, surface, u, v, r, level of detail, data.
    0x4b Gather4Typed "gather4_typed" Dataport [X, P, b(M::Channels), T, RS, RS, RS, RS, RD]
        raw [DWORDS, DWORDS, DWORDS, DWORDS, RGBA];
    0x4c Scatter4Typed "scatter4_typed" Dataport [X, P, b(M::Channels), T, RS, RS, RS, RS, RS]
        raw [DWORDS, DWORDS, DWORDS, DWORDS, RGBA];

    0x4d/8 VaConvolve1dV "va_skl_plus.CONV_1D_VERTICAL" Sampler [SAMPLER, T, S, S, b(M::Mode), RD]
        text [1 0 2 3 4 5];
    0x4d/9 VaConvolve1dH "va_skl_plus.CONV_1D_HORIZONTAL" Sampler [SAMPLER, T, S, S, b(M::Mode), RD]
        text [1 0 2 3 4 5];
    0x4d/10 VaConvolve1Pixel "va_skl_plus.CONV_1PIXEL" Sampler [SAMPLER, T, S, S, b(M::Mode), RS,
        RD] text [1 0 2 3 4 5 6];
    0x4d/11 VaFloodFill "va_skl_plus.FLOOD_FILL" Sampler [b(M::Mode), RS, S, S, S, RD];
    0x4d/12 VaLbpCreation "va_skl_plus.LBP_CREATION" Sampler [T, S, S, b(M::Mode), RD];
    0x4d/13 VaLbpCorrelation "va_skl_plus.LBP_CORRELATION" Sampler [T, S, S, S, RD];
    0x4d/15 VaCorrelationSearch "va_skl_plus.CORRELATION_SEARCH" Sampler
        [T, S, S, S, S, S, S, S, S, RD];
    0x4d/16 VaHdcConvolve2d "va_skl_plus.HDC_CONVOLVE_2D" Sampler [SAMPLER, T, S, S, b(M::Mode), T,
        S, S] text [1 0 2 3 4 5 6 7];
    0x4d/17 VaHdcMinMaxFilter "va_skl_plus.HDC_MIN_MAX_FILTER" Sampler [SAMPLER, T, S, S,
        b(M::Mode), b(M::Mode), T, S, S] text [1 0 2 3 4 5 6 7 8];
    0x4d/18 VaHdcErode "va_skl_plus.HDC_ERODE" Sampler [SAMPLER, T, S, S, T, S, S]
        text [1 0 2 3 4 5 6];
    0x4d/19 VaHdcDilate "va_skl_plus.HDC_DILATE" Sampler [SAMPLER, T, S, S, T, S, S]
        text [1 0 2 3 4 5 6];
    0x4d/20 VaHdcLbpCorrelation "va_skl_plus.HDC_LBP_CORRELATION" Sampler [T, S, S, S, T, S, S];
    0x4d/21 VaHdcLbpCreation "va_skl_plus.HDC_LBP_CREATION" Sampler
        [T, S, S, b(M::Mode), T, S, S];
    0x4d/22 VaHdcConvolve1dH "va_skl_plus.HDC_CONVOLVE_1D_H" Sampler [SAMPLER, T, S, S, b(M::Mode),
        T, S, S] text [1 0 2 3 4 5 6 7];
    0x4d/23 VaHdcConvolve1dV "va_skl_plus.HDC_CONVOLVE_1D_V" Sampler [SAMPLER, T, S, S, b(M::Mode),
        T, S, S] text [1 0 2 3 4 5 6 7];
    0x4d/24 VaHdcConvolve1Pixel "va_skl_plus.HDC_CONVOLVE_1P" Sampler [SAMPLER, T, S, S, b(M::Mode),
        RS, T, S, S] text [1 0 2 3 4 5 6 7 8];

    // Access of the whole address space. Blocks: owords, address (a uq scalar), data. Gather and scatter: block
    // size, block count, addresses (uq), data: block n of all channels stands before block n+1. Atomics: operation,
    // addresses, source 0, source 1, destination; text has the destination second. The scaled forms add a base
    // address: channels, 0, base, offsets (ud), data.
    0x4e/1 SvmBlockLd "svm_block_ld" Svm [b(M::SvmOwords), S, RD]
        raw [SVM_OWORDS];
    0x4e/2 SvmBlockSt "svm_block_st" Svm [b(M::SvmOwords), S, RS]
        raw [SVM_OWORDS];
    0x4e/3 SvmGather "svm_gather" Svm [X, P, b(M::SvmBlockSize), b(M::BlockCount), RS, RD]
        raw [QWORDS, SVM_DATA];
    0x4e/4 SvmScatter "svm_scatter" Svm [X, P, b(M::SvmBlockSize), b(M::BlockCount), RS, RS]
        raw [QWORDS, SVM_DATA];
    0x4e/5 SvmAtomic "svm_atomic" Svm [X, P, b(M::Atomic), RS, RS, RS, RD] text [0 1 4 2 3]
        raw [QWORDS, ATOMIC, ATOMIC, ATOMIC];
    0x4e/6 SvmGather4Scaled "svm_gather4scaled" Svm
        [X, P, b(M::Channels), w(M::Zero), S, RS, RD]
        raw [QWORDS, RGBA];
    0x4e/7 SvmScatter4Scaled "svm_scatter4scaled" Svm
        [X, P, b(M::Channels), w(M::Zero), S, RS, RS]
        raw [QWORDS, RGBA];

    // Calls by address: the address, sizes of argument and return value in GRFs.
    0x4f IfCall "ifcall" Flow [X, P, S, b(M::Grfs), b(M::Grfs),
        Field::Number(Width::Nothing, M::CallFlags)];
    0x50 Faddr "faddr" Flow [Field::Name, D];

    // Debug information: `FILE "name"`, `LOC line`.
    0x51 File "FILE" Misc [Field::FileName];
    0x52 Loc "LOC" Misc [d(M::Line)];

    // Video motion estimation.
    0x54 VmeIme "vme_ime" Misc [b(M::PairFirst), b(M::PairSecond), RS, RS, T, RS, RS, RS, RD]
        text [0 1 4 2 3 5 6 7 8]
        raw [block(128), Raw::Block(Amount::ImeInput), block(4), block(4), block(32),
            Raw::Block(Amount::ImeOutput)] on UNTIL_ICLLP;
    0x55 VmeSic "vme_sic" Misc [RS, RS, T, RD] text [2 0 1 3]
        raw [block(128), block(128), block(224)] on UNTIL_ICLLP;
    0x56 VmeFbr "vme_fbr" Misc [RS, RS, T, S, S, S, RD] text [3 4 5 2 0 1 6]
        raw [block(128), block(128), block(224)] on UNTIL_ICLLP;
    0x57 VmeIdm "vme_idm" Misc [RS, RS, T, RD] text [2 0 1 3]
        raw [block(128), block(32), block(512)] on UNTIL_ICLLP;

    // Synchronisation.
    0x59 Barrier "barrier" Sync [];
    0x5a SamplerCacheFlush "sampler_cache_flush" Sync [];
    0x5b Wait "wait" Sync [S];
    0x5c Fence "fence" Sync [b(M::Fence)];

    // Raw messages: modifier, extended descriptor, GRFs sent, GRFs written, descriptor, data, destination.
    // `raw_sends` has two sources: GRFs of source 0, of source 1, written, function unit, extended descriptor,
    // descriptor, source 0, source 1, destination.
    0x5d RawSend "raw_send" Misc [b(M::SendModifier), X, P, d(M::Descriptor), b(M::Amount),
        b(M::Amount), S, RS, RD]
        raw [message(M::Amount, 0), message(M::Amount, 1)];
    0x5f Yield "yield" Sync [];

    // Named barriers: mode, barrier, type, producers, consumers.
    0x60 Nbarrier "nbarrier" Sync [b(M::Barrier), S, S, S, S] on PVC_ON;

    0x67 FCall "fcall" Flow [X, P, Field::Name, b(M::Grfs), b(M::Grfs)];
    0x68 FRet "fret" Flow [X, P];
    0x69 SwitchJmp "switchjmp" Flow [X, Field::Count, S, Field::Labels] on UNTIL_ICLLP.or(PVC_ON);
    0x6a Sad2Add "sad2add" Arith [X, P, D, S, S, S] on UNTIL_BXT;
    0x6b Plane "plane" Arith [X, P, D, S, S] on UNTIL_BXT;

    // Channels for which the predicate is set go to the label, the others continue.
    0x6c Goto "goto" Flow [X, P, Field::Label];

    // The 3D sampler: operation, channels, texel offset, sampler, surface, destination, coordinates.
    0x6d Sample3d "sample_3d" Sampler [SAMPLER_OP, X, P, b(M::Channels), S, SAMPLER, T, RD,
        Field::Count, Field::RawSrcs]
        raw [SAMPLED, OWN] on PVC.not();
    0x6e Load3d "load_3d" Sampler [SAMPLER_OP, X, P, b(M::Channels), S, T, RD,
        Field::Count, Field::RawSrcs]
        raw [SAMPLED, OWN] on PVC.not();
    0x6f Gather4Sampler "sample4" Sampler [SAMPLER_OP, X, P, b(M::Channel), S, SAMPLER, T, RD,
        Field::Count, Field::RawSrcs]
        raw [Raw::Sampled(Amount::Is(4)), OWN] on PVC.not();
    0x70/10 ResInfo "resinfo" Sampler [X, b(M::Channels), T, RS, RD]
        raw [DWORDS, RGBA] on PVC.not();
    0x70/11 SampleInfo "sampleinfo" Sampler [X, b(M::Channels), T, RD]
        raw [RGBA] on PVC.not();
    0x71 RtWrite "rt_write_3d" Dataport [X, P, w(M::RenderTargetMode), T, RS, Field::SrcIf(11),
        Field::SrcIf(8), Field::SrcIf(2), Field::RawSrcIf(3), Field::RawSrcIf(4), RS, RS, RS, RS,
        Field::RawSrcIf(5), Field::RawSrcIf(6)]
        raw [block(32), OWN, Raw::Lanes(Amount::Is(2), Amount::Is(1)), OWN, OWN, OWN, OWN,
            DWORDS, Raw::Lanes(Amount::Is(1), Amount::Is(1))] on PVC.not();
    0x72 UrbWrite "urb_write_3d" Misc [X, P, b(M::Amount), RS, w(M::Amount), RS, RS, RS]
        text [0 2 1 3 4 5]
        raw [DWORDS, DWORDS, DWORDS, Raw::Lanes(Amount::Is(4), Amount::Number(M::Amount, 0))] on PVC.not();
    0x73 TypedAtomic "typed_atomic" Dataport [b(M::Atomic), X, P, T, RS, RS, RS, RS, RS, RS, RD]
        raw [DWORDS, DWORDS, DWORDS, DWORDS, DWORDS, DWORDS, DWORDS] on PVC.not();

    // Untyped surfaces, offsets in bytes. Four channels: channels, 0, surface, global offset,
    // offsets of the channels (ud), data: channel R of all first, then G, …. Blocks: 0, block
    // count, 0, surface, global offset, offsets, data.
    0x74 Gather4Scaled "gather4_scaled" Dataport
        [X, P, b(M::Channels), w(M::Zero), T, S, RS, RD]
        raw [DWORDS, RGBA];
    0x75 Scatter4Scaled "scatter4_scaled" Dataport
        [X, P, b(M::Channels), w(M::Zero), T, S, RS, RS]
        raw [DWORDS, RGBA];
    0x78 GatherScaled "gather_scaled" Dataport
        [X, P, b(M::Zero), b(M::BlockCount), w(M::Zero), T, S, RS, RD]
        raw [DWORDS, DWORDS];
    0x79 ScatterScaled "scatter_scaled" Dataport
        [X, P, b(M::Zero), b(M::BlockCount), w(M::Zero), T, S, RS, RS]
        raw [DWORDS, DWORDS];

    0x7a RawSends "raw_sends" Misc [b(M::SendModifier), X, P, b(M::MessageGrfs),
        b(M::MessageGrfs), b(M::MessageGrfs), b(M::FunctionUnit), S, S, RS, RS, RD]
        text [0 4 1 2 3 5 6 7 8 9]
        raw [message(M::MessageGrfs, 0), message(M::MessageGrfs, 1), message(M::MessageGrfs, 2)];
    0x7b Lifetime "lifetime" Misc
        [b(M::Lifetime), d(M::Variable)];
    0x7c SBarrier "sbarrier" Sync [b(M::Barrier)];

    // Operation, surface, offsets (ud, bytes), source 0, source 1, destination.
    0x7d DwordAtomic "dword_atomic" Dataport [b(M::Atomic), X, P, T, RS, RS, RS, RD]
        raw [DWORDS, DWORDS, DWORDS, DWORDS];

    // IEEE-correct forms.
    0x7e Sqrtm "sqrtm" Arith [X, P, D, S] on IEEE;
    0x7f Divm "divm" Arith [X, P, D, S, S] on IEEE;

    // Newer hardware.
    0x80 Rol "rol" Logic [X, P, D, S, S] on Generations::from(On::Icllp);
    0x81 Ror "ror" Logic [X, P, D, S, S] on Generations::from(On::Icllp);
    0x82 Dp4a "dp4a" Arith [X, P, D, S, S, S] on Generations::from(On::Tgllp);
    0x83 Dpas "dpas" Misc [X, P, RD, RS, RS, Field::SrcBlock, d(M::Systolic)]
        raw [Raw::Table, Raw::Table, Raw::Columns, Raw::Rows] on XEHP_ON;
    0x84 Add3 "add3" Arith [X, P, D, S, S, S] on XEHP_ON;
    0x85 Bfn "bfn" Logic [X, P, D, S, S, S, b(M::TruthTable)] on XEHP_ON;
    0x86 QwGather "qw_gather" Dataport [X, P, b(M::BlockCount), T, RS, RD]
        raw [DWORDS, Raw::Lanes(Amount::Is(8), Amount::Blocks)] on XEHP_ON;
    0x87 QwScatter "qw_scatter" Dataport [X, P, b(M::BlockCount), T, RS, RS]
        raw [DWORDS, Raw::Lanes(Amount::Is(8), Amount::Blocks)] on XEHP_ON;

    // LSC. Operation; unit, caching of level 1 and 3, address type, scale, offset, size, data size,
    // order, elements, channels, surface, surface index, destination, addresses, sources. The
    // strided form has a pitch after the addresses and one source; blocks of two dimensions have
    // their shape (size, order, blocks, width, height, VNNI), the destination, the surface's
    // address, width, height and pitch, x and y, each with an offset, and the source.
    0x89/0|2|4|6|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24|25|26|27|28|29|33|34|35|36|37
        LscUntyped "lsc_untyped" Lsc [b(M::LscOp), X, P, b(M::LscUnit), b(M::LscCaching),
        b(M::LscCaching), b(M::LscAddressType), w(M::LscScale), d(M::LscOffset),
        b(M::LscAddressSize), b(M::LscDataSize), b(M::LscDataOrder), b(M::LscElements),
        b(M::LscChannels), BASE, d(M::LscSurfaceIndex), RD, RS, RS, RS]
        raw [Raw::LscData, LSC_ADDRESS, Raw::LscData, Raw::LscData] on DG2_ON;
    0x89/1|5 LscStrided "lsc_strided" Lsc [b(M::LscOp), X, P, b(M::LscUnit), b(M::LscCaching),
        b(M::LscCaching), b(M::LscAddressType), w(M::LscScale), d(M::LscOffset),
        b(M::LscAddressSize), b(M::LscDataSize), b(M::LscDataOrder), b(M::LscElements),
        b(M::LscChannels), BASE, d(M::LscSurfaceIndex), RD, RS, BASE, RS]
        raw [Raw::LscData, Raw::Block(Amount::LscAddress), Raw::LscData] on DG2_ON;
    0x89/3|7 LscBlock2d "lsc_block2d" Lsc [b(M::LscOp), X, P, b(M::LscUnit), b(M::LscCaching),
        b(M::LscCaching), b(M::LscDataSize), b(M::LscDataOrder), b(M::LscBlocks), w(M::LscWidth),
        w(M::LscHeight), b(M::LscVnni), RD, BASE, BASE, BASE, BASE, BASE, d(M::LscOffset), BASE,
        d(M::LscOffset), RS] raw [Raw::LscBlock2d, Raw::LscBlock2d] on PVC_ON;
    // Blocks with a variable that has the message's address. The sub-opcodes are those of `lsc_block2d`, so that
    // readers tell the two by the operands.
    0x89/3|7 LscBlock2dPayload "lsc_block2d_payload" Lsc [b(M::LscOp), X, P, b(M::LscUnit),
        b(M::LscCaching), b(M::LscCaching), b(M::LscDataSize), b(M::LscDataOrder), b(M::LscBlocks),
        w(M::LscWidth), w(M::LscHeight), b(M::LscVnni), RD, Field::SrcBlock, d(M::LscOffset),
        d(M::LscOffset), RS] raw [Raw::LscBlock2d, block(32), Raw::LscBlock2d] on PVC_ON;
    0x89/40|41|42 LscCounter "lsc_counter" Lsc [b(M::LscOp), X, P, b(M::LscUnit),
        b(M::LscCaching), b(M::LscCaching), b(M::LscAddressType), b(M::LscDataSize),
        b(M::LscDataOrder), b(M::LscElements), b(M::LscChannels), BASE, d(M::LscSurfaceIndex), RD,
        RS] on DG2_ON;
    0x8a/2|6|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24|25|26|27|28|29|30|49|50|54
        LscTyped "lsc_typed" Lsc [b(M::LscOp), X, P, b(M::LscCaching), b(M::LscCaching),
        b(M::LscAddressType), b(M::LscAddressSize), b(M::LscDataSize), b(M::LscDataOrder),
        b(M::LscElements), b(M::LscChannels), BASE, d(M::LscSurfaceIndex), RD, RS,
        d(M::LscOffset), RS, d(M::LscOffset), RS, d(M::LscOffset), RS, RS, RS]
        raw [Raw::LscData, LSC_ADDRESS, LSC_ADDRESS, LSC_ADDRESS, LSC_ADDRESS, Raw::LscData,
        Raw::LscData] on DG2_ON;
    0x8a/3|7 LscTypedBlock2d "lsc_typed_block2d" Lsc [b(M::LscOp), X, P, b(M::LscCaching),
        b(M::LscCaching), b(M::LscAddressType), w(M::LscWidth), w(M::LscHeight), BASE,
        d(M::LscSurfaceIndex), RD, BASE, d(M::LscOffset), BASE, d(M::LscOffset), RS]
        raw [TYPED_BLOCK, TYPED_BLOCK] on DG2_ON;
    0x8b LscFence "lsc_fence" Lsc [X, P, b(M::LscUnit), b(M::LscFenceOp), b(M::LscScope)] on DG2_ON;

    // Pixels of a render target: mode, surface, sample index, destination.
    0x90 RtRead "rt_read" Dataport [X, P, w(M::RenderTargetRead), T, Field::SrcIf(1), RD]
        raw [Raw::Lanes(Amount::OwnType, Amount::Is(4))] on PVC.not();

    0x91 Madw "madw" Arith [X, P, D, S, S, S] parts 2;
    0x92 Add3O "add3.o" Arith [X, P, D, S, S, S] on XEHP_ON;
    0x93 RawSendg "raw_sendg" Misc [b(M::SendModifier), X, d(M::FunctionUnit), P, RD,
        d(M::PayloadBytes), RS, d(M::PayloadBytes), RS, d(M::PayloadBytes), S, S,
        d(M::WideDescriptor), d(M::WideDescriptorHigh)] on LATER;
    0x94 Breakpoint "breakpoint" Misc [];
    0x95 ShflIdx4 "shfl_idx4" Mov [X, P, RD, S, S] on LATER;
    0x96 Tanh "tanh" Arith [X, P, D, S] on LATER;
    0x97 Sigm "sigm" Arith [X, P, D, S] on LATER;
    0x98 Lfsr "lfsr" Logic [X, P, b(M::LfsrMode), D, S, S] on LATER;
    0x99 Bdpas "bdpas" Misc [X, P, RD, RS, RS, RS, Field::SrcBlock, Field::SrcBlock, d(M::Systolic)] on LATER;
    0x9a Dnscl "dnscl" Mov [X, P, b(M::DownscaleType), b(M::DownscaleMode),
        b(M::DownscaleRounding), RD, RS, RS, RS] on LATER;
    0x9b Invm "invm" Arith [X, P, D, P_DST, S, S] on IEEE;
    0x9c Rsqtm "rsqtm" Arith [X, P, D, P_DST, S] on IEEE;
}

const SAMPLER_OP: Field = Field::Number(Width::SamplerOp, M::SamplerOp);

impl Opcode {
    /// Row of the opcode.
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// All rows, sorted by number.
    pub const fn rows() -> &'static [Row] {
        ROWS
    }

    /// Rows with this number: several if it has sub-opcodes, none if it is reserved.
    pub fn rows_of(number: u8) -> &'static [Row] {
        /// For each number, the index of its first row and the index after its last.
        const RANGES: [[u16; 2]; 256] = {
            let mut ranges = [[0; 2]; 256];
            let mut i = 0;
            while i < ROWS.len() {
                let [first, end] = &mut ranges[ROWS[i].number as usize];
                *first = if *end == 0 { i as u16 } else { *first };
                *end = i as u16 + 1;
                i += 1;
            }
            ranges
        };
        let [first, end] = RANGES[usize::from(number)];
        &ROWS[first.into()..end.into()]
    }

    /// Opcode with this name in text, and for a member of a family (`max`, `sample_lz`) its number.
    pub fn from_mnemonic(name: &str) -> Option<(Opcode, Option<u32>)> {
        /// Names sorted by their list, and where each list begins. A static hash map points to the middle of its
        /// memory, which leak checkers report as lost.
        struct Names {
            starts: [u16; LISTS + 1],
            all: Vec<(u16, &'static str, Named)>,
        }
        type Named = (Opcode, Option<u32>);
        const LISTS: usize = 1024;
        fn list(name: &str) -> u16 {
            (FixedState::default().hash_one(name) as usize % LISTS) as u16
        }
        static NAMES: LazyLock<Names> = LazyLock::new(|| {
            let plain = ROWS
                .iter()
                .filter(|row| row.family_names().is_none())
                .map(|row| (row.mnemonic, (row.opcode, None)));
            let family = ROWS.iter().flat_map(|row| {
                let names = row.family_names().into_iter().flatten();
                names.map(|&(name, n)| (name, (row.opcode, Some(n))))
            });
            let names = plain.chain(family);
            let mut all: Vec<_> = names.map(|(name, of)| (list(name), name, of)).collect();
            all.sort_by_key(|&(list, ..)| list);
            let mut starts = [0; LISTS + 1];
            for &(list, ..) in &all {
                starts[usize::from(list) + 1] += 1;
            }
            for list in 0..LISTS {
                starts[list + 1] += starts[list];
            }
            Names { starts, all }
        });
        let Names { starts, all } = &*NAMES;
        let at = usize::from(list(name));
        let [start, end] = [starts[at], starts[at + 1]].map(usize::from);
        let mut same = all[start..end].iter();
        same.find(|(_, other, _)| *other == name)
            .map(|(.., of)| *of)
    }
}

impl Row {
    /// Names of the members of a family, each with its number.
    pub fn family_names(&self) -> Option<&'static [(&'static str, u32)]> {
        match self.opcode {
            Opcode::FMinMax => Some(&[("min", 0), ("max", 1)]),
            Opcode::RawSend => Some(&[("raw_send", 0), ("raw_sendc", 1)]),
            Opcode::RawSends => Some(&[
                ("raw_sends", 0),
                ("raw_sendsc", 1),
                ("raw_sends_eot", 2),
                ("raw_sendsc_eot", 3),
            ]),
            Opcode::RawSendg => Some(&[
                ("raw_sendg", 0),
                ("raw_sendgc", 1),
                ("raw_sendg_eot", 2),
                ("raw_sendgc_eot", 3),
            ]),
            Opcode::Fence => Some(Fence::NAMES),
            Opcode::Sample3d => Some(SamplerOp::SAMPLE),
            Opcode::Load3d => Some(SamplerOp::LOAD),
            Opcode::Gather4Sampler => Some(SamplerOp::GATHER4),
            _ => None,
        }
    }
}

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $(#[doc = concat!("`", $text, "`")] $(#[$vdoc])* $variant = $number,)* }

        impl $name {
            const ALL: &'static [($name, &'static str)] = &[$(($name::$variant, $text),)*];

            /// The value with this number.
            pub fn from_number(number: u32) -> Option<$name> {
                Self::ALL.iter().find(|(v, _)| *v as u32 == number).map(|(v, _)| *v)
            }

            /// The value with this name in text.
            pub fn from_name(name: &str) -> Option<$name> {
                Self::ALL.iter().find(|(_, n)| *n == name).map(|(v, _)| *v)
            }

            /// Name in text.
            pub fn name(self) -> &'static str {
                Self::ALL.iter().find(|(v, _)| *v == self).map_or("", |(_, n)| n)
            }
        }
    };
}

numbered! {
    /// The relation of a `cmp`.
    Relation {
        Eq = 0 "eq",
        Ne = 1 "ne",
        Gt = 2 "gt",
        Ge = 3 "ge",
        Lt = 4 "lt",
        Le = 5 "le",
    }
}

numbered! {
    /// Operation of an atomic on its element; unsigned unless noted.
    AtomicOp {
        Add = 0 "add",
        Sub = 1 "sub",
        Inc = 2 "inc",
        Dec = 3 "dec",
        Min = 4 "min",
        Max = 5 "max",
        /// Exchange.
        Xchg = 6 "xchg",
        /// Compare with source 0, write source 1. (In the order of the format: `src0` is the value
        /// compared with, `src1` the new value.)
        CmpXchg = 7 "cmpxchg",
        And = 8 "and",
        Or = 9 "or",
        Xor = 10 "xor",
        /// Signed.
        IMin = 11 "minsint",
        /// Signed.
        IMax = 12 "maxsint",
        /// Decrement; the result is the new value.
        PreDec = 13 "predec",
        FMax = 16 "fmax",
        FMin = 17 "fmin",
        /// Compare floats and write.
        FCmpWr = 18 "fcmpwr",
        FAdd = 19 "fadd",
        FSub = 20 "fsub",
    }
}

/// An atomic operation and the width of its element, as [`Meaning::Atomic`] packs them: bits 0-4
/// the operation, bit 5 set for 16 bits, bit 6 for 64, neither for 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// The operation.
    pub op: AtomicOp,
    /// 16, 32 or 64.
    pub bits: u8,
}

impl Atomic {
    /// The operation and width that a number packs; `None` for other numbers.
    pub fn from_number(number: u32) -> Option<Atomic> {
        let bits = match number >> 5 {
            0 => 32,
            1 => 16,
            2 => 64,
            _ => return None,
        };
        AtomicOp::from_number(number & 0x1f).map(|op| Atomic { op, bits })
    }

    /// The number that packs both.
    pub fn number(self) -> u32 {
        let width = match self.bits {
            16 => 1,
            64 => 2,
            _ => 0,
        };
        self.op as u32 | width << 5
    }
}

/// Channels R, G, B and A that a message moves: bits 0 to 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelMask(u8);

impl ChannelMask {
    /// Mask with this number, 0 to 15.
    pub fn from_number(number: u32) -> Option<ChannelMask> {
        u8::try_from(number)
            .ok()
            .filter(|&n| n < 16)
            .map(ChannelMask)
    }

    /// The number in the format, 0 to 15.
    pub fn number(self) -> u32 {
        self.0.into()
    }

    /// Number of channels.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Channels of the mask in order, R 0 to A 3.
    pub fn channels(self) -> impl Iterator<Item = u8> {
        (0..4).filter(move |c| self.0 >> c & 1 != 0)
    }
}

/// Bytes of a block of [`Meaning::SvmBlockSize`]: 1, 4 or 8.
pub fn svm_block_bytes(number: u32) -> Option<u32> {
    [1, 4, 8].get(number as usize).copied()
}

/// Properties of a fence ([`Meaning::Fence`]). Bit 0: waits for the commit; bits 1 to 4: caches that are flushed
/// (instruction, sampler, constant, read-only data); bit 5: shared local memory instead of global; bit 6: level 1;
/// bit 7: for the compiler only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence(u8);

impl Fence {
    const SOFTWARE: u8 = 0x80;
    const LOCAL: u8 = 0x20;
    const LEVEL_1: u8 = 0x40;
    const NAMES: &'static [(&'static str, u32)] = &[
        ("fence_global", 0),
        ("fence_local", Fence::LOCAL as u32),
        ("fence_sw", Fence::SOFTWARE as u32),
    ];

    /// The fence of a number of 8 bits; `None` for larger ones.
    pub fn from_number(number: u32) -> Option<Fence> {
        u8::try_from(number).ok().map(Fence)
    }

    /// True if it only orders the instructions around it and needs no instruction itself.
    pub fn is_software(self) -> bool {
        self.0 & Fence::SOFTWARE != 0
    }

    /// True if it orders shared local memory.
    pub fn is_local(self) -> bool {
        self.0 & Fence::LOCAL != 0
    }

    /// True if it flushes the level-1 cache.
    pub fn flushes_level_1(self) -> bool {
        self.0 & Fence::LEVEL_1 != 0
    }

    /// Bits that are no part of [`Row::family_names`], with the letter of each in text.
    pub const FLAGS: &'static [(&'static str, u32)] = &[
        ("E", 1),
        ("I", 2),
        ("S", 4),
        ("C", 8),
        ("R", 16),
        ("L1", Fence::LEVEL_1 as u32),
    ];
}

/// Operation of the 3D sampler; the tables are by opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerOp(u8);

impl SamplerOp {
    const SAMPLE: &'static [(&'static str, u32)] = &[
        ("sample_3d", 0),
        ("sample_b", 1),
        ("sample_l", 2),
        ("sample_c", 3),
        ("sample_d", 4),
        ("sample_b_c", 5),
        ("sample_l_c", 6),
        ("lod", 9),
        ("sample+killpix", 12),
        ("sample_d_c_mlod", 17),
        ("sample_mlod", 18),
        ("sample_c_mlod", 19),
        ("sample_d_c", 20),
        ("sample_lz", 24),
        ("sample_c_lz", 25),
        ("sample_po", 32),
        ("sample_po_b", 33),
        ("sample_po_l", 34),
        ("sample_po_c", 35),
        ("sample_po_d", 36),
        ("sample_po_l_c", 38),
        ("sample_po_lz", 56),
        ("sample_po_c_lz", 57),
        ("sample_po_b_c", 58),
        ("sample_po_d_c", 59),
    ];
    const LOAD: &'static [(&'static str, u32)] = &[
        ("load_3d", 7),
        ("load_lz", 26),
        ("load_l", 27),
        ("load_2dms_w", 28),
        ("load_mcs", 29),
    ];
    const GATHER4: &'static [(&'static str, u32)] = &[
        ("sample4", 8),
        ("sample4_l", 13),
        ("sample4_b", 14),
        ("sample4_i", 15),
        ("sample4_c", 16),
        ("sample4_po", 17),
        ("sample4_po_c", 18),
        ("sample4_i_c", 21),
        ("sample4_l_c", 23),
        ("sample4_po_l", 45),
        ("sample4_po_b", 46),
        ("sample4_po_i", 47),
        ("sample4_po_i_c", 53),
        ("sample4_po_l_c", 55),
    ];

    /// The number of `load_lz`: no level of detail, no sampler.
    pub const LOAD_LZ: SamplerOp = SamplerOp(26);
    /// `sample_lz`: level of detail 0.
    pub const SAMPLE_LZ: SamplerOp = SamplerOp(24);

    /// Operation in a number of [`Meaning::SamplerOp`].
    pub fn from_number(number: u32) -> Option<SamplerOp> {
        let op = SamplerOp((number & 0xff) as u8);
        (number < 0x800 && op.name().is_some()).then_some(op)
    }

    fn name(self) -> Option<&'static str> {
        [Self::SAMPLE, Self::LOAD, Self::GATHER4]
            .into_iter()
            .flatten()
            .find(|(_, n)| *n == u32::from(self.0))
            .map(|(name, _)| *name)
    }
}

/// Operation of an LSC instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LscOp {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic, with its number in the format.
    Atomic(u8),
    /// An atomic on the counter of an append buffer.
    Counter,
    /// Information about a surface's state.
    StateInfo,
}

impl LscOp {
    /// Each name in text, with its number.
    const NAMES: &'static [(&'static str, u8)] = &[
        ("lsc_load", 0),
        ("lsc_load_strided", 1),
        ("lsc_load_quad", 2),
        ("lsc_load_block2d", 3),
        ("lsc_store", 4),
        ("lsc_store_strided", 5),
        ("lsc_store_quad", 6),
        ("lsc_store_block2d", 7),
        ("lsc_atomic_iinc", 8),
        ("lsc_atomic_idec", 9),
        ("lsc_atomic_load", 10),
        ("lsc_atomic_store", 11),
        ("lsc_atomic_iadd", 12),
        ("lsc_atomic_isub", 13),
        ("lsc_atomic_smin", 14),
        ("lsc_atomic_smax", 15),
        ("lsc_atomic_umin", 16),
        ("lsc_atomic_umax", 17),
        ("lsc_atomic_icas", 18),
        ("lsc_atomic_fadd", 19),
        ("lsc_atomic_fsub", 20),
        ("lsc_atomic_fmin", 21),
        ("lsc_atomic_fmax", 22),
        ("lsc_atomic_fcas", 23),
        ("lsc_atomic_and", 24),
        ("lsc_atomic_or", 25),
        ("lsc_atomic_xor", 26),
        ("lsc_load_status", 27),
        ("lsc_store_uncompressed", 28),
        ("lsc_ccs_update", 29),
        ("lsc_read_state_info", 30),
        ("lsc_atomic_bfadd", 33),
        ("lsc_atomic_bfsub", 34),
        ("lsc_atomic_bfmin", 35),
        ("lsc_atomic_bfmax", 36),
        ("lsc_atomic_bfcas", 37),
        ("lsc_apndctr_atomic_add", 40),
        ("lsc_apndctr_atomic_sub", 41),
        ("lsc_apndctr_atomic_store", 42),
        ("lsc_load_quad_msrt", 49),
        ("lsc_store_quad_msrt", 50),
        ("lsc_load_quad_status", 54),
    ];

    /// The number of [`LscOp::StateInfo`].
    pub const STATE_INFO: u32 = 30;

    /// Operation with this number of [`Meaning::LscOp`]. The form of the addresses follows from the opcode.
    pub fn from_number(number: u32) -> Option<LscOp> {
        match u8::try_from(number).ok()? {
            0..=3 | 27 | 49 | 54 => Some(LscOp::Load),
            4..=7 | 28 | 29 | 50 => Some(LscOp::Store),
            n @ (8..=26 | 33..=37) => Some(LscOp::Atomic(n)),
            40..=42 => Some(LscOp::Counter),
            30 => Some(LscOp::StateInfo),
            _ => None,
        }
    }

    /// Name in text of the operation with this number.
    pub fn name(number: u32) -> Option<&'static str> {
        let found = Self::NAMES.iter().find(|(_, n)| u32::from(*n) == number);
        found.map(|(name, _)| *name)
    }

    /// Number of the operation with this name in text.
    pub fn from_name(name: &str) -> Option<u32> {
        let found = Self::NAMES.iter().find(|(n, _)| *n == name);
        found.map(|(_, number)| (*number).into())
    }

    /// Number of arguments of the atomic with this number.
    pub fn arguments(number: u32) -> usize {
        match number {
            8..=10 => 0,
            18 | 23 | 37 => 2,
            _ => 1,
        }
    }

    /// True if the operation moves channels by a mask, not elements.
    pub fn has_channels(number: u32) -> bool {
        matches!(number, 2 | 6 | 49 | 50 | 54)
    }

    /// Row of the operation with this number, on typed surfaces or not.
    pub fn row(number: u32, typed: bool) -> Option<&'static Row> {
        let opcode = if typed {
            Opcode::LscTyped
        } else {
            Opcode::LscUntyped
        };
        let mut rows = Opcode::rows_of(opcode.row().number).iter();
        rows.find(|row| row.subs.iter().any(|sub| u32::from(*sub) == number))
    }
}

/// The precisions of [`Meaning::Systolic`], with their numbers.
pub const PRECISIONS: &[(&str, u32)] = &[
    ("u1", 1),
    ("s1", 2),
    ("u2", 3),
    ("s2", 4),
    ("u4", 5),
    ("s4", 6),
    ("u8", 7),
    ("s8", 8),
    ("bf", 9),
    ("hf", 10),
    ("bf8", 11),
    ("tf32", 12),
    ("hf8", 14),
    ("e2m1", 15),
];

#[cfg(test)]
#[path = "tests/opcode.rs"]
mod tests;

/// First name of this number.
pub(crate) fn name_of(names: &[(&'static str, u32)], bits: u32) -> Option<&'static str> {
    let found = names.iter().find(|(_, b)| *b == bits);
    found.map(|(name, _)| *name)
}
