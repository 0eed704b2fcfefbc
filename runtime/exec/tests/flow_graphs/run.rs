//! Compiles a graph's kernel and executes machine code of it.

use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{Options, Session, Tier};
use kiln_emit::platform::Platform;
use kiln_emit::ze_info::ZeInfo;
use kiln_exec::{Arg, Buffer, Launch, Program};

use crate::graph::{Graph, UNWRITTEN, id_bytes};

/// Limit on the instructions of a thread.
const BUDGET: u64 = 1 << 21;

/// Settings of compilation: the register modes of a target, and few enough to spill, for each tier.
pub fn variants(target: &Platform) -> impl Iterator<Item = (u32, Tier)> {
    let limits: &[u32] = match target.grf_count {
        128 => &[128, 30],
        _ => &[256, 128, 30],
    };
    let tiers = [Tier::Best, Tier::Quick];
    tiers
        .into_iter()
        .flat_map(|tier| limits.iter().map(move |&limit| (limit, tier)))
}

/// Machine code and the description of its launch.
pub struct Code {
    pub program: Program,
    pub info: ZeInfo,
}

/// Our machine code of a kernel, every stage verified.
pub fn compile(
    text: &str,
    kernel: &str,
    info: Info,
    target: &'static Platform,
    (grf_limit, tier): (u32, Tier),
) -> Result<Code, String> {
    let mut options = Options::new(target).tier(tier);
    options.verify = true;
    options.grf_limit = grf_limit;
    let session = Session::new(options);
    let input = Input {
        name: "graph.visaasm",
        bytes: text.as_bytes(),
    };
    let module = session
        .compile_module(&[input])
        .map_err(|e| e.to_string())?;
    let object_file = session
        .object_file(&module, info)
        .map_err(|e| e.to_string())?;
    let program = Program::from_zebin(&object_file, kernel, target).map_err(|e| e.to_string())?;
    Ok(Code {
        program,
        info: object_file.ze_info,
    })
}

pub fn compile_graph(
    graph: &Graph,
    target: &'static Platform,
    variant: (u32, Tier),
) -> Result<Code, String> {
    let info = Info::ZeInfo(info(graph, target));
    compile(&graph.text(target), "graph", info, target, variant)
}

/// The description of a graph's launch.
pub fn info(graph: &Graph, target: &Platform) -> ZeInfo {
    let (simd, grfs) = (graph.simd, target.default_grfs);
    let ids = id_bytes(simd, target);
    let yaml = format!(
        "version: '1.20'
kernels:
  - name: graph
    execution_env:
      grf_count: {grfs}
      simd_size: {simd}
    payload_arguments:
      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global, access_type: readwrite}}
    per_thread_payload_arguments:
      - {{arg_type: local_id, offset: 0, size: {ids}}}
    per_thread_memory_buffers:
      - {{type: scratch, usage: spill_fill_space, size: 16384}}
    binding_table_indices:
      - {{bti_value: 0, arg_index: 0}}
"
    );
    ZeInfo::parse(yaml.as_bytes()).expect("the launch description")
}

/// The dwords that the kernel's channels store.
pub fn run(code: &Code, graph: &Graph) -> Result<Vec<i32>, String> {
    let items = graph.items as u32;
    let mut launch = Launch {
        ze_info: &code.info,
        kernel: "graph",
        global: [items, 1, 1],
        local: [items, 1, 1],
        dimensions: 1,
        args: vec![Arg::from(Buffer::of(&vec![UNWRITTEN; graph.results()]))],
        budget: BUDGET,
    };
    launch.run(&code.program).map_err(|e| e.to_string())?;
    let buffer = launch.args.swap_remove(0);
    let buffer = Buffer::try_from(buffer).map_err(|_| "the buffer is gone")?;
    Ok(buffer.values::<i32>())
}

/// Errors in the stored results.
pub fn compare(found: &[i32], graph: &Graph) -> Result<(), String> {
    let expected = graph.expected();
    match (0..expected.len()).find(|&i| found[i] != expected[i]) {
        None => Ok(()),
        Some(i) => Err(format!(
            "result {} of channel {}: {:#x} found, {:#x} expected",
            i / graph.simd,
            i % graph.simd,
            found[i],
            expected[i]
        )),
    }
}

/// Errors in the results of machine code.
pub fn check(code: &Code, graph: &Graph) -> Result<(), String> {
    compare(&run(code, graph)?, graph)
}
