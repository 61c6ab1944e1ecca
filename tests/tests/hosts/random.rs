//! Tests of values that are generated once, on a host with its own state.

use converge_tests::host::Host;

const MODULE: &str = r#"
random.password "database" {
  length = 24
}

random.integer "minute" {
  min = 0
  max = 59
}

file.content "settings" {
  destination = "/etc/example.env"
  mode        = "0600"
  content     = "{{lookup `random.password.database.value`}}\n{{lookup `random.integer.minute.value`}}\n"
}
"#;

#[test]
fn a_password_is_drawn_once_and_kept_for_root() {
    let Some(host) = Host::plain("a_password_is_drawn_once_and_kept_for_root") else { return };
    let story = host.story(MODULE, &[]);
    assert_eq!(story.apply.report("random.password.database")["outcome"], "changed");
    let settings = String::from_utf8(host.get("/etc/example.env")).unwrap();
    let password = settings.lines().next().unwrap();
    assert_eq!(password.chars().count(), 24, "{settings}");
    assert!(!story.apply.everything().contains(password));
    // Only root can read the value, and no other file in the state contains it.
    let stdout = host.ok(&format!("grep -rlF -- '{password}' /var/lib/converge")).stdout;
    assert!(
        stdout.trim().starts_with("/var/lib/converge/kept/") && stdout.trim().lines().count() == 1,
        "{stdout}"
    );
    assert_eq!(host.ok(&format!("stat -c '%a %U' {}", stdout.trim())).stdout.trim(), "600 root");

    let redraw = MODULE.replace("length = 24", "length = 24\n  keepers = { year = \"2027\" }");
    host.story(&redraw, &[]);
    let new_text = String::from_utf8(host.get("/etc/example.env")).unwrap();
    assert_ne!(new_text.lines().next(), Some(password));
    assert_eq!(new_text.lines().nth(1), settings.lines().nth(1), "the number stays");
}
