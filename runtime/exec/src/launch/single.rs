//! Instructions outside a launch, one or a few at a time on one thread, for tests and experiments.

use kiln_emit::inst::{Inst, Reg};
use kiln_emit::platform::Platform;

use super::engine::Engine;
use super::program::Program;
use super::stats::Stats;
use crate::code::counts::Counts;
use crate::code::operation::Path;
use crate::interpret::step::steps;
use crate::state::barrier::Barriers;
use crate::state::cause::Cause;
use crate::state::image::{Image, Sampler};
use crate::state::memory::{HEAP, Memory, Shared, Surface, Tables};
use crate::state::thread::{File, Status, Thread, file_of};
use crate::state::words::Words;

/// A thread's registers, on which instructions are executed one by one.
///
/// ```
/// use kiln_emit::inst::{Dst, Inst, Op, Reg, Region, Src, Type};
/// use kiln_emit::platform::SKL;
/// use kiln_exec::Registers;
///
/// let mut registers = Registers::new(0xff, &SKL);
/// registers.set(Reg::grf(10), &40u32.to_le_bytes())?;
/// let mut add = Inst::new(Op::Add, 8);
/// add.dst = Some(Dst::new(Reg::grf(12), 1, Type::Ud));
/// add.srcs.push(Src::reg(Reg::grf(10), Region::SCALAR, Type::Ud));
/// add.srcs.push(Src::imm(Type::Ud, 2));
/// registers.execute(&add)?;
/// let mut sums = [0; 32];
/// registers.get(Reg::grf(12), &mut sums)?;
/// assert_eq!(sums[28..], [42, 0, 0, 0]);
/// # Ok::<(), kiln_exec::Cause>(())
/// ```
pub struct Registers {
    thread: Thread,
    engine: Engine,
}

impl Registers {
    /// Registers of a platform's thread with active channels.
    pub fn new(active: u32, platform: &'static Platform) -> Registers {
        Registers {
            thread: Thread::new(0, active, platform),
            engine: Engine::Interpret,
        }
    }

    /// Chooses the engine that runs code on these registers. Single instructions are always interpreted.
    pub fn on(self, engine: Engine) -> Registers {
        Registers { engine, ..self }
    }

    /// Copies bytes out of a register file, from a register on.
    ///
    /// # Errors
    /// The file has no bytes, or too few.
    pub fn get(&self, from: Reg, out: &mut [u8]) -> Result<(), Cause> {
        let (file, at) = file_of(from, self.thread.platform)?;
        let file = self.thread.file(file);
        let size = file.len();
        let bytes = file.get(at..at + out.len());
        out.copy_from_slice(bytes.ok_or(Cause::RegisterRange { at, size })?);
        Ok(())
    }

    /// Copies bytes into a register file, from a register on.
    ///
    /// # Errors
    /// As [`Registers::get`].
    pub fn set(&mut self, to: Reg, bytes: &[u8]) -> Result<(), Cause> {
        let (file, at) = file_of(to, self.thread.platform)?;
        let all = self.thread.file_mut(file);
        let size = all.len();
        let room = all.get_mut(at..at + bytes.len());
        room.ok_or(Cause::RegisterRange { at, size })?
            .copy_from_slice(bytes);
        if file == File::Control {
            self.thread.change_mode()?;
        }
        Ok(())
    }

    /// Executes an instruction that neither branches, sends nor waits.
    ///
    /// # Errors
    /// The instruction is invalid or not implemented.
    pub fn execute(&mut self, inst: &Inst) -> Result<(), Cause> {
        let program = Program::from_insts(vec![inst.clone()], self.thread.platform);
        let op = &program.ops()[0];
        match op.path {
            Path::Branch | Path::Send(_) | Path::Wait | Path::Barrier => Err(Cause::Op(op.op)),
            _ => self.thread.execute(op),
        }
    }

