//! Built modules equal read ones: every object of the examples, declared and written again by the builder, is the
//! object that the text reader made.

use std::collections::HashMap;
use std::path::Path;

use kiln_visa::build::{Builder, module};
use kiln_visa::module::{Exec, Label, LabelKind, Object, Operand, PredUse, Type, predefined};
use kiln_visa::opcode::Opcode;
use kiln_visa::text::{Named, part};
use kiln_visa::{binary, print, text, verify};

/// The object built again, with the labels declared in the opposite order.
fn rebuilt(object: &Object) -> Object {
    let mut builder = Builder::new(object.kind, &object.name);
    for (_, var) in object.vars.iter().skip(predefined::VAR_COUNT) {
        builder.declare(var.clone());
    }
    for (_, addr) in &object.addrs {
        builder.addr(&addr.name, addr.elements);
    }
    for (_, predicate) in object.predicates.iter().skip(1) {
        builder.predicate(&predicate.name, predicate.elements);
    }
    for (_, sampler) in &object.samplers {
        builder.sampler(&sampler.name);
    }
    for (_, surface) in object.surfaces.iter().skip(predefined::SURFACES.len()) {
        builder.surface(&surface.name);
    }
    let mut labels: HashMap<Label, Label> = HashMap::new();
    for (number, label) in object.labels.iter().rev() {
        let new = match label.kind {
            LabelKind::Subroutine => builder.subroutine(&label.name),
            LabelKind::Block | LabelKind::Kernel => builder.label(&label.name),
        };
        labels.insert(number, new);
    }
    for input in &object.inputs {
        match input.var {
            kiln_visa::module::InputVar::General(var) if input.implicit == 0 => {
                builder.input(var, input.offset);
            }
            _ => panic!("no example has others"),
        }
    }
    for attr in &object.attrs {
        builder.attr(&attr.name, attr.value.clone());
    }
    for inst in &object.insts {
        let operand = |operand: &Operand| match operand {
            Operand::Label(label) => labels[label].into(),
            other => other.clone(),
        };
        if let (Opcode::Label | Opcode::Subroutine, [Operand::Label(label)]) =
            (inst.op, &inst.operands[..])
        {
            builder.define(labels[label]);
            continue;
        }
        let new = builder.inst(inst.op, inst.exec, inst.operands.iter().map(operand));
        if let Some(pred) = inst.pred {
            new.when(pred);
        }
    }
    builder
        .finish()
        .expect("its labels are those of the object")
}

/// Parts in text: names and labels are each part's own, so that the object can be printed and read.
#[test]
fn parts_in_text_have_their_own_names() {
    let mut k = Builder::kernel("k", 16);
    let it = k.var("it", Type::D, 16);
    let names = [("it", Named::Var(it))];
    let source = "{\n.decl T v_type=G type=d num_elts=16 align=hword alias=<it, 0>\n.decl P v_type=P num_elts=16\n\
        again:\nadd (M1, 16) T(0,0)<1> it(0,0)<1;1,0> 0x1:d\ncmp.lt (M1, 16) P T(0,0)<1;1,0> 0x9:d\n\
        (P.any) jmp (M1, 1) again\n}\n";
    for _ in 0..3 {
        part(source, &mut k, &names).expect("a part");
    }
    k.inst(Opcode::Ret, Exec::channels(1), []);
    let built = module([k.finish().expect("labels")]).expect("a module");
    let object = &built.objects[0];
    // The variable and three aliases, three predicates, the object's label and three.
    assert_eq!(
        (
            object.vars.len() - predefined::VAR_COUNT,
            object.predicates.len() - 1
        ),
        (4, 3)
    );
    assert_eq!((object.labels.len(), object.insts.len()), (4, 14));
    let read = text::parse(&print::print(&built)).expect("text");
    assert_eq!(read, built);
}

/// Faults of a part have their places, and what a part declares ends with it.
#[test]
fn faults_of_parts_have_places() {
    let mut k = Builder::kernel("k", 16);
    let it = k.var("it", Type::D, 16);
    let rows = [
        ("mov (M1, 16) it(0,0)<1> that(0,0)<1;1,0>", 1, 25, "S0002"),
        ("\n  jmp (M1, 1) there", 2, 15, "S0013"),
        ("a:\na:", 2, 1, "S0013"),
        ("{\n{\n}", 1, 1, "S0009"),
        ("}", 1, 1, "S0010"),
        (".kernel k", 1, 1, "S0002"),
    ];
    for (source, line, column, code) in rows {
        let error = part(source, &mut k, &[("it", Named::Var(it))]).expect_err(source);
        assert_eq!(
            (error.line, error.column, error.kind.code()),
            (line, column, code),
            "{source}"
        );
    }
    let declares = ".decl that v_type=G type=d num_elts=16";
    part(declares, &mut k, &[]).expect("a declaration");
    part("mov (M1, 16) that(0,0)<1> 0x0:d", &mut k, &[]).expect_err("a name of another part");
}

