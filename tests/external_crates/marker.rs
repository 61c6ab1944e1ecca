//! A resource: a file that says for whom it was made.

use converge_core::prelude::*;
use converge_core::system::WriteFile;

/// A file that says for whom it was made.
#[derive(Debug, Preparer)]
#[preparer(name = "marker", task = Marker)]
pub struct MarkerPreparer {
    /// Where the file is.
    #[hcl(required, nonempty)]
    path: String,
    /// For whom it is made.
    #[hcl(name = "for", default = "nobody")]
    whom: String,
}

impl Resource for MarkerPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Marker> {
        Ok(Marker { path: self.path, text: format!("made for {}\n", self.whom) })
    }
}

/// The file.
#[derive(Debug, Export)]
pub struct Marker {
    /// Where it is.
    #[export]
    path: String,
    /// What it says.
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
