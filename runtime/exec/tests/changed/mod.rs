//! Mutated machine code, for the property test, the fuzz target and the comparison of engines: the reference compiler's
//! object files of every family, changed instruction by instruction so that much of the result still decodes, and
//! executed for one group of their own launch.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use kiln_emit::encoding::{decode, encode};
use kiln_emit::inst::Desc;
use kiln_emit::listing::entries;
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::{Arg, BindError, Launch, Options, Program, RunError};

/// Bytes that encode one change.
pub const CHANGE: usize = 8;
/// The kind of change that inserts an instruction.
pub const INSERT: u8 = 4;
/// Platforms, each with the one whose object files are mutated for it: platforms that share the code of another have
/// few of their own.
pub const PLATFORMS: [(&str, &str); 10] = [
    ("skl", "skl"),
    ("icllp", "icllp"),
    ("tgllp", "tgllp"),
    ("dg2", "dg2"),
    ("mtl", "mtl"),
    ("mtl", "dg2"),
    ("pvc", "pvc"),
    ("lnl", "bmg"),
    ("bmg", "bmg"),
    ("ptl", "ptl"),
];

/// An object file and its launch.
pub struct Fixture {
    pub platform: &'static Platform,
    zebin: Zebin,
    description: Description,
    args: Vec<Arg>,
    /// Bytes of each instruction.
    code: Vec<Vec<u8>>,
}

/// A kernel's folder and its object file.
type Files = (PathBuf, PathBuf);

/// Folders of the kernels with object files for a platform.
fn files(device: &str) -> Vec<Files> {
    let kernels = kiln_corpus::kernels(&kiln_corpus::ALL).into_iter();
    let object = |kernel: kiln_corpus::Kernel| Some((kernel.object(device)?, kernel.folder));
    kernels
        .filter_map(object)
        .map(|(file, folder)| (folder, file))
        .collect()
}

impl Fixture {
    fn read((dir, file): &Files, platform: &'static Platform) -> Fixture {
        let yaml = std::fs::read_to_string(dir.join("launch.yaml")).expect("a launch");
        let description = Description::parse(&yaml).expect("a launch");
        let file = std::fs::read(file).expect("an object file");
        let zebin = Zebin::parse(&file).expect("an object file");
        let text = zebin.text(&description.kernel).expect("the kernel");
        let code = entries(text, platform)
            .map(|e| text[e.offset as usize..][..e.len as usize].to_vec())
            .collect();
        Fixture {
            platform,
            args: description.load_args(dir).expect("arguments"),
            description,
            zebin,
            code,
        }
    }

