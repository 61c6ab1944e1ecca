use std::sync::Arc;

use converge_core::engine::{Engine, EventKind, Outcome};
use converge_core::laws;
use converge_core::load::Loader;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};
use proptest::prelude::*;

use super::RebootPreparer;
use super::delay::Delay;
use crate::testing::{Written, apply, context, plan, prepare, show};

#[test]
fn delays() {
    let check = |text: &str, expect: Option<&str>| {
        assert_eq!(text.parse::<Delay>().ok().map(Delay::when).as_deref(), expect, "{text:?}");
    };
    check("0", Some("now"));
    check("0s", Some("now"));
    check("0m", Some("now"));
    check("5m", Some("+5"));
    check("2h", Some("+120"));
    check("168h", Some("+10080"));
    for text in ["", "m", "5", "30s", "+5m", "-1m", "169h", "99999999999m", "1.5h", "now"] {
        check(text, None);
    }
}

proptest! {
    #[test]
    fn a_delay_is_what_its_text_says(text in "([0-9]{0,9}[mhs]?|\\PC{0,9})") {
        if let Ok(delay) = text.parse::<Delay>() {
            prop_assert_eq!(delay.to_string().parse::<Delay>(), Ok(delay));
        }
    }
}

const FILE: &str = "/run/reboot-required";

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n")
        .with_file("/usr/sbin/shutdown", "")
        .with_command(["shutdown", "-r", "now", "Converge boots the machine"], Output::success(""))
        .with_command(["shutdown", "-r", "+5", "later"], Output::success(""))
}

fn when() -> (&'static str, Value) {
    ("when_file_exists", FILE.into())
}

#[tokio::test]
async fn a_file_asks_for_a_boot() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    assert_eq!(apply::<RebootPreparer>(&system, &[when()]).await, "no change");
    assert_eq!(model.effects(), []);
    model.alter(|machine| machine.put_file(FILE, ""));
    let plan = plan::<RebootPreparer>(&system, &[when()]).await;
    assert_eq!(plan, format!("will change\nboot: \"\" => \"because {FILE} is there\""));
    let check = async |written: Written<'_>, how: &str, effects: usize| {
        let output = apply::<RebootPreparer>(&system, written).await;
        assert!(output.ends_with(&format!("error: the machine is booting: {how}")), "{output}");
        assert_eq!(model.effects().len(), effects);
    };
    check(&[when()], "it does so at once, and the next apply goes on", 1).await;
    check(
        &[when(), ("message", "later".into()), ("delay", "5m".into())],
        "it does so in 5 min, and the next apply goes on",
        2,
    )
    .await;
    // A run does not postpone a scheduled reboot.
    model.alter(|machine| machine.put_file("/run/systemd/shutdown/scheduled", "USEC=1\n"));
    check(&[when()], "that was scheduled already", 2).await;
}

#[tokio::test]
async fn a_refresh_boots() {
    let model = Arc::new(model());
    let cx = context(Arc::clone(&model) as _, RunMode::Apply);
    let mut task = prepare::<RebootPreparer>(&cx, &[]).await.unwrap();
    assert_eq!(show(&task.check(&cx, &FakeRenderer::new()).await), "no change");
    let refreshed = task.refresh(&cx).await;
    assert!(matches!(refreshed, Err(Error::Booting(_))), "{refreshed:?}");
    assert_eq!(model.effects().len(), 1);
}

#[tokio::test]
async fn mistakes() {
    let check = async |model: ModelSystem, written: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model);
        let output = plan::<RebootPreparer>(&system, written).await;
        assert!(output.starts_with("error: ") && output.contains(expect), "{written:?}: {output}");
    };
    let container =
        "system.reboot is not supported on linux: this is a container, which cannot boot (/.dockerenv";
    check(model().with_file("/.dockerenv", ""), &[], container).await;
    let model_without = |path: &'static str| model().with(|machine| machine.remove(path));
    check(model_without("/proc/sys/kernel/random/boot_id"), &[], "a later run cannot tell").await;
    check(model_without("/usr/sbin/shutdown"), &[], "there is no `shutdown`").await;
    check(model(), &[("message", "-c".into())], "message: it is one line").await;
    check(model(), &[("message", "a\nb".into())], "message: it is one line").await;
    check(model(), &[("delay", "30s".into())], "delay: \"30s\" is not a number of whole minutes").await;
    check(model(), &[("when_file_exists", "/var/lib/x".into())], "a path in /run").await;
    check(model(), &[("when_file_exists", "/run/../var/x".into())], "`..` may lead out of /run").await;
    // A failed `shutdown` is an error, and not a reboot.
    let broken = ModelSystem::new()
        .with_file("/proc/sys/kernel/random/boot_id", "1\n")
        .with_file("/usr/sbin/shutdown", "")
        .with_file(FILE, "")
        .with_command(
            ["shutdown", "-r", "now", "Converge boots the machine"],
            Output::failure(1, "must be root\n"),
        );
    let system: Arc<dyn System> = Arc::new(broken);
    let output = apply::<RebootPreparer>(&system, &[when()]).await;
    assert!(
        output.contains("ended with exit code 1: must be root") && !output.contains("booting"),
        "{output}"
    );
}

