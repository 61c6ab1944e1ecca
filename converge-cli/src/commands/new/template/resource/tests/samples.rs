//! Tests that the samples are valid or have exactly the expected mistakes.

use converge_core::load::Loader;
use converge_core::view::render;
use converge_core::{Registry, RegistryError};

/// Returns the diagnostics of a module, with the text underlined.
fn said_of(name: &str, text: &str) -> Result<String, RegistryError> {
    let registry = sample_crate::register(Registry::new())?;
    let loaded = Loader::new(&registry).load_text(name, text);
    let (told, sources) = (&loaded.diagnostics, &loaded.sources);
    Ok(render::diagnostics(told, sources, false))
}

#[test]
fn nothing_is_said_of_what_is_right() -> Result<(), RegistryError> {
    let right = include_str!("../samples/right.hcl");
    assert_eq!(said_of("right.hcl", right)?, "");
    Ok(())
}

#[test]
fn mistakes_are_said_with_their_places() -> Result<(), RegistryError> {
    let said = said_of("wrong.hcl", include_str!("../samples/wrong.hcl"))?;
    let expect = include_str!("../samples/wrong.txt");
    // After an intended change, this output is the new content of the file.
    print!("{said}");
    assert_eq!(said.trim_end(), expect.trim_end());
    Ok(())
}
