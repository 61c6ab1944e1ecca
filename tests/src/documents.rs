//! A reader of code blocks in Markdown files.

/// A code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The text after the opening fence, such as `sh`.
    pub language: String,
    /// The lines of the block.
    pub text: String,
}

/// Returns the code blocks in order.
pub fn all_blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut inside: Option<Block> = None;
    for line in markdown.lines() {
        match (line.trim().strip_prefix("```"), &mut inside) {
            (Some(_), Some(_)) => blocks.extend(inside.take()),
            (Some(opening), None) => {
                inside = Some(Block { language: opening.trim().to_owned(), text: String::new() });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Returns the texts of the code blocks in a language.
pub fn blocks(markdown: &str, language: &str) -> Vec<String> {
    let of_it = all_blocks(markdown).into_iter().filter(|block| block.language == language);
    of_it.map(|block| block.text).collect()
}

/// Returns the commands in shell code blocks, one line each, with continued lines joined.
pub fn commands(markdown: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut inside = false;
    let mut continued = String::new();
    for line in markdown.lines().map(str::trim) {
        if let Some(language) = line.strip_prefix("```") {
            inside = !inside && ["sh", "bash", "shell", "console"].contains(&language.trim());
            continue;
        }
        // In a console block, only the text after a prompt is a command; the rest is output.
        let line = line.strip_prefix("$ ").unwrap_or(line);
        if !inside || line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(text) = line.strip_suffix('\\') {
            continued.push_str(text);
        } else {
            commands.push(std::mem::take(&mut continued) + line);
        }
    }
    commands
}
