//! Tests of system-wide settings on hosts that have the necessary programs.

use converge_tests::host::Host;

/// A job in a user's crontab is added, changed and removed, while the user's own lines stay.
///
/// Another job has its own file.
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
    let stdout = host.ok("stat -c '%a %U' /etc/cron.d/keeper; cat /etc/cron.d/keeper").stdout;
    assert_eq!(stdout, "644 root\n# converge: clean up\n* 3 * * * keeper true\n");
    host.story(&job("file = \"keeper\"\nstate = \"absent\""), &[]);
    assert_eq!(host.ok("ls /etc/cron.d | grep -c keeper || true").stdout, "0\n");
}

/// A network setting of the host only, because memory settings belong to the whole machine.
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
    // `sysctl` reads the file as intended.
    host.ok("sysctl -w net.ipv4.conf.all.log_martians=0 && sysctl -p /etc/sysctl.d/99-converge.conf");
    host.nothing_to_do(&setting("value = 1"), &[]);
    host.story(&setting("state = \"absent\""), &[]);
    assert_eq!(host.ok("cat /etc/sysctl.d/99-converge.conf").stdout, "# mine\n");

    let example = include_str!("../../../converge-resources/src/system/sysctl/example.hcl");
    host.story(example, &["-p", "live=false"]);
    assert_eq!(host.ok("cat /etc/sysctl.d/99-converge.conf").stdout, "# mine\nvm.swappiness = 10\n");
}

/// The file is a bind mount of Docker, which cannot be replaced.
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

/// The file is a bind mount of Docker, and the name only affects the host.
#[test]
fn the_name_of_the_machine() {
    let Some(host) = Host::systemd("the_name_of_the_machine") else { return };
    host.ok("mount -o remount,rw /proc/sys && printf 'CHASSIS=vm\\n' > /etc/machine-info");
    let example = include_str!("../../../converge-resources/src/system/hostname/example.hcl");
    let story = host.story(example, &[]);
    assert_eq!(story.apply.report("system.hostname.machine")["outcome"], "changed");
    assert_eq!(host.ok("hostname; cat /etc/hostname").stdout, "db1.example.org\ndb1.example.org\n");
    let expect = "CHASSIS=vm\nPRETTY_HOSTNAME=\"The database of the shop\"\n";
    assert_eq!(host.ok("cat /etc/machine-info").stdout, expect);
    // `hostnamectl` reads the file as intended.
    host.ok("hostnamectl --static | grep -x db1.example.org");
    host.ok("hostnamectl --pretty | grep -x 'The database of the shop'");

    let without_live = "system.hostname \"it\" {\n  name   = \"db2\"\n  pretty = \"\"\n  live   = false\n}\n";
    host.story(without_live, &[]);
    let stdout = host.ok("hostname; cat /etc/hostname /etc/machine-info").stdout;
    assert_eq!(stdout, "db1.example.org\ndb2\nCHASSIS=vm\n");
}

