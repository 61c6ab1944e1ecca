//! Tests of the answers to each kind of request.

use serde_json::{Value, json};

use crate::client::{Client, edited, range};

fn labels(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect()
}

/// Checks the first completion at a position of a module.
fn first(fixture: &str, expect: &str) {
    let mut client = Client::begin(&[]);
    let place = client.open_at("main.hcl", fixture);
    let answer = client.request("textDocument/completion", &place);
    assert_eq!(labels(&answer).first(), Some(&expect), "{fixture}");
}

#[test]
fn completion() {
    first("file.con$0", "file.content");
    first("file.content \"a\" {\n  dest$0\n}\n", "destination");
    first("file.content \"a\" {\n  for$0\n}\n", "for_each");
    first(
        "docker.image \"a\" {\n  name = \"x\"\n  \n}\nfile.directory \"b\" {\n  state = \"$0\"\n}\n",
        "present",
    );
    first("param \"user\" {}\nfile.content \"a\" {\n  content = \"\u{1f600} {{param `us$0`}}\"\n}\n", "user");
    first("task \"one\" {\n  check = \"true\"\n}\ntask \"two\" {\n  depends = [\"ta$0\"]\n}\n", "task.one");
    first(
        "task.query \"q\" {\n  query = \"x\"\n}\nfile.content \"a\" {\n  content = task.query.q.status.std$0\n}\n",
        "stdout",
    );
    first("file.content \"a\" {\n  content = forma$0\n}\n", "format");
}

#[test]
fn completion_of_parameters_of_other_files() {
    let mut client = Client::begin(&[("web.hcl", "param \"port\" {}\n")]);
    let place = client.open_at("main.hcl", "module \"web.hcl\" \"web\" {\n  params {\n    $0\n  }\n}\n");
    assert_eq!(labels(&client.request("textDocument/completion", &place)), ["port"]);
    // The open text is newer than the file on disk.
    client.open("web.hcl", "param \"number\" {}\n");
    assert_eq!(labels(&client.request("textDocument/completion", &place)), ["number"]);
    client.notify("textDocument/didClose", &json!({ "textDocument": { "uri": client.uri("web.hcl") } }));
    assert_eq!(labels(&client.request("textDocument/completion", &place)), ["port"]);
}

#[test]
fn snippets_are_for_those_that_take_them() {
    let text = |capabilities: &Value| {
        let mut client = Client::begin_with(&[], capabilities);
        let place = client.open_at("main.hcl", "file.content \"a\" {\n  dest$0\n}\n");
        let answer = client.request("textDocument/completion", &place);
        answer["items"][0]["textEdit"]["newText"].as_str().unwrap().to_owned()
    };
    assert_eq!(text(&json!({})), "destination = ");
    let client_capabilities =
        json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
    assert_eq!(text(&client_capabilities), "destination = \"$0\"");
}

