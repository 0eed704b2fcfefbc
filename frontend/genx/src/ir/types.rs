//! Types, each stored once in [`Types`].
//!
//! A pointer has an address space and no pointee: where a pointee matters, the instruction says it. The handles of
//! surfaces and samplers are pointers to structures without a body, and keep the name of the structure.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::Write;

use cranelift_entity::{PrimaryMap, entity_impl};
use smol_str::SmolStr;

use super::fault::Fault;
use crate::error::Code;

/// Bytes of the largest value: vISA numbers the rows of a variable by a byte.
pub const MAX_BYTES: u64 = 256 * 32;
/// Elements of the largest vector of `i1`.
pub const MAX_BOOLS: u64 = 2048;
/// Elements of an array.
const MAX_ARRAY: u64 = 1 << 32;
/// Bits of an integer that LLVM allows.
const MAX_BITS: u64 = 1 << 23;
/// Types that a type is made of, each counted as often as it occurs.
const MAX_PARTS: u32 = 1 << 16;
/// Characters of a type in a message.
const MAX_NAME: usize = 200;

/// Nesting of types, constants and metadata that is followed.
pub const MAX_DEPTH: u32 = 64;

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

/// Size and alignment in bytes.
type Layout = Option<(u64, u64)>;

/// A type, and figures of it.
#[derive(Clone, Debug)]
struct Entry {
    data: TypeData,
    depth: u32,
    parts: u32,
    layout: Cell<Option<Layout>>,
}

