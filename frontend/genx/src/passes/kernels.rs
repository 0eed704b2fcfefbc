//! Kernels of a module in both variants of the dialect: their functions, arguments and attributes.
//!
//! The document dialect lists kernels in `!genx.kernels`. The carrier dialect has functions of the calling convention
//! `spir_kernel` with the attribute `VCFunction`. A module that has both is refused.

use std::collections::HashSet;

use smol_str::SmolStr;

use crate::error::{Code, Diagnostic, Loc, Result};
use crate::ir::{Function, FunctionId, Meta, MetaId, Module, Scalar, TypeData, Types, Value};

/// Kind of a structure that is passed by value, without its lower bits.
const BY_VALUE: i64 = 14;
/// Operand of a node of `!genx.kernel.internal` that has the parts of structures.
const LINEARIZATION: usize = 3;

/// A value that a launch gives besides the arguments that are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implicit {
    /// Three words, in a register of their own.
    LocalIds,
    /// Three dwords.
    LocalSize,
    /// Three dwords.
    GroupCount,
    /// Address of the buffer of `printf`.
    PrintfBuffer,
    /// Address of the private memory of all threads.
    PrivateBase,
    /// Address of the argument buffer of a launch.
    ArgumentBuffer,
}

impl Implicit {
    /// The value of a kind in the document dialect.
    fn of_kind(kind: i64) -> Option<Implicit> {
        Some(match kind >> 3 {
            1 => Implicit::LocalSize,
            2 => Implicit::GroupCount,
            3 => Implicit::LocalIds,
            11 => Implicit::PrintfBuffer,
            12 => Implicit::PrivateBase,
            15 => Implicit::ArgumentBuffer,
            _ => return None,
        })
    }
}

/// Kind of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// The value itself.
    Value,
    /// Address of global memory.
    Pointer,
    /// Address of shared local memory.
    Local,
    /// Buffer by its binding table index.
    Buffer,
    /// Image by its binding table index; its type in the words of the object file.
    Image(SmolStr),
    Sampler,
    /// No argument for those who launch the kernel.
    Implicit(Implicit),
    /// A structure that the kernel gets a copy of: its bytes.
    Structure(u32),
    /// Part of a structure argument: number of that argument, and byte in it.
    Part(u32, u32),
}

/// Access of a buffer or an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    #[default]
    Both,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    pub kind: ArgKind,
    pub access: Access,
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub function: FunctionId,
    pub name: SmolStr,
    pub slm: u32,
    pub args: Vec<Arg>,
}

/// Dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Document,
    Carrier,
}

/// Finds the kernels.
///
/// # Errors
/// There is none, the two dialects are mixed, or a description is wrong.
pub fn find(module: &Module, wanted: Option<Variant>) -> Result<Vec<Kernel>> {
    let list = module.named_meta.get("genx.kernels");
    let carriers: Vec<FunctionId> = module
        .functions
        .iter()
        .filter(|(_, f)| {
            f.spir_kernel && !f.is_declaration() && Module::attr(&f.attrs, "VCFunction").is_some()
        })
        .map(|(id, _)| id)
        .collect();
    let listed = list.is_some_and(|list| !list.is_empty());
    let nodes = list.into_iter().flatten();
    let named = nodes.filter_map(|node| match module.meta[*module.node(*node).first()?] {
        Meta::Function(id) => Some(id),
        _ => None,
    });
    let named: HashSet<FunctionId> = named.collect();
    match (wanted, listed, carriers.is_empty()) {
        (Some(Variant::Document), false, _) | (_, false, true) => Err(Diagnostic::new(
            Code::NoKernel,
            Loc::default(),
            "there is no kernel: neither !genx.kernels nor a spir_kernel with \"VCFunction\"",
        )),
        (None, true, false) if carriers.iter().any(|id| !named.contains(id)) => {
            Err(Diagnostic::new(
                Code::Variant,
                module.functions[carriers[0]].loc,
                "the module has !genx.kernels, and kernels with \"VCFunction\" too",
            ))
        }
        (Some(Variant::Document) | None, true, _) => {
            let nodes = list.into_iter().flatten();
            nodes.map(|node| documented(module, *node)).collect()
        }
        _ => carriers.into_iter().map(|id| carried(module, id)).collect(),
    }
}

fn number(function: &Function, name: &str) -> Result<u32> {
    match Module::attr(&function.attrs, name) {
        None => Ok(0),
        Some(text) => text.parse().map_err(|_| {
            let message = format!("attribute {name}: {text:?} is no number");
            Diagnostic::new(Code::Kernel, function.loc, message)
        }),
    }
}

