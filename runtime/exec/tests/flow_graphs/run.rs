//! Compiles a graph's kernel and executes machine code of it.

use kiln_compile::attempt;
use kiln_compile::{Options, Tier};
use kiln_emit::platform::{self, Platform};
use kiln_emit::ze_info::ZeInfo;
use kiln_exec::{Arg, Buffer, Launch, Program};
use kiln_frontend::{text, verify};

use crate::graph::{Graph, UNWRITTEN};

/// Limit on the instructions of a thread.
const BUDGET: u64 = 1 << 21;

/// Settings of compilation: all registers, and few enough to spill, for each tier.
pub const VARIANTS: [(u32, Tier); 4] = [
    (128, Tier::Best),
    (30, Tier::Best),
    (128, Tier::Quick),
    (30, Tier::Quick),
];

pub fn skl() -> &'static Platform {
    platform::find("skl").expect("the platform of the tests")
}

/// Our machine code, every stage verified.
pub fn compile(text: &str, (grf_limit, tier): (u32, Tier)) -> Result<Vec<u8>, String> {
    let module = text::parse(text).map_err(|e| {
        let line = text.lines().nth((e.line as usize).saturating_sub(1));
        format!("{e}: {line:?}")
    })?;
    if let Some(finding) = verify::verify(&module).first() {
        return Err(format!("not valid vISA: {finding}"));
    }
    let mut options = Options::new(skl()).tier(tier);
    options.verify = true;
    options.grf_limit = grf_limit;
    let compiled = attempt::compile(
        &module.objects[0],
        &options,
        &mut attempt::Scratch::default(),
    )
    .map_err(|e| e.to_string())?;
    Ok(compiled.code)
}

/// The dwords that the kernel's channels store.
pub fn run(code: &[u8], graph: &Graph) -> Result<Vec<i32>, String> {
    let simd = graph.simd;
    let ids = (simd * 2).next_multiple_of(32) * 3;
    let yaml = format!(
        "version: '1.20'
kernels:
  - name: graph
    execution_env:
      grf_count: 128
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
    let info = ZeInfo::parse(yaml.as_bytes()).map_err(|e| e.to_string())?;
    let items = graph.items as u32;
    let mut launch = Launch {
        ze_info: &info,
        kernel: "graph",
        global: [items, 1, 1],
        local: [items, 1, 1],
        dimensions: 1,
        args: vec![Arg::from(Buffer::of(&vec![UNWRITTEN; graph.results()]))],
        budget: BUDGET,
    };
    launch
        .run(&Program::from_text(code, skl()))
        .map_err(|e| e.to_string())?;
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
