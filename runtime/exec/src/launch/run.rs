//! Execution of a launch's groups on several cores; each group's threads take turns on one of them.
//!
//! Workers take groups in the order of their numbers. Whatever happens, all groups before one that
//! fails are executed to their ends: the error is that of the first group that fails in this order,
//! and the figures are sums, so that neither depends on the number of workers. What a kernel leaves
//! in memory is the same as long as the kernel itself orders the accesses of its groups.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use kiln_emit::verify::scoreboard::Facts;
use kiln_emit::ze_info::ExecutionEnv;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::arguments::check_args;
use super::dispatch::Dispatch;
use super::engine::Engine;
use super::error::{ExecError, RunError};
use super::hardware::{Hardware, Uncertain};
use super::printed;
use super::program::Program;
use super::request::{Arg, Launch};
use super::setup::Setup;
use super::stats::Stats;
use super::trace::Trace;
use super::watch::{Watched, watched_steps};
use crate::code::counts::Counts;
use crate::interpret::systolic;
use crate::interpret::turns::Turns;
use crate::state::barrier::Barriers;
use crate::state::cause::Cause;
use crate::state::defined::Defined;
use crate::state::memory::{Memory, Shared};
use crate::state::thread::{Status, Thread, UNDEFINED, Written};
use crate::state::words::Words;

/// Options of a launch; results of code that hardware defines do not depend on them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Number of host threads that execute groups; 0 for the number of cores.
    pub threads: usize,
    /// Host threads for this launch and others; without any, a launch on a number of threads of its own starts them.
    pub pool: Option<&'a rayon::ThreadPool>,
    /// Reports reads of undefined registers, and accesses that an earlier instruction may not have finished
    /// with. Takes several times as long.
    pub check: bool,
    /// Executes as hardware may: what it leaves undefined is an error or has its worst effect (`docs/executor.md`).
    /// Dependencies are checked as with `check`. Takes many times as long; groups are executed one after the other.
    pub hardware: bool,
    /// Sink for executed instructions; groups are then executed one after the other.
    pub trace: Option<&'a Trace<'a>>,
    /// Counter of finished groups, for another thread to watch.
    pub done: Option<&'a AtomicU64>,
    /// The part that executes instructions; checks, traces and the strict mode are always interpreted.
    pub engine: Engine,
    /// Counter of executed instructions, updated now and then.
    pub executed: Option<&'a AtomicU64>,
    /// If it becomes true, the launch ends before long with an error.
    pub stop: Option<&'a AtomicBool>,
}

impl Options<'_> {
    /// True if each instruction is looked at before it executes.
    fn watches(&self) -> bool {
        self.check || self.hardware || self.trace.is_some()
    }

    /// True if groups are executed one after the other.
    fn is_serial(&self) -> bool {
        self.hardware || self.trace.is_some() || self.engine() == Engine::Both
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
/// Maximum number of groups that a worker takes at a time, and minimum number of times that it takes some.
const MAX_RUN: u64 = 16;
const MIN_RUNS: u64 = 64;

/// State that all workers share.
struct Job<'a> {
    dispatch: &'a Dispatch,
    program: &'a Program,
    options: &'a Options<'a>,
    /// The scoreboard's view of the code, if it is checked.
    scoreboard: Option<Facts<'a>>,
    /// Places in the code with an undefined outcome, in the strict mode.
    hardware: Option<Hardware<'a>>,
    /// State that threads change.
    written: Written,
    groups: u64,
    /// Number of groups that a worker takes at a time.
    run: u64,
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
    /// Sum over the groups before it, and the later groups that have finished, by the first one of each run of them.
    total: u64,
    ended: BTreeMap<u64, Vec<u64>>,
    /// The group in which the budget was exceeded.
    exhausted: Option<u64>,
}

impl Order {
    /// Adds groups from one on, with their instructions.
    fn end(&mut self, first: u64, instructions: Vec<u64>, budget: u64) {
        self.ended.insert(first, instructions);
        while let Some(instructions) = self.ended.remove(&self.next) {
            for instructions in instructions {
                self.total = self.total.saturating_add(instructions);
                if self.total > budget {
                    self.exhausted.get_or_insert(self.next);
                }
                self.next += 1;
            }
        }
    }
}

