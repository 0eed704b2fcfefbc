//! A kernel around a few vISA instructions: loads variables from one buffer, stores them to another.
//!
//! The variables are [`VARS`], of [`VAR_BYTES`] bytes each, with aliases of all [types](Ty): `S0_uw`, `D_f`, …. Loads
//! and stores ignore the execution mask, so that wrong writes of an instruction are visible.

use kiln_compile::Compiled;
use kiln_emit::platform::Platform;
use kiln_emit::ze_info::ZeInfo;
use kiln_exec::{Arg, Image, Sampler};
use kiln_visa::verify::Severity;
use kiln_visa::{text, verify};
use std::fmt::Write;

use crate::model::Ty;
use crate::{common, run};

/// Sources and destination.
pub const VARS: [&str; 4] = ["S0", "S1", "S2", "D"];
pub const VAR_BYTES: usize = 320;

pub type State = [[u8; VAR_BYTES]; 4];

/// A kernel's text: declarations and instructions between loads and stores.
pub struct Bench {
    pub simd: u8,
    /// Work-items of the only group; fewer than `simd` disable the last channels.
    pub items: u32,
    pub decls: String,
    pub body: String,
}

impl Bench {
    pub fn text(&self) -> String {
        let mut text = String::from(".version 4.1\n.kernel \"bench\"\n");
        for var in VARS {
            let dwords = VAR_BYTES / 4;
            let _ = writeln!(
                text,
                ".decl {var} v_type=G type=ud num_elts={dwords} align=hword"
            );
            for ty in Ty::ALL {
                let (name, count) = (ty.name(), VAR_BYTES / ty.bytes());
                let _ = writeln!(
                    text,
                    ".decl {var}_{name} v_type=G type={name} num_elts={count} align=hword alias=<{var}, 0>"
                );
            }
        }
        text.push_str(
            ".decl LANE v_type=G type=uw num_elts=16 align=hword\n\
             .decl OFFSET v_type=G type=ud num_elts=16 align=hword\n\
             .decl T6 v_type=T num_elts=1 v_name=T006\n",
        );
        text.push_str(&self.decls);
        let _ = writeln!(
            text,
            ".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize={}",
            self.simd
        );
        // Without a named function the reference finalizer takes the kernel for one.
        text.push_str(".function \"bench_0\"\n");
        // Denormals are kept; offsets are four times the channel's number.
        text.push_str(
            "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n\
             mov (M1_NM, 8) LANE(0,0)<1> 0x76543210:uv\n\
             add (M1_NM, 8) LANE(0,8)<1> LANE(0,0)<1;1,0> 0x8:uw\n\
             shl (M1_NM, 16) OFFSET(0,0)<1> LANE(0,0)<1;1,0> 0x2:uw\n",
        );
        self.transfer(&mut text, "gather4_scaled", 0);
        text.push_str(&self.body);
        self.transfer(&mut text, "scatter4_scaled", 1);
        text.push_str("ret (M1, 1)\n");
        text
    }

    fn transfer(&self, text: &mut String, op: &str, surface: u32) {
        let _ = writeln!(text, "movs (M1_NM, 1) T6(0) {surface}:ud");
        for (v, var) in VARS.iter().enumerate() {
            for at in (0..VAR_BYTES).step_by(64) {
                let from = v * VAR_BYTES + at;
                let _ = writeln!(text, "{op}.R (M1_NM, 16) T6 {from}:ud OFFSET.0 {var}.{at}");
            }
        }
    }

    /// Contents of the variables after the instructions.
    pub fn run(&self, target: &'static Platform, before: &State) -> Result<State, String> {
        self.run_in(target, before, 128)
    }

    /// As [`run`](Self::run), with a register limit.
    pub fn run_in(
        &self,
        target: &'static Platform,
        before: &State,
        grf_limit: u32,
    ) -> Result<State, String> {
        self.run_with(target, before, grf_limit, None)
            .map(|(after, _)| after)
    }

    /// As [`run`](Self::run), with an image as entry 2 of the binding table and sampler 0; returns the image's texels
    /// as well.
    pub fn run_with(
        &self,
        target: &'static Platform,
        before: &State,
        grf_limit: u32,
        image: Option<(&Image, Sampler)>,
    ) -> Result<(State, Vec<u8>), String> {
        let compiled = self.compile(target, grf_limit)?;
        let beside = match image {
            Some((image, sampler)) => Beside::Image(image, sampler),
            None => Beside::Nothing,
        };
        self.execute(before, beside, |work| run::run(&compiled, target, work))
    }

