//! Sends: their payloads, descriptors and options.

use super::{Encoder, Layout};
use crate::encoding::decode::EX_BSO;
use crate::encoding::spec::{Attrs, FILE_IMM, Form};
use crate::encoding::{EncodeError, Operand};
use crate::inst::{Desc, Message, Reg, RegFile};

impl<L: Layout> Encoder<'_, L> {
    pub(super) fn send(&mut self) -> Result<(), EncodeError> {
        let Some(message) = self.inst.msg else {
            return self.missing("message");
        };
        let sources = if self.op.form == Form::Sends { 2 } else { 1 };
        self.sources(sources)?;
        self.dst()?;
        self.src::<0>(0, Attrs::NONE)?;
        if sources == 2 {
            self.src::<1>(1, Attrs::NONE)?;
        }
        self.message(&message)
    }

    /// Stores the options of an extended descriptor in a register.
    fn send_options(&mut self, message: &Message) -> Result<(), EncodeError> {
        let at = &self.format().message;
        let options = self.inst.send;
        let by_register = matches!(message.ex_desc, Desc::Addr { .. });
        let own = self.spec().messages.always_has_length;
        let without = by_register && own == Some(message.sfid);
        let bso = by_register && at.ex_bso.exists() && !without;
        self.allow(options.ex_bso, bso, "ExBSO")?;
        let length = options.ex_bso || without;
        self.allow(options.src1_len != 0, length, "a length without ExBSO")?;
        self.allow(options.cps, options.ex_bso && at.cps.exists(), "CPS")?;
        let [low, high] = at.ex_offset;
        let mut known = if low.exists() { 0xfff8_f800 } else { 0 };
        if !without {
            known &= !EX_BSO;
        }
        let offset = if by_register {
            options.ex_offset & !known
        } else {
            options.ex_offset
        };
        self.allow(offset != 0, false, "this offset of the extended descriptor")?;
        if by_register {
            self.put(low, u64::from(options.ex_offset >> 11 & 31));
            self.put(high, u64::from(options.ex_offset >> 19));
        }
        if options.ex_bso {
            self.put(at.ex_bso, 1);
            self.put(at.cps, u64::from(options.cps));
        }
        if length && !at.src1_len.set(&mut self.word, u64::from(options.src1_len)) {
            let operand = Operand::Src(1);
            return Err(EncodeError::Range {
                operand,
                what: "length",
            });
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) -> Result<(), EncodeError> {
        let at = &self.format().message;
        if !at.sfid.set(&mut self.word, u64::from(message.sfid)) {
            let operand = Operand::Descriptor;
            return Err(EncodeError::Range {
                operand,
                what: "shared function",
            });
        }
        self.put(at.eot, u64::from(message.eot));
        let options = self.inst.send;
        self.put(at.serialize, u64::from(options.serialize));
        self.send_options(message)?;
        let in_descriptor = self.spec().messages.function_in_descriptor;
        let bad = |what, desc| Err(EncodeError::Descriptor { what, desc });
        match message.desc {
            Desc::Imm(value) => {
                self.put(
                    at.desc_file,
                    if at.desc_file.exists() { FILE_IMM } else { 0 },
                );
                if !at.desc.set(&mut self.word, u64::from(value)) {
                    return bad("descriptor", message.desc);
                }
            }
            Desc::Addr { byte } => {
                let a0 = Reg::new(RegFile::Addr, 0, u16::from(byte));
                if at.desc_select.exists() {
                    self.put(at.desc_select, 1);
                    if byte != 0 {
                        return bad("descriptor", message.desc);
                    }
                } else {
                    let (_, num) = self.register(a0, Operand::Descriptor)?;
                    self.put(at.desc_num, num);
                    if byte % 4 != 0 || !at.desc_sub.set(&mut self.word, u64::from(byte)) {
                        return bad("descriptor", message.desc);
                    }
                }
            }
        }
        match message.ex_desc {
            Desc::Imm(value) => {
                if in_descriptor && value & 15 != u32::from(message.sfid) {
                    return Err(EncodeError::Message("the shared function"));
                }
                if in_descriptor && (value >> 5 & 1 != 0) != message.eot {
                    return Err(EncodeError::Message("end of thread"));
                }
                let len = value >> 6 & 0x3ff;
                let reserved = value & if in_descriptor { 0x10 } else { 0x3f } != 0;
                if reserved || !at.ex_len.set(&mut self.word, u64::from(len)) {
                    return bad("extended descriptor", message.ex_desc);
                }
                self.put(at.ex_func, u64::from(value >> 16));
            }
            Desc::Addr { byte } => {
                let whole = byte % 4 == 0 && at.ex_select.exists();
                if !whole || !at.ex_sub.set(&mut self.word, u64::from(byte / 4)) {
                    return bad("extended descriptor", message.ex_desc);
                }
                self.put(at.ex_select, 1);
            }
        }
        Ok(())
    }
}
