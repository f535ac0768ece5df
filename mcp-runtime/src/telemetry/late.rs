//! A subscriber that is made when somebody has something to say: a server that does well is silent, and starts sooner.

use std::sync::OnceLock;

use tracing::{Event, Metadata, Subscriber, level_filters::LevelFilter, span, subscriber::Interest};
use tracing_core::span::Current;

/// Makes the subscriber at the first span or event of its level, and passes everything on to it.
pub(super) struct Late<S, F> {
    level: LevelFilter,
    make: F,
    made: OnceLock<S>,
}

impl<S: Subscriber, F: Fn() -> S> Late<S, F> {
    /// What `make` gives hears of `level` and what is graver.
    pub(super) fn new(level: LevelFilter, make: F) -> Self {
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
        *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
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
