//! From a handler's result to the bytes of the answer, in the words of the client's version.

use serde::Serialize;

use crate::protocol::{
    CallToolResult, CompleteResult, GetPromptResult, Implementation, Meta, ProtocolVersion, ReadResourceResult,
    adapt::Lower,
    input::InputRequiredResult,
    jsonrpc::{Id, write_raw_result, write_result, write_unwritable},
    tasks::Task,
    write::write,
};

/// The key under which a result says who gave it.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A result of a handler.
pub(super) trait Answer: Lower + Serialize + Send + 'static {
    /// Its `_meta`.
    fn meta(&mut self) -> &mut Option<Meta>;

    /// Whether it tells of a failure.
    fn is_failure(&self) -> bool {
        false
    }
}

macro_rules! answers {
    ($($result:ty),*) => { $(
        impl Answer for $result {
            fn meta(&mut self) -> &mut Option<Meta> {
                &mut self.meta
            }
        }
    )* };
}
answers!(ReadResourceResult, GetPromptResult, CompleteResult);

impl Answer for CallToolResult {
    fn meta(&mut self) -> &mut Option<Meta> {
        &mut self.meta
    }

    fn is_failure(&self) -> bool {
        self.is_error
    }
}

/// What every result of the newest version begins with, written down once.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The server, as a result's `_meta` names it.
    info: serde_json::Value,
    /// `{"resultType":"complete","_meta":{…}`: a result but for its own members.
    complete: Vec<u8>,
}

impl Frame {
    pub(super) fn new(info: &Implementation) -> Self {
        // An implementation is strings; writing it cannot fail.
        let info = serde_json::to_value(info).unwrap_or_default();
        let complete = format!(r#"{{"resultType":"complete","_meta":{{"{SERVER_INFO}":{info}}}"#).into_bytes();
        Self { info, complete }
    }

    /// Writes the answer to `id`, in the words of `version`.
    pub(super) fn write<R: Answer>(&self, out: &mut Vec<u8>, id: Id<'_>, version: ProtocolVersion, result: &mut R) {
        result.lower(version);
        if !version.has_result_type() {
            return write_result(out, id, result);
        }
        match result.meta() {
            None => self.write_framed(out, id, &self.complete, result),
            Some(meta) => {
                meta.entry(SERVER_INFO).or_insert_with(|| self.info.clone());
                self.write_framed(out, id, br#"{"resultType":"complete""#, result);
            }
        }
    }

    /// Writes the answer to `id` where the result is no handler's.
    pub(super) fn write_own<R: Serialize>(&self, out: &mut Vec<u8>, id: Id<'_>, version: ProtocolVersion, result: &R) {
        if version.has_result_type() {
            self.write_framed(out, id, &self.complete, result);
        } else {
            write_result(out, id, result);
        }
    }

    /// Writes the end of what the request `id` has begun, which says so under `key`.
    pub(super) fn write_end(&self, out: &mut Vec<u8>, id: Id<'_>, key: &str) {
        let (info, id_text) = (&self.info, id.as_str());
        let result = format!(r#"{{"resultType":"complete","_meta":{{"{key}":{id_text},"{SERVER_INFO}":{info}}}}}"#);
        write_raw_result(out, id, result.as_bytes());
    }

    /// Writes the answer to `id` that asks before there can be a result.
    pub(super) fn write_question(&self, out: &mut Vec<u8>, id: Id<'_>, question: &InputRequiredResult) {
        let opening = format!(r#"{{"resultType":"input_required","_meta":{{"{SERVER_INFO}":{}}}"#, self.info);
        self.write_framed(out, id, opening.as_bytes(), question);
    }

    /// Writes the answer to `id` that the call has become a task.
    pub(super) fn write_task(&self, out: &mut Vec<u8>, id: Id<'_>, task: &Task) {
        let opening = format!(r#"{{"resultType":"task","_meta":{{"{SERVER_INFO}":{}}}"#, self.info);
        self.write_framed(out, id, opening.as_bytes(), task);
    }

    /// Writes `members` and the rest of a result's object, as the result of `id`.
    fn write_framed<R: Serialize>(&self, out: &mut Vec<u8>, id: Id<'_>, members: &[u8], result: &R) {
        let start = out.len();
        write_raw_result(out, id, members);
        // The brace that closes the answer comes last.
        out.pop();
        let seam = out.len();
        if let Err(error) = write(out, result) {
            out.truncate(start);
            return write_unwritable(out, id, &error);
        }
        if out[seam..] == *b"{}" {
            out.truncate(seam);
            out.push(b'}');
        } else {
            out[seam] = b',';
        }
        out.push(b'}');
    }

    /// What a page of a list begins with, where the version wants it framed.
    pub(super) fn opening(&self, version: ProtocolVersion) -> Vec<u8> {
        if version.has_result_type() {
            let mut opening = self.complete.clone();
            opening.push(b',');
            opening
        } else {
            b"{".to_vec()
        }
    }
}
