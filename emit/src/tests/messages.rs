use super::*;
use crate::platform::find;

fn words(platform: &str, sfid: u8, ex_desc: Desc, desc: u32) -> String {
    let platform = find(platform).expect("a known platform");
    let messages = family_messages(platform.family);
    let mut inst = Inst::new(Op::Send, 16);
    inst.msg = Some(Message {
        sfid,
        eot: false,
        desc: Desc::Imm(desc),
        ex_desc,
    });
    let mut text = Text::default();
    write(&inst, messages, &mut text);
    text.into_string()
}

#[test]
fn messages_are_put_in_words() {
    let none = Desc::Imm(0);
    let a0 = Desc::Addr { byte: 8 };
    for (platform, sfid, ex_desc, desc, expected) in [
        (
            "skl",
            12,
            Desc::Imm(0xc),
            0x0210_5e03,
            "wr:1+0, rd:1; hdc.dc1, untyped surface read x simd16, surface 3",
        ),
        (
            "skl",
            10,
            Desc::Imm(0x4a),
            0x020a_02ff,
            "wr:1h+1, rd:0; hdc.dc0, oword block write x2, stateless",
        ),
        (
            "skl",
            10,
            Desc::Imm(0xa),
            0x021c_2005,
            "wr:1h+0, rd:1; hdc.dc0, hword scratch block read x4, offset 160",
        ),
        ("tgllp", 3, none, 0x0200_0004, "wr:1+0, rd:0; gtwy, barrier"),
        (
            "tgllp",
            2,
            none,
            0x0244_f001,
            "wr:1+0, rd:4; smpl, message 0x4F001",
        ),
        (
            "dg2",
            15,
            a0,
            0x4228_3580,
            "wr:1+a0.2[10:6], rd:2; ugm, load d32x4 a64 cached L1 L3, surface state a0.2",
        ),
        (
            "lnl",
            15,
            Desc::Imm(0x0000_3000),
            0x0210_0784,
            "wr:1+0, rd:1; ugm, store d64 a64, flat +0x3",
        ),
        (
            "lnl",
            14,
            none,
            0x0210_001f,
            "wr:1+0, rd:1; slm, fence group",
        ),
        ("skl", 0, none, 0, "wr:0+0, rd:0; null, message 0x0"),
    ] {
        assert_eq!(
            words(platform, sfid, ex_desc, desc),
            expected,
            "{platform} {desc:#x}"
        );
    }
}
