//! Random cases: our code of each and the reference finalizer's against a model, and the smallest case that fails.

use std::fmt::Debug;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kiln_emit::platform::{self, Platform};

use crate::reference;

/// A random case with a model of its results.
pub trait Case: Debug + Sized {
    /// Name in messages and files.
    const NAME: &'static str;
    fn target(&self) -> &'static Platform;
    /// The file that is written of a case that fails.
    fn file(&self) -> String;
    /// vISA for the reference finalizer; none if a linker has to complete its code.
    fn visa(&self) -> Option<String>;
    /// Faults of our code, by the ways in which it is compiled.
    fn ours(&self) -> Vec<Fault>;
    /// # Errors
    /// The difference of the reference finalizer's code from the model.
    fn check_reference(&self, code: &[u8]) -> Result<(), String>;
    /// A locally smallest case for which `fails` holds.
    fn reduced(self, fails: impl Fn(&Self) -> bool) -> Self;
}

/// A fault of our code.
pub struct Fault {
    /// False if the code is there, and wrong.
    pub is_refused: bool,
    pub what: String,
}

impl Fault {
    /// The result of one way of compiling a case.
    pub fn of<T>(
        way: &impl Debug,
        compiled: Result<T, String>,
        check: impl Fn(&T) -> Result<(), String>,
    ) -> Option<Fault> {
        let (is_refused, what) = match compiled {
            Err(what) => (true, format!("not compiled: {what}")),
            Ok(code) => (false, check(&code).err()?),
        };
        let what = format!("{way:?}: {what}");
        Some(Fault { is_refused, what })
    }

    /// The kind of an error: a wrong result, a wrong allocation, a call, or a lack.
    fn kind(&self) -> Option<usize> {
        let kinds = [" found", "allocation", "subroutine", "not supported"];
        kinds.iter().position(|kind| self.what.contains(kind))
    }
}

/// Cases that are asked for.
pub struct Request {
    pub target: &'static Platform,
    pub seeds: Range<u64>,
    /// Folder for cases that fail.
    pub folder: PathBuf,
    finalizer: Option<PathBuf>,
}

impl Request {
    /// Reads `PLATFORM [COUNT] SEED FOLDER [FINALIZER]`, in which COUNT is there or not.
    pub fn of(args: &[String], counted: bool) -> Option<Request> {
        let (name, rest) = args.split_first()?;
        let (count, rest) = match counted {
            true => (rest.first()?.parse().ok()?, &rest[1..]),
            false => (1, rest),
        };
        let seed: u64 = rest.first()?.parse().ok()?;
        Some(Request {
            target: platform::find(name)?,
            seeds: seed..seed + count,
            folder: rest.get(1)?.into(),
            finalizer: rest.get(2).map(PathBuf::from),
        })
    }

    /// Writes a case into the folder and prints why.
    pub fn write(&self, file: &str, case: &impl Case, what: &str) {
        let path = self.folder.join(format!("{file}.visaasm"));
        match std::fs::write(&path, case.file()) {
            Ok(()) => println!("{}: {what}", path.display()),
            Err(e) => println!("{file}: {what} (not kept: {e})"),
        }
    }

    /// The check of the reference finalizer's code; none if there is no finalizer or it cannot link, an error within if it
    /// refuses the case.
    fn theirs(&self, case: &impl Case) -> Option<Option<Result<(), String>>> {
        let finalizer: &Path = self.finalizer.as_deref()?;
        let text = case.visa()?;
        let code = reference::finalize(finalizer, &self.folder, case.target(), &text);
        Some(code.map(|code| case.check_reference(&code)))
    }

    /// Compares all cases. A seed without a case has no defined results. Fails if code of ours is wrong or refused.
    pub fn compare<C: Case>(&self, draw: impl Fn(u64) -> Option<C>) -> ExitCode {
        let (mut tried, mut refused, mut wrong) = (0u64, 0, 0);
        let (mut reference_refused, mut reference_wrong) = (0, 0);
        for seed in self.seeds.clone() {
            let Some(case) = draw(seed) else { continue };
            tried += 1;
            let file = format!("{}-{seed}", C::NAME);
            for fault in case.ours() {
                refused += u32::from(fault.is_refused);
                wrong += u32::from(!fault.is_refused);
                self.write(&file, &case, &fault.what);
            }
            match self.theirs(&case) {
                Some(None) => reference_refused += 1,
                Some(Some(Err(what))) => {
                    reference_wrong += 1;
                    self.write(&file, &case, &format!("the reference's code: {what}"));
                }
                None | Some(Some(Ok(()))) => {}
            }
        }
        let reference = match self.finalizer {
            Some(_) => format!(
                ", {reference_refused} refused by the reference, {reference_wrong} wrong in its code"
            ),
            None => String::new(),
        };
        println!(
            "total: {} seeds, {tried} {}s, {refused} of our codes refused, {wrong} wrong{reference}",
            self.seeds.end - self.seeds.start,
            C::NAME,
        );
        ExitCode::from(u8::from(refused + wrong > 0))
    }

    /// Reduces the case of the first seed that our code, or else the reference's, computes wrong.
    pub fn reduce<C: Case>(&self, draw: impl Fn(u64) -> Option<C>) -> ExitCode {
        let seed = self.seeds.start;
        let ours = |case: &C| case.ours().into_iter().next();
        let theirs = |case: &C| self.theirs(case)??.err();
        let found = draw(seed).and_then(|case| {
            if let Some(first) = ours(&case) {
                let fails = |c: &C| ours(c).is_some_and(|fault| fault.kind() == first.kind());
                let case = case.reduced(fails);
                let what = ours(&case)?.what;
                return Some((case, format!("ours: {what}")));
            }
            theirs(&case)?;
            let case = case.reduced(|c| theirs(c).is_some());
            let what = theirs(&case)?;
            Some((case, format!("the reference's: {what}")))
        });
        let Some((case, what)) = found else {
            println!("{} {seed}: nothing is wrong", C::NAME);
            return ExitCode::FAILURE;
        };
        self.write(&format!("{}-{seed}-reduced", C::NAME), &case, &what);
        println!("{case:#?}");
        ExitCode::SUCCESS
    }
}
