//! What has been said on one connection: which request an answer belongs to, and which version it is of.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Value, json, value::RawValue};

use super::{Asked, Checker};

/// Where a stateless request states its version, in its `_meta`.
const STATED: &str = "io.modelcontextprotocol/protocolVersion";

/// What is spoken until a version is known.
const NEWEST_WITH_HANDSHAKE: &str = "2025-11-25";

/// The messages of one connection, each checked as it comes.
#[derive(Debug, Default)]
pub struct Conversation {
    /// By the handshake.
    agreed: Option<&'static Checker>,
    /// By the last request that stated one.
    stated: Option<&'static Checker>,
    /// Requests without an answer so far, by their id. A client may well use an id again whose request was cancelled.
    waiting: HashMap<String, Vec<Waiting>>,
    /// How many of those of one id were refused, where nobody can tell which.
    refused: HashMap<String, usize>,
    /// The last request of an id that was answered.
    answered: HashMap<String, Waiting>,
    /// What the client calls resources. A template may take what is no URI to the letter, and the answer repeats it.
    named: HashSet<String>,
}

#[derive(Clone, Debug)]
struct Waiting {
    asked: Asked,
    stated: Option<&'static Checker>,
}

/// The members of a message, to the letter: ids may be numbers that no type of ours holds.
type Message<'a> = BTreeMap<String, &'a RawValue>;

