//! Strict execution: for each rule of the hardware that it models, test kernels that are right, and wrong once what keeps the
//! rule is taken from their code. Without strict execution they are right all the same.

#[path = "hardware/rows.rs"]
mod rows;

use std::collections::BTreeSet;

use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{Options, Session};
use kiln_emit::encoding::encode;
use kiln_emit::inst::{Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Src, TokenUse, Type};
use kiln_emit::listing::entries;
use kiln_emit::messages::{Descriptors, Request};
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::{Launch, Program};
use kiln_platform::errata::Erratum;

/// A test kernel as compiled by us.
struct Kernel {
    name: String,
    folder: std::path::PathBuf,
    platform: &'static Platform,
    description: Description,
    visa: Vec<u8>,
    zebin: Zebin,
    /// As the reference compiler compiled it.
    reference: Zebin,
}

impl Kernel {
    /// None if the kernel is not for the platform.
    fn new(of: &kiln_corpus::Kernel, platform: &'static Platform) -> Option<Kernel> {
        let object = std::fs::read(of.object(platform.name)?).unwrap();
        let visa = of.visa(platform.name).or_else(|| {
            of.visa(kiln_corpus::FIRST)
                .filter(|_| platform.name == "icllp")
        })?;
        let yaml = std::fs::read_to_string(of.folder.join("launch.yaml")).unwrap();
        let description = Description::parse(&yaml).unwrap();
        let visa = std::fs::read(visa).unwrap();
        let reference = Zebin::parse(&object).unwrap();
        let name = of.name.clone();
        let zebin = compiled(&name, &visa, platform, &description.kernel, &reference);
        Some(Kernel {
            name,
            folder: of.folder.clone(),
            platform,
            description,
            visa,
            zebin,
            reference,
        })
    }

    /// The object as compiled for another platform.
    fn compiled_for(&self, platform: &'static Platform) -> Zebin {
        let kernel = &self.description.kernel;
        compiled(&self.name, &self.visa, platform, kernel, &self.reference)
    }

    fn run(&self, zebin: &Zebin, hardware: bool) -> Result<(), String> {
        let kernel = &self.description.kernel;
        let program = Program::from_zebin(zebin, kernel, self.platform).unwrap();
        let mut launch = Launch {
            ze_info: &zebin.ze_info,
            kernel,
            global: self.description.global,
            local: self.description.local,
            dimensions: self.description.dimensions,
            args: self.description.load_args(&self.folder).unwrap(),
            budget: 1 << 22,
        };
        let options = kiln_exec::Options {
            hardware,
            ..kiln_exec::Options::default()
        };
        let run = launch.run_with(&program, &options);
        run.map_err(|e| e.to_string())?;
        let checked = self.description.check(&launch.args, &self.folder);
        checked.map_err(|e| e.to_string())
    }

    /// The object with instructions of the kernel changed that keep their length; none if there is nothing to change.
    /// The change is given each instruction and the one before it.
    fn changed(
        &self,
        zebin: &Zebin,
        mut change: impl FnMut(&mut Inst, Option<&Inst>) -> bool,
    ) -> Option<Zebin> {
        let mut zebin = zebin.clone();
        let name = &self.description.kernel;
        let text = zebin.kernels.iter_mut().find(|text| text.name == *name);
        let code = &mut text.unwrap().text;
        let mut any = false;
        let mut before = None;
        for entry in entries(&code.clone(), self.platform) {
            let Ok(mut inst) = entry.inst else { break };
            let original = inst.clone();
            if change(&mut inst, before.as_ref()) {
                let at = entry.offset as usize;
                let room = &mut code[at..at + entry.len as usize];
                // Some have a short form only as they were.
                if let Ok(bytes) = encode(&inst, self.platform)
                    && bytes.as_bytes().len() == room.len()
                {
                    room.copy_from_slice(bytes.as_bytes());
                    any = true;
                }
            }
            before = Some(original);
        }
        any.then_some(zebin)
    }
}

