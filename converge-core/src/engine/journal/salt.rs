//! What keeps the hashes of records from being tried out.

use std::fmt::Write as _;
use std::path::Path;

use crate::engine::refresh_identity::{Identity, hash};
use crate::system::kernel_random::fill;
use crate::system::{Files, SystemError, WriteFile};

/// So many random bytes nobody guesses.
const BYTES: usize = 32;

/// Nobody else may read it.
const MODE: u32 = 0o600;

/// A random text that is hashed with everything.
pub(super) struct Salt(String);

/// It is no secret of a module, and still none of anybody's business.
impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt(..)")
    }
}

impl Salt {
    /// The salt of a file; `None` when there is none. What is too short to be one is none.
    pub(super) async fn read(files: &dyn Files, path: &Path) -> Result<Option<Self>, SystemError> {
        let content =
            files.read(path).await?.map(|file| String::from_utf8_lossy(&file.bytes).trim().to_owned());
        Ok(content.filter(|text| text.len() >= 2 * BYTES).map(Self))
    }

    /// Makes one, and writes it into this file.
    pub(super) async fn make(files: &dyn Files, path: &Path) -> Result<Self, SystemError> {
        let mut random = [0_u8; BYTES];
        fill(&mut random).map_err(|error| SystemError::file("make", path, error))?;
        let text = random.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        files
            .write(path, WriteFile { mode: Some(MODE), ..WriteFile::new(format!("{text}\n").as_bytes()) })
            .await?;
        Ok(Self(text))
    }

    /// The same hash with the salt.
    pub(super) fn of(&self, plain: &str) -> String {
        hash(&format!("{}\0{plain}", self.0))
    }

    /// An identity that can be written down.
    pub(super) fn hide(&self, identity: Identity) -> Identity {
        let Identity { declared, values } = identity;
        Identity { declared: self.of(&declared), values: values.map(|values| self.of(&values)) }
    }
}
