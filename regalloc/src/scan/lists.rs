//! Lists of one vector, by number.

/// The number of no list and of no item.
pub(super) const NONE: u32 = u32::MAX;

/// Lists of one vector, by number.
#[derive(Default)]
pub struct Lists<T> {
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) pool: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    fn new(count: usize) -> Lists<T> {
        Lists {
            ranges: vec![(0, 0); count],
            pool: Vec::new(),
        }
    }

    /// The lists of items with the number of their list, each in the order in which its items come.
    pub fn sorted(count: usize, items: impl Iterator<Item = (u32, T)> + Clone) -> Lists<T> {
        let mut lists = Lists::new(count);
        let mut total = 0;
        for (n, _) in items.clone() {
            lists.ranges[n as usize].1 += 1;
            total += 1;
        }
        let mut at = 0;
        for range in &mut lists.ranges {
            let len = range.1;
            *range = (at, at);
            at += len;
        }
        lists.pool = vec![T::default(); total];
        for (n, item) in items {
            let end = &mut lists.ranges[n as usize].1;
            lists.pool[*end as usize] = item;
            *end += 1;
        }
        lists
    }

    /// True if no list has an item.
    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    pub(super) fn of_mut(&mut self, n: usize) -> &mut [T] {
        let (from, to) = self.ranges[n];
        &mut self.pool[from as usize..to as usize]
    }

    pub fn of(&self, n: usize) -> &[T] {
        let (from, to) = self.ranges[n];
        &self.pool[from as usize..to as usize]
    }
}
