//! Parser of statements: directives, labels and instructions. Operands are read by `operand`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use cranelift_entity::EntityRef;
use foldhash::fast::RandomState;
use smallvec::SmallVec;
use smol_str::format_smolstr;

use super::diagnose::{Diagnosis, Recovery};
use super::lexer::{Lexer, Mark};
use super::number::{
    IMPLICIT_KINDS, Positional, Suffixes, UNDEFINED_KIND, bits_of, systolic_suffix,
};
use super::spans::{ObjectSpans, Span};
use super::symbols::{Symbol, Symbols};
use super::{Named, ParseError, ParseErrorKind, punctuation};
use crate::attributes;
use crate::build::Builder;
use crate::labels::{self, LabelError};
use crate::module::{
    Align, ArrayDecl, Attr, AttrValue, Combine, Exec, Input, InputVar, Inst, Label, LabelDecl,
    LabelKind, Linkage, Module, Name, Object, ObjectKind, Operand, Place, PredUse, Sampler,
    Subject, Surface, Type, Var, VarDecl, has_texts, pairs_surfaces, predefined, samples,
};
use crate::opcode::{Field, Kinds, Meaning, Opcode, Row};

/// The object that is being read.
pub(super) struct Current<'a> {
    /// The object, its labels not yet numbered.
    pub object: Object,
    /// The numbers of the instructions with labels.
    labelled: Vec<usize>,
    symbols: Symbols<'a>,
    scopes: Scopes<'a>,
    pub labels: Vec<LabelDecl>,
    label_numbers: HashMap<Cow<'a, str>, Label, RandomState>,
}

/// Scopes: the declarations between `{` and `}`.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    /// Position of each open scope, and the length of `hidden` before it.
    open: Vec<(Mark, usize)>,
    /// Meaning that each name declared in an open scope had before.
    hidden: Vec<(&'a str, Option<Symbol>)>,
    /// All names ever declared, once there was a scope.
    names: Option<HashSet<String>>,
    /// End of the names of variables and labels that a part of an object declares; empty for a whole one.
    suffix: String,
}

pub(super) struct Parser<'a> {
    pub lexer: Lexer<'a>,
    pub module: Module,
    pub has_version: bool,
    pub current: Option<Current<'a>>,
    /// State of a parser that continues after errors.
    pub recovery: Option<Box<Recovery>>,
    /// True if the text is a part of an object.
    is_part: bool,
    /// Bytes of a register, which texts may ask for.
    pub grf_bytes: u32,
}

type Result<T> = std::result::Result<T, ParseError>;

/// Mnemonic of a `call` whose label is that of a kernel.
pub(crate) const EXTERNAL_CALL: &str = "fccall";

/// Bytes of a register if nothing says the platform.
const DEFAULT_GRF_BYTES: u32 = 32;

/// Name of the bindless sampler, which is never declared.
const BINDLESS: &str = "S31";

impl<'a> Current<'a> {
    fn new(kind: ObjectKind, name: String) -> Current<'a> {
        let mut symbols = Symbols::default();
        for (i, (name, ..)) in predefined::VARS.iter().enumerate() {
            symbols.set(name, Some(Symbol::Var(Var::new(i))));
        }
        for (i, name) in predefined::SURFACES.iter().enumerate() {
            symbols.set(name, Some(Symbol::Surface(Surface::new(i))));
        }
        let bindless = Sampler::from_u32(predefined::BINDLESS_SAMPLER);
        symbols.set(BINDLESS, Some(Symbol::Sampler(bindless)));
        Current {
            object: Object::new(kind, name.into()),
            labelled: Vec::new(),
            symbols,
            scopes: Scopes::default(),
            labels: Vec::new(),
            label_numbers: HashMap::default(),
        }
    }

    fn open_scope(&mut self, mark: Mark) {
        if self.scopes.names.is_none() {
            self.scopes.names = Some(self.symbols.names().into_iter().collect());
        }
        self.scopes.open.push((mark, self.scopes.hidden.len()));
    }

    /// Closes a scope. Returns false if none is open.
    fn close_scope(&mut self) -> bool {
        let Some((_, before)) = self.scopes.open.pop() else {
            return false;
        };
        for (name, symbol) in self.scopes.hidden.drain(before..).rev() {
            self.symbols.set(name, symbol);
        }
        true
    }

    /// Name of a variable in the module, which has no scopes: the declared name, with a number appended if it is
    /// taken.
    fn distinct(&mut self, name: &str) -> Name {
        let Some(names) = &mut self.scopes.names else {
            return name.into();
        };
        let suffix = &self.scopes.suffix;
        let mut distinct = format!("{name}{suffix}");
        let mut count = 1;
        while !names.insert(distinct.clone()) {
            distinct = format!("{name}_{count}{suffix}");
            count += 1;
        }
        distinct.into()
    }

    /// Declares a name. Returns false if it is already declared in this scope.
    fn declare(&mut self, name: &'a str, symbol: Symbol) -> bool {
        let before = self.symbols.set(name, Some(symbol));
        let Some((_, first)) = self.scopes.open.last() else {
            return before.is_none();
        };
        let twice = self.scopes.hidden[*first..].iter().any(|(n, _)| *n == name);
        self.scopes.hidden.push((name, before));
        !twice
    }

    /// Symbol of a name.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name)
    }

    /// Symbol of the name at the start of a text, if it is one with a number, and the length of the name.
    #[inline]
    pub fn symbol_at_start(&self, text: &[u8]) -> Option<(Symbol, usize)> {
        self.symbols.at_start(text)
    }

    /// Label with this name, defined or not.
    pub fn label(&mut self, name: Cow<'a, str>) -> Label {
        if let Some(label) = self.label_numbers.get(&name) {
            return *label;
        }
        let label = Label::new(self.labels.len());
        let kind = LabelKind::Block;
        let suffix = &self.scopes.suffix;
        self.labels.push(LabelDecl {
            name: format_smolstr!("{name}{suffix}"),
            kind,
            attrs: Vec::new(),
        });
        self.label_numbers.insert(name, label);
        label
    }

    fn push(&mut self, mut inst: Inst) {
        inst.origin = self.object.insts.len() as u32;
        if labels::has_label(&inst) {
            self.labelled.push(self.object.insts.len());
        }
        self.object.insts.push(inst);
    }

    /// Completes the object, or gives the errors of the object as a whole.
    fn finish(self, lexer: &Lexer) -> std::result::Result<Object, Vec<ParseError>> {
        let open = self.scopes.open.iter();
        let open = open.map(|(mark, _)| ParseError::new(*mark, 1, ParseErrorKind::UnclosedScope));
        let mut errors: Vec<ParseError> = open.collect();
        let mut object = self.object;
        attributes::complete_function(&mut object);
        let labels = labels::number_all(&mut object, self.labels, &self.labelled);
        let place = |e: &LabelError| object.insts[e.inst()].place;
        errors.extend(
            labels
                .into_iter()
                .map(|e| lexer.error_of_label(place(&e), "", e)),
        );
        if errors.is_empty() {
            Ok(object)
        } else {
            Err(errors)
        }
    }
}

