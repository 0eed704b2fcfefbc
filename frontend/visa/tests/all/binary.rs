//! Binary objects: header, versions, and malformed files.

use crate::common::saxpy;
use kiln_visa::binary::{ReadErrorKind, WriteErrorKind, read, write};
use kiln_visa::module::{
    Align, Global, GlobalAttr, Linkage, Module, Object, ObjectKind, Relocation, Type,
};
use kiln_visa::text::parse;

fn module() -> Module {
    parse(&saxpy()).expect("saxpy")
}

#[track_caller]
fn comes_back(module: &Module) -> Vec<u8> {
    let bytes = write(module).expect("written");
    let again = read(&bytes).expect("read");
    assert_eq!(again, *module);
    assert_eq!(write(&again).expect("written again"), bytes);
    bytes
}

#[track_caller]
fn refused(bytes: &[u8]) -> ReadErrorKind {
    read(bytes).expect_err("an object that is wrong").kind
}

#[test]
fn globals_are_written_and_read() {
    let mut module = module();
    let global = |linkage, name: &str, ty, elements| Global {
        linkage,
        name: name.into(),
        ty,
        align: Align::Dword,
        elements,
        attrs: Vec::new(),
    };
    let mut table = global(Linkage::Static, "table", Type::F, 64);
    for (name, value) in [(3, &b"text"[..]), (7, &[1, 2, 3, 4]), (0, &[])] {
        let value = value.into();
        table.attrs.push(GlobalAttr { name, value });
    }
    module.globals = vec![table, global(Linkage::Extern, "x", Type::Uq, 1)];
    comes_back(&module);
}

#[test]
fn relocations_are_written_and_read() {
    let mut module = module();
    let to = |symbolic, resolved| Relocation { symbolic, resolved };
    let relocations = &mut module.objects[0].relocations;
    relocations.variables = vec![to(0, 3), to(1, 0xffff)];
    relocations.functions = vec![to(2, 1)];
    comes_back(&module);

    let mut function = function(Linkage::Global);
    function.relocations.functions = vec![to(9, 8)];
    module.objects.push(function);
    comes_back(&module);
}

/// A function with only its header and a return.
fn function(linkage: Linkage) -> Object {
    let text = ".version 4.1\n.global_function \"f\"\nfret (M1, 1)\n";
    let mut object = parse(text).expect("a function").objects.remove(0);
    if let ObjectKind::Function { linkage: l, .. } = &mut object.kind {
        *l = linkage;
    }
    object
}

#[test]
fn extern_functions_are_nowhere_in_the_file() {
    let mut module = module();
    let alone = comes_back(&module).len();
    let kind = ObjectKind::Function {
        linkage: Linkage::Extern,
        arg_grfs: 0,
        ret_grfs: 0,
    };
    let attrs = parse(".version 4.1\n.global_function \"f\"\n.kernel_attr Extern\nfret (M1, 1)\n");
    let mut elsewhere = Object::new(kind, "f".into());
    elsewhere.attrs = attrs.expect("a function").objects.remove(0).attrs;
    module.objects.push(elsewhere);
    let bytes = comes_back(&module);
    // Linkage, name, offset, size, two counts.
    assert_eq!(bytes.len(), alone + 1 + 2 + 1 + 4 + 4 + 2 + 2);
}

#[test]
fn objects_keep_the_order_of_the_module() {
    let mut module = module();
    module.objects.insert(0, function(Linkage::Global));
    comes_back(&module);
}

/// Two kernels may not share bytes, or a small file could have gigabytes of kernels.
#[test]
fn objects_have_no_byte_in_common() {
    let mut module = module();
    let mut twin = module.objects[0].clone();
    twin.name = "twin_".into();
    module.objects.push(twin);
    let mut bytes = write(&module).expect("written");
    let at = |name: &str| {
        let found = bytes.windows(name.len()).position(|w| w == name.as_bytes());
        found.expect("the name") + name.len()
    };
    let (first, second) = (at("saxpy"), at("twin_"));
    let offset: [u8; 4] = bytes[first..first + 4].try_into().expect("an offset");
    bytes[second..second + 4].copy_from_slice(&offset);
    let ReadErrorKind::Overlap { name, other, .. } = refused(&bytes) else {
        panic!("{:?}", refused(&bytes))
    };
    assert!([("saxpy", "twin_"), ("twin_", "saxpy")].contains(&(&name, &other)));
}

