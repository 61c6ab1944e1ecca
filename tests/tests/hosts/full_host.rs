//! Tests of a complete host: `examples/host` turns bare Debian into a web service, and repairs it.

use std::fs;

use converge_tests::docker::docker;
use converge_tests::host::apt::Package;
use converge_tests::host::registry::PASSWORD;
use converge_tests::host::{Host, Registry};
use converge_tests::{Said, root};

/// Returns the packages of the service: a web server, its dependency, and a report.
///
/// The report has two versions, of which the module declares the older one.
fn packages() -> [Package; 4] {
    let httpd = Package::new("corner-httpd", "1.0-1")
        .control("Depends", "busybox-static, corner-common (>= 1.0)")
        .program(
            "/usr/sbin/corner-httpd",
            ". /etc/corner-httpd/settings\nexec busybox httpd -f -p $PORT -h $ROOT",
        )
        .file(
            "/lib/systemd/system/corner-httpd.service",
            "[Service]\nExecStart=/usr/sbin/corner-httpd\n\n[Install]\nWantedBy=multi-user.target",
        );
    let common =
        Package::new("corner-common", "1.0-1").file("/usr/share/corner-httpd/icon.png", "a picture").script(
            "postinst",
            "cd /usr/share/corner-httpd && echo 'p {}' > main.css && tar czf styles.tar.gz main.css",
        );
    let report =
        ". /etc/corner-httpd/settings\nbusybox wget -q -O - http://localhost:$PORT/about.html | grep About";
    let tools = |version| Package::new("corner-tools", version).program("/usr/bin/corner-report", report);
    [httpd, common, tools("1.0-1"), tools("1.1-1")]
}

/// The manual changes and the resources that they affect.
const BROKEN: [(&str, &str); 12] = [
    ("usermod --comment Nobody grace", "module.people/user.user.person[\"grace\"]"),
    ("userdel ada", "module.people/user.user.person[\"ada\"]"),
    ("echo gone > /srv/web/pages/about.html", "module.site/file.content.page[\"about\"]"),
    ("rm /srv/web/pages/robots.txt", "module.site/file.content.robots"),
    ("rm /srv/web/pages/icon.png", "module.site/file.fetch.icon"),
    ("chmod 0700 /etc/corner-httpd", "module.service/file.directory.settings"),
    ("dpkg --purge corner-tools", "module.packages/package.apt.tools"),
    ("systemctl stop corner-report.timer", "module.service/systemd.unit.state.report"),
    ("systemctl unmask debug-shell.service", "module.machine/systemd.unit.state.debug"),
    ("sed -i 's/^UMASK.*/UMASK 022/' /etc/login.defs", "module.machine/file.line.umask"),
    ("rm /etc/sudoers.d/editors", "module.people/user.sudoers.editors"),
    ("rm /etc/cron.d/corner-uploads", "module.service/cron.job.uploads"),
];

/// The container that is removed manually.
const CONTAINER: &str = "module.container/docker.container.status";

/// The SSH key of one of the users.
const KEYS: &str =
    r#"keys={"ada":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"}"#;

struct Full {
    host: Host,
    _registry: Registry,
    arguments: Vec<String>,
}

impl Full {
    /// Starts bare Debian with an apt repository and an image registry.
    fn new(test: &str) -> Option<Self> {
        let host = Host::with_docker(test)?;
        let repository = host.apt_repository(&packages());
        let key = repository.sign();
        // The module configures the repository and its key itself.
        let (key, fingerprint) =
            (format!("repository_key={}", key.text), format!("repository_fingerprint={}", key.fingerprint));
        let repository = format!("repository={}", repository.uri());
        host.ok("rm -r /etc/apt/sources.list /var/lib/apt/lists/*");
        for entry in fs::read_dir(root().join("examples/host")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            host.put(&format!("/srv/host/{name}"), fs::read(&path).unwrap());
        }
        // An image that the engine does not have yet, and that is removed with the host.
        let registry = Registry::start(test)?;
        let image = host.name("web");
        registry.push(&format!("{image}:1"), "all is well");
        let image = format!("image={}/{image}", registry.address());
        let (name, password) =
            (format!("containers={}", host.name("corner")), format!("registry_password={PASSWORD}"));
        // A container may not change kernel settings.
        let arguments = [
            image.as_str(),
            "tag=1",
            &name,
            &password,
            &repository,
            &key,
            &fingerprint,
            "kernel=false",
            KEYS,
        ];
        let arguments =
            arguments.iter().flat_map(|argument| ["-p".to_owned(), (*argument).to_owned()]).collect();
        Some(Self { host, _registry: registry, arguments })
    }

