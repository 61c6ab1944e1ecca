//! The selection of the part of a module that a run works on.

use clap::Args;
use converge_core::engine::Run;
use converge_core::graph::{Graph, NodeId, Tag};
use converge_core::view::explain::find_id;

use crate::error::CliError;

/// The resources to select and to skip.
#[derive(Debug, Default, Args)]
pub(crate) struct SelectionArgs {
    /// Work only on this resource, module or switch, and on what it needs. May be repeated
    #[arg(long = "target", value_name = "ID")]
    targets: Vec<String>,

    /// Work only on resources that have one of these tags, and on what they need
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tags: Vec<Tag>,

    /// Leave out this resource, module or switch, and all that read a value of it; those that only wait for
    /// it still run. May be repeated
    #[arg(long = "skip", value_name = "ID")]
    skips: Vec<String>,

    /// Leave out resources that have one of these tags, as with `--skip`
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    skip_tags: Vec<Tag>,
}

/// The selection, resolved in one graph.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    targets: Vec<NodeId>,
    tags: Vec<Tag>,
    skips: Vec<NodeId>,
    skip_tags: Vec<Tag>,
}

impl SelectionArgs {
    /// Returns the name of the first option that is set.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let options = [
            (self.targets.is_empty(), "--target"),
            (self.tags.is_empty(), "--tags"),
            (self.skips.is_empty(), "--skip"),
            (self.skip_tags.is_empty(), "--skip-tags"),
        ];
        options.into_iter().find(|(is_left_out, _)| !is_left_out).map(|(_, option)| option)
    }

    /// Resolves the selection in a graph.
    pub(crate) fn resolve(&self, graph: &Graph) -> Result<Selected, CliError> {
        let ids = |names: &[String]| -> Result<Vec<NodeId>, CliError> {
            names.iter().map(|name| Ok(find_id(graph, name)?)).collect()
        };
        Ok(Selected {
            targets: ids(&self.targets)?,
            tags: self.tags.clone(),
            skips: ids(&self.skips)?,
            skip_tags: self.skip_tags.clone(),
        })
    }
}

impl Selected {
    /// Restricts a run to the selection.
    pub(crate) fn restrict<T, E>(self, run: Run<T, E>) -> Run<T, E> {
        let Self { targets, tags, skips, skip_tags } = self;
        let run = targets.into_iter().fold(run, Run::target);
        let run = tags.into_iter().fold(run, Run::tag);
        let run = skips.into_iter().fold(run, Run::skip);
        skip_tags.into_iter().fold(run, Run::skip_tag)
    }
}
