//! `#[mcp_resource]`: a function that reads what stands behind a URI, or behind a family of URIs.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::LitStr;

use super::{
    call::{Scope, closure, taken},
    diagnostics::{Errors, nearest},
    entry::{Words, parameters},
    options::{At, Options},
    parameter::Parameter,
    paths::{Runtime, hygienic, namesake},
    signature::{Function, Handler, Kind},
    tool::Cache,
    uri_template::Template,
};

pub(crate) const KEYS: [&str; 12] = [
    "uri",
    "name",
    "title",
    "description",
    "mime_type",
    "size",
    "scopes",
    "icons",
    "annotations",
    "ttl",
    "cache_scope",
    "crate",
];

/// A resource, checked.
pub(crate) struct Resource {
    pub(crate) words: Words,
    pub(crate) uri: LitStr,
    template: Template,
    handler: Handler,
    parameters: Vec<Parameter>,
    mime_type: Option<LitStr>,
    size: Option<u64>,
    annotations: Annotations,
    cache: Cache,
}

/// For whom it is, and how much it matters.
#[derive(Default)]
struct Annotations {
    /// Variants of `Role`.
    audience: Vec<syn::Ident>,
    priority: Option<f64>,
}

impl Resource {
    pub(crate) fn validate(keys: TokenStream, function: &Function) -> Result<Self, Errors> {
        let mut errors = Errors::default();
        let mut options = Options::parse("mcp_resource", &KEYS, keys, &mut errors);
        let handler = Handler::validate(function, Kind::Resource, &mut errors);
        let parameters = parameters(&handler, Kind::Resource, &mut errors);
        let words = Words::validate(&mut options, Kind::Resource, &handler, &mut errors);
        let located = locate(&mut options, &handler, &parameters, &mut errors);
        if let Some((_, template)) = &located {
            refuse_keys_of_extractors(template, &parameters, &mut errors);
        }
        let mime_type = options.text("mime_type", &mut errors);
        if let Some(mime_type) = &mime_type {
            check_mime_type(mime_type, &mut errors);
        }
        let is_template = located.as_ref().is_some_and(|(_, template)| template.variables().next().is_some());
        if let Some(span) = options.key("size").filter(|_| is_template) {
            errors.at(span, "`size` has no meaning here: a template stands for contents of many sizes; remove it");
            options.discard("size");
        }
        let size = options.count("size", u64::MAX, &mut errors).map(|size| size.value);
        let annotations = Annotations::validate(&mut options, &mut errors);
        let cache = Cache::validate(&mut options, &mut errors);
        match located {
            Some((uri, template)) if errors.is_empty() => {
                Ok(Self { words, uri, template, handler, parameters, mime_type, size, annotations, cache })
            }
            _ => Err(errors),
        }
    }

