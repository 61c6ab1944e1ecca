use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};
use proptest::prelude::*;

use super::CapabilityPreparer;
use super::set::CapabilitySet;
use crate::testing::{Written, apply, plan, plan_pending};

#[test]
fn sets() {
    let check = |text: &str, expect: Result<&str, &str>| {
        let actual = text.parse::<CapabilitySet>().map(|set| set.to_string());
        match expect {
            Ok(expect) => assert_eq!(actual.as_deref(), Ok(expect), "{text:?}"),
            Err(expect) => {
                assert!(
                    actual.as_ref().is_err_and(|message| message.contains(expect)),
                    "{text:?}: {actual:?}"
                );
            }
        }
    };
    let bind = "cap_net_bind_service=ep";
    for text in ["cap_net_bind_service=+ep", "cap_net_bind_service+ep", "CAP_NET_BIND_SERVICE=pe", bind] {
        check(text, Ok(bind));
    }
    check("cap_net_raw,cap_net_admin=eip cap_net_raw-i", Ok("cap_net_admin=eip cap_net_raw=ep"));
    check("cap_net_raw=eip-i", Ok("cap_net_raw=ep"));
    check("cap_net_raw=i cap_chown=p", Ok("cap_net_raw=i cap_chown=p"));
    check("all=ep cap_chown-ep", Ok(&"=ep cap_chown-ep".parse::<CapabilitySet>().unwrap().to_string()));
    check("", Err("names no capability"));
    check("cap_net_raw=", Err("names no capability"));
    check("cap_net_raw", Err("has no flags"));
    check("net_raw=ep", Err("there is no capability \"net_raw\""));
    check("cap_net_row=ep", Err("there is no capability \"cap_net_row\""));
    check("cap_net_raw=x", Err("'x' in \"cap_net_raw=x\" is not one of"));
    check("cap_net_raw=e", Err("neither permitted nor inheritable"));
    check("cap_net_raw=ep cap_chown=p", Err("some are effective"));
    check(",=ep", Err("there is no capability \"\""));
    check("+ep", Err("there is no capability \"\""));
}

#[test]
fn printed() {
    let check = |text: &str, expect: &str| {
        assert_eq!(CapabilitySet::from_getcap(text).unwrap(), expect.parse().unwrap(), "{text:?}");
    };
    check(" cap_net_raw=ep\n", "cap_net_raw=ep");
    check(" = cap_net_raw+ep\n", "cap_net_raw=ep");
    check(" =ep\n", "all=ep");
    assert!(CapabilitySet::from_getcap("").unwrap().is_empty());
    assert!(CapabilitySet::from_getcap(" cap_new=ep").is_err());
}

proptest! {
    #[test]
    fn a_set_is_what_its_text_says(text in "(cap_(net_raw|chown|bpf)|all|[=+-]|[eip]|,| ){0,12}") {
        if let Ok(set) = text.parse::<CapabilitySet>() {
            prop_assert_eq!(&set.to_string().parse::<CapabilitySet>(), &Ok(set.clone()));
            prop_assert_eq!(CapabilitySet::from_getcap(&format!(" {set}\n")), Ok(set));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "(cap_|[=+,eip -]|\\PC){0,20}") {
        let _ = text.parse::<CapabilitySet>();
        let _ = CapabilitySet::from_getcap(&text);
    }
}

/// Returns a host with a program that has a capability, and one that has none.
///
/// Capabilities are facts of the host.
fn model() -> ModelSystem {
    let model = ModelSystem::new()
        .with_file("/opt/ping", "")
        .with_file("/opt/served", "")
        .with_symlink("/opt/link", "served");
    model.with(|machine| machine.put_fact("capabilities of /opt/ping", "cap_net_raw=ep")).with_program(run)
}

fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let fact = format!("capabilities of {}", args.last()?);
    match (command.program.as_str(), args.as_slice()) {
        ("getcap", [path]) => {
            let capabilities = machine.fact(&fact).map(|has| format!("{path} {has}\n"));
            return Some(Output::success(capabilities.unwrap_or_default()));
        }
        ("setcap", ["-r", _]) => drop(machine.remove_fact(&fact)),
        ("setcap", [set, _]) => machine.put_fact(fact, *set),
        _ => return None,
    }
    Some(Output::success(""))
}

