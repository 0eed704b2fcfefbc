//! Errors of execution have a place and a cause: group, thread, instruction as in listings, and the registers that it
//! names.

use std::sync::Mutex;

use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, Message, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, Src,
    SrcReg, Target, Type,
};
use kiln_emit::platform::SKL;
use kiln_emit::ze_info::ZeInfo;
use kiln_exec::{Arg, Cause, ExecError, Launch, Options, Program, RunError, Stats, Trace};

/// A kernel of eight channels with one buffer as entry 0 of the binding table. Its local ids are in r1-r3.
const INFO: &[u8] = b"
version: '1.20'
kernels:
  - name: k
    execution_env: {grf_count: 128, simd_size: 8, slm_size: 64}
    payload_arguments:
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global, access_type: readwrite}
    per_thread_payload_arguments:
      - {arg_type: local_id, offset: 0, size: 96}
    binding_table_indices:
      - {bti_value: 0, arg_index: 0}
";

fn options() -> Options<'static> {
    Options {
        check: true,
        ..Options::default()
    }
}

/// Runs code in groups of two threads, on a buffer of 64 bytes.
fn run(insts: Vec<Inst>, groups: u32, options: &Options) -> Result<(Stats, Vec<u8>), RunError> {
    let info = ZeInfo::parse(INFO).unwrap();
    let mut launch = Launch {
        ze_info: &info,
        kernel: "k",
        global: [16 * groups, 1, 1],
        local: [16, 1, 1],
        dimensions: 1,
        args: vec![Arg::Buffer(vec![7; 64])],
        budget: 10_000,
    };
    let stats = launch.run_with(&Program::from_insts(insts, &SKL), options)?;
    Ok((stats, launch.args[0].memory().unwrap().to_vec()))
}