impl Conversation {
    /// Takes note of what the client sends, whatever it is.
    pub fn observe_sent(&mut self, text: &str) {
        for message in messages(text).unwrap_or_default() {
            let Some(id) = message.get("id").and_then(|id| key(id)) else { continue };
            if message.contains_key("result") || message.contains_key("error") {
                continue;
            }
            let method = message.get("method").and_then(|method| serde_json::from_str(method.get()).ok());
            // Only what leads to what is looked for is read: what stands beside it may be text that no type of ours holds.
            let params: Option<Message<'_>> =
                message.get("params").and_then(|params| serde_json::from_str(params.get()).ok());
            let member = |name| params.as_ref().and_then(|params: &Message<'_>| params.get(name));
            let meta: Option<Message<'_>> = member("_meta").and_then(|meta| serde_json::from_str(meta.get()).ok());
            let stated: Option<String> =
                meta.as_ref().and_then(|meta| serde_json::from_str(meta.get(STATED)?.get()).ok());
            let newest = Checker::for_version("2026-07-28");
            // A version that does not exist is refused in the words of the newest.
            let stated = stated.and_then(|version| Checker::for_version(&version).or(newest));
            self.stated = stated.or(self.stated);
            self.named.extend(member("uri").and_then(|uri| serde_json::from_str::<String>(uri.get()).ok()));
            let watched = member("notifications").and_then(|notifications| {
                let members: Message<'_> = serde_json::from_str(notifications.get()).ok()?;
                serde_json::from_str::<Vec<String>>(members.get("resourceSubscriptions")?.get()).ok()
            });
            self.named.extend(watched.into_iter().flatten());
            let asked = Asked { method, task: member("task").is_some() };
            // What names no version may be of the last one named, where nothing was agreed on and that has such a request.
            let is_open = params.is_none() && self.agreed.is_none();
            let stated = stated.or(self.stated.filter(|checker| is_open && checker.has_request(&asked)));
            self.waiting.entry(id).or_default().push(Waiting { asked, stated });
        }
    }

    /// Takes note of what the server says.
    ///
    /// # Panics
    /// Where the standard does not have a server say it, here and in this version.
    pub fn observe_received(&mut self, text: &str) {
        let wrong = self.complaints(text);
        let start: String = text.chars().take(2_000).collect();
        assert!(wrong.is_empty(), "{} has no such message: {wrong:#?}\n{start}", self.current().version);
    }

    /// Takes note of what the server says on a stream that was resumed: what had been said may come again.
    ///
    /// # Panics
    /// As [`Conversation::observe_received`] does.
    pub fn observe_resumed(&mut self, text: &str) {
        self.recall(text);
        self.observe_received(text);
    }

    /// Lets what was answered be answered again.
    pub(super) fn recall(&mut self, text: &str) {
        for message in messages(text).unwrap_or_default() {
            let Some(id) = message.get("id").and_then(|id| key(id)) else { continue };
            let waiting = self.waiting.entry(id.clone()).or_default();
            if waiting.is_empty() && !message.contains_key("method") {
                waiting.extend(self.answered.get(&id).cloned());
            }
        }
    }

    /// Takes note of the body of an answer whose HTTP status refuses a message.
    ///
    /// # Panics
    /// As [`Conversation::observe_received`] does.
    pub fn observe_refusal(&mut self, text: &str) {
        // It may come from before the session was looked up, and is then of no version. The standard lets it go without an
        // id ("an error response that has no `id`"), as the newest schemas have it and the oldest ones do not.
        let Some(Ok(message)) = messages(text).map(<[_; 1]>::try_from) else { return self.observe_received(text) };
        // It comes at once: of several requests with one id, some of which may be no business of the session, it is the last.
        let id = message[0].get("id").and_then(|id| key(id));
        let waiting = id.as_ref().and_then(|id| self.waiting.get_mut(id));
        let before: Vec<_> =
            waiting.map(|waiting| waiting.drain(..waiting.len().saturating_sub(1)).collect()).unwrap_or_default();
        if message[0].contains_key("id") || self.agreed.is_none() {
            self.observe_received(text);
        } else {
            Self::default().observe_received(text);
        }
        if let Some(waiting) = id.and_then(|id| self.waiting.get_mut(&id)) {
            waiting.splice(0..0, before);
        }
    }

    /// What is wrong with what the server says.
    pub fn complaints(&mut self, text: &str) -> Vec<String> {
        let Some(messages) = messages(text) else { return vec!["not a JSON object".to_owned()] };
        let mut wrong = Vec::new();
        if text.trim_start().starts_with('[') {
            if !self.current().has_batches() {
                wrong.push(format!("{} has no batches", self.current().version));
            }
            if messages.is_empty() {
                wrong.push("an empty batch".to_owned());
            }
        }
        for message in messages {
            wrong.extend(self.one(&message));
        }
        wrong
    }

    fn one(&mut self, message: &Message<'_>) -> Vec<String> {
        let mut whole = json!({});
        for (name, raw) in message {
            whole[name] = match serde_json::from_str(raw.get()) {
                Ok(value) => value,
                Err(_) if name == "id" && is_integer(raw) => json!(0),
                Err(_) if name == "id" && is_text(raw) => json!("0"),
                Err(error) => return vec![format!("{name} cannot be read: {error}")],
            };
            if name == "id" && is_integer(raw) {
                whole[name] = json!(0);
            }
        }
        self.pass_named(&mut whole);
        if message.contains_key("method") {
            return self.current().said(&whole);
        }
        let id = message.get("id").and_then(|id| key(id));
        if let Some(result) = whole.get("result") {
            return match id {
                Some(id) => self.result(&id, &whole, result),
                None => vec!["a result without an id".to_owned()],
            };
        }
        let mut checker = self.current();
        if let Some(id) = id {
            match self.refuse(&id) {
                Some(waiting) => checker = waiting.stated.unwrap_or(checker),
                None => return vec![format!("an error for {id}, which nobody asked")],
            }
        }
        checker.error(&whole)
    }

    /// Puts a URI in the place of each that the client wrote: whether it is one is not the server's to answer for.
    fn pass_named(&self, whole: &mut Value) {
        let is_named = |uri: &&mut Value| uri.as_str().is_some_and(|uri| self.named.contains(uri));
        let contents = whole.pointer_mut("/result/contents").and_then(Value::as_array_mut);
        for uri in contents.into_iter().flatten().filter_map(|one| one.get_mut("uri")).filter(is_named) {
            *uri = "named:".into();
        }
        if let Some(uri) = whole.pointer_mut("/params/uri").filter(is_named) {
            *uri = "named:".into();
        }
    }

    fn result(&mut self, id: &str, whole: &Value, result: &Value) -> Vec<String> {
        let waiting = self.waiting.get(id).map_or(&[][..], Vec::as_slice);
        let mut first = None;
        for (place, Waiting { asked, stated }) in waiting.iter().enumerate() {
            let mut checker = stated.unwrap_or_else(|| self.current_of(asked));
            let mut wrong = Vec::new();
            let handshake = asked.method.as_deref() == Some("initialize");
            if handshake {
                match result["protocolVersion"].as_str().and_then(Checker::for_version) {
                    Some(agreed) => checker = agreed,
                    None => wrong.push(format!("{} is no version", result["protocolVersion"])),
                }
            }
            wrong.extend(checker.result_frame(whole));
            wrong.extend(checker.result(asked, result));
            if wrong.is_empty() {
                self.take(id, place);
                self.settle(id);
                if handshake {
                    self.agreed = Some(checker);
                }
                return wrong;
            }
            first.get_or_insert(wrong);
        }
        self.take(id, 0);
        first.unwrap_or_else(|| vec![format!("a result for {id}, which nobody asked")])
    }

    /// Strikes off a request that was refused. Of several with one id it may be any: of the others, as many are answered.
    fn refuse(&mut self, id: &str) -> Option<Waiting> {
        let waiting = self.waiting.get(id)?;
        if waiting.len() < 2 {
            return self.take(id, 0);
        }
        let first = waiting.first().cloned();
        *self.refused.entry(id.to_owned()).or_default() += 1;
        self.settle(id);
        first
    }

    /// Strikes off the requests of an id that were refused, once it is known which.
    fn settle(&mut self, id: &str) {
        let waiting = self.waiting.get(id).map_or(0, Vec::len);
        if self.refused.get(id).is_some_and(|refused| *refused >= waiting) {
            self.refused.remove(id);
            while self.take(id, 0).is_some() {}
        }
    }

    /// Strikes a request off.
    fn take(&mut self, id: &str, place: usize) -> Option<Waiting> {
        let waiting = self.waiting.get_mut(id)?;
        let taken = waiting.remove(place.min(waiting.len().checked_sub(1)?));
        self.answered.insert(id.to_owned(), taken.clone());
        Some(taken)
    }

    /// The version that the connection is at: before a handshake, that of the newest there is.
    fn current(&self) -> &'static Checker {
        self.agreed.or(self.stated).unwrap_or_else(newest_with_handshake)
    }

