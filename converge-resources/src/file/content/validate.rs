//! The command that validates new content before it replaces the old.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::schema::Kind;
use converge_sdk::system::{Command, CommitFile, Exit, Inherit, KeepOutput};
use converge_sdk::value::{Conversion, FieldError, FieldErrorKind, ValuePath};

use crate::file::sibling_path;
use crate::output_progress::OutputProgress;
use crate::text::Text;

/// A shell command with a placeholder for the path of the file to validate.
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
        let placeholder = ["{}", "%s"].into_iter().find(|placeholder| command.contains(placeholder));
        let Some(placeholder) = placeholder else {
            let message = "the command never names the file: write `{}` where its path goes".to_owned();
            let kind = FieldErrorKind::Invalid { message };
            return Err(vec![FieldError { path: ValuePath::default(), kind }]);
        };
        Ok(Self { command, placeholder })
    }
}

impl Validation {
    /// Runs the command on `content`, in a temporary file beside `destination`.
    ///
    /// The name of that file is the same in every run, so the next run replaces and removes what an
    /// interrupted run left behind.
    pub(super) async fn check(&self, cx: &Context, destination: &Path, content: &Text) -> Result<()> {
        let files = cx.system().files();
        let (directory, name) = (sibling_path::directory(destination), sibling_path::validated(destination));
        let path = destination.with_file_name(&name);
        let opened = files.open_dir(directory).await?;
        let missing = || Error::NotFound { kind: "directory", name: directory.display().to_string() };
        let directory = opened.ok_or_else(missing)?;
        // An existing file of that name is replaced, and a link is not followed.
        let mut staged = directory.stage(&name).await?;
        staged.write(content.as_bytes()).await?;
        let commit = CommitFile { mode: Some(0o600), inherit: Inherit::FromTrusted, ..CommitFile::default() };
        staged.commit(commit).await?;
        let script = self.command.replace(self.placeholder, &quoted(&path.to_string_lossy()));
        if self.command.is_secret() {
            // The quoted script differs from the text that is known to be secret, and an error shows the
            // command.
            cx.redactor().hide(&script);
        }
        let mut command = Command::new("/bin/sh").args(["-c".to_owned(), script]);
        command.timeout = cx.remaining();
        command.keep = KeepOutput::Ends;
        let output_mode = if content.is_secret() || self.command.is_secret() {
            OutputProgress::Nothing
        } else {
            OutputProgress::Lines
        };
        let result = output_mode.run(cx, command).await;
        // The file is removed whether or not the command succeeded, before the result is evaluated.
        directory.remove_file(&name).await?;
        let output = result?;
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

/// Quotes a text as one word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