/// A tmpfs and a bind mount, which a host may mount.
///
/// Lines of others stay unchanged.
#[test]
fn mounts() {
    let Some(host) = Host::systemd("mounts") else { return };
    let table = "# mine\n/dev/x\t/with\\040blank  xfs noauto";
    host.put("/etc/fstab", table);
    let mount = |place: &str, more: &str| {
        format!("system.mount \"it\" {{\n  destination = \"{place}\"\n{more}\n}}\n")
    };
    let scratch = |options: &str| {
        let fields = format!("  source = \"tmpfs\"\n  fstype = \"tmpfs\"\n  options = [{options}]");
        mount("/srv/scratch one", &fields)
    };
    let mount_options = || host.ok("findmnt --noheadings --output OPTIONS '/srv/scratch one'").stdout;
    let story = host.story(&scratch("\"size=64m\", \"noexec\""), &[]);
    assert_eq!(story.apply.report("system.mount.it")["outcome"], "changed");
    let line = "tmpfs /srv/scratch\\040one tmpfs size=64m,noexec 0 0\n";
    host.file("/etc/fstab").is(&format!("{table}\n{line}"));
    assert!(
        mount_options().contains("noexec") && mount_options().contains("size=65536k"),
        "{}",
        mount_options()
    );
    // systemd has generated a unit from the line.
    host.ok("systemctl show --property=FragmentPath 'srv-scratch\\x20one.mount' | grep generator");

    host.ok("echo kept > '/srv/scratch one/file'");
    host.story(&scratch("\"size=32m\", \"ro\""), &[]);
    assert!(
        mount_options().starts_with("ro,") && mount_options().contains("size=32768k"),
        "{}",
        mount_options()
    );
    assert!(!mount_options().contains("noexec"), "{}", mount_options());
    assert_eq!(host.ok("cat '/srv/scratch one/file'").stdout, "kept\n");
    // A manual remount with other options.
    host.ok("mount -o remount,rw '/srv/scratch one'");
    host.story(&scratch("\"size=32m\", \"ro\""), &[]);

    let bind = "  source = \"/etc\"\n  fstype = \"none\"\n  options = [\"bind\", \"ro\"]";
    host.story(&mount("/srv/bound", bind), &[]);
    assert_ne!(host.run("touch /srv/bound/x").code, Some(0));
    let refused = |module: &str, part: &str| {
        let output = host.converge("apply", module, &[]);
        assert_eq!(output.code, Some(1), "{}", output.everything());
        assert!(output.stdout.contains(part), "{part}: {}", output.everything());
    };
    // The old mount of the line is replaced by the new one.
    host.story(&mount("/srv/bound", &bind.replace("/etc", "/usr")), &[]);
    host.ok("test -d /srv/bound/bin");
    host.ok("ln -s /srv /link");
    refused(&mount("/link/a", bind), "/link/a is a link, or has one on its way, and leads to /srv/a");
    let unknown_type = "  source = \"odd\"\n  fstype = \"oddfs\"";
    refused(&mount("/srv/odd", unknown_type), "file system of the kernel \\\"oddfs\\\" does not exist");
    // A mount in use stays, and so does its line.
    host.ok("(cd '/srv/scratch one' && sleep 1000) > /dev/null 2>&1 &");
    host.eventually("fuser -s '/srv/scratch one' || ls -l /proc/[0-9]*/cwd | grep -q scratch");
    refused(&mount("/srv/scratch one", "  state = \"absent\""), "busy");
    assert!(host.ok("cat /etc/fstab").stdout.contains("scratch"));
    host.ok("pkill -x sleep; true");
    host.eventually("! ls -l /proc/[0-9]*/cwd | grep -q scratch");

    for place in ["/srv/scratch one", "/srv/bound"] {
        host.story(&mount(place, "  state = \"absent\""), &[]);
    }
    host.file("/etc/fstab").is(&format!("{table}\n"));
    assert_eq!(host.ok("grep -c /srv/ /proc/self/mountinfo || true").stdout, "0\n");
}

/// The link is replaced as a whole, and the name is written if its file exists.
#[test]
fn a_time_zone() {
    let Some(host) = Host::plain("a_time_zone") else { return };
    let zone = |name: &str| format!("system.timezone \"it\" {{\n  name = \"{name}\"\n}}\n");
    host.ok("echo Etc/UTC > /etc/timezone && ln -sfn /usr/share/zoneinfo/Etc/UTC /etc/localtime");
    let story = host.story(&zone("Europe/Berlin"), &[]);
    assert_eq!(story.apply.report("system.timezone.it")["outcome"], "changed");
    assert_eq!(host.ok("date -d 2026-01-01T00:00Z +%z; cat /etc/timezone").stdout, "+0100\nEurope/Berlin\n");
    // A link in another form is no difference, and a copy of the rules becomes a link.
    host.ok("ln -sfn ../usr/share/zoneinfo/Europe/Berlin /etc/localtime");
    host.nothing_to_do(&zone("Europe/Berlin"), &[]);
    host.ok("rm /etc/localtime /etc/timezone && cp /usr/share/zoneinfo/UTC /etc/localtime");
    host.story(&zone("America/New_York"), &[]);
    let stdout =
        host.ok("readlink /etc/localtime; ls -A /etc | grep -c -e timezone -e ^[.]converge || true").stdout;
    assert_eq!(stdout, "/usr/share/zoneinfo/America/New_York\n0\n");
}

