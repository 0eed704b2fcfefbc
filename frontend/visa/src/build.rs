//! Builder of modules in memory, for compilers that generate vISA without printing it.
//!
//! A [`Builder`] makes one kernel or function: its declarations, each of which returns the entity that instructions
//! refer to, and its instructions. [`module`] combines objects and checks them against the rules. The module equals
//! the one that a reader gives for the text of [`print`](crate::print::print) or the bytes of
//! [`write`](crate::binary::write).
//!
//! The operands of an instruction are those of its page in the specification, in the order of the table "Format". A
//! suffix in text, such as the relation of `cmp`, is a number among them. Execution size and predicate are not
//! operands.
//!
//! ```
//! use kiln_visa::build::{Builder, module};
//! use kiln_visa::module::{Exec, Operand, PredUse, StateVar, Type};
//! use kiln_visa::opcode::{Opcode, Relation};
//! use kiln_visa::{print, text};
//!
//! // Clamps the numbers of the first surface: data[lane] = min(data[lane], limit).
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
use crate::labels::{self, LabelError};
use crate::module::{
    Addr, Align, ArrayDecl, AttrValue, Combine, Exec, Input, InputVar, Inst, Label, LabelDecl,
    LabelKind, Linkage, Modifier, Module, NEWEST, Name, Object, ObjectKind, Operand, Place,
    PredUse, Predicate, Region, Sampler, Surface, Type, Var, VarDecl,
};
use crate::opcode::Opcode;
use crate::verify::{Finding, verify};

/// Errors of a module that was built.
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

/// Module of the newest version with these objects.
///
/// # Errors All errors of the module ([`crate::verify`]).
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

/// Kernel or function under construction.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) object: Object,
    /// Labels by the numbers that instructions use until [`Builder::finish`].
    pub(crate) labels: Vec<LabelDecl>,
}

impl Builder {
    /// Kernel whose threads have `simd` channels: 8, 16 or 32.
    pub fn kernel(name: &str, simd: u8) -> Builder {
        let mut builder = Builder::new(ObjectKind::Kernel, name);
        builder.attr("Target", AttrValue::Str("3d".into()));
        builder.attr("SimdSize", AttrValue::Int(simd.into()));
        builder.enter("_main_0")
    }

    /// Kernel of explicit SIMD: a thread is one work-item, and its instructions have execution sizes of their own.
    pub fn explicit_kernel(name: &str) -> Builder {
        let mut builder = Builder::new(ObjectKind::Kernel, name);
        builder.attr("Target", AttrValue::Str("cm".into()));
        builder.enter("_main_0")
    }

    /// Function for stack calls, with the sizes of its argument and return value in GRFs.
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

    /// Empty object, without even the label that its code begins with.
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

    /// Declares a general variable aligned to 32 bytes, or to its type if it is shorter.
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

    /// Declares an alias of an earlier variable, from `byte` on.
    pub fn alias(&mut self, name: &str, ty: Type, elements: u16, of: Var, byte: u16) -> Var {
        let var = self.var(name, ty, elements);
        self.object.vars[var].alias = Some((of, byte));
        var
    }

    /// True if a variable is another one, or an alias of a part of it.
    pub fn is_part_of(&self, mut var: Var, whole: Var) -> bool {
        while var != whole {
            match self.object.vars.get(var).and_then(|decl| decl.alias) {
                Some((of, _)) => var = of,
                None => return false,
            }
        }
        true
    }

    /// Declares a general variable with all properties.
    pub fn declare(&mut self, var: VarDecl) -> Var {
        self.object.vars.push(var)
    }

    /// Sets the alignment of a variable.
    pub fn align(&mut self, var: Var, align: Align) {
        if let Some(decl) = self.object.vars.get_mut(var) {
            decl.align = align;
        }
    }

    /// Declares an address variable.
    pub fn addr(&mut self, name: &str, elements: u16) -> Addr {
        self.object.addrs.push(array(name, elements))
    }

    /// Declares a predicate with this number of channels.
    pub fn predicate(&mut self, name: &str, channels: u16) -> Predicate {
        self.object.predicates.push(array(name, channels))
    }

    /// Instructions so far.
    pub fn insts(&mut self) -> &mut [Inst] {
        &mut self.object.insts
    }

    /// Declares a sampler.
    pub fn sampler(&mut self, name: &str) -> Sampler {
        self.object.samplers.push(array(name, 1))
    }

    /// Declares a surface.
    pub fn surface(&mut self, name: &str) -> Surface {
        self.object.surfaces.push(array(name, 1))
    }

    /// Label for jumps, to be [defined](Builder::define) once.
    pub fn label(&mut self, name: &str) -> Label {
        self.new_label(name, LabelKind::Block)
    }

    /// Label of a subroutine, to be defined once. In a binary its name ends in `_` and a number.
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

    /// Declares an argument: the variable has its value when a thread starts, at byte `offset` of the register
    /// file.
    pub fn input(&mut self, var: Var, offset: u16) {
        let bytes = self.object.vars.get(var).map_or(0, VarDecl::bytes);
        self.object.inputs.push(Input {
            var: InputVar::General(var),
            implicit: 0,
            offset,
            size: u16::try_from(bytes).unwrap_or(u16::MAX),
        });
    }

    /// Adds an attribute of the object, such as `SLMSize`.
    pub fn attr(&mut self, name: &str, value: AttrValue) {
        let attr = attributes::normal(name.into(), value);
        self.object.attrs.extend(attr);
    }

    /// Defines a label before the next instruction.
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

    /// Returns the object, its labels numbered as by both readers.
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

    /// Destination of consecutive elements, one a channel.
    pub fn dst(self) -> Operand {
        self.operand(0, Region::dst(1))
    }

    /// Source of consecutive elements, one a channel.
    pub fn src(self) -> Operand {
        self.operand(0, Region::new(1, 1, 0))
    }

    /// Scalar source: one element for all channels.
    pub fn scalar(self, element: u8) -> Operand {
        self.operand(element, Region::SCALAR)
    }

    /// Raw operand: data or addresses of a message, from byte `offset` on.
    pub fn raw(self, offset: u16) -> Operand {
        Operand::Raw { var: self, offset }
    }
}

impl Operand {
    /// This operand with a modifier: [`Modifier::Sat`] for a destination, any other for a source.
    #[must_use]
    pub fn with(mut self, new: Modifier) -> Operand {
        if let Operand::General { modifier, .. } | Operand::Indirect { modifier, .. } = &mut self {
            *modifier = new;
        }
        self
    }

    /// This operand from another position on: a row of 32 bytes, and an element in it.
    #[must_use]
    pub fn at(mut self, new_row: u8, new_col: u8) -> Operand {
        if let Operand::General { row, col, .. } = &mut self {
            (*row, *col) = (new_row, new_col);
        }
        self
    }
}

impl Exec {
    /// The first `size` channels: 1, 2, 4, 8, 16 or 32.
    pub const fn channels(size: u8) -> Exec {
        Exec {
            size,
            offset: 0,
            no_mask: false,
        }
    }
}

impl PredUse {
    /// Channels for which the predicate is set.
    pub const fn of(pred: Predicate) -> PredUse {
        PredUse {
            pred,
            inverse: false,
            combine: Combine::None,
        }
    }

    /// Channels for which the predicate is clear.
    pub const fn not(pred: Predicate) -> PredUse {
        PredUse {
            inverse: true,
            ..PredUse::of(pred)
        }
    }
}

impl Inst {
    /// Predicates the instruction.
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