/// Kernel of an element of `!genx.kernels`: function, name, kinds, SLM bytes, offsets, in and out, descriptions,
/// barriers; the older form has the name in assembly before the kinds.
fn documented(module: &Module, node: MetaId) -> Result<Kernel> {
    let items = module.node(node);
    let meta = |i: usize| items.get(i).map(|id| &module.meta[*id]);
    let bad =
        |loc, what: &str| Diagnostic::new(Code::Kernel, loc, format!("!genx.kernels: {what}"));
    let Some(Meta::Function(function)) = meta(0) else {
        return Err(bad(Loc::default(), "the first operand must be a function"));
    };
    let f = &module.functions[*function];
    if f.is_declaration() {
        return Err(bad(f.loc, "the function has no definition"));
    }
    let name = match meta(1) {
        Some(Meta::String(name)) => name.clone(),
        None => f.name.clone(),
        _ => return Err(bad(f.loc, "the second operand must be the name")),
    };
    let older = matches!(meta(2), Some(Meta::String(_)));
    let (kinds, slm, descriptions) = if older { (3, 4, None) } else { (2, 3, Some(6)) };
    // A list that is left out has only plain values.
    let kinds = match items
        .get(kinds)
        .map(|id| (&module.meta[*id], module.node(*id)))
    {
        None | Some((Meta::Int(_), _)) => None,
        Some((_, kinds)) => Some(kinds),
    };
    let described = descriptions
        .and_then(|i| items.get(i))
        .map_or(&[][..], |id| module.node(*id));
    if kinds.is_some_and(|kinds| kinds.len() < f.params.len()) {
        return Err(bad(f.loc, "there are fewer kinds than arguments"));
    }
    let parts = linearized(module, *function);
    let mut args = Vec::new();
    for (i, param) in f.params.iter().enumerate() {
        let kind = match kinds.map(|kinds| &module.meta[kinds[i]]) {
            None => 0,
            Some(Meta::Int(kind)) => *kind,
            Some(_) => return Err(bad(f.loc, "a kind must be a number")),
        };
        let description = match described.get(i).map(|id| &module.meta[*id]) {
            Some(Meta::String(text)) => text.as_str(),
            _ => "",
        };
        if let Some(bytes) = structure(&module.types, f, i) {
            args.push(Arg {
                kind: ArgKind::Structure(bytes),
                access: Access::Both,
            });
            continue;
        }
        if let Some(&(_, of, byte)) = parts.iter().find(|(number, ..)| *number as usize == i) {
            args.push(Arg {
                kind: ArgKind::Part(of, byte),
                access: Access::Both,
            });
            continue;
        }
        args.push(
            arg(kind, description, pointer(module, f, *param)).map_err(|message| {
                Diagnostic::new(Code::Argument, f.loc, format!("argument {i}: {message}"))
            })?,
        );
    }
    let slm = match meta(slm) {
        Some(Meta::Int(bytes)) => u32::try_from(*bytes).unwrap_or(0),
        _ => 0,
    };
    Ok(Kernel {
        function: *function,
        name,
        slm,
        args,
    })
}

/// Address space of a parameter that is a pointer.
fn pointer(module: &Module, function: &Function, param: Value) -> Option<u32> {
    match module.types.data(function.ty(param)) {
        TypeData::Scalar(Scalar::Ptr(space)) => Some(*space),
        _ => None,
    }
}

/// Parameters of a kernel that are parts of a structure: number, number of the structure, byte in it. The fourth
/// operand of the kernel's node in `!genx.kernel.internal` has a list for each structure.
fn linearized(module: &Module, kernel: FunctionId) -> Vec<(u32, u32, u32)> {
    let nodes = module.named_meta.get("genx.kernel.internal");
    let node = nodes.into_iter().flatten().find(|node| {
        let first = module.node(**node).first();
        first.map(|id| &module.meta[*id]) == Some(&Meta::Function(kernel))
    });
    let number = |id: &MetaId| match module.meta[*id] {
        Meta::Int(n) => u32::try_from(n).ok(),
        _ => None,
    };
    let mut parts = Vec::new();
    let structures = node.and_then(|node| module.node(*node).get(LINEARIZATION));
    for structure in structures.map_or(&[][..], |id| module.node(*id)) {
        let [of, list] = module.node(*structure) else {
            continue;
        };
        for part in module.node(*list) {
            if let ([arg, byte], Some(of)) = (module.node(*part), number(of))
                && let (Some(arg), Some(byte)) = (number(arg), number(byte))
            {
                parts.push((arg, of, byte));
            }
        }
    }
    parts
}

/// Argument of a kind with a description; `space` is the address space of a pointer.
fn arg(kind: i64, description: &str, space: Option<u32>) -> std::result::Result<Arg, String> {
    let words: Vec<&str> = description.split_whitespace().collect();
    let access = if words.contains(&"read_only") {
        Access::Read
    } else if words.contains(&"write_only") {
        Access::Write
    } else {
        Access::Both
    };
    let of = |kind| Ok(Arg { kind, access });
    if kind >> 3 != 0 && kind >> 3 != BY_VALUE {
        return match Implicit::of_kind(kind) {
            Some(implicit) => of(ArgKind::Implicit(implicit)),
            None => Err(format!(
                "implicit arguments of kind {kind} are not supported"
            )),
        };
    }
    match kind & 7 {
        0 if space == Some(3) => of(ArgKind::Local),
        0 if words.contains(&"svmptr_t") || (space.is_some() && description.is_empty()) => {
            of(ArgKind::Pointer)
        }
        0 => of(ArgKind::Value),
        1 => of(ArgKind::Sampler),
        2 => match words.iter().find(|word| word.starts_with("image")) {
            Some(image) => match image_type(image) {
                Some(ty) => of(ArgKind::Image(ty)),
                None => Err(format!("{image} is not supported")),
            },
            None => of(ArgKind::Buffer),
        },
        _ => Err(format!("kind {kind} is not supported")),
    }
}

