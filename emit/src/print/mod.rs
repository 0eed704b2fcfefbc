//! An instruction as text, in the reference disassembler's syntax.
//!
//! [`Inst`] displays itself this way in dumps, virtual registers as `v12` with a sub-register in
//! elements of the operand's type; the [listing](crate::listing) adds where branches go. Columns
//! are as the reference has them, so that listings diff. What that syntax cannot say of an Align16
//! instruction (its channel masks and swizzles) is written as assemblers of that mode write it.

mod bfn;
mod columns;
mod float;

use crate::encoding::spec::{SendSyntax, Spec};
use crate::encoding::to_align1;
use crate::inst::{
    Cond, Desc, Dst, Inst, MathFn, Op, Options, Pipe, Place, Pred, PredCtrl, Reg, RegFile, Region,
    SWIZZLE_XYZW, SendOptions, Src, SrcReg, Swsb, SyncFn, Target, TokenUse, Type,
};
use columns::{Line, width};
use std::borrow::Cow;
use std::fmt;

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(120);
        write_inst(self, None, None, &mut text);
        f.write_str(text.trim_end())
    }
}

/// Appends the instruction. With `pc`, its own place in bytes, branch targets are labels, else
/// distances. `spec` says how the platform's sends are written; without, as before Gen12.
pub(crate) fn write_inst(inst: &Inst, pc: Option<u32>, spec: Option<&Spec>, out: &mut String) {
    let view = if inst.opts.align16 && !inst.op.is_macro() && inst.srcs.len() == 3 {
        to_align1(inst)
    } else {
        None
    };
    let layout = match (inst.srcs.len(), inst.opts.align16) {
        (3, true) => Layout::Align16Ternary,
        (3, false) => Layout::Ternary,
        _ => Layout::Basic,
    };
    let inst = view.as_ref().unwrap_or(inst);
    // The only branch whose target is a place in the code rather than a distance.
    let pc = if inst.op == Op::Calla {
        pc.map(|_| 0)
    } else {
        pc
    };
    Printer {
        inst,
        pc,
        spec,
        layout,
        line: Line::new(out),
    }
    .run();
}

/// The label of the code at `pc`.
pub(crate) fn write_label(pc: i64, out: &mut String) {
    out.push_str(if pc < 0 { "L_N" } else { "L" });
    out.push_str(&pc.unsigned_abs().to_string());
}

