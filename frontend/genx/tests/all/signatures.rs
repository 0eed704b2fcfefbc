//! Calls of every intrinsic with the operands of its signature, and with others: one too many, one too few, another type, a variable
//! in the place of a constant, a number out of all ranges. Each wrong call ends in a diagnostic, and none in a panic.

use std::panic::catch_unwind;

use kiln_genx::error::Code;
use kiln_genx::intrinsics::{Intrinsic, signatures};
use kiln_genx::{Options, compile};
use kiln_platform::platform::{PLATFORMS, Platform};

/// Platforms with data ports, and with load-store units.
const PLATFORM_NAMES: [&str; 2] = ["skl", "bmg"];

fn platform(name: &str) -> &'static Platform {
    let found = PLATFORMS.iter().find(|platform| platform.name == name);
    found.expect("a platform")
}

/// Types of a signature: of the members of the result, and of the operands with their letters.
fn typed(signature: &str) -> (Vec<String>, Vec<(char, String)>) {
    let (result, operands) = signature.split_once(':').expect("a colon");
    let element = if operands.ends_with('F') {
        "float"
    } else {
        "i32"
    };
    let mut named: Vec<String> = Vec::new();
    let mut of = |letter: char| -> String {
        let own = match letter {
            'A' | 'a' | 'V' | 'I' | 'i' | 'N' | 'n' => "<16 x i32>",
            'F' | 'f' => "<16 x float>",
            'P' => "ptr addrspace(1)",
            'M' | 'j' => "<16 x i1>",
            'E' => element,
            'w' | 'x' => "i32",
            'h' => "<8 x i32>",
            't' => "<32 x i32>",
            'b' => return "i1".into(),
            'c' | 'C' => return "i8".into(),
            's' | 'S' => return "i16".into(),
            'd' | 'D' => return "i32".into(),
            'q' => return "i64".into(),
            digit => {
                let number = digit.to_digit(10).expect("a digit") as usize;
                return named[number].clone();
            }
        };
        named.push(own.into());
        own.into()
    };
    let result = result.chars().map(&mut of).collect();
    let operands = operands.chars().filter(|letter| *letter != '*');
    let operands = operands.map(|letter| (letter, of(letter))).collect();
    (result, operands)
}

/// A module whose kernel calls an intrinsic with operands of these types; some are the constants given.
fn module(name: &str, result: &[String], operands: &[(String, Option<&str>)]) -> String {
    let result = match result {
        [] => "void".to_string(),
        [one] => one.clone(),
        several => format!("{{ {} }}", several.join(", ")),
    };
    let types: Vec<&str> = operands.iter().map(|(ty, _)| ty.as_str()).collect();
    let mut loads = String::new();
    let mut args = Vec::new();
    for (number, (ty, constant)) in operands.iter().enumerate() {
        args.push(match constant {
            Some(constant) => format!("{ty} {constant}"),
            None => {
                loads += &format!("  %a{number} = load {ty}, ptr addrspace(1) %p\n");
                format!("{ty} %a{number}")
            }
        });
    }
    let call = format!("call {result} @llvm.{name}({})", args.join(", "));
    let (call, after) = match result.as_str() {
        "void" => (call, String::new()),
        ty if ty.starts_with('{') => (
            format!("%r = {call}"),
            format!("  %m = extractvalue {ty} %r, 0\n"),
        ),
        ty => (
            format!("%r = {call}"),
            format!("  store {ty} %r, ptr addrspace(1) %p\n"),
        ),
    };
    format!(
        "target datalayout = \"e-p:64:64-i64:64\"\ndeclare {result} @llvm.{name}({})\n\
         define spir_kernel void @k(ptr addrspace(1) %p) #0 {{\n{loads}  {call}\n{after}  ret void\n}}\n\
         attributes #0 = {{ \"VCFunction\" }}\n",
        types.join(", ")
    )
}

/// The code of the diagnostic on each platform; none for a module that compiles. Faults of the compiler are added to a list.
fn codes(text: &str, faults: &mut Vec<String>) -> [Option<Code>; 2] {
    PLATFORM_NAMES.map(|name| {
        let options = Options::new(platform(name));
        let compiled = catch_unwind(|| compile(text.as_bytes(), &options).err());
        let Ok(error) = compiled else {
            faults.push(format!("{name}: a panic\n{text}"));
            return None;
        };
        let error = error?;
        if error.code == Code::Pass {
            faults.push(format!("{name}: {error}\n{text}"));
        }
        Some(error.code)
    })
}

