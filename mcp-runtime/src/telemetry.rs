//! What a server's process says to its operator, and how it is told to stop (floor 4).

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use tracing_subscriber::fmt::MakeWriter;

/// Lines that wait for a standard error which nobody reads; beyond them, lines are lost, and how many is told later.
const MOST_WAITING: usize = 1024;

/// The longest line, in bytes.
const LONGEST_LINE: usize = 2048;

/// Logging, until it is dropped; then what waits is written.
#[derive(Debug)]
pub(crate) struct Logging {
    lines: Option<SyncSender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
}

/// Logs to standard error from `info` on, unless the process has a subscriber already.
///
/// A thread of its own writes, so that a client which does not read standard error stops nothing.
pub(crate) fn init() -> Option<Logging> {
    let (sender, receiver) = sync_channel(MOST_WAITING);
    let lost = Arc::new(AtomicU64::new(0));
    let lossy = Lossy { lines: sender.clone(), lost: Arc::clone(&lost) };
    let subscriber = tracing_subscriber::fmt().with_writer(lossy).with_ansi(false).with_target(false).finish();
    tracing::subscriber::set_global_default(subscriber).ok()?;
    // The standard hook writes to standard error by itself, and would wait for whoever does not read it.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    let writer = std::thread::Builder::new().name("mcp-log".to_owned()).spawn(move || write(&receiver, &lost)).ok();
    Some(Logging { lines: Some(sender), writer })
}

/// Says something to the person at the terminal.
pub(crate) fn say(text: &str) {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The signals that tell the process to stop: SIGTERM and SIGINT, Ctrl-C elsewhere.
pub(crate) struct Signals {
    #[cfg(unix)]
    streams: [tokio::signal::unix::Signal; 2],
}

impl Signals {
    /// Takes the signals over from the system, which would end the process at once.
    #[cfg(unix)]
    pub(crate) fn take() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self { streams: [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?] })
    }

    /// Takes the signals over from the system, which would end the process at once.
    #[cfg(not(unix))]
    pub(crate) fn take() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Tells the server to stop at the first signal, and ends the process at the second.
    pub(crate) async fn heed(mut self, stop: impl FnOnce() + Send) {
        self.next().await;
        tracing::info!("told to stop: calls in flight are finished");
        stop();
        self.next().await;
        say("told twice to stop: calls in flight are cut");
        std::process::exit(1);
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        let [terminate, interrupt] = &mut self.streams;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}

fn write(lines: &Receiver<Vec<u8>>, lost: &AtomicU64) {
    let mut stderr = io::stderr();
    while let Ok(line) = lines.recv() {
        let lost = lost.swap(0, Ordering::Relaxed);
        if lost > 0 && writeln!(stderr, "{lost} lines were lost: nobody read them").is_err() {
            return;
        }
        if line.is_empty() || stderr.write_all(&line).is_err() {
            return;
        }
    }
}

impl Drop for Logging {
    fn drop(&mut self) {
        // An empty line ends the thread. It is not waited for without end: nobody may be reading what it writes.
        if let Some(lines) = self.lines.take() {
            let _ = lines.try_send(Vec::new());
        }
        if let Some(writer) = self.writer.take() {
            for _ in 0..50 {
                if writer.is_finished() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

#[derive(Clone)]
struct Lossy {
    lines: SyncSender<Vec<u8>>,
    lost: Arc<AtomicU64>,
}

impl Write for Lossy {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut line = bytes.to_vec();
        if line.len() > LONGEST_LINE {
            // Not within a character.
            let end = (0..LONGEST_LINE).rev().find(|end| line[*end] & 0xC0 != 0x80).unwrap_or_default();
            line.truncate(end);
            line.push(b'\n');
        }
        if let Err(TrySendError::Full(_)) = self.lines.try_send(line) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lossy {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
