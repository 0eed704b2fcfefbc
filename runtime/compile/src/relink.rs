//! Replaces the code of kernels in an object file of the reference compiler by ours.
//!
//! Takes the object file and the vISA that the reference compiler dumped when it made it. A file of vISA belongs to
//! the object file if it holds a kernel with the name and SIMD size of one of its kernels; the dump may also hold
//! kernels that the compiler tried and dropped. The rest of the object file is kept ([`object_file`]).

use std::collections::HashMap;

use kiln_emit::zebin::{FUNCTIONS, Zebin};
use kiln_visa::module::{Module, ObjectKind};

use crate::failure::Failure;
use crate::info::Info;
use crate::object_file::{ObjectError, add_lines, object_file};
use crate::result::CompiledModule;
use crate::session::Session;
use crate::source::{self, Input};

/// The result of relinking.
#[derive(Debug)]
pub struct Relinked {
    /// The object file with our code.
    pub zebin: Zebin,
    /// Names of the kernels with our code.
    pub replaced: Vec<String>,
    /// Names of the kernels whose vISA is missing, which keep their code.
    pub kept: Vec<String>,
    /// The kernels with our code and their functions, as they were compiled.
    pub module: CompiledModule,
}

/// Reasons why an object file cannot be relinked.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum RelinkError {
    #[error(
        "it has no section of vISA: compile it with -internal_options \"-emit-visa-only -emit-zebin-visa-sections\", or give \
         the folder of a dump"
    )]
    NoSections,
    #[error("no vISA of these kernels: {}", .0.join(", "))]
    NoVisa(Vec<String>),
    #[error(
        "it lacks kernels of its SPIR-V, which the compiler left out: {}: compile it with -internal_options \
         \"-emit-zebin-visa-sections\" alone", .0.join(", ")
    )]
    Absent(Vec<String>),
    #[error("kernel {kernel} is in both {first} and {second}, and differs")]
    Ambiguous {
        kernel: String,
        first: String,
        second: String,
    },
    #[error(transparent)]
    Compile(#[from] Box<Failure>),
    #[error(transparent)]
    Object(#[from] ObjectError),
}

/// Replaces the code of an object file's kernels by code compiled from these files of vISA with the session's options.
/// `keep` allows kernels without vISA, which stay as they are. `lines` adds sections with the source lines of our
/// code.
///
/// # Errors
/// A kernel has no vISA, or several; or compilation fails. Inputs that are no vISA are ignored unless a kernel is
/// missing.
pub fn relink(
    session: &Session,
    zebin: Zebin,
    inputs: &[Input],
    keep: bool,
    lines: bool,
) -> Result<Relinked, RelinkError> {
    let names = zebin.kernels.iter().map(|kernel| kernel.name.clone());
    let names = names.filter(|name| name != FUNCTIONS).collect();
    let wanted = Wanted {
        names,
        together: false,
        keep,
        lines,
    };
    replace(session, zebin, inputs, wanted)
}

/// Choices of [`replace`].
pub(crate) struct Wanted {
    /// Names of the kernels.
    pub names: Vec<String>,
    /// True if all inputs are one module, so that functions are kept that no kernel calls.
    pub together: bool,
    /// Allows kernels without vISA, which stay as they are.
    pub keep: bool,
    /// Adds sections with source lines.
    pub lines: bool,
}

/// As [`relink`], with further choices.
pub(crate) fn replace(
    session: &Session,
    zebin: Zebin,
    inputs: &[Input],
    wanted: Wanted,
) -> Result<Relinked, RelinkError> {
    let Wanted {
        names,
        together,
        keep,
        lines,
    } = wanted;
    let modules: Vec<Option<Module>> = (inputs.iter())
        .map(|input| {
            Some(
                source::read(input.bytes, &session.options().reading())
                    .ok()?
                    .module,
            )
        })
        .collect();
    if together && modules.iter().any(Option::is_none) {
        session.load(inputs)?;
    }
    let mut file_of: HashMap<String, usize> = HashMap::new();
    for (file, module) in modules.iter().enumerate() {
        for kernel in shared(module.as_ref(), &zebin, &names) {
            let Some(&first) = file_of.get(kernel) else {
                file_of.insert(kernel.to_string(), file);
                continue;
            };
            let of = |file: usize| {
                let objects = modules[file].as_ref().map(|m| &m.objects);
                objects?.iter().find(|object| object.name == kernel)
            };
            if of(first) != of(file) {
                return Err(RelinkError::Ambiguous {
                    kernel: kernel.to_string(),
                    first: inputs[first].name.to_string(),
                    second: inputs[file].name.to_string(),
                });
            }
        }
    }
    let (replaced, kept): (Vec<String>, Vec<String>) = names
        .into_iter()
        .partition(|name| file_of.contains_key(name.as_str()));
    if !kept.is_empty() && !keep {
        return Err(RelinkError::NoVisa(kept));
    }
    let readable: Vec<usize> = (0..inputs.len())
        .filter(|n| modules[*n].is_some())
        .collect();
    let read: Vec<Module> = modules.into_iter().flatten().collect();
    let groups: Vec<Vec<usize>> = match together {
        true => vec![(0..inputs.len()).collect()],
        false => (source::related(&read).into_iter())
            .map(|group| group.into_iter().map(|n| readable[n]).collect())
            .collect(),
    };
    let module = compile(session, inputs, groups, &replaced, &file_of)?;
    let mut zebin = match replaced.is_empty() {
        true => zebin,
        false => object_file(Info::Zebin(zebin), &module, session.options().platform)?,
    };
    if lines {
        add_lines(&mut zebin, &module)?;
    }
    Ok(Relinked {
        zebin,
        replaced,
        kept,
        module,
    })
}

/// The kernels that a module and an object file share.
fn shared<'m>(
    module: Option<&'m Module>,
    zebin: &Zebin,
    names: &[String],
) -> impl Iterator<Item = &'m str> {
    let objects = module.map_or(&[][..], |module| &module.objects);
    objects.iter().filter_map(move |object| {
        let simd = object.int_attr("SimdSize");
        let entry = zebin.ze_info.kernel(&object.name);
        let same_simd = match (simd, entry.map(|entry| entry.execution_env.simd_size)) {
            (Some(simd), Some(size)) if size > 0 => simd == i64::from(size),
            _ => true,
        };
        let is_ours = object.kind == ObjectKind::Kernel
            && names.iter().any(|name| *name == *object.name)
            && same_simd;
        is_ours.then_some(object.name.as_str())
    })
}

