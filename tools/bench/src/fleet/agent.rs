//! A simulated agent that applies nothing.

use serde_json::{Value, json};

use super::http::{Http, Watch};
use crate::error::BenchError;

/// An agent as the server sees it.
#[derive(Clone, Debug)]
pub(super) struct Agent {
    http: Http,
    name: String,
}

impl Agent {
    pub(super) fn new(http: &Http, number: usize) -> Self {
        Self { http: http.clone(), name: format!("node-{number}") }
    }

    /// Creates the node and its report, and sends the first heartbeat.
    pub(super) async fn join(self) -> Result<(), BenchError> {
        let Self { http, name } = &self;
        let node = http.put(&format!("/v1/resources/converge/v1/node/{name}"), &json!({})).await?;
        let report = json!({"owner": node["id"], "data": {"version": "0", "facts": {"family": "debian"}}});
        http.put(&self.report(), &report).await?;
        self.send_heartbeat().await
    }

    fn report(&self) -> String {
        format!("/v1/resources/converge/v1/nodereport/{}", self.name)
    }

    pub(super) async fn send_heartbeat(self) -> Result<(), BenchError> {
        let report = self.http.get(&self.report()).await?;
        let uid = report["id"]["uid"].as_str().unwrap_or_default();
        let status = json!({"observed_generation": report["generation"], "conditions": []});
        self.http.put(&format!("{}/status/agent?uid={uid}", self.report()), &status).await.map(drop)
    }

    /// Watches the assignments of the node.
    pub(super) async fn watch(&self) -> Result<Watch, BenchError> {
        let path = "/v1/resources/converge/v1/assignment?partition=*&namespace=*";
        let name = &self.name;
        self.http.watch(&format!("{path}&name_prefix={name}-&selector=node%3D{name}")).await
    }

    /// Reports each assignment as applied, and restarts a watch that ends, like a real agent.
    pub(super) async fn work(&self, watch: Watch) -> Result<(), BenchError> {
        let mut watch = Some(watch);
        loop {
            let mut stream = match watch.take() {
                Some(watch) => watch,
                None => self.watch().await?,
            };
            while let Ok(assignment) = stream.next().await {
                let is_told =
                    assignment["status"]["agent"]["observed_generation"] == assignment["generation"];
                if !is_told {
                    self.report_on(&assignment).await?;
                }
            }
        }
    }

    async fn report_on(&self, assignment: &Value) -> Result<(), BenchError> {
        let id_field = |field: &str| assignment["id"][field].as_str().unwrap_or_default();
        let path = format!(
            "/v1/resources/converge/v1/assignment/{}/status/agent?uid={}",
            id_field("name"),
            id_field("uid")
        );
        let conditions = ["planned", "applied"].map(|name| json!({"type": name, "state": "true"}));
        let status = json!({"observed_generation": assignment["generation"], "conditions": conditions});
        self.http.put(&path, &status).await.map(drop)
    }
}
