//! What stands in Markdown files.

/// The text of the code blocks of a language.
pub fn blocks(markdown: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut inside: Option<String> = None;
    let mut is_open = false;
    for line in markdown.lines() {
        if let Some(opening) = line.trim().strip_prefix("```") {
            blocks.extend(inside.take());
            is_open = !is_open;
            inside = (is_open && opening.trim() == language).then(String::new);
        } else if let Some(block) = &mut inside {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

/// The commands in the code blocks for a shell, one line each, with continued lines joined.
pub fn commands(markdown: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut inside = false;
    let mut continued = String::new();
    for line in markdown.lines().map(str::trim) {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside && ["sh", "bash", "shell", "console"].contains(&language.trim());
            continue;
        }
        // In a console block only what follows a prompt is a command; the rest is output.
        let line = line.strip_prefix("$ ").unwrap_or(line);
        if !inside || line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(part) = line.strip_suffix('\\') {
            continued.push_str(part);
        } else {
            commands.push(std::mem::take(&mut continued) + line);
        }
    }
    commands
}
