//! What annotated functions state about themselves: constant tables that the macros write and the registry reads.

use std::{fmt, sync::Arc, time::Duration};

use super::{
    arguments::{PromptCall, ResourceCall, ToolCall},
    outcome::Step,
};
use crate::protocol::{CallToolResult, GetPromptResult, ReadResourceResult, Role, TaskSupport};

/// All that an annotated block or module states about its server.
#[derive(Debug)]
pub struct Definition<S: 'static> {
    /// The type or the module, as people know it.
    pub part: &'static str,
    /// The server itself and the options of its attribute.
    pub server: Server,
    /// Its tools, in source order.
    pub tools: &'static [Tool<S>],
    /// Its resources and templates, in source order.
    pub resources: &'static [Resource<S>],
    /// Its prompts, in source order.
    pub prompts: &'static [Prompt<S>],
}

/// What the type of an annotated block must be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a server: its calls run at the same time, on several threads",
    label = "not `Send + Sync + 'static`",
    note = "every field must be `Send` and `Sync`: `Arc` instead of `Rc`, a `Mutex` or an atomic instead of `RefCell` or `Cell`"
)]
pub trait ServerState: Sized {
    /// The type itself. Named through the trait, it is unknown where the trait is not implemented, and the compiler
    /// says nothing more about the tables that are made for it.
    type This: Send + Sync + 'static;

    /// The server behind an `Arc`.
    fn share(self) -> Arc<Self::This>;
}

#[diagnostic::do_not_recommend]
impl<S: Send + Sync + 'static> ServerState for S {
    type This = S;

    fn share(self) -> Arc<S> {
        Arc::new(self)
    }
}

/// The server of an annotated block, for all its calls to share.
pub fn share<S: ServerState>(server: S) -> Arc<S::This> {
    server.share()
}

/// What a method may have as its receiver, beside `&self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the receiver of a tool, resource or prompt",
    label = "not `Arc<Self>`",
    note = "take `&self`, or `self: Arc<Self>` to keep the server for longer than the call"
)]
pub trait Receiver<S> {
    /// One more handle to the server.
    fn of(server: &Arc<S>) -> Self;
}

impl<S> Receiver<S> for Arc<S> {
    fn of(server: &Self) -> Self {
        Self::clone(server)
    }
}

/// The receiver that a method asks for.
pub fn receive<R: Receiver<S>, S>(server: &Arc<S>) -> R {
    R::of(server)
}

/// What `#[mcp_server(…)]` says of the server as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Server {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) instructions: Option<&'static str>,
    pub(crate) website_url: Option<&'static str>,
    pub(crate) icons: &'static [&'static str],
    pub(crate) full_schemas: bool,
    pub(crate) transport: Option<&'static str>,
    pub(crate) auth: Option<&'static str>,
    pub(crate) port: Option<u16>,
    pub(crate) endpoint: Option<&'static str>,
    pub(crate) message_endpoint: Option<&'static str>,
    pub(crate) resumability: bool,
    pub(crate) cors: Option<&'static [&'static str]>,
}

/// One tool: its words, its hints, and how to call it.
pub struct Tool<S: 'static> {
    pub(crate) spec: ToolSpec,
    pub(crate) call: fn(&Arc<S>, ToolCall<'_>) -> Step<CallToolResult>,
}

/// What `#[mcp_tool(…)]` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: &'static str,
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    pub(crate) scopes: &'static [&'static str],
    pub(crate) icons: &'static [&'static str],
    pub(crate) output_schema: Option<bool>,
    pub(crate) input_schema: Option<fn() -> serde_json::Value>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) task: Option<TaskSupport>,
    pub(crate) strict: bool,
    pub(crate) ttl: Option<Duration>,
    pub(crate) public_cache: Option<bool>,
}

/// One resource, or a family of them.
pub struct Resource<S: 'static> {
    pub(crate) spec: ResourceSpec,
    pub(crate) call: fn(&Arc<S>, ResourceCall<'_>) -> Step<ReadResourceResult>,
}

/// What `#[mcp_resource(…)]` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceSpec {
    pub(crate) uri: &'static str,
    pub(crate) segments: &'static [Segment],
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) mime_type: Option<&'static str>,
    pub(crate) size: Option<u64>,
    pub(crate) scopes: &'static [&'static str],
    pub(crate) icons: &'static [&'static str],
    pub(crate) audience: &'static [Role],
    pub(crate) priority: Option<f64>,
    pub(crate) ttl: Option<Duration>,
    pub(crate) public_cache: Option<bool>,
}

