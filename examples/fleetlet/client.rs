//! A client that demonstrates the service.

use std::io::{self, BufRead as _, BufReader};
use std::path::PathBuf;

use serde_json::{Value, json};
use ureq::{Agent, Body};

use super::Failure;

const MODULE: &str = r#"
param "title" {}

file.directory "site" {
  destination = "/site"
}

file.content "index" {
  destination = "/site/index.html"
  content     = "<h1>{{param `title`}}</h1>"
}
"#;

/// Stores a module, plans it, and applies the plan.
pub(crate) fn demonstrate_requests(url: &str) -> Result<(), Failure> {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();

    let response = agent.put(format!("{url}/modules/site.hcl")).send("file.contents \"index\" {}\n")?;
    println!("{}: {}", response.status(), text_of(response.into_body(), "error")?);
    agent.put(format!("{url}/modules/site.hcl")).send(MODULE)?;

    let planned = agent
        .post(format!("{url}/modules/site.hcl/plan"))
        .content_type("application/json")
        .send(json!({ "title": "It works" }).to_string())?;
    let planned = follow(planned.into_body())?;
    let applied = agent.post(format!("{url}/plans/{}/apply", planned["plan"])).send_empty()?;
    let applied = follow(applied.into_body())?;
    if applied["success"] == true { Ok(()) } else { Err(format!("not applied: {applied}").into()) }
}

/// Prints the events as they arrive, and returns the last line.
fn follow(events: Body) -> Result<Value, Failure> {
    let mut last = Value::Null;
    for line in BufReader::new(events.into_reader()).lines() {
        let line = line?;
        if line.is_empty() {
            continue;
        }
        last = serde_json::from_str(&line)?;
        match last["event"].as_str() {
            Some("resource-stage") => println!("{} {}", last["id"], last["stage"]),
            Some("resource-output") => println!("{} | {}", last["id"], last["line"]),
            Some("resource-finished") => println!("{} {}", last["id"], last["outcome"]),
            _ => {}
        }
    }
    println!("{last}");
    Ok(last)
}

fn text_of(body: Body, field: &str) -> Result<String, Failure> {
    let body: Value = serde_json::from_reader(body.into_reader())?;
    Ok(body[field].as_str().unwrap_or_default().to_owned())
}

/// Creates a folder that nobody else can write to, as the state of an engine requires.
pub(crate) fn private_folder() -> io::Result<PathBuf> {
    let mut folder = std::env::current_exe()?;
    folder.pop();
    Ok(folder)
}
