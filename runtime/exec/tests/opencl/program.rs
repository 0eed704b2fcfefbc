//! OpenCL C kernels as trees, and their text.
//!
//! An expression is a text with placeholders for its operands, so that only the generator's tables know the
//! operations. A tree with any part removed still compiles: variables are declared at the start of their function, and
//! only names in the text are declared.

use std::borrow::Cow;
use std::fmt::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

use Scalar::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

impl Scalar {
    pub const ALL: [Scalar; 11] = [I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64];

    pub fn name(self) -> &'static str {
        [
            "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float",
            "double",
        ][self as usize]
    }

    pub fn bytes(self) -> u32 {
        [1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8][self as usize]
    }

    pub fn bits(self) -> u32 {
        self.bytes() * 8
    }

    pub fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// The unsigned integer of the same size.
    pub fn unsigned(self) -> Scalar {
        [U8, U8, U16, U16, U32, U32, U64, U64, U16, U32, U64][self as usize]
    }

    /// The signed integer of the same size.
    pub fn signed(self) -> Scalar {
        [I8, I8, I16, I16, I32, I32, I64, I64, I16, I32, I64][self as usize]
    }

    /// The integer of half the size and the same sign.
    pub fn half(self) -> Option<Scalar> {
        match self {
            I16 => Some(I8),
            U16 => Some(U8),
            I32 => Some(I16),
            U32 => Some(U16),
            I64 => Some(I32),
            U64 => Some(U32),
            _ => None,
        }
    }

    /// A literal of the type; of a float, its bits.
    fn literal(self, bits: u64) -> String {
        let kept = if self.bits() == 64 {
            bits
        } else {
            bits & ((1 << self.bits()) - 1)
        };
        let name = self.name();
        match self {
            F16 => format!("as_half((ushort){kept:#x})"),
            F32 | F64 => format!("as_{name}({})", self.unsigned().literal(bits)),
            I32 | I8 | I16 if kept < 100 => format!("({name}){kept}"),
            I64 | U64 => format!("({name}){kept:#x}ul"),
            _ => format!("({name}){kept:#x}u"),
        }
    }
}

/// A scalar or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub scalar: Scalar,
    pub lanes: u32,
}

impl Type {
    pub const INT: Type = Type::of(I32);
    pub const UINT: Type = Type::of(U32);

    pub const fn of(scalar: Scalar) -> Type {
        Type { scalar, lanes: 1 }
    }

    pub fn with(self, scalar: Scalar) -> Type {
        Type { scalar, ..self }
    }

    /// Bytes in memory, which are also its alignment.
    pub fn bytes(self) -> u32 {
        self.scalar.bytes() * self.lanes.next_power_of_two()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.scalar.name())?;
        match self.lanes {
            1 => Ok(()),
            lanes => write!(f, "{lanes}"),
        }
    }
}

#[derive(Clone, Debug)]
pub enum Form {
    /// The bits of each lane.
    Literal(Vec<u64>),
    /// Text with `$0` for the first operand and placeholders for the type ([`fill`]).
    Text(Cow<'static, str>),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub ty: Type,
    pub form: Form,
    pub args: Vec<Expr>,
    /// True if it must not be replaced by another of its type, such as an assigned variable or an array.
    pub fixed: bool,
}

impl Expr {
    pub fn literal(ty: Type, bits: Vec<u64>) -> Expr {
        Expr {
            ty,
            form: Form::Literal(bits),
            args: Vec::new(),
            fixed: false,
        }
    }

    pub fn text(ty: Type, text: impl Into<Cow<'static, str>>, args: Vec<Expr>) -> Expr {
        Expr {
            ty,
            form: Form::Text(text.into()),
            args,
            fixed: false,
        }
    }

    pub fn fixed(self) -> Expr {
        Expr {
            fixed: true,
            ..self
        }
    }

    pub fn is_literal(&self) -> bool {
        matches!(self.form, Form::Literal(_))
    }
}

pub type Block = Vec<Stmt>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    For,
    While,
    Do,
}

#[derive(Clone, Debug)]
pub enum Stmt {
    /// A statement made from a text, as an expression is.
    Text {
        text: Cow<'static, str>,
        args: Vec<Expr>,
    },
    If {
        cond: Expr,
        then: Block,
        other: Block,
    },
    /// Counts a variable of its own up to at most `limit & mask`; unless it is a `for`, it also tests `cond`.
    Loop {
        kind: Loop,
        var: String,
        limit: Expr,
        mask: u32,
        cond: Expr,
        body: Block,
    },
    /// Cases with whether each falls into the next one.
    Switch {
        value: Expr,
        cases: Vec<(Block, bool)>,
        default: Block,
    },
}