/// A part of a URI template, found by the macro, so that the runtime never parses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Text that stands in the URI as it is.
    Literal(&'static str),
    /// `{name}`: one path segment at most.
    Variable(&'static str),
    /// `{+name}`: anything, slashes too.
    Reserved(&'static str),
}

/// One prompt.
pub struct Prompt<S: 'static> {
    pub(crate) spec: PromptSpec,
    pub(crate) call: fn(&Arc<S>, PromptCall<'_>) -> Step<GetPromptResult>,
}

/// What `#[mcp_prompt(…)]` says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PromptSpec {
    pub(crate) name: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) description: Option<&'static str>,
    pub(crate) scopes: &'static [&'static str],
    pub(crate) icons: &'static [&'static str],
}

/// What is said of one parameter; its type comes with the call.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) description: Option<&'static str>,
    pub(crate) flatten: bool,
    pub(crate) has_default: bool,
    pub(crate) default_json: Option<&'static str>,
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_minimum: Option<f64>,
    pub(crate) exclusive_maximum: Option<f64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<&'static str>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) format: Option<&'static str>,
    pub(crate) header: Option<&'static str>,
    pub(crate) complete: Option<super::completion::Completer>,
}

impl Segment {
    /// Whether this is the variable of that name.
    pub(crate) fn is(self, variable: &str) -> bool {
        matches!(self, Self::Variable(name) | Self::Reserved(name) if name == variable)
    }
}

impl<S: 'static> Tool<S> {
    /// A tool of that name and description.
    pub const fn new(
        name: &'static str,
        description: &'static str,
        call: fn(&Arc<S>, ToolCall<'_>) -> Step<CallToolResult>,
    ) -> Self {
        let spec = ToolSpec {
            name,
            title: None,
            description,
            read_only: None,
            destructive: None,
            idempotent: None,
            open_world: None,
            scopes: &[],
            icons: &[],
            output_schema: None,
            input_schema: None,
            timeout: None,
            task: None,
            strict: false,
            ttl: None,
            public_cache: None,
        };
        Self { spec, call }
    }
}

impl<S: 'static> Resource<S> {
    /// A resource at `uri`, whose parts are `segments`.
    pub const fn new(
        uri: &'static str,
        segments: &'static [Segment],
        name: &'static str,
        call: fn(&Arc<S>, ResourceCall<'_>) -> Step<ReadResourceResult>,
    ) -> Self {
        let spec = ResourceSpec {
            uri,
            segments,
            name,
            title: None,
            description: None,
            mime_type: None,
            size: None,
            scopes: &[],
            icons: &[],
            audience: &[],
            priority: None,
            ttl: None,
            public_cache: None,
        };
        Self { spec, call }
    }
}

impl<S: 'static> Prompt<S> {
    /// A prompt of that name.
    pub const fn new(name: &'static str, call: fn(&Arc<S>, PromptCall<'_>) -> Step<GetPromptResult>) -> Self {
        let spec = PromptSpec { name, title: None, description: None, scopes: &[], icons: &[] };
        Self { spec, call }
    }
}

impl Server {
    /// A server of that name and version.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            version,
            title: None,
            description: None,
            instructions: None,
            website_url: None,
            icons: &[],
            full_schemas: false,
            transport: None,
            auth: None,
            port: None,
            endpoint: None,
            message_endpoint: None,
            resumability: false,
            cors: None,
        }
    }
}

impl Parameter {
    /// A parameter of that name.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            description: None,
            flatten: false,
            has_default: false,
            default_json: None,
            minimum: None,
            maximum: None,
            exclusive_minimum: None,
            exclusive_maximum: None,
            min_length: None,
            max_length: None,
            pattern: None,
            min_items: None,
            max_items: None,
            format: None,
            header: None,
            complete: None,
        }
    }
}

/// `const` setters, one a key: `set!(Type<…>.spec { key: Type => |value| stored })`.
macro_rules! setters {
    ($( $(#[$doc:meta])* $name:ident: $ty:ty => $field:ident = $value:expr; )*) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $name: $ty) -> Self {
            self.$field = $value;
            self
        }
    )* };
    (spec $( $(#[$doc:meta])* $name:ident: $ty:ty => $field:ident = $value:expr; )*) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $name: $ty) -> Self {
            self.spec.$field = $value;
            self
        }
    )* };
}

