//! Calls between code of the reference compiler and ours: kernel and functions come from different compilers and are
//! linked by the object file's relocations.

use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{Options, Session};
use kiln_emit::platform::{self, Platform};
use kiln_emit::ze_info::{MemoryKind, ZeInfo};
use kiln_emit::zebin::{ADDRESS, FUNCTIONS, Relocation, Relocations, TEXT_PREFIX, Zebin};
use kiln_exec::launch::Description;
use kiln_exec::{Arg, Launch, Program};
use kiln_platform::abi;

const NAME: &str = "call_address";

fn reference_of(name: &str) -> Zebin {
    reference_on(skl(), name)
}

fn reference_on(platform: &Platform, name: &str) -> Zebin {
    let object = kiln_corpus::Kernel::named(name).object(platform.name);
    Zebin::parse(&std::fs::read(object.unwrap()).unwrap()).unwrap()
}

fn reference() -> Zebin {
    reference_of(NAME)
}

fn skl() -> &'static Platform {
    platform::find("skl").unwrap()
}

/// Platforms with object files of the reference's, each with the one whose vISA is compiled for it.
const PLATFORMS: [(&str, &str); 4] = [
    ("skl", "skl"),
    ("tgllp", "tgllp"),
    ("bmg", "bmg"),
    ("ptl", "bmg"),
];

fn on_each(test: impl Fn(&'static Platform, (String, String))) {
    for (name, made_for) in PLATFORMS {
        test(platform::find(name).unwrap(), parts_for(made_for));
    }
}

/// The reference's object file with its code replaced by ours for some vISA.
fn replaced(visa: &str) -> Zebin {
    replaced_in(NAME, visa)
}

fn replaced_in(name: &str, visa: &str) -> Zebin {
    replaced_on(skl(), name, visa)
}

fn replaced_on(platform: &'static Platform, name: &str, visa: &str) -> Zebin {
    let mut options = Options::new(platform);
    options.verify = true;
    let session = Session::new(options);
    let input = Input {
        name,
        bytes: visa.as_bytes(),
    };
    let module = session
        .compile_module(&[input])
        .unwrap_or_else(|e| panic!("{e}"));
    let made = session.object_file(&module, Info::Zebin(reference_on(platform, name)));
    let made = made.unwrap_or_else(|e| panic!("{e}"));
    // Written and parsed, as a loader gets it.
    Zebin::parse(&made.write().unwrap()).unwrap()
}

fn run(zebin: &Zebin) {
    run_of(NAME, zebin);
}

fn run_of(name: &str, zebin: &Zebin) {
    run_on(skl(), name, zebin);
}

fn run_on(platform: &'static Platform, name: &str, zebin: &Zebin) {
    let dir = kiln_corpus::path(&format!("kernels/{name}"));
    let yaml = std::fs::read_to_string(dir.join("launch.yaml")).unwrap();
    let description = Description::parse(&yaml).unwrap();
    let program = Program::from_zebin(zebin, name, platform).unwrap_or_else(|e| panic!("{e}"));
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: name,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description
            .load_args(&dir)
            .unwrap_or_else(|e| panic!("{e}")),
        budget: Launch::BUDGET,
    };
    launch.run(&program).unwrap_or_else(|e| panic!("{e}"));
    let checked = description.check(&launch.args, &dir);
    checked.unwrap_or_else(|e| panic!("{e}"));
}

/// The kernel's text and that of the functions.
fn parts() -> (String, String) {
    parts_for("skl")
}

fn parts_for(platform: &str) -> (String, String) {
    let visa = kiln_corpus::Kernel::named(NAME).visa(platform).unwrap();
    let text = std::fs::read_to_string(visa).unwrap();
    let at = text[1..]
        .find("\n.version")
        .expect("functions behind the kernel")
        + 2;
    (text[..at].to_string(), text[at..].to_string())
}

#[test]
fn our_kernel_calls_the_references_functions() {
    on_each(|platform, (kernel, _)| {
        let zebin = replaced_on(platform, NAME, &kernel);
        assert_ne!(zebin.text(NAME), reference_on(platform, NAME).text(NAME));
        run_on(platform, NAME, &zebin);
    });
}

