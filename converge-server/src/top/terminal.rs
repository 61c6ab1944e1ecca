//! The terminal: output of the screen and input of keys.

use std::io;
use std::pin::pin;
use std::time::{Duration, Instant};

use converge_client::Client;
use crossterm::event::{Event, EventStream, KeyEventKind};
use futures_util::StreamExt as _;
use jiff::Timestamp;
use ratatui::DefaultTerminal;
use tokio::time::{MissedTickBehavior, interval};

use super::TopError;
use super::draw::draw;
use super::feed::Feed;
use super::rows::View;
use super::screen_state::ScreenState;

/// The minimum time between two frames for changes from the server.
const FRAME: Duration = Duration::from_millis(100);
/// The maximum time between two frames, because the screen shows the age of things.
const LEAST: Duration = Duration::from_secs(1);
/// The maximum number of changes handled before the next key.
const NEWS: usize = 256;

/// The terminal, which is restored on drop and on a panic.
struct Screen(DefaultTerminal);

impl Screen {
    fn enter() -> io::Result<Self> {
        // A partial initialization is undone too.
        ratatui::try_init().map(Self).inspect_err(|_| ratatui::restore())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Runs the live view until the user quits, or `stopped` completes.
///
/// # Errors
///
/// The terminal cannot be used. An unreachable server is shown on the screen and is no error.
pub(crate) async fn live(
    urls: String,
    client: Client,
    view: View,
    colours: bool,
    stopped: impl Future<Output = ()>,
) -> Result<(), TopError> {
    let mut screen = Screen::enter()?;
    let size = screen.0.size()?;
    let mut board = ScreenState::new(urls, view, (size.width, size.height));
    let (mut feed, mut changes) = Feed::start(client);
    let (mut keys, mut news) = (EventStream::new(), Vec::new());
    let mut stopped = pin!(stopped);
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut last_draw, mut is_old, mut has_news) = (Instant::now(), true, false);
    loop {
        if is_old {
            let now = Timestamp::now();
            screen.0.draw(|frame| draw(frame, &board, now, colours))?;
            (last_draw, is_old) = (Instant::now(), false);
        }
        tokio::select! {
            () = &mut stopped => return Ok(()),
            event = keys.next() => {
                match event.transpose()? {
                    // The terminal has been closed.
                    None => return Ok(()),
                    Some(Event::Resize(width, height)) => board.resize((width, height)),
                    Some(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                        let node = board.node().map(str::to_owned);
                        if !board.press(key, Timestamp::now()) {
                            return Ok(());
                        }
                        if board.node() != node.as_deref() {
                            board.forget_node();
                            feed.look_at(board.node());
                        }
                    }
                    Some(_) => {}
                }
                is_old = true;
            }
            _ = changes.recv_many(&mut news, NEWS) => {
                let now = Timestamp::now();
                for change in news.drain(..) {
                    board.known.take(change, now);
                }
                has_news = true;
            }
            _ = frames.tick() => {
                is_old = std::mem::take(&mut has_news) || last_draw.elapsed() >= LEAST;
            }
            () = feed.panicked() => {}
        }
    }
}
