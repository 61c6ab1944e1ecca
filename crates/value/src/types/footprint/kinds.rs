//! Words for things and what about them.

/// The kinds of things that built-in types know. An author may use any other word for a kind of their own.
pub mod kind {
    /// A file, a directory, or what else has a path. Paths are compared without `.`, doubled and last slashes.
    pub const PATH: &str = "path";
    /// An account, by its name.
    pub const USER: &str = "user";
    /// A group of accounts, by its name.
    pub const GROUP: &str = "group";
    /// A unit of systemd, with its suffix.
    pub const UNIT: &str = "unit";
    /// A package, by its name without a version.
    pub const PACKAGE: &str = "package";
    /// An image of containers, with its registry and its tag.
    pub const IMAGE: &str = "image";
    /// A container, by its name.
    pub const CONTAINER: &str = "container";
    /// A network of containers.
    pub const NETWORK: &str = "network";
    /// A volume of containers.
    pub const VOLUME: &str = "volume";
    /// A TCP or UDP port of the machine.
    pub const PORT: &str = "port";
    /// A volume group.
    pub const VOLUME_GROUP: &str = "volume_group";
}

/// The aspects of a path: one resource may manage what is in a file, and another whom it belongs to.
pub mod aspect {
    /// That it is there, or is not.
    pub const EXISTENCE: &str = "existence";
    /// Everything below it.
    pub const TREE: &str = "tree";
    /// The folders around it, which are made on the way to it. A claim about this is one for each of them.
    pub const PARENTS: &str = "parents";
    /// What is mounted there.
    pub const MOUNT: &str = "mount";
    /// What is in it.
    pub const CONTENT: &str = "content";
    /// Whom it belongs to.
    pub const OWNER: &str = "owner";
    /// The group that it belongs to.
    pub const GROUP: &str = "group";
    /// Its permissions.
    pub const MODE: &str = "mode";
}