#[test]
fn the_references_kernel_calls_our_functions() {
    on_each(|platform, (_, functions)| {
        let zebin = replaced_on(platform, NAME, &functions);
        assert_eq!(zebin.text(NAME), reference_on(platform, NAME).text(NAME));
        run_on(platform, NAME, &zebin);
    });
}

#[test]
fn our_kernel_calls_our_functions() {
    on_each(|platform, (kernel, functions)| {
        let zebin = replaced_on(platform, NAME, &(kernel + &functions));
        run_on(platform, NAME, &zebin);
    });
}

/// One of our functions among the reference's.
#[test]
fn a_single_function_is_replaced() {
    on_each(|platform, (_, functions)| {
        for one in functions.split("\n.version").filter(|f| !f.is_empty()) {
            let text = match one.strip_prefix(".version") {
                Some(_) => one.to_string(),
                None => format!(".version{one}"),
            };
            run_on(platform, NAME, &replaced_on(platform, NAME, &text));
        }
    });
}

/// A predicated call of an address is made by the channels whose predicate holds, and not at all if none does.
#[test]
fn calls_of_addresses_are_predicated() {
    let (kernel, functions) = parts();
    let mut text = String::new();
    let mut calls = 0;
    for line in (kernel + &functions).lines() {
        if let Some(call) = line.trim_start().strip_prefix("ifcall (M1, 8) ") {
            let address = call.split(' ').next().unwrap_or_default();
            let nowhere = call.replacen(address, "NOWHERE(0,0)<0;1,0>", 1);
            text += "mov (M1_NM, 1) NOWHERE(0,0)<1> 0x7:uq\n";
            for (relation, pred, call) in [("ne", "NONE", &*nowhere), ("eq", "ALL", call)] {
                text += &format!("cmp.{relation} (M1, 8) {pred} {address} {address}\n");
                text += &format!("({pred}) ifcall (M1, 8) {call}\n");
            }
            calls += 1;
            continue;
        }
        text += line;
        text.push('\n');
        if line.starts_with(".kernel ") || line.starts_with(".global_function ") {
            text += ".decl NONE v_type=P num_elts=8\n.decl ALL v_type=P num_elts=8\n";
            text += ".decl NOWHERE v_type=G type=uq num_elts=1 align=qword\n";
        }
    }
    assert_eq!(calls, 7);
    run(&replaced(&text));
}

fn text_of(name: &str) -> String {
    kiln_corpus::text(&format!("kernels/{name}/{name}.visaasm"))
}

/// A declared argument that a call does not pass is undefined; this function does not read it.
#[test]
fn a_call_may_pass_less_than_is_declared() {
    const SINGLE: &str = "call_single";
    let text = text_of(SINGLE);
    let (kernel, function) = text.split_once(".global_function").expect("a function");
    let declared = ".kernel_attr ArgSize=";
    let (before, behind) = function.split_once(declared).expect("a size");
    let (size, behind) = behind.split_once('\n').expect("a line");
    let size: u32 = size.trim().parse().expect("a number");
    let more = size + 3;
    let text = format!("{kernel}.global_function{before}{declared}{more}\n{behind}");
    run_of(SINGLE, &replaced_in(SINGLE, &text));
}

/// A predicate that nothing writes may be shorter than the execution size: no defined result depends on it.
#[test]
fn a_predicate_that_nothing_writes_may_be_short() {
    let (kernel, functions) = parts();
    let call = kernel.find("    ifcall (M1, 8)").expect("a call");
    let declaration = kernel.find("\n.decl ").expect("declarations") + 1;
    let text = [
        &kernel[..declaration],
        ".decl SHORT v_type=P num_elts=4\n",
        &kernel[declaration..call],
        "goto (M1, 8) behind\n(SHORT) goto (M1, 8) behind\nbehind:\n",
        &kernel[call..],
        &functions,
    ];
    run(&replaced(&text.concat()));
}

