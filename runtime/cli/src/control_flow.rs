//! `kiln inspect --cfg`: control flow as a picture, of vISA, of machine IR or of machine code.
//!
//! A block of vISA begins at a label and after a branch; one of allocated and of machine code is that of the analysis of live registers. The
//! colour of a block is its register pressure, its border is thicker with each loop around it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kiln_compile::pressure::{self, Place, Profile};
use kiln_compile::{Failure, Options, Session};
use kiln_emit::cost::Weights;
use kiln_emit::cost::timeline;
use kiln_emit::inst::Inst;
use kiln_emit::listing::{self, Style};
use kiln_emit::live::{Block, Live};
use kiln_emit::platform::Platform;
use kiln_visa::module::{Object, Operand};
use kiln_visa::opcode::Opcode;
use kiln_visa::print::Printer;
use miette::Report;

use super::disasm::unit::{self, Unit};
use super::disasm::{File, open};
use super::input::Input;
use super::layered::{self, Node};
use super::{page, report};

/// Most characters of an instruction in a block.
const MAX_CHARS: usize = 44;

/// Forms of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A picture
    Svg,
    /// A graph for Graphviz
    Dot,
}

/// A graph with its name.
pub struct Drawn {
    pub name: String,
    pub nodes: Vec<Node>,
    pub edges: Vec<(usize, usize)>,
}

impl Drawn {
    pub fn text(&self, form: Form) -> String {
        match form {
            Form::Svg => layered::svg(&self.name, &self.nodes, &self.edges),
            Form::Dot => layered::dot(&self.name, &self.nodes, &self.edges),
        }
    }
}

/// The code whose control flow is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// vISA, with the pressure of a platform
    Visa,
    /// Machine IR before register allocation
    Isel,
    /// Each routine after register allocation, with the same blocks
    Ra,
    /// Machine code
    Asm,
}

/// The control flow of each piece of machine code, or of each kernel and function of what is compiled, at a stage of its
/// compilation: as vISA, if none is given.
///
/// # Errors
/// The input cannot be read, or not compiled, or it has no such stage.
pub fn graphs(
    path: &Path,
    platform: Option<&'static Platform>,
    stage: Option<Stage>,
) -> Result<Vec<Drawn>, Report> {
    let input = Input::open(path)?;
    if page::is_code(&input) {
        if stage.is_some_and(|stage| stage != Stage::Asm) {
            return Err(report::usage(format_args!(
                "{}: machine code has no earlier stage",
                report::name(path)
            )));
        }
        let file = open(path, platform, None)?;
        return Ok(file.units.iter().map(|unit| of_code(&file, unit)).collect());
    }
    let stage = stage.unwrap_or(Stage::Visa);
    let needed = || {
        report::usage(format_args!(
            "{}: name the platform to compile for with --platform",
            report::name(path)
        ))
    };
    match stage {
        Stage::Visa => of_visa(&input, platform),
        Stage::Isel | Stage::Ra => of_machine_ir(&input, platform.ok_or_else(needed)?, stage),
        Stage::Asm => {
            let platform = platform.ok_or_else(needed)?;
            page::of_visa(&input, Options::new(platform), None, |code| {
                let insts = listing::insts(code.bytes, platform);
                let live = unit::live(&insts, platform, &code.entries);
                Ok(of_insts(code.name.clone(), &insts, &live, platform))
            })
        }
    }
}

/// The control flow of all routines before or after allocation.
fn of_machine_ir(
    input: &Input,
    platform: &'static Platform,
    stage: Stage,
) -> Result<Vec<Drawn>, Report> {
    let failed = |failure: Box<Failure>| report::failure(std::slice::from_ref(input), &failure);
    let session = Session::new(Options {
        profile: Some(Place::Peak),
        ..Options::new(platform)
    });
    let module = session.compile_module(&[input.source()]).map_err(failed)?;
    let profiles = module.parts().flat_map(|part| &part.profiles);
    let drawn = profiles.map(|profile| match stage {
        Stage::Ra => after_allocation(profile, platform),
        _ => before_allocation(profile),
    });
    Ok(drawn.collect())
}

fn of_code(file: &File, unit: &Unit) -> Drawn {
    let insts = listing::insts(unit.code(), file.platform);
    let live = unit.live(&insts, file.platform);
    let section = unit.section.as_deref().unwrap_or("machine code");
    let name = format!("{}, {section}", report::name(file.path));
    of_insts(name, &insts, &live, file.platform)
}

