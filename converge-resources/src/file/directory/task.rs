use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, SystemError, SystemErrorKind};

use crate::file::attributes::{Attributes, Changes};
use crate::file::direct_change::{self, InPlace};
use crate::file::mode::Mode;
use crate::file::mode::tree::TreeModes;

/// The permissions of a new directory before `mode` is applied.
const FRESH: Mode = Mode::new(0o700);

const MAKE: &str = "make the directory";

/// The task of a `file.directory` resource.
#[derive(Debug, Export)]
pub struct Directory {
    /// The path of the directory.
    #[export]
    destination: String,
    /// Whether missing parent directories are created too.
    #[export(name = "createall")]
    create_all: bool,
    attributes: Attributes,
    recursive: bool,
    state: Ensure,
    /// The mode changes that the check found below the directory.
    tree: TreeModes,
    plan: DirectoryPlan,
}

#[derive(Debug, Default)]
enum DirectoryPlan {
    #[default]
    Nothing,
    Remove,
    /// Create these directories, outermost first, and then change attributes.
    Make(Vec<PathBuf>, Changes),
}

impl Directory {
    pub(super) fn new(
        destination: String,
        create_all: bool,
        attributes: Attributes,
        recursive: bool,
        state: Ensure,
    ) -> Self {
        let (tree, plan) = (TreeModes::default(), DirectoryPlan::Nothing);
        Self { destination, create_all, attributes, recursive, state, tree, plan }
    }

    async fn check_present(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        let files = cx.system().files();
        let current = files.metadata(self.path(), Follow::Links).await?;
        let mut missing = Vec::new();
        match &current {
            Some(metadata) if metadata.kind != FileKind::Directory => {
                return Err(not_a_directory(MAKE, self.path()));
            }
            Some(_) => {}
            None => missing = self.find_missing(cx, status).await?,
        }
        for path in &missing {
            status.add_difference(path.display().to_string(), "absent", "present");
        }
        let changes =
            self.attributes.compare(cx, status, (self.path(), current.as_ref()), FRESH, true).await?;
        if let (true, Some(has), Some(spec)) = (self.recursive, &current, self.attributes.mode()) {
            self.tree = TreeModes::find(cx, self.path(), spec).await?;
            if !self.tree.is_empty() {
                let itself = changes.mode.map(|target| (Mode::new(has.mode), target));
                self.tree.report(status, itself);
                status.raise_level(StatusLevel::WillChange);
            }
        }
        status.raise_level(if missing.is_empty() { changes.level } else { StatusLevel::WillChange });
        self.plan = DirectoryPlan::Make(missing, changes);
        Ok(())
    }

    /// Returns the directories to create, outermost first.
    async fn find_missing(&self, cx: &Context, status: &mut Status) -> Result<Vec<PathBuf>> {
        let mut missing = vec![self.path().to_owned()];
        // The last ancestor of a relative path is empty: the working directory, which exists.
        let ancestors = self.path().ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
        for parent in ancestors {
            match cx.system().files().metadata(parent, Follow::Links).await? {
                Some(metadata) if metadata.kind == FileKind::Directory => break,
                Some(_) => return Err(not_a_directory(MAKE, parent)),
                None if self.create_all => missing.push(parent.to_owned()),
                None if cx.pending().is_empty() => {
                    return Err(Error::msg(format!(
                        "the directory {} does not exist: `create_all = true` makes it too",
                        parent.display()
                    )));
                }
                None => {
                    status.add_message(format!("the directory {} does not exist yet", parent.display()));
                    break;
                }
            }
        }
        missing.reverse();
        Ok(missing)
    }

    async fn check_absent(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        let files = cx.system().files();
        // A removal would remove the link itself, and a link is not a directory.
        let Some(metadata) = files.metadata(self.path(), Follow::Never).await? else { return Ok(()) };
        if metadata.kind != FileKind::Directory {
            return Err(not_a_directory("remove the directory", self.path()));
        }
        self.plan = DirectoryPlan::Remove;
        status.add_difference(self.destination.as_str(), "present", "absent");
        status.raise_level(StatusLevel::WillChange);
        let entries = files.read_dir(self.path()).await?.len();
        if entries > 0 && !cx.pending().is_empty() {
            status.add_message(format!("{} is not empty yet", self.destination));
            status.raise_level(StatusLevel::MayChange);
        } else if entries > 0 {
            let things = if entries == 1 { "thing" } else { "things" };
            status.set_error(format!(
                "{} is not empty: {entries} {things} in it would be lost, and only an empty directory is removed",
                self.destination
            ));
        }
        Ok(())
    }
}

fn not_a_directory(operation: &'static str, path: &Path) -> Error {
    SystemError::file(operation, path, SystemErrorKind::NotADirectory).into()
}

impl Task for Directory {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        (self.tree, self.plan) = (TreeModes::default(), DirectoryPlan::Nothing);
        match self.state {
            Ensure::Present => self.check_present(cx, &mut status).await?,
            Ensure::Absent => self.check_absent(cx, &mut status).await?,
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        direct_change::alone(self, cx).await
    }
}

impl Batch for Directory {
    async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
        direct_change::together(batch, cx).await
    }
}

#[async_trait]
impl InPlace for Directory {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    async fn make(&mut self, cx: &Context) -> Result<Status> {
        let files = cx.system().files();
        match &self.plan {
            DirectoryPlan::Nothing => {}
            DirectoryPlan::Remove => match files.remove_dir(self.path()).await {
                Err(error) if error.kind == SystemErrorKind::NotFound => {}
                removed => removed?,
            },
            DirectoryPlan::Make(missing, changes) => {
                let mode = changes.mode.unwrap_or(FRESH);
                let mut created = false;
                for path in missing {
                    created = match files.create_dir(path, mode.bits()).await {
                        Err(error) if error.kind == SystemErrorKind::AlreadyExists => {
                            // Another resource may have created the same parent meanwhile. A dangling link is
                            // an error.
                            let metadata = files.metadata(path, Follow::Links).await?;
                            if !metadata.is_some_and(|metadata| metadata.kind == FileKind::Directory) {
                                return Err(error.into());
                            }
                            false
                        }
                        result => result.map(|()| true)?,
                    };
                }
                self.tree.apply(cx, self.path()).await?;
                // A new directory is created with its mode.
                let mode = changes.mode.filter(|_| !created);
                Changes { mode, ..*changes }.apply(cx, self.path()).await?;
            }
        }
        Ok(Status::new())
    }
}
