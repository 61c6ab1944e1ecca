//! Suggestions of what to write instead.

use crate::diagnostic::did_you_mean;

/// Returns the replacement of a word of another language.
///
/// The word may stand for a block, an argument or the first name of a path.
pub(crate) fn foreign_word(word: &str) -> Option<String> {
    let help = match word {
        "resource" | "data" => "write the type alone: file.content \"NAME\" { .. }",
        "variable" => "write a parameter: param \"NAME\" { default = .. }",
        "local" => "write all named values in one block: locals { NAME = .. }",
        "count" => "use `for_each`, which makes one for each entry: for_each = [\"a\", \"b\"]",
        "depends_on" | "require" | "requires" => "write depends = [\"TYPE.NAME\"]",
        "triggers" | "notify" | "subscribe" => "write on_change_of = [\"TYPE.NAME\"]",
        "var" => "write param.NAME for a parameter",
        "lifecycle" | "provisioner" | "dynamic" => {
            "there is no such block: order resources with `depends`, and repeat them with `for_each`"
        }
        "provider" | "terraform" | "backend" => {
            "remove it: types are built in, or come from a plugin (plugin \"NAME\" { .. })"
        }
        "before" | "required_by" | "require_in" => {
            "write it on the resource that waits: depends = [\"TYPE.NAME\"]"
        }
        "creates" | "removes" | "unless" | "onlyif" | "only_if" | "not_if" => {
            "on a task write check = \"test -e PATH\"; on any other resource write `when`"
        }
        "refresh" | "refreshonly" | "refresh_only" => {
            "to run a command only after a change, write a task with check = \"true\" and on_change_of = [\"TYPE.NAME\"]: only a change runs its `apply`"
        }
        "ensure" => "to remove something write state = \"absent\", or use a type such as file.absent",
        _ => return ansible_word(word).map(str::to_owned),
    };
    Some(help.to_owned())
}

/// Returns the replacement of a type that fails a run of the original Converge.
pub(super) fn failing_type(name: &str) -> Option<&'static str> {
    match name {
        "error" | "error.plan" => Some("write assert \"NAME\" { condition = false, message = \"TEXT\" }"),
        "error.apply" => Some(
            "write assert \"NAME\" { condition = .., message = \"TEXT\" }, whose condition is made of what an apply has done, as in \
             task.query.NAME.status.stdout == \"ready\"",
        ),
        _ => None,
    }
}

/// Returns the replacement of a word of Ansible.
fn ansible_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "with_items" | "with_dict" | "with_list" | "with_fileglob" | "with_nested" | "with_sequence"
        | "with_first_found" | "with_subelements" | "loop" | "loop_control" => {
            "write for_each = [\"a\", \"b\"], and each.value for the entry; for records write a map, as in { for item in \
             LIST : item.name => item }"
        }
        "item" | "loop_var" => "write each.key or each.value for the entry of `for_each`",
        "register" => {
            "remove it: refer to a result by its name, as in task.query.NAME.status.stdout; to react to a change write `on_change_of`"
        }
        "handler" | "handlers" | "listen" | "meta" => {
            "write it on the resource that reacts to the change: on_change_of = [\"TYPE.NAME\"] on a task or a systemd.unit.state"
        }
        "become" | "become_method" | "sudo" => {
            "resources run as the user who runs `converge`; to run a task as another user, write its field `user`"
        }
        "ignore_errors" | "ignore_unreachable" | "failed_when" | "rescue" | "any_errors_fatal" => {
            "write optional = true, and even_after = [\"TYPE.NAME\"] on the resources that still run"
        }
        "changed_when" | "check_mode" => {
            "remove it: a task counts as changed when its `check` fails, and a task.query never does"
        }
        "until" | "retries" => "write retry { attempts = 3  delay = \"10s\" }",
        "no_log" => "to hide a value write param \"NAME\" { sensitive = true }, or sensitive(VALUE)",
        "async" | "poll" => {
            "remove it: resources without an order run in parallel; to limit the time of one write `timeout`"
        }
        "delegate_to" | "delegate_facts" | "local_action" | "run_once" | "throttle" => {
            "a run changes the machine that it runs on; pass facts about other machines as parameters"
        }
        "hostvars" | "groups" | "group_names" | "inventory_hostname" | "play_hosts" => {
            "pass facts about other machines as parameters; the name of this machine is platform.hostname"
        }
        "ansible_facts" => {
            "write platform.FIELD for facts about the machine: platform.family, platform.hostname, platform.cpus"
        }
        "setup" | "gather_facts" => "remove it: facts about the machine are in platform.FIELD",
        "set_fact" | "include_vars" | "vars" | "vars_files" => {
            "write locals { NAME = .. }; for values in a file write yamldecode(file(\"FILE.yml\"))"
        }
        "include_tasks" | "import_tasks" | "include_role" | "import_role" | "include" | "import" | "role"
        | "roles" | "import_playbook" | "hosts" | "tasks" => {
            "a file of resources is a module: module \"FILE.hcl\" \"NAME\" { params { .. } }"
        }
        "block" | "always" => {
            "remove the block: group resources in a module, and choose between them with a `switch`"
        }
        "append" => {
            "write `groups`, which are added to those of the user; exact_groups = true removes all others"
        }
        "pause" => "wait for a port with wait.port, and for anything else with wait.query",
        _ => return None,
    })
}

pub(super) fn closest(name: &str, candidates: &[String]) -> Option<String> {
    did_you_mean(name, candidates.iter().map(String::as_str))
}
