//! Collecting mistakes.

use std::borrow::Cow;

use super::error::Invalid;
use super::problem::{Cause, Problem, Step};
use crate::identity::{Id, Reference, Tenancy, Type};

/// Collects what is wrong with a resource; made by [`Invalid::collect`].
#[derive(Debug, Default)]
pub struct Collector {
    problems: Vec<Problem>,
}

/// A place in a resource, where something may be wrong.
#[derive(Debug)]
pub struct At<'c> {
    problems: &'c mut Vec<Problem>,
    path: Vec<Step>,
}

impl Invalid {
    /// Collects what is wrong.
    pub fn collect() -> Collector {
        Collector::default()
    }
}

impl Collector {
    /// The resource as a whole.
    pub fn whole(&mut self) -> At<'_> {
        At { problems: &mut self.problems, path: Vec::new() }
    }

    /// A field of the data.
    pub fn field(&mut self, name: impl Into<Cow<'static, str>>) -> At<'_> {
        At { problems: &mut self.problems, path: vec![Step::Field(name.into())] }
    }

    /// Checks that an owner, if there is one, is of one of these types.
    pub fn owner_type(&mut self, owner: Option<&Id>, expected: &[&Type]) -> &mut Self {
        if let Some(owner) = owner.filter(|owner| !expected.contains(&&owner.resource_type)) {
            let expected = expected.iter().copied().cloned().collect();
            self.whole().add(Cause::OwnerType { expected, got: owner.resource_type.clone() });
        }
        self
    }

    /// Checks that an owner, if there is one, is in this tenancy.
    pub fn owner_tenancy(&mut self, owner: Option<&Id>, expected: &Tenancy) -> &mut Self {
        if let Some(owner) = owner.filter(|owner| owner.tenancy != *expected) {
            let (expected, got) = (expected.clone(), owner.tenancy.clone());
            self.whole().add(Cause::OwnerTenancy { expected, got });
        }
        self
    }

    /// Everything that was found wrong.
    ///
    /// # Errors
    ///
    /// Something was.
    pub fn finish(self) -> Result<(), Invalid> {
        if self.problems.is_empty() { Ok(()) } else { Err(Invalid { problems: self.problems }) }
    }
}

impl At<'_> {
    /// A field of what is here.
    pub fn field(&mut self, name: impl Into<Cow<'static, str>>) -> At<'_> {
        self.step(Step::Field(name.into()))
    }

    /// An element of the list that is here.
    pub fn element(&mut self, index: usize) -> At<'_> {
        self.step(Step::Element(index))
    }

    /// A key of the map that is here.
    pub fn key(&mut self, key: &(impl ToString + ?Sized)) -> At<'_> {
        self.step(Step::Key(key.to_string()))
    }

    /// The value of a key in the map that is here.
    pub fn value(&mut self, key: &(impl ToString + ?Sized)) -> At<'_> {
        self.step(Step::Value(key.to_string()))
    }

    fn step(&mut self, step: Step) -> At<'_> {
        let path = self.path.iter().cloned().chain([step]).collect();
        At { problems: self.problems, path }
    }

    /// Something is wrong here.
    pub fn add(&mut self, cause: impl Into<Cause>) {
        let (path, cause) = (self.path.clone(), cause.into());
        self.problems.push(Problem { path, cause });
    }

    /// Something is wrong here unless it `holds`, which it gives back.
    pub fn require(&mut self, holds: bool, cause: impl Into<Cause>) -> bool {
        if !holds {
            self.add(cause);
        }
        holds
    }

    /// What is here, or that it is missing.
    pub fn present<'v, T>(&mut self, value: Option<&'v T>) -> Option<&'v T> {
        self.require(value.is_some(), Cause::Missing);
        value
    }

    /// Takes over what was found wrong with what is here, by a check of its own.
    pub fn include(&mut self, result: Result<(), Invalid>) {
        if let Err(invalid) = result {
            self.problems.extend(invalid.within(&self.path));
        }
    }

    /// Checks that the reference here is to a resource of one of these types.
    pub fn reference_type(&mut self, reference: &Reference, expected: &[&Type]) -> bool {
        let fits = expected.contains(&&reference.resource_type);
        if !fits {
            let expected = expected.iter().copied().cloned().collect();
            self.add(Cause::ReferenceType { expected, got: reference.resource_type.clone() });
        }
        fits
    }

    /// Checks that the reference here stays in a tenancy.
    pub fn reference_tenancy(&mut self, got: &Tenancy, expected: &Tenancy) -> bool {
        let fits = got == expected;
        if !fits {
            let (expected, got) = (expected.clone(), got.clone());
            self.add(Cause::ReferenceTenancyNotEqual { expected, got });
        }
        fits
    }
}
