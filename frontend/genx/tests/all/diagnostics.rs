//! Faults and unsupported parts end in a diagnostic with its place: each code from a file of its own.

use kiln_genx::error::Code;
use kiln_genx::{Options, compile};
use kiln_platform::platform::PLATFORMS;

const HEAD: &str = "target datalayout = \"e-p:64:64\"
declare void @llvm.genx.svm.block.st.i64.v8i32(i64, <8 x i32>)
declare <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32>, i32, i32, i32, i16, i32)
";

/// Kernel with this body, in the carrier dialect.
fn kernel(params: &str, body: &str) -> String {
    format!(
        "{HEAD}define spir_kernel void @k({params}) #0 {{\n{body}\n  ret void\n}}\n\
         attributes #0 = {{ \"VCFunction\" }}\n"
    )
}

/// Code and line of the diagnostic for a text on a platform.
fn found(text: &str, platform: &str) -> Option<(Code, u32, u32)> {
    let platform = PLATFORMS.iter().find(|p| p.name == platform)?;
    let options = Options::new(platform);
    let error = compile(text.as_bytes(), &options).err()?;
    Some((error.code, error.loc.line, error.loc.column))
}

/// Checks the code and the place of the diagnostic for a body, which begins in line 5.
fn check(body: &str, code: Code, line: u32) {
    let text = kernel(
        "i64 %p, <16 x i32> %v, i32 %n, double %d, <8 x i32> %w",
        body,
    );
    let found = found(&text, "skl").map(|(code, line, _)| (code, line));
    assert_eq!(found, Some((code, line)), "{text}");
}

#[test]
fn each_code_has_its_place() {
    check("  %a = add i32 %n, ?", Code::Syntax, 5);
    check(
        "  %a = trunc i32 %n to i24\n  %r = call i24 @llvm.bitreverse.i24(i24 %a)\n  %b = zext i24 %r to i32\n  %c = insertelement <8 x i32> %w, i32 %b, i32 0\n  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %p, <8 x i32> %c)",
        Code::Type,
        6,
    );
    check("  %a = add i32 %n, %missing", Code::Name, 5);
    check("  %a = add i64 %n, 1", Code::Mismatch, 5);
    check("  %a = va_arg i64 %p, i32", Code::Instruction, 5);
    check("  %a = fmull double %d, %d", Code::Syntax, 5);
    check("  call void @f(i32 i16 0)", Code::Syntax, 5);
    check("  %a = call i32 @llvm.smax.i32(i32 %n)", Code::Mismatch, 5);
    check("  call void @llvm.genx.unheard.of()", Code::Callee, 5);
    check("  %a = call i32 @llvm.genx.grup.id.x()", Code::Name, 5);
    check("  %a = call i32 @llvm.genx.lane.id()", Code::Intrinsic, 5);
    check(
        "  call void @llvm.genx.svm.block.st.i64.v6i32(i64 %p, <6 x i32> zeroinitializer)",
        Code::Operand,
        5,
    );
    check(
        "  %a = call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> %v, i32 8, i32 8, i32 1, i16 6, i32 undef)\n  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %p, <8 x i32> %a)",
        Code::Region,
        5,
    );
    check("  %a = alloca [400000 x i32]", Code::Size, 5);
    // Eight bytes for each of 16 channels are no message of vISA.
    check(
        "  %a = zext i32 %n to i64\n  call void @llvm.genx.svm.scatter.v16i1.v16i64.v128i8(<16 x i1> zeroinitializer, i32 3, <16 x i64> zeroinitializer, <128 x i8> zeroinitializer)",
        Code::Rule,
        6,
    );
    let shared = kernel("i64 %p", "  store i32 1, i32 addrspace(1)* @g");
    let shared = format!("@g = addrspace(1) global i32 0\n{shared}");
    let place = found(&shared, "skl").map(|(code, line, _)| (code, line));
    assert_eq!(place, Some((Code::Memory, 6)));
    check(
        "  %a = add i128 170141183460469231731687303715884105727, 0",
        Code::Constant,
        5,
    );
}

