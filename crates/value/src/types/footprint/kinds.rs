//! Names of the kinds of things and of their aspects.

/// The kinds of things that built-in types use. Authors may define other kinds with any other word.
pub mod kind {
    /// A file, a directory, or anything else with a path.
    ///
    /// Paths are compared without `.`, doubled slashes and final slashes.
    pub const PATH: &str = "path";
    /// The lines of a file, by its path.
    pub const LINES: &str = "lines";
    /// The home directory of a user, by the name of the user, or a path in it: `ada/.ssh`.
    ///
    /// It stands for the path, which the account of the user in the module determines.
    pub const HOME: &str = "home";
    /// The path of the home directory that a resource gives to the user that it manages.
    pub const HOME_DIR: &str = "home_dir";
    /// A user account, by its name.
    pub const USER: &str = "user";
    /// A group of accounts, by its name.
    pub const GROUP: &str = "group";
    /// A systemd unit, with its suffix.
    pub const UNIT: &str = "unit";
    /// A package, by its name without a version.
    pub const PACKAGE: &str = "package";
    /// A container image, with its registry and its tag.
    pub const IMAGE: &str = "image";
    /// A container, by its name.
    pub const CONTAINER: &str = "container";
    /// A container network.
    pub const NETWORK: &str = "network";
    /// A container volume.
    pub const VOLUME: &str = "volume";
    /// A TCP or UDP port of the machine.
    pub const PORT: &str = "port";
    /// An LVM volume group.
    pub const VOLUME_GROUP: &str = "volume_group";
}

/// The aspects of a path, so that one resource may manage the content of a file and another its owner.
pub mod aspect {
    /// The existence of the path.
    pub const EXISTENCE: &str = "existence";
    /// Everything below the path.
    pub const TREE: &str = "tree";
    /// The parent folders, which are created if missing. A claim about this aspect covers each of them.
    pub const PARENTS: &str = "parents";
    /// The path that the link of this resource leads to.
    pub const TARGET: &str = "target";
    /// The file system mounted at the path.
    pub const MOUNT: &str = "mount";
    /// The content of the file.
    pub const CONTENT: &str = "content";
    /// The owner of the file.
    pub const OWNER: &str = "owner";
    /// The group of the file.
    pub const GROUP: &str = "group";
    /// The permissions of the file.
    pub const MODE: &str = "mode";
}
