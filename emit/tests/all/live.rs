//! Live registers of short pieces of code, one rule each.

use kiln_emit::listing;
use kiln_emit::live::{Live, Row};
use kiln_emit::platform::{self, Platform};
use kiln_emit::read;

/// The analysis of a listing, and the number of its instructions.
fn live(name: &str, text: &str) -> Live {
    let platform: &'static Platform = platform::find(name).unwrap();
    let assembly =
        read::assemble(text, platform, true).unwrap_or_else(|errors| panic!("{errors:?}"));
    let code = listing::insts(&assembly.code, platform);
    Live::new(&code, platform, &[0])
}

/// The instructions at which a general register lives, as `first..=last`, of code without branches.
fn stretches(live: &Live, register: u32) -> Vec<(u32, u32)> {
    let spans = live
        .spans
        .iter()
        .filter(|span| span.row == Row::grf(register));
    spans.map(|span| (span.from, span.to)).collect()
}

const END: &str =
    "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n";

/// A predicated write keeps what was there, a selection does not.
#[test]
fn a_predicate_keeps_old_contents() {
    let code = |second: &str| {
        format!(
            "mov (8|M0) r10.0<1>:d r2.0<8;8,1>:d\n\
             add (8|M0) r20.0<1>:d r2.0<8;8,1>:d r2.0<8;8,1>:d\n\
             {second}\n\
             mov (8|M0) r30.0<1>:d r10.0<8;8,1>:d\n{END}"
        )
    };
    let kept = live("skl", &code("(f0.0) mov (8|M0) r10.0<1>:d r20.0<8;8,1>:d"));
    assert_eq!(stretches(&kept, 10), [(0, 3)]);
    let plain = live("skl", &code("mov (8|M0) r10.0<1>:d r20.0<8;8,1>:d"));
    assert_eq!(stretches(&plain, 10), [(0, 0), (2, 3)]);
    let chosen = live(
        "skl",
        &code("(f0.0) sel (8|M0) r10.0<1>:d r20.0<8;8,1>:d r2.0<8;8,1>:d"),
    );
    assert_eq!(stretches(&chosen, 10), [(0, 0), (2, 3)]);
}

/// A write of a part of a register keeps the rest.
#[test]
fn a_part_keeps_the_rest() {
    let code = |reads: &str| {
        format!(
            "(W) mov (8|M0) r10.0<1>:d r2.0<8;8,1>:d\n\
             (W) add (8|M0) r20.0<1>:d r2.0<8;8,1>:d r2.0<8;8,1>:d\n\
             (W) mov (4|M0) r10.0<1>:d r20.0<4;4,1>:d\n\
             (W) mov ({reads}|M0) r30.0<1>:d r10.0<{reads};{reads},1>:d\n\
             (W) mov (8|M0) r31.0<1>:d r30.0<8;8,1>:d\n{END}"
        )
    };
    assert_eq!(stretches(&live("skl", &code("8")), 10), [(0, 3)]);
    assert_eq!(stretches(&live("skl", &code("4")), 10), [(0, 0), (2, 3)]);
}

/// Values of channels that wait at `endif` live while the others write the same register, and a masked write ends those of
/// its own channels.
#[test]
fn channels_that_wait_keep_what_they_want() {
    // Channels that skip the branch read the r10 of instruction 0 after it.
    let text = format!(
        "mov (8|M0) r10.0<1>:d r2.0<8;8,1>:d\n\
         cmp (8|M0) (eq)f0.0 null<1>:d r2.0<8;8,1>:d 0:w\n\
         (f0.0) if (8|M0) L96 L96\n\
         add (8|M0) r20.0<1>:d r2.0<8;8,1>:d r2.0<8;8,1>:d\n\
         mov (8|M0) r10.0<1>:d r20.0<8;8,1>:d\n\
         add (8|M0) r21.0<1>:d r20.0<8;8,1>:d r10.0<8;8,1>:d\n\
         L96:\n\
         endif (8|M0) L112\n\
         L112:\n\
         add (8|M0) r30.0<1>:d r10.0<8;8,1>:d r21.0<8;8,1>:d\n{END}"
    );
    let waits = live("skl", &text);
    assert_eq!(stretches(&waits, 10), [(0, 7)]);
    // Nobody wants what the branch computes for itself before it is written.
    assert_eq!(stretches(&waits, 20), [(3, 5)]);
    let other = text.replacen(
        "mov (8|M0) r10.0<1>:d r20.0<8;8,1>:d",
        "mov (8|M0) r11.0<1>:d r20.0<8;8,1>:d",
        1,
    );
    let other = live(
        "skl",
        &other.replace(
            "r20.0<8;8,1>:d r10.0<8;8,1>:d",
            "r20.0<8;8,1>:d r11.0<8;8,1>:d",
        ),
    );
    assert_eq!(stretches(&other, 11), [(4, 5)]);
}

