//! Object files made from an interface or from the vISA alone, their debug sections, and object files whose code is
//! replaced.

use std::fs;
use std::path::{Path, PathBuf};

use gimli::{EndianSlice, LittleEndian};
use kiln_compile::info::Info;
use kiln_compile::interface::{
    Access, Argument, Fault, Implicit, ImplicitKind, Interface, KernelInterface,
};
use kiln_compile::object_file::{ObjectError, add_lines};
use kiln_compile::relink::{RelinkError, Relinked, relink};
use kiln_compile::source::Input;
use kiln_compile::{CompiledModule, Grfs, KernelInput, Options, Session};
use kiln_emit::encoding;
use kiln_emit::platform::{self, Platform};
use kiln_emit::ze_info::{
    AccessType, AddrMode, AddrSpace, ArgType, Kernel as Entry, PayloadArgument,
};
use kiln_emit::zebin::{FUNCTIONS, Zebin};
use kiln_exec::{Arg, Buffer, Launch, Program};
use proptest::prelude::*;

fn skl() -> &'static Platform {
    platform::find("skl").expect("a known platform")
}

fn session() -> Session {
    Session::new(Options::new(skl()))
}

fn input(bytes: &[u8]) -> Input<'_> {
    Input { name: "k", bytes }
}

fn compile(text: &str) -> CompiledModule {
    let module = session().compile_module(&[input(text.as_bytes())]);
    module.unwrap_or_else(|e| panic!("{e}"))
}

/// Every kernel of the examples and of the tests, with the reference's object file.
fn pairs() -> Vec<(PathBuf, PathBuf)> {
    let kernels = kiln_corpus::kernels(&kiln_corpus::COMMON).into_iter();
    let pair = |k: kiln_corpus::Kernel| Some((k.visa("skl")?, k.object("skl")?));
    let found: Vec<_> = kernels.filter_map(pair).collect();
    assert!(found.len() > 150, "only {} found", found.len());
    found
}

/// Adds two numbers; writes the sum and its operands to a buffer.
const ADD: &str = r#".version 4.1
.kernel "add"
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl A v_type=G type=d num_elts=1 align=dword
.decl B v_type=G type=d num_elts=1 align=dword
.decl R v_type=G type=d num_elts=8 align=hword
.input OUT offset=64 size=8
.input A offset=72 size=4
.input B offset=76 size=4
.kernel_attr Target="3d"
.kernel_attr SimdSize=8
.function "add"
add:
    add (M1_NM, 1) R(0,0)<1> A(0,0)<0;1,0> B(0,0)<0;1,0>
    mov (M1_NM, 1) R(0,1)<1> A(0,0)<0;1,0>
    mov (M1_NM, 1) R(0,2)<1> B(0,0)<0;1,0>
    mov (M1_NM, 1) R(0,3)<1> 0x7:d
    svm_block_st (1) OUT(0,0)<0;1,0> R.0
    ret (M1, 1)
"#;

fn number(value: i32) -> Arg {
    Arg::Value(value.to_le_bytes().to_vec())
}

/// Values that one work-item of the kernel writes on Skylake.
fn run_add(zebin: &Zebin, args: Vec<Arg>) -> Vec<i32> {
    run_on(skl(), zebin, 1, args)
}

/// Values that the kernel writes on a platform when one group of it is launched from an object file.
fn run_on(platform: &'static Platform, zebin: &Zebin, items: u32, args: Vec<Arg>) -> Vec<i32> {
    let zebin = Zebin::parse(&zebin.write().unwrap()).unwrap();
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: "add",
        global: [items, 1, 1],
        local: [items, 1, 1],
        dimensions: 1,
        args,
        budget: 1 << 20,
    };
    let program = Program::from_text(zebin.text("add").unwrap(), platform);
    launch.run(&program).unwrap_or_else(|e| panic!("{e}"));
    let buffer = launch
        .args
        .into_iter()
        .find_map(|arg| Buffer::try_from(arg).ok());
    buffer.expect("a buffer").values::<i32>()
}

#[test]
fn an_object_file_is_made_of_the_visa_alone() {
    let module = compile(ADD);
    let interface = Interface::guess(&module).unwrap();
    let zebin = session()
        .object_file(&module, Info::Interface(interface))
        .unwrap();
    let out = Arg::from(Buffer::of(&[0i32; 4]));
    let args = vec![out, number(40), number(2)];
    assert_eq!(run_add(&zebin, args), [42, 40, 2, 7]);
}

/// The order of arguments comes from the interface, not from the registers.
#[test]
fn an_interface_is_followed() {
    let yaml = "
kernels:
  - name: other
  - name: add
    arguments:
      - {kind: value, offset: 76, size: 4}
      - {kind: buffer, offset: 64, access: writeonly}
      - {kind: value, offset: 72, size: 4}
";
    let module = compile(ADD);
    let interface = Interface::parse(yaml.as_bytes()).unwrap();
    let zebin = session()
        .object_file(&module, Info::Interface(interface))
        .unwrap();
    assert_eq!(zebin.ze_info.kernels.len(), 1);
    let out = Arg::from(Buffer::of(&[0i32; 4]));
    let args = vec![number(40), out, number(2)];
    assert_eq!(run_add(&zebin, args), [42, 2, 40, 7]);
}

#[test]
fn what_may_be_anything_is_not_guessed() {
    let declared = ".decl B v_type=G type=d num_elts=";
    let wide = ADD
        .replace(&format!("{declared}1"), &format!("{declared}2"))
        .replace("offset=76 size=4", "offset=76 size=8");
    let error = Interface::guess(&compile(&wide)).unwrap_err();
    assert_eq!(error.kernel, "add");
    assert_eq!(error.what, Fault::Unknown("B".to_string()));
}

