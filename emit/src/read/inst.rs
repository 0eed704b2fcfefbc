//! An instruction: predicate, operation, operands, descriptors, options.

use super::cursor::{Cursor, Result};
use super::operand::Operands;
use crate::encoding::spec::{Attrs, Form, Spec};
use crate::encoding::writes_no_flag;
use crate::inst::{
    Cond, CondMod, Desc, Inst, MathFn, Message, Op, Pred, Reg, RegFile, SyncFn, Systolic, Target,
    TokenUse,
};
use crate::messages::SendSyntax;
use crate::print::bfn::EXPRESSIONS;
use crate::print::operand::write_control;
use crate::print::{OPTIONS, PIPES, TOKEN_USES, names_channels, option_places};
use crate::text::Text;

/// An instruction, and the labels of its targets with their columns.
pub(super) struct Line {
    pub inst: Inst,
    pub labels: [Option<(usize, String)>; 2],
}

impl Line {
    /// Reads an instruction to the end of the line.
    pub fn read(cursor: &mut Cursor, spec: &'static Spec) -> Result<Line> {
        let mut reader = Reader {
            spec,
            labels: [None, None],
            function: None,
        };
        let (no_mask, pred) = reader.predicate(cursor)?;
        let mut inst = reader.operation(cursor)?;
        (inst.no_mask, inst.pred) = (no_mask, pred);
        if names_channels(inst.op) {
            cursor.space();
            cursor.expect("(")?;
            inst.exec_size = cursor.number(33, "a number of channels")? as u8;
            cursor.expect("|M")?;
            inst.chan_off = cursor.number(32, "a first channel")? as u8;
            cursor.expect(")")?;
        }
        reader.condition(cursor, &mut inst)?;
        let length = reader.operands(cursor, &mut inst)?;
        if inst.op.is_send() {
            reader.message(cursor, &mut inst)?;
        }
        reader.options(cursor, &mut inst)?;
        reader.length(cursor, &mut inst, length)?;
        Ok(Line {
            inst,
            labels: reader.labels,
        })
    }
}

struct Reader {
    spec: &'static Spec,
    labels: [Option<(usize, String)>; 2],
    /// Shared function of a send whose name has it.
    function: Option<u8>,
}

impl Reader {
    fn predicate(&self, cursor: &mut Cursor) -> Result<(bool, Option<Pred>)> {
        cursor.space();
        if !cursor.eat("(") {
            return Ok((false, None));
        }
        let no_mask = cursor.eat("W");
        if no_mask && cursor.eat(")") {
            return Ok((true, None));
        }
        if no_mask {
            cursor.expect("&")?;
        }
        let inverse = cursor.eat("~");
        let flag = flag(cursor)?;
        let start = *cursor;
        let suffix = cursor.take(|c| c != ')' && !c.is_whitespace());
        let all = [self.spec.align1.preds, self.spec.align16.preds];
        let ctrl = (all.iter().flat_map(|preds| preds.values())).find(|ctrl| {
            let mut text = Text::default();
            write_control(*ctrl, &mut text);
            text.as_bytes() == suffix.as_bytes()
        });
        let Some(ctrl) = ctrl else {
            return start.expected("the control of a predicate or `)`");
        };
        cursor.expect(")")?;
        let pred = Pred {
            flag,
            inverse,
            ctrl,
        };
        Ok((no_mask, Some(pred)))
    }

