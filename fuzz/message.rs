//! Whatever a client says in a session, line by line: a request is answered once, a notification never, and each word of
//! the server is one that the standard knows.

#![no_main]

use std::{cell::OnceCell, collections::BTreeMap, time::Duration};

use libfuzzer_sys::fuzz_target;
use mcp_runtime::testing::Connection;
use mcp_test_schema::Conversation;
use serde_json::{Value, value::RawValue};
use tokio::{runtime, time::timeout};

mod server;

fuzz_target!(|bytes: &[u8]| {
    thread_local!(static FIRST: OnceCell<Connection> = const { OnceCell::new() });

    let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let connection =
            FIRST.with(|first| first.get_or_init(|| Connection::open(server::server()).unwrap()).another());
        talk(&connection, bytes).await;
    });
});

/// Longer talks say nothing new.
const MOST_LINES: usize = 24;

/// No call takes as long.
const VERY_LONG: Duration = Duration::from_secs(48 * 3600);

async fn talk(connection: &Connection, bytes: &[u8]) {
    let mut heard = Heard::default();
    for line in bytes.split(|byte| *byte == b'\n').take(MOST_LINES) {
        heard.due(line);
        connection.send(line).await;
        heard.listen(connection, Duration::from_millis(1)).await;
    }
    heard.listen(connection, VERY_LONG).await;
    let refusals = heard.refusals_due..=heard.refusals_due + heard.batches;
    assert!(refusals.contains(&heard.refusals), "{} refusals without an id, not {refusals:?}", heard.refusals);
    if !heard.may_cancel {
        assert!(heard.due.is_empty(), "never answered: {:?}", heard.due);
    }
}

#[derive(Default)]
struct Heard {
    conversation: Conversation,
    /// The ids of requests that are not answered, to the letter.
    due: Vec<String>,
    /// Those of requests that need not be.
    lasting: Vec<String>,
    /// What could not be read, and has no id to be answered by.
    refusals_due: usize,
    refusals: usize,
    /// Arrays, which may be refused as such.
    batches: usize,
    /// A request may have been cancelled, and needs no answer.
    may_cancel: bool,
}

type Members<'a> = BTreeMap<String, &'a RawValue>;

impl Heard {
    /// Takes note of what a line wants to be answered.
    fn due(&mut self, line: &[u8]) {
        let text = std::str::from_utf8(line).unwrap_or_default();
        let wants = wants(text);
        match &wants {
            // What is refused for what it says may look like an answer.
            Wants::Answer(id) if looks_like_answer(text) => self.conversation.observe_sent(&format!("{{\"id\":{id}}}")),
            _ => self.conversation.observe_sent(text),
        }
        if serde_json::from_str::<Vec<&RawValue>>(text).is_ok() {
            self.batches += 1;
            self.may_cancel = true;
            return;
        }
        match wants {
            Wants::Answer(id) => self.due.push(id),
            Wants::Stream(id) => self.lasting.push(id),
            Wants::Refusal => self.refusals_due += 1,
            Wants::Cancellation => self.may_cancel = true,
            Wants::Nothing => {}
        }
    }

    /// Hears what is said until there is silence.
    async fn listen(&mut self, connection: &Connection, silence: Duration) {
        while let Ok(Some(message)) = timeout(silence, connection.receive()).await {
            let text = String::from_utf8(message).unwrap();
            assert!(!text.contains(['\n', '\r']), "{text:?} is no line");
            self.conversation.observe_received(&text);
            if !text.starts_with('[') {
                self.hear(&text);
            }
        }
    }

    fn hear(&mut self, text: &str) {
        let members: Members<'_> = serde_json::from_str(text).unwrap();
        if members.contains_key("method") {
            return;
        }
        if let Some(error) = members.get("error") {
            let error: Value = serde_json::from_str(error.get()).unwrap();
            assert!(error["code"] != -32603 || is_earned(&error), "a failure of ours: {text}");
        }
        let Some(id) = members.get("id").map(|id| id.get()).filter(|id| *id != "null") else {
            self.refusals += 1;
            return;
        };
        let waiting = [&mut self.due, &mut self.lasting].into_iter().find_map(|ids| {
            let place = ids.iter().position(|due| due == id)?;
            Some(ids.swap_remove(place))
        });
        assert!(waiting.is_some(), "{text} answers nothing");
    }
}

/// Whether a failure is the client's doing.
fn is_earned(error: &Value) -> bool {
    const EARNED: [&str; 6] =
        ["run or are kept already", "took too long", "under way", "asked too often", "was cancelled", "subscriptions"];
    let message = error["message"].as_str().unwrap_or_default();
    EARNED.iter().any(|earned| message.contains(earned))
}

enum Wants {
    Answer(String),
    /// An answer, or what lasts.
    Stream(String),
    /// A refusal without an id.
    Refusal,
    /// That others get no answer.
    Cancellation,
    Nothing,
}

/// What a message that is no batch wants, by the words of JSON-RPC alone.
fn wants(text: &str) -> Wants {
    let Some(members) = members(text) else { return Wants::Refusal };
    let [version, id, method, _, result, error] = ["jsonrpc", "id", "method", "params", "result", "error"]
        .map(|name| members.iter().filter(|(member, _)| member == name).map(|(_, text)| *text).collect::<Vec<_>>());
    let is_repeated = [&version, &id, &method, &result, &error].iter().any(|found| found.len() > 1)
        || members.iter().filter(|(name, _)| name == "params").count() > 1;
    let known = match id[..] {
        [id] if is_id(id) => Some(id.to_owned()),
        _ => None,
    };
    let answer = known.clone().map_or(Wants::Refusal, Wants::Answer);
    if is_repeated || version != ["\"2.0\""] || known.is_none() && !id.is_empty() {
        return answer;
    }
    let [method] = method[..] else {
        return if known.is_some() && result.len() != error.len() { Wants::Nothing } else { answer };
    };
    match (serde_json::from_str::<String>(method).ok().as_deref(), known) {
        (None, _) => answer,
        (Some("subscriptions/listen"), Some(id)) => Wants::Stream(id),
        (Some("notifications/cancelled"), None) => Wants::Cancellation,
        (Some(_), None) => Wants::Nothing,
        (Some(_), Some(_)) => answer,
    }
}

fn looks_like_answer(text: &str) -> bool {
    members(text).unwrap_or_default().iter().any(|(name, _)| name == "result" || name == "error")
}

fn is_id(text: &str) -> bool {
    text.starts_with('"') || text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
}

/// The members of an object in order, doubled ones too.
fn members(text: &str) -> Option<Vec<(String, &str)>> {
    use serde::de::{Deserializer as _, MapAccess, Visitor};

    struct Object;

    impl<'de> Visitor<'de> for Object {
        type Value = Vec<(String, &'de str)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                members.push((name, value.get()));
            }
            Ok(members)
        }
    }

    let mut text = serde_json::Deserializer::from_str(text);
    let members = text.deserialize_map(Object).ok()?;
    text.end().ok().map(|()| members)
}