impl Op {
    /// The name in listings, without a `math` function.
    pub fn mnemonic(self) -> &'static str {
        match self {
            Op::Illegal => "illegal",
            Op::Nop => "nop",
            Op::Mov => "mov",
            Op::Sel => "sel",
            Op::Movi => "movi",
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Shr => "shr",
            Op::Shl => "shl",
            Op::Asr => "asr",
            Op::Smov => "smov",
            Op::Cmp => "cmp",
            Op::Cmpn => "cmpn",
            Op::Csel => "csel",
            Op::Bfrev => "bfrev",
            Op::Bfe => "bfe",
            Op::Bfi1 => "bfi1",
            Op::Bfi2 => "bfi2",
            Op::Jmpi => "jmpi",
            Op::Brd => "brd",
            Op::If => "if",
            Op::Brc => "brc",
            Op::Else => "else",
            Op::Endif => "endif",
            Op::While => "while",
            Op::Break => "break",
            Op::Cont => "cont",
            Op::Halt => "halt",
            Op::Calla => "calla",
            Op::Call => "call",
            Op::Ret => "ret",
            Op::Goto => "goto",
            Op::Join => "join",
            Op::Wait => "wait",
            Op::Send => "send",
            Op::Sendc => "sendc",
            Op::Sends => "sends",
            Op::Sendsc => "sendsc",
            Op::Math(_) => "math",
            Op::Add => "add",
            Op::Mul => "mul",
            Op::Avg => "avg",
            Op::Frc => "frc",
            Op::Rndu => "rndu",
            Op::Rndd => "rndd",
            Op::Rnde => "rnde",
            Op::Rndz => "rndz",
            Op::Mac => "mac",
            Op::Mach => "mach",
            Op::Lzd => "lzd",
            Op::Fbh => "fbh",
            Op::Fbl => "fbl",
            Op::Cbit => "cbit",
            Op::Addc => "addc",
            Op::Subb => "subb",
            Op::Sad2 => "sad2",
            Op::Sada2 => "sada2",
            Op::Dp4 => "dp4",
            Op::Dph => "dph",
            Op::Dp3 => "dp3",
            Op::Dp2 => "dp2",
            Op::Line => "line",
            Op::Pln => "pln",
            Op::Mad => "mad",
            Op::Lrp => "lrp",
            Op::Madm => "madm",
            Op::Rol => "rol",
            Op::Ror => "ror",
            Op::Add3 => "add3",
            Op::Bfn(_) => "bfn",
            Op::Dp4a => "dp4a",
            Op::Macl => "macl",
            Op::Srnd => "srnd",
            Op::Dpas(_) => "dpas",
            Op::Dpasw(_) => "dpasw",
            Op::Sync(_) => "sync",
        }
    }

    /// Control flow.
    pub fn is_branch(self) -> bool {
        self.branches_by_register()
            || matches!(
                self,
                Op::If
                    | Op::Else
                    | Op::Endif
                    | Op::While
                    | Op::Break
                    | Op::Cont
                    | Op::Halt
                    | Op::Goto
                    | Op::Join
            )
    }

    /// Control flow that may take its target from a register.
    fn branches_by_register(self) -> bool {
        matches!(
            self,
            Op::Jmpi | Op::Brd | Op::Brc | Op::Calla | Op::Call | Op::Ret
        )
    }

    pub fn is_send(self) -> bool {
        matches!(self, Op::Send | Op::Sendc | Op::Sends | Op::Sendsc)
    }

    /// A send with two payloads.
    pub fn is_split_send(self) -> bool {
        matches!(self, Op::Sends | Op::Sendsc)
    }

    /// Operations on matrices.
    pub fn is_systolic(self) -> bool {
        matches!(self, Op::Dpas(_) | Op::Dpasw(_))
    }

    /// Operations on bits alone, where a source's `-` is a `~`.
    pub fn is_bitwise(self) -> bool {
        matches!(self, Op::And | Op::Or | Op::Xor | Op::Not)
    }
}

impl MathFn {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            MathFn::Inv => "inv",
            MathFn::Log => "log",
            MathFn::Exp => "exp",
            MathFn::Sqt => "sqt",
            MathFn::Rsqt => "rsqt",
            MathFn::Sin => "sin",
            MathFn::Cos => "cos",
            MathFn::Fdiv => "fdiv",
            MathFn::Pow => "pow",
            MathFn::Idiv => "idiv",
            MathFn::Iqot => "iqot",
            MathFn::Irem => "irem",
            MathFn::Invm => "invm",
            MathFn::Rsqtm => "rsqtm",
        }
    }
}

impl SyncFn {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            SyncFn::Nop => "nop",
            SyncFn::AllRd => "allrd",
            SyncFn::AllWr => "allwr",
            SyncFn::Flush => "flush",
            SyncFn::Fence => "fence",
            SyncFn::Bar => "bar",
            SyncFn::Host => "host",
        }
    }
}

impl SyncFn {
    /// Whether its source is a set of tokens.
    fn names_tokens(self) -> bool {
        matches!(self, SyncFn::AllRd | SyncFn::AllWr)
    }
}

impl Cond {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Cond::Eq => "eq",
            Cond::Ne => "ne",
            Cond::Gt => "gt",
            Cond::Ge => "ge",
            Cond::Lt => "lt",
            Cond::Le => "le",
            Cond::Ov => "ov",
            Cond::Un => "un",
            Cond::Eo => "eo",
        }
    }
}