#[test]
fn versions_are_those_of_the_format() {
    let mut bytes = write(&module()).expect("written");
    for (major, minor) in [(2, 9), (3, 10), (4, 2), (5, 0)] {
        bytes[4..6].copy_from_slice(&[major, minor]);
        assert_eq!(refused(&bytes), ReadErrorKind::Version { major, minor });
    }
}

/// Sound modules are written in their version, so text has no version between 3.9 and 4.0 either.
#[test]
fn versions_of_text_are_those_of_objects_and_one_more() {
    for (major, minor) in (0..=6).flat_map(|major| (0..=20).map(move |minor| (major, minor))) {
        let module = parse(&format!(".version {major}.{minor}\n"));
        let known = matches!((major, minor), (3, 0..=9) | (4, 0..=2));
        assert_eq!(module.is_ok(), known, "{major}.{minor}");
        if let Ok(module) = module {
            let written = write(&module).expect("written");
            assert!(read(&written).is_ok(), "{major}.{minor}");
        }
    }
}

/// Instructions whose form depends on the version of the format.
const OLD: &str = include_str!("../../fuzz/seeds/text_parse/old.visaasm");

#[test]
fn every_version_comes_back() {
    let mut module = parse(OLD).expect("old text");
    assert_eq!(module.version, (3, 0));
    let mut sizes = Vec::new();
    for version in (0..10).map(|n| (3, n)).chain([(4, 0), (4, 1)]) {
        module.version = version;
        sizes.push(comes_back(&module).len());
    }
    // In bytes: the event mask; a predicate and a level of detail, twice; all indices of strings and variables; the
    // number of inputs; the function unit; a name's length; three sampler operations.
    let grown: Vec<_> = sizes.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(grown[0], 6);
    assert_eq!(grown[1..3], [2 * (2 + 4), 0]);
    assert!(grown[3] > 50, "{grown:?}");
    assert_eq!(grown[4..], [3, 1, 1, 0, 0, 3, 0]);
}

/// Bytes built from the format's description: indices of strings and variables have two bytes, the number of inputs
/// and the length of a name one; a `raw_sends` has no function unit.
#[test]
fn an_object_of_version_3_3_is_read() {
    let object: Vec<u8> = [
        &b"\x03\0k\0SLMSize\0a.c\0\0\0"[..],
        // Variables: one, `V32`, of 8 dwords at a GRF; no address, predicate, label, sampler.
        b"\x01\0\0\0\x50\x08\0\0\0\0\0\0\0",
        b"\0\0\0\0\0\0\0\0\0",
        // Inputs: one, at byte 32, of 32 bytes.
        b"\x01\0\x20\0\x20\0\x20\0",
        // Code: 46 bytes at 62. Attributes: SLMSize=2.
        b"\x2e\0\0\0\x3e\0\0\0\x01\0\x01\0\x01\x02",
        b"\x51\x02\0",
        b"\x7a\0\x03\0\0\x01\x01\x01\x05\0\x0c\0\0\0\x05\0\x01\x5e\x10\x02",
        b"\x20\0\0\0\x20\0\0\0\x20\0\0\0",
        b"\x34\x30\0\0",
        b"\x5b\x05\x02\0\0\0\0",
    ]
    .concat();
    let mut file = b"CISA\x03\x03\x01\0\x01k".to_vec();
    let start = file.len() as u32 + 4 + 4 + 4 + 2 + 2 + 1 + 2 + 2;
    file.extend(start.to_le_bytes());
    file.extend((object.len() as u32).to_le_bytes());
    file.extend([0; 4 + 2 + 2 + 1 + 2 + 2]);
    file.extend(&object);
    let text = "\
.version 3.3
.kernel \"k\"
.decl V32 v_type=G type=ud num_elts=8 align=GRF
.input V32 offset=32 size=32
.kernel_attr SLMSize=2
FILE \"a.c\"
raw_sends.0.1.1.1 (M1, 8) 0xc:ud 0x2105e01:ud V32.0 V32.0 V32.0
ret (M4, 1)
wait 0x0:uw
";
    let mut module = read(&file).expect("an object");
    module.objects[0].vars[kiln_visa::module::Var::from_u32(32)].name = "V32".into();
    assert_eq!(module, parse(text).expect("text"));
}

