//! Images and samplers as arguments: of the program `kiln`, and of a launch that does not fit.

use std::path::{Path, PathBuf};
use std::process::Command;

use kiln_emit::platform;
use kiln_emit::ze_info::{AddrMode, ArgType};
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Arg, Cause, Format, Image, ImageKind, Launch, Program, RunError, Shape};
use kiln_runtime::launch::{Description, parse_spec};
use kiln_runtime::picture;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/kernels")
        .join(name)
}

/// A kernel that the reference compiler made, and its launch.
struct Kernel {
    zebin: Zebin,
    description: Description,
    dir: PathBuf,
}

impl Kernel {
    fn new(name: &str) -> Kernel {
        let dir = folder(name);
        let yaml = std::fs::read_to_string(dir.join("launch.yaml")).unwrap();
        let file = std::fs::read(dir.join(format!("{name}.zebin"))).unwrap();
        Kernel {
            zebin: Zebin::parse(&file).unwrap(),
            description: Description::parse(&yaml).unwrap(),
            dir,
        }
    }

    /// Runs it with arguments and metadata that `change` has changed; the arguments afterwards.
    fn run(&self, change: impl Fn(&mut Zebin, &mut Vec<Arg>)) -> Result<Vec<Arg>, RunError> {
        let mut zebin = self.zebin.clone();
        let mut args = self.description.load_args(&self.dir).unwrap();
        change(&mut zebin, &mut args);
        let kernel = &self.description.kernel;
        let skl = platform::find("skl").unwrap();
        let program = Program::from_zebin(&zebin, kernel, skl).unwrap();
        let mut launch = Launch {
            ze_info: &zebin.ze_info,
            kernel,
            global: self.description.global,
            local: self.description.local,
            dimensions: self.description.dimensions,
            args,
            budget: Launch::BUDGET,
        };
        launch.run(&program)?;
        Ok(launch.args)
    }

    fn error(&self, change: impl Fn(&mut Zebin, &mut Vec<Arg>)) -> String {
        self.run(change).unwrap_err().to_string()
    }
}

fn image(kind: ImageKind, format: &str, sizes: &[u32]) -> Arg {
    let shape = Shape::new(kind, Format::find(format).unwrap(), sizes).unwrap();
    Arg::Image(Image {
        shape,
        texels: vec![0; shape.bytes() as usize],
    })
}

