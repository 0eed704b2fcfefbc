use super::*;

fn parsed(line: &str) -> Result<Wanted, String> {
    let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    parse(&words).map_err(|Misuse(what)| what)
}

#[test]
fn flags_take_what_stands_behind_them() {
    let line = "a.visaasm -platform TGLLP -binary -output false -noschedule 0x1 -abiver 1 \
                    -nocompaction -nocopyprop -TotalGRFNum 64 -stepping A -asmOutput b";
    let wanted = parsed(line).unwrap();
    assert_eq!(wanted.platform.map(|p| p.name), Some("tgllp"));
    assert!(wanted.binary && !wanted.listing && wanted.unscheduled);
    assert_eq!((wanted.abi, wanted.grfs), (Some(1), Some(64)));
    let flags = line
        .split_whitespace()
        .skip(1)
        .map(|word| format!("{word} "));
    assert_eq!(wanted.flags, flags.collect::<String>());
    assert_eq!(wanted.stem, Some("b".into()));
    assert!(wanted.noted.contains(&"-stepping".into()));
}

#[test]
fn what_is_no_flag_is_refused() {
    for (line, said) in [
        (
            "a -platform SKL -binry",
            "-binry: no flag of GenX_IR: is -binary meant?",
        ),
        ("a -platform SKLX", "`SKLX` is no platform: is `skl` meant?"),
        ("a -platform", "-platform: a value is expected after it"),
        ("a b", "one input is expected: a and b"),
        ("a -TotalGRFNum many", "-TotalGRFNum: many is no number"),
        ("a -abiver 7", "-abiver: versions are 1 and 2, not 7"),
    ] {
        let error = parsed(line).err().unwrap_or_default();
        assert!(error.starts_with(said), "{line}: {error}");
    }
}

#[test]
fn every_flag_has_a_kind() {
    for line in FLAGS.lines() {
        let (name, kind) = line.split_once(' ').unwrap_or_default();
        assert!(name.len() > 1 && name.starts_with('-'), "{line}");
        assert!(
            ["switch", "text", "number", "numbers"].contains(&kind),
            "{line}"
        );
    }
}
