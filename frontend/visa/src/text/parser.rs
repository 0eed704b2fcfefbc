//! Statements: directives, labels, and instructions but their operands.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cranelift_entity::EntityRef;
use foldhash::fast::RandomState;
use smallvec::SmallVec;

use super::diagnose::{Diagnosis, Recovery};
use super::lexer::{Lexer, Mark};
use super::number::{
    IMPLICIT_KINDS, Positional, Suffixes, UNDEFINED_KIND, bits_of, systolic_suffix,
};
use super::spans::{ObjectSpans, Span};
use super::{ParseError, ParseErrorKind, punctuation};
use crate::attributes;
use crate::binary::has_texts;
use crate::labels::{self, LabelError};
use crate::module::{
    Addr, Align, ArrayDecl, Attr, AttrValue, Combine, Exec, Input, InputVar, Inst, Label,
    LabelDecl, LabelKind, Linkage, Module, Name, Object, ObjectKind, Operand, Place, PredUse,
    Predicate, Sampler, Subject, Surface, Type, Var, VarDecl, predefined,
};
use crate::opcode::{Field, Kinds, Meaning, Opcode, Row};

/// What a name is declared as.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Symbol {
    Var(Var),
    Addr(Addr),
    Predicate(Predicate),
    Sampler(Sampler),
    Surface(Surface),
}

impl Symbol {
    /// The number in its name, if it is called as most are that are such.
    fn number(self, name: &str) -> Option<u32> {
        match self {
            Symbol::Var(_) => name_number(name, 'V'),
            Symbol::Predicate(_) => name_number(name, 'P'),
            _ => None,
        }
    }
}

/// The object that is being read.
pub(super) struct Current<'a> {
    /// Of it what is declared. Both halves of long code have it, until one declares more.
    pub object: Arc<Object>,
    pub insts: Vec<Inst>,
    /// The numbers of the instructions with labels.
    pub labelled: Vec<usize>,
    /// But for the variables and predicates that their names' numbers lead to, while there are no scopes: these
    /// are nearly all ([`Current::numbered`]).
    pub symbols: HashMap<Name, Symbol, RandomState>,
    /// By how much the number of the first variable that is called `V` and a number is more than that in
    /// its name. Mostly that of all.
    pub ahead: Option<u32>,
    /// By variable, the bytes of its name if the number in it leads to it, and 0 if not; perhaps not of the last.
    /// Number and length say all of such a name.
    pub var_names: Vec<u8>,
    /// The same of predicates.
    pub predicate_names: Vec<u8>,
    /// Whether `symbols` may have a name like those.
    pub misled: bool,
    pub scopes: Scopes<'a>,
    pub labels: Vec<LabelDecl>,
    pub label_numbers: HashMap<Cow<'a, str>, Label, RandomState>,
    /// Declarations are read from here to their end.
    pub listed: bool,
    /// The rest is read from here to its end.
    pub in_order: bool,
}

/// The declarations between `{` and `}`, which are forgotten at the latter.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    /// Where each open scope stands, and how many of `hidden` there were before.
    open: Vec<(Mark, usize)>,
    /// What each name declared in an open scope was before.
    hidden: Vec<(&'a str, Option<Symbol>)>,
    /// All names there ever were, from the first scope on; none before.
    names: Option<HashSet<String>>,
}

impl Scopes<'_> {
    /// There never was one.
    pub fn are_none(&self) -> bool {
        self.names.is_none()
    }
}

pub(super) struct Parser<'a> {
    pub lexer: Lexer<'a>,
    pub module: Module,
    pub has_version: bool,
    pub current: Option<Current<'a>>,
    /// If the parser is to go on behind errors.
    pub recovery: Option<Box<Recovery>>,
}

type Result<T> = std::result::Result<T, ParseError>;

/// The mnemonic of a `call` whose label is that of a kernel.
pub(crate) const EXTERNAL_CALL: &str = "fccall";

/// The sampler that is never declared.
const BINDLESS: &str = "S31";

/// The number behind the letter that variables, or predicates, have.
fn name_number(name: &str, letter: char) -> Option<u32> {
    name.strip_prefix(letter)?.parse().ok()
}

