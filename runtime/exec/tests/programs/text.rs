//! A program as vISA.

use std::collections::BTreeSet;
use std::fmt::Write;

use kiln_emit::platform::MessageFamily;

use crate::model::Ty;
use crate::program::{
    Arg, By, Combine, Exec, Guard, Inst, Message, Offset, Place, Program, Region, Scope, Signature,
    Source, Stmt, Target, What,
};
use crate::walk;

/// Binding table entries: initial and final contents of the variables, the buffer of loads and stores, and the stack
/// of functions.
pub const BEFORE: usize = 0;
pub const AFTER: usize = 1;
pub const MEMORY: usize = 2;

struct Writer<'a> {
    program: &'a Program,
    scope: &'a Scope,
    /// Prefix of this object's names.
    prefix: String,
    out: String,
    labels: usize,
    /// Labels of `continue` and `break` of the enclosing loops.
    loops: Vec<(String, String)>,
}

impl Program {
    fn grf(&self) -> usize {
        self.target.grf_bytes as usize
    }

    fn loads_by_address(&self) -> bool {
        self.target.memory == MessageFamily::LoadStore
    }

    /// The kernel and its functions, in one text.
    pub fn text(&self) -> String {
        let version = match self.loads_by_address() {
            true => "4.2",
            false => "4.1",
        };
        let mut out = format!(".version {version}\n");
        for number in 0..self.scopes.len() {
            let prefix = if number == 0 {
                String::new()
            } else {
                format!("F{number}")
            };
            let mut writer = Writer {
                program: self,
                scope: &self.scopes[number],
                prefix,
                out,
                labels: 0,
                loops: Vec::new(),
            };
            writer.object(number);
            out = writer.out;
        }
        used(&out)
    }
}

/// The text without the declarations of names that nothing uses.
fn used(text: &str) -> String {
    let declared = |line: &str| {
        let name = line.strip_prefix(".decl ")?.split(' ').next()?;
        line.contains("alias=").then(|| name.to_string())
    };
    let words = |line: &str| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = line.split(move |c| !is_name(c)).map(str::to_string);
        words.collect::<Vec<_>>()
    };
    let code = text.lines().filter(|line| declared(line).is_none());
    let names: BTreeSet<String> = code.flat_map(words).collect();
    let kept = text
        .lines()
        .filter(|line| declared(line).is_none_or(|name| names.contains(&name)));
    kept.flat_map(|line| [line, "\n"]).collect()
}

fn function_name(function: usize) -> String {
    format!("f{function}")
}