    pub(crate) fn expand(&self, scope: Scope, runtime: &Runtime) -> TokenStream {
        let Self { words, uri, template, handler, parameters, mime_type, size, annotations, cache } = self;
        let span = hygienic(handler.ident.span());
        let mut markers = Vec::new();
        let takes: Vec<_> = handler
            .inputs
            .iter()
            .zip(parameters)
            .enumerate()
            .map(|(index, (input, parameter))| {
                let (ident, ty) = (namesake(&input.ident), &input.ty);
                if template.variables().any(|name| name == parameter.name) {
                    taken("take", index, ty, None, None, span)
                } else {
                    markers.push(quote_spanned!(hygienic(ident.span())=> pub enum #ident {}));
                    taken("extract", index, ty, Some(&quote_spanned!(span=> __parameters::#ident)), None, span)
                }
            })
            .collect();
        let closure = closure(
            handler,
            parameters,
            &takes,
            |parameter| !parameter.is_completed() && template.variables().any(|name| name == parameter.name),
            false,
            scope,
            runtime,
        );
        // The names of parameters as types, so that the compiler can say which one is no extractor.
        let markers = (!markers.is_empty()).then(|| {
            quote_spanned! {span=>
                mod __parameters { #(#markers)* }
            }
        });
        let segments = template.expand(runtime, span);
        let (name, description) = (&words.name, words.description.iter());
        let words = words.expand(span);
        let mime_type = mime_type.iter();
        let size = size.iter();
        let annotations = annotations.expand(runtime, span);
        let cache = cache.expand(span);
        let runtime = runtime.at(span);
        let resource = quote_spanned! {span=>
            #runtime::Resource::new(#uri, #segments, #name, #closure)
                #(.description(#description))* #words #(.mime_type(#mime_type))* #(.size(#size))* #annotations #cache
        };
        match markers {
            Some(markers) => quote_spanned!(span=> { #markers #resource }),
            None => resource,
        }
    }
}

/// Reads `uri`, and holds it against the parameters.
fn locate(
    options: &mut Options,
    handler: &Handler,
    parameters: &[Parameter],
    errors: &mut Errors,
) -> Option<(LitStr, Template)> {
    if options.key("uri").is_none() {
        if options.may_have_meant("uri") {
            return None;
        }
        errors.at(handler.ident.span(), "a resource needs a URI; write `#[mcp_resource(uri = \"…\")]`");
        return None;
    }
    let uri = options.text("uri", errors)?;
    let template = match Template::parse(&uri.value()) {
        Ok(template) => template,
        Err(message) => {
            errors.at(uri.span(), message);
            return None;
        }
    };
    for variable in template.variables() {
        if !parameters.iter().any(|parameter| parameter.name == variable) {
            let free: Vec<_> = parameters
                .iter()
                .map(|parameter| parameter.name.as_str())
                .filter(|name| !template.variables().any(|variable| variable == *name))
                .collect();
            let unused = format!("_{variable}");
            let remedy = match nearest(variable, &free) {
                Some(near) if near == unused => {
                    format!("give `{unused}` this name: `#[mcp(name = \"{variable}\")]`")
                }
                Some(near) => format!("did you mean `{{{near}}}`?"),
                None => format!("add the parameter `{variable}: String`, or remove it from the template"),
            };
            errors.at(uri.span(), format_args!("no parameter takes the variable `{{{variable}}}`; {remedy}"));
        }
    }
    Some((uri, template))
}

/// What is said of a parameter that is no variable. Where a variable has no parameter, this may be the one it should have.
fn refuse_keys_of_extractors(template: &Template, parameters: &[Parameter], errors: &mut Errors) {
    let is_variable = |parameter: &&Parameter| template.variables().any(|name| name == parameter.name);
    if parameters.iter().filter(is_variable).count() < template.variables().count() {
        return;
    }
    for Parameter { name, said, .. } in parameters.iter().filter(|parameter| !is_variable(parameter)) {
        if let Some(At { value: key, span }) = said {
            errors.at(
                *span,
                format_args!(
                    "`{key}` speaks of a variable, and the template does not name `{name}`; add `{{{name}}}` to the template, or remove `#[mcp(…)]`"
                ),
            );
        }
    }
}

fn check_mime_type(mime_type: &LitStr, errors: &mut Errors) {
    let text = mime_type.value();
    let essence = text.split(';').next().unwrap_or_default().trim();
    let token =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c));
    if !essence.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype)) {
        errors.at(
            mime_type.span(),
            format_args!("`{text}` is no media type; write one such as `text/plain` or `application/json`"),
        );
    }
}

impl Annotations {
    fn validate(options: &mut Options, errors: &mut Errors) -> Self {
        let Some(mut options) = options.inner("annotations", &["audience", "priority"], errors) else {
            return Self::default();
        };
        let mut audience = Vec::new();
        for role in options.strings("audience", errors).unwrap_or_default() {
            match role.value().as_str() {
                "user" => audience.push(syn::Ident::new("User", Span::mixed_site())),
                "assistant" => audience.push(syn::Ident::new("Assistant", Span::mixed_site())),
                other => {
                    errors.at(role.span(), format_args!("unknown audience `{other}`; choose of `user` and `assistant`"))
                }
            }
        }
        let priority = options.number("priority", errors);
        if let Some(priority) = priority.as_ref().filter(|priority| !(0.0..=1.0).contains(&priority.value.value)) {
            errors.at(priority.span, "`priority` goes from 0 (of no weight) to 1 (needed); choose a number between");
        }
        Self { audience, priority: priority.map(|priority| priority.value.value) }
    }

    fn expand(&self, runtime: &Runtime, span: Span) -> TokenStream {
        let (audience, priority, runtime) = (&self.audience, self.priority.iter(), runtime.at(span));
        let audience =
            (!audience.is_empty()).then(|| quote_spanned!(span=> .audience(&[#(#runtime::Role::#audience),*])));
        quote_spanned!(span=> #audience #(.priority(#priority))*)
    }
}
