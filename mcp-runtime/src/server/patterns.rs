//! The patterns of a tool's parameters, each compiled when the first text is held against it.

use std::sync::OnceLock;

use regex_lite::Regex;

/// What `pattern = "…"` says of a tool's parameters. The macro has read each of them: they are patterns.
#[derive(Debug, Default)]
pub(crate) struct Patterns(Vec<(&'static str, OnceLock<Option<Regex>>)>);

impl Patterns {
    pub(crate) fn add(&mut self, pattern: &'static str) {
        self.0.push((pattern, OnceLock::new()));
    }

    /// Whether the text matches a pattern that was added; one that was not, or is none, refuses everything.
    pub(crate) fn is_match(&self, pattern: &str, text: &str) -> bool {
        self.0.iter().filter(|(known, _)| *known == pattern).any(|(known, compiled)| {
            compiled.get_or_init(|| Regex::new(known).ok()).as_ref().is_some_and(|regex| regex.is_match(text))
        })
    }
}