    /// The fixture of an index, for one of [`PLATFORMS`].
    pub fn get(platform: usize, number: usize) -> &'static Fixture {
        static FILES: OnceLock<Vec<Vec<Files>>> = OnceLock::new();
        static READ: Mutex<Option<HashMap<(usize, usize), &'static Fixture>>> = Mutex::new(None);
        let platform = platform % PLATFORMS.len();
        let all = FILES.get_or_init(|| PLATFORMS.map(|(_, device)| files(device)).into());
        let number = number % all[platform].len();
        let mut read = READ.lock().expect("no panic while reading");
        // There are at most as many as files; they stay until the process ends.
        read.get_or_insert_default()
            .entry((platform, number))
            .or_insert_with(|| {
                let found = platform::find(PLATFORMS[platform].0).expect("the platform");
                Box::leak(Box::new(Fixture::read(&all[platform][number], found)))
            })
    }

    /// The code after changes of [`CHANGE`] bytes each: the kind of change, an instruction, another instruction, and a
    /// value. Instructions may also come from `donor`.
    pub fn changed(&self, donor: &Fixture, changes: &[u8]) -> Vec<u8> {
        let mut code = self.code.clone();
        for change in changes.chunks_exact(CHANGE) {
            let number =
                |low: usize| usize::from(u16::from_le_bytes([change[low], change[low + 1]]));
            let (at, other) = (number(1) % code.len(), number(3));
            let bits = [change[5], change[6], change[7]];
            match change[0] % 8 {
                0 => {
                    let byte = other % code[at].len();
                    code[at][byte] = bits[0];
                }
                1 => {
                    let bit = other % (code[at].len() * 8);
                    code[at][bit / 8] ^= 1 << (bit % 8);
                }
                2 => random_fields(&mut code[at], number(3) as u64 | 1, bits),
                3 => code[at] = donor.code[other % donor.code.len()].clone(),
                INSERT => code.insert(at, donor.code[other % donor.code.len()].clone()),
                5 if code.len() > 1 => drop(code.remove(at)),
                _ => {
                    let size = |unit: &Vec<u8>| decode(unit, self.platform).ok();
                    let is_send = |unit: &Vec<u8>| size(unit).is_some_and(|i| i.op.is_send());
                    let after = (at..code.len()).chain(0..at);
                    if let Some(send) = after.into_iter().find(|&n| is_send(&code[n])) {
                        other_message(&mut code[send], change[3], bits, self.platform);
                    }
                }
            }
        }
        code.concat()
    }

    /// Executes code in place of the kernel's, at most `budget` instructions.
    ///
    /// # Errors
    /// The code exceeds its budget or changes the size of a buffer, the executor's error cannot be printed, or engines
    /// that are compared differ.
    pub fn execute(&self, text: &[u8], budget: u64, options: &Options) -> Result<(), String> {
        let group = self.description.local;
        let mut launch = Launch {
            ze_info: &self.zebin.ze_info,
            kernel: &self.description.kernel,
            global: group,
            local: group,
            dimensions: self.description.dimensions,
            args: self.args.clone(),
            budget,
        };
        let program = Program::from_text(text, self.platform);
        match launch.run_with(&program, options) {
            Ok(stats) if stats.instructions > budget => {
                return Err(format!("{} instructions", stats.instructions));
            }
            // Mutated code need not have an instruction where threads start.
            Ok(_) | Err(RunError::Bind(BindError::Entry(_))) => {}
            Err(RunError::Bind(error)) => return Err(error.to_string()),
            Err(error) if error.to_string().is_empty() => return Err("an empty message".into()),
            Err(error) if error.to_string().contains("the engines differ") => {
                return Err(error.to_string());
            }
            Err(_) => {}
        }
        let size = |arg: &Arg| arg.memory().map(<[u8]>::len);
        for (now, before) in launch.args.iter().zip(&self.args) {
            if size(now) != size(before) {
                return Err(format!("{:?} bytes of {:?}", size(now), size(before)));
            }
        }
        Ok(())
    }
}

/// Keeps an instruction's operation and the fields selected by a mask; the others become random.
fn random_fields(unit: &mut [u8], mut state: u64, [keep_low, keep_high, seed]: [u8; 3]) {
    state = state << 8 | u64::from(seed);
    let keep = u16::from_le_bytes([keep_low, keep_high]);
    for (n, byte) in unit.iter_mut().enumerate().skip(1) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Upper bits of the third byte tell if the instruction is compacted.
        if n != 3 && keep >> n & 1 == 0 {
            *byte = (state >> 24) as u8;
        }
    }
}

/// Flips bits of a message's constant descriptor, or changes its shared function.
fn other_message(unit: &mut Vec<u8>, which: u8, bits: [u8; 3], platform: &Platform) {
    let Ok(mut inst) = decode(unit, platform) else {
        return;
    };
    let Some(message) = &mut inst.msg else { return };
    let turned = 1 << (bits[0] % 32) | 1 << (bits[1] % 32) | 1 << (bits[2] % 32);
    match (which % 4, &mut message.desc, &mut message.ex_desc) {
        (0, Desc::Imm(desc), _) | (1, _, Desc::Imm(desc)) => *desc ^= turned,
        (2, desc, _) => *desc = Desc::Imm(u32::from_le_bytes([bits[0], bits[1], bits[2], 2])),
        _ => message.sfid = bits[0] & 15,
    }
    inst.opts.compacted = false;
    if let Ok(code) = encode(&inst, platform) {
        *unit = code.as_bytes().to_vec();
    }
}