/// State of one worker.
struct Worker<'a> {
    number: u32,
    memory: Memory,
    slm: Words,
    /// Places of threads.
    threads: Vec<Thread>,
    engine: Box<dyn Turns + 'a>,
    counts: Counts,
    failure: Option<(u64, Box<ExecError>)>,
}

/// A group that is executed.
struct Group<'a> {
    number: u64,
    /// Position in the launch.
    at: [u32; 3],
    shared: Shared<'a>,
    /// Uncertain contents of each thread, in the strict mode.
    uncertain: Vec<Uncertain>,
    /// Number of instructions so far.
    executed: u64,
}

/// The result of a worker.
struct Outcome {
    counts: Counts,
    failure: Option<(u64, Box<ExecError>)>,
}

/// Executes all groups of a kernel with an environment.
fn run(
    dispatch: &Dispatch,
    program: &Program,
    options: &Options,
    env: &ExecutionEnv,
) -> Result<Stats, RunError> {
    let groups = dispatch.groups.iter().map(|&n| u64::from(n)).product();
    let threads = dispatch.threads.len() as u32;
    if let Some(trace) = options.trace {
        trace.check(groups, threads)?;
    }
    let cores = match options.threads {
        0 => rayon::current_num_threads(),
        threads => threads,
    };
    let workers = match options.is_serial() {
        true => 1,
        false => cores.min(usize::try_from(groups).unwrap_or(usize::MAX)),
    };
    let job = Job {
        dispatch,
        program,
        options,
        scoreboard: match options.check || options.hardware {
            true => program.scoreboard(),
            false => None,
        },
        hardware: (options.hardware).then(|| Hardware::new(program, env)),
        written: dispatch.written(program.written()),
        groups,
        run: (groups / (workers as u64 * MIN_RUNS).max(1)).clamp(1, MAX_RUN),
        next: AtomicU64::new(0),
        failed: AtomicU64::new(u64::MAX),
        spent: AtomicU64::new(0),
        order: Mutex::new(Order::default()),
    };
    let outcomes: Vec<Outcome> = if workers <= 1 {
        vec![job.work(0)]
    } else {
        let all = || {
            (0..workers)
                .into_par_iter()
                .with_max_len(1)
                .map(|worker| job.work(worker as u32))
                .collect()
        };
        // More threads than cores are possible.
        let wanted = (options.threads != 0 && options.pool.is_none())
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(workers).build());
        match wanted
            .as_ref()
            .and_then(|made| made.as_ref().ok())
            .or(options.pool)
        {
            Some(pool) => pool.install(all),
            None => all(),
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
            group: dispatch.group(group),
            budget: dispatch.budget,
        }),
        _ => {
            let mut stats = Stats::new(&counts, program, groups, u64::from(threads));
            let memory = &dispatch.memory;
            let text = |buffer| printed::text(&memory.contents(buffer), memory);
            stats.printed = dispatch.printed.map_or(String::new(), text);
            Ok(stats)
        }
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
    fn work(&self, number: u32) -> Outcome {
        let mut worker = Worker {
            number,
            memory: self.dispatch.memory.with_own(),
            slm: Words::filled(self.dispatch.slm, UNDEFINED),
            threads: Vec::new(),
            engine: self.options.engine().start(self.program),
            counts: Counts::new(self.program),
            failure: None,
        };
        loop {
            let first = self.next.fetch_add(self.run, Relaxed);
            if first >= self.groups || self.spent.load(Relaxed) > self.dispatch.budget {
                return worker.end();
            }
            // The groups that are taken are executed together, so that no earlier one is left out.
            let mut spent = Vec::with_capacity(self.run as usize);
            for group in first..self.groups.min(first + self.run) {
                if group > self.failed.load(Relaxed) {
                    return worker.end();
                }
                let mut executed = 0;
                let result = self.group(&mut worker, group, &mut executed);
                spent.push(executed);
                if let Some(done) = self.options.done {
                    done.fetch_add(1, Relaxed);
                }
                if let Err(error) = result {
                    self.failed.fetch_min(group, Relaxed);
                    worker.failure = Some((group, error));
                    break;
                }
            }
            self.spent.fetch_add(spent.iter().sum(), Relaxed);
            let order = self.order.lock();
            order
                .unwrap_or_else(|e| e.into_inner())
                .end(first, spent, self.dispatch.budget);
            if worker.failure.is_some() {
                return worker.end();
            }
        }
    }

    /// Makes a thread one of a group that the hardware has just started.
    fn start(&self, thread: &mut Thread, number: u32, group: [u32; 3], worker: u32) {
        self.dispatch
            .start(thread, number, group, worker, &self.written);
        if self.options.check {
            let mut defined = Defined::none(thread.grf.len());
            defined.start(self.dispatch.payload_bytes());
            thread.defined = Some(Box::new(defined));
        }
        thread.board = (self.scoreboard.is_some()).then(Box::default);
    }

    /// Executes a group, and counts its instructions in `executed`.
    fn group(
        &self,
        worker: &mut Worker,
        number: u64,
        executed: &mut u64,
    ) -> Result<(), Box<ExecError>> {
        let dispatch = self.dispatch;
        worker.memory.forget_own();
        worker.slm.fill(UNDEFINED);
        let mut group = Group {
            number,
            at: dispatch.group(number),
            shared: Shared {
                memory: &worker.memory,
                bindings: &*dispatch.bindings,
                slm: &worker.slm,
                general_state: dispatch.general_state,
                scratch: dispatch.scratch,
                barriers: Barriers::default(),
                read: 0,
                written: 0,
            },
            uncertain: Vec::new(),
            executed: 0,
        };
        let (engine, counts) = (&mut *worker.engine, &mut worker.counts);
        engine.start_group(&group.shared);
        if let Some(hardware) = &self.hardware {
            hardware.start_group(&group.shared);
            (group.uncertain).resize_with(dispatch.threads.len(), Uncertain::default);
        }
        let result = self.execute(
            &mut group,
            &mut worker.threads,
            worker.number,
            (engine, counts),
        );
        if self.hardware.is_some() {
            let numbers = 0..dispatch.threads.len() as u32;
            numbers.for_each(|number| Hardware::end(&group.shared, number));
        }
        let left = engine.end_group(&group.shared, counts);
        let result = match left {
            Ok(()) => result,
            Err(cause) => Err(self.error(&group, &worker.threads[0], cause)),
        };
        counts.read += group.shared.read;
        counts.written += group.shared.written;
        *executed = group.executed;
        result
    }

    /// Executes the threads of a group to their ends.
    fn execute(
        &self,
        group: &mut Group,
        places: &mut Vec<Thread>,
        worker: u32,
        (engine, counts): (&mut dyn Turns, &mut Counts),
    ) -> Result<(), Box<ExecError>> {
        let count = self.dispatch.threads.len();
        // A thread that ends in its first turn leaves its place to the next one: the host's caches still have its registers.
        let mut taken = 0;
        for number in 0..count as u32 {
            if taken == places.len() {
                places.push(Thread::new(number, 0, self.dispatch.platform));
            }
            let thread = &mut places[taken];
            self.start(thread, number, group.at, worker);
            self.turn(group, thread, engine, counts)?;
            taken += usize::from(thread.status != Status::Ended);
        }
        let threads = &mut places[..taken];
        loop {
            pair(threads, self.program, counts)
                .map_err(|(at, cause)| self.error(group, &threads[at], cause))?;
            group.shared.barriers.pass(threads, count);
            match end(threads, count) {
                Some(Ok(())) => return Ok(()),
                Some(Err((at, cause))) => return Err(self.error(group, &threads[at], cause)),
                None => {}
            }
            for thread in threads.iter_mut().filter(|t| t.status == Status::Running) {
                self.turn(group, thread, engine, counts)?;
            }
        }
    }

    /// Executes a thread's turn.
    fn turn(
        &self,
        group: &mut Group,
        thread: &mut Thread,
        engine: &mut dyn Turns,
        counts: &mut Counts,
    ) -> Result<(), Box<ExecError>> {
        let budget = self.dispatch.budget;
        let limit = budget.saturating_sub(group.executed).min(TURN_INSTS);
        let before = thread.executed;
        let stopped = self.options.stop.is_some_and(|stop| stop.load(Relaxed));
        let (program, shared) = (self.program, &mut group.shared);
        let result = match (limit, self.options.watches()) {
            _ if stopped => Err(Cause::Stopped),
            (0, _) => Err(Cause::Budget(budget)),
            (_, false) => engine.turn(thread, program, shared, limit, counts),
            (_, true) => {
                let trace = self.options.trace;
                let watched = Watched {
                    scoreboard: self.scoreboard.as_ref(),
                    group: group.at,
                    trace: trace.filter(|t| t.wants(group.number, thread.number)),
                    hardware: self.hardware.as_ref(),
                };
                shared.take_turn(thread.number);
                let uncertain = group.uncertain.get_mut(thread.number as usize);
                watched_steps(thread, program, shared, limit, counts, &watched, uncertain)
            }
        };
        let executed = thread.executed - before;
        group.executed += executed;
        if let Some(all) = self.options.executed {
            all.fetch_add(executed, Relaxed);
        }
        let result = result.and_then(|()| stranded(thread));
        result.map_err(|cause| self.error(group, thread, cause))
    }

    fn error(&self, group: &Group, thread: &Thread, cause: Cause) -> Box<ExecError> {
        Box::new(ExecError::new(group.at, thread, self.program, cause))
    }
}

