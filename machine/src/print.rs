//! Machine IR as text: a line for each instruction, results first.
//!
//! `docs/machine-ir.md` shows the form; `kiln-machine-testing` reads it back. A register is written with
//! its properties (`v4:g64`) at its definition point and by its name alone elsewhere.

use std::fmt::{self, Display, Formatter, Write as _};

use kiln_platform::abi::KERNEL;
use kiln_platform::isa::{Op, PredCtrl, RegFile, Region, SendOptions, SrcMod};

use crate::func::{Block, Class, Edge, Entered, Function, RegData, Term};
use crate::inst::{
    Base, CondMod, Desc, Dst, Imm, Inst, List, Message, Old, Opcode, Pred, Reg, Src, SrcReg, VReg,
};

/// Prefix of register names. `null` is the register without contents ([`Base::Null`]), not that of the file.
pub fn prefix(file: RegFile) -> &'static str {
    match file {
        RegFile::Null => "nil",
        file => file.name(),
    }
}

/// The letter of a class in a definition.
pub const CLASSES: [(Class, &str); 3] = [(Class::Grf, "g"), (Class::Flag, "f"), (Class::Addr, "a")];

fn name_of<T: PartialEq>(table: &[(T, &'static str)], value: &T) -> &'static str {
    let row = table.iter().find(|(other, _)| other == value);
    row.map_or("?", |&(_, name)| name)
}

impl Display for RegData {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, ":{}{}", name_of(&CLASSES, &self.class), self.bytes)?;
        if self.align != 1 {
            write!(f, "@{}", self.align)?;
        }
        if self.uniform {
            f.write_str("!")?;
        }
        Ok(())
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "function {} simd{}", Quoted(&self.name), self.simd)?;
        writeln!(f, " on {}", self.target.name)?;
        for &(v, grf) in &self.inputs {
            match grf {
                Some(grf) => writeln!(f, "input r{grf} {}", self.definition(v))?,
                None => writeln!(f, "input {}", self.definition(v))?,
            }
        }
        for r in &self.reserved {
            writeln!(f, "reserved r{}..r{}", r.start, r.end)?;
        }
        if self.barrier {
            writeln!(f, "barrier")?;
        }
        if self.abi != &KERNEL {
            writeln!(f, "abi {}", self.abi.name)?;
        }
        match self.entered {
            Entered::Dispatched => {}
            Entered::Called => writeln!(f, "called")?,
            Entered::JumpedTo => writeln!(f, "jumped to")?,
            Entered::Subroutine => writeln!(f, "subroutine")?,
        }
        for block in self.blocks.keys() {
            write!(f, "{}", self.show_block(block))?;
        }
        Ok(())
    }
}

/// A block of a function.
struct ShowBlock<'a>(&'a Function, Block);
/// An instruction of a function.
struct ShowInst<'a>(&'a Function, &'a Inst);
/// The terminator of a block.
struct ShowTerm<'a>(&'a Function, Block);
/// A register at its definition point.
struct Definition<'a>(&'a Function, VReg);

impl Function {
    /// A block as text, with its instructions.
    pub fn show_block(&self, block: Block) -> impl Display {
        ShowBlock(self, block)
    }

    /// An instruction as text.
    pub fn show_inst<'a>(&'a self, inst: &'a Inst) -> impl Display + 'a {
        ShowInst(self, inst)
    }

    /// A terminator as text.
    pub fn show_term(&self, block: Block) -> impl Display {
        ShowTerm(self, block)
    }

    /// A register with its properties, as text.
    pub fn definition(&self, v: VReg) -> impl Display {
        Definition(self, v)
    }
}

impl Display for Definition<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}", self.1)?;
        match self.0.regs.get(self.1) {
            Some(data) => write!(f, "{data}"),
            None => Ok(()),
        }
    }
}

impl Display for ShowBlock<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let ShowBlock(func, block) = *self;
        let data = &func.blocks[block];
        write!(f, "{block}")?;
        if !data.params.is_empty() {
            f.write_str("(")?;
            separated(f, ", ", &data.params, |f, &v| {
                write!(f, "{}", func.definition(v))
            })?;
            f.write_str(")")?;
        }
        f.write_str(":\n")?;
        for inst in &data.insts {
            writeln!(f, "  {}", func.show_inst(inst))?;
        }
        writeln!(f, "  {}", func.show_term(block))
    }
}

