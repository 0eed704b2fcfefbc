//! The examples through readers, printer, writer and verifier.

use std::fs;

use crate::common::{folder, saxpy};
use kiln_platform::platform::Generation;
use kiln_visa::binary::{read, write};
use kiln_visa::module::{Input, InputVar, Operand, Region, Surface};
use kiln_visa::opcode::Opcode;
use kiln_visa::print::print;
use kiln_visa::text::parse;
use kiln_visa::verify::check;

/// An example's name, text and binary.
struct Example {
    name: String,
    text: String,
    binary: Vec<u8>,
}

/// All examples, by name.
fn examples() -> Vec<Example> {
    let mut examples = Vec::new();
    for entry in fs::read_dir(folder()).expect("the examples' folder") {
        let path = entry.expect("an entry of the folder").path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()).map(str::to_owned) else {
            continue;
        };
        if let Ok(text) = fs::read_to_string(path.join(format!("{name}.visaasm"))) {
            let binary = fs::read(path.join(format!("{name}.isa"))).expect("the example's .isa");
            examples.push(Example { name, text, binary });
        }
    }
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(examples.len() >= 14, "the examples are not all there");
    examples
}

#[test]
fn print_and_parse_give_the_module_back() {
    for example in examples() {
        let module = parse(&example.text).expect(&example.name);
        let printed = print(&module);
        assert_eq!(
            parse(&printed).expect(&example.name),
            module,
            "{}",
            example.name
        );
    }
}

#[test]
fn printed_text_is_that_of_the_reference_compiler() {
    let lines = |text: &str| {
        let kept = text.lines().map(|l| l.trim_end().to_owned());
        kept.filter(|l| !l.is_empty() && !l.starts_with("//"))
            .collect::<Vec<_>>()
    };
    for example in examples() {
        let printed = print(&parse(&example.text).expect(&example.name));
        let (printed, expected) = (lines(&printed), lines(&example.text));
        for (printed, expected) in printed.iter().zip(&expected) {
            assert_eq!(printed, expected, "{}", example.name);
        }
        assert_eq!(printed.len(), expected.len(), "{}", example.name);
    }
}

#[test]
fn write_and_read_give_the_module_back() {
    for example in examples() {
        let module = parse(&example.text).expect(&example.name);
        let bytes = write(&module).expect(&example.name);
        assert_eq!(
            read(&bytes).expect(&example.name),
            module,
            "{}",
            example.name
        );
    }
}

/// Found by fuzzing: a predefined surface has a name of its own.
#[test]
fn predefined_surfaces_may_be_inputs() {
    let mut module = parse(&saxpy()).expect("saxpy");
    for i in 0..6 {
        module.objects[0].inputs.push(Input {
            var: InputVar::Surface(Surface::from_u32(i)),
            implicit: 0,
            offset: 0x400 + 4 * i as u16,
            size: 4,
        });
    }
    assert_eq!(parse(&print(&module)).expect("printed"), module);
}

/// Some releases of the reference compiler omit operands in objects, which is an error of its own.
#[test]
fn binary_and_text_are_equal() {
    for example in examples() {
        let module = parse(&example.text).expect(&example.name);
        let read = read(&example.binary).expect(&example.name);
        assert_eq!(read, module, "{}", example.name);
    }
}

#[test]
fn nothing_is_found_in_the_examples() {
    for example in examples() {
        let module = parse(&example.text).expect(&example.name);
        assert_eq!(
            check(&module, Some(Generation::Skl)),
            [],
            "{}",
            example.name
        );
    }
}

#[test]
fn a_binary_cut_anywhere_is_refused() {
    let bytes = write(&parse(&saxpy()).expect("saxpy")).expect("saxpy");
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len]).is_err(), "cut to {len} bytes");
    }
    assert!(read(&bytes).is_ok());
}

#[test]
fn saxpy_is_what_it_says() {
    let module = parse(&saxpy()).expect("saxpy");
    assert_eq!(module.version, (4, 1));
    let [kernel] = module.objects.as_slice() else {
        panic!("one kernel")
    };
    assert_eq!(kernel.name, "saxpy");
    assert_eq!(kernel.int_attr("SimdSize"), Some(32));
    assert_eq!(kernel.int_attr("Target"), Some(1));
    let mads = || kernel.insts.iter().filter(|inst| inst.op == Opcode::Mad);
    assert_eq!(mads().count(), 2);
    let mad = mads().next_back().expect("a mad");
    assert_eq!(
        (mad.exec.size, mad.exec.offset, mad.exec.no_mask),
        (16, 16, false)
    );
    let [Operand::General { var, region, .. }, ..] = mad.operands.as_slice() else {
        panic!("{mad:?}")
    };
    assert_eq!(kernel.vars[*var].name, "V0065");
    assert_eq!(*region, Region::dst(1));
}
