//! Meanings of descriptor fields.
//!
//! A row of a table lists the [`Value`]s of a field in the order of their codes; a request has each of them as a
//! field of its own type ([`Fields`]). Names are those of the PRM, vol. 2d, "Message Descriptor" of each shared
//! function, unless a plainer word says more.

/// Enumerations whose variants have a text in listings.
macro_rules! words {
    ($($(#[$doc:meta])* pub enum $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            /// Text in listings.
            pub(crate) const fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }
    )*};
}

words! {
    /// Number of channels of a message.
    pub enum Simd {
        /// Two groups of four components.
        S4x2 = "simd4x2",
        S8 = "simd8",
        S16 = "simd16",
        S32 = "simd32",
        /// The sampler's 8 channels with integer coordinates (SIMD8D).
        S8Integers = "simd8, integers",
        /// The sampler's 16 channels with integer coordinates, since Xe2.
        S16Integers = "simd16, integers",
        /// A sampler's 32, or 64 channels of 16 bits.
        S32Or64 = "simd32/64",
        /// Render targets: one color for all channels.
        Replicated = "replicated simd16",
        /// Render targets: two colors of the low or of the high eight channels.
        DualLow = "dual low simd8",
        DualHigh = "dual high simd8",
    }

    /// Channels of a typed message: SIMD4x2, or eight of the sixteen ("Slot Group").
    pub enum Slots {
        S4x2 = "simd4x2",
        Low = "",
        High = "high slots",
    }

    /// Rows of an interlaced surface that a block message counts ("Vertical Line Stride Override").
    pub enum Lines {
        All = "",
        /// Rows of the top field: every other one, starting at the first.
        Top = "of the top field",
        Bottom = "of the bottom field",
    }

    /// Optional inputs and outputs of a motion search ("Stream In", "Stream Out").
    pub enum Stream {
        None = "",
        Out = "stream out",
        In = "stream in",
        InOut = "stream in and out",
    }

    /// Number of owords, or of hwords of 32 bytes, in a block ("Block Size").
    pub enum Block {
        X1 = "x1",
        /// One oword, in the high half of its register.
        X1High = "x1 high",
        X2 = "x2",
        X4 = "x4",
        X8 = "x8",
        X16 = "x16",
    }

    /// The operation of an atomic message ("Atomic Operation Type").
    pub enum Atomic {
        CompareExchange64 = "compare and exchange of 64 bits",
        And = "and",
        Or = "or",
        Xor = "xor",
        Exchange = "exchange",
        Increment = "increment",
        Decrement = "decrement",
        Add = "add",
        Subtract = "subtract",
        ReverseSubtract = "reverse subtract",
        SignedMax = "signed maximum",
        SignedMin = "signed minimum",
        UnsignedMax = "unsigned maximum",
        UnsignedMin = "unsigned minimum",
        CompareExchange = "compare and exchange",
        /// Decrement that returns the new value.
        PreDecrement = "decrement first",
        FloatMax = "maximum",
        FloatMin = "minimum",
        FloatCompareExchange = "compare and exchange",
        FloatAdd = "add",
        FloatSubtract = "subtract",
        FloatAdd64 = "add of 64 bits",
        FloatSubtract64 = "subtract of 64 bits",
    }

    /// Size of an element of a load or store by address, in memory and, where it differs, in the register.
    pub enum Data {
        D8 = "d8",
        D16 = "d16",
        D32 = "d32",
        D64 = "d64",
        D8U32 = "d8u32",
        D16U32 = "d16u32",
        D16U32High = "d16u32h",
    }

    /// Place of the surface of a load or store by address.
    pub enum AddressKind {
        Flat = "flat",
        BindlessSurface = "bindless surface",
        SurfaceState = "surface state",
        BindingTable = "binding table",
    }

    /// Scope of a fence.
    pub enum Scope {
        Group = "group",
        Local = "local",
        Tile = "tile",
        Gpu = "gpu",
        AllGpus = "all gpus",
        SystemRelease = "system release",
        SystemAcquire = "system acquire",
    }

    /// Cache operation of a fence.
    pub enum Flush {
        None = "",
        Evict = "evict",
        Invalidate = "invalidate",
        Discard = "discard",
        Clean = "clean",
        L3 = "flush L3",
        /// As `None`, with code 6.
        Nothing = "code 6",
    }

    /// A field of one bit.
    pub enum Flag {
        /// An atomic operation returns the old value ("Return Data Control").
        Returns = "with return",
        /// A fence writes its response when it is done ("Commit Enable").
        Commit = "waits for it",
        /// Caches that a fence flushes.
        FlushL1 = "flushes L1",
        FlushInstructions = "flushes L3 instructions",
        FlushTextures = "flushes L3 textures",
        FlushConstants = "flushes L3 constants",
        FlushData = "flushes L3 data",
        InvalidateAfterRead = "invalidates after read",
        /// The execution mask of a scratch block covers dwords, else owords ("Channel Mode").
        ByDword = "",
        /// The high eight of sixteen channels.
        HighSlots = "high slots",
        LastTarget = "last target",
        EachSample = "each sample",
        ChannelMasks = "channel masks",
        SlotOffsets = "offsets of slots",
        /// Response or colors of 16 bits ("Return Format").
        Half = "of 16 bits",
        /// The sampler's parameters have 16 bits.
        HalfParameters = "with parameters of 16 bits",
        Transposed = "transposed",
        /// The ending thread has no URB handle to return ("Resource Select").
        NoUrbHandle = "",
    }
}

