//! One kernel from vISA to machine code: every stage in its order.
//!
//! [`compile`] takes a kernel of a checked module through IR, selection, allocation and assembly.
//! Each stage's result can be asked for as text ([`Stage`]); in debug builds each stage's verifier
//! runs behind it. What is done with a whole module is a [session](crate::session)'s.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::time::Instant;

use kiln_emit::assemble::{self, Program, RelocationKind, assemble};
use kiln_emit::flow;
use kiln_emit::platform::Platform;
use kiln_emit::verify::Violation;
use kiln_frontend::module::{Input, InputVar, Object, ObjectKind};
use kiln_ir::expand;
use kiln_ir::subroutines::{self, Which};
use kiln_isel::select::{self, Room};
use kiln_isel::{legalize, opt, pairs, remat, schedule};
use kiln_machine::func::{Address, Function as Machine};
use kiln_machine::graph::Graph;
use kiln_machine::inst::Opcode;
use kiln_machine::verify::{Level, verify as verify_machine};
use kiln_regalloc::frame::{Frame, MOST_SCRATCH};
use kiln_regalloc::routines::Parts;
use kiln_regalloc::{AllocError, Allocator, allocate_parts};
use rayon::prelude::*;

use crate::failure::{CompileError, Unsupported};
use crate::lines::Lines;
use crate::options::{Options, Stage};
use crate::pressure;
use crate::result::{Compiled, KernelInput, Relocation, Seconds};

/// Registers of a kernel's parts from which on they are made at the same time.
const MANY: usize = 4096;

/// The passes that may be left out, by their names: of the optimizer, and of control flow behind allocation.
pub fn passes() -> impl Iterator<Item = &'static str> {
    let optimizer = opt::PASSES.iter().map(|pass| pass.name);
    let others = kiln_emit::flow::passes().map(|pass| pass.name);
    optimizer
        .chain([schedule::NAME, pairs::NAME, remat::NAME])
        .chain(others)
}

/// What is known of the functions of a module when one of its objects is compiled.
pub struct Callees<'a> {
    /// Those that are entered by jumps.
    pub by_jump: &'a HashSet<&'a str>,
    /// Of those that the object calls by name and that have been compiled: GRFs that a call overwrites.
    pub overwritten: BTreeMap<String, u128>,
}

/// Memory that compilations use one after the other; what a result depends on is never in it.
#[derive(Default)]
pub struct Scratch {
    allocation: kiln_regalloc::Scratch,
}