#[derive(Clone, Debug)]
pub enum Decl {
    Var {
        name: String,
        ty: Type,
        init: Vec<u64>,
    },
    /// Filled in a loop if there is only one literal, else from a list.
    Array {
        name: String,
        ty: Type,
        len: u32,
        init: Vec<u64>,
    },
    /// A variable of the program's structure.
    Struct { name: String, init: Vec<u64> },
    /// Local memory with an element for each work-item of a group.
    Local { name: String, ty: Type },
}

impl Decl {
    fn name(&self) -> &str {
        match self {
            Decl::Var { name, .. }
            | Decl::Array { name, .. }
            | Decl::Struct { name, .. }
            | Decl::Local { name, .. } => name,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Param {
    Value(Type),
    /// A pointer to a private array of a number of elements.
    Array(Type, u32),
    Struct,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub inline: bool,
    pub result: Type,
    /// `p0` and so on.
    pub params: Vec<Param>,
    pub decls: Vec<Decl>,
    pub body: Block,
    pub value: Expr,
}

/// Settings shared by all kernels of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `IGC_FunctionControl` of the reference compiler.
    pub control: u32,
    pub optimize: bool,
    /// Options of its finalizer.
    pub finalizer: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub global: [u32; 3],
    pub local: [u32; 3],
    pub dimensions: usize,
}

impl Range {
    pub fn items(&self) -> u32 {
        self.global.iter().product()
    }
}

/// A kernel with the functions it calls, and how it is launched.
#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    pub settings: Settings,
    /// Channels that the kernel must have; 0 if the compiler chooses.
    pub simd: u32,
    pub ranges: Vec<Range>,
    /// Fields `f0` and so on of the structure.
    pub fields: Vec<Type>,
    pub functions: Vec<Function>,
    /// Arguments by value, `n0` and so on.
    pub values: Vec<(Type, Vec<u64>)>,
    pub decls: Vec<Decl>,
    pub body: Block,
    /// Results that each work-item stores.
    pub results: Vec<(Type, String)>,
}

/// Bytes of the buffer of inputs, a power of two.
pub const INPUT: u32 = 2048;
/// Bytes of each work-item's own results; the first half is for stores in between.
pub const SLOT: u32 = 1024;
/// Number of dwords that all work-items change, by operations whose order does not matter, for each operation. A dword
/// for each work-item follows them.
pub const SHARED: u32 = 128;
/// Elements of the arrays in local memory.
const GROUP: u32 = 128;

/// Appends a text with its operands. `@` and a letter stands for a part that depends on the type: `T` the type, `U`
/// and `S` the unsigned and signed integer of its size, `E` its element; `t(` and `u(` convert an operand of its size
/// to it, and to an unsigned type in which arithmetic does not overflow; `w` is the number of bits less one, `x` the
/// same, unsigned, `m` the greatest signed number, `1` a one; `k` is the program's number.
fn fill(out: &mut String, text: &str, ty: Type, args: &[Expr], number: usize) {
    let scalar = ty.scalar;
    let bits = scalar.bits();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let _ = match c {
            '$' => {
                let hole = chars.next().and_then(|c| c.to_digit(10));
                let arg = hole.and_then(|n| args.get(n as usize));
                arg.expect("an operand for each hole").print(out, number);
                Ok(())
            }
            '@' => match chars.next() {
                Some('T') => write!(out, "{ty}"),
                Some('U') => write!(out, "{}", ty.with(scalar.unsigned())),
                Some('S') => write!(out, "{}", ty.with(scalar.signed())),
                Some('E') => write!(out, "{}", scalar.name()),
                Some('t') if ty.lanes == 1 => write!(out, "({ty})"),
                Some('t') => write!(out, "as_{ty}"),
                Some('u') if ty.lanes == 1 && bits < 32 => write!(out, "(uint)"),
                Some('u') if ty.lanes == 1 => write!(out, "({})", scalar.unsigned().name()),
                Some('u') => write!(out, "as_{}", ty.with(scalar.unsigned())),
                Some('w') => write!(out, "({}){}", scalar.name(), bits - 1),
                Some('x') => write!(out, "({}){}", scalar.unsigned().name(), bits - 1),
                Some('m') => write!(out, "{}", scalar.literal((1 << (bits - 1)) - 1)),
                Some('1') => write!(out, "({})1", scalar.name()),
                Some('k') => write!(out, "{number}"),
                other => unreachable!("@{other:?}"),
            },
            c => {
                out.push(c);
                Ok(())
            }
        };
    }
}

