//! Shares of the network: a guest has a server of NFS, and mounts what that has.

use converge_tests::guest::Guest;

/// A share with these options.
fn module(options: &str) -> String {
    format!(
        r#"system.mount "share" {{
  destination = "/srv/shared"
  source      = "127.0.0.1:/srv/export/"
  fstype      = "nfs"
  options     = [{options}]
}}
"#
    )
}

pub(super) fn of_the_network(guest: &Guest) {
    guest.ok("mkdir -p /srv/export && echo here > /srv/export/file && \
         echo '/srv/export 127.0.0.1(rw,no_root_squash,no_subtree_check,insecure)' > /etc/exports && \
         systemctl start nfs-server.service");
    let table = guest.get("/etc/fstab");
    let share = module(r#""vers=4.2", "nosuid", "noatime", "_netdev", "nofail""#);
    guest.story(&share, &[]);
    assert_eq!(guest.get("/srv/shared/file"), "here\n");
    let shown = guest.ok("findmnt -n -o FSTYPE,OPTIONS /srv/shared").stdout;
    assert!(shown.starts_with("nfs4 ") && shown.contains("nosuid") && shown.contains("noatime"), "{shown}");
    // What is written there is on the server.
    guest.ok("echo there > /srv/shared/written && grep -q there /srv/export/written");

    // Other options, of what is mounted.
    guest.story(&module(r#""ro", "_netdev""#), &[]);
    guest.ok("! touch /srv/shared/no && findmnt -n -o OPTIONS /srv/shared | grep -qv nosuid");

    // A share that the server does not have is an error that says so, and what is mounted stays.
    let wrong = share.replace("/srv/export/", "/srv/none").replace("/srv/shared", "/srv/other");
    let run = guest.converge("apply", &wrong, &[]);
    assert_ne!(run.code, Some(0), "{}", run.everything());
    assert!(run.everything().contains("/srv/none"), "{}", run.everything());
    guest.ok("findmnt -n /srv/shared && ! findmnt -n /srv/other");

    let absent = |folder: &str| {
        format!("system.mount \"it\" {{\n  destination = \"{folder}\"\n  state = \"absent\"\n}}\n")
    };
    guest.converge("apply", &absent("/srv/other"), &[]).success();
    guest.story(&absent("/srv/shared"), &[]);
    assert_eq!(guest.get("/etc/fstab"), table);
    guest.ok("systemctl stop nfs-server.service rpcbind.service rpcbind.socket");
}
