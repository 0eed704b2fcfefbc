//! Drives selection: blocks, operands, predicates, terminators.
//!
//! Every storage location an instruction works on is named by a [`Base`] and a byte offset, whether
//! it is a variable's cells, a temporary or a fixed register. Reading gives the register that holds
//! the old contents; writing makes a new register tied to the contents so far. The last register
//! made for a cell in an instruction becomes the IR value that the instruction defines.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use kiln_emit::inst::{
    Desc, Dst, Inst as Gen, Message, Op, Place, Pred, PredCtrl, Reg, RegFile, Region, Src, SrcMod,
    Target, Type, VReg,
};
use kiln_emit::platform::Platform;
use kiln_frontend::module::{self as visa, Combine, Modifier, Operand, predefined};
use kiln_frontend::opcode::Opcode;
use kiln_ir::func::{Block, Cell, Class, Def, Function, Home, Inst, Term, Value};
use smallvec::{SmallVec, smallvec};

use crate::mir::{GRF_BYTES, MBlock, MFunc, MInst, UNIT_BYTES};

/// Why a kernel cannot be finalized.
#[derive(Debug, thiserror::Error)]
#[error("instruction {inst} ({op}): {what}")]
pub struct SelectError {
    /// Index of the vISA instruction.
    pub inst: usize,
    pub op: &'static str,
    pub what: String,
}

/// The register that keeps a copy of r0 for the whole thread: message headers and the end of
/// thread need it, and the latter only takes r112 and up (PRM, "End of Thread").
pub const HEADER_GRF: u32 = 127;
/// First register that selection and allocation keep for themselves.
pub const RESERVED_GRF: u32 = 126;

/// Where storage begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Consecutive cells from this one.
    Cells(Cell),
    /// A temporary of this function.
    Temp(u32),
    /// The general register file itself.
    Abs,
    /// An architecture register.
    Arch(RegFile, u32),
    Null,
}

/// Addressing through the address register.
#[derive(Clone, Copy, Debug)]
pub struct Through {
    pub addr: VReg,
    /// Byte offset of the first address element used.
    pub sub: u16,
    /// Bytes added to every address.
    pub imm: i16,
}

/// A source operand before it is legal.
#[derive(Clone, Copy, Debug)]
pub enum Opnd {
    Reg(RegOpnd),
    Imm { ty: Type, bits: u64 },
}

#[derive(Clone, Copy, Debug)]
pub struct RegOpnd {
    pub base: Base,
    pub byte: u32,
    pub through: Option<Through>,
    /// Region in elements; `v` is `None` when every row has its own address.
    pub v: Option<u32>,
    pub w: u32,
    pub h: u32,
    pub ty: Type,
    pub modifier: SrcMod,
}

/// A destination operand before it is legal.
#[derive(Clone, Copy, Debug)]
pub struct DstOpnd {
    pub base: Base,
    pub byte: u32,
    pub through: Option<Through>,
    pub h: u32,
    pub ty: Type,
    pub saturate: bool,
}

/// Which channels an operation works on.
#[derive(Clone, Copy, Debug)]
pub struct Ctl {
    pub size: u8,
    pub off: u8,
    pub no_mask: bool,
    pub pred: Option<Pred>,
}

impl Ctl {
    /// One channel, whatever the mask.
    pub const SCALAR: Ctl = Ctl {
        size: 1,
        off: 0,
        no_mask: true,
        pred: None,
    };

    pub fn all(size: u8) -> Ctl {
        Ctl {
            size,
            off: 0,
            no_mask: true,
            pred: None,
        }
    }
}

impl Opnd {
    pub fn ty(&self) -> Type {
        match self {
            Opnd::Reg(r) => r.ty,
            Opnd::Imm { ty, .. } => *ty,
        }
    }

    /// `n` elements side by side from a storage location.
    pub fn packed(base: Base, byte: u32, ty: Type) -> Opnd {
        Opnd::Reg(RegOpnd {
            base,
            byte,
            through: None,
            v: Some(1),
            w: 1,
            h: 0,
            ty,
            modifier: SrcMod::default(),
        })
    }

