//! Translated code does what the interpreter does: results, figures and errors of whole kernels. Random programs are
//! compared by the example `engines` and by `ops`, changed code by the example, too.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, MathFn, Message, Op, Pred, PredCtrl, Reg, RegFile, Region, Src,
    Target, Type,
};
use kiln_emit::platform::{self, PLATFORMS, Platform};
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::translate::{Host, Listing};
use kiln_exec::{Arg, Cause, Engine, Launch, Options, Program, Registers, Stats, World};

/// A kernel of the project with its launch.
struct Kernel {
    description: Description,
    zebin: Zebin,
    platform: &'static Platform,
    args: Vec<Arg>,
}

impl Kernel {
    fn read(name: &str, platform: &str) -> Kernel {
        let kernel = kiln_corpus::Kernel::named(name);
        let folder = &kernel.folder;
        let yaml = std::fs::read_to_string(folder.join("launch.yaml")).unwrap();
        let description = Description::parse(&yaml).unwrap();
        let file = std::fs::read(kernel.object(platform).unwrap()).unwrap();
        Kernel {
            args: description.load_args(folder).unwrap(),
            description,
            zebin: Zebin::parse(&file).unwrap(),
            platform: platform::find(platform).unwrap(),
        }
    }

    fn program(&self) -> Program {
        Program::from_zebin(&self.zebin, &self.description.kernel, self.platform).unwrap()
    }

    fn run(
        &self,
        program: &Program,
        engine: Engine,
        args: Vec<Arg>,
        budget: u64,
    ) -> (Result<Stats, String>, Vec<Arg>) {
        let mut launch = Launch {
            ze_info: &self.zebin.ze_info,
            kernel: &self.description.kernel,
            global: self.description.global,
            local: self.description.local,
            dimensions: self.description.dimensions,
            args,
            budget,
        };
        let options = Options {
            threads: 1,
            engine,
            ..Options::default()
        };
        let result = launch.run_with(program, &options);
        (result.map_err(|e| e.to_string()), launch.args)
    }

    /// Runs with both engines, one after the other; results, figures and errors must be the same.
    fn agrees(&self, program: &Program, args: &[Arg], budget: u64) {
        let [interpreted, translated] = [Engine::Interpret, Engine::Translate]
            .map(|engine| self.run(program, engine, args.to_vec(), budget));
        let name = &self.description.kernel;
        assert_eq!(interpreted.0, translated.0, "{name}, budget {budget}");
        assert!(interpreted.1 == translated.1, "{name}, budget {budget}");
    }
}

const KERNELS: [&str; 8] = [
    "saxpy",
    "sgemm",
    "mandelbrot",
    "nbody",
    "int64",
    "reduction",
    "histogram",
    "switch",
];

#[test]
fn results_and_figures_are_the_same() {
    if Host::available().is_none() {
        return;
    }
    let compiled = |p: &&Platform| {
        kiln_corpus::Kernel::named(KERNELS[0])
            .object(p.name)
            .is_some()
    };
    let platforms: Vec<_> = PLATFORMS.iter().filter(compiled).collect();
    assert!(
        platforms.len() >= 7,
        "object files of {} platforms",
        platforms.len()
    );
    for platform in platforms.into_iter().map(|platform| platform.name) {
        for name in KERNELS {
            let kernel = Kernel::read(name, platform);
            let program = kernel.program();
            kernel.agrees(&program, &kernel.args, Launch::BUDGET);
            let (result, _) =
                kernel.run(&program, Engine::Both, kernel.args.clone(), Launch::BUDGET);
            assert_eq!(result.err(), None, "{name} on {platform}");
        }
    }
}

#[test]
fn budgets_end_at_the_same_instruction() {
    if Host::available().is_none() {
        return;
    }
    for name in ["sgemm", "reduction", "nested_loops", "mandelbrot"] {
        let kernel = Kernel::read(name, "skl");
        let program = kernel.program();
        let each = (1..60).chain((60..5000).step_by(97));
        each.for_each(|budget| kernel.agrees(&program, &kernel.args, budget));
    }
}

