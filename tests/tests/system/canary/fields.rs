//! Leak tests of every field of every type on a model host.

use std::fmt::Write as _;
use std::sync::Arc;

use converge_core::engine::{Engine, Event, EventKind, EventSink};
use converge_core::graph::{Graph, ParamOrigin};
use converge_core::load::{GivenParam, Loader};
use converge_core::prelude::*;
use converge_core::schema::{Field, Kind};
use converge_core::system::ModelSystem;
use converge_core::view::explain::{Reports, explain};
use converge_core::view::{health, json};
use converge_core::{Redactor, Registry, ResourceType};

use super::leak_search::{CANARY, Everything};

/// A resource that exports its secret, both as a secret and as text.
#[derive(Debug, Preparer)]
#[preparer(name = "vault", task = Vault, register = false)]
struct VaultPreparer {
    /// The secret.
    #[hcl(required, sensitive)]
    secret: Secret<String>,
    /// A text.
    #[hcl(default)]
    plain: String,
}

/// The prepared resource.
#[derive(Debug, Export)]
struct Vault {
    /// The secret.
    #[export]
    secret: Secret<String>,
    /// Text.
    #[export]
    plain: String,
}

impl Resource for VaultPreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Vault> {
        Ok(Vault { secret: self.secret, plain: self.plain })
    }
}

impl Task for Vault {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        // This author has ignored that the value is secret.
        status.add_message(format!("it is {}, or {:?}", self.plain, self.secret.expose()));
        status.add_difference("plain", "", self.plain.clone());
        status.add_warning(self.secret.expose().trim().to_owned());
        Ok(status)
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Err(Error::msg(format!("a library says: {} is wrong", self.plain)))
    }
}

fn registry() -> Registry {
    converge_resources::registry().unwrap().with::<VaultPreparer>().unwrap()
}

/// The syntax of a value that comes from the secret.
#[derive(Clone, Copy, Debug)]
enum Form {
    Template,
    Expression,
    Made,
    SecretExport,
    PlainExport,
}

impl Form {
    const ALL: [Self; 5] =
        [Self::Template, Self::Expression, Self::Made, Self::SecretExport, Self::PlainExport];

    fn text(self) -> &'static str {
        match self {
            Self::Template => "\"{{param `secret`}}\"",
            Self::Expression => "param.secret",
            Self::Made => "format(\"%s of %s\", upper(param.secret), base64encode(param.secret))",
            Self::SecretExport => "\"{{lookup `vault.v.secret`}}\"",
            Self::PlainExport => "\"{{lookup `vault.v.plain`}}\"",
        }
    }

    /// Returns the secret as a value of this kind.
    ///
    /// If it has the wrong type, the error must not reveal it.
    fn value(self, kind: &Kind) -> String {
        match kind {
            Kind::List(item) if matches!(**item, Kind::Block(_)) => self.value(item),
            Kind::List(item) => format!("[{}]", self.value(item)),
            Kind::OneOrMany(item) => self.value(item),
            Kind::Map(item) => format!("{{ key = {} }}", self.value(item)),
            Kind::Block(block) => {
                let fields = block
                    .fields
                    .iter()
                    .map(|field| format!("{} = {}\n", field.name, self.value(&field.kind)));
                format!("{{\n{}}}", fields.collect::<String>())
            }
            _ => self.text().to_owned(),
        }
    }
}

/// Returns a value that a field probably accepts, judging by its kind.
fn plausible(field: &Field) -> String {
    fn sample_value(kind: &Kind) -> String {
        match kind {
            Kind::Int { .. } | Kind::Float => "1".to_owned(),
            Kind::Bool => "true".to_owned(),
            Kind::Duration => "\"1s\"".to_owned(),
            Kind::Time => "\"2030-01-01\"".to_owned(),
            Kind::Enum(words) => format!("\"{}\"", words.first().unwrap_or(&"")),
            Kind::List(item) if matches!(**item, Kind::Block(_)) => "{}".to_owned(),
            Kind::List(item) => format!("[{}]", sample_value(item)),
            Kind::OneOrMany(item) => sample_value(item),
            Kind::Map(item) => format!("{{ key = {} }}", sample_value(item)),
            Kind::Block(_) => "{}".to_owned(),
            _ => "\"/tmp/plausible\"".to_owned(),
        }
    }
    sample_value(&field.kind)
}

/// Returns a module with one resource per field of a type, each with the secret in that field.
fn module(resource: &ResourceType, form: Form) -> String {
    let mut text = String::from(
        "param \"secret\" {\n  sensitive = true\n}\nvault \"v\" {\n  secret = param.secret\n  plain = param.secret\n}\n",
    );
    let fields = &resource.schema().fields;
    for (number, field) in fields.iter().enumerate() {
        writeln!(text, "{} \"r{number}\" {{", resource.name()).unwrap();
        for required_field in fields.iter().filter(|other| other.required && other.name != field.name) {
            writeln!(text, "  {} = {}", required_field.name, plausible(required_field)).unwrap();
        }
        writeln!(text, "  {} = {}\n}}", field.name, form.value(&field.kind)).unwrap();
    }
    text
}

