//! The token by which a server authenticates the caller.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use converge_client::Token;

use crate::error::CliError;
use crate::platform::others_use;

/// The source of the token, which is never the command line: every user of the machine can read that.
#[derive(Debug, Args)]
pub(super) struct TokenArgs {
    /// A file with a token on its first line, which nobody else may read [default: the token itself, in
    /// `CONVERGE_TOKEN`]
    #[arg(long, value_name = "FILE", env = "CONVERGE_TOKEN_FILE", hide_env_values = true)]
    token_file: Option<PathBuf>,
}

impl TokenArgs {
    /// Reads the token, if one is set.
    #[expect(clippy::disallowed_methods, reason = "it is about this process")]
    pub(super) fn read(&self) -> Result<Option<Token>, CliError> {
        let text = match &self.token_file {
            Some(file) => {
                read(file).map_err(|problem| CliError::ServerFile { file: file.clone(), problem })?
            }
            None => std::env::var("CONVERGE_TOKEN").unwrap_or_default(),
        };
        let token = text.lines().next().unwrap_or_default().trim();
        Ok((!token.is_empty()).then(|| Token::new(token)))
    }
}

/// Reads a file that no other user may read.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn read(path: &Path) -> Result<String, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if others_use(&metadata) {
        return Err("it holds a secret, and other users can read or write it: chmod 600".to_owned());
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files of this test")]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn files_that_others_read_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        fs::write(&file, " secret \nmore").unwrap();
        let read = |mode: u32| {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let token = TokenArgs { token_file: Some(file.clone()) }.read();
            token.map(|token| token.is_some()).map_err(|error| error.to_string())
        };
        assert_eq!(read(0o600), Ok(true));
        assert!(read(0o604).unwrap_err().ends_with("chmod 600"));
        assert!(read(0o640).is_err() && read(0o620).is_err());
    }
}
