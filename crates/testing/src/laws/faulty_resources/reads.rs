//! Faulty resources: output, and reads around the machine.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use super::*;
use crate::laws::{NoDebug as _, Printed};

wrong! {
    reads_a_clock { #[hcl(required)] text: String, }
    check(task, cx) {
        #[expect(clippy::disallowed_methods, reason = "that is what is wrong with it")]
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_err(Error::other)?;
        Ok(differs("text", read(cx, MOTD).await?, format!("{} at {}", task.text, now.as_nanos())))
    }
    apply { write(cx, MOTD, &task.text).await }
}

#[test]
fn a_check_that_reads_another_clock() {
    let broken =
        Laws::<reads_a_clock::WrongPreparer>::new().check(Law::CheckSaysTheSame).expect_err("it is wrong");
    assert!(
        broken.reason().contains("look at something that is not asked of `cx.system()`, as a clock"),
        "{broken}"
    );
}

static KNOWN: AtomicUsize = AtomicUsize::new(0);

wrong! {
    remembers_for_all { #[hcl(required)] text: String, }
    check(task, cx) {
        // Another task has looked before, on whatever machine.
        if KNOWN.fetch_add(1, Ordering::Relaxed) > 0 {
            return Ok(Status::new());
        }
        Ok(differs("text", read(cx, MOTD).await?, &task.text))
    }
    apply { write(cx, MOTD, &task.text).await }
}

#[test]
fn a_check_that_remembers_for_all_machines() {
    assert_message(
        "remembers_for_all",
        Laws::<remembers_for_all::WrongPreparer>::new(),
        Law::CheckSaysTheSame,
    );
}

wrong! {
    keeps_a_copy { #[hcl(required, sensitive)] password: Secret<String>, #[hcl(default)] copy: String, }
    check(task, cx) {
        task.copy = task.password.expose().clone();
        let _ = read(cx, MOTD).await?;
        Ok(Status::new())
    }
    apply { let _ = (task, cx); Ok(Status::new()) }
}

#[test]
fn a_task_that_keeps_a_secret_where_debug_prints_it() {
    let laws = Laws::<keeps_a_copy::WrongPreparer>::new().printed(|task| Printed(task).text());
    assert_message("keeps_a_copy", laws, Law::SecretsAreNotShown);
}

/// A task without `Debug` prints nothing.
#[test]
fn what_cannot_be_printed_shows_nothing() {
    struct Silent;
    assert_eq!(Printed(&Silent).text(), None);
    assert_eq!(Printed(&1).text().as_deref(), Some("1"));
}

wrong! {
    fails_silently { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply { write(cx, MOTD, &task.text).await.map_err(|_| Error::msg("")) }
}

#[test]
fn an_error_that_says_nothing() {
    assert_message("fails_silently", Laws::<fails_silently::WrongPreparer>::new(), Law::NoErrorIsSwallowed);
}

wrong! {
    forgets_to_wait { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply {
        // Nothing is written without `.await`; the compiler warns of it unless the future is dropped
        // explicitly.
        drop(cx.system().files().write(MOTD.as_ref(), WriteFile::new(task.text.as_bytes())));
        Ok(Status::new())
    }
}

#[test]
fn an_effect_that_is_not_awaited() {
    assert_message(
        "forgets_to_wait",
        Laws::<forgets_to_wait::WrongPreparer>::new(),
        Law::ApplyMakesWhatIsReported,
    );
}

/// Defines a resource with the given example.
macro_rules! with_example {
    ($name:ident, $example:literal) => {
        mod $name {
            use super::*;

            /// A marker.
            #[derive(Debug, converge_sdk::Preparer, converge_sdk::Export)]
            #[preparer(name = "test.wrong", task = Self, example = $example, register = false)]
            pub(super) struct WrongPreparer {
                /// The path of the marker.
                #[export]
                path: Option<String>,
            }

            impl Task for WrongPreparer {
                async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
                    Ok(Status::new())
                }

                async fn apply(&mut self, _: &Context) -> Result<Status> {
                    Ok(Status::new())
                }
            }
        }
    };
}

with_example!(example_of_another_field, "examples/field.hcl");
with_example!(example_of_another_type, "examples/type.hcl");
with_example!(example_that_cannot_be_read, "examples/syntax.hcl");
with_example!(example_that_is_right, "examples/right.hcl");

#[test]
fn examples_that_are_wrong() {
    let law = Law::ExampleIsRight;
    assert_message("example_field", Laws::<example_of_another_field::WrongPreparer>::new(), law);
    assert_message("example_type", Laws::<example_of_another_type::WrongPreparer>::new(), law);
    assert_message("example_syntax", Laws::<example_that_cannot_be_read::WrongPreparer>::new(), law);
    Laws::<example_that_is_right::WrongPreparer>::new().hold(law);
}
