//! The paths in code.
//!
//! They are found in tokens, not in a syntax tree, so that macro arguments are included.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::Parser as _;
use syn::{Attribute, ItemUse, UseTree, Visibility};

/// A path in code, such as `super::tree::Node`, or a single name.
#[derive(Debug)]
pub(crate) struct Mention {
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
}

/// A name that a `use` imports.
#[derive(Debug)]
pub(crate) struct Use {
    /// The imported path; for a glob, the module.
    pub(crate) segments: Vec<String>,
    /// The local name; `None` for a glob and for `_`.
    pub(crate) name: Option<String>,
    pub(crate) is_glob: bool,
    /// Whether other modules may import the name from here.
    pub(crate) is_public: bool,
    pub(crate) line: usize,
}

/// The paths and imports of an item.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    pub(crate) paths: Vec<Mention>,
    pub(crate) uses: Vec<Use>,
}

impl Mentions {
    /// Adds the names that a `use` imports.
    pub(crate) fn add_use(&mut self, item: &ItemUse) {
        let is_public = match &item.vis {
            Visibility::Inherited => false,
            Visibility::Restricted(restricted) => !restricted.path.is_ident("self"),
            Visibility::Public(_) => true,
        };
        self.add_tree(&item.tree, &mut Vec::new(), is_public);
    }

    fn add_tree(&mut self, tree: &UseTree, prefix: &mut Vec<String>, is_public: bool) {
        let depth = prefix.len();
        let (ident, name) = match tree {
            UseTree::Path(path) => {
                prefix.push(text(&path.ident));
                self.add_tree(&path.tree, prefix, is_public);
                prefix.truncate(depth);
                return;
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, prefix, is_public);
                }
                return;
            }
            UseTree::Glob(glob) => {
                let line = glob.star_token.spans[0].start().line;
                let segments = prefix.clone();
                self.uses.push(Use { segments, name: None, is_glob: true, is_public, line });
                return;
            }
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.ident, &rename.rename),
        };
        let mut segments = prefix.clone();
        if ident != "self" || prefix.is_empty() {
            segments.push(text(ident));
        }
        let name = if name == "self" { segments.last().cloned() } else { Some(text(name)) };
        let name = name.filter(|name| name != "_");
        self.uses.push(Use { segments, name, is_glob: false, is_public, line: ident.span().start().line });
    }

    /// Adds every path in `tokens`.
    pub(crate) fn add_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            match token {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Punct(punct) if punct.as_char() == '#' && is_test(tokens.get(index + 1)) => {
                    index = end_of_item(&tokens, index);
                    continue;
                }
                // The path in `pub(in path)` imports nothing.
                TokenTree::Ident(ident) if ident == "pub" && is_in_path(tokens.get(index + 1)) => index += 1,
                TokenTree::Ident(ident) if ident == "use" => {
                    if let Some(end) = tokens[index..].iter().position(|token| is_punct(Some(token), ';')) {
                        let statement = tokens[index..=index + end].iter().cloned().collect();
                        // `use<'a>` in a type is not an import.
                        if let Ok(item) = syn::parse2::<ItemUse>(statement) {
                            self.add_use(&item);
                            index += end;
                        }
                    }
                }
                TokenTree::Ident(_) => {
                    index = self.add_path(&tokens, index);
                    continue;
                }
                _ => {}
            }
            index += 1;
        }
    }

    /// Adds the path that begins at `start`, and returns the index of the token after it.
    fn add_path(&mut self, tokens: &[TokenTree], start: usize) -> usize {
        let mut segments = Vec::new();
        let mut index = start;
        while let Some(TokenTree::Ident(ident)) = tokens.get(index) {
            segments.push(text(ident));
            index += 1;
            let goes_on = is_punct(tokens.get(index), ':')
                && is_punct(tokens.get(index + 1), ':')
                && matches!(tokens.get(index + 2), Some(TokenTree::Ident(_)));
            if !goes_on {
                break;
            }
            index += 2;
        }
        let before = start.checked_sub(1).and_then(|before| tokens.get(before));
        let is_member = is_punct(before, '.');
        let is_defined = matches!(before, Some(TokenTree::Ident(word)) if word == "fn" || word == "let");
        let is_called = is_punct(tokens.get(index), '!')
            || is_punct(tokens.get(index), ':') && is_punct(tokens.get(index + 1), ':')
            || matches!(tokens.get(index), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        // A lower-case name is a variable or a field unless it is called.
        let is_name = segments[0].starts_with(char::is_uppercase) || is_called;
        if !is_member && !is_defined && (segments.len() > 1 || is_name) {
            self.paths.push(Mention { segments, line: tokens[start].span().start().line });
        }
        index
    }
}

/// Returns an identifier as it appears in paths.
pub(crate) fn text(ident: &proc_macro2::Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").map(str::to_owned).unwrap_or(text)
}

/// Whether a token is the `(in path)` of a visibility.
fn is_in_path(token: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = token else { return false };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Parenthesis
        && matches!(first, Some(TokenTree::Ident(word)) if word == "in")
}

fn is_punct(token: Option<&TokenTree>, expect: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == expect)
}

/// Whether a bracketed group is that of `#[cfg(test)]`.
fn is_test(group: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = group else { return false };
    let attribute = format!("#[{}]", group.stream());
    let parsed = attribute.parse().ok().and_then(|tokens| Attribute::parse_outer.parse2(tokens).ok());
    parsed.is_some_and(|attributes| is_test_only(&attributes))
}

/// Whether an item only exists for tests: `cfg(test)`, `cfg(all(test, ..))`.
pub(crate) fn is_test_only(attributes: &[Attribute]) -> bool {
    let condition = |attribute: &Attribute| {
        let list = attribute.meta.require_list().ok()?;
        list.path.is_ident("cfg").then(|| list.tokens.to_string())
    };
    attributes.iter().filter_map(condition).any(|condition| {
        condition == "test"
            || condition.strip_prefix("all").is_some_and(|all| {
                all.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test")
                    && !all.contains("not")
                    && !all.contains("any")
            })
    })
}

/// Returns the index after the item to which an attribute at `start` belongs.
fn end_of_item(tokens: &[TokenTree], start: usize) -> usize {
    let is_end = |token: &TokenTree| {
        is_punct(Some(token), ';')
            || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    };
    tokens[start..].iter().position(is_end).map_or(tokens.len(), |end| start + end + 1)
}
