//! Execution of a launch's groups on several cores; each group's threads take turns on one of them.
//!
//! Workers take groups in the order of their numbers. Whatever happens, all groups before one that
//! fails are executed to their ends: the error is that of the first group that fails in this order,
//! and the figures are sums, so that neither depends on the number of workers. What a kernel leaves
//! in memory is the same as long as the kernel itself orders the accesses of its groups.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kiln_emit::inst::Inst;
use kiln_emit::verify::scoreboard::Facts;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::barrier::Barriers;
use super::defined::Defined;
use super::dispatch::{Launch, RunError, Setup};
use super::engine::{Engine, Turns};
use super::error::{Cause, ExecError};
use super::machine::{Status, Thread, UNDEFINED};
use super::memory::{Memory, Shared};
use super::message;
use super::operation::Path;
use super::program::Program;
use super::stats::{Counts, Stats};
use super::systolic;
use super::trace::Trace;
use super::words::Words;

/// Options of a launch; its results do not depend on them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Number of host threads that execute groups; 0 for the number of cores.
    pub threads: usize,
    /// Reports reads of undefined registers, and accesses that an earlier instruction may not have finished
    /// with. Takes several times as long.
    pub check: bool,
    /// Sink for executed instructions; groups are then executed one after the other.
    pub trace: Option<&'a Trace<'a>>,
    /// Counter of finished groups, for another thread to watch.
    pub done: Option<&'a AtomicU64>,
    /// The part that executes instructions; checks and traces are always interpreted.
    pub engine: Engine,
    /// Counter of executed instructions, updated now and then.
    pub executed: Option<&'a AtomicU64>,
}

impl Options<'_> {
    /// True if each instruction is looked at before it executes.
    fn watches(&self) -> bool {
        self.check || self.trace.is_some()
    }

    /// The engine that executes.
    fn engine(&self) -> Engine {
        match self.watches() {
            true => Engine::Interpret,
            false => self.engine,
        }
    }
}

/// Number of instructions of a thread's turn.
const TURN_INSTS: u64 = 1 << 16;

/// State that all workers share.
struct Job<'a> {
    setup: &'a Setup,
    launch: &'a Launch<'a>,
    program: &'a Program,
    options: &'a Options<'a>,
    /// The scoreboard's view of the code, if it is checked.
    scoreboard: Option<Facts<'a>>,
    groups: u64,
    /// The next group to take.
    next: AtomicU64,
    /// The first failed group so far.
    failed: AtomicU64,
    /// Number of instructions of the finished groups.
    spent: AtomicU64,
    order: Mutex<Order>,
}

/// Sum of instructions in the order of groups.
#[derive(Default)]
struct Order {
    /// The first unfinished group.
    next: u64,
    /// Sum over the groups before it, and the later groups that have finished.
    total: u64,
    ended: BTreeMap<u64, u64>,
    /// The group in which the budget was exceeded.
    exhausted: Option<u64>,
}

impl Order {
    fn end(&mut self, group: u64, instructions: u64, budget: u64) {
        self.ended.insert(group, instructions);
        while let Some(instructions) = self.ended.remove(&self.next) {
            self.total = self.total.saturating_add(instructions);
            if self.total > budget {
                self.exhausted.get_or_insert(self.next);
            }
            self.next += 1;
        }
    }
}

/// State of one worker.
struct Worker<'a> {
    memory: Memory,
    slm: Words,
    threads: Vec<Thread>,
    engine: Box<dyn Turns + 'a>,
    counts: Counts,
    failure: Option<(u64, Box<ExecError>)>,
}

/// The result of a worker.
struct Outcome {
    counts: Counts,
    failure: Option<(u64, Box<ExecError>)>,
}

