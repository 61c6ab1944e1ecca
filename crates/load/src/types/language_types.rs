//! The language blocks `module`, `switch`, `case` and `plugin` as resource types.
//!
//! They provide the documentation of these blocks, and the types of the nodes that represent them.

use indexmap::IndexMap;

use crate::sdk::prelude::*;

macro_rules! structure {
    ($($resource:ident)*) => {$(
        impl Resource for $resource {
            // The engine handles these blocks itself.
            async fn prepare(self, _cx: &Context, renderer: &dyn Renderer) -> Result<Self::Task> {
                Err(Error::msg(format!("{} is a group of resources, not a resource", renderer.id().short())))
            }
        }
    )*};
}

structure! { ModuleType SwitchType CaseType PluginType }

/// Uses another module.
///
/// Written `module "SOURCE" "NAME" { params { .. } }`. The source is a URL, or a path relative to the calling
/// file. It also takes `depends`, `when`, `for_each` and `tags`.
#[derive(Debug, converge_sdk::Preparer)]
#[preparer(name = "module", task = ModuleExports, register = false)]
pub(crate) struct ModuleType {
    /// Values for the parameters of the module.
    #[expect(dead_code, reason = "the loader gives them to the parameters")]
    params: IndexMap<String, Value>,
}

/// Chooses between resources.
///
/// Written `switch "NAME" { case "PREDICATE" "NAME" { .. } default { .. } }`. The first case whose predicate
/// is true is taken, and the resources in the other cases are skipped.
#[derive(Debug, converge_sdk::Preparer)]
#[preparer(name = "switch", task = Nothing, register = false)]
pub(crate) struct SwitchType {}

/// Adds resource types that a separate program provides.
///
/// Written `plugin "NAME" { source = "./converge-plugin-name", sha256 = ".." }` in a module file that is
/// given to the command. The file is run when the module is loaded or validated, provided that its bytes have
/// that SHA-256.
#[derive(Debug, converge_sdk::Preparer)]
#[preparer(name = "plugin", task = Nothing, register = false)]
pub(crate) struct PluginType {
    /// Path of the file, relative to the folder of the module.
    #[expect(dead_code, reason = "the plugin is started before the module is loaded")]
    #[hcl(required, nonempty)]
    source: String,
    /// The SHA-256 of the file, in 64 hexadecimal digits as `sha256sum` prints it.
    #[expect(dead_code, reason = "the plugin is started before the module is loaded")]
    #[hcl(required, pattern = "^[0-9A-Fa-f]{64}$", expects = "a SHA-256: 64 hexadecimal digits")]
    sha256: String,
    /// The version that the plugin must report. If unset, any version is accepted.
    #[expect(dead_code, reason = "the plugin is started before the module is loaded")]
    version: Option<String>,
}

/// A case of a switch.
#[derive(Debug, converge_sdk::Preparer)]
#[preparer(name = "case", task = Nothing, register = false)]
pub(crate) struct CaseType {}

/// The exports of a module.
#[derive(Debug, converge_sdk::Export)]
pub(crate) struct ModuleExports {
    /// The values of the module's parameters, by name.
    #[export]
    params: IndexMap<String, Value>,
    /// The values of the module's outputs, by name.
    #[export]
    output: IndexMap<String, Value>,
}

/// Exports nothing.
#[derive(Debug, converge_sdk::Export)]
pub(crate) struct Nothing;

macro_rules! no_work {
    ($($task:ident)*) => {$(
        impl Task for $task {
            async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
                Ok(Status::new())
            }

            async fn apply(&mut self, _cx: &Context) -> Result<Status> {
                Ok(Status::new())
            }
        }
    )*};
}

no_work! { ModuleExports Nothing }
