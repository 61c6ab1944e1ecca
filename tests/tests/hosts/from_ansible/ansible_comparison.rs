//! The same tasks, by ansible-core and by modules, on two hosts that were the same before. Each pair of files in `tasks` is a role: its tasks
//! are of the kinds that public roles have most of, with the fields that those have. Afterwards the hosts are the same again.
//!
//! Different on purpose, and left out: the lines by which each finds its own again in tables of cron, what git keeps for itself, the
//! copies that the programs for users keep of their tables, and the ranges of ids for containers, which go by who comes first; what
//! the other tool leaves of its own (`.ansible`, and `.rpmdb` by its look at packages); links in `rc?.d`, which nothing reads where a unit
//! has the name.

use std::collections::BTreeSet;

use converge_tests::host::Host;

const BEFORE: &str = include_str!("tasks/before.sh");
const PAGE: &str = include_str!("tasks/page.j2");

/// The name of a role, its tasks, and the module that stands for them.
const ROLES: [(&str, &str, &str); 5] = [
    ("access", include_str!("tasks/access.yml"), include_str!("tasks/access.hcl")),
    ("files", include_str!("tasks/files.yml"), include_str!("tasks/files.hcl")),
    ("services", include_str!("tasks/services.yml"), include_str!("tasks/services.hcl")),
    ("schedule", include_str!("tasks/schedule.yml"), include_str!("tasks/schedule.hcl")),
    ("archives", include_str!("tasks/archives.yml"), include_str!("tasks/archives.hcl")),
];

/// What there is, a line each: kind, mode, owner, group, path, target of a link, hash of a file; lines of tables, in any order; jobs;
/// units. The first folders are those that tasks write to, and the names behind them what is the host's own or the tool's.
const STATE: &str = r#"
find /etc /home /opt /root /srv /usr/local /var/spool/cron -xdev \
    \( -path /srv/ansible -o -path /srv/converge-test -o -path /root/.ansible -o -path /root/.rpmdb -o -path /opt/sources/.git \
       -o -path /etc/hosts -o -path /etc/hostname -o -path /etc/resolv.conf -o -path /etc/machine-id -o -path '/etc/*-' -o -path '/etc/rc?.d/*' \) -prune \
    -o -printf '%y %m %u %g %p %l\n'
find /etc /home /opt /root /srv /usr/local -xdev -type f \
    \( -path '/srv/ansible/*' -o -path '/srv/converge-test/*' -o -path '/root/.ansible/*' -o -path '/root/.rpmdb/*' -o -path '/opt/sources/.git/*' \
       -o -path /etc/hosts -o -path /etc/hostname -o -path /etc/resolv.conf -o -path /etc/machine-id -o -path '/etc/*-' \
       -o -path /etc/cron.d/app -o -path /etc/passwd -o -path /etc/group -o -path /etc/shadow -o -path /etc/gshadow -o -path '/etc/sub?id' \) -prune \
    -o -type f -exec sha256sum {} +
for table in passwd group shadow gshadow; do sed "s/^/$table: /" /etc/$table; done
for table in /etc/cron.d/app /var/spool/cron/crontabs/*; do grep -v '^#' "$table" | sed "s|^|$table: |"; done
grep -h report /var/spool/cron/crontabs/mover | grep '/bin/echo' | sed 's/^#\(disabled \)*/disabled: /'
for unit in app cron; do echo "$unit is $(systemctl is-active $unit), $(systemctl is-enabled $unit)"; done
systemctl is-enabled debug-shell.service
systemctl show --property LimitNOFILE app
git -C /opt/sources log -1 --format='sources: %H'
true
"#;

/// A repository with a commit that has the same name whenever it is made.
const SOURCES: &str = "\
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.com GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.com
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
cd /tmp && git init -q -b main sources && cd sources && echo 1 > a && git add a && git commit -q -m one && git tag v1
echo 2 > a && git commit -q -a -m two && git clone -q --bare /tmp/sources /srv/sources.git && rm -rf /tmp/sources";

fn prepared(test: &str) -> Option<Host> {
    let host = Host::systemd(test)?;
    host.ok(BEFORE);
    host.ok(SOURCES);
    Some(host)
}

fn state(host: &Host) -> BTreeSet<String> {
    host.ok(STATE).stdout.lines().map(str::to_owned).collect()
}

#[test]
fn modules_leave_what_tasks_leave() {
    const TEST: &str = "modules_leave_what_tasks_leave";
    let (Some(theirs), Some(ours)) = (prepared(TEST), prepared(TEST)) else { return };
    assert_eq!(differences(&state(&theirs), &state(&ours)), "", "before");

    theirs.put("/srv/ansible/templates/page.j2", PAGE);
    let mut playbook = "- hosts: localhost\n  connection: local\n  tasks:\n".to_owned();
    for (name, tasks, _) in ROLES {
        theirs.put(&format!("/srv/ansible/{name}.yml"), tasks);
        playbook.extend(["    - ansible.builtin.import_tasks: ", name, ".yml\n"]);
    }
    theirs.put("/srv/ansible/all.yml", playbook);
    let play = "cd /srv/ansible && LC_ALL=C.UTF-8 ANSIBLE_NOCOLOR=1 ansible-playbook -i localhost, all.yml";
    theirs.ok(play);

    ours.put("/srv/converge-test/roles/module.hcl", "# The roles are its files.\n");
    for (name, _, module) in ROLES {
        ours.put(&format!("/srv/converge-test/roles/{name}.hcl"), module);
    }
    ours.converge_file("plan", "/srv/converge-test/roles", &[]).success();
    ours.converge_file("apply", "/srv/converge-test/roles", &[]).success();
    assert_eq!(differences(&state(&theirs), &state(&ours)), "");
    ours.converge_file("plan", "/srv/converge-test/roles", &[]).success().has_nothing_to_do();
}

/// What only one of them has, a line each.
fn differences(theirs: &BTreeSet<String>, ours: &BTreeSet<String>) -> String {
    let only = |who: &str, these: &BTreeSet<String>, those: &BTreeSet<String>| {
        these.difference(those).fold(String::new(), |all, line| all + who + line + "\n")
    };
    only("tasks:   ", theirs, ours) + &only("modules: ", ours, theirs)
}