#[test]
fn pictures_go_in_and_out_on_the_command_line() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images-pictures");
    std::fs::create_dir_all(&dir).unwrap();
    let texels = std::fs::read(folder("img_resize").join("im.bin")).unwrap();
    std::fs::write(dir.join("in.png"), picture::png(&texels, 17).unwrap()).unwrap();
    let zebin = folder("img_resize").join("img_resize.zebin");
    let run = |format: &str, out: &str, sampler: &str| {
        Command::new(env!("CARGO_BIN_EXE_kiln"))
            .current_dir(&dir)
            .arg("run")
            .arg(&zebin)
            .args(["--global", "40,13", "--local", "8,13"])
            .args(["--arg", "image2d:rgba8unorm:17x9:in.png"])
            .args(["--arg", &format!("sampler:{sampler}")])
            .args(["--arg", &format!("image2d:{format}:40x13:>{out}")])
            .output()
            .unwrap()
    };
    let done = run("rgba32float", "out.bin", "normalized,linear");
    assert!(done.status.success(), "{done:?}");
    let expected = std::fs::read(folder("img_resize").join("expect_out.bin")).unwrap();
    let found = std::fs::read(dir.join("out.bin")).unwrap();
    let floats = |bytes: &[u8]| -> Vec<f32> {
        let chunks = bytes.chunks_exact(4);
        chunks
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    };
    let (expected, found) = (floats(&expected), floats(&found));
    assert_eq!(expected.len(), found.len());
    assert!(
        expected
            .iter()
            .zip(&found)
            .all(|(e, f)| (e - f).abs() < 4e-6)
    );

    let done = run("bgra8unorm", "out.png", "normalized,linear,edge");
    assert!(done.status.success(), "{done:?}");
    let file = std::fs::read(dir.join("out.png")).unwrap();
    let picture = picture::read_png(&file, 1 << 20).unwrap();
    assert_eq!((picture.width, picture.height), (40, 13));
    for (pixel, value) in picture.pixels.iter().zip(&expected) {
        assert!(
            (f32::from(*pixel) - value * 255.0).abs() <= 0.51,
            "{pixel} {value}"
        );
    }

    let done = run("bgra8unorm", "other.png", "wrap");
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("no flag of a sampler"));
    assert!(!dir.join("other.png").exists());
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn arguments_of_the_wrong_kind_are_named() {
    let kernel = Kernel::new("img_resize");
    let error = kernel.error(|_, args| args[0] = image(ImageKind::D1, "r8unorm", &[4]));
    assert!(
        error.contains(
            "argument 0, counted from 0 (image2d_t;8): an image1d found, an image2d expected"
        ),
        "{error}"
    );
    let error = kernel.error(|_, args| args[0] = Arg::Buffer(vec![0; 612]));
    assert!(
        error.contains("a buffer found, an image2d expected"),
        "{error}"
    );
    let error = kernel.error(|_, args| args[1] = Arg::Value(vec![0; 8]));
    assert!(
        error.contains("a value of 8 bytes found, a sampler expected"),
        "{error}"
    );
    let error = kernel.error(|_, args| {
        if let Arg::Image(image) = &mut args[0] {
            image.texels.pop();
        }
    });
    assert!(error.contains("an image of 612 bytes has 611"), "{error}");
    let error = kernel.error(|zebin, _| {
        for used in &mut zebin.ze_info.kernels[0].payload_arguments {
            used.sampler_index = used.sampler_index.map(|_| 16);
        }
    });
    assert!(error.contains("sampler 16: 15 is the last"), "{error}");
}

#[test]
fn a_texel_written_outside_is_named() {
    let kernel = Kernel::new("img_resize");
    let small = |_: &mut Zebin, args: &mut Vec<Arg>| {
        args[2] = image(ImageKind::D2, "rgba32float", &[40, 12])
    };
    match kernel.run(small).unwrap_err() {
        RunError::Exec(error) => assert!(
            matches!(error.cause, Cause::OutsideImage { at: [_, 12, 0], .. }),
            "{error}"
        ),
        other => panic!("{other}"),
    }
}

#[test]
fn implicit_arguments_no_one_knows_are_errors() {
    let kernel = Kernel::new("img_dims");
    let error = kernel.error(|zebin, _| {
        let used = &mut zebin.ze_info.kernels[0].payload_arguments;
        let width = used.iter_mut().find(|a| a.arg_type == ArgType::ImageWidth);
        width.unwrap().arg_type = ArgType::Other("vme_mb_block_type".to_string());
    });
    assert!(error.contains("vme_mb_block_type"), "{error}");
}

#[test]
fn bindless_arguments_have_places_in_the_heap() {
    // What the kernel reads as its buffer's address is then the offset of its surface.
    let kernel = Kernel::new("img_dims");
    let after = kernel.run(|zebin, _| {
        for used in &mut zebin.ze_info.kernels[0].payload_arguments {
            if used.arg_type == ArgType::ImageWidth && used.arg_index == Some(2) {
                used.arg_type = ArgType::ArgBypointer;
                used.addrmode = Some(AddrMode::Bindless);
            }
        }
    });
    let after = after.unwrap();
    let out = after[4].memory().unwrap();
    assert_eq!(out[36..40], (2u32 << 12).to_le_bytes());
}

#[test]
fn specifications_are_what_launch_files_say() {
    // A launch file's mapping is the specification of the same name.
    let described = Kernel::new("img_sampler").description;
    let spec = parse_spec("sampler:normalized,mirror,linear").unwrap();
    assert_eq!(described.args[1].source, spec.source);
    let spec = parse_spec("image2d:rgba16float:8x8:im.bin").unwrap();
    assert_eq!(described.args[0].source, spec.source);
}