/// The control flow of machine code.
fn of_insts(name: String, insts: &[Inst], live: &Live, platform: &'static Platform) -> Drawn {
    let time = timeline::timeline(insts, platform, Weights::Loops);
    let mut offsets = Vec::with_capacity(insts.len());
    let mut offset = 0;
    for inst in insts {
        offsets.push(offset);
        offset += inst.size();
    }
    let nodes = live.blocks.iter().map(|block| {
        let (first, end) = (block.first as usize, block.end as usize);
        let most = most(live, block);
        let cycles: f64 = time.steps[first..end]
            .iter()
            .map(|step| step.cycles.sum())
            .sum();
        let last = listing::line(&insts[end - 1], offsets[end - 1], platform, Style::Labels);
        let around = |own: &&timeline::Loop| own.first <= block.first && block.end <= own.last + 1;
        Node {
            lines: vec![
                format!("L{}: {first}-{}", offsets[first], end - 1),
                format!("{most} GRFs, {cycles} cycles"),
                short(&last),
            ],
            heat: f64::from(most) / f64::from(live.grfs),
            loops: time.loops.iter().filter(around).count() as u32,
        }
    });
    Drawn {
        name,
        nodes: nodes.collect(),
        edges: edges(live),
    }
}

/// Most general registers that live in a block.
fn most(live: &Live, block: &Block) -> u16 {
    let points = &live.points[block.first as usize..block.end as usize];
    points.iter().map(|point| point.grfs).max().unwrap_or(0)
}

fn edges(live: &Live) -> Vec<(usize, usize)> {
    let of = |(from, block): (usize, &Block)| {
        let next = block.next.iter().copied().chain(block.calls);
        let next: Vec<_> = next.map(|to| (from, to as usize)).collect();
        next
    };
    live.blocks.iter().enumerate().flat_map(of).collect()
}

/// The loops around each of several blocks, by the edges that go back.
fn depths(blocks: usize, edges: &[(usize, usize)]) -> Vec<u32> {
    let back: Vec<_> = edges.iter().filter(|(from, to)| to <= from).collect();
    let around = |block: usize| {
        back.iter()
            .filter(|(tail, head)| (*head..=*tail).contains(&block))
            .count() as u32
    };
    (0..blocks).map(around).collect()
}

/// The text of a block of machine IR, with its first and its last instruction.
fn block_lines(number: usize, count: usize, most: u32, [first, last]: [&str; 2]) -> Vec<String> {
    let plural = if count == 1 { "" } else { "s" };
    let mut lines = vec![
        format!("block{number}: {count} instruction{plural}"),
        format!("{most} GRFs"),
        short(first),
    ];
    lines.extend((first != last).then(|| short(last)));
    lines
}

/// The control flow of a routine before allocation.
fn before_allocation(profile: &Profile) -> Drawn {
    let blocks: Vec<&[pressure::Point]> =
        (profile.points.chunk_by(|one, next| one.block == next.block)).collect();
    let nodes = blocks.iter().map(|points| {
        let (first, last) = (&points[0], &points[points.len() - 1]);
        let most = points.iter().map(|point| point.grfs).max().unwrap_or(0);
        Node {
            lines: block_lines(
                first.block as usize,
                points.len() - 1,
                most,
                [&first.text, &last.text],
            ),
            heat: f64::from(most) / f64::from(profile.grfs.max(1)),
            loops: first.loops,
        }
    });
    let edges = profile.edges.iter();
    Drawn {
        name: format!("{}, before allocation", profile.name),
        nodes: nodes.collect(),
        edges: edges
            .map(|(from, to)| (*from as usize, *to as usize))
            .collect(),
    }
}

