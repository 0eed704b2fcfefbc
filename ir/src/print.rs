//! The IR as text, for `--dump=ir`.

use std::fmt;

use kiln_visa::print::Printer;

use crate::func::{Block, Function, Owner, RoutineData, Term, Value, VarStorage};

struct Cells<'a, 'm>(&'a Function<'m>, crate::func::Cell);

impl fmt::Display for Cells<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let object = self.0.object;
        match self.0.cells[self.1].owner {
            Owner::Var { var, offset: 0 } => f.write_str(&object.vars[var].name),
            Owner::Var { var, offset } => write!(f, "{}+{offset}", object.vars[var].name),
            Owner::Packed { first } => write!(f, "{}&", object.vars[first].name),
            Owner::Payload { unit } => write!(f, "payload{unit}"),
            Owner::Predicate(p) => write!(f, "{p}"),
            Owner::Addr(a) => write!(f, "{a}"),
            Owner::Surface(s) => write!(f, "{s}"),
            Owner::Sampler(s) => write!(f, "{s}"),
        }
    }
}

struct Values<'a, 'm>(&'a Function<'m>, Value);

impl fmt::Display for Values<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0.values[self.1].cell.expand() {
            Some(cell) => write!(f, "{}.{}", Cells(self.0, cell), self.1.as_u32()),
            None => f.write_str("undef"),
        }
    }
}

impl fmt::Display for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "function {} simd{}", self.object.name, self.simd)?;
        for &(_, value) in &self.entry {
            writeln!(f, "  input {}", Values(self, value))?;
        }
        for (var, decl) in &self.object.vars {
            if let VarStorage::Fixed { offset } = self.storage[var] {
                writeln!(
                    f,
                    "  fixed {} at {offset}, {} bytes",
                    decl.name,
                    decl.bytes()
                )?;
            }
        }
        let printer = Printer::new(self.object);
        let mut routines = self.routines.values().skip(1).peekable();
        for (b, data) in &self.blocks {
            if let Some(routine) = routines.next_if(|routine| routine.blocks.start == b) {
                self.fmt_routine(f, routine)?;
            }
            write!(f, "{b}")?;
            for (i, &(_, value)) in data.params.iter().enumerate() {
                write!(
                    f,
                    "{}{}",
                    if i == 0 { "(" } else { ", " },
                    Values(self, value)
                )?;
            }
            writeln!(f, "{}:", if data.params.is_empty() { "" } else { ")" })?;
            for inst in self.block_insts(b) {
                write!(
                    f,
                    "    {:<5} {:<70}",
                    inst.to_string(),
                    printer.inst_text(self.visa(inst))
                )?;
                for (i, r) in self.reads(inst).iter().enumerate() {
                    write!(
                        f,
                        "{}{}",
                        if i == 0 { " ; reads " } else { ", " },
                        Values(self, r.value)
                    )?;
                }
                for (i, w) in self.writes(inst).iter().enumerate() {
                    write!(
                        f,
                        "{}{}",
                        if i == 0 { " ; writes " } else { ", " },
                        Values(self, w.new)
                    )?;
                    if let Some(old) = w.old.expand() {
                        write!(f, " over {}", Values(self, old))?;
                    }
                }
                writeln!(f)?;
            }
            self.fmt_term(f, b)?;
        }
        Ok(())
    }
}

impl Function<'_> {
    /// Parameters and results of a subroutine.
    fn fmt_routine(&self, f: &mut fmt::Formatter, routine: &RoutineData) -> fmt::Result {
        for (what, list) in [("takes", &routine.params), ("gives", &routine.results)] {
            write!(f, "subroutine {what}")?;
            for &(_, value) in list {
                write!(f, " {}", Values(self, value))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    fn fmt_term(&self, f: &mut fmt::Formatter, b: Block) -> fmt::Result {
        match self.blocks[b].term {
            Term::Jump(to) => write!(f, "    jump {to}")?,
            Term::Branch { inst, taken, next } => {
                write!(f, "    branch({inst}) {taken} else {next}")?
            }
            Term::Goto {
                inst,
                uip,
                jip,
                backward,
                ..
            } => {
                let way = if backward { "back " } else { "" };
                write!(f, "    goto({inst}) {way}{uip} jip {jip}")?;
            }
            Term::Join {
                jip: Some(jip),
                next,
            } => write!(f, "    join jip {jip} next {next}")?,
            Term::Join { jip: None, next } => write!(f, "    join next {next}")?,
            Term::Ret => write!(f, "    ret")?,
        }
        for edge in &self.blocks[b].succs {
            for (i, &arg) in edge.args.iter().enumerate() {
                let (open, to) = (if i == 0 { "  -> " } else { ", " }, edge.to);
                match i {
                    0 => write!(f, "{open}{to}({}", Values(self, arg))?,
                    _ => write!(f, "{open}{}", Values(self, arg))?,
                }
            }
            if !edge.args.is_empty() {
                write!(f, ")")?;
            }
        }
        writeln!(f)
    }
}
