//! Tests of the limits on all expressions of a run.

use super::*;
use crate::language::WorkLimits;
use crate::system::ModelSystem;
use converge_load::Loader;

#[tokio::test]
async fn a_run_has_a_budget_of_its_own() {
    let registry = Registry::new();
    // Environment variables are read only in a run.
    let text = r#"param "x" { default = length([for i in range(5000) : env.HOME]) }"#;
    let graph = Loader::new(&registry).load_text("m.hcl", text).into_graph().unwrap();
    for (steps, fails) in [(1_000, true), (1 << 20, false)] {
        let limits = WorkLimits { steps, ..WorkLimits::default() };
        let engine = Engine::new(Arc::new(ModelSystem::new())).with_limits(limits.into());
        let mut reports = Vec::new();
        let mut sink = |event: Event| {
            if let EventKind::ResourceFinished(report) = event.kind {
                reports.push(report);
            }
        };
        engine.plan(&graph).sink(&mut sink).await.unwrap();
        let failures = reports.iter().filter_map(|report| report.failure.as_ref());
        let failures: Vec<_> = failures.map(|failure| failure.diagnostics[0].message.as_str()).collect();
        let expect =
            "all expressions and templates together take more than 1000 steps; evaluation stopped here";
        assert_eq!(failures, if fails { vec![expect] } else { vec![] });
    }
}
