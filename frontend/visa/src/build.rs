//! Modules made in memory, by compilers that have vISA to give and no wish to print it.
//!
//! A [`Builder`] makes one kernel or function: its declarations, each of which gives what instructions name it by,
//! and its instructions. [`module`] puts objects together and holds them against the rules. What comes out is what
//! the readers would make of its text or its bytes, which [`print`](crate::print::print) and
//! [`write`](crate::binary::write) make of it.
//!
//! The operands of an instruction are those of its page in the specification, in the order of the table "Format":
//! what text has in its mnemonic, such as the relation of `cmp`, is a number among them. The execution size and the
//! predicate stand apart.
//!
//! ```
//! use kiln_frontend::build::{Builder, module};
//! use kiln_frontend::module::{Exec, Operand, PredUse, StateVar, Type};
//! use kiln_frontend::opcode::{Opcode, Relation};
//! use kiln_frontend::{print, text};
//!
//! // No number of the first surface is above the limit afterwards: data[lane] = min(data[lane], limit).
//! let mut k = Builder::kernel("clamp", 16);
//! let lane = k.var("lane", Type::Uw, 16);
//! let limit = k.var("limit", Type::F, 1);
//! let offset = k.var("offset", Type::Ud, 16);
//! let value = k.var("value", Type::F, 16);
//! let above = k.predicate("above", 16);
//! let surface = k.surface("data");
//! let end = k.label("end");
//! k.input(lane, 32);
//! k.input(limit, 128);
//!
//! let all = Exec::channels(16);
//! // Surface 0 of the binding table, channel R of four, no offset.
//! let data = Operand::State { of: StateVar::Surface(surface), off: 0 };
//! let place = [Operand::Field(1), Operand::Field(0), surface.into(), 0u32.into(), offset.raw(0), value.raw(0)];
//! k.inst(Opcode::Shl, all, [offset.dst(), lane.src(), 2u32.into()]);
//! k.inst(Opcode::Movs, Exec::NONE, [data, 0u32.into()]);
//! k.inst(Opcode::Gather4Scaled, all, place.clone());
//! k.inst(Opcode::Cmp, all, [Relation::Gt.into(), above.into(), value.src(), limit.scalar(0)]);
//! k.inst(Opcode::Goto, all, [end.into()]).when(PredUse::not(above));
//! k.inst(Opcode::Mov, all, [value.dst(), limit.scalar(0)]);
//! k.inst(Opcode::Scatter4Scaled, all, place);
//! k.define(end);
//! k.inst(Opcode::Ret, Exec::channels(1), []);
//!
//! let module = module([k.finish()?])?;
//! assert_eq!(text::parse(&print::print(&module))?, module);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use cranelift_entity::{EntityRef, PrimaryMap};

use crate::attributes;
use crate::binary::NEWEST;
use crate::labels::{self, LabelError};
use crate::module::{
    Addr, Align, ArrayDecl, AttrValue, Combine, Exec, Input, InputVar, Inst, Label, LabelDecl,
    LabelKind, Linkage, Modifier, Module, Name, Object, ObjectKind, Operand, Place, PredUse,
    Predicate, Region, Sampler, Surface, Type, Var, VarDecl,
};
use crate::opcode::Opcode;
use crate::verify::{Finding, verify};