/// A caller that is compiled after its callees, all called by name, saves only what they clobber; a caller of other
/// functions saves all that the convention allows to be clobbered.
#[test]
fn callers_keep_what_their_callees_leave_alone() {
    let decls: String = (1..=6)
        .map(|n| format!(".decl V{n} v_type=G type=d num_elts=16 align=hword\n"))
        .collect();
    let arg = ".decl A v_type=G type=d num_elts=16 align=hword alias=<%arg, 0>\n\
               .decl R v_type=G type=d num_elts=16 align=hword alias=<%retval, 0>\n\
               .kernel_attr SimdSize=16\n.kernel_attr ArgSize=2\n.kernel_attr RetValSize=2\n";
    let leaf = |attr: &str, body: &str| {
        format!(
            ".version 4.1\n.global_function \"leaf\"\n{decls}{arg}{attr}.function \"leaf_0\"\nleaf_0:\n\
             add (M1, 16) R(0,0)<1> A(0,0)<1;1,0> 0x1:d\n{body}fret (M1, 16)\n"
        )
    };
    let mut caller = format!(
        ".version 4.1\n.global_function \"caller\"\n{decls}{arg}.function \"caller_0\"\ncaller_0:\n"
    );
    for n in 1..=6 {
        caller += &format!("mul (M1, 16) V{n}(0,0)<1> A(0,0)<1;1,0> 0x{n}:d\n");
    }
    caller += "fcall (M1, 16) leaf 2 2\n";
    for n in 1..=6 {
        caller += &format!("add (M1, 16) R(0,0)<1> R(0,0)<1;1,0> V{n}(0,0)<1;1,0>\n");
    }
    caller += "fret (M1, 16)\n";
    let frame = |attr: &str, body: &str| {
        let mut options = Options::new(skl());
        options.verify = true;
        let visa = caller.clone() + &leaf(attr, body);
        let input = Input {
            name: "caller",
            bytes: visa.as_bytes(),
        };
        let module = Session::new(options).compile_module(&[input]);
        let module = module.unwrap_or_else(|e| panic!("{e}\n{visa}"));
        let caller = module.functions.iter().find(|f| f.name == "caller");
        caller.expect("the caller").allocation.frame_bytes
    };
    // The descriptor alone, and six values.
    assert_eq!(frame("", ""), 32);
    let all = 32 + 6 * 64;
    assert!(frame(".kernel_attr Extern\n", "") >= all);
    let again = "fcall (M1, 16) leaf 2 2\n";
    assert!(frame("", again) >= all);
}

/// A bounded call graph needs only the scratch space of its frames; recursion gets the stack size of the reference
/// compiler.
#[test]
fn stacks_are_as_large_as_the_calls_are_deep() {
    let (kernel, functions) = parts();
    let bytes = |visa: &str| {
        let zebin = replaced(visa);
        let entry = zebin.ze_info.kernels.iter().find(|k| k.name == NAME);
        let buffers = &entry.unwrap().per_thread_memory_buffers;
        let scratch = buffers.iter().filter(|b| b.kind == MemoryKind::Scratch);
        scratch.map(|b| b.size).collect::<Vec<_>>()
    };
    // One frame of 416 bytes; the smallest scratch space is 1 KiB.
    assert_eq!(bytes(&(kernel.clone() + &functions)), [1 << 10]);
    // The frames of the reference's functions are unknown.
    assert_eq!(bytes(&kernel), [128 << 10]);
}

/// Code of the reference finalizer for the kernel and the functions for version 1 of the convention
/// (`-abiver 1`).
const VERSION_1: [&str; 4] = ["call_address", "find", "steps", "both"];
/// Placeholder of a relocated address.
const PLACEHOLDER: u64 = 0x6e10_ca2e;
/// Whose addresses the kernel and `both` take, in order.
const TAKEN: [(&str, &[&str]); 2] = [
    ("call_address", &["steps", "both", "find"]),
    ("both", &["steps", "find"]),
];

/// Code, with the offsets and symbols of addresses in it.
fn version_1_of_the_reference(name: &str) -> (Vec<u8>, Vec<(u32, String)>) {
    let code = kiln_corpus::read(&format!("abi1/{name}.bin"));
    let words = code.chunks_exact(8).enumerate();
    let open =
        words.filter(|(_, word)| u64::from_le_bytes((*word).try_into().unwrap()) == PLACEHOLDER);
    let at: Vec<u32> = open.map(|(n, _)| n as u32 * 8).collect();
    let taken = TAKEN.iter().find(|(n, _)| *n == name);
    let taken = taken.map_or(&[][..], |(_, taken)| taken);
    assert_eq!(at.len(), taken.len(), "{name}");
    let taken = taken.iter().map(|name| name.to_string());
    (code.to_vec(), at.into_iter().zip(taken).collect())
}

