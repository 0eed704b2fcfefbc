//! Compiles a program and executes machine code of it.

use kiln_emit::platform::{self, Platform};
use kiln_emit::ze_info::ZeInfo;
use kiln_runtime::exec::{Arg, Launch, Program as Code};
use kiln_runtime::info::Info;
use kiln_runtime::pipeline::Options;
use kiln_runtime::session::Session;
use kiln_runtime::source::Input;

use crate::model::Ty;
use crate::program::Program;
use crate::text::{AFTER, BEFORE, MEMORY};
use crate::walk::{self, Bytes, Outcome, low};

/// Instructions a thread executes before it counts as one that never ends.
const BUDGET: u64 = 1 << 22;
const STACK: usize = 1 << 16;

pub fn skl() -> &'static Platform {
    platform::find("skl").expect("the platform of the tests")
}

/// Our machine code, linked, every stage verified.
pub fn compile(program: &Program, text: &str, grf_limit: u32) -> Result<Code, String> {
    let mut options = Options::new(skl());
    options.verify = true;
    options.grf_limit = grf_limit;
    let session = Session::new(options);
    let input = Input {
        name: "program.visaasm",
        bytes: text.as_bytes(),
    };
    let module = session
        .compile_module(&[input])
        .map_err(|e| e.to_string())?;
    let object_file = session
        .object_file(&module, Info::ZeInfo(info(program)))
        .map_err(|e| e.to_string())?;
    let code = Code::from_zebin(&object_file, "program", skl());
    code.map_err(|e| e.to_string())
}

fn info(program: &Program) -> ZeInfo {
    let simd = program.simd;
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
      grf_count: 128
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

/// What the variables, the predicates and the buffer hold in the end.
pub fn run(code: &Code, program: &Program) -> Result<[Vec<u8>; 2], String> {
    let items = program.items as u32;
    let info = info(program);
    let mut launch = Launch {
        ze_info: &info,
        kernel: "program",
        global: [items, 1, 1],
        local: [items, 1, 1],
        dimensions: 1,
        args: vec![
            Arg::Buffer(walk::initial(program).concat()),
            Arg::Buffer(vec![0; program.state()]),
            Arg::Buffer(walk::first_memory(program)),
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

/// What is wrong with what was found, against the walk of the program.
pub fn compare(found: &[Vec<u8>; 2], program: &Program, expected: &Outcome) -> Result<(), String> {
    let [state, memory] = found;
    let mut at = 0;
    let differs = |what: &dyn std::fmt::Display, found: &[u8], expected: &Bytes| {
        let wrong =
            (0..expected.bytes.len()).find(|&i| !expected.open[i] && found[i] != expected.bytes[i]);
        match wrong {
            None => Ok(()),
            Some(i) => {
                let from = i / 4 * 4;
                let dword = |bytes: &[u8]| {
                    let bits = crate::bits(bytes, from);
                    format!("{bits:#x}")
                };
                Err(format!(
                    "{what}, byte {i}: dword {} found, {} expected",
                    dword(found),
                    dword(&expected.bytes)
                ))
            }
        }
    };
    for (i, var) in expected.vars.iter().enumerate() {
        let ty = program.scopes[0].vars[i].ty;
        differs(&format_args!("X{i} ({})", Ty::name(ty)), &state[at..], var)?;
        at += var.bytes.len();
    }
    for (i, &(bits, open)) in expected.preds.iter().enumerate() {
        let found = crate::bits(state, at + 4 * i);
        let counts = low(program.scopes[0].preds[i]) & !open;
        if (found ^ bits) & counts != 0 {
            return Err(format!(
                "P{}: {:#x} found, {:#x} expected, {counts:#x} count",
                i + 1,
                found & counts,
                bits & counts
            ));
        }
    }
    differs(&"the buffer", memory, &expected.memory)
}
