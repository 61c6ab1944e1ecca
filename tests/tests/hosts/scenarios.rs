//! Tests of the scenarios of `converge_tests::stories` on Debian, where they must match the model host.

use converge_tests::host::Host;
use converge_tests::scenarios;

#[test]
fn debian_says_what_the_model_says() {
    let Some(host) = Host::systemd("debian_says_what_the_model_says") else { return };
    host.put("/srv/stories-program", std::fs::read(env!("CARGO_BIN_EXE_scenarios")).expect("it was built"));
    host.put("/srv/disks.sh", scenarios::DISKS);
    host.ok("chmod 0755 /srv/stories-program && mkdir /srv/stories && cd /srv/stories && sh /srv/disks.sh");
    let output = host.run("/srv/stories-program /srv/stories disks");
    assert_eq!(output.code, Some(0), "{}", output.everything());
}
