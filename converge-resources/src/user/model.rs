//! A model of the programs of shadow-utils for tests.
//!
//! It models their effects on the users and groups of a model host, and their exit codes. Tests on real hosts
//! compare the model with the programs: `tests/tests/hosts/user_programs.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use converge_sdk::system::{Command, EntryKind, Group, Machine, ModelSystem, Output, User};

/// The beginning of the error of `usermod` if it cannot move a home directory.
const NOT_MOVED: &str = "cannot rename directory";

/// Returns a host that has the programs.
pub(crate) fn machine() -> ModelSystem {
    let programs = [
        "sbin/useradd",
        "sbin/usermod",
        "sbin/userdel",
        "sbin/groupadd",
        "sbin/groupmod",
        "sbin/groupdel",
        "sbin/chpasswd",
        "bin/gpasswd",
        "bin/chage",
        "bin/ssh-keygen",
    ];
    let model =
        ModelSystem::new().with_file("/etc/skel/.profile", "umask 022\n").with_dir("/home").with_file(
            "/etc/shadow",
            "root:*:18262:0:99999:7:::\ndaemon:*:18262:0:99999:7:::\nnobody:*:18262:0:99999:7:::\n",
        );
    let add_program = |model: ModelSystem, name: &&str| model.with_file(Path::new("/usr").join(name), "");
    programs.iter().fold(model, add_program).with_program(run)
}

/// Runs one of the programs, or returns `None` for another one.
fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    let program = Path::new(&command.program).file_name()?.to_str()?;
    let call = Call::parse(&command.args);
    // A refused operation changes nothing, but a failed move of a home directory is recorded as done.
    let mut after = machine.clone();
    let result = match program {
        "useradd" => useradd(&call, &mut after),
        "usermod" => usermod(&call, &mut after),
        "userdel" => userdel(&call, &mut after),
        "groupadd" => groupadd(&call, &mut after),
        "groupmod" => groupmod(&call, &mut after),
        "groupdel" => groupdel(&call, &mut after),
        "gpasswd" => gpasswd(&call, &mut after),
        "chpasswd" => chpasswd(&String::from_utf8_lossy(&command.stdin), &mut after),
        "chage" => chage(&call, &mut after),
        "ssh-keygen" => ssh_keygen(&call, &mut after),
        _ => return None,
    };
    Some(match result {
        Ok(()) => {
            *machine = after;
            Output::success("")
        }
        Err((code, message)) => {
            if message.starts_with(NOT_MOVED) {
                *machine = after;
            }
            Output::failure(code, format!("{program}: {message}\n"))
        }
    })
}

/// The exit code and the message of a refusal.
type Refused = (i32, String);

struct Call {
    options: BTreeMap<String, String>,
    name: String,
}

impl Call {
    fn parse(args: &[String]) -> Self {
        const FLAGS: [&str; 10] = [
            "--create-home",
            "--no-create-home",
            "--move-home",
            "--system",
            "--append",
            "--lock",
            "--unlock",
            "--remove",
            "--encrypted",
            "-q",
        ];
        let mut call = Self { options: BTreeMap::new(), name: String::new() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--" => call.name = args.next().cloned().unwrap_or_default(),
                flag if FLAGS.contains(&flag) => drop(call.options.insert(arg.clone(), String::new())),
                _ => drop(call.options.insert(arg.clone(), args.next().cloned().unwrap_or_default())),
            }
        }
        call
    }

    fn has(&self, option: &str) -> bool {
        self.options.contains_key(option)
    }

    fn get(&self, option: &str) -> Option<&str> {
        self.options.get(option).map(String::as_str)
    }

    fn number(&self, option: &str) -> Option<u32> {
        self.get(option)?.parse().ok()
    }
}

