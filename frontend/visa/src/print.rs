//! A module as text, in the reference compiler's syntax ([`crate::text`] reads it).
//!
//! Takes any module. Read back, the text gives an equal module if the module passes [`crate::verify`] and its names
//! are valid in text and distinct, as those of a module read from text are. Other entities are named by their
//! numbers.

use std::collections::HashSet;
use std::fmt::{self, Write};

use cranelift_entity::EntityRef;

use crate::attributes;
use crate::module::{
    Align, Attr, AttrValue, Combine, InputVar, Inst, Label, LabelKind, Modifier, Module, Object,
    ObjectKind, Operand, PredUse, Region, StateVar, Type, Var, is_name, pairs_surfaces, predefined,
    samples,
};
use crate::opcode::{Category, Field, Kinds, Meaning, Opcode, name_of};
use crate::text::EXTERNAL_CALL;
use crate::text::number::{IMPLICIT_KINDS, Positional, UNDEFINED_KIND};
use crate::text::punctuation;

mod lsc;

/// Column of the comment with an instruction's number.
const COMMENT_COLUMN: usize = 80;

/// Prints a module.
pub fn print(module: &Module) -> String {
    let mut out = String::new();
    write_module(module, &mut out).expect("a string takes all that is written");
    out
}

fn write_module(module: &Module, out: &mut String) -> fmt::Result {
    let (major, minor) = module.version;
    writeln!(out, ".version {major}.{minor}")?;
    module.objects.iter().try_for_each(|object| {
        let pairs_surfaces = pairs_surfaces(module.version);
        let printer = Printer {
            pairs_surfaces,
            ..Printer::new(object)
        };
        printer.object(out)
    })
}

/// One instruction as text, without indentation or the comment with its number.
///
/// Names all entities of the object on each call; for many instructions use a [`Printer`].
pub fn inst_text(object: &Object, inst: &Inst) -> String {
    Printer::new(object).inst_text(inst)
}

/// Prints one object, whole or in parts.
pub struct Printer<'a> {
    object: &'a Object,
    names: Names,
    /// True if samplers have the other half of a pair of surfaces as an operand, which is null.
    pairs_surfaces: bool,
}

/// Names of the object's entities in text.
struct Names {
    vars: Vec<String>,
    addrs: Vec<String>,
    predicates: Vec<String>,
    labels: Vec<String>,
}

/// The name if it is valid and not taken, otherwise the letter and the number.
fn unique(taken: &mut HashSet<String>, letter: char, number: usize, name: &str) -> String {
    if is_name(name) && taken.insert(name.to_owned()) {
        return name.to_owned();
    }
    let mut name = format!("{letter}{number}");
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// True if a text that is no name can stand in quotes as it is.
fn is_quotable(text: &str) -> bool {
    let plain = |c: char| !c.is_control() && !matches!(c, '"' | '\\');
    !is_name(text) && !text.is_empty() && text.chars().all(plain)
}

impl Names {
    fn new(object: &Object) -> Names {
        let samplers = object.samplers.keys().map(|s| format!("S{}", s.index()));
        let samplers = samplers.chain([format!("S{}", predefined::BINDLESS_SAMPLER)]);
        let surfaces = object.surfaces.keys().map(|s| format!("T{}", s.index()));
        let predefined = predefined::SURFACES.iter().map(|s| (*s).to_owned());
        let mut taken: HashSet<String> = samplers.chain(surfaces).chain(predefined).collect();
        let addrs = object.addrs.iter();
        let addrs = addrs
            .map(|(i, a)| unique(&mut taken, 'A', i.index(), &a.name))
            .collect();
        let predicates = object.predicates.iter();
        let predicates = predicates
            .map(|(i, p)| unique(&mut taken, 'P', i.index(), &p.name))
            .collect();
        let vars = object.vars.iter().map(|(i, var)| match i.index() {
            n if n < predefined::VAR_COUNT => var.name.to_string(),
            n => unique(&mut taken, 'V', n, &var.name),
        });
        let vars = vars.collect();
        let mut taken = HashSet::new();
        let labels = object.labels.iter();
        let labels = labels
            .map(|(i, label)| match label.kind {
                // A kernel elsewhere is found by its name, which quotes hold.
                LabelKind::Kernel if is_quotable(&label.name) => format!("\"{}\"", label.name),
                _ => unique(&mut taken, 'L', i.index(), &label.name),
            })
            .collect();
        Names {
            vars,
            addrs,
            predicates,
            labels,
        }
    }
}

/// Name of an entity; `?` if it is not declared.
fn name<K: EntityRef>(names: &[String], key: K) -> &str {
    names.get(key.index()).map_or("?", String::as_str)
}

impl fmt::Display for Printer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut out = String::new();
        self.object(&mut out)?;
        f.write_str(&out)
    }
}

