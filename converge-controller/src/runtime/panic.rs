//! Containment of panics in code of authors.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::pin::pin;
use std::sync::Once;

use crate::debug_as_text;

/// The error of code that panicked.
#[derive(Clone)]
pub struct Panicked {
    message: String,
    at: Option<Place>,
}

debug_as_text!(Panicked);

#[derive(Clone, Debug)]
struct Place {
    location: String,
    stack: String,
}

impl Panicked {
    /// Returns the message of the panic.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the stack of the panic, unless the program has replaced the panic hook that records it.
    pub fn stack(&self) -> Option<&str> {
        self.at.as_ref().map(|position| position.stack.as_str())
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(position) => write!(f, "panicked at {}: {}", position.location, self.message),
            None => write!(f, "panicked: {}", self.message),
        }
    }
}

impl std::error::Error for Panicked {}

thread_local! {
    static CONTAINING: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// Runs async code of an author, and converts a panic to an error.
///
/// The state of the panicked code is dropped.
pub(super) async fn contained<F: Future>(run: F) -> Result<F::Output, Panicked> {
    watch_panics();
    let mut run = pin!(run);
    poll_fn(|cx| match contained_now(|| run.as_mut().poll(cx)) {
        Ok(poll) => poll.map(Ok),
        Err(panicked) => std::task::Poll::Ready(Err(panicked)),
    })
    .await
}

/// Like [`contained`], for synchronous code.
pub(super) fn contained_now<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    watch_panics();
    let outer = CONTAINING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    CONTAINING.set(outer);
    result.map_err(|panic| Panicked { message: message(&*panic), at: PLACE.take() })
}

/// Installs a panic hook that records where contained code panics.
///
/// The hook also calls the earlier hook. The stack is no longer available when a panic is caught.
fn watch_panics() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if CONTAINING.get() {
                PLACE.set(Some(place(panic)));
            }
            usual(panic);
        }));
    });
}

fn place(panic: &PanicHookInfo<'_>) -> Place {
    let location = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    Place { location, stack: Backtrace::force_capture().to_string() }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("for an unknown reason").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_with_its_place_and_stack() {
        let text = String::from("formatted");
        let error = contained(async {
            tokio::task::yield_now().await;
            panic!("{text}");
        })
        .await
        .unwrap_err();
        assert_eq!(error.message(), "formatted");
        assert!(error.to_string().starts_with("panicked at "), "{error}");
        assert!(error.to_string().contains(file!()), "{error}");
        assert!(error.stack().is_some_and(|stack| stack.contains("a_panic_is_an_error")), "{error:?}");
    }

    #[tokio::test]
    async fn what_does_not_panic_gives_its_value() {
        assert_eq!(contained(async { 7 }).await.unwrap(), 7);
        assert_eq!(contained_now(|| 7).unwrap(), 7);
        assert_eq!(
            contained_now(|| std::panic::panic_any(7)).unwrap_err().message(),
            "for an unknown reason"
        );
    }
}