fn useradd(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let name = call.name.as_str();
    // The order is that of useradd itself, which looks up the group while it parses the options.
    let group = match call.get("--gid") {
        Some(group) => Some(gid_of(machine, group)?),
        None => None,
    };
    if machine.user(name).is_some() {
        return Err((9, format!("user '{name}' already exists")));
    }
    if group.is_none() && machine.group(name).is_some() {
        let hint = "if you want to add this user to that group, use -g.";
        return Err((9, format!("group {name} exists - {hint}")));
    }
    let groups = groups_of(call, machine)?;
    let is_system = call.has("--system");
    let uid = match call.number("--uid") {
        Some(uid) if machine.users().any(|user| user.uid == uid) => {
            return Err((4, format!("UID {uid} is not unique")));
        }
        Some(uid) => uid,
        None => next(machine.users().map(|user| user.uid), is_system),
    };
    let gid = group.unwrap_or_else(|| {
        let exists = machine.groups().any(|group| group.gid == uid);
        let gid = if exists { next(machine.groups().map(|group| group.gid), is_system) } else { uid };
        machine.put_group(Group { name: name.to_owned(), gid, members: Vec::new() });
        gid
    });
    let home = call.get("--home-dir").map_or_else(|| Path::new("/home").join(name), PathBuf::from);
    machine.put_user(User {
        name: name.to_owned(),
        uid,
        gid,
        comment: call.get("--comment").unwrap_or_default().to_owned(),
        home: home.clone(),
        shell: call.get("--shell").unwrap_or("/bin/sh").into(),
    });
    join(machine, name, &groups.unwrap_or_default());
    put_shadow(machine, name, name, call.get("--expiredate").unwrap_or_default());
    if call.has("--create-home") && machine.entry(&home).is_none() {
        make_home(machine, &home, call.get("--skel").unwrap_or("/etc/skel"), uid, gid);
    }
    Ok(())
}

fn usermod(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let name = call.name.as_str();
    let mut user = machine.user(name).cloned().ok_or_else(|| (6, format!("user '{name}' does not exist")))?;
    let before = user.clone();
    if let Some(group) = call.get("--gid") {
        user.gid = gid_of(machine, group)?;
    }
    if let Some(login) = call.get("--login") {
        if machine.user(login).is_some() {
            return Err((9, format!("user '{login}' already exists")));
        }
        login.clone_into(&mut user.name);
    }
    let groups = groups_of(call, machine)?;
    if let Some(uid) = call.number("--uid") {
        if machine.users().any(|other| other.uid == uid) {
            return Err((4, format!("UID '{uid}' already exists")));
        }
        user.uid = uid;
    }
    if let Some(comment) = call.get("--comment") {
        comment.clone_into(&mut user.comment);
    }
    if let Some(shell) = call.get("--shell") {
        user.shell = shell.into();
    }
    if let Some(home) = call.get("--home") {
        user.home = home.into();
        if call.has("--move-home") && machine.entry(home).is_some() {
            return Err((12, format!("directory {home} exists")));
        }
    }
    if call.has("--move-home") {
        let parent = user.home.parent().and_then(|parent| machine.entry(parent));
        if parent.is_none_or(|parent| parent.kind != EntryKind::Directory) {
            let message = format!("{NOT_MOVED} {} to {}", before.home.display(), user.home.display());
            machine.put_user(user);
            return Err((12, message));
        }
        move_tree(machine, &before.home, &user.home);
    }
    own_tree(machine, &user.home, (before.uid, before.gid), (user.uid, user.gid));
    machine.remove_user(name);
    let has_groups = leave(machine, name, |_| groups.is_none() || call.has("--append"));
    join(machine, &user.name, &has_groups);
    join(machine, &user.name, &groups.unwrap_or_default());
    put_shadow(machine, name, &user.name, call.get("--expiredate").unwrap_or_default());
    if call.has("--lock") || call.has("--unlock") {
        put_password(machine, &user.name, |password| match password.strip_prefix('!') {
            Some(rest) if call.has("--unlock") => rest.to_owned(),
            None if call.has("--lock") => format!("!{password}"),
            _ => password.to_owned(),
        });
    }
    machine.put_user(user);
    Ok(())
}

fn userdel(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let name = call.name.as_str();
    let user = machine.remove_user(name).ok_or_else(|| (6, format!("user '{name}' does not exist")))?;
    leave(machine, name, |_| false);
    if call.has("--remove") {
        machine.remove(&user.home);
    }
    let has_group = machine.group(name).is_some_and(|group| group.gid == user.gid);
    if has_group && !machine.users().any(|other| other.gid == user.gid) {
        machine.remove_group(name);
    }
    let shadow = text(machine, "/etc/shadow");
    let lines: Vec<&str> = shadow.split_inclusive('\n').filter(|line| !is_of(line, name)).collect();
    machine.put_file("/etc/shadow", lines.concat());
    Ok(())
}

fn groupadd(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let name = call.name.as_str();
    if machine.group(name).is_some() {
        return Err((9, format!("group '{name}' already exists")));
    }
    let gid = match call.number("--gid") {
        Some(gid) if machine.groups().any(|group| group.gid == gid) => {
            return Err((4, format!("GID '{gid}' already exists")));
        }
        Some(gid) => gid,
        None => next(machine.groups().map(|group| group.gid), call.has("--system")),
    };
    machine.put_group(Group { name: name.to_owned(), gid, members: Vec::new() });
    Ok(())
}

