//! Faulty resources: values, and laws that cannot be tried.

use std::str::FromStr;

use super::*;
use crate::types::value::{FieldError, FieldErrorKind};

/// The number after a `v`.
#[derive(Clone, Debug, converge_sdk::HclText)]
struct Version(u32);

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (_, number) = text.split_at(1);
        number.parse().map(Self).map_err(|_| "a version is written `v1`".to_owned())
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "v{}", self.0)
    }
}

wrong! {
    value_panics { #[hcl(required)] version: Version, }
    check(task, cx) { Ok(differs("version", read(cx, MOTD).await?, task.version.to_string())) }
    apply { write(cx, MOTD, &task.version.to_string()).await }
}

#[test]
fn a_value_at_which_the_code_panics() {
    let laws = Laws::<value_panics::WrongPreparer>::new().values(("version", ["v1", "v2"]));
    assert_message("value_panics", laws, Law::InvalidIsRefused);
}

mod no_field {
    use super::*;

    /// Ports.
    #[derive(Debug, converge_sdk::Preparer)]
    #[preparer(name = "test.wrong", task = Nothing, validate, register = false)]
    pub(super) struct WrongPreparer {
        /// The first port.
        #[hcl(required)]
        first: u16,
        /// The last port.
        #[hcl(required)]
        last: u16,
    }

    impl Validate for WrongPreparer {
        fn validate(&self) -> Result<(), Vec<FieldError>> {
            if self.first <= self.last {
                return Ok(());
            }
            let message = "it comes before the first".to_owned();
            Err(vec![FieldError::new("lats", FieldErrorKind::Invalid { message })])
        }
    }

    #[derive(Debug, converge_sdk::Export)]
    pub(super) struct Nothing {}

    impl Resource for WrongPreparer {
        async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Nothing> {
            Ok(Nothing {})
        }
    }

    impl Task for Nothing {
        async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
            Ok(Status::new())
        }

        async fn apply(&mut self, _cx: &Context) -> Result<Status> {
            Ok(Status::new())
        }
    }
}

#[test]
fn an_error_of_a_field_that_there_is_not() {
    let laws = Laws::<no_field::WrongPreparer>::new().values(("first", [1])).values(("last", [0]));
    assert_message("no_field", laws, Law::InvalidIsRefused);
}

#[test]
fn a_law_that_cannot_be_tried() {
    assert_message("nothing_to_do", Laws::<no_field::WrongPreparer>::new(), Law::NothingIsLeft);
}

wrong! {
    no_values { #[hcl(required, pattern = "^fish-[[:digit:]]{7}$")] name: String, }
    check(task, cx) { Ok(differs("name", read(cx, MOTD).await?, &task.name)) }
    apply { write(cx, MOTD, &task.name).await }
}

#[test]
fn a_field_of_which_no_value_is_known() {
    assert_message("no_values", Laws::<no_values::WrongPreparer>::new(), Law::TwiceIsOnce);
}

wrong! {
    good { #[hcl(required)] text: String, mode: Option<String>, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply { write(cx, MOTD, &task.text).await }
}

#[test]
fn one_that_is_right_breaks_no_law() {
    for law in Law::ALL {
        Laws::<good::WrongPreparer>::new().hold(law);
    }
}