fn value(offset: u32, size: u32) -> Argument {
    let unread = false;
    Argument::Value {
        offset,
        size,
        unread,
    }
}

fn buffer(offset: Option<u32>, bti: Option<u32>) -> Argument {
    let access = Access::default();
    Argument::Buffer {
        offset,
        bti,
        access,
        stateless: false,
        unread: false,
    }
}

fn implicit(kind: ImplicitKind, offset: u32) -> Implicit {
    let unread = false;
    Implicit {
        kind,
        offset,
        unread,
    }
}

/// Stores a thread's local id of channel 5 and two numbers. The first is inline data, the second is in memory.
fn in_memory(platform: &Platform, attributes: &str) -> String {
    let grf = platform.grf_bytes;
    let [shared, loaded] = [
        2 * grf,
        2 * grf + platform.inline_bytes.next_multiple_of(grf),
    ];
    format!(
        r#".version 4.1
.kernel "add"
.decl IDS v_type=G type=uw num_elts=8 align=hword
.decl OUT v_type=G type=uq num_elts=1 align=qword
.decl A v_type=G type=d num_elts=1 align=dword
.decl B v_type=G type=d num_elts=1 align=dword
.decl R v_type=G type=d num_elts=8 align=hword
.input IDS offset={grf} size=16
.input OUT offset={shared} size=8
.input A offset={} size=4
.input B offset={loaded} size=4
.kernel_attr SimdSize=8
{attributes}
.function "add"
add:
    mov (M1_NM, 1) R(0,0)<1> IDS(0,5)<0;1,0>
    mov (M1_NM, 1) R(0,1)<1> A(0,0)<0;1,0>
    mov (M1_NM, 1) R(0,2)<1> B(0,0)<0;1,0>
    lsc_store.ugm (M1_NM, 1) flat[OUT]:a64 R:d32x4t
    ret (M1, 1)
"#,
        shared + 8
    )
}

/// The object file of that vISA with an interface of the given places.
fn object_in_memory(
    platform: &'static Platform,
    attributes: &str,
    arguments: Vec<Argument>,
) -> Result<Zebin, ObjectError> {
    let session = Session::new(Options::new(platform));
    let text = in_memory(platform, attributes);
    let module = session.compile_module(&[input(text.as_bytes())]).unwrap();
    let kernel = KernelInterface {
        name: "add".to_string(),
        arguments,
        implicit: vec![implicit(ImplicitKind::LocalIds, platform.grf_bytes)],
        ..KernelInterface::default()
    };
    let interface = Interface {
        strings: Vec::new(),
        kernels: vec![kernel],
    };
    session.object_file(&module, Info::Interface(interface))
}

/// Where arguments are in memory, values have the places that drivers write and the kernel's prologue loads: those that
/// arrive, those that are loaded, and local ids whether or not the hardware makes them.
#[test]
fn interfaces_say_where_arguments_in_memory_are() {
    for name in ["dg2", "mtl", "bmg", "lnl", "ptl"] {
        let platform = platform::find(name).unwrap();
        let grf = platform.grf_bytes;
        let shared = 2 * grf;
        let loaded = shared + platform.inline_bytes.next_multiple_of(grf);
        let loads_ids = format!(".kernel_attr PerThreadInputSize={grf}");
        let arguments = || vec![buffer(Some(shared), None), value(shared + 8, 4)];
        let all = [arguments(), vec![value(loaded, 4)]].concat();
        let zebin = object_in_memory(platform, &loads_ids, all.clone()).unwrap();
        let entry = zebin.ze_info.kernel("add").unwrap();
        let places: Vec<u32> = entry.payload_arguments.iter().map(|a| a.offset).collect();
        assert_eq!(places, [0, 8, platform.inline_bytes], "{name}");
        let args = vec![Arg::from(Buffer::of(&[0i32; 4])), number(40), number(2)];
        for local in [8, 6] {
            let found = run_on(platform, &zebin, local, args.clone());
            assert_eq!(found[..3], [5, 40, 2], "{name}: {local} work-items");
        }

        let fault =
            |attributes: &str, arguments| match object_in_memory(platform, attributes, arguments) {
                Err(ObjectError::Interface(error)) => error.what.to_string(),
                other => panic!("{other:?}"),
            };
        let expected = format!(
            "the attribute PerThreadInputSize says 0 bytes of local ids; those of the interface have {grf}"
        );
        assert_eq!(fault("", all.clone()), expected);
        let end = loaded + 32;
        let unread = Argument::Value {
            offset: end,
            size: 4,
            unread: true,
        };
        let more = [all, vec![unread]].concat();
        let expected = format!(
            "argument 4 at offset {end}, to {}: neither inline data nor in the bytes that the kernel loads, {loaded} to {end}",
            end + 4
        );
        assert_eq!(fault(&loads_ids, more), expected);
    }
}