/// A kernel compiled by us, with the interface of the reference's object.
fn compiled(
    name: &str,
    bytes: &[u8],
    platform: &'static Platform,
    kernel: &str,
    reference: &Zebin,
) -> Zebin {
    let session = Session::new(Options::new(platform)).only(kernel);
    let module = session.compile_module(&[Input { name, bytes }]).unwrap();
    let info = Info::Zebin(reference.clone());
    session.object_file(&module, info).unwrap()
}

/// Kernels of a platform that `without` takes something from: all run strictly as they are, and without it when not run
/// strictly; returns the names of all and of those that fail when run strictly.
fn strip(
    name: &str,
    without: impl Fn(&Kernel) -> Option<Zebin>,
) -> (BTreeSet<String>, BTreeSet<String>) {
    let platform = platform::find(name).expect("the platform is known");
    let (mut all, mut failing) = (BTreeSet::new(), BTreeSet::new());
    for of in kiln_corpus::kernels(&kiln_corpus::COMMON) {
        let Some(kernel) = Kernel::new(&of, platform) else {
            continue;
        };
        let Some(stripped) = without(&kernel) else {
            continue;
        };
        let whole = kernel.run(&kernel.zebin, true);
        assert_eq!(whole, Ok(()), "{name}, {}", kernel.name);
        let kind = kernel.run(&stripped, false);
        assert_eq!(kind, Ok(()), "{name}, {}, without the rule", kernel.name);
        all.insert(kernel.name.clone());
        if kernel.run(&stripped, true).is_err() {
            failing.insert(kernel.name);
        }
    }
    println!("{name}: {} of {}: {failing:?}", failing.len(), all.len());
    (all, failing)
}

fn is_fence(inst: &Inst, platform: &Platform) -> bool {
    let of = inst.msg.as_ref().and_then(Descriptors::of);
    let request = of.and_then(|of| Request::decode(of, platform.family).ok());
    request.is_some_and(|request| request.kind.is_fence())
}

/// Moves of a register to null, directly after a fence, move another register. On Gen9, where local memory needs no fence, no test
/// kernel depends on one.
#[test]
fn a_fence_whose_response_is_not_read_has_no_effect() {
    let (_, failing) = strip("icllp", |kernel| {
        kernel.changed(&kernel.zebin, |inst, before| {
            let fence = before.is_some_and(|before| is_fence(before, kernel.platform));
            let Some(Src::Reg(src)) = inst.srcs.first_mut().filter(|_| fence) else {
                return false;
            };
            src.place = Place::Direct(Reg::grf(100));
            true
        })
    });
    assert!(!failing.is_empty());
}

/// Nothing waits for the tokens of fences.
#[test]
fn a_fence_whose_token_is_not_waited_for_has_no_effect() {
    for name in ["tgllp", "dg2"] {
        let (all, failing) = strip(name, |kernel| {
            let mut fence = None;
            kernel.changed(&kernel.zebin, |inst, _| {
                let token = inst.swsb.token;
                if is_fence(inst, kernel.platform) {
                    fence = token.map(|(_, token)| token);
                }
                let waits = matches!(token, Some((TokenUse::Dst, token)) if fence == Some(token));
                if waits {
                    inst.swsb.token = None;
                }
                waits
            })
        });
        assert!(!failing.is_empty(), "{name}: {all:?}");
    }
}

#[test]
fn a_mode_that_is_set_without_a_switch_comes_late() {
    for name in ["skl", "icllp"] {
        let (_, failing) = strip(name, |kernel| {
            kernel.changed(&kernel.zebin, |inst, _| {
                let mode = inst.dst.is_some_and(|dst| match dst.place {
                    Place::Direct(reg) => reg.file == RegFile::Control,
                    Place::Indirect { .. } => false,
                });
                let switches = mode && inst.opts.switch;
                inst.opts.switch &= !switches;
                switches
            })
        });
        assert!(!failing.is_empty(), "{name}");
    }
}

