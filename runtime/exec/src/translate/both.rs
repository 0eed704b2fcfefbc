//! Both engines side by side, each on a copy of thread and memory.
//!
//! The interpreter's copy is the one that counts. Both execute the same number of instructions at a time: one block, or
//! now and then as many as let a loop run. Then threads are compared, and memory where it is small; all of it after an
//! error and at the end of each group, and there the counts of executions. A difference is an error that names the first
//! place.

use std::fmt::Write as _;

use super::engine::Translated;
use super::translations::Translations;
use crate::code::counts::Counts;
use crate::code::decoded::Decoded;
use crate::interpret::step::steps_on;
use crate::interpret::turns::Turns;
use crate::state::cause::Cause;
use crate::state::memory::{Memory, Shared};
use crate::state::thread::{File, Status, Thread};
use crate::state::words::Words;

/// Numbers of instructions that are executed between comparisons, in turn; a zero stands for one block.
const STRIDES: [u64; 8] = [0, 0, 0, 37, 0, 0, 1000, 5];
/// Maximum size of memory that is compared after every block, in bytes.
const MAX_COMPARED_BYTES: u64 = 1 << 14;

/// The engine that compares.
pub struct Both<'a> {
    translated: Translated<'a>,
    /// Copies for translated code.
    memory: Option<Memory>,
    slm: Words,
    twin: Option<Box<Thread>>,
    stride: usize,
    /// Executions that translated code has counted.
    counts: Counts,
    program: &'a Decoded,
}

impl<'a> Both<'a> {
    /// Translates a program; none where that is not possible.
    pub fn new(program: &'a Decoded, translations: &'a Translations) -> Option<Both<'a>> {
        let mut translated = Translated::new(program, translations)?;
        translated.eager = true;
        Some(Both {
            translated,
            memory: None,
            slm: Words::default(),
            twin: None,
            stride: 0,
            counts: Counts::new(program),
            program,
        })
    }

    fn stride(&mut self, thread: &Thread) -> u64 {
        self.stride = (self.stride + 1) % STRIDES.len();
        match STRIDES[self.stride] {
            0 => self.translated.block_len(thread).unwrap_or(1).into(),
            stride => stride,
        }
    }
}

impl Turns for Both<'_> {
    fn start_group(&mut self, shared: &Shared) {
        // Private memory and shared local memory are in their first state again.
        self.slm = Words::new(&shared.slm.to_bytes());
        self.memory = Some(shared.memory.copied());
        self.translated.own = Default::default();
    }

    fn end_group(&mut self, shared: &Shared, counts: &Counts) -> Result<(), Cause> {
        self.translated.end(&mut self.counts);
        // A failed turn has compared all memory itself.
        let Some(memory) = self.memory.take() else {
            return Ok(());
        };
        let what = shared.memory.first_difference(&memory).or_else(|| {
            // Operations that a fused pair executes together are counted where the pair meets.
            let op = counts.first_difference(&self.counts, self.program)?;
            let (a, b) = (counts.of(op), self.counts.of(op));
            Some(format!("counts of operation {op}: {a:?} is {b:?}"))
        });
        match what {
            Some(what) => Err(Cause::Engines {
                at: 0,
                count: 0,
                what,
            }),
            None => Ok(()),
        }
    }

    fn turn(
        &mut self,
        thread: &mut Thread,
        program: &Decoded,
        shared: &mut Shared,
        limit: u64,
        counts: &mut Counts,
    ) -> Result<(), Cause> {
        let Some(memory) = self.memory.take() else {
            return Ok(());
        };
        let slm = std::mem::take(&mut self.slm);
        let result = self.turn_on((&memory, &slm), thread, program, (shared, counts), limit);
        if result.is_ok() {
            self.memory = Some(memory);
            self.slm = slm;
        }
        result
    }
}

