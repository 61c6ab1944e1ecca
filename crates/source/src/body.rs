//! Module text from the syntax tree of `hcl-rs`.
//!
//! The formatter of `hcl-rs` writes HCL 2, in which `${` begins a template. In modules it is plain text, so the
//! text is written here.

use hcl::expr::{ForExpr, FuncCall, ObjectKey, Operation, Traversal, TraversalOperator};
use hcl::structure::Block;
use hcl::{Body, Expression, Identifier, Structure};

use converge_value::debug_as_text;

/// The error for a part of an `hcl::Body` that has no form in a module.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{place}`: {problem}")]
pub struct BodyError {
    /// The names of the blocks and the field: `file.content.motd.content`.
    pub place: String,
    /// The reason.
    pub problem: BodyProblem,
}

debug_as_text!(BodyError);

/// The reason why a part of an `hcl::Body` has no form in a module.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyProblem {
    /// A template of HCL 2, which would become plain text.
    #[error("a template of HCL 2 is plain text in modules: use an expression, or text with {{{{ .. }}}}")]
    Template,
    /// A name that would be read as something else.
    #[error("{0:?} cannot be a name")]
    Name(String),
    /// An expression of a newer `hcl-rs`.
    #[error("modules have no such expression")]
    Expression,
}

debug_as_text!(BodyProblem);

/// Returns the text of a module.
pub(super) fn to_text(body: &Body) -> Result<String, BodyError> {
    let mut writer = Writer { text: String::new(), place: Vec::new() };
    match writer.body(body, 0) {
        Ok(()) => Ok(writer.text),
        Err(problem) => Err(BodyError { place: writer.place.join("."), problem }),
    }
}

struct Writer {
    text: String,
    /// The names around the current position.
    place: Vec<String>,
}

impl Writer {
    fn body(&mut self, body: &Body, depth: usize) -> Result<(), BodyProblem> {
        for structure in &body.0 {
            let around = self.place.len();
            self.text.push_str(&"  ".repeat(depth));
            match structure {
                Structure::Attribute(attribute) => {
                    self.place.push(attribute.key.to_string());
                    self.name(&attribute.key)?;
                    self.text.push_str(" = ");
                    self.expression(&attribute.expr)?;
                }
                Structure::Block(block) => self.block(block, depth)?,
            }
            self.text.push('\n');
            self.place.truncate(around);
        }
        Ok(())
    }

    fn block(&mut self, block: &Block, depth: usize) -> Result<(), BodyProblem> {
        self.place.push(block.identifier.to_string());
        self.name(&block.identifier)?;
        for label in &block.labels {
            self.place.push(label.as_str().to_owned());
            self.text.push(' ');
            self.string(label.as_str());
        }
        self.text.push_str(" {\n");
        self.body(&block.body, depth + 1)?;
        self.text.push_str(&"  ".repeat(depth));
        self.text.push('}');
        Ok(())
    }

    /// Writes a name, which `Identifier::unchecked` may have made of any text.
    fn name(&mut self, name: &Identifier) -> Result<(), BodyProblem> {
        let is_part = |part: &str| {
            let mut characters = part.chars();
            characters.next().is_some_and(|first| first == '_' || first.is_alphabetic())
                && characters.all(|c| c == '_' || c == '-' || c.is_alphanumeric())
        };
        if !name.split('.').all(is_part) {
            return Err(BodyProblem::Name(name.to_string()));
        }
        self.text.push_str(name);
        Ok(())
    }

