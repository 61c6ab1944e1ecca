//! A stub for Windows, where programs inherit nothing and leftovers of killed runs are not detected.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct Marker(());

pub(crate) fn start_with<T>(_marker: Option<&Marker>, start: impl FnOnce() -> T) -> T {
    start()
}
