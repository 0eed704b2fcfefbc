//! Texts of choices among variants of a kernel.

use kiln_compile::choose::{Choice, Fixed, Reason, Variant};

use super::stats::{self, KernelStats};

/// The reason for the variant that was taken.
pub fn reason(choice: &Choice) -> &'static str {
    let all_spill = choice.variants.iter().all(Variant::is_spilling);
    let taken = choice.variants.get(choice.variant);
    match choice.reason {
        Reason::Only => "the only one",
        Reason::Spills => "all others spill",
        Reason::Cycles if all_spill => "all spill, highest throughput",
        Reason::Cycles if taken.is_some_and(Variant::is_spilling) => "the others are far slower",
        Reason::Cycles => "highest throughput",
    }
}

/// The reason why a file has no variants of other registers.
fn fixed(fixed: Fixed) -> &'static str {
    match fixed {
        Fixed::Options => "an option fixes its registers",
        Fixed::Attribute => "its attribute NumGRF fixes its registers",
        Fixed::Calls => "the convention of its calls depends on its registers",
    }
}

/// A table of the variants of each kernel, below the one that was taken; `files` has their names.
pub fn tables(figures: &[KernelStats], files: &[String]) -> String {
    let with = figures.iter().filter_map(|kernel| {
        let choice = kernel.choice.as_ref()?;
        Some(table(kernel, choice, files))
    });
    with.collect::<Vec<_>>().join("\n")
}

fn table(kernel: &KernelStats, choice: &Choice, files: &[String]) -> String {
    let name = |file: usize| files.get(file).cloned().unwrap_or_default();
    let mut text = match choice.variants.get(choice.variant) {
        Some(taken) => format!(
            "{} on {}: SIMD{} with {} registers, {}\n",
            stats::demangled(&kernel.name),
            kernel.platform,
            taken.simd,
            taken.grfs,
            reason(choice)
        ),
        None => String::new(),
    };
    let best = choice
        .variants
        .get(choice.variant)
        .map_or(1.0, |taken| taken.cycles);
    let heading = [
        "file",
        "SIMD",
        "registers",
        "threads a unit",
        "spill bytes",
        "a lane",
        "messages",
        "cycles a work-item",
        "throughput",
        "",
    ];
    let rows = choice.variants.iter().enumerate().map(|(number, one)| {
        [
            name(one.file),
            one.simd.to_string(),
            one.grfs.to_string(),
            one.threads.to_string(),
            one.spill_bytes.to_string(),
            format!("{:.1}", one.lane_spill_bytes),
            one.messages.to_string(),
            format!("{:.2}", one.item_cycles),
            format!("{:.3}", best / one.cycles),
            match number == choice.variant {
                true => "taken".to_string(),
                false => String::new(),
            },
        ]
    });
    let rows: Vec<_> = std::iter::once(heading.map(str::to_string))
        .chain(rows)
        .collect();
    text += &stats::align(&rows);
    for one in &choice.variants {
        if let Some(why) = one.fixed {
            text += &format!("{}: {}\n", name(one.file), fixed(why));
        }
    }
    for one in &choice.refused {
        text += &format!(
            "{}, {} registers: not compiled: {}\n",
            name(one.file),
            one.grfs,
            one.error
        );
    }
    text
}
