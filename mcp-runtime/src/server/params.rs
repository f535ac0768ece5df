//! The parameters of methods, from raw JSON to their types, refused in words that a client can use.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::bounds::in_json_words;
use crate::protocol::{LoggingLevel, RpcError, jsonrpc::text_of, read::Object};

/// The members that requests have in common, split in one pass; what they hold is still text.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) uri: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) cursor: Option<&'a RawValue>,
    /// The answers of a client that comes back, and what it was given for that.
    #[serde(borrow, default)]
    pub(super) input_responses: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) request_state: Option<&'a RawValue>,
    /// The wish for a task (2025-11-25), and what names one.
    #[serde(borrow, default)]
    pub(super) task: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) task_id: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    pub(super) raw_meta: Option<&'a RawValue>,
    #[serde(skip)]
    pub(super) meta: Meta<'a>,
}

/// What the standard knows of a request's `_meta`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta<'a> {
    #[serde(borrow, default, rename = "progressToken")]
    pub(super) progress_token: Option<&'a RawValue>,
    /// There where the request speaks for itself.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion", deserialize_with = "present")]
    pub(super) protocol_version: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(super) client_capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<&'a RawValue>,
}

/// A member that is there, be it null.
fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

impl<'a> Params<'a> {
    /// Splits an object.
    ///
    /// # Errors
    /// -32602 where a member stands twice, or `_meta` is no object.
    pub(super) fn read(raw: &'a RawValue) -> Result<Self, RpcError> {
        let mut params: Self = split(raw)?;
        if let Some(meta) = params.raw_meta {
            if !meta.get().starts_with('{') {
                return Err(RpcError::invalid_params("`params._meta` must be an object"));
            }
            params.meta = split(meta)?;
        }
        Ok(params)
    }

    /// The name of the tool or prompt.
    ///
    /// # Errors
    /// -32602 where it is missing or no text.
    pub(super) fn name(&self) -> Result<Cow<'a, str>, RpcError> {
        text("params.name", self.name)
    }

    /// The URI of the resource.
    ///
    /// # Errors
    /// -32602 where it is missing or no text.
    pub(super) fn uri(&self) -> Result<Cow<'a, str>, RpcError> {
        text("params.uri", self.uri)
    }

    /// The id of the task.
    ///
    /// # Errors
    /// -32602 where it is missing or no text.
    pub(super) fn task_id(&self) -> Result<Cow<'a, str>, RpcError> {
        text("params.taskId", self.task_id)
    }

    /// Where a list goes on.
    ///
    /// # Errors
    /// -32602 where it is no text.
    pub(super) fn cursor(&self) -> Result<Option<Cow<'a, str>>, RpcError> {
        self.cursor.map(|cursor| text("params.cursor", Some(cursor))).transpose()
    }
}

impl<'a> Meta<'a> {
    /// By what the request's progress is reported: a string or a number.
    ///
    /// # Errors
    /// -32602 where it is neither.
    pub(super) fn progress_token(&self) -> Result<Option<&'a RawValue>, RpcError> {
        match self.progress_token {
            Some(token) if token.get().starts_with(['{', '[', 't', 'f']) => {
                Err(RpcError::invalid_params("`params._meta.progressToken` must be a string or a number"))
            }
            token => Ok(token),
        }
    }

    /// The mildest messages that the request wants logged; none at all where it does not say.
    ///
    /// # Errors
    /// -32602 where it is no level.
    pub(super) fn log_level(&self) -> Result<Option<LoggingLevel>, RpcError> {
        const MEMBER: &str = "params._meta[\"io.modelcontextprotocol/logLevel\"]";
        self.log_level.map(|raw| level(MEMBER, &text(MEMBER, Some(raw))?)).transpose()
    }
}

/// A level by its name.
///
/// # Errors
/// -32602 where it is none.
pub(super) fn level(member: &str, name: &str) -> Result<LoggingLevel, RpcError> {
    LoggingLevel::parse(name).ok_or_else(|| {
        let levels = LoggingLevel::ALL.map(LoggingLevel::as_str).join(", ");
        RpcError::invalid_params(format!("`{member}` must be one of {levels}"))
    })
}