#[test]
fn what_a_version_lacks_is_not_written() {
    for (version, from, to, lacking) in [
        ((3, 0), "wait 0x0:uw", "wait 0x1:uw", "a mask of events"),
        ((3, 0), "mov (M1_NM, 1)", "mov (M2_NM, 1)", "M2_NM to M8_NM"),
        (
            (3, 1),
            "V33.0 %null.0 %null.0 V32.0\nscatter",
            "V33.0 %null.0 V33.0 V32.0\nscatter",
            "a level of detail here",
        ),
        (
            (3, 1),
            "gather4_typed.RB (M1, 8)",
            "gather4_typed.RB (M1, 16)",
            "an execution size but 8 here",
        ),
        (
            (3, 3),
            "0x12:uw S0",
            "0x12:ud S0",
            "an operand but an immediate `uw` here",
        ),
    ] {
        let mut module = parse(&OLD.replacen(from, to, 1)).expect(to);
        assert_ne!(module, parse(OLD).expect("old text"), "{to}");
        module.version = version;
        let error = write(&module).expect_err(to);
        let what = lacking;
        assert_eq!(error.kind, WriteErrorKind::Version { what, version });
    }
    let mut module = parse(OLD).expect("old text");
    module.version = (3, 3);
    for i in 0..70_000 {
        let mut var = module.objects[0]
            .vars
            .values()
            .next_back()
            .cloned()
            .expect("a variable");
        var.name = format!("v{i}").into();
        module.objects[0].vars.push(var);
    }
    let error = write(&module).expect_err("70000 variables");
    assert!(
        matches!(error.kind, WriteErrorKind::TooLarge { most: 0xffff, .. }),
        "{error}"
    );
    module.version = (3, 4);
    comes_back(&module);
}

/// Found by fuzzing: an attribute whose value is a number may lack it.
#[test]
fn attributes_without_a_value_come_back() {
    let text = ".version 4.1\n.kernel \"k\"\n.kernel_attr SLMSize\n.kernel_attr New\nret (M1, 1)\n";
    comes_back(&parse(text).expect("text"));
}

/// Text is one version ahead of the objects.
#[test]
fn text_of_version_4_2_is_written_as_4_1() {
    let mut module = module();
    module.version = (4, 2);
    let bytes = write(&module).expect("written");
    assert_eq!(bytes[4..6], [4, 1]);
    module.version = (4, 1);
    assert_eq!(read(&bytes).expect("read"), module);
}

/// The execution mask of version 3.0 has a tenth value, the default: M1.
#[test]
fn default_mask_of_version_3_0() {
    let text = ".version 3.0\n.kernel \"k\"\nret (M1, 1)\n";
    let module = parse(text).expect("text");
    let mut bytes = comes_back(&module);
    // `ret`: the mask and size, then the predicate, end the file.
    let mask = bytes.len() - 3;
    bytes[mask] = 0x90;
    assert_eq!(read(&bytes).expect("read"), module);
    bytes[mask] = 0xa0;
    let ReadErrorKind::Value { what, .. } = refused(&bytes) else {
        panic!("{:?}", refused(&bytes))
    };
    assert_eq!(what, "an execution mask");
}
