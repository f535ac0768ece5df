//! The patterns of a tool's parameters, each compiled when the first text is held against it, and those of their types.

use std::{borrow::Cow, sync::OnceLock};

use regex_lite::Regex;

/// What `pattern = "…"` says of a tool's parameters, and what their types say in their schemas.
#[derive(Debug, Default)]
pub(crate) struct Patterns(Vec<(Cow<'static, str>, OnceLock<Option<Regex>>)>);

impl Patterns {
    /// Adds a parameter's own. The macro has read it: it is a pattern.
    pub(crate) fn add(&mut self, pattern: &'static str) {
        self.0.push((pattern.into(), OnceLock::new()));
    }

    /// Adds those of schemas, which nobody has read yet; one that is none, or is not known here, is told and not added.
    pub(crate) fn add_of_schemas<'a>(&mut self, tool: &str, patterns: impl IntoIterator<Item = &'a str>) {
        for pattern in patterns {
            if self.knows(pattern) {
                continue;
            }
            match Regex::new(pattern) {
                Ok(compiled) => self.0.push((pattern.to_owned().into(), OnceLock::from(Some(compiled)))),
                Err(error) => {
                    tracing::warn!(%tool, %pattern, %error, "clients are told this pattern, and texts are not held against it");
                }
            }
        }
    }

    /// Whether texts can be held against a pattern.
    pub(crate) fn knows(&self, pattern: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == pattern)
    }

    /// Whether the text matches a pattern that was added; one that was not, or is none, refuses everything.
    pub(crate) fn is_match(&self, pattern: &str, text: &str) -> bool {
        self.0.iter().filter(|(known, _)| *known == pattern).any(|(known, compiled)| {
            compiled.get_or_init(|| Regex::new(known).ok()).as_ref().is_some_and(|regex| regex.is_match(text))
        })
    }
}
