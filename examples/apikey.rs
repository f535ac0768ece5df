//! A server that asks for an API key: the attribute says so, a file says which keys there are and what each may do.
//!
//! From a clone, with `curl` and `openssl`: make two keys, start it, call its tools. (Where all keys may do the same,
//! `MCP_API_KEYS=first,second` is enough.)
//!
//! ```sh
//! # Two keys. The server gets their digests alone, so that whoever reads its file learns no key.
//! dir=$(mktemp -d)
//! reader=$(openssl rand -hex 24) writer=$(openssl rand -hex 24)
//! digest() { printf %s "$1" | openssl dgst -sha256 -r | cut -d ' ' -f 1; }
//! cat >"$dir/options.json" <<END
//! {"transport": {"type": "sse", "options": {"auth": {"type": "apikey", "options": {"keys": [
//!     {"id": "reader", "sha256": "$(digest "$reader")"},
//!     {"id": "writer", "sha256": "$(digest "$writer")", "scopes": ["write"], "expiresAt": "2099-12-31T00:00:00Z"}
//! ]}}}}}
//! END
//!
//! # The server, at any free port.
//! cargo run --quiet --example apikey -- --config "$dir/options.json" --port 0 2>"$dir/log" &
//! until url=$(sed -n 's/^listening on //p' "$dir/log" | grep .); do sleep 0.1; done
//!
//! # A stream, on which the answers come; its first event says where messages go.
//! curl -sN -H "X-API-Key: $writer" "$url/sse" >"$dir/stream" &
//! until endpoint=$(sed -n 's/^data: \(\/.*\)/\1/p' "$dir/stream" | grep .); do sleep 0.1; done
//!
//! json='Content-Type: application/json'
//! say() { curl -s -H "X-API-Key: $writer" -H "$json" -d "$1" "$url$endpoint"; }
//! hear() { until sed -n 's/^data: //p' "$dir/stream" | grep "\"id\":$1,"; do sleep 0.1; done; }
//!
//! client='"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"curl","version":"1"}'
//! say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'"$client"'}}' && hear 1 >"$dir/hello"
//! say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
//! say '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami"}}' && hear 2
//! say '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write","arguments":{"text":"hi"}}}' && hear 3
//!
//! # No other key has a part in this session, and no guess opens anything.
//! curl -s -H "X-API-Key: $reader" -H "$json" -d '{"jsonrpc":"2.0","id":4,"method":"ping"}' "$url$endpoint" && echo
//! curl -s -H "X-API-Key: guess" "$url/sse" && echo
//! kill %1 %2
//! ```
//!
//! ```text
//! {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"writer by apikey, who may write"}]}}
//! {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"2 bytes written"}]}}
//! {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"there is no such session"}}
//! {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the key is not known"}}
//! ```

use mcp_runtime::prelude::*;

/// Knows who calls.
#[mcp_server(name = "guarded-by-key", version = "1.0.0", transport = "sse", auth = "apikey")]
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
