//! A proxy whose connections can be cut or delayed.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A proxy between a client and a member whose connections can be cut or delayed.
pub(crate) struct Proxy {
    /// The client address of the proxy.
    pub(crate) address: String,
    answers: watch::Sender<Answers>,
    /// The token that is cancelled while connections are cut.
    open: Arc<Mutex<CancellationToken>>,
    ended: CancellationToken,
}

/// The counts of bytes in the responses of the member.
#[derive(Clone, Copy)]
struct Answers {
    passed: u64,
    /// The number of bytes that may pass.
    allowed: u64,
}

impl Answers {
    fn are_held_up(&self) -> bool {
        self.passed >= self.allowed
    }
}

/// Forwards responses, up to the allowed number of bytes.
async fn pass_answers(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    answers: &watch::Sender<Answers>,
) -> std::io::Result<()> {
    let mut buffer = [0; 4_096];
    loop {
        let length = from.read(&mut buffer).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        let _ = answers.subscribe().wait_for(|answers| !answers.are_held_up()).await;
        to.write_all(&buffer[..length]).await?;
        answers.send_modify(|answers| answers.passed += length as u64);
    }
}

impl Proxy {
    /// Starts a proxy to a member.
    pub(crate) async fn to(member: &str) -> Self {
        let to = member.strip_prefix("http://").expect("an address without TLS").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("it listens"));
        let (open, ended) = (Arc::new(Mutex::new(CancellationToken::new())), CancellationToken::new());
        let (current, end) = (Arc::clone(&open), ended.clone());
        let answers = watch::Sender::new(Answers { passed: 0, allowed: u64::MAX });
        let passing = answers.clone();
        tokio::spawn(ended.clone().run_until_cancelled_owned(async move {
            while let Ok((mut from, _)) = listener.accept().await {
                let open = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let (to, end, answers) = (to.clone(), end.clone(), passing.clone());
                tokio::spawn(async move {
                    let pass = async {
                        if let Ok(mut to) = TcpStream::connect(&to).await {
                            let ((mut asking, mut server_reader), (answering, mut answered)) =
                                (from.split(), to.split());
                            // Either direction may end first, as may the connection.
                            tokio::select! {
                                _ = copy(&mut asking, &mut answered) => {}
                                _ = pass_answers(answering, &mut server_reader, &answers) => {}
                            }
                        }
                    };
                    // Dropping the streams closes the connection, and nothing passes after the cut.
                    tokio::select! {
                        biased;
                        () = open.cancelled() => {}
                        () = end.cancelled() => {}
                        () = pass => {}
                    }
                });
            }
        }));
        Self { address, answers, open, ended }
    }

    /// Limits responses to this many bytes from now on, and waits until these have passed.
    pub(crate) async fn hold_up_after(&self, bytes: u64) {
        self.answers.send_modify(|answers| answers.allowed = answers.passed + bytes);
        let mut answers = self.answers.subscribe();
        let _ = answers.wait_for(Answers::are_held_up).await;
    }

    /// Removes the limit of responses.
    pub(crate) fn let_pass(&self) {
        self.answers.send_modify(|answers| answers.allowed = u64::MAX);
    }

    /// Cuts all connections, also new ones.
    pub(crate) fn cut(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Allows connections again.
    pub(crate) fn mend(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = CancellationToken::new();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}
