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

/// A setting of the network of the host alone: those of memory are of the machine that all hosts share.
#[test]
fn settings_of_the_kernel() {
    let Some(host) = Host::systemd("settings_of_the_kernel") else { return };
    host.ok("mount -o remount,rw /proc/sys && echo '# mine' > /etc/sysctl.d/99-converge.conf");
    let setting = |more: &str| {
        format!("system.sysctl \"it\" {{\n  name = \"net.ipv4.conf.all.log_martians\"\n{more}\n}}\n")
    };
    let story = host.story(&setting("value = 1"), &[]);
    assert_eq!(story.apply.report("system.sysctl.it")["outcome"], "changed");
    assert_eq!(host.ok("sysctl -n net.ipv4.conf.all.log_martians").stdout, "1\n");
    let expect = "# mine\nnet.ipv4.conf.all.log_martians = 1\n";
    assert_eq!(host.ok("cat /etc/sysctl.d/99-converge.conf").stdout, expect);
    // The program reads it as it was meant.
    host.ok("sysctl -w net.ipv4.conf.all.log_martians=0 && sysctl -p /etc/sysctl.d/99-converge.conf");
    host.nothing_to_do(&setting("value = 1"), &[]);
    host.story(&setting("state = \"absent\""), &[]);
    assert_eq!(host.ok("cat /etc/sysctl.d/99-converge.conf").stdout, "# mine\n");

    let example = include_str!("../../../converge-resources/src/system/sysctl/example.hcl");
    host.story(example, &["-p", "live=false"]);
    assert_eq!(host.ok("cat /etc/sysctl.d/99-converge.conf").stdout, "# mine\nvm.swappiness = 10\n");
}

/// The file is a mount of the engine, which nothing can replace.
#[test]
fn addresses_of_names() {
    let Some(host) = Host::plain("addresses_of_names") else { return };
    let before = host.ok("cat /etc/hosts").stdout;
    let entry = |more: &str| format!("system.hosts \"it\" {{\n  name = \"db.example.org\"\n{more}\n}}\n");
    host.story(&entry("ip = \"192.0.2.10\"\naliases = [\"db\"]"), &[]);
    assert_eq!(host.ok("cat /etc/hosts").stdout, format!("{before}192.0.2.10 db.example.org db\n"));
    assert!(host.ok("getent hosts db").stdout.contains("192.0.2.10"));
    host.story(&entry("ip = \"192.0.2.11\""), &[]);
    assert!(host.ok("getent hosts db.example.org").stdout.contains("192.0.2.11"));
    host.story(&entry("state = \"absent\""), &[]);
    assert_eq!(host.ok("cat /etc/hosts").stdout, before);
}
