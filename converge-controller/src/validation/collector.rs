//! A collector of problems.

use std::borrow::Cow;

use super::error::Invalid;
use super::problem::{Cause, Problem, Step};
use crate::identity::{Id, Reference, Tenancy, Type};

/// A collector of the problems of a resource, created by [`Invalid::collect`].
#[derive(Debug, Default)]
pub struct Collector {
    problems: Vec<Problem>,
}

/// A place in a resource where a problem can be added.
#[derive(Debug)]
pub struct At<'c> {
    problems: &'c mut Vec<Problem>,
    path: Vec<Step>,
}

impl Invalid {
    /// Returns a new collector.
    pub fn collect() -> Collector {
        Collector::default()
    }
}

impl Collector {
    /// Selects the resource as a whole.
    pub fn whole(&mut self) -> At<'_> {
        At { problems: &mut self.problems, path: Vec::new() }
    }

    /// Selects a field of the data.
    pub fn field(&mut self, name: impl Into<Cow<'static, str>>) -> At<'_> {
        At { problems: &mut self.problems, path: vec![Step::Field(name.into())] }
    }

    /// Checks that the owner, if any, has one of these types.
    pub fn owner_type(&mut self, owner: Option<&Id>, expected: &[&Type]) -> &mut Self {
        if let Some(owner) = owner.filter(|owner| !expected.contains(&&owner.resource_type)) {
            let expected = expected.iter().copied().cloned().collect();
            self.whole().add(Cause::OwnerType { expected, got: owner.resource_type.clone() });
        }
        self
    }

    /// Checks that the owner, if any, is in this tenancy.
    pub fn owner_tenancy(&mut self, owner: Option<&Id>, expected: &Tenancy) -> &mut Self {
        if let Some(owner) = owner.filter(|owner| owner.tenancy != *expected) {
            let (expected, actual) = (expected.clone(), owner.tenancy.clone());
            self.whole().add(Cause::OwnerTenancy { expected, got: actual });
        }
        self
    }

    /// Finishes the collection.
    ///
    /// # Errors
    ///
    /// Returns all problems that were added.
    pub fn finish(self) -> Result<(), Invalid> {
        if self.problems.is_empty() { Ok(()) } else { Err(Invalid { problems: self.problems }) }
    }
}

impl At<'_> {
    /// Selects a field of this place.
    pub fn field(&mut self, name: impl Into<Cow<'static, str>>) -> At<'_> {
        self.step(Step::Field(name.into()))
    }

    /// Selects an element of the list at this place.
    pub fn element(&mut self, index: usize) -> At<'_> {
        self.step(Step::Element(index))
    }

    /// Selects a key of the map at this place.
    pub fn key(&mut self, key: &(impl ToString + ?Sized)) -> At<'_> {
        self.step(Step::Key(key.to_string()))
    }

    /// Selects the value of a key in the map at this place.
    pub fn value(&mut self, key: &(impl ToString + ?Sized)) -> At<'_> {
        self.step(Step::Value(key.to_string()))
    }

    fn step(&mut self, step: Step) -> At<'_> {
        let path = self.path.iter().cloned().chain([step]).collect();
        At { problems: self.problems, path }
    }

    /// Adds a problem at this place.
    pub fn add(&mut self, cause: impl Into<Cause>) {
        let (path, cause) = (self.path.clone(), cause.into());
        self.problems.push(Problem { path, cause });
    }

    /// Adds a problem at this place unless `holds`, and returns `holds`.
    pub fn require(&mut self, condition: bool, cause: impl Into<Cause>) -> bool {
        if !condition {
            self.add(cause);
        }
        condition
    }

    /// Returns the value at this place, or adds a problem if it is missing.
    pub fn present<'v, T>(&mut self, value: Option<&'v T>) -> Option<&'v T> {
        self.require(value.is_some(), Cause::Missing);
        value
    }

    /// Adds the problems that another check found in the value at this place.
    pub fn include(&mut self, result: Result<(), Invalid>) {
        if let Err(invalid) = result {
            self.problems.extend(invalid.within(&self.path));
        }
    }

    /// Checks that the reference at this place has one of these types.
    pub fn reference_type(&mut self, reference: &Reference, expected: &[&Type]) -> bool {
        let fits = expected.contains(&&reference.resource_type);
        if !fits {
            let expected = expected.iter().copied().cloned().collect();
            self.add(Cause::ReferenceType { expected, got: reference.resource_type.clone() });
        }
        fits
    }

    /// Checks that the reference at this place stays in a tenancy.
    pub fn reference_tenancy(&mut self, actual: &Tenancy, expected: &Tenancy) -> bool {
        let fits = actual == expected;
        if !fits {
            let (expected, actual) = (expected.clone(), actual.clone());
            self.add(Cause::ReferenceTenancyNotEqual { expected, got: actual });
        }
        fits
    }
}
