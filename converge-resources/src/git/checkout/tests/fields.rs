//! Tests of refused fields, and of the commands that git gets.

use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, System};

use super::model::{MAIN, at, machine};
use super::with_defaults;
use crate::git::checkout::GitCheckoutPreparer;
use crate::testing::{Written, apply, plan};

#[tokio::test]
async fn fields() {
    let system: Arc<dyn System> = Arc::new(machine());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<GitCheckoutPreparer>(&system, &with_defaults(written)).await;
        assert!(output.contains(expect), "{written:?}: {output}");
    };
    check(&[("repository", "https://me:pw@host/a".into())], "error: repository: ").await;
    check(&[("repository", "ext::sh -c id".into())], "error: repository: ").await;
    check(&[("revision", "-f".into())], "error: revision: ").await;
    check(&[("destination", "srv".into())], "error: destination: ").await;
    check(&[("destination", "/".into())], "error: destination: ").await;
    check(&[("destination", "/a:b".into())], "error: destination: ").await;
    check(&[("depth", 0.into())], "error: depth: ").await;
    let ssh = ("repository", Value::from("git@host:a"));
    for path in ["key", "/a\"b", "/%h", "/${HOME}", "/a\\b", "/a\nb"] {
        check(&[ssh.clone(), ("key", path.into())], "error: key: ").await;
        check(&[ssh.clone(), ("known_hosts", path.into())], "error: known_hosts: ").await;
    }
    check(
        &[("key", "/etc/keys/deploy".into())],
        "error: key: it is for a repository that is reached over SSH",
    )
    .await;
    for name in ["depth", "submodules", "verify"] {
        let value = if name == "depth" { 1.into() } else { true.into() };
        check(&[("bare", true.into()), (name, value)], "bare").await;
    }
    check(&[("destination", "/srv/git/app.git/x".into())], "error: destination: it and the repository").await;
    check(&[("destination", "/srv/git".into())], "error: destination: it and the repository").await;
}

/// Returns the commands that an apply runs.
async fn commands(fields: Written<'_>) -> Vec<Command> {
    let model = Arc::new(machine());
    apply::<GitCheckoutPreparer>(&(Arc::clone(&model) as _), &with_defaults(fields)).await;
    model.commands()
}

/// Git starts nothing that the repository or the caller names, and asks no questions.
#[tokio::test]
async fn how_git_runs() {
    let ssh = [
        ("repository", "ssh://git@host/a".into()),
        ("key", "/etc/keys/deploy".into()),
        ("user", "keeper".into()),
    ];
    for (fields, home) in [(&[][..], "/root"), (&ssh[..], "/home/keeper")] {
        let commands = commands(fields).await;
        assert!(commands.iter().any(|command| command.args.contains(&"fetch".to_owned())), "{commands:?}");
        for command in commands {
            let settings: Vec<&str> =
                command.args.iter().take_while(|word| *word != "-C").map(String::as_str).collect();
            for setting in ["core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.allow=never"] {
                assert!(settings.contains(&setting), "{settings:?}");
            }
            assert!(!command.args.iter().any(|word| word.contains("safe.directory")), "{command:?}");
            assert!(command.clear_env, "{command:?}");
            let env = |name: &str| command.env.get(name).map(String::as_str);
            assert_eq!((env("HOME"), env("GIT_DIR"), env("LC_ALL")), (Some(home), None, Some("C")));
            assert_eq!(
                (env("GIT_TERMINAL_PROMPT"), env("GIT_CEILING_DIRECTORIES")),
                (Some("0"), Some("/srv"))
            );
            let ssh = env("GIT_SSH_COMMAND").unwrap_or_default();
            assert!(ssh.contains("-oBatchMode=yes") && ssh.contains("-oStrictHostKeyChecking=yes"), "{ssh}");
            assert_eq!(ssh.contains("/etc/keys/deploy"), !fields.is_empty(), "{ssh}");
            assert_eq!(command.run_as.is_some(), !fields.is_empty());
        }
    }
}

#[tokio::test]
async fn a_commit_that_is_there_needs_no_server() {
    let model = Arc::new(at(MAIN));
    assert_eq!(
        plan::<GitCheckoutPreparer>(&(Arc::clone(&model) as _), &with_defaults(&[("revision", MAIN.into())]))
            .await,
        "no change"
    );
    let asks = |command: &Command| command.args.iter().any(|word| word == "ls-remote" || word == "fetch");
    assert!(!model.commands().iter().any(asks), "{:?}", model.commands());
}
