//! The messages, each part of them as a type.
#![allow(dead_code, reason = "what is parsed is parsed, whether somebody asks for it or not")]

use serde::{Deserialize, Serialize};

/// A request whose parameters are `P`.
#[derive(Deserialize)]
pub(crate) struct Request<P> {
    pub(crate) jsonrpc: String,
    pub(crate) id: u64,
    pub(crate) method: String,
    pub(crate) params: P,
}

/// `tools/call` with the arguments `A`.
#[derive(Deserialize)]
pub(crate) struct Call<A> {
    pub(crate) name: String,
    pub(crate) arguments: A,
    #[serde(rename = "_meta")]
    pub(crate) meta: Option<Meta>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Meta {
    pub(crate) progress_token: Option<u64>,
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    pub(crate) version: Option<String>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    pub(crate) client: Option<Client>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    pub(crate) capabilities: Option<Capabilities>,
}

#[derive(Deserialize)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) version: String,
}

#[derive(Deserialize)]
pub(crate) struct Capabilities {}

/// The arguments of `add` and `progress`.
#[derive(Deserialize)]
pub(crate) struct Add {
    pub(crate) a: i64,
    pub(crate) b: i64,
}

impl Add {
    pub(crate) fn sum(&self) -> String {
        (self.a + self.b).to_string()
    }
}

/// The arguments of `big`.
#[derive(Deserialize)]
pub(crate) struct Big {
    pub(crate) n: usize,
}

/// The arguments of `echo`.
#[derive(Deserialize)]
pub(crate) struct Echo {
    pub(crate) message: String,
}

/// `resources/read`.
#[derive(Deserialize)]
pub(crate) struct Read {
    pub(crate) uri: String,
}

/// `tools/list`.
#[derive(Deserialize)]
pub(crate) struct List {}

/// `subscriptions/listen`, whatever it asks for.
#[derive(Deserialize)]
pub(crate) struct Listen {}

/// What opens a session, or says that it is open.
#[derive(Deserialize)]
pub(crate) struct Handshake {
    pub(crate) jsonrpc: String,
    pub(crate) id: Option<u64>,
    pub(crate) method: String,
    pub(crate) params: Option<Initialize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Initialize {
    pub(crate) protocol_version: String,
    pub(crate) capabilities: Capabilities,
    pub(crate) client_info: Client,
}

#[derive(Serialize)]
struct Response<R> {
    jsonrpc: &'static str,
    id: u64,
    result: R,
}

/// The result of a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Texts<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<ResultMeta>,
    content: [Text<'a>; 1],
}

#[derive(Serialize)]
struct ResultMeta {
    #[serde(rename = "io.modelcontextprotocol/serverInfo")]
    server: Info,
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct Contents<'a> {
    contents: [Content<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Content<'a> {
    uri: &'a str,
    mime_type: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Initialized<'a> {
    protocol_version: &'a str,
    capabilities: Offers,
    server_info: Info,
}

#[derive(Serialize)]
struct Offers {
    tools: Nothing,
    resources: Nothing,
}

#[derive(Serialize)]
struct Nothing {}

#[derive(Serialize)]
struct Info {
    name: &'static str,
    version: &'static str,
}

const INFO: Info = Info { name: "bench", version: "1.0.0" };

#[derive(Serialize)]
struct Notification<P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: P,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Progress {
    progress_token: u64,
    progress: u32,
    total: u32,
}

/// The answer to a message of a session: a call of `add`, or the handshake.
pub(crate) fn answer(message: &[u8]) -> serde_json::Result<Option<Vec<u8>>> {
    if let Ok(Request::<Call<Add>> { id, params, .. }) = serde_json::from_slice(message) {
        return Ok(Some(text(id, &params.arguments.sum())));
    }
    let Handshake { id, params, .. } = serde_json::from_slice(message)?;
    Ok(id.zip(params).map(|(id, params)| initialized(id, &params.protocol_version)))
}

/// The answer of a tool.
pub(crate) fn text(id: u64, text: &str) -> Vec<u8> {
    respond(id, Texts { result_type: None, meta: None, content: [Text { r#type: "text", text }] })
}

/// The same in the newest version.
pub(crate) fn complete(id: u64, text: &str) -> Vec<u8> {
    let meta = ResultMeta { server: INFO };
    let content = [Text { r#type: "text", text }];
    respond(id, Texts { result_type: Some("complete"), meta: Some(meta), content })
}

/// The answer of a resource.
pub(crate) fn contents(id: u64, uri: &str, text: &str) -> Vec<u8> {
    respond(id, Contents { contents: [Content { uri, mime_type: "text/plain", text }] })
}

/// The answer to `initialize`.
pub(crate) fn initialized(id: u64, version: &str) -> Vec<u8> {
    respond(
        id,
        Initialized {
            protocol_version: version,
            capabilities: Offers { tools: Nothing {}, resources: Nothing {} },
            server_info: INFO,
        },
    )
}

/// What acknowledges `subscriptions/listen`.
pub(crate) fn acknowledged() -> Vec<u8> {
    write(&Notification { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: Nothing {} })
}

/// A step of three.
pub(crate) fn progress(token: u64, step: u32) -> Vec<u8> {
    let params = Progress { progress_token: token, progress: step, total: 3 };
    write(&Notification { jsonrpc: "2.0", method: "notifications/progress", params })
}

fn respond(id: u64, result: impl Serialize) -> Vec<u8> {
    write(&Response { jsonrpc: "2.0", id, result })
}

fn write(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_default()
}
