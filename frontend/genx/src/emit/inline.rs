//! Inline assembly: the text with the names of its operands, read as a part of the object.
//!
//! No result shares a register with an operand. Each operand begins where registers do, since the text may name it as
//! data of a message. An operand is copied first if it is constant, a part of another value, or written by the text.

use kiln_visa::build::Builder;
use kiln_visa::module::{Operand, Type as VType, Var};
use kiln_visa::opcode::{Field, Opcode};
use kiln_visa::text::{Named, part};

use super::bale::Fold;
use super::function::{Emitter, Place, imm};
use super::object::place_of;
use super::operand::{Dst, Layout};
use super::predicates::CHANNELS;
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::ir::asm::{Asm, Form};
use crate::ir::{Inst, Scalar, Type, TypeData, Value, ValueDef};

/// Bytes of text that take as long as an instruction.
const BYTES: usize = 64;

/// An operand in the text.
struct Term {
    text: String,
    of: Of,
}

/// Kinds of operands in the text.
enum Of {
    /// A number, or a result that was named before.
    Text,
    /// A variable of so many elements.
    Var(u32, VType),
    /// A predicate of so many channels.
    Predicate(u32),
}

impl Emitter<'_, '_> {
    /// Adds inline assembly.
    pub fn inline(&mut self, inst: Inst, asm: &Asm) -> Result<()> {
        let data = self.data(inst);
        let types = self.result_types(data.ty);
        let mut terms: Vec<Term> = Vec::new();
        for (ty, form) in types.iter().zip(&asm.forms) {
            terms.push(self.result_term(*ty, *form, terms.len())?);
        }
        for (form, arg) in asm.forms[asm.results..].iter().zip(&data.args) {
            let term = match form {
                // The text names the result twice.
                Form::Result(number) => Term {
                    text: terms[*number as usize].text.replace("<1>", "<1;1,0>"),
                    of: Of::Text,
                },
                form => self.operand_term(*arg, *form, terms.len())?,
            };
            terms.push(term);
        }
        let texts: Vec<String> = terms.iter().map(|term| term.text.clone()).collect();
        let uid = self.object().builder.insts().len() as u32;
        let text = asm.filled(&texts, uid);
        let text = text.map_err(|fault| fault.at(self.loc))?;
        let written = written(&text, &terms);

        let mut names = Vec::new();
        let mut bits = Vec::new();
        let mut results = Vec::new();
        for (number, (ty, term)) in (0..).zip(types.iter().zip(&terms)) {
            let place = match self.result_value(inst, number) {
                Some(value) => self.place(value)?,
                None => self.new_place(*ty)?,
            };
            let (_, scalar) = self.shape_of(*ty)?;
            let place = match (place, &term.of) {
                (Place::Var(var), Of::Predicate(count)) => {
                    let (mask, ty) = (
                        self.object().mask(*count),
                        self.visa(scalar, Sign::Unsigned)?,
                    );
                    let dst = Dst::var(var, ty, Layout::contiguous(0, ty.bytes()));
                    bits.push(((dst, ty), *count, mask.clone()));
                    Place::Mask(mask)
                }
                (place, _) => place,
            };
            names.push((name(number as usize), self.named(&place, scalar)?));
            results.push(place);
        }
        for (number, arg) in (asm.results..).zip(&data.args) {
            if let Form::Result(result) = asm.forms[number] {
                self.store_bits(&results[result as usize], *arg)?;
                continue;
            }
            let (count, scalar) = self.shape(*arg)?;
            let place = match &terms[number].of {
                Of::Text => continue,
                Of::Predicate(channels) => {
                    let place = Place::Mask(self.object().mask(*channels));
                    self.store_bits(&place, *arg)?;
                    place
                }
                Of::Var(..) => match self.own_variable(*arg).filter(|_| !written[number]) {
                    Some(var) => Place::Var(var),
                    None => {
                        let ty = self.visa(scalar, Sign::Signed)?;
                        let src = self.source(*arg, Sign::Signed)?;
                        let var = self.object().block(ty, count * ty.bytes());
                        let layout = Layout::contiguous(0, ty.bytes());
                        self.copy(count, Dst::var(var, ty, layout), src)?;
                        Place::Var(var)
                    }
                },
            };
            names.push((name(number), self.named(&place, scalar)?));
        }
        self.read_part(&text, &names)?;
        for (dst, count, mask) in bits {
            let (ty, one) = (dst.1, imm(dst.1, 1));
            self.choose(mask, count, dst.0, one, imm(ty, 0), false)?;
        }
        Ok(())
    }

