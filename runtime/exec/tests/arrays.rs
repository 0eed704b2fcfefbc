//! Arrays in registers that together exceed the register file. Accesses by name, through uniform addresses and through
//! an address for each channel, in divergent code, have the same results with every register limit, equal to those
//! computed here.

use std::fmt::Write;

use kiln_compile::attempt::{self, Scratch};
use kiln_compile::{Compiled, Options};
use kiln_emit::inst::{Place, Reg, RegFile, Src};
use kiln_emit::platform::{self, Platform};
use kiln_emit::ze_info::ZeInfo;
use kiln_exec::{Arg, Buffer, Launch, Program};
use kiln_visa::{text, verify};

const LANES: usize = 16;
/// Rows that the kernel stores.
const RESULTS: usize = 7;

fn skl() -> &'static Platform {
    platform::find("skl").expect("the platform of the tests")
}

/// Initial contents of element `k` of array `a`.
fn start(a: usize, k: usize, lane: usize) -> i32 {
    (a * 100_000 + k * 1000 + lane * 7 + 1) as i32
}

/// Attributes, and the start of the code: the number of each channel, and the surface.
const START: &str = ".kernel_attr Target=\"3d\"
.kernel_attr SimdSize=16
.function \"arrays_0\"
mov (M1_NM, 8) LANE(0,0)<1> 0x76543210:uv
add (M1_NM, 8) LANE(0,8)<1> LANE(0,0)<1;1,0> 0x8:uw
mov (M1, 16) ID(0,0)<1> LANE(0,0)<1;1,0>
movs (M1_NM, 1) T6(0) 0x0:ud
";

