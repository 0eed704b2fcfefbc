//! The kinds of requests, by the names that listings give them.
//!
//! Every table row of a shared function has one kind. Kinds named `a64` take 64-bit addresses in their payload, the
//! others offsets into a surface.

macro_rules! kinds {
    ($($kind:ident => $name:literal;)*) => {
        /// A kind of request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $(#[doc = $name] $kind,)*
        }

        impl Kind {
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            /// Name in listings.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)*
                }
            }
        }
    };
}

/// The effect of a request on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    /// Writes, and possibly reads, memory.
    Write,
    /// No memory access, or a synchronising one (fence, barrier).
    Other,
}

impl Kind {
    /// True for a request whose response says that earlier ones have taken effect.
    pub const fn is_fence(self) -> bool {
        matches!(self, Kind::Fence | Kind::MemoryFence | Kind::SamplerFlush)
    }

    pub const fn access(self) -> Access {
        use Kind::*;
        match self {
            ConstantOwordBlockRead
            | ConstantAlignedOwordBlockRead
            | ConstantDwordGather
            | OwordBlockRead
            | AlignedOwordBlockRead
            | AlignedHwordBlockRead
            | OwordDualBlockRead
            | DwordGather
            | ByteGather
            | QwordGather
            | HwordScratchBlockRead
            | UntypedSurfaceRead
            | MediaBlockRead
            | TypedSurfaceRead
            | A64ByteGather
            | A64DwordGather
            | A64QwordGather
            | A64UntypedSurfaceRead
            | A64OwordBlockRead
            | A64AlignedOwordBlockRead
            | A64OwordDualBlockRead
            | A64HwordBlockRead
            | Load
            | LoadStrided
            | LoadQuad
            | LoadBlock2d
            | Sample
            | SampleB
            | SampleL
            | SampleC
            | SampleD
            | SampleBC
            | SampleLC
            | Ld
            | Gather4
            | Lod
            | Resinfo
            | Sampleinfo
            | Gather4C
            | Gather4Po
            | Gather4PoC
            | SampleDC
            | SampleMin
            | SampleMax
            | SampleLz
            | SampleCLz
            | LdLz
            | Ld2dmsW
            | LdMcs
            | Ld2dms
            | Ld2dss => Access::Read,
            OwordBlockWrite
            | AlignedHwordBlockWrite
            | OwordDualBlockWrite
            | DwordScatter
            | ByteScatter
            | QwordScatter
            | HwordScratchBlockWrite
            | UntypedAtomic
            | Untyped16BitAtomic
            | TypedAtomic
            | Typed16BitAtomic
            | UntypedSurfaceWrite
            | MediaBlockWrite
            | TypedSurfaceWrite
            | A64UntypedAtomic
            | A64Untyped16BitAtomic
            | A64OwordBlockWrite
            | A64AlignedOwordBlockWrite
            | A64OwordDualBlockWrite
            | A64HwordBlockWrite
            | A64UntypedSurfaceWrite
            | A64ByteScatter
            | A64DwordScatter
            | A64QwordScatter
            | UntypedFloatAtomic
            | UntypedHalfFloatAtomic
            | A64UntypedFloatAtomic
            | A64UntypedHalfFloatAtomic
            | Store
            | StoreStrided
            | StoreQuad
            | StoreBlock2d
            | AtomicIncrement
            | AtomicDecrement
            | AtomicStore
            | AtomicAdd
            | AtomicSubtract
            | AtomicSignedMinimum
            | AtomicSignedMaximum
            | AtomicUnsignedMinimum
            | AtomicUnsignedMaximum
            | AtomicCompareAndExchange
            | AtomicFloatAdd
            | AtomicFloatSubtract
            | AtomicFloatMinimum
            | AtomicFloatMaximum
            | AtomicFloatCompareAndExchange
            | AtomicAnd
            | AtomicOr
            | AtomicXor => Access::Write,
            _ => Access::Other,
        }
    }
}

