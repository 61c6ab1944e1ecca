//! Tests that the fix of a mistake removes the mistake.

use std::path::Path;
use std::sync::Arc;

use converge_core::assist::fixes;
use converge_core::load::{Loader, Source, Sources};

use crate::problems::modules;

#[test]
fn what_is_mended_is_not_said_again() {
    let registry = converge_cli::built_in().unwrap();
    let mut mended = 0;
    for file in modules("mistakes") {
        let load = |text: Option<Arc<str>>| {
            let texts = text.map(|text| (Source::file(&file), text));
            let loader = Loader::new(&registry).with_sources(Sources::new().with_texts(texts));
            loader.for_inspection().load_file(&file)
        };
        let before = load(None);
        for mistake in &before.diagnostics {
            let Some(place) = mistake.span().and_then(|span| before.sources.file(span.file)) else {
                continue;
            };
            if Path::new(place.name()) != file {
                continue;
            }
            for fix in fixes(mistake, place.text()) {
                let mut text = place.text().to_string();
                text.replace_range(fix.range, &fix.text);
                let after = load(Some(text.into()));
                let is_same = |other: &&converge_core::diagnostic::Diagnostic| {
                    other.code == mistake.code && other.message == mistake.message
                };
                let count =
                    |loaded: &converge_core::load::Loaded| loaded.diagnostics.iter().filter(is_same).count();
                assert!(
                    count(&after) < count(&before),
                    "{}: {}: {}",
                    file.display(),
                    mistake.message,
                    fix.title
                );
                mended += 1;
            }
        }
    }
    assert!(mended > 20, "{mended}");
}
