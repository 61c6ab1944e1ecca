//! What is known while a module is loaded: its parameters, and what can be computed from them.
//!
//! Parameters are declared here as they become known, from the outermost module inwards; each is evaluated
//! once, when something first asks for it. What only a run can know (lookups, the machine) is unknown.

mod check;
mod gates;
mod scope;
#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::scope::{Names, StaticScope};
use super::{Purpose, param, source};
use crate::evaluate::Evaluator;
use crate::graph::{Attribute, Input, Node, NodeId, ParamRules, Site};
use crate::report::{Diagnostic, SourceMap};
use crate::schema::Kind;
use crate::system::Platform;
use crate::template::ReferenceTarget;
use crate::value::Value;
pub(super) use check::check;

/// How deep parameters may refer to each other by names that are computed. Names that are written are followed
/// without a limit, as they need no recursion.
const MAX_COMPUTED: usize = 16;

/// The parameters of all modules of a load, and the files that expressions read.
pub(super) struct Statics {
    purpose: Purpose,
    params: HashMap<NodeId, Param>,
    files: RefCell<HashMap<PathBuf, Result<Arc<str>, String>>>,
    /// How deep the evaluation of parameters with computed names is.
    depth: Cell<usize>,
    /// Stands for the machine, which is not known.
    nowhere: Platform,
}

/// A parameter of one use of a module.
struct Param {
    rules: Option<Arc<ParamRules>>,
    attributes: Arc<Vec<Attribute>>,
    site: Arc<Site>,
    is_open: Cell<bool>,
    result: OnceCell<Outcome>,
}

/// What became of an evaluation.
enum Outcome {
    /// A value, which may be unknown.
    Value(Value),
    /// There is none: for these reasons, or for one that is reported elsewhere.
    Wrong(Vec<Diagnostic>),
}

