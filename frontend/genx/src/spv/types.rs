//! Types.

use spirv::{AccessQualifier, Decoration, Dim, Op, StorageClass};

use super::{Pointer, Reader};
use crate::error::{Code, Result};
use crate::ir::fault::Fault;
use crate::ir::{Scalar, Type, TypeData, Types};

/// Encoding of a float of 16 bits that is a `bfloat`.
const BFLOAT: u32 = spirv::FPEncoding::BFloat16KHR as u32;

/// Address spaces of storage classes.
const SPACES: [(StorageClass, u32); 10] = [
    (StorageClass::Function, 0),
    (StorageClass::Private, 0),
    (StorageClass::CodeSectionINTEL, 0),
    (StorageClass::Input, 1),
    (StorageClass::CrossWorkgroup, 1),
    (StorageClass::UniformConstant, 2),
    (StorageClass::Workgroup, 3),
    (StorageClass::Generic, 4),
    (StorageClass::DeviceOnlyALTERA, 5),
    (StorageClass::HostOnlyALTERA, 6),
];

impl<'a> Reader<'a> {
    /// Reads an instruction that makes a type; false for any other.
    pub(super) fn type_inst(&mut self) -> Result<bool> {
        let Some(op) = self.opcode() else {
            return Ok(false);
        };
        if op == Op::TypeForwardPointer {
            let space = space(self.class(self.op(1)?)?).unwrap_or(0);
            let pointer = self.module.types.scalar(Scalar::Ptr(space));
            self.types.insert(self.op(0)?, Ok(pointer));
            return Ok(true);
        }
        if op == Op::TypeStructContinuedINTEL {
            return Err(self.refused(Code::Type, "the structure has too many members"));
        }
        if !op.is_type() {
            return Ok(false);
        }
        let id = self.op(0)?;
        let ty = match self.type_of_inst(op, id) {
            // A type that nothing uses does not matter.
            Err(error) if Code::is_unsupported(error.code.text()) => {
                Err(Fault::new(error.code, error.message))
            }
            other => Ok(other?),
        };
        self.types.insert(id, ty);
        Ok(true)
    }

    fn type_of_inst(&mut self, op: Op, id: u32) -> Result<Type> {
        let ty = match op {
            Op::TypeVoid => Types::VOID,
            Op::TypeBool => Types::I1,
            Op::TypeInt => {
                let bits = u64::from(self.op(1)?);
                let ty = self.module.types.integer(bits);
                self.placed(ty)?
            }
            Op::TypeFloat => {
                let scalar = match (self.op(1)?, self.rest(2).first()) {
                    (16, None) => Scalar::Half,
                    (16, Some(&BFLOAT)) => Scalar::BFloat,
                    (32, None) => Scalar::Float,
                    (64, None) => Scalar::Double,
                    (bits, _) => {
                        let message = format!("floats of {bits} bits are not supported");
                        return Err(self.refused(Code::Type, message));
                    }
                };
                self.module.types.scalar(scalar)
            }
            Op::TypeVector => {
                let (element, count) = (self.ty(self.op(1)?)?, u64::from(self.op(2)?));
                let ty = self.module.types.vector_of(count, element);
                // A vector of pointers is one where an address is made of it.
                if let Some(pointer) = self.pointers.get(&self.op(1)?).copied() {
                    self.pointers.insert(id, pointer);
                }
                self.placed(ty)?
            }
            Op::TypeArray => {
                let element = self.ty(self.op(1)?)?;
                let Some(count) = self.plain_number(self.op(2)?) else {
                    return Err(self.refused(Code::Type, "the length of an array is no number"));
                };
                let ty = self.module.types.array(count, element);
                self.placed(ty)?
            }
            Op::TypeStruct => {
                let fields = self.rest(1).iter().map(|field| self.ty(*field));
                let fields = fields.collect::<Result<_>>()?;
                let packed = self.has(id, Decoration::CPacked);
                let ty = self.module.types.checked(TypeData::Struct(fields, packed));
                self.placed(ty)?
            }
            Op::TypeOpaque => {
                let (name, _) = self.text(1)?;
                self.module.types.get(TypeData::Opaque(name))
            }
            Op::TypePointer | Op::TypeUntypedPointerKHR => self.pointer(op, id)?,
            Op::TypeFunction => {
                let result = self.ty(self.op(1)?)?;
                let params = self.rest(2).iter().map(|param| self.ty(*param));
                let params = params.collect::<Result<_>>()?;
                let ty = TypeData::Function(result, params, false);
                let ty = self.module.types.checked(ty);
                self.placed(ty)?
            }
            Op::TypeSampler => self.handle("opencl.sampler_t".into()),
            Op::TypeBufferSurfaceINTEL => {
                let access = access(self.rest(1).first());
                self.handle(format!("intel.buffer{access}_t"))
            }
            Op::TypeImage => {
                let kind = self.image()?;
                let access = access(self.rest(8).first());
                self.handle(format!("opencl.{kind}{access}_t"))
            }
            _ => {
                let message = format!("type {} is not supported", self.inst.name());
                return Err(self.refused(Code::Type, message));
            }
        };
        Ok(ty)
    }

