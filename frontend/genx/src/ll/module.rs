//! The top level of a text: types, variables, functions, attributes, metadata.

use smol_str::{SmolStr, format_smolstr};

use crate::error::{Code, Diagnostic, Result};
use crate::ir::{
    Attrs, Function, FunctionId, Global, Linkage, Meta, Scalar, Type, TypeData, Types, Value,
    ValueDef,
};

use super::Parser;
use super::lexer::Token;

/// Words between the start of a definition and its type that say nothing here.
const IGNORED: &[&str] = &[
    "dso_local",
    "dso_preemptable",
    "hidden",
    "protected",
    "default",
    "unnamed_addr",
    "local_unnamed_addr",
    "externally_initialized",
    "thread_local",
    "dllimport",
];

/// Attributes of a parameter that say how it is passed.
#[derive(Default)]
pub(super) struct Passing {
    /// Pointee of a pointer that is passed by value.
    pub byval: Option<Type>,
    pub align: Option<u32>,
}

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Result<()> {
        loop {
            match self.lex.token().clone() {
                Token::End => break,
                Token::Word("source_filename") => {
                    self.lex.take()?;
                    self.lex.expect(b'=')?;
                    self.module.source_file = Some(self.lex.string()?);
                }
                Token::Word("target") => {
                    self.lex.take()?;
                    let is_layout = self.lex.is_word("datalayout");
                    self.lex.take()?;
                    self.lex.expect(b'=')?;
                    let text = self.lex.string()?;
                    if is_layout {
                        self.module.types.set_layout(&text);
                    }
                }
                Token::Word("module") => {
                    return Err(Diagnostic::new(
                        Code::Instruction,
                        self.lex.loc(),
                        "inline assembly is not supported",
                    ));
                }
                Token::Word("declare") => {
                    self.lex.take()?;
                    let dbg = |token: &Token| matches!(token, Token::Meta(_));
                    if dbg(self.lex.token()) {
                        self.attachments()?;
                    }
                    self.declaration()?;
                }
                Token::Word("define") => {
                    self.lex.take()?;
                    self.definition()?;
                }
                Token::Word("attributes") => self.attribute_group()?,
                Token::Word("uselistorder" | "uselistorder_bb") => self.skip_use_list()?,
                Token::Local(name) => {
                    self.lex.take()?;
                    self.type_definition(name)?;
                }
                Token::Global(name) => {
                    self.lex.take()?;
                    self.global(name)?;
                }
                Token::Meta(_) | Token::MetaId(_) => self.metadata_definition()?,
                // A linker's choice among equal definitions: here each is the only one.
                Token::Word(word) if word.starts_with('$') => {
                    self.lex.take()?;
                    self.lex.expect(b'=')?;
                    self.lex.expect_word("comdat")?;
                    match *self.lex.token() {
                        Token::Word(_) => _ = self.lex.take()?,
                        _ => return self.lex.expected("the kind of a comdat"),
                    }
                }
                _ => return self.lex.expected("a definition"),
            }
        }
        self.finish()
    }

    pub(super) fn skip_use_list(&mut self) -> Result<()> {
        while !self.lex.is(b'}') {
            if *self.lex.token() == Token::End {
                return self.lex.expected("`}`");
            }
            self.lex.take()?;
        }
        self.lex.expect(b'}')
    }

    fn attribute_group(&mut self) -> Result<()> {
        self.lex.take()?;
        let Token::Attrs(number) = *self.lex.token() else {
            return self.lex.expected("the number of a group");
        };
        self.lex.take()?;
        self.lex.expect(b'=')?;
        self.lex.expect(b'{')?;
        let mut attrs = Attrs::new();
        while !self.lex.is(b'}') {
            self.attr(&mut attrs)?;
        }
        self.lex.expect(b'}')?;
        self.groups.insert(number, attrs);
        Ok(())
    }

    /// One attribute of a function: a string with or without a value, or a word that may have arguments.
    fn attr(&mut self, attrs: &mut Attrs) -> Result<()> {
        match self.lex.token().clone() {
            Token::Str(_) => {
                let name = self.lex.string()?;
                let value = match self.lex.eat(b'=')? {
                    true => self.lex.string()?,
                    false => SmolStr::default(),
                };
                attrs.push((name, value));
                Ok(())
            }
            // Nothing here asks for one that is no string.
            Token::Word(_) => {
                self.lex.take()?;
                if self.lex.eat(b'=')? {
                    self.lex.take()?;
                }
                if self.lex.is(b'(') {
                    self.skip_parens()?;
                }
                Ok(())
            }
            _ => self.lex.expected("an attribute"),
        }
    }

    pub(super) fn skip_parens(&mut self) -> Result<()> {
        self.lex.expect(b'(')?;
        let mut depth = 1u32;
        while depth > 0 {
            match self.lex.take()? {
                Token::Punct(b'(') => depth += 1,
                Token::Punct(b')') => depth -= 1,
                Token::End => return self.lex.expected("`)`"),
                _ => {}
            }
        }
        Ok(())
    }

    /// One attribute of a parameter or a result.
    pub(super) fn param_attr(&mut self, attrs: &mut Attrs, passing: &mut Passing) -> Result<()> {
        let Token::Word(word) = *self.lex.token() else {
            return self.attr(attrs);
        };
        match word {
            "byval" | "sret" | "elementtype" | "byref" | "inalloca" | "preallocated" => {
                self.lex.take()?;
                if self.lex.eat(b'(')? {
                    let ty = self.ty()?;
                    self.lex.expect(b')')?;
                    if word == "byval" {
                        passing.byval = Some(ty);
                    }
                }
                Ok(())
            }
            "align" => {
                self.lex.take()?;
                let parens = self.lex.eat(b'(')?;
                passing.align = Some(self.lex.count(1 << 30)? as u32);
                if parens {
                    self.lex.expect(b')')?;
                }
                Ok(())
            }
            _ => self.attr(attrs),
        }
    }

    fn linkage(&mut self) -> Result<(Linkage, bool)> {
        let (mut linkage, mut external) = (Linkage::External, false);
        loop {
            let Token::Word(word) = *self.lex.token() else {
                return Ok((linkage, external));
            };
            match word {
                "internal" | "private" => linkage = Linkage::Internal,
                "dllexport" => linkage = Linkage::Kernel,
                "external" => external = true,
                "extern_weak" => (linkage, external) = (Linkage::Other, true),
                "linkonce"
                | "linkonce_odr"
                | "weak"
                | "weak_odr"
                | "available_externally"
                | "common"
                | "appending" => linkage = Linkage::Other,
                word if IGNORED.contains(&word) => {}
                _ => return Ok((linkage, external)),
            }
            self.lex.take()?;
            if self.lex.is(b'(') {
                self.skip_parens()?;
            }
        }
    }

    fn global(&mut self, name: SmolStr) -> Result<()> {
        let loc = self.lex.loc();
        self.lex.expect(b'=')?;
        let (linkage, external) = self.linkage()?;
        let mut space = 0;
        let mut constant = false;
        loop {
            match *self.lex.token() {
                Token::Word("addrspace") => space = self.address_space()?,
                Token::Word("constant") => {
                    self.lex.take()?;
                    constant = true;
                    break;
                }
                Token::Word("global") => {
                    self.lex.take()?;
                    break;
                }
                Token::Word(word) if IGNORED.contains(&word) => _ = self.lex.take()?,
                Token::Word("alias" | "ifunc") => {
                    return Err(Diagnostic::new(
                        Code::Variant,
                        loc,
                        "aliases are not supported",
                    ));
                }
                _ => return self.lex.expected("`global` or `constant`"),
            }
        }
        let ty = self.ty()?;
        let init = match external {
            true => None,
            false => Some(self.initializer(ty)?),
        };
        let mut attrs = Attrs::new();
        let mut groups = Vec::new();
        self.global_tail(&mut attrs, &mut groups)?;
        let mut global = Global {
            name: name.clone(),
            ty,
            space,
            linkage,
            constant,
            functions: Vec::new(),
            addresses: false,
            init: None,
            in_memory: false,
            attrs,
            loc,
        };
        if let Some(init) = init {
            global.set_init(init);
        }
        let id = self.module.globals.push(global);
        self.global_groups.extend(groups.iter().map(|g| (id, *g)));
        if self.module.global_names.insert(name.clone(), id).is_some() {
            let message = format!("@{name} is defined twice");
            return Err(Diagnostic::new(Code::Name, loc, message));
        }
        Ok(())
    }

    fn global_tail(&mut self, attrs: &mut Attrs, groups: &mut Vec<u32>) -> Result<()> {
        loop {
            match self.lex.token().clone() {
                Token::Attrs(n) => {
                    self.lex.take()?;
                    groups.push(n);
                }
                Token::Str(_) => self.attr(attrs)?,
                Token::Punct(b',') => {
                    self.lex.take()?;
                    match *self.lex.token() {
                        Token::Meta(_) => _ = self.attachments()?,
                        Token::Word("align") => {
                            self.lex.take()?;
                            self.lex.int()?;
                        }
                        Token::Word("section" | "partition") => {
                            self.lex.take()?;
                            self.lex.string()?;
                        }
                        Token::Word("comdat") => {
                            self.lex.take()?;
                            if self.lex.is(b'(') {
                                self.skip_parens()?;
                            }
                        }
                        _ => return self.lex.expected("an alignment"),
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// A function's head, of a declaration or a definition.
    pub(super) fn header(&mut self) -> Result<(FunctionId, Function)> {
        let (linkage, _) = self.linkage()?;
        let mut spir_kernel = false;
        while !self.at_type() {
            match *self.lex.token() {
                Token::Word("spir_kernel") => {
                    spir_kernel = true;
                    self.lex.take()?;
                }
                Token::Word("cc") => {
                    self.lex.take()?;
                    self.lex.int()?;
                }
                Token::Word(_) | Token::Str(_) => {
                    self.param_attr(&mut Attrs::new(), &mut Passing::default())?;
                }
                _ => return self.lex.expected("the type of the result"),
            }
        }
        let result = self.result_type()?;
        let loc = self.lex.loc();
        let Token::Global(name) = self.lex.token().clone() else {
            return self.lex.expected("the name of a function");
        };
        self.lex.take()?;
        let mut function = Function::new(name.clone(), result);
        function.linkage = linkage;
        function.spir_kernel = spir_kernel;
        function.loc = loc;
        let known = self.module.function_names.get(&name).copied();
        let id = known.unwrap_or_else(|| self.place_for(name));
        self.parameters(id, &mut function)?;
        Ok((id, function))
    }

    /// A type that is no function's: the parameters of the function follow.
    fn result_type(&mut self) -> Result<Type> {
        let before = self.lex.clone();
        let ty = self.ty()?;
        if matches!(self.lex.token(), Token::Global(_)) {
            return Ok(ty);
        }
        self.lex = before;
        self.ty()
    }

    fn parameters(&mut self, id: FunctionId, function: &mut Function) -> Result<()> {
        self.lex.expect(b'(')?;
        let mut unnamed = 0;
        while !self.lex.is(b')') {
            if *self.lex.token() == Token::Dots {
                self.lex.take()?;
                function.variadic = true;
                break;
            }
            let ty = self.ty()?;
            let (mut attrs, mut passing) = (Attrs::new(), Passing::default());
            while matches!(self.lex.token(), Token::Word(_) | Token::Str(_)) {
                self.param_attr(&mut attrs, &mut passing)?;
            }
            let name = match self.lex.token().clone() {
                Token::Local(name) => {
                    self.lex.take()?;
                    name
                }
                _ => format_smolstr!("{unnamed}"),
            };
            if name == format_smolstr!("{unnamed}") {
                unnamed += 1;
            }
            function.param(ty, name);
            function.param_attrs.push(attrs);
            function.byval.push(passing.byval);
            if !self.lex.eat(b',')? {
                break;
            }
        }
        self.lex.expect(b')')?;
        loop {
            match self.lex.token().clone() {
                Token::Attrs(n) => {
                    self.lex.take()?;
                    self.group_uses.push((id, n));
                }
                Token::Word("section" | "partition" | "gc") => {
                    self.lex.take()?;
                    self.lex.string()?;
                }
                Token::Word("addrspace") => _ = self.address_space()?,
                Token::Word("declare" | "define" | "attributes" | "target" | "source_filename") => {
                    break;
                }
                Token::Word("personality" | "prefix" | "prologue") => {
                    return Err(Diagnostic::new(
                        Code::Instruction,
                        self.lex.loc(),
                        "exceptions and prologues are not supported",
                    ));
                }
                Token::Word(_) | Token::Str(_) => {
                    self.param_attr(&mut function.attrs, &mut Passing::default())?
                }
                Token::Meta(_) if self.lex_is_attachment() => _ = self.attachments()?,
                _ => break,
            }
        }
        Ok(())
    }

    /// True if a named node follows, and not the definition of one.
    fn lex_is_attachment(&mut self) -> bool {
        let mut ahead = self.lex.clone();
        ahead.take().is_ok() && !ahead.is(b'=')
    }

    fn declaration(&mut self) -> Result<()> {
        let (id, function) = self.header()?;
        self.add_function(id, function)
    }

    /// Puts a function in its place; a declaration and a definition of one name are one function.
    pub(super) fn add_function(&mut self, id: FunctionId, function: Function) -> Result<()> {
        let old = &self.module.functions[id];
        if old.is_declaration() {
            self.module.functions[id] = function;
        } else if !function.is_declaration() {
            let message = format!("@{} is defined twice", function.name);
            return Err(Diagnostic::new(Code::Name, function.loc, message));
        }
        Ok(())
    }

    /// Looks up names that may be defined after their use.
    fn finish(&mut self) -> Result<()> {
        for (function, group) in std::mem::take(&mut self.group_uses) {
            if let Some(attrs) = self.groups.get(&group) {
                self.module.functions[function]
                    .attrs
                    .extend(attrs.iter().cloned());
            }
        }
        for (global, group) in std::mem::take(&mut self.global_groups) {
            if let Some(attrs) = self.groups.get(&group) {
                self.module.globals[global]
                    .attrs
                    .extend(attrs.iter().cloned());
            }
        }
        let names = &self.module.function_names;
        for meta in self.module.meta.values_mut() {
            if let Meta::String(text) = meta
                && let Some(id) = text.strip_prefix('@').and_then(|name| names.get(name))
            {
                *meta = Meta::Function(*id);
            }
        }
        self.variables_behind();
        let mut undefined: Vec<_> = std::mem::take(&mut self.undefined).into_iter().collect();
        undefined.sort_by_key(|(_, loc)| (loc.line, loc.column));
        for (name, loc) in undefined {
            let id = self.module.function_names[&name];
            if self.module.functions[id].loc.line == 0 {
                let message = format!("@{name} is not defined");
                return Err(Diagnostic::new(Code::Name, loc, message));
            }
        }
        Ok(())
    }

    /// Corrects names that were taken for functions, and are variables defined after their first use.
    fn variables_behind(&mut self) {
        let module = &mut self.module;
        let names = self.undefined.keys().filter_map(|name| {
            let variable = module.global_names.get(name)?;
            Some((name.clone(), *variable))
        });
        for (name, variable) in names.collect::<Vec<_>>() {
            self.undefined.remove(&name);
            let Some(place) = module.function_names.remove(&name) else {
                continue;
            };
            for function in module.functions.values_mut() {
                for value in function.values.values_mut() {
                    if value.def == ValueDef::Function(place) {
                        value.def = ValueDef::Global(variable);
                    }
                }
            }
        }
    }

    /// The value of a global name: a global, or a function, which may be defined later.
    pub(super) fn global_value(
        &mut self,
        function: &mut Function,
        ty: Type,
        name: SmolStr,
    ) -> Value {
        if let Some(id) = self.module.global_names.get(&name) {
            return function.address(ty, ValueDef::Global(*id));
        }
        let id = self.function_named(name);
        function.address(ty, ValueDef::Function(id))
    }

    /// Function of a name; a place for it if it is not declared yet.
    pub(super) fn function_named(&mut self, name: SmolStr) -> FunctionId {
        if let Some(id) = self.module.function_names.get(&name) {
            return *id;
        }
        let loc = self.lex.loc();
        self.undefined.insert(name.clone(), loc);
        self.place_for(name)
    }

    /// A declaration of which only the name is known.
    pub(super) fn place_for(&mut self, name: SmolStr) -> FunctionId {
        if let Some(id) = self.module.function_names.get(&name) {
            return *id;
        }
        let place = Function::new(name.clone(), Types::VOID);
        let id = self.module.functions.push(place);
        self.module.function_names.insert(name, id);
        id
    }

    /// Pointer type of an address space.
    pub(super) fn pointer(&mut self, space: u32) -> Type {
        self.module.types.get(TypeData::Scalar(Scalar::Ptr(space)))
    }
}