/// A step of the way through parameters that refer to each other.
enum Step<'a> {
    Enter(&'a Param),
    Leave(&'a Param),
}

impl Statics {
    /// Nothing is known yet.
    pub(super) fn new(purpose: Purpose) -> Self {
        Self {
            purpose,
            params: HashMap::new(),
            files: RefCell::default(),
            depth: Cell::new(0),
            nowhere: Platform::default(),
        }
    }

    /// Makes a parameter known, with the value that it was given: its node is what it will be in the graph. Other
    /// nodes are left alone.
    pub(super) fn declare(&mut self, node: &Node) {
        if !param::is_param(node) {
            return;
        }
        let param = Param {
            rules: node.meta.as_ref().and_then(|meta| meta.param.rules.clone()),
            attributes: Arc::clone(&node.attributes),
            site: Arc::clone(&node.site),
            is_open: Cell::new(false),
            result: OnceCell::new(),
        };
        self.params.insert(node.id.clone(), param);
    }

    /// The value of an input that is written at `site`, for a field of this kind, as far as it is known; for
    /// what shapes the graph, such as `for_each`.
    ///
    /// A parameter that does not exist is an error here, as nothing else looks at such an input.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the input. Nothing, when it has no value because of a mistake that is
    /// reported where it is: a parameter without a value, or with a wrong one.
    pub(super) fn evaluate(
        &self,
        input: &Input,
        kind: &Kind,
        site: &Site,
        sources: &SourceMap,
    ) -> Result<Value, Vec<Diagnostic>> {
        self.settle(input, site, sources);
        match Self::outcome(input, kind, &StaticScope::new(self, site, sources, Names::Open)) {
            Outcome::Value(value) => Ok(value),
            Outcome::Wrong(diagnostics) => Err(diagnostics),
        }
    }

    fn outcome(input: &Input, kind: &Kind, scope: &StaticScope<'_>) -> Outcome {
        let mut evaluator = Evaluator::new(scope, scope.sources(), None);
        match evaluator.input(input, kind) {
            // An unknown that a mistake left behind would be taken for one that a run makes known.
            Some(value) if scope.saw_mistake() && value.find_unknown().is_some() => {
                Outcome::Wrong(Vec::new())
            }
            Some(value) => Outcome::Value(value),
            None => Outcome::Wrong(evaluator.into_diagnostics()),
        }
    }

    /// The parameter of this name in the module of a site.
    fn param(&self, site: &Site, name: &str) -> Option<&Param> {
        self.params.get(&*site.module.id.param(name))
    }

    /// Evaluates the parameters that an input refers to, and the ones that these refer to, each after the ones
    /// that it needs. A loop, so that no chain of parameters is too long for it.
    fn settle(&self, input: &Input, site: &Site, sources: &SourceMap) {
        let mut steps = Vec::new();
        self.enter(input, site, &mut steps);
        self.walk(steps, sources);
    }

    /// Evaluates all parameters.
    fn settle_all(&self, sources: &SourceMap) {
        self.walk(self.params.values().map(Step::Enter).collect(), sources);
    }

    fn walk<'a>(&'a self, mut steps: Vec<Step<'a>>, sources: &SourceMap) {
        while let Some(step) = steps.pop() {
            match step {
                // One that is open is in a cycle, which is reported when the graph is linked.
                Step::Enter(param) if param.is_open.get() || param.result.get().is_some() => {}
                Step::Enter(param) => {
                    param.is_open.set(true);
                    steps.push(Step::Leave(param));
                    if let Some(input) = param::value(&param.attributes) {
                        self.enter(input, &param.site, &mut steps);
                    }
                }
                Step::Leave(param) => {
                    let outcome = self.value_of(param, sources);
                    param.is_open.set(false);
                    param.result.get_or_init(|| outcome);
                }
            }
        }
    }

    /// Adds the parameters that an input refers to.
    fn enter<'a>(&'a self, input: &Input, site: &Site, steps: &mut Vec<Step<'a>>) {
        input.for_each_leaf(&mut |leaf| {
            let names = leaf.own_references().iter().filter_map(|reference| match &reference.target {
                ReferenceTarget::Param(name) => self.param(site, name),
                _ => None,
            });
            steps.extend(names.map(Step::Enter));
        });
    }

    /// The value of a parameter; the ones that it refers to have been evaluated.
    fn value_of(&self, param: &Param, sources: &SourceMap) -> Outcome {
        match (param::value(&param.attributes), self.purpose) {
            (Some(input), _) => {
                let scope = StaticScope::new(self, &param.site, sources, Names::Linked);
                match (Self::outcome(input, &Kind::Any, &scope), &param.rules) {
                    // A value that is refused is reported when everything is checked.
                    (Outcome::Value(value), Some(rules)) => {
                        rules.take(value).map_or_else(|_| Outcome::Wrong(Vec::new()), Outcome::Value)
                    }
                    (outcome, _) => outcome,
                }
            }
            (None, Purpose::Run) => Outcome::Wrong(Vec::new()),
            (None, Purpose::Inspect) => Outcome::Value(Value::unknown("a value that is given when it runs")),
        }
    }

    /// The result for a parameter, which is evaluated first if a computed name leads to it.
    fn result<'a>(&'a self, param: &'a Param, sources: &SourceMap) -> Option<&'a Outcome> {
        if param.result.get().is_none() && !param.is_open.get() && self.depth.get() < MAX_COMPUTED {
            self.depth.set(self.depth.get() + 1);
            self.walk(vec![Step::Enter(param)], sources);
            self.depth.set(self.depth.get() - 1);
        }
        param.result.get()
    }

    /// The text of a file; each is read once.
    fn read(&self, directory: &Path, name: &str) -> Result<Arc<str>, String> {
        let path = directory.join(name);
        if let Some(have) = self.files.borrow().get(&path) {
            return have.clone();
        }
        let text = source::read_text(Some(directory), name).map_err(|error| error.to_string());
        self.files.borrow_mut().insert(path, text.clone());
        text
    }
}
