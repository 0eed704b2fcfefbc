//! Running what was compiled.

use kiln_compile::Compiled;
use kiln_emit::platform::Platform;
use kiln_emit::ze_info::{PerThreadMemoryBuffer, ZeInfo};
use kiln_exec::{Arg, Launch, Program};

/// Launch of a kernel.
pub struct Work<'a> {
    pub info: &'a ZeInfo,
    pub global: [u32; 3],
    pub local: [u32; 3],
    pub dimensions: u32,
    pub args: Vec<Arg>,
}

/// Runs a finalized kernel, with the scratch space that it spills to; its arguments afterwards.
pub fn run(
    compiled: &Compiled,
    platform: &'static Platform,
    work: Work,
) -> Result<Vec<Arg>, String> {
    let spilled = compiled.allocation.spill_bytes;
    run_code(&compiled.name, &compiled.code, spilled, platform, work)
}

/// Runs machine code that spills a number of bytes.
pub fn run_code(
    name: &str,
    code: &[u8],
    spilled: u32,
    platform: &'static Platform,
    work: Work,
) -> Result<Vec<Arg>, String> {
    let mut info = work.info.clone();
    if spilled > 0 {
        let size = spilled.next_power_of_two().max(1024);
        let buffer = format!("type: scratch\nusage: spill_fill_space\nsize: {size}");
        let buffer: PerThreadMemoryBuffer = serde_norway::from_str(&buffer).expect("a buffer");
        let kernel = info.kernel_mut(name).ok_or("no such kernel")?;
        kernel.per_thread_memory_buffers.push(buffer);
    }
    let mut launch = Launch {
        ze_info: &info,
        kernel: name,
        global: work.global,
        local: work.local,
        dimensions: work.dimensions,
        args: work.args,
        budget: Launch::BUDGET,
    };
    let program = Program::from_text(code, platform);
    launch.run(&program).map_err(|e| e.to_string())?;
    Ok(launch.args)
}
