//! Places of variables whose address is taken.

use kiln_ir::build::build;
use kiln_ir::func::VarStorage;
use kiln_platform::platform::SKL;
use kiln_visa::module::{Module, Var};
use kiln_visa::{text, verify};

/// A SIMD8 kernel with variables V0 to V3 and R of eight dwords, and addresses A0 to A3.
fn kernel(body: &str) -> Module {
    let mut source = String::from(".version 4.1\n.kernel \"k\"\n");
    for n in 0..4 {
        source += &format!(".decl V{n} v_type=G type=d num_elts=8 align=GRF\n");
        source += &format!(".decl A{n} v_type=A num_elts=1\n");
    }
    source += ".decl R v_type=G type=d num_elts=8 align=GRF\n.decl P1 v_type=P num_elts=8\n";
    source += ".kernel_attr SimdSize=8\n";
    source += body;
    let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let findings = verify::verify(&module);
    assert!(findings.is_empty(), "{findings:?}\n{source}");
    module
}

fn write(n: u32) -> String {
    format!("mov (M1, 8) V{n}(0,0)<1> R(0,0)<1;1,0>\n")
}

fn read(n: u32) -> String {
    format!(
        "addr_add (M1_NM, 1) A{n}(0)<1> &V{n} 0x8:uw\n\
         add (M1, 8) R(0,0)<1> R(0,0)<1;1,0> r[A{n}(0),0]<0;1,0>:d\n"
    )
}

/// The places of V0 and the variables after it, in allocation units.
fn places(count: usize, body: &str) -> Vec<u32> {
    let module = kernel(body);
    let func = build(&module.objects[0], &SKL).expect("a graph");
    let vars = &module.objects[0].vars;
    (0..count)
        .map(|n| {
            let name = format!("V{n}");
            let var = vars
                .keys()
                .find(|&v: &Var| vars[v].name == *name)
                .expect("declared");
            match func.storage[var] {
                VarStorage::Fixed { offset } => offset / func.cell_bytes(),
                other => panic!("{other:?}"),
            }
        })
        .collect()
}

#[test]
fn variables_in_use_one_after_the_other_share_a_place() {
    let body = [write(0), read(0), write(1), read(1), "ret (M1, 1)\n".into()];
    assert_eq!(places(2, &body.concat()), [0, 0]);
    let body = [write(0), write(1), read(0), write(2), read(2), read(1)];
    assert_eq!(places(3, &(body.concat() + "ret (M1, 1)\n")), [0, 1, 0]);
}

const BACK: &str = "cmp.lt (M1, 8) P1 R(0,0)<1;1,0> 0x9:d\n(P1) goto (M1, 8) top\n";

#[test]
fn what_is_written_in_each_round_of_a_loop_shares_a_place() {
    let rounds = [write(0), read(0), write(1), read(1)].concat();
    let body = format!("top:\n{rounds}{BACK}ret (M1, 1)\n");
    assert_eq!(places(2, &body), [0, 0]);
}

#[test]
fn what_a_channel_reads_in_the_next_round_keeps_its_place() {
    let partly = "(P1) mov (M1, 8) V0(0,0)<1> R(0,0)<1;1,0>\n";
    let rounds = [partly, &read(0), &write(1), &read(1)].concat();
    let body = format!("top:\n{rounds}{BACK}ret (M1, 1)\n");
    assert_eq!(places(2, &body), [0, 1]);
    // Through the address, too: it may write some bytes, and the others are read later.
    let through =
        "addr_add (M1_NM, 1) A0(0)<1> &V0 0x8:uw\nmov (M1, 8) r[A0(0),0]<1>:d R(0,0)<1;1,0>\n";
    let rounds = [through, &read(0), &write(1), &read(1)].concat();
    let body = format!("top:\n{rounds}{BACK}ret (M1, 1)\n");
    assert_eq!(places(2, &body), [0, 1]);
}

#[test]
fn what_channels_read_that_left_the_loop_keeps_its_place() {
    let rounds = [write(1), read(1), write(0)].concat();
    let body = format!("top:\n{rounds}{BACK}{}ret (M1, 1)\n", read(0));
    assert_eq!(places(2, &body), [0, 1]);
    // A loop that begins before the first access and ends after it.
    let rounds = [write(1), read(1), write(0), read(0)].concat();
    let body = format!("top:\n{rounds}{BACK}{}ret (M1, 1)\n", read(0));
    assert_eq!(places(2, &body), [0, 1]);
}

#[test]
fn variables_of_one_address_have_places_of_their_own() {
    let other = "addr_add (M1_NM, 1) A0(0)<1> &V1 0x8:uw\n\
                 add (M1, 8) R(0,0)<1> R(0,0)<1;1,0> r[A0(0),0]<0;1,0>:d\n";
    let body = [
        &write(0),
        &read(0),
        &write(1),
        &write(2),
        &read(2),
        other,
        "ret (M1, 1)\n",
    ];
    let mut apart = places(3, &body.concat());
    apart.sort_unstable();
    assert_eq!(apart, [0, 1, 2]);
    let copied = "addr_add (M1_NM, 1) A3(0)<1> A0(0)<1> 0x4:uw\n";
    let body = [
        &write(0),
        &read(0),
        copied,
        &write(1),
        &read(1),
        "ret (M1, 1)\n",
    ]
    .concat();
    let mut apart = places(2, &body);
    apart.sort_unstable();
    assert_eq!(apart, [0, 1]);
}

#[test]
fn a_number_in_an_address_before_it_is_no_use_of_it() {
    let zero = "mov (M1_NM, 1) A0(0)<1> 0x0:uw\n";
    let pairs = [&write(0), zero, &read(0), &write(1), &read(1)].concat();
    assert_eq!(places(2, &format!("{pairs}ret (M1, 1)\n")), [0, 0]);
    let number = "addr_add (M1_NM, 1) A3(0)<1> A0(0)<1> 0x4:uw\n";
    let mut apart = places(2, &format!("{pairs}{number}ret (M1, 1)\n"));
    apart.sort_unstable();
    assert_eq!(apart, [0, 1]);
}

#[test]
fn variables_of_several_routines_have_places_of_their_own() {
    let end = "ret (M1, 1)\n.function \"s\"\ns:\n";
    // In use when the subroutine is called.
    let body = [
        &write(0),
        "call (M1, 8) s\ncall (M1, 8) s\n",
        &read(0),
        end,
        &write(1),
        &read(1),
        "ret (M1, 8)\n",
    ];
    assert_eq!(places(2, &body.concat()), [0, 1]);
    // From one call to the next.
    let body = [
        "call (M1, 8) s\ncall (M1, 8) s\n",
        end,
        &read(0),
        &write(0),
        &write(1),
        &read(1),
        "ret (M1, 8)\n",
    ];
    let mut apart = places(2, &body.concat());
    apart.sort_unstable();
    assert_eq!(apart, [0, 1]);
    let body = [
        "call (M1, 8) s\ncall (M1, 8) s\n",
        end,
        &write(0),
        &read(0),
        &write(1),
        &read(1),
        "ret (M1, 8)\n",
    ];
    assert_eq!(places(2, &body.concat()), [0, 0]);
}
