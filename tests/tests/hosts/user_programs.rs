//! Tests that the model of `useradd` and related programs behaves like them.
//!
//! The tests of `user.user` and `user.group` use the model.

#[path = "../../../converge-resources/src/user/model.rs"]
mod model;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use converge_core::system::System as _;
use converge_core::system::{Command, Exit, Machine, ModelSystem};
use converge_tests::host::Host;

/// The cases: sequences of calls on a fresh machine.
const CASES: &[&[&str]] = &[
    &["groupadd --gid 4100 -- crew", "groupadd -- crew", "groupadd --gid 4100 -- other"],
    &[
        "groupadd --gid 4100 -- crew",
        "groupmod --new-name team --gid 4200 -- crew",
        "groupmod --gid 1 -- crew",
    ],
    &["groupadd --gid 4100 -- crew", "groupadd --gid 4200 -- team", "groupmod --new-name team -- crew"],
    &["groupadd --gid 4100 -- crew", "groupmod --gid 1 -- crew", "groupdel -- crew", "groupdel -- crew"],
    &["useradd --uid 4100 --no-create-home -- ada", "useradd --no-create-home -- ada"],
    &["useradd --uid 4100 --no-create-home -- ada", "useradd --uid 4100 --no-create-home -- grace"],
    &["useradd --gid ghosts --no-create-home -- ada", "useradd --gid 4999 --no-create-home -- ada"],
    &["groupadd --gid 4100 -- ada", "useradd --no-create-home -- ada"],
    &[
        "groupadd --gid 4100 -- crew",
        "useradd --uid 4100 --gid crew --comment Ada --home-dir /srv/ada --create-home --expiredate 20484 -- ada",
        "groupdel -- crew",
        "groupmod --gid 4200 -- crew",
        "usermod --move-home --home /srv/new -- ada",
        "usermod --login grace --uid 4300 --comment Grace --expiredate 20485 -- ada",
        "userdel -- ada",
        "userdel -- grace",
        "groupdel -- crew",
    ],
    &["useradd --uid 4100 --create-home -- ada", "usermod --gid daemon -- ada", "userdel -- ada"],
    &[
        "useradd --uid 4100 --no-create-home -- ada",
        "usermod --uid 1 -- ada",
        "usermod --login daemon -- ada",
    ],
    &[
        "groupadd --gid 4100 -- crew",
        "groupadd --gid 4200 -- team",
        "useradd --uid 4100 --gid crew --shell /bin/bash --groups team --no-create-home -- ada",
        "useradd --uid 4200 --gid crew --no-create-home -- grace",
        "gpasswd --members grace,ada -- crew",
        "usermod --append --groups daemon -- ada",
        "usermod --groups crew --shell /bin/sh -- ada",
        "usermod --login mary --groups team,daemon -- ada",
        "usermod --groups ghosts -- mary",
        "gpasswd --members ghost -- crew",
        "gpasswd --members mary -- ghosts",
        "userdel -- mary",
        "gpasswd --members  -- crew",
    ],
    &[
        "useradd --uid 4100 --create-home -- ada",
        "echo ada:$1$salt$hash | chpasswd --encrypted",
        "echo ghost:$1$salt$hash | chpasswd --encrypted",
        "usermod --lock -- ada",
        "usermod --lock -- ada",
        "usermod --unlock -- ada",
        "echo ada:* | chpasswd --encrypted",
        "usermod --lock --comment Ada -- ada",
        "userdel --remove -- ada",
    ],
    &[
        "useradd --uid 4100 --no-create-home -- ada",
        "chage --mindays 1 --maxdays 90 --warndays 14 --inactive 30 --lastday 0 -- ada",
        "chage --maxdays -1 --inactive -1 -- ada",
        "chage --lastday 0 -- ghost",
    ],
    &[
        "useradd --uid 4100 --no-create-home -- ada",
        "chage --lastday 0 -- ada",
        "echo ada:$1$salt$hash | chpasswd --encrypted",
    ],
    &["usermod --uid 4100 -- ghost", "groupmod --gid 4100 -- ghosts", "userdel -- ghost"],
];