fn groupmod(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let name = call.name.as_str();
    let mut group =
        machine.group(name).cloned().ok_or_else(|| (6, format!("group '{name}' does not exist")))?;
    let old_gid = group.gid;
    if let Some(gid) = call.number("--gid") {
        if machine.groups().any(|other| other.gid == gid) {
            return Err((4, format!("GID '{gid}' already exists")));
        }
        group.gid = gid;
    }
    if let Some(new_name) = call.get("--new-name") {
        if machine.group(new_name).is_some() {
            return Err((9, format!("group '{new_name}' already exists")));
        }
        new_name.clone_into(&mut group.name);
    }
    let members: Vec<User> = machine.users().filter(|user| user.gid == old_gid).cloned().collect();
    for user in members {
        machine.put_user(User { gid: group.gid, ..user });
    }
    machine.remove_group(name);
    machine.put_group(group);
    Ok(())
}

fn groupdel(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let name = call.name.as_str();
    let group = machine.remove_group(name).ok_or_else(|| (6, format!("group '{name}' does not exist")))?;
    match machine.users().find(|user| user.gid == group.gid) {
        Some(user) => Err((8, format!("cannot remove the primary group of user '{}'", user.name))),
        None => Ok(()),
    }
}

fn gpasswd(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let name = call.name.as_str();
    let mut group = machine
        .group(name)
        .cloned()
        .ok_or_else(|| (3, format!("group '{name}' does not exist in /etc/group")))?;
    let members = names(call.get("--members").unwrap_or_default());
    if let Some(ghost) = members.iter().find(|member| machine.user(member).is_none()) {
        return Err((3, format!("user '{ghost}' does not exist")));
    }
    group.members = members;
    machine.put_group(group);
    Ok(())
}

fn chpasswd(input: &str, machine: &mut Machine) -> Result<(), Refused> {
    for line in input.lines() {
        let (name, hash) = line.split_once(':').ok_or_else(|| (1, "missing new password".to_owned()))?;
        if machine.user(name).is_none() {
            return Err((1, format!("(line 1, user {name}) does not exist")));
        }
        put_password(machine, name, |_| hash.to_owned());
        put_field(machine, name, 2, |_| TODAY.to_owned());
    }
    Ok(())
}

/// The current day in the model.
const TODAY: &str = "18262";

fn chage(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let name = call.name.as_str();
    if machine.user(name).is_none() {
        return Err((1, format!("user '{name}' does not exist in /etc/passwd")));
    }
    for (field, option) in
        [(2, "--lastday"), (3, "--mindays"), (4, "--maxdays"), (5, "--warndays"), (6, "--inactive")]
    {
        if let Some(days) = call.get(option) {
            put_field(machine, name, field, |_| days.trim_start_matches("-1").to_owned());
        }
    }
    Ok(())
}

fn ssh_keygen(call: &Call, machine: &mut Machine) -> Result<(), Refused> {
    let (Some(path), Some(comment)) = (call.get("-f"), call.get("-C")) else {
        return Err((255, "too few arguments".to_owned()));
    };
    machine.put_file(path, format!("the private key of {comment}\n"));
    machine.put_mode(path, 0o600);
    machine.put_file(format!("{path}.pub"), format!("ssh-ed25519 AAAA {comment}\n"));
    Ok(())
}

