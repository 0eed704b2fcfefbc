//! Parts of the passes that are no stage of their own: which functions there are and how they are called, the two dialects of a
//! kernel, copies of memory and accesses of it. Each on a text, by the vISA or the dump after it.

use kiln_genx::passes::kernels::ArgKind;
use kiln_genx::{Compiled, Options, compile, compile_dumped};
use kiln_platform::platform::PLATFORMS;

const HEAD: &str = "target datalayout = \"e-p:64:64-p3:32:32-i64:64\"
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
";

/// A module: a kernel with this body, and what follows it.
fn module(body: &str, others: &str) -> String {
    format!(
        "{HEAD}define spir_kernel void @k(i64 %p, i32 %n, <8 x i32> %w, ptr addrspace(1) %a, ptr addrspace(1) %b, \
         ptr addrspace(3) %l) #0 {{\n{body}\n  ret void\n}}\n{others}\nattributes #0 = {{ \"VCFunction\" }}\n\
         attributes #1 = {{ \"VCStackCall\" }}\n"
    )
}

fn compiled(text: &str) -> Compiled {
    let platform = PLATFORMS.iter().find(|p| p.name == "skl");
    let options = Options::new(platform.expect("skl"));
    compile(text.as_bytes(), &options)
        .unwrap_or_else(|e| panic!("{}: {}\n{text}", e.loc, e.message))
}

fn visa(text: &str) -> String {
    kiln_visa::print::print(&compiled(text).visa)
}

/// Number of instructions of that name in a vISA text.
fn count(visa: &str, name: &str) -> usize {
    let words = visa.lines().map(|line| {
        let mut words = line.split_whitespace();
        words
            .find(|word| !word.starts_with('('))
            .unwrap_or_default()
    });
    words.filter(|word| *word == name).count()
}

const SUM: &str = "define internal i32 @sum(i32 %x) {\n  %r = add i32 %x, 3\n  ret i32 %r\n}\n";
const STORE: &str = "  %x = insertelement <8 x i32> %w, i32 %r, i32 0\n  \
    call void @llvm.genx.svm.block.st.i64.v8i32(i64 %p, <8 x i32> %x)";

#[test]
fn a_function_that_nothing_reaches_is_left_out() {
    let body = format!("  %r = call i32 @sum(i32 %n)\n{STORE}");
    let lost = "define internal i32 @lost(i32 %x) {\n  %r = call i32 @unheard(i32 %x)\n  ret i32 %r\n}\n\
        declare i32 @unheard(i32)\n";
    assert_eq!(
        visa(&module(&body, SUM)),
        visa(&module(&body, &format!("{SUM}{lost}")))
    );
}

#[test]
fn a_function_is_a_subroutine_unless_it_needs_a_stack() {
    let direct = format!("  %r = call i32 @sum(i32 %n)\n{STORE}");
    let plain = visa(&module(&direct, SUM));
    assert_eq!(
        (count(&plain, "call"), count(&plain, "fcall")),
        (1, 0),
        "{plain}"
    );
    let marked = visa(&module(&direct, &SUM.replace(") {", ") #1 {")));
    assert_eq!(
        (count(&marked, "call"), count(&marked, "fcall")),
        (0, 1),
        "{marked}"
    );
    // By way of another function.
    let recursive = "define internal i32 @sum(i32 %x) {\n  %c = icmp eq i32 %x, 0\n  br i1 %c, label %end, label %more\n\
        more:\n  %y = add i32 %x, -1\n  %s = call i32 @other(i32 %y)\n  ret i32 %s\nend:\n  ret i32 7\n}\n\
        define internal i32 @other(i32 %x) {\n  %s = call i32 @sum(i32 %x)\n  %r = add i32 %s, 5\n  ret i32 %r\n}\n";
    let recursive = visa(&module(&direct, recursive));
    assert_eq!(
        (count(&recursive, "call"), count(&recursive, "fcall")),
        (0, 3),
        "{recursive}"
    );
    let body = format!(
        "  %c = icmp eq i32 %n, 0\n  %f = select i1 %c, ptr @sum, ptr @product\n  %r = call i32 %f(i32 %n)\n{STORE}"
    );
    let product = "define internal i32 @product(i32 %x) {\n  %r = mul i32 %x, 3\n  ret i32 %r\n}\n";
    let address = visa(&module(&body, &format!("{SUM}{product}")));
    assert_eq!(
        (count(&address, "ifcall"), count(&address, "faddr")),
        (1, 2),
        "{address}"
    );
}

#[test]
fn both_forms_of_a_kernel_have_the_same_interface() {
    let store =
        "  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %at, <8 x i32> %w)\n  ret void\n}\n";
    let carrier = format!(
        "{HEAD}define spir_kernel void @k(<8 x i32> %w, ptr addrspace(1) %o, i32 \
         \"VCArgumentKind\"=\"2\" \"VCArgumentDesc\"=\"buffer_t read_only\" %s) #0 {{\n  \
         %at = ptrtoint ptr addrspace(1) %o to i64\n{store}attributes #0 = {{ \"VCFunction\" \"VCSLMSize\"=\"2048\" }}\n"
    );
    let document = |with_name: &str| {
        format!(
            "{HEAD}define dllexport void @k(<8 x i32> %w, i64 %at, i32 %s) #0 {{\n{store}\
             attributes #0 = {{ \"CMGenxMain\" }}\n!genx.kernels = !{{!0}}\n\
             !0 = !{{ptr @k, !\"k\", {with_name}!1, i32 2048, !1, !2, !3}}\n!1 = !{{i32 0, i32 0, i32 2}}\n\
             !2 = !{{i32 0, i32 0, i32 0}}\n!3 = !{{!\"\", !\"svmptr_t\", !\"buffer_t read_only\"}}\n"
        )
    };
    let expected = compiled(&carrier).interfaces;
    assert_eq!((expected[0].slm, expected[0].args.len()), (2048, 3));
    assert_eq!(compiled(&document("")).interfaces, expected);
}