/// Types of a module.
#[derive(Clone, Debug)]
pub struct Types {
    data: PrimaryMap<Type, Entry>,
    numbers: HashMap<TypeData, Type, foldhash::fast::FixedState>,
    /// Bytes of a pointer by address space, where they are not 8.
    pointer_bytes: HashMap<u32, u32>,
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
        let (depth, parts) = self.extent(&data);
        let ty = self.data.push(Entry {
            data: data.clone(),
            depth,
            parts,
            layout: Cell::new(None),
        });
        self.numbers.insert(data, ty);
        ty
    }

    /// Nesting of a type, and the number of types that it is made of.
    fn extent(&self, data: &TypeData) -> (u32, u32) {
        let (alone, list) = match data {
            TypeData::Array(_, element) => (Some(element), &[][..]),
            TypeData::Struct(fields, _) => (None, &fields[..]),
            TypeData::Function(result, params, _) => (Some(result), &params[..]),
            _ => (None, &[][..]),
        };
        let inside = list.iter().chain(alone);
        inside.fold((1, 1u32), |(depth, parts), ty| {
            let inside = &self.data[*ty];
            (
                depth.max(inside.depth + 1),
                parts.saturating_add(inside.parts),
            )
        })
    }

    /// The type with this structure, as an input names it.
    ///
    /// # Errors
    /// The type is nested too deeply, or too large.
    pub fn checked(&mut self, data: TypeData) -> Result<Type, Fault> {
        let (depth, parts) = self.extent(&data);
        if depth > MAX_DEPTH || parts > MAX_PARTS {
            return Err(Fault::new(
                Code::Type,
                "the type is nested too deeply, or too large",
            ));
        }
        Ok(self.get(data))
    }

    /// Integer of an input.
    ///
    /// # Errors
    /// None has so many bits.
    pub fn integer(&mut self, bits: u64) -> Result<Type, Fault> {
        match bits {
            1..=MAX_BITS => {
                let scalar = Scalar::Int(bits as u32);
                self.fits_a_value(1, scalar)?;
                Ok(self.scalar(scalar))
            }
            _ => Err(Fault::new(Code::Syntax, "no integer has so many bits")),
        }
    }

    /// Vector of an input.
    ///
    /// # Errors
    /// The type has no elements, or too many.
    pub fn vector(&mut self, count: u64, scalar: Scalar) -> Result<Type, Fault> {
        if count == 0 {
            return Err(Fault::new(Code::Type, "a vector without elements"));
        }
        self.fits_a_value(count, scalar)?;
        Ok(self.get(TypeData::Vector(count as u32, scalar)))
    }

    /// Checks that a value of so many elements could be one of vISA. Each operation on it costs time by its size, which
    /// an input of a few bytes could ask for.
    ///
    /// # Errors
    /// The type is larger than any variable.
    pub fn fits_a_value(&self, count: u64, scalar: Scalar) -> Result<(), Fault> {
        if scalar == Scalar::Int(1) {
            return match count {
                0..=MAX_BOOLS => Ok(()),
                _ => Err(Fault::new(
                    Code::Size,
                    format!("a vector of {count} i1 is too large: {MAX_BOOLS} are possible"),
                )),
            };
        }
        match count.saturating_mul(self.scalar_bytes(scalar).into()) {
            0..=MAX_BYTES => Ok(()),
            bytes => Err(Fault::new(
                Code::Size,
                format!("a value of {bytes} bytes is too large: {MAX_BYTES} are possible"),
            )),
        }
    }

    /// Vector of an input whose element is a type.
    ///
    /// # Errors
    /// The vector has no elements or too many, or elements that no vector can have.
    pub fn vector_of(&mut self, count: u64, element: Type) -> Result<Type, Fault> {
        let what = match *self.data(element) {
            TypeData::Scalar(scalar) => return self.vector(count, scalar),
            TypeData::Handle(_) => "vectors of surfaces or samplers are not supported",
            _ => "elements of a vector are integers, floats or pointers",
        };
        Err(Fault::new(Code::Type, what))
    }

    /// Array of an input.
    ///
    /// # Errors
    /// The array has too many elements, or its element is nested too deeply.
    pub fn array(&mut self, count: u64, element: Type) -> Result<Type, Fault> {
        if count >= MAX_ARRAY {
            return Err(Fault::new(Code::Size, "the array has too many elements"));
        }
        self.checked(TypeData::Array(count, element))
    }

    /// Pointer to a type. One to a structure without a body is a handle.
    pub fn pointer(&mut self, to: Type, space: u32) -> Type {
        match self.data(to) {
            TypeData::Opaque(name) => {
                let name = name.clone();
                self.get(TypeData::Handle(name))
            }
            _ => self.scalar(Scalar::Ptr(space)),
        }
    }

    /// Takes the sizes of pointers from a data layout.
    pub fn set_layout(&mut self, layout: &str) {
        let one = |part: &str| {
            let mut parts = part.strip_prefix('p')?.split(':');
            let space = parts.next()?;
            let space = if space.is_empty() {
                0
            } else {
                space.parse().ok()?
            };
            let bits: u32 = parts.next()?.parse().ok()?;
            matches!(bits, 16 | 32 | 64).then_some((space, bits / 8))
        };
        self.pointer_bytes.extend(layout.split('-').filter_map(one));
        self.data.values().for_each(|entry| entry.layout.set(None));
    }

    /// Address spaces whose pointers have a size of their own, and their bytes.
    pub fn pointer_sizes(&self) -> Vec<(u32, u32)> {
        let mut sizes: Vec<_> = self.pointer_bytes.iter().map(|(a, b)| (*a, *b)).collect();
        sizes.sort_unstable();
        sizes
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
        &self.data[ty].data
    }

    /// Elements and their type, for a vector or a scalar.
    pub fn shape(&self, ty: Type) -> Option<(u32, Scalar)> {
        match self.data[ty].data {
            TypeData::Scalar(scalar) => Some((1, scalar)),
            TypeData::Vector(n, scalar) => Some((n, scalar)),
            TypeData::Handle(_) => Some((1, Scalar::Int(32))),
            _ => None,
        }
    }

    /// Number of elements of a vector; `None` for any other type.
    pub fn count(&self, ty: Type) -> Option<u32> {
        match self.data[ty].data {
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

    /// True if the type is a pointer, not a vector of pointers.
    pub fn is_pointer(&self, ty: Type) -> bool {
        matches!(self.data(ty), TypeData::Scalar(Scalar::Ptr(_)))
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
    pub fn layout(&self, ty: Type) -> Layout {
        if let Some(layout) = self.data[ty].layout.get() {
            return layout;
        }
        let layout = self.layout_of(ty);
        self.data[ty].layout.set(Some(layout));
        layout
    }

    fn layout_of(&self, ty: Type) -> Layout {
        const MOST: u64 = 1 << 32;
        let (size, align) = match &self.data[ty].data {
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

    /// Byte offsets of the fields of a structure.
    pub fn offsets(&self, fields: &[Type], packed: bool) -> impl Iterator<Item = Option<u64>> {
        fields.iter().scan(Some(0u64), move |end, field| {
            let placed = end
                .zip(self.layout(*field))
                .and_then(|(end, (size, align))| {
                    let at = end.checked_next_multiple_of(if packed { 1 } else { align })?;
                    Some((at, at.checked_add(size)?))
                });
            *end = placed.map(|(_, next)| next);
            Some(placed.map(|(at, _)| at))
        })
    }

    /// Byte offset of a field, and its type.
    pub fn field(&self, ty: Type, number: u64) -> Option<(u64, Type)> {
        match &self.data[ty].data {
            TypeData::Struct(fields, packed) => {
                let number = usize::try_from(number).ok()?;
                let at = self.offsets(fields, *packed).nth(number)??;
                Some((at, fields[number]))
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

    /// Text of a type in LLVM IR with opaque pointers: handles are pointers.
    pub fn ir_text(&self, ty: Type) -> String {
        let mut text = String::new();
        self.write(ty, &mut text, true);
        text
    }

    /// Text of a type for a message, cut off where it is long.
    pub fn name(&self, ty: Type) -> String {
        let mut text = String::new();
        self.write(ty, &mut text, false);
        if let Some((end, _)) = text.char_indices().nth(MAX_NAME) {
            text.truncate(end);
            text.push_str("...");
        }
        text
    }

    fn write(&self, ty: Type, out: &mut String, ir: bool) {
        match &self.data[ty].data {
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
                self.write(*element, out, ir);
                out.push(']');
            }
            TypeData::Struct(fields, packed) => {
                out.push_str(if *packed { "<{ " } else { "{ " });
                self.write_list(fields, out, ir);
                out.push_str(if *packed { " }>" } else { " }" });
            }
            TypeData::Handle(name) if ir => {
                let _ = write!(out, "ptr addrspace({})", handle_space(name));
            }
            TypeData::Opaque(_) if ir => out.push_str("{}"),
            TypeData::Opaque(name) | TypeData::Handle(name) => {
                let _ = write!(out, "%\"{name}\"");
                if matches!(self.data[ty].data, TypeData::Handle(_)) {
                    out.push('*');
                }
            }
            TypeData::Function(result, params, variadic) => {
                self.write(*result, out, ir);
                out.push_str(" (");
                self.write_list(params, out, ir);
                if *variadic {
                    out.push_str(if params.is_empty() { "..." } else { ", ..." });
                }
                out.push(')');
            }
        }
    }

    fn write_list(&self, list: &[Type], out: &mut String, ir: bool) {
        for (i, ty) in list.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write(*ty, out, ir);
        }
    }
}

/// Address space of a handle that is a pointer.
pub fn handle_space(name: &str) -> u32 {
    if name.contains("sampler") { 2 } else { 1 }
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

    /// Writes it as LLVM does.
    pub fn write(self, out: &mut String) {
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