/// Executes all groups.
pub fn run(
    setup: &Setup,
    launch: &Launch,
    program: &Program,
    options: &Options,
) -> Result<Stats, RunError> {
    let groups = setup.groups.iter().map(|&n| u64::from(n)).product();
    if let Some(trace) = options.trace {
        trace.check(groups, setup.threads)?;
    }
    let job = Job {
        setup,
        launch,
        program,
        options,
        scoreboard: program.scoreboard().filter(|_| options.check),
        groups,
        next: AtomicU64::new(0),
        failed: AtomicU64::new(u64::MAX),
        spent: AtomicU64::new(0),
        order: Mutex::new(Order::default()),
    };
    let cores = match options.threads {
        0 => rayon::current_num_threads(),
        threads => threads,
    };
    let workers = match options.trace.is_some() || options.engine() == Engine::Both {
        true => 1,
        false => cores.min(usize::try_from(groups).unwrap_or(usize::MAX)),
    };
    let outcomes: Vec<Outcome> = if workers <= 1 {
        vec![job.work()]
    } else {
        let all = || {
            (0..workers)
                .into_par_iter()
                .with_max_len(1)
                .map(|_| job.work())
                .collect()
        };
        // More threads than cores are possible.
        let wanted = (options.threads != 0).then(rayon::ThreadPoolBuilder::new);
        match wanted.map(|pool| pool.num_threads(workers).build()) {
            Some(Ok(pool)) => pool.install(all),
            Some(Err(_)) | None => all(),
        }
    };
    let mut counts = Counts::new(program);
    let mut failure: Option<(u64, Box<ExecError>)> = None;
    for worker in outcomes {
        counts.add(&worker.counts);
        if let Some(found) = worker.failure
            && failure.as_ref().is_none_or(|first| found.0 < first.0)
        {
            failure = Some(found);
        }
    }
    let exhausted = job
        .order
        .into_inner()
        .unwrap_or_else(|e| e.into_inner())
        .exhausted;
    match (failure, exhausted) {
        (Some((group, error)), exhausted) if exhausted.is_none_or(|e| group <= e) => {
            Err(RunError::Exec(error))
        }
        (_, Some(group)) => Err(RunError::Budget {
            group: setup.group(group),
            budget: launch.budget,
        }),
        _ => Ok(Stats::new(
            &counts,
            program,
            groups,
            u64::from(setup.threads),
        )),
    }
}

impl Worker<'_> {
    fn end(mut self) -> Outcome {
        self.engine.end(&mut self.counts);
        Outcome {
            counts: self.counts,
            failure: self.failure,
        }
    }
}