#[test]
fn hover() {
    let hover_text = |fixture: &str| {
        let mut client = Client::begin(&[]);
        let place = client.open_at("main.hcl", fixture);
        let answer = client.request("textDocument/hover", &place);
        answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let field = hover_text("file.content \"a\" {\n  desti$0nation = \"/x\"\n}\n");
    assert!(field.starts_with("`destination`: a string, required"), "{field}");
    let function = hover_text("param \"a\" {\n  default = upp$0er(\"x\")\n}\n");
    assert!(function.starts_with("`upper(string)`\n\n"), "{function}");
    let param =
        hover_text("param \"a\" {\n  type = \"list(number)\"\n}\nparam \"b\" {\n  default = param.a$0\n}\n");
    assert_eq!(param, "parameter `a`: list(number), required");
    assert!(hover_text("file.mo$0de \"a\" {}\n").starts_with("`file.mode`\n\n"));
    assert_eq!(hover_text("$0\n"), "");
}

#[test]
fn hover_shows_no_secret_and_no_variable() {
    let fixture = "param \"key\" {\n  default   = \"{{env `PATH`}}hush\"\n  sensitive = true\n}\nfile.content \"a\" {\n  destination = \"/x\"\n  content = param.k$0ey\n}\n";
    let mut client = Client::begin(&[]);
    let place = client.open_at("main.hcl", fixture);
    let answer = client.request("textDocument/hover", &place).to_string();
    assert!(
        answer.contains("never shown") && !answer.contains("hush") && !answer.contains("/bin"),
        "{answer}"
    );
}

const WEB: &str = "param \"port\" {\n  default = 80\n}\n\nfile.content \"page\" {\n  destination = \"/srv/{{param `port`}}\"\n}\n";
const SITE: &str = "module \"web.hcl\" \"web\" {\n  params {\n    po$0rt = 8080\n  }\n}\n\nfile.mode \"page\" {\n  destination = module.web.file.content.page.destination\n  mode        = \"0644\"\n}\n";

#[test]
fn definition() {
    let mut client = Client::begin(&[("web.hcl", WEB)]);
    let mut place = client.open_at("site.hcl", SITE);
    let definition_at = |client: &mut Client, at: &Value| client.request("textDocument/definition", at);
    let web = |range: Value| json!([{ "uri": client.uri("web.hcl"), "range": range }]);
    let (port, page, start) =
        (web(range((0, 7), (0, 11))), web(range((4, 14), (4, 18))), web(range((0, 0), (0, 0))));
    assert_eq!(definition_at(&mut client, &place), port);
    place["position"] = json!({ "line": 7, "character": 42 });
    assert_eq!(definition_at(&mut client, &place), page);
    place["position"] = json!({ "line": 0, "character": 10 });
    assert_eq!(definition_at(&mut client, &place), start);
    place["position"] = json!({ "line": 5, "character": 0 });
    assert_eq!(definition_at(&mut client, &place), json!([]));
}

#[test]
fn references() {
    let mut client = Client::begin(&[("web.hcl", WEB)]);
    let place = client.open_at("site.hcl", SITE);
    let uri = |name: &str| client.uri(name);
    let expect = json!([
        { "uri": uri("web.hcl"), "range": range((0, 7), (0, 11)) },
        { "uri": uri("web.hcl"), "range": range((5, 31), (5, 35)) },
        { "uri": uri("site.hcl"), "range": range((2, 4), (2, 8)) },
    ]);
    assert_eq!(client.request("textDocument/references", &place), expect);
    let highlights = json!([{ "range": range((2, 4), (2, 8)) }]);
    assert_eq!(client.request("textDocument/documentHighlight", &place), highlights);
}

#[test]
fn rename_across_files() {
    let mut client = Client::begin(&[("web.hcl", WEB)]);
    let mut place = client.open_at("site.hcl", SITE);
    let target = client.request("textDocument/prepareRename", &place);
    assert_eq!(target, json!({ "range": range((2, 4), (2, 8)), "placeholder": "port" }));
    place["newName"] = json!("number");
    let changes = client.request("textDocument/rename", &place)["changes"].clone();
    let site = SITE.replace("$0", "");
    assert_eq!(edited(&site, &changes[client.uri("site.hcl")]), site.replace("port =", "number ="));
    assert_eq!(edited(WEB, &changes[client.uri("web.hcl")]), WEB.replace("port", "number"));
    place["newName"] = json!("not a name");
    let id = client.ask("textDocument/rename", &place);
    assert_eq!(client.answer(id)["error"]["code"], -32803);
}

#[test]
fn formatting() {
    let formatted = |text: &str| {
        let mut client = Client::begin(&[]);
        client.open("main.hcl", text);
        let params = json!({ "textDocument": { "uri": client.uri("main.hcl") }, "options": {} });
        client.request("textDocument/formatting", &params)
    };
    let source = "# é \u{1f600}\nparam \"a\" {default=1\ntype =\"number\"}\n";
    let formatted_text = "# é \u{1f600}\nparam \"a\" {\n  default = 1\n  type    = \"number\"\n}\n";
    assert_eq!(edited(source, &formatted(source)), formatted_text);
    assert_eq!(formatted(formatted_text), json!([]));
    assert_eq!(formatted("param \"a\" {\n  default = \n}\n"), Value::Null);
}

#[test]
fn actions() {
    let text = "file.content \"a\" {\n  destnation = \"/x\"\n}\n";
    let mut client = Client::begin(&[]);
    client.open("main.hcl", text);
    let problems = client.problems("main.hcl", 1);
    let ask = |client: &mut Client, line: u32| {
        let params = json!({
            "textDocument": { "uri": client.uri("main.hcl") },
            "range": range((line, 4), (line, 4)),
            "context": { "diagnostics": [] },
        });
        client.request("textDocument/codeAction", &params)
    };
    let actions = ask(&mut client, 1);
    assert_eq!(actions[0]["title"], "Write `destination`");
    assert_eq!(actions[0]["diagnostics"][0], problems[0]);
    let edits = &actions[0]["edit"]["changes"][client.uri("main.hcl")];
    assert_eq!(edited(text, edits), text.replace("destnation", "destination"));
    assert_eq!(ask(&mut client, 0), json!([]));
    // Once the text has changed, the position may be wrong as well.
    client.change("main.hcl", 2, &range((0, 0), (0, 0)), "\n");
    assert_eq!(ask(&mut client, 1), json!([]));
}

#[test]
fn symbols() {
    let mut client = Client::begin(&[]);
    client.open(
        "main.hcl",
        "param \"a\" {}\nswitch \"s\" {\n  case \"true\" \"c\" {\n    task \"t\" {\n      check = \"true\"\n    }\n  }\n}\n",
    );
    let params = json!({ "textDocument": { "uri": client.uri("main.hcl") } });
    let symbols = client.request("textDocument/documentSymbol", &params);
    let name = |path: &str| symbols.pointer(path).and_then(Value::as_str);
    assert_eq!(name("/0/name"), Some("param.a"));
    assert_eq!(name("/1/name"), Some("switch.s"));
    assert_eq!(name("/1/children/0/children/0/name"), Some("task.t"));
    assert_eq!(symbols[1]["selectionRange"], range((1, 0), (1, 10)));
}
