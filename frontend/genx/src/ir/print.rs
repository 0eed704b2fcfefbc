//! The IR as LLVM IR in text, with opaque pointers.
//!
//! Our reader takes it, and so does LLVM. Printed are the functions with bodies, and of all else what they and
//! `!genx.kernels` and `!genx.kernel.internal` name. Handles are pointers whose conversion names them. Debug information is cut down to lines.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use cranelift_entity::SecondaryMap;
use smol_str::{SmolStr, format_smolstr};

use super::decl::{Attrs, Linkage, MetaId};
use super::function::{
    BinaryOp, Block, CastOp, Const, FloatRel, Function, FunctionId, GlobalId, Inst, InstData,
    IntRel, Op, Unroll, Value, ValueDef,
};
use super::module::{Global, Meta, Module};
use super::rules;
use super::types::{Scalar, Type, TypeData, Types};

/// Lists of metadata that are printed.
const LISTS: [&str; 2] = ["genx.kernels", "genx.kernel.internal"];

/// Text of a module.
pub fn print(module: &Module) -> String {
    let mut printer = Printer {
        module,
        out: String::new(),
        declared: BTreeMap::new(),
        functions: HashSet::new(),
        globals: HashSet::new(),
        nodes: Vec::new(),
        numbers: HashMap::new(),
        loops: Vec::new(),
        lines: Vec::new(),
    };
    printer.module();
    printer.out
}

/// Names of a function's values and blocks.
struct Names {
    values: SecondaryMap<Value, SmolStr>,
    blocks: SecondaryMap<Block, SmolStr>,
}

struct Printer<'a> {
    module: &'a Module,
    out: String,
    /// Declarations of intrinsics, by name.
    declared: BTreeMap<String, String>,
    functions: HashSet<FunctionId>,
    globals: HashSet<GlobalId>,
    /// Nodes of metadata, by their numbers.
    nodes: Vec<MetaId>,
    numbers: HashMap<MetaId, usize>,
    /// The program's wishes for unrolling loops, each once.
    loops: Vec<Unroll>,
    /// Files, lines and columns of `!dbg`.
    lines: Vec<(SmolStr, i64, i64)>,
}

/// Name of a global or local value after its sigil, in quotes where they are needed.
fn name(sigil: char, name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'$' | b'.' | b'_');
    let number = name.bytes().all(|b| b.is_ascii_digit());
    match name.bytes().all(plain) && (number || !name.starts_with(|c: char| c.is_ascii_digit())) {
        true if !name.is_empty() => format!("{sigil}{name}"),
        _ => format!("{sigil}{}", quoted(name.as_bytes())),
    }
}

/// A string in quotes.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' | 0..=0x1f | 0x7f.. => _ = write!(text, "\\{byte:02X}"),
            _ => text.push((*byte).into()),
        }
    }
    text.push('"');
    text
}

fn attrs_text(attrs: &Attrs) -> String {
    let mut text = String::new();
    for (name, value) in attrs {
        text.push(' ');
        text.push_str(&quoted(name.as_bytes()));
        if !value.is_empty() {
            text.push('=');
            text.push_str(&quoted(value.as_bytes()));
        }
    }
    text
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::External => "",
        Linkage::Internal => "internal ",
        Linkage::Kernel => "dllexport ",
        Linkage::Other => "weak ",
    }
}

/// Text of a float's bits.
fn float(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Half => format!("0xH{bits:04X}"),
        Scalar::BFloat => format!("0xR{bits:04X}"),
        Scalar::Float => {
            let number = f32::from_bits(bits as u32);
            let wide = match number.is_nan() {
                // A conversion could change the payload.
                true => (bits >> 31) << 63 | 0x7ff << 52 | (bits & 0x7f_ffff) << 29,
                false => f64::from(number).to_bits(),
            };
            format!("0x{wide:016X}")
        }
        _ => format!("0x{bits:016X}"),
    }
}

