//! The list of symbols that one expression requests from its scope.

use std::collections::HashMap;

use crate::language::expression::tree::ScopeSymbol;

/// The number of symbols up to which the list is searched linearly; few expressions have more.
const FEW: usize = 8;

/// The distinct symbols of an expression, in the order of first use.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    list: Vec<ScopeSymbol>,
    /// The index of each symbol, filled only when the list is longer than `FEW`.
    places: HashMap<ScopeSymbol, usize>,
}

impl Symbols {
    /// Returns the index of a symbol, and adds the symbol if it is new.
    pub(super) fn place(&mut self, symbol: ScopeSymbol) -> usize {
        if self.list.len() < FEW {
            return self
                .list
                .iter()
                .position(|candidate| *candidate == symbol)
                .unwrap_or_else(|| self.add(symbol));
        }
        if self.places.is_empty() {
            self.places = self.list.iter().cloned().zip(0..).collect();
        }
        if let Some(place) = self.places.get(&symbol) {
            return *place;
        }
        self.places.insert(symbol.clone(), self.list.len());
        self.add(symbol)
    }

    pub(super) fn list(&self) -> &[ScopeSymbol] {
        &self.list
    }

    pub(super) fn get(&self, place: u32) -> Option<&ScopeSymbol> {
        self.list.get(place as usize)
    }

    fn add(&mut self, symbol: ScopeSymbol) -> usize {
        if self.list.is_empty() {
            // Most expressions refer to one name.
            self.list.reserve_exact(1);
        }
        self.list.push(symbol);
        self.list.len() - 1
    }

    pub(super) fn into_list(self) -> Box<[ScopeSymbol]> {
        self.list.into()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn each_symbol_has_one_place() {
        let mut symbols = Symbols::default();
        let count = 3 * FEW;
        for _ in 0..2 {
            for index in 0..count {
                let name: Arc<str> = format!("p{index}").into();
                assert_eq!(symbols.place(ScopeSymbol::Param(Arc::clone(&name))), 2 * index);
                assert_eq!(symbols.place(ScopeSymbol::Env(name)), 2 * index + 1);
            }
        }
        assert_eq!(symbols.into_list().len(), 2 * count);
    }
}
