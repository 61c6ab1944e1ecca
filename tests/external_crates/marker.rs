//! A resource type: a file that states for whom it was created.

use converge_core::prelude::*;
use converge_core::system::WriteFile;

/// A file that says for whom it was made.
#[derive(Debug, Preparer)]
#[preparer(name = "marker", task = Marker)]
pub struct MarkerPreparer {
    /// The path of the file.
    #[hcl(required, nonempty)]
    path: String,
    /// The person or purpose for which the file is created.
    #[hcl(name = "for", default = "nobody")]
    whom: String,
}

impl Resource for MarkerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Marker> {
        Ok(Marker { path: self.path, text: format!("made for {}\n", self.whom) })
    }
}

/// The prepared resource.
#[derive(Debug, Export)]
pub struct Marker {
    /// The path of the file.
    #[export]
    path: String,
    /// The content of the file.
    #[export]
    text: String,
}

impl Task for Marker {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let now = cx.system().files().read(self.path.as_ref()).await?;
        let now = now.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default();
        let mut status = Status::new();
        status.add_difference("text", now, &*self.text);
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(self.path.as_ref(), WriteFile::new(self.text.as_bytes())).await?;
        Ok(Status::new())
    }
}
