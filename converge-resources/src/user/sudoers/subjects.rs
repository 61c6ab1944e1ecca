//! The users and groups that rules of sudo name.

use converge_sdk::footprint::kind;

/// Calls `add` with the kind and name of each user and group in the rules.
///
/// Names of hosts and aliases may be among the users, where no account has these names.
pub(super) fn for_each(content: &str, mut add: impl FnMut(&'static str, &str)) {
    let content = content.replace("\\\n", " ");
    for line in content.lines().map(str::trim) {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if line.starts_with(['#', '@']) || word.starts_with("Defaults") {
            continue;
        }
        match word {
            "User_Alias" | "Runas_Alias" => {
                // Several aliases of one line are separated by colons.
                let lists = rest.split(':').filter_map(|alias| Some(alias.split_once('=')?.1));
                lists.flat_map(names).for_each(|name| subject(name, &mut add));
            }
            "Host_Alias" | "Cmnd_Alias" | "Cmd_Alias" => {}
            _ => {
                let Some((subjects, commands)) = line.split_once('=') else { continue };
                names(subjects).for_each(|name| subject(name, &mut add));
                run_as(commands, &mut add);
            }
        }
    }
}

/// Adds the users and groups in parentheses that commands run as: `(ada : www)`.
fn run_as(commands: &str, add: &mut impl FnMut(&'static str, &str)) {
    let lists = commands.split('(').skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    for list in lists {
        let (users, groups) = list.split_once(':').unwrap_or((list, ""));
        names(users).for_each(|name| subject(name, add));
        names(groups).for_each(|name| add(kind::GROUP, name));
    }
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    let names = list.split(|letter: char| letter == ',' || letter.is_whitespace());
    let names = names.map(|name| name.trim_start_matches('!').trim_matches('"'));
    names.filter(|name| !name.is_empty() && *name != "ALL")
}

/// Adds a user, or the group of `%GROUP`; ids and net groups are no names.
fn subject(name: &str, add: &mut impl FnMut(&'static str, &str)) {
    let (kind, name) = name.strip_prefix('%').map_or((kind::USER, name), |group| (kind::GROUP, group));
    if !name.starts_with(['#', '+', ':']) {
        add(kind, name);
    }
}

#[cfg(test)]
mod tests {
    use super::for_each;

    #[test]
    fn users_and_groups_of_rules() {
        let check = |content: &str, expect: &str| {
            let mut found = Vec::new();
            for_each(content, |kind, name| found.push(format!("{kind} {name}")));
            assert_eq!(found.join(", "), expect, "{content}");
        };
        check("cas1 ALL=(ALL) NOPASSWD: /bin/true\n", "user cas1");
        check("%wheel ALL = (ALL : ALL) ALL", "group wheel");
        check(
            "ada, %ops ALL=(www-data:adm) /bin/a, (root) /bin/b",
            "user ada, group ops, user www-data, group adm, user root",
        );
        check(
            "User_Alias OPS = ada, bob : WEB = !eve\nOPS ALL = ALL",
            "user ada, user bob, user eve, user OPS",
        );
        check("# eve ALL=ALL\nDefaults:ada !lecture\n@includedir /etc/x", "");
        check("Cmnd_Alias X = /bin/a\n#1000 ALL=ALL\n%#10, +net ALL=ALL", "");
        check("ada \\\n  ALL = \\\n (bob) ALL", "user ada, user bob");
    }
}