#[test]
fn interfaces_are_held_against_the_declarations() {
    let module = compile(ADD);
    let fault_of = |arguments: Vec<Argument>, implicit: Vec<Implicit>| {
        let kernel = KernelInterface {
            name: "add".to_string(),
            arguments,
            implicit,
            ..KernelInterface::default()
        };
        let interface = Interface {
            strings: Vec::new(),
            kernels: vec![kernel],
        };
        match session().object_file(&module, Info::Interface(interface)) {
            Err(ObjectError::Interface(error)) => error.what.to_string(),
            Err(error) => panic!("{error}"),
            Ok(_) => "none".to_string(),
        }
    };
    let (out, a, b) = (buffer(Some(64), None), value(72, 4), value(76, 4));
    let fault = |arguments: &[&Argument]| {
        fault_of(arguments.iter().map(|a| (*a).clone()).collect(), Vec::new())
    };
    assert_eq!(fault(&[&out, &a, &b]), "none");
    assert_eq!(fault(&[&out, &buffer(None, Some(3)), &a, &b]), "none");
    let unfilled = "the interface has no value for .input B, bytes 76 to 80";
    assert_eq!(fault(&[&out, &a]), unfilled);
    assert_eq!(
        fault(&[&out, &value(74, 4), &b]),
        "argument 2: no .input covers bytes 74 to 78; only a value marked `unread` has none"
    );
    // One argument that covers two inputs.
    assert_eq!(fault(&[&out, &value(72, 8)]), "none");
    assert_eq!(
        fault(&[&out, &value(72, 8), &b]),
        "argument 2 and argument 3 overlap"
    );
    assert!(
        fault(&[&out, &a, &value(80, 4)])
            .starts_with("argument 3: no .input covers bytes 80 to 84")
    );
    let far = fault(&[&out, &a, &value(u32::MAX, u32::MAX)]);
    assert!(far.starts_with("argument 3: no .input covers bytes 4294967295 to 8589934590"));
    // A value that the kernel does not read has a place without an input.
    let unread = |offset| Argument::Value {
        offset,
        size: 4,
        unread: true,
    };
    assert_eq!(fault(&[&out, &a, &b, &unread(80)]), "none");
    assert_eq!(
        fault(&[&out, &a, &unread(76)]),
        "argument 3 is marked `unread`, but .input B covers it"
    );
    assert_eq!(
        fault(&[&out, &a, &b, &unread(80), &unread(82)]),
        "argument 4 and argument 5 overlap"
    );
    let through = |offset, bti| Argument::Buffer {
        offset,
        bti,
        access: Access::default(),
        stateless: true,
        unread: false,
    };
    assert_eq!(fault(&[&through(Some(64), Some(1)), &a, &b]), "none");
    for (offset, bti) in [(Some(64), None), (None, Some(1))] {
        assert_eq!(
            fault(&[&through(offset, bti), &a, &b]),
            "argument 1: `stateless` is for a buffer with both an offset and a binding table index"
        );
    }
    assert_eq!(
        fault(&[&out, &a, &value(72, 4), &b]),
        "argument 2 and argument 3 overlap"
    );
    assert_eq!(
        fault(&[&out, &a, &value(74, 2), &b]),
        "argument 2 and argument 3 overlap"
    );
    assert_eq!(fault(&[&out, &a, &value(76, 0)]), "argument 3: size: 0");
    assert_eq!(
        fault(&[&value(0, 4), &out, &a, &b]),
        "argument 1 at offset 0: the values that all threads share begin at 64"
    );
    assert_eq!(
        fault(&[&out, &a, &b, &buffer(None, None)]),
        "argument 4: neither an offset nor a binding table index"
    );
    assert_eq!(
        fault(&[&out, &a, &b, &buffer(None, Some(240))]),
        "argument 4: bti: 240 is not below 240"
    );
    let twice = [&out, &a, &b, &buffer(None, Some(1)), &buffer(None, Some(1))];
    assert_eq!(
        fault(&twice),
        "argument 4 and argument 5 have the same index 1"
    );
    let local = |size, alignment| Argument::Local {
        offset: 76,
        size,
        alignment,
        unread: false,
    };
    assert_eq!(fault(&[&out, &a, &local(4, 16)]), "none");
    assert_eq!(
        fault(&[&out, &a, &local(2, 4)]),
        "argument 3: size of an address: 2"
    );
    assert_eq!(fault(&[&out, &a, &local(4, 3)]), "argument 3: alignment: 3");
    let sampler = Argument::Sampler { index: 16 };
    assert_eq!(
        fault(&[&out, &a, &b, &sampler]),
        "argument 4: index: 16 is not below 16"
    );

    let with = |kind, offset| {
        fault_of(
            vec![out.clone(), a.clone(), b.clone()],
            vec![implicit(kind, offset)],
        )
    };
    // Local ids that the kernel does not read still take their place before the shared values.
    assert_eq!(
        with(ImplicitKind::LocalIds, 32),
        "argument 1 at offset 64: the values that all threads share begin at 128"
    );
    assert_eq!(
        with(ImplicitKind::LocalIds, 64),
        "local_ids at offset 64: they follow the header, at 32"
    );
    assert_eq!(
        with(ImplicitKind::GlobalSize, 64),
        "global_size and argument 1 overlap"
    );
    let missing = session().object_file(&module, Info::Interface(Interface::default()));
    assert_eq!(
        missing.unwrap_err().to_string(),
        "kernel add: its interface is not given"
    );
}