impl Writer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn object(&mut self, number: usize) {
        let (simd, grf) = (self.program.simd, self.program.grf());
        match number {
            0 => self.line(".kernel \"program\""),
            n => self.line(format!(".global_function \"{}\"", function_name(n - 1))),
        }
        if number == 0 {
            for f in 0..self.program.scopes.len() - 1 {
                self.line(format!(".funcdecl \"{}\"", function_name(f)));
            }
        }
        self.declarations();
        if number == 0 {
            self.line(".decl SP v_type=G type=uq num_elts=1 align=qword alias=<%sp, 0>");
            self.line(".decl FP v_type=G type=uq num_elts=1 align=qword alias=<%fp, 0>");
            self.line(".decl STACK v_type=G type=uq num_elts=1 align=qword");
            self.line(".decl CHANNEL v_type=G type=uw num_elts=32 align=hword");
            self.line(".decl OFFSET v_type=G type=ud num_elts=16 align=hword");
            self.line(".decl PREDS v_type=G type=ud num_elts=16 align=hword");
            self.line(".decl T6 v_type=T num_elts=1 v_name=T006");
            self.line(format!(".input STACK offset={grf} size=8"));
        }
        self.line(format!(".kernel_attr SimdSize={simd}"));
        // The reference takes an object for a subroutine if its first block is not named main.
        let name = format!("{}main", self.prefix);
        if number == 0 {
            self.line(".kernel_attr OutputAsmPath=\"reference\"");
            self.line(format!(".function \"{name}\"\n{name}:"));
            self.begin();
        } else {
            let signature = &self.scope.signature;
            let (args, result) = (grfs(signature, simd, grf), signature.result_grfs(simd, grf));
            self.line(format!(".kernel_attr ArgSize={args}"));
            self.line(format!(".kernel_attr RetValSize={result}"));
            self.line(format!(".function \"{name}\"\n{name}:"));
            self.begin_function();
        }
        let scope = self.scope;
        self.block(&scope.body);
        if number == 0 {
            self.end();
            self.line("ret (M1, 1)");
        } else {
            let signature = &scope.signature;
            let (var, ty) = (
                signature.args.len(),
                bits_of(signature.result.expect("a result")),
            );
            self.line(format!(
                "mov (M1, {simd}) {p}RESULT_{ty}(0,0)<1> {p}X{var}_{ty}(0,0)<1;1,0>",
                p = self.prefix
            ));
            self.line(format!("fret (M1, {simd})"));
        }
        for (number, sub) in scope.subs.iter().enumerate() {
            let name = format!("{}sub{number}", self.prefix);
            self.line(format!(".function \"{name}\""));
            self.line(format!("{name}:"));
            self.block(&sub.body);
            self.line(format!("ret (M1, {simd})"));
        }
    }

    fn declarations(&mut self) {
        let (p, grf) = (self.prefix.clone(), self.program.grf());
        let align = match grf {
            64 => "align=wordx32",
            _ => "align=hword",
        };
        for (i, var) in self.scope.vars.iter().enumerate() {
            let name = format!("{p}X{i}");
            let dwords = var.bytes / 4;
            self.line(format!(
                ".decl {name} v_type=G type=ud num_elts={dwords} {align}"
            ));
            for ty in Ty::ALL {
                let (ty, count) = (ty.name(), var.bytes / ty.bytes());
                self.line(format!(
                    ".decl {name}_{ty} v_type=G type={ty} num_elts={count} {align} alias=<{name}, 0>"
                ));
            }
        }
        for (i, elements) in self.scope.preds.iter().enumerate() {
            self.line(format!(".decl {p}P{} v_type=P num_elts={elements}", i + 1));
        }
        for (i, elements) in self.scope.addrs.iter().enumerate() {
            self.line(format!(".decl {p}A{i} v_type=A num_elts={elements}"));
        }
        for (ty, bytes) in [("b", 1), ("w", 2), ("d", 4), ("q", 8)] {
            for (name, grfs, at) in [("ARG", 32, "%arg"), ("RESULT", 12, "%retval")] {
                let count = grfs * grf / bytes;
                self.line(format!(
                    ".decl {p}{name}_{ty} v_type=G type={ty} num_elts={count} {align} alias=<{at}, 0>"
                ));
            }
        }
        for name in ["CALLED", "OTHER"] {
            self.line(format!(
                ".decl {p}{name} v_type=G type=uq num_elts=1 align=qword"
            ));
        }
    }

    fn predicates(&mut self) {
        for (i, &elements) in self.scope.preds.iter().enumerate() {
            let bits = walk::first_bits(self.scope, i);
            let ty = if elements > 16 { "ud" } else { "uw" };
            let p = &self.prefix;
            self.line(format!(
                "setp (M1_NM, {elements}) {p}P{} {bits:#x}:{ty}",
                i + 1
            ));
        }
    }

    fn begin(&mut self) {
        // Denormals are kept; offsets are four times the channel's number.
        self.line(
            "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n\
             mov (M1_NM, 8) CHANNEL(0,0)<1> 0x76543210:uv\n\
             add (M1_NM, 8) CHANNEL(0,8)<1> CHANNEL(0,0)<1;1,0> 0x8:uw\n\
             shl (M1_NM, 16) OFFSET(0,0)<1> CHANNEL(0,0)<1;1,0> 0x2:uw",
        );
        if self.program.scopes.len() > 1 {
            self.line("mov (M1_NM, 1) SP(0,0)<1> STACK(0,0)<0;1,0>");
            self.line("mov (M1_NM, 1) FP(0,0)<1> STACK(0,0)<0;1,0>");
        }
        self.transfer(false, BEFORE);
        if !self.program.loads_by_address() {
            self.line(format!("movs (M1_NM, 1) T6(0) {MEMORY}:ud"));
        }
        self.predicates();
    }

    fn begin_function(&mut self) {
        let (simd, grf) = (self.program.simd, self.program.grf());
        let p = self.prefix.clone();
        let signature = &self.scope.signature;
        for (i, var) in self.scope.vars.iter().enumerate() {
            let dword = walk::constant(i);
            for byte in (0..var.bytes).step_by(64) {
                let row = byte / grf;
                self.line(format!("mov (M1_NM, 16) {p}X{i}({row},0)<1> {dword:#x}:ud"));
            }
        }
        for (i, (arg, at)) in signature
            .args
            .iter()
            .zip(places(signature, simd, grf))
            .enumerate()
        {
            let to = at_byte(grf, &format!("{p}X{i}"), 0, *arg);
            let from = at_byte(grf, &format!("{p}ARG"), at, *arg);
            self.line(copy(*arg, simd, &to, &from));
        }
        self.predicates();
    }

    fn end(&mut self) {
        self.line("mov (M1_NM, 16) PREDS(0,0)<1> 0x0:ud");
        for i in 0..self.scope.preds.len() {
            self.line(format!("mov (M1_NM, 1) PREDS(0,{i})<1> P{}", i + 1));
        }
        self.transfer(true, AFTER);
    }

    fn transfer(&mut self, store: bool, surface: usize) {
        if !self.program.loads_by_address() {
            self.line(format!("movs (M1_NM, 1) T6(0) {surface}:ud"));
        }
        let mut from = 0;
        for i in 0..self.scope.vars.len() {
            for at in (0..self.scope.vars[i].bytes).step_by(64) {
                self.row(store, surface, from, &format!("X{i}.{at}"));
                from += 64;
            }
        }
        if surface == AFTER {
            self.row(store, surface, from, "PREDS.0");
        }
    }

    /// Loads or stores sixteen dwords.
    fn row(&mut self, store: bool, surface: usize, from: usize, data: &str) {
        let exec = Exec {
            size: 16,
            off: 0,
            no_mask: true,
        };
        self.access(store, exec, "", (surface, from), "OFFSET.0", data);
    }

    /// A message that loads or stores a dword a channel, at offsets from a place of a surface.
    fn access(
        &mut self,
        store: bool,
        exec: Exec,
        guard: &str,
        (surface, from): (usize, usize),
        offsets: &str,
        data: &str,
    ) {
        let exec = Self::exec(exec);
        self.line(match (self.program.loads_by_address(), store) {
            (true, true) => {
                format!("{guard}lsc_store.ugm {exec} bti({surface:#x})[{offsets}+{from:#x}]:a32 {data}:d32")
            }
            (true, false) => {
                format!("{guard}lsc_load.ugm {exec} {data}:d32 bti({surface:#x})[{offsets}+{from:#x}]:a32")
            }
            // The surface is that of the address register.
            (false, true) => {
                format!("{guard}scatter4_scaled.R {exec} T6 {from:#x}:ud {offsets} {data}")
            }
            (false, false) => {
                format!("{guard}gather4_scaled.R {exec} T6 {from:#x}:ud {offsets} {data}")
            }
        });
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("{}L{}", self.prefix, self.labels)
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.statement(stmt);
        }
    }

    fn guard(&self, guard: Option<Guard>) -> String {
        let Some(guard) = guard else {
            return String::new();
        };
        let not = if guard.inverse { "!" } else { "" };
        let combine = match guard.combine {
            Combine::None => "",
            Combine::Any => ".any",
            Combine::All => ".all",
        };
        format!("({not}{}P{}{combine}) ", self.prefix, guard.pred + 1)
    }

    fn exec(exec: Exec) -> String {
        let mask = if exec.no_mask { "_NM" } else { "" };
        format!("(M{}{mask}, {})", exec.off / 4 + 1, exec.size)
    }

    fn not(guard: Guard) -> Guard {
        Guard {
            inverse: !guard.inverse,
            ..guard
        }
    }

    fn jump(&mut self, uniform: bool, guard: Option<Guard>, to: &str) {
        let guard = self.guard(guard);
        let simd = self.program.simd;
        match uniform {
            true => self.line(format!("{guard}jmp (M1, 1) {to}")),
            false => self.line(format!("{guard}goto (M1, {simd}) {to}")),
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        let (simd, grf) = (self.program.simd, self.program.grf());
        let p = self.prefix.clone();
        match stmt {
            Stmt::Inst(inst) => {
                let text = self.inst(inst);
                self.line(text);
            }
            Stmt::SetPred { pred, bits } => {
                let ty = if simd > 16 { "ud" } else { "uw" };
                self.line(format!(
                    "setp (M1_NM, {simd}) {p}P{} {bits:#x}:{ty}",
                    pred + 1
                ));
            }
            Stmt::Address {
                addr,
                element,
                count,
                var,
                offset,
            } => {
                let offset = match *offset {
                    Offset::Imm(n) => format!("{n:#x}:uw"),
                    Offset::At { var, byte, region } => {
                        format!(
                            "{}{}",
                            self.place(Place::Direct { var, byte }, Ty::Uw),
                            region_text(region)
                        )
                    }
                };
                self.line(format!(
                    "addr_add (M1_NM, {count}) {p}A{addr}({element})<1> &{p}X{var} {offset}"
                ));
            }
            Stmt::Memory {
                store,
                message: Message::Raw { conditional },
                exec,
                guard,
                offsets,
                data,
            } => {
                let (at, grfs) = (exec.off * 4, (exec.size * 4).div_ceil(grf));
                let (guard, size) = (self.guard(*guard), exec.size);
                let exec = Self::exec(*exec);
                let wait = if *conditional { "c" } else { "" };
                let (unit, surface, desc) = match self.program.loads_by_address() {
                    true => (LOAD_STORE, MEMORY << 24, load_store(*store, grfs)),
                    false => (DATA_PORT, 0, descriptor(*store, size)),
                };
                self.line(match store {
                    true => format!(
                        "{guard}raw_sends{wait}.{unit}.{grfs}.{grfs}.0 {exec} {:#x}:ud {desc:#x}:ud \
                         {p}X{offsets}.{at} {p}X{data}.{at} %null.0",
                        surface | grfs << 6 | unit
                    ),
                    false => format!(
                        "{guard}raw_send{wait} {exec} {:#x} {grfs} {grfs} {desc:#x}:ud \
                         {p}X{offsets}.{at} {p}X{data}.{at}",
                        surface | unit
                    ),
                });
            }
            Stmt::Memory {
                store,
                message: Message::Operation,
                exec,
                guard,
                offsets,
                data,
            } => {
                let at = exec.off * 4;
                let guard = self.guard(*guard);
                let (offsets, data) = (format!("{p}X{offsets}.{at}"), format!("{p}X{data}.{at}"));
                self.access(*store, *exec, &guard, (MEMORY, 0), &offsets, &data);
            }
            Stmt::Count {
                exec,
                guard,
                offsets,
                data,
            } => {
                let at = exec.off * 4;
                let (guard, exec) = (self.guard(*guard), Self::exec(*exec));
                self.line(match self.program.loads_by_address() {
                    true => format!(
                        "{guard}lsc_atomic_iadd.ugm {exec} %null:d32 bti({MEMORY:#x})[{p}X{offsets}.{at}]:a32 \
                         {p}X{data}.{at} %null"
                    ),
                    false => format!(
                        "{guard}dword_atomic.add {exec} T6 {p}X{offsets}.{at} {p}X{data}.{at} %null.0 %null.0"
                    ),
                });
            }
            Stmt::If {
                guard,
                uniform,
                then,
                other,
            } => {
                let (to_other, end) = (self.label(), self.label());
                self.jump(*uniform, Some(Self::not(*guard)), &to_other);
                self.block(then);
                if other.is_empty() {
                    return self.line(format!("{to_other}:"));
                }
                self.jump(*uniform, None, &end);
                self.line(format!("{to_other}:"));
                self.block(other);
                self.line(format!("{end}:"));
            }
            Stmt::Loop {
                pred,
                uniform,
                body,
                step,
            } => {
                let (head, again, end) = (self.label(), self.label(), self.label());
                self.line(format!("{head}:"));
                self.loops.push((again.clone(), end.clone()));
                self.block(body);
                self.loops.pop();
                self.line(format!("{again}:"));
                self.block(step);
                let guard = Guard {
                    pred: *pred,
                    inverse: false,
                    combine: Combine::None,
                };
                self.jump(*uniform, Some(guard), &head);
                self.line(format!("{end}:"));
            }
            Stmt::Continue(guard) | Stmt::Break(guard) => {
                let (again, end) = self.loops.last().expect("a loop").clone();
                let to = if matches!(stmt, Stmt::Break(_)) {
                    end
                } else {
                    again
                };
                self.jump(false, *guard, &to);
            }
            Stmt::Return(guard) => {
                let guard = self.guard(*guard);
                self.line(format!("{guard}ret (M1, {simd})"));
            }
            Stmt::Subroutine { sub, guard } => {
                let guard = self.guard(*guard);
                self.line(format!("{guard}call (M1, {simd}) {p}sub{sub}"));
            }
            Stmt::Function {
                function,
                by,
                args,
                result,
            } => {
                let program = self.program;
                let signature = &program.scopes[1 + function].signature;
                let at = places(signature, simd, grf);
                for ((arg, &(var, byte)), to) in signature.args.iter().zip(args).zip(at) {
                    let to = at_byte(grf, &format!("{p}ARG"), to, *arg);
                    let from = at_byte(grf, &format!("{p}X{var}"), byte, *arg);
                    self.line(copy(*arg, simd, &to, &from));
                }
                let name = function_name(*function);
                let sizes = (grfs(signature, simd, grf), signature.result_grfs(simd, grf));
                let sizes = format!("{} {}", sizes.0, sizes.1);
                match by {
                    By::Name => self.line(format!("fcall (M1, {simd}) {name} {sizes}")),
                    By::Address { other, guard } => {
                        let guard = self.guard(Some(*guard));
                        let other = function_name(*other);
                        self.line(format!("faddr {name} {p}CALLED(0,0)<1>"));
                        self.line(format!("faddr {other} {p}OTHER(0,0)<1>"));
                        self.line(format!(
                            "{guard}mov (M1_NM, 1) {p}CALLED(0,0)<1> {p}OTHER(0,0)<0;1,0>"
                        ));
                        self.line(format!("ifcall (M1, {simd}) {p}CALLED(0,0)<0;1,0> {sizes}"));
                    }
                }
                let ty = bits_of(signature.result.expect("a result"));
                self.line(format!(
                    "mov (M1, {simd}) {p}X{result}_{ty}(0,0)<1> {p}RESULT_{ty}(0,0)<1;1,0>"
                ));
            }
        }
    }

    fn place(&self, place: Place, ty: Ty) -> String {
        let (p, name, grf) = (&self.prefix, ty.name(), self.program.grf());
        match place {
            Place::Direct { var, byte } => {
                format!(
                    "{p}X{var}_{name}({},{})",
                    byte / grf,
                    byte % grf / ty.bytes()
                )
            }
            Place::Indirect {
                addr,
                element,
                byte,
            } => format!("r[{p}A{addr}({element}),{byte}]"),
        }
    }

    fn target(&self, target: &Target) -> String {
        let place = self.place(target.place, target.ty);
        match target.place {
            Place::Direct { .. } => format!("{place}<{}>", target.stride),
            Place::Indirect { .. } => format!("{place}<{}>:{}", target.stride, target.ty.name()),
        }
    }

    fn source(&self, source: &Source) -> String {
        let (name, modifier) = (source.ty.name(), source.modifier.text());
        match source.what {
            What::Imm(bits) => format!("{bits:#x}:{name}"),
            What::At { place, region } => {
                let text = format!(
                    "{modifier}{}{}",
                    self.place(place, source.ty),
                    region_text(region)
                );
                match place {
                    Place::Direct { .. } => text,
                    Place::Indirect { .. } => format!("{text}:{name}"),
                }
            }
            What::Scattered { addr, byte } => {
                format!("{modifier}r[{}A{addr}(0),{byte}]<1,0>:{name}", self.prefix)
            }
        }
    }

    fn inst(&self, inst: &Inst) -> String {
        let mut text = self.guard(inst.guard);
        text.push_str(inst.op);
        if let Some(relation) = inst.relation {
            let _ = write!(text, ".{}", relation.name());
        }
        if inst.saturate {
            text.push_str(".sat");
        }
        let _ = write!(text, " {}", Self::exec(inst.exec));
        if let Some(flag) = inst.flag {
            let _ = write!(text, " {}P{}", self.prefix, flag + 1);
        }
        for target in &inst.targets {
            let _ = write!(text, " {}", self.target(target));
        }
        for source in &inst.sources {
            let _ = write!(text, " {}", self.source(source));
        }
        text
    }
}