/// How the registers of a file are written.
struct FileSyntax {
    name: &'static str,
    /// The register's number follows.
    numbered: bool,
    /// The sub-register is written even if it is the first.
    subs: bool,
    /// Sub-registers are counted in elements, not bytes.
    scaled: bool,
}

fn file_syntax(file: RegFile) -> FileSyntax {
    let (name, numbered, subs, scaled) = match file {
        RegFile::Grf => ("r", true, true, true),
        RegFile::Virt => ("v", true, true, true),
        RegFile::Null => ("null", false, false, true),
        RegFile::Addr => ("a", true, true, true),
        RegFile::Acc => ("acc", true, true, true),
        RegFile::Mme => ("mme", true, true, true),
        RegFile::Flag => ("f", true, true, true),
        RegFile::ChannelEnable => ("ce", false, false, false),
        RegFile::StackPointer => ("sp", false, true, true),
        RegFile::State => ("sr", true, true, true),
        RegFile::Control => ("cr", true, true, true),
        RegFile::Notification => ("n", true, true, true),
        RegFile::Ip => ("ip", false, false, false),
        RegFile::Tdr => ("tdr", true, true, true),
        RegFile::Timestamp => ("tm", true, true, true),
        RegFile::FlowControl => ("fc", true, true, false),
        RegFile::Debug => ("dbg", true, true, true),
        RegFile::MessageControl => ("msg", true, true, false),
        RegFile::Scalar => ("s", true, true, true),
    };
    FileSyntax {
        name,
        numbered,
        subs,
        scaled,
    }
}

/// When an operand's sub-register is written.
#[derive(Clone, Copy, PartialEq)]
enum Sub {
    /// Where the file has any.
    Shown,
    /// Payloads and macro operands are whole registers; only a virtual one's offset is shown.
    Whole,
}

/// How regions are written.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Basic,
    /// Three-source operands have shorter regions.
    Ternary,
    /// Those of Align16 have the two that there are.
    Align16Ternary,
}

struct Printer<'a> {
    inst: &'a Inst,
    spec: Option<&'a Spec>,
    pc: Option<u32>,
    layout: Layout,
    line: Line<'a>,
}

