//! Each pass on a text: what the pass replaces, and by what.

use kiln_genx::attempt::ATTEMPTS;
use kiln_genx::{Options, READ, compile_dumped, dump_names};
use kiln_platform::platform::PLATFORMS;

const HEAD: &str = "target datalayout = \"e-p:64:64-i64:64\"
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)
declare spir_func float @_Z18__spirv_ocl_sincosfPf(float, ptr)
declare spir_func i32 @_Z18__spirv_AtomicIAddPU3AS1iiii(ptr addrspace(1), i32, i32, i32)
declare ptr @llvm.stacksave()
declare void @llvm.stackrestore(ptr)
declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @llvm.vector.reduce.add.v8i32(<8 x i32>)
declare spir_func i32 @printf(ptr addrspace(2), ...)
declare { <32 x i1>, <8 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v8i1(<32 x i1>, <8 x i1>, <8 x i1>)
@seen = internal global i32 5, align 4
@format = internal addrspace(2) constant [4 x i8] c\"%d\\0A\\00\"
@__spirv_BuiltInWorkgroupId = external addrspace(1) constant <3 x i64>, align 32
%pair = type { i32, [2 x i32] }
";

/// Instructions of a kernel with this body before and after a pass.
fn around(pass: &str, params: &str, body: &str) -> [String; 2] {
    let text = format!(
        "{HEAD}define spir_kernel void @k(i64 %p, i32 %n, <8 x i32> %w{params}) #0 {{\n{body}\n}}\n\
         define internal void @writes(<8 x i32> %w) {{\n  %b = ptrtoint ptr @seen to i64\n  call void \
         @llvm.genx.svm.block.st.i64.v8i32(i64 %b, <8 x i32> %w)\n  ret void\n}}\nattributes #0 = {{ \"VCFunction\" }}\n"
    );
    // The attempt that runs all passes.
    let options = Options {
        attempts: &ATTEMPTS[1..],
        ..Options::new(&PLATFORMS[0])
    };
    let (found, done) = compile_dumped(text.as_bytes(), &options);
    if let Err(error) = done {
        panic!("{}: {error}\n{text}", error.loc);
    }
    let at = found.iter().position(|(name, _)| *name == pass);
    let at = at.unwrap_or_else(|| panic!("no pass {pass}"));
    let code = |text: &str| {
        let from = text.find("define ").expect("a function");
        text[from..].to_owned()
    };
    [code(&found[at - 1].1), code(&found[at].1)]
}

#[track_caller]
fn replaces(pass: &str, params: &str, body: &str, old: &str, new: &str) {
    let [before, after] = around(pass, params, body);
    assert!(before.contains(old), "{before}");
    assert!(!after.contains(old), "{after}");
    assert!(after.contains(new), "{after}");
}

const STORE: &str =
    "  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %p, <8 x i32> %x)\n  ret void";

#[test]
fn every_pass_has_a_test() {
    let text = include_str!("passes.rs");
    for name in dump_names().filter(|name| *name != READ) {
        assert!(text.contains(&format!("\"{name}\",")), "{name}");
    }
}

#[test]
fn allocations_of_a_variable_size_take_it_from_the_stack() {
    let body = format!(
        "  %a = alloca i32, i32 %n, align 64\n  \
         %b = getelementptr i32, ptr %a, i32 %n\n  %y = load i32, ptr %b\n  \
         %x = insertelement <8 x i32> %w, i32 %y, i32 0\n{STORE}"
    );
    replaces("allocations", "", &body, "alloca ", "@llvm.kiln.room");
    let saved = format!(
        "  %t = call ptr @llvm.stacksave()\n  call void @llvm.stackrestore(ptr %t)\n{body}"
    );
    let [_, after] = around("allocations", "", &saved);
    assert!(
        after.contains("stacksave") && after.contains("stackrestore"),
        "{after}"
    );
    let body = body.replace("i32 %n, align", "i32 7, align");
    let fixed = format!(
        "  %t = call ptr @llvm.stacksave()\n  call void @llvm.stackrestore(ptr %t)\n{body}"
    );
    let [_, after] = around("allocations", "", &fixed);
    assert!(
        !after.contains("stacksave") && !after.contains("stackrestore"),
        "{after}"
    );
}

#[test]
fn variables_of_the_launch_become_its_values() {
    let body = format!(
        "  %id = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInWorkgroupId\n  \
         %y = extractelement <3 x i64> %id, i32 1\n  %t = trunc i64 %y to i32\n  \
         %x = insertelement <8 x i32> %w, i32 %t, i32 0\n{STORE}"
    );
    let (old, new) = ("@__spirv_BuiltInWorkgroupId", "@llvm.kiln.launch.group.id");
    replaces("launch", "", &body, old, new);
}

#[test]
fn calls_that_print_become_records() {
    let body = format!(
        "  %r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @format, i32 %n)\n  \
         %x = insertelement <8 x i32> %w, i32 %r, i32 0\n{STORE}"
    );
    replaces("printf", "", &body, "@printf(", "@llvm.genx.print.buffer");
}

#[test]
fn a_kernel_has_no_parameter_of_bools() {
    let body =
        format!("  %x = select <8 x i1> %m, <8 x i32> %w, <8 x i32> zeroinitializer\n{STORE}");
    let [before, after] = around("arguments", ", <8 x i1> %m", &body);
    assert!(!before.contains("bitcast"), "{before}");
    assert!(after.contains("bitcast"), "{after}");
    replaces("arguments", ", <8 x i1> %m", &body, "i1> %m)", "bitcast");
}

#[test]
fn blocks_that_nothing_reaches_go() {
    let body = format!("  %x = add <8 x i32> %w, %w\n{STORE}\nlost:\n  br label %lost");
    replaces("cfg", "", &body, "lost", "add");
}

#[test]
fn blocks_in_a_row_are_one() {
    let body = format!(
        "  br label %one\none:\n  %a = phi <8 x i32> [ %w, %0 ]\n  br label %two\ntwo:\n  \
         %x = add <8 x i32> %a, %w\n  br label %three\nthree:\n{STORE}"
    );
    let [_, after] = around("cfg", "", &body);
    assert!(!after.contains("br "), "{after}");
    // The ways out of a row come from its first block.
    let body = format!(
        "  br label %one\none:\n  %c = icmp eq i32 %n, 0\n  br i1 %c, label %yes, label %no\nyes:\n  br label %no\nno:\n  \
         %x = phi <8 x i32> [ %w, %one ], [ zeroinitializer, %yes ]\n{STORE}"
    );
    let [_, after] = around("cfg", "", &body);
    assert!(after.contains("[ %w, %0 ]"), "{after}");
}

#[test]
fn functions_of_spirv_become_intrinsics_and_instructions() {
    let body = format!(
        "  %at = inttoptr i64 %p to ptr\n  %f = bitcast i32 %n to float\n  \
         %s = call spir_func float @_Z18__spirv_ocl_sincosfPf(float %f, ptr %at)\n  %b = bitcast float %s to i32\n  \
         %x = insertelement <8 x i32> %w, i32 %b, i32 0\n{STORE}"
    );
    replaces(
        "spirv",
        "",
        &body,
        "stored.sincos",
        "call { float, float } @llvm.sincos",
    );
    let body = format!(
        "  %at = inttoptr i64 %p to ptr addrspace(1)\n  \
         %s = call spir_func i32 @_Z18__spirv_AtomicIAddPU3AS1iiii(ptr addrspace(1) %at, i32 1, i32 8, i32 %n)\n  \
         %x = insertelement <8 x i32> %w, i32 %s, i32 0\n{STORE}"
    );
    // Memory semantics 8 are the ordering 5.
    let new = "@llvm.kiln.atomic.add.i32(ptr addrspace(1) %at, i32 %n, i32 5)";
    replaces("spirv", "", &body, "scoped.add", new);
}

#[test]
fn operations_without_a_message_are_loops_of_exchanges() {
    for (op, ty) in [
        ("nand", "i32"),
        ("add", "i16"),
        ("fsub", "half"),
        ("fadd", "float"),
    ] {
        let body = format!(
            "  %at = inttoptr i64 %p to ptr addrspace(1)\n  %t = trunc i32 %n to i16\n  %h = bitcast i16 %t to half\n  \
             %f = bitcast i32 %n to float\n  %s = atomicrmw {op} ptr addrspace(1) %at, {ty} {} monotonic\n  \
             %x = add <8 x i32> %w, %w\n{STORE}",
            match ty {
                "i16" => "%t",
                "half" => "%h",
                "float" => "%f",
                _ => "%n",
            }
        );
        let [_, after] = around("exchanges", "", &body);
        assert!(after.contains("@llvm.kiln.atomic.cmpxchg"), "{after}");
        let name = format!("@llvm.kiln.atomic.{op}.");
        assert!(!after.contains(&name), "{after}");
    }
    // A message with effects stays.
    let body = format!(
        "  %at = inttoptr i64 %p to ptr addrspace(1)\n  %s = atomicrmw add ptr addrspace(1) %at, i32 %n monotonic\n  \
         %x = add <8 x i32> %w, %w\n{STORE}"
    );
    let [_, after] = around("exchanges", "", &body);
    assert!(!after.contains("cmpxchg"), "{after}");
}

#[test]
fn what_counts_rounds_does_not_count() {
    // More than twenty instructions of each of 127 rounds become constants.
    let sums = (0..20).fold(String::new(), |text, n| {
        let from = if n == 0 {
            "%i".into()
        } else {
            format!("%s{}", n - 1)
        };
        format!("{text}  %s{n} = xor i32 {from}, {n}\n")
    });
    let head = format!("{sums}{}", left("icmp ult i32 %i, 127", "tail"));
    let body = counted(&head, BACK).replace("%k = and i32 %i", "%k = and i32 %s19");
    let [_, after] = around("unroll", "", &body);
    assert!(!after.contains("phi"), "{after}");
    // A loop whose counter depends on a parameter stays.
    let [_, after] = around("unroll", "", &body.replace("xor i32 %i", "xor i32 %n"));
    assert!(after.contains("phi"), "{after}");
}

#[test]
fn bfloats_are_computed_as_floats() {
    let body = format!(
        "  %a = bitcast <8 x i32> %w to <16 x bfloat>\n  %b = fadd <16 x bfloat> %a, %a\n  \
         %x = bitcast <16 x bfloat> %b to <8 x i32>\n{STORE}"
    );
    replaces(
        "bfloat",
        "",
        &body,
        "fadd <16 x bfloat>",
        "fadd <16 x float>",
    );
}

#[test]
fn overflow_of_64_bits_is_a_comparison() {
    let body = format!(
        "  %l = zext i32 %n to i64\n  %s = call {{ i64, i1 }} @llvm.uadd.with.overflow.i64(i64 %p, i64 %l)\n  \
         %o = extractvalue {{ i64, i1 }} %s, 1\n  %c = zext i1 %o to i32\n  \
         %x = insertelement <8 x i32> %w, i32 %c, i32 0\n{STORE}"
    );
    replaces("expand", "", &body, "with.overflow", "icmp ult i64");
}

#[test]
fn aggregates_are_taken_apart() {
    let body = format!(
        "  %a = insertvalue %pair undef, i32 %n, 1, 0\n  %b = extractvalue %pair %a, 1, 0\n  \
         %x = insertelement <8 x i32> %w, i32 %b, i32 0\n{STORE}"
    );
    replaces("aggregates", "", &body, "insertvalue", "insertelement");
}

#[test]
fn reductions_are_sums_of_halves() {
    let body = format!(
        "  %a = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %w)\n  \
         %x = insertelement <8 x i32> %w, i32 %a, i32 0\n{STORE}"
    );
    replaces("reduce", "", &body, "reduce", "add <4 x i32>");
}

#[test]
fn an_integer_of_another_width_is_the_next() {
    let body = format!(
        "  %a = trunc i32 %n to i11\n  %b = lshr i11 %a, 3\n  %c = zext i11 %b to i32\n  \
         %x = insertelement <8 x i32> %w, i32 %c, i32 0\n{STORE}"
    );
    replaces("widths", "", &body, "i11", "and i16 %a, 2047");
}

/// A loop whose counter begins with a constant and is left as `ends` says, in its header or its latch.
fn counted(head: &str, tail: &str) -> String {
    format!(
        "entry:\n  br label %head\nhead:\n  %i = phi i32 [ 0, %entry ], [ %j, %tail ]\n  \
         %v = phi <8 x i32> [ %w, %entry ], [ %u, %tail ]\n  %j = add i32 %i, 1\n{head}\n\
         tail:\n  %k = and i32 %i, 7\n  %u = insertelement <8 x i32> %v, i32 %n, i32 %k\n{tail}\n\
         out:\n  %x = add <8 x i32> %v, %v\n{STORE}"
    )
}

/// A jump to the tail of the loop, and one back to its head; [`left`] makes an exit.
const ON: &str = "  br label %tail";
const BACK: &str = "  br label %head";

fn left(by: &str, on: &str) -> String {
    format!("  %c = {by}\n  br i1 %c, label %{on}, label %out")
}

#[test]
fn loops_of_known_rounds_become_their_rounds() {
    for (body, inserts) in [
        (counted(&left("icmp ult i32 %i, 3", "tail"), BACK), 3),
        (counted(ON, &left("icmp ne i32 %j, 5", "head")), 4),
        (counted(ON, &left("icmp slt i32 %i, 0", "head")), 0),
        // The last round of a loop that is left in its latch makes a value that nothing reads.
        (counted(ON, &left("icmp ule i32 %j, 6", "head")), 6),
    ] {
        let [before, after] = around("unroll", "", &body);
        assert!(before.contains("phi i32"), "{before}");
        assert!(!after.contains("phi"), "{after}");
        let found = after.matches("insertelement").count();
        assert_eq!(found, inserts, "{after}");
        for round in 0..inserts {
            assert!(after.contains(&format!("i32 {round}\n")), "{after}");
        }
    }
}

#[test]
fn loops_of_loops_become_their_rounds() {
    let body = format!(
        "  br label %outer\nouter:\n  %i = phi i32 [ 0, %0 ], [ %i.next, %end ]\n  \
         %v = phi <8 x i32> [ %w, %0 ], [ %y, %end ]\n  br label %inner\n\
         inner:\n  %j = phi i32 [ %i, %outer ], [ %j.next, %inner ]\n  \
         %u = phi <8 x i32> [ %v, %outer ], [ %y, %inner ]\n  \
         %y = insertelement <8 x i32> %u, i32 %n, i32 %j\n  %j.next = add i32 %j, 1\n  \
         %c = icmp ult i32 %j.next, 3\n  br i1 %c, label %inner, label %end\n\
         end:\n  %i.next = add i32 %i, 1\n  %d = icmp ne i32 %i.next, 2\n  \
         br i1 %d, label %outer, label %out\nout:\n  %x = add <8 x i32> %y, %y\n{STORE}"
    );
    let [_, after] = around("unroll", "", &body);
    // The rounds of the inner loop depend on the outer one, so that it stays.
    assert_eq!(after.matches("phi i32").count(), 2, "{after}");
    let [_, after] = around(
        "unroll",
        "",
        &body.replace("[ %i, %outer ]", "[ 1, %outer ]"),
    );
    assert!(!after.contains("phi"), "{after}");
    assert_eq!(after.matches("insertelement").count(), 4, "{after}");
}

#[test]
fn loops_stay_whose_rounds_are_unknown_or_many() {
    let two_exits = counted(
        &left("icmp ult i32 %i, %n", "tail"),
        "  %d = icmp ult i32 %i, 3\n  br i1 %d, label %head, label %out",
    );
    for body in [
        counted(&left("icmp ult i32 %i, %n", "tail"), BACK),
        counted(&left("icmp ult i32 %i, 1000", "tail"), BACK),
        two_exits,
    ] {
        let [_, after] = around("unroll", "", &body);
        assert!(after.contains("phi i32"), "{after}");
    }
    let (few, many) = ("icmp ult i32 %i, 128", "icmp ult i32 %i, 129");
    let [_, after] = around("unroll", "", &counted(&left(few, "tail"), BACK));
    assert!(!after.contains("phi"), "{after}");
    let [_, after] = around("unroll", "", &counted(&left(many, "tail"), BACK));
    assert!(after.contains("phi"), "{after}");
}

/// Number of `insertelement`, and whether a loop is left, after unrolling a loop that says so much of it.
fn hinted(head: &str, tail: &str, says: &str) -> (usize, bool) {
    let tail = format!("{tail}, !llvm.loop !{{null, {says}}}");
    let [_, after] = around("unroll", "", &counted(head, &tail));
    (
        after.matches("insertelement").count(),
        after.contains("phi i32"),
    )
}

#[test]
fn loops_say_how_they_are_unrolled() {
    let in_head = |says: &str| hinted(&left("icmp ult i32 %i, 300", "tail"), BACK, says);
    let in_tail = |says: &str| hinted(ON, &left("icmp ult i32 %j, 300", "head"), says);
    assert_eq!(in_head("null"), (1, true));
    for (says, in_head_found, in_tail_found) in [
        // The value of the last round is read only where the exit comes first.
        ("!{!\"llvm.loop.unroll.full\"}", (300, false), (299, false)),
        (
            "!{!\"llvm.loop.unroll.enable\"}",
            (300, false),
            (299, false),
        ),
        (
            "!{!\"llvm.loop.unroll.count\", i32 300}",
            (300, false),
            (299, false),
        ),
        (
            "!{!\"llvm.loop.unroll.count\", i32 4}",
            (4, true),
            (4, true),
        ),
        // Divides the rounds: 6.
        (
            "!{!\"llvm.loop.unroll.count\", i32 8}",
            (6, true),
            (6, true),
        ),
        (
            "!{!\"llvm.loop.unroll.count\", i32 1}",
            (1, true),
            (1, true),
        ),
        (
            "!{!\"llvm.loop.unroll.count\", i32 -4}",
            (1, true),
            (1, true),
        ),
        (
            "!{!\"llvm.loop.unroll.disable\"}, !{!\"llvm.loop.unroll.full\"}",
            (1, true),
            (1, true),
        ),
        (
            "!{!\"llvm.loop.vectorize.width\", i32 4}",
            (1, true),
            (1, true),
        ),
    ] {
        assert_eq!(
            (in_head(says), in_tail(says)),
            (in_head_found, in_tail_found),
            "{says}"
        );
    }
    let few = hinted(
        &left("icmp ult i32 %i, 3", "tail"),
        BACK,
        "!{!\"llvm.loop.unroll.disable\"}",
    );
    assert_eq!(few, (1, true));
    // Rounds that are not known.
    let some = hinted(
        &left("icmp ult i32 %i, %n", "tail"),
        BACK,
        "!{!\"llvm.loop.unroll.full\"}",
    );
    assert_eq!(some, (1, true));
}

#[test]
fn a_long_integer_is_its_bytes() {
    let body = format!(
        "  %a = bitcast <8 x i32> %w to i256\n  %b = lshr i256 %a, 40\n  %c = trunc i256 %b to i32\n  \
         %x = insertelement <8 x i32> %w, i32 %c, i32 0\n{STORE}"
    );
    replaces("widths", "", &body, "i256", "<4 x i8>");
}

/// An allocation whose address leaves the function.
const ESCAPES: &str = "  %a = alloca <8 x i32>, align 32\n  store <8 x i32> %w, ptr %a, align 32\n  \
    %b = ptrtoint ptr %a to i64\n  %c = inttoptr i64 %b to ptr\n  \
    %x = load <8 x i32>, ptr %c, align 32";

#[test]
fn what_escapes_is_in_private_memory() {
    let body = format!("{ESCAPES}\n{STORE}");
    replaces("memory", "", &body, "alloca", "kiln.frame");
}

/// A function that takes 33 registers and gives 16: the wider argument and the result are in the caller's memory.
#[test]
fn what_has_no_registers_is_passed_by_memory() {
    let body = |of: u32, results: u32| {
        let first = "i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7";
        format!(
            "  %f = inttoptr i64 %p to ptr\n  %r = call <{results} x i32> %f(<{of} x i32> zeroinitializer, <8 x i32> %w)\n  \
             %x = shufflevector <{results} x i32> %r, <{results} x i32> undef, <8 x i32> <{first}>\n{STORE}"
        )
    };
    let [_, after] = around("passed", "", &body(256, 128));
    let kernel = after.split("\n}").next().expect("the kernel");
    for part in [
        "alloca <256 x i32>",
        "alloca <128 x i32>",
        "store <256 x i32> zeroinitializer, ptr ",
        "call void %f(ptr ",
        ", <8 x i32> %w, ptr ",
        "load <128 x i32>, ptr ",
    ] {
        assert_eq!(kernel.matches(part).count(), 1, "{part}: {kernel}");
    }
    // 32 registers, and twelve.
    let [before, after] = around("passed", "", &body(248, 96));
    assert_eq!(before, after);
}

#[test]
fn what_does_not_escape_is_a_value() {
    let body = format!(
        "  %a = alloca <8 x i32>, align 32\n  store <8 x i32> %w, ptr %a, align 32\n  \
         %x = load <8 x i32>, ptr %a, align 32\n{STORE}"
    );
    let [_, after] = around("memory", "", &body);
    assert!(
        !after.contains("alloca") && !after.contains("load"),
        "{after}"
    );
}

#[test]
fn a_goto_becomes_logic() {
    let body = format!(
        "  %c = icmp eq <8 x i32> %w, zeroinitializer\n  %g = call {{ <32 x i1>, <8 x i1>, i1 }} \
         @llvm.genx.simdcf.goto.v32i1.v8i1(<32 x i1> zeroinitializer, <8 x i1> zeroinitializer, <8 x i1> %c)\n  \
         %r = extractvalue {{ <32 x i1>, <8 x i1>, i1 }} %g, 1\n  \
         %x = zext <8 x i1> %r to <8 x i32>\n{STORE}"
    );
    replaces("simdcf", "", &body, "goto", "and <8 x i1>");
}

#[test]
fn constants_are_folded() {
    let body = format!(
        "  %a = add i32 20, 22\n  %unused = mul i32 %n, %n\n  \
         %x = insertelement <8 x i32> %w, i32 %a, i32 0\n{STORE}"
    );
    replaces("simplify", "", &body, "mul", "i32 42");
}

#[test]
fn an_edge_to_a_phi_has_a_block_of_its_own() {
    let body = format!(
        "  %c = icmp eq i32 %n, 0\n  br i1 %c, label %end, label %more\nmore:\n  %y = add <8 x i32> %w, %w\n  \
         br label %end\nend:\n  %x = phi <8 x i32> [ %w, %0 ], [ %y, %more ]\n{STORE}"
    );
    let [before, after] = around("edges", "", &body);
    let branches = |text: &str| text.matches("br label").count();
    assert_eq!(branches(&before) + 1, branches(&after), "{after}");
}

#[test]
fn a_variable_whose_address_another_function_uses_is_in_memory() {
    let body = |call: &str| {
        format!(
            "  %a = load i32, ptr @seen\n{call}  \
             %x = insertelement <8 x i32> %w, i32 %a, i32 0\n{STORE}"
        )
    };
    // The pass `addresses` finds out; the code shows it after `memory`.
    let kernel = |call| {
        let [_, code] = around("memory", "", &body(call));
        let from = code.find("spir_kernel").expect("the kernel");
        code[from..].to_owned()
    };
    let (alone, used) = (kernel(""), kernel("  call void @writes(<8 x i32> %w)\n"));
    assert!(
        alone.contains("vload") && !alone.contains("gather"),
        "{alone}"
    );
    assert!(used.contains("gather") && !used.contains("vload"), "{used}");
    let [before, after] = around("addresses", "", &body(""));
    assert_eq!(before, after);
}

#[test]
fn a_copy_is_one_access_or_a_loop() {
    let body = |size: &str| {
        format!(
            "  %l = zext i32 %n to i64\n  %to = inttoptr i64 %p to ptr\n  %q = add i64 %p, 64\n  \
             %from = inttoptr i64 %q to ptr\n  \
             call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 {size}, i1 false)\n  \
             %x = add <8 x i32> %w, %w\n{STORE}"
        )
    };
    replaces(
        "copies",
        "",
        &body("32"),
        "call void @llvm.memmove",
        "load <8 x i32>",
    );
    replaces(
        "copies",
        "",
        &body("%l"),
        "call void @llvm.memmove",
        "masked.load",
    );
    let [_, after] = around("copies", "", &body("%l"));
    assert!(after.contains("phi"), "{after}");
}

#[test]
fn a_remainder_of_floats_is_a_loop() {
    let body = format!(
        "  %a = bitcast <8 x i32> %w to <8 x float>\n  %b = frem <8 x float> %a, <float 3.0, float 3.0, float 3.0, \
         float 3.0, float 3.0, float 3.0, float 3.0, float 3.0>\n  %x = bitcast <8 x float> %b to <8 x i32>\n{STORE}"
    );
    replaces("builtins", "", &body, "frem <8 x float>", "phi <8 x i32>");
}
