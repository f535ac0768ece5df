//! What will serve after all layers, and which variables and flags it has a use for.

use super::{
    super::{
        auth::{AUTHS, AuthKind},
        draft::Kind,
        reader::{one_of, shortened},
    },
    invalid,
    settings::{Place, Setting},
};
use crate::server::error::Error;

/// A variable or a flag that is set.
pub(super) struct Given {
    /// As it was written: `MCP_PORT`, `--port`.
    pub(super) name: String,
    pub(super) setting: &'static Setting,
    pub(super) text: String,
    /// Whether the text is the path of a file that holds the value.
    pub(super) is_file: bool,
}

impl Given {
    pub(super) fn is_same_setting(&self, other: &Self) -> bool {
        self.setting.variable == other.setting.variable && self.name != other.name
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Via {
    Environment,
    Flags,
}

/// What will serve after all layers.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) kind: Kind,
    pub(super) auth: Option<AuthKind>,
    /// Whether a mistake hides what will serve; then nothing can be called unfit for it.
    pub(super) unknown: bool,
}

impl Target {
    /// What the target has a use for. The rest is ignored if it is a variable, and an error if it is a flag.
    pub(super) fn fitting(self, given: Vec<Given>, via: Via, errors: &mut Vec<Error>) -> Vec<Given> {
        let mut fitting = Vec::new();
        for it in given {
            let needed = match it.setting.place {
                _ if self.unknown => None,
                Place::Sse(_) if self.kind != Kind::Sse => Some("the transport `sse`".into()),
                Place::Transport | Place::Top(_) | Place::Log => None,
                _ if self.kind == Kind::Stdio => Some("the transport `sse` or `http-stream`".to_owned()),
                Place::AuthOption(auth, _) if self.auth != Some(auth) => {
                    let auth = word(&AUTHS, auth);
                    // Ignoring a key would leave a listener open that was meant to be guarded.
                    if self.auth.is_none() {
                        errors.push(not_chosen(it.name, via, auth));
                        continue;
                    }
                    Some(format!("the authentication `{auth}`"))
                }
                _ => None,
            };
            match (needed, via) {
                (None, _) => fitting.push(it),
                (Some(needed), Via::Environment) => {
                    tracing::warn!(variable = it.name, "ignored: it only goes with {needed}");
                }
                (Some(needed), Via::Flags) => {
                    let choosers = "see `--transport` and `--auth`";
                    let reason = format!("only goes with {needed}, {choosers}");
                    errors.push(invalid(&it.name, reason));
                }
            }
        }
        fitting
    }
}

fn not_chosen(given: String, via: Via, auth: &'static str) -> Error {
    let chooser = match via {
        Via::Environment => "MCP_AUTH",
        Via::Flags => "--auth",
    };
    Error::AuthNotChosen { given, chooser, auth }
}

/// What flags, or else variables, choose. A word that is none is reported wherever it stands.
pub(super) fn choice<T: Copy>(
    place: Place,
    words: &[(&'static str, T)],
    flags: &[Given],
    variables: &[Given],
    errors: &mut Vec<Error>,
) -> Option<T> {
    let mut chosen = None;
    for given in flags.iter().chain(variables) {
        if given.setting.place != place {
            continue;
        }
        match words.iter().find(|(word, _)| *word == given.text.trim()) {
            Some((_, meaning)) => chosen = chosen.or(Some(*meaning)),
            None => {
                // What stands in the place of a type of authentication may be its key.
                let got = match place {
                    Place::Auth => "another word".into(),
                    _ => shortened(&given.text),
                };
                let reason = format!("expected {}, got {got}", one_of(words));
                errors.push(invalid(&given.name, reason));
            }
        }
    }
    chosen
}

pub(super) fn word<T: PartialEq>(words: &[(&'static str, T)], meaning: T) -> &'static str {
    let found = words.iter().find(|(_, it)| *it == meaning);
    found.map_or("", |(word, _)| word)
}
