//! A comparison of ansible-core and modules: the same tasks on two hosts that start in the same state.
//!
//! Each pair of files in `tasks` is a role. Its tasks are those that public roles use most, with their usual
//! fields. Afterwards both hosts must be in the same state again.
//!
//! Intended differences are left out: the markers of each tool in crontabs, git's internal files, backup
//! copies of the user tables, and subordinate id ranges, which depend on the order of creation. The tools'
//! own files (`.ansible`, and `.rpmdb` from its package queries) and links in `rc?.d` with a unit of the same
//! name are left out too.

use std::collections::BTreeSet;

use converge_tests::host::Host;

const BEFORE: &str = include_str!("tasks/before.sh");
const PAGE: &str = include_str!("tasks/page.j2");

/// The name of each role, its tasks, and the equivalent module.
const ROLES: [(&str, &str, &str); 5] = [
    ("access", include_str!("tasks/access.yml"), include_str!("tasks/access.hcl")),
    ("files", include_str!("tasks/files.yml"), include_str!("tasks/files.hcl")),
    ("services", include_str!("tasks/services.yml"), include_str!("tasks/services.hcl")),
    ("schedule", include_str!("tasks/schedule.yml"), include_str!("tasks/schedule.hcl")),
    ("archives", include_str!("tasks/archives.yml"), include_str!("tasks/archives.hcl")),
];

/// The script that prints the state of a host as lines.
///
/// The lines have kind, mode, owner, group, path, link target and file hash; then sorted lines of tables;
/// jobs; units. The first folders are those that tasks write to, and the names after them belong to the host
/// or the tool.
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

/// The script that creates a repository whose commit always has the same hash.
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

/// Returns the lines that only one host has.
fn differences(theirs: &BTreeSet<String>, ours: &BTreeSet<String>) -> String {
    let lines_of = |who: &str, these: &BTreeSet<String>, those: &BTreeSet<String>| {
        these.difference(those).fold(String::new(), |all, line| all + who + line + "\n")
    };
    lines_of("tasks:   ", theirs, ours) + &lines_of("modules: ", ours, theirs)
}