/// Kernel and functions each from the reference and from us, in all combinations: version 1 keeps its pointers and the
/// copy of r0 in other registers than version 2.
#[test]
fn version_1_is_the_references() {
    let mut options = Options::new(skl());
    options.verify = true;
    options.abi = &abi::STACK_1;
    let (kernel, functions) = parts();
    let visa = kernel + &functions;
    let input = Input {
        name: NAME,
        bytes: visa.as_bytes(),
    };
    let ours = Session::new(options).compile_module(&[input]).unwrap();
    let of_ours = |name: &str| {
        let mut all = ours.kernels.iter().chain(&ours.functions);
        let one = all.find(|one| one.name == name).unwrap();
        let places = one.relocations.iter();
        let places = places.map(|r| (r.offset, r.symbol.clone())).collect();
        (one.code.clone(), places)
    };
    for choice in 0..1 << VERSION_1.len() {
        let mut zebin = reference();
        zebin.relocations.clear();
        let mut text = Vec::new();
        for (n, name) in VERSION_1.iter().enumerate() {
            let (code, places) = match choice >> n & 1 {
                0 => of_ours(name),
                _ => version_1_of_the_reference(name),
            };
            let (section, base) = match *name {
                NAME => (NAME, 0),
                _ => (FUNCTIONS, text.len() as u64),
            };
            let at = |name: &str| zebin.symbols.iter().position(|s| s.name == name).unwrap();
            let entry = |(offset, symbol): &(u32, String)| Relocation {
                offset: u64::from(*offset) + base,
                kind: ADDRESS,
                // The null symbol comes before those in `symbols`.
                symbol: at(symbol) as u32 + 1,
                addend: 0,
            };
            let entries = places.iter().map(entry).collect();
            if section == NAME {
                assert!(zebin.set_text(NAME, &code));
            } else {
                let symbol = at(name);
                zebin.symbols[symbol].value = base;
                zebin.symbols[symbol].size = code.len() as u64;
                text.extend_from_slice(&code);
                text.resize(text.len().next_multiple_of(8), 0);
            }
            zebin.relocations.push(Relocations {
                section: format!("{TEXT_PREFIX}{section}"),
                addends: false,
                entries,
            });
        }
        assert!(zebin.set_text(FUNCTIONS, &text));
        run(&zebin);
    }
}

/// Number of steps of the Collatz sequence from `n` to 1.
fn steps(mut n: i32) -> i32 {
    let mut count = 0;
    while n != 1 && count < 200 {
        n = if n & 1 == 1 { 3 * n + 1 } else { n / 2 };
        count += 1;
    }
    count
}

/// Two kernels that call functions of their module by address, in one object file: the reference compiler's
/// (`two_kernels/two.cl`, `IGC_FunctionControl=4`), and one with our code.
#[test]
fn kernels_of_one_object_file_share_functions() {
    let file = kiln_corpus::read("two_kernels/two.zebin");
    let theirs = Zebin::parse(&file).unwrap();
    let visa = kiln_corpus::read("two_kernels/two.visaasm");
    let session = Session::new(Options::new(skl()));
    let input = Input {
        name: "two.visaasm",
        bytes: &visa,
    };
    let module = session.compile_module(&[input]).unwrap();
    let info = Info::Zebin(Zebin::parse(&file).unwrap());
    let made = session.object_file(&module, info).unwrap();
    let ours = Zebin::parse(&made.write().unwrap()).unwrap();
    let names = |zebin: &Zebin| {
        let names = zebin.kernels.iter().map(|k| k.name.clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&ours), names(&theirs));
    assert_eq!(names(&ours), ["first", "second", FUNCTIONS]);
    for name in names(&ours) {
        assert_ne!(ours.text(&name), theirs.text(&name), "{name}");
    }
    let input: Vec<i32> = (0..64).map(|i| i * 7 - 100).collect();
    type Kernel = fn(i32) -> i32;
    let kernels: [(&str, Kernel); 2] = [
        ("first", |a| steps(a & 63 | 1)),
        ("second", |a| match a & 1 {
            1 => steps(a & 31 | 1) + steps((a & 31 | 1) + 1),
            _ => steps(a & 15 | 1),
        }),
    ];
    for (name, kernel) in kernels {
        for zebin in [&theirs, &ours] {
            let program = Program::from_zebin(zebin, name, skl()).unwrap();
            let bytes = input.iter().flat_map(|a| a.to_le_bytes()).collect();
            let mut launch = Launch {
                ze_info: &zebin.ze_info,
                kernel: name,
                global: [64, 1, 1],
                local: [32, 1, 1],
                dimensions: 1,
                args: vec![Arg::Buffer(bytes), Arg::Buffer(vec![0; 256])],
                budget: Launch::BUDGET,
            };
            launch
                .run(&program)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let Arg::Buffer(out) = &launch.args[1] else {
                panic!("no buffer");
            };
            for (a, found) in input.iter().zip(out.chunks_exact(4)) {
                let found = i32::from_le_bytes(found.try_into().unwrap());
                assert_eq!(found, kernel(*a), "{name} of {a}");
            }
        }
    }
}

