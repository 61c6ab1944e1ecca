//! Tests of package answers as debconf stores them.

use converge_tests::host::Host;
use converge_tests::host::apt::Package;

const EXAMPLE: &str = include_str!("../../../converge-resources/src/package/debconf/example.hcl");

fn answer(question: &str, kind: &str, value: &str, extra: &str) -> String {
    format!(
        "package.debconf \"it\" {{\n  name = \"asks\"\n  question = \"{question}\"\n  type = \"{kind}\"\n  value = \"{value}\"\n{extra}}}\n"
    )
}

#[test]
fn debconf_keeps_answers() {
    let Some(host) = Host::plain("debconf_keeps_answers") else { return };
    let answer_of = |question: &str| host.ok(&format!("echo GET {question} | debconf-communicate")).stdout;
    let question_count = host.ok("grep -c ^Name: /var/cache/debconf/config.dat").stdout;
    host.story(EXAMPLE, &[]);
    assert_eq!(answer_of("postfix/main_mailer_type"), "0 Internet Site\n");
    assert_eq!(answer_of("postfix/mailname"), "0 mail.example.org\n");
    host.story(EXAMPLE, &["-p", "mailname=other.example.org"]);
    assert_eq!(answer_of("postfix/mailname"), "0 other.example.org\n");
    let count = |text: &str| text.trim().parse::<u32>().unwrap();
    let after = host.ok("grep -c ^Name: /var/cache/debconf/config.dat").stdout;
    assert_eq!(count(&after), count(&question_count) + 2);

    let story = host.story(&answer("asks/root", "password", "hunter2", ""), &[]);
    assert_eq!(answer_of("asks/root"), "0 hunter2\n");
    assert!(!format!("{}{}", story.plan.everything(), story.apply.everything()).contains("hunter2"));
    host.ok("! grep -q hunter2 /var/cache/debconf/config.dat");
    let proposed = answer("asks/more", "boolean", "true", "  seen = false\n");
    host.story(&proposed, &[]);
    assert_eq!(host.ok("echo FGET asks/more seen | debconf-communicate").stdout, "0 false\n");
    host.story(&proposed.replace("seen = false", "seen = true"), &[]);
    assert_eq!(host.ok("echo FGET asks/more seen | debconf-communicate").stdout, "0 true\n");
    for (kind, value) in [("string", ""), ("multiselect", "one, two: three"), ("string", "a  \\\"b\\\" #c")] {
        host.story(&answer("asks/any", kind, value, ""), &[]);
    }

    // The resource waits for another program that uses debconf.
    host.ok("(echo GET asks/any; sleep 5) 2> /dev/null | debconf-communicate > /tmp/held 2> /dev/null &");
    // The program answers once it holds the lock.
    host.eventually("test -s /tmp/held");
    host.story(&answer("asks/any", "string", "after that", ""), &[]);
    assert_eq!(answer_of("asks/any"), "0 after that\n");
}

/// An installation waits for the answers to the package's questions.
#[test]
fn a_package_is_installed_as_it_was_answered() {
    let Some(host) = Host::plain("a_package_is_installed_as_it_was_answered") else { return };
    let script = "set -e\n. /usr/share/debconf/confmodule\ndb_get asks/name\necho \"$RET\" > /etc/asks\n";
    host.apt_repository(&[Package::new("asks", "1.0").script("postinst", script)]);
    let module = format!(
        "package.install \"asks\" {{\n  name = \"asks\"\n}}\n{}",
        answer("asks/name", "string", "the answer", "")
    );
    host.story(&module, &[]);
    assert_eq!(host.ok("cat /etc/asks").stdout, "the answer\n");
}