const STARTED: &str = "/run/systemd/system";
const SCHEDULED: &str = "/run/systemd/shutdown/scheduled";

/// Runs a model of `shutdown` on a machine with systemd.
///
/// An immediate reboot stops the machine, and any other is scheduled first.
fn shutdown(command: &Command, machine: &mut Machine) -> Option<Output> {
    match (command.program.as_str(), command.args.first()?.as_str(), command.args.get(1).map(String::as_str))
    {
        ("shutdown", "-r", Some(when)) => {
            if when != "now" {
                machine.put_file(SCHEDULED, "MODE=reboot\n");
            }
            machine.go_down();
            Some(Output::success(""))
        }
        ("systemctl", "is-system-running", None) if machine.is_going_down() => {
            Some(Output { stdout: b"stopping\n".to_vec(), ..Output::failure(1, "") })
        }
        ("systemctl", "is-system-running", None) => Some(Output::success("running\n")),
        _ => None,
    }
}

fn bootable() -> ModelSystem {
    ModelSystem::new()
        .with_file("/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n")
        .with_file("/usr/sbin/shutdown", "")
        .with_dir(STARTED)
        .with_file(FILE, "")
        .with_program(shutdown)
}

laws!(
    RebootPreparer,
    start = bootable,
    start = || bootable().with(|machine| machine.remove(STARTED)),
    values = ("when_file_exists", [FILE, "/run/other"]),
    values = ("delay", ["0", "5m"]),
    values = ("message", ["a boot", "another"]),
    beside = ("/proc/sys/kernel/random/boot_id", "each boot has its own"),
    beside = ("/run", "it is empty after each boot")
);

/// `shutdown` succeeds, and the machine stays up.
#[tokio::test]
async fn a_machine_that_does_not_go_down() {
    let check = async |timeout: &str, alter: fn(&mut Machine), expect: &str| {
        let stuck = |command: &Command, _: &mut Machine| match command.program.as_str() {
            "shutdown" => Some(Output::success("")),
            "systemctl" => Some(Output::success("running\n")),
            _ => None,
        };
        let model = ModelSystem::new()
            .with_file("/proc/sys/kernel/random/boot_id", "1\n")
            .with_file("/usr/sbin/shutdown", "")
            .with_file(FILE, "")
            .with_dir(STARTED)
            .with_flowing_time()
            .with_program(stuck)
            .with(alter);
        let started = model.machine().now();
        let model = Arc::new(model);
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let output = apply::<RebootPreparer>(&system, &[when(), ("shutdown_timeout", timeout.into())]).await;
        assert!(output.ends_with(expect), "{output}");
        model.machine().now().duration_since(started).unwrap()
    };
    let waited = check(
        "90s",
        |_| {},
        "error: the machine was told to reboot, but after 90s it neither shuts down nor has a reboot scheduled: `systemctl list-jobs` and `systemd-inhibit --list` show what blocks it",
    )
    .await;
    assert_eq!(waited.as_secs(), 90);
    // Without systemd, the result of `shutdown` is all that is known.
    let waited = check(
        "90s",
        |machine| machine.remove(STARTED),
        "error: the machine is booting: it does so at once, and the next apply goes on",
    )
    .await;
    assert_eq!(waited.as_secs(), 0);
}

/// A host on which whole modules run, with a journal.
///
/// The first file of the module requires a reboot, and the second waits for it.
struct Kept {
    model: Arc<ModelSystem>,
}

