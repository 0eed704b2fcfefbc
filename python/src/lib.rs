//! The finalizer for Python: the basis of `package/kiln`.
//!
//! Arrays are passed as bytes, of which numpy makes arrays without a copy. The interpreter's lock is released during
//! compilation and execution. An error becomes one of the exceptions of `kiln._errors`, with its place.

use kiln_emit::cost::{self, Weights};
use kiln_emit::inst::Op;
use kiln_emit::listing::{self, Style};
use kiln_emit::platform::{self, PLATFORMS, Platform};
use kiln_emit::zebin::{FUNCTIONS, Zebin};
use kiln_platform::abi;
use kiln_regalloc::Allocator;
use kiln_runtime::exec::{self, Arg, Launch, Program};
use kiln_runtime::info::{self, Info};
use kiln_runtime::launch::parse_spec;
use kiln_runtime::passes::optional_passes;
use kiln_runtime::pressure::{Place, Profile};
use kiln_runtime::source::Input;
use kiln_runtime::{
    CompileError, Compiled, CompiledModule, Error, Failure, Options, Session, Tier,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Makes an exception of `kiln._errors`.
fn exception(py: Python<'_>, class: &str, message: &str, place: &Bound<'_, PyDict>) -> PyErr {
    let made = py
        .import("kiln._errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call((message,), Some(place)));
    made.map_or_else(|e| e, PyErr::from_value)
}

fn error(py: Python<'_>, class: &str, message: &str) -> PyErr {
    exception(py, class, message, &PyDict::new(py))
}

/// The exception for a module that was not compiled, with its place.
fn failure(py: Python<'_>, failure: &Failure) -> PyErr {
    let place = PyDict::new(py);
    let filled = || -> PyResult<()> {
        place.set_item("file", failure.file.as_ref().map(|(_, name)| name))?;
        place.set_item("kernel", failure.kernel.as_ref().map(|(_, name)| name))?;
        place.set_item("instruction", failure.inst)?;
        // A place in a text; a binary object has offsets.
        let text = failure.place.filter(|place| place.column > 0);
        place.set_item("line", text.map(|place| place.pos))?;
        place.set_item("column", text.map(|place| place.column))?;
        place.set_item("code", failure.error.code())
    };
    if let Err(error) = filled() {
        return error;
    }
    let class = match &failure.error {
        Error::GrfLimit { .. } | Error::NoSuchKernel { .. } => {
            return PyValueError::new_err(failure.to_string());
        }
        Error::Platform(_) | Error::Compile(CompileError::Unsupported { .. }) => "UnsupportedError",
        Error::Compile(CompileError::Allocate(_)) => "RegisterError",
        _ => "CompileError",
    };
    exception(py, class, &failure.to_string(), &place)
}

fn find(name: &str) -> PyResult<&'static Platform> {
    platform::find(name).ok_or_else(|| {
        let names: Vec<&str> = PLATFORMS.iter().map(|p| p.name).collect();
        let names = names.join(", ");
        PyValueError::new_err(format!("`{name}` is no platform: {names}"))
    })
}

/// Each platform: name, aliases, registers, and whether Kiln compiles for it.
#[pyfunction]
fn platforms(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let row = |p: &Platform| {
        let row = PyDict::new(py);
        row.set_item("name", p.name)?;
        row.set_item("aliases", p.aliases.to_vec())?;
        row.set_item("compiles", p.compiles)?;
        row.set_item("grf_count", p.grf_count)?;
        row.set_item("grf_bytes", p.grf_bytes)?;
        Ok(row)
    };
    PLATFORMS.iter().map(row).collect()
}

/// Names of the optional passes.
#[pyfunction]
fn passes() -> Vec<&'static str> {
    optional_passes().collect()
}

/// A finalized module.
#[pyclass(frozen)]
struct Module {
    session: Session,
    module: CompiledModule,
}

/// A finalized kernel or function.
#[pyclass(frozen)]
struct Kernel {
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    platform: &'static str,
    #[pyo3(get)]
    is_function: bool,
    #[pyo3(get)]
    simd: u8,
    #[pyo3(get)]
    visa_instructions: usize,
    #[pyo3(get)]
    instructions: usize,
    #[pyo3(get)]
    spills: u32,
    #[pyo3(get)]
    fills: u32,
    #[pyo3(get)]
    spill_bytes: u32,
    #[pyo3(get)]
    moves: u32,
    #[pyo3(get)]
    grf_used: u32,
    #[pyo3(get)]
    max_pressure: Option<u32>,
    #[pyo3(get)]
    seconds: f64,
    target: &'static Platform,
    code: Vec<u8>,
    relocations: Vec<(u32, String, String)>,
}