fn names(list: &str) -> Vec<String> {
    list.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the groups in `--groups`, or `None` without that option.
fn groups_of(call: &Call, machine: &Machine) -> Result<Option<Vec<String>>, Refused> {
    let Some(list) = call.get("--groups") else { return Ok(None) };
    let names = names(list);
    for name in &names {
        gid_of(machine, name)?;
    }
    Ok(Some(names))
}

fn join(machine: &mut Machine, user: &str, groups: &[String]) {
    for name in groups {
        let Some(mut group) = machine.group(name).cloned() else { continue };
        if !group.members.iter().any(|member| member == user) {
            group.members.push(user.to_owned());
            machine.put_group(group);
        }
    }
}

/// Removes a user from all groups, and returns the groups that `is_kept` selects.
fn leave(machine: &mut Machine, user: &str, is_kept: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    let groups: Vec<Group> = machine.groups().cloned().collect();
    for mut group in groups {
        if group.members.iter().any(|member| member == user) {
            names.extend(is_kept(&group.name).then(|| group.name.clone()));
            group.members.retain(|member| member != user);
            machine.put_group(group);
        }
    }
    names
}

fn gid_of(machine: &Machine, group: &str) -> Result<u32, Refused> {
    let entry = match group.parse::<u32>() {
        Ok(gid) => machine.groups().find(|group| group.gid == gid),
        Err(_) => machine.group(group),
    };
    entry.map(|group| group.gid).ok_or_else(|| (6, format!("group '{group}' does not exist")))
}

/// Returns the id after the highest one of people; for system accounts, the highest free one.
fn next(ids: impl Iterator<Item = u32>, is_system: bool) -> u32 {
    if is_system {
        let used_ids: Vec<u32> = ids.collect();
        return (101..=999).rev().find(|id| !used_ids.contains(id)).unwrap_or(999);
    }
    ids.filter(|id| (1000..60_000).contains(id)).max().map_or(1000, |id| id + 1)
}

fn text(machine: &Machine, path: &str) -> String {
    String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned()
}

fn is_of(line: &str, name: &str) -> bool {
    line.split(':').next() == Some(name)
}

/// Changes the name, and the expiry if one is given, in the line of `name` in the shadow file.
fn put_shadow(machine: &mut Machine, name: &str, new_name: &str, expiry: &str) {
    let shadow = text(machine, "/etc/shadow");
    let entry = shadow.lines().find(|line| is_of(line, name)).unwrap_or("x:!:18262:0:99999:7:::");
    let mut fields: Vec<&str> = entry.split(':').collect();
    fields[0] = new_name;
    if !expiry.is_empty() {
        fields[7] = expiry;
    }
    let line = format!("{}\n", fields.join(":"));
    let others = shadow.lines().filter(|line| !is_of(line, name)).map(|line| format!("{line}\n"));
    let shadow: String = others.chain([line]).collect();
    machine.put_file("/etc/shadow", shadow);
}

/// Changes the password in the line of `name` in the shadow file.
fn put_password(machine: &mut Machine, name: &str, change: impl Fn(&str) -> String) {
    put_field(machine, name, 1, change);
}

/// Changes a field, counted from 0, of the line of `name` in the shadow file.
fn put_field(machine: &mut Machine, name: &str, field: usize, change: impl Fn(&str) -> String) {
    let shadow = text(machine, "/etc/shadow");
    let line = |line: &str| {
        let mut fields: Vec<String> = line.split(':').map(str::to_owned).collect();
        if let Some(field) = fields.get_mut(field).filter(|_| is_of(line, name)) {
            *field = change(field);
        }
        format!("{}\n", fields.join(":"))
    };
    let shadow: String = shadow.lines().map(line).collect();
    machine.put_file("/etc/shadow", shadow);
}

fn make_home(machine: &mut Machine, home: &Path, skeleton: &str, uid: u32, gid: u32) {
    machine.put_dir(home);
    copy_tree(machine, Path::new(skeleton), home);
    own_tree(machine, home, (0, 0), (uid, gid));
}

fn copy_tree(machine: &mut Machine, from: &Path, to: &Path) {
    for (path, entry) in machine.entries() {
        let Ok(relative) = path.strip_prefix(from) else { continue };
        if relative.as_os_str().is_empty() {
            continue;
        }
        let copy = to.join(relative);
        match entry.kind {
            EntryKind::Directory => machine.put_dir(&copy),
            EntryKind::File(bytes) => machine.put_file(&copy, bytes),
            EntryKind::Symlink(target) => machine.put_symlink(&copy, target),
        }
        machine.put_mode(&copy, entry.mode);
        machine.put_owner(&copy, entry.uid, entry.gid);
    }
}

fn move_tree(machine: &mut Machine, from: &Path, to: &Path) {
    let Some(entry) = machine.entry(from) else { return };
    machine.put_dir(to);
    machine.put_mode(to, entry.mode);
    machine.put_owner(to, entry.uid, entry.gid);
    copy_tree(machine, from, to);
    machine.remove(from);
}

/// Changes the owner of everything below a path that has the old owner, user and group separately.
fn own_tree(machine: &mut Machine, root: &Path, old: (u32, u32), new: (u32, u32)) {
    for (path, entry) in machine.entries() {
        if path.starts_with(root) {
            let uid = if entry.uid == old.0 { new.0 } else { entry.uid };
            let gid = if entry.gid == old.1 { new.1 } else { entry.gid };
            machine.put_owner(&path, uid, gid);
        }
    }
}