impl<'a> Printer<'a> {
    /// Names the entities of the object.
    pub fn new(object: &'a Object) -> Printer<'a> {
        Printer {
            object,
            names: Names::new(object),
            pairs_surfaces: false,
        }
    }

    /// One instruction, without indentation or the comment with its number: `add (M1, 16) …`; a
    /// label as `name:`.
    pub fn inst_text(&self, inst: &Inst) -> String {
        let mut out = String::new();
        self.bare_inst(inst, &mut out)
            .expect("a string takes all that is written");
        out
    }

    /// The name of a general variable.
    pub(crate) fn var(&self, var: Var) -> &str {
        name(&self.names.vars, var)
    }

    fn object(&self, out: &mut String) -> fmt::Result {
        let object = self.object;
        out.push_str(match object.kind {
            ObjectKind::Kernel => ".kernel ",
            ObjectKind::Function { .. } => ".global_function ",
        });
        quoted(&object.name, out);
        out.push('\n');
        // The reference compiler wants functions declared before they are called.
        let mut declared = HashSet::new();
        for name in object.insts.iter().flat_map(called) {
            if declared.insert(name) {
                out.push_str(".funcdecl ");
                quoted(name, out);
                out.push('\n');
            }
        }
        out.push('\n');
        self.decls(out)?;
        for input in &object.inputs {
            self.input(input.implicit, input.var, out)?;
            writeln!(out, " offset={} size={}", input.offset, input.size)?;
        }
        for attr in &object.attrs {
            out.push_str(".kernel_attr ");
            write_attr(attr, out)?;
            out.push('\n');
        }
        for (i, inst) in object.insts.iter().enumerate() {
            self.inst(i, inst, out)?;
        }
        Ok(())
    }

    fn decls(&self, out: &mut String) -> fmt::Result {
        let object = self.object;
        for (i, var) in object.vars.iter().skip(predefined::VAR_COUNT) {
            let name = name(&self.names.vars, i);
            let (ty, elements) = (var.ty.name(), var.elements);
            write!(out, ".decl {name} v_type=G type={ty} num_elts={elements}")?;
            if var.align != Align::Byte {
                write!(out, " align={}", var.align.name())?;
            }
            if let Some((base, offset)) = var.alias {
                write!(
                    out,
                    " alias=<{}, {offset}>",
                    self::name(&self.names.vars, base)
                )?;
            }
            write_attrs(&var.attrs, out)?;
        }
        for (i, addr) in &object.addrs {
            let name = name(&self.names.addrs, i);
            write!(out, ".decl {name} v_type=A num_elts={}", addr.elements)?;
            write_attrs(&addr.attrs, out)?;
        }
        for (i, predicate) in object.predicates.iter().skip(1) {
            let name = name(&self.names.predicates, i);
            write!(out, ".decl {name} v_type=P num_elts={}", predicate.elements)?;
            write_attrs(&predicate.attrs, out)?;
        }
        let samplers = object.samplers.iter().map(|(i, s)| ('S', i.index(), s));
        let surfaces = object.surfaces.iter().skip(predefined::SURFACES.len());
        let surfaces = surfaces.map(|(i, s)| ('T', i.index(), s));
        for (letter, i, state) in samplers.chain(surfaces) {
            write!(
                out,
                ".decl {letter}{i} v_type={letter} num_elts={}",
                state.elements
            )?;
            if is_name(&state.name) {
                write!(out, " v_name={}", state.name)?;
            }
            write_attrs(&state.attrs, out)?;
        }
        Ok(())
    }

    fn input(&self, implicit: u8, var: InputVar, out: &mut String) -> fmt::Result {
        let named = IMPLICIT_KINDS.iter().find(|(_, kind)| *kind == implicit);
        match (implicit, named) {
            (0, _) => out.push_str(".input"),
            (_, Some((name, _))) => write!(out, ".implicit_{name}")?,
            (kind, None) => write!(out, ".implicit_{UNDEFINED_KIND}{kind}")?,
        }
        match var {
            InputVar::General(var) => write!(out, " {}", name(&self.names.vars, var)),
            InputVar::Sampler(sampler) => write!(out, " S{}", sampler.index()),
            InputVar::Surface(surface) => write!(out, " {}", surface_name(surface.index())),
        }
    }

    fn inst(&self, number: usize, inst: &Inst, out: &mut String) -> fmt::Result {
        if let (Opcode::Label | Opcode::Subroutine, [Operand::Label(label)]) =
            (inst.op, inst.operands.as_slice())
        {
            let name = name(&self.names.labels, *label);
            if inst.op == Opcode::Subroutine {
                write!(out, "\n.function \"{name}\"\n")?;
            }
            return write!(out, "\n{name}:\n");
        }
        let start = out.len();
        out.push_str("    ");
        self.bare_inst(inst, out)?;
        if matches!(inst.op, Opcode::File | Opcode::Loc) {
            out.push('\n');
            return Ok(());
        }
        let width = (start + COMMENT_COLUMN).saturating_sub(out.len());
        writeln!(out, "{:width$} /// ${number}", "")
    }

    fn bare_inst(&self, inst: &Inst, out: &mut String) -> fmt::Result {
        if let (Opcode::Label | Opcode::Subroutine, [Operand::Label(label)]) =
            (inst.op, inst.operands.as_slice())
        {
            return write!(out, "{}:", name(&self.names.labels, *label));
        }
        if let Some(pred) = inst.pred {
            out.push('(');
            self.predicate(pred, out)?;
            out.push_str(") ");
        }
        if inst.op.row().category == Category::Lsc {
            return lsc::write(self, inst, out);
        }
        self.mnemonic(inst, out)?;
        if inst.op.row().has_exec {
            write!(out, " {}", inst.exec)?;
        }
        if let (Opcode::Gather, Some(Operand::Field(1))) = (inst.op, inst.operands.get(1)) {
            out.push_str(" .mod");
        }
        self.operands(inst, out)
    }

    fn is_kernel(&self, label: Label) -> bool {
        let decl = self.object.labels.get(label);
        decl.is_some_and(|decl| decl.kind == LabelKind::Kernel)
    }

    /// Prints the mnemonic and its suffixes.
    fn mnemonic(&self, inst: &Inst, out: &mut String) -> fmt::Result {
        let row = inst.op.row();
        match inst.operands.first() {
            Some(Operand::Label(label)) if self.is_kernel(*label) => out.push_str(EXTERNAL_CALL),
            _ => out.push_str(inst.mnemonic()),
        }
        for (i, field) in row.text_fields() {
            // A modified `gather` says so after its execution size.
            let is_later = inst.op == Opcode::Gather && i == 1;
            if let (Field::Number(_, meaning), Some(Operand::Field(n)), false) =
                (field, inst.operands.get(i), is_later)
            {
                meaning.write_suffixes(*n, out)?;
            }
        }
        if inst.operands.iter().any(is_saturated) {
            out.push_str(".sat");
        }
        Ok(())
    }

    fn operands(&self, inst: &Inst, out: &mut String) -> fmt::Result {
        let row = inst.op.row();
        if let (Opcode::Nbarrier, [Operand::Field(mode), sources @ ..]) =
            (inst.op, inst.operands.as_slice())
        {
            let shown: &[usize] = match mode {
                0 => &[0],
                1 => &[0, 2],
                _ => &[0, 1, 2, 3],
            };
            for source in shown.iter().filter_map(|i| sources.get(*i)) {
                out.push(' ');
                self.operand(Field::Src(Kinds::GENERAL), source, out)?;
            }
            return Ok(());
        }
        let fixed = row.operand_count();
        // Absent optional operands shift the later ones forward.
        let flags = inst.operands.iter().find_map(|operand| match operand {
            Operand::Field(n) => Some(*n),
            _ => None,
        });
        let absent = |field: Field| field.is_absent(flags.unwrap_or(0));
        for (i, field) in row.text_fields() {
            match field {
                Field::Labels => {
                    let labels = inst.operands.get(fixed..).unwrap_or(&[]);
                    for (k, label) in labels.iter().enumerate() {
                        out.push_str(if k == 0 { " (" } else { ", " });
                        self.operand(field, label, out)?;
                    }
                    out.push(')');
                }
                Field::RawSrcs => {
                    if self.pairs_surfaces && samples(inst.op) {
                        out.push_str(" %null.0");
                    }
                    for raw in inst.operands.get(fixed..).unwrap_or(&[]) {
                        out.push(' ');
                        self.operand(field, raw, out)?;
                    }
                }
                _ if absent(field) => {}
                Field::Number(_, meaning) => {
                    if let Some(Operand::Field(n)) = inst.operands.get(i) {
                        self.number(meaning, *n, inst, out)?;
                    }
                }
                _ => {
                    let missing = row.operand_fields().take(i).filter(|f| absent(*f)).count();
                    if let Some(operand) = inst.operands.get(i - missing) {
                        let (before, after) = punctuation(inst.op, i);
                        out.push(' ');
                        out.extend(before.map(|(c, _)| char::from(c)));
                        self.operand(field, operand, out)?;
                        out.extend(after.map(|(c, _)| char::from(c)));
                    }
                }
            }
        }
        Ok(())
    }

    fn number(&self, meaning: Meaning, n: u32, inst: &Inst, out: &mut String) -> fmt::Result {
        match meaning.positional() {
            Positional::No => Ok(()),
            Positional::Decimal => write!(out, " {n}"),
            Positional::Hex => write!(out, " {n:#x}"),
            Positional::Power => write!(out, " ({})", 1 << (n & 7)),
            Positional::Simd => write!(out, " ({})", if n & 16 == 0 { 8 } else { 16 }),
            Positional::First => write!(out, " ({n},"),
            Positional::Second => write!(out, "{n})"),
            Positional::Slash => write!(out, "/{n}"),
            Positional::Wide => {
                let high = match inst.operands.last() {
                    Some(Operand::Field(high)) => u64::from(*high),
                    _ => 0,
                };
                write!(out, " {:#x}", high << 32 | u64::from(n))
            }
            Positional::Named(names) => write!(out, " {}", name_of(names, n).unwrap_or("?")),
            Positional::Variable => {
                let class = match inst.operands.first() {
                    Some(Operand::Field(lifetime)) => lifetime >> 4 & 3,
                    _ => 0,
                };
                let names = match class {
                    1 => &self.names.addrs,
                    2 => &self.names.predicates,
                    _ => &self.names.vars,
                };
                write!(
                    out,
                    " {}",
                    names.get(n as usize).map_or("?", String::as_str)
                )
            }
        }
    }

    fn predicate(&self, pred: PredUse, out: &mut String) -> fmt::Result {
        let not = if pred.inverse { "!" } else { "" };
        let combine = match pred.combine {
            Combine::None => "",
            Combine::Any => ".any",
            Combine::All => ".all",
        };
        write!(
            out,
            "{not}{}{combine}",
            name(&self.names.predicates, pred.pred)
        )
    }

    fn operand(&self, field: Field, operand: &Operand, out: &mut String) -> fmt::Result {
        let names = &self.names;
        let is_dst = matches!(field, Field::Dst(_));
        match operand {
            Operand::General {
                var,
                row,
                col,
                region,
                modifier,
            } => {
                let (modifier, var) = (modifier.text(), name(&names.vars, *var));
                write!(out, "{modifier}{var}({row},{col})")?;
                if field == Field::SrcBlock {
                    return Ok(());
                }
                write_region(*region, is_dst, out)
            }
            Operand::Indirect {
                addr,
                off,
                imm,
                ty,
                region,
                modifier,
            } => {
                let (modifier, addr) = (modifier.text(), name(&names.addrs, *addr));
                write!(out, "{modifier}r[{addr}({off}),{imm}]")?;
                write_region(*region, is_dst, out)?;
                write!(out, ":{}", ty.name())
            }
            Operand::Address { addr, off, width } => {
                write!(out, "{}({off})<{width}>", name(&names.addrs, *addr))
            }
            Operand::AddressOf { var, offset } => {
                write!(out, "&{}", name(&names.vars, *var))?;
                if *offset == 0 {
                    Ok(())
                } else {
                    write!(out, "[{offset}]")
                }
            }
            Operand::Predicate(pred) => self.predicate(*pred, out),
            Operand::Imm { ty, bits } => {
                // The reference compiler writes the dword that a binary holds.
                let bits = match ty {
                    Type::B => u64::from(*bits as i8 as u32),
                    Type::W => u64::from(*bits as i16 as u32),
                    _ => *bits,
                };
                write!(out, "{bits:#x}:{}", ty.name())
            }
            Operand::State { of, off } => {
                let of = match of {
                    StateVar::Surface(surface) => surface_name(surface.index()),
                    StateVar::Sampler(sampler) => format!("S{}", sampler.index()),
                };
                match (field, off) {
                    (Field::SrcAddress, 0) => write!(out, "&{of}"),
                    (Field::SrcAddress, off) => write!(out, "&{of}[{}]", u32::from(*off) * 4),
                    _ => write!(out, "{of}({off})"),
                }
            }
            Operand::Raw { var, offset } => write!(out, "{}.{offset}", name(&names.vars, *var)),
            Operand::Surface(surface) => out.write_str(&surface_name(surface.index())),
            Operand::Sampler(sampler) => write!(out, "S{}", sampler.index()),
            Operand::Label(label) => out.write_str(name(&names.labels, *label)),
            Operand::Field(n) => write!(out, "{n}"),
            Operand::Name(symbol) if is_name(symbol) && field == Field::Name => {
                out.write_str(symbol)
            }
            Operand::Name(symbol) => {
                quoted(symbol, out);
                Ok(())
            }
        }
    }
}

/// Function that the instruction calls or takes the address of.
fn called(inst: &Inst) -> Option<&str> {
    if !matches!(inst.op, Opcode::FCall | Opcode::Faddr) {
        return None;
    }
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Name(name) => Some(name.as_str()),
        _ => None,
    })
}

