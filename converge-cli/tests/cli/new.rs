//! Tests of `converge new`.

use crate::env::Env;

#[test]
fn a_crate_is_made_under_its_name() {
    let env = Env::with("mine.txt", "mine");
    env.run(&["new", "controller", "music-label", "--registry", "ours"])
        .out(
            "made music-label: the type MusicLabel, a controller of it, and their tests\n\
             to run them: cd music-label && cargo test\n",
        )
        .err("")
        .code(0);
    let read = |file: &str| env.read(&format!("music-label/{file}")).unwrap();
    let manifest = read("Cargo.toml");
    assert!(manifest.starts_with("[package]\nname = \"music-label\"\n"), "{manifest}");
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        manifest.contains(&format!(
            "\nconverge-controller = {{ version = \"{version}\", registry = \"ours\" }}\n"
        )),
        "{manifest}"
    );
    assert!(read("src/types.rs").contains("    group = \"music_label\",\n"));
    assert!(read("src/types.rs").contains("\npub struct MusicLabelPart {\n"));
    assert!(read("tests/controllers/shared_cases.rs").contains("\nuse music_label::{MusicLabel, "));
    for file in [
        "src/lib.rs",
        "src/controller.rs",
        "src/controller/tests.rs",
        "tests/controllers/main.rs",
        ".gitignore",
    ] {
        let text = read(file);
        assert!(!text.to_lowercase().contains("sample") && !text.contains('@'), "{file}:\n{text}");
    }
}

#[test]
fn a_crate_is_made_elsewhere_of_sources_at_hand() {
    let env = Env::with("mine.txt", "mine");
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    env.run(&["new", "controller", "MusicLabel", "--path", "here", "--source", sources])
        .out_has("made here: the type MusicLabel")
        .code(0);
    let manifest = env.read("here/Cargo.toml").unwrap();
    let path = std::fs::canonicalize(sources).unwrap().join("converge-controller");
    let dependency = format!("converge-controller = {{ path = {path:?}, features = [\"testing\"] }}\n");
    assert!(manifest.contains(&dependency), "{manifest}");
    assert!(manifest.contains("name = \"music-label\"\n"), "{manifest}");
}

#[test]
fn what_cannot_be_made_is_said_and_nothing_is_written() {
    let env = Env::with("mine.txt", "mine");
    std::fs::create_dir(env.path().join("taken")).unwrap();
    let check = |arguments: &[&str], expect: &str| {
        let origin: &[&str] = if arguments.contains(&"--source") { &[] } else { &["--registry", "ours"] };
        env.run(&[&["new", "controller"], arguments, origin].concat()).out("").err_has(expect).code(1);
    };
    check(&["taken"], "error: taken is there already; name another folder with --path\n");
    check(&["label", "--path", "no/where"], "error: cannot make no/where: No such file or directory");
    check(&["label", "--path", "/"], "error: / is there already");
    check(&["label", "--source", "taken"], "error: there are no sources of Converge in taken: ");
    check(
        &["a label"],
        "invalid value 'a label' for '<NAME>': a name has letters a-z, digits, and `-` or `_` ",
    );
    check(&["match"], "`match` is a word of Rust, or the name of a crate that is needed; add a word");
    check(&["status-x", "--nothing"], "unexpected argument '--nothing'");
    check(&["label", "--path", "mine.txt"], "error: mine.txt is there already");
    let names = std::fs::read_dir(env.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["mine.txt", "taken"]);
}
