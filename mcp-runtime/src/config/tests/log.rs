//! The lines that a function logs on its own thread.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// What `run` returns, and the lines that it logs on this thread.
pub(in crate::config) fn logged<T>(run: impl FnOnce() -> T) -> (T, Vec<String>) {
    let log = Log::default();
    let lines = log.0.clone();
    let result = tracing::subscriber::with_default(log, run);
    let lines = lines.lock().unwrap().clone();
    (result, lines)
}

#[derive(Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0 + " ");
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!(" {}={value:?}", field.name());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0 += &format!(" {}={value}", field.name());
    }
}