impl Kept {
    fn new() -> Self {
        let shutdown = |command: &Command, machine: &mut Machine| {
            (command.program == "shutdown").then(|| {
                machine.put_fact("asked", format!("{}x", machine.fact("asked").unwrap_or_default()));
                machine.go_down();
                Output::success("")
            })
        };
        let model = ModelSystem::new()
            .with_file("/proc/sys/kernel/random/boot_id", "first\n")
            .with_file("/usr/sbin/shutdown", "")
            .with_dir("/etc")
            .with_program(shutdown);
        Self { model: Arc::new(model) }
    }

    /// Applies the module.
    ///
    /// Returns the outcomes of the kernel file, the last file and the reboot, and whether the machine is
    /// booting.
    async fn apply(&self, kernel: &str) -> (Vec<Outcome>, bool) {
        let text = format!(
            "file.content \"kernel\" {{\n  destination = \"/etc/kernel\"\n  content = \"{kernel}\"\n}}\n\
             system.reboot \"it\" {{\n  on_change_of = [\"file.content.kernel\"]\n}}\n\
             file.content \"last\" {{\n  destination = \"/etc/last\"\n  content = \"{kernel}\"\n  depends = [\"system.reboot.it\"]\n}}\n"
        );
        let registry = crate::registry().unwrap();
        let graph = Arc::new(Loader::new(&registry).load_text("m.hcl", text).into_graph().unwrap());
        let engine = Engine::new(Arc::clone(&self.model) as _).with_journal("/var/lib/converge/journal");
        let mut run = engine.apply(&graph).spawn();
        let mut outcomes = Vec::new();
        while let Some(event) = run.next().await {
            if let EventKind::ResourceFinished(report) = &event.kind {
                let waits =
                    report.messages.iter().any(|message| message == "it waits for the reboot of the machine");
                assert_eq!(
                    waits,
                    report.outcome == Outcome::NotRun && report.id.short() == "file.content.last"
                );
                outcomes.push((report.id.clone(), report.outcome));
            }
        }
        outcomes.sort();
        // In the order of their names, the reboot comes last.
        (outcomes.into_iter().map(|(_, outcome)| outcome).collect(), run.await.unwrap().is_booting)
    }

    /// Returns the number of requested reboots.
    fn asked(&self) -> usize {
        self.model.machine().fact("asked").map_or(0, str::len)
    }
}

const DONE: [Outcome; 3] = [Outcome::Unchanged, Outcome::Changed, Outcome::Unchanged];

const BOOTING: [Outcome; 3] = [Outcome::Changed, Outcome::NotRun, Outcome::NotRun];

#[tokio::test]
async fn the_next_run_goes_on_after_the_boot() {
    let journal = Kept::new();
    assert_eq!(journal.apply("1").await, (BOOTING.to_vec(), true));
    assert_eq!((journal.asked(), journal.model.machine().file("/etc/last")), (1, None));
    // The boot is still the same, so the reboot is still required.
    let owed = [Outcome::Unchanged, Outcome::NotRun, Outcome::NotRun];
    assert_eq!(journal.apply("1").await, (owed.to_vec(), true));
    assert_eq!(journal.asked(), 2);
    journal.model.boot();
    assert_eq!(journal.apply("1").await, (DONE.to_vec(), false));
    assert_eq!(journal.apply("1").await, (vec![Outcome::Unchanged; 3], false));
    assert_eq!(journal.asked(), 2);
}

/// A change after the boot requires another reboot, even if the first record still exists.
#[tokio::test]
async fn each_change_asks_for_a_boot_of_its_own() {
    let journal = Kept::new();
    journal.apply("1").await;
    journal.model.boot();
    assert_eq!(journal.apply("2").await, (BOOTING.to_vec(), true));
    assert_eq!(journal.asked(), 2);
    journal.model.boot();
    assert_eq!(journal.apply("2").await, (DONE.to_vec(), false));
    assert_eq!(journal.asked(), 2);
}

/// The run ends between the change and the reboot; the record was written before.
#[tokio::test]
async fn a_killed_run_leaves_what_is_owed() {
    let journal = Kept::new();
    journal.model.alter(|machine| machine.remove("/usr/sbin/shutdown"));
    let (outcomes, is_booting) = journal.apply("1").await;
    assert_eq!((outcomes, is_booting), (vec![Outcome::Changed, Outcome::Skipped, Outcome::Failed], false));
    journal.model.alter(|machine| machine.put_file("/usr/sbin/shutdown", ""));
    let (_, is_booting) = journal.apply("1").await;
    assert!(is_booting && journal.asked() == 1);
}
