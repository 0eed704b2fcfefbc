//! Decorations and modes as attributes of the carrier dialect.

use smol_str::format_smolstr;
use spirv::{BuiltIn, Decoration, ExecutionMode, FPDenormMode, FPOperationMode, FPRoundingMode};

use super::Reader;
use crate::error::Result;
use crate::intrinsics::launch;
use crate::ir::{Attrs, Type, TypeData};

/// Decorations of a function, and their attributes.
const FUNCTIONS: [(Decoration, &str); 2] = [
    (Decoration::VectorComputeFunctionINTEL, "VCFunction"),
    (Decoration::StackCallINTEL, "VCStackCall"),
];
/// Decorations of a variable, and their attributes.
const VARIABLES: [(Decoration, &str); 2] = [
    (Decoration::VectorComputeVariableINTEL, "VCGlobalVariable"),
    (Decoration::Volatile, "VCVolatile"),
];

/// Decorations of a parameter that are in no public list of SPIR-V, by their numbers: its kind, and its description.
const FUNC_PARAM_KIND: u32 = 9624;
const FUNC_PARAM_DESC: u32 = 9625;

/// Bits of the control register by the modes of rounding, and by the one that multiplies by zero in its own way.
const ROUNDINGS: [(ExecutionMode, FPRoundingMode, u32); 4] = [
    (ExecutionMode::RoundingModeRTE, FPRoundingMode::RTE, 0),
    (
        ExecutionMode::RoundingModeRTPINTEL,
        FPRoundingMode::RTP,
        1 << 4,
    ),
    (
        ExecutionMode::RoundingModeRTNINTEL,
        FPRoundingMode::RTN,
        2 << 4,
    ),
    (ExecutionMode::RoundingModeRTZ, FPRoundingMode::RTZ, 3 << 4),
];
const OPERATIONS: [(ExecutionMode, FPOperationMode, u32); 2] = [
    (
        ExecutionMode::FloatingPointModeIEEEINTEL,
        FPOperationMode::IEEE,
        0,
    ),
    (
        ExecutionMode::FloatingPointModeALTINTEL,
        FPOperationMode::ALT,
        1,
    ),
];
/// Bits of the control register that keep denormals, by the width of the floats.
const DENORMALS: [(u32, u32); 3] = [(64, 1 << 6), (32, 1 << 7), (16, 1 << 10)];

/// Bits that keep the denormals of floats of a width.
fn denormals(width: u32) -> u32 {
    let row = DENORMALS.iter().find(|(bits, _)| *bits == width);
    row.map_or(0, |(_, control)| *control)
}

