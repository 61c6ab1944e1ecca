//! Conversion between URIs and files.

use std::fmt::Write as _;
use std::path::Path;

use converge_core::load::{Source, Sources};

/// Returns the source for a URI; if the URI names no file, its text is the name of the source.
pub(super) fn source(uri: &str) -> Source {
    let is_file = uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    // Other kinds of URIs are never fetched.
    let file = if is_file { Sources::new().resolve(None, uri).ok() } else { None };
    file.unwrap_or_else(|| Source::file(uri))
}

/// Returns the URI of a path.
pub(super) fn from_path(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // A Windows path begins with a drive and uses backslashes.
    let mut uri = if cfg!(windows) { "file:///" } else { "file://" }.to_owned();
    for byte in absolute.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(*byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_back() {
        let check = |uri: &str, path: &str, back: &str| {
            assert_eq!(source(uri), Source::file(path), "{uri}");
            assert_eq!(from_path(Path::new(path)), back, "{path}");
        };
        check("file:///srv/a.hcl", "/srv/a.hcl", "file:///srv/a.hcl");
        check("file:///srv/a%20b/%C3%A9.hcl", "/srv/a b/é.hcl", "file:///srv/a%20b/%C3%A9.hcl");
        check("FILE:///srv/a.hcl", "/srv/a.hcl", "file:///srv/a.hcl");
    }

    #[test]
    fn what_is_no_file_is_a_name() {
        for uri in ["untitled:Untitled-1", "http://example.com/a.hcl", "file://other/a.hcl", "file:", "", "é"]
        {
            assert_eq!(&**source(uri).name(), uri);
        }
    }
}
