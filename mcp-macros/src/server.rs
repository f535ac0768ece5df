//! `#[mcp_server]`: gathers the annotated functions of a block or a module, checks across them, and makes the server.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{
    Attribute, GenericArgument, Generics, Ident, ImplItem, Item, ItemImpl, ItemMod, Lifetime, LitStr, Meta, Path,
    PathArguments, Token, Type, UseTree,
    ext::IdentExt,
    parse::{ParseStream, Parser, discouraged::Speculative},
    punctuated::Punctuated,
    spanned::Spanned,
};

use super::{
    call::Scope,
    description::Text,
    diagnostics::Errors,
    entry::{Entry, icons, only_one},
    options::{At, Options},
    paths::{Runtime, hygienic, namesake},
    signature::{Function, Kind},
};

pub(crate) const KEYS: [&str; 16] = [
    "name",
    "version",
    "title",
    "description",
    "instructions",
    "website_url",
    "icons",
    "profile",
    "transport",
    "auth",
    "port",
    "endpoint",
    "message_endpoint",
    "resumability",
    "cors",
    "crate",
];

/// The whole of `#[mcp_server(…)]`.
pub(crate) fn expand(keys: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let block = match Block::parse(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            errors.syntax(error);
            let errors = errors.into_tokens();
            return quote_spanned!(Span::mixed_site()=> #errors #item);
        }
    };
    let options = ServerOptions::validate(keys, &block.attrs, &mut errors);
    let gathered = block.gather(&mut errors);
    let output = gathered.around(&options);
    let errors = errors.into_tokens();
    quote_spanned!(Span::mixed_site()=> #output #errors)
}

/// An `impl` block or an inline module as it was written.
struct Block {
    form: Form,
    /// Outer and inner attributes; for their docs.
    attrs: Vec<Attribute>,
    /// All that stands before the braces.
    header: TokenStream,
    braces: Group,
}

enum Form {
    /// The type with its generics, and whether the block implements a trait.
    Impl {
        ty: Box<Type>,
        generics: Box<Generics>,
        of_trait: Option<Path>,
    },
    Module(Ident),
}

impl Block {
    fn parse(item: TokenStream) -> syn::Result<Self> {
        const USAGE: &str = "`#[mcp_server]` goes on an `impl` block, or on a module with its functions inside";
        let mut trees: Vec<TokenTree> = item.clone().into_iter().collect();
        let braces = match trees.pop() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => group,
            _ => {
                return Err(match syn::parse2::<ItemMod>(item) {
                    Ok(module) => syn::Error::new(
                        module.ident.span(),
                        "the functions of a module in another file cannot be seen; write them inline: `mod … { … }`, or put `#[mcp_tool]` and the like on each and register them by hand",
                    ),
                    Err(_) => syn::Error::new(Span::call_site(), USAGE),
                });
            }
        };
        let header: TokenStream = trees.into_iter().collect();
        let empty = Group::new(Delimiter::Brace, TokenStream::new());
        let shell = header.clone().into_iter().chain([TokenTree::Group(empty)]).collect::<TokenStream>();
        let (form, attrs) = match syn::parse2::<Item>(shell)? {
            Item::Impl(ItemImpl { attrs, generics, trait_, self_ty, .. }) => {
                let of_trait = trait_.map(|(path, _)| path);
                (Form::Impl { ty: self_ty, generics: Box::new(generics), of_trait }, attrs)
            }
            Item::Mod(module) => (Form::Module(module.ident), module.attrs),
            _ => return Err(syn::Error::new(Span::call_site(), USAGE)),
        };
        Ok(Self { form, attrs, header, braces })
    }

    /// Reads the members, checks the annotated ones, and takes our attributes off them.
    fn gather(self, errors: &mut Errors) -> Gathered {
        let mut members = Vec::new();
        let mut inner = Vec::new();
        let mut rest = self.braces.stream();
        let parser = |input: ParseStream<'_>| {
            inner = input.call(Attribute::parse_inner)?;
            rest = input.fork().parse()?;
            while !input.is_empty() {
                members.push(member(input, &self.form, errors)?);
            }
            Ok(())
        };
        let parsed = parser.parse2(self.braces.stream());
        let unreadable = parsed.err().map(|error| {
            errors.syntax(error);
            // A function that the compiler drops cannot be called.
            members.clear();
            rest
        });
        let mut gathered = Gathered {
            block: self,
            inner,
            members: Vec::new(),
            entries: Vec::new(),
            own_server: false,
            own_type: false,
            borrows: false,
            unreadable,
        };
        for member in members {
            gathered.add(member, errors);
        }
        if let Form::Impl { ty, generics, .. } = &gathered.block.form
            && let Some(lifetime) = borrowed(ty, generics)
        {
            errors.on(
                lifetime,
                "a server outlives whatever it borrows, since calls come at any time; write the type with `'static`, or let the server own what it needs",
            );
            gathered.entries.clear();
            gathered.borrows = true;
        }
        if let Form::Impl { of_trait: Some(path), .. } = &gathered.block.form {
            errors.on(
                path,
                "`#[mcp_server]` goes on a block of the type's own functions; move them to `impl Type { … }`",
            );
            gathered.entries.clear();
        }
        gathered
    }
}

