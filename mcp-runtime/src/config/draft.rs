//! Options while layers are laid over them: what every transport could need, whichever is chosen in the end.

use serde_json::Value;

use super::{
    CorsOptions, HttpStreamOptions, MCP_ENDPOINT, SSE_ENDPOINT, ServerOptions, SseOptions, TransportOptions,
    auth::AuthDraft,
    limits,
    reader::{At, Object, Reader, one_of},
};
use crate::{secret::Secret, server::nearest::nearest};

/// The type of a transport.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Stdio,
    Sse,
    HttpStream,
}

pub(super) const KINDS: [(&str, Kind); 3] =
    [("stdio", Kind::Stdio), ("sse", Kind::Sse), ("http-stream", Kind::HttpStream)];

pub(super) struct Draft {
    name: String,
    version: String,
    instructions: Option<String>,
    state_keys: Vec<Secret>,
    pub(super) kind: Kind,
    /// Where the options of both listeners gather; its `endpoint` and its `auth` are not used.
    http: SseOptions,
    pub(super) auth: AuthDraft,
    /// `None` follows the transport's type, whose defaults differ.
    endpoint: Option<String>,
    /// Options of a listener that were stated for the case that there is one.
    offered: Vec<&'static str>,
}

impl From<ServerOptions> for Draft {
    fn from(options: ServerOptions) -> Self {
        let (kind, mut http, default) = match options.transport {
            TransportOptions::Stdio => (Kind::Stdio, SseOptions::default(), SSE_ENDPOINT),
            TransportOptions::Sse(sse) => (Kind::Sse, sse, SSE_ENDPOINT),
            TransportOptions::HttpStream(http) => (Kind::HttpStream, http.widened(), MCP_ENDPOINT),
        };
        Self {
            name: options.name,
            version: options.version,
            instructions: options.instructions,
            state_keys: options.state_keys,
            kind,
            auth: http.auth.take().into(),
            endpoint: (http.endpoint != default).then(|| http.endpoint.clone()),
            http,
            offered: Vec::new(),
        }
    }
}

impl Draft {
    /// What was said so far of a listener need not be used: nothing is lost without one.
    #[cfg(feature = "cli")]
    pub(super) fn offer(&mut self) {
        self.offered = self.lost();
    }

    /// Lays a layer over the draft; what is wrong with it gathers in the reader.
    pub(super) fn read(&mut self, layer: &Value, reader: &mut Reader<'_>) {
        let path = String::new();
        let Some(mut top) = reader.object(At { path, value: layer }) else {
            return;
        };
        reader.set(&mut top, "name", Reader::text, &mut self.name);
        reader.set(&mut top, "version", Reader::text, &mut self.version);
        let instructions = &mut self.instructions;
        reader.set(&mut top, "instructions", Reader::text_or_null, instructions);
        let secrets = |reader: &mut Reader<'_>, at: &At<'_>| {
            let texts = reader.texts(at)?;
            Some(texts.into_iter().map(Secret::from).collect())
        };
        reader.set(&mut top, "stateKeys", secrets, &mut self.state_keys);
        if let Some(at) = top.take("transport") {
            self.read_transport(at, reader);
        }
        reader.finish(top, elsewhere);
    }

    fn read_transport(&mut self, at: At<'_>, reader: &mut Reader<'_>) {
        if let Some(word) = at.value.as_str()
            && KINDS.iter().any(|(known, _)| *known == word)
        {
            let reason = format!("expected an object, {{\"type\": \"{word}\"}}");
            return reader.invalid(&at.path, reason);
        }
        let Some(mut transport) = reader.object(at) else {
            return;
        };
        let kind = match transport.take("type") {
            None => Some(self.kind),
            Some(at) => choice(reader, &at, &KINDS),
        };
        self.kind = kind.unwrap_or(self.kind);
        if let Some(at) = transport.take("options")
            && !at.value.is_null()
            && let Some(options) = reader.object(at)
        {
            match kind {
                Some(Kind::Stdio) => refuse_all(options, reader),
                // After an unknown type the options can still be checked as far as any type has them.
                _ => self.read_options(options, kind, reader),
            }
        }
        reader.finish(transport, elsewhere);
    }

