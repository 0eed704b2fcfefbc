//! Small programs of vISA that combine rarely combined features, each for one question, which is its first line.
//!
//! A text begins with its subject, its launch and its expected results:
//!
//! ```text
//! // Which of two functions a channel calls depends on its number.
//! // local: 32                work-items of a group (by default the number of channels)
//! // groups: 2                (1)
//! // limits: 128 48           register limits (by default 128 64 48 32; with functions 128)
//! // executed: no             the program is only compiled
//! // image: 16x12             an image of dwords, the third surface
//! // out: 0 1 2               dwords of the second surface, worked out by arithmetic; 0 by default
//! // texels: 0 1 2            texels of the image after the run
//! ```
//!
//! or with `// refused: MESSAGE`, a part of the diagnostic. Kernels are called `h`; they read dword n of the first
//! surface as n * 0x9e3779b1 and get the address of a stack of 64 KiB and their local ids. Each is compiled with all
//! verifiers, by both tiers and with every register limit, and executed. If `REFERENCE_FINALIZER` names a reference
//! finalizer, its code is executed as well.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{Options, Session, Tier};
use kiln_emit::platform::{self, Platform};
use kiln_emit::ze_info::ZeInfo;
use kiln_exec::{Arg, Buffer, Format, Image, ImageKind, Launch, Program, Shape};

const NAME: &str = "h";
const BUDGET: u64 = 1 << 22;
const INPUT: u32 = 1024;
const OUTPUT: usize = 4096;
const STACK: usize = 1 << 16;
const LIMITS: [u32; 4] = [128, 64, 48, 32];
const TIERS: [Tier; 2] = [Tier::Best, Tier::Quick];

fn skl() -> &'static Platform {
    platform::find("skl").expect("the platform of the tests")
}

struct Case {
    name: String,
    text: String,
    simd: u32,
    local: u32,
    groups: u32,
    limits: Vec<u32>,
    image: Option<[u32; 2]>,
    executed: bool,
    /// Expected dwords, or expected part of the diagnostic.
    wanted: Result<Vec<u32>, String>,
}

impl Case {
    fn read(path: &Path) -> Case {
        let text = fs::read_to_string(path).expect("a text");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let head = |key: &str| {
            let mut lines = text.lines().map_while(|line| line.strip_prefix("// "));
            lines.find_map(|line| Some(line.strip_prefix(key)?.strip_prefix(": ")?.to_string()))
        };
        let numbers = |key: &str| -> Option<Vec<u32>> {
            let each = head(key)?;
            let number = |word: &str| match word.strip_prefix("0x") {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => word.parse(),
            };
            let numbers: Result<_, _> = each.split_whitespace().map(number).collect();
            Some(numbers.unwrap_or_else(|e| panic!("{name}: {key}: {e}")))
        };
        let simd = text
            .lines()
            .find_map(|line| line.strip_prefix(".kernel_attr SimdSize="))
            .map_or(1, |size| size.trim().parse().expect("a size"));
        let one = |key, default| numbers(key).map_or(default, |numbers| numbers[0]);
        let functions = text.contains(".global_function");
        let limits = match functions {
            true => vec![LIMITS[0]],
            false => LIMITS.to_vec(),
        };
        let image = head("image").map(|size| {
            let (width, height) = size.split_once('x').expect("a size");
            [width, height].map(|n| n.parse().expect("a size"))
        });
        let wanted = match head("refused") {
            Some(message) => Err(message),
            None => {
                let mut wanted = numbers("out").expect("what is stored");
                wanted.resize(OUTPUT / 4, 0);
                wanted.extend(numbers("texels").unwrap_or_default());
                Ok(wanted)
            }
        };
        Case {
            simd,
            local: one("local", simd),
            groups: one("groups", 1),
            limits: numbers("limits").unwrap_or(limits),
            image,
            executed: head("executed").is_none(),
            wanted,
            name: name.into_owned(),
            text,
        }
    }

