use converge_sdk::prelude::*;

use super::client::{Client, Scope};
use super::element::Element;
use crate::firewall::session::Session;
use crate::steps::{self, Findings, Stepwise};
use crate::tools;

/// The task of a `firewall.firewalld` resource.
#[derive(Debug, Export)]
pub struct Firewalld {
    /// The zone; null for the default one.
    #[export]
    pub(super) zone: Option<String>,
    /// The kind of element: `service`, `port`, `source`, `interface`, `rich-rule` or `masquerade`.
    #[export]
    pub(super) kind: String,
    /// The value of the element; empty for `masquerade`.
    #[export]
    pub(super) value: String,
    /// Whether the zone is to have the element.
    #[export]
    pub(super) state: Ensure,
    pub(super) element: Element,
    pub(super) permanent: bool,
    pub(super) immediate: bool,
    pub(super) lock_out: bool,
    pub(super) steps: Vec<Scope>,
}

impl Firewalld {
    fn zone(&self) -> Option<&str> {
        self.zone.as_deref()
    }

    /// Returns the port of the session that the change would block, now or after a boot.
    async fn keeps_out(&self, client: Client<'_>, session: &Session, scope: Scope) -> Result<Option<u16>> {
        let is_present = self.state == Ensure::Present;
        let may_be_session = match (&self.element, session.ends) {
            (Element::Source(network), Some((address, _))) => network.has(address),
            _ => true,
        };
        for port in session.ports.iter().copied() {
            let keeps_out = match (&self.element, is_present) {
                _ if !may_be_session => false,
                // Packets from this source or interface come to this zone, or return to the default zone.
                (Element::Source(_) | Element::Interface(_), true) => {
                    !client.lets_in(scope, self.zone(), port, None).await?
                }
                (Element::Source(_) | Element::Interface(_), false) => {
                    !client.lets_in(scope, None, port, None).await?
                }
                (Element::RichRule(_), true) => self.element.may_keep_out(port),
                (Element::Masquerade, _) | (Element::Service(_) | Element::Port(_), true) => false,
                (element, false) => {
                    element.is_for(port) && !client.lets_in(scope, self.zone(), port, Some(element)).await?
                }
            };
            if keeps_out {
                return Ok(Some(port));
            }
        }
        Ok(None)
    }

    /// Refuses a change that would block the next session.
    async fn guard(&self, cx: &Context, client: Client<'_>, findings: &mut Findings<Scope>) -> Result<()> {
        if self.lock_out || findings.steps.is_empty() {
            return Ok(());
        }
        let Some(session) = Session::find(cx).await? else { return Ok(()) };
        for scope in findings.steps.clone() {
            let Some(port) = self.keeps_out(client, &session, scope).await? else { continue };
            let message = format!(
                "this may lock out {}: allow it in another way first, or accept that with `lock_out = true`",
                session.shown(port)
            );
            if cx.pending().is_empty() {
                findings.status.set_error(message);
            } else {
                findings.status.add_message(format!("unless something comes first: {message}"));
                findings.status.raise_level(StatusLevel::MayChange);
            }
            break;
        }
        Ok(())
    }

    async fn compare(&self, client: Client<'_>, scope: Scope, findings: &mut Findings<Scope>) -> Result<()> {
        let is_present = client.has(scope, self.zone(), &self.element).await?;
        if is_present == (self.state == Ensure::Present) {
            return Ok(());
        }
        let word = |is_there: bool| if is_there { Ensure::Present } else { Ensure::Absent };
        let name = match scope {
            Scope::Permanent => "permanent",
            Scope::Immediate => "immediate",
        };
        findings.status.add_difference(name, word(is_present).as_str(), self.state.as_str());
        findings.steps.push(scope);
        Ok(())
    }
}

#[async_trait]
impl Stepwise for Firewalld {
    const TYPE: &'static str = "firewall.firewalld";
    const ONLY_LINUX: &'static str = "firewalld is a firewall of Linux";
    type Step = Scope;

    async fn inspect(&self, cx: &Context) -> Result<Findings<Scope>> {
        let mut findings = Findings::new();
        let client = Client::find(cx).await?;
        if !client.is_running && self.immediate {
            let stopped = "firewalld does not run, so only the permanent configuration changes";
            match (self.permanent, cx.pending().is_empty()) {
                (true, _) => findings.status.add_message(stopped),
                (false, false) => return Ok(Findings::not_yet("firewalld does not run yet")),
                (false, true) => {
                    return Err(Error::msg(format!(
                        "{stopped}: start it first, or write `permanent = true`"
                    )));
                }
            }
        }
        // An unknown zone or service is refused before anything is changed.
        if let (Element::Service(name), Ensure::Present) = (&self.element, self.state) {
            client.ask(Scope::Permanent, None, &format!("--info-service={name}")).await?;
        }
        if self.permanent {
            self.compare(client, Scope::Permanent, &mut findings).await?;
        }
        if self.immediate && client.is_running {
            self.compare(client, Scope::Immediate, &mut findings).await?;
            // A rule that cannot be made now must not come with the next boot.
            findings.steps.reverse();
        }
        findings.status.raise_level_for_diffs();
        self.guard(cx, client, &mut findings).await?;
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &Scope) -> Result<()> {
        let client = Client::find(cx).await?;
        let verb = if self.state == Ensure::Present { "add" } else { "remove" };
        let (program, arguments) = client.command(*step, self.zone(), &self.element.option(verb));
        tools::change(cx, program, arguments).await
    }
}

steps::task!(Firewalld);
