//! Types, each stored once in [`Types`].
//!
//! A pointer has an address space and no pointee: where a pointee matters, the instruction says it. The handles of
//! surfaces and samplers are pointers to structures without a body, and keep the name of the structure.

use std::collections::HashMap;
use std::fmt::Write;

use cranelift_entity::{PrimaryMap, entity_impl};
use smol_str::SmolStr;

/// A type of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(u32);
entity_impl!(Type, "ty");

/// Element of a vector, or a value by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Integer of this number of bits.
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
    /// Pointer to this address space.
    Ptr(u32),
}

/// Structure of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeData {
    Void,
    Label,
    Metadata,
    Scalar(Scalar),
    Vector(u32, Scalar),
    Array(u64, Type),
    /// Fields, and true if they are packed.
    Struct(Vec<Type>, bool),
    /// A structure without a body.
    Opaque(SmolStr),
    /// Pointer to a structure without a body, or a target type, by its name.
    Handle(SmolStr),
    /// Result, parameters, and true if further arguments may follow.
    Function(Type, Vec<Type>, bool),
}

/// Types of a module.
#[derive(Clone, Debug)]
pub struct Types {
    data: PrimaryMap<Type, TypeData>,
    numbers: HashMap<TypeData, Type, foldhash::fast::FixedState>,
    /// Bytes of a pointer by address space, where they are not 8.
    pub pointer_bytes: HashMap<u32, u32>,
}

impl Types {
    pub const VOID: Type = Type(0);
    pub const LABEL: Type = Type(1);
    pub const METADATA: Type = Type(2);
    pub const I1: Type = Type(3);
    pub const I32: Type = Type(4);

    pub fn new() -> Types {
        let mut types = Types {
            data: PrimaryMap::new(),
            numbers: HashMap::default(),
            pointer_bytes: HashMap::new(),
        };
        types.get(TypeData::Void);
        types.get(TypeData::Label);
        types.get(TypeData::Metadata);
        types.int(1);
        types.int(32);
        types
    }

    /// The type with this structure.
    pub fn get(&mut self, data: TypeData) -> Type {
        if let Some(ty) = self.numbers.get(&data) {
            return *ty;
        }
        let ty = self.data.push(data.clone());
        self.numbers.insert(data, ty);
        ty
    }

    pub fn scalar(&mut self, scalar: Scalar) -> Type {
        self.get(TypeData::Scalar(scalar))
    }

    pub fn int(&mut self, bits: u32) -> Type {
        self.scalar(Scalar::Int(bits))
    }

    /// Vector of scalars; without a count, a scalar.
    pub fn shaped(&mut self, count: Option<u32>, scalar: Scalar) -> Type {
        match count {
            Some(n) => self.get(TypeData::Vector(n, scalar)),
            None => self.scalar(scalar),
        }
    }

    /// Structure of a type.
    pub fn data(&self, ty: Type) -> &TypeData {
        &self.data[ty]
    }

    /// Elements and their type, for a vector or a scalar.
    pub fn shape(&self, ty: Type) -> Option<(u32, Scalar)> {
        match self.data[ty] {
            TypeData::Scalar(scalar) => Some((1, scalar)),
            TypeData::Vector(n, scalar) => Some((n, scalar)),
            TypeData::Handle(_) => Some((1, Scalar::Int(32))),
            _ => None,
        }
    }

    /// Count of a vector; `None` for all else.
    pub fn count(&self, ty: Type) -> Option<u32> {
        match self.data[ty] {
            TypeData::Vector(n, _) => Some(n),
            _ => None,
        }
    }

    /// Element of a vector, or the scalar itself.
    pub fn element(&self, ty: Type) -> Option<Scalar> {
        self.shape(ty).map(|(_, scalar)| scalar)
    }

    /// True for `i1` and vectors of it.
    pub fn is_bool(&self, ty: Type) -> bool {
        self.element(ty) == Some(Scalar::Int(1))
    }

    pub fn is_float(&self, ty: Type) -> bool {
        self.element(ty).is_some_and(Scalar::is_float)
    }