/// A kernel that calls functions keeps its subroutines, which may call functions too. In a called function, whose
/// frame has no fixed place, subroutines are inlined.
#[test]
fn subroutines_stay_what_they_are_in_kernels_with_a_stack() {
    const MARK: u32 = 0x1357_9bdf;
    let text = |first: &str, end: &str| {
        let mut body = String::from("long:\n");
        for n in 1..=9 {
            body += &format!("xor (M1, 16) X(0,0)<1> X(0,0)<1;1,0> {:#x}:ud\n", MARK + n);
            body += "mul (M1, 16) X(0,0)<1> X(0,0)<1;1,0> X(0,0)<1;1,0>\n";
        }
        format!(
            ".version 4.1\n{first}\
             .decl X v_type=G type=ud num_elts=16 align=hword\n\
             .decl A v_type=G type=ud num_elts=16 align=hword alias=<%arg, 0>\n\
             .decl R v_type=G type=ud num_elts=16 align=hword alias=<%retval, 0>\n\
             .decl T6 v_type=T num_elts=1 v_name=T6\n\
             .kernel_attr SimdSize=16\n.function \"main_0\"\nmain_0:\n\
             mov (M1, 16) X(0,0)<1> 0x5:ud\n\
             call (M1, 16) long\ncall (M1, 16) long\n\
             mov (M1, 16) R(0,0)<1> X(0,0)<1;1,0>\n{end}\n\
             .function \"long\"\n{body}\
             mov (M1, 16) A(0,0)<1> X(0,0)<1;1,0>\nfcall (M1, 16) leaf 2 2\n\
             add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> R(0,0)<1;1,0>\nret (M1, 16)\n\
             .version 4.1\n.global_function \"leaf\"\n\
             .decl A v_type=G type=ud num_elts=16 align=hword alias=<%arg, 0>\n\
             .decl R v_type=G type=ud num_elts=16 align=hword alias=<%retval, 0>\n\
             .kernel_attr SimdSize=16\n.kernel_attr ArgSize=2\n.kernel_attr RetValSize=2\n\
             .function \"leaf_0\"\nleaf_0:\n\
             mov (M1, 16) R(0,0)<1> A(0,0)<1;1,0>\nfret (M1, 16)\n"
        )
    };
    let store = "mov (M1, 16) A(0,0)<1> 0x0:ud\n\
                 scatter4_scaled.R (M1, 16) T6 0x0:ud A.0 X.0\nret (M1, 1)";
    let marks = |visa: &str| {
        let mut options = Options::new(skl());
        options.verify = true;
        let input = Input {
            name: "k",
            bytes: visa.as_bytes(),
        };
        let module = Session::new(options).compile_module(&[input]);
        let module = module.unwrap_or_else(|e| panic!("{e}\n{visa}"));
        let all = module.kernels.iter().chain(&module.functions);
        let one = all.into_iter().find(|one| one.name == "main");
        let code = &one.expect("the caller").code;
        let mark = (MARK + 1).to_le_bytes();
        code.windows(4).filter(|bytes| **bytes == mark).count()
    };
    assert_eq!(marks(&text(".kernel \"main\"\n", store)), 1);
    let function = ".global_function \"main\"\n.kernel_attr ArgSize=0\n.kernel_attr RetValSize=2\n";
    assert_eq!(marks(&text(function, "fret (M1, 16)")), 2);
}