    fn operation(&mut self, cursor: &mut Cursor) -> Result<Inst> {
        cursor.space();
        let start = *cursor;
        let word = cursor.word();
        let row = self.spec.ops.iter().find(|row| row.op.mnemonic() == word);
        let Some(row) = row else {
            return start.expected("an operation of the platform");
        };
        let in_descriptor = self.spec.messages.send_syntax == SendSyntax::InDescriptor;
        let op = match row.op {
            Op::Math(_) => {
                cursor.expect(".")?;
                let all = MathFn::ALL.into_iter().map(|f| (f, f.name()));
                Op::Math(cursor.one_of(all, "a function of `math`")?)
            }
            Op::Sync(_) => {
                cursor.expect(".")?;
                let all = SyncFn::ALL.into_iter().map(|f| (f, f.name()));
                Op::Sync(cursor.one_of(all, "a function of `sync`")?)
            }
            Op::Bfn(_) => Op::Bfn(expression(cursor)?),
            Op::Dpas(_) => Op::Dpas(shape(cursor)?),
            Op::Dpasw(_) => Op::Dpasw(shape(cursor)?),
            op if op.is_send() && !in_descriptor => {
                cursor.expect(".")?;
                let names = (0..).zip(self.spec.messages.functions.iter().copied());
                self.function = Some(cursor.one_of(names, "a shared function")?);
                op
            }
            op => op,
        };
        let mut inst = Inst::new(op, 1);
        if row.attrs.has(Attrs::BRANCH) && op != Op::While {
            inst.opts.branch_ctrl = cursor.eat(".b");
        }
        // Align16 is the only mode of macros on some families, so that no text names it.
        inst.opts.align16 = op.is_macro() && self.spec.align16_ternary;
        match cursor.rest().starts_with([' ', '\t', '(']) || cursor.is_at_end() {
            true => Ok(inst),
            false => cursor.expected("a space after the operation"),
        }
    }

    fn condition(&self, cursor: &mut Cursor, inst: &mut Inst) -> Result<()> {
        cursor.space();
        let mut after = *cursor;
        if !after.eat("(") {
            return Ok(());
        }
        let word = after.word();
        let cond = Cond::ALL.into_iter().find(|cond| cond.name() == word);
        let (Some(cond), true) = (cond, after.eat(")")) else {
            return Ok(());
        };
        *cursor = after;
        let mut flag = flag(cursor)?;
        if writes_no_flag(inst.op) && (flag.num, flag.byte) == (0, 0) {
            flag = Reg::NULL;
        }
        inst.cond = Some(CondMod { cond, flag });
        Ok(())
    }

    /// Reads destination, targets and sources. Returns the length beside a second payload.
    fn operands(&mut self, cursor: &mut Cursor, inst: &mut Inst) -> Result<Option<u32>> {
        use Form::*;
        let Some(row) = self.spec.op(inst.op) else {
            return cursor.expected("an operation of the platform");
        };
        let operands = Operands::of(self.spec, row.form);
        if row.form.is_arithmetic() || row.form.is_send() || row.form == Call {
            cursor.space();
            inst.saturate = cursor.eat("(sat)");
            inst.dst = Some(operands.dst(cursor, inst)?);
        }
        let sources = match (row.form, inst.op) {
            (Math, Op::Math(function)) => match self.spec.math(function) {
                Some(math) => usize::from(math.sources),
                None => return cursor.expected("a function of the platform's `math`"),
            },
            (Unary | Wait | Send, _) => 1,
            (Binary | Sends, _) => 2,
            (Ternary | BitFunction | Systolic, _) => 3,
            _ => 0,
        };
        match row.form {
            BranchBoth => {
                inst.jip = Some(self.target(cursor, 0)?);
                inst.uip = Some(self.target(cursor, 1)?);
            }
            BranchOne => inst.jip = Some(self.target(cursor, 0)?),
            Jump | Call | BranchOneReg | BranchBothReg | Return => {
                cursor.space();
                if row.form == Return || operands.is_register(cursor) {
                    inst.jip = Some(Target::Reg);
                    let src = operands.src(cursor, inst, 0)?;
                    inst.srcs.push(src);
                } else {
                    inst.jip = Some(self.target(cursor, 0)?);
                    if row.form == BranchBothReg {
                        inst.uip = Some(self.target(cursor, 1)?);
                    }
                }
            }
            Sync => {
                cursor.space();
                if !cursor.eat("null") {
                    let src = operands.src(cursor, inst, 0)?;
                    inst.srcs.push(src);
                }
            }
            _ => {}
        }
        let mut length = None;
        for n in 0..sources {
            cursor.space();
            if n == 0 && row.form.is_send() && cursor.eat("r[s") {
                let (first, second) = operands.gathered(cursor)?;
                inst.srcs.push(first);
                inst.srcs.push(second);
                break;
            }
            let src = operands.src(cursor, inst, n)?;
            inst.srcs.push(src);
            if n == 1 && row.form.is_send() && cursor.eat(":") {
                length = Some(cursor.number(32, "a number of registers")?);
            }
        }
        Ok(length)
    }

