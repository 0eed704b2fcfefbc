//! The parser of the text that [`kiln_machine::print`] writes.
//!
//! Blanks may stand between any two tokens of a line, and `//` begins a comment. The parser checks syntax only:
//! [`kiln_machine::verify`] checks definitions and uses.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use kiln_platform::abi;
use kiln_platform::isa::{
    Cond, MathFn, Op, PredCtrl, RegFile, Region, SendOptions, SrcMod, SyncFn, Systolic, Type,
};
use kiln_platform::platform;
use kiln_platform::sources::Sources;
use smallvec::SmallVec;

use kiln_machine::func::{
    Address, Block, BlockData, Class, Edge, Entered, Function, RegData, Term, Variable,
};
use kiln_machine::inst::{
    Base, CondMod, Desc, Dst, Imm, Inst, List, Message, Old, Opcode, Options, Pred, Reg, Src,
    SrcReg, Symbol, VReg,
};
use kiln_machine::print::{CLASSES, negation, prefix};

/// A syntax error; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// Reads one function.
///
/// # Errors
/// The first syntax error.
pub fn parse(text: &str) -> Result<Function, Error> {
    let mut parser = Parser {
        text,
        at: 0,
        func: Function::new("", &platform::PLATFORMS[0], 0),
        regs: Vec::new(),
        symbols: HashMap::new(),
        blocks: Vec::new(),
    };
    match parser.function() {
        Ok(()) => Ok(parser.func),
        Err((at, message)) => {
            let before = &text[..at];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
            Err(Error {
                line,
                column,
                message,
            })
        }
    }
}

/// Upper bound of register numbers, which bounds the memory that a short text makes the parser allocate.
const MAX_REGISTERS: u32 = 1 << 22;

/// A result, or the position of a syntax error with its message.
type Parsed<T> = Result<T, (usize, String)>;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    func: Function,
    /// Properties of registers, from their definitions.
    regs: Vec<Option<RegData>>,
    symbols: HashMap<Address, Symbol>,
    /// Blocks that the text names, with their positions.
    blocks: Vec<(Block, usize)>,
}