/// Results of a kernel that calls functions, one for each of 16 channels, whose numbers are in X.
fn channels(body: &str, functions: &str, numbers: [i32; 16]) -> [i32; 16] {
    let visa = format!(
        ".version 4.1\n.kernel \"main\"\n{DECLARATIONS}\
         .decl X v_type=G type=d num_elts=16 align=GRF\n\
         .decl Y v_type=G type=d num_elts=16 align=GRF\n\
         .decl AT v_type=G type=ud num_elts=16 align=GRF\n\
         .decl TO v_type=G type=uq num_elts=1 align=qword\n\
         .decl P v_type=P num_elts=16\n\
         .decl T6 v_type=T num_elts=1 v_name=T6\n\
         .kernel_attr SimdSize=16\n.function \"main_0\"\nmain_0:\n\
         mov (M1_NM, 8) AT(0,0)<1> 0x76543210:uv\n\
         add (M1_NM, 8) AT(1,0)<1> AT(0,0)<1;1,0> 0x8:ud\n\
         shl (M1_NM, 16) AT(0,0)<1> AT(0,0)<1;1,0> 0x2:ud\n\
         movs (M1_NM, 1) T6(0) 0x0:ud\n\
         gather4_scaled.R (M1, 16) T6 0x0:ud AT.0 X.0\n\
         {body}\n\
         movs (M1_NM, 1) T6(0) 0x1:ud\n\
         scatter4_scaled.R (M1, 16) T6 0x0:ud AT.0 X.0\nret (M1, 1)\n{functions}"
    );
    let info = {
        let buffers = |line: fn(u32) -> String| (0..2).map(line).collect::<String>();
        let arguments = buffers(|n| {
            format!(
                "      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: {n}, \
                 addrmode: stateful, addrspace: global, access_type: readwrite}}\n"
            )
        });
        let entries = buffers(|n| format!("      - {{bti_value: {n}, arg_index: {n}}}\n"));
        let yaml = format!(
            "version: '1.20'\nkernels:\n  - name: main\n    execution_env:\n      grf_count: 128\n      \
             simd_size: 16\n    payload_arguments:\n{arguments}    binding_table_indices:\n{entries}"
        );
        ZeInfo::parse(yaml.as_bytes()).expect("the launch description")
    };
    let mut options = Options::new(skl());
    options.verify = true;
    let session = Session::new(options);
    let input = Input {
        name: "main.visaasm",
        bytes: visa.as_bytes(),
    };
    let module = session.compile_module(&[input]);
    let module = module.unwrap_or_else(|e| panic!("{e}\n{visa}"));
    let made = session.object_file(&module, Info::ZeInfo(info)).unwrap();
    let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut launch = Launch {
        ze_info: &made.ze_info,
        kernel: "main",
        global: [16, 1, 1],
        local: [16, 1, 1],
        dimensions: 1,
        args: vec![Arg::Buffer(numbers), Arg::Buffer(vec![0; 64])],
        budget: Launch::BUDGET,
    };
    let program = Program::from_zebin(&made, "main", skl()).unwrap_or_else(|e| panic!("{e}"));
    let done = launch.run(&program);
    done.unwrap_or_else(|e| panic!("{e}\n{visa}"));
    let Arg::Buffer(out) = &launch.args[1] else {
        panic!("no buffer");
    };
    std::array::from_fn(|n| i32::from_le_bytes(out[4 * n..4 * n + 4].try_into().unwrap()))
}

/// Variables for an argument, a result, another value, and a predicate.
const DECLARATIONS: &str = "\
.decl A v_type=G type=d num_elts=16 align=GRF alias=<%arg, 0>
.decl R v_type=G type=d num_elts=16 align=GRF alias=<%retval, 0>
.decl N v_type=G type=d num_elts=1 align=dword
.decl ONE v_type=P num_elts=1
";