#[test]
fn vectors_stay_in_registers_over_a_loop() {
    let kernel = Kernel::read("mandelbrot", "skl");
    let listing = Listing::of(&kernel.program(), Host::Avx512).unwrap();
    let inside = |at: u32| (0xf8..=0x1c0).contains(&at);
    let mut code = Vec::new();
    for block in &listing.blocks {
        let operations = block.operations.iter().filter(|o| inside(o.at));
        code.extend(operations.flat_map(|o| &o.code));
    }
    // Whole vectors; places where channels wait are written under a mask.
    let moved = |line: &&String| {
        line.starts_with("vmovdqu32") && line.contains("[r13") && !line.contains('{')
    };
    let moves: Vec<_> = code.iter().filter(|line| moved(line)).collect();
    assert!(code.len() > 100, "{}", code.len());
    assert!(moves.is_empty(), "{moves:#?}");
}

#[test]
fn a_negative_dword_is_shifted_into_an_accumulator_without_its_sign() {
    if Host::available().is_none() {
        return;
    }
    let platform = platform::find("skl").unwrap();
    let accumulator = Reg::new(RegFile::Acc, 0, 0);
    let make = |op, to, from| {
        let mut inst = Inst::new(op, 8);
        inst.dst = Some(Dst::new(to, 1, Type::D));
        inst.srcs.push(Src::reg(from, Region::packed(8), Type::D));
        inst
    };
    let mut shift = make(Op::Shr, accumulator, Reg::grf(10));
    shift.srcs.push(Src::imm(Type::W, 4));
    let code = vec![shift, make(Op::Mov, Reg::grf(12), accumulator)];
    for engine in [Engine::Interpret, Engine::Translate, Engine::Both] {
        let mut registers = Registers::new(0xff, platform).on(engine);
        registers.set(Reg::grf(10), &[0xf0; 32]).unwrap();
        let result = registers.run(code.clone(), &mut World::default(), 100);
        assert_eq!(result.err(), None, "{engine:?}");
        let mut found = [0; 4];
        registers.get(Reg::grf(12), &mut found).unwrap();
        assert_eq!(i32::from_le_bytes(found), 0x0f0f_0f0f, "{engine:?}");
    }
}

/// The end of a loop of some channels: a comparison of its counter, and a jump back by a distance in bytes.
fn while_below(limit: u64, counter: Reg, lanes: u8, distance: i32) -> [Inst; 2] {
    let flag = Reg::new(RegFile::Flag, 0, 0);
    let mut compare = Inst::new(Op::Cmp, lanes);
    compare.dst = Some(Dst::new(Reg::NULL, 1, Type::D));
    compare
        .srcs
        .push(Src::reg(counter, Region::SCALAR, Type::D));
    compare.srcs.push(Src::imm(Type::D, limit));
    compare.cond = Some(CondMod {
        cond: Cond::Lt,
        flag,
    });
    let mut back = Inst::new(Op::While, lanes);
    back.jip = Some(Target::Offset(distance));
    back.pred = Some(Pred {
        flag,
        inverse: false,
        ctrl: PredCtrl::Normal,
    });
    [compare, back]
}