/// Text of a scalar constant.
fn scalar(types: &Types, scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Int(1) => (bits & 1 != 0).to_string(),
        Scalar::Int(width) => {
            let shift = 64 - width.min(64);
            ((bits << shift).cast_signed() >> shift).to_string()
        }
        Scalar::Ptr(_) if bits == 0 => "null".to_string(),
        Scalar::Ptr(_) => {
            let width = types.bits(scalar);
            let mut text = format!("inttoptr (i{width} {bits} to ");
            scalar.write(&mut text);
            text + ")"
        }
        _ => float(scalar, bits),
    }
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn ty(&self, ty: Type) -> String {
        self.module.types.ir_text(ty)
    }

    fn module(&mut self) {
        let module = self.module;
        if let Some(file) = &module.source_file {
            self.line(&format!("source_filename = {}", quoted(file.as_bytes())));
        }
        let mut layout = "e".to_string();
        for (space, bytes) in module.types.pointer_sizes() {
            let space = if space == 0 {
                String::new()
            } else {
                space.to_string()
            };
            let bits = 8 * bytes;
            let _ = write!(layout, "-p{space}:{bits}:{bits}");
        }
        self.line(&format!("target datalayout = \"{layout}-i64:64\"\n"));
        for list in LISTS.iter().filter_map(|name| module.named_meta.get(*name)) {
            for node in list {
                self.number(*node);
            }
        }
        // Nodes are numbered as they are met.
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            for item in module.node(*node) {
                match &module.meta[*item] {
                    Meta::Node(_) => self.number(*item),
                    Meta::Function(function) => _ = self.functions.insert(*function),
                    _ => {}
                }
            }
            at += 1;
        }
        for function in module.functions.values() {
            let blocks = function.order.iter().map(|block| &function.blocks[*block]);
            let ends = blocks.filter_map(|block| block.insts.last());
            for unroll in ends.map(|end| function.insts[*end].flags.unroll) {
                if unroll != Unroll::ByCost && !self.loops.contains(&unroll) {
                    self.loops.push(unroll);
                }
            }
        }
        let mut bodies = String::new();
        for (_, function) in module.functions.iter().filter(|(_, f)| !f.is_declaration()) {
            let before = std::mem::take(&mut self.out);
            self.function(function);
            bodies.push_str(&std::mem::replace(&mut self.out, before));
        }
        let mut groups = String::new();
        self.variables(&mut groups);
        for (id, function) in module.functions.iter().filter(|(_, f)| f.is_declaration()) {
            let is_intrinsic = function.name.starts_with("llvm.");
            if self.functions.contains(&id) && !is_intrinsic {
                let header = self.header(function, None);
                self.line(&format!("declare {header}"));
            }
        }
        for declaration in std::mem::take(&mut self.declared).into_values() {
            self.line(&declaration);
        }
        self.out.push_str(&bodies);
        self.out.push_str(&groups);
        self.metadata();
    }

    fn number(&mut self, node: MetaId) {
        let next = self.nodes.len();
        if let std::collections::hash_map::Entry::Vacant(entry) = self.numbers.entry(node) {
            entry.insert(next);
            self.nodes.push(node);
        }
    }

    /// Number of the first place in a source.
    fn first_line(&self) -> usize {
        self.nodes.len() + self.loops.len()
    }

    fn metadata(&mut self) {
        let module = self.module;
        for name in LISTS {
            let Some(list) = module.named_meta.get(name) else {
                continue;
            };
            let nodes: Vec<String> = list
                .iter()
                .map(|node| format!("!{}", self.numbers[node]))
                .collect();
            self.line(&format!("\n!{name} = !{{{}}}", nodes.join(", ")));
        }
        for node in self.nodes.clone() {
            let items = module
                .node(node)
                .iter()
                .map(|item| match &module.meta[*item] {
                    Meta::Node(_) => format!("!{}", self.numbers[item]),
                    Meta::String(text) => format!("!{}", quoted(text.as_bytes())),
                    Meta::Int(n) if i32::try_from(*n).is_ok() => format!("i32 {n}"),
                    Meta::Int(n) => format!("i64 {n}"),
                    Meta::Function(id) => format!("ptr {}", name('@', &module.functions[*id].name)),
                    Meta::Null | Meta::Named(..) | Meta::Other => "null".to_string(),
                });
            let items: Vec<String> = items.collect();
            let number = self.numbers[&node];
            self.line(&format!("!{number} = !{{{}}}", items.join(", ")));
        }
        for (i, asked) in self.loops.clone().into_iter().enumerate() {
            let what = match asked {
                Unroll::ByCost => continue,
                Unroll::Full => "!\"llvm.loop.unroll.full\"".to_string(),
                Unroll::By(rounds) => format!("!\"llvm.loop.unroll.count\", i32 {rounds}"),
                Unroll::Never => "!\"llvm.loop.unroll.disable\"".to_string(),
            };
            let number = self.nodes.len() + i;
            self.line(&format!("!{number} = distinct !{{!{number}, !{{{what}}}}}"));
        }
        if self.lines.is_empty() {
            return;
        }
        let first_line = self.first_line();
        let lines = std::mem::take(&mut self.lines);
        let mut files: Vec<&SmolStr> = lines.iter().map(|(file, ..)| file).collect();
        files.sort_unstable();
        files.dedup();
        // A scope and a file for each name.
        let first = first_line + lines.len();
        for (i, (file, line, column)) in lines.iter().enumerate() {
            let number = first_line + i;
            let at = files.iter().position(|other| *other == file).unwrap_or(0);
            let scope = first + 2 * at;
            self.line(&format!(
                "!{number} = !DILocation(line: {line}, column: {column}, scope: !{scope})"
            ));
        }
        for (i, file) in files.into_iter().enumerate() {
            let (scope, number) = (first + 2 * i, first + 2 * i + 1);
            let place = match file.is_empty() {
                true => String::new(),
                false => format!("file: !{number}, "),
            };
            self.line(&format!(
                "!{scope} = !DISubprogram(name: \"all\", scope: null, {place}spFlags: 0)"
            ));
            let file = quoted(file.as_bytes());
            self.line(&format!(
                "!{number} = !DIFile(filename: {file}, directory: \"\")"
            ));
        }
    }

    /// Variables that are used; the groups of their attributes go to the end.
    fn variables(&mut self, groups: &mut String) {
        let module = self.module;
        let used = module
            .globals
            .iter()
            .filter(|(id, _)| self.globals.contains(id));
        let mut number = 0;
        for (_, global) in used.collect::<Vec<_>>() {
            let space = match global.space {
                0 => String::new(),
                space => format!("addrspace({space}) "),
            };
            let kind = if global.constant {
                "constant"
            } else {
                "global"
            };
            let ty = self.ty(global.ty);
            let mut text = match &global.init {
                Some(_) => {
                    let mut value = String::new();
                    self.data(global, global.ty, 0, &mut value);
                    let linkage = linkage(global.linkage);
                    format!(
                        "{} = {linkage}{space}{kind} {ty} {value}",
                        name('@', &global.name)
                    )
                }
                None => format!("{} = external {space}{kind} {ty}", name('@', &global.name)),
            };
            if !global.attrs.is_empty() {
                let _ = write!(text, " #{number}");
                let _ = writeln!(
                    groups,
                    "attributes #{number} = {{{} }}",
                    attrs_text(&global.attrs)
                );
                number += 1;
            }
            self.line(&text);
        }
    }

    /// Part of a global's initializer, from a byte on.
    fn data(&self, global: &Global, ty: Type, at: u64, out: &mut String) {
        let types = &self.module.types;
        let size = types.layout(ty).map_or(0, |(size, _)| size);
        let whole = global.init.as_deref().unwrap_or_default();
        let bytes = whole.get(at as usize..(at + size) as usize);
        let bytes = bytes.unwrap_or_default();
        let mut functions = global.functions.iter();
        let mut inside = functions.clone().map(|(byte, _)| u64::from(*byte));
        let has_functions = inside.any(|byte| (at..at + size).contains(&byte));
        let bits = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .skip(bytes.len().saturating_sub(8))
                .fold(0, |n, b| n << 8 | u64::from(*b))
        };
        let list = |out: &mut String,
                    open: &str,
                    close: &str,
                    items: &mut dyn Iterator<Item = (Type, u64)>| {
            out.push_str(open);
            for (i, (ty, byte)) in items.enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                out.push_str(&self.ty(ty));
                out.push(' ');
                self.data(global, ty, at + byte, out);
            }
            out.push_str(close);
        };
        match types.data(ty) {
            TypeData::Scalar(_)
                if let Some((_, id)) = functions.find(|(byte, _)| u64::from(*byte) == at) =>
            {
                out.push_str(&name('@', &self.module.functions[*id].name));
            }
            TypeData::Scalar(of) => out.push_str(&scalar(types, *of, bits(bytes))),
            _ if !has_functions && bytes.iter().all(|byte| *byte == 0) => {
                out.push_str("zeroinitializer")
            }
            TypeData::Vector(count, of) => {
                let mut element = String::new();
                of.write(&mut element);
                let size = types.scalar_bytes(*of) as usize;
                let items = (0..*count as usize).map(|i| {
                    let bits = match of {
                        Scalar::Int(1) => {
                            u64::from(bytes.get(i / 8).copied().unwrap_or(0) >> (i % 8))
                        }
                        _ => bits(bytes.get(i * size..(i + 1) * size).unwrap_or_default()),
                    };
                    format!("{element} {}", scalar(types, *of, bits))
                });
                let _ = write!(out, "<{}>", items.collect::<Vec<_>>().join(", "));
            }
            TypeData::Array(_, element)
                if *types.data(*element) == TypeData::Scalar(Scalar::Int(8)) =>
            {
                let _ = write!(out, "c{}", quoted(bytes));
            }
            TypeData::Array(count, element) => {
                let size = types.layout(*element).map_or(0, |(size, _)| size);
                let mut items = (0..*count).map(|i| (*element, i * size));
                list(out, "[", "]", &mut items);
            }
            TypeData::Struct(fields, packed) => {
                let offsets = types.offsets(fields, *packed).zip(fields);
                let mut items = offsets.map(|(at, ty)| (*ty, at.unwrap_or(0)));
                let (open, close) = if *packed {
                    ("<{ ", " }>")
                } else {
                    ("{ ", " }")
                };
                list(out, open, close, &mut items);
            }
            _ => out.push_str("null"),
        }
    }

    /// A function up to its body.
    fn header(&mut self, function: &Function, names: Option<&Names>) -> String {
        let mut text = match names {
            Some(_) => linkage(function.linkage).to_string(),
            None => String::new(),
        };
        if function.spir_kernel {
            text.push_str("spir_kernel ");
        }
        let _ = write!(
            text,
            "{} {}(",
            self.ty(function.result),
            name('@', &function.name)
        );
        for (i, param) in function.params.iter().enumerate() {
            text.push_str(if i > 0 { ", " } else { "" });
            text.push_str(&self.ty(function.ty(*param)));
            let byval = function.byval.get(i).copied().flatten();
            if let Some(ty) = byval {
                let _ = write!(text, " byval({})", self.ty(ty));
            }
            let mut attrs = function.param_attrs.get(i).cloned().unwrap_or_default();
            if let TypeData::Handle(handle) = self.module.types.data(function.ty(*param))
                && !converted(function, *param)
                && Module::attr(&attrs, "VCArgumentKind").is_none()
            {
                attrs.extend(described(handle));
            }
            text.push_str(&attrs_text(&attrs));
            if let Some(names) = names {
                text.push(' ');
                text.push_str(&name('%', &names.values[*param]));
            }
        }
        if function.variadic {
            text.push_str(if function.params.is_empty() {
                "..."
            } else {
                ", ..."
            });
        }
        text.push(')');
        text.push_str(&attrs_text(&function.attrs));
        text
    }

    fn function(&mut self, function: &Function) {
        let names = names(function);
        let header = self.header(function, Some(&names));
        self.line(&format!("\ndefine {header} {{"));
        for block in &function.order {
            let label = &name('%', &names.blocks[*block])[1..];
            self.line(&format!("{label}:"));
            for inst in &function.blocks[*block].insts {
                let text = self.inst(function, &names, *inst);
                self.line(&format!("  {text}"));
            }
        }
        self.line("}");
    }

    /// An operand without its type.
    fn value(&mut self, function: &Function, names: &Names, value: Value) -> String {
        let ty = function.ty(value);
        let types = &self.module.types;
        match &function.values[value].def {
            ValueDef::Param(_) | ValueDef::Inst(_) | ValueDef::Forward => {
                name('%', &names.values[value])
            }
            ValueDef::Function(id) => {
                self.functions.insert(*id);
                name('@', &self.module.functions[*id].name)
            }
            ValueDef::Global(id) => {
                self.globals.insert(*id);
                name('@', &self.module.globals[*id].name)
            }
            ValueDef::Metadata => "!{}".to_string(),
            ValueDef::Const(Const::Undef) => "undef".to_string(),
            ValueDef::Const(Const::Zero) => match types.data(ty) {
                TypeData::Scalar(of) => scalar(types, *of, 0),
                TypeData::Handle(_) => "null".to_string(),
                _ => "zeroinitializer".to_string(),
            },
            ValueDef::Const(Const::Bits(bits)) => match types.element(ty) {
                Some(of) => scalar(types, of, *bits),
                None => bits.to_string(),
            },
            ValueDef::Const(Const::Vector(elements)) if elements.iter().all(|bits| *bits == 0) => {
                "zeroinitializer".to_string()
            }
            ValueDef::Const(Const::Vector(elements)) => {
                let Some(of) = types.element(ty) else {
                    return "undef".to_string();
                };
                let mut element = String::new();
                of.write(&mut element);
                let items = elements
                    .iter()
                    .map(|bits| format!("{element} {}", scalar(types, of, *bits)));
                format!("<{}>", items.collect::<Vec<_>>().join(", "))
            }
            ValueDef::Const(Const::Aggregate(members)) => {
                let (open, close) = match types.data(ty) {
                    TypeData::Array(..) => ("[", "]"),
                    TypeData::Vector(..) => ("<", ">"),
                    TypeData::Struct(_, true) => ("<{ ", " }>"),
                    _ => ("{ ", " }"),
                };
                let members = members
                    .iter()
                    .map(|member| self.typed(function, names, *member));
                format!("{open}{}{close}", members.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// An operand with its type.
    fn typed(&mut self, function: &Function, names: &Names, value: Value) -> String {
        let text = self.value(function, names, value);
        format!("{} {text}", self.ty(function.ty(value)))
    }

    fn inst(&mut self, function: &Function, names: &Names, inst: Inst) -> String {
        let data = &function.insts[inst];
        let mut text = match data.result {
            Some(result) => format!("{} = ", name('%', &names.values[result])),
            None => String::new(),
        };
        text.push_str(&self.operation(function, names, data));
        if data.align > 0 && matches!(data.op, Op::Load | Op::Store | Op::Alloca(_)) {
            let _ = write!(text, ", align {}", data.align);
        }
        if let (Op::Alloca(_), Some(Scalar::Ptr(space @ 1..))) =
            (&data.op, self.module.types.element(data.ty))
        {
            let _ = write!(text, ", addrspace({space})");
        }
        if let Some(line) = self.module.origin(data.dbg) {
            let at = self.lines.iter().position(|other| *other == line);
            let at = at.unwrap_or_else(|| {
                self.lines.push(line);
                self.lines.len() - 1
            });
            let _ = write!(text, ", !dbg !{}", self.first_line() + at);
        }
        let asked = |at: &Unroll| *at == data.flags.unroll;
        if let Some(at) = self.loops.iter().position(asked) {
            let _ = write!(text, ", !llvm.loop !{}", self.nodes.len() + at);
        }
        text
    }

    fn operation(&mut self, function: &Function, names: &Names, data: &InstData) -> String {
        let args = &data.args;
        let all = |printer: &mut Self, args: &[Value]| {
            let args = args.iter().map(|arg| printer.typed(function, names, *arg));
            args.collect::<Vec<_>>().join(", ")
        };
        let flags = self.flags(data);
        let label = |block: &Block| format!("label {}", name('%', &names.blocks[*block]));
        match &data.op {
            Op::Binary(op) => {
                let word = BinaryOp::NAMES.iter().find(|(_, other)| other == op);
                let word = word.map_or("add", |(word, _)| word);
                let left = self.typed(function, names, args[0]);
                format!(
                    "{word} {flags}{left}, {}",
                    self.value(function, names, args[1])
                )
            }
            Op::FNeg => format!("fneg {flags}{}", all(self, args)),
            Op::ICmp(rel) => {
                let word = IntRel::NAMES.iter().find(|(_, other)| other == rel);
                let word = word.map_or("eq", |(word, _)| word);
                let left = self.typed(function, names, args[0]);
                format!(
                    "icmp {word} {left}, {}",
                    self.value(function, names, args[1])
                )
            }
            Op::FCmp(rel) => {
                let word = FloatRel::NAMES[usize::from(rel.0) & 15];
                let left = self.typed(function, names, args[0]);
                format!(
                    "fcmp {word} {left}, {}",
                    self.value(function, names, args[1])
                )
            }
            Op::Cast(op) => {
                let word = CastOp::NAMES.iter().find(|(_, other)| other == op);
                let word = word.map_or("bitcast", |(word, _)| word);
                format!("{word} {} to {}", all(self, args), self.ty(data.ty))
            }
            Op::Select => format!("select {}", all(self, args)),
            Op::Phi => {
                let mut text = format!("phi {} ", self.ty(data.ty));
                for (i, (arg, from)) in args.iter().zip(&data.targets).enumerate() {
                    let value = self.value(function, names, *arg);
                    let comma = if i > 0 { ", " } else { "" };
                    let _ = write!(
                        text,
                        "{comma}[ {value}, {} ]",
                        name('%', &names.blocks[*from])
                    );
                }
                text
            }
            Op::ExtractElement => format!("extractelement {}", all(self, args)),
            Op::InsertElement => format!("insertelement {}", all(self, args)),
            Op::Shuffle(mask) => {
                let items = mask.iter().map(|m| match *m {
                    u32::MAX => "i32 undef".to_string(),
                    m => format!("i32 {m}"),
                });
                let items = items.collect::<Vec<_>>().join(", ");
                format!(
                    "shufflevector {}, <{} x i32> <{items}>",
                    all(self, args),
                    mask.len()
                )
            }
            Op::ExtractValue(path) | Op::InsertValue(path) => {
                let word = match data.op {
                    Op::ExtractValue(_) => "extractvalue",
                    _ => "insertvalue",
                };
                let path = path.iter().map(u32::to_string).collect::<Vec<_>>();
                format!("{word} {}, {}", all(self, args), path.join(", "))
            }
            Op::Freeze => format!("freeze {}", all(self, args)),
            Op::Alloca(ty) => format!("alloca {}, {}", self.ty(*ty), all(self, args)),
            Op::Load => format!("load {}, {}", self.ty(data.ty), all(self, args)),
            Op::Store => format!("store {}", all(self, args)),
            Op::Gep(ty) => format!("getelementptr {}, {}", self.ty(*ty), all(self, args)),
            Op::Call(id) => {
                self.functions.insert(*id);
                let callee = name('@', &self.module.functions[*id].name);
                format!(
                    "call {flags}{} {callee}({})",
                    self.ty(data.ty),
                    all(self, args)
                )
            }
            Op::Asm(asm) => {
                let effects = if asm.effects { "sideeffect " } else { "" };
                format!(
                    "call {flags}{} asm {effects}{}, {}({})",
                    self.ty(data.ty),
                    quoted(asm.text.as_bytes()),
                    quoted(asm.constraints.as_bytes()),
                    all(self, args)
                )
            }
            Op::CallIndirect(_) => {
                let mut callee = self.value(function, names, args[0]);
                // A function that is called as one of another type.
                if callee.starts_with('@') {
                    callee = format!("bitcast (ptr {callee} to ptr)");
                }
                format!(
                    "call {flags}{} {callee}({})",
                    self.ty(data.ty),
                    all(self, &args[1..])
                )
            }
            Op::Intrinsic(intrinsic) => {
                let callee = self.intrinsic(function, data, intrinsic.name());
                let mut said = Vec::new();
                for arg in args {
                    let ty = function.ty(*arg);
                    let align = match rules::copies(&data.op) && self.module.types.is_pointer(ty) {
                        true => format!("align {} ", data.align),
                        false => String::new(),
                    };
                    let value = self.value(function, names, *arg);
                    said.push(format!("{} {align}{value}", self.ty(ty)));
                }
                let said = said.join(", ");
                format!("call {flags}{} {callee}({said})", self.ty(data.ty))
            }
            Op::Br => format!("br {}", label(&data.targets[0])),
            Op::CondBr => {
                let condition = all(self, args);
                format!(
                    "br {condition}, {}, {}",
                    label(&data.targets[0]),
                    label(&data.targets[1])
                )
            }
            Op::Switch(numbers) => {
                let value = all(self, args);
                let ty = self.ty(function.ty(args[0]));
                let of = self.module.types.element(function.ty(args[0]));
                let cases = numbers
                    .iter()
                    .zip(&data.targets[1..])
                    .map(|(number, target)| {
                        let number =
                            scalar(&self.module.types, of.unwrap_or(Scalar::Int(64)), *number);
                        format!("{ty} {number}, {}", label(target))
                    });
                let cases = cases.collect::<Vec<_>>().join(" ");
                format!("switch {value}, {} [ {cases} ]", label(&data.targets[0]))
            }
            Op::Ret if args.is_empty() => "ret void".to_string(),
            Op::Ret => format!("ret {}", all(self, args)),
            Op::Unreachable => "unreachable".to_string(),
        }
    }

    fn flags(&self, data: &InstData) -> String {
        let mut text = String::new();
        if !self.module.types.is_float(data.ty) {
            return text;
        }
        let flags = [
            (data.flags.arcp, "arcp "),
            (data.flags.contract, "contract "),
            (data.flags.afn, "afn "),
            (data.flags.reassoc, "reassoc "),
        ];
        flags
            .iter()
            .filter(|(set, _)| *set)
            .for_each(|(_, word)| text.push_str(word));
        text
    }

    /// Name of an intrinsic with its types, and its declaration.
    fn intrinsic(&mut self, function: &Function, data: &InstData, base: &str) -> String {
        let types = &self.module.types;
        let arg = |i: usize| data.args.get(i).map(|arg| function.ty(*arg));
        // LLVM appends the types to its own names; others need a name for each signature.
        let overloaded: Vec<Type> = match base {
            _ if base.starts_with("genx.") => {
                let result = Some(data.ty).filter(|ty| *ty != Types::VOID);
                let args = data.args.iter().map(|arg| function.ty(*arg));
                result.into_iter().chain(args).collect()
            }
            "memcpy" | "memmove" | "memcpy.inline" => (0..3).filter_map(arg).collect(),
            "memset" => [arg(0), arg(2)].into_iter().flatten().collect(),
            _ if base.ends_with(".with.overflow") => arg(0).into_iter().collect(),
            _ => vec![data.ty],
        };
        let mut full = format!("llvm.{base}");
        for ty in overloaded {
            full.push('.');
            mangle(types, ty, &mut full);
        }
        let callee = name('@', &full);
        let params: Vec<String> = data
            .args
            .iter()
            .map(|arg| self.ty(function.ty(*arg)))
            .collect();
        let declaration = format!(
            "declare {} {callee}({})",
            self.ty(data.ty),
            params.join(", ")
        );
        self.declared.insert(full, declaration);
        callee
    }
}

/// Name of a type as part of an intrinsic's.
fn mangle(types: &Types, ty: Type, out: &mut String) {
    let one = |of: Scalar, out: &mut String| {
        let _ = match of {
            Scalar::Int(bits) => write!(out, "i{bits}"),
            Scalar::Half => write!(out, "f16"),
            Scalar::BFloat => write!(out, "bf16"),
            Scalar::Float => write!(out, "f32"),
            Scalar::Double => write!(out, "f64"),
            Scalar::Ptr(space) => write!(out, "p{space}"),
        };
    };
    match types.data(ty) {
        TypeData::Scalar(of) => one(*of, out),
        TypeData::Vector(count, of) => {
            let _ = write!(out, "v{count}");
            one(*of, out);
        }
        TypeData::Array(count, element) => {
            let _ = write!(out, "a{count}");
            mangle(types, *element, out);
        }
        TypeData::Struct(fields, _) => {
            out.push_str("sl_");
            fields.iter().for_each(|field| mangle(types, *field, out));
            out.push('s');
        }
        TypeData::Handle(name) => {
            let _ = write!(out, "p{}{name}", super::types::handle_space(name));
        }
        TypeData::Void => out.push_str("isVoid"),
        TypeData::Metadata => out.push_str("Metadata"),
        TypeData::Label | TypeData::Opaque(_) | TypeData::Function(..) => out.push('x'),
    }
}

/// True if a handle is converted to an address, which names it.
fn converted(function: &Function, param: Value) -> bool {
    let insts = function
        .order
        .iter()
        .flat_map(|block| &function.blocks[*block].insts);
    let mut insts = insts.map(|inst| &function.insts[*inst]);
    insts.any(|data| match &data.op {
        Op::Intrinsic(intrinsic) => {
            intrinsic.name() == "genx.address.convert" && data.args[0] == param
        }
        _ => false,
    })
}

/// Attributes that say of a pointer that it is the handle of this name.
fn described(handle: &str) -> Attrs {
    let access = [
        ("_ro_t", "read_only"),
        ("_wo_t", "write_only"),
        ("_rw_t", "read_write"),
    ];
    let (stem, access) = access
        .iter()
        .find_map(|(end, word)| Some((handle.strip_suffix(end)?, *word)))
        .unwrap_or((handle.strip_suffix("_t").unwrap_or(handle), "read_write"));
    let ty = stem.rsplit('.').next().unwrap_or(stem);
    let (kind, description) = match ty {
        "sampler" => ("1", "sampler_t".to_string()),
        _ => ("2", format!("{ty}_t {access}")),
    };
    vec![
        ("VCArgumentKind".into(), kind.into()),
        ("VCArgumentDesc".into(), description.into()),
    ]
}

/// Names of all values and blocks: their own unless two have it, and numbers in the order of LLVM.
fn names(function: &Function) -> Names {
    let mut names = Names {
        values: SecondaryMap::new(),
        blocks: SecondaryMap::new(),
    };
    let mut used: HashSet<SmolStr> = HashSet::new();
    let mut next = 0;
    let mut unique = |name: &SmolStr| {
        if name.bytes().all(|b| b.is_ascii_digit()) {
            next += 1;
            return format_smolstr!("{}", next - 1);
        }
        let mut found = name.clone();
        let mut count = 0;
        while !used.insert(found.clone()) {
            count += 1;
            found = format_smolstr!("{name}.{count}");
        }
        found
    };
    for param in &function.params {
        names.values[*param] = unique(&function.values[*param].name);
    }
    for block in &function.order {
        names.blocks[*block] = unique(&function.blocks[*block].name);
        for inst in &function.blocks[*block].insts {
            if let Some(result) = function.insts[*inst].result {
                names.values[result] = unique(&function.values[result].name);
            }
        }
    }
    names
}
