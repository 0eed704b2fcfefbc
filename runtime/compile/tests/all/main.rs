//! Tests of compilation as a whole.
//! One program, because linking each file for itself takes minutes.

mod attempts;
mod brain_floats;
mod cache;
mod common;
mod compile_fuzz;
mod finalize;
mod message_order;
mod mutate;
mod nested;
mod object_files;
mod optimizer;
mod own_scratch;
mod quality;
mod raw_sends;
mod small_floats;
mod spill_bound;
mod spills_by_address;
mod undefined;
