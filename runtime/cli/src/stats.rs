//! Figures of finalized kernels, as JSON or as a table.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use comfy_table::{CellAlignment, Table, presets};
use cpp_demangle::{DemangleOptions, Symbol};
use kiln_emit::platform::Platform;
use miette::{Report, miette};
use serde::Serialize;

use kiln_compile::choose::Choice;
use kiln_compile::{Compiled, CompiledModule};

use super::cost::Figures;
use super::names::Variable;

/// Figures of one kernel.
#[derive(Debug, Serialize)]
pub struct KernelStats {
    /// Input file; of a module of several files, the first.
    pub file: String,
    pub name: String,
    pub platform: &'static str,
    /// Name of the attempt that made the code (`kiln passes`).
    pub attempt: &'static str,
    pub visa_instructions: usize,
    pub instructions: usize,
    /// Bytes of machine code.
    pub bytes: usize,
    /// Bytes of scratch space for a thread's spill slots.
    pub spill_bytes: u32,
    /// Messages in the code that write scratch space and read it at a constant offset, as `kiln cost` counts them.
    pub spills: u32,
    pub fills: u32,
    /// Variables whose address is taken that are in scratch space.
    pub arrays_in_memory: Vec<String>,
    /// GRFs that are used anywhere.
    pub grf_used: u32,
    /// Most GRFs live at once, before allocation.
    pub max_pressure: Option<u32>,
    /// Estimated cycles with ten iterations of each loop (docs/cost-model.md).
    pub cycles: Option<f64>,
    pub seconds: Seconds,
    /// Reasons for the SIMD size, if there were variants of several (`kiln finalize --choose`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Line table of the code, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<Line>>,
    /// Registers and slots that hold each variable, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<Variable>>,
}

/// A row of the line table: valid up to the offset of the next one.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Offset in bytes.
    pub offset: u32,
    /// Name of the kernel or function.
    pub object: String,
    /// Index of the vISA instruction in it.
    pub visa: Option<u32>,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// Figures that take time or memory, computed only on request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    pub cycles: bool,
    pub lines: bool,
}

/// Wall-clock time of each phase in seconds.
#[derive(Debug, Serialize)]
pub struct Seconds {
    /// Reading and checking all files of the module.
    pub read: f64,
    pub ir: f64,
    pub isel: f64,
    pub regalloc: f64,
    pub emit: f64,
    pub total: f64,
}

/// The figures of every kernel.
pub fn stats(
    file: &str,
    module: &CompiledModule,
    platform: &'static Platform,
    wanted: Wanted,
) -> Vec<KernelStats> {
    let read = module.read_seconds;
    module
        .kernels
        .iter()
        .map(|kernel| KernelStats {
            cycles: wanted
                .cycles
                .then(|| Figures::of(&kernel.code, platform).cycles),
            lines: wanted.lines.then(|| lines(kernel)),
            file: file.to_string(),
            ..kernel_stats(kernel, read, platform)
        })
        .collect()
}

fn kernel_stats(compiled: &Compiled, read: f64, platform: &Platform) -> KernelStats {
    let seconds = &compiled.seconds;
    let total = read + seconds.ir + seconds.isel + seconds.regalloc + seconds.emit;
    KernelStats {
        file: String::new(),
        name: compiled.name.clone(),
        platform: platform.name,
        attempt: compiled.attempt.name,
        visa_instructions: compiled.visa_instructions,
        instructions: compiled.instructions,
        bytes: compiled.code.len(),
        spill_bytes: compiled.allocation.spill_bytes,
        spills: compiled.allocation.spills,
        fills: compiled.allocation.fills,
        arrays_in_memory: compiled.arrays_in_memory.clone(),
        grf_used: compiled.allocation.grf_used,
        max_pressure: compiled.allocation.max_pressure,
        cycles: None,
        choice: None,
        lines: None,
        variables: None,
        seconds: Seconds {
            read,
            ir: seconds.ir,
            isel: seconds.isel,
            regalloc: seconds.regalloc,
            emit: seconds.emit,
            total,
        },
    }
}

