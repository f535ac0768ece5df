//! The compiled patterns of a tool's parameters.

use regex_lite::Regex;

/// What `pattern = "…"` says of a tool's parameters, compiled at registration.
#[derive(Debug, Default)]
pub(crate) struct Patterns(Vec<(&'static str, Regex)>);

impl Patterns {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn add(&mut self, pattern: &'static str) -> Result<(), String> {
        let regex = Regex::new(pattern).map_err(|error| format!("the pattern {pattern} is none: {error}"))?;
        self.0.push((pattern, regex));
        Ok(())
    }

    /// Whether the text matches a pattern that was compiled; one that was not refuses everything.
    pub(crate) fn is_match(&self, pattern: &str, text: &str) -> bool {
        self.0.iter().any(|(known, regex)| *known == pattern && regex.is_match(text))
    }
}
