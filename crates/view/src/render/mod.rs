//! Rendering of diagnostics and differences as text, in the style of rustc.
//!
//! The `converge` command shows the output of these functions. Coloured output contains ANSI escapes for a
//! terminal; otherwise the output is plain text. In both cases, text from a module cannot control the
//! terminal.
//!
//! ```
//! use converge_core::Registry;
//! use converge_core::load::Loader;
//! use converge_core::view::render;
//!
//! let registry = Registry::new();
//! let loaded = Loader::new(&registry).load_text("site.hcl", "parm \"who\" {}\n");
//! let color = false;
//! let text = render::diagnostics(&loaded.diagnostics, &loaded.sources, color);
//! assert_eq!(
//!     text,
//!     r#"error[unknown-type]: unknown resource type `parm`
//!  --> site.hcl:1:1
//!   |
//! 1 | parm "who" {}
//!   | ^^^^ no such type
//!   |
//!   = help: did you mean `param`?
//! "#
//! );
//! ```

mod difference;
mod excerpt;
mod quote;
mod sanitize;
#[cfg(test)]
mod tests;

use annotate_snippets::{Group, Level, Renderer};

use crate::diagnostic::{Diagnostic, Diagnostics, Severity, SourceMap};

pub use difference::{Line, LineKind, Shown, difference};
pub use sanitize::{is_obeyed, sanitize, sanitize_line};

/// Renders one diagnostic with a final newline; `sources` contains the files of its labels.
pub fn diagnostic(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let excerpts = excerpt::excerpts(diagnostic, sources);
    let mut group = excerpts.iter().fold(Group::with_title(title), |group, excerpt| excerpt.add_to(group));
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    // The renderer escapes ASCII control characters only. C1 control characters must be escaped here, because
    // `\u{9b}` starts a sequence like `ESC [`.
    let acts = |character: char| matches!(character, '\u{80}'..='\u{9f}');
    renderer.render(&[group]).replace(acts, "\u{fffd}") + "\n"
}

/// Renders all diagnostics in order, separated by empty lines.
pub fn diagnostics(diagnostics: &Diagnostics, sources: &SourceMap, color: bool) -> String {
    let texts: Vec<String> = diagnostics.iter().map(|entry| diagnostic(entry, sources, color)).collect();
    texts.join("\n")
}
