//! Names of modules, and names and values of their parameters.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The name of a module, in the kernel's form with `_` for each `-`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct ModuleName(String);

impl ModuleName {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        text.replace('-', "_") == self.0
    }

    /// Returns the path of the file that loads the module at boot.
    pub(super) fn load_file(&self) -> String {
        format!("/etc/modules-load.d/{self}.conf")
    }

    /// Returns the path of the file with the parameters.
    ///
    /// `modprobe` reads the files in the order of their names, and the last value of a parameter counts.
    /// systemd brings a file with some.
    pub(super) fn options_file(&self) -> String {
        format!("/etc/modprobe.d/zz-{self}.conf")
    }
}

/// Whether a text has only letters, digits, `_` and `-`.
///
/// A leading `-` is refused, because a program would take it for an option.
fn is_name(text: &str) -> bool {
    let allowed = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    !text.is_empty() && !text.starts_with('-') && text.len() < 64 && text.chars().all(allowed)
}

impl FromStr for ModuleName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !is_name(text) {
            return Err(format!(
                "{text:?} is not the name of a module of the kernel, such as `br_netfilter`: it has letters, digits, `_` and `-`"
            ));
        }
        Ok(Self(text.replace('-', "_")))
    }
}

impl fmt::Display for ModuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, HclText)]
pub(super) struct ParameterName(String);

impl FromStr for ParameterName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Parameters of built-in parts of a module have dots in their names.
        if !text.split('.').all(is_name) {
            return Err(format!(
                "{text:?} is not the name of a parameter: it has letters, digits, `_` and `-`"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ParameterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The value of a parameter: one word.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(super) struct ParameterValue(String);

impl ParameterValue {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ParameterValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = |char: char| char.is_whitespace() || char.is_control() || "\"'\\#".contains(char);
        if text.is_empty() || text.contains(refused) {
            return Err(format!(
                "{text:?} is not a value of a parameter: it is one word, without quotes, `#` and `\\`"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
