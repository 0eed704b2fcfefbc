use super::*;

#[test]
fn brackets_are_counted() {
    let deep = "[".repeat(MAX_OPEN_BRACKETS);
    assert_eq!(check(deep.as_bytes()), Ok(()));
    assert_eq!(
        check(format!("a: 1\nb: {deep}{{").as_bytes()),
        Err(TooDeep { line: 2 })
    );
    let lists = "- {a: [1, 2], b: 3}\n".repeat(MAX_OPEN_BRACKETS + 1);
    assert_eq!(check(lists.as_bytes()), Ok(()));
}

#[test]
fn what_may_be_no_bracket_closes_none() {
    for hidden in [
        "[ \"]\", \n",
        "[ ']',\n",
        "[ # ]\n",
        "[ !<]> a,\n",
        "[ \"\n]\n\",\n",
    ] {
        let document = hidden.repeat(MAX_OPEN_BRACKETS + 1);
        assert!(check(document.as_bytes()).is_err(), "{hidden}");
    }
    // Documents of this project are far below the limit: many lines with one string in brackets.
    let strings = "- {bytes: \"07\"}\n".repeat(MAX_OPEN_BRACKETS);
    assert_eq!(check(strings.as_bytes()), Ok(()));
}
