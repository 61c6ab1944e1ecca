//! Linux errors without a [`SystemErrorKind`], which the model host returns on every platform.

use crate::SystemErrorKind;

/// An error that is known by its number only.
#[derive(Clone, Copy, Debug)]
pub(super) enum Errno {
    Busy,
    CrossesDevices,
    NameTooLong,
}

/// Returns the error with the text of the operating system.
pub(super) fn errno(errno: Errno) -> SystemErrorKind {
    let text = match errno {
        Errno::Busy => "Device or resource busy (os error 16)",
        Errno::CrossesDevices => "Invalid cross-device link (os error 18)",
        Errno::NameTooLong => "File name too long (os error 36)",
    };
    SystemErrorKind::Other(text.to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_those_of_this_machine() {
        use rustix::io::Errno as Real;

        for (model_errno, os_errno) in [
            (Errno::Busy, Real::BUSY),
            (Errno::CrossesDevices, Real::XDEV),
            (Errno::NameTooLong, Real::NAMETOOLONG),
        ] {
            assert_eq!(errno(model_errno), SystemErrorKind::from(os_errno), "{model_errno:?}");
        }
    }
}
