//! Cryptographically secure random bytes from the kernel.

use std::io;

#[cfg(target_os = "linux")]
#[doc(hidden)]
pub fn fill(bytes: &mut [u8]) -> io::Result<()> {
    use rustix::rand::{GetRandomFlags, getrandom};

    let mut filled = 0;
    while filled < bytes.len() {
        match getrandom(&mut bytes[filled..], GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Fills a buffer with random bytes from the kernel.
#[doc(hidden)]
#[cfg(not(target_os = "linux"))]
pub fn fill(bytes: &mut [u8]) -> io::Result<()> {
    getrandom::fill(bytes).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_filled_and_no_two_times_alike() {
        let [first, second] = [(), ()].map(|()| {
            let mut bytes = [0; 1024];
            fill(&mut bytes).unwrap();
            bytes
        });
        assert_ne!(first, second);
        assert!(first[1008..].iter().any(|byte| *byte != 0), "the end is filled as well");
    }
}