enum Member {
    Function(Box<Function>),
    /// Something else, and whether it is a type of the name that the macro would use.
    Other(TokenStream, bool),
}

/// One member of a block or a module.
fn member(input: ParseStream<'_>, form: &Form, errors: &mut Errors) -> syn::Result<Member> {
    let mut attrs = input.call(Attribute::parse_outer)?;
    let ahead = input.fork();
    if let Ok(function) = Function::parse_behind(attrs.clone(), &ahead) {
        input.advance_to(&ahead);
        return Ok(Member::Function(Box::new(function)));
    }
    let mut own_type = false;
    let (item, call) = match form {
        Form::Impl { .. } => {
            let item: ImplItem = input.parse()?;
            let call = if let ImplItem::Macro(item) = &item { Some(item.mac.clone()) } else { None };
            (item.into_token_stream(), call)
        }
        Form::Module(_) => {
            let item: Item = input.parse()?;
            let call = match &item {
                Item::Macro(item) if item.ident.is_none() => Some(item.mac.clone()),
                _ => None,
            };
            own_type = is_type_named(&item, "server");
            (item.into_token_stream(), call)
        }
    };
    attrs.retain(|attr| match kind_of(attr) {
        Some(kind) => {
            errors.on(attr, format_args!("`#[{}]` goes on a function with a body; move it to one", kind.attribute()));
            false
        }
        None => true,
    });
    if let Some(call) = call {
        let place = match form {
            Form::Impl { .. } => "block",
            Form::Module(_) => "module",
        };
        errors.on(
            &call.path,
            format_args!("what a macro makes here cannot be seen, so its tools would be lost; let the macro emit the whole {place}, or call it outside of the {place}"),
        );
        if place == "block" {
            // What it makes would be lone functions with receivers, and each of them a second error.
            return Ok(Member::Other(TokenStream::new(), false));
        }
    }
    Ok(Member::Other(attrs.into_iter().map(ToTokens::into_token_stream).chain([item]).collect(), own_type))
}

/// A lifetime of a block's type that need not be `'static`, where it is declared.
fn borrowed(ty: &Type, generics: &Generics) -> Option<Lifetime> {
    let is_static = |bounds: &Punctuated<Lifetime, Token![+]>| bounds.iter().any(|bound| bound.ident == "static");
    let declared = generics.lifetimes().find(|param| !is_static(&param.bounds)).map(|param| param.lifetime.clone());
    // A `where` clause may say more of it, which the compiler understands.
    let declared = declared.filter(|_| generics.where_clause.is_none());
    let anonymous = || {
        let Type::Path(path) = ty else { return None };
        path.path.segments.iter().find_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Lifetime(lifetime) if lifetime.ident == "_" => Some(lifetime.clone()),
                _ => None,
            }),
            _ => None,
        })
    };
    declared.or_else(anonymous)
}

/// Whether an item takes that name where types have theirs.
fn is_type_named(item: &Item, name: &str) -> bool {
    match item {
        Item::Struct(item) => item.ident == name,
        Item::Enum(item) => item.ident == name,
        Item::Union(item) => item.ident == name,
        Item::Type(item) => item.ident == name,
        Item::Trait(item) => item.ident == name,
        Item::Mod(item) => item.ident == name,
        Item::Use(item) => brings(&item.tree, name),
        _ => false,
    }
}

fn brings(tree: &UseTree, name: &str) -> bool {
    match tree {
        UseTree::Path(path) => brings(&path.tree, name),
        UseTree::Name(used) => used.ident == name,
        UseTree::Rename(used) => used.rename == name,
        UseTree::Group(group) => group.items.iter().any(|tree| brings(tree, name)),
        UseTree::Glob(_) => false,
    }
}

