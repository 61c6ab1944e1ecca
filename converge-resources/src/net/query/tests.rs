use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};
use proptest::prelude::*;

use super::PortQueryPreparer;
use super::sockets::{self, Protocol};
use crate::testing::{Written, context, plan, prepare, show};

/// The table as Linux 6.1 prints it.
const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     
   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1509 1 000000007cfd62a0 100 0 0 10 0                      
   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1510 1 000000007cfd62a0 100 0 0 10 0                      
   2: 020200C0:BFEA 507100CB:0050 06 00000000:00000000 03:00000E46 00000000     0        0 0 3 000000008114ae20                                      
";

const TCP6: &str = "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  4000        0 20 1 0 100 0 0 10 0
";

const UDP: &str = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops            
  142: 3500007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000   101        0 901 2 0 0         
";

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/proc/net/tcp", TCP)
        .with_file("/proc/net/tcp6", TCP6)
        .with_file("/proc/net/udp", UDP)
        .with_user("ada", 1000, 1000)
}

#[tokio::test]
async fn who_listens() {
    let check = async |written: Written<'_>, expect: &str| {
        let cx = context(Arc::new(model()), RunMode::Plan);
        let mut task = prepare::<PortQueryPreparer>(&cx, written).await.unwrap();
        assert_eq!(show(&task.check(&cx, &FakeRenderer::new()).await), "no change");
        let exports = task.exports();
        let names = ["listening", "addresses", "user"];
        let actual = names.map(|name| exports.get(&[name]).map(ToString::to_string).unwrap_or_default());
        assert_eq!(actual.join(" "), expect, "{written:?}");
    };
    let port = |port: i64| ("port", Value::from(port));
    let udp = ("protocol", Value::from("udp"));
    check(&[port(2024)], r#"true ["0.0.0.0"] "root""#).await;
    check(&[port(8080)], r#"true ["127.0.0.1", "::1"] "ada""#).await;
    check(&[port(80)], "false [] null").await;
    check(&[port(49130)], "false [] null").await;
    check(&[port(53)], "false [] null").await;
    check(&[port(53), udp.clone()], r#"true ["127.0.0.53"] "101""#).await;
    check(&[port(8080), udp], "false [] null").await;
}

#[tokio::test]
async fn what_cannot_be_read() {
    let check = async |model: ModelSystem, written: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        assert_eq!(plan::<PortQueryPreparer>(&system, written).await, format!("error: {expect}"));
    };
    let port = [("port", Value::from(80))];
    check(
        ModelSystem::new(),
        &port,
        "net.query is not supported on linux: there is no /proc/net/tcp, in which Linux lists its sockets",
    )
    .await;
    check(
        ModelSystem::new().with_file("/proc/net/tcp", "header\n  0: what\n"),
        &port,
        "/proc/net/tcp has a line that is not a socket: \"0: what\"",
    )
    .await;
    check(model(), &[("port", Value::from(0))], "port: 0 is out of range: at least 1 and at most 65535")
        .await;
}

proptest! {
    #[test]
    fn no_table_makes_it_panic(table in "([0-9A-F: \n]|\\PC){0,80}") {
        let _ = sockets::listeners(&table, Protocol::Tcp, 80);
    }
}

laws!(
    PortQueryPreparer,
    start = model,
    values = ("port", [2024, 8080, 80]),
    only_looks = "a query has no changes"
);
