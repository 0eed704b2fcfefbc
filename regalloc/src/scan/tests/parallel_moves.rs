use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

fn places() -> impl Strategy<Value = Place> {
    prop_oneof![
        (0..8u16).prop_map(|unit| Place::Unit(Unit(unit))),
        (0..4u32).prop_map(Place::Memory)
    ]
}

proptest! {
    #[test]
    fn one_after_the_other_is_as_at_once(
        targets in proptest::collection::hash_set(places(), 0..12),
        sources in proptest::collection::vec(places(), 12),
        some_are_free in any::<bool>(),
    ) {
        let moves: Vec<Step> = sources.into_iter().zip(targets).collect();
        let places = moves.iter().flat_map(|&(from, to)| [from, to]);
        let used: UnitSet = places.filter_map(Place::unit).collect();
        let all: UnitSet = (0..8u32).collect();
        let free = if some_are_free { all - used } else { UnitSet::EMPTY };
        let mut holds: HashMap<Place, Place> = HashMap::new();
        for (from, to) in in_order(&moves, free, Unit(0)) {
            prop_assert!(!from.is_memory() || !to.is_memory(), "{from:?} to {to:?}");
            let value = *holds.get(&from).unwrap_or(&from);
            holds.insert(to, value);
        }
        let is_extra = |place: Place| match place {
            Place::Unit(unit) => free.contains(unit),
            Place::Memory(web) => web >= SAVE_SLOT,
        };
        for (from, to) in &moves {
            prop_assert_eq!(holds.get(to).unwrap_or(to), from);
        }
        for (place, value) in holds {
            let is_target = moves.iter().any(|(_, to)| *to == place);
            prop_assert!(is_target || is_extra(place) || value == place, "{place:?} is lost");
        }
    }
}
