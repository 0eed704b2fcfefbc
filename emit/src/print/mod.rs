//! An instruction as text, in the syntax of the reference disassembler.
//!
//! [`Inst`] displays itself this way in dumps; the [listing](crate::listing) adds branch targets. Columns are the
//! reference's, so that listings can be compared by lines. Channel masks and swizzles of Align16 instructions, for
//! which that syntax has no form, are written as assemblers of that mode write them.

pub(crate) mod bfn;
mod columns;
mod float;
pub(crate) mod operand;

use crate::encoding::spec::Spec;
use crate::encoding::to_align1;
use crate::inst::{
    Desc, Dst, Inst, Message, Op, Pipe, Place, Reg, RegFile, Src, Swsb, Target, TokenUse, Type,
};
use crate::messages::SendSyntax;
use crate::text::{Short, Text};
use columns::{Line, width};
use operand::{
    Counting, Layout, Regions, Sub, channel, write_flag, write_immediate, write_indirect,
    write_mme, write_pred, write_reg, write_src, write_strides, write_type,
};
use std::fmt;

/// True if a send takes its payload from registers whose numbers are in a scalar register.
pub(crate) fn gathers(inst: &Inst) -> bool {
    let first = match inst.srcs.first() {
        Some(Src::Reg(src)) => src.place,
        _ => return false,
    };
    inst.op.is_send() && matches!(first, Place::Direct(reg) if reg.file == RegFile::Scalar)
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::with_capacity(120);
        write_inst(self, None, None, &mut text);
        text.trim_end();
        f.write_str(str::from_utf8(text.as_bytes()).map_err(|_| fmt::Error)?)
    }
}

/// Appends the instruction. With its own place `pc`, in bytes, branch targets are labels, else distances. `spec`
/// gives the platform's syntax of sends; without it, that before Gen12 is used.
pub(crate) fn write_inst(inst: &Inst, pc: Option<u32>, spec: Option<&Spec>, text: &mut Text) {
    let ternary = inst.srcs.len() == 3;
    let view = if inst.opts.align16 && ternary && !inst.op.is_macro() {
        to_align1(inst)
    } else {
        None
    };
    let layout = match (ternary, inst.opts.align16) {
        (true, true) => Layout::Align16Ternary,
        (true, false) => Layout::Ternary,
        _ => Layout::Basic,
    };
    let inst = view.as_ref().unwrap_or(inst);
    let pc = pc.map(|pc| if inst.op.branches_to_place() { 0 } else { pc });
    Printer {
        inst,
        pc,
        spec,
        layout,
        line: Line::new(text),
    }
    .run();
}

