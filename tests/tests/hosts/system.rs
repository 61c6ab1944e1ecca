//! What is set on a machine as a whole, on hosts that have the programs for it.

use converge_tests::host::Host;

/// A job comes into the crontab of a user, is changed and goes, and what the user has there stays; another is in a file of its own.
#[test]
fn jobs_of_cron() {
    let Some(host) = Host::plain("jobs_of_cron") else { return };
    host.ok("useradd keeper && printf 'A=b\\n# mine\\n0 0 * * * echo mine\\n' | crontab -u keeper -");
    let job =
        |more: &str| format!("cron.job \"it\" {{\n  name = \"clean up\"\n  user = \"keeper\"\n{more}\n}}\n");
    let story = host.story(&job("command = \"echo 100\\\\% > /dev/null\"\nminute = \"*/5\""), &[]);
    assert_eq!(story.apply.report("cron.job.it")["outcome"], "changed");
    let expect =
        "A=b\n# mine\n0 0 * * * echo mine\n# converge: clean up\n*/5 * * * * echo 100\\% > /dev/null\n";
    assert_eq!(host.ok("crontab -u keeper -l").stdout, expect);

    host.story(&job("command = \"true\"\nspecial = \"reboot\"\ndisabled = true"), &[]);
    let expect = "A=b\n# mine\n0 0 * * * echo mine\n# converge: clean up\n#disabled @reboot true\n";
    assert_eq!(host.ok("crontab -u keeper -l").stdout, expect);

    host.story(&job("state = \"absent\""), &[]);
    assert_eq!(host.ok("crontab -u keeper -l").stdout, "A=b\n# mine\n0 0 * * * echo mine\n");

    host.story(&job("command = \"true\"\nfile = \"keeper\"\nhour = 3"), &[]);
    let found = host.ok("stat -c '%a %U' /etc/cron.d/keeper; cat /etc/cron.d/keeper").stdout;
    assert_eq!(found, "644 root\n# converge: clean up\n* 3 * * * keeper true\n");
    host.story(&job("file = \"keeper\"\nstate = \"absent\""), &[]);
    assert_eq!(host.ok("ls /etc/cron.d | grep -c keeper || true").stdout, "0\n");
}
