//! Lesson 14: the whole `converge` command with a resource of one's own.
//!
//! `greeting` is a file with a greeting. The program has every command of `converge`, and its modules may use the built-in
//! resources too. It takes arguments, as `converge` does.
//!
//! Run it with `cargo run --example custom_command -- plan examples/custom_command.hcl`.

use std::path::PathBuf;
use std::process::ExitCode;

use converge_cli::Program;
use converge_core::RegistryError;
use converge_core::prelude::*;
use converge_core::system::WriteFile;

/// A file that greets somebody.
#[derive(Debug, Preparer)]
#[preparer(name = "greeting", task = Greeting)]
pub struct GreetingPreparer {
    /// The file.
    #[hcl(required, nonempty)]
    file: PathBuf,
    /// The person to greet.
    #[hcl(default = "World")]
    who: String,
}

impl Resource for GreetingPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Greeting> {
        Ok(Greeting { file: self.file, text: format!("Hello, {}!\n", self.who) })
    }
}

/// The file.
#[derive(Debug, Export)]
pub struct Greeting {
    /// The path of the file.
    #[export]
    file: PathBuf,
    /// The text of the greeting.
    #[export]
    text: String,
}

impl Task for Greeting {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let bytes = cx.system().files().read(&self.file).await?.map(|file| file.bytes).unwrap_or_default();
        // A file that is not text is not a greeting and must not be replaced by one.
        let text =
            String::from_utf8(bytes).context(|| format!("{} holds no greeting", self.file.display()))?;
        let mut status = Status::new();
        status.add_difference("text", text, &*self.text);
        status.raise_level_for_diffs();
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        cx.system().files().write(&self.file, WriteFile::new(self.text.as_bytes())).await?;
        Ok(Status::new())
    }
}

fn main() -> Result<ExitCode, RegistryError> {
    // `Registry::new()` instead would leave out the built-in resources.
    let registry = converge_cli::built_in()?.with::<GreetingPreparer>()?;
    // `converge_cli::main(registry)` does the same under the name `converge`.
    Ok(Program::new(registry).with_name("custom_command").with_version(env!("CARGO_PKG_VERSION")).main())
}
