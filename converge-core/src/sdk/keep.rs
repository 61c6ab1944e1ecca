//! What a resource keeps from run to run.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::sdk::error::{Error, Result};
use crate::types::id::NodeId;
use crate::types::value::Secret;

/// The longest text that is kept, in bytes.
const LONGEST: usize = 64 << 10;

/// Keeps one text for each resource. The text may be a secret.
#[async_trait]
pub(crate) trait KeepTexts: fmt::Debug + Send + Sync {
    /// The text of a resource; `None` when there is none.
    async fn get(&self, of: &NodeId) -> Result<Option<String>>;

    /// Keeps a text in the place of the one before. It has reached the disk when this returns.
    async fn put(&self, of: &NodeId, text: &str) -> Result<()>;

    /// Keeps nothing any more.
    async fn forget(&self, of: &NodeId) -> Result<()>;
}

/// Where what a resource keeps is.
#[derive(Clone, Debug)]
pub(crate) enum KeepPlace {
    /// Nowhere, as its type does not say that it keeps anything.
    Unsaid,
    /// Nowhere, as the run has no state.
    NoState,
    /// Nowhere, as the type is one of a plugin.
    #[cfg(feature = "plugin")]
    Plugin,
    /// Here, for this resource.
    At(Arc<dyn KeepTexts>, NodeId),
}

/// One text that a resource keeps from run to run, in the state of the run: see [`Context::keep`](crate::Context::keep).
///
/// # Guarantees
///
/// - It belongs to the resource, by the root module and the id: no other resource, module or [owner](crate::state::Owner) sees it.
/// - It is in a file of its own, which only the user that runs the program may read, and which is the old one or the new one after a crash at any
///   moment. It is the new one when [`put`](Self::put) has returned.
/// - Of applies with a [state](crate::engine::Engine::with_state_folder) one at a time may change it.
///
/// # Caveats
///
/// It stays when the resource is removed from the module. A module whose file has another path is another module. It is not encrypted.
#[derive(Debug)]
pub struct Keep<'c> {
    place: &'c KeepPlace,
    is_apply: bool,
}

impl<'c> Keep<'c> {
    /// What is kept there, as an apply sees it, or a plan.
    pub(crate) fn new(place: &'c KeepPlace, is_apply: bool) -> Self {
        Self { place, is_apply }
    }

    /// What is kept; `None` when nothing is, as in a plan before the first apply.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or an apply has nowhere to keep anything: so that a check fails before something is made of it.
    pub async fn get(&self) -> Result<Option<Secret<String>>> {
        match self.place {
            KeepPlace::At(texts, of) => Ok(texts.get(of).await?.map(Secret::new)),
            // An apply may have a state.
            KeepPlace::NoState if !self.is_apply => Ok(None),
            place => Err(place.refusal()),
        }
    }

    /// Keeps a text in the place of the one before. Call it before anything else gets to see what the text says.
    ///
    /// # Errors
    ///
    /// When it cannot be written, has more than 64 KiB, or this is a plan, which changes nothing.
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

    /// Keeps nothing any more. That there is nothing is no error.
    ///
    /// # Errors
    ///
    /// When what is kept cannot be removed, or this is a plan.
    pub async fn forget(&self) -> Result<()> {
        self.may_change()?;
        match self.place {
            KeepPlace::At(texts, of) => texts.forget(of).await,
            place => Err(place.refusal()),
        }
    }

    fn may_change(&self) -> Result<()> {
        if self.is_apply { Ok(()) } else { Err(Error::msg("a plan changes nothing of what is kept")) }
    }
}

impl KeepPlace {
    fn refusal(&self) -> Error {
        Error::msg(match self {
            Self::NoState => {
                "there is nowhere to keep a value until the next run: this run has no state; name a folder with `--state-dir`, or give the engine \
                 one (`Engine::with_state_folder`)"
            }
            #[cfg(feature = "plugin")]
            Self::Plugin => "a type of a plugin keeps nothing: that is for types of the program itself",
            Self::Unsaid | Self::At(..) => {
                "its type does not say that it keeps anything: write `const KEEPS: bool = true;` in its `impl Resource`"
            }
        })
    }
}