impl Reader<'_> {
    /// Attributes of a variable.
    pub(super) fn variable_attrs(&self, id: u32) -> Attrs {
        let mut attrs = Attrs::new();
        let launch = self.decoration(id, Decoration::BuiltIn);
        if let Some(value) = launch.and_then(BuiltIn::from_u32) {
            let name = format_smolstr!("{value:?}");
            attrs.push((launch::ATTRIBUTE.into(), name));
        }
        if !self.has(id, Decoration::VectorComputeVariableINTEL) {
            return attrs;
        }
        let held = VARIABLES.iter().filter(|(kind, _)| self.has(id, *kind));
        attrs.extend(held.map(|(_, name)| ((*name).into(), Default::default())));
        if let Some(byte) = self.decoration(id, Decoration::GlobalVariableOffsetINTEL) {
            attrs.push(("VCByteOffset".into(), byte.to_string().into()));
        }
        attrs
    }

    /// Attributes of a parameter.
    pub(super) fn param_attrs(&self, id: u32) -> Attrs {
        let kind = self.numbered(id, FUNC_PARAM_KIND).next();
        let kind = kind.map(|found| ("VCArgumentKind".into(), found.word(0).to_string().into()));
        let text = self.numbered(id, FUNC_PARAM_DESC).next();
        let text = text.and_then(|found| super::stream::text(found.words()));
        let text = text.map(|(text, _)| ("VCArgumentDesc".into(), text));
        kind.into_iter().chain(text).collect()
    }

    /// Attributes of a function, which an entry point has taken the place of.
    pub(super) fn function_attrs(&self, id: u32, entry: Option<u32>) -> Result<Attrs> {
        let mut attrs = Attrs::new();
        let ids = [Some(id), entry];
        let ids = ids.iter().flatten();
        for (kind, name) in FUNCTIONS {
            if ids.clone().any(|id| self.has(*id, kind)) {
                attrs.push((name.into(), Default::default()));
            }
        }
        let mut control = None;
        for id in ids {
            self.decorated_floats(*id, &mut control);
            for mode in self.modes.get(id).into_iter().flatten() {
                let word = |n: usize| mode.words.get(n).copied().unwrap_or(0);
                let Some(kind) = ExecutionMode::from_u32(word(1)) else {
                    continue;
                };
                let mut add = |bits: u32| *control.get_or_insert(0) |= bits;
                let rounding = ROUNDINGS.iter().find(|(mode, ..)| *mode == kind);
                let operation = OPERATIONS.iter().find(|(mode, ..)| *mode == kind);
                match (kind, rounding, operation) {
                    (_, Some((.., bits)), _) => add(*bits),
                    (_, _, Some((.., bits))) => add(*bits),
                    (ExecutionMode::DenormPreserve, ..) => add(denormals(word(2))),
                    (ExecutionMode::DenormFlushToZero, ..) => add(0),
                    (ExecutionMode::SharedLocalMemorySizeINTEL, ..) => {
                        attrs.push(("VCSLMSize".into(), word(2).to_string().into()));
                    }
                    (ExecutionMode::NamedBarrierCountINTEL, ..) => {
                        attrs.push(("VCNamedBarrierCount".into(), word(2).to_string().into()));
                    }
                    _ => {}
                }
            }
        }
        if let Some(control) = control {
            attrs.push(("VCFloatControl".into(), control.to_string().into()));
        }
        Ok(attrs)
    }

    /// Adds the bits of the control register that decorations of a function ask for: each has a width and a mode.
    fn decorated_floats(&self, id: u32, control: &mut Option<u32>) {
        let mut add = |bits: u32| *control.get_or_insert(0) |= bits;
        for found in self.decorated(id, Decoration::FunctionRoundingModeINTEL) {
            let row = ROUNDINGS
                .iter()
                .find(|(_, mode, _)| *mode as u32 == found.word(1));
            row.into_iter().for_each(|(.., bits)| add(*bits));
        }
        for found in self.decorated(id, Decoration::FunctionFloatingPointModeINTEL) {
            let row = OPERATIONS
                .iter()
                .find(|(_, mode, _)| *mode as u32 == found.word(1));
            row.into_iter().for_each(|(.., bits)| add(*bits));
        }
        for found in self.decorated(id, Decoration::FunctionDenormModeINTEL) {
            match found.word(1) == FPDenormMode::Preserve as u32 {
                true => add(denormals(found.word(0))),
                false => add(0),
            }
        }
    }

    /// Type of a parameter that has another one by its decorations: an image that is read in blocks.
    pub(super) fn param_ty(&mut self, id: u32, ty: Type) -> Type {
        let TypeData::Handle(name) = self.module.types.data(ty) else {
            return ty;
        };
        let Some(access) = name.strip_prefix("opencl.image2d_") else {
            return ty;
        };
        if !self.has(id, Decoration::MediaBlockIOINTEL) {
            return ty;
        }
        let name = format!("opencl.image2d_media_block_{access}");
        self.module.types.get(TypeData::Handle(name.into()))
    }

    /// Type of a parameter that is passed by reference and is a copy.
    pub(super) fn by_value(&self, id: u32) -> Result<Option<Type>> {
        let copy = spirv::FunctionParameterAttribute::ByVal as u32;
        let mut found = self.decorated(id, Decoration::FuncParamAttr);
        match found.any(|found| found.word(0) == copy) {
            true => Ok(Some(self.pointee(id)?)),
            false => Ok(None),
        }
    }
}
