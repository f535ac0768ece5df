//! What a server's process says to its operator, and how it is told to stop (floor 4).

mod dormant;
mod late;

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    collections::HashMap,
    io::{self, Write},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use dormant::Dormant;
use late::{Late, Level};
use tracing::{Event, Subscriber, callsite::Identifier, level_filters::LevelFilter};
use tracing_subscriber::{
    Layer,
    fmt::MakeWriter,
    layer::{Context, SubscriberExt},
};

/// Lines that wait for a standard error which nobody reads; beyond them, lines are lost, and how many is told later.
const MOST_WAITING: usize = 1024;

/// The longest line, in bytes; it ends with an ellipsis where it was longer.
const LONGEST_LINE: usize = 2048;

/// What our lines are told apart by.
const OURS: &str = "mcp_runtime";

/// Logging, until it is dropped; then what waits is written.
#[derive(Debug)]
pub(crate) struct Logging {
    lines: Lossy,
    level: Level,
    most: Arc<AtomicUsize>,
}

/// Logs to standard error from `info` on until another level is said, unless the process has a subscriber already.
///
/// A thread of its own writes, so that a client which does not read standard error stops nothing.
pub(crate) fn init() -> Option<Logging> {
    let lossy = Lossy::default();
    let most = Arc::new(AtomicUsize::new(usize::MAX));
    let make = {
        let (lossy, most) = (lossy.clone(), Arc::clone(&most));
        move || {
            let lines = tracing_subscriber::fmt::layer().with_writer(lossy.clone()).with_ansi(false).with_target(false);
            tracing_subscriber::registry().with(lines).with(Throttle::new(lossy.clone(), Arc::clone(&most)))
        }
    };
    let level = Level::new(LevelFilter::INFO);
    tracing::subscriber::set_global_default(Late::new(level.clone(), make)).ok()?;
    // The standard hook writes to standard error by itself, and would wait for whoever does not read it.
    let (lines, last) = (lossy.clone(), Mutex::new(None));
    std::panic::set_hook(Box::new(move |panic| {
        tracing::error!("{panic}");
        if !tracing::enabled!(tracing::Level::ERROR) || !is_due(&last, Instant::now()) {
            return;
        }
        // Where `RUST_BACKTRACE` asks for it.
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            for line in backtrace.to_string().lines() {
                // The writer takes everything, or counts it as lost.
                let _ = lines.clone().write_all(format!("{line}\n").as_bytes());
            }
        }
    }));
    Some(Logging { lines: lossy, level, most })
}

/// Whether a second has passed since the last that was due: whoever can make a function panic fills no log with its traces.
fn is_due(last: &Mutex<Option<Instant>>, now: Instant) -> bool {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let is_due = last.is_none_or(|last| now.duration_since(last) >= Duration::from_secs(1));
    if is_due {
        *last = Some(now);
    }
    is_due
}

impl Logging {
    /// From now on what is of that level is logged, and what is graver.
    pub(crate) fn heed(&self, level: LevelFilter) {
        self.level.set(level);
    }

    /// From now on one place in our code says so many lines a second at the most.
    pub(crate) fn limit(&self, lines: Option<usize>) {
        self.most.store(lines.unwrap_or(usize::MAX), Ordering::Relaxed);
    }
}

/// Keeps whoever makes the server complain from filling its log: of what one place in our code says more often than so
/// many times a second, the rest is counted, and told with the next line that it says. What the functions of a server say
/// is their author's affair.
struct Throttle {
    most: Arc<AtomicUsize>,
    said: Mutex<HashMap<Identifier, Said>>,
    lines: Lossy,
    clock: Box<dyn Fn() -> Instant + Send + Sync>,
}

/// What one place in the code has said.
struct Said {
    since: Instant,
    lines: usize,
    left_out: usize,
}

impl Throttle {
    fn new(lines: Lossy, most: Arc<AtomicUsize>) -> Self {
        Self { most, said: Mutex::default(), lines, clock: Box::new(Instant::now) }
    }

    /// Whether a place may say one more line now; if so, how many it was not allowed to before.
    fn admit(&self, place: Identifier, now: Instant) -> Option<usize> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let said = said.entry(place).or_insert(Said { since: now, lines: 0, left_out: 0 });
        if now.duration_since(said.since) >= Duration::from_secs(1) {
            said.since = now;
            said.lines = 0;
        }
        if said.lines >= self.most.load(Ordering::Relaxed) {
            said.left_out += 1;
            return None;
        }
        said.lines += 1;
        Some(std::mem::take(&mut said.left_out))
    }
}

impl<S: Subscriber> Layer<S> for Throttle {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        let metadata = event.metadata();
        if !metadata.target().starts_with(OURS) {
            return true;
        }
        match self.admit(metadata.callsite(), (self.clock)()) {
            None => false,
            Some(0) => true,
            Some(left_out) => {
                // The writer takes everything, or counts it as lost.
                let line = format!("{left_out} lines like the next one were left out\n");
                let _ = self.lines.clone().write_all(line.as_bytes());
                true
            }
        }
    }
}