impl Printer<'_> {
    fn run(mut self) {
        let inst = self.inst;
        self.predicate();
        self.line.push(" ");
        self.mnemonic();
        self.line.push(" ");
        self.condition();
        let targets = [inst.jip, inst.uip];
        let labels = targets
            .iter()
            .flatten()
            .filter(|t| **t != Target::Reg)
            .count();
        let sources = labels + inst.srcs.len();
        let options = self.options();
        if let Some(dst) = &inst.dst {
            self.line.push("  ");
            self.dst(dst);
        } else if sources > 0 || !options.is_empty() {
            self.line.pad(width::DST);
        }
        for target in targets.into_iter().flatten() {
            if target != Target::Reg {
                self.line.push("  ");
                self.line
                    .column_after(width::SRC, &target_text(target, self.pc), |_| {});
            }
        }
        for (n, src) in inst.srcs.iter().enumerate() {
            self.line.push("  ");
            self.src(n, src);
        }
        if matches!(inst.op, Op::Sync(_)) && inst.srcs.is_empty() {
            self.line.push("null");
        }
        match sources {
            0 if !options.is_empty() => self.line.pad(width::SRC),
            1 if !inst.op.is_send() => self.line.pad(width::SRC),
            _ => {}
        }
        if let Some(message) = &inst.msg {
            let mut ex_desc = message.ex_desc;
            if let (Desc::Imm(desc), Some(_)) = (&mut ex_desc, self.src1_len()) {
                *desc &= !0x7c0;
            }
            for (desc, digits) in [(ex_desc, 0), (message.desc, 8)] {
                self.line.push("  ");
                if digits == 0 && inst.send.ex_offset != 0 {
                    self.line.push(&format!("0x{:X}:", inst.send.ex_offset));
                }
                match desc {
                    Desc::Imm(value) => {
                        let number = format!("0x{value:0digits$X}");
                        self.line.column_after(width::DESC, &number, |_| {});
                    }
                    Desc::Addr { byte } => self.line.column(width::DESC, |text| {
                        text.push_str(&format!("a0.{}", byte / 4))
                    }),
                }
            }
        }
        if !options.is_empty() {
            self.line.push(&format!(" {{{}}}", options.join(",")));
        }
    }

    fn predicate(&mut self) {
        let (no_mask, pred) = (self.inst.no_mask, self.inst.pred);
        self.line.column(width::PREDICATE, |text| {
            let mask = if no_mask { "W" } else { "" };
            match pred {
                None if no_mask => text.push_str("(W)"),
                None => {}
                Some(pred) => {
                    text.push('(');
                    text.push_str(mask);
                    text.push_str(if no_mask { "&" } else { "" });
                    write_pred(&pred, text);
                    text.push(')');
                }
            }
        });
    }

    fn syntax(&self) -> SendSyntax {
        self.spec
            .map_or(SendSyntax::InDescriptor, |spec| spec.send_syntax)
    }

    /// The shared function's name, where it is a suffix.
    fn function_name(&self) -> Option<&'static str> {
        let spec = self.spec?;
        let message = self.inst.msg.as_ref()?;
        let suffix = spec.send_syntax != SendSyntax::InDescriptor;
        suffix.then(|| spec.functions[usize::from(message.sfid & 15)])
    }

    /// The length to be written beside a send's second payload.
    fn src1_len(&self) -> Option<u32> {
        let message = self.inst.msg.as_ref()?;
        if self.syntax() != SendSyntax::SuffixAndLength {
            return None;
        }
        let own = self.spec?.has_src1_len(self.inst);
        match message.ex_desc {
            Desc::Imm(desc) => Some(desc >> 6 & 31),
            Desc::Addr { .. } => own.then_some(u32::from(self.inst.send.src1_len)),
        }
    }

    fn mnemonic(&mut self) {
        let inst = self.inst;
        let suffix = self.function_name();
        self.line.column(width::MNEMONIC, |text| {
            text.push_str(inst.op.mnemonic());
            match inst.op {
                Op::Math(function) => {
                    text.push('.');
                    text.push_str(function.name());
                }
                Op::Sync(function) => {
                    text.push('.');
                    text.push_str(function.name());
                }
                Op::Bfn(function) => {
                    text.push_str(".(");
                    text.push_str(bfn::EXPRESSIONS[usize::from(function)]);
                    text.push(')');
                }
                Op::Dpas(shape) | Op::Dpasw(shape) => {
                    text.push_str(&format!(".{}x{}", shape.depth, shape.repeat));
                }
                op if op.is_send() => {
                    if let Some(name) = suffix {
                        text.push('.');
                        text.push_str(name);
                    }
                }
                // A `while` always goes backward, which is what its bit says.
                op if inst.opts.branch_ctrl && op != Op::While => text.push_str(".b"),
                _ => {}
            }
            text.push(' ');
            if !matches!(
                inst.op,
                Op::Nop | Op::Illegal | Op::Jmpi | Op::Wait | Op::Sync(_)
            ) {
                text.push_str(&format!("({}|M{})", inst.exec_size, inst.chan_off));
            }
        });
    }

    fn condition(&mut self) {
        let inst = self.inst;
        self.line.column(width::CONDITION, |text| {
            if let Some(cond) = &inst.cond {
                text.push('(');
                text.push_str(cond.cond.name());
                text.push(')');
                let mut flag = cond.flag;
                if flag.is_null() {
                    // An operation that writes no flag names the one that its bits are.
                    flag = inst
                        .pred
                        .map_or(Reg::new(RegFile::Flag, 0, 0), |pred| pred.flag);
                }
                write_flag(flag, text);
            }
        });
    }

    fn dst(&mut self, dst: &Dst) {
        let inst = self.inst;
        let op = inst.op;
        let column = if op.is_send() {
            width::SEND_DST
        } else {
            width::DST
        };
        self.line.column(column, |text| {
            if inst.saturate {
                text.push_str("(sat)");
            }
            match dst.place {
                Place::Direct(reg) => {
                    write_reg(reg, dst.ty, operand_sub(op, None, dst.mme), text);
                    write_mme(dst.mme, text);
                }
                Place::Indirect { addr, imm } => write_indirect(addr, imm, text),
            }
            if inst.opts.align16 && dst.chan_mask != 15 && !matches!(file(dst.place), RegFile::Mme)
            {
                text.push('.');
                text.extend((0..4).filter(|n| dst.chan_mask >> n & 1 != 0).map(channel));
            }
            let implied =
                op.is_send() || op.branches_by_register() || op.is_systolic() || dst.mme.is_some();
            let indirect = matches!(dst.place, Place::Indirect { .. });
            let unsaid = inst.opts.align16 || (op.is_send() && !indirect);
            let hstride = if unsaid { 1 } else { dst.hstride };
            if !implied || hstride != 1 {
                text.push_str(&format!("<{hstride}>"));
            }
            let implied = match op {
                Op::Send | Op::Sendc => Some(Type::Ud),
                _ if op.branches_by_register() => Some(Type::D),
                _ => None,
            };
            if implied != Some(dst.ty) {
                write_type(dst.ty, text);
            }
        });
    }

    fn src(&mut self, n: usize, src: &Src) {
        let inst = self.inst;
        let layout = self.layout;
        let shown = self.spec.is_some_and(|spec| spec.macro_regions) && layout == Layout::Basic;
        let column = if inst.op.is_send() {
            width::SEND_SRC
        } else {
            width::SRC
        };
        let len = if n == 1 { self.src1_len() } else { None };
        match src {
            Src::Reg(src) => {
                self.line.column(column, |text| {
                    write_src(inst, n, src, layout, shown, text);
                    if let Some(len) = len {
                        text.push_str(&format!(":{len}"));
                    }
                });
            }
            Src::Imm { bits, .. } if matches!(inst.op, Op::Sync(f) if f.names_tokens()) => {
                let tokens = (0..32).filter(|n| bits >> n & 1 != 0);
                let names: Vec<String> = tokens.map(|n| format!("${n}")).collect();
                self.line.push(&format!("({})", names.join(",")));
            }
            Src::Imm { ty, bits } => {
                let number = immediate_text(*ty, *bits);
                self.line.column_after(column, &number, |text| {
                    if !matches!(inst.op, Op::Sync(_)) {
                        write_type(*ty, text);
                    }
                });
            }
        }
    }

    fn options(&self) -> Vec<Cow<'static, str>> {
        let Options {
            align16,
            acc_wr_en,
            no_dd_clr,
            no_dd_chk,
            switch,
            atomic,
            no_preempt,
            no_src_dep_set,
            breakpoint,
            compacted,
            branch_ctrl: _,
        } = self.inst.opts;
        let SendOptions {
            ex_bso,
            cps,
            serialize,
            src1_len: _,
            ex_offset: _,
        } = self.inst.send;
        let eot = self.inst.msg.is_some_and(|message| message.eot);
        // Three-source instructions that have no Align1 view say so; the others' mode shows in
        // what only it has.
        let align16 = align16 && self.layout != Layout::Basic && !self.inst.op.is_macro();
        [
            (align16, "Align16"),
            (acc_wr_en, "AccWrEn"),
            (atomic, "Atomic"),
            (breakpoint, "Breakpoint"),
            (cps, "CPS"),
            (compacted, "Compacted"),
            (eot, "EOT"),
            (ex_bso, "ExBSO"),
            (no_dd_chk, "NoDDChk"),
            (no_dd_clr, "NoDDClr"),
            (no_preempt, "NoPreempt"),
            (no_src_dep_set, "NoSrcDepSet"),
            (serialize, "Serialize"),
            (switch, "Switch"),
        ]
        .into_iter()
        .filter_map(|(set, name)| set.then_some(Cow::Borrowed(name)))
        .chain(annotations(&self.inst.swsb))
        .collect()
    }
}