/// How a group's execution ends, if no thread can go on: all have ended, or a thread waits for what does not come. Gives
/// the index of that thread with the cause. Of the group's `count` threads those that have ended may be left out.
fn end(threads: &[Thread], count: usize) -> Option<Result<(), (usize, Cause)>> {
    let with = |status| threads.iter().filter(|t| t.status == status).count();
    let first = |status| threads.iter().position(|t| t.status == status);
    let (waiting, ended, paired) = (
        with(Status::Waiting),
        with(Status::Ended),
        with(Status::Paired),
    );
    if waiting + ended + paired < threads.len() {
        return None;
    }
    if let Some(number) = first(Status::Paired) {
        return Some(Err((number, Cause::Unpaired)));
    }
    let Some(number) = first(Status::Waiting) else {
        return Some(Ok(()));
    };
    let cause = Cause::Deadlock {
        waiting: waiting as u32,
        threads: count as u32,
    };
    Some(Err((number, cause)))
}

/// Executes operations of fused pairs that both threads have reached. Returns the index of a failed thread, with the
/// cause.
fn pair(
    threads: &mut [Thread],
    program: &Program,
    counts: &mut Counts,
) -> Result<(), (usize, Cause)> {
    for at in 1..threads.len() {
        if let [first, second] = &mut threads[at - 1..=at]
            && (first.number.is_multiple_of(2), first.number + 1) == (true, second.number)
        {
            systolic::exchange(first, second, program, counts).map_err(|cause| (at - 1, cause))?;
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

impl Dispatch {
    /// Runs all groups with options. Strict execution neither interrupts threads nor runs them in pairs, since nothing says
    /// that they allow it.
    ///
    /// # Errors
    /// The first group that fails, and why; a trace of a thread that does not exist.
    pub fn run(&self, program: &Program, options: &Options) -> Result<Stats, RunError> {
        let env = ExecutionEnv {
            disable_mid_thread_preemption: true,
            require_disable_eufusion: true,
            ..ExecutionEnv::default()
        };
        run(self, program, options, &env)
    }
}

impl Launch<'_> {
    /// Runs all groups, on all cores. The buffers among the arguments are changed as the kernel
    /// changes them, also when it fails.
    ///
    /// # Errors
    /// The launch does not fit the kernel; or the first group that fails, and why.
    pub fn run(&mut self, program: &Program) -> Result<Stats, RunError> {
        self.run_with(program, &Options::default())
    }

    /// Runs all groups with options.
    ///
    /// # Errors
    /// As [`Launch::run`].
    pub fn run_with(&mut self, program: &Program, options: &Options) -> Result<Stats, RunError> {
        let env = self.kernel()?.execution_env.clone();
        check_args(
            self.kernel()?,
            self.ze_info.args_info(self.kernel),
            &self.args,
        )?;
        // While groups run, buffers are words, of which there is one copy.
        let take = |arg: &mut Arg| {
            let bytes = std::mem::take(arg.memory_mut()?);
            Some(Arc::new(Words::of(bytes)))
        };
        let contents: Vec<_> = self.args.iter_mut().map(take).collect();
        let result = Setup::new(self, program, &contents)
            .map_err(RunError::from)
            .and_then(|setup| run(&setup.dispatch(self), program, options, &env));
        for (arg, words) in self.args.iter_mut().zip(contents) {
            if let (Some(bytes), Some(words)) = (arg.memory_mut(), words) {
                *bytes = match Arc::try_unwrap(words) {
                    Ok(words) => words.into_bytes(),
                    Err(shared) => shared.to_bytes(),
                };
            }
        }
        result
    }
}