impl Display for ShowTerm<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let data = &self.0.blocks[self.1];
        let channels = |f: &mut Formatter, pred: &Option<Pred>, size: u8, off: u8| {
            if let Some(pred) = pred {
                write!(f, " ({pred})")?;
            }
            write!(f, " ({size}|M{off})")
        };
        match &data.term {
            Term::Jump => f.write_str("jump")?,
            Term::Branch { pred } => write!(f, "branch ({pred})")?,
            Term::GotoForward {
                pred,
                exec_size,
                chan_off,
                uip,
                free_flag,
            } => {
                f.write_str("goto.forward")?;
                channels(f, pred, *exec_size, *chan_off)?;
                write!(f, " {uip} free {}", ShowReg(self.0, *free_flag))?;
            }
            Term::GotoBackward {
                pred,
                exec_size,
                chan_off,
            } => {
                f.write_str("goto.backward")?;
                channels(f, pred, *exec_size, *chan_off)?;
            }
            Term::Join => f.write_str("join")?,
            Term::End => f.write_str("end")?,
            Term::Return => f.write_str("return")?,
        }
        if !data.succs.is_empty() {
            f.write_str(" -> ")?;
            separated(f, ", ", &data.succs, |f, edge| write!(f, "{edge}"))?;
        }
        origin(f, data.term_origin)
    }
}

impl Display for Edge {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}", self.to)?;
        if !self.args.is_empty() {
            f.write_str("(")?;
            separated(f, ", ", &self.args, |f, v| write!(f, "{v}"))?;
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl Display for ShowInst<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let ShowInst(func, inst) = *self;
        if let Some(dst) = &inst.dst {
            write!(f, "{}", ShowDst(func, dst))?;
        }
        if let Some(cond) = &inst.cond {
            let comma = if inst.dst.is_some() { ", " } else { "" };
            write!(f, "{comma}{}", ShowCond(func, cond))?;
        }
        if inst.dst.is_some() || inst.cond.is_some() {
            f.write_str(" = ")?;
        }
        if let Some(pred) = &inst.pred {
            write!(f, "({pred}) ")?;
        }
        write!(f, "{}", inst.op)?;
        if inst.opts.saturate {
            f.write_str(".sat")?;
        }
        let mask = if inst.opts.no_mask { "W " } else { "" };
        write!(f, " ({mask}{}|M{})", inst.exec_size, inst.chan_off)?;
        for (i, src) in inst.srcs.iter().enumerate() {
            let comma = if i == 0 { " " } else { ", " };
            write!(f, "{comma}{}", ShowSrc(func, inst.op, src))?;
        }
        if let Some(id) = inst.message.expand() {
            write!(f, " {}", func.messages[id])?;
        }
        if let Some(symbol) = inst.symbol.expand() {
            let address = &func.symbols[symbol];
            let high = if address.high { "high " } else { "" };
            write!(f, " symbol {high}{}", Quoted(&address.name))?;
        }
        let options = [
            (inst.opts.align16, "Align16"),
            (inst.opts.acc_wr_en, "AccWrEn"),
            (inst.opts.switch, "Switch"),
        ];
        let options: Vec<&str> = options.iter().filter(|o| o.0).map(|o| o.1).collect();
        if !options.is_empty() {
            write!(f, " {{{}}}", options.join(","))?;
        }
        origin(f, inst.origin)
    }
}

impl Display for Opcode {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let op = match self {
            Opcode::Gen(op) => op,
            Opcode::Undef => return f.write_str("undef"),
            Opcode::Call => return f.write_str("fcall"),
            Opcode::CallAddress => return f.write_str("ifcall"),
            Opcode::Results => return f.write_str("results"),
            Opcode::CallRoutine(n) => return write!(f, "scall.{n}"),
            Opcode::Return => return f.write_str("sreturn"),
        };
        f.write_str(op.mnemonic())?;
        match op {
            Op::Math(function) => write!(f, ".{}", function.name()),
            Op::Sync(function) => write!(f, ".{}", function.name()),
            Op::Bfn(function) => write!(f, ".{function:#x}"),
            Op::Dpas(s) | Op::Dpasw(s) => write!(f, ".{}x{}", s.depth, s.repeat),
            _ => Ok(()),
        }
    }
}

struct ShowDst<'a>(&'a Function, &'a Dst);

impl Display for ShowDst<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let ShowDst(func, dst) = *self;
        match (dst.indirect, dst.reg.base()) {
            (Some(imm), _) => indirect(f, func, dst.reg, imm)?,
            (None, Base::Virt(v)) => {
                write!(f, "{}", func.definition(v))?;
                offset(f, dst.reg)?;
            }
            (None, Base::List(list)) => {
                f.write_str("{")?;
                separated(f, " ", &func.lists[list], |f, &v| {
                    write!(f, "{}", func.definition(v))
                })?;
                f.write_str("}")?;
                offset(f, dst.reg)?;
            }
            (None, _) => write!(f, "{}", ShowReg(func, dst.reg))?,
        }
        mme(f, dst.mme)?;
        write!(f, "<{}>:{}", dst.hstride, dst.ty.name())?;
        match dst.old {
            Old::None => Ok(()),
            Old::Reg(v) => write!(f, " over {v}"),
            Old::List(list) => write!(f, " over {}", ShowList(func, list)),
        }
    }
}

struct ShowCond<'a>(&'a Function, &'a CondMod);

