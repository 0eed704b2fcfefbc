use super::*;

#[test]
fn the_command_line_is_well_made() {
    program().debug_assert();
}

/// The verbs with their options.
fn verbs() -> Vec<clap::Command> {
    let mut program = program();
    program.build();
    let verbs = program.get_subcommands();
    verbs
        .filter(|verb| verb.get_name() != "help")
        .cloned()
        .collect()
}

/// Help without an example leaves the use of a verb to guessing.
#[test]
fn every_verb_has_examples_that_are_understood() {
    for verb in verbs().iter().filter(|verb| !verb.is_hide_set()) {
        let help = verb.get_after_help().map(ToString::to_string);
        let help = help.unwrap_or_default();
        let lines = help.lines().filter_map(|line| line.strip_prefix("  kiln "));
        let lines: Vec<&str> = lines.collect();
        assert!(!lines.is_empty(), "{} has no example", verb.get_name());
        assert!(lines.iter().any(|line| line.starts_with(verb.get_name())));
    }
}

#[test]
fn options_mean_the_same_for_every_verb() {
    let mut seen: std::collections::BTreeMap<&str, (&str, bool)> = Default::default();
    let verbs = verbs();
    for verb in &verbs {
        for arg in verb.get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            let takes = arg.get_action().takes_values();
            let (first, as_first) = *seen.entry(long).or_insert((verb.get_name(), takes));
            assert_eq!(
                as_first,
                takes,
                "--{long} of {first} and {}",
                verb.get_name()
            );
        }
    }
}
