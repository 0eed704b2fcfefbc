//! Requests to shared functions and their descriptors, made by the builders.

use kiln_emit::inst::{Desc, Op};
use kiln_emit::messages::access::{
    Address, Cache, Elements, MemoryAccess, MemoryFence, Operation, Space,
};
use kiln_emit::messages::data_port::{self, *};
use kiln_emit::messages::others::{barrier, end_of_thread, sample};
use kiln_emit::messages::{
    Atomic, Block, Flag, Function, Kind, Request, RequestError, Simd, Slots, Surface,
};
use kiln_emit::platform::{Family, MessageFamily, SKL, find};

fn encode(request: Request) -> (u8, u32, u32) {
    let made = request.encode(Family::Gen9).expect("descriptors");
    let again = Request::decode(made, Family::Gen9).expect("a request");
    assert_eq!(again, request);
    (made.sfid, made.desc, made.ex_desc)
}

/// Descriptors as the reference compiler's listings have them.
#[test]
fn builders_make_the_descriptors_of_the_manual() {
    let a64 = Surface::Stateless;
    for (request, expected) in [
        (
            untyped_read(0b0001, Simd::S16)
                .surface(Surface::Bti(3))
                .lengths(2, 0, 2),
            (12, 0x0420_5e03, 0x0c),
        ),
        (
            untyped_write(0b0011, Simd::S8)
                .surface(Surface::Bti(1))
                .lengths(1, 2, 0),
            (12, 0x0202_6c01, 0x8c),
        ),
        (
            a64_untyped_read(0b1111, Simd::S8)
                .surface(a64)
                .lengths(2, 0, 4),
            (12, 0x0444_60ff, 0x0c),
        ),
        (
            byte_scatter(8, Simd::S16)
                .surface(Surface::Bti(0))
                .lengths(2, 2, 0),
            (10, 0x0403_0100, 0x8a),
        ),
        (
            a64_byte_gather(32, Simd::S8).surface(a64).lengths(2, 0, 1),
            (12, 0x0414_08ff, 0x0c),
        ),
        (
            block(Kind::OwordBlockWrite, Block::X2)
                .surface(Surface::Stateless)
                .with_header()
                .lengths(1, 1, 0),
            (10, 0x020a_02ff, 0x4a),
        ),
        (
            elements(Kind::A64QwordGather, 1, Simd::S8)
                .surface(a64)
                .lengths(2, 0, 2),
            (12, 0x0424_02ff, 0x0c),
        ),
        (
            atomic(Atomic::Add, Simd::S16, true)
                .surface(Surface::Slm)
                .lengths(2, 2, 2),
            (12, 0x0420_a7fe, 0x8c),
        ),
        (
            a64_atomic(Atomic::CompareExchange, 64, false)
                .surface(a64)
                .lengths(2, 4, 0),
            (12, 0x0404_9eff, 0x10c),
        ),
        (
            typed_write(0b1111, Slots::Low)
                .surface(Surface::Bti(2))
                .lengths(2, 4, 0),
            (12, 0x0403_5002, 0x10c),
        ),
        (memory_fence(true).lengths(1, 0, 1), (10, 0x0219_e000, 0x0a)),
        (
            scratch_read(Block::X4, 160).lengths(1, 0, 4),
            (10, 0x024c_2005, 0x0a),
        ),
        (
            scratch_write(Block::X2, 32)
                .flag(Flag::ByDword, true)
                .lengths(1, 2, 0),
            (10, 0x020f_1001, 0x8a),
        ),
        (barrier(), (3, 0x0200_0004, 0x03)),
        (end_of_thread(Family::Gen9), (7, 0x0200_0010, 0x27)),
        (
            sample(Kind::Ld, Simd::S16, 0)
                .surface(Surface::Bti(1))
                .lengths(6, 0, 8),
            (2, 0x0c84_7001, 0x02),
        ),
    ] {
        assert_eq!(encode(request), expected, "{request:x?}");
    }
}