    fn info(&self) -> ZeInfo {
        let simd = self.simd;
        let image = match self.image {
            Some(_) => {
                "      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 3, addrmode: stateful, addrspace: image, access_type: readwrite, image_type: image_2d}\n"
            }
            None => "",
        };
        let entry = match self.image {
            Some(_) => "      - {bti_value: 2, arg_index: 3}\n",
            None => "",
        };
        let ids = (2 * simd).next_multiple_of(32) * 3;
        let yaml = format!(
            "version: '1.20'
kernels:
  - name: {NAME}
    execution_env:
      grf_count: 128
      simd_size: {simd}
      slm_size: 4096
      barrier_count: 1
    payload_arguments:
      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global, access_type: readwrite}}
      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 1, addrmode: stateful, addrspace: global, access_type: readwrite}}
      - {{arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 2, addrmode: stateless, addrspace: global, access_type: readwrite}}
{image}    per_thread_payload_arguments:
      - {{arg_type: local_id, offset: 0, size: {ids}}}
    per_thread_memory_buffers:
      - {{type: scratch, usage: spill_fill_space, size: 65536}}
    binding_table_indices:
      - {{bti_value: 0, arg_index: 0}}
      - {{bti_value: 1, arg_index: 1}}
{entry}"
        );
        ZeInfo::parse(yaml.as_bytes()).expect("the launch description")
    }

    fn compile(&self, grf_limit: u32, tier: Tier) -> Result<Program, String> {
        let mut options = Options::new(skl()).tier(tier);
        options.verify = true;
        options.grf_limit = grf_limit;
        let session = Session::new(options);
        let input = Input {
            name: &self.name,
            bytes: self.text.as_bytes(),
        };
        let module = session
            .compile_module(&[input])
            .map_err(|e| e.to_string())?;
        let object = session.object_file(&module, Info::ZeInfo(self.info()));
        let object = object.map_err(|e| e.to_string())?;
        Program::from_zebin(&object, NAME, skl()).map_err(|e| e.to_string())
    }

    /// The dwords of the output, and of the image.
    fn run(&self, program: &Program) -> Result<Vec<u32>, String> {
        let input: Vec<u32> = (0..INPUT).map(|n| n.wrapping_mul(0x9e37_79b1)).collect();
        let mut args = vec![
            Arg::from(Buffer::of(&input)),
            Arg::Buffer(vec![0; OUTPUT]),
            Arg::Buffer(vec![0; STACK]),
        ];
        args.extend(self.image.map(|size| Arg::Image(image(size))));
        let info = self.info();
        let mut launch = Launch {
            ze_info: &info,
            kernel: NAME,
            global: [self.local * self.groups, 1, 1],
            local: [self.local, 1, 1],
            dimensions: 1,
            args,
            budget: BUDGET,
        };
        launch.run(program).map_err(|e| e.to_string())?;
        let mut bytes = Vec::new();
        for arg in [1, 3].into_iter().filter_map(|n| launch.args.get(n)) {
            match arg {
                Arg::Buffer(buffer) => bytes.extend_from_slice(buffer),
                Arg::Image(image) => bytes.extend_from_slice(&image.texels),
                _ => {}
            }
        }
        let dword = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        Ok(bytes.chunks(4).map(dword).collect())
    }

    /// Differences from the expected results.
    fn wrong(&self, found: &[u32], wanted: &[u32]) -> Option<String> {
        let each = found.iter().enumerate();
        let mut wrong = each.filter(|&(n, found)| *found != wanted.get(n).copied().unwrap_or(0));
        let (n, found) = wrong.next()?;
        let wanted = wanted.get(n).copied().unwrap_or(0);
        let others = wrong.count();
        Some(format!(
            "dword {n} is {found:#x}, {wanted:#x} wanted; {others} others"
        ))
    }

    /// Errors of our code.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for &limit in &self.limits {
            for tier in TIERS {
                let place = format!("{}, {limit} registers, {tier:?}", self.name);
                match (self.compile(limit, tier), &self.wanted) {
                    (Ok(_), Ok(_)) if !self.executed => {}
                    (Ok(program), Ok(wanted)) => match self.run(&program) {
                        Ok(found) => faults.extend(
                            (self.wrong(&found, wanted)).map(|what| format!("{place}: {what}")),
                        ),
                        Err(what) => faults.push(format!("{place}: {what}")),
                    },
                    (Err(what), Err(message)) if what.contains(message) => {}
                    (Err(what), _) => faults.push(format!("{place}: {what}")),
                    (Ok(_), Err(_)) => faults.push(format!("{place}: not refused")),
                }
            }
        }
        faults
    }

    /// Code of the reference finalizer.
    fn reference(&self, finalizer: &Path, folder: &Path) -> String {
        let (source, code) = (folder.join("h.visaasm"), folder.join("reference.dat"));
        let attribute = ".kernel_attr OutputAsmPath=\"reference\"\n.function \"main\"";
        let text = self.text.replacen(".function \"main\"", attribute, 1);
        fs::write(source, text).expect("a file");
        let _ = fs::remove_file(&code);
        let output = Command::new(finalizer)
            .args(["h.visaasm", "-platform", "SKL", "-binary"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .output();
        let Ok(code) = fs::read(code) else {
            let said = output
                .map(|o| [o.stdout, o.stderr].concat())
                .unwrap_or_default();
            let said = String::from_utf8_lossy(&said).replace('\n', " ");
            return format!("refused: {}", said.chars().take(200).collect::<String>());
        };
        let found = self.run(&Program::from_text(&code, skl()));
        match (found, &self.wanted) {
            (Ok(found), Ok(wanted)) => match self.wrong(&found, wanted) {
                Some(what) => what,
                None => "as wanted".to_string(),
            },
            (Ok(_), Err(_)) => "not refused".to_string(),
            (Err(what), _) => what,
        }
    }
}

/// An image of dwords in which texel n has the value n.
fn image(size: [u32; 2]) -> Image {
    let format = Format::find("r32uint").expect("a format");
    Image {
        shape: Shape::new(ImageKind::D2, format, &size).expect("a shape"),
        texels: (0..size[0] * size[1]).flat_map(u32::to_le_bytes).collect(),
    }
}

fn texts() -> Vec<PathBuf> {
    let folder = kiln_corpus::path("hostile/texts");
    let entries = fs::read_dir(folder).expect("the texts");
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    paths
}

#[test]
fn programs_store_what_arithmetic_says() {
    let finalizer = std::env::var_os("REFERENCE_FINALIZER").map(PathBuf::from);
    let folder = tempfile::tempdir().expect("a folder");
    let mut faults = Vec::new();
    for path in texts() {
        let case = Case::read(&path);
        faults.extend(case.faults());
        if let Some(finalizer) = &finalizer {
            let what = case.reference(finalizer, folder.path());
            println!("{}: the reference: {what}", case.name);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
