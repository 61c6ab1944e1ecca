//! Faulty resources, and the messages that their authors get.
//!
//! Each law is broken by at least one of them, so that no law passes by mistake.

mod applies;
mod checks;
mod plans;
mod reads;
mod stops;
mod values;

use std::path::Path;

use super::{Law, Laws};
use crate::sdk::prelude::*;
use crate::system::{Command, Follow, ModelSystem, Output, WriteFile};

/// Defines a resource with these fields, whose task has the same fields and counts its calls.
macro_rules! wrong {
    (
        $name:ident { $($(#[$field_meta:meta])* $field:ident: $field_ty:ty,)* }
        check($task:ident, $cx:ident) $check:block
        apply $apply:block
    ) => {
        mod $name {
            use super::*;

            #[derive(Debug, converge_sdk::Preparer)]
            #[preparer(name = "test.wrong", task = Wrong, register = false)]
            pub(super) struct WrongPreparer {
                $(
                    /// A field of the resource.
                    $(#[$field_meta])*
                    $field: $field_ty,
                )*
            }

            #[derive(Debug, converge_sdk::Export)]
            #[allow(dead_code, reason = "not each of them looks at all that it was declared with")]
            pub(super) struct Wrong {
                $($field: $field_ty,)*
                checks: usize,
                applies: usize,
            }

            impl Resource for WrongPreparer {
                async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Wrong> {
                    Ok(Wrong { $($field: self.$field,)* checks: 0, applies: 0 })
                }
            }

            impl Task for Wrong {
                async fn check(&mut self, $cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
                    self.checks += 1;
                    let $task = &mut *self;
                    $check
                }

                async fn apply(&mut self, $cx: &Context) -> Result<Status> {
                    self.applies += 1;
                    let $task = &mut *self;
                    $apply
                }
            }
        }
    };
}
use wrong;

const MOTD: &str = "/etc/motd";

/// Returns the content of a file, or an empty text if there is none.
async fn read(cx: &Context, path: &str) -> Result<String> {
    let file = cx.system().files().read(path.as_ref()).await?;
    Ok(file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default())
}

async fn write(cx: &Context, path: &str, text: &str) -> Result<Status> {
    cx.system().files().write(path.as_ref(), WriteFile::new(text.as_bytes())).await?;
    Ok(Status::new())
}

async fn exists(cx: &Context, path: &str) -> Result<bool> {
    Ok(cx.system().files().metadata(Path::new(path), Follow::Links).await?.is_some())
}

async fn run(cx: &Context, line: [&str; 2]) -> Result<bool> {
    let [program, arg] = line;
    Ok(cx.system().processes().run(Command::new(program).arg(arg)).await?.exit.success())
}

fn differs(name: &str, is: impl Into<String>, target: impl Into<String>) -> Status {
    let mut status = Status::new();
    status.add_difference(name, is.into(), target.into());
    status.raise_level_for_diffs();
    status
}

/// Returns a model host with a package manager.
fn packages() -> ModelSystem {
    ModelSystem::new().with_dir("/etc").with_program(|command, machine| {
        let package = command.args.last()?;
        match command.program.as_str() {
            "dpkg" if machine.fact(package).is_some() => Some(Output::success("")),
            "dpkg" => Some(Output::failure(1, "")),
            "apt-get" => {
                machine.put_fact(package, "installed");
                Some(Output::success(""))
            }
            _ => None,
        }
    })
}

/// Compares the message that the author gets with a snapshot.
fn assert_message<R: Resource>(name: &str, laws: Laws<R>, law: Law) {
    let source = "Laws::<WrongPreparer>::new()";
    let broken = laws.written(source).check(law).expect_err("it is wrong");
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, broken);
    });
}