impl<'a> Current<'a> {
    fn new(kind: ObjectKind, name: String) -> Current<'a> {
        let vars = predefined::VARS.iter().enumerate();
        let vars = vars.map(|(i, (name, ..))| (Name::new_static(name), Symbol::Var(Var::new(i))));
        let surfaces = predefined::SURFACES.iter().enumerate();
        let surfaces =
            surfaces.map(|(i, name)| (Name::new_static(name), Symbol::Surface(Surface::new(i))));
        let bindless = Sampler::from_u32(predefined::BINDLESS_SAMPLER);
        Current {
            object: Arc::new(Object::new(kind, name.into())),
            insts: Vec::new(),
            labelled: Vec::new(),
            symbols: vars
                .chain(surfaces)
                .chain([(Name::new_static(BINDLESS), Symbol::Sampler(bindless))])
                .collect(),
            ahead: None,
            var_names: Vec::new(),
            predicate_names: Vec::new(),
            misled: false,
            scopes: Scopes::default(),
            labels: Vec::new(),
            label_numbers: HashMap::default(),
            listed: false,
            in_order: false,
        }
    }

    /// Whether what is called as most variables and predicates are is one of these, and there never was a scope.
    pub fn has_numbers_only(&self) -> bool {
        !self.misled && self.scopes.are_none()
    }

    /// To declare more.
    pub fn object_mut(&mut self) -> &mut Object {
        Arc::make_mut(&mut self.object)
    }

    fn open_scope(&mut self, mark: Mark) {
        if self.scopes.are_none() {
            // From here on a name can have another meaning than its number says.
            let vars = self.object.vars.iter().skip(predefined::VAR_COUNT);
            let vars = vars.map(|(var, decl)| (decl.name.clone(), Symbol::Var(var)));
            let predicates = self.object.predicates.iter().skip(1);
            let predicates =
                predicates.map(|(pred, decl)| (decl.name.clone(), Symbol::Predicate(pred)));
            self.symbols.extend(vars.chain(predicates));
            let names = self.symbols.keys().map(|name| name.to_string());
            self.scopes.names = Some(names.collect());
        }
        self.scopes.open.push((mark, self.scopes.hidden.len()));
    }

    /// Whether there was one to close.
    fn close_scope(&mut self) -> bool {
        let Some((_, before)) = self.scopes.open.pop() else {
            return false;
        };
        for (name, symbol) in self.scopes.hidden.drain(before..).rev() {
            match symbol {
                Some(symbol) => self.symbols.insert(name.into(), symbol),
                None => self.symbols.remove(name),
            };
        }
        true
    }

    /// What the variable is called in the module, where scopes are no more: its name if no variable
    /// has it, or one made of it.
    fn distinct(&mut self, name: &str) -> Name {
        let Some(names) = &mut self.scopes.names else {
            return name.into();
        };
        let mut distinct = name.to_owned();
        let mut count = 1;
        while !names.insert(distinct.clone()) {
            distinct = format!("{name}_{count}");
            count += 1;
        }
        distinct.into()
    }

    /// Gives the name its meaning, whose number is that of [`Symbol::number`]; whether it had none in this scope.
    pub fn declare(&mut self, name: &'a str, number: Option<u32>, symbol: Symbol) -> bool {
        let Some((_, first)) = self.scopes.open.last() else {
            if let Some(number) = number
                && self.leads(name.len(), number, symbol)
            {
                // It can only have been something that its number does not lead to.
                return !(self.misled && self.symbols.contains_key(name));
            }
            self.misled |= name.starts_with(['V', 'P']);
            let before = self.numbered(name);
            return before
                .or(self.symbols.insert(name.into(), symbol))
                .is_none();
        };
        let before = self.symbols.insert(name.into(), symbol);
        let twice = self.scopes.hidden[*first..].iter().any(|(n, _)| *n == name);
        self.scopes.hidden.push((name, before));
        !twice
    }

    /// Whether the number in a name of so many bytes leads to what is declared so; then it does from now on.
    fn leads(&mut self, len: usize, number: u32, symbol: Symbol) -> bool {
        let Ok(len) = u8::try_from(len) else {
            return false;
        };
        let (names, to, index) = match symbol {
            Symbol::Var(var) => {
                let ahead = var.as_u32().wrapping_sub(number);
                let to = number.wrapping_add(*self.ahead.get_or_insert(ahead));
                (&mut self.var_names, to, var.index())
            }
            Symbol::Predicate(predicate) => (&mut self.predicate_names, number, predicate.index()),
            _ => return false,
        };
        let leads = to as usize == index && self.scopes.are_none();
        if leads {
            names.resize(index, 0);
            names.push(len);
        }
        leads
    }

    /// What the name is. The reference compiler calls variable 32 `V0032` and predicate 1 `P1`, and
    /// others count in some such way too, so the number in the name is looked at first.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.numbered(name)
            .or_else(|| self.symbols.get(name).copied())
    }

    /// What the name is if its number leads there.
    fn numbered(&self, name: &str) -> Option<Symbol> {
        if !self.scopes.are_none() {
            return None;
        }
        let var = || self.numbered_var(name.len(), name_number(name, 'V')?);
        let predicate = || self.numbered_predicate(name.len(), name_number(name, 'P')?);
        var()
            .map(Symbol::Var)
            .or_else(|| predicate().map(Symbol::Predicate))
    }

    /// The variable that the number in a name of so many bytes leads to. There must have been no scope.
    #[inline]
    pub fn numbered_var(&self, len: usize, number: u32) -> Option<Var> {
        let number = number.wrapping_add(self.ahead?);
        let is = self.var_names.get(number as usize)?;
        (usize::from(*is) == len).then(|| Var::from_u32(number))
    }

    /// The same of predicates.
    #[inline]
    pub fn numbered_predicate(&self, len: usize, number: u32) -> Option<Predicate> {
        let is = self.predicate_names.get(number as usize)?;
        (usize::from(*is) == len).then(|| Predicate::from_u32(number))
    }

    /// The label of that name, defined or not.
    pub fn label(&mut self, name: Cow<'a, str>) -> Label {
        if let Some(label) = self.label_numbers.get(&name) {
            return *label;
        }
        let label = Label::new(self.labels.len());
        let kind = LabelKind::Block;
        self.labels.push(LabelDecl {
            name: name.as_ref().into(),
            kind,
            attrs: Vec::new(),
        });
        self.label_numbers.insert(name, label);
        label
    }

    pub fn push(&mut self, mut inst: Inst) {
        inst.origin = self.insts.len() as u32;
        if labels::has_label(&inst) {
            self.labelled.push(self.insts.len());
        }
        self.insts.push(inst);
    }

    /// The object, or what is wrong with it as a whole.
    fn finish(self, lexer: &Lexer) -> std::result::Result<Object, Vec<ParseError>> {
        let open = self.scopes.open.iter();
        let open = open.map(|(mark, _)| ParseError::new(*mark, 1, ParseErrorKind::UnclosedScope));
        let mut errors: Vec<ParseError> = open.collect();
        let mut object = Arc::unwrap_or_clone(self.object);
        object.insts = self.insts;
        attributes::complete_function(&mut object);
        let labels = labels::number_all(&mut object, self.labels, &self.labelled);
        let place = |e: &LabelError| object.insts[e.inst()].place;
        errors.extend(
            labels
                .into_iter()
                .map(|e| lexer.error_at(place(&e), e.into())),
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
        }
    }

    /// The module, or the first error.
    pub fn module(mut self) -> Result<Module> {
        self.statements()?;
        Ok(self.module)
    }

    /// The module and all errors.
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
        self.lines()?;
        self.finish_object()?;
        if !self.has_version {
            let error = self.lexer.expected("`.version`");
            self.recover(error)?;
        }
        Ok(())
    }

    /// Reads to the end of the text.
    pub fn lines(&mut self) -> Result<()> {
        while self.lexer.statement() {
            if let Err(error) = self.line() {
                self.recover(error)?;
                self.lexer.skip_line();
            }
            self.halves()?;
        }
        Ok(())
    }

    /// Keeps the error if the parser is to go on.
    fn recover(&mut self, error: ParseError) -> Result<()> {
        let Some(recovery) = &mut self.recovery else {
            return Err(error);
        };
        recovery.record(error);
        Ok(())
    }

    fn line(&mut self) -> Result<()> {
        if !self.plain()? {
            let mark = self.lexer.mark();
            if self.lexer.eat(b'{') {
                self.current()?.open_scope(mark);
                return Ok(());
            }
            if self.lexer.eat(b'}') {
                if !self.current()?.close_scope() {
                    return Err(ParseError::new(mark, 1, ParseErrorKind::NoScope));
                }
                return Ok(());
            }
            self.statement()?;
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

    /// Has what stands between the mark and here as a place, if places are wanted.
    pub fn note(&mut self, mark: Mark, note: impl FnOnce(&mut ObjectSpans, Span)) {
        if let Some(recovery) = &mut self.recovery {
            let span = self.lexer.span(mark);
            note(&mut recovery.current, span);
        }
    }

    /// The error that nothing can stand before the first kernel. What follows is read as if one had
    /// begun, so that the same is not said of each line.
    fn outside(&mut self, expected: &'static str) -> ParseError {
        let error = self.lexer.expected(expected);
        if self.recovery.is_some() {
            self.current = Some(Current::new(ObjectKind::Kernel, String::new()));
        }
        error
    }

    fn statement(&mut self) -> Result<()> {
        let mark = self.lexer.mark();
        if self.lexer.next_is(b'.') {
            return self.directive(mark);
        }
        if self.current.is_none() {
            return Err(self.outside("`.version`, `.kernel` or `.global_function`"));
        }
        if let Some(name) = self.lexer.label() {
            let current = self.current()?;
            let label = current.label(Cow::Borrowed(name));
            let op = match current.labels[label.index()].kind {
                LabelKind::Subroutine => Opcode::Subroutine,
                LabelKind::Block | LabelKind::Kernel => Opcode::Label,
            };
            let operands = SmallVec::from_iter([Operand::Label(label)]);
            return self.push(
                Inst {
                    op,
                    exec: Exec::NONE,
                    pred: None,
                    operands,
                    place: place(mark),
                    origin: Inst::UNNUMBERED,
                },
                mark,
            );
        }
        let inst = self.inst(mark)?;
        self.push(inst, mark)
    }

    /// Adds the instruction that stands between the mark and here.
    fn push(&mut self, inst: Inst, mark: Mark) -> Result<()> {
        self.note(mark, |spans, span| spans.inst(span));
        self.current()?.push(inst);
        Ok(())
    }

    /// The object, which a directive must have begun.
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
                self.current()?.object_mut().attrs.extend(attr);
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
        let major = self.lexer.unsigned("a major version")?;
        self.lexer.expect(b'.', "`.` and a minor version")?;
        let minor = self.lexer.unsigned("a minor version")?;
        if !has_texts((major, minor)) {
            return Err(self
                .lexer
                .error_from(mark, ParseErrorKind::Version { major, minor }));
        }
        if !self.has_version {
            self.module.version = (major, minor);
        }
        self.has_version = true;
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

    /// A name, in quotes or not.
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
        self.declare(name, symbol.number(name), symbol, mark)
    }

    /// Gives the name at the mark its meaning, which it must not have had before.
    pub fn declare(
        &mut self,
        name: &'a str,
        number: Option<u32>,
        symbol: Symbol,
        mark: Mark,
    ) -> Result<()> {
        if !self.current()?.declare(name, number, symbol) {
            let kind = ParseErrorKind::Duplicate {
                name: name.to_owned(),
            };
            return Err(ParseError::new(mark, name.len(), kind));
        }
        Ok(())
    }

    /// The properties of a declaration, behind its name: what it declares.
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
        let object = current.object_mut();
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
        if self.lexer.is_number() {
            let bytes = self.lexer.integer("an alignment")?;
            let name = self.lexer.name().unwrap_or("");
            let named = match (bytes, name) {
                (2, "GRF") => Some(Align::TwoGrf),
                (32, "word") => Some(Align::Word32),
                (64, "word") => Some(Align::Word64),
                (bytes, "") => Align::from_bytes(bytes),
                _ => None,
            };
            let kind = ParseErrorKind::Range {
                what: "the alignment",
                expected: "a power of two up to 128",
            };
            return named.ok_or_else(|| self.lexer.error_from(mark, kind));
        }
        let name = self.some_name("an alignment")?;
        Align::from_name(name).ok_or_else(|| self.unknown(mark, "alignment", name))
    }

    /// `<V32, 4>`; of `%null` it is none.
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

    /// `Name`, `Name=1` or `Name="text"`; none if it is one that is not kept.
    fn attr(&mut self) -> Result<Option<Attr>> {
        // Objects have no attributes with a `%`.
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
        self.current()?.object_mut().inputs.push(Input {
            var,
            implicit,
            offset,
            size,
        });
        Ok(())
    }

    fn inst(&mut self, mark: Mark) -> Result<Inst> {
        let pred = if self.lexer.eat(b'(') {
            let pred = self.pred()?;
            self.note(mark, |spans, span| spans.part(Subject::Guard, span));
            Some(pred)
        } else {
            None
        };
        let name_mark = self.lexer.mark();
        let Some(name) = self.lexer.mnemonic() else {
            return Err(self
                .lexer
                .expected("an instruction, a label or a directive"));
        };
        if name.starts_with("lsc_") {
            return self.lsc(name, name_mark, pred, mark);
        }
        // A call of a kernel of another module has a name of its own.
        let (name, external) = match name {
            EXTERNAL_CALL => (Opcode::Call.row().mnemonic, true),
            name => (name, false),
        };
        // Few mnemonics have a point in them.
        let dotted = self.lexer.dotted(name);
        let dotted = dotted.filter(|_| matches!(name, "add3" | "va" | "va_skl_plus"));
        let long = dotted.and_then(|name| Some((name, Opcode::from_mnemonic(name)?)));
        let (op, number) = match (long, Opcode::from_mnemonic(name)) {
            (Some((long, found)), _) => {
                self.lexer.skip(long.len() - name.len());
                found
            }
            (None, Some(found)) => found,
            (None, None) => return Err(self.unknown(name_mark, "instruction", name)),
        };
        if pred.is_some() && !op.row().has_pred() {
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

    /// `P1`, `!P1`, `P1.any` and the `)` after it.
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

    /// What follows the mnemonic: suffixes, execution size, operands.
    fn after_mnemonic(
        &mut self,
        op: Opcode,
        number: Option<u32>,
        pred: Option<PredUse>,
        mark: Mark,
    ) -> Result<Inst> {
        let row = op.row();
        let mut slots: Slots = row.operand_fields().map(Slot::of).collect();
        if let (Some(n), Some(Slot::Number(first))) = (number, slots.first_mut()) {
            *first = n;
        }
        let saturate = self.suffixes(row, &mut slots)?;
        let exec = if row.has_exec() {
            self.exec()?
        } else {
            Exec::NONE
        };
        if op == Opcode::Nbarrier {
            self.named_barrier(&mut slots)?;
            let operands = slots.into_iter().filter_map(Slot::operand).collect();
            return Ok(Inst {
                op,
                exec,
                pred,
                operands,
                place: place(mark),
                origin: Inst::UNNUMBERED,
            });
        }
        let flags = slots.iter().find_map(Slot::number).unwrap_or(0);
        let mut list = SmallVec::<[Operand; 4]>::new();
        for (i, field) in row.text_fields() {
            match field {
                Field::Number(_, meaning) => self.positional(meaning, i, &mut slots)?,
                Field::Labels => self.labels(i, &mut list)?,
                Field::RawSrcs => {
                    while !self.lexer.at_line_end() {
                        let (mark, number) = (self.lexer.mark(), i + list.len());
                        list.push(self.raw()?);
                        let part = Subject::Operand(number);
                        self.note(mark, |spans, span| spans.part(part, span));
                    }
                }
                field if field.is_absent(flags) => {}
                field => {
                    let (before, after) = punctuation(op, i);
                    if let Some((c, what)) = before {
                        self.lexer.expect(c, what)?;
                    }
                    let mark = self.lexer.mark();
                    slots[i] = Slot::Operand(self.operand(field, saturate)?);
                    let absent = row.operand_fields().take(i).filter(|f| f.is_absent(flags));
                    let part = Subject::Operand(i - absent.count());
                    self.note(mark, |spans, span| spans.part(part, span));
                    if let Some((c, what)) = after {
                        self.lexer.expect(c, what)?;
                    }
                }
            }
        }
        let operands = slots
            .into_iter()
            .filter_map(Slot::operand)
            .chain(list)
            .collect();
        Ok(Inst {
            op,
            exec,
            pred,
            operands,
            place: place(mark),
            origin: Inst::UNNUMBERED,
        })
    }

    /// The operands of `nbarrier`: a wait has the barrier, a signal also how many threads take part,
    /// or type, producers and consumers. The format has all five of each.
    fn named_barrier(&mut self, slots: &mut Slots) -> Result<()> {
        let source = Field::Src(Kinds::GENERAL);
        let mut given = SmallVec::<[Operand; 4]>::new();
        while !self.lexer.at_line_end() && given.len() < 4 {
            let mark = self.lexer.mark();
            given.push(self.operand(source, false)?);
            let part = Subject::Operand(given.len());
            self.note(mark, |spans, span| spans.part(part, span));
        }
        let signals = slots.iter().find_map(Slot::number) == Some(1);
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
        *slots = all.map(Slot::Operand).collect();
        Ok(())
    }

    /// The suffixes of the mnemonic. Whether there is a `.sat`.
    fn suffixes(&mut self, row: &Row, slots: &mut [Slot]) -> Result<bool> {
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
                if let Slot::Number(n) = &mut slots[i] {
                    *n |= bits;
                }
                from += 1;
                continue;
            }
            if word == "sat" && row.saturates() {
                saturate = true;
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
            if let Slot::Number(n) = &mut slots[i] {
                *n |= bits;
            }
            given |= 1 << i;
            from = k + usize::from(suffixes == Suffixes::One);
        }
        given |= systolic.map_or(0, |(i, _)| u32::from(from == 4) << i);
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

    /// `(M1_NM, 16)` or `(16)`.
    pub fn exec(&mut self) -> Result<Exec> {
        let start = self.lexer.mark();
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

    /// What a number has among the operands.
    fn positional(&mut self, meaning: Meaning, i: usize, slots: &mut [Slot]) -> Result<()> {
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
                if let Some(Slot::Number(high)) = slots.get_mut(i + 1) {
                    *high = (n >> 32) as u32;
                }
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
                if let Some(Slot::Number(lifetime)) = slots.first_mut() {
                    *lifetime |= class << 4;
                }
                n
            }
        };
        if let Slot::Number(n) = &mut slots[i] {
            *n |= bits;
        }
        Ok(())
    }

    /// `(4)`: a power of two up to 16.
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

    /// `(_0_004, _0_005)`.
    fn labels(&mut self, first: usize, list: &mut SmallVec<[Operand; 4]>) -> Result<()> {
        self.lexer.expect(b'(', "`(` and labels")?;
        loop {
            let (mark, number) = (self.lexer.mark(), first + list.len());
            let label = self.label_name()?;
            let part = Subject::Operand(number);
            self.note(mark, |spans, span| spans.part(part, span));
            list.push(Operand::Label(label));
            if !self.lexer.eat(b',') {
                return self.lexer.expect(b')', "`,` or `)`");
            }
        }
    }

    /// A label that is mentioned.
    pub fn label_name(&mut self) -> Result<Label> {
        let name = self.some_name("a label")?;
        Ok(self.current()?.label(Cow::Borrowed(name)))
    }
}

