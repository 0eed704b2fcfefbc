//! `kiln pressure`: plots register pressure, and lists the values live at one point.

mod summary;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use kiln_compile::pressure::{Kept, Place, Point, Profile, Value};
use kiln_compile::{Options, Session};
use kiln_emit::platform::Platform;
use miette::Report;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::Serialize;

use super::exit::Exit;
use super::input::Input;
use super::output::{Outputs, plain};
use super::platforms::Machine;
use super::sweep::AllocatorName;
use super::{Format, pass_parser, report, stats};

/// Length of the longest bar in characters.
const MAX_BAR_CHARS: u32 = 56;
/// A character filled by 0 to 8 eighths.
const PARTS: [&str; 9] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];
/// Maximum characters shown of an instruction.
const MAX_TEXT_CHARS: usize = 64;
/// Size of a plot in points.
const PLOT: (u32, u32) = (1200, 400);
/// Radius of a dot in points.
const DOT: i32 = 3;
/// Heights of the bar of a loop that make the whole plot, and the depth of loops from which on bars are black.
const LOOP_BARS: u32 = 48;
const MAX_LOOPS: u32 = 4;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln pressure examples/nbody/nbody.visaasm -p skl
  kiln pressure examples/*/*.visaasm -p skl --summary")]
pub struct Args {
    /// Binary or text vISA, LLVM IR or SPIR-V for GenX, `-` for standard input; all files are one module, except with
    /// --summary
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Only a line for each kernel, function and subroutine; INPUTs may be folders, and only files that call each
    /// other's functions are one module
    #[arg(long, conflicts_with_all = ["at", "svg", "kernel"])]
    summary: bool,
    /// In folders, take only files whose names begin with this
    #[arg(long, value_name = "PREFIX", default_value = "", requires = "summary")]
    only: String,
    /// Platform to compile for; several, with commas, each have their turn
    #[arg(short, long = "platform", value_name = "PLATFORM", required = true, value_delimiter = ',', value_parser = Machine)]
    platforms: Vec<&'static Platform>,
    /// This kernel only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Maximum number of registers: the line in the plots
    #[arg(long, value_name = "N")]
    grf_limit: Option<u32>,
    /// Register allocator, for what is in memory
    #[arg(long, value_enum, value_name = "NAME", default_value_t = AllocatorName::Scan)]
    allocator: AllocatorName,
    /// Leave out these passes, to measure their effect
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = pass_parser())]
    without: Vec<&'static str>,
    /// List the values that are live at the vISA instruction of this number [default: at the peak]
    #[arg(long, value_name = "INSTRUCTION")]
    at: Option<u32>,
    /// Lines of a plot on the terminal; in long code a line is the maximum of several points
    #[arg(long, value_name = "N", default_value = "40", value_parser = clap::value_parser!(u16).range(1..))]
    rows: u16,
    /// Write the plots as SVG; several kernels and functions have a file each
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write all points and the listed values as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write all points as CSV, `-` for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// A profile with the name of its code.
#[derive(Serialize)]
struct Named<'a> {
    kernel: &'a str,
    platform: &'static str,
    #[serde(flatten)]
    profile: &'a Profile,
}

/// Runs the command.
///
/// # Errors
/// The reason why nothing was printed.
pub fn pressure(args: &Args, format: Format) -> Result<Exit, Report> {
    if args.summary {
        return summary::write(args, format);
    }
    let inputs = args.inputs.iter().map(|path| Input::open(path));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<_> = inputs.iter().map(Input::source).collect();
    let compiled = args.platforms.iter().map(|platform| {
        let mut session = Session::new(options(args, platform));
        if let Some(kernel) = &args.kernel {
            session = session.only(kernel);
        }
        let module = session.compile_module(&sources);
        let module = module.map_err(|failure| report::failure(&inputs, &failure))?;
        Ok((platform.name, module))
    });
    let compiled = compiled.collect::<Result<Vec<_>, Report>>()?;
    let parts = compiled.iter().flat_map(|(_, module)| module.parts());
    let most = parts.map(|one| one.visa_instructions).max().unwrap_or(0);
    if let Some(at) = args.at.filter(|at| *at as usize >= most) {
        return Err(report::usage(format_args!(
            "--at {at}: there are {most} instructions, the first is 0"
        )));
    }
    let each = compiled
        .iter()
        .flat_map(|(platform, module)| module.parts().map(|one| (*platform, one)));
    let profiles: Vec<Named> = each
        .flat_map(|(platform, one)| {
            one.profiles.iter().map(move |profile| Named {
                kernel: &one.name,
                platform,
                profile,
            })
        })
        .collect();
    let mut outputs = Outputs::new(args.inputs.iter().map(PathBuf::as_path));
    if let Some(path) = &args.json {
        outputs.json(path, &profiles)?;
    }
    if let Some(path) = &args.csv {
        outputs.add(path, csv(&profiles)?)?;
    }
    if let Some(path) = &args.svg {
        for (n, named) in profiles.iter().enumerate() {
            let path = match profiles.len() {
                1 => path.clone(),
                _ => numbered(path, n),
            };
            outputs.svg(&path, svg(named.profile, &path)?)?;
        }
    }
    outputs.report(format, &profiles, || {
        let each = profiles.iter().map(|named| text(named, args));
        each.collect()
    })?;
    outputs.write()?;
    Ok(Exit::Done)
}

fn options(args: &Args, platform: &'static Platform) -> Options {
    Options {
        grf_limit: args.grf_limit.unwrap_or(platform.default_grfs),
        allocator: args.allocator.allocator(),
        without: args.without.clone(),
        profile: Some(args.at.map_or(Place::Peak, Place::Instruction)),
        ..Options::new(platform)
    }
}

/// The vISA instruction and the source line of a point.
fn place(profile: &Profile, point: &Point) -> [String; 2] {
    let visa = point
        .visa
        .map_or_else(|| "-".to_string(), |visa| visa.to_string());
    let source = point.source.map_or_else(String::new, |(file, line)| {
        let file = profile.files.get(file as usize).map_or("", String::as_str);
        let name = Path::new(file).file_name().unwrap_or_default();
        format!("{}:{line}", name.to_string_lossy())
    });
    [visa, source]
}

fn text(named: &Named, args: &Args) -> String {
    let Named {
        platform, profile, ..
    } = named;
    let on = match args.platforms.len() {
        1 => String::new(),
        _ => format!(" ({platform})"),
    };
    let mut out = String::new();
    let Some(peak) = profile.points.get(profile.peak) else {
        return out;
    };
    let at = |point: &Point| {
        let [visa, source] = place(profile, point);
        match &*source {
            "" => format!("instruction {visa}"),
            source => format!("instruction {visa}, {source}"),
        }
    };
    let _ = writeln!(
        out,
        "{}{on}: at most {} of {} GRFs live, {} bytes of them in use ({})\n",
        profile.name,
        peak.grfs,
        profile.grfs,
        peak.bytes,
        at(peak)
    );
    out += &plot(profile, args.rows.into());
    match profile.at {
        Some(n) => {
            let _ = writeln!(out, "\nwhat lives at {}:\n", at(&profile.points[n]));
            out += &split(profile);
            out += &table(profile);
        }
        None => out.push_str("\nno code comes from that instruction\n"),
    }
    if !profile.stored.is_empty() {
        out += "\nwhat is in memory, of the code of the whole:\n\n";
        out += &memory(profile);
    }
    out.push('\n');
    out
}

/// Bars of all points; several points that share a line show their maximum.
fn plot(profile: &Profile, rows: usize) -> String {
    let points = &profile.points;
    let most = profile.grfs.max(points[profile.peak].grfs).max(1);
    let each = points.len().div_ceil(rows);
    let mut lines = vec![["vISA", "source", "loops", "GRFs"].map(str::to_string)];
    let mut bars = vec![String::new()];
    for some in points.chunks(each) {
        let highest = some.iter().map(|p| p.grfs).max().unwrap_or_default();
        // The first of these points with a vISA instruction.
        let first = some.iter().find(|p| p.visa.is_some()).unwrap_or(&some[0]);
        let [visa, source] = place(profile, first);
        let loops = some.iter().map(|p| p.loops).max().unwrap_or_default();
        lines.push([visa, source, loops.to_string(), highest.to_string()]);
        bars.push(bar(highest, profile.grfs, most));
    }
    beside(&stats::align(&lines), bars)
}

/// A bar of that length, with a mark at the limit.
fn bar(grfs: u32, limit: u32, most: u32) -> String {
    let eighths = grfs * MAX_BAR_CHARS * 8 / most;
    let mut bar = PARTS[8].repeat((eighths / 8) as usize) + PARTS[(eighths % 8) as usize];
    let mark = (limit * MAX_BAR_CHARS / most) as usize;
    let length = bar.chars().count();
    if length <= mark {
        bar += &" ".repeat(mark - length);
        bar.push('|');
    }
    bar
}

/// GRFs at the listed point, by why they are taken.
fn split(profile: &Profile) -> String {
    let kept = |reason| profile.kept(reason);
    format!(
        "GRFs of values that active channels want: {}, that only waiting ones want: {}, of constants: {}, in memory: {}\n\
         GRFs that allocation does not give out: reserved {}, of variables whose address is taken {}\n\n",
        kept(Kept::Active),
        kept(Kept::Waiting),
        kept(Kept::Constant),
        kept(Kept::Memory),
        profile.reserved,
        profile.address_taken
    )
}

/// The spill slots, one a line.
fn memory(profile: &Profile) -> String {
    let mut heading = "GRFs|stores|loads|cost|uses|from|to|most GRFs between".split('|');
    let heading: [&str; 8] = std::array::from_fn(|_| heading.next().unwrap_or_default());
    let mut lines = vec![heading.map(str::to_string)];
    let mut names = vec!["values".to_string()];
    for slot in &profile.stored {
        let visa = |n: usize| place(profile, &profile.points[n])[0].clone();
        lines.push([
            slot.grfs.to_string(),
            slot.stores.to_string(),
            slot.loads.to_string(),
            slot.cost.to_string(),
            slot.uses.to_string(),
            visa(slot.first),
            visa(slot.last),
            slot.most.to_string(),
        ]);
        names.push(match slot.variables.as_slice() {
            [first, .., last] => format!("{first} to {last} ({})", slot.variables.len()),
            few => few.concat(),
        });
    }
    beside(&stats::align(&lines), names)
}

/// The listed values, one a line.
fn table(profile: &Profile) -> String {
    let heading = [
        "value",
        "variable",
        "kept for",
        "GRFs",
        "bytes",
        "since",
        "read next",
        "source",
    ];
    let mut lines = vec![heading.map(str::to_string)];
    let mut texts = vec!["defined by".to_string()];
    let visa = |n: Option<usize>, or: &str| match n {
        Some(n) => place(profile, &profile.points[n])[0].clone(),
        None => or.to_string(),
    };
    for value in &profile.values {
        let Value {
            register,
            variable,
            kept,
            grfs,
            bytes,
            since,
            is_parameter,
            next,
        } = value;
        let source = since.map_or_else(String::new, |n| {
            let [_, source] = place(profile, &profile.points[n]);
            source
        });
        lines.push([
            register.clone(),
            variable.clone().unwrap_or_default(),
            kept.name().to_string(),
            grfs.to_string(),
            bytes.to_string(),
            visa(*since, "entry"),
            visa(*next, "(loop)"),
            source,
        ]);
        let text = match since.map(|n| &profile.points[n]) {
            Some(point) if *is_parameter => format!("parameter of block{}", point.block),
            Some(point) => point.text.clone(),
            None => String::new(),
        };
        texts.push(match text.char_indices().nth(MAX_TEXT_CHARS) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text,
        });
    }
    beside(&stats::align(&lines), texts)
}

/// Lines with a text behind each.
fn beside(lines: &str, texts: Vec<String>) -> String {
    let joined = lines.lines().zip(texts);
    joined.fold(String::new(), |mut out, (line, text)| {
        let _ = writeln!(out, "{}", format!("{line}  {text}").trim_end());
        out
    })
}

fn csv(profiles: &[Named]) -> Result<Vec<u8>, Report> {
    let heading = "kernel platform part point block loops visa file line grfs bytes";
    let lines = profiles.iter().flat_map(|named| {
        let Named {
            kernel,
            platform,
            profile,
        } = named;
        profile.points.iter().enumerate().map(move |(n, point)| {
            let (file, line) = point.source.map_or_else(Default::default, |(file, line)| {
                let file = profile.files.get(file as usize);
                (file.map_or("", String::as_str), line.to_string())
            });
            [
                kernel.to_string(),
                platform.to_string(),
                profile.name.clone(),
                n.to_string(),
                point.block.to_string(),
                point.loops.to_string(),
                point.visa.map_or_else(String::new, |visa| visa.to_string()),
                file.to_string(),
                line,
                point.grfs.to_string(),
                point.bytes.to_string(),
            ]
        })
    });
    stats::csv(heading, lines)
}

/// The name of one of several plots: `P.1.svg` of `P.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{number}.{}", extension.to_string_lossy())),
        None => path.to_path_buf(),
    }
}

/// A plot of pressure over points: the limit as a line, the peak and the listed point as dots with their labels, and
/// loops as bars below, the darker the deeper.
fn svg(profile: &Profile, path: &Path) -> Result<String, Report> {
    let mut out = String::new();
    let drawn = draw(
        profile,
        SVGBackend::with_string(&mut out, PLOT).into_drawing_area(),
    );
    drawn.map_err(|e| report::file(path, &*e))?;
    Ok(out)
}

fn draw(
    profile: &Profile,
    area: DrawingArea<SVGBackend, plotters::coord::Shift>,
) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let points = &profile.points;
    let most = points[profile.peak].grfs.max(profile.grfs);
    let mut chart = ChartBuilder::on(&area)
        .caption(plain(&profile.name), ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(0..points.len(), 0..most + most / 16 + 1)?;
    let label = ("sans-serif", 12).into_font();
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .x_desc("machine instruction before allocation; bars below are loops")
        .y_desc("GRFs")
        .draw()?;
    // Each point is a step.
    let steps = points.iter().enumerate();
    let steps = steps.flat_map(|(n, point)| [(n, point.grfs), (n + 1, point.grfs)]);
    chart.draw_series(AreaSeries::new(steps, 0, BLUE.mix(0.2)).border_style(BLUE))?;
    let limit = [(0, profile.grfs), (points.len(), profile.grfs)];
    chart.draw_series(LineSeries::new(limit, RED))?;
    let name = format!("limit {}", profile.grfs);
    let at = (points.len() / 100, profile.grfs + most / 16);
    chart.draw_series([Text::new(name, at, label.clone().color(&RED))])?;
    let thick = most.div_ceil(LOOP_BARS);
    let loops = points
        .iter()
        .enumerate()
        .filter(|(_, point)| point.loops > 0);
    chart.draw_series(loops.map(|(n, point)| {
        let dark = f64::from(point.loops.min(MAX_LOOPS)) / f64::from(MAX_LOOPS);
        Rectangle::new([(n, 0), (n + 1, thick)], BLACK.mix(dark).filled())
    }))?;
    let marks = [("peak", Some(profile.peak)), ("at", profile.at)];
    let marks = marks.into_iter().filter_map(|(name, n)| Some((name, n?)));
    // Without a choice, the listed point is the peak.
    let marks = marks.filter(|(name, n)| *name == "peak" || *n != profile.peak);
    for (name, n) in marks {
        let Some(point) = points.get(n) else { continue };
        let [visa, _] = place(profile, point);
        let text = format!("{name} {} GRFs, vISA {visa}", point.grfs);
        // A label stays inside of the plot.
        let side = match n * 2 > points.len() {
            true => HPos::Right,
            false => HPos::Left,
        };
        let style = label
            .clone()
            .color(&BLACK)
            .pos(Pos::new(side, VPos::Bottom));
        chart.draw_series([Circle::new((n, point.grfs), DOT, BLUE.filled())])?;
        chart.draw_series([Text::new(text, (n, point.grfs + most / 64), style)])?;
    }
    area.present()?;
    Ok(())
}
