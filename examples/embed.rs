//! Kiln within a Rust program: compiles a kernel in memory, patches its code for an address, makes an object file,
//! runs it on the host, and compiles a hot kernel once more. `embed.c` does the same in C.

use std::error::Error;
use std::path::Path;

use kiln_runtime::exec::{Arg, Buffer, Launch, Program};
use kiln_runtime::{
    CompiledModule, Info, Input, Options, Session, Tier, Zebin, find_platform, info,
};

const COUNT: u32 = 1000;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn compile(session: &Session, visa: &[u8]) -> Result<CompiledModule> {
    let input = Input {
        name: "saxpy.visaasm",
        bytes: visa,
    };
    let module = session.compile_module(&[input]).inspect_err(|failure| {
        for diagnostic in failure.diagnostics() {
            eprintln!("{diagnostic}");
        }
    })?;
    let kernel = module.kernel("saxpy").ok_or("no such kernel")?;
    println!(
        "{} instructions, {} bytes, {} registers, {} relocations",
        kernel.instructions,
        kernel.code.len(),
        kernel.allocation.grf_used,
        kernel.relocations.len()
    );
    Ok(module)
}

/// Code in memory that the device sees.
fn patch(module: &CompiledModule) -> Result<Vec<u8>> {
    let image = module.load_at(0x1_0000, |symbol| match symbol {
        "table" => Some(0xffff_8000_0000_1000),
        _ => None,
    })?;
    assert_eq!(image.address("saxpy"), Some(0x1_0000));
    Ok(image.bytes)
}

fn object_file(session: &Session, module: &CompiledModule, info: &[u8]) -> Result<Vec<u8>> {
    let info = Info::parse(info, session.options().platform)?;
    Ok(session.object_file(module, info)?.write()?)
}

/// y = 2 * x + y on the host.
fn run(session: &Session, zebin: &Zebin) -> Result<()> {
    let program = Program::from_zebin(zebin, "saxpy", session.options().platform)?;
    let x: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: "saxpy",
        global: [1024, 1, 1],
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
        "{COUNT} numbers are right: {} instructions",
        stats.instructions
    );
    Ok(())
}

/// Recompiles a kernel that was compiled quickly.
fn recompile(visa: &[u8]) -> Result<()> {
    let platform = find_platform("skl").ok_or("no such platform")?;
    let session = Session::new(Options::new(platform).tier(Tier::Quick));
    let loaded = session.load(&[Input {
        name: "saxpy.visaasm",
        bytes: visa,
    }])?;
    let mut module = session.compile_loaded(&loaded)?;
    // The program is in use, and saxpy turns out to be hot.
    session.recompile(&loaded, &mut module, "saxpy", Tier::Best)?;
    Ok(())
}

/// A module with two errors gives two records.
fn diagnose(session: &Session) -> Result<()> {
    let text = ".version 3.6\n\
                .kernel \"wrong\"\n\
                .decl V32 v_type=G type=d num_elts=8 align=hword\n\
                \x20   add (M1, 8) V32(0,4)<1> V32(0,0)<1;1,0> 0x1:d\n\
                \x20   mov (M1, 8) V32(9,0)<1> 0x1:d\n\
                \x20   ret (M1, 1)\n";
    let input = Input {
        name: "wrong.visaasm",
        bytes: text.as_bytes(),
    };
    let failure = session.compile_module(&[input]).err().ok_or("no error")?;
    let found = failure.diagnostics();
    let places: Vec<_> = found
        .iter()
        .map(|d| (d.code, d.line, d.instruction))
        .collect();
    assert_eq!(
        places[..2],
        [("V0014", Some(4), Some(0)), ("V0014", Some(5), Some(1))]
    );
    Ok(())
}

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/saxpy");
    let visa = std::fs::read(folder.join("saxpy.visaasm"))?;
    let layout = std::fs::read(folder.join("saxpy.zebin"))?;

    let platform = find_platform("skl").ok_or("no such platform")?;
    let session = Session::new(Options::new(platform));
    let module = compile(&session, &visa)?;
    println!("an image of {} bytes", patch(&module)?.len());
    let object = object_file(&session, &module, &layout)?;
    run(&session, &info::zebin(&object, platform)?)?;
    recompile(&visa)?;
    diagnose(&session)
}