/// A block with its functions checked.
struct Gathered {
    block: Block,
    inner: Vec<Attribute>,
    members: Vec<TokenStream>,
    entries: Vec<Found>,
    /// There is a function of the user's of the name that the macro would use, or a type.
    own_server: bool,
    own_type: bool,
    /// The server has a lifetime, and cannot be made.
    borrows: bool,
    /// The members, if they could not all be read.
    unreadable: Option<TokenStream>,
}

/// A checked function, and the conditions under which it is there.
struct Found {
    kind: Kind,
    entry: Entry,
    function: Ident,
    cfgs: Vec<TokenStream>,
}

impl Gathered {
    fn add(&mut self, member: Member, errors: &mut Errors) {
        let mut function = match member {
            Member::Function(function) => *function,
            Member::Other(tokens, own_type) => {
                self.own_type |= own_type;
                return self.members.push(tokens);
            }
        };
        let mut mistakes = Errors::default();
        let maker = self.maker();
        if function.sig.ident == maker {
            mistakes.at(
                function.sig.ident.span(),
                format_args!("`#[mcp_server]` makes a function `{maker}` itself; rename this one"),
            );
            self.own_server = true;
        }
        let uses = kinds_of(&mut function, &mut mistakes);
        if !uses.is_empty() && matches!(self.block.form, Form::Module(_)) && function.refuse_receiver(&mut mistakes) {
            errors.absorb_under(&function.cfgs(), mistakes);
            return self.members.push(function.into_token_stream());
        }
        let mut first: Option<Kind> = None;
        for Use { kind, keys, condition, span } in &uses {
            if condition.is_none() {
                if let Some(first) = first {
                    mistakes.at(*span, only_one(*kind, first));
                    continue;
                }
                first = Some(*kind);
            }
            function.strip();
            let condition = condition.as_ref().map(|condition| quote_spanned!(*span=> #[cfg(#condition)]));
            let cfgs = function.cfgs().into_iter().map(ToTokens::into_token_stream).chain(condition).collect();
            match Entry::validate(*kind, keys.clone(), &function) {
                Ok(entry) => {
                    self.register(Found { kind: *kind, entry, function: function.sig.ident.clone(), cfgs }, errors);
                }
                Err(more) => errors.absorb_under(&cfgs, more),
            }
        }
        if uses.is_empty() {
            refuse_stray_mcp(&mut function, &mut mistakes);
        }
        errors.absorb_under(&function.cfgs(), mistakes);
        self.members.push(function.into_token_stream());
    }

    /// Takes an entry whose name, and URI, is new.
    fn register(&mut self, found: Found, errors: &mut Errors) {
        let mut mistakes = Errors::default();
        if self.is_new(&found, &mut mistakes) {
            self.entries.push(found);
        } else {
            errors.absorb_under(&found.cfgs, mistakes);
        }
    }

    fn is_new(&self, found: &Found, errors: &mut Errors) -> bool {
        let (kind, name) = (found.kind, &found.entry.words().name);
        let certain = |other: &&Found| {
            // Under different conditions both may never be there at once; that is checked when the server starts.
            let conditions = |found: &Found| found.cfgs.iter().map(ToString::to_string).collect::<Vec<_>>();
            other.kind == kind && conditions(other) == conditions(found)
        };
        if let Some(first) = self.entries.iter().filter(certain).find(|first| first.entry.words().name == *name) {
            let (noun, first) = (kind.noun(), &first.function);
            errors.at(
                found.entry.words().name_span,
                format_args!(
                    "the function `{first}` is the {noun} `{name}` already; give this one another name: `name = \"…\"`"
                ),
            );
            return false;
        }
        if let Entry::Resource(resource) = &found.entry {
            let uri = resource.uri.value();
            let same = |other: &&Found| matches!(&other.entry, Entry::Resource(other) if other.uri.value() == uri);
            if let Some(first) = self.entries.iter().filter(certain).find(same) {
                let first = &first.function;
                errors.at(
                    resource.uri.span(),
                    format_args!(
                        "the function `{first}` is the resource at `{uri}` already; give this one another URI"
                    ),
                );
                return false;
            }
        }
        true
    }

    /// The name of the function that makes the server.
    fn maker(&self) -> &'static str {
        match self.block.form {
            Form::Impl { .. } => "into_server",
            Form::Module(_) => "server",
        }
    }

    /// An expression: the server.
    fn server(&self, options: &ServerOptions) -> TokenStream {
        let (scope, span) = self.place();
        if self.borrows {
            return quote_spanned!(span=> ::core::unreachable!());
        }
        let runtime = options.runtime.at(span);
        let entries = |kind| {
            let entries = self.entries.iter().filter(move |found| found.kind == kind).map(
                move |Found { entry, cfgs, .. }| {
                    let entry = entry.expand(scope, &options.runtime);
                    quote_spanned!(span=> #(#cfgs)* #entry)
                },
            );
            quote_spanned!(span=> const { &[#(#entries),*] })
        };
        let (tools, resources, prompts) = (entries(Kind::Tool), entries(Kind::Resource), entries(Kind::Prompt));
        let (part, server) = (self.part(), options.expand(span));
        let state = match scope {
            Scope::Block => quote_spanned!(span=> #runtime::share(self)),
            Scope::Module => quote_spanned!(span=> #runtime::Arc::new(())),
        };
        quote_spanned! {span=>
            #runtime::McpServer::from_definition(
                #state,
                #runtime::Definition {
                    part: #part, server: #server, tools: #tools, resources: #resources, prompts: #prompts
                },
            )
        }
    }

    /// The names that the functions take, as a constant.
    fn names(&self, options: &ServerOptions) -> TokenStream {
        let (_, span) = self.place();
        let (runtime, part) = (options.runtime.at(span), self.part());
        let list = |of: &dyn Fn(&Found) -> Option<TokenStream>| {
            let names = self.entries.iter().filter_map(|found| {
                let (name, cfgs) = (of(found)?, &found.cfgs);
                Some(quote_spanned!(span=> #(#cfgs)* #name))
            });
            let names: Vec<_> = names.collect();
            (!names.is_empty()).then(|| quote_spanned!(span=> &[#(#names),*]))
        };
        let named =
            |kind| list(&move |found: &Found| (found.kind == kind).then(|| found.entry.words().name.to_token_stream()));
        let uris = list(&|found| match &found.entry {
            Entry::Resource(resource) => Some(resource.uri.to_token_stream()),
            _ => None,
        });
        let tools = named(Kind::Tool).map(|names| quote_spanned!(span=> .tools(#names)));
        let resources = named(Kind::Resource).map(|names| quote_spanned!(span=> .resources(#names, #uris)));
        let prompts = named(Kind::Prompt).map(|names| quote_spanned!(span=> .prompts(#names)));
        quote_spanned! {span=>
            const NAMES: &'static #runtime::Names = &#runtime::Names::of(#part) #tools #resources #prompts;
        }
    }

    /// The user's item, with the function that makes the server, and with what is mounted in its place: the block's type,
    /// or a type beside the module's function.
    fn around(&self, options: &ServerOptions) -> TokenStream {
        let Self { block: Block { form, attrs, header, braces }, inner, members, .. } = self;
        let (_, span) = self.place();
        let runtime = options.runtime.at(span);
        let (server, names) = (self.server(options), self.names(options));
        let members = match &self.unreadable {
            // What cannot be read is given back as it is: the compiler has more to say about it.
            Some(rest) => rest.clone(),
            None => members.iter().cloned().collect(),
        };
        let assemble = quote_spanned!(span=> fn assemble<__M>(self) -> #runtime::McpServer { #server });
        let (inside, beside) = match form {
            Form::Impl { ty, generics, of_trait } => {
                let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect::<Vec<_>>();
                let (generics, _, bounds) = generics.split_for_impl();
                let part = quote_spanned! {span=>
                    #(#cfgs)*
                    #[doc(hidden)]
                    impl #generics #runtime::Part for #ty #bounds {
                        #names

                        #assemble
                    }
                };
                let own = (!self.own_server).then(|| {
                    quote_spanned! {span=>
                        /// The server that these functions make.
                        #[must_use]
                        pub fn into_server(self) -> #runtime::McpServer { #runtime::Part::assemble::<()>(self) }
                    }
                });
                if of_trait.is_some() || self.unreadable.is_some() {
                    let own = quote_spanned!(span=> #(#cfgs)* impl #generics #ty #bounds { #own });
                    (members, quote_spanned!(span=> #own #part))
                } else {
                    (quote_spanned!(span=> #members #own), part)
                }
            }
            Form::Module(_) => {
                let ident = namesake(&Ident::new("server", span));
                let made = match self.own_type {
                    true => server.clone(),
                    false => quote_spanned!(span=> #runtime::Part::assemble::<()>(#ident {})),
                };
                let own = (!self.own_server).then(|| {
                    quote_spanned! {span=>
                        /// The server that these functions make.
                        #[must_use]
                        pub fn server() -> #runtime::McpServer { #made }
                    }
                });
                let part = (!self.own_server && !self.own_type).then(|| {
                    quote_spanned! {span=>
                        #[doc(hidden)]
                        #[allow(missing_copy_implementations, missing_debug_implementations, clippy::exhaustive_structs)]
                        pub struct #ident {}

                        #[doc(hidden)]
                        impl #runtime::Part for #ident {
                            #names

                            #assemble
                        }
                    }
                });
                // Behind what cannot be read it might be taken for a part of it.
                if self.unreadable.is_some() {
                    (quote_spanned!(span=> #own #part #members), TokenStream::new())
                } else {
                    (quote_spanned!(span=> #members #own #part), TokenStream::new())
                }
            }
        };
        let mut group = Group::new(Delimiter::Brace, quote_spanned!(Span::mixed_site()=> #(#inner)* #inside));
        group.set_span(braces.span());
        quote_spanned!(Span::mixed_site()=> #header #group #beside)
    }

    /// Where generated code points, and how it finds the functions.
    fn place(&self) -> (Scope, Span) {
        match &self.block.form {
            Form::Impl { ty, .. } => (Scope::Block, hygienic(ty.span())),
            Form::Module(_) => (Scope::Module, Span::mixed_site()),
        }
    }

    /// What people call the block or the module.
    fn part(&self) -> String {
        match &self.block.form {
            Form::Impl { ty, .. } => match &**ty {
                Type::Path(path) => {
                    let last = path.path.segments.last().map(|segment| segment.ident.to_string());
                    format!("`{}`", last.unwrap_or_default())
                }
                ty => format!("`{}`", ty.to_token_stream()),
            },
            Form::Module(ident) => format!("`{}`", ident.unraw()),
        }
    }
}

/// One of our attributes on a function.
pub(crate) struct Use {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    keys: TokenStream,
    /// The predicate of a `cfg_attr`.
    condition: Option<TokenStream>,
}

/// Takes our attributes off a function.
pub(crate) fn kinds_of(function: &mut Function, errors: &mut Errors) -> Vec<Use> {
    let mut uses = Vec::new();
    let mut kept = Vec::new();
    for mut attr in std::mem::take(&mut function.attrs) {
        if let Some(kind) = kind_of(&attr) {
            uses.extend(use_of(kind, &attr.meta, None, errors));
            continue;
        }
        if attr.path().is_ident("cfg_attr")
            && let Meta::List(list) = &mut attr.meta
            && let Some((condition, metas)) = conditional(&list.tokens)
        {
            let (ours, others): (Vec<_>, Vec<_>) =
                metas.into_iter().partition(|meta| kind_named(meta.path()).is_some());
            for meta in &ours {
                if let Some(kind) = kind_named(meta.path()) {
                    uses.extend(use_of(kind, meta, Some(condition.clone()), errors));
                }
            }
            if !ours.is_empty() && others.is_empty() {
                continue;
            }
            if !ours.is_empty() {
                list.tokens = quote_spanned!(Span::mixed_site()=> #condition, #(#others),*);
            }
        }
        kept.push(attr);
    }
    function.attrs = kept;
    uses
}

fn use_of(kind: Kind, meta: &Meta, condition: Option<TokenStream>, errors: &mut Errors) -> Option<Use> {
    let span = meta.path().span();
    let keys = match meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(_) => {
            let attribute = kind.attribute();
            errors
                .on(meta, format_args!("`{attribute}` takes its keys in parentheses: `#[{attribute}(name = \"…\")]`"));
            return None;
        }
    };
    Some(Use { kind, span, keys, condition })
}

fn kind_of(attr: &Attribute) -> Option<Kind> {
    kind_named(attr.path())
}

/// `mcp_tool`, by whatever path.
fn kind_named(path: &Path) -> Option<Kind> {
    let last = &path.segments.last()?.ident;
    Kind::ALL.into_iter().find(|kind| last == kind.attribute())
}

/// `predicate, attribute, …`
fn conditional(tokens: &TokenStream) -> Option<(TokenStream, Vec<Meta>)> {
    let parser = |input: ParseStream<'_>| {
        let mut condition = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            condition.extend([input.parse::<TokenTree>()?]);
        }
        input.parse::<Token![,]>()?;
        let metas = Punctuated::<Meta, Token![,]>::parse_terminated(input)?;
        Ok((condition, metas.into_iter().collect()))
    };
    parser.parse2(tokens.clone()).ok()
}

/// `#[mcp(…)]` on a parameter of a function that is none of ours.
fn refuse_stray_mcp(function: &mut Function, errors: &mut Errors) {
    for input in &mut function.sig.inputs {
        let (syn::FnArg::Typed(syn::PatType { attrs, .. }) | syn::FnArg::Receiver(syn::Receiver { attrs, .. })) = input;
        attrs.retain(|attr| {
            let stray = attr.path().is_ident("mcp");
            if stray {
                errors.on(attr, "`#[mcp(…)]` on a function that is no tool, resource or prompt; put `#[mcp_tool]` or the like above it");
            }
            !stray
        });
    }
}

/// What `#[mcp_server(…)]` says, checked.
struct ServerOptions {
    runtime: Runtime,
    name: Option<LitStr>,
    version: Option<LitStr>,
    title: Option<LitStr>,
    description: Option<LitStr>,
    instructions: Option<Text>,
    website_url: Option<LitStr>,
    icons: Vec<LitStr>,
    full_schemas: bool,
    transport: Option<&'static str>,
    auth: Option<&'static str>,
    port: Option<u16>,
    endpoint: Option<LitStr>,
    message_endpoint: Option<LitStr>,
    resumability: bool,
    cors: Option<Vec<LitStr>>,
}

impl ServerOptions {
    fn validate(keys: TokenStream, attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut options = Options::parse("mcp_server", &KEYS, keys, errors);
        let transport = options.choice("transport", &["stdio", "sse", "http-stream"], errors);
        refuse_unfit_keys(&mut options, transport.as_ref(), errors);
        refuse_secret(&mut options, errors);
        let auth = options.choice("auth", &["jwt", "apikey", "oauth"], errors);
        let website_url = options.text("website_url", errors);
        if let Some(url) = website_url.as_ref().filter(|url| !is_web(&url.value())) {
            errors.at(url.span(), "a website's URL begins with `https://` or `http://`; write the whole of it");
        }
        let endpoint = path(&mut options, "endpoint", errors);
        let message_endpoint = path(&mut options, "message_endpoint", errors);
        check_paths(endpoint.as_ref(), message_endpoint.as_ref(), transport.as_ref(), errors);
        let cors = options.strings("cors", errors);
        for origin in cors.iter().flatten() {
            check_origin(origin, auth.is_some(), errors);
        }
        Self {
            runtime: Runtime::under(options.krate(errors).as_ref()),
            name: options.text("name", errors),
            version: options.text("version", errors),
            title: options.text("title", errors),
            description: options.text("description", errors),
            instructions: options.prose("instructions", errors).or_else(|| Text::from_docs(attrs)),
            website_url,
            icons: icons(&mut options, errors),
            full_schemas: options.choice("profile", &["portable", "full"], errors).is_some_and(|it| it.value == "full"),
            transport: transport.map(|transport| transport.value),
            auth: auth.map(|auth| auth.value),
            port: options.count("port", u16::MAX.into(), errors).and_then(|port| u16::try_from(port.value).ok()),
            endpoint,
            message_endpoint,
            resumability: options.flag("resumability", errors).is_some_and(|flag| flag.value),
            cors,
        }
    }

    fn expand(&self, span: Span) -> TokenStream {
        let Self {
            runtime,
            name,
            version,
            title,
            description,
            instructions,
            website_url,
            icons,
            full_schemas,
            transport,
            auth,
            port,
            endpoint,
            message_endpoint,
            resumability,
            cors,
        } = self;
        let name = name
            .as_ref()
            .map_or_else(|| quote_spanned!(span=> ::core::env!("CARGO_PKG_NAME")), ToTokens::into_token_stream);
        let version = version
            .as_ref()
            .map_or_else(|| quote_spanned!(span=> ::core::env!("CARGO_PKG_VERSION")), ToTokens::into_token_stream);
        let (title, description) = (title.iter(), description.iter());
        let instructions = instructions.iter();
        let website_url = website_url.iter();
        let icons = (!icons.is_empty()).then(|| quote_spanned!(span=> .icons(&[#(#icons),*])));
        let full_schemas = full_schemas.then(|| quote_spanned!(span=> .full_schemas(true)));
        let transport = transport.iter();
        let auth = auth.iter();
        let port = port.iter();
        let endpoint = endpoint.iter();
        let message_endpoint = message_endpoint.iter();
        let resumability = resumability.then(|| quote_spanned!(span=> .resumability(true)));
        let cors = cors.as_ref().map(|origins| quote_spanned!(span=> .cors(&[#(#origins),*])));
        let runtime = runtime.at(span);
        quote_spanned! {span=>
            #runtime::Server::new(#name, #version)
                #(.title(#title))* #(.description(#description))* #(.instructions(#instructions))* #(.website_url(#website_url))* #icons #full_schemas
                #(.transport(#transport))* #(.auth(#auth))* #(.port(#port))* #(.endpoint(#endpoint))*
                #(.message_endpoint(#message_endpoint))* #resumability #cors
        }
    }
}

/// Keys of a listener without one, or without that endpoint.
fn refuse_unfit_keys(options: &mut Options, transport: Option<&At<&'static str>>, errors: &mut Errors) {
    let (unfit, reason): (&[&str], _) = match transport.map(|transport| transport.value) {
        Some("stdio") => (
            &["auth", "port", "endpoint", "message_endpoint", "resumability", "cors"],
            "`transport = \"stdio\"` has no listener; remove it, or choose `sse` or `http-stream`",
        ),
        Some("http-stream") => {
            (&["message_endpoint"], "`transport = \"http-stream\"` has one endpoint only; remove it, or choose `sse`")
        }
        _ => return,
    };
    for key in unfit {
        if let Some(span) = options.key(key) {
            errors.at(span, format_args!("`{key}` has no meaning here: {reason}"));
            options.discard(key);
        }
    }
}

/// `auth = jwt(secret = "…")`
fn refuse_secret(options: &mut Options, errors: &mut Errors) {
    if let Some(tokens) = options.call("auth") {
        errors.on(
            tokens,
            "`auth` names the kind alone: `auth = \"jwt\"`; keys and secrets are given at run time, not in source code",
        );
    }
}

fn path(options: &mut Options, key: &str, errors: &mut Errors) -> Option<LitStr> {
    let path = options.text(key, errors)?;
    let value = path.value();
    if !value.starts_with('/') {
        errors.at(path.span(), format_args!("a path begins with a slash; write `/{value}`"));
        return None;
    }
    if let Some(wrong) = value.chars().find(|c| c.is_whitespace() || "?#{}*\\".contains(*c)) {
        errors.at(
            path.span(),
            format_args!("{wrong:?} cannot stand in the path of an endpoint; write a plain one, such as `/mcp`"),
        );
        return None;
    }
    Some(path)
}

fn check_paths(
    endpoint: Option<&LitStr>,
    message_endpoint: Option<&LitStr>,
    transport: Option<&At<&'static str>>,
    errors: &mut Errors,
) {
    let of_sse = transport.is_some_and(|transport| transport.value == "sse");
    let default = |path: &'static str| of_sse.then(|| path.to_owned());
    let (first, second) = match (endpoint, message_endpoint) {
        (None, None) => return,
        (first, second) => (
            first.map(LitStr::value).or_else(|| default("/sse")),
            second.map(LitStr::value).or_else(|| default("/messages")),
        ),
    };
    let span = message_endpoint.or(endpoint).map(LitStr::span);
    if let (Some(first), Some(second), Some(span)) = (first, second, span)
        && first == second
    {
        errors.at(
            span,
            format_args!("`endpoint` and `message_endpoint` are both `{first}`; each needs a path of its own"),
        );
    }
}

fn check_origin(origin: &LitStr, has_auth: bool, errors: &mut Errors) {
    let value = origin.value();
    if value == "*" {
        if has_auth {
            errors.at(origin.span(), "`*` lets every website act for your users and cannot stand beside `auth`; list the origins that may call");
        }
        return;
    }
    let host = value.split_once("://").map_or("", |(_, host)| host);
    if host.is_empty() || host.contains(['/', '?', '#', ' ']) {
        errors.at(
            origin.span(),
            format_args!(
                "`{value}` is no origin; write scheme and host, and nothing behind, such as `https://app.example.com`"
            ),
        );
    }
}

fn is_web(url: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| url.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()))
}
