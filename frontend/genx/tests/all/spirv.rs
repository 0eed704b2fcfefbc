//! SPIR-V that is damaged, cut off, hostile, or not meant for a whole thread ends in a diagnostic with its place. The
//! programs of `corpus/genx` and `genx_spv` are the seeds.

use kiln_genx::error::Code;
use kiln_genx::{Options, compile};
use kiln_platform::platform::PLATFORMS;
use spirv::{Capability, Decoration, Op};

/// Words before the first instruction.
const HEADER: usize = 5;

fn program(folder: &str, name: &str) -> Vec<u32> {
    let bytes = kiln_corpus::read(&format!("{folder}/{name}/{name}.spv"));
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The vISA of a module, or its code, the byte of the place and the message.
fn visa(bytes: &[u8]) -> Result<String, (Code, u32, String)> {
    let options = Options::new(PLATFORMS.iter().find(|p| p.name == "skl").expect("skl"));
    match compile(bytes, &options) {
        Ok(compiled) => Ok(kiln_visa::print::print(&compiled.visa)),
        Err(error) => Err((error.code, error.loc.byte, error.message)),
    }
}

/// Code, byte and message of the diagnostic of a module.
fn refused(words: &[u32]) -> (Code, u32, String) {
    visa(&bytes(words)).expect_err("a diagnostic")
}

/// An instruction.
fn inst(op: Op, words: &[u32]) -> Vec<u32> {
    let mut inst = vec![((words.len() + 1) as u32) << 16 | op as u32];
    inst.extend(words);
    inst
}

/// Words of a text.
fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

/// Header, capabilities and the memory model.
fn head(capabilities: &[Capability]) -> Vec<u32> {
    let mut words = vec![spirv::MAGIC_NUMBER, 0x1_0000, 0, 100, 0];
    for capability in capabilities {
        words.extend(inst(Op::Capability, &[*capability as u32]));
    }
    words.extend(inst(Op::MemoryModel, &[2, 2]));
    words
}

/// A module with a kernel of no parameters, %1, with these instructions before it and in it. %2 is void, %3 its type, %4
/// the integers of 32 bits, %5 the number 1.
fn kernel(before: &[Vec<u32>], within: &[Vec<u32>]) -> Vec<u32> {
    let mut words = head(&[Capability::VectorComputeINTEL]);
    let name = text("k");
    words.extend(inst(Op::EntryPoint, &[&[6, 1], &name[..]].concat()));
    let kernel = Decoration::VectorComputeFunctionINTEL as u32;
    words.extend(inst(Op::Decorate, &[1, kernel]));
    words.extend(inst(Op::TypeVoid, &[2]));
    words.extend(inst(Op::TypeFunction, &[3, 2]));
    words.extend(inst(Op::TypeInt, &[4, 32, 0]));
    words.extend(inst(Op::Constant, &[4, 5, 1]));
    words.extend(before.concat());
    words.extend(inst(Op::Function, &[2, 1, 0, 3]));
    words.extend(inst(Op::Label, &[90]));
    words.extend(within.concat());
    words.extend(inst(Op::Return, &[]));
    words.extend(inst(Op::FunctionEnd, &[]));
    words
}

#[test]
fn both_orders_of_bytes_give_the_same() {
    for (folder, name) in [("genx", "simdcf_call"), ("genx_spv", "memory")] {
        let words = program(folder, name);
        let turned: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let little = visa(&bytes(&words));
        assert!(little.is_ok(), "{name}: {little:?}");
        assert!(visa(&turned) == little, "{name}");
    }
}

#[test]
fn a_kernel_alone_compiles() {
    assert!(visa(&bytes(&kernel(&[], &[]))).is_ok());
}

/// A hundred rounds of 26 instructions are many, unless the program asks to unroll the loop, or some of its rounds.
#[test]
fn loops_are_unrolled_where_they_ask_for_it() {
    let [int, long, pointer, truth] = [4, 7, 6, 10];
    let before = [
        inst(Op::TypeInt, &[long, 64, 0]),
        inst(Op::TypePointer, &[pointer, 5, int]),
        inst(Op::TypeBool, &[truth]),
        inst(Op::Constant, &[int, 11, 0]),
        inst(Op::Constant, &[int, 8, 100]),
        inst(Op::Constant, &[long, 9, 4096, 0]),
    ];
    let made = |control: &[u32]| {
        let mut within = vec![
            inst(Op::ConvertUToPtr, &[pointer, 12, 9]),
            inst(Op::Branch, &[20]),
            inst(Op::Label, &[20]),
            inst(Op::Phi, &[int, 21, 11, 90, 26, 25]),
            inst(Op::LoopMerge, &[&[30, 25], control].concat()),
            inst(Op::Branch, &[24]),
            inst(Op::Label, &[24]),
            inst(Op::Load, &[int, 40, 12, 2, 4]),
        ];
        within.extend((41..65).map(|id| inst(Op::IMul, &[int, id, id - 1, 40])));
        within.extend([
            inst(Op::Store, &[12, 64, 2, 4]),
            inst(Op::Branch, &[25]),
            inst(Op::Label, &[25]),
            inst(Op::IAdd, &[int, 26, 21, 5]),
            inst(Op::ULessThan, &[truth, 27, 26, 8]),
            inst(Op::BranchConditional, &[27, 20, 30]),
            inst(Op::Label, &[30]),
        ]);
        let made = visa(&bytes(&kernel(&before, &within))).expect("vISA");
        (made.matches(" jmp ").count(), made.matches(" mul ").count())
    };
    assert_eq!(made(&[0]), (1, 24));
    assert_eq!(made(&[1]), (0, 2400));
    // Rounds that become one, after a number of rounds before which the loop is peeled.
    assert_eq!(made(&[0x180, 7, 4]), (1, 96));
    assert_eq!(made(&[0x100, 100]), (0, 2400));
}

/// An entry point that calls its function is that function, unless others call it, too.
#[test]
fn entry_points_are_the_functions_that_they_call() {
    let made = |callers: &[u32]| {
        let mut words = head(&[Capability::VectorComputeINTEL]);
        for caller in callers {
            let name = text(&format!("k{caller}"));
            words.extend(inst(Op::EntryPoint, &[&[6, *caller], &name[..]].concat()));
        }
        for id in [&[9], callers].concat() {
            let kernel = Decoration::VectorComputeFunctionINTEL as u32;
            words.extend(inst(Op::Decorate, &[id, kernel]));
        }
        words.extend(inst(Op::TypeVoid, &[2]));
        words.extend(inst(Op::TypeFunction, &[3, 2]));
        words.extend(inst(Op::Function, &[2, 9, 0, 3]));
        words.extend(inst(Op::Label, &[91]));
        words.extend(inst(Op::Return, &[]));
        words.extend(inst(Op::FunctionEnd, &[]));
        for caller in callers {
            words.extend(inst(Op::Function, &[2, *caller, 0, 3]));
            words.extend(inst(Op::Label, &[caller + 20]));
            words.extend(inst(Op::FunctionCall, &[2, caller + 40, 9]));
            words.extend(inst(Op::Return, &[]));
            words.extend(inst(Op::FunctionEnd, &[]));
        }
        visa(&bytes(&words)).expect("vISA")
    };
    let (one, two) = (made(&[10]), made(&[10, 11]));
    assert!(
        !one.contains(" call ") && one.contains(".kernel \"k10\""),
        "{one}"
    );
    assert_eq!(two.matches(" call ").count(), 2, "{two}");
}

#[test]
fn lines_are_kept() {
    let made = visa(&bytes(&program("genx_spv", "memory"))).expect("vISA");
    let at = made.find("FILE \"memory.c\"").expect("the file");
    assert!(made[at..].contains("LOC 7"), "{made}");
}

#[test]
fn kernels_of_one_channel_are_refused() {
    let words = head(&[Capability::Kernel, Capability::Addresses]);
    let (code, byte, message) = refused(&words);
    // The memory model follows the header and two capabilities.
    assert_eq!((code, byte), (Code::NoCompute, 4 * (5 + 2 + 2)));
    assert!(message.contains("VectorComputeINTEL"), "{message}");
    let mut words = head(&[Capability::VectorComputeINTEL]);
    let vertex = [&[0, 1], &text("main")[..]].concat();
    words.extend(inst(Op::EntryPoint, &vertex));
    assert_eq!(refused(&words).0, Code::NoCompute);
}

#[test]
fn faults_have_their_place() {
    let start = kernel(&[], &[]).len() - 2;
    let place = |n: usize| 4 * n as u32;
    let check = |before: &[Vec<u32>], within: &[Vec<u32>], code: Code| {
        let words = kernel(before, within);
        let length = before.iter().map(Vec::len).sum::<usize>();
        // The body follows a function and a label; what comes before precedes them.
        let at = match within.is_empty() {
            true => place(start - 7),
            false => place(start + length),
        };
        let (found, byte, message) = refused(&words);
        assert_eq!((found, byte), (code, at), "{message}");
    };
    let within = |inst: Vec<u32>, code| check(&[], &[inst], code);
    let before = |inst: Vec<u32>, code| check(&[inst], &[], code);
    // Results without a definition, or with two, of other types, or that are no values.
    within(inst(Op::IAdd, &[4, 60, 5, 61]), Code::Name);
    within(inst(Op::IAdd, &[4, 5, 5, 5]), Code::Name);
    within(inst(Op::FAdd, &[4, 60, 5, 5]), Code::Mismatch);
    within(inst(Op::IAdd, &[3, 60, 5, 5]), Code::Mismatch);
    within(inst(Op::FunctionCall, &[2, 60, 5]), Code::Name);
    within(inst(Op::Branch, &[60]), Code::Spirv);
    within(inst(Op::Load, &[4, 60, 5]), Code::Mismatch);
    within(inst(Op::IAdd, &[4, 60, 5]), Code::Spirv);
    within(inst(Op::GroupAll, &[4, 60, 5, 5]), Code::Instruction);
    within(inst(Op::CopyMemory, &[5, 5]), Code::Spirv);
    within(vec![1 << 16 | 0xfffe], Code::Instruction);
    // An instruction without words, and one that ends after the file.
    before(vec![0], Code::Spirv);
    before(vec![0xffff << 16 | Op::Nop as u32], Code::Spirv);
    before(inst(Op::TypeVector, &[60, 61, 4]), Code::Spirv);
    before(inst(Op::TypePointer, &[60, 1234, 4]), Code::Spirv);
    before(inst(Op::TypeStruct, &[60, 60]), Code::Spirv);
    before(inst(Op::Name, &[60, 0x6161_6161]), Code::Spirv);
    before(inst(Op::EntryPoint, &[0, 60, 0]), Code::NoCompute);
}

/// Unsupported types and constants do not matter until they are used.
#[test]
fn what_nothing_uses_does_not_matter() {
    let odd = [
        inst(Op::TypeFloat, &[60, 80]),
        inst(Op::TypeEvent, &[61]),
        inst(Op::TypeVector, &[65, 4, u32::MAX]),
        inst(Op::TypePointer, &[62, 12, 4]),
        inst(Op::Variable, &[62, 63, 12]),
    ];
    assert!(visa(&bytes(&kernel(&odd, &[]))).is_ok());
    let used = kernel(&odd, &[inst(Op::Load, &[4, 64, 63])]);
    assert_eq!(refused(&used).0, Code::Type);
    let used = kernel(&odd, &[inst(Op::Undef, &[65, 64])]);
    assert_eq!(refused(&used).0, Code::Size);
}

/// Kinds and descriptions of parameters give the interface that a text with these attributes has.
#[test]
fn parameters_have_kinds_and_descriptions() {
    let described = "define spir_kernel void @k(\
        i32 \"VCArgumentKind\"=\"2\" \"VCArgumentDesc\"=\"buffer_t read_only\" %s, \
        i64 \"VCArgumentKind\"=\"0\" \"VCArgumentDesc\"=\"svmptr_t\" %p, \
        i32 \"VCArgumentKind\"=\"0\" %n) #0 {\n  ret void\n}\n\
        attributes #0 = { \"VCFunction\" }\n";
    let decorated =
        |id: u32, number: u32, words: &[u32]| inst(Op::Decorate, &[&[id, number], words].concat());
    let mut words = head(&[Capability::VectorComputeINTEL]);
    words.extend(inst(Op::EntryPoint, &[&[6, 1], &text("k")[..]].concat()));
    let insts = [
        decorated(1, Decoration::VectorComputeFunctionINTEL as u32, &[]),
        decorated(10, 9624, &[2]),
        decorated(10, 9625, &text("buffer_t read_only")),
        decorated(11, 9624, &[0]),
        decorated(11, 9625, &text("svmptr_t")),
        decorated(12, 9624, &[0]),
        inst(Op::TypeVoid, &[2]),
        inst(Op::TypeInt, &[4, 32, 0]),
        inst(Op::TypeInt, &[5, 64, 0]),
        inst(Op::TypeFunction, &[3, 2, 4, 5, 4]),
        inst(Op::Function, &[2, 1, 0, 3]),
        inst(Op::FunctionParameter, &[4, 10]),
        inst(Op::FunctionParameter, &[5, 11]),
        inst(Op::FunctionParameter, &[4, 12]),
        inst(Op::Label, &[90]),
        inst(Op::Return, &[]),
        inst(Op::FunctionEnd, &[]),
    ];
    words.extend(insts.concat());
    let options = Options::new(PLATFORMS.iter().find(|p| p.name == "skl").expect("skl"));
    let interface = |bytes: &[u8]| match compile(bytes, &options) {
        Ok(compiled) => compiled.interfaces,
        Err(error) => panic!("{error}"),
    };
    let expected = interface(described.as_bytes());
    assert_eq!(expected[0].args[0].number, Some(0));
    assert_eq!(interface(&bytes(&words)), expected);
}

/// A conversion rounds as it does without a decoration, or is refused at its place.
#[test]
fn conversions_that_round_in_another_way_are_refused() {
    const MODES: [(u32, bool); 4] = [(0, true), (1, false), (2, false), (3, false)];
    for (mode, taken) in MODES {
        let before = [
            inst(Op::Decorate, &[60, Decoration::FPRoundingMode as u32, mode]),
            inst(Op::TypeFloat, &[61, 32]),
        ];
        let within = [inst(Op::ConvertSToF, &[61, 60, 5])];
        let words = kernel(&before, &within);
        let place = words.len() - within.concat().len() - 2;
        match (visa(&bytes(&words)), taken) {
            (Ok(_), true) => {}
            (Err((Code::Instruction, byte, _)), false) => assert_eq!(byte, 4 * place as u32),
            (found, _) => panic!("{mode}: {found:?}"),
        }
    }
}

/// A vector that no variable holds is refused at the first instruction that has it.
#[test]
fn wide_vectors_are_refused() {
    let wide = [inst(Op::TypeVector, &[65, 4, 2049])];
    let parts = [
        inst(Op::Undef, &[65, 64]),
        inst(Op::CompositeConstruct, &[65, 66, 64]),
    ];
    let words = kernel(&wide, &parts);
    let (code, byte, message) = refused(&words);
    let first = words.len() - parts.concat().len() - 2;
    assert_eq!((code, byte), (Code::Size, 4 * first as u32), "{message}");
}

/// A few words put vectors together, which becomes no instruction for each element.
#[test]
fn vectors_are_put_together_from_vectors() {
    let types = [
        inst(Op::TypeInt, &[65, 8, 0]),
        inst(Op::TypeVector, &[66, 65, 4096]),
        inst(Op::TypeVector, &[67, 65, 8192]),
    ];
    let mut parts = vec![inst(Op::Undef, &[66, 70])];
    parts.extend((100..400).map(|n| inst(Op::CompositeConstruct, &[67, n, 70, 70])));
    let module = kiln_genx::read(&bytes(&kernel(&types, &parts))).expect("a module");
    let insts = module.functions.values().map(|f| f.insts.len());
    assert!(insts.sum::<usize>() < 1000);
}

#[test]
fn files_that_end_anywhere() {
    for (folder, name) in [("genx", "switches"), ("genx_spv", "memory")] {
        let whole = bytes(&program(folder, name));
        for end in (4..whole.len()).filter(|end| end % 4 == 0 || end % 97 == 1) {
            let _ = visa(&whole[..end]);
        }
    }
}

#[test]
fn words_with_other_values() {
    let seeds = [
        ("genx", "switches"),
        ("genx_spv", "memory"),
        ("genx_spv", "composites"),
    ];
    let seeds = seeds.map(|(folder, name)| program(folder, name));
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for round in 0..3000 {
        let mut words = seeds[round % seeds.len()].clone();
        for _ in 0..=round % 3 {
            let at = HEADER + next(words.len() - HEADER);
            words[at] = match next(4) {
                0 => words[HEADER + next(words.len() - HEADER)],
                1 => words[at] ^ 1 << next(32),
                2 => next(120) as u32,
                _ => u32::MAX - next(3) as u32,
            };
        }
        let _ = visa(&bytes(&words));
    }
}

#[test]
fn nothing_is_nested_without_end() {
    // Structures within structures, each twice in the next.
    let mut twice = vec![inst(Op::TypeStruct, &[100, 4, 4])];
    let mut constants = vec![inst(Op::ConstantComposite, &[100, 1100, 5, 5])];
    for n in 1..200 {
        twice.push(inst(Op::TypeStruct, &[100 + n, 99 + n, 99 + n]));
        constants.push(inst(
            Op::ConstantComposite,
            &[100 + n, 1100 + n, 1099 + n, 1099 + n],
        ));
    }
    twice.extend(constants);
    twice.push(inst(Op::TypePointer, &[2000, 6, 299]));
    twice.push(inst(Op::Variable, &[2000, 2001, 6, 1299]));
    assert!(visa(&bytes(&kernel(&twice, &[]))).is_ok());
    let used = kernel(&twice, &[inst(Op::Load, &[299, 2002, 2001])]);
    assert_eq!(refused(&used).0, Code::Type);
    // A constant that is made of itself, and one of very many members.
    let of_itself = [
        inst(Op::TypeVector, &[60, 4, 2]),
        inst(Op::ConstantComposite, &[60, 61, 62, 62]),
        inst(Op::SpecConstantOp, &[4, 62, Op::IAdd as u32, 62, 5]),
    ];
    let used = kernel(&of_itself, &[inst(Op::CopyObject, &[60, 64, 61])]);
    assert_eq!(refused(&used).0, Code::Spirv);
    // Decorations of groups for very many targets.
    let mut groups: Vec<_> = (0..2000)
        .map(|n| inst(Op::Decorate, &[60, n % 40]))
        .collect();
    let targets: Vec<u32> = (0..2000).map(|n| n + 70).collect();
    groups.push(inst(Op::GroupDecorate, &[&[60], &targets[..]].concat()));
    assert_eq!(refused(&kernel(&groups, &[])).0, Code::Size);
}

/// Instructions with operands that may be left out, or of any number.
const VARIABLE: [Op; 20] = [
    Op::LoopMerge,
    Op::AccessChain,
    Op::BranchConditional,
    Op::CompositeConstruct,
    Op::CompositeExtract,
    Op::CompositeInsert,
    Op::CopyMemory,
    Op::CopyMemorySized,
    Op::ExtInst,
    Op::FunctionCall,
    Op::FunctionPointerCallINTEL,
    Op::InBoundsAccessChain,
    Op::InBoundsPtrAccessChain,
    Op::Load,
    Op::Phi,
    Op::PtrAccessChain,
    Op::Store,
    Op::Switch,
    Op::Variable,
    Op::VectorShuffle,
];

/// Each instruction in a function with a word too few, and with one too many: a diagnostic at the instruction, unless operands may be
/// left out; then no panic.
#[test]
fn instructions_have_as_many_operands_as_they_need() {
    let mut changed = 0;
    for name in ["arithmetic", "composites", "fields", "memory", "functions"] {
        let words = program("genx_spv", name);
        let mut at = 5;
        let mut inside = false;
        while at < words.len() {
            let (op, count) = (words[at] & 0xffff, (words[at] >> 16) as usize);
            let op = Op::from_u32(op).expect("an instruction");
            inside = (inside || op == Op::Function) && op != Op::FunctionEnd;
            let (head, rest) = (&words[..at], &words[at + count..]);
            let other =
                |operands: &[u32]| visa(&bytes(&[head, &inst(op, operands), rest].concat()));
            let operands = &words[at + 1..at + count];
            let mut results = vec![other(&[operands, &[1]].concat())];
            if let Some((_, fewer)) = operands.split_last() {
                results.push(other(fewer));
            }
            let is_head = matches!(op, Op::Function | Op::FunctionParameter);
            let fixed = inside && !VARIABLE.contains(&op) && !is_head;
            for result in results.into_iter().filter(|_| fixed) {
                changed += 1;
                assert!(result.is_err(), "{name}: {op:?} at byte {}", 4 * at);
            }
            at += count;
        }
    }
    assert!(changed > 300, "{changed}");
}