/// The script that prints the results of a case: exit codes, and new users, groups, days and files.
const LEAVES: &str = r#"
for file in passwd group shadow; do grep -vxFf /root/before/$file /etc/$file > /root/$file; done
cut -d: -f1,3-7 /root/passwd | sed 's/^/user /'
cut -d: -f1,3,4 /root/group | sed 's/^/group /'
awk -F: '{ print "shadow " $1 ":" $2 ":" ($3 == 0 ? "0" : "day") ":" $4 ":" $5 ":" $6 ":" $7 ":" $8 }' /root/shadow
find /home /srv -mindepth 1 -printf '%p %m %U:%G\n'
"#;

#[test]
fn the_model_does_what_the_programs_do() {
    let Some(host) = Host::plain("the_model_does_what_the_programs_do") else { return };
    host.ok(
        "rm -rf /etc/skel /home /srv && mkdir /etc/skel /home /srv && echo 'umask 022' > /etc/skel/.profile",
    );
    host.ok("mkdir /root/before && cp -a /etc/passwd /etc/group /etc/shadow /etc/gshadow /root/before");
    for case in CASES {
        let mut script = String::new();
        for call in *case {
            // Shell variables and patterns are escaped.
            let call = call.replace('$', "\\$").replace('*', "\\*").replace("  ", " '' ");
            let _ = writeln!(script, "{call} > /dev/null 2>&1; echo \"code $?\"");
        }
        let output = host.ok(&format!("{script}{LEAVES}"));
        let actual: BTreeSet<_> = numbered(&output.stdout);
        assert_eq!(actual, numbered(&on_the_model(case)), "{case:#?}");
        host.ok("cp -a /root/before/* /etc && rm -rf /home /srv && mkdir /home /srv");
    }
}

/// Sorts lines, except exit codes, which keep their positions.
fn numbered(text: &str) -> BTreeSet<String> {
    let mut codes = 0;
    let line = |line: &str| {
        if !line.starts_with("code ") {
            return line.to_owned();
        }
        codes += 1;
        format!("{codes}. {line}")
    };
    text.lines().map(line).collect()
}

fn on_the_model(case: &[&str]) -> String {
    let model = model::machine().with_dir("/srv");
    let before = model.machine();
    let mut left = String::new();
    for call in case {
        let (input, call) = call.split_once(" | ").unwrap_or(("", call));
        let mut words = call.split(' ');
        let mut command = Command::new(words.next().unwrap_or_default()).args(words);
        command.stdin =
            input.strip_prefix("echo ").map(|line| format!("{line}\n")).unwrap_or_default().into();
        let code = match run(&model, command) {
            Exit::Code(code) => code,
            other => panic!("{call}: {other:?}"),
        };
        let _ = writeln!(left, "code {code}");
    }
    describe(&before, &model.machine(), &mut left);
    left
}

fn run(model: &ModelSystem, command: Command) -> Exit {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(model.processes().run(command)).unwrap().exit
}

fn describe(before: &Machine, after: &Machine, left: &mut String) {
    for user in after.users().filter(|user| before.user(&user.name) != Some(user)) {
        let home = user.home.display();
        let shell = user.shell.display();
        let _ =
            writeln!(left, "user {}:{}:{}:{}:{home}:{shell}", user.name, user.uid, user.gid, user.comment);
    }
    for group in after.groups().filter(|group| before.group(&group.name) != Some(group)) {
        let _ = writeln!(left, "group {}:{}:{}", group.name, group.gid, group.members.join(","));
    }
    let lines = |machine: &Machine| {
        let shadow = machine.file("/etc/shadow").unwrap_or_default().to_owned();
        String::from_utf8(shadow).unwrap().lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    for line in lines(after).difference(&lines(before)) {
        let fields: Vec<_> = line.split(':').collect();
        let changed = if fields[2] == "0" { "0" } else { "day" };
        let _ = writeln!(left, "shadow {}:{}:{changed}:{}", fields[0], fields[1], fields[3..8].join(":"));
    }
    for (path, entry) in after.entries() {
        if path.parent().is_some_and(|parent| parent.starts_with("/home") || parent.starts_with("/srv")) {
            let _ = writeln!(left, "{} {:o} {}:{}", path.display(), entry.mode, entry.uid, entry.gid);
        }
    }
}
