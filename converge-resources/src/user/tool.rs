use std::fmt;

use converge_sdk::value::Secret;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccountTool {
    UserAdd,
    UserMod,
    UserDel,
    GroupAdd,
    GroupMod,
    GroupDel,
    GroupPassword,
    ChangePasswords,
    ChangeAges,
    SshKeygen,
    Visudo,
}

impl AccountTool {
    pub(super) fn program(self) -> &'static str {
        match self {
            Self::UserAdd => "useradd",
            Self::UserMod => "usermod",
            Self::UserDel => "userdel",
            Self::GroupAdd => "groupadd",
            Self::GroupMod => "groupmod",
            Self::GroupDel => "groupdel",
            Self::GroupPassword => "gpasswd",
            Self::ChangePasswords => "chpasswd",
            Self::ChangeAges => "chage",
            Self::SshKeygen => "ssh-keygen",
            Self::Visudo => "visudo",
        }
    }

    /// Returns the package of the program, for messages.
    pub(super) fn package(self) -> &'static str {
        match self {
            Self::SshKeygen => {
                "`openssh-client` (Debian), `openssh-clients` (Fedora) or `openssh` (Arch, SUSE)"
            }
            Self::Visudo => "`sudo`",
            _ => "`passwd` (Debian), `shadow-utils` (Fedora) or `shadow` (Arch, SUSE)",
        }
    }
}

impl fmt::Display for AccountTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}

/// A call of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolRun {
    pub(super) tool: AccountTool,
    pub(super) args: Vec<String>,
    /// The standard input.
    ///
    /// A password must not be among the arguments, which every user of the machine can see.
    pub(super) input: Secret<String>,
}

/// The reason why the resources of this family exist only on Linux.
pub(super) const ONLY_LINUX: &str =
    "users and groups are changed with `useradd` and its like, which only Linux has";