kinds! {
    ConstantOwordBlockRead => "constant oword block read";
    ConstantAlignedOwordBlockRead => "constant aligned oword block read";
    ConstantDwordGather => "constant dword gather";
    OwordBlockRead => "oword block read";
    AlignedOwordBlockRead => "aligned oword block read";
    AlignedHwordBlockRead => "aligned hword block read";
    OwordDualBlockRead => "oword dual block read";
    DwordGather => "dword gather";
    ByteGather => "byte gather";
    QwordGather => "qword gather";
    MemoryFence => "memory fence";
    OwordBlockWrite => "oword block write";
    AlignedHwordBlockWrite => "aligned hword block write";
    OwordDualBlockWrite => "oword dual block write";
    DwordScatter => "dword scatter";
    ByteScatter => "byte scatter";
    QwordScatter => "qword scatter";
    HwordScratchBlockRead => "hword scratch block read";
    HwordScratchBlockWrite => "hword scratch block write";
    UntypedSurfaceRead => "untyped surface read";
    UntypedAtomic => "untyped atomic";
    Untyped16BitAtomic => "untyped 16-bit atomic";
    MediaBlockRead => "media block read";
    MotionSearch => "integer motion estimation";
    MotionIntra => "intra distortion";
    MotionSkip => "skip and intra check";
    MotionRefine => "fractional and bidirectional refinement";
    Sample8x8 => "sample8x8";
    SampleUnorm => "sample_unorm";
    SamplerFlush => "cache flush";
    TypedSurfaceRead => "typed surface read";
    TypedAtomic => "typed atomic";
    Typed16BitAtomic => "typed 16-bit atomic";
    UntypedSurfaceWrite => "untyped surface write";
    MediaBlockWrite => "media block write";
    TypedAtomicOnCounter => "typed atomic on counter";
    Typed16BitAtomicOnCounter => "typed 16-bit atomic on counter";
    TypedSurfaceWrite => "typed surface write";
    TypedSurfaceReadWithStatus => "typed surface read with status";
    A64ByteGather => "a64 byte gather";
    A64DwordGather => "a64 dword gather";
    A64QwordGather => "a64 qword gather";
    A64ByteGatherWithStatus => "a64 byte gather with status";
    A64UntypedSurfaceRead => "a64 untyped surface read";
    A64UntypedAtomic => "a64 untyped atomic";
    A64Untyped16BitAtomic => "a64 untyped 16-bit atomic";
    A64OwordBlockRead => "a64 oword block read";
    A64AlignedOwordBlockRead => "a64 aligned oword block read";
    A64OwordDualBlockRead => "a64 oword dual block read";
    A64HwordBlockRead => "a64 hword block read";
    A64OwordBlockWrite => "a64 oword block write";
    A64AlignedOwordBlockWrite => "a64 aligned oword block write";
    A64OwordDualBlockWrite => "a64 oword dual block write";
    A64HwordBlockWrite => "a64 hword block write";
    A64UntypedSurfaceWrite => "a64 untyped surface write";
    A64ByteScatter => "a64 byte scatter";
    A64DwordScatter => "a64 dword scatter";
    A64QwordScatter => "a64 qword scatter";
    UntypedFloatAtomic => "untyped float atomic";
    UntypedHalfFloatAtomic => "untyped half-float atomic";
    A64UntypedFloatAtomic => "a64 untyped float atomic";
    A64UntypedHalfFloatAtomic => "a64 untyped half-float atomic";
    Load => "load";
    LoadStrided => "load strided";
    LoadQuad => "load quad";
    LoadBlock2d => "load block 2d";
    Store => "store";
    StoreStrided => "store strided";
    StoreQuad => "store quad";
    StoreBlock2d => "store block 2d";
    AtomicIncrement => "atomic increment";
    AtomicDecrement => "atomic decrement";
    AtomicLoad => "atomic load";
    AtomicStore => "atomic store";
    AtomicAdd => "atomic add";
    AtomicSubtract => "atomic subtract";
    AtomicSignedMinimum => "atomic signed minimum";
    AtomicSignedMaximum => "atomic signed maximum";
    AtomicUnsignedMinimum => "atomic unsigned minimum";
    AtomicUnsignedMaximum => "atomic unsigned maximum";
    AtomicCompareAndExchange => "atomic compare and exchange";
    AtomicFloatAdd => "atomic float add";
    AtomicFloatSubtract => "atomic float subtract";
    AtomicFloatMinimum => "atomic float minimum";
    AtomicFloatMaximum => "atomic float maximum";
    AtomicFloatCompareAndExchange => "atomic float compare and exchange";
    AtomicAnd => "atomic and";
    AtomicOr => "atomic or";
    AtomicXor => "atomic xor";
    LoadStatus => "load status";
    StoreUncompressed => "store uncompressed";
    CompressionStateControl => "compression state control";
    ReadSurfaceState => "read surface state";
    Fence => "fence";
    StoreQuadUncompressed => "store quad uncompressed";
    AtomicAddToAppendCounter => "atomic add to append counter";
    AtomicSubtractFromAppendCounter => "atomic subtract from append counter";
    AtomicStoreToAppendCounter => "atomic store to append counter";
    LoadQuadOfMultisampledTarget => "load quad of multisampled target";
    StoreQuadOfMultisampledTarget => "store quad of multisampled target";
    Sample => "sample";
    SampleB => "sample_b";
    SampleL => "sample_l";
    SampleC => "sample_c";
    SampleD => "sample_d";
    SampleBC => "sample_b_c";
    SampleLC => "sample_l_c";
    Ld => "ld";
    Gather4 => "gather4";
    Lod => "lod";
    Resinfo => "resinfo";
    Sampleinfo => "sampleinfo";
    SampleKillpix => "sample_killpix";
    Gather4C => "gather4_c";
    Gather4Po => "gather4_po";
    Gather4PoC => "gather4_po_c";
    SampleDC => "sample_d_c";
    SampleMin => "sample_min";
    SampleMax => "sample_max";
    SampleLz => "sample_lz";
    SampleCLz => "sample_c_lz";
    LdLz => "ld_lz";
    Ld2dmsW => "ld2dms_w";
    LdMcs => "ld_mcs";
    Ld2dms => "ld2dms";
    Ld2dss => "ld2dss";
    EndOfThread => "end of thread";
    SignalEvent => "signal event";
    MonitorEvent => "monitor event";
    StopMonitoring => "stop monitoring";
    Barrier => "barrier";
    NamedBarrier => "named barrier";
    WaitForEvent => "wait for event";
    SaveBarrier => "save barrier";
    RestoreBarrier => "restore barrier";
    EndOfRestore => "end of restore";
    RestoreStack => "restore stack";
    BarrierOfSystemRoutine => "barrier of system routine";
    RenderTargetWrite => "render target write";
    RenderTargetRead => "render target read";
    UrbDwordWrite => "dword write";
    UrbDwordRead => "dword read";
    UrbFence => "fence";
    SpawnBindlessThreads => "spawn bindless threads";
    SpawnBindlessThreadsBeyondTheLimit => "spawn bindless threads beyond the limit";
    DereferenceResource => "dereference resource";
}