    fn converge(&self, command: &str) -> Said {
        let words: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        self.host.converge_file(command, "/srv/host/main.hcl", &words)
    }

    fn page(&self, name: &str) -> String {
        self.host.ok(&format!("busybox wget -q -O - http://localhost:8080/{name}")).stdout
    }
}

#[test]
fn bare_debian_becomes_a_web_service_and_what_is_broken_is_mended() {
    let Some(full_host) = Full::new("bare_debian_becomes_a_web_service") else { return };
    let host = &full_host.host;

    let first_plan = full_host.converge("plan").success();
    assert!(
        first_plan.with_outcome("will-change").len() + first_plan.with_outcome("may-change").len() >= 40,
        "{}",
        first_plan.everything()
    );
    assert!(!host.has_user("ada") && host.package("corner-httpd").is_none(), "a plan changes nothing");
    let first_apply = full_host.converge("apply").success();
    first_apply.did_what_was_planned(&first_plan);
    assert!(full_host.page("").contains("Welcome"));
    assert_eq!(host.package("corner-tools").as_deref(), Some("1.0-1"));
    assert!(host.unit("corner-httpd.service").is_active() && host.unit("corner-report.timer").is_enabled());
    for output in [&first_plan, &first_apply] {
        assert!(!output.everything().contains(PASSWORD), "{}", output.everything());
    }
    full_host.converge("apply").has_nothing_to_do();
    full_host.converge("plan").has_nothing_to_do();

    for (command, _) in BROKEN {
        host.ok(command);
    }
    docker(&["rm", "--force", &host.name("corner-status")]).unwrap();
    let mut broken = BROKEN.map(|(_, id)| id).to_vec();
    broken.push(CONTAINER);
    broken.sort_unstable();
    let repair_plan = full_host.converge("plan").success();
    // A resource after a reinstalled package may change, because maintainer scripts can do anything. The same
    // holds for files in the home of a recreated user. All others are certain, and no broken resource is
    // missed.
    let (will_change, may_change) =
        (repair_plan.with_outcome("will-change"), repair_plan.with_outcome("may-change"));
    let missed: Vec<_> = broken
        .iter()
        .filter(|id| !will_change.iter().chain(&may_change).any(|candidate| candidate == *id))
        .collect();
    assert!(missed.is_empty(), "{missed:?}: {}", repair_plan.everything());
    let before_packages = |id: &&str| id.starts_with("module.people") || id.starts_with("module.packages");
    for id in BROKEN.map(|(_, id)| id).into_iter().filter(before_packages) {
        assert!(will_change.iter().any(|id_in_plan| id_in_plan == id), "{id}: {}", repair_plan.everything());
    }
    let after_package =
        |id: &str| repair_plan.report(id)["pending"] == "root/module.packages/package.apt.tools";
    let in_home = |id: &str| {
        ["file.content.welcome[\"ada\"]", "user.authorized_key.person[\"ada\"]"]
            .iter()
            .any(|of_hers| id.strip_prefix("module.people/") == Some(of_hers))
    };
    // The check of the service depends on resources that may change.
    let is_asked = |id: &str| id == "module.service/assert.httpd";
    let is_open = |id: &String| after_package(id) || in_home(id) || is_asked(id);
    assert!(may_change.iter().all(is_open), "{may_change:?}: {}", repair_plan.everything());
    let mended = full_host.converge("apply").success();
    mended.did_what_was_planned(&repair_plan);
    assert_eq!(mended.with_outcome("changed"), broken);
    full_host.converge("plan").has_nothing_to_do();
    assert!(full_host.page("about.html").contains("About us"));
}