    /// Writes text in quotes.
    fn string(&mut self, text: &str) {
        self.text.push('"');
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            match c {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                // The lexer keeps the text from `${` to `}` as it is written, with its quotes.
                '$' if characters.peek() == Some(&'{') => self.text.push_str("\\u0024"),
                c if c.is_control() => self.text.extend([format!("\\u{:04x}", u32::from(c))]),
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    fn expression(&mut self, expression: &Expression) -> Result<(), BodyProblem> {
        match expression {
            Expression::Null => self.text.push_str("null"),
            Expression::Bool(value) => self.text.push_str(&value.to_string()),
            Expression::Number(number) => self.text.push_str(&number.to_string()),
            Expression::String(text) => self.string(text),
            Expression::Array(items) => {
                self.text.push('[');
                self.list(items)?;
                self.text.push(']');
            }
            Expression::Object(entries) => {
                self.text.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    self.text.push_str(if index == 0 { " " } else { ", " });
                    match key {
                        ObjectKey::Identifier(name) => self.name(name)?,
                        ObjectKey::Expression(Expression::String(text)) => self.string(text),
                        ObjectKey::Expression(key) => self.in_parentheses(key)?,
                        _ => return Err(BodyProblem::Expression),
                    }
                    self.text.push_str(" = ");
                    self.expression(value)?;
                }
                self.text.push_str(" }");
            }
            Expression::TemplateExpr(_) => return Err(BodyProblem::Template),
            Expression::Variable(name) => self.name(name)?,
            Expression::Traversal(traversal) => self.traversal(traversal)?,
            Expression::FuncCall(call) => self.call(call)?,
            Expression::Parenthesis(inner) => self.in_parentheses(inner)?,
            Expression::Conditional(choice) => {
                self.operand(&choice.cond_expr)?;
                self.text.push_str(" ? ");
                self.operand(&choice.true_expr)?;
                self.text.push_str(" : ");
                self.operand(&choice.false_expr)?;
            }
            Expression::Operation(operation) => match &**operation {
                Operation::Unary(unary) => {
                    self.text.push_str(unary.operator.as_str());
                    self.operand(&unary.expr)?;
                }
                Operation::Binary(binary) => {
                    self.operand(&binary.lhs_expr)?;
                    self.text.extend([" ", binary.operator.as_str(), " "]);
                    self.operand(&binary.rhs_expr)?;
                }
            },
            Expression::ForExpr(comprehension) => self.comprehension(comprehension)?,
            _ => return Err(BodyProblem::Expression),
        }
        Ok(())
    }

    /// Writes an operand, in parentheses where its operators would be read in another order.
    fn operand(&mut self, expression: &Expression) -> Result<(), BodyProblem> {
        match expression {
            Expression::Operation(_) | Expression::Conditional(_) => self.in_parentheses(expression),
            _ => self.expression(expression),
        }
    }

    fn in_parentheses(&mut self, expression: &Expression) -> Result<(), BodyProblem> {
        self.text.push('(');
        self.expression(expression)?;
        self.text.push(')');
        Ok(())
    }

    fn list(&mut self, items: &[Expression]) -> Result<(), BodyProblem> {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text.push_str(", ");
            }
            self.expression(item)?;
        }
        Ok(())
    }

    fn call(&mut self, call: &FuncCall) -> Result<(), BodyProblem> {
        for name in &call.name.namespace {
            self.name(name)?;
            self.text.push_str("::");
        }
        self.name(&call.name.name)?;
        self.text.push('(');
        self.list(&call.args)?;
        self.text.push_str(if call.expand_final { "...)" } else { ")" });
        Ok(())
    }

    fn traversal(&mut self, traversal: &Traversal) -> Result<(), BodyProblem> {
        self.operand(&traversal.expr)?;
        for operator in &traversal.operators {
            match operator {
                TraversalOperator::AttrSplat => self.text.push_str(".*"),
                TraversalOperator::FullSplat => self.text.push_str("[*]"),
                TraversalOperator::GetAttr(name) => {
                    self.text.push('.');
                    self.name(name)?;
                }
                TraversalOperator::Index(index) => {
                    self.text.push('[');
                    self.expression(index)?;
                    self.text.push(']');
                }
                TraversalOperator::LegacyIndex(index) => self.text.extend([format!("[{index}]")]),
            }
        }
        Ok(())
    }

    fn comprehension(&mut self, comprehension: &ForExpr) -> Result<(), BodyProblem> {
        let ForExpr { key_var, value_var, collection_expr, key_expr, value_expr, grouping, cond_expr } =
            comprehension;
        self.text.push_str(if key_expr.is_some() { "{for " } else { "[for " });
        if let Some(key) = key_var {
            self.name(key)?;
            self.text.push_str(", ");
        }
        self.name(value_var)?;
        self.text.push_str(" in ");
        self.operand(collection_expr)?;
        self.text.push_str(" : ");
        if let Some(key) = key_expr {
            self.operand(key)?;
            self.text.push_str(" => ");
        }
        self.operand(value_expr)?;
        if *grouping {
            self.text.push_str("...");
        }
        if let Some(condition) = cond_expr {
            self.text.push_str(" if ");
            self.operand(condition)?;
        }
        self.text.push(if key_expr.is_some() { '}' } else { ']' });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use converge_core::Registry;
    use converge_core::load::{Loader, Source};

    /// Returns the value of a parameter with this default, or the error.
    fn value(default: &Expression) -> Result<String, String> {
        let body = hcl::body!({ param "x" { default = (default.clone()) } });
        let source = Source::from_body(&body).map_err(|error| error.to_string())?;
        let registry = Registry::new();
        let loaded = Loader::new(&registry).load_source(&source);
        let messages: Vec<_> = loaded.diagnostics.iter().map(|one| one.message.clone()).collect();
        if messages.is_empty() { Ok(to_text(&body).unwrap()) } else { Err(messages.join("; ")) }
    }

    #[test]
    fn expressions_are_written_as_modules_have_them() {
        let check = |expression: &str, expect: &str| {
            let expression: Expression = expression.parse().unwrap();
            let text = value(&expression).unwrap();
            assert_eq!(text, format!("param \"x\" {{\n  default = {expect}\n}}\n"));
        };
        check("[1, -2.5, true, null]", "[1, -2.5, true, null]");
        check("{ a = 1, \"b c\" = [] }", "{ a = 1, \"b c\" = [] }");
        check("1 + 2 * 3", "1 + (2 * 3)");
        check("(1 + 2) * 3", "(1 + 2) * 3");
        check("!true || false ? \"a\" : \"b\"", "((!true) || false) ? \"a\" : \"b\"");
        check("upper(\"a\")", "upper(\"a\")");
        check("[1, 2][0]", "[1, 2][0]");
        check("{ a = 1 }.a", "{ a = 1 }.a");
        check("[for v in [1, 2] : v if v > 1]", "[for v in [1, 2] : v if (v > 1)]");
        check("{for k, v in { a = 1 } : k => v}", "{for k, v in { a = 1 } : k => v}");
    }

    #[test]
    fn text_stays_as_it_is() {
        for text in ["", "a \"b\" \\n", "line\nline\t\r\0", "${HOME:-\"x\"} $${x} %{if} $", "\u{7f}é日"] {
            let body = hcl::body!({ param "x" { default = (text) } });
            let registry = Registry::new();
            let graph = Loader::new(&registry).load_source(&Source::from_body(&body).unwrap()).into_graph();
            let graph = graph.unwrap_or_else(|error| panic!("{text:?}: {error}"));
            let node = graph.node(graph.find("root/param.x").unwrap());
            let values: Vec<_> = node.attributes.iter().filter_map(|one| one.input.known()).collect();
            assert_eq!(values, [&converge_core::value::Value::string(text)]);
        }
    }

    #[test]
    fn what_modules_do_not_have_is_named() {
        let template: Expression = "\"a ${b}\"".parse().unwrap();
        assert_eq!(
            value(&template).unwrap_err(),
            "`param.x.default`: a template of HCL 2 is plain text in modules: use an expression, or text with {{ .. }}"
        );
        let body = hcl::body!({ (Identifier::unchecked("a {} b")) "x" {} });
        assert_eq!(
            Source::from_body(&body).unwrap_err().to_string(),
            "`a {} b`: \"a {} b\" cannot be a name"
        );
    }
}
