//! The four attribute macros of `mcp-runtime`, which re-exports them; use them from there.

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
mod signature;
mod tool;
mod uri_template;

use proc_macro::TokenStream;
use signature::Kind;

/// Makes a function a tool: something that models call.
///
/// The function stays as it is. Beside it stands a type of the same name, by which a server takes it:
/// `McpServer::new(options).tool::<add>()`. In a block or a module under `#[mcp_server]` the attribute needs no import,
/// and nothing is to be registered.
///
/// ```text
/// /// Forecast for a city.
/// #[mcp_tool(read_only)]
/// async fn forecast(
///     /// City, e.g. `Paris`
///     city: String,
///     #[mcp(default = 3, minimum = 1, maximum = 7)] days: u8,
/// ) -> Result<Json<Forecast>, ToolError> { … }
/// ```
///
/// | key | meaning |
/// |---|---|
/// | `name = "…"` | its name (the function's); letters, digits, `_` and `-`, 64 at most |
/// | `title = "…"` | its name for people |
/// | `description = "…"` | by what models choose it (the doc comment); there must be one |
/// | `read_only`, `idempotent`, `destructive = bool`, `open_world = bool` | hints for clients |
/// | `scopes("…", …)` | what the caller must be allowed |
/// | `icons = ["…"]` | URIs, `https:` or `data:` |
/// | `input_schema = value` | a JSON value that is sent as it is, in place of the schema of the parameters |
/// | `output_schema = false` | tells nothing of the structured content |
/// | `timeout = "30s"` | when a call is given up; `ms`, `s`, `m`, `h` |
/// | `task`, `task = "required"` | calls may, or must, go on as tasks, where the client can deal with them |
/// | `blocking` | the function runs on the pool of blocking threads |
/// | `strict` | arguments are not mended: `"5"` is no 5 |
/// | `ttl = "30s"`, `cache_scope = "public"` | how long, and by whom, a result may be kept |
/// | `crate = ::path` | where `mcp_runtime` is found |
///
/// Every parameter is an argument, unless its type is taken from the context of the call. On a parameter:
///
/// | key of `#[mcp(…)]` | meaning |
/// |---|---|
/// | `name`, `description` | its name, and what it is (the parameter's doc comment) |
/// | `default`, `default = value` | what stands in for it |
/// | `minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum` | bounds of a number |
/// | `min_length`, `max_length`, `pattern` | bounds of a text |
/// | `min_items`, `max_items` | bounds of a list |
/// | `format = "…"` | the `format` of its schema |
/// | `flatten` | the fields of its type are the arguments |
/// | `header = "Name"` | the HTTP header that repeats it |
/// | `complete = function` | what completes it, in prompts and templates: `fn(&str) -> Vec<String>`, sync or async; `fn(&CompletionRequest)` where the other arguments matter. A type whose `JsonSchema` lists its values needs none |
#[proc_macro_attribute]
pub fn mcp_tool(keys: TokenStream, item: TokenStream) -> TokenStream {
    entry::lone(Kind::Tool, keys.into(), item.into()).into()
}

/// Makes a function a resource: something that is read by its URI.
///
/// ```text
/// #[mcp_resource(uri = "weather://{city}/current", mime_type = "application/json")]
/// async fn current(city: String) -> Result<Json<Observation>, ResourceError> { … }
/// ```
///
/// | key | meaning |
/// |---|---|
/// | `uri = "…"` | its URI, or a template: `{name}` is one segment of a path, `{+name}` any text |
/// | `name`, `title`, `description`, `scopes`, `icons`, `ttl`, `cache_scope`, `crate` | as of [`macro@mcp_tool`] |
/// | `mime_type = "…"`, `size = bytes` | what is known of its contents |
/// | `annotations(audience = ["user"], priority = 0.5)` | for whom it is, and how much it matters |
///
/// Every variable of the template is a parameter; what else is a parameter is taken from the context of the call.
#[proc_macro_attribute]
pub fn mcp_resource(keys: TokenStream, item: TokenStream) -> TokenStream {
    entry::lone(Kind::Resource, keys.into(), item.into()).into()
}

/// Makes a function a prompt: messages that people choose.
///
/// ```text
/// /// What to pack.
/// #[mcp_prompt(title = "Packing")]
/// fn packing(city: String, days: Option<u8>) -> String { … }
/// ```
///
/// The keys are `name`, `title`, `description`, `scopes`, `icons` and `crate`, as of [`macro@mcp_tool`]; those of a
/// parameter are `name`, `description`, `default` and `complete`. Arguments are text, and their types read it.
#[proc_macro_attribute]
pub fn mcp_prompt(keys: TokenStream, item: TokenStream) -> TokenStream {
    entry::lone(Kind::Prompt, keys.into(), item.into()).into()
}

/// Makes the annotated functions of an `impl` block, or of an inline module, a server.
///
/// ```text
/// /// Weather for travellers.
/// #[mcp_server(transport = "sse", auth = "jwt")]
/// impl Weather {
///     /// Forecast for a city.
///     #[mcp_tool]
///     async fn forecast(&self, city: String) -> String { … }
/// }
/// ```
///
/// A block gets a method `into_server(self)`, a module a function `server()`; both give an `McpServer`.
///
/// | key | meaning |
/// |---|---|
/// | `name = "…"`, `version = "…"` | the server's (the package's) |
/// | `title = "…"`, `description = "…"`, `website_url = "…"`, `icons = ["…"]` | for people |
/// | `instructions = "…"` | for models (the doc comment) |
/// | `profile = "portable"` or `"full"` | schemas that any client reads, or with everything in them |
/// | `transport = "stdio"`, `"sse"` or `"http-stream"` | how it is served, unless the options say otherwise |
/// | `auth = "jwt"`, `"apikey"` or `"oauth"` | who may call; keys and secrets are given at run time |
/// | `port = 8080`, `endpoint = "/sse"`, `message_endpoint = "/messages"` | where the listener is |
/// | `resumability` | a client of Streamable HTTP that lost its stream gets what it missed |
/// | `cors = ["https://…"]` | the websites that may call |
/// | `crate = ::path` | where `mcp_runtime` is found, for all functions within |
#[proc_macro_attribute]
pub fn mcp_server(keys: TokenStream, item: TokenStream) -> TokenStream {
    server::expand(keys.into(), item.into()).into()
}