#[test]
fn results_are_rounded_as_each_part_of_a_program_says() {
    /// The first result, and its distance to that of the other mode.
    const FIRST: u32 = 20;
    const FURTHER: u32 = 40;
    if Host::available().is_none() {
        return;
    }
    let platform = platform::find("bmg").unwrap();
    let control = Reg::new(RegFile::Control, 0, 0);
    let change = |rounding: u32| {
        let mut inst = Inst::new(Op::Xor, 1);
        inst.no_mask = true;
        inst.dst = Some(Dst::new(control, 1, Type::Ud));
        inst.srcs = [
            Src::reg(control, Region::SCALAR, Type::Ud),
            Src::imm(Type::Uw, (rounding << 4).into()),
        ]
        .into();
        inst
    };
    let make = |(op, to, ty, from): &(Op, u32, Type, &[Type]), further: u32| {
        let mut inst = Inst::new(*op, 16);
        inst.dst = Some(Dst::new(Reg::grf(to + further), 1, *ty));
        let srcs = (1..).zip(*from);
        inst.srcs = srcs
            .map(|(n, &ty)| {
                let first = if ty.bytes() == 8 { 8 } else { 0 };
                Src::reg(Reg::grf(first + n * 2), Region::packed(16), ty)
            })
            .collect();
        inst
    };
    let (f, df) = (Type::F, Type::Df);
    let ops: [(Op, u32, Type, &[Type]); 15] = [
        (Op::Add, 20, f, &[f, f]),
        (Op::Mul, 22, f, &[f, f]),
        (Op::Mad, 24, f, &[f, f, f]),
        (Op::Mov, 26, f, &[Type::D]),
        (Op::Mov, 28, f, &[Type::Ud]),
        (Op::Mov, 30, f, &[df]),
        (Op::Math(MathFn::Inv), 32, f, &[f]),
        (Op::Math(MathFn::Sqt), 34, f, &[f]),
        (Op::Math(MathFn::Fdiv), 36, f, &[f, f]),
        (Op::Add, 38, df, &[df, df]),
        (Op::Mul, 40, df, &[df, df]),
        (Op::Mad, 42, df, &[df, df, df]),
        (Op::Mov, 44, df, &[Type::Q]),
        (Op::Frc, 46, f, &[f]),
        (Op::Math(MathFn::Rsqt), 48, f, &[f]),
    ];
    for rounding in 1..4 {
        // In the other mode, then in that of the register.
        let mut code = vec![change(rounding)];
        code.extend(ops.iter().map(|op| make(op, 0)));
        code.push(change(rounding));
        code.extend(ops.iter().map(|op| make(op, FURTHER)));
        let results = [Engine::Interpret, Engine::Translate, Engine::Both].map(|engine| {
            let mut registers = Registers::new(0xffff, platform).on(engine);
            for (number, factor) in [(2, 0x9e37_79b9u32), (4, 0x85eb_ca6b), (6, 0xc2b2_ae35)] {
                // Positive numbers of similar size.
                let random = |n: u32| n.wrapping_mul(factor);
                let single = |n: u32| 0x3f80_0000 | random(n) >> 9;
                let upper = |n: u32| (0x3f0 + number) << 20 | random(n) >> 12;
                let double = |n: u32| u64::from(upper(n)) << 32 | u64::from(random(!n));
                let singles: Vec<u8> = (1..17).flat_map(|n| single(n).to_le_bytes()).collect();
                let doubles: Vec<u8> = (1..17).flat_map(|n| double(n).to_le_bytes()).collect();
                registers.set(Reg::grf(number), &singles).unwrap();
                registers.set(Reg::grf(number + 8), &doubles).unwrap();
            }
            registers.set(control, &0x4c0u32.to_le_bytes()).unwrap();
            let result = registers.run(code.clone(), &mut World::default(), 1000);
            assert_eq!(result.err(), None, "{engine:?}");
            let mut found = vec![0; 2 * FURTHER as usize * 64];
            registers.get(Reg::grf(FIRST), &mut found).unwrap();
            found
        });
        assert!(results[0] == results[1] && results[0] == results[2]);
        let (rounded, nearest) = results[0].split_at(FURTHER as usize * 64);
        for op in &ops[..13] {
            let at = (op.1 - FIRST) as usize * 64;
            assert_ne!(rounded[at..][..64], nearest[at..][..64], "{op:?}");
        }
    }
}

#[test]
fn a_loop_that_changes_the_rounding_is_entered_in_each() {
    // Each iteration changes the rounding mode, so that the loop's first block is entered in another mode than before.
    if Host::available().is_none() {
        return;
    }
    let platform = platform::find("skl").unwrap();
    let control = Reg::new(RegFile::Control, 0, 0);
    let make = |op, lanes, to, srcs: [Src; 2]| {
        let mut inst = Inst::new(op, lanes);
        (inst.dst, inst.srcs) = (Some(to), srcs.into_iter().collect());
        inst.no_mask = lanes == 1;
        inst
    };
    let single = |number| Src::reg(Reg::grf(number), Region::packed(8), Type::F);
    let scalar = |reg, ty| Src::reg(reg, Region::SCALAR, ty);
    let sum = |to, from| {
        let dst = Dst::new(Reg::grf(to), 1, Type::F);
        make(Op::Add, 8, dst, [single(to), single(from)])
    };
    let count = Reg::grf(4);
    let counts = Dst::new(count, 1, Type::D);
    let [compare, back] = while_below(40, count, 8, -80);
    let turned = [scalar(control, Type::Ud), Src::imm(Type::Ud, 0x30)];
    let code = vec![
        sum(10, 11),
        make(Op::Xor, 1, Dst::new(control, 1, Type::Ud), turned),
        sum(12, 13),
        make(
            Op::Add,
            1,
            counts,
            [scalar(count, Type::D), Src::imm(Type::D, 1)],
        ),
        compare,
        back,
    ];
    let results = [Engine::Interpret, Engine::Translate, Engine::Both].map(|engine| {
        let mut registers = Registers::new(0xff, platform).on(engine);
        registers.set(count, &[0; 32]).unwrap();
        for number in 10..14u8 {
            let numbers = (1..9).map(|n| f32::from(number) * 1.1 / n as f32);
            let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
            registers.set(Reg::grf(number.into()), &bytes).unwrap();
        }
        let result = registers.run(code.clone(), &mut World::default(), 1000);
        assert_eq!(result.err(), None, "{engine:?}");
        let mut found = [0; 128];
        registers.get(Reg::grf(10), &mut found).unwrap();
        found
    });
    assert!(results[0] == results[1] && results[0] == results[2]);
}

