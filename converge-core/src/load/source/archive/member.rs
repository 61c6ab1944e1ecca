//! Members of an archive.

use super::error::{ArchiveError, MemberError};

/// What an archive calls one of its members.
pub(super) struct Member<'a> {
    /// As it is in the archive.
    pub(super) name: &'a [u8],
    /// Without `.` and empty parts. It is empty for the folder that has everything.
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

    /// Whether the name is that of a folder, as old archives have them.
    pub(super) fn is_folder(&self) -> bool {
        self.path.is_empty() || self.name.ends_with(b"/")
    }

    pub(super) fn wrong(&self, problem: MemberError) -> ArchiveError {
        ArchiveError::Member { member: String::from_utf8_lossy(self.name).into_owned(), problem }
    }
}
