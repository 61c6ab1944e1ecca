//! Hash tables with names as keys: nodes, parameters and things, which a load looks up very often.
//!
//! The hasher of the standard library would dominate the cost of a lookup. This hasher is faster but weaker:
//! with a known seed, an attacker could write names that collide and make a load extremely slow. Names come
//! from modules, which may be untrusted. The seed is therefore 64 random bits from the system, different in
//! each process, and each table adds a number of its own. Decision record 0023 has the details.

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

#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct NameHasher(SeedableRandomState);

impl Default for NameHasher {
    fn default() -> Self {
        // The random keys of the standard library come from the system but are only available through its
        // hasher.
        static SECRET: LazyLock<SharedSeed> =
            LazyLock::new(|| SharedSeed::from_u64(RandomState::new().hash_one(0)));
        static TABLES: AtomicU64 = AtomicU64::new(0);
        Self(SeedableRandomState::with_seed(TABLES.fetch_add(STRIDE, Ordering::Relaxed), &SECRET))
    }
}

/// The step between the numbers of tables: 2 to the 64 divided by the golden ratio.
///
/// Numbers with this step differ in about half of their bits.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

impl BuildHasher for NameHasher {
    type Hasher = FoldHasher<'static>;

    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}

/// The position of each name in a list.
///
/// The index replaces a [`NameMap`] with copies of all names. It takes a fifth of the memory, because it
/// reads the names from the list.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct NamePlaces {
    places: HashTable<u32>,
    hasher: NameHasher,
}

impl NamePlaces {
    #[doc(hidden)]
    pub fn with_capacity(names: usize) -> Self {
        Self { places: HashTable::with_capacity(names), hasher: NameHasher::default() }
    }

    /// Returns the position of a name; `name_at` returns the name at each inserted position.
    #[doc(hidden)]
    pub fn find<'n>(&self, name: &str, name_at: impl Fn(usize) -> &'n str) -> Option<usize> {
        let is_here = |place: &u32| name_at(*place as usize) == name;
        self.places.find(self.hasher.hash_one(name), is_here).map(|place| *place as usize)
    }

    /// Returns the position of a name, and inserts it at the position `new` if it is missing.
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
