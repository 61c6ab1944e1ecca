use std::path::Path;

use converge_core::prelude::*;

use super::sockets::{self, Listener, Protocol};

const TYPE: &str = "net.query";

/// The most bytes of a table: that of half a million sockets.
const MOST: u64 = 64 << 20;

/// Who listens on a port.
#[derive(Debug, Export)]
pub struct PortQuery {
    /// The port.
    #[export]
    pub(super) port: u16,
    /// The protocol: `tcp` or `udp`.
    #[export]
    pub(super) protocol: Protocol,
    /// Whether somebody listens.
    #[export(computed)]
    pub(super) listening: bool,
    /// The addresses on which somebody listens, in order: `0.0.0.0` and `::` are all of the machine.
    #[export(computed)]
    pub(super) addresses: Vec<String>,
    /// The user whose socket it is, by name, or by id where no user has it. Of several the one of the first address.
    #[export(computed)]
    pub(super) user: Option<String>,
}

impl PortQuery {
    async fn listeners(&self, cx: &Context) -> Result<Vec<Listener>> {
        let mut found = Vec::new();
        for (at, table) in self.protocol.tables().into_iter().enumerate() {
            let Some(read) = cx.system().files().read_head(Path::new(table), MOST + 1).await? else {
                // A machine may do without IPv6.
                if at == 0 {
                    let platform = cx.system().platform().os.clone();
                    let reason = format!("there is no {table}, in which Linux lists its sockets");
                    return Err(Error::Unsupported { resource: TYPE, platform, reason });
                }
                continue;
            };
            if read.bytes.len() as u64 > MOST {
                return Err(Error::msg(format!("{table} has more than {MOST} bytes")));
            }
            let text = String::from_utf8_lossy(&read.bytes);
            let wrong = |line| Error::msg(format!("{table} has a line that is no socket: {line:?}"));
            found.extend(sockets::listeners(&text, self.protocol, self.port).map_err(wrong)?);
        }
        Ok(found)
    }
}

impl Task for PortQuery {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let found = self.listeners(cx).await?;
        self.listening = !found.is_empty();
        self.user = match found.first() {
            None => None,
            Some(Listener { uid, .. }) => {
                let user = cx.system().users().user_by_uid(*uid).await?;
                Some(user.map_or_else(|| uid.to_string(), |user| user.name))
            }
        };
        self.addresses = found.into_iter().map(|listener| listener.address.to_string()).collect();
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
