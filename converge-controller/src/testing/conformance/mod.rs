//! Tests of the promises of [`Backend`](crate::storage::Backend).
//!
//! The author of a store, in this workspace or elsewhere, runs all of them with
//! [`storage_conformance!`](crate::storage_conformance):
//!
//! ```
//! # // Tests of an example are not run; that they compile is what is checked here.
//! use converge_controller::storage::Memory;
//! use converge_controller::testing::StoreUnderTest;
//!
//! async fn new_store() -> StoreUnderTest {
//!     StoreUnderTest::new(Memory::new())
//! }
//!
//! converge_controller::storage_conformance!(new_store);
//! ```
//!
//! The macro makes one `#[test]` of each case, on an empty store of its own: `reads::finds_what_was_written`
//! and so on. A case needs no runtime around it, and fails when it takes longer than five minutes.

pub mod cancellation;
pub mod leases;
pub mod lists;
pub mod owners;
pub mod races;
pub mod reads;
mod sample;
pub mod transactions;
pub mod watches;
pub mod writes;

use std::time::Duration;

use super::StoreUnderTest;

/// The timeout of a case.
///
/// It is far above what any case needs: it detects stores that never respond, not slow ones.
const LIMIT: Duration = Duration::from_mins(5);

/// Runs one case on a new store, in a new runtime.
///
/// # Panics
///
/// Panics if the store fails the case.
pub fn run<S: Future<Output: Into<Option<StoreUnderTest>>>, C: Future<Output = ()>>(
    new_store: impl FnOnce() -> S,
    case: impl FnOnce(StoreUnderTest) -> C,
) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.expect("a runtime can be started").block_on(async {
        let Some(store) = new_store().await.into() else { return };
        // The store is dropped last, so that a failing case does not wait for background work of the store.
        let ended = tokio::time::timeout(LIMIT, case(store.clone())).await;
        assert!(ended.is_ok(), "the case has not ended after {LIMIT:?}");
    });
}

/// Generates one test for each promise of a store.
///
/// The argument is the path of an `async fn` without parameters that returns a new
/// [`StoreUnderTest`](crate::testing::StoreUnderTest); see [`conformance`](crate::testing::conformance).
#[macro_export]
macro_rules! storage_conformance {
    ($new_store:path) => {
        $crate::storage_conformance! { @of $new_store;
            reads {
                finds_what_was_written
                finds_without_uid_whichever_has_the_name
                finds_nothing_of_another_id
                finds_nothing_of_another_uid
                names_the_version_of_the_group_that_is_stored
                does_not_go_back_behind_an_event
            }
            writes {
                give_back_all_of_a_resource
                replace_the_version_that_they_name
                keep_the_uid
                remove_the_version_that_they_name
                remove_nothing_of_another_uid
                change_the_version_of_the_group
            }
            transactions {
                happen_whole_or_not_at_all
                put_and_remove_at_once
                do_nothing_when_empty
                change_a_resource_once
                name_the_uid_of_what_they_change
                rely_on_a_resource
                rely_on_a_resource_without_mark
            }
            lists {
                of_a_namespace
                of_another_namespace
                of_a_prefix
                of_everything
                of_a_partition
                of_a_namespace_in_any_partition
                of_a_prefix_anywhere
                of_wider_scopes
                name_the_kinds_of_which_there_is_anything
            }
            watches {
                of_a_namespace
                of_another_namespace
                of_a_prefix
                of_everything
                of_a_partition
                of_a_namespace_in_any_partition
                of_a_prefix_anywhere
                of_wider_scopes
                tell_the_end_of_an_empty_snapshot
                tell_each_state_of_a_resource
                tell_transactions_in_order
                are_closed_when_not_read
                go_on_when_another_is_dropped
            }
            owners {
                find_children_of_any_type
                are_told_apart_by_uid
                are_found_after_their_end
                lose_children_that_go_or_move
                do_not_lack_what_an_event_told
            }
            leases {
                have_one_holder
                of_other_names_are_others
                fence_what_is_done_after_their_end
                fence_each_holding_by_itself
            }
            cancellation {
                leaves_transactions_whole
                leaves_nothing_behind
                loses_no_event
                gives_leases_to_the_next
            }
            races {
                one_creation_wins
                one_update_of_a_version_wins
                counting_loses_nothing
                snapshots_meet_their_changes
                histories_are_linearizable
            }
        }
    };
    (@of $new_store:path; $($module:ident { $($case:ident)* })*) => {
        $(mod $module {
            use super::*;

            $(#[test]
            fn $case() {
                $crate::testing::conformance::run($new_store, $crate::testing::conformance::$module::$case);
            })*
        })*
    };
}

#[cfg(test)]
mod tests {
    use crate::storage::Memory;
    use crate::testing::StoreUnderTest;

    async fn new_store() -> StoreUnderTest {
        StoreUnderTest::new(Memory::new())
    }

    crate::storage_conformance!(new_store);
}
