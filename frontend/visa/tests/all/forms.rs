//! Each form of text that the reference finalizer's grammar has, by the rule of the grammar: what it is printed as, and
//! that objects hold it. `.ci/text-forms` asks the reference finalizer whether it takes each form and makes the same code
//! of what it is printed as.

use kiln_visa::binary;
use kiln_visa::module::Module;
use kiln_visa::print::print;
use kiln_visa::text::parse;

const HEAD: &str = include_str!("../forms/head.visaasm");
/// A form a line: the rule, the platforms for which a release of the reference finalizer takes it, the form, and what it
/// is printed as. ` \n ` stands for the end of a line.
const FORMS: &str = include_str!("../forms/forms.txt");
const LINE_END: &str = " \\n ";
/// The page with the table of rules.
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/visa.md");
const START: &str = "<!-- forms -->\n";
const END: &str = "<!-- end of forms -->\n";

struct Form {
    rule: &'static str,
    taken: &'static str,
    text: &'static str,
    printed: &'static str,
}

fn forms() -> Vec<Form> {
    let form = |line: &'static str| {
        let [rule, taken, text, printed] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        Form {
            rule,
            taken,
            text,
            printed,
        }
    };
    FORMS.lines().map(form).collect()
}

fn module(form: &str) -> Module {
    let lines = form.replace(LINE_END, "\n");
    parse(&format!("{HEAD}{lines}\n")).unwrap_or_else(|error| panic!("{form}: {error}"))
}

/// The lines of a module that a form adds to the head.
fn added(module: &Module, head: &[String]) -> String {
    let mut known = head.iter().peekable();
    let mut lines = lines(module);
    lines.retain(|line| known.next_if(|known| *known == line).is_none());
    lines.join(LINE_END)
}

/// The printed lines without comments and superfluous blanks.
fn lines(module: &Module) -> Vec<String> {
    let line = |line: &str| {
        let code = line.split("///").next().unwrap_or_default();
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let printed = print(module);
    let lines = printed.lines().map(line);
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn each_form_is_printed_as_the_same() {
    let head = lines(&parse(HEAD).expect("the head"));
    let mut wrong = Vec::new();
    for form in forms() {
        let printed = added(&module(form.text), &head);
        if printed != form.printed {
            wrong.push(format!(
                "{}\t{}\t{}\t{printed}",
                form.rule, form.taken, form.text
            ));
            continue;
        }
        let again = added(&module(&printed), &head);
        assert_eq!(again, printed, "{}", form.text);
    }
    assert!(wrong.is_empty(), "printed otherwise:\n{}", wrong.join("\n"));
}

#[test]
fn objects_hold_each_form() {
    // Objects have no room for the flags of a call by address, and none for the names of subroutines.
    let lacks = |form: &Form| form.text.starts_with("ifcall.") || form.text.contains(".function");
    for form in forms().iter().filter(|form| !lacks(form)) {
        let mut written = module(form.text);
        written.version = (4, 1);
        let bytes = binary::write(&written).unwrap_or_else(|e| panic!("{}: {e}", form.text));
        let read = binary::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", form.text));
        assert_eq!(lines(&read), lines(&written), "{}", form.text);
    }
}

#[test]
fn docs_have_a_row_for_each_rule() {
    let mut table =
        String::from("| rule | forms | taken by a release | first of them |\n|---|--:|--:|---|\n");
    let forms = forms();
    for group in forms.chunk_by(|a, b| a.rule == b.rule) {
        let taken = group.iter().filter(|form| form.taken != "-").count();
        let first = group[0].text.replace('|', "\\|");
        let row = format!(
            "| {} | {} | {taken} | `{first}` |\n",
            group[0].rule,
            group.len()
        );
        table.push_str(&row);
    }
    let docs = std::fs::read_to_string(DOCS).expect("docs/visa.md");
    let (before, rest) = docs.split_once(START).expect("a place for the table");
    let (_, after) = rest.split_once(END).expect("an end of the table");
    let docs_now = format!("{before}{START}{table}{END}{after}");
    if std::env::var_os("WRITE").is_some() {
        std::fs::write(DOCS, &docs_now).expect("docs/visa.md");
    }
    assert!(docs == docs_now, "WRITE=1 writes the table");
}

/// Data of messages have no type: variables of any may hold them.
#[test]
fn data_of_messages_are_of_any_type() {
    for form in [
        "gather_scaled.1 (M1, 16) T6 0x0:ud V34.0 B1.0",
        "scatter_scaled.1 (M1, 16) T6 0x0:ud V34.0 H1.0",
        "gather4_scaled.R (M1, 16) T6 0x0:ud V34.0 W1.0",
        "svm_gather.4.1 (M1, 16) AQ.0 B1.0",
        "lsc_load.ugm (M1, 16) B1:d32 flat[AQ]:a64",
    ] {
        let findings =
            kiln_visa::verify::check(&module(&format!("{form}{LINE_END}ret (M1, 1)")), None);
        let said: Vec<String> = findings.iter().map(|f| f.kind.to_string()).collect();
        assert!(said.is_empty(), "{form}: {said:?}");
    }
}
