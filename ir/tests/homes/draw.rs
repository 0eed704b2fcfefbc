//! Random kernels: moves between a few variables, of all kinds of accesses, comparisons, and gotos to and fro.

/// The generator of Steele, Lea and Flood ("SplitMix").
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A kernel's text: the variables of [`super::kernel`], of which it takes a few. With subroutines, some are named by several.
pub fn kernel(seed: u64, subroutines: bool) -> String {
    let mut random = Random(seed);
    let vars: Vec<char> = (0..2 + random.below(8)).map(|n| super::VARS[n]).collect();
    let mut text = body(
        &mut random,
        "k",
        &vars,
        if subroutines { &["s", "t"] } else { &[] },
    );
    let called: [(&str, &[&str]); 2] = [("s", &["t"]), ("t", &[])];
    for (name, calls) in called.into_iter().filter(|_| subroutines) {
        let some: Vec<char> = vars
            .iter()
            .copied()
            .filter(|_| random.below(2) == 0)
            .collect();
        let vars = if some.is_empty() { &vars } else { &some };
        let body = body(&mut random, name, vars, calls);
        text += &format!("ret (M1, 1)\n.function \"{name}\"\n{name}:\n{body}");
    }
    text
}

/// What a routine does, and which it may call.
fn body(random: &mut Random, name: &str, vars: &[char], calls: &[&str]) -> String {
    let count = 4 + random.below(24);
    // Labels stand at drawn places, and branches go to any of them.
    let labels = random.below(7);
    let mut lines: Vec<String> = (0..count).map(|_| access(random, vars)).collect();
    for label in 0..labels {
        let at = random.below(lines.len() + 1);
        lines.insert(at, format!("{name}{label}:"));
    }
    for _ in 0..if labels == 0 { 0 } else { random.below(8) } {
        let at = random.below(lines.len() + 1);
        let to = random.below(labels);
        let goto = match random.below(8) {
            0 => format!("goto (M1, 8) {name}{to}"),
            1 => format!("(P{}) goto (M1, 1) {name}{to}", 1 + random.below(3)),
            2 => format!("(P1.any) goto (M1, 8) {name}{to}"),
            n => format!("(P{}) goto (M1, 8) {name}{to}", 1 + n % 3),
        };
        lines.insert(at, goto);
    }
    for _ in 0..if calls.is_empty() {
        0
    } else {
        1 + random.below(3)
    } {
        let at = random.below(lines.len() + 1);
        lines.insert(at, format!("call (M1, 8) {}", random.of(calls)));
    }
    lines.join("\n") + "\n"
}

fn access(random: &mut Random, vars: &[char]) -> String {
    let (to, from) = (random.of(vars), random.of(vars));
    let pred = match random.below(6) {
        0 => "(P2) ",
        _ => "",
    };
    let mask = match random.below(6) {
        0 => "M1_NM",
        _ => "M1",
    };
    let flag = 1 + random.below(3);
    match random.below(12) {
        0..=3 => format!("{pred}mov ({mask}, 8) {to}(0,0)<1> 0x1:d"),
        4..=6 => format!("{pred}mov ({mask}, 8) {to}(0,0)<1> {from}(0,0)<1;1,0>"),
        7 => format!("cmp.lt ({mask}, 8) P{flag} {from}(0,0)<1;1,0> 0x0:d"),
        8 => format!("cmp.lt ({mask}, 8) P{flag} {from}(0,0)<0;1,0> 0x0:d"),
        9 => {
            let (a, b) = (random.below(4), random.below(4));
            format!("{pred}mov ({mask}, 8) {to}B(0,{a})<4> {from}B(0,{b})<32;8,4>")
        }
        10 => format!("(P2) sel ({mask}, 8) {to}(0,0)<1> {from}(0,0)<1;1,0> 0x1:d"),
        _ => format!("{pred}mov ({mask}, 1) {to}(0,0)<1> {from}(0,0)<0;1,0>"),
    }
}