    /// Types of the results.
    fn result_types(&self, ty: Type) -> Vec<Type> {
        match self.shared.module.types.data(ty) {
            TypeData::Void => Vec::new(),
            TypeData::Struct(fields, _) => fields.clone(),
            _ => vec![ty],
        }
    }

    /// The value that is a result; none if nothing uses it.
    fn result_value(&self, inst: Inst, number: u32) -> Option<Value> {
        let data = self.data(inst);
        match self.shared.module.types.data(data.ty) {
            TypeData::Struct(..) => {
                let members = self.members(inst);
                let found = members.iter().find(|(n, _)| *n == number);
                found.map(|(_, value)| *value)
            }
            _ => data.result,
        }
    }

    fn result_term(&self, ty: Type, form: Form, number: usize) -> Result<Term> {
        let (count, scalar) = self.shape_of(ty)?;
        let name = name(number);
        match self.channels_of(count, scalar, form)? {
            Some(channels) => Ok(Term {
                text: name,
                of: Of::Predicate(channels),
            }),
            None => Ok(Term {
                text: match form {
                    Form::Region => format!("{name}(0,0)<1>"),
                    _ => name,
                },
                of: Of::Var(count, self.named_type(scalar)?),
            }),
        }
    }

    fn operand_term(&self, value: Value, form: Form, number: usize) -> Result<Term> {
        let (count, scalar) = self.shape(value)?;
        let uniform = super::bale::uniform(self.function, value);
        let name = name(number);
        if let Some(channels) = self.channels_of(count, scalar, form)? {
            return Ok(Term {
                text: name,
                of: Of::Predicate(channels),
            });
        }
        let text = match (form, uniform) {
            (Form::Number, Some(bits)) if scalar.is_int() => {
                let unused = u64::BITS - self.shared.module.types.bits(scalar).min(u64::BITS);
                Some(((bits << unused).cast_signed() >> unused).to_string())
            }
            (Form::Number, _) => {
                return self.error(
                    Code::Operand,
                    "constraints `n` and `P` of inline assembly take a constant integer",
                );
            }
            (Form::Immediate, Some(bits)) if scalar.is_int() || scalar.is_float() => {
                match super::object::immediate(self.visa(scalar, Sign::Signed)?, bits) {
                    Operand::Imm { ty, bits } => Some(format!("0x{bits:x}:{}", ty.name())),
                    _ => None,
                }
            }
            _ => None,
        };
        Ok(match (text, form) {
            (Some(text), _) => Term { text, of: Of::Text },
            (None, form) => Term {
                text: match form {
                    Form::Name => name,
                    _ if count == 1 => format!("{name}(0,0)<0;1,0>"),
                    _ => format!("{name}(0,0)<1;1,0>"),
                },
                of: Of::Var(count, self.named_type(scalar)?),
            },
        })
    }

    /// Channels of an operand that is a predicate in the text; none if it is a variable.
    fn channels_of(&self, count: u32, scalar: Scalar, form: Form) -> Result<Option<u32>> {
        match scalar {
            Scalar::Int(bits) if bits == 1 || form == Form::Predicate => match count <= CHANNELS {
                true => Ok(Some(count)),
                false => self.error(
                    Code::Operand,
                    "a predicate of inline assembly has up to 32 channels",
                ),
            },
            _ if form == Form::Predicate => self.error(
                Code::Operand,
                "a predicate of inline assembly is made of integers",
            ),
            _ => Ok(None),
        }
    }

    /// Type of a variable in the text.
    fn named_type(&self, scalar: Scalar) -> Result<VType> {
        match scalar {
            Scalar::BFloat => Ok(VType::Bf),
            scalar => self.visa(scalar, Sign::Signed),
        }
    }

