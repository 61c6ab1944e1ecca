//! Why a user or a group cannot be as declared.

use std::fmt;

use converge_core::prelude::*;
use converge_core::system::{Exit, Output};

use super::tool::Tool;

/// Why a user or a group cannot be as declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AccountError {
    /// The program that makes the change is missing.
    #[error(
        "`{tool}` is not installed; it comes with the package `passwd` (Debian), `shadow-utils` (Fedora) or `shadow` (Arch, SUSE)"
    )]
    NoTool { tool: Tool },
    /// The program refused.
    #[error("`{tool}` {}{}", Ended(*.exit), Said(.said))]
    Refused { tool: Tool, exit: Exit, said: String },
    /// Somebody else has the id.
    #[error("the uid {uid} belongs to the user {by:?}")]
    UidTaken { uid: u32, by: String },
    /// Another group has the id.
    #[error("the gid {gid} belongs to the group {by:?}")]
    GidTaken { gid: u32, by: String },
    /// There is no group of that name.
    #[error("group {name:?} does not exist")]
    NoGroupOfName { name: String },
    /// There is no group of that id.
    #[error("there is no group with the gid {gid}")]
    NoGroupOfId { gid: u32 },
    /// A new user would get a group of its own, which is taken.
    #[error(
        "there is a group {name:?} already: `groupname = {name:?}` makes it the primary group of the new user"
    )]
    OwnGroupTaken { name: String },
    /// A rename would meet somebody.
    #[error("{name:?} cannot be renamed to {new_name:?}: there is a {kind} of either name")]
    BothExist { kind: &'static str, name: String, new_name: String },
    /// It is to be removed by two names for different users.
    #[error("the user {name:?} has the uid {has} and not {wanted}, so it is not removed")]
    OtherUid { name: String, has: u32, wanted: u32 },
    /// It is to be removed by two names for different groups.
    #[error("the group {name:?} has the gid {has} and not {wanted}, so it is not removed")]
    OtherGid { name: String, has: u32, wanted: u32 },
    /// Users would be left without a group.
    #[error("the group {name:?} is the primary group of {}", Names(.users))]
    PrimaryGroup { name: String, users: Vec<String> },
    /// There is no directory whose content a new home gets.
    #[error("the directory {skel:?} does not exist, and `skel_dir` names it")]
    NoSkeleton { skel: String },
    /// A home directory cannot be moved over something.
    #[error("the home directory {from:?} cannot be moved to {to:?}: that exists already")]
    HomeTaken { from: String, to: String },
    /// Only root can see when an account expires.
    #[error("only root can read when the account of {name:?} expires: {reason}")]
    ExpiryNotReadable { name: String, reason: String },
    /// Somebody changed it between the check and the apply.
    #[error("the {kind} {name:?} was changed by somebody else after it was checked; run again")]
    Changed { kind: &'static str, name: String },
}

impl AccountError {
    /// The failure of a program that ran to its end.
    pub(super) fn refused(tool: Tool, output: &Output) -> Self {
        let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        let said: Vec<_> = said.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
        Self::Refused { tool, exit: output.exit, said: said.join("\n") }
    }
}

/// Everything that stands in the way of one resource.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
struct Obstacles(Vec<AccountError>);

/// Says in `status` what stands in the way. In a plan, something that the resource depends on may be about
/// to clear it away.
pub(super) fn report(cx: &Context, status: &mut Status, obstacles: Vec<AccountError>) {
    if obstacles.is_empty() {
        return;
    }
    if cx.pending().is_empty() {
        status.set_error(Error::other(Obstacles(obstacles)));
        return;
    }
    for obstacle in obstacles {
        status.add_message(format!("not possible yet: {obstacle}"));
    }
}

struct Ended(Exit);

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Exit::Code(code) => write!(f, "ended with exit code {code}"),
            Exit::Signal(signal) => write!(f, "was ended by signal {signal}"),
            Exit::TimedOut => f.write_str("did not end in time and was killed"),
        }
    }
}

/// What a program printed, after a colon.
struct Said<'a>(&'a str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

/// The first few of many names.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 5;
        for (index, name) in self.0.iter().take(SHOWN).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name:?}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