#[test]
fn what_is_no_interface_is_an_error() {
    let fail = |yaml: &str| Interface::parse(yaml.as_bytes()).unwrap_err().to_string();
    assert!(fail("kernels: [{name: a, argument: []}]").contains("unknown field `argument`"));
    assert!(
        fail("kernels: [{name: a, arguments: [{kind: valve}]}]")
            .contains("unknown variant `valve`")
    );
    assert!(
        fail("kernels: [{name: a, arguments: [{kind: value, offset: -1, size: 4}]}]")
            .contains("-1")
    );
    assert!(!fail("[").is_empty());
    // Deep nesting and aliases of aliases are refused quickly.
    let clock = std::time::Instant::now();
    assert!(fail(&"[".repeat(40_000)).contains("brackets"));
    assert!(!fail(&format!("kernels:{}", "\n- [".repeat(40_000))).is_empty());
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_string();
    for n in 1..30 {
        let alias = format!("*a{}, ", n - 1).repeat(9);
        bomb += &format!("a{n}: &a{n} [{alias}]\n");
    }
    assert!(!fail(&format!("{bomb}kernels: *a29\n")).is_empty());
    assert!(!fail("kernels: &k [*k]").is_empty());
    assert!(clock.elapsed().as_secs() < 10, "{:?}", clock.elapsed());
}

/// The interface that a reference entry describes, if an interface can express it.
fn interface_of(entry: &Entry, grf_bytes: u32) -> Option<KernelInterface> {
    let mut interface = KernelInterface {
        name: entry.name.clone(),
        local_memory: entry.execution_env.slm_size,
        ..KernelInterface::default()
    };
    let group: Option<[u32; 3]> = entry
        .execution_env
        .required_work_group_size
        .clone()
        .try_into()
        .ok();
    interface.group_size = group;
    let mut shared = 2 * grf_bytes;
    for ids in &entry.per_thread_payload_arguments {
        assert_eq!((&ids.arg_type, ids.offset), (&ArgType::LocalId, 0));
        let kind = ImplicitKind::LocalIds;
        interface.implicit.push(implicit(kind, grf_bytes));
        shared = grf_bytes + ids.size;
    }
    let bti = |arg: u32| {
        let of = entry
            .binding_table_indices
            .iter()
            .find(|b| b.arg_index == arg);
        of.map(|b| b.bti_value)
    };
    let count = entry
        .payload_arguments
        .iter()
        .filter_map(|p| p.arg_index)
        .max();
    let mut arguments: Vec<Option<Argument>> = vec![None; count.map_or(0, |n| n as usize + 1)];
    for payload in &entry.payload_arguments {
        let offset = payload.offset + shared;
        let kind = match payload.arg_type {
            ArgType::GlobalIdOffset => Some(ImplicitKind::GlobalIdOffset),
            ArgType::GlobalSize => Some(ImplicitKind::GlobalSize),
            ArgType::GroupCount => Some(ImplicitKind::GroupCount),
            ArgType::LocalSize => Some(ImplicitKind::LocalSize),
            ArgType::EnqueuedLocalSize => Some(ImplicitKind::EnqueuedLocalSize),
            ArgType::WorkDimensions => Some(ImplicitKind::WorkDimensions),
            _ => None,
        };
        if let Some(kind) = kind {
            interface.implicit.push(implicit(kind, offset));
            continue;
        }
        let number = payload.arg_index?;
        let access = match payload.access_type {
            Some(AccessType::Readonly) => Access::ReadOnly,
            Some(AccessType::Writeonly) => Access::WriteOnly,
            _ => Access::ReadWrite,
        };
        let argument = &mut arguments[number as usize];
        *argument = match (&payload.arg_type, &payload.addrmode, &payload.addrspace) {
            (ArgType::ArgByvalue, ..)
                if argument.is_none() && payload.source_offset.unwrap_or(0) == 0 =>
            {
                Some(value(offset, payload.size))
            }
            (ArgType::BufferAddress, ..) => match argument.take()? {
                Argument::Buffer {
                    bti,
                    access,
                    stateless,
                    unread,
                    ..
                } => Some(Argument::Buffer {
                    offset: Some(offset),
                    bti,
                    access,
                    stateless,
                    unread,
                }),
                _ => return None,
            },
            // For a buffer that is reached both ways, either may come first.
            (
                ArgType::ArgBypointer,
                Some(mode @ (AddrMode::Stateful | AddrMode::Stateless)),
                Some(AddrSpace::Global),
            ) => {
                let before = match argument.take() {
                    Some(Argument::Buffer { offset, bti, .. }) => Some((offset, bti)),
                    Some(_) => return None,
                    None => None,
                };
                let is_stateful = *mode == AddrMode::Stateful;
                let (known_offset, known_bti) = before.unwrap_or_default();
                Some(Argument::Buffer {
                    offset: if is_stateful {
                        known_offset
                    } else {
                        Some(offset)
                    },
                    bti: if is_stateful { bti(number) } else { known_bti },
                    access,
                    stateless: before.is_some(),
                    unread: false,
                })
            }
            (ArgType::ArgBypointer, Some(AddrMode::Slm), _) => Some(Argument::Local {
                offset,
                size: payload.size,
                alignment: payload.slm_alignment?,
                unread: false,
            }),
            (ArgType::ArgBypointer, Some(AddrMode::Stateful), Some(AddrSpace::Image)) => {
                Some(Argument::Image {
                    bti: bti(number)?,
                    image_type: payload.image_type.clone()?,
                    access,
                })
            }
            (ArgType::ArgBypointer, Some(AddrMode::Stateful), Some(AddrSpace::Sampler)) => {
                Some(Argument::Sampler {
                    index: payload.sampler_index?,
                })
            }
            _ => return None,
        };
    }
    interface.arguments = arguments.into_iter().collect::<Option<_>>()?;
    Some(interface)
}

