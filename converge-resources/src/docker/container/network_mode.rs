use std::fmt;

use converge_sdk::footprint::{Names, kind};

use crate::docker::text_type::{is_name, text_type};

const MODE: &str =
    "not a network mode: write `bridge`, `host`, `none`, `container:NAME` or the name of a network";
const CONTAINER: &str = "container:";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum NetworkMode {
    /// The default network of the engine.
    #[default]
    Bridge,
    /// The network of the machine.
    Host,
    None,
    /// The network of another container, given by its name.
    Container(String),
    /// A user-defined network.
    Network(String),
}

text_type!(NetworkMode);

impl Names for NetworkMode {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        match self {
            Self::Network(name) if kind == kind::NETWORK => add(name),
            Self::Container(name) if kind == kind::CONTAINER => add(name),
            _ => {}
        }
    }
}

impl NetworkMode {
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            // The engine uses both names, and modules for the original Converge leave the field empty.
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

    /// Returns the effective network mode: `mode`, or else the first network.
    pub(super) fn effective(mode: Option<Self>, networks: &[String]) -> Self {
        let first = || networks.first().and_then(|name| Self::parse(name).ok());
        mode.or_else(first).unwrap_or_default()
    }

    /// Returns the name of the network, or `None` if the container is attached to none.
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
