//! Tables of facts: for each fact the values, each with the first key that has it.
//!
//! Keys are ordered in time: platforms and families. `fact: Type { Skl => 32, Pvc => 64 }` says that the fact is 32
//! from Skylake on and 64 from Ponte Vecchio on. A fact that holds for one key only is taken back at the next. The
//! first value is that of the first key, so that every key has a value and none is taken from another key's row.

/// A fact of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub name: &'static str,
    /// Meaning of the fact, as in the documentation of the field.
    pub meaning: String,
}

/// A table of facts with their values as text, for those who print it.
#[derive(Clone, Debug)]
pub struct Table {
    pub facts: Vec<Fact>,
    /// Name of each key, oldest first, and its values in the order of the facts.
    pub columns: Vec<(&'static str, Vec<String>)>,
}

impl Table {
    /// A fact's values: names of the first and the last of neighbours with the same value, and the value.
    pub fn runs(&self, fact: usize) -> Vec<(&'static str, &'static str, &str)> {
        let mut runs: Vec<(&str, &str, &str)> = Vec::new();
        for (name, values) in &self.columns {
            match runs.last_mut() {
                Some((_, last, value)) if *value == values[fact] => *last = name,
                _ => runs.push((name, name, &values[fact])),
            }
        }
        runs
    }
}

/// Makes a struct of facts, `of` that finds their values for a key, and `facts` and `values` for those who print them.
///
/// Fields in `each` are given with the key, as a struct that is stated in full.
macro_rules! facts {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident of $key:ident by $order:expr;
        $(each $identity:ident {
            $($(#[doc = $own_doc:literal])+ $own:ident: $own_type:ty,)+
        })?
        since {
            $($(#[doc = $doc:literal])+ $fact:ident: $type:ty { $($since:ident => $value:expr),+ $(,)? })+
        }
    ) => {
        $(#[$attribute])*
        pub struct $name {
            $($($(#[doc = $own_doc])+ pub $own: $own_type,)+)?
            $($(#[doc = $doc])+ pub $fact: $type,)+
        }

        $(
            /// Facts that each key states for itself.
            #[derive(Clone, Copy, Debug)]
            struct $identity {
                $($own: $own_type,)+
            }
        )?

        impl $name {
            /// Every fact, in the order of [`Self::values`].
            pub fn facts() -> Vec<$crate::facts::Fact> {
                vec![
                    $($($crate::facts::fact(stringify!($own), concat!($($own_doc),+)),)+)?
                    $($crate::facts::fact(stringify!($fact), concat!($($doc),+)),)+
                ]
            }

            /// The value of every fact, as in the source.
            pub fn values(&self) -> Vec<String> {
                vec![
                    $($(format!("{:?}", self.$own),)+)?
                    $(format!("{:?}", self.$fact),)+
                ]
            }
        }
        facts!(@of $name $key $order; $($identity { $($own)+ })?; $($fact: $type { $($since => $value),+ })+);
    };
    (
        @of $name:ident $key:ident $order:expr; $($identity:ident { $($own:ident)+ })?;
        $($fact:ident: $type:ty { $($since:ident => $value:expr),+ })+
    ) => {
        impl $name {
            const fn of(key: facts!(@key $key $($identity)?)) -> $name {
                let order: u8 = $order(&key);
                $name {
                    $($($own: key.$own,)+)?
                    $($fact: {
                        const ROWS: &[($key, $type)] = &[$(($key::$since, $value)),+];
                        const { $crate::facts::assert_ascending(&[$($key::$since as u8),+]) };
                        let mut at = ROWS.len() - 1;
                        while ROWS[at].0 as u8 > order {
                            at -= 1;
                        }
                        ROWS[at].1
                    },)+
                }
            }
        }
    };
    (@key $key:ident $identity:ident) => { $identity };
    (@key $key:ident) => { $key };
}

pub(crate) use facts;

pub(crate) fn fact(name: &'static str, meaning: &str) -> Fact {
    Fact {
        name,
        meaning: meaning.trim().to_string(),
    }
}

/// Fails to compile if the keys of a fact are not ascending from the first of all.
pub(crate) const fn assert_ascending(keys: &[u8]) {
    assert!(keys[0] == 0, "the first value is that of the first key");
    let mut at = 1;
    while at < keys.len() {
        assert!(keys[at - 1] < keys[at], "the keys of a fact ascend");
        at += 1;
    }
}
