//! `module`, `switch`, `case` and `plugin` as types: what documentation says about them, and what the nodes of the graph that stand
//! for them are.

use indexmap::IndexMap;

use crate::sdk::prelude::*;

macro_rules! structure {
    ($($resource:ident)*) => {$(
        impl Resource for $resource {
            // The engine handles structure itself; there is nothing to prepare.
            async fn prepare(self, _cx: &Context, renderer: &dyn Renderer) -> Result<Self::Task> {
                Err(Error::msg(format!("{} holds resources and is none", renderer.id().short())))
            }
        }
    )*};
}

structure! { ModuleType SwitchType CaseType PluginType }

/// Uses another module.
///
/// Written `module "SOURCE" "NAME" { params { .. } }`. The source is a path relative to the file that calls it, or a
/// URL. It also takes `depends`, `when`, `for_each` and `tags`.
#[derive(Debug, converge_derive::Preparer)]
#[preparer(name = "module", task = ModuleExports, register = false)]
pub(crate) struct ModuleType {
    /// Values for the parameters of the module.
    #[expect(dead_code, reason = "the loader gives them to the parameters")]
    params: IndexMap<String, Value>,
}

/// Chooses between resources.
///
/// Written `switch "NAME" { case "PREDICATE" "NAME" { .. } default { .. } }`. The first case whose predicate is true
/// is taken, and the resources in the others are skipped.
#[derive(Debug, converge_derive::Preparer)]
#[preparer(name = "switch", task = Nothing, register = false)]
pub(crate) struct SwitchType {}

/// Brings types of resources that are in a program of its own.
///
/// Written `plugin "NAME" { source = "./converge-plugin-name", sha256 = ".." }` in a module file that is given to the command. The file is
/// run when the module is loaded, also to validate it, if its bytes have that SHA-256.
#[derive(Debug, converge_derive::Preparer)]
#[preparer(name = "plugin", task = Nothing, register = false)]
pub(crate) struct PluginType {
    /// Path of the file, as seen from the folder of the module.
    #[expect(dead_code, reason = "the plugin is started before the module is loaded")]
    #[hcl(required, nonempty)]
    source: String,
    /// The SHA-256 of the file, in 64 hexadecimal digits: `sha256sum` prints it.
    #[expect(dead_code, reason = "the plugin is started before the module is loaded")]
    #[hcl(required, pattern = "^[0-9A-Fa-f]{64}$", expects = "a SHA-256: 64 hexadecimal digits")]
    sha256: String,
    /// The version that the plugin has to say it has. Any, when it is not written.
    #[expect(dead_code, reason = "the plugin is started before the module is loaded")]
    version: Option<String>,
}

/// A case of a switch.
#[derive(Debug, converge_derive::Preparer)]
#[preparer(name = "case", task = Nothing, register = false)]
pub(crate) struct CaseType {}

/// What a module exports.
#[derive(Debug, converge_derive::Export)]
pub(crate) struct ModuleExports {
    /// The values of its parameters, by name.
    #[export]
    params: IndexMap<String, Value>,
    /// The values of its outputs, by name.
    #[export]
    output: IndexMap<String, Value>,
}

/// Exports nothing.
#[derive(Debug, converge_derive::Export)]
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