    /// A label, or a distance in bytes.
    fn target(&mut self, cursor: &mut Cursor, n: usize) -> Result<Target> {
        cursor.space();
        let start = *cursor;
        let negative = cursor.eat("-");
        let name = cursor.take(super::is_of_label);
        let is_number = name.starts_with(|c: char| c.is_ascii_digit());
        if is_number {
            let text = &start.rest()[..name.len() + usize::from(negative)];
            let distance = text.parse().map(Target::Offset);
            return distance.or_else(|_| start.expected("a distance in bytes"));
        }
        if name.is_empty() || negative {
            return start.expected("a label or a distance in bytes");
        }
        self.labels[n] = Some((start.at, name.to_string()));
        Ok(Target::Offset(0))
    }

    fn message(&self, cursor: &mut Cursor, inst: &mut Inst) -> Result<()> {
        cursor.space();
        let mut after = *cursor;
        if let Ok(offset) = after.hex("")
            && after.eat(":")
        {
            match u32::try_from(offset) {
                Ok(offset) if offset != 0 => inst.send.ex_offset = offset,
                _ => return cursor.expected("an offset of 32 bits"),
            }
            *cursor = after;
        }
        let ex_desc = descriptor(cursor)?;
        cursor.space();
        let desc = descriptor(cursor)?;
        let sfid = match (self.function, ex_desc) {
            (Some(function), _) => function,
            (None, Desc::Imm(value)) => value as u8 & 15,
            (None, Desc::Addr { .. }) => 0,
        };
        inst.msg = Some(Message {
            sfid,
            eot: false,
            desc,
            ex_desc,
        });
        Ok(())
    }

    fn options(&self, cursor: &mut Cursor, inst: &mut Inst) -> Result<()> {
        cursor.space();
        if cursor.is_at_end() {
            return Ok(());
        }
        cursor.expect("{")?;
        let mut said = 0_u32;
        let mut eot = false;
        loop {
            cursor.space();
            let start = *cursor;
            if cursor.eat("$") {
                let token = cursor.number(32, "a token")? as u8;
                let of_use = |(_, name): &&(TokenUse, &str)| {
                    !name.is_empty() && cursor.rest().starts_with(name)
                };
                let (kind, name) = TOKEN_USES.iter().find(of_use).unwrap_or(&TOKEN_USES[0]);
                cursor.eat(name);
                if inst.swsb.token.replace((*kind, token)).is_some() {
                    return start.wrong("a second token");
                }
            } else {
                let word = cursor.word();
                if cursor.eat("@") {
                    let pipe = PIPES.iter().find(|(_, name)| *name == word);
                    let Some((pipe, _)) = pipe else {
                        return start.expected("a pipeline");
                    };
                    let count = distance(cursor)?;
                    if inst.swsb.dist.replace((*pipe, count)).is_some() {
                        return start.wrong("a second distance");
                    }
                } else {
                    let option = OPTIONS.iter().position(|name| *name == word);
                    let Some(option) = option else {
                        return start.expected("an option");
                    };
                    if said >> option & 1 != 0 {
                        return start.wrong(format!("`{word}` is there twice"));
                    }
                    said |= 1 << option;
                    let places = option_places!(@mut inst, &mut eot);
                    if let Some(place) = places.into_iter().nth(option) {
                        *place = true;
                    }
                }
            }
            cursor.space();
            if !cursor.eat(",") {
                break;
            }
        }
        cursor.space();
        cursor.expect("}")?;
        cursor.space();
        if !cursor.is_at_end() {
            return cursor.expected("the end of the line");
        }
        match &mut inst.msg {
            Some(message) => message.eot = eot,
            None if eot => return cursor.wrong("`EOT` is an option of sends"),
            None => {}
        }
        Ok(())
    }

