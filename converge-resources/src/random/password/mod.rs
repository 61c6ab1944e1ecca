//! The `random.password` resource: a password that is drawn once and kept.

mod alphabet;
mod task;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use converge_sdk::field_error;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Password;

use self::alphabet::{Kinds, SPECIAL};
use super::drawn_value::Keeping;

/// Draws a password or a token, and keeps it.
///
/// The first apply draws the password, and stores it in the state of the run, in a file that only the user
/// that runs converge may read. Every later run has the same password. Until then, a plan shows it as *(known
/// after apply)*. No output ever shows it: values made from `value` are secret too.
///
/// # Guarantees
///
/// - The password is stored before any other resource sees it. A killed run has either not given the password
///   to anything, or the next run has the same one.
/// - The password has at least the declared number of characters of each kind. All characters of a kind are
///   equally likely, and so are all orders. They come from the machine's cryptographically secure source.
/// - The password stays as long as it could have been drawn: a greater `length`, or characters that are no
///   longer allowed, cause another draw. So does a change of `keepers`.
///
/// # Caveats
///
/// The value belongs to the file of the root module and to the id of the resource: if one of them changes,
/// another one is drawn. It stays in the state if the resource is removed from the module; use `state =
/// "absent"` first to forget it. The state is not encrypted: anybody who can read the files of the user who
/// runs converge can read the password.
#[derive(Debug, Preparer)]
#[expect(clippy::struct_excessive_bools, reason = "each kind of characters is there or is not")]
#[preparer(name = "random.password", task = Password, validate, reads = "named", changes = "named", example = "example.hcl")]
pub struct PasswordPreparer {
    /// The number of characters.
    #[hcl(required, min = 8, max = 1024)]
    length: u32,
    /// Whether lower case letters are allowed, `a` to `z`.
    #[hcl(default = true)]
    lower: bool,
    /// Whether upper case letters are allowed, `A` to `Z`.
    #[hcl(default = true)]
    upper: bool,
    /// Whether digits are allowed.
    #[hcl(default = true)]
    digits: bool,
    /// Whether special characters are allowed.
    #[hcl(default = true)]
    special: bool,
    /// The allowed special characters, all of them ASCII; the default is `!#$%&*()-_=+[]{}<>:?`.
    #[hcl(nonempty)]
    special_characters: Option<String>,
    /// The minimum number of lower case letters; the default is one if they are allowed.
    min_lower: Option<u32>,
    /// The minimum number of upper case letters.
    min_upper: Option<u32>,
    /// The minimum number of digits.
    min_digits: Option<u32>,
    /// The minimum number of special characters.
    min_special: Option<u32>,
    /// Values that the password depends on: if one of them changes, another one is drawn.
    ///
    /// They are not stored in plain form, so they may be secret.
    keepers: BTreeMap<String, String>,
    /// Whether there is a password; `absent` forgets the stored one, so that `present` draws another.
    state: Ensure,
}

impl PasswordPreparer {
    fn kinds(&self) -> Result<Kinds, FieldError> {
        let special = self.special_characters.as_deref().unwrap_or(SPECIAL);
        if let Some(invalid) = special.chars().find(|char| !char.is_ascii_punctuation()) {
            return Err(field_error!(
                "special_characters",
                "{invalid:?} is not a special character of ASCII, such as `!` or `#`"
            ));
        }
        let mut kinds = Kinds::default();
        let refuse = |min: u32, flag: &str| format!("`{flag} = false` allows none, and these are {min}");
        for (allowed, characters, min, refused) in [
            (
                self.lower,
                "abcdefghijklmnopqrstuvwxyz",
                self.min_lower,
                field_error!("min_lower", "{}", refuse(self.min_lower.unwrap_or_default(), "lower")),
            ),
            (
                self.upper,
                "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                self.min_upper,
                field_error!("min_upper", "{}", refuse(self.min_upper.unwrap_or_default(), "upper")),
            ),
            (
                self.digits,
                "0123456789",
                self.min_digits,
                field_error!("min_digits", "{}", refuse(self.min_digits.unwrap_or_default(), "digits")),
            ),
            (
                self.special,
                special,
                self.min_special,
                field_error!("min_special", "{}", refuse(self.min_special.unwrap_or_default(), "special")),
            ),
        ] {
            match min {
                _ if allowed => kinds.add(characters, min.unwrap_or(1) as usize),
                None | Some(0) => {}
                Some(_) => return Err(refused),
            }
        }
        if kinds.is_empty() {
            return Err(field_error!(
                "special",
                "no characters are left: set one of `lower`, `upper`, `digits` and `special` to true"
            ));
        }
        let (minimum, length) = (kinds.least(), self.length as usize);
        if minimum > length {
            return Err(field_error!(
                "length",
                "{length} characters are fewer than the {minimum} that are asked for at least"
            ));
        }
        Ok(kinds)
    }
}

impl Validate for PasswordPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.kinds().map(drop).map_err(|error| vec![error])
    }
}

impl Resource for PasswordPreparer {
    const KEEPS: bool = true;

    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Password> {
        let kinds = self.kinds().map_err(|error| Error::msg(error.to_string()))?;
        let keeping = Keeping { state: self.state, keepers: self.keepers };
        Ok(Password { value: None, length: self.length as usize, kinds, keeping })
    }
}
