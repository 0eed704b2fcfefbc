//! Runs the saxpy example from its object file: `y = a * x + y` for a thousand numbers.

use std::error::Error;
use std::path::Path;

use kiln_emit::platform;
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Arg, Buffer, Launch, Program};

const COUNT: u32 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/saxpy/saxpy.zebin");
    let zebin = Zebin::parse(&std::fs::read(path)?)?;
    let skl = platform::find("skl").ok_or("no such platform")?;
    let program = Program::from_zebin(&zebin, "saxpy", skl)?;

    let x: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: "saxpy",
        // More work-items than numbers: the kernel checks.
        global: [COUNT.next_multiple_of(64), 1, 1],
        local: [64, 1, 1],
        dimensions: 1,
        args: vec![
            Buffer::of(&x).into(),
            Buffer::of(&[1f32; COUNT as usize]).into(),
            Arg::Value(2f32.to_le_bytes().to_vec()),
            Arg::Value(COUNT.to_le_bytes().to_vec()),
        ],
        budget: Launch::BUDGET,
    };
    let stats = launch.run(&program)?;

    let y = Buffer::try_from(launch.args.swap_remove(1)).map_err(|_| "no buffer")?;
    for (x, y) in x.iter().zip(y.values::<f32>()) {
        assert_eq!(y, 2.0 * x + 1.0);
    }
    println!(
        "{COUNT} numbers are right; {} instructions by {} threads, {} bytes read, {} written",
        stats.instructions, stats.threads, stats.bytes_read, stats.bytes_written
    );
    Ok(())
}
