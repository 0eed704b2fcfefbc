//! Launches, and their descriptions: argument specifications ([`parse_spec`]), and an example's `launch.yaml`
//! ([`Description`]), which adds the expected contents of buffers.

mod arguments;
mod binding;
pub(crate) mod buffer;
mod description;
pub(crate) mod dispatch;
pub(crate) mod engine;
pub(crate) mod error;
mod format;
mod hardware;
mod implicit;
pub mod picture;
mod printed;
pub(crate) mod program;
pub(crate) mod request;
pub(crate) mod run;
pub(crate) mod setup;
pub(crate) mod single;
mod spec;
pub(crate) mod stats;
pub(crate) mod trace;
mod watch;

pub use description::{
    CheckError, DescribedArg, Description, DescriptionError, Expectation, Mismatch, Tolerance,
    compare,
};
pub use spec::{
    FileError, LoadError, Scalar, Source, Spec, SpecError, TypeError, check_types, parse_spec,
};
