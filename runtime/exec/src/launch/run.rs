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
use crate::state::thread::{Status, Thread, UNDEFINED};
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

/// State that all workers share.
struct Job<'a> {
    dispatch: &'a Dispatch,
    program: &'a Program,
    options: &'a Options<'a>,
    /// The scoreboard's view of the code, if it is checked.
    scoreboard: Option<Facts<'a>>,
    /// Places in the code with an undefined outcome, in the strict mode.
    hardware: Option<Hardware<'a>>,
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
    number: u32,
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
    let job = Job {
        dispatch,
        program,
        options,
        scoreboard: program
            .scoreboard()
            .filter(|_| options.check || options.hardware),
        hardware: (options.hardware).then(|| Hardware::new(program, env)),
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
    let workers = match options.is_serial() {
        true => 1,
        false => cores.min(usize::try_from(groups).unwrap_or(usize::MAX)),
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
            threads: self.dispatch.threads(),
            engine: self.options.engine().start(self.program),
            counts: Counts::new(self.program),
            failure: None,
        };
        loop {
            let group = self.next.fetch_add(1, Relaxed);
            if group >= self.groups
                || group > self.failed.load(Relaxed)
                || self.spent.load(Relaxed) > self.dispatch.budget
            {
                return worker.end();
            }
            let mut executed = 0;
            let result = self.group(&mut worker, group, &mut executed);
            self.spent.fetch_add(executed, Relaxed);
            let order = self.order.lock();
            order
                .unwrap_or_else(|e| e.into_inner())
                .end(group, executed, self.dispatch.budget);
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

    /// Makes threads those of a group that the hardware has just started.
    fn start(&self, threads: &mut [Thread], group: [u32; 3], worker: u32) {
        let written = self.program.written();
        self.dispatch.start(threads, group, worker, written);
        let payload = self.dispatch.payload_bytes();
        for thread in threads {
            if self.options.check {
                let mut defined = Defined::none(thread.grf.len());
                defined.start(payload);
                thread.defined = Some(Box::new(defined));
            }
            thread.board = (self.scoreboard.is_some()).then(Box::default);
        }
    }

    /// Executes a group, and counts its instructions in `executed`.
    fn group(
        &self,
        worker: &mut Worker,
        number: u64,
        executed: &mut u64,
    ) -> Result<(), Box<ExecError>> {
        let (dispatch, program) = (self.dispatch, self.program);
        let group = dispatch.group(number);
        worker.memory.forget_own();
        worker.slm.fill(UNDEFINED);
        let threads = &mut worker.threads;
        self.start(threads, group, worker.number);
        let mut shared = Shared {
            memory: &worker.memory,
            bindings: &*dispatch.bindings,
            slm: &worker.slm,
            general_state: dispatch.general_state,
            scratch: dispatch.scratch,
            barriers: Barriers::default(),
            read: 0,
            written: 0,
        };
        let watched = self.options.watches();
        let engine = &mut worker.engine;
        engine.start_group(&shared);
        let hardware = self.hardware.as_ref();
        if let Some(hardware) = hardware {
            hardware.start_group(&shared);
        }
        let mut uncertain: Vec<Uncertain> = Vec::new();
        uncertain.resize_with(threads.len(), Uncertain::default);
        let result = loop {
            let mut failure = None;
            for thread in threads.iter_mut().filter(|t| t.status == Status::Running) {
                let limit = self
                    .dispatch
                    .budget
                    .saturating_sub(*executed)
                    .min(TURN_INSTS);
                let before = thread.executed;
                let stopped = self.options.stop.is_some_and(|stop| stop.load(Relaxed));
                let result = match (limit, watched) {
                    _ if stopped => Err(Cause::Stopped),
                    (0, _) => Err(Cause::Budget(self.dispatch.budget)),
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
                            hardware,
                        };
                        shared.take_turn(thread.number);
                        let uncertain = uncertain.get_mut(thread.number as usize);
                        let counts = &mut worker.counts;
                        watched_steps(
                            thread,
                            program,
                            &mut shared,
                            limit,
                            counts,
                            &watched,
                            uncertain,
                        )
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
            match end(threads) {
                Some(Ok(())) => break Ok(()),
                Some(Err((number, cause))) => {
                    let thread = &threads[number];
                    break Err(Box::new(ExecError::new(group, thread, program, cause)));
                }
                None => {}
            }
        };
        if hardware.is_some() {
            threads
                .iter()
                .for_each(|thread| Hardware::end(&shared, thread.number));
        }
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

/// How a group's execution ends, if no thread can go on: all have ended, or a thread waits for what does not come. Gives
/// the number of that thread with the cause.
fn end(threads: &[Thread]) -> Option<Result<(), (usize, Cause)>> {
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
        threads: threads.len() as u32,
    };
    Some(Err((number, cause)))
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