    /// Elements `step` apart.
    pub fn strided(base: Base, byte: u32, ty: Type, step: u32) -> Opnd {
        Opnd::Reg(RegOpnd {
            base,
            byte,
            through: None,
            v: Some(step),
            w: 1,
            h: 0,
            ty,
            modifier: SrcMod::default(),
        })
    }

    /// One element for all channels.
    pub fn scalar(base: Base, byte: u32, ty: Type) -> Opnd {
        Opnd::strided(base, byte, ty, 0)
    }

    pub fn ud(bits: u32) -> Opnd {
        Opnd::Imm {
            ty: Type::Ud,
            bits: bits.into(),
        }
    }

    pub fn has_modifier(&self) -> bool {
        matches!(self, Opnd::Reg(r) if r.modifier != SrcMod::default())
    }

    pub fn negated(mut self) -> Opnd {
        if let Opnd::Reg(r) = &mut self {
            r.modifier.neg = !r.modifier.neg;
        }
        self
    }
}

impl RegOpnd {
    /// Distance of the elements in elements, if they are evenly spaced over `n` channels.
    pub fn step(&self, n: u32) -> Option<u32> {
        let v = self.v?;
        if n == 1 {
            Some(0)
        } else if self.w >= n || v == self.w * self.h && self.w > 1 {
            Some(self.h)
        } else if self.w == 1 {
            Some(v)
        } else {
            None
        }
    }

    /// Byte offset of channel `i`'s element.
    pub fn at(&self, i: u32) -> u32 {
        let w = self.w.max(1);
        self.byte + (i / w * self.v.unwrap_or(0) + i % w * self.h) * self.ty.bytes()
    }
}

impl DstOpnd {
    pub fn new(base: Base, byte: u32, ty: Type) -> DstOpnd {
        DstOpnd {
            base,
            byte,
            through: None,
            h: 1,
            ty,
            saturate: false,
        }
    }

    pub const fn null(ty: Type) -> DstOpnd {
        DstOpnd {
            base: Base::Null,
            byte: 0,
            through: None,
            h: 1,
            ty,
            saturate: false,
        }
    }
}

struct Temp {
    class: Class,
    units: SmallVec<[Option<VReg>; 2]>,
}

/// A cell the current instruction touches.
struct Touched {
    cell: Cell,
    read: Option<Value>,
    /// Stands for contents that nobody defined: whatever they are, an instruction that reads them
    /// twice reads the same (`cmp.eq V V` finds the active channels).
    undefined: Option<VReg>,
    /// Contents so far, for cells that are written.
    now: Option<VReg>,
    new: Option<Value>,
}

pub struct Select<'f, 'm> {
    pub func: &'f Function<'m>,
    pub platform: &'static Platform,
    pub out: MFunc,
    pub code: Vec<MInst>,
    values: SecondaryMap<Value, PackedOption<VReg>>,
    touched: SmallVec<[Touched; 6]>,
    temps: Vec<Temp>,
    /// Where the fixed area begins in the register file, in bytes.
    fixed_base: u32,
    /// The vISA instruction being selected.
    pub at: Inst,
}

type Result<T = ()> = std::result::Result<T, SelectError>;

/// Selects instructions for one function of the IR.
pub fn select(func: &Function, platform: &'static Platform) -> Result<MFunc> {
    if !platform.compiles {
        return Err(SelectError {
            inst: 0,
            op: "kernel",
            what: format!("finalizing for {} is not supported yet", platform.name),
        });
    }
    let fixed_grfs = func.fixed_bytes.div_ceil(GRF_BYTES).next_multiple_of(2);
    let payload_grfs = func.payload_bytes.div_ceil(GRF_BYTES).next_multiple_of(2);
    if payload_grfs + fixed_grfs + 16 > RESERVED_GRF {
        return Err(SelectError {
            inst: 0,
            op: "kernel",
            what: format!(
                "{payload_grfs} GRFs of inputs and {fixed_grfs} GRFs of variables whose address is taken leave too few registers"
            ),
        });
    }
    let fixed_base = (RESERVED_GRF - fixed_grfs) * GRF_BYTES;
    let mut reserved = Vec::new();
    if fixed_grfs > 0 {
        reserved.push(fixed_base / GRF_BYTES..RESERVED_GRF);
    }
    for home in func.homes.values() {
        if let Home::FixedPayload { offset } = home {
            let unit = offset / UNIT_BYTES * 2;
            reserved.push(unit..unit + 2);
        }
    }
    let mut s = Select {
        func,
        platform,
        out: MFunc {
            name: func.object.name.to_string(),
            platform,
            simd: func.simd,
            vregs: PrimaryMap::new(),
            blocks: Vec::new(),
            entry: Vec::new(),
            reserved,
            barrier: false,
            symbols: Vec::new(),
            visa_instructions: func.object.insts.len() as u32,
        },
        code: Vec::new(),
        values: SecondaryMap::new(),
        touched: SmallVec::new(),
        temps: Vec::new(),
        fixed_base,
        at: Inst::from_u32(0),
    };
    s.blocks()?;
    crate::dce::run(&mut s.out);
    Ok(s.out)
}

