//! Descriptions of the parameters of a module.

use std::fmt::Write as _;
use std::path::Path;

use converge_core::load::{Loader, Sources};
use converge_core::view::json::{self, ParamRecord};
use converge_core::view::json_schema;

use super::format::{Format, document};
use crate::args;
use crate::command_context::Surroundings;
use crate::console::{BOLD, DIM, Paint, print};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{diagnostics, json_line};

/// Prints the parameters of a module, or reports the mistakes of a module that has any.
pub(super) fn show(
    file: &Path,
    format: Format,
    sources: Sources,
    around: Surroundings<'_>,
) -> Result<Exit, CliError> {
    let loader = Loader::new(around.registry)
        .with_sources(sources)
        .with_redactor(around.redactor.clone())
        .for_inspection();
    // Only UTF-8 text can be a URL.
    let module = file.to_str().map_or_else(|| loader.load_file(file), |url| loader.load(url));
    let name = file.display().to_string();
    if module.diagnostics.has_errors() {
        let human = args::Format::Human;
        diagnostics::report(&name, &module.diagnostics, &module.sources, human, around.console)?;
        return Ok(Exit::Error);
    }
    let graph = module.partial_graph();
    let params = json::params(graph);
    let text = match format {
        Format::Human => human(&params, around.console.stdout),
        Format::Json => params.iter().map(json_line).collect::<Result<String, _>>()?,
        Format::Markdown => markdown(&name, &params),
        Format::JsonSchema => {
            let title =
                file.file_name().map_or_else(|| name.clone(), |name| name.to_string_lossy().into_owned());
            document(&json_schema::params(&title, graph))?
        }
    };
    print(&text)?;
    Ok(Exit::Done)
}

/// Returns the type and default of a parameter: `list(string), default ["a"]`.
fn facts(param: &ParamRecord) -> String {
    let mut facts = vec![param.kind.clone()];
    match &param.default {
        _ if param.required => facts.push("required".to_owned()),
        Some(default) => facts.push(format!("default {default}")),
        None if param.sensitive => {}
        None => facts.push("a default that is computed".to_owned()),
    }
    if param.sensitive {
        facts.push("never shown".to_owned());
    }
    facts.join(", ")
}

/// Returns the description of a parameter and its messages for invalid values.
fn descriptions(param: &ParamRecord) -> impl Iterator<Item = String> {
    let refused = param.conditions.iter().map(|message| format!("Refused with: {message}"));
    param.description.iter().cloned().chain(refused)
}

fn human(params: &[ParamRecord], paint: Paint) -> String {
    if params.is_empty() {
        return "it takes no parameters\n".to_owned();
    }
    let mut text = String::new();
    for param in params {
        let _ = writeln!(text, "{}: {}", paint.paint(BOLD, &param.name), paint.paint(DIM, facts(param)));
        for line in
            descriptions(param).flat_map(|message| message.lines().map(str::to_owned).collect::<Vec<_>>())
        {
            let _ = writeln!(text, "    {}", line.trim_end());
        }
    }
    text
}

fn markdown(name: &str, params: &[ParamRecord]) -> String {
    let mut text = format!("# Parameters of `{name}`\n");
    if params.is_empty() {
        text.push_str("\nIt takes none.\n");
    }
    for param in params {
        let _ = writeln!(text, "\n## `{}`\n\n{}", param.name, facts(param));
        for message in descriptions(param) {
            let _ = writeln!(text, "\n{message}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use converge_core::Registry;

    fn params(module: &str) -> Vec<ParamRecord> {
        let registry = Registry::new();
        let loaded = Loader::new(&registry).for_inspection().load_text("site.hcl", module);
        json::params(loaded.partial_graph())
    }

    const MODULE: &str = "param \"port\" {\n  type = \"number\"\n  description = \"Where it listens.\"\n  default = 80\n  validation {\n    \
        condition = param.port > 0\n    message = \"no port\"\n  }\n}\nparam \"key\" {\n  sensitive = true\n  default = \"hunter22\"\n}\n\
        param \"host\" {}\nparam \"url\" {\n  default = \"http://{{param `host`}}\"\n}\n";

    #[test]
    fn for_people() {
        insta::assert_snapshot!(human(&params(MODULE), Paint { color: false }), @r"
        host: any, required
        key: any, never shown
        port: number, default 80
            Where it listens.
            Refused with: no port
        url: any, a default that is computed
        ");
        assert_eq!(human(&[], Paint { color: false }), "it takes no parameters\n");
    }

    #[test]
    fn as_a_page() {
        insta::assert_snapshot!(markdown("site.hcl", &params(MODULE)), @r"
        # Parameters of `site.hcl`

        ## `host`

        any, required

        ## `key`

        any, never shown

        ## `port`

        number, default 80

        Where it listens.

        Refused with: no port

        ## `url`

        any, a default that is computed
        ");
    }

    #[test]
    fn as_json() {
        let lines: String = params(MODULE).iter().map(|param| json_line(param).unwrap()).collect();
        insta::assert_snapshot!(lines, @r#"
        {"name":"host","type":"any","required":true,"sensitive":false}
        {"name":"key","type":"any","required":false,"sensitive":true}
        {"name":"port","type":"number","description":"Where it listens.","required":false,"default":80,"sensitive":false,"conditions":["no port"]}
        {"name":"url","type":"any","required":false,"sensitive":false}
        "#);
    }
}
