use std::fmt;

use converge_sdk::footprint::Names;

use crate::docker::text_type::{is_name, text_type};

const LINK: &str = "not a link: write `CONTAINER` or `CONTAINER:ALIAS`";

/// Another container, and the name by which this container reaches it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Link {
    pub(super) container: String,
    alias: String,
}

text_type!(Link);

impl Names for Link {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        add(&self.container);
    }
}

impl Link {
    /// Parses `db` and `db:database`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let (container, alias) = text.split_once(':').unwrap_or((text, text));
        if !is_name(container) || !is_name(alias) {
            return Err(LINK);
        }
        Ok(Self { container: container.to_owned(), alias: alias.to_owned() })
    }

    /// Converts a link to the form of a module.
    ///
    /// The engine shows a link of `/web` as `/db:/web/database`.
    pub(super) fn from_engine(text: &str) -> String {
        let (container, alias) = text.split_once(':').unwrap_or((text, text));
        let container = container.trim_start_matches('/');
        let alias = alias.rsplit('/').next().unwrap_or(alias);
        format!("{container}:{alias}")
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.container, self.alias)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn links() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(Link::parse(text).ok().map(|link| link.to_string()).as_deref(), expect, "{text}");
        };
        check("db", Some("db:db"));
        check("db:database", Some("db:database"));
        check("", None);
        check("db:", None);
        check(":db", None);
        check("/db", None);
        check("a:b:c", None);
    }

    #[test]
    fn links_of_the_engine() {
        let check = |shown: &str, expect: &str| assert_eq!(Link::from_engine(shown), expect);
        check("/db:/web/database", "db:database");
        check("db:database", "db:database");
        check("db", "db:db");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}") {
            let _ = Link::from_engine(&text);
            if let Ok(link) = Link::parse(&text) {
                prop_assert_eq!(Link::parse(&link.to_string()), Ok(link.clone()));
                prop_assert_eq!(Link::from_engine(&format!("/{}:/self/{}", link.container, link.alias)), link.to_string());
            }
        }
    }
}