impl<S: 'static> Tool<S> {
    setters! { spec
        /// `title`
        title: &'static str => title = Some(title);
        /// `read_only`
        read_only: bool => read_only = Some(read_only);
        /// `destructive`
        destructive: bool => destructive = Some(destructive);
        /// `idempotent`
        idempotent: bool => idempotent = Some(idempotent);
        /// `open_world`
        open_world: bool => open_world = Some(open_world);
        /// `scopes`
        scopes: &'static [&'static str] => scopes = scopes;
        /// `icons`
        icons: &'static [&'static str] => icons = icons;
        /// `output_schema`
        output_schema: bool => output_schema = Some(output_schema);
        /// `input_schema`
        input_schema: fn() -> serde_json::Value => input_schema = Some(input_schema);
        /// `timeout`, in milliseconds
        timeout_millis: u64 => timeout = Some(Duration::from_millis(timeout_millis));
        /// `task`: whether its calls must be tasks, rather than may
        task_required: bool => task = Some(if task_required { TaskSupport::Required } else { TaskSupport::Optional });
        /// `strict`
        strict: bool => strict = strict;
        /// `ttl`, in milliseconds
        ttl_millis: u64 => ttl = Some(Duration::from_millis(ttl_millis));
        /// `cache_scope = "public"`
        public_cache: bool => public_cache = Some(public_cache);
    }
}

impl<S: 'static> Resource<S> {
    setters! { spec
        /// `title`
        title: &'static str => title = Some(title);
        /// `description`
        description: &'static str => description = Some(description);
        /// `mime_type`
        mime_type: &'static str => mime_type = Some(mime_type);
        /// `size`, in bytes
        size: u64 => size = Some(size);
        /// `scopes`
        scopes: &'static [&'static str] => scopes = scopes;
        /// `icons`
        icons: &'static [&'static str] => icons = icons;
        /// `annotations(audience)`
        audience: &'static [Role] => audience = audience;
        /// `annotations(priority)`
        priority: f64 => priority = Some(priority);
        /// `ttl`, in milliseconds
        ttl_millis: u64 => ttl = Some(Duration::from_millis(ttl_millis));
        /// `cache_scope = "public"`
        public_cache: bool => public_cache = Some(public_cache);
    }
}

impl<S: 'static> Prompt<S> {
    setters! { spec
        /// `title`
        title: &'static str => title = Some(title);
        /// `description`
        description: &'static str => description = Some(description);
        /// `scopes`
        scopes: &'static [&'static str] => scopes = scopes;
        /// `icons`
        icons: &'static [&'static str] => icons = icons;
    }
}

impl Server {
    setters! {
        /// `title`
        title: &'static str => title = Some(title);
        /// `description`
        description: &'static str => description = Some(description);
        /// `instructions`
        instructions: &'static str => instructions = Some(instructions);
        /// `website_url`
        website_url: &'static str => website_url = Some(website_url);
        /// `icons`
        icons: &'static [&'static str] => icons = icons;
        /// `profile = "full"`
        full_schemas: bool => full_schemas = full_schemas;
        /// `transport`
        transport: &'static str => transport = Some(transport);
        /// `auth`
        auth: &'static str => auth = Some(auth);
        /// `port`
        port: u16 => port = Some(port);
        /// `endpoint`
        endpoint: &'static str => endpoint = Some(endpoint);
        /// `message_endpoint`
        message_endpoint: &'static str => message_endpoint = Some(message_endpoint);
        /// `resumability`
        resumability: bool => resumability = resumability;
        /// `cors`
        cors: &'static [&'static str] => cors = Some(cors);
    }
}

impl Parameter {
    setters! {
        /// `description`, or the parameter's doc comment
        description: &'static str => description = Some(description);
        /// `flatten`
        flatten: bool => flatten = flatten;
        /// There is a `default`.
        has_default: bool => has_default = has_default;
        /// A literal `default` as JSON, for the schema
        default_json: &'static str => default_json = Some(default_json);
        /// `minimum`
        minimum: f64 => minimum = Some(minimum);
        /// `maximum`
        maximum: f64 => maximum = Some(maximum);
        /// `exclusive_minimum`
        exclusive_minimum: f64 => exclusive_minimum = Some(exclusive_minimum);
        /// `exclusive_maximum`
        exclusive_maximum: f64 => exclusive_maximum = Some(exclusive_maximum);
        /// `min_length`, in characters
        min_length: u64 => min_length = Some(min_length);
        /// `max_length`, in characters
        max_length: u64 => max_length = Some(max_length);
        /// `pattern`
        pattern: &'static str => pattern = Some(pattern);
        /// `min_items`
        min_items: u64 => min_items = Some(min_items);
        /// `max_items`
        max_items: u64 => max_items = Some(max_items);
        /// `format`
        format: &'static str => format = Some(format);
        /// `header`
        header: &'static str => header = Some(header);
        /// `complete`
        complete: super::completion::Completer => complete = Some(complete);
    }
}

impl<S: 'static> fmt::Debug for Tool<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl<S: 'static> fmt::Debug for Resource<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl<S: 'static> fmt::Debug for Prompt<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}