    fn read_options(&mut self, mut object: Object<'_>, kind: Option<Kind>, reader: &mut Reader<'_>) {
        let http = &mut self.http;
        let given = &mut object;
        reader.set(given, "port", Reader::port, &mut http.port);
        reader.set(given, "host", Reader::text, &mut http.host);
        let endpoint = &mut self.endpoint;
        reader.set(given, "endpoint", |r, at| r.text(at).map(Some), endpoint);
        if kind == Some(Kind::HttpStream) {
            refuse_sse_options(given, reader);
        } else {
            let (messages, mcp) = (&mut http.message_endpoint, &mut http.mcp_endpoint);
            reader.set(given, "messageEndpoint", Reader::text, messages);
            reader.set(given, "mcpEndpoint", Reader::text_or_null, mcp);
        }
        reader.set(given, "sessions", Reader::switch, &mut http.sessions);
        let resumability = &mut http.resumability;
        reader.set(given, "resumability", Reader::switch, resumability);
        let url = &mut http.public_url;
        reader.set(given, "publicUrl", Reader::text_or_null, url);
        let hosts = &mut http.allowed_hosts;
        reader.set(given, "allowedHosts", Reader::texts, hosts);
        let health = &mut http.health_endpoint;
        reader.set(given, "healthEndpoint", Reader::text_or_null, health);
        if let Some(at) = given.take("cors") {
            read_cors(at, reader, &mut http.cors);
        }
        if let Some(at) = given.take("auth") {
            self.auth.read(at, reader);
        }
        if let Some(at) = given.take("limits") {
            limits::read(at, reader, &mut http.limits);
        }
        reader.finish(object, elsewhere);
    }

    /// The options of the transport that was chosen in the end. What it lacks is dropped, with a line in the log.
    pub(super) fn settle(mut self) -> ServerOptions {
        let mut lost = self.lost();
        lost.retain(|option| !self.offered.contains(option));
        if !lost.is_empty() {
            let kind = KINDS.iter().find(|(_, kind)| *kind == self.kind);
            tracing::warn!(
                options = %lost.join(", "),
                "the transport is now `{}`, which lacks these options; they are dropped",
                kind.map_or("", |(word, _)| word),
            );
        }
        if self.kind != Kind::Stdio {
            self.http.auth = self.auth.settle();
        }
        let endpoint = self.endpoint.take();
        let endpoint = |default: &str| endpoint.unwrap_or_else(|| default.into());
        ServerOptions {
            name: self.name,
            version: self.version,
            instructions: self.instructions,
            state_keys: self.state_keys,
            transport: match self.kind {
                Kind::Stdio => TransportOptions::Stdio,
                Kind::Sse => TransportOptions::Sse(SseOptions { endpoint: endpoint(SSE_ENDPOINT), ..self.http }),
                Kind::HttpStream => TransportOptions::HttpStream(narrowed(self.http, endpoint(MCP_ENDPOINT))),
            },
        }
    }

