//! Instructions in text.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use smol_str::SmolStr;

use crate::error::{Code, Diagnostic, Loc, Result, nearest};
use crate::ir::asm::Asm;
use crate::ir::function::Flags;
use crate::ir::{
    Attrs, BinaryOp, CastOp, Const, FloatRel, InstData, IntRel, Op, Scalar, Type, TypeData, Types,
    Value, atomics, rules,
};

use super::Parser;
use super::function::Body;
use super::lexer::Token;
use super::module::Passing;

/// Instructions of LLVM that are refused.
const UNSUPPORTED: [&str; 12] = [
    "callbr",
    "catchpad",
    "catchret",
    "catchswitch",
    "cleanuppad",
    "cleanupret",
    "indirectbr",
    "invoke",
    "landingpad",
    "ptrtoaddr",
    "resume",
    "va_arg",
];
/// Instructions that are no elementwise operations and no conversions.
const OTHERS: [&str; 25] = [
    "alloca",
    "atomicrmw",
    "br",
    "call",
    "cmpxchg",
    "extractelement",
    "extractvalue",
    "fcmp",
    "fence",
    "fneg",
    "freeze",
    "getelementptr",
    "icmp",
    "insertelement",
    "insertvalue",
    "load",
    "musttail",
    "notail",
    "phi",
    "ret",
    "select",
    "shufflevector",
    "store",
    "switch",
    "unreachable",
];

