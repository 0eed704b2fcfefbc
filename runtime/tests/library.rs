//! The library as its users see it: diagnostics as records, modules built in memory, and code loaded at an address.

use kiln_runtime::exec::{Arg, Buffer, Launch, Program};
use kiln_runtime::launch::Description;
use kiln_runtime::visa::build::{self, Builder};
use kiln_runtime::visa::module::{Exec, Module, Operand, PredUse, StateVar, Type};
use kiln_runtime::visa::opcode::{Opcode, Relation};
use kiln_runtime::visa::{binary, print};
use kiln_runtime::{
    CompiledModule, Info, Input, LoadError, Options, Platform, RelocationKind, Session, Severity,
    find_platform,
};

fn skl() -> &'static Platform {
    find_platform("skl").expect("a platform")
}

fn session() -> Session {
    Session::new(Options::new(skl()))
}

fn kernel_file(name: &str, extension: &str) -> Vec<u8> {
    kiln_corpus::read(&format!("kernels/{name}/{name}.{extension}"))
}

fn compiled(name: &str) -> CompiledModule {
    let bytes = kernel_file(name, "visaasm");
    let input = Input {
        name,
        bytes: &bytes,
    };
    let module = session().compile_module(&[input]);
    module.unwrap_or_else(|e| panic!("{e}"))
}

/// A kernel with the lines in it.
fn text(lines: &str) -> String {
    format!(
        ".version 3.6\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=8 align=hword\n\
         .decl V33 v_type=G type=d num_elts=8 align=hword\n.kernel_attr SimdSize=8\n\
         .function \"k_0\"\nk_0:\n{lines}    ret (M1, 1)\n"
    )
}

#[test]
fn all_findings_of_a_module_are_records() {
    let wrong = text(
        "    add (M1, 8) V32(0,4)<1> V33(0,0)<1;1,0> 0x1:d\n\
         \x20   mov (M1, 8) V33(0,0)<1> 0x1:d\n\
         \x20   mov (M1, 8) V33(0,1)<1> V32(0,0)<1;1,0>\n",
    );
    let inputs = [Input {
        name: "k.visaasm",
        bytes: wrong.as_bytes(),
    }];
    let failure = session().compile_module(&inputs).expect_err("an error");
    let found = failure.diagnostics();
    let errors = found.iter().filter(|d| d.severity == Severity::Error);
    let of = |d: &kiln_runtime::Diagnostic| (d.code, d.instruction, d.line, d.column);
    let errors: Vec<_> = errors.map(of).collect();
    assert_eq!(
        errors,
        [
            ("V0014", Some(1), Some(8), Some(5)),
            ("V0014", Some(3), Some(10), Some(5))
        ]
    );
    assert_eq!(
        found[0].to_string(),
        "k.visaasm:8:5: error V0014: k, instruction 1: operand 0 goes to byte 48 of V32, which has 32"
    );
    // A syntax error in each of two lines, and in two files.
    let broken = text("    bogus (M1, 8) V32\n    mov (M1, 8) V99(0,0)<1> 0x1:d\n");
    let inputs = ["a", "b"].map(|name| Input {
        name,
        bytes: broken.as_bytes(),
    });
    let failure = session().compile_module(&inputs).expect_err("an error");
    let places = failure.diagnostics().into_iter();
    let places: Vec<_> = places.map(|d| (d.file, d.line, d.code)).collect();
    let [a, b] = ["a", "b"].map(|name| Some(name.to_string()));
    let expected = [
        (a.clone(), Some(8), "S0002"),
        (a, Some(9), "S0002"),
        (b.clone(), Some(8), "S0002"),
        (b, Some(9), "S0002"),
    ];
    assert_eq!(places, expected);
}

/// Indices of the bytes that differ.
fn differing(a: &[u8], b: &[u8]) -> Vec<usize> {
    (0..a.len()).filter(|&i| a[i] != b[i]).collect()
}