/// The control flow of a routine after allocation. Blocks have the numbers that they have before it.
fn after_allocation(profile: &Profile, platform: &'static Platform) -> Drawn {
    let (insts, starts) = profile.program.placed();
    // Branches of these name their blocks.
    let named: Vec<&Inst> = profile.program.blocks.iter().flatten().collect();
    let live = Live::new(&insts, platform, &[0]);
    let edges = edges(&live);
    let loops = depths(live.blocks.len(), &edges);
    let nodes = live.blocks.iter().zip(loops).map(|(block, loops)| {
        let most = most(&live, block);
        let number = starts.partition_point(|start| *start <= block.first);
        let (first, last) = (block.first as usize, block.end as usize - 1);
        let text = |at: usize| {
            let text = named[at].to_string();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        Node {
            lines: block_lines(
                number.saturating_sub(1),
                last + 1 - first,
                most.into(),
                [&text(first), &text(last)],
            ),
            heat: f64::from(most) / f64::from(live.grfs),
            loops,
        }
    });
    Drawn {
        name: format!("{}, after allocation", profile.name),
        nodes: nodes.collect(),
        edges,
    }
}

/// The beginning of a text.
fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

fn of_visa(input: &Input, platform: Option<&'static Platform>) -> Result<Vec<Drawn>, Report> {
    let failed = |failure: Box<Failure>| report::failure(std::slice::from_ref(input), &failure);
    let target = platform.or_else(|| kiln_emit::platform::find("skl"));
    let target = target.ok_or_else(|| report::usage("name a platform with --platform"))?;
    let options = Options {
        profile: Some(Place::Peak),
        ..Options::new(target)
    };
    let session = Session::new(options);
    let loaded = session.load(&[input.source()]).map_err(failed)?;
    // The pressure is that of a platform.
    let compiled = match platform {
        Some(_) => Some(session.compile_loaded(&loaded).map_err(failed)?),
        None => None,
    };
    let profiles: Vec<&Profile> = compiled
        .iter()
        .flat_map(|module| module.parts())
        .flat_map(|part| &part.profiles)
        .collect();
    let objects = loaded.module().objects.iter();
    Ok(objects
        .map(|object| {
            of_object(
                object,
                profiles
                    .iter()
                    .find(|profile| *profile.name == *object.name)
                    .copied(),
            )
        })
        .collect())
}

/// The instructions to which one may go, other than the next, and true if it may go to the next.
fn targets(object: &Object, number: usize, places: &[Option<usize>]) -> (Vec<usize>, bool) {
    let inst = &object.insts[number];
    let always = inst.pred.is_none();
    let named = || {
        let labels = inst.operands.iter().filter_map(|operand| match operand {
            Operand::Label(label) => places.get(label.as_u32() as usize).copied().flatten(),
            _ => None,
        });
        labels.collect()
    };
    match inst.op {
        Opcode::Jmp | Opcode::Goto => (named(), !always),
        Opcode::SwitchJmp => (named(), false),
        Opcode::Call => (named(), true),
        Opcode::Ret | Opcode::FRet => (Vec::new(), !always),
        _ => (Vec::new(), true),
    }
}

fn of_object(object: &Object, profile: Option<&Profile>) -> Drawn {
    let mut places: Vec<Option<usize>> = vec![None; object.labels.len()];
    for (number, inst) in object.insts.iter().enumerate() {
        if let (Opcode::Label | Opcode::Subroutine, Some(Operand::Label(label))) =
            (inst.op, inst.operands.first())
            && let Some(place) = places.get_mut(label.as_u32() as usize)
        {
            *place = Some(number);
        }
    }
    let count = object.insts.len();
    let mut leads = vec![false; count];
    for (number, inst) in object.insts.iter().enumerate() {
        leads[number] |= number == 0 || matches!(inst.op, Opcode::Label | Opcode::Subroutine);
        let (to, goes_on) = targets(object, number, &places);
        if (!to.is_empty() || !goes_on) && number + 1 < count {
            leads[number + 1] = true;
        }
    }
    let firsts: Vec<usize> = (0..count).filter(|number| leads[*number]).collect();
    let block_of = |number: usize| firsts.partition_point(|first| *first <= number) - 1;
    let printer = Printer::new(object);
    let limit = profile.map_or(1, |profile| profile.grfs.max(1));
    let mut edges = Vec::new();
    let mut loops = Vec::new();
    for (block, first) in firsts.iter().enumerate() {
        let end = firsts.get(block + 1).copied().unwrap_or(count);
        let (to, goes_on) = targets(object, end - 1, &places);
        let next = (goes_on && end < count).then_some(end);
        for to in to.into_iter().chain(next) {
            edges.push((block, block_of(to)));
            if to <= *first && object.insts[end - 1].op != Opcode::Call {
                loops.push((block_of(to), block));
            }
        }
    }
    let nodes = firsts.iter().enumerate().map(|(block, first)| {
        let end = firsts.get(block + 1).copied().unwrap_or(count);
        let here = |visa: u32| (*first..end).contains(&(visa as usize));
        let points = profile.iter().flat_map(|profile| &profile.points);
        let most = points
            .filter(|point| point.visa.is_some_and(here))
            .map(|point| point.grfs)
            .max();
        let mut lines = vec![format!("{first}-{}", end - 1)];
        lines.extend(most.map(|most| format!("{most} GRFs")));
        lines.push(short(&printer.inst_text(&object.insts[*first])));
        if end - first > 1 {
            lines.push(short(&printer.inst_text(&object.insts[end - 1])));
        }
        Node {
            lines,
            heat: most.map_or(0.0, |most| f64::from(most) / f64::from(limit)),
            loops: loops
                .iter()
                .filter(|(head, tail)| (*head..=*tail).contains(&block))
                .count() as u32,
        }
    });
    Drawn {
        name: object.name.to_string(),
        nodes: nodes.collect(),
        edges,
    }
}

/// The file of one of several pictures.
pub fn numbered(path: &Path, number: usize, of: usize) -> PathBuf {
    if of == 1 {
        return path.to_path_buf();
    }
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let extension = path
        .extension()
        .map_or_else(String::new, |e| format!(".{}", e.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}