fn failure(insts: Vec<Inst>) -> Box<ExecError> {
    match run(insts, 1, &options()) {
        Err(RunError::Exec(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn inst(op: Op, exec: u8, dst: Dst, srcs: &[Src]) -> Inst {
    let mut inst = Inst::new(op, exec);
    inst.dst = Some(dst);
    inst.srcs = srcs.iter().copied().collect();
    inst
}

fn ud(num: u32) -> Dst {
    Dst::new(Reg::grf(num), 1, Type::Ud)
}

fn vector(num: u32) -> Src {
    Src::reg(Reg::grf(num), Region::packed(8), Type::Ud)
}

fn imm(value: u32) -> Src {
    Src::imm(Type::Ud, value.into())
}

fn mov(num: u32, value: u32) -> Inst {
    inst(Op::Mov, 8, ud(num), &[imm(value)])
}

/// A message to the second data cache: one dword of eight channels, addresses in r`address`.
fn message(write: bool, bti: u32, address: u32, data: u32) -> Inst {
    let (kind, response, data_len) = if write { (9, 0, 1) } else { (1, 1, 0) };
    let sources = [
        Src::reg(Reg::grf(address), Region::packed(8), Type::Ud),
        Src::reg(
            if write { Reg::grf(data) } else { Reg::NULL },
            Region::packed(8),
            Type::Ud,
        ),
    ];
    let dst = if write {
        Dst::new(Reg::NULL, 1, Type::Ud)
    } else {
        ud(data)
    };
    let mut send = inst(Op::Sends, 8, dst, &sources);
    send.msg = Some(Message {
        sfid: 12,
        eot: false,
        desc: Desc::Imm(1 << 25 | response << 20 | kind << 14 | 2 << 12 | 0xe << 8 | bti),
        ex_desc: Desc::Imm(data_len << 6 | 12),
    });
    send
}

fn no_mask(mut inst: Inst) -> Inst {
    inst.no_mask = true;
    inst
}

fn end() -> Inst {
    let mut send = inst(
        Op::Send,
        8,
        Dst::new(Reg::NULL, 1, Type::Ud),
        &[vector(127)],
    );
    send.no_mask = true;
    send.msg = Some(Message {
        sfid: 7,
        eot: true,
        desc: Desc::Imm(0x0200_0010),
        ex_desc: Desc::Imm(0x27),
    });
    send
}

/// The gateway's barrier, and the wait for it.
fn barrier() -> [Inst; 2] {
    let mut signal = inst(Op::Send, 1, Dst::new(Reg::NULL, 1, Type::Ud), &[vector(0)]);
    signal.no_mask = true;
    signal.msg = Some(Message {
        sfid: 3,
        eot: false,
        desc: Desc::Imm(0x0200_0004),
        ex_desc: Desc::Imm(3),
    });
    let mut wait = Inst::new(Op::Wait, 1);
    wait.no_mask = true;
    let count = Reg::new(RegFile::Notification, 0, 0);
    wait.srcs.push(Src::reg(count, Region::SCALAR, Type::Ud));
    [signal, wait]
}

#[test]
fn an_access_out_of_bounds_names_place_and_registers() {
    let error = failure(vec![mov(10, 64), message(false, 0, 10, 12), end()]);
    assert!(
        matches!(
            error.cause,
            Cause::OutOfBounds {
                channel: 0,
                at: 64,
                room: 64,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!((error.group, error.thread, error.ip), ([0, 0, 0], 0, 16));
    let text = error.to_string();
    for part in [
        "group [0, 0, 0], thread 0, offset 0x10",
        "sends (8|M0)",
        "r10: 00000040 00000040",
    ] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    // The last four bytes are in bounds.
    assert!(
        run(
            vec![mov(10, 60), message(false, 0, 10, 12), end()],
            1,
            &options()
        )
        .is_ok()
    );
}

#[test]
fn an_access_at_no_multiple_of_its_size_is_an_error() {
    for bti in [0, 254] {
        let error = failure(vec![mov(10, 2), message(false, bti, 10, 12), end()]);
        assert!(
            matches!(
                error.cause,
                Cause::Misaligned {
                    channel: 0,
                    at: 2,
                    size: 4,
                    alignment: 4
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn the_use_of_a_register_nobody_wrote_is_an_error() {
    let sum = |num| inst(Op::Add, 8, ud(12), &[vector(num), imm(1)]);
    let error = failure(vec![mov(10, 0), sum(50), end()]);
    assert!(
        matches!(
            error.cause,
            Cause::Undefined {
                channel: 0,
                register: 50,
                byte: 0
            }
        ),
        "{error}"
    );
    assert_eq!(error.ip, 16);
    assert!(run(vec![mov(50, 0), sum(50), end()], 1, &options()).is_ok());
    // Without the check it has some value.
    assert!(run(vec![sum(50), end()], 1, &Options::default()).is_ok());
    // The payload is defined: r0 and the local ids.
    assert!(run(vec![sum(0), sum(1), sum(3), end()], 1, &options()).is_ok());
    assert!(matches!(
        failure(vec![sum(4), end()]).cause,
        Cause::Undefined { register: 4, .. }
    ));
    // A part of a register: the upper half of each dword of r51 stays undefined.
    let half = inst(
        Op::Mov,
        8,
        Dst::new(Reg::grf(51), 2, Type::Uw),
        &[Src::imm(Type::Uw, 1)],
    );
    assert!(matches!(
        failure(vec![half, sum(51), end()]).cause,
        Cause::Undefined {
            channel: 0,
            register: 51,
            byte: 2
        }
    ));
}

#[test]
fn what_is_undefined_may_be_moved_but_not_sent() {
    let copy = inst(Op::Mov, 8, ud(52), &[vector(50)]);
    assert!(run(vec![copy.clone(), end()], 1, &options()).is_ok());
    let store = |num| message(true, 0, 10, num);
    assert!(matches!(
        failure(vec![mov(10, 0), copy.clone(), store(52), end()]).cause,
        Cause::UndefinedSent {
            register: 52,
            byte: 0
        }
    ));
    assert!(matches!(
        failure(vec![message(false, 0, 50, 12), end()]).cause,
        Cause::UndefinedSent {
            register: 50,
            byte: 0
        }
    ));
    // A response is defined.
    let sum = inst(Op::Add, 8, ud(13), &[vector(12), imm(1)]);
    assert!(
        run(
            vec![mov(10, 0), message(false, 0, 10, 12), sum, end()],
            1,
            &options()
        )
        .is_ok()
    );
}

#[test]
fn only_channels_that_execute_must_be_defined() {
    // r50 is written where the local id is below 4, and read there.
    let ids = Src::reg(Reg::grf(1), Region::packed(8), Type::Uw);
    let null = Dst::new(Reg::NULL, 1, Type::Uw);
    let mut below = inst(Op::Cmp, 8, null, &[ids, Src::imm(Type::Uw, 4)]);
    let flag = Reg::new(RegFile::Flag, 0, 0);
    below.cond = Some(CondMod {
        cond: Cond::Lt,
        flag,
    });
    let when = |mut inst: Inst, inverse| {
        inst.pred = Some(Pred {
            flag,
            inverse,
            ctrl: PredCtrl::Normal,
        });
        inst
    };
    let sum = inst(Op::Add, 8, ud(12), &[vector(50), imm(1)]);
    let code = |inverse| {
        vec![
            below.clone(),
            when(mov(50, 3), false),
            when(sum.clone(), inverse),
            end(),
        ]
    };
    assert!(run(code(false), 1, &options()).is_ok());
    assert!(matches!(
        failure(code(true)).cause,
        Cause::Undefined {
            channel: 4,
            register: 50,
            ..
        }
    ));
    // A `sel` reads only the chosen source of each channel.
    let sel = when(inst(Op::Sel, 8, ud(12), &[vector(50), imm(1)]), false);
    let chosen = vec![below.clone(), when(mov(50, 3), false), sel, end()];
    assert!(run(chosen, 1, &options()).is_ok());
}

#[test]
fn addresses_of_channels_that_do_not_execute_do_not_matter() {
    // a0.0-a0.7 hold an address for each channel; the upper four are out of range, but those channels are disabled.
    let a0 = |byte| Dst::new(Reg::new(RegFile::Addr, 0, byte), 1, Type::Uw);
    let good = no_mask(inst(Op::Mov, 8, a0(0), &[Src::imm(Type::Uw, 0x20)]));
    let bad = no_mask(inst(Op::Mov, 4, a0(8), &[Src::imm(Type::Uw, 0xfff0)]));
    let indirect = |lanes: u8| {
        let source = Src::Reg(SrcReg {
            place: Place::Indirect {
                addr: Reg::new(RegFile::Addr, 0, 0),
                imm: 0,
            },
            region: Region {
                vstride: None,
                width: 1,
                hstride: 0,
            },
            ty: Type::Uw,
            modifier: Default::default(),
            swizzle: kiln_emit::inst::SWIZZLE_XYZW,
            mme: None,
        });
        let mut read = inst(Op::Mov, 8, Dst::new(Reg::grf(12), 1, Type::Uw), &[source]);
        if lanes < 8 {
            read.pred = Some(Pred {
                flag: Reg::new(RegFile::Flag, 0, 0),
                inverse: false,
                ctrl: PredCtrl::Normal,
            });
        }
        read
    };
    let flags = no_mask(inst(
        Op::Mov,
        1,
        Dst::new(Reg::new(RegFile::Flag, 0, 0), 1, Type::Uw),
        &[Src::imm(Type::Uw, 0x0f)],
    ));
    let code = |lanes| {
        vec![
            good.clone(),
            bad.clone(),
            flags.clone(),
            indirect(lanes),
            end(),
        ]
    };
    assert!(run(code(4), 1, &options()).is_ok());
    assert!(matches!(
        failure(code(8)).cause,
        Cause::RegisterRange {
            at: 0xfff0,
            size: 4096
        }
    ));
}

#[test]
fn an_endless_loop_uses_up_the_budget() {
    let mut jump = Inst::new(Op::Jmpi, 1);
    jump.no_mask = true;
    jump.jip = Some(Target::Offset(-16));
    let code = vec![mov(10, 0), mov(11, 0), jump];
    for threads in [1, 2] {
        let options = Options {
            threads,
            ..options()
        };
        let Err(RunError::Exec(error)) = run(code.clone(), 3, &options) else {
            panic!("it ends");
        };
        assert!(matches!(error.cause, Cause::Budget(10_000)), "{error}");
        assert_eq!(error.group, [0, 0, 0]);
    }
    // All groups share the budget: each thread here takes 102 instructions, a group 204.
    let long = || {
        let mut code: Vec<Inst> = (0..101).map(|_| mov(10, 0)).collect();
        code.push(end());
        code
    };
    assert!(run(long(), 49, &options()).is_ok());
    for threads in [1, 2, 3] {
        let options = Options {
            threads,
            ..Options::default()
        };
        match run(long(), 60, &options) {
            Err(RunError::Budget {
                group,
                budget: 10_000,
            }) => assert_eq!(group, [49, 0, 0]),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_barrier_that_a_thread_leaves_out_is_an_error() {
    // The thread with local ids from 8 on jumps over the barrier.
    let mut skip = Inst::new(Op::Jmpi, 1);
    skip.no_mask = true;
    skip.jip = Some(Target::Offset(48));
    skip.pred = Some(Pred {
        flag: Reg::new(RegFile::Flag, 0, 0),
        inverse: false,
        ctrl: PredCtrl::Normal,
    });
    let first = Src::reg(Reg::grf(1), Region::SCALAR, Type::Uw);
    let null = Dst::new(Reg::NULL, 1, Type::Uw);
    let mut second = no_mask(inst(Op::Cmp, 1, null, &[first, Src::imm(Type::Uw, 8)]));
    second.cond = Some(CondMod {
        cond: Cond::Ge,
        flag: Reg::new(RegFile::Flag, 0, 0),
    });
    let [signal, wait] = barrier();
    let error = failure(vec![second, skip, signal.clone(), wait.clone(), end()]);
    assert!(
        matches!(
            error.cause,
            Cause::Deadlock {
                waiting: 1,
                threads: 2
            }
        ),
        "{error}"
    );
    assert_eq!((error.thread, error.ip), (0, 48));
    assert!(error.to_string().contains("wait"), "{error}");
    // With both threads at the barrier there is no deadlock.
    assert!(run(vec![signal, wait, end()], 1, &options()).is_ok());
}

#[test]
fn the_error_is_that_of_the_first_group_that_fails() {
    // The group's number is r0.1: groups from 5 on read out of bounds.
    let number = Src::reg(Reg::new(RegFile::Grf, 0, 4), Region::SCALAR, Type::Ud);
    let times = inst(Op::Mul, 8, ud(10), &[number, imm(12)]);
    let code = vec![times, message(false, 0, 10, 12), end()];
    for _ in 0..20 {
        for threads in [1, 2, 4] {
            let options = Options {
                threads,
                ..Options::default()
            };
            let Err(RunError::Exec(error)) = run(code.clone(), 64, &options) else {
                panic!("it must fail");
            };
            assert!(
                matches!(error.cause, Cause::OutOfBounds { at: 72, .. }),
                "{error}"
            );
            assert_eq!(error.group, [6, 0, 0]);
        }
    }
}

#[test]
fn figures_do_not_depend_on_the_number_of_threads() {
    let [signal, wait] = barrier();
    let code = vec![
        mov(10, 4),
        message(false, 0, 10, 12),
        signal,
        wait,
        message(true, 0, 10, 12),
        end(),
    ];
    let figures = |threads| {
        let options = Options {
            threads,
            ..options()
        };
        run(code.clone(), 50, &options).unwrap().0
    };
    let stats = figures(1);
    assert_eq!(stats, figures(2));
    assert_eq!(stats, figures(5));
    assert_eq!((stats.groups, stats.threads), (50, 100));
    assert_eq!((stats.instructions, stats.messages), (600, 400));
    assert_eq!((stats.bytes_read, stats.bytes_written), (3200, 3200));
    assert_eq!(stats.by_instruction["mov"].instructions, 100);
    assert_eq!(stats.by_instruction["mov"].lanes, 800);
    let kinds: Vec<u64> = stats.by_message.values().map(|c| c.instructions).collect();
    assert_eq!(kinds, [100, 100, 100, 100], "{:?}", stats.by_message);
}

#[test]
fn a_trace_has_the_values_that_are_written() {
    let code = vec![
        mov(10, 4),
        message(false, 0, 10, 12),
        inst(Op::Add, 8, ud(13), &[vector(12), imm(1)]),
        end(),
    ];
    let traced = |group, thread| {
        let out = Mutex::new(Vec::new());
        let trace = Trace {
            out: &out,
            group,
            thread,
        };
        let options = Options {
            trace: Some(&trace),
            ..options()
        };
        run(code.clone(), 3, &options).unwrap();
        String::from_utf8(out.into_inner().unwrap()).unwrap()
    };
    let text = traced(Some(2), Some(1));
    let expected = [
        "2,0,0:1 0x0000         mov (8|M0)",
        "    r10.0 = 0x4 0x4 0x4 0x4 0x4 0x4 0x4 0x4",
        "    r12 = 0x7070707 0x7070707",
        "    r13.0 = 0x7070708 0x7070708",
        "2,0,0:1 0x0030",
    ];
    for part in expected {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    assert_eq!(text.lines().filter(|l| !l.starts_with(' ')).count(), 4);
    let all = traced(None, None);
    assert_eq!(all.lines().filter(|l| !l.starts_with(' ')).count(), 24);
}

/// Buffers are moved to the memory of the run; they come back in every case.
#[test]
fn buffers_come_back_from_launches_that_fail() {
    let info = ZeInfo::parse(INFO).unwrap();
    let mut shared = info.clone();
    shared.kernels[0].execution_env.slm_size = 1 << 20;
    let mut other = info.clone();
    other.kernels[0].execution_env.simd_size = 7;
    let program = Program::from_insts(Vec::new(), &SKL);
    for (info, expected) in [
        (&info, "no instruction"),
        (&shared, "1048576 bytes of shared local memory"),
        (&other, "SIMD size 7"),
    ] {
        let mut launch = Launch {
            ze_info: info,
            kernel: "k",
            global: [16, 1, 1],
            local: [16, 1, 1],
            dimensions: 1,
            args: vec![Arg::Buffer((0..67).collect())],
            budget: 10_000,
        };
        let error = launch.run(&program).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(launch.args, [Arg::Buffer((0..67).collect())]);
    }
}