    fn compile(&self, target: &'static Platform, grf_limit: u32) -> Result<Compiled, String> {
        let text = self.text();
        let module = text::parse(&text)
            .map_err(|e| format!("{e}: {:?}", text.lines().nth(e.line as usize - 1)))?;
        let findings = verify::check(&module, Some(target.generation));
        let mut errors = findings.iter().filter(|f| f.severity() == Severity::Error);
        if let Some(finding) = errors.next() {
            return Err(format!("not valid vISA: {finding}"));
        }
        common::compile(&module.objects[0], target, grf_limit)
    }

    /// As [`run`](Self::run), with other machine code of the text.
    pub fn run_code(
        &self,
        target: &'static Platform,
        before: &State,
        code: &[u8],
    ) -> Result<State, String> {
        let run = |work: run::Work| run::run_code("bench", code, 0, target, work);
        self.execute(before, Beside::Nothing, run)
            .map(|(after, _)| after)
    }

    /// As [`run`](Self::run), with a buffer as entry 2 of the binding table, whose address is the kernel's first
    /// argument; returns its contents as well. Without `code`, ours is taken.
    pub fn run_memory(
        &self,
        target: &'static Platform,
        before: &State,
        memory: &[u8],
        code: Option<&[u8]>,
    ) -> Result<(State, Vec<u8>), String> {
        let memory = Beside::Memory(memory);
        match code {
            Some(code) => {
                let run = |work: run::Work| run::run_code("bench", code, 0, target, work);
                self.execute(before, memory, run)
            }
            None => {
                let compiled = self.compile(target, 128)?;
                self.execute(before, memory, |work| run::run(&compiled, target, work))
            }
        }
    }

    fn execute(
        &self,
        before: &State,
        beside: Beside,
        run: impl FnOnce(run::Work) -> Result<Vec<Arg>, String>,
    ) -> Result<(State, Vec<u8>), String> {
        let bytes = 4 * VAR_BYTES;
        let mut given = vec![Arg::Buffer(before.concat()), Arg::Buffer(vec![0; bytes])];
        match beside {
            Beside::Nothing => {}
            Beside::Image(image, sampler) => {
                given.extend([Arg::Image(image.clone()), Arg::Sampler(sampler)]);
            }
            Beside::Memory(memory) => given.push(Arg::Buffer(memory.to_vec())),
        }
        let work = run::Work {
            info: &ze_info(self.simd, beside),
            global: [self.items, 1, 1],
            local: [self.items, 1, 1],
            dimensions: 1,
            args: given,
        };
        let args = run(work)?;
        let Some(Arg::Buffer(out)) = args.get(1) else {
            return Err("the buffer is gone".into());
        };
        let texels = match args.get(2) {
            Some(Arg::Image(image)) => image.texels.clone(),
            Some(Arg::Buffer(memory)) => memory.clone(),
            _ => Vec::new(),
        };
        let mut after = [[0; VAR_BYTES]; 4];
        for (var, bytes) in after.iter_mut().zip(out.chunks_exact(VAR_BYTES)) {
            var.copy_from_slice(bytes);
        }
        Ok((after, texels))
    }
}

/// Payload arguments of an image and a sampler.
const IMAGE: &str = "      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 2, addrmode: stateful, addrspace: image, access_type: readwrite, image_type: image_2d}
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 3, addrmode: stateful, addrspace: sampler, access_type: readwrite, sampler_index: 0, sampler_type: texture}
";

/// Payload arguments of a buffer: its surface, and its address.
const MEMORY: &str = "      - {arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 2, addrmode: stateless, addrspace: global, access_type: readwrite}
      - {arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 2, addrmode: stateful, addrspace: global, access_type: readwrite}
";

/// Further objects of a launch.
#[derive(Clone, Copy)]
enum Beside<'a> {
    Nothing,
    Image(&'a Image, Sampler),
    Memory(&'a [u8]),
}

fn ze_info(simd: u8, beside: Beside) -> ZeInfo {
    let entry = "      - {bti_value: 2, arg_index: 2}\n";
    let (arguments, index) = match beside {
        Beside::Nothing => ("", ""),
        Beside::Image(..) => (IMAGE, entry),
        Beside::Memory(_) => (MEMORY, entry),
    };
    let yaml = format!(
        "version: '1.20'
kernels:
  - name: bench
    execution_env:
      grf_count: 128
      simd_size: {simd}
      slm_size: 1024
    payload_arguments:
      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global, access_type: readwrite}}
      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 1, addrmode: stateful, addrspace: global, access_type: readwrite}}
{arguments}    binding_table_indices:
      - {{bti_value: 0, arg_index: 0}}
      - {{bti_value: 1, arg_index: 1}}
{index}"
    );
    ZeInfo::parse(yaml.as_bytes()).expect("the launch description")
}