impl Block {
    /// The block of `count` units; none for other numbers.
    pub const fn of(count: u32) -> Option<Block> {
        Some(match count {
            1 => Block::X1,
            2 => Block::X2,
            4 => Block::X4,
            8 => Block::X8,
            16 => Block::X16,
            _ => return None,
        })
    }

    pub const fn count(self) -> u32 {
        match self {
            Block::X1 | Block::X1High => 1,
            Block::X2 => 2,
            Block::X4 => 4,
            Block::X8 => 8,
            Block::X16 => 16,
        }
    }
}

impl Atomic {
    pub const fn is_float(self) -> bool {
        use Atomic::*;
        matches!(
            self,
            FloatMax
                | FloatMin
                | FloatCompareExchange
                | FloatAdd
                | FloatSubtract
                | FloatAdd64
                | FloatSubtract64
        )
    }
}

/// Elements for one address, in consecutive registers or, transposed, in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    pub count: u8,
    pub transposed: bool,
}

/// Memory that a data port message accesses ("Binding Table Index").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// An entry of the binding table. It is 0 for an index in a register, which is added to the descriptor in a
    /// register.
    Bti(u8),
    /// The surface whose offset in the heap is in the extended descriptor.
    Bindless,
    /// All memory, not coherent with the host.
    StatelessNonCoherent,
    /// Shared local memory.
    Slm,
    /// All memory.
    Stateless,
}

impl Surface {
    /// The surface of an index; 252 and above are reserved indices.
    pub const fn of(index: u8) -> Surface {
        match index {
            252 => Surface::Bindless,
            253 => Surface::StatelessNonCoherent,
            254 => Surface::Slm,
            255 => Surface::Stateless,
            _ => Surface::Bti(index),
        }
    }

    pub const fn index(self) -> u8 {
        match self {
            Surface::Bti(index) => index,
            Surface::Bindless => 252,
            Surface::StatelessNonCoherent => 253,
            Surface::Slm => 254,
            Surface::Stateless => 255,
        }
    }
}

/// The flags that are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

impl Flags {
    pub const fn with(self, flag: Flag) -> Flags {
        Flags(self.0 | 1 << flag as u32)
    }

    pub const fn without(self, flag: Flag) -> Flags {
        Flags(self.0 & !(1 << flag as u32))
    }

    pub const fn has(self, flag: Flag) -> bool {
        self.0 >> flag as u32 & 1 != 0
    }
}