/// The line table of a kernel.
fn lines(kernel: &Compiled) -> Vec<Line> {
    let line = |line: &kiln_compile::lines::Line| {
        let behind = kernel.symbols.partition_point(|s| s.offset <= line.offset);
        let object = behind.checked_sub(1).map(|n| &kernel.symbols[n].name);
        let file = line.source.and_then(|source| kernel.lines.file(source));
        Line {
            offset: line.offset,
            object: object.unwrap_or(&kernel.name).clone(),
            visa: line.visa,
            file: file.map(str::to_string),
            line: line.source.map(|source| source.line),
        }
    };
    kernel.lines.lines.iter().map(line).collect()
}

/// Rows of cells as CSV; `heading` has the column names separated by spaces.
pub fn csv<const N: usize>(
    heading: &str,
    lines: impl Iterator<Item = [String; N]>,
) -> Result<Vec<u8>, Report> {
    let fail = |e: csv::Error| miette!("CSV: {e}");
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(heading.split(' ')).map_err(fail)?;
    for line in lines {
        writer.write_record(&line).map_err(fail)?;
    }
    writer.into_inner().map_err(|e| miette!("CSV: {e}"))
}

/// The figures as a table, a line for each kernel.
pub fn table(stats: &[KernelStats]) -> String {
    let heading = [
        "file",
        "kernel",
        "platform",
        "vISA",
        "instructions",
        "bytes",
        "GRFs",
        "spills",
        "fills",
        "ms",
    ];
    let rows = stats.iter().map(|s| {
        [
            s.file.clone(),
            s.name.clone(),
            s.platform.to_string(),
            s.visa_instructions.to_string(),
            s.instructions.to_string(),
            s.bytes.to_string(),
            s.grf_used.to_string(),
            s.spills.to_string(),
            s.fills.to_string(),
            format!("{:.2}", s.seconds.total * 1e3),
        ]
    });
    let rows: Vec<_> = std::iter::once(heading.map(str::to_string))
        .chain(rows)
        .collect();
    align(&rows)
}

/// Maximum depth of a name's types.
const MAX_NESTED: u32 = 96;
/// Maximum characters of a cell; longer ones are cut.
const MAX_CELL_CHARS: usize = 100;

/// True if names are shown as they are in the object files.
static MANGLED: AtomicBool = AtomicBool::new(false);

/// Lets tables show names as they are in object files.
pub fn keep_mangled() {
    MANGLED.store(true, Relaxed);
}

/// A name as its source has it, if it is that of a C++ function or type, as kernels of SYCL are.
pub fn demangled(name: &str) -> Cow<'_, str> {
    if !name.starts_with("_Z") || MANGLED.load(Relaxed) {
        return Cow::Borrowed(name);
    }
    // A limit of nesting keeps the text of a hostile name short.
    let options = DemangleOptions::default().recursion_limit(MAX_NESTED);
    let symbol = Symbol::new(name).ok();
    let text = symbol.and_then(|symbol| symbol.demangle_with_options(&options).ok());
    match text {
        Some(text) => Cow::Owned(
            text.strip_prefix("typeinfo name for ")
                .unwrap_or(&text)
                .to_string(),
        ),
        None => Cow::Borrowed(name),
    }
}

/// A cell, cut to the maximum length.
fn cut(cell: &str) -> String {
    let cell = &*demangled(cell);
    match cell.char_indices().nth(MAX_CELL_CHARS) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell.to_string(),
    }
}

/// Rows as aligned columns: names to the left, numbers to the right.
pub fn align<R: AsRef<[String]>>(rows: &[R]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.add_rows(
        rows.iter()
            .map(|row| row.as_ref().iter().map(|cell| cut(cell))),
    );
    for (number, column) in table.column_iter_mut().enumerate() {
        let (gap, alignment) = match number {
            0 => (0, CellAlignment::Left),
            _ => (2, CellAlignment::Right),
        };
        column.set_padding((gap, 0));
        column.set_cell_alignment(alignment);
    }
    table.trim_fmt() + "\n"
}
