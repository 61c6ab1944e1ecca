//! The `laws!` macro.

/// Generates a `#[test]` for each [law](crate::testing::laws::Law) that every resource has to keep.
///
/// The name of a failed test is the name of its law.
///
/// The schema of the resource determines the values that are tried: valid and invalid ones, at their bounds,
/// alone and together, as far as the rules of the resource allow. The machines are those that such a resource
/// meets: the one that `start` makes, and the same one after an apply with other values. At each path of the
/// resource, something may also be missing, in the way, or owned by somebody else. The same values are tried
/// each time, unless `PROPTEST_RNG_SEED` sets another seed. A failing case is made smaller and printed as a
/// test to keep.
///
/// Options follow the type. They are methods of [`Laws`](crate::testing::laws::Laws):
///
/// | option | meaning |
/// | --- | --- |
/// | `start = machine` | a closure or function that makes a [`ModelSystem`](crate::system::ModelSystem); may be given again, for further machines |
/// | `values = ("port", [80, 443])` | the values of a field that its schema cannot guess; may be given again |
/// | `deadline = Duration::from_secs(600)` | the time after which a stage counts as hanging, by the clock of the machine; no test waits |
/// | `cases = 100` | the number of cases for each law |
/// | `only_looks = "why"` | the type changes nothing by itself, so laws about the result of an apply are not tried |
/// | `beside = ("/var", "why")` | a path, or the prefix of a name, that other programs change in addition to the resource |
/// | `except = (Law::NothingIsLeft, "why")` | a law that does not hold, and why |
///
/// ```
/// use converge_core::laws;
/// use converge_core::prelude::*;
/// use converge_core::system::{ModelSystem, WriteFile};
///
/// /// The message that people see when they log in.
/// #[derive(Debug, Preparer)]
/// #[preparer(name = "motd", task = Motd, register = false)]
/// pub struct MotdPreparer {
///     /// The message.
///     #[hcl(required)]
///     text: String,
/// }
/// # impl Resource for MotdPreparer {
/// #     async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Motd> {
/// #         Ok(Motd { text: self.text })
/// #     }
/// # }
/// # /// The message.
/// # #[derive(Debug, Export)]
/// # pub struct Motd {
/// #     /// The message.
/// #     #[export]
/// #     text: String,
/// # }
/// # impl Task for Motd {
/// #     async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
/// #         let file = cx.system().files().read("/etc/motd".as_ref()).await?;
/// #         let text = file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
/// #         let mut status = Status::new();
/// #         status.add_difference_with_default("text", text.unwrap_or_default(), &self.text, "(none)");
/// #         status.raise_level_for_diffs();
/// #         Ok(status)
/// #     }
/// #     async fn apply(&mut self, cx: &Context) -> Result<Status> {
/// #         cx.system().files().write("/etc/motd".as_ref(), WriteFile::new(self.text.as_bytes())).await?;
/// #         Ok(Status::new())
/// #     }
/// # }
///
/// #[cfg(test)]
/// mod tests {
///     use super::*;
///
///     laws!(MotdPreparer, start = || ModelSystem::new().with_file("/etc/motd", "old"));
/// }
/// ```
///
/// An apply that ends with [`Error::Booting`](crate::Error::Booting) is followed by a boot of the model host
/// and by the next run, which finds the remaining work. A program of the model host must have told it to [go
/// down](crate::system::Machine::go_down).
///
/// Two `laws!` in one module need inner modules of their own, because their tests have the same names.
#[macro_export]
macro_rules! laws {
    ($resource:ty $(, $option:ident = $value:expr)* $(,)?) => {
        #[doc(hidden)]
        fn __laws_of_the_resource() -> $crate::testing::laws::Laws<$resource> {
            // A task without `Debug` uses the method of this trait.
            #[allow(unused_imports)]
            use $crate::testing::laws::NoDebug as _;
            $crate::testing::laws::Laws::<$resource>::new()
                .printed(|task| $crate::testing::laws::Printed(task).text())
                $(.$option($value))*
                .written(concat!(
                    "Laws::<", stringify!($resource), ">::new()",
                    $("\n        .", stringify!($option), "(", stringify!($value), ")",)*
                ))
        }

        $crate::laws! { @tests
            check_changes_nothing: CheckChangesNothing,
            apply_makes_what_is_reported: ApplyMakesWhatIsReported,
            nothing_is_left_after_an_apply: NothingIsLeft,
            twice_is_once: TwiceIsOnce,
            a_stopped_apply_is_finished_by_the_next: StoppedIsFinished,
            a_cancelled_apply_is_finished_by_the_next: CancelledIsFinished,
            what_is_pending_may_change: PendingMayChange,
            exports_that_an_apply_sets_are_computed: SetExportsAreComputed,
            secrets_are_not_shown: SecretsAreNotShown,
            no_error_is_swallowed: NoErrorIsSwallowed,
            looks_that_fail_are_told: FailingLooksAreTold,
            only_the_system_is_used: OnlyTheSystemIsUsed,
            nothing_hangs: NothingHangs,
            nothing_panics: NothingPanics,
            invalid_values_are_refused: InvalidIsRefused,
            a_batch_ends_where_its_members_do: BatchIsMembers,
            a_check_says_the_same_of_the_same_machine: CheckSaysTheSame,
            the_example_is_right: ExampleIsRight,
        }
    };
    (@tests $($test:ident: $law:ident,)*) => {
        $(
            #[test]
            fn $test() {
                __laws_of_the_resource().hold($crate::testing::laws::Law::$law);
            }
        )*
    };
}