#[pymethods]
impl Kernel {
    /// Machine code.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.code)
    }

    /// Offset, symbol and kind of each address that a loader fills in.
    #[getter]
    fn relocations(&self) -> Vec<(u32, String, String)> {
        self.relocations.clone()
    }

    /// Estimated cycles with ten iterations of each loop.
    #[getter]
    fn cycles(&self, py: Python<'_>) -> f64 {
        py.detach(|| cycles(&self.code, self.target))
    }

    fn __repr__(&self) -> String {
        let kind = if self.is_function {
            "function"
        } else {
            "kernel"
        };
        format!(
            "<kiln.Kernel: {kind} {}, {}, {} instructions, {} bytes>",
            self.name,
            self.platform,
            self.instructions,
            self.code.len()
        )
    }

    /// The listing.
    fn asm(&self) -> String {
        listing::list(&self.code, self.target, Style::Labels)
    }
}

fn cycles(code: &[u8], platform: &'static Platform) -> f64 {
    let insts = listing::insts(code, platform);
    cost::estimate(&insts, platform, Weights::Loops)
        .cycles
        .sum()
}

fn allocator_name(allocator: Allocator) -> &'static str {
    match allocator {
        Allocator::Scan => "scan",
        Allocator::Ion => "ion",
    }
}

fn kernel(compiled: &Compiled, platform: &'static Platform, is_function: bool) -> Kernel {
    let allocation = &compiled.allocation;
    let seconds = &compiled.seconds;
    let relocations = compiled.relocations.iter();
    Kernel {
        name: compiled.name.clone(),
        platform: platform.name,
        is_function,
        simd: compiled.simd,
        visa_instructions: compiled.visa_instructions,
        instructions: compiled.instructions,
        spills: allocation.spills,
        fills: allocation.fills,
        spill_bytes: allocation.spill_bytes,
        moves: allocation.moves,
        grf_used: allocation.grf_used,
        max_pressure: allocation.max_pressure,
        seconds: seconds.ir + seconds.isel + seconds.regalloc + seconds.emit,
        target: platform,
        code: compiled.code.clone(),
        relocations: relocations
            .map(|r| (r.offset, r.symbol.clone(), format!("{:?}", r.kind)))
            .collect(),
    }
}

#[pymethods]
impl Module {
    fn kernels(&self) -> Vec<Kernel> {
        let platform = self.session.options().platform;
        let kernels = self.module.kernels.iter().map(|k| (k, false));
        let functions = self.module.functions.iter().map(|k| (k, true));
        let all = kernels.chain(functions);
        all.map(|(k, is_function)| kernel(k, platform, is_function))
            .collect()
    }

    /// The profiles of all kernels and functions, each with the name of its kernel.
    fn profiles<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let compiled = self.module.kernels.iter().chain(&self.module.functions);
        let all = compiled.flat_map(|one| one.profiles.iter().map(|p| (&one.name, p)));
        all.map(|(name, profile)| profile_dict(py, name, profile))
            .collect()
    }

    fn object_file<'py>(&self, py: Python<'py>, info: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let made = py.detach(|| -> Result<Vec<u8>, String> {
            let platform = self.session.options().platform;
            let info = Info::parse(info, platform).map_err(|e| e.to_string())?;
            let zebin = self.session.object_file(&self.module, info);
            let zebin = zebin.map_err(|e| e.to_string())?;
            zebin.write().map_err(|e| e.to_string())
        });
        let bytes = made.map_err(|e| error(py, "ObjectError", &e))?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// A column of numbers as bytes.
fn column<'py, T>(
    py: Python<'py>,
    profile: &Profile,
    of: impl Fn(&kiln_runtime::pressure::Point) -> T,
) -> Bound<'py, PyBytes>
where
    T: Into<i64>,
{
    let numbers = profile.points.iter().map(|point| of(point).into());
    let bytes: Vec<u8> = numbers.flat_map(i64::to_ne_bytes).collect();
    PyBytes::new(py, &bytes)
}

