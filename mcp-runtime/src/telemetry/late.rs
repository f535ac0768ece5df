//! A subscriber that is made when somebody has something to say: a server that does well is silent, and starts sooner.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use tracing::{Event, Metadata, Subscriber, level_filters::LevelFilter, span, subscriber::Interest};
use tracing_core::span::Current;

/// How much is heard, to be changed while it is.
#[derive(Clone, Debug)]
pub(super) struct Level(Arc<AtomicUsize>);

impl Level {
    /// By verbosity.
    const ALL: [LevelFilter; 6] = [
        LevelFilter::OFF,
        LevelFilter::ERROR,
        LevelFilter::WARN,
        LevelFilter::INFO,
        LevelFilter::DEBUG,
        LevelFilter::TRACE,
    ];

    pub(super) fn new(level: LevelFilter) -> Self {
        Self(Arc::new(AtomicUsize::new(Self::place(level))))
    }

    /// From now on that is heard.
    pub(super) fn set(&self, level: LevelFilter) {
        self.0.store(Self::place(level), Ordering::Relaxed);
        tracing_core::callsite::rebuild_interest_cache();
    }

    fn get(&self) -> LevelFilter {
        Self::ALL[self.0.load(Ordering::Relaxed)]
    }

    fn place(level: LevelFilter) -> usize {
        Self::ALL.iter().position(|it| *it == level).unwrap_or_default()
    }
}

/// Makes the subscriber at the first span or event of its level, and passes everything on to it.
pub(super) struct Late<S, F> {
    level: Level,
    make: F,
    made: OnceLock<S>,
}

impl<S: Subscriber, F: Fn() -> S> Late<S, F> {
    /// What `make` gives hears of `level` and what is graver.
    pub(super) fn new(level: Level, make: F) -> Self {
        Self { level, make, made: OnceLock::new() }
    }

    fn made(&self) -> &S {
        self.made.get_or_init(&self.make)
    }
}

impl<S: Subscriber, F: Fn() -> S + 'static> Subscriber for Late<S, F> {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level.get()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level.get())
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        self.made().new_span(span)
    }

    fn record(&self, span: &span::Id, values: &span::Record<'_>) {
        self.made().record(span, values);
    }

    fn record_follows_from(&self, span: &span::Id, follows: &span::Id) {
        self.made().record_follows_from(span, follows);
    }

    fn event_enabled(&self, event: &Event<'_>) -> bool {
        self.made().event_enabled(event)
    }

    fn event(&self, event: &Event<'_>) {
        self.made().event(event);
    }

    fn enter(&self, span: &span::Id) {
        self.made().enter(span);
    }

    fn exit(&self, span: &span::Id) {
        self.made().exit(span);
    }

    fn clone_span(&self, span: &span::Id) -> span::Id {
        self.made().clone_span(span)
    }

    fn try_close(&self, span: span::Id) -> bool {
        self.made().try_close(span)
    }

    fn current_span(&self) -> Current {
        self.made.get().map_or_else(Current::none, Subscriber::current_span)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    use tracing::{Span, Subscriber, level_filters::LevelFilter, span, subscriber::with_default};
    use tracing_subscriber::{
        Layer, Registry,
        fmt::MakeWriter,
        layer::{Context, SubscriberExt},
    };

    use super::{Late, Level};

    /// What was written.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Written {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    /// How many spans were closed.
    struct Closed(Arc<AtomicUsize>);

    impl<S: Subscriber> Layer<S> for Closed {
        fn on_close(&self, _: span::Id, _: Context<'_, S>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn it_is_made_once_and_says_what_it_would_have_said_at_once() {
        let (written, made, closed) =
            (Written::default(), Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let make = {
            let (written, made, closed) = (written.clone(), Arc::clone(&made), Arc::clone(&closed));
            move || {
                made.fetch_add(1, Ordering::SeqCst);
                let lines =
                    tracing_subscriber::fmt::layer().with_writer(written.clone()).without_time().with_ansi(false);
                Registry::default().with(lines.with_target(false)).with(Closed(Arc::clone(&closed)))
            }
        };
        with_default(Late::new(Level::new(LevelFilter::INFO), make), || {
            tracing::debug!("too mild");
            assert!(Span::current().is_none());
            assert_eq!(made.load(Ordering::SeqCst), 0, "nobody has said anything");
            tracing::info!("first");
            let outer = tracing::info_span!("outer", count = 1, late = tracing::field::Empty);
            outer.record("late", 2);
            let child = outer.in_scope(|| {
                assert_eq!(Span::current().id(), outer.id());
                tracing::warn!("within");
                tracing::info_span!("inner")
            });
            drop(outer);
            child.in_scope(|| tracing::error!("deeper"));
            assert_eq!(closed.load(Ordering::SeqCst), 0, "the inner span keeps the outer one");
            drop(child);
            assert_eq!(closed.load(Ordering::SeqCst), 2);
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
        let written = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<_> = written.lines().map(str::trim).collect();
        let expected =
            ["INFO first", "WARN outer{count=1 late=2}: within", "ERROR outer{count=1 late=2}:inner: deeper"];
        assert_eq!(lines, expected);
    }
}
