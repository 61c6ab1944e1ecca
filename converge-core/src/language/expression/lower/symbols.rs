//! What one expression asks the scope for.

use std::collections::HashMap;

use crate::language::expression::tree::ScopeSymbol;

/// So many are compared one by one; nearly no expression has more.
const FEW: usize = 8;

/// What the scope is asked for, each once, in the order in which it is first named.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    list: Vec<ScopeSymbol>,
    /// Where each is in the list, when there are more than a few.
    places: HashMap<ScopeSymbol, usize>,
}

impl Symbols {
    /// The place of a symbol, which is added when it is new.
    pub(super) fn place(&mut self, symbol: ScopeSymbol) -> usize {
        if self.list.len() < FEW {
            return self.list.iter().position(|known| *known == symbol).unwrap_or_else(|| self.add(symbol));
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

    fn add(&mut self, symbol: ScopeSymbol) -> usize {
        if self.list.is_empty() {
            // Most expressions name one thing.
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
            for at in 0..count {
                let name: Arc<str> = format!("p{at}").into();
                assert_eq!(symbols.place(ScopeSymbol::Param(Arc::clone(&name))), 2 * at);
                assert_eq!(symbols.place(ScopeSymbol::Env(name)), 2 * at + 1);
            }
        }
        assert_eq!(symbols.into_list().len(), 2 * count);
    }
}
