//! The commands, one module each, with their arguments.

mod apply;
mod docs;
#[cfg(feature = "http")]
mod events;
mod explain;
mod fmt;
mod graph;
mod healthcheck;
#[cfg(feature = "http")]
mod history;
#[cfg(feature = "lsp")]
mod lsp;
#[cfg(feature = "git")]
mod modules;
mod new;
#[cfg(feature = "http")]
mod node;
mod output;
mod plan;
#[cfg(feature = "plugins")]
mod plugins;
#[cfg(feature = "http")]
mod resource;
#[cfg(feature = "http")]
mod rollout;
mod run;
#[cfg(feature = "http")]
mod secret;
mod show;
#[cfg(feature = "http")]
mod token;
#[cfg(feature = "http")]
mod types;
mod validate;

pub(crate) use self::apply::ApplyArgs;
pub(crate) use self::docs::DocsArgs;
#[cfg(feature = "http")]
pub(crate) use self::events::EventsArgs;
pub(crate) use self::explain::ExplainArgs;
pub(crate) use self::fmt::FmtArgs;
pub(crate) use self::graph::GraphArgs;
pub(crate) use self::healthcheck::HealthcheckArgs;
#[cfg(feature = "http")]
pub(crate) use self::history::HistoryArgs;
#[cfg(feature = "lsp")]
pub(crate) use self::lsp::LspArgs;
#[cfg(feature = "git")]
pub(crate) use self::modules::ModulesArgs;
pub(crate) use self::new::NewArgs;
#[cfg(feature = "http")]
pub(crate) use self::node::NodeArgs;
pub(crate) use self::output::OutputArgs;
pub(crate) use self::plan::PlanArgs;
#[cfg(feature = "plugins")]
pub(crate) use self::plugins::PluginsArgs;
#[cfg(feature = "http")]
pub(crate) use self::resource::ResourceArgs;
#[cfg(feature = "http")]
pub(crate) use self::rollout::RolloutArgs;
#[cfg(feature = "http")]
pub(crate) use self::secret::SecretArgs;
pub(crate) use self::show::ShowArgs;
#[cfg(feature = "http")]
pub(crate) use self::token::TokenArgs;
#[cfg(feature = "http")]
pub(crate) use self::types::TypeArgs;
pub(crate) use self::validate::ValidateArgs;
