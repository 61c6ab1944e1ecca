//! Lines of `/etc/hosts`.

use std::net::IpAddr;

use crate::file::edit::lines;
use crate::system::host_name::HostName;

/// The declared address of a name.
#[derive(Clone, Debug)]
pub(super) struct HostEntry {
    pub(super) name: HostName,
    pub(super) ip: Option<IpAddr>,
    pub(super) aliases: Vec<HostName>,
    pub(super) is_wanted: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The previous address and names.
    pub(super) before: Option<String>,
    pub(super) text: String,
}

struct HostLine<'t> {
    ip: IpAddr,
    names: Vec<&'t str>,
    /// The comment from the `#` on, with the blanks before it.
    comment: &'t str,
}

fn parse(body: &str) -> Option<HostLine<'_>> {
    let content = body.split('#').next().unwrap_or_default();
    let mut words = content.split_whitespace();
    // The scope of an IPv6 address is not part of the address.
    let ip = words.next()?.split('%').next()?.parse().ok()?;
    let names: Vec<&str> = words.collect();
    let comment = body.get(content.trim_end().len()..).unwrap_or_default();
    Some(HostLine { ip, names, comment: if comment.contains('#') { comment } else { "" } })
}

impl HostEntry {
    /// Returns the address and the names, as the file has them.
    pub(super) fn shown(&self) -> Option<String> {
        let ip = self.ip.filter(|_| self.is_wanted)?;
        let aliases = self.aliases.iter().map(|alias| format!(" {alias}"));
        Some(format!("{ip} {}{}", self.name, aliases.collect::<String>()))
    }

    /// Puts the entry into a text, or removes it.
    ///
    /// # Errors
    ///
    /// Returns an error if the name has several lines of one address family.
    pub(super) fn edit(&self, text: &str) -> Result<Edited, String> {
        let mut all_lines = lines::lines(text);
        let ending = lines::ending(&all_lines);
        let mine: Vec<usize> = all_lines
            .iter()
            .enumerate()
            .filter(|(_, line)| self.is_own_line(line.body))
            .map(|(at, _)| at)
            .collect();
        let entry_at = |at: &usize| {
            let line = all_lines.get(*at).and_then(|line| parse(line.body))?;
            Some(format!("{} {}", line.ip, line.names.join(" ")))
        };
        let before = mine.iter().filter_map(entry_at).reduce(|all, next| format!("{all}, {next}"));
        let Some(target) = self.shown() else {
            let mut index = 0;
            all_lines.retain(|_| {
                index += 1;
                !mine.contains(&(index - 1))
            });
            return Ok(Edited { before, text: lines::text(all_lines) });
        };
        let line = match mine.as_slice() {
            [] => {
                let end = all_lines.len();
                lines::insert(&mut all_lines, end, [target.as_str()], ending);
                return Ok(Edited { before, text: lines::text(all_lines) });
            }
            [at] => all_lines.get_mut(*at),
            several => {
                let places: Vec<String> = several.iter().map(|index| (index + 1).to_string()).collect();
                return Err(format!(
                    "\"{}\" is there several times, in lines {}",
                    self.name,
                    places.join(", ")
                ));
            }
        };
        let edited;
        if let Some(line) = line
            && before.as_deref() != Some(&target)
        {
            edited = format!("{target}{}", parse(line.body).map_or("", |line| line.comment));
            line.body = &edited;
            return Ok(Edited { before, text: lines::text(all_lines) });
        }
        Ok(Edited { before, text: text.to_owned() })
    }

    /// Whether a line belongs to this entry.
    ///
    /// The name must be the first on the line. For a present entry the address family must match; for an
    /// absent one the address itself. Without a declared address, any line of the name belongs.
    fn is_own_line(&self, body: &str) -> bool {
        let Some(line) = parse(body) else { return false };
        let is_named = line.names.first().is_some_and(|name| name.eq_ignore_ascii_case(self.name.as_str()));
        is_named
            && match self.ip {
                None => true,
                Some(ip) if self.is_wanted => ip.is_ipv4() == line.ip.is_ipv4(),
                Some(ip) => ip == line.ip,
            }
    }
}