/// Loads, plans and applies a module, and collects all forms of output.
async fn collect_output(text: &str, registry: &Registry, output: &mut Everything) {
    let param = GivenParam::new("secret", CANARY, ParamOrigin::CommandLine);
    let loaded = Loader::new(registry).with_given(param).load_text("m.hcl", text);
    output.diagnostics(&loaded.diagnostics, &loaded.sources);
    let sources = Arc::clone(&loaded.sources);
    let graph = loaded.into_partial_graph();
    output.add("dot", graph.to_dot().to_string());
    output.add("mermaid", graph.to_mermaid().to_string());
    output.add("the graph as JSON", serde_json::to_string(&json::graph(&graph, &sources)).unwrap());
    output.add("the graph as data", format!("{graph:?}"));
    // An error at load time also occurs at run time, where other code reports it.
    let engine = Engine::new(Arc::new(ModelSystem::new().with_flowing_time()));
    for apply in [false, true] {
        let mut sink = Sink { said: output, reports: Reports::new(), graph: &graph };
        if apply {
            engine.apply(&graph).sink(&mut sink).await.unwrap();
        } else {
            engine.plan(&graph).sink(&mut sink).await.unwrap();
        }
        let reports = sink.reports;
        for (index, _) in graph.nodes() {
            let explained = explain(&graph, index, &reports);
            output.add("explain", serde_json::to_string(&explained).unwrap());
            output.add("explain as data", format!("{explained:?}"));
        }
        let assessed = health::assess(&graph, &reports);
        output.add("health", serde_json::to_string(&assessed).unwrap());
    }
}

struct Sink<'a> {
    said: &'a mut Everything,
    reports: Reports,
    graph: &'a Graph,
}

impl EventSink for Sink<'_> {
    fn emit(&mut self, event: Event) {
        self.said.event(&event, self.graph.sources());
        if let EventKind::ResourceFinished(report) = event.kind {
            self.reports.insert(report.id.clone(), *report);
        }
    }
}

#[tokio::test]
async fn no_field_of_any_type_tells_a_secret() {
    let registry = registry();
    let mut leaks = String::new();
    let mut fields = 0;
    for resource in registry.iter() {
        for form in Form::ALL {
            let mut output = Everything::default();
            collect_output(&module(resource, form), &registry, &mut output).await;
            assert!(
                output.contains("(sensitive)") || resource.schema().fields.is_empty(),
                "{}",
                resource.name()
            );
            let leak_text = output.leaks();
            if !leak_text.is_empty() {
                let excerpt: String = leak_text.chars().take(2000).collect();
                writeln!(leaks, "{} {form:?}: {excerpt}", resource.name()).unwrap();
            }
            fields += resource.schema().fields.len();
        }
    }
    assert!(fields > 500, "{fields}");
    assert_eq!(leaks, "");
}

/// Resource names, keys, module calls, groups, predicates and literals.
#[tokio::test]
async fn no_part_of_a_module_tells_a_secret() {
    const TEXT: &str = r#"
param "secret" {
  sensitive = true
}
param "literal" {
  sensitive = true
  default   = "a literal canary7f3a"
}
param "list" {
  sensitive = true
  default   = ["canary7f3a one", "canary7f3a two"]
}
param "map" {
  sensitive = true
  default   = { a = { b = "canary7f3a deep" }, n = 1234567 }
}
param "wrong" {
  sensitive = true
  type      = "number"
  default   = "wrong canary7f3a"
}
param "shape" {
  sensitive = true
  default   = "shape canary7f3a"
  validation {
    condition = param.shape == "canary7f3a"
    message   = "{{param `shape`}} is not it"
  }
}
vault "canary7f3a one" {
  secret = "literal secret canary7f3a"
  plain  = "literal secret canary7f3a"
  group  = "canary7f3a two"
}
vault "keys" {
  for_each = ["canary7f3a one", "canary7f3a two"]
  secret   = each.key
  plain    = upper(each.key)
}
vault "secret-keys" {
  for_each = param.list
  secret   = each.key
}
vault "deep" {
  secret = param.map.a.b
  plain  = jsonencode(param.map)
  when   = "{{eq (param `secret`) `a literal canary7f3a`}}"
}
vault "pieces" {
  secret = "x"
  plain  = join("-", [for item in split(" ", param.literal) : upper(item)])
}
file.mode "number" {
  destination = "/tmp/{{param `literal`}}"
  mode        = "{{param `literal`}}"
}
unknown.canary "x" { y = "a literal canary7f3a" }
file.content "c" {
  destination = "https://me:{{param `literal`}}@host/"
  nonsense    = "a literal canary7f3a"
  content     = "{{lookup `vault.none.x`}} a literal canary7f3a"
}
"#;
    // A value that is only known as a secret by its text is redacted as a whole; a word of it is not.
    let text = TEXT.replace("unknown.canary", "unknown.type").replace("== \"canary7f3a\"", "== \"another\"");
    let registry = registry();
    let mut output = Everything::default();
    collect_output(&text, &registry, &mut output).await;
    assert_eq!(output.leaks(), "");
    assert!(output.contains("is sensitive"), "the diagnostics are told all the same");
}

