//! Tests of network shares: a guest runs an NFS and a CIFS server and mounts their shares.

use converge_tests::guest::Guest;

/// Returns a module that mounts a share with these options.
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
    of_nfs(guest);
    of_cifs(guest);
}

/// Returns a resource that unmounts a share.
fn absent(folder: &str) -> String {
    format!("system.mount \"it\" {{\n  destination = \"{folder}\"\n  state = \"absent\"\n}}\n")
}

fn of_nfs(guest: &Guest) {
    guest.ok("mkdir -p /srv/export && echo here > /srv/export/file && \
         echo '/srv/export 127.0.0.1(rw,no_root_squash,no_subtree_check,insecure)' > /etc/exports && \
         systemctl start nfs-server.service");
    let table = guest.get("/etc/fstab");
    let share = module(r#""vers=4.2", "nosuid", "noatime", "_netdev", "nofail""#);
    guest.story(&share, &[]);
    assert_eq!(guest.get("/srv/shared/file"), "here\n");
    let options = guest.ok("findmnt -n -o FSTYPE,OPTIONS /srv/shared").stdout;
    assert!(
        options.starts_with("nfs4 ") && options.contains("nosuid") && options.contains("noatime"),
        "{options}"
    );
    // A file written to the mount is on the server.
    guest.ok("echo there > /srv/shared/written && grep -q there /srv/export/written");

    // Changed options of a mounted share.
    guest.story(&module(r#""ro", "_netdev""#), &[]);
    guest.ok("! touch /srv/shared/no && findmnt -n -o OPTIONS /srv/shared | grep -qv nosuid");

    // A share that the server lacks is an error, and the existing mount stays.
    let invalid_share = share.replace("/srv/export/", "/srv/none").replace("/srv/shared", "/srv/other");
    let run = guest.converge("apply", &invalid_share, &[]);
    assert_ne!(run.code, Some(0), "{}", run.everything());
    assert!(run.everything().contains("/srv/none"), "{}", run.everything());
    guest.ok("findmnt -n /srv/shared && ! findmnt -n /srv/other");

    guest.converge("apply", &absent("/srv/other"), &[]).success();
    guest.story(&absent("/srv/shared"), &[]);
    assert_eq!(guest.get("/etc/fstab"), table);
    guest.ok("systemctl stop nfs-server.service rpcbind.service rpcbind.socket");
}

/// Returns a share with a password in a file that the same run creates.
fn with_password(password: &str, share: &str, options: &str) -> String {
    format!(
        r#"param "password" {{
  default   = "{password}"
  sensitive = true
}}

system.mount "share" {{
  destination = "/srv/shared"
  source      = "//127.0.0.1/{share}"
  fstype      = "cifs"
  options     = ["credentials=/etc/share.secret", {options}]
}}

file.content "password" {{
  destination = "/etc/share.secret"
  content     = format("username=keeper\npassword=%s\n", param.password)
  mode        = 0600
}}
"#
    )
}

const SAMBA: &str = "\
[global]
bind interfaces only = yes
interfaces = lo
[export]
path = /srv/samba
writeable = yes
";

fn of_cifs(guest: &Guest) {
    guest.put("/etc/samba/smb.conf", SAMBA);
    guest.ok(
        "mkdir -p /srv/samba && echo here > /srv/samba/file && chmod 0777 /srv/samba && useradd keeper && \
         printf 'correct-horse\\ncorrect-horse\\n' | smbpasswd -s -a keeper && systemctl start smbd.service",
    );
    let table = guest.get("/etc/fstab");

    // An error of the server is reported, and no line is added to the table.
    for (invalid, expect) in [
        (with_password("wrong-horse", "export", r#""noatime""#), "ermission denied"),
        (with_password("correct-horse", "nothing", r#""noatime""#), "No such file or directory"),
    ] {
        let run = guest.converge("apply", &invalid, &[]);
        assert_ne!(run.code, Some(0), "{}", run.everything());
        assert!(run.everything().contains(expect), "{}", run.everything());
        assert!(!run.everything().contains("horse"), "{}", run.everything());
        guest.ok("! findmnt -n /srv/shared");
        assert_eq!(guest.get("/etc/fstab"), table);
    }

    guest.ok("rm /etc/share.secret");
    let share = with_password("correct-horse", "export", r#""uid=1", "nosuid", "_netdev", "nofail""#);
    guest.story(&share, &[]);
    assert_eq!(guest.get("/srv/shared/file"), "here\n");
    let options = guest.ok("findmnt -n -o FSTYPE,OPTIONS /srv/shared").stdout;
    assert!(
        options.starts_with("cifs ") && options.contains("nosuid") && options.contains("uid=1"),
        "{options}"
    );
    guest.ok("echo there > /srv/shared/written && grep -q there /srv/samba/written");
    assert!(!guest.get("/etc/fstab").contains("horse"));

    // Changed options of a mounted share.
    guest.story(&with_password("correct-horse", "export", r#""ro", "_netdev""#), &[]);
    guest.ok("! touch /srv/shared/no && findmnt -n -o OPTIONS /srv/shared | grep -qv nosuid");

    guest.story(&absent("/srv/shared"), &[]);
    assert_eq!(guest.get("/etc/fstab"), table);
    guest.ok("systemctl stop smbd.service");
}
