//! Single instructions against an independent model.

mod compare;
mod instance;
mod kind;
mod model;
mod real;