    /// Stores the length of a second payload where the family has it.
    fn length(&self, cursor: &Cursor, inst: &mut Inst, length: Option<u32>) -> Result<()> {
        let own = self.spec.messages.has_length(inst);
        let said = self.spec.messages.send_syntax == SendSyntax::SuffixAndLength;
        let gathers = crate::print::gathers(inst);
        let Some(message) = &mut inst.msg else {
            return Ok(());
        };
        let by_register = matches!(message.ex_desc, Desc::Addr { .. });
        let needed = said && !gathers && (!by_register || own);
        match (length, &mut message.ex_desc) {
            (None, _) if needed => {
                cursor.wrong("the second payload needs its length, as in `r8:1`")
            }
            (None, _) => Ok(()),
            (Some(_), _) if !needed => {
                cursor.wrong("a length of the second payload has no place here")
            }
            (Some(_), Desc::Imm(desc)) if *desc & 0x7c0 != 0 => {
                cursor.wrong("the extended descriptor has a length beside that of the payload")
            }
            (Some(length), Desc::Imm(desc)) => {
                *desc |= length << 6;
                Ok(())
            }
            (Some(length), Desc::Addr { .. }) => {
                inst.send.src1_len = length as u8;
                Ok(())
            }
        }
    }
}

/// A half of a flag register.
fn flag(cursor: &mut Cursor) -> Result<Reg> {
    if !cursor.eat(RegFile::Flag.name()) {
        return cursor.expected("a flag register");
    }
    let number = cursor.number(16, "a flag register")?;
    cursor.expect(".")?;
    let half = cursor.number(2, "a half of a flag register")?;
    Ok(Reg::new(RegFile::Flag, number, half as u16 * 2))
}

fn distance(cursor: &mut Cursor) -> Result<u8> {
    let start = *cursor;
    match cursor.number(16, "a distance")? {
        0 => start.expected("a distance above 0"),
        count => Ok(count as u8),
    }
}

/// The number of a bitwise function.
fn expression(cursor: &mut Cursor) -> Result<u8> {
    cursor.expect(".(")?;
    let start = *cursor;
    let mut depth = 1;
    let text = cursor.take(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth > 0
    });
    let number = EXPRESSIONS.iter().position(|known| *known == text);
    let Some(number) = number else {
        return start.expected("a function of `s0`, `s1` and `s2` in the form of listings");
    };
    cursor.expect(")")?;
    Ok(number as u8)
}

/// Depth and rows of a systolic operation.
fn shape(cursor: &mut Cursor) -> Result<Systolic> {
    cursor.expect(".")?;
    let depth = cursor.number(9, "a depth")? as u8;
    cursor.expect("x")?;
    let repeat = cursor.number(9, "a number of rows")? as u8;
    Ok(Systolic { depth, repeat })
}

fn descriptor(cursor: &mut Cursor) -> Result<Desc> {
    if cursor.eat("a0.") {
        let dword = cursor.number(16, "a dword of the address register")?;
        return Ok(Desc::Addr {
            byte: dword as u8 * 4,
        });
    }
    let start = *cursor;
    let value = cursor.hex("a descriptor: `a0.N` or a number in hexadecimal")?;
    match u32::try_from(value) {
        Ok(value) => Ok(Desc::Imm(value)),
        Err(_) => start.expected("a descriptor of 32 bits"),
    }
}
