//! Canonical names of paths, so that two spellings of one path are one thing.
//!
//! A relative path starts at the working directory. Links are resolved from the left: those that the module
//! declares by their targets, and all others on the machine. `..` is resolved after them, and names that do
//! not exist are kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::types::footprint::{Claim, Footprint, Thing, Verb, aspect, kind};
use crate::types::hash::NameMap;

/// The maximum number of links in one path, as in the kernel.
const MOST_LINKS: usize = 40;

/// The paths of a module and of the machine that give other paths their canonical names.
#[derive(Default)]
pub struct PathNames {
    /// The working directory of relative paths; `None` if it is not known.
    working_dir: Option<String>,
    declared: OnceLock<DeclaredPaths>,
    /// The targets of links on this machine by path, each looked up once; `None` for anything else.
    machine: Mutex<NameMap<String, Option<String>>>,
}

/// Leaves out the links of the machine, of which each load looks up others.
impl fmt::Debug for PathNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let declared = self.declared.get();
        let sorted = |names: &NameMap<String, String>| names.clone().into_iter().collect::<BTreeMap<_, _>>();
        f.debug_struct("PathNames")
            .field("working_dir", &self.working_dir)
            .field("links", &declared.map(|declared| sorted(&declared.links)))
            .field("homes", &declared.map(|declared| sorted(&declared.homes)))
            .finish_non_exhaustive()
    }
}

/// The links and home directories that resources declare.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct DeclaredPaths {
    /// The targets of links by their paths.
    links: NameMap<String, String>,
    /// The home directories by user.
    homes: NameMap<String, String>,
}

impl DeclaredPaths {
    /// Adds the links and homes of a resource that is handled in every run.
    pub(crate) fn add(&mut self, names: &PathNames, footprint: &Footprint) {
        if footprint.removes {
            return;
        }
        let find = |is_it: &dyn Fn(&Claim) -> bool| footprint.claims.iter().find(|claim| is_it(claim));
        let name = |claim: &Claim| claim.thing.name().to_owned();
        if let Some(target) = find(&|claim| claim.aspect == Some(aspect::TARGET))
            && let Some(link) = find(&|claim| claim.verb == Verb::Manages && claim.thing.is_path())
        {
            self.links.insert(names.absolute(link.thing.name()), names.absolute(target.thing.name()));
        }
        if let Some(home) = find(&|claim| claim.thing.kind() == kind::HOME_DIR) {
            let users = footprint.claims.iter().filter(|claim| claim.thing.kind() == kind::USER);
            let users = users.filter(|claim| claim.verb == Verb::Manages);
            self.homes.extend(users.map(|user| (name(user), name(home))));
        }
    }
}

/// A path with its links resolved.
struct Resolved {
    path: String,
    /// The links of the module on the way.
    through: Vec<String>,
    has_links: bool,
}

impl PathNames {
    /// Creates the names of paths on the machine of this process.
    pub fn from_machine() -> Self {
        let working_dir =
            std::env::current_dir().ok().and_then(|path| path.into_os_string().into_string().ok());
        Self { working_dir: working_dir.filter(|path| path.starts_with('/')), ..Self::default() }
    }

    /// Sets the links and homes that the module declares; only the first call counts.
    pub(crate) fn declare(&self, declared: DeclaredPaths) {
        // A second call would change names that are already in use.
        let _ = self.declared.set(declared);
    }

    /// Replaces the paths of a footprint by their canonical names.
    ///
    /// A path below a declared link also needs the link.
    #[doc(hidden)]
    pub fn canonicalize(&self, footprint: &mut Footprint) {
        let is_link = footprint.claims.iter().any(|claim| claim.aspect == Some(aspect::TARGET));
        let mut needed: Vec<Claim> = Vec::new();
        // Most claims of a footprint have one path, without any link.
        let mut last: Option<(Thing, Thing)> = None;
        for claim in &mut footprint.claims {
            if let Some((written, canonical)) = &last
                && claim.thing == *written
            {
                claim.thing = canonical.clone();
                continue;
            }
            let home = (claim.thing.kind() == kind::HOME).then(|| self.in_home(claim.thing.name()));
            if claim.thing.kind() == kind::LINES {
                claim.thing = Thing::new(kind::LINES, &self.canonical(claim.thing.name()));
            }
            if home.is_none() && !claim.thing.is_path() {
                continue;
            }
            let path = home.as_deref().unwrap_or(claim.thing.name());
            // Existence is that of the name itself, and anything else that of its target.
            let is_own_link = is_link && claim.verb.provides();
            let is_followed = claim.aspect != Some(aspect::EXISTENCE) && !is_own_link;
            let Resolved { path: resolved, through, has_links } = self.resolve(path, is_followed);
            let need = |path: &str| Claim {
                verb: Verb::Needs,
                thing: Thing::path(path),
                aspect: Some(aspect::EXISTENCE),
                field: claim.field,
                state: None,
            };
            needed.extend(through.iter().map(|link| need(link)));
            if resolved != path && is_followed && claim.verb == Verb::Needs {
                let name = self.resolve(path, false).path;
                needed.extend((name != resolved).then(|| need(&name)));
            }
            let written = claim.thing.clone();
            if home.is_some() || resolved != path {
                claim.thing = Thing::path(&resolved);
            }
            if !has_links && is_followed {
                last = Some((written, claim.thing.clone()));
            }
        }
        for claim in needed {
            if !footprint.claims.contains(&claim) {
                footprint.claims.push(claim);
            }
        }
    }