impl Job<'_> {
    /// Executes groups until there are none left, or one has failed.
    fn work(&self) -> Outcome {
        let mut worker = Worker {
            memory: self.setup.memory.with_own(),
            slm: Words::filled(self.setup.slm, UNDEFINED),
            threads: self.setup.threads(),
            engine: self.options.engine().start(self.program),
            counts: Counts::new(self.program),
            failure: None,
        };
        loop {
            let group = self.next.fetch_add(1, Relaxed);
            if group >= self.groups
                || group > self.failed.load(Relaxed)
                || self.spent.load(Relaxed) > self.launch.budget
            {
                return worker.end();
            }
            let mut executed = 0;
            let result = self.group(&mut worker, group, &mut executed);
            self.spent.fetch_add(executed, Relaxed);
            let order = self.order.lock();
            order
                .unwrap_or_else(|e| e.into_inner())
                .end(group, executed, self.launch.budget);
            if let Some(done) = self.options.done {
                done.fetch_add(1, Relaxed);
            }
            if let Err(error) = result {
                self.failed.fetch_min(group, Relaxed);
                worker.failure = Some((group, error));
                return worker.end();
            }
        }
    }

    fn group(
        &self,
        worker: &mut Worker,
        number: u64,
        executed: &mut u64,
    ) -> Result<(), Box<ExecError>> {
        let (setup, program) = (self.setup, self.program);
        let group = setup.group(number);
        worker.memory.forget_own();
        worker.slm.fill(UNDEFINED);
        let threads = &mut worker.threads;
        for (number, thread) in (0..).zip(threads.iter_mut()) {
            setup.start(thread, self.launch, group, number);
            if self.options.check {
                let mut defined = Defined::none(thread.grf.len());
                defined.start(setup.payload_bytes());
                thread.defined = Some(Box::new(defined));
                thread.board = Some(Box::default());
            }
        }
        let mut shared = Shared {
            memory: &worker.memory,
            surfaces: &setup.surfaces,
            samplers: &setup.samplers,
            slm: &worker.slm,
            general_state: setup.general_state,
            scratch: setup.scratch,
            barriers: Barriers::default(),
            read: 0,
            written: 0,
        };
        let watched = self.options.watches();
        let engine = &mut worker.engine;
        engine.start_group(&shared);
        let result = loop {
            let mut failure = None;
            for thread in threads.iter_mut().filter(|t| t.status == Status::Running) {
                let limit = self.launch.budget.saturating_sub(*executed).min(TURN_INSTS);
                let before = thread.executed;
                let result = match (limit, watched) {
                    (0, _) => Err(Cause::Budget(self.launch.budget)),
                    (_, false) => {
                        engine.turn(thread, program, &mut shared, limit, &mut worker.counts)
                    }
                    (_, true) => {
                        let trace = self
                            .options
                            .trace
                            .filter(|t| t.wants(number, thread.number));
                        let watched = Watched {
                            scoreboard: self.scoreboard.as_ref(),
                            group,
                            trace,
                        };
                        let counts = &mut worker.counts;
                        watched_steps(thread, program, &mut shared, limit, counts, &watched)
                    }
                };
                *executed += thread.executed - before;
                if let Some(executed) = self.options.executed {
                    executed.fetch_add(thread.executed - before, Relaxed);
                }
                if let Err(cause) = result.and_then(|()| stranded(thread)) {
                    failure = Some(ExecError::new(group, thread, program, cause));
                    break;
                }
            }
            if let Some(error) = failure {
                break Err(Box::new(error));
            }
            if let Err((number, cause)) = pair(threads, program, &mut worker.counts) {
                break Err(Box::new(ExecError::new(
                    group,
                    &threads[number],
                    program,
                    cause,
                )));
            }
            shared.barriers.pass(threads);
            let with = |status| threads.iter().filter(|t| t.status == status).count() as u32;
            let (waiting, ended) = (with(Status::Waiting), with(Status::Ended));
            let paired = with(Status::Paired);
            if ended == setup.threads {
                break Ok(());
            }
            if waiting + ended + paired == setup.threads
                && let Some(thread) = threads.iter().find(|t| t.status == Status::Paired)
            {
                let cause = Cause::Unpaired;
                break Err(Box::new(ExecError::new(group, thread, program, cause)));
            }
            if waiting + ended == setup.threads
                && let Some(thread) = threads.iter().find(|t| t.status == Status::Waiting)
            {
                let cause = Cause::Deadlock {
                    waiting,
                    threads: setup.threads,
                };
                break Err(Box::new(ExecError::new(group, thread, program, cause)));
            }
        };
        let left = engine.end_group(&shared, &worker.counts);
        let result = match left {
            Ok(()) => result,
            Err(cause) => Err(Box::new(ExecError::new(group, &threads[0], program, cause))),
        };
        worker.counts.read += shared.read;
        worker.counts.written += shared.written;
        result
    }
}

impl Thread {
    /// Checks that an instruction about to be executed for some channels waits for the accesses it depends on.
    fn check_dependencies(
        &mut self,
        facts: &Facts,
        program: &Program,
        index: u32,
        channels: u32,
    ) -> Result<(), Cause> {
        let (Some(board), Some(_)) = (&mut self.board, program.inst(index)) else {
            return Ok(());
        };
        let Some(finding) = board.execute(facts, index as usize, channels) else {
            return Ok(());
        };
        let first = finding.first as u32;
        let at = program.op(first).map_or(0, |op| op.at);
        let inst = program.inst(first).map(Inst::to_string);
        Err(Cause::Hazard {
            at,
            inst: inst.unwrap_or_default(),
            finding,
        })
    }
}