#[test]
fn examples_are_built_as_they_are_read() {
    let mut objects = 0;
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in std::fs::read_dir(all).expect("the examples") {
        let folder = entry.expect("an example").path();
        let Some(name) = folder.file_name().map(|name| name.to_os_string()) else {
            continue;
        };
        let Ok(source) = std::fs::read_to_string(folder.join(name).with_extension("visaasm"))
        else {
            continue;
        };
        for object in text::parse(&source).expect("an example").objects {
            assert!(rebuilt(&object) == object, "{}", folder.display());
            objects += 1;
        }
    }
    assert!(objects >= 14, "only {objects} objects");
}

/// A kernel that calls a function by name and a subroutine.
fn calling() -> [Builder; 2] {
    let mut kernel = Builder::kernel("caller", 8);
    let x = kernel.var("x", Type::D, 8);
    let low = kernel.alias("low", Type::D, 4, x, 0);
    let high = kernel.alias("high", Type::D, 4, x, 16);
    // Name of the first predicate in the binary reader.
    let p = kernel.predicate("P1", 8);
    let twice = kernel.subroutine("twice_1");
    let all = Exec::channels(8);
    kernel.input(x, 32);
    kernel.inst(Opcode::Setp, all, [p.into(), 5u32.into()]);
    kernel
        .inst(Opcode::Call, all, [twice.into()])
        .when(PredUse::of(p));
    kernel.inst(
        Opcode::FCall,
        Exec::channels(8),
        [
            Operand::Name(Box::new("callee".into())),
            Operand::Field(0),
            Operand::Field(0),
        ],
    );
    kernel.inst(Opcode::Ret, Exec::channels(1), []);
    kernel.define(twice);
    let half = Exec::channels(4);
    kernel.inst(Opcode::Add, half, [low.dst(), high.src(), (-1i32).into()]);
    kernel.inst(Opcode::Ret, Exec::channels(1), []);
    let mut function = Builder::function("callee", 0, 0);
    function.inst(Opcode::FRet, Exec::channels(8), []);
    [kernel, function]
}

#[test]
fn what_is_built_is_written_in_both_forms() {
    let objects = calling().map(|builder| builder.finish().expect("an object"));
    let built = module(objects).unwrap_or_else(|e| panic!("{e}"));
    let printed = print::print(&built);
    let parsed = text::parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert!(parsed == built, "{printed}");
    let bytes = binary::write(&built).expect("an object");
    let read = binary::read(&bytes).expect("an object");
    assert!(verify::verify(&read).is_empty());
    assert_eq!(binary::write(&read).expect("an object"), bytes);
}

#[test]
fn a_kernel_of_explicit_simd_is_the_one_that_is_read() {
    let mut kernel = Builder::explicit_kernel("k");
    let x = kernel.var("x", Type::D, 8);
    kernel.input(x, 64);
    kernel.inst(
        Opcode::Add,
        Exec::channels(8),
        [x.dst(), x.src(), 1i32.into()],
    );
    kernel.inst(Opcode::Ret, Exec::channels(1), []);
    let built = module([kernel.finish().expect("an object")]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(built.objects[0].int_attr("SimdSize"), None);
    let printed = print::print(&built);
    assert!(
        printed.contains("\n.kernel_attr Target=\"cm\"\n"),
        "{printed}"
    );
    let read = text::parse(&printed).unwrap_or_else(|e| panic!("{e}"));
    assert!(read == built, "{printed}");
}

#[test]
fn what_is_built_wrong_is_found() {
    let mut builder = Builder::kernel("k", 8);
    let x = builder.var("x", Type::D, 8);
    let all = Exec::channels(8);
    builder.inst(Opcode::Add, all, [x.dst(), x.src().at(4, 0), 1i32.into()]);
    builder.inst(Opcode::Mov, all, [x.dst()]);
    let object = builder.clone().finish().expect("labels are right");
    let found = module([object]).expect_err("two errors");
    let found: Vec<_> = found.0.iter().map(|f| (f.code(), f.inst)).collect();
    assert_eq!(found, [("V0014", Some(1)), ("V0008", Some(2))]);

    let nowhere = builder.label("nowhere");
    builder.inst(Opcode::Goto, all, [nowhere.into()]);
    let error = builder.finish().expect_err("a label is missing");
    assert_eq!(error.to_string(), "label `nowhere` is used but not defined");

    // A label of another builder, and one that is placed twice.
    let mut other = Builder::kernel("k", 8);
    other.inst(Opcode::Goto, all, [nowhere.into()]);
    assert!(other.finish().is_err());
    let mut twice = Builder::kernel("k", 8);
    let label = twice.label("l");
    twice.define(label);
    twice.define(label);
    assert!(twice.finish().is_err());
}
