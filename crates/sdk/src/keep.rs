//! The text that a resource keeps between runs.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::error::{Error, Result};
use crate::types::id::NodeId;
use crate::types::value::Secret;

/// The maximum length of a kept text in bytes.
const LONGEST: usize = 64 << 10;

/// A store of one text per resource.
///
/// A text may be a secret.
#[async_trait]
#[doc(hidden)]
pub trait KeepTexts: fmt::Debug + Send + Sync {
    /// Returns the text of a resource, or `None` if there is none.
    async fn get(&self, node_id: &NodeId) -> Result<Option<String>>;

    /// Stores a text and replaces the previous one.
    ///
    /// The text is on disk when this returns.
    async fn put(&self, node_id: &NodeId, text: &str) -> Result<()>;

    /// Removes the text of a resource.
    async fn forget(&self, node_id: &NodeId) -> Result<()>;
}

/// The place where the text of a resource is kept.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub enum KeepPlace {
    /// There is no place, because the type does not declare that it keeps a text.
    Undeclared,
    /// There is no place, because the run has no state.
    NoState,
    /// There is no place, because the type is part of a plugin.
    Plugin,
    /// The store and the id of the resource.
    At(Arc<dyn KeepTexts>, NodeId),
}

/// The text that a resource keeps between runs, in the state of the run.
///
/// See [`Context::keep`](crate::Context::keep).
///
/// # Guarantees
///
/// - The text belongs to the resource, identified by root module and id. No other resource, module or
///   owner sees it.
/// - The text is in its own file, which only the user that runs the program may read. After a crash the file
///   holds the old or the new text. Once [`put`](Self::put) has returned, it holds the new one.
/// - Of several applies with a state, only one at a time may
///   change the text.
///
/// # Caveats
///
/// The text stays when the resource is removed from the module. A module at another path counts as another
/// module. The text is not encrypted.
#[derive(Debug)]
pub struct Keep<'c> {
    place: &'c KeepPlace,
    is_apply: bool,
}

impl<'c> Keep<'c> {
    /// Creates access to a kept text, for an apply or for a plan.
    pub(crate) fn new(place: &'c KeepPlace, is_apply: bool) -> Self {
        Self { place, is_apply }
    }

    /// Returns the kept text, or `None` if there is none, as in a plan before the first apply.
    ///
    /// # Errors
    ///
    /// If the text cannot be read. Also if an apply has no place to keep a text, so that the check fails
    /// before anything is created.
    pub async fn get(&self) -> Result<Option<Secret<String>>> {
        match self.place {
            KeepPlace::At(texts, of) => Ok(texts.get(of).await?.map(Secret::new)),
            // The apply that follows this plan may have a state.
            KeepPlace::NoState if !self.is_apply => Ok(None),
            place => Err(place.refusal()),
        }
    }

    /// Keeps a text and replaces the previous one.
    ///
    /// Call this before the text is used anywhere.
    ///
    /// # Errors
    ///
    /// If the text cannot be written, is longer than 64 KiB, or this is a plan, which changes nothing.
    pub async fn put(&self, text: &Secret<String>) -> Result<()> {
        self.may_change()?;
        if text.expose().len() > LONGEST {
            return Err(Error::msg(format!("no more than {LONGEST} bytes are kept for a resource")));
        }
        match self.place {
            KeepPlace::At(texts, of) => texts.put(of, text.expose()).await,
            place => Err(place.refusal()),
        }
    }

    /// Removes the kept text.
    ///
    /// A missing text is no error.
    ///
    /// # Errors
    ///
    /// If the text cannot be removed, or this is a plan.
    pub async fn forget(&self) -> Result<()> {
        self.may_change()?;
        match self.place {
            KeepPlace::At(texts, of) => texts.forget(of).await,
            place => Err(place.refusal()),
        }
    }

    fn may_change(&self) -> Result<()> {
        if self.is_apply { Ok(()) } else { Err(Error::msg("a plan cannot change stored values")) }
    }
}

impl KeepPlace {
    fn refusal(&self) -> Error {
        Error::msg(match self {
            Self::NoState => {
                "a value cannot be kept for the next run: this run has no state; name a folder with `--state-dir`, or give the engine \
                 one (`Engine::with_state_folder`)"
            }
            Self::Plugin => "a type of a plugin keeps nothing: that is for types of the program itself",
            Self::Undeclared | Self::At(..) => {
                "its type does not say that it keeps anything: write `const KEEPS: bool = true;` in its `impl Resource`"
            }
        })
    }
}