fn profile_dict<'py>(
    py: Python<'py>,
    kernel: &str,
    profile: &Profile,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("kernel", kernel)?;
    dict.set_item("name", &profile.name)?;
    dict.set_item("limit", profile.grfs)?;
    dict.set_item("peak", profile.peak)?;
    dict.set_item("at", profile.at)?;
    dict.set_item("files", &profile.files)?;
    let or_none = |number: Option<u32>| number.map_or(-1, i64::from);
    dict.set_item("grf", column(py, profile, |p| p.grfs))?;
    dict.set_item("bytes", column(py, profile, |p| p.bytes))?;
    dict.set_item("block", column(py, profile, |p| p.block))?;
    dict.set_item("loops", column(py, profile, |p| p.loops))?;
    dict.set_item("visa", column(py, profile, |p| or_none(p.visa)))?;
    let source = |p: &kiln_runtime::pressure::Point| or_none(p.source.map(|(file, _)| file));
    dict.set_item("file", column(py, profile, source))?;
    let line = |p: &kiln_runtime::pressure::Point| or_none(p.source.map(|(_, line)| line));
    dict.set_item("line", column(py, profile, line))?;
    let text: Vec<&str> = profile.points.iter().map(|p| p.text.as_str()).collect();
    dict.set_item("text", text)?;
    let mut values = Vec::new();
    for value in &profile.values {
        let one = PyDict::new(py);
        one.set_item("register", &value.register)?;
        one.set_item("kept", value.kept.name())?;
        one.set_item("grfs", value.grfs)?;
        one.set_item("bytes", value.bytes)?;
        one.set_item("since", value.since)?;
        one.set_item("next", value.next)?;
        one.set_item("is_parameter", value.is_parameter)?;
        values.push(one);
    }
    dict.set_item("values", values)?;
    dict.set_item("reserved", profile.reserved)?;
    dict.set_item("address_taken", profile.address_taken)?;
    let mut stored = Vec::new();
    for slot in &profile.stored {
        let one = PyDict::new(py);
        one.set_item("registers", &slot.registers)?;
        one.set_item("grfs", slot.grfs)?;
        one.set_item("stores", slot.stores)?;
        one.set_item("loads", slot.loads)?;
        one.set_item("cost", slot.cost)?;
        one.set_item("uses", slot.uses)?;
        one.set_item("first", slot.first)?;
        one.set_item("last", slot.last)?;
        one.set_item("most", slot.most)?;
        stored.push(one);
    }
    dict.set_item("stored", stored)?;
    Ok(dict)
}

/// Options of compilation, from the keyword arguments of the package.
#[derive(FromPyObject)]
struct How {
    #[pyo3(item)]
    platform: String,
    #[pyo3(item)]
    kernel: Option<String>,
    #[pyo3(item)]
    grf_limit: Option<u32>,
    #[pyo3(item)]
    optimize: u32,
    #[pyo3(item)]
    allocator: String,
    #[pyo3(item)]
    without: Vec<String>,
    #[pyo3(item)]
    abi: u32,
    #[pyo3(item)]
    preemption: bool,
    /// Record the register pressure by instruction.
    #[pyo3(item)]
    profile: bool,
    /// The vISA instruction whose live values are listed.
    #[pyo3(item)]
    at: Option<u32>,
}

impl How {
    fn session(&self) -> PyResult<Session> {
        let platform = find(&self.platform)?;
        let wrong = |what: String| PyValueError::new_err(what);
        let tier = match self.optimize {
            0 => Tier::Quick,
            2 => Tier::Best,
            level => return Err(wrong(format!("optimize is 0 or 2, not {level}"))),
        };
        let all = [Allocator::Scan, Allocator::Ion];
        let named = |a: &Allocator| allocator_name(*a) == self.allocator;
        let allocator = all
            .into_iter()
            .find(named)
            .ok_or_else(|| wrong(format!("`{}` is no allocator: scan, ion", self.allocator)))?;
        let mut without = Vec::new();
        for name in &self.without {
            let pass = optional_passes().find(|pass| pass == name);
            without.push(pass.ok_or_else(|| {
                let all: Vec<&str> = optional_passes().collect();
                wrong(format!("`{name}` is no pass: {}", all.join(", ")))
            })?);
        }
        let abi = abi::stack(self.abi);
        let abi = abi.ok_or_else(|| wrong(format!("abi is 1 or 2, not {}", self.abi)))?;
        let place = self.at.map_or(Place::Peak, Place::Instruction);
        let session = Session::new(Options {
            abi,
            interruptible: self.preemption,
            allocator,
            without,
            verify: false,
            pressure: true,
            profile: self.profile.then_some(place),
            ..Options::new(platform).tier(tier).limited(self.grf_limit)
        });
        Ok(match &self.kernel {
            Some(kernel) => session.only(kernel),
            None => session,
        })
    }
}