/// What a module that was built is wrong in.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings(pub Vec<Finding>);

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (n, finding) in self.0.iter().enumerate() {
            let line = if n == 0 { "" } else { "\n" };
            write!(f, "{line}{}: object {}", finding.code(), finding.object)?;
            if let Some(inst) = finding.inst {
                write!(f, ", instruction {inst}")?;
            }
            write!(f, ": {finding}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}

/// A module of the newest version with these objects.
///
/// # Errors
/// All that is wrong with it ([`crate::verify`]).
pub fn module(objects: impl IntoIterator<Item = Object>) -> Result<Module, Findings> {
    let module = Module {
        version: NEWEST,
        objects: objects.into_iter().collect(),
        globals: Vec::new(),
    };
    match verify(&module) {
        errors if errors.is_empty() => Ok(module),
        errors => Err(Findings(errors)),
    }
}

/// A kernel or function that is being made.
#[derive(Clone, Debug)]
pub struct Builder {
    object: Object,
    /// By the numbers that instructions have until [`Builder::finish`].
    labels: Vec<LabelDecl>,
}

impl Builder {
    /// A kernel whose threads have so many channels: 8, 16 or 32.
    pub fn kernel(name: &str, simd: u8) -> Builder {
        let mut builder = Builder::new(ObjectKind::Kernel, name);
        builder.attr("Target", AttrValue::Str("3d".into()));
        builder.attr("SimdSize", AttrValue::Int(simd.into()));
        builder.enter("_main_0")
    }

    /// A function that is called with a stack, with the sizes of its argument and return value in GRFs.
    pub fn function(name: &str, arg_grfs: u8, ret_grfs: u8) -> Builder {
        let kind = ObjectKind::Function {
            linkage: Linkage::Global,
            arg_grfs,
            ret_grfs,
        };
        let mut builder = Builder::new(kind, name);
        builder.attr("ArgSize", AttrValue::Int(arg_grfs.into()));
        builder.attr("RetValSize", AttrValue::Int(ret_grfs.into()));
        builder.enter(&format!("{name}_0"))
    }

    /// An object with nothing in it, not even the label that its code begins with.
    pub fn new(kind: ObjectKind, name: &str) -> Builder {
        Builder {
            object: Object::new(kind, name.into()),
            labels: Vec::new(),
        }
    }

    fn enter(mut self, label: &str) -> Builder {
        let label = self.subroutine(label);
        self.define(label);
        self
    }

    /// A general variable that begins at a multiple of 32 bytes, or of the size of its type if it is shorter than
    /// that.
    pub fn var(&mut self, name: &str, ty: Type, elements: u16) -> Var {
        let align = match u32::from(elements) * ty.bytes() {
            32.. => Align::Hword,
            _ => Align::from_bytes(ty.bytes().into()).unwrap_or(Align::Byte),
        };
        self.declare(VarDecl {
            name: name.into(),
            ty,
            align,
            elements,
            alias: None,
            attrs: Vec::new(),
        })
    }

    /// Another view of a variable that was declared before, from a byte of it on.
    pub fn alias(&mut self, name: &str, ty: Type, elements: u16, of: Var, byte: u16) -> Var {
        let var = self.var(name, ty, elements);
        self.object.vars[var].alias = Some((of, byte));
        var
    }

    /// A general variable with all that a declaration can have.
    pub fn declare(&mut self, var: VarDecl) -> Var {
        self.object.vars.push(var)
    }

    /// An address variable.
    pub fn addr(&mut self, name: &str, elements: u16) -> Addr {
        self.object.addrs.push(array(name, elements))
    }

    /// A predicate of so many channels.
    pub fn predicate(&mut self, name: &str, channels: u16) -> Predicate {
        self.object.predicates.push(array(name, channels))
    }

    pub fn sampler(&mut self, name: &str) -> Sampler {
        self.object.samplers.push(array(name, 1))
    }

    pub fn surface(&mut self, name: &str) -> Surface {
        self.object.surfaces.push(array(name, 1))
    }

    /// A label for jumps, to be [defined](Builder::define) once.
    pub fn label(&mut self, name: &str) -> Label {
        self.new_label(name, LabelKind::Block)
    }

    /// The label of a subroutine, likewise. Text and bytes want its name to end in `_` and a number.
    pub fn subroutine(&mut self, name: &str) -> Label {
        self.new_label(name, LabelKind::Subroutine)
    }

    fn new_label(&mut self, name: &str, kind: LabelKind) -> Label {
        let label = Label::new(self.labels.len());
        self.labels.push(LabelDecl {
            name: name.into(),
            kind,
            attrs: Vec::new(),
        });
        label
    }

    /// An argument: the variable has its value when a thread starts, at that byte of the register file.
    pub fn input(&mut self, var: Var, offset: u16) {
        let bytes = self.object.vars.get(var).map_or(0, VarDecl::bytes);
        self.object.inputs.push(Input {
            var: InputVar::General(var),
            implicit: 0,
            offset,
            size: u16::try_from(bytes).unwrap_or(u16::MAX),
        });
    }

    /// An attribute of the object, such as `SLMSize`.
    pub fn attr(&mut self, name: &str, value: AttrValue) {
        let attr = attributes::normal(name.into(), value);
        self.object.attrs.extend(attr);
    }

    /// Says that a label is here.
    pub fn define(&mut self, label: Label) {
        let op = match self.labels.get(label.index()).map(|decl| decl.kind) {
            Some(LabelKind::Subroutine) => Opcode::Subroutine,
            _ => Opcode::Label,
        };
        self.inst(op, Exec::NONE, [label.into()]);
    }

    /// Adds an instruction. One that has no execution size takes [`Exec::NONE`].
    pub fn inst(
        &mut self,
        op: Opcode,
        exec: Exec,
        operands: impl IntoIterator<Item = Operand>,
    ) -> &mut Inst {
        self.push(Inst {
            op,
            exec,
            pred: None,
            operands: operands.into_iter().collect(),
            place: Place::default(),
            origin: Inst::UNNUMBERED,
        })
    }

    /// Adds an instruction and gives it its number.
    pub fn push(&mut self, mut inst: Inst) -> &mut Inst {
        let at = self.object.insts.len();
        inst.origin = at as u32;
        self.object.insts.push(inst);
        &mut self.object.insts[at]
    }

    /// The object. Its labels have the numbers that both readers give them.
    ///
    /// # Errors
    /// A label that is used is not defined, or one is defined twice.
    pub fn finish(self) -> Result<Object, LabelError> {
        let Builder { mut object, labels } = self;
        let of_another = |operand: &Operand| matches!(operand, Operand::Label(label) if label.index() >= labels.len());
        let mut insts = object.insts.iter().enumerate();
        if let Some((inst, _)) = insts.find(|(_, inst)| inst.operands.iter().any(of_another)) {
            let name = "of another object".to_string();
            return Err(LabelError::Undefined { name, inst });
        }
        attributes::complete_function(&mut object);
        object.labels = PrimaryMap::new();
        labels::number(&mut object, labels)?;
        Ok(object)
    }
}

fn array(name: &str, elements: u16) -> ArrayDecl {
    ArrayDecl {
        name: Name::new(name),
        elements,
        attrs: Vec::new(),
    }
}

impl Var {
    fn operand(self, col: u8, region: Region) -> Operand {
        Operand::General {
            var: self,
            row: 0,
            col,
            region,
            modifier: Modifier::None,
        }
    }

    /// As a destination: an element for each channel, side by side.
    pub fn dst(self) -> Operand {
        self.operand(0, Region::dst(1))
    }

    /// As a source: an element for each channel, side by side.
    pub fn src(self) -> Operand {
        let side_by_side = Region {
            v: Some(1),
            w: 1,
            h: 0,
        };
        self.operand(0, side_by_side)
    }

    /// As a source: one element for all channels.
    pub fn scalar(self, element: u8) -> Operand {
        let same = Region {
            v: Some(0),
            w: 1,
            h: 0,
        };
        self.operand(element, same)
    }

    /// As data or addresses of a message, from a byte of it on.
    pub fn raw(self, offset: u16) -> Operand {
        Operand::Raw { var: self, offset }
    }
}

impl Operand {
    /// The same with a modifier: [`Modifier::Sat`] of a destination, any other of a source.
    #[must_use]
    pub fn with(mut self, new: Modifier) -> Operand {
        if let Operand::General { modifier, .. } | Operand::Indirect { modifier, .. } = &mut self {
            *modifier = new;
        }
        self
    }

    /// The same from another place of the variable on: a row of 32 bytes, and an element in it.
    #[must_use]
    pub fn at(mut self, new_row: u8, new_col: u8) -> Operand {
        if let Operand::General { row, col, .. } = &mut self {
            (*row, *col) = (new_row, new_col);
        }
        self
    }
}

impl Exec {
    /// The first so many channels: 1, 2, 4, 8, 16 or 32.
    pub const fn channels(size: u8) -> Exec {
        Exec {
            size,
            offset: 0,
            no_mask: false,
        }
    }
}

impl PredUse {
    /// Channels for which it holds.
    pub const fn of(pred: Predicate) -> PredUse {
        PredUse {
            pred,
            inverse: false,
            combine: Combine::None,
        }
    }

    /// Channels for which it does not hold.
    pub const fn not(pred: Predicate) -> PredUse {
        PredUse {
            inverse: true,
            ..PredUse::of(pred)
        }
    }
}

impl Inst {
    /// Has it work under a predicate.
    pub fn when(&mut self, pred: PredUse) -> &mut Inst {
        self.pred = Some(pred);
        self
    }
}

macro_rules! operands {
    ($($from:ty, $value:ident => $operand:expr;)*) => {$(
        impl From<$from> for Operand {
            fn from($value: $from) -> Operand {
                $operand
            }
        }
    )*};
}

operands! {
    u32, n => Operand::imm(Type::Ud, n.into());
    i32, n => Operand::imm(Type::D, n.cast_unsigned().into());
    u64, n => Operand::imm(Type::Uq, n);
    i64, n => Operand::imm(Type::Q, n.cast_unsigned());
    f32, n => Operand::imm(Type::F, n.to_bits().into());
    f64, n => Operand::imm(Type::Df, n.to_bits());
    Label, label => Operand::Label(label);
    Surface, surface => Operand::Surface(surface);
    Sampler, sampler => Operand::Sampler(sampler);
    Predicate, pred => Operand::Predicate(PredUse::of(pred));
}