#[tokio::test]
async fn capabilities() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, said: &str, has: Option<&str>| {
        assert_eq!(apply::<CapabilityPreparer>(&system, written).await, said, "{written:?}");
        assert_eq!(plan::<CapabilityPreparer>(&system, written).await, "no change", "{written:?}");
        assert_eq!(model.machine().fact("capabilities of /opt/served"), has, "{written:?}");
        assert_eq!(model.machine().fact("capabilities of /opt/ping"), Some("cap_net_raw=ep"));
    };
    let served = ("destination", Value::from("/opt/served"));
    let bind = "cap_net_bind_service=ep";
    check(
        &[served.clone(), ("capabilities", "cap_net_bind_service=+ep".into())],
        &format!("will change\ncapabilities: \"none\" => \"{bind}\""),
        Some(bind),
    )
    .await;
    check(
        &[served.clone(), ("capabilities", "cap_net_raw=i".into())],
        &format!("will change\ncapabilities: \"{bind}\" => \"cap_net_raw=i\""),
        Some("cap_net_raw=i"),
    )
    .await;
    check(
        &[served, ("state", "absent".into())],
        "will change\ncapabilities: \"cap_net_raw=i\" => \"none\"",
        None,
    )
    .await;
    check(&[("destination", "/opt/none".into()), ("state", "absent".into())], "no change", None).await;
    check(
        &[("destination", "/opt/ping".into()), ("capabilities", "cap_net_raw+ep".into())],
        "no change",
        None,
    )
    .await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, expect: &str| {
        let fields = [("destination", Value::from(destination)), ("capabilities", "cap_net_raw=ep".into())];
        assert_eq!(plan::<CapabilityPreparer>(&system, &fields).await, format!("error: {expect}"));
    };
    check("/opt/link", "/opt/link is a link, which has no capabilities: name the file that it leads to")
        .await;
    check("/opt", "/opt is a folder, which has no capabilities: name the program in it").await;
    check("/opt/none", "file \"/opt/none\" does not exist").await;
    let missing_file = [("destination", Value::from("/opt/none")), ("capabilities", "cap_net_raw=ep".into())];
    let output = plan_pending::<CapabilityPreparer>(&system, &missing_file).await;
    assert_eq!(output, "may change\n# there is no /opt/none yet");
    let without_program: Arc<dyn System> = Arc::new(ModelSystem::new().with_file("/opt/served", ""));
    let served = [("destination", Value::from("/opt/served")), ("capabilities", "cap_net_raw=ep".into())];
    let output = plan::<CapabilityPreparer>(&without_program, &served).await;
    assert_eq!(output, "error: there is no `getcap`: install the package `libcap2-bin`");
}

/// A link that replaces the file between check and apply gets no capabilities.
#[tokio::test]
async fn a_link_that_comes_after_the_check_is_not_followed() {
    let model = Arc::new(model());
    let cx = crate::testing::context(Arc::clone(&model) as _, RunMode::Apply);
    let fields = [("destination", Value::from("/opt/served")), ("capabilities", "cap_net_raw=ep".into())];
    let mut task = crate::testing::prepare::<CapabilityPreparer>(&cx, &fields).await.unwrap();
    task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
    model.alter(|machine| {
        machine.remove("/opt/served");
        machine.put_symlink("/opt/served", "/opt/ping");
    });
    assert!(task.apply(&cx).await.is_err());
    assert_eq!(model.machine().fact("capabilities of /opt/served"), None);
    assert!(model.machine().entry(Path::new("/opt/served")).is_some());
}

laws!(
    CapabilityPreparer,
    start = model,
    values = ("destination", ["/opt/ping", "/opt/served", "/opt/link", "/opt"]),
    values = ("capabilities", ["cap_net_raw=ep", "cap_net_bind_service=+ep", "cap_chown=i"])
);