impl<'a> Parser<'a> {
    pub fn new(source: &'a str) -> Parser<'a> {
        Parser {
            lexer: Lexer::new(source),
            module: Module::default(),
            has_version: false,
            current: None,
            recovery: None,
            is_part: false,
            grf_bytes: DEFAULT_GRF_BYTES,
        }
    }

    /// Reads instructions and declarations that are added to an object. Its declarations are seen by `names` alone; what
    /// the text declares, labels too, is seen in it alone.
    pub fn part(mut self, builder: &mut Builder, names: &[(&'a str, Named)]) -> Result<()> {
        let mut current = Current::new(ObjectKind::Kernel, String::new());
        for (name, named) in names {
            let symbol = match named {
                Named::Var(var) => Symbol::Var(*var),
                Named::Predicate(predicate) => Symbol::Predicate(*predicate),
            };
            current.symbols.set(name, Some(symbol));
        }
        let (first, first_label) = (builder.object.insts.len(), builder.labels.len());
        current.scopes.names = Some(HashSet::new());
        // A number that no other part has: each declaration and instruction makes it larger.
        let number = builder.object.declared() + first + first_label;
        let suffix = format!("_{number}");
        current.scopes.suffix = suffix.clone();
        std::mem::swap(&mut current.object, &mut builder.object);
        std::mem::swap(&mut current.labels, &mut builder.labels);
        (self.has_version, self.is_part) = (true, true);
        self.current = Some(current);
        let mut read = Ok(());
        while read.is_ok() && self.lexer.statement() {
            read = self.line();
        }
        let Some(mut current) = self.current.take() else {
            return read;
        };
        std::mem::swap(&mut current.object, &mut builder.object);
        std::mem::swap(&mut current.labels, &mut builder.labels);
        read?;
        if let Some((mark, _)) = current.scopes.open.first() {
            return Err(ParseError::new(*mark, 1, ParseErrorKind::UnclosedScope));
        }
        let decls = &builder.labels[first_label..];
        let found = labels::undefined(&builder.object.insts[first..], decls, first_label);
        match found {
            Some(error) => {
                let place = builder.object.insts[first + error.inst()].place;
                Err(self.lexer.error_of_label(place, &suffix, error))
            }
            None => Ok(()),
        }
    }

    /// Reads the module, or gives the first error.
    pub fn module(mut self) -> Result<Module> {
        self.statements()?;
        Ok(self.module)
    }

    /// Reads the module and all errors.
    pub fn diagnose(mut self) -> Diagnosis {
        self.recovery = Some(Box::default());
        let ended = self.statements();
        let recovery = self.recovery.take().unwrap_or_default();
        let Recovery {
            spans,
            mut errors,
            more,
            ..
        } = *recovery;
        errors.extend(ended.err());
        Diagnosis {
            module: self.module,
            spans,
            errors,
            more,
        }
    }

    fn statements(&mut self) -> Result<()> {
        while self.lexer.statement() {
            if let Err(error) = self.line() {
                self.recover(error)?;
                self.lexer.skip_line();
            }
        }
        self.finish_object()?;
        if !self.has_version {
            let error = self.lexer.expected("`.version`");
            self.recover(error)?;
        }
        Ok(())
    }

    /// Records the error if the parser continues after errors, otherwise returns it.
    fn recover(&mut self, error: ParseError) -> Result<()> {
        let Some(recovery) = &mut self.recovery else {
            return Err(error);
        };
        recovery.record(error);
        Ok(())
    }

    fn line(&mut self) -> Result<()> {
        let mark = self.lexer.mark();
        match self.lexer.peek() {
            b'{' => {
                self.lexer.skip(1);
                self.current()?.open_scope(mark);
                return Ok(());
            }
            b'}' => {
                self.lexer.skip(1);
                if !self.current()?.close_scope() {
                    return Err(ParseError::new(mark, 1, ParseErrorKind::NoScope));
                }
                return Ok(());
            }
            b'.' => self.directive(mark)?,
            _ => self.statement(mark)?,
        }
        if !self.lexer.at_line_end() && !matches!(self.lexer.peek(), b'{' | b'}') {
            return Err(self.lexer.expected("the end of the line"));
        }
        Ok(())
    }

    fn finish_object(&mut self) -> Result<()> {
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let object = match current.finish(&self.lexer) {
            Ok(object) => Some(object),
            Err(errors) => {
                for error in errors {
                    self.recover(error)?;
                }
                None
            }
        };
        match (&mut self.recovery, object) {
            (None, object) => self.module.objects.extend(object),
            (Some(recovery), object) => {
                if let (Some(spans), Some(object)) = (recovery.end_object(), object) {
                    self.module.objects.push(object);
                    recovery.spans.push(spans);
                }
            }
        }
        Ok(())
    }

    /// Records the span from the mark to the current position, if spans are recorded.
    pub fn note(&mut self, mark: Mark, note: impl FnOnce(&mut ObjectSpans, Span)) {
        if let Some(recovery) = &mut self.recovery {
            let span = self.lexer.span(mark);
            note(&mut recovery.current, span);
        }
    }

    /// Error about a statement before the first kernel. Later lines are read as part of a kernel, so that the error
    /// is reported once.
    fn outside(&mut self, expected: &'static str) -> ParseError {
        let error = self.lexer.expected(expected);
        if self.recovery.is_some() {
            self.current = Some(Current::new(ObjectKind::Kernel, String::new()));
            self.has_version = true;
        }
        error
    }

    /// Reads the definition of a label or an instruction.
    fn statement(&mut self, mark: Mark) -> Result<()> {
        if self.current.is_none() {
            return Err(self.outside("`.version`, `.kernel` or `.global_function`"));
        }
        let mut pred = None;
        if self.lexer.eat(b'(') {
            pred = Some(self.pred()?);
            self.note(mark, |spans, span| spans.part(Subject::Guard, span));
        }
        let name_mark = self.lexer.mark();
        if pred.is_none()
            && let Some(name) = self.lexer.label()
        {
            return self.define(name, mark);
        }
        let Some(name) = self.lexer.mnemonic() else {
            return Err(self
                .lexer
                .expected("an instruction, a label or a directive"));
        };
        let is_label = pred.is_none() && self.lexer.next_is(b':') && !name.contains('+');
        if !is_label {
            let inst = self.inst(name, name_mark, pred, mark)?;
            return self.push(inst, mark);
        }
        self.lexer.skip(1);
        self.define(name, mark)
    }

    /// Adds the definition of a label that was read since the mark.
    fn define(&mut self, name: &'a str, mark: Mark) -> Result<()> {
        let current = self.current()?;
        let label = current.label(Cow::Borrowed(name));
        let op = match current.labels[label.index()].kind {
            LabelKind::Subroutine => Opcode::Subroutine,
            LabelKind::Block | LabelKind::Kernel => Opcode::Label,
        };
        let inst = Inst {
            op,
            exec: Exec::NONE,
            pred: None,
            operands: SmallVec::from_iter([Operand::Label(label)]),
            place: place(mark),
            origin: Inst::UNNUMBERED,
        };
        self.push(inst, mark)
    }

    /// Adds the instruction that was read since the mark.
    fn push(&mut self, inst: Inst, mark: Mark) -> Result<()> {
        self.note(mark, |spans, span| spans.inst(span));
        self.current()?.push(inst);
        Ok(())
    }

    /// Object that is being read; an error before the first.
    pub fn current(&mut self) -> Result<&mut Current<'a>> {
        if self.current.is_none() {
            return Err(self.outside("`.kernel` or `.global_function` before"));
        }
        match &mut self.current {
            Some(current) => Ok(current),
            None => Err(self.lexer.expected("`.kernel`")),
        }
    }

    fn directive(&mut self, mark: Mark) -> Result<()> {
        let name = self.lexer.suffix().unwrap_or("");
        if name != "version" && !self.has_version {
            let found = format!("`.{name}`");
            let kind = ParseErrorKind::Expected {
                expected: "`.version`",
                found,
            };
            let error = self.lexer.error_from(mark, kind);
            self.recover(error)?;
            self.has_version = true;
        }
        if self.is_part && !matches!(name, "decl" | "file" | "loc") {
            return Err(self.unknown(mark, "directive of a part of a kernel", name));
        }
        match name {
            "version" => self.version(mark),
            "kernel" => self.begin(ObjectKind::Kernel, mark),
            "global_function" => {
                let kind = ObjectKind::Function {
                    linkage: Linkage::Global,
                    arg_grfs: 0,
                    ret_grfs: 0,
                };
                self.begin(kind, mark)
            }
            "funcdecl" => self.text_name().map(drop),
            "decl" => self.decl(mark),
            "input" => self.input(0, mark),
            "kernel_attr" => {
                let attr = self.attr()?;
                let name = attr
                    .as_ref()
                    .map_or("", |attr| attr.name.as_str())
                    .to_owned();
                self.note(mark, |spans, span| spans.attrs.push((name, span)));
                self.current()?.object.attrs.extend(attr);
                Ok(())
            }
            "function" => {
                let name = self.text_name()?;
                let current = self.current()?;
                let label = current.label(name);
                current.labels[label.index()].kind = LabelKind::Subroutine;
                Ok(())
            }
            "file" | "loc" => {
                let op = if name == "file" {
                    Opcode::File
                } else {
                    Opcode::Loc
                };
                let inst = self.after_mnemonic(op, None, None, mark)?;
                self.push(inst, mark)
            }
            name => match name.strip_prefix("implicit_").and_then(implicit_kind) {
                Some(kind) => self.input(kind, mark),
                None => Err(self.unknown(mark, "directive", name)),
            },
        }
    }

    pub fn unknown(&self, mark: Mark, what: &'static str, name: &str) -> ParseError {
        let name = name.to_owned();
        self.lexer
            .error_from(mark, ParseErrorKind::Unknown { what, name })
    }

    fn version(&mut self, mark: Mark) -> Result<()> {
        // One that is wrong is reported once.
        let is_first = !std::mem::replace(&mut self.has_version, true);
        let major = self.lexer.unsigned("a major version")?;
        self.lexer.expect(b'.', "`.` and a minor version")?;
        let minor = self.lexer.unsigned("a minor version")?;
        if !has_texts((major, minor)) {
            return Err(self
                .lexer
                .error_from(mark, ParseErrorKind::Version { major, minor }));
        }
        if is_first {
            self.module.version = (major, minor);
        }
        Ok(())
    }

    fn begin(&mut self, kind: ObjectKind, mark: Mark) -> Result<()> {
        let name = self.text_name().map(Cow::into_owned);
        if name.is_ok() || self.recovery.is_some() {
            self.finish_object()?;
            let name = name.as_deref().unwrap_or_default();
            self.current = Some(Current::new(kind, name.to_owned()));
            self.note(mark, |spans, span| spans.header = span);
        }
        name.map(drop)
    }

    /// Reads a name, in quotes or not.
    pub fn text_name(&mut self) -> Result<Cow<'a, str>> {
        if self.lexer.peek() == b'"' {
            return self.lexer.string();
        }
        match self.lexer.name() {
            Some(name) => Ok(Cow::Borrowed(name)),
            None => Err(self.lexer.expected("a name")),
        }
    }

    fn some_name(&mut self, what: &'static str) -> Result<&'a str> {
        self.lexer.name().ok_or_else(|| self.lexer.expected(what))
    }

    fn decl(&mut self, start: Mark) -> Result<()> {
        self.current()?;
        let mark = self.lexer.mark();
        let name = self.some_name("the name of a variable")?;
        let symbol = self.declared(name).inspect_err(|_| {
            if let Some(recovery) = &mut self.recovery {
                recovery.undeclared(name);
            }
        })?;
        self.note(start, |spans, span| spans.of(symbol).push(span));
        if !self.current()?.declare(name, symbol) {
            let kind = ParseErrorKind::Duplicate {
                name: name.to_owned(),
            };
            return Err(ParseError::new(mark, name.len(), kind));
        }
        Ok(())
    }

    /// Reads the properties of a declaration, after its name, and declares the entity.
    fn declared(&mut self, name: &'a str) -> Result<Symbol> {
        let after = self.lexer.mark();
        let mut class = None;
        let mut ty = None;
        let mut elements: Option<u16> = None;
        let mut align = Align::Byte;
        let mut alias = None;
        let mut v_name = "";
        let mut attrs = Vec::new();
        while !self.lexer.at_line_end() {
            let mark = self.lexer.mark();
            let key = self.some_name("a property of the variable")?;
            self.lexer.expect(b'=', "`=`")?;
            match key {
                "v_type" => class = Some(self.some_name("G, A, P, S or T")?),
                "type" => ty = Some(self.ty()?),
                "num_elts" => elements = Some(self.unsigned("a count of elements")?),
                "align" => align = self.align()?,
                "alias" => alias = self.alias()?,
                "v_name" => v_name = self.some_name("a name")?,
                "attrs" => attrs = self.attrs()?,
                key => return Err(self.unknown(mark, "property of a variable", key)),
            }
        }
        let missing = |parser: &Self, expected| {
            let found = "the end of the declaration".to_owned();
            parser
                .lexer
                .error_from(after, ParseErrorKind::Expected { expected, found })
        };
        let Some(elements) = elements else {
            return Err(missing(self, "`num_elts=`"));
        };
        let current = self.current()?;
        let distinct = match class {
            Some("G" | "A" | "P") => current.distinct(name),
            _ => Name::default(),
        };
        let object = &mut current.object;
        Ok(match (class, ty) {
            (Some("G"), Some(ty)) => {
                let decl = VarDecl {
                    name: distinct,
                    ty,
                    align,
                    elements,
                    alias,
                    attrs,
                };
                Symbol::Var(object.vars.push(decl))
            }
            (Some("A"), _) => Symbol::Addr(object.addrs.push(ArrayDecl {
                name: distinct,
                elements,
                attrs,
            })),
            (Some("P"), _) => Symbol::Predicate(object.predicates.push(ArrayDecl {
                name: distinct,
                elements,
                attrs,
            })),
            (Some("S"), _) => {
                let name = v_name.into();
                Symbol::Sampler(object.samplers.push(ArrayDecl {
                    name,
                    elements,
                    attrs,
                }))
            }
            (Some("T"), _) => {
                let name = v_name.into();
                Symbol::Surface(object.surfaces.push(ArrayDecl {
                    name,
                    elements,
                    attrs,
                }))
            }
            (Some("G"), None) => return Err(missing(self, "`type=`")),
            _ => return Err(missing(self, "`v_type=` G, A, P, S or T")),
        })
    }

    pub fn ty(&mut self) -> Result<Type> {
        let mark = self.lexer.mark();
        let name = self.some_name("a type")?;
        Type::from_name(name)
            .or_else(|| Type::from_name(&name.to_ascii_lowercase()))
            .ok_or_else(|| self.unknown(mark, "type", name))
    }

    fn align(&mut self) -> Result<Align> {
        let mark = self.lexer.mark();
        let first = self.lexer.peek();
        if first.is_ascii_alphabetic() {
            let name = self.some_name("an alignment")?;
            return Align::from_name(name).ok_or_else(|| self.unknown(mark, "alignment", name));
        }
        let old = [
            ("2GRF", Align::TwoGrf),
            ("32word", Align::Word32),
            ("64word", Align::Word64),
        ];
        if let Some((_, align)) = old.iter().find(|(word, _)| self.lexer.eat_word(word)) {
            return Ok(*align);
        }
        let bytes: i64 = self.wide("an alignment")?;
        let kind = ParseErrorKind::Range {
            what: "the alignment",
            expected: "a power of two up to 128",
        };
        Align::from_bytes(bytes.into()).ok_or_else(|| self.lexer.error_from(mark, kind))
    }

    /// Reads an alias: `<V32, 4>`. An alias of `%null` is none.
    fn alias(&mut self) -> Result<Option<(Var, u16)>> {
        self.lexer.expect(b'<', "`<`, a variable and an offset")?;
        let var = self.var()?;
        self.lexer.expect(b',', "`,` and an offset")?;
        let offset = self.in_angles("the offset of an alias")?;
        self.lexer.expect(b'>', "`>`")?;
        Ok((var.as_u32() != predefined::NULL).then_some((var, offset)))
    }

    fn attrs(&mut self) -> Result<Vec<Attr>> {
        self.lexer.expect(b'{', "`{` and attributes")?;
        let mut attrs = Vec::new();
        loop {
            attrs.extend(self.attr()?);
            if !self.lexer.eat(b',') {
                self.lexer.expect(b'}', "`,` or `}`")?;
                return Ok(attrs);
            }
        }
    }

    /// Reads an attribute: `Name`, `Name=1` or `Name="text"`. `None` if the module does not keep it.
    fn attr(&mut self) -> Result<Option<Attr>> {
        // Names of attributes have no `%`.
        if self.lexer.peek() == b'%' {
            return Err(self.lexer.expected("the name of an attribute"));
        }
        let name = self.some_name("the name of an attribute")?;
        let value = if !self.lexer.eat(b'=') || self.lexer.at_line_end() {
            AttrValue::Flag
        } else if self.lexer.peek() == b'"' {
            AttrValue::Str(self.lexer.string()?.into())
        } else {
            AttrValue::Int(self.in_angles("the value of an attribute")?)
        };
        Ok(attributes::normal(name.into(), value))
    }

    fn input(&mut self, implicit: u8, start: Mark) -> Result<()> {
        self.current()?;
        let mark = self.lexer.mark();
        let name = self.some_name("the name of a variable")?;
        let var = match self.current()?.symbol(name) {
            Some(Symbol::Var(var)) => InputVar::General(var),
            Some(Symbol::Sampler(sampler)) => InputVar::Sampler(sampler),
            Some(Symbol::Surface(surface)) => InputVar::Surface(surface),
            _ => return Err(self.unknown(mark, "variable", name)),
        };
        let mut offset = 0;
        let mut size = match var {
            InputVar::General(var) => {
                u16::try_from(self.current()?.object.vars[var].bytes()).unwrap_or(u16::MAX)
            }
            InputVar::Sampler(_) | InputVar::Surface(_) => 4,
        };
        while !self.lexer.at_line_end() {
            let mark = self.lexer.mark();
            let key = self.some_name("`offset=` or `size=`")?;
            self.lexer.expect(b'=', "`=`")?;
            match key {
                "offset" => offset = self.unsigned("an offset")?,
                "size" => size = self.unsigned("a size")?,
                key => return Err(self.unknown(mark, "property of an input", key)),
            }
        }
        self.note(start, |spans, span| spans.inputs.push(span));
        self.current()?.object.inputs.push(Input {
            var,
            implicit,
            offset,
            size,
        });
        Ok(())
    }

    fn inst(
        &mut self,
        name: &'a str,
        name_mark: Mark,
        pred: Option<PredUse>,
        mark: Mark,
    ) -> Result<Inst> {
        if name.starts_with("lsc_") {
            return self.lsc(name, name_mark, pred, mark);
        }
        // A call of a kernel of another module has its own mnemonic.
        let (name, external) = match name {
            EXTERNAL_CALL => (Opcode::Call.row().mnemonic, true),
            name => (name, false),
        };
        let dotted = match name {
            "add3" | "va" | "va_skl_plus" => self.lexer.dotted(name),
            _ => None,
        };
        let dotted = dotted.and_then(|name| Some((name, Opcode::from_mnemonic(name)?)));
        let (op, number) = match dotted {
            Some((dotted, found)) => {
                self.lexer.skip(dotted.len() - name.len());
                found
            }
            None => Opcode::from_mnemonic(name)
                .ok_or_else(|| self.unknown(name_mark, "instruction", name))?,
        };
        if pred.is_some() && !op.row().has_pred {
            let kind = ParseErrorKind::Superfluous {
                mnemonic: op.row().mnemonic,
                what: "predicate",
            };
            return Err(ParseError::new(mark, 1, kind));
        }
        let inst = self.after_mnemonic(op, number, pred, mark)?;
        if let (true, Some(Operand::Label(label))) = (external, inst.operands.first()) {
            self.current()?.labels[label.index()].kind = LabelKind::Kernel;
        }
        Ok(inst)
    }

    /// Reads a predicate after the `(`: `P1`, `!P1` or `P1.any`, and the `)`.
    fn pred(&mut self) -> Result<PredUse> {
        let inverse = self.lexer.eat(b'!');
        let pred = self.predicate()?;
        let mark = self.lexer.mark();
        let combine = match self.lexer.suffix() {
            None => Combine::None,
            Some("any") => Combine::Any,
            Some("all") => Combine::All,
            Some(name) => return Err(self.unknown(mark, "control of a predicate", name)),
        };
        self.lexer.expect(b')', "`)`")?;
        Ok(PredUse {
            pred,
            inverse,
            combine,
        })
    }

    /// Reads an instruction after its mnemonic: suffixes, execution size, operands.
    fn after_mnemonic(
        &mut self,
        op: Opcode,
        number: Option<u32>,
        pred: Option<PredUse>,
        mark: Mark,
    ) -> Result<Inst> {
        let row = op.row();
        // Every operand has its place from the start, filled with the number 0, since text may have another order.
        let mut operands: Operands = (0..row.operand_count())
            .map(|_| Operand::Field(0))
            .collect();
        if let (Some(n), Some(Field::Number(..))) = (number, row.operands.first()) {
            operands[0] = Operand::Field(n);
        }
        let saturate = self.suffixes(row, &mut operands)?;
        let exec = if row.has_exec {
            self.exec()?
        } else {
            Exec::NONE
        };
        if matches!(op, Opcode::Gather | Opcode::Scatter) && self.lexer.peek() == b'.' {
            self.modified(op, &mut operands)?;
        }
        if op == Opcode::Nbarrier {
            self.named_barrier(&mut operands)?;
        } else {
            self.operands(row, saturate, &mut operands)?;
        }
        let op = match (op, operands.last()) {
            // The address of a variable and nothing to it.
            (Opcode::Mov, Some(Operand::AddressOf { .. } | Operand::State { .. }))
                if pred.is_none() =>
            {
                let nothing = Operand::imm(Type::Uw, 0);
                operands.push(nothing);
                Opcode::AddrAdd
            }
            _ => op,
        };
        Ok(Inst {
            op,
            exec,
            pred,
            operands,
            place: place(mark),
            origin: Inst::UNNUMBERED,
        })
    }

    /// Reads the `.mod` after the execution size of a `gather`, or of a `scatter`, for which it has no meaning.
    fn modified(&mut self, op: Opcode, operands: &mut Operands) -> Result<()> {
        let mark = self.lexer.adjacent_mark();
        match self.lexer.suffix() {
            Some("mod") if op == Opcode::Gather => set_bits(operands, 1, 1),
            Some("mod") => {}
            word => return Err(self.unknown(mark, "suffix", word.unwrap_or_default())),
        }
        Ok(())
    }

    /// Reads the other half of a pair of surfaces, which objects have no operand for.
    fn no_pair(&mut self) -> Result<()> {
        let mark = self.lexer.mark();
        match self.raw()? {
            Operand::Raw { var, .. } if var.as_u32() == predefined::NULL => Ok(()),
            _ => Err(self.unknown(mark, "pair of surfaces; %null is known", "")),
        }
    }

    /// Reads the operands in the order of text into their places.
    fn operands(&mut self, row: &Row, saturate: bool, operands: &mut Operands) -> Result<()> {
        let first_number = if row.optional {
            let first = row.operand_fields().position(is_number);
            first.and_then(|i| number_in(operands, i)).unwrap_or(0)
        } else {
            0
        };
        for (i, field) in row.text_fields() {
            match field {
                // The plane of a media block is 0 if the text has none.
                Field::Number(_, Meaning::Amount)
                    if matches!(row.opcode, Opcode::MediaLd | Opcode::MediaSt)
                        && !self.lexer.is_plain_number() => {}
                Field::Number(_, meaning) => self.positional(meaning, i, operands)?,
                Field::Labels => self.labels(operands)?,
                Field::RawSrcs => {
                    if pairs_surfaces(self.module.version) && samples(row.opcode) {
                        self.no_pair()?;
                    }
                    while !self.lexer.at_line_end() {
                        let (mark, number) = (self.lexer.mark(), operands.len());
                        operands.push(self.raw()?);
                        let part = Subject::Operand(number);
                        self.note(mark, |spans, span| spans.part(part, span));
                    }
                }
                field if field.is_absent(first_number) => {}
                Field::Src(_) if row.opcode == Opcode::Mov && self.lexer.eat(b'&') => {
                    operands[i] = self.address_of()?;
                }
                field => {
                    let (before, after) = punctuation(row.opcode, i);
                    if let Some((c, what)) = before {
                        self.lexer.expect(c, what)?;
                    }
                    let mark = self.lexer.mark();
                    operands[i] = self.operand(field, saturate)?;
                    self.note(mark, |spans, span| {
                        let fields = row.operand_fields().take(i);
                        let absent = fields.filter(|f| f.is_absent(first_number)).count();
                        spans.part(Subject::Operand(i - absent), span);
                    });
                    if let Some((c, what)) = after {
                        self.lexer.expect(c, what)?;
                    }
                }
            }
        }
        if row.optional {
            let mut fields = row.operand_fields();
            operands.retain(|_| !fields.next().is_some_and(|f| f.is_absent(first_number)));
        }
        Ok(())
    }

    /// Reads the operands of `nbarrier`. A wait has the barrier; a signal also the number of threads, or type,
    /// producers and consumers. The instruction always has all five operands.
    fn named_barrier(&mut self, operands: &mut Operands) -> Result<()> {
        let source = Field::Src(Kinds::GENERAL);
        let mut given = SmallVec::<[Operand; 4]>::new();
        while !self.lexer.at_line_end() && given.len() < 4 {
            let mark = self.lexer.mark();
            given.push(self.operand(source, false)?);
            let part = Subject::Operand(given.len());
            self.note(mark, |spans, span| spans.part(part, span));
        }
        let signals = number_in(operands, 0) == Some(1);
        let (mode, rest) = match (signals, given.as_slice()) {
            (false, [_]) => (0, [NO_TYPE, NO_COUNT, NO_COUNT]),
            (true, [_, threads]) => (1, [NO_TYPE, threads.clone(), threads.clone()]),
            (true, [_, ty, from, to]) => (2, [ty.clone(), from.clone(), to.clone()]),
            (false, _) => return Err(self.lexer.expected("one operand: the barrier")),
            (true, _) => {
                return Err(self
                    .lexer
                    .expected("two operands: barrier and threads; or four: barrier, type, producers and consumers"));
            }
        };
        let barrier = given.swap_remove(0);
        let all = [Operand::Field(mode), barrier].into_iter().chain(rest);
        *operands = all.collect();
        Ok(())
    }

    /// Reads the suffixes of the mnemonic. Returns true if `.sat` is among them.
    fn suffixes(&mut self, row: &Row, operands: &mut Operands) -> Result<bool> {
        if !self.lexer.next_is(b'.') && !row.operand_fields().any(is_number) {
            return Ok(false);
        }
        let numbers = || {
            row.text_fields().filter_map(|(i, field)| match field {
                Field::Number(_, meaning) => Some((i, meaning)),
                _ => None,
            })
        };
        let systolic = numbers().find(|(_, meaning)| meaning.suffixes() == Suffixes::Systolic);
        let mut saturate = false;
        let mut given: u32 = 0;
        let mut from = 0;
        loop {
            let mark = self.lexer.adjacent_mark();
            let Some(word) = self.lexer.suffix() else {
                break;
            };
            if let Some((i, _)) = systolic {
                let bits = systolic_suffix(word, from);
                let bits = bits.ok_or_else(|| self.unknown(mark, "suffix", word))?;
                set_bits(operands, i, bits);
                from += 1;
                continue;
            }
            if word == "sat" && row.saturates {
                saturate = true;
                continue;
            }
            if word == "eot" && row.opcode == Opcode::RawSends {
                set_bits(operands, 0, 2);
                continue;
            }
            if word.is_empty() && row.opcode == Opcode::RawSendg && self.lexer.next_is(b'(') {
                let unit: u8 = self.prim("a unit")?;
                let unit_at = numbers().find(|(_, meaning)| *meaning == Meaning::FunctionUnit);
                if let Some((i, _)) = unit_at {
                    set_bits(operands, i, unit.into());
                    given |= 1 << i;
                }
                continue;
            }
            let found = numbers()
                .enumerate()
                .skip(from)
                .find_map(|(k, (i, meaning))| {
                    meaning
                        .suffix_value(word)
                        .map(|bits| (k, i, meaning.suffixes(), bits))
                });
            let Some((k, i, suffixes, bits)) = found else {
                return Err(self.unknown(mark, "suffix", word));
            };
            set_bits(operands, i, bits);
            given |= 1 << i;
            from = k + usize::from(suffixes == Suffixes::One);
        }
        given |= systolic.map_or(0, |(i, _)| u32::from(from == 4) << i);
        let is_conditional = number_in(operands, 0).is_some_and(|n| n & 1 == 1);
        if row.opcode == Opcode::RawSends && is_conditional && given == SENDS_WITHOUT_UNIT {
            // The unit is in the extended descriptor, and the counts come first.
            operands[1..=4].rotate_right(1);
            given = u32::MAX;
        }
        for (i, meaning) in numbers() {
            let needed = !matches!(meaning.suffixes(), Suffixes::None | Suffixes::Flags);
            if needed && given >> i & 1 == 0 {
                let kind = ParseErrorKind::MissingSuffix {
                    mnemonic: row.mnemonic,
                    what: meaning.described(),
                };
                let mark = self.lexer.adjacent_mark();
                return Err(ParseError::new(mark, 0, kind));
            }
        }
        Ok(saturate)
    }

    /// Reads an execution size: `(M1_NM, 16)` or `(16)`.
    pub fn exec(&mut self) -> Result<Exec> {
        let start = self.lexer.mark();
        if let Some(exec) = self.short_exec() {
            self.note(start, |spans, span| spans.part(Subject::Exec, span));
            return Ok(exec);
        }
        self.lexer.expect(b'(', "`(` and the execution size")?;
        let (mut offset, mut no_mask) = (0, false);
        let mark = self.lexer.mark();
        if let Some(name) = self.lexer.name() {
            (offset, no_mask) =
                mask(name).ok_or_else(|| self.unknown(mark, "execution mask", name))?;
            self.lexer.expect(b',', "`,` and the execution size")?;
        }
        let mark = self.lexer.mark();
        let size: u8 = self.lexer.unsigned("an execution size")?;
        if !size.is_power_of_two() || size > 32 {
            let expected = "1, 2, 4, 8, 16 or 32";
            let kind = ParseErrorKind::Range {
                what: "the execution size",
                expected,
            };
            return Err(self.lexer.error_from(mark, kind));
        }
        self.lexer.expect(b')', "`)`")?;
        self.note(start, |spans, span| spans.part(Subject::Exec, span));
        Ok(Exec {
            size,
            offset,
            no_mask,
        })
    }

    /// Reads an execution size with one blank and without an error: `(M1, 16)` or `(M1_NM, 1)`, as nearly all are.
    fn short_exec(&mut self) -> Option<Exec> {
        let lexer = &self.lexer;
        let (mask, size, no_mask, length) = if let Some([m, n]) = lexer.digits(b"(M#, #)") {
            (m, n, false, 7)
        } else if let Some([m, n, o]) = lexer.digits(b"(M#, ##)") {
            (m, 10 * n + o, false, 8)
        } else if let Some([m, n]) = lexer.digits(b"(M#_NM, #)") {
            (m, n, true, 10)
        } else {
            let [m, n, o] = lexer.digits(b"(M#_NM, ##)")?;
            (m, 10 * n + o, true, 11)
        };
        if !(1..=8).contains(&mask) || !size.is_power_of_two() || size > 32 {
            return None;
        }
        self.lexer.skip(length);
        Some(Exec {
            size,
            offset: (mask - 1) * 4,
            no_mask,
        })
    }

    /// Reads the part of a number that is among the operands.
    fn positional(&mut self, meaning: Meaning, i: usize, operands: &mut Operands) -> Result<()> {
        let bits = match meaning.positional() {
            Positional::No => return Ok(()),
            Positional::Decimal | Positional::Hex => {
                let mark = self.lexer.mark();
                let n = self.lexer.integer("a number")?;
                let n = u32::try_from(n).or_else(|_| i32::try_from(n).map(|n| n as u32));
                n.map_err(|_| {
                    self.lexer
                        .error_from(mark, ParseErrorKind::number("a number"))
                })?
            }
            Positional::Power => {
                let n: u8 = self.in_parentheses()?;
                n.trailing_zeros()
            }
            Positional::Simd if self.lexer.peek() != b'(' => 0,
            Positional::Simd => u32::from(self.in_parentheses()? == 16) << 4,
            Positional::First => {
                self.lexer.expect(b'(', "`(`")?;
                self.lexer.unsigned("a number")?
            }
            Positional::Second => {
                self.lexer.expect(b',', "`,`")?;
                let n = self.lexer.unsigned("a number")?;
                self.lexer.expect(b')', "`)`")?;
                n
            }
            Positional::Slash => {
                self.lexer.expect(b'/', "`/` and a size in bytes")?;
                self.prim("a size in bytes")?
            }
            Positional::Wide => {
                let n = self.wide("a descriptor")? as u64;
                set_bits(operands, i + 1, (n >> 32) as u32);
                n as u32
            }
            Positional::Named(names) => {
                let mark = self.lexer.mark();
                let name = self.some_name("a mode")?;
                bits_of(names, name).ok_or_else(|| self.unknown(mark, "mode", name))?
            }
            Positional::Variable => {
                let mark = self.lexer.mark();
                let name = self.some_name("a variable")?;
                let (class, n) = match self.current()?.symbol(name) {
                    Some(Symbol::Var(var)) => (0, var.as_u32()),
                    Some(Symbol::Addr(addr)) => (1, addr.as_u32()),
                    Some(Symbol::Predicate(pred)) => (2, pred.as_u32()),
                    _ => return Err(self.unknown(mark, "variable", name)),
                };
                set_bits(operands, 0, class << 4);
                n
            }
        };
        set_bits(operands, i, bits);
        Ok(())
    }

    /// Reads a power of two up to 16: `(4)`.
    fn in_parentheses(&mut self) -> Result<u8> {
        self.lexer.expect(b'(', "`(` and a count")?;
        let mark = self.lexer.mark();
        let n: u8 = self.lexer.unsigned("a count")?;
        if !n.is_power_of_two() || n > 16 {
            let kind = ParseErrorKind::Range {
                what: "the count",
                expected: "1, 2, 4, 8 or 16",
            };
            return Err(self.lexer.error_from(mark, kind));
        }
        self.lexer.expect(b')', "`)`")?;
        Ok(n)
    }

    /// Reads a list of labels: `(_0_004, _0_005)`, with or without commas.
    fn labels(&mut self, list: &mut Operands) -> Result<()> {
        self.lexer.expect(b'(', "`(` and labels")?;
        loop {
            let (mark, number) = (self.lexer.mark(), list.len());
            let label = self.label_name()?;
            let part = Subject::Operand(number);
            self.note(mark, |spans, span| spans.part(part, span));
            list.push(Operand::Label(label));
            while self.lexer.eat(b',') {}
            if self.lexer.eat(b')') {
                return Ok(());
            }
        }
    }

    /// Reads the name of a label, in quotes or without.
    pub fn label_name(&mut self) -> Result<Label> {
        let name = match self.lexer.peek() {
            b'"' => self.lexer.string()?,
            _ => Cow::Borrowed(self.some_name("a label")?),
        };
        Ok(self.current()?.label(name))
    }
}

/// Operands of a split send that are given if the text leaves the unit out: two counts of GRFs, and the unit's place.
const SENDS_WITHOUT_UNIT: u32 = 1 << 4 | 1 << 1 | 1 << 2;

/// Operands of an instruction.
pub(super) type Operands = SmallVec<[Operand; 4]>;

fn is_number(field: Field) -> bool {
    matches!(field, Field::Number(..))
}

/// The number that is operand `i`.
fn number_in(operands: &Operands, i: usize) -> Option<u32> {
    match operands.get(i) {
        Some(Operand::Field(n)) => Some(*n),
        _ => None,
    }
}

/// Sets bits of the number that is operand `i`.
fn set_bits(operands: &mut Operands, i: usize, bits: u32) {
    if let Some(Operand::Field(n)) = operands.get_mut(i) {
        *n |= bits;
    }
}

/// Type, and count of threads, of a barrier that waits.
const NO_TYPE: Operand = Operand::Imm {
    ty: Type::Uw,
    bits: 0,
};
const NO_COUNT: Operand = Operand::Imm {
    ty: Type::Ub,
    bits: 0,
};

/// First channel of a mask, and true if it is NoMask: `M1`, `M3_NM`, `NoMask`.
fn mask(name: &str) -> Option<(u8, bool)> {
    let first = |digit: u8| (digit - b'1') * 4;
    match *name.as_bytes() {
        [b'M', digit @ b'1'..=b'8'] => Some((first(digit), false)),
        [b'M', digit @ b'1'..=b'8', b'_', b'N', b'M'] => Some((first(digit), true)),
        _ => (name == "NoMask").then_some((0, true)),
    }
}

/// Provenance of an input with this name in text.
fn implicit_kind(name: &str) -> Option<u8> {
    let named = IMPLICIT_KINDS
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, kind)| *kind);
    named.or_else(|| name.strip_prefix(UNDEFINED_KIND)?.parse().ok())
}

pub(super) fn place(mark: Mark) -> Place {
    Place {
        pos: mark.line,
        column: mark.column,
    }
}