/// The diagnostics of syntax errors, where parameters are not known yet.
#[test]
fn no_broken_text_tells_a_secret() {
    let check = |text: &str| {
        let loaded = Loader::new(&registry()).load_text("m.hcl", text);
        let mut output = Everything::default();
        output.diagnostics(&loaded.diagnostics, &loaded.sources);
        assert!(loaded.diagnostics.has_errors(), "{text}");
        assert_eq!(output.leaks(), "", "{text}");
    };
    check("param \"p\" {\n  sensitive = true\n  default = \"canary7f3a\n}\n");
    check("param \"p\" {\n  default = canary7f3a canary7f3a\n  sensitive = true\n}\n");
    check("param \"p\" {\n  default = \"canary7f3a\" \"more\"\n  sensitive = true\n}\n");
    check("param \"p\" {\n  default = \"{{canary7f3a}}\"\n  sensitive = true\n}\n");
    check("param \"p\" {\n  sensitive = true\n  default = <<EOF\ncanary7f3a\n");
}

/// Two applications in one process, each with its own secrets.
#[test]
fn secrets_belong_to_their_loader() {
    let registry = registry();
    let text = "param \"p\" {\n  sensitive = true\n  default = \"canary7f3a\"\n}\n";
    let (mine, other_redactor) = (Redactor::new(), Redactor::new());
    let loaded = Loader::new(&registry).with_redactor(mine.clone()).load_text("m.hcl", text);
    assert!(mine.is_in("a canary7f3a") && loaded.sources.redactor().is_in("a canary7f3a"));
    assert!(!other_redactor.is_in("a canary7f3a"));
    assert_eq!(loaded.partial_graph().len(), 1);
}

#[test]
fn a_secret_that_cannot_be_hidden_is_a_warning() {
    let warned = |value: &str| {
        let text = format!("param \"p\" {{\n  sensitive = true\n  default = {value}\n}}\n");
        let loaded = Loader::new(&registry()).load_text("m.hcl", text);
        assert!(!loaded.diagnostics.has_errors());
        loaded.diagnostics.iter().any(|diagnostic| diagnostic.code == "short-secret")
    };
    assert!(warned("\"abc\"") && warned("12") && warned("[\"long enough\", \"no\"]"));
    assert!(!warned("\"abcd\"") && !warned("1234") && !warned("\"\"") && !warned("true") && !warned("[]"));
}

/// The error about an invalid sensitive value omits its text, because the secret part of it is unknown.
#[test]
fn no_text_of_a_sensitive_field_that_cannot_be_read_is_told() {
    let registry = registry();
    let texts = [
        "\"{{canary7f3a\"",
        "\"canary7f3a {{\"",
        "\"{{canary7f3a}}\"",
        "\"{{canary7f3a `x` | canary7f3a-b}}\"",
        "\"a{{`canary7f3a}}\"",
        "\"canary7f3a {{end}} canary7f3a\"",
        "\"{{if canary7f3a=1}}canary7f3a\"",
        "\"${param.canary7f3a}\"",
        "canary7f3a(1)",
        "1 + canary7f3a",
        "{ a = \"{{canary7f3a\" }",
        "[\"{{canary7f3a\"]",
        "\"canary7f3a\" canary7f3a",
        "\"canary7f3a",
        "<<EOF\ncanary7f3a\n{{canary7f3a\nEOF",
        "<<EOF\ncanary7f3a",
        "0canary7f3a",
        "'canary7f3a'",
    ];
    let mut leaks = String::new();
    for text in texts {
        for body in [
            format!("vault \"v\" {{\n  secret = {text}\n  plain = \"x\"\n}}\n"),
            format!(
                "switch \"s\" {{\n  default {{\n    vault \"v\" {{\n      secret = {text}\n    }}\n  }}\n}}\n"
            ),
        ] {
            let loaded = Loader::new(&registry).load_text("m.hcl", body);
            assert!(!loaded.diagnostics.is_empty(), "{text}");
            let mut output = Everything::default();
            output.diagnostics(&loaded.diagnostics, &loaded.sources);
            let leak_text = output.leaks();
            if !leak_text.is_empty() {
                writeln!(leaks, "{text}: {leak_text}").unwrap();
            }
        }
    }
    assert_eq!(leaks, "");
}