/// Another type than any letter of a signature takes in its place.
fn unlike(letter: char, ty: &str) -> &'static str {
    match letter {
        'A' | 'V' => "[2 x i32]",
        _ if ty.contains("float") => "<16 x i32>",
        _ => "<7 x float>",
    }
}

#[test]
fn every_intrinsic_has_one_signature() {
    let names = Intrinsic::all().filter(|(_, supported)| *supported);
    for (name, _) in names {
        let says_nothing = Intrinsic::named(name).is_ok_and(Intrinsic::is_nothing);
        let found = signatures::signature(name).is_some();
        assert!(found || says_nothing, "{name}");
    }
}

#[test]
fn wrong_calls_end_in_diagnostics() {
    let (mut wrong, mut accepted, mut faults) = (0, Vec::new(), Vec::new());
    for (name, _) in Intrinsic::all().filter(|(_, supported)| *supported) {
        let Some(signature) = signatures::signature(name) else {
            continue;
        };
        if signature.ends_with('*') || Intrinsic::named(name).is_ok_and(Intrinsic::is_nothing) {
            continue;
        }
        let (result, letters) = typed(signature);
        let operand = |(letter, ty): &(char, String)| match letter {
            'C' | 'S' | 'D' => (ty.clone(), Some("1")),
            _ => (ty.clone(), None),
        };
        let right: Vec<_> = letters.iter().map(operand).collect();
        // A call need not compile, but never ends in a panic.
        codes(&module(name, &result, &right), &mut faults);
        let mut refused = |result: &[String], operands: &[(String, Option<&str>)], what: &str| {
            wrong += 1;
            let text = module(name, result, operands);
            if codes(&text, &mut faults).contains(&None) {
                accepted.push(format!("llvm.{name}: {what}"));
            }
        };
        // A masked access has an operand less since LLVM 22.
        if !name.starts_with("masked.")
            && let Some((_, fewer)) = right.split_last()
        {
            refused(&result, fewer, "one too few");
        }
        let mut more = right.clone();
        more.push(("i32".into(), None));
        refused(&result, &more, "one too many");
        for (at, (letter, ty)) in letters.iter().enumerate() {
            let mut other = right.clone();
            other[at] = (unlike(*letter, ty).into(), None);
            refused(&result, &other, &format!("operand {at} of another type"));
            if "CSD".contains(*letter) {
                other[at] = (ty.clone(), None);
                refused(&result, &other, &format!("operand {at} is no constant"));
            }
        }
        if let [first, ..] = &result[..] {
            let other = match first.contains("float") {
                true => "<3 x i32>",
                false => "<3 x double>",
            };
            let mut others = result.clone();
            others[0] = other.into();
            // A type that operands follow may change with them; an intrinsic of any type takes it.
            let follows = letters
                .iter()
                .any(|(letter, _)| matches!(letter, '0' | 'i' | 'f'));
            if follows || !signature.starts_with(['A', 'V']) {
                refused(&others, &right, "a result of another type");
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(wrong > 1500, "{wrong}");
    assert!(
        accepted.is_empty(),
        "{} of {wrong}:\n{}",
        accepted.len(),
        accepted.join("\n")
    );
}

/// Constants outside of all ranges: each ends in a diagnostic, or changes nothing that a message has a field for.
#[test]
fn constants_out_of_range_end_without_a_panic() {
    let mut faults = Vec::new();
    for (name, _) in Intrinsic::all().filter(|(_, supported)| *supported) {
        let Some(signature) = signatures::signature(name) else {
            continue;
        };
        let (result, letters) = typed(signature);
        for at in 0..letters.len() {
            for number in ["0", "-1", "77"] {
                let operand = |(i, (letter, ty)): (usize, &(char, String))| {
                    let constant = match letter {
                        'c' | 'C' | 's' | 'S' | 'd' | 'D' | 'q' if i == at => Some(number),
                        'C' | 'S' | 'D' => Some("1"),
                        _ => None,
                    };
                    (ty.clone(), constant)
                };
                let operands: Vec<_> = letters.iter().enumerate().map(operand).collect();
                codes(&module(name, &result, &operands), &mut faults);
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
}
