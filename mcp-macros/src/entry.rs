//! What the three kinds of functions have in common: the keys that all take, and the lone function with its descriptor.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, LitStr, Path, ext::IdentExt};

use super::{
    attributes::kinds_of,
    call::Scope,
    description::Text,
    diagnostics::Errors,
    fallback,
    options::Options,
    parameter::Parameter,
    paths::{Runtime, hygienic, namesake},
    prompt::Prompt,
    resource::Resource,
    signature::{Function, Handler, Kind},
    tool::Tool,
};

/// A checked function of any kind.
pub(crate) enum Entry {
    Tool(Tool),
    Resource(Resource),
    Prompt(Prompt),
}

impl Entry {
    /// Checks a function under an attribute with these keys.
    pub(crate) fn validate(kind: Kind, keys: TokenStream, function: &Function) -> Result<Self, Errors> {
        match kind {
            Kind::Tool => Tool::validate(keys, function).map(Self::Tool),
            Kind::Resource => Resource::validate(keys, function).map(Self::Resource),
            Kind::Prompt => Prompt::validate(keys, function).map(Self::Prompt),
        }
    }

    pub(crate) fn words(&self) -> &Words {
        match self {
            Self::Tool(tool) => &tool.words,
            Self::Resource(resource) => &resource.words,
            Self::Prompt(prompt) => &prompt.words,
        }
    }

    /// The table entry: an expression. `runtime` holds where the item names none of its own.
    pub(crate) fn expand(&self, scope: Scope, runtime: &Runtime) -> TokenStream {
        let own = self.words().krate.as_ref().map(|path| Runtime::under(Some(path)));
        let runtime = own.as_ref().unwrap_or(runtime);
        match self {
            Self::Tool(tool) => tool.expand(scope, runtime),
            Self::Resource(resource) => resource.expand(scope, runtime),
            Self::Prompt(prompt) => prompt.expand(scope, runtime),
        }
    }
}

/// What every function may say of itself.
pub(crate) struct Words {
    pub(crate) name: String,
    /// The `name` literal, else the function's name.
    pub(crate) name_span: Span,
    pub(crate) description: Option<Text>,
    title: Option<LitStr>,
    scopes: Vec<LitStr>,
    icons: Vec<LitStr>,
    krate: Option<Path>,
}

impl Words {
    pub(crate) fn validate(options: &mut Options, kind: Kind, handler: &Handler, errors: &mut Errors) -> Self {
        let named = options.key("name").is_some();
        let written = options.text("name", errors);
        let (name, name_span) = match &written {
            Some(name) => (name.value(), name.span()),
            None => (handler.ident.unraw().to_string(), handler.ident.span()),
        };
        // A `name` that was refused above is not judged again by what stands in for it.
        let judged = !named || written.is_some();
        if kind != Kind::Resource && judged {
            check_name(kind, &name, name_span, named, errors);
        }
        let described = options.key("description").is_some();
        let description = options.prose("description", errors).or_else(|| handler.docs.clone().filter(|_| !described));
        Self {
            name,
            name_span,
            description,
            title: options.text("title", errors),
            scopes: scopes(options, errors),
            icons: icons(options, errors),
            krate: options.krate(errors),
        }
    }

