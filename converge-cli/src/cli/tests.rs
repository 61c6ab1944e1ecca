use clap::{CommandFactory as _, Parser as _};
use insta::assert_snapshot;

use super::Cli;

#[test]
fn the_definition_holds_together() {
    Cli::command().debug_assert();
}

/// Parses a command line and compares the first line of the error.
fn check(line: &[&str], expect: Result<(), &str>) {
    let actual = Cli::try_parse_from(["converge"].iter().chain(line)).map(drop);
    let actual = actual.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned());
    assert_eq!(actual.as_ref().map(drop).map_err(String::as_str), expect, "{line:?}");
}

#[test]
fn command_lines_of_the_original_are_accepted() {
    check(&["plan", "--local", "web.hcl"], Ok(()));
    check(&["apply", "--local", "-p", "x=y", "web.hcl"], Ok(()));
    check(&["apply", "--local", "-p", "a=1", "-p", "b=2", "web.hcl", "db.hcl"], Ok(()));
    check(&["validate", "web.hcl", "db.hcl"], Ok(()));
    check(&["graph", "web.hcl"], Ok(()));
    check(&["version"], Ok(()));
}

#[test]
fn arguments_may_come_in_any_order() {
    check(&["plan", "web.hcl", "--param", "x=y", "--parallelism", "4"], Ok(()));
    check(&["--color", "never", "plan", "web.hcl", "-vv", "--format=json"], Ok(()));
    check(&["plan", "-p=x=y", "-pz=1", "web.hcl", "--detailed-exitcode"], Ok(()));
    check(&["docs"], Ok(()));
    check(&["resources"], Ok(()));
    check(&["resources", "file.owner", "--format", "json"], Ok(()));
    check(&["graph", "web.hcl", "--format", "mermaid"], Ok(()));
    check(&["plan", "--", "-odd-name.hcl"], Ok(()));
}

#[test]
fn mistakes_name_the_fix() {
    check(
        &["plan", "-p", "x", "web.hcl"],
        Err(
            "error: the argument of `--param` has no `=`; write `-p NAME=VALUE` (the argument is not shown because it may be a secret)",
        ),
    );
    check(
        &["plan", "-p", "=1", "web.hcl"],
        Err(
            "error: the argument of `--param` has no name before the `=`; write `-p NAME=VALUE` (the argument is not shown because it may be a secret)",
        ),
    );
    check(
        &["plan", "--parallelism", "0", "web.hcl"],
        Err("error: invalid value '0' for '--parallelism <N>': number would be zero for non-zero type"),
    );
    check(&["plan"], Err("error: the following required arguments were not provided:"));
    check(&["graph", "a.hcl", "b.hcl"], Err("error: unexpected argument 'b.hcl' found"));
    check(
        &["apply", "--detailed-exitcode", "a.hcl"],
        Err("error: unexpected argument '--detailed-exitcode' found"),
    );
    check(&["aply", "a.hcl"], Err("error: unrecognized subcommand 'aply'"));
    check(
        &["version", "--log", "a=b=c"],
        Err(
            "error: invalid value 'a=b=c' for '--log <FILTER>': invalid filter directive: too many '=' in filter directive, expected 0 or 1; \
             write it like `info` or `converge_engine=debug`",
        ),
    );
}

/// Returns the help of a command for a wide terminal.
fn help(path: &[&str]) -> String {
    let mut command = Cli::command().term_width(100);
    command.build();
    let subcommand =
        path.iter().fold(&mut command, |command, name| command.find_subcommand_mut(name).unwrap());
    subcommand.render_long_help().to_string()
}

#[test]
fn the_help_of_each_command() {
    assert_snapshot!("help", help(&[]));
    assert_snapshot!("help_plan", help(&["plan"]));
    assert_snapshot!("help_apply", help(&["apply"]));
    assert_snapshot!("help_show", help(&["show"]));
    assert_snapshot!("help_validate", help(&["validate"]));
    assert_snapshot!("help_graph", help(&["graph"]));
    assert_snapshot!("help_healthcheck", help(&["healthcheck"]));
    assert_snapshot!("help_explain", help(&["explain"]));
    assert_snapshot!("help_docs", help(&["docs"]));
    #[cfg(feature = "git")]
    for verb in ["lock", "update", "list"] {
        assert_snapshot!(format!("help_modules_{verb}"), help(&["modules", verb]));
    }
    for kind in ["resource", "module", "controller"] {
        assert_snapshot!(format!("help_new_{kind}"), help(&["new", kind]));
    }
    #[cfg(feature = "http")]
    for verb in ["apply", "read", "list", "delete", "watch", "status", "diff", "edit"] {
        assert_snapshot!(format!("help_resource_{verb}"), help(&["resource", verb]));
    }
    #[cfg(feature = "http")]
    for command in ["history", "events"] {
        assert_snapshot!(format!("help_{command}"), help(&[command]));
    }
    #[cfg(feature = "http")]
    for verb in ["status", "undo", "history"] {
        assert_snapshot!(format!("help_rollout_{verb}"), help(&["rollout", verb]));
    }
    #[cfg(feature = "http")]
    for verb in ["create", "list", "revoke"] {
        assert_snapshot!(format!("help_token_{verb}"), help(&["token", verb]));
    }
    #[cfg(feature = "http")]
    for verb in ["set", "list", "delete"] {
        assert_snapshot!(format!("help_secret_{verb}"), help(&["secret", verb]));
    }
    #[cfg(feature = "http")]
    for verb in ["apply", "list", "delete"] {
        assert_snapshot!(format!("help_type_{verb}"), help(&["type", verb]));
    }
    #[cfg(feature = "http")]
    for verb in ["list", "revoke"] {
        assert_snapshot!(format!("help_node_{verb}"), help(&["node", verb]));
    }
}