#[test]
fn launches_fail_the_same_way() {
    if Host::available().is_none() {
        return;
    }
    for platform in ["skl", "tgllp", "pvc"] {
        for name in KERNELS {
            let kernel = Kernel::read(name, platform);
            let program = kernel.program();
            for (number, arg) in kernel.args.iter().enumerate() {
                let Arg::Buffer(bytes) = arg else { continue };
                for len in [0, 3, bytes.len() / 2, bytes.len().saturating_sub(2)] {
                    let mut args = kernel.args.clone();
                    args[number] = Arg::Buffer(bytes[..len].to_vec());
                    kernel.agrees(&program, &args, Launch::BUDGET);
                }
            }
        }
    }
}

#[test]
fn a_loop_changes_parts_of_vectors_in_another_block() {
    // The first block writes a register and a counter; the second one a word of the register, and reads both.
    if Host::available().is_none() {
        return;
    }
    let platform = platform::find("skl").unwrap();
    let grf = |number| Src::reg(Reg::grf(number), Region::packed(8), Type::D);
    let scalar = |number| Src::reg(Reg::grf(number), Region::SCALAR, Type::D);
    let make = |op, lanes, to: Dst, srcs: Vec<Src>| {
        let mut inst = Inst::new(op, lanes);
        (inst.dst, inst.srcs) = (Some(to), srcs.into_iter().collect());
        inst.no_mask = lanes == 1;
        inst
    };
    let dst = |number| Dst::new(Reg::grf(number), 1, Type::D);
    let mut end = Inst::new(Op::Endif, 16);
    end.jip = Some(Target::Offset(16));
    let [compare, back] = while_below(40, Reg::grf(4), 16, -112);
    let word = Dst::new(Reg::grf(10), 1, Type::W);
    let code = vec![
        make(Op::Add, 1, dst(4), vec![scalar(4), Src::imm(Type::D, 1)]),
        make(Op::Add, 16, dst(10), vec![grf(20), Src::imm(Type::D, 3)]),
        end,
        make(Op::Mov, 1, word, vec![Src::imm(Type::W, 5)]),
        make(Op::Add, 16, dst(20), vec![grf(20), grf(10)]),
        make(Op::Add, 16, dst(22), vec![grf(22), scalar(4)]),
        compare,
        back,
    ];
    let results = [Engine::Interpret, Engine::Translate, Engine::Both].map(|engine| {
        let mut registers = Registers::new(0xffff, platform).on(engine);
        for number in [4, 10, 11, 20, 21, 22, 23] {
            registers
                .set(Reg::grf(number), &[number as u8; 32])
                .unwrap();
        }
        registers.set(Reg::grf(4), &[0; 32]).unwrap();
        let result = registers.run(code.clone(), &mut World::default(), 1000);
        assert_eq!(result.err(), None, "{engine:?}");
        let mut found = [0; 256];
        registers.get(Reg::grf(20), &mut found[..128]).unwrap();
        registers.get(Reg::grf(10), &mut found[128..192]).unwrap();
        found
    });
    assert!(results[0] == results[1] && results[0] == results[2]);
}

#[test]
fn the_execution_mask_is_read_as_an_element_of_its_type() {
    if Host::available().is_none() {
        return;
    }
    let platform = platform::find("bmg").unwrap();
    let mask = Reg::new(RegFile::ChannelEnable, 0, 0);
    let sum = |to, ty, of| {
        let mut inst = Inst::new(Op::Add, 16);
        inst.no_mask = true;
        inst.dst = Some(Dst::new(Reg::grf(to), 1, ty));
        inst.srcs.push(Src::imm(Type::W, 1));
        inst.srcs.push(Src::reg(mask, Region::SCALAR, of));
        inst.srcs.swap(0, 1);
        inst
    };
    let code = vec![
        sum(10, Type::Uq, Type::Ub),
        sum(12, Type::D, Type::B),
        sum(14, Type::D, Type::Uw),
        sum(16, Type::D, Type::Ud),
    ];
    for engine in [Engine::Interpret, Engine::Translate, Engine::Both] {
        let mut registers = Registers::new(0x81f7, platform).on(engine);
        let result = registers.run(code.clone(), &mut World::default(), 100);
        assert_eq!(result.err(), None, "{engine:?}");
        let found = [10, 12, 14, 16].map(|number| {
            let mut bytes = [0; 4];
            registers.get(Reg::grf(number), &mut bytes).unwrap();
            i32::from_le_bytes(bytes)
        });
        assert_eq!(found, [0xf8, -8, 0x81f8, 0x81f8], "{engine:?}");
    }
}