    /// The setters for what a table entry is not made with.
    pub(crate) fn expand(&self, span: Span) -> TokenStream {
        let title = self.title.iter();
        let (scopes, icons) = (&self.scopes, &self.icons);
        let scopes = (!scopes.is_empty()).then(|| quote_spanned!(span=> .scopes(&[#(#scopes),*])));
        let icons = (!icons.is_empty()).then(|| quote_spanned!(span=> .icons(&[#(#icons),*])));
        quote_spanned!(span=> #(.title(#title))* #scopes #icons)
    }
}

fn check_name(kind: Kind, name: &str, span: Span, named: bool, errors: &mut Errors) {
    let noun = kind.noun();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let remedy = if named { "choose another" } else { "give it one by `name = \"…\"`" };
    if let Some(wrong) = name.chars().find(|c| !fits(*c)) {
        errors.at(
            span,
            format_args!("{wrong:?} in the name of a {noun}: clients take letters, digits, `_` and `-`; {remedy}"),
        );
    } else if name.len() > 64 {
        let length = name.len();
        errors
            .at(span, format_args!("the name of a {noun} has 64 characters at most, this one has {length}; {remedy}"));
    }
}

fn scopes(options: &mut Options, errors: &mut Errors) -> Vec<LitStr> {
    let scopes = options.arguments("scopes", errors).unwrap_or_default();
    for scope in &scopes {
        let value = scope.value();
        let fits = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
        if value.is_empty() || !value.chars().all(fits) {
            errors.at(scope.span(), "a scope is one word without blanks and quotes; write each as a string of its own: `scopes(\"a\", \"b\")`");
        }
    }
    scopes
}

/// `icons = ["https://…"]`
pub(crate) fn icons(options: &mut Options, errors: &mut Errors) -> Vec<LitStr> {
    let icons = options.strings("icons", errors).unwrap_or_default();
    for icon in &icons {
        if !icon.value().starts_with("https://") && !icon.value().starts_with("data:") {
            errors.at(icon.span(), "an icon is a URI that begins with `https://` or `data:`; clients load no other");
        }
    }
    icons
}

/// The parameters of a handler, each name once.
pub(crate) fn parameters(handler: &Handler, kind: Kind, errors: &mut Errors) -> Vec<Parameter> {
    let parameters: Vec<_> = handler.inputs.iter().map(|input| Parameter::validate(input, kind, errors)).collect();
    for (index, parameter) in parameters.iter().enumerate() {
        let name = &parameter.name;
        // Of two that are written alike the compiler tells.
        let ident = |index: usize| handler.inputs.get(index).map(|input| &input.ident);
        let taken = |other: usize| parameters[other].name == *name && ident(other) != ident(index);
        if (0..index).any(taken) {
            errors.at(
                parameter.name_span,
                format_args!("two parameters are named `{name}`; give one another name: `#[mcp(name = \"…\")]`"),
            );
        }
    }
    parameters
}

/// A function by itself: the function, and beside it a type of the same name that holds the table entry.
pub(crate) fn lone(kind: Kind, keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: Function = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => return fallback::no_function(kind, &item, error),
    };
    function.strip();
    let (mut errors, cfgs) = (Errors::default(), function.cfgs());
    if let Some(receiver) = function.sig.receiver() {
        let attribute = kind.attribute();
        errors.on(
            receiver,
            format_args!("`#[{attribute}]` by itself is for free functions; put `#[mcp_server]` on the `impl` block of this method (there, `{attribute}` is known by this name alone)"),
        );
        let errors = under(&cfgs, errors).into_tokens();
        return quote_spanned!(Span::mixed_site()=> #errors #function);
    }
    if function.refuse_self_type(&mut errors) {
        let errors = under(&cfgs, errors).into_tokens();
        return quote_spanned!(Span::mixed_site()=> #errors #function);
    }
    for other in kinds_of(&mut function, &mut errors) {
        errors.at(other.span, only_one(other.kind, kind));
    }
    let entry = match Entry::validate(kind, keys.clone(), &function) {
        Ok(entry) if errors.is_empty() => entry,
        Ok(_) => return fallback::lone(kind, keys, &function, under(&cfgs, errors)),
        Err(more) => {
            errors.absorb(more);
            function.mend();
            return fallback::lone(kind, keys, &function, under(&cfgs, errors));
        }
    };
    let runtime = Runtime::under(entry.words().krate.as_ref());
    let descriptor = descriptor(kind, &function, &runtime, &entry.expand(Scope::Module, &runtime));
    quote_spanned!(Span::mixed_site()=> #function #descriptor)
}

/// Mistakes in what is there under these conditions only.
fn under(cfgs: &[Attribute], mistakes: Errors) -> Errors {
    let mut errors = Errors::default();
    errors.absorb_under(cfgs, mistakes);
    errors
}

/// What is said of a function with two attributes.
pub(crate) fn only_one(second: Kind, first: Kind) -> String {
    if second == first {
        format!("`#[{}]` is given twice; put all keys into one", second.attribute())
    } else {
        let (first, second) = (first.noun(), second.noun());
        format!("this function is a {first} already; write a second function for the {second}")
    }
}

/// The type beside a lone function.
pub(crate) fn descriptor(kind: Kind, function: &Function, runtime: &Runtime, entry: &TokenStream) -> TokenStream {
    let span = hygienic(function.sig.ident.span());
    let ident = namesake(&function.sig.ident);
    let (vis, cfgs, runtime) = (&function.vis, function.cfgs(), runtime.at(span));
    let part = format!("the function `{}`", function.sig.ident.unraw());
    let (item, constant, ty) = match kind {
        Kind::Tool => ("ToolItem", "TOOL", "Tool"),
        Kind::Resource => ("ResourceItem", "RESOURCE", "Resource"),
        Kind::Prompt => ("PromptItem", "PROMPT", "Prompt"),
    };
    let [item, constant, ty] = [item, constant, ty].map(|name| syn::Ident::new(name, span).into_token_stream());
    quote_spanned! {span=>
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(missing_copy_implementations, missing_debug_implementations, clippy::exhaustive_enums)]
        #vis enum #ident {}

        #(#cfgs)*
        #[doc(hidden)]
        impl #runtime::#item for #ident {
            const PART: &'static ::core::primitive::str = #part;
            const #constant: #runtime::#ty<()> = #entry;
        }
    }
}
