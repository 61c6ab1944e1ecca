//! Tests of terminal output: escaping, and the order of lines.

use converge_core::view::render::is_obeyed;

use crate::env::Env;

/// Control sequences that clear the screen, set a title, reverse text, hide text, and so on.
const HOSTILE: &str = "\x1b[2J\x1b]0;title\x07\u{9b}31m\u{202e}\u{200b}\u{7f}\r\u{8}\u{feff}";

/// Tests that no terminal control character of a module, its files or its tasks is written.
#[test]
fn nothing_that_a_terminal_obeys_is_written() {
    let text = format!(
        "param \"p\" {{ default = \"{HOSTILE}\" }}\n\
         task \"a{HOSTILE}\" {{\n  check = \"printf '{HOSTILE}'; false\"\n  apply = \"printf '{HOSTILE}' >&2; false\"\n}}\n\
         file.content \"f\" {{\n  destination = \"DIR/f{HOSTILE}\"\n  content = \"{HOSTILE}\"\n}}\n"
    );
    let env = Env::with("main.hcl", &text);
    env.write("wrong.hcl", &format!("{text}nope \"{HOSTILE}\" {{ a = \"{HOSTILE}\" }}\n"));
    env.write(&format!("named{HOSTILE}.hcl"), "nope \"x\" {}\n");
    let hostile_name = format!("named{HOSTILE}.hcl");
    for arguments in [
        &["plan", "main.hcl"][..],
        &["-vvvv", "plan", "main.hcl"],
        &["plan", "--format", "json", "main.hcl"],
        &["apply", "main.hcl"],
        &["-vvvv", "apply", "--format", "json", "main.hcl"],
        &["validate", "main.hcl", "wrong.hcl", &hostile_name],
        &["validate", "--format", "json", "main.hcl", "wrong.hcl", &hostile_name],
        &["graph", "main.hcl"],
        &["graph", "--format", "json", "main.hcl"],
        &["graph", "--format", "mermaid", "main.hcl"],
        &["explain", "main.hcl", "file.content.f"],
        &["fmt", "--diff", "main.hcl"],
        &["plan", "-p", &format!("{HOSTILE}=1"), "main.hcl"],
        &["plan", HOSTILE],
        &[HOSTILE],
        &["plan", &format!("--{HOSTILE}")],
    ] {
        let run = env.run(arguments);
        for text in [&run.stdout, &run.stderr] {
            let controls: Vec<char> = text.chars().filter(|c| is_obeyed(*c)).collect();
            assert!(controls.is_empty(), "{arguments:?}: {controls:?} in {text:?}");
        }
        assert!(!(run.stdout.is_empty() && run.stderr.is_empty()), "{arguments:?}");
    }
}

/// Tests that two plans of one module are the same text, however many checks run at once.
#[test]
fn a_plan_does_not_depend_on_what_ends_first() {
    let task = |at: usize| {
        let slow = if at.is_multiple_of(7) { "sleep 0.05; " } else { "" };
        let depends = if at % 5 == 4 { format!("\"task.t{}\"", at - 1) } else { String::new() };
        format!(
            "task \"t{at}\" {{\n  check = \"{slow}false\"\n  apply = \"true\"\n  depends = [{depends}]\n}}\n"
        )
    };
    let text = (0..40).map(task).collect::<Vec<_>>().concat();
    let env = Env::with("main.hcl", &text);
    let plan = |parallelism: &str| env.run(&["plan", "--parallelism", parallelism, "main.hcl"]).stdout;
    let sequential = plan("1");
    assert!(sequential.contains("task.t39"), "{sequential}");
    for parallelism in ["2", "8", "40"] {
        assert_eq!(plan(parallelism), sequential, "{parallelism}");
    }
}