#[test]
fn loaded_code_differs_in_its_relocations_only() {
    let module = compiled("call_address");
    let relocations: usize = module.parts().map(|part| part.relocations.len()).sum();
    assert!(relocations >= 2 && !module.functions.is_empty());
    let none = |symbol: &str| -> Option<u64> { panic!("{symbol}: the module has it itself") };
    let base = 0x1234_5678_0000;
    let at_zero = module.load_at(0, none).expect("an image");
    let image = module.load_at(base, none).expect("an image");
    assert_eq!(image.bytes.len(), module.image_size());
    assert_eq!(at_zero.entries, image.entries);
    let mut fields = Vec::new();
    for (part, entry) in module.parts().zip(&image.entries) {
        assert_eq!(entry.name, part.name);
        assert_eq!(image.address(&part.name), Some(base + entry.offset as u64));
        for relocation in &part.relocations {
            let start = entry.offset + relocation.offset as usize;
            let field = &image.bytes[start..][..relocation.kind.bytes() as usize];
            let address = image.address(&relocation.symbol).expect("its own");
            let expected = match relocation.kind {
                RelocationKind::Address => address.to_le_bytes().to_vec(),
                RelocationKind::AddressLow => (address as u32).to_le_bytes().to_vec(),
                RelocationKind::AddressHigh => ((address >> 32) as u32).to_le_bytes().to_vec(),
                RelocationKind::Distance => panic!("a call by name that is open"),
            };
            assert_eq!(field, expected);
            fields.push(start..start + field.len());
        }
    }
    let differing = differing(&at_zero.bytes, &image.bytes);
    assert!(!differing.is_empty());
    let in_field = |at: &usize| fields.iter().any(|field| field.contains(at));
    assert!(differing.iter().all(in_field));
}