/// Image type in the words of the object file.
fn image_type(name: &str) -> Option<SmolStr> {
    let ty = match name {
        "image1d_t" => "image_1d",
        "image1d_array_t" => "image_1d_array",
        "image1d_buffer_t" => "image_buffer",
        "image2d_t" => "image_2d",
        "image2d_array_t" => "image_2d_array",
        "image2d_media_block_t" | "image2d_media_block_ro_t" => "image_2d_media_block",
        "image3d_t" => "image_3d",
        _ => return None,
    };
    Some(ty.into())
}

fn carried(module: &Module, id: FunctionId) -> Result<Kernel> {
    let f = &module.functions[id];
    let mut args = Vec::new();
    for (i, param) in f.params.iter().enumerate() {
        let attrs = f.param_attrs.get(i);
        let attr = |name| attrs.and_then(|attrs| Module::attr(attrs, name));
        let bad = |message: String| {
            Diagnostic::new(Code::Argument, f.loc, format!("argument {i}: {message}"))
        };
        if let Some(kind) = attr("VCArgumentKind").and_then(|kind| kind.parse().ok()) {
            let space = pointer(module, f, *param);
            args.push(arg(kind, attr("VCArgumentDesc").unwrap_or(""), space).map_err(bad)?);
            continue;
        }
        args.push(match module.types.data(f.ty(*param)) {
            TypeData::Handle(name) => {
                handle(name).ok_or_else(|| bad(format!("type {name} is not supported")))?
            }
            TypeData::Scalar(Scalar::Ptr(0)) if structure(&module.types, f, i).is_some() => {
                let bytes = structure(&module.types, f, i).unwrap_or(0);
                Arg {
                    kind: ArgKind::Structure(bytes),
                    access: Access::Both,
                }
            }
            TypeData::Scalar(Scalar::Ptr(3)) => Arg {
                kind: ArgKind::Local,
                access: Access::Both,
            },
            TypeData::Scalar(Scalar::Ptr(0 | 1 | 2 | 4)) => Arg {
                kind: ArgKind::Pointer,
                access: Access::Both,
            },
            // A number of 32 bits, as the reference compiler takes it.
            TypeData::Scalar(Scalar::Ptr(6)) => Arg {
                kind: ArgKind::Value,
                access: Access::Both,
            },
            TypeData::Scalar(Scalar::Ptr(space)) => {
                return Err(bad(format!(
                    "pointers to address space {space} are not supported"
                )));
            }
            _ => Arg {
                kind: ArgKind::Value,
                access: Access::Both,
            },
        });
    }
    Ok(Kernel {
        function: id,
        name: f.name.clone(),
        slm: number(f, "VCSLMSize")?,
        args,
    })
}

/// Argument that a handle is, by the name of its type.
fn handle(name: &str) -> Option<Arg> {
    let access = |name: &str| {
        if name.contains("_ro_") {
            Access::Read
        } else if name.contains("_wo_") {
            Access::Write
        } else {
            Access::Both
        }
    };
    let base = name.strip_prefix("opencl.").or(name.strip_prefix("intel."));
    if let Some(base) = base {
        if base.starts_with("buffer") {
            return Some(Arg {
                kind: ArgKind::Buffer,
                access: access(base),
            });
        }
        if base.starts_with("sampler") {
            return Some(Arg {
                kind: ArgKind::Sampler,
                access: Access::Both,
            });
        }
        let plain = base
            .replace("_ro_t", "_t")
            .replace("_wo_t", "_t")
            .replace("_rw_t", "_t");
        let kind = ArgKind::Image(image_type(&plain)?);
        return Some(Arg {
            kind,
            access: access(base),
        });
    }
    let kind = match name.split('.').collect::<Vec<_>>()[..] {
        ["spirv", "BufferSurfaceINTEL", ..] => ArgKind::Buffer,
        ["spirv", "Sampler", ..] => ArgKind::Sampler,
        _ => return None,
    };
    Some(Arg {
        kind,
        access: Access::Both,
    })
}

/// Bytes of a structure that a parameter passes by value.
fn structure(types: &Types, function: &Function, i: usize) -> Option<u32> {
    let ty = function.byval.get(i).copied().flatten()?;
    let is_pointer = matches!(
        types.data(function.ty(function.params[i])),
        TypeData::Scalar(Scalar::Ptr(_))
    );
    let (size, _) = types.layout(ty).filter(|_| is_pointer)?;
    u32::try_from(size).ok()
}
