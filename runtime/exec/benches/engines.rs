//! Gen instructions executed a second by each engine: processor time of one thread, best of several runs, with the
//! translation in the first of them.
//!
//! `cargo bench -p kiln-exec --bench engines [-- PLATFORM...]` prints a row for each of four kernels at sizes where their
//! loops dominate, for Gen9 or the platforms that are named. Results are compared between the engines. Then it prints what
//! translating takes for all examples and test kernels.

use kiln_emit::platform;
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::translate::{Host, Listing};
use kiln_exec::{Arg, Engine, Launch, Options, Program, Stats};

/// Number of runs of each engine.
const RUNS: usize = 3;
/// Number of instructions above which a kernel is not small.
const MIN_LARGE_INSTS: usize = 200;

/// A kernel with its launch.
struct Case {
    name: &'static str,
    kernel: &'static str,
    global: Vec<u32>,
    local: Vec<u32>,
    args: Vec<Arg>,
}

fn floats(count: u32, of: impl Fn(u32) -> f32) -> Arg {
    Arg::Buffer((0..count).flat_map(|i| of(i).to_le_bytes()).collect())
}

fn int(n: u32) -> Arg {
    Arg::Value(n.to_le_bytes().to_vec())
}

fn float(x: f32) -> Arg {
    Arg::Value(x.to_le_bytes().to_vec())
}

fn sgemm(size: u32) -> Case {
    let matrix = || floats(size * size, |i| (i % 17) as f32 / 16.0);
    Case {
        name: "sgemm",
        kernel: "sgemm",
        global: vec![size, size],
        local: vec![16, 16],
        args: vec![
            matrix(),
            matrix(),
            matrix(),
            int(size),
            int(size),
            int(size),
            float(1.5),
            float(-0.5),
        ],
    }
}

fn mandelbrot(steps: u32) -> Case {
    let (width, height) = (512, 384);
    Case {
        name: "mandelbrot",
        kernel: "mandelbrot",
        global: vec![width, height],
        local: vec![16, 4],
        args: vec![
            Arg::Buffer(vec![0; (width * height * 4) as usize]),
            float(-2.25),
            float(-1.2),
            float(0.00625),
            int(steps),
        ],
    }
}

fn nbody(count: u32) -> Case {
    let body = |i: u32| ((i * 2_654_435_761) >> 8) as f32 / (1 << 24) as f32 - 0.5;
    Case {
        name: "nbody",
        kernel: "nbody",
        global: vec![count],
        local: vec![64],
        args: vec![
            floats(count * 4, body),
            floats(count * 4, |i| body(i + 77)),
            Arg::Buffer(vec![0; count as usize * 16]),
            Arg::Local(64 * 16),
            float(0.0625),
            float(0.25),
            int(count),
        ],
    }
}

fn int64(count: u32) -> Case {
    let quads = |factor: u64| {
        let numbers = (0..u64::from(count)).map(|i| (i + 3).wrapping_mul(factor));
        Arg::Buffer(numbers.flat_map(u64::to_le_bytes).collect())
    };
    Case {
        name: "int64",
        kernel: "int64",
        global: vec![count],
        local: vec![48],
        args: vec![
            quads(0x9e37_79b9_7f4a_7c15),
            quads(0xbf58_476d),
            Arg::Buffer(vec![0; count as usize * 8 * 21]),
        ],
    }
}

