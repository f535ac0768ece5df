//! The four attribute macros of `mcp-runtime`, which re-exports them; use them from there.

mod attributes;
mod block;
mod call;
mod description;
mod diagnostics;
mod entry;
mod fallback;
mod options;
mod parameter;
mod paths;
mod prompt;
mod resource;
mod server;
mod server_options;
mod signature;
mod tool;
mod uri_template;

use proc_macro::TokenStream;
use signature::Kind;

#[doc = include_str!("../docs/mcp_tool.md")]
#[proc_macro_attribute]
pub fn mcp_tool(keys: TokenStream, item: TokenStream) -> TokenStream {
    entry::lone(Kind::Tool, keys.into(), item.into()).into()
}

#[doc = include_str!("../docs/mcp_resource.md")]
#[proc_macro_attribute]
pub fn mcp_resource(keys: TokenStream, item: TokenStream) -> TokenStream {
    entry::lone(Kind::Resource, keys.into(), item.into()).into()
}

#[doc = include_str!("../docs/mcp_prompt.md")]
#[proc_macro_attribute]
pub fn mcp_prompt(keys: TokenStream, item: TokenStream) -> TokenStream {
    entry::lone(Kind::Prompt, keys.into(), item.into()).into()
}

#[doc = include_str!("../docs/mcp_server.md")]
#[proc_macro_attribute]
pub fn mcp_server(keys: TokenStream, item: TokenStream) -> TokenStream {
    server::expand(keys.into(), item.into()).into()
}
