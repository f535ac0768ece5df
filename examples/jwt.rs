//! A server that asks for a JWT: the attribute says so, the environment says whose.
//!
//! From a clone, with `curl` and `openssl`: start it, make a token, call its tools.
//!
//! ```sh
//! # A secret that this server shares with whoever gives out tokens, and what tokens must say.
//! export MCP_JWT_ALGORITHMS=HS256 MCP_JWT_SECRET=$(openssl rand -hex 32)
//! export MCP_JWT_ISSUER=https://issuer.example.com MCP_JWT_AUDIENCE=https://mcp.example.com
//!
//! # The server, at any free port.
//! dir=$(mktemp -d)
//! cargo run --quiet --example jwt -- --port 0 2>"$dir/log" &
//! until url=$(sed -n 's/^listening on //p' "$dir/log" | grep .); do sleep 0.1; done
//!
//! # A token for Ada that lasts an hour: header, claims, signature.
//! base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
//! expiry=$(($(date +%s) + 3600))
//! claims='{"iss":"'$MCP_JWT_ISSUER'","aud":"'$MCP_JWT_AUDIENCE'","sub":"ada","scope":"read","exp":'$expiry'}'
//! message=$(printf '{"alg":"HS256","typ":"JWT"}' | base64url).$(printf %s "$claims" | base64url)
//! token=$message.$(printf %s "$message" | openssl dgst -sha256 -hmac "$MCP_JWT_SECRET" -binary | base64url)
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
//! say '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write","arguments":{"text":"hi"}}}' && echo
//! kill %1 %2
//! ```
//!
//! The second tool asks for a scope that the token lacks, and refuses by status:
//!
//! ```text
//! {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"ada by jwt, who may read"}]}}
//! {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"this takes the scopes write"}}
//! ```

use mcp_runtime::prelude::*;

/// Knows who calls.
#[mcp_server(name = "guarded-by-jwt", version = "1.0.0", transport = "sse", auth = "jwt")]
mod guarded {
    use mcp_runtime::Principal;

    /// Says who calls
    #[mcp_tool(read_only)]
    fn whoami(caller: Principal) -> String {
        let who = caller.subject().unwrap_or("somebody");
        format!("{who} by {}, who may {}", caller.method(), caller.scopes().join(" and "))
    }

    /// Writes a text down, for those who may write
    #[mcp_tool(scopes("write"))]
    fn write(text: String) -> String {
        format!("{} bytes written", text.len())
    }
}

fn main() -> Result<(), Error> {
    guarded::server().run_blocking()
}