#[test]
fn what_has_no_descriptor_is_refused() {
    let read = untyped_read(1, Simd::S16).lengths(2, 0, 2);
    let surface = Surface::Bti(0);
    let kind = Kind::UntypedSurfaceRead;
    for (request, expected) in [
        (
            read,
            RequestError::Missing {
                kind,
                what: "surface",
            },
        ),
        (
            untyped_read(16, Simd::S16).surface(surface),
            RequestError::Range {
                what: "channels",
                value: 16,
            },
        ),
        (
            untyped_read(1, Simd::S32).surface(surface),
            RequestError::Value {
                kind,
                what: "number of channels",
            },
        ),
        (
            read.surface(surface).flag(Flag::Returns, true),
            RequestError::Unexpected { kind },
        ),
        (
            read.surface(surface).lengths(16, 0, 0),
            RequestError::Range {
                what: "length",
                value: 16,
            },
        ),
        (
            read.surface(surface).with_header().lengths(1, 16, 0),
            RequestError::Range {
                what: "length",
                value: 16,
            },
        ),
        (
            Request::new(Function::Gateway, kind),
            RequestError::Kind {
                function: Function::Gateway,
                kind,
            },
        ),
        (
            scratch_read(Block::X1, 31),
            RequestError::Range {
                what: "offset",
                value: 31,
            },
        ),
        (
            data_port::scratch_read(Block::X1, 1 << 17),
            RequestError::Range {
                what: "offset",
                value: 1 << 12,
            },
        ),
    ] {
        assert_eq!(request.encode(Family::Gen9), Err(expected), "{request:x?}");
    }
}

#[test]
fn constants_become_the_messages_of_sends() {
    let message = end_of_thread(Family::Gen9)
        .encode(Family::Gen9)
        .expect("descriptors")
        .message();
    assert!(message.eot && message.sfid == 7);
    assert_eq!(message.desc, Desc::Imm(0x0200_0010));
    let mut send = kiln_emit::inst::Inst::new(Op::Send, 8);
    send.msg = Some(message);
    assert_eq!(send.msg, Some(message));
    // Since Gen12 the extended descriptor does not repeat the function.
    let later = barrier().encode(Family::Gen12Lp).expect("descriptors");
    assert_eq!((later.sfid, later.ex_desc), (3, 0));
}

/// Descriptors as the reference compiler's listings have them.
#[test]
fn accesses_of_memory_become_messages_of_the_data_port() {
    let dwords = Elements::Components { mask: 0b0001 };
    let qword = Elements::Numbers {
        bits: 64,
        count: 1,
        alignment: 8,
    };
    let atomic = Operation::Atomic {
        operation: Atomic::Add,
        returns: true,
    };
    let read = MemoryAccess::per_channel(Operation::Load, Space::Surface, dwords, 16);
    let add = MemoryAccess::per_channel(atomic, Space::Global, qword, 8);
    let block = |write, address| MemoryAccess::scratch(write, address, 64);
    for (access, expected) in [
        (read, untyped_read(0b0001, Simd::S16)),
        (add, a64_atomic(Atomic::Add, 64, true)),
        (
            block(true, Address::Constant(96)),
            scratch_write(Block::X2, 96).flag(Flag::ByDword, true),
        ),
        (
            MemoryAccess {
                cache: Cache::LastUse,
                ..block(false, Address::Constant(96))
            },
            scratch_read(Block::X2, 96).flag(Flag::InvalidateAfterRead, true),
        ),
        (
            block(false, Address::Uniform),
            data_port::block(Kind::OwordBlockRead, Block::X4)
                .surface(Surface::Stateless)
                .with_header(),
        ),
    ] {
        assert_eq!(access.request(&SKL), Ok(expected), "{access:?}");
    }
    let wide = MemoryAccess {
        channels: 16,
        ..add
    };
    assert!(wide.request(&SKL).is_err());
    assert_eq!(wide.max_channels(&SKL), 8);
    let fence = MemoryFence {
        local: true,
        flush_level_1: false,
    };
    let icllp = find("icllp").expect("a platform");
    assert_eq!(fence.requests(&SKL)[..], [memory_fence(true)]);
    assert_eq!(
        fence.requests(icllp)[..],
        [memory_fence(true).surface(Surface::Slm)]
    );
}

#[test]
fn fences_of_load_store_units_are_those_of_the_reference() {
    // `fence_global` and `fence_local` as GenX_IR compiles them for Xe2.
    let expected: [(bool, &[_]); 2] = [
        (
            false,
            &[
                (Function::Untyped, 0x0210_161f),
                (Function::Typed, 0x0210_161f),
            ],
        ),
        (true, &[(Function::LocalMemory, 0x0210_001f)]),
    ];
    let xe2 = find("bmg").expect("a platform");
    for (local, expected) in expected {
        let fence = MemoryFence {
            local,
            flush_level_1: false,
        };
        let found = fence.requests(xe2).into_iter().map(|request| {
            let encoded = request.lengths(1, 0, 1).encode(xe2.family);
            (request.function, encoded.expect("descriptors").desc)
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_message_family_without_a_lowering_is_an_error() {
    let xe = find("pvc").expect("a platform");
    let access = MemoryAccess::scratch(true, Address::Constant(0), 64);
    assert_eq!(
        access.request(xe),
        Err(RequestError::Access(MessageFamily::LoadStore))
    );
}