#[test]
fn faults_of_inline_assembly_are_found() {
    let call = |asm: &str| format!("  %b = call <16 x i32> asm {asm}(<16 x i32> %v)");
    check(
        "  call void asm sideeffect \"badasm\", \"\"()",
        Code::Rule,
        5,
    );
    check(
        &call("\"mov (M1, 16) $0 $1\", \"=x,r\""),
        Code::Instruction,
        5,
    );
    check(
        &call("\"mov (M1, 16) $0 $1\", \"=i,r\""),
        Code::Instruction,
        5,
    );
    check(&call("\"mov (M1, 16) $0 $2\", \"=r,r\""), Code::Mismatch, 5);
    check(
        &call("\"mov (M1, 16) $0 ${1:h}\", \"=r,r\""),
        Code::Instruction,
        5,
    );
    check(&call("\"mov (M1, 16) $0 $1\", \"=r,n\""), Code::Operand, 5);
    check(&call("\"\", \"=r,=r,0\""), Code::Mismatch, 5);
    check(&call("\"\", \"=r\""), Code::Mismatch, 5);
    // Labels and declarations of the text.
    check(&call("\"jmp (M1, 1) away\", \"=r,r\""), Code::Rule, 5);
    check(&call("\"at:\\0Aat:\", \"=r,r\""), Code::Rule, 5);
    check(&call("\"{\", \"=r,r\""), Code::Rule, 5);
    check(&call("\".kernel \\22k\\22\", \"=r,r\""), Code::Rule, 5);
    // A rule that the verifier of vISA knows.
    check(
        &call("\"mov (M1, 32) $0(0,0)<1> $1(0,0)<1;1,0>\", \"=^rw,^rw\""),
        Code::Rule,
        5,
    );
    let wide = "  %b = call i64 asm \"\", \"=^cr,r\"(<64 x i1> zeroinitializer)";
    check(wide, Code::Operand, 5);
}

#[test]
fn kernels_are_described() {
    let nothing = "define void @f() {\n  ret void\n}\n";
    assert_eq!(found(nothing, "skl").map(|f| f.0), Some(Code::NoKernel));
    let mixed = format!(
        "{}define dllexport void @other() {{\n  ret void\n}}\n!genx.kernels = !{{!0}}\n\
         !0 = !{{void ()* @other, !\"other\", !1, i32 0, !1}}\n!1 = !{{}}\n",
        kernel("", "")
    );
    assert_eq!(found(&mixed, "skl").map(|f| f.0), Some(Code::Variant));
    let both = mixed.replace("()* @other, !\"other\"", "()* @k, !\"k\"");
    assert_eq!(found(&both, "skl"), None);
    let wrong = "define dllexport void @k(i32 %a) {\n  ret void\n}\n\
        !genx.kernels = !{!0}\n!0 = !{void (i32)* @k, !\"k\", !1, i32 0, !1}\n!1 = !{}\n";
    assert_eq!(found(wrong, "skl"), Some((Code::Kernel, 1, 23)));
    let far = kernel("i32 addrspace(5)* %a", "");
    assert_eq!(found(&far, "skl"), Some((Code::Argument, 4, 25)));
    let refused = "declare void @__spirv_Unknown()\n";
    let undefined = format!("{}{refused}", kernel("", "  call void @__spirv_Unknown()"));
    assert_eq!(
        found(&undefined, "skl").map(|f| (f.0, f.1)),
        Some((Code::Callee, 5))
    );
    // The types of a function of another module change with those of its calls.
    let odd = format!(
        "{}declare i24 @other(<2 x i24>)\n",
        kernel("", "  %a = call i24 @other(<2 x i24> zeroinitializer)")
    );
    assert_eq!(found(&odd, "skl"), None);
    let table = format!(
        "{}@t = constant [2 x ptr] [ptr null, ptr @t]\n",
        kernel(
            "i64 %p, <8 x i32> %w",
            "  %a = load i64, ptr @t\n  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %a, <8 x i32> %w)"
        )
    );
    assert_eq!(
        found(&table, "skl").map(|f| (f.0, f.1)),
        Some((Code::Memory, 5))
    );
    let again = format!(
        "{}define internal void @f() {{\n  call void @k()\n  ret void\n}}\n",
        kernel("", "  call void @f()")
    );
    assert_eq!(
        found(&again, "skl").map(|f| (f.0, f.1)),
        Some((Code::Call, 10))
    );
}