fn function(name: &str, attributes: &str, body: &str) -> String {
    format!(
        ".version 4.1\n.global_function \"{name}\"\n{DECLARATIONS}.kernel_attr ArgSize=2\n\
         .kernel_attr RetValSize=2\n{attributes}.function \"{name}_0\"\n{name}_0:\n{body}\n"
    )
}

/// Scalar calls run for the active channels, including those beyond the one or eight channels that the hardware
/// instruction covers.
#[test]
fn scalar_calls_are_of_the_upper_channels_too() {
    let numbers = std::array::from_fn(|n| if n < 9 { 1000 } else { n as i32 });
    // Sum of the numbers up to N, by recursion, in scalars.
    let sum = "mov (M1_NM, 1) N(0,0)<1> A(0,0)<0;1,0>\n\
               cmp.le (M1_NM, 1) ONE N(0,0)<0;1,0> 0x0:d\n\
               (ONE) goto (M1_NM, 1) zero\n\
               add (M1_NM, 1) A(0,0)<1> N(0,0)<0;1,0> 0xffffffff:d\n\
               fcall (M1_NM, 1) sum 2 2\n\
               add (M1_NM, 1) R(0,0)<1> R(0,0)<0;1,0> N(0,0)<0;1,0>\n\
               goto (M1_NM, 1) end\n\
               zero:\n\
               mov (M1_NM, 1) R(0,0)<1> 0x0:d\n\
               end:\n\
               fret (M1_NM, 1)";
    let twice = "add (M1, 16) R(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>\nfret (M1, 16)";
    let functions = |attributes: &str| {
        function("sum", attributes, sum) + &function("twice", ".kernel_attr SimdSize=16\n", twice)
    };
    let divergent = |call: &str| {
        format!(
            "cmp.eq (M1, 16) P X(0,0)<1;1,0> 0x3e8:d\n(P) goto (M1, 16) behind\n{call}\nbehind:"
        )
    };
    let scalar = divergent(
        "mov (M1_NM, 1) A(0,0)<1> 0x5:d\nfcall (M1_NM, 1) sum 2 2\n\
         add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> R(0,0)<0;1,0>",
    );
    let predicated = divergent(
        "mov (M1_NM, 1) A(0,0)<1> 0x5:d\ncmp.lt (M1_NM, 1) ONE A(0,0)<0;1,0> 0x6:d\n\
         (ONE) fcall (M1_NM, 1) sum 2 2\nadd (M1, 16) X(0,0)<1> X(0,0)<1;1,0> R(0,0)<0;1,0>",
    );
    let wide = |size: &str| {
        divergent(&format!(
            "mov (M1, 16) A(0,0)<1> X(0,0)<1;1,0>\nfcall (M1_NM, {size}) twice 2 2\n\
             mov (M1, 16) X(0,0)<1> R(0,0)<1;1,0>"
        ))
    };
    let by_address = divergent(
        "faddr sum TO(0,0)<1>\nmov (M1_NM, 1) A(0,0)<1> 0x5:d\nifcall (M1_NM, 1) TO(0,0)<0;1,0> 2 2\n\
         add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> R(0,0)<0;1,0>",
    );
    let more = |n: i32| n + 15;
    let double = |n: i32| 2 * n;
    type Model = fn(i32) -> i32;
    let cases: [(String, Model); 5] = [
        (scalar, more),
        (predicated, more),
        (wide("1"), double),
        (wide("16"), double),
        (by_address, more),
    ];
    for attributes in ["", ".kernel_attr SimdSize=1\n"] {
        for (body, model) in &cases {
            let found = channels(body, &functions(attributes), numbers);
            let expected = numbers.map(|n| if n == 1000 { n } else { model(n) });
            assert_eq!(found, expected, "{attributes}{body}");
        }
    }
    let not_called = "mov (M1_NM, 1) N(0,0)<1> 0x0:d\n\
                      cmp.lt (M1_NM, 1) ONE N(0,0)<0;1,0> N(0,0)<0;1,0>\nmov (M1_NM, 1) A(0,0)<1> 0x5:d\n\
                      mov (M1_NM, 1) R(0,0)<1> 0x0:d\n(ONE) fcall (M1_NM, 1) sum 2 2\n\
                      add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> R(0,0)<0;1,0>";
    assert_eq!(channels(not_called, &functions(""), numbers), numbers);
}

