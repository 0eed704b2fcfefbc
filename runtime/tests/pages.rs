//! Pages of documentation: links lead somewhere, lists are complete, and each walk-through names every file of its
//! example.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files of a folder, as paths from the root of the checkout; neither hidden folders nor what builds and fixtures
/// have.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let path = match folder {
            "" => name.clone(),
            _ => format!("{folder}/{name}"),
        };
        match entry.file_type().expect("a type").is_dir() {
            true if name.starts_with('.') && name != ".ci" => {}
            true if ["target", "corpus", "__pycache__"].contains(&name.as_str()) => {}
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// True if a text has the word, in upper or lower case.
fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// Rows of a page's tables whose first cell is a file: the file, and the code in the last cell.
fn rows(page: &str) -> Vec<(String, String)> {
    let rows = page.lines().filter_map(|line| {
        let line = line.strip_prefix("| `")?.strip_suffix(" |")?;
        let (file, rest) = line.split_once('`')?;
        let code = rest.replace("\\|", "\u{1}");
        let code = code.rsplit('|').next()?.trim().replace('\u{1}', "|");
        let code = code.replace("<code>", "").replace("</code>", "");
        let code = code.replace("&#124;", "|");
        let code = code.strip_prefix('`').unwrap_or(&code);
        Some((file.into(), code.strip_suffix('`').unwrap_or(code).into()))
    });
    rows.collect()
}

/// The rows of a walk-through are the files of a scope that have one of the words in their names or contents, and each
/// file has its row's code.
fn follow(page: &str, words: &[&str], scope: impl Fn(&str) -> bool) {
    let rows = rows(&text(page));
    for (file, code) in &rows {
        assert!(text(file).contains(code), "{page}: {file} lacks: {code}");
    }
    let named: BTreeSet<_> = rows.into_iter().map(|(file, _)| file).collect();
    let has = |file: &String| {
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        let is_named = |word: &&str| has_word(file, word) || has_word(&text, word);
        scope(file) && words.iter().any(is_named)
    };
    let found: BTreeSet<_> = files("").into_iter().filter(has).collect();
    let missing: Vec<_> = found.difference(&named).collect();
    assert!(missing.is_empty(), "{page} has no step for {missing:?}");
    let idle: Vec<_> = named.difference(&found).collect();
    assert!(
        idle.is_empty(),
        "{page}: nothing of the example in {idle:?}"
    );
}

/// The walk-through's own page and test do not count.
fn is_rust(file: &str) -> bool {
    file.ends_with(".rs") && file != "runtime/tests/pages.rs"
}

#[test]
fn every_file_that_names_an_opcode_is_a_step() {
    follow("docs/add-an-opcode.md", &["fbh"], |file| {
        is_rust(file) || file == "docs/instructions.md"
    });
}

#[test]
fn every_file_that_names_a_platform_is_a_step() {
    follow("docs/add-a-platform.md", &["ptl", "xe3"], |file| {
        let is_source = is_rust(file) && file.contains("/src/") && !file.contains("/tests/");
        let is_text = [".md", ".txt", ".xz"]
            .iter()
            .all(|end| !file.ends_with(end));
        let makes = file.starts_with(".ci/") && is_text;
        is_source || makes || ["docs/platforms.md", "examples/remake"].contains(&file)
    });
}

#[test]
fn every_file_that_names_a_pass_is_a_step() {
    follow("docs/add-a-pass.md", &["invariants"], |file| {
        is_rust(file) || file.starts_with("isel/tests/passes/") || file == "docs/selection.md"
    });
}

/// Links between pages lead to files that exist, and to headings that they have.
#[test]
fn links_lead_somewhere() {
    let pages = files("").into_iter().filter(|file| file.ends_with(".md"));
    let mut links = 0;
    for page in pages {
        let content = text(&page);
        let folder = Path::new(&page).parent().expect("a folder");
        for link in content.split("](").skip(1) {
            let link = link.split(')').next().expect("a part");
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => PathBuf::from(&page),
                file => folder.join(file),
            };
            assert!(root().join(&target).exists(), "{page}: no {link}");
            links += 1;
            if heading.is_empty() {
                continue;
            }
            let target = text(target.to_str().expect("a path in UTF-8"));
            let mut headings = target.lines().filter(|line| line.starts_with('#'));
            assert!(
                headings.any(|line| anchor(line) == heading),
                "{page}: no {link}"
            );
        }
    }
    assert!(links > 150, "{links}");
}

/// The anchor that forges make of a heading.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn lists_of_pages_and_scripts_are_complete() {
    let list = text("docs/README.md");
    for page in files("docs").iter().filter(|file| file.ends_with(".md")) {
        let name = page.strip_prefix("docs/").expect("a page");
        assert!(
            name == "README.md" || list.contains(&format!("[{name}]({name})")),
            "docs/README.md has no {name}"
        );
    }

    let list = text(".ci/README.md");
    let run = text(".ci/run");
    for script in files(".ci") {
        let name = script.strip_prefix(".ci/").expect("a script");
        let name = name.split(".d/").next().expect("a script");
        let name_in_code = format!("`{name}`");
        if name == "README.md" {
            continue;
        }
        let row = list.lines().find(|line| line.contains(&name_in_code));
        let row = row.unwrap_or_else(|| panic!(".ci/README.md has no {name}"));
        let is_marked = row
            .split('|')
            .nth(2)
            .is_some_and(|cell| cell.trim() == "yes");
        let is_helper = [".py", ".txt"].iter().any(|end| name.ends_with(end)) || name == "no-exec";
        if !is_helper {
            let call = format!(".ci/{name}");
            let is_run = run.split([' ', '\'', '\n']).any(|word| word == call);
            assert_eq!(is_marked, is_run, ".ci/README.md: {name} in .ci/run");
        }
    }
}

/// Each word of the glossary has one row.
#[test]
fn words_of_the_glossary_have_one_meaning() {
    let page = text("docs/glossary.md");
    let mut words = BTreeSet::new();
    for line in page.lines().filter_map(|line| line.strip_prefix("| ")) {
        let word = line.split(" |").next().expect("a cell");
        for word in word.split(", ").filter(|word| *word != "word") {
            assert!(words.insert(word), "docs/glossary.md has {word} twice");
        }
    }
    assert!(words.len() > 60, "{}", words.len());
}

/// The compiler of rust-toolchain.toml, the oldest that Cargo.toml allows, and the README's are one.
#[test]
fn the_compiler_has_one_version() {
    let manifest = text("Cargo.toml");
    let version = manifest
        .split("rust-version = \"")
        .nth(1)
        .expect("a version");
    let version = version.split('"').next().expect("a version");
    let channel = format!("channel = \"{version}.0\"");
    assert!(text("rust-toolchain.toml").contains(&channel), "{channel}");
    let said = format!("Rust {version} or later");
    assert!(text("README.md").contains(&said), "{said}");
}