/// Marks values without an input as unread.
fn mark_unread(kernel: &mut KernelInterface, inputs: &[KernelInput]) {
    let is_unread = |from: u32, size: u32| {
        !inputs
            .iter()
            .any(|input| from < input.offset + input.size && input.offset < from + size)
    };
    for implicit in &mut kernel.implicit {
        let size = if implicit.kind == ImplicitKind::WorkDimensions {
            4
        } else {
            12
        };
        let is_ids = implicit.kind == ImplicitKind::LocalIds;
        implicit.unread = !is_ids && is_unread(implicit.offset, size);
    }
    for argument in &mut kernel.arguments {
        match argument {
            Argument::Value {
                offset,
                size,
                unread,
            }
            | Argument::Local {
                offset,
                size,
                unread,
                ..
            } => {
                *unread = is_unread(*offset, *size);
            }
            Argument::Buffer {
                offset: Some(offset),
                unread,
                ..
            } => *unread = is_unread(*offset, 8),
            _ => {}
        }
    }
}

/// Reference entries converted to interfaces give the same entries again.
#[test]
fn interfaces_say_what_the_references_entries_say() {
    let (mut same, mut others) = (0, Vec::new());
    for (visa, zebin) in pairs() {
        let reference = Zebin::parse(&fs::read(&zebin).unwrap()).unwrap();
        let info = &reference.ze_info;
        let of = |entry| interface_of(entry, skl().grf_bytes);
        let Some(kernels) = info.kernels.iter().map(of).collect::<Option<Vec<_>>>() else {
            others.push(visa.file_stem().unwrap().to_string_lossy().into_owned());
            continue;
        };
        let mut interface = Interface {
            kernels,
            strings: Vec::new(),
        };
        let mut options = Options::new(skl());
        options.verify = false;
        let session = Session::new(options);
        let bytes = fs::read(&visa).unwrap();
        let module = session.compile_module(&[input(&bytes)]).unwrap();
        for kernel in &mut interface.kernels {
            // Functions that are called by address have an entry, too.
            if let Some(compiled) = module.kernel(&kernel.name) {
                mark_unread(kernel, &compiled.inputs);
            }
        }
        // An interface survives writing and reading.
        let yaml = serde_norway::to_string(&interface).unwrap();
        assert_eq!(Interface::parse(yaml.as_bytes()).unwrap(), interface);

        let made = match interface.ze_info(&module, skl()) {
            Ok(made) => made,
            Err(error) => panic!("{}: {error}\n{yaml}", visa.display()),
        };
        for entry in &made.kernels {
            let theirs = info.kernel(&entry.name).unwrap();
            let sorted = |entry: &Entry| {
                let mut all: Vec<String> = (entry.payload_arguments.iter())
                    .map(|p: &PayloadArgument| format!("{p:?}"))
                    .chain(entry.binding_table_indices.iter().map(|b| format!("{b:?}")))
                    .chain(
                        entry
                            .per_thread_payload_arguments
                            .iter()
                            .map(|p| format!("{p:?}")),
                    )
                    .collect();
                all.sort();
                all
            };
            assert_eq!(sorted(entry), sorted(theirs), "{}", visa.display());
            let env = &entry.execution_env;
            assert_eq!(env.simd_size, theirs.execution_env.simd_size);
            assert_eq!(env.slm_size, theirs.execution_env.slm_size);
            same += 1;
        }
    }
    assert!(same >= 115, "only {same}; not {others:?}");
}

const LINES: [&str; 4] = ["visaasm", "zebin", "lines", "cl"];

fn lines_fixture(extension: &str) -> Vec<u8> {
    assert!(LINES.contains(&extension));
    kiln_corpus::read(&format!("lines/sum.{extension}"))
}

fn with_lines() -> (CompiledModule, Zebin) {
    let module = session()
        .compile_module(&[input(&lines_fixture("visaasm"))])
        .unwrap();
    let info = Info::parse(&lines_fixture("zebin"), skl()).unwrap();
    let mut zebin = session().object_file(&module, info).unwrap();
    add_lines(&mut zebin, &module).unwrap();
    (module, Zebin::parse(&zebin.write().unwrap()).unwrap())
}

/// Offsets of the messages in code, up to the end of the thread.
fn messages(code: &[u8]) -> Vec<u32> {
    let (mut at, mut found) = (0, Vec::new());
    while let Ok(inst) = encoding::decode(&code[at..], skl()) {
        if let Some(message) = &inst.msg {
            found.push(at as u32);
            if message.eot {
                break;
            }
        }
        at += inst.size() as usize;
    }
    found
}

/// Messages come from the same source lines as in the reference's code, by its line table.
#[test]
fn code_comes_from_the_lines_that_the_reference_says() {
    let (module, _) = with_lines();
    let kernel = &module.kernels[0];
    let table = String::from_utf8(lines_fixture("lines")).unwrap();
    let rows: Vec<(u32, u32)> = table
        .lines()
        .filter_map(|line| {
            let (offset, line) = line.split_once(' ')?;
            let offset = u32::from_str_radix(offset.trim_start_matches("0x"), 16).ok()?;
            Some((offset, line.parse().ok()?))
        })
        .collect();
    let theirs = |offset: u32| {
        let behind = rows.partition_point(|row| row.0 <= offset);
        rows[behind - 1].1
    };
    let ours = |offset: u32| {
        kernel
            .lines
            .at(offset)
            .and_then(|l| l.source)
            .map_or(0, |s| s.line)
    };
    let reference = Zebin::parse(&lines_fixture("zebin")).unwrap();
    let expected: Vec<u32> = messages(reference.text("sum").unwrap())
        .into_iter()
        .map(theirs)
        .collect();
    let found: Vec<u32> = messages(&kernel.code).into_iter().map(ours).collect();
    assert_eq!(found, expected);
    assert!(
        expected.contains(&3) && expected.contains(&11) && expected.contains(&12),
        "{expected:?}"
    );
    // Both compilers have code for the same lines.
    let all = |lines: Vec<u32>| {
        lines
            .into_iter()
            .collect::<std::collections::BTreeSet<u32>>()
    };
    let ours = kernel
        .lines
        .lines
        .iter()
        .filter_map(|l| Some(l.source?.line))
        .collect();
    let mut theirs = all(rows.iter().map(|row| row.1).collect());
    // The head of the function: none of our instructions belongs to it.
    theirs.remove(&6);
    let mut ours = all(ours);
    ours.remove(&6);
    assert_eq!(ours, theirs);
    assert_eq!(kernel.lines.files, ["/src/sum.cl"]);
}

