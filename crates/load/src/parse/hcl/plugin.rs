//! Reading of `plugin "NAME" { source = "..", sha256 = ".." }`.

use super::reader::DeclarationReader;
use crate::diagnostic::Span;
use crate::errors;
use crate::model::plugin_blocks::{self, ATTRIBUTES, PLUGIN};
use crate::sdk::registry::PluginStatus;
use crate::syntax::{Block, ExpressionKind, Item};

impl DeclarationReader<'_> {
    /// Checks that a named plugin was started; a plugin block makes no node.
    ///
    /// Plugins are started before the load, because it needs their types.
    pub(super) fn plugin(&mut self, block: &Block) {
        let span = self.head(block);
        let [label] = block.labels.as_slice() else {
            return self.report(errors::block::wrong_labels(PLUGIN, block.labels.len(), span));
        };
        let name = self.spanned(label);
        if !plugin_blocks::is_name(&name.text) {
            return self.report(errors::plugin::bad_name(&name));
        }
        let mut attributes: Vec<(&'static str, Span)> = Vec::new();
        let mut is_right = true;
        for item in &block.body.items {
            let word = match item {
                Item::Attribute(attribute) => &attribute.name,
                Item::Block(block) => &block.kind,
            };
            let place = self.span(&word.range);
            let keyword = ATTRIBUTES.into_iter().find(|known| **known == *word.text);
            let problem = match (item, keyword) {
                (_, None) => Some(errors::plugin::unknown_argument(&self.spanned(word))),
                (Item::Block(_), Some(known)) => Some(errors::plugin::no_text(known, place)),
                (Item::Attribute(attribute), Some(known)) => match &attribute.value.kind {
                    ExpressionKind::String(text) if plugin_blocks::is_plain(text) => None,
                    _ => Some(errors::plugin::no_text(known, self.span(&attribute.value.range))),
                },
            };
            let first = attributes.iter().find(|(have, _)| Some(*have) == keyword).map(|(_, span)| *span);
            if let Some(first) = first {
                self.report(errors::block::written_twice(&word.text, Some(first), Some(place)));
                is_right = false;
            }
            attributes.extend(keyword.map(|keyword| (keyword, place)));
            if let Some(problem) = problem {
                self.report(problem);
                is_right = false;
            }
        }
        let missing =
            ["source", "sha256"].into_iter().filter(|name| !attributes.iter().any(|(have, _)| have == name));
        for missing in missing {
            self.report(errors::plugin::missing(missing, &name.text, span));
            is_right = false;
        }
        let Some(block) = plugin_blocks::read(block).filter(|_| is_right) else { return };
        match self.types.plugin(&block.name, &block.sha256) {
            PluginStatus::Started => {}
            PluginStatus::Refused(problem) => self.report(errors::plugin::not_started(problem, span)),
            PluginStatus::Unknown => self.report(errors::plugin::elsewhere(&block.name, span)),
        }
    }
}
