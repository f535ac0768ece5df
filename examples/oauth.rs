//! A server that takes the access tokens of an OAuth 2.1 provider: the attribute says so, the environment says whose.
//!
//! From a clone, with `curl` and Node.js: start a provider to try things out with (npm's oidc-provider), start the
//! server, get a token as a client that acts for itself, call its tools.
//!
//! ```sh
//! # A provider on this machine; clients, and what they may ask for, are in tests/oauth/clients.mjs.
//! dir=$(mktemp -d)
//! tests/oauth/run --provider >"$dir/provider" &
//! until issuer=$(sed -n 's/^provider \([^ ]*\).*/\1/p' "$dir/provider" | grep .); do sleep 0.1; done
//!
//! # The server, at any free port; at the provider it is a client, too, which may ask about tokens.
//! export MCP_OAUTH_ISSUER_URL=$issuer MCP_OAUTH_SCOPES=mcp:use
//! export MCP_OAUTH_CLIENT_ID=example MCP_OAUTH_CLIENT_SECRET=example-secret
//! cargo run --quiet --example oauth -- --port 0 2>"$dir/log" &
//! until url=$(sed -n 's/^listening on //p' "$dir/log" | grep .); do sleep 0.1; done
//!
//! # Where the tokens of this server come from is told to whoever asks.
//! curl -s "$url/.well-known/oauth-protected-resource/sse" | sed "s#$url#SERVER#; s#$issuer#PROVIDER#" && echo
//!
//! # A token for this server.
//! answer=$(curl -s -u caller:caller-secret -d grant_type=client_credentials -d scope=mcp:use \
//!     -d "resource=$url/sse" "$issuer/token")
//! token=$(printf %s "$answer" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
//!
//! # A stream, on which the answers come; its first event says where messages go.
//! curl -sN -H "Authorization: Bearer $token" "$url/sse" >"$dir/stream" &
//! until endpoint=$(sed -n 's/^data: \(\/.*\)/\1/p' "$dir/stream" | grep .); do sleep 0.1; done
//!
//! json='Content-Type: application/json'
//! say() { curl -s -H "Authorization: Bearer $token" -H "$json" -d "$1" "$url$endpoint"; }
//! hear() { until sed -n 's/^data: //p' "$dir/stream" | grep "\"id\":$1,"; do sleep 0.1; done; }
//!
//! client='"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"curl","version":"1"}'
//! say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'"$client"'}}' && hear 1 >"$dir/hello"
//! say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
//! say '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami"}}' && hear 2
//! say '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"administrate"}}' && echo
//! kill %1 %2 %3
//! ```
//!
//! The second tool asks for a scope that the token lacks, and refuses by status; its `WWW-Authenticate` names the scopes
//! to ask the provider for:
//!
//! ```text
//! {"authorization_servers":["PROVIDER"],"bearer_methods_supported":["header"],"resource":"SERVER/sse","scopes_supported":["mcp:use"]}
//! {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"caller by oauth, who may mcp:use"}]}}
//! {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"this takes the scopes admin"}}
//! ```

use mcp_runtime::prelude::*;

/// Knows who calls.
#[mcp_server(name = "guarded-by-oauth", version = "1.0.0", transport = "sse", auth = "oauth")]
mod guarded {
    use mcp_runtime::Principal;

    /// Says who calls
    #[mcp_tool(read_only)]
    fn whoami(caller: Principal) -> String {
        let who = caller.subject().unwrap_or("somebody");
        format!("{who} by {}, who may {}", caller.method(), caller.scopes().join(" and "))
    }

    /// Does what only administrators may do
    #[mcp_tool(scopes("admin"))]
    fn administrate() -> &'static str {
        "administrated"
    }
}

fn main() -> Result<(), Error> {
    guarded::server().run_blocking()
}
