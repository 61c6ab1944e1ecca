//! POSIX access control lists, as extended attributes hold them.

use std::collections::BTreeMap;

use crate::ExtendedAttribute;

/// The number that begins the stored form.
const VERSION: u32 = 2;

/// The id of entries without a user or group.
const NO_ID: u32 = u32::MAX;

/// An access control list of a file or directory.
///
/// The permissions of an entry are three bits: 4 to read, 2 to write, 1 to execute or search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acl {
    /// The permissions of each entry, in the order of the kernel.
    pub entries: BTreeMap<AclTag, u32>,
}

/// The subject of an entry of an [`Acl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AclTag {
    /// The owner of the file.
    Owner,
    /// The user with this id.
    User(u32),
    /// The group of the file.
    Group,
    /// The group with this id.
    NamedGroup(u32),
    /// The most that users, groups and the group of the file may do.
    Mask,
    /// Everybody else.
    Other,
}

impl AclTag {
    fn from_stored(tag: u16, id: u32) -> Option<Self> {
        Some(match tag {
            0x01 => Self::Owner,
            0x02 => Self::User(id),
            0x04 => Self::Group,
            0x08 => Self::NamedGroup(id),
            0x10 => Self::Mask,
            0x20 => Self::Other,
            _ => return None,
        })
    }

    fn stored(self) -> (u16, u32) {
        match self {
            Self::Owner => (0x01, NO_ID),
            Self::User(id) => (0x02, id),
            Self::Group => (0x04, NO_ID),
            Self::NamedGroup(id) => (0x08, id),
            Self::Mask => (0x10, NO_ID),
            Self::Other => (0x20, NO_ID),
        }
    }

    /// Whether the mask limits the entry.
    pub fn is_masked(self) -> bool {
        matches!(self, Self::User(_) | Self::Group | Self::NamedGroup(_))
    }
}

impl Acl {
    /// The name of the attribute with the list that decides about access.
    pub const ACCESS: &str = "system.posix_acl_access";

    /// The name of the attribute with the list that new files in a directory get.
    pub const DEFAULT: &str = "system.posix_acl_default";

    /// Creates the list that means the same as permission bits.
    pub fn from_mode(mode: u32) -> Self {
        let entries = [(AclTag::Owner, mode >> 6), (AclTag::Group, mode >> 3), (AclTag::Other, mode)];
        Self { entries: entries.into_iter().map(|(tag, bits)| (tag, bits & 7)).collect() }
    }

    /// Finds the list among the attributes of a file.
    pub fn find(attributes: &[ExtendedAttribute], name: &str) -> Option<Self> {
        Self::from_bytes(&attributes.iter().find(|attribute| attribute.name == name)?.value)
    }

    /// Reads the stored form; `None` if it is not valid.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (version, entries) = bytes.split_first_chunk::<4>()?;
        if u32::from_le_bytes(*version) != VERSION || entries.len() % 8 != 0 {
            return None;
        }
        let mut acl = Self::default();
        for entry in entries.chunks_exact(8) {
            let [tag, tag2, bits, bits2, id @ ..] = entry else { return None };
            let tag = u16::from_le_bytes([*tag, *tag2]);
            let tag = AclTag::from_stored(tag, u32::from_le_bytes(id.try_into().ok()?))?;
            let bits = u32::from(u16::from_le_bytes([*bits, *bits2]));
            if bits > 7 || acl.entries.insert(tag, bits).is_some() {
                return None;
            }
        }
        acl.is_valid().then_some(acl)
    }

    /// Returns the stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = VERSION.to_le_bytes().to_vec();
        for (tag, permissions) in &self.entries {
            let (tag, id) = tag.stored();
            bytes.extend(tag.to_le_bytes());
            bytes.extend([(permissions & 7) as u8, 0]);
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }

    fn get(&self, tag: AclTag) -> u32 {
        self.entries.get(&tag).copied().unwrap_or_default()
    }

    fn is_valid(&self) -> bool {
        let has = |tag| self.entries.contains_key(&tag);
        has(AclTag::Owner)
            && has(AclTag::Group)
            && has(AclTag::Other)
            && (self.is_minimal() || has(AclTag::Mask))
    }

    /// Whether permission bits say the same.
    pub fn is_minimal(&self) -> bool {
        self.entries.keys().all(|tag| matches!(tag, AclTag::Owner | AclTag::Group | AclTag::Other))
    }

    /// Returns the permission bits that the file shows: those of the group are the mask, if there is one.
    pub fn mode(&self) -> u32 {
        let group = self.entries.get(&AclTag::Mask).copied().unwrap_or_else(|| self.get(AclTag::Group));
        self.get(AclTag::Owner) << 6 | group << 3 | self.get(AclTag::Other)
    }

    /// Changes the list as a change of the permission bits does.
    pub fn set_mode(&mut self, mode: u32) {
        let group = if self.entries.contains_key(&AclTag::Mask) { AclTag::Mask } else { AclTag::Group };
        for (tag, bits) in [(AclTag::Owner, mode >> 6), (group, mode >> 3), (AclTag::Other, mode)] {
            self.entries.insert(tag, bits & 7);
        }
    }

    /// Returns what the group of the file may do.
    pub fn group_permissions(&self) -> u32 {
        let mask = self.entries.get(&AclTag::Mask).copied().unwrap_or(7);
        self.get(AclTag::Group) & mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_lists() {
        let stored = [
            &[2, 0, 0, 0][..],
            &[1, 0, 6, 0, 255, 255, 255, 255],
            &[2, 0, 6, 0, 1, 0, 0, 0],
            &[4, 0, 4, 0, 255, 255, 255, 255],
            &[16, 0, 6, 0, 255, 255, 255, 255],
            &[32, 0, 0, 0, 255, 255, 255, 255],
        ]
        .concat();
        let mut acl = Acl::from_bytes(&stored).expect("it is valid");
        assert_eq!(acl.to_bytes(), stored);
        assert_eq!((acl.mode(), acl.group_permissions(), acl.is_minimal()), (0o660, 4, false));
        acl.set_mode(0o604);
        assert_eq!((acl.mode(), acl.group_permissions()), (0o604, 0));
        assert_eq!(acl.entries[&AclTag::Group], 4, "only the mask changes");
        for broken in
            [&stored[..8], &stored[..36], &[1, 0, 0, 0], &[stored.as_slice(), &stored[4..12]].concat()]
        {
            assert_eq!(Acl::from_bytes(broken), None, "{broken:?}");
        }
        assert_eq!(Acl::from_mode(0o4751).mode(), 0o751);
    }
}