pub(super) fn text<'a>(member: &str, raw: Option<&'a RawValue>) -> Result<Cow<'a, str>, RpcError> {
    let raw = raw.ok_or_else(|| RpcError::invalid_params(format!("`{member}` is missing")))?;
    text_of(raw).ok_or_else(|| RpcError::invalid_params(format!("`{member}` must be a string")))
}

/// An object whose members are text as yet, so that nothing can be wrong but the object itself.
fn split<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, RpcError> {
    T::deserialize(Object(raw.get())).map_err(|error| unfit("params", "", &error))
}

/// The parameters of a method as a `T`.
///
/// # Errors
/// -32602, with the path to what does not fit.
pub(super) fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, RpcError> {
    read_at("params", raw)
}

/// A member of the parameters as a `T`.
///
/// # Errors
/// As [`read`].
pub(super) fn read_at<'a, T: Deserialize<'a>>(member: &str, raw: &'a RawValue) -> Result<T, RpcError> {
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = match error.path().to_string() {
            path if path == "." => String::new(),
            path => format!(".{path}"),
        };
        unfit(member, &path, error.inner())
    })
}

fn unfit(member: &str, path: &str, error: &serde_json::Error) -> RpcError {
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    RpcError::invalid_params(format!("`{member}{}`: {}", beginning(path), beginning(&in_words(said))))
}

/// What serde says is wrong, in the words of JSON: a client knows no types of ours.
fn in_words(said: &str) -> Cow<'_, str> {
    if let Some(name) = said.strip_prefix("duplicate field ") {
        return format!("{name} stands there twice").into();
    }
    if let Some(name) = said.strip_prefix("missing field ") {
        return format!("{name} is missing").into();
    }
    let told = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: "));
    let Some((got, expected)) = told.and_then(|told| told.rsplit_once(", expected ")) else { return said.into() };
    let expected = match expected {
        tagged if tagged.starts_with("internally tagged enum ") => "an object",
        listed if listed.starts_with("enum ") => "a string",
        other => in_json_words(other),
    };
    let got = match got {
        "map" => "an object",
        "sequence" => "an array",
        other => other,
    };
    format!("expected {expected}, got {got}").into()
}

/// The parameters of a method that cannot do without `member`.
///
/// # Errors
/// -32602 where they are missing or do not fit.
pub(super) fn required<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>, member: &str) -> Result<T, RpcError> {
    read(raw.ok_or_else(|| RpcError::invalid_params(format!("`{member}` is missing")))?)
}

fn beginning(text: &str) -> &str {
    const MOST: usize = 200;
    text.char_indices().nth(MOST).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{Deserialize, read};

    #[derive(Debug, Deserialize)]
    #[serde(tag = "type")]
    enum Reference {
        #[serde(rename = "ref/prompt")]
        Prompt { name: String },
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Whole {
        #[serde(rename = "ref")]
        reference: Reference,
        at_most: Option<u8>,
        names: Option<Vec<String>>,
    }

    #[test]
    fn what_does_not_fit_is_told_in_the_words_of_json() {
        let prompt = r#""ref": {"type": "ref/prompt", "name": "a"}"#;
        let check = |params: &str, expected: &str| {
            let raw = RawValue::from_string(params.to_owned()).unwrap();
            let told = read::<Whole>(&raw).map(|whole| {
                let Reference::Prompt { name } = whole.reference;
                drop((name, whole.at_most, whole.names));
            });
            assert_eq!(told.map_err(|error| error.message), Err(format!("`params{expected}")), "{params}");
        };
        check("5", "`: expected an object, got integer `5`");
        check(r#"{"ref": null}"#, ".ref`: expected an object, got null");
        check(r#"{"atMost": 1}"#, "`: `ref` is missing");
        check(&format!("{{{prompt}, {prompt}}}"), "`: `ref` stands there twice");
        check(&format!("{{{prompt}, \"atMost\": \"x\"}}"), ".atMost`: expected an integer, got string \"x\"");
        check(&format!("{{{prompt}, \"atMost\": 300}}"), ".atMost`: expected an integer, got integer `300`");
        check(&format!("{{{prompt}, \"names\": {{}}}}"), ".names`: expected an array, got an object");
    }
}
