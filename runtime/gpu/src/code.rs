//! Code by its address. It has no length: code is decoded from a kernel's first instruction as far as control flow goes.

use std::collections::HashMap;
use std::sync::Arc;

use kiln_emit::encoding;
use kiln_emit::inst::{Op, Target};
use kiln_emit::platform::Platform;
use kiln_exec::Program;

use super::space::{Fault, Space};

/// Maximum size of a kernel's code in bytes.
const CODE_BYTES: u64 = 16 << 20;

/// Maximum number of programs that are kept.
const MOST_PROGRAMS: usize = 1 << 14;

/// Programs by the addresses of their first instructions.
#[derive(Default)]
pub struct Programs {
    known: HashMap<u64, (Vec<u8>, Arc<Program>)>,
}

impl Programs {
    /// The program at an address. It is decoded once, as long as its code stays the same.
    pub fn at(
        &mut self,
        space: &Space,
        at: u64,
        platform: &'static Platform,
    ) -> Result<Arc<Program>, Fault> {
        if let Some((text, program)) = self.known.get(&at) {
            let mut now = vec![0; text.len()];
            if space.read(at, &mut now).is_ok() && now == *text {
                return Ok(program.clone());
            }
        }
        let (_, room) = space.host(at)?;
        let mut text = vec![0; room.min(CODE_BYTES) as usize];
        space.read(at, &mut text)?;
        text.truncate(reachable(&text, platform));
        let program = Arc::new(Program::from_text(&text, platform));
        if self.known.len() == MOST_PROGRAMS {
            self.known.clear();
        }
        self.known.insert(at, (text, program.clone()));
        Ok(program)
    }
}

/// Size of the code from its start to the end of a thread, or a return, that no branch goes beyond.
fn reachable(text: &[u8], platform: &'static Platform) -> usize {
    let (mut at, mut farthest) = (0, 0);
    while let Ok(inst) = encoding::decode(&text[at..], platform) {
        for target in [inst.jip, inst.uip] {
            if let Some(Target::Offset(offset)) = target {
                let target = (at as i64).saturating_add(offset.into());
                farthest = farthest.max(usize::try_from(target).unwrap_or(0));
            }
        }
        at += inst.size() as usize;
        let ends = inst.msg.is_some_and(|m| m.eot) || inst.op == Op::Ret;
        if ends && at > farthest || at >= text.len() {
            break;
        }
    }
    at.min(text.len())
}
