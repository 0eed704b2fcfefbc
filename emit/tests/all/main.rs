//! Tests of encodings, messages, schedules, scoreboards and texts of machine code.
//! One program, because linking each file for itself takes minutes.

mod any_bytes;
mod chains;
mod common;
mod cost;
mod encode_errors;
mod errata;
mod families;
mod flow;
mod kernels;
mod late_reads;
mod live;
mod machine_code;
mod messages;
mod pairs;
mod planted;
mod planted_table;
mod read;
mod schedule;
mod scoreboard;
mod scoreboard_of_code;
mod scoreboard_pass;
mod text;
mod verify;
