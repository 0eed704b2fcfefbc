//! Runs the saxpy example from its object file: `y = a * x + y` for a thousand numbers.

use std::error::Error;
use std::path::Path;

use kiln_emit::platform;
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Arg, Launch, Program};

const COUNT: u32 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/saxpy/saxpy.zebin");
    let zebin = Zebin::parse(&std::fs::read(path)?)?;
    let skl = platform::find("skl").ok_or("no such platform")?;
    let program = Program::from_zebin(&zebin, "saxpy", skl)?;

    let numbers = |f: fn(u32) -> f32| (0..COUNT).flat_map(|i| f(i).to_le_bytes()).collect();
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: "saxpy",
        // More work-items than numbers: the kernel checks.
        global: [COUNT.next_multiple_of(64), 1, 1],
        local: [64, 1, 1],
        dimensions: 1,
        args: vec![
            Arg::Buffer(numbers(|i| i as f32)),
            Arg::Buffer(numbers(|_| 1.0)),
            Arg::Value(2f32.to_le_bytes().to_vec()),
            Arg::Value(COUNT.to_le_bytes().to_vec()),
        ],
        budget: Launch::BUDGET,
    };
    let stats = launch.run(&program)?;

    let y = launch.args[1].memory().ok_or("the buffer is there")?;
    for (i, bytes) in y.chunks_exact(4).enumerate() {
        let found = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        assert_eq!(found, 2.0 * i as f32 + 1.0);
    }
    println!(
        "{COUNT} numbers are right; {} instructions by {} threads, {} bytes read, {} written",
        stats.instructions, stats.threads, stats.bytes_read, stats.bytes_written
    );
    Ok(())
}
