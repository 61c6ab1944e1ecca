//! Boots of a machine, by a guest with a kernel of its own; a host is a container, which is refused.

use converge_tests::guest::Guest;
use converge_tests::host::Host;

const EXAMPLE: &str = include_str!("../../../../converge-resources/src/system/reboot/example.hcl");

/// What comes before the boot, the boot, and what waits for it.
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
    // Guests have it masked, as nobody logs in, and it is what a boot is scheduled by.
    guest.ok("systemctl unmask systemd-logind.service && systemctl start systemd-logind.service");
    guest.converge("apply", EXAMPLE, &[]).success().has_nothing_to_do();

    // The run ends before the boot, and says so.
    let run = guest.converge("apply", &module("1", "1h"), &[]);
    assert_eq!(run.code, Some(6), "{}", run.everything());
    assert_eq!(run.report("file.content.kernel")["outcome"], "changed");
    assert_eq!(run.report("system.reboot.kernel")["outcome"], "not-run");
    let behind = run.report("file.content.behind");
    assert_eq!(behind["outcome"], "not-run");
    assert_eq!(behind["messages"][0], "it waits for the boot of the machine");
    guest.ok("! test -e /etc/behind && test -e /run/systemd/shutdown/scheduled");

    // Before it boots, nothing goes on, and nothing is scheduled again.
    let again = guest.converge("apply", &module("1", "1h"), &[]);
    assert_eq!(again.code, Some(6), "{}", again.everything());
    assert!(again.everything().contains("that was scheduled already"), "{}", again.everything());
}

pub(super) fn it_boots_and_the_next_run_goes_on(guest: &Guest) {
    let before = boot(guest);
    guest.boots("shutdown -c; converge apply /srv/converge-test/module.hcl", &module("1", "0"));
    assert_ne!(boot(guest), before);
    guest.converge("apply", &module("1", "0"), &[]).success();
    assert_eq!(guest.get("/etc/behind"), "1\n");
    guest.converge("apply", &module("1", "0"), &[]).success().has_nothing_to_do();
}

/// A change after that asks again, and a boot by hand is one.
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
