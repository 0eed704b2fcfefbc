//! The kinds of requests: the effect of each on memory, and its name in listings.
//!
//! Every table row of a shared function has one kind. Kinds named `a64` take 64-bit addresses in their payload, the
//! others offsets into a surface.

/// The effect of a request on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    /// Writes, and possibly reads, memory.
    Write,
    /// No memory access, or a synchronising one (fence, barrier).
    Other,
}

macro_rules! kinds {
    ($($access:ident { $($kind:ident => $name:literal;)* })*) => {
        /// A kind of request.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[doc = $name] $kind,)*)*
        }

        impl Kind {
            /// Name in listings.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Kind::$kind => $name,)*)*
                }
            }

            pub const fn access(self) -> Access {
                match self {
                    $($(Kind::$kind)|* => Access::$access,)*
                }
            }
        }
    };
}

impl Kind {
    /// True for a request whose response says that earlier ones have taken effect.
    pub const fn is_fence(self) -> bool {
        matches!(self, Kind::Fence | Kind::MemoryFence | Kind::SamplerFlush)
    }
}

kinds! {
    Read {
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
        HwordScratchBlockRead => "hword scratch block read";
        UntypedSurfaceRead => "untyped surface read";
        MediaBlockRead => "media block read";
        TypedSurfaceRead => "typed surface read";
        A64ByteGather => "a64 byte gather";
        A64DwordGather => "a64 dword gather";
        A64QwordGather => "a64 qword gather";
        A64UntypedSurfaceRead => "a64 untyped surface read";
        A64OwordBlockRead => "a64 oword block read";
        A64AlignedOwordBlockRead => "a64 aligned oword block read";
        A64OwordDualBlockRead => "a64 oword dual block read";
        A64HwordBlockRead => "a64 hword block read";
        Load => "load";
        LoadStrided => "load strided";
        LoadQuad => "load quad";
        LoadBlock2d => "load block 2d";
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
    }
    Write {
        OwordBlockWrite => "oword block write";
        AlignedHwordBlockWrite => "aligned hword block write";
        OwordDualBlockWrite => "oword dual block write";
        DwordScatter => "dword scatter";
        ByteScatter => "byte scatter";
        QwordScatter => "qword scatter";
        HwordScratchBlockWrite => "hword scratch block write";
        UntypedAtomic => "untyped atomic";
        Untyped16BitAtomic => "untyped 16-bit atomic";
        TypedAtomic => "typed atomic";
        Typed16BitAtomic => "typed 16-bit atomic";
        UntypedSurfaceWrite => "untyped surface write";
        MediaBlockWrite => "media block write";
        TypedSurfaceWrite => "typed surface write";
        A64UntypedAtomic => "a64 untyped atomic";
        A64Untyped16BitAtomic => "a64 untyped 16-bit atomic";
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
        Store => "store";
        StoreStrided => "store strided";
        StoreQuad => "store quad";
        StoreBlock2d => "store block 2d";
        AtomicIncrement => "atomic increment";
        AtomicDecrement => "atomic decrement";
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
    }
    Other {
        MemoryFence => "memory fence";
        MotionSearch => "integer motion estimation";
        MotionIntra => "intra distortion";
        MotionSkip => "skip and intra check";
        MotionRefine => "fractional and bidirectional refinement";
        Sample8x8 => "sample8x8";
        SampleUnorm => "sample_unorm";
        SamplerFlush => "cache flush";
        TypedAtomicOnCounter => "typed atomic on counter";
        Typed16BitAtomicOnCounter => "typed 16-bit atomic on counter";
        TypedSurfaceReadWithStatus => "typed surface read with status";
        A64ByteGatherWithStatus => "a64 byte gather with status";
        AtomicLoad => "atomic load";
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
        SampleKillpix => "sample_killpix";
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
}
