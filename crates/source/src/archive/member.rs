//! The names of archive members.

use super::error::{ArchiveError, MemberError};

/// The name of an archive member.
pub(super) struct Member<'a> {
    /// The name as stored in the archive.
    pub(super) name: &'a [u8],
    /// The path without `.` and empty parts; empty for the top folder.
    pub(super) path: String,
}

impl<'a> Member<'a> {
    pub(super) fn new(name: &'a [u8]) -> Result<Self, ArchiveError> {
        let mut member = Self { name, path: String::new() };
        let text = std::str::from_utf8(name).map_err(|_| member.wrong(MemberError::NotUtf8))?;
        if text.contains('\0') {
            return Err(member.wrong(MemberError::Nul));
        }
        if text.starts_with('/') {
            return Err(member.wrong(MemberError::Absolute));
        }
        let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.contains(&"..") {
            return Err(member.wrong(MemberError::Outside));
        }
        member.path = parts.join("/");
        Ok(member)
    }

    /// Returns whether the name ends like that of a folder, as in old archives.
    pub(super) fn is_folder(&self) -> bool {
        self.path.is_empty() || self.name.ends_with(b"/")
    }

    pub(super) fn wrong(&self, problem: MemberError) -> ArchiveError {
        ArchiveError::Member { member: String::from_utf8_lossy(self.name).into_owned(), problem }
    }
}