/// The label of the code at `pc`.
pub(crate) fn write_label(pc: i64, text: &mut Text) {
    text.str(if pc < 0 { "L_N" } else { "L" });
    text.signed(pc.saturating_abs());
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
        self.line.text.byte(b' ');
        self.mnemonic();
        self.line.text.byte(b' ');
        self.condition();
        let targets = [inst.jip, inst.uip];
        let shown = |target: &&Target| **target != Target::Reg;
        let labels = targets.iter().flatten().filter(shown).count();
        let sources = labels + inst.srcs.len();
        let options = self.options();
        let has_options = options != 0 || inst.swsb != Swsb::default();
        if let Some(dst) = &inst.dst {
            self.line.text.str("  ");
            self.dst(dst);
        } else if sources > 0 || has_options {
            self.line.text.spaces(width::DST);
        }
        for target in targets.iter().flatten().filter(shown) {
            self.line.text.str("  ");
            write_target(*target, self.pc, self.line.text);
            // The reference leaves targets out when it pads.
            self.line.column(width::SRC, |_| {});
        }
        for (n, src) in inst.srcs.iter().enumerate() {
            self.line.text.str("  ");
            self.src(n, src);
        }
        if matches!(inst.op, Op::Sync(_)) && inst.srcs.is_empty() {
            self.line.text.str("null");
        }
        match sources {
            0 if has_options => self.line.text.spaces(width::SRC),
            1 if !inst.op.is_send() => self.line.text.spaces(width::SRC),
            _ => {}
        }
        if let Some(message) = &inst.msg {
            self.descriptors(message);
        }
        if has_options {
            write_options(options, &inst.swsb, self.line.text);
        }
    }

    fn predicate(&mut self) {
        let (no_mask, pred) = (self.inst.no_mask, self.inst.pred);
        self.line.column(width::PREDICATE, |text| match pred {
            None if no_mask => text.str("(W)"),
            None => {}
            Some(pred) => {
                text.str(if no_mask { "(W&" } else { "(" });
                write_pred(&pred, text);
                text.byte(b')');
            }
        });
    }

    fn syntax(&self) -> SendSyntax {
        self.spec
            .map_or(SendSyntax::InDescriptor, |spec| spec.messages.send_syntax)
    }

    /// Name of the shared function, where it is a suffix.
    fn function_name(&self) -> Option<&'static str> {
        let spec = self.spec?;
        let message = self.inst.msg.as_ref()?;
        let suffix = spec.messages.send_syntax != SendSyntax::InDescriptor;
        suffix.then(|| spec.messages.functions[usize::from(message.sfid & 15)])
    }

    /// Length to print beside a send's second payload.
    fn src1_len(&self) -> Option<u32> {
        let message = self.inst.msg.as_ref()?;
        if self.syntax() != SendSyntax::SuffixAndLength {
            return None;
        }
        let own = self.spec?.messages.has_length(self.inst);
        match message.ex_desc {
            Desc::Imm(desc) => Some(desc >> 6 & 31),
            Desc::Addr { .. } => own.then_some(u32::from(self.inst.send.src1_len)),
        }
    }

    fn mnemonic(&mut self) {
        let inst = self.inst;
        let suffix = self.function_name();
        self.line.column(width::MNEMONIC, |text| {
            text.str(inst.op.mnemonic());
            match inst.op {
                Op::Math(function) => {
                    text.byte(b'.');
                    text.str(function.name());
                }
                Op::Sync(function) => {
                    text.byte(b'.');
                    text.str(function.name());
                }
                Op::Bfn(function) => {
                    text.str(".(");
                    text.str(bfn::EXPRESSIONS[usize::from(function)]);
                    text.byte(b')');
                }
                Op::Dpas(shape) | Op::Dpasw(shape) => {
                    text.byte(b'.');
                    text.number(u32::from(shape.depth));
                    text.byte(b'x');
                    text.number(u32::from(shape.repeat));
                }
                op if op.is_send() => {
                    if let Some(name) = suffix {
                        text.byte(b'.');
                        text.str(name);
                    }
                }
                // A `while` always goes backward, which is the meaning of its bit.
                op if inst.opts.branch_ctrl && op != Op::While => text.str(".b"),
                _ => {}
            }
            text.byte(b' ');
            if names_channels(inst.op) {
                write_channels(inst.exec_size, inst.chan_off, text);
            }
        });
    }

    fn condition(&mut self) {
        let inst = self.inst;
        self.line.column(width::CONDITION, |text| {
            let Some(cond) = &inst.cond else { return };
            text.byte(b'(');
            text.str(cond.cond.name());
            text.byte(b')');
            let mut flag = cond.flag;
            if flag.is_null() {
                // An operation that writes no flag prints the one that its bits name.
                let first = Reg::new(RegFile::Flag, 0, 0);
                flag = inst.pred.map_or(first, |pred| pred.flag);
            }
            write_flag(flag, text);
        });
    }

    fn dst(&mut self, dst: &Dst) {
        let inst = self.inst;
        let op = inst.op;
        let counting = Counting::of(self.spec);
        let column = if op.is_send() {
            width::SEND_DST
        } else {
            width::DST
        };
        self.line.column(column, |text| {
            if inst.saturate {
                text.str("(sat)");
            }
            let indirect = match dst.place {
                Place::Direct(reg) => {
                    write_reg(reg, dst.ty, Sub::of(op, None, dst.mme), counting, text);
                    write_mme(dst.mme, text);
                    false
                }
                Place::Indirect { addr, imm } => {
                    write_indirect(addr, imm, text);
                    true
                }
            };
            if inst.opts.align16 && dst.chan_mask != 15 && !is_mme(dst.place) {
                text.byte(b'.');
                for n in (0..4).filter(|n| dst.chan_mask >> n & 1 != 0) {
                    text.byte(channel(n));
                }
            }
            let unsaid = inst.opts.align16 || (op.is_send() && !indirect);
            let hstride = if unsaid { 1 } else { dst.hstride };
            if !implies_stride(op, dst.mme) || hstride != 1 {
                write_strides(&[hstride], b"", text);
            }
            if implied_dst_type(op) != Some(dst.ty) {
                write_type(dst.ty, text);
            }
        });
    }

    fn src(&mut self, n: usize, src: &Src) {
        let inst = self.inst;
        if gathers(inst) {
            // The registers whose numbers are in the scalar register; there is no second payload.
            if let (0, Src::Reg(src)) = (n, src) {
                self.line.column(width::SEND_SRC, |text| {
                    text.str("r[");
                    let Place::Direct(reg) = src.place else {
                        return;
                    };
                    text.str("s0.");
                    text.number(u32::from(reg.byte) / 8);
                    text.byte(b']');
                });
            }
            return;
        }
        let layout = self.layout;
        let counting = Counting::of(self.spec);
        let spec = |has: fn(&Spec) -> bool| self.spec.is_some_and(has);
        let shown = Regions {
            of_macros: spec(|spec| spec.macro_regions) && layout == Layout::Basic,
            of_branches: spec(|spec| spec.branch.src[0].vstride.exists()),
        };
        let column = if inst.op.is_send() {
            width::SEND_SRC
        } else {
            width::SRC
        };
        let len = if n == 1 { self.src1_len() } else { None };
        match src {
            Src::Reg(src) => {
                self.line.column(column, |text| {
                    write_src(inst, n, src, layout, shown, counting, text);
                    if let Some(len) = len {
                        text.byte(b':');
                        text.number(len);
                    }
                });
            }
            Src::Imm { bits, .. } if matches!(inst.op, Op::Sync(f) if f.names_tokens()) => {
                write_tokens(*bits, self.line.text);
            }
            Src::Imm { ty, bits } => {
                write_immediate(*ty, *bits, self.line.text);
                // The reference leaves numbers out when it pads.
                self.line.column(column, |text| {
                    if !matches!(inst.op, Op::Sync(_)) {
                        write_type(*ty, text);
                    }
                });
            }
        }
    }

    /// The extended descriptor and the descriptor.
    fn descriptors(&mut self, message: &Message) {
        let mut ex_desc = message.ex_desc;
        if let (Desc::Imm(desc), Some(_)) = (&mut ex_desc, self.src1_len()) {
            *desc &= !0x7c0;
        }
        self.line.text.str("  ");
        let offset = self.inst.send.ex_offset;
        if offset != 0 {
            self.line.text.hex(u64::from(offset), 1);
            self.line.text.byte(b':');
        }
        self.descriptor(ex_desc, 1);
        self.line.text.str("  ");
        self.descriptor(message.desc, 8);
    }

    fn descriptor(&mut self, desc: Desc, digits: usize) {
        match desc {
            Desc::Imm(value) => {
                self.line.text.hex(u64::from(value), digits);
                self.line.column(width::DESC, |_| {});
            }
            Desc::Addr { byte } => self.line.column(width::DESC, |text| {
                text.str("a0.");
                text.number(u32::from(byte / 4));
            }),
        }
    }

    /// Set of the [`OPTIONS`] that apply, a bit each.
    fn options(&self) -> u32 {
        let eot = self.inst.msg.as_ref().is_some_and(|message| message.eot);
        // Three-source instructions without an Align1 view print the option; the mode of others shows in operands
        // that only it has.
        let shown = self.layout != Layout::Basic && !self.inst.op.is_macro();
        let set = option_places!(self.inst, &eot);
        let bits = set.iter().enumerate();
        let all = bits.fold(0, |all, (n, set)| all | u32::from(**set) << n);
        if shown { all } else { all & !ALIGN16 }
    }
}

