//! A server with a thousand agents: the cost of their presence and of a rollout to all of them.
//!
//! The server is the real program with a file as its store. The agents are tasks of this process. Each one
//! watches its assignments over HTTP, sends heartbeats, applies nothing and reports success at once.

mod agent;
mod http;
mod server;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::error::BenchError;
use agent::Agent;
use http::{Http, Watch};
use server::{Server, Spent};

const SITE: &str = "/v1/resources/converge/v1/module/site";

/// Measures a server with the given number of agents, and prints each step when it is done.
pub(crate) fn measure(program: &Path, agents: usize) -> Result<(), BenchError> {
    tokio::runtime::Runtime::new().map_err(BenchError::Runtime)?.block_on(run(program, agents))
}

/// Prints one line for each step.
struct Lines<'a> {
    server: &'a Server,
    began: Instant,
    before: Spent,
}

impl Lines<'_> {
    fn begin(&mut self) -> Result<(), BenchError> {
        (self.began, self.before) = (Instant::now(), self.server.spent()?);
        Ok(())
    }

    /// Prints a step that handled a number of items.
    #[expect(clippy::cast_precision_loss, reason = "a table shows three digits")]
    fn end(&mut self, step: &str, count: usize, noun: &str) -> Result<(), BenchError> {
        let (elapsed, spent) = (self.began.elapsed(), self.server.spent()?);
        let processor = spent.processor.saturating_sub(self.before.processor);
        let per_item = processor.as_secs_f64() * 1e6 / count.max(1) as f64;
        let memory = spent.peak_memory / 1024;
        let (elapsed, processor) = (elapsed.as_secs_f64(), processor.as_secs_f64());
        println!(
            "{step:<28} {elapsed:>8.2} s  server {processor:>7.2} s of processor, {per_item:>7.0} us for each {noun:<10} {memory:>5} MiB at most"
        );
        Ok(())
    }
}

async fn run(program: &Path, count: usize) -> Result<(), BenchError> {
    let server = Server::start(program)?;
    let http = Http::new(server.address.clone());
    let began = Instant::now();
    let mut lines = Lines { server: &server, began, before: server.spent()? };
    println!("{count} agents, one server over a file");

    let agents: Vec<_> = (0..count).map(|number| Agent::new(&http, number)).collect();
    let agents: Arc<[Agent]> = agents.into();
    each(&agents, |agent| async move { agent.join().await }).await?;
    lines.end("all join", count, "agent")?;

    let mut watching = JoinSet::new();
    lines.begin()?;
    for number in 0..count {
        let agents = Arc::clone(&agents);
        let watch = agents[number].watch().await?;
        watching.spawn(async move { agents[number].work(watch).await });
    }
    lines.end("all watch", count, "agent")?;

    lines.begin()?;
    each(&agents, |agent| async move { agent.send_heartbeat().await }).await?;
    lines.end("a heartbeat of each", count, "heartbeat")?;

    let mut site = http.watch("/v1/resources/converge/v1/module").await?;
    for (step, text, rollout) in [
        ("a module to all at once", "first", json!(null)),
        ("a rollout, 10% at once", "second", json!({"canary": 1, "at_once": "10%", "time_limit": "600s"})),
    ] {
        lines.begin()?;
        let content = json!({"text": format!("param \"{text}\" {{ default = 1 }}")});
        let mut data = json!({"content": content, "mode": "MODE_ENFORCE", "nodes": "*"});
        if !rollout.is_null() {
            data["rollout"] = rollout.clone();
        }
        http.put(SITE, &json!({ "data": data })).await?;
        let condition = if rollout.is_null() { "applied" } else { "rolled_out" };
        until(&mut site, condition).await?;
        lines.end(step, count, "node")?;
    }

    lines.begin()?;
    tokio::time::sleep(Duration::from_secs(10)).await;
    lines.end("ten seconds of rest", 10, "second")?;
    watching.abort_all();
    Ok(())
}

/// Runs an operation for each agent, a limited number at a time.
async fn each<F: Future<Output = Result<(), BenchError>> + Send + 'static>(
    agents: &Arc<[Agent]>,
    act: impl Fn(Agent) -> F,
) -> Result<(), BenchError> {
    const AT_ONCE: usize = 32;
    let mut running = JoinSet::new();
    for agent in agents.iter() {
        if running.len() >= AT_ONCE
            && let Some(result) = running.join_next().await
        {
            result.map_err(BenchError::store)??;
        }
        running.spawn(act(agent.clone()));
    }
    while let Some(result) = running.join_next().await {
        result.map_err(BenchError::store)??;
    }
    Ok(())
}

/// Waits until the current generation of the module has this condition.
async fn until(site: &mut Watch, condition: &str) -> Result<(), BenchError> {
    loop {
        let module = site.next().await?;
        let status = &module["status"]["scheduler"];
        let is_current = status["observed_generation"] == module["generation"];
        let conditions = status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_met = |entry: &Value| entry["type"] == condition && entry["state"] == "true";
        if is_current && conditions.iter().any(is_met) {
            return Ok(());
        }
    }
}