/// A function that calls itself by address in divergent code: each call has its own joins.
#[test]
fn channels_wait_for_their_own_call_by_address() {
    let fib = "mov (M1, 16) X(0,0)<1> A(0,0)<1;1,0>\n\
               faddr fib TO(0,0)<1>\n\
               cmp.lt (M1, 16) P X(0,0)<1;1,0> 0x2:d\n\
               (P) goto (M1, 16) small\n\
               add (M1, 16) A(0,0)<1> X(0,0)<1;1,0> 0xffffffff:d\n\
               ifcall (M1, 16) TO(0,0)<0;1,0> 2 2\n\
               mov (M1, 16) Y(0,0)<1> R(0,0)<1;1,0>\n\
               add (M1, 16) A(0,0)<1> X(0,0)<1;1,0> 0xfffffffe:d\n\
               ifcall (M1, 16) TO(0,0)<0;1,0> 2 2\n\
               add (M1, 16) R(0,0)<1> Y(0,0)<1;1,0> R(0,0)<1;1,0>\n\
               goto (M1, 16) end\n\
               small:\n\
               mov (M1, 16) R(0,0)<1> X(0,0)<1;1,0>\n\
               end:\n\
               fret (M1, 16)";
    let variables = ".decl X v_type=G type=d num_elts=16 align=GRF\n\
                     .decl Y v_type=G type=d num_elts=16 align=GRF\n\
                     .decl TO v_type=G type=uq num_elts=1 align=qword\n\
                     .decl P v_type=P num_elts=16\n.kernel_attr SimdSize=16\n";
    let call = "faddr fib TO(0,0)<1>\nmov (M1, 16) A(0,0)<1> X(0,0)<1;1,0>\n\
                ifcall (M1, 16) TO(0,0)<0;1,0> 2 2\nmov (M1, 16) X(0,0)<1> R(0,0)<1;1,0>";
    let numbers = std::array::from_fn(|n| (n as i32 * 5 + 3) % 11);
    let expected = numbers.map(|n| (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0);
    assert_eq!(
        channels(call, &function("fib", variables, fib), numbers),
        expected
    );
}

/// A kernel with subroutines has the pointer to implicit arguments in the header of its far messages.
#[test]
fn subroutines_are_called_after_implicit_arguments_are_given() {
    // A short subroutine would be inlined.
    let body =
        "add (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x2:d\nxor (M1, 8) V(0,0)<1> V(0,0)<1;1,0> 0x3:d\n"
            .repeat(8);
    let visa = format!(
        ".version 4.1\n.kernel \"k\"\n\
         .decl P v_type=G type=ud num_elts=2 align=hword alias=<%impl_arg_buf_ptr, 0>\n\
         .decl L v_type=G type=ud num_elts=2 align=hword alias=<%local_id_buf_ptr, 0>\n\
         .decl A v_type=G type=d num_elts=8 align=hword alias=<%arg, 0>\n\
         .decl V v_type=G type=d num_elts=8 align=hword\n\
         .kernel_attr SimdSize=8\n.function \"main\"\nmain:\n\
         mov (M1_NM, 2) P(0,0)<1> 0x10:ud\nmov (M1_NM, 2) L(0,0)<1> 0x20:ud\n\
         mov (M1, 8) V(0,0)<1> 0x1:d\ncall (M1, 8) SUB\ncall (M1, 8) SUB\n\
         mov (M1, 8) A(0,0)<1> V(0,0)<1;1,0>\nfcall (M1, 8) leaf 1 1\nret (M1, 1)\n\
         .function \"SUB\"\nSUB:\n{body}ret (M1, 8)\n\
         .global_function \"leaf\"\n.kernel_attr SimdSize=8\n.kernel_attr ArgSize=1\n.kernel_attr RetValSize=1\n\
         .function \"leaf_0\"\nleaf_0:\nfret (M1, 8)\n"
    );
    for name in ["skl", "icllp", "tgllp"] {
        let mut options = Options::new(platform::find(name).expect("a known platform"));
        options.verify = true;
        let input = Input {
            name: "k",
            bytes: visa.as_bytes(),
        };
        let module = Session::new(options).compile_module(&[input]);
        module.unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
