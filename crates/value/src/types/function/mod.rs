//! Functions that an embedding program offers to its modules.

mod callable;
mod reserved;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::types::panic_guard::guarded;
use crate::types::schema::Kind;
use crate::types::value::Value;

pub(crate) use callable::FunctionFailure;
pub use callable::{Callable, Returned};
#[doc(hidden)]
pub use reserved::RESERVED;

/// The time at which a function may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Purity {
    /// The value depends only on the arguments.
    ///
    /// The function is also called while a module is loaded, any number of times.
    Pure,
    /// The value depends on more, such as a store, the network or the time.
    ///
    /// The function is called only in a plan or an apply, and values made from its result are unknown before.
    InRun,
}

/// A function that a program offers to templates and expressions: a closure of up to four arguments.
///
/// The arguments have types that a field can have ([`FromValue`](crate::value::FromValue)). The result has a
/// type that can be exported ([`ToValue`](crate::value::ToValue)), or is a `Result` of one with an error that
/// can be displayed. Wrong arguments, errors of the function and panics in it are reported at the call. The
/// function is not called for an unknown argument, and the result for a secret argument is secret.
///
/// A function blocks the thread that calls it, and a run may call it from several threads at once. During a
/// run, a function made with [`in_run`](Self::in_run) is called on the runtime's blocking pool, where it may
/// wait. Other functions must only compute.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::Loader;
/// use converge_core::value::{ModuleFunction, Value};
///
/// let fleet_ip = ModuleFunction::pure(
///     "fleet_ip",
///     "The address of a host of the fleet.",
///     |name: String, site: u8| match name.as_str() {
///         "a" => Ok(format!("10.0.{site}.1")),
///         _ => Err(format!("there is no host {name}")),
///     },
/// );
/// assert_eq!(fleet_ip.signature(), "fleet_ip(string, integer)");
/// let registry = Registry::builder().with_function(fleet_ip).build()?;
///
/// let module = r#"
/// param "expression" { default = fleet_ip("a", 7) }
/// param "template" { default = "http://{{fleet_ip `b` 7}}/" }
/// "#;
/// let loaded = Loader::new(&registry).load_text("web.hcl", module);
/// let mistakes: Vec<_> = loaded.diagnostics.iter().map(|mistake| mistake.one_line(&loaded.sources)).collect();
/// assert_eq!(mistakes, ["web.hcl:3:40: error[template]: fleet_ip: there is no host b"]);
/// # Ok::<(), converge_core::RegistryError>(())
/// ```
#[derive(Clone)]
pub struct ModuleFunction {
    name: &'static str,
    doc: &'static str,
    purity: Purity,
    parameters: Arc<[Kind]>,
    run: Arc<dyn Fn(Vec<Value>) -> Result<Value, FunctionFailure> + Send + Sync>,
}

impl ModuleFunction {
    /// Creates a function whose value depends only on its arguments.
    ///
    /// `doc` describes the value in one sentence.
    ///
    /// The function is also called while a module is loaded, so that errors are found early.
    pub fn pure<A>(name: &'static str, doc: &'static str, function: impl Callable<A>) -> Self {
        Self::new(name, doc, Purity::Pure, function)
    }

    /// Creates a function whose value depends on more than its arguments.
    ///
    /// `doc` describes the value in one sentence.
    ///
    /// The function is called only in plans and applies. Its value is unknown while a module is loaded, so
    /// `for_each` and other fields that must be known then cannot use it.
    pub fn in_run<A>(name: &'static str, doc: &'static str, function: impl Callable<A>) -> Self {
        Self::new(name, doc, Purity::InRun, function)
    }

    fn new<A>(name: &'static str, doc: &'static str, purity: Purity, function: impl Callable<A>) -> Self {
        let parameters = parameters_of(&function);
        Self { name, doc, purity, parameters, run: Arc::new(move |arguments| function.call_with(arguments)) }
    }

    /// Returns the name in modules.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the description of the value, one sentence.
    pub fn doc(&self) -> &'static str {
        self.doc
    }

    /// Returns the time at which the function may be called.
    pub fn purity(&self) -> Purity {
        self.purity
    }

    /// Returns the kinds of the parameters.
    pub fn parameters(&self) -> &[Kind] {
        &self.parameters
    }

    /// Returns the form of a call in an expression: `fleet_ip(string)`.
    pub fn signature(&self) -> String {
        let word = |kind: &Kind| {
            let words = kind.to_string();
            let noun = words.strip_prefix("a ").or_else(|| words.strip_prefix("an "));
            noun.map_or_else(|| words.clone(), str::to_owned)
        };
        let parameters: Vec<String> = self.parameters.iter().map(word).collect();
        format!("{}({})", self.name, parameters.join(", "))
    }

    #[doc(hidden)]
    pub fn problem(&self) -> Option<String> {
        let is_name = self.name.starts_with(|first: char| first.is_ascii_alphabetic())
            && self.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            return Some("a name is made of a-z, A-Z, 0-9 and _, and begins with a letter".to_owned());
        }
        if RESERVED.binary_search(&self.name).is_ok() {
            return Some("the module language has that name for itself".to_owned());
        }
        self.doc.trim().is_empty().then(|| "say in one sentence what it gives".to_owned())
    }

    /// Calls the function with known arguments of the correct number.
    #[doc(hidden)]
    pub fn call(&self, arguments: Vec<Value>) -> Result<Value, FunctionFailure> {
        guarded(|| (self.run)(arguments)).unwrap_or_else(|panic| {
            Err(FunctionFailure { argument: None, message: format!("the function panicked: {panic}") })
        })
    }
}

fn parameters_of<A, F: Callable<A>>(_: &F) -> Arc<[Kind]> {
    F::parameters().into()
}

impl fmt::Debug for ModuleFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModuleFunction({})", self.signature())
    }
}

/// The functions of a program, by name. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ModuleFunctions(Option<Arc<BTreeMap<&'static str, Arc<ModuleFunction>>>>);

impl ModuleFunctions {
    #[doc(hidden)]
    pub const NONE: &'static Self = &Self(None);

    /// Adds a function and returns whether its name was free.
    #[doc(hidden)]
    pub fn insert(&mut self, function: ModuleFunction) -> bool {
        let functions = Arc::make_mut(self.0.get_or_insert_default());
        let is_new = !functions.contains_key(function.name);
        if is_new {
            functions.insert(function.name, Arc::new(function));
        }
        is_new
    }

    /// Returns the function with a name.
    pub fn get(&self, name: &str) -> Option<&Arc<ModuleFunction>> {
        self.0.as_ref()?.get(name)
    }

    /// Returns all functions, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ModuleFunction>> {
        self.0.iter().flat_map(|functions| functions.values())
    }

    #[doc(hidden)]
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().flat_map(|functions| functions.keys().copied())
    }
}
