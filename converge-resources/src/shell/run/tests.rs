use super::error::Printed;

#[test]
fn messages_show_the_end_of_what_was_printed() {
    let check = |stdout: &str, stderr: &str, expect: &str| {
        assert_eq!(Printed::from_texts(stdout, stderr, false).to_string(), expect, "{stdout:?} {stderr:?}");
    };
    check("", "", "");
    check(" \n", "\n\n", "");
    check("out\n", "", ":\nout");
    check("", "err\n", ":\nerr");
    check("out\n", "err\n", ":\nout\nerr");
    let lines = |range: std::ops::Range<u32>| range.map(|line| line.to_string() + "\n").collect::<String>();
    check(&lines(0..20), "", &format!(":\n{}", lines(0..20).trim_end()));
    check(&lines(0..21), "", &format!(":\n[..]\n{}", lines(1..21).trim_end()));
    check(&"x".repeat(5000), "", &format!(":\n[..]\n{}", "x".repeat(4096)));
    // A character is not split.
    check(&"\u{e9}x".repeat(2000), "", &format!(":\n[..]\nx{}", "\u{e9}x".repeat(1365)));
    assert_eq!(Printed::from_texts("out", "err", true).to_string(), ":\n(sensitive)");
    assert_eq!(Printed::from_texts("", "", true).to_string(), "");
}