/// A masked write under divergence does not end what all channels want.
#[test]
fn a_masked_write_keeps_what_all_want() {
    let text = |mask: &str| {
        format!(
            "(W) mov (8|M0) r10.0<1>:d r2.0<8;8,1>:d\n\
             cmp (8|M0) (eq)f0.0 null<1>:d r2.0<8;8,1>:d 0:w\n\
             (f0.0) if (8|M0) L96 L96\n\
             {mask} mov (8|M0) r10.0<1>:d r2.0<8;8,1>:d\n\
             add (8|M0) r21.0<1>:d r2.0<8;8,1>:d r2.0<8;8,1>:d\n\
             (W) add (8|M0) r30.0<1>:d r10.0<8;8,1>:d r2.0<8;8,1>:d\n\
             L96:\n\
             endif (8|M0) L112\n\
             L112:\n\
             add (8|M0) r31.0<1>:d r30.0<8;8,1>:d r21.0<8;8,1>:d\n{END}"
        )
    };
    assert_eq!(stretches(&live("skl", &text("")), 10), [(0, 5)]);
    assert_eq!(stretches(&live("skl", &text("(W)")), 10), [(0, 0), (3, 5)]);
}

/// A message reads as many registers as its descriptor says, and writes as many.
#[test]
fn a_message_has_its_lengths() {
    let text = format!(
        "mov (16|M0) r10.0<1>:d r2.0<8;8,1>:d\n\
         mov (8|M0) r12.0<1>:d r2.0<8;8,1>:d\n\
         send (16|M0) r20:w r10 0xC 0x04205E02\n\
         add (16|M0) r30.0<1>:f r20.0<8;8,1>:f r20.0<8;8,1>:f\n\
         sends (16|M0) null:w r10 r30 0x8C 0x04025E02\n{END}"
    );
    let live = live("skl", &text);
    assert_eq!(stretches(&live, 10), [(0, 4)]);
    assert_eq!(stretches(&live, 11), [(0, 4)]);
    assert_eq!(stretches(&live, 12), [(1, 1)]);
    assert_eq!(stretches(&live, 21), [(2, 3)]);
    assert_eq!(stretches(&live, 31), [(3, 4)]);
    assert_eq!(live.points[3].grfs, 2 + 2 + 2 + 1);
}

/// Values that a loop carries live at its end.
#[test]
fn a_loop_carries_its_values() {
    let text = format!(
        "(W) mov (1|M0) r10.0<1>:d 0:w\n\
         (W) mov (1|M0) r11.0<1>:d 0:w\n\
         L32:\n\
         (W) add (1|M0) r10.0<1>:d r10.0<0;1,0>:d r2.0<0;1,0>:d\n\
         (W) add (1|M0) r11.0<1>:d r11.0<0;1,0>:d 1:w\n\
         (W) cmp (1|M0) (lt)f0.0 null<1>:d r11.0<0;1,0>:d r2.1<0;1,0>:d\n\
         (W&f0.0) jmpi L32\n\
         (W) mov (1|M0) r12.0<1>:d r10.0<0;1,0>:d\n{END}"
    );
    let live = live("skl", &text);
    let header = live.span(Row::grf(2), 5).unwrap();
    assert_eq!((header.from, header.to), (0, 5));
    let sum: Vec<u32> = live
        .spans
        .iter()
        .filter(|span| span.row == Row::grf(10))
        .map(|span| span.value)
        .collect();
    // The value of a round and that of the next meet along the branch.
    assert!(sum.windows(2).all(|two| two[0] == two[1]), "{sum:?}");
    assert_eq!(live.points[5].flags, 1);
}