/// Executes operations of fused pairs that both threads have reached. Returns the number of a failed thread, with the
/// cause.
fn pair(
    threads: &mut [Thread],
    program: &Program,
    counts: &mut Counts,
) -> Result<(), (usize, Cause)> {
    for (number, pair) in threads.chunks_exact_mut(2).enumerate() {
        if let [first, second] = pair {
            systolic::exchange(first, second, program, counts)
                .map_err(|cause| (number * 2, cause))?;
        }
    }
    Ok(())
}

/// Checks that no channel of an ended thread is waiting.
fn stranded(thread: &Thread) -> Result<(), Cause> {
    match (thread.status, thread.waiting) {
        (Status::Ended, waiting @ 1..) => Err(Cause::Stranded { waiting }),
        _ => Ok(()),
    }
}

/// Executes up to `limit` instructions; fewer if the thread waits or ends.
pub(super) fn steps(
    thread: &mut Thread,
    program: &Program,
    shared: &mut Shared,
    limit: u64,
    counts: &mut Counts,
) -> Result<(), Cause> {
    thread.update_timestamp();
    steps_on(thread, program, shared, limit, counts)
}

/// As [`steps`], with the time unchanged.
pub(super) fn steps_on(
    thread: &mut Thread,
    program: &Program,
    shared: &mut Shared,
    limit: u64,
    counts: &mut Counts,
) -> Result<(), Cause> {
    for _ in 0..limit {
        step(thread, program, shared, counts)?;
        if thread.status != Status::Running {
            break;
        }
    }
    Ok(())
}

/// Actions beside the execution.
struct Watched<'a> {
    scoreboard: Option<&'a Facts<'a>>,
    group: [u32; 3],
    trace: Option<&'a Trace<'a>>,
}

/// Executes instructions with checks of registers and dependencies, and with a trace.
fn watched_steps(
    thread: &mut Thread,
    program: &Program,
    shared: &mut Shared,
    limit: u64,
    counts: &mut Counts,
    watched: &Watched,
) -> Result<(), Cause> {
    thread.update_timestamp();
    for _ in 0..limit {
        let index = thread.ip;
        // Channels that continue here count as active.
        thread.wake_channels();
        let enabled = program.op(index).map_or(0, |op| thread.enabled(op));
        if let Some(op) = program.op(index) {
            thread.check(op)?;
            if let Some(facts) = watched.scoreboard {
                thread.check_dependencies(facts, program, index, enabled << op.chan_off)?;
            }
        }
        step(thread, program, shared, counts)?;
        if let Some(trace) = watched.trace.filter(|_| thread.status != Status::Paired) {
            trace.report(watched.group, thread, program, index, enabled);
        }
        if thread.status != Status::Running {
            break;
        }
    }
    Ok(())
}

/// Executes one instruction.
#[inline(always)]
fn step(
    thread: &mut Thread,
    program: &Program,
    shared: &mut Shared,
    counts: &mut Counts,
) -> Result<(), Cause> {
    let index = thread.ip;
    let op = program
        .op(index)
        .ok_or(Cause::NoInstruction(program.end()))?;
    if op.wakes && thread.waiting != 0 {
        thread.wake_channels();
    }
    let lanes = thread.enabled(op).count_ones();
    match &op.path {
        Path::Branch => thread.branch(op, program)?,
        Path::Wait | Path::Barrier => {
            match op.path {
                Path::Wait => thread.wait(op)?,
                _ => thread.wait_at_barrier(op)?,
            }
            if thread.status == Status::Waiting {
                // It was not executed.
                return Ok(());
            }
        }
        Path::Systolic(systolic) if systolic.is_shared() => {
            // It is executed when the other thread of the pair has reached it.
            thread.status = Status::Paired;
            return Ok(());
        }
        Path::Send(send) => {
            message::send(thread, shared, op, send)?;
            thread.ip += 1;
        }
        _ => {
            thread.execute(op)?;
            thread.ip += 1;
        }
    }
    thread.executed += 1;
    counts.executed(index, lanes);
    Ok(())
}
