//! Application state: values that a program shares with its resources.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The state of an application: values that resources work with, such as a store, a client or a cache.
///
/// There is at most one value of each type. A program passes the state to the engine with
/// `Engine::with_app_state`. A resource gets a value by its type
/// with [`Context::state`](crate::Context::state). No state is global: two engines in one process have
/// separate states, or share one, as a clone shares its values.
///
/// ```
/// use converge_core::AppState;
///
/// struct Store(Vec<String>);
///
/// let state = AppState::new().with(Store(vec!["web".to_owned()]));
/// assert_eq!(state.get::<Store>()?.0, ["web"]);
/// let missing = state.get::<u16>().unwrap_err().to_string();
/// assert_eq!(missing, "the program gives no state of type `u16`: add it with `AppState::with`, and give that to `Engine::with_app_state` and `Loader::with_app_state`");
/// # Ok::<(), converge_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct AppState {
    values: Option<Arc<HashMap<TypeId, Entry>>>,
}

#[derive(Clone)]
struct Entry {
    type_name: &'static str,
    value: Arc<dyn Any + Send + Sync>,
}

impl AppState {
    /// Creates an empty state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value, and replaces a value of the same type.
    ///
    /// If the program has the value in an `Arc`, use [`with_shared`](Self::with_shared). Added here, its type
    /// would be `Arc<T>`.
    pub fn with<T: Any + Send + Sync>(self, value: T) -> Self {
        self.with_shared(Arc::new(value))
    }

    /// Adds a value that the program continues to use, and replaces a value of the same type.
    pub fn with_shared<T: Any + Send + Sync>(mut self, value: Arc<T>) -> Self {
        let entry = Entry { type_name: type_name::<T>(), value };
        Arc::make_mut(self.values.get_or_insert_default()).insert(TypeId::of::<T>(), entry);
        self
    }

    /// Returns the value of a type.
    ///
    /// # Errors
    ///
    /// If there is no value of the type.
    pub fn get<T: Any + Send + Sync>(&self) -> Result<&T, MissingState> {
        let value = self.entry::<T>().and_then(|entry| entry.value.downcast_ref());
        value.ok_or_else(|| self.missing::<T>())
    }

    /// Returns the value of a type as an `Arc`, for use by another task or thread.
    ///
    /// # Errors
    ///
    /// If there is no value of the type.
    pub fn get_shared<T: Any + Send + Sync>(&self) -> Result<Arc<T>, MissingState> {
        let value = self.entry::<T>().and_then(|entry| Arc::clone(&entry.value).downcast().ok());
        value.ok_or_else(|| self.missing::<T>())
    }

    fn entry<T: Any>(&self) -> Option<&Entry> {
        self.values.as_ref()?.get(&TypeId::of::<T>())
    }

    fn missing<T: Any>(&self) -> MissingState {
        MissingState { type_name: type_name::<T>(), in_arc: self.entry::<Arc<T>>().is_some() }
    }
}

impl fmt::Debug for AppState {
    /// Lists the types only, because values may not implement `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<_> =
            self.values.iter().flat_map(|values| values.values()).map(|entry| entry.type_name).collect();
        names.sort_unstable();
        f.debug_tuple("AppState").field(&names).finish()
    }
}

/// The error of a state without a value of the required type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program gives no state of type `{type_name}`: {}", self.help())]
pub struct MissingState {
    /// The path of the Rust type.
    pub type_name: &'static str,
    /// Whether the state has an `Arc` of the type.
    in_arc: bool,
}

impl MissingState {
    /// Returns advice on what to change in the program.
    pub fn help(&self) -> &'static str {
        if self.in_arc {
            "it gives an `Arc` of one: add that with `AppState::with_shared`"
        } else {
            "add it with `AppState::with`, and give that to `Engine::with_app_state` and `Loader::with_app_state`"
        }
    }
}

/// A type of state that a resource type needs: `#[preparer(needs = Store)]`.
#[derive(Clone, Copy)]
pub struct Need {
    type_name: fn() -> &'static str,
    missing: fn(&AppState) -> Option<MissingState>,
}

impl Need {
    /// Declares a need of a `T`.
    pub const fn for_type<T: Any + Send + Sync>() -> Self {
        Self {
            type_name: type_name::<T>,
            missing: |state| state.entry::<T>().is_none().then(|| state.missing::<T>()),
        }
    }

    /// Returns the path of the Rust type.
    pub fn type_name(&self) -> &'static str {
        (self.type_name)()
    }

    /// Returns an error if the state has no value of the type.
    pub fn missing(&self, state: &AppState) -> Option<MissingState> {
        (self.missing)(state)
    }
}

impl fmt::Debug for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Need").field(&self.type_name()).finish()
    }
}
