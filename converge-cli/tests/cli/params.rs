//! Tests of parameters from the command line, from files and from the environment.

use crate::env::Env;

const MODULE: &str = r#"
param "text" {
  default = "nothing"
}

param "ports" {
  type    = "list(number)"
  default = []
}

file.content "out" {
  destination = "DIR/out"
  content     = "{{param `text`}} {{jsonify (paramList `ports`)}}"
}
"#;

/// Applies the module and compares the content of the file that it writes.
fn check(env: &Env, variables: &[(&str, &str)], args: &[&str], expect: &str) {
    let args: Vec<&str> = ["apply", "web.hcl"].iter().chain(args).copied().collect();
    env.run_with(variables, &args).err("").code(0);
    assert_eq!(env.read("out").as_deref(), Some(expect), "{args:?}");
}

#[test]
fn every_place_gives_parameters_and_the_closer_one_wins() {
    let env = Env::with("web.hcl", MODULE);
    env.write("site.hcl", "text = \"file\"\nports = [1]\n");
    env.write("site.json", "{\"text\": \"json file\"}");
    let variables = [("CONVERGE_PARAM_text", "environment"), ("CONVERGE_PARAM_other", "x")];
    check(&env, &[], &[], "nothing []");
    check(&env, &variables, &[], "environment []");
    check(&env, &[("CONVERGE_PARAM_ports", "[7]")], &[], "nothing [\"7\"]");
    check(&env, &variables, &["--params-file", "site.hcl"], "file [\"1\"]");
    check(
        &env,
        &variables,
        &["--params-file", "site.hcl", "--params-file", "site.json"],
        "json file [\"1\"]",
    );
    check(
        &env,
        &variables,
        &["--params-file", "site.json", "--paramsJSON", "{\"text\": \"json\", \"ports\": [80, 443]}"],
        "json [\"80\",\"443\"]",
    );
    check(
        &env,
        &variables,
        &["-p", "text=a=b", "-p", "ports=[5]", "--params-json", "{\"text\": \"json\"}"],
        "a=b [\"5\"]",
    );
}

#[test]
fn what_is_wrong_with_values_is_shown_at_its_place() {
    let env = Env::with("web.hcl", MODULE);
    env.write("bad.json", "{\n  \"text\": tru\n}");
    env.run(&["plan", "web.hcl", "--params-file", "bad.json"])
        .out("")
        .err_has("error[not-json]: this is not JSON: expected ident\n--> bad.json:2:")
        .code(1);
    env.write("bad.hcl", "text = param.x\n");
    env.run(&["plan", "web.hcl", "--params-file", "bad.hcl"])
        .err_has("--> bad.hcl:1:8\n")
        .err_has("text is written in quotes")
        .code(1);
    env.run(&["plan", "web.hcl", "--params-file", "none.hcl"]).err_has("none.hcl").code(1);
    env.run(&["plan", "web.hcl", "--params-json", "[]"])
        .err_has("parameters must be a JSON object, not a list")
        .code(1);
    env.run(&["validate", "web.hcl", "-p", "ports=[80, x]"])
        .err_has("error[not-json]: parameter `ports` must be `list(number)`, and its text is not JSON: expected value")
        .err_has("it was given on the command line; write it like [1, 2]")
        .code(1);
    env.write("site.hcl", "\nports = [\"http\"]\n");
    env.run(&["graph", "web.hcl", "--params-file", "site.hcl"])
        .err_has(
            "error[not-a-number]: parameter `ports` must be `list(number)`, at [0]: \"http\" is not a number",
        )
        .err_has("it was given in site.hcl, line 2")
        .code(1);
    env.run(&["plan", "web.hcl", "--params-json", "{\"txt\": 1}"])
        .err_has("web.hcl has no parameter `txt`")
        .err_has("did you mean `text`?")
        .code(1);
}

#[test]
fn a_file_of_parameters_may_be_of_any_form_and_for_several_modules() {
    let env = Env::with("web.hcl", MODULE);
    env.write("site.yaml", "# all\ntext: yaml\nports:\n- 80\n");
    check(&env, &[], &["--params-file", "site.yaml"], "yaml [\"80\"]");
    env.write("marked.json", "\u{feff}{\"text\": \"json\"}");
    check(&env, &[], &["--params-file", "marked.json"], "json []");
    for (text, expect) in
        [("text = \"hcl\"\n", "hcl"), ("text: yaml\n", "yaml"), ("{\"text\": \"json\"}\n", "json")]
    {
        for file in ["-", "/dev/stdin"] {
            env.run_with_input(&["apply", "web.hcl", "--params-file", file], text).err("").code(0);
            assert_eq!(env.read("out").as_deref(), Some(&*format!("{expect} []")), "{text}");
        }
    }
    env.write("bad.yaml", "text: [\n");
    env.run(&["plan", "web.hcl", "--params-file", "bad.yaml"]).err_has("error[not-yaml]").code(1);
    env.write("big.json", "{\"text\": 98765432109876543210}");
    env.run(&["plan", "web.hcl", "--params-file", "big.json"]).err_has("this number is out of range").code(1);
    env.run(&["plan", "web.hcl", "-p", "ports=[98765432109876543210]"])
        .err_has("a number is out of range")
        .code(1);
    env.write("all.json", "{\"text\": \"x\", \"txt\": 1}");
    env.run(&["plan", "web.hcl", "--params-file", "all.json"])
        .err_has("warning[unexpected-param]: web.hcl has no parameter `txt`")
        .err_has("it is given in all.json and ignored; did you mean `text`?")
        .code(0);
    env.run(&["plan", "web.hcl", "-p", "txt=1"]).err_has("error[unexpected-param]").code(1);
}

/// Tests that messages about malformed parameters do not quote them.
///
/// After a missing `=`, a missing name or an extra space, the text may be the secret itself.
#[test]
fn what_is_not_understood_of_a_parameter_is_not_repeated() {
    let env = Env::with("web.hcl", MODULE);
    for command in ["plan", "apply", "validate", "graph", "healthcheck"] {
        for argument in [
            &["-p", "hunter2"][..],
            &["-phunter2"],
            &["--param=hunter2"],
            &["-p", "=hunter2"],
            &["-p", "-hunter2"],
        ] {
            let arguments: Vec<&str> = [command].iter().chain(argument).copied().chain(["web.hcl"]).collect();
            let run = env.run(&arguments).out("").err_has("write `-p NAME=VALUE`").code(1);
            assert!(!run.stderr.contains("hunter") && !run.stderr.contains("unter2"), "{}", run.stderr);
        }
    }
}
