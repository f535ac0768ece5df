//! One round of a call whose client answers by coming back (2026-07-28): what it has answered, and what it is asked next.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};
use tokio::sync::Notify;

use super::{
    params,
    seal::{Bond, Seal, digest},
};
use crate::{
    limits::Limits,
    protocol::{
        ErrorCode, RawJson, RpcError,
        input::{InputRequest, InputRequiredResult},
    },
};

/// Questions that one call may ask in one round.
const MOST_QUESTIONS: usize = 64;

/// What a call has learned from its client in the rounds before, as the client keeps it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Answers {
    /// How many rounds there were.
    #[serde(rename = "r")]
    rounds: usize,
    #[serde(rename = "a")]
    given: Vec<Given>,
    /// What was asked last, and may be answered now.
    #[serde(rename = "q")]
    asked: Vec<Asked>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Given {
    #[serde(flatten)]
    to: Asked,
    #[serde(rename = "a")]
    answer: RawJson,
}

/// A question by its key and by its words: an answer counts for what was asked, not for what is asked under its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Asked {
    #[serde(rename = "k")]
    key: String,
    /// None where the client answered before it was asked: then nobody knows what it has seen.
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

impl Answers {
    /// What a request brings back.
    ///
    /// # Errors
    /// -32602 where the state is none of ours for this request, or the answers are no object.
    pub(super) fn open(
        seal: &Seal,
        bond: impl FnOnce() -> Bond,
        state: Option<&RawValue>,
        responses: Option<&RawValue>,
    ) -> Result<Self, RpcError> {
        let mut given: BTreeMap<Cow<'_, str>, &RawValue> = match responses {
            None => BTreeMap::new(),
            Some(raw) if raw.get().starts_with('{') => params::read(raw)?,
            Some(_) => return Err(RpcError::invalid_params("`params.inputResponses` must be an object")),
        };
        let Some(state) = state else {
            // Whoever knows a question by its name may answer it before it is asked.
            let unasked = |(key, answer): (Cow<'_, str>, &RawValue)| Given {
                to: Asked { key: key.into_owned(), digest: None },
                answer: answer.into(),
            };
            return Ok(Self { given: given.into_iter().map(unasked).collect(), ..Self::default() });
        };
        let state = params::text("params.requestState", Some(state))?;
        let content = seal.open(&bond(), SystemTime::now(), &state)?;
        let mut answers: Self = serde_json::from_slice(&content).map_err(|error| {
            tracing::error!(%error, "a sealed state is not what this server writes; is a key shared with another?");
            RpcError::invalid_params("`params.requestState` is of another version of this server")
        })?;
        for to in std::mem::take(&mut answers.asked) {
            if let Some(answer) = given.remove(to.key.as_str()) {
                answers.given.push(Given { to, answer: answer.into() });
            }
        }
        Ok(answers)
    }
}

/// A call's round: the answers there are, and the questions that come up.
#[derive(Debug)]
pub(crate) struct Round {
    answers: Answers,
    notes: Mutex<Notes>,
    asked: Notify,
}

#[derive(Debug, Default)]
struct Notes {
    /// All keys that were taken in this round.
    keys: HashSet<String>,
    /// What nobody has answered, in the order in which it came up.
    questions: Vec<(Asked, InputRequest)>,
    /// Answers that did not fit.
    unfit: Vec<Asked>,
    /// What the client does not offer, and a handler would have needed.
    missing: Map<String, Value>,
}

/// A question that waits, until it is dropped.
#[derive(Debug)]
pub(super) struct Note<'a> {
    round: &'a Round,
    asked: Asked,
}

/// A question to a client that comes back, with its key.
#[derive(Debug)]
pub(super) struct Keyed {
    asked: Asked,
    /// The key is its own.
    named: bool,
    request: InputRequest,
}

impl Round {
    pub(super) fn new(answers: Answers) -> Self {
        Self { answers, notes: Mutex::default(), asked: Notify::new() }
    }

    /// Gives a question its key: its own, or a number; one that was taken before gets a number behind it.
    pub(super) fn key(&self, own: Option<&str>, request: InputRequest) -> Keyed {
        let mut notes = self.notes();
        let numbered = |number: usize| match (own, number) {
            (Some(own), 1) => own.to_owned(),
            (own, number) => format!("{}-{number}", own.unwrap_or("question")),
        };
        // A handler that asks so often has a bound elsewhere: every question is answered, or ends the round.
        let key = (1..).map(numbered).find(|key| !notes.keys.contains(key)).unwrap_or_default();
        notes.keys.insert(key.clone());
        let words = format!("{}\n{}", request.method, request.params.as_ref().map_or("", RawJson::get));
        let digest = Some(BASE64_URL_SAFE_NO_PAD.encode(&digest(words.as_bytes())[..16]));
        Keyed { named: own == Some(&key), asked: Asked { key, digest }, request }
    }