/// Compiles files, given by name and contents, that make one module.
#[pyfunction]
fn compile(py: Python<'_>, sources: Vec<(String, Vec<u8>)>, how: How) -> PyResult<Module> {
    let session = how.session()?;
    let inputs = inputs(&sources);
    let result = py.detach(|| session.compile_module(&inputs));
    let module = result.map_err(|e| failure(py, &e))?;
    Ok(Module { session, module })
}

fn inputs(sources: &[(String, Vec<u8>)]) -> Vec<Input<'_>> {
    sources
        .iter()
        .map(|(name, bytes)| Input { name, bytes })
        .collect()
}

/// An argument of a kernel.
#[derive(FromPyObject)]
enum GivenArg {
    /// A specification as on the command line: `image2d:...`.
    Spec(String),
    /// `("buffer" | "value", bytes)`.
    Bytes((String, Vec<u8>)),
    /// Bytes of local memory.
    Local(u32),
}

/// Options of a run.
#[derive(FromPyObject)]
struct RunHow {
    #[pyo3(item)]
    platform: Option<String>,
    #[pyo3(item)]
    kernel: Option<String>,
    #[pyo3(item)]
    global_size: [u32; 3],
    #[pyo3(item)]
    local_size: [u32; 3],
    #[pyo3(item)]
    dimensions: u32,
    #[pyo3(item)]
    threads: usize,
    #[pyo3(item)]
    budget: u64,
    #[pyo3(item)]
    check: bool,
    #[pyo3(item)]
    hardware: bool,
    #[pyo3(item)]
    engine: String,
}

/// Figures of a run, and contents of the buffers and images after it.
type Ran<'py> = (Bound<'py, PyDict>, Vec<Option<Bound<'py, PyBytes>>>);