impl<'a> Parser<'a> {
    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err((self.at, message.into()))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips blanks and comments up to the end of the line.
    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
            let comment = match rest[blank..].starts_with("//") {
                true => rest[blank..].find('\n').unwrap_or(rest.len() - blank),
                false => 0,
            };
            self.at += blank + comment;
            if blank + comment == 0 {
                return;
            }
        }
    }

    fn empty_lines(&mut self) {
        self.blanks();
        while self.rest().starts_with('\n') {
            self.at += 1;
            self.blanks();
        }
    }

    /// True if `token` is next, which is then consumed.
    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        match self.eat(token) {
            true => Ok(()),
            false => self.fail(format!("expected `{token}`")),
        }
    }

    fn end_of_line(&mut self) -> Parsed<()> {
        self.blanks();
        match self.rest().is_empty() || self.rest().starts_with('\n') {
            true => Ok(()),
            false => self.fail("expected the end of the line"),
        }
    }

    /// The longest prefix of characters for which `f` is true, which may be empty; it is consumed.
    fn run(&mut self, f: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !f(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn letters(&mut self) -> &'a str {
        self.blanks();
        self.run(|c| c.is_ascii_alphabetic())
    }

    fn word(&mut self) -> &'a str {
        self.blanks();
        self.run(|c| c.is_ascii_alphanumeric())
    }

    /// True if the whole next word is `word`, which is then consumed.
    fn eat_word(&mut self, word: &str) -> bool {
        let at = self.at;
        let found = self.word() == word;
        if !found {
            self.at = at;
        }
        found
    }

    fn number<T: TryFrom<i64>>(&mut self) -> Parsed<T> {
        self.blanks();
        let at = self.at;
        let sign = if self.eat("-") { -1 } else { 1 };
        let digits = self.run(|c| c.is_ascii_digit());
        let value = digits.parse::<i64>().ok().map(|n| sign * n);
        match value.and_then(|n| T::try_from(n).ok()) {
            Some(n) => Ok(n),
            None => Err((at, "expected a number that fits here".into())),
        }
    }

    fn hex(&mut self) -> Parsed<u64> {
        self.expect("0x")?;
        let at = self.at;
        let digits = self.run(|c| c.is_ascii_hexdigit());
        u64::from_str_radix(digits, 16).map_err(|_| {
            (
                at,
                "expected a hexadecimal number of at most 64 bits".into(),
            )
        })
    }

    fn quoted(&mut self) -> Parsed<String> {
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            let Some(c) = self.rest().chars().next().filter(|&c| c != '\n') else {
                return self.fail("expected `\"`");
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\\' if self.rest().starts_with("u{") => {
                    self.at += 2;
                    let at = self.at;
                    let digits = self.run(|c| c.is_ascii_hexdigit());
                    let c = u32::from_str_radix(digits, 16)
                        .ok()
                        .and_then(char::from_u32);
                    text.push(c.ok_or_else(|| (at, "expected a character's number".into()))?);
                    self.expect("}")?;
                }
                '\\' => match self.rest().chars().next() {
                    Some(c @ ('"' | '\\')) => {
                        text.push(c);
                        self.at += 1;
                    }
                    _ => return self.fail("expected `\"`, `\\` or `u{`"),
                },
                c => text.push(c),
            }
        }
    }

    /// A word that is a name in a table.
    fn named<T: Copy>(&mut self, what: &str, table: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        self.blanks();
        let at = self.at;
        let word = self.word();
        table(word).ok_or_else(|| (at, format!("expected {what}, found `{word}`")))
    }

    fn function(&mut self) -> Parsed<()> {
        self.empty_lines();
        self.expect("function")?;
        self.func.name = self.quoted()?;
        self.expect("simd")?;
        self.func.simd = self.number()?;
        self.expect("on")?;
        self.func.target = self.named("a platform", platform::find)?;
        self.end_of_line()?;
        self.empty_lines();
        loop {
            if self.eat("input ") {
                let grf = match self.eat("r") {
                    true => Some(self.number()?),
                    false => None,
                };
                let v = self.definition()?;
                self.func.inputs.push((v, grf));
            } else if self.eat("reserved ") {
                self.expect("r")?;
                let start = self.number()?;
                self.expect("..")?;
                self.expect("r")?;
                let end = self.number()?;
                self.func.reserved.push(start..end);
            } else if self.eat("barrier") {
                self.func.barrier = true;
            } else if self.eat("abi ") {
                let find = |name: &str| abi::ALL.into_iter().find(|abi| abi.name == name);
                self.func.abi = self.named("a calling convention", find)?;
            } else if self.eat("called") {
                self.func.entered = Entered::Called;
            } else if self.eat("jumped to") {
                self.func.entered = Entered::JumpedTo;
            } else if self.eat("subroutine") {
                self.func.entered = Entered::Subroutine;
            } else {
                break;
            }
            self.end_of_line()?;
            self.empty_lines();
        }
        while !self.rest().is_empty() {
            self.block()?;
            self.empty_lines();
        }
        if let Some(&(block, at)) =
            (self.blocks.iter()).find(|&&(b, _)| !self.func.blocks.is_valid(b))
        {
            return Err((at, format!("there is no {block}")));
        }
        for data in std::mem::take(&mut self.regs) {
            // Numbers without a definition are unused: their properties do not matter.
            self.func.regs.push(data.unwrap_or(RegData {
                class: Class::Grf,
                bytes: 0,
                align: 1,
                uniform: false,
                variable: Variable::NONE,
            }));
        }
        Ok(())
    }

    fn block(&mut self) -> Parsed<()> {
        let expected = Block::from_u32(self.func.blocks.len() as u32);
        self.blanks();
        let at = self.at;
        self.expect("block")?;
        if self.number::<u32>()? != expected.as_u32() {
            return Err((at, format!("expected {expected}")));
        }
        let mut data = BlockData::new(Term::End);
        if self.eat("(") {
            while !self.eat(")") {
                if !data.params.is_empty() {
                    self.expect(",")?;
                }
                data.params.push(self.definition()?);
            }
        }
        self.expect(":")?;
        self.end_of_line()?;
        loop {
            self.empty_lines();
            if self.term(&mut data)? {
                break;
            }
            let inst = self.inst()?;
            data.insts.push(inst);
        }
        self.func.blocks.push(data);
        Ok(())
    }

    /// A terminator, if there is one next.
    fn term(&mut self, data: &mut BlockData) -> Parsed<bool> {
        let at = self.at;
        self.blanks();
        data.term = match self.run(|c| c.is_ascii_alphabetic() || c == '.') {
            "jump" => Term::Jump,
            "branch" => {
                let pred = self.predicate()?;
                let Some(pred) = pred else {
                    return self.fail("expected a predicate");
                };
                Term::Branch { pred }
            }
            "goto.forward" => {
                let (pred, exec_size, chan_off) = self.goto()?;
                let uip = self.block_name()?;
                self.expect("free")?;
                Term::GotoForward {
                    pred,
                    exec_size,
                    chan_off,
                    uip,
                    free_flag: self.reg()?,
                }
            }
            "goto.backward" => {
                let (pred, exec_size, chan_off) = self.goto()?;
                Term::GotoBackward {
                    pred,
                    exec_size,
                    chan_off,
                }
            }
            "join" => Term::Join,
            "end" => Term::End,
            "return" => Term::Return,
            _ => {
                self.at = at;
                return Ok(false);
            }
        };
        if self.eat("->") {
            loop {
                let to = self.block_name()?;
                let mut edge = Edge {
                    to,
                    args: SmallVec::new(),
                };
                if self.eat("(") {
                    while !self.eat(")") {
                        if !edge.args.is_empty() {
                            self.expect(",")?;
                        }
                        edge.args.push(self.vreg()?);
                    }
                }
                data.succs.push(edge);
                if !self.eat(",") {
                    break;
                }
            }
        }
        data.term_origin = self.origin()?;
        self.end_of_line()?;
        Ok(true)
    }

    fn goto(&mut self) -> Parsed<(Option<Pred>, u8, u8)> {
        // An execution size in parentheses begins with a number, a predicate does not.
        let pred = match self.channels_next() {
            true => None,
            false => self.predicate()?,
        };
        let (_, exec_size, chan_off) = self.channels()?;
        Ok((pred, exec_size, chan_off))
    }

    fn channels_next(&mut self) -> bool {
        self.blanks();
        let inside = self.rest().strip_prefix('(').unwrap_or("").trim_start();
        inside.starts_with(|c: char| c.is_ascii_digit())
    }

    /// NoMask, execution size and first channel.
    fn channels(&mut self) -> Parsed<(bool, u8, u8)> {
        self.expect("(")?;
        let no_mask = self.eat("W");
        let size = self.number()?;
        self.expect("|")?;
        self.expect("M")?;
        let off = self.number()?;
        self.expect(")")?;
        Ok((no_mask, size, off))
    }

    fn block_name(&mut self) -> Parsed<Block> {
        self.blanks();
        let at = self.at;
        self.expect("block")?;
        let n: u32 = self.number()?;
        if n == u32::MAX {
            return Err((at, format!("there is no block{n}")));
        }
        self.blocks.push((Block::from_u32(n), at));
        Ok(Block::from_u32(n))
    }

    fn inst(&mut self) -> Parsed<Inst> {
        self.blanks();
        let line = self.rest().lines().next().unwrap_or("");
        let line = line.split("//").next().unwrap_or("");
        let results = match line.find(['=', '"']) {
            Some(at) => line[at..].starts_with('='),
            None => false,
        };
        let (mut dst, mut cond) = (None, None);
        if results {
            if !self.rest().starts_with('(') {
                dst = Some(self.dst()?);
            }
            if dst.is_none() || self.eat(",") {
                cond = Some(self.cond()?);
            }
            self.expect("=")?;
        }
        let pred = self.predicate()?;
        let op = self.opcode()?;
        let saturate = self.eat(".sat");
        let (no_mask, exec_size, chan_off) = self.channels()?;
        let mut inst = Inst {
            opts: Options {
                no_mask,
                saturate,
                ..Options::default()
            },
            pred,
            cond,
            dst,
            chan_off,
            ..Inst::new(op, exec_size)
        };
        inst.srcs = self.srcs(op)?;
        if self.eat_word("sfid") {
            let message = self.message()?;
            inst.message = Some(self.func.messages.push(message)).into();
        }
        if self.eat_word("symbol") {
            let high = self.eat_word("high");
            let name = self.quoted()?;
            inst.symbol = Some(self.symbol(Address { name, high })).into();
        }
        if self.eat("{") {
            loop {
                match self.word() {
                    "Align16" => inst.opts.align16 = true,
                    "AccWrEn" => inst.opts.acc_wr_en = true,
                    "Switch" => inst.opts.switch = true,
                    _ => return self.fail("expected `Align16`, `AccWrEn` or `Switch`"),
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("}")?;
        }
        inst.origin = self.origin()?;
        self.end_of_line()?;
        Ok(inst)
    }

    fn srcs(&mut self, op: Opcode) -> Parsed<Sources<Src>> {
        let mut srcs = Sources::default();
        self.blanks();
        let none = ["sfid ", "symbol ", "#", "\n"];
        // `{` begins a list of registers, or options.
        let options = ["{Align16", "{AccWrEn", "{Switch"];
        let rest = self.rest();
        if rest.is_empty() || none.iter().chain(&options).any(|t| rest.starts_with(t)) {
            return Ok(srcs);
        }
        loop {
            if srcs.len() == 3 {
                return self.fail("an instruction has at most three sources");
            }
            srcs.push(self.src(op)?);
            if !self.eat(",") {
                return Ok(srcs);
            }
        }
    }

    fn symbol(&mut self, address: Address) -> Symbol {
        let func = &mut self.func;
        let new = |address: &Address| func.symbols.push(address.clone());
        *(self.symbols.entry(address)).or_insert_with_key(new)
    }

    fn origin(&mut self) -> Parsed<u32> {
        match self.eat("#") {
            true => self.number(),
            false => Ok(u32::MAX),
        }
    }

    fn opcode(&mut self) -> Parsed<Opcode> {
        let pseudo = [
            ("undef", Opcode::Undef),
            ("fcall", Opcode::Call),
            ("ifcall", Opcode::CallAddress),
            ("results", Opcode::Results),
            ("sreturn", Opcode::Return),
        ];
        if self.eat("scall.") {
            return Ok(Opcode::CallRoutine(self.number()?));
        }
        for (name, op) in pseudo {
            if self.eat_word(name) {
                return Ok(op);
            }
        }
        let find = |name: &str| Op::ALL.iter().find(|op| op.mnemonic() == name).copied();
        let op = self.named("an operation", find)?;
        let functions = matches!(
            op,
            Op::Math(_) | Op::Sync(_) | Op::Bfn(_) | Op::Dpas(_) | Op::Dpasw(_)
        );
        if !functions {
            return Ok(op.into());
        }
        self.expect(".")?;
        Ok(Opcode::Gen(match op {
            Op::Math(_) => Op::Math(self.named("a function of `math`", |name| {
                MathFn::ALL.into_iter().find(|f| f.name() == name)
            })?),
            Op::Sync(_) => Op::Sync(self.named("a function of `sync`", |name| {
                SyncFn::ALL.into_iter().find(|f| f.name() == name)
            })?),
            Op::Bfn(_) => {
                let at = self.at;
                let bits = self.hex()?;
                Op::Bfn(u8::try_from(bits).map_err(|_| (at, "expected a byte".to_owned()))?)
            }
            op => {
                let depth = self.number()?;
                self.expect("x")?;
                let repeat = self.number()?;
                let shape = Systolic { depth, repeat };
                match op {
                    Op::Dpasw(_) => Op::Dpasw(shape),
                    _ => Op::Dpas(shape),
                }
            }
        }))
    }

    fn predicate(&mut self) -> Parsed<Option<Pred>> {
        if !self.eat("(") {
            return Ok(None);
        }
        let inverse = self.eat("~");
        let flag = self.reg()?;
        let ctrl = if self.eat(".") {
            self.blanks();
            let at = self.at;
            let name = self.letters();
            let counted = self.rest().starts_with(|c: char| c.is_ascii_digit());
            match (name, counted) {
                ("anyv", false) => PredCtrl::AnyV,
                ("allv", false) => PredCtrl::AllV,
                ("any", false) => PredCtrl::AnyChannel,
                ("all", false) => PredCtrl::AllChannels,
                ("replicate", true) => PredCtrl::Replicate(self.number()?),
                ("any", true) | ("all", true) => {
                    let n = self.number()?;
                    self.expect("h")?;
                    match name {
                        "any" => PredCtrl::Any(n),
                        _ => PredCtrl::All(n),
                    }
                }
                _ => return Err((at, format!("no way to use a predicate: `{name}`"))),
            }
        } else {
            PredCtrl::Normal
        };
        self.expect(")")?;
        Ok(Some(Pred {
            flag,
            inverse,
            ctrl,
        }))
    }

    fn dst(&mut self) -> Parsed<Dst> {
        let (reg, indirect) = if self.eat("r[") {
            let (reg, imm) = self.indirect()?;
            (reg, Some(imm))
        } else if self.eat("{") {
            let mut list: SmallVec<[VReg; 4]> = SmallVec::new();
            while !self.eat("}") {
                list.push(self.definition()?);
            }
            (self.list(list), None)
        } else if self.virtual_next() {
            (Reg::virt(self.definition()?, 0), None)
        } else {
            (self.reg()?, None)
        };
        let reg = self.offset(reg)?;
        let mme = self.mme()?;
        self.expect("<")?;
        let hstride = self.number()?;
        self.expect(">")?;
        let ty = self.ty()?;
        let old = if !self.eat_word("over") {
            Old::None
        } else if self.eat("{") {
            let mut list: SmallVec<[VReg; 4]> = SmallVec::new();
            while !self.eat("}") {
                list.push(match self.eat("-") {
                    true => VReg::NOTHING,
                    false => self.vreg()?,
                });
            }
            Old::List(self.func.lists.push(list))
        } else {
            Old::Reg(self.vreg()?)
        };
        Ok(Dst {
            reg,
            old,
            hstride,
            ty,
            indirect,
            mme,
        })
    }

    fn cond(&mut self) -> Parsed<CondMod> {
        self.expect("(")?;
        let find = |name: &str| Cond::ALL.into_iter().find(|c| c.name() == name);
        let cond = self.named("a condition", find)?;
        self.expect(")")?;
        let flag = match self.virtual_next() {
            true => Reg::virt(self.definition()?, 0),
            false => self.reg()?,
        };
        let flag = self.offset(flag)?;
        let old = match self.eat_word("over") {
            true => Some(self.vreg()?).into(),
            false => None.into(),
        };
        Ok(CondMod { cond, flag, old })
    }

    fn src(&mut self, op: Opcode) -> Parsed<Src> {
        self.blanks();
        if self.rest().starts_with("0x") {
            let bits = self.hex()?;
            return Ok(Src::Imm(Imm::new(self.ty()?, bits)));
        }
        let neg = self.eat(negation(op));
        let abs = self.eat("(abs)");
        let (reg, indirect) = if self.eat("r[") {
            let (reg, imm) = self.indirect()?;
            (reg, Some(imm))
        } else {
            (self.reg()?, None)
        };
        let mme = self.mme()?;
        self.expect("<")?;
        let first = self.number()?;
        let (vstride, width) = match self.eat(";") {
            true => (Some(first), self.number()?),
            false => (None, first),
        };
        self.expect(",")?;
        let hstride = self.number()?;
        self.expect(">")?;
        Ok(Src::Reg(SrcReg {
            reg,
            region: Region {
                vstride,
                width,
                hstride,
            },
            ty: self.ty()?,
            modifier: SrcMod { neg, abs },
            indirect,
            mme,
        }))
    }

    fn message(&mut self) -> Parsed<Message> {
        let sfid = self.number()?;
        self.expect("desc")?;
        let desc = self.desc()?;
        self.expect("exdesc")?;
        let ex_desc = self.desc()?;
        let mut send = SendOptions::default();
        if self.eat_word("second") {
            send.src1_len = self.number()?;
        }
        send.ex_bso = self.eat_word("exbso");
        if self.eat_word("offset") {
            send.ex_offset = self.bits()?;
        }
        Ok(Message {
            sfid,
            eot: self.eat_word("eot"),
            desc,
            ex_desc,
            send,
        })
    }

    fn desc(&mut self) -> Parsed<Desc> {
        self.blanks();
        if !self.rest().starts_with("0x") {
            return Ok(Desc::Addr(self.reg()?));
        }
        Ok(Desc::Imm(self.bits()?))
    }

    fn bits(&mut self) -> Parsed<u32> {
        self.blanks();
        let at = self.at;
        let bits = u32::try_from(self.hex()?);
        bits.map_err(|_| (at, "expected 32 bits".to_owned()))
    }

    /// An indirect operand after `r[`.
    fn indirect(&mut self) -> Parsed<(Reg, i16)> {
        let reg = self.reg()?;
        self.expect(",")?;
        let imm = self.number()?;
        self.expect("]")?;
        Ok((reg, imm))
    }

    fn ty(&mut self) -> Parsed<Type> {
        self.expect(":")?;
        self.named("a type", |name| {
            Type::ALL.into_iter().find(|t| t.name() == name)
        })
    }

    fn mme(&mut self) -> Parsed<Option<u8>> {
        match self.eat(".mme") {
            true => Ok(Some(self.number()?)),
            false => Ok(None),
        }
    }

    fn list(&mut self, list: SmallVec<[VReg; 4]>) -> Reg {
        let list: List = self.func.lists.push(list);
        Reg::new(Base::List(list), 0)
    }

    /// A register and an offset.
    fn reg(&mut self) -> Parsed<Reg> {
        if self.eat("{") {
            let mut list: SmallVec<[VReg; 4]> = SmallVec::new();
            while !self.eat("}") {
                list.push(self.vreg()?);
            }
            let reg = self.list(list);
            return self.offset(reg);
        }
        if self.eat_word("null") {
            return Ok(Reg::NULL);
        }
        if self.virtual_next() {
            let reg = Reg::virt(self.vreg()?, 0);
            return self.offset(reg);
        }
        self.blanks();
        let at = self.at;
        let name = self.letters();
        let Some(file) = RegFile::ALL.into_iter().find(|file| prefix(*file) == name) else {
            return Err((at, "expected a register".into()));
        };
        let reg = Reg::phys(file, self.number()?, 0);
        self.offset(reg)
    }

    fn offset(&mut self, reg: Reg) -> Parsed<Reg> {
        match self.eat("+") {
            true => Ok(reg.at(self.number::<u16>()?.into())),
            false => Ok(reg),
        }
    }

    fn virtual_next(&mut self) -> bool {
        self.blanks();
        let digits = self.rest().strip_prefix('v').unwrap_or("");
        digits.starts_with(|c: char| c.is_ascii_digit())
    }

    fn vreg(&mut self) -> Parsed<VReg> {
        self.blanks();
        let at = self.at;
        self.expect("v")?;
        let n: u32 = self.number()?;
        if n >= MAX_REGISTERS {
            return Err((at, format!("registers have numbers below {MAX_REGISTERS}")));
        }
        if self.regs.len() <= n as usize {
            self.regs.resize(n as usize + 1, None);
        }
        Ok(VReg::from_u32(n))
    }

    /// A register with its properties.
    fn definition(&mut self) -> Parsed<VReg> {
        self.blanks();
        let at = self.at;
        let v = self.vreg()?;
        self.expect(":")?;
        self.blanks();
        let letter = self.at;
        let name = self.letters();
        let Some(&(class, _)) = CLASSES.iter().find(|(_, other)| *other == name) else {
            return Err((letter, "expected `g`, `f` or `a`".into()));
        };
        let bytes = self.number()?;
        let align = if self.eat("@") { self.number()? } else { 1 };
        let data = RegData {
            class,
            bytes,
            align,
            uniform: self.eat("!"),
            variable: Variable::NONE,
        };
        match self.regs[v.as_u32() as usize].replace(data) {
            Some(other) if other != data => Err((at, format!("{v} is {v}{other} elsewhere"))),
            _ => Ok(v),
        }
    }
}
