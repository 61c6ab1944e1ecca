//! Mount options: the groups that the kernel shows, and the options of a remount.

/// Groups of mutually exclusive options that the kernel shows for each mount.
///
/// The first option of a group is its default, which the kernel does not show.
const GROUPS: [&[&str]; 6] = [
    &["rw", "ro"],
    &["suid", "nosuid"],
    &["dev", "nodev"],
    &["exec", "noexec"],
    &["strictatime", "relatime", "noatime"],
    &["diratime", "nodiratime"],
];

/// The kernel's default option for access times.
const TIMES: &str = "relatime";

/// Returns the options that an option implies; later options may override them.
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

/// Returns the effective option of a group in a list: the last one.
fn last<'t>(group: &[&str], options: &'t str) -> Option<&'t str> {
    split(options)
        .flat_map(|option| std::iter::once(option).chain(implied(option).iter().copied()))
        .filter(|option| group.contains(option))
        .last()
}

/// Returns the declared options that a mount lacks, according to the options in `shown`.
pub(super) fn missing<'t>(declared: &'t str, current: &str) -> Vec<&'t str> {
    let is_written = |option: &&str| split(declared).any(|word| word == *option);
    let counts = |group: &&'static [&'static str]| {
        last(group, declared).filter(is_written).map(|option| (*group, option))
    };
    let groups = GROUPS.iter().filter_map(counts);
    let is_missing = |(group, option): &(&[&str], &str)| {
        let last_option = split(current).filter(|word| group.contains(word)).last();
        last_option.or(group.first().copied()) != Some(*option)
    };
    groups.filter(is_missing).map(|(_, option)| option).collect()
}

/// Returns the options for a remount with exactly the declared options.
///
/// Groups without a declared option are set to their default.
pub(super) fn remount(declared: &str) -> String {
    let is_declared = |group: &[&str]| last(group, declared).is_some();
    let defaults = GROUPS.iter().filter(|group| !is_declared(group)).filter_map(|group| {
        let has_times = group.contains(&TIMES);
        if has_times { Some(TIMES) } else { group.first().copied() }
    });
    std::iter::once("remount").chain(defaults).chain(split(declared)).collect::<Vec<_>>().join(",")
}

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