impl Parser<'_> {
    fn mismatch<T>(&mut self, loc: Loc, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::new(Code::Mismatch, loc, message))
    }

    /// Instruction of an operation that has these operands; `stated` is the type that it names.
    fn make(
        &mut self,
        body: &Body,
        loc: Loc,
        op: Op,
        args: SmallVec<[Value; 3]>,
        stated: Type,
    ) -> Result<InstData> {
        let ty = rules::check(&mut self.module.types, &body.function, &op, &args, stated);
        Ok(rules::data(op, args, ty.map_err(|fault| fault.at(loc))?))
    }

    /// An instruction, after the name of its result; `None` for debug information.
    pub(super) fn instruction(&mut self, body: &mut Body) -> Result<Option<InstData>> {
        let loc = self.lex.loc();
        let word = match self.lex.token().clone() {
            Token::Word(word) => word,
            _ => return self.lex.expected("an instruction"),
        };
        self.lex.take()?;
        if let Some((_, op)) = BinaryOp::NAMES.iter().find(|(name, _)| *name == word) {
            let flags = self.flags()?;
            let left = self.typed_value(body)?;
            self.lex.expect(b',')?;
            let ty = body.function.ty(left);
            let right = self.value(body, ty)?;
            let mut inst = self.make(body, loc, Op::Binary(*op), smallvec![left, right], ty)?;
            inst.flags = flags;
            return Ok(Some(inst));
        }
        if let Some((_, op)) = CastOp::NAMES
            .iter()
            .find(|(name, _)| *name == renamed(word))
        {
            self.flags()?;
            let value = self.typed_value(body)?;
            self.lex.expect_word("to")?;
            let ty = self.ty()?;
            let inst = self.make(body, loc, Op::Cast(*op), smallvec![value], ty)?;
            return Ok(Some(inst));
        }
        if word.starts_with("#dbg") {
            self.skip_parens()?;
            return Ok(None);
        }
        let inst = match word {
            "fneg" => {
                let flags = self.flags()?;
                let value = self.typed_value(body)?;
                let mut inst = self.make(body, loc, Op::FNeg, smallvec![value], Types::VOID)?;
                inst.flags = flags;
                inst
            }
            "freeze" => {
                let value = self.typed_value(body)?;
                self.make(body, loc, Op::Freeze, smallvec![value], Types::VOID)?
            }
            "icmp" | "fcmp" => self.compare(body, word, loc)?,
            "select" => {
                self.flags()?;
                let condition = self.typed_value(body)?;
                self.lex.expect(b',')?;
                let yes = self.typed_value(body)?;
                self.lex.expect(b',')?;
                let no = self.typed_value(body)?;
                let args = smallvec![condition, yes, no];
                self.make(body, loc, Op::Select, args, Types::VOID)?
            }
            "phi" => self.phi(body)?,
            "extractelement" | "insertelement" | "shufflevector" => self.vector(body, word, loc)?,
            "extractvalue" | "insertvalue" => self.aggregate(body, word, loc)?,
            "alloca" | "load" | "store" | "getelementptr" => self.memory(body, word, loc)?,
            "tail" | "musttail" | "notail" => {
                self.lex.expect_word("call")?;
                return self.call(body);
            }
            "call" => return self.call(body),
            "br" | "switch" | "ret" | "unreachable" => self.terminator(body, word, loc)?,
            "atomicrmw" | "cmpxchg" | "fence" => self.atomic(body, word)?,
            word if UNSUPPORTED.contains(&word) => {
                let message = format!("instruction {word} is not supported");
                return Err(Diagnostic::new(Code::Instruction, loc, message));
            }
            _ => {
                let binary = BinaryOp::NAMES.iter().map(|(name, _)| *name);
                let casts = CastOp::NAMES.iter().map(|(name, _)| *name);
                let others = UNSUPPORTED.iter().chain(&OTHERS).copied();
                let message = match nearest(word, binary.chain(casts).chain(others)) {
                    Some(other) => format!("there is no instruction {word}; there is {other}"),
                    None => format!("there is no instruction {word}"),
                };
                return Err(Diagnostic::new(Code::Syntax, loc, message));
            }
        };
        Ok(Some(inst))
    }

    /// Flags of arithmetic.
    fn flags(&mut self) -> Result<Flags> {
        let mut flags = Flags::default();
        loop {
            match *self.lex.token() {
                Token::Word("fast") => {
                    flags = Flags {
                        arcp: true,
                        contract: true,
                        afn: true,
                        reassoc: true,
                        ..flags
                    };
                }
                Token::Word("arcp") => flags.arcp = true,
                Token::Word("contract") => flags.contract = true,
                Token::Word("afn") => flags.afn = true,
                Token::Word("reassoc") => flags.reassoc = true,
                Token::Word(
                    "nnan" | "ninf" | "nsz" | "nuw" | "nsw" | "exact" | "disjoint" | "nneg"
                    | "samesign",
                ) => {}
                _ => return Ok(flags),
            }
            self.lex.take()?;
        }
    }

    fn compare(&mut self, body: &mut Body, word: &str, loc: Loc) -> Result<InstData> {
        self.flags()?;
        let op = match *self.lex.token() {
            Token::Word(rel) if word == "icmp" => IntRel::NAMES
                .iter()
                .find(|(name, _)| *name == rel)
                .map(|(_, rel)| Op::ICmp(*rel)),
            Token::Word(rel) => FloatRel::NAMES
                .iter()
                .position(|name| *name == rel)
                .map(|n| Op::FCmp(FloatRel(n as u8))),
            _ => None,
        };
        let Some(op) = op else {
            return self.lex.expected("a relation");
        };
        self.lex.take()?;
        let left = self.typed_value(body)?;
        self.lex.expect(b',')?;
        let ty = body.function.ty(left);
        let right = self.value(body, ty)?;
        self.make(body, loc, op, smallvec![left, right], Types::VOID)
    }

    fn phi(&mut self, body: &mut Body) -> Result<InstData> {
        self.flags()?;
        let ty = self.ty()?;
        let mut inst = rules::data(Op::Phi, smallvec![], ty);
        loop {
            self.lex.expect(b'[')?;
            inst.args.push(self.value(body, ty)?);
            self.lex.expect(b',')?;
            inst.targets.push(self.label(body)?);
            self.lex.expect(b']')?;
            if !self.lex.is(b',') {
                return Ok(inst);
            }
            let mut ahead = self.lex.clone();
            ahead.take()?;
            if !ahead.is(b'[') {
                return Ok(inst);
            }
            self.lex.take()?;
        }
    }

    fn vector(&mut self, body: &mut Body, word: &str, loc: Loc) -> Result<InstData> {
        let vector = self.typed_value(body)?;
        self.lex.expect(b',')?;
        let mut args = smallvec![vector, self.typed_value(body)?];
        let op = match word {
            "extractelement" => Op::ExtractElement,
            "insertelement" => {
                self.lex.expect(b',')?;
                args.push(self.typed_value(body)?);
                Op::InsertElement
            }
            _ => {
                self.lex.expect(b',')?;
                Op::Shuffle(self.mask(body)?.into())
            }
        };
        self.make(body, loc, op, args, Types::VOID)
    }

    /// Mask of `shufflevector`, its type before it.
    fn mask(&mut self, body: &mut Body) -> Result<Vec<u32>> {
        let loc = self.lex.loc();
        let ty = self.ty()?;
        let Some(length) = self.module.types.count(ty) else {
            return self.mismatch(loc, "the mask must be a vector");
        };
        let mut mask = Vec::new();
        if self.lex.eat(b'<')? {
            while !self.lex.is(b'>') {
                self.ty()?;
                if matches!(self.lex.token(), Token::Word("undef" | "poison")) {
                    self.lex.take()?;
                    mask.push(u32::MAX);
                } else {
                    mask.push(self.lex.count(u32::MAX.into())? as u32);
                }
                if !self.lex.eat(b',')? {
                    break;
                }
            }
            self.lex.expect(b'>')?;
        } else {
            let value = self.value(body, ty)?;
            match body.function.as_bits(value) {
                Some(n) => mask.resize(length as usize, u32::try_from(n).unwrap_or(u32::MAX - 1)),
                None => mask.resize(length as usize, u32::MAX),
            }
        }
        if mask.len() != length as usize {
            return self.mismatch(loc, format!("the mask must have {length} elements"));
        }
        Ok(mask)
    }

    fn aggregate(&mut self, body: &mut Body, word: &str, loc: Loc) -> Result<InstData> {
        let whole = self.typed_value(body)?;
        let mut args = smallvec![whole];
        if word == "insertvalue" {
            self.lex.expect(b',')?;
            args.push(self.typed_value(body)?);
        }
        let mut path = SmallVec::new();
        while self.lex.is(b',') {
            let mut ahead = self.lex.clone();
            ahead.take()?;
            if !matches!(ahead.token(), Token::Int(_)) {
                break;
            }
            self.lex.take()?;
            path.push(self.lex.count(1 << 32)? as u32);
        }
        let op = match word {
            "extractvalue" => Op::ExtractValue(path),
            _ => Op::InsertValue(path),
        };
        self.make(body, loc, op, args, Types::VOID)
    }

    fn memory(&mut self, body: &mut Body, word: &str, loc: Loc) -> Result<InstData> {
        let atomic;
        let mut inst = match word {
            "alloca" => {
                self.lex.eat_word("inalloca")?;
                let ty = self.ty()?;
                let mut count = body.function.bits(Types::I32, 1);
                let mut align = rules::natural_align(&self.module.types, ty);
                let mut space = 0;
                while self.lex.is(b',') {
                    let mut ahead = self.lex.clone();
                    ahead.take()?;
                    if matches!(ahead.token(), Token::Meta(_)) {
                        break;
                    }
                    self.lex.take()?;
                    if self.lex.eat_word("align")? {
                        align = self.lex.count(1 << 30)? as u32;
                    } else if self.lex.is_word("addrspace") {
                        space = self.address_space()?;
                    } else {
                        count = self.typed_value(body)?;
                    }
                }
                let pointer = self.pointer(space);
                let mut inst = self.make(body, loc, Op::Alloca(ty), smallvec![count], pointer)?;
                inst.align = align;
                return Ok(inst);
            }
            "load" => {
                atomic = self.lex.eat_word("atomic")?;
                self.lex.eat_word("volatile")?;
                let ty = self.ty()?;
                self.lex.expect(b',')?;
                let pointer = self.typed_value(body)?;
                self.make(body, loc, Op::Load, smallvec![pointer], ty)?
            }
            "store" => {
                atomic = self.lex.eat_word("atomic")?;
                self.lex.eat_word("volatile")?;
                let value = self.typed_value(body)?;
                self.lex.expect(b',')?;
                let pointer = self.typed_value(body)?;
                self.make(body, loc, Op::Store, smallvec![value, pointer], Types::VOID)?
            }
            _ => return self.gep(body, loc),
        };
        if atomic {
            let ordering = self.ordering(body)?;
            self.alignment()?;
            inst.args.push(ordering);
            let name = match word {
                "load" => atomics::LOAD,
                _ => atomics::STORE,
            };
            inst.op = atomics::op(name).map_err(|fault| fault.at(loc))?;
            return Ok(inst);
        }
        let moved = match word {
            "load" => inst.ty,
            _ => body.function.ty(inst.args[0]),
        };
        inst.align = match self.alignment()? {
            0 => rules::natural_align(&self.module.types, moved),
            said => said,
        };
        Ok(inst)
    }

    fn atomic(&mut self, body: &mut Body, word: &str) -> Result<InstData> {
        let loc = self.lex.loc();
        if word == "fence" {
            let ordering = self.ordering(body)?;
            let op = atomics::op(atomics::FENCE).map_err(|fault| fault.at(loc))?;
            return Ok(rules::data(op, smallvec![ordering], Types::VOID));
        }
        self.lex.eat_word("weak")?;
        self.lex.eat_word("volatile")?;
        let op = match *self.lex.token() {
            Token::Word(name) if word == "atomicrmw" => {
                let number = atomics::OPERATIONS
                    .iter()
                    .position(|(word, _)| *word == name);
                self.lex.take()?;
                match number {
                    Some(number) => atomics::operation(number as u64),
                    None => Err(atomics::unsupported(name)),
                }
            }
            _ => atomics::op(atomics::EXCHANGE),
        };
        let op = op.map_err(|fault| fault.at(loc))?;
        let mut args: SmallVec<[Value; 3]> = smallvec![self.typed_value(body)?];
        let values = if word == "cmpxchg" { 2 } else { 1 };
        for _ in 0..values {
            self.lex.expect(b',')?;
            args.push(self.typed_value(body)?);
        }
        args.push(self.ordering(body)?);
        if word == "cmpxchg" {
            // The ordering of a failure is no stronger.
            self.ordering(body)?;
        }
        self.alignment()?;
        let ty = rules::atomic(
            &mut self.module.types,
            &body.function,
            word == "cmpxchg",
            &args,
        );
        Ok(rules::data(op, args, ty.map_err(|fault| fault.at(loc))?))
    }

    /// Scope and ordering of an atomic access.
    fn ordering(&mut self, body: &mut Body) -> Result<Value> {
        if self.lex.is_word("syncscope") {
            self.lex.take()?;
            self.skip_parens()?;
        }
        if let Token::Word(word) = *self.lex.token()
            && let Some(number) = atomics::ORDERINGS.iter().position(|name| *name == word)
        {
            self.lex.take()?;
            return Ok(atomics::ordering(&mut body.function, number as u64));
        }
        self.lex.expected("an ordering")
    }

    /// `, align n`, if that is next.
    fn alignment(&mut self) -> Result<u32> {
        if !self.lex.is(b',') {
            return Ok(0);
        }
        let mut ahead = self.lex.clone();
        ahead.take()?;
        if !ahead.is_word("align") {
            return Ok(0);
        }
        self.lex.take()?;
        self.lex.take()?;
        Ok(self.lex.count(1 << 30)? as u32)
    }

    fn gep(&mut self, body: &mut Body, loc: Loc) -> Result<InstData> {
        while matches!(self.lex.token(), Token::Word("inbounds" | "nuw" | "nusw")) {
            self.lex.take()?;
        }
        let source = self.ty()?;
        self.lex.expect(b',')?;
        let base = self.typed_value(body)?;
        let mut args = smallvec![base];
        while self.lex.is(b',') {
            let mut ahead = self.lex.clone();
            ahead.take()?;
            if matches!(ahead.token(), Token::Meta(_)) {
                break;
            }
            self.lex.take()?;
            args.push(self.typed_value(body)?);
        }
        self.make(body, loc, Op::Gep(source), args, Types::VOID)
    }

    fn terminator(&mut self, body: &mut Body, word: &str, loc: Loc) -> Result<InstData> {
        match word {
            "br" => {
                if self.lex.eat_word("label")? {
                    let mut inst = rules::data(Op::Br, smallvec![], Types::VOID);
                    inst.targets.push(self.label(body)?);
                    return Ok(inst);
                }
                let args = smallvec![self.typed_value(body)?];
                let mut inst = self.make(body, loc, Op::CondBr, args, Types::VOID)?;
                for _ in 0..2 {
                    self.lex.expect(b',')?;
                    self.lex.expect_word("label")?;
                    inst.targets.push(self.label(body)?);
                }
                Ok(inst)
            }
            "switch" => {
                let value = self.typed_value(body)?;
                let ty = body.function.ty(value);
                self.lex.expect(b',')?;
                self.lex.expect_word("label")?;
                let mut targets = smallvec![self.label(body)?];
                let mut numbers = Vec::new();
                self.lex.expect(b'[')?;
                while !self.lex.is(b']') {
                    let loc = self.lex.loc();
                    let case = self.typed_constant(body, 0)?;
                    match body.function.as_bits(case) {
                        Some(bits) if body.function.ty(case) == ty => numbers.push(bits),
                        _ => return self.mismatch(loc, "the case has another type"),
                    }
                    self.lex.expect(b',')?;
                    self.lex.expect_word("label")?;
                    targets.push(self.label(body)?);
                }
                self.lex.expect(b']')?;
                let op = Op::Switch(numbers.into());
                let mut inst = self.make(body, loc, op, smallvec![value], Types::VOID)?;
                inst.targets = targets;
                Ok(inst)
            }
            "ret" => {
                let ty = self.ty()?;
                let args = match ty == Types::VOID {
                    true => smallvec![],
                    false => smallvec![self.value(body, ty)?],
                };
                self.make(body, loc, Op::Ret, args, Types::VOID)
            }
            _ => self.make(body, loc, Op::Unreachable, smallvec![], Types::VOID),
        }
    }

    fn call(&mut self, body: &mut Body) -> Result<Option<InstData>> {
        let flags = self.flags()?;
        while !self.at_type() {
            match *self.lex.token() {
                Token::Word("cc") => {
                    self.lex.take()?;
                    self.lex.int()?;
                }
                Token::Word("addrspace") => _ = self.address_space()?,
                Token::Word(_) | Token::Str(_) => {
                    self.param_attr(&mut Attrs::new(), &mut Passing::default())?;
                }
                _ => return self.lex.expected("the type of the result"),
            }
        }
        let ty = self.ty()?;
        let mut result = match self.module.types.data(ty) {
            TypeData::Function(result, ..) => *result,
            _ => ty,
        };
        // Older text writes a pointer to the function's type.
        if let (TypeData::Scalar(Scalar::Ptr(_)), Token::Global(name)) =
            (self.module.types.data(ty), self.lex.token())
            && let Some(id) = self.module.function_names.get(name)
            && self.module.functions[*id].loc.line > 0
        {
            result = self.module.functions[*id].result;
        }
        let callee_loc = self.lex.loc();
        let callee = self.callee(body)?;
        let Callee::Named(name) = &callee else {
            return self.indirect_call(body, callee, result, flags);
        };
        if name.starts_with("llvm.dbg.") {
            self.skip_parens()?;
            return self.nothing();
        }
        let (mut args, align) = self.arguments(body)?;
        let callee = rules::callee(name).map_err(|fault| fault.at(callee_loc))?;
        if matches!(callee, rules::Callee::Nothing) && result == Types::VOID {
            return self.nothing();
        }
        self.call_tail(matches!(callee, rules::Callee::Nothing))?;
        let op = match callee {
            rules::Callee::Nothing => {
                let undef = body.function.constant(result, Const::Undef);
                let args = smallvec![undef];
                return Ok(Some(self.make(
                    body,
                    callee_loc,
                    Op::Freeze,
                    args,
                    result,
                )?));
            }
            rules::Callee::Intrinsic(intrinsic) => Op::Intrinsic(intrinsic),
            rules::Callee::Function => Op::Call(self.function_named(name.clone())),
        };
        crate::intrinsics::name_handle(&mut self.module.types, &mut body.function, name, &args);
        rules::align_masked(&mut body.function, &op, &mut args, align);
        let mut inst = rules::data(op, args, result);
        inst.flags = flags;
        if rules::copies(&inst.op) {
            inst.align = align;
        }
        Ok(Some(inst))
    }

    /// Skips the rest of a call without effect.
    fn nothing(&mut self) -> Result<Option<InstData>> {
        self.call_tail(true)?;
        if self.lex.eat(b',')? {
            self.attachments()?;
        }
        Ok(None)
    }

    fn callee(&mut self, body: &mut Body) -> Result<Callee> {
        match self.lex.token().clone() {
            Token::Global(name) => {
                self.lex.take()?;
                Ok(Callee::Named(name))
            }
            Token::Word("asm") => Ok(Callee::Asm(Arc::new(self.inline_asm()?))),
            _ => {
                let pointer = self.pointer(0);
                if let Token::Local(name) = self.lex.token()
                    && let Some(ty) = body.type_of(name)
                {
                    return Ok(Callee::Value(self.value(body, ty)?));
                }
                Ok(Callee::Value(self.value(body, pointer)?))
            }
        }
    }

    /// Inline assembly in the place of a callee.
    fn inline_asm(&mut self) -> Result<Asm> {
        let loc = self.lex.loc();
        self.lex.take()?;
        let mut effects = false;
        while let Token::Word(word @ ("sideeffect" | "alignstack" | "inteldialect" | "unwind")) =
            *self.lex.token()
        {
            effects |= word == "sideeffect";
            self.lex.take()?;
        }
        let text = self.lex.string()?.to_string();
        self.lex.expect(b',')?;
        let constraints = self.lex.string()?.to_string();
        Asm::new(text, constraints, effects).map_err(|fault| fault.at(loc))
    }

    fn indirect_call(
        &mut self,
        body: &mut Body,
        callee: Callee,
        result: Type,
        flags: Flags,
    ) -> Result<Option<InstData>> {
        let loc = self.lex.loc();
        let (mut args, _) = self.arguments(body)?;
        self.call_tail(false)?;
        let address = match callee {
            Callee::Value(address) => address,
            Callee::Asm(asm) => {
                return Ok(Some(self.make(body, loc, Op::Asm(asm), args, result)?));
            }
            Callee::Named(_) => return Ok(None),
        };
        let params = args.iter().map(|arg| body.function.ty(*arg)).collect();
        let ty = self
            .module
            .types
            .get(TypeData::Function(result, params, false));
        args.insert(0, address);
        let mut inst = rules::data(Op::CallIndirect(ty), args, result);
        inst.flags = flags;
        Ok(Some(inst))
    }

    /// Arguments of a call, and the least alignment of its pointers.
    fn arguments(&mut self, body: &mut Body) -> Result<(SmallVec<[Value; 3]>, u32)> {
        self.lex.expect(b'(')?;
        let (mut args, mut align) = (SmallVec::new(), u32::MAX);
        while !self.lex.is(b')') {
            let ty = self.ty()?;
            let mut passing = Passing::default();
            while let Token::Word(word) = *self.lex.token() {
                // A word after the type is an attribute, unless it is a constant.
                if is_constant(word) {
                    break;
                }
                if self.at_type() {
                    return self.lex.expected("a value");
                }
                self.param_attr(&mut Attrs::new(), &mut passing)?;
            }
            if self.module.types.is_pointer(ty) || passing.align.is_some() {
                align = align.min(passing.align.unwrap_or(1));
            }
            if ty == Types::METADATA {
                self.node(0)?;
                let value = rules::metadata_value(&mut body.function);
                args.push(value);
            } else {
                args.push(self.value(body, ty)?);
            }
            if !self.lex.eat(b',')? {
                break;
            }
        }
        self.lex.expect(b')')?;
        Ok((args, align))
    }

    /// Attributes and bundles after a call. The bundles of one that says nothing say nothing either.
    fn call_tail(&mut self, nothing: bool) -> Result<()> {
        loop {
            match *self.lex.token() {
                Token::Attrs(_) => _ = self.lex.take()?,
                Token::Word(word) if is_call_attr(word) => {
                    self.param_attr(&mut Attrs::new(), &mut Passing::default())?;
                }
                Token::Str(_) => self.param_attr(&mut Attrs::new(), &mut Passing::default())?,
                Token::Punct(b'[') if nothing => {
                    let mut depth = 0;
                    loop {
                        match self.lex.take()? {
                            Token::Punct(b'[') => depth += 1,
                            Token::Punct(b']') if depth == 1 => break,
                            Token::Punct(b']') => depth -= 1,
                            Token::End => return self.lex.expected("`]`"),
                            _ => {}
                        }
                    }
                }
                Token::Punct(b'[') => {
                    return Err(Diagnostic::new(
                        Code::Call,
                        self.lex.loc(),
                        "operand bundles are not supported",
                    ));
                }
                _ => return Ok(()),
            }
        }
    }
}

/// The callee of a call.
enum Callee {
    Named(SmolStr),
    Value(Value),
    Asm(Arc<Asm>),
}

/// The name of a conversion that is the same here.
fn renamed(word: &str) -> &str {
    match word {
        "ptrtoaddr" => "ptrtoint",
        word => word,
    }
}

fn is_constant(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "null"
            | "zeroinitializer"
            | "undef"
            | "poison"
            | "splat"
            | "none"
            | "getelementptr"
            | "asm"
            | "blockaddress"
    ) || CastOp::NAMES.iter().any(|(name, _)| *name == word)
        || BinaryOp::NAMES.iter().any(|(name, _)| *name == word)
}

fn is_call_attr(word: &str) -> bool {
    matches!(
        word,
        "nounwind"
            | "readnone"
            | "readonly"
            | "writeonly"
            | "convergent"
            | "noinline"
            | "alwaysinline"
            | "noreturn"
            | "willreturn"
            | "nomerge"
            | "cold"
            | "nobuiltin"
            | "builtin"
            | "memory"
            | "argmemonly"
            | "nofree"
            | "nosync"
            | "mustprogress"
            | "speculatable"
            | "inaccessiblememonly"
            | "noduplicate"
    )
}