/// Texts of a power of two of up to 32 channels, starting at each fourth channel.
static CHANNELS: [[Short; 8]; 6] = {
    let mut table = [[Short::EMPTY; 8]; 6];
    let mut log = 0;
    while log < 6 {
        let mut step = 0;
        while step < 8 {
            let channels = Short::new("(").number(1 << log).str("|M");
            table[log][step] = channels.number(4 * step as u16).byte(b')');
            step += 1;
        }
        log += 1;
    }
    table
};

/// False for operations of one channel, which is not said.
pub(crate) fn names_channels(op: Op) -> bool {
    !matches!(
        op,
        Op::Nop | Op::Illegal | Op::Jmpi | Op::Wait | Op::Sync(_)
    )
}

/// Number of channels of an instruction, and the first channel.
fn write_channels(exec_size: u8, chan_off: u8, text: &mut Text) {
    let log = exec_size.trailing_zeros() as usize;
    let known = exec_size.is_power_of_two() && chan_off.is_multiple_of(4);
    let steps = CHANNELS.get(log).filter(|_| known);
    match steps.and_then(|steps| steps.get(usize::from(chan_off / 4))) {
        Some(short) => text.short(short),
        None => {
            text.byte(b'(');
            text.number(u32::from(exec_size));
            text.str("|M");
            text.number(u32::from(chan_off));
            text.byte(b')');
        }
    }
}

/// True if a destination without a stride has that of packed elements.
pub(crate) fn implies_stride(op: Op, mme: Option<u8>) -> bool {
    op.is_send() || op.branches_by_register() || op.is_systolic() || mme.is_some()
}

