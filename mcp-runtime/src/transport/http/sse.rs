//! Event streams: how a message and a comment stand on one.

use std::fmt::Write;

use bytes::{BufMut, Bytes, BytesMut};

use crate::session::replay::EventId;

/// What stands before a message, and after it.
pub(super) const MESSAGE: &[u8] = b"event: message\ndata: ";
pub(super) const END: &[u8] = b"\n\n";

/// Shows that the stream lives; readers pass over it.
pub(super) const KEEP_ALIVE: Bytes = Bytes::from_static(b": keep-alive\n\n");

/// Tells a client when to come back, in milliseconds.
pub(super) const RETRY: Bytes = Bytes::from_static(b"retry: 1000\n\n");

/// The first event of a stream that can be resumed: it says nothing but its name.
pub(super) fn priming_event(id: EventId) -> Bytes {
    Bytes::from(format!("id: {id}\nretry: 1000\ndata: \n\n"))
}

/// The first event of a stream of 2024-11-05: where the client's messages go.
pub(super) fn endpoint_event(uri: &str) -> Bytes {
    Bytes::from(format!("event: endpoint\ndata: {uri}\n\n"))
}

/// Names the message that is appended next.
pub(super) fn write_id(out: &mut BytesMut, id: EventId) {
    // Writing to memory does not fail.
    let _ = writeln!(out, "id: {id}");
}

/// Appends one message as one event.
pub(super) fn write_message(out: &mut BytesMut, message: &[u8]) {
    out.reserve(MESSAGE.len() + message.len() + END.len());
    out.put_slice(MESSAGE);
    out.put_slice(message);
    out.put_slice(END);
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use proptest::prelude::*;
    use serde_json::Value;

    use super::{endpoint_event, write_message};
    use crate::protocol::jsonrpc::flatten;

    /// What a browser's EventSource makes of a stream: the type and the data of each event.
    fn read(stream: &str) -> Vec<(String, String)> {
        let (mut events, mut kind, mut data) = (Vec::new(), String::new(), Vec::new());
        for line in stream.replace("\r\n", "\n").split(['\n', '\r']) {
            if line.is_empty() {
                if !data.is_empty() {
                    events.push((std::mem::take(&mut kind), data.join("\n")));
                }
                kind.clear();
                data.clear();
            } else if let Some(value) = line.strip_prefix("data:") {
                data.push(value.strip_prefix(' ').unwrap_or(value).to_owned());
            } else if let Some(value) = line.strip_prefix("event:") {
                kind = value.strip_prefix(' ').unwrap_or(value).to_owned();
            }
        }
        events
    }

    fn encode(text: &str) -> String {
        let mut message = text.as_bytes().to_vec();
        flatten(&mut message, 0);
        let mut out = BytesMut::new();
        write_message(&mut out, &message);
        String::from_utf8(out.to_vec()).unwrap()
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[\r\n\u{85}\u{2028}\u{2029}\\x00: a-z\"\\\\]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_message_is_exactly_one_event(messages in prop::collection::vec(any_json(), 1..4), pretty: bool) {
            let mut stream = String::new();
            for message in &messages {
                let text = if pretty { format!("{message:#}") } else { message.to_string() };
                stream.push_str(&encode(&text));
            }
            let events = read(&stream);
            prop_assert_eq!(events.len(), messages.len());
            for (message, (kind, data)) in messages.iter().zip(events) {
                prop_assert_eq!(kind, "message");
                prop_assert_eq!(&serde_json::from_str::<Value>(&data).unwrap(), message);
            }
        }
    }

    #[test]
    fn line_separators_of_unicode_stay_as_they_are() {
        assert_eq!(encode("\"a\u{2028}\u{85}b\""), "event: message\ndata: \"a\u{2028}\u{85}b\"\n\n");
    }

    #[test]
    fn the_endpoint_is_an_event_of_its_own() {
        let event = endpoint_event("/messages?sessionId=1");
        assert_eq!(
            read(std::str::from_utf8(&event).unwrap()),
            [("endpoint".to_owned(), "/messages?sessionId=1".to_owned())]
        );
    }
}
