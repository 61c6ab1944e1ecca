use std::sync::Arc;

use bollard::models::{Ipam, IpamConfig, NetworkInspect};
use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::ModelSystem;
use converge_sdk::system::System;

use super::NetworkPreparer;
use crate::docker::model;
use crate::testing::{Written, context, plan, plan_pending, prepare};

fn map(items: &[(&str, &str)]) -> Value {
    Value::Map(items.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect())
}

/// Returns the inspect response of a network that was created with only a range.
fn found() -> NetworkInspect {
    let range = IpamConfig {
        subnet: Some("10.1.0.0/16".to_owned()),
        gateway: Some("10.1.0.1".to_owned()),
        ..IpamConfig::default()
    };
    NetworkInspect {
        name: Some("backend".to_owned()),
        driver: Some("bridge".to_owned()),
        ipam: Some(Ipam { driver: Some("default".to_owned()), config: Some(vec![range]), options: None }),
        options: Some([("com.docker.network.enable_ipv4".to_owned(), "true".to_owned())].into()),
        ..NetworkInspect::default()
    }
}

#[tokio::test]
async fn differences() {
    let cx = context(Arc::new(ModelSystem::new()), RunMode::Plan);
    let check = async |written: Written<'_>, expect: &[(&str, &str, &str)]| {
        let fields: Vec<_> =
            [("name", "backend".into())].into_iter().chain(written.iter().cloned()).collect();
        let network = prepare::<NetworkPreparer>(&cx, &fields).await.unwrap();
        let mut status = Status::new();
        network.differences(&found()).report(&mut status);
        let diffs = status.diffs();
        let actual: Vec<_> = diffs
            .iter()
            .map(|(name, diff)| (*name, diff.before().to_string(), diff.after().to_string()))
            .collect();
        let actual: Vec<_> = actual.iter().map(|(name, has, wants)| (*name, &**has, &**wants)).collect();
        assert_eq!(actual, expect, "{fields:?}");
    };
    check(&[], &[]).await;
    check(&[("driver", "overlay".into())], &[("driver", "bridge", "overlay")]).await;
    check(&[("labels", map(&[("a", "1")]))], &[("labels.a", "(none)", "1")]).await;
    check(&[("options", map(&[("mtu", "1400")]))], &[("options.mtu", "(none)", "1400")]).await;
    check(&[("ipam_driver", "dhcp".into())], &[("ipam_driver", "default", "dhcp")]).await;
    check(
        &[("internal", true.into()), ("ipv6", true.into())],
        &[("internal", "false", "true"), ("ipv6", "false", "true")],
    )
    .await;

    let range = |items: &[(&str, &str)]| [("ipam_config", map(items))];
    check(&range(&[("subnet", "10.1.0.0/16")]), &[]).await;
    check(&range(&[("subnet", "10.1.9.9/16"), ("gateway", "10.1.0.1")]), &[]).await;
    check(
        &range(&[("subnet", "10.2.0.0/16")]),
        &[("ipam_config", "10.1.0.0/16, gateway 10.1.0.1", "10.2.0.0/16")],
    )
    .await;
    check(
        &range(&[("subnet", "10.1.0.0/16"), ("gateway", "10.1.0.9")]),
        &[("ipam_config", "10.1.0.0/16, gateway 10.1.0.1", "10.1.0.0/16, gateway 10.1.0.9")],
    )
    .await;
    check(
        &range(&[("subnet", "10.1.0.0/16"), ("ip_range", "10.1.5.0/24")]),
        &[("ipam_config", "10.1.0.0/16", "10.1.0.0/16, ip_range 10.1.5.0/24")],
    )
    .await;
}

#[tokio::test]
async fn requests() {
    let cx = context(Arc::new(ModelSystem::new()), RunMode::Plan);
    let range = Value::Map(
        [
            ("subnet".to_owned(), Value::from("10.1.0.0/16")),
            ("aux_addresses".to_owned(), map(&[("router", "10.1.0.9")])),
        ]
        .into_iter()
        .collect(),
    );
    let fields = [
        ("name", Value::from("backend")),
        ("labels", map(&[("a", "1")])),
        ("ipam_config", Value::List(vec![range])),
        ("internal", Value::from(true)),
    ];
    let network = prepare::<NetworkPreparer>(&cx, &fields).await.unwrap();
    let expect = serde_json::json!({
        "Name": "backend",
        "Driver": "bridge",
        "Internal": true,
        "EnableIPv6": false,
        "IPAM": {
            "Driver": "default",
            "Config": [{"Subnet": "10.1.0.0/16", "AuxiliaryAddresses": {"router": "10.1.0.9"}}],
        },
        "Options": {},
        "Labels": {"a": "1"},
    });
    assert_eq!(serde_json::to_value(network.request()).unwrap(), expect);
}

#[tokio::test]
async fn without_an_engine() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let fields = [("name", Value::from("backend"))];
    let alone = plan::<NetworkPreparer>(&system, &fields).await;
    assert!(alone.starts_with("error: no Docker engine can be reached at /var/run/docker.sock"), "{alone}");
    let pending = plan_pending::<NetworkPreparer>(&system, &fields).await;
    assert!(pending.starts_with("may change\n# no Docker engine can be reached"), "{pending}");
}

fn range(items: &[(&str, &str)]) -> Value {
    Value::List(vec![map(items)])
}

laws!(
    NetworkPreparer,
    start = model::engine,
    values = ("name", ["backend", "front"]),
    values = ("driver", ["bridge", "macvlan"]),
    values = ("ipam_driver", ["default", "dhcp"]),
    values = ("labels", [map(&[]), map(&[("of", "web")])]),
    values = ("options", [map(&[]), map(&[("com.docker.network.driver.mtu", "1400")])]),
    values = (
        "ipam_config",
        [
            Value::List(Vec::new()),
            range(&[("subnet", "10.1.0.0/16")]),
            range(&[("subnet", "10.2.0.0/16"), ("gateway", "10.2.0.9"), ("ip_range", "10.2.5.0/24")]),
        ]
    ),
);