    /// Bits of a scalar.
    pub fn bits(&self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Int(bits) => bits,
            Scalar::Half | Scalar::BFloat => 16,
            Scalar::Float => 32,
            Scalar::Double => 64,
            Scalar::Ptr(space) => self.pointer_bytes.get(&space).copied().unwrap_or(8) * 8,
        }
    }

    /// Bytes of a scalar in memory.
    pub fn scalar_bytes(&self, scalar: Scalar) -> u32 {
        self.bits(scalar).div_ceil(8).next_power_of_two()
    }

    /// Bytes of a type in memory and its alignment; `None` if it has no size, or one of over 2^32 bytes.
    pub fn layout(&self, ty: Type) -> Option<(u64, u64)> {
        const MOST: u64 = 1 << 32;
        let (size, align) = match &self.data[ty] {
            TypeData::Scalar(scalar) => {
                let bytes = u64::from(self.scalar_bytes(*scalar));
                (bytes, bytes.min(8))
            }
            TypeData::Vector(n, Scalar::Int(1)) => (u64::from(n.div_ceil(8)), 1),
            TypeData::Vector(n, scalar) => {
                let bytes = u64::from(*n) * u64::from(self.scalar_bytes(*scalar));
                let align = bytes.checked_next_power_of_two()?;
                (bytes.next_multiple_of(align), align)
            }
            TypeData::Array(n, element) => {
                let (size, align) = self.layout(*element)?;
                (size.checked_mul(*n)?, align)
            }
            TypeData::Struct(fields, packed) => {
                let (mut end, mut most) = (0u64, 1);
                for field in fields {
                    let (size, align) = self.layout(*field)?;
                    let align = if *packed { 1 } else { align };
                    end = end.next_multiple_of(align).checked_add(size)?;
                    most = most.max(align);
                }
                (end.next_multiple_of(most), most)
            }
            TypeData::Handle(_) => (8, 8),
            _ => return None,
        };
        (size <= MOST).then_some((size, align))
    }

    /// Byte offset of a field, and its type.
    pub fn field(&self, ty: Type, number: u64) -> Option<(u64, Type)> {
        match &self.data[ty] {
            TypeData::Struct(fields, packed) => {
                let mut end = 0u64;
                for (i, field) in fields.iter().enumerate() {
                    let (size, align) = self.layout(*field)?;
                    end = end.next_multiple_of(if *packed { 1 } else { align });
                    if i as u64 == number {
                        return Some((end, *field));
                    }
                    end = end.checked_add(size)?;
                }
                None
            }
            TypeData::Array(_, element) => {
                let (size, _) = self.layout(*element)?;
                Some((size.checked_mul(number)?, *element))
            }
            TypeData::Vector(_, scalar) => {
                let element = TypeData::Scalar(*scalar);
                let size = u64::from(self.scalar_bytes(*scalar));
                Some((size.checked_mul(number)?, *self.numbers.get(&element)?))
            }
            _ => None,
        }
    }

    /// Text of a type.
    pub fn name(&self, ty: Type) -> String {
        let mut text = String::new();
        self.write(ty, &mut text);
        text
    }

    fn write(&self, ty: Type, out: &mut String) {
        match &self.data[ty] {
            TypeData::Void => out.push_str("void"),
            TypeData::Label => out.push_str("label"),
            TypeData::Metadata => out.push_str("metadata"),
            TypeData::Scalar(scalar) => scalar.write(out),
            TypeData::Vector(n, scalar) => {
                let _ = write!(out, "<{n} x ");
                scalar.write(out);
                out.push('>');
            }
            TypeData::Array(n, element) => {
                let _ = write!(out, "[{n} x ");
                self.write(*element, out);
                out.push(']');
            }
            TypeData::Struct(fields, packed) => {
                out.push_str(if *packed { "<{ " } else { "{ " });
                self.write_list(fields, out);
                out.push_str(if *packed { " }>" } else { " }" });
            }
            TypeData::Opaque(name) | TypeData::Handle(name) => {
                let _ = write!(out, "%\"{name}\"");
                if matches!(self.data[ty], TypeData::Handle(_)) {
                    out.push('*');
                }
            }
            TypeData::Function(result, params, variadic) => {
                self.write(*result, out);
                out.push_str(" (");
                self.write_list(params, out);
                if *variadic {
                    out.push_str(if params.is_empty() { "..." } else { ", ..." });
                }
                out.push(')');
            }
        }
    }

    fn write_list(&self, list: &[Type], out: &mut String) {
        for (i, ty) in list.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write(*ty, out);
        }
    }
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}

impl Scalar {
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Scalar::Half | Scalar::BFloat | Scalar::Float | Scalar::Double
        )
    }

    pub fn is_int(self) -> bool {
        matches!(self, Scalar::Int(_))
    }

    fn write(self, out: &mut String) {
        let _ = match self {
            Scalar::Int(bits) => write!(out, "i{bits}"),
            Scalar::Half => write!(out, "half"),
            Scalar::BFloat => write!(out, "bfloat"),
            Scalar::Float => write!(out, "float"),
            Scalar::Double => write!(out, "double"),
            Scalar::Ptr(0) => write!(out, "ptr"),
            Scalar::Ptr(space) => write!(out, "ptr addrspace({space})"),
        };
    }
}
