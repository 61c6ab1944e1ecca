//! Tests of reboots in a guest, which has its own kernel.
//!
//! A host is a container, where a reboot is refused.

use converge_tests::guest::Guest;
use converge_tests::host::Host;

const EXAMPLE: &str = include_str!("../../../../converge-resources/src/system/reboot/example.hcl");

/// Returns a module with a resource before the reboot, the reboot, and a resource that waits for it.
fn module(kernel: &str, delay: &str) -> String {
    format!(
        r#"file.content "kernel" {{
  destination = "/etc/converge-kernel"
  content     = "{kernel}\n"
}}

system.reboot "kernel" {{
  on_change_of = ["file.content.kernel"]
  message      = "a new kernel"
  delay        = "{delay}"
}}

file.content "behind" {{
  destination = "/etc/behind"
  content     = "{kernel}\n"
  depends     = ["system.reboot.kernel"]
}}
"#
    )
}

fn boot(guest: &Guest) -> String {
    guest.get("/proc/sys/kernel/random/boot_id")
}

pub(super) fn a_change_schedules_one_boot(guest: &Guest) {
    // logind is masked in guests, because nobody logs in, but reboots are scheduled with it.
    guest.ok("systemctl unmask systemd-logind.service && systemctl start systemd-logind.service");
    guest.converge("apply", EXAMPLE, &[]).success().has_nothing_to_do();

    // The run ends before the reboot and reports that.
    let run = guest.converge("apply", &module("1", "1h"), &[]);
    assert_eq!(run.code, Some(6), "{}", run.everything());
    assert_eq!(run.report("file.content.kernel")["outcome"], "changed");
    assert_eq!(run.report("system.reboot.kernel")["outcome"], "not-run");
    let behind = run.report("file.content.behind");
    assert_eq!(behind["outcome"], "not-run");
    assert_eq!(behind["messages"][0], "it waits for the reboot of the machine");
    guest.ok("! test -e /etc/behind && test -e /run/systemd/shutdown/scheduled");

    // Before the reboot, the run does not continue, and no second reboot is scheduled.
    let second_apply = guest.converge("apply", &module("1", "1h"), &[]);
    assert_eq!(second_apply.code, Some(6), "{}", second_apply.everything());
    assert!(
        second_apply.everything().contains("that was scheduled already"),
        "{}",
        second_apply.everything()
    );
}

pub(super) fn it_boots_and_the_next_run_goes_on(guest: &Guest) {
    let before = boot(guest);
    guest.boots("shutdown -c; converge apply /srv/converge-test/module.hcl", &module("1", "0"));
    assert_ne!(boot(guest), before);
    guest.converge("apply", &module("1", "0"), &[]).success();
    assert_eq!(guest.get("/etc/behind"), "1\n");
    guest.converge("apply", &module("1", "0"), &[]).success().has_nothing_to_do();
}

/// A later change requires another reboot, and a manual reboot satisfies it.
pub(super) fn a_boot_by_hand_is_one(guest: &Guest) {
    assert_eq!(guest.converge("apply", &module("2", "1h"), &[]).code, Some(6));
    guest.reboot();
    let after = boot(guest);
    guest.converge("apply", &module("2", "1h"), &[]).success();
    assert_eq!((guest.get("/etc/behind"), boot(guest)), ("2\n".to_owned(), after));
}

#[test]
fn a_container_is_refused() {
    let Some(host) = Host::systemd("a_container_is_refused") else { return };
    let run = host.converge("apply", EXAMPLE, &[]);
    assert_eq!(run.code, Some(1), "{}", run.everything());
    assert!(run.everything().contains("this is a container, which cannot boot"), "{}", run.everything());
}