    /// Executes code on the registers until its end, or the thread's.
    ///
    /// # Errors
    /// An instruction is invalid or not implemented, or there are more than `limit`.
    pub fn run(&mut self, code: Vec<Inst>, world: &mut World, limit: u64) -> Result<Stats, Cause> {
        let end = code.len() as u32;
        let program = Program::from_insts(code, self.thread.platform);
        let mut counts = Counts::new(&program);
        let mut memory = Memory::default();
        let surface = memory.add("surface", &world.surface);
        let scratch = memory.add("scratch", &world.scratch);
        let mut surfaces = vec![Some(Surface::of(surface, None))];
        let image = world.image.as_ref();
        let image = image.map(|image| (memory.add("image", &image.texels), image.shape));
        surfaces.extend(image.map(|(buffer, shape)| Some(Surface::of(buffer, Some(shape)))));
        // Bindless messages find the same surfaces.
        let bound = surfaces.clone();
        surfaces.resize_with(HEAP as usize, || None);
        surfaces.extend(bound);
        let samplers = world.samplers.iter().copied().map(Some).collect();
        let bindings = Tables { surfaces, samplers };
        let slm = Words::new(&world.local);
        let mut shared = Shared {
            memory: &memory,
            bindings: &bindings,
            slm: &slm,
            general_state: memory.address(scratch),
            scratch: memory.address(scratch),
            barriers: Barriers::default(),
            read: 0,
            written: 0,
        };
        let thread = &mut self.thread;
        thread.scratch_bytes = world.scratch.len() as u32;
        thread.ip = 0;
        thread.status = Status::Running;
        if self.engine != Engine::Interpret {
            let mut engine = self.engine.start(&program);
            engine.start_group(&shared);
            let result = engine.turn(thread, &program, &mut shared, limit, &mut counts);
            // The end of the code is an operation that fails.
            if let Err(cause) = result
                && thread.ip != end
            {
                return Err(cause);
            }
            if thread.status == Status::Running && thread.ip != end {
                return Err(Cause::Budget(limit));
            }
            engine.end_group(&shared, &counts)?;
            engine.end(&mut counts);
        }
        let mut executed = 0;
        while thread.ip != end && thread.status == Status::Running {
            if executed == limit {
                return Err(Cause::Budget(limit));
            }
            executed += 1;
            steps(thread, &program, &mut shared, 1, &mut counts)?;
            if thread.status == Status::Paired {
                return Err(Cause::Unpaired);
            }
        }
        // Channels may wait for the end of the code.
        thread.wake_channels();
        (counts.read, counts.written) = (shared.read, shared.written);
        world.surface = memory.contents(surface);
        world.scratch = memory.contents(scratch);
        world.local = slm.to_bytes();
        if let (Some(to), Some((buffer, _))) = (&mut world.image, image) {
            to.texels = memory.contents(buffer);
        }
        Ok(Stats::new(&counts, &program, 1, 1))
    }
}

/// Memory that messages of code outside a launch access.
///
/// ```
/// use kiln_emit::inst::{Desc, Dst, Inst, Message, Op, Reg, Region, Src, Type};
/// use kiln_emit::platform::SKL;
/// use kiln_exec::{Registers, World};
///
/// // Channels 0 and 2 read a dword each at offsets 8 and 0 of the surface.
/// let mut registers = Registers::new(0b101, &SKL);
/// registers.set(Reg::grf(10), &[8, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0])?;
/// let mut read = Inst::new(Op::Send, 8);
/// read.dst = Some(Dst::new(Reg::grf(20), 1, Type::Ud));
/// read.srcs.push(Src::reg(Reg::grf(10), Region::packed(8), Type::Ud));
/// read.msg = Some(Message {
///     sfid: 12,
///     eot: false,
///     desc: Desc::Imm(0x0210_6e00),
///     ex_desc: Desc::Imm(12),
/// });
/// let mut world = World { surface: (0..16).collect(), ..World::default() };
/// registers.run(vec![read], &mut world, 10)?;
/// let mut dwords = [0; 12];
/// registers.get(Reg::grf(20), &mut dwords)?;
/// assert_eq!((&dwords[..4], &dwords[8..]), (&[8, 9, 10, 11][..], &[0, 1, 2, 3][..]));
/// # Ok::<(), kiln_exec::Cause>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// The buffer of index 0 of the binding table, and of the heap of bindless surfaces.
    pub surface: Vec<u8>,
    /// The image of index 1.
    pub image: Option<Image>,
    /// Samplers by index.
    pub samplers: Vec<Sampler>,
    /// Shared local memory.
    pub local: Vec<u8>,
    /// The thread's scratch space, where 32-bit stateless offsets start, too.
    pub scratch: Vec<u8>,
}

impl World {
    /// The virtual address of the surface's first byte.
    pub fn address() -> u64 {
        let mut memory = Memory::default();
        let surface = memory.add("surface", &[]);
        memory.address(surface)
    }
}