macro_rules! fields {
    (
        coded { $($(#[$doc:meta])* $field:ident: $value:ident($ty:ty), $what:literal;)* }
        plain { $($(#[$plain_doc:meta])* $plain:ident: $plain_ty:ty;)* }
    ) => {
        /// The meaning of a field's code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Value {
            /// A reserved code between others.
            Reserved,
            $($value($ty),)*
        }

        /// Fields of a request; those that its kind lacks are empty.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Fields {
            $($(#[$doc])* pub $field: Option<$ty>,)*
            $($(#[$plain_doc])* pub $plain: Option<$plain_ty>,)*
            pub flags: Flags,
        }

        impl Value {
            /// Name of the value's field.
            pub(crate) const fn what(self) -> &'static str {
                match self {
                    Value::Reserved => "field",
                    $(Value::$value(_) => $what,)*
                }
            }
        }

        impl Fields {
            /// Sets the value's field.
            pub(crate) fn put(&mut self, value: Value) {
                match value {
                    Value::Reserved => {}
                    $(Value::$value(value) => self.$field = Some(value),)*
                }
            }

            /// Clears the field of such a value and returns its old contents.
            pub(crate) fn take(&mut self, like: Value) -> Option<Value> {
                match like {
                    Value::Reserved => None,
                    $(Value::$value(_) => self.$field.take().map(Value::$value),)*
                }
            }
        }
    };
}

fields! {
    coded {
        simd: Simd(Simd), "number of channels";
        slots: Slots(Slots), "slot group";
        block: Block(Block), "block size";
        /// Size of an element in memory, where each channel has one of several sizes.
        bits: Bits(u8), "element size";
        /// Consecutive elements for each channel.
        elements: Elements(u8), "number of elements";
        atomic: Atomic(Atomic), "atomic operation";
        data: Data(Data), "data size";
        vector: Vector(Vector), "vector size";
        /// Size of an address of a load or store by address.
        address_bits: AddressBits(u8), "address size";
        /// True if a two-dimensional block is rearranged for matrices.
        transformed: Transformed(bool), "layout";
        scope: Scope(Scope), "scope";
        flush: Flush(Flush), "flush";
        lines: Lines(Lines), "lines";
        stream: Stream(Stream), "stream";
        address: Address(AddressKind), "kind of address";
    }
    plain {
        surface: Surface;
        /// Components x, y, z, w that are transferred, bits 0-3.
        channels: u8;
        /// Offset of scratch blocks in bytes, of the URB in dwords.
        offset: u32;
        /// Index of the sampler's state.
        sampler: u32;
        /// Code of the cache policy of a load or store by address.
        cache: u8;
    }
}

impl Value {
    /// Text in listings; none for a reserved code.
    pub(crate) const fn word(self) -> Option<&'static str> {
        Some(match self {
            Value::Reserved => return None,
            Value::Simd(simd) => simd.word(),
            Value::Slots(slots) => slots.word(),
            Value::Block(block) => block.word(),
            Value::Bits(8) => "of 8 bits",
            Value::Bits(16) => "of 16 bits",
            Value::Bits(32) => "of 32 bits",
            Value::Bits(64) => "of 64 bits",
            Value::Bits(_) => return None,
            Value::Elements(1) => "",
            Value::Elements(2) => "x2",
            Value::Elements(4) => "x4",
            Value::Elements(8) => "x8",
            Value::Elements(_) => return None,
            Value::Atomic(atomic) => atomic.word(),
            Value::Data(data) => data.word(),
            Value::Vector(Vector { count, transposed }) => match (count, transposed) {
                (1, false) => "",
                (2, false) => "x2",
                (3, false) => "x3",
                (4, false) => "x4",
                (8, false) => "x8",
                (16, false) => "x16",
                (32, false) => "x32",
                (64, false) => "x64",
                (1, true) => "x1t",
                (2, true) => "x2t",
                (3, true) => "x3t",
                (4, true) => "x4t",
                (8, true) => "x8t",
                (16, true) => "x16t",
                (32, true) => "x32t",
                (64, true) => "x64t",
                _ => return None,
            },
            Value::AddressBits(16) => "a16",
            Value::AddressBits(32) => "a32",
            Value::AddressBits(64) => "a64",
            Value::AddressBits(_) => "a?",
            Value::Transformed(false) => "a64",
            Value::Transformed(true) => "transformed a64",
            Value::Scope(scope) => scope.word(),
            Value::Flush(flush) => flush.word(),
            Value::Lines(lines) => lines.word(),
            Value::Stream(stream) => stream.word(),
            Value::Address(kind) => kind.word(),
        })
    }
}
