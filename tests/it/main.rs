//! Each case of the protocol once, over every transport at every version.

#![allow(missing_docs, reason = "a test binary")]

mod advertised;
mod architecture;
mod arguments;
mod ask;
mod auth;
mod batches;
mod calls;
mod changes;
mod completion;
mod every_field;
mod fixture;
mod isolation;
mod jsonrpc;
mod lifecycle;
mod limits;
mod listener;
mod lists;
mod options;
mod process;
mod prompts;
mod resources;
mod resuming;
mod schemas;
mod stateless;
mod streamable;
mod tasks;
mod tools;
mod visitor;

use mcp_runtime::McpServer;
use mcp_test_support::{Listening, Running, STATELESS, Transport, Wire};

/// A connected client at one version, over one transport.
pub(crate) struct Case {
    pub(crate) wire: Wire,
    pub(crate) transport: Transport,
    pub(crate) version: &'static str,
    /// What the case is, for messages.
    pub(crate) name: String,
}

/// Runs a case over every transport at every version, each on a server of its own; over HTTP also in an application.
pub(crate) async fn everywhere(case: impl AsyncFn(&mut Case)) {
    everywhere_on(fixture::server, async |wired, _| case(wired).await).await;
}

/// The same on another server than the fixture.
pub(crate) async fn everywhere_on(server: fn() -> McpServer, case: impl AsyncFn(&mut Case, &Running)) {
    for transport in Transport::ALL {
        for (version, listening) in ways(transport) {
            let running = Running::start_as(transport, listening, server).await;
            let wire = running.connect_as(version).await;
            let name = format!("{transport:?} at {version}, {listening:?}");
            case(&mut Case { wire, transport, version, name }, &running).await;
        }
    }
}

/// Each version of a transport, served in each way.
fn ways(transport: Transport) -> impl Iterator<Item = (&'static str, Listening)> {
    transport.versions().flat_map(move |version| Listening::over(transport).iter().map(move |way| (version, *way)))
}

impl Case {
    /// Whether each request speaks for itself.
    pub(crate) fn is_stateless(&self) -> bool {
        self.version == STATELESS
    }

    /// What the parameters of a request begin with as text.
    pub(crate) fn meta_text(&self) -> &'static str {
        if self.is_stateless() {
            r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"#
        } else {
            ""
        }
    }

    /// Whether this case's version is `version` or newer.
    pub(crate) fn since(&self, version: &str) -> bool {
        self.version >= version
    }
}