#[test]
fn platforms_lack_what_they_lack() {
    let body = "  %a = fadd double %d, %d\n  %b = bitcast double %a to i64\n  \
        call void @llvm.genx.svm.block.st.i64.v8i32(i64 %b, <8 x i32> %w)";
    let text = kernel("double %d, <8 x i32> %w", body);
    assert_eq!(found(&text, "skl"), None);
    assert_eq!(
        found(&text, "icllp").map(|f| (f.0, f.1)),
        Some((Code::Platform, 5))
    );
    let product = "  %a = call <64 x i32> @llvm.genx.dpas.nosrc0.v64i32.v64i32.v64i32(<64 x i32> \
        zeroinitializer, <64 x i32> zeroinitializer, i32 134744072)\n  \
        call void @llvm.genx.svm.block.st.i64.v64i32(i64 %p, <64 x i32> %a)";
    let fence = "  call void @llvm.genx.lsc.fence.v8i1(<8 x i1> zeroinitializer, i8 0, i8 0, i8 0)";
    let sum = "  %a = call <8 x float> @llvm.genx.dword.atomic.fadd.v8f32.v8i1.v8i32(<8 x i1> \
        zeroinitializer, i32 0, <8 x i32> zeroinitializer, <8 x float> zeroinitializer, <8 x \
        float> undef)";
    let state = "  %a = call i32 @llvm.genx.read.predef.reg.i32.i32(i32 20, i32 undef)\n  \
        call void @llvm.genx.write.predef.reg.i32.i32(i32 14, i32 %a)";
    for (body, lacking, having) in [
        (product, "skl", "dg2"),
        (product, "bmg", "dg2"),
        (fence, "skl", "dg2"),
        (sum, "skl", "dg2"),
        (state, "skl", "dg2"),
    ] {
        let text = kernel("i64 %p", body);
        let lacks = found(&text, lacking).map(|f| (f.0, f.1));
        let has = found(&text, having).map(|f| f.0);
        let expected = (Some((Code::Platform, 5)), None);
        assert_eq!((lacks, has), expected, "{body} on {lacking}");
    }
}

#[test]
fn the_documentation_has_every_code_and_every_refused_name() {
    let document = include_str!("../../../../docs/genx.md");
    for code in Code::ALL {
        let row = format!("| `{}` | {} |", code.text(), code.summary());
        assert!(document.contains(&row), "{row}");
    }
    for (name, supported) in kiln_genx::intrinsics::Intrinsic::all() {
        let named = document.contains(&format!("`{name}`"));
        if name.starts_with("genx.") {
            assert_eq!(named, !supported, "{name}");
        }
    }
}

/// Constants of other modules have no value here; what another module must define is a warning.
#[test]
fn what_another_module_defines_is_said() {
    let constant = format!(
        "@far = external addrspace(1) constant i64\n{}",
        kernel(
            "<8 x i32> %w",
            "  %a = load i64, ptr addrspace(1) @far\n  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %a, <8 x i32> %w)",
        )
    );
    assert_eq!(
        found(&constant, "skl").map(|(code, line, _)| (code, line)),
        Some((Code::Memory, 6))
    );
    let called = format!(
        "declare float @expf(float)\n{}",
        kernel(
            "i64 %p, float %f, <8 x float> %v",
            "  %a = call float @expf(float %f)\n  %b = insertelement <8 x float> %v, float %a, i32 0\n  \
             %w = bitcast <8 x float> %b to <8 x i32>\n  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %p, <8 x i32> %w)",
        )
    );
    let compiled = compile(called.as_bytes(), &Options::new(&PLATFORMS[0])).expect("vISA");
    let warnings = compiled.warnings.iter();
    let warnings: Vec<_> = warnings.map(|w| (w.code, w.loc.line)).collect();
    assert_eq!(warnings, [(Code::Undefined, 6)]);
}

/// An element beyond its vector is a warning, and none where unrolling shows that nothing gets there.
#[test]
fn regions_beyond_their_vectors_are_warnings() {
    let declared = "declare <16 x i32> @llvm.genx.wrregioni.v16i32.v8i32.i16.i1(<16 x i32>, <8 x i32>, i32, i32, i32, i16, i32, i1)\n";
    let store = |value: &str| {
        format!("  call void @llvm.genx.svm.block.st.i64.v8i32(i64 %p, <8 x i32> {value})")
    };
    let read = |of: &str, offset: &str| {
        format!(
            "call <8 x i32> @llvm.genx.rdregioni.v8i32.v16i32.i16(<16 x i32> {of}, i32 8, i32 8, i32 1, i16 {offset}, i32 undef)"
        )
    };
    let warned = |body: &str| {
        let text = kernel("i64 %p, <16 x i32> %v, <8 x i32> %w", body);
        let text = format!("{declared}{text}");
        let compiled = compile(text.as_bytes(), &Options::new(&PLATFORMS[0])).expect("vISA");
        let warnings = compiled.warnings.iter();
        warnings
            .map(|w| (w.code, w.loc.line, w.message.clone()))
            .collect::<Vec<_>>()
    };
    let beyond = |message: &str| vec![(Code::Region, 6, message.to_string())];
    assert_eq!(
        warned(&format!("  %a = {}\n{}", read("%v", "36"), store("%a"))),
        beyond("element 16 of a region is not in the vector of 16")
    );
    let written = "call <16 x i32> @llvm.genx.wrregioni.v16i32.v8i32.i16.i1(<16 x i32> %v, <8 x i32> %w, i32 0, i32 8, i32 2, i16 8, i32 undef, i1 true)";
    let body = format!(
        "  %a = {written}\n  %b = {}\n{}",
        read("%a", "0"),
        store("%b")
    );
    assert_eq!(
        warned(&body),
        beyond("element 16 of a region is not in the vector of 16")
    );
    assert_eq!(
        warned(&format!("  %a = {}\n{}", read("%v", "32"), store("%a"))),
        []
    );
    // Four rounds, of which the last two are beyond and read nothing.
    let body = format!(
        "  br label %next\nnext:\n  %i = phi i16 [ 0, %0 ], [ %j, %end ]\n  %in = icmp ult i16 %i, 2\n  \
         br i1 %in, label %inside, label %end\ninside:\n  %at = shl i16 %i, 5\n  %a = {}\n{}\n  br label %end\n\
         end:\n  %j = add i16 %i, 1\n  %more = icmp ult i16 %j, 4\n  br i1 %more, label %next, label %done\ndone:",
        read("%v", "%at"),
        store("%a")
    );
    assert_eq!(warned(&body), []);
}