/// The executor places kernels at address 0 and can call code after them.
#[test]
fn loaded_code_runs() {
    let name = "call_address";
    let module = compiled(name);
    let image = module.load_at(0, |_| None).expect("an image");
    let info = Info::parse(&kernel_file(name, "zebin"), skl()).expect("a zebin");
    let ze_info = session()
        .object_file(&module, info)
        .expect("an object file");
    let folder = kiln_corpus::path(&format!("kernels/{name}"));
    let yaml = std::fs::read_to_string(folder.join("launch.yaml")).expect("a launch");
    let description = Description::parse(&yaml).expect("a launch");
    let mut launch = Launch {
        ze_info: &ze_info.ze_info,
        kernel: name,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description.load_args(&folder).expect("its arguments"),
        budget: Launch::BUDGET,
    };
    let program = Program::from_text(&image.bytes, skl());
    launch.run(&program).unwrap_or_else(|e| panic!("{e}"));
    let checked = description.check(&launch.args, &folder);
    checked.unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn what_cannot_be_loaded_is_an_error() {
    let mut module = compiled("call_address");
    let (align, end) = (
        module.load_at(32, |_| None),
        module.load_at(u64::MAX - 63, |_| None),
    );
    assert_eq!(align, Err(LoadError::Align(32)));
    assert!(matches!(end, Err(LoadError::End { .. })));
    // Without its functions, the kernel calls functions of another module.
    let functions = std::mem::take(&mut module.functions);
    let mut asked = Vec::new();
    let unknown = module.load_at(0, |symbol| {
        asked.push(symbol.to_string());
        None
    });
    assert_eq!(unknown, Err(LoadError::Unknown(asked.clone())));
    assert!(!asked.is_empty());
    assert!(
        asked
            .iter()
            .all(|name| functions.iter().any(|f| f.name == *name))
    );
    assert!(module.load_at(0, |_| Some(1 << 40)).is_ok());
    module.kernels[0].relocations[0].kind = RelocationKind::Distance;
    let far = module.load_at(0, |_| Some(1 << 40));
    assert!(matches!(far, Err(LoadError::Far { address, .. }) if address == 1 << 40));
    assert!(module.load_at(1 << 40, |_| Some(1 << 40)).is_ok());
}

/// Clamps the values of a buffer to a limit; launched for one group of 16.
fn clamp() -> Module {
    let mut k = Builder::kernel("clamp", 16);
    let lane = k.var("lane", Type::Uw, 16);
    let limit = k.var("limit", Type::F, 1);
    let offset = k.var("offset", Type::Ud, 16);
    let value = k.var("value", Type::F, 16);
    let above = k.predicate("above", 16);
    let surface = k.surface("data");
    let end = k.label("end");
    k.input(lane, 32);
    k.input(limit, 128);
    let all = Exec::channels(16);
    let data = Operand::State {
        of: StateVar::Surface(surface),
        off: 0,
    };
    let place = [
        Operand::Field(1),
        Operand::Field(0),
        surface.into(),
        0u32.into(),
        offset.raw(0),
        value.raw(0),
    ];
    let relation = Relation::Gt.into();
    k.inst(Opcode::Shl, all, [offset.dst(), lane.src(), 2u32.into()]);
    k.inst(Opcode::Movs, Exec::NONE, [data, 0u32.into()]);
    k.inst(Opcode::Gather4Scaled, all, place.clone());
    k.inst(
        Opcode::Cmp,
        all,
        [relation, above.into(), value.src(), limit.scalar(0)],
    );
    k.inst(Opcode::Goto, all, [end.into()])
        .when(PredUse::not(above));
    k.inst(Opcode::Mov, all, [value.dst(), limit.scalar(0)]);
    k.inst(Opcode::Scatter4Scaled, all, place);
    k.define(end);
    k.inst(Opcode::Ret, Exec::channels(1), []);
    build::module([k.finish().expect("a kernel")]).expect("a module")
}

/// Arguments of the kernel: the buffer as surface 0, and the limit after the local ids.
const CLAMP_INFO: &[u8] = b"
version: '1.20'
kernels:
  - name: clamp
    execution_env: {grf_count: 128, simd_size: 16}
    payload_arguments:
      - {arg_type: arg_bypointer, arg_index: 0, addrmode: stateful, addrspace: global, access_type: readwrite}
      - {arg_type: arg_byvalue, offset: 0, size: 4, arg_index: 1}
    per_thread_payload_arguments: [{arg_type: local_id, offset: 0, size: 96}]
    binding_table_indices: [{bti_value: 0, arg_index: 0}]
";

#[test]
fn a_module_built_in_memory_runs() {
    let session = session();
    let module = clamp();
    let loaded = session
        .load_visa("clamp", module.clone())
        .expect("a module");
    assert_eq!(loaded.module(), &module);
    let compiled = session
        .compile_loaded(&loaded)
        .unwrap_or_else(|e| panic!("{e}"));
    // Text and binary of a module compile to the same code.
    let text = print::print(&module).into_bytes();
    for bytes in [text, binary::write(&module).expect("an object")] {
        let again = session.compile_module(&[Input {
            name: "clamp",
            bytes: &bytes,
        }]);
        let again = again.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(again.kernels[0].code, compiled.kernels[0].code);
    }
    let info = Info::parse(CLAMP_INFO, skl()).expect("a description");
    let zebin = session
        .object_file(&compiled, info)
        .expect("an object file");
    let program = Program::from_zebin(&zebin, "clamp", skl()).expect("a program");
    let numbers: Vec<f32> = (0..16).map(|n| (n * 7 % 16) as f32).collect();
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: "clamp",
        global: [16, 1, 1],
        local: [16, 1, 1],
        dimensions: 1,
        args: vec![
            Buffer::of(&numbers).into(),
            Arg::Value(6.5f32.to_le_bytes().to_vec()),
        ],
        budget: Launch::BUDGET,
    };
    launch.run(&program).unwrap_or_else(|e| panic!("{e}"));
    let found = Buffer::try_from(launch.args.swap_remove(0)).expect("a buffer");
    let expected: Vec<f32> = numbers.iter().map(|n| n.min(6.5)).collect();
    assert_eq!(found.values::<f32>(), expected);
}

#[test]
fn what_is_built_wrong_is_a_record_with_the_instruction() {
    let mut module = clamp();
    module.objects[0].insts[1].operands.pop();
    let failure = session()
        .load_visa("built", module)
        .err()
        .expect("an error");
    let found = failure.diagnostic();
    assert_eq!(
        (found.code, found.instruction, found.line, found.offset),
        ("V0008", Some(1), None, None)
    );
    assert!(
        found
            .text
            .is_some_and(|text| text.starts_with("shl (M1, 16)"))
    );
    assert_eq!(found.file.as_deref(), Some("built"));
}
