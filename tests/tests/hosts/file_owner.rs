//! Tests of `file.owner` with users and groups that only exist in a host.

use converge_tests::host::Host;

const MODULE: &str = r#"
file.directory "site" {
  destination = "/srv/site/pages"
  create_all  = true
}

file.content "page" {
  destination = "{{lookup `file.directory.site.destination`}}/index"
  content     = "hello"
}

file.owner "site" {
  destination = "/srv/site"
  user        = "keeper"
  group       = "keepers"
  recursive   = true
  depends     = ["file.content.page"]
}
"#;

#[test]
fn the_users_of_a_host_own_its_files() {
    let Some(host) = Host::plain("the_users_of_a_host_own_its_files") else { return };

    host.ok("mkdir -p /srv/site");
    let unknown = host.converge("apply", MODULE, &[]);
    assert_eq!(unknown.code, Some(1), "{}", unknown.everything());
    let failure = unknown.failure("file.owner.site");
    assert!(failure.contains("user \"keeper\" does not exist"), "{failure}");

    host.ok("rm -rf /srv/site && mkdir -p /srv/site");
    host.ok("groupadd --gid 4243 keepers && useradd --uid 4242 --gid keepers keeper");
    let story = host.story(MODULE, &[]);
    let differences = story.apply.differences("file.owner.site");
    let differs = |name: &str, before: &str, after: &str| {
        differences.contains(&(name.to_owned(), before.to_owned(), after.to_owned()))
    };
    assert!(differs("UID", "0", "4242"), "{differences:?}");
    assert!(differs("group", "root", "keepers"), "{differences:?}");
    for path in ["/srv/site", "/srv/site/pages", "/srv/site/pages/index"] {
        host.file(path).has_owner("keeper:keepers");
    }
    host.file("/srv/site/pages/index").is("hello");
}
