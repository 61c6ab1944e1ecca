//! Tests of `file.link` with hard links, as root and as a user with protected hard links.

use converge_tests::host::Host;

const MODULE: &str = r#"
file.directory "site" {
  destination = "/srv/site"
}

file.content "page" {
  destination = "/srv/site/page"
  content     = "{{param `text`}}"
  depends     = ["file.directory.site"]
}

file.link "name" {
  destination = "/srv/site/name"
  target      = "page"
  hard        = true
  force       = true
}

param "text" {
  default = "one"
}
"#;

#[test]
fn a_file_has_two_names() {
    let Some(host) = Host::plain("a_file_has_two_names") else { return };
    let inode = |path: &str| host.ok(&format!("stat -c %d:%i:%h {path}")).stdout;
    let story = host.story(MODULE, &[]);
    assert_eq!(story.apply.report("file.link.name")["outcome"], "changed");
    assert_eq!(inode("/srv/site/name"), inode("/srv/site/page"));
    // The target is replaced by another file, and the link follows in the same run.
    let story = host.story(MODULE, &["-p", "text=two"]);
    assert_eq!(story.apply.report("file.link.name")["outcome"], "changed");
    assert_eq!(inode("/srv/site/name"), inode("/srv/site/page"));
    host.file("/srv/site/name").is("two");
    assert_eq!(host.ok("ls -A /srv/site").stdout, "name\npage\n");

    let refused = |target: &str, expect: &str| {
        let module = format!(
            "file.link \"x\" {{\n  destination = \"/srv/site/x\"\n  target = \"{target}\"\n  hard = true\n}}\n"
        );
        let output = host.converge("apply", &module, &[]);
        assert_eq!(output.code, Some(1), "{}", output.everything());
        assert!(output.everything().contains(expect), "{}", output.everything());
        host.file("/srv/site/x").is_absent();
    };
    refused("/srv/site", "/srv/site is a folder, and only files have hard links");
    refused("/srv/site/none", "/srv/site/none does not exist, and a hard link needs an existing file");
    host.ok("ln -s page /srv/site/symbolic");
    refused("symbolic", "/srv/site/symbolic is a symbolic link");
    refused("/proc/version", "/proc/version is on another file system than /srv/site/x");
}

#[test]
fn the_kernel_protects_files_of_others() {
    let Some(host) = Host::plain("the_kernel_protects_files_of_others") else { return };
    if host.ok("cat /proc/sys/fs/protected_hardlinks").stdout.trim() == "0" {
        return;
    }
    host.ok(
        "useradd --create-home jo && install -m 0644 /dev/null /home/jo/theirs && chown root /home/jo/theirs",
    );
    host.put(
        "/home/jo/link.hcl",
        "file.link \"x\" {\n  destination = \"/home/jo/x\"\n  target = \"theirs\"\n  hard = true\n}\n",
    );
    let output = host.run("cd /tmp && su jo -s /bin/sh -c 'HOME=/home/jo converge apply /home/jo/link.hcl'");
    let expect = "the file belongs to root (user id 0), and the setting `fs.protected_hardlinks` keeps others from making hard links to it";
    assert!(output.everything().contains(expect), "{}", output.everything());
}
