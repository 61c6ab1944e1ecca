use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, Inherit, Ownership, WriteFile};
use converge_sdk::value::Secret;

use crate::missing_dependency;
use crate::user::run;
use crate::user::tool::{AccountTool, ToolRun};

/// The mode that sudo requires.
const MODE: u32 = 0o440;

/// The task of a `user.sudoers` resource.
#[derive(Debug, Export)]
pub struct Sudoers {
    /// The name of the file.
    #[export]
    pub(super) name: String,
    /// The path of the file.
    #[export]
    pub(super) path: String,
    /// Whether the file is to be present: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) content: String,
}

impl Sudoers {
    fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// Compares the file with its declaration.
    ///
    /// The path itself is inspected: sudo would follow a link there, and the resource replaces it.
    async fn compare(&self, cx: &Context, status: &mut Status) -> Result<()> {
        let files = cx.system().files();
        let metadata = files.metadata(self.path(), Follow::Never).await?;
        if self.state == Ensure::Absent {
            if let Some(metadata) = metadata {
                refuse_directory(self.path(), metadata.kind)?;
                status.add_difference("state", "present", "absent");
            }
            return Ok(());
        }
        let Some(metadata) = metadata else {
            status.add_difference("state", "absent", "present");
            status.add_difference("content", "", self.content.as_str());
            return Ok(());
        };
        refuse_directory(self.path(), metadata.kind)?;
        if metadata.kind == FileKind::Symlink {
            return Err(Error::msg(format!(
                "{} is a link: remove it, or declare it with `file.link`",
                self.path
            )));
        }
        let file = files.read_head(self.path(), self.content.len() as u64 + 1).await?;
        let text = file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default();
        if text != self.content {
            status.add_difference("content", text, self.content.as_str());
        }
        if metadata.mode & 0o7777 != MODE {
            status.add_difference("mode", format!("{:04o}", metadata.mode & 0o7777), format!("{MODE:04o}"));
        }
        if (metadata.uid, metadata.gid) != (0, 0) {
            status.add_difference("owner", format!("{}:{}", metadata.uid, metadata.gid), "0:0");
        }
        Ok(())
    }

    /// Checks the rules with `visudo`, whose message is the inner error.
    async fn look(&self, cx: &Context) -> Result<Result<(), String>> {
        let files = cx.system().files();
        let temporary = files.temp_dir().await?;
        let path = temporary.path().join(&self.name);
        let result = async {
            let write = WriteFile { mode: Some(MODE), ..WriteFile::new(self.content.as_bytes()) };
            files.write(&path, write).await?;
            let args = vec!["-c".to_owned(), "-f".to_owned(), path.to_string_lossy().into_owned()];
            run::run(cx, &ToolRun { tool: AccountTool::Visudo, args, input: Secret::default() }).await
        };
        let result = result.await;
        let display = path.to_string_lossy().into_owned();
        temporary.remove().await?;
        match result {
            Ok(()) => Ok(Ok(())),
            Err(error @ Error::Cancelled) => Err(error),
            Err(error) => Ok(Err(error.to_string().replace(&display, &self.path))),
        }
    }
}

fn refuse_directory(path: &Path, kind: FileKind) -> Result<()> {
    if kind == FileKind::Directory {
        return Err(Error::msg(format!("{} is a folder", path.display())));
    }
    Ok(())
}

impl Task for Sudoers {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.compare(cx, &mut status).await?;
        status.raise_level_for_diffs();
        if self.state == Ensure::Absent || !status.has_changes() {
            return Ok(status);
        }
        let folder = self.path().parent().unwrap_or(self.path());
        let is_folder = cx.system().files().metadata(folder, Follow::Links).await?.is_some();
        let missing = run::obstacle(cx, AccountTool::Visudo).await?;
        let missing = missing
            .or_else(|| (!is_folder).then(|| format!("the directory {} does not exist", folder.display())));
        match missing {
            Some(reason) if cx.pending().is_empty() => status.set_error(reason),
            Some(reason) => return Ok(missing_dependency::not_yet(format!("not possible yet: {reason}"))),
            None => {
                if let Err(refused) = self.look(cx).await? {
                    status.set_error(refused);
                }
            }
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        if self.state == Ensure::Absent {
            if files.metadata(self.path(), Follow::Never).await?.is_some() {
                files.remove_file(self.path()).await?;
            }
            return Ok(Status::new());
        }
        self.look(cx).await?.map_err(Error::msg)?;
        let ownership = Ownership { uid: Some(0), gid: Some(0) };
        let write = WriteFile {
            content: self.content.as_bytes(),
            mode: Some(MODE),
            ownership,
            inherit: Inherit::FromTrusted,
        };
        files.write(self.path(), write).await?;
        Ok(Status::new())
    }
}