/// A kernel of arrays of a number of rows of sixteen dwords, two GRFs each.
fn kernel(rows: &[usize]) -> String {
    let mut t = String::from(".version 4.1\n.kernel \"arrays\"\n");
    let names: Vec<String> = (0..rows.len()).map(|a| format!("X{a}")).collect();
    for (name, rows) in names.iter().zip(rows) {
        let elements = rows * LANES;
        let _ = writeln!(
            t,
            ".decl {name} v_type=G type=d num_elts={elements} align=hword"
        );
    }
    for name in ["ID", "AT", "S", "I", "J", "N"] {
        let _ = writeln!(t, ".decl {name} v_type=G type=d num_elts=16 align=hword");
    }
    let last = &names[names.len() - 1];
    let (first_rows, last_rows) = (rows[0], rows[rows.len() - 1]);
    t += ".decl W v_type=G type=uw num_elts=32 align=hword alias=<I, 0>
.decl U v_type=G type=uw num_elts=16 align=hword
.decl LANE v_type=G type=uw num_elts=16 align=hword
.decl IDS v_type=G type=w num_elts=16 align=hword
.decl OFF v_type=G type=ud num_elts=1 align=dword
.decl OFFW v_type=G type=uw num_elts=2 align=dword alias=<OFF, 0>
.decl A0 v_type=A num_elts=16
.decl A1 v_type=A num_elts=1
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=T006
.input IDS offset=32 size=32
";
    t += START;
    for (a, rows) in rows.iter().enumerate() {
        for k in 0..*rows {
            let row = 2 * k;
            let base = start(a, k, 0);
            let _ = writeln!(
                t,
                "mad (M1, 16) X{a}({row},0)<1> ID(0,0)<1;1,0> 0x7:d {base:#x}:d"
            );
        }
    }
    // Odd lanes write a row through a uniform address, the others, after a goto, by name.
    let _ = write!(
        t,
        "and (M1, 16) I(0,0)<1> ID(0,0)<1;1,0> 0x1:d
cmp.eq (M1, 16) P1 I(0,0)<1;1,0> 0x0:d
addr_add (M1_NM, 1) A1(0)<1> &{last} 0x140:uw
(!P1) mov (M1, 16) r[A1(0),-64]<1>:d ID(0,0)<1;1,0>
(!P1) goto (M1, 16) odd
add (M1, 16) X0(4,0)<1> X0(4,0)<1;1,0> 0x5:d
add (M1, 16) X0(6,0)<1> X0(8,0)<1;1,0> X0(10,0)<1;1,0>
odd:
"
    );
    let mut results = 0;
    let mut store = |t: &mut String| {
        let at = results * LANES * 4;
        let _ = write!(
            t,
            "shl (M1, 16) AT(0,0)<1> ID(0,0)<1;1,0> 0x2:d
add (M1, 16) AT(0,0)<1> AT(0,0)<1;1,0> {at:#x}:d
scatter4_scaled.R (M1, 16) T6 0x0:ud AT.0 S.0
"
        );
        results += 1;
    };
    // Result 0: the sum of all rows of the last array, in a loop that even lanes leave half way.
    let half = last_rows / 2;
    let _ = write!(
        t,
        "mov (M1, 16) S(0,0)<1> 0x0:d
mov (M1, 16) N(0,0)<1> 0x0:d
mov (M1_NM, 1) OFF(0,0)<1> 0x0:ud
loop:
addr_add (M1_NM, 1) A1(0)<1> &{last} OFFW(0,0)<0;1,0>
add (M1, 16) S(0,0)<1> S(0,0)<1;1,0> r[A1(0),0]<8;8,1>:d
add (M1_NM, 1) OFF(0,0)<1> OFF(0,0)<0;1,0> 0x40:ud
add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:d
cmp.lt (M1, 16) P2 N(0,0)<1;1,0> {last_rows:#x}:d
mov (M1, 16) J(0,0)<1> {half:#x}:d
(!P1) mov (M1, 16) J(0,0)<1> {last_rows:#x}:d
cmp.lt (M1, 16) P2 N(0,0)<1;1,0> J(0,0)<1;1,0>
(P2) goto (M1, 16) loop
"
    );
    store(&mut t);
    // Result 1: an address a channel, in the first array for odd lanes and in the last for others.
    let gather = |t: &mut String, factor: usize, rows: usize, name: &str| {
        // Byte offset: row (lane * factor % rows) * 64 + lane * 4.
        let _ = write!(
            t,
            "mul (M1, 16) I(0,0)<1> ID(0,0)<1;1,0> {factor:#x}:d
mod (M1, 16) I(0,0)<1> I(0,0)<1;1,0> {rows:#x}:d
shl (M1, 16) I(0,0)<1> I(0,0)<1;1,0> 0x6:d
shl (M1, 16) J(0,0)<1> ID(0,0)<1;1,0> 0x2:d
add (M1, 16) I(0,0)<1> I(0,0)<1;1,0> J(0,0)<1;1,0>
mov (M1, 16) U(0,0)<1> W(0,0)<16;8,2>
addr_add (M1, 16) A0(0)<1> &{name} U(0,0)<1;1,0>
"
        );
    };
    gather(&mut t, 5, first_rows, "X0");
    t += "(!P1) goto (M1, 16) first\n";
    gather(&mut t, 11, last_rows, last);
    t += "first:
mov (M1, 16) S(0,0)<1> r[A0(0),0]<1,0>:d\n";
    store(&mut t);
    // Result 2: the same under divergence, with a modifier; odd lanes keep their value.
    t += "(!P1) goto (M1, 16) skip
mov (M1, 16) S(0,0)<1> (-)r[A0(0),0]<1,0>:d
skip:
";
    store(&mut t);
    // Results 3 and 4: rows written by name and through the address, read by name.
    t += "mov (M1, 16) S(0,0)<1> X0(6,0)<1;1,0>\n";
    store(&mut t);
    let _ = writeln!(t, "mov (M1, 16) S(0,0)<1> {last}(8,0)<1;1,0>");
    store(&mut t);
    // Result 5: single elements, each of a lane's own, written one by one where the lane is even.
    t += "mov (M1, 16) S(0,0)<1> 0x0:d\n";
    for lane in 0..LANES {
        let at = (lane % first_rows) * 64 + lane * 4;
        let _ = write!(
            t,
            "addr_add (M1_NM, 1) A1(0)<1> &X0 {at:#x}:uw
mov (M1_NM, 1) r[A1(0),0]<1>:w {lane:#x}:w
add (M1_NM, 1) S(0,{column})<1> r[A1(0),0]<0;1,0>:d S(0,0)<0;1,0>
",
            column = lane % 8
        );
        if lane % 8 == 7 {
            let _ = writeln!(
                t,
                "mov (M1_NM, 8) N({},0)<1> S(0,0)<1;1,0>\nmov (M1_NM, 8) S(0,0)<1> 0x0:d",
                lane / 8
            );
        }
    }
    t += "mov (M1, 16) S(0,0)<1> N(0,0)<1;1,0>\n";
    store(&mut t);
    // Result 6: a message that reads and writes rows of an array.
    let _ = write!(
        t,
        "shl (M1, 16) AT(0,0)<1> ID(0,0)<1;1,0> 0x2:d
gather4_scaled.R (M1, 16) T6 0x0:ud AT.0 X0.64
add (M1, 16) {last}(2,0)<1> X0(2,0)<1;1,0> 0x1:d
add (M1, 16) AT(0,0)<1> AT(0,0)<1;1,0> {at:#x}:d
scatter4_scaled.R (M1, 16) T6 0x0:ud AT.0 {last}.64
ret (M1, 1)
",
        at = (RESULTS - 1) * LANES * 4
    );
    t
}

/// Results of the kernel.
fn expected(rows: &[usize]) -> Vec<i32> {
    let mut x: Vec<Vec<[i32; LANES]>> = rows
        .iter()
        .enumerate()
        .map(|(a, &rows)| {
            (0..rows)
                .map(|k| std::array::from_fn(|lane| start(a, k, lane)))
                .collect()
        })
        .collect();
    let last = rows.len() - 1;
    for lane in (0..LANES).step_by(2) {
        x[0][2][lane] += 5;
        x[0][3][lane] = x[0][4][lane] + x[0][5][lane];
    }
    for (lane, element) in x[last][4].iter_mut().enumerate().skip(1).step_by(2) {
        *element = lane as i32;
    }
    let mut results = Vec::new();
    let sum = |lane: usize| {
        let end = if lane % 2 == 1 {
            rows[last]
        } else {
            rows[last] / 2
        };
        x[last][..end].iter().map(|row| row[lane]).sum::<i32>()
    };
    results.extend((0..LANES).map(sum));
    let gathered = |lane: usize| match lane % 2 {
        1 => x[0][lane * 5 % rows[0]][lane],
        _ => x[last][lane * 11 % rows[last]][lane],
    };
    results.extend((0..LANES).map(gathered));
    results.extend((0..LANES).map(|lane| match lane % 2 {
        1 => gathered(lane),
        _ => -gathered(lane),
    }));
    results.extend(x[0][3]);
    results.extend(x[last][4]);
    // The first lane of each eight also counts its value before the write.
    let mut single = [0i32; LANES];
    for half in 0..2 {
        let mut first = 0;
        for lane in half * 8..half * 8 + 8 {
            let element = &mut x[0][lane % rows[0]][lane];
            *element = *element & !0xffff | lane as i32;
            single[lane] = *element + first;
            if lane % 8 == 0 {
                first = single[lane];
            }
        }
    }
    results.extend(single);
    let sums: Vec<i32> = results[..LANES].iter().map(|s| s + 1).collect();
    results.extend(sums);
    results
}

fn compile(text: &str, grf_limit: u32) -> Compiled {
    let module = text::parse(text).unwrap_or_else(|e| {
        let line = text.lines().nth((e.line as usize).saturating_sub(1));
        panic!("{e}: {line:?}")
    });
    let finding = verify::verify(&module).first().map(ToString::to_string);
    assert_eq!(finding, None);
    let mut options = Options::new(skl());
    options.verify = true;
    options.grf_limit = grf_limit;
    attempt::compile(&module.objects[0], &options, &mut Scratch::default())
        .unwrap_or_else(|e| panic!("in {grf_limit}: {e}"))
}

fn run(code: &[u8], scratch: u32) -> Vec<i32> {
    let size = scratch.next_power_of_two().max(1024);
    let yaml = format!(
        "version: '1.20'
kernels:
  - name: arrays
    execution_env:
      grf_count: 128
      simd_size: 16
    payload_arguments:
      - {{arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global, access_type: readwrite}}
    per_thread_payload_arguments:
      - {{arg_type: local_id, offset: 0, size: 96}}
    per_thread_memory_buffers:
      - {{type: scratch, usage: spill_fill_space, size: {size}}}
    binding_table_indices:
      - {{bti_value: 0, arg_index: 0}}
"
    );
    let info = ZeInfo::parse(yaml.as_bytes()).expect("a description");
    let mut launch = Launch {
        ze_info: &info,
        kernel: "arrays",
        global: [LANES as u32, 1, 1],
        local: [LANES as u32, 1, 1],
        dimensions: 1,
        args: vec![Arg::from(Buffer::of(&vec![-1i32; RESULTS * LANES]))],
        budget: 1 << 22,
    };
    launch
        .run(&Program::from_text(code, skl()))
        .unwrap_or_else(|e| panic!("{e}"));
    let buffer = Buffer::try_from(launch.args.swap_remove(0)).expect("the buffer");
    buffer.values::<i32>()
}

/// The highest general register that an instruction names, except for the end of the thread.
fn highest(compiled: &Compiled) -> u32 {
    let mut highest = 0;
    let program = Program::from_text(&compiled.code, skl());
    for inst in program.insts().filter(|i| !i.msg.is_some_and(|m| m.eot)) {
        let sources = inst.srcs.iter().filter_map(|s| match s {
            Src::Reg(r) => Some(r.place),
            Src::Imm { .. } => None,
        });
        for place in sources.chain(inst.dst.map(|d| d.place)) {
            if let Place::Direct(Reg {
                file: RegFile::Grf,
                num,
                ..
            }) = place
            {
                // The copy of the header that the thread ends with.
                let ends = num == 127 && inst.srcs.len() == 1;
                highest = highest.max(if ends { 0 } else { num });
            }
        }
    }
    highest
}

#[test]
fn arrays_of_any_size_work_in_any_number_of_registers() {
    for rows in [&[6, 8][..], &[56], &[32, 40], &[40, 60, 50]] {
        let text = kernel(rows);
        let expected = expected(rows);
        for limit in [128, 48, 32, 24] {
            let compiled = compile(&text, limit);
            let found = run(&compiled.code, compiled.allocation.spill_bytes);
            for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(
                    found,
                    expected,
                    "rows {rows:?} in {limit}: result {} of lane {}",
                    i / LANES,
                    i % LANES
                );
            }
            let highest = highest(&compiled);
            assert!(limit == 128 || highest < limit, "r{highest} in {limit}");
        }
    }
}

/// The largest number of rounds of a lane in [`rounds`].
const ROUNDS: usize = 4;

/// A kernel with a loop that lanes leave after 1 to 4 rounds. In it two loops take one by one the different values that
/// the lanes have in `V` and `W`, and find them through an address.
fn rounds() -> String {
    let mut t = String::from(".version 4.1\n.kernel \"arrays\"\n");
    for name in ["ID", "AT", "SUM", "N", "LAST", "V", "W", "X", "Y"] {
        let _ = writeln!(t, ".decl {name} v_type=G type=d num_elts=16 align=hword");
    }
    for name in ["M", "F", "I"] {
        let _ = writeln!(t, ".decl {name} v_type=G type=ud num_elts=1 align=dword");
    }
    t += ".decl IW v_type=G type=uw num_elts=2 align=dword alias=<I, 0>
.decl E v_type=G type=d num_elts=1 align=dword
.decl LANE v_type=G type=uw num_elts=16 align=hword
.decl A0 v_type=A num_elts=1
.decl A1 v_type=A num_elts=1
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl P3 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=T006
";
    t += START;
    t += "mov (M1, 16) SUM(0,0)<1> 0x0:d
mov (M1, 16) N(0,0)<1> 0x0:d
and (M1, 16) LAST(0,0)<1> ID(0,0)<1;1,0> 0x3:d
top:
setp (M1_NM, 16) P1 0x0:ud
cmp.eq (M1, 16) P1 ID(0,0)<1;1,0> ID(0,0)<1;1,0>
add (M1, 16) V(0,0)<1> ID(0,0)<1;1,0> N(0,0)<1;1,0>
and (M1, 16) V(0,0)<1> V(0,0)<1;1,0> 0x3:d
";
    let one_by_one = |t: &mut String, [var, addr, pred, x, op]: [&str; 5]| {
        let _ = write!(
            t,
            "mov (M1_NM, 1) M(0,0)<1> P1
next{var}:
fbl (M1_NM, 1) I(0,0)<1> M(0,0)<0;1,0>
shl (M1_NM, 1) I(0,0)<1> I(0,0)<0;1,0> 0x2:w
addr_add (M1_NM, 1) {addr}(0)<1> &{var} IW(0,0)<0;1,0>
mov (M1_NM, 1) E(0,0)<1> r[{addr}(0),0]<0;1,0>:d
cmp.eq (M1, 16) {pred} E(0,0)<0;1,0> {var}(0,0)<1;1,0>
lifetime.start {x}
({pred}) {op} (M1, 16) {x}(0,0)<1> ID(0,0)<1;1,0> E(0,0)<0;1,0>
mov (M1_NM, 1) F(0,0)<1> {pred}
and (M1_NM, 1) M(0,0)<1> M(0,0)<0;1,0> (~)F(0,0)<0;1,0>
setp (M1_NM, 16) {pred} M(0,0)<0;1,0>
({pred}) goto (M1, 16) next{var}
add (M1, 16) SUM(0,0)<1> SUM(0,0)<1;1,0> {x}(0,0)<1;1,0>
"
        );
    };
    one_by_one(&mut t, ["V", "A0", "P2", "X", "mul"]);
    t += "mul (M1, 16) W(0,0)<1> ID(0,0)<1;1,0> 0x3:d
add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> N(0,0)<1;1,0>
and (M1, 16) W(0,0)<1> W(0,0)<1;1,0> 0x7:d
";
    one_by_one(&mut t, ["W", "A1", "P3", "Y", "add"]);
    t += "add (M1, 16) N(0,0)<1> N(0,0)<1;1,0> 0x1:d
cmp.le (M1, 16) P2 N(0,0)<1;1,0> LAST(0,0)<1;1,0>
(P2) goto (M1, 16) top
shl (M1, 16) AT(0,0)<1> ID(0,0)<1;1,0> 0x2:d
scatter4_scaled.R (M1, 16) T6 0x0:ud AT.0 SUM.0
ret (M1, 1)
";
    t
}

#[test]
fn values_of_lanes_are_taken_one_by_one_in_each_round() {
    for limit in [128, 24] {
        let compiled = compile(&rounds(), limit);
        let found = run(&compiled.code, compiled.allocation.spill_bytes);
        for (lane, found) in found.iter().take(LANES).enumerate() {
            let sums =
                (0..=lane % ROUNDS).map(|n| lane * ((lane + n) & 3) + lane + ((lane * 3 + n) & 7));
            assert_eq!(
                *found,
                sums.sum::<usize>() as i32,
                "lane {lane}, limit {limit}"
            );
        }
    }
}
