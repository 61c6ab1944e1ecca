//! The salt that prevents guessing the hashed contents of records.

use std::fmt::Write as _;
use std::path::Path;

use crate::persistence::refresh_identity::{Identity, hash};
use crate::system::kernel_random::fill;
use crate::system::{Files, SystemError, WriteFile};

/// The length of the salt in random bytes.
const BYTES: usize = 32;

/// The mode of the file; only the owner may read it.
const MODE: u32 = 0o600;

/// A random text that is hashed with every value.
pub(super) struct Salt(String);

/// Hides the salt, which is private although it is no secret of a module.
impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt(..)")
    }
}

impl Salt {
    /// Reads the salt from a file, or returns `None` if it is missing or too short.
    pub(super) async fn read(files: &dyn Files, path: &Path) -> Result<Option<Self>, SystemError> {
        let content =
            files.read(path).await?.map(|file| String::from_utf8_lossy(&file.bytes).trim().to_owned());
        Ok(content.filter(|text| text.len() >= 2 * BYTES).map(Self))
    }

    /// Creates a salt and writes it to this file.
    pub(super) async fn make(files: &dyn Files, path: &Path) -> Result<Self, SystemError> {
        let mut random = [0_u8; BYTES];
        fill(&mut random).map_err(|error| SystemError::file("make", path, error))?;
        let text = random.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        files
            .write(path, WriteFile { mode: Some(MODE), ..WriteFile::new(format!("{text}\n").as_bytes()) })
            .await?;
        Ok(Self(text))
    }

    /// Returns a hash with the salt added.
    pub(super) fn apply_to(&self, text: &str) -> String {
        hash(&format!("{}\0{text}", self.0))
    }

    /// Returns an identity whose hashes are salted, so that it can be stored.
    pub(super) fn hide(&self, identity: Identity) -> Identity {
        let Identity { declared, values } = identity;
        Identity { declared: self.apply_to(&declared), values: values.map(|values| self.apply_to(&values)) }
    }
}