/// Finalizes one kernel or function that holds to the rules of vISA and of the platform. Functions
/// that it calls are taken to be called by name alone.
///
/// # Errors
/// What it has that cannot be finalized, and at which instruction.
pub fn compile(
    object: &Object,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Compiled, CompileError> {
    let callees = Callees {
        by_jump: &HashSet::new(),
        overwritten: BTreeMap::new(),
    };
    compile_in(object, &callees, options, scratch)
}

/// The same for an object of a module.
///
/// # Errors
/// As [`compile`].
pub fn compile_in(
    object: &Object,
    callees: &Callees,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Compiled, CompileError> {
    let expanded = expand::expand(object, &|name| callees.by_jump.contains(name))
        .map_err(|source| CompileError::flow(object, source))?;
    let body = expanded.as_ref().unwrap_or(object);
    let mut compiled = compile_expanded(body, callees, options, scratch)?;
    compiled.visa_instructions = object.insts.len();
    compiled.lines.locate(object);
    for profile in &mut compiled.profiles {
        profile.locate(object);
    }
    Ok(compiled)
}

/// The same without instructions that others stand for.
fn compile_expanded(
    object: &Object,
    callees: &Callees,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Compiled, CompileError> {
    // Where a subroutine's frame would be is known only where it has a fixed place: not in a function that
    // is called with a stack.
    let called = object.kind != ObjectKind::Kernel && kiln_ir::build::uses_stack(object);
    let few = (!called).then_some(Which::Few);
    for which in few.into_iter().chain([Which::All]) {
        let prepared = subroutines::prepare(object, which)
            .map_err(|source| CompileError::flow(object, source))?;
        let body = prepared.as_ref().unwrap_or(object);
        if let Some(compiled) = compile_prepared(body, callees, options, scratch)? {
            return Ok(compiled);
        }
    }
    Err(CompileError::Unsupported {
        kernel: object.name.to_string(),
        list: vec![Unsupported {
            inst: 0,
            what: "so many subroutines, or values that one takes or gives".to_string(),
        }],
    })
}

/// The same with the calls of subroutines prepared; nothing if these pass too much.
fn compile_prepared(
    object: &Object,
    callees: &Callees,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Option<Compiled>, CompileError> {
    let kernel = || object.name.to_string();
    let mut dumps = Vec::new();
    let wants = |stage| options.dump.contains(&stage);
    let mut seconds = Seconds::default();
    let mut clock = Instant::now();
    let mut lap = |seconds: &mut f64| {
        *seconds = clock.elapsed().as_secs_f64();
        clock = Instant::now();
    };

    let too_far = || AllocError::Scratch {
        func: kernel(),
        limit: MOST_SCRATCH,
    };
    let scratch_base = object
        .int_attr("SpillMemOffset")
        .map_or(Ok(0), |v| u32::try_from(v).map_err(|_| too_far()))?;
    if scratch_base > MOST_SCRATCH {
        return Err(too_far().into());
    }
    let build = || {
        kiln_ir::build::build(object, options.platform)
            .map_err(|source| CompileError::flow(object, source))
    };
    let func = build()?;
    lap(&mut seconds.ir);
    if options.verify {
        kiln_ir::verify::verify(&func).map_err(|e| broken(object, "the IR was built", &e))?;
    }
    if wants(Stage::Ir) {
        dumps.push((Stage::Ir, func.to_string()));
    }
    if !select::can_pass(&func) {
        return Ok(None);
    }

    lap(&mut 0.0);
    let mut room = Room {
        grfs: options.grf_limit,
        scratch_base,
        in_memory: false,
        interruptible: options.interruptible,
    };
    let (simd, stack) = (func.simd, func.stack);
    let bottom_up: Vec<usize> = func.bottom_up.iter().map(|r| r.as_u32() as usize).collect();
    // Allocation takes its memory. It is hardly ever wanted once more.
    let mut func = Some(func);
    let mut profiles;
    let mut allocator = options.allocator;
    let (mut parts, stats, symbols, entered, [barrier, uninterruptible]) = loop {
        let mut text = String::new();
        let func = func.take().map_or_else(build, Ok)?;
        let (machines, most) = lower(object, func, callees, options, room, &mut text)?;
        lap(&mut seconds.isel);
        profiles = vec![None; machines.len()];
        let own_scratch = machines[0].scratch_bytes;
        let settings = kiln_regalloc::Options {
            grf_limit: Some(options.grf_limit),
            allocator,
            check: options.verify,
            pressure: options.pressure,
            scratch_base: scratch_base + own_scratch,
            ..kiln_regalloc::Options::default()
        };
        let barrier = machines.iter().any(|machine| machine.barrier);
        let uninterruptible = machines.iter().any(|machine| machine.uninterruptible);
        let symbols = machines.last().map(|last| last.symbols.clone());
        let entered = machines[0].entered;
        let in_registers = own_scratch == 0 && !machines[0].reserved.is_empty();
        let order = bottom_up.iter().copied();
        let known = callees.overwritten.clone();
        let ready = |n: usize, machine: &mut Machine, parts: &Parts| {
            if calls_routines(machine) && rematerialize(machine, most[n], options, parts) {
                if wants(Stage::Isel) {
                    text += &format!("// {}\n{machine}\n", remat::NAME);
                }
                if options.verify {
                    verify_machine(machine, Level::Legal, None).map_err(|e| {
                        AllocError::Invalid {
                            func: machine.name.clone(),
                            what: e.to_string(),
                        }
                    })?;
                }
            }
            let profile = |place| pressure::profile(machine, options.grf_limit, place);
            profiles[n] = options.profile.map(profile);
            Ok(())
        };
        let memory = &mut scratch.allocation;
        match allocate_parts(machines, order, &settings, known, memory, ready) {
            Err(AllocError::TooFew { .. } | AllocError::Scratch { .. })
                if allocator != Allocator::Ion =>
            {
                allocator = Allocator::Ion;
            }
            // Variables whose address is taken leave too few.
            Err(AllocError::TooFew { .. }) if in_registers && !room.in_memory => {
                room.in_memory = true;
            }
            allocated => {
                let (parts, mut stats) = allocated?;
                stats.spill_bytes += own_scratch;
                if scratch_base + stats.spill_bytes > MOST_SCRATCH {
                    return Err(too_far().into());
                }
                if wants(Stage::Isel) {
                    dumps.push((Stage::Isel, text));
                }
                let whole = [barrier, uninterruptible];
                break (parts, stats, symbols.unwrap_or_default(), entered, whole);
            }
        }
    };
    for part in &mut parts {
        let left_out = flow::passes().map(|pass| pass.name);
        match options.optimize {
            true => flow::run_without(part, options.platform, &options.without),
            false => flow::run_without(part, options.platform, &left_out.collect::<Vec<_>>()),
        }
        kiln_emit::errata::run(part, options.platform);
    }
    lap(&mut seconds.regalloc);
    if options.verify {
        for inst in parts.iter().flat_map(|part| &part.blocks).flatten() {
            legal(object, "allocation", inst, options.platform)?;
        }
        for part in &parts {
            kiln_emit::verify::flow::check_program(part)
                .map_err(|e| broken(object, "allocation", &e))?;
        }
    }
    let mut parts = parts.into_iter();
    let mut program = parts.next().unwrap_or_default();
    program.append(parts);
    if wants(Stage::Ra) {
        dumps.push((Stage::Ra, program_text(&program)));
    }

    lap(&mut 0.0);
    let encode = |source| CompileError::Encode {
        kernel: kernel(),
        source,
    };
    let assembled = assemble(&program, options.platform).map_err(encode)?;
    let relocations = relocations(&assembled.relocations, symbols.as_values_slice());
    let lines = Lines::of(&program, &assembled.inst_offsets);
    let code = assembled.code;
    let instructions = program.blocks.iter().map(Vec::len).sum();
    lap(&mut seconds.emit);
    if wants(Stage::Asm) {
        let style = kiln_emit::listing::Style::Labels;
        dumps.push((
            Stage::Asm,
            kiln_emit::listing::list(&code, options.platform, style),
        ));
    }
    Ok(Some(Compiled {
        name: object.name.to_string(),
        entered,
        stack,
        simd,
        scratch_base,
        barrier,
        uninterruptible,
        visa_instructions: object.insts.len(),
        instructions,
        allocation: stats,
        allocator,
        inputs: object.inputs.iter().map(|i| input(object, i)).collect(),
        lines,
        relocations,
        symbols: Vec::new(),
        stack_bytes: 0,
        code,
        seconds,
        profiles: profiles.into_iter().flatten().collect(),
        dumps,
    }))
}

/// From the IR to machine IR that the target takes: selection, the optimizer's passes, legalization. The text is
/// of each of these, if it is asked for. Gives of each part how many units live at once, or more than do.
fn lower(
    object: &Object,
    func: kiln_ir::func::Function,
    callees: &Callees,
    options: &Options,
    room: Room,
    text: &mut String,
) -> Result<(Vec<Machine>, Vec<u32>), CompileError> {
    let calls = select::Calls {
        abi: options.abi,
        by_jump: &|name| callees.by_jump.contains(name),
    };
    let mut machines =
        select::select_in(&func, options.platform, &calls, room).map_err(|errors| {
            let one = |e: select::SelectError| Unsupported {
                inst: object
                    .insts
                    .get(e.inst)
                    .map_or(e.inst, |i| i.origin as usize),
                what: format!("{}: {}", e.op, e.what),
            };
            CompileError::unsupported(object, errors.into_iter().map(one).collect())
        })?;
    drop(func);
    // Of one that calls others it has to be known what they overwrite.
    let is_alone = machines.len() == 1;
    let finish = |machine: &mut Machine| {
        let is_ready = is_alone || !calls_routines(machine);
        finish(object, machine, is_ready, options)
    };
    // Starting threads takes as long as a small part.
    let size: usize = machines.iter().map(|machine| machine.regs.len()).sum();
    let texts: Vec<_> = match machines.len() > 1 && size > MANY {
        true => machines.par_iter_mut().map(finish).collect(),
        false => machines.iter_mut().map(finish).collect(),
    };
    let mut most = Vec::with_capacity(machines.len());
    for one in texts {
        let (one, units) = one?;
        *text += &one;
        most.push(units);
    }
    Ok((machines, most))
}

/// The optimizer's passes over a part, its legalization, and what comes behind that, if all that asks for is known. Gives the
/// text of each, if it is asked for, and how many units live at once, or more than do.
fn finish(
    object: &Object,
    machine: &mut Machine,
    is_ready: bool,
    options: &Options,
) -> Result<(String, u32), CompileError> {
    let mut text = String::new();
    let dump = options.dump.contains(&Stage::Isel);
    let mut show = |name: &str, machine: &Machine| {
        if dump {
            text += &format!("// {name}\n{machine}\n");
        }
    };
    let check = |machine: &Machine, stage, level| match options.verify {
        true => verify_machine(machine, level, None).map_err(|e| broken(object, stage, &e)),
        false => Ok(()),
    };
    show("selected", machine);
    check(machine, "selection", Level::Wide)?;
    // Up to allocation no edge changes.
    let graph = Graph::new(machine);
    if options.optimize {
        opt::run_without(machine, &graph, &options.without, &mut show);
    } else {
        opt::dead::run(machine, &graph);
    }
    legalize::run(machine).map_err(|errors| {
        let one = |e: legalize::LegalizeError| Unsupported {
            inst: e.origin as usize,
            what: e.what,
        };
        CompileError::unsupported(object, errors.into_iter().map(one).collect())
    })?;
    debug_assert!(graph.is_of(machine), "legalization changes edges");
    opt::dead::run(machine, &graph);
    show("legalized", machine);
    check(machine, "legalization", Level::Legal)?;
    let limit = options.grf_limit / options.platform.unit_grfs();
    let mut most = u32::MAX;
    if options.optimize && !options.without.contains(&schedule::NAME) {
        most = schedule::run(machine, limit);
        show(schedule::NAME, machine);
        check(machine, "scheduling", Level::Legal)?;
    }
    if options.optimize && !options.without.contains(&pairs::NAME) {
        pairs::run(machine);
        show(pairs::NAME, machine);
        check(machine, "pairs", Level::Legal)?;
    }
    if is_ready && rematerialize(machine, most, options, &Parts::default()) {
        show(remat::NAME, machine);
        check(machine, "rematerialization", Level::Legal)?;
    }
    Ok((text, most))
}

fn calls_routines(machine: &Machine) -> bool {
    let mut insts = machine.blocks.values().flat_map(|block| &block.insts);
    insts.any(|inst| matches!(inst.op, Opcode::CallRoutine(_)))
}

/// Computes cheap values again where too many live, if that is asked for and so many may.
fn rematerialize(machine: &mut Machine, most: u32, options: &Options, parts: &Parts) -> bool {
    if !options.optimize || options.without.contains(&remat::NAME) {
        return false;
    }
    let frame = Frame::new(machine, Some(options.grf_limit), parts);
    let limit = options.grf_limit / options.platform.unit_grfs();
    let units = frame.map_or(limit, |frame| frame.units.len() as u32);
    let lost = |callee: u16| {
        let convention = parts.convention(callee.into());
        convention.map_or(0, |convention| convention.lost.count_ones())
    };
    remat::run(machine, units, most, lost)
}

fn input(object: &Object, input: &Input) -> KernelInput {
    let (name, scalar) = match input.var {
        InputVar::General(var) => {
            let declared = &object.vars[var];
            let scalar = (declared.elements == 1).then(|| declared.ty.name().to_string());
            (&declared.name, scalar)
        }
        InputVar::Sampler(sampler) => (&object.samplers[sampler].name, None),
        InputVar::Surface(surface) => (&object.surfaces[surface].name, None),
    };
    KernelInput {
        name: name.to_string(),
        offset: input.offset.into(),
        size: input.size.into(),
        scalar,
    }
}

/// The relocations by the names of their symbols.
fn relocations(found: &[assemble::Relocation], addresses: &[Address]) -> Vec<Relocation> {
    let named = |relocation: &assemble::Relocation| {
        let address = &addresses[relocation.symbol as usize];
        Relocation {
            offset: relocation.offset,
            symbol: address.name.clone(),
            kind: match (relocation.kind, address.high) {
                (RelocationKind::AddressLow, true) => RelocationKind::AddressHigh,
                (kind, _) => kind,
            },
        }
    };
    found.iter().map(named).collect()
}

fn broken(object: &Object, stage: &'static str, what: &dyn std::error::Error) -> CompileError {
    CompileError::Broken {
        kernel: object.name.to_string(),
        stage,
        what: what.to_string(),
    }
}

fn legal(
    object: &Object,
    stage: &'static str,
    inst: &kiln_emit::inst::Inst,
    platform: &Platform,
) -> Result<(), CompileError> {
    kiln_emit::verify::verify(inst, platform).map_err(|e: Violation| CompileError::Broken {
        kernel: object.name.to_string(),
        stage,
        what: format!("{inst}: {e}"),
    })
}

fn program_text(program: &Program) -> String {
    use fmt::Write;
    let mut text = String::new();
    for (b, block) in program.blocks.iter().enumerate() {
        let _ = writeln!(text, "block{b}:");
        for inst in block {
            let _ = writeln!(text, "    {inst}");
        }
    }
    text
}