/// The scoreboard annotations as options.
fn annotations(swsb: &Swsb) -> impl Iterator<Item = Cow<'static, str>> {
    let none = swsb.no_acc_set.then_some(Cow::Borrowed("NoAccSBSet"));
    let dist = swsb.dist.map(|(pipe, count)| {
        let pipe = match pipe {
            Pipe::Own => "",
            Pipe::All => "A",
            Pipe::Float => "F",
            Pipe::Int => "I",
            Pipe::Long => "L",
            Pipe::Math => "M",
            Pipe::Scalar => "S",
        };
        Cow::Owned(format!("{pipe}@{count}"))
    });
    let token = swsb.token.map(|(token, id)| {
        let token = match token {
            TokenUse::Set => "",
            TokenUse::Src => ".src",
            TokenUse::Dst => ".dst",
        };
        Cow::Owned(format!("${id}{token}"))
    });
    none.into_iter().chain(dist).chain(token)
}

fn file(place: Place) -> RegFile {
    match place {
        Place::Direct(reg) => reg.file,
        Place::Indirect { .. } => RegFile::Grf,
    }
}

fn channel(n: u8) -> char {
    ['x', 'y', 'z', 'w'][usize::from(n & 3)]
}

fn target_text(target: Target, pc: Option<u32>) -> String {
    match (target, pc) {
        (Target::Offset(offset), Some(pc)) => {
            let mut label = String::new();
            write_label(i64::from(pc) + i64::from(offset), &mut label);
            label
        }
        (Target::Offset(offset), None) => offset.to_string(),
        (Target::Block(block), _) => format!("B{block}"),
        (Target::Reg, _) => String::new(),
    }
}