/// True if the operand is saturated.
fn is_saturated(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::General {
            modifier: Modifier::Sat,
            ..
        } | Operand::Indirect {
            modifier: Modifier::Sat,
            ..
        }
    )
}

pub(crate) fn surface_name(number: usize) -> String {
    let predefined = predefined::SURFACES.get(number);
    predefined.map_or_else(|| format!("T{number}"), |name| (*name).to_owned())
}

fn write_region(region: Region, is_dst: bool, out: &mut String) -> fmt::Result {
    match region {
        Region { h, .. } if is_dst => write!(out, "<{h}>"),
        Region { v: Some(v), w, h } => write!(out, "<{v};{w},{h}>"),
        Region { v: None, w, h } => write!(out, "<{w},{h}>"),
    }
}

fn write_attrs(attrs: &[Attr], out: &mut String) -> fmt::Result {
    for (i, attr) in attrs.iter().enumerate() {
        out.push_str(if i == 0 { " attrs={" } else { ", " });
        write_attr(attr, out)?;
    }
    out.push_str(if attrs.is_empty() { "\n" } else { "}\n" });
    Ok(())
}

fn write_attr(attr: &Attr, out: &mut String) -> fmt::Result {
    let target = |n: i64| attributes::TARGETS.get(usize::try_from(n).ok()?);
    out.push_str(&attr.name);
    match &attr.value {
        AttrValue::Flag => {}
        AttrValue::Int(n) if attr.name == attributes::TARGET && target(*n).is_some() => {
            write!(out, "=\"{}\"", target(*n).unwrap_or(&""))?;
        }
        AttrValue::Int(n) => write!(out, "={n}")?,
        AttrValue::Str(s) => {
            out.push('=');
            quoted(s, out);
        }
    }
    Ok(())
}

/// Writes the string in quotes, escaped where needed.
fn quoted(s: &str, out: &mut String) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
}