    /// The same for a request of a method that the last version named may not have.
    fn current_of(&self, asked: &Asked) -> &'static Checker {
        self.agreed.or(self.stated.filter(|checker| checker.has_request(asked))).unwrap_or_else(newest_with_handshake)
    }
}

fn newest_with_handshake() -> &'static Checker {
    Checker::for_version(NEWEST_WITH_HANDSHAKE).expect("a version")
}

/// A conversation that is seen from several places.
#[derive(Clone, Debug, Default)]
pub struct Shared(Arc<Mutex<Conversation>>);

impl Shared {
    /// A connection without a handshake, whose requests are of that version: also those that the test cannot read.
    pub fn at(version: &str) -> Self {
        let stated = Checker::for_version(version);
        Self(Arc::new(Mutex::new(Conversation { stated, ..Conversation::default() })))
    }

    /// See [`Conversation::observe_sent`].
    pub fn observe_sent(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).observe_sent(text);
    }

    /// See [`Conversation::observe_received`].
    pub fn observe_received(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).observe_received(text);
    }

    /// See [`Conversation::observe_resumed`].
    pub fn observe_resumed(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).observe_resumed(text);
    }

    /// See [`Conversation::observe_refusal`].
    pub fn observe_refusal(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).observe_refusal(text);
    }
}

/// The messages of a text: one, or those of a batch. None where it is neither.
fn messages(text: &str) -> Option<Vec<Message<'_>>> {
    if let Ok(message) = serde_json::from_str(text) {
        return Some(vec![message]);
    }
    let batch: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(batch.into_iter().filter_map(|raw| serde_json::from_str(raw.get()).ok()).collect())
}

/// An id as a key; none where it is neither a text nor a number.
fn key(id: &RawValue) -> Option<String> {
    match serde_json::from_str(id.get()) {
        Ok(Value::String(text)) => Some(format!("{text:?}")),
        Ok(Value::Number(_)) => Some(id.get().to_owned()),
        Err(_) if is_integer(id) || is_text(id) => Some(id.get().to_owned()),
        _ => None,
    }
}

/// Whether it is a text, though it may have half a surrogate that no type of ours holds.
fn is_text(id: &RawValue) -> bool {
    id.get().starts_with('"')
}

fn is_integer(id: &RawValue) -> bool {
    let digits = id.get().strip_prefix('-').unwrap_or(id.get());
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
