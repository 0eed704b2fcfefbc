//! Instructions in text.

use smallvec::{SmallVec, smallvec};
use smol_str::SmolStr;

use crate::error::{Code, Diagnostic, Loc, Result};
use crate::intrinsics::Intrinsic;
use crate::ir::function::Flags;
use crate::ir::{
    Attrs, BinaryOp, CastOp, FloatRel, Function, InstData, IntRel, Op, Scalar, Type, TypeData,
    Types, Value,
};

use super::Parser;
use super::function::Body;
use super::lexer::Token;

/// Elements of a result of `shufflevector`.
const MAX_MASK: usize = 1 << 20;

/// Instruction without a place.
fn data(op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> InstData {
    InstData {
        op,
        args,
        targets: smallvec![],
        ty,
        result: None,
        flags: Flags::default(),
        align: 0,
        loc: Loc::default(),
        dbg: None,
    }
}

impl Parser<'_> {
    fn mismatch<T>(&mut self, loc: Loc, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::new(Code::Mismatch, loc, message))
    }

    /// An instruction behind the name of its result; `None` for debug information.
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
            let mut inst = data(Op::Binary(*op), smallvec![left, right], ty);
            inst.flags = flags;
            return Ok(Some(inst));
        }
        if let Some((_, op)) = CastOp::NAMES.iter().find(|(name, _)| *name == word) {
            self.flags()?;
            let value = self.typed_value(body)?;
            self.lex.expect_word("to")?;
            let ty = self.ty()?;
            return Ok(Some(data(Op::Cast(*op), smallvec![value], ty)));
        }
        if word.starts_with("#dbg") {
            self.skip_parens()?;
            return Ok(None);
        }
        let inst = match word {
            "fneg" => {
                let flags = self.flags()?;
                let value = self.typed_value(body)?;
                let ty = body.function.ty(value);
                let mut inst = data(Op::FNeg, smallvec![value], ty);
                inst.flags = flags;
                inst
            }
            "freeze" => {
                let value = self.typed_value(body)?;
                let ty = body.function.ty(value);
                data(Op::Freeze, smallvec![value], ty)
            }
            "icmp" | "fcmp" => self.compare(body, word)?,
            "select" => {
                self.flags()?;
                let condition = self.typed_value(body)?;
                self.lex.expect(b',')?;
                let yes = self.typed_value(body)?;
                self.lex.expect(b',')?;
                let no = self.typed_value(body)?;
                let ty = body.function.ty(yes);
                data(Op::Select, smallvec![condition, yes, no], ty)
            }
            "phi" => self.phi(body)?,
            "extractelement" | "insertelement" | "shufflevector" => self.vector(body, word, loc)?,
            "extractvalue" | "insertvalue" => self.aggregate(body, word, loc)?,
            "alloca" | "load" | "store" | "getelementptr" => self.memory(body, word)?,
            "tail" | "musttail" | "notail" => {
                self.lex.expect_word("call")?;
                return self.call(body);
            }
            "call" => return self.call(body),
            "br" | "switch" | "ret" | "unreachable" => self.terminator(body, word)?,
            _ => {
                let message = format!("instruction {word} is not supported");
                return Err(Diagnostic::new(Code::Instruction, loc, message));
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
                    };
                }
                Token::Word("arcp") => flags.arcp = true,
                Token::Word("contract") => flags.contract = true,
                Token::Word("afn") => flags.afn = true,
                Token::Word(
                    "nnan" | "ninf" | "nsz" | "reassoc" | "nuw" | "nsw" | "exact" | "disjoint"
                    | "nneg" | "samesign",
                ) => {}
                _ => return Ok(flags),
            }
            self.lex.take()?;
        }
    }

    fn compare(&mut self, body: &mut Body, word: &str) -> Result<InstData> {
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
        let count = self.module.types.count(ty);
        let ty = self.module.types.shaped(count, Scalar::Int(1));
        Ok(data(op, smallvec![left, right], ty))
    }

    fn phi(&mut self, body: &mut Body) -> Result<InstData> {
        self.flags()?;
        let ty = self.ty()?;
        let mut inst = data(Op::Phi, smallvec![], ty);
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
        let ty = body.function.ty(vector);
        let TypeData::Vector(count, scalar) = *self.module.types.data(ty) else {
            return self.mismatch(loc, "the first operand must be a vector");
        };
        let element = self.module.types.scalar(scalar);
        self.lex.expect(b',')?;
        let second = self.typed_value(body)?;
        if word == "extractelement" {
            return Ok(data(Op::ExtractElement, smallvec![vector, second], element));
        }
        self.lex.expect(b',')?;
        if word == "insertelement" {
            let index = self.typed_value(body)?;
            if body.function.ty(second) != element {
                return self.mismatch(loc, "the element has another type than the vector's");
            }
            return Ok(data(
                Op::InsertElement,
                smallvec![vector, second, index],
                ty,
            ));
        }
        if body.function.ty(second) != ty {
            return self.mismatch(loc, "both vectors must have the same type");
        }
        let mask = self.mask(body, count)?;
        let ty = self.module.types.shaped(Some(mask.len() as u32), scalar);
        Ok(data(
            Op::Shuffle(mask.into()),
            smallvec![vector, second],
            ty,
        ))
    }

    /// Mask of `shufflevector`, its type before it.
    fn mask(&mut self, body: &mut Body, count: u32) -> Result<Vec<u32>> {
        let loc = self.lex.loc();
        let ty = self.ty()?;
        let Some(length) = self
            .module
            .types
            .count(ty)
            .filter(|n| *n as usize <= MAX_MASK)
        else {
            return self.mismatch(loc, "the mask must be a vector");
        };
        let mut mask = Vec::with_capacity(length as usize);
        if self.lex.eat(b'<')? {
            while !self.lex.is(b'>') {
                self.ty()?;
                if matches!(self.lex.token(), Token::Word("undef" | "poison")) {
                    self.lex.take()?;
                    mask.push(u32::MAX);
                } else {
                    mask.push(self.lex.count(2 * u64::from(count))? as u32);
                }
                if !self.lex.eat(b',')? {
                    break;
                }
            }
            self.lex.expect(b'>')?;
        } else {
            let value = self.value(body, ty)?;
            match body.function.as_bits(value) {
                Some(n) if n < 2 * u64::from(count) => mask.resize(length as usize, n as u32),
                Some(_) => return self.mismatch(loc, "an element of the mask is too large"),
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
        let ty = body.function.ty(whole);
        let mut args = smallvec![whole];
        if word == "insertvalue" {
            self.lex.expect(b',')?;
            args.push(self.typed_value(body)?);
        }
        let mut indices = SmallVec::new();
        let mut member = ty;
        while self.lex.is(b',') {
            let mut ahead = self.lex.clone();
            ahead.take()?;
            if !matches!(ahead.token(), Token::Int(_)) {
                break;
            }
            self.lex.take()?;
            let index = self.lex.count(1 << 32)?;
            let inside = match self.module.types.data(member) {
                TypeData::Struct(fields, _) => fields.get(index as usize).copied(),
                TypeData::Array(n, element) if index < *n => Some(*element),
                _ => None,
            };
            let Some(inside) = inside else {
                return self.mismatch(loc, format!("there is no member {index}"));
            };
            member = inside;
            indices.push(index as u32);
        }
        if indices.is_empty() {
            return self.lex.expected("an index");
        }
        if word == "extractvalue" {
            return Ok(data(Op::ExtractValue(indices), args, member));
        }
        if body.function.ty(args[1]) != member {
            return self.mismatch(loc, "the value has another type than the member");
        }
        Ok(data(Op::InsertValue(indices), args, ty))
    }

    fn memory(&mut self, body: &mut Body, word: &str) -> Result<InstData> {
        let mut inst = match word {
            "alloca" => {
                self.lex.eat_word("inalloca")?;
                let ty = self.ty()?;
                let mut count = body.function.bits(Types::I32, 1);
                let mut align = 0;
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
                let mut inst = data(Op::Alloca(ty), smallvec![count], pointer);
                inst.align = align;
                return Ok(inst);
            }
            "load" => {
                self.lex.eat_word("atomic")?;
                self.lex.eat_word("volatile")?;
                let ty = self.ty()?;
                self.lex.expect(b',')?;
                let pointer = self.typed_value(body)?;
                data(Op::Load, smallvec![pointer], ty)
            }
            "store" => {
                self.lex.eat_word("atomic")?;
                self.lex.eat_word("volatile")?;
                let value = self.typed_value(body)?;
                self.lex.expect(b',')?;
                let pointer = self.typed_value(body)?;
                data(Op::Store, smallvec![value, pointer], Types::VOID)
            }
            _ => return self.gep(body),
        };
        let pointer = *inst.args.last().unwrap_or(&inst.args[0]);
        let is_pointer = matches!(
            self.module.types.data(body.function.ty(pointer)),
            TypeData::Scalar(Scalar::Ptr(_))
        );
        if !is_pointer {
            let loc = self.lex.loc();
            return self.mismatch(loc, "the address must be a pointer");
        }
        if matches!(
            self.lex.token(),
            Token::Word(
                "syncscope" | "monotonic" | "unordered" | "acquire" | "release" | "seq_cst"
            )
        ) {
            return Err(Diagnostic::new(
                Code::Memory,
                self.lex.loc(),
                "atomic accesses are not supported",
            ));
        }
        inst.align = self.alignment()?;
        Ok(inst)
    }

    /// `, align n`, if it stands here.
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

    fn gep(&mut self, body: &mut Body) -> Result<InstData> {
        while matches!(self.lex.token(), Token::Word("inbounds" | "nuw" | "nusw")) {
            self.lex.take()?;
        }
        let source = self.ty()?;
        self.lex.expect(b',')?;
        let base = self.typed_value(body)?;
        let mut inst = data(Op::Gep(source), smallvec![base], body.function.ty(base));
        while self.lex.is(b',') {
            let mut ahead = self.lex.clone();
            ahead.take()?;
            if matches!(ahead.token(), Token::Meta(_)) {
                break;
            }
            self.lex.take()?;
            let index = self.typed_value(body)?;
            if let (Some(n), Some(Scalar::Ptr(space))) = (
                self.module.types.count(body.function.ty(index)),
                self.module.types.element(inst.ty),
            ) {
                inst.ty = self.module.types.shaped(Some(n), Scalar::Ptr(space));
            }
            inst.args.push(index);
        }
        Ok(inst)
    }

    fn terminator(&mut self, body: &mut Body, word: &str) -> Result<InstData> {
        match word {
            "br" => {
                if self.lex.eat_word("label")? {
                    let mut inst = data(Op::Br, smallvec![], Types::VOID);
                    inst.targets.push(self.label(body)?);
                    return Ok(inst);
                }
                let ty = self.ty()?;
                if ty != Types::I1 {
                    let loc = self.lex.loc();
                    return self.mismatch(loc, "the condition of a branch is an i1");
                }
                let condition = self.value(body, ty)?;
                let mut inst = data(Op::CondBr, smallvec![condition], Types::VOID);
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
                let mut inst = data(op, smallvec![value], Types::VOID);
                inst.targets = targets;
                Ok(inst)
            }
            "ret" => {
                let ty = self.ty()?;
                let args = match ty == Types::VOID {
                    true => smallvec![],
                    false => smallvec![self.value(body, ty)?],
                };
                if ty != body.function.result {
                    let loc = self.lex.loc();
                    return self.mismatch(loc, "the function has another result");
                }
                Ok(data(Op::Ret, args, Types::VOID))
            }
            _ => Ok(data(Op::Unreachable, smallvec![], Types::VOID)),
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
                    self.param_attr(&mut Attrs::new(), &mut None)?;
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
            self.call_tail()?;
            if self.lex.eat(b',')? {
                self.attachments()?;
            }
            return Ok(None);
        }
        let args = self.arguments(body)?;
        self.call_tail()?;
        let op = if let Some(rest) = name.strip_prefix("llvm.") {
            match Intrinsic::named(rest) {
                Ok(intrinsic) if intrinsic.is_nothing() => return Ok(None),
                Ok(intrinsic) => Op::Intrinsic(intrinsic),
                Err(code) => {
                    let message = match code {
                        Code::Intrinsic => format!("intrinsic {name} is not supported"),
                        _ => format!("there is no intrinsic {name}"),
                    };
                    return Err(Diagnostic::new(code, callee_loc, message));
                }
            }
        } else {
            Op::Call(self.function_named(name.clone()))
        };
        crate::intrinsics::name_handle(&mut self.module.types, &mut body.function, name, &args);
        let mut inst = data(op, args, result);
        inst.flags = flags;
        Ok(Some(inst))
    }

    fn callee(&mut self, body: &mut Body) -> Result<Callee> {
        match self.lex.token().clone() {
            Token::Global(name) => {
                self.lex.take()?;
                Ok(Callee::Named(name))
            }
            Token::Word("asm") => Err(Diagnostic::new(
                Code::Instruction,
                self.lex.loc(),
                "inline assembly is not supported",
            )),
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

    fn indirect_call(
        &mut self,
        body: &mut Body,
        callee: Callee,
        result: Type,
        flags: Flags,
    ) -> Result<Option<InstData>> {
        let Callee::Value(address) = callee else {
            return Ok(None);
        };
        let mut args = self.arguments(body)?;
        self.call_tail()?;
        let params = args.iter().map(|arg| body.function.ty(*arg)).collect();
        let ty = self
            .module
            .types
            .get(TypeData::Function(result, params, false));
        args.insert(0, address);
        let mut inst = data(Op::CallIndirect(ty), args, result);
        inst.flags = flags;
        Ok(Some(inst))
    }

    fn arguments(&mut self, body: &mut Body) -> Result<SmallVec<[Value; 3]>> {
        self.lex.expect(b'(')?;
        let mut args = SmallVec::new();
        while !self.lex.is(b')') {
            let ty = self.ty()?;
            while let Token::Word(word) = *self.lex.token() {
                // A word behind the type is an attribute, unless it is a constant.
                if is_constant(word) {
                    break;
                }
                self.param_attr(&mut Attrs::new(), &mut None)?;
            }
            if ty == Types::METADATA {
                self.node(0)?;
                let value = metadata_value(&mut body.function);
                args.push(value);
            } else {
                args.push(self.value(body, ty)?);
            }
            if !self.lex.eat(b',')? {
                break;
            }
        }
        self.lex.expect(b')')?;
        Ok(args)
    }

    /// Attributes and bundles behind a call.
    fn call_tail(&mut self) -> Result<()> {
        loop {
            match *self.lex.token() {
                Token::Attrs(_) => _ = self.lex.take()?,
                Token::Word(word) if is_call_attr(word) => {
                    self.param_attr(&mut Attrs::new(), &mut None)?;
                }
                Token::Str(_) => self.param_attr(&mut Attrs::new(), &mut None)?,
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

/// What a call names.
enum Callee {
    Named(SmolStr),
    Value(Value),
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

fn metadata_value(function: &mut Function) -> Value {
    function.values.push(crate::ir::function::ValueData {
        ty: Types::METADATA,
        def: crate::ir::ValueDef::Metadata,
        name: SmolStr::default(),
    })
}
