use std::path::Path;

use converge_sdk::prelude::*;

use super::{Edit, Edited, Editing, TEXT_BYTES};
use crate::file::content::FileContent;
use crate::missing_dependency;
use crate::text::Text;

#[derive(Debug)]
pub(crate) struct EditedFile {
    destination: String,
    create: bool,
    only_if_missing: bool,
    file: FileContent,
}

impl EditedFile {
    /// Creates an edited file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FileContent::new`].
    pub(crate) fn new(destination: String, editing: Editing) -> Result<Self> {
        let Editing { create, writing } = editing;
        let only_if_missing = writing.only_if_missing;
        let file = FileContent::new(destination.clone(), Text::default(), writing)?;
        Ok(Self { destination, create, only_if_missing, file })
    }

    pub(crate) async fn check(&mut self, edit: &(impl Edit + Sync), cx: &Context) -> Result<Status> {
        let notes = match self.edited(edit, cx).await? {
            Declared::Nothing => return Ok(Status::new()),
            Declared::Missing if cx.pending().is_empty() => {
                return Err(Error::msg(format!(
                    "{} does not exist: `create = true` makes it",
                    self.destination
                )));
            }
            Declared::Missing => {
                return Ok(missing_dependency::not_yet(format!("{} does not exist yet", self.destination)));
            }
            Declared::Text(notes) => notes,
        };
        let mut status = self.file.compare(cx).await?;
        for note in notes {
            status.add_message(note);
        }
        Ok(status)
    }

    /// Edits the file as it is now, so that changes made since the check are kept.
    pub(crate) async fn apply(&mut self, edit: &(impl Edit + Sync), cx: &Context) -> Result<Status> {
        match self.edited(edit, cx).await? {
            Declared::Nothing => return Ok(Status::new()),
            Declared::Missing => {
                return Err(Error::NotFound { kind: "file", name: self.destination.clone() });
            }
            Declared::Text(_) => {}
        }
        let mut status = self.file.compare(cx).await?;
        if let Some(error) = status.take_error() {
            return Err(error);
        }
        if !status.has_changes() {
            return Ok(Status::new());
        }
        self.file.apply(cx).await
    }

    async fn edited(&mut self, edit: &(impl Edit + Sync), cx: &Context) -> Result<Declared> {
        let head = cx.system().files().read_head(Path::new(&self.destination), TEXT_BYTES + 1).await?;
        if head.is_some() && self.only_if_missing {
            return Ok(Declared::Text(Vec::new()));
        }
        let text = match &head {
            Some(head) => self.text(&head.bytes)?,
            None => "",
        };
        let refused = |reason: String| Error::msg(format!("{}: {reason}", self.destination));
        let Edited { text: edited, notes } = edit.edit(text).map_err(refused)?;
        let second = edit.edit(&edited).map_err(refused)?;
        if second.text != edited {
            return Err(refused(edit.unsettled().to_owned()));
        }
        if head.is_none() && edited.is_empty() && !edit.needs_file() {
            return Ok(Declared::Nothing);
        }
        if head.is_none() && !self.create {
            return Ok(Declared::Missing);
        }
        let notes = if edited == text && head.is_some() { Vec::new() } else { notes };
        self.file.declare(Text::new(edited, edit.is_secret()));
        Ok(Declared::Text(notes))
    }

    fn text<'b>(&self, bytes: &'b [u8]) -> Result<&'b str> {
        let refused = |reason: String| Error::msg(format!("{} {reason}", self.destination));
        if bytes.len() as u64 > TEXT_BYTES {
            return Err(refused(format!(
                "has more than {TEXT_BYTES} bytes: files of that size are not edited"
            )));
        }
        if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
            return Err(refused(format!("is not text: byte {offset} is 0")));
        }
        std::str::from_utf8(bytes)
            .map_err(|error| refused(format!("is not UTF-8 text: see byte {}", error.valid_up_to())))
    }
}

enum Declared {
    /// The file does not exist, and the result is empty.
    Nothing,
    /// The file does not exist, and none is to be created.
    Missing,
    /// The edit gave a text, with these notes for the user.
    Text(Vec<String>),
}
