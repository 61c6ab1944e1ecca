//! Tests of the answers to commands and options of other tools.

use converge_core::testing::server::{Server, answer};

use crate::env::{Env, Run};

const MODULE: &str = "param \"greeting\" {\n  default = \"hello\"\n}\n\ntask \"x\" {\n  check = \"true\"\n  tags  = [\"web\"]\n}\n";

/// The SHA-256 of `MODULE`.
const HASH: &str = "1997e1963cbca5b6d58ff302b0099c344121d89ca6375eeefb58ec7ead4e4135";

/// The document that promises the answers.
const DOCUMENT: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/from-the-original.md"));

fn environment() -> Env {
    let env = Env::with("web.hcl", MODULE);
    env.write("more.hcl", "greeting = \"hi\"\n");
    env
}

/// Runs a command line; `FILE` stands for a module.
fn run(env: &Env, line: &str) -> Run {
    let line = line.replace("FILE", "web.hcl");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    env.run(&words)
}

/// Checks the answer to a line, and returns the commands that its help has.
fn advice(env: &Env, line: &str) -> Vec<String> {
    let run = run(env, line).out("").err_has("error[foreign-").code(1);
    let help = run.stderr.lines().last().and_then(|line| line.strip_prefix("help: "));
    let help = help.unwrap_or_else(|| panic!("`{line}` has no help: {}", run.stderr));
    let commands = help.split('`').skip(1).step_by(2).filter(|text| text.starts_with("converge "));
    commands.map(ToOwned::to_owned).collect()
}

#[test]
fn the_document_is_true_and_the_advice_works() {
    let env = environment();
    let server = Server::new(|_, _| answer("200 OK", &[], MODULE.as_bytes()));
    // Tables with a third column have examples there.
    let lines: Vec<&str> = DOCUMENT
        .lines()
        .filter_map(|line| match line.split('|').collect::<Vec<_>>().as_slice() {
            ["", _, _, examples, ""] => Some(*examples),
            _ => None,
        })
        .flat_map(|examples| examples.split('`').skip(1).step_by(2))
        .collect();
    assert_eq!(lines.len(), 20, "{lines:?}");
    for line in lines {
        for command in advice(&env, line) {
            // The program of the server may not be built.
            if !command.starts_with("converge server") {
                let command = command.replace("URL", &server.url("/web.hcl")).replace("HASH", HASH);
                run(&env, &command).code(0);
            }
        }
    }
}

#[test]
fn the_document_shows_an_answer() {
    let (_, shown) = DOCUMENT.split_once("```text\n$ ").unwrap();
    let (line, rest) = shown.split_once('\n').unwrap();
    let (answer, _) = rest.split_once("```").unwrap();
    run(&environment(), line).out("").err(answer).code(1);
}

#[test]
fn habits_of_other_tools_have_advice_that_works() {
    let env = environment();
    let check = |line: &str, expect: &str| {
        assert_eq!(advice(&env, line), [expect], "{line}");
        run(&env, expect).code(0);
    };
    check("converge apply --check FILE", "converge plan web.hcl");
    check("converge apply --check --diff FILE", "converge plan web.hcl");
    check("converge apply --dry-run FILE", "converge plan web.hcl");
    check("converge apply -D FILE", "converge apply web.hcl");
    check("converge plan --diff FILE", "converge plan web.hcl");
    check("converge apply -auto-approve FILE", "converge apply web.hcl");
    check("converge apply FILE --yes", "converge apply web.hcl");
    check("converge plan -var-file=more.hcl FILE", "converge plan --params-file more.hcl web.hcl");
    check("converge plan -out=web.plan FILE", "converge plan --out web.plan web.hcl");
    check("converge plan -target=task.x FILE", "converge plan --target task.x web.hcl");
    check("converge apply -t web -i hosts FILE", "converge apply --tags web web.hcl");
    check("converge apply --syntax-check FILE", "converge validate web.hcl");
    check("converge plan -no-color -f 5 FILE", "converge plan --color never --parallelism 5 web.hcl");
    check("converge plan -e greeting=hi FILE", "converge plan -p greeting=VALUE web.hcl");
    check("converge init", "converge plan FILE");
}

#[test]
fn values_of_parameters_are_not_shown() {
    let env = environment();
    let check = |line: &str, expect: &str| {
        assert_eq!(advice(&env, line), [expect], "{line}");
    };
    check("converge plan -e greeting=secret FILE", "converge plan -p greeting=VALUE web.hcl");
    check("converge plan -n -pgreeting=secret FILE", "converge plan --color never -pgreeting=VALUE web.hcl");
    check(
        "converge plan -n --params-json {\"greeting\":\"secret\"} FILE",
        "converge plan --color never --params-json JSON web.hcl",
    );
    check("converge plan --rpc-token secret a$b.hcl", "converge plan 'a$b.hcl'");
}

#[test]
fn options_of_the_server_are_answered_before_it_starts() {
    let env = environment();
    let check = |line: &str, expect: &str| {
        assert_eq!(advice(&env, line), [expect], "{line}");
    };
    check(
        "converge server --rpc-addr :2693 --api-addr=0.0.0.0:80",
        "converge server --grpc 127.0.0.1:2693 --http 0.0.0.0:80",
    );
    check("converge serve --no-token --root .", "converge server --open-on-loopback");
    check("converge server --use-ssl --cert-file a --key-file b", "converge server --identity DIR");
    check("converge server --rpc-token x", "converge server --tokens FILE");
    check("converge server --self-serve --dev", "converge server --dev");
}

#[test]
fn other_mistakes_stay_as_they_are() {
    let env = environment();
    run(&env, "converge plan --unheard FILE").err_has("unexpected argument '--unheard' found").code(1);
    run(&env, "converge unheard").err_has("unrecognized subcommand 'unheard'").code(1);
    run(&env, "converge plan -- -n").err_has("-n").code(1);
    // The line has another mistake, so no command is given that has it as well.
    run(&env, "converge plan -n").err_has("help: `--color never`\n").code(1);
    run(&env, "converge plan --local-addr x").err_has("help: leave it out\n").code(1);
    run(&env, "converge plan --limit web FILE").err_has("--target TYPE.NAME").code(1);
}
