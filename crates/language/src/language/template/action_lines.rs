//! Removal of the lines of a template that hold nothing but actions which print nothing.

use std::ops::Range;

use super::lexer::{Keyword, Lexed, TokenKind};

/// Whether a line that holds only actions which print nothing is a line of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) enum ActionLines {
    Kept,
    LeftOut,
}

/// The content of a line.
#[derive(Clone, Copy, Default)]
struct Line {
    /// Whether the line has an action that prints nothing, or a comment.
    has_action: bool,
    /// Whether the line has text, or an action that prints.
    prints: bool,
}

impl Lexed {
    /// Removes the text of lines that hold only actions which print nothing, such as `{{if ..}}`.
    pub(super) fn leave_out_action_lines(&mut self, text: &str) {
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let line_of = |offset: usize| starts.partition_point(|start| *start <= offset) - 1;
        let covered_lines =
            |range: &Range<usize>| line_of(range.start)..=line_of(range.end.max(range.start + 1) - 1);
        let mut lines = vec![Line::default(); starts.len()];
        let segments = self.segments(text);
        for (range, prints) in &segments {
            for line in lines.get_mut(covered_lines(range)).unwrap_or_default() {
                *line = Line { has_action: true, prints: line.prints || *prints };
            }
        }
        for token in self.tokens.iter().filter(|token| token.kind == TokenKind::Text) {
            let range = token.start as usize..token.end as usize;
            for (index, part) in covered_lines(&range).zip(text[range.clone()].split_inclusive('\n')) {
                if let Some(line) = lines.get_mut(index).filter(|_| !part.trim().is_empty()) {
                    line.prints = true;
                }
            }
        }
        // The lines of one action stay together.
        for (range, _) in &segments {
            let of_action = lines.get_mut(covered_lines(range)).unwrap_or_default();
            if of_action.iter().any(|line| line.prints) {
                for line in of_action {
                    line.prints = true;
                }
            }
        }
        let is_left_out = |index: usize| lines.get(index).is_some_and(|line| line.has_action && !line.prints);
        for token in self.tokens.iter_mut().filter(|token| token.kind == TokenKind::Text) {
            let (mut start, mut end) = (token.start as usize, token.end as usize);
            let (first, last) = covered_lines(&(start..end)).into_inner();
            if is_left_out(last) {
                end = start.max(starts[last]);
            }
            if is_left_out(first) {
                start = starts.get(first + 1).copied().unwrap_or(text.len()).min(end);
            }
            let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
            (token.start, token.end) = (narrow(start), narrow(end));
        }
        self.tokens.retain(|token| token.kind != TokenKind::Text || token.start < token.end);
    }

    /// Returns the ranges of all actions and comments, each with whether the action prints.
    fn segments(&self, text: &str) -> Vec<(Range<usize>, bool)> {
        let mut segments = Vec::new();
        let (mut open, mut prints, mut end) = (None, false, 0);
        for (index, token) in self.tokens.iter().enumerate() {
            // No token covers a comment.
            let gap = text.get(end..token.start as usize).unwrap_or_default();
            if let Some(comment) = gap.find("{{") {
                segments.push((end + comment..end + gap.trim_end().len(), false));
            }
            end = token.end as usize;
            match token.kind {
                TokenKind::Open => {
                    open = Some(token.start as usize);
                    prints = self.action_prints(index + 1);
                }
                TokenKind::Close => segments.extend(open.take().map(|start| (start..end, prints))),
                _ => {}
            }
        }
        segments
    }

    /// Returns whether the action with this first token prints.
    fn action_prints(&self, first: usize) -> bool {
        let words = self.tokens.iter().skip(first).map(|token| token.kind);
        let mut words = words.filter(|kind| *kind != TokenKind::Space);
        match (words.next(), words.next()) {
            (Some(TokenKind::Keyword(keyword)), _) => !matches!(
                keyword,
                Keyword::If
                    | Keyword::Else
                    | Keyword::End
                    | Keyword::Range
                    | Keyword::With
                    | Keyword::Define
                    | Keyword::Break
                    | Keyword::Continue
            ),
            (Some(TokenKind::Variable), Some(TokenKind::Declare | TokenKind::Assign)) => false,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ActionLines;
    use crate::language::template::Template;
    use crate::language::template::tests::TestScope;
    use crate::types::function::ModuleFunctions;
    use crate::types::value::Value;

    #[test]
    fn lines_of_actions_are_left_out() {
        let check = |text: &str, expect: &str| {
            let template = Template::parse_file(text, ModuleFunctions::NONE, ActionLines::LeftOut).unwrap();
            assert_eq!(template.render(&TestScope::new()).unwrap(), Value::string(expect), "{text:?}");
        };
        check("a\n{{if true}}\nb\n{{end}}\nc\n", "a\nb\nc\n");
        check("a\n  {{if false}}  \nb\n  {{else}}\n  c\n  {{end}}", "a\n  c\n");
        check("{{range list 1 2}}\n{{.}}\n{{end}}\n", "1\n2\n");
        check("{{/* note */}}\n{{$x := 1}}{{$x = 2}}\nx{{$x}}\n", "x2\n");
        check("{{if true}}{{if true}}\r\na\r\n{{end}}{{end}}\r\n", "a\r\n");
        check("a {{if true}}\nb{{end}}\n", "a \nb\n");
        check("\n{{- if true}}\n a\n{{- end}}\n", " a");
        check("{{printf `%d` 1}}\n\n{{if true}}\n\n{{end}}\n", "1\n\n\n");
        check("no action\n", "no action\n");
        check("", "");
        check("{{if\n  true}}\na\n{{end}}\n", "a\n");
    }
}
