//! The standard library: one table for each family, and what a function gets and gives.
//!
//! A function is described once, in its table: how it is called, what it does, an example that the tests
//! evaluate, how many arguments it takes, and how far it looks into them.

mod choice;
mod collections;
mod conversion;
mod encoding;
mod files;
mod format;
mod hash;
mod lists;
mod numbers;
mod pattern;
mod strings;
mod yaml;

use std::sync::Arc;

use indexmap::IndexMap;

use super::convert::{self, Number};
use super::error::{ExpressionErrorKind as Kind, Found};
use super::held::Held;
use super::work::Work;
use crate::report::close_names;
use crate::scope::Scope;
use crate::value::Value;

/// A function of the standard library.
pub struct Function {
    pub(super) name: &'static str,
    parameters: &'static str,
    doc: &'static str,
    example: [&'static str; 2],
    pub(super) least: u8,
    /// `None`: any number.
    pub(super) most: Option<u8>,
    pub(super) flow: Flow,
    pub(super) run: Run,
    /// Whether it asks the scope, so that a call with constants is not one.
    pub(super) reads: bool,
    /// What can be said of a call when only some of its arguments are known.
    pub(super) check: Option<Check>,
}

/// Looks at a call of which only some arguments are known.
pub(super) type Check = fn(&[Option<&Value>]) -> Result<(), Failure>;

/// How a function is run.
#[derive(Clone, Copy)]
pub(super) enum Run {
    Plain(fn(&mut Args<'_>) -> Outcome),
    Try,
    Can,
}

/// How far a function looks into its arguments, which says what an unknown or a secret in them does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// At all of it: one unknown item makes the result unknown, one secret item makes it secret.
    Whole,
    /// At the arguments themselves; items are passed on as they are.
    Items,
    /// The function does it itself.
    Itself,
}

/// What a function gives. The caller marks the result as secret when what the function looked at is.
pub(super) type Outcome = Result<Value, Failure>;

/// Why a function gave nothing.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    /// The argument that is at fault.
    pub(super) argument: Option<usize>,
}

impl From<Kind> for Failure {
    fn from(kind: Kind) -> Self {
        Self { kind, argument: None }
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A name stands for one function only.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Function {
    /// A function of one argument. What it does follows.
    const fn new(
        name: &'static str,
        parameters: &'static str,
        doc: &'static str,
        example: [&'static str; 2],
    ) -> Self {
        Self {
            name,
            parameters,
            doc,
            example,
            least: 1,
            most: Some(1),
            flow: Flow::Whole,
            run: Run::Can,
            reads: false,
            check: None,
        }
    }

    /// How many arguments there are; one, when nothing is said.
    const fn takes(mut self, least: u8, most: u8) -> Self {
        self.least = least;
        self.most = Some(most);
        self
    }

    const fn takes_any(mut self, least: u8) -> Self {
        self.least = least;
        self.most = None;
        self
    }

    /// It looks at all of its arguments.
    const fn whole(self, run: fn(&mut Args<'_>) -> Outcome) -> Self {
        self.flowing(Flow::Whole, Run::Plain(run))
    }

    /// It passes the items of its arguments on.
    const fn items(self, run: fn(&mut Args<'_>) -> Outcome) -> Self {
        self.flowing(Flow::Items, Run::Plain(run))
    }

    const fn flowing(mut self, flow: Flow, run: Run) -> Self {
        self.flow = flow;
        self.run = run;
        self
    }

    const fn reads(mut self) -> Self {
        self.reads = true;
        self
    }

    const fn checked(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How it is called: `join(separator, list..)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.parameters)
    }

    /// What it gives, in one sentence.
    pub const fn doc(&self) -> &'static str {
        self.doc
    }

    /// A call, and the value that it gives.
    pub const fn example(&self) -> (&'static str, &'static str) {
        (self.example[0], self.example[1])
    }
}

/// The families, in the order of the documentation.
static FAMILIES: [&[Function]; 10] = [
    strings::FUNCTIONS,
    format::FUNCTIONS,
    pattern::FUNCTIONS,
    lists::FUNCTIONS,
    collections::FUNCTIONS,
    numbers::FUNCTIONS,
    conversion::FUNCTIONS,
    encoding::FUNCTIONS,
    files::FUNCTIONS,
    choice::FUNCTIONS,
];

/// Every function that expressions can call.
///
/// ```
/// let upper = converge_core::expression::functions().find(|function| function.name() == "upper");
/// assert_eq!(upper.map(|upper| upper.signature()).as_deref(), Some("upper(string)"));
/// ```
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The function of a name, or names like it.
pub(super) fn find(name: &str) -> Result<&'static Function, Vec<String>> {
    functions().find(|function| function.name == name).ok_or_else(|| {
        let names = functions().map(|function| function.name);
        close_names(name, names).into_iter().map(str::to_owned).collect()
    })
}

/// The arguments of one call. Neither they are unknown, nor what is in them when the function looks there.
pub(super) struct Args<'c> {
    function: &'static str,
    values: Vec<Held<'c>>,
    scope: &'c dyn Scope,
    work: &'c Work,
}

impl<'c> Args<'c> {
    pub(super) fn new(
        function: &'static str,
        values: Vec<Held<'c>>,
        scope: &'c dyn Scope,
        work: &'c Work,
    ) -> Self {
        Self { function, values, scope, work }
    }

    fn count(&self) -> usize {
        self.values.len()
    }

    /// The argument at `index`; null when there is none.
    fn get(&self, index: usize) -> &Value {
        const NULL: &Value = &Value::Null;
        self.values.get(index).map_or(NULL, |held| held)
    }

    /// The argument at `index` as one's own; it is null from then on.
    fn take(&mut self, index: usize) -> Result<Value, Failure> {
        let Some(place) = self.values.get_mut(index) else { return Ok(Value::Null) };
        Ok(std::mem::replace(place, Held::Owned(Value::Null)).into_owned(self.work)?)
    }

    fn text(&self, index: usize) -> Result<Arc<str>, Failure> {
        let text = convert::text(self.get(index)).ok_or_else(|| self.wrong(index, "a string"))?;
        self.work.spend_bytes(text.len())?;
        Ok(text)
    }

    fn number(&self, index: usize) -> Result<Number, Failure> {
        convert::number(self.get(index)).ok_or_else(|| self.wrong(index, "a number"))
    }

    fn int(&self, index: usize) -> Result<i64, Failure> {
        match convert::number(self.get(index)) {
            Some(Number::Int(value)) => Ok(value),
            _ => Err(self.wrong(index, "a whole number")),
        }
    }

    fn list(&self, index: usize) -> Result<&[Value], Failure> {
        match self.get(index) {
            Value::List(items) => Ok(items),
            _ => Err(self.wrong(index, "a list")),
        }
    }

    fn map(&self, index: usize) -> Result<&IndexMap<String, Value>, Failure> {
        match self.get(index) {
            Value::Map(items) => Ok(items),
            _ => Err(self.wrong(index, "a map")),
        }
    }

    fn take_list(&mut self, index: usize) -> Result<Vec<Value>, Failure> {
        self.list(index)?;
        match self.take(index)? {
            Value::List(items) => Ok(items),
            _ => Ok(Vec::new()),
        }
    }

    fn take_map(&mut self, index: usize) -> Result<IndexMap<String, Value>, Failure> {
        self.map(index)?;
        match self.take(index)? {
            Value::Map(items) => Ok(items),
            _ => Ok(IndexMap::new()),
        }
    }

    /// The items of a list as text.
    fn texts(&self, index: usize) -> Result<Vec<Arc<str>>, Failure> {
        let items = self.list(index)?;
        self.work.spend_text(self.get(index))?;
        let texts = items.iter().enumerate().map(|(at, item)| {
            convert::text(item).ok_or_else(|| {
                self.refuse_at(index, format!("the item {at} must be a string, not {}", item.kind()))
            })
        });
        texts.collect()
    }

    /// The failure of an argument that is not what the function needs.
    fn wrong(&self, index: usize, expected: &'static str) -> Failure {
        wrong(self.function, index, expected, convert::found(self.get(index)))
    }

    /// A failure in the function's own words.
    fn refuse(&self, message: impl Into<String>) -> Failure {
        Kind::Call { function: self.function, message: message.into() }.into()
    }

    /// The same, about one argument.
    fn refuse_at(&self, index: usize, message: impl Into<String>) -> Failure {
        Failure { argument: Some(index), ..self.refuse(message) }
    }
}

fn wrong(function: &'static str, index: usize, expected: &'static str, found: Found) -> Failure {
    Failure { kind: Kind::Argument { function, expected, found }, argument: Some(index) }
}

/// A length as a value.
fn length(length: usize) -> Value {
    Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
}

/// A list of texts.
fn list_of<T: Into<Arc<str>>>(texts: impl IntoIterator<Item = T>) -> Value {
    Value::List(texts.into_iter().map(Value::string).collect())
}
