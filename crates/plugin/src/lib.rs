//! Resource types in external programs: the protocol, the side of the author and the side of the host.
//!
//! This crate owns everything about plugins. It knows the SDK, and neither modules nor the engine. It promises nothing by
//! itself: only `converge-sdk` and `converge-core` are API.
//!
//! A *plugin* is an executable that provides resource types. A *host*, such as the command `converge`, starts
//! it and asks for the descriptions of its types. The host then has the plugin prepare, check and apply
//! resources of these types. Both exchange lines of JSON over the standard streams of the plugin, as
//! `docs/reference/plugin-protocol.md` describes. A plugin may be written in any language.
//!
//! A plugin does not change the machine itself. It asks its host, which works on the
//! `System` of the run. A plugin therefore works the same in a plan, on the model
//! host of tests and on a remote machine.
//!
//! The side of the author is [`plugin!`] and [`serve`]. The side of the program that runs plugins is [`Plugin`] and
//! [`PluginSearch`].
//!
//! See the guide.

#[cfg(feature = "testing")]
mod fuzz_input;
mod host;
mod protocol;
mod serve;

#[cfg(feature = "testing")]
#[doc(hidden)]
pub use fuzz_input::hear;
pub use host::{Plugin, PluginError, PluginFile, PluginLimits, PluginOrigin, PluginSearch, Problem};
pub use serve::{ServeError, serve, serve_types};

#[doc(hidden)]
pub use converge_sdk::Registry;
use converge_sdk::{self as sdk, system};
use converge_value::{redact, types};

/// The prefix of plugin file names, which the name of the plugin follows: `converge-plugin-acme`.
pub const PREFIX: &str = "converge-plugin-";

/// Makes a plugin of resource types: the `main` of its program.
///
/// ```
/// # mod acme {
/// #     use converge_core::prelude::*;
/// #     /// A resource.
/// #     #[derive(Debug, Preparer)]
/// #     #[preparer(name = "acme.site", task = SiteTask, register = false)]
/// #     pub struct Site {}
/// #     impl Resource for Site {
/// #         async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<SiteTask> { Ok(SiteTask {}) }
/// #     }
/// #     /// Its task.
/// #     #[derive(Debug, Export)]
/// #     pub struct SiteTask {}
/// #     impl Task for SiteTask {
/// #         async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> { Ok(Status::new()) }
/// #         async fn apply(&mut self, _: &Context) -> Result<Status> { Ok(Status::new()) }
/// #     }
/// # }
/// # mod program {
/// # use super::acme;
/// converge_core::plugin!(acme::Site);
/// # }
/// # fn main() {}
/// ```
///
/// The version of the plugin is the version of the crate that calls the macro.
#[macro_export]
macro_rules! plugin {
    ($($resource:ty),+ $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            let registry = $crate::Registry::builder()$(.with::<$resource>())+.build();
            $crate::serve_types(registry, ::std::env!("CARGO_PKG_VERSION"))
        }
    };
}