/// Processor time of this thread in seconds.
fn clock() -> f64 {
    // The figure of a thread that runs is as old as the last tick; a sleep brings it up to date.
    std::thread::sleep(std::time::Duration::from_micros(1));
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

/// Statistics, results and the best time of several runs.
fn measure(case: &Case, zebin: &Zebin, platform: &str, engine: Engine) -> (Stats, Vec<Arg>, f64) {
    let platform = platform::find(platform).expect("a platform");
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..RUNS {
        let program = Program::from_zebin(zebin, case.kernel, platform).expect("the kernel");
        let sizes = |given: &[u32]| std::array::from_fn(|i| given.get(i).copied().unwrap_or(1));
        let mut launch = Launch {
            ze_info: &zebin.ze_info,
            kernel: case.kernel,
            global: sizes(&case.global),
            local: sizes(&case.local),
            dimensions: case.global.len() as u32,
            args: case.args.clone(),
            budget: Launch::BUDGET,
        };
        let options = Options {
            threads: 1,
            engine,
            ..Options::default()
        };
        let start = clock();
        let stats = launch.run_with(&program, &options).expect("a run");
        best = best.min(clock() - start);
        last = Some((stats, launch.args));
    }
    let (stats, args) = last.expect("a run");
    (stats, args, best)
}

fn main() {
    let mut platforms: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    if platforms.is_empty() {
        platforms.push("skl".to_string());
    }
    let cases = [
        sgemm(256),
        sgemm(512),
        mandelbrot(256),
        mandelbrot(4096),
        nbody(1536),
        nbody(4096),
        int64(24576),
        int64(245_760),
    ];
    println!(
        "| platform | kernel | Gen instructions | interpreter | translated | ratio | us an instruction | bytes |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let only = std::env::var("KERNEL").ok();
    for platform in &platforms {
        for case in cases
            .iter()
            .filter(|c| only.as_deref().is_none_or(|o| o == c.name))
        {
            let Some(object) = kiln_corpus::Kernel::named(case.name).object(platform) else {
                continue;
            };
            let file = std::fs::read(object).expect("an object file");
            let zebin = Zebin::parse(&file).expect("an object file");
            let (stats, expected, interpreted) = measure(case, &zebin, platform, Engine::Interpret);
            let (same, found, translated) = measure(case, &zebin, platform, Engine::Translate);
            assert_eq!(stats, same, "{} on {platform}", case.name);
            assert!(expected == found, "{} on {platform} differs", case.name);
            let code = Program::from_zebin(
                &zebin,
                case.kernel,
                platform::find(platform).expect("a platform"),
            );
            let code = code.expect("the kernel");
            let host = Host::available().expect("a host with AVX2");
            let (each, size) = translation(&code, host);
            let n = stats.instructions as f64;
            println!(
                "| {platform} | {} {:?} | {:.1} M | {:.1} M/s, {interpreted:.4} s | {:.1} M/s, {translated:.4} s | {:.1} | {:.2} | {:.0} |",
                case.name,
                case.global,
                n / 1e6,
                n / interpreted / 1e6,
                n / translated / 1e6,
                interpreted / translated,
                each * 1e6,
                size,
            );
        }
    }
    println!();
    println!(
        "| translating on | kernels | us an instruction, median | worst | bytes, median | worst |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for platform in &platforms {
        translations(platform);
    }
}

/// Time in seconds and bytes of translating an instruction, warm.
fn translation(code: &Program, host: Host) -> (f64, f64) {
    // Pages and caches are warm after a first time.
    let _ = Listing::translate(code, host);
    let (mut best, mut size) = (f64::INFINITY, 0);
    for _ in 0..RUNS {
        let start = clock();
        let sizes = (0..10).filter_map(|_| Listing::translate(code, host).ok());
        size = sizes.last().unwrap_or(0);
        best = best.min((clock() - start) / 10.0);
    }
    let insts = code.insts().count() as f64;
    (best / insts, size as f64 / insts)
}

/// Prints what translating all kernels of a platform takes: the median kernel, and the worst of those that are not small.
fn translations(platform: &str) {
    let mut found = Vec::new();
    for of in kiln_corpus::kernels(&kiln_corpus::ALL) {
        let Some(object) = of.object(platform) else {
            continue;
        };
        let file = std::fs::read(object).expect("an object file");
        let yaml = std::fs::read_to_string(of.folder.join("launch.yaml")).expect("a launch");
        let kernel = Description::parse(&yaml).expect("a launch").kernel;
        let zebin = Zebin::parse(&file).expect("an object file");
        let device = platform::find(platform).expect("a platform");
        let code = Program::from_zebin(&zebin, &kernel, device).expect("the kernel");
        let host = Host::available().expect("a host with AVX2");
        let (time, bytes) = translation(&code, host);
        found.push((time * 1e6, bytes, code.insts().count()));
    }
    let large: Vec<_> = found
        .iter()
        .copied()
        .filter(|f| f.2 > MIN_LARGE_INSTS)
        .collect();
    let middle = |mut numbers: Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
    };
    let worst = |numbers: Vec<f64>| numbers.into_iter().fold(0.0, f64::max);
    let times = |of: &[(f64, f64, usize)]| of.iter().map(|f| f.0).collect();
    let bytes = |of: &[(f64, f64, usize)]| of.iter().map(|f| f.1).collect();
    println!(
        "| {platform} | {} | {:.1} | {:.1} | {:.0} | {:.0} |",
        found.len(),
        middle(times(&found)),
        worst(times(&large)),
        middle(bytes(&found)),
        worst(bytes(&large)),
    );
}