impl Expr {
    fn print(&self, out: &mut String, number: usize) {
        match &self.form {
            Form::Literal(bits) => literal(out, self.ty, bits),
            Form::Text(text) => fill(out, text, self.ty, &self.args, number),
        }
    }
}

fn literal(out: &mut String, ty: Type, bits: &[u64]) {
    let mut lanes = (0..ty.lanes as usize).map(|i| ty.scalar.literal(bits[i % bits.len()]));
    if ty.lanes == 1 {
        out.extend(lanes.next());
        return;
    }
    let all: Vec<String> = lanes.collect();
    let _ = write!(out, "({ty})({})", all.join(", "));
}

struct Printer {
    out: String,
    depth: usize,
    number: usize,
}

impl Printer {
    fn line(&mut self, line: &str) {
        self.out.extend(std::iter::repeat_n("    ", self.depth));
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn expr(&self, expr: &Expr) -> String {
        let mut text = String::new();
        expr.print(&mut text, self.number);
        text
    }

    fn braces(&mut self, head: &str, block: &Block, tail: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
        self.line(&format!("}}{tail}"));
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Text { text, args } => {
                let mut line = String::new();
                let ty = args.first().map_or(Type::INT, |arg| arg.ty);
                fill(&mut line, text, ty, args, self.number);
                self.line(&line);
            }
            Stmt::If { cond, then, other } => {
                let cond = self.expr(cond);
                self.braces(&format!("if ({cond})"), then, "");
                if !other.is_empty() {
                    self.braces("else", other, "");
                }
            }
            Stmt::Loop {
                kind,
                var,
                limit,
                mask,
                cond,
                body,
            } => {
                let (limit, cond) = (self.expr(limit), self.expr(cond));
                let limit = format!("(int)(({limit}) & {mask}u)");
                match kind {
                    Loop::For => self.braces(
                        &format!("for ({var} = 0; {var} < {limit}; {var}++)"),
                        body,
                        "",
                    ),
                    Loop::While => {
                        self.line(&format!("{var} = {limit};"));
                        self.braces(&format!("while ({var}-- > 0 && {cond})"), body, "");
                    }
                    Loop::Do => {
                        self.line(&format!("{var} = {limit};"));
                        self.braces("do", body, &format!(" while (--{var} > 0 && {cond});"));
                    }
                }
            }
            Stmt::Switch {
                value,
                cases,
                default,
            } => {
                let value = self.expr(value);
                self.line(&format!("switch ({value}) {{"));
                for (n, (block, falls)) in cases.iter().enumerate() {
                    self.braces(&format!("case {n}:"), block, "");
                    if !falls {
                        self.line("break;");
                    }
                }
                self.braces("default:", default, "");
                self.line("}");
            }
        }
    }

    fn decl(&mut self, decl: &Decl) {
        let mut line = String::new();
        let _ = match decl {
            Decl::Var { name, ty, init } => {
                let _ = write!(line, "{ty} {name} = ");
                literal(&mut line, *ty, init);
                write!(line, ";")
            }
            Decl::Array {
                name,
                ty,
                len,
                init,
            } if init.len() == 1 => {
                let _ = write!(
                    line,
                    "{ty} {name}[{len}]; for (int k = 0; k < {len}; k++) {name}[k] = "
                );
                literal(&mut line, *ty, init);
                write!(line, ";")
            }
            Decl::Array {
                name,
                ty,
                len,
                init,
            } => {
                let _ = write!(line, "{ty} {name}[{len}] = {{");
                for i in 0..*len as usize {
                    literal(&mut line, *ty, &init[i % init.len()..]);
                    let _ = write!(line, ", ");
                }
                write!(line, "}};")
            }
            Decl::Struct { .. } => unreachable!("a program declares it"),
            Decl::Local { name, ty } => write!(line, "local {ty} {name}[{GROUP}];"),
        };
        self.line(&line);
    }
}

/// True if a text names something.
fn names(text: &str, name: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| {
        !part(text[..at].chars().next_back()) && !part(text[at + name.len()..].chars().next())
    })
}

impl Program {
    /// The name among the kernels of a file.
    pub fn name(number: usize) -> String {
        format!("k{number}")
    }

    /// Arguments that every function has.
    const COMMON: &'static str =
        "global const uchar *in, global uchar *o, global uint *at, uint gid";

    /// The kernel and what it uses, as one of several in a file.
    pub fn text(&self, number: usize) -> String {
        let mut body = self.kernel(number);
        // Callees have smaller numbers than their callers.
        let mut functions = Vec::new();
        for (n, function) in self.functions.iter().enumerate().rev() {
            let name = format!("f{n}_{number}");
            if names(&body, &name) || functions.iter().any(|text: &String| names(text, &name)) {
                functions.push(self.function(function, &name, number));
            }
        }
        functions.reverse();
        let mut text = functions.concat();
        text.push_str(&body);
        body.clear();
        if names(&text, &format!("S{number}")) {
            let _ = write!(body, "typedef struct {{ ");
            for (n, ty) in self.fields.iter().enumerate() {
                let _ = write!(body, "{ty} f{n}; ");
            }
            let _ = writeln!(body, "}} S{number};");
        }
        body + &text
    }

