//! Options of a mount: which of them the kernel shows, and what a mount with others is told.

/// A group of options that exclude each other, and that the kernel shows for each mount. The first is what counts without any of them, which the
/// kernel does not show.
const GROUPS: [&[&str]; 6] = [
    &["rw", "ro"],
    &["suid", "nosuid"],
    &["dev", "nodev"],
    &["exec", "noexec"],
    &["strictatime", "relatime", "noatime"],
    &["diratime", "nodiratime"],
];

/// What the kernel does about times unless it is told otherwise.
const TIMES: &str = "relatime";

/// Options that stand for others, which come behind them may take back.
fn implied(option: &str) -> &'static [&'static str] {
    match option {
        "user" | "users" => &["noexec", "nosuid", "nodev"],
        "owner" | "group" => &["nosuid", "nodev"],
        "defaults" => &["rw", "suid", "dev", "exec"],
        _ => &[],
    }
}

fn split(options: &str) -> impl Iterator<Item = &str> {
    options.split(',').filter(|option| !option.is_empty())
}

/// What counts of a group in a list, in which the last counts.
fn last<'t>(group: &[&str], options: &'t str) -> Option<&'t str> {
    split(options)
        .flat_map(|option| std::iter::once(option).chain(implied(option).iter().copied()))
        .filter(|option| group.contains(option))
        .last()
}

/// Those of the declared options that the mount does not have, which the kernel shows as `shown`.
pub(super) fn missing<'t>(declared: &'t str, shown: &str) -> Vec<&'t str> {
    let is_written = |option: &&str| split(declared).any(|written| written == *option);
    let counts =
        |group: &&'static [&'static str]| last(group, declared).filter(is_written).map(|it| (*group, it));
    let groups = GROUPS.iter().filter_map(counts);
    let is_missing = |(group, option): &(&[&str], &str)| {
        let has = split(shown).filter(|shown| group.contains(shown)).last();
        has.or(group.first().copied()) != Some(*option)
    };
    groups.filter(is_missing).map(|(_, option)| option).collect()
}

/// What `mount` is told so that a mount has these options and none of the others that it had: those that are not said are said as they are without
/// them.
pub(super) fn remount(declared: &str) -> String {
    let said = |group: &[&str]| last(group, declared).is_some();
    let plain = GROUPS.iter().filter(|group| !said(group)).filter_map(|group| {
        let has_times = group.contains(&TIMES);
        if has_times { Some(TIMES) } else { group.first().copied() }
    });
    std::iter::once("remount").chain(plain).chain(split(declared)).collect::<Vec<_>>().join(",")
}

/// Whether another part of the tree is mounted, and not a file system.
pub(super) fn is_bind(options: &str) -> bool {
    split(options).any(|option| option == "bind" || option == "rbind")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_missing() {
        let check = |declared: &str, shown: &str, expect: &[&str]| {
            assert_eq!(missing(declared, shown), expect, "{declared} {shown}");
        };
        check("defaults", "ro,nosuid,relatime", &[]);
        check("noatime,nofail,size=64m", "rw,noatime", &[]);
        check("noatime", "rw,relatime", &["noatime"]);
        check("ro,nosuid", "rw,nosuid,relatime", &["ro"]);
        check("rw", "ro,relatime", &["rw"]);
        check("ro,rw", "rw", &[]);
        check("user,exec", "rw,nosuid,nodev", &[]);
        check("exec,user", "rw,nosuid,nodev,noexec", &[]);
        check("strictatime", "rw", &[]);
        check("strictatime", "rw,relatime", &["strictatime"]);
    }

    #[test]
    fn what_a_remount_is_told() {
        let check = |declared: &str, expect: &str| assert_eq!(remount(declared), expect, "{declared}");
        check("defaults", "remount,relatime,diratime,defaults");
        check("ro,noatime", "remount,suid,dev,exec,diratime,ro,noatime");
        check("size=64m", "remount,rw,suid,dev,exec,relatime,diratime,size=64m");
        check("user", "remount,rw,relatime,diratime,user");
    }

    proptest! {
        #[test]
        fn what_is_missing_was_written(declared in "((no)?(suid|exec|dev|atime)|r[ow]|user|x),{0,2}", shown in "(r[ow]|no(suid|exec|atime)|relatime)?") {
            for option in missing(&declared, &shown) {
                prop_assert!(declared.contains(option));
            }
        }
    }
}
