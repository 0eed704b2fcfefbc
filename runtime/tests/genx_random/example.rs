//! Checks random programs in LLVM IR: `genx_random COUNT SEED PLATFORM [FOLDER KEPT]`.
//!
//! With the word `reduce` for COUNT, a smaller program that fails in the same way is printed, with a COUNT of 0 the
//! program of the seed. Else seeds that fail are printed. The first KEPT programs are plain ones, which the reference
//! compiler takes; they are written to folders of their own in FOLDER, as are those that fail.

#[path = "check.rs"]
mod check;
#[path = "generate.rs"]
mod generate;
#[path = "interpret.rs"]
mod interpret;
#[path = "reduce.rs"]
mod reduce;

use std::path::Path;
use std::process::ExitCode;

use kiln_runtime::find_platform;

/// Writes a program with its buffers and its launch.
fn keep(folder: &Path, seed: u64, plain: bool, expected: Option<&[u8]>) -> std::io::Result<()> {
    let name = format!("random_{seed}");
    let folder = folder.join(&name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(
        folder.join(format!("{name}.ll")),
        generate::program(seed, plain),
    )?;
    std::fs::write(folder.join("in.bin"), generate::input(seed))?;
    let bytes = generate::OUT_BYTES * generate::GROUPS as usize;
    let mut launch = format!(
        "kernel: k\nglobal: [{}]\nlocal: [1]\nargs:\n  - {{buf: in.bin}}\n",
        generate::GROUPS
    );
    match expected {
        Some(expected) => {
            std::fs::write(folder.join("expect_out.bin"), expected)?;
            launch.push_str(&format!(
                "  - {{zero: {bytes}, expect: expect_out.bin, type: u8}}\n"
            ));
        }
        None => launch.push_str(&format!("  - {{zero: {bytes}}}\n")),
    }
    std::fs::write(folder.join("launch.yaml"), launch)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize| args.get(n).and_then(|arg| arg.parse::<u64>().ok());
    let platform = args.get(2).and_then(|name| find_platform(name));
    if let (Some("reduce"), Some(seed), Some(platform)) =
        (args.first().map(String::as_str), number(1), platform)
    {
        let input = generate::input(seed);
        let fails = |text: &str| check::check_text(text, &input, platform).err();
        let text = reduce::reduce(&generate::program(seed, false), fails);
        println!("; {}\n{text}", fails(&text).unwrap_or_default());
        return ExitCode::SUCCESS;
    }
    let (Some(count), Some(first), Some(platform)) = (number(0), number(1), platform) else {
        eprintln!("genx_random COUNT SEED PLATFORM [FOLDER KEPT]");
        return ExitCode::from(2);
    };
    if count == 0 {
        print!("{}", generate::program(first, false));
        return ExitCode::SUCCESS;
    }
    let folder = args.get(3).map(Path::new);
    let kept = number(4).unwrap_or(0);
    let mut wrong = 0;
    for seed in first..first + count {
        let result = std::panic::catch_unwind(|| check::check(seed, seed < first + kept, platform));
        let result = result.unwrap_or_else(|_| Err("a fault".to_string()));
        if let Err(error) = &result {
            println!("seed {seed}: {error}");
            wrong += 1;
        }
        if let Some(folder) = folder.filter(|_| seed < first + kept || result.is_err())
            && let Err(error) = keep(folder, seed, seed < first + kept, result.as_deref().ok())
        {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::from(3);
        }
    }
    println!("{} right, {wrong} wrong", count - wrong);
    ExitCode::from(u8::from(wrong > 0))
}