impl Display for ShowCond<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let ShowCond(func, cond) = *self;
        write!(f, "({})", cond.cond.name())?;
        match cond.flag.as_virt() {
            Some(v) => {
                write!(f, "{}", func.definition(v))?;
                offset(f, cond.flag)?;
            }
            None => write!(f, "{}", ShowReg(func, cond.flag))?,
        }
        match cond.old.expand() {
            Some(v) => write!(f, " over {v}"),
            None => Ok(()),
        }
    }
}

struct ShowSrc<'a>(&'a Function, Opcode, &'a Src);

impl Display for ShowSrc<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let ShowSrc(func, op, src) = *self;
        let SrcReg {
            reg,
            region,
            ty,
            modifier: SrcMod { neg, abs },
            indirect: address,
            mme: extended,
        } = match src {
            Src::Imm(imm) => return write!(f, "{imm}"),
            Src::Reg(reg) => *reg,
        };
        if neg {
            f.write_str(negation(op))?;
        }
        if abs {
            f.write_str("(abs)")?;
        }
        match address {
            Some(imm) => indirect(f, func, reg, imm)?,
            None => write!(f, "{}", ShowReg(func, reg))?,
        }
        mme(f, extended)?;
        let Region {
            vstride,
            width,
            hstride,
        } = region;
        f.write_str("<")?;
        if let Some(vstride) = vstride {
            write!(f, "{vstride};")?;
        }
        write!(f, "{width},{hstride}>:{}", ty.name())
    }
}

/// The sign of a negated source, which depends on the operation.
pub fn negation(op: Opcode) -> &'static str {
    match op {
        Opcode::Gen(op) if op.is_bitwise() => "~",
        _ => "-",
    }
}

impl Display for Imm {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{:#x}:{}", self.bits(), self.ty.name())
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(
            f,
            "sfid {} desc {} exdesc {}",
            self.sfid, self.desc, self.ex_desc
        )?;
        if self.send != SendOptions::default() {
            write!(f, " second {}", self.send.src1_len)?;
        }
        f.write_str(if self.send.ex_bso { " exbso" } else { "" })?;
        if self.send.ex_offset != 0 {
            write!(f, " offset {:#x}", self.send.ex_offset)?;
        }
        f.write_str(if self.eot { " eot" } else { "" })
    }
}

impl Display for Desc {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Desc::Imm(bits) => write!(f, "{bits:#x}"),
            Desc::Addr(reg) => write!(f, "{reg}"),
        }
    }
}

impl Display for Pred {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}{}", if self.inverse { "~" } else { "" }, self.flag)?;
        match self.ctrl {
            PredCtrl::Normal => Ok(()),
            PredCtrl::AnyV => f.write_str(".anyv"),
            PredCtrl::AllV => f.write_str(".allv"),
            PredCtrl::Any(n) => write!(f, ".any{n}h"),
            PredCtrl::All(n) => write!(f, ".all{n}h"),
            PredCtrl::AnyChannel => f.write_str(".any"),
            PredCtrl::AllChannels => f.write_str(".all"),
            PredCtrl::Replicate(n) => write!(f, ".replicate{n}"),
        }
    }
}

/// Writes a register that is no list.
impl Display for Reg {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.base() {
            Base::Null => return f.write_str("null"),
            Base::Virt(v) => write!(f, "{v}")?,
            Base::List(list) => write!(f, "{list}")?,
            Base::Phys(file, num) => write!(f, "{}{num}", prefix(file))?,
        }
        offset(f, *self)
    }
}

struct ShowReg<'a>(&'a Function, Reg);

impl Display for ShowReg<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.1.as_list() {
            Some(list) => {
                write!(f, "{}", ShowList(self.0, list))?;
                offset(f, self.1)
            }
            None => write!(f, "{}", self.1),
        }
    }
}

struct ShowList<'a>(&'a Function, List);

impl Display for ShowList<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str("{")?;
        separated(f, " ", &self.0.lists[self.1], |f, &v| {
            if v == VReg::NOTHING {
                f.write_str("-")
            } else {
                write!(f, "{v}")
            }
        })?;
        f.write_str("}")
    }
}

/// A name in quotation marks, with escapes for characters that would end it or the line.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_str("\"")
    }
}

fn indirect(f: &mut Formatter, func: &Function, reg: Reg, imm: i16) -> fmt::Result {
    write!(f, "r[{}, {imm}]", ShowReg(func, reg))
}

fn offset(f: &mut Formatter, reg: Reg) -> fmt::Result {
    match reg.byte() {
        0 => Ok(()),
        byte => write!(f, "+{byte}"),
    }
}

fn mme(f: &mut Formatter, mme: Option<u8>) -> fmt::Result {
    match mme {
        None => Ok(()),
        Some(n) => write!(f, ".mme{n}"),
    }
}

fn origin(f: &mut Formatter, origin: u32) -> fmt::Result {
    match origin {
        u32::MAX => Ok(()),
        n => write!(f, " #{n}"),
    }
}

fn separated<T>(
    f: &mut Formatter,
    separator: &str,
    items: &[T],
    mut write: impl FnMut(&mut Formatter, &T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        write(f, item)?;
    }
    Ok(())
}