/// Moves to null that read a payload again read another register.
#[test]
fn a_message_reads_late_what_is_not_read_again() {
    let (_, failing) = strip("pvc", |kernel| {
        kernel.changed(&kernel.zebin, |inst, _| {
            let null = inst
                .dst
                .is_some_and(|dst| matches!(dst.place, Place::Direct(reg) if reg.is_null()));
            let again = inst.op == Op::Mov && inst.exec_size == 1 && null && inst.no_mask;
            let Some(Src::Reg(src)) = inst.srcs.first_mut().filter(|_| again) else {
                return false;
            };
            src.place = Place::Direct(Reg::grf(0));
            true
        })
    });
    assert!(!failing.is_empty());
}

/// The flag that a comparison of a value with itself sets for active channels.
fn mark(inst: &Inst) -> Option<Reg> {
    let equal = matches!(&inst.srcs[..], [a, b] if a == b);
    let marks = inst.op == Op::Cmp && !inst.no_mask && inst.pred.is_none() && equal;
    inst.cond.filter(|_| marks).map(|cond| cond.flag)
}

/// Instructions of the reference's code that ignore the mask lose the predicate that says that a channel is active.
#[test]
fn an_idle_thread_of_a_pair_executes_what_ignores_the_mask() {
    let (_, failing) = strip("tgllp", |kernel| {
        let mut marked = None;
        kernel.changed(&kernel.reference, |inst, _| {
            let file = inst.dst.map(|dst| match dst.place {
                Place::Direct(reg) => reg.file,
                Place::Indirect { .. } => RegFile::Grf,
            });
            let changes = inst.cond.is_some() || file == Some(RegFile::Flag);
            if changes || inst.op.is_branch() {
                marked = mark(inst);
            }
            let any = |ctrl| matches!(ctrl, PredCtrl::Any(_) | PredCtrl::AnyChannel);
            let guard = |pred: &Pred| any(pred.ctrl) && Some(pred.flag) == marked;
            let guarded = inst.no_mask && inst.pred.as_ref().is_some_and(guard);
            if guarded {
                inst.pred = None;
            }
            guarded
        })
    });
    assert!(!failing.is_empty());
}

#[test]
fn an_interruption_restores_the_header() {
    for name in ["icllp", "tgllp", "dg2"] {
        let platform = platform::find(name).expect("the platform is known");
        let without = platform.errata.without(Erratum::PreemptionKeepsHeader);
        let without = platform.with(without);
        let (_, failing) = strip(name, |kernel| Some(kernel.compiled_for(without)));
        assert!(!failing.is_empty(), "{name}");
    }
}

/// Rotations of signed numbers are outside the operation's table.
#[test]
fn an_instruction_outside_its_operations_table_is_refused() {
    let (all, failing) = strip("icllp", |kernel| {
        kernel.changed(&kernel.zebin, |inst, _| {
            let dwords = inst.dst.is_some_and(|dst| dst.ty == Type::Ud);
            let of_dword = inst.srcs.first().is_some_and(|src| src.ty() == Type::Ud);
            if !matches!(inst.op, Op::Rol | Op::Ror) || !dwords || !of_dword {
                return false;
            }
            inst.dst.iter_mut().for_each(|dst| dst.ty = Type::D);
            if let Some(Src::Reg(src)) = inst.srcs.first_mut() {
                src.ty = Type::D;
            }
            true
        })
    });
    assert!(!all.is_empty() && failing == all, "{all:?}");
}

/// The field of a distance ends at 7.
#[test]
fn distances_beyond_the_field_are_refused() {
    for name in ["tgllp", "dg2", "pvc", "bmg", "ptl"] {
        let platform = platform::find(name).expect("the platform is known");
        let mut inst = Inst::new(Op::Sync(kiln_emit::inst::SyncFn::Nop), 1);
        inst.swsb.dist = Some((kiln_emit::inst::Pipe::All, 8));
        let refused = kiln_emit::verify::verify(&inst, platform).is_err();
        assert!(refused, "{name}");
    }
}