/// A misspelt name is told from one that is not supported, and the right one is said.
#[test]
fn misspelt_names_have_suggestions() {
    for (body, name) in [
        ("  %a = fmull double %d, %d", "fmul"),
        ("  %a = shufflevectr i32 %n, %n", "shufflevector"),
        (
            "  %a = call i32 @llvm.genx.grup.id.x()",
            "llvm.genx.group.id.x",
        ),
        (
            "  %a = call i32 @llvm.smaxx.i32(i32 %n, i32 %n)",
            "llvm.smax",
        ),
    ] {
        let text = kernel("i32 %n, double %d", body);
        let error = compile(text.as_bytes(), &Options::new(&PLATFORMS[0])).expect_err("an error");
        assert!(
            error.message.ends_with(&format!("there is {name}")),
            "{error}"
        );
        assert!(!Code::is_unsupported(error.code.text()), "{error}");
    }
}

/// Forms that LLVM 16 to 22 write: alignments of masked accesses as attributes, bundles of assumptions, ranges of addresses, traps,
/// addresses of blocks, comdats, addresses as numbers.
#[test]
fn newer_forms_of_llvm_are_read() {
    let text = "target datalayout = \"e-p:64:64\"
@table = constant { [2 x i32], [2 x i32] } { [2 x i32] [i32 1, i32 2], [2 x i32] [i32 3, i32 4] }
declare void @llvm.assume(i1)
declare <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)>, <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p1(<8 x i32>, ptr addrspace(1), <8 x i1>)
declare void @llvm.trap()
$inline = comdat any
@blocks = constant [2 x ptr] [ptr blockaddress(@k, %bad), ptr blockaddress(@k, %good)]
define linkonce_odr i32 @inline(i32 %x) #0 comdat($inline) {
  ret i32 %x
}
define spir_kernel void @k(ptr addrspace(1) %p, <8 x i64> %a, i32 %x) #0 {
  %n.0 = call i32 @inline(i32 %x)
  %address = ptrtoaddr ptr addrspace(1) %p to i64
  %low = trunc i64 %address to i32
  %n = add i32 %n.0, %low
  call void @llvm.assume(i1 true) [ \"align\"(ptr addrspace(1) %p, i64 64) ]
  %at = inttoptr <8 x i64> %a to <8 x ptr addrspace(1)>
  %m = icmp sgt <8 x i64> %a, zeroinitializer
  %v = call <8 x i32> @llvm.masked.gather.v8i32.v8p1(<8 x ptr addrspace(1)> align 4 %at, <8 x i1> %m, <8 x i32> poison)
  %i = load i32, ptr getelementptr inbounds inrange(-8, 8) ({ [2 x i32], [2 x i32] }, ptr @table, i32 0, i32 1, i32 1)
  %w = insertelement <8 x i32> %v, i32 %i, i32 0
  call void @llvm.masked.store.v8i32.p1(<8 x i32> %w, ptr addrspace(1) align 4 %p, <8 x i1> %m)
  %c = icmp eq i32 %n, 7
  br i1 %c, label %bad, label %good
bad:
  call void @llvm.trap()
  unreachable
good:
  ret void
}
attributes #0 = { \"VCFunction\" }
";
    for platform in PLATFORMS {
        if let Err(error) = compile(text.as_bytes(), &Options::new(platform)) {
            panic!("{}: {}: {error}", platform.name, error.loc);
        }
    }
}

