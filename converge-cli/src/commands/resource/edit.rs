//! The `converge resource edit` command.

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use converge_client::ClientError;
use tempfile::TempDir;

use super::args::NameArgs;
use super::command_context::Work;
use super::files::Drafts;
use crate::args::TenancyArgs;
use crate::console::print;
use crate::document::{Language, to_yaml};
use crate::error::CliError;
use crate::exit::Exit;
use crate::platform::{create_private, editor, private_folder};
use crate::remote::{Found, RemoteError};

/// The comment at the top of the edited file.
const HEAD: &str = "\
# Edit the text below, save it, and leave the editor. An empty or unchanged text changes nothing.
# What only the server says, such as statuses, is left out.
";

#[derive(Debug, Args)]
#[command(after_help = "\
The editor is that of $VISUAL, or of $EDITOR, or vi. The text is in a file that nobody else can read. When somebody else has
changed the resource meanwhile, or the server refuses, nothing is written, and the file is kept.")]
pub(super) struct EditArgs {
    #[command(flatten)]
    name: NameArgs,
}

impl EditArgs {
    pub(super) fn run(&self, work: &Work) -> Result<Exit, CliError> {
        let server = self.name.server.open()?;
        let (id, types) = self.name.named(&server)?;
        let resource = server.read(&id, true)?;
        let before = format!("{HEAD}{}", text(&resource));

        let (folder, file) = private_file(&before).map_err(CliError::Editor)?;
        work.interrupts.hold();
        let edited = edit(&file);
        let after = edited.and_then(|()| read(&file)).map_err(CliError::Editor)?;
        let draft_folder = EditedFile(folder);
        let is_empty = after.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#'));
        if after == before || is_empty {
            print("nothing was changed\n")?;
            return Ok(Exit::Done);
        }
        work.interrupts.release(&note(&file));

        let mut drafts = Drafts::default();
        let nowhere = TenancyArgs { partition: String::new(), namespace: String::new() };
        drafts.add(
            &file.display().to_string(),
            after.into_bytes(),
            Some(Language::Yaml),
            &types,
            &nowhere,
        )?;
        if drafts.has_mistakes() {
            drafts.report_all(work.console);
            return Ok(draft_folder.keep(&file, work));
        }
        let [draft] = drafts.all.as_slice() else {
            work.console.error("the text must describe exactly one resource");
            return Ok(draft_folder.keep(&file, work));
        };
        if draft.named.name != id.name || draft.named.resource_type != id.resource_type {
            work.console
                .error("the text now names another resource; create it with `converge resource apply`");
            return Ok(draft_folder.keep(&file, work));
        }
        match server.write(&draft.named, &draft.body, false) {
            Ok(_) => {
                print(&format!("{} {} changed\n", id.resource_type, resource.name()))?;
                Ok(Exit::Done)
            }
            Err(RemoteError::Client(ClientError::Refused(refusal))) => {
                drafts.report_refusal(draft, &refusal, work.console);
                Ok(draft_folder.keep(&file, work))
            }
            Err(error) => {
                work.console.error(error);
                Ok(draft_folder.keep(&file, work))
            }
        }
    }
}

/// The edited file, removed on drop unless it is kept.
struct EditedFile(TempDir);

impl EditedFile {
    fn keep(self, file: &Path, work: &Work) -> Exit {
        work.console.warning(note(file));
        // The folder is not removed from here on.
        drop(self.0.keep());
        Exit::Error
    }
}

fn note(file: &Path) -> String {
    format!("the text is saved; write it with `converge resource apply -f {}`", file.display())
}

/// Returns the resource as text to edit.
///
/// The text has its editable fields, and the version, which must not be changed.
fn text(resource: &Found) -> String {
    let mut json = resource.json.clone();
    if let Some(fields) = json.as_object_mut() {
        fields.retain(|name, _| name != "status" && name != "generation");
    }
    to_yaml(&json)
}

/// Writes a new file in a new folder that only this user can enter.
fn private_file(text: &str) -> std::io::Result<(TempDir, PathBuf)> {
    let folder = private_folder()?;
    let file = folder.path().join("resource.yaml");
    create_private(&file)?.write_all(text.as_bytes())?;
    Ok((folder, file))
}

#[expect(clippy::disallowed_methods, reason = "a file of this command")]
fn read(file: &Path) -> std::io::Result<String> {
    std::fs::read_to_string(file)
}

/// Runs the editor; its command may contain arguments.
#[expect(clippy::disallowed_methods, reason = "it is about this process")]
fn edit(file: &Path) -> std::io::Result<()> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let ended = editor(variable("VISUAL").or_else(|| variable("EDITOR")), file).status()?;
    if ended.success() {
        return Ok(());
    }
    Err(std::io::Error::other(format!("it ended with {ended}, so nothing was written")))
}