/// The machine's type for a type of vISA.
pub fn machine_type(ty: visa::Type) -> Type {
    match ty {
        visa::Type::Ud | visa::Type::Bool => Type::Ud,
        visa::Type::D => Type::D,
        visa::Type::Uw => Type::Uw,
        visa::Type::W => Type::W,
        visa::Type::Ub => Type::Ub,
        visa::Type::B => Type::B,
        visa::Type::Df => Type::Df,
        visa::Type::F => Type::F,
        visa::Type::V => Type::V,
        visa::Type::Vf => Type::Vf,
        visa::Type::Uq => Type::Uq,
        visa::Type::Uv => Type::Uv,
        visa::Type::Q => Type::Q,
        visa::Type::Hf | visa::Type::Bf => Type::Hf,
    }
}

impl Select<'_, '_> {
    /// An error at the current instruction.
    pub fn fail<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(self.error(what))
    }

    pub fn error(&self, what: impl Into<String>) -> SelectError {
        let inst = self.at.index();
        let op = self
            .func
            .object
            .insts
            .get(inst)
            .map_or("end", |i| i.mnemonic());
        SelectError {
            inst,
            op,
            what: what.into(),
        }
    }

    fn blocks(&mut self) -> Result {
        let func = self.func;
        for &(cell, value) in &func.entry {
            let v = self.out.vregs.push(Class::Grf);
            self.values[value] = v.into();
            let kiln_ir::func::Owner::Payload { unit } = func.cells[cell].owner else {
                continue;
            };
            self.out.entry.push((v, unit));
        }
        for b in func.blocks.keys() {
            let mut block = MBlock::default();
            for &(cell, value) in &func.blocks[b].params {
                let v = self.out.vregs.push(func.cells[cell].class);
                self.values[value] = v.into();
                block.params.push(v);
            }
            block.insts = std::mem::take(&mut self.code);
            self.out.blocks.push(block);
        }
        // Definitions come before uses only in the order of the dominator tree; the values of block
        // parameters exist already, all others are made on the way.
        for b in self.order() {
            self.code = std::mem::take(&mut self.out.blocks[b.index()].insts);
            let branch = match func.blocks[b].term {
                Term::Branch { inst, .. } | Term::Goto { inst, .. } => Some(inst),
                _ => None,
            };
            for inst in func.block_insts(b).filter(|i| Some(*i) != branch) {
                self.inst(inst)?;
            }
            self.terminator(b, branch)?;
            self.out.blocks[b.index()].insts = std::mem::take(&mut self.code);
        }
        for b in func.blocks.keys() {
            self.edges(b);
        }
        Ok(())
    }

    /// Blocks in reverse postorder of the linear graph, then those that cannot be reached.
    fn order(&self) -> Vec<Block> {
        let blocks = &self.func.blocks;
        let mut seen = vec![false; blocks.len()];
        let mut post = Vec::with_capacity(blocks.len());
        for start in blocks.keys() {
            // Unreachable ones are walked from themselves, after all others in the reversed list.
            let mut stack = if seen[start.index()] {
                vec![]
            } else {
                vec![(start, 0)]
            };
            seen[start.index()] = true;
            let mut local = Vec::new();
            while let Some((b, next)) = stack.pop() {
                match blocks[b].succs.get(next) {
                    Some(edge) => {
                        stack.push((b, next + 1));
                        if !std::mem::replace(&mut seen[edge.to.index()], true) {
                            stack.push((edge.to, 0));
                        }
                    }
                    None => local.push(b),
                }
            }
            local.reverse();
            post.extend(local);
        }
        post
    }

    fn edges(&mut self, b: Block) {
        for edge in &self.func.blocks[b].succs {
            let mut args = SmallVec::new();
            for (i, &value) in edge.args.iter().enumerate() {
                let v = match self.values[value].expand() {
                    Some(v) if !value.is_undef() => v,
                    _ => {
                        let class = self.func.cells[self.func.blocks[edge.to].params[i].0].class;
                        let v = self.out.vregs.push(class);
                        let insts = &mut self.out.blocks[b.index()].insts;
                        let at = insts.len() - 1;
                        insts.insert(at, MInst::undef(v));
                        v
                    }
                };
                args.push(v);
            }
            self.out.blocks[b.index()]
                .succs
                .push((edge.to.as_u32(), args));
        }
    }

    fn inst(&mut self, inst: Inst) -> Result {
        self.begin(inst);
        let visa = self.func.visa(inst);
        match visa.op {
            Opcode::Label | Opcode::Subroutine | Opcode::Loc | Opcode::File | Opcode::Lifetime => {}
            _ => self.select_inst(visa)?,
        }
        self.end();
        Ok(())
    }

    /// Sets up the cells that `inst` reads and writes.
    fn begin(&mut self, inst: Inst) {
        self.at = inst;
        self.touched.clear();
        self.temps.clear();
        for r in self.func.reads(inst) {
            self.touched.push(Touched {
                cell: r.cell,
                read: Some(r.value),
                undefined: None,
                now: None,
                new: None,
            });
        }
        for w in self.func.writes(inst) {
            let now = w.old.expand().and_then(|old| self.values[old].expand());
            match self.touched.iter_mut().find(|t| t.cell == w.cell) {
                Some(t) => {
                    t.now = now;
                    t.new = Some(w.new);
                }
                None => {
                    let new = Some(w.new);
                    self.touched.push(Touched {
                        cell: w.cell,
                        read: None,
                        undefined: None,
                        now,
                        new,
                    });
                }
            }
        }
    }

    /// Binds the values that the instruction defines to the last registers made for them.
    fn end(&mut self) {
        for i in 0..self.touched.len() {
            let Some(new) = self.touched[i].new else {
                continue;
            };
            let v = match self.touched[i].now {
                Some(v) => v,
                None => self.undef(self.func.cells[self.touched[i].cell].class),
            };
            self.values[new] = v.into();
        }
        self.touched.clear();
    }

    fn undef(&mut self, class: Class) -> VReg {
        let v = self.out.vregs.push(class);
        self.code.push(MInst::undef(v));
        v
    }

    pub fn push(&mut self, inst: Gen) {
        self.code.push(MInst::new(inst));
    }

    /// A temporary of so many bytes.
    pub fn temp(&mut self, bytes: u32) -> Base {
        let units = bytes.div_ceil(UNIT_BYTES).max(1) as usize;
        self.temps.push(Temp {
            class: Class::Grf,
            units: smallvec![None; units],
        });
        Base::Temp(self.temps.len() as u32 - 1)
    }

    /// A temporary flag register.
    pub fn temp_flag(&mut self) -> Base {
        self.temp_of(Class::Flag)
    }

    /// A temporary of one register of that class.
    pub fn temp_of(&mut self, class: Class) -> Base {
        self.temps.push(Temp {
            class,
            units: smallvec![None],
        });
        Base::Temp(self.temps.len() as u32 - 1)
    }

    /// The register that now holds `byte` of `base`.
    pub fn read(&mut self, base: Base, byte: u32) -> Reg {
        match base {
            Base::Null => Reg::NULL,
            Base::Arch(file, num) => Reg::new(file, num, byte as u16),
            Base::Abs => Reg::new(RegFile::Grf, byte / GRF_BYTES, (byte % GRF_BYTES) as u16),
            Base::Temp(t) => {
                let unit = (byte / UNIT_BYTES) as usize;
                let v = match self.temps[t as usize].units[unit] {
                    Some(v) => v,
                    None => {
                        let v = self.undef(self.temps[t as usize].class);
                        self.temps[t as usize].units[unit] = Some(v);
                        v
                    }
                };
                Reg::virt(v, (byte % UNIT_BYTES) as u16)
            }
            Base::Cells(first) => {
                let cell = Cell::from_u32(first.as_u32() + byte / UNIT_BYTES);
                let value = self
                    .touched
                    .iter()
                    .find(|t| t.cell == cell)
                    .and_then(|t| t.read);
                let v = match value.and_then(|v| self.values[v].expand()) {
                    Some(v) => v,
                    None => self.undefined(cell),
                };
                Reg::virt(v, (byte % UNIT_BYTES) as u16)
            }
        }
    }

    fn undefined(&mut self, cell: Cell) -> VReg {
        let at = self.touched.iter().position(|t| t.cell == cell);
        if let Some(v) = at.and_then(|i| self.touched[i].undefined) {
            return v;
        }
        // A message may reach past the storage of what it reads.
        let v = self.undef(self.func.cells.get(cell).map_or(Class::Grf, |c| c.class));
        if let Some(i) = at {
            self.touched[i].undefined = Some(v);
        }
        v
    }

    /// The register with what `byte` of `base` holds so far in this instruction; `None` where that
    /// is nothing anybody wants.
    pub fn contents(&mut self, base: Base, byte: u32) -> Option<Reg> {
        let now = match base {
            Base::Null => return None,
            Base::Arch(..) | Base::Abs => return Some(self.read(base, byte)),
            Base::Temp(t) => self.temps[t as usize].units[(byte / UNIT_BYTES) as usize],
            Base::Cells(first) => {
                let cell = Cell::from_u32(first.as_u32() + byte / UNIT_BYTES);
                self.touched
                    .iter()
                    .find(|t| t.cell == cell)
                    .and_then(|t| t.now)
            }
        };
        now.map(|v| Reg::virt(v, (byte % UNIT_BYTES) as u16))
    }

    /// Whether the storage is not of the general registers.
    pub fn is_architecture(&self, base: Base) -> bool {
        match base {
            Base::Arch(..) => true,
            Base::Null | Base::Abs => false,
            Base::Temp(t) => self.temps[t as usize].class != Class::Grf,
            Base::Cells(first) => self
                .func
                .cells
                .get(first)
                .is_some_and(|c| c.class != Class::Grf),
        }
    }

    /// A new register for the unit at `byte` of `base`, and the contents it is written over.
    pub fn write(&mut self, base: Base, byte: u32) -> (Reg, Option<VReg>) {
        let (class, slot): (Class, &mut Option<VReg>) = match base {
            Base::Null | Base::Arch(..) | Base::Abs => return (self.read(base, byte), None),
            Base::Temp(t) => {
                let temp = &mut self.temps[t as usize];
                (temp.class, &mut temp.units[(byte / UNIT_BYTES) as usize])
            }
            Base::Cells(first) => {
                let cell = Cell::from_u32(first.as_u32() + byte / UNIT_BYTES);
                let class = self.func.cells.get(cell).map_or(Class::Grf, |c| c.class);
                match self.touched.iter().position(|t| t.cell == cell) {
                    Some(i) => (class, &mut self.touched[i].now),
                    None => {
                        // The IR saw no write there: the bytes are outside of every access.
                        let v = self.out.vregs.push(class);
                        return (Reg::virt(v, (byte % UNIT_BYTES) as u16), None);
                    }
                }
            }
        };
        let v = self.out.vregs.push(class);
        let old = slot.replace(v);
        (Reg::virt(v, (byte % UNIT_BYTES) as u16), old)
    }

    /// Where a general variable's byte is kept.
    pub fn storage(&self, var: visa::Var, offset: u32) -> Result<(Base, u32)> {
        let (root, at) = self.func.object.root(var);
        let byte = at + offset;
        Ok(match self.func.homes[root] {
            Home::Cells { first, offset } => (Base::Cells(first), offset + byte),
            Home::Fixed { offset } => (Base::Abs, self.fixed_base + offset + byte),
            Home::FixedPayload { offset } => (Base::Abs, offset + byte),
            Home::Special => {
                let header = HEADER_GRF * GRF_BYTES;
                match root.as_u32() {
                    predefined::NULL => (Base::Null, 0),
                    predefined::R0 => (Base::Abs, header + byte),
                    predefined::GROUP_ID_X => (Base::Abs, header + 4 + byte),
                    predefined::GROUP_ID_Y => (Base::Abs, header + 24 + byte),
                    predefined::GROUP_ID_Z => (Base::Abs, header + 28 + byte),
                    predefined::TSC => (Base::Arch(RegFile::Timestamp, 0), byte),
                    predefined::SR0 => (Base::Arch(RegFile::State, 0), byte),
                    predefined::CR0 => (Base::Arch(RegFile::Control, 0), byte),
                    predefined::CE0 => (Base::Arch(RegFile::ChannelEnable, 0), byte),
                    predefined::DBG0 => (Base::Arch(RegFile::Debug, 0), byte),
                    _ => {
                        return self.fail(format!(
                            "{} is not supported yet",
                            self.func.object.vars[root].name
                        ));
                    }
                }
            }
        })
    }

    /// The address in the register file of a variable whose address is taken.
    pub fn address_of(&self, var: visa::Var, offset: u32) -> Result<u32> {
        match self.storage(var, offset)? {
            (Base::Abs, byte) => Ok(byte),
            _ => self.fail("address of a variable that is not in memory"),
        }
    }

    fn addr_vreg(&mut self, addr: visa::Addr) -> VReg {
        let cell = self.func.addr_cells[addr].expand();
        let value = self
            .touched
            .iter()
            .find(|t| Some(t.cell) == cell)
            .and_then(|t| t.read);
        match value.and_then(|v| self.values[v].expand()) {
            Some(v) => v,
            None => self.undef(Class::Addr),
        }
    }

    /// A vISA source operand.
    pub fn src(&mut self, operand: &Operand) -> Result<Opnd> {
        let modifier = |m: Modifier| match m {
            Modifier::None | Modifier::Sat => SrcMod::default(),
            Modifier::Abs => SrcMod {
                neg: false,
                abs: true,
            },
            Modifier::Neg | Modifier::Not => SrcMod {
                neg: true,
                abs: false,
            },
            Modifier::NegAbs => SrcMod {
                neg: true,
                abs: true,
            },
        };
        match *operand {
            Operand::Imm { ty, bits } => Ok(Opnd::Imm {
                ty: machine_type(ty),
                bits,
            }),
            Operand::General {
                var,
                row,
                col,
                region,
                modifier: m,
            } => {
                let ty = machine_type(self.func.object.vars[var].ty);
                let offset = u32::from(row) * 32 + u32::from(col) * ty.bytes();
                if self.func.object.root(var).0.as_u32() == predefined::HW_ID {
                    return self.hardware_id();
                }
                let (base, byte) = self.storage(var, offset)?;
                if base == Base::Null {
                    return self.fail("%null as a source");
                }
                Ok(Opnd::Reg(RegOpnd {
                    base,
                    byte,
                    through: None,
                    v: Some(region.v.unwrap_or(0).into()),
                    w: u32::from(region.w).max(1),
                    h: region.h.into(),
                    ty,
                    modifier: modifier(m),
                }))
            }
            Operand::Indirect {
                addr,
                off,
                imm,
                ty,
                region,
                modifier: m,
            } => {
                let through = Through {
                    addr: self.addr_vreg(addr),
                    sub: u16::from(off) * 2,
                    imm,
                };
                Ok(Opnd::Reg(RegOpnd {
                    base: Base::Null,
                    byte: 0,
                    through: Some(through),
                    v: region.v.map(u32::from),
                    w: u32::from(region.w).max(1),
                    h: region.h.into(),
                    ty: machine_type(ty),
                    modifier: modifier(m),
                }))
            }
            Operand::Predicate(p) => {
                let elements = self.func.object.predicates[p.pred].elements;
                let ty = if elements > 16 { Type::Ud } else { Type::Uw };
                let cell = self.func.pred_cells[p.pred].expand();
                let base = cell.map_or(Base::Null, Base::Cells);
                let mut opnd = Opnd::scalar(base, 0, ty);
                if let (true, Opnd::Reg(r)) = (p.inverse, &mut opnd) {
                    r.modifier.neg = true;
                }
                Ok(opnd)
            }
            Operand::Address { addr, off, .. } => {
                let cell = self.func.addr_cells[addr].expand();
                let base = cell.map_or(Base::Null, Base::Cells);
                Ok(Opnd::packed(base, u32::from(off) * 2, Type::Uw))
            }
            _ => self.fail("an operand that cannot be a source"),
        }
    }

    /// The thread's number among those that run at once: the low bits of r0.5 (PRM, "Thread payload",
    /// FFTID; nine bits on Gen9).
    fn hardware_id(&mut self) -> Result<Opnd> {
        const FFTID: u32 = 0x1ff;
        let tmp = self.temp(4);
        let header = Opnd::scalar(Base::Abs, HEADER_GRF * GRF_BYTES + 20, Type::Ud);
        self.alu(
            Op::And,
            Ctl::SCALAR,
            DstOpnd::new(tmp, 0, Type::Ud),
            &[header, Opnd::ud(FFTID)],
            None,
        )?;
        Ok(Opnd::scalar(tmp, 0, Type::Ud))
    }

    /// A vISA destination operand.
    pub fn dst(&mut self, operand: &Operand) -> Result<DstOpnd> {
        match *operand {
            Operand::General {
                var,
                row,
                col,
                region,
                modifier,
            } => {
                let ty = machine_type(self.func.object.vars[var].ty);
                if var.as_u32() == predefined::R0
                    || self.func.object.root(var).0.as_u32() == predefined::R0
                {
                    return self.fail("r0 is read-only");
                }
                let offset = u32::from(row) * 32 + u32::from(col) * ty.bytes();
                let (base, byte) = self.storage(var, offset)?;
                let saturate = modifier == Modifier::Sat;
                Ok(DstOpnd {
                    base,
                    byte,
                    through: None,
                    h: u32::from(region.h).max(1),
                    ty,
                    saturate,
                })
            }
            Operand::Indirect {
                addr,
                off,
                imm,
                ty,
                region,
                modifier,
            } => {
                let through = Through {
                    addr: self.addr_vreg(addr),
                    sub: u16::from(off) * 2,
                    imm,
                };
                Ok(DstOpnd {
                    base: Base::Null,
                    byte: 0,
                    through: Some(through),
                    h: u32::from(region.h).max(1),
                    ty: machine_type(ty),
                    saturate: modifier == Modifier::Sat,
                })
            }
            Operand::Address { addr, off, .. } => {
                let cell = self.func.addr_cells[addr].expand();
                let base = cell.map_or(Base::Null, Base::Cells);
                Ok(DstOpnd::new(base, u32::from(off) * 2, Type::Uw))
            }
            _ => self.fail("an operand that cannot be a destination"),
        }
    }

    /// The channels and the predicate of a vISA instruction.
    pub fn ctl(&mut self, visa: &visa::Inst) -> Ctl {
        let exec = visa.exec;
        let pred = visa.pred.map(|p| self.pred(p, exec.size));
        Ctl {
            size: exec.size,
            off: exec.offset,
            no_mask: exec.no_mask,
            pred,
        }
    }

    pub fn pred(&mut self, p: visa::PredUse, size: u8) -> Pred {
        let cell = self.func.pred_cells[p.pred].expand();
        let flag = self.read(cell.map_or(Base::Null, Base::Cells), 0);
        let elements = self.func.object.predicates[p.pred].elements.min(32) as u8;
        let group = size.max(elements);
        let ctrl = match p.combine {
            Combine::None => PredCtrl::Normal,
            Combine::Any => PredCtrl::Any(group),
            Combine::All => PredCtrl::All(group),
        };
        Pred {
            flag,
            inverse: p.inverse,
            ctrl,
        }
    }

    /// A surface's index in the binding table, if it is the same wherever the instruction runs.
    pub fn constant_surface(&self, surface: visa::Surface) -> Option<u32> {
        match surface.as_u32() {
            predefined::SURFACE_SLM => return Some(BTI_SLM),
            4 => return Some(BTI_NON_COHERENT),
            predefined::SURFACE_STATELESS => return Some(BTI_STATELESS),
            _ => {}
        }
        let cell = self.func.surface_cells[surface].expand()?;
        let value = self.touched.iter().find(|t| t.cell == cell)?.read?;
        match self.func.values[value].def {
            Def::Inst(i) => match self.func.visa(i) {
                visa::Inst {
                    op: Opcode::Movs,
                    exec: visa::Exec { size: 1, .. },
                    operands,
                    ..
                } => match operands[..] {
                    [_, Operand::Imm { bits, .. }] => Some(bits as u32 & 0xff),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Storage of a surface variable's first element.
    pub fn surface_storage(&self, surface: visa::Surface) -> Option<Base> {
        self.func.surface_cells[surface].expand().map(Base::Cells)
    }

    fn terminator(&mut self, b: Block, branch: Option<Inst>) -> Result {
        if let Some(inst) = branch {
            self.begin(inst);
        }
        let target = |b: Block| Some(Target::Block(b.as_u32()));
        match self.func.blocks[b].term {
            Term::Jump(_) => self.code.push(MInst::jump()),
            Term::Branch { inst, taken, .. } => {
                let visa = self.func.visa(inst);
                let mut jump = Gen::new(Op::Jmpi, 1);
                jump.no_mask = true;
                jump.pred = visa.pred.map(|p| self.pred(p, 1));
                jump.jip = target(taken);
                self.push(jump);
            }
            Term::Goto {
                inst,
                uip,
                jip,
                backward,
                ..
            } => {
                let visa = self.func.visa(inst);
                let mut goto = Gen::new(
                    Op::Goto,
                    if visa.exec.size == 1 {
                        self.func.simd
                    } else {
                        visa.exec.size
                    },
                );
                goto.chan_off = if visa.exec.size == 1 {
                    0
                } else {
                    visa.exec.offset
                };
                // Of a forward goto of Gen9 the channels whose predicate is false are those that go;
                // of a backward one those whose predicate is true (PRM, "goto", BranchCtrl).
                goto.pred = match visa.pred {
                    Some(p) => {
                        let p = self.pred(p, goto.exec_size);
                        Some(Pred {
                            inverse: p.inverse == backward,
                            ..p
                        })
                    }
                    None if backward => None,
                    None => {
                        let flag = self.temp_flag();
                        let (reg, _) = self.write(flag, 0);
                        let mut zero = Gen::new(Op::Mov, 1);
                        zero.no_mask = true;
                        zero.dst = Some(Dst::new(reg, 1, Type::Ud));
                        zero.srcs.push(Src::imm(Type::Ud, 0));
                        self.push(zero);
                        Some(Pred {
                            flag: reg,
                            inverse: false,
                            ctrl: PredCtrl::Normal,
                        })
                    }
                };
                goto.jip = target(jip);
                goto.uip = target(uip);
                goto.opts.branch_ctrl = backward;
                self.push(goto);
            }
            Term::Join { jip, next } => {
                let mut join = Gen::new(Op::Join, self.func.simd);
                // Without a join ahead the channels go on at the next instruction in any case.
                join.jip = target(jip.unwrap_or(next));
                self.push(join);
            }
            Term::Ret => {
                let mut end = Gen::new(Op::Send, 8);
                end.no_mask = true;
                end.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
                end.srcs
                    .push(Src::reg(Reg::grf(HEADER_GRF), Region::packed(8), Type::Ud));
                end.msg = Some(Message {
                    sfid: 7,
                    eot: true,
                    desc: Desc::Imm(0x0200_0010),
                    ex_desc: Desc::Imm(0x27),
                });
                self.push(end);
            }
        }
        if branch.is_some() {
            self.end();
        }
        Ok(())
    }
}

/// Binding table index of local memory.
pub const BTI_SLM: u32 = 254;
/// Stateless, coherent with the host.
pub const BTI_STATELESS: u32 = 255;
/// Stateless, not coherent.
pub const BTI_NON_COHERENT: u32 = 253;

/// The place of an operand that goes through the address register.
pub fn indirect(t: Through, imm_add: i32) -> Place {
    Place::Indirect {
        addr: Reg::virt(t.addr, t.sub),
        imm: (i32::from(t.imm) + imm_add) as i16,
    }
}