/// A locale is generated, used and removed; other locales stay.
#[test]
fn locales() {
    let Some(host) = Host::plain("locales") else { return };
    let before = host.ok("cat /etc/locale.gen").stdout;
    let locale = |more: &str| format!("system.locale \"it\" {{\n{more}\n}}\n");
    let german = "name = \"de_DE.UTF-8\"";
    host.ok("mkdir -p /etc/default && printf '# ours\\nLANGUAGE=de\\n' > /etc/default/locale");
    let story = host.story(&locale(&format!("{german}\nlang = \"de_DE.UTF-8\"")), &[]);
    assert_eq!(story.apply.report("system.locale.it")["outcome"], "changed");
    assert!(host.ok("locale -a").stdout.contains("de_DE.utf8"));
    assert_eq!(host.ok("LC_ALL=de_DE.UTF-8 date -d 2026-03-01 +%B").stdout, "M\u{e4}rz\n");
    assert_eq!(host.ok("cat /etc/default/locale").stdout, "# ours\nLANGUAGE=de\nLANG=de_DE.UTF-8\n");
    let expect = before.replace("# de_DE.UTF-8 UTF-8", "de_DE.UTF-8 UTF-8");
    assert_eq!(host.ok("cat /etc/locale.gen").stdout, expect);

    host.story(&locale(&format!("{german}\nstate = \"absent\"")), &[]);
    assert!(!host.ok("locale -a").stdout.contains("de_DE.utf8"));
    assert_eq!(host.ok("cat /etc/locale.gen").stdout, before);
}

/// An alternative is added, selected, set to automatic and removed; those of packages stay.
#[test]
fn alternatives() {
    let Some(host) = Host::plain("alternatives") else { return };
    host.ok(
        "cp /bin/cat /opt/one && cp /bin/cat /opt/two && update-alternatives --install /usr/bin/it it /opt/one 20 \
         --slave /usr/bin/its its /opt/one",
    );
    let alternative = |more: &str| format!("system.alternative \"it\" {{\n  name = \"it\"\n{more}\n}}\n");
    let two = "path = \"/opt/two\"\nlink = \"/usr/bin/it\"\npriority = 10\n\
               slaves = { its = { link = \"/usr/bin/its\", path = \"/opt/two\" } }";
    let story = host.story(&alternative(two), &[]);
    assert_eq!(story.apply.report("system.alternative.it")["outcome"], "changed");
    let realpath = "realpath /usr/bin/it /usr/bin/its";
    assert_eq!(host.ok(realpath).stdout, "/opt/two\n/opt/two\n");
    host.story(&alternative("auto = true"), &[]);
    assert_eq!(host.ok(realpath).stdout, "/opt/one\n/opt/one\n");
    host.story(&alternative("path = \"/opt/two\""), &[]);
    assert_eq!(host.ok(realpath).stdout, "/opt/two\n/opt/two\n");
    host.story(&alternative("path = \"/opt/two\"\nstate = \"absent\""), &[]);
    assert_eq!(host.ok(realpath).stdout, "/opt/one\n/opt/one\n");
    let refused = host.converge("plan", &alternative("path = \"/opt/two\""), &[]);
    assert!(
        refused.everything().contains("/opt/two is not an alternative of it, which has /opt/one"),
        "{refused:?}"
    );
}

/// A program has the declared capabilities, and a symbolic link to it is refused.
#[test]
fn capabilities_of_a_program() {
    let Some(host) = Host::plain("capabilities_of_a_program") else { return };
    host.ok("cp /bin/cat '/opt/a program' && ln -s '/opt/a program' /opt/link");
    let capability = |destination: &str, more: &str| {
        format!("file.capability \"it\" {{\n  destination = \"{destination}\"\n{more}\n}}\n")
    };
    let bind = "capabilities = \"cap_net_bind_service=+ep\"";
    let story = host.story(&capability("/opt/a program", bind), &[]);
    assert_eq!(story.apply.report("file.capability.it")["outcome"], "changed");
    let getcap = "getcap '/opt/a program'";
    assert_eq!(host.ok(getcap).stdout, "/opt/a program cap_net_bind_service=ep\n");
    host.story(&capability("/opt/a program", "capabilities = \"cap_net_raw,cap_kill=ei\""), &[]);
    assert_eq!(host.ok(getcap).stdout, "/opt/a program cap_kill,cap_net_raw=ei\n");
    let refused = host.converge("apply", &capability("/opt/link", bind), &[]);
    assert!(refused.everything().contains("/opt/link is a link"), "{refused:?}");
    host.story(&capability("/opt/a program", "state = \"absent\""), &[]);
    assert_eq!(host.ok(getcap).stdout, "");
}
