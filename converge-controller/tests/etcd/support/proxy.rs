//! A connection that can be cut.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// Stands between a client and a member, and can be cut.
pub(crate) struct Proxy {
    /// Where clients reach it.
    pub(crate) address: String,
    /// Cut while it is cancelled.
    open: Arc<Mutex<CancellationToken>>,
    ended: CancellationToken,
}

impl Proxy {
    /// A way to the member of this address.
    pub(crate) async fn to(member: &str) -> Self {
        let to = member.strip_prefix("http://").expect("an address without TLS").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("it listens"));
        let (open, ended) = (Arc::new(Mutex::new(CancellationToken::new())), CancellationToken::new());
        let (current, end) = (Arc::clone(&open), ended.clone());
        tokio::spawn(ended.clone().run_until_cancelled_owned(async move {
            while let Ok((mut from, _)) = listener.accept().await {
                let open = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let (to, end) = (to.clone(), end.clone());
                tokio::spawn(async move {
                    let pass = async {
                        if let Ok(mut to) = TcpStream::connect(&to).await {
                            let _ = copy_bidirectional(&mut from, &mut to).await;
                        }
                    };
                    // What is dropped is closed.
                    tokio::select! {
                        () = open.cancelled() => {}
                        () = end.cancelled() => {}
                        () = pass => {}
                    }
                });
            }
        }));
        Self { address, open, ended }
    }

    /// Ends all connections; new ones end at once.
    pub(crate) fn cut(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Lets connections through again.
    pub(crate) fn mend(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = CancellationToken::new();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}
