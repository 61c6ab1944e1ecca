//! Plugin blocks of modules, read before a load to start the plugins that provide types.

use std::path::{Path, PathBuf};

use crate::diagnostic::FileId;
use crate::language::template::Template;
use crate::syntax::{self, Block, ExpressionKind, Item};
use converge_source::read_file;

/// The keyword of a plugin block.
pub(crate) const PLUGIN: &str = "plugin";

pub(crate) const ATTRIBUTES: [&str; 3] = ["source", "sha256", "version"];

/// A plugin block of a module: `plugin "acme" { source = "./converge-plugin-acme", sha256 = ".." }`.
///
/// It may also have `version = "1.2.0"`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginBlock {
    /// The name of the plugin.
    pub name: String,
    /// The path of the plugin's file.
    pub source: PathBuf,
    /// The required SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// The required version.
    pub version: Option<String>,
}

impl PluginBlock {
    /// Returns the plugins that a module file names, with paths relative to the working directory.
    ///
    /// Invalid files and blocks are skipped here, and reported when the module is loaded.
    pub fn of_file(module: &Path) -> Vec<Self> {
        let Some(text) = read_file(module) else { return Vec::new() };
        // Most modules name no plugins and need not be parsed twice.
        if !text.contains(PLUGIN) {
            return Vec::new();
        }
        let folder = module.parent().unwrap_or(Path::new(""));
        let seen_from_here = |block: Self| Self { source: folder.join(block.source), ..block };
        Self::in_text(&text).into_iter().map(seen_from_here).collect()
    }

    /// Returns the plugins that the text of a module names, with paths as written.
    ///
    /// ```
    /// use converge_core::load::PluginBlock;
    ///
    /// let text = r#"plugin "acme" { source = "./converge-plugin-acme", sha256 = "e3b0" }"#;
    /// assert_eq!(PluginBlock::in_text(text)[0].name, "acme");
    /// ```
    pub fn in_text(text: &str) -> Vec<Self> {
        let (body, _) = syntax::parse(FileId::FIRST, text);
        let blocks = body.items.iter().filter_map(|item| match item {
            Item::Block(block) if &*block.kind.text == PLUGIN => read(block),
            _ => None,
        });
        blocks.collect()
    }
}

/// Reads a plugin block; returns `None` if it is invalid.
pub(crate) fn read(block: &Block) -> Option<PluginBlock> {
    let [label] = block.labels.as_slice() else { return None };
    let text = |wanted: &str| {
        block.body.items.iter().find_map(|item| match item {
            Item::Attribute(attribute) if &*attribute.name.text == wanted => match &attribute.value.kind {
                ExpressionKind::String(text) if is_plain(text) => Some(text.to_string()),
                _ => None,
            },
            _ => None,
        })
    };
    is_name(&label.text).then_some(())?;
    Some(PluginBlock {
        name: label.text.to_string(),
        source: text("source")?.into(),
        sha256: text("sha256")?,
        version: text("version"),
    })
}

/// Returns whether a text is a valid plugin name.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Returns whether a text is not empty and contains no template.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.is_empty() && Template::is_literal(text)
}
