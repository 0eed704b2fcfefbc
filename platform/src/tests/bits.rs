use std::collections::BTreeSet;

use super::*;

#[test]
fn sets_are_as_those_of_the_standard_library() {
    let numbers = |step: u32| (0..300u32).step_by(step as usize);
    let (a, b): (GrfSet, GrfSet) = (numbers(3).collect(), numbers(7).collect());
    let (x, y): (BTreeSet<u32>, BTreeSet<u32>) = (
        numbers(3).filter(|&n| n < GrfSet::CAPACITY).collect(),
        numbers(7).filter(|&n| n < GrfSet::CAPACITY).collect(),
    );
    assert!((a | b).iter().eq(x.union(&y).copied()));
    assert!((a & b).iter().eq(x.intersection(&y).copied()));
    assert!((a - b).iter().eq(x.difference(&y).copied()));
    assert_eq!(a.len() as usize, x.len());
    assert_eq!((a - a).first(), None);
    for n in 0..300 {
        assert_eq!(a.contains(n), x.contains(&n), "{n}");
        let mut less = a;
        less.remove(n);
        assert_eq!((less | GrfSet::of(n)).contains(n), n < GrfSet::CAPACITY);
        assert!(!less.contains(n));
    }
    assert_eq!(a.iter().next(), a.first());
}
