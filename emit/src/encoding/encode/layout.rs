//! Encoders specialized to a family and a format.
//!
//! The encoder walks tables of fields, and finding the fields takes most of its time. For the most common formats
//! each family has an encoder of its own: the same generic code with the family's tables as constants, so that field
//! places are folded into the code and missing fields cost nothing.

use super::Encoder;
use crate::encoding::spec::{Form, Format, OpSpec, Spec};
use crate::encoding::{EncodeError, gen9, gen11, xe};
use crate::inst::Inst;
use crate::platform::{self, Platform};

/// A format of a family.
pub(super) trait Layout: Copy {
    fn spec(self) -> &'static Spec;
    fn format(self) -> &'static Format;
}

/// A format known only at run time.
#[derive(Clone, Copy)]
pub(super) struct Any {
    pub spec: &'static Spec,
    pub format: &'static Format,
}

impl Any {
    pub fn of(inst: &Inst, op: &OpSpec, spec: &'static Spec) -> Any {
        let format = spec.format(op.form, inst.opts.align16);
        Any { spec, format }
    }
}

impl Layout for Any {
    fn spec(self) -> &'static Spec {
        self.spec
    }

    fn format(self) -> &'static Format {
        self.format
    }
}

/// The tables of a family known at compile time.
trait Family: Copy {
    fn spec() -> &'static Spec;
}

/// The family's format of one and two sources.
#[derive(Clone, Copy)]
struct Basic<F>(F);

/// The family's format of three sources.
#[derive(Clone, Copy)]
struct Three<F>(F);

impl<F: Family> Layout for Basic<F> {
    #[inline(always)]
    fn spec(self) -> &'static Spec {
        F::spec()
    }

    #[inline(always)]
    fn format(self) -> &'static Format {
        &F::spec().align1
    }
}

impl<F: Family> Layout for Three<F> {
    #[inline(always)]
    fn spec(self) -> &'static Spec {
        F::spec()
    }

    #[inline(always)]
    fn format(self) -> &'static Format {
        &F::spec().ternary
    }
}

fn encode<F: Family>(
    family: F,
    inst: &Inst,
    op: &'static OpSpec,
    platform: &Platform,
) -> Result<u128, EncodeError> {
    match op.form {
        Form::Unary | Form::Binary | Form::Math if !inst.opts.align16 => {
            Encoder::new(inst, op, Basic(family), platform).run()
        }
        Form::Ternary => Encoder::new(inst, op, Three(family), platform).run(),
        _ => Encoder::new(inst, op, Any::of(inst, op, F::spec()), platform).run(),
    }
}

macro_rules! families {
    ($($family:ident: $spec:path;)*) => {
        $(
            #[derive(Clone, Copy)]
            struct $family;

            impl Family for $family {
                #[inline(always)]
                fn spec() -> &'static Spec {
                    &$spec
                }
            }
        )*

        /// The long form of an instruction.
        pub(super) fn run(
            inst: &Inst,
            op: &'static OpSpec,
            platform: &Platform,
        ) -> Result<u128, EncodeError> {
            match platform.family {
                $(platform::Family::$family => encode($family, inst, op, platform),)*
            }
        }
    };
}

families! {
    Gen9: gen9::SPEC;
    Gen11: gen11::SPEC;
    Gen12Lp: xe::GEN12LP;
    XeHpg: xe::XE_HPG;
    XeHpc: xe::XE_HPC;
    Xe2: xe::XE2;
    Xe3: xe::XE3;
}

#[cfg(test)]
#[path = "tests/layout.rs"]
mod tests;