/// Says something to the person at the terminal.
pub(crate) fn say(text: &str) {
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The same for as long as there is time: whoever does not read standard error, or holds it, is not waited for.
fn say_within(text: &'static str, time: Duration) {
    let (said, heard) = sync_channel::<()>(0);
    let speak = move || {
        say(text);
        drop(said);
    };
    if std::thread::Builder::new().name("mcp-last-word".to_owned()).spawn(speak).is_ok() {
        let _ = heard.recv_timeout(time);
    }
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

    /// Tells the server to stop at the first signal, and ends the process at the second, until what this gives is dropped.
    ///
    /// A task of its own does so: a function that runs in place must not keep signals from being heard.
    pub(crate) fn heed(mut self, stop: impl FnOnce() + Send + 'static) -> Dormant {
        Dormant::new(async move {
            self.next().await;
            tracing::info!("told to stop: calls in flight are finished");
            stop();
            self.next().await;
            say_within("told twice to stop: calls in flight are cut", Duration::from_millis(200));
            std::process::exit(1);
        })
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

impl Drop for Logging {
    fn drop(&mut self) {
        let Some(Writer { lines, thread: Some(thread) }) = self.lines.0.writer.get() else { return };
        // An empty line ends the thread. It is not waited for without end: nobody may be reading what it writes.
        let _ = lines.try_send(Vec::new());
        for _ in 0..50 {
            if thread.is_finished() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The way to standard error: a line that finds no room is lost.
#[derive(Clone, Debug, Default)]
struct Lossy(Arc<Way>);

#[derive(Debug, Default)]
struct Way {
    /// Made with the first line: most servers that do well have nothing to say.
    writer: OnceLock<Writer>,
    lost: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Writer {
    lines: SyncSender<Vec<u8>>,
    /// None where the system had no thread to give, or a test reads.
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    fn start(lost: &Arc<AtomicU64>) -> Self {
        let (lines, receiver) = sync_channel(MOST_WAITING);
        let lost = Arc::clone(lost);
        let thread = std::thread::Builder::new().name("mcp-log".to_owned()).spawn(move || write(&receiver, &lost)).ok();
        Self { lines, thread }
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

impl Write for Lossy {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut line = bytes.to_vec();
        if line.len() > LONGEST_LINE {
            // Not within a character.
            let end = (0..LONGEST_LINE).rev().find(|end| line[*end] & 0xC0 != 0x80).unwrap_or_default();
            line.truncate(end);
            line.extend_from_slice("…\n".as_bytes());
        }
        let way = &self.0;
        let writer = way.writer.get_or_init(|| Writer::start(&way.lost));
        if let Err(TrySendError::Full(_)) = writer.lines.try_send(line) {
            way.lost.fetch_add(1, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc, Mutex,
            atomic::{AtomicU64, AtomicUsize, Ordering},
            mpsc::sync_channel,
        },
        time::{Duration, Instant},
    };

    use tracing::subscriber::with_default;
    use tracing_subscriber::layer::SubscriberExt;

    use super::{Lossy, Throttle, Way, Writer, is_due};

    #[test]
    fn one_trace_a_second_is_due() {
        let (last, begun) = (Mutex::new(None), Instant::now());
        let due = [0, 1, 999, 1000, 1500, 2000].map(|ms| is_due(&last, begun + Duration::from_millis(ms)));
        assert_eq!(due, [true, false, false, true, false, true]);
    }

    #[test]
    fn one_place_says_so_much_a_second_and_what_was_left_out_is_told() {
        let (sender, receiver) = sync_channel(100);
        let writer = Writer { lines: sender, thread: None }.into();
        let lossy = Lossy(Arc::new(Way { writer, ..Way::default() }));
        let passed = Arc::new(AtomicU64::new(0));
        let mut throttle = Throttle::new(lossy.clone(), Arc::new(AtomicUsize::new(2)));
        throttle.clock = {
            let (begun, passed) = (Instant::now(), Arc::clone(&passed));
            Box::new(move || begun + Duration::from_secs(passed.load(Ordering::Relaxed)))
        };
        let lines = tracing_subscriber::fmt::layer().with_writer(lossy).with_ansi(false).without_time();
        let complain = || tracing::warn!("a complaint");
        with_default(tracing_subscriber::registry().with(lines).with(throttle), || {
            for _ in 0..7 {
                complain();
                tracing::warn!("something from elsewhere");
                tracing::warn!(target: "weather", "it rains");
            }
            passed.store(1, Ordering::Relaxed);
            complain();
        });
        let said: Vec<_> = receiver.try_iter().map(|line| String::from_utf8(line).unwrap()).collect();
        let count = |part: &str| said.iter().filter(|line| line.contains(part)).count();
        assert_eq!(count("a complaint"), 3, "{said:?}");
        assert_eq!(count("elsewhere"), 2, "{said:?}");
        assert_eq!(count("it rains"), 7, "{said:?}");
        assert_eq!(count("5 lines like the next one were left out"), 1, "{said:?}");
    }
}