    /// Returns the canonical name of a path, which is followed if it is a link.
    #[doc(hidden)]
    pub fn canonical(&self, path: &str) -> String {
        self.resolve(path, true).path
    }

    /// Returns the path of `USER` or `USER/PATH` in a home directory.
    fn in_home(&self, name: &str) -> String {
        let (user, rest) = name.split_once('/').unwrap_or((name, ""));
        let declared = self.declared.get().and_then(|declared| declared.homes.get(user));
        let home = declared.cloned().unwrap_or_else(|| match user {
            "root" => "/root".to_owned(),
            user => format!("/home/{user}"),
        });
        format!("{home}/{rest}")
    }

    /// Returns the path with the working directory in front, if it is relative and the directory is known.
    fn absolute(&self, path: &str) -> String {
        match self.joined(path) {
            Cow::Owned(joined) => Thing::path(&joined).name().to_owned(),
            Cow::Borrowed(path) => path.to_owned(),
        }
    }

    /// Like [`Self::absolute`], with all parts as they are written.
    fn joined<'a>(&self, path: &'a str) -> Cow<'a, str> {
        match &self.working_dir {
            Some(folder) if !path.starts_with('/') => Cow::Owned([folder, "/", path].concat()),
            _ => Cow::Borrowed(path),
        }
    }

    /// Resolves the links of a path, and the path itself as a link if `is_followed`.
    fn resolve(&self, path: &str, is_followed: bool) -> Resolved {
        let absolute = self.joined(path);
        let mut through = Vec::new();
        if !absolute.starts_with('/') {
            return Resolved { path: absolute.into_owned(), through, has_links: false };
        }
        // What is left of the path: of `absolute`, or of a text that begins with the target of a link.
        let mut rest = Cow::Borrowed(&absolute[1..]);
        let mut resolved = String::with_capacity(absolute.len());
        let mut links = 0;
        let mut start = 0;
        while start <= rest.len() {
            let end = rest[start..].find('/').map_or(rest.len(), |slash| start + slash);
            let (part, after) = (&rest[start..end], (end + 1).min(rest.len()));
            let is_last = end == rest.len();
            start = end + 1;
            match part {
                "" | "." => continue,
                ".." => {
                    resolved.truncate(resolved.rfind('/').unwrap_or_default());
                    continue;
                }
                _ => {}
            }
            let folder = resolved.len();
            resolved.push('/');
            resolved.push_str(part);
            let declared = self.declared.get().and_then(|declared| declared.links.get(&resolved));
            let target = match declared {
                _ if is_last && !is_followed => None,
                Some(target) => {
                    through.push(resolved.clone());
                    Some(target.clone())
                }
                None => self.link_of_machine(&resolved),
            };
            let Some(target) = target else { continue };
            links += 1;
            if links > MOST_LINKS {
                return Resolved { path: absolute.into_owned(), through: Vec::new(), has_links: true };
            }
            resolved.truncate(if target.starts_with('/') { 0 } else { folder });
            rest = Cow::Owned(if is_last { target } else { format!("{target}/{}", &rest[after..]) });
            start = 0;
        }
        if resolved.is_empty() {
            resolved.push('/');
        }
        Resolved { path: resolved, through, has_links: links > 0 }
    }

    /// Returns the target of a link on this machine.
    #[expect(
        clippy::disallowed_methods,
        reason = "names are compared where the module is loaded, before a run"
    )]
    fn link_of_machine(&self, path: &str) -> Option<String> {
        self.working_dir.as_ref()?;
        let mut known = self.machine.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(target) = known.get(path) {
            return target.clone();
        }
        let target =
            std::fs::read_link(path).ok().and_then(|target| target.into_os_string().into_string().ok());
        known.insert(path.to_owned(), target.clone());
        target
    }
}