fn write_pred(pred: &Pred, out: &mut String) {
    if pred.inverse {
        out.push('~');
    }
    write_flag(pred.flag, out);
    match pred.ctrl {
        PredCtrl::Normal => {}
        PredCtrl::AnyV => out.push_str(".anyv"),
        PredCtrl::AllV => out.push_str(".allv"),
        PredCtrl::Any(n) => out.push_str(&format!(".any{n}h")),
        PredCtrl::All(n) => out.push_str(&format!(".all{n}h")),
        PredCtrl::AnyChannel => out.push_str(".any"),
        PredCtrl::AllChannels => out.push_str(".all"),
        PredCtrl::Replicate(n) => out.extend(['.', channel(n)]),
    }
}

/// A flag register's halves are numbered as words.
fn write_flag(flag: Reg, out: &mut String) {
    write_reg(flag, Type::Uw, Sub::Shown, out);
}

fn write_reg(reg: Reg, ty: Type, sub: Sub, out: &mut String) {
    let FileSyntax {
        name,
        numbered,
        subs,
        scaled,
    } = file_syntax(reg.file);
    out.push_str(name);
    if numbered || reg.num != 0 {
        out.push_str(&reg.num.to_string());
    }
    let index = if scaled {
        u32::from(reg.byte) / ty.bytes()
    } else {
        u32::from(reg.byte)
    };
    let shown = match sub {
        Sub::Shown => subs || index != 0,
        Sub::Whole => reg.file == RegFile::Virt && index != 0,
    };
    if shown {
        out.push_str(&format!(".{index}"));
    }
}

/// Of a source, `n` is its number.
fn operand_sub(op: Op, n: Option<usize>, mme: Option<u8>) -> Sub {
    if op.is_send() || mme.is_some() || (op.is_systolic() && n != Some(2)) {
        Sub::Whole
    } else {
        Sub::Shown
    }
}