/// Compiles the modules, as lists of inputs, that hold these kernels, and merges the kernels and the functions they need.
fn compile(
    session: &Session,
    inputs: &[Input],
    groups: Vec<Vec<usize>>,
    kernels: &[String],
    file_of: &HashMap<String, usize>,
) -> Result<CompiledModule, RelinkError> {
    let mut whole = CompiledModule {
        kernels: Vec::new(),
        functions: Vec::new(),
        read_seconds: 0.0,
        visa: None,
        interface: None,
        warnings: Vec::new(),
    };
    for files in groups {
        let ours = |name: &str| file_of.get(name).is_some_and(|file| files.contains(file));
        if !kernels.iter().any(|kernel| ours(kernel)) {
            continue;
        }
        let members: Vec<Input> = files.iter().map(|file| inputs[*file]).collect();
        let module = session.compile_module(&members).map_err(|mut failure| {
            if let Some((file, _)) = &mut failure.file {
                *file = files[*file];
            }
            failure
        })?;
        let is_wanted = |name: &String| kernels.contains(name) && ours(name);
        let kernels = module.kernels.into_iter().filter(|k| is_wanted(&k.name));
        whole.kernels.extend(kernels);
        let known = |name: &str| whole.functions.iter().any(|f| f.name == name);
        let functions = module.functions.into_iter();
        let functions: Vec<_> = functions.filter(|f| !known(&f.name)).collect();
        whole.functions.extend(functions);
        whole.read_seconds += module.read_seconds;
    }
    Ok(whole)
}
