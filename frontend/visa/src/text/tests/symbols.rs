use super::*;

#[test]
fn symbols_are_those_of_a_map() {
    let mut numbers = 1_u64;
    let mut random = |n: u64| {
        numbers = numbers.wrapping_mul(6364136223846793005).wrapping_add(1);
        (numbers >> 33) % n
    };
    let letters = ["V", "P", "T", "", "VV", "Vé"];
    let names: Vec<String> = (0..4000)
        .map(|_| {
            let letter = letters[random(6) as usize];
            let (width, most) = (
                random(10) as usize,
                [3, 40, 1500, 20_000_000_000][random(4) as usize],
            );
            format!("{letter}{:0width$}", random(most))
        })
        .collect();
    let mut symbols = Symbols::default();
    let mut map = HashMap::new();
    for _ in 0..20_000 {
        let name = names[random(4000) as usize].as_str();
        let symbol = (random(4) != 0).then(|| Symbol::Var(Var::from_u32(random(99) as u32)));
        let before = match symbol {
            Some(symbol) => map.insert(name, symbol),
            None => map.remove(name),
        };
        assert!(symbols.set(name, symbol) == before, "{name}");
        assert!(symbols.get(name) == symbol, "{name}");
    }
    assert!(
        names
            .iter()
            .all(|name| symbols.get(name) == map.get(name.as_str()).copied())
    );
    let (mut found, mut expected) = (
        symbols.names(),
        Vec::from_iter(map.keys().map(|name| name.to_string())),
    );
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}