/// A number of 64 bits is a pointer if its value gets to an address: by a sum, in a vector of addresses, by a function's argument
/// and result, or by an allocation. What is stored, or multiplied before, is none.
#[test]
fn numbers_that_are_addresses_are_pointers() {
    let scatter = "llvm.genx.svm.scatter.v8i1.v8i64.v8i64";
    let text = format!(
        "{HEAD}declare void @{scatter}(<8 x i1>, i32, <8 x i64>, <8 x i64>)\n\
         define internal i64 @moved(i64 %x, i64 %y) {{\n  %z = mul i64 %y, 4\n  %r = add i64 %x, %z\n  ret i64 %r\n}}\n\
         define spir_kernel void @k(i64 %sum, i64 %scaled, i64 %in, i64 %data, i64 %passed, i64 %times, i64 %kept, i64 %unread, \
         i32 %short, <8 x i32> %w) #0 {{\n  \
         %by = shl i64 %scaled, 5\n  %at = add i64 %sum, %by\n  \
         call void @llvm.genx.svm.block.st.i64.v8i32(i64 %at, <8 x i32> %w)\n  \
         %i = insertelement <8 x i64> undef, i64 %in, i32 0\n  \
         %all = shufflevector <8 x i64> %i, <8 x i64> undef, <8 x i32> zeroinitializer\n  \
         %d = insertelement <8 x i64> undef, i64 %data, i32 0\n  \
         call void @{scatter}(<8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>, i32 0, <8 x i64> %all, <8 x i64> %d)\n  \
         %there = call i64 @moved(i64 %passed, i64 %times)\n  %p = inttoptr i64 %there to ptr addrspace(1)\n  \
         store i32 %short, ptr addrspace(1) %p, align 4\n  \
         %a = alloca i64, align 8\n  store i64 %kept, ptr %a, align 8\n  %b = alloca i64, align 8\n  \
         store i64 %unread, ptr %b, align 8\n  %l = load i64, ptr %a, align 8\n  \
         call void @llvm.genx.svm.block.st.i64.v8i32(i64 %l, <8 x i32> %w)\n  ret void\n}}\n\
         attributes #0 = {{ \"VCFunction\" }}\n"
    );
    let interfaces = compiled(&text).interfaces;
    let args = interfaces[0].args.iter();
    let pointers = args.map(|argument| argument.arg.kind == ArgKind::Pointer);
    let expected = [
        true, false, true, false, true, false, true, false, false, false,
    ];
    assert_eq!(pointers.collect::<Vec<_>>(), expected);
}

/// The module after the pass over memory.
fn after_memory(body: &str) -> String {
    let text = module(body, "");
    let (found, done) = compile_dumped(text.as_bytes(), &Options::new(&PLATFORMS[0]));
    if let Err(error) = done {
        panic!("{}: {error}\n{text}", error.loc);
    }
    let stage = found.into_iter().find(|(name, _)| *name == "memory");
    let (_, text) = stage.expect("the stage");
    text[text.find("define ").expect("a function")..].to_owned()
}

#[test]
fn a_copy_has_channels_of_the_size_that_is_aligned() {
    let copy = |align: u32, bytes: u32| {
        after_memory(&format!(
            "  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align {align} %a, ptr addrspace(1) align 16 %b, \
             i64 {bytes}, i1 false)"
        ))
    };
    for (align, bytes, expected) in [
        (1, 8, "<8 x i64>"),
        (4, 8, "<2 x i64>"),
        (8, 8, "<1 x i64>"),
        (4, 7, "<7 x i64>"),
    ] {
        let code = copy(align, bytes);
        let scatter = code.lines().find(|line| line.contains("genx.svm.scatter"));
        assert!(
            scatter.is_some_and(|line| line.contains(expected)),
            "{align} {bytes}\n{code}"
        );
    }
    let code = copy(16, 64);
    assert!(
        code.contains("svm.block.st") && !code.contains("scatter"),
        "{code}"
    );
    let code = after_memory(
        "  call void @llvm.memset.p1.i64(ptr addrspace(1) align 4 %a, i8 5, i64 4, i1 false)",
    );
    assert!(code.contains("84215045"), "{code}");
}

#[test]
fn an_access_is_a_message_by_its_alignment_and_memory() {
    let load = |ty: &str, from: &str, align: u32| {
        after_memory(&format!(
            "  %v = load {ty}, ptr {from}, align {align}\n  store {ty} %v, ptr addrspace(1) %b, align 1"
        ))
    };
    let global = "addrspace(1) %a";
    for (ty, from, align, expected) in [
        ("<8 x i32>", global, 16, "genx.svm.block.ld."),
        ("<8 x i32>", global, 4, "genx.svm.block.ld.unaligned."),
        ("<8 x i32>", global, 2, "genx.svm.gather."),
        ("<3 x i32>", global, 4, "genx.svm.gather."),
        ("i8", global, 1, "genx.svm.gather."),
        ("<8 x i32>", "addrspace(3) %l", 16, "genx.gather.scaled."),
    ] {
        let code = load(ty, from, align);
        assert!(code.contains(expected), "{ty} {from} {align}\n{code}");
        assert_eq!(
            code.matches("@llvm.genx.svm.block.ld").count(),
            usize::from(expected.contains("block")),
            "{code}"
        );
    }
}
