//! Tests of `package.pip` with wheels that the tests create, so that no network is needed.

use converge_tests::host::Host;

/// Creates wheels in `/srv/wheels` from a name, a version and requirements.
fn wheels(host: &Host, wheels: &[(&str, &str, &str)]) {
    const MAKE: &str = r#"
import sys, zipfile
name, version, needs = sys.argv[1:4]
module = name.lower().replace(".", "_").replace("-", "_")
info = f"{module}-{version}.dist-info"
meta = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + (f"Requires-Dist: {needs}\n" if needs else "")
files = {
    f"{module}/__init__.py": f"version = '{version}'\n",
    f"{info}/METADATA": meta,
    f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
record = "".join(f"{path},,\n" for path in files) + f"{info}/RECORD,,\n"
with zipfile.ZipFile(f"/srv/wheels/{module}-{version}-py3-none-any.whl", "w") as wheel:
    for path, text in (files | {f"{info}/RECORD": record}).items():
        wheel.writestr(path, text)
"#;
    host.put("/srv/make.py", MAKE);
    host.ok("mkdir -p /srv/wheels");
    for (name, version, needs) in wheels {
        host.ok(&format!("python3 /srv/make.py '{name}' '{version}' '{needs}'"));
    }
}

fn pip(fields: &str) -> String {
    format!(
        "package.pip \"it\" {{\n  extra_args = [\"--no-index\", \"--find-links=/srv/wheels\"]\n{fields}\n}}\n"
    )
}

fn difference(name: &str, before: &str, after: &str) -> (String, String, String) {
    (name.to_owned(), before.to_owned(), after.to_owned())
}

#[test]
fn packages_of_a_virtual_environment() {
    let Some(host) = Host::plain("packages_of_a_virtual_environment") else { return };
    wheels(
        &host,
        &[("hello", "1.0", ""), ("hello", "2.0", ""), ("App.One", "1.0", "hello"), ("other", "3.0", "")],
    );
    let venv = |fields: &str| pip(&format!("  venv = \"/srv/venv\"\n{fields}"));
    let installed_version = |name: &str| {
        let output = host.run(&format!("/srv/venv/bin/python -c 'import {name}; print({name}.version)'"));
        (output.code == Some(0)).then(|| output.stdout.trim().to_owned())
    };
    let story = host.story(&venv("name = \"hello\"\nversion = \"1.0\""), &[]);
    let expect = [difference("venv", "absent", "present"), difference("hello", "absent", "1.0")];
    assert_eq!(story.plan.differences("package.pip.it"), expect);
    assert_eq!(installed_version("hello").as_deref(), Some("1.0"));
    // pip compares versions, and treats all spellings of a name as equal.
    host.nothing_to_do(&venv("name = \"HELLO==1.0.0\""), &[]);
    host.nothing_to_do(&venv("name = \"hello>=0.5,<2\""), &[]);
    host.nothing_to_do(&venv("name = \"hello\""), &[]);
    let story = host.story(&venv("name = \"hello>=2\""), &[]);
    assert_eq!(story.plan.differences("package.pip.it"), [difference("hello", "1.0", "2.0")]);

    let story = host.story(&venv("name = [\"hello\", \"app_one\"]"), &[]);
    assert_eq!(story.plan.differences("package.pip.it"), [difference("app_one", "absent", "present")]);
    host.story(&venv("name = \"App-One\"\nstate = \"absent\""), &[]);
    assert_eq!((installed_version("app_one"), installed_version("hello").as_deref()), (None, Some("2.0")));

    let error = host.converge("plan", &venv("name = \"hello==9\""), &[]).failure("package.pip.it");
    assert!(error.starts_with("pip finds nothing that is \"hello==9\":\n"), "{error}");
    let error = host.converge("plan", &venv("name = \"nothere\""), &[]).failure("package.pip.it");
    assert!(error.starts_with("pip finds nothing that is \"nothere\""), "{error}");

    host.put("/srv/requirements.txt", "hello==1.0\nother\n");
    let story = host.story(&venv("requirements = \"/srv/requirements.txt\""), &[]);
    let mut differences = story.plan.differences("package.pip.it");
    differences.sort();
    assert_eq!(differences, [difference("hello", "2.0", "1.0"), difference("other", "absent", "3.0")]);

    // A folder that is not a virtual environment is left alone.
    host.ok("mkdir /srv/mine && touch /srv/mine/x");
    let module = pip("venv = \"/srv/mine\"\nname = \"hello\"");
    let error = host.converge("apply", &module, &[]).failure("package.pip.it");
    assert!(error.starts_with("/srv/mine has other things in it"), "{error}");
    assert_eq!(host.ok("ls /srv/mine").stdout, "x\n");

    let example = include_str!("../../../converge-resources/src/package/pip/example.hcl");
    host.story(example, &[]);
    host.ok("/srv/app/venv/bin/python -c 'import hello'");
}

#[test]
fn packages_of_a_user_and_of_the_machine() {
    let Some(host) = Host::plain("packages_of_a_user_and_of_the_machine") else { return };
    wheels(&host, &[("hello", "1.0", ""), ("other", "3.0", "")]);
    host.ok("useradd --create-home keeper");
    let output = host.converge("plan", &pip("name = \"hello\""), &[]);
    assert!(output.everything().contains("belong to its distribution"), "{}", output.everything());

    host.story(&pip("user = \"keeper\"\nname = \"hello\""), &[]);
    let owner = host.ok("find /home/keeper/.local -name 'hello*' -printf '%u\\n' | sort -u").stdout;
    assert_eq!(owner, "keeper\n");
    assert_ne!(host.run("python3 -c 'import hello'").code, Some(0));
    host.ok("su keeper -c \"python3 -c 'import hello'\"");
    host.story(&pip("user = \"keeper\"\nname = \"hello\"\nstate = \"absent\""), &[]);

    host.story(&pip("system = true\nname = \"other\""), &[]);
    host.ok("cd / && python3 -c 'import other'");
    host.story(&pip("system = true\nname = \"other\"\nstate = \"absent\""), &[]);
}