/// The sections hold the rows of the table, as read by another library.
#[test]
fn debug_sections_hold_the_table() {
    let (module, zebin) = with_lines();
    let kernel = &module.kernels[0];
    let load = |id: gimli::SectionId| -> Result<EndianSlice<LittleEndian>, gimli::Error> {
        let section = zebin.others.iter().find(|s| s.name == id.name());
        let data = section.map_or(&[][..], |s| &s.data);
        Ok(EndianSlice::new(data, LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(load).unwrap();
    let header = dwarf.units().next().unwrap().expect("a unit");
    let unit = dwarf.unit(header).unwrap();
    assert_eq!(unit.name.unwrap().to_string_lossy(), "/src/sum.cl");
    assert_eq!(unit.low_pc, 0);
    let program = unit.line_program.clone().unwrap();
    let mut rows = program.rows();
    let mut found = Vec::new();
    while let Some((header, row)) = rows.next_row().unwrap() {
        if row.end_sequence() {
            assert_eq!(row.address(), kernel.code.len() as u64);
            break;
        }
        let file = row.file(header).unwrap();
        let name = dwarf.attr_string(&unit, file.path_name()).unwrap();
        assert_eq!(name.to_string_lossy(), "sum.cl");
        let folder = file.directory(header).unwrap();
        let folder = dwarf.attr_string(&unit, folder).unwrap();
        assert_eq!(folder.to_string_lossy(), "/src");
        found.push((
            row.address() as u32,
            row.line().map_or(0, |l| l.get() as u32),
        ));
    }
    let line = |offset| {
        let behind = found.partition_point(|row| row.0 <= offset);
        found[behind - 1].1
    };
    for offset in (0..kernel.code.len() as u32).step_by(8) {
        let source = kernel.lines.at(offset).and_then(|l| l.source);
        assert_eq!(line(offset), source.map_or(0, |s| s.line), "{offset}");
    }

    // Each address is relocated by the kernel's symbol.
    let of_lines = zebin
        .relocations
        .iter()
        .find(|r| r.section == ".debug_line");
    let of_lines = of_lines.expect("relocations");
    assert!(of_lines.addends);
    let [relocation] = of_lines.entries[..] else {
        panic!("{of_lines:?}");
    };
    let symbol = &zebin.symbols[relocation.symbol as usize - 1];
    assert_eq!(
        (symbol.name.as_str(), relocation.addend, relocation.kind),
        ("sum", 0, 1)
    );
    // Adding the sections again replaces them.
    let info = Info::Zebin(zebin);
    let without = session().object_file(&module, info).unwrap();
    assert!(!without.others.iter().any(|s| s.name.starts_with(".debug_")));
    assert!(
        !without
            .relocations
            .iter()
            .any(|r| r.section.starts_with(".debug_"))
    );
}

/// Names that no section can hold as they are.
#[test]
fn any_name_of_a_file_is_written() {
    let text = String::from_utf8(lines_fixture("visaasm")).unwrap();
    for name in ["", "/", "a/", "//", "\u{1f600}", &"long/".repeat(1000)] {
        let text = text.replace("/src/sum.cl", name);
        let module = compile(&text);
        let info = Info::parse(&lines_fixture("zebin"), skl()).unwrap();
        let mut zebin = session().object_file(&module, info).unwrap();
        add_lines(&mut zebin, &module).unwrap();
        assert!(Zebin::parse(&zebin.write().unwrap()).is_ok());
    }
}

/// In a kernel's code that includes its callees, each function's rows belong to it.
#[test]
fn lines_of_called_functions_are_theirs() {
    let visa = kiln_corpus::text("kernels/call_recursive/call_recursive.visaasm");
    let module = compile(&visa);
    let kernel = &module.kernels[0];
    assert!(kernel.symbols.len() > 1);
    let visa_module = kiln_visa::text::parse(&visa).unwrap();
    for symbol in &kernel.symbols {
        let object = visa_module
            .objects
            .iter()
            .find(|o| o.name == *symbol.name)
            .unwrap();
        let within = |offset| (symbol.offset..symbol.offset + symbol.size).contains(&offset);
        let lines = kernel.lines.lines.iter().filter(|line| within(line.offset));
        let visa: Vec<u32> = lines.filter_map(|line| line.visa).collect();
        let largest = visa.iter().max().copied().unwrap_or(0) as usize;
        assert!(largest < object.insts.len(), "{}: {largest}", symbol.name);
        assert!(
            largest > object.insts.len() / 2,
            "{}: {largest}",
            symbol.name
        );
    }
}

fn relinked(zebin: &Path, visa: &[&Path], keep: bool) -> Result<Relinked, RelinkError> {
    let zebin = Zebin::parse(&fs::read(zebin).unwrap()).unwrap();
    let files: Vec<(String, Vec<u8>)> = visa
        .iter()
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect();
    let inputs: Vec<Input> = files
        .iter()
        .map(|(name, bytes)| Input { name, bytes })
        .collect();
    relink(&session(), zebin, &inputs, keep, false)
}

/// A relinked object file equals one made from its vISA with `--info`, whatever other vISA is given.
#[test]
fn a_relinked_object_file_has_our_code() {
    let all = pairs();
    let others: Vec<&Path> = all.iter().take(3).map(|(visa, _)| visa.as_path()).collect();
    let names = [
        "saxpy",
        "call_address",
        "call_recursive",
        "const_table",
        "ptrtable",
    ];
    let chosen = all
        .iter()
        .filter(|(visa, _)| names.iter().any(|n| visa.file_stem().unwrap() == *n));
    let mut count = 0;
    for (visa, zebin) in chosen {
        let mut files = others.clone();
        files.push(visa);
        let made = relinked(zebin, &files, false).unwrap_or_else(|e| panic!("{e}"));
        let bytes = fs::read(visa).unwrap();
        let module = session().compile_module(&[input(&bytes)]).unwrap();
        let info = Info::parse(&fs::read(zebin).unwrap(), skl()).unwrap();
        let expected = session().object_file(&module, info).unwrap();
        assert!(made.zebin == expected, "{}", visa.display());
        assert!(made.kept.is_empty());
        count += 1;
    }
    assert_eq!(count, names.len());
}

/// Relinked object files have as many barriers as the reference's, with and without named ones.
#[test]
fn barriers_are_counted_as_the_reference_counts() {
    let bmg = platform::find("bmg").unwrap();
    let mut counts = Vec::new();
    for kernel in kiln_corpus::kernels(&kiln_corpus::ALL) {
        let (Some(visa), Some(object)) = (kernel.visa("bmg"), kernel.object("bmg")) else {
            continue;
        };
        let theirs = Zebin::parse(&fs::read(&object).unwrap()).unwrap();
        let of = |zebin: &Zebin| {
            let kernels = zebin.ze_info.kernels.iter();
            let counts = kernels.map(|k| k.execution_env.barrier_count);
            counts.collect::<Vec<_>>()
        };
        let expected = of(&theirs);
        if expected.iter().all(|count| *count == 0) {
            continue;
        }
        let bytes = fs::read(&visa).unwrap();
        let made = relink(
            &Session::new(Options::new(bmg)),
            theirs,
            &[input(&bytes)],
            true,
            false,
        );
        let made = made.unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
        assert_eq!(of(&made.zebin), expected, "{}", kernel.name);
        counts.extend(expected);
    }
    assert!(counts.contains(&1) && counts.contains(&4), "{counts:?}");
}

/// The reference's object files of every platform say as many threads as the table of register modes, and a relinked one
/// follows its new mode.
#[test]
fn threads_of_an_execution_unit_follow_the_register_mode() {
    let object = |path: &Path| Zebin::parse(&fs::read(path).unwrap()).unwrap();
    let (mut modes, mut kernels) = (Vec::new(), 0);
    for kernel in kiln_corpus::kernels(&["kernels", "xe_kernels"]) {
        for platform in platform::PLATFORMS.iter().filter(|p| p.name != "skl") {
            let Some(path) = kernel.object(platform.name) else {
                continue;
            };
            for kernel in object(&path).ze_info.kernels {
                let env = kernel.execution_env;
                let mode = platform.mode_of(env.grf_count);
                if env.eu_thread_count == 0 {
                    continue;
                }
                let found = (env.grf_count, env.eu_thread_count);
                assert_eq!(found, (mode.grfs, mode.threads), "{}", path.display());
                modes.push((platform.name, mode.grfs));
                kernels += 1;
            }
        }
    }
    modes.sort_unstable();
    modes.dedup();
    assert!(kernels > 200 && modes.len() > 8, "{kernels}, {modes:?}");

    let kernel = kiln_corpus::Kernel::named("half_arith");
    let bytes = fs::read(kernel.visa("bmg").unwrap()).unwrap();
    let bmg = platform::find("bmg").unwrap();
    for (grfs, threads) in [(128, 8), (256, 4)] {
        let mut options = Options::new(bmg);
        (options.grfs, options.grf_limit) = (Grfs::Limit, grfs);
        let zebin = object(&kernel.object("bmg").unwrap());
        let made = relink(&Session::new(options), zebin, &[input(&bytes)], true, false);
        let made = made.unwrap_or_else(|e| panic!("{e}"));
        let env = &made.zebin.ze_info.kernels[0].execution_env;
        assert_eq!((env.grf_count, env.eu_thread_count), (grfs, threads));
    }
}

/// A kernel that holds the place of functions called by address, as the reference front end dumps it beside them.
const PLACE: &str = ".version 4.1\n.kernel \"Intel_Symbol_Table_Void_Program\"\n.kernel_attr Target=\"3d\"\n\
    .kernel_attr SimdSize=8\n.function \"p_main\"\np_main:\n    ret (M1, 1)\n";

#[test]
fn the_place_of_functions_keeps_them() {
    for name in ["skl", "bmg"] {
        let platform = platform::find(name).unwrap();
        let kernel = kiln_corpus::Kernel::named("call_address");
        let object = fs::read(kernel.object(name).unwrap()).unwrap();
        let visa = fs::read(kernel.visa(name).unwrap()).unwrap();
        let made = |inputs: &[Input], info: Info| {
            let session = Session::new(Options::new(platform));
            let module = session.compile_module(inputs).unwrap();
            session.object_file(&module, info).unwrap()
        };
        let info = || Info::parse(&object, platform).unwrap();
        let expected = made(&[input(&visa)], info());
        assert!(expected.text(FUNCTIONS).unwrap().len() > 64, "{name}");
        let place = || input(PLACE.as_bytes());
        assert!(made(&[input(&visa), place()], info()) == expected, "{name}");
        assert!(made(&[place(), input(&visa)], info()) == expected, "{name}");
        // Without the functions, those of the object file stay.
        let theirs = Zebin::parse(&object).unwrap();
        let alone = made(&[place()], info());
        assert_eq!(alone.text(FUNCTIONS), theirs.text(FUNCTIONS), "{name}");
    }
}

#[test]
fn kernels_and_functions_of_one_object_file_have_as_many_registers() {
    let bmg = platform::find("bmg").unwrap();
    let kernel = kiln_corpus::Kernel::named("call_address");
    let object = fs::read(kernel.object("bmg").unwrap()).unwrap();
    let visa = fs::read_to_string(kernel.visa("bmg").unwrap()).unwrap();
    let alone = &visa[..visa.find(".global_function").unwrap()];
    let alone = &alone[..alone.rfind(".version").unwrap()];
    let made = |text: &str, grfs| {
        let mut options = Options::new(bmg);
        (options.grfs, options.grf_limit) = (Grfs::Limit, grfs);
        let session = Session::new(options);
        let module = session.compile_module(&[input(text.as_bytes())]).unwrap();
        session.object_file(&module, Info::parse(&object, bmg).unwrap())
    };
    let counts = |zebin: Zebin| -> Vec<u32> {
        let functions = zebin.ze_info.functions.iter().map(|f| &f.execution_env);
        let kernels = zebin.ze_info.kernels.iter().map(|k| &k.execution_env);
        let mut all: Vec<u32> = kernels
            .take(1)
            .chain(functions)
            .map(|env| env.grf_count)
            .collect();
        all.dedup();
        all
    };
    assert_eq!(counts(made(alone, 128).unwrap()), [128]);
    let error = made(alone, 256).unwrap_err().to_string();
    assert!(
        error.starts_with("kernel call_address has 256 registers and uses the address of ")
            && error.contains(", which has 128: "),
        "{error}"
    );
    // With its functions, all have the new number.
    assert_eq!(counts(made(&visa, 256).unwrap()), [256]);
}

#[test]
fn kernels_without_visa_are_listed_or_kept() {
    let zebin = kiln_corpus::path("two_kernels/two.zebin");
    let theirs = Zebin::parse(&fs::read(&zebin).unwrap()).unwrap();
    let names = theirs.kernels.iter().map(|k| k.name.as_str());
    let names: Vec<&str> = names.filter(|name| *name != FUNCTIONS).collect();
    let visa = kiln_corpus::path("two_kernels/two.visaasm");
    let whole = relinked(&zebin, &[&visa], false).unwrap();
    let visa = fs::read_to_string(visa).unwrap();
    assert_eq!(whole.replaced, names);

    // The first kernel's text alone.
    let second = visa.rfind(".kernel ").unwrap();
    let head = visa.find(".kernel ").unwrap();
    let one = Path::new(env!("CARGO_TARGET_TMPDIR")).join("relink-one.visaasm");
    fs::write(&one, &visa[..second]).unwrap();
    let name = visa[head..].split('"').nth(1).unwrap();
    let missing: Vec<&str> = names.iter().copied().filter(|n| *n != name).collect();
    let error = relinked(&zebin, &[&one], false).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("no vISA of these kernels: {}", missing.join(", "))
    );
    let made = relinked(&zebin, &[&one], true).unwrap();
    assert_eq!(
        (made.replaced.as_slice(), made.kept.len()),
        (&[name.to_string()][..], missing.len())
    );
    for kernel in &made.zebin.kernels {
        let same = theirs.text(&kernel.name) == Some(&kernel.text[..]);
        assert_eq!(same, kernel.name != name, "{}", kernel.name);
    }

    // Another kernel of that name.
    let other = Path::new(env!("CARGO_TARGET_TMPDIR")).join("relink-other.visaasm");
    let without_a_line = visa[..second].replacen("    mov ", "    // mov ", 1);
    assert!(without_a_line != visa[..second]);
    fs::write(&other, without_a_line).unwrap();
    let error = relinked(&zebin, &[&one, &other], true).unwrap_err();
    assert!(matches!(error, RelinkError::Ambiguous { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// Any interface gives an object file or an error.
    #[test]
    fn damaged_interfaces_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        numbers in prop::collection::vec(any::<u32>(), 6),
    ) {
        let [a, b, c, d, e, f] = numbers[..] else { unreachable!("six numbers") };
        let yaml = format!("kernels:\n- name: add\n  implicit: [{{kind: local_size, offset: {a}}}]\n  arguments:\n  - {{kind: buffer, offset: {b}, bti: {c}}}\n  - {{kind: value, offset: {d}, size: {e}}}\n  - {{kind: local, offset: {f}}}\n");
        let mut bytes = yaml.into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(interface) = Interface::parse(&bytes) {
            let mut options = Options::new(skl());
            options.verify = false;
            let module = Session::new(options).compile_module(&[input(ADD.as_bytes())]).unwrap();
            let _ = interface.ze_info(&module, skl());
        }
    }
}
