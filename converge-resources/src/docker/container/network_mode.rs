use std::fmt;

use converge_core::footprint::{Names, kind};

use crate::docker::text_type::{is_name, text_type};

const MODE: &str =
    "not a network mode: write `bridge`, `host`, `none`, `container:NAME` or the name of a network";
const CONTAINER: &str = "container:";

/// The network that a container begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum NetworkMode {
    /// The network that the engine always has.
    #[default]
    Bridge,
    /// The machine's own network.
    Host,
    None,
    /// The network of another container, by that container's name.
    Container(String),
    /// A network that a user made.
    Network(String),
}

text_type!(NetworkMode);

impl Names for NetworkMode {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        match self {
            Self::Network(name) if of == kind::NETWORK => add(name),
            Self::Container(name) if of == kind::CONTAINER => add(name),
            _ => {}
        }
    }
}

impl NetworkMode {
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            // The engine calls it by both names, and modules for the original leave it empty.
            "" | "bridge" | "default" => Ok(Self::Bridge),
            "host" => Ok(Self::Host),
            "none" => Ok(Self::None),
            name => match name.strip_prefix(CONTAINER) {
                Some(container) if is_name(container) => Ok(Self::Container(container.to_owned())),
                None if is_name(name) => Ok(Self::Network(name.to_owned())),
                Some(_) | None => Err(MODE),
            },
        }
    }

    /// The network mode that counts: without one, the first network is it.
    pub(super) fn effective(mode: Option<Self>, networks: &[String]) -> Self {
        let first = || networks.first().and_then(|name| Self::parse(name).ok());
        mode.or_else(first).unwrap_or_default()
    }

    /// The name of the network that it is; `None` where there is none to be attached to.
    pub(super) fn network(&self) -> Option<&str> {
        match self {
            Self::Bridge => Some("bridge"),
            Self::Network(name) => Some(name),
            Self::Host | Self::None | Self::Container(_) => None,
        }
    }
}

impl fmt::Display for NetworkMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bridge => f.write_str("bridge"),
            Self::Host => f.write_str("host"),
            Self::None => f.write_str("none"),
            Self::Container(name) => write!(f, "{CONTAINER}{name}"),
            Self::Network(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        let check = |text: &str, expect: Option<&str>, network: Option<&str>| {
            let mode = NetworkMode::parse(text).ok();
            assert_eq!(mode.as_ref().map(ToString::to_string).as_deref(), expect, "{text}");
            assert_eq!(mode.as_ref().and_then(NetworkMode::network), network, "{text}");
        };
        check("", Some("bridge"), Some("bridge"));
        check("default", Some("bridge"), Some("bridge"));
        check("bridge", Some("bridge"), Some("bridge"));
        check("host", Some("host"), None);
        check("none", Some("none"), None);
        check("container:db", Some("container:db"), None);
        check("backend", Some("backend"), Some("backend"));
        check("container:", None, None);
        check("a b", None, None);
    }
}
