//! Texts that the verifier refuses, each of which breaks one rule.

use kiln_genx::error::Code;
use kiln_genx::read;

/// Checks the message and the line for a body, which begins in line 2.
fn check(body: &str, message: &str, line: u32) {
    let text = format!(
        "define i32 @f(i32 %n, i1 %c) {{\n{body}}}\ndefine void @g(i16) {{\n  ret void\n}}\n"
    );
    let error = read(text.as_bytes()).expect_err(message);
    assert_eq!(
        (error.code, error.loc.line),
        (Code::Mismatch, line),
        "{error}\n{text}"
    );
    assert!(error.message.contains(message), "{error}");
}

#[test]
fn broken_rules_have_a_place() {
    check(
        "  %a = add i32 %b, 1\n  %b = add i32 %n, 1\n  ret i32 %a\n",
        "used before its definition",
        2,
    );
    check(
        "e:\n  br i1 %c, label %x, label %y\nx:\n  %a = add i32 %n, 1\n  br label %y\ny:\n  ret i32 %a\n",
        "used before its definition",
        8,
    );
    check(
        "e:\n  br i1 %c, label %x, label %y\nx:\n  br label %y\ny:\n  %p = phi i32 [ 1, %e ]\n  ret i32 %p\n",
        "for each predecessor",
        7,
    );
    check(
        "e:\n  br label %x\nx:\n  %a = add i32 %n, 1\n  %p = phi i32 [ 1, %e ]\n  ret i32 %p\n",
        "follows another instruction",
        6,
    );
    check("e:\n  br label %e\n", "to the first block", 1);
    check(
        "  call void @g(i32 %n)\n  ret i32 %n\n",
        "other parameters",
        2,
    );
    check("  call i32 @g(i16 1)\n  ret i32 %n\n", "another result", 2);
    check(
        "  %a = trunc i32 %n to i64\n  ret i32 %n\n",
        "no such conversion",
        2,
    );
    check(
        "  %a = fadd i32 %n, %n\n  ret i32 %n\n",
        "no such operation",
        2,
    );
}