/// Executes a kernel of an object file.
#[pyfunction]
fn run<'py>(
    py: Python<'py>,
    object: &[u8],
    args: Vec<GivenArg>,
    how: RunHow,
) -> PyResult<Ran<'py>> {
    let wrong = |what: String| error(py, "RunError", &what);
    let platform = match &how.platform {
        Some(name) => find(name)?,
        None => Zebin::parse(object)
            .ok()
            .and_then(|zebin| info::platform_of(&zebin))
            .ok_or_else(|| wrong("the object file names no known platform".to_string()))?,
    };
    let zebin =
        info::zebin(object, platform).map_err(|e| error(py, "ObjectError", &e.to_string()))?;
    let names = zebin.kernels.iter().map(|k| k.name.as_str());
    let names: Vec<&str> = names.filter(|name| *name != FUNCTIONS).collect();
    let kernel = match (&how.kernel, names.as_slice()) {
        (Some(name), names) if names.contains(&name.as_str()) => name.clone(),
        (None, [only]) => (*only).to_string(),
        (None, _) => {
            let names = names.join(", ");
            return Err(PyValueError::new_err(format!("choose a kernel: {names}")));
        }
        (Some(name), _) => {
            let names = names.join(", ");
            return Err(PyValueError::new_err(format!(
                "no kernel is named {name}: {names}"
            )));
        }
    };
    let mut given = Vec::new();
    for arg in args {
        given.push(match arg {
            GivenArg::Bytes((kind, bytes)) if kind == "buffer" => Arg::Buffer(bytes),
            GivenArg::Bytes((_, bytes)) => Arg::Value(bytes),
            GivenArg::Local(bytes) => Arg::Local(bytes),
            GivenArg::Spec(spec) => {
                let spec = parse_spec(&spec).map_err(|e| PyValueError::new_err(e.to_string()))?;
                let loaded = spec.source.load("".as_ref());
                loaded.map_err(|e| wrong(e.to_string()))?
            }
        });
    }
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: &kernel,
        global: how.global_size,
        local: how.local_size,
        dimensions: how.dimensions,
        args: given,
        budget: how.budget,
    };
    let options = exec::Options {
        threads: how.threads,
        check: how.check,
        hardware: how.hardware,
        engine: match how.engine.as_str() {
            "auto" => exec::Engine::Auto,
            "interpret" => exec::Engine::Interpret,
            "translate" => exec::Engine::Translate,
            "both" => exec::Engine::Both,
            name => return Err(PyValueError::new_err(format!("no engine is named {name}"))),
        },
        ..exec::Options::default()
    };
    let stats = py.detach(|| -> Result<exec::Stats, String> {
        let program = Program::from_zebin(&zebin, &kernel, platform).map_err(|e| e.to_string())?;
        let stats = launch.run_with(&program, &options);
        stats.map_err(|e| format!("{kernel}: {e}"))
    });
    let stats = stats.map_err(wrong)?;
    let dict = PyDict::new(py);
    dict.set_item("kernel", &kernel)?;
    dict.set_item("groups", stats.groups)?;
    dict.set_item("threads", stats.threads)?;
    dict.set_item("instructions", stats.instructions)?;
    dict.set_item("messages", stats.messages)?;
    dict.set_item("lanes", stats.lanes)?;
    dict.set_item("bytes_read", stats.bytes_read)?;
    dict.set_item("bytes_written", stats.bytes_written)?;
    let kinds = |counts: &std::collections::BTreeMap<String, exec::Count>| {
        let kinds = PyDict::new(py);
        for (name, count) in counts {
            kinds.set_item(name, count.instructions)?;
        }
        PyResult::Ok(kinds)
    };
    dict.set_item("by_instruction", kinds(&stats.by_instruction)?)?;
    dict.set_item("by_message", kinds(&stats.by_message)?)?;
    let places = stats.by_place.iter().map(|count| count.instructions);
    let places: Vec<u8> = places.flat_map(u64::to_ne_bytes).collect();
    dict.set_item("by_place", PyBytes::new(py, &places))?;
    let left = launch
        .args
        .iter()
        .map(|arg| arg.memory().map(|bytes| PyBytes::new(py, bytes)));
    Ok((dict, left.collect()))
}

/// Size of a compacted instruction in bytes, of which every size of machine code is a multiple.
const CODE_ALIGN: usize = 8;

fn whole(code: &[u8]) -> PyResult<()> {
    let bytes = code.len();
    match bytes % CODE_ALIGN {
        0 => Ok(()),
        _ => Err(PyValueError::new_err(format!(
            "{bytes} bytes are no machine code: a multiple of {CODE_ALIGN} is expected"
        ))),
    }
}

/// The listing of raw machine code.
#[pyfunction]
fn disassemble(py: Python<'_>, code: &[u8], platform: &str) -> PyResult<String> {
    let platform = find(platform)?;
    whole(code)?;
    Ok(py.detach(|| listing::list(code, platform, Style::Labels)))
}

/// Estimated cycles of raw machine code.
#[pyfunction]
fn estimate(py: Python<'_>, code: &[u8], platform: &str) -> PyResult<f64> {
    let platform = find(platform)?;
    whole(code)?;
    let insts = listing::insts(code, platform);
    let illegal = insts.iter().filter(|inst| inst.op == Op::Illegal).count();
    if illegal > 0 {
        return Err(PyValueError::new_err(format!(
            "{illegal} of {} are no instructions of {}",
            insts.len(),
            platform.name
        )));
    }
    Ok(py.detach(|| cycles(code, platform)))
}

#[pymodule]
fn _kiln(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("BUDGET", Launch::BUDGET)?;
    module.add_class::<Module>()?;
    module.add_class::<Kernel>()?;
    module.add_function(wrap_pyfunction!(platforms, module)?)?;
    module.add_function(wrap_pyfunction!(passes, module)?)?;
    module.add_function(wrap_pyfunction!(compile, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(disassemble, module)?)?;
    module.add_function(wrap_pyfunction!(estimate, module)?)?;
    Ok(())
}