    fn decls(&self, decls: &[Decl], printer: &mut Printer, used: &str) {
        for decl in decls.iter().filter(|decl| names(used, decl.name())) {
            let Decl::Struct { name, init } = decl else {
                printer.decl(decl);
                continue;
            };
            let mut line = format!("S{} {name} = {{", printer.number);
            for (n, &ty) in self.fields.iter().enumerate() {
                literal(&mut line, ty, &init[n % init.len()..]);
                line.push_str(", ");
            }
            printer.line(&(line + "};"));
        }
    }

    fn function(&self, function: &Function, name: &str, number: usize) -> String {
        let mut printer = Printer {
            out: String::new(),
            depth: 1,
            number,
        };
        printer.block(&function.body);
        let value = printer.expr(&function.value);
        printer.line(&format!("return {value};"));
        let used = std::mem::take(&mut printer.out);
        let mut params = String::new();
        for (n, param) in function.params.iter().enumerate() {
            let _ = match param {
                Param::Value(ty) => write!(params, ", {ty} p{n}"),
                Param::Array(ty, _) => write!(params, ", private {ty} *p{n}"),
                Param::Struct => write!(params, ", S{number} p{n}"),
            };
        }
        let noinline = if function.inline {
            ""
        } else {
            "__attribute__((noinline)) "
        };
        printer.depth = 0;
        let (result, common) = (function.result, Self::COMMON);
        printer.line(&format!("{noinline}{result} {name}({common}{params})\n{{"));
        printer.depth = 1;
        self.decls(&function.decls, &mut printer, &used);
        printer.out + &used + "}\n"
    }

    fn kernel(&self, number: usize) -> String {
        let mut printer = Printer {
            out: String::new(),
            depth: 1,
            number,
        };
        printer.block(&self.body);
        let mut at = SLOT / 2;
        for (ty, name) in &self.results {
            at = at.next_multiple_of(ty.bytes());
            // The payload of a NaN is implementation-defined.
            let value = match (ty.scalar.is_float(), ty.lanes) {
                (false, _) => name.clone(),
                (true, 1) => format!("{name} != {name} ? ({ty})1 : {name}"),
                (true, _) => format!("select({name}, ({ty})1, {name} != {name})"),
            };
            printer.line(&match ty.lanes {
                3 => format!(
                    "vstore3({value}, 0, (global {} *)(o + {at}));",
                    ty.scalar.name()
                ),
                _ => format!("*(global {ty} *)(o + {at}) = {value};"),
            });
            at += ty.bytes();
        }
        assert!(at <= SLOT, "results fit their slot");
        let used = std::mem::take(&mut printer.out);
        printer.depth = 0;
        if self.simd > 0 {
            printer.line(&format!(
                "__attribute__((intel_reqd_sub_group_size({})))",
                self.simd
            ));
        }
        let mut head = format!(
            "kernel void {}(global const uchar *in, global uchar *out, global uint *at",
            Program::name(number)
        );
        for (n, (ty, _)) in self.values.iter().enumerate() {
            let _ = write!(head, ", {ty} n{n}");
        }
        printer.line(&(head + ")\n{"));
        printer.depth = 1;
        let index = |what: &str| {
            let of = |d| format!("get_{what}_id({d})");
            let size = |d| format!("get_{what}_size({d})");
            match self.ranges[0].dimensions {
                1 => of(0),
                2 => format!("{} * {} + {}", of(1), size(0), of(0)),
                _ => format!(
                    "({} * {} + {}) * {} + {}",
                    of(2),
                    size(1),
                    of(1),
                    size(0),
                    of(0)
                ),
            }
        };
        printer.line(&format!("uint gid = {};", index("global")));
        if names(&used, "lid") {
            printer.line(&format!("uint lid = {};", index("local")));
        }
        if names(&used, "group") {
            let sizes = (0..self.ranges[0].dimensions).map(|d| format!("get_local_size({d})"));
            let sizes: Vec<String> = sizes.collect();
            printer.line(&format!("uint group = {};", sizes.join(" * ")));
        }
        printer.line(&format!("global uchar *o = out + gid * {SLOT};"));
        self.decls(&self.decls, &mut printer, &used);
        printer.out + &used + "}\n"
    }
}