    /// The options that somebody set and that the chosen transport lacks.
    fn lost(&self) -> Vec<&'static str> {
        let SseOptions {
            port,
            host,
            endpoint: _,
            message_endpoint,
            mcp_endpoint,
            sessions,
            resumability,
            cors,
            auth: _,
            public_url,
            allowed_hosts,
            limits,
            health_endpoint,
        } = SseOptions::default();
        let http = &self.http;
        let of_sse = [
            ("messageEndpoint", http.message_endpoint != message_endpoint),
            ("mcpEndpoint", http.mcp_endpoint != mcp_endpoint),
        ];
        let of_listeners = [
            ("port", http.port != port),
            ("host", http.host != host),
            ("endpoint", self.endpoint.is_some()),
            ("sessions", http.sessions != sessions),
            ("resumability", http.resumability != resumability),
            ("cors", http.cors != cors),
            ("auth", self.auth.kind.is_some()),
            ("publicUrl", http.public_url != public_url),
            ("allowedHosts", http.allowed_hosts != allowed_hosts),
            ("limits", http.limits != limits),
            ("healthEndpoint", http.health_endpoint != health_endpoint),
        ];
        let set = |options: &[(&'static str, bool)]| -> Vec<&'static str> {
            let set = options.iter().filter(|(_, set)| *set);
            set.map(|(name, _)| *name).collect()
        };
        match self.kind {
            Kind::Sse => Vec::new(),
            Kind::HttpStream => set(&of_sse),
            Kind::Stdio => [set(&of_listeners), set(&of_sse)].concat(),
        }
    }
}

/// One of a few words; a misspelt one is answered with the right one.
pub(super) fn choice<T: Copy>(reader: &mut Reader<'_>, at: &At<'_>, words: &[(&str, T)]) -> Option<T> {
    let near = at.value.as_str().and_then(|word| nearest(word, words.iter().map(|(known, _)| *known)));
    let found = words.iter().find(|(word, _)| at.value.as_str() == Some(word));
    match (found, near) {
        (Some((_, meaning)), _) => Some(*meaning),
        (None, Some(near)) => {
            let expected = one_of(words);
            reader.expected(at, &format!("{expected} (did you mean `{near}`?)"))
        }
        (None, None) => reader.expected(at, &one_of(words)),
    }
}

fn refuse_all(options: Object<'_>, reader: &mut Reader<'_>) {
    for name in options.names() {
        let reason = "the transport `stdio` has no options; remove it, or choose the type `sse` or \
                      `http-stream`";
        reader.invalid(&options.path_of(name), reason.into());
    }
}

fn refuse_sse_options(options: &mut Object<'_>, reader: &mut Reader<'_>) {
    for name in ["messageEndpoint", "mcpEndpoint"] {
        if let Some(at) = options.take(name) {
            let reason = "only the transport `sse` has this option; `http-stream` has one `endpoint`";
            reader.invalid(&at.path, reason.into());
        }
    }
}

fn read_cors(at: At<'_>, reader: &mut Reader<'_>, cors: &mut Option<CorsOptions>) {
    if reader.is_null(&at) {
        *cors = None;
        return;
    }
    let Some(mut object) = reader.object(at) else {
        return;
    };
    let origins = &mut cors.get_or_insert_default().allow_origins;
    reader.set(&mut object, "allowOrigins", Reader::texts, origins);
    reader.finish(object, elsewhere);
}

/// Where a known name belongs, for one that was written in another object.
fn elsewhere(name: &str) -> Option<&'static str> {
    const PLACES: [(&str, &str); 20] = [
        ("name", "name"),
        ("version", "version"),
        ("instructions", "instructions"),
        ("stateKeys", "stateKeys"),
        ("transport", "transport"),
        ("type", "transport.type"),
        ("options", "transport.options"),
        ("port", "transport.options.port"),
        ("host", "transport.options.host"),
        ("endpoint", "transport.options.endpoint"),
        ("messageEndpoint", "transport.options.messageEndpoint"),
        ("mcpEndpoint", "transport.options.mcpEndpoint"),
        ("sessions", "transport.options.sessions"),
        ("resumability", "transport.options.resumability"),
        ("cors", "transport.options.cors"),
        ("auth", "transport.options.auth"),
        ("publicUrl", "transport.options.publicUrl"),
        ("allowedHosts", "transport.options.allowedHosts"),
        ("limits", "transport.options.limits"),
        ("allowOrigins", "transport.options.cors.allowOrigins"),
    ];
    let place = PLACES.iter().find(|(known, _)| *known == name);
    place.map(|(_, path)| *path).or_else(|| limits::path_of(name))
}

fn narrowed(http: SseOptions, endpoint: String) -> HttpStreamOptions {
    HttpStreamOptions {
        port: http.port,
        host: http.host,
        endpoint,
        sessions: http.sessions,
        resumability: http.resumability,
        cors: http.cors,
        auth: http.auth,
        public_url: http.public_url,
        allowed_hosts: http.allowed_hosts,
        limits: http.limits,
        health_endpoint: http.health_endpoint,
    }
}