/// The place of an operand while its instruction is read.
pub(super) enum Slot {
    /// Not there, or not yet.
    Empty,
    /// A number, of which some bits may be to come.
    Number(u32),
    Operand(Operand),
}

pub(super) type Slots = SmallVec<[Slot; 10]>;

impl Slot {
    pub fn of(field: Field) -> Slot {
        match field {
            Field::Number(..) => Slot::Number(0),
            _ => Slot::Empty,
        }
    }

    fn number(&self) -> Option<u32> {
        match self {
            Slot::Number(n) => Some(*n),
            _ => None,
        }
    }

    pub fn operand(self) -> Option<Operand> {
        match self {
            Slot::Empty => None,
            Slot::Number(n) => Some(Operand::Field(n)),
            Slot::Operand(operand) => Some(operand),
        }
    }
}

/// What a barrier that waits has in the place of the type and of a count of threads.
const NO_TYPE: Operand = Operand::Imm {
    ty: Type::Uw,
    bits: 0,
};
const NO_COUNT: Operand = Operand::Imm {
    ty: Type::Ub,
    bits: 0,
};

/// First channel and whether the mask is not looked at: `M1`, `M3_NM`, `NoMask`.
fn mask(name: &str) -> Option<(u8, bool)> {
    if name == "NoMask" {
        return Some((0, true));
    }
    let (name, no_mask) = name
        .strip_suffix("_NM")
        .map_or((name, false), |name| (name, true));
    match name.strip_prefix('M')?.as_bytes() {
        [digit @ b'1'..=b'8'] => Some(((digit - b'1') * 4, no_mask)),
        _ => None,
    }
}

/// The provenance of an input by its name in text.
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
