//! Tests that modules reach the state that ansible-core 2.19 reached with the equivalent tasks.

mod ansible_comparison;

use converge_tests::host::Host;
use converge_tests::host::apt::Package;

/// The module for tasks with `lineinfile`, `copy`, `file`, a template and facts.
///
/// `lineinfile` replaces, adds and removes lines; `file` covers `touch`, a link and a folder.
const FILES: &str = r#"
file.directory "folder" {
  for_each    = ["/srv/app", "/srv/app/etc"]
  destination = each.key
  mode        = "0755"
}

file.content "settings" {
  destination     = "/srv/app/etc/solr.in.sh"
  content         = "SOLR_HEAP=\"512m\"\n#SOLR_JAVA_MEM=\"-Xms512m\"\nSOLR_PORT=\"1\"\nSOLR_PORT=\"2\"\n"
  only_if_missing = true
  mode            = "0644"
}

file.line "heap" {
  destination = file.content.settings.destination
  match       = "^SOLR_HEAP"
  state       = "absent"
}

file.line "setting" {
  for_each = {
    "^.?SOLR_JAVA_MEM="  = "SOLR_JAVA_MEM=\"-Xms1g -Xmx1g\""
    "^SOLR_PORT="        = "SOLR_PORT=\"8983\""
    "^.?SOLR_TIMEZONE="  = "SOLR_TIMEZONE=\"UTC\""
  }

  destination = file.content.settings.destination
  match       = each.key
  line        = each.value
  depends     = ["file.line.heap"]
}

file.content "log" {
  destination     = "/srv/app/app.log"
  only_if_missing = true
  mode            = "0664"
}

file.link "current" {
  destination = "/srv/app/current"
  target      = "/srv/app/etc"
}

file.content "facts" {
  destination = "/srv/app/facts"
  content     = "{{platform.family}} {{platform.distribution}} {{platform.codename}} {{platform.hostname}} {{platform.kernel}} {{platform.architecture}} {{platform.cpus}} {{platform.memory_mib}} {{platform.address}}\n"
  mode        = "0600"
}
"#;

#[test]
fn files_are_as_ansible_leaves_them() {
    let Some(host) = Host::plain("files_are_as_ansible_leaves_them") else { return };
    host.story(FILES, &[]);
    host.file("/srv/app/etc/solr.in.sh")
        .is("SOLR_JAVA_MEM=\"-Xms1g -Xmx1g\"\nSOLR_PORT=\"1\"\nSOLR_PORT=\"8983\"\nSOLR_TIMEZONE=\"UTC\"\n")
        .has_mode("0644");
    host.file("/srv/app/app.log").is("").has_mode("0664");
    assert_eq!(host.ok("stat -c %a /srv/app/etc; readlink /srv/app/current").stdout, "755\n/srv/app/etc\n");
    let facts = ". /etc/os-release; echo \"debian $ID $VERSION_CODENAME $(hostname -s) $(uname -r) $(uname -m) \
                 $(getconf _NPROCESSORS_ONLN) $(awk '/^MemTotal/ {print int($2 / 1024)}' /proc/meminfo) $(hostname -I | cut -d' ' -f1)\"";
    let stdout = host.ok(facts).stdout;
    host.file("/srv/app/facts").is(&stdout);
}

/// `apt` with only `update_cache` and `cache_valid_time` fetches the lists if they are too old.
#[test]
fn lists_of_packages_are_kept_new() {
    let Some(host) = Host::plain("lists_of_packages_are_kept_new") else { return };
    let module = "package.apt \"lists\" {\n  cache_valid_time = \"1h\"\n}\n";
    let repository = host.apt_repository(&[Package::new("hello", "1.0")]);
    host.nothing_to_do(module, &[]);
    repository.publish(&[Package::new("hello", "2.0")]);
    host.ok("touch -d '2 hours ago' /var/lib/apt/lists /var/lib/apt/periodic/update-success-stamp; true");
    let story = host.story(module, &[]);
    assert_eq!(story.apply.report("package.apt.lists")["outcome"], "changed");
    assert!(host.ok("apt-cache policy hello").stdout.contains("Candidate: 2.0"));
    assert_eq!(host.package("hello"), None);
}

/// `package` with `state: latest`.
#[test]
fn a_package_is_upgraded_by_the_manager_of_the_machine() {
    let Some(host) = Host::plain("a_package_is_upgraded_by_the_manager_of_the_machine") else { return };
    let repository = host.apt_repository(&[Package::new("hello", "1.0")]);
    host.story("package.install \"hello\" {\n  name = \"hello\"\n}\n", &[]);
    repository.publish(&[Package::new("hello", "2.0")]);
    host.ok("apt-get update");
    host.nothing_to_do("package.install \"hello\" {\n  name = \"hello\"\n}\n", &[]);
    host.story("package.install \"hello\" {\n  name = \"hello\"\n  latest = true\n}\n", &[]);
    assert_eq!(host.package("hello").as_deref(), Some("2.0"));
}
