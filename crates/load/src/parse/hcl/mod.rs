//! Conversion of the syntax tree of a file to declarations.

mod locals;
mod meta_arguments;
mod module;
mod plugin;
mod reader;
mod resource;
mod switch;

use self::reader::{CASE, DEFAULT, MODULE, SWITCH};
use crate::errors;
use crate::model::declaration::Declaration;
use crate::model::plugin_blocks::PLUGIN;
use crate::syntax::Item;

pub(crate) use reader::DeclarationReader;

impl DeclarationReader<'_> {
    pub(crate) fn declaration(&mut self, item: Item) -> Option<Declaration> {
        match item {
            Item::Attribute(attribute) => {
                let span = self.span(&attribute.name.range);
                let help = "a module holds only blocks: TYPE \"NAME\" { .. }";
                self.report(errors::block::stray_attribute(&attribute.name.text, span, help));
                None
            }
            Item::Block(block) => match &*block.kind.text {
                MODULE => self.call(block).map(Declaration::Module),
                SWITCH => self.switch(block).map(Declaration::Switch),
                PLUGIN => {
                    self.plugin(&block);
                    None
                }
                kind @ (CASE | DEFAULT) if self.types.get(kind).is_none() => {
                    self.report(errors::switch::outside_of_switch(kind, self.head(&block)));
                    None
                }
                _ => self.resource(block).map(Declaration::Resource),
            },
        }
    }
}
