//! Time of reading files, from opening the file to freeing the module. The file is copied into memory, which costs
//! more than the mapping that `kiln` uses.
//!
//! Takes names of texts on standard input, and prints for each the seconds of the text and of the object written from
//! it, the best of five runs, and the bytes of both. `.ci/reading` compares them with the reference finalizer's.

use std::fs;
use std::io::{self, BufRead};
use std::path::Path;
use std::time::Instant;

use kiln_visa::binary::{read, write};
use kiln_visa::text::parse;

const RUNS: usize = 5;

fn main() -> io::Result<()> {
    let object = std::env::temp_dir().join(format!("read_time-{}.isa", std::process::id()));
    for path in io::stdin().lock().lines() {
        let path = path?;
        let text = fs::read_to_string(&path)?;
        let module = parse(&text).map_err(io::Error::other)?;
        let bytes = write(&module).map_err(io::Error::other)?;
        fs::write(&object, &bytes)?;
        drop(module);
        let of_text = best(Path::new(&path), |file| {
            let text = std::str::from_utf8(file).expect("it was before");
            drop(parse(text).expect("it was before"));
        })?;
        let of_object = best(&object, |file| drop(read(file).expect("it was written")))?;
        println!(
            "{of_text} {of_object} {} {} {path}",
            text.len(),
            bytes.len()
        );
    }
    fs::remove_file(&object)
}

/// Minimum seconds of opening the file and running `work` on its bytes.
fn best(path: &Path, work: impl Fn(&[u8])) -> io::Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        work(&fs::read(path)?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}
