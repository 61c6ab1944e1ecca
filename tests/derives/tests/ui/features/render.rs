//! Renders diagnostics without the feature `render`.

use converge_core::diagnostic::{Diagnostic, SourceMap};

fn main() {
    let renderer = converge_core::view::render::DiagnosticRenderer::new();
    let _ = renderer.render(&Diagnostic::error("x", "y"), &SourceMap::new());
}