/// The data port of untyped messages.
const DATA_PORT: usize = 12;

/// The descriptor of an untyped message of one dword a channel.
fn descriptor(store: bool, channels: usize) -> usize {
    let grfs = channels * 4 / 32;
    let operation = if store { 9 } else { 1 };
    let (size, only_red) = (if channels == 16 { 1 } else { 2 }, 0b1110);
    let got = if store { 0 } else { grfs };
    grfs << 25 | got << 20 | operation << 14 | size << 12 | only_red << 8 | MEMORY
}

/// The function that loads and stores by address.
const LOAD_STORE: usize = 15;

/// The descriptor of its message of one dword a channel, at offsets of 32 bits in a surface of the binding table. `grfs` is
/// the number of registers of the offsets, and of the dwords.
fn load_store(store: bool, grfs: usize) -> usize {
    let (operation, got) = if store { (4, 0) } else { (0, grfs) };
    let (offsets, dwords, table) = (2, 2, 3);
    table << 29 | grfs << 25 | got << 20 | dwords << 9 | offsets << 7 | operation
}

/// The integer type that moves values of a type unchanged.
fn bits_of(ty: Ty) -> &'static str {
    ["b", "w", "d", "q"][ty.bytes().trailing_zeros() as usize]
}

/// Offsets of the arguments.
fn places(signature: &Signature, simd: usize, grf: usize) -> Vec<usize> {
    signature.layout(simd, grf).expect("arguments that fit").0
}

fn grfs(signature: &Signature, simd: usize, grf: usize) -> usize {
    signature.layout(simd, grf).expect("arguments that fit").1
}

/// Text of a byte in a variable that is declared with all types of that width.
fn at_byte(grf: usize, var: &str, byte: usize, arg: Arg) -> String {
    format!(
        "{var}_{}({},{})",
        bits_of(arg.ty),
        byte / grf,
        byte % grf / arg.ty.bytes()
    )
}

fn copy(arg: Arg, simd: usize, to: &str, from: &str) -> String {
    match arg.common {
        true => format!("mov (M1_NM, 1) {to}<1> {from}<0;1,0>"),
        false => format!("mov (M1, {simd}) {to}<1> {from}<1;1,0>"),
    }
}

fn region_text(Region { v, w, h }: Region) -> String {
    format!("<{v};{w},{h}>")
}
