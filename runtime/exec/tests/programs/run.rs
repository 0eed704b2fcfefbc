//! Compiles a program and executes machine code of it.

use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{Options, Session, Tier};
use kiln_emit::ze_info::ZeInfo;
use kiln_exec::{Arg, Launch, Program as Code};

use crate::case::{Case, Part};
use crate::text::{AFTER, BEFORE, MEMORY};

/// Limit on the instructions of a thread.
const BUDGET: u64 = 1 << 22;
const STACK: usize = 1 << 16;

/// Tiers that code is made for.
pub const TIERS: [Tier; 2] = [Tier::Best, Tier::Quick];

/// Our machine code, linked, every stage verified.
pub fn compile(case: &Case, grf_limit: u32, tier: Tier) -> Result<Code, String> {
    let mut options = Options::new(case.target).tier(tier);
    options.verify = true;
    options.grf_limit = grf_limit;
    let session = Session::new(options);
    let input = Input {
        name: "program.visaasm",
        bytes: case.text.as_bytes(),
    };
    let module = session
        .compile_module(&[input])
        .map_err(|e| e.to_string())?;
    let object_file = session
        .object_file(&module, Info::ZeInfo(info(case)))
        .map_err(|e| e.to_string())?;
    let code = Code::from_zebin(&object_file, "program", case.target);
    code.map_err(|e| e.to_string())
}

fn info(case: &Case) -> ZeInfo {
    let (simd, grfs) = (case.simd, case.target.default_grfs);
    let buffers = [BEFORE, AFTER, MEMORY];
    let payload: String = buffers
        .iter()
        .map(|n| {
            format!("      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: {n}, addrmode: stateful, addrspace: global, access_type: readwrite}}\n")
        })
        .collect();
    let entries: String = buffers
        .iter()
        .map(|n| format!("      - {{bti_value: {n}, arg_index: {n}}}\n"))
        .collect();
    let yaml = format!(
        "version: '1.20'
kernels:
  - name: program
    execution_env:
      grf_count: {grfs}
      simd_size: {simd}
    payload_arguments:
{payload}      - {{arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 3, addrmode: stateless, addrspace: global, access_type: readwrite}}
    per_thread_memory_buffers:
      - {{type: scratch, usage: spill_fill_space, size: 65536}}
    binding_table_indices:
{entries}"
    );
    ZeInfo::parse(yaml.as_bytes()).expect("the launch description")
}

/// Final contents of the variables and predicates, and of the buffer.
fn run(code: &Code, case: &Case) -> Result<[Vec<u8>; 2], String> {
    let items = case.items as u32;
    let info = info(case);
    let mut launch = Launch {
        ze_info: &info,
        kernel: "program",
        global: [items, 1, 1],
        local: [items, 1, 1],
        dimensions: 1,
        args: vec![
            Arg::Buffer(case.before.clone()),
            Arg::Buffer(vec![0; case.state()]),
            Arg::Buffer(case.memory.clone()),
            Arg::Buffer(vec![0; STACK]),
        ],
        budget: BUDGET,
    };
    launch.run(code).map_err(|e| e.to_string())?;
    let mut args = launch.args.into_iter().skip(AFTER);
    match (args.next(), args.next()) {
        (Some(Arg::Buffer(state)), Some(Arg::Buffer(memory))) => Ok([state, memory]),
        _ => Err("the buffers are gone".into()),
    }
}

/// Differences from the expected results.
pub fn compare(found: &[Vec<u8>; 2], case: &Case) -> Result<(), String> {
    let [state, memory] = found;
    let mut at = 0;
    for part in &case.expected {
        differs(part, &state[at..])?;
        at += part.bytes.len();
    }
    differs(&case.buffer, memory)
}

fn differs(part: &Part, found: &[u8]) -> Result<(), String> {
    let each = part.bytes.iter().zip(&part.counts).zip(found);
    let wrong = each
        .into_iter()
        .position(|((is, counts), found)| (is ^ found) & counts != 0);
    let Some(byte) = wrong else {
        return Ok(());
    };
    let from = byte / 4 * 4;
    let dword =
        |bytes: &[u8]| u32::from_le_bytes(bytes[from..from + 4].try_into().expect("a dword"));
    Err(format!(
        "{}, byte {byte}: dword {:#x} found, {:#x} expected, {:#x} counts",
        part.name,
        dword(found),
        dword(&part.bytes),
        dword(&part.counts)
    ))
}

/// Errors in the results of machine code.
pub fn check(code: &Code, case: &Case) -> Result<(), String> {
    compare(&run(code, case)?, case)
}
