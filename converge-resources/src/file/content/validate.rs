//! Runs the command that validates new content before it replaces the old.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::schema::Kind;
use converge_core::system::{Command, Exit, Follow, KeepOutput, WriteFile};
use converge_core::value::{Conversion, FieldError, FieldErrorKind, ValuePath};

use super::sibling::sibling;
use crate::text::Text;

/// A shell command with a place for the path of the file that it looks at.
#[derive(Debug)]
pub(crate) struct Validation {
    command: Text,
    placeholder: &'static str,
}

impl FromValue for Validation {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let command = Text::from_value(value, conversion)?;
        let found = ["{}", "%s"].into_iter().find(|placeholder| command.contains(placeholder));
        let Some(placeholder) = found else {
            let message = "the command never names the file: write `{}` where its path goes".to_owned();
            let kind = FieldErrorKind::Invalid { message };
            return Err(vec![FieldError { path: ValuePath::default(), kind }]);
        };
        Ok(Self { command, placeholder })
    }
}

impl Validation {
    /// Runs the command on `content` in a temporary file beside `destination`.
    ///
    /// The name of that file does not change from run to run: what an interrupted run leaves behind is
    /// replaced and removed by the next.
    pub(super) async fn check(&self, cx: &Context, destination: &Path, content: &Text) -> Result<()> {
        let files = cx.system().files();
        let path = sibling(destination, ".converge-validate.", "");
        // A link there would have its target written to.
        if files.metadata(&path, Follow::Never).await?.is_some() {
            files.remove_file(&path).await?;
        }
        let write = WriteFile { mode: Some(0o600), ..WriteFile::new(content.as_bytes()) };
        files.write(&path, write).await?;
        let script = self.command.replace(self.placeholder, &quoted(&path.to_string_lossy()));
        let mut command = Command::new("/bin/sh").args(["-c".to_owned(), script]);
        command.timeout = cx.remaining();
        command.keep = KeepOutput::Ends;
        let ran = cx.system().processes().run(command).await;
        // Removed whatever came of the command, and before its result is looked at.
        files.remove_file(&path).await?;
        let output = ran?;
        if output.exit.success() {
            return Ok(());
        }
        let ending = match output.exit {
            Exit::Code(code) => format!("ended with exit code {code}"),
            Exit::Signal(signal) => format!("was ended by signal {signal}"),
            Exit::TimedOut => "did not end in time".to_owned(),
        };
        let printed = [output.stdout, output.stderr].concat();
        let printed = Text::new(String::from_utf8_lossy(&printed).trim_end(), content.is_secret());
        let colon = if printed.shown().is_empty() { "" } else { ":\n" };
        Err(Error::msg(format!(
            "the new content was refused by `{}`, which {ending}{colon}{}",
            self.command.shown(),
            printed.shown()
        )))
    }
}

/// The text as one word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
