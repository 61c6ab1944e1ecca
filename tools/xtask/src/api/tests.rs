use super::*;

/// Compares the list of a crate with every kind of item.
///
/// The test uses the rustdoc of the current toolchain, so that it detects a new format.
#[test]
fn everything_that_is_public_is_listed() {
    let folder = env::temp_dir().join(format!("converge-api-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api/tests/sample.rs");
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.args(["--edition", "2024", "-Z", "unstable-options", "--output-format", "json", "--out-dir"]);
    let status = rustdoc.arg(&folder).arg(source).env("RUSTC_BOOTSTRAP", "1").status().unwrap();
    assert!(status.success());
    let sample = parse(&folder.join("sample.json"));
    fs::remove_dir_all(&folder).unwrap();
    let crates = HashMap::from([("sample".to_owned(), sample.unwrap())]);
    assert_eq!(listing("sample", &crates), include_str!("tests/sample.txt"));
}

#[test]
fn another_format_is_refused() {
    let file = env::temp_dir().join(format!("converge-format-{}.json", std::process::id()));
    fs::write(&file, r#"{"format_version": 1}"#).unwrap();
    let refused = parse(&file).unwrap_err().to_string();
    fs::remove_file(&file).unwrap();
    assert!(refused.contains("its format is Some(1)"), "{refused}");
}
