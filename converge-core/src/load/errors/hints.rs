//! Suggestions of what to write instead.

use crate::diagnostic::did_you_mean;

/// Returns the replacement of a word of another language.
///
/// The word may stand for a block, an argument or the first name of a path.
pub(crate) fn foreign_word(word: &str) -> Option<String> {
    let help = match word {
        "resource" | "data" => "write the type alone: file.content \"NAME\" { .. }",
        "variable" => "a value with a name is a parameter: param \"NAME\" { default = .. }",
        "local" => "values with names are in one block: locals { NAME = .. }",
        "count" => "use `for_each`, which makes one for each entry: for_each = [\"a\", \"b\"]",
        "depends_on" | "require" | "requires" => "write depends = [\"TYPE.NAME\"]",
        "triggers" | "notify" | "subscribe" => "write on_change_of = [\"TYPE.NAME\"]",
        "var" => "a parameter is param.NAME",
        "lifecycle" | "provisioner" | "dynamic" => {
            "there is no such block: what depends on what is said with `depends`, what repeats with `for_each`"
        }
        "provider" | "terraform" | "backend" => {
            "nothing is to be set up: types are built in, or in a plugin (plugin \"NAME\" { .. })"
        }
        "before" | "required_by" | "require_in" => "the one that waits says so: depends = [\"TYPE.NAME\"]",
        "creates" | "removes" | "unless" | "onlyif" | "only_if" | "not_if" => {
            "a task says by its `check` whether there is something to do, as in check = \"test -e PATH\"; anything else has `when`"
        }
        "refresh" | "refreshonly" | "refresh_only" => {
            "what is refreshed does again what it does: a task with check = \"true\" and on_change_of = [\"TYPE.NAME\"] runs its `apply` \
             after a change, and never else"
        }
        "ensure" => "what is to be gone has state = \"absent\", or a type of its own, as file.absent",
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
            "write for_each = [\"a\", \"b\"], and each.value where the entry is meant; of records a map, as in { for item in \
             LIST : item.name => item }"
        }
        "item" | "loop_var" => "an entry of `for_each` is each.key and each.value",
        "register" => {
            "nothing is registered: others look it up, as in task.query.NAME.status.stdout; where it was changed, \
             `on_change_of` tells those that can be refreshed"
        }
        "handler" | "handlers" | "listen" | "meta" => {
            "what is done after a change says so itself: on_change_of = [\"TYPE.NAME\"] on a task or a systemd.unit.state"
        }
        "become" | "become_method" | "sudo" => {
            "resources work as who runs `converge`; the script of a task runs as another one with its field `user`"
        }
        "ignore_errors" | "ignore_unreachable" | "failed_when" | "rescue" | "any_errors_fatal" => {
            "write optional = true, and even_after = [\"TYPE.NAME\"] on what goes on all the same"
        }
        "changed_when" | "check_mode" => {
            "a task changes something when its `check` fails, and a task.query never does; no more is to be said"
        }
        "until" | "retries" => "write retry { attempts = 3  delay = \"10s\" }",
        "no_log" => {
            "a value is not shown where it is secret: param \"NAME\" { sensitive = true }, or sensitive(VALUE)"
        }
        "async" | "poll" => {
            "resources run side by side when nothing orders them; `timeout` says how long one may take"
        }
        "delegate_to" | "delegate_facts" | "local_action" | "run_once" | "throttle" => {
            "a run is about the machine that it runs on; what it is to know of others is given as a parameter"
        }
        "hostvars" | "groups" | "group_names" | "inventory_hostname" | "play_hosts" => {
            "what a run is to know of other machines is given as a parameter; its own name is platform.hostname"
        }
        "ansible_facts" => {
            "what is known of the machine is platform.FIELD: platform.family, platform.hostname, platform.cpus"
        }
        "setup" | "gather_facts" => {
            "nothing is to be gathered: what is known of the machine is platform.FIELD"
        }
        "set_fact" | "include_vars" | "vars" | "vars_files" => {
            "values with names are locals { NAME = .. }; those in a file are yamldecode(file(\"FILE.yml\"))"
        }
        "include_tasks" | "import_tasks" | "include_role" | "import_role" | "include" | "import" | "role"
        | "roles" | "import_playbook" | "hosts" | "tasks" => {
            "a file of resources is a module: module \"FILE.hcl\" \"NAME\" { params { .. } }"
        }
        "block" | "always" => {
            "resources need no block around them: what is common to several is said of a module, and a choice is a `switch`"
        }
        "append" => "groups are added to those that a user has; exact_groups = true takes all others away",
        "pause" => "wait for what has to happen: a port with wait.port, anything else with wait.query",
        _ => return None,
    })
}

pub(super) fn closest(name: &str, candidates: &[String]) -> Option<String> {
    did_you_mean(name, candidates.iter().map(String::as_str))
}
