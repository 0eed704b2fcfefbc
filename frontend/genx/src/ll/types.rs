//! Types in text.

use smol_str::SmolStr;

use crate::error::{Code, Diagnostic, Result};
use crate::ir::types::MAX_DEPTH;
use crate::ir::{Scalar, Type, TypeData, Types};

use super::Parser;
use super::lexer::Token;

impl Parser<'_> {
    /// Reads a type.
    pub(super) fn ty(&mut self) -> Result<Type> {
        self.ty_at(0)
    }

    /// True if a type can begin with the current token.
    pub(super) fn at_type(&self) -> bool {
        match self.lex.token() {
            Token::Local(_) => true,
            Token::Punct(p) => matches!(p, b'<' | b'[' | b'{'),
            Token::Word(w) => {
                matches!(
                    *w,
                    "void"
                        | "half"
                        | "bfloat"
                        | "float"
                        | "double"
                        | "ptr"
                        | "label"
                        | "metadata"
                        | "x86_fp80"
                        | "fp128"
                        | "ppc_fp128"
                        | "token"
                        | "target"
                        | "x86_mmx"
                ) || (w.starts_with('i')
                    && w.len() > 1
                    && w[1..].bytes().all(|b| b.is_ascii_digit()))
            }
            _ => false,
        }
    }

    fn ty_at(&mut self, depth: u32) -> Result<Type> {
        if depth > MAX_DEPTH {
            return self.lex.error("types are nested too deeply");
        }
        let mut ty = self.simple(depth)?;
        loop {
            if self.lex.is(b'*') {
                ty = self.module.types.pointer(ty, 0);
                self.lex.take()?;
            } else if self.lex.is_word("addrspace") {
                let space = self.address_space()?;
                if self.lex.eat(b'*')? {
                    ty = self.module.types.pointer(ty, space);
                } else {
                    return self.lex.expected("`*`");
                }
            } else if self.lex.is(b'(') {
                ty = self.function_type(ty, depth)?;
            } else {
                return Ok(ty);
            }
        }
    }

    /// Takes `addrspace(n)`.
    pub(super) fn address_space(&mut self) -> Result<u32> {
        self.lex.expect_word("addrspace")?;
        self.lex.expect(b'(')?;
        let space = self.lex.count(1 << 24)?;
        self.lex.expect(b')')?;
        Ok(space as u32)
    }

    fn function_type(&mut self, result: Type, depth: u32) -> Result<Type> {
        self.lex.expect(b'(')?;
        let (mut params, mut variadic) = (Vec::new(), false);
        while !self.lex.is(b')') {
            if *self.lex.token() == Token::Dots {
                self.lex.take()?;
                variadic = true;
            } else {
                params.push(self.ty_at(depth + 1)?);
                while matches!(self.lex.token(), Token::Word(_)) {
                    self.param_attr(&mut Vec::new(), &mut super::module::Passing::default())?;
                }
            }
            if !self.lex.eat(b',')? {
                break;
            }
        }
        self.lex.expect(b')')?;
        self.checked(TypeData::Function(result, params, variadic))
    }

    fn checked(&mut self, data: TypeData) -> Result<Type> {
        let ty = self.module.types.checked(data);
        ty.map_err(|fault| fault.at(self.lex.loc()))
    }

    fn unsupported<T>(&mut self, what: &str) -> Result<T> {
        Err(Diagnostic::new(Code::Type, self.lex.loc(), what))
    }

    fn simple(&mut self, depth: u32) -> Result<Type> {
        let scalar = |parser: &mut Self, scalar| Ok(parser.module.types.scalar(scalar));
        match self.lex.token().clone() {
            Token::Word(word) => {
                if matches!(
                    word,
                    "x86_fp80" | "fp128" | "ppc_fp128" | "token" | "x86_mmx"
                ) {
                    return self.unsupported(&format!("type {word} is not supported"));
                }
                if let Some(bits) = word.strip_prefix('i').and_then(|n| n.parse::<u64>().ok()) {
                    let ty = self.module.types.integer(bits);
                    let ty = ty.map_err(|fault| fault.at(self.lex.loc()))?;
                    self.lex.take()?;
                    return Ok(ty);
                }
                let ty = match word {
                    "void" => Types::VOID,
                    "label" => Types::LABEL,
                    "metadata" => Types::METADATA,
                    "half" => scalar(self, Scalar::Half)?,
                    "bfloat" => scalar(self, Scalar::BFloat)?,
                    "float" => scalar(self, Scalar::Float)?,
                    "double" => scalar(self, Scalar::Double)?,
                    "opaque" => return self.unsupported("an opaque type is not supported here"),
                    "ptr" => {
                        self.lex.take()?;
                        let space = match self.lex.is_word("addrspace") {
                            true => self.address_space()?,
                            false => 0,
                        };
                        return scalar(self, Scalar::Ptr(space));
                    }
                    "target" => return self.target_type(),
                    _ => return self.lex.expected("a type"),
                };
                self.lex.take()?;
                Ok(ty)
            }
            Token::Local(name) => {
                let ty = self.named_type(&name)?;
                self.lex.take()?;
                Ok(ty)
            }
            Token::Punct(b'<') => {
                self.lex.take()?;
                if self.lex.is(b'{') {
                    let ty = self.structure(true, depth)?;
                    self.lex.expect(b'>')?;
                    return Ok(ty);
                }
                if self.lex.is_word("vscale") {
                    return self.unsupported("vectors of variable size are not supported");
                }
                let loc = self.lex.loc();
                let count = self.lex.count(u64::MAX)?;
                self.lex.expect_word("x")?;
                let element = self.ty_at(depth + 1)?;
                self.lex.expect(b'>')?;
                let ty = self.module.types.vector_of(count, element);
                ty.map_err(|fault| fault.at(loc))
            }
            Token::Punct(b'[') => {
                self.lex.take()?;
                let loc = self.lex.loc();
                let count = self.lex.count(u64::MAX)?;
                self.lex.expect_word("x")?;
                let element = self.ty_at(depth + 1)?;
                self.lex.expect(b']')?;
                let ty = self.module.types.array(count, element);
                ty.map_err(|fault| fault.at(loc))
            }
            Token::Punct(b'{') => self.structure(false, depth),
            _ => self.lex.expected("a type"),
        }
    }

    /// `target("name", ...)`: a handle with this name and its parameters.
    fn target_type(&mut self) -> Result<Type> {
        self.lex.take()?;
        self.lex.expect(b'(')?;
        let mut name = self.lex.string()?.to_string();
        while self.lex.eat(b',')? {
            match self.lex.token().clone() {
                Token::Int(n) => {
                    name.push('.');
                    name.push_str(n);
                    self.lex.take()?;
                }
                _ => _ = self.ty()?,
            }
        }
        self.lex.expect(b')')?;
        Ok(self.module.types.get(TypeData::Handle(name.into())))
    }

    fn structure(&mut self, packed: bool, depth: u32) -> Result<Type> {
        self.lex.expect(b'{')?;
        let mut fields = Vec::new();
        while !self.lex.is(b'}') {
            fields.push(self.ty_at(depth + 1)?);
            if !self.lex.eat(b',')? {
                break;
            }
        }
        self.lex.expect(b'}')?;
        self.checked(TypeData::Struct(fields, packed))
    }

    /// Type of a name. Its definition may follow its use, as LLVM prints it; within itself a type can only be pointed
    /// to.
    fn named_type(&mut self, name: &SmolStr) -> Result<Type> {
        if let Some(ty) = self.named_types.get(name) {
            return Ok(*ty);
        }
        let Some(&at) = self.type_places.get(name) else {
            return Ok(self.module.types.get(TypeData::Opaque(name.clone())));
        };
        // A structure without fields is the type within itself: pointers to it are no handles.
        let inner = self.module.types.get(TypeData::Struct(Vec::new(), false));
        self.named_types.insert(name.clone(), inner);
        if self.named_depth > MAX_DEPTH {
            return self.lex.error("types are nested too deeply");
        }
        let after = self.lex.jump(at)?;
        self.named_depth += 1;
        self.type_definition(name.clone())?;
        self.named_depth -= 1;
        self.lex = after;
        Ok(self.named_types[name])
    }

    /// Definition of a named type, after its name.
    pub(super) fn type_definition(&mut self, name: SmolStr) -> Result<()> {
        self.lex.expect(b'=')?;
        self.lex.expect_word("type")?;
        let ty = match self.lex.eat_word("opaque")? {
            true => self.module.types.get(TypeData::Opaque(name.clone())),
            false => self.ty()?,
        };
        self.named_types.insert(name, ty);
        Ok(())
    }
}
