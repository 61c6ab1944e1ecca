//! The reason in the error output of git.

/// The maximum number of characters of a reason.
const MAX_CHARACTERS: usize = 300;

/// Extracts the reason from git's messages.
///
/// It consists of the first error line, and of the message of another program before it: `ssh` says why, and
/// then git that it could not read. Later lines are advice, except for file names, which follow a tab.
pub fn reason(text: &str) -> String {
    /// Prefixes of lines that say nothing about the reason.
    const IGNORED_PREFIXES: [&str; 4] = ["warning:", "hint:", "remote: Enumerating", "From "];
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let is_last_word = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let end = lines.iter().position(is_last_word).unwrap_or(lines.len().saturating_sub(1));
    let before =
        lines.iter().take(end).rfind(|line| !IGNORED_PREFIXES.iter().any(|prefix| line.starts_with(prefix)));
    let names = lines.iter().skip(end + 1).take_while(|line| line.starts_with('\t')).take(5);
    let parts = before.into_iter().chain(lines.get(end)).chain(names);
    let parts = parts.map(|line| line.trim_start_matches("fatal: ").trim_start_matches("error: ").trim());
    let parts: Vec<&str> = parts.map(|part| part.trim_end_matches(['.', ':'])).collect();
    // Control characters could affect a terminal.
    parts.join("; ").chars().filter(|c| !c.is_control()).take(MAX_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_in_error_output() {
        let check = |stderr: &str, expect: &str| assert_eq!(reason(stderr), expect, "{stderr}");
        check("", "");
        check("fatal: repository 'x' not found\n", "repository 'x' not found");
        check(
            "Host key verification failed.\r\nfatal: Could not read from remote repository.\n\nPlease make sure you have\n",
            "Host key verification failed; Could not read from remote repository",
        );
        check("warning: redirecting\nfatal: no\nhint: try\n", "no");
        check(
            "remote: Not Found\nfatal: unable to access 'u': 404\n",
            "remote: Not Found; unable to access 'u': 404",
        );
        check(
            "error: The following untracked working tree files would be overwritten by checkout:\n\ta\n\tb/c\nPlease move them\n",
            "The following untracked working tree files would be overwritten by checkout; a; b/c",
        );
        check("killed", "killed");
        check("fatal: \u{1b}[31mred", "[31mred");
        check(&format!("fatal: {}", "x".repeat(1 << 20)), &"x".repeat(MAX_CHARACTERS));
    }
}