/// The stride of a destination without one. In Align16 the reference compiler gives doubles of `math` none.
pub(crate) fn implied_stride(op: Op, ty: Type, align16: bool) -> u8 {
    u8::from(!(align16 && ty == Type::Df && matches!(op, Op::Math(_))))
}

/// The type of a destination without one.
pub(crate) fn implied_dst_type(op: Op) -> Option<Type> {
    match op {
        Op::Send | Op::Sendc => Some(Type::Ud),
        _ if op.branches_by_register() => Some(Type::D),
        _ => None,
    }
}

/// Options in printing order.
pub(crate) const OPTIONS: [&str; 15] = [
    "Align16",
    "AccWrEn",
    "Atomic",
    "Breakpoint",
    "Compacted",
    "EOT",
    "NoDDChk",
    "NoDDClr",
    "NoPreempt",
    "NoSrcDepSet",
    "Serialize",
    "ExBSO",
    "CPS",
    "Switch",
    "NoAccSBSet",
];

/// The bit of `Align16` in a set of the [`OPTIONS`].
const ALIGN16: u32 = 1;

/// References to the places of the [`OPTIONS`] in an instruction, in their order; end of thread has its own place in
/// a message.
macro_rules! option_places {
    ($(@$exclusive:tt)? $inst:expr, $eot:expr) => {{
        let $crate::inst::Options {
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
            long: _,
            branch_ctrl: _,
        } = &$($exclusive)? $inst.opts;
        let $crate::inst::SendOptions {
            ex_bso,
            cps,
            serialize,
            src1_len: _,
            ex_offset: _,
        } = &$($exclusive)? $inst.send;
        [
            align16,
            acc_wr_en,
            atomic,
            breakpoint,
            compacted,
            $eot,
            no_dd_chk,
            no_dd_clr,
            no_preempt,
            no_src_dep_set,
            serialize,
            ex_bso,
            cps,
            switch,
            &$($exclusive)? $inst.swsb.no_acc_set,
        ]
    }};
}
pub(crate) use option_places;

/// Pipelines by their letters in a distance.
pub(crate) const PIPES: [(Pipe, &str); 7] = [
    (Pipe::Own, ""),
    (Pipe::All, "A"),
    (Pipe::Float, "F"),
    (Pipe::Int, "I"),
    (Pipe::Long, "L"),
    (Pipe::Math, "M"),
    (Pipe::Scalar, "S"),
];

/// Uses of tokens by their suffixes.
pub(crate) const TOKEN_USES: [(TokenUse, &str); 3] = [
    (TokenUse::Set, ""),
    (TokenUse::Src, ".src"),
    (TokenUse::Dst, ".dst"),
];

/// The name of a row.
fn name_of<T: PartialEq>(rows: &[(T, &'static str)], value: &T) -> &'static str {
    let row = rows.iter().find(|(known, _)| known == value);
    row.map_or("", |(_, name)| name)
}

fn write_options(mut options: u32, swsb: &Swsb, text: &mut Text) {
    let mut before = " {";
    while options != 0 {
        text.str(before);
        text.str(OPTIONS[options.trailing_zeros() as usize]);
        options &= options - 1;
        before = ",";
    }
    if let Some((pipe, count)) = swsb.dist {
        text.str(before);
        text.str(name_of(&PIPES, &pipe));
        text.byte(b'@');
        text.number(u32::from(count));
        before = ",";
    }
    if let Some((token, id)) = swsb.token {
        text.str(before);
        text.byte(b'$');
        text.number(u32::from(id));
        text.str(name_of(&TOKEN_USES, &token));
    }
    text.byte(b'}');
}

/// A set of tokens.
fn write_tokens(bits: u64, text: &mut Text) {
    let mut before = "($";
    for token in (0..32).filter(|n| bits >> n & 1 != 0) {
        text.str(before);
        text.number(token);
        before = ",$";
    }
    text.str(if before == "($" { "()" } else { ")" });
}

fn is_mme(place: Place) -> bool {
    matches!(place, Place::Direct(reg) if reg.file == RegFile::Mme)
}

fn write_target(target: Target, pc: Option<u32>, text: &mut Text) {
    match (target, pc) {
        (Target::Offset(offset), Some(pc)) => {
            write_label(i64::from(pc) + i64::from(offset), text);
        }
        (Target::Offset(offset), None) => text.signed(i64::from(offset)),
        (Target::Block(block), _) => {
            text.byte(b'B');
            text.number(block);
        }
        (Target::Routine(routine), _) => {
            text.byte(b'S');
            text.number(routine);
        }
        (Target::Reg, _) => {}
    }
}