    /// The answer to a question, where the client has given one.
    pub(super) fn answer(&self, question: &Keyed) -> Option<&RawJson> {
        let found = self.answers.given.iter().find(|given| question.is_answered_by(given));
        if found.is_none() && self.answers.given.iter().any(|given| given.to.key == question.asked.key) {
            tracing::debug!(
                key = question.asked.key,
                "asked again, since the question is another one than before: a handler asks the same each time it runs"
            );
        }
        found.map(|given| &given.answer)
    }

    /// Forgets an answer that does not fit its question.
    pub(super) fn refuse(&self, question: &Keyed) {
        let unfit = self.answers.given.iter().filter(|given| question.is_answered_by(given));
        self.notes().unfit.extend(unfit.map(|given| given.to.clone()));
    }

    /// Notes that a question waits; none where too many do.
    pub(super) fn note(&self, question: Keyed) -> Option<Note<'_>> {
        let mut notes = self.notes();
        if notes.questions.len() >= MOST_QUESTIONS {
            return None;
        }
        let asked = question.asked;
        notes.questions.push((asked.clone(), question.request));
        drop(notes);
        self.asked.notify_one();
        Some(Note { round: self, asked })
    }

    /// Notes that the client lacks what a handler needs.
    pub(super) fn miss(&self, capability: Value) {
        let mut notes = self.notes();
        for (name, parts) in capability.as_object().into_iter().flatten() {
            let known = notes.missing.entry(name.clone()).or_insert_with(|| Map::new().into());
            if let (Some(known), Some(parts)) = (known.as_object_mut(), parts.as_object()) {
                known.extend(parts.clone());
            }
        }
    }

    /// The refusal for a client that lacks what a handler needed.
    pub(super) fn missing(&self) -> Option<RpcError> {
        let missing = std::mem::take(&mut self.notes().missing);
        if missing.is_empty() {
            return None;
        }
        let names: Vec<_> = missing.keys().map(String::as_str).collect();
        let message = format!("this needs a client that offers {}", names.join(" and "));
        let data = serde_json::json!({ "requiredCapabilities": missing });
        Some(RpcError::new(ErrorCode::MissingClientCapability, message).with_data(data))
    }

    /// Whether a question waits.
    pub(super) fn has_questions(&self) -> bool {
        !self.notes().questions.is_empty()
    }

    /// Resolves once a question waits.
    pub(super) async fn asks(&self) {
        while !self.has_questions() {
            self.asked.notified().await;
        }
    }

    /// What the client is told: the questions, and what it keeps until it comes back.
    ///
    /// # Errors
    /// -32603 where there were too many rounds, or the client would have to keep too much.
    pub(super) fn ask(&self, seal: &Seal, bond: &Bond, limits: &Limits) -> Result<InputRequiredResult, RpcError> {
        let rounds = self.answers.rounds + 1;
        let mut notes = self.notes();
        let (asked, input_requests) = std::mem::take(&mut notes.questions)
            .into_iter()
            .map(|(asked, request)| (asked.clone(), (asked.key, request)))
            .unzip();
        if limits.max_rounds.is_some_and(|most| rounds > most) {
            tracing::warn!(rounds, "a call asked its client in more rounds than `maxRounds`");
            return Err(RpcError::internal("the client was asked too often"));
        }
        let fits = |given: &&Given| !notes.unfit.contains(&given.to);
        let given = self.answers.given.iter().filter(fits).cloned().collect();
        // It is strings, numbers and JSON that was read before: writing it cannot fail.
        let state = serde_json::to_vec(&Answers { rounds, given, asked }).unwrap_or_default();
        let request_state = seal.close(bond, SystemTime::now(), &state)?;
        Ok(InputRequiredResult { input_requests, request_state })
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keyed {
    /// The key.
    pub(super) fn name(&self) -> &str {
        &self.asked.key
    }

    pub(super) fn request(&self) -> &InputRequest {
        &self.request
    }

    fn is_answered_by(&self, given: &Given) -> bool {
        given.to == self.asked || (self.named && given.to.digest.is_none() && given.to.key == self.asked.key)
    }
}

impl Drop for Note<'_> {
    fn drop(&mut self) {
        self.round.notes().questions.retain(|(asked, _)| *asked != self.asked);
    }
}
