//! The check of each law on one case.

mod batches;
mod changes;
mod examples;
mod exports;
mod failed_reads;
mod interruptions;
mod isolation;
mod plans;
mod revert;
mod runs;
mod secrets;

pub use self::secrets::{NoDebug, Printed};
use super::case::Case;
use super::field_values::problems;
use super::law::Law;
use super::runner::{Breach, Runner, Tried, Verdict};
use super::value_pools::Pool;
use crate::sdk::resource::Resource;
use crate::types::value::{FieldError, FieldErrorKind, PathSegment};

pub(super) async fn judge<R: Resource>(
    law: Law,
    runner: &Runner<'_>,
    pools: &[Pool],
    case: &Case,
) -> Verdict {
    match law {
        Law::CheckChangesNothing => runs::check_changes_nothing::<R>(runner, case).await,
        Law::ApplyMakesWhatIsReported => changes::are_reported::<R>(runner, case).await,
        Law::NothingIsLeft => runs::nothing_is_left::<R>(runner, case).await,
        Law::TwiceIsOnce => runs::twice_is_once::<R>(runner, case).await,
        Law::StoppedIsFinished => interruptions::stopped_is_finished::<R>(runner, case).await,
        Law::CancelledIsFinished => interruptions::cancelled_is_finished::<R>(runner, case).await,
        Law::PendingMayChange => plans::pending_may_change::<R>(runner, case).await,
        Law::SetExportsAreComputed => exports::are_computed::<R>(runner, case).await,
        Law::SecretsAreNotShown => secrets::are_not_shown::<R>(runner, case).await,
        Law::NoErrorIsSwallowed => interruptions::no_error_is_swallowed::<R>(runner, case).await,
        Law::FailingLooksAreTold => failed_reads::failing_looks_are_told::<R>(runner, case).await,
        Law::OnlyTheSystemIsUsed => isolation::only_the_system_is_used::<R>(runner, case).await,
        Law::NothingHangs => runs::ends::<R>(runner, case).await,
        Law::NothingPanics => interruptions::nothing_panics::<R>(runner, case).await,
        Law::InvalidIsRefused => refused_with_its_field::<R>(case),
        Law::BatchIsMembers => batches::are_their_members::<R>(runner, pools, case).await,
        Law::CheckSaysTheSame => runs::check_says_the_same::<R>(runner, case).await,
        Law::ExampleIsRight => examples::are_right::<R>(),
    }
}

/// Checks that invalid values are refused with the name of an existing field, and without a panic.
fn refused_with_its_field<R: Resource>(case: &Case) -> Verdict {
    let problems = problems::<R>(&case.values)
        .map_err(|message| Breach(format!("a value makes the code panic: {message}")))?;
    let fields = R::block().fields;
    for FieldError { path, kind } in &problems {
        let of_unknown = matches!(kind, FieldErrorKind::UnknownField { .. });
        match path.0.first() {
            Some(PathSegment::Name(name))
                if !of_unknown && !fields.iter().any(|field| field.name == name) =>
            {
                return Err(Breach(format!("an error names `{name}`, which is not a field: {kind}")));
            }
            _ if kind.to_string().trim().is_empty() => {
                return Err(Breach(format!("the error of `{path}` says nothing")));
            }
            _ => {}
        }
    }
    Ok(Tried::Yes)
}
