//! A program of a seed: interpreted as it was read and after each pass, and compiled and executed.

use kiln_emit::zebin::Zebin;
use kiln_genx::attempt::ATTEMPTS;
use kiln_genx::ir::Module;
use kiln_runtime::exec::{Buffer, Launch, Program};
use kiln_runtime::{Info, Input, Options, Platform, Session, Tier};

use super::generate::{self, GROUPS, OUT_BYTES};
use super::interpret::{Content, Memory, Thread};

/// Addresses of the two buffers for the interpreter.
const BASES: [u64; 2] = [0x1_0000_0000, 0x2_0000_0000];

/// Content of the second buffer behind the interpreted program.
pub fn interpreted(module: &Module, input: &[u8]) -> Result<Vec<u8>, String> {
    let kernel = *module.function_names.get("k").ok_or("no kernel")?;
    let mut memory = Memory {
        buffers: vec![
            (BASES[0], input.to_vec()),
            (BASES[1], vec![0; OUT_BYTES * GROUPS as usize]),
        ],
    };
    for group in 0..GROUPS {
        let args = BASES.map(|base| Content::Bits(vec![base])).to_vec();
        Thread::new(module, &mut memory, group).run(kernel, args)?;
    }
    Ok(memory.buffers.swap_remove(1).1)
}

/// Content of the second buffer behind the compiled program.
pub fn executed(
    text: &str,
    input: &[u8],
    platform: &'static Platform,
    tier: Tier,
) -> Result<Vec<u8>, String> {
    let options = Options {
        verify: true,
        ..Options::new(platform)
    };
    let session = Session::new(options.tier(tier));
    let input_file = Input {
        name: "k.ll",
        bytes: text.as_bytes(),
    };
    let module = session
        .compile_module(&[input_file])
        .map_err(|e| format!("refused: {e}"))?;
    let interface = module.interface.clone().ok_or("no interface")?;
    let made = session
        .object_file(&module, Info::Interface(interface))
        .map_err(|e| e.to_string())?;
    let bytes = made.write().map_err(|e| e.to_string())?;
    let zebin = Zebin::parse(&bytes).map_err(|e| e.to_string())?;
    let program = Program::from_zebin(&zebin, "k", platform).map_err(|e| e.to_string())?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: "k",
        global: [GROUPS, 1, 1],
        local: [1; 3],
        dimensions: 1,
        args: vec![
            Buffer::of(input).into(),
            Buffer::of(&vec![0u8; OUT_BYTES * GROUPS as usize]).into(),
        ],
        budget: Launch::BUDGET,
    };
    launch.run(&program).map_err(|e| e.to_string())?;
    let out = Buffer::try_from(launch.args.swap_remove(1)).map_err(|_| "no buffer")?;
    Ok(out.values::<u8>())
}

/// First byte in which two results differ.
fn differ(what: &str, found: &[u8], expected: &[u8]) -> Result<(), String> {
    match found.iter().zip(expected).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(at) => Err(format!(
            "{what}: byte {at} is {:#x}, {:#x} expected",
            found[at], expected[at]
        )),
    }
}

/// Compares the results of a seed's program; gives the program's expected result.
///
/// # Errors
/// The first difference: of the IR after a pass, or of the executed code.
pub fn check(seed: u64, plain: bool, platform: &'static Platform) -> Result<Vec<u8>, String> {
    check_text(
        &generate::program(seed, plain),
        &generate::input(seed),
        platform,
    )
}

/// Compares a program in text as [`check`] does.
///
/// # Errors
/// The first difference.
pub fn check_text(
    text: &str,
    input: &[u8],
    platform: &'static Platform,
) -> Result<Vec<u8>, String> {
    let mut expected = None;
    for attempt in ATTEMPTS {
        let options = kiln_genx::Options {
            attempts: std::slice::from_ref(attempt),
            verify: true,
            ..kiln_genx::Options::new(platform)
        };
        let (dumps, done) = kiln_genx::compile_dumped(text.as_bytes(), &options);
        for (pass, text) in &dumps {
            let place = format!("attempt {}, after {pass}", attempt.name);
            let module =
                kiln_genx::read(text.as_bytes()).map_err(|e| format!("{place}: {}: {e}", e.loc))?;
            let found = interpreted(&module, input).map_err(|e| format!("{place}: {e}"))?;
            match &expected {
                None => expected = Some(found),
                Some(expected) => differ(&place, &found, expected)?,
            }
        }
        if let Err(error) = done
            && !ATTEMPTS.iter().any(|later| later.helps(&error))
        {
            return Err(format!("refused: {}: {error}", error.loc));
        }
    }
    let expected = expected.ok_or("nothing was read")?;
    for tier in [Tier::Quick, Tier::Best] {
        let found = executed(text, input, platform, tier)?;
        differ(&format!("executed, {tier:?}"), &found, &expected)?;
    }
    Ok(expected)
}
