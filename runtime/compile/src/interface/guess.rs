//! Interfaces of kernels of which only the declarations are known.

use super::check::{Fault, InterfaceError};
use super::data::{Access, Argument, Interface, KernelInterface};
use crate::result::{Compiled, CompiledModule, KernelInput};

impl Interface {
    /// The interfaces that the module has itself, else interfaces that take each `.input` for an argument, in the order
    /// of declaration: an input of type `uq` for the address of a buffer that is read and written, any other for a
    /// value of its type.
    ///
    /// # Errors
    /// An input has several elements, so that its kind is unknown.
    pub fn guess(module: &CompiledModule) -> Result<Interface, InterfaceError> {
        if let Some(interface) = &module.interface {
            return Ok(interface.clone());
        }
        let kernel = |kernel: &Compiled| {
            let arguments = kernel.inputs.iter().map(argument);
            let arguments = arguments.collect::<Result<_, _>>();
            Ok(KernelInterface {
                name: kernel.name.clone(),
                arguments: arguments.map_err(|what| InterfaceError {
                    kernel: kernel.name.clone(),
                    what,
                })?,
                ..KernelInterface::default()
            })
        };
        let kernels = module.kernels.iter().map(kernel);
        Ok(Interface {
            strings: Vec::new(),
            kernels: kernels.collect::<Result<_, _>>()?,
        })
    }
}

/// The argument that an input is taken for.
fn argument(input: &KernelInput) -> Result<Argument, Fault> {
    let &KernelInput { offset, size, .. } = input;
    match input.scalar.as_deref() {
        Some("uq") => Ok(Argument::Buffer {
            offset: Some(offset),
            bti: None,
            access: Access::default(),
            stateless: false,
            unread: false,
        }),
        Some(_) => Ok(Argument::Value {
            offset,
            size,
            unread: false,
        }),
        None => Err(Fault::Unknown(input.name.clone())),
    }
}
