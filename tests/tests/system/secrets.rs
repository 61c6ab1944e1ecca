//! Tests that search all output of a run for a planted secret.

use std::sync::Arc;

use converge_core::engine::{Engine, Event};
use converge_core::load::Loader;
use converge_core::prelude::*;
use converge_core::system::{LocalSystem, System};
use converge_core::view::json;

const CANARY: &str = "hunter2-canary";

/// A resource with a password.
#[derive(Debug, Preparer)]
#[preparer(name = "vault", task = Vault, register = false)]
struct VaultPreparer {
    /// The password.
    #[hcl(required, sensitive, pattern = "^[a-z0-9-]+$")]
    password: Secret<String>,
    /// Whether the check fails.
    #[hcl(default)]
    broken: bool,
}

/// The prepared resource.
#[derive(Debug, Export)]
struct Vault {
    /// The password.
    #[export]
    password: Secret<String>,
    broken: bool,
}

impl Resource for VaultPreparer {
    async fn prepare(self, _: &Context, renderer: &dyn Renderer) -> Result<Vault> {
        // The result of a template with a secret is secret too.
        let greeting = renderer.render("greeting", "{{env `HOME`}}")?;
        assert!(!greeting.contains_secret());
        Ok(Vault { password: self.password, broken: self.broken })
    }
}

impl Task for Vault {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        status.add_message(format!("{:?}", self.password));
        if self.broken {
            status.set_error(format!("cannot use {:?}", self.password));
        }
        Ok(status)
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn module(folder: &str) -> String {
    format!(
        r#"
vault "good" {{
  password = "{CANARY}"
}}
vault "broken" {{
  password = "{CANARY}"
  broken   = true
}}
vault "shape" {{
  password = "{{{{lookup `vault.good.password`}}}} with a space"
}}
file.content "file" {{
  destination = "{folder}/file"
  content     = "password: {{{{lookup `vault.good.password`}}}}\n"
}}
file.mode "number" {{
  destination = "{folder}/file"
  mode        = "{{{{lookup `vault.good.password`}}}}"
}}
file.directory "name" {{
  destination = "{folder}/none/{{{{lookup `vault.good.password`}}}}"
  create_all  = "{{{{lookup `vault.good.password`}}}}"
}}
task.query "quiet" {{
  query = "test {{{{lookup `vault.good.password`}}}} = other"
}}
"#
    )
}

#[tokio::test]
async fn nothing_that_a_run_says_holds_the_secret() {
    let folder = tempfile::tempdir().unwrap();
    let registry = converge_resources::registry().unwrap().with::<VaultPreparer>().unwrap();
    let loaded = Loader::new(&registry).load_text("m.hcl", module(&folder.path().display().to_string()));
    let sources = Arc::clone(&loaded.sources);
    let graph = loaded.into_graph().unwrap();
    let engine = Engine::new(Arc::new(LocalSystem::new()));
    let mut messages = Vec::new();
    let mut sink = |event: Event| {
        messages.push(format!("{event:?}"));
        messages.push(json::event(&event, &sources).unwrap().to_string());
    };
    engine.plan(&graph).sink(&mut sink).await.unwrap();
    engine.apply(&graph).sink(&mut sink).await.unwrap();
    messages.push(graph.to_dot().to_string());
    messages.push(graph.to_mermaid().to_string());

    let leaks: Vec<&String> = messages.iter().filter(|text| text.contains(CANARY)).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
    // The secret was written to its destination.
    let file = LocalSystem::new().files().read(&folder.path().join("file")).await.unwrap().unwrap();
    assert_eq!(file.bytes, format!("password: {CANARY}\n").as_bytes());
    // The failure is reported without the secret.
    let joined_messages = messages.join("\n");
    assert!(joined_messages.contains("cannot use (sensitive)"), "{joined_messages}");
    assert!(joined_messages.contains("(sensitive) does not match the pattern"), "{joined_messages}");
}
