//! Hash tables of names: of nodes, parameters and things, which a load looks up again and again.
//!
//! The hasher of the standard library costs more than all else of such a look. This one is weaker: who knew its seed could write
//! names that all meet in one place of a table, and make a load take for ever. Names come from modules, which may be those of a
//! stranger. So the seed is 64 bits of what the system gives for chance, others in each process, and each table stirs in a number
//! of its own. Record 0045 tells more.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::SharedSeed;
use foldhash::fast::{FoldHasher, SeedableRandomState};
use hashbrown::HashTable;
use indexmap::IndexMap;

#[doc(hidden)]
pub type NameMap<K, V> = HashMap<K, V, NameHasher>;
#[doc(hidden)]
pub type NameSet<T> = HashSet<T, NameHasher>;
#[doc(hidden)]
pub type NameIndexMap<K, V> = IndexMap<K, V, NameHasher>;

/// Hashes the names of one table.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct NameHasher(SeedableRandomState);

impl Default for NameHasher {
    fn default() -> Self {
        // The keys of the standard library come from the system. It gives them only to its own hasher.
        static SECRET: LazyLock<SharedSeed> =
            LazyLock::new(|| SharedSeed::from_u64(RandomState::new().hash_one(0)));
        static TABLES: AtomicU64 = AtomicU64::new(0);
        Self(SeedableRandomState::with_seed(TABLES.fetch_add(STRIDE, Ordering::Relaxed), &SECRET))
    }
}

/// The numbers of tables differ in about half of their bits: 2 to the 64, divided by the golden ratio.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

impl BuildHasher for NameHasher {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}

/// Where each name of a list is in it. It finds what a [`NameMap`] finds that has a copy of every name, and takes a fifth of the
/// memory, as it asks the list for them.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct NamePlaces {
    places: HashTable<u32>,
    hasher: NameHasher,
}

impl NamePlaces {
    /// With room for so many names.
    #[doc(hidden)]
    pub fn with_capacity(names: usize) -> Self {
        Self { places: HashTable::with_capacity(names), hasher: NameHasher::default() }
    }

    /// The place of a name; `name_at` gives the name at each place that was inserted.
    #[doc(hidden)]
    pub fn find<'n>(&self, name: &str, name_at: impl Fn(usize) -> &'n str) -> Option<usize> {
        let is_here = |place: &u32| name_at(*place as usize) == name;
        self.places.find(self.hasher.hash_one(name), is_here).map(|place| *place as usize)
    }

    /// The same, of a name that gets the place `new` if it has none.
    #[doc(hidden)]
    pub fn find_or_insert<'n>(
        &mut self,
        name: &str,
        new: usize,
        name_at: impl Fn(usize) -> &'n str,
    ) -> usize {
        let hash = |place: &u32| self.hasher.hash_one(name_at(*place as usize));
        let is_here = |place: &u32| name_at(*place as usize) == name;
        let entry = self.places.entry(self.hasher.hash_one(name), is_here, hash);
        *entry.or_insert(u32::try_from(new).unwrap_or(u32::MAX)).get() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_a_seed_of_its_own() {
        let hashes: HashSet<u64> =
            (0..100).map(|_| NameHasher::default().hash_one("root/param.dir")).collect();
        assert_eq!(hashes.len(), 100);
    }

    #[test]
    fn places_are_those_of_the_list() {
        let names: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let mut places = NamePlaces::default();
        let name_at = |place: usize| names[place].as_str();
        for (place, name) in names.iter().enumerate() {
            assert_eq!(places.find(name, name_at), None);
            assert_eq!(places.find_or_insert(name, place, name_at), place);
            assert_eq!(places.find_or_insert(name, 1000, name_at), place);
        }
        assert!(names.iter().enumerate().all(|(place, name)| places.find(name, name_at) == Some(place)));
        assert_eq!(places.find("1000", name_at), None);
    }

    #[test]
    fn a_table_finds_by_a_part_what_it_has_by_the_whole() {
        let mut table: NameMap<String, usize> = NameMap::default();
        table.extend((0..1000).map(|number| (number.to_string(), number)));
        assert_eq!(table.get("999"), Some(&999));
        assert_eq!(table.clone().get("0"), Some(&0));
    }
}
