use std::path::Path;

use converge_sdk::prelude::*;

use super::sockets::{self, Listener, Protocol};

const TYPE: &str = "net.query";

/// The maximum number of bytes of a table, sufficient for half a million sockets.
const MOST: u64 = 64 << 20;

/// The task of a `net.query` resource.
#[derive(Debug, Export)]
pub struct PortQuery {
    /// The port.
    #[export]
    pub(super) port: u16,
    /// The protocol: `tcp` or `udp`.
    #[export]
    pub(super) protocol: Protocol,
    /// Whether a program listens on the port.
    #[export(computed)]
    pub(super) listening: bool,
    /// The addresses with a listener, in order; `0.0.0.0` and `::` mean all addresses of the machine.
    #[export(computed)]
    pub(super) addresses: Vec<String>,
    /// The owner of the socket, by name, or by id if no user has it.
    ///
    /// Of several sockets, it is that of the first address.
    #[export(computed)]
    pub(super) user: Option<String>,
}

impl PortQuery {
    async fn listeners(&self, cx: &Context) -> Result<Vec<Listener>> {
        let mut listeners = Vec::new();
        for (index, table) in self.protocol.tables().into_iter().enumerate() {
            let Some(read) = cx.system().files().read_head(Path::new(table), MOST + 1).await? else {
                // A machine may have no IPv6.
                if index == 0 {
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
            let error = |line| Error::msg(format!("{table} has a line that is not a socket: {line:?}"));
            listeners.extend(sockets::listeners(&text, self.protocol, self.port).map_err(error)?);
        }
        Ok(listeners)
    }
}

impl Task for PortQuery {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let listeners = self.listeners(cx).await?;
        self.listening = !listeners.is_empty();
        self.user = match listeners.first() {
            None => None,
            Some(Listener { uid, .. }) => {
                let user = cx.system().users().user_by_uid(*uid).await?;
                Some(user.map_or_else(|| uid.to_string(), |user| user.name))
            }
        };
        self.addresses = listeners.into_iter().map(|listener| listener.address.to_string()).collect();
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
