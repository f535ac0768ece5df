//! `#[mcp_tool]`: a function that models call.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::Expr;

use super::{
    call::{Scope, closure, takes},
    diagnostics::Errors,
    entry::{Words, parameters},
    options::{At, Options},
    parameter::Parameter,
    paths::{Runtime, hygienic},
    signature::{Function, Handler, Kind},
};

pub(crate) const KEYS: [&str; 18] = [
    "name",
    "title",
    "description",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "scopes",
    "icons",
    "output_schema",
    "input_schema",
    "timeout",
    "task",
    "blocking",
    "strict",
    "ttl",
    "cache_scope",
    "crate",
];

/// A tool, checked.
pub(crate) struct Tool {
    pub(crate) words: Words,
    handler: Handler,
    parameters: Vec<Parameter>,
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
    open_world: Option<bool>,
    output_schema: Option<bool>,
    input_schema: Option<Expr>,
    timeout: Option<u64>,
    /// Whether calls must be tasks, rather than may.
    task: Option<bool>,
    blocking: bool,
    strict: bool,
    cache: Cache,
}

/// How long and by whom a result may be kept.
pub(crate) struct Cache {
    ttl: Option<u64>,
    public: Option<bool>,
}

impl Tool {
    pub(crate) fn validate(keys: TokenStream, function: &Function) -> Result<Self, Errors> {
        let mut errors = Errors::default();
        let mut options = Options::parse("mcp_tool", &KEYS, keys, &mut errors);
        let handler = Handler::validate(function, Kind::Tool, &mut errors);
        let parameters = parameters(&handler, Kind::Tool, &mut errors);
        check_headers(&parameters, &mut errors);
        let described = options.key("description").is_some();
        let words = Words::validate(&mut options, Kind::Tool, &handler, &mut errors);
        if words.description.is_none() && !described && !options.may_have_meant("description") {
            errors.at(
                handler.ident.span(),
                "a tool needs a description, by which models choose it; write a doc comment (`/// …`) above the function",
            );
        }
        let blocking = options.flag("blocking", &mut errors).filter(|flag| flag.value);
        if let Some(flag) = &blocking
            && handler.is_async
        {
            errors.at(
                flag.span,
                "`blocking` is for plain functions, and this one is async; remove `blocking`, or `async`",
            );
        }
        let timeout = options.duration("timeout", &mut errors);
        if let Some(timeout) = timeout.as_ref().filter(|timeout| timeout.value == 0) {
            errors.at(timeout.span, "a `timeout` of nothing lets no call end; write a longer one, or remove it");
        }
        let mut flag = |key| options.flag(key, &mut errors).map(|flag| flag.value);
        let (read_only, idempotent, strict) = (flag("read_only"), flag("idempotent"), flag("strict"));
        let task = options.flag_or_choice("task", "required", &mut errors);
        let destructive = options.boolean("destructive", &mut errors);
        if let (Some(true), Some(At { value: true, span })) = (read_only, &destructive) {
            errors.at(
                *span,
                "`read_only` says that the tool changes nothing, and `destructive = true` that it may destroy; remove one of them",
            );
        }
        let mut truth = |key| options.boolean(key, &mut errors).map(|value| value.value);
        let (open_world, output_schema) = (truth("open_world"), truth("output_schema"));
        let tool = Self {
            words,
            handler,
            parameters,
            read_only,
            destructive: destructive.map(|destructive| destructive.value),
            idempotent,
            open_world,
            output_schema,
            input_schema: options.expression("input_schema", &mut errors),
            timeout: timeout.map(|timeout| timeout.value),
            task,
            blocking: blocking.is_some(),
            strict: strict.unwrap_or(false),
            cache: Cache::validate(&mut options, &mut errors),
        };
        if errors.is_empty() { Ok(tool) } else { Err(errors) }
    }

    pub(crate) fn expand(&self, scope: Scope, runtime: &Runtime) -> TokenStream {
        let Self {
            words,
            handler,
            parameters,
            read_only,
            destructive,
            idempotent,
            open_world,
            output_schema,
            input_schema,
            timeout,
            task,
            blocking,
            strict,
            cache,
        } = self;
        let span = hygienic(handler.ident.span());
        let takes = takes(handler, parameters);
        let closure = closure(handler, parameters, &takes, |_| false, *blocking, scope, runtime);
        let (name, description) = (&words.name, &words.description);
        let (words, runtime) = (words.expand(span), runtime.at(span));
        let read_only = read_only.iter();
        let destructive = destructive.iter();
        let idempotent = idempotent.iter();
        let open_world = open_world.iter();
        let output_schema = output_schema.iter();
        let input_schema = input_schema.iter();
        let timeout = timeout.iter();
        let task = task.iter();
        let strict = strict.then(|| quote_spanned!(span=> .strict(true)));
        let cache = cache.expand(span);
        quote_spanned! {span=>
            #runtime::Tool::new(#name, #description, #closure)
                #words
                #(.read_only(#read_only))* #(.destructive(#destructive))* #(.idempotent(#idempotent))*
                #(.open_world(#open_world))* #(.output_schema(#output_schema))* #(.input_schema(|| #input_schema))*
                #(.timeout_millis(#timeout))* #(.task_required(#task))* #strict #cache
        }
    }
}

impl Cache {
    pub(crate) fn validate(options: &mut Options, errors: &mut Errors) -> Self {
        let scope = options.choice("cache_scope", &["public", "private"], errors);
        Self {
            ttl: options.duration("ttl", errors).map(|ttl| ttl.value),
            public: scope.map(|scope| scope.value == "public"),
        }
    }

    pub(crate) fn expand(&self, span: proc_macro2::Span) -> TokenStream {
        let (ttl, public) = (self.ttl.iter(), self.public.iter());
        quote_spanned!(span=> #(.ttl_millis(#ttl))* #(.public_cache(#public))*)
    }
}

/// Header names are compared without regard to case.
fn check_headers(parameters: &[Parameter], errors: &mut Errors) {
    let headers: Vec<_> = parameters.iter().filter_map(|parameter| parameter.header.as_ref()).collect();
    for (index, header) in headers.iter().enumerate() {
        let name = header.value();
        if headers[..index].iter().any(|earlier| earlier.value().eq_ignore_ascii_case(&name)) {
            errors.at(header.span(), format_args!("two parameters have the header `{name}`; rename one"));
        }
    }
}