    fn handle(&mut self, name: String) -> Type {
        self.module.types.get(TypeData::Handle(name.into()))
    }

    fn class(&self, number: u32) -> Result<StorageClass> {
        match StorageClass::from_u32(number) {
            Some(class) => Ok(class),
            None => Err(self.fail(format!("no storage class has number {number}"))),
        }
    }

    fn pointer(&mut self, op: Op, id: u32) -> Result<Type> {
        let class = self.class(self.op(1)?)?;
        let to = match op {
            Op::TypePointer => Some(self.op(2)?),
            _ => None,
        };
        self.pointers.insert(id, Pointer { class, to });
        let Some(space) = space(class) else {
            let message = format!("the storage class {class:?} is not supported");
            return Err(self.refused(Code::Type, message));
        };
        let types = &mut self.module.types;
        Ok(match to.and_then(|to| self.types.get(&to)) {
            Some(Ok(to)) => types.pointer(*to, space),
            // A type that is declared later is unknown here.
            _ => types.scalar(Scalar::Ptr(space)),
        })
    }

    /// Sampled type, dimension, depth, arrayed, multisampled, sampled, format, access.
    fn image(&self) -> Result<&'static str> {
        let (dim, depth, arrayed, samples) = (self.op(2)?, self.op(3)?, self.op(4)?, self.op(5)?);
        let dim = Dim::from_u32(dim).filter(|_| depth == 0 && samples == 0);
        match (dim, arrayed) {
            (Some(Dim::Dim1D), 0) => Ok("image1d"),
            (Some(Dim::Dim1D), 1) => Ok("image1d_array"),
            (Some(Dim::Dim2D), 0) => Ok("image2d"),
            (Some(Dim::Dim2D), 1) => Ok("image2d_array"),
            (Some(Dim::Dim3D), 0) => Ok("image3d"),
            (Some(Dim::DimBuffer), 0) => Ok("image1d_buffer"),
            _ => Err(self.refused(Code::Type, "images of this kind are not supported")),
        }
    }

    /// Type of a number.
    pub(super) fn ty(&self, id: u32) -> Result<Type> {
        match self.types.get(&id) {
            Some(Ok(ty)) => Ok(*ty),
            Some(Err(fault)) => Err(fault.clone().at(self.loc())),
            None => Err(self.fail(format!("{} is no type", self.shown(id)))),
        }
    }

    /// Type of the values of a type.
    pub(super) fn value_ty(&self, id: u32) -> Result<Type> {
        match self.ty(id)? {
            Types::VOID => Err(self.fail("no value has this type")),
            ty => match self.module.types.data(ty) {
                TypeData::Opaque(_) | TypeData::Function(..) => {
                    Err(self.fail("no value has this type"))
                }
                _ => Ok(ty),
            },
        }
    }

    /// Pointer type that a value has.
    pub(super) fn pointer_of(&self, value: u32) -> Result<Pointer> {
        let pointer = self
            .type_of
            .get(&value)
            .and_then(|ty| self.pointers.get(ty));
        match pointer {
            Some(pointer) => Ok(*pointer),
            None => Err(self.fail(format!("{} is no pointer", self.shown(value)))),
        }
    }

    /// Type that a pointer points to.
    pub(super) fn pointee(&self, value: u32) -> Result<Type> {
        match self.pointer_of(value)?.to {
            Some(to) => self.ty(to),
            None => Err(self.fail("the pointer has no pointee type")),
        }
    }
}

/// Address space of a storage class.
fn space(class: StorageClass) -> Option<u32> {
    let row = SPACES.iter().find(|(one, _)| *one == class);
    row.map(|(_, space)| *space)
}

/// Access in the name of a handle.
fn access(qualifier: Option<&u32>) -> &'static str {
    match qualifier.and_then(|number| AccessQualifier::from_u32(*number)) {
        Some(AccessQualifier::ReadOnly) => "_ro",
        Some(AccessQualifier::WriteOnly) => "_wo",
        Some(AccessQualifier::ReadWrite) => "_rw",
        None => "",
    }
}
