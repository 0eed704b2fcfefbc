//! Image and sampler arguments that do not fit their kernel.

use std::path::PathBuf;

use kiln_emit::platform;
use kiln_emit::ze_info::{AddrMode, ArgType};
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::{Description, parse_spec};
use kiln_exec::{Arg, Cause, Format, Image, ImageKind, Launch, Program, RunError, Shape};

fn folder(name: &str) -> PathBuf {
    kiln_corpus::path(&format!("kernels/{name}"))
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

    /// Runs the kernel with arguments and metadata modified by `change`; returns the arguments afterwards.
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
    // The kernel then finds the offset of the surface in place of its buffer's address.
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
    // A mapping in a launch file has the specification of the same name.
    let described = Kernel::new("img_sampler").description;
    let spec = parse_spec("sampler:normalized,mirror,linear").unwrap();
    assert_eq!(described.args[1].source, spec.source);
    let spec = parse_spec("image2d:rgba16float:8x8:im.bin").unwrap();
    assert_eq!(described.args[0].source, spec.source);
}
