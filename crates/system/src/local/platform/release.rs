//! Detection of the distribution from `os-release`.

use super::text::text_of;
use crate::types::platform::Platform;

/// The files in the order that `os-release(5)` specifies.
const OS_RELEASE: [&str; 2] = ["/etc/os-release", "/usr/lib/os-release"];

pub(super) fn read(platform: &mut Platform) {
    if let Some(text) = OS_RELEASE.into_iter().find_map(text_of) {
        read_os_release(platform, &text);
    }
}

/// Reads known keys into `platform`.
///
/// Lines that are not `KEY=value` are ignored.
///
/// The last of equal keys wins, as in a shell.
fn read_os_release(platform: &mut Platform, text: &str) {
    for (key, value) in text.lines().filter_map(|line| line.trim().split_once('=')) {
        let field = match key {
            "NAME" => &mut platform.name,
            "PRETTY_NAME" => &mut platform.pretty_name,
            "VERSION_ID" => &mut platform.version,
            "BUILD_ID" => &mut platform.build,
            "ID" => &mut platform.linux_distribution,
            "ID_LIKE" => &mut platform.linux_lsb_like,
            "VERSION_CODENAME" => &mut platform.codename,
            _ => continue,
        };
        *field = unquote(value);
    }
}

/// Removes the quotes and escapes of a shell word.
fn unquote(value: &str) -> String {
    let mut word = String::with_capacity(value.len());
    let mut quote = None;
    let mut chars = value.chars().peekable();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), close) if open == close => quote = None,
            (Some('"'), '\\') if chars.peek().is_some_and(|next| !"$\"\\`".contains(*next)) => {
                word.push(char);
            }
            (None | Some('"'), '\\') => word.extend(chars.next()),
            (None, space) if space.is_whitespace() => break,
            (_, char) => word.push(char),
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: [&str; 7]) {
        let mut actual = Platform::default();
        read_os_release(&mut actual, text);
        let mut known = Platform::default();
        [
            known.name,
            known.pretty_name,
            known.version,
            known.build,
            known.linux_distribution,
            known.linux_lsb_like,
            known.codename,
        ] = expect.map(str::to_owned);
        assert_eq!(actual, known, "{text}");
    }

    #[test]
    fn os_release() {
        check("", [""; 7]);
        check("# ID=no\n\nnonsense\nHOME_URL=\"https://example.org/?a=b\"", [""; 7]);
        check(
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n\
             VERSION_CODENAME=bookworm\nID=debian\n",
            ["Debian GNU/Linux", "Debian GNU/Linux 12 (bookworm)", "12", "", "debian", "", "bookworm"],
        );
        check(
            "NAME='CentOS Stream'\r\nID=\"centos\"\r\nID_LIKE=\"rhel fedora\"\r\nBUILD_ID=rolling\r\n",
            ["CentOS Stream", "", "", "rolling", "centos", "rhel fedora", ""],
        );
    }

    #[test]
    fn quoting() {
        for (value, expect) in [
            ("plain", "plain"),
            ("two words", "two"),
            (r#""a \"b\" \$c \\ \d""#, r#"a "b" $c \ \d"#),
            (r"'a \n $b'", r"a \n $b"),
            (r"a\ b", "a b"),
            (r#""never closed"#, "never closed"),
            (r"ends\", "ends"),
            (r#""ends\"#, "ends"),
            (r#"a"b"'c'"#, "abc"),
        ] {
            check(&format!("NAME={value}"), [expect, "", "", "", "", "", ""]);
        }
    }
}