fn write_mme(mme: Option<u8>, out: &mut String) {
    match mme {
        Some(8) => out.push_str(".nomme"),
        Some(n) => out.push_str(&format!(".mme{n}")),
        None => {}
    }
}

fn write_indirect(addr: Reg, imm: i16, out: &mut String) {
    out.push_str("r[");
    write_reg(addr, Type::Uw, Sub::Shown, out);
    if imm != 0 {
        out.push_str(&format!(",{imm}"));
    }
    out.push(']');
}

fn write_type(ty: Type, out: &mut String) {
    out.push(':');
    out.push_str(ty.name());
}

/// `macros`: macro operands have their regions written.
fn write_src(inst: &Inst, n: usize, src: &SrcReg, layout: Layout, macros: bool, out: &mut String) {
    let op = inst.op;
    if src.modifier.neg {
        out.push(if op.is_bitwise() && !src.modifier.abs {
            '~'
        } else {
            '-'
        });
    }
    if src.modifier.abs {
        out.push_str("(abs)");
    }
    match src.place {
        Place::Direct(reg) => {
            write_reg(reg, src.ty, operand_sub(op, Some(n), src.mme), out);
            write_mme(src.mme, out);
        }
        Place::Indirect { addr, imm } => write_indirect(addr, imm, out),
    }
    let implied = op.is_send()
        || op.is_branch()
        || op.is_systolic()
        || matches!(op, Op::Sync(_))
        || (src.mme.is_some() && !macros);
    if inst.opts.align16 && layout != Layout::Basic && !implied {
        if src.region == Region::SCALAR {
            out.push_str(".r");
        } else if src.swizzle != SWIZZLE_XYZW {
            out.push('.');
            out.extend((0..4).map(|n| channel(src.swizzle >> (2 * n))));
        }
    } else if !implied {
        write_region(src.region, n, layout, inst.opts.align16, out);
    }
    let implied = match op {
        Op::Send | Op::Sendc => Some(Type::Ud),
        _ if op.is_split_send() => Some(src.ty),
        _ if op.is_branch() => Some(Type::D),
        _ => None,
    };
    if implied != Some(src.ty) {
        write_type(src.ty, out);
    }
}

fn write_region(region: Region, n: usize, layout: Layout, align16: bool, out: &mut String) {
    let scalar = region == Region::SCALAR;
    let text = match (layout, region.vstride) {
        (Layout::Ternary, _) => match (n, region.vstride) {
            (0 | 1, Some(vstride)) => format!("<{vstride};{}>", region.hstride),
            (0 | 1, None) => format!("<{}>", region.hstride),
            _ if region.width == 1 => format!("<{}>", region.vstride.unwrap_or(0)),
            _ => format!("<{}>", region.hstride),
        },
        (Layout::Align16Ternary, _) => match (n, scalar) {
            (0 | 1, true) => "<0;0>".into(),
            (0 | 1, false) => "<2;1>".into(),
            (_, true) => "<0>".into(),
            (_, false) => "<1>".into(),
        },
        _ if align16 => "<1;1,0>".into(),
        (_, None) => format!("<{},{}>", region.width, region.hstride),
        (_, Some(vstride)) => format!("<{vstride};{},{}>", region.width, region.hstride),
    };
    out.push_str(&text);
}

fn immediate_text(ty: Type, bits: u64) -> String {
    match ty {
        Type::B => (bits as i8).to_string(),
        Type::W => (bits as i16).to_string(),
        Type::D => (bits as i32).to_string(),
        Type::Q => (bits as i64).to_string(),
        Type::Hf => float::f16_text(bits as u16),
        Type::F => float::f32_text(bits as u32),
        Type::Df => float::f64_text(bits),
        _ => format!("0x{bits:X}"),
    }
}
