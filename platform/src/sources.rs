//! The sources of an instruction, in place: instructions are copied as plain bytes and freed without a look at them.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::slice;

/// Up to three sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<T> {
    list: [T; 3],
    len: u8,
}

impl<T> Sources<T> {
    /// # Panics
    /// A list of three takes no more.
    #[inline]
    pub fn push(&mut self, source: T) {
        self.list[usize::from(self.len)] = source;
        self.len += 1;
    }

    /// Leaves at most a number of sources.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len.try_into().unwrap_or(u8::MAX));
    }
}

impl<T> Extend<T> for Sources<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, sources: I) {
        for source in sources {
            self.push(source);
        }
    }
}

impl<T: Default> FromIterator<T> for Sources<T> {
    fn from_iter<I: IntoIterator<Item = T>>(sources: I) -> Sources<T> {
        let mut list = Sources::default();
        list.extend(sources);
        list
    }
}

impl<T: Default, const N: usize> From<[T; N]> for Sources<T> {
    fn from(sources: [T; N]) -> Sources<T> {
        sources.into_iter().collect()
    }
}

impl<T> Deref for Sources<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.list[..usize::from(self.len)]
    }
}

impl<T> DerefMut for Sources<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.list[..usize::from(self.len)]
    }
}

impl<'a, T> IntoIterator for &'a Sources<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> slice::Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Sources<T> {
    type Item = &'a mut T;
    type IntoIter = slice::IterMut<'a, T>;

    #[inline]
    fn into_iter(self) -> slice::IterMut<'a, T> {
        self.iter_mut()
    }
}

impl<T: PartialEq> PartialEq for Sources<T> {
    fn eq(&self, other: &Sources<T>) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Sources<T> {}

impl<T: Hash> Hash for Sources<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