/// A format is a constant text with as many conversions as the call has operands; each operand has a type that is printed.
#[test]
fn calls_that_print_nothing_known_are_found() {
    let with = |params: &str, args: &str| {
        let call = format!("  %r = call i32 (...) @printf({args})");
        let declared = "declare i32 @printf(...)\n\
            @two = internal addrspace(2) constant [8 x i8] c\"%d %s%%\\00\"\n\
            @word = internal addrspace(2) constant [2 x i8] c\"a\\00\"\n\
            @open = internal addrspace(2) constant [2 x i8] c\"ab\"\n\
            @changes = internal addrspace(1) global [2 x i8] c\"a\\00\"\n";
        format!("{}{declared}", kernel(params, &call))
    };
    let two =
        "i8 addrspace(2)* getelementptr ([8 x i8], [8 x i8] addrspace(2)* @two, i64 0, i64 0)";
    let word =
        "i8 addrspace(2)* getelementptr ([2 x i8], [2 x i8] addrspace(2)* @word, i64 0, i64 0)";
    let open = word.replace("@word", "@open");
    let changes = word
        .replace("@word", "@changes")
        .replace("addrspace(2)", "addrspace(1)");
    let right = with("i32 %n", &format!("{two}, i32 %n, {word}"));
    assert_eq!(found(&right, "skl"), None);
    let pointer = "i8 addrspace(1)* %p";
    for (params, args) in [
        ("", String::new()),
        ("i32 %n", format!("{two}, i32 %n")),
        ("i32 %n", format!("{two}, i32 %n, {word}, i32 %n")),
        ("i32 %n", format!("{open}, i32 %n, {word}")),
        (pointer, format!("{pointer}, i32 1, {word}")),
        (pointer, format!("{two}, i32 1, {pointer}")),
        ("i32 %n", format!("{two}, i32 %n, i32 %n")),
        ("i32 %n", format!("{two}, i32 %n, {changes}")),
        ("i32 %n", format!("{two}, i128 5, {word}")),
    ] {
        let fault = found(&with(params, &args), "skl").map(|f| (f.0, f.1));
        assert_eq!(fault, Some((Code::Operand, 5)), "{args}");
    }
}

#[test]
fn forms_that_have_no_place_end_in_one_diagnostic() {
    let head = "target datalayout = \"e-p:64:64\"\ndeclare i32 @llvm.genx.get.scoreboard.bti()\n\
                declare i32 @printf(i8 addrspace(2)*, ...)\ndeclare spir_func <256 x i32> @wide()\n\
                declare spir_func void @many(<512 x i32>, i32)\n\
                @s = internal addrspace(2) constant [2 x i8] c\"a\\00\"\n";
    let says = "define internal spir_func void @f() #1 {\n\
                  %p = getelementptr [2 x i8], [2 x i8] addrspace(2)* @s, i32 0, i32 0\n\
                  %r = call i32 (i8 addrspace(2)*, ...) @printf(i8 addrspace(2)* %p)\n  ret void\n}\n";
    let cases = [
        (
            "",
            "  %r = call spir_func <256 x i32> @wide()",
            Code::Call,
            8,
        ),
        (
            "",
            "  call spir_func void @many(<512 x i32> zeroinitializer, i32 %n)",
            Code::Call,
            8,
        ),
        (says, "  call spir_func void @f()", Code::Instruction, 9),
        (
            "",
            "  %b = bitcast <4 x i1> <i1 0, i1 1, i1 1, i1 0> to <2 x i2>\n  %x = sext <2 x i2> %b to <2 x i32>\n  store <2 x i32> %x, <2 x i32> addrspace(1)* %o",
            Code::Type,
            8,
        ),
        (
            "",
            "  %a = call i32 @llvm.genx.get.scoreboard.bti()",
            Code::Intrinsic,
            8,
        ),
    ];
    for (functions, body, code, line) in cases {
        let text = format!(
            "{head}{functions}define spir_kernel void @k(i32 %n, <2 x i32> addrspace(1)* %o) #0 {{\n{body}\n  ret void\n}}\n\
             attributes #0 = {{ \"VCFunction\" }}\nattributes #1 = {{ \"VCFunction\" \"VCStackCall\" }}\n"
        );
        for platform in ["skl", "dg2", "bmg"] {
            let found = found(&text, platform).map(|(code, line, _)| (code, line));
            assert_eq!(found, Some((code, line)), "{platform}: {text}");
        }
    }
}