    /// A place as what the text names.
    fn named(&mut self, place: &Place, scalar: Scalar) -> Result<Named> {
        match place {
            Place::Mask(mask) => Ok(Named::Predicate(mask.parts[0])),
            Place::Var(var) => {
                let ty = self.named_type(scalar)?;
                Ok(Named::Var(self.object().alias(*var, ty)))
            }
            Place::None => self.unsupported("such an operand of inline assembly"),
        }
    }

    /// The variable that is all of a value and begins a register, if there is one.
    fn own_variable(&mut self, value: Value) -> Option<Var> {
        let folded = match self.function.inst_of(value) {
            Some(inst) => self.bales.fold[inst] != Fold::No,
            None => !matches!(self.function.values[value].def, ValueDef::Param(_)),
        };
        match self.place(value) {
            Ok(Place::Var(var)) if !folded && self.object().is_block(var) => Some(var),
            _ => None,
        }
    }

    /// Puts a value where the text has it; the lowest bits of integers into a predicate.
    fn store_bits(&mut self, place: &Place, value: Value) -> Result<()> {
        let (count, scalar) = self.shape(value)?;
        match place {
            Place::Mask(mask) if scalar != Scalar::Int(1) => {
                let ty = self.visa(scalar, Sign::Unsigned)?;
                let src = self.source(value, Sign::Unsigned)?;
                let (_, dst, lowest) = self.temp(ty, count);
                self.alu(Opcode::And, count, dst, &[src, imm(ty, 1)])?;
                self.test(lowest, count, mask)
            }
            place => self.store_to(place, value),
        }
    }

    /// Adds the instructions of the text.
    fn read_part(&mut self, text: &str, names: &[(String, Named)]) -> Result<()> {
        let first = self.object().builder.insts().len();
        let named: Vec<(&str, Named)> = names.iter().map(|(n, of)| (n.as_str(), *of)).collect();
        if let Err(error) = part(text, &mut self.object().builder, &named) {
            let line = text
                .lines()
                .nth(error.line as usize - 1)
                .unwrap_or_default();
            let message = format!("inline assembly, line {error}: `{}`", line.trim());
            return self.error(Code::Rule, message);
        }
        let place = place_of(self.loc);
        let insts = &mut self.object().builder.insts()[first..];
        insts.iter_mut().for_each(|inst| inst.place = place);
        // A text that is read again and again counts, if it has no instructions too.
        let added = insts.len().max(text.len() / BYTES) as u32;
        self.object().count += added;
        Ok(())
    }
}

/// Name of an operand in the text.
fn name(number: usize) -> String {
    format!("operand{number}")
}

/// The variables that the text writes, by the numbers of their operands. A faulty text writes none.
fn written(text: &str, terms: &[Term]) -> Vec<bool> {
    let mut builder = Builder::explicit_kernel("");
    let mut names = Vec::new();
    let mut vars = Vec::new();
    for (number, term) in terms.iter().enumerate() {
        let (var, named) = match term.of {
            Of::Var(count, ty) => {
                let var = builder.var("", ty, count as u16);
                (Some(var), Some(Named::Var(var)))
            }
            Of::Predicate(channels) => (
                None,
                Some(Named::Predicate(builder.predicate("", channels as u16))),
            ),
            Of::Text => (None, None),
        };
        names.extend(named.map(|named| (name(number), named)));
        vars.push(var);
    }
    let named: Vec<(&str, Named)> = names.iter().map(|(n, of)| (n.as_str(), *of)).collect();
    if part(text, &mut builder, &named).is_err() {
        return vec![false; terms.len()];
    }
    let mut to = Vec::new();
    for inst in builder.insts() {
        let fields = inst.op.row().operand_fields().zip(&inst.operands);
        to.extend(
            fields.filter_map(|(field, operand)| match (field, operand) {
                (Field::Dst(_), Operand::General { var, .. })
                | (Field::RawDst, Operand::Raw { var, .. }) => Some(*var),
                _ => None,
            }),
        );
    }
    let is_written =
        |var: &Option<Var>| var.is_some_and(|var| to.iter().any(|to| builder.is_part_of(*to, var)));
    vars.iter().map(is_written).collect()
}