impl Both<'_> {
    fn turn_on(
        &mut self,
        (memory, slm): (&Memory, &Words),
        thread: &mut Thread,
        program: &Decoded,
        (shared, counts): (&mut Shared, &mut Counts),
        limit: u64,
    ) -> Result<(), Cause> {
        thread.update_timestamp();
        let mut twin = self
            .twin
            .take()
            .unwrap_or_else(|| Box::new(Thread::new(0, 0, thread.platform)));
        twin.copy_state(thread);
        let mut other = Shared {
            memory,
            bindings: shared.bindings,
            slm,
            general_state: shared.general_state,
            scratch: shared.scratch,
            barriers: shared.barriers.clone(),
            read: shared.read,
            written: shared.written,
        };
        let mut left = limit;
        let mut result = Ok(());
        while left > 0 && thread.status == Status::Running && result.is_ok() {
            let stride = self.stride(thread).min(left);
            let (from, before) = (thread.ip, thread.executed);
            let first = steps_on(thread, program, shared, stride, counts);
            let second = self
                .translated
                .run(&mut twin, &mut other, stride, &mut self.counts);
            let difference = differs(thread, &twin)
                .or_else(|| figures(shared, &other))
                .or_else(|| (first != second).then(|| format!("{first:?} is {second:?}")))
                .or_else(|| memory_differs(shared, &other, first.is_err()));
            if let Some(what) = difference {
                let at = program.op(from).map_or(0, |op| op.at);
                return Err(Cause::Engines {
                    at,
                    count: thread.executed - before,
                    what,
                });
            }
            left -= (thread.executed - before).min(left);
            result = first;
        }
        self.twin = Some(twin);
        result
    }
}

/// The first difference between two threads.
fn differs(a: &Thread, b: &Thread) -> Option<String> {
    let files = [
        (File::Grf, "r"),
        (File::Acc, "acc"),
        (File::Addr, "a"),
        (File::Flag, "f"),
        (File::Control, "cr"),
        (File::State, "sr"),
        (File::Scalar, "s"),
        (File::Notification, "n"),
    ];
    let size = a.register_bytes();
    for (file, name) in files {
        let (x, y) = (a.file(file), b.file(file));
        if let Some(at) = x.iter().zip(y).position(|(x, y)| x != y) {
            let mut text = format!("{name}{} byte {}:", at / size, at % size);
            let start = at / 4 * 4;
            let end = (start + 32).min(x.len());
            let _ = write!(text, " {:02x?} is {:02x?}", &x[start..end], &y[start..end]);
            return Some(text);
        }
    }
    let wide = a.acc.wide.iter().zip(&b.acc.wide);
    if let Some((lane, (x, y))) = wide.enumerate().find(|(_, (x, y))| x != y) {
        return Some(format!("acc lane {lane}: {x:#x} is {y:#x}"));
    }
    let numbers = [
        ("ip", a.ip, b.ip),
        ("active channels", a.active, b.active),
        ("waiting channels", a.waiting, b.waiting),
        ("called channels", a.called, b.called),
        ("executed", a.executed as u32, b.executed as u32),
        ("status", a.status as u32, b.status as u32),
    ];
    if let Some((name, x, y)) = numbers.into_iter().find(|(_, x, y)| x != y) {
        return Some(format!("{name}: {x:#x} is {y:#x}"));
    }
    let awaited = (0..a.wake.len()).filter(|lane| a.waiting >> lane & 1 != 0);
    for lane in awaited {
        if a.wake[lane] != b.wake[lane] {
            return Some(format!("channel {lane} waits elsewhere"));
        }
    }
    (a.mode != b.mode).then(|| "float mode".to_string())
}

fn figures(a: &Shared, b: &Shared) -> Option<String> {
    if (a.read, a.written) != (b.read, b.written) {
        return Some(format!(
            "bytes read and written: {} {} is {} {}",
            a.read, a.written, b.read, b.written
        ));
    }
    (a.barriers != b.barriers).then(|| "barriers".to_string())
}

/// The first difference between memories, unless comparing them takes long and need not be done.
fn memory_differs(a: &Shared, b: &Shared, always: bool) -> Option<String> {
    if !always && a.memory.total() + a.slm.len() as u64 > MAX_COMPARED_BYTES {
        return None;
    }
    if a.slm.to_bytes() != b.slm.to_bytes() {
        return Some("shared local memory".to_string());
    }
    a.memory.first_difference(b.memory)
}