#[test]
fn a_message_finds_the_surface_that_it_names_now() {
    // The fourth round of a loop names a surface that does not exist.
    let platform = platform::find("dg2").unwrap();
    if Host::available().is_none() {
        return;
    }
    let scalar = |op, to, from, number| {
        let mut inst = Inst::new(op, 1);
        inst.no_mask = true;
        inst.dst = Some(Dst::new(to, 1, Type::Ud));
        inst.srcs.push(Src::reg(from, Region::SCALAR, Type::Ud));
        inst.srcs.push(Src::imm(Type::Ud, number));
        inst
    };
    let address = Reg::new(RegFile::Addr, 0, 0);
    let mut load = Inst::new(Op::Send, 16);
    load.dst = Some(Dst::new(Reg::grf(20), 1, Type::Ud));
    load.srcs
        .push(Src::reg(Reg::grf(10), Region::packed(8), Type::Ud));
    load.srcs
        .push(Src::reg(Reg::NULL, Region::packed(8), Type::Ud));
    load.msg = Some(Message {
        sfid: 15,
        eot: false,
        // Dwords at offsets of 32 bits into a surface of the heap.
        desc: Desc::Imm(0x2428_0500),
        ex_desc: Desc::Addr { byte: 0 },
    });
    load.send.ex_bso = true;
    let mut back = Inst::new(Op::While, 16);
    back.jip = Some(Target::Offset(-64));
    let code = vec![
        scalar(Op::Add, Reg::grf(3), Reg::grf(3), 1),
        scalar(Op::Shr, Reg::grf(4), Reg::grf(3), 2),
        scalar(
            Op::Shl,
            address,
            Reg::grf(4),
            platform.surface_state_bit.into(),
        ),
        load,
        back,
    ];
    for engine in [Engine::Interpret, Engine::Translate, Engine::Both] {
        let mut registers = Registers::new(0xffff, platform).on(engine);
        registers.set(Reg::grf(3), &[0; 4]).unwrap();
        registers.set(Reg::grf(10), &[0; 64]).unwrap();
        let mut world = World {
            surface: vec![7; 64],
            ..World::default()
        };
        let result = registers.run(code.clone(), &mut world, 100);
        assert_eq!(result.unwrap_err(), Cause::EmptyEntry(257), "{engine:?}");
    }
}

/// A mapping of the process: its permissions and the file it is of.
fn mappings() -> Vec<(String, String)> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let fields = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        let permissions = words.next().unwrap_or_default().to_string();
        (permissions, words.nth(3).unwrap_or_default().to_string())
    };
    maps.lines().map(fields).collect()
}

#[test]
fn no_memory_is_writable_and_executable() {
    if Host::available().is_none() {
        return;
    }
    let kernel = Kernel::read("mandelbrot", "skl");
    let program = kernel.program();
    let (running, seen) = (AtomicBool::new(true), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while running.load(Ordering::Relaxed) {
                let maps = mappings();
                assert!(maps.iter().all(|(p, _)| !p.starts_with("rwx")), "{maps:?}");
                let code = maps
                    .iter()
                    .filter(|(p, file)| p.starts_with("r-x") && file.is_empty());
                seen.fetch_max(code.count() as u64, Ordering::Relaxed);
            }
        });
        // Until the other thread has seen the code.
        for _ in 0..200 {
            let args = kernel.args.clone();
            let (result, _) = kernel.run(&program, Engine::Translate, args, Launch::BUDGET);
            result.unwrap();
            if seen.load(Ordering::Relaxed) > 0 {
                break;
            }
        }
        running.store(false, Ordering::Relaxed);
    });
    assert!(
        seen.load(Ordering::Relaxed) > 0,
        "code of the host was never mapped"
    );
}
